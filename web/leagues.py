"""Leagues in the browser: the files given on the command line, reread when they grow. Nothing is written."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .. import envs
from ..league import FORFEITS, Episode, League, LeagueError, MatchResult
from ..league.export import matrix_json, without_words
from .limits import Gone, Refused

PAGE = 50  # matches per page
_ERRORS = 100  # forfeits shown with reasons
FORMATS = {"json": "application/json", "csv": "text/csv", "markdown": "text/markdown"}


class Leagues:
    """The leagues of a server, by index.

    Raises:
        LeagueError: a file is missing, or is not a league.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)
        self._kept: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._lock = threading.Lock()  # a table is computed once for all requests
        for path in self.paths:
            if not path.is_file():
                raise LeagueError(f"there is no league file {path}; `wilddeck league run` creates one")
            League(path).close()

    def overview(self) -> list[dict[str, Any]]:
        """All leagues with their ratings, for the table of agents by games."""
        leagues = []
        for number in range(len(self.paths)):
            try:
                league = self.league(number)
                leagues.append({key: league[key] for key in ("number", "name", "game", "title", "unit", "matches", "rows")})
            except LeagueError as error:
                leagues.append({"number": number, "name": self.paths[number].stem, "error": str(error), "rows": []})
        return leagues

    def league(self, number: int) -> dict[str, Any]:
        """A league's ranking, matrix and forfeits, with a `stamp` that changes as it grows."""
        stamp = self.stamp(number)
        with self._lock:
            kept = self._kept.get(number)
            if kept is None or kept[0] != stamp:
                kept = self._kept[number] = (stamp, self._with(number, lambda league: self._content(number, league)))
        return {**kept[1], "stamp": stamp}

    def stamp(self, number: int) -> str:
        """The stamp of the current file."""
        path = self._path(number)
        parts = []
        for file in (path, path.with_name(f"{path.name}-wal")):
            try:
                parts.append(f"{file.stat().st_mtime_ns}.{file.stat().st_size}")
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
        table, failures, secret = league.table(), league.errors()[-_ERRORS:], league.open_matches()
        return {
            **about,
            "rows": [{**asdict(row), "interval": row.score_interval} for row in table.rows],
            "anchor": table.anchor,
            "unit": table.unit,
            "second_unit": table.second_unit,
            "matches": table.matches,
            "deals": table.deals,
            "matrix": matrix_json(league.matrix()),
            "errors": [asdict(without_words(failure, failure.match in secret)) for failure in failures],
        }

    def matches(self, number: int, agent: str | None = None, status: str | None = None, begin: int = 0) -> dict[str, Any]:
        """A page of matches, latest deals first: all, those of an agent, or those in which a seat has a status."""

        def fits(result: MatchResult) -> bool:
            return (not agent or any(seat.agent == agent for seat in result.seats)) and (
                not status or any(seat.status == status for seat in result.seats)
            )

        results, secret = self._with(number, lambda league: (league.results(), league.open_matches()))
        chosen = [result for result in reversed(results) if fits(result)]
        rows = [
            {
                "id": result.id,
                "deal": result.deal,
                "moves": len(result.actions),
                "shown": result.id not in secret,
                "seats": [asdict(without_words(seat, result.id in secret)) for seat in result.seats],
            }
            for result in chosen[begin : begin + PAGE]
        ]
        return {"count": len(chosen), "begin": begin, "page": PAGE, "matches": rows}

    def episode(self, number: int, match: str) -> Episode:
        """A match, replayed.

        Raises:
            Refused: others have still to play its cards.
        """

        def open_episode(league: League) -> Episode:
            replay = league.replay(match)
            if replay.result.id in league.open_matches():
                raise Refused("this match is shown once all agents have played its cards (it is a duplicate league)")
            return Episode.of(replay)

        return self._with(number, open_episode)

    def export(self, number: int, format: str) -> str:
        """The league as text, without anything that reveals future deals."""
        if format not in FORMATS:
            raise Refused(f"choose a format: {', '.join(FORMATS)}")
        return self._with(number, lambda league: league.export(format, public=True))

    def _with(self, number: int, use: Callable[[League], Any]) -> Any:
        with League(self._path(number)) as league:
            return use(league)

    def _path(self, number: int) -> Path:
        if not 0 <= number < len(self.paths):
            raise Gone("there is no such league")
        return self.paths[number]
