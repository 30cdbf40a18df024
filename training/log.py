"""The log of a run (a CSV file), and its progress bar."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from ..envs.core.escape import csv_cell, literal
from ..envs.core.files import write_atomically


class CsvLog:
    """A CSV file with fixed columns, written line by line; `steps` is the first column and ascends.

    Args:
        path: the file; a new one gets a header.
        columns: the names of the columns, `steps` first.
        keep: drop lines beyond this number of steps, which a killed run wrote after its last checkpoint (None: start anew).
    """

    def __init__(self, path: Path, columns: Sequence[str], keep: int | None = None) -> None:
        self.path, self.columns = path, _escaped(dict(zip(columns, columns, strict=True)))
        kept: list[dict[str, str]] = []
        if keep is not None and path.exists():
            with path.open(newline="", encoding="utf-8") as file:
                kept = [row for row in csv.DictReader(file) if _steps(row) <= keep and None not in row.values()]
        write_atomically(path, self._text([self.columns, *kept]).encode())

    def write(self, row: Mapping[str, Any]) -> None:
        """Append a line; columns missing in `row` stay empty."""
        with self.path.open("a", newline="", encoding="utf-8") as file:
            file.write(self._text([_escaped(row)]))

    def _text(self, rows: Sequence[Mapping[Any, Any]]) -> str:
        text = io.StringIO()
        writer = csv.DictWriter(text, list(self.columns), extrasaction="ignore", lineterminator="\n")
        writer.writerows(rows)
        return text.getvalue()


def _escaped(row: Mapping[str, Any]) -> dict[Any, Any]:
    """Columns named after agents may have characters that need escaping."""
    return {csv_cell(name): csv_cell(value) for name, value in row.items()}


def _steps(row: Mapping[str, str | None]) -> float:
    try:
        return float(row.get("steps") or "inf")
    except ValueError:
        return float("inf")


class _Results(ProgressColumn):
    """The field `results`, which names agents."""

    def render(self, task: Task) -> Text:
        return literal(task.fields["results"])


def progress_bar(visible: bool) -> Progress:
    """A bar whose task has the fields `steps`, `speed` and `results`."""
    return Progress(
        TextColumn("{task.description}", "bold", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[steps]:,} steps {task.fields[speed]:,.0f}/s"),
        TimeRemainingColumn(),
        _Results(),
        console=Console(stderr=True),
        disable=not visible,
    )
