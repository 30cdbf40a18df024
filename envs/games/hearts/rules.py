"""The course of a hand of Hearts: passing, the first leader, play. scoring.py counts the cards won."""

from __future__ import annotations

import numpy as np

from ...core.dealing import shuffle_deck
from ...core.events import ANSWER, ASK, CHOOSE, EXCHANGE, GIVE, SELECT, TURN, emit, emit_card, emit_cards
from ...core.extended.sets import BIT, SUIT, SUIT_CARDS, ZERO, add, has, is_joker, mark_cards, remove, size_of
from ...core.extended.state import NOBODY, TRICKS, clear_deal, deal_hands
from ...core.extended.tricks import (
    DECLARE,
    DECLARE_AT,
    FIXED,
    OPEN,
    REVEAL_AT,
    ask_jokers,
    clear_tricks,
    end_trick,
    following,
    led_suit,
    mark_trick,
    start_tricks,
    step_trick,
    trick_cards,
    trick_winner,
)
from ...core.jit import device_function
from ...core.rng import random_below
from .scoring import end_hand
from .state import (
    BY_CLAIM,
    BY_NEED,
    BY_TWO,
    CLAIM,
    CLAIM_AT,
    CLUBS,
    CYCLE,
    CYCLE_PASS,
    DIRECTION,
    HEARTS,
    HOLD,
    PASS,
    PASSED,
    PLAY,
    PLAYERS,
    QUEEN_OF_SPADES,
    RANDOM_PASS,
    SPADES,
    TWO_OF_CLUBS,
)

_HEARTS, _CLUBS = SUIT_CARDS[HEARTS], SUIT_CARDS[CLUBS]
_QUEEN, _TWO = BIT[QUEEN_OF_SPADES], BIT[TWO_OF_CLUBS]
_ALL_SUITS, _WITHOUT_HEARTS = 15, 15 & ~(1 << HEARTS)
_DIRECTION, _CYCLE = np.array(DIRECTION), np.array(CYCLE)


# --- the deal ---


@device_function
def deal(state):
    shuffle_deck(state)
    while is_misdeal(state.deck, state.standard):  # HE-03
        shuffle_deck(state)


@device_function
def is_misdeal(deck, standard):
    """HE-03: neither the 2 of Clubs nor a Joker is dealt to anybody."""
    if standard:
        return False
    for k in range(PLAYERS * TRICKS):
        if deck[k] == TWO_OF_CLUBS or is_joker(deck[k]):
            return False
    return True


@device_function
def begin(state):
    clear_deal(state)
    clear_tricks(state)
    deal_hands(state, 0, TRICKS)  # HE-01, HE-02
    for seat in range(PLAYERS):
        for word in range(2):
            state.passed[seat, word] = ZERO
            state.won[seat, word] = ZERO
        state.tricks[seat] = 0
    state.broken = not state.must_break_hearts  # HE-20
    state.asked = 0
    state.opener = NOBODY
    state.opening = BY_TWO
    state.pass_direction = direction_of_pass(state)
    emit(state, EXCHANGE, NOBODY, state.pass_direction, NOBODY)
    if state.pass_direction == HOLD:
        start_play(state)
    else:
        state.phase = PASS
        state.current_player = 0


@device_function
def direction_of_pass(state):
    if state.passing == RANDOM_PASS:
        return random_below(state, PLAYERS)
    if state.passing == CYCLE_PASS:
        return _CYCLE[(np.int64(state.deals) - 1) % PLAYERS]
    return _DIRECTION[np.int64(state.passing)]


# --- passing ---


@device_function
def legal_pass(state, mask):
    hand = state.hand[np.int64(state.current_player)]
    mark_cards(mask, 0, hand[0], hand[1])


@device_function
def step_pass(state, card):
    seat = np.int64(state.current_player)
    remove(state.hand[seat], card)  # HE-04
    add(state.passed[seat], card)
    emit_card(state, SELECT, seat, card, 1 << seat, NOBODY)
    if size_of(state.passed[seat]) < PASSED:
        return
    emit(state, CHOOSE, seat, PASSED, NOBODY)
    if seat < PLAYERS - 1:
        state.current_player = seat + 1
        return
    for giver in range(PLAYERS):
        receiver, cards = receiver_of(state, giver), state.passed[giver]
        emit_cards(state, GIVE, giver, cards[0], cards[1], 1 << giver | 1 << receiver, receiver)
        for word in range(2):
            state.hand[receiver, word] |= cards[word]
    start_play(state)


@device_function
def receiver_of(state, giver):
    return (giver + np.int64(state.pass_direction)) & 3


# --- who leads the first trick ---


@device_function
def start_play(state):
    ask_claim(state, 0)


@device_function
def ask_claim(state, first):
    """HE-10, HE-11: ask the next seat from `first` on that may claim the lead; if there is none, play begins."""
    for seat in range(first, PLAYERS):
        if may_claim(state, seat):
            state.phase = CLAIM
            state.current_player = seat
            state.asked = np.int64(state.asked) | 1 << seat
            emit(state, ASK, seat, 0, NOBODY)
            return
    opener = np.int64(0)
    while not opens_unclaimed(state, opener):
        opener += 1
    open_play(state, opener, BY_TWO if has(state.hand[opener], TWO_OF_CLUBS) else BY_NEED)


@device_function
def may_claim(state, seat):
    """HE-11: whether a player may claim: they hold a Joker, but not the 2 of Clubs, and would not lead anyway."""
    return holds_joker(state, seat) and not has(state.hand[seat], TWO_OF_CLUBS) and not opens_unclaimed(state, seat)


@device_function
def opens_unclaimed(state, seat):
    """HE-11: the leader if nobody claims: the holder of the 2 of Clubs, or the last holder of a Joker if it was not dealt."""
    if has(state.hand[seat], TWO_OF_CLUBS):
        return True
    if not holds_joker(state, seat):
        return False
    for other in range(PLAYERS):
        if has(state.hand[other], TWO_OF_CLUBS) or (other > seat and holds_joker(state, other)):
            return False
    return True


@device_function
def holds_joker(state, seat):
    return state.hand[seat, 1] != ZERO


@device_function
def open_play(state, opener, opening):
    state.opener = opener
    state.opening = opening
    state.phase = PLAY
    emit(state, TURN, opener, 0, NOBODY)
    start_tricks(state, opener)
    go_on(state)


@device_function
def legal_claim(mask):
    mask[CLAIM_AT] = 1
    mask[CLAIM_AT + 1] = 1


@device_function
def step_claim(state, action):
    seat = np.int64(state.current_player)
    emit(state, ANSWER, seat, action == CLAIM_AT, NOBODY)
    if action == CLAIM_AT:
        open_play(state, seat, BY_CLAIM)
    else:
        ask_claim(state, seat + 1)


# --- play ---


@device_function
def legal_play(state, mask):
    seat = np.int64(state.turn)
    held, jokers = state.hand[seat, 0], state.hand[seat, 1]
    hearts_too = may_lead_hearts(state, held)
    cards = following(state)
    if state.tricks_done == 0:
        cards, jokers = first_trick(state, cards, jokers)
    elif state.trick_size == 0 and not hearts_too:
        cards &= ~_HEARTS
    mark_trick(state, mask, cards, jokers, _ALL_SUITS if hearts_too else _WITHOUT_HEARTS)


@device_function
def may_lead_hearts(state, held):
    """HE-18, HE-19: whether a leader with these cards, without Jokers, may lead hearts."""
    others = held & ~_HEARTS
    return state.broken or others == ZERO or (state.can_lead_hearts_instead_of_qs and others == _QUEEN)


@device_function
def first_trick(state, cards, jokers):
    """The cards allowed by ED-68, and the Jokers, that may be played to the first trick."""
    two = cards & _TWO
    if state.trick_size == 0:
        if state.turn == state.opener:  # HE-10, HE-12
            if state.standard and state.can_lead_any_club:
                return cards & _CLUBS, jokers
            return two if state.opening == BY_TWO else ZERO, jokers
        if two != ZERO:  # HE-15
            return two, jokers
        if cards & _CLUBS != ZERO or jokers != ZERO:
            return cards & _CLUBS, jokers
        return without_points(state, cards), jokers
    if cards & SUIT_CARDS[led_suit(state)] == ZERO:
        return without_points(state, cards), jokers
    return (cards, jokers) if two == ZERO else (two, ZERO)  # HE-14: 2c is among them only if clubs were led


@device_function
def without_points(state, cards):
    """HE-22."""
    safe = cards & ~(_HEARTS | _QUEEN)
    return safe if safe != ZERO and state.no_pts_on_first_trick else cards


@device_function
def step_play(state, action):
    note_broken(state, action)
    if action == TWO_OF_CLUBS and state.claim[0] == FIXED:
        state.claim[0] = OPEN  # HE-13
    step_trick(state, action)
    if state.question == DECLARE and state.tricks_done == 0:  # HE-13
        state.claim[0] = FIXED
        step_trick(state, DECLARE_AT + TWO_OF_CLUBS)
    go_on(state)


@device_function
def note_broken(state, action):
    """HE-20: record broken hearts for a card played, or for the declared value of a led Joker."""
    if action == QUEEN_OF_SPADES and state.qs_breaks_hearts:
        state.broken = 1
    elif action < REVEAL_AT and SUIT[action if action < DECLARE_AT else action - DECLARE_AT] == HEARTS:
        state.broken = 1


@device_function
def go_on(state):
    while state.turn == NOBODY:  # all have had their turn
        led = led_suit(state)  # HE-16: no trumps, so none but this suit wins (given NO_SUIT, a constant, the compiler crashes)
        if ask_jokers(state, led, queen_is_safe(state, led)):
            break
        winner = trick_winner(state, led)  # HE-37, HE-38
        if winner != NOBODY:
            state.tricks[winner] += 1
            for k in range(np.int64(state.trick_size)):
                add(state.won[winner], np.int64(state.trick_card[k]))
        end_trick(state, winner)
        if state.tricks_done == TRICKS:  # HE-06
            end_hand(state)
            return
    state.current_player = state.turn


@device_function
def queen_is_safe(state, led):
    """HE-34: no Joker beats the Queen of Spades in a trick of spades."""
    return led == SPADES and trick_cards(state) & _QUEEN != ZERO


# --- dispatch ---


@device_function
def legal_actions(state, mask):
    if state.phase == PASS:
        legal_pass(state, mask)
    elif state.phase == CLAIM:
        legal_claim(mask)
    else:
        legal_play(state, mask)


@device_function
def step(state, action):
    if state.phase == PASS:
        step_pass(state, action)
    elif state.phase == CLAIM:
        step_claim(state, action)
    else:
        step_play(state, action)
