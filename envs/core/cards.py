"""Cards as small integers and as text.

id = rank * 4 + suit for the 52 standard cards, rank 0..12 = 2..A, suit 0..3 = clubs, diamonds, hearts, spades;
52, 53 the Jokers; 54..57 Draw, 58..61 Reverse, 62..65 Skip, each of clubs, diamonds, hearts, spades.
As text, everywhere: `As Td 7h 2c` (`10d` is understood, never written),
`Jk` (where the two Jokers differ, `SJ` = 52 and `BJ` = 53), `Dr-h Rv-c Sk-s`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

RANKS = 13
SUITS = 4
STANDARD = RANKS * SUITS  # ids below are standard cards
SMALL_JOKER, BIG_JOKER = 52, 53
DECK_54 = 54
DECK_66 = 66
HIDDEN = -1  # a card that is there but cannot be seen

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
    """As `rank_of`, and 13, 14, 15 for Draws, Reverses, Skips, 16 for Jokers."""
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
        ValueError: a word is no card; the message names it.
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
            raise ValueError(f"{word!r} is no card; write rank and suit (2c ... Td ... As), Jk, SJ, BJ, or Dr-h, Rv-c, Sk-s")
    return ids


def text(ids: Iterable[int], joker_kinds: bool = False) -> str:
    """Text of card ids, separated by spaces; a hidden card (-1) is `??`.

    Jokers are `Jk`, or `SJ` and `BJ` with `joker_kinds`.

    Raises:
        ValueError: a number is no card id.
    """
    words = []
    for card in ids:
        if card == HIDDEN:
            words.append("??")
        elif not 0 <= card < len(TEXT):
            raise ValueError(f"{card!r} is no card id; ids are 0..{len(TEXT) - 1}, or -1 for a hidden card")
        elif card in (SMALL_JOKER, BIG_JOKER) and not joker_kinds:
            words.append("Jk")
        else:
            words.append(TEXT[card])
    return " ".join(words)
