"""PettingZoo's own tests, requirements that it does not test, and `render`."""

from __future__ import annotations

import importlib.util
import itertools
import os
import warnings
from typing import Any
from unittest import mock

import numpy as np
from gymnasium.spaces import Discrete
from pettingzoo.utils import turn_based_aec_to_parallel

from ..envs.core.aec import ILLEGAL_REWARD, CardGameEnv
from .cases import Case
from .checks import SkippedError, check, expect, fail, same
from .played import actions_of, moments, play_random

with warnings.catch_warnings():  # PettingZoo imports its own games in a way that it has deprecated
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

# PettingZoo warns about every observation that is a dictionary with a mask, although it requires this format.
BENIGN = ("Observation is not a NumPy array", "Observation space for each agent probably should be gymnasium.spaces.box")


def _strictly(test: Any, *arguments: Any, **settings: Any) -> None:
    """Run one of PettingZoo's tests. A warning other than the two is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        for message in BENIGN:
            warnings.filterwarnings("ignore", message, UserWarning)
        test(*arguments, **settings)


@check("step", "observe")
def check_api(case: Case) -> None:
    for env in (case.wrapped(), case.raw()):
        _strictly(api_test, env, num_cycles=1000)


@check("deal", "begin")
def check_seeds(case: Case) -> None:
    _strictly(seed_test, case.wrapped, num_cycles=40)


@check("step", "observe")
def check_parallel_api(case: Case) -> None:
    _strictly(parallel_api_test, case.parallel(), num_cycles=300)
    _strictly(parallel_seed_test, case.parallel, num_cycles=5)


@check("step", "observe", scope="slow")
def check_the_parallel_environment_plays_the_same_game(case: Case) -> None:
    """Each step equals the AEC environment's for all seats; simultaneous choices are one step; actions of agents that are not
    to move are ignored."""
    env, raw = case.parallel(), case.raw()
    observations, infos = env.reset(seed=case.seed)
    raw.reset(seed=case.seed)
    same(env.agents, raw.agents, "the parallel environment has different agents", raw)
    actions = iter(actions_of(case))
    for number in itertools.count():
        asked = raw.choosing()
        for seat, agent in [*enumerate(raw.possible_agents)][number % 2 :: 2]:
            mask, where = observations[agent]["action_mask"], f"of {agent} differs in the parallel environment"
            same(observations[agent]["observation"], raw.observe(agent)["observation"], f"the observation {where}", raw)
            same(mask, asked.get(seat, np.zeros_like(mask)), f"the mask {where}", raw)
            same(mask, infos[agent]["action_mask"], f"the mask in infos {where}", raw)
            inside = observations[agent] in env.observation_space(agent)
            expect(inside, f"the observation of {agent} in the parallel environment is not in its space", raw)
        chosen = {raw.possible_agents[seat]: action for seat, action in zip(asked, actions, strict=False)}
        others = (-1, next(iter(chosen.values())), None, 10**9)[number % 4]
        observations, *outcome, infos = env.step({**dict.fromkeys(env.agents, others), **chosen})
        rewards = _choose(raw, chosen)
        same(env.state(), raw.state(), "the parallel environment has a different state", raw)
        same(outcome, [rewards, raw.terminations, raw.truncations], "a step of the parallel environment differs", raw)
        if raw.is_over:
            break
    expect(env.agents == [], "the parallel environment has agents after the end", raw)
    _expect_no_masks(observations, infos)


def _choose(raw: CardGameEnv, chosen: dict[str, int]) -> dict[str, float]:
    """Play the simultaneous choices of agents; none may observe another's choice before the last has chosen. Returns the
    rewards."""
    rewards = dict.fromkeys(raw.possible_agents, 0.0)
    masks = raw.choosing()
    known = {agent: _known(raw, agent) for agent in raw.possible_agents} if len(chosen) > 1 else {}
    for (agent, action), mask in zip(chosen.items(), masks.values(), strict=True):
        same(raw.agent_selection, agent, "at_once names another player than the one to move", raw, "at_once")
        wrong = f"the legal actions of {agent} depend on the others' simultaneous choices"
        same(raw.observe(agent)["action_mask"], mask, wrong, raw, "legal_actions")
        for other in raw.possible_agents if agent != next(iter(chosen)) else ():
            if other not in list(chosen)[: list(chosen).index(agent)]:
                same(_known(raw, other), known[other], f"{other} observes a simultaneous choice too early", raw, "observe")
        raw.step(action)
        rewards = {each: reward + raw.rewards[each] for each, reward in rewards.items()}
    return rewards


def _known(raw: CardGameEnv, agent: str) -> tuple[Any, ...]:
    return raw.observe(agent)["observation"].tolist(), raw.zones(agent), raw.history(agent)


def _expect_no_masks(observations: Any, infos: Any) -> None:
    left = any(entry["action_mask"].any() for entry in (*observations.values(), *infos.values()))
    expect(not left, "the parallel environment shows legal actions after the end")


@check("legal_actions", scope="defaults")
def check_an_illegal_action_ends_the_parallel_game(case: Case) -> None:
    """As in the AEC environment, it ends the game for all, and only the player to move gets the penalty."""
    env, wrapped = case.parallel(), case.wrapped()
    for bad in (-1, None, 10**9, "a"):
        observations, _ = env.reset(seed=2)
        wrapped.reset(seed=2)
        mover = next(agent for agent, seen in observations.items() if seen["action_mask"].any())
        fine = {agent: int(np.argmax(seen["action_mask"])) for agent, seen in observations.items()}
        observations, paid, *ends, infos = env.step({**fine, mover: bad})
        wrapped.step(bad)
        same(
            [paid, *ends],
            [wrapped.rewards, wrapped.terminations, wrapped.truncations],
            f"rewards and ends after the illegal action {bad!r} differ",
        )
        price = {agent: ILLEGAL_REWARD if agent == mover else 0.0 for agent in env.possible_agents}
        same(paid, price, f"the rewards for the illegal action {bad!r} of {mover} differ")
        ended = all(all(of_all.values()) for of_all in ends) and env.agents == []
        expect(ended, f"the illegal action {bad!r} does not end the game for all")
        _expect_no_masks(observations, infos)


def _need_drawing() -> None:
    if importlib.util.find_spec("pygame") is None:
        raise SkippedError("pygame is not installed (wilddeck[ui])")


@check("zones", scope="few", full=True)
def check_render(case: Case) -> None:
    _need_drawing()
    with mock.patch.dict(os.environ, {"SDL_VIDEODRIVER": "dummy"}):  # an invisible window
        render_test(case.wrapped)


@check("zones", scope="defaults")
def check_render_shows_every_moment(case: Case) -> None:
    """Drawing text or a picture changes nothing; all pictures have the same size."""
    _need_drawing()
    picture, text = case.raw(render_mode="rgb_array"), case.raw(render_mode="ansi")
    shapes = set()
    for env in moments(case)[::5]:
        before = env.record[0].copy()
        for screen in (picture, text):
            screen.load(env.save())
        shapes.add(picture.render().shape)
        expect(text.render().strip(), "the rendered text is empty", env)
        for screen in (picture, text):
            same(screen.record[0], before, "drawing changes the game", env)
    expect(len(shapes) == 1, f"pictures have different sizes: {sorted(shapes)}")
    picture.close()


@check("observe")
def check_spaces_hold_what_is_seen(case: Case) -> None:
    """Every observation is in its space and has its dtype; a space is always the same object."""
    for env in moments(case):
        for agent in env.possible_agents:
            space: Any = env.observation_space(agent)
            seen = env.observe(agent)
            expect(space is env.observation_space(agent), f"the observation space of {agent} changes at each call", env)
            box, vector = space["observation"], seen["observation"]
            if not space.contains(seen):
                for name, where in env.observation_layout.items():
                    low, high, values = box.low[where], box.high[where], vector[where]
                    if not np.all((values >= low) & (values <= high)):
                        allowed = f"{low.min():g}..{high.max():g}"
                        fail(f"the observation's block {name!r} of {agent} is {values.tolist()}, not in {allowed}", env)
                fail(f"the observation of {agent} is not in its space", env)
            expect(seen["observation"].dtype == np.float32, f"the observation of {agent} is not float32", env)
            expect(seen["action_mask"].dtype == np.int8, f"the mask of {agent} is not int8", env)
            expect(env.action_space(agent) is env.action_space(agent), f"the action space of {agent} changes at each call", env)
            same(env.action_space(agent), Discrete(env.num_actions), f"the action space of {agent} differs", env)
        expect(env.state_space.contains(env.state()), "the state is not in its space", env)


@check("OBSERVATION")
def check_spaces_are_bounded(case: Case) -> None:
    """Wrappers that scale observations divide by high - low."""
    env = case.raw()
    space: Any = env.observation_space("player_0")
    for what, box in (("observation", space["observation"]), ("state", env.state_space)):
        with np.errstate(all="raise"):
            good = np.isfinite(box.high - box.low).all() and (box.high > box.low).all()
        expect(good, f"the {what} space needs finite bounds with low < high")


@check("legal_actions")
def check_only_the_mover_has_legal_actions(case: Case) -> None:
    for env in moments(case):
        for agent in env.possible_agents:
            mask, told = env.observe(agent)["action_mask"], env.infos[agent]["action_mask"]
            legal = env.legal_actions() if agent == env.agent_selection else []
            same(np.flatnonzero(mask).tolist(), legal, f"the mask of {agent} differs from their legal actions", env)
            same(told.tolist(), mask.tolist(), f"the mask of {agent} in infos differs from the observation's", env)
            expect(told.dtype == np.int8, f"the mask of {agent} in infos is not int8", env)
        over = any(env.terminations.values()) or any(env.truncations.values())
        same(bool(env.legal_actions()), not over, "having legal actions and having ended do not exclude each other", env)


@check("step")
def check_last_is_the_running_sum_of_rewards(case: Case) -> None:
    env = case.wrapped()
    env.reset(seed=case.seed)
    owed = dict.fromkeys(env.possible_agents, 0.0)
    for _ in play_random(env, case.seed, 10**6):
        for agent, reward in env.rewards.items():
            owed[agent] += reward
        if env.agents:
            mover = env.agent_selection
            same(env.last(observe=False)[1], owed[mover], f"last() returns a different sum of rewards for {mover}", env)
            owed[mover] = 0.0
    expect(not env.agents, "the game has not ended", env)


@check("step", scope="defaults")
def check_turn_based_conversion(case: Case) -> None:
    """A Gymnasium-like loop reaches the end with PettingZoo's conversion for turn-based games."""
    env = turn_based_aec_to_parallel(case.wrapped())
    env.reset(seed=2)
    for _ in range(case.game.max_length(case.raw().options)):
        mover = env.unwrapped.agent_selection
        env.step({agent: env.unwrapped.legal_actions()[0] if agent == mover else 0 for agent in env.agents})
        if not env.agents:
            return
    fail("playing the first legal action at each step, the game does not end within max_length")
