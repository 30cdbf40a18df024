"""Contract bridge: an auction, then thirteen tricks in which declarer also plays dummy's open hand.

Four players in two partnerships, the Extended Deck or the ordinary one; one deal with duplicate scoring, or a rubber.
Rules: docs/rules/bridge.md (clauses BR-01 to BR-70).
"""

from __future__ import annotations

from ...core.extended.tricks import MAX_STEPS
from ...core.extended.view import EXTENDED_ZONES, TRICK_ZONES
from ...core.game import Bounds, Game
from ...core.units import Unit
from .rules import begin, determinize, legal_actions, step
from .state import ACTIONS, BIDS, EVENTS, FIELDS, OBSERVATION, Options, most_points
from .view import describe, observe, zones

_MOST_CALLS = 3 + 9 * BIDS + 1  # BR-70: three passes, each bid doubled and redoubled after two passes, and a last pass


def _max_length(options: Options) -> int:
    deals = options.max_deals if options.scoring == "rubber" else 1
    return deals * (_MOST_CALLS + MAX_STEPS)


def _reward_range(options: Options) -> tuple[float, float]:
    most = most_points(options)
    largest = most / 1000 if options.reward == "scaled" else float(most)
    return -largest, largest


GAME = Game(
    name="bridge",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(begin, legal_actions, step, observe, determinize),
    describe=describe,
    zones=zones,
    zone_roles={**EXTENDED_ZONES, **TRICK_ZONES},
    unit=lambda options: Unit("point", 1000 if options.reward == "scaled" else 1),
    bounds=Bounds(_max_length, _reward_range),
    teams=lambda options: ((0, 2), (1, 3)),
    private=("hand",),
    events=EVENTS,
    player="wilddeck.agents.rules.bridge",
    page="docs/rules/bridge.md",
    weights="agents/weights",
)
