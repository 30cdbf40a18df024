"""Shoes of several decks: shuffling, what hands of counts hold, and specials that are redealt face up."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from wilddeck import cards
from wilddeck.envs.core.extended import shoe
from wilddeck.envs.core.extended.sets import DRAW, REVERSE, SKIP
from wilddeck.envs.core.fields import Field
from wilddeck.envs.core.game import as_record, as_records, record_dtype

RECORD = record_dtype(2, shoe.SHOE, [*shoe.shoe_fields(), Field("hand", "u1", (66,))])


def table(decks: int = 2, standard: int = 0, hand: str = "", pile: str | None = None) -> np.ndarray:
    """A shoe with these cards left, or all of them in order, and a hand."""
    record = np.zeros(1, RECORD)
    record["decks"], record["standard"], record["seed"] = decks, standard, 7
    records = as_records(record)
    shoe.shuffle_shoe(records[0])
    shoe.open_shoe(records[0])
    if pile is not None:
        pile_cards = cards.parse(pile)
        record["deck"][0][: len(pile_cards)] = pile_cards
        record["pile_end"] = len(pile_cards)
    record["hand"][0] = counts(hand)
    return records


def counts(text: str) -> np.ndarray:
    return np.bincount(cards.parse(text) if text else [], minlength=66).astype(np.uint8)


def hand(records: np.ndarray) -> list[int]:
    return shoe.listed(records["hand"][0])


def redeal(records: np.ndarray) -> tuple[int, int]:
    """How many Reverses and Skips were redealt."""
    reverses, skips = shoe.redeal_shown(records[0], records["hand"][0], 0)
    return int(reverses), int(skips)


@pytest.mark.parametrize(("decks", "standard", "size"), [(1, 1, 52), (1, 0, 66), (8, 0, 528), (3, 1, 156)])
def test_a_shoe_holds_each_card_as_often_as_there_are_decks(decks: int, standard: int, size: int) -> None:
    records = table(decks, standard)
    copies = Counter(shoe.pile_of(as_record(records)))
    assert len(copies) * decks == size == shoe.shoe_size(records[0]) and set(copies.values()) == {decks}
    assert shoe.pile_of(as_record(records)) != sorted(copies.elements()), "shuffled"

    options = SimpleNamespace(deck="standard" if standard else "extended", decks=decks)
    assert Counter(shoe.shoe_of(options)) == copies


def test_what_was_used_or_redealt_comes_back_with_the_shuffle() -> None:
    records = table(hand="2c 2c Sk-h")
    shoe.put_aside(records[0], records["hand"][0], cards.parse("Sk-h")[0], 1, 0)
    shoe.use_up(records[0], records["hand"][0])
    assert shoe.listed(records["used"][0]) == cards.parse("2c 2c") and hand(records) == []
    assert shoe.aside_of(as_record(records)) == cards.parse("Sk-h")
    shoe.open_shoe(records[0])
    assert not records["used"].any() and not records["aside"].any() and records["pile_at"][0] == 0


def test_what_a_hand_holds() -> None:
    records = table(hand="SJ BJ BJ Dr-c Dr-c Rv-d Sk-s 4c 4c 4h")
    held = records["hand"][0]
    assert (shoe.cards_in(held), shoe.jokers_in(held), shoe.specials_in(held)) == (10, 3, 4)
    assert [shoe.kinds_in(held, kind) for kind in (DRAW, REVERSE, SKIP)] == [2, 1, 1]
    assert [shoe.open_suits(held, rank) for rank in (2, 3)] == [2, 4], "copies bar one suit"


@pytest.mark.rule("ED-31", "ED-32")
def test_chains() -> None:
    """Dr-c 2c, Sk-c Rv-c, then Dr-c's second card 3c; Rv-c Dr-d; Dr-d 4c 5c."""
    records = table(hand="Sk-c Dr-c 7h", pile="2c Rv-c 3c Dr-d 4c 5c 6c")
    assert redeal(records) == (1, 1)
    assert hand(records) == cards.parse("2c 3c 4c 5c 7h")
    assert shoe.aside_of(as_record(records)) == cards.parse("Dr-c Dr-d Rv-c Sk-c")
    assert shoe.pile_of(as_record(records)) == cards.parse("6c") and not records["deck"][0][:6].any()


@pytest.mark.rule("ED-33")
@pytest.mark.parametrize(
    ("pile", "left", "counted"),
    [
        ("", "Dr-c Rv-c Sk-c", (0, 0)),
        ("2c", "2c Rv-c Sk-c", (0, 0)),  # the lowest first
        ("2c 3c 4c", "2c 3c 4c", (1, 1)),  # and no second card of the Draw
        ("2c Sk-d 4c", "2c 4c Sk-d", (1, 1)),
        ("2c 3c 4c 5c", "2c 3c 4c 5c", (1, 1)),
    ],
)
def test_a_shoe_that_runs_out(pile: str, left: str, counted: tuple[int, int]) -> None:
    records = table(hand="Dr-c Rv-c Sk-c", pile=pile)
    assert redeal(records) == counted
    assert hand(records) == sorted(cards.parse(left))


def slowly(held: list[int], pile: list[int]) -> tuple[list[int], list[int], Counter[int]]:
    """The hand, the pile and the kinds that were redealt, card by card."""
    held, pile, kinds = list(held), list(pile), Counter[int]()
    batch = sorted(card for card in held if card >= 54)
    while batch and pile:
        batch = batch[: len(pile)]
        for card in batch:
            held.remove(card)
            kinds[(card - 54) // 4] += 1
        new = [pile.pop(0) for _ in range(min(len(pile), len(batch) + sum(card < 58 for card in batch)))]
        held += new
        batch = [card for card in new if card >= 54]
    return sorted(held), pile, kinds


@pytest.mark.rule("ED-09", "ED-31", "ED-32", "ED-33")
def test_random_hands_beside_a_slow_redeal() -> None:
    draw = random.Random(4)
    deck: list[Any] = [*range(54, 66)] * 3 + [*range(10)] * 2
    for _ in range(400):
        records = table(3)
        draw.shuffle(deck)
        size = draw.randrange(6)
        held, pile = deck[:size], deck[size : size + draw.randrange(len(deck) - size)]
        records["hand"][0] = np.bincount(held, minlength=66)[:66]
        records["deck"][0] = 0
        records["deck"][0][: len(pile)], records["pile_end"] = pile, len(pile)
        expected, left, kinds = slowly(held, pile)
        assert redeal(records) == (kinds[REVERSE], kinds[SKIP])
        assert hand(records) == expected and shoe.pile_of(as_record(records)) == left
        assert len(shoe.aside_of(as_record(records))) == kinds.total()


def test_gathering_what_nobody_has_seen() -> None:
    records = table(1)
    records["pile_at"] = 60
    count = np.zeros(66, np.int64)
    count[[3, 9, 60]] = 2, 1, 3
    assert shoe.gather_pile(records[0], count) == 6
    assert records["deck"][0][60:66].tolist() == [3, 3, 9, 60, 60, 60]
