"""Plays of Wild Escape by the batch: every one under every trump rank, against an obvious reference written from the rules."""

from __future__ import annotations

import doctest
import functools
import itertools
from math import comb

import numpy as np
import pytest
import wilddeck
from games.wild_escape_plays import (
    FIVE,
    FLUSH,
    FOUR_ONE,
    FULL_HOUSE,
    PAIR,
    SINGLE,
    STRAIGHT,
    STRAIGHT_FLUSH,
    SUITS,
    THREE,
    action,
    all_plays,
    groups,
    reference,
    top_rank,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ROOT, few, short, subsets
from wilddeck.envs.core.cards import BIG_JOKER, DECK_54, SMALL_JOKER
from wilddeck.envs.core.compare.packed import card_bit
from wilddeck.envs.core.compare.wild_escape import wild_escape_action, wild_escape_kind, wild_escape_rank, wild_escape_suit

compare = wilddeck.compare.wild_escape
parse = wilddeck.cards.parse
TRUMPS = range(2, 15)
COPIES = 3


@functools.cache
def plays(size: int) -> np.ndarray:
    """All rows of `size` cards of three decks, each in ascending order, [N, size]."""
    rows = subsets(DECK_54 + size - 1, size) - np.arange(size, dtype=np.int8)
    return rows if size <= COPIES else rows[(rows[:, COPIES:] != rows[:, :-COPIES]).all(axis=1)]


@functools.cache
def grouped(size: int) -> dict[tuple[int, int], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """By how many Small and Big Jokers are wild: which rows of `plays`, the ranks and the common suit of their other cards."""
    rows = plays(size)
    small, big = ((rows == joker).sum(axis=1) * (size > 1) for joker in (SMALL_JOKER, BIG_JOKER))
    groups_of = {}
    for counts in itertools.product(range(COPIES + 1), repeat=2):
        chosen = np.flatnonzero((small == counts[0]) & (big == counts[1]))
        if len(chosen):
            groups_of[counts] = chosen, *groups(rows[chosen, : size - sum(counts)])
    return groups_of


def expected(size: int, trump: int, flush_compare: str) -> tuple[list[tuple[int, ...]], np.ndarray, np.ndarray]:
    """The reference's values in order; the place of each row's among them, -1 for none; the rows' common suits."""
    slow = all_plays(size, trump, flush_compare)
    places, suits = np.full(len(plays(size)), -9, np.int16), np.empty(len(plays(size)), np.int8)
    for counts, (chosen, ranks, suit) in grouped(size).items():
        places[chosen], suits[chosen] = slow.places[counts][ranks, suit], suit
    return slow.values, places, suits


def card_set(cards: list[int]) -> int:
    return sum({int(card_bit(card)) for card in cards})


@pytest.mark.rule("WE-04", "WE-05", "WE-06", "WE-07", "WE-08", "WE-09", "WE-10", "WE-11", "WE-12")
@pytest.mark.parametrize("flush_compare", ["top", "all"])
@pytest.mark.parametrize("trump", short(TRUMPS, few(TRUMPS, 2)))
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_every_play_of_three_decks(size: int, trump: int, flush_compare: str) -> None:
    """Strengths are in the reference's order, equal where it says equal, 0 where it says no play; and tell kind and rank."""
    rows = plays(size)
    values, places, suits = expected(size, trump, flush_compare)
    strengths = compare.strength(rows, trump, flush_compare)
    assert strengths.min() >= 0
    assert np.array_equal(strengths == 0, places == -1)
    by_place = np.zeros(len(values) + 1, np.int64)  # the last is that of no play, place -1
    by_place[places] = strengths
    assert np.array_equal(by_place[places], strengths)
    occurring = by_place[:-1][by_place[:-1] > 0]
    assert np.all(np.diff(occurring) > 0)
    _, one_each = np.unique(places.astype(np.int64) * SUITS + suits, return_index=True)
    for row in one_each[places[one_each] >= 0].tolist():
        value, strength, suit = values[places[row]], int(strengths[row]), int(suits[row])
        cards = card_set(rows[row].tolist())
        assert wild_escape_kind(strength) == value[0]
        assert wild_escape_rank(strength, trump) == top_rank(value, trump)
        assert wild_escape_suit(cards) == (suit if suit < 4 else -1)
        assert wild_escape_action(strength, cards, trump) == action(value, suit, trump)


def test_all_plays_are_all_plays() -> None:
    assert [len(plays(size)) for size in (1, 2, 3)] == [54, comb(55, 2), comb(56, 3)]
    assert len(plays(5)) == comb(58, 5) - 54 - 54 * 53  # but five equal cards, and four and another
    assert sum(len(chosen) for chosen, *_ in grouped(5).values()) == len(plays(5))
    assert max(small + big for small, big in grouped(5)) == 5


@pytest.mark.rule("WE-12")
def test_kinds_that_never_arise() -> None:
    """Under these trump ranks all others do: a flush to the 2, say, there is only with 2 as trump."""
    actions = set()
    for size, trump in itertools.product((1, 2, 3, 5), (2, 3, 7)):
        values, places, suits = expected(size, trump, "top")
        occurring = np.bincount(places[places >= 0] * np.int64(SUITS) + suits[places >= 0]).nonzero()[0].tolist()
        actions |= {action(values[play // SUITS], play % SUITS, trump) for play in occurring}
    assert actions == set(range(1, 193)) - {121, 122, 136, 137, 192}


def with_wilds(size: int, wilds: int) -> np.ndarray:
    """Some rows, always the same."""
    rows = plays(size)
    rows = rows[(rows >= SMALL_JOKER).sum(axis=1) == wilds]
    return rows[np.random.default_rng(1).permutation(len(rows))[: 600 // 20**wilds + 3]]


@pytest.mark.parametrize(("size", "wilds"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (5, 0), (5, 1), (5, 2)])
def test_the_reference_by_groups_tries_everything_that_jokers_may_stand_for(size: int, wilds: int) -> None:
    for number, row in enumerate(with_wilds(size, wilds).tolist()):
        trump, flush_compare = 2 + number % 13, ("top", "all")[number % 2]
        slow = all_plays(size, trump, flush_compare)
        jokers = (row.count(SMALL_JOKER), row.count(BIG_JOKER)) if size > 1 else (0, 0)
        ((ranks,), (suit,)) = groups(np.array([row[: size - sum(jokers)]], np.int64).reshape(1, -1))
        place = slow.places[jokers][ranks, suit]
        assert reference(row, trump, flush_compare) == (slow.values[place] if place >= 0 else None), row


# --- the worked examples of the page, by number ---

NO_PLAY = 0


def strength(text: str, trump: int = 2, flush_compare: str = "all") -> int:
    return int(compare.strength([parse(text)], trump, flush_compare)[0])


def beats(attack: str, defence: str, trump: int = 2) -> bool:
    return bool(compare.beats([parse(attack)], [parse(defence)], trump)[0])


def kind_and_rank(text: str, trump: int = 2) -> tuple[int, str]:
    packed = strength(text, trump)
    return wild_escape_kind(packed), "23456789TJQKA*$"[wild_escape_rank(packed, trump)]


@pytest.mark.rule("WE-11")
def test_example_1_a_joker_above_a_straight() -> None:
    assert kind_and_rank("6c 7d 8h 9s SJ") == (STRAIGHT, "T")
    assert beats("7c 8c 9d Td Jh", "6c 7d 8h 9s SJ")
    assert not beats("6c 7d 8h 9s SJ", "7c 8c 9d Td Jh")


@pytest.mark.rule("WE-04", "WE-10")
def test_examples_2_and_3_pairs() -> None:
    assert kind_and_rank("Ah SJ") == (PAIR, "A")
    assert beats("Ah SJ", "Kc Kd")
    assert beats("2c 2h", "Ac Ad")


@pytest.mark.rule("WE-04")
def test_example_4_another_trump_rank() -> None:
    assert beats("7c 7d", "2c 2s", trump=7)
    assert not beats("2c 2d", "Ac As", trump=7)


@pytest.mark.rule("WE-07")
def test_example_5_equal_full_houses() -> None:
    assert not beats("6c 6d 6h Jc Jd", "6s 6s 6c 2d 2h")
    assert strength("6c 6d 6h Jc Jd") == strength("6s 6s 6c 2d 2h")


@pytest.mark.rule("WE-12")
def test_example_6_sets_of_jokers() -> None:
    assert not beats("BJ SJ", "SJ SJ")
    assert beats("BJ BJ", "SJ SJ")
    assert kind_and_rank("BJ BJ") == (PAIR, "$")
    assert kind_and_rank("BJ SJ") == (PAIR, "*")
    assert kind_and_rank("BJ BJ SJ") == (THREE, "*")
    assert kind_and_rank("BJ BJ BJ") == (THREE, "$")
    assert kind_and_rank("BJ BJ BJ SJ SJ") == (FIVE, "*")
    assert kind_and_rank("BJ") == (SINGLE, "$")


@pytest.mark.rule("WE-11")
def test_examples_7_and_8_the_highest_kind_then_the_highest_rank() -> None:
    assert kind_and_rank("9c 9d 9h 9s BJ") == (FIVE, "9")
    assert kind_and_rank("9c 9d Kh Kd SJ") == (FULL_HOUSE, "K")
    assert kind_and_rank("9c SJ BJ SJ Kd") == (FOUR_ONE, "K")
    assert kind_and_rank("2c SJ BJ SJ Kd") == (FOUR_ONE, "2")  # trump
    assert kind_and_rank("9c 9d Kh Kd SJ", trump=9) == (FULL_HOUSE, "9")


@pytest.mark.rule("WE-09", "WE-11")
def test_example_9_a_wild_in_a_flush_is_the_trump_rank_of_its_suit() -> None:
    assert kind_and_rank("4h 8h Jh SJ Qh") == (FLUSH, "2")
    assert strength("4h 8h Jh SJ Qh") == strength("4s 8s Js 2s Qs")
    assert kind_and_rank("2h 8h Jh SJ Qh") == (FLUSH, "2")
    assert beats("2h 8h Jh SJ Qh", "Ah Kh Jh SJ Qh", trump=2) is False  # straight flush
    assert beats("2h 8h Jh SJ Qh", "Ah Kh Jh SJ 4h")  # another 2h stands beside it
    assert strength("2h 8h Jh SJ Qh", flush_compare="top") == strength("3s 4s 5s 8s BJ", flush_compare="top")


@pytest.mark.rule("WE-06", "WE-08")
def test_examples_10_and_11_straights() -> None:
    assert kind_and_rank("9h Th Jh Qh BJ") == (STRAIGHT_FLUSH, "K")
    assert kind_and_rank("Ac 2d 3h 4s 5c") == (STRAIGHT, "5")
    assert beats("2c 3d 4h 5s 6c", "Ac 2d 3h 4s 5c")
    assert kind_and_rank("Ts Jd Qd Kd Ac") == (STRAIGHT, "A")
    assert kind_and_rank("SJ Jd Qd Kd Ac") == (STRAIGHT, "A")
    assert kind_and_rank("Ac 2d BJ 4s 5c") == (STRAIGHT, "5")
    assert kind_and_rank("6c 7d 8h 9s Tc", trump=8) == (STRAIGHT, "T")
    assert strength("Qc Kd Ah 2s 3c") == NO_PLAY


@pytest.mark.rule("WE-05", "WE-11", "WE-12")
def test_example_12_a_joker_makes_one_kind_only() -> None:
    assert kind_and_rank("5c SJ") == (PAIR, "5")
    assert kind_and_rank("SJ SJ") == (PAIR, "*")
    assert beats("5c SJ", "4c 4d")
    assert beats("SJ SJ", "4c 4d")


@pytest.mark.rule("WE-05")
@pytest.mark.parametrize(
    "text", ["3c 4c", "3c 4c SJ", "5c 5d 5h 5s", "5c 5d SJ SJ", "SJ SJ BJ BJ", "3c 3d 3h 4c 5c", "2c 4d 6h 8s Tc"]
)
def test_what_is_no_play(text: str) -> None:
    assert strength(text) == NO_PLAY


# --- properties ---

few_cards = st.sampled_from([range(54), range(8, 24), range(0, 52, 4), range(40, 52), (50, 51, 52, 53)])
hands = st.sampled_from([1, 2, 3, 4, 5]).flatmap(
    lambda size: few_cards.flatmap(
        lambda cards: st.lists(st.sampled_from([*cards, SMALL_JOKER, BIG_JOKER]), min_size=size, max_size=size)
    )
)
hands = hands.filter(lambda cards: max(map(cards.count, cards)) <= COPIES)
trumps = st.sampled_from(TRUMPS)
modes = st.sampled_from(["top", "all"])


def row(cards: list[int]) -> list[int]:
    return [*cards, *[-1] * (5 - len(cards))]


def legal(cards: list[int]) -> bool:
    return bool(compare.strength([cards], 2)[0])


plays_of_a_hand = hands.filter(legal)


@pytest.mark.rule("WE-07", "WE-14")
@settings(max_examples=300, deadline=None)
@given(plays_of_a_hand, plays_of_a_hand, trumps, modes)
def test_of_two_plays_of_a_size_one_beats_the_other_or_they_are_equal(one, two, trump: int, mode: str) -> None:
    both = compare.beats([row(one), row(two)], [row(two), row(one)], trump, mode).tolist()
    same = compare.strength([row(one)], trump, mode) == compare.strength([row(two)], trump, mode)
    assert sum(both) == (len(one) == len(two) and not same)


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 5).flatmap(lambda _: st.tuples(hands, hands, hands)), trumps, modes)
def test_beats_is_transitive(three, trump: int, mode: str) -> None:
    for a, b, c in itertools.permutations(map(row, three)):
        if compare.beats([a, b], [b, c], trump, mode).all():
            assert compare.beats([a], [c], trump, mode)[0]


@pytest.mark.rule("WE-10", "WE-11")
@settings(max_examples=300, deadline=None)
@given(hands.filter(lambda cards: len(cards) > 1), trumps, modes)
def test_a_wild_is_never_worse_than_a_card_that_it_may_stand_for(cards: list[int], trump: int, mode: str) -> None:
    for joker in {SMALL_JOKER, BIG_JOKER}.intersection(cards):
        others = cards.copy()
        others.remove(joker)
        instead = [row([*others, card]) for card in range(joker) if others.count(card) < COPIES]
        assert compare.strength([row(cards)], trump, mode)[0] >= compare.strength(instead, trump, mode).max()


@pytest.mark.rule("WE-04")
@settings(max_examples=200, deadline=None)
@given(hands, trumps, modes, st.permutations(range(4)), st.randoms(use_true_random=False))
def test_neither_suits_nor_the_order_of_cards_count(cards, trump: int, mode: str, suits: list[int], draw) -> None:
    other = row([card if card >= SMALL_JOKER else card // 4 * 4 + suits[card % 4] for card in cards])
    draw.shuffle(other)
    one, two = compare.strength([row(cards), other], trump, mode)
    assert one == two


@settings(max_examples=100, deadline=None)
@given(hands.filter(lambda cards: sum(card >= SMALL_JOKER for card in cards) <= 1), trumps, modes)
def test_strength_is_zero_for_what_the_reference_refuses(cards: list[int], trump: int, mode: str) -> None:
    assert (compare.strength([cards], trump, mode)[0] > 0) == (reference(cards, trump, mode) is not None)


# --- arguments ---


def test_a_trump_rank_for_each_row() -> None:
    rows = plays(5)[::4999]
    trumps = 2 + np.arange(len(rows)) % 13
    strengths = np.concatenate([compare.strength([cards], int(trump)) for cards, trump in zip(rows, trumps, strict=True)])
    assert len(set(trumps[strengths > 0])) == 13
    for dtype in (np.uint8, np.int8, np.int64):
        assert np.array_equal(compare.strength(rows, trumps.astype(dtype)), strengths)
    assert np.array_equal(compare.strength(rows.astype(np.int64), trumps.tolist()), strengths)
    assert np.array_equal(compare.strength(rows, trump=np.int8(5)), compare.strength(rows, 5, flush_compare="all"))
    wins = compare.beats(rows[1:], rows[:-1], trumps[1:])
    assert np.array_equal(
        wins, [bool(compare.beats([a], [b], int(t))[0]) for a, b, t in zip(rows[1:], rows, trumps[1:], strict=False)]
    )
    assert compare.strength(np.zeros((0, 5), int), np.zeros(0, int)).shape == (0,)


@pytest.mark.rule("WE-14")
def test_different_sizes_and_what_is_no_play() -> None:
    assert not beats("BJ BJ", "3c")
    assert not beats("3c", "BJ BJ")
    assert not beats("BJ BJ BJ", "3c 4d 5c 6c 7c")
    assert beats("3c", "4c 5c")
    assert not beats("4c 5c", "3c")
    assert not beats("4c 5c", "4c 6c")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], 2), r"cards must have shape \[N, k\] with k from 1 to 5, not \[2\]"),
        (([[1.0]], 2), r"cards must be integers \(card ids\), not float64"),
        (([[0], [54]], 2), r"cards, row 1: 54 is not a card; ids are 0..53, or -1 for none"),
        (([[3, 3, 7, 3, 3]], 2), r"cards, row 0: 2s \(id 3\) occurs 4 times, but at most 3 times in a combination"),
        (([[0], [1]], [2, 15]), r"trump, row 1: 15 is not in 2\.\.14"),
        (([[0]], 1), r"^trump: 1 is not in 2\.\.14"),
        (([[0]], 2.0), r"trump must be integers 2\.\.14, not float64"),
        (([[0]], True), r"trump must be integers 2\.\.14, not bool"),
        (([[0]], None), r"trump must be integers 2\.\.14, not object"),
        (([[0], [1]], [2, 3, 4]), r"trump must be one number or one for each of 2 rows, not of shape \[3\]"),
        (([[0], [1]], [[2], [3]]), r"trump must be one number or one for each of 2 rows, not of shape \[2, 1\]"),
        (([[0]], 2, "best"), r"flush_compare must be one of 'top', 'all', not 'best'"),
        (([[0]], 2, ["all"]), r"flush_compare must be one of 'top', 'all', not \['all'\]"),
    ],
)
def test_bad_input_is_one_clear_error(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare.strength(*arguments)


def test_bad_input_of_beats() -> None:
    with pytest.raises(ValueError, match=r"defence, row 0: SJ .* occurs 4 times"):
        compare.beats([[1]], [[52] * 4], 2)
    with pytest.raises(ValueError, match="attack and defence must have the same number of rows, not 1 and 2"):
        compare.beats([[1]], [[1], [2]], 2)
    with pytest.raises(ValueError, match="trump: 99 is not in"):
        compare.beats([[1]], [[1]], 99)


def test_settings_are_arguments_like_others() -> None:
    assert repr(compare) == "<combinations of wild_escape: strength(cards, trump, flush_compare='all')>"
    for arguments, named in (((), {}), ((2, "all", 3), {}), ((2,), {"trump": 2}), ((2,), {"wilds": 2})):
        with pytest.raises(TypeError, match="argument"):
            compare.strength([[1]], *arguments, **named)
    with pytest.raises(TypeError, match="argument"):
        wilddeck.compare.skin_of_your_teeth.strength([[1]], 2)


def test_the_guide_runs() -> None:
    guide = doctest.testfile(str(ROOT / "docs" / "guides" / "comparators.md"), module_relative=False, encoding="utf-8")
    assert guide.attempted > 5
    assert not guide.failed
