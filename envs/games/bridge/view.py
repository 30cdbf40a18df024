"""The observation, texts and zones of bridge."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.bits import lowest_bit
from ...core.extended.sets import NO_SUIT, ONE, ZERO, write_cards
from ...core.extended.view import (
    OF_HAND,
    extended_facts,
    extended_zones,
    observe_extended,
    observe_tricks,
    seat_from,
    trick_facts,
    trick_zones,
)
from ...core.facts import Fact, FactRole, who
from ...core.jit import device_function, plain
from ...core.layout import start
from ...core.seats import clockwise
from .auction import declarer_of, doubling_of, last_bid, opening_passes, strain_of
from .rules import exposed, in_play, trump_of
from .score import is_vulnerable, level_of
from .state import BIDS, DUPLICATE, NO_BID, OBSERVATION, PLAYERS, SIDES, STRAIN_TEXT, STRAINS

_PHASE, _OPENING_PASSES, _BIDS, _PASSES = OBSERVATION.places("phase", "opening_passes", "bids", "passes")
_LEVEL, _STRAIN, _DOUBLING, _DECLARER = OBSERVATION.places("level", "strain", "doubling", "declarer")
_VULNERABLE, _DEALER, _DUMMY, _EXPOSED = OBSERVATION.places("vulnerable", "dealer", "dummy", "exposed")
_FOR_DUMMY, _TRICKS, _GAMES, _BELOW = OBSERVATION.places("for_dummy", "tricks", "games", "below")
_TOTAL = OBSERVATION.at("total")

_OF_TRICKS, _HALF = np.float32(1 / 13), np.float32(1 / 2)
_OF_BELOW, _OF_TOTAL = np.float32(1 / 100), np.float32(1 / 1000)


@device_function
def observe(state, viewer, out):
    observe_extended(state, viewer, out, OF_HAND)
    observe_tricks(state, viewer, out, playable(state, viewer), trump_of(state) if in_play(state) else NO_SUIT)
    observe_auction(state, viewer, out)
    if last_bid(state) == NO_BID:
        out[start(_LEVEL, PLAYERS)] = 1
    else:
        observe_contract(state, viewer, out)
    out[start(_DEALER, PLAYERS) + seat_from(viewer, np.int64(state.dealer), PLAYERS)] = 1
    for place in range(SIDES):
        side = (viewer + place) & 1
        out[start(_VULNERABLE, PLAYERS) + place] = is_vulnerable(state, side)
        if state.scoring != DUPLICATE:
            out[start(_GAMES, PLAYERS) + place] = np.float32(state.games[side]) * _HALF
            out[start(_BELOW, PLAYERS) + place] = np.float32(state.below[side]) * _OF_BELOW
            out[start(_TOTAL, PLAYERS) + place] = np.float32(state.total[side]) * _OF_TOTAL


@device_function
def playable(state, viewer):
    """The suited cards of the viewer's hand; for declarer also those of dummy, once face up (BR-20)."""
    cards = state.hand[viewer, 0]
    if in_play(state) and exposed(state) and viewer == declarer_of(state):
        cards |= state.hand[clockwise(np.int64(viewer), 2, PLAYERS), 0]
    return cards


@device_function
def observe_auction(state, viewer, out):
    out[start(_PHASE, PLAYERS) + np.int64(in_play(state))] = 1
    for k in range(opening_passes(state)):
        seat = clockwise(np.int64(state.dealer), k, PLAYERS)
        out[start(_OPENING_PASSES, PLAYERS) + seat_from(viewer, seat, PLAYERS)] = 1
    for kind in range(3):
        for seat in range(PLAYERS):
            bids, offset = state.calls[kind, seat], start(_BIDS, PLAYERS) + kind * PLAYERS + seat_from(viewer, seat, PLAYERS)
            while bids != ZERO:
                out[offset + lowest_bit(bids) * 3 * PLAYERS] = 1
                bids &= bids - ONE
    out[start(_PASSES, PLAYERS) + min(np.int64(state.passes), 3)] = 1


@device_function
def observe_contract(state, viewer, out):
    bid, declarer = last_bid(state), declarer_of(state)
    out[start(_LEVEL, PLAYERS) + level_of(bid)] = 1
    out[start(_STRAIN, PLAYERS) + strain_of(bid)] = 1
    out[start(_DOUBLING, PLAYERS) + doubling_of(state, bid)] = 1
    out[start(_DECLARER, PLAYERS) + seat_from(viewer, declarer, PLAYERS)] = 1
    if not in_play(state):
        return
    tricks = start(_TRICKS, PLAYERS)
    out[tricks] = np.float32(state.tricks[declarer & 1]) * _OF_TRICKS
    out[tricks + 1] = np.float32(state.tricks[1 - (declarer & 1)]) * _OF_TRICKS
    if exposed(state):
        dummy = clockwise(declarer, 2, PLAYERS)
        out[start(_EXPOSED, PLAYERS)] = 1
        write_cards(out, start(_DUMMY, PLAYERS), state.hand[dummy])
        out[start(_FOR_DUMMY, PLAYERS)] = viewer == declarer and state.turn == dummy


# --- text and zones ---

_SIDE_TEXT = ("North-South", "East-West")
_SEAT_TEXT = ("North", "East", "South", "West")
_CALL_TEXT = ("", "X", "XX")


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    dealer, calls = int(state.dealer), _calls(state)
    lines = [[Fact(f"{who(dealer)} deals", dealer, FactRole.DEALER), _vulnerable(state), *_rubber(state)], calls]
    if state.face_up:
        dummy, contract = int(state.face_up).bit_length() - 1, calls[-1].value
        declarer = (dummy + 2) % PLAYERS
        calls.append(Fact(f"{who(declarer)} is declarer", declarer, FactRole.CONTRACT, contract))
        calls.append(Fact(f"{who(dummy)} dummy", dummy, FactRole.TITLE, sep=", "))
        won = ", ".join(f"{side} {int(tricks)}" for side, tricks in zip(_SIDE_TEXT, state.tricks, strict=True))
        of_seats = tuple(int(state.tricks[seat % SIDES]) for seat in range(PLAYERS))
        lines.append([Fact(f"tricks: {won}", role=FactRole.TRICKS, value=of_seats), *trick_facts(state)])
        if state.turn == dummy:
            lines[2].append(Fact("dummy is to play"))
        lines.append(extended_facts(state))
    lines.append([Fact("", seat, FactRole.TITLE, name) for seat, name in enumerate(_SEAT_TEXT)])
    lines.append([Fact("", dealer, FactRole.AUCTION, " ".join(_auction(state)))])
    return [fact._replace(sep=fact.sep if k else "\n") for facts in lines for k, fact in enumerate(facts)]


def _vulnerable(state: Any) -> Fact:
    if state.scoring == DUPLICATE:
        sides = [side for side in range(SIDES) if int(state.vulnerability) >> side & 1]
    else:
        sides = [side for side in range(SIDES) if state.games[side]]
    return Fact(f"vulnerable: {' and '.join(_SIDE_TEXT[side] for side in sides) or 'nobody'}", role=FactRole.LEVEL)


def _rubber(state: Any) -> list[Fact]:
    if state.scoring == DUPLICATE:
        return []
    scores = {"games": state.games, "below the line": state.below, "points": state.total}
    course = Fact(f"deal {int(state.deals)}", role=FactRole.COURSE, value=int(state.deals))
    return [course, *(Fact(f"{name} {int(two[0])}:{int(two[1])}", role=FactRole.SCORE) for name, two in scores.items())]


def _calls(state: Any) -> list[Fact]:
    """The bids in order, each with the player who doubled it."""
    calls_made = []
    for bid in range(BIDS):
        callers = [[seat for seat in range(PLAYERS) if int(calls[seat]) >> bid & 1] for calls in state.calls]
        if callers[0]:
            called = _bid_text(bid)
            verbs = zip((called, "doubled", "redoubled"), callers, strict=True)
            said = " ".join(f"{verb} by {who(seats[0])}" for verb, seats in verbs if seats)
            doubles = "x" * sum(bool(seats) for seats in callers[1:])
            calls_made.append(Fact(said, role=FactRole.BID, value=called + doubles))
    return calls_made


def _auction(state: Any) -> list[str]:
    """All calls, with passes for the players between two bids or doubles."""
    calls, seat = [], int(state.dealer)
    for bid in range(BIDS):
        for kind, callers in enumerate(state.calls):
            caller = next((caller for caller in range(PLAYERS) if int(callers[caller]) >> bid & 1), None)
            if caller is not None:
                calls += ["pass"] * ((caller - seat) % PLAYERS) + [_CALL_TEXT[kind] or _bid_text(bid)]
                seat = caller + 1
    return calls + ["pass"] * int(state.passes)


def _bid_text(bid: int) -> str:
    return f"{bid // STRAINS + 1}{STRAIN_TEXT[bid % STRAINS]}"


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, dummy's visible to all once it is face up; pile, aside; trick/<seat>, played/<seat>, dead."""
    face_up = int(state.face_up) if plain(exposed)(state) else 0
    return {**extended_zones(state, viewer, face_up), **trick_zones(state)}
