"""Agents given to a league or a score as Python objects, which no agent string can make."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..agents.base import Agent
from ..envs.core.game import Game, Options
from .errors import LeagueError


class Lending:
    """Makes agents from agent strings as `make` does, and returns objects as they are: one object for all its seats.

    Args:
        make: `make(spec, game, options, **rights)`.
        objects: the objects by their placeholders (`agents.text_of`).
        exchanges: the file where agents store their requests to servers; None: do not store them.
    """

    def __init__(self, make: Callable[..., Agent], objects: Mapping[str, Agent], exchanges: Path | None = None) -> None:
        self.make, self.objects, self.exchanges = make, dict(objects), exchanges

    def __call__(self, spec: str, game: Game, options: Options, **rights: Any) -> Agent:
        agent = self.objects[spec] if spec in self.objects else self.make(spec, game, options, **rights)
        if self.exchanges is not None:
            agent.keep_exchanges(self.exchanges)
        return agent

    def check_sent(self) -> None:
        """Check that all objects can be sent to other processes.

        Raises:
            LeagueError: an object cannot be pickled.
        """
        for spec, agent in self.objects.items():
            try:
                pickle.dumps(agent)
            except Exception as error:
                raise LeagueError(
                    f"{spec} is an object that cannot be sent to worker processes ({type(error).__name__}: {error}); play in "
                    "this process (executor='serial') or give an agent string, such as the 'module:function' that makes it"
                ) from None
