"""Cards as numbers and as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wilddeck import cards


def test_ids() -> None:
    """id = rank * 4 + suit, ranks 2..A, suits clubs, diamonds, hearts, spades; then Jokers, Draw, Reverse, Skip."""
    assert cards.parse("2c 2d 2h 2s 3c Tc 10c As") == [0, 1, 2, 3, 4, 32, 32, 51]
    assert cards.parse("SJ BJ Dr-c Dr-s Rv-c Rv-s Sk-c Sk-s") == [52, 53, 54, 57, 58, 61, 62, 65]
    assert [cards.rank_of(51), cards.suit_of(51), cards.rank_of(0), cards.suit_of(2)] == [12, 3, 0, 2]
    assert len(cards.TEXT) == cards.DECK_66 == len(set(cards.TEXT))


@given(st.lists(st.integers(0, 65)))
def test_text_and_back(ids: list[int]) -> None:
    assert cards.parse(cards.text(ids, joker_kinds=True)) == ids
    assert cards.parse(cards.text(ids, joker_kinds=True).upper().replace(" ", ",  ")) == ids
    assert len(cards.parse(cards.text(ids))) == len(ids)


def test_jokers_of_a_text_take_turns() -> None:
    assert cards.parse("Jk As jk JK") == [52, 51, 53, 52]
    assert cards.text([52, 53]) == "Jk Jk"
    assert cards.text([52, 53], joker_kinds=True) == "SJ BJ"


def test_separators_and_nothing() -> None:
    assert cards.parse(" As,Td ,, 7h\n2c ") == [51, 33, 22, 0]
    assert cards.parse("") == cards.parse("  ") == []
    assert cards.text([]) == ""
    assert cards.text([cards.HIDDEN, 51]) == "?? As"


@pytest.mark.parametrize("word", ["1c", "Ax", "A", "Dr", "Dr-x", "??", "11c", "card"])
def test_what_is_no_card(word: str) -> None:
    with pytest.raises(ValueError, match="is not a card; write rank and suit") as error:
        cards.parse(f"As {word}")
    assert repr(word) in str(error.value)


@pytest.mark.parametrize("number", [66, -2, 1000])
def test_what_is_no_id(number: int) -> None:
    with pytest.raises(ValueError, match=f"{number} is not a card id; ids are 0..65"):
        cards.text([0, number])
