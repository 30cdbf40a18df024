"""Playing a league with a progress bar."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .league import League, Run


def run_league(
    league: League,
    deals: int,
    workers: int | None = None,
    console: Console | None = None,
    executor: str | None = None,
    address: str | None = None,
) -> Run:
    """Play a league up to a number of deals (see `League.run`), by default in this process, with several workers in those."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=console is None) as bar:
        task = bar.add_task(f"{league.settings.game}: matches", total=None)
        return league.run(
            deals,
            executor=executor or ("process" if (workers or 1) > 1 else "serial"),
            workers=workers,
            address=address,
            progress=lambda state: bar.update(task, completed=state.done, total=state.total),
        )
