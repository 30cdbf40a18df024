"""What the zones of a game are to those who draw it, imagine what is hidden in it, or test it."""

from __future__ import annotations

import enum
from collections.abc import Mapping


class ZoneRole(enum.Enum):
    """How the cards of a zone lie. A game declares it of each kind of zone: what its name begins with, up to the first `/`."""

    HAND = "hand"  # a seat holds them in no order; those that are hidden may be any that are
    FAN = "fan"  # as a hand, but in the order in which they lie
    STOCK = "stock"  # face down, as chance has ordered them, the top card first
    HEAP = "heap"  # one upon another, the newest last
    PLAYED = "played"  # in the middle of the table, in front of their seat
    ROW = "row"  # side by side, in front of their seat or, if they have none, in the middle
    KNOWN = "known"  # what a viewer knows to be in the hand of its seat, which lists the others: a row
    MELD = "meld"  # a row of no seat: the number after the name is its own

    @property
    def is_held(self) -> bool:
        """Whether a seat has the cards in hand."""
        return self in (ZoneRole.HAND, ZoneRole.FAN)

    @property
    def is_stack(self) -> bool:
        """Whether only the top card can be seen."""
        return self in (ZoneRole.STOCK, ZoneRole.HEAP)


Roles = Mapping[str, ZoneRole]  # by kind of zone


def kind(zone: str) -> str:
    """`defence/3` -> `defence`."""
    return zone.partition("/")[0]


def owner_of(zone: str, roles: Roles) -> int | None:
    """The seat of a zone: `defence/1/3` -> 1; None of one in the middle."""
    seat = zone.partition("/")[2].partition("/")[0]
    return int(seat) if seat.isdecimal() and role_of(zone, roles) is not ZoneRole.MELD else None


def role_of(zone: str, roles: Roles) -> ZoneRole:
    """How the cards of a zone lie; those of a kind that is not declared in a row."""
    return roles.get(kind(zone), ZoneRole.ROW)
