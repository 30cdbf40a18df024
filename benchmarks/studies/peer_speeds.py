"""Speeds compared with OpenSpiel and PettingZoo: fills the table of docs/compare.md.

python -m wilddeck.benchmarks.studies.peer_speeds [--seconds 2]

Needs the extra `peers`. Ours and the peer's rounds alternate on one thread; see benchmarks/README.md.
"""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

from ... import envs
from ...cli.arguments import Parser, whole
from ...envs.pages import with_block
from .. import peers, throughput
from ..measure import INSTALL, Work, compare, short

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compare.md"
SAME = {  # games that OpenSpiel also has: our id and options, OpenSpiel's name
    "spades": ("spades_v0", {"deck": "standard"}),
    "hearts": ("hearts_v0", {"deck": "standard"}),
    "bridge": ("bridge_v0", {"deck": "standard"}),
    "crazy_eights": ("crazy_eights_v0", {"deck": "standard"}),
    "go_fish": ("go_fish_v0", {"deck": "standard"}),
    "gin_rummy": ("rummy_v0", {"deck": "standard", "variant": "gin"}),
}


def table(seconds: float) -> str:
    """The page's table in Markdown; each row is printed as soon as it is measured."""
    lines = ["| game | measured | compared with | wilddeck | the other | ratio |", f"|{' --- |' * 6}"]

    def add(game: str, what: str, peer: str, ours: Work, theirs: Work) -> None:
        row = compare(what, "steps/s", ours, peer, theirs, None, seconds)
        low, middle, high = row.ratio or (0.0, 0.0, 0.0)
        cells = (game, what, peer, short(row.ours), short(row.theirs or 0.0), f"{middle:.3g} ({low:.3g} to {high:.3g})")
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)

    for name, (game_id, options) in SAME.items():
        batch, game = throughput.apart(game_id, **options), name.replace("_", " ")
        stepped, rolled = throughput.batch_steps(batch), throughput.rollout_steps(batch)
        add(game, "observations and masks", "OpenSpiel, Python", stepped, peers.openspiel_steps(name))
        add(game, "random play alone", "OpenSpiel, C++", rolled, peers.openspiel_rollouts(name))
    for made in (envs.env, envs.raw_env):
        ours = throughput.loop_steps(made("poker_v0", num_players=2, betting="limit", deck="standard"))
        theirs = throughput.loop_steps(peers.texas_holdem(raw=made is envs.raw_env))
        add("limit hold'em", f"one game, `{made.__name__}()`", "PettingZoo", ours, theirs)
    return "\n".join([*lines, f"\nMeasured on {datetime.date.today()}."]) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.peer_speeds", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=whole(1, 1000), default=2, help="of CPU time for each measurement and side")
    seconds = parser.parse_args(arguments).seconds
    try:
        made = table(seconds)
    except ImportError:
        parser.error(INSTALL)
    PAGE.write_text(with_block(PAGE.read_text(encoding="utf-8"), "speeds", lambda _: made), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
