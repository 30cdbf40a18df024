"""A league as text for people and programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from ..envs.core.escape import csv_cell, html_text, json_text, markdown
from .errors import LeagueError
from .match import Entry, MatchResult, Seat, Settings
from .standings import Failure, Matrix, Row, Table

Reported = TypeVar("Reported", Seat, Failure)

# The columns of a ranking by rating, and of one by chips; its second unit comes after the interval. A rating counts who
# finished ahead, so where the game is about money it says little: good players win fewer, larger pots.
_BY_RATING = ("", "agent", "rating", "95 %", "games", "won", "mean score", "forfeits", "note")
_BY_CHIPS = ("", "agent", "mean chips", "95 %", "games", "won", "forfeits", "note")


@dataclass(frozen=True)
class Contents:
    """All that is exported of a league, as it is at one moment.

    Attributes:
        units: what scores are told in, and how many of each a return of 1 is.
        open_matches: None where nothing is kept back; else the ids of the matches whose cards others still have to play, and
            the league's seed is kept back, too.
    """

    settings: Settings
    teams: Sequence[Sequence[int]]
    units: Mapping[str, float]
    agents: Sequence[Entry]
    table: Table
    matrix: Matrix
    errors: Sequence[Failure]
    results: Sequence[MatchResult]
    open_matches: Collection[str] | None = None

    def is_secret(self, match: str) -> bool:
        return self.open_matches is not None and match in self.open_matches


def ranking(table: Table) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The ranking as text: the heads of its columns, and a tuple a line. The interval is that of the column before it."""
    heads: tuple[str, ...] = _BY_CHIPS if table.unit else _BY_RATING
    if table.second_unit:
        after = heads.index("95 %") + 1
        heads = (*heads[:after], table.second_unit, *heads[after:])
    lines = [{"": str(place), **_cells(row, table)} for place, row in enumerate(table.rows, 1)]
    return heads, [tuple(line[head] for head in heads) for line in lines]


def _cells(row: Row, table: Table) -> dict[str, str]:
    anchor = row.agent == table.anchor
    score = "" if row.score is None else f"{row.score:+.3f}"
    error = "" if row.score_error is None else f" ± {row.score_error:.3f}"
    rating = "" if anchor or row.low is row.high is None else f"{_end(row.low, '−∞')} … {_end(row.high, '∞')}"
    chips = "" if row.score_interval is None else "{:+.2f} … {:+.2f}".format(*row.score_interval)
    second = "" if row.second_score is None else f"{row.second_score:+.0f}"
    return {
        "agent": row.agent,
        "rating": "–" if row.rating is None else "0" if anchor else f"{row.rating:+.0f}",
        "mean score": score + error,
        "mean chips": "" if row.score is None else f"{row.score:+.2f}",
        "95 %": chips if table.unit else rating,
        "games": str(row.games),
        "won": f"{row.wins / row.games:.1%}" if row.games else "",
        "forfeits": ", ".join(f"{count} {kind}" for kind, count in row.forfeits.items()),
        "note": row.note,
        **({table.second_unit: second} if table.second_unit else {}),
    }


def _end(rating: float | None, infinite: str) -> str:
    return infinite if rating is None else f"{rating:+.0f}"


def matrix_rows(matrix: Matrix) -> list[tuple[str, ...]]:
    """Head-to-head as text, a line an agent: its name, then its share of the points against each and the games; where the game
    is about money also its mean chips in these games."""
    share = matrix.share

    def cell(i: int, j: int) -> str:
        if not matrix.games[i, j]:
            return ""
        score = f", {matrix.scores[i, j]:+.2f}" if matrix.unit else ""
        return f"{share[i, j]:.1%} ({matrix.games[i, j]}{score})"

    numbers = range(len(matrix.agents))
    return [(name, *(cell(i, j) for j in numbers)) for i, name in enumerate(matrix.agents)]


def matrix_json(matrix: Matrix) -> dict[str, Any]:
    """Head-to-head for `json_text`, in which scores are null where there are no games."""
    return {"agents": matrix.agents, "points": matrix.points, "games": matrix.games, "scores": matrix.scores}


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown."""
    lines = [f"| {' | '.join(map(markdown, row))} |" for row in (head, *rows)]
    return [lines[0], f"| {' | '.join(['---'] * len(head))} |", *lines[1:]]


def _json(league: Contents) -> str:
    settings = asdict(league.settings)
    if league.open_matches is not None:
        del settings["seed"]
    content = {
        "settings": settings,
        "teams": league.teams,
        "agents": [asdict(entry) | {"kind": entry.kind} for entry in league.agents],
        "table": asdict(league.table),
        "head_to_head": matrix_json(league.matrix),
        "errors": [asdict(without_words(failure, league.is_secret(failure.match))) for failure in league.errors],
        "matches": [_match(result, league.is_secret(result.id)) for result in league.results],
    }
    return json_text(content, indent=1)


def _match(result: MatchResult, secret: bool) -> dict[str, Any]:
    play = {"deal_seed": result.deal_seed, "actions": result.actions.tolist(), "digest": result.digest}
    return {
        "id": result.id,
        "deal": result.deal,
        "rotation": result.rotation,
        "seats": [asdict(without_words(seat, secret)) for seat in result.seats],
        **({} if secret else play),
    }


def without_words(outcome: Reported, secret: bool) -> Reported:
    """A seat or a failure, where its match is secret without its message, which may name cards."""
    return replace(outcome, message="") if secret else outcome


def _csv(league: Contents) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = ("match", "deal", "rotation", "seat", "team", "agent", "return", "rank", "status", "message", "moves", "seconds")
    writer.writerow((*heads, *league.units))
    team_of = {seat: team for team, seats in enumerate(league.teams) for seat in seats}
    for result in league.results:
        for number, seat in enumerate(without_words(seat, league.is_secret(result.id)) for seat in result.seats):
            line = (seat.agent, seat.returned, seat.rank, seat.status, seat.message, seat.moves, f"{seat.seconds:.6f}")
            scores = [float(f"{seat.returned * worth:.9g}") for worth in league.units.values()]  # rewards are float32
            writer.writerow(map(csv_cell, (result.id, result.deal, result.rotation, number, team_of[number], *line, *scores)))
    return out.getvalue()


def _markdown(league: Contents) -> str:
    def line(before: str) -> Callable[[str], list[str]]:
        return lambda text: [before + markdown(text), ""]

    return "\n".join(_document(league, line("### "), line(""), markdown_table)) + "\n"


def _html(league: Contents) -> str:
    def lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
        def row(cells: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html_text(text)}</{tag}>" for text in cells) + "</tr>"

        body = [row(cells, "td") for cells in rows]
        return ["<table>", "<thead>", row(head, "th"), "</thead>", "<tbody>", *body, "</tbody>", "</table>"]

    def element(tag: str) -> Callable[[str], list[str]]:
        return lambda text: [f"<{tag}>{html_text(text)}</{tag}>"]

    return "\n".join(_document(league, element("h3"), element("p"), lines)) + "\n"


def _document(
    league: Contents,
    heading: Callable[[str], list[str]],
    paragraph: Callable[[str], list[str]],
    lines: Callable[[Sequence[str], Sequence[Sequence[str]]], list[str]],
) -> list[str]:
    table, matrix = league.table, league.matrix
    played = f"{table.matches} matches over {table.deals} deals."
    if table.unit:
        measured = f"Mean {table.unit} per match, with 95 % intervals over deals."
    else:
        measured = f"Ratings are Elo points above {table.anchor}, with 95 % intervals over deals."
    unit = f", mean {matrix.unit} in these" if matrix.unit else ""
    return [
        *heading(f"Ranking, {league.settings.game}"),
        *paragraph(f"{played} {measured}"),
        *lines(*ranking(table)),
        *([""] if table.rows else []),
        *heading("Head to head"),
        *paragraph(f"The row agent's share of points against the column agent (matches with both{unit})."),
        *lines(("", *matrix.agents), matrix_rows(matrix)),
    ]


FORMATS: dict[str, Callable[[Contents], str]] = {"json": _json, "csv": _csv, "markdown": _markdown, "html": _html}


def export(league: Contents, format: str) -> str:
    """The league in one of FORMATS; see `League.export`."""
    if format not in FORMATS:
        raise LeagueError(f"unknown format {format!r}; allowed: {', '.join(FORMATS)}")
    return FORMATS[format](league)
