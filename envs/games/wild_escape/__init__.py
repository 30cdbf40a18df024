"""Wild Escape (da guai lu zi, The Joker's Way): get rid of your cards first, and get your whole team out before the other team.

Six players in two teams of three, three 54-card decks, Jokers wild; one round, or a match over levels with tribute.
Rules: docs/rules/wild_escape.md (clauses WE-01 to WE-33).
"""

from __future__ import annotations

from ...core.cards import DECK_54
from ...core.game import Bounds, Game
from ...core.units import Unit
from ...core.zones import ZoneRole
from .determinize import determinize
from .rules import begin, deal, legal_actions, step
from .state import ACTIONS, DECK, DECKS, EVENTS, EXCHANGES, FIELDS, OBSERVATION, PLAYERS, Options
from .view import describe, observe, zones

_PER_CARD = 2 + PLAYERS - 1  # a play of m cards takes a kind, m cards and at most five passes: 7 m at most
_PER_EXCHANGE = 5  # tribute, two offered cards, answer, higher card


def _max_length(options: Options) -> int:
    if options.episode == "round":
        return DECK * _PER_CARD
    return options.max_rounds * (DECK * _PER_CARD + EXCHANGES * _PER_EXCHANGE)


def _reward_range(options: Options) -> tuple[float, float]:
    return (-1.0, 1.0) if options.episode == "round" else (-4.0, 4.0)  # the last round, and the match


def _return_range(options: Options) -> tuple[float, float]:
    most = 1.0 if options.episode == "round" else options.max_rounds + 3.0
    return -most, most


GAME = Game(
    name="wild_escape",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=lambda options: list(range(DECK_54)) * DECKS,
    describe=describe,
    zones=zones,
    zone_roles={
        "hand": ZoneRole.HAND,
        "table": ZoneRole.PLAYED,
        "chosen": ZoneRole.ROW,
        "offer": ZoneRole.ROW,
        "discard": ZoneRole.HEAP,
    },
    unit=lambda options: Unit("point") if options.episode == "match" else Unit("win", 0.5, "count", 0.5),
    bounds=Bounds(_max_length, _reward_range, return_range=_return_range),
    teams=lambda options: ((0, 2, 4), (1, 3, 5)),
    private=("hand",),
    events=EVENTS,
    player="wilddeck.agents.rules.wild_escape",
    page="docs/rules/wild_escape.md",
    weights="agents/weights",
)
