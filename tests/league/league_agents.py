"""Agents that misbehave, by spec: `crash@3` plays at random and crashes at its decision number 3 of a match (from 0)."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import wilddeck.agents
from wilddeck.agents.base import Agent, AgentError, View
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.compiling import compiling


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("even this fails")


class WildIndex:
    def __index__(self) -> int:
        raise SystemExit("from __index__")

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


def _raise(error: BaseException) -> Callable[[View], Any]:
    def misbehave(view: View) -> Any:
        raise error

    return misbehave


def _hang(view: View) -> None:
    while True:
        time.sleep(0.01)


def _stubborn(view: View) -> None:
    while True:
        try:
            while True:
                time.sleep(0.01)
        except BaseException:
            continue


@functools.cache
def _compile_once() -> None:
    with compiling:
        time.sleep(3.0)


def _compile(view: View) -> int:
    _compile_once()
    return int(view.legal_actions[0])


def _swallow(view: View) -> int:
    try:
        return _hang(view) or 0
    except BaseException:
        return int(view.legal_actions[0])


def _sabotage(view: View) -> int:
    CardGameEnv.step = lambda *_: os._exit(7)  # type: ignore[method-assign, assignment]
    return int(view.legal_actions[0])


MISDEEDS: dict[str, Callable[[View], Any]] = {
    "crash": _raise(ZeroDivisionError("a bug")),
    "unprintable": _raise(UnprintableError()),
    "exit": lambda view: sys.exit(3),
    "interrupt": _raise(KeyboardInterrupt()),
    "memory": _raise(MemoryError()),
    "bot-crash": _raise(AgentError("crash", "the bot died")),
    "bot-timeout": _raise(AgentError("timeout", "the bot is slow")),
    "bot-rubbish": _raise(AgentError("protocol", "no JSON")),
    "illegal": lambda view: int(np.flatnonzero(view.action_mask == 0)[0]),
    "large": lambda view: 10**5000,
    "negative": lambda view: -1,
    "text": lambda view: "six of hearts\n" * 1000,
    "nothing": lambda view: None,
    "half": lambda view: 1.5,
    "wild-index": lambda view: WildIndex(),
    "hang": _hang,
    "stubborn": _stubborn,
    "compile": _compile,
    "swallow": _swallow,
    "sabotage": _sabotage,
    "die": lambda view: os._exit(3),
    "killed": lambda view: os.kill(os.getpid(), signal.SIGKILL),
}


class Misbehaving(Agent):
    """Random until its decision of this number, then the misdeed."""

    def __init__(self, misdeed: str, number: int) -> None:
        self.name, self.misdeed, self.at, self.decision = misdeed, MISDEEDS[misdeed], number, 0

    def begin(self, game: Any, options: Any, seat: int, seed: int) -> None:
        self.decision = 0

    def act(self, view: View, rng: np.random.Generator) -> Any:
        self.decision += 1
        if self.decision > self.at:
            return self.misdeed(view)
        return int(rng.choice(view.legal_actions))


class Vandal(Agent):
    """Random; scribbles over all it was ever given."""

    name = "vandal"

    def __init__(self) -> None:
        self.seen: list[View] = []

    def act(self, view: View, rng: np.random.Generator) -> int:
        action = int(rng.choice(view.legal_actions))
        self.seen.append(view)
        for old in self.seen:
            old.action_mask[:] = 1
            old.observation[:] = np.nan
            for cell in old._sample.__closure__ or ():  # even what it cannot reach by fair means
                if isinstance(cell.cell_contents, np.ndarray):
                    cell.cell_contents["move_count"] = 77
        return action


class Plain(Agent):
    """What Vandal plays, without the vandalism."""

    name = "plain"

    def act(self, view: View, rng: np.random.Generator) -> int:
        return int(rng.choice(view.legal_actions))


class BadEnds(Plain):
    """Fails wherever it is not asked for an action, where `where` says so."""

    def __init__(self, where: str) -> None:
        self.where = where
        if where == "making":
            raise RuntimeError("not born")

    def begin(self, game: Any, options: Any, seat: int, seed: int) -> None:
        if self.where == "begin":
            raise RuntimeError("not today")

    def end(self, seat: int, returns: np.ndarray) -> None:
        returns[:] = 100
        if self.where == "end":
            raise RuntimeError("a bad loser")

    def close(self) -> None:
        if self.where in ("end", "close"):
            raise RuntimeError("does not go")


class Suicide(Plain):
    """Kills its process, driver and all, once the environment variable LEAGUE_KILL is set, at its decision number 5."""

    def __init__(self) -> None:
        self.decision = 0

    def act(self, view: View, rng: np.random.Generator) -> int:
        self.decision += 1
        if os.environ.get("LEAGUE_KILL") and self.decision > 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(view, rng)


def make(spec: str, game: Any, options: Any, *, trust: bool = False) -> Agent:
    name, _, argument = spec.partition("@")
    if name in MISDEEDS:
        return Misbehaving(name, int(argument or 0))
    if name == "bad":
        return BadEnds(argument)
    if name == "absent" and (argument != "worker" or multiprocessing.parent_process() is not None):
        raise {"OSError": OSError}.get(argument, ImportError)("No module named 'mine'")
    own: dict[str, Callable[[], Agent]] = {"vandal": Vandal, "plain": Plain, "suicide": Suicide, "absent": Plain}
    return own[name]() if name in own else wilddeck.agents.make(spec, game, options, trust=trust)
