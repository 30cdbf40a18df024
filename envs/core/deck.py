"""Decks given by a caller."""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

import numpy as np

from .game import Game, Options


def checked_deck(game: Game, options: Options, deck: Any) -> np.ndarray:
    """A given deck as uint8 card ids, first card first.

    Raises:
        ValueError: the deck is not a permutation of the game's cards, or cannot be dealt.
    """
    expected = game.deck(options)
    try:
        ids = [operator.index(card) for card in deck]
    except TypeError:
        raise ValueError("a deck is a list of card ids (integers); wilddeck.cards.parse reads text") from None
    if sorted(ids) != sorted(expected):
        raise ValueError(f"not a permutation of the {len(expected)} cards of {game.id}: {_difference(ids, expected)}")
    game.check_deck(options, ids)
    return np.array(ids, np.uint8)


def _difference(ids: list[int], expected: list[int]) -> str:
    missing, extra = Counter(expected) - Counter(ids), Counter(ids) - Counter(expected)
    parts = [f"{len(ids)} cards given"]
    if missing:
        parts.append(f"missing ids {sorted(missing.elements())[:8]}")
    if extra:
        parts.append(f"ids too many or unknown {sorted(extra.elements())[:8]}")
    return ", ".join(parts)
