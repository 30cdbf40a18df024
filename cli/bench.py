"""Measurements and what is made from them, for maintainers most of all: `bench`."""

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
    about = "the benchmarks, and what keeps documents and baselines up to date"
    actions = "GAME | speed | comparator | training | data | map | pages | prompts | strength"
    bench = commands.group("bench", about, actions, usual="speed", alone=True)
    rates = (
        argument("--no-peers", dest="peers", action="store_false", help="leave the other libraries out"),
        argument("--seconds", type=allowed.MEASURED, default=1.0, help="seconds a measurement, for each side (default 1)"),
        JSON,
    )
    bench.add(
        "speed",
        speed,
        "the games, with other libraries side by side where installed; by default of all games, and the comparators",
    ).takes(argument("games", nargs="*", metavar="game", help="games (default all)"), *rates)
    bench.add("comparator", comparator, "the comparators, with other libraries side by side where installed").takes(*rates)
    bench.add("training", training, "the learners' decisions a second, side by side").takes(
        argument("game", nargs="?", default="tennis", help="a game (default tennis)"),
        argument("--rounds", type=allowed.whole(1, 1000), default=5, help="default 5"),
        argument("-n", "--players", type=allowed.whole(1, 127), help="number of players"),
        argument("--threads", type=allowed.THREADS, default=1, help="of the learners (default 1)"),
    )
    bench.add("data", data, "decisions a second that are recorded, read and checked").takes(
        argument("game", nargs="?", default="hearts", help="a game (default hearts)"),
        argument("--agent", default="rules", help="who plays (default rules)"),
        argument("--games", type=allowed.GAMES, default=20_000, help="games (default 20,000)"),
    )
    bench.add("map", games_map, "the map of the games, docs/games.md: measures what is missing").takes(
        argument("names", nargs="*", metavar="name", help="games and variants that are measured anew"),
        _folder("runs/games_map", "where results are kept"),
        argument("--page", type=allowed.path, default=Path("docs/games.md"), help="that is written (default docs/games.md)"),
        argument(
            "--no-search", dest="search", action="store_false", help="do not measure what search gains, which takes longest"
        ),
    )
    bench.add("pages", pages, "fill the tables of the games' pages from their declarations, and the hands that they tell")
    bench.add("prompts", prompts, "write docs/prompts: what language models are asked, and how long that is")
    _declare_strength(bench.group("strength", "the shipped baselines: train them, rank them against other agents"))


def _declare_strength(strength: Commands) -> None:
    folder = _folder("runs/strength", "for runs and leagues")
    strength.add(
        "train", train, "train baselines, or go on with their training, and put them where they are shipped from"
    ).takes(
        argument("names", nargs="*", metavar="name", help="a game, also a variant or another number of players: tennis_v0-2p"),
        flag("--all", "all of them"),
        argument("--steps", type=allowed.STEPS, help="decisions that each learns from (default: the table's)"),
        several(
            "--vary",
            type=_varied,
            metavar="SETTING=VALUE,VALUE...",
            help="train all combinations, values as JSON has them, and ship the best",
        ),
        argument("--executor", choices=("serial", "ray"), default="serial", help="here, or on a Ray cluster"),
        argument("--workers", type=allowed.WORKERS, help="with ray: trainings at once (default: as many as there is room for)"),
        argument("--address", metavar="HOST:PORT", help="join this Ray cluster (default: start one here)"),
        folder,
    )
    strength.add("rank", rank, "measure baselines, and write their lines of docs/strength.md").takes(
        argument("names", nargs="*", metavar="name", help="baselines (default: all that were trained)"),
        argument("--deals", type=_SOME, default=0, help="deals of each league (default 0: no leagues)"),
        argument("--search-deals", type=_SOME, help="of search among trained players (default: the table's; 0: none)"),
        argument("--measured", type=_SOME, help="deals against the rules (default: the table's; 0: none)"),
        argument(
            "--exploit",
            type=allowed.number(0, allowed.DAY),
            default=60,
            help="seconds that the exploiter trains (default 60; 0: none does)",
        ),
        argument("--workers", type=allowed.WORKERS, default=2, help="processes (default 2)"),
        argument(
            "--scores",
            type=allowed.path,
            nargs="+",
            default=[],
            metavar="FILE",
            help="of `wilddeck score`: write their table, and measure nothing unless baselines are named",
        ),
        argument(
            "--page", type=allowed.path, default=Path("docs/strength.md"), help="with the tables (default docs/strength.md)"
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
        raise argparse.ArgumentTypeError(f"must be SETTING=VALUE,VALUE... with values as JSON has them, not {text[:60]!r}")
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
        raise ValueError("name the baselines to train, or say --all")
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
        interrupt.args = ("stopped; the same command goes on from the last checkpoints",)
        raise


def rank(arguments: argparse.Namespace) -> None:
    from ..benchmarks import baselines, strength, strength_page
    from ..benchmarks.score import record, report
    from ..envs.core.files import write_atomically

    for name in arguments.names:
        baselines.baseline(name)  # or there is none
    page: Path = arguments.page

    def write(text: str) -> None:
        write_atomically(page, text.encode())

    text = page.read_text(encoding="utf-8")
    if arguments.scores:
        write(text := strength_page.with_text(text, "scores", report.section([record.load(file) for file in arguments.scores])))
    for name in arguments.names or ([] if arguments.scores else baselines.trained_names()):
        if arguments.deals:
            bar = console(stderr=True)
            with strength.check(name, arguments.deals, arguments.folder, arguments.workers, bar) as league:
                write(text := strength_page.with_lines(text, "leagues", [strength_page.league_line(name, league)]))
        measured = dict(strength.measure(name, arguments.measured, arguments.search_deals, arguments.exploit))
        line = strength_page.baseline_line(name, measured)
        write(text := strength_page.with_lines(text, "baselines", [line]))
        print(plain(", ".join(line.values())), flush=True)
