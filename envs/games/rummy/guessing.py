"""A possible hand of another player who is known to have melds, for determinize.py.

Melds are sought depth first, in a random order: of each its shape first, then its cards, each a natural or a Joker.
The real hand is one solution, so there is one. What may be used is counted by place (core/extended/sets.py), Jokers last, in
three rows: what is composed, all of which the first meld takes, in its order of spelling; other known cards of the hand; and
the pool, of which only so many may be taken as are unknown in the hand.
"""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits, highest_bit
from ...core.extended.sets import ONE, PLACE, ZERO, is_joker
from ...core.jit import device_function
from ...core.rng import random_below
from .contracts import GROUPS
from .hands import add, jokers_of, size_of
from .melding import contract_size, deal_number, fits_on, rules_row
from .melds import ACE_HIGH, GROUP, GROUP_LAID, LONGEST, RULES, RUN, SHORTEST
from .rules import is_automatic
from .state import COMPOSE, CONTRACT, DEALS, GIN, KNOCK_DISCARD, KNOCK_MELDS, LAY_CARD, ONCE, TWICE
from .turns import at_wall

COMPOSED, SPARE, POOL = range(3)  # rows of what may be used
WILD = 64  # the place of Jokers there
PLACES = 65
_STANDARD = 52
_NONE = np.int64(-1)
_ACE = 12
_DEAREST = np.int64(10)  # points of the dearest card
NO_BOUND = np.int64(10_000)  # more points than any hand has
_MORE = 2  # a run is at most so many cards longer than it must be, unless one is composed
_LAST_SHORTEST, _LAST_LONGEST = np.int64(4), np.int64(13)  # of the runs of the last deal (RM-44)

# Shapes: of a group its rank and size, of a run its suit, size and first position (the ace 0, 2 to King 1 to 12, the ace 13).
_KIND, _OF, _SIZE, _START = range(4)
_SHAPES = np.array(
    [(GROUP, rank, size, 0) for rank in range(16) for size in (3, 4)]
    + [(RUN, suit, size, start) for suit in range(4) for size in range(3, 14) for start in range(15 - size)],
    np.int64,
)
SHAPES = len(_SHAPES)

# A node of the search: which meld, which card of it (-1: its shape); what has been tried, from where in a random order; what
# it is now: the shape, or the place of the card and the row it was taken from.
_MELD, _CARD, _TRIED, _FROM, _IS, _ROW = range(6)
NODES, NODE = 48, 6
_OPTIONS = 5  # for a card: of four suits, or a Joker


@device_function
def count_places(cards, counts):
    """Count the cards of a set at each place."""
    for place in range(WILD):
        bit = ONE << np.uint64(place)
        counts[place] = np.int64(cards[ONCE] & bit != ZERO) + np.int64(cards[TWICE] & bit != ZERO)
    counts[WILD] = jokers_of(cards)


@device_function
def place_of(card):
    return np.int64(WILD) if is_joker(card) else np.int64(PLACE[card])


@device_function
def points_at(place):
    """What a card of a place counts in gin; a Joker about as much as an ace (RM-62)."""
    rank = place >> 2
    return np.int64(1) if place == WILD or rank == _ACE else min(rank + 2, _DEAREST)


@device_function
def points_of(counts):
    total = np.int64(0)
    for place in range(PLACES):
        total += counts[place] * points_at(np.int64(place))
    return total


@device_function
def cheapest(counts, number):
    """The minimal points of this number of cards."""
    total = np.int64(0)
    for price in range(1, _DEAREST + 1):
        for place in range(PLACES):
            if number > 0 and counts[place] > 0 and points_at(np.int64(place)) == price:
                taken = min(number, counts[place])
                total += taken * price
                number -= taken
    return total if number == 0 else NO_BOUND


# --- requirements on a hand ---


@device_function
def stays_low(state, seat):
    """Whether all cards of a hand must count little: of a knocker who has laid their melds, or may stop (RM-33)."""
    return seat != state.current_player or (state.phase == KNOCK_MELDS and is_automatic(state))


@device_function
def most_left(state, seat):
    """The maximal points left beside the melds, including one discard if there is one."""
    if at_wall(state) or state.phase == KNOCK_DISCARD:
        return np.int64(state.knock) + _DEAREST
    return np.int64(state.knock) if state.variant == GIN and state.knocker == seat else NO_BOUND


@device_function
def number_of_melds(state, seat):
    """How many to seek: those of the contract, or some."""
    if state.variant == CONTRACT:
        return contract_size(state) - np.int64(state.contract_melds)
    if stays_low(state, seat):
        return np.int64(seat == state.current_player)
    if most_left(state, seat) == NO_BOUND:
        return 1 + random_below(state, 2)
    least = np.int64(state.phase == COMPOSE)
    return least + random_below(state, 4 - least)


@device_function
def find_fitting(state, have, nodes):
    """Cards to lay off: of a meld that is chosen two, which leave a choice, else one. Returns the nodes there are."""
    faces, joker = ZERO, False
    for slot in range(np.int64(state.melds)):
        if state.phase != LAY_CARD or slot == state.slot:
            some, wild = fits_on(state, np.int64(slot))
            faces |= some
            joker = joker or wild
    need, first, count = np.int64(2 if state.phase == LAY_CARD else 1), random_below(state, PLACES), 0
    for row in (SPARE, POOL):
        for k in range(PLACES):
            place = (first + k) % PLACES
            fits = joker if place == WILD else faces >> np.uint64(place) & ONE != ZERO
            if need > 0 and fits and have[row, place] > 0 and (row == SPARE or have[SPARE, place] == 0):
                need -= 1
                if row == POOL:
                    nodes[count, _CARD], nodes[count, _IS], nodes[count, _ROW] = 0, place, POOL
                    count += 1
    return count


# --- the search ---


@device_function
def find_melds(state, seat, number, have, room, order, nodes, work):
    """Search for this number of melds with at most `room` cards of the pool. Returns the number of nodes used, -1 without
    success."""
    if number == 0:
        return np.int64(0) if may_stay(state, seat, have, room, nodes, np.int64(0)) else _NONE
    shapes, depth = np.zeros(number, np.int64), np.int64(0)
    eager = 2 << random_below(state, 4)  # to use Jokers, of 32
    whole = size_of(state.composition) + np.sum(have[SPARE]) + room  # what the runs of the last deal take
    open_node(state, nodes[0], np.int64(0), _NONE)
    for _ in range(work):
        node = nodes[depth]
        k = node[_MELD]
        room += give_back(node, have)
        if node[_CARD] < 0:
            done = next_shape(state, node, number, have, whole, order, shapes)
        else:
            done = next_card(state, node, shapes[k], have, room, eager)
        if not done:
            depth -= 1
            if depth < 0:
                return _NONE
            continue
        room -= np.int64(node[_ROW] == POOL)
        i = node[_CARD] + 1
        if i == _SHAPES[shapes[k], _SIZE]:
            if not is_whole(nodes, depth, shapes[k], have):
                continue
            k, i = k + 1, _NONE
            if k == number:
                if may_stay(state, seat, have, room, nodes, depth + 1):
                    return depth + 1
                continue
        depth += 1
        open_node(state, nodes[depth], k, i)
    return _NONE


@device_function
def open_node(state, node, meld, card):
    node[_MELD], node[_CARD], node[_TRIED], node[_ROW] = meld, card, 0, _NONE
    node[_FROM] = random_below(state, 2 * SHAPES)


@device_function
def give_back(node, have):
    """Undo the choice of a node. Returns the number of cards in the pool."""
    row = node[_ROW]
    node[_ROW] = _NONE
    if row < 0:
        return np.int64(0)
    have[row, node[_IS]] += 1
    return np.int64(row == POOL)


@device_function
def next_shape(state, node, number, have, whole, order, shapes):
    """The next shape that can be that of a meld; often one around a known card, in the last deal always."""
    k, anchor = node[_MELD], _NONE
    if (k > 0 or state.composition[ONCE] == ZERO) and (takes_all(state) or node[_FROM] & 1):
        for j in range(WILD):
            place = (node[_FROM] + j) % WILD
            if anchor < 0 and have[SPARE, place] > 0:
                anchor = np.int64(place)
    for before in range(k):
        whole -= _SHAPES[shapes[before], _SIZE]
    while node[_TRIED] < SHAPES:
        shape = order[(node[_TRIED] + node[_FROM]) % SHAPES]
        node[_TRIED] += 1
        if anchor >= 0 and not holds(shape, anchor):
            continue
        if takes_all(state) and suits_left(have, shape) > number - k - 1:
            continue
        if is_allowed(state, shape, k, number, whole):
            shapes[k] = shape
            return True
    return False


@device_function
def takes_all(state):
    """RM-44."""
    return state.variant == CONTRACT and deal_number(state) == DEALS


@device_function
def suits_left(have, shape):
    """Of how many suits are known cards that a meld of a shape does not take."""
    suits = 0
    for place in range(WILD):
        if have[SPARE, place] > 0 and have[SPARE, place] > np.int64(holds(shape, np.int64(place))):
            suits |= 1 << (place & 3)
    return count_bits(suits)


@device_function
def is_allowed(state, shape, k, number, whole):
    """Whether the k-th meld may have a shape; in the last deal, `whole` cards go into it and those after it."""
    rules, kind, size = rules_row(state), _SHAPES[shape, _KIND], _SHAPES[shape, _SIZE]
    composed = k == 0 and size_of(state.composition) > 0
    if state.variant == CONTRACT and (kind == GROUP) != (np.int64(state.contract_melds) + k < GROUPS[deal_number(state)]):
        return False
    if composed:
        for place in range(WILD):
            if state.composition[ONCE] >> np.uint64(place) & ONE != ZERO and not holds(shape, np.int64(place)):
                return False
    if kind == GROUP:
        return size <= RULES[rules, GROUP_LAID]
    if _SHAPES[shape, _START] + size > 13 + RULES[rules, ACE_HIGH]:
        return False
    shortest, longest = RULES[rules, SHORTEST], RULES[rules, LONGEST]
    if takes_all(state):
        after = number - k - 1
        shortest, longest = max(_LAST_SHORTEST, whole - _LAST_LONGEST * after), whole - _LAST_SHORTEST * after
    elif not composed:
        longest = min(longest, shortest + _MORE)
    return shortest <= size <= longest


@device_function
def holds(shape, place):
    """Whether a natural card can be in a meld of a shape."""
    if _SHAPES[shape, _KIND] == GROUP:
        return place >> 2 == _SHAPES[shape, _OF]
    if place >= _STANDARD or place & 3 != _SHAPES[shape, _OF]:
        return False
    number, start = (place >> 2) + 1, _SHAPES[shape, _START]
    return start <= number < start + _SHAPES[shape, _SIZE] or (number == _ACE + 1 and start == 0)


@device_function
def next_card(state, node, shape, have, room, eager):
    """The next choice of a card: a natural of some suit, for a run of one, or a Joker, which the `eager` try first."""
    spin = node[_FROM]
    while node[_TRIED] < _OPTIONS:
        option = (node[_TRIED] + (_OPTIONS - 1 if spin & 31 < eager else 0)) % _OPTIONS
        node[_TRIED] += 1
        if option == _OPTIONS - 1:
            place = np.int64(WILD)
        elif _SHAPES[shape, _KIND] == GROUP:
            place = 4 * _SHAPES[shape, _OF] + ((option + (spin >> 5)) & 3)
        elif option == 0:
            place = 4 * ((_SHAPES[shape, _START] + node[_CARD] + _ACE) % 13) + _SHAPES[shape, _OF]
        else:
            continue
        row = row_with(state, node[_MELD], place, have, room)
        if row >= 0:
            have[row, place] -= 1
            node[_IS], node[_ROW] = place, row
            return True
    return False


@device_function
def row_with(state, k, place, have, room):
    """From where a card comes: composed, else known, else of the pool; -1 from nowhere. To what is composed only later cards
    are added."""
    if k == 0:
        if have[COMPOSED, place] > 0:
            return np.int64(COMPOSED)
        once, wild = state.composition[ONCE], jokers_of(state.composition)
        if place != WILD and (wild > 0 or (once != ZERO and place < highest_bit(once))):
            return _NONE
    if have[SPARE, place] > 0:
        return np.int64(SPARE)
    return np.int64(POOL) if room > 0 and have[POOL, place] > 0 else _NONE


@device_function
def is_whole(nodes, depth, shape, have):
    """Whether the cards of a shape are a meld (RM-14 to RM-16, RM-19) and hold all that is composed."""
    if np.sum(have[COMPOSED]) > 0:
        return False
    size, wild, suits, special = _SHAPES[shape, _SIZE], 0, 0, False
    for d in range(depth - size + 1, depth + 1):
        place = nodes[d, _IS]
        if place == WILD:
            wild += 1
        else:
            suits |= 1 << (place & 3)
            special = special or place >= _STANDARD
    if _SHAPES[shape, _KIND] == RUN:
        return wild < size
    return wild == 0 or (suits > 0 and not special and wild <= 4 - count_bits(suits))


@device_function
def may_stay(state, seat, have, room, nodes, used):
    """Whether what no meld has taken may stay: how much it counts at least."""
    most = most_left(state, seat)
    if most == NO_BOUND:
        return True
    return left_over(state, seat, have, nodes, used) + cheapest(have[POOL], room) <= most


@device_function
def left_over(state, seat, have, nodes, used):
    """The points of known cards in no meld; where melds stay in the hand, of those too."""
    total = points_of(have[SPARE])
    if stays_low(state, seat):
        for d in range(used):
            if nodes[d, _CARD] >= 0 and nodes[d, _ROW] >= 0:
                total += points_at(nodes[d, _IS])
    return total


# --- drawing ---


@device_function
def draw_found(state, nodes, used, hand, pool, count):
    """Move the cards found from the pool into the hand. Returns the number left in the pool."""
    for d in range(used):
        if nodes[d, _CARD] >= 0 and nodes[d, _ROW] == POOL:
            k = random_below(state, count)  # of Jokers any
            while place_of(pool[k]) != nodes[d, _IS]:
                k = (k + 1) % count
            count = draw_at(k, hand, pool, count)
    return count


@device_function
def draw_at(k, hand, pool, count):
    add(hand, pool[k])
    pool[k] = pool[count - 1]
    return count - 1


@device_function
def draw_rest(state, hand, pool, count, room, have, left):
    """Draw cards at random that count no more than `left` together, if that can be; `have` says what is in the pool."""
    while room > 0:
        room -= 1
        best = _NONE
        for _ in range(8):
            k = random_below(state, count)
            place = place_of(pool[k])
            if best >= 0 and points_at(place) >= points_at(place_of(pool[best])):
                continue
            best = k
            have[POOL, place] -= 1
            fits = left == NO_BOUND or points_at(place) + cheapest(have[POOL], room) <= left
            have[POOL, place] += 1
            if fits:
                break
        else:
            for k in range(count):
                if points_at(place_of(pool[k])) < points_at(place_of(pool[best])):
                    best = np.int64(k)
        place = place_of(pool[best])
        have[POOL, place] -= 1
        left -= points_at(place) if left != NO_BOUND else 0
        count = draw_at(best, hand, pool, count)
    return count
