"""Rummy: make groups and runs of cards and go out; basic rummy, gin rummy and contract rummy.

Two to six players; the Extended Deck or 52 cards, in contract rummy two decks. An episode is one deal, in contract rummy up to
seven. Rules: docs/rules/rummy.md (clauses RM-01 to RM-63), docs/rules/extended_deck.md.
"""

from __future__ import annotations

from ...core.cards import ALIKE_JOKERS
from ...core.extended.view import EXTENDED_ZONES
from ...core.game import Bounds, Game
from ...core.zones import ZoneRole
from .determinize import determinize
from .rules import begin, deal, legal_actions, step
from .state import ACTIONS, DECKS, EVENTS, FIELDS, MOST_CARDS, OBSERVATION, Options, deck_of
from .view import card_label, describe, observe, take_label, zones

_BASIC_POINTS, _CONTRACT_POINTS = 1100, 5500
_GIN_POINTS = {"standard": 98, "extended": 480}


def _max_length(options: Options) -> int:
    """The steps of a deal: of its turns, of composing melds and laying off, and of revealed cards."""
    cards = len(deck_of(options))
    decks = DECKS if options.variant == "contract" else 1
    turns = cards + options.upcard_cap if options.variant == "gin" else options.max_turns
    offers = options.num_players - 1 if options.variant == "contract" else 0
    deals = options.deals if options.variant == "contract" else 1
    return deals * (turns * (2 + offers) + 2 * cards + 44 + 24 * decks)


def _reward_range(options: Options) -> tuple[float, float]:
    most = {"basic": _BASIC_POINTS, "contract": _CONTRACT_POINTS}.get(options.variant)
    if most is None:
        most = _GIN_POINTS[options.deck] + max(options.gin_bonus, options.undercut_bonus)
    return -float(most), float(most)


def _return_range(options: Options) -> tuple[float, float]:
    low, high = _reward_range(options)
    deals = options.deals if options.variant == "contract" else 1
    return low * deals, high * deals


GAME = Game(
    name="rummy",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=deck_of,
    describe=describe,
    zones=zones,
    zone_roles={**EXTENDED_ZONES, "discards": ZoneRole.ROW, "meld": ZoneRole.MELD},
    cards=ALIKE_JOKERS,
    labels={"card": card_label, "take_discard": take_label},
    deck_size=MOST_CARDS,
    bounds=Bounds(_max_length, _reward_range, return_range=_return_range),
    private=("hand",),
    events=EVENTS,
    player="wilddeck.agents.rules.rummy",
    page="docs/rules/rummy.md",
    weights="agents/weights",
)
