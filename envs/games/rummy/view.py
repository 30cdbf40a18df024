"""What a seat sees of rummy: as numbers, as text, as cards by zone."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.bits import lowest_bit
from ...core.cards import HIDDEN, SUIT_TEXT, text
from ...core.extended.pile import pile_size
from ...core.extended.sets import FIRST_SPECIAL, ONE, SPECIALS, ZERO, id_at
from ...core.extended.turns import has_bit
from ...core.extended.view import reveal_label, seat_from
from ...core.kernel import kernel
from .deadwood import least_deadwood
from .hands import JOKER, face_of, ids_of, jokers_of, size_of, specials_of
from .melding import deal_number
from .melds import GROUP, RUN, ace_is_low
from .rules import melds_left
from .state import (
    CELL_AT,
    CLOSE_GROUP,
    COMMIT,
    COMPOSE,
    CONTRACT,
    DECKS,
    DEFENCE_MELDS,
    DRAW,
    DRAW_STOCK,
    FIRST,
    GIN,
    JOKERS_AT,
    KNOCK,
    KNOCK_DISCARD,
    KNOCK_MELDS,
    LAY_CARD,
    LAY_OFF_AT,
    MAX_PLAYERS,
    MELD,
    MELD_CELLS,
    MOST_BUYS,
    MOST_CARDS,
    OBSERVATION,
    OFFER,
    ONCE,
    PASS,
    PLAY,
    RANK_AT,
    REVEAL_AT,
    SCORE_UNIT,
    SEAT_CELLS,
    SEAT_UNIT,
    SIZE_UNIT,
    SUIT_AT,
    TAKE_DISCARD,
    TWICE,
)
from .turns import at_wall

_HAND, _COMPOSITION, _STAGED, _TOP, _DISCARDS, _REMOVED, _KNOWN, _MELDS, _SLOT, _SIZES, _PHASE, _FLAGS, _TURN, _SEATS, _MATCH, _CLOCK, _GIN = (
    OBSERVATION.places(*(block.name for block in OBSERVATION.blocks), num_players=2)
)
_HALF, _OF_JOKERS = np.float32(1 / 2), np.float32(1 / 4)
_OF_SIZE, _OF_CARDS, _OF_SEAT, _OF_BUYS = (np.float32(1 / unit) for unit in (SIZE_UNIT, MOST_CARDS, SEAT_UNIT, MOST_BUYS))
_OF_SCORE, _OF_KNOCK, _OF_DEADWOOD = np.float32(1 / SCORE_UNIT), np.float32(1 / 10), np.float32(1 / 100)
_ONE = np.float32(1)
_DEAL_AT = MAX_PLAYERS
_ACE = 12  # the rank


@kernel
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    write_counts(out, _HAND, state.hand[viewer])
    observe_discards(state, out)
    observe_melds(state, out)
    for seat in range(n):
        place = seat_from(viewer, seat, n)
        write_counts(out, _KNOWN + 66 * place, state.known[seat])
        out[_SIZES + place] = np.float32(size_of(state.hand[seat])) * _OF_SIZE
    out[_SIZES + MAX_PLAYERS] = np.float32(pile_size(state)) * _OF_CARDS
    out[_SIZES + MAX_PLAYERS + 1] = np.float32(state.discards) * _OF_CARDS
    observe_turn(state, viewer, out)
    if not state.standard:
        observe_specials(state, viewer, out)
    if state.variant == GIN:
        hand = state.hand[viewer]
        out[_CLOCK + 3] = np.float32(state.upcard_draws) * (_ONE / np.float32(state.upcard_cap))
        out[_GIN] = np.float32(state.knock) * _OF_KNOCK
        out[_GIN + 1] = np.float32(least_deadwood(hand[ONCE], jokers_of(hand))) * _OF_DEADWOOD
    elif state.variant == CONTRACT:
        observe_match(state, viewer, out)


@kernel
def write_counts(out, at, cards):
    """A set of cards by face: number / 2, into 66 zeroed entries."""
    for word in range(2):
        bits = cards[word]
        while bits != ZERO:
            out[at + id_at(lowest_bit(bits))] += _HALF
            bits &= bits - ONE
    if cards[2] != ZERO:
        out[at + JOKER] = np.float32(jokers_of(cards)) * _HALF


@kernel
def observe_discards(state, out):
    number = np.int64(state.discards)
    for k in range(number):
        out[_DISCARDS + face_of(np.int64(state.discard[k]))] += _HALF
    if number > 0:
        out[_TOP + face_of(np.int64(state.discard[number - 1]))] = 1


@kernel
def observe_melds(state, out):
    for slot in range(np.int64(state.melds)):
        at, cards = _MELDS + MELD_CELLS * slot, state.meld[slot]
        once, jokers = cards[ONCE], jokers_of(cards)
        first = lowest_bit(once)
        out[at + np.int64(state.meld_kind[slot])] = 1
        out[at + JOKERS_AT] = np.float32(jokers) * _OF_JOKERS
        if state.meld_kind[slot] == GROUP:
            out[at + RANK_AT + (first >> 2)] = 1
            for word in range(2):
                bits = cards[word]
                while bits != ZERO:
                    out[at + CELL_AT + (lowest_bit(bits) & 3)] += _HALF
                    bits &= bits - ONE
        else:
            out[at + SUIT_AT + (first & 3)] = 1
            while once != ZERO:
                rank = lowest_bit(once) >> 2
                if rank == _ACE and ace_is_low(cards[ONCE], jokers):
                    rank = np.int64(-1)
                out[at + CELL_AT + rank + 1] = 1
                once &= once - ONE


@kernel
def observe_turn(state, viewer, out):
    n, seat = np.int64(state.num_players), np.int64(state.turn)
    out[_PHASE + np.int64(state.phase)] = 1
    out[_FLAGS] = state.direction > 0
    out[_FLAGS + 1] = at_wall(state)
    out[_FLAGS + 2] = has_bit(state.drawn, seat)
    out[_FLAGS + 3] = may_yet_meld(state, seat)
    out[_FLAGS + 4] = state.taken[seat] > 0
    out[_FLAGS + 5] = state.repeated
    out[_TURN + seat_from(viewer, seat, n)] = 1
    if state.phase == LAY_CARD:
        out[_SLOT + np.int64(state.slot)] = 1
    if state.phase == COMPOSE:
        write_counts(out, _COMPOSITION, state.composition)
    if state.variant != GIN:
        out[_CLOCK] = np.float32(state.turns) * (_ONE / np.float32(state.max_turns))
        out[_CLOCK + 1] = np.float32(np.int64(state.recycles) - np.int64(state.recycled)) * _HALF
        out[_CLOCK + 2] = np.float32(state.idle_turns) * (_ONE / np.float32(4 * n))


@kernel
def may_yet_meld(state, seat):
    if state.variant == GIN:
        return state.phase >= KNOCK_MELDS or (state.phase == COMPOSE)
    return melds_left(state, seat)


@kernel
def observe_specials(state, viewer, out):
    n = np.int64(state.num_players)
    write_specials(out, _STAGED, np.int64(state.staged))
    write_specials(out, _REMOVED, np.int64(state.aside))
    for seat in range(n):
        at = _SEATS + SEAT_CELLS * seat_from(viewer, seat, n)
        out[at + 2] = np.float32(state.draw[seat]) * _OF_SEAT
        out[at + 3] = np.float32(state.skip[seat]) * _OF_SEAT
        out[at + 4] = has_bit(state.paused, seat)
        queue = np.int64(state.effects[seat])
        while queue != 0:
            out[at + 4 + (queue & 3)] += _OF_SEAT
            queue >>= 2


@kernel
def write_specials(out, at, specials):
    bits = np.uint64(specials)
    while bits != ZERO:
        out[at + lowest_bit(bits) % SPECIALS] += _HALF
        bits &= bits - ONE


@kernel
def observe_match(state, viewer, out):
    n = np.int64(state.num_players)
    for seat in range(n):
        place = seat_from(viewer, seat, n)
        out[_SEATS + SEAT_CELLS * place] = has_bit(state.down, seat)
        out[_SEATS + SEAT_CELLS * place + 1] = np.float32(state.buys_left[seat]) * _OF_BUYS
        out[_MATCH + place] = np.float32(state.total[seat]) * _OF_SCORE
    out[_MATCH + _DEAL_AT + deal_number(state) - 1] = 1


# --- text ---

_NAMES = {
    DRAW_STOCK: "draw",
    TAKE_DISCARD: "take the discard",
    PASS: "pass",
    KNOCK: "knock",
    MELD: "meld",
    CLOSE_GROUP: "as a group",
    CLOSE_GROUP + 1: "as a run",
}
_VERBS = {COMPOSE: "add", LAY_CARD: "lay", KNOCK_DISCARD: "discard"}


def label(state: Any, action: int) -> str:
    if action < DRAW_STOCK:
        return f"{_VERBS.get(int(state.phase), 'discard')} {text([action])}"
    if action >= REVEAL_AT:
        return reveal_label(action - REVEAL_AT)
    if action >= LAY_OFF_AT:
        return f"lay off on {action - LAY_OFF_AT}"
    if action == TAKE_DISCARD and state.phase == OFFER:
        return "buy the discard"
    return _NAMES[action]


def heard(state: Any, action: int) -> str | None:
    """That specials are redealt others see, not whether it was asked for."""
    return label(state, action) if action != COMMIT else None


def describe(state: Any, viewer: int | None = None) -> str:
    return ""


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for seat in range(int(state.num_players)):
        found[f"hand/{seat}"] = ids_of(state.hand[seat])
    found["pile"] = [int(card) for card in state.deck[int(state.pile_at) : int(state.pile_end)]]
    found["discards"] = [int(card) for card in state.discard[: int(state.discards)]]
    found["aside"] = specials_of(state.aside)
    for slot in range(int(state.melds)):
        found[f"meld/{slot}"] = ids_of(state.meld[slot])
    return found
