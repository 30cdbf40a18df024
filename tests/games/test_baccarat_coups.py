"""Coups of baccarat, the worked examples of its specification. The game is not registered yet: its kernels are called here.

A coup is written as the cards of its hands, in the order of the places, and those that the shoe gives next.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from wilddeck import cards
from wilddeck.envs.core.game import as_record, as_records
from wilddeck.envs.core.kernel import INTERPRETED, kernel
from wilddeck.envs.games.baccarat import rules, state

TAKE, KEEP, DRAW, STAND, REVEAL, COMMIT = state.BANK, state.KEEP, state.DRAW, state.STAND, state.REVEAL, state.COMMIT


class Coup:
    def __init__(self, hands: list[str], following: str = "", **options: Any) -> None:
        given = [cards.parse(hand) for hand in hands]
        self.options = state.Options(**options)
        first = [hand[k] for k in range(2) for hand in given] + cards.parse(following)
        size = 66 if self.options.deck == "extended" else 52
        rest = [card for card in range(size) for _ in range(self.options.num_decks)]
        for card in first:
            rest.remove(card)
        record = np.zeros(1, state.STATE)
        for name, value in self.options.stored().items():
            record[name][0] = value
        self.records = as_records(record)
        self.records["deck"][0][: len(first) + len(rest)] = first + rest
        rules.begin(self.records[0])

    @property
    def state(self) -> Any:
        """The record as it is now."""
        return as_record(self.records)

    def play(self, *actions: int) -> None:
        for action in actions:
            assert action in self.legal(), self.legal()
            rules.step(self.records[0], np.int64(action))

    def legal(self) -> list[int]:
        mask = np.zeros(50, np.uint8)
        rules.legal_actions(self.records[0], mask)
        return np.flatnonzero(mask).tolist()

    def chips(self) -> list[float]:
        return (self.records["chips"][0][: self.options.num_players] / 100).tolist()


def punto(player: str, banker: str, following: str, bet: int, **options: Any) -> float:
    """What a bet of 8 on P, B or a tie brings in a coup."""
    values = {"variant": "punto_banco", "num_players": 1, "num_decks": 8, "coups": 1, "commission": 5, **options}
    coup = Coup([player, banker], following, **values)
    coup.play(bet)
    return coup.chips()[0] - 100


P, B, TIE = state.BET + 7, state.SECOND + 7, state.TIE + 7


@pytest.mark.parametrize(
    ("player", "banker", "following", "bet", "won"),
    [
        ("9c 6d", "Kc 3h", "8s", TIE, 64),
        ("9c 6d", "Kc 3h", "8s", P, 0),
        ("2c Kh", "4d Ts", "6h 5s", B, 7.6),
        ("Sk-h 4c", "2d 3d", "Ah Kc", TIE, 64),
        ("Rv-c 2d", "5c Qd", "2h 8h", P, 8),
        ("Rv-c 2d", "Rv-d 5c", "2h Qd 8h", B, 7.6),
        ("Dr-s 5h", "Jc 2c", "7c 6d 7d", B, 7.6),
        ("Jk 4h", "Dr-c 8d", "Kd As", TIE, 64),
        ("2h 3c", "Kc 4d", "Dr-h 4c 9d 6s", P, 8),
        ("As 2d", "6c Kd", "Jk Qh", P, 8),
    ],
)
def test_examples_of_punto_banco(player: str, banker: str, following: str, bet: int, won: float) -> None:
    assert punto(player, banker, following, bet) == pytest.approx(won)


def test_examples_of_chemin_de_fer() -> None:
    """Shares of the bank; BANCO; a Reverse that is revealed; the bank is lost and passes."""
    coup = Coup(["Rv-h 9d", "3h Kd"], "6c 4s 3c", num_players=3, first_banker=0, coups=2)
    coup.play(TAKE)
    assert coup.state.current_player == 2
    coup.play(state.BET + 3)
    assert coup.state.current_player == 1
    assert coup.legal() == [state.BET, state.BET + 1, state.BET + 2, state.BET + 3, state.BET + 7]
    coup.play(state.BET + 7)
    assert coup.chips() == [92, 92, 100]
    assert coup.state.current_player == 1 and REVEAL + 6 in coup.legal()
    coup.play(REVEAL + 6)
    assert coup.state.current_player == 0, "paused"
    coup.play(DRAW)
    assert coup.state.current_player == 1 and coup.legal() == [DRAW, STAND], "5 is free"
    coup.play(DRAW)
    assert coup.chips() == [92, 108, 100]
    assert coup.state.due == 2 and coup.state.banker == -1


@pytest.mark.parametrize("reveals", [False, True])
def test_a_skip_in_a_hand(reveals: bool) -> None:
    """Stood upon it is redealt before the comparison; revealed it makes a natural, which ends the coup."""
    coup = Coup(["Sk-c 7h", "6h Kc"], "2d", num_players=2, first_banker=0, coups=2)
    coup.play(TAKE, state.BET + 7)
    if reveals:
        coup.play(REVEAL + 8)
    else:
        coup.play(STAND, STAND)
    assert coup.chips() == [92, 108]


def test_example_of_banque() -> None:
    """R reverses the order: B plays, then L, then R, which must stand on 7."""
    coup = Coup(["Rv-s 2c", "Kh Qc", "4c Kd"], "5d 3c", num_players=3, variant="banque", first_banker=1, num_decks=3, coups=2)
    coup.play(TAKE + 1)
    while coup.state.phase == state.OFFERING:
        coup.play(state.NOTHING)
    assert coup.state.current_player == 0
    coup.play(state.BET, state.BET)
    assert coup.state.turn == state.P
    coup.play(REVEAL + 7)
    assert (coup.state.current_player, coup.state.turn) == (1, state.B)
    coup.play(STAND)
    assert coup.state.phase == state.KEEPING, "L must draw, R must stand"
    assert coup.chips() == [101, 84, 99]
    assert coup.state.bank == 1600


def test_frequencies_of_the_extended_deck() -> None:
    """Eight decks freshly shuffled: B 0.4482, P 0.4473, tie 0.1044."""
    if INTERPRETED:
        pytest.skip("slow")
    options = state.Options(variant="punto_banco", num_players=1, num_decks=8, coups=1, stack=0)
    record = np.zeros(1, state.STATE)
    for name, value in options.stored().items():
        record[name][0] = value
    counts = np.zeros(3, np.int64)
    play_coups(as_records(record), 400_000, counts)
    assert counts / counts.sum() == pytest.approx([0.4482, 0.4473, 0.1044], abs=0.0035)


@kernel
def play_coups(records: Any, coups: int, counts: Any) -> None:
    one = records[0]
    for _ in range(coups):
        one.coup = 0
        one.terminated = 0
        rules.deal(one)
        rules.begin(one)
        rules.step(one, 1)
        result = np.int64(one.rewards[0] > 0) * 2 + np.int64(one.rewards[0] < 0)
        counts[0 if result == 1 else 1 if result == 2 else 2] += 1
