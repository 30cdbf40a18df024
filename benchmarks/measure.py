"""Measuring and printing of rates: ours and a peer's alternate in one process, so that a busy machine slows both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Group

ROUNDS = 7
INSTALL = "peer not installed: pip install 'wilddeck[peers]'"

Work = Callable[[], int]  # does some work and returns its amount


@dataclass(frozen=True)
class Row:
    """One measurement.

    Attributes:
        name: the measured quantity.
        game: the game (or family of combinations), or "".
        unit: the unit of `ours` and `theirs`.
        ours: our median over the rounds.
        peer, theirs: the peer and its median, None without a peer or if it is not installed.
        ratio: minimum, median and maximum of ours / theirs over the rounds.
        target: with a peer the minimal ratio, else the maximum of `ours`; None if none is set.
        least: whether, without a peer, `target` is a minimum.
        ok: whether the median meets the target; None if unknown.
        note: why something is missing, or how a number was obtained.
    """

    name: str
    unit: str
    ours: float
    peer: str = ""
    theirs: float | None = None
    ratio: tuple[float, float, float] | None = None
    target: float | None = None
    ok: bool | None = None
    note: str = ""
    game: str = ""
    least: bool = False


Clock = Callable[[], float]


def rate(work: Work, seconds: float, clock: Clock) -> float:
    """Units per second of `work`, repeated for about `seconds`."""
    done, begin, now = 0, clock(), 0.0
    while now < seconds or not done:
        done += work()
        now = clock() - begin
    return done / now


def compare(
    name: str,
    unit: str,
    ours: Work,
    peer: str,
    theirs: Work | None,
    target: float | None,
    seconds: float,
    clock: Clock = time.thread_time,
) -> Row:
    """Rates of `ours` and `theirs` in alternating rounds, `seconds` in total for each. `theirs` is None if it is not installed.

    The default clock is the CPU time of the calling thread, which other programs disturb less than wall time.
    """
    works = [ours] if theirs is None else [ours, theirs]
    for work in works:
        work()  # the first call loads, compiles and allocates
    rounds = []
    for k in range(ROUNDS):
        order = works if k % 2 == 0 else works[::-1]  # neither always runs right after the other
        measured = {id(work): rate(work, seconds / ROUNDS, clock) for work in order}
        rounds.append([measured[id(work)] for work in works])
    middle = [statistics.median(rates) for rates in zip(*rounds, strict=True)]
    if theirs is None:
        return Row(name, unit, middle[0], peer, target=target, note=INSTALL if peer else "")
    ratios = [mine / other for mine, other in rounds]
    ratio = (min(ratios), statistics.median(ratios), max(ratios))
    return Row(name, unit, middle[0], peer, middle[1], ratio, target, None if target is None else ratio[1] >= target)


def at_least(name: str, unit: str, ours: Work, target: float, seconds: float) -> Row:
    """The rate of `ours`, with the minimum `target`."""
    row = compare(name, unit, ours, "", None, target, seconds)
    return replace(row, ok=row.ours >= target, least=True)


def limit(name: str, unit: str, ours: float, target: float, note: str = "") -> Row:
    """A number with the maximum `target`."""
    return Row(name, unit, ours, target=target, ok=ours <= target, note=note)


def of_game(name: str, rows: Iterable[Row]) -> list[Row]:
    """The rows, assigned to a game (or a family of combinations)."""
    return [replace(row, game=name) for row in rows]


def short(number: float) -> str:
    """A number with three significant digits and k or M for thousands or millions: `4.25 M`, `47.1 k`, `0.214`."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"


def table(rows: Iterable[Row]) -> Group:
    """The rows as a rich table, 80 columns wide, with the notes below."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    rich_table = Table("what", "ours", "theirs", "ratio", "target", "ok", box=box.SIMPLE, padding=(0, 1))
    game, notes = "", dict[str, str]()
    for row in rows:
        if row.game != game:
            rich_table.add_section()
            rich_table.add_row(Text(row.game, "bold"))
            game = row.game
        number = notes.setdefault(row.note, f" [{len(notes) + 1}]") if row.note else ""
        theirs = "" if row.theirs is None else short(row.theirs)
        ratio = "" if row.ratio is None else f"{row.ratio[1]:.3g}"
        target = "" if row.target is None else f"{'≥' if row.peer or row.least else '≤'} {short(row.target)}"
        verdict = {True: Text("yes", "green"), False: Text("no", "bold red"), None: Text()}[row.ok]
        rich_table.add_row(Text(row.name + number), f"{short(row.ours)} {row.unit}", theirs, ratio, target, verdict)
        if row.peer:
            reach = "" if row.ratio is None else f"{row.ratio[0]:.3g}..{row.ratio[2]:.3g}"
            rich_table.add_row(Text(f"  to {row.peer}", "dim"), "", "", Text(reach, "dim"))
    return Group(rich_table, *(Text(f"{number.strip()} {note}") for note, number in notes.items()))
