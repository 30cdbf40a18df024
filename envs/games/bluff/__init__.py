"""Bluff (Cheat, I Doubt It): play cards face down and claim their rank, which the others may challenge.

Two to eight players, the Extended Deck or 52 cards; the first to be rid of their cards wins.
Rules: docs/rules/bluff.md (clauses BL-01 to BL-53), docs/rules/extended_deck.md.
"""

from __future__ import annotations

from ...core.extended.sets import SPECIALS
from ...core.extended.view import EXTENDED_ZONES
from ...core.game import Bounds, Game
from ...core.units import wins
from ...core.zones import ZoneRole
from .rules import begin, legal_actions, step
from .state import ACTIONS, EVENTS, FIELDS, OBSERVATION, Options
from .view import claim_label, describe, determinize, observe, zones


def _max_length(options: Options) -> int:
    """BL-53: of a turn the name of the rank, the cards, the answers; and reveals (ED-85)."""
    return options.max_turns * (options.num_players + (options.max_play or 0)) + 2 * SPECIALS


GAME = Game(
    name="bluff",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    events=EVENTS,
    functions=(begin, legal_actions, step, observe, determinize),
    describe=describe,
    zones=zones,
    zone_roles={**EXTENDED_ZONES, "put": ZoneRole.ROW, "heap": ZoneRole.ROW, "out": ZoneRole.ROW},
    labels={"play": claim_label},
    unit=wins,
    bounds=Bounds(_max_length, lambda options: (-1.0 / (options.num_players - 1), 1.0)),
    private=("hand", "own_in_heap"),
    rotated_by={"required": (1.0,)},
    player="wilddeck.agents.rules.bluff",
    page="docs/rules/bluff.md",
    weights="agents/weights",
)
