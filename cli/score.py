"""One score for an agent over all games: `score`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..envs.core.escape import message, plain
from ..envs.core.files import write_atomically
from . import arguments as allowed
from .arguments import Commands, argument, flag, several
from .printing import print_json, print_lines, progress_bar
from .shared import JSON, SANDBOX, TRUST_ZIP, print_usage

if TYPE_CHECKING:
    from ..benchmarks.score.record import Record

FOLDER = Path("runs/score")
_EXAMPLES = """\
examples:
  wilddeck score rules                             the rule-based agents: 1 by definition
  wilddeck score mc:rollouts=50 --workers 2        search, in two processes
  wilddeck score my.module:make --games tennis,hearts
  wilddeck score --agent tennis=runs/tennis/agent.safetensors --agent hearts=trained
  wilddeck score llm:model=qwen3,base_url=http://localhost:8000/v1 --mini --workers 24
                                                   a language model, on a few deals; 24 matches in parallel
  wilddeck score compare A.json B.json
  wilddeck score table A.json B.json --plot profile.svg

AGENT is an agent string (see `wilddeck --help`). `wilddeck score AGENT` is short for `wilddeck score run AGENT`.
"""


def declare(commands: Commands) -> None:
    about = "give an agent one score over all games: random agents get 0, the rule-based agents 1"
    score = commands.group("score", about, "AGENT | run | compare | table", usual="run", epilog=_EXAMPLES)
    plot = argument("--plot", type=allowed.path, metavar="FILE", help="draw the performance profile (SVG)")
    score.add("run", run, "play the missing matches of an agent's score (repeat the command to continue)").takes(
        argument("agent", nargs="?", help="the agent for all games"),
        several("--agent", dest="agents", metavar="GAME=AGENT", help="the agent for one game; may be repeated"),
        several(
            "--games",
            metavar="NAME[,NAME...]",
            help="games and variants (tennis,poker-omaha), or all; default: every game without variants",
        ),
        flag("--mini", "the small suite, for slow or expensive agents: a few deals of the shorter games against the rules"),
        argument(
            "--deals",
            type=allowed.whole(1, 10_000),
            help="deals per game, each played from every seat (default 200; with --mini 4)",
        ),
        argument("--seed", type=allowed.integer, default=0, help="seed of the deals (default 0, the protocol's)"),
        argument("--name", help="name of the agent in tables (default: its agent string)"),
        argument("--file", type=allowed.path, metavar="FILE", help=f"the score file, JSON (default {FOLDER}/NAME.json)"),
        plot,
        argument(
            "--workers",
            type=allowed.WORKERS,
            default=1,
            help="processes for agents that play one match at a time; for language models, parallel matches (default 1)",
        ),
        argument(
            "--move-seconds",
            type=allowed.LIMIT,
            default=10.0,
            help="time limit per move for such agents, in seconds; exceeding it forfeits the match (default 10)",
        ),
        TRUST_ZIP,
        SANDBOX,
        JSON,
    )
    score.add("compare", compare, "compare two agents' scores on the same deals").takes(
        argument("first", type=allowed.path, help="a score file"),
        argument("second", type=allowed.path, help="another score file of the same protocol"),
        JSON,
    )
    score.add("table", table, "show score files as a table, Markdown or a plot").takes(
        argument("files", type=allowed.path, nargs="+", metavar="FILE", help="a score file"),
        plot,
        flag("--markdown", "print Markdown"),
    )


def _default_file(name: str) -> Path:
    """The file of the score of an agent of this name."""
    return FOLDER / (re.sub(r"[^\w.=-]+", "_", name)[:80].strip("._") + ".json")


def run(arguments: argparse.Namespace) -> None:
    from ..benchmarks.score import playing, record, suite

    pairs = [text.partition("=") for text in arguments.agents]
    for game, equals, spec in pairs:
        if not (equals and game.strip() and spec.strip()):
            raise ValueError(f"--agent has the form GAME=AGENT, not {game + equals + spec!r}")
    specs = {suite.find_name(game.strip()): spec.strip() for game, _, spec in pairs}
    if len(specs) < len(pairs):
        raise ValueError("--agent names a game more than once")
    request = playing.ScoreRequest(
        arguments.agent,
        specs,
        suite.find_names(arguments.games) if arguments.games else None,
        arguments.name,
        arguments.deals,
        arguments.seed,
        arguments.workers,
        arguments.move_seconds,
        arguments.trust,
        arguments.sandbox,
        arguments.mini,
    )
    if arguments.mini and arguments.plot is not None:
        raise ValueError("the small suite (--mini) has no scores to draw (--plot)")
    request.names()  # raises before a file is made
    path = arguments.file or _default_file(request.title())
    score = _played(request, path)
    _draw([score], arguments.plot)
    usage = playing.usage(score, path)
    if arguments.json:
        return print_json({**record.summary(score), "usage": [asdict(row) for row in usage]})
    _print([score])
    if usage:
        print_usage(usage)
    print(plain(f"written: {path}"))
    return None


def _played(request: Any, path: Path) -> Record:
    """The score, with a progress bar in a terminal."""
    from ..benchmarks.score import playing

    with progress_bar() as tell:
        return playing.run(request, path, tell)


def compare(arguments: argparse.Namespace) -> None:
    from ..benchmarks.score import record, report

    first, second = (record.load(path) for path in (arguments.first, arguments.second))
    comparison = record.compare(first, second)
    if arguments.json:
        return print_json(report.comparison_json(first, second, comparison))
    heading, rows = report.comparison_table(first, second, comparison)
    print_lines(f"{first.name} and {second.name}", heading, rows, [False] + [True] * (len(heading) - 1))
    for line in report.comparison_lines(first, second, comparison):
        print(plain(line))
    return None


def table(arguments: argparse.Namespace) -> None:
    from ..benchmarks.score import record, report

    records = [record.load(path) for path in arguments.files]
    _draw(records, arguments.plot)
    if arguments.markdown:
        print(report.section(records), end="")
    else:
        _print(records)


def _draw(records: Sequence[Record], path: Path | None) -> None:
    if path is not None:
        from ..benchmarks.score import plot

        write_atomically(path, plot.profiles(records).encode())


def _print(records: Sequence[Record]) -> None:
    from ..benchmarks.score import report

    if len(records) == 1:
        shown = "score over others in the same seat" if records[0].mini else "score, and mean results against others"
        title = f"{records[0].name}: {records[0].deals} deals of each game; {shown}"
        heading, rows = report.game_table(records[0])
        print_lines(title, heading, rows, [False] + [True] * (len(heading) - 1))
    else:
        heading, rows = report.agent_table(records)
        print_lines(
            "The small suite: probability of improvement" if records[0].mini else "Scores (random 0, rules 1)",
            heading,
            rows,
            [False] + [True] * (len(heading) - 1),
        )
    for record in records:
        for line in report.lines(record):
            print(message(line))
