"""Old Maid: draw unseen cards from one another and lay pairs; whoever keeps the Old Maid loses.

Two to eight players, each for himself; the Extended Deck or 52 cards, less one Queen. An episode is one deal.
Rules: docs/rules/old_maid.md (clauses OM-01 to OM-43), docs/rules/extended_deck.md.
"""

from __future__ import annotations

import itertools

from ...core.cards import STANDARD, SUIT_TEXT
from ...core.game import Bounds, Game
from ...core.units import Unit
from ...core.zones import ZoneRole
from .determinize import determinize
from .rules import begin, legal_actions, step
from .state import ACTIONS, EVENTS, FIELDS, FIRST_QUEEN, JOKERS, OBSERVATION, TYPE, Options
from .view import describe, draw_label, observe, zones

_IN_SETUP, _IN_TURN = 6, 3  # steps (OM-43)


def _max_length(options: Options) -> int:
    return _IN_SETUP + _IN_TURN * options.max_turns


def _reward_range(options: Options) -> tuple[float, float]:
    return -1.0, float(options.num_players - 1)


def _check_deck(options: Options, ids: list[int]) -> None:
    """OM-09: any choice of Queens is valid."""
    removed = range(len(SUIT_TEXT)) if options.removed_queen == "random" else [SUIT_TEXT.index(options.removed_queen)]
    maids = range(len(SUIT_TEXT)) if options.old_maid == "random" else [SUIT_TEXT.index(options.old_maid)]
    for queen, maid in itertools.product(removed, maids):
        if queen != maid and _is_misdeal(options, [card for card in ids if card != FIRST_QUEEN + queen], FIRST_QUEEN + maid):
            raise ValueError("this deck is a misdeal: the forced pairs alone end the game")


def _is_misdeal(options: Options, dealt: list[int], maid: int) -> bool:
    hands = [dealt[seat :: options.num_players] for seat in range(options.num_players)]
    left = [_unpaired(hand, maid if options.named_maid else None) for hand in hands]
    if not any(card < STANDARD and card != maid for hand in left for card in hand):  # OM-23
        left = [[card for card in hand if card not in JOKERS] if set(JOKERS) <= set(hand) else hand for hand in left]
    return sum(bool(hand) for hand in left) < 2


def _unpaired(hand: list[int], maid: int | None) -> list[int]:
    """The cards left by OM-06; which of three equal cards does not matter here."""
    alone = [card for card in hand if card == maid or card in JOKERS]
    left: dict[int, int] = {}
    for card in hand:
        if card not in alone and left.pop(int(TYPE[card]), None) is None:
            left[int(TYPE[card])] = card
    return [*alone, *left.values()]


GAME = Game(
    name="old_maid",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(begin, legal_actions, step, observe, determinize),
    describe=describe,
    zones=zones,
    zone_roles={"hand": ZoneRole.FAN, "known": ZoneRole.KNOWN, "pairs": ZoneRole.ROW, "removed": ZoneRole.HEAP},
    labels={"draw": draw_label},
    unit=lambda options: Unit("loss", 1 / options.num_players - 1, "count", 1 / options.num_players),
    bounds=Bounds(_max_length, _reward_range),
    check_deck=_check_deck,
    private=("hand",),
    events=EVENTS,
    player="wilddeck.agents.rules.old_maid",
    page="docs/rules/old_maid.md",
    weights="agents/weights",
)
