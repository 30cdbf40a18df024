"""Score files: the agent, the protocol, every result, and the scores. JSON, written atomically.

Files may come from anywhere: their contents are checked when they are read, and scores are computed again from the results.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ...envs.core.batch import MAX_SEED
from ...envs.core.escape import json_text
from ...envs.core.files import is_number, read_json, write_atomically
from ...version import __version__
from ..baselines import BASELINES
from . import statistics, suite
from .statistics import Estimate, Pairs, Results, Scores
from .suite import FULL, MINI, ONE, ZERO, ScoreError

FORMAT = "wilddeck score"
AGENT = "agent"
PLAYERS = (AGENT, ZERO, ONE)
MOST_DEALS = 10_000
_DIGITS = 9  # of a result: rewards are float32
_MOST_BYTES = 500_000_000
_FORFEITS = ("crash", "timeout", "illegal", "error")
_NO_SCALE = "rules not better than random by three standard errors on these deals"
_MINI = "of the small suite leads are told, no scores"
_PACKAGES = ("numba", "numpy")


@dataclass
class GameRecord:
    """The record of a game.

    Attributes:
        spec, sha256: who plays, and the digest of its files ("" without).
        protocol: see `suite.protocol`.
        results: float64 [deals, places] of each player against each opponent, the player in one place (team) after the other;
            NaN: not yet played.
        forfeits: games that the agent forfeited, by kind.
        message: what the first of them said.
        seconds: that the agent's games took.
    """

    spec: str
    sha256: str
    protocol: dict[str, Any]
    results: dict[str, dict[str, np.ndarray]]
    forfeits: dict[str, int] = field(default_factory=dict)
    message: str = ""
    seconds: float = 0.0

    @classmethod
    def empty(cls, spec: str, sha256: str, protocol: dict[str, Any], deals: int) -> GameRecord:
        shape = deals, protocol["teams"]
        results = {player: {opponent: np.full(shape, np.nan) for opponent in protocol["opponents"]} for player in PLAYERS}
        return cls(spec, sha256, protocol, results)

    @property
    def complete(self) -> bool:
        return not any(np.isnan(values).any() for player in self.results.values() for values in player.values())

    def by_deal(self) -> Results:
        """The results of each deal, over all opponents and places."""
        return Results(*(self.all_of(player).mean(axis=(0, 2)) for player in PLAYERS))

    def against(self, opponent: str) -> Results:
        """The results of each deal against one opponent."""
        return Results(*(self.results[player][opponent].mean(axis=1) for player in PLAYERS))

    def all_of(self, player: str) -> np.ndarray:
        """All results of a player, float64 [opponents, deals, places]."""
        return np.stack(list(self.results[player].values()))


@dataclass
class Record:
    """A score, possibly unfinished.

    Attributes:
        name: the agent's.
        deals, seed: of each game; see `suite.Task.seed_of`.
        games: by the name in the table.
        left_out: games of the suite for which the agent cannot be made, and why.
        mini: whether it is of the suite `MINI`.
    """

    name: str
    deals: int
    seed: int = suite.SEED
    games: dict[str, GameRecord] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    mini: bool = False

    @property
    def suite(self) -> str:
        return MINI if self.mini else FULL

    def complete(self) -> dict[str, GameRecord]:
        """The games that have been played."""
        return {name: game for name, game in self.games.items() if game.complete}

    def uncounted(self) -> dict[str, str]:
        """Played games that have no score, and why."""
        played = self.complete().items()
        if self.mini:
            return dict.fromkeys(self.complete(), _MINI)
        return {name: _NO_SCALE for name, game in played if not statistics.is_resolved(game.by_deal())}

    def scores(self) -> Scores:
        """The scores of the games that have one."""
        out = self.uncounted()
        return statistics.scored({name: game.by_deal() for name, game in self.complete().items() if name not in out})

    def over(self, player: str) -> Pairs | None:
        """The agent's lead over random (`ZERO`) or the rules (`ONE`) on the same deals; None if no game is finished."""
        games = self.complete()
        return statistics.paired(_all_of(games, AGENT), _all_of(games, player)) if games else None

    def save(self, path: Path) -> None:
        """Write the file.

        Raises:
            OSError: it cannot be written; an existing file is kept.
        """
        write_atomically(path, (json_text(self.to_json(), indent=1) + "\n").encode())

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "protocol": {
                "version": suite.VERSION,
                "suite": self.suite,
                "deals": self.deals,
                "seed": str(self.seed),
                "games": {name: game.protocol for name, game in self.games.items()},
            },
            "agent": {
                "name": self.name,
                "games": {name: {"spec": game.spec, "sha256": game.sha256} for name, game in self.games.items()},
                "left_out": self.left_out,
            },
            "made_with": {
                "wilddeck": __version__,
                "python": platform.python_version(),
                **{package: version(package) for package in _PACKAGES},
            },
            "summary": summary(self) if all(game.complete for game in self.games.values()) else None,
            "results": {name: _results_json(game) for name, game in self.games.items()},
        }


def _results_json(game: GameRecord) -> dict[str, Any]:
    results = {
        player: {opponent: _listed(values) for opponent, values in opponents.items()}
        for player, opponents in game.results.items()
    }
    return {**results, "forfeits": game.forfeits, "message": game.message, "seconds": round(game.seconds, 3)}


def _listed(values: np.ndarray) -> list[list[float | None]]:
    return [[None if np.isnan(value) else value for value in deal] for deal in values.tolist()]


def rounded(values: np.ndarray) -> np.ndarray:
    """Results as the file keeps them, so that what is computed does not depend on whether they were read from one."""
    return np.array([float(f"{value:.{_DIGITS}g}") for value in values.ravel().tolist()]).reshape(values.shape)


def summary(record: Record) -> dict[str, Any]:
    """What follows from the results, in the file as soon as all are there."""
    unplayed = [name for name, game in record.games.items() if not game.complete]
    if record.mini:
        overs = {f"over_{player}": record.over(player) for player in (ZERO, ONE)}
        return {**{name: over and pairs_json(over) for name, over in overs.items()}, "not_yet_played": unplayed}
    scores = record.scores()
    others = {
        "games": {name: scores.of(name)._asdict() for name in scores.games},
        "without_score": record.uncounted(),
        "not_yet_played": unplayed,
    }
    return {**{name: estimate._asdict() for name, estimate in totals(scores).items()}, **others}


def pairs_json(pairs: Pairs) -> dict[str, Any]:
    """The leads over another on the same deals for `json_text`."""
    return {
        "probability_of_improvement": pairs.improvement._asdict(),
        "variance": pairs.variance,
        "leads": {name: {**lead._asdict(), "variance": pairs.variances[name]} for name, lead in pairs.leads.items()},
    }


def totals(scores: Scores) -> dict[str, Estimate]:
    """The totals over all games; empty if no game has a score."""
    if not scores.games:
        return {}
    return {
        "interquartile_mean": scores.total(statistics.interquartile_mean),
        "share_above_rules": scores.total(lambda values: statistics.share_above(values, 1.0)),
    }


# --- reading ---


def load(path: Path) -> Record:
    """Read a file.

    Raises:
        ScoreError: it is not a score file, damaged, or of another release; the message says what is wrong.
        OSError: it cannot be read.
    """
    if path.stat().st_size > _MOST_BYTES:
        raise ScoreError(f"{path} is not a score file: it is too large")
    try:
        return _read(read_json(path.read_bytes()))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise ScoreError(f"{path} is not a score file: {reason}") from None


def _read(content: Any) -> Record:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError("it was not written by `wilddeck score`")
    protocol, agent = _mapping(content["protocol"]), _mapping(content["agent"])
    if protocol["version"] != suite.VERSION:
        raise ValueError(f"its protocol has version {protocol['version']!r}; this release reads {suite.VERSION}")
    deals, seed = protocol["deals"], protocol["seed"]
    _need(type(deals) is int and 1 <= deals <= MOST_DEALS, f"deals must be from 1 to {MOST_DEALS:,}, not {deals!r}")
    _need(isinstance(seed, str) and seed.isascii() and seed.isdigit() and len(seed) < 40, "the seed must be digits")
    _need(int(seed) < MAX_SEED, "the seed is too large")
    _need(protocol["suite"] in (FULL, MINI), f"there is no suite {protocol['suite']!r}")
    games = {}
    for name, game_protocol in _mapping(protocol["games"]).items():
        _need(name in BASELINES, f"there is no game {name!r}")
        games[name] = _game(name, game_protocol, _mapping(agent["games"])[name], _mapping(content["results"])[name], deals)
    left_out = {_text(name): _text(why) for name, why in _mapping(agent["left_out"]).items()}
    return Record(_text(agent["name"]), deals, int(seed), games, left_out, protocol["suite"] == MINI)


def _game(name: str, protocol: Any, agent: Any, results: Any, deals: int) -> GameRecord:
    _mapping(agent)
    named = list(_mapping(_mapping(protocol)["opponents"]))
    _need(bool(named), f"{name} has no opponents")
    _need(type(protocol["teams"]) is int and protocol["teams"] > 0, f"{name} has no teams")
    _text(protocol["unit"])
    arrays = {
        player: {
            opponent: _array(f"{name}, {player} against {opponent}", values, deals, protocol["teams"])
            for opponent, values in _mapping(opponents).items()
        }
        for player, opponents in ((player, _mapping(results)[player]) for player in PLAYERS)
    }
    _need(all(list(opponents) == named for opponents in arrays.values()), f"{name} has not all opponents' results")
    forfeits = {_text(kind): count for kind, count in _mapping(results["forfeits"]).items()}
    known = all(kind in _FORFEITS and type(count) is int and count > 0 for kind, count in forfeits.items())
    _need(known, f"{name}: forfeits must be counts of {', '.join(_FORFEITS)}")
    seconds = results["seconds"]
    _need(is_number(seconds) and seconds >= 0, f"{name}: seconds must be a number")
    return GameRecord(
        _text(agent["spec"]), _text(agent["sha256"]), protocol, arrays, forfeits, _text(results["message"]), float(seconds)
    )


def _array(player: str, values: Any, deals: int, places: int) -> np.ndarray:
    _need(isinstance(values, list) and len(values) == deals, f"{player}: there must be results of {deals} deals")
    _need(
        all(isinstance(deal, list) and len(deal) == places for deal in values),
        f"{player}: there must be {places} results of a deal",
    )
    _need(
        all(value is None or (is_number(value) and abs(value) < 1e30) for deal in values for value in deal),
        f"{player}: results must be numbers",
    )
    return np.array([[np.nan if value is None else value for value in deal] for deal in values], float)


def _need(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(message)


def _mapping(value: Any) -> Mapping[str, Any]:
    _need(isinstance(value, dict), "it is damaged")
    return value


def _text(value: Any) -> str:
    _need(isinstance(value, str), "it is damaged")
    return value


# --- comparing ---


@dataclass(frozen=True)
class Comparison:
    """A comparison of two agents on the same deals of the games that both have played.

    Attributes:
        pairs: the first's results less the second's, of all these games.
        games: of each game that has a score the first one's, the second one's, and the first's lead; none of the suite `MINI`.
        interquartile_means: of the first, the second, and the first's lead; None where no game has a score.
        better: the share of games on which the first scores more; None likewise.
        without_score: games that have none, and why.
        only_one: games that only one of them played.
    """

    pairs: Pairs
    games: dict[str, tuple[Estimate, Estimate, Estimate]]
    interquartile_means: tuple[Estimate, Estimate, Estimate] | None
    better: Estimate | None
    without_score: dict[str, str]
    only_one: list[str]


def compare(first: Record, second: Record) -> Comparison:
    """Compare two scores.

    Raises:
        ScoreError: no game has been played by both, or their protocols differ (the message says how).
    """
    mine, theirs = first.complete(), second.complete()
    both = [name for name in mine if name in theirs]
    _check_same(first, second, both)
    if not both:
        raise ScoreError("no game has been played by both agents")
    pairs = statistics.paired(*(_all_of({name: games[name] for name in both}, AGENT) for games in (mine, theirs)))
    out = {name: why for name, why in {**first.uncounted(), **second.uncounted()}.items() if name in both}
    scored = [name for name in both if name not in out]
    ours, others = (statistics.scored({name: games[name].by_deal() for name in scored}) for games in (mine, theirs))
    lead = Scores(ours.games, ours.values - others.values, ours.draws - others.draws)
    return Comparison(
        pairs,
        {name: (ours.of(name), others.of(name), lead.of(name)) for name in ours.games},
        _interquartile_means(ours, others) if ours.games else None,
        lead.total(lambda scores: statistics.better(scores, np.zeros(1)).mean(axis=-1)) if ours.games else None,
        out,
        [name for name in {**mine, **theirs} if name not in both],
    )


def _interquartile_means(ours: Scores, theirs: Scores) -> tuple[Estimate, Estimate, Estimate]:
    """Of the first, of the second, and the first's lead."""
    values = [float(statistics.interquartile_mean(scores.values)) for scores in (ours, theirs)]
    draws = [statistics.interquartile_mean(scores.draws) for scores in (ours, theirs)]
    lead = statistics.estimate(values[0] - values[1], draws[0] - draws[1])
    return statistics.estimate(values[0], draws[0]), statistics.estimate(values[1], draws[1]), lead


def _all_of(games: Mapping[str, GameRecord], player: str) -> dict[str, np.ndarray]:
    """All results of a player in these games."""
    return {name: game.all_of(player) for name, game in games.items()}


def _check_same(first: Record, second: Record, games: list[str]) -> None:
    ours, theirs = (
        {
            "suite": record.suite,
            "deals": record.deals,
            "seed": record.seed,
            **{name: record.games[name].protocol for name in games},
        }
        for record in (first, second)
    )
    differences = suite.differences(ours, theirs)
    if differences:
        rest = f"; and {len(differences) - 3} more" if len(differences) > 3 else ""
        raise ScoreError(f"the scores were played by different protocols: {'; '.join(differences[:3])}{rest}")
