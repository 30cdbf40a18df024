"""What the fields of a record of baccarat must agree in, see envs/core/check.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.cards import DECK_66, STANDARD
from ...core.extended.sets import DRAW, FIRST_SPECIAL, SKIP
from ...core.extended.state import NOBODY
from ...core.fields import need
from .drawing import NATURAL, total_of
from .state import (
    ANY_HAND,
    BANQUE,
    BETTING,
    BY_TABLEAU,
    CHEMIN,
    CUSTOM,
    HAS_SPECIAL,
    HUNDREDTHS,
    KEEPING,
    LEVELS,
    MAX_PLAYERS,
    NO_NATURAL,
    OFFERING,
    ON_P,
    ON_TIE,
    PLACES,
    PUNTO,
    TURN,
    B,
    L,
    P,
)

_MOST_BURNED = 10


def check(state: Any, legal: Any) -> None:
    n = state.num_players
    size = state.decks * (STANDARD if state.standard else DECK_66)
    need(state.pile_end == size and state.pile_at <= size, "the shoe is not as large as its decks")
    need(not any(state.deck[: state.pile_at]) and not any(state.deck[size:]), "cards lie where none are")
    need(state.direction in (-1, 1), "there is no order of play")
    need(state.deals <= state.coup, "there were more shoes than coups")
    need(1 <= sum(state.burned) <= _MOST_BURNED if state.burn else not any(state.burned), "too much was burned, or too little")
    need(state.burn == 0 or any(state.used), "no card was turned of the shoe")
    for seat in range(n, MAX_PLAYERS):
        need(not (state.chips[seat] or any(state.bet[seat]) or state.side[seat]), "somebody plays who is not there")
    check_chips(state, n)
    if state.over:
        need(state.bank == 0 and state.banker == NOBODY, "somebody has the bank after the end")
        check_no_hands(state)
        check_no_bets(state)
        return
    check_bank(state)
    if state.phase == TURN:
        check_turns(state, n)
        return
    check_no_hands(state)
    if state.phase == KEEPING:
        need(state.banker == state.current_player, "another than the banker is asked about the bank")
        need(state.coup < state.coups and not state.asked, "nobody is asked about the bank")
    else:
        fresh = state.pile_at == sum(state.burned) + state.burn
        need(fresh or size - state.pile_at >= state.cut, "there are too few cards for a coup")
        check_asked(state, n)
    if state.phase == BETTING:
        check_bets(state, n)
    else:
        check_no_bets(state)


def check_chips(state: Any, n: int) -> None:
    there = sum(state.chips) + sum(map(sum, state.bet)) + (state.bank if state.phase != OFFERING else 0)
    if state.variant == PUNTO:
        step = state.max_bet * HUNDREDTHS
        for seat in range(n):
            has, most = state.chips[seat] + state.bet[seat][0], state.coup * state.tie_pays * step
            need(-state.coup * step <= has - state.stack * HUNDREDTHS <= most, "a player has won, or lost, more than he can")
        return
    at_first = n * state.stack * HUNDREDTHS
    need(there == at_first or (there <= at_first and state.commission), "chips have come, or are gone")


def check_bank(state: Any) -> None:
    """Who has the bank, and who first holds the hands of tableaux."""
    need(state.variant == BANQUE or state.right == [NOBODY, NOBODY], "there are no tableaux")
    need((state.banker == NOBODY) == (state.bank == 0), "there is a bank without a banker")
    if state.variant == PUNTO:
        need(state.phase == BETTING and state.banker == NOBODY, "the house has no bank to give")
    elif state.phase == OFFERING:
        need(state.right == [NOBODY, NOBODY], "there are no tableaux without a bank")
        need(state.variant == BANQUE or state.banker == NOBODY, "the bank that is offered is taken")
        if state.banker != NOBODY:
            step = state.max_bet * HUNDREDTHS
            need(state.bank % step == 0 and state.bank <= LEVELS * step, "there is no such bid")
            need(state.bank <= state.chips[state.banker], "a player has bid more than he has")
            need(state.asked >> state.banker & 1, "a player has bid who was not asked")
    else:
        need(state.banker != NOBODY, "there is no bank")


def check_asked(state: Any, n: int) -> None:
    """Players are asked in turn, up to who is to move."""
    seat = 0 if state.variant == PUNTO else state.due if state.phase == OFFERING else (state.banker - 1) % n
    step, asked = (1 if state.variant == PUNTO else -1), 0
    need(state.phase == OFFERING or state.banker != state.current_player, "the banker is asked for a bet")
    while seat != state.current_player:
        asked |= 1 << seat
        seat = (seat + step) % n
    need(asked == state.asked, "players were asked out of turn")


def check_no_hands(state: Any) -> None:
    need(state.turn == NOBODY and state.holder == [NOBODY] * PLACES, "there are hands before the deal")
    need(not any(map(any, state.hand)) and not any(map(any, state.shown)), "there are cards before the deal")
    need(not (state.begun or state.out or state.drew or state.stood or any(state.value)), "there was a turn before the deal")
    need(not any(state.possible) and not any(map(any, state.redealt)), "something is known of hands before the deal")
    need(not any(state.staged) and state.direction == 1, "specials were revealed before the deal")


def check_no_bets(state: Any) -> None:
    need(not any(map(any, state.bet)) and not any(state.side), "there are bets before they are made")


def own_tableau(state: Any, seat: int) -> int:
    """BA-31."""
    n = state.num_players
    return P if (state.banker - seat) % n <= n // 2 else L


def check_bets(state: Any, n: int) -> None:
    """Before the deal of those who were asked, of all after it."""
    levels = {(state.min_bet + (state.max_bet - state.min_bet) * k // 7) * HUNDREDTHS for k in range(LEVELS)}
    for seat in range(n):
        bet, side = state.bet[seat], state.side[seat]
        need((sum(bet) > 0) == (side > 0), "a bet is on no side, or none on one")
        if not side:
            continue
        need(seat != state.banker and (state.phase == TURN or state.asked >> seat & 1), "a player has bet who was not asked")
        if state.variant == CHEMIN:
            need(side == ON_P and not bet[1], "a bet is not on P")
            continue
        need(sum(bet) in levels, "there is no such bet")
        if state.variant == PUNTO:
            need(not bet[1], "there are no tableaux")
            continue
        own = own_tableau(state, seat)
        half = sum(bet) // (2 * HUNDREDTHS) * HUNDREDTHS if side == ON_TIE else 0
        divided = side == ON_TIE and half and state.a_cheval
        need(bet[1 - own] == half and (divided or side == ON_P + own), "there is no bet that is so divided")
    need(state.variant == PUNTO or sum(map(sum, state.bet)) <= state.bank, "more is bet than the bank has")


def holders(state: Any) -> list[int]:
    """BA-23, BA-33."""
    n = state.num_players
    order = [(state.banker - k) % n for k in range(1, n)]
    if state.variant == CHEMIN:
        return [max(order, key=lambda seat: state.bet[seat][0]), NOBODY, state.banker]
    found = [NOBODY, NOBODY, state.banker]
    for place in (P, L):
        with_money = [seat for seat in order if state.bet[seat][place]]
        own = [seat for seat in with_money if own_tableau(state, seat) == place]
        if own:
            need(state.right[place] in own, "the right to a hand is not its holder's")
            found[place] = state.right[place]
        elif with_money:
            found[place] = with_money[0]
    return found


def check_turns(state: Any, n: int) -> None:
    check_bets(state, n)
    need(any(map(any, state.bet)) and not state.asked, "there are hands without bets")
    need(state.holder == holders(state), "another holds a hand than may")
    need(state.turn != NOBODY and state.holder[state.turn] == state.current_player, "the player to move has no turn")
    need(state.begun >> state.turn & 1 and not state.out >> state.turn & 1, "the turn to go on has not begun, or is over")
    need(not state.drew & state.stood and not (state.drew | state.stood) & ~state.out, "a hand has both drawn and stood")
    for place in range(PLACES):
        check_hand(state, place)
    staged, held = state.staged, state.hand[state.turn][FIRST_SPECIAL:]
    need(all(number <= there for number, there in zip(staged, held, strict=True)), "cards are staged that are not there")
    need(not any(staged) or sum(staged) < state.pile_end - state.pile_at, "so many specials cannot be replaced")


def check_hand(state: Any, place: int) -> None:
    cards, shown = state.hand[place], state.shown[place]
    out, begun, drew, stood = (bits >> place & 1 for bits in (state.out, state.begun, state.drew, state.stood))
    need(all(up <= there for up, there in zip(shown, cards, strict=True)), "cards lie face up that are not there")
    if state.holder[place] == NOBODY:
        something = begun or drew or stood or state.value[place] or state.possible[place] or any(state.redealt[place])
        need(out and not any(cards) and not something, "there is a hand that nobody holds")
        return
    hidden = [there - up for up, there in zip(shown, cards, strict=True)]
    need(sum(cards) >= 2, "a hand has not two cards")
    need(begun or not any(state.redealt[place]), "specials were redealt before the turn")
    if drew:
        need(begun and sum(shown) >= 1 and sum(hidden) >= 2, "a hand drew no card")
        need(state.value[place] == total(shown), "a hand drew another value")
    else:
        natural = out and not stood and not any(hidden) and is_natural(cards)
        need(not any(shown) or natural, "a hand lies face up before the end")
        need(not state.value[place], "a hand drew a value and no card")
        need(begun or not out or natural, "a turn is over that did not begin")
        need(not out or stood or natural or state.redealt[place][SKIP], "a turn is over that nothing ended")
        need(not natural or place not in (B, P if state.variant == CHEMIN else B), "the coup is over")
    if not any(hidden):
        return
    fresh = sum(hidden) == 2 and not state.redealt[place][DRAW]
    need(state.possible[place] & ~(NO_NATURAL if fresh else ANY_HAND) == 0, "a natural that all would have seen")
    need(known(state, place) >> what(hidden, state, place) & 1, "a hand is not such as all know it to be")


def total(cards: list[int]) -> int:
    return int(total_of(np.array(cards, np.uint8)))


def is_natural(cards: list[int]) -> bool:
    return sum(cards) == 2 and not any(cards[FIRST_SPECIAL:]) and total(cards) >= NATURAL


def what(hidden: list[int], state: Any, place: int) -> int:
    """The bit of the cards of a hand that lie face down, in what is possible."""
    specials = sum(hidden[FIRST_SPECIAL:]) - (sum(state.staged) if place == state.turn else 0)
    return HAS_SPECIAL if specials else total(hidden)


def known(state: Any, place: int) -> int:
    """What all know of a hand: of that in turn, that its holder is asked."""
    if place != state.turn:
        return int(state.possible[place])
    if any(state.staged):
        return 1 << HAS_SPECIAL
    bound = place != B and state.punter_rule == CUSTOM
    if state.variant == CHEMIN and state.banker_rule == BY_TABLEAU:
        other = B - place
        decided = state.out if place == B else state.drew | state.stood
        if decided >> other & 1:
            return int(state.possible[place]) & 1 << HAS_SPECIAL
        bound = state.punter_rule == CUSTOM
    free = 1 << 5 if bound else (1 << NATURAL) - 1
    return int(state.possible[place]) & (free | 1 << HAS_SPECIAL)
