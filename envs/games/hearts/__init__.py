"""Hearts (Black Lady): tricks without trumps; avoid winning hearts and the Queen of Spades.

Four players, each for himself, with a pass of three cards; the Extended Deck or 52 cards; one hand, or a match to 100.
Rules: docs/rules/hearts.md (clauses HE-01 to HE-51), docs/rules/extended_deck.md.
"""

from __future__ import annotations

from ...core.cards import BIG_JOKER, SMALL_JOKER
from ...core.extended.state import TRICKS
from ...core.extended.tricks import MAX_STEPS
from ...core.extended.view import EXTENDED_ZONES, TRICK_ZONES
from ...core.game import Bounds, Game
from ...core.match import hands_of
from ...core.units import Unit
from ...core.zones import ZoneRole
from .determinize import determinize
from .rules import begin, deal, legal_actions, step
from .state import (
    ACTIONS,
    EVENTS,
    FIELDS,
    MAX_POINTS,
    OBSERVATION,
    PASSED,
    PLAYERS,
    TWO_OF_CLUBS,
    Options,
    points_of_hand,
)
from .view import describe, observe, play_label, zones

_CLAIMS = PLAYERS - 1


def _max_length(options: Options) -> int:
    """HE-51."""
    return hands_of(options) * (PLAYERS * PASSED + _CLAIMS + MAX_STEPS)


def _points(options: Options) -> tuple[int, int]:
    """The least and the most that a player can have at the end."""
    low, high = points_of_hand(options)
    return (low, high) if options.match == "hand" else (options.max_hands * low, options.target - 1 + high)


def _reward_range(options: Options) -> tuple[float, float]:
    low, high = _points(options)
    if options.reward == "openspiel":
        return float(MAX_POINTS - high), float(MAX_POINTS - low)
    most = (high - low) * (1 - 1 / PLAYERS) / (options.target if options.match == "match" else MAX_POINTS)
    return -max(1.0, most), max(1.0, most)


def _check_deck(options: Options, ids: list[int]) -> None:
    dealt = PLAYERS * TRICKS
    if {TWO_OF_CLUBS, SMALL_JOKER, BIG_JOKER}.isdisjoint(ids[:dealt]):  # HE-03
        raise ValueError(f"this deck is a misdeal: neither 2c nor a Joker is among the {dealt} cards dealt")


GAME = Game(
    name="hearts",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(deal, begin, legal_actions, step, observe, determinize),
    describe=describe,
    zones=zones,
    zone_roles={**EXTENDED_ZONES, **TRICK_ZONES, "passed": ZoneRole.ROW},
    labels={"play": play_label},
    unit=lambda options: (
        Unit("point", -1, "count", MAX_POINTS)
        if options.reward == "openspiel"
        else Unit("point", options.target if options.match == "match" else MAX_POINTS, "ahead")
    ),
    bounds=Bounds(
        _max_length,
        reward_range=_reward_range,
        reward_sum=lambda options: 0.0 if options.reward == "relative" else None,
    ),
    check_deck=_check_deck,
    private=("hand",),
    events=EVENTS,
    player="wilddeck.agents.rules.hearts",
    page="docs/rules/hearts.md",
    weights="agents/weights",
)
