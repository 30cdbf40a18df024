"""Leagues in the browser: the files that the command line names, read again when they have grown. Nothing is written."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .. import envs
from ..benchmarks.league import FORFEITS, Episode, League, LeagueError, MatchResult
from ..benchmarks.league.export import matrix_json
from ..envs.core.escape import json_text
from .limits import Gone, Refused

PAGE = 50  # matches on a page
_ERRORS = 100  # forfeits shown with their reasons
FORMATS = {"json": "application/json", "csv": "text/csv", "markdown": "text/markdown"}


class Leagues:
    """The leagues a server shows, each by its place in the list.

    Raises:
        LeagueError: a file is missing, or no league.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)
        self._kept: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._lock = threading.Lock()  # a table is computed once, whoever asks
        for path in self.paths:
            if not path.is_file():
                raise LeagueError(f"there is no league {path}; `wilddeck league run` makes one")
            League(path).close()

    def overview(self) -> list[dict[str, Any]]:
        """All leagues with their ratings: for the table of agents by games."""
        found = []
        for number in range(len(self.paths)):
            try:
                league = self.league(number)
                found.append({key: league[key] for key in ("number", "name", "game", "title", "unit", "matches", "rows")})
            except LeagueError as error:
                found.append({"number": number, "name": self.paths[number].stem, "error": str(error), "rows": []})
        return found

    def league(self, number: Any) -> dict[str, Any]:
        """A league's ranking, matrix and forfeits, with a `stamp` that changes as it grows."""
        stamp = self.stamp(number)
        with self._lock:
            kept = self._kept.get(number)
            if kept is None or kept[0] != stamp:
                kept = self._kept[number] = (stamp, self._with(number, lambda league: self._content(number, league)))
        return {**kept[1], "stamp": stamp}

    def stamp(self, number: Any) -> str:
        """Of the file as it is now."""
        path = self._path(number)
        parts = []
        for each in (path, path.with_name(f"{path.name}-wal")):
            try:
                parts.append(f"{each.stat().st_mtime_ns}.{each.stat().st_size}")
            except OSError:
                parts.append("")
        return "-".join(parts)

    def _content(self, number: int, league: League) -> dict[str, Any]:
        settings = league.settings
        about = {
            "number": number,
            "name": league.path.stem,
            "game": settings.game,
            "title": envs.game(settings.game).title,
            "options": settings.options,
            "agents": [{"name": entry.name, "spec": entry.spec} for entry in league.agents],
            "kinds": list(FORFEITS),
        }
        if not league.agents:
            return {
                **about,
                "rows": [],
                "matrix": None,
                "matches": 0,
                "deals": 0,
                "anchor": "",
                "unit": league.unit,
                "second_unit": "",
                "errors": [],
            }
        table = league.table()
        return {
            **about,
            "rows": [{**asdict(row), "interval": row.score_interval} for row in table.rows],
            "anchor": table.anchor,
            "unit": table.unit,
            "second_unit": table.second_unit,
            "matches": table.matches,
            "deals": table.deals,
            "matrix": matrix_json(league.matrix()),
            "errors": [asdict(failure) for failure in league.errors()[-_ERRORS:]],
        }

    def matches(self, number: Any, agent: Any = None, status: Any = None, begin: Any = 0) -> dict[str, Any]:
        """A page of matches, the latest deals first: all, those of an agent, those in which a seat has a status."""
        if type(begin) is not int or begin < 0:
            raise Refused("begin must be a whole number")

        def fits(result: MatchResult) -> bool:
            return (not agent or any(seat.agent == agent for seat in result.seats)) and (
                not status or any(seat.status == status for seat in result.seats)
            )

        found = [result for result in reversed(self._with(number, League.results)) if fits(result)]
        rows = [
            {
                "id": result.id,
                "deal": result.deal,
                "moves": len(result.actions),
                "seats": [asdict(seat) for seat in result.seats],
            }
            for result in found[begin : begin + PAGE]
        ]
        return {"count": len(found), "begin": begin, "page": PAGE, "matches": rows}

    def episode(self, number: Any, match: Any) -> Episode:
        """A match, played again."""
        if not isinstance(match, str):
            raise Refused("name a match")
        return self._with(number, lambda league: Episode.of(league.replay(match)))

    def export(self, number: Any, format: Any) -> str:
        """The league as text; the seed of deals that are still to come is left out."""
        if format not in FORMATS:
            raise Refused(f"formats: {', '.join(FORMATS)}")
        text = self._with(number, lambda league: league.export(format))
        if format == "json":
            content = json.loads(text)
            del content["settings"]["seed"]
            text = json_text(content, indent=1)
        return text

    def _with(self, number: Any, use: Callable[[League], Any]) -> Any:
        with League(self._path(number)) as league:
            return use(league)

    def _path(self, number: Any) -> Path:
        if type(number) is not int or not 0 <= number < len(self.paths):
            raise Gone("there is no such league here")
        return self.paths[number]
