"""The strength check: train the shipped baselines, and rank them against the random, rule-based and Monte-Carlo players.

    wilddeck bench strength train NAME... [--steps N]     # writes agents/weights/<name>.safetensors and .json
    wilddeck bench strength train --all [--steps N] [--executor ray [--address HOST:PORT]]
    wilddeck bench strength train NAME --vary seed=0,1,2 --vary learning_rate=0.003,0.006     # ships the best
    wilddeck bench strength rank [NAME...] [--deals N]      # plays the leagues and prints their tables

A name is a game, or a variant or another number of players that has weights of its own (poker_v0-omaha, tennis_v0-2p).

Both go on where they were stopped: a training in its run folder, a league in its file, both below `--folder`. A league's file
carries the digest of the baseline's weights, so that a new baseline begins a new league.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import platform
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import agents, envs
from ..agents import learned, play, trained
from ..envs.core.escape import json_text, markdown_code
from ..envs.core.files import read_json, write_atomically
from ..league import League
from ..league.export import markdown_table, ranking
from ..league.terminal import run_league
from ..training import cluster
from ..training.evaluate import evaluate
from ..training.settings import Settings
from ..training.warmup import warmup
from ..version import __version__
from .baselines import LEARNING, Baseline, baseline, title, trained_names

if TYPE_CHECKING:
    from rich.console import Console

FOLDER = Path("runs/strength")
EVALUATED = 2000  # games against each opponent, of a baseline that is shipped
_EVALUATION_SEED = 0xBA5E  # other deals than the evaluations during training
_LADDER_SEED = 0x1ADDE  # and others again
_95 = 1.96  # standard errors
_LEAGUE_SEED = 0  # our own agents play, so that the page can be made again
_PACKAGES = ("numba", "numpy")


# --- making the baselines ---


def train(
    names: Iterable[str],
    steps: int | None = None,
    folder: Path = FOLDER,
    *,
    vary: Mapping[str, Sequence[Any]] | None = None,
    executor: str = "serial",
    workers: int | None = None,
    address: str | None = None,
    progress: bool = True,
) -> Iterator[tuple[dict[str, float], Path]]:
    """Train baselines, here one after another or spread over a Ray cluster, and put them where they are shipped from.

    Args:
        names: lines of the table.
        steps: decisions that each learns from, in all (default: the table's).
        folder: holds the runs, `train-<name>`. A finished run goes on if it is given more steps.
        progress: show a progress bar, of what is trained here.
        vary: values of settings; all combinations are trained, and the best of each name is shipped.
        executor: "serial" or "ray".
        workers, address: of the cluster: trainings at once, and where it is; see `training.cluster`.

    Yields:
        By name as they are done, the ladder of its combinations (see `ladder`; one alone has none), and the weights' path.

    Raises:
        ValueError: an unknown name, setting or value, no cluster, a run with other settings in the folder, or weights that are
            too large to ship.
    """
    if executor not in ("serial", "ray"):
        raise ValueError(f"executor={executor!r} is not allowed; allowed: serial, ray")
    for fixed in sorted({"game", "options", "max_seconds"} & set(vary or {})):
        raise ValueError(f"setting {fixed!r} cannot be varied")
    jobs: dict[Path, tuple[Any, ...]] = {}
    threads = 1
    runs: dict[str, dict[str, Path]] = {}
    for name in dict.fromkeys(names):
        chosen = baseline(name)
        for values in itertools.product(*(vary or {}).values()):
            varied = dict(zip(vary or {}, values, strict=True))
            settings = {**LEARNING, **chosen.settings, "total_steps": steps or chosen.steps, **varied}
            settled = Settings.make({"game": chosen.game, "options": chosen.trained_options, **settings})
            threads = max(threads, settled.threads)
            text = json.dumps(varied, sort_keys=True)
            run = folder / (f"train-{name}" + (f"-{hashlib.sha256(text.encode()).hexdigest()[:8]}" if varied else ""))
            jobs[run] = name, chosen, settings, varied
            runs.setdefault(name, {})[", ".join(f"{key}={value}" for key, value in varied.items())] = run
    if executor == "ray":
        done = cluster.spread(_learn, jobs, cpus=threads, workers=workers, address=address)
    else:
        learn_here: Callable[..., Any] = functools.partial(_learn, progress=progress)
        done = ((run, learn_here(run, *job)) for run, job in jobs.items())
    results: dict[Path, tuple[dict[str, Any], bytes]] = {}
    for run, result in done:
        results[run] = result
        name = jobs[run][0]
        if all(run in results for run in runs[name].values()):
            tried = runs[name]
            ranked = ladder({combination: run / _SMALL for combination, run in tried.items()}, name) if len(tried) > 1 else {}
            best = max(tried, key=lambda combination: ranked.get(combination, 0.0))
            yield ranked, _ship(name, *results[tried[best]])


_SMALL = "small.safetensors"


def _learn(
    run: Path, name: str, chosen: Baseline, settings: Mapping[str, Any], varied: Mapping[str, Any], progress: bool = False
) -> tuple[dict[str, Any], bytes]:
    """Train in a run's folder, or go on there: what is told of the weights, and the weights as they are shipped."""
    from ..training.train import train as learn

    game = envs.game(chosen.game)
    options = game.make_options(chosen.trained_options)
    warmup(game)  # compiling is no part of the training time
    result = learn(game, chosen.trained_options, out=run, resume=True, progress=progress, **settings)
    agent = learned.load(result.weights, game, options)
    small = run / _SMALL
    learned.save(small, agent, game, options, half=True)
    data = small.read_bytes()
    if len(data) > trained.MAX_BYTES:
        raise ValueError(f"the weights have {len(data):,} bytes and may have {trained.MAX_BYTES:,}; make `hidden` smaller")
    evaluations = evaluate(small, game, options, games=EVALUATED, seed=_EVALUATION_SEED)
    words = ["wilddeck", "bench", "strength", "train", name]
    if settings["total_steps"] != chosen.steps and "total_steps" not in varied:
        words += ["--steps", str(settings["total_steps"])]
    for key, value in varied.items():
        words += ["--vary", f"{key}={json.dumps(value)}"]
    return {
        "game": chosen.game,
        "command": shlex.join(words),
        "made": time.strftime("%Y-%m-%d"),
        "sha256": hashlib.sha256(data).hexdigest(),
        "steps": result.steps,
        "seconds": round(result.seconds),
        "reward_scale": agent.training["reward_scale"],
        "evaluation": {other: asdict(evaluation) for other, evaluation in evaluations.items()},
        "settings": json.loads((run / "settings.json").read_text(encoding="utf-8")),
        "options": agent.trained_options,
        "versions": {
            "wilddeck": __version__,
            "python": platform.python_version(),
            **{package: version(package) for package in _PACKAGES},
        },
    }, data


def _ship(name: str, about: Mapping[str, Any], data: bytes) -> Path:
    path = trained.weights(name)
    write_atomically(path.with_suffix(".json"), (json_text(about, indent=2) + "\n").encode())
    write_atomically(path, data)
    return path


def ladder(candidates: Mapping[str, Path], name: str, deals: int = 500) -> dict[str, float]:
    """The mean score of each of some weights files against the rules and all others of them, on the same deals.

    (Those of the evaluation that is shipped are others, so that the best is not flattered by having been chosen.)
    """
    chosen = baseline(name)
    game = envs.game(chosen.game)
    options = game.make_options(chosen.options)
    players = {combination: learned.load(path, game, options) for combination, path in candidates.items()}
    rules = agents.make("rules", game, options)

    def score(combination: str) -> float:
        others = [rules, *(other for key, other in players.items() if key != combination)]
        means = [play.evaluate(players[combination], other, game, options, deals, _LADDER_SEED).mean for other in others]
        return sum(means) / len(means)

    return {combination: score(combination) for combination in players}


# --- checking them ---


def check(
    name: str, deals: int | None = None, folder: Path = FOLDER, workers: int = 2, console: Console | None = None
) -> League:
    """Play a baseline's league of the random, rule-based, Monte-Carlo and trained players, as far as it has not been played.

    Args:
        name: of a baseline that was trained.
        deals: (default: the table's).
        folder: holds the league's file.
        workers: processes.
        console: where progress is shown.

    Returns:
        The league; close it after use.

    Raises:
        ValueError: there is no such baseline, or it was not trained.
    """
    chosen, weights = baseline(name), trained.weights(name)
    if not weights.exists():
        raise ValueError(
            f"the baseline {name} has not been trained; baselines that have: {', '.join(trained_names()) or 'none'}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    league = League(folder / f"{name}-{_digest(name)}.sqlite", chosen.game, chosen.options, seed=_LEAGUE_SEED, duplicate=True)
    specs = {"random": "random", "rules": "rules", "monte-carlo": chosen.search, "trained": "trained"}
    specs |= {"search-trained": chosen.learned_search}
    specs |= {f"rules-{k}": "rules" for k in range(2, len(league.teams) - len(specs) + 2)}  # a table with more places
    for agent, spec in specs.items():
        league.add(agent, spec)
    run_league(league, chosen.deals if deals is None else deals, workers, console)
    return league


def measure(
    name: str, folder: Path = FOLDER, seconds: float = 60, deals: int | None = None, search_deals: int | None = None
) -> dict[str, dict[str, Any]]:
    """What is measured of a trained baseline beside its league, as far as it has not been measured: it is kept in the folder.

    Args:
        name: of a baseline that was trained.
        folder: where results are kept.
        seconds: that each exploiter trains; 0: none does, but what is known of earlier ones is told.
        deals: of the trained player against the rules, and of the exploiters, each from every seat (as every team; default: the
            table's).
        search_deals: of search with the trained player against it (default: the table's; 0: none, as above).

    Returns:
        dict: mean, standard_error and more of "trained" against the rules, of "search" with the trained player against it, and
        lower bounds of the "exploitability of rules" and "exploitability of trained". All are advantages over what the
        opponents would get themselves.
    """
    from ..training.exploit import exploit

    chosen = baseline(name)
    game = envs.game(chosen.game)
    options = game.make_options(chosen.trained_options)
    deals = chosen.measured if deals is None else deals
    kept = folder / f"{name}-{_digest(name)}.json"
    known = read_json(kept.read_bytes()) if kept.exists() else {}

    def against(spec: str, other: str, deals: int) -> dict[str, Any]:
        agent, opponent = (agents.make(name, game, options) for name in (spec, other))
        return asdict(play.evaluate(agent, opponent, game, options, deals, _EVALUATION_SEED, instead_of=opponent))

    def exploitability(spec: str) -> dict[str, Any]:
        exploited = exploit(spec, game, options, max_seconds=seconds, deals=deals, seed=_LEAGUE_SEED, progress=False)
        return {"mean": exploited.mean, "standard_error": exploited.standard_error, "steps": exploited.steps}

    searched = chosen.search_deals if search_deals is None else search_deals
    work: list[tuple[str, str, float, Callable[[], dict[str, Any]]]] = [
        ("trained", f"{deals} deals", deals, lambda: against("trained", "rules", deals)),
        ("search", f"{searched} deals", searched, lambda: against(chosen.learned_search, "trained", searched)),
        ("exploitability of rules", f"{seconds:g} s", seconds, lambda: exploitability("rules")),
        ("exploitability of trained", f"{seconds:g} s", seconds, lambda: exploitability("trained")),
    ]
    results = {}
    for column, amount, is_asked, run in work:
        kind = chosen.learned_search if column == "search" else column
        if is_asked and f"{kind}, {amount}" not in known:
            known[f"{kind}, {amount}"] = run()
            write_atomically(kept, (json_text(known, indent=2) + "\n").encode())
        before = [key for key in known if key.rpartition(", ")[0] == kind]
        if before:
            results[column] = known[f"{kind}, {amount}" if is_asked else before[-1]]
    return results


def _digest(name: str) -> str:
    """Of a baseline's weights: a new one is measured anew."""
    return hashlib.sha256(trained.weights(name).read_bytes()).hexdigest()[:8]


def section(name: str, league: League) -> str:
    """The league's table with what it was played by, as Markdown."""
    table, about, chosen = league.table(), trained.about(name), baseline(name)
    options = ", ".join(markdown_code(f"{option}={value!r}") for option, value in chosen.options.items())
    sentences = [
        f"{table.matches:,} matches over {table.deals:,} deals, {len(league.teams)} {league.places} a table.",
        f"Options: {options}." if options else "",
        chosen.note,
        f"Trained for {about['steps']:,} steps in {about['seconds'] / 60:.0f} minutes; monte-carlo is "
        f"{markdown_code(chosen.search)}, search-trained {markdown_code(chosen.learned_search)}.",
    ]
    heading, rows = ranking(table)
    return "\n".join([f"## {title(name)}", "", " ".join(filter(None, sentences)), "", *markdown_table(heading, rows), ""])


def page(sections: Sequence[str], summary: Sequence[str], command: str) -> str:
    """A table over all games and the tables of each as one page of Markdown."""
    head = (
        f"# Strength of the agents\n\nMade by {markdown_code(command)} on {time.strftime('%Y-%m-%d')}. "
        "Every deal is played with the agents on every place in turn; intervals are 95 %, over deals. What a score is stands "
        "on the page of each game. Beside solvers, equilibria and exact optima: [outside yardsticks](yardsticks.md)."
    )
    return "\n\n".join([head, "\n".join(summary), *(text.strip() for text in sections)]) + "\n"


_SUMMARY = (
    "The trained player on one place (in a team on its places), rules on all others, and its advantage: what it gets more than "
    "the rules would there; the same of search with the trained player among trained players; and what a player that was "
    "trained against one of them alone wins from it, a lower bound of its exploitability. In a game about money all are chips."
)


_COLUMNS = {
    "trained": "trained: advantage over the rules",
    "search": "search: advantage over trained",
    "exploitability of rules": "exploitability of the rules (lower bound)",
    "exploitability of trained": "exploitability of trained (lower bound)",
}


def summary(measured: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[str]:
    """A line a baseline of what `measure` gave, as Markdown."""
    rows = []
    for name, results in measured.items():
        about = trained.about(name)
        estimates = [_interval(results.get(column)) for column in _COLUMNS]
        won = f"{results['trained']['win_rate']:.1%}"
        rows.append([title(name), estimates[0], won, *estimates[1:], f"{about['steps']:,}", f"{about['seconds'] / 60:.0f}"])
    notes = [f"- {title(name)}: {baseline(name).note}" for name in measured if baseline(name).note]
    trained_heading, *others = _COLUMNS.values()
    heading = ["", trained_heading, "won", *others, "decisions learned from", "minutes"]
    return [_SUMMARY, "", *markdown_table(heading, rows), "", *notes]


def line(measured: Mapping[str, Mapping[str, Any]]) -> str:
    """What `measure` found of one baseline, in a line."""
    return ", ".join(f"{name} {_interval(result)}" for name, result in measured.items())


def _interval(estimate: Mapping[str, Any] | None) -> str:
    return "" if estimate is None else f"{estimate['mean']:+.3f} ± {_95 * estimate['standard_error']:.3f}"
