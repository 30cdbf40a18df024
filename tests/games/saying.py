"""What a slow reference says happens, beside the events of the game."""

from __future__ import annotations

from typing import Any

from wilddeck import cards as texts


class Sayings:
    """All that happens in a reference, which calls it in order: with the kind of what happens, who does it, and what else it
    knows of that: `cards`, ids or texts, `other`, `amount`; `...` for one of these that it cannot know. What it does not name
    there is not: no card, no other, an amount that is the number of cards."""

    def __init__(self) -> None:
        self.said: list[dict[str, Any]] = []

    def __call__(self, kind: str, player: int | None = None, **parts: Any) -> None:
        if "cards" in parts:
            parts["cards"] = tuple(texts.parse(card)[0] if isinstance(card, str) else int(card) for card in parts["cards"])
        unnamed = {"cards": (), "other": None, "amount": len(parts.get("cards", ()))}
        self.said.append({"kind": kind, "player": player, **unnamed, **parts})

    def compare(self, env: Any) -> None:
        """What was said is what has happened."""
        events = env.history()
        for event, said in zip(events, self.said, strict=False):
            known = {name: part for name, part in said.items() if part is not ...}
            assert {name: getattr(event, name) for name in known} == known, event.text()
        assert len(events) == len(self.said)


def jokers_last(ids: Any) -> list[int]:
    """Cards in the order in which events name a set of them."""
    return sorted(ids, key=lambda card: (card in (52, 53), card))
