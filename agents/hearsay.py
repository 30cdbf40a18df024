"""What a seat may be told of the moves of others: labels that name no card it has not seen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ..envs.core import cards
from ..envs.core.aec import CardGameEnv
from ..envs.core.game import as_record

# A card in a text: rank and suit, a Joker, or hidden cards.
CARD = re.compile(r"(?<![\w-])(?:(10|[2-9TJQKA]|Dr-|Rv-|Sk-)([cdhs])|(Jk|SJ|BJ)|(\?\?(?: x\d+)?))(?![\w])")


class Hearsay:
    """The moves of others as a seat is told them: when a turn is complete, for only then has the seat seen what it shows.

    What is told follows from what the seat sees before and after the turn and from `Game.public_label` of its actions.

    Attributes:
        mover: the seat whose turn is being noted, None if there is nothing to tell.
    """

    def __init__(self, viewer: str) -> None:
        self.viewer = viewer
        self.mover: int | None = None
        self._heard: list[str] = []
        self._before: tuple[dict[str, list[int]], str] = {}, ""

    def note(self, env: CardGameEnv, action: int) -> None:
        """The player to move is about to play this."""
        if self.mover is None:
            self.mover, self._before = env.current_player, self._sight(env)
        text = env.game.public_label(as_record(env.record), action)
        if text is not None:
            self._heard.append(text)

    def lines(self, env: CardGameEnv) -> list[tuple[int, str]]:
        """The turn that was noted, in lines, each with its seat; to be asked for before another player moves."""
        if self.mover is None:
            return []
        before, after = self._before, self._sight(env)
        visible = seen(self._heard, before[0], after[0], _named(after[1]) - _named(before[1]))
        lines = [text for text, is_visible in zip(self._heard, visible, strict=True) if is_visible]
        if lines:
            came = _on_table(after[0]) - _on_table(before[0]) - _named(" ".join(lines))
            if came:
                lines[-1] += f" ({' '.join(sorted(came.elements(), key=cards.parse))})"
        secret = visible.count(False)
        if secret:
            lines.insert(0, "makes a move you cannot see" if secret == 1 else f"makes {secret} moves you cannot see")
        mover, self.mover, self._heard = self.mover, None, []
        return [(mover, line) for line in lines]

    def _sight(self, env: CardGameEnv) -> tuple[dict[str, list[int]], str]:
        return env.zones(self.viewer), env.describe(self.viewer)


def seen(
    labels: Sequence[str],
    before: dict[str, list[int]],
    after: dict[str, list[int]],
    said: Counter[str] | None = None,
) -> list[bool]:
    """Which of another's actions a viewer may be told, from the viewer's zones before and after them.

    A label may be told if each card it names arrived somewhere in sight (or is `said` in words), and so many of it as all
    labels together name: of two equal cards the one that was shown might not be the one that is named.
    """
    named = [_named(label) for label in labels]
    arrived: Counter[str] = Counter()
    for zone, ids in after.items():
        arrived += Counter(map(_card_name, ids)) - Counter(map(_card_name, before.get(zone, [])))
    del arrived[_card_name(cards.HIDDEN)]
    arrived |= said or Counter()
    named_cards: Counter[str] = sum(named, Counter())
    return [all(named_cards[card] <= arrived[card] for card in label_cards) for label_cards in named]


def _named(text: str) -> Counter[str]:
    """The cards that are named in a text."""
    parts = (match.groups() for match in CARD.finditer(text))
    return Counter(f"{rank.replace('10', 'T')}{suit}" if suit else "Jk" for rank, suit, joker, _ in parts if suit or joker)


def _on_table(zones: dict[str, list[int]]) -> Counter[str]:
    """The cards in sight outside of hands."""
    ids = [card for zone, held in zones.items() if not zone.startswith("hand/") for card in held if card != cards.HIDDEN]
    return Counter(map(_card_name, ids))


def _card_name(card: int) -> str:
    return cards.text([card])
