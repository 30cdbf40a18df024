"""Sampling of hidden cards: hands, pile, and the cards that others passed.

Besides its own cards, a seat knows: the cards that it passed, in the receiver's hand; suits that a player did not follow; that
the deal was not a misdeal; and public conclusions from the opening lead (`fits`).
"""

from __future__ import annotations

import numpy as np

from ...core.cards import BIG_JOKER, SMALL_JOKER
from ...core.extended.hidden import deal_gathered, gather_hidden, random_card, redraw_hidden, ways_to_deal_gathered
from ...core.extended.sets import SUIT, ZERO, add, has, is_joker, remove, size_of
from ...core.extended.tricks import led_suit
from ...core.hidden import pick
from ...core.jit import device_function
from .rules import holds_joker, may_claim, opens_unclaimed, receiver_of
from .state import BY_CLAIM, BY_NEED, BY_TWO, CLAIM, CLUBS, HOLD, PASS, PLAY, PLAYERS, TWO_OF_CLUBS

PLACES = PLAYERS + 1  # possible places of a card: the hands and the pile
PILE = PLAYERS
_TELLING = (TWO_OF_CLUBS, SMALL_JOKER, BIG_JOKER)  # all cards that matter to `fits`


@device_function
def determinize(state, viewer):
    known = np.zeros((PLAYERS, 2), np.uint64)
    chosen = np.zeros(PLAYERS, np.int64)
    if state.phase == PASS:
        for seat in range(PLAYERS):
            if seat != viewer:
                if seat != state.current_player:  # nobody sees an unfinished pass
                    chosen[seat] = size_of(state.passed[seat])
                take_back(state, seat)
    else:
        receiver = receiver_of(state, viewer)
        for word in range(2):
            known[receiver, word] = state.passed[viewer, word] & state.hand[receiver, word]
    redraw_fitting(state, viewer, known)
    if state.phase == PASS:
        for seat in range(PLAYERS):
            for _ in range(chosen[seat]):
                card = random_card(state, state.hand[seat])
                remove(state.hand[seat], card)
                add(state.passed[seat], card)
    elif state.pass_direction != HOLD:
        redraw_passed(state, viewer)
    if state.phase == PLAY and state.opener != viewer and state.opening != BY_CLAIM:
        state.opening = BY_TWO if has(state.hand[np.int64(state.opener)], TWO_OF_CLUBS) else BY_NEED


@device_function
def redraw_fitting(state, viewer, known):
    """Sample uniformly among the arrangements that `fit`. If a first try does not fit, 2c and the Jokers are dealt before the
    others, weighted by the number of ways left for these. The other cards do not matter."""
    redraw_hidden(state, viewer, known)
    if fits(state):
        return
    hidden, pile, room = np.zeros(2, np.uint64), np.zeros(2, np.uint64), np.zeros(PLACES, np.int64)
    gather_hidden(state, viewer, known, hidden, room)
    cards, count = np.empty(len(_TELLING), np.int64), 0
    for card in _TELLING:
        if has(hidden, card):
            remove(hidden, card)
            cards[count] = card
            count += 1
    weights = np.zeros(PLACES**count, np.float64)
    for way in range(weights.shape[0]):
        if lay(state, cards, count, way, room, pile):
            if fits(state):
                weights[way] = ways_to_deal_gathered(state, viewer, hidden, room)
        lift(state, cards, count, way, room, pile)
    lay(state, cards, count, pick(state, weights, weights.shape[0]), room, pile)
    deal_gathered(state, viewer, hidden, room, pile)


@device_function
def lay(state, cards, count, way, room, pile):
    """Lay some cards into hands or the pile; their places are the digits of `way`. Returns whether there is room and no bar."""
    good = True
    for k in range(count):
        card, place = cards[k], way // PLACES**k % PLACES
        room[place] -= 1
        if room[place] < 0:
            good = False
        if place == PILE:
            add(pile, card)
        else:
            add(state.hand[place], card)
            if not is_joker(card) and np.int64(state.seen_void[place]) >> SUIT[card] & 1:
                good = False
    return good


@device_function
def lift(state, cards, count, way, room, pile):
    """Take back the cards laid by `lay`."""
    for k in range(count):
        card, place = cards[k], way // PLACES**k % PLACES
        room[place] += 1
        if place == PILE:
            remove(pile, card)
        else:
            remove(state.hand[place], card)


@device_function
def take_back(state, seat):
    for word in range(2):
        state.hand[seat, word] |= state.passed[seat, word]
        state.passed[seat, word] = ZERO


@device_function
def redraw_passed(state, viewer):
    """Sample the cards passed between two others: any three cards of the receiver, including cards already played."""
    for giver in range(PLAYERS):
        receiver = receiver_of(state, giver)
        if giver == viewer or receiver == viewer:
            continue
        count = size_of(state.passed[giver])
        cards = np.zeros(2, np.uint64)
        for word in range(2):
            cards[word] = state.hand[receiver, word] | state.played[receiver, word]
            state.passed[giver, word] = ZERO
        for k in range(np.int64(state.trick_size)):
            if state.trick_seat[k] == receiver:
                add(cards, np.int64(state.trick_card[k]))
        for _ in range(count):
            card = random_card(state, cards)
            remove(cards, card)
            add(state.passed[giver], card)


# --- the opening lead ---


@device_function
def fits(state):
    """Whether an arrangement agrees with the public knowledge about the deal and the opening lead. The true one always does."""
    if state.phase == PASS:
        return state.standard or was_dealt(state)
    if state.phase == CLAIM:
        return were_asked(state, np.int64(state.current_player))
    opener = np.int64(state.opener)
    by_claim = state.opening == BY_CLAIM
    if state.tricks_done == 0 and state.trick_size == 0 and state.aside == 0:  # no card has moved since HE-11
        return were_asked(state, opener) if by_claim else were_asked(state, PLAYERS - 1) and opens_unclaimed(state, opener)
    for seat in range(PLAYERS):
        if np.int64(state.asked) >> seat & 1 and not (has_shown(state, seat, True) or holds_joker(state, seat)):
            return False
    return (has_shown(state, opener, by_claim) or holds_joker(state, opener) or holds_two(state, opener, by_claim)) and (
        state.tricks_done > 0 or first_trick_fits(state)
    )


@device_function
def were_asked(state, last):
    """HE-11: whether, up to the last seat that could be asked, exactly the seats asked may claim."""
    for seat in range(last + 1):
        if may_claim(state, seat) != (np.int64(state.asked) >> seat & 1 != 0):
            return False
    return True


@device_function
def was_dealt(state):
    """HE-03: a Joker or the 2 of Clubs was dealt."""
    for seat in range(PLAYERS):
        if holds_joker(state, seat) or has(state.hand[seat], TWO_OF_CLUBS):
            return True
        if state.passed[seat, 1] != ZERO or has(state.passed[seat], TWO_OF_CLUBS):
            return True
    return False


@device_function
def holds_two(state, opener, by_claim):
    return not by_claim and has(state.hand[opener], TWO_OF_CLUBS)


@device_function
def has_shown(state, seat, by_joker):
    """Whether a player has played the card that they must have held by HE-11 and HE-12: a Joker or, for an opener who was not
    asked, the 2 of Clubs."""
    if state.played[seat, 1] != ZERO or (not by_joker and has(state.played[seat], TWO_OF_CLUBS)):
        return True
    for k in range(np.int64(state.trick_size)):
        card = np.int64(state.trick_card[k])
        if state.trick_seat[k] == seat and (is_joker(card) or (not by_joker and card == TWO_OF_CLUBS)):
            return True
    return False


@device_function
def first_trick_fits(state):
    """HE-14, HE-15: whether a holder of the 2 of Clubs in a trick of clubs played it, or led a Joker, or any club by HE-10."""
    clubs = led_suit(state) == CLUBS
    leads_it = not (state.standard and state.can_lead_any_club)
    for k in range(np.int64(state.trick_size)):
        must = clubs if k > 0 else leads_it and not is_joker(np.int64(state.trick_card[0]))
        if must and has(state.hand[np.int64(state.trick_seat[k])], TWO_OF_CLUBS):
            return False
    return True
