"""A league as text for people and programs."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from .errors import LeagueError

if TYPE_CHECKING:
    from .league import League, Matrix, Row, Table

RANKING = ("", "agent", "rating", "95 %", "games", "won", "mean score", "forfeits", "note")


def ranking_rows(table: Table) -> list[tuple[str, ...]]:
    """The ranking as text, a tuple a line, in the columns RANKING."""
    return [(str(place), *_ranking_row(row, table.anchor)) for place, row in enumerate(table.rows, 1)]


def _ranking_row(row: Row, anchor: str) -> tuple[str, ...]:
    anchor_row = row.agent == anchor
    rating = "–" if row.rating is None else "0" if anchor_row else f"{row.rating:+.0f}"
    low = "−∞" if row.low is None else f"{row.low:+.0f}"
    high = "∞" if row.high is None else f"{row.high:+.0f}"
    interval = "" if anchor_row or row.low is row.high is None else f"{low} … {high}"
    score = "" if row.score is None else f"{row.score:+.3f}"
    if row.score_error is not None:
        score += f" ± {row.score_error:.3f}"
    won = f"{row.wins / row.games:.1%}" if row.games else ""
    forfeits = ", ".join(f"{count} {kind}" for kind, count in row.forfeits.items())
    return row.agent, rating, interval, str(row.games), won, score, forfeits, row.note


def matrix_rows(matrix: Matrix) -> list[tuple[str, ...]]:
    """Head-to-head as text, a line an agent: its name, then its share of the points against each and the games."""
    share = matrix.share
    return [
        (name, *(f"{share[i, j]:.1%} ({matrix.games[i, j]})" if matrix.games[i, j] else "" for j in range(len(matrix.agents))))
        for i, name in enumerate(matrix.agents)
    ]


def _json(league: League) -> str:
    matrix = league.matrix()
    content = {
        "settings": asdict(league.settings),
        "agents": [asdict(entry) | {"kind": entry.kind} for entry in league.agents],
        "table": asdict(league.table()),
        "head_to_head": {"agents": matrix.agents, "points": matrix.points.tolist(), "games": matrix.games.tolist()},
        "errors": [asdict(failure) for failure in league.errors()],
        "matches": [
            {
                "id": result.id,
                "deal": result.deal,
                "deal_seed": result.deal_seed,
                "rotation": result.rotation,
                "seats": [asdict(seat) for seat in result.seats],
                "actions": result.actions.tolist(),
                "digest": result.digest,
            }
            for result in league.results()
        ],
    }
    return json.dumps(content, indent=1, ensure_ascii=False)


def _csv(league: League) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("match", "deal", "rotation", "seat", "agent", "return", "rank", "status", "message", "moves", "seconds"))
    for result in league.results():
        for number, seat in enumerate(result.seats):
            line = (seat.agent, seat.returned, seat.rank, seat.status, seat.message, seat.moves, f"{seat.seconds:.6f}")
            writer.writerow((result.id, result.deal, result.rotation, number, *line))
    return out.getvalue()


def _markdown(league: League) -> str:
    def cell(text: str) -> str:
        return text.replace("|", "\\|").replace("<", "&lt;")

    def lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
        return [f"| {' | '.join(map(cell, row))} |" for row in (head, ["---"] * len(head), *rows)]

    return "\n".join(_document(league, lambda text: [f"### {text}", ""], lambda text: [text, ""], lines)) + "\n"


def _html(league: League) -> str:
    def lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
        def row(cells: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in cells) + "</tr>"

        body = [row(cells, "td") for cells in rows]
        return ["<table>", "<thead>", row(head, "th"), "</thead>", "<tbody>", *body, "</tbody>", "</table>"]

    def element(tag: str) -> Callable[[str], list[str]]:
        return lambda text: [f"<{tag}>{html.escape(text)}</{tag}>"]

    return "\n".join(_document(league, element("h3"), element("p"), lines)) + "\n"


def _document(
    league: League,
    heading: Callable[[str], list[str]],
    paragraph: Callable[[str], list[str]],
    lines: Callable[[Sequence[str], Sequence[Sequence[str]]], list[str]],
) -> list[str]:
    table, matrix = league.table(), league.matrix()
    about = (
        f"{table.matches} matches over {table.deals} deals. Ratings are Elo points above {table.anchor}, with 95 % intervals "
        "over deals."
    )
    return [
        *heading(f"Ranking, {league.settings.game}"),
        *paragraph(about),
        *lines(RANKING, ranking_rows(table)),
        *([""] if table.rows else []),
        *heading("Head to head"),
        *paragraph("Share of points of the row against the column, and matches in which both sat."),
        *lines(("", *matrix.agents), matrix_rows(matrix)),
    ]


FORMATS: dict[str, Callable[[League], str]] = {"json": _json, "csv": _csv, "markdown": _markdown, "html": _html}


def export(league: League, format: str) -> str:
    """The league in one of FORMATS."""
    if format not in FORMATS:
        raise LeagueError(f"unknown format {format!r}; allowed: {', '.join(FORMATS)}")
    return FORMATS[format](league)
