"""Cards as small integers and as text.

A `CardSet` defines the ids of a game. By default, and in the games of this package, they are:
id = rank * 4 + suit for the 52 standard cards, rank 0..12 = 2..A, suit 0..3 = clubs, diamonds, hearts, spades;
52, 53 the Jokers; 54..57 Draw, 58..61 Reverse, 62..65 Skip, each of clubs, diamonds, hearts, spades.

As text: `As Td 7h 2c` (`10d` is accepted as input, but not written),
`Jk` (if the two Jokers differ, `SJ` = 52 and `BJ` = 53), `Dr-h Rv-c Sk-s`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

RANKS = 13
SUITS = 4
STANDARD = RANKS * SUITS  # ids below are standard cards
SMALL_JOKER, BIG_JOKER = 52, 53
DECK_54 = 54
DECK_66 = 66
HIDDEN = -1  # in place of the id of a hidden card

RANK_TEXT = "23456789TJQKA"
SUIT_TEXT = "cdhs"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
SUIT_SYMBOLS = "♣♦♥♠"
SPECIAL_TEXT = ("Dr", "Rv", "Sk")
RANK_NAMES = (*RANK_TEXT, *SPECIAL_TEXT, "Joker")  # of all cards, by `rank_number`
JOKER_RANK = RANK_NAMES.index("Joker")
# A card in a text: rank and suit, a Joker, or hidden cards.
IN_TEXT = re.compile(r"(?<![\w-])(?:(10|[2-9TJQKA]|Dr-|Rv-|Sk-)([cdhs])|(Jk|SJ|BJ)|(\?\?(?: x\d+)?))(?![\w])")

TEXT = (
    *(rank + suit for rank in RANK_TEXT for suit in SUIT_TEXT),
    "SJ",
    "BJ",
    *(f"{special}-{suit}" for special in SPECIAL_TEXT for suit in SUIT_TEXT),
)
_ID = {name.lower(): card for card, name in enumerate(TEXT)} | {f"10{suit}": 32 + k for k, suit in enumerate(SUIT_TEXT)}


def rank_of(card: int) -> int:
    """Rank 0..12 (2..A) of a standard card id."""
    return card // SUITS


def rank_number(card: int) -> int:
    """As `rank_of`, but also 13, 14, 15 for Draw, Reverse, Skip, and 16 for Jokers."""
    if card < STANDARD:
        return rank_of(card)
    return JOKER_RANK if card < DECK_54 else RANKS + (card - DECK_54) // SUITS


def suit_of(card: int) -> int:
    """Suit 0..3 (clubs, diamonds, hearts, spades) of a standard card id."""
    return card % SUITS


def parse(text: str) -> list[int]:
    """Card ids of a text such as `"As 10d Jk Dr-h"`; separators are spaces and commas, case does not matter.

    A first `Jk` is card 52, a second 53, a third 52 again, and so on.

    Raises:
        ValueError: a word is not a card; the message names it.
    """
    ids = []
    jokers = 0
    for word in re.split(r"[\s,]+", text.strip()) if text.strip() else []:
        if word.lower() == "jk":
            ids.append(SMALL_JOKER + jokers % 2)
            jokers += 1
        elif word.lower() in _ID:
            ids.append(_ID[word.lower()])
        else:
            raise ValueError(f"{word!r} is not a card; write rank and suit (2c ... Td ... As), Jk, SJ, BJ, or Dr-h, Rv-c, Sk-s")
    return ids


def text(ids: Iterable[int], joker_kinds: bool = False) -> str:
    """Text of card ids, separated by spaces; a hidden card (-1) is `??`.

    Jokers are `Jk`, or `SJ` and `BJ` with `joker_kinds`.

    Raises:
        ValueError: a number is not a card id.
    """
    return (EXTENDED if joker_kinds else ALIKE_JOKERS).text(ids)


@dataclass(frozen=True, eq=False)
class CardSet:
    """The cards of a game: the text and picture of each id.

    A card with the text of a built-in card (`7h`, `SJ`, `Dr-c`) is drawn and read aloud as that card; ids with the same text
    are copies of the same card. Other cards are drawn as their text, unless `picture(pen, card)` draws them
    (`render/pictures.py` defines pens), and are read aloud by their `names`.

    Args:
        texts: one word without a hyphen per id, for at most 255 cards.
        names: the name in words per id.

    Raises:
        ValueError: there are too many cards, or a text is not one word.
    """

    texts: tuple[str, ...]
    names: tuple[str, ...] = ()
    picture: Callable[[Any, int], None] | None = None

    def __post_init__(self) -> None:
        wrong = [word for word in self.texts if word not in _STANDARD_NUMBERS and not re.fullmatch(r"[^\s,;:.?-]+", word)]
        if wrong:
            raise ValueError(f"the text of a card must be one word without signs between its letters, not {wrong[0]!r}")
        if not 0 < len(self.texts) <= MOST_IDS:
            raise ValueError(f"a game must have 1 to {MOST_IDS} cards, not {len(self.texts)}")
        if self.names and len(self.names) != len(self.texts):
            raise ValueError(f"`names` must have {len(self.texts)} entries, one per card, not {len(self.names)}")

    def __len__(self) -> int:
        return len(self.texts)

    def text(self, ids: Iterable[int]) -> str:
        """Text of card ids, separated by spaces; a hidden card (-1) is `??`.

        Raises:
            ValueError: a number is not a card id.
        """
        return " ".join(map(self._word, ids))

    def _word(self, card: int) -> str:
        if not HIDDEN <= card < len(self.texts):
            raise ValueError(f"{card!r} is not a card id; ids are 0..{len(self.texts) - 1}, or -1 for a hidden card")
        return "??" if card == HIDDEN else self.texts[card]

    def standard(self, card: int) -> int:
        """The id of the built-in card with the same text, or -1."""
        return _STANDARD_NUMBERS.get(self.texts[card], -1)

    def rank(self, card: int) -> int:
        """As `rank_number`; a card that is not built in has its own rank."""
        number = self.standard(card)
        return len(RANK_NAMES) + card if number < 0 else rank_number(number)

    def suit(self, card: int) -> int:
        """0..3 for clubs, diamonds, hearts, spades, or -1 for a card without a suit."""
        number = self.standard(card)
        return -1 if number in (-1, SMALL_JOKER, BIG_JOKER) else (number - (0 if number < STANDARD else DECK_54)) % SUITS

    def name(self, card: int) -> str:
        """A card's name in words: "10 of clubs"."""
        if self.names:
            return self.names[card]
        word, suit = self.texts[card], self.suit(card)
        return _JOKER_NAMES.get(word, word) if suit < 0 else f"{_RANKS_IN_WORDS[self.rank(card)]} of {SUIT_NAMES[suit]}"

    @functools.cached_property
    def alike(self) -> frozenset[int]:
        """All cards with the same text."""
        return frozenset(card for card, word in enumerate(self.texts) if self.texts.count(word) > 1)


MOST_IDS = 255
_STANDARD_NUMBERS = {"Jk": SMALL_JOKER, **{word: card for card, word in enumerate(TEXT)}}
_JOKER_NAMES = {"Jk": "Joker", "SJ": "small Joker", "BJ": "big Joker"}
_RANKS_IN_WORDS = (*RANK_TEXT[:8], "10", "Jack", "Queen", "King", "Ace", "Draw", "Reverse", "Skip")
EXTENDED = CardSet(TEXT)
ALIKE_JOKERS = CardSet(tuple("Jk" if word in _JOKER_NAMES else word for word in TEXT))  # both Jokers are alike
