"""Rule-based poker: bets by equity, which it estimates by dealing the unseen cards randomly.

Its equity (the expected share of the pot at showdown) is estimated by a few dozen rollouts of the cards against random hands of
the live opponents. Above 1.3 / live players it raises three quarters of the pot, or the nearest legal size; it calls above the
pot odds, and sometimes bluffs. It reveals Draws at once, because they become two cards anyway; Reverses while others still have
to act, to act after them; Skips instead of a large call or a fold. In the draw it keeps groups, Jokers, and four cards to a
flush or a straight.

The observation does not name the variant, but the numbers of cards imply it. Chicago looks like seven-card stud; the style
`chicago` also counts the high spade. The style `call` only checks and calls; the style `shove` goes all-in with hands above a
bound that it draws anew for each decision, and otherwise plays by the rules.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.bits import count_bits, highest_bit, lowest_bit
from ...envs.core.cards import DECK_66, RANKS, STANDARD, SUITS
from ...envs.core.compare.packed import KIND_SHIFT
from ...envs.core.compare.poker import STRAIGHT, omaha_strength, poker_strength
from ...envs.core.extended.sets import (
    BIT,
    DRAW,
    ONE,
    REVERSE,
    SKIP,
    STANDARD_CARDS,
    SUIT_CARDS,
    WORD,
    ZERO,
    is_special,
    kind_of,
    specials_of,
)
from ...envs.core.jit import device_function
from ...envs.core.rng import GOLDEN, mix
from ...envs.games.poker.drawing import card_in_slot
from ...envs.games.poker.state import (
    ALL_IN,
    CALL,
    COMMIT_AT,
    DISCARD_AT,
    DRAW_AT,
    FOLD,
    MIN_PLAYERS,
    MOST_SIZES,
    OBSERVATION,
    RAISE,
    RAISE_SIZE,
    REVEAL_AT,
    SEAT,
    SLOTS,
)
from .reading import one_hot, read_set, whole

_STREET, _DOWN, _UP, _COMMUNITY, _REMOVED, _DISCARDS, _SEATS, _OTHERS_UP, _NUMBERS = OBSERVATION.places(
    "street", "down", "up", "community", "removed", "discards", "seats", "others_up", "numbers", num_players=MIN_PLAYERS
)
_STREETS = 5
_LIVE_AT, _FOLDED_AT, _DOWN_AT, _EXCHANGED_AT, _DRAWS_AT = 0, 1, 10, 11, 12  # in the row of a seat
_POT, _OWED, _LAST = 0, 1, 10  # among the numbers
HOLDEM, OMAHA, DRAWN, STUD_5, STUD_7 = range(5)
_BOARD_TO_COME = np.array([5, 2, 1, 0, 0])
_SAMPLES, _SAMPLES_OMAHA = 40, 16
_SPADES = SUIT_CARDS[SUITS - 1] & STANDARD_CARDS

_RAISE_ABOVE = 1.3  # of an equal share
_ALL_IN_ABOVE = 1.75
_SHOVE_ABOVE, _SHOVE_RANGE = 1.25, 0.45  # for two, from the best tenth of all hands to aces alone
_BLUFF = 24  # one in so many checks is a bet
_GREAT_CALL = 0.2  # of the pot: a Skip saves it
_CAUTION = 1.1  # pot odds are multiplied by it
_WANTED = 2  # the third of raise_sizes, by default three quarters of the pot


@device_function
def policy(observation, mask, num_players, noise):
    return decide(observation, mask, num_players, noise, False, False)


@device_function
def chicago(observation, mask, num_players, noise):
    """For Chicago: the highest spade is half of a hand's value."""
    return decide(observation, mask, num_players, noise, True, False)


@device_function
def shove(observation, mask, num_players, noise):
    """Goes all-in with good hands and as a bluff, on any street; otherwise plays as `policy`."""
    return decide(observation, mask, num_players, noise, False, True)


@device_function
def call(observation, mask, num_players, noise):
    """Checks and calls, stands pat, reveals nothing."""
    return np.int64(CALL if mask[CALL] else DRAW_AT)


STYLES = {"call": call, "chicago": chicago, "shove": shove}


@device_function
def decide(observation, mask, n, noise, spades, shoves):
    own, reveal = np.zeros(2, np.uint64), np.int64(-1)
    read_set(observation, _DOWN, own)
    if mask[COMMIT_AT]:
        return np.int64(COMMIT_AT)
    if observation[_NUMBERS + _LAST] == 0:
        reveal = first_reveal(mask, REVERSE)
    if first_reveal(mask, DRAW) >= 0:
        reveal = first_reveal(mask, DRAW)
    if reveal >= 0:
        return reveal
    if mask[DRAW_AT]:
        return exchange(mask, own)
    read_set(observation, _UP, own)
    return bet(observation, mask, n, noise, own, spades, shoves)


@device_function
def first_reveal(mask, kind):
    """The reveal of a special of a kind that is legal, -1 if there is none."""
    for special in range(REVEAL_AT + SUITS * kind, REVEAL_AT + SUITS * (kind + 1)):
        if mask[special]:
            return np.int64(special)
    return np.int64(-1)


# --- bets ---


@device_function
def bet(observation, mask, n, noise, own, spades, shoves):
    live = 0
    for seat in range(n):
        live += is_live(observation, seat)
    raising = nearest_raise(mask)
    if not mask[FOLD] and raising < 0:
        return np.int64(CALL)
    worth = equity(observation, n, noise, own, spades) * live
    if shoves and mask[ALL_IN]:
        least = _SHOVE_ABOVE + _SHOVE_RANGE * np.float64(mix(noise + ONE) % np.uint64(64)) / 64
        if worth > least or (not mask[FOLD] and mix(noise) % np.uint64(_BLUFF) == ZERO):
            return np.int64(ALL_IN)
    if raising >= 0 and worth > (_RAISE_ABOVE if raising != ALL_IN else _ALL_IN_ABOVE):
        return raising
    if not mask[FOLD]:
        bluff = raising >= 0 and raising != ALL_IN and mix(noise) % np.uint64(_BLUFF) == ZERO
        return raising if bluff else np.int64(CALL)
    pot, owed = np.float64(observation[_NUMBERS + _POT]) * n, np.float64(observation[_NUMBERS + _OWED])
    good = worth > live * _CAUTION * owed / (pot + owed)
    skip = first_reveal(mask, SKIP)
    if skip >= 0 and (not good or owed > _GREAT_CALL * pot):
        return skip
    return np.int64(CALL if good else FOLD)


@device_function
def is_live(observation, seat):
    row = _SEATS + SEAT * seat
    return observation[row + _LIVE_AT] > 0 and observation[row + _FOLDED_AT] == 0


@device_function
def nearest_raise(mask):
    """The legal raise that is nearest to the wanted size, a smaller one first; -1 if there is none."""
    for off in range(MOST_SIZES):
        for size in (_WANTED - off, _WANTED + off):
            if 0 <= size < MOST_SIZES and mask[RAISE_SIZE + size]:
                return np.int64(RAISE_SIZE + size)
    if mask[RAISE]:
        return np.int64(RAISE)
    return np.int64(ALL_IN if mask[ALL_IN] else -1)


# --- equity ---


@device_function
def game_of(observation):
    """The variant, inferred from the viewer's cards."""
    down, up = 0, 0
    for card in range(DECK_66):
        down += observation[_DOWN + card] > 0
        up += observation[_UP + card] > 0
    down -= whole(observation, _SEATS + _DRAWS_AT, SUITS)
    if up > 0:
        return STUD_5 if down <= 1 else STUD_7
    return HOLDEM if down <= 2 else OMAHA if down <= 4 else DRAWN


@device_function
def read_deck(observation, n, own, board, deck):
    """List the unseen cards. Returns their number."""
    seen = np.zeros(2, np.uint64)
    read_set(observation, _DISCARDS, seen)
    read_set(observation, _REMOVED, seen)
    for word in range(2):
        seen[word] |= own[word] | board[word]
    for other in range(n - 1):
        read_set(observation, _OTHERS_UP + other * DECK_66, seen)
    size = np.int64(0)
    for card in range(DECK_66 if is_extended(observation, n, seen) else STANDARD):
        if seen[WORD[card]] & BIT[card] == ZERO:
            deck[size] = card
            size += 1
    return size


@device_function
def is_extended(observation, n, seen):
    """Whether there are more than 52 cards: by those seen and those that must be somewhere."""
    count = count_bits(seen[0]) + count_bits(seen[1]) + whole(observation, _NUMBERS + 8, DECK_66)
    count += one_hot(observation, _STREET, _STREETS)  # burned
    down = whole(observation, _SEATS + _DOWN_AT, SLOTS)
    for seat in range(1, n):
        row = _SEATS + SEAT * seat
        if is_live(observation, seat):
            count += whole(observation, row + _DOWN_AT, SLOTS)
        elif observation[row + _LIVE_AT] > 0:
            count += min(down, 2)
        count += whole(observation, row + _EXCHANGED_AT, SLOTS)
    return seen[1] != ZERO or specials_of(seen) != ZERO or count > STANDARD + 2


@device_function
def equity(observation, n, noise, own, spades):
    """The viewer's expected share of the pot if all cards are dealt and nobody folds."""
    board, deck = np.zeros(2, np.uint64), np.empty(DECK_66, np.int64)
    read_set(observation, _COMMUNITY, board)
    size = read_deck(observation, n, own, board, deck)
    game, street = game_of(observation), one_hot(observation, _STREET, _STREETS)
    to_come = 0
    if game in (STUD_5, STUD_7):
        to_come = (3 if game == STUD_5 else 4) - street
    elif game == DRAWN and street == 0:
        to_come = 2  # what an exchange brings, about
    common = _BOARD_TO_COME[street] if game <= OMAHA else 0
    total, samples = 0.0, _SAMPLES_OMAHA if game == OMAHA else _SAMPLES
    hand, table, left = np.zeros(2, np.uint64), np.zeros(2, np.uint64), np.zeros(2, np.uint64)
    for sample in range(samples):
        left[0], left[1] = np.uint64(size), mix(noise + GOLDEN * np.uint64(sample + 1))
        put(table, board)
        deal_more(table, deck, left, common)
        put(hand, own)
        replace(hand, deck, left, to_come)
        mine, my_spade = strength(game, hand, table), spade_in(hand)
        ties, spade_ties = 1, 1
        for seat in range(1, n):
            if not is_live(observation, seat):
                continue
            hand[0], hand[1] = ZERO, ZERO
            read_set(observation, _OTHERS_UP + (seat - 1) * DECK_66, hand)
            row = _SEATS + SEAT * seat
            face_down = whole(observation, row + _DOWN_AT, SLOTS) + to_come
            if game == DRAWN and street > 0:
                face_down += min(2, whole(observation, row + _EXCHANGED_AT, SLOTS))
            replace(hand, deck, left, face_down)
            theirs, their_spade = strength(game, hand, table), spade_in(hand)
            ties = 0 if theirs > mine else ties + (theirs == mine and ties > 0)
            spade_ties = 0 if their_spade > my_spade else spade_ties + (their_spade == my_spade and spade_ties > 0)
            if ties == 0 and not spades:
                break
        share = 1.0 / ties if ties > 0 else 0.0
        if spades:
            share = 0.5 * share + (0.5 / spade_ties if spade_ties > 0 else 0.0)
        total += share
    return total / samples


@device_function
def put(cards, others):
    cards[0] = others[0]
    cards[1] = others[1]


@device_function
def strength(game, hand, board):
    if game == OMAHA:
        return omaha_strength(hand[0], count_bits(hand[1]), board[0], count_bits(board[1]))
    return poker_strength((hand[0] | board[0]) & STANDARD_CARDS, count_bits(hand[1]) + count_bits(board[1]))


@device_function
def spade_in(hand):
    """The highest spade, a Joker the ace, as a number; -1 for none. Which cards lie face up is left out."""
    if hand[1] != ZERO:
        return np.int64(STANDARD - 1)
    return highest_bit(hand[0] & _SPADES)


@device_function
def replace(hand, deck, left, count):
    """Deal so many cards to a hand, and others for the specials in it: none is left in the end."""
    specials = specials_of(hand)
    hand[0] &= STANDARD_CARDS
    while specials != ZERO:
        count += 2 if lowest_bit(specials) < SUITS else 1
        specials &= specials - ONE
    deal_more(hand, deck, left, count)


@device_function
def deal_more(cards, deck, left, count):
    """Add so many ordinary cards and Jokers; a special that comes is replaced, a Draw by two."""
    while count > 0 and left[0] > ZERO:
        left[1] = mix(left[1] + GOLDEN)
        size = np.int64(left[0])
        drawn = np.int64((left[1] >> np.uint64(32)) * np.uint64(size) >> np.uint64(32))
        card = deck[drawn]
        deck[drawn] = deck[size - 1]
        deck[size - 1] = card
        left[0] = np.uint64(size - 1)
        if not is_special(card):
            cards[WORD[card]] |= BIT[card]
            count -= 1
        elif kind_of(card) == DRAW:
            count += 1


# --- the draw ---


@device_function
def exchange(mask, own):
    """The lowest card that is not worth keeping and may still be marked, else the draw."""
    keep = kept(own)
    for slot in range(SLOTS):
        if mask[DISCARD_AT + slot]:
            card = card_in_slot(own, slot)
            if card < STANDARD and keep >> np.uint64(card) & ONE == ZERO:
                return np.int64(DISCARD_AT + slot)
    return np.int64(DRAW_AT)


@device_function
def kept(own):
    """The standard cards to keep: of a straight or better all, groups, four to a flush or a straight, the highest."""
    cards, jokers = own[0] & STANDARD_CARDS, count_bits(own[1])
    if poker_strength(cards, jokers) >> KIND_SHIFT >= STRAIGHT:
        return cards
    groups = ZERO
    for rank in range(RANKS):
        of_rank = cards & np.uint64(15 << (SUITS * rank))
        if count_bits(of_rank) > 1:
            groups |= of_rank
    if groups != ZERO:
        return groups
    for suit in range(SUITS):
        if count_bits(cards & SUIT_CARDS[suit]) + jokers >= 4:
            return cards & SUIT_CARDS[suit]
    for low in range(RANKS - 4, -1, -1):
        run = cards & np.uint64(0xFFFF << (SUITS * low))
        if count_bits(run) + jokers >= 4:
            return run
    return ONE << np.uint64(highest_bit(cards)) if cards != ZERO else ZERO
