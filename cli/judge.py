"""The value of single decisions: `judge`."""

from __future__ import annotations

import argparse
import functools

from ..envs.core.escape import plain
from . import arguments as allowed
from .arguments import Commands, argument, several
from .printing import print_json, print_lines, progress_bar
from .shared import GAME, JSON, SANDBOX, SECRET_SEED, TRUST_ZIP, find_options, for_seats

PASSED_ON = ("positions", "worlds", "policy", "seed", "trust", "sandbox")


def declare(commands: Commands) -> None:
    commands.add("judge", judge, "measure how much agents' decisions gain over random ones, in many determinizations").takes(
        *GAME,
        argument("agents", nargs="+", metavar="agent", help="the agents to judge, all at the same positions"),
        argument(
            "--positions", type=allowed.DEALS, default=2000, help="number of positions, forced moves not counted (default 2000)"
        ),
        argument("--worlds", type=allowed.whole(2, 10**6), default=128, help="determinizations per position (default 128)"),
        argument(
            "--policy",
            default="trained",
            help="the playout policy: trained (default), rules, random, a weights file, or several names: trained+rules",
        ),
        several("--among", metavar="AGENT", help="who plays the games: one agent, or one per seat (default: the first policy)"),
        TRUST_ZIP,
        SANDBOX,
        SECRET_SEED,
        JSON,
    )


def judge(arguments: argparse.Namespace) -> None:
    from ..agents.judge import judge

    game, options = find_options(arguments)
    judging = {name: getattr(arguments, name) for name in PASSED_ON}
    if arguments.among:
        judging["among"] = for_seats(arguments.among, options.num_players)
    with progress_bar() as tell:
        done = functools.partial(tell, f"positions of {game.id}")
        judged = judge(arguments.agents, game, options, progress=done, **judging)
    names, games, best = list(judged.gains), len(set(judged.games.tolist())), judged.mean(judged.best)
    if arguments.json:
        rows = {
            name: {
                **judged.gain(name)._asdict(),
                "over": {other: judged.difference(name, other)._asdict() for other in names if other != name},
                "seconds": judged.seconds[name],
            }
            for name in names
        }
        of = {"positions": len(judged.best), "games": games, "worlds": arguments.worlds, "seed": judged.seed}
        return print_json({"game": game.id, "agents": rows, "best_in_hindsight": best._asdict(), **of})
    first = names[0]
    lines = [
        (
            name,
            str(judged.gain(name)),
            "" if name == first else str(judged.difference(name, first)),
            f"{judged.seconds[name]:.2g}",
        )
        for name in names
    ]
    lines.append(("best in hindsight", str(best), str(judged.mean(judged.best - judged.gains[first])), ""))
    heading = ("agent", "gain over random", f"over {first}", "s per decision")
    print_lines(f"Decisions in {game.id}", heading, lines, (False, True, True, True))
    unit = "" if game.money is None else " in chips"
    print(
        plain(
            f"means{unit} with 95 % intervals over {len(judged.best):,} positions of {games:,} games, "
            f"{arguments.worlds:,} determinizations each, playouts by {arguments.policy}; seed {judged.seed}"
        )
    )
    return None
