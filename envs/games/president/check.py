"""What the fields of a record of President must agree in, see envs/core/check.py."""

from __future__ import annotations

from typing import Any

from ...core.cards import DECK_66, STANDARD, SUITS
from ...core.extended.check import check_extended
from ...core.extended.sets import FIRST_SPECIAL, ids_of
from ...core.extended.state import NOBODY
from ...core.fields import need
from ...core.match import check_hands
from .state import EMPTY, EXCHANGE, FIRST_KIND, PRESIDENT_POINTS, VICE_POINTS, WITH_VICES
from .table import WORTH


def check(state: Any, legal: Any) -> None:
    n = state.num_players
    check_extended(state)
    check_hands(state)
    need(state.face_up == 0, "a hand lies face up")
    need(state.refill == [0, 0], "there are cards to refill the pile with")
    idle = not (state.carry or state.skipped or state.new_turn or any(state.draw) or any(state.skip) or any(state.effects))
    need(idle, "specials act that have acted")
    need(not any(state.seen_void), "a hand is known to lack a suit")
    for name in ("place", "before", "taken", "totals", "hand", "played", "given"):
        need(not any(map(_any, getattr(state, name)[n:])), "there is something at a seat that is none")
    need(sorted(state.before[:n]) == ([0] * n if state.deals == 1 else [*range(1, n + 1)]), "the roles are not those of a deal")
    check_points(state)
    check_places(state)
    check_sizes(state)
    check_gifts(state)
    if state.over:
        return
    need(max(state.totals) < state.target, "the match is over")
    if state.phase == EXCHANGE:
        check_exchange(state)
    else:
        need(state.turn != NOBODY and state.current_player == state.turn, "the player to move is not the one whose turn it is")
        check_trick(state)


def _any(value: Any) -> bool:
    return any(value) if isinstance(value, list) else bool(value)


def _seats(bits: int, n: int) -> set[int]:
    return {seat for seat in range(n) if bits >> seat & 1}


def check_points(state: Any) -> None:
    """PR-42."""
    deals = state.deals - 1 + state.over if state.match else 0
    of_a_deal = PRESIDENT_POINTS + VICE_POINTS * (state.num_players >= WITH_VICES)
    given = sum(state.totals)
    need(
        given == deals * of_a_deal or (state.over and given == (state.deals - 1) * of_a_deal),
        "the points are not those of deals",
    )
    need(max(state.totals) <= PRESIDENT_POINTS * deals, "a player has more points than deals bring")


def check_places(state: Any) -> None:
    """PR-08, PR-09."""
    n = state.num_players
    out, empty = _seats(state.out, n), {seat for seat in range(n) if not any(state.hand[seat])}
    need(out == empty, "not just those without cards are out")
    placed = {seat for seat in range(n) if state.place[seat]}
    places = sorted(filter(None, state.place))
    need(places == [*range(1, len(places) + 1)], "places are not 1, 2, ...")
    need(placed == out or (state.over and len(placed) == n), "not just those out have places")
    need(state.over or len(out) < n - 1, "the deal is over")


def check_sizes(state: Any) -> None:
    """Each has, or had, what was dealt to him, given, and taken by him from the pile, less what was redealt."""
    n = state.num_players
    dealt = DECK_66 if state.deals_all and not state.standard else STANDARD
    need(
        state.pile_end == (STANDARD if state.standard else DECK_66) and state.pile_at >= dealt, "the pile is not what was left"
    )
    need(sum(state.taken) == state.pile_at - dealt, "the cards taken from the pile are not those that are missing there")
    first = first_seat(state)
    for seat in range(n):
        had = len(range((seat - first) % n, dealt, n))
        for giver, receiver in gifts(state):
            had += len(ids_of(state.given[giver])) * ((receiver == seat) - (giver == seat))
        has = len(ids_of(state.hand[seat])) + len(ids_of(state.played[seat]))
        need(had <= has <= had + state.taken[seat], "a player has not the cards that were dealt to him and taken")


def _at(state: Any, place: int) -> int:
    return state.before.index(place)


def first_seat(state: Any) -> int:
    """PR-01."""
    if state.deals == 1:
        return 0
    return _at(state, state.num_players if state.next_lead else 1)


# --- the exchange ---


def pairs(state: Any) -> list[tuple[int, int, int]]:
    """Who gives cards of his choice, who his best ones, and how many."""
    n = state.num_players
    count = 0 if state.deals == 1 else min(state.exchange, 2 if n >= WITH_VICES else 1)
    return [(_at(state, 1 + pair), _at(state, n - pair), state.exchange - pair) for pair in range(count)]


def gifts(state: Any) -> list[tuple[int, int]]:
    return [way for above, below, _ in pairs(state) for way in ((above, below), (below, above))]


def check_gifts(state: Any) -> None:
    """PR-40, PR-41: what was given went where it is, and nothing better was kept, which `determinize` relies on."""
    given = [set(ids_of(cards)) for cards in state.given]
    taking_part = {seat for above, below, _ in pairs(state) for seat in (above, below)}
    aside = {FIRST_SPECIAL + k for k in range(DECK_66 - FIRST_SPECIAL) if state.aside >> k & 1}
    have = [{*ids_of(state.hand[seat]), *ids_of(state.played[seat])} for seat in range(state.num_players)]
    for seat in range(state.num_players):
        need(seat in taking_part or not given[seat], "a player gave a card who has none to give")
    for above, below, count in pairs(state):
        need(len(given[below]) == count, "the best cards were not given")
        back = given[above]
        need(len(back) == count or (len(back) < count and (state.phase == EXCHANGE)), "cards were not given back")
        need(given[below] <= have[above] | aside | back, "a card that was given is not where it went")
        need(back <= have[below] | aside, "a card that was given back is not where it went")
        worth = WORTH[state.twos_high]
        limit = min(worth[card] for card in given[below])
        better = [card for card in have[below] - back if worth[card] > limit]
        need(len(better) <= state.taken[below], "a player kept a better card than he gave")


def check_exchange(state: Any) -> None:
    need(state.last == NOBODY and state.table == EMPTY and state.turn == NOBODY, "there is a trick before the exchange is over")
    need(not (state.table_cards or state.table_jokers or state.passed or state.barred), "there was a turn before the exchange")
    need(
        not (state.staged or state.aside or state.paused or state.put_off), "specials were revealed before the exchange is over"
    )
    need(not any(map(any, state.played)), "cards were played before the exchange is over")
    need(state.direction == 1, "the order of play was reversed before the exchange is over")
    owing = [above for above, _, count in pairs(state) if len(ids_of(state.given[above])) < count]
    need(owing[:1] == [state.current_player], "the player to move has no card to give")
    for above, _, _ in pairs(state):
        need(above in owing[:1] or above not in owing or not any(state.given[above]), "a player gave out of turn")


# --- the trick ---


def check_trick(state: Any) -> None:
    n = state.num_players
    out, passed, barred, paused = (_seats(bits, n) for bits in (state.out, state.passed, state.barred, state.paused))
    need(state.put_off == 0 and not out & (paused | passed | barred), "a player who is out has a turn")
    need(state.turn not in out | barred | paused, "the player to move has no turn")
    need(not paused & (passed | barred), "a player has both passed and paused")
    need(state.pass_is_final or not barred, "a player may not play any more though passes are not final")
    if state.last == NOBODY:
        idle = state.table == EMPTY and not (state.table_cards or state.table_jokers or passed or barred)
        need(idle, "there is something on the table that nobody played")
        return
    need(state.table != EMPTY and 0 <= state.table_jokers <= state.table_cards > 0, "nothing was played")
    done = out | passed | barred | {state.last}
    need(len(done) < n, "the trick is over")
    played = ids_of(state.played[state.last])
    jokers = sum(STANDARD <= card < FIRST_SPECIAL for card in played)
    need(jokers >= state.table_jokers, "there are Jokers on the table that their player has not played")
    need(state.table < FIRST_KIND or state.table_jokers == 0, "there are Jokers among specials")
    natural = state.table_cards - state.table_jokers
    need(sum(_rank(card) == state.table for card in played) >= natural, "there are cards on the table that were not played")


def _rank(card: int) -> int:
    """With the kinds of specials behind the ranks; of no Joker."""
    if card >= FIRST_SPECIAL:
        return FIRST_KIND + (card - FIRST_SPECIAL) // SUITS
    return card // SUITS if card < STANDARD else EMPTY
