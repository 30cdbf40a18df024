"""Choosing one or several actions by text: the number in the list (`#3`), a label, its cards, or an unambiguous part of it.
A bare number is always part of a label, in every game: `7` means `play 7`, and nothing if no label has a 7."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..envs.core import cards
from ..envs.core.parts import ActionParts

_SYMBOLS = {ord(symbol): letter for symbol, letter in zip(cards.SUIT_SYMBOLS, cards.SUIT_TEXT, strict=True)}
_CARDS = frozenset(text.lower() for text in (*cards.TEXT, "Jk"))
_TRIES = 200  # the maximal number of positions tried for a line of several steps


def words_of(text: str) -> list[str]:
    """Lower-case words without punctuation, cards in one notation: `10♥,` is `th`, `Dr♥` is `dr-h`; `all-in` is two words."""
    bare = (word.strip(".,;:()[]") for word in re.split(r"[\s,]+", text.translate(_SYMBOLS).lower()))
    words = (re.sub(r"^10(?=[cdhs]$)", "t", word) for word in bare if word)
    words = (re.sub(r"^(dr|rv|sk)(?=[cdhs]$)", r"\1-", word) for word in words)
    return [part for word in words for part in ([word] if word in _CARDS else word.split("-")) if part]


@dataclass(frozen=True)
class Choice:
    """A legal action, its number in the list (from 1) and its parts."""

    number: int
    action: int
    parts: ActionParts
    deck: cards.CardSet = cards.EXTENDED

    @property
    def label(self) -> str:
        return self.parts.text

    @cached_property
    def words(self) -> list[str]:
        return words_of(self.label)

    @cached_property
    def cards(self) -> Counter[str]:
        """The cards in its label, as written there."""
        return Counter(self.deck.text([card]).lower() for card in self.parts.cards)

    @cached_property
    def group(self) -> str:
        """The name of its group of actions: `attack, 2 cards`."""
        verb, count = self.parts.verb or "play", len(self.parts.cards)
        return f"{verb}, {count} card{'s' if count > 1 else ''}" if count else verb


class Choices:
    """The legal actions of a decision.

    Attributes:
        gone: the cards that earlier steps of the same line took from the hand.
    """

    def __init__(
        self, actions: Iterable[tuple[int, ActionParts]], gone: Iterable[str] = (), cards: cards.CardSet = cards.EXTENDED
    ) -> None:
        self.gone = Counter(card.lower() for card in gone)
        self.all = [Choice(number, action, parts, cards) for number, (action, parts) in enumerate(actions, 1)]

    def groups(self) -> dict[str, list[Choice]]:
        """The choices by group."""
        groups: dict[str, list[Choice]] = {}
        for choice in self.all:
            groups.setdefault(choice.group, []).append(choice)
        return groups

    def name(self, choice: Choice) -> str:
        """Its number, as typed."""
        return f"#{choice.number}"

    def find(self, text: str) -> list[Choice]:
        """The choices that a text can mean, by the first of these criteria that matches any: the number; the whole label; its
        words in another order; exactly its cards; some of its words; beginnings of its words."""
        number = re.fullmatch(r"#\s*(\d+)", text.strip())
        if number:
            return [choice for choice in self.all if choice.number == int(number[1])]
        typed = words_of(text)
        matches = self._by_words(typed)
        return matches or self._by_words(["t" if word == "10" else word for word in typed])

    def _by_words(self, typed: list[str]) -> list[Choice]:
        if not typed:
            return []
        words = Counter(typed)
        hand = Counter(word for word in typed if word in _CARDS)
        tests = (
            lambda choice: choice.words == typed,
            lambda choice: Counter(choice.words) == words,
            lambda choice: bool(hand) and choice.cards == hand and _begins(typed, choice.words),
            lambda choice: words <= Counter(choice.words),
            lambda choice: _begins(typed, choice.words),
        )
        for test in tests:
            matches = [choice for choice in self.all if test(choice)]
            if matches:
                return matches
        return []

    def near(self, text: str, count: int = 3) -> list[Choice]:
        """Choices whose labels are similar to a mistyped text, best match first."""
        typed = " ".join(words_of(text))
        labels: dict[str, Choice] = {}
        for choice in self.all:
            labels.setdefault(" ".join(choice.words), choice)
            labels.setdefault(" ".join(choice.cards.elements()) or choice.words[-1], choice)
        near = [labels[label] for label in difflib.get_close_matches(typed, labels, 2 * count, 0.5)]
        return list(dict.fromkeys(near))[:count]


def find_steps(text: str, ahead: Callable[[list[int]], Choices]) -> tuple[list[Choice], list[str]]:
    """The sequence of choices named by a line (`meld 7c 7d 7h`); consecutive cards may be in any order. The line may also name
    cards of forced moves.

    Args:
        text: the line.
        ahead: the choices after these actions; none if the next decision is another player's or not yet known.

    Returns:
        The steps that are unambiguous, and the words that remain.
    """
    words, left = words_of(text), _TRIES
    farthest: tuple[list[Choice], list[str]] = [], words
    before = {choice.label for choice in ahead([]).all}

    def search(path: list[Choice], rest: list[str], group: str, named: Counter[str]) -> list[Choice] | None:
        nonlocal farthest, left
        if not rest:
            return path
        if not left:
            return None
        left -= 1
        choices = ahead([choice.action for choice in path])
        if choices.all and len(rest) < len(farthest[1]):
            farthest = path, rest
        for choice, others, kind in _first_steps(rest, choices, group, before if choices.gone else set()):
            done = search([*path, choice], others, kind, named + choice.cards)
            if done is not None:
                return done
        unnamed = rest[0] in choices.gone - named
        return search(path, rest[1:], group, named + Counter(rest[:1])) if unnamed else None

    done = search([], words, "", Counter()) if len(words) > 1 else None
    return farthest if done is None else (done, [])


def _first_steps(words: list[str], choices: Choices, group: str, before: set[str]) -> Iterator[tuple[Choice, list[str], str]]:
    """The possible first steps of a line: the choice, the remaining words, and the group if it is only a card.

    A card without a verb continues the current move, so that no card is discarded that was meant to be melded: after another
    card it is of the same group, and after a complete move it is not one of the actions `before`.
    """
    run = next((place for place, word in enumerate(words) if word not in _CARDS), len(words))

    def clear(part: list[str], bare: bool) -> list[Choice]:
        matches = choices.find(" ".join(part))
        fits = len(matches) == 1 and not (bare and (matches[0].group != group if group else matches[0].label in before))
        return matches if fits else []

    for size in range(len(words), 1 if run else 0, -1):
        for choice in clear(words[:size], size <= run) if not words[0].isdecimal() else []:
            yield choice, words[size:], ""
    alone = [(choice, place) for place in range(run) for choice in clear(words[place : place + 1], True)]
    for choice, place in sorted(alone, key=lambda item: item[0].number):
        yield choice, words[:place] + words[place + 1 :], choice.group


def _begins(typed: Sequence[str], words: Sequence[str]) -> bool:
    """Whether each typed word begins a word of its own. Cards and numbers are not abbreviated."""
    left = list(words)
    for word in typed:
        whole = word in _CARDS or word.isdecimal()
        match = next((other for other in left if other == word or (not whole and other.startswith(word))), None)
        if match is None:
            return False
        left.remove(match)
    return True
