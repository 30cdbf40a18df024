"""What commands print: tables and JSON. Imports nothing that is slow."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ..envs.core.escape import json_text, literal, plain

if TYPE_CHECKING:
    from rich.console import Console


def print_rows(title: str, rows: Sequence[dict[str, Any]]) -> None:
    heading = [name.replace("_", " ") for name in rows[0]] if rows else []
    numeric = [all(isinstance(row[name], (int, float)) for row in rows) for name in rows[0]] if rows else []
    print_lines(title, heading, [[_cell(value) for value in row.values()] for row in rows], numeric)


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}" if isinstance(value, float) else str(value)


def print_lines(title: str, heading: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> None:
    from rich import box
    from rich.table import Table

    padding = (0, 1, 0, 0)  # and a space between columns
    table = Table(box=box.SIMPLE_HEAD, padding=padding)
    table.show_header = any(heading)
    first = list(right).index(False) if False in right else 0  # of the columns of text; it says what a row is about
    for column, (name, numeric) in enumerate(zip(heading, right, strict=True)):
        justify: Literal["left", "right"] = "right" if numeric else "left"
        table.add_column(literal(name), justify=justify, no_wrap=numeric or column == first, overflow="fold")
    for row in rows:
        table.add_row(*map(literal, row))
    out = console()
    if title:  # as the table's own title it would be folded to the table's width
        out.print(literal(title), style="bold", highlight=False)
    out.print(table)


def print_values(title: str, values: dict[str, Any]) -> None:
    print_lines(title, ("", ""), [(name.replace("_", " "), _cell(value)) for name, value in values.items()], (False, True))


def console(stderr: bool = False) -> Console:
    from rich.console import Console

    return Console(markup=False, emoji=False, stderr=stderr)


@contextlib.contextmanager
def progress_bar() -> Iterator[Callable[[str, float, float], None]]:
    """A progress bar, if standard error is a terminal. Yields a function of a description, the amount done and the total."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    terminal = console(stderr=True)
    with Progress(*columns, console=terminal, transient=True, disable=not terminal.is_terminal) as bar:
        task = bar.add_task("", total=None)
        yield lambda what, done, total: bar.update(task, description=plain(what), completed=done, total=total)


def print_json(value: Any) -> None:
    print(json_text(value, indent=2))
