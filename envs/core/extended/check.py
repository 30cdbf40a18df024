"""What the shared fields of a record must agree in, for the `check` of a game (see envs/core/check.py).

Sets of cards are two whole numbers here, and lists are lists.
"""

from __future__ import annotations

from typing import Any

from ..cards import STANDARD, SUITS
from ..fields import need
from ..kernel import plain
from . import sets
from .sets import NO_CARD, ids_of
from .state import NOBODY, TRICK_PLAYERS, TRICKS
from .tricks import DECLARE, FIXED, OPEN, SETTLE

is_joker = plain(sets.is_joker)


def has_suit(cards: list[int], suit: int) -> bool:
    """Whether a set holds a card of a suit, specials among them (ED-03)."""
    return cards[0] & 0x1111111111111111 << suit != 0


def check_extended(state: Any) -> None:
    """The fields of `extended_fields`."""
    need(state.direction != 0, "the order of play has no direction")
    need(state.pile_at <= state.pile_end, "the pile ends before it begins")
    need(state.put_off & ~state.paused == 0, "a turn is put off that is not paused")
    pile = state.deck[state.pile_at : state.pile_end]
    held = state.hand[state.turn][0] >> STANDARD if state.turn != NOBODY else 0
    need(state.staged & ~held == 0, "a card is staged that its player does not hold")
    need(state.staged.bit_count() <= len(pile) + len(ids_of(state.refill)), "more cards are staged than can be replaced")
    for seat in range(state.num_players):
        for suit in range(SUITS):
            lacks = state.seen_void[seat] >> suit & 1
            need(not (lacks and has_suit(state.hand[seat], suit)), "a hand holds a suit that it is known to lack")


def check_tricks(state: Any) -> None:
    """The fields of `trick_fields`, and what a trick game needs of the others."""
    check_extended(state)
    need(state.refill == [0, 0], "a trick game has no cards to refill the pile with")
    size = state.trick_size
    cards, seats = state.trick_card[:size], state.trick_seat[:size]
    if state.question == 0:
        need(size == 0 and state.turn == NOBODY and state.staged == 0, "there is a trick outside the play of cards")
        need(state.over or state.tricks_done == 0, "tricks were played before the play of cards")
        idle = not (state.out or state.paused or state.carry or any(state.draw) or any(state.skip) or any(state.effects))
        need(state.over or idle, "specials act before the play of cards")
    else:
        need(state.tricks_done < TRICKS and state.turn != NOBODY and not state.over, "the play of cards has ended")
        check_turn(state, cards, seats)
    need(len(set(seats)) == size, "a player has two cards in a trick")
    led_joker = bool(cards) and is_joker(cards[0])
    need((state.declared != NO_CARD) == (led_joker and state.question != DECLARE), "not just a Joker that was led is declared")
    for k, claim in enumerate(state.claim):
        joker = k < size and is_joker(cards[k])
        need(claim == OPEN or (joker and (claim != FIXED or k == 0)), "what is settled is no Joker in the trick")
    played = {card for cards in state.played for card in ids_of(cards)}
    need(played.issuperset(ids_of(state.dead)), "a dead card was not played")


def check_dealt(state: Any) -> None:
    """Before the play of cards everybody has the thirteen that he was dealt."""
    need(all(len(ids_of(hand)) == TRICKS for hand in state.hand), "a player was not dealt thirteen cards")


def check_turn(state: Any, cards: list[int], seats: list[int]) -> None:
    """Who is asked what in a trick."""
    for seat in range(TRICK_PLAYERS):
        left = len(ids_of(state.hand[seat])) + (seat in seats)
        need(left >= TRICKS - state.tricks_done, "a player has fewer cards than there are tricks to come")
    asked_to_declare = state.question == DECLARE
    if asked_to_declare:
        need(seats == [state.turn], "a player is to declare a Joker that he has not led")
    over = [bool(state.out >> seat & 1) for seat in range(TRICK_PLAYERS)]
    need(
        all(over[seat] or (asked_to_declare and seat == state.turn) for seat in seats), "a player has a second turn in a trick"
    )
    if state.question == SETTLE:
        open_jokers = [
            seat for card, seat, claim in zip(cards, seats, state.claim, strict=False) if is_joker(card) and claim == OPEN
        ]
        need(all(over) and open_jokers[:1] == [state.turn], "a player is asked about a Joker that is not his")
    else:
        need(not over[state.turn], "the turn of the player to move is over")
