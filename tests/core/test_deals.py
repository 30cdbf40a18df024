"""Episodes of several deals, in single games and in batches, with rewards that deals bring and endings of both kinds."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest
from core.toy import GAME, Options
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.batch import Batch
from wilddeck.envs.core.game import record_dtype
from wilddeck.envs.core.wrappers import wrap

PLAIN = list(range(11, -1, -1))  # with two players: 11 9 against 10 8, and card 7 is turned up
AGAIN = [5, 4, 3, 2, 0, 1, 6, 7, 8, 9, 10, 11]  # card 0 is turned up: player 0 gets 1 and is dealt anew


def hands(env: CardGameEnv) -> dict[str, list[int]]:
    return {name: cards for name, cards in env.zones().items() if name.startswith("hand")}


def started(*decks: list[int], **options: object) -> CardGameEnv:
    env = CardGameEnv(GAME, Options(**options))  # type: ignore[arg-type]
    env.reset(seed=2, options={"decks": list(decks)})
    return env


def test_given_decks_are_dealt_in_turn_then_shuffled_ones() -> None:
    env = started(PLAIN, PLAIN[::-1])
    assert hands(env) == {"hand/0": [11, 9], "hand/1": [10, 8]}
    env.step(0)
    env.step(0)
    assert list(env.rewards.values()) == [2, 0]
    assert hands(env) == {"hand/0": [0, 2], "hand/1": [1, 3]}
    env.step(0)
    env.step(0)
    assert list(env.rewards.values()) == [0, 2]
    shuffled = CardGameEnv(GAME, Options())
    shuffled.reset(seed=2)
    for action in (0, 0, 0, 0):
        shuffled.step(action)
    assert env.record["deals"][0] == shuffled.record["deals"][0] == 3
    assert env.zones() == shuffled.zones(), "the third deal depends on nothing played before"


def test_a_deal_may_bring_rewards_once() -> None:
    """Player 0 wins 2 in the first hand, and 1 by each of two deals after it."""
    env = started(PLAIN, AGAIN, AGAIN, PLAIN)
    env.step(0)
    env.step(0)
    assert list(env.rewards.values()) == [4, 0]
    assert hands(env) == {"hand/0": [11, 9], "hand/1": [10, 8]}
    assert env.last()[1] == 4


def test_the_first_deal_may_be_repeated() -> None:
    env = started(AGAIN, AGAIN, PLAIN)
    assert hands(env) == {"hand/0": [11, 9], "hand/1": [10, 8]}
    assert env.agent_selection == "player_0"
    assert list(env.rewards.values()) == [0, 0]


@pytest.mark.parametrize("truncate", [False, True])
@pytest.mark.parametrize("num_players", [2, 3])
def test_batches_play_as_single_games(num_players: int, truncate: bool) -> None:
    options = Options(num_players=num_players, hands=2, truncate=truncate)
    batch = Batch(GAME, options, 40, seed=5, threads=2)
    envs = [CardGameEnv(GAME, options) for _ in range(40)]
    for row, env in enumerate(envs):
        env.reset(seed=5 + row)
    assert batch.states.tobytes() == b"".join(env.record.tobytes() for env in envs)
    draw = random.Random(3)
    again = 0
    for _ in range(2 * num_players):
        actions = np.array([draw.randrange(2) for _ in envs])
        batch.step(actions)
        for row, env in enumerate(envs):
            env.step(actions[row])
            assert batch.rewards[row].tolist() == list(env.rewards.values())
            again += any(reward % 2 for reward in env.rewards.values())
            assert batch.terminated[row] == env.terminations["player_0"]
            assert batch.truncated[row] == env.truncations["player_0"]
    assert again, "no deal brought a reward: the seeds test nothing"
    assert (batch.truncated if truncate else batch.terminated).all()
    assert not (batch.terminated if truncate else batch.truncated).any()
    batch.close()


def test_truncation_in_the_wrapped_environment() -> None:
    env = wrap(CardGameEnv(GAME, Options(hands=1, truncate=True)))
    env.reset(seed=1)
    env.step(0)
    env.step(1)
    assert env.truncations == {"player_0": True, "player_1": True}
    assert env.terminations == {"player_0": False, "player_1": False}
    while env.agents:
        assert not env.last()[0]["action_mask"].any()
        env.step(None)


def test_records_have_no_gaps() -> None:
    """Bytes between fields are not copied by numpy: equal games would be unequal bytes."""
    dtype = record_dtype(5, 7, [("a", "u1"), ("b", "u8"), ("c", "i2", (3,)), ("d", "f8"), ("e", "u1", (5,))])
    for layout in (GAME.state, dtype):
        assert sum(layout[name].itemsize for name in layout.names or ()) == layout.itemsize
        assert layout.isalignedstruct
    record = np.zeros(2, dtype)
    record.view(np.uint8)[:] = 255
    assert record[:1].copy().tobytes() == b"\xff" * dtype.itemsize


def test_an_option_needs_a_field_of_its_own() -> None:
    """A field of the header would be overwritten by the game's course."""

    @dataclasses.dataclass(frozen=True)
    class Clashing(opt.Options):
        num_players: int = opt.one_of(2, (2, 3), "players")
        deals: int = opt.integer(3, 1, 5, "hands of an episode")

    with pytest.raises(ValueError, match="the record of toy needs a field of its own for the option 'deals'"):
        dataclasses.replace(GAME, options=Clashing)


def test_options_have_fields_where_none_is_declared() -> None:
    """The smallest that hold all values that are stored."""

    @dataclasses.dataclass(frozen=True)
    class More(Options):
        tempo: int = opt.integer(300, -5, 300, "a whole number")
        limit: int | None = opt.integer(None, 1, 9, "a whole number or none", none=250)
        kind: str = opt.one_of("b", ("a", "b"), "a name")
        loud: bool = opt.flag(False, "a flag")
        first: object = opt.seat("random", "a seat")

    game = dataclasses.replace(GAME, options=More)
    assert [game.state[name].str[1:] for name in ("tempo", "limit", "kind", "loud", "first")] == ["i2", "u1", "u1", "u1", "i1"]
    template = game.template(More(tempo=-5))
    assert [template[0][name] for name in ("tempo", "limit", "kind", "first")] == [-5, 250, 1, -1]


def test_a_field_is_not_called_as_what_records_have() -> None:
    """Interpreted rules would read `state.size` of numpy."""
    with pytest.raises(ValueError, match="toy needs other names for the fields size: numpy's records have their own"):
        dataclasses.replace(GAME, fields=[*GAME.fields, ("size", "u1")])
