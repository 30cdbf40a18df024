"""What the fields of a record of blackjack must agree in, see envs/core/check.py."""

from __future__ import annotations

from typing import Any

from ...core.cards import DECK_66, STANDARD
from ...core.extended.sets import FIRST_SPECIAL, NO_CARD
from ...core.fields import need
from .state import (
    BETTING,
    END,
    INSURING,
    MAX_PLAYERS,
    MOST_HANDS,
    PEEK,
    SURRENDERING,
    TURN,
)


def check(state: Any, legal: Any) -> None:
    n = state.num_players
    size = state.decks * (STANDARD if state.standard else DECK_66)
    need(state.pile_end == size and state.pile_at <= size, "the shoe is not as large as its decks")
    need(not any(state.deck[: state.pile_at]) and not any(state.deck[size:]), "cards lie where none are")
    need(state.direction in (-1, 1), "there is no order of play")
    need(state.deals <= state.hand_number, "there were more shuffles than hands")
    need(all(each <= 85_000 * 1000 * 10 for each in map(abs, state.owed)), "more is owed than can be")
    for seat in range(MAX_PLAYERS):
        check_seat(state, seat, n)
    dealt = state.phase != BETTING
    need((state.up_card != NO_CARD) == dealt, "the dealer has an up card when he should not, or none")
    if not dealt:
        check_betting(state, n)
        return
    need(all(state.bet[seat] > 0 and state.num_hands[seat] > 0 for seat in range(n)), "a player is not in the hand")
    check_dealer(state, n)
    if state.phase in (SURRENDERING, INSURING):
        check_questions(state, n)
    elif state.phase == TURN:
        check_turns(state, n)
    else:
        need(state.over or (state.current_player == 0 and state.hand_number == state.hands), "a hand that is over goes on")
    if state.over:
        need(state.phase == END, "the game is over in a hand")


def check_seat(state: Any, seat: int, n: int) -> None:
    number = state.num_hands[seat]
    need(seat < n or not (number or state.bet[seat] or state.owed[seat]), "somebody plays who is not there")
    for bits in (state.ended[seat], state.doubled[seat], state.split_aces[seat]):
        need(bits < 1 << number, "a hand that is not there has ended, or is doubled")
    need(not state.doubled[seat] & ~state.ended[seat], "a hand was doubled and goes on")
    need(number != 1 or not state.split_aces[seat], "aces are split that are one hand")
    for hand in range(MOST_HANDS):
        cards = state.hand[seat][hand]
        need((sum(cards) > 0) == (hand < number), "a hand has no cards, or one that is not there has")
        need(hand >= number or sum(cards) > 1 or number > 1, "a hand has one card")


def check_betting(state: Any, n: int) -> None:
    need(state.bets[1] > 0, "nobody is asked for bets")
    made = [state.bet[seat] > 0 for seat in range(n)]
    need(made == [seat < state.current_player for seat in range(n)], "a player has bet out of turn")
    need(not any(state.num_hands) and not any(state.dealer) and state.hole_card == NO_CARD, "cards are dealt before the bets")
    need(not (state.begun or state.out or state.insured or state.surrendered), "something was done before the bets")
    need(state.pile_end - state.pile_at >= 2 * (n + 1), "there are too few cards for a hand")
    need(state.direction == 1, "the order of play is reversed before the deal")


def check_dealer(state: Any, n: int) -> None:
    begun = state.begun >> n & 1
    over = state.phase == END
    need((state.hole_card == NO_CARD) == bool(begun or over), "the hole card is up when it should not be, or down")
    if state.hole_card != NO_CARD:
        only_up = [int(card == state.up_card) for card in range(DECK_66)]
        need(state.dealer == only_up, "the dealer shows another card than his up card")
    else:
        need(sum(state.dealer) >= 2, "the dealer has too few cards")
    need(state.out >> n & 1 <= begun, "the dealer's turn is over and did not begin")


def check_questions(state: Any, n: int) -> None:
    early, up = state.phase == SURRENDERING, state.up_card
    seat = state.current_player
    need(not (state.begun or state.out), "a turn has begun before the questions are answered")
    need(all(number <= 1 for number in state.num_hands) and not any(state.ended), "a hand was played before its turn")
    need(all(sum(state.hand[k][0]) == 2 for k in range(n)), "a hand has not two cards before its turn")
    need(state.direction == 1, "the order of play is reversed before the turns")
    need(not (state.surrendered and state.surrender != 2), "early surrender is not allowed")
    if early:
        need(state.surrender == 2 and 32 <= up < FIRST_SPECIAL, "nobody is asked to surrender")
        need(not state.surrendered >> seat and not state.insured, "somebody has answered before his turn")
    else:
        need(state.insurance and state.naturals != 3 and 48 <= up < FIRST_SPECIAL, "nobody is asked for insurance")
        need(not state.insured >> seat and not state.surrendered >> seat & 1, "somebody has answered before his turn")
        need(not state.insured & state.surrendered, "a player who is out is insured")


def check_turns(state: Any, n: int) -> None:
    seat = state.current_player
    need(not state.surrendered & ~state.out, "a player who surrendered is not out")
    need(state.surrender or not state.surrendered, "nobody may surrender")
    need(not state.out >> seat & 1 and state.begun >> seat & 1, "the player to move has no turn")
    need(not (state.insured and (not state.insurance or state.naturals == 3)), "there is no insurance")
    need(not state.insured or 48 <= state.up_card < FIRST_SPECIAL, "there is no insurance")
    for k in range(n):
        everything = (1 << state.num_hands[k]) - 1
        out, begun, gone = state.out >> k & 1, state.begun >> k & 1, state.surrendered >> k & 1
        need(begun or gone or not out, "a turn is over that did not begin")
        need(out or state.ended[k] != everything, "a turn goes on in which all hands have ended")
        need(gone or not out or state.ended[k] == everything, "a turn is over in which a hand goes on")
        if not begun:
            need(state.num_hands[k] == 1 and sum(state.hand[k][0]) == 2, "a hand was played before its turn")
            need(not state.ended[k], "a hand has ended before its turn")
        left = state.pile_end - state.pile_at
        if begun or state.num_hands[k] > 1:
            for hand in range(state.num_hands[k]):
                lying = sum(state.hand[k][hand][FIRST_SPECIAL:])
                need(not lying or left == 0 or gone, "a special lies in a hand whose turn has begun")
    if state.hole_card == NO_CARD:
        need(not sum(state.dealer[FIRST_SPECIAL:]) or state.pile_end == state.pile_at, "a special lies in the dealer's hand")
    if state.hole_card != NO_CARD and state.hole == PEEK:
        need(not _peeked_natural(state), "the dealer has a natural that a peek would have found")


def _peeked_natural(state: Any) -> bool:
    up, hole = state.up_card, state.hole_card
    if state.naturals == 3 or not (32 <= up < FIRST_SPECIAL) or hole >= FIRST_SPECIAL:
        return False
    kinds = {
        ("ten" if 32 <= card < 48 else "ace" if 48 <= card < 52 else "joker" if card >= 52 else "low") for card in (up, hole)
    }
    return "low" not in kinds and (kinds in ({"ten", "ace"}, {"joker"}) or ("joker" in kinds and len(kinds) == 2))
