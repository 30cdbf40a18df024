"""Compact hands, and their partition into plays.

A hand is a row of six numbers: counts of each suit by rank (four bits a rank, 2 the lowest), Small and Big Jokers. What it
costs to play out is the sum of the prices of the plays that it is parted into. Sets (and full houses and fours of them) are
found by arithmetic on counts by place, that is in the order of WE-04. Straights, flushes and plays with wilds are taken out
before, one after another, as long as that lowers the cost. So plan 0 is the whole hand as sets, plan 1 has one play taken out,
and so on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....envs.core.cards import RANKS, SUITS
from ....envs.core.compare.packed import JOKER_SHIFT, RANKS_ONCE
from ....envs.core.compare.wild_escape import (
    ranks_present,
    trump_on_top,
    wild_escape_action,
    wild_escape_strength,
)
from ....envs.core.jit import device_function
from ....envs.games.wild_escape.combinations import (
    FAMILY,
    FIVE,
    FLUSH,
    FOUR,
    FULL_HOUSE,
    PAIR,
    RANK,
    SINGLE,
    SIZE,
    STRAIGHT,
    STRAIGHT_FLUSH,
    SUIT,
    THREE,
    WINDOW,
    at_least,
    count_flags,
)
from ....envs.games.wild_escape.flush import place_of
from ....envs.games.wild_escape.state import ACTIONS, LOWEST_LEVEL, PLAYERS, TOPS

SMALL, BIG = 4, 5  # columns of the Jokers in a hand
PARTS = 6
MAX_PLANS = 5
TAKEN = MAX_PLANS  # the play taken out of plan k is row TAKEN + k
REST = TAKEN + MAX_PLANS  # scratch rows
BUILT = REST + 1
ROWS = BUILT + 1

PLACES = RANKS + 2  # in the order of WE-04, with the Jokers
TRUMP_PLACE = RANKS - 1
NO_PLAY = 1.0e6  # the cost of what cannot be played

_FIRST = {name: ACTIONS.slices(PLAYERS)[name].start for name in ("straight", "flush", "straight_flush")}
STRAIGHTS, FLUSHES, STRAIGHT_FLUSHES = _FIRST["straight"], _FIRST["flush"], _FIRST["straight_flush"]
SETS = np.zeros(9, np.int64)  # the first action of families named by rank alone
for _family, _name in ((SINGLE, "single"), (PAIR, "pair"), (THREE, "three"), (FULL_HOUSE, "full_house")):
    SETS[_family] = ACTIONS.slices(PLAYERS)[_name].start
for _family, _name in ((FOUR, "four"), (FIVE, "five")):
    SETS[_family] = ACTIONS.slices(PLAYERS)[_name].start
FIRST_TOP = RANKS - TOPS
_ACE = RANKS - 1
_SUIT_BIT = np.array([1, 0, 2, 3])  # clubs and diamonds change places in card sets


class Plans(NamedTuple):
    """Partitions of a hand, by the costs of plays."""

    hands: np.ndarray  # int64 [ROWS, PARTS]: the hand, what is loose in each plan, what was taken out, scratch rows
    kinds: np.ndarray  # int64 [MAX_PLANS], the kind taken out of the plan before
    cost: np.ndarray  # float64 [MAX_PLANS]
    turns: np.ndarray  # int64 [MAX_PLANS]
    price: np.ndarray  # float64 [FAMILIES, PLACES]
    trump: int


@device_function
def read_cards(counts, hand):
    """A hand from counts by type."""
    for part in range(PARTS):
        hand[part] = 0
    for rank in range(RANKS):
        for suit in range(SUITS):
            hand[suit] |= np.int64(counts[SUITS * rank + suit]) << (4 * rank)
    hand[SMALL] = counts[52]
    hand[BIG] = counts[53]


@device_function
def by_place(hand, trump):
    """Counts of the ordinary cards in the order of WE-04."""
    return trump_on_top(hand[0] + hand[1] + hand[2] + hand[3], trump)


@device_function
def rank_at(place, trump):
    """The rank index of a place (`place_of` the other way round)."""
    natural = np.int64(trump) - LOWEST_LEVEL
    if place >= RANKS:
        return np.int64(place)
    if place == TRUMP_PLACE:
        return natural
    return np.int64(place) + np.int64(place >= natural)


@device_function
def place_of_kind(kind, trump):
    """The column of a play in the tables of prices and chances."""
    family, rank = FAMILY[kind], RANK[kind]
    if family in (STRAIGHT, STRAIGHT_FLUSH) or rank >= RANKS:
        return np.int64(rank)
    return place_of(rank, trump)


@device_function
def groups_cost(counts, small, big, price):
    """What sets cost to play out, and in how many turns: fives, fours with the lowest single cards, full houses with the
    lowest pairs, and the rest by itself. `counts` by place."""
    cost = small * price[SINGLE, RANKS] + big * price[SINGLE, RANKS + 1]
    turns = small + big
    fives = at_least(counts, 5)
    rest = counts - 5 * fives
    second_fives = at_least(rest, 5)
    low, high = rest & RANKS_ONCE, (rest >> 1) & RANKS_ONCE
    fours = ((rest >> 2) & RANKS_ONCE) & ~second_fives
    below = (np.int64(1) << (4 * TRUMP_PLACE)) - 1
    kickers = min(count_flags(fours), count_flags(low & ~high & below & ~(rest >> 2)))
    fours_left = kickers
    fills = min(count_flags(low & high), count_flags(high & ~low & below & ~(rest >> 2)))
    houses = fills
    place = 0
    while counts > 0:
        n = counts & 15
        counts >>= 4
        while n >= 5:
            cost += price[FIVE, place]
            turns += 1
            n -= 5
        if n == 1:
            if kickers > 0:
                kickers -= 1
            else:
                cost += price[SINGLE, place]
                turns += 1
        elif n == 2:
            if fills > 0:
                fills -= 1
            else:
                cost += price[PAIR, place]
                turns += 1
        elif n == 3:
            if houses > 0:
                houses -= 1
                cost += price[FULL_HOUSE, place]
            else:
                cost += price[THREE, place]
            turns += 1
        elif n == 4:
            if fours_left > 0:
                fours_left -= 1
                cost += price[FOUR, place]
                turns += 1
            else:
                cost += 2 * price[PAIR, place]
                turns += 2
        place += 1
    return cost, turns


# --- building plays ---


@device_function
def clear_row(row):
    for part in range(PARTS):
        row[part] = 0


@device_function
def take_away(hand, cards, rest):
    for part in range(PARTS):
        rest[part] = hand[part] - cards[part]


@device_function
def take_rank(hand, rank, number, cards):
    """Cards of a rank, of the shortest suits first: long suits may still make a flush."""
    left = number
    while left > 0:
        best, shortest = -1, 1000
        for suit in range(SUITS):
            count = ((hand[suit] >> (4 * rank)) & 15) - ((cards[suit] >> (4 * rank)) & 15)
            if count > 0:
                length = count_flags(ranks_present(hand[suit]))
                if length < shortest:
                    best, shortest = suit, length
        if best < 0:
            return
        cards[best] += np.int64(1) << (4 * rank)
        left -= 1


@device_function
def take_wilds(hand, number, cards):
    """Small Jokers first. False if there are too few."""
    small = min(number, hand[SMALL])
    cards[SMALL] += small
    cards[BIG] += number - small
    return number - small <= hand[BIG]


@device_function
def filler(counts, size, skip, limit):
    """The place, below `limit`, of the cards that are missed least: just so many of the lowest rank, else of the lowest rank
    with more; -1 if there are none."""
    larger = -1
    for place in range(limit):
        if place != skip:
            n = (counts >> (4 * place)) & 15
            if n == size:
                return place
            if n > size and larger < 0:
                larger = place
    return larger


@device_function
def set_parts(counts, wilds, kind, trump):
    """A play of sets: ordinary cards of its rank, the place beside it (-1 for none), cards there, wilds; 0, ... if a hand
    cannot make it with so many wilds."""
    family, rank = FAMILY[kind], RANK[kind]
    place = place_of(rank, trump)
    own = (counts >> (4 * place)) & 15
    if family == FULL_HOUSE:
        number, beside = np.int64(3), np.int64(2)
    elif family == FOUR:
        number, beside = np.int64(4), np.int64(1)
    else:
        number, beside = SIZE[family], np.int64(0)
    take = min(own, number)
    used = number - take
    if take == 0 or used > wilds or (family == FULL_HOUSE and used > 1) or (family == FOUR and used > 2):
        return np.int64(0), -1, np.int64(0), np.int64(0)
    other = -1
    if beside:
        other = filler(counts, beside, place, place if family == FULL_HOUSE and used else RANKS)
        if other < 0:
            return np.int64(0), -1, np.int64(0), np.int64(0)
    return take, other, beside, used


@device_function
def build(hand, kind, wilds, trump, high, cards):
    """Cards of a kind from a hand, with `wilds` Jokers at most; `high`: a flush as high as can be. False if there are none."""
    clear_row(cards)
    family, rank, suit = FAMILY[kind], RANK[kind], SUIT[kind]
    if family == FLUSH:
        return build_flush(hand, suit, place_of(rank, trump), wilds, trump, high, cards) and kind_of(cards, trump) == kind
    if family in (STRAIGHT, STRAIGHT_FLUSH):
        one_suit = suit if family == STRAIGHT_FLUSH else np.int64(-1)
        return build_straight(hand, rank, one_suit, wilds, cards) and kind_of(cards, trump) == kind
    if rank >= RANKS:
        return build_jokers(hand, rank, SIZE[family], cards)
    take, other, beside, used = set_parts(by_place(hand, trump), wilds, kind, trump)
    if take == 0:
        return False
    take_rank(hand, rank, take, cards)
    if beside:
        take_rank(hand, rank_at(other, trump), beside, cards)
    return take_wilds(hand, used, cards)


@device_function
def build_jokers(hand, rank, size, cards):
    """WE-12."""
    if rank > RANKS:
        cards[BIG] = size
        return hand[BIG] >= size
    cards[SMALL] = min(hand[SMALL], size)
    cards[BIG] = size - cards[SMALL]
    return cards[SMALL] > 0 and cards[BIG] <= hand[BIG]


@device_function
def build_straight(hand, top, suit, wilds, cards):
    missing = 0
    for k in range(5):
        rank = (top - 4 + k + RANKS) % RANKS
        if suit >= 0:
            if (hand[suit] >> (4 * rank)) & 15:
                cards[suit] += np.int64(1) << (4 * rank)
            else:
                missing += 1
        else:
            before = cards[0] + cards[1] + cards[2] + cards[3]
            take_rank(hand, rank, 1, cards)
            if cards[0] + cards[1] + cards[2] + cards[3] == before:
                missing += 1
    if missing > min(wilds, 2):
        return False
    if suit < 0:
        mix_suits(hand, cards)
    return take_wilds(hand, missing, cards)


@device_function
def mix_suits(hand, cards):
    """Change a card of a straight for one of another suit if all are of one."""
    for suit in range(SUITS):
        if cards[0] + cards[1] + cards[2] + cards[3] == cards[suit]:
            for other in range(SUITS):
                swap = ranks_present(hand[other]) & cards[suit]
                if other != suit and swap:
                    swap &= -swap
                    cards[suit] -= swap
                    cards[other] += swap
                    return


@device_function
def flush_cards(cards, everywhere, room, top, high):
    """`room` cards of a suit from `top` downward, counts by place: those that break no sets first, low ones first (`high`: the
    highest). What is found; fewer if the suit is too short."""
    flush = np.int64(0)
    if high:
        for place in range(top, -1, -1):
            count = min((cards >> (4 * place)) & 15, room)
            flush += count << (4 * place)
            room -= count
        return flush
    for most in range(1, 4):
        for place in range(top + 1):
            if room == 0:
                return flush
            if (cards >> (4 * place)) & 15 and (flush >> (4 * place)) & 15 == 0:
                n = (everywhere >> (4 * place)) & 15
                if n == most or (most == 3 and n > 3):
                    flush += np.int64(1) << (4 * place)
                    room -= 1
    return flush


@device_function
def build_flush(hand, suit, top, wilds, trump, high, cards):
    """With its highest card at a place; -1: any five cards, without wilds."""
    pool, everywhere = trump_on_top(hand[suit], trump), by_place(hand, trump)
    naturals, room = np.int64(0), np.int64(5)
    if top >= 0 and (pool >> (4 * top)) & 15:
        naturals = np.int64(1) << (4 * top)
        room -= 1
    elif top >= 0 and (top < TRUMP_PLACE or wilds == 0):
        return False
    used = np.int64(0)
    added = flush_cards(pool - naturals, everywhere, room, top if top >= 0 else TRUMP_PLACE, high)
    held = cards_in(added)
    if held < room or (top == TRUMP_PLACE and naturals == 0):
        if top < TRUMP_PLACE:
            return False
        used = max(room - held, np.int64(1) if naturals == 0 else np.int64(0))
        if used > min(wilds, 2):
            return False
        if held > room - used:
            added = flush_cards(pool - naturals, everywhere, room - used, TRUMP_PLACE, high)
    flush = naturals + added
    natural = np.int64(0)
    for place in range(RANKS):
        natural += ((flush >> (4 * place)) & 15) << (4 * rank_at(place, trump))
    cards[suit] = natural
    return take_wilds(hand, used, cards)


@device_function
def cards_in(counts):
    number = np.int64(0)
    while counts > 0:
        number += counts & 15
        counts >>= 4
    return number


@device_function
def kind_of(cards, trump):
    """The action that names a play; 0 if it is none."""
    held, counts, size = np.int64(0), np.int64(0), np.int64(0)
    for suit in range(SUITS):
        held |= ranks_present(cards[suit]) << _SUIT_BIT[suit]
        counts += cards[suit]
    size = cards_in(counts) + cards[SMALL] + cards[BIG]
    held |= (np.int64(cards[BIG] > 0) << 52) | (np.int64(cards[SMALL] > 0) << 53)
    counts += (cards[SMALL] + cards[BIG]) << JOKER_SHIFT
    strength = wild_escape_strength(held, counts, size, trump, 1)
    return wild_escape_action(strength, held, trump)


# --- plans ---


@device_function
def make_plans(plans):
    """Part the hand in row 0: fills rows 1.. with what is loose after each play taken out, and for each plan the kind taken out
    (of the one before), its cost and its turns. How many plans there are; the last is the cheapest."""
    hands, price, trump = plans.hands, plans.price, plans.trump
    taken_cost = 0.0
    plans.cost[0], plans.turns[0] = groups_cost(by_place(hands[0], trump), hands[0, SMALL], hands[0, BIG], price)
    for k in range(MAX_PLANS - 1):
        kind, wilds = best_extraction(hands, k, plans.cost[k] - taken_cost, price, trump)
        if kind == 0:
            return k + 1
        if kind < 0:  # a flush of any cards
            clear_row(hands[TAKEN + k])
            build_flush(hands[k], -1 - kind, -1, 0, trump, False, hands[TAKEN + k])
        else:
            build(hands[k], kind, wilds, trump, False, hands[TAKEN + k])
        kind = kind_of(hands[TAKEN + k], trump)
        if kind == 0:
            return k + 1
        take_away(hands[k], hands[TAKEN + k], hands[k + 1])
        plans.kinds[k] = kind
        taken_cost += price[FAMILY[kind], place_of_kind(kind, trump)]
        rest, after = groups_cost(by_place(hands[k + 1], trump), hands[k + 1, SMALL], hands[k + 1, BIG], price)
        plans.cost[k + 1] = taken_cost + rest
        plans.turns[k + 1] = k + 1 + after
    return MAX_PLANS


@device_function
def best_extraction(hands, k, now, price, trump):
    """The play that lowers the cost of what is loose in plan k most, and its wilds: kind 0 for none, -1 - suit for a flush."""
    hand = hands[k]
    small, big = hand[SMALL], hand[BIG]
    wilds = small + big
    natural = hand[0] + hand[1] + hand[2] + hand[3]
    counts = trump_on_top(natural, trump)
    ranks = ranks_present(natural) | (natural >> 3 & RANKS_ONCE)
    alone = ranks & ~at_least(natural, 2)
    best, choice, with_wilds = now - 1.0e-9, np.int64(0), np.int64(0)
    for top in range(FIRST_TOP, RANKS):
        window = WINDOW[top]
        in_window = count_flags(ranks & window)
        if in_window + min(wilds, 1) >= 5 and count_flags(alone & window) >= 2:
            used = 5 - in_window
            if used and top < _ACE and (ranks >> (4 * ((top - 4 + RANKS) % RANKS))) & 1 == 0:
                continue
            cost = price[STRAIGHT, top] + rest_cost(trump_on_top(natural - (ranks & window), trump), small, big, used, price)
            if cost < best:
                best, choice, with_wilds = cost, np.int64(STRAIGHTS + top - FIRST_TOP), np.int64(used)
    for suit in range(SUITS):
        pool = trump_on_top(hand[suit], trump)
        flush = flush_cards(pool, counts, np.int64(5), TRUMP_PLACE, False)
        if cards_in(flush) == 5:
            place = TRUMP_PLACE
            while (flush >> (4 * place)) & 15 == 0:
                place -= 1
            cost = price[FLUSH, place] + rest_cost(counts - flush, small, big, 0, price)
            if cost < best:
                best, choice, with_wilds = cost, np.int64(-1 - suit), np.int64(0)
        own = ranks_present(hand[suit])
        if count_flags(own) + min(wilds, 2) >= 5:
            for top in range(FIRST_TOP, RANKS):
                in_window = count_flags(own & WINDOW[top])
                used = 5 - in_window
                if used <= min(wilds, 2):
                    if used and top < _ACE and (own >> (4 * ((top - 4 + RANKS) % RANKS))) & 1 == 0:
                        continue
                    rest = trump_on_top(natural - (own & WINDOW[top]), trump)
                    cost = price[STRAIGHT_FLUSH, top] + rest_cost(rest, small, big, used, price)
                    if cost < best:
                        choice = np.int64(STRAIGHT_FLUSHES + suit * TOPS + top - FIRST_TOP)
                        best, with_wilds = cost, np.int64(used)
    if wilds > 0:
        for place in range(RANKS):
            n = (counts >> (4 * place)) & 15
            if n == 0 or n > 4:
                continue
            for family in (PAIR, THREE, FULL_HOUSE, FOUR, FIVE):
                need = np.int64(3) if family == FULL_HOUSE else np.int64(4) if family == FOUR else SIZE[family]
                used = need - n
                if used < 1 or used > 2 or used > wilds:
                    continue
                kind = SETS[family] + rank_at(place, trump)
                take, other, beside, used = set_parts(counts, wilds, kind, trump)
                if take == 0:
                    continue
                rest = counts - (take << (4 * place))
                if beside:
                    rest -= beside << (4 * other)
                cost = price[family, place] + rest_cost(rest, small, big, used, price)
                if cost < best:
                    best, choice, with_wilds = cost, kind, used
    return choice, with_wilds


@device_function
def rest_cost(counts, small, big, used, price):
    """Of counts by place and the Jokers that are left when some are used as wilds."""
    from_small = min(small, used)
    cost, _ = groups_cost(counts, small - from_small, big - (used - from_small), price)
    return cost


@device_function
def rest_after(plans, count, kind, high):
    """The cheapest way to play a kind, by so many plans: what the rest of the hand costs then, in how many turns, in which
    plan, with how many wilds at most (-1: the play taken out of that plan). NO_PLAY, ... if there is none."""
    hands, kinds, price, trump = plans.hands, plans.kinds, plans.price, plans.trump
    best, left, way, wilds_used = NO_PLAY, np.int64(0), np.int64(0), np.int64(0)
    if not high:
        for k in range(count - 1):
            if kinds[k] == kind:
                rest = plans.cost[count - 1] - price[FAMILY[kind], place_of_kind(kind, trump)]
                return rest, plans.turns[count - 1] - 1, np.int64(k), np.int64(-1)
    for wild in range(2):
        for back in range(count):
            k = count - 1 - back
            held = hands[k, SMALL] + hands[k, BIG]
            if wild and held == 0 and RANK[kind] < RANKS:
                continue
            rest, after = rest_of_plan(hands, k, price, trump, kind, held if wild else np.int64(0), high)
            if rest < NO_PLAY:
                for taken in range(k):
                    rest += price[FAMILY[kinds[taken]], place_of_kind(kinds[taken], trump)]
                if rest < best:
                    best, left, way, wilds_used = rest, after + k, np.int64(k), held if wild else np.int64(0)
        if best < NO_PLAY:
            break
    return best, left, way, wilds_used


@device_function
def rest_of_plan(hands, k, price, trump, kind, wilds, high):
    """What is loose in a plan costs, in how many turns, after a play of it."""
    family, rank = FAMILY[kind], RANK[kind]
    hand = hands[k]
    if rank >= RANKS or family in (STRAIGHT, FLUSH, STRAIGHT_FLUSH):
        if not build(hand, kind, wilds, trump, high, hands[BUILT]):
            return NO_PLAY, np.int64(0)
        take_away(hand, hands[BUILT], hands[REST])
        rest = hands[REST]
        return groups_cost(by_place(rest, trump), rest[SMALL], rest[BIG], price)
    counts = by_place(hand, trump)
    take, other, beside, used = set_parts(counts, wilds, kind, trump)
    if take == 0:
        return NO_PLAY, np.int64(0)
    counts -= take << (4 * place_of(rank, trump))
    if beside:
        counts -= beside << (4 * other)
    from_small = min(hand[SMALL], used)
    return groups_cost(counts, hand[SMALL] - from_small, hand[BIG] - (used - from_small), price)
