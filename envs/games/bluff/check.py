"""What the fields of a record must agree in."""

from __future__ import annotations

from typing import Any

from ...core.cards import RANKS
from ...core.extended.check import check_extended
from ...core.extended.sets import ids_of
from ...core.extended.state import NOBODY
from ...core.fields import need
from .state import CHECK_ONE, FREE, NEXT_ONLY, NO_RANK

_REVERSES = 0xF << 4  # of the twelve specials


def check(state: Any, legal: Any) -> None:
    check_extended(state)
    check_quiet(state)
    check_places(state)
    check_known(state)
    check_latest_challenge(state)
    if not state.over:
        check_turn(state)


def check_quiet(state: Any) -> None:
    """What this game does not use of the shared fields."""
    n = state.num_players
    need(state.refill == [0, 0], "the stock is not refilled")
    need(state.face_up == 0 and state.out == 0, "a hand lies face up, or a player is out")
    need(not any((*state.draw, *state.skip, *state.effects, state.carry)), "cards put face down have no effect")
    need(not any(state.seen_void[:n]) and state.put_off == 0 and state.skipped == 0, "no suits are followed, no turns skipped")
    need(state.new_turn == 0 and state.turn != NOBODY and state.turns > 0, "nobody's turn has begun")
    need(state.paused >> state.turn & 1 == 0, "the turn in play is paused")
    need(state.paused.bit_count() <= (state.aside & _REVERSES).bit_count(), "more turns are paused than Reverses were redealt")


def check_places(state: Any) -> None:
    """The cards that were put down."""
    need(state.gone <= state.laid, "more cards are out of the game than were put down")
    need(state.gone == 0 or state.rank_order == FREE, "no heap goes out of the game in ascending order")
    need(not any(state.laid_card[state.laid :]), "a place holds a card that was not put down")
    need(not any((*state.laid_seat[state.laid :], *state.laid_first[state.laid :])), "an empty place has an owner")
    for begin in (0, state.gone):
        need(begin == state.laid or state.laid_first[begin], "the cards on the table begin within a play")
    number = 0
    for k in range(state.laid):
        number = 1 if state.laid_first[k] else number + 1
        need(number <= state.max_play, "a play has too many cards")
        if number > 1:
            need(state.laid_seat[k] == state.laid_seat[k - 1], "two players have put down one play")
            need(state.laid_card[k] > state.laid_card[k - 1], "the cards of a play are not in order")


def check_known(state: Any) -> None:
    hands = [state.hand[seat] for seat in range(state.num_players)]
    held = [list(hand) for hand in hands]
    held[state.turn] = [hand | put for hand, put in zip(held[state.turn], state.composed, strict=True)]
    for word in range(2):
        everywhere = 0
        for hand in held:
            everywhere |= hand[word]
        need(state.shown[word] & ~everywhere == 0, "a card is known to be in a hand that is not there")
        for seat in range(state.num_players):
            elsewhere = everywhere & ~held[seat][word]
            need(state.given[seat][word] & ~elsewhere == 0, "a player knows of a card that nobody else holds")


def check_latest_challenge(state: Any) -> None:
    turned = len(ids_of(state.turned))
    if state.challenger == NOBODY:
        need(state.challenged == NOBODY and turned == 0 and state.held == 0, "a challenge was made by nobody")
        return
    need(state.challenged not in (NOBODY, state.challenger), "a player has challenged himself, or nobody")
    most = 1 if state.check == CHECK_ONE else state.max_play
    need(1 <= turned <= most, "a challenge has turned up too many cards, or none")


def check_turn(state: Any) -> None:
    n, heap, put = state.num_players, state.laid - state.gone, len(ids_of(state.composed))
    everybody = (1 << n) - 1
    last = state.laid_seat[state.laid - 1] if heap else NOBODY
    for seat in range(n):
        done = state.answering and seat == state.turn
        need(state.hand[seat] != [0, 0] or done, "a player without cards has not won")
    need(put < state.max_play, "a play has too many cards")
    leads = state.rank_order == FREE and heap == 0
    specials = state.rank_order == FREE and state.claim_specials and not state.standard
    need(state.required < RANKS or specials, "a rank is claimed that cannot be")
    need(state.required != NO_RANK or leads, "there is no rank to be claimed")
    need(state.required != NO_RANK or put == 0, "cards are put before the rank is named")
    begun = put > 0 or (leads and state.required != NO_RANK)
    need(not (state.staged and (begun or state.answering)), "specials are staged while a play is composed or answered")
    if heap:
        need(state.passed >> last & 1 == 0, "the last player to play has passed")
        need(state.rank_order != FREE or state.passed | 1 << last != everybody, "all have passed, and the heap is still there")
    else:
        need(state.passed == 0, "a player has passed on an empty heap")
    if not state.answering:
        need(state.current_player == state.turn, "the player to move is not the one whose turn it is")
        return
    need(heap and last == state.turn and put == 0 and state.passed == 0, "there is no play to be answered")
    need(state.current_player != state.turn, "a player is asked about his own claim")
    first = (state.turn + state.direction) % n
    need(state.challengers != NEXT_ONLY or state.current_player == first, "a player is asked who may not challenge")
