"""Benchmarks and the documents made from them, mainly for maintainers: `bench`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..envs.core.escape import plain
from . import arguments as allowed
from .arguments import Commands, Declare, argument, flag, several
from .printing import console, print_json
from .shared import JSON, find_game

if TYPE_CHECKING:
    from ..benchmarks.measure import Row

_SOME = allowed.whole(0, 10**9)  # deals


def declare(commands: Commands) -> None:
    about = "run benchmarks, regenerate documents and train baselines (for maintainers)"
    actions = "GAME | speed | comparator | training | data | map | pages | prompts | strength"
    bench = commands.group("bench", about, actions, usual="speed", alone=True)
    rates = (
        argument("--no-peers", dest="peers", action="store_false", help="do not measure other libraries"),
        argument("--seconds", type=allowed.MEASURED, default=1.0, help="seconds per measurement and library (default 1)"),
        JSON,
    )
    bench.add(
        "speed",
        speed,
        "measure the speed of games, next to other libraries if installed",
    ).takes(argument("games", nargs="*", metavar="game", help="games (default: all, and the comparators)"), *rates)
    bench.add("comparator", comparator, "measure the comparators, next to other libraries if installed").takes(*rates)
    bench.add("training", training, "compare the learners' decisions per second").takes(
        argument("game", nargs="?", default="tennis", help="a game (default tennis)"),
        argument("--rounds", type=allowed.whole(1, 1000), default=5, help="rounds of measurement (default 5)"),
        argument("-n", "--players", type=allowed.whole(1, 127), help="number of players"),
        argument("--threads", type=allowed.THREADS, default=1, help="threads of a learner (default 1)"),
    )
    bench.add("data", data, "measure how many decisions per second are recorded, read and checked").takes(
        argument("game", nargs="?", default="hearts", help="a game (default hearts)"),
        argument("--agent", default="rules", help="the agent that plays (default rules)"),
        argument("--games", type=allowed.GAMES, default=20_000, help="number of games (default 20,000)"),
    )
    bench.add("map", games_map, "write docs/games.md, the table of all games, measuring what is missing").takes(
        argument("names", nargs="*", metavar="name", help="games and variants to measure again"),
        _folder("runs/games_map", "folder of the results"),
        argument("--page", type=allowed.path, default=Path("docs/games.md"), help="the page to write (default docs/games.md)"),
        argument("--no-search", dest="search", action="store_false", help="skip the gain of search, the slowest measurement"),
    )
    bench.add("pages", pages, "write the tables and example hands of the games' pages")
    bench.add("prompts", prompts, "write docs/prompts: example prompts for language models, and their lengths")
    _declare_strength(bench.group("strength", "train the shipped baselines and rank them against other agents"))


def _declare_strength(strength: Commands) -> None:
    folder = _folder("runs/strength", "folder of runs and leagues")
    strength.add("train", train, "train baselines, or continue training them, and copy their weights into the package").takes(
        argument("names", nargs="*", metavar="name", help="a game, a variant, or a number of players: tennis_v0-2p"),
        flag("--all", "train all baselines"),
        argument("--steps", type=allowed.STEPS, help="decisions to learn from, per baseline (default: as in the table)"),
        several(
            "--vary",
            type=_varied,
            metavar="SETTING=VALUE,VALUE...",
            help="train all combinations of these values (in JSON), and ship the best",
        ),
        argument("--executor", choices=("serial", "ray"), default="serial", help="train here or on a Ray cluster"),
        argument("--workers", type=allowed.WORKERS, help="with ray: runs in parallel (default: as many as fit)"),
        argument("--address", metavar="HOST:PORT", help="join this Ray cluster (default: start one)"),
        folder,
    )
    strength.add("rank", rank, "measure baselines and write their lines of docs/strength.md").takes(
        argument("names", nargs="*", metavar="name", help="baselines (default: all trained ones)"),
        argument("--deals", type=_SOME, default=0, help="deals per league (default 0: no leagues)"),
        argument(
            "--search-deals", type=_SOME, help="deals of search against trained agents (default: as in the table; 0: none)"
        ),
        argument("--measured", type=_SOME, help="deals against the rules (default: as in the table; 0: none)"),
        argument(
            "--exploit",
            type=allowed.number(0, allowed.DAY),
            default=60,
            help="training time of the exploiter in seconds (default 60; 0: no exploiter)",
        ),
        argument("--workers", type=allowed.WORKERS, default=2, help="worker processes (default 2)"),
        argument(
            "--scores",
            type=allowed.path,
            nargs="+",
            default=[],
            metavar="FILE",
            help="score files of `wilddeck score`: write their table, and measure only baselines that are named",
        ),
        argument(
            "--page", type=allowed.path, default=Path("docs/strength.md"), help="the page to write (default docs/strength.md)"
        ),
        folder,
    )


def _folder(default: str, about: str) -> Declare:
    return argument("--folder", type=allowed.path, default=Path(default), help=f"{about} (default {default})")


def _varied(text: str) -> tuple[str, list[Any]]:
    """`setting=value,value`."""
    name, equals, values = text.partition("=")
    try:
        read = json.loads(f"[{values}]")
    except ValueError:
        read = []
    if not equals or not read:
        raise argparse.ArgumentTypeError(f"must be SETTING=VALUE,VALUE... with values in JSON, not {text[:60]!r}")
    return name.strip(), [tuple(value) if isinstance(value, list) else value for value in read]


def speed(arguments: argparse.Namespace) -> None:
    from ..benchmarks import comparator, throughput

    games = [find_game(name).id for name in arguments.games]
    rows = throughput.run(games or None, arguments.seconds, arguments.peers)
    _print(rows if games else rows + comparator.run(arguments.seconds, arguments.peers), arguments.json)


def comparator(arguments: argparse.Namespace) -> None:
    from ..benchmarks import comparator

    _print(comparator.run(arguments.seconds, arguments.peers), arguments.json)


def _print(rows: Sequence[Row], as_json: bool) -> None:
    from ..benchmarks.measure import table

    if as_json:
        print_json([vars(row) for row in rows])
    else:
        console().print(table(rows))


def training(arguments: argparse.Namespace) -> None:
    from ..benchmarks import training

    options = {} if arguments.players is None else {"num_players": arguments.players}
    print_json(training.measure(find_game(arguments.game).id, arguments.rounds, options, arguments.threads))


def data(arguments: argparse.Namespace) -> None:
    from ..benchmarks import data

    print_json(data.measure(find_game(arguments.game), arguments.agent, arguments.games))


def games_map(arguments: argparse.Namespace) -> None:
    from ..benchmarks import games_map

    games_map.write_page(arguments.names, arguments.folder, arguments.page, arguments.search)


def pages(arguments: argparse.Namespace) -> None:
    from ..benchmarks.told import fill_hands
    from ..envs.pages import fill_tables

    fill_tables()
    fill_hands()


def prompts(arguments: argparse.Namespace) -> None:
    from ..benchmarks.prompts import write_pages

    write_pages()


def train(arguments: argparse.Namespace) -> None:
    from ..benchmarks import strength
    from ..benchmarks.baselines import BASELINES

    if bool(arguments.names) == arguments.all:
        raise ValueError("name the baselines to train, or give --all")
    done = strength.train(
        arguments.names or BASELINES,
        arguments.steps,
        arguments.folder,
        vary=dict(arguments.vary),
        executor=arguments.executor,
        workers=arguments.workers,
        address=arguments.address,
    )
    try:
        for ranked, weights in done:
            for combination, score in sorted(ranked.items(), key=lambda item: -item[1]):
                print(plain(f"{score:+.4f} {combination}"))
            print(plain(weights), flush=True)
    except KeyboardInterrupt as interrupt:
        interrupt.args = ("stopped; to continue from the last checkpoints, repeat the command",)
        raise


def rank(arguments: argparse.Namespace) -> None:
    from ..benchmarks import baselines, strength, strength_page
    from ..benchmarks.score import record, report
    from ..envs.core.files import write_atomically
    from ..envs.pages import with_block

    for name in arguments.names:
        baselines.baseline(name)  # or there is none
    page: Path = arguments.page

    def read() -> str:
        return page.read_text(encoding="utf-8")

    def write(text: str) -> None:
        write_atomically(page, text.encode())

    read()  # a missing page is an error before anything is measured, and later somebody else may have written to it
    if arguments.scores:
        section = report.section([record.load(file) for file in arguments.scores])
        write(with_block(read(), "scores", lambda _: section))
    for name in arguments.names or ([] if arguments.scores else baselines.trained_names()):
        if arguments.deals:
            bar = console(stderr=True)
            with strength.check(name, arguments.deals, arguments.folder, arguments.workers, bar) as league:
                write(strength_page.with_lines(read(), "leagues", [strength_page.league_line(name, league)]))
        measured = dict(strength.measure(name, arguments.measured, arguments.search_deals, arguments.exploit))
        line = strength_page.baseline_line(name, measured)
        write(strength_page.with_lines(read(), "baselines", [line]))
        print(plain(", ".join(line.values())), flush=True)
