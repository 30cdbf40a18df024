"""Choosing an action by text: a number, a label, the cards in it, or enough of it to be clear."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..envs.core import cards

_SYMBOLS = {ord(symbol): letter for symbol, letter in zip(cards.SUIT_SYMBOLS, cards.SUIT_TEXT, strict=True)}
_CARDS = frozenset({*(text.lower() for text in cards.TEXT), "jk"})
_RANKS = frozenset(cards.RANK_TEXT.lower())


def words_of(text: str) -> list[str]:
    """Lower-case words without punctuation, cards in one way of writing: `10♥,` is `th`."""
    words = [word.strip(".,;:()[]") for word in re.split(r"[\s,]+", text.translate(_SYMBOLS).lower())]
    return [re.sub(r"^10(?=[cdhs]$)", "t", word) for word in words if word]


@dataclass(frozen=True)
class Choice:
    """A legal action, its place in the list (from 1) and its label."""

    number: int
    action: int
    label: str

    @cached_property
    def words(self) -> list[str]:
        return words_of(self.label)

    @cached_property
    def cards(self) -> Counter[str]:
        """The cards in the label."""
        return Counter(word for word in self.words if word in _CARDS)

    @cached_property
    def group(self) -> str:
        """What such actions are called together: `attack, 2 cards`."""
        rest = " ".join(word for word in self.words if word not in _CARDS and word not in _RANKS and not word.isdecimal())
        count = sum(self.cards.values())
        return rest or "play" if not count else f"{rest or 'play'}, {count} card{'s' if count > 1 else ''}"


class Choices:
    """The legal actions of a decision.

    Attributes:
        plain_numbers: whether a bare number means a place in the list. Not so where labels contain numbers ("play 7"):
            there `#3` does, and `7` is part of a label.
    """

    def __init__(self, labels: Iterable[tuple[int, str]]) -> None:
        self.all = [Choice(number, action, label) for number, (action, label) in enumerate(labels, 1)]
        self.plain_numbers = not any(word.isdecimal() for choice in self.all for word in choice.words)

    def groups(self) -> dict[str, list[Choice]]:
        """The choices by kind."""
        found: dict[str, list[Choice]] = {}
        for choice in self.all:
            found.setdefault(choice.group, []).append(choice)
        return found

    def name(self, choice: Choice) -> str:
        """The number to type."""
        return str(choice.number) if self.plain_numbers else f"#{choice.number}"

    def find(self, text: str) -> list[Choice]:
        """The choices a text can mean, by the first of these ways that finds any: the number; the whole label; its words in
        another order; exactly its cards; some of its words; beginnings of its words."""
        number = re.fullmatch(r"#?\s*(\d+)", text.strip())
        if number and (self.plain_numbers or text.strip().startswith("#")):
            return [choice for choice in self.all if choice.number == int(number[1])]
        typed = words_of(text)
        found = self._by_words(typed)
        return found or self._by_words(["t" if word == "10" else word for word in typed])

    def _by_words(self, typed: list[str]) -> list[Choice]:
        if not typed:
            return []
        wanted = Counter(typed)
        hand = Counter(word for word in typed if word in _CARDS)
        tests = (
            lambda choice: choice.words == typed,
            lambda choice: Counter(choice.words) == wanted,
            lambda choice: bool(hand) and choice.cards == hand and _begins(typed, choice.words),
            lambda choice: wanted <= Counter(choice.words),
            lambda choice: _begins(typed, choice.words),
        )
        for test in tests:
            found = [choice for choice in self.all if test(choice)]
            if found:
                return found
        return []

    def near(self, text: str, count: int = 3) -> list[Choice]:
        """Choices whose labels look like a mistyped text, the likeliest first."""
        typed = " ".join(words_of(text))
        labels: dict[str, Choice] = {}
        for choice in self.all:
            labels.setdefault(" ".join(choice.words), choice)
            labels.setdefault(" ".join(choice.cards.elements()) or choice.words[-1], choice)
        found = [labels[label] for label in difflib.get_close_matches(typed, labels, 2 * count, 0.5)]
        return list(dict.fromkeys(found))[:count]


def _begins(typed: Sequence[str], words: Sequence[str]) -> bool:
    """Whether each typed word begins a word of its own. Cards and numbers are not abbreviated."""
    left = list(words)
    for word in typed:
        whole = word in _CARDS or word.isdecimal()
        match = next((each for each in left if each == word or (not whole and each.startswith(word))), None)
        if match is None:
            return False
        left.remove(match)
    return True
