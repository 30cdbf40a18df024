"""PettingZoo's own tests, and what it asks for without testing it; and what `render` shows."""

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

with warnings.catch_warnings():  # it imports games of its own in a way it has deprecated
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

# Said of every environment whose observation is a dictionary with a mask, though PettingZoo asks for just that.
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
    """Step by step what the other one shows to all seats, those that choose at once together; what those send that are not to
    move counts for nothing."""
    env, raw = case.parallel(), case.raw()
    observations, infos = env.reset(seed=case.seed)
    raw.reset(seed=case.seed)
    same(env.agents, raw.agents, "the parallel environment has other agents", raw)
    actions = iter(actions_of(case))
    for number in itertools.count():
        asked = raw.choosing()
        for seat, agent in [*enumerate(raw.possible_agents)][number % 2 :: 2]:
            mask, where = observations[agent]["action_mask"], f"of {agent} in the parallel environment is another one"
            same(observations[agent]["observation"], raw.observe(agent)["observation"], f"the observation {where}", raw)
            same(mask, asked.get(seat, np.zeros_like(mask)), f"the mask {where}", raw)
            same(mask, infos[agent]["action_mask"], f"the mask in infos {where}", raw)
            inside = observations[agent] in env.observation_space(agent)
            expect(inside, f"what {agent} sees in the parallel environment is not in its space", raw)
        chosen = {raw.possible_agents[seat]: action for seat, action in zip(asked, actions, strict=False)}
        others = (-1, next(iter(chosen.values())), None, 10**9)[number % 4]
        observations, *outcome, infos = env.step({**dict.fromkeys(env.agents, others), **chosen})
        rewards = _choose(raw, chosen)
        same(env.state(), raw.state(), "the parallel environment is in another state", raw)
        same(outcome, [rewards, raw.terminations, raw.truncations], "a step of the parallel environment ends otherwise", raw)
        if raw.is_over:
            break
    expect(env.agents == [], "the parallel environment has agents after the end", raw)
    _expect_no_masks(observations, infos)


def _choose(raw: CardGameEnv, chosen: dict[str, int]) -> dict[str, float]:
    """Play what the agents have chosen, of whom none may learn what another has before the last has chosen. Returns what it
    brings."""
    rewards = dict.fromkeys(raw.possible_agents, 0.0)
    masks, known = raw.choosing(), {agent: _known(raw, agent) for agent in raw.possible_agents}
    for (agent, action), mask in zip(chosen.items(), masks.values(), strict=True):
        same(raw.agent_selection, agent, "at_once names another player than the one to move", raw, "at_once")
        wrong = f"what is legal for {agent} depends on what others have chosen at once"
        same(raw.observe(agent)["action_mask"], mask, wrong, raw, "legal_actions")
        for other in raw.possible_agents if agent != next(iter(chosen)) else ():
            if other not in list(chosen)[: list(chosen).index(agent)]:
                same(_known(raw, other), known[other], f"{other} learns what is chosen at once", raw, "observe")
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
    """As it ends the other: all stop, and the seat to move pays."""
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
            f"the illegal action {bad!r} ends it so",
        )
        price = {agent: ILLEGAL_REWARD if agent == mover else 0.0 for agent in env.possible_agents}
        same(paid, price, f"for the illegal action {bad!r} of {mover} is paid")
        ended = all(all(of_all.values()) for of_all in ends) and env.agents == []
        expect(ended, f"the illegal action {bad!r} has not ended the game for all")
        _expect_no_masks(observations, infos)


def _need_drawing() -> None:
    if importlib.util.find_spec("pygame") is None:
        raise SkippedError("pygame is not installed (wilddeck[ui])")


@check("zones", scope="few", full=True)
def check_render(case: Case) -> None:
    _need_drawing()
    with mock.patch.dict(os.environ, {"SDL_VIDEODRIVER": "dummy"}):  # a window that nobody sees
        render_test(case.wrapped)


@check("zones", scope="defaults")
def check_render_shows_every_moment(case: Case) -> None:
    """Text and picture of any moment, from any seat, change nothing; a picture keeps its size."""
    _need_drawing()
    picture, text = case.raw(render_mode="rgb_array"), case.raw(render_mode="ansi")
    shapes = set()
    for env in moments(case)[::5]:
        before = env.record[0].copy()
        for screen in (picture, text):
            screen.load(env.save())
        shapes.add(picture.render().shape)
        expect(text.render().strip(), "the game is shown as empty text", env)
        for screen in (picture, text):
            same(screen.record[0], before, "drawing changes the game", env)
    expect(len(shapes) == 1, f"pictures have different sizes: {sorted(shapes)}")
    picture.close()


@check("observe")
def check_spaces_hold_what_is_seen(case: Case) -> None:
    """Every seat's observation at every moment lies in its space and has its dtype; the spaces are the same objects."""
    for env in moments(case):
        for agent in env.possible_agents:
            space: Any = env.observation_space(agent)
            seen = env.observe(agent)
            expect(space is env.observation_space(agent), f"the space of {agent} is made anew", env)
            box, vector = space["observation"], seen["observation"]
            if not space.contains(seen):
                for name, where in env.observation_layout.items():
                    low, high, values = box.low[where], box.high[where], vector[where]
                    if not np.all((values >= low) & (values <= high)):
                        allowed = f"{low.min():g}..{high.max():g}"
                        fail(f"the observation's block {name!r} of {agent} is {values.tolist()}, declared {allowed}", env)
                fail(f"what {agent} sees is not in its space", env)
            expect(seen["observation"].dtype == np.float32, f"the observation of {agent} is not float32", env)
            expect(seen["action_mask"].dtype == np.int8, f"the mask of {agent} is not int8", env)
            expect(env.action_space(agent) is env.action_space(agent), f"the action space of {agent} is made anew", env)
            same(env.action_space(agent), Discrete(env.num_actions), f"the action space of {agent}", env)
        expect(env.state_space.contains(env.state()), "the state is not in its space", env)


@check("OBSERVATION")
def check_spaces_are_bounded(case: Case) -> None:
    """Wrappers that scale divide by high - low."""
    env = case.raw()
    space: Any = env.observation_space("player_0")
    for what, box in (("observation", space["observation"]), ("state", env.state_space)):
        with np.errstate(all="raise"):
            good = np.isfinite(box.high - box.low).all() and (box.high > box.low).all()
        expect(good, f"the space of the {what} has bounds that are not finite or not low < high")


@check("legal_actions")
def check_only_the_mover_has_legal_actions(case: Case) -> None:
    for env in moments(case):
        for agent in env.possible_agents:
            mask, told = env.observe(agent)["action_mask"], env.infos[agent]["action_mask"]
            legal = env.legal_actions() if agent == env.agent_selection else []
            same(np.flatnonzero(mask).tolist(), legal, f"the mask of {agent} is not what is legal for them", env)
            same(told.tolist(), mask.tolist(), f"the mask of {agent} in infos is another one", env)
            expect(told.dtype == np.int8, f"the mask of {agent} in infos is not int8", env)
        over = any(env.terminations.values()) or any(env.truncations.values())
        same(bool(env.legal_actions()), not over, "somebody has legal actions, and the game goes on", env)


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
            same(env.last(observe=False)[1], owed[mover], f"last() tells {mover} another sum of rewards", env)
            owed[mover] = 0.0
    expect(not env.agents, "the game has not ended", env)


@check("step", scope="defaults")
def check_turn_based_conversion(case: Case) -> None:
    """Gymnasium-like loops reach the end through PettingZoo's conversion for games of turns."""
    env = turn_based_aec_to_parallel(case.wrapped())
    env.reset(seed=2)
    for _ in range(case.game.max_length(case.raw().options)):
        mover = env.unwrapped.agent_selection
        env.step({agent: env.unwrapped.legal_actions()[0] if agent == mover else 0 for agent in env.agents})
        if not env.agents:
            return
    fail("with its first legal action each time the game does not end within max_length")
