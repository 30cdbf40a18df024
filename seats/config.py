"""The parameters of single-seat environments besides the game's options, and their spaces."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from gymnasium import spaces

from ..agents import make
from ..agents.base import Agent
from ..envs.core.game import Game, Options
from ..envs.core.tokens import MAX_HISTORY


@dataclass(frozen=True)
class SeatConfig:
    """Parameters of a single-seat environment.

    Attributes:
        seat: "random" (drawn for each game), "rotate" (the next seat with each game; with many games, row i starts with seat i)
            or a seat 0..num_players-1.
        mask: where to put the action mask: "info", or "observation"; observations are then a `Dict` of "observation" (float32
            [D]) and "action_mask" (int8 [A]).
        illegal: the effect of an illegal action: "raise": an error, the game is unchanged; "penalty": the game ends with a
            reward that makes the seat's return the game's minimum.
        history: the number K of last history tokens of the learner's seat in the infos: "history" (int32 [K, 6], see
            `wilddeck.envs.core.tokens`), and "history_length" (int64), the number of tokens of this game so far. 0: none. After
            the end of a game they are zeros.
        trust: load opponents from files that can run code (`.zip`).
        sandbox: run bots (`cmd:`) in a sandbox.
    """

    seat: str | int = "random"
    mask: str = "info"
    illegal: str = "raise"
    history: int = 0
    trust: bool = False
    sandbox: bool = False

    @classmethod
    def split(
        cls, parameters: Mapping[str, Any], without: Collection[str] = (), **own: Any
    ) -> tuple[SeatConfig, dict[str, Any]]:
        """Split an environment's parameters into a `SeatConfig` and the options of the game.

        Args:
            parameters: both, by name.
            without: fields of `SeatConfig` that this environment does not have.
            own: fields given separately.
        """
        names = {field.name for field in fields(cls)} - {*without, *own} & parameters.keys()
        rest = {name: value for name, value in parameters.items() if name not in names}
        return cls(**own, **{name: parameters[name] for name in names}), rest

    def check(self, num_players: int) -> None:
        """Raise ValueError if a parameter is not allowed."""
        for name, allowed in (
            ("seat", ("random", "rotate", *range(num_players))),
            ("mask", ("info", "observation")),
            ("illegal", ("raise", "penalty")),
        ):
            value = getattr(self, name)
            if value not in allowed or isinstance(value, bool):
                named = f"random, rotate, or a seat 0..{num_players - 1}" if name == "seat" else ", ".join(map(str, allowed))
                raise ValueError(f"{name}={value!r} is not allowed; allowed: {named}")
        if type(self.history) is not int or not 0 <= self.history <= MAX_HISTORY:
            raise ValueError(f"history={self.history!r} is not allowed; allowed: a whole number from 0 to {MAX_HISTORY}")


class SeatSpaces:
    """The observation space and action space of a single-seat environment.

    Raises:
        ValueError: a parameter is not allowed.
    """

    def __init__(self, game: Game, options: Options, config: SeatConfig) -> None:
        config.check(options.num_players)
        size = game.num_actions(options)
        self._in_observation = config.mask == "observation"
        self.action = spaces.Discrete(size)
        self.observation: spaces.Space[Any] = spaces.Box(*game.observation_bounds(options), dtype=np.float32)
        if self._in_observation:
            masks = spaces.Box(0, 1, (size,), np.int8)
            self.observation = spaces.Dict({"observation": self.observation, "action_mask": masks})

    def entry(self, observation: np.ndarray, action_mask: np.ndarray) -> Any:
        """An element of the observation space."""
        return {"observation": observation, "action_mask": action_mask} if self._in_observation else observation


def seated_opponents(
    opponents: str | Agent | Sequence[str | Agent], game: Game, options: Options, config: SeatConfig
) -> list[Agent]:
    """The agents of the other seats, clockwise from the learner's. Equal agent strings share one agent.

    Raises:
        ValueError: an agent is unknown, or their number is wrong.
    """
    n = options.num_players
    specs = [opponents] * (n - 1) if isinstance(opponents, (str, Agent)) else list(opponents)
    if len(specs) != n - 1:
        raise ValueError(f"opponents must be one agent or a list of {n - 1} for {n} players, not {len(specs)}")
    rights = {"trust": config.trust, "sandbox": config.sandbox}
    named = dict.fromkeys(spec for spec in specs if not isinstance(spec, Agent))
    agents = {spec: make(spec, game, options, **rights) for spec in named}
    return [spec if isinstance(spec, Agent) else agents[spec] for spec in specs]
