"""Training runs in the browser: the learning curves and settings of the runs in a folder. Nothing is written."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

from ..envs.core.files import read_json
from .limits import Gone

RUNS = 200  # the number of runs shown, the latest
DEPTH = 3  # depth of folders below the given one
POINTS = 400  # points of a curve; longer ones are thinned
_CURVE, _SETTINGS = "progress.csv", "settings.json"
_BYTES = 20 << 20  # bytes of a curve's file


class Runs:
    """The runs in a folder (None: none), by name, which is the path below it."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def all(self) -> list[dict[str, Any]]:
        """All runs with their settings, the latest first; `stamp` changes while a run continues."""
        runs = []
        for name, path in self._paths().items():
            try:
                about = path.stat()
                settings = read_json((path.parent / _SETTINGS).read_bytes())
            except (OSError, ValueError):
                settings = {}
            flat = {key: value for key, value in settings.items() if key != "options"} if isinstance(settings, dict) else {}
            options = settings.get("options") if isinstance(settings, dict) else None
            flat |= {f"option {key}": value for key, value in options.items()} if isinstance(options, dict) else {}
            runs.append({"name": name, "settings": flat, "stamp": f"{about.st_mtime_ns}-{about.st_size}"})
        return runs

    def curve(self, name: Any) -> dict[str, Any]:
        """The columns of a run's log (numbers or null), thinned to a few hundred points.

        Raises:
            Gone: the run does not exist, or its log cannot be read.
        """
        path = self._paths().get(name) if isinstance(name, str) else None
        if path is None:
            raise Gone("there is no such run")
        try:
            with path.open(newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file.read(_BYTES).splitlines()))
        except (OSError, ValueError, csv.Error):
            raise Gone("this run's log cannot be read") from None
        columns = [column for column in (rows[0] if rows else {}) if column]
        every = math.ceil(len(rows) / POINTS) or 1
        results = [column for column in columns if column.startswith("return_")]
        evaluated = [k for k, row in enumerate(rows) if any(row.get(column) for column in results)]
        chosen = {*range(0, len(rows), every), *evaluated[-POINTS:], *range(len(rows))[-1:]}
        kept = [rows[k] for k in sorted(chosen)]
        return {"name": name, "columns": {column: [_number(row.get(column)) for row in kept] for column in columns}}

    def _paths(self) -> dict[str, Path]:
        """The logs, by the names of their runs."""
        if self.folder is None:
            return {}
        folders: list[Path] = []
        for depth in range(DEPTH + 1):
            folders += self.folder.glob("/".join(["*"] * depth + [_CURVE]))
        latest = sorted(folders, key=_age, reverse=True)[:RUNS]
        return {path.parent.relative_to(self.folder).as_posix(): path for path in latest}


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "nan")
    except ValueError:
        return None
    return value if math.isfinite(value) else None
