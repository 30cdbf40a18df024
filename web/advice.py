"""What agents think of decisions: at a table, and of all the decisions of a replay."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import agents
from ..agents.base import Agent, View
from ..agents.thoughts import Thoughts
from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import fresh_seed
from ..envs.core.game import Game, Options
from ..league.episode import Episode
from .players import WEIGHTS, is_made, stand_in

Given = Mapping[str, str | Agent]  # what the server was given with `-a`
_SEARCH = "mc:rollouts=400,policy={}"
_SILENT = ("cmd", "llm")  # they say no more than what they would play, and what they are asked costs time or money
_WORTH = 0.01  # probability from which an action is told
_UNLIKELY, _LIKELY = 0.05, 0.6  # probabilities: what was played has less, something else more
_SURE = 3.0  # standard errors by which something else is better


def judges(game: Game, options: Options, given: Given) -> list[str]:
    """The agents that can be asked what they think of a game: its own, those given, and searches whose playouts the rules play,
    or networks that were given."""
    names = ["trained", "rules", *(name for name in given if agents.kind_of(name) not in _SILENT)]
    nets = [name for name in given if agents.kind_of(name) in WEIGHTS]
    names += [_SEARCH.format(policy) for policy in (stand_in(game), *nets)]
    return [name for name in names if is_made(given.get(name, name), game, options)]


@contextlib.contextmanager
def _asked(name: str, game: Game, options: Options, given: Given) -> Iterator[Agent]:
    """The agent of a name, of a file as it is now, ready to be asked at any seat."""
    agent = agents.make(given.get(name, name), game, options)
    try:
        for seat in range(options.num_players):
            agent.begin(game, options, seat, fresh_seed())
        yield agent
    finally:
        agent.close()


@dataclass(frozen=True)
class Question:
    """A decision, for agents to look at while the game may go on: a copy in which all that its seat cannot know is redrawn."""

    env: CardGameEnv
    given: Given

    @classmethod
    def of(cls, env: CardGameEnv, given: Given) -> Question:
        """The decision of the player to move."""
        return cls(env.determinize(env.possible_agents[env.current_player], fresh_seed()), given)

    def answer(self) -> list[dict[str, Any]]:
        """What each agent that knows the game thinks: `agent`, its `value` if it has one, and `actions`, best first, each with
        its label and what it says of it: `probability`; `value` (the return it expects), `error` and `tries`. Of one that
        fails `failure` tells why."""
        view = View.of(self.env)
        return [self._of(name, view) for name in judges(view.game, view.options, self.given)]

    def _of(self, name: str, view: View) -> dict[str, Any]:
        try:
            with _asked(name, view.game, view.options, self.given) as agent:
                return {"agent": name, **_told(agent.thoughts(view, np.random.default_rng()), view)}
        except Exception as error:  # of an agent of any kind; the others are asked
            return {"agent": name, "actions": [], "failure": str(error)[:200]}


def _told(thoughts: Thoughts, view: View) -> dict[str, Any]:
    columns = {
        "probability": thoughts.probs, "value": thoughts.worths, "error": thoughts.errors, "tries": thoughts.tries
    }  # fmt: skip
    said = {name: column for name, column in columns.items() if column is not None}
    first = thoughts.probs if thoughts.worths is None else thoughts.worths
    assert first is not None
    order = [k for k in np.argsort(-first, kind="stable").tolist() if thoughts.probs is None or thoughts.probs[k] >= _WORTH]
    actions = []
    for k in order:
        action = int(thoughts.actions[k])
        numbers = {name: round(float(column[k]), 4) for name, column in said.items() if np.isfinite(column[k])}
        actions.append({"action": action, "label": view.label(action), **numbers})
    return {"actions": actions} | ({} if thoughts.value is None else {"value": round(thoughts.value, 4)})


def better(thoughts: Thoughts, action: int) -> tuple[int, float] | None:
    """What an agent would have played rather than an action, and how much better that is by its worths, or its probabilities;
    None where it is not better by far."""
    probs, worths, errors = thoughts.probs, thoughts.worths, thoughts.errors
    played = np.flatnonzero(thoughts.actions == action)
    if worths is not None:
        tries = np.ones(len(worths)) if thoughts.tries is None else thoughts.tries
        best = int(np.where(tries == tries.max(), worths, -np.inf).argmax())
        if not len(played):
            return None
        noise = 0.0 if errors is None else float(np.hypot(errors[best], errors[played[0]]))
        loss = float(worths[best] - worths[played[0]])
        far = loss > _SURE * noise  # which is nan of what was tried once
    elif probs is not None:
        best, share = int(probs.argmax()), float(probs[played].sum())
        loss = float(probs[best]) - share
        far = share < _UNLIKELY and probs[best] > _LIKELY
    else:
        return None
    return (int(thoughts.actions[best]), loss) if far else None


def judge(episode: Episode, name: str, given: Given) -> Iterator[dict[str, Any]]:
    """What an agent thinks of a game that is over, the same object each time, growing from move to move: the `values` of its
    decisions, for who makes them; the `marks`, moves in whose place it would have played something better by far, by how much
    (`loss`); and how many `moves` it has seen.

    Raises:
        AgentError, ValueError, OSError: there is no such agent, or it failed.
    """
    env, rng = episode.env(), np.random.default_rng(0)
    found: dict[str, Any] = {"agent": name, "values": [], "marks": [], "moves": 0}
    yield found
    with _asked(name, episode.game, episode.options, given) as agent:
        for move in episode.moves:
            view = View.of(env)
            thoughts = agent.thoughts(view, rng)
            if thoughts.value is not None:
                found["values"].append({"n": move.number, "seat": move.seat, "value": round(thoughts.value, 4)})
            rather = better(thoughts, move.action)
            if rather is not None:
                label, loss = view.label(rather[0]), round(rather[1], 4)
                found["marks"].append({"n": move.number, "better": label, "agent": name, "loss": loss})
            env.step(move.action)
            found["moves"] = move.number + 1
            yield found
