"""The strength check: train the shipped baselines, and rank them against the random, rule-based and Monte-Carlo players.

    python -m wilddeck.benchmarks.strength train GAME... [--seconds S]   # writes agents/weights/<game>.safetensors and .json
    python -m wilddeck.benchmarks.strength [GAME...] [--deals N]         # plays the leagues and prints their tables

Both go on where they were stopped: a training in its run folder, a league in its file, both below `--folder`. A league's file
carries the digest of the baseline's weights, so that a new baseline begins a new league. Training needs the extra `train`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__, envs
from ..agents import learned, trained
from ..envs.core.escape import json_text, markdown_code, plain
from ..envs.core.files import write_atomically
from ..training.evaluate import evaluate
from ..training.warmup import warmup
from .arguments import DEALS, TRAINED, WORKERS, Parser, path
from .league import League
from .league.export import markdown_table, ranking
from .league.terminal import run_league

if TYPE_CHECKING:
    from rich.console import Console

FOLDER = Path("runs/strength")
_MODULE = "wilddeck.benchmarks.strength"
_EVALUATION_SEED = 0xBA5E  # other deals than the evaluations during training
_LEAGUE_SEED = 0  # our own agents play, so that the page can be made again
_PACKAGES = ("torch", "stable-baselines3", "sb3-contrib", "numpy")


@dataclass(frozen=True)
class Baseline:
    """How a game's baseline is trained and checked.

    Attributes:
        options: of the game, where they are not the defaults.
        settings: of the training, where they are not the defaults of `training.settings.Settings`.
        seconds: training time.
        search: spec of the Monte-Carlo player.
        deals: of the league.
        note: what a reader of the league's table should know.
    """

    options: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    seconds: float = 1800
    search: str = "mc:rollouts=300"
    deals: int = 100
    note: str = ""


# The rules first, and more of the games against them than by default.
_LEARNING = {
    "fixed_opponents": ("rules",),
    "begin_with": "rules",
    "self_share": 0.4,
    "past_share": 0.3,
    "snapshot_every": 400_000,
    "eval_every": 2_000_000,
    "checkpoint_every": 1_000_000,
}

# Games without a line take the defaults.
BASELINES = {
    "tennis_v0": Baseline(settings=_LEARNING | {"begin_with": None, "hidden": (192, 192)}),
    "skin_of_your_teeth_v0": Baseline(settings=_LEARNING),
    "skin_v0": Baseline(
        options={"dead_on_fall": False},
        settings=_LEARNING | {"num_envs": 256, "batch_size": 16384, "entropy": 0.003},
        note="Here ranks that have fallen come back: by default they do not, so all live cards have as many matches left, "
        "every bet is even, and no player gains in the long run.",
    ),
    "wild_escape_v0": Baseline(settings=_LEARNING | {"hidden": (192, 192)}),
    "hearts_v0": Baseline(settings=_LEARNING),
    "spades_v0": Baseline(settings=_LEARNING),
    "bridge_v0": Baseline(settings=_LEARNING),
}


def baseline(game_id: str) -> Baseline:
    return BASELINES.get(game_id, Baseline())


# --- making the baselines ---


def train(game_id: str, seconds: float | None = None, folder: Path = FOLDER, games: int = 2000, progress: bool = True) -> Path:
    """Train a game's baseline, or go on with its training, and put it where it is shipped from.

    Args:
        game_id: the game.
        seconds: training time in all (default: the table's).
        folder: holds the run, `train-<game>`. A finished run goes on if it is given more time.
        games: games of the evaluation against each opponent.
        progress: show a progress bar.

    Returns:
        Path: the weights.

    Raises:
        ValueError: an unknown game, a run with other settings in the folder, or weights that are too large to ship.
    """
    from ..training.train import train as learn

    game, chosen = envs.game(game_id), baseline(game_id)
    warmup(game)  # compiling is no part of the training time
    limit = chosen.seconds if seconds is None else seconds
    run = folder / f"train-{game_id}"
    result = learn(game_id, chosen.options, out=run, resume=True, progress=progress, max_seconds=limit, **chosen.settings)
    data = result.weights.read_bytes()
    if len(data) > trained.MAX_BYTES:
        raise ValueError(f"the weights have {len(data):,} bytes and may have {trained.MAX_BYTES:,}; make `hidden` smaller")
    agent = learned.load(result.weights, game, game.make_options(chosen.options))
    found = evaluate(agent, game_id, chosen.options, games=games, seed=_EVALUATION_SEED)
    about = {
        "game": game_id,
        "command": shlex.join(["python", "-m", _MODULE, "train", game_id, "--seconds", f"{limit:g}"]),
        "made": time.strftime("%Y-%m-%d"),
        "sha256": hashlib.sha256(data).hexdigest(),
        "steps": result.steps,
        "seconds": round(result.seconds),
        "reward_scale": agent.training["reward_scale"],
        "evaluation": {name: asdict(each) for name, each in found.items()},
        "settings": json.loads((run / "settings.json").read_text(encoding="utf-8")),
        "options": agent.trained_options,
        "versions": {
            "wilddeck": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in _PACKAGES},
        },
    }
    path = trained.weights(game_id)
    write_atomically(path.with_suffix(".json"), (json_text(about, indent=2) + "\n").encode())
    write_atomically(path, data)
    return path


# --- checking them ---


def check(
    game_id: str, deals: int | None = None, folder: Path = FOLDER, workers: int = 2, console: Console | None = None
) -> League:
    """Play a game's league of the random, rule-based, Monte-Carlo and trained players, as far as it has not been played.

    Args:
        game_id: a game with a baseline.
        deals: (default: the table's).
        folder: holds the league's file.
        workers: processes.
        console: where progress is shown.

    Returns:
        The league; close it after use.

    Raises:
        ValueError: the game has no baseline.
    """
    chosen, weights = baseline(game_id), trained.weights(game_id)
    if not weights.exists():
        raise ValueError(f"{game_id} has no trained baseline; games that have one: {', '.join(trained.games()) or 'none'}")
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()[:8]
    league = League(folder / f"{game_id}-{digest}.sqlite", game_id, chosen.options, seed=_LEAGUE_SEED, duplicate=True)
    specs = {"random": "random", "rules": "rules", "monte-carlo": chosen.search, "trained": "trained"}
    specs |= {f"rules-{k}": "rules" for k in range(2, len(league.teams) - len(specs) + 2)}  # a table with more places
    for name, spec in specs.items():
        league.add(name, spec)
    run_league(league, chosen.deals if deals is None else deals, workers, console)
    return league


def section(league: League) -> str:
    """The league's table with what it was played by, as Markdown."""
    table, game_id = league.table(), league.settings.game
    game, about, chosen = envs.game(game_id), trained.about(game_id), baseline(game_id)
    search = next(entry.spec for entry in league.agents if entry.name == "monte-carlo")
    options = ", ".join(markdown_code(f"{name}={value!r}") for name, value in chosen.options.items())
    sentences = [
        f"{table.matches:,} matches over {table.deals:,} deals, {len(league.teams)} {league.places} a table.",
        f"Options: {options}." if options else "",
        chosen.note,
        f"Trained for {about['steps']:,} steps in {about['seconds'] / 60:.0f} minutes; search is {markdown_code(search)}.",
    ]
    heading, rows = ranking(table)
    return "\n".join([f"## {game.title}", "", " ".join(filter(None, sentences)), "", *markdown_table(heading, rows), ""])


def page(sections: Sequence[str], command: str) -> str:
    """The tables of several games as one page of Markdown."""
    head = (
        f"# Strength of the agents\n\nMade by {markdown_code(command)} on {time.strftime('%Y-%m-%d')}. "
        "Every deal is played with the agents on every place in turn; intervals are 95 %, over deals. What a score is stands "
        "on the page of each game."
    )
    return "\n\n".join([head, *(each.strip() for each in sections)]) + "\n"


# --- the command ---


def main(words: Sequence[str] | None = None) -> None:
    given = list(sys.argv[1:] if words is None else words)
    training = given[:1] == ["train"]
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=path, default=FOLDER, help=f"for runs and leagues (default {FOLDER})")
    if training:
        parser.add_argument("game", nargs="+", choices=envs.game_ids())
        parser.add_argument("--seconds", type=TRAINED, help="training time of each game (default: the table's)")
    else:
        parser.add_argument("game", nargs="*", help="games (default: all that have a baseline)")
        parser.add_argument("--deals", type=DEALS, help="deals of each league (default: the table's)")
        parser.add_argument("--workers", type=WORKERS, default=2, help="processes (default 2)")
        parser.add_argument("--out", type=path, help="the page that is written (default FOLDER/strength.md)")
    arguments = parser.parse_args(given[1:] if training else given)
    if training:
        for game_id in arguments.game:
            print(plain(train(game_id, arguments.seconds, arguments.folder)))
        return
    from rich.console import Console

    sections = []
    for game_id in arguments.game or trained.games():
        with check(game_id, arguments.deals, arguments.folder, arguments.workers, Console(stderr=True)) as league:
            sections.append(section(league))
            print(sections[-1], flush=True)
    written = arguments.out or arguments.folder / "strength.md"
    write_atomically(written, page(sections, shlex.join(["python", "-m", _MODULE, *given])).encode())
    print(plain(f"written: {written}"))


if __name__ == "__main__":
    main()
