"""The events that a player has perceived, as a linked list of steps, so that moments share their common past."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from ...envs.core.events import Event


class Past(NamedTuple):
    """All events that a player has perceived.

    Attributes:
        length: the number of events.
        digest: the digest of all events, independent of how they are grouped into steps.
        events: the events of the last step.
        text: their sentences.
        before: the past before that step.
    """

    length: int = 0
    digest: bytes = b""
    events: tuple[Event, ...] = ()
    text: str = ""
    before: Past | None = None

    def then(self, events: Sequence[Event]) -> Past:
        """This past with more events; without events it is the same object, so that secret actions leave no trace."""
        if not events:
            return self
        digest, text = functools.reduce(digest_after, events, self.digest), "; ".join(event.text() for event in events)
        return Past(self.length + len(events), digest, tuple(events), text, self)

    def chain(self) -> list[Past]:
        """The pasts that led to this one, oldest first."""
        pasts, past = [], self
        while past.before is not None:
            pasts.append(past)
            past = past.before
        return pasts[::-1]

    def all_events(self) -> list[Event]:
        return [event for past in self.chain() for event in past.events]

    def last_events(self, tokens: int) -> list[Event]:
        """The last events, with at least `tokens` tokens (`envs/core/tokens.py`) if there are as many, oldest first."""
        events: list[Event] = []
        past = self
        while past.before is not None and tokens > 0:
            events = [*past.events, *events]
            tokens -= sum(max(1, len(event.cards)) for event in past.events)
            past = past.before
        return events


def digest_after(digest: bytes, event: Event) -> bytes:
    """The digest of a past after one more event."""
    content = repr((event.kind, event.player, event.cards, event.other, event.amount)).encode()
    return hashlib.blake2b(digest + content, digest_size=16).digest()
