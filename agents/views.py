"""Batched views for agents, and agents' memory of the games."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..envs.core.batch import Batch
from ..envs.core.tokens import TOKEN, last_tokens


class Player(Protocol):
    """The required part of an agent's interface."""

    history: int


class Memory:
    """An agent's memory of a batch of games, for each seat of each row's current game.

    Attributes:
        asked: int64 [N, P], the number of the row's game in which the agent last decided for this seat; -1: none yet.
        arrays: the remembered arrays by name, [N, P, ...].
    """

    def __init__(self, num_games: int, num_players: int) -> None:
        self.asked = np.full((num_games, num_players), -1)
        self.arrays: dict[str, np.ndarray] = {}

    def ask(self, rows: np.ndarray, seats: np.ndarray, games: np.ndarray) -> np.ndarray:
        """Record that the agent decides now; bool [M], True for its first decision in this game."""
        first = self.asked[rows, seats] != games
        self.asked[rows, seats] = games
        return first


@dataclass(frozen=True)
class Views:
    """An agent's view of M games in which it is to move.

    Attributes:
        observation: float32 [M, D], of the seat to move.
        action_mask: uint8 [M, A], 1 where legal.
        rows: int64 [M], the game's row in its batch. Each row plays one game after another.
        seats: int64 [M], the seat to move.
        games: int64 [M], the number of games that the row has finished.
        resets: bool [M], True for the agent's first decision for this seat in this game.
        history: int32 [M, K, 6], the last K tokens of the seat's events, oldest first, padded with zeros at the end
            (`envs/core/tokens.py`), for agents with `history = K`.
        history_length: int64 [M], the number of tokens since the game began, possibly more than K.
        memory: the agent's memory of these games; see `recall`.
    """

    observation: np.ndarray
    action_mask: np.ndarray
    rows: np.ndarray
    seats: np.ndarray
    games: np.ndarray
    resets: np.ndarray
    history: np.ndarray
    history_length: np.ndarray
    memory: Memory = field(default_factory=lambda: Memory(0, 0), repr=False)

    @classmethod
    def of(cls, observation: np.ndarray, action_mask: np.ndarray) -> Views:
        """Views of single positions, float32 [M, D] and uint8 [M, A], each as a new game without history."""
        count = len(observation)
        rows, none = np.arange(count), np.zeros(count, np.int64)
        tokens = np.zeros((count, 0, len(TOKEN)), np.int32)
        resets = np.ones(count, np.bool_)
        return cls(observation, action_mask, rows, none, none, resets, tokens, none, Memory(count, 1))

    def __len__(self) -> int:
        return len(self.observation)

    def recall(self, name: str, shape: tuple[int, ...] = (), dtype: Any = np.float32) -> np.ndarray:
        """The array that the agent stored under this name at each seat's previous decision: a new array [M, *shape].

        Zeros at a seat's first decision in a game, and after a game was copied or a move taken back.
        """
        of_all = self.memory.arrays.get(name)
        if of_all is None:
            of_all = self.memory.arrays[name] = np.zeros((*self.memory.asked.shape, *shape), dtype)
        values = of_all[self.rows, self.seats]
        values[self.resets] = 0
        return values

    def remember(self, name: str, values: np.ndarray) -> None:
        """Store values, [M, ...], for `recall` at these seats' next decisions, in the shape and dtype recalled before."""
        if name not in self.memory.arrays:
            self.recall(name, np.shape(values)[1:], np.asarray(values).dtype)
        self.memory.arrays[name][self.rows, self.seats] = values


class BatchViews:
    """Makes the views that agents get of a batch.

    Attributes:
        games: int64 [N], the number of games that each row has finished; the caller must update it.
    """

    def __init__(self, batch: Batch) -> None:
        self.batch, self.games = batch, np.zeros(len(batch), np.int64)
        self._memories: dict[int, tuple[Player, Memory]] = {}  # agents may be unhashable

    def views(self, agent: Player, rows: np.ndarray) -> Views:
        """The agent's views of these rows (int64 [M]), in which it is to move."""
        batch = self.batch
        _, memory = self._memories.setdefault(id(agent), (agent, Memory(len(batch), batch.num_players)))
        seats, games = batch.current_player[rows], self.games[rows]
        shown = batch.observation[rows], batch.action_mask[rows]
        history = last_tokens(batch.history, batch.history_length, rows, agent.history)
        return Views(*shown, rows, seats, games, memory.ask(rows, seats, games), *history, memory)

    def keep(self, agents: Iterable[Player]) -> None:
        """Drop the memories of all other agents."""
        known = {id(agent) for agent in agents}
        self._memories = {key: value for key, value in self._memories.items() if key in known}


def most_history(agents: Iterable[Player]) -> int:
    """The number of history tokens that a batch must keep for these agents."""
    return max((agent.history for agent in agents), default=0)
