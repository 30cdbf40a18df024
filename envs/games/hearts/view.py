"""The observation, texts and zones of Hearts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.cards import DECK_66, HIDDEN
from ...core.extended.sets import NO_SUIT, ids_of, size_of, write_cards
from ...core.extended.state import NOBODY, TRICKS
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
from ...core.facts import Fact, FactRole, counted, who
from ...core.jit import device_function, plain
from ...core.layout import start
from .rules import receiver_of
from .scoring import card_points
from .state import BY_CLAIM, CLAIM, MATCH, MAX_POINTS, OBSERVATION, PASS, PLAYERS

_HAND_SIZES, _PHASE, _DIRECTION = OBSERVATION.places("hand_sizes", "phase", "pass_dir")
_PASSED, _RECEIVED = OBSERVATION.places("passed", "received")
_WON, _POINTS, _TOTALS, _TRICKS, _BROKEN = OBSERVATION.places("won", "points", "totals", "tricks", "broken")

_OF_POINTS, _OF_TOTAL, _OF_TRICKS = np.float32(1 / MAX_POINTS), np.float32(1 / 100), np.float32(1 / TRICKS)


@device_function
def observe(state, viewer, out):
    observe_extended(state, viewer, out, OF_HAND)
    observe_tricks(state, viewer, out, state.hand[viewer, 0], NO_SUIT)
    if state.phase == PASS and viewer != state.current_player:  # nobody sees an unfinished pass
        mover = np.int64(state.current_player)
        size = size_of(state.hand[mover]) + size_of(state.passed[mover])
        out[start(_HAND_SIZES, PLAYERS) + seat_from(viewer, mover, PLAYERS)] = np.float32(size) * OF_HAND
    out[start(_PHASE, PLAYERS) + np.int64(state.phase)] = 1
    out[start(_DIRECTION, PLAYERS) + np.int64(state.pass_direction)] = 1
    if state.pass_direction > 0:
        write_cards(out, start(_PASSED, PLAYERS), state.passed[viewer])
        if state.phase != PASS:  # HE-05
            giver = (viewer - np.int64(state.pass_direction)) & 3
            write_cards(out, start(_RECEIVED, PLAYERS), state.passed[giver])
    won, points = start(_WON, PLAYERS), start(_POINTS, PLAYERS)
    totals, tricks = start(_TOTALS, PLAYERS), start(_TRICKS, PLAYERS)
    for seat in range(PLAYERS):
        place = seat_from(viewer, seat, PLAYERS)
        out[totals + place] = np.float32(np.int64(state.totals[seat])) * _OF_TOTAL
        if state.tricks[seat] > 0:
            write_cards(out, won + place * DECK_66, state.won[seat])
            out[points + place] = np.float32(card_points(state.won[seat, 0], state.jd_bonus)) * _OF_POINTS
            out[tricks + place] = np.float32(np.int64(state.tricks[seat])) * _OF_TRICKS
    out[start(_BROKEN, PLAYERS)] = state.broken


_DIRECTION_TEXT = ("no pass", "pass to the left", "pass across", "pass to the right")


def play_label(state: Any, place: int) -> str:
    return "pass {card}" if state.phase == PASS else "play {card}"


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    player, deals, opener = int(state.current_player), int(state.deals), int(state.opener)
    facts = [Fact(f"hand {deals}", role=FactRole.COURSE, value=deals)] if state.match == MATCH else []
    facts += [Fact(_DIRECTION_TEXT[int(state.pass_direction)], role=FactRole.DIRECTION), *_declined(state)]
    if state.phase == PASS:
        facts.append(Fact(f"{who(player)} passes to {who(plain(receiver_of)(state, player))}", player))
    elif state.phase == CLAIM:
        facts.append(Fact(f"{who(player)} may claim the lead", player))
    else:
        facts += trick_facts(state)
        if state.opening == BY_CLAIM:
            facts.append(Fact(f"{who(opener)} claimed the lead", opener))
        if state.broken:
            facts.append(Fact("hearts are broken"))
    tricks = Fact("", role=FactRole.TRICKS, value=tuple(map(int, state.tricks)))
    return [*facts, *extended_facts(state), tricks, *(fact for seat in range(PLAYERS) for fact in _score(state, seat))]


def _declined(state: Any) -> list[Fact]:
    chooses = int(state.current_player) if state.phase == CLAIM else int(state.opener) if state.opening == BY_CLAIM else NOBODY
    asked = [seat for seat in range(PLAYERS) if int(state.asked) >> seat & 1]
    return [Fact(f"{who(seat)} declined the lead", seat) for seat in asked if seat != chooses]


def _score(state: Any, seat: int) -> list[Fact]:
    points, total = int(plain(card_points)(state.won[seat][0], state.jd_bonus)), int(state.totals[seat])
    before = [Fact(f"{total} before this hand", seat, FactRole.SCORE, total)] if state.match == MATCH else []
    return [Fact(counted(points, "point"), seat, FactRole.SCORE, points), *before]


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, of which the cards that were passed to it come first; passed/<seat>, until all have passed; pile, top first;
    aside; trick/<seat>; played/<seat>, what they played to earlier tricks; dead, of these the cards of disregarded tricks.

    For others, the cards of an unfinished pass are still in the hand.
    """
    passing = state.phase == PASS
    visible = [] if passing else [pair for pair in _passes(state) if viewer in (None, *pair)]
    by_zone = extended_zones(state, viewer, known={receiver: ids_of(state.passed[giver]) for giver, receiver in visible})
    for seat in range(PLAYERS):
        cards, own = ids_of(state.passed[seat]) if passing else [], viewer in (None, seat)
        begun = passing and seat == state.current_player and not own
        by_zone[f"passed/{seat}"] = []
        by_zone[f"hand/{seat}" if begun else f"passed/{seat}"] += cards if own else [HIDDEN] * len(cards)
    return {**by_zone, **trick_zones(state)}


def _passes(state: Any) -> list[tuple[int, int]]:
    """The receiver of each player's pass; nobody if cards are not passed."""
    return [(giver, int(plain(receiver_of)(state, giver))) for giver in range(PLAYERS) if state.pass_direction > 0]
