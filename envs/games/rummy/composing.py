"""Composing a meld card by card: what may be added so that a legal meld is still within reach, and when it may be closed.

Cards are added in ascending order, Jokers last. `once`, `twice`, `jokers` are the hand, in which the cards added so far still
are; `c_once`, `c_twice`, `c_jokers` are those. What a legal meld is depends on the mode: what must be possible with the rest.
"""

from __future__ import annotations

import numpy as np

from ...core.bits import count_bits, highest_bit, lowest_bit
from ...core.extended.sets import ONE, SPECIAL_CARDS, STANDARD_CARDS, ZERO
from ...core.jit import device_function
from .contracts import cards_of_runs, contract_possible, last_contract_possible
from .deadwood import deadwood_within
from .melds import (
    ACE,
    ACE_HIGH,
    BELOW_ACE,
    GROUP,
    GROUP_LAID,
    LEAST_GROUP,
    LONGEST,
    MOST_OF_RUN,
    NIBBLE,
    RULES,
    RUN,
    SHORTEST,
    faces_of,
    is_group,
    is_one_rank,
    is_run,
    positions_of,
    rank_cards,
    ranks_of,
    run_of,
    span_of,
    suit_of,
)

# What the rest of the hand must allow: nothing; deadwood of at most `a` (RM-33); `a` groups and `b` runs (RM-43); `b` runs that
# take all of it (RM-44).
FREE, KNOCK, CONTRACT_DEAL, LAST_DEAL_RUNS = (np.int64(k) for k in range(4))
GROUPS_ONLY, RUNS_ONLY, EITHER = (np.int64(k) for k in (1, 2, 3))  # what the meld may become


@device_function
def _rest_possible(mode, once, twice, jokers, a, b):
    if mode == KNOCK:
        return deadwood_within(once, jokers, a)
    if mode == CONTRACT_DEAL:
        return contract_possible(once, twice, jokers, a, b)
    return True


@device_function
def can_begin(mode, once, twice, jokers, a, b, rules):
    """Whether a legal meld can be composed; of contracts, whether `a` groups and `b` runs can, the whole of it (RM-43, RM-44).

    A knocker's hand can be arranged, so it has a meld that belongs to an arrangement if it has one at all: without a meld the
    others count no more than before (RM-33)."""
    if mode == CONTRACT_DEAL:
        return contract_possible(once, twice, jokers, a, b)
    if mode == LAST_DEAL_RUNS:
        return last_contract_possible(once, twice, jokers, b)
    return any_meld(once, jokers, rules)


@device_function
def any_meld(once, jokers, rules):
    """Whether a hand of one deck has any meld."""
    specials = (once & SPECIAL_CARDS) >> np.uint64(52)
    for _ in range(3):
        if count_bits(specials & NIBBLE) >= LEAST_GROUP:
            return True
        specials >>= np.uint64(4)
    cards = once & STANDARD_CARDS
    if jokers >= 2:
        return cards != ZERO
    aces = cards >> np.uint64(48)
    line = (cards << np.uint64(4)) | aces  # ace, 2, ... king, ace
    if RULES[rules, ACE_HIGH] == 0:
        line &= STANDARD_CARDS
    next_one, next_two = line & (line >> np.uint64(4)), line >> np.uint64(8)
    if jokers == 1:
        if next_one != ZERO or line & next_two != ZERO:
            return True
        return _same_rank(cards, 2)
    return next_one & next_two != ZERO or _same_rank(cards, LEAST_GROUP)


@device_function
def _same_rank(cards, number):
    while cards != ZERO:
        rank = rank_cards(lowest_bit(cards))
        if count_bits(cards & rank) >= number:
            return True
        cards &= ~rank
    return False


@device_function
def additions(mode, kinds, once, twice, jokers, c_once, c_twice, c_jokers, a, b, rules):
    """The faces of which a card may be added to a composition."""
    faces = ZERO
    if c_jokers > 0:
        return faces
    pool = once
    if c_once != ZERO:
        last = highest_bit(c_once)
        bit = ONE << np.uint64(last)
        pool &= ~((bit << ONE) - ONE)
        if twice & bit & ~c_twice != ZERO:
            pool |= bit
        suit = suit_of(c_once)
        allowed = rank_cards(last)
        if suit >= 0:
            allowed |= faces_of(np.int64((1 << 13) - 1), suit)
        pool &= allowed
    while pool != ZERO:
        face = pool & (~pool + ONE)
        if _within_reach(mode, kinds, once, twice, jokers, c_once | face, c_twice | (c_once & face), a, b, rules):
            faces |= face
        pool ^= face
    return faces


@device_function
def _within_reach(mode, kinds, once, twice, jokers, f_once, f_twice, a, b, rules):
    """Whether some legal meld begins with these cards."""
    if (
        kinds & GROUPS_ONLY
        and is_one_rank(f_once)
        and _group_within_reach(mode, once, twice, jokers, f_once, f_twice, a, b, rules)
    ):
        return True
    if not kinds & RUNS_ONLY or f_twice != ZERO:
        return False
    suit = suit_of(f_once)
    if suit < 0:
        return False
    if mode == LAST_DEAL_RUNS:
        return _last_run_within_reach(once, twice, jokers, f_once, suit, b)
    if mode == FREE:
        return _any_run_within_reach(once, jokers, f_once, suit, rules)
    return _run_within_reach(mode, once, twice, jokers, f_once, suit, a, b, rules)


@device_function
def _group_within_reach(mode, once, twice, jokers, f_once, f_twice, a, b, rules):
    """Every choice of later cards of the rank, and of Jokers, until one will do."""
    most = RULES[rules, GROUP_LAID]
    last = highest_bit(f_once)
    rank = rank_cards(last)
    bit = ONE << np.uint64(last)
    above = rank & ~((bit << ONE) - ONE)
    later = once & above
    again = twice & (above | (bit & ~f_twice))  # second copies
    if rank & SPECIAL_CARDS != ZERO:
        jokers_used = np.int64(0)
    else:
        jokers_used = jokers
    some = later
    while True:
        with_some = f_once | some
        both = again & with_some
        copies = both
        while True:
            with_both = f_twice | copies
            size = count_bits(with_some) + count_bits(with_both)
            if size <= most and size + jokers_used >= LEAST_GROUP:
                for used in range(max(LEAST_GROUP - size, 0), min(most - size, jokers_used) + 1):
                    if is_group(with_some, with_both, used, most) and _rest_without(
                        mode, once, twice, jokers - used, with_some, with_both, a, b
                    ):
                        return True
            if copies == ZERO:
                break
            copies = (copies - ONE) & both
        if some == ZERO:
            return False
        some = (some - ONE) & later


@device_function
def _rest_without(mode, once, twice, jokers, m_once, m_twice, a, b):
    """Whether the hand without a meld allows what must follow."""
    if mode == FREE:
        return True
    left = (once & ~m_once) | (twice & m_once & ~m_twice)
    return _rest_possible(mode, left, twice & ~m_once, jokers, a, b)


@device_function
def _any_run_within_reach(once, jokers, f_once, suit, rules):
    """Whether the shortest run that holds these cards can be filled up from later ones and Jokers; the rest does not matter."""
    ranks = ranks_of(f_once, suit)
    later = ranks_of(once, suit) & ~((2 << highest_bit(ranks)) - 1)
    high = RULES[rules, ACE_HIGH]
    if ranks >> ACE:
        if _window_fills(positions_of(ranks, 1, 0), np.int64(0), jokers, rules):
            return True
        return high == 1 and _window_fills(positions_of(ranks, 0, 1), np.int64(0), jokers, rules)
    return _window_fills(positions_of(ranks, 0, 0), positions_of(later, 1, high), jokers, rules)


@device_function
def _window_fills(positions, later, jokers, rules):
    shortest = RULES[rules, SHORTEST]
    lowest, span = lowest_bit(positions), span_of(positions)
    length = max(span, shortest)
    if length > RULES[rules, LONGEST]:
        return False
    top = 13 + RULES[rules, ACE_HIGH]  # positions there are
    first = max(lowest + span - length, 0)
    for start in range(first, min(lowest, top - length) + 1):
        window = ((1 << length) - 1) << start
        if count_bits(window & ~(positions | later)) <= jokers:
            return True
    return False


@device_function
def _run_within_reach(mode, once, twice, jokers, f_once, suit, a, b, rules):
    """Every choice of later cards of the suit that fit in a run with these, and of Jokers, until one will do."""
    shortest, longest = RULES[rules, SHORTEST], RULES[rules, LONGEST]
    ranks = ranks_of(f_once, suit)
    highest = highest_bit(ranks)
    later = ranks_of(once, suit) & ~((2 << highest) - 1)
    near = (1 << min(lowest_bit(ranks) + longest, ACE)) - 1  # a later card that is too far above fits in none; an ace may
    later &= near | (1 << ACE)
    some = later
    while True:
        chosen = ranks | some
        size = count_bits(chosen)
        for used in range(max(shortest - size, 0), min(longest - size, jokers) + 1):
            if _is_run_of(chosen, used, shortest, longest, rules):
                meld = faces_of(chosen, suit)
                if _rest_without(mode, once, twice, jokers - used, meld, ZERO, a, b):
                    return True
        if some == 0:
            return False
        some = (some - 1) & later


@device_function
def _is_run_of(ranks, jokers, shortest, longest, rules):
    if run_of(ranks, jokers, shortest, longest, 1, 0):
        return True
    return RULES[rules, ACE_HIGH] == 1 and run_of(ranks, jokers, shortest, longest, 0, 1)


@device_function
def _last_run_within_reach(once, twice, jokers, f_once, suit, b):
    """Whether some run begins with these cards and all that is left goes into `b` others (RM-44).

    Where the run ends is tried. It takes every later card up to there: no other run needs more Jokers without them."""
    ranks = ranks_of(f_once, suit)
    if count_bits(once) + count_bits(twice) - count_bits(ranks) < b:
        return False
    if ranks >> ACE:
        return _last_run(once, twice, jokers, ranks, suit, 1, 0, b) or _last_run(once, twice, jokers, ranks, suit, 0, 1, b)
    above = ranks_of(once, suit) & ~((2 << highest_bit(ranks)) - 1)
    later, ace = above & BELOW_ACE, above & (1 << ACE)
    ends = later | (1 << highest_bit(ranks))
    while ends:
        chosen = ranks | (later & ((ends & -ends) * 2 - 1))
        if _last_run(once, twice, jokers, chosen, suit, 0, 0, b):
            return True
        if ace and _last_run(once, twice, jokers, chosen | ace, suit, 1, 0, b):
            return True
        if ace and ends & (ends - 1) == 0 and _last_run(once, twice, jokers, chosen | ace, suit, 0, 1, b):
            return True
        ends &= ends - 1
    return False


@device_function
def _last_run(once, twice, jokers, ranks, suit, low, high, b):
    """Whether a run of these ranks, its ace low or high, and `b` others take the whole hand."""
    span = span_of(positions_of(ranks, low, high))
    if span > MOST_OF_RUN:
        return False
    meld = faces_of(ranks, suit)
    left = (once & ~meld) | (twice & meld)
    size = count_bits(once) + count_bits(twice) + jokers
    return max(span, 4) + cards_of_runs(left, twice & ~meld, b) <= size


@device_function
def joker_addition(mode, kinds, once, twice, jokers, c_once, c_twice, c_jokers, a, b, rules):
    """Whether a Joker may be added: then only Jokers can follow."""
    for used in range(c_jokers + 1, jokers + 1):
        if kinds & GROUPS_ONLY and _closes(GROUP, mode, once, twice, jokers, c_once, c_twice, used, a, b, rules):
            return True
        if kinds & RUNS_ONLY and _closes(RUN, mode, once, twice, jokers, c_once, c_twice, used, a, b, rules):
            return True
    return False


@device_function
def may_close(kind, mode, kinds, once, twice, jokers, c_once, c_twice, c_jokers, a, b, rules):
    """Whether the composition is a legal meld of a kind as it stands."""
    return kinds & (1 << kind) != 0 and _closes(kind, mode, once, twice, jokers, c_once, c_twice, c_jokers, a, b, rules)


@device_function
def _closes(kind, mode, once, twice, jokers, m_once, m_twice, used, a, b, rules):
    """Whether a meld of just these cards is legal."""
    if mode == LAST_DEAL_RUNS:
        if kind == GROUP or not is_run(m_once, m_twice, used, np.int64(4), np.int64(MOST_OF_RUN), rules):
            return False
        left = (once & ~m_once) | (twice & m_once)
        rest = jokers - used
        return last_contract_possible(left, twice & ~m_once, rest, b)
    if kind == GROUP:
        legal = is_group(m_once, m_twice, used, RULES[rules, GROUP_LAID])
    else:
        legal = is_run(m_once, m_twice, used, RULES[rules, SHORTEST], RULES[rules, LONGEST], rules)
    return legal and _rest_without(mode, once, twice, jokers - used, m_once, m_twice, a, b)
