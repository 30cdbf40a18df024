"""Agents that tests score: functions that make them, as `score_agents:careless`."""

from __future__ import annotations

from typing import Any

import numpy as np
from wilddeck import agents
from wilddeck.agents.base import Agent, View
from wilddeck.agents.views import Views


class First(Agent):
    """The first legal action, match by match."""

    name = "first"
    asked = 0  # of all that were made

    def act(self, view: View, rng: np.random.Generator) -> int:
        First.asked += 1
        return int(view.legal_actions[0])


class FirstOfBatch(Agent):
    """The same by the batch."""

    name = "first of a batch"

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return views.action_mask.argmax(axis=1)


class LastOfBatch(Agent):
    """The last legal action."""

    name = "last of a batch"

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return views.action_mask.shape[1] - 1 - views.action_mask[:, ::-1].argmax(axis=1)


class Careless(Agent):
    """Answers what is not legal in its games as the second team, else the first action."""

    name = "careless"
    seat = 0

    def begin(self, game: Any, options: Any, seat: int, seed: int) -> None:
        self.seat = seat

    def act(self, view: View, rng: np.random.Generator) -> int:
        return -1 if self.seat == 1 else int(view.legal_actions[0])


class BadBatch(Agent):
    name = "bad batch"

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        raise ZeroDivisionError("a bug")


class Illegal(BadBatch):
    name = "illegal"

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return np.full(len(views.action_mask), -1)


class Interrupted(First):
    """Ctrl-C at its decision number `stop_at`."""

    stop_at = 10**9

    def act(self, view: View, rng: np.random.Generator) -> int:
        if First.asked >= Interrupted.stop_at:
            import os
            import signal

            os.kill(os.getpid(), signal.SIGINT)
        return super().act(view, rng)


def first(game: Any, options: Any) -> Agent:
    return First()


def first_of_batch(game: Any, options: Any) -> Agent:
    return FirstOfBatch()


def last_of_batch(game: Any, options: Any) -> Agent:
    return LastOfBatch()


def careless(game: Any, options: Any) -> Agent:
    return Careless()


def bad_batch(game: Any, options: Any) -> Agent:
    return BadBatch()


def illegal(game: Any, options: Any) -> Agent:
    return Illegal()


def interrupted(game: Any, options: Any) -> Agent:
    return Interrupted()


def the_rules(game: Any, options: Any) -> Agent:
    return agents.make("rules", game, options)


def only_for_three(game: Any, options: Any) -> Agent:
    if options.num_players != 3:
        raise ValueError(f"cannot play {game.id} for {options.num_players}")
    return First()


def nothing(game: Any, options: Any) -> None:
    return None


def fails(game: Any, options: Any) -> Agent:
    raise KeyError("weights")
