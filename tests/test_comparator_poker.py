"""Poker hands by the batch, against a slow reference written from the rules alone, and against phevaluator."""

from __future__ import annotations

import hashlib
import itertools
import random
from math import comb

import numpy as np
import pytest
import wilddeck
from games import poker_values as slow
from hypothesis import given, settings
from hypothesis import strategies as st
from support import short, subsets
from wilddeck.benchmarks.comparator import random_hands
from wilddeck.benchmarks.studies import poker_hands
from wilddeck.envs.core.bits import count_bits
from wilddeck.envs.core.compare import KIND_SHIFT
from wilddeck.envs.core.compare.poker import (
    POKER_KINDS,
    in_words,
    omaha_strength,
    poker_strength,
    short_strength,
    up_cards_strength,
)
from wilddeck.envs.core.extended.sets import set_of
from wilddeck.envs.core.jit import plain

compare = wilddeck.compare.poker
parse = wilddeck.cards.parse

FREQUENCIES = [0, 1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]  # of five cards, by kind
# Of the places of all fives, two bytes each: those that phevaluator gives (`wilddeck.benchmarks.studies.poker_hands`).
DIGEST = "af14c746cc10125be8d2b9eac27f2f5ebeb464d28756f0a2c0f5ffe5192746fc"
WIDTH = 11


def row(cards: list[int], width: int = WIDTH) -> list[int]:
    return [*cards, *[-1] * (width - len(cards))]


def strength(cards: list[int], board: list[int] | None = None) -> int:
    return int(compare.strength([row(cards)], board)[0])


def place(text: str, board: str | None = None) -> int:
    return int(compare.rank([row(parse(text))], None if board is None else parse(board))[0])


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def in_order(strengths: np.ndarray, hands: np.ndarray, step: int = 1) -> None:
    """One hand of each strength, or of each so many, is higher than the last by the slow reference too, and of its kind."""
    distinct, first = (array[::step] for array in np.unique(strengths, return_index=True))
    values = [slow.best([card for card in hand if card >= 0]) for hand in hands[first].tolist()]
    assert all(low < high for low, high in itertools.pairwise(values))
    assert [value[0] for value in values] == (distinct >> KIND_SHIFT).tolist()


@pytest.fixture(scope="module")
def fives() -> np.ndarray:
    return poker_hands.all_fives()


@pytest.mark.rule("PK-22")
def test_every_hand_of_five(fives: np.ndarray) -> None:
    strengths, places = compare.strength(fives), compare.rank(fives)
    assert np.bincount(strengths >> KIND_SHIFT).tolist() == FREQUENCIES
    assert len(FREQUENCIES) == len(POKER_KINDS)
    in_order(strengths, fives)
    by_place = np.zeros(7463, np.int64)
    by_place[places] = strengths
    assert (by_place[places] == strengths).all()  # a place has one strength
    assert (np.diff(by_place[1:]) < 0).all()  # and 1 is the best
    assert hashlib.sha256(places.astype("<u2").tobytes()).hexdigest() == DIGEST


@pytest.mark.rule("PK-25", "PK-30")
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_hand_of_fewer_than_five_cards(size: int) -> None:
    """With Jokers too: a straight or a flush there is not, a missing kicker is the lowest."""
    hands = subsets(54, size)
    assert len(hands) == comb(54, size)
    strengths = compare.strength(hands)
    in_order(strengths, hands, step=1 if size < 4 else 17)
    assert not set((strengths >> KIND_SHIFT).tolist()) & {5, 6, 7, 9}
    assert (compare.rank(hands) == 0).all()
    draw = random.Random(size)
    for _ in range(30):
        hand, twin = (hands[draw.randrange(len(hands))].tolist() for _ in range(2))
        values = slow.best(hand), slow.best(twin)
        assert sign(strength(hand) - strength(twin)) == (values[0] > values[1]) - (values[0] < values[1])


def test_no_card_is_worth_nothing() -> None:
    assert compare.strength([[-1, -1, -1]]).tolist() == [0]
    assert compare.strength([[-1]], [-1]).tolist() == [0]
    assert compare.rank([[-1] * 5]).tolist() == [0]
    assert strength([0]) > 0
    assert up_cards_strength(np.uint64(1) << np.uint64(60), 0) == 0  # a special has no value (PK-32)


EXAMPLES = [
    ("Jk 9h 5h 6h 7h 8c Kh", None, 6),
    ("Jk Ks Kh Kd Kc 4s 2h", None, 23),
    ("Jk 3h Ah Kh Qh 9c 9d", None, 329),
    ("Jk Qc Qd 5s 5h", None, 199),
    ("Jk Jk 7c 7d 2s", None, 106),
    ("Jk Jk Ac Ad Ah As Kc", None, 11),
    ("Ah 5d 4c 3s Jk", None, 1609),
    ("Jk Kh 8h 6h 3h", None, 459),
    ("Jk Ts 2c 3d", "As Ks Qs Js 4d", 2),
    ("Jk 2c As Ks Qs Js 3h", None, 1),
    ("Jk 2d As Ks Qs Js 3h", None, 1),
    ("Ad Kd Ac As Ah 7c 2d 9s", None, 11),
    ("As Ks Qs Js Ts", None, 1),
    ("7d 5c 4c 3c 2c", None, 7462),
]


@pytest.mark.rule("PK-14", "PK-15", "PK-22", "PK-30", "PK-31")
@pytest.mark.parametrize(("cards", "board", "expected"), EXAMPLES)
def test_examples(cards: str, board: str | None, expected: int) -> None:
    assert place(cards, board) == expected


@pytest.mark.rule("PK-30")
def test_a_joker_is_no_card_that_its_player_holds_and_does_not_use() -> None:
    assert place("Jk Ts 2c 3d", "As Ks Qs Js 4d") == 2  # with Js no royal flush of Jk Ts and three others
    assert place("Jk Ts 2c 3d", "As Ks Qs Jd 4d") == 1
    assert strength(parse("Jk 9h 9c 9d"), parse("9s 4c 5c 7d 2h")) >> KIND_SHIFT == POKER_KINDS.index("three of a kind")


@pytest.mark.rule("PK-31")
def test_two_players_may_have_the_same_hand() -> None:
    """A Joker on the board stands for what each likes best."""
    board = parse("Jk As Ks Qs 3h")
    one, other = strength(parse("Js 2c") + board), strength(parse("Ts 2d") + board)
    assert one == other == strength(parse("As Ks Qs Js Ts"))


@pytest.mark.rule("PK-14", "PK-22", "PK-30")
@pytest.mark.parametrize("jokers", [0, 1, 2])
@pytest.mark.parametrize("size", short([5, 6, 7, 8, 9, 10, 11], [5, 7, 11]))
def test_hands_of_every_size_beside_trying_all(size: int, jokers: int) -> None:
    """Thousands without Jokers and hundreds with, by the batch; a hand of each kind also by the slow reference."""
    hands = random_hands(4000 if not jokers else 400 if jokers == 1 else 60, size, size, jokers)
    expected = poker_hands.best_stand_in(hands, poker_hands.best_five) if jokers else poker_hands.best_five(hands)
    strengths = compare.strength(hands)
    assert (strengths == expected).all()
    if size + 2 * jokers <= 9:
        in_order(strengths[:40], hands[:40])


@pytest.mark.rule("PK-15", "PK-30")
@pytest.mark.parametrize(("own", "board"), [(4, 3), (4, 5), (6, 4), (8, 9)])
def test_omaha_hands_beside_trying_all(own: int, board: int) -> None:
    cards = random_hands(300, own, own + board)
    parts = cards[:, :own], cards[:, own:]
    assert (compare.strength(*parts) == poker_hands.best_omaha(*parts)).all()


@pytest.mark.rule("PK-15", "PK-30", "PK-31")
@pytest.mark.parametrize("jokers", [[0], [4], [0, 1], [0, 4], [4, 5], [3, 8]])
def test_omaha_hands_with_jokers_beside_trying_all(jokers: list[int]) -> None:
    cards = random_hands(60, 7, 9)
    cards[:, jokers] = range(52, 52 + len(jokers))
    parts = cards[:, :4], cards[:, 4:]
    assert (compare.strength(*parts) == poker_hands.best_omaha_stand_in(*parts)).all()


@pytest.mark.rule("PK-15", "PK-25", "PK-30")
def test_omaha_hands_with_jokers_beside_the_reference() -> None:
    """Of all sizes, some of too few cards; those of few ranks leave Jokers little to stand for."""
    draw = random.Random(5)
    values = []
    for number in range(150):
        deck = list(range(0, 52, 1 + number % 2)) if number % 3 else list(range(4 * draw.randrange(9), 52))[:20]
        cards = draw.sample(deck, draw.randint(3, 9)) + draw.choice([[], [52], [52], [53], [52, 53]])
        draw.shuffle(cards)
        cut = draw.randint(max(0, len(cards) - 9), min(6, len(cards)))
        own, board = cards[:cut], cards[cut:]
        values.append((slow.best_omaha(own, board), int(compare.strength([row(own)], [row(board, 9)])[0])))
    values.sort()
    for (low, one), (high, other) in itertools.pairwise(values):
        assert (one < other) == (low < high)
        assert one == other or low != high
        assert other >> KIND_SHIFT == high[0]
    assert len({value[0] for value, _ in values}) >= 8


@pytest.mark.rule("PK-20", "PK-25", "PK-32")
def test_up_cards_have_no_straights_and_flushes() -> None:
    """Of one to seven cards with Jokers and specials, in the order of the slow reference."""
    draw, values = random.Random(6), []
    for _ in range(250):
        cards = draw.sample(range(66), draw.randint(1, 7)) if draw.random() < 0.5 else draw.sample(range(40, 54), 4)
        real = [card for card in cards if card < 54]
        sets = set_of(cards)
        values.append((slow.best_open(real) if real else (0,), int(up_cards_strength(sets[0], count_bits(sets[1])))))
    values.sort()
    for (low, one), (high, other) in itertools.pairwise(values):
        assert (one < other) == (low < high)
        assert (one == other) == (low == high)
    straight, flush = (set_of(parse(text))[0] for text in ("2c 3d 4h 5s 6c", "2c 4c 6c 8c Tc"))
    assert up_cards_strength(straight, 0) < up_cards_strength(flush, 0) < poker_strength(straight, 0)


def test_kernels_take_the_sets_that_games_hold() -> None:
    """Words of a record (uint64), specials among them, and numbers of Jokers of any type."""
    own, board = parse("Jk Ts 2c 3d Dr-h Sk-s"), parse("As Ks Qs Js 4d Rv-c")
    both = set_of(own + board)
    assert poker_strength(both[0], count_bits(both[1])) == strength(parse("Jk Ts 2c 3d As Ks Qs Js 4d"))
    mine, common = set_of(own), set_of(board)
    value = omaha_strength(mine[0], count_bits(mine[1]), common[0], np.uint8(0))
    assert value == strength(parse("Jk Ts 2c 3d"), parse("As Ks Qs Js 4d"))


# --- properties ---

some_cards = st.lists(st.integers(0, 53), min_size=1, max_size=WIDTH, unique=True)
few_ranks = st.lists(st.integers(30, 53), min_size=3, max_size=9, unique=True)
hands = st.one_of(some_cards, few_ranks)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 53), min_size=1, max_size=7, unique=True), few_ranks)
def test_two_hands_of_any_size_compare_as_by_the_reference(one: list[int], other: list[int]) -> None:
    one, other = ([card for card in cards if card != 53] for cards in (one, other))  # two Jokers take the reference long
    if one and other:
        values = slow.best(one), slow.best(other)
        expected = (values[0] > values[1]) - (values[0] < values[1])
        assert sign(strength(one) - strength(other)) == expected
        assert compare.beats([row(one)], [row(other)]).tolist() == [expected > 0]


@settings(max_examples=200, deadline=None)
@given(hands, st.permutations(range(4)), st.randoms(use_true_random=False))
def test_neither_order_nor_suits_matter(cards: list[int], suits: list[int], draw: random.Random) -> None:
    other = [card if card >= 52 else card // 4 * 4 + suits[card % 4] for card in cards]
    draw.shuffle(other)
    assert strength(cards) == strength(other)


@settings(max_examples=200, deadline=None)
@given(hands)
def test_a_card_more_is_never_worse_and_a_joker_never_worse_than_a_card(cards: list[int]) -> None:
    assert strength(cards) >= strength(cards[1:])
    standard, joker = [card for card in cards if card < 52], 52 if 52 not in cards else 53
    if standard and joker not in cards:
        assert strength([joker if card == standard[0] else card for card in cards]) >= strength(cards)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 53), min_size=7, max_size=13, unique=True))
def test_omaha_is_never_better_than_the_best_five_of_all(cards: list[int]) -> None:
    own, board = cards[:4], cards[4:]
    assert strength(own, board) > 0
    if len(cards) <= WIDTH:
        assert strength(own, board) <= strength(cards)


@settings(max_examples=100, deadline=None)
@given(st.lists(hands, min_size=3, max_size=3))
def test_beats_is_the_order_of_strengths(three: list[list[int]]) -> None:
    low, middle, high = sorted(three, key=strength)
    assert not compare.beats([row(low)], [row(high)])[0]
    assert compare.beats([row(high)], [row(low)])[0] == (strength(high) > strength(low))
    assert not compare.beats([row(middle)], [row(middle)])[0]


# --- arguments ---


def test_dtypes_and_shapes() -> None:
    cards = random_hands(500, size=7, jokers=1)
    expected = compare.strength(cards)
    assert expected.dtype == compare.rank(cards).dtype == np.int64
    for dtype in (np.int16, np.int64, np.uint8, np.uint64):
        assert np.array_equal(compare.strength(cards.astype(dtype)), expected)
    assert np.array_equal(compare.strength(np.asfortranarray(cards)), expected)
    assert np.array_equal(compare.strength(cards[:, ::-1]), expected)
    wide = np.full((len(cards), 11), -1)
    wide[:, 4:] = cards
    assert np.array_equal(compare.strength(wide), expected)
    assert compare.strength(np.zeros((0, 7), int)).shape == compare.rank(np.zeros((0, 5), int)).shape == (0,)


def test_a_board_for_all_rows_or_one_each() -> None:
    own, board = [parse("As Ks 2c 2d"), parse("Jk 7h 7d 8s")], parse("Ah Kh 2s 7c Td")
    for_all = compare.strength(own, board)
    assert np.array_equal(for_all, compare.strength(own, [board, board]))
    assert np.array_equal(for_all, compare.strength(own, board=np.array(board, np.int8)))
    assert compare.beats(own, own[::-1], board).tolist() == [for_all[0] > for_all[1], for_all[1] > for_all[0]]
    assert compare.rank(own, [board, [*board[:3], -1, -1]])[0] == compare.rank(own[:1], board)[0]


@pytest.mark.parametrize(
    ("cards", "board", "message"),
    [
        ([1, 2], None, r"cards must have shape \[N, k\] with k from 1 to 11, not \[2\]"),
        (np.zeros((2, 12), int), None, r"with k from 1 to 11, not \[2, 12\]"),
        ([[1.0]], None, r"cards must be integers \(card ids\), not float64"),
        ([[0], [54]], None, r"cards, row 1: 54 is not a card; ids are 0..53, or -1 for none"),
        ([[300]], None, r"cards, row 0: 300 is not a card"),
        ([[-2, 3]], None, r"cards, row 0: -2 is not a card"),
        ([[3, -1, 3]], None, r"cards, row 0: 2s \(id 3\) occurs twice, but at most once in a combination"),
        ([[3], [4]], [[4], [4]], r"cards, row 1: 3c \(id 4\) is on the board too"),
        ([[3], [52]], [5, 6, 52], r"cards, row 1: SJ \(id 52\) is on the board too"),
        ([[3]], [[5, 6], [7, 8]], r"board must be one row of cards or one for each of 1 rows, not 2"),
        ([[3]], [[5, 5]], r"board, row 0: 3d \(id 5\) occurs twice"),
        ([[3]], [54], r"board, row 0: 54 is not a card"),
        ([[3]], list(range(10)), r"board must have shape \[N, k\] with k from 1 to 9, not \[1, 10\]"),
        ([[3]], 7, r"board must have shape \[N, k\]"),
        ([[3]], [0.5], r"board must be integers"),
    ],
)
def test_bad_input_is_one_clear_error(cards, board, message: str) -> None:
    for ask in (compare.strength, compare.rank):
        with pytest.raises(ValueError, match=message):
            ask(cards, board)


def test_bad_input_of_beats() -> None:
    with pytest.raises(ValueError, match="defence, row 0: 99 is not a card"):
        compare.beats([[1]], [[99]])
    with pytest.raises(ValueError, match=r"defence, row 0: 2s \(id 3\) is on the board too"):
        compare.beats([[1]], [[3]], [3, 4, 5])
    with pytest.raises(ValueError, match="attack and defence must have the same number of rows, not 1 and 2"):
        compare.beats([[1]], [[1], [2]])
    with pytest.raises(TypeError):
        compare.strength([[1]], trump=2)


# --- phevaluator ---


def test_hands_beside_phevaluator(fives: np.ndarray) -> None:
    """All of them: `python -m wilddeck.benchmarks.studies.poker_hands`."""
    pytest.importorskip("phevaluator")
    for hands in (fives[::97], random_hands(5000, size=6), random_hands(20_000, size=7)):
        assert (compare.rank(hands) == poker_hands.places_by_phevaluator(hands)).all()


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("As Kd 9h 8c 2c", "Ace high, with King, nine, eight and two"),
        ("9h 9c Ad Ks 7h", "a pair of nines, with Ace, King and seven"),
        ("6h 6c", "a pair of sixes"),
        ("9h 9c 4d 4s Ah", "two pair, nines and fours, with Ace"),
        ("9h 9c 4d 4s 2h", "two pair, nines and fours, with two"),
        ("9h 9c 4d 4s", "two pair, nines and fours"),
        ("9s 9c 9d Kd 2h", "three nines, with King and two"),
        ("Ah 2c 3d 4h 5s", "a straight to the five"),
        ("Ah Kh 3h 9h 6h", "a flush, Ace high, with King, nine, six and three"),
        ("9h 9c 4d 4s 4h", "a full house, fours over nines"),
        ("6c 6d 6s Jk Tc", "four sixes, with ten"),
        ("Ah Kh Qh Jh Th", "a straight flush to the Ace"),
    ],
)
def test_a_strength_in_words(cards: str, words: str) -> None:
    assert in_words(plain(short_strength)(strength(parse(cards)))) == words


def test_no_cards_in_words() -> None:
    assert in_words(0) == "nothing"


def test_short_strengths_are_in_the_order_of_strengths() -> None:
    hands = np.array([random.Random(number).sample(range(52), 7) for number in range(4000)])
    strengths = sorted(
        {int(value) for value in compare.strength(hands)} | {int(value) for value in compare.strength(hands[:, :5])}
    )
    short_ones = [plain(short_strength)(value) for value in strengths]
    assert short_ones == sorted(set(short_ones)) and short_ones[-1] < 1 << 21
