"""The file of a score: who played what, every result, and what follows from them. JSON, written whole or not at all.

A file may come from anywhere: all that it says is checked when it is read, and what follows from the results is computed anew.
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
from .statistics import Estimate, Results, Scores
from .suite import ONE, ZERO, ScoreError

FORMAT = "wilddeck score"
AGENT = "agent"
PLAYERS = (AGENT, ZERO, ONE)
MOST_DEALS = 10_000
_DIGITS = 9  # of a result: rewards are float32
_MOST_BYTES = 500_000_000
_FORFEITS = ("crash", "timeout", "illegal", "error")
_NO_SCALE = "rules not better than random by three standard errors on these deals"
_PACKAGES = ("numba", "numpy")


@dataclass
class GameRecord:
    """What is known of a game.

    Attributes:
        spec, sha256: who plays, and the digest of its files ("" without).
        protocol: see `suite.protocol`.
        results: float64 [deals] of each player against each opponent, over the agent's places; NaN: not yet
            played.
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
        results = {player: {opponent: np.full(deals, np.nan) for opponent in protocol["opponents"]} for player in PLAYERS}
        return cls(spec, sha256, protocol, results)

    @property
    def complete(self) -> bool:
        return not any(np.isnan(values).any() for player in self.results.values() for values in player.values())

    def by_deal(self) -> Results:
        """The results of each deal, over all opponents."""
        return Results(*(np.mean(list(self.results[player].values()), axis=0) for player in PLAYERS))

    def against(self, opponent: str) -> Results:
        """The results of each deal against one opponent."""
        return Results(*(self.results[player][opponent] for player in PLAYERS))


@dataclass
class Record:
    """A score as far as it has been played.

    Attributes:
        name: the agent's.
        deals, seed: of each game; see `suite.Task.seed_of`.
        games: by the name in the table.
        left_out: games of the suite for which the agent cannot be made, and why.
    """

    name: str
    deals: int
    seed: int = suite.SEED
    games: dict[str, GameRecord] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    def complete(self) -> dict[str, GameRecord]:
        """The games that have been played."""
        return {name: game for name, game in self.games.items() if game.complete}

    def uncounted(self) -> dict[str, str]:
        """Played games that have no score, and why."""
        played = self.complete().items()
        return {name: _NO_SCALE for name, game in played if not statistics.is_resolved(game.by_deal())}

    def scores(self) -> Scores:
        """The scores of the games that have one."""
        out = self.uncounted()
        return statistics.scored({name: game.by_deal() for name, game in self.complete().items() if name not in out})

    def save(self, path: Path) -> None:
        """Write the file.

        Raises:
            OSError: it cannot be written; what was there is as it was.
        """
        write_atomically(path, (json_text(self.to_json(), indent=1) + "\n").encode())

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "protocol": {
                "version": suite.VERSION,
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


def _listed(values: np.ndarray) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]


def rounded(values: np.ndarray) -> np.ndarray:
    """Results as the file keeps them, so that what is computed does not depend on whether they were read from one."""
    return np.array([float(f"{value:.{_DIGITS}g}") for value in values.tolist()])


def summary(record: Record) -> dict[str, Any]:
    """What follows from the results, in the file as soon as all are there."""
    scores = record.scores()
    others = {
        "games": {name: scores.of(name)._asdict() for name in scores.games},
        "without_score": record.uncounted(),
        "not_yet_played": [name for name, game in record.games.items() if not game.complete],
    }
    return {**{name: estimate._asdict() for name, estimate in totals(scores).items()}, **others}


def totals(scores: Scores) -> dict[str, Estimate]:
    """What is told over all games; nothing where no game has a score."""
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
        ScoreError: it is no such file, damaged, or of another release; the message says what is wrong.
        OSError: it cannot be read.
    """
    if path.stat().st_size > _MOST_BYTES:
        raise ScoreError(f"{path} is no file of a score: it is too large")
    try:
        return _read(read_json(path.read_bytes()))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise ScoreError(f"{path} is no file of a score: {reason}") from None


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
    games = {}
    for name, game_protocol in _mapping(protocol["games"]).items():
        _need(name in BASELINES, f"there is no game {name!r}")
        games[name] = _game(name, game_protocol, _mapping(agent["games"])[name], _mapping(content["results"])[name], deals)
    left_out = {_text(name): _text(why) for name, why in _mapping(agent["left_out"]).items()}
    return Record(_text(agent["name"]), deals, int(seed), games, left_out)


def _game(name: str, protocol: Any, agent: Any, results: Any, deals: int) -> GameRecord:
    _mapping(agent)
    named = list(_mapping(_mapping(protocol)["opponents"]))
    _need(bool(named), f"{name} has no opponents")
    _need(type(protocol["teams"]) is int and protocol["teams"] > 0, f"{name} has no teams")
    _text(protocol["unit"])
    arrays = {
        player: {
            opponent: _array(f"{name}, {player} against {opponent}", values, deals)
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


def _array(place: str, values: Any, deals: int) -> np.ndarray:
    _need(isinstance(values, list) and len(values) == deals, f"{place}: there must be {deals} results")
    _need(
        all(value is None or (is_number(value) and abs(value) < 1e30) for value in values), f"{place}: results must be numbers"
    )
    return np.array([np.nan if value is None else value for value in values], float)


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
    """Two agents on the same deals of the games that both have played.

    Attributes:
        games: of each game that has a score the first one's, the second one's, and the first's lead.
        improvement: the probability that the first gets more than the second on a game and deal drawn at random.
        interquartile_means: of the first, the second, and the first's lead.
        better: the share of games on which the first scores more.
        without_score: games that have none, and why.
        only_one: games that only one of them played.
    """

    games: dict[str, tuple[Estimate, Estimate, Estimate]]
    improvement: Estimate
    interquartile_means: tuple[Estimate, Estimate, Estimate]
    better: Estimate
    without_score: dict[str, str]
    only_one: list[str]


def compare(first: Record, second: Record) -> Comparison:
    """Compare two scores.

    Raises:
        ScoreError: they have no game in common that has a score, or were not played by the same protocol (the message says
            where these differ).
    """
    mine, theirs = first.complete(), second.complete()
    both = [name for name in mine if name in theirs]
    _check_same(first, second, both)
    out = {name: why for name, why in {**first.uncounted(), **second.uncounted()}.items() if name in both}
    counted = [name for name in both if name not in out]
    if not counted:
        raise ScoreError("the two have no game in common that has a score")
    ours = statistics.scored({name: mine[name].by_deal() for name in counted})
    others = statistics.scored({name: theirs[name].by_deal() for name in counted})
    lead = Scores(ours.games, ours.values - others.values, ours.draws - others.draws)
    means = [statistics.interquartile_mean(scores) for scores in (ours.draws, others.draws)]
    values = [float(statistics.interquartile_mean(scores)) for scores in (ours.values, others.values)]
    mean_lead = statistics.estimate(values[0] - values[1], means[0] - means[1])
    return Comparison(
        {name: (ours.of(name), others.of(name), lead.of(name)) for name in counted},
        statistics.improvement(_by_deal(mine, counted), _by_deal(theirs, counted)),
        (*map(statistics.estimate, values, means), mean_lead),  # type: ignore[arg-type]
        lead.total(lambda scores: statistics.better(scores, np.zeros(1)).mean(axis=-1)),
        out,
        [name for name in {**mine, **theirs} if name not in both],
    )


def _by_deal(games: Mapping[str, GameRecord], names: list[str]) -> dict[str, np.ndarray]:
    """The agent's results of these games."""
    return {name: games[name].by_deal().agent for name in names}


def _check_same(first: Record, second: Record, games: list[str]) -> None:
    ours, theirs = (
        {"deals": record.deals, "seed": record.seed, **{name: record.games[name].protocol for name in games}}
        for record in (first, second)
    )
    differences = suite.differences(ours, theirs)
    if differences:
        rest = f"; and {len(differences) - 3} more" if len(differences) > 3 else ""
        raise ScoreError(f"they were not played by the same protocol: {'; '.join(differences[:3])}{rest}")
