"""Leagues, matches between agents in one file, and their rankings: `league`."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..envs.core.escape import message, plain
from . import arguments as allowed
from .arguments import Commands, argument, flag, several
from .printing import console, print_json, print_lines, print_rows
from .shared import GAME, JSON, SANDBOX, ZIP, find_game, find_options, print_usage

if TYPE_CHECKING:
    from ..league import Episode, League


def declare(commands: Commands) -> None:
    league = commands.group("league", "play matches between agents and rank the agents")
    file = argument("file", type=allowed.path, help="the league's SQLite file")
    league.add("run", run, "play the missing matches (repeat the command to continue)").takes(
        file,
        *GAME,
        several(*("-a", "--agent"), metavar="[NAME=]AGENT", help="an agent to enter; may be repeated"),
        argument("--deals", type=allowed.DEALS, default=20, help="deals per group of agents and seat rotation (default 20)"),
        argument("--seed", type=allowed.integer, help="derive the deals from this public number (default: a stored secret)"),
        flag("--duplicate", "play each deal with the agents in every seat rotation"),
        argument("--workers", type=allowed.WORKERS, help="threads or processes (default 1; with ray: all processors)"),
        argument(
            "--executor",
            choices=("serial", "thread", "process", "ray"),
            help="where matches are played (default: depends on --workers); thread suits agents that wait for servers",
        ),
        argument("--address", metavar="HOST:PORT", help="join this Ray cluster (default: start one)"),
        argument("--move-seconds", type=allowed.LIMIT, help="time limit per move in seconds; exceeding it forfeits the match"),
        flag("--trust", f"run programs named only in the file (cmd:, module:function); {ZIP}"),
        SANDBOX,
    )
    game = argument("--game", metavar="MODULE:GAME", help="the league's game, if no installed package has it")
    league.add("table", table, "show the ranking, with intervals").takes(file, game, JSON)
    league.add("matrix", matrix, "show head-to-head results").takes(file, game, JSON)
    match = "a match id or a prefix of one (default: the last match); omit it if FILE is a replay (.json)"
    league.add("replay", replay, "replay a match and verify it").takes(
        file,
        argument("match", nargs="?", help=match),
        game,
        JSON,
        argument("--html", type=allowed.path, metavar="FILE", help="write a self-contained HTML page"),
        argument("--svg", type=allowed.path, metavar="FILE", help="write an animated picture"),
    )
    league.add("export", export, "export the results").takes(
        file,
        argument("--format", choices=("json", "csv", "markdown"), default="json", help="output format (default json)"),
        game,
    )


def run(arguments: argparse.Namespace) -> None:
    from ..league import League
    from ..league.terminal import run_league

    game, options = find_options(arguments)
    settings: dict[str, Any] = {} if arguments.move_seconds is None else {"move_seconds": arguments.move_seconds}
    settings |= {"duplicate": True} if arguments.duplicate else {}
    rights = {"trust": arguments.trust, "sandbox": arguments.sandbox}
    with League(arguments.file, game, vars(options), seed=arguments.seed, **rights, **settings) as league:
        for text in arguments.agent:
            name, equals, spec = text.partition("=")
            named = equals and ":" not in name  # "mc:rollouts=200" is an agent string without a name
            league.add(name if named else text, spec if named else text)
        result = run_league(league, arguments.deals, arguments.workers, console(), arguments.executor, arguments.address)
        for line in result.unplayed:
            print(f"not played: {message(line)}", file=sys.stderr)
        print(f"{result.played} matches played, {result.skipped} played before ({result.seconds:.1f} s)")
        print_table(league)


def print_table(league: League) -> None:
    """The ranking without its empty columns, and the notes on single agents."""
    from ..league.export import ranking

    table = league.table()
    title = f"{league.settings.game}: {table.matches:,} matches over {table.deals:,} deals"
    title += "" if table.unit else f", {table.anchor} = 0"
    heading, rows = ranking(table)
    note = heading.index("note")
    used = [column for column in range(note) if column < 2 or any(row[column] for row in rows)]
    right = [heading[column] not in ("agent", "forfeits") for column in used]
    print_lines(title, [heading[column] for column in used], [[row[column] for column in used] for row in rows], right)
    for row in rows:
        if row[note]:
            print(plain(f"{row[1]}: {row[note]}"))
    if usage := league.usage():
        print_usage(usage)


def _open(arguments: argparse.Namespace) -> League:
    from ..league import League

    if arguments.game is not None:
        find_game(arguments.game)
    if not arguments.file.exists():
        raise ValueError(f"there is no league file {arguments.file}; `wilddeck league run` creates one")
    return League(arguments.file)


def table(arguments: argparse.Namespace) -> None:
    with _open(arguments) as league:
        if arguments.json:
            return print_json({**asdict(league.table()), "usage": [asdict(row) for row in league.usage()]})
        print_table(league)
        for failure in league.errors()[:5]:
            place = f"{failure.agent} on seat {failure.seat} of {failure.match[:12]}"
            print(plain(f"{failure.status}: {place}: {failure.message}"))
    return None


def matrix(arguments: argparse.Namespace) -> None:
    from ..league.export import matrix_json, matrix_rows

    with _open(arguments) as league:
        matrix = league.matrix()
        if arguments.json:
            return print_json(matrix_json(matrix))
        heading, right = ["", *matrix.agents], [False] + [True] * len(matrix.agents)
        unit = f", mean {matrix.unit}" if matrix.unit else ""
        print_lines(f"Head-to-head share of points (matches{unit})", heading, matrix_rows(matrix), right)
    return None


def replay(arguments: argparse.Namespace) -> None:
    from ..envs.core.jit import begin_interpreted

    with begin_interpreted():
        episode = _played_again(arguments)
        if arguments.html:
            arguments.html.write_text(episode.to_html(), encoding="utf-8")
        if arguments.svg:
            arguments.svg.write_text(episode.to_svg(), encoding="utf-8")
        if not (arguments.html or arguments.svg):
            _print_episode(episode, arguments.json)


def _played_again(arguments: argparse.Namespace) -> Episode:
    from ..league import Episode

    if arguments.match is None and arguments.file.suffix == ".json":
        if arguments.game is not None:
            find_game(arguments.game)
        return Episode.from_json(arguments.file.read_bytes())
    with _open(arguments) as league:
        match = arguments.match
        if match is None:
            results = league.results()
            if not results:
                raise ValueError(f"{arguments.file} has no matches yet")
            match = results[-1].id
        return league.episode(match)


def _print_episode(episode: Episode, as_json: bool) -> None:
    if as_json:
        return print_json(episode.to_json())
    begin, *by_move = episode.events()
    for event in begin:
        print(f"{'':5} {event.text()}")
    for move, events in zip(episode.moves, by_move, strict=True):
        stand_in = [f"a random move replaces player {move.seat}'s"] if move.stand_in else []
        for line, text in enumerate([event.text() for event in events] + stand_in):
            print(f"{'' if line else move.number + 1:5} {text}")
    rows = episode.to_json()["seats"]
    print_rows(f"Match {episode.match}: as recorded" if episode.match else f"{episode.game.title}: as recorded", rows)
    return None


def export(arguments: argparse.Namespace) -> None:
    with _open(arguments) as league:
        print(league.export(arguments.format))
