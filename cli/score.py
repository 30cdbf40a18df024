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
from .shared import JSON, TRUST_ZIP, print_usage

if TYPE_CHECKING:
    from ..benchmarks.score.record import Record

FOLDER = Path("runs/score")
_EXAMPLES = """\
examples:
  wilddeck score rules                             the rule-based players: 1 by definition
  wilddeck score mc:rollouts=50 --workers 2        search, match by match in two processes
  wilddeck score my.module:make --games tennis,hearts
  wilddeck score --agent tennis=runs/tennis/agent.safetensors --agent hearts=trained
  wilddeck score llm:model=qwen3,base_url=http://localhost:8000/v1 --mini --workers 24
                                                   a language model, on few deals; 24 matches at once
  wilddeck score compare A.json B.json
  wilddeck score table A.json B.json --plot profile.svg

AGENT is a spec (`wilddeck --help`). `wilddeck score AGENT` is short for `wilddeck score run AGENT`.
"""


def declare(commands: Commands) -> None:
    about = "one score for an agent over all games: random is 0, the rule-based players are 1"
    score = commands.group("score", about, "AGENT | run | compare | table", usual="run", epilog=_EXAMPLES)
    plot = argument("--plot", type=allowed.path, metavar="FILE", help="draw the performance profile, SVG")
    score.add("run", run, "play what is missing of an agent's score (run again to go on)").takes(
        argument("agent", nargs="?", help="the agent for all games"),
        several("--agent", dest="agents", metavar="GAME=SPEC", help="the agent of one game"),
        several(
            "--games",
            metavar="NAME[,NAME...]",
            help="games and variants (tennis, poker-omaha), or all of them (all); default: every game once",
        ),
        flag(
            "--mini",
            "the small suite: few deals of the shorter games against the rules, for agents that are slow or cost money",
        ),
        argument(
            "--deals",
            type=allowed.whole(1, 10_000),
            help="of each game, each played on every place (default 200; with --mini 4)",
        ),
        argument("--seed", type=allowed.integer, default=0, help="other deals than the protocol's (default 0)"),
        argument("--name", help="what the agent is called (default: its spec)"),
        argument("--file", type=allowed.path, metavar="FILE", help=f"the score, JSON (default {FOLDER}/NAME.json)"),
        plot,
        argument(
            "--workers",
            type=allowed.WORKERS,
            default=1,
            help="processes (matches at once, of language models), for agents that do not play by the batch (default 1)",
        ),
        argument(
            "--move-seconds",
            type=allowed.LIMIT,
            default=10.0,
            help="time of such an agent for a move; who takes longer forfeits",
        ),
        TRUST_ZIP,
        flag("--sandbox", "run cmd: bots under bubblewrap (bot guide)"),
        JSON,
    )
    score.add("compare", compare, "two agents' scores on the same deals").takes(
        argument("first", type=allowed.path, help="a score's file"),
        argument("second", type=allowed.path, help="another, played by the same protocol"),
        JSON,
    )
    score.add("table", table, "scores that were played: a table, a section of Markdown, a picture").takes(
        argument("files", type=allowed.path, nargs="+", metavar="FILE", help="a score's file"),
        plot,
        flag("--markdown", "print Markdown"),
    )


def _default_file(name: str) -> Path:
    """Where the score of an agent of this name is kept."""
    return FOLDER / (re.sub(r"[^\w.=-]+", "_", name)[:80].strip("._") + ".json")


def run(arguments: argparse.Namespace) -> None:
    from ..benchmarks.score import playing, record, suite

    pairs = [text.partition("=") for text in arguments.agents]
    for game, equals, spec in pairs:
        if not (equals and game.strip() and spec.strip()):
            raise ValueError(f"write an agent of one game as GAME=SPEC, not {game + equals + spec!r}")
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
    request.names()  # before a file is made for nothing
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
    """The score, with a progress bar where somebody looks on."""
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
        told = (
            "what it gets more than others in its place"
            if records[0].mini
            else "its score, and its mean results against others"
        )
        title = f"{records[0].name}: {records[0].deals} deals of each game; {told}"
        heading, rows = report.game_table(records[0])
        print_lines(title, heading, rows, [False] + [True] * (len(heading) - 1))
    else:
        heading, rows = report.agent_table(records)
        print_lines(
            "The small suite: probability of improvement" if records[0].mini else "Scores: random is 0, rules 1",
            heading,
            rows,
            [False] + [True] * (len(heading) - 1),
        )
    for record in records:
        for line in report.lines(record):
            print(message(line))
