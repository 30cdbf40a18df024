"""The rules of blackjack: the course of a hand, legal actions, their effects, and the settlement."""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core.events import EVERYBODY, emit, emit_card, emit_list
from ...core.extended.pile import pile_size, top_card
from ...core.extended.sets import NO_CARD
from ...core.extended.shoe import (
    cards_in,
    open_shoe,
    redeal_shown,
    shoe_size,
    shuffle_shoe,
    use_up,
)
from ...core.extended.state import NOBODY
from ...core.extended.turns import has_bit, next_place, turn_round
from ...core.jit import device_function
from .hands import (
    all_ended,
    end_all,
    end_hand,
    hand_in_play,
    has_ace,
    has_natural,
    is_natural,
    is_pair,
    lowest_card,
    makes_natural,
    may_be_natural,
    shows_ace,
)
from .state import (
    ANY,
    BETTING,
    DO_BET,
    DO_DECLINE,
    DO_DOUBLE,
    DO_HIT,
    DO_INSURE,
    DO_SPLIT,
    DO_STAND,
    DO_SURRENDER,
    EARLY,
    END,
    HIT,
    INSURING,
    LATE,
    MONEY,
    MOST_BETS,
    NEVER,
    NINE_TO_ELEVEN,
    NONE,
    PARTS,
    PEEK,
    PER_PLACE,
    QUARTER,
    SURRENDERING,
    TURN,
)
from .totals import BEST, TEN, is_bust, total_of

_DEALER_STANDS = 17
_PART = MONEY // PARTS
_PAY = np.array([15, 12, 10, 0], np.int64)  # of a natural, in tenths of the bet, by the option


@device_function
def deal(state):
    shuffle_shoe(state)


@device_function
def begin(state):
    clear_table(state)
    open_shoe(state)
    begin_hand(state)
    if state.phase == END and not state.deal_pending:
        if state.move_count > 0:
            state.terminated = 1
        else:
            state.current_player = 0  # BJ-49
    if state.move_count > 0:
        pay_out(state)


@device_function
def pay_out(state):
    for seat in range(np.int64(state.num_players)):
        state.rewards[seat] += np.float32(state.owed[seat] / MONEY)
        state.owed[seat] = 0


# --- the beginning of a hand ---


@device_function
def clear_table(state):
    """Use up the cards on the table until the next shuffle (BJ-48)."""
    for seat in range(np.int64(state.num_players)):
        for hand in range(np.int64(state.num_hands[seat])):
            use_up(state, state.hand[seat, hand])
        state.bet[seat] = 0
        state.num_hands[seat] = 0
        state.ended[seat] = 0
        state.doubled[seat] = 0
        state.split_aces[seat] = 0
    use_up(state, state.dealer)
    if state.hole_card != NO_CARD:
        state.used[np.int64(state.hole_card)] += 1
    state.hole_card = NO_CARD
    state.up_card = NO_CARD
    state.begun = 0
    state.out = 0
    state.insured = 0
    state.surrendered = 0


@device_function
def begin_hand(state):
    """Begin the next hand and play to its first decision. If it has none, continue with the following hands, up to one that
    begins with a shuffle, or to the end of the episode (`phase` is then END)."""
    while True:
        state.hand_number += 1
        emit(state, events.ROUND, NOBODY, state.hand_number, NOBODY)
        state.direction = 1  # BJ-49
        if state.bets[1] > 0:
            state.phase = BETTING
            state.current_player = 0
            return
        for seat in range(np.int64(state.num_players)):
            state.bet[seat] = 1
        deal_hand(state)
        if not ends_hand(state):
            return


@device_function
def ends_hand(state):
    """Whether a hand is over and the next one begins at once from the same shoe."""
    if state.phase != END or state.hand_number == state.hands:
        return False
    if needs_shuffle(state):
        state.deal_pending = 1
        return False
    clear_table(state)
    return True


@device_function
def needs_shuffle(state):
    """Whether to shuffle before the next hand, by the option `reshuffle`."""
    left, places = pile_size(state), np.int64(state.num_players) + 1
    return state.reshuffle != QUARTER or left * 4 < shoe_size(state) or left < PER_PLACE * places


@device_function
def deal_hand(state):
    """BJ-03: deal, and play to the first decision."""
    n = np.int64(state.num_players)
    for seat in range(n):
        state.num_hands[seat] = 1
        emit_list(state, events.DEAL, seat, state.deck[np.int64(state.pile_at) :: n + 1], 0, 2, EVERYBODY, NOBODY)
        state.hand[seat, 0, top_card(state)] += 1
    state.hole_card = top_card(state)
    emit_card(state, events.SET_ASIDE, NOBODY, state.hole_card, 0, NOBODY)
    for seat in range(n):
        state.hand[seat, 0, top_card(state)] += 1
    card = top_card(state)
    state.dealer[card] += 1
    state.up_card = card
    emit_card(state, events.TURN_UP, NOBODY, card, EVERYBODY, NOBODY)
    state.phase = SURRENDERING
    ask(state, 0)


@device_function
def ask(state, seat):
    """Ask the questions before the turns, from `seat` on: early surrender, then insurance (BJ-05, BJ-06)."""
    n = np.int64(state.num_players)
    if state.phase == SURRENDERING:
        if seat < n and state.surrender == EARLY and may_be_natural(state):
            state.current_player = seat
            return
        state.phase = INSURING
        seat = 0
    if state.insurance and state.naturals != NONE and shows_ace(state):
        while seat < n:
            if not has_bit(state.surrendered, seat):
                state.current_player = seat
                return
            seat += 1
    state.out = np.int64(state.surrendered)
    if state.hole == PEEK and may_be_natural(state) and makes_natural(state, np.int64(state.hole_card)):  # BJ-07
        turn_up(state)
        settle(state)
        return
    state.phase = TURN
    play_from(state, next_place(np.int64(state.direction), n, n + 1, np.int64(state.out)))  # BJ-08


@device_function
def turn_up(state):
    emit_card(state, events.TURN_UP, NOBODY, state.hole_card, EVERYBODY, NOBODY)
    state.dealer[np.int64(state.hole_card)] += 1
    state.hole_card = NO_CARD


# --- legal actions ---


@device_function
def can_hit(state, seat, hand):
    aces = has_bit(state.split_aces[seat], hand)
    return pile_size(state) > 0 and (not aces or state.hit_split_aces != 0)


@device_function
def can_double(state, seat, hand):
    """BJ-10."""
    cards = state.hand[seat, hand]
    if state.double == NEVER or pile_size(state) == 0 or has_bit(state.split_aces[seat], hand) or cards_in(cards) != 2:
        return False
    if state.num_hands[seat] > 1 and not state.double_after_split:
        return False
    total, _ = total_of(cards)
    return state.double == ANY or (total >= (9 if state.double == NINE_TO_ELEVEN else 10) and total <= 11)


@device_function
def can_split(state, seat, hand):
    """BJ-11."""
    if state.num_hands[seat] >= state.max_split_hands or pile_size(state) < 2:
        return False
    if has_bit(state.split_aces[seat], hand) and not state.resplit_aces:
        return False
    return is_pair(state, state.hand[seat, hand])


@device_function
def can_surrender(state, seat):
    """BJ-12."""
    return state.surrender == LATE and state.num_hands[seat] == 1 and cards_in(state.hand[seat, 0]) == 2


@device_function
def legal_actions(state, mask):
    if state.phase == BETTING:
        for k in range(MOST_BETS):
            if state.bets[k] > 0:
                mask[DO_BET + k] = 1
    elif state.phase == SURRENDERING:
        mask[DO_SURRENDER] = 1
        mask[DO_DECLINE] = 1
    elif state.phase == INSURING:
        mask[DO_INSURE] = 1
        mask[DO_DECLINE] = 1
    else:
        mask[DO_STAND] = 1
        if state.phase == TURN:
            seat = np.int64(state.current_player)
            hand = hand_in_play(state, seat)
            mask[DO_HIT] = can_hit(state, seat, hand)
            mask[DO_DOUBLE] = can_double(state, seat, hand)
            mask[DO_SPLIT] = can_split(state, seat, hand)
            mask[DO_SURRENDER] = can_surrender(state, seat)


@device_function
def has_choice(state, seat, hand):
    """Whether there is another action than to stand; otherwise the player is not asked."""
    return can_hit(state, seat, hand) or can_split(state, seat, hand) or can_surrender(state, seat)


# --- turns ---


@device_function
def play_from(state, place):
    """Play from `place` on in the order of play, up to a decision or to the end of the hand."""
    n = np.int64(state.num_players)
    while place != NOBODY:
        if place == n:
            if dealer_turn(state):  # BJ-44
                break
        elif player_turn(state, place):
            state.current_player = place
            return
        place = next_place(np.int64(state.direction), place, n + 1, np.int64(state.out))
    settle(state)


@device_function
def player_turn(state, seat):
    """Begin or resume a player's turn (BJ-34, BJ-35, BJ-38). Returns whether the player has a decision."""
    if not has_bit(state.begun, seat):
        state.begun = np.int64(state.begun) | 1 << seat
        hand = state.hand[seat, 0]
        reverses, skips = redeal_shown(state, hand, seat)
        if is_natural(state, hand) or is_bust(hand):
            end_hand(state, seat, 0)
        if not goes_on(state, seat, reverses, skips):
            return False
    return decides(state, seat)


@device_function
def goes_on(state, seat, reverses, skips):
    """Whether a player's turn continues after specials were redealt in it; otherwise it is over or paused (BJ-38 to BJ-42)."""
    if reverses & 1:
        turn_round(state)
    if skips > 0:
        emit(state, events.SKIPPED, seat, 0, NOBODY)
        end_all(state, seat)
    if all_ended(state, seat):
        close(state, seat)
        return False
    if reverses > 0:
        emit(state, events.PAUSE, seat, 0, NOBODY)
        return False
    return True


@device_function
def decides(state, seat):
    """Whether the player in turn has a decision. Hands that can only stand do so; after the last, the turn is over."""
    while not all_ended(state, seat):
        hand = hand_in_play(state, seat)
        if has_choice(state, seat, hand):
            return True
        end_hand(state, seat, hand)
    close(state, seat)
    return False


@device_function
def close(state, place):
    """End a turn."""
    state.out = np.int64(state.out) | 1 << place


@device_function
def step(state, action):
    seat = np.int64(state.current_player)
    if state.phase == BETTING:
        state.bet[seat] = action - DO_BET + 1
        emit(state, events.BET, seat, state.bets[action - DO_BET], NOBODY)
        if seat + 1 < np.int64(state.num_players):
            state.current_player = seat + 1
        else:
            deal_hand(state)
    elif state.phase == SURRENDERING or state.phase == INSURING:
        if action == DO_SURRENDER:
            give_up(state, seat)
        elif action == DO_INSURE:
            state.insured = np.int64(state.insured) | 1 << seat
            emit(state, events.INSURE, seat, stake_of(state, seat) // 2, NOBODY)
        else:
            emit(state, events.PASS, seat, 0, NOBODY)
        ask(state, seat + 1)
    elif state.phase == TURN:
        step_turn(state, seat, action)
    if state.phase == END:
        if ends_hand(state):
            begin_hand(state)
        if state.phase == END and not state.deal_pending:
            state.terminated = 1
    pay_out(state)


@device_function
def give_up(state, seat):
    emit(state, events.SURRENDER, seat, 0, NOBODY)
    state.surrendered = np.int64(state.surrendered) | 1 << seat


@device_function
def step_turn(state, seat, action):
    hand = hand_in_play(state, seat)
    number = hand + 1 if state.num_hands[seat] > 1 else 0  # as in events
    goes = True
    if action == DO_STAND:
        emit(state, events.STAND, seat, number, NOBODY)
        end_hand(state, seat, hand)
    elif action in (DO_HIT, DO_DOUBLE):
        emit(state, events.HIT if action == DO_HIT else events.DOUBLE, seat, number, NOBODY)
        reverses, skips = deal_to(state, state.hand[seat, hand], seat)
        if action == DO_DOUBLE:
            state.doubled[seat] = np.int64(state.doubled[seat]) | 1 << hand
            end_hand(state, seat, hand)
        elif is_bust(state.hand[seat, hand]):
            end_hand(state, seat, hand)
        goes = goes_on(state, seat, reverses, skips)
    elif action == DO_SPLIT:
        emit(state, events.SPLIT, seat, number, NOBODY)
        reverses, skips = split(state, seat, hand)
        goes = goes_on(state, seat, reverses, skips)
    else:
        give_up(state, seat)
        end_all(state, seat)
    if not goes or not decides(state, seat):
        play_from(state, next_place(np.int64(state.direction), seat, np.int64(state.num_players) + 1, np.int64(state.out)))


@device_function
def deal_to(state, hand, seat):
    """Deal one card face up, redealt at once if it is special (BJ-42). Returns the numbers of Reverses and Skips redealt."""
    card = top_card(state)
    emit_card(state, events.DRAW, seat, card, EVERYBODY, NOBODY)
    hand[card] += 1
    return redeal_shown(state, hand, seat)


@device_function
def split(state, seat, hand):
    """BJ-11: the lower card stays, the other begins the next hand. Returns the numbers of Reverses and Skips redealt."""
    for later in range(np.int64(state.num_hands[seat]) - 1, hand, -1):
        state.hand[seat, later + 1] = state.hand[seat, later]
    first, second = state.hand[seat, hand], state.hand[seat, hand + 1]
    aces = has_ace(first)
    low = lowest_card(first)
    first[low] -= 1
    second[:] = first
    first[:] = 0
    first[low] = 1
    state.num_hands[seat] += 1
    insert_bit(state.ended, seat, hand + 1, 0)
    insert_bit(state.doubled, seat, hand + 1, 0)
    insert_bit(state.split_aces, seat, hand + 1, 0)
    others = np.int64(state.split_aces[seat]) & ~(3 << hand)
    state.split_aces[seat] = others | (3 << hand if aces else 0)
    reverses, skips = deal_to(state, first, seat)
    if pile_size(state) > 0:
        more_reverses, more_skips = deal_to(state, second, seat)
        reverses += more_reverses
        skips += more_skips
    for half in (hand, hand + 1):
        if is_bust(state.hand[seat, half]) or (aces and not has_choice(state, seat, half)):
            end_hand(state, seat, half)
    return reverses, skips


@device_function
def insert_bit(bits, seat, place, bit):
    """Shift the bits from `place` on up by one."""
    old = np.int64(bits[seat])
    low = old & ((1 << place) - 1)
    bits[seat] = low | bit << place | (old >> place) << (place + 1)


# --- the dealer ---


@device_function
def dealer_turn(state):
    """Begin or resume the dealer's turn (BJ-13, BJ-14, BJ-36, BJ-42). Returns whether the dealer has a natural."""
    n = np.int64(state.num_players)
    reverses = skips = 0
    if not has_bit(state.begun, n):
        state.begun = np.int64(state.begun) | 1 << n
        turn_up(state)
        reverses, skips = redeal_shown(state, state.dealer, NOBODY)
        if is_natural(state, state.dealer):
            return True
    else:
        reverses = skips = 0
    while True:
        total, soft = total_of(state.dealer)
        if reverses & 1:
            turn_round(state)
        if skips > 0:
            emit(state, events.SKIPPED, NOBODY, 0, NOBODY)
        if skips > 0 or total > BEST:
            break
        if reverses > 0:
            emit(state, events.PAUSE, NOBODY, 0, NOBODY)
            return False
        draws = total < _DEALER_STANDS or (total == _DEALER_STANDS and soft and state.dealer_soft17 == HIT)
        if not draws or pile_size(state) == 0 or nobody_is_in(state):
            break
        reverses, skips = deal_to(state, state.dealer, NOBODY)
    close(state, n)
    return False


@device_function
def nobody_is_in(state):
    """BJ-14: whether every player is bust, surrendered or done with a natural."""
    for seat in range(np.int64(state.num_players)):
        if not is_done(state, seat):
            return False
    return True


@device_function
def is_done(state, seat):
    if has_bit(state.surrendered, seat):
        return True
    if not has_bit(state.out, seat):
        return False
    if has_natural(state, seat):
        return True
    for hand in range(np.int64(state.num_hands[seat])):
        if not is_bust(state.hand[seat, hand]):
            return False
    return True


# --- settlement ---


@device_function
def settle(state):
    """BJ-16, BJ-17, BJ-45."""
    natural = is_natural(state, state.dealer)
    dealer, _ = total_of(state.dealer)
    if natural:
        emit(state, events.DECLARE, NOBODY, 0, NOBODY)
    emit(state, events.SCORE, NOBODY, dealer, NOBODY)
    for seat in range(np.int64(state.num_players)):
        bet = stake_of(state, seat)
        if has_bit(state.insured, seat):
            brought = bet if natural else -(bet // 2)
            emit(state, events.PAY, seat, brought, NOBODY)
            state.owed[seat] += brought
        if has_bit(state.surrendered, seat):
            emit(state, events.PAY, seat, -(bet // 2), NOBODY)
            state.owed[seat] -= bet // 2
            continue
        if not has_bit(state.begun, seat):
            redeal_shown(state, state.hand[seat, 0], seat)
        for hand in range(np.int64(state.num_hands[seat])):
            stake = bet << (np.int64(state.doubled[seat]) >> hand & 1)
            brought = result(state, seat, hand, stake, natural, dealer)
            emit(state, events.PAY, seat, brought, NOBODY)
            state.owed[seat] += brought
    state.phase = END


@device_function
def stake_of(state, seat):
    """The bet of a seat on a hand, in 1 / MONEY."""
    return np.int64(state.bets[np.int64(state.bet[seat]) - 1]) * _PART


@device_function
def result(state, seat, hand, stake, natural, dealer):
    """The result of a hand against a dealer's total, or natural."""
    total, _ = total_of(state.hand[seat, hand])
    own_natural = has_natural(state, seat)
    if own_natural:
        emit(state, events.DECLARE, seat, 0, NOBODY)
    emit(state, events.SCORE, seat, total, NOBODY)
    if total > BEST or (natural and not own_natural):
        return -stake
    if own_natural and not natural:
        return stake * _PAY[state.naturals] // TEN
    if dealer > BEST or total > dealer:
        return stake
    return -stake if total < dealer or state.dealer_wins_pushes else 0
