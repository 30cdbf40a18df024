"""The rules of drawing of baccarat: what exact tables and a small solver say of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from wilddeck import cards
from wilddeck.envs.games.baccarat.drawing import DID_NOT_DRAW, MUST_DRAW, first_draws, punter_may, second_draws, total_of

TENS, DECKS = 10, 8


def count(text: str) -> int:
    return int(total_of(np.bincount(cards.parse(text), minlength=66).astype(np.uint8)))


@pytest.mark.rule("BA-01", "BA-40", "BA-41", "BA-57")
@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("9c 6d", 5),
        ("Kc 3h", 3),
        ("As Kd Td", 1),
        ("Jk 4h", 9),
        ("Jk Kc", 9),
        ("Jk Jk", 9),
        ("Ac Ad Ah As 4c Jk", 8),
        ("9c Jk", 9),
        ("9c 9d Jk", 9),
        ("9c 9d 9h 9s 3c Jk", 9),
        ("Th Jh Qh Kh 2h 7h", 9),
        ("Dr-c Rv-c Sk-c 3h", 3),
    ],
)
def test_totals(text: str, total: int) -> None:
    assert count(text) == total


@pytest.mark.rule("BA-40", "BA-41")
def test_totals_of_random_hands_with_jokers() -> None:
    """Beside every choice of cards for the Jokers."""
    draw = np.random.default_rng(3)
    values = [card // 4 + 2 if card < 32 else 0 if card < 48 else 1 for card in range(52)]
    for _ in range(300):
        held = draw.choice([*range(8), *range(44, 52)], draw.integers(1, 7), replace=True).tolist()
        jokers = int(draw.integers(1, 3))
        base = sum(values[card] for card in held)
        rest = [values[card] for card in range(52) if card not in held]
        best = max((base + sum(joker_values)) % 10 for joker_values in itertools.combinations(rest, jokers))
        counts = np.bincount([*held, *([52] * jokers)], minlength=66).astype(np.uint8)
        assert total_of(counts) == best


def coup_chances() -> tuple[float, float, float]:
    """Chances of B, P and a tie with eight decks, over every sequence of values."""
    shoe = [16 * DECKS] + [4 * DECKS] * 9
    size, chances = sum(shoe), [0.0, 0.0, 0.0]

    def settle(player: int, banker: int, chance: float) -> None:
        chances[2 if player == banker else 1 if player > banker else 0] += chance

    def drawn(chance: float, left: int) -> list[tuple[int, float]]:
        return [(value, chance * shoe[value] / left) for value in range(TENS) if shoe[value]]

    def bank(player: int, banker: int, third: int, chance: float, left: int) -> None:
        if not second_draws(banker, third):
            settle(player, banker, chance)
            return
        for value, part in drawn(chance, left):
            settle(player, (banker + value) % 10, part)

    for values in itertools.product(range(TENS), repeat=4):
        chance = 1.0
        for k, value in enumerate(values):
            chance *= shoe[value] / (size - k)
            shoe[value] -= 1
        player, banker = (values[0] + values[2]) % 10, (values[1] + values[3]) % 10
        if max(player, banker) >= 8:
            settle(player, banker, chance)
        elif first_draws(player):
            for value, part in drawn(chance, size - 4):
                shoe[value] -= 1
                bank((player + value) % 10, banker, value, part, size - 5)
                shoe[value] += 1
        else:
            bank(player, banker, DID_NOT_DRAW, chance, size - 4)
        for value in values:
            shoe[value] += 1
    return chances[0], chances[1], chances[2]


@pytest.mark.rule("BA-11", "BA-12", "BA-13", "BA-14")
def test_exact_chances_of_punto_banco() -> None:
    banker, player, tie = coup_chances()
    assert banker + player + tie == pytest.approx(1)
    assert (banker, player, tie) == pytest.approx((0.458597, 0.446247, 0.095156), abs=5e-7)


def value_of(draws_on_five: float) -> float:
    """What P wins of a stake on the average, cards drawn with replacement, if it draws on 5 with this chance and B, who knows,
    does what is best against it for each total and card seen."""
    values = [4 / 13] + [1 / 13] * 9
    two = [
        sum(values[a] * values[b] for a, b in itertools.product(range(10), repeat=2) if (a + b) % 10 == k) for k in range(10)
    ]
    total = 0.0
    for player, banker in itertools.product(range(10), repeat=2):
        if max(player, banker) >= 8:
            total += two[player] * two[banker] * ((player > banker) - (player < banker))
    for banker in range(8):
        for third in [*range(10), DID_NOT_DRAW]:
            stand = draw = 0.0
            for player in range(8):
                chance = draws_on_five if player == 5 else float(punter_may(player) == MUST_DRAW)
                weight = two[player] * (1 - chance if third == DID_NOT_DRAW else chance * values[third])
                final = player if third == DID_NOT_DRAW else (player + third) % 10
                stand += weight * ((final > banker) - (final < banker))
                for value in range(10):
                    other = (banker + value) % 10
                    draw += weight * values[value] * ((final > other) - (final < other))
            total += two[banker] * min(stand, draw)
    return total


@pytest.mark.rule("BA-25")
def test_the_solution_of_chemin_de_fer() -> None:
    """P draws on 5 with 9/11, and loses 1.28 % of its stakes."""
    low, high = 0.0, 1.0
    for _ in range(60):
        first, second = low + (high - low) / 3, high - (high - low) / 3
        if value_of(first) < value_of(second):
            low = first
        else:
            high = second
    assert low == pytest.approx(9 / 11, abs=1e-6)
    assert value_of(low) == pytest.approx(-0.0128, abs=5e-5)
