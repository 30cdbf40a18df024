"""The rules of Bluff: the deal, plays with a claim, answers and challenges, passes and reveals, the end."""

from __future__ import annotations

import numpy as np

from ...core.bits import highest_bit, lowest_bit
from ...core.cards import DECK_66, RANKS, SMALL_JOKER, STANDARD
from ...core.events import (
    ANSWER,
    CHALLENGE,
    CHOOSE,
    CLAIM,
    COLLECT,
    DEAL,
    DISCARD,
    EVERYBODY,
    PASS,
    PLAY,
    SELECT,
    TURN_UP,
    WIN,
    emit,
    emit_card,
    emit_cards,
    emit_list,
)
from ...core.extended.pile import top_card
from ...core.extended.reveal import ENDED, PAUSED, mark_reveals, redeal, stage
from ...core.extended.sets import (
    AT_SPECIALS,
    BIT,
    ONE,
    RANK,
    SPECIAL_CARDS,
    ZERO,
    add,
    has,
    id_at,
    is_joker,
    mark_cards,
    remove,
    size_of,
)
from ...core.extended.state import NOBODY, clear_deal, deal_hands
from ...core.extended.turns import ROTATION, begin_turn, end_turn, successor
from ...core.jit import device_function
from ...core.match import pay_winners
from ...core.rng import random_below
from .state import (
    ACCEPT_AT,
    ACCEPTED,
    ALWAYS_FAILS,
    ASCENDING,
    CHALLENGE_AT,
    CHECK_ONE,
    CLAIMABLE,
    COMMIT_AT,
    FAILED,
    FREE,
    HELD,
    MOST_CLAIMED,
    MOST_TAKEN,
    NAME_AT,
    NEXT,
    NEXT_ONLY,
    NO_RANK,
    PASS_AT,
    PLAY_AT,
    REVEAL_AT,
    WINNER,
)


@device_function
def begin(state):
    """BL-02, BL-03: card k of the deck goes to seat k mod n."""
    clear_deal(state)
    n = np.int64(state.num_players)
    dealt = STANDARD if state.standard or state.deal_52 else DECK_66
    deal_hands(state, np.int64(0), dealt // n)
    for seat in range(dealt % n):
        card = top_card(state)
        add(state.hand[seat], card)
        emit_card(state, DEAL, seat, card, 1 << seat, NOBODY)
    clear_table(state)
    state.turns = 0
    state.required = state.first_rank if state.rank_order == ASCENDING else NO_RANK
    begin_turn(state, np.int64(0), ROTATION)
    go_on(state)


@device_function
def clear_table(state):
    for seat in range(np.int64(state.num_players)):
        clear(state.given[seat])
        for rank in range(CLAIMABLE):
            state.claimed[seat, rank] = 0
            state.taken[seat, rank] = 0
    for k in range(DECK_66):
        clear_place(state, k)
    clear(state.composed)
    clear(state.shown)
    clear(state.turned)
    state.laid = 0
    state.gone = 0
    state.answering = 0
    state.passed = 0
    state.challenger = NOBODY
    state.challenged = NOBODY
    state.held = 0


@device_function
def clear(cards):
    cards[0] = ZERO
    cards[1] = ZERO


@device_function
def clear_place(state, k):
    state.laid_card[k] = 0
    state.laid_seat[k] = 0
    state.laid_first[k] = 0


# --- the state of the turn ---


@device_function
def is_leading(state):
    """BL-20: whether the player in turn leads."""
    return state.rank_order == FREE and state.laid == state.gone


@device_function
def has_begun(state):
    """Whether the player in turn has named a rank or put a card, and so must play (BL-40)."""
    return state.composed[0] | state.composed[1] != ZERO or (is_leading(state) and state.required != NO_RANK)


@device_function
def highest_of(cards):
    """The highest id of a set, -1 if it is empty."""
    if cards[0] & SPECIAL_CARDS != ZERO:
        return id_at(highest_bit(cards[0]))
    if cards[1] != ZERO:
        return SMALL_JOKER + highest_bit(cards[1])
    return highest_bit(cards[0])


@device_function
def next_cards(state):
    """The cards that may be put next, as two words: those above the last one. Of two Jokers, which are alike, only the
    first."""
    hand, last = state.hand[np.int64(state.turn)], highest_of(state.composed)
    suited, jokers = hand[0], ZERO
    if hand[1] != ZERO and last < SMALL_JOKER + 2:
        jokers = ONE << np.uint64(lowest_bit(hand[1]))
    if is_joker(last):
        suited &= SPECIAL_CARDS
    elif last >= 0:
        suited &= ~(BIT[last] | (BIT[last] - ONE))
    return suited, jokers


@device_function
def heap_size(state):
    return np.int64(state.laid) - np.int64(state.gone)


@device_function
def last_player(state):
    """The player who made the last play on the heap."""
    return np.int64(state.laid_seat[np.int64(state.laid) - 1])


@device_function
def last_play(state):
    """The start of the last play on the heap."""
    k = np.int64(state.laid) - 1
    while not state.laid_first[k]:
        k -= 1
    return k


@device_function
def last_rank(state):
    """The rank claimed by the last play on the heap (BL-10, BL-12)."""
    rank = np.int64(state.required)
    if state.rank_order == FREE or state.answering:
        return rank
    return rank - 1 if rank > 0 else np.int64(RANKS - 1)


# --- legal actions ---


@device_function
def legal_actions(state, mask):
    if state.answering:
        mask[CHALLENGE_AT] = 1
        mask[ACCEPT_AT] = 1
        return
    begun = has_begun(state)
    if not begun and mark_reveals(state, mask, REVEAL_AT):  # BL-40
        return
    if is_leading(state) and state.required == NO_RANK:
        mark_ranks(state, mask)
        return
    suited, jokers = next_cards(state)
    mark_cards(mask, 0, suited, jokers)
    if state.composed[0] | state.composed[1] != ZERO:
        mask[PLAY_AT] = 1
    elif state.allow_pass and not begun:  # BL-13, BL-20
        mask[PASS_AT] = 1


@device_function
def mark_ranks(state, mask):
    """BL-20, BL-21."""
    ranks = CLAIMABLE if state.claim_specials and not state.standard else RANKS
    for rank in range(ranks):
        mask[NAME_AT + rank] = 1


# --- steps ---


@device_function
def step(state, action):
    if action < NAME_AT:
        step_put(state, action)
    elif action < PLAY_AT:
        state.required = action - NAME_AT
        emit(state, CHOOSE, state.turn, state.required, NOBODY)
    elif action == PLAY_AT:
        make_play(state)
    elif action == PASS_AT:
        player = np.int64(state.turn)
        emit(state, PASS, player, 0, NOBODY)
        pass_on(state, player, successor(state, player, np.int64(0)))
    elif action == CHALLENGE_AT:
        challenge(state)
    elif action == ACCEPT_AT:
        accept(state)
    else:
        step_reveal(state, action)


@device_function
def step_put(state, card):
    player = np.int64(state.turn)
    remove(state.hand[player], card)
    add(state.composed, card)
    emit_card(state, SELECT, player, card, 1 << player, NOBODY)
    suited, jokers = next_cards(state)
    if size_of(state.composed) == state.max_play or suited | jokers == ZERO:  # no choice left
        make_play(state)


@device_function
def make_play(state):
    """BL-04, BL-07: put the cards on the heap, in ascending order, and ask the next player (BL-30)."""
    player = np.int64(state.turn)
    forget_hand(state, player)
    first = np.int64(state.laid)
    while state.composed[0] | state.composed[1] != ZERO:
        card = lowest_of(state.composed)
        remove(state.composed, card)
        k = np.int64(state.laid)
        state.laid_card[k] = card
        state.laid_seat[k] = player
        state.laid = k + 1
    state.laid_first[first] = 1
    number, rank = np.int64(state.laid) - first, np.int64(state.required)
    emit_list(state, PLAY, player, state.laid_card, first, state.laid, 1 << player, NOBODY)
    emit(state, CLAIM, player, rank, NOBODY)
    state.claimed[player, rank] = min(np.int64(state.claimed[player, rank]) + number, MOST_CLAIMED)
    state.taken[player, rank] = max(np.int64(state.taken[player, rank]) - number, 0)
    state.passed = 0  # BL-22
    state.answering = 1
    state.current_player = successor(state, player, np.int64(0))


@device_function
def lowest_of(cards):
    """The lowest id of a set that is not empty."""
    standard = cards[0] & ~SPECIAL_CARDS
    if standard == ZERO and cards[1] != ZERO:
        return SMALL_JOKER + lowest_bit(cards[1])
    return id_at(lowest_bit(cards[0]))


@device_function
def forget_hand(state, player):
    """After a hand plays, nobody else knows which of its cards are still there."""
    for word in range(2):
        others = ~(state.hand[player, word] | state.composed[word])
        state.shown[word] &= others
        for seat in range(np.int64(state.num_players)):
            state.given[seat, word] &= others


# --- answers ---


@device_function
def accept(state):
    player = np.int64(state.turn)
    emit(state, ANSWER, state.current_player, ACCEPTED, player)
    following = successor(state, np.int64(state.current_player), np.int64(0))
    if state.challengers != NEXT_ONLY and following != player:  # BL-30
        state.current_player = following
        return
    state.answering = 0
    if size_of(state.hand[player]) == 0:
        win(state, player)
        return
    answered(state)
    end_turn(state, ROTATION)
    go_on(state)


@device_function
def answered(state):
    """BL-12; BL-36: on an empty heap the leader names the rank."""
    if state.rank_order == ASCENDING:
        state.required = state.required + 1 if state.required < RANKS - 1 else 0
    elif state.laid == state.gone:
        state.required = NO_RANK


@device_function
def challenge(state):
    player, challenger = np.int64(state.turn), np.int64(state.current_player)
    emit(state, CHALLENGE, challenger, 0, player)
    turn_up(state)
    holds = does_hold(state)
    emit_cards(state, TURN_UP, player, state.turned[0], state.turned[1], EVERYBODY, NOBODY)
    emit(state, ANSWER, player, HELD if holds else FAILED, challenger)
    winner, taker = (player, challenger) if holds else (challenger, player)
    state.challenger = challenger
    state.challenged = player
    state.held = holds
    take_heap(state, taker)  # BL-35
    state.answering = 0
    if size_of(state.hand[player]) == 0:  # BL-50
        win(state, player)
        return
    answered(state)
    following = taker  # BL-36
    if state.after_challenge == NEXT:
        following = successor(state, player, np.int64(0))
    elif state.after_challenge == WINNER:
        following = winner
    begin_turn(state, following, ROTATION)  # BL-37
    go_on(state)


@device_function
def turn_up(state):
    """BL-32, BL-33."""
    first, end = last_play(state), np.int64(state.laid)
    if state.check == CHECK_ONE:
        first += random_below(state, end - first)
        end = first + 1
    clear(state.turned)
    for k in range(first, end):
        add(state.turned, np.int64(state.laid_card[k]))


@device_function
def does_hold(state):
    """Whether the claim is true, by the cards turned up. There are never too many Jokers, because there are four suits
    (BL-32)."""
    if np.int64(state.laid) - last_play(state) >= ALWAYS_FAILS:  # BL-31
        return False
    rank = np.int64(state.required)
    for k in range(last_play(state), np.int64(state.laid)):
        card = np.int64(state.laid_card[k])
        if has(state.turned, card) and RANK[card] != rank and not (is_joker(card) and rank < RANKS):  # BL-34
            return False
    return True


@device_function
def take_heap(state, taker):
    """BL-35. A player who put a card down now knows where it is, and everybody knows those turned up."""
    emit_list(state, COLLECT, taker, state.laid_card, state.gone, state.laid, 1 << taker, NOBODY)
    for k in range(np.int64(state.gone), np.int64(state.laid)):
        card, seat = np.int64(state.laid_card[k]), np.int64(state.laid_seat[k])
        add(state.hand[taker], card)
        if seat != taker:
            add(state.given[seat], card)
        if has(state.turned, card):
            add(state.shown, card)
            rank = RANK[card]
            if rank >= 0:
                state.taken[taker, rank] = min(np.int64(state.taken[taker, rank]) + 1, MOST_TAKEN)
        clear_place(state, k)
    state.laid = state.gone
    state.passed = 0
    for rank in range(CLAIMABLE):
        state.claimed[taker, rank] = 0


# --- passes and reveals ---


@device_function
def pass_on(state, player, following):
    """End a turn without a play (BL-22, BL-43); `following` is next, unless the heap is removed."""
    if heap_size(state) > 0:
        last = last_player(state)
        if player != last:
            state.passed = np.int64(state.passed) | 1 << player
        everybody = (1 << np.int64(state.num_players)) - 1
        if state.rank_order == FREE and np.int64(state.passed) | 1 << last == everybody:
            emit_list(state, DISCARD, NOBODY, state.laid_card, state.gone, state.laid, 0, NOBODY)
            state.gone = state.laid
            state.passed = 0
            state.required = NO_RANK
            following = last
    begin_turn(state, following, ROTATION)
    go_on(state)


@device_function
def step_reveal(state, action):
    """BL-40 to BL-43."""
    if action < COMMIT_AT and not stage(state, action - REVEAL_AT):
        return
    player, staged = np.int64(state.turn), np.uint64(state.staged) << AT_SPECIALS
    state.shown[0] &= ~staged
    for seat in range(np.int64(state.num_players)):
        state.given[seat, 0] &= ~staged
    became, following = redeal(state, ROTATION)
    if became == PAUSED:
        state.passed = np.int64(state.passed) & ~(1 << player)
        begin_turn(state, following, ROTATION)
        go_on(state)
    elif became == ENDED:
        pass_on(state, player, following)


# --- turns and the end ---


@device_function
def go_on(state):
    """Begin the turn of `state.turn`, or resume it after a pause, which is not a new turn (BL-51)."""
    state.current_player = state.turn
    if state.new_turn:
        state.new_turn = 0
        if state.turns == state.max_turns:
            stop(state)
        else:
            state.turns += 1


@device_function
def win(state, player):
    """BL-50."""
    emit(state, WIN, player, 0, NOBODY)
    pay_winners(state, 1 << player)


@device_function
def stop(state):
    """BL-51: the players with the fewest cards share the win."""
    n, fewest, sharers = np.int64(state.num_players), np.int64(DECK_66), np.int64(0)
    for seat in range(n):
        fewest = min(fewest, size_of(state.hand[seat]))
    for seat in range(n):
        if size_of(state.hand[seat]) == fewest:
            sharers |= 1 << seat
            emit(state, WIN, seat, fewest, NOBODY)
    pay_winners(state, sharers)
