"""Rule-based Dou Dizhu: what each play takes off the turns that a hand still needs, and what the lead is worth then.

A hand is parted into few combinations, runs looked for two deep. Its cost is a turn for each, less the chance that it stands,
as what stands wins the lead; bombs and the rocket are worth some, and trios take the dearest cards or pairs along. A play is
rated by what it takes off the cost, and by its chance to stand times what the lead is worth with so little left. Peasants leave
the round to their partner, and lead what helps a partner with few cards; nobody plays what lets an opponent with one or two
cards go out. Bids go by the cost of the hand.
"""

from __future__ import annotations

import numpy as np
from wilddeck.envs.core.bits import count_bits, lowest_bit
from wilddeck.envs.core.cards import DECK_54, STANDARD, SUITS
from wilddeck.envs.core.combinations import FIRST, LENGTH, LOWEST, TIMES, lowest_rank, ranks_held
from wilddeck.envs.core.jit import device_function

from .dou_dizhu import (
    ACTIONS,
    BIDS,
    BOMB,
    COMBINATIONS,
    JOKERS,
    KICKER_SIZE,
    KICKERS,
    KIND_OF,
    KINDS,
    MOST_CARDS,
    OBSERVATION,
    ROCKET,
    RUN_RANKS,
    SEATS,
)

_HAND, _PLAYED, _TABLE, _LAST = OBSERVATION.places("hand", "played", "table", "last", num_players=SEATS)
_KIND, _LOWEST, _KICKERS = OBSERVATION.places("kind", "lowest", "kickers", num_players=SEATS)
_LANDLORD, _CARDS = OBSERVATION.places("landlord", "cards", num_players=SEATS)
_PASS, _BID, _PLAY, _ADD = ACTIONS.places("pass", "bid", "play", "add", num_players=SEATS)

# Found by playing variants against each other. A unit is about a turn.
_WEIGHTS = {
    # how much others who can hold a higher one will beat a single card, a pair, a trio
    "beat_1": 0.22,
    "beat_2": 0.20,
    "beat_3": 0.15,
    # how much less than a turn a combination that stands costs; a run; a bomb; the rocket
    "stands_1": 1.04,
    "stands_2": 1.01,
    "stands_3": 0.79,
    "run": 0.48,
    "bomb": 0.87,
    "rocket": 1.13,
    # what the lead is worth, divided by the turns left and one
    "lead": 0.90,
    # to play over a partner, and the more, the likelier their play stands
    "over": 0.36,
    "over_stands": 0.15,
    # to let an opponent with one or two cards go out, to help a partner who has as few
    "danger": 2.43,
    "help": 0.99,
    # the cost with which a hand is worth a bid of 1, 2, 3
    "bid_1": 4.80,
    "bid_2": 4.50,
    "bid_3": 4.20,
}
WEIGHTS = np.array(list(_WEIGHTS.values()))
_at = list(_WEIGHTS).index
BEAT, STANDS = _at("beat_1") - 1, _at("stands_1") - 1  # by the number of cards
RUN, A_BOMB, A_ROCKET, LEAD, OVER, OVER_STANDS, DANGER, HELP, BID_1 = map(
    _at, ("run", "bomb", "rocket", "lead", "over", "over_stands", "danger", "help", "bid_1")
)

OUT = 1000.0  # to play the last card
_LEAST = np.array([0, 5, 3, 2])  # of the ranks of a run, by the number of cards of each
_KEPT = np.array([0, 0x7777777777777777, 0x3333333333333333, 0x1111111111111111], np.uint64)  # what is left of a rank's bits
_IN_RUNS = (1 << RUN_RANKS) - 1
MOST_RUNS = 96  # more than there are in a hand
_JOKER_BITS = np.uint64(1 << SUITS * JOKERS | 1 << SUITS * (JOKERS + 1))
_15, _1 = np.uint64(15), np.uint64(1)


@device_function
def policy(observation, mask, num_players, noise):
    return decide(observation, mask, WEIGHTS)


@device_function
def decide(observation, mask, w):
    """What to do, by weights as above."""
    hand = hand_of(observation, _HAND)
    unseen = unseen_of(observation, hand)
    stands = np.zeros((4, JOKERS + 2))
    rate(unseen, w, share_of_opponents(observation), stands)
    if not has_landlord(observation):
        return best_bid(mask, cost_of(hand, stands, w), w)
    if observation[_KICKERS] > 0:
        return best_kicker(observation, mask, hand, stands, w)
    return best_play(observation, mask, hand, stands, w)


# --- what is seen ---


@device_function
def hand_of(observation, offset):
    """A set of cards as the observation has it: of each rank the lowest bits."""
    cards = np.uint64(0)
    for place in range(STANDARD + 1):
        if observation[offset + place] > 0:
            cards |= _1 << np.uint64(place)
    if observation[offset + STANDARD + 1] > 0:
        cards |= _1 << np.uint64(SUITS * (JOKERS + 1))
    return cards


@device_function
def of_rank(cards, rank):
    return count_bits(cards >> np.uint64(SUITS * rank) & _15)


@device_function
def unseen_of(observation, hand):
    """How many cards of each rank the others hold, or lie at the bottom."""
    unseen, table = np.empty(JOKERS + 2, np.int64), hand_of(observation, _TABLE)
    for rank in range(JOKERS + 2):
        unseen[rank] = (SUITS if rank < JOKERS else 1) - of_rank(hand, rank) - of_rank(table, rank)
    for place in range(SEATS):
        played = hand_of(observation, _PLAYED + place * DECK_54)
        for rank in range(JOKERS + 2):
            unseen[rank] -= of_rank(played, rank)
    return unseen


@device_function
def cards_of_seat(observation, place):
    return np.int64(np.round(observation[_CARDS + place] * MOST_CARDS))


@device_function
def is_partner(observation, place):
    """Whether the seat so many places clockwise is a partner: neither of the two is the landlord."""
    return place > 0 and observation[_LANDLORD] == 0 and observation[_LANDLORD + place] == 0 and has_landlord(observation)


@device_function
def has_landlord(observation):
    return observation[_LANDLORD] + observation[_LANDLORD + 1] + observation[_LANDLORD + 2] > 0


@device_function
def share_of_opponents(observation):
    """Of the cards in other hands."""
    others, opponents = 0, 0
    for place in range(1, SEATS):
        size = cards_of_seat(observation, place)
        others += size
        opponents += 0 if is_partner(observation, place) else size
    return opponents / max(others, 1)


@device_function
def rate(unseen, w, share, stands):
    """By the number of cards and the rank, the chance that no opponent beats a single card, a pair, a trio."""
    for times in range(1, 4):
        higher = 0.0
        for rank in range(JOKERS + 1, -1, -1):
            stands[times, rank] = 1 / (1 + w[BEAT + times] * higher)
            if unseen[rank] >= times:
                higher += share * (unseen[rank] - times + 1)


# --- what a hand costs ---


@device_function
def cost_of(hand, stands, w):
    """The least, of parting it with up to two runs."""
    best, runs = plain_cost(hand, stands, w), np.empty((2, MOST_RUNS), np.int64)
    for k in range(list_runs(hand, runs[0])):
        rest, cost = without_run(hand, runs[0, k]), run_cost(runs[0, k], w)
        best = min(best, cost + plain_cost(rest, stands, w))
        for j in range(list_runs(rest, runs[1])):
            best = min(best, cost + run_cost(runs[1, j], w) + plain_cost(without_run(rest, runs[1, j]), stands, w))
    return best


@device_function
def list_runs(hand, runs):
    """The runs in a hand, each as a number: its lowest rank, its length, the cards of a rank; returns how many."""
    count = 0
    for times in range(1, 4):
        held = ranks_held(hand, times) & _IN_RUNS
        starts = held
        for _ in range(_LEAST[times] - 1):
            starts &= starts >> 1
        while starts != 0:
            first, length = lowest_bit(starts), _LEAST[times]
            starts &= starts - 1
            while True:
                runs[count] = first | length << 4 | times << 8
                count += 1
                if held >> (first + length) & 1 == 0:
                    break
                length += 1
    return count


@device_function
def run_cost(run, w):
    """An airplane takes kickers along, which are not looked for here: half a turn for each trio."""
    length, times = run >> 4 & 15, run >> 8
    return 1.0 - w[RUN] - (0.5 * length if times == 3 else 0.0)


@device_function
def without_run(hand, run):
    first, length, times = run & 15, run >> 4 & 15, run >> 8
    where = ((_1 << np.uint64(SUITS * length)) - _1) << np.uint64(SUITS * first)
    return hand & ~where | hand >> np.uint64(times) & _KEPT[times] & where


@device_function
def plain_cost(hand, stands, w):
    """Without runs: a turn a rank, trios taking along what costs most."""
    total, trios, rest = 0.0, 0, hand
    if hand & _JOKER_BITS == _JOKER_BITS:
        total -= w[A_ROCKET]
        rest &= ~_JOKER_BITS
    kept = rest
    while rest != np.uint64(0):
        rank = lowest_bit(rest) >> 2
        count = of_rank(rest, rank)
        rest &= ~(_15 << np.uint64(SUITS * rank))
        if count == SUITS:
            total -= w[A_BOMB]
        else:
            total += 1.0 - w[STANDS + count] * stands[count, rank]
            trios += count == 3
    while trios > 0 and kept != np.uint64(0):
        rank = lowest_bit(kept) >> 2
        count = of_rank(kept, rank)
        kept &= ~(_15 << np.uint64(SUITS * rank))
        if count < 3:
            total -= max(0.0, 1.0 - w[STANDS + count] * stands[count, rank])
            trios -= 1
    return total


# --- what is done ---


@device_function
def best_bid(mask, cost, w):
    for bid in range(BIDS - 1, -1, -1):
        if mask[_BID + bid] and cost < w[BID_1 + bid]:
            return _BID + bid
    return _PASS


@device_function
def without(hand, combination):
    """The hand without what carries."""
    number = KIND_OF[combination]
    times, rank = KINDS[number, TIMES], lowest_rank(KINDS, number, combination)
    for _ in range(KINDS[number, LENGTH]):
        hand = without_rank(hand, rank, times)
        rank += 1
    return hand


@device_function
def without_rank(hand, rank, times):
    where = _15 << np.uint64(SUITS * rank)
    return hand & ~where | (hand & where) >> np.uint64(times) & where


@device_function
def kicker_to_add(hand, barred, size, stands, w):
    """The rank without which a hand costs least, of those not in `barred` (bits); -1 if there is none."""
    best, choice = np.inf, np.int64(-1)
    held = ranks_held(hand, size) & ~barred
    while held != 0:
        rank = lowest_bit(held)
        held &= held - 1
        cost = cost_of(without_rank(hand, rank, size), stands, w)
        if cost < best:
            best, choice = cost, rank
    return choice


@device_function
def ranks_of(combination):
    number = KIND_OF[combination]
    return ((1 << KINDS[number, LENGTH]) - 1) << lowest_rank(KINDS, number, combination)


@device_function
def without_kickers(hand, combination, stands, w):
    """The hand that has played what carries a combination, without the kickers for it that it can spare."""
    number, barred = KIND_OF[combination], ranks_of(combination)
    for _ in range(KICKERS[number]):
        rank = kicker_to_add(hand, barred, KICKER_SIZE[number], stands, w)
        if rank >= 0:
            hand, barred = spared(hand, barred, rank, KICKER_SIZE[number])
    return hand


@device_function
def best_kicker(observation, mask, hand, stands, w):
    """The lowest of those that the hand can spare: they are added from the lowest on."""
    lead, left = lead_of(observation), np.int64(np.round(observation[_KICKERS] * 5))
    size, least = KICKER_SIZE[KIND_OF[lead]], np.int64(0)
    first = _ADD if size == 1 else _ADD + JOKERS + 2
    while mask[first + least] == 0:
        least += 1
    barred, choice = ranks_of(lead) | (1 << least) - 1, np.int64(JOKERS + 2)
    for _ in range(left):
        rank = kicker_to_add(hand, barred, size, stands, w)
        if rank >= 0:
            choice = min(choice, rank)
            hand, barred = spared(hand, barred, rank, size)
    return first + (choice if choice < JOKERS + 2 and mask[first + choice] else least)


@device_function
def spared(hand, barred, rank, size):
    """The hand without a kicker, and the ranks that can be none after it: no pair twice, not both Jokers."""
    if size == 2:
        barred |= 1 << rank
    elif rank >= JOKERS:
        barred |= 3 << JOKERS
    return without_rank(hand, rank, size), barred


@device_function
def one_hot(observation, offset, size):
    """The place of the entry that is set in a block, -1 if none is."""
    for place in range(size):
        if observation[offset + place] > 0:
            return place
    return -1


@device_function
def lead_of(observation):
    """The combination on the table, on which there is one."""
    number = one_hot(observation, _KIND, KINDS.shape[0])
    return KINDS[number, FIRST] + one_hot(observation, _LOWEST, JOKERS + 2) - KINDS[number, LOWEST]


@device_function
def chance_to_stand(combination, stands, w):
    number = KIND_OF[combination]
    times, length, rank = KINDS[number, TIMES], KINDS[number, LENGTH], lowest_rank(KINDS, number, combination)
    if number in (BOMB, ROCKET):
        return 1.0
    if length == 1:
        return stands[min(times, 3), rank]
    return 1.0 - 0.5 * (RUN_RANKS - rank - length) / RUN_RANKS


@device_function
def fewest_cards(observation, partners):
    """The cards of the opponent, or of the partner, with the fewest."""
    fewest = np.int64(MOST_CARDS)
    for place in range(1, SEATS):
        if is_partner(observation, place) == partners:
            fewest = min(fewest, cards_of_seat(observation, place))
    return fewest


@device_function
def best_play(observation, mask, hand, stands, w):
    cost, last = cost_of(hand, stands, w), one_hot(observation, _LAST, SEATS)
    few, few_of_partner = fewest_cards(observation, False), fewest_cards(observation, True)
    over, stay = 0.0, 0.0
    if last > 0:
        if is_partner(observation, last):
            over = w[OVER] + w[OVER_STANDS] * chance_to_stand(lead_of(observation), stands, w)
        elif cards_of_seat(observation, last) <= 2:
            stay -= w[DANGER]
    choice, best = np.int64(_PASS), stay if mask[_PASS] else -np.inf
    for combination in range(COMBINATIONS):
        if mask[_PLAY + combination]:
            number = KIND_OF[combination]
            size = KINDS[number, TIMES] * KINDS[number, LENGTH]
            after = without_kickers(without(hand, combination), combination, stands, w)
            stand = chance_to_stand(combination, stands, w)
            left = cost_of(after, stands, w)
            value = cost - left + w[LEAD] * stand / (1.0 + max(left, 0.0)) - over
            if after == np.uint64(0):
                value += OUT
            if KICKERS[number] == 0 and size == few and size <= 2:
                value -= w[DANGER] * (1.0 - stand)
            if KICKERS[number] == 0 and size == few_of_partner and size <= 2 and last < 0:
                value += w[HELP] * (1.0 - stand)
            if value > best:
                choice, best = np.int64(_PLAY + combination), value
    return choice
