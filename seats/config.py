"""How a learner sits at a table: what environments of one seat take beside a game's options, and what they show."""

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
    """Parameters of an environment of one seat.

    Attributes:
        seat: "random" (drawn for each game), "rotate" (the next seat with each game; of many games row i begins with seat i) or
            a seat 0..num_players-1.
        mask: where the mask is shown: "info", or "observation", which is a `Dict` of "observation" (float32 [D]) and
            "action_mask" (int8 [A]) then.
        illegal: what an illegal action does: "raise" an error and change nothing; "penalty": end the game, with a reward that
            makes the seat's return the least that the game can pay.
        history: how many tokens of what the learner's seat has perceived are shown in the infos, the last ones: "history"
            (int32 [K, 6], see `wilddeck.envs.core.tokens`), and "history_length" (int64), how many there are of this game. 0:
            neither. Of a game that is over they are zeros.
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
        """Those of an environment's parameters, and the rest, which are options of the game.

        Args:
            without: those that this environment does not have.
            own: those that are named already.
        """
        names = {field.name for field in fields(cls)} - {*without, *own} & parameters.keys()
        rest = {name: value for name, value in parameters.items() if name not in names}
        return cls(**own, **{name: parameters[name] for name in names}), rest

    def check(self, num_players: int) -> None:
        """Refuse what is not allowed (ValueError)."""
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
    """What a seat's environment shows and takes: the spaces of one game.

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
        """An observation as the space has it."""
        return {"observation": observation, "action_mask": action_mask} if self._in_observation else observation


def seated_opponents(
    opponents: str | Agent | Sequence[str | Agent], game: Game, options: Options, config: SeatConfig
) -> list[Agent]:
    """An agent for each other seat, clockwise from the learner's; equal specs are one agent, and objects they themselves.

    Raises:
        ValueError: an unknown agent, or not one a seat.
    """
    n = options.num_players
    specs = [opponents] * (n - 1) if isinstance(opponents, (str, Agent)) else list(opponents)
    if len(specs) != n - 1:
        raise ValueError(f"opponents must be one agent or a list of {n - 1} for {n} players, not {len(specs)}")
    rights = {"trust": config.trust, "sandbox": config.sandbox}
    named = dict.fromkeys(spec for spec in specs if not isinstance(spec, Agent))
    agents = {spec: make(spec, game, options, **rights) for spec in named}
    return [spec if isinstance(spec, Agent) else agents[spec] for spec in specs]
