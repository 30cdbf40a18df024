"""The observation, texts and zones of President."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.bits import count_bits
from ...core.cards import DECK_66, RANK_TEXT, RANKS, SUITS
from ...core.events import DECLARE, GIVE, OUT, PASS, PLAY, RANKED, SCORE, TRICK_WON, EventKind
from ...core.extended.events import EXTENDED_EVENTS
from ...core.extended.sets import ids_of, write_bits, write_cards
from ...core.extended.state import NOBODY
from ...core.extended.view import SHARES, extended_facts, extended_zones, observe_extended, seat_from
from ...core.facts import Fact, FactRole, counted, who
from ...core.jit import device_function, plain
from ...core.layout import start
from . import exchange
from .exchange import exchanges, giver_of, receiver_of
from .state import (
    CITIZEN,
    EXCHANGE,
    FIRST_KIND,
    OBSERVATION,
    PRESIDENT,
    SCUM,
    SET_CARDS,
    UNIT,
    VICE_PRESIDENT,
    VICE_SCUM,
    WITH_VICES,
    set_text,
)
from .table import in_order, order_of

_TABLE, _SPECIAL, _COUNT, _JOKERS, _LAST = OBSERVATION.places("rank", "special", "count", "jokers", "last")
_PASSED, _BARRED, _PLACE, _ROLES = OBSERVATION.places("passed", "barred", "place", "roles")
_PLAYED, _GIVEN, _RECEIVED = OBSERVATION.places("played", "given", "received")
_TOTALS, _PHASE = OBSERVATION.places("totals", "phase")
_SETS, _UNSEEN, _HIGHER = OBSERVATION.places("sets", "unseen", "higher")
_RANK = np.uint64(15)  # four bits
_OF_HAND = np.float32(1 / UNIT)
_ROLES_IN_ALL = SCUM + 1


@device_function
def role_of(place, n):
    """PR-09."""
    if place == 1:
        return PRESIDENT
    if place == n:
        return SCUM
    if n >= WITH_VICES and place == 2:
        return VICE_PRESIDENT
    return VICE_SCUM if n >= WITH_VICES and place == n - 1 else CITIZEN


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    observe_extended(state, viewer, out, _OF_HAND)
    if state.last != NOBODY:
        observe_table(state, viewer, out)
    of_place = np.float32(1 / n)
    place_at, roles, played, totals = start(_PLACE, n), start(_ROLES, n), start(_PLAYED, n), start(_TOTALS, n)
    for seat in range(n):
        position = seat_from(viewer, seat, n)
        out[place_at + position] = np.float32(state.place[seat]) * of_place
        if state.before[seat] > 0:
            out[roles + position * _ROLES_IN_ALL + role_of(np.int64(state.before[seat]), n)] = 1
        write_cards(out, played + position * DECK_66, state.played[seat])
    if state.match:
        of_total = np.float32(1 / np.int64(state.target))
        for seat in range(n):
            out[totals + seat_from(viewer, seat, n)] = np.float32(np.int64(state.totals[seat])) * of_total
    for pair in range(exchanges(state)):
        one, two = receiver_of(state, pair), giver_of(state, pair)
        if viewer in (one, two):
            write_cards(out, start(_GIVEN, n), state.given[viewer])
            write_cards(out, start(_RECEIVED, n), state.given[one if viewer == two else two])
    out[start(_PHASE, n) + np.int64(state.phase)] = 1
    observe_sets(state, viewer, out)


@device_function
def observe_sets(state, viewer, out):
    """The own sets, the cards that others may hold, and how many ranks above each set may beat it."""
    n, seen = np.int64(state.num_players), state.hand[viewer, 0]
    for seat in range(n):
        seen |= state.played[seat, 0]
    held, unseen = in_order(state.hand[viewer, 0], state.twos_high), in_order(~seen, state.twos_high)
    for cards in range(1, SET_CARDS + 1):
        higher, place = 0, RANKS - 1
        while place >= 0:
            entry = place * SET_CARDS + cards - 1
            if count_bits(held >> np.uint64(SUITS * place) & _RANK) >= cards:
                out[start(_SETS, n) + entry] = 1
                out[start(_HIGHER, n) + entry] = SHARES[higher]
            if count_bits(unseen >> np.uint64(SUITS * place) & _RANK) >= cards:
                out[start(_UNSEEN, n) + entry] = 1
                higher += 1
            place -= 1


@device_function
def observe_table(state, viewer, out):
    n, table = np.int64(state.num_players), np.int64(state.table)
    if table < FIRST_KIND:
        out[start(_TABLE, n) + order_of(table, state.twos_high)] = 1
    else:
        out[start(_SPECIAL, n) + table - FIRST_KIND] = 1
    out[start(_COUNT, n) + np.int64(state.table_cards) - 1] = 1
    out[start(_JOKERS, n) + np.int64(state.table_jokers)] = 1
    out[start(_LAST, n) + seat_from(viewer, np.int64(state.last), n)] = 1
    write_seats(out, start(_PASSED, n), np.int64(state.passed), viewer, n)
    write_seats(out, start(_BARRED, n), np.int64(state.barred), viewer, n)


@device_function
def write_seats(out, offset, seats, viewer, n):
    """Seats, as bits, clockwise from the viewer."""
    turned = (seats >> viewer | seats << (n - viewer)) & ((1 << n) - 1)
    write_bits(out, offset, np.uint64(turned))


# --- text and zones ---

_ROLE_TEXT = ("President", "Vice-President", "citizen", "Vice-Scum", "Scum")


def _role(place: int, options: Any) -> str:
    return _ROLE_TEXT[int(plain(role_of)(place, options.num_players))]


EVENTS = (
    *EXTENDED_EVENTS,
    EventKind(GIVE, "cards go to another player in the exchange; these two see them (PR-40, PR-41)",
              "{player} gives {cards} to {other}"),
    EventKind(PLAY, "a set is played, or specials are led (PR-05, PR-13)", "{player} plays {cards}"),
    EventKind(DECLARE, "the rank of Jokers played alone (PR-10)", "{player} declares the rank {amount}",
              words=RANK_TEXT),
    EventKind(PASS, "a pass, of a player who was asked or not (PR-25)", "{player} passes"),
    EventKind(TRICK_WON, "nobody goes on; the player of the last set wins the trick (PR-07)", "{player} wins the trick"),
    EventKind(OUT, "a player has no cards left; the amount is their place (PR-08, PR-09)",
              "{player} is out of cards: {amount}", words=_role),
    EventKind(RANKED, "the player left over when the deal ends; the amount is their place (PR-09)",
              "{player} is left with cards: {amount}", words=_role),
    EventKind(SCORE, "points of a deal of a match (PR-42)", "{player} scores {amount} point{s}"),
)  # fmt: skip


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    player, deals = int(state.current_player), int(state.deals)
    facts = [Fact(f"deal {deals}", role=FactRole.COURSE, value=deals)] if state.match else []
    if state.terminated:
        facts.append(Fact("the episode is over"))
    elif state.phase == EXCHANGE:
        facts.append(Fact(f"{who(player)} gives a card back", player))
    elif state.last == NOBODY:
        facts.append(Fact(f"{who(player)} leads", player, FactRole.LEAD))
    else:
        play = set_text(int(state.table), int(state.table_cards), int(state.table_jokers))
        facts.append(Fact(f"on the table: {play} of {who(state.last)}", int(state.last), FactRole.TO_BEAT, play))
    return [*facts, *extended_facts(state), *_notes(state)]


def _notes(state: Any) -> list[Fact]:
    """The facts about each seat."""
    n, notes = int(state.num_players), []
    for seat in range(n):
        before, place, points = int(state.before[seat]), int(state.place[seat]), int(state.totals[seat])
        if before:
            notes.append(Fact(_ROLE_TEXT[int(plain(role_of)(before, n))], seat, FactRole.TITLE))
        if state.match:
            notes.append(Fact(counted(points, "point"), seat, FactRole.SCORE, points))
        if place:
            notes.append(Fact(f"place {place}", seat, FactRole.OUT, place))
        if int(state.barred) >> seat & 1:
            notes.append(Fact("out of the trick", seat, FactRole.OUT))
        elif int(state.passed) >> seat & 1:
            notes.append(Fact("passed", seat, FactRole.OUT))
    return notes


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, cards given to it first; pile, top first; aside; played/<seat>, in this deal."""
    visible = [pair for pair in gifts(state) if viewer in (None, *pair)]
    by_zone = extended_zones(state, viewer, known={receiver: ids_of(state.given[giver]) for giver, receiver in visible})
    for seat in range(int(state.num_players)):
        by_zone[f"played/{seat}"] = ids_of(state.played[seat])
    return by_zone


def gifts(state: Any) -> list[tuple[int, int]]:
    """Who gives cards to whom in this deal."""
    pairs = []
    for pair in range(plain(exchanges)(state)):
        above, below = (_seat_at(state, place) for place in (1 + pair, int(state.num_players) - pair))
        pairs += [(above, below), (below, above)]
    return pairs


def _seat_at(state: Any, place: int) -> int:
    return int(plain(exchange.seat_at)(state, place))
