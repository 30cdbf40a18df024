"""The protocol of agents: what an agent is asked, and what it may see when it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..envs.core.batch import game_drivers, row_seeds
from ..envs.core.game import Game, Options, as_record, as_records
from ..envs.core.kernel import bind

PolicyKernel = Callable[[np.ndarray, np.ndarray, int, np.uint64], int]


class View:
    """What the player to move may see. Nothing in it tells more than that seat knows.

    Attributes:
        game, options: what is played.
        seat: the seat that is asked.
        observation: float32 [D], see the game's layout.
        action_mask: uint8 [A], 1 where legal.
    """

    def __init__(self, game: Game, options: Options, states: np.ndarray, observation: np.ndarray, mask: np.ndarray) -> None:
        self.game, self.options = game, options
        self.observation, self.action_mask = observation, mask
        self.seat = int(states["current_player"][0])

        # Closures, so that an agent is handed answers about its own seat and not the record.
        def sample(count: int, seed: int) -> np.ndarray:
            drawn = as_records(np.repeat(states, count))
            game_drivers(game)["determinize_games"](drawn, self.seat, row_seeds(seed, count))
            return drawn.view(np.ndarray)

        self._sample = sample
        self._label = lambda action: game.label(as_record(states), action)

    @property
    def legal_actions(self) -> np.ndarray:
        """int64, ascending."""
        return np.flatnonzero(self.action_mask)

    def label(self, action: int) -> str:
        """The text of a legal action."""
        if not self.action_mask[action]:
            raise ValueError(f"action {action} is not legal; legal: {self.legal_actions[:8].tolist()}")
        return self._label(action)

    def sample(self, count: int, seed: int) -> np.ndarray:
        """`count` complete games (records) drawn at random among those the seat cannot tell from the true one.

        Equal knowledge and equal seeds give equal samples; the coming chance is drawn anew in each.
        """
        return self._sample(count, seed)


class Agent:
    """A player of a game. Subclasses implement `act`, and `act_batch` where many decisions can be made at once.

    An agent keeps nothing from game to game and takes its randomness from `rng` only, so a match can be replayed.
    """

    name = "agent"

    def begin(self, game: Game, options: Options, seat: int, seed: int) -> None:
        """Called when a game begins; for agents that must prepare. The default does nothing."""

    def act(self, view: View, rng: np.random.Generator) -> int:
        """A legal action for the player to move."""
        raise NotImplementedError

    def act_batch(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Legal actions (int64 [M]) for M games that wait for this agent.

        Args:
            observation: float32 [M, D], each from the seat to move.
            action_mask: uint8 [M, A].
            rng: the source of all randomness.

        Raises:
            NotImplementedError: this agent needs more than observations (a search agent, say) and plays one game at a time.
        """
        raise NotImplementedError(f"{self.name} plays one game at a time")

    def close(self) -> None:
        """Release what the agent holds (a process, say)."""


def _policy_actions(observation, mask, num_players, noise, actions):  # type: ignore[no-untyped-def]
    for i in range(observation.shape[0]):
        actions[i] = policy(observation[i], mask[i], num_players, noise[i])  # noqa: F821 - bound to the agent's kernel


class PolicyAgent(Agent):
    """An agent that is a compiled policy over the observation: `policy(observation, mask, num_players, noise) -> action`.

    Such an agent plays single games, batches and rollouts inside compiled code (`batch.rollout(steps, policy=agent.policy)`).
    """

    def __init__(self, name: str, policy: PolicyKernel, num_players: int) -> None:
        self.name, self.policy, self.num_players = name, policy, num_players
        owner = f"{getattr(policy, '__module__', '').rpartition('.')[2]}.{getattr(policy, '__name__', name)}"
        self._actions: Any = bind({"actions": _policy_actions}, {"policy": policy}, owner)["actions"]

    def act(self, view: View, rng: np.random.Generator) -> int:
        return int(self.act_batch(view.observation[None], view.action_mask[None], rng)[0])

    def act_batch(self, observation: np.ndarray, action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        actions = np.empty(len(observation), np.int64)
        noise = rng.integers(0, 2**64, len(observation), np.uint64)
        self._actions(observation, action_mask, self.num_players, noise, actions)
        return actions
