"""The observation, texts and zones of Bluff, and sampling of hidden cards.

A play is invisible to others while it is composed: for them its cards are still in the hand.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from ...core.cards import DECK_66, HIDDEN, text
from ...core.extended.hidden import gather_hidden
from ...core.extended.sets import ZERO, add, has, ids_of, size_of, write_cards
from ...core.extended.state import NOBODY
from ...core.extended.view import extended_facts, extended_zones, observe_extended, seat_from
from ...core.facts import Fact, FactRole, who
from ...core.jit import device_function
from ...core.layout import start
from ...core.parts import Label, Part
from ...core.rng import shuffle
from .rules import clear, has_begun, heap_size, is_leading, last_play, last_player, last_rank
from .state import CLAIMABLE, MOST_CLAIMED, MOST_TAKEN, NO_RANK, OBSERVATION, RANK_NAMES, RANKS_NAMES

_SIZES, _OVER, _COMPOSITION, _REQUIRED = OBSERVATION.places("hand_sizes", "turn_over", "composition", "required")
_HEAP, _OWN, _PLAYER, _RANK = OBSERVATION.places("heap_size", "own_in_heap", "last_player", "last_rank")
_NUMBER, _CLAIMS, _CHALLENGER, _CHALLENGED = OBSERVATION.places("last_number", "claims", "challenger", "challenged")
_HELD, _TURNED, _PHASE, _ASKED = OBSERVATION.places("claim_held", "turned", "phase", "asked")
_TURN, _COMPOSE, _ANSWER = range(3)  # phase

_OF_CARDS, _OF_CLAIMED, _OF_TAKEN = np.float32(1 / DECK_66), np.float32(1 / MOST_CLAIMED), np.float32(1 / MOST_TAKEN)


@device_function
def observe(state, viewer, out):
    n, turn = np.int64(state.num_players), np.int64(state.turn)
    observe_extended(state, viewer, out, _OF_CARDS)
    composing = state.composed[0] | state.composed[1] != ZERO
    if composing:
        if viewer == turn:
            write_cards(out, start(_COMPOSITION, n), state.composed)
        else:
            size = size_of(state.hand[turn]) + size_of(state.composed)
            out[start(_SIZES, n) + seat_from(viewer, turn, n)] = np.float32(size) * _OF_CARDS
    over = start(_OVER, n)
    for seat in range(n):
        out[over + seat_from(viewer, seat, n)] = np.int64(state.passed) >> seat & 1
    if state.required != NO_RANK:
        out[start(_REQUIRED, n) + np.int64(state.required)] = 1
    if heap_size(state) > 0:
        observe_heap(state, viewer, out)
    observe_claims(state, viewer, out)
    if state.challenger != NOBODY:
        out[start(_CHALLENGER, n) + seat_from(viewer, np.int64(state.challenger), n)] = 1
        out[start(_CHALLENGED, n) + seat_from(viewer, np.int64(state.challenged), n)] = 1
        out[start(_HELD, n)] = state.held
        write_cards(out, start(_TURNED, n), state.turned)
    phase = _ANSWER if state.answering else _TURN
    if has_begun(state) and (viewer == turn or (is_leading(state) and state.required != NO_RANK)):
        phase = _COMPOSE
    out[start(_PHASE, n) + phase] = 1
    if state.answering:
        observe_asked(state, viewer, out)


@device_function
def observe_heap(state, viewer, out):
    n = np.int64(state.num_players)
    out[start(_HEAP, n)] = np.float32(heap_size(state)) * _OF_CARDS
    own = start(_OWN, n)
    for k in range(np.int64(state.gone), np.int64(state.laid)):
        if state.laid_seat[k] == viewer:
            out[own + np.int64(state.laid_card[k])] = 1
    out[start(_PLAYER, n) + seat_from(viewer, last_player(state), n)] = 1
    out[start(_RANK, n) + last_rank(state)] = 1
    out[start(_NUMBER, n) + np.int64(state.laid) - last_play(state) - 1] = 1


@device_function
def observe_claims(state, viewer, out):
    n, offset = np.int64(state.num_players), start(_CLAIMS, np.int64(state.num_players))
    for seat in range(n):
        block = offset + 2 * CLAIMABLE * seat_from(viewer, seat, n)
        for rank in range(CLAIMABLE):
            if state.claimed[seat, rank] > 0:
                out[block + rank] = np.float32(state.claimed[seat, rank]) * _OF_CLAIMED
            if state.taken[seat, rank] > 0:
                out[block + CLAIMABLE + rank] = np.float32(state.taken[seat, rank]) * _OF_TAKEN


@device_function
def observe_asked(state, viewer, out):
    """BL-30: the seats between the player and the one asked now."""
    n, seat, asked = np.int64(state.num_players), np.int64(state.turn), np.int64(state.current_player)
    direction = np.int64(state.direction)
    for _ in range(n):
        seat = (seat + direction + n) % n
        if seat == asked:
            return
        out[start(_ASKED, n) + seat_from(viewer, seat, n)] = 1


# --- what is hidden ---


@device_function
def determinize(state, viewer):
    """Deal the cards unknown to the viewer uniformly among all ways. Private knowledge of others is cleared."""
    n, turn = np.int64(state.num_players), np.int64(state.turn)
    if viewer != turn:
        for word in range(2):
            state.hand[turn, word] |= state.composed[word]
        clear(state.composed)
    known, hidden, room = np.zeros((n, 2), np.uint64), np.zeros(2, np.uint64), np.zeros(n + 1, np.int64)
    for seat in range(n):
        if seat != viewer:
            for word in range(2):
                known[seat, word] = state.hand[seat, word] & (state.shown[word] | state.given[viewer, word])
            clear(state.given[seat])
    gather_hidden(state, viewer, known, hidden, room)
    laid = np.int64(state.laid)
    for k in range(laid):
        if state.laid_seat[k] != viewer:
            add(hidden, np.int64(state.laid_card[k]))
    cards, count = np.empty(DECK_66, np.uint8), 0
    for card in range(DECK_66):
        if has(hidden, card):
            cards[count] = card
            count += 1
    shuffle(state, cards, count)
    for seat in range(n):
        for _ in range(room[seat]):
            count -= 1
            add(state.hand[seat], np.int64(cards[count]))
    for k in range(np.int64(state.pile_at), np.int64(state.pile_end)):
        count -= 1
        state.deck[k] = cards[count]
    for k in range(laid):
        if state.laid_seat[k] != viewer:
            count -= 1
            state.laid_card[k] = cards[count]
            sort_in(state, k)


@device_function
def sort_in(state, k):
    """Sort the cards within a play in ascending order."""
    while not state.laid_first[k] and state.laid_card[k - 1] > state.laid_card[k]:
        card = state.laid_card[k]
        state.laid_card[k] = state.laid_card[k - 1]
        state.laid_card[k - 1] = card
        k -= 1


# --- text and zones ---

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")


def claim_text(number: int, rank: int) -> str:
    return f"{_NUMBERS[number]} {(RANK_NAMES if number == 1 else RANKS_NAMES)[rank]}"


def claim_label(state: Any, place: int) -> Label:
    number, rank = len(ids_of(state.composed)), int(state.required)
    return Label("claim {cards}", {"cards": Part(claim_text(number, rank), ranks=(rank,), amounts=(number,))})


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, put (to the play being composed), heap and out (of the game), in order of play, pile (top first), aside."""
    turn, put = int(state.turn), ids_of(state.composed)
    if viewer not in (None, turn) and put:
        hand = state.hand.copy()
        hand[turn] |= state.composed
        state, put = SimpleNamespace(**{**vars(state), "hand": hand}), []
    known_cards = [] if viewer is None else ids_of(state.shown | state.given[viewer])
    laid = [
        int(card) if viewer in (None, int(seat)) else HIDDEN
        for card, seat in zip(state.laid_card[: int(state.laid)], state.laid_seat, strict=False)
    ]
    gone = int(state.gone)
    known = dict.fromkeys(range(int(state.num_players)), known_cards)
    return {**extended_zones(state, viewer, known=known), "put": put, "heap": laid[gone:], "out": laid[:gone]}


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    turn, rank, challenger = int(state.turn), int(state.required), int(state.challenger)
    facts = [Fact(f"turn {int(state.turns)}", role=FactRole.COURSE, value=int(state.turns))]
    if state.answering:
        claim = claim_text(int(state.laid) - int(state.gone) - _since_first(state), rank)
        facts.append(Fact(f"{who(turn)} claims {claim}", turn, FactRole.TO_BEAT, claim))
    elif not state.terminated and rank != NO_RANK:
        facts.append(Fact(f"{RANKS_NAMES[rank]} are to be claimed", role=FactRole.TO_BEAT, value=RANKS_NAMES[rank]))
    elif not state.terminated:
        facts.append(Fact(f"{who(turn)} leads", turn, FactRole.LEAD))
    passed = [str(seat) for seat in range(int(state.num_players)) if int(state.passed) >> seat & 1]
    if passed:
        facts.append(Fact(f"passed: {', '.join(passed)}"))
    facts += extended_facts(state)
    if challenger != NOBODY:
        turned = text(ids_of(state.turned), joker_kinds=True)
        outcome = "wrongly" if state.held else "rightly"
        facts.append(Fact(f"{who(challenger)} challenged {who(state.challenged)}, {outcome}: {turned}", challenger))
    return facts


def _since_first(state: Any) -> int:
    """The cards of the heap below the last play."""
    laid = int(state.laid)
    first = max(k for k in range(int(state.gone), laid) if state.laid_first[k])
    return first - int(state.gone)
