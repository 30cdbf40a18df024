"""The roles and names of a game's zones, for drawing, sampling hidden cards and tests."""

from __future__ import annotations

import enum
from collections.abc import Mapping


class ZoneRole(enum.Enum):
    """How the cards of a zone lie. A game declares it for each kind of zone; the kind is the part of the name before the first
    `/`."""

    HAND = "hand"  # unordered cards held by a seat; hidden ones may be any hidden cards
    FAN = "fan"  # as a hand, but in a fixed order
    STOCK = "stock"  # face down in random order, the top card first
    HEAP = "heap"  # one on top of another, the newest last
    PLAYED = "played"  # played cards, in the middle of the table in front of their seat
    ROW = "row"  # side by side, in front of their seat or, without a seat, in the middle
    KNOWN = "known"  # cards that a viewer knows to be in the hand of its seat, which lists the others: a row
    MELD = "meld"  # a row without a seat: the number in its name is its own

    @property
    def is_held(self) -> bool:
        """Whether a seat holds the cards in its hand."""
        return self in (ZoneRole.HAND, ZoneRole.FAN)

    @property
    def is_stack(self) -> bool:
        """Whether only the top card is visible."""
        return self in (ZoneRole.STOCK, ZoneRole.HEAP)


Roles = Mapping[str, ZoneRole]  # by kind of zone


def kind(zone: str) -> str:
    """The kind of a zone: `defence/3` -> `defence`."""
    return zone.partition("/")[0]


def owner_of(zone: str, roles: Roles) -> int | None:
    """The seat of a zone: `defence/1/3` -> 1; None for a zone in the middle."""
    seat = zone.partition("/")[2].partition("/")[0]
    return int(seat) if seat.isdecimal() and role_of(zone, roles) is not ZoneRole.MELD else None


def role_of(zone: str, roles: Roles) -> ZoneRole:
    """How the cards of a zone lie; in a row if its kind is not declared."""
    return roles.get(kind(zone), ZoneRole.ROW)
