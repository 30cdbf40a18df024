"""A game in progress between agents, and others who decide for some seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import check_seed, fresh_seed
from ..envs.core.events import Event
from ..envs.core.game import Game, Options
from .base import Agent, View
from .play import legal_action, rehearse, seat_seed
from .specs import make

Other = TypeVar("Other")


class Match:
    """A game in progress; closes the agents that it has made.

    Attributes:
        env: the game.
        agents: for each seat its agent, None where somebody else decides (`play`).

    Args:
        game, options: what is played.
        agents: for each seat an agent, its spec, or None.
        seed: fixes the deals and the agents' randomness. None: a fresh one, which nobody knows.
        sandbox: run bots (`cmd:`) in a sandbox.

    Raises:
        ValueError: not one agent a seat, or an unknown agent.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        agents: Sequence[str | Agent | None],
        seed: int | None = None,
        sandbox: bool = False,
    ) -> None:
        if len(agents) != options.num_players:
            raise ValueError(f"{options.num_players} players need {options.num_players} agents, not {len(agents)}")
        seed = fresh_seed() if seed is None else check_seed(seed)
        self.agents = [None if agent is None else make(agent, game, options, sandbox=sandbox) for agent in agents]
        self._made = [made for made, agent in zip(self.agents, agents, strict=True) if made is not None and made is not agent]
        self.env = CardGameEnv(game, options)
        self.env.reset(seed=seed)
        rehearse(self.env)
        self._told = 0  # events
        seeds = [seat_seed(seed, seat) for seat in range(options.num_players)]
        self._rngs = [np.random.default_rng(number) for number in seeds]
        for seat, agent in enumerate(self.agents):
            if agent is not None:
                agent.begin(game, options, seat, seeds[seat])

    @property
    def returns(self) -> np.ndarray:
        """float64 [P], what each seat has earned."""
        return np.array(list(self.env.returns.values()))

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return any(self.env.terminations.values()) or any(self.env.truncations.values())

    def move(self, note: Callable[[CardGameEnv, int], None] | None = None) -> None:
        """The agent to move plays, which `note` is told before.

        Raises:
            AgentError: it failed; the game stands as it was.
        """
        seat = self.env.current_player
        agent = self.agents[seat]
        if agent is None:
            raise RuntimeError(f"seat {seat} has no agent; call play()")
        action = legal_action(agent, View.of(self.env), self._rngs[seat])
        if note is not None:
            note(self.env, action)
        self.play(action)

    def play(self, action: int) -> None:
        """The player to move plays this action.

        Raises:
            IllegalActionError: it is not legal; the game stands as it was.
        """
        self.env.step(action)

    def events(self) -> list[Event]:
        """What has happened since this was last asked."""
        events = self.env.history()
        first, self._told = self._told, len(events)
        return events[first:]

    def close(self) -> None:
        """Tell agents of the end, if the game has ended, and close those that were made."""
        try:
            if self.over:
                for seat, agent in enumerate(self.agents):
                    if agent is not None:
                        agent.end(seat, self.returns)
        finally:
            for agent in self._made:
                agent.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


def seated(
    own: Other, seat: int, opponents: str | Agent | Sequence[str | Agent], num_players: int
) -> list[str | Agent | Other]:
    """Who sits where: `own` on a seat, and on the others an opponent for all, or one for each, clockwise from that seat.

    Raises:
        ValueError: there is no such seat, or not one opponent for each other seat.
    """
    if not 0 <= seat < num_players:
        raise ValueError(f"there is no seat {seat}; seats: 0..{num_players - 1}")
    others = [opponents] * (num_players - 1) if isinstance(opponents, (str, Agent)) else list(opponents)
    if len(others) != num_players - 1:
        raise ValueError(f"{num_players} players need {num_players - 1} opponents, not {len(others)}")
    around = [own, *others]
    return around[num_players - seat :] + around[: num_players - seat]
