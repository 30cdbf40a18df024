"""The demo: train agents, rank them against others in two games, write a report. `make demo` runs it.

It uses only the public interface, so it is also an example of how the parts work together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import envs
from ..envs.core.escape import literal
from ..league import League, Replay
from ..training.warmup import warmup
from . import report

if TYPE_CHECKING:
    from rich.console import Console

RunLeague = Callable[[League, int], Any]


@dataclass(frozen=True)
class Entry:
    """The demo's plan for a game: its training time relative to the first game's, and the size of its league."""

    game: str
    training_share: float
    deals: int


# Games in which a small league shows skill. (In tennis, search is only even; in By The Skin of Your Teeth, it matters as much
# whom the others attack.)
ENTRIES = (Entry("hearts_v0", 1.0, 100), Entry("president_v0", 0.5, 150))
# Training from scratch takes longer than this: training continues from the shipped weights, often against the rules and random
# play, which are also in the league.
SETTINGS: dict[str, Any] = {"init_from": "trained", "self_play_prob": 0.4, "past_policy_prob": 0.3}
SEARCH = "mc:rollouts=300"
TRAINED = "trained"


def run(folder: Path, seconds: float, console: Console, run_league: RunLeague, entries: Sequence[Entry] = ENTRIES) -> Path:
    """Train, rank, report.

    Args:
        folder: the output folder; existing leagues continue, training restarts.
        seconds: training time of the first game; the others get a share of it.
        console: the console for tables.
        run_league: plays a league up to a number of deals and prints its table.

    Returns:
        Path: the report.
    """
    begin = time.monotonic()
    reports = []
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for entry in entries:
        game = envs.game(entry.game)
        warmup(game)  # training time excludes compilation
        console.rule(literal(f"{game.title}: training for {seconds * entry.training_share:.0f} s", "bold"))
        trained = _train(entry, folder / f"{stamp}-{entry.game}", seconds * entry.training_share)
        console.rule(literal(f"{game.title}: league", "bold"))
        with League(folder / f"{stamp}-{entry.game}.sqlite", entry.game) as league:
            for name, spec in _agents(trained.weights):
                league.add(name, spec)
            run_league(league, entry.deals)
            reports.append(_report(league, trained.curve))
    path = folder / "report.html"
    trained_for = " and ".join(f"{seconds * entry.training_share:.0f}" for entry in entries)
    introduction = (
        f"Agents trained here for {trained_for} seconds, ranked against a random, a rule-based and a Monte-Carlo "
        "player. Each deal is played with the agents on every seat in turn; intervals and the standard errors of mean "
        "scores are over deals."
    )
    report.write(path, "wilddeck demo", introduction, reports)
    console.print()
    console.print(literal(f"Done in {(time.monotonic() - begin) / 60:.1f} minutes. Report: {path}"), soft_wrap=True)
    return path


@dataclass(frozen=True)
class _Trained:
    weights: Path
    curve: list[tuple[int, dict[str, float]]]


def _train(entry: Entry, folder: Path, seconds: float) -> _Trained:
    from ..training.train import train

    result = train(entry.game, out=folder, max_seconds=seconds, seed=0, **SETTINGS)
    return _Trained(result.weights, [(point.steps, point.win_rates) for point in result.evaluations])


def _agents(weights: Path) -> list[tuple[str, str]]:
    return [("random", "random"), ("rules", "rules"), ("monte-carlo", SEARCH), (TRAINED, str(weights))]


def _report(league: League, curve: list[tuple[int, dict[str, float]]]) -> report.GameReport:
    table, matrix = league.table(), league.matrix()
    share, order = matrix.share, [matrix.agents.index(row.agent) for row in table.rows]
    results = league.results()
    chosen = next(
        (result for result in results if any(seat.agent == TRAINED and seat.rank == 0 for seat in result.seats)), results[0]
    )
    replay = league.replay(chosen.id)
    seats = ", ".join(f"player_{seat} {result.agent}" for seat, result in enumerate(chosen.seats))
    return report.GameReport(
        title=envs.game(league.settings.game).title,
        standings=[
            report.Standing(
                row.agent,
                row.rating or 0.0,
                0.0 if row.agent == table.anchor else row.low,
                0.0 if row.agent == table.anchor else row.high,
                row.score or 0.0,
                row.score_error or 0.0,
                row.games,
                sum(row.forfeits.values()),
            )
            for row in table.rows
        ],
        names=[row.agent for row in table.rows],
        matrix=[[None if i == j else float(share[i, j]) for j in order] for i in order],
        curve=curve,
        base_rate=1 / len(league.teams),
        replay=_frames(replay),
        replay_title=f"{seats}. All cards are shown.",
        notes=[
            f"{table.matches:,} matches over {table.deals} deals, {len(league.teams)} {league.places} a table; "
            f"search is {SEARCH}; training began with the shipped weights."
        ],
    )


def _frames(replay: Replay) -> list[report.Frame]:
    env = replay.env()
    frames = [report.Frame("the deal", env.describe(), env.zones())]
    for move in replay.moves:
        env.step(move.action)
        frames.append(report.Frame(f"player_{move.seat} ({move.agent}): {move.label}", env.describe(), env.zones()))
    return frames
