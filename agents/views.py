"""What agents are asked by the batch, and what they remember of the games in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..envs.core.batch import Batch
from ..envs.core.tokens import TOKEN, last_tokens


class Player(Protocol):
    """An agent, as far as it is asked here."""

    history: int


class Memory:
    """What an agent remembers of games that are played together: of each seat of each row in its present game.

    Attributes:
        asked: int64 [N, P], the row's game in which the agent was asked for this seat last, -1: none yet.
        arrays: by their names, [N, P, ...].
    """

    def __init__(self, num_games: int, num_players: int) -> None:
        self.asked = np.full((num_games, num_players), -1)
        self.arrays: dict[str, np.ndarray] = {}

    def ask(self, rows: np.ndarray, seats: np.ndarray, games: np.ndarray) -> np.ndarray:
        """The agent is asked now; bool [M], True where for the first time in this game."""
        first = self.asked[rows, seats] != games
        self.asked[rows, seats] = games
        return first


@dataclass(frozen=True)
class Views:
    """What M games that wait for an agent show it, an entry each.

    Attributes:
        observation: float32 [M, D], each from the seat to move.
        action_mask: uint8 [M, A], 1 where legal.
        rows: int64 [M], which of the games that are played together it is. In a row one game follows another.
        seats: int64 [M], the seat to move.
        games: int64 [M], how many games the row has finished.
        resets: bool [M], True where the agent is asked for the first time for this seat in this game.
        history: int32 [M, K, 6], the last K tokens of what each seat has perceived, the first first, zeros behind them
            (`envs/core/tokens.py`). They are given to agents that ask for them by `history = K`.
        history_length: int64 [M], how many tokens there are since the game began.
        memory: of this agent in these games; see `recall`.
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
        """Positions on their own, float32 [M, D] and uint8 [M, A]: a game each that has just begun, without histories."""
        count = len(observation)
        rows, none = np.arange(count), np.zeros(count, np.int64)
        tokens = np.zeros((count, 0, len(TOKEN)), np.int32)
        resets = np.ones(count, np.bool_)
        return cls(observation, action_mask, rows, none, none, resets, tokens, none, Memory(count, 1))

    def __len__(self) -> int:
        return len(self.observation)

    def recall(self, name: str, shape: tuple[int, ...] = (), dtype: Any = np.float32) -> np.ndarray:
        """What the agent has remembered under this name at each seat's last decision: [M, *shape], fresh.

        Zeros at the first decision of a seat in its game; and where a game was copied or taken back, since copies forget.
        """
        of_all = self.memory.arrays.get(name)
        if of_all is None:
            of_all = self.memory.arrays[name] = np.zeros((*self.memory.asked.shape, *shape), dtype)
        values = of_all[self.rows, self.seats]
        values[self.resets] = 0
        return values

    def remember(self, name: str, values: np.ndarray) -> None:
        """Keep what `recall` gives at these seats' next decisions: [M, ...], of the shape and dtype that were recalled."""
        if name not in self.memory.arrays:
            self.recall(name, np.shape(values)[1:], np.asarray(values).dtype)
        self.memory.arrays[name][self.rows, self.seats] = values


class BatchViews:
    """The games of a batch as agents are asked about them.

    Attributes:
        games: int64 [N], how many games each row has finished; whoever plays them counts.
    """

    def __init__(self, batch: Batch) -> None:
        self.batch, self.games = batch, np.zeros(len(batch), np.int64)
        self._memories: dict[int, tuple[Player, Memory]] = {}  # an agent need not be hashable

    def views(self, agent: Player, rows: np.ndarray) -> Views:
        """What these rows (int64 [M]), in which it is the agent's turn, show it."""
        batch = self.batch
        _, memory = self._memories.setdefault(id(agent), (agent, Memory(len(batch), batch.num_players)))
        seats, games = batch.current_player[rows], self.games[rows]
        shown = batch.observation[rows], batch.action_mask[rows]
        history = last_tokens(batch.history, batch.history_length, rows, agent.history)
        return Views(*shown, rows, seats, games, memory.ask(rows, seats, games), *history, memory)

    def keep(self, agents: Iterable[Player]) -> None:
        """Forget all other agents."""
        known = {id(agent) for agent in agents}
        self._memories = {key: value for key, value in self._memories.items() if key in known}


def most_history(agents: Iterable[Player]) -> int:
    """How many tokens of history a batch must keep for these agents."""
    return max((agent.history for agent in agents), default=0)
