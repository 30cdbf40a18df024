"""Executors by name: this process, threads of it, worker processes, or the machines of a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable

from ..agents.base import Agent
from .errors import LeagueError
from .match import Settings
from .processes import Executor, Processes, Serial
from .threads import Threads

EXECUTORS = ("serial", "thread", "process", "ray")


def executor(
    name: str,
    settings: Settings,
    make: Callable[..., Agent],
    trust: bool = False,
    workers: int | None = None,
    address: str | None = None,
) -> Executor:
    """An executor by name.

    Args:
        workers: how many (default: 2, with "ray" as many as the cluster has processors).
        address: of a Ray cluster.

    Raises:
        LeagueError: there is none of that name, no workers, or no cluster.
        ImportError: "ray" needs its extra.
    """
    if workers is not None and workers < 1:
        raise LeagueError(f"workers must be at least 1, not {workers}")
    if address is not None and name != "ray":
        raise LeagueError(f"address is only for the executor 'ray', not {name!r}")
    if name == "serial":
        return Serial(settings, make, trust)
    if name == "thread":
        return Threads(settings, make, trust, workers or 2)
    if name == "process":
        return Processes(settings, make, trust, workers or 2)
    if name == "ray":
        from .on_ray import OnRay

        return OnRay(settings, make, trust, workers, address)
    raise LeagueError(f"unknown executor {name!r}; allowed: {', '.join(EXECUTORS)}")
