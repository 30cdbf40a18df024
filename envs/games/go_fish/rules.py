"""The rules of Go Fish: asking, fishing, books, reveals, turns, the end."""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core.bits import count_bits, lowest_bit
from ...core.cards import RANKS, SUITS
from ...core.events import EVERYBODY, emit, emit_card, emit_cards
from ...core.extended.pile import next_card, pile_size, take
from ...core.extended.redeal import redeal_staged
from ...core.extended.reveal import ENDED, GOES_ON, act_on_oneself, mark_reveals, revealable, stage
from ...core.extended.sets import (
    AT_SPECIALS,
    BIT,
    FIRST_SPECIAL,
    KIND_BITS,
    ONE,
    REVERSE,
    STANDARD_CARDS,
    ZERO,
    add,
    is_joker,
    size_of,
)
from ...core.extended.state import NOBODY, clear_deal, deal_hands
from ...core.extended.turns import DRAWS_WAIT, ROTATION, act_on, begin_turn, draws_due, has_bit, note_effect, successor
from ...core.jit import device_function
from ...core.match import pay_relative, pay_winners
from ...core.seats import clockwise
from .state import (
    ALL_RANKS,
    BOOK,
    BOOK_AT,
    COMMIT_AT,
    END_AT,
    EVERY_RANK,
    FIRST_OUT,
    FISHED_BY,
    JOKERS,
    KINDS,
    NO_BOOK,
    OF_RANK,
    REVEAL_AT,
    STANDARD_RANKS,
    WIN,
)

MODE = ROTATION | DRAWS_WAIT
_TWO = np.uint64(2)
_FIRST_OF_RANK = np.uint64(0x1111111111111111)
_FEW, _MANY = 5, 7  # GF-01: cards dealt


@device_function
def begin(state):
    n = np.int64(state.num_players)
    clear_deal(state)
    clear_game(state)
    hand_size = np.int64(state.hand_size)
    if hand_size == 0:
        hand_size = _MANY if n == 2 else _FEW
    deal_hands(state, 0, hand_size)
    for seat in range(n):
        lay_naturals(state, seat)
    pass_turn(state, np.int64(0))
    settle(state)


@device_function
def clear_game(state):
    for seat in range(np.int64(state.num_players)):
        state.books[seat] = 0
        state.asked[seat] = 0
        state.owned[seat] = 0
        state.lacks[seat] = 0
        state.jokers[seat] = 0
        state.met[seat] = ZERO
        for rank in range(ALL_RANKS):
            state.known[seat, rank] = 0
    for joker in range(JOKERS):
        state.joker_book[joker] = NO_BOOK
    state.laid = ZERO
    state.turns = 0
    state.fished = 0
    state.acted = 0
    state.idle = 0
    state.last_asker = NOBODY
    state.last_target = 0
    state.last_rank = 0
    state.last_given = 0


# --- sets of ranks ---


@device_function
def fold(first):
    """The ranks, as bits, of cards marked at the first place of their ranks."""
    ranks = np.int64(0)
    while first != ZERO:
        ranks |= 1 << (lowest_bit(first) >> 2)
        first &= first - ONE
    return ranks


@device_function
def first_of_ranks(cards):
    """The ranks of cards, each marked at its first place."""
    cards |= cards >> ONE
    return (cards | cards >> _TWO) & _FIRST_OF_RANK


@device_function
def full_ranks(cards):
    """The ranks with all four cards, each marked at its first place."""
    cards &= cards >> ONE
    return cards & cards >> _TWO & _FIRST_OF_RANK


@device_function
def may_ask_for(state, seat):
    """GF-03 to GF-05: the ranks a player may ask for."""
    ranks = fold(first_of_ranks(state.hand[seat, 0]))
    if state.joker_asks and state.hand[seat, 1] != ZERO:
        ranks |= STANDARD_RANKS
    return ranks


@device_function
def has_opponent(state, seat):
    """GF-03: whether another player holds a card."""
    for other in range(np.int64(state.num_players)):
        if other != seat and state.hand[other, 0] | state.hand[other, 1] != ZERO:
            return True
    return False


@device_function
def may_book(state, seat):
    """GF-22 to GF-26: the ranks whose books a player may lay by choice."""
    ranks = fold(full_ranks(state.hand[seat, 0] & ~STANDARD_CARDS))
    jokers = count_bits(state.hand[seat, 1])
    if jokers > 0:
        for rank in range(RANKS):
            naturals = count_bits(state.hand[seat, 0] & OF_RANK[rank])
            if naturals + jokers >= BOOK:  # two of them at least, as there are two Jokers
                ranks |= 1 << rank
    return ranks


# --- public and private knowledge ---


@device_function
def forget_rank(state, seat, rank):
    """Record publicly that a player has no more cards of a rank."""
    others = ~(1 << rank)
    state.known[seat, rank] = 0
    state.asked[seat] = np.int64(state.asked[seat]) & others
    state.owned[seat] = np.int64(state.owned[seat]) & others
    state.lacks[seat] = np.int64(state.lacks[seat]) | 1 << rank


@device_function
def got_openly(state, seat, rank, count):
    state.known[seat, rank] += count
    state.lacks[seat] = np.int64(state.lacks[seat]) & ~(1 << rank)


@device_function
def show(state, seat, cards):
    """Record that all others know these cards to be in a hand."""
    for other in range(np.int64(state.num_players)):
        if other != seat:
            state.met[other] |= cards


@device_function
def leave(state, cards):
    """Record that these cards have left all hands."""
    for seat in range(np.int64(state.num_players)):
        state.met[seat] &= ~cards


@device_function
def take_unseen(state, seat, count):
    """Move unseen cards from the stock to a hand. Returns their number."""
    taken = take(state, seat, count)
    if taken > 0:
        state.lacks[seat] = 0
        state.idle = 0
    return taken


# --- books ---


@device_function
def lay(state, seat, rank):
    """Move the natural cards of a rank into its book."""
    cards = state.hand[seat, 0] & OF_RANK[rank]
    state.hand[seat, 0] &= ~cards
    state.laid |= cards
    state.books[seat] = np.int64(state.books[seat]) | 1 << rank
    forget_rank(state, seat, rank)
    leave(state, cards)
    state.idle = 0
    if seat == state.turn:
        state.acted = np.int64(state.acted) | 1 << seat


@device_function
def lay_naturals(state, seat):
    """GF-21: lay all books of four natural standard cards."""
    full = full_ranks(state.hand[seat, 0] & STANDARD_CARDS)
    if full != ZERO:
        while full != ZERO:
            rank = lowest_bit(full) >> 2
            emit_cards(state, events.MELD, seat, OF_RANK[rank], ZERO, EVERYBODY, NOBODY)
            lay(state, seat, rank)
            full &= full - ONE
        end_when_complete(state)


@device_function
def lay_by_choice(state, rank):
    """GF-22, GF-23, GF-26."""
    seat = np.int64(state.turn)
    naturals, jokers = state.hand[seat, 0] & OF_RANK[rank], state.hand[seat, 1]
    lacking = BOOK - count_bits(naturals)
    lay(state, seat, rank)
    if rank >= RANKS:
        kind = rank - RANKS
        if kind != REVERSE:  # GF-31
            for _ in range(BOOK):
                note_effect(state, seat, FIRST_SPECIAL + SUITS * kind)  # GF-30, GF-32
    for _ in range(lacking):
        joker = lowest_bit(state.hand[seat, 1])
        state.hand[seat, 1] &= state.hand[seat, 1] - ONE
        state.joker_book[joker] = rank
        state.jokers[seat] = max(np.int64(state.jokers[seat]) - 1, 0)
        state.owned[seat] = np.int64(state.owned[seat]) & ~STANDARD_RANKS  # their ask may have relied on this Joker
    emit_cards(state, events.MELD, seat, naturals, jokers & ~state.hand[seat, 1], EVERYBODY, NOBODY)
    end_when_complete(state)


@device_function
def impossible(state):
    """GF-38: the ranks of specials of which one was redealt; with the standard deck all three."""
    if state.standard:
        return EVERY_RANK & ~STANDARD_RANKS
    ranks = np.int64(0)
    for kind in range(KINDS):
        if np.uint64(state.aside) & KIND_BITS[kind] != ZERO:
            ranks |= 1 << (RANKS + kind)
    return ranks


@device_function
def end_when_complete(state):
    """GF-50."""
    done = impossible(state)
    for seat in range(np.int64(state.num_players)):
        done |= np.int64(state.books[seat])
    if done == EVERY_RANK:
        finish(state)


# --- asking ---


@device_function
def ask(state, target, rank):
    seat = np.int64(state.turn)
    bit = 1 << rank
    emit(state, events.ASK, seat, rank, target)
    state.acted = np.int64(state.acted) | 1 << seat
    state.asked[seat] = np.int64(state.asked[seat]) | bit
    if state.known[seat, rank] == 0:  # otherwise they may ask because of those
        state.owned[seat] = np.int64(state.owned[seat]) | bit
    cards = state.hand[target, 0] & OF_RANK[rank]  # GF-06: no Jokers
    state.last_asker = seat
    state.last_target = target
    state.last_rank = rank
    state.last_given = count_bits(cards)
    forget_rank(state, target, rank)
    if cards != ZERO:
        hand_over(state, target, seat, rank, cards)
        lay_naturals(state, seat)
        return
    emit(state, events.ANSWER, target, rank, seat)
    if not catches(state, seat, rank):
        state.fished = np.int64(state.fished) | 1 << seat
        if state.turn_passes == FISHED_BY and not state.terminated:
            end_turn(state, target)


@device_function
def hand_over(state, giver, seat, rank, cards):
    emit_cards(state, events.GIVE, giver, cards, ZERO, 1 << giver | 1 << seat, seat)
    state.hand[giver, 0] &= ~cards
    state.hand[seat, 0] |= cards
    got_openly(state, seat, rank, count_bits(cards))
    state.met[giver] |= cards
    state.met[seat] &= ~cards
    state.idle = 0


@device_function
def catches(state, seat, rank):
    """GF-08: go fishing. Returns whether the player may ask again."""
    card = next_card(state)
    if card < 0:
        return False
    add(state.hand[seat], card)
    state.idle = 0
    if state.fish_again and not is_joker(card) and BIT[card] & OF_RANK[rank] != ZERO:
        emit_card(state, events.DRAW, seat, card, EVERYBODY, NOBODY)
        got_openly(state, seat, rank, 1)
        show(state, seat, BIT[card])
        lay_naturals(state, seat)
        return True
    emit_card(state, events.DRAW, seat, card, 1 << seat, NOBODY)
    state.lacks[seat] = 0
    lay_naturals(state, seat)
    return False


# --- reveals ---


@device_function
def reveal(state, special):
    """GF-34."""
    seat = np.int64(state.turn)
    state.acted = np.int64(state.acted) | 1 << seat
    if stage(state, special):
        redeal(state)


@device_function
def redeal(state):
    """GF-35 to GF-39."""
    seat, staged = np.int64(state.turn), np.uint64(state.staged)
    leave(state, staged << AT_SPECIALS)
    while staged != ZERO:
        rank = RANKS + (lowest_bit(staged) >> 2)
        if state.known[seat, rank] > 0:
            state.known[seat, rank] -= 1
        else:
            state.owned[seat] = np.int64(state.owned[seat]) & ~(1 << rank)
        staged &= staged - ONE
    state.lacks[seat] = 0
    state.idle = 0
    reverses, skips = redeal_staged(state, seat)
    lay_naturals(state, seat)
    if not state.terminated:
        end_when_complete(state)
    if state.terminated:
        return
    became, following = act_on_oneself(state, reverses, skips, MODE)
    if became == ENDED:
        close_turn(state, seat)
    if became != GOES_ON and not state.terminated:
        pass_turn(state, following)


# --- turns ---


@device_function
def settle(state):
    """Take all forced steps, until a player has a choice or the game is over."""
    while not state.terminated:
        seat = np.int64(state.turn)
        if has_bit(state.fished, seat):
            if not state.standard and (revealable(state) != ZERO or may_book(state, seat) != 0):
                return
            end_turn(state, successor(state, seat, 0))  # GF-09
        elif size_of(state.hand[seat]) == 0:  # GF-10
            if take_unseen(state, seat, 1) == 0:
                emit(state, events.PASS, seat, 0, NOBODY)
                end_turn(state, successor(state, seat, 0))
        else:
            opponent = has_opponent(state, seat)
            if opponent and may_ask_for(state, seat) != 0:
                return
            if opponent:
                state.jokers[seat] = size_of(state.hand[seat])
            emit(state, events.PASS, seat, 0, NOBODY)
            take_unseen(state, seat, 1)  # GF-11
            state.fished = np.int64(state.fished) | 1 << seat
            lay_naturals(state, seat)


@device_function
def end_turn(state, first):
    """End the player's turn; `first` is next, unless books of specials change that (GF-33)."""
    seat = np.int64(state.turn)
    close_turn(state, seat)
    if not state.terminated:
        pass_turn(state, act_on(state, seat, first, MODE))


@device_function
def close_turn(state, seat):
    """GF-51, GF-52."""
    if not has_bit(state.acted, seat):
        state.idle = np.int64(state.idle) | 1 << seat
    forget_turns(state, 1 << seat)
    everybody = (1 << np.int64(state.num_players)) - 1
    if np.int64(state.idle) == everybody or (state.end_rule == FIRST_OUT and is_out(state)):
        finish(state)


@device_function
def forget_turns(state, seats):
    state.fished = np.int64(state.fished) & ~seats
    state.acted = np.int64(state.acted) & ~seats


@device_function
def is_out(state):
    """GF-51: whether a hand or the stock is empty."""
    for seat in range(np.int64(state.num_players)):
        if size_of(state.hand[seat]) == 0:
            return True
    return pile_size(state) == 0


@device_function
def pass_turn(state, seat):
    """Begin the turn of `seat`, or of the seat that acts if it is skipped; cards of GF-30 are taken first."""
    begin_turn(state, seat, MODE)
    forget_turns(state, np.int64(state.skipped))
    due = draws_due(state, np.int64(state.turn))
    while due > 0:
        seat = np.int64(state.turn)
        state.draw[seat] = 0
        take_unseen(state, seat, due)
        lay_naturals(state, seat)  # GF-39
        if state.terminated:
            return
        begin_turn(state, seat, MODE)
        forget_turns(state, np.int64(state.skipped))
        due = draws_due(state, np.int64(state.turn))
    state.current_player = state.turn
    if state.new_turn and state.turns == state.max_turns:  # GF-53
        state.new_turn = 0
        finish(state)
        return
    emit(state, events.TURN, state.turn, 1 - np.int64(state.new_turn), NOBODY)
    state.turns += state.new_turn
    state.new_turn = 0


# --- the end ---


@device_function
def finish(state):
    """GF-54."""
    n, most, winners = np.int64(state.num_players), np.int64(0), np.int64(0)
    made = np.empty(n, np.int64)
    for seat in range(n):
        made[seat] = count_bits(np.int64(state.books[seat]))
        if made[seat] > most:
            most, winners = made[seat], np.int64(0)
        if made[seat] == most:
            winners |= 1 << seat
        emit(state, events.SCORE, seat, made[seat], NOBODY)
    for seat in range(n):
        if has_bit(winners, seat):
            emit(state, events.WIN, seat, count_bits(winners), NOBODY)
    if state.reward == WIN:
        pay_winners(state, winners)
    else:
        pay_relative(state, made, 1)


# --- actions ---


@device_function
def legal_actions(state, mask):
    seat, n = np.int64(state.turn), np.int64(state.num_players)
    if mark_reveals(state, mask, REVEAL_AT):
        return
    if not state.standard:
        mark_ranks(mask, BOOK_AT, may_book(state, seat))
    if has_bit(state.fished, seat):
        mask[END_AT] = 1
        return
    ranks = may_ask_for(state, seat)
    for place in range(1, n):
        other = clockwise(seat, place, n)
        if state.hand[other, 0] | state.hand[other, 1] != ZERO:
            mark_ranks(mask, (place - 1) * ALL_RANKS, ranks)


@device_function
def mark_ranks(mask, offset, ranks):
    while ranks != 0:
        mask[offset + lowest_bit(ranks)] = 1
        ranks &= ranks - 1


@device_function
def step(state, action):
    seat, n = np.int64(state.turn), np.int64(state.num_players)
    if action < BOOK_AT:
        ask(state, clockwise(seat, 1 + action // ALL_RANKS, n), action % ALL_RANKS)
    elif action < REVEAL_AT:
        lay_by_choice(state, action - BOOK_AT)
    elif action < COMMIT_AT:
        reveal(state, action - REVEAL_AT)
    elif action == COMMIT_AT:
        redeal(state)
    else:
        end_turn(state, successor(state, seat, 0))
    if state.staged == 0:
        settle(state)
