"""Rule-based blackjack: basic strategy.

Tables, optimal for several decks, give the decision for each total against the dealer's up card: surrender, split, double, hit
or stand. A double that is not allowed becomes a hit, or a stand with 18 and more. A special as up card, which will be replaced,
counts as a ten, a Joker as an ace. If the dealer has already played (after a Reverse), the player needs no table: they hit
while they would lose. They never take insurance, and bet the minimum.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.cards import BIG_JOKER, DECK_66, SMALL_JOKER, STANDARD
from ...envs.core.extended.sets import FIRST_SPECIAL
from ...envs.core.jit import device_function
from ...envs.games.blackjack.state import (
    DO_BET,
    DO_DECLINE,
    DO_DOUBLE,
    DO_HIT,
    DO_SPLIT,
    DO_STAND,
    DO_SURRENDER,
    MOST_BETS,
    OBSERVATION,
    TOTAL_UNIT,
)
from .reading import whole

_PHASE, _HAND, _SUMMARY, _UP, _STATE = OBSERVATION.places(
    "phase", "own_hand", "summary", "up_card", "dealer_state", num_players=1
)

# Columns: the up card 2 to 10, then the ace. H hit, S stand, D double or hit, d double or stand, P split, R surrender or hit,
# r surrender or stand, F split if hands may be doubled at all, as halves mostly may then, else hit. Rows from the lowest total.
_HARD = """
HHHHHHHHHH HHHHHHHHHH HHHHHHHHHH HHHHHHHHHH HHHHHHHHHH
HDDDDHHHHH DDDDDDDDHH DDDDDDDDDH HHSSSHHHHH SSSSSHHHHH SSSSSHHHHH SSSSSHHHRH SSSSSHHRRR SSSSSSSSSS
"""  # 4..8, 9..17
_SOFT = """
HHHDDHHHHH HHHDDHHHHH HHDDDHHHHH HHDDDHHHHH HDDDDHHHHH SddddSSHHH SSSSSSSSSS SSSSSSSSSS SSSSSSSSSS
"""  # 13..21
_PAIRS = """
FFPPPPHHHH FFPPPPHHHH HHHFFHHHHH DDDDDDDDHH FPPPPHHHHH PPPPPPHHHH PPPPPPPPPP PPPPPSPPSS SSSSSSSSSS PPPPPPPPPP
"""  # 2..10, aces
_LETTERS = "HSDdPRrF"
HIT, STAND, DOUBLE, DOUBLE_OR_STAND, SPLIT, SURRENDER, SURRENDER_OR_STAND, SPLIT_TO_DOUBLE = range(8)


def _table(text: str) -> np.ndarray:
    return np.array([[_LETTERS.index(letter) for letter in row] for row in text.split()], np.int8)


HARD, SOFT, PAIRS = _table(_HARD), _table(_SOFT), _table(_PAIRS)
# Early surrender, hard totals 5..17 against a ten, an ace.
EARLY_TEN, EARLY_ACE = (14, 15, 16), (5, 6, 7, 12, 13, 14, 15, 16, 17)
EARLY = np.zeros((2, 22), np.int8)
EARLY[0, list(EARLY_TEN)] = 1
EARLY[1, list(EARLY_ACE)] = 1


@device_function
def policy(observation, mask, num_players, noise):
    if mask[DO_DECLINE]:
        return DO_SURRENDER if mask[DO_SURRENDER] and gives_up_early(observation) else DO_DECLINE
    for k in range(MOST_BETS):
        if mask[DO_BET + k]:
            return DO_BET + k
    total, soft = whole(observation, _SUMMARY, TOTAL_UNIT), observation[_SUMMARY + 1] > 0
    if observation[_STATE + 2] > 0:
        return against_final(observation, mask, total, soft)
    return fitted(mask, best(observation, mask, total, soft), total)


@device_function
def column_of_up(observation):
    """0..8 for 2..10, 9 for an ace."""
    up = 0
    while up < DECK_66 and observation[_UP + up] == 0:
        up += 1
    if up >= FIRST_SPECIAL:
        return 8
    return min(up >> 2, 8) if up < 48 else 9


@device_function
def row_of_pair(observation):
    """The row of `_PAIRS`: of the card that is no Joker; of two Jokers that of a ten, which is never split."""
    for card in range(STANDARD):
        if observation[_HAND + card] > 0:
            return min(card >> 2, 8) if card < 48 else 9
    return 8


@device_function
def has_joker(observation):
    return observation[_HAND + SMALL_JOKER] > 0 or observation[_HAND + BIG_JOKER] > 0


@device_function
def best(observation, mask, total, soft):
    """The table's letter for a hand."""
    column = column_of_up(observation)
    if mask[DO_SPLIT] and not has_joker(observation):
        letter = PAIRS[row_of_pair(observation), column]
        if letter == SPLIT_TO_DOUBLE:
            letter = SPLIT if mask[DO_DOUBLE] else HIT
        return letter
    if soft and total >= 13:
        return SOFT[total - 13, column]
    if total >= 17:
        return STAND
    return HARD[max(total - 4, 0), column]


@device_function
def fitted(mask, letter, total):
    """The action of a letter, or its replacement if it is illegal."""
    if letter == SPLIT and mask[DO_SPLIT]:
        return DO_SPLIT
    if letter in (DOUBLE, DOUBLE_OR_STAND) and mask[DO_DOUBLE]:
        return DO_DOUBLE
    if letter in (SURRENDER, SURRENDER_OR_STAND) and mask[DO_SURRENDER]:
        return DO_SURRENDER
    if letter in (STAND, DOUBLE_OR_STAND, SURRENDER_OR_STAND) or not mask[DO_HIT]:
        return DO_STAND
    return DO_HIT


@device_function
def against_final(observation, mask, total, soft):
    """The dealer's hand is known: hit while it wins, if that is worth while."""
    dealer = whole(observation, _STATE, TOTAL_UNIT)
    wins = observation[_STATE + 1] > 0 or total > dealer
    if wins or not mask[DO_HIT] or (total == dealer and total >= 14 and not soft):
        return DO_STAND
    if total < dealer and total >= 19 and mask[DO_SURRENDER] and not soft:
        return DO_SURRENDER
    return DO_HIT


@device_function
def gives_up_early(observation):
    total, soft = whole(observation, _SUMMARY, TOTAL_UNIT), observation[_SUMMARY + 1] > 0
    if soft or total > 21 or has_joker(observation):
        return False
    return EARLY[0 if column_of_up(observation) == 8 else 1, total] > 0
