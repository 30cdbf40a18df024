"""Poker with 52 cards beside PokerKit and OpenSpiel, move by move; more by `wilddeck.benchmarks.studies.poker_games`."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from wilddeck.benchmarks.studies import poker_games

HANDS = 20


@pytest.mark.rule("PK-02", "PK-03", "PK-04", "PK-05", "PK-06", "PK-07", "PK-09", "PK-10", "PK-12", "PK-13", "PK-14", "PK-15")
@pytest.mark.rule("PK-16", "PK-17", "PK-20", "PK-22", "PK-23", "PK-24")
@pytest.mark.parametrize("variant", poker_games.VARIANTS)
def test_hands_beside_pokerkit(variant: str) -> None:
    pytest.importorskip("pokerkit")
    seen = poker_games.beside_pokerkit(variant, HANDS)
    assert seen["hands"] == HANDS
    assert seen["raise"] and seen["all-in"]
    assert seen["exchanged"] or variant != "five_card_draw"


@pytest.mark.rule("PK-05", "PK-16")
def test_a_last_player_with_chips_is_not_asked_before_the_draw() -> None:
    """Two are left, one of them all-in for the big blind: PokerKit has the other check, ours goes on to the draw."""
    pytest.importorskip("pokerkit")
    assert poker_games.beside_pokerkit("five_card_draw", 1, first=1799)["asked alone"] == 1


@pytest.mark.rule("PK-07")
@pytest.mark.parametrize("variant", ["texas_holdem", "five_card_stud"])
def test_a_smallest_raise_may_be_more_than_others_can_match(variant: str) -> None:
    """PokerKit's may not."""
    pytest.importorskip("pokerkit")
    assert poker_games.beside_pokerkit(variant, HANDS)["smallest raise above what others can match"]


@pytest.mark.rule("PK-06", "PK-10", "PK-11", "PK-14", "PK-24")
def test_holdem_beside_openspiel() -> None:
    pytest.importorskip("pyspiel")
    assert poker_games.beside_openspiel(HANDS)["hands"] == HANDS


class Tampered(poker_games.Ours):
    """A game that differs in one thing from its second decision on."""

    def __init__(self, target: str, *arguments: Any) -> None:
        self.what, self.acted = target, False
        super().__init__(*arguments)

    def act(self, action: int) -> None:
        super().act(action)
        self.acted = True
        if self.what == "stack" and self.turn is not None:
            self.stack[self.turn] += 1
        if self.what == "turn" and self.turn is not None:
            self.turn = (self.turn + 1) % len(self.stack)
        if self.what == "cards" and self.turn is not None:
            self.down[self.turn] = self.down[self.turn][1:]
        if self.what == "end" and self.turn is None:
            self.stack[0] += 100

    def bounds(self) -> tuple[int, int]:
        least, most = super().bounds()
        return (least + 1, most) if self.what == "least" and self.acted and least < most else (least, most)


@pytest.mark.parametrize("target", ["stack", "turn", "cards", "end", "least"])
def test_a_difference_is_found(target: str) -> None:
    pytest.importorskip("pokerkit")
    draw = random.Random(1)
    options = poker_games.drawn_options("texas_holdem", draw) | {"betting": "no_limit", "stack": (90, 90, 90), "num_players": 3}
    options |= {"small_blind": 1, "big_blind": 2, "ante": 0, "button": 2}
    deck = poker_games.random_deck(draw)
    table = Tampered(target, options, deck)
    with pytest.raises(AssertionError):
        poker_games.play(table, options, deck, draw, Counter())
