"""The contents of a picture: a game as one viewer sees it, sorted by seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..cards import EXTENDED, HIDDEN, CardSet
from ..events import TRICK_WON, Event
from ..facts import Fact, lines, status
from ..game import Game
from ..units import Unit
from ..zones import Roles, ZoneRole, kind, owner_of, role_of

Cards = tuple[int, ...]
Lying = tuple[tuple[str, ZoneRole], ...]

TRICK = "trick"  # the zone for played cards in a game without one
_TRICK_ENDS = frozenset({"trick_won", "set_aside"})  # in trick games; cards set aside were won by nobody


@dataclass(frozen=True)
class Scene:
    """A game as `viewer` sees it (None: the whole truth). Two scenes are equal when nothing visible differs.

    Attributes:
        facts: the facts about the state (`facts.py`).
        names: the agents by seat.
        seats: the zones of each seat, without the seat's number: `hand`, `pile`, `defence/3`; hidden cards are -1.
        common: the zones without a seat.
        roles: how the cards of each kind of zone lie.
        to_move: the seat to move, -1 when the game is over.
        returns: the returns by seat at the end of the game, None before.
        cards: the cards that the ids stand for.
        unit: the unit in which people count returns.
    """

    title: str
    facts: tuple[Fact, ...]
    names: tuple[str, ...]
    seats: tuple[dict[str, Cards], ...]
    common: dict[str, Cards]
    to_move: int
    returns: tuple[float, ...] | None
    viewer: int | None = None
    cards: CardSet = EXTENDED
    roles: Roles = field(default_factory=dict)
    unit: Unit = Unit("point")

    @classmethod
    def of(cls, env: Any, viewer: str | None = None) -> Scene:
        """The scene of an environment, wrapped or not.

        Raises:
            RuntimeError: before `reset`.
            ValueError: no agent is called `viewer`.
        """
        env = env.unwrapped
        if getattr(env, "agent_selection", None) is None:
            raise RuntimeError("call reset() before render()")
        names = tuple(env.possible_agents)
        if viewer is not None and viewer not in names:
            raise ValueError(f"no agent {viewer!r} to look through; agents: {', '.join(names)}")
        seats, common = by_seat(env.zones(viewer), len(names), env.game.zone_roles)
        over = not env.agents or any(env.terminations.values()) or any(env.truncations.values())
        return cls(
            title=f"{env.game.title}, {len(names)} players",
            facts=tuple(env.facts(viewer)),
            names=names,
            seats=seats,
            common=common,
            to_move=-1 if over else env.current_player,
            returns=tuple(env.returns.values()) if over else None,
            viewer=None if viewer is None else names.index(viewer),
            cards=env.game.cards,
            roles=env.game.zone_roles,
            unit=env.game.unit_of(env.options),
        )

    def with_trick(self, game: Game, events: Sequence[Event]) -> Scene:
        """The scene with the last finished trick and its winner, which are no longer in the record, until the next card is
        played or dealt.

        Args:
            events: the events that the viewer has perceived.
        """
        if all(declared.kind != TRICK_WON for declared in game.events):
            return self
        plays, winner = _trick(events, self.viewer)
        place = next((name for name, role in self.roles.items() if role is ZoneRole.PLAYED), TRICK)
        seats = tuple(
            {**zones, place: plays[seat]} if plays.get(seat) and not zones.get(place) else zones
            for seat, zones in enumerate(self.seats)
        )
        roles = {**self.roles, place: ZoneRole.PLAYED}
        first = [fact._replace(sep="\n") for fact in self.facts[:1] if fact.line is None]
        facts = (Fact(winner), *first, *self.facts[len(first) :]) if winner else self.facts
        return replace(self, seats=seats, roles=roles, facts=facts)

    def role(self, zone: str) -> ZoneRole:
        """How the cards of a zone lie."""
        return role_of(zone, self.roles)

    @property
    def results(self) -> tuple[str, ...]:
        """Results in words, by seat, at the end of the game; empty before."""
        return tuple(self.unit.text(returned) for returned in self.returns or ())

    def has_won(self, seat: int) -> bool:
        """Whether, at the end of the game, nobody has more than the seat and somebody has less."""
        return self.returns is not None and self.returns[seat] == max(self.returns) > min(self.returns)

    @property
    def lying(self) -> tuple[Lying, Lying]:
        """How the cards of seats' zones lie (for all zones that any seat has), and those of the zones without a seat."""
        of_seats = dict.fromkeys(zone for zones in self.seats for zone in zones)
        return tuple((zone, self.role(zone)) for zone in of_seats), tuple((zone, self.role(zone)) for zone in self.common)

    @property
    def status(self) -> str:
        """The facts as text."""
        return status(self.facts)

    @property
    def headline(self) -> str:
        """The part of the status about the game as a whole, in one line."""
        return "  |  ".join(text for seat, text in lines(self.facts) if seat is None)

    @property
    def notes(self) -> dict[int, str]:
        """The parts of the status about single seats."""
        return {seat: text for seat, text in lines(self.facts) if seat is not None}

    @property
    def kinds(self) -> list[str]:
        """The kinds of the seats' zones, in order of appearance."""
        return list(dict.fromkeys(kind(zone) for zones in self.seats for zone in zones))


def _trick(events: Sequence[Event], viewer: int | None) -> tuple[dict[int | None, Cards], str]:
    """The last card of each seat in the trick in progress, or before its first card in the previous trick, and who won that
    one."""
    plays: dict[int | None, Cards] = {}
    winner = ""
    for event in events:
        if event.kind == "hand" or (winner and event.kind == "play"):
            plays, winner = {}, ""
        if event.kind == "play":
            plays[event.player] = event.cards
        elif event.kind in _TRICK_ENDS:
            winner = event.text(viewer)
    return plays, winner


def by_seat(
    zones: dict[str, list[int]], num_players: int, roles: Roles
) -> tuple[tuple[dict[str, Cards], ...], dict[str, Cards]]:
    """The zones of each seat, and those without a seat."""
    seats: tuple[dict[str, Cards], ...] = tuple({} for _ in range(num_players))
    common: dict[str, Cards] = {}
    for name, ids in zones.items():
        seat = owner_of(name, roles)
        cards = tuple(sorted(ids, key=_hidden_last)) if role_of(name, roles) is ZoneRole.HAND else tuple(ids)
        if seat is not None and seat < num_players:
            seats[seat][name.replace(f"/{seat}", "", 1)] = cards
        else:
            common[name] = cards
    return seats, common


def _hidden_last(card: int) -> tuple[bool, int]:
    return card == HIDDEN, card
