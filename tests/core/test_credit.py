"""Credit of rewards to decisions, against a slow reference that follows the games forward, step by step."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import toy_game
import wilddeck
from wilddeck.envs.core.batch import Batch
from wilddeck.envs.core.credit import ENDED, NO_DECISION, OPEN, Credit, advantages, credit_rewards
from wilddeck.envs.core.game import Game

GAMES: list[tuple[Game | str, dict[str, Any]]] = [
    *((toy_game.GAME, {"num_players": players}) for players in (2, 3, 6)),  # every move pays all seats
    (toy_game.TEAMS, {"num_players": 4}),
    ("tennis_v0", {"num_players": 3}),
    ("wild_escape_v0", {}),  # two teams; seats that are out see others end the game
]


def played(game: Game | str, options: dict[str, Any], steps: int = 150) -> tuple[Batch, dict[str, np.ndarray]]:
    """Random games with autoreset, as a learner records them."""
    found_game = wilddeck.envs.game(game)
    batch = Batch(found_game, found_game.make_options(options), 5, seed=1)
    log: dict[str, list[np.ndarray]] = {"seats": [], "rewards": [], "dones": [], "decisions": []}
    for _ in range(steps):
        log["seats"].append(batch.current_player.copy())
        log["decisions"].append(batch.action_mask.sum(axis=1) > 1)
        batch.step(batch.random_actions())
        log["rewards"].append(batch.rewards.copy())
        log["dones"].append(batch.terminated | batch.truncated)
    return batch, {name: np.array(rows_of_steps) for name, rows_of_steps in log.items()}


def reference(log: dict[str, np.ndarray], choices_only: bool, teams: tuple[tuple[int, ...], ...]) -> Credit:
    """Forward: each seat's last decision collects what the seat gets, until the seat decides anew or the game is over."""
    steps, rows, players = log["rewards"].shape
    mates = {seat: list(team) for team in teams for seat in team} or {seat: [seat] for seat in range(players)}
    brought, following = np.zeros((steps, rows)), np.full((steps, rows), NO_DECISION)
    for row in range(rows):
        last: dict[int, int] = {}
        for step in range(steps):
            seat = int(log["seats"][step, row])
            if log["decisions"][step, row] or not choices_only:
                if seat in last:
                    following[last[seat], row] = step
                last[seat] = step
                following[step, row] = OPEN
            for who, when in last.items():
                brought[when, row] += np.mean([float(log["rewards"][step, row, mate]) for mate in mates[who]])
            if log["dones"][step, row]:
                for when in last.values():
                    following[when, row] = ENDED
                last = {}
    return Credit(brought.astype(np.float32), following)


@pytest.mark.parametrize(("game", "options"), GAMES, ids=lambda value: str(value))
@pytest.mark.parametrize("choices_only", [False, True])
@pytest.mark.parametrize("as_teams", [False, True])
def test_it_is_what_each_seat_gets_until_it_decides_again(game, options, choices_only, as_teams) -> None:
    batch, log = played(game, options)
    teams = batch.game.teams(batch.options) if as_teams else ()
    expected = reference(log, choices_only, teams)
    recorded = {name: log[name] for name in ("seats", "rewards", "dones")}
    credit = credit_rewards(**recorded, decisions=log["decisions"] if choices_only else None, teams=teams)
    np.testing.assert_array_equal(credit.next, expected.next)
    np.testing.assert_allclose(credit.rewards, expected.rewards, rtol=1e-6, atol=1e-6)
    assert (credit.rewards.dtype, credit.next.dtype) == (np.float32, np.int64)
    assert {ENDED, OPEN} <= set(np.unique(credit.next))
    ended = np.argwhere(credit.next == ENDED)
    assert not log["dones"][tuple(ended.T)].all(), "some games must end by another seat's move"


def test_nothing_is_lost_where_all_seats_have_decided() -> None:
    """A game's credits add up to its rewards, those before a seat's first decision apart."""
    seats = np.array([[0], [1], [0], [1], [1]])
    rewards = np.array([[[1, 10]], [[2, 20]], [[3, 30]], [[4, 40]], [[5, 50]]], np.float32)
    dones = np.array([[False], [False], [False], [True], [False]])
    credit = credit_rewards(seats, rewards, dones)
    assert credit.rewards[:, 0].tolist() == [1 + 2, 20 + 30, 3 + 4, 40, 50]
    assert credit.next[:, 0].tolist() == [2, 3, ENDED, ENDED, OPEN]
    lists = credit_rewards(list(seats), list(rewards.astype(int)), list(dones))
    assert all((one == two).all() for one, two in zip(credit, lists, strict=True))
    assert rewards[0, 0, 1] == 10, "what is given stays as it is"
    credit_rewards(seats, rewards, dones, teams=[(0, 1)])
    assert rewards[0, 0, 1] == 10


def test_advantages_go_along_each_seats_own_decisions() -> None:
    """A slow reference: sums of temporal differences."""
    rng = np.random.default_rng(1)
    seats, dones = rng.integers(0, 3, (40, 5)), rng.random((40, 5)) < 0.08
    rewards, values = rng.normal(size=(40, 5, 3)), rng.normal(size=(40, 5))
    decided = rng.random((40, 5)) < 0.8
    credit = credit_rewards(seats, rewards, dones, decisions=decided)
    found = advantages(credit, values, 0.9, 0.7)
    assert not found.known[~decided].any() and (found.known | (credit.next == OPEN) | ~decided).all()

    def slow(t: int, i: int) -> float:
        following = credit.next[t, i]
        if following == OPEN:
            return 0.0
        if following == ENDED:
            return float(credit.rewards[t, i]) - values[t, i]
        return float(credit.rewards[t, i]) + 0.9 * values[following, i] - values[t, i] + 0.9 * 0.7 * slow(following, i)

    for t, i in itertools.product(range(40), range(5)):
        if decided[t, i]:
            assert found.advantages[t, i] == pytest.approx(slow(t, i), abs=1e-4)
    assert found.targets == pytest.approx(found.advantages + values, abs=1e-5)
    with pytest.raises(ValueError, match=r"values must be numbers of shape \[40, 5\]"):
        advantages(credit, values[1:])


def test_no_steps_have_no_credit() -> None:
    credit = credit_rewards(np.zeros((0, 3), int), np.zeros((0, 3, 2)), np.zeros((0, 3), bool))
    assert credit.rewards.shape == credit.next.shape == (0, 3)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rewards": np.zeros((4, 2))}, r"rewards must be numbers of shape \[T, N, P\], not float64 of shape \(4, 2\)"),
        ({"rewards": np.full((4, 2, 3), "a")}, "rewards must be numbers"),
        ({"seats": np.zeros((2, 4), int)}, r"seats must be integers of shape \[4, 2\], not int64 of shape \[2, 4\]"),
        ({"seats": np.zeros((4, 2))}, "seats must be integers"),
        ({"seats": np.full((4, 2), 3)}, r"seats must be within 0\.\.2, not 3\.\.3"),
        ({"seats": np.full((4, 2), -1)}, r"seats must be within 0\.\.2"),
        ({"dones": np.zeros((4, 2))}, "dones must be bool"),
        ({"decisions": np.zeros((4, 3), bool)}, r"decisions must be bool of shape \[4, 2\]"),
        ({"teams": [(0, 1)]}, "teams must contain each of the 3 seats once"),
        ({"teams": [(0, 1), (1, 2)]}, "teams must contain each of the 3 seats once"),
    ],
)
def test_bad_records_are_named(changed: dict[str, Any], message: str) -> None:
    record: dict[str, Any] = {"seats": np.zeros((4, 2), int), "rewards": np.zeros((4, 2, 3)), "dones": np.zeros((4, 2), bool)}
    with pytest.raises(ValueError, match=message):
        credit_rewards(**{**record, **changed})
