"""What the fields of a record of Skin must agree in, see envs/core/check.py."""

from __future__ import annotations

from typing import Any

from ...core.cards import RANKS, SUITS
from ...core.fields import need
from ...core.kernel import plain
from . import rules
from .state import (
    BANK,
    BANK_NEW,
    BETWEEN,
    CENTRAL,
    DRAWS,
    HOLDS,
    NO_CARD,
    NOBODY,
    NONE_YET,
    OFFER,
    SIDE_AMOUNT,
    SIDE_REPLY,
    SIDE_TARGET,
    STAKE,
    WAITS,
)

_BETTING = (STAKE, BANK, SIDE_TARGET, SIDE_AMOUNT, SIDE_REPLY)
_level_chips = plain(rules.level_chips)


def check(state: Any, legal: Any) -> None:
    need(state.deals <= state.hands, "there are no more hands")
    check_chips(state)
    check_ranks(state)
    if state.over:
        return
    seats = range(state.num_players)
    need(all(state.in_game[k] or state.cash_out or _is_broke(state, k) for k in seats), "a player is out without a reason")
    need((state.proposal > 0) == (state.phase in (BANK, SIDE_REPLY)), "a proposal waits for no answer, or none does")
    need(state.phase in _BETTING or not state.rebid, "nobody bets again")
    if state.phase == BETWEEN:
        need(state.cash_out and not _is_broke(state, state.current_player), "the player to move decides nothing between hands")
        need(sum(state.main) == 0 and sum(map(sum, state.side)) == 0, "bets stand between hands")
        need(state.deals < state.hands, "there are no more hands")
        return
    taking_part = [k for k in seats if state.in_game[k]]
    need(len(taking_part) > 1 and {state.banker, state.current_player} <= {*taking_part}, "too few, or the wrong, take part")
    need(all(state.in_game[k] or not _is_live(state, k) for k in seats), "a player who is out has a card")
    need(
        state.bank != DRAWS and _is_live(state, state.banker) == (state.bank == HOLDS), "the banker's card is not as he stands"
    )
    check_mover(state)


def check_chips(state: Any) -> None:
    n = state.num_players
    for player in range(len(state.chips)):
        idle = not (state.chips[player] or state.main[player] or any(state.side[player]))
        need(player < n or idle, "there are chips of nobody")
        need(
            _is_live(state, player) or state.over or not (state.main[player] or any(state.side[player])), "a bet is on no card"
        )
        for other in range(player + 1):
            same = state.side[player][other] == state.side[other][player]
            need(same and (player != other or not state.side[player][other]), "a side bet has not two equal halves")
    need(not state.main[state.banker], "the banker bets against himself")
    need(sum(state.chips) + 2 * sum(state.main) + sum(map(sum, state.side)) == n * state.stack, "there are not all the chips")


def check_ranks(state: Any) -> None:
    """A rank lies in one place."""
    live = [rank for rank in state.card[: state.num_players] if rank != NO_CARD]
    for rank in range(RANKS):
        need(live.count(rank) + state.central[rank] + state.dead[rank] <= 1, "a rank lies in two places")


def check_mover(state: Any) -> None:
    player, banker = state.current_player, state.banker
    if state.phase == OFFER:
        need(state.turned > 0 and state.bank in (NONE_YET, HOLDS), "there is no card to offer")
        rank = state.deck[state.turned - 1] // SUITS
        need(not (state.central[rank] or state.dead[rank] or rank in state.card), "the card offered is not fresh")
        need(player != banker and not _is_live(state, player), "the player to move can take no card")
    elif state.phase == CENTRAL:
        need(player != banker and not _is_live(state, player) and state.bank == HOLDS, "the player to move can take no card")
        need(state.take_central and any(state.central), "there is no card in the centre")
    elif state.phase == BANK_NEW:
        need(player == banker and state.bank == WAITS and state.bank_new_card, "the bank takes no new card")
    else:
        check_bettor(state)


def check_bettor(state: Any) -> None:
    """Whoever bets, and with whom."""
    bettor, phase, target = state.bettor, state.phase, state.target
    mover = {BANK: state.banker, SIDE_REPLY: target}.get(phase, bettor)
    need(mover == state.current_player, "the player to move is not the one who is asked")
    need(bettor not in (NOBODY, state.banker) and _is_live(state, bettor) and state.bank == HOLDS, "nobody can bet")
    partner = state.banker
    if phase in (SIDE_TARGET, SIDE_AMOUNT, SIDE_REPLY):
        need(state.side_bets, "there are no side bets")
    if phase in (SIDE_AMOUNT, SIDE_REPLY):
        need(target not in (NOBODY, state.banker, bettor) and _is_live(state, target), "nobody is asked for a side bet")
        partner = target
    if phase != SIDE_TARGET:
        least = _level_chips(state, max(state.proposal, 1))
        both = min(state.chips[bettor], state.chips[partner])
        need(state.stack == 0 or least <= both, "a bet is more than a player has")


def _is_live(state: Any, player: int) -> bool:
    return state.card[player] != NO_CARD


def _is_broke(state: Any, player: int) -> bool:
    return state.stack != 0 and state.chips[player] < state.min_bid
