"""Positions in which a sensible tennis player has one sensible card."""

import numpy as np
import pytest
from wilddeck import envs
from wilddeck.agents.rules.tennis import policy
from wilddeck.envs.core.cards import RANK_TEXT

TENNIS = envs.game("tennis_v0")


def rank(text):
    return RANK_TEXT.index(text)


def choose(hand, table=(), *, num_players=4, set_aside=(), tricks_left=3, known=(), pile=4):
    """The rank played with `hand`; `table` are the cards before us in order, the last by our right neighbour."""
    layout = TENNIS.observation.slices(num_players)
    observation = np.zeros(TENNIS.observation.size(num_players), np.float32)
    mask = np.zeros(12, np.uint8)
    for card in hand.split():
        observation[layout["hand"]][rank(card)] += 0.25
        mask[rank(card)] = 1
    seats = range(num_players - len(table), num_players)
    for seat, card in zip(seats, table, strict=True):
        observation[layout["table"]][seat * 12 + rank(card)] = 1
    observation[layout["lead"]][seats[0] if table else 0] = 1
    observation[layout["tricks_left"]] = tricks_left / 6
    for card in set_aside:
        observation[layout["set_aside"]][rank(card)] += 0.25
    for seat in range(num_players):
        played = seat in seats
        observation[layout["hand_size"]][seat] = (len(hand.split()) - played) / 6
        observation[layout["pile_size"]][seat] = pile / 48
    for seat, cards in known:
        for card in cards.split():
            observation[layout["known"]][seat * 12 + rank(card)] += 0.25
    answers = {int(policy(observation, mask, num_players, np.uint64(noise * 2**57 + 1))) for noise in range(8)}
    return {RANK_TEXT[answer] for answer in answers}


@pytest.mark.parametrize(
    ("hand", "table", "expected"),
    [
        ("7 9 K", ("5", "T", "Q"), "K"),  # K beats Q; nothing else wins
        ("2 6 9", ("K", "Q", "7"), "2"),  # round the corner
        ("4 6 J", ("5", "5", "T"), "6"),  # 6 beats both fives, J only the ten: 6 has +2
    ],
)
def test_the_last_player_takes_the_trick(hand, table, expected):
    assert choose(hand, table) == {expected}


def test_the_last_player_takes_with_the_less_useful_card():
    # 6 and 7 both beat the lone 5. The other players are known to hold many 4s and 5s, which 6 beats and 7 (5s only) less so,
    # and 9s, which beat 7.
    known = [(1, "4 4 4 5"), (2, "9 9 9 4")]
    assert choose("6 7 J", ("5", "9", "Q"), known=known) <= {"6", "7"}


def test_the_last_player_ties_when_it_cannot_win():
    # 9 leads with +1 over 8; another 9 ties. 3 would let it win.
    assert choose("9 3", ("9", "8"), num_players=3) == {"9"}


def test_two_players_last_card_is_no_choice():
    assert choose("5", ("9",), num_players=2, tricks_left=1) == {"5"}


def test_the_leader_avoids_what_is_known_to_beat_it():
    # The only opponent's whole hand is known: 6 and 7 beat 5. T is safe against both; 5 loses for sure.
    assert choose("5 T", num_players=2, tricks_left=2, known=[(1, "6 7")], pile=0) == {"T"}


def test_the_leader_plays_what_wins_for_sure():
    assert choose("8 5 4", num_players=2, tricks_left=3, known=[(1, "6 7 6")], pile=0) == {"8"}
