"""Scores as text: tables for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...envs.core.escape import markdown
from ...league.export import markdown_table
from . import record as records_of
from . import suite
from .record import AGENT, Comparison, Record
from .statistics import Estimate, Scores

Table = tuple[list[str], list[list[str]]]


def text_of(estimate: Estimate, form: str = ".2f") -> str:
    """`0.95 (0.90 to 1.01)`."""
    value, low, high = (format(number, form) for number in estimate)
    return f"{value} ({low} to {high})"


def game_table(record: Record) -> Table:
    """A line a game: the score, and the mean result against each opponent, in the game's own unit (chips)."""
    scores, out = record.scores(), record.uncounted()
    opponents = list(dict.fromkeys(opponent for game in record.games.values() for opponent in game.protocol["opponents"]))
    rows = []
    for name, game in record.games.items():
        mean = "–" if not game.complete or name in out else text_of(scores.of(name))
        against = [_mean(game.results[AGENT].get(opponent)) for opponent in opponents]
        rows.append([suite.task(name).title, mean, *against, _forfeits(game.forfeits)])
    heading = ["game", "score (95 %)", *opponents, "forfeits"]
    return _used(heading, rows)


def _used(heading: list[str], rows: list[list[str]]) -> Table:
    """Without the columns in which nothing stands."""
    used = [column for column in range(len(heading)) if any(row[column] for row in rows)]
    return [heading[column] for column in used], [[row[column] for column in used] for row in rows]


def _mean(results: np.ndarray | None) -> str:
    return "" if results is None or np.isnan(results).all() else f"{np.nanmean(results):+.3f}"


def _forfeits(forfeits: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in forfeits.items())


def lines(record: Record) -> list[str]:
    """What is told of an agent besides the table."""
    scores, out = record.scores(), record.uncounted()
    text = [f"{record.name}: {_totals(scores)}"]
    if out:
        text.append(f"no score, as luck decides too much of them on so many deals: {', '.join(out)}")
    missing = [name for name, game in record.games.items() if not game.complete]
    if missing:
        text.append(f"not played to the end: {', '.join(missing)}")
    if record.left_out:
        text.append(f"left out: {', '.join(record.left_out)}; of the first: {next(iter(record.left_out.values()))}")
    failed = {name: game for name, game in record.games.items() if game.forfeits}
    text += [f"{name}: forfeits: {_forfeits(game.forfeits)}; the first: {game.message}" for name, game in failed.items()]
    return text


def _totals(scores: Scores) -> str:
    if not scores.games:
        return "no game has a score; with more deals some would"
    totals = records_of.totals(scores)
    mean, above = totals["interquartile_mean"], totals["share_above_rules"]
    games = "1 game" if len(scores.games) == 1 else f"{len(scores.games)} games"
    return f"interquartile mean {text_of(mean)} over {games}; above the rules in {text_of(above, '.0%')}"


def agent_table(records: Sequence[Record]) -> Table:
    """A line an agent."""
    rows = []
    for record in records:
        scores = record.scores()
        totals = records_of.totals(scores)
        overall = [text_of(totals["interquartile_mean"]), text_of(totals["share_above_rules"], ".0%")] if totals else ["–", "–"]
        rows.append([record.name, str(record.deals), str(len(scores.games)), *overall])
    return ["agent", "deals a game", "games", "interquartile mean", "above the rules"], rows


def section(records: Sequence[Record]) -> str:
    """The scores of several agents as a section of a page, Markdown."""
    names = list(dict.fromkeys(name for record in records for name in record.games))
    scored = [(record, record.scores(), record.uncounted()) for record in records]

    def cell(record: Record, scores: Scores, out: dict[str, str], name: str) -> str:
        return text_of(scores.of(name)) if name in scores.games else "no scale" if name in out else ""

    rows = [[suite.task(name).title, *(cell(*columns, name) for columns in scored)] for name in names]
    intro = (
        "One score over all games: random play is 0, the rule-based players are 1. Every deal is played on every place, "
        "against random, rules and, where there is one, the trained player; in brackets 95 % intervals, over deals. Games "
        "without a scale are those in which the rules are not better than random play by three standard errors on so many "
        "deals; they are left out of what is told over all games. See [scores](guides/scores.md)."
    )
    heading, summary = agent_table(records)
    return "\n".join(
        [
            "## Scores over all games",
            "",
            intro,
            "",
            *markdown_table(heading, summary),
            "",
            *markdown_table(["", *(record.name for record in records)], rows),
            "",
            *(f"{markdown(line)}\n" for record in records for line in _left_out(record)),
        ]
    )


def _left_out(record: Record) -> list[str]:
    if not record.left_out:
        return []
    return [f"{record.name}: there is none for {', '.join(suite.task(name).title for name in record.left_out)}."]


# --- comparisons ---


def comparison_table(first: Record, second: Record, comparison: Comparison) -> Table:
    """A line a game: both scores, and the first's lead."""
    rows = [
        [suite.task(name).title, f"{ours.value:.2f}", f"{theirs.value:.2f}", text_of(lead)]
        for name, (ours, theirs, lead) in comparison.games.items()
    ]
    return ["game", first.name, second.name, "lead (95 %)"], rows


def comparison_lines(first: Record, second: Record, comparison: Comparison) -> list[str]:
    """What is told over all games."""
    ours, theirs, lead = comparison.interquartile_means
    lines = [
        f"interquartile mean over {len(comparison.games)} games: {text_of(ours)} and {text_of(theirs)}, lead {text_of(lead)}",
        f"probability of improvement, that {first.name} gets more on a game and deal drawn at random: "
        f"{text_of(comparison.improvement, '.1%')}",
        f"games in which {first.name} scores more: {text_of(comparison.better, '.0%')}",
    ]
    if comparison.without_score:
        lines.append(f"no score: {', '.join(comparison.without_score)}")
    if comparison.only_one:
        lines.append(f"played by only one of them: {', '.join(comparison.only_one)}")
    return lines


def comparison_json(first: Record, second: Record, comparison: Comparison) -> dict[str, Any]:
    """The comparison for `json_text`."""
    names = ("first", "second", "lead")

    def three(estimates: Sequence[Estimate]) -> dict[str, Any]:
        return {name: one._asdict() for name, one in zip(names, estimates, strict=True)}

    return {
        "first": first.name,
        "second": second.name,
        "probability_of_improvement": comparison.improvement._asdict(),
        "interquartile_mean": three(comparison.interquartile_means),
        "share_of_games_better": comparison.better._asdict(),
        "games": {name: three(estimates) for name, estimates in comparison.games.items()},
        "without_score": comparison.without_score,
        "played_by_only_one": comparison.only_one,
    }
