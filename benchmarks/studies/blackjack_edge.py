"""The house edge against basic strategy in ordinary blackjack, compared with published figures for the same rules.

python -m wilddeck.benchmarks.studies.blackjack_edge [--hands 4000000] [--json]
"""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import numpy as np

from ... import envs
from ...agents import rules
from ...cli.arguments import Parser, whole

# The effect of each rule on the house edge in percent of a bet, as published at thecolorofblackjack.com/solution_one.html; the
# edge of a set of rules is their sum. Tables differ by a few hundredths, depending on whether they use totals or cards.
ONE_DECK, SIX_DECKS, DOUBLE_AFTER_SPLIT, LATE_SURRENDER, HITS_SOFT_17, SIX_TO_FIVE = 0.02, 0.53, -0.13, -0.06, 0.20, 1.39
_SIX = ONE_DECK + SIX_DECKS + DOUBLE_AFTER_SPLIT
PUBLISHED: list[tuple[dict[str, Any], float]] = [
    ({"decks": 6}, _SIX + LATE_SURRENDER),
    ({"decks": 6, "surrender": "none"}, _SIX),
    ({"decks": 6, "dealer_soft17": "hit", "surrender": "none"}, _SIX + HITS_SOFT_17),
    ({"decks": 6, "naturals": "6:5"}, _SIX + LATE_SURRENDER + SIX_TO_FIVE),
]
ROUGHLY = 0.06  # percent


def edge(options: dict[str, Any], hands: int) -> tuple[float, float]:
    """The house's mean win as a share of the bet, and its standard error."""
    batch = envs.make_batch("blackjack_v0", 1000, seed=5, deck="standard", num_players=1, **options)
    policy = rules.policy("blackjack_v0")
    returns: list[float] = []
    played: list[int] = []
    while sum(played) < hands:
        result = batch.rollout(200, policy)
        returns.append(float(np.sum(result.returns)))
        played.append(int(result.games))
    parts = np.array(returns) / np.array(played)
    return -float(np.sum(returns)) / sum(played), float(np.std(parts, ddof=1) / math.sqrt(len(parts)))


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.blackjack_edge", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hands", type=whole(100_000, 1_000_000_000), default=4_000_000, help="hands for each set of rules")
    parser.add_argument("--json", action="store_true", help="print JSON")
    settings = parser.parse_args(arguments)
    rows = []
    for options, published in PUBLISHED:
        mean, error = edge(options, settings.hands)
        good = abs(100 * mean - published) < 3 * 100 * error + ROUGHLY
        rows.append({"options": options, "edge": 100 * mean, "error": 100 * error, "published": published, "ok": good})
    if settings.json:
        print(json.dumps(rows))
    else:
        for row in rows:
            print(f"{row['edge']:6.3f} +- {row['error']:.3f} %   published {row['published']:.2f} %   {row['options']}")
    return 0 if all(row["ok"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
