"""Packs, the stack, debts and turns (BM-01 to BM-44).

Functions that end a turn set `state.turn` to the next player and `state.phase` to the question to them.
"""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core.bits import count_bits
from ...core.cards import DECK_66, RANKS, SMALL_JOKER, STANDARD, SUITS
from ...core.events import EVERYBODY, emit, emit_card, emit_list
from ...core.extended.pile import next_card
from ...core.extended.sets import RANK, ZERO, add, is_joker
from ...core.extended.state import clear_deal
from ...core.extended.turns import DRAWS_WAIT, ROTATION, apply_effects, begin_turn, draws_due, queue_kind, successor
from ...core.jit import device_function
from ...core.match import pay_winners
from ...core.seats import seats_with
from .state import DECLARE, FIRST_KIND, JOKERS, MOST_CARDS, NEXT, NO_ACTION, NO_VALUE, PLACE, PLACE_AT, PLAY, PLAY_AT

_NONE = np.int64(-1)  # no seat
_MODE = np.int64(ROTATION | DRAWS_WAIT)
# The payment demanded by each rank (BM-03); the last entry, at index -1, is for a Joker without a value.
DEMAND = np.array([0] * 9 + [1, 2, 3, 4] + [0] * 4, np.int64)


@device_function
def note_action(state, action):
    """Emit the event of the mover's action, visible to all."""
    state.last_action = action
    state.last_player = state.current_player


# --- packs ---


@device_function
def place_in(state, seat, depth):
    """The index in a pack's ring of the card with `depth` cards above it."""
    position = np.int64(state.head[seat]) + depth
    return position - DECK_66 if position >= DECK_66 else position


@device_function
def pack_card(state, seat, depth):
    return np.int64(state.pack[seat, place_in(state, seat, depth)])


@device_function
def take_top(state, seat):
    """Take the top card from a pack."""
    position = np.int64(state.head[seat])
    card = np.int64(state.pack[seat, position])
    state.pack[seat, position] = 0
    state.head[seat] = 0 if position == DECK_66 - 1 else position + 1
    state.pack_size[seat] -= 1
    return card


@device_function
def copy_pack(state, seat, out, start):
    """Write the cards of a pack, top first, to `out` from `start` on. Returns the end."""
    head, size = np.int64(state.head[seat]), np.int64(state.pack_size[seat])
    first = min(size, DECK_66 - head)  # cards before the end of the ring
    for k in range(first):
        out[start + k] = state.pack[seat, head + k]
    for k in range(size - first):
        out[start + first + k] = state.pack[seat, k]
    return start + size


@device_function
def insert(state, seat, card, depth):
    """Put a card into a pack, below `depth` cards."""
    size = np.int64(state.pack_size[seat])
    for k in range(size, depth, -1):
        state.pack[seat, place_in(state, seat, k)] = state.pack[seat, place_in(state, seat, k - 1)]
    state.pack[seat, place_in(state, seat, depth)] = card
    state.pack_size[seat] = size + 1


@device_function
def deal_packs(state):
    """BM-01: deal the packs. The cards remain in `state.deck`, see `forget_deal`."""
    n = np.int64(state.num_players)
    clear_deal(state)
    dealt = np.int64(STANDARD if state.deal_52 else state.pile_end)
    for seat in range(n):
        size = np.int64(0)
        for k in range(seat, dealt, n):
            state.pack[seat, size] = state.deck[k]
            size += 1
        for k in range(size, DECK_66):
            state.pack[seat, k] = 0
        state.head[seat] = 0
        state.pack_size[seat] = size
        emit_list(state, events.DEAL, seat, state.pack[seat], 0, size, 0, _NONE)
    for k in range(np.int64(state.stack_size)):
        state.stack[k] = 0
    state.stack_size = 0
    state.burned = 0
    for k in range(JOKERS):
        state.declared[k] = NO_VALUE
    state.seen[0] = ZERO
    state.seen[1] = ZERO
    state.queue = 0
    state.placing = 0
    state.plays = 0
    state.last_action = NO_ACTION
    state.last_player = _NONE
    clear_debt(state)
    state.pile_at = dealt
    state.turn = 0  # BM-02
    state.phase = PLAY


@device_function
def forget_deal(state):
    """Clear the order of the deck, which would reveal unknown cards."""
    for k in range(np.int64(state.pile_at)):
        state.deck[k] = 0


@device_function
def with_cards(state):
    """The seats whose packs have cards, as bits."""
    return seats_with(state, state.pack_size)


# --- the stack ---


@device_function
def stack_rank(state, card):
    """The rank of a card of the stack, for a Joker the declared one (BM-07); NO_VALUE for a Joker without a value."""
    return np.int64(state.declared[card - SMALL_JOKER]) if is_joker(card) else RANK[card]


@device_function
def barred_ranks(state):
    """The ranks, as bits, that a Joker cannot be declared, because four cards of them were played to the stack (BM-08)."""
    counts = np.int64(0)  # four bits a rank
    for k in range(np.int64(state.burned), np.int64(state.stack_size)):
        rank = stack_rank(state, np.int64(state.stack[k]))
        if 0 <= rank < RANKS:
            counts += np.int64(1) << 4 * rank
    barred = np.int64(0)
    for rank in range(RANKS):
        if counts >> 4 * rank & 15 >= SUITS:
            barred |= np.int64(1) << rank
    return barred


@device_function
def turn_up(state):
    """Play the top card of the pack of the player in turn. Returns whether it is a Joker to be declared (BM-07, BM-08)."""
    card = take_top(state, np.int64(state.turn))
    emit_card(state, events.PLAY, state.turn, card, EVERYBODY, _NONE)
    state.stack[np.int64(state.stack_size)] = card
    state.stack_size += 1
    state.plays += 1
    add(state.seen, card)
    if is_joker(card) and barred_ranks(state) != (1 << RANKS) - 1:
        state.phase = DECLARE
        return True
    return False


@device_function
def declare(state, rank):
    emit(state, events.DECLARE, state.turn, rank, _NONE)
    state.declared[np.int64(state.stack[np.int64(state.stack_size) - 1]) - SMALL_JOKER] = rank
    state.phase = PLAY


@device_function
def take_stack(state, seat):
    """BM-06, BM-09: put the stack under a pack, from its bottom up."""
    size = np.int64(state.pack_size[seat])
    taken = np.int64(state.stack_size)
    position = place_in(state, seat, size)
    emit_list(state, events.COLLECT, seat, state.stack, 0, state.burned, 0, _NONE)
    emit_list(state, events.COLLECT, seat, state.stack, state.burned, taken, EVERYBODY, _NONE)
    for k in range(taken):
        state.pack[seat, position] = state.stack[k]
        state.stack[k] = 0
        position = position + 1 if position < DECK_66 - 1 else 0
    state.pack_size[seat] = size + taken
    state.stack_size = 0
    state.burned = 0
    for k in range(JOKERS):
        state.declared[k] = NO_VALUE


# --- effects of cards ---


@device_function
def settle_top(state):
    """Apply the top card of the stack, played by the player in turn (BM-03 to BM-06, BM-16, BM-21 to BM-25)."""
    seat = np.int64(state.turn)
    rank = stack_rank(state, np.int64(state.stack[np.int64(state.stack_size) - 1]))
    demand = DEMAND[rank]
    in_debt = state.owed > 0
    state.phase = PLAY
    if demand > 0:  # BM-04, BM-05
        state.owner = seat
        state.owed = demand
        close_seats(state, seat)
        begin(state, act(state, seat, successor(state, seat, 0)))  # BM-24
        return
    if rank >= FIRST_KIND:
        state.queue = queue_kind(np.int64(state.queue), rank - FIRST_KIND)
        if in_debt and state.nonpay_face_ends_pay:  # BM-25
            clear_debt(state)
            in_debt = False
    if not in_debt:
        next_turn(state, seat)
        return
    state.owed -= 1
    if state.owed == 0:
        complete(state, seat)
    elif state.pack_size[seat] == 0:
        run_out(state, seat)


@device_function
def next_turn(state, seat):
    """Pass the turn after the turn of `seat`, without a debt (BM-02, BM-21)."""
    if ends(state):
        return
    close_seats(state, _NONE)
    begin(state, act(state, seat, successor(state, seat, 0)))


@device_function
def complete(state, payer):
    """Complete a payment: its owner takes the stack and has the next turn (BM-06, BM-23)."""
    owner = np.int64(state.owner)
    take_stack(state, owner)
    clear_debt(state)
    if ends(state):
        return
    close_seats(state, _NONE)
    begin(state, act(state, payer, owner))


@device_function
def run_out(state, payer):
    """BM-16: a payer has no cards left but still owes some."""
    if state.payer_out == NEXT:
        close_seats(state, _NONE)
        state.out = np.int64(state.out) | np.int64(1) << np.int64(state.owner)
        seat = successor(state, payer, 0)
        if seat != _NONE:
            begin(state, seat)
            return
    complete(state, payer)


@device_function
def clear_debt(state):
    state.owner = _NONE
    state.owed = 0


@device_function
def close_seats(state, owner):
    """BM-15: players without cards leave the rotation, except the owner of the debt."""
    everybody = (np.int64(1) << np.int64(state.num_players)) - 1
    closed = everybody & ~with_cards(state)
    state.out = closed & ~(np.int64(1) << owner) if owner != _NONE else closed


@device_function
def act(state, player, first):
    """Apply the waiting specials to `first`, who follows `player`, and the seats after them. Returns the next seat."""
    queue = np.int64(state.queue)
    if queue == 0:
        return first
    state.queue = 0
    return apply_effects(state, queue, player, first, _MODE)


@device_function
def begin(state, seat):
    """Begin the turn of `seat`, or of the seat that acts if it is skipped, starting with due draws (BM-26, BM-27)."""
    while True:
        begin_turn(state, seat, _MODE)
        seat = np.int64(state.turn)
        if state.draw[seat] == 0:
            break
        state.placing = draws_due(state, seat)
        state.draw[seat] = 0
        if state.pack_size[seat] == 0:  # only one position: no decision (BM-52)
            place(state, np.int64(0))
        if state.placing > 0:
            state.phase = PLACE
            return
    state.phase = PLAY
    if seat == np.int64(state.owner):  # BM-17
        take_stack(state, seat)
        clear_debt(state)
        ends(state)


@device_function
def place(state, depth):
    """Put the top card of the pile into the pack of the player in turn (BM-27)."""
    card = next_card(state)
    emit_card(state, events.DRAW, state.turn, card, 0, _NONE)
    emit(state, events.CHOOSE, state.turn, depth, _NONE)
    insert(state, np.int64(state.turn), card, depth)
    state.placing -= 1


# --- steps of both games ---


@device_function
def mark_shared(state, mask):
    """Mark the legal declarations (BM-08), the places for a drawn card, or playing a card."""
    if state.phase == DECLARE:
        barred = barred_ranks(state)
        for rank in range(RANKS):
            mask[rank] = barred >> rank & 1 == 0
    elif state.phase == PLACE:
        for depth in range(np.int64(state.pack_size[np.int64(state.turn)]) + 1):
            mask[PLACE_AT + depth] = 1
    else:
        mask[PLAY_AT] = 1


@device_function
def step_place(state, action):
    """Place a drawn card (BM-27); after the last one the turn continues."""
    place(state, action - PLACE_AT)
    if state.placing == 0:
        begin(state, np.int64(state.turn))


# --- the end ---


@device_function
def reopen(state):
    """BM-51: restart a finished game that had no decision, to be played up to its last card. Returns the number of cards before
    it."""
    events.retract(state)
    state.terminated = 0
    for seat in range(np.int64(state.num_players)):
        state.rewards[seat] = 0
    return np.int64(state.plays) - 1


@device_function
def ends(state):
    """BM-40, BM-41: whether the game is over without a debt; if so, the winner is paid."""
    left = with_cards(state)
    if left == 0:
        left = np.int64(1) << np.int64(state.turn)
    if left & (left - 1) != 0:
        return False
    announce(state, left, 0)
    pay_winners(state, left)
    return True


@device_function
def stop(state):
    """BM-44: stop a game that never ends, or is too long."""
    left = with_cards(state)
    if state.stalemate == MOST_CARDS:
        most = np.int64(0)
        for seat in range(np.int64(state.num_players)):
            most = max(most, np.int64(state.pack_size[seat]))
        for seat in range(np.int64(state.num_players)):
            if np.int64(state.pack_size[seat]) < most:
                left &= ~(np.int64(1) << seat)
    announce(state, left, count_bits(left))
    pay_winners(state, left)


@device_function
def announce(state, winners, sharing):
    for seat in range(np.int64(state.num_players)):
        if winners >> seat & 1:
            emit(state, events.WIN, seat, sharing, _NONE)
