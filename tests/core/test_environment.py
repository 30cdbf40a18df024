"""What a user does wrong with one environment: one clear error each, and the game stands as it was."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
import wilddeck
from support import output_of, play_random, snapshot
from wilddeck import cards
from wilddeck.agents.base import View
from wilddeck.envs.core.aec import CardGameEnv, IllegalActionError

MALFORMED = [
    -1,
    12,
    10**30,
    -(10**30),
    None,
    "x",
    "5",
    float("nan"),
    1.5,
    2.0,
    [1, 2],
    np.array([1, 2]),
    np.array([]),
    {},
    int,
]
SHUFFLED = [*range(24, 48), *range(24)]


@pytest.fixture
def raw() -> CardGameEnv:
    env = wilddeck.envs.raw_env("tennis_v0")
    env.reset(seed=1)
    list(play_random(env, 1, 5))
    return env


def an_illegal_action(env: Any) -> int:
    legal = env.unwrapped.legal_actions()
    return next(action for action in range(12) if action not in legal)


@pytest.mark.parametrize("action", MALFORMED, ids=repr)
def test_raw_refuses_what_is_no_action(raw: CardGameEnv, action: Any) -> None:
    before = snapshot(raw)
    with pytest.raises(IllegalActionError) as error:
        raw.step(action)
    first = raw.legal_actions()[0]
    assert str(error.value).startswith(f"{raw.agent_selection} cannot play action {action!r}")
    assert f"; legal: {first} ({raw.action_label(first)})" in str(error.value)
    assert snapshot(raw) == before


def test_raw_names_an_illegal_action(raw: CardGameEnv) -> None:
    action = an_illegal_action(raw)
    with pytest.raises(IllegalActionError, match=rf"cannot play action {action} \(play .\); legal: ") as error:
        raw.step(np.int32(action))
    assert isinstance(error.value, ValueError)


def test_integers_of_all_kinds_are_actions(raw: CardGameEnv) -> None:
    for kind in (int, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.array):
        raw.step(kind(raw.legal_actions()[0]))


@pytest.mark.parametrize("action", [*MALFORMED, "illegal"], ids=repr)
def test_wrapped_ends_the_game_with_the_penalty_for_the_mover(action: Any, caplog: pytest.LogCaptureFixture) -> None:
    env = wilddeck.make("tennis_v0")
    env.reset(seed=1)
    list(play_random(env, 1, 5))
    mover = env.agent_selection
    record = env.unwrapped.record.tobytes()
    env.step(an_illegal_action(env) if isinstance(action, str) and action == "illegal" else action)
    assert env.rewards == {agent: -1.0 if agent == mover else 0 for agent in env.possible_agents}
    assert all(env.terminations.values())
    assert all(env.truncations.values())
    assert env.unwrapped.record.tobytes() == record
    assert env.unwrapped.legal_actions() == []
    owed = {}
    while env.agents:
        owed[env.agent_selection] = env.last()[1]
        assert not env.last()[0]["action_mask"].any()
        env.step(None)
    assert owed == {agent: -1.0 if agent == mover else 0 for agent in env.possible_agents}
    env.reset(seed=2)
    assert not any(env.terminations.values())
    env.step(env.unwrapped.legal_actions()[0])


BEFORE_RESET: dict[str, Callable[[CardGameEnv], Any]] = {
    "step": lambda env: env.step(0),
    "last": lambda env: env.last(),
    "observe": lambda env: env.observe("player_0"),
    "observe another": lambda env: env.observe("player_1"),
    "state": lambda env: env.state(),
    "record": lambda env: env.record,
    "current_player": lambda env: env.current_player,
    "legal_actions": lambda env: env.legal_actions(),
    "action_label": lambda env: env.action_label(0),
    "action_from_label": lambda env: env.action_from_label("play 2"),
    "zones": lambda env: env.zones(),
    "zones of a seat": lambda env: env.zones("player_0"),
    "describe": lambda env: env.describe(),
    "facts": lambda env: env.facts(),
    "teams": lambda env: env.teams(),
    "determinize": lambda env: env.determinize("player_0", 1),
    "View": View.of,
}


@pytest.mark.parametrize("asked", BEFORE_RESET)
def test_what_is_asked_before_reset(asked: str) -> None:
    """One clear error, of a copy too; nothing made up. Afterwards all is as if nobody had asked."""
    for env in (wilddeck.envs.raw_env("tennis_v0"), wilddeck.envs.raw_env("tennis_v0").clone()):
        with pytest.raises(RuntimeError, match=r"^call reset\(\) before [a-z_]+(\(\))?$"):
            BEFORE_RESET[asked](env)
        assert not env.is_legal(0)
        assert env.agents == []
        env.reset(seed=1)
        expected = wilddeck.envs.raw_env("tennis_v0")
        expected.reset(seed=1)
        assert snapshot(env) == snapshot(expected)


def test_before_reset() -> None:
    raw, wrapped = wilddeck.envs.raw_env("tennis_v0"), wilddeck.make("tennis_v0")
    with pytest.raises(RuntimeError, match=r"^call reset\(\) before step\(\)$"):
        raw.step(0)
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before step"):
        wrapped.step(0)
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before observe"):
        wrapped.observe("player_0")
    with pytest.raises(AttributeError, match="agent_selection cannot be accessed before reset"):
        _ = wrapped.agent_selection


def test_after_the_end() -> None:
    for env in (wilddeck.envs.raw_env("tennis_v0"), wilddeck.make("tennis_v0")):
        env.reset(seed=1)
        list(play_random(env, 1, 10**4))
        for action in (0, None):
            with pytest.raises(RuntimeError, match=r"^the game is over; call reset\(\)$"):
                env.step(action)
        env.reset(seed=1)
        env.step(env.unwrapped.legal_actions()[0])


def test_a_dead_agent_takes_only_none(raw: CardGameEnv) -> None:
    while raw.legal_actions():
        list(play_random(raw, 2, 1))
    with pytest.raises(ValueError, match="when an agent is dead, the only valid action is None"):
        raw.step(3)


def test_labels(raw: CardGameEnv) -> None:
    with pytest.raises(ValueError, match=r"tennis_v0 has the actions 0\.\.11, not 12"):
        raw.action_label(12)
    illegal = raw.action_label(an_illegal_action(raw))
    for text in ("shuffle", illegal, ""):
        with pytest.raises(ValueError, match=f"{text!r} is not a legal action; legal: .* \\(play .\\)"):
            raw.action_from_label(text)


@pytest.mark.parametrize("seed", [-1, 2**128, 1.0, "1", [1], float("nan")], ids=repr)
def test_seeds(raw: CardGameEnv, seed: Any) -> None:
    before = snapshot(raw)
    with pytest.raises(ValueError, match=r"a seed is an integer from 0 to 2\*\*128 - 1, not"):
        raw.reset(seed=seed)
    with pytest.raises(ValueError, match="a seed is an integer"):
        wilddeck.make_batch("tennis_v0", 2, seed=seed)
    with pytest.raises(ValueError, match="a seed is an integer"):
        raw.determinize("player_0", seed)
    assert snapshot(raw) == before


def test_seeds_at_their_ends() -> None:
    env = wilddeck.envs.raw_env("tennis_v0")
    starts = set()
    for seed in (0, 1, 2**63, 2**64, 2**128 - 1, np.uint64(2**64 - 2), np.int8(5)):
        env.reset(seed=seed)
        starts.add(env.record.tobytes())
    assert len(starts) == 7


def test_without_a_seed_games_differ() -> None:
    starts = set()
    for _ in range(3):
        env = wilddeck.envs.raw_env("tennis_v0")
        for _ in range(3):
            env.reset()
            starts.add(env.record.tobytes())
    assert len(starts) == 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deck": SHUFFLED[:-1]}, r"not a permutation of the 48 cards of tennis_v0: 47 cards given, missing ids \[23\]"),
        ({"deck": [*SHUFFLED, 0]}, r"49 cards given, ids too many or unknown \[0\]"),
        ({"deck": [*SHUFFLED[:-1], 0]}, r"missing ids \[23\], ids too many or unknown \[0\]"),
        ({"deck": [*SHUFFLED[:-1], 51]}, r"missing ids \[23\], ids too many or unknown \[51\]"),
        ({"deck": [*SHUFFLED[:-1], 300]}, "ids too many or unknown"),
        ({"deck": [*SHUFFLED[:-1], -1]}, "ids too many or unknown"),
        ({"deck": []}, "0 cards given"),
        ({"deck": "As Kd"}, "a deck is a list of card ids"),
        ({"deck": 5}, "a deck is a list of card ids"),
        ({"deck": [1.0] * 48}, "a deck is a list of card ids"),
        ({"deck": None}, "a deck is a list of card ids"),
        ({"decks": SHUFFLED}, "a deck is a list of card ids"),
        ({"decks": 5}, "'decks' must be a list of decks"),
        ({"decks": None}, "'decks' must be a list of decks"),
        ({"decks": [SHUFFLED, SHUFFLED[1:]]}, "47 cards given"),
        ({"deck": SHUFFLED, "decks": [SHUFFLED]}, "give 'deck' or 'decks', not both"),
        ({"dek": SHUFFLED}, "unknown reset option 'dek'; allowed: 'deck' .* or 'decks'"),
        ({"Decks": SHUFFLED}, "unknown reset option 'Decks'"),
    ],
)
def test_decks(raw: CardGameEnv, options: dict[str, Any], message: str) -> None:
    before = snapshot(raw)
    with pytest.raises(ValueError, match=message):
        raw.reset(seed=1, options=options)
    assert snapshot(raw) == before


def test_decks_in_all_forms() -> None:
    env = wilddeck.envs.raw_env("tennis_v0", dealer=0)
    starts = set()
    text = cards.text(SHUFFLED)
    for options in ({"deck": SHUFFLED}, {"deck": tuple(SHUFFLED)}, {"deck": np.array(SHUFFLED)}, {"deck": cards.parse(text)}):
        env.reset(seed=1, options=options)
        starts.add(env.record.tobytes())
    assert len(starts) == 1
    env.reset(seed=1, options={"unrelated": 1})
    assert env.record.tobytes() not in starts


def test_a_loaded_game_goes_on_in_the_wrappers(raw: CardGameEnv) -> None:
    """Without a reset before."""
    env = wilddeck.make("tennis_v0")
    env.unwrapped.load(raw.save())
    assert env.agent_selection == raw.agent_selection
    list(play_random(env, 3, 10**4))
    assert not env.agents


def test_render_modes() -> None:
    with pytest.raises(ValueError, match="unknown render_mode 'movie'; allowed: None, ansi, human, rgb_array"):
        wilddeck.make("tennis_v0", render_mode="movie")
    env = wilddeck.envs.raw_env("tennis_v0")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="needs a render_mode"):
        env.render()


@pytest.mark.parametrize("agent", ["nobody", "player_4", 0, None, ["player_0"], "\x1b[31m"])
def test_unknown_agents(raw: CardGameEnv, agent: Any) -> None:
    before = raw.record.tobytes()
    calls: list[Callable[[Any], Any]] = [raw.observe, raw.observation_space, raw.action_space, raw.seat_of]
    calls.append(lambda name: raw.determinize(name, seed=1))
    if agent is not None:
        calls += [raw.zones, raw.describe, raw.facts]  # of which None asks for everything
    for call in calls:
        with pytest.raises(ValueError, match=r"there is no agent .*; agents: player_0, .*, player_3$") as refused:
            call(agent)
        assert isinstance(refused.value, KeyError), "as PettingZoo's own environments raise"
        assert pickle.loads(pickle.dumps(refused.value)).args == refused.value.args
    assert raw.record.tobytes() == before


def test_unknown_games() -> None:
    for make in (wilddeck.make, wilddeck.envs.raw_env, lambda name: wilddeck.make_batch(name, 2)):
        with pytest.raises(ValueError, match=r"no game 'tenis_v0'; did you mean 'tennis_v0'\? Games: .*tennis_v0"):
            make("tenis_v0")
        with pytest.raises(ValueError, match=r"no game 'zzz'\. Games: "):
            make("zzz")
        with pytest.raises(ValueError, match=r"no game None\. Games: "):
            make(None)  # type: ignore[arg-type]


def test_registration() -> None:
    for game_id in wilddeck.games():
        name = f"wilddeck/{game_id.rpartition('_v')[0]}-v{game_id.rpartition('_v')[2]}"
        assert not hasattr(pettingzoo, "aec_registry") or name in pettingzoo.aec_registry
        assert name in gymnasium.registry
        assert gymnasium.registry[name].kwargs == {"game": game_id}
    wilddeck.register("wilddeck.envs.games.tennis:GAME")  # a second time changes nothing
    with pytest.raises(ValueError, match="allowed: 2, 3, 4, 6"):
        gymnasium.make("wilddeck/tennis-v0", num_players=5)


def test_a_pettingzoo_without_a_registry() -> None:
    """PettingZoo has one from 1.27 on; with an older one all else works."""
    code = """
import pettingzoo
for name in ("aec_registry", "parallel_registry", "register", "make"):
    if hasattr(pettingzoo, name):
        delattr(pettingzoo, name)
import gymnasium, wilddeck
wilddeck.register("wilddeck.envs.games.tennis:GAME")
env = wilddeck.make("tennis_v0")
env.reset(seed=1)
env.step(env.unwrapped.legal_actions()[0])
print(gymnasium.make("wilddeck/tennis-v0").unwrapped.game.id, wilddeck.envs.tennis_v0.env().metadata["name"])
"""
    assert output_of(code).split() == ["tennis_v0", "tennis_v0"]
