"""The stock and the muck of the slow poker, and redealing specials (PK-19, PK-36 to PK-38)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .saying import Sayings, jokers_last

DRAWS, REVERSES, SKIPS = range(54, 58), range(58, 62), range(62, 66)

Shuffle = Callable[[list[int]], list[int]]


def is_special(card: int) -> bool:
    return card >= 54


class NotAskedError(Exception):
    """The muck had to be shuffled, and nobody said how."""


def no_shuffle(cards: list[int]) -> list[int]:
    raise NotAskedError


class Dealing:
    """What a hand of poker does with cards. Its first is the top of the stock."""

    o: Any  # the options
    say: Sayings
    shuffle: Shuffle
    stock: list[int]
    muck: list[int]
    aside: list[int]

    def available(self) -> int:
        return len(self.stock) + len(self.muck)

    def take(self) -> int | None:
        """ED-10, PK-19."""
        if not self.stock and self.muck:
            self.say("shuffle", amount=len(self.muck))
            self.stock = self.shuffle(sorted(self.muck))
            assert sorted(self.stock) == sorted(self.muck)
            self.muck = []
        return self.stock.pop(0) if self.stock else None

    def deal_to(self, cards: list[int], count: int = 1, drawn_by: int | None = None) -> list[int]:
        came = [card for _ in range(count) if (card := self.take()) is not None]
        cards += came
        if came and drawn_by is not None:
            self.say("draw", drawn_by, cards=jokers_last(came))
        return came

    def burn(self) -> None:
        card = self.take() if self.o.burn else None
        if card is not None:
            self.muck.append(card)

    def redeal(self, seat: int, batch: list[int], places: list[list[int]], hidden: bool = False) -> list[int]:
        """A batch of specials, each from the place that holds it, replaced there by others, which it returns (ED-24, ED-33). A
        hidden hand gets them together."""
        where = [next(place for place in places if card in place) for card in batch]
        for card, place in zip(batch, where, strict=True):
            place.remove(card)
            self.aside.append(card)
        came: list[int] = []
        for due in (where, [place for card, place in zip(batch, where, strict=True) if card in DRAWS]):
            if hidden:
                came += self.deal_to(places[0], len(due), drawn_by=seat)
            else:
                came += [card for place in due for card in self.deal_to(place, drawn_by=seat)]
        return came

    def redeal_all(self, seat: int, places: list[list[int]]) -> list[int]:
        """ED-31, ED-32: until none is left in these places that can be replaced. Returns those that were redealt. In a showdown
        they leave one by one."""
        redealt: list[int] = []
        batch = sorted(card for place in places for card in place if is_special(card))
        while batch and self.available():
            batch = batch[: self.available()]
            redealt += batch
            for told in [[card] for card in batch] if len(places) == 2 else [sorted(batch)]:
                self.say("redeal", seat, cards=told)
            batch = [card for card in self.redeal(seat, batch, places) if is_special(card)]
        return redealt
