"""What the fields of a record of crazy eights must agree in, see envs/core/check.py."""

from __future__ import annotations

from typing import Any

from ...core.extended.check import check_extended, is_joker
from ...core.extended.sets import RANK, SUIT, ids_of
from ...core.extended.state import NOBODY
from ...core.fields import need
from .state import DECLARE, EIGHT, NOMINATE, PLAY, TWO

_NOTHING = [0, 0]


def check(state: Any, legal: Any) -> None:
    check_extended(state)
    need(state.turn != NOBODY, "it is nobody's turn")
    need(state.out == 0 and state.face_up == 0 and state.put_off == 0, "a player is out, or his hand lies face up")
    need(not (state.carry or any(state.effects) or any(state.draw)), "a special that was played has not acted")
    need(not (state.new_turn or state.skipped), "a turn has not begun")
    need(not any(state.seen_void), "a hand is known to lack a suit")
    check_pile(state)
    check_top(state)
    check_memory(state)
    for seat in range(len(state.drawn)):
        open_turn = seat == state.turn or state.paused >> seat & 1
        need(open_turn or state.drawn[seat] == 0, "a player has drawn cards in no turn")
    if not state.over:
        check_turn(state)


def check_pile(state: Any) -> None:
    need(state.discards == _NOTHING if state.reshuffle else state.refill == _NOTHING, "discards lie where they do not belong")
    empty = state.pile_at == state.pile_end
    need(state.over or not empty or state.refill == _NOTHING, "the pile was not made anew")  # CE-22
    need(not state.passes or empty, "passes count, though there is a pile")  # CE-23
    need(not any(state.deck[: state.pile_at]) and not any(state.deck[state.pile_end :]), "cards lie outside the pile")


def check_top(state: Any) -> None:
    """CE-06, CE-11, CE-12, CE-41."""
    top = state.top
    if is_joker(top):
        need(state.phase == DECLARE or state.over or state.rank <= RANK[51], "a Joker counts as a special")
    else:
        need(state.rank == RANK[top], "the rank to match is not that of the top")
        named = RANK[top] == EIGHT and state.phase != NOMINATE
        need(named or state.suit == SUIT[top], "the suit to match is not that of the top")
        need(state.phase != DECLARE, "what is to be declared is no Joker")
    need(state.phase != NOMINATE or state.rank == EIGHT, "a suit is to be named for another card than an eight")
    if state.debt:
        need(state.use_special_cards and state.debt % 2 == 0 and state.rank == TWO, "there is a debt without a 2")
        need(state.over or state.pile_at < state.pile_end, "there is a debt without a pile")


def check_memory(state: Any) -> None:
    """What is remembered of hidden cards."""
    need(state.reshuffle or not any(state.shuffled), "cards were shuffled back, though that is not played")
    put_back = set(ids_of(state.put_back))
    need(all(is_joker(card) or RANK[card] == EIGHT for card in put_back), "a card was put back that is no eight or Joker")
    need(put_back or state.taken == 0, "it is noted who has taken cards, but nothing was put back")
    need(not any(state.shuffled[card] for card in put_back), "a card that was put back was shuffled later")
    places = set(state.deck[state.pile_at : state.pile_end])
    for seat in range(state.num_players):
        if state.taken >> seat & 1:
            places |= set(ids_of(state.hand[seat]))
    need(put_back <= places, "a card that was put back is where it cannot be")


def check_turn(state: Any) -> None:
    need(state.current_player == state.turn, "the player to move is not the one whose turn it is")
    need(not state.paused >> state.turn & 1, "the turn of the player to move is paused")
    need(state.plays < state.max_turns and state.passes <= state.num_players, "the deal has ended")
    need(all(hand != _NOTHING for hand in state.hand[: state.num_players]), "a player has no cards")  # CE-24
    need(state.staged == 0 or (state.phase == PLAY and not state.debt), "a special is staged where none may be")  # CE-34
    need(state.phase == PLAY or state.plays, "a card is asked about that nobody has played")
