"""The parts of an action are exactly the ones that its label names."""

from __future__ import annotations

import re
from collections import Counter

from ..envs.core import cards
from ..envs.core.parts import ActionParts
from .cases import Case
from .checks import check, expect, same
from .played import running

_NUMBERS = {word: str(number) for number, word in enumerate(["no", "one", "two", "three", "four", "five", "six"])}
_RANKS = [
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"),
    *("draw", "reverse", "skip"),
]
_OTHERS = {"nil": "0", "on top": "0", "Jokers": "Joker Joker", **dict(zip("CDHS", cards.SUIT_NAMES, strict=True))}
_PLAIN = re.compile(rf"{'|'.join([*cards.RANK_NAMES, *cards.SUIT_NAMES])}|\d+(\.\d+)?")


def named_by(parts: ActionParts, deck: cards.CardSet) -> Counter[str]:
    """The names of the parts, in the plainest form of labels."""
    numbers = (*parts.seats, *parts.amounts, *parts.places, *parts.positions)
    words = deck.text(parts.cards).split() + [cards.RANK_NAMES[rank] for rank in parts.ranks]
    return Counter([*words, *(cards.SUIT_NAMES[suit] for suit in parts.suits), *(f"{number:.15g}" for number in numbers)])


def read_from(parts: ActionParts, deck: cards.CardSet) -> Counter[str]:
    """The same, read from the label after its verb."""
    rest = re.sub(r"/\d", "", parts.text.removeprefix(parts.verb))  # which copy of a card
    rest = re.sub(r"\b([1-7])(NT|[CDHS])\b", r"\1 \2", rest.replace("player_", "player "))
    for word, plain in _OTHERS.items():
        rest = re.sub(rf"\b{word}\b", plain, rest)
    words = []
    for word in re.findall(r"[\w.-]+", rest):
        ranks = [rank for rank, name in enumerate(_RANKS) if word.lower() in (name, f"{name}s", f"{name}es")]
        if parts.verb == "claim" and word in _NUMBERS:
            words.append(_NUMBERS[word])
        elif ranks:
            words.append(cards.RANK_NAMES[ranks[0]])
        elif word in deck.texts or _PLAIN.fullmatch(word):
            words.append(word)
    return Counter(words)


@check("labels", "ACTIONS")
def check_what_a_label_names_is_in_its_parts(case: Case) -> None:
    for env in running(case)[::3]:
        for action in env.legal_actions()[:40]:
            parts = env.action_parts(action)
            same(parts.text, env.action_label(action), f"the text of the parts of action {action} differs from its label", env)
            begins = parts.verb and parts.text.startswith(parts.verb)
            expect(begins, f"the verb {parts.verb!r} of action {action} does not begin its label {parts.text!r}", env)
            read, named = read_from(parts, env.game.cards), named_by(parts, env.game.cards)
            more, less = [*(read - named).elements()], [*(named - read).elements()]
            expect(not more, f"{more} of the label {parts.text!r} are in no part: write them as {{card}}, {{seat}}, ...", env)
            expect(not less, f"{less} are parts of action {action}, but its label {parts.text!r} does not name them", env)
            wrong = f"the label {parts.text!r} has verb {parts.verb!r} and names {parts.named}"
            expect(bool(parts.named) == (parts.verb != parts.text), wrong, env)
