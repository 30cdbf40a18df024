"""The tables of docs/strength.md: `wilddeck bench strength rank` updates the rows that it measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..agents import trained
from ..envs.pages import with_block
from ..league import League
from ..league.export import markdown_table
from .baselines import BASELINES, title

Cells = Mapping[str, str]  # of a row, by the headings of their columns
_GAME = "game"
_ESTIMATES = {
    "trained": "advantage over the rules",
    "search": "search: advantage over trained",
    "exploitability": "exploited by at least",
}
HEADINGS = {
    "baselines": (_GAME, "advantage over the rules", "won", *list(_ESTIMATES.values())[1:], "decisions", "minutes"),
    "leagues": (_GAME, "deals", "random", "rules", "trained", "mc", "mc-trained"),
}
_95 = 1.96  # standard errors


def baseline_line(name: str, measured: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """A baseline's row, from the results that `strength.measure` has yielded."""
    about = trained.about(name)
    line = {_GAME: title(name), "decisions": f"{about['steps']:,}", "minutes": f"{about['seconds'] / 60:.0f}"}
    for column, result in measured.items():
        line[_ESTIMATES[column]] = f"{result['mean']:+.3f} ± {_95 * result['standard_error']:.3f}"
    if "trained" in measured:
        line["won"] = f"{measured['trained']['win_rate']:.1%}"
    return line


def league_line(name: str, league: League) -> dict[str, str]:
    """A league's row: the agents' ratings with their 95 % intervals, or their mean chips where it is about money."""
    table = league.table()
    line = {_GAME: title(name), "deals": f"{table.deals:,}"}
    for row in table.rows:
        if table.unit:
            interval = "" if row.score_interval is None else " ({:+.2f} to {:+.2f})".format(*row.score_interval)
            line[row.agent] = "–" if row.score is None else f"{row.score:+.2f}{interval}"
        elif row.agent == table.anchor:
            line[row.agent] = "0"
        else:
            ends = ("∞" if end is None else f"{end:+.0f}" for end in (row.low, row.high))
            interval = f"{'−' if row.low is None else ''}{' to '.join(ends)}"
            line[row.agent] = "–" if row.rating is None else f"{row.rating:+.0f} ({interval})"
    return line


def with_lines(page: str, table: str, lines: Iterable[Cells]) -> str:
    """The page with these rows in one of its tables, sorted by title. Cells that a row does not give keep their content,
    unless it has another number of decisions: then they are of other weights.

    Raises:
        ValueError: the page has no such table.
    """
    headings = HEADINGS[table]

    def updated(block: str) -> str:
        _, _, *old = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()] or [[], []]
        kept = {line[0]: dict(zip(headings, line, strict=True)) for line in old}
        for line in lines:
            before = kept.get(line[_GAME], {})
            if before.get("decisions") != line.get("decisions"):  # the figures of other weights
                before = {}
            kept[line[_GAME]] = before | {name: line[name] for name in headings if name in line}
        ordered = [kept[name] for name in sorted(set(kept) & set(map(title, BASELINES)))]
        return "\n".join(markdown_table(headings, [[line.get(name, "") for name in headings] for line in ordered])) + "\n"

    return with_block(page, table, updated)
