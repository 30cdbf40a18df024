"""The course of a game: the deal, the setup, turns and the end (OM-01 to OM-15, OM-22 to OM-43)."""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core.bits import count_bits, highest_bit
from ...core.cards import DECK_66, STANDARD, SUITS
from ...core.events import (
    ASK,
    CHOOSE,
    DEAL,
    DECLARE,
    DISCARD,
    EVERYBODY,
    LOSE,
    MELD,
    OUT,
    PASS,
    SELECT,
    SKIPPED,
    TURN,
    emit,
    emit_card,
    emit_cards,
    emit_list,
)
from ...core.extended.sets import BIT, NO_RANK, SKIP, WORD, ZERO
from ...core.extended.state import NOBODY
from ...core.jit import device_function
from ...core.rng import random_below
from .hands import (
    can_pair,
    free_jokers,
    is_wild_pair,
    lay_forced,
    lay_jokers,
    may_pair,
    next_with_cards,
    pair_joker,
    place_of_new,
    put_in,
    settle_jokers,
    take_out,
    type_of,
    with_cards,
)
from .state import (
    ARRANGED,
    DONE_AT,
    DRAW,
    DRAW_AT,
    FIRST_KIND,
    FIRST_QUEEN,
    JOKERS_AT,
    MAX_PLAYERS,
    MOST,
    OLD_MAID,
    PAIR,
    PAIR_AT,
    PLACE,
    PLACE_AT,
    QUEEN,
    RANDOM_QUEEN,
    SETUP,
)

_GROUPS = 16  # the ranks and kinds, four bits each of the first word of a set
_FOUR, _OF_GROUP = np.uint64(SUITS), np.uint64(15)
_SKIP_PAIR = FIRST_KIND + SKIP
_SKIPPED = 2  # turns that a pair of Skips takes (OM-31)


@device_function
def begin(state):
    choose_queens(state)
    emit_card(state, DISCARD, NOBODY, FIRST_QUEEN + np.int64(state.removed_queen), EVERYBODY, NOBODY)
    if state.named_maid:
        emit_card(state, DECLARE, NOBODY, FIRST_QUEEN + np.int64(state.old_maid), EVERYBODY, NOBODY)
    clear(state)
    deal_hands(state)
    settle_jokers(state)
    if is_over(state):  # OM-09
        state.deal_pending = 1
        return
    ask_in_setup(state, np.int64(0))


@device_function
def choose_queens(state):
    """The Queens that are drawn by lot: first who is taken out, among those whom `old_maid` does not name."""
    if state.removed_queen == RANDOM_QUEEN:
        state.removed_queen = other_queen(state, np.int64(state.old_maid))
    if state.old_maid == RANDOM_QUEEN and state.named_maid:
        state.old_maid = other_queen(state, np.int64(state.removed_queen))


@device_function
def other_queen(state, named):
    """A random suit other than `named`, which may be no suit."""
    if named == RANDOM_QUEEN:
        return random_below(state, SUITS)
    suit = random_below(state, SUITS - 1)
    return suit + 1 if suit >= named else suit


@device_function
def clear(state):
    for seat in range(MAX_PLAYERS):
        state.hand_size[seat] = 0
        for k in range(MOST):
            state.hand[seat, k] = 0
    for card in range(DECK_66):
        state.known_by[card] = NOBODY
    state.turns = 0
    state.bound = NO_RANK
    state.joker_pair = 0
    state.skips = 0
    state.fresh = 0
    state.drawer = NOBODY
    state.drawn_from = NOBODY
    state.drawn_at = 0
    state.kept = 0


@device_function
def deal_hands(state):
    """OM-01, OM-02, OM-06: deal all but the Queen taken out, in turn from seat 0; forced pairs do not come into the hands."""
    n, size = np.int64(state.num_players), STANDARD if state.standard else DECK_66
    queen = FIRST_QUEEN + np.int64(state.removed_queen)
    queen_at = 0
    while state.deck[queen_at] != queen:
        queen_at += 1
    for k in range(queen_at, size - 1):
        state.deck[k] = state.deck[k + 1]
    for seat in range(n):
        emit_list(state, DEAL, seat, state.deck[seat : size - 1 : n], 0, (size - 2 - seat) // n + 1, 1 << seat, NOBODY)
        suited = ZERO
        for k in range(seat, size - 1, n):
            if WORD[state.deck[k]] == 0:
                suited |= BIT[state.deck[k]]
        dealt, suited = suited, unpaired(state, suited)
        emit_cards(state, MELD, seat, dealt & ~suited, ZERO, EVERYBODY, NOBODY)
        for k in range(seat, size - 1, n):
            card = np.int64(state.deck[k])
            if WORD[card] == 1 or suited & BIT[card] != ZERO:
                put_in(state, seat, card, place_of_new(state, seat, card))
        if state.hand_size[seat] == 0:
            emit(state, OUT, seat, 0, NOBODY)
    state.deck[:] = 0


@device_function
def unpaired(state, suited):
    """What is left of cards with a suit when pairs are laid, of three alike the two lowest ids (OM-05)."""
    maid = BIT[FIRST_QUEEN + np.int64(state.old_maid)] if state.named_maid else ZERO
    left, rest = suited & maid, suited & ~maid
    for group in range(_GROUPS):
        shift = _FOUR * np.uint64(group)
        cards = rest >> shift & _OF_GROUP
        if count_bits(cards) & 1:
            left |= np.uint64(1 << highest_bit(cards)) << shift
    return left


# --- setup ---


@device_function
def ask_in_setup(state, seat):
    """OM-07, OM-22: the first player from `seat` on who may lay a pair with a Joker; after the last the first turn begins."""
    n = np.int64(state.num_players)
    while seat < n and not may_pair(state, seat):
        seat += 1
    if seat < n:
        state.phase = SETUP
        state.current_player = seat
        emit(state, ASK, seat, 0, NOBODY)
    else:
        begin_turn(state, next_with_cards(state, n - 1))  # OM-10


# --- legal actions ---


@device_function
def legal_actions(state, mask):
    seat = np.int64(state.current_player)
    if state.phase == DRAW:
        count = np.int64(state.hand_size[next_with_cards(state, seat)]) if state.fan == ARRANGED else 1  # OM-12, OM-13
        for k in range(count):
            mask[DRAW_AT + k] = 1
    elif state.phase == PLACE:
        for k in range(np.int64(state.hand_size[seat])):
            mask[PLACE_AT + k] = 1
    else:
        mask[DONE_AT] = 1
        if free_jokers(state, seat) == 2:
            mask[JOKERS_AT] = 1
        for k in range(np.int64(state.hand_size[seat])):
            card = np.int64(state.hand[seat, k])
            if is_wild_pair(state, card):
                mask[PAIR_AT + type_of(state, card)] = 1


# --- steps ---


@device_function
def step(state, action):
    seat = np.int64(state.current_player)
    if state.phase == DRAW:
        draw_card(state, seat, action - DRAW_AT)
    elif state.phase == PLACE:
        state.fresh = 0
        put_in(state, seat, take_out(state, seat, np.int64(state.hand_size[seat]) - 1), action - PLACE_AT)
        emit_list(state, SELECT, seat, state.hand[seat], 0, state.hand_size[seat], 1 << seat, NOBODY)
        end_turn(state)
    elif action == DONE_AT:
        emit(state, PASS, seat, 0, NOBODY)
        leave_pairs(state)
    else:
        if action == JOKERS_AT:
            lay_jokers(state, seat)
        else:
            pair_joker(state, seat, action - PAIR_AT)
        if is_over(state):
            finish(state, with_cards(state))
        elif may_pair(state, seat):
            emit(state, ASK, seat, 0, NOBODY)
        else:
            leave_pairs(state)


@device_function
def draw_card(state, seat, position):
    """OM-10, OM-12, OM-13."""
    target = next_with_cards(state, seat)
    drawn_at = position if state.fan == ARRANGED else random_below(state, np.int64(state.hand_size[target]))
    if state.fan == ARRANGED:
        emit(state, CHOOSE, seat, position + 1, target)
    card = take_out(state, target, drawn_at)
    emit_card(state, events.DRAW, seat, card, 1 << seat | 1 << target, target)
    if state.hand_size[target] == 0:
        emit(state, OUT, target, 0, NOBODY)
    put_in(state, seat, card, place_of_new(state, seat, card))
    state.drawer = seat
    state.drawn_from = target
    state.drawn_at = position
    state.fresh = state.fan == ARRANGED
    state.known_by[card] = target
    state.skips = lay_forced(state, seat) == _SKIP_PAIR  # OM-31
    settle_jokers(state)
    state.kept = state.known_by[card] == target
    if state.kept:
        forget(state, target, seat)
    if is_over(state):
        finish(state, with_cards(state))
    elif may_pair(state, seat):
        state.phase = PAIR
        emit(state, ASK, seat, 0, NOBODY)
    else:
        leave_pairs(state)


@device_function
def forget(state, seat, drawer):
    """A card was drawn from a hand unseen: who knew one of it may be wrong, but for the drawer."""
    for k in range(np.int64(state.hand_size[seat])):
        card = np.int64(state.hand[seat, k])
        if state.known_by[card] != drawer:
            state.known_by[card] = NOBODY


@device_function
def leave_pairs(state):
    """The player to move lays no more pairs."""
    seat = np.int64(state.current_player)
    if state.phase == SETUP:
        ask_in_setup(state, seat + 1)
    elif state.fresh and state.hand_size[seat] > 1:  # OM-13
        state.phase = PLACE
    else:
        end_turn(state)


@device_function
def end_turn(state):
    """OM-14, OM-15, OM-31, OM-34."""
    seat = next_with_cards(state, np.int64(state.current_player))
    if state.skips:
        for _ in range(_SKIPPED):
            emit(state, SKIPPED, seat, 0, NOBODY)
            seat = next_with_cards(state, seat)
    state.skips = 0
    state.fresh = 0
    begin_turn(state, seat)


@device_function
def begin_turn(state, seat):
    if state.turns == state.max_turns:
        finish(state, holders_of_maid(state))  # OM-43
        return
    state.turns += 1
    state.phase = DRAW
    state.current_player = seat
    emit(state, TURN, seat, 0, next_with_cards(state, seat))


# --- the end ---


@device_function
def is_over(state):
    """OM-40 to OM-42: at most one player has cards, or no two cards can ever pair."""
    seats = with_cards(state)
    return seats & (seats - 1) == 0 or not can_pair(state)


@device_function
def holders_of_maid(state):
    """OM-43: who has the Old Maid, or where none is named a Queen; as bits."""
    maid = OLD_MAID if state.named_maid else QUEEN
    seats = 0
    for seat in range(np.int64(state.num_players)):
        for k in range(np.int64(state.hand_size[seat])):
            if type_of(state, np.int64(state.hand[seat, k])) == maid:
                seats |= 1 << seat
    return seats


@device_function
def finish(state, losers):
    """The game is over; each loser pays 1, the others share it. If all lose, nobody pays."""
    n, lost = np.int64(state.num_players), count_bits(losers)
    for seat in range(n):
        if losers >> seat & 1:
            emit(state, LOSE, seat, 0, NOBODY)
    state.terminated = 1
    state.skips = 0
    state.fresh = 0
    if lost < n:
        for seat in range(n):
            state.rewards[seat] = np.float32(-1 if losers >> seat & 1 else lost / (n - lost))
