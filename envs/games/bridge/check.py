"""What the fields of a record of bridge must agree in, see envs/core/check.py."""

from __future__ import annotations

from typing import Any

from ...core.extended.check import check_dealt, check_tricks
from ...core.fields import need
from .state import BID, DOUBLE, DUPLICATE, PLAYERS, REDOUBLE, SIDES, STRAINS


def check(state: Any, legal: Any) -> None:
    check_tricks(state)
    check_calls(state)
    need(state.deals <= (1 if state.scoring == DUPLICATE else state.max_deals), "there are no more deals")
    need(sum(state.tricks) <= state.tricks_done, "more tricks were won than played")
    need(sum(map(int.bit_count, state.dealt)) == _union(state.dealt).bit_count(), "a card was dealt twice")
    if state.over:
        return
    need(max(state.games) < 2, "the rubber has been won")
    need(state.scoring != DUPLICATE or state.total == [0] * SIDES, "a single deal begins with no points")
    bids = _union(state.calls[BID])
    if state.question == 0:
        check_dealt(state)
        need(state.face_up == 0, "dummy's hand lies face up in the auction")
        need(state.passes < (PLAYERS - 1 if bids else PLAYERS), "the auction has ended")
        return
    need(bids and state.passes == PLAYERS - 1, "the auction has not ended in a contract")
    declarer = _declarer(state, bids.bit_length() - 1)
    dummy = (declarer + SIDES) % PLAYERS
    need(state.face_up == 1 << dummy, "the hand that lies face up is not dummy's")
    need(state.current_player == (declarer if state.turn == dummy else state.turn), "the player to move is not the one to play")


def check_calls(state: Any) -> None:
    """Every bid was made by one player at most, doubled by one, and redoubled by one."""
    calls = [_union(row) for row in state.calls]
    for row, union in zip(state.calls, calls, strict=True):
        need(sum(map(int.bit_count, row)) == union.bit_count(), "two players made one call")
    need(calls[DOUBLE] & ~calls[BID] == 0 and calls[REDOUBLE] & ~calls[DOUBLE] == 0, "a bid was doubled that was not made")


def _declarer(state: Any, bid: int) -> int:
    """BR-13."""
    caller = next(seat for seat in range(PLAYERS) if state.calls[BID][seat] >> bid & 1)
    side = (caller, (caller + SIDES) % PLAYERS)
    of_strain = sum(1 << each for each in range(bid % STRAINS, bid + 1, STRAINS))
    firsts = [state.calls[BID][seat] & of_strain for seat in side]
    return min((bids & -bids, seat) for bids, seat in zip(firsts, side, strict=True) if bids)[1]


def _union(sets: list[int]) -> int:
    found = 0
    for each in sets:
        found |= each
    return found
