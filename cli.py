"""The command `wilddeck`: list, show, play, watch, run, train, evaluate, exploit and rank, for every game."""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import os
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import __version__, games
from .benchmarks import arguments as allowed
from .benchmarks.arguments import Parser
from .benchmarks.printing import console as _console
from .benchmarks.printing import print_json as _print_json
from .benchmarks.printing import print_lines as _print_lines
from .benchmarks.printing import print_rows as _print_rows
from .benchmarks.printing import print_values as _print_values
from .benchmarks.score import command as score
from .envs.core.escape import message, plain

if TYPE_CHECKING:
    from .envs.core.game import Game, Options
    from .league import Episode, League

EPILOG = """\
examples:
  wilddeck play tennis                          play against rule-based agents in the terminal
  wilddeck rollout tennis --games 4096          how fast it runs here
  wilddeck train tennis --seconds 120           self-play training into runs/
  wilddeck exploit tennis rules                 how much an opponent wins that was trained against the rules
  wilddeck league run my.sqlite tennis -a random -a rules -a mc --deals 50
  wilddeck league table my.sqlite
  wilddeck score rules                          one score over all games, random being 0 and the rules 1

agents are named by text: random, rules, rules:STYLE, mc, mc:rollouts=200,policy=trained, trained, a weights file
(.safetensors, .npz), 'cmd:COMMAND' for a program that speaks JSON lines (docs/guides/bots.md), or 'module:function' for a
function of Python that is given the game and its options and returns an agent (wilddeck.agents.base.Agent).
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        int: the exit status: 0 fine, 1 failed, 128 and the number of the signal that interrupted it (130: Ctrl-C).

    Raises:
        SystemExit: 2 if the arguments are wrong, 0 after `--help` and `--version`, as argparse has it.
    """
    arguments = None
    try:
        _begin_output()
        arguments = _parser().parse_args(argv)
        status = arguments.run(arguments) or 0
        sys.stdout.flush()  # what cannot be written shows here, not when Python ends
        return status
    except KeyboardInterrupt as interrupt:
        print(f"wilddeck: {message(interrupt) or 'interrupted'}", file=sys.stderr)
        return 128 + getattr(interrupt, "signal", signal.SIGINT)
    except BrokenPipeError:
        return 1  # nobody reads on, so nothing is said
    except (ValueError, OSError, RuntimeError, ImportError, MemoryError) as error:
        if arguments is not None and arguments.traceback:
            raise
        print(f"wilddeck: {message(error) or 'out of memory'}", file=sys.stderr)
        return 1
    finally:
        _end_output()


def _begin_output() -> None:
    """A standard output that can be written to, whatever its encoding, also where it was closed."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - for the rest of the process
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _end_output() -> None:
    """What is left of an output that broke goes nowhere, or Python would complain of it at its end."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --- arguments ---


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="wilddeck",
        description="Card-game environments for reinforcement learning.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"wilddeck {__version__}")
    parser.add_argument("--traceback", action="store_true", help="show where an error comes from")
    commands = _group(parser, "COMMAND")

    add = _adder(commands)
    add("games", _games, "list the games", _json)
    add("show", _show, "a game's rules, spaces and options", _game_only, _json)
    add("play", _play, "play in the terminal against agents", _game, _opponents, _secret, _seat)
    add("watch", _watch, "watch agents play", _game, _agents, _secret, _delay)
    add("rollout", _rollout, "play thousands of random games and say how fast", _game, _rollout_arguments, _seed, _json)
    add("warmup", _warmup, "compile the games now, so that nothing has to wait later", _some_games)
    add("bench", _bench, "the benchmarks, with other libraries side by side where installed", _bench_arguments, _json)
    add("train", _train, "train an agent by self-play", _game, _train_arguments)
    add("evaluate", _evaluate, "an agent's results against others", _game, _evaluate_arguments, _secret, _json)
    about = "train a best response to an agent: what it wins is a lower bound of how exploitable the agent is"
    add("exploit", _exploit, about, _game, _exploited, _exploit_arguments, _secret, _json)
    add("serve", _serve, "play, watch, step through replays and see leagues in the browser", _serve_arguments)
    add("demo", _demo, "train, rank and report, on two games", _demo_arguments)

    league = commands.add_parser("league", help="matches between agents, kept in a file, and their ranking")
    add = _adder(_group(league, "ACTION"))
    add("run", _league_run, "play the matches that are missing (run again to go on)", _league_file, _game, _league_arguments)
    add("table", _league_table, "the ranking, with intervals", _league_file, _json)
    add("matrix", _league_matrix, "head to head", _league_file, _json)
    add(
        "replay",
        _league_replay,
        "play a match again and check it",
        _league_file,
        _replay_arguments,
        _json,
    )
    add("export", _league_export, "results as json, csv or markdown", _league_file, _export_arguments)
    score.declare(commands, _adder)
    return parser


def _group(parser: argparse.ArgumentParser, metavar: str) -> Any:
    """Commands below one that by itself prints its help."""
    parser.set_defaults(run=lambda arguments: parser.print_help())
    return parser.add_subparsers(metavar=metavar)


Run = Callable[[argparse.Namespace], "int | None"]
Declare = Callable[[Parser], None]


def _adder(commands: Any) -> Callable[..., None]:
    def add(name: str, run: Run, help_text: str, *declare: Declare) -> None:
        parser = commands.add_parser(name, help=help_text, description=f"{help_text[0].upper()}{help_text[1:]}.")
        for each in declare:
            each(parser)
        parser.set_defaults(run=run)

    return add


def _json(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _game_only(parser: Parser) -> None:
    parser.add_argument("game", type=allowed.words, help="for example tennis or tennis_v0; `wilddeck games` lists them")


def _game(parser: Parser) -> None:
    _game_only(parser)
    parser.add_argument("-n", "--players", type=allowed.whole(1, 127), help="number of players")
    parser.add_argument(
        "-o",
        "--option",
        type=allowed.words,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game (`wilddeck show GAME`)",
    )


def _seed(parser: Parser) -> None:
    parser.add_argument(
        "--seed", type=allowed.integer, default=0, help="equal seeds give equal games, neighbours most of them (default 0)"
    )


def _secret(parser: Parser) -> None:
    parser.add_argument(
        "--seed",
        type=allowed.integer,
        help="equal seeds give equal deals, neighbours most of them, known to all who know the seed (default: a fresh one)",
    )


def _seat(parser: Parser) -> None:
    parser.add_argument("--seat", type=allowed.whole(0, 126), default=0, help="your seat (default 0)")


def _sandbox(parser: Parser) -> None:
    parser.add_argument(
        "--sandbox", action="store_true", help="run cmd: bots under bubblewrap: no network, no files but their own (bot guide)"
    )


def _seated(parser: Parser, who: str) -> None:
    each = f"{who}; give one for all or one a seat (default rules)"
    parser.add_argument("-a", "--agent", type=allowed.words, action="append", help=each)
    _sandbox(parser)


def _opponents(parser: Parser) -> None:
    _seated(parser, "an opponent")


def _agents(parser: Parser) -> None:
    _seated(parser, "an agent")


def _delay(parser: Parser) -> None:
    parser.add_argument("--delay", type=allowed.number(0, 3600), default=0.5, help="seconds between moves (default 0.5)")


def _some_games(parser: Parser) -> None:
    parser.add_argument("game", type=allowed.words, nargs="*", help="games (default all)")


def _rollout_arguments(parser: Parser) -> None:
    parser.add_argument("--games", type=allowed.GAMES, default=1024, help="games at once (default 1024)")
    parser.add_argument("--steps", type=allowed.STEPS, default=2000, help="steps of each (default 2000)")
    parser.add_argument("--threads", type=allowed.THREADS, default=1)
    parser.add_argument("--policy", choices=("random", "rules"), default="random")


def _bench_arguments(parser: Parser) -> None:
    parser.add_argument("--no-peers", action="store_true", help="leave the other libraries out")
    parser.add_argument("--seconds", type=allowed.MEASURED, default=1.0, help="seconds a measurement (default 1)")


def _train_arguments(parser: Parser) -> None:
    parser.add_argument("--out", type=allowed.path, metavar="FOLDER", help="run folder (default runs/GAME)")
    parser.add_argument("--steps", type=allowed.STEPS, help="learner steps (default: the configuration's)")
    parser.add_argument("--seconds", type=allowed.TRAINED, help="stop after so much time, compiling not counted")
    parser.add_argument("--resume", action="store_true", help="go on with the run that is in the folder, by its settings")
    parser.add_argument("--seed", type=allowed.integer, help="equal seeds give equal agents (default 0)")
    parser.add_argument("--learner", choices=("ppo", "sb3"), help="compiled PPO on all seats (default), or Stable-Baselines3's")
    parser.add_argument(
        "--init-from", type=allowed.words, metavar="AGENT", help="a player to copy first, or weights to go on with"
    )
    parser.add_argument("--tensorboard", action="store_true", help="write TensorBoard logs besides CSV")
    _trust(parser, "with --resume: run the programs that the folder names as agents (cmd:, module:function)")
    _set(parser)


def _set(parser: Parser) -> None:
    parser.add_argument(
        "--set",
        type=allowed.words,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting, such as learning_rate=0.003 (training guide)",
    )


_ZIP = "load .zip files of Stable-Baselines3, which can run code"


def _trust(parser: Parser, what: str) -> None:
    parser.add_argument("--trust", action="store_true", help=what)


def _evaluate_arguments(parser: Parser) -> None:
    parser.add_argument("agent", type=allowed.words, help="the agent to evaluate")
    parser.add_argument("--against", type=allowed.words, action="append", help="opponents (default random and rules)")
    parser.add_argument("--games", type=allowed.GAMES, default=1000, help="games against each (default 1000)")
    _trust(parser, _ZIP)
    _sandbox(parser)


def _exploited(parser: Parser) -> None:
    parser.add_argument("agent", type=allowed.words, help="the agent that is exploited; one that plays by the batch")


def _exploit_arguments(parser: Parser) -> None:
    parser.add_argument("--seconds", type=allowed.TRAINED, default=60, help="training time, compiling not counted (default 60)")
    parser.add_argument("--deals", type=allowed.DEALS, default=2000, help="measured on so many deals (default 2000)")
    parser.add_argument("--weights", type=allowed.path, metavar="FILE", help="keep the exploiter's (.safetensors, .npz)")
    parser.add_argument("--threads", type=allowed.THREADS, default=1, help="for playing and learning (default 1)")
    _trust(parser, _ZIP)
    _set(parser)


def _league_file(parser: Parser) -> None:
    parser.add_argument("file", type=allowed.path, help="the league's SQLite file")


def _league_arguments(parser: Parser) -> None:
    parser.add_argument(
        "-a", "--agent", type=allowed.words, action="append", default=[], metavar="[NAME=]SPEC", help="an agent that takes part"
    )
    parser.add_argument(
        "--deals", type=allowed.DEALS, default=20, help="how often each group of agents plays in every rotation"
    )
    parser.add_argument(
        "--seed", type=allowed.integer, help="make the deals from this number, for all to know (default: a secret)"
    )
    parser.add_argument("--duplicate", action="store_true", help="replay deals with the agents on every seat")
    parser.add_argument("--workers", type=allowed.WORKERS, help="processes (default 1: this one; with ray: all processors)")
    parser.add_argument(
        "--executor", choices=("serial", "process", "ray"), help="where matches are played (default: by --workers)"
    )
    parser.add_argument("--address", type=allowed.words, metavar="HOST:PORT", help="join this Ray cluster (default: start one)")
    parser.add_argument("--move-seconds", type=allowed.LIMIT, help="time a move; who takes longer forfeits")
    _trust(parser, f"run the programs that only the file names (cmd:, module:function); {_ZIP}")
    _sandbox(parser)


def _replay_arguments(parser: Parser) -> None:
    match = "id of a match, or its beginning (default: the last one); none where the file is a replay, .json"
    parser.add_argument("match", type=allowed.words, nargs="?", help=match)


def _export_arguments(parser: Parser) -> None:
    parser.add_argument("--format", choices=("json", "csv", "markdown"), default="json")


def _serve_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--league", type=allowed.path, action="append", default=[], metavar="FILE", help="show a league; may be given again"
    )
    parser.add_argument("--runs", type=allowed.path, metavar="FOLDER", help="show the training runs in a folder")
    parser.add_argument("--port", type=allowed.PORT, default=8000, help="default 8000")
    parser.add_argument(
        "--host", type=allowed.words, default="127.0.0.1", help="an address others can reach, too (default: this machine only)"
    )
    parser.add_argument(
        "--allow-host",
        type=allowed.host_name,
        action="append",
        default=[],
        metavar="NAME",
        help="a name by which browsers may ask for it, besides its own address; may be given again",
    )
    parser.add_argument(
        "-a",
        "--agent",
        type=allowed.words,
        action="append",
        default=[],
        help="a weights file, bot (cmd:...) or function (module:...) that browsers may play against; no others of these",
    )
    _sandbox(parser)


def _demo_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--out",
        type=allowed.path,
        metavar="FOLDER",
        default=Path("runs/demo"),
        help="for everything it makes (default runs/demo)",
    )
    parser.add_argument(
        "--seconds",
        type=allowed.TRAINED,
        default=60,
        help="training time of the first game, of which the second has its share (default 60)",
    )


# --- what the commands share ---


def _find_game(name: str) -> Game:
    """A game by id, or by name alone (its newest version)."""
    from .envs import game

    versions = [game_id for game_id in games() if game_id.rpartition("_v")[0] == name]
    return game(versions[-1] if versions else name)


def _find_options(arguments: argparse.Namespace) -> tuple[Game, Options]:
    game = _find_game(arguments.game)
    return game, game.make_options(_given_options(arguments))


def _given_options(arguments: argparse.Namespace) -> dict[str, Any]:
    given = [_option(text) for text in arguments.option]
    if arguments.players is not None:
        given.append(("num_players", arguments.players))
    return _each_once(given)


def _each_once(given: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(given)
    if len(values) < len(given):
        names = [name for name, _ in given]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} is given more than once")
    return values


def _settings(given: Sequence[tuple[str, Any]], known: Sequence[str]) -> dict[str, Any]:
    settings = _each_once(given)
    for name in settings:
        if name not in known:
            raise ValueError(f"unknown setting {name!r}; settings: {', '.join(known)}")
    return settings


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"write an option as NAME=VALUE, not {text!r}")
    return name.strip(), _value(value.strip())


def _value(text: str) -> Any:
    if "," in text:
        return tuple(_value(part.strip()) for part in text.split(",") if part.strip())
    words = {"true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _for_seats(specs: Sequence[str], seats: int) -> list[str]:
    """One spec for all, or one a seat."""
    if len(specs) == 1:
        return list(specs) * seats
    if len(specs) != seats:
        raise ValueError(f"give one agent for all {seats} seats or one for each, not {len(specs)}")
    return list(specs)


# --- commands ---


def _games(arguments: argparse.Namespace) -> None:
    rows = []
    for game_id in games():
        game = _find_game(game_id)
        options = game.options()
        rows.append(
            {
                "game": game_id,
                "title": game.title,
                "players": game.options.player_counts(),
                "actions": game.num_actions(options),
                "observation": game.observation_size(options),
                "record_bytes": game.state.itemsize,
            }
        )
    if arguments.json:
        return _print_json(rows)
    shown = [{name: row[name] for name in ("game", "title", "players", "actions", "observation")} for row in rows]
    _print_rows("Games (sizes with the default number of players)", shown)
    return None


def _show(arguments: argparse.Namespace) -> None:
    from .envs.pages import page

    game = _find_game(arguments.game)
    options = game.options()
    if arguments.json:
        players = options.num_players
        return _print_json(
            {
                "game": game.id,
                "title": game.title,
                "options": [
                    dict(zip(("name", "values", "default", "meaning"), row, strict=True)) for row in game.options.table()
                ],
                "actions": {name: [where.start, where.stop] for name, where in game.actions.slices(players).items()},
                "observation": {name: [where.start, where.stop] for name, where in game.observation.slices(players).items()},
                "record": [[name, str(game.state[name])] for name in game.state.names or ()],
            }
        )
    from rich.markdown import Markdown

    console = _console()
    text = page(game)
    if console.is_terminal:
        with console.pager(styles=True):
            console.print(Markdown(text))
    else:
        print(text)
    return None


def _play(arguments: argparse.Namespace) -> None:
    from .agents.terminal import play_terminal

    game, options = _find_options(arguments)
    opponents = _for_seats(arguments.agent or ["rules"], options.num_players - 1)
    how = {"seat": arguments.seat, "seed": arguments.seed, "sandbox": arguments.sandbox}
    play_terminal(game, options, opponents, console=_console(), **how)


def _watch(arguments: argparse.Namespace) -> None:
    from .agents.terminal import watch

    game, options = _find_options(arguments)
    agents = _for_seats(arguments.agent or ["rules"], options.num_players)
    how = {"seed": arguments.seed, "delay": arguments.delay, "sandbox": arguments.sandbox}
    if watch(game, options, agents, console=_console(), **how) is None:
        raise KeyboardInterrupt


def _rollout(arguments: argparse.Namespace) -> None:
    from .envs.core.batch import Batch

    game, options = _find_options(arguments)
    policy: Any = arguments.policy
    if policy == "rules":
        from .agents import make

        policy = make("rules", game, options).policy  # type: ignore[attr-defined]
    batch = Batch(game, options, arguments.games, arguments.seed, arguments.threads)
    batch.rollout(1, policy)
    begin = time.perf_counter()
    result = batch.rollout(arguments.steps, policy)
    seconds = time.perf_counter() - begin
    row = {
        "game": game.id,
        "players": options.num_players,
        "steps": result.steps,
        "games_finished": result.games,
        "seconds": round(seconds, 3),
        "steps_per_second": round(result.steps / seconds),
        "mean_return_by_seat": " ".join(f"{value / max(result.games, 1):+.3f}" for value in result.returns),
    }
    if arguments.json:
        return _print_json({**row, "returns": result.returns.tolist()})
    _print_values(f"Rollout by the {arguments.policy} policy", row)
    return None


def _warmup(arguments: argparse.Namespace) -> None:
    from .training.warmup import warmup

    for game in [_find_game(name) for name in arguments.game or games()]:
        begin = time.perf_counter()
        warmup(game, progress=functools.partial(_print_part, game.id))
        print(f"{game.id}: ready ({time.perf_counter() - begin:.1f} s)")


def _print_part(game_id: str, part: str, number: int, total: int) -> None:
    print(f"{game_id}: {part} ({number} of {total})", flush=True)


def _bench(arguments: argparse.Namespace) -> None:
    from .benchmarks import comparator, throughput

    rows = throughput.run(seconds=arguments.seconds, peers=not arguments.no_peers)
    rows += comparator.run(seconds=arguments.seconds, peers=not arguments.no_peers)
    if arguments.json:
        return _print_json([vars(row) for row in rows])
    _console().print(throughput.table(rows))
    return None


def _train(arguments: argparse.Namespace) -> None:
    from .training.settings import Settings
    from .training.train import stored_settings, train

    game = _find_game(arguments.game)
    out = arguments.out or Path("runs") / game.name
    if arguments.resume and stored_settings(out) is None:
        raise ValueError(f"{out} holds no run to go on with; without --resume a new one begins")
    limits = {"total_steps": arguments.steps, "max_seconds": arguments.seconds, "seed": arguments.seed}
    limits |= {"learner": arguments.learner, "init_from": arguments.init_from}
    known = [each.name for each in fields(Settings) if each.name not in ("game", "options")]
    settings = _settings([*((k, v) for k, v in limits.items() if v is not None), *map(_option, arguments.set)], known)
    options = _given_options(arguments)
    how = {"tensorboard": arguments.tensorboard, "trust": arguments.trust}
    result = train(game.id, options, out=out, resume=arguments.resume, **how, **settings)
    last = result.evaluations[-1].win_rates if result.evaluations else {}
    wins = ", ".join(f"{rate:.1%} of games against {name}" for name, rate in last.items())
    print(plain(f"{result.steps:,} steps in {result.seconds:.0f} s; wins {wins or 'not measured'}"))
    print(plain(f"weights: {result.weights}"))


def _evaluate(arguments: argparse.Namespace) -> None:
    from .training import evaluate

    game, options = _find_options(arguments)
    against = arguments.against or ["random", "rules"]
    results = evaluate.evaluate(
        arguments.agent,
        game.id,
        vars(options),
        against=against,
        games=arguments.games,
        seed=arguments.seed,
        trust=arguments.trust,
        sandbox=arguments.sandbox,
    )
    if arguments.json:
        return _print_json({name: vars(result) for name, result in results.items()})
    _console().print(evaluate.table(results))
    return None


def _exploit(arguments: argparse.Namespace) -> None:
    from .training.exploit import SETTINGS, exploit

    game, options = _find_options(arguments)
    settings = _settings([_option(text) for text in arguments.set], SETTINGS)
    found = exploit(
        arguments.agent,
        game,
        options,
        seconds=arguments.seconds,
        deals=arguments.deals,
        weights=arguments.weights,
        seed=arguments.seed,
        threads=arguments.threads,
        trust=arguments.trust,
        progress=not arguments.json,
        **settings,
    )
    low, high = found.interval
    row = {
        "game": game.id,
        "exploiter": f"{found.exploiter.name} after {found.exploiter.steps:,} decisions",
        "it_gets": f"{found.result.mean:+.4f}",
        "the_agent_itself_would_get": f"{found.own:+.4f}",
        "gain": f"{found.mean:+.4f}",
        "95_%": f"{low:+.4f} … {high:+.4f}",
        "it_gets_by_seat_or_team": " ".join(f"{mean:+.3f}" for mean in found.result.team_means),
        "best_score_of_a_game": f"{found.result.win_rate:.1%}",
        "measured_on": f"{found.result.games:,} games",
        "learned_from": f"{found.steps:,} decisions in {found.seconds:.0f} s",
        "began_with": found.beginning or "nothing",
        "seed": str(found.seed),
    }
    if arguments.json:
        weights = None if found.weights is None else str(found.weights)
        return _print_json({**asdict(found), "weights": weights, "interval": found.interval, "meaning": found.meaning})
    _print_values(f"Exploiting {found.agent}", row)
    print(plain(found.meaning))
    if found.weights is not None:
        print(plain(f"weights: {found.weights}"))
    return None


def _serve(arguments: argparse.Namespace) -> None:
    from .web.serve import serve

    shown = arguments.league, arguments.runs
    serve(arguments.host, arguments.port, arguments.agent, *shown, arguments.sandbox, arguments.allow_host)


def _demo(arguments: argparse.Namespace) -> None:
    from .benchmarks import demo
    from .league.terminal import run_league

    def play(league: League, deals: int) -> None:
        run_league(league, deals, 2, console)
        _print_table(league)

    console = _console()
    demo.run(arguments.out, arguments.seconds, console, play)
    leagues = " ".join(f"--league {shlex.quote(str(path))}" for path in sorted(arguments.out.glob("*.sqlite")))
    command = "wilddeck" if shutil.which("wilddeck") else shlex.quote(sys.argv[0])  # `make` keeps it in an environment
    print(plain(f"all of it in the browser: {command} serve {leagues} --runs {shlex.quote(str(arguments.out))}"))


# --- leagues ---


def _league_run(arguments: argparse.Namespace) -> None:
    from .league import League
    from .league.terminal import run_league

    game, options = _find_options(arguments)
    limits: dict[str, Any] = {} if arguments.move_seconds is None else {"move_seconds": arguments.move_seconds}
    limits |= {"duplicate": True} if arguments.duplicate else {}
    rights = {"trust": arguments.trust, "sandbox": arguments.sandbox}
    with League(arguments.file, game.id, vars(options), seed=arguments.seed, **rights, **limits) as league:
        for text in arguments.agent:
            name, equals, spec = text.partition("=")
            named = equals and ":" not in name  # "mc:rollouts=200" is a spec without a name
            league.add(name if named else text, spec if named else text)
        where = arguments.executor, arguments.address
        result = run_league(league, arguments.deals, arguments.workers, _console(), *where)
        for line in result.unplayed:
            print(f"not played: {message(line)}", file=sys.stderr)
        print(f"{result.played} matches played, {result.skipped} were there already ({result.seconds:.1f} s)")
        _print_table(league)


def _print_table(league: League) -> None:
    from .league.export import ranking

    table = league.table()
    title = f"{league.settings.game}: {table.matches:,} matches over {table.deals:,} deals, {table.anchor} = 0"
    heading, rows = ranking(table)
    note = heading.index("note")
    used = [column for column in range(note) if column < 2 or any(row[column] for row in rows)]
    right = [heading[column] not in ("agent", "forfeits") for column in used]
    _print_lines(title, [heading[column] for column in used], [[row[column] for column in used] for row in rows], right)
    for row in rows:
        if row[note]:
            print(plain(f"{row[1]}: {row[note]}"))


def _open_league(arguments: argparse.Namespace) -> League:
    from .league import League

    if not arguments.file.exists():
        raise ValueError(f"there is no league {arguments.file}; `wilddeck league run` makes one")
    return League(arguments.file)


def _league_table(arguments: argparse.Namespace) -> None:
    with _open_league(arguments) as league:
        if arguments.json:
            return _print_json(asdict(league.table()))
        _print_table(league)
        for failure in league.errors()[:5]:
            where = f"{failure.agent} on seat {failure.seat} of {failure.match[:12]}"
            print(plain(f"{failure.status}: {where}: {failure.message}"))
    return None


def _league_matrix(arguments: argparse.Namespace) -> None:
    from .league.export import matrix_json, matrix_rows

    with _open_league(arguments) as league:
        matrix = league.matrix()
        if arguments.json:
            return _print_json(matrix_json(matrix))
        heading, right = ["", *matrix.agents], [False] + [True] * len(matrix.agents)
        unit = f", mean {matrix.unit} in them" if matrix.unit else ""
        _print_lines(f"Share of points against each other (matches{unit})", heading, matrix_rows(matrix), right)
    return None


def _league_replay(arguments: argparse.Namespace) -> None:
    from .league import Episode

    if arguments.match is None and arguments.file.suffix == ".json":
        return _show_episode(Episode.from_json(arguments.file.read_bytes()), arguments.json)
    with _open_league(arguments) as league:
        match = arguments.match
        if match is None:
            results = league.results()
            if not results:
                raise ValueError(f"{arguments.file} holds no matches yet")
            match = results[-1].id
        return _show_episode(Episode.of(league.replay(match)), arguments.json)


def _show_episode(episode: Episode, as_json: bool) -> None:
    if as_json:
        return _print_json(episode.to_json())
    for move in episode.moves:
        stand_in = " (stand-in)" if move.stand_in else ""
        print(plain(f"{move.number + 1:5} player_{move.seat} ({move.agent}): {move.label}{stand_in}"))
    rows = episode.to_json()["seats"]
    _print_rows(f"Match {episode.match}: as recorded" if episode.match else f"{episode.game.title}: as recorded", rows)
    return None


def _league_export(arguments: argparse.Namespace) -> None:
    with _open_league(arguments) as league:
        print(league.export(arguments.format))


if __name__ == "__main__":
    sys.exit(main())
