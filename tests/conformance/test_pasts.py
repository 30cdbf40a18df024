"""Replays of the hand in progress, as it was and in determinizations for a seat; they reveal no hidden information."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wilddeck
from games import bluff_positions
from support import first_of, see_anew, short
from wilddeck.agents.base import View
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import DECK_66
from wilddeck.envs.core.extended.sets import ids_of
from wilddeck.envs.core.game import as_record, as_records
from wilddeck.envs.core.jit import only_interpreted
from wilddeck.envs.core.past import Choose

WORLDS = 60
LAST = 1000  # decisions: all
# Games in which nothing hidden moves after the deal unless somebody folds, and how many moves are played.
OPEN = {"spades_v0": ({"deck": "standard"}, 18), "poker_v0": ({"deck": "standard", "num_players": 4}, 7)}


def after(game_id: str) -> CardGameEnv:
    options, steps = OPEN[game_id]
    env = wilddeck.envs.raw_env(game_id, **options)
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(steps):
        open_actions = [action for action in env.legal_actions() if env.action_label(action) != "fold"]
        env.step(int(rng.choice(open_actions[:2])))
    return env


def first(rows: np.ndarray, observation: np.ndarray, mask: np.ndarray, alike: np.ndarray) -> np.ndarray:
    return alike.argmax(axis=1)


def replayed(view: View, samples: np.ndarray, seed: int, choose: Choose = first) -> tuple[list[Any], np.ndarray]:
    """The arguments of all decisions in a replay, and which samples are possible."""
    asked: list[Any] = []

    def note(*arguments: np.ndarray) -> np.ndarray:
        asked.append([array.copy() for array in arguments])
        return choose(*arguments)

    possible = view.replay(samples, seed, LAST, note)
    assert possible is not None
    return asked, possible


@pytest.mark.parametrize("enough", short([8, LAST], [8]))
@pytest.mark.parametrize("game_id", short(OPEN, ["spades_v0"]))
def test_nothing_hidden_comes_out_of_it(game_id: str, enough: int) -> None:
    """Two games that a seat cannot tell apart are played again alike in the same worlds."""
    with only_interpreted():
        env = after(game_id)
        view, seat = View.of(env), env.current_player
        samples = view.sample(WORLDS, 1)
        past = env.past
        assert past is not None
        played = past._play(seat)
        assert played is not None
        there = np.array([past._numbered(env.game.zones(as_record(samples, k), None)) for k in range(WORLDS)])
        maps = past._maps(played, there, seat, np.arange(WORLDS, dtype=np.uint64))
        compared = 0
        for number in range(8):
            if compared > enough:
                break
            other = wilddeck.envs.raw_env(game_id, **OPEN[game_id][0])
            other.reset(seed=3, options={"deck": maps[0][number][played.deck].tolist()})
            if not all(other.is_legal(action) and other.step(action) is None for action in past.actions):
                continue
            assert View.of(other).observation.tobytes() == view.observation.tobytes()
            (asked, possible), (again, too) = (replayed(each, samples.copy(), 5) for each in (view, View.of(other)))
            assert (possible == too).all()
            for one, two in zip(asked, again, strict=True):
                assert [array.tobytes() for array in one] == [array.tobytes() for array in two]
            compared += len(asked)
        assert compared > min(enough, 20)


@first_of("line", [["put 7c"], ["put Ah"], ["put 2c"], ["put 2c 7c", "all accept", "put 3d", "all accept", "put As"]], str)
def test_what_was_put_face_down_does_not_come_out(line: list[str]) -> None:
    """Whether the play of Bluff is true, and whether it ended by itself with the highest card: what lies there is as likely any
    hidden card."""
    with only_interpreted():
        env = bluff_positions.dealt(["Ah As 7c 2c", "3d"], deck="standard", num_players=2)
        bluff_positions.play(env, *line)
        view, rng, samples = View.of(env), np.random.default_rng(1), View.of(env).sample(200, 1)

        def any_alike(rows: np.ndarray, observation: np.ndarray, mask: np.ndarray, alike: np.ndarray) -> np.ndarray:
            return (alike * rng.random(alike.shape)).argmax(axis=1)

        asked, possible = replayed(view, samples, 2, any_alike)
        laid = samples["laid_card"][possible > 0, int(env.record["laid"][0]) - 1]
        assert possible.mean() > 0.9 and len(np.unique(laid)) > 15 and np.bincount(laid).max() < len(laid) / 5
        rows, _, mask, alike = asked[0]
        put = slice(0, DECK_66)
        assert len(rows) == len(samples) and (alike[:, put] <= mask[:, put]).all() and alike.sum() > 10 * len(samples)


def test_whether_others_hold_more_specials_does_not_come_out() -> None:
    """Who holds no other special need not say that they are done with revealing. The viewer misses one special only."""
    with only_interpreted():
        for hand, line in (("Dr-c Sk-c", ["reveal Dr-c", "redeal"]), ("Dr-c", ["reveal Dr-c"])):
            env = bluff_positions.dealt([hand, "Dr-d Dr-h Dr-s Rv-c Rv-d Rv-h Rv-s Sk-d Sk-h Sk-s"], num_players=3)
            bluff_positions.play(env, *line, "put 2c")
            samples = View.of(env).sample(60, 1)
            _, possible = replayed(View.of(env), samples, 2)
            assert possible.mean() > 0.9, (hand, possible.mean())


def test_what_is_chosen_again_is_what_lies_there() -> None:
    """In a replay others put other cards, here the highest that they may, and all later states have these."""
    with only_interpreted():
        env = bluff_positions.dealt(["Ah 7c"], deck="standard", num_players=3)
        bluff_positions.play(env, "put Ah", "accept")
        view, samples = View.of(env), View.of(env).sample(50, 1)

        def highest(rows: np.ndarray, observation: np.ndarray, mask: np.ndarray, alike: np.ndarray) -> np.ndarray:
            return alike.shape[1] - 1 - alike[:, ::-1].argmax(axis=1)

        _, possible = replayed(view, samples, 2, highest)
        assert possible.all()
        for game, card in zip(samples["hand"], samples["laid_card"][:, 0], strict=True):
            assert card > max(ids_of(game[0]))


@pytest.mark.parametrize("game_id", short(["bluff_v0", "hearts_v0", "rummy_v0", "skin_of_your_teeth_v0"], ["bluff_v0"]))
def test_a_replay_ends_in_what_the_seat_sees(game_id: str) -> None:
    with only_interpreted():
        env = wilddeck.envs.raw_env(game_id)
        rng, looked = np.random.default_rng(1), 0
        while looked < 5:
            env.reset(seed=int(rng.integers(1000)))
            for _ in range(30):
                if not env.is_over:
                    env.step(int(rng.choice(env.legal_actions())))
            view = View.of(env)
            samples = view.sample(20, 1)
            before, possible = samples.copy(), view.replay(samples, 1, LAST, first)
            if env.is_over or possible is None or not possible.any():
                continue
            looked += 1
            assert (samples[possible == 0] == before[possible == 0]).all()
            assert (samples[possible > 0] != before[possible > 0]).any()
            for k in np.flatnonzero(possible):
                other = env.clone()
                other.record[:] = as_records(samples[k : k + 1])
                see_anew(other)
                seen = other.observe(other.agent_selection)
                assert (seen["observation"] == view.observation).all() and (seen["action_mask"] == view.action_mask).all()


def test_hidden_moves_are_as_likely_of_each_card() -> None:
    """Of a card that was drawn unseen and seen later, nothing says when it came: it was the drawn one as often as any other of
    the hand, whatever is true."""
    with only_interpreted():
        env = wilddeck.envs.raw_env("rummy_v0", deck="standard")
        env.reset(seed=2)
        rng = np.random.default_rng(2)
        while True:
            env.step(int(rng.choice(env.legal_actions())))
            past = env.past
            assert past is not None
            seat = env.current_player
            played = past._play(seat)
            assert played is not None
            drawn = [
                (k, int(row[2]))
                for k, rows in enumerate(played.told[1:], 1)
                for row in rows
                if row[2] >= 0 and not row[5] >> seat & 1
            ]
            if drawn and len(past.actions) > 4:
                break
        samples = View.of(env).sample(400, 1)
        there = np.array([past._numbered(env.game.zones(as_record(samples, k), None)) for k in range(400)])
        maps = past._maps(played, there, seat, np.arange(400, dtype=np.uint64))
        k, card = drawn[0]
        as_drawn = maps[k][:, card]
        hidden = [c for c in range(DECK_66) if np.isin(c, as_drawn)]
        assert len(hidden) > 20 and np.bincount(as_drawn).max() < 400 / 5


def tennis() -> Any:
    """A game of Tennis after 40 random actions."""
    env, rng = wilddeck.envs.raw_env("tennis_v0"), np.random.default_rng(1)
    env.reset(seed=1)
    for _ in range(40):
        env.step(int(rng.choice(env.legal_actions())))
    return env


def test_of_cards_that_are_played_alike_any_may_have_been_played() -> None:
    """Who plays "a Seven" in Tennis plays the first of theirs, and may hold others."""
    with only_interpreted():
        env = tennis()
        view = View.of(env)
        possible = view.replay(view.sample(30, 1), 1, 1, first)
        assert possible is not None and possible.all()


def test_what_lies_in_known_order_stays_so() -> None:
    """Replays of Tennis may play other suits than were seen; such states do not replace samples."""
    with only_interpreted():
        env = tennis()
        view, seen = View.of(env), env.game.zones(as_record(env.record, 0), env.current_player)
        samples = view.sample(30, 1)
        assert view.replay(samples, 1, LAST, first) is not None
        for k in range(len(samples)):
            zones = env.game.zones(as_record(samples, k), None)
            ordered = [name for name in seen if not env.game.zone_role(name).is_held]
            assert all(card in (-1, other) for name in ordered for card, other in zip(seen[name], zones[name], strict=True))


def test_a_card_that_is_named_is_none_of_the_deck() -> None:
    """What a Joker is declared to be in Crazy Eights lies anywhere."""
    with only_interpreted():
        env = wilddeck.envs.raw_env("crazy_eights_v0")
        rng = np.random.default_rng(1)
        named = 0
        while named < 4:
            env.reset(seed=int(rng.integers(1000)))
            while not env.is_over and len(env._actions) < 12:
                labels = {env.action_label(action): action for action in env.legal_actions()}
                declares = [action for label, action in labels.items() if label.startswith("declare")]
                joker = [action for label, action in labels.items() if label in ("play SJ", "play BJ")]
                seat, action = env.current_player, int(rng.choice(declares or joker or env.legal_actions()))
                env.step(action)
                if declares and not env.is_over and env.current_player != seat:
                    view = View.of(env)
                    asked, possible = replayed(view, view.sample(30, 1), 1)
                    rows, _, _, alike = asked[-1]
                    assert possible.mean() > 0.1 and alike[possible[rows] > 0, action].all()
                    named += 1
