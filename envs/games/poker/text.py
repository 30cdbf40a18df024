"""Poker in words: actions, the status, the zones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...core.cards import HIDDEN
from ...core.compare.poker import in_words
from ...core.compare.poker import short_strength as short
from ...core.extended.sets import FIRST_SPECIAL, NO_CARD, SPECIALS, ids_of
from ...core.extended.view import extended_facts
from ...core.facts import Fact, FactRole, counted, who
from ...core.jit import interpreted
from ...core.parts import Label
from . import betting, drawing, showdown
from .state import (
    ALL_IN,
    BETTING,
    CHICAGO,
    DRAWING,
    FIVE_DRAW,
    FIVE_STUD,
    HOLDEM,
    OMAHA,
    RAISE,
    RAISE_SIZE,
    SEVEN_STUD,
    STREETS_OF,
    VARIANTS,
)

_amount_of, _to_call, _pot_of = (interpreted(function) for function in (betting.amount_of, betting.to_call, betting.pot_of))
_strength_of, _short_strength = interpreted(showdown.strength_of), interpreted(short)
_card_in_slot, _completes_draw = interpreted(drawing.card_in_slot), interpreted(drawing.completes_draw)

_STREET_TEXT = {
    HOLDEM: ("before the flop", "flop", "turn", "river"),
    OMAHA: ("before the flop", "flop", "turn", "river"),
    FIVE_DRAW: ("before the draw", "after the draw"),
}
_STUD_TEXT = ("first street", "second street", "third street", "fourth street", "last street")


def call_label(state: Any, place: int) -> str | Label:
    owed, chips = int(_to_call(state, int(state.turn))), int(state.chips[state.turn])
    if owed == 0:
        return "check"
    return Label("call {amount}" if owed < chips else "call {amount}, all-in", {"amount": min(owed, chips)})


def raise_label(state: Any, place: int, first: int = RAISE) -> Label:
    seat = int(state.turn)
    amount = int(_amount_of(state, seat, first + place))
    words = "raise to {amount}" if state.highest else "bet {amount}"
    all_in = amount == int(state.bet[seat]) + int(state.chips[seat])
    return Label(f"{words}, all-in" if all_in else words, {"amount": amount})


def discard_label(state: Any, place: int) -> Label:
    card = int(_card_in_slot(state.hand[int(state.turn)], place))
    return Label("discard {card}" if card != NO_CARD else "discard card {position}", {"card": card, "position": place + 1})


def draw_label(state: Any, place: int) -> str | Label:
    count = int(state.marks).bit_count()
    return Label("draw {amount}", {"amount": count}) if count else "stand pat"


LABELS: dict[str, Callable[[Any, int], str | Label]] = {
    "call": call_label,
    "raise": raise_label,
    "raise_size": functools.partial(raise_label, first=RAISE_SIZE),
    "all_in": functools.partial(raise_label, first=ALL_IN),
    "discard": discard_label,
    "draw": draw_label,
}


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    turn, deals, facts = int(state.turn), int(state.deals), []
    if state.hands > 1:
        facts.append(Fact(f"hand {deals} of {int(state.hands)}", role=FactRole.COURSE, value=deals))
    facts.append(Fact(VARIANTS[int(state.variant)].replace("_", " ")))
    if state.terminated:
        facts.append(Fact("the episode is over"))
    else:
        pot, owed = int(_pot_of(state)), int(_to_call(state, turn)) if state.phase == BETTING else 0
        facts += [Fact(_street(state)), Fact(f"pot {pot}", role=FactRole.STAKES, value=pot)]
        facts += [Fact(f"{who(turn)} has {owed} to call", turn)] if owed else []
    notes = [fact for seat in range(int(state.num_players)) for fact in _notes(state, seat)]
    own = [] if viewer is None or state.terminated else _own_hand(state, viewer)
    return [*facts, *extended_facts(state), *notes, *own]


def _own_hand(state: Any, viewer: int) -> list[Fact]:
    """The combination of a player's cards and the board, with kickers separate, for drawing; empty in Omaha, where it takes
    long to compute."""
    if state.variant == OMAHA or not int(state.live) >> viewer & 1:
        return []
    words = in_words(int(_short_strength(_strength_of(state, viewer))))
    return [Fact("", viewer, FactRole.TOTAL, words.partition(", with ")[0])]


def _street(state: Any) -> str:
    variant, street = int(state.variant), int(state.street)
    if state.phase == DRAWING:
        return "draw"
    if variant >= FIVE_STUD:
        return _STUD_TEXT[-1] if street + 1 == STREETS_OF[variant] else _STUD_TEXT[street]
    return _STREET_TEXT[variant][street]


def _notes(state: Any, seat: int) -> list[Fact]:
    """The facts about a seat."""
    chips, bet, result, bit = int(state.chips[seat]), int(state.bet[seat]), int(state.result[seat]), 1 << seat
    is_live, saved = int(state.live) & bit, int(state.saved[seat])
    notes = [Fact("button", seat, FactRole.DEALER)] if seat == state.button else []
    notes.append(Fact(counted(chips, "chip"), seat, FactRole.CHIPS, chips))
    if state.terminated:
        return notes + ([Fact(f"{result:+d} in the last hand", seat)] if result else [])
    if not int(state.present) & bit:
        return [*notes, Fact("out", seat, FactRole.OUT)]
    if not is_live:
        notes.append(Fact("folded", seat, FactRole.OUT))
    elif bet:
        notes.append(Fact(f"bet {bet}", seat, FactRole.BET, bet))
    if is_live and not chips:
        notes.append(Fact("all-in", seat))
    if saved:
        paid = int(state.paid[seat])
        notes.append(Fact(f"paid {paid}, but in for {paid + saved} by a Skip", seat))
    if int(state.by_skip) & bit:
        notes.append(Fact("turn skipped", seat, FactRole.PAUSE))
    if state.exchanged[seat]:
        notes.append(Fact(f"drew {int(state.exchanged[seat])}", seat))
    if result:
        notes.append(Fact(f"{result:+d} in the last hand", seat))
    return notes


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, the cards that lie face down, those staged first; up/<seat> in stud; community, where there are such cards;
    pile, top first; muck, what the viewer remembers of it first; aside."""
    variant, n = int(state.variant), int(state.num_players)
    up = [ids_of(state.up[seat]) for seat in range(n)]
    live = [bool(int(state.live) >> seat & 1) for seat in range(n)]
    staged = [FIRST_SPECIAL + k for k in range(SPECIALS) if int(state.staged) >> k & 1]
    by_zone: dict[str, list[int]] = {}
    for seat in range(n):
        cards = [card for card in ids_of(state.hand[seat]) if card not in up[seat]]
        first = staged if seat == state.turn else []
        rest = [card for card in cards if card not in first]
        hidden = viewer not in (None, seat) and not int(state.shown) >> seat & 1
        by_zone[f"hand/{seat}"] = first + ([HIDDEN] * len(rest) if hidden else rest)
    if variant >= FIVE_STUD:
        by_zone.update({f"up/{seat}": up[seat] if live[seat] else [] for seat in range(n)})
    if variant in (HOLDEM, OMAHA, SEVEN_STUD, CHICAGO):
        by_zone["community"] = [int(card) for card in state.common[: int(state.common_size)]]
    pile = [int(card) for card in state.deck[int(state.pile_at) : int(state.pile_end)]]
    by_zone["pile"] = pile if viewer is None else [HIDDEN] * len(pile)
    by_zone["muck"] = _muck(state, viewer, [card for seat in range(n) if not live[seat] for card in up[seat]])
    by_zone["aside"] = [FIRST_SPECIAL + k for k in range(SPECIALS) if int(state.aside) >> k & 1]
    return by_zone


def _muck(state: Any, viewer: int | None, folded: list[int]) -> list[int]:
    """`folded`: up-cards of who has folded."""
    cards = ids_of(state.refill)
    if viewer is None:
        return cards
    known_cards = {*folded, *ids_of(state.gone[viewer])}
    known = [card for card in cards if card in known_cards]
    return known + [HIDDEN] * (len(cards) - len(known))
