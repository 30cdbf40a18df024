"""The strength check: train the shipped baselines, and rank them against the random, rule-based and Monte-Carlo players.

    wilddeck bench strength train NAME... [--steps N]     # writes agents/weights/<name>.safetensors and .json
    wilddeck bench strength train --all [--steps N] [--executor ray [--address HOST:PORT]]
    wilddeck bench strength train NAME --vary seed=0,1,2 --vary learning_rate=0.003,0.006     # ships the best
    wilddeck bench strength rank [NAME...] [--deals N]      # measures them, and writes their lines of docs/strength.md

A name is a game, or a variant or another number of players that has weights of its own (poker_v0-omaha, tennis_v0-2p).

A training that was stopped continues from its run folder, and a league from its file, both below `--folder`. A league's file
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
from ..agents.imports import imported
from ..agents.learned import LearnedAgent
from ..envs.core.escape import json_text
from ..envs.core.files import write_atomically
from ..envs.core.game import Game, Options
from ..league import League
from ..league.terminal import run_league
from ..training import cluster
from ..training.evaluate import evaluate
from ..training.settings import Settings
from ..training.warmup import warmup
from ..version import __version__
from .baselines import LEARNING, Baseline, baseline, trained_names

if TYPE_CHECKING:
    from rich.console import Console

FOLDER = Path("runs/strength")
EVALUATED = 2000  # games against each opponent in the evaluation of a shipped baseline
_EVALUATION_SEED = 0xBA5E  # deals different from the evaluations during training
_LADDER_SEED = 0x1ADDE  # and from both
_LEAGUE_SEED = 0  # fixed, since all agents are ours, so that the page is reproducible
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
    """Train baselines, locally one after another or on a Ray cluster, and write them to the folder of shipped weights.

    Args:
        names: rows of the table.
        steps: total decisions that each learns from (default: the table's).
        folder: holds the runs, `train-<name>`. A finished run continues if it gets more steps.
        progress: show a progress bar for local training.
        vary: values of settings; all combinations are trained, and the best of each name is shipped.
        executor: "serial" or "ray".
        workers, address: of the cluster: the number of parallel trainings, and its address; see `training.cluster`.

    Yields:
        For each baseline when it is done: its name, the ladder of its combinations (see `ladder`; a single one has none), and
        the path of its weights.

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
        if chosen.solver and vary:
            raise ValueError(f"the baseline {name} is solved, not trained; no setting can be varied")
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
    """Train in a run's folder, or continue there; what has a solver is solved anew. Returns the description of the weights, and
    the weights as shipped."""
    game = envs.game(chosen.game)
    options = game.make_options(chosen.trained_options)
    agent, made = _solved(chosen, game, options, settings) if chosen.solver else _trained(run, chosen, settings, progress)
    small = run / _SMALL
    small.parent.mkdir(parents=True, exist_ok=True)
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
        **made,
        "evaluation": {other: asdict(evaluation) for other, evaluation in evaluations.items()},
        "options": learned.plain_options(options),
        "versions": {
            "wilddeck": __version__,
            "python": platform.python_version(),
            **{package: version(package) for package in _PACKAGES},
        },
    }, data


def _trained(run: Path, chosen: Baseline, settings: Mapping[str, Any], progress: bool) -> tuple[LearnedAgent, dict[str, Any]]:
    """A trained agent, and how it was made."""
    from ..training.train import train as learn

    game = envs.game(chosen.game)
    warmup(game)  # training time excludes compilation
    result = learn(game, chosen.trained_options, out=run, resume=True, progress=progress, **settings)
    options = game.make_options(chosen.trained_options)
    agent = learned.load(result.weights, game, options)
    if chosen.finish:
        agent = imported(chosen.finish)(agent, game, options)
    return agent, {
        "steps": result.steps,
        "seconds": round(result.seconds),
        "reward_scale": agent.training["reward_scale"],
        "settings": json.loads((run / "settings.json").read_text(encoding="utf-8")),
        **({"finish": chosen.finish} if chosen.finish else {}),
    }


def _solved(chosen: Baseline, game: Game, options: Options, settings: Mapping[str, Any]) -> tuple[LearnedAgent, dict[str, Any]]:
    """The agent of a baseline's solver, and how it was made."""
    begun, steps = time.monotonic(), settings["total_steps"]
    agent = imported(chosen.solver)(game, options, steps)
    return agent, {
        "steps": steps,
        "seconds": round(time.monotonic() - begun),
        "settings": {"game": chosen.game, "options": chosen.trained_options, "total_steps": steps},
        "solver": chosen.solver,
    }


def _ship(name: str, about: Mapping[str, Any], data: bytes) -> Path:
    path = trained.weights(name)
    write_atomically(path.with_suffix(".json"), (json_text(about, indent=2) + "\n").encode())
    write_atomically(path, data)
    return path


def ladder(candidates: Mapping[str, Path], name: str, deals: int = 500) -> dict[str, float]:
    """The mean score of each weights file against the rules and against all other files, on the same deals.

    (The shipped evaluation uses different deals, so that selecting the best does not bias it.)
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


def check(name: str, deals: int, folder: Path = FOLDER, workers: int = 2, console: Console | None = None) -> League:
    """Play the remaining matches of a baseline's league of the random, rule-based, Monte-Carlo and trained players.

    Args:
        name: a trained baseline.
        deals: each is played with every choice of agents in every place.
        folder: holds the league's file.
        workers: processes.
        console: where progress is shown.

    Returns:
        The league; close it after use.

    Raises:
        ValueError: there is no such baseline, or it has not been trained.
    """
    chosen, weights = baseline(name), trained.weights(name)
    if not weights.exists():
        raise ValueError(
            f"the baseline {name} has not been trained; baselines that have: {', '.join(trained_names()) or 'none'}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    league = League(folder / f"{name}-{_digest(name)}.sqlite", chosen.game, chosen.options, seed=_LEAGUE_SEED, duplicate=True)
    specs = {"random": "random", "rules": "rules", "trained": "trained"}
    specs |= {"mc": chosen.search, "mc-trained": chosen.learned_search}
    specs |= {f"rules-{k}": "rules" for k in range(2, len(league.teams) - len(specs) + 2)}  # a table with more places
    for agent, spec in specs.items():
        league.add(agent, spec)
    run_league(league, deals, workers, console)
    return league


def measure(
    name: str, deals: int | None = None, search_deals: int | None = None, seconds: float = 60
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Measure a trained baseline outside its league.

    Args:
        name: a trained baseline.
        deals: of the trained player against the rules, and of the exploiter, each from every seat (as every team; default: the
            table's; 0: neither is measured).
        search_deals: of search with the trained player against it (default: the table's; 0: not measured).
        seconds: the exploiter's training time; 0: no exploiter.

    Yields:
        Column and result (mean, standard_error and more): "trained" against the rules, "search" with the trained player against
        it, and the lower bound of the "exploitability" of trained. All are advantages over what the opponents would get
        themselves.
    """
    from ..training.exploit import exploit

    chosen = baseline(name)
    game = envs.game(chosen.game)
    options = game.make_options(chosen.trained_options)
    deals = chosen.measured if deals is None else deals
    search_deals = chosen.search_deals if search_deals is None else search_deals

    def against(spec: str, other: str, deals: int) -> dict[str, Any]:
        agent, opponent = (agents.make(name, game, options) for name in (spec, other))
        return asdict(play.evaluate(agent, opponent, game, options, deals, _EVALUATION_SEED, instead_of=opponent))

    if deals:
        yield "trained", against("trained", "rules", deals)
    if search_deals:
        yield "search", against(chosen.learned_search, "trained", search_deals)
    if deals and seconds:
        exploited = exploit("trained", game, options, max_seconds=seconds, deals=deals, seed=_LEAGUE_SEED, progress=False)
        yield "exploitability", {"mean": exploited.mean, "standard_error": exploited.standard_error}


def _digest(name: str) -> str:
    """The digest of a baseline's weights; new weights are measured again."""
    return hashlib.sha256(trained.weights(name).read_bytes()).hexdigest()[:8]
