"""Card play: each card is rated by the probability that its side wins the trick and by what it could still win later.

Leads with the standard deck are rated in leads.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....envs.core.bits import count_bits, lowest_bit
from ....envs.core.cards import DECK_66, STANDARD, SUITS
from ....envs.core.extended.sets import (
    DRAW,
    NO_SUIT,
    ONE,
    REVERSE,
    SKIP,
    STANDARD_CARDS,
    SUIT,
    ZERO,
    id_at,
    is_joker,
    is_special,
    kind_of,
)
from ....envs.core.extended.state import TRICKS
from ....envs.core.extended.tricks import COMMIT_AT, DECLARE_AT, REVEAL_AT, WIN_AT
from ....envs.core.jit import device_function
from ....envs.core.layout import start
from ....envs.games.bridge.state import OBSERVATION, PLAYERS
from ..reading import one_hot
from .leads import rate_declarers_lead, rate_defenders_lead
from .table import (
    NOTHING,
    ROWS,
    UNSEEN,
    above,
    best_of,
    chance_to_beat,
    declarer_seat,
    has_bid,
    highest_rank,
    rank_of,
    read_table,
    strength,
    suit_cards,
    trump_suit,
)

_TRICK, _OVER, _SKIPPED, _DIRECTION = OBSERVATION.places("trick_cards", "turn_over", "pending_skip", "direction")
_LED, _NUMBER, _QUESTION, _FOR_DUMMY = OBSERVATION.places("led_suit", "trick_number", "question", "for_dummy")
_PILE = OBSERVATION.at("pile")

# Places of the weights, all in tricks.
LATER = 0  # what a card may still win, by how many higher ones are not seen: none, one, ..., five and more
MOST_HIGHER = 5
LATE = 4  # with so few tricks to come it is looked at whether sure winners are too many
GUARD = 6  # the part of it that is left where so few cards of the suit are held that it may have to follow before
FADE = 7  # all this fades as the deal goes on: the part with `left` tricks to come is left / (left + this)
LATER_JOKER = 8
RUFF = 9  # the least that a trump is worth
PARTNER = 10  # the part that counts of a trick a hidden partner wins, who spends a card for it
SPENT = 11  # the part that counts of what a partner who is seen spends
TEMPO = 12  # to have the lead
DRAWN = 13  # two cards
# Of leads.
DRAW_TRUMPS = 14
LENGTH, LENGTH_SUIT = 15, 16  # a card of the suit in both hands, at no trump and with trumps
PARTNERS_SUIT = 17
SEQUENCE = 18
SINGLETON = 19
UNDER_ACE = 20
LEAD_TRUMP = 21
OWN_LENGTH = 22  # the same of a defender's suit, at no trump
WEIGHTS = np.array(  # found by play against variants on the same deals; flat around these
    [
        *[0.35, 0.22, 0.13, 0.12, 0.05, 0.02, 0.85, 0.04, 1.24, 0.43, 0.74, 0.85, 0.05, 0.1],
        *[0.7, 0.05, 0.0, 0.2, 0.27, 0.2, 0.26, 0.08, 0.04],
    ]
)

_PLAY, _DECLARE, _SETTLE = range(3)  # questions


class _Table(NamedTuple):
    """What the player sees, and the weights that rate it."""

    observation: np.ndarray
    w: np.ndarray
    cards: np.ndarray  # uint64 [ROWS, 2], as `read_table` gives them


class _Trick(NamedTuple):
    """The current trick, in integers."""

    led: int
    trump: int
    winner: int  # so far, -1 before the lead
    value: int  # the strength of the winner's card
    left: int  # tricks to come after this one


@device_function
def choose_play(observation, mask, w):
    question = one_hot(observation, start(_QUESTION, PLAYERS), 3)
    if question == _SETTLE:
        return np.int64(WIN_AT)
    cards = np.zeros((ROWS, 2), np.uint64)
    read_table(observation, cards)
    seat = 2 if observation[start(_FOR_DUMMY, PLAYERS)] > 0 else 0
    if question == _DECLARE:
        return declaration(observation, cards, seat)
    special = special_to_reveal(observation, mask, cards, seat)
    return special if special >= 0 else best_card(observation, mask, w, cards, seat)


@device_function
def declaration(observation, cards, seat):
    """A Joker that is led is declared the ace of the suit in which the side, as far as it is seen, is longest; of trumps if
    there are any."""
    trump = trump_suit(observation)
    best, choice = -1, trump
    if trump == NO_SUIT:
        for suit in range(SUITS):
            held = count_bits(suit_cards(cards[0], suit) | suit_cards(cards[2], suit))
            if held > best:
                best, choice = held, suit
    return np.int64(DECLARE_AT + STANDARD - SUITS + choice)


@device_function
def special_to_reveal(observation, mask, cards, seat):
    """A Draw that is no trump brings two cards for one; a Reverse lets the player play last. Nothing else is revealed."""
    trump, choice = trump_suit(observation), -1
    for place in range(SUITS):
        if mask[REVEAL_AT + place] and place != trump:
            choice = REVEAL_AT + place
    if choice < 0 and mask[COMMIT_AT]:
        return np.int64(COMMIT_AT)
    if choice < 0 and one_hot(observation, start(_LED, PLAYERS), SUITS) >= 0 and followers(observation, seat) > 1:
        for place in range(SUITS * REVERSE, SUITS * SKIP):
            if mask[REVEAL_AT + place] and place % SUITS != trump:
                choice = REVEAL_AT + place
    return np.int64(choice)


@device_function
def plays_after(observation, seat, other):
    return (
        other != seat and observation[start(_OVER, PLAYERS) + other] == 0 and observation[start(_SKIPPED, PLAYERS) + other] == 0
    )


@device_function
def followers(observation, seat):
    """The number of others still to play to the trick."""
    count = 0
    for other in range(PLAYERS):
        count += plays_after(observation, seat, other)
    return count


@device_function
def best_card(observation, mask, w, cards, seat):
    led, trump = one_hot(observation, start(_LED, PLAYERS), SUITS), trump_suit(observation)
    winner, value = -1, NOTHING
    for other in range(PLAYERS):
        card = one_hot(observation, start(_TRICK, PLAYERS) + other * DECK_66, DECK_66)
        if card >= 0:
            worth = strength(card, led, trump)
            if worth > value or winner < 0:
                winner, value = other, worth
    standard, declares = observation[start(_PILE, PLAYERS)] == 0, declarer_seat(observation) & 1 == 0
    table, left = _Table(observation, w, cards), tricks_left(observation) - 1
    choice, best = -1, -1.0e9
    for card in range(DECK_66):
        if mask[card]:
            suit = led if led >= 0 else SUIT[card]
            if led < 0 and is_joker(card):
                suit = declaration(observation, cards, seat) & 3 if trump == NO_SUIT else trump
            trick = _Trick(suit, trump, winner, value, left)
            chance = chance_to_win(table, trick, seat, card)
            if led < 0 and standard and declares:
                rating = rate_declarers_lead(cards, seat, card, suit, trump, chance)
            elif led < 0 and standard:
                rating = rate_defenders_lead(observation, cards, card, suit, trump, chance)
            else:
                rating = (1 + w[TEMPO]) * chance - price(w, cards, seat, card, trump, left)
                if led < 0:
                    rating += value_of_lead(observation, w, cards, seat, card, trump)
            if is_special(card) and kind_of(card) == DRAW:
                rating += value_of_draw(observation, w, seat)
            if rating > best:
                choice, best = card, rating
    return np.int64(choice)


@device_function
def tricks_left(observation):
    return TRICKS - one_hot(observation, start(_NUMBER, PLAYERS), TRICKS)


@device_function
def price(w, cards, seat, card, trump, left):
    """What a card could still win with this number of tricks to come."""
    if left == 0:
        return 0.0
    suit, rank = SUIT[card], rank_of(card)
    higher = 0 if is_joker(card) else count_bits(suit_cards(cards[UNSEEN], suit) & above(rank))
    if is_joker(card):
        worth = w[LATER_JOKER]
    else:
        worth = w[LATER + min(higher, MOST_HIGHER)]
        if higher > 0 and count_bits(suit_cards(cards[seat], suit)) <= higher:
            worth *= w[GUARD]
        if is_special(card):
            worth = 0.0
        if suit == trump:
            worth = max(worth, w[RUFF])
    if higher == 0 and left <= LATE and sure_winners(cards, seat) > left:
        worth = 0.0  # there are tricks enough for the others
    return worth * left / (left + w[FADE]) + 0.003 * rank


@device_function
def sure_winners(cards, seat):
    """Jokers, and cards than which no higher one of their suit is hidden."""
    count = count_bits(cards[seat, 1])
    for suit in range(SUITS):
        hidden = suit_cards(cards[UNSEEN], suit)
        held = suit_cards(cards[seat], suit) & STANDARD_CARDS
        count += count_bits(held & above(highest_rank(hidden)))
    return count


@device_function
def value_of_draw(observation, w, seat):
    """Two cards for the next player; after the last player, that is the winner of the trick."""
    step = 1 if observation[start(_DIRECTION, PLAYERS)] > 0 else 3
    other = (seat + step) & 3
    for _ in range(PLAYERS - 1):
        if plays_after(observation, seat, other):
            return w[DRAWN] if (other ^ seat) & 1 == 0 else -w[DRAWN]
        other = (other + step) & 3
    return 0.0


@device_function
def chance_to_win(table, trick, seat, card):
    """The chance that the side wins the trick if a card is played to it, less what the partner is likely to spend for it."""
    cards, partner = table.cards, (seat + 2) & 3
    worth = strength(card, trick.led, trick.trump)
    wins = worth > trick.value
    value = worth if wins else trick.value
    ours = wins or (trick.winner >= 0 and (trick.winner ^ seat) & 1 == 0)
    chance = chance_to_hold(table, trick, seat, card, value) if ours else 0.0
    if not plays_after(table.observation, seat, partner):
        return chance
    if cards[partner, 0] | cards[partner, 1] == ZERO:  # their hand is hidden
        beats = chance_to_beat(table.observation, cards, partner, value, trick.led, trick.trump)
        return max(chance, chance + (1 - chance) * beats * table.w[PARTNER])
    held, jokers = suit_cards(cards[partner], trick.led), cards[partner, 1]
    if held == ZERO:
        held = cards[partner, 0]
    while held != ZERO:
        other = id_at(lowest_bit(held))
        held &= held - ONE
        chance = max(chance, answer(table, trick, seat, card, value, other))
    if jokers != ZERO:
        chance = max(chance, answer(table, trick, seat, card, value, STANDARD))
    return chance


@device_function
def answer(table, trick, seat, card, value, other):
    """The same if the partner, whose hand is seen, answers with some card, where the best so far has this strength."""
    worth = strength(other, trick.led, trick.trump)
    if worth <= value:
        return 0.0
    spent = price(table.w, table.cards, (seat + 2) & 3, other, trick.trump, trick.left)
    return chance_to_hold(table, trick, seat, card, worth) - table.w[SPENT] * spent


@device_function
def chance_to_hold(table, trick, seat, card, value):
    """The chance that no opponent who still plays beats a strength. A Skip takes out the next player."""
    observation, cards, partner = table.observation, table.cards, (seat + 2) & 3
    step = 1 if observation[start(_DIRECTION, PLAYERS)] > 0 else 3
    skips = is_special(card) and kind_of(card) == SKIP
    chance, other = 1.0, seat
    for _ in range(PLAYERS - 1):
        other = (other + step) & 3
        if plays_after(observation, seat, other):
            if skips:
                skips = False
            elif other != partner:
                if cards[other, 0] | cards[other, 1] != ZERO:
                    chance *= 0.05 if best_of(cards[other], trick.led, trick.trump) > value else 1.0
                else:
                    chance *= 1 - chance_to_beat(observation, cards, other, value, trick.led, trick.trump)
    return chance


# --- leads with the Extended Deck ---


@device_function
def value_of_lead(observation, w, cards, seat, card, trump):
    """What speaks for a lead besides the trick itself."""
    if is_joker(card):
        return 0.0
    if declarer_seat(observation) & 1 == 0:
        return value_of_declarers_lead(w, cards, card, trump)
    return value_of_defenders_lead(observation, w, cards, card, trump)


@device_function
def value_of_declarers_lead(w, cards, card, trump):
    """Trumps are drawn while the opponents may have some and the side has more; then long suits are played."""
    suit = SUIT[card]
    length = count_bits(suit_cards(cards[0], suit)) + count_bits(suit_cards(cards[2], suit))
    if suit == trump:
        outside = count_bits(suit_cards(cards[UNSEEN], suit))
        return w[DRAW_TRUMPS] if outside > 1 and length > outside else 0.0
    return w[LENGTH if trump == NO_SUIT else LENGTH_SUIT] * length


@device_function
def value_of_defenders_lead(observation, w, cards, card, trump):
    suit, held = SUIT[card], suit_cards(cards[0], SUIT[card])
    length, rank = count_bits(held), rank_of(card)
    value = w[OWN_LENGTH] * length if trump == NO_SUIT else 0.0
    if suit == trump:
        value -= w[LEAD_TRUMP]
    if has_bid(observation, 2, suit):
        value += w[PARTNERS_SUIT]
    honors = held & above(9)  # ten and higher
    top = rank > 9 and honors & above(rank) == ZERO
    if top and rank > 10 and held & (above(rank - 2) & ~above(rank - 1)) != ZERO:
        value += w[SEQUENCE]  # the next lower one is there too
    if trump != NO_SUIT and suit != trump:
        if length == 1 and suit_cards(cards[0], trump) != ZERO and rank < 12:
            value += w[SINGLETON]
        if held & above(12) != ZERO and rank < 13:
            value -= w[UNDER_ACE]
    return value
