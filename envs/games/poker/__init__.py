"""Poker: hold'em, omaha, draw, five- and seven-card stud, Chicago; no limit, pot limit or fixed limit.

Two to ten players, with the Extended Deck or with 52 cards; one hand, or several with chips carried over.
Rules: docs/rules/poker.md (clauses PK-01 to PK-56), docs/rules/extended_deck.md.
"""

from __future__ import annotations

from ...core.extended.view import EXTENDED_ZONES
from ...core.game import Bounds, Game, Money
from ...core.zones import ZoneRole
from .determinize import determinize
from .rules import begin, legal_actions, step
from .state import (
    ACTIONS,
    EVENTS,
    FIELDS,
    OBSERVATION,
    STREETS_OF,
    VARIANTS,
    Options,
    all_chips,
    most_raises,
    stacks_of,
    thousandths,
    unit_of,
)
from .text import LABELS, describe, zones
from .view import observe

_REVEALS = 24  # PK-56
_DRAWS = 10  # of a player: nine marks and the exchange


def _max_length(options: Options) -> int:
    """PK-56."""
    streets = int(STREETS_OF[VARIANTS.index(options.variant)])
    draws = _DRAWS * options.num_players if options.variant == "five_card_draw" else 0
    return options.hands * (options.num_players * (streets + most_raises(options)) + draws + _REVEALS)


def _reward_range(options: Options) -> tuple[float, float]:
    """Of a step. Chips that are carried over may all be lost in a later hand, or won by who had fewest."""
    stacks, everything = stacks_of(options), all_chips(options)
    carried = options.hands > 1 and options.stacks == "carry"
    most_lost = everything if carried else max(stacks)
    most_won = everything if carried else everything - min(stacks)
    return -most_lost / unit_of(options), most_won / unit_of(options)


def _return_range(options: Options) -> tuple[float, float]:
    stacks, unit = stacks_of(options), unit_of(options)
    times = options.hands if options.stacks == "reset" else 1
    return -times * max(stacks) / unit, times * (all_chips(options) - min(stacks)) / unit


GAME = Game(
    name="poker",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(begin, legal_actions, step, observe, determinize),
    describe=describe,
    zones=zones,
    zone_roles={**EXTENDED_ZONES, "up": ZoneRole.PLAYED, "community": ZoneRole.ROW, "muck": ZoneRole.HEAP},
    labels=LABELS,
    bounds=Bounds(_max_length, _reward_range, return_range=_return_range),
    money=Money(unit_of, thousandths),
    private=("down", "best_hand"),
    events=EVENTS,
    player="wilddeck.agents.rules.poker",
    page="docs/rules/poker.md",
    weights="agents/weights",
)
