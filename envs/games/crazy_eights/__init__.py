"""Crazy eights: match the suit or rank of the top card; eights are wild; the first player without cards wins.

Two to seven players; the Extended Deck or 52 cards; an episode is one deal.
Rules: docs/rules/crazy_eights.md (clauses CE-01 to CE-63), docs/rules/extended_deck.md.
"""

from __future__ import annotations

from ...core.extended.view import EXTENDED_ZONES
from ...core.game import Bounds, Game
from ...core.units import Unit
from ...core.zones import ZoneRole
from .determinize import determinize
from .rules import begin, legal_actions, step
from .state import ACTIONS, EVENTS, FIELDS, OBSERVATION, UNIT, Options
from .view import describe, observe, zones

_MOST_POINTS = 1100  # of all cards together, by either count


def _max_length(options: Options) -> int:
    """CE-63."""
    return 5 * options.max_turns + 157 + options.num_players * (options.max_turns + 1)


def _reward_range(options: Options) -> tuple[float, float]:
    if options.reward == "openspiel":
        return -float(_MOST_POINTS), 0.0
    return -_MOST_POINTS / UNIT, _MOST_POINTS / UNIT


GAME = Game(
    name="crazy_eights",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    events=EVENTS,
    functions=(begin, legal_actions, step, observe, determinize),
    describe=describe,
    zones=zones,
    zone_roles={**EXTENDED_ZONES, "top": ZoneRole.ROW, "discards": ZoneRole.ROW},
    unit=lambda options: Unit("point", -1, "count") if options.reward == "openspiel" else Unit("point", UNIT, "ahead"),
    bounds=Bounds(
        _max_length,
        reward_range=_reward_range,
        reward_sum=lambda options: 0.0 if options.reward == "relative" else None,
    ),
    private=("hand",),
    player="wilddeck.agents.rules.crazy_eights",
    page="docs/rules/crazy_eights.md",
    weights="agents/weights",
)
