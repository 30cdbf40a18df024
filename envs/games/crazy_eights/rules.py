"""The rules of Crazy Eights: the start, legal actions and their effects (CE-01 to CE-44)."""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core import options as opt
from ...core.bits import lowest_bit
from ...core.cards import DECK_66, SMALL_JOKER, SUITS
from ...core.events import EVERYBODY, emit, emit_card
from ...core.extended.common import begin_common
from ...core.extended.pile import next_card, pile_size, refill_pile, take
from ...core.extended.reveal import ENDED, GOES_ON, commit, mark_reveals, reveal
from ...core.extended.sets import (
    DRAW,
    FIRST_SPECIAL,
    ONE,
    RANK,
    SKIP,
    STANDARD_CARDS,
    SUIT,
    SUIT_CARDS,
    ZERO,
    add,
    id_at,
    is_joker,
    is_special,
    kind_of,
    mark_cards,
    remove,
    write_bits,
)
from ...core.extended.state import NOBODY, clear_deal, deal_hands
from ...core.extended.turns import REFILLS, ROTATION, end_turn, note_effect, queue_kind, successor, turn_round
from ...core.jit import device_function
from ...core.rng import random_below
from ...core.seats import clockwise
from .scoring import finish
from .state import (
    ACE,
    COMMIT_AT,
    DECLARE,
    DECLARE_AT,
    DRAW_AT,
    EIGHT,
    HAND,
    HAND_OF_TWO,
    NOMINATE,
    NOMINATE_AT,
    PASS_AT,
    PLAY,
    QUEEN,
    RANKS,
    REVEAL_AT,
    TWO,
)

RANK_CARDS = np.array([0xF << 4 * rank for rank in range(RANKS)], np.uint64)  # specials of a kind share a rank (ED-03)
_TWOS, _EIGHTS = RANK_CARDS[TWO], RANK_CARDS[EIGHT]
_MODE = ROTATION | REFILLS  # CE-22
_A_SKIP = np.int64(FIRST_SPECIAL + SUITS * SKIP)


# --- the start ---


@device_function
def begin(state):
    n = np.int64(state.num_players)
    clear_deal(state)
    if state.dealer == opt.RANDOM:
        state.dealer = random_below(state, n)  # CE-01
    first = clockwise(np.int64(state.dealer), 1, n)
    size = HAND_OF_TWO if n == 2 else HAND
    emit(state, events.ROUND, state.dealer, size, NOBODY)
    deal_hands(state, first, size)
    queue = lay_starter(state)
    if state.use_special_cards:
        first = starter_acts(state, first)
    begin_common(state, first, queue, _MODE)  # CE-05
    turn_begins(state)


@device_function
def lay_starter(state):
    """CE-02, CE-04: lay the first card, or the cards for it. Returns the effects of specials (ED-44)."""
    laid, owed, queue = 0, 1, 0
    while owed > 0:
        if put_back(state):
            continue
        card = next_card(state)
        emit_card(state, events.TURN_UP, NOBODY, card, EVERYBODY, NOBODY)
        if is_special(card):
            state.aside = np.int64(state.aside) | 1 << (card - FIRST_SPECIAL)
            if kind_of(card) == DRAW:
                owed += 1
            else:
                queue = queue_kind(queue, kind_of(card))
            continue
        if laid > 0:
            bury_top(state)
        state.top = card
        laid += 1
        owed -= 1
    show_top(state, np.int64(state.top))
    return queue


@device_function
def put_back(state):
    """CE-02: if the top of the pile is an eight or a Joker, put it anywhere in the pile. Returns whether it was one."""
    top = np.int64(state.pile_at)
    card = np.int64(state.deck[top])
    if RANK[card] != EIGHT and not is_joker(card):
        return False
    emit_card(state, events.TURN_UP, NOBODY, card, EVERYBODY, NOBODY)
    emit(state, events.SHUFFLE, NOBODY, 1, NOBODY)
    place = top + random_below(state, pile_size(state))
    for k in range(top, place):
        state.deck[k] = state.deck[k + 1]
    state.deck[place] = card
    add(state.put_back, card)
    return True


@device_function
def starter_acts(state, first):
    """CE-44: apply the starter. Returns the seat to begin."""
    n, rank = np.int64(state.num_players), np.int64(state.rank)
    if rank == TWO:
        state.debt = 2
    elif rank == QUEEN:
        emit(state, events.SKIPPED, first, 0, NOBODY)
        first = clockwise(first, 1, n)
    elif rank == ACE:
        turn_round(state)
        first = clockwise(np.int64(state.dealer), n - 1, n)
    return first


# --- legal actions ---


@device_function
def playable(state):
    """CE-10, CE-41: the cards that can be played, as bits of the first word of a set."""
    if state.debt > 0:
        return _TWOS
    return SUIT_CARDS[np.int64(state.suit)] | RANK_CARDS[np.int64(state.rank)] | _EIGHTS


@device_function
def legal_actions(state, mask):
    phase = np.int64(state.phase)
    if phase == PLAY:
        legal_in_turn(state, mask)
    elif phase == DECLARE:  # CE-12
        write_bits(mask, DECLARE_AT, playable(state) & STANDARD_CARDS)
    else:  # CE-11
        for action in range(NOMINATE_AT, DRAW_AT):
            mask[action] = 1


@device_function
def legal_in_turn(state, mask):
    seat = np.int64(state.turn)
    if state.debt == 0 and mark_reveals(state, mask, REVEAL_AT):  # CE-34
        return
    # A Joker can be declared an eight, or against a debt a 2 (CE-12).
    mark_cards(mask, 0, state.hand[seat, 0] & playable(state), state.hand[seat, 1])
    may_draw = pile_size(state) > 0 and state.drawn[seat] < state.max_draw_cards
    mask[DRAW_AT if state.debt > 0 or may_draw else PASS_AT] = 1  # CE-20, CE-42


# --- actions ---


@device_function
def step(state, action):
    seat, passes = np.int64(state.turn), np.int64(state.passes)
    state.passes = 0  # CE-23
    if action < DECLARE_AT:
        play_card(state, seat, action)
    elif action == DRAW_AT:
        draw(state, seat)
    elif action == PASS_AT:
        pass_turn(state, seat, passes)
    elif action < NOMINATE_AT:
        emit_card(state, events.DECLARE, seat, action - DECLARE_AT, EVERYBODY, NOBODY)
        counts_as(state, seat, action - DECLARE_AT)
    elif action < DRAW_AT:
        emit(state, events.CHOOSE, seat, action - NOMINATE_AT, NOBODY)
        state.suit = action - NOMINATE_AT
        state.phase = PLAY
        finish_turn(state, seat)
    else:
        redeal(state, seat, action)
    if not state.terminated:
        state.current_player = state.turn


@device_function
def play_card(state, seat, card):
    emit_card(state, events.PLAY, seat, card, EVERYBODY, NOBODY)
    remove(state.hand[seat], card)
    bury_top(state)
    state.top = card
    show_top(state, card)
    state.plays += 1
    is_out = state.hand[seat, 0] | state.hand[seat, 1] == ZERO
    if is_out:
        emit(state, events.OUT, seat, 0, NOBODY)
    if is_out or state.plays == state.max_turns:  # CE-24
        finish(state)
        return
    refill_pile(state)  # CE-22
    if is_joker(card):
        state.phase = DECLARE
    else:
        counts_as(state, seat, card)


@device_function
def counts_as(state, seat, card):
    """Apply the effect of the top card, or of the card that a Joker is declared to be."""
    rank = RANK[card]
    state.rank = rank
    state.suit = SUIT[card]
    if rank == EIGHT:
        state.phase = NOMINATE
        return
    state.phase = PLAY
    if is_special(card):
        note_effect(state, seat, card)  # CE-30, CE-32
        if kind_of(card) == DRAW:
            note_taker(state, successor(state, seat, 0), is_first_shuffle(state))
    elif state.use_special_cards:
        if rank == TWO:
            if pile_size(state) > 0:
                state.debt += 2  # CE-41
        elif rank == QUEEN:
            note_effect(state, seat, _A_SKIP)  # CE-40
        elif rank == ACE:
            turn_round(state)
    finish_turn(state, seat)


@device_function
def draw(state, seat):
    owed = np.int64(state.debt)
    note_taker(state, seat, is_first_shuffle(state))
    if owed == 0:
        take(state, seat, np.int64(1))
        refill_pile(state)  # CE-22
        state.drawn[seat] = state.drawn[seat] + 1 if pile_size(state) > 0 else state.max_draw_cards  # CE-21
        return
    state.debt = 0  # CE-42
    taken = take(state, seat, owed)
    if taken == 0:
        emit(state, events.PASS, seat, 0, NOBODY)
    refill_pile(state)  # CE-22
    state.passes = taken == owed and pile_size(state) == 0  # CE-43
    finish_turn(state, seat)


@device_function
def pass_turn(state, seat, passes):
    emit(state, events.PASS, seat, 0, NOBODY)
    if pile_size(state) == 0:
        state.passes = passes + 1
        if passes == np.int64(state.num_players):  # CE-23
            finish(state)
            return
    finish_turn(state, seat)


@device_function
def redeal(state, seat, action):
    """CE-33: reveal a special, or redeal the staged ones."""
    first_shuffle = is_first_shuffle(state)
    became = commit(state, _MODE) if action == COMMIT_AT else reveal(state, action - REVEAL_AT, _MODE)
    if state.staged == 0:
        note_taker(state, seat, first_shuffle)
    if became == ENDED:
        state.drawn[seat] = 0
    if became != GOES_ON:
        turn_begins(state)


@device_function
def finish_turn(state, seat):
    state.drawn[seat] = 0
    end_turn(state, _MODE)
    turn_begins(state)


@device_function
def turn_begins(state):
    """Begin or resume a turn; turns skipped on the way leave no state behind."""
    state.current_player = state.turn
    state.new_turn = 0
    if state.skipped != 0:
        for seat in range(np.int64(state.num_players)):
            if np.int64(state.skipped) >> seat & 1:
                state.drawn[seat] = 0
        state.skipped = 0


# --- the discard pile, and public knowledge about shuffled cards ---


@device_function
def show_top(state, card):
    """Make a card on top visible to all."""
    state.shuffled[card] = 0
    if is_joker(card):
        state.put_back[1] &= ~(ONE << np.uint64(card - SMALL_JOKER))
    else:
        state.rank = RANK[card]
        state.suit = SUIT[card]
        remove(state.put_back, card)
    if state.put_back[0] | state.put_back[1] == ZERO:
        state.taken = 0


@device_function
def bury_top(state):
    """Move the top card to the cards below it."""
    card = np.int64(state.top)
    if not state.reshuffle:
        add(state.discards, card)
        return
    state.shuffled[card] = next_shuffle(state)
    add(state.refill, card)


@device_function
def next_shuffle(state):
    """The number of the next shuffle, for cards below the top: that of the others there, or else an unused number."""
    if state.refill[0] != ZERO:
        return np.int64(state.shuffled[id_at(lowest_bit(state.refill[0]))])
    if state.refill[1] != ZERO:
        return np.int64(state.shuffled[SMALL_JOKER + lowest_bit(state.refill[1])])
    number = np.int64(1)
    while is_number_of_a_shuffle(state, number):
        number += 1
    return number


@device_function
def is_number_of_a_shuffle(state, number):
    for card in range(DECK_66):
        if state.shuffled[card] == number:
            return True
    return False


@device_function
def is_first_shuffle(state):
    """Whether the pile is still the initial one, and a card was put back there."""
    if state.put_back[0] | state.put_back[1] == ZERO or pile_size(state) == 0:
        return False
    return state.shuffled[np.int64(state.deck[np.int64(state.pile_at)])] == 0


@device_function
def note_taker(state, seat, first_shuffle):
    """Record that a player takes cards, which may include eights and Jokers put back at the start."""
    if first_shuffle:
        state.taken = np.int64(state.taken) | 1 << seat
