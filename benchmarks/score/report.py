"""Scores as text: tables for the terminal and for Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...envs.core.escape import markdown
from ...league.export import markdown_table
from . import record as records_of
from . import suite
from .record import AGENT, Comparison, Record
from .statistics import Estimate, Pairs, Scores
from .suite import ONE, ZERO, ScoreError

Table = tuple[list[str], list[list[str]]]


def text_of(estimate: Estimate, form: str = ".2f") -> str:
    """`0.95 (0.90 to 1.01)`, or the value alone if it has no interval."""
    value, low, high = (format(number, form) for number in estimate)
    return value if math.isnan(estimate.low) else f"{value} ({low} to {high})"


def _share(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.0%}"


def game_table(record: Record) -> Table:
    """One line per game: the score and the mean result against each opponent, in the game's own unit (chips in a game about
    money). For the small suite: the leads over random and rules, and their variances."""
    if record.mini:
        return _lead_table(record)
    scores, out = record.scores(), record.uncounted()
    opponents = list(dict.fromkeys(opponent for game in record.games.values() for opponent in game.protocol["opponents"]))
    rows = []
    for name, game in record.games.items():
        mean = "–" if not game.complete or name in out else text_of(scores.of(name))
        against = [_mean(game.results[AGENT].get(opponent)) for opponent in opponents]
        rows.append([suite.task(name).title, mean, *against, _forfeits(game.forfeits)])
    heading = ["game", "score (95 %)", *opponents, "forfeits"]
    return _used(heading, rows)


def _lead_table(record: Record) -> Table:
    overs = [record.over(player) for player in (ZERO, ONE)]
    rows = [
        [suite.task(name).title, *(cell for over in overs for cell in _lead(over, name)), _forfeits(game.forfeits)]
        for name, game in record.games.items()
    ]
    return _used(["game", f"over {ZERO} (95 %)", "var.", f"over {ONE} (95 %)", "var.", "forfeits"], rows)


def _lead(pairs: Pairs | None, name: str) -> list[str]:
    """The lead in a game and its variance."""
    if pairs is None or name not in pairs.leads:
        return ["–", ""]
    return [_plus_minus(pairs.leads[name]), _share(pairs.variances[name])]


def _plus_minus(lead: Estimate) -> str:
    """`+0.12 ± 0.05`."""
    return f"{lead.value:+.2f}" if math.isnan(lead.low) else f"{lead.value:+.2f} ± {lead.high - lead.value:.2f}"


def _used(heading: list[str], rows: list[list[str]]) -> Table:
    """The table without its empty columns."""
    used = [column for column in range(len(heading)) if any(row[column] for row in rows)]
    return [heading[column] for column in used], [[row[column] for column in used] for row in rows]


def _mean(results: np.ndarray | None) -> str:
    return "" if results is None or np.isnan(results).all() else f"{np.nanmean(results):+.3f}"


def _forfeits(forfeits: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in forfeits.items())


def lines(record: Record) -> list[str]:
    """The text about an agent below the table."""
    out = record.uncounted()
    text = list(_over(record)) if record.mini else [f"{record.name}: {_totals(record.scores())}"]
    if out and not record.mini:
        text.append(f"no score, because luck decides too much on this number of deals: {', '.join(out)}")
    missing = [name for name, game in record.games.items() if not game.complete]
    if missing:
        text.append(f"not finished: {', '.join(missing)}")
    if record.left_out:
        text.append(f"left out: {', '.join(record.left_out)} (reason for the first: {next(iter(record.left_out.values()))})")
    failed = {name: game for name, game in record.games.items() if game.forfeits}
    text += [f"{name}: forfeits: {_forfeits(game.forfeits)} (the first: {game.message})" for name, game in failed.items()]
    return text


def _over(record: Record) -> Iterator[str]:
    for player in (ZERO, ONE):
        pairs = record.over(player)
        if pairs is not None:
            yield f"{record.name} over {player}: {_improvement(pairs)}; {_variance(pairs)}"


def _improvement(pairs: Pairs) -> str:
    return f"probability of improvement {text_of(pairs.improvement, '.1%')}"


def _variance(pairs: Pairs) -> str:
    return f"variance {_share(pairs.variance)} of that of as many matches on independent deals"


def _totals(scores: Scores) -> str:
    if not scores.games:
        return "no game has a score; play more deals"
    totals = records_of.totals(scores)
    mean, above = totals["interquartile_mean"], totals["share_above_rules"]
    games = "1 game" if len(scores.games) == 1 else f"{len(scores.games)} games"
    return f"interquartile mean {text_of(mean)} over {games}; above the rules in {text_of(above, '.0%')}"


def agent_table(records: Sequence[Record]) -> Table:
    """One line per agent; all files must be of one suite.

    Raises:
        ScoreError: there are files of both suites.
    """
    if len({record.mini for record in records}) > 1:
        raise ScoreError("scores of the small suite (--mini) cannot be shown in one table with others")
    if records[0].mini:
        return _mini_agent_table(records)
    rows = []
    for record in records:
        scores = record.scores()
        totals = records_of.totals(scores)
        overall = [text_of(totals["interquartile_mean"]), text_of(totals["share_above_rules"], ".0%")] if totals else ["–", "–"]
        rows.append([record.name, str(record.deals), str(len(scores.games)), *overall])
    return ["agent", "deals per game", "games", "interquartile mean", "above the rules"], rows


def _mini_agent_table(records: Sequence[Record]) -> Table:
    rows = []
    for record in records:
        overs = [record.over(player) for player in (ZERO, ONE)]
        cells = [("–", "–") if over is None else (text_of(over.improvement, ".0%"), _share(over.variance)) for over in overs]
        rows.append([record.name, str(record.deals), str(len(record.complete())), *(cell for two in cells for cell in two)])
    return ["agent", "deals", "games", f"over {ZERO}", "var.", f"over {ONE}", "var."], rows


def section(records: Sequence[Record]) -> str:
    """The scores of several agents as a Markdown section."""
    heading, summary = agent_table(records)
    names = list(dict.fromkeys(name for record in records for name in record.games))
    mini = records[0].mini
    columns = [_leads_over_rules(record) if mini else _scores(record) for record in records]
    rows = [[suite.task(name).title, *(column.get(name, "") for column in columns)] for name in names]
    return "\n".join(
        [
            "## The small suite" if mini else "## Scores over all games",
            "",
            _MINI_INTRO if mini else _INTRO,
            "",
            *markdown_table(heading, summary),
            "",
            *markdown_table(["lead over rules" if mini else "", *(record.name for record in records)], rows),
            "",
            *(f"{markdown(line)}\n" for record in records for line in _left_out(record)),
        ]
    )


_INTRO = (
    "One score over all games: random play is 0, the rules are 1. Every deal is played from every seat (or by every team), "
    "against random play, against the rules and, where the game has one, against the trained agent. As the opponents "
    "include random play, an agent that beats the rules among rules can still be below 1. In brackets: 95 % intervals over "
    'deals. Games with "no scale" are those in which the rules do not beat random play by three standard errors on these '
    "deals; the figures over all games leave them out. See [scores](guides/scores.md)."
)
_MINI_INTRO = (
    "Few deals, the same for all agents, each played from every seat (or by every team) against the rules. Over random, over "
    "rules: the probability that on a random deal of a random game an agent gets more than these in its place. Var.: the "
    "variance of the mean lead, as a share of that of as many matches on separate deals. Intervals are 95 %, over deals. See "
    "[scores](guides/scores.md)."
)


def _scores(record: Record) -> dict[str, str]:
    scores = record.scores()
    return {**dict.fromkeys(record.uncounted(), "no scale"), **{name: text_of(scores.of(name)) for name in scores.games}}


def _leads_over_rules(record: Record) -> dict[str, str]:
    pairs = record.over(ONE)
    return {} if pairs is None else {name: _plus_minus(lead) for name, lead in pairs.leads.items()}


def _left_out(record: Record) -> list[str]:
    if not record.left_out:
        return []
    return [f"{record.name} does not play {', '.join(suite.task(name).title for name in record.left_out)}."]


# --- comparisons ---


def comparison_table(first: Record, second: Record, comparison: Comparison) -> Table:
    """One line per game: both scores, the first agent's lead in score, its lead in the game's own unit, and its variance."""
    rows = []
    for name in comparison.pairs.leads:
        scores = ["", "", ""]
        if name in comparison.games:
            ours, theirs, lead = comparison.games[name]
            scores = [f"{ours.value:.2f}", f"{theirs.value:.2f}", text_of(lead)]
        rows.append([suite.task(name).title, *scores, *_lead(comparison.pairs, name)])
    return _used(["game", first.name, second.name, "lead (95 %)", "in results (95 %)", "var."], rows)


def comparison_lines(first: Record, second: Record, comparison: Comparison) -> list[str]:
    """The comparison over all games."""
    lines = [f"{first.name} over {second.name}: {_improvement(comparison.pairs)}; {_variance(comparison.pairs)}"]
    if comparison.interquartile_means is not None and comparison.better is not None:
        ours, theirs, lead = map(text_of, comparison.interquartile_means)
        games = "1 game" if len(comparison.games) == 1 else f"{len(comparison.games)} games"
        lines += [
            f"interquartile mean over {games}: {ours} and {theirs}, lead {lead}",
            f"games in which {first.name} scores more: {text_of(comparison.better, '.0%')}",
        ]
    if comparison.without_score and not first.mini:
        lines.append(f"no score: {', '.join(comparison.without_score)}")
    if comparison.only_one:
        lines.append(f"played by only one agent: {', '.join(comparison.only_one)}")
    return lines


def comparison_json(first: Record, second: Record, comparison: Comparison) -> dict[str, Any]:
    """The comparison in JSON types."""
    names = ("first", "second", "lead")

    def three(estimates: Sequence[Estimate] | None) -> dict[str, Any] | None:
        return None if estimates is None else {name: one._asdict() for name, one in zip(names, estimates, strict=True)}

    return {
        "first": first.name,
        "second": second.name,
        **records_of.pairs_json(comparison.pairs),
        "interquartile_mean": three(comparison.interquartile_means),
        "share_of_games_better": None if comparison.better is None else comparison.better._asdict(),
        "games": {name: three(estimates) for name, estimates in comparison.games.items()},
        "without_score": comparison.without_score,
        "played_by_only_one": comparison.only_one,
    }
