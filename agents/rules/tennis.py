"""Rule-based tennis: what a card wins now, by its record over sampled replies, against what it is good for later.

All the cards of a hand are played in its round, so the question in each trick is only which one to spend. For each rank the
player estimates the chance that it wins and the chance that the trick is tied, by sampling the cards of those who play
after it: cards nobody has seen for the hidden part of a hand, publicly known ones for the rest. A trick is worth its cards
and those set aside; a tie leaves them to the next trick, which is dear to the one who plays last then. From this it takes
off what the rank is still good for: how many of the cards in play it beats, more if it is the only one that covers them.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.kernel import kernel
from ...envs.core.layout import start
from ...envs.core.rng import derive
from ...envs.games.tennis import HAND, OBSERVATION, RANKS

_HAND, _TABLE, _SET_ASIDE = OBSERVATION.at("hand"), OBSERVATION.at("table"), OBSERVATION.at("set_aside")
_REMOVED, _KNOWN, _TRICKS_LEFT = OBSERVATION.at("removed"), OBSERVATION.at("known"), OBSERVATION.at("tricks_left")
_HAND_SIZE, _PILE_SIZE = OBSERVATION.at("hand_size"), OBSERVATION.at("pile_size")

SAMPLES = 32
CARE = 1.0
TIE = 0.3
GREEDY = 0.5

_S32, _LOW, _S40 = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(40)


@kernel
def policy(observation, mask, num_players, noise):
    n = num_players
    table = np.zeros(RANKS, np.int64)  # cards of the trick by rank
    pool = np.zeros(RANKS, np.int64)  # cards nobody has seen, which may be anywhere
    later = np.zeros(n, np.int64)  # those who play after me
    count_table(observation, n, table)
    count_pool(observation, n, table, pool)
    followers = 0
    for seat in range(1, n):
        if not has_played(observation, n, seat) and cards(observation, _HAND_SIZE, n, seat) > 0:
            later[followers] = seat
            followers += 1
    wins = np.zeros(RANKS)
    ties = np.zeros(RANKS)
    samples = SAMPLES if followers else 1
    trick = np.zeros(RANKS, np.int64)
    for sample in range(samples):
        trick[:] = table
        rng = derive(noise, np.uint64(sample))
        for k in range(followers):
            trick[reply(observation, n, later[k], pool, trick, derive(rng, np.uint64(k)))] += 1
        for rank in range(RANKS):
            if mask[rank]:
                trick[rank] += 1
                winner = winning_rank(trick)
                if winner == rank:
                    wins[rank] += 1.0 / samples
                elif winner < 0:
                    ties[rank] += 1.0 / samples
                trick[rank] -= 1
    return best_rank(observation, mask, n, followers, pool, wins, ties)


@kernel
def count(observation, index):
    """A number of cards of a rank (observed in quarters)."""
    return np.int64(observation[index] * np.float32(4) + np.float32(0.5))


@kernel
def cards(observation, at, n, seat):
    """The size of a seat's hand or pile."""
    scale = HAND if at == _HAND_SIZE else 4 * RANKS
    return np.int64(observation[start(at, n) + seat] * np.float32(scale) + np.float32(0.5))


@kernel
def has_played(observation, n, seat):
    first = start(_TABLE, n) + seat * RANKS
    for rank in range(RANKS):
        if observation[first + rank] > 0:
            return True
    return False


@kernel
def count_table(observation, n, table):
    first = start(_TABLE, n)
    for k in range(n * RANKS):
        if observation[first + k] > 0:
            table[k % RANKS] += 1


@kernel
def known_cards(observation, n, seat):
    """How many cards of a seat's hand and pile are publicly known."""
    first = start(_KNOWN, n) + seat * RANKS
    known = 0
    for rank in range(RANKS):
        known += count(observation, first + rank)
    return known


@kernel
def unseen_in_hand(observation, n, seat):
    """Cards of a seat's hand that nobody else has seen: cards as dealt lie on top of a pile, so they come first."""
    hand_size = cards(observation, _HAND_SIZE, n, seat)
    unseen = hand_size + cards(observation, _PILE_SIZE, n, seat) - known_cards(observation, n, seat)
    return min(hand_size, unseen)


@kernel
def count_pool(observation, n, table, pool):
    """4 of each rank, less those on the table, set aside, removed, known of the others, and my own as far as I know them."""
    hand, known = start(_HAND, n), start(_KNOWN, n)
    hand_size = cards(observation, _HAND_SIZE, n, 0)
    fresh = unseen_in_hand(observation, n, 0)
    for rank in range(RANKS):
        left = 4 - table[rank] - count(observation, start(_SET_ASIDE, n) + rank) - count(observation, start(_REMOVED, n) + rank)
        for seat in range(n):
            left -= count(observation, known + seat * RANKS + rank)
        mine = count(observation, hand + rank)
        if fresh < hand_size:  # those of my hand that were won in the open are counted among the known already
            mine = (mine * fresh + hand_size - 1) // hand_size
        pool[rank] = max(left - mine, 0)


@kernel
def draw(weights, first, total, scale, bits):
    """A rank drawn in proportion to the counts from `first` on."""
    left = np.int64((bits * np.uint64(total)) >> _S32)
    for rank in range(RANKS):
        left -= np.int64(weights[first + rank] * scale + 0.5)
        if left < 0:
            return rank
    return RANKS - 1


@kernel
def draw_card(observation, n, seat, pool, bits):
    hand_size = cards(observation, _HAND_SIZE, n, seat)
    fresh = unseen_in_hand(observation, n, seat)
    pool_size = 0
    for rank in range(RANKS):
        pool_size += pool[rank]
    if pool_size > 0 and np.int64(((bits >> _S32) * np.uint64(hand_size)) >> _S32) < fresh:
        return draw(pool, 0, pool_size, 1.0, bits & _LOW)
    known = known_cards(observation, n, seat)
    if known > 0:
        return draw(observation, start(_KNOWN, n) + seat * RANKS, known, 4.0, bits & _LOW)
    return np.int64(((bits & _LOW) * np.uint64(RANKS)) >> _S32)


@kernel
def reply(observation, n, seat, pool, trick, bits):
    """The rank a later player answers: any card of the hand, or half the time the better of two."""
    rank = draw_card(observation, n, seat, pool, derive(bits, np.uint64(0)))
    if np.float64(bits & _LOW) < GREEDY * 4294967296.0:
        other = draw_card(observation, n, seat, pool, derive(bits, np.uint64(1)))
        if card_record(trick, other) > card_record(trick, rank):
            rank = other
    return rank


@kernel
def card_record(trick, rank):
    """Wins less losses of a rank against the cards of a trick (TN-08)."""
    return (
        trick[(rank + RANKS - 1) % RANKS]
        + trick[(rank + RANKS - 2) % RANKS]
        - trick[(rank + 1) % RANKS]
        - trick[(rank + 2) % RANKS]
    )


@kernel
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


@kernel
def best_rank(observation, mask, n, followers, pool, wins, ties):
    stake = 0.0  # cards won with the trick
    for rank in range(RANKS):
        stake += count(observation, start(_SET_ASIDE, n) + rank)
    in_round = 0
    for seat in range(n):
        in_round += cards(observation, _HAND_SIZE, n, seat) > 0 or has_played(observation, n, seat)
    stake += in_round
    tricks_left = np.int64(observation[start(_TRICKS_LEFT, n)] * np.float32(HAND) + np.float32(0.5))
    hand = start(_HAND, n)
    best, choice = -1.0e9, -1
    for rank in range(RANKS):
        if mask[rank]:
            value = stake * wins[rank]
            if tricks_left > 1:
                value += TIE * stake * ties[rank] * (2.0 if followers == in_round - 1 else 1.0)
                value -= CARE * usefulness(observation, hand, pool, rank)
            if value > best:
                best, choice = value, rank
    return choice


@kernel
def usefulness(observation, hand, pool, rank):
    """What a rank is good for in later tricks: the share of unseen cards it beats, less those that beat it."""
    total = 1
    for other in range(RANKS):
        total += pool[other]
    return card_record(pool, rank) / total / max(1, count(observation, hand + rank))
