"""The agents' opinions of decisions: at a table, and of all decisions of a replay."""

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

Given = Mapping[str, str | Agent]  # agents given with `-a`
_SEARCH = "mc:rollouts=400,policy={}"
_SILENT = ("cmd", "llm")  # these report only their action, and asking them costs time or money
_WORTH = 0.01  # minimal probability of a reported action
_UNLIKELY, _LIKELY = 0.05, 0.6  # probabilities: maximum of the played action, minimum of another
_SURE = 3.0  # standard errors by which another action is better


def judges(game: Game, options: Options, given: Given) -> list[str]:
    """The agents that can evaluate a game: its own, those given, and searches whose playouts use the rules or given
    networks."""
    names = ["trained", "rules", *(name for name in given if agents.kind_of(name) not in _SILENT)]
    nets = [name for name in given if agents.kind_of(name) in WEIGHTS]
    names += [_SEARCH.format(policy) for policy in (stand_in(game), *nets)]
    return [name for name in names if is_made(given.get(name, name), game, options)]


@contextlib.contextmanager
def _asked(name: str, game: Game, options: Options, given: Given) -> Iterator[Agent]:
    """The agent with a name, from the current version of its file, ready for any seat."""
    agent = agents.make(given.get(name, name), game, options)
    try:
        for seat in range(options.num_players):
            agent.begin(game, options, seat, fresh_seed())
        yield agent
    finally:
        agent.close()


@dataclass(frozen=True)
class Question:
    """A decision for agents to evaluate while the game continues: a copy in which everything hidden from its seat is
    resampled."""

    env: CardGameEnv
    given: Given

    @classmethod
    def of(cls, env: CardGameEnv, given: Given) -> Question:
        """The decision of the player to move."""
        return cls(env.determinize(env.possible_agents[env.current_player], fresh_seed()), given)

    def answer(self) -> list[dict[str, Any]]:
        """The evaluation of each agent that knows the game: `agent`, its `value` if it has one, and `actions`, best first, each
        with its label and the available entries of `probability`, `value` (the expected return), `error` and `tries`. If an
        agent fails, `failure` has the reason."""
        view = View.of(self.env)
        return [self._of(name, view) for name in judges(view.game, view.options, self.given)]

    def _of(self, name: str, view: View) -> dict[str, Any]:
        try:
            with _asked(name, view.game, view.options, self.given) as agent:
                return {"agent": name, **_told(agent.thoughts(view, np.random.default_rng()), view)}
        except Exception as error:  # of any agent; the others are still asked
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
    """The action that an agent prefers to the one played, and how much better it is by its values or probabilities; None if it
    is not clearly better."""
    probs, worths, errors = thoughts.probs, thoughts.worths, thoughts.errors
    played = np.flatnonzero(thoughts.actions == action)
    if worths is not None:
        tries = np.ones(len(worths)) if thoughts.tries is None else thoughts.tries
        best = int(np.where(tries == tries.max(), worths, -np.inf).argmax())
        if not len(played):
            return None
        noise = 0.0 if errors is None else float(np.hypot(errors[best], errors[played[0]]))
        loss = float(worths[best] - worths[played[0]])
        far = loss > _SURE * noise  # nan for actions tried only once
    elif probs is not None:
        best, share = int(probs.argmax()), float(probs[played].sum())
        loss = float(probs[best]) - share
        far = share < _UNLIKELY and probs[best] > _LIKELY
    else:
        return None
    return (int(thoughts.actions[best]), loss) if far else None


def judge(episode: Episode, name: str, given: Given) -> Iterator[dict[str, Any]]:
    """An agent's evaluation of a finished game, yielded as the same object, which grows with each move: the `values` of
    decisions for their players; the `marks`, moves for which the agent has a clearly better action, with the difference
    (`loss`); and the number of `moves` seen.

    Raises:
        AgentError, ValueError, OSError: the agent does not exist, or it failed.
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
