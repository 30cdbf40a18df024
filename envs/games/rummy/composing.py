"""Composing a meld card by card: cards that may be added while a legal meld is still reachable, and when it may be closed.

Cards are added in ascending order, Jokers last; they stay in the hand until the meld is closed. Whether a meld is legal depends
on what must remain possible with the other cards.
"""

from __future__ import annotations

from typing import NamedTuple

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

# The requirement on the rest of the hand: none; deadwood of at most `limit` (RM-33); `limit` groups and `runs` runs (RM-43);
# `runs` runs that take all of it (RM-44).
FREE, KNOCK, CONTRACT_DEAL, LAST_DEAL_RUNS = (np.int64(k) for k in range(4))
GROUPS_ONLY, RUNS_ONLY, EITHER = (np.int64(k) for k in (1, 2, 3))  # what the meld may become


class Aim(NamedTuple):
    """The goal of a composition, in integers."""

    mode: int
    kinds: int
    limit: int  # deadwood, or groups
    runs: int
    rules: int  # a row of melds.py


class Cards(NamedTuple):
    """Faces held, and faces held twice (uint64), and the number of Jokers."""

    once: np.uint64
    twice: np.uint64
    jokers: int


@device_function
def can_begin(aim, hand):
    """Whether a legal meld can be composed; of contracts, whether `limit` groups and `runs` runs can, the whole of it (RM-43,
    RM-44).

    A knocker's hand can be arranged, so it has a meld that belongs to an arrangement if it has one at all: without a meld the
    others count no more than before (RM-33)."""
    if aim.mode == CONTRACT_DEAL:
        return contract_possible(hand.once, hand.twice, hand.jokers, aim.limit, aim.runs)
    if aim.mode == LAST_DEAL_RUNS:
        return last_contract_possible(hand.once, hand.twice, hand.jokers, aim.runs)
    return any_meld(hand.once, hand.jokers, aim.rules)


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
def additions(aim, hand, composed):
    """The faces that may be added to a composition."""
    faces = ZERO
    if composed.jokers > 0:
        return faces
    pool = hand.once
    if composed.once != ZERO:
        last = highest_bit(composed.once)
        bit = ONE << np.uint64(last)
        pool &= ~((bit << ONE) - ONE)
        if hand.twice & bit & ~composed.twice != ZERO:
            pool |= bit
        suit = suit_of(composed.once)
        allowed = rank_cards(last)
        if suit >= 0:
            allowed |= faces_of(np.int64((1 << 13) - 1), suit)
        pool &= allowed
    while pool != ZERO:
        face = pool & (~pool + ONE)
        if _within_reach(aim, hand, composed.once | face, composed.twice | (composed.once & face)):
            faces |= face
        pool ^= face
    return faces


@device_function
def _within_reach(aim, hand, once, twice):
    """Whether some legal meld begins with these cards."""
    if aim.kinds & GROUPS_ONLY and is_one_rank(once) and _group_within_reach(aim, hand, once, twice):
        return True
    if not aim.kinds & RUNS_ONLY or twice != ZERO:
        return False
    suit = suit_of(once)
    if suit < 0:
        return False
    if aim.mode == LAST_DEAL_RUNS:
        return _last_run_within_reach(hand, once, suit, aim.runs)
    if aim.mode == FREE:
        return _any_run_within_reach(hand, once, suit, aim.rules)
    return _run_within_reach(aim, hand, once, suit)


@device_function
def _group_within_reach(aim, hand, once, twice):
    """Every choice of later cards of the rank, and of Jokers, until one will do."""
    most = RULES[aim.rules, GROUP_LAID]
    last = highest_bit(once)
    rank = rank_cards(last)
    bit = ONE << np.uint64(last)
    above = rank & ~((bit << ONE) - ONE)
    later = hand.once & above
    again = hand.twice & (above | (bit & ~twice))  # second copies
    jokers = np.int64(0) if rank & SPECIAL_CARDS != ZERO else hand.jokers
    some = later
    while True:
        with_some = once | some
        both = again & with_some
        copies = both
        while True:
            with_both = twice | copies
            size = count_bits(with_some) + count_bits(with_both)
            if size <= most and size + jokers >= LEAST_GROUP:
                for used in range(max(LEAST_GROUP - size, 0), min(most - size, jokers) + 1):
                    if _is_legal_group(aim, hand, Cards(with_some, with_both, used)):
                        return True
            if copies == ZERO:
                break
            copies = (copies - ONE) & both
        if some == ZERO:
            return False
        some = (some - ONE) & later


@device_function
def _is_legal_group(aim, hand, meld):
    return is_group(meld.once, meld.twice, meld.jokers, RULES[aim.rules, GROUP_LAID]) and _rest_allows(aim, hand, meld)


@device_function
def _without(hand, meld):
    """A hand without some cards."""
    left = (hand.once & ~meld.once) | (hand.twice & meld.once & ~meld.twice)
    return Cards(left, hand.twice & ~meld.once, hand.jokers - meld.jokers)


@device_function
def _rest_allows(aim, hand, meld):
    """Whether the hand without a meld meets the requirement on the rest."""
    if aim.mode == FREE:
        return True
    rest = _without(hand, meld)
    if aim.mode == KNOCK:
        return deadwood_within(rest.once, rest.jokers, aim.limit)
    if aim.mode == CONTRACT_DEAL:
        return contract_possible(rest.once, rest.twice, rest.jokers, aim.limit, aim.runs)
    return True


@device_function
def _any_run_within_reach(hand, once, suit, rules):
    """Whether the shortest run that holds these cards can be filled up from later ones and Jokers; the rest does not matter."""
    ranks = ranks_of(once, suit)
    later = ranks_of(hand.once, suit) & ~((2 << highest_bit(ranks)) - 1)
    high = RULES[rules, ACE_HIGH]
    if ranks >> ACE:
        if _window_fills(positions_of(ranks, 1, 0), np.int64(0), hand.jokers, rules):
            return True
        return high == 1 and _window_fills(positions_of(ranks, 0, 1), np.int64(0), hand.jokers, rules)
    return _window_fills(positions_of(ranks, 0, 0), positions_of(later, 1, high), hand.jokers, rules)


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
def _run_within_reach(aim, hand, once, suit):
    """Every choice of later cards of the suit that fit in a run with these, and of Jokers, until one will do."""
    shortest, longest = RULES[aim.rules, SHORTEST], RULES[aim.rules, LONGEST]
    ranks = ranks_of(once, suit)
    highest = highest_bit(ranks)
    later = ranks_of(hand.once, suit) & ~((2 << highest) - 1)
    near = (1 << min(lowest_bit(ranks) + longest, ACE)) - 1  # a later card that is too far above fits in none; an ace may
    later &= near | (1 << ACE)
    some = later
    while True:
        chosen = ranks | some
        size = count_bits(chosen)
        for used in range(max(shortest - size, 0), min(longest - size, hand.jokers) + 1):
            if _is_run_of(chosen, used, shortest, longest, aim.rules):
                if _rest_allows(aim, hand, Cards(faces_of(chosen, suit), ZERO, used)):
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
def _last_run_within_reach(hand, once, suit, runs):
    """Whether some run begins with these cards and all that is left goes into `runs` others (RM-44).

    Where the run ends is tried. It takes every later card up to there: no other run needs more Jokers without them."""
    ranks = ranks_of(once, suit)
    if count_bits(hand.once) + count_bits(hand.twice) - count_bits(ranks) < runs:
        return False
    if ranks >> ACE:
        return _last_run(hand, ranks, suit, 1, 0, runs) or _last_run(hand, ranks, suit, 0, 1, runs)
    above = ranks_of(hand.once, suit) & ~((2 << highest_bit(ranks)) - 1)
    later, ace = above & BELOW_ACE, above & (1 << ACE)
    ends = later | (1 << highest_bit(ranks))
    while ends:
        chosen = ranks | (later & ((ends & -ends) * 2 - 1))
        if _last_run(hand, chosen, suit, 0, 0, runs):
            return True
        if ace and _last_run(hand, chosen | ace, suit, 1, 0, runs):
            return True
        if ace and ends & (ends - 1) == 0 and _last_run(hand, chosen | ace, suit, 0, 1, runs):
            return True
        ends &= ends - 1
    return False


@device_function
def _last_run(hand, ranks, suit, low, high, runs):
    """Whether a run of these ranks, its ace low or high, and `runs` others take the whole hand."""
    span = span_of(positions_of(ranks, low, high))
    if span > MOST_OF_RUN:
        return False
    meld = faces_of(ranks, suit)
    left = (hand.once & ~meld) | (hand.twice & meld)
    size = count_bits(hand.once) + count_bits(hand.twice) + hand.jokers
    return max(span, 4) + cards_of_runs(left, hand.twice & ~meld, runs) <= size


@device_function
def joker_addition(aim, hand, composed):
    """Whether a Joker may be added: then only Jokers can follow."""
    for used in range(composed.jokers + 1, hand.jokers + 1):
        meld = Cards(composed.once, composed.twice, used)
        if may_close(GROUP, aim, hand, meld) or may_close(RUN, aim, hand, meld):
            return True
    return False


@device_function
def may_close(kind, aim, hand, meld):
    """Whether just these cards are a legal meld of a kind."""
    if aim.kinds & (1 << kind) == 0:
        return False
    if kind == GROUP:
        return aim.mode != LAST_DEAL_RUNS and _is_legal_group(aim, hand, meld)
    if aim.mode == LAST_DEAL_RUNS:
        rest = _without(hand, meld)
        return is_run(
            meld.once, meld.twice, meld.jokers, np.int64(4), np.int64(MOST_OF_RUN), aim.rules
        ) and last_contract_possible(rest.once, rest.twice, rest.jokers, aim.runs)
    shortest, longest = RULES[aim.rules, SHORTEST], RULES[aim.rules, LONGEST]
    return is_run(meld.once, meld.twice, meld.jokers, shortest, longest, aim.rules) and _rest_allows(aim, hand, meld)
