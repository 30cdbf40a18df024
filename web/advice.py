"""What agents would do at a decision: the trained agent's probabilities, a search's values and errors, the rules' choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import agents
from ..agents.base import View
from ..agents.learned import LearnedAgent
from ..agents.search import SearchAgent
from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import fresh_seed

PLAYOUTS = 600  # of a search, in all
MOST = 40  # actions that it tries; of more, those that other agents would play and some drawn at random
_WORTH = 0.01  # probability from which an action is told


def chances(agent: LearnedAgent, view: View) -> np.ndarray:
    """The probability that a network gives each action, float64 [A], 0 where not legal."""
    shares = np.zeros(len(view.action_mask))
    shares[view.legal_actions] = agent.action_probs(view.observation, view.action_mask)
    return shares


@dataclass(frozen=True)
class Question:
    """A decision, for agents to look at while the game may go on: a copy in which all that its seat cannot know is redrawn."""

    env: CardGameEnv

    @classmethod
    def of(cls, env: CardGameEnv) -> Question:
        """The decision of the player to move."""
        return cls(env.determinize(env.possible_agents[env.current_player], fresh_seed()))

    def answer(self) -> list[dict[str, Any]]:
        """What each agent that knows the game would do, best first: `agent` and `actions`, each with its label and either
        `probability`, or `value` (the mean return) and `error` (its standard error)."""
        view, rng = View.of(self.env), np.random.default_rng()
        answers = [answer for answer in (self._trained(view), self._rules(view, rng)) if answer is not None]
        likely = [action["action"] for answer in answers for action in answer["actions"][:5]]
        return [*answers, self._search(view, likely, rng)]

    def _trained(self, view: View) -> dict[str, Any] | None:
        try:
            agent = agents.make("trained", view.game, view.options)
        except ValueError:
            return None
        if not isinstance(agent, LearnedAgent):
            return None
        shares = chances(agent, view)
        order = [k for k in np.argsort(-shares, kind="stable").tolist() if shares[k] >= _WORTH]
        actions = [self._action(view, k, probability=round(float(shares[k]), 4)) for k in order]
        return {"agent": "trained", "actions": actions}

    def _rules(self, view: View, rng: np.random.Generator) -> dict[str, Any] | None:
        try:
            agent = agents.make("rules", view.game, view.options)
        except ValueError:
            return None
        return {"agent": "rules", "actions": [self._action(view, agent.act(view, rng), probability=1.0)]}

    def _search(self, view: View, likely: list[int], rng: np.random.Generator) -> dict[str, Any]:
        policy = "rules" if agents.rules.policies(view.game) else "random"
        legal = view.legal_actions
        if len(legal) > MOST:
            kept = np.unique(likely)
            others = rng.choice(np.setdiff1d(legal, kept), MOST - len(kept), replace=False)
            legal = np.sort(np.concatenate([kept, others]))
        determinizations = max(2, PLAYOUTS // len(legal))
        search = SearchAgent(view.game, view.options, rollouts=PLAYOUTS, policy=policy)
        returns = search.playouts(view, legal, determinizations, int(rng.integers(2**63)))
        mean, error = returns.mean(axis=1), returns.std(axis=1, ddof=1) / determinizations**0.5
        order = np.argsort(-mean, kind="stable").tolist()
        actions = [self._action(view, legal[k], value=round(mean[k], 4), error=round(error[k], 4)) for k in order]
        return {"agent": f"search, {determinizations} playouts each by {policy}", "actions": actions}

    @staticmethod
    def _action(view: View, action: Any, **values: float) -> dict[str, Any]:
        return {"action": int(action), "label": view.label(int(action)), **values}
