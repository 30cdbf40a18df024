"""What the fields of a record of poker must agree in, see envs/core/check.py."""

from __future__ import annotations

from typing import Any

from ...core.extended.check import check_extended
from ...core.extended.sets import DRAW, FIRST_SPECIAL, SPECIALS, ids_of, kind_of
from ...core.extended.state import NOBODY
from ...core.fields import need
from ...core.kernel import plain
from .state import BETTING, CARRY, DEALT, DRAWING, FIVE_DRAW, FIVE_STUD, LIMIT, STREETS_OF

_kind_of = plain(kind_of)


def check(state: Any, legal: Any) -> None:
    check_extended(state)
    need(state.deals <= state.hands, "there are no more hands")
    need(state.street < STREETS_OF[state.variant], "the game has not so many streets")
    check_unused(state)
    check_players(state)
    check_chips(state)
    check_cards(state)
    check_muck(state)
    check_raises(state)
    if not state.over:
        check_turn(state)


def seats_of(bits: int) -> set[int]:
    return {seat for seat in range(bits.bit_length()) if bits >> seat & 1}


def check_unused(state: Any) -> None:
    idle = not (state.carry or state.skipped or state.new_turn or state.put_off or state.face_up)
    need(idle and not any((*state.draw, *state.skip, *state.effects, *state.seen_void)), "specials act that nobody played")
    for name in ("chips", "bet", "paid", "saved", "made", "exchanged", "result"):
        need(not any(getattr(state, name)[state.num_players :]), "there is something at a seat that is none")
    for name in ("hand", "up", "gone", "recalled", "old", "revealed"):
        need(not any(map(any, getattr(state, name)[state.num_players :])), "there is something at a seat that is none")


def check_players(state: Any) -> None:
    present, live = seats_of(state.present), seats_of(state.live)
    need(live <= present and state.button in present, "somebody is in the hand who was not dealt in")
    need(len(live) > (0 if state.over else 1), "the hand is over")
    need(not state.shown or (state.over and state.shown == state.live and len(live) > 1), "the wrong hands are shown")
    if not state.over:
        had = {seat for seat in range(state.num_players) if state.chips[seat] + state.paid[seat] > 0}
        need(present == had, "not just those with chips are in the hand")


def check_chips(state: Any) -> None:
    n = state.num_players
    total = sum(state.buy_in[:n])
    need(sum(state.chips) + sum(state.paid) == total, "chips are missing, or there are too many")
    need(not state.over or not (any(state.paid) or any(state.saved)), "the pot is not paid")
    need(all(bet <= paid for bet, paid in zip(state.bet, state.paid, strict=True)), "a bet is not in the pot")
    need(state.highest == max(state.bet), "the highest bet is another")
    need(sum(state.result) == 0, "a hand brought more than it cost")
    first = state.deals == 1 and not state.over
    need(not first or not any(state.result), "there was no hand before")
    if first or (state.stacks != CARRY and not state.over):
        for seat in range(n):
            need(state.chips[seat] + state.paid[seat] == state.buy_in[seat], "a player has not the chips he began with")


def check_cards(state: Any) -> None:
    """No hand and no board may be larger than dealt; each Draw made one of them larger by one."""
    dealt = DEALT[state.variant][: state.street + 1].sum(axis=0).tolist()
    live = seats_of(state.live)
    gone = [sum(state.aside >> k & 1 for k in range(SPECIALS) if _kind_of(FIRST_SPECIAL + k) == kind) for kind in range(3)]
    taken = [sum(of_seat[kind] for of_seat in state.revealed) for kind in range(3)]
    need(all(here <= out for here, out in zip(taken, gone, strict=True)), "a special was revealed that is not aside")
    left, shown = gone[DRAW] - taken[DRAW], 0
    for seat in range(state.num_players):
        hand, up = set(ids_of(state.hand[seat])), set(ids_of(state.up[seat]))
        need(seat in live or not hand, "a player who has folded holds cards")
        need(not up or state.variant >= FIVE_STUD, "a card lies face up")
        need(seat not in live or up <= hand, "an up-card is in no hand")
        more = len(hand) - dealt[0] - dealt[1] - state.revealed[seat][DRAW]
        if state.over:
            shown += max(more, 0)
        else:
            need(more <= 0, "a player has more cards than he was dealt")
    need(shown <= left, "there are more cards than were dealt")
    common = dealt[2] + (state.variant > FIVE_STUD and state.street + 1 == STREETS_OF[state.variant])
    need(state.common_size <= (common + left - shown if common else 0), "there are more cards on the board than dealt")
    need(not any(state.common[state.common_size :]), "a card lies beside the board")


def check_muck(state: Any) -> None:
    muck = set(ids_of(state.refill))
    told: list[int] = []
    for seat in range(state.num_players):
        gone, up = ids_of(state.gone[seat]), ids_of(state.up[seat])
        told += gone + ([] if state.live >> seat & 1 else up)
        down = set(ids_of(state.hand[seat])) - set(up)
        need(down.union(gone).issuperset(ids_of(state.old[seat])), "a card was dealt before the shuffle that is in no hand")
    need(muck.issuperset(told) and len(told) == len(set(told)), "a card that was thrown away is not in the muck")


def check_raises(state: Any) -> None:
    """There can be no more raises than PK-56 says, before or after: each costs a bet at least, but for one a street that nobody
    called, and all-ins."""
    made, street = sum(state.made), state.street
    need(state.raises <= made, "there were fewer raises in the hand than on the street")
    if state.over:
        return
    if state.betting == LIMIT:
        caps = state.raise_cap
        need(state.raises <= caps[street] and made - state.raises <= sum(caps[:street]), "there were too many raises")
    else:
        unit = state.small_bet if state.variant >= FIVE_STUD else state.big_blind
        all_in = sum(state.chips[seat] == 0 for seat in seats_of(state.live))
        need(made <= sum(state.paid) // unit + all_in + street + 1, "there were more raises than chips for them")


def check_turn(state: Any) -> None:
    need(state.turn != NOBODY and state.current_player == state.turn, "the player to move is not the one whose turn it is")
    live, out, paused = seats_of(state.live), seats_of(state.out), seats_of(state.paused)
    able = {seat for seat in live if state.chips[seat] > 0}
    waiting = set(range(state.num_players)) - out
    need(waiting <= (able if state.phase == BETTING else live), "a player has a turn who cannot act")
    need(state.turn in waiting and state.turn not in paused, "the player to move has no turn")
    need(paused <= waiting, "a turn is paused that is over")
    need(seats_of(state.by_skip) <= out & live, "a Skip ended a turn that is not over")
    up = ids_of(state.up[state.turn])
    need(not any(state.staged >> k & 1 for k in range(SPECIALS) if FIRST_SPECIAL + k in up), "an up-card is staged")
    if state.phase == DRAWING:
        need(state.variant == FIVE_DRAW and state.street == 1, "there is no draw now")
        need(not any(state.bet), "there are bets in the draw")
        marks, size = state.marks, len(ids_of(state.hand[state.turn]))
        need(marks == 0 or state.staged == 0, "cards are both staged and marked")
        need(marks.bit_length() < size or marks == 0, "a card is marked that ends the draw")
        need(marks.bit_count() < state.max_discards, "so many cards are not exchanged")
    else:
        need(state.marks == 0, "cards are marked outside the draw")
