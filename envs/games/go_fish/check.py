"""What the fields of a record of Go Fish must agree in, see envs/core/check.py."""

from __future__ import annotations

from typing import Any

from ...core.cards import RANKS
from ...core.extended.check import check_extended
from ...core.extended.sets import DRAW, REVERSE, SKIP
from ...core.extended.state import NOBODY
from ...core.fields import need
from .state import ALL_RANKS, BOOK, EVERY_RANK, FEWEST_OF_A_BOOK, OF_RANK, STANDARD_RANKS

_OF_RANK = [int(cards) for cards in OF_RANK]
_PER_CARD = 2  # cards that a Draw brings


def check(state: Any, legal: Any) -> None:
    check_extended(state)
    need(state.deals == 1, "there is one deal")
    need(state.refill == [0, 0] and state.carry == 0, "cards or effects are left over")
    need(state.face_up == state.out == state.put_off == 0, "a hand lies face up, or a player is out")
    need(not any(state.seen_void), "suits are kept")
    need(
        state.turn != NOBODY and (state.over or state.turn == state.current_player), "it is not the turn of the player to move"
    )
    need(state.new_turn == 0, "a turn begins")
    check_books(state)
    check_turns(state)
    for seat in range(state.num_players):
        check_known(state, seat)
    if state.last_asker == NOBODY:
        need(state.last_target == state.last_rank == state.last_given == 0, "nobody has asked yet")
    else:
        need(state.last_asker != state.last_target, "a player asked himself")


def check_books(state: Any) -> None:
    made = 0
    for books in state.books:
        need(made & books == 0, "a book was made twice")
        made |= books
    for rank in range(ALL_RANKS):
        naturals, jokers = (state.laid & _OF_RANK[rank]).bit_count(), state.joker_book.count(rank)
        if made >> rank & 1:
            need(naturals >= FEWEST_OF_A_BOOK and naturals + jokers == BOOK, "a book has not four cards")
        else:
            need(naturals == jokers == 0, "cards lie in a book that was not made")
    for hand in state.hand:
        need(all(hand[0] & _OF_RANK[rank] != _OF_RANK[rank] for rank in range(RANKS)), "a natural book was not laid")
    need(state.over or made | _impossible(state) != EVERY_RANK, "all books are made")


def _impossible(state: Any) -> int:
    if state.standard:
        return EVERY_RANK & ~STANDARD_RANKS
    return sum(1 << (RANKS + kind) for kind in range(ALL_RANKS - RANKS) if state.aside >> (BOOK * kind) & (1 << BOOK) - 1)


def check_turns(state: Any) -> None:
    reverses = (state.aside >> (BOOK * REVERSE) & (1 << BOOK) - 1).bit_count()
    need(state.direction == 1 or reverses > 0, "nothing has reversed the order of play")
    need(state.paused.bit_count() <= reverses, "more turns are paused than Reverses were redealt")
    need(state.paused & ~state.acted == 0, "a turn is paused in which nothing was done")
    open_turns = state.paused | 1 << state.turn
    need((state.fished | state.acted) & ~open_turns == 0, "a turn is remembered that is over")
    need(not state.over or state.staged == 0, "a card is staged at the end")
    need(not state.staged or state.acted >> state.turn & 1, "a card is staged in a turn in which nothing was done")
    need(state.over or state.idle != (1 << state.num_players) - 1, "nobody can move")
    made = sum(state.books)
    played = dict.fromkeys((DRAW, REVERSE, SKIP), 0)
    for seat, queue in enumerate(state.effects):
        need(queue == 0 or open_turns >> seat & 1, "specials act after a turn that is over")
        while queue:
            need(queue & 3 > 0, "effects are not in order")
            played[(queue & 3) - 1] += 1
            queue >>= 2
    need(played[REVERSE] == 0, "a Reverse acts")
    for kind, owed in ((DRAW, sum(state.draw) // _PER_CARD), (SKIP, sum(state.skip))):
        most = BOOK if made >> (RANKS + kind) & 1 else 0
        need(played[kind] + owed <= most, "more specials act than lie in books")


def check_known(state: Any, seat: int) -> None:
    suited, jokers = state.hand[seat][0], state.hand[seat][1].bit_count()
    for rank in range(ALL_RANKS):
        held, known = (suited & _OF_RANK[rank]).bit_count(), state.known[seat][rank]
        need(known <= held, "a hand has fewer cards than it is known to have")
        need(not (held and state.lacks[seat] >> rank & 1), "a hand holds a rank that it is known to lack")
        if state.owned[seat] >> rank & 1:
            on_joker = jokers > 0 and state.joker_asks and rank < RANKS
            need(known < held or on_joker, "a player asked for what he does not hold")
    need(state.owned[seat] & ~state.asked[seat] == 0, "a player holds what he has not asked for")
    need(state.jokers[seat] <= jokers and not (state.joker_asks and state.jokers[seat]), "a hand has fewer Jokers than known")
    others = 0
    for other in range(state.num_players):
        if other != seat:
            others |= state.hand[other][0]
    need(state.met[seat] & ~others == 0, "a player knows a card that is in no other hand")
