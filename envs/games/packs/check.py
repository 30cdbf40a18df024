"""What the shared fields of a record must agree in, see envs/core/check.py."""

from __future__ import annotations

from typing import Any

from ...core.cards import RANKS, STANDARD, SUITS
from ...core.extended import sets
from ...core.extended.sets import NO_RANK, RANK, ids_of
from ...core.fields import need
from ...core.kernel import plain
from .state import DECLARE, FIRST_KIND, JOKERS, NEXT, NO_ACTION, NO_VALUE, NOBODY, PLACE, SLAP

is_joker = plain(sets.is_joker)


def rank_in(state: Any, card: int) -> int:
    """As `stack_rank`."""
    return int(state.declared[card - STANDARD] if is_joker(card) else RANK[card])


def check_packs(state: Any) -> None:
    need(state.direction != 0, "the order of play has no direction")
    need(state.pile_at <= state.pile_end, "the pile ends before it begins")
    for seat in range(len(state.pack)):
        ring, head = state.pack[seat], state.head[seat]
        need(state.pack_size[seat] == 0 or seat < state.num_players, "there is a pack without a player")
        need(not any((ring[head:] + ring[:head])[state.pack_size[seat] :]), "a card lies beyond the end of a pack")
    check_stack(state)
    need((state.last_player == NOBODY) == (state.last_action == NO_ACTION), "a step was nobody's")
    if not state.over:
        check_turn(state)


def played_cards(state: Any) -> list[int]:
    """The cards of the stack that were played to it, the first one first."""
    return list(state.stack[state.burned : state.stack_size])


def check_stack(state: Any) -> None:
    need(state.burned <= state.stack_size, "more cards were burned than lie in the stack")
    stack = played_cards(state)
    need(len(stack) <= state.plays, "more cards were played than are counted")
    for k in range(JOKERS):
        need(state.declared[k] == NO_VALUE or STANDARD + k in stack, "a Joker is declared that does not lie in the stack")
    need(set(stack) <= set(ids_of(state.seen)), "a card was played that nobody has seen")


def check_turn(state: Any) -> None:
    sizes = state.pack_size[: state.num_players]
    turn, owner = state.turn, state.owner
    need(turn != NOBODY, "it is nobody's turn")
    need((owner == NOBODY) == (state.owed == 0), "a debt has not an owner and a number")
    need((state.placing > 0) == (state.phase == PLACE), "not just who is to place cards has cards to place")
    need(state.placing <= state.pile_end - state.pile_at, "more cards are to be placed than there are")
    need(state.queue == 0 or owner != NOBODY, "specials wait for the end of no payment")
    check_queue(state)
    need(owner != turn or state.phase == PLACE, "a player owes himself")
    stack = played_cards(state)
    if state.phase == DECLARE:
        need(stack and is_joker(stack[-1]) and rank_in(state, stack[-1]) == NO_RANK, "there is no Joker to be declared")
        ranks = [rank_in(state, card) for card in stack]
        need(any(ranks.count(rank) < SUITS for rank in range(RANKS)), "all ranks are barred")
    if state.phase in (DECLARE, SLAP):  # the card on top has yet to take its course
        need(stack, "no card was played")
        return
    need(sizes[turn] > 0, "the player to move has no cards")
    need(owner != NOBODY or sum(size > 0 for size in sizes) > 1, "one player has all the cards")
    if state.phase == PLACE:
        for seat, size in enumerate(sizes):
            out = bool(state.out >> seat & 1)
            counted = seat == owner and (out <= (state.payer_out == NEXT) or not size)
            need(out == (size == 0) or counted, "not just those without cards are out")
        need(not state.out >> turn & 1, "the player whose turn it is is out")


def check_queue(state: Any) -> None:
    """As it is built, two bits a special; and those that wait lie in the stack."""
    queue, kinds = state.queue, []
    while queue:
        kinds.append((queue & 3) - 1)
        queue >>= 2
    ranks = [rank_in(state, card) for card in played_cards(state)]
    for kind in (-1, 0, 1, 2):
        there = ranks.count(FIRST_KIND + kind) if kind >= 0 else 0
        need(kinds.count(kind) <= there, "specials wait that were not played")
