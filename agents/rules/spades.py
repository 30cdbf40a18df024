"""Rule-based Spades: bids by a regression of won tricks; plays by the value of the trick now and of the card later.

A bid is a weighted sum of features of the hand: high cards, length of trumps, short suits, Jokers; it is nil if a similar sum
of cards that could win unwanted tricks is small. In the play, a trick has a value in points for each possible winner: the
change of the two contracts' probabilities, a possible bag, a broken nil. For every legal card the player estimates the winner
of the trick from the unseen cards, the others' known voids and the players still to act, and subtracts the card's value in
later tricks. Specials are rated in the same way: a Draw is exchanged for two cards, a Skip saves a card when the trick is
decided or a nil is in danger, a Reverse lets the player act last. A Joker wins if the trick is worth winning.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.bits import count_bits, lowest_bit
from ...envs.core.cards import DECK_66, STANDARD, SUITS
from ...envs.core.extended.sets import (
    AT_SPECIALS,
    BIT,
    DRAW,
    FIRST_SPECIAL,
    KIND_BITS,
    ONE,
    REVERSE,
    SKIP,
    SPECIALS,
    STANDARD_CARDS,
    SUIT,
    SUIT_CARDS,
    ZERO,
    id_at,
    is_joker,
    is_special,
    kind_of,
)
from ...envs.core.extended.tricks import COMMIT_AT, DECLARE_AT, LOSE_AT, REVEAL_AT, WIN_AT
from ...envs.core.jit import device_function
from ...envs.core.layout import start
from ...envs.games.spades import ACTIONS, BIDS, OBSERVATION, PLAYERS, SPADES, TRICKS
from .reading import hand_size, read_set, read_unseen, whole

_HAND, _PILE, _DIRECTION = OBSERVATION.places("hand", "pile", "direction")
_SKIPS, _OVER, _TRICK, _LED = OBSERVATION.places("pending_skip", "turn_over", "trick_cards", "led_suit")
_NUMBER, _VOID, _BIDS, _TRICKS = OBSERVATION.places("trick_number", "seen_void", "bids", "tricks")
_BID = ACTIONS.at("bid")

# Found by playing teams with different weights against each other. Points, chances, shares.
_WEIGHTS = {
    "keep": 0.5,  # what a card is worth in later tricks, to what a trick is worth now; a trump or Joker
    "keep_trump": 1.13,
    "load": 0.78,  # taken off that, as far as there are no more tricks than good cards
    "hand": 0.3,  # how much their own hand tells of the tricks to come, beside the bids
    "bag": 6.0,
    "spread": 1.13,  # of the tricks still to be won, for each root of their number
    "nil": 150.0,  # to win a trick one has bid not to win, or to make an opponent do so
    "nil_keep": 55.0,  # what a dangerous card in a nil's hand costs later
    "opponent": 0.61,  # that who can beat an opponent's card does; a partner's
    "partner": 0.1,
    "joker": 0.3,  # that who holds a Joker uses it
    "higher": 0.68,  # what is left of a chance to beat when the card has been beaten already
    "side": 0.5,  # what each unseen higher card leaves of a card's worth, in plain suits and in trumps
    "trump": 0.71,
    "low_trump": 0.35,
    "joker_worth": 0.81,
    "average": 0.09,  # the worth of a card from the pile
    "last": 0.15,  # of playing last, for each player who goes before
    "short": 0.03,  # of a discard from a short suit, with trumps to ruff
    "skip": 0.13,  # of an opponent's card not played
    "draw": 0.28,  # of two cards for an opponent
    "shade": 0.5,  # taken off the estimate of one's tricks, and for each trick bid beyond thirteen
    "crowd": 0.3,
    "nil_chance": 0.52,  # a nil is bid from this chance on
}
# Of the features of a hand: the tricks it wins, and the odds of a nil as a logarithm.
_FEATURES, _NIL_FEATURES = 21, 13
_TRICK_WEIGHTS = [
    *(0.11, 0.94, 0.68, 0.46, 0.33, 0.23),  # always; As, Ks, Qs, Js, Ts
    *(0.31, 0.23),  # each spade, each beyond four
    *(0.84, 0.57, 0.35, -0.07, -0.06),  # plain Aces, Kings, Queens; bare ones, those of long suits
    *(0.23, 0.17, 0.12),  # trumps for a void, a suit of one, of two
    *(0.93, 0.22, 0.35, 0.08),  # Jokers; Draws, Reverses, Skips of plain suits
    -0.54,  # with the Extended Deck
]
_NIL_WEIGHTS = [
    *(1.01, -0.22, -2.51, -1.01, -0.59, -0.45),  # always; each spade; As, Ks, Qs, Js
    *(-0.04, -0.15, 0.03),  # ranks too high for their place in the suit: spades, plain suits, these squared
    *(-0.18, 0.37, 0.26),  # a void; Jokers; specials of plain suits
    -0.62,  # with the Extended Deck
]
WEIGHTS = np.array([*_WEIGHTS.values(), *_TRICK_WEIGHTS, *_NIL_WEIGHTS], np.float64)
TRICK_WEIGHTS = len(_WEIGHTS)
NIL_WEIGHTS = TRICK_WEIGHTS + _FEATURES
_at = list(_WEIGHTS).index
KEEP, KEEP_TRUMP, LOAD, HAND = (_at(name) for name in ("keep", "keep_trump", "load", "hand"))
BAG, SPREAD, NIL_COST, NIL_KEEP = (_at(name) for name in ("bag", "spread", "nil", "nil_keep"))
OPPONENT, PARTNER, JOKER, HIGHER = (_at(name) for name in ("opponent", "partner", "joker", "higher"))
SIDE, TRUMP, LOW_TRUMP, JOKER_WORTH = (_at(name) for name in ("side", "trump", "low_trump", "joker_worth"))
AVERAGE, LAST, SHORT = (_at(name) for name in ("average", "last", "short"))
SKIP_WORTH, DRAW_WORTH = _at("skip"), _at("draw")
SHADE, CROWD, NIL_CHANCE = (_at(name) for name in ("shade", "crowd", "nil_chance"))

# What is read of each seat, counted clockwise from their own.
SIZE, BID, WON, IS_OVER, SKIPPED, IS_NIL, CARD, GAIN = range(8)
_COLUMNS = 8
NO_CARD = -1.0
A_RANK = 0.001  # of equally good cards the higher is a little better
_MINE, _UNSEEN = range(2)  # sets of cards
_ACE = STANDARD - SUITS + SPADES
_PLAIN_SPECIALS = np.uint64(0x777)

# Strengths of cards in a trick, comparable ones only.
_OF_ACE, _OF_JOKER, _OF_TRUMP, _OF_LED, _OF_NOTHING = 100.0, 99.0, 40.0, 10.0, 0.0


@device_function
def policy(observation, mask, num_players, noise):
    return decide(observation, mask, WEIGHTS)


@device_function
def decide(observation, mask, w):
    """What to do, by weights as in `_WEIGHTS`."""
    sets = np.zeros((2, 2), np.uint64)
    seats = np.zeros((PLAYERS, _COLUMNS))
    read_cards(observation, sets)
    if mask[start(_BID, PLAYERS)]:
        read_seats(observation, seats)
        return best_bid(observation, mask, w, sets, seats)
    if mask[COMMIT_AT]:
        return np.int64(COMMIT_AT)
    read_seats(observation, seats)
    share = np.zeros((PLAYERS, SUITS + 1))
    read_shares(observation, sets, seats, share)
    good = good_cards(w, sets, share)
    read_gains(observation, w, seats, good)
    if mask[WIN_AT]:
        return settle_joker(observation, seats)
    if mask[0:DECLARE_AT].any() or mask[REVEAL_AT:COMMIT_AT].any():
        return best_play(observation, mask, w, sets, seats, share, good)
    return best_declaration(mask, sets)


# --- reading the observation ---


@device_function
def read_cards(observation, sets):
    """The player's hand, and the unseen cards."""
    read_set(observation, start(_HAND, PLAYERS), sets[_MINE])
    read_unseen(observation, sets[_MINE].copy(), sets[_UNSEEN])


@device_function
def read_seats(observation, seats):
    for seat in range(PLAYERS):
        seats[seat, SIZE] = hand_size(observation, seat)
        seats[seat, WON] = whole(observation, start(_TRICKS, PLAYERS) + seat, TRICKS)
        seats[seat, IS_OVER] = observation[start(_OVER, PLAYERS) + seat]
        seats[seat, SKIPPED] = observation[start(_SKIPS, PLAYERS) + seat]
        seats[seat, BID] = -1
        for bid in range(BIDS):
            if observation[start(_BIDS, PLAYERS) + seat * (BIDS + 1) + 1 + bid] > 0:
                seats[seat, BID] = bid
        seats[seat, IS_NIL] = seats[seat, BID] == 0 and seats[seat, WON] == 0
        seats[seat, CARD] = NO_CARD
        for card in range(DECK_66):
            if observation[start(_TRICK, PLAYERS) + seat * DECK_66 + card] > 0:
                seats[seat, CARD] = card


@device_function
def read_shares(observation, sets, seats, share):
    """The chance of an unseen card of each suit (or Joker) to be in a player's hand."""
    pile = whole(observation, start(_PILE, PLAYERS), DECK_66)
    for suit in range(SUITS + 1):
        total = np.float64(pile)
        for seat in range(1, PLAYERS):
            lacks = suit < SUITS and observation[start(_VOID, PLAYERS) + seat * SUITS + suit] > 0
            share[seat, suit] = 0.0 if lacks else seats[seat, SIZE]
            total += share[seat, suit]
        for seat in range(1, PLAYERS):
            share[seat, suit] /= max(total, 1.0)


@device_function
def led_suit(observation):
    for suit in range(SUITS):
        if observation[start(_LED, PLAYERS) + suit] > 0:
            return suit
    return -1


# --- what a trick is worth ---


@device_function
def chance(x):
    """About the normal distribution's."""
    return 1.0 / (1.0 + np.exp(-1.7 * x))


@device_function
def worth_of_trick(w, need, others_need, left, contract, surplus):
    """Points it brings a team to win this trick, of `left` with this one, to lose it being 0. `surplus`: tricks that the team
    may expect beyond its bid."""
    slack = left - max(need, 0.0) - max(others_need, 0.0)
    expected = min(max(max(need, 0.0) + slack / 2 + surplus, 0.0), left) * (left - 1) / left
    spread = w[SPREAD] * np.sqrt(left - 1) + 0.3
    won = 1.0 if need <= 1 else 0.0 if need > left else chance((expected - need + 1.5) / spread)
    lost = 1.0 if need <= 0 else 0.0 if need > left - 1 else chance((expected - need + 0.5) / spread)
    return 20.0 * contract * max(won - lost, 0.0) - w[BAG] * lost


@device_function
def tricks_left(observation):
    """With the one in play."""
    for number in range(TRICKS):
        if observation[start(_NUMBER, PLAYERS) + number] > 0:
            return np.float64(TRICKS - number)
    return 1.0


@device_function
def read_gains(observation, w, seats, good):
    """What it is worth to their own team that each player wins this trick, with so many `good` cards in their own hand."""
    left = tricks_left(observation)
    surplus = w[HAND] * (min(good, left) - max(seats[0, BID] - seats[0, WON], 0.0)) if seats[0, BID] > 0 else 0.0
    own, other = seats[0, BID] + seats[2, BID], seats[1, BID] + seats[3, BID]
    need, others_need = own - seats[0, WON] - seats[2, WON], other - seats[1, WON] - seats[3, WON]
    worth = worth_of_trick(w, need, others_need, left, own, surplus)
    worth += worth_of_trick(w, others_need, need, left, other, -surplus)
    for seat in range(PLAYERS):
        if seat & 1:
            seats[seat, GAIN] = seats[seat, IS_NIL] * w[NIL_COST]
        else:
            seats[seat, GAIN] = worth - seats[seat, IS_NIL] * w[NIL_COST]


# --- who wins ---


@device_function
def strength(card, led, is_nil):
    """The strength of a card in a trick. A Joker's is its player's choice."""
    if is_joker(card):
        return _OF_NOTHING if is_nil else _OF_JOKER
    if card == _ACE:
        return _OF_ACE
    rank = card >> 2 if card < STANDARD else -1
    if SUIT[card] == SPADES:
        return _OF_TRUMP + rank
    return _OF_LED + rank if SUIT[card] == led else _OF_NOTHING


@device_function
def above(suit, rank):
    """The standard cards of a suit above a rank."""
    return STANDARD_CARDS & SUIT_CARDS[suit] & ~((ONE << np.uint64(SUITS * (rank + 1))) - ONE)


@device_function
def beats(w, unseen, share, seat, best, led, is_nil):
    """The chance that a player who is still to play can beat a card of strength `best`; of a nil, that they must."""
    of_led, of_trump = share[seat, led], share[seat, SPADES]
    rank = np.int64(best - (_OF_TRUMP if best >= _OF_TRUMP - 1 else _OF_LED))
    trumped = best >= _OF_TRUMP - 1
    if best >= _OF_JOKER:
        higher_trumps = ZERO if best == _OF_ACE else BIT[_ACE]
    else:
        higher_trumps = above(SPADES, rank) if trumped else SUIT_CARDS[SPADES]
    higher = ZERO if trumped else above(led, rank)
    lower = SUIT_CARDS[led] & ~higher
    if led == SPADES:
        higher, lower = higher_trumps, SUIT_CARDS[SPADES] & ~higher_trumps
    has_higher = 1 - (1 - of_led) ** count_bits(unseen[0] & higher)
    has_no_lower = (1 - of_led) ** count_bits(unseen[0] & lower)
    if is_nil:
        return has_higher * has_no_lower
    chance = has_higher
    if led != SPADES:
        void = (1 - of_led) ** count_bits(unseen[0] & SUIT_CARDS[led])
        chance += void * (1 - (1 - of_trump) ** count_bits(unseen[0] & higher_trumps))
    if best < _OF_JOKER:
        joker = 1 - (1 - share[seat, SUITS]) ** count_bits(unseen[1])
        chance += (1 - chance) * joker * w[JOKER]
    return chance


@device_function
def direction_of(observation):
    """How many seats clockwise the next one in the order of play is."""
    return 1 if observation[start(_DIRECTION, PLAYERS)] > 0 else 3


@device_function
def next_seat(observation, seats):
    """Who is still to play, the next in the order of play; their own seat if nobody is."""
    seat, step = 0, direction_of(observation)
    for _ in range(PLAYERS - 1):
        seat = (seat + step) & 3
        if seats[seat, IS_OVER] == 0:
            return seat
    return 0


@device_function
def foresee(observation, w, sets, seats, share, card, led, wins):
    """Fill in for each player the chance to win the trick after their own `card`; NO_CARD: without one."""
    best, holder = _OF_NOTHING, -1
    for seat in range(PLAYERS):
        played = np.int64(seats[seat, CARD]) if seat else card
        if played >= 0:
            played_strength = strength(played, led, seats[seat, IS_NIL] > 0)
            if played_strength > best:
                best, holder = played_strength, seat
    wins[:] = 0
    if holder >= 0:
        wins[holder] = 1.0
    skips = card >= FIRST_SPECIAL and kind_of(card) == SKIP
    seat, step = 0, direction_of(observation)
    for _ in range(PLAYERS - 1):
        seat = (seat + step) & 3
        if seats[seat, IS_OVER] > 0 or seats[seat, SKIPPED] > 0:
            continue
        if skips:
            skips = False
            continue
        nil = seats[seat, IS_NIL] > 0
        can = beats(w, sets[_UNSEEN], share, seat, best, led, nil)
        for other in range(PLAYERS):
            if other != seat and wins[other] > 0:
                does = can if nil else can * w[OPPONENT]
                if not nil and (other ^ seat) & 1 == 0 and seats[other, IS_NIL] == 0:
                    does = can * w[PARTNER]
                if other != holder:
                    does *= w[HIGHER]
                wins[seat] += wins[other] * does
                wins[other] *= 1 - does


@device_function
def worth(seats, wins):
    total = 0.0
    for seat in range(PLAYERS):
        total += wins[seat] * seats[seat, GAIN]
    return total


# --- what a card is good for later ---


@device_function
def later(w, sets, share, card):
    """The probability that a card wins a later trick."""
    if is_joker(card):
        return w[JOKER_WORTH]
    suit = SUIT[card]
    if is_special(card):
        return w[LOW_TRUMP] if suit == SPADES else 0.0
    higher = count_bits(sets[_UNSEEN, 0] & above(suit, card >> 2))
    if suit == SPADES:
        return max(w[TRUMP] ** higher, w[LOW_TRUMP])
    unruffed = 1.0
    number = count_bits(sets[_UNSEEN, 0] & SUIT_CARDS[suit])
    for seat in range(1, PLAYERS, 2):
        unruffed *= 1 - (1 - share[seat, suit]) ** number
    return w[SIDE] ** higher * unruffed + A_RANK * (card >> 2)


@device_function
def good_cards(w, sets, share):
    """The number of tricks that the player's hand should win."""
    tricks, cards = w[JOKER_WORTH] * count_bits(sets[_MINE, 1]), sets[_MINE, 0]
    while cards != ZERO:
        tricks += later(w, sets, share, id_at(lowest_bit(cards)))
        cards &= cards - ONE
    return tricks


@device_function
def best_play(observation, mask, w, sets, seats, share, good):
    """The best of the cards to play and the specials to reveal."""
    led, wins = led_suit(observation), np.zeros(PLAYERS)
    own_nil = seats[0, IS_NIL] > 0
    left = tricks_left(observation)
    unused = 0.0 if left <= 1 else 1.0 if own_nil else 1 - w[LOAD] * min(good / left, 1.0)
    keep = unused * (-w[NIL_KEEP] if own_nil else seats[0, GAIN])
    waiting = 0
    for seat in range(1, PLAYERS):
        waiting += seats[seat, IS_OVER] == 0
    best, choice = -1.0e9, -1
    for card in range(DECK_66):
        if mask[card]:
            suit = led if led >= 0 else SUIT[card] if not is_joker(card) else 0
            foresee(observation, w, sets, seats, share, card, suit, wins)
            value = worth(seats, wins) - keep * kept(w, sets, share, card, own_nil, keep)
            value += extras(observation, w, sets, seats, card, led)
            if value > best:
                best, choice = value, card
    for special in range(SPECIALS):
        if mask[REVEAL_AT + special]:
            card = FIRST_SPECIAL + special
            value = keep * (w[AVERAGE] - kept(w, sets, share, card, own_nil, keep))
            if kind_of(card) == DRAW:
                value += best + keep * w[AVERAGE]
            elif kind_of(card) == REVERSE:
                value += best + abs(seats[0, GAIN]) * w[LAST] * waiting - (0.0 if waiting else 1.0)
            elif led >= 0:
                foresee(observation, w, sets, seats, share, np.int64(NO_CARD), led, wins)
                value += worth(seats, wins)
            else:
                value += seats[0, GAIN] * 0.3 - own_nil * seats[0, GAIN] * 0.3
            if value > best:
                best, choice = value, REVEAL_AT + special
    return np.int64(choice)


@device_function
def kept(w, sets, share, card, own_nil, keep):
    """What a card is good for later, in tricks like this one. Who wants none has no harm of a Joker, which need not win."""
    if is_joker(card) and keep < 0:
        return 0.05
    worth = later(w, sets, share, card)
    if own_nil:
        return worth
    return worth * w[KEEP_TRUMP if is_joker(card) or SUIT[card] == SPADES else KEEP]


@device_function
def extras(observation, w, sets, seats, card, led):
    """Small things: a short suit made shorter, what a special does to whom."""
    value, gain = 0.0, abs(seats[0, GAIN])
    if is_joker(card):
        return value
    if led >= 0 and SUIT[card] != led and SUIT[card] != SPADES and sets[_MINE, 0] & SUIT_CARDS[SPADES] != ZERO:
        value += gain * w[SHORT] * max(0, 4 - count_bits(sets[_MINE, 0] & SUIT_CARDS[SUIT[card]]))
    if is_special(card):
        sign = -1.0 if next_seat(observation, seats) == 2 else 1.0
        if kind_of(card) == SKIP:
            value += sign * gain * w[SKIP_WORTH]
        elif kind_of(card) == DRAW:
            value -= sign * gain * w[DRAW_WORTH]
    return value


# --- Jokers ---


@device_function
def settle_joker(observation, seats):
    """To win or to lose: by who wins the trick otherwise."""
    led, best, holder = led_suit(observation), _OF_NOTHING, -1
    for seat in range(1, PLAYERS):
        if seats[seat, CARD] >= 0:
            card_strength = strength(np.int64(seats[seat, CARD]), led, False)
            if card_strength > best:
                best, holder = card_strength, seat
    otherwise = seats[holder, GAIN] if holder >= 0 else 0.0
    return np.int64(WIN_AT if seats[0, GAIN] > otherwise else LOSE_AT)


@device_function
def best_declaration(mask, sets):
    """The suit of which most cards are unseen, which are followed rather than trumped; spades only if the Ace cannot fall."""
    most, choice = -1, -1
    for suit in range(SUITS):
        if mask[DECLARE_AT + suit]:
            number = count_bits(sets[_UNSEEN, 0] & SUIT_CARDS[suit])
            if suit == SPADES and sets[_UNSEEN, 0] & BIT[_ACE] != ZERO:
                number = 0
            if number > most:
                most, choice = number, DECLARE_AT + suit
    return np.int64(choice)


# --- bids ---


@device_function
def is_extended(sets):
    """Whether there are Jokers at all, before the play."""
    return sets[_MINE, 1] | sets[_UNSEEN, 1] != ZERO


@device_function
def trick_features(sets, features):
    """The features for estimating the tricks of a hand."""
    hand = sets[_MINE, 0]
    spades = count_bits(hand & SUIT_CARDS[SPADES])
    features[0] = 1.0
    for k in range(5):
        features[1 + k] = hand & BIT[_ACE - SUITS * k] != ZERO  # A to T of spades
    features[6] = spades
    features[7] = max(0, spades - 4)
    for suit in range(SPADES):
        size = count_bits(hand & SUIT_CARDS[suit])
        for k in range(3):
            if hand & BIT[STANDARD - SUITS * (k + 1) + suit] != ZERO:
                features[8 + k] += 1.0
                if size <= k:
                    features[11] += 1.0  # bare King, Queen with less than two beside it
                if size > 5:
                    features[12] += 1.0
        if size < 3:
            features[13 + size] += min(spades, 3 - size)
    features[16] = count_bits(sets[_MINE, 1])
    for kind in range(3):
        features[17 + kind] = count_bits(hand >> AT_SPECIALS & KIND_BITS[kind] & _PLAIN_SPECIALS)
    features[20] = is_extended(sets)


@device_function
def nil_features(sets, features):
    """The features for estimating the probability of making nil."""
    hand = sets[_MINE, 0]
    spades = hand & SUIT_CARDS[SPADES]
    features[0] = 1.0
    features[1] = count_bits(spades)
    for k in range(4):
        features[2 + k] = spades & BIT[_ACE - SUITS * k] != ZERO
    for suit in range(SUITS):
        cards, place, danger = hand & SUIT_CARDS[suit] & STANDARD_CARDS, 0, 0.0
        while cards != ZERO:
            rank = id_at(lowest_bit(cards)) >> 2
            danger += max(0.0, rank - 3.0 - 2.5 * place)
            cards &= cards - ONE
            place += 1
        features[6 if suit == SPADES else 7] += danger
        features[9] += suit != SPADES and hand & SUIT_CARDS[suit] == ZERO
    features[8] = features[7] * features[7] / 20
    features[10] = count_bits(sets[_MINE, 1])
    features[11] = count_bits(hand >> AT_SPECIALS & _PLAIN_SPECIALS)
    features[12] = is_extended(sets)


@device_function
def best_bid(observation, mask, w, sets, seats):
    features, tricks = np.zeros(_FEATURES), 0.0
    trick_features(sets, features)
    for k in range(_FEATURES):
        tricks += features[k] * w[TRICK_WEIGHTS + k]
    features[:] = 0
    risk = 0.0
    nil_features(sets, features)
    for k in range(_NIL_FEATURES):
        risk += features[k] * w[NIL_WEIGHTS + k]
    first = start(_BID, PLAYERS)
    if 1.0 / (1.0 + np.exp(-risk)) > w[NIL_CHANCE] and seats[2, BID] != 0:
        return first
    bids, known = 0.0, 0
    for seat in range(1, PLAYERS):
        if seats[seat, BID] >= 0:
            bids += seats[seat, BID]
            known += 1
    tricks -= w[SHADE] + w[CROWD] * max(0.0, bids + tricks - TRICKS) * (known == 3)
    bid = max(1, np.int64(np.floor(tricks + 0.5)))
    while bid > 0 and not mask[first + bid]:
        bid -= 1
    return first + bid
