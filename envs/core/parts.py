"""The labels of actions, as text and as data. Labels are composed from their parts and never parsed."""

from __future__ import annotations

import functools
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import cards


@dataclass(frozen=True)
class Part:
    """Words of a label, and the objects that they name; words that name nothing belong to the verb.

    Attributes:
        text: the words.
        cards: card ids; if a game's two Jokers are alike, any Joker may be 52.
        ranks: 0..12 for 2..A, 13, 14, 15 for Draw, Reverse, Skip, 16 for a Joker; repeated as often as named.
        suits: 0..3 for clubs, diamonds, hearts, spades.
        seats: players.
        amounts: chips, tricks, numbers of cards, ...
        places: numbers of piles or melds.
        positions: positions of cards in a hand or pack.
    """

    text: str
    cards: tuple[int, ...] = ()
    ranks: tuple[int, ...] = ()
    suits: tuple[int, ...] = ()
    seats: tuple[int, ...] = ()
    amounts: tuple[float, ...] = ()
    places: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()

    @property
    def named(self) -> dict[str, tuple[Any, ...]]:
        """The named objects by field, without empty fields."""
        return {field: getattr(self, field) for field in _FIELDS if getattr(self, field)}


@dataclass(frozen=True)
class ActionParts(Part):
    """The meaning of an action, as its label (`text`) and as data: everything that the label names, in order.

    Attributes:
        verb: the words before the first named object, such as "play", "raise to", "ask player".
    """

    verb: str = ""

    @property
    def rest(self) -> str:
        """The label without the verb, or the whole label if nothing remains."""
        return self.text[len(self.verb) :].strip() or self.text

    def to_json(self, deck: cards.CardSet = cards.EXTENDED) -> dict[str, Any]:
        """The verb and the named objects in JSON types, cards as text."""
        words = {"cards": [deck.text([card]) for card in self.cards]} if self.cards else {}
        return {"verb": self.verb, **self.named, **words}


_FIELDS = ("cards", "ranks", "suits", "seats", "amounts", "places", "positions")


class Label(NamedTuple):
    """A label that depends on more than the action's index in its block: a template, and the values of its parts."""

    template: str
    values: Mapping[str, Any]


# The parts that every label can use, and their default values.
VALUES: dict[str, Sequence[int]] = {
    "card": range(cards.DECK_66),
    "rank": range(cards.RANKS),
    "suit": range(cards.SUITS),
    "seat": range(1, 128),  # clockwise from the acting player
    "amount": range(1 << 16),
    "place": range(1 << 16),
    "position": range(1 << 16),
}


@functools.lru_cache(maxsize=4096)
def pieces(template: str) -> tuple[tuple[str, str | None], ...]:
    """The template as pairs of words and the name of the part that follows (None at the end)."""
    return tuple((words, name) for words, name, _, _ in string.Formatter().parse(template))


def compose(template: str, values: Mapping[str, Any], state: Any, deck: cards.CardSet) -> ActionParts:
    """The parts of an action in a record, from its template and the values of the parts."""
    text, verb = "", None
    named: dict[str, tuple[Any, ...]] = {}
    for words, name in pieces(template):
        text += words
        if name is None:
            continue
        value = values[name]
        if name == "seat" and not isinstance(value, Part):
            value = (int(state.current_player) + value) % int(state.num_players)
        part = value if isinstance(value, Part) else _part(name, value, deck)
        if part.named and verb is None:
            verb = text.rpartition(" ")[0]
        text += part.text
        for field, of_part in part.named.items():
            named[field] = named.get(field, ()) + of_part
    return ActionParts(text, verb=text if verb is None else verb, **named)


@functools.lru_cache(maxsize=4096)
def _part(name: str, value: Any, deck: cards.CardSet) -> Part:
    if isinstance(value, str):
        return Part(value)
    if name == "card":
        return Part(deck.text([value]), cards=(value,))
    if name == "rank":
        return Part(cards.RANK_NAMES[value], ranks=(value,))
    if name == "suit":
        return Part(cards.SUIT_NAMES[value], suits=(value,))
    field = f"{name}s" if name in VALUES else "amounts"
    return Part(f"{value:.15g}", **{field: (value,)})
