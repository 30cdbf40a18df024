"""The observation, texts and zones of baccarat."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.cards import DECK_66, HIDDEN, text
from ...core.extended.pile import pile_size
from ...core.extended.sets import FIRST_SPECIAL, SPECIALS
from ...core.extended.shoe import aside_of, cards_in, listed, pile_of, shoe_size, specials_in
from ...core.extended.state import NOBODY
from ...core.extended.turns import has_bit
from ...core.extended.view import seat_from
from ...core.facts import Fact, FactRole, joined, who
from ...core.jit import device_function, plain
from ...core.parts import Label
from .coup import is_in_play
from .drawing import total_of
from .rules import BANCO, level_chips, share_of_bank, uncovered
from .state import (
    BANQUE,
    BEST,
    BETTING,
    CHEMIN,
    CHIPS,
    DIVIDED,
    DREW,
    HAND,
    HAS_SPECIAL,
    HOLDER,
    HUNDREDTHS,
    IS_BANKER,
    KEEPING,
    KIND_UNIT,
    LEVELS,
    OBSERVATION,
    OFFERING,
    ON_B,
    ON_P,
    ON_TIE,
    OUT,
    PAUSED,
    PLACE_TEXT,
    PLACES,
    PRESENT,
    PUNTO,
    REDEALT,
    SEAT,
    SEAT_UNIT,
    SIDE,
    SIDE_TEXT,
    SIZE,
    SIZE_UNIT,
    STAKE,
    TURN,
    VALUE,
    L,
    chips_of,
    chips_text,
)

_PHASE, _OWN, _OWN_STATE, _STAGED, _HANDS, _SEATS, _BANK, _ORDER, _SEEN, _LEFT = OBSERVATION.places(
    *(block.name for block in OBSERVATION.blocks), num_players=1
)
_KINDS = 3
_OF_SIZE, _OF_KIND, _OF_SEAT, _OF_TOTAL = (np.float32(1 / unit) for unit in (SIZE_UNIT, KIND_UNIT, SEAT_UNIT, BEST))


@device_function
def observe(state, viewer, out):
    out[_PHASE + np.int64(state.phase)] = 1
    of_deck = np.float32(1 / np.int64(state.decks))
    for card in range(DECK_66):
        out[_SEEN + card] = np.float32(state.used[card])
    for special in range(SPECIALS):
        out[_SEEN + FIRST_SPECIAL + special] += np.float32(state.aside[special])
    if state.phase == TURN:
        observe_own(state, viewer, out)
        for place in range(PLACES):
            if is_in_play(state, place):
                observe_hand(state, viewer, place, _HANDS + place * HAND, out)
    for card in range(DECK_66):
        out[_SEEN + card] *= of_deck
    n = np.int64(state.num_players)
    of_stack = np.float32(1 / ((np.int64(state.stack) if state.stack > 0 else np.int64(state.max_bet)) * HUNDREDTHS))
    of_bet = np.float32(1 / (np.int64(state.max_bet) * HUNDREDTHS))
    for seat in range(n):
        observe_seat(state, seat, _SEATS + seat_from(viewer, seat, n) * SEAT, of_bet, of_stack, out)
    of_bank = of_bet * np.float32(1 / LEVELS)
    if state.variant != PUNTO:
        out[_BANK] = np.float32(state.bank) * of_bank
        out[_BANK + 1] = np.float32(uncovered(state)) * of_bank
    out[_ORDER + (0 if state.direction > 0 else 1)] = 1
    out[_LEFT] = np.float32(pile_size(state) / shoe_size(state))
    out[_LEFT + 1] = np.float32((np.int64(state.coups) + 1 - np.int64(state.coup)) / np.int64(state.coups))


@device_function
def observe_own(state, viewer, out):
    place = own_place(state, viewer)
    if place == NOBODY:
        return
    hand = state.hand[place]
    for card in range(DECK_66):
        out[_OWN + card] = np.float32(hand[card])
    out[_OWN_STATE] = np.float32(total_of(hand)) * _OF_TOTAL if specials_in(hand) == 0 else np.float32(0)
    out[_OWN_STATE + 1] = 1


@device_function
def own_place(state, viewer):
    """The viewer's hand in turn, or else their first; NOBODY if they hold none."""
    if state.holder[np.int64(state.turn)] == viewer:
        return np.int64(state.turn)
    for place in range(PLACES):
        if state.holder[place] == viewer:
            return np.int64(place)
    return np.int64(NOBODY)


@device_function
def observe_hand(state, viewer, place, offset, out):
    if not state.standard and place == state.turn:
        for special in range(SPECIALS):
            out[_STAGED + special] = np.float32(state.staged[special])
    for card in range(DECK_66):
        face_up = np.float32(state.shown[place, card])
        out[offset + card] = face_up
        out[_SEEN + card] += face_up
    out[offset + SIZE] = np.float32(cards_in(state.hand[place])) * _OF_SIZE
    out[offset + OUT] = has_bit(state.out, place)
    out[offset + PAUSED] = has_bit(state.begun, place) and not has_bit(state.out, place) and place != state.turn
    out[offset + DREW] = has_bit(state.drew, place)
    out[offset + VALUE] = np.float32(state.value[place]) * _OF_TOTAL
    holder = seat_from(viewer, np.int64(state.holder[place]), np.int64(state.num_players))
    out[offset + HOLDER] = np.float32(holder) * _OF_SEAT
    for kind in range(_KINDS):
        out[offset + REDEALT + kind] = np.float32(state.redealt[place, kind]) * _OF_KIND


@device_function
def observe_seat(state, seat, offset, of_bet, of_stack, out):
    side = np.int64(state.side[seat])
    out[offset + PRESENT] = 1
    out[offset + IS_BANKER] = seat == state.banker
    out[offset + STAKE] = np.float32(state.bet[seat, 0] + state.bet[seat, 1]) * of_bet
    out[offset + SIDE] = np.float32(np.int64(side == ON_P) - np.int64(side == ON_B))
    out[offset + DIVIDED] = side == ON_TIE
    out[offset + CHIPS] = np.float32(state.chips[seat]) * of_stack


# --- text and zones ---

_BET_TEXT = {PUNTO: ("P", "B", "tie"), BANQUE: ("bet", "a cheval")}
_PHASE_TEXT = {BETTING: "bets", OFFERING: "the bank is offered", KEEPING: "the bank: keep it or pass it on"}


def nothing_label(state: Any, place: int) -> str:
    return "no bet" if state.phase == BETTING else "refuse" if state.variant == CHEMIN else "no bid"


def bank_label(state: Any, place: int) -> Label:
    words = "take the bank with {amount}" if state.variant == CHEMIN else "bid {amount}"
    return Label(words, {"amount": (place + 1) * int(state.max_bet)})


def bet_label(state: Any, place: int, kind: int = 0) -> str | Label:
    if state.variant != CHEMIN:
        words = _BET_TEXT[int(state.variant)]
        return Label(f"{words[min(kind, len(words) - 1)]} {{amount}}", {"amount": chips_of(plain(level_chips)(state, place))})
    if place == BANCO:
        return "banco"
    left = plain(uncovered)(state)
    return Label("bet {amount}", {"amount": chips_of(plain(share_of_bank)(state, int(state.current_player), place, left))})


LABELS: dict[str, Callable[[Any, int], str | Label]] = {
    "nothing": nothing_label,
    "bet": bet_label,
    "second": functools.partial(bet_label, kind=1),
    "tie": functools.partial(bet_label, kind=2),
    "bank": bank_label,
}


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    facts = [Fact(f"coup {int(state.coup)} of {int(state.coups)}", role=FactRole.COURSE, value=int(state.coup))]
    if state.terminated:
        facts.append(Fact("the end"))
    elif state.phase == TURN:
        facts.append(Fact(f"{PLACE_TEXT[int(state.variant)][int(state.turn)]} plays"))
    else:
        facts.append(Fact(_PHASE_TEXT[int(state.phase)]))
    banker, bank = int(state.banker), chips_of(state.bank)
    if state.phase == OFFERING and state.bank:
        facts.append(Fact(f"{who(banker)} bids {chips_text(state.bank)}", banker, FactRole.BID, bank))
    elif banker != NOBODY:
        facts.append(Fact(f"{who(banker)} has a bank of {chips_text(state.bank)}", banker, FactRole.BANKER, bank))
    if state.direction < 0:
        facts.append(Fact("the order of play is reversed", role=FactRole.DIRECTION))
    staged = [FIRST_SPECIAL + k for k in range(SPECIALS) for _ in range(int(state.staged[k]))]
    if staged:
        facts.append(Fact(f"staged: {text(staged, joker_kinds=True)}"))
    places = PLACE_TEXT[int(state.variant)]
    last = [f"{places[place]} {int(state.last[place])}" for place in range(PLACES) if state.last[place] != NOBODY]
    if last:
        facts.append(Fact(f"last coup {', '.join(last)}"))
    facts = joined(", ", facts)
    if state.phase == TURN and not state.terminated:
        facts += [_hand(state, place) for place in range(PLACES) if state.holder[place] != NOBODY]
    return [*facts, *(fact for seat in range(int(state.num_players)) for fact in _seat(state, seat))]


def _hand(state: Any, place: int) -> Fact:
    """The public facts about a hand, including whether its holder was asked."""
    words = [f"{PLACE_TEXT[int(state.variant)][place]}, held by {who(state.holder[place])}"]
    how = "by choice" if int(state.possible[place]) >> HAS_SPECIAL & 1 else "by rule"
    over, begun = int(state.out) >> place & 1, int(state.begun) >> place & 1
    if int(state.drew) >> place & 1:
        words.append(f"drew {int(state.value[place])} {how}")
    elif int(state.stood) >> place & 1:
        words.append(f"stood {how}")
    elif over:
        words.append("natural" if state.shown[place].any() else "skipped")
    elif begun and place != state.turn:
        words.append("paused")
    return Fact(", ".join(words), sep="\n")


def _seat(state: Any, seat: int) -> list[Fact]:
    chips, bet = int(state.chips[seat]), int(state.bet[seat][0]) + int(state.bet[seat][1])
    facts = [Fact(f"{chips_text(chips)} chips", seat, FactRole.CHIPS, chips_of(chips))]
    if bet:
        side = "" if state.variant == CHEMIN else f" on {SIDE_TEXT[int(state.variant)][int(state.side[seat])]}"
        facts.append(Fact(f"bet {chips_text(bet)}{side}", seat, FactRole.BET, chips_of(bet)))
    return facts


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/P (in banque hand/R and hand/L), hand/B; pile (the shoe, top first), used (earlier coups, and the turned card of a
    new shoe), burned, aside. Face-up cards come first in a hand."""
    by_zone: dict[str, list[int]] = {}
    for place in range(PLACES):
        if place == L and state.variant != BANQUE:
            continue
        face_up = state.shown[place].astype(np.int64)
        if place == state.turn:
            face_up[FIRST_SPECIAL:] += state.staged
        hidden = listed(state.hand[place] - face_up)
        if viewer is not None and state.holder[place] != viewer:
            hidden = [HIDDEN] * len(hidden)
        by_zone[f"hand/{PLACE_TEXT[int(state.variant)][place]}"] = listed(face_up) + hidden
    pile, burned = pile_of(state), listed(state.burned)
    by_zone["pile"] = pile if viewer is None else [HIDDEN] * len(pile)
    by_zone["used"] = listed(state.used)
    by_zone["burned"] = burned if viewer is None else [HIDDEN] * len(burned)
    by_zone["aside"] = aside_of(state)
    return by_zone
