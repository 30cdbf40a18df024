"""Rule-based tennis: weighs what a card wins now, by sampled replies, against its value later.

All the cards of a hand are played in its round, so the question in each trick is only which one to spend. For each rank in the
hand the player estimates the chance that it wins and the chance that the trick is tied, by sampling the cards of those who play
after it: unseen cards for the hidden part of a hand, publicly known ones for the rest. A trick won is worth its cards and those
set aside. A tie denies them to the others and leaves them to the next trick, which suits the leader, who then plays last. From
this the player takes off what the rank is still good for: the share of the unseen cards that it beats, less those that beat it,
shared among its equals in the hand. So a sure trick is taken with the least useful card that takes it, and a lost one is paid
with the least useful card.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.cards import SUITS
from ...envs.core.jit import device_function
from ...envs.core.layout import start
from ...envs.core.rng import derive
from ...envs.games.tennis import DECK, HAND, MAX_PLAYERS, OBSERVATION, RANKS
from .reading import whole

_HAND, _TABLE, _SET_ASIDE = OBSERVATION.at("hand"), OBSERVATION.at("table"), OBSERVATION.at("set_aside")
_REMOVED, _KNOWN, _TRICKS_LEFT = OBSERVATION.at("removed"), OBSERVATION.at("known"), OBSERVATION.at("tricks_left")
_HAND_SIZE, _PILE_SIZE = OBSERVATION.at("hand_size"), OBSERVATION.at("pile_size")

# Found by playing variants against each other with 2, 3, 4 and 6 players; flat around these values.
SAMPLES = 16
TIE = 0.6  # worth of a tied trick, as a share of a won one
TIE_LEAD = 1.2  # the same for the leader: more than a win now, for the next trick is worth two and it plays last
CARE = 4.0  # cards given up to keep a rank that beats all others

_S32, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


@device_function
def policy(observation, mask, num_players, noise):
    n = num_players
    table = np.zeros(RANKS, np.int64)  # cards of the trick by rank
    pool = np.zeros(RANKS, np.int64)  # cards nobody has seen, which may be anywhere
    chances = np.zeros((MAX_PLAYERS, RANKS))  # what those who play after me may answer
    count_table(observation, n, table)
    count_pool(observation, n, table, pool)
    followers = 0
    for seat in range(1, n):
        if not has_played(observation, n, seat) and hand_cards(observation, n, seat) > 0:
            likely_cards(observation, n, seat, pool, chances[followers])
            followers += 1
    wins = np.zeros(RANKS)
    ties = np.zeros(RANKS)
    samples = SAMPLES if followers else 1
    trick = np.zeros(RANKS, np.int64)
    for rank in range(RANKS):
        if mask[rank]:
            for sample in range(samples):  # the same luck for every rank
                trick[:] = table
                trick[rank] += 1
                rng = derive(noise, np.uint64(sample))
                for k in range(followers):
                    trick[reply(chances[k], trick, derive(rng, np.uint64(k)))] += 1
                winner = winning_rank(trick)
                if winner == rank:
                    wins[rank] += 1.0 / samples
                elif winner < 0:
                    ties[rank] += 1.0 / samples
    return best_rank(observation, mask, n, followers, pool, wins, ties)


@device_function
def count(observation, index):
    """A number of cards of a rank."""
    return whole(observation, index, SUITS)


@device_function
def hand_cards(observation, n, seat):
    return whole(observation, start(_HAND_SIZE, n) + seat, HAND)


@device_function
def has_played(observation, n, seat):
    first = start(_TABLE, n) + seat * RANKS
    for rank in range(RANKS):
        if observation[first + rank] > 0:
            return True
    return False


@device_function
def count_table(observation, n, table):
    first = start(_TABLE, n)
    for k in range(n * RANKS):
        if observation[first + k] > 0:
            table[k % RANKS] += 1


@device_function
def known_cards(observation, n, seat):
    """How many cards of a seat's hand and pile are publicly known."""
    first = start(_KNOWN, n) + seat * RANKS
    known = 0
    for rank in range(RANKS):
        known += count(observation, first + rank)
    return known


@device_function
def unseen_in_hand(observation, n, seat):
    """Cards of a seat's hand that nobody else has seen: cards as dealt lie on top of a pile, so they come first."""
    hand_size = hand_cards(observation, n, seat)
    unseen = hand_size + whole(observation, start(_PILE_SIZE, n) + seat, DECK) - known_cards(observation, n, seat)
    return min(hand_size, unseen)


@device_function
def count_pool(observation, n, table, pool):
    """4 of each rank, less those on the table, set aside, removed, known of the others, and my own as far as I know them."""
    hand, known = start(_HAND, n), start(_KNOWN, n)
    hand_size = hand_cards(observation, n, 0)
    fresh = unseen_in_hand(observation, n, 0)
    for rank in range(RANKS):
        left = (
            SUITS
            - table[rank]
            - count(observation, start(_SET_ASIDE, n) + rank)
            - count(observation, start(_REMOVED, n) + rank)
        )
        for seat in range(n):
            left -= count(observation, known + seat * RANKS + rank)
        mine = count(observation, hand + rank)
        if fresh < hand_size:  # those of my hand that were won in the open are counted among the known already
            mine = (mine * fresh + hand_size - 1) // hand_size
        pool[rank] = max(left - mine, 0)


@device_function
def likely_cards(observation, n, seat, pool, chances):
    """The cumulative chances of each rank of a card drawn from a player's hand: partly cards nobody has seen, the rest some
    of those known."""
    fresh = unseen_in_hand(observation, n, seat) / max(1, hand_cards(observation, n, seat))
    known, first = known_cards(observation, n, seat), start(_KNOWN, n) + seat * RANKS
    pool_size = 0
    for rank in range(RANKS):
        pool_size += pool[rank]
    total = 0.0
    for rank in range(RANKS):
        if pool_size > 0:
            total += fresh * pool[rank] / pool_size
        if known > 0:
            total += (1 - fresh) * count(observation, first + rank) / known
        chances[rank] = total


@device_function
def draw(chances, bits):
    """A rank drawn with these cumulative chances, from 32 random bits."""
    point = np.float64(bits) / 4294967296.0 * chances[RANKS - 1]
    rank = 0
    while rank < RANKS - 1 and chances[rank] <= point:
        rank += 1
    return rank


@device_function
def reply(chances, trick, bits):
    """The rank a later player answers: the better of two cards of the likely hand."""
    rank, other = draw(chances, bits & _LOW), draw(chances, bits >> _S32)
    return other if card_record(trick, other) > card_record(trick, rank) else rank


@device_function
def card_record(trick, rank):
    """Wins less losses of a rank against the cards of a trick (TN-08)."""
    return (
        trick[(rank + RANKS - 1) % RANKS]
        + trick[(rank + RANKS - 2) % RANKS]
        - trick[(rank + 1) % RANKS]
        - trick[(rank + 2) % RANKS]
    )


@device_function
def winning_rank(trick):
    """The rank that wins the trick, -1 if it is tied (TN-08, TN-09)."""
    best, winner = -100, -1
    for rank in range(RANKS):
        if trick[rank] > 0:
            record = card_record(trick, rank)
            if record > best:
                best = record
                winner = rank if trick[rank] == 1 else -1
            elif record == best:
                winner = -1
    return winner


@device_function
def best_rank(observation, mask, n, followers, pool, wins, ties):
    stake = 0.0  # cards won with the trick
    for rank in range(RANKS):
        stake += count(observation, start(_SET_ASIDE, n) + rank)
    in_round = 0
    for seat in range(n):
        in_round += hand_cards(observation, n, seat) > 0 or has_played(observation, n, seat)
    stake += in_round
    tricks_left = whole(observation, start(_TRICKS_LEFT, n), HAND)
    hand = start(_HAND, n)
    best, choice = -1.0e9, -1
    for rank in range(RANKS):
        if mask[rank]:
            value = stake * wins[rank]
            if tricks_left > 1:
                value += stake * ties[rank] * (TIE_LEAD if followers == in_round - 1 else TIE)
                value -= CARE * usefulness(observation, hand, pool, rank)
            if value > best:
                best, choice = value, rank
    return choice


@device_function
def usefulness(observation, hand, pool, rank):
    """What a rank is good for in later tricks: the share of unseen cards it beats, less those that beat it."""
    total = 1
    for other in range(RANKS):
        total += pool[other]
    return card_record(pool, rank) / total / max(1, count(observation, hand + rank))
