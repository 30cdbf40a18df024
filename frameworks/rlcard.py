"""Games for RLCard agents (DQN, NFSP and your own), and RLCard agents for this suite.

    from wilddeck.frameworks.rlcard import RLCardEnv, Played

    env = RLCardEnv("tennis_v0", num_players=2, seed=1)
    env.set_agents([dqn, RandomAgent(num_actions=env.num_actions)])
    trajectories, payoffs = env.run(is_training=True)  # reorganize(trajectories, payoffs) and feed, as with RLCard's own

    evaluate(Played(dqn), ...)  # of wilddeck.training.evaluate; also wherever wilddeck takes an agent

Only the agents need rlcard.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import envs
from ..agents.base import Agent
from ..agents.views import Views
from ..envs.core.aec import CardGameEnv
from ..envs.core.game import Game


def state_of(observation: np.ndarray, action_mask: np.ndarray) -> dict[str, Any]:
    """The state that RLCard agents get: `obs`, `legal_actions` by number, and the raw form of both."""
    legal = np.flatnonzero(action_mask).tolist()
    return {
        "obs": observation,
        "legal_actions": OrderedDict.fromkeys(legal),
        "raw_obs": observation,
        "raw_legal_actions": legal,
        "action_record": [],
    }


class RLCardEnv:
    """A game with the interface of RLCard's environments, for training RLCard agents.

    Attributes: `num_players`, `num_actions`, `state_shape` (one list per player), `agents`, `timestep`.

    Args:
        game: a game or its id.
        seed: seeds this game and those that follow.
        options: options of the game.
    """

    def __init__(self, game: Game | str, seed: int | None = None, **options: Any) -> None:
        chosen, checked = envs.resolve(game, options)
        self.raw_env = CardGameEnv(chosen, checked)
        self.num_players, self.num_actions = checked.num_players, chosen.num_actions(checked)
        self.state_shape = [[chosen.observation_size(checked)]] * self.num_players
        self.action_shape: list[Any] = [None] * self.num_players
        self.agents: list[Any] = []
        self.timestep = 0
        self.seed(seed)

    def seed(self, seed: int | None = None) -> None:
        """Seed the next game."""
        self._seed = seed

    def set_agents(self, agents: Sequence[Any]) -> None:
        """Set one agent per seat; one agent may have several seats.

        Raises:
            ValueError: the number of agents is wrong.
        """
        if len(agents) != self.num_players:
            raise ValueError(f"{self.num_players} players need as many agents, not {len(agents)}")
        self.agents = list(agents)

    def reset(self) -> tuple[dict[str, Any], int]:
        """Begin the next game; returns the state of the player to move, and their seat."""
        self.raw_env.reset(seed=self._seed)
        self._seed = None
        self._payoffs = np.zeros(self.num_players)
        player = self.get_player_id()
        return self.get_state(player), player

    def step(self, action: int, raw_action: bool = False) -> tuple[dict[str, Any], int]:
        """Play an action; returns as `reset` does. An illegal action raises an error."""
        self.timestep += 1
        self.raw_env.step(int(action))
        self._payoffs += list(self.raw_env.rewards.values())
        player = self.get_player_id()
        return self.get_state(player), player

    def run(self, is_training: bool = False) -> tuple[list[list[Any]], np.ndarray]:
        """Play a game between the agents: each seat's trajectory (states and actions, then the final state), and the payoffs.

        Seats without a decision have only the final state.
        """
        trajectories: list[list[Any]] = [[] for _ in range(self.num_players)]
        state, player = self.reset()
        while not self.is_over():
            agent = self.agents[player]
            action = agent.step(state) if is_training else agent.eval_step(state)[0]
            trajectories[player] += [state, action]
            state, player = self.step(action)
        for seat, trajectory in enumerate(trajectories):
            trajectory.append(self.get_state(seat))
        return trajectories, self.get_payoffs()

    def is_over(self) -> bool:
        """Whether the game has ended."""
        return any(self.raw_env.terminations.values()) or any(self.raw_env.truncations.values())

    def get_player_id(self) -> int:
        """The seat to move."""
        return self.raw_env.current_player

    def get_state(self, player_id: int) -> dict[str, Any]:
        """The state of a seat; only the player to move has legal actions."""
        seen = self.raw_env.observe(self.raw_env.possible_agents[player_id])
        return state_of(seen["observation"], seen["action_mask"])

    def get_payoffs(self) -> np.ndarray:
        """float64 [P]: the returns of the seats."""
        return self._payoffs.copy()


class Played(Agent):
    """An RLCard agent as a wilddeck agent, for evaluations, leagues and as an opponent; it plays by `eval_step`.

    It uses RLCard's own random generators, so its games cannot be reproduced by a seed.
    """

    def __init__(self, agent: Any, name: str = "rlcard") -> None:
        self._agent, self.name = agent, name

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        states = (state_of(*row) for row in zip(views.observation, views.action_mask, strict=True))
        return np.array([self._agent.eval_step(state)[0] for state in states], np.int64)
