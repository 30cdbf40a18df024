"""The hands of a coup of baccarat: the deal, the turns, the effects of specials, and the comparison.

rules.py has the steps before and after a coup. `play_hands` connects the two: it sets `state.turn` to NOBODY when the hands are
to be compared.
"""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core.events import EVERYBODY, emit, emit_card, emit_list
from ...core.extended.pile import pile_size, top_card
from ...core.extended.sets import DRAW as DRAWS
from ...core.extended.sets import FIRST_SPECIAL, NO_CARD, REVERSE, SKIP, SPECIALS
from ...core.extended.shoe import cards_in, emit_rest, put_aside, redeal_shown, specials_in
from ...core.extended.state import NOBODY
from ...core.extended.turns import has_bit, next_place, turn_round
from ...core.jit import device_function
from .drawing import (
    DID_NOT_DRAW,
    FREE,
    MUST_DRAW,
    MUST_STAND,
    NATURAL,
    TEN,
    first_draws,
    is_natural,
    punter_may,
    second_draws,
    total_of,
)
from .state import (
    ANY_HAND,
    BY_TABLEAU,
    CHEMIN,
    COMMIT,
    CUSTOM,
    DRAW,
    DRAWS_OR_STANDS,
    HAS_SPECIAL,
    NO_NATURAL,
    PLACES,
    PUNTO,
    REVEAL,
    STAND,
    B,
    L,
    P,
)

_KINDS = 3


@device_function
def is_in_play(state, place):
    """Whether the hand exists in this coup. (In punto banco nobody holds one.)"""
    return place != L if state.variant == PUNTO else state.holder[place] != NOBODY


@device_function
def who_sees(state, place):
    """The seats, as bits, that see cards dealt to a hand."""
    return EVERYBODY if state.variant == PUNTO else 1 << np.int64(state.holder[place])


@device_function
def deal_hands(state):
    """BA-02: deal, and play the turns up to the first decision."""
    apart = 3 if is_in_play(state, P) and is_in_play(state, L) else 2  # per hand, the cards from the shoe
    for k in range(2):
        for place in range(PLACES):
            if is_in_play(state, place):
                if k == 0:
                    pair, seen = state.deck[np.int64(state.pile_at) :: apart], who_sees(state, place)
                    emit_list(state, events.DEAL, state.holder[place], pair, 0, 2, seen, NOBODY)
                card = top_card(state)
                state.hand[place, card] += 1
                if state.variant == PUNTO:
                    state.shown[place, card] += 1
    for place in range(PLACES):
        if not is_in_play(state, place):
            end_turn_of(state, place)
        elif state.variant != PUNTO:
            state.possible[place] = NO_NATURAL
            if is_natural(state.hand[place]):
                show_natural(state, place)
    play_hands(state, following(state, np.int64(B)))  # BA-06


@device_function
def show_natural(state, place):
    """BA-24, BA-34: a natural of P or B ends the coup, a natural of R or L only that turn."""
    emit_rest(state, events.TURN_UP, state.holder[place], state.hand[place], state.shown[place], EVERYBODY, NOBODY)
    state.shown[place] = state.hand[place]
    end_turn_of(state, place)
    if place == B or state.variant == CHEMIN:
        for other in range(PLACES):
            end_turn_of(state, other)


@device_function
def end_turn_of(state, place):
    state.out = np.int64(state.out) | 1 << place


@device_function
def following(state, place):
    return next_place(np.int64(state.direction), place, np.int64(PLACES), np.int64(state.out))


@device_function
def play_hands(state, place):
    """Play from `place` on, up to a decision, or to the comparison, when `turn` is NOBODY."""
    while place != NOBODY:
        state.turn = place
        if state.variant == PUNTO:
            emit(state, events.TURN, NOBODY, place, NOBODY)
            play_shown(state, place)
        else:
            state.begun = np.int64(state.begun) | 1 << place
            allowed = allowed_to(state, place)
            emit(state, events.TURN, state.holder[place], place, NOBODY)
            if allowed == FREE:
                emit(state, events.ASK, state.holder[place], DRAWS_OR_STANDS, NOBODY)
                return
            note_end(state, place, allowed)
            finish_turn(state, place, allowed == MUST_DRAW)
        place = following(state, place)
    state.turn = NOBODY


# --- face-up hands ---


@device_function
def play_shown(state, place):
    """Begin or resume a turn of punto banco (BA-43, BA-47 to BA-51, BA-54)."""
    if not has_bit(state.begun, place):
        state.begun = np.int64(state.begun) | 1 << place
        reverses, skips = redeal_open(state, place, state.hand[place])
        state.shown[place] = state.hand[place]
        if not goes_on(state, place, reverses, skips):
            if skips == 0:
                emit(state, events.PAUSE, NOBODY, 0, NOBODY)
            return
    other = B - place
    total, natural = total_of(state.hand[place]), is_natural(state.hand[P]) or is_natural(state.hand[B])
    finish_turn(state, place, not natural and draws_by_rule(state, total, other))


@device_function
def draws_by_rule(state, total, other):
    """BA-50, BA-51: whether the hand draws: as the Player, unless the other turn is over; then by the tableau."""
    if has_bit(state.out, other):
        return second_draws(total, drawn_by(state, other))
    return first_draws(total)


@device_function
def drawn_by(state, place):
    return np.int64(state.value[place]) if has_bit(state.drew, place) else np.int64(DID_NOT_DRAW)


@device_function
def goes_on(state, place, reverses, skips):
    """Whether a turn continues after specials of the hand were redealt (BA-47, BA-49)."""
    if reverses & 1:
        turn_round(state)
    if skips > 0:
        emit(state, events.SKIPPED, state.holder[place], 0, NOBODY)
        end_turn_of(state, place)
        return False
    return reverses == 0


# --- face-down hands ---


@device_function
def allowed_to(state, place):
    """The forced action of a hand's holder, or that they are free (BA-42, BA-56)."""
    hand = state.hand[place]
    return FREE if specials_in(hand) > 0 else allowed_with(state, place, total_of(hand))


@device_function
def allowed_with(state, place, total):
    """As `allowed_to`, for a hand without specials (BA-25, BA-26, BA-34, BA-58)."""
    if total >= NATURAL:
        return MUST_STAND
    if state.variant == CHEMIN and state.banker_rule == BY_TABLEAU:
        other = B - place
        decided = np.int64(state.out) if place == B else np.int64(state.drew) | np.int64(state.stood)
        if has_bit(decided, other):
            return MUST_DRAW if second_draws(total, drawn_by(state, other)) else MUST_STAND
        return by_punter_rule(state, total)
    return FREE if place == B else by_punter_rule(state, total)


@device_function
def by_punter_rule(state, total):
    return punter_may(total) if state.punter_rule == CUSTOM else FREE


@device_function
def totals_allowed(state, place, allowed):
    """The totals, as bits, for which the holder of a hand is free, or is forced to this action."""
    totals = np.int64(0)
    for total in range(TEN):
        if allowed_with(state, place, total) == allowed:
            totals |= 1 << total
    return totals | 1 << HAS_SPECIAL if allowed == FREE else totals


@device_function
def note_end(state, place, allowed):
    """Record the public information from a hand that draws or stands: whether its holder was asked is visible."""
    state.possible[place] = np.int64(state.possible[place]) & totals_allowed(state, place, allowed)


@device_function
def what_is_possible(state, place):
    """The public knowledge about the face-down cards of a hand, except staged ones (see `ANY_HAND`)."""
    if place != state.turn:
        return np.int64(state.possible[place])
    if staged_cards(state) > 0:  # the turn is waiting, so another special can be staged
        return np.int64(1 << HAS_SPECIAL)
    return np.int64(state.possible[place]) & totals_allowed(state, place, FREE)


@device_function
def redeal_open(state, place, cards):
    """`redeal_shown` in the turn of a hand, recording the redealt specials."""
    if state.standard:
        return 0, 0
    kinds = np.zeros(_KINDS, np.int64)
    for special in range(SPECIALS):
        kinds[special >> 2] -= np.int64(state.aside[special])
    reverses, skips = redeal_shown(state, cards, np.int64(state.holder[place]))
    for special in range(SPECIALS):
        kinds[special >> 2] += np.int64(state.aside[special])
    for kind in range(_KINDS):
        state.redealt[place, kind] += kinds[kind]
    return reverses, skips


@device_function
def finish_turn(state, place, draws):
    """Draw the hand's card, or stand (BA-04, BA-45, BA-53)."""
    end_turn_of(state, place)
    hand, open_cards = state.hand[place], state.shown[place]
    card = top_card(state) if draws else np.int64(NO_CARD)
    if card == NO_CARD:
        state.stood = np.int64(state.stood) | 1 << place
        emit(state, events.STAND, state.holder[place], 0, NOBODY)
        return
    emit_card(state, events.DRAW, state.holder[place], card, EVERYBODY, NOBODY)
    state.drew = np.int64(state.drew) | 1 << place
    if state.variant == PUNTO:
        before = total_of(hand)
        hand[card] += 1
        reverses, _ = redeal_open(state, place, hand)
        open_cards[:] = hand
        state.value[place] = (total_of(hand) + TEN - before) % TEN
    else:  # face-down cards stay, including specials
        open_cards[card] += 1
        reverses, _ = redeal_open(state, place, open_cards)
        state.value[place] = total_of(open_cards)
        for card_id in range(hand.shape[0]):
            hand[card_id] += open_cards[card_id]
    if reverses & 1:
        turn_round(state)


@device_function
def staged_cards(state):
    number = 0
    for special in range(SPECIALS):
        number += np.int64(state.staged[special])
    return number


@device_function
def can_stage(state, special):
    """ED-22, for the hand in turn."""
    held = np.int64(state.hand[np.int64(state.turn), FIRST_SPECIAL + special])
    return held > state.staged[special] and staged_cards(state) < pile_size(state)


@device_function
def can_stage_any(state):
    for special in range(SPECIALS):
        if can_stage(state, special):
            return True
    return False


@device_function
def legal_in_turn(state, mask):
    if not state.standard:
        for special in range(SPECIALS):
            mask[REVEAL + special] = can_stage(state, special)
        if staged_cards(state) > 0:  # ED-21
            mask[COMMIT] = 1
            return
    allowed = allowed_to(state, np.int64(state.turn))
    mask[DRAW] = allowed != MUST_STAND
    mask[STAND] = allowed != MUST_DRAW


@device_function
def step_in_turn(state, action):
    place = np.int64(state.turn)
    if action in (DRAW, STAND):
        note_end(state, place, FREE)
        finish_turn(state, place, action == DRAW)
        play_hands(state, following(state, place))
        return
    if action != COMMIT:
        state.staged[action - REVEAL] += 1
        emit_card(state, events.REVEAL, state.holder[place], FIRST_SPECIAL + action - REVEAL, EVERYBODY, NOBODY)
        if can_stage_any(state):  # ED-23
            return
    reverses, skips = redeal_staged(state, place)
    goes = goes_on(state, place, reverses, skips)
    state.possible[place] = NO_NATURAL if cards_in(state.hand[place]) == 2 else ANY_HAND
    if is_natural(state.hand[place]):  # BA-54
        show_natural(state, place)
        goes = False
    elif not goes and skips == 0:
        emit(state, events.PAUSE, state.holder[place], 0, NOBODY)
    play_hands(state, place if goes else following(state, place))


@device_function
def redeal_staged(state, place):
    """BA-44, ED-24, ED-25: the replacements are face down. Returns the numbers of Reverses and Skips redealt."""
    hand, kinds = state.hand[place], np.zeros(_KINDS, np.int64)
    for special in range(SPECIALS):
        count = np.int64(state.staged[special])
        if count > 0:
            state.staged[special] = 0
            put_aside(state, hand, FIRST_SPECIAL + special, count, np.int64(state.holder[place]))
            kinds[special >> 2] += count
    for kind in range(_KINDS):
        state.redealt[place, kind] += kinds[kind]
    begin = np.int64(state.pile_at)
    end = min(begin + 2 * kinds[DRAWS] + kinds[REVERSE] + kinds[SKIP], np.int64(state.pile_end))
    emit_list(state, events.DRAW, state.holder[place], state.deck, begin, end, who_sees(state, place), NOBODY)
    for _ in range(begin, end):
        hand[top_card(state)] += 1
    return kinds[REVERSE], kinds[SKIP]


# --- comparison ---


@device_function
def show_all(state):
    """BA-27, BA-55: show all hands and redeal the remaining specials, without further effect."""
    for place in range(PLACES):
        state.last[place] = NOBODY
        if is_in_play(state, place):
            seat, hand = np.int64(state.holder[place]), state.hand[place]
            emit(state, events.DECLARE, seat, place, NOBODY)
            emit_rest(state, events.TURN_UP, seat, hand, state.shown[place], EVERYBODY, NOBODY)
            redeal_shown(state, hand, seat)
            state.shown[place] = hand
            state.last[place] = total_of(hand)
            emit(state, events.SCORE, seat, state.last[place], NOBODY)


@device_function
def outcome(state, place):
    """1 if a hand beats B, -1 if it loses, 0 for a tie (BA-05)."""
    own, banks = np.int64(state.last[place]), np.int64(state.last[B])
    return np.int64(own > banks) - np.int64(own < banks)
