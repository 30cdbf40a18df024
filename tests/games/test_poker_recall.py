"""What others' decisions are told to have been, if they held what they hold in a sample: `View.recall` in poker."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games.poker_positions import GAME, play, redrawn, table
from support import random_games
from wilddeck.agents import base
from wilddeck.agents.base import View
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import REMEMBERED, CardGameEnv
from wilddeck.envs.core.batch import recall_kernels, row_seeds
from wilddeck.envs.core.extended.sets import ids_of
from wilddeck.league import match

CALL, RAISE, DISCARD, DRAW = (GAME.actions.slices(10)[name] for name in ("call", "raise", "discard", "draw"))
DRAWING = "1 call; 0 check; 0 stand pat; 1 discard 6c; 1 discard 7c; 1 draw 2; 0 check; 1 bet 4"


def recalled(env: CardGameEnv, count: int = 20) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Worlds, and of every decision that is recalled in them what was seen, was legal, and looks alike."""
    view = View.of(env)
    samples = view.sample(count, 1)
    return [(samples, *decision) for decision in view.recall(samples, 2)]


def held(observations: np.ndarray, env: CardGameEnv) -> list[set[int]]:
    """The cards that are seen as the own, face down and face up."""
    blocks = [observations[:, env.observation_layout[name]] for name in ("down", "up")]
    return [set(np.flatnonzero(both).tolist()) for both in (blocks[0] + blocks[1])]


def cards(samples: np.ndarray, field: str, seat: int) -> list[set[int]]:
    return [set(ids_of(sample[seat])) for sample in samples[field]]


def test_decisions_are_seen_with_the_cards_of_the_worlds() -> None:
    env = table(["2c 7d", "3c 8s", "Ac Ad"], "Kd 5h 6s Jh 9c", betting="limit")
    play(env, "0 raise to 4; 1 call; 2 call; 1 bet 2")
    decisions = recalled(env)
    assert env.current_player == 2 and len(decisions) == 3
    for (samples, seen, mask, alike), seat, label in zip(decisions, (0, 1, 1), ("raise to 4", "call", "bet 2"), strict=True):
        assert held(seen, env) == cards(samples, "hand", seat)
        assert len({frozenset(hands) for hands in held(seen, env)}) > 10
        assert (alike == alike[0]).all() and alike[0].sum() == 1 and mask[:, alike[0] == 1].all()
        then = table(["2c 7d", "3c 8s", "Ac Ad"], "Kd 5h 6s Jh 9c", betting="limit")
        play(then, "; ".join(["0 raise to 4", "1 call", "2 call"][: 0 if seat == 0 else 1 if label == "call" else 3]))
        assert then.action_label(int(alike[0].argmax())).startswith(label)


def test_what_was_thrown_away_was_held_and_which_of_it_is_secret() -> None:
    env = table(["2c 3c 4c 5d 7h", "6c 7c 8c 9d Jh"], "Kc Kd Kh", variant="five_card_draw", button=1, betting="limit")
    play(env, DRAWING)
    decisions = recalled(env, 50)
    called, discarded, bet = decisions  # the second discard and the exchange say no more than the first
    for _, seen, _, _ in (called, discarded):
        for now, hand, gone in zip(held(seen, env), cards(called[0], "hand", 1), cards(called[0], "gone", 1), strict=True):
            assert len(now) == 5 and len(gone) == 2
            assert gone < now <= hand | gone
    assert held(bet[1], env) == cards(bet[0], "hand", 1)
    thrown = bet[1][:, env.observation_layout["discards"]]
    assert [set(np.flatnonzero(row).tolist()) for row in thrown] == cards(bet[0], "gone", 1)
    assert np.flatnonzero(called[3][0]).tolist() == [CALL.start]
    assert np.flatnonzero(discarded[3][0]).tolist() == list(range(DISCARD.start, DISCARD.stop))


def test_standing_pat_is_no_discard() -> None:
    env = table(["2c 3c 4c 5d 7h", "6c 7c 8c 9d Jh"], "Kc Kd Kh", variant="five_card_draw", button=1, betting="limit")
    play(env, "1 call; 0 check; 0 stand pat; 1 stand pat; 0 check; 1 bet 4")
    assert [np.flatnonzero(alike[0]).tolist() for _, _, _, alike in recalled(env)] == [
        [CALL.start],
        [DRAW.start],
        [RAISE.start],
    ]


def test_folded_players_and_earlier_hands_are_not_recalled() -> None:
    env = table(["2c 7d", "3c 8s", "Ac Ad"], "Kd 5h 6s Jh 9c", hands=2, betting="limit")
    play(env, "0 raise to 4; 1 fold")
    assert len(recalled(env)) == 1
    play(env, "2 fold")
    assert not recalled(env) and View.of(env).remembers


def test_revealing_is_not_recalled() -> None:
    """What was revealed lies open anyway, and its place in the hand would tell of the others."""
    env = table(["Rv-c Dr-c", "4c 5c", "6c 7c"], "Kd 5h 6s Jh 9c Td Qs", betting="limit")
    play(env, "0 reveal Dr-c; 0 redeal; 0 call")
    assert env.current_player != 0 and len(env.past) == 3
    ((_, _, _, alike),) = recalled(env)
    assert np.flatnonzero(alike[0]).tolist() == [CALL.start]


@pytest.mark.parametrize("variant", ["texas_holdem", "omaha", "five_card_draw", "five_card_stud", "seven_card_stud", "chicago"])
@random_games(1, 4)
def test_nothing_hidden_is_recalled(variant: str, seeds: range) -> None:
    """The past with all that the viewer could not know then redrawn is recalled bit for bit as the true one."""
    compared = 0
    for seed in seeds:
        env = raw_env("poker_v0", num_players=4, variant=variant, hands=3)
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while not env.is_over:
            view = View.of(env)
            samples = view.sample(4, seed)
            other = View(env.game, env.options, env.record, view.observation, view.action_mask, redrawn(env, view.seat))
            for (data, action), (same, _) in zip(env.past, redrawn(env, view.seat), strict=True):
                assert left_of(data, action, samples, view.seat) == left_of(same, action, samples, view.seat)
            for true, false in zip(view.recall(samples, 5), other.recall(samples, 5), strict=True):
                for some, same in zip(true, false, strict=True):
                    assert some.tobytes() == same.tobytes()
                compared += 1
            env.step(int(rng.choice(env.legal_actions())))
    assert compared > 25 * len(seeds)


def left_of(data: bytes, action: int, samples: np.ndarray, viewer: int) -> bytes | None:
    """The records of a past decision as they are recalled, all of them and not only what the decider sees; None: it is not."""
    pasts, alike = (
        np.repeat(np.frombuffer(data, GAME.state), len(samples)),
        np.zeros((len(samples), GAME.actions.size(4)), np.uint8),
    )
    if pasts["current_player"][0] == viewer:
        return None
    possible = recall_kernels(GAME)["recall_games"](pasts, samples, viewer, action, row_seeds(5, len(samples)), alike)
    return pasts.tobytes() if possible else None


def test_many_worlds_are_recalled_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a compiled call is never long; the result is the same."""
    env = table(["2c 7d", "3c 8s", "Ac Ad"], "Kd 5h 6s Jh 9c", betting="limit")
    play(env, "0 raise to 4; 1 call")
    whole = recalled(env, 20)
    monkeypatch.setattr(base, "_SAMPLES", 7)
    parts = recalled(env, 20)
    assert len(parts) == len(whole) == 2
    for some, same in zip(whole, parts, strict=True):
        assert [array.tobytes() for array in some] == [array.tobytes() for array in same]


def test_the_past_is_of_this_game_and_bounded() -> None:
    env = raw_env("poker_v0", num_players=3, hands=100)
    env.reset(seed=1)
    while len(env.past) < REMEMBERED and not env.is_over:
        env.step(env.legal_actions()[0])
    first = env.past[0][0]
    env.step(env.legal_actions()[0])
    assert len(env.past) == REMEMBERED and env.past[0][0] != first
    assert View.of(env).remembers and match._view(env).remembers  # in leagues, too
    saved, clone = env.save(), env.clone()
    assert not clone.past
    before = env.past
    env.load(saved)  # which plays it again
    assert env.past == before
    clone.step(clone.legal_actions()[0])
    assert len(clone.past) == 1
    env.reset(seed=1)
    assert not env.past and not View.of(env).remembers
    other: Any = raw_env("tennis_v0")
    other.reset(seed=1)
    other.step(other.legal_actions()[0])
    assert not other.past
