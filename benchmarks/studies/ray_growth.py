"""How leagues scale on Ray, and what limits them: the figures of docs/guides/ray.md (extra `ray`).

    python -m wilddeck.benchmarks.studies.ray_growth [--seconds S] [--workers 1 2 4 8]

Matches and decisions per second are in wall time, on this machine with its current load. The cost of a match for the process
that runs the league (one process for any cluster) is in CPU time and bytes, which do not depend on the load.
"""

from __future__ import annotations

import argparse
import itertools
import pickle
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ... import agents
from ...cli.arguments import MEASURED, WORKERS, Parser
from ...league import League, MatchResult
from ...league.claims import Claims
from ...league.executors import executor
from ...league.match import Match, Referee
from ...league.schedule import schedule

GAMES = ("tennis_v0", "hearts_v0", "bridge_v0")
_SAMPLE = 200  # matches for measuring the cost
_CHUNK = 64  # matches per write and claim


def matches_of(league: League) -> Iterator[Match]:
    return schedule(league.settings, league.agents, league.team_of, 10**6)


def new_league(folder: str, game: str) -> League:
    """Rule-based players only: a match takes milliseconds, so the overhead is visible."""
    league = League(Path(folder) / f"{game}.sqlite", game, seed=0)
    for k in range(len(league.teams)):
        league.add(f"rules-{k}", "rules")
    return league


def cost(game: str) -> dict[str, float]:
    """The cost of a match: seconds of a worker, decisions, bytes sent and received, seconds of the league's process."""
    with tempfile.TemporaryDirectory() as folder, new_league(folder, game) as league:
        clock = time.process_time
        began = clock()
        matches = list(itertools.islice(matches_of(league), _SAMPLE))
        scheduled = clock() - began
        referee = Referee(league.settings, agents.make)
        referee.play(matches[0])
        began = clock()
        results = [referee.play(match) for match in matches]
        played = clock() - began
        referee.close()
        chunks = [slice(start, start + _CHUNK) for start in range(0, _SAMPLE, _CHUNK)]
        sent, received = ([pickle.dumps(items[chunk]) for chunk in chunks] for items in (matches, results))
        began = clock()
        with Claims(league._store) as claims:
            for _ in claims.take(matches, []):
                pass
        claimed = clock() - began
        began = clock()
        read: list[MatchResult] = [result for data in received for result in pickle.loads(data)]
        for chunk in chunks:
            league._store.add_results(read[chunk])
        written = clock() - began
    return {
        "played": played / _SAMPLE,
        "decisions": sum(len(result.actions) for result in results) / _SAMPLE,
        "sent": sum(map(len, sent)) / _SAMPLE,
        "received": sum(map(len, received)) / _SAMPLE,
        "schedule": scheduled / _SAMPLE,
        "claim": claimed / _SAMPLE,
        "write": written / _SAMPLE,
    }


def speed(game: str, name: str, workers: int, seconds: float) -> tuple[float, float]:
    """Matches and decisions per second, once all workers play."""
    with tempfile.TemporaryDirectory() as folder, new_league(folder, game) as league:
        players = executor(name, league.settings, agents.make, workers=workers)
        count, decisions, began, warm = 0, 0, float("inf"), 20 * workers

        def over() -> bool:
            return time.perf_counter() > began + seconds

        try:
            for result in players.play(matches_of(league), over):
                warm -= 1
                if warm == 0:
                    began = time.perf_counter()
                elif warm < 0:
                    count += 1
                    decisions += len(result.actions)
            took = time.perf_counter() - began
        finally:
            players.close()
    return count / took, decisions / took


def main() -> None:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=MEASURED, default=10.0, help="of each measurement (default 10)")
    parser.add_argument(
        "--workers", type=WORKERS, nargs="*", default=[1, 2, 4, 8], help="default 1 2 4 8; none: only the costs"
    )
    arguments = parser.parse_args()
    columns = "decisions", "played, ms", "scheduled, us", "claimed, us", "written, us", "sent, bytes", "received, bytes"
    print("|", " | ".join(["game", *columns, "workers a driver"]), "|")
    print("|---" * (len(columns) + 2) + "|")
    for game in GAMES:
        costs = cost(game)
        driver = costs["schedule"] + costs["claim"] + costs["write"]
        row = [f"{costs['decisions']:.0f}", f"{1e3 * costs['played']:.1f}"]
        row += [f"{1e6 * costs[name]:.0f}" for name in ("schedule", "claim", "write")]
        row += [f"{costs['sent']:.0f}", f"{costs['received']:.0f}", f"{costs['played'] / driver:.0f}"]
        print("|", " | ".join([game, *row]), "|", flush=True)
    if arguments.workers:
        print("\n| tennis_v0 | workers | matches/s | decisions/s |\n|---|---|---|---|")
    for name in ("process", "ray"):
        for workers in arguments.workers:
            found_speed = speed(GAMES[0], name, workers, arguments.seconds)
            print(f"| {name} | {workers} | {found_speed[0]:,.0f} | {found_speed[1]:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
