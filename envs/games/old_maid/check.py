"""What the fields of a record of Old Maid must agree in, see envs/core/check.py."""

from __future__ import annotations

from typing import Any

from ...core.cards import RANKS, STANDARD, SUITS
from ...core.extended.sets import NO_RANK
from ...core.extended.state import NOBODY
from ...core.fields import need
from .state import ARRANGED, DONE_AT, FIRST_QUEEN, JOKER, JOKERS, OLD_MAID, PAIR, PLACE, QUEEN, SETUP, TYPE

Hands = list[list[int]]


def check(state: Any, legal: Any) -> None:
    n = state.num_players
    held = [state.hand[seat][: state.hand_size[seat]] for seat in range(n)]
    for seat in range(n, len(state.hand)):
        need(state.hand_size[seat] == 0, "a seat that nobody has holds cards")
    for hand, size in zip(state.hand, state.hand_size, strict=True):
        need(not any(hand[size:]), "cards lie behind the end of a hand")
        need(state.fan == ARRANGED or hand[:size] == sorted(hand[:size]), "a hand that is shuffled has an order")
    need(FIRST_QUEEN + state.removed_queen not in _all(held), "the Queen that was taken out is in a hand")
    need(state.old_maid != state.removed_queen or not state.named_maid, "the Old Maid was taken out")
    check_pairs(state, held)
    check_known(state, held)
    check_draw(state, held)
    if state.over:
        need(not state.skips and not state.fresh, "a turn goes on after the end")
    else:
        check_turn(state, held, legal)


def _all(held: Hands) -> list[int]:
    return [card for hand in held for card in hand]


def _type(state: Any, card: int) -> int:
    return OLD_MAID if state.named_maid and card == FIRST_QUEEN + state.old_maid else int(TYPE[card])


def _value(state: Any, card: int) -> int:
    """What a card pairs as."""
    return state.bound if card in JOKERS and state.bound != NO_RANK else _type(state, card)


def _is_wild_pair(state: Any, card: int) -> bool:
    """OM-20."""
    return card < STANDARD and _type(state, card) != OLD_MAID


def can_pair(state: Any, cards: list[int]) -> bool:
    """OM-42."""
    values = [_value(state, card) for card in cards]
    return len(set(values)) < len(values) or (JOKER in values and any(_is_wild_pair(state, card) for card in cards))


def check_pairs(state: Any, held: Hands) -> None:
    """What is laid was laid in pairs, and no forced pair is held."""
    for hand in held:
        values = [_value(state, card) for card in hand if card not in JOKERS or state.bound != NO_RANK]
        need(len(set(values)) == len(values), "a hand holds a pair")
    cards = _all(held)
    if not any(_is_wild_pair(state, card) for card in cards):
        apart = state.bound != NO_RANK or not any(set(JOKERS) <= set(hand) for hand in held)
        need(apart, "a hand holds two Jokers that pair with nothing else")
    need(not state.named_maid or FIRST_QUEEN + state.old_maid in cards, "the Old Maid was laid")
    laid = laid_cards(state, cards)
    odd = [kind for kind, count in laid.items() if count % 2]
    jokers = 0 if state.standard else len(set(JOKERS) - set(cards))
    need(state.joker_pair == 0 or (jokers == 2 and not odd and state.bound == NO_RANK), "the Jokers were not laid as a pair")
    if state.bound != NO_RANK:
        need(state.joker_bind and (jokers == 2 if not odd else (jokers == 1 and odd == [state.bound])), "no Joker is bound")
        need(laid[state.bound] > 0, "no card was laid with a Joker")
    elif state.joker_bind:
        need(not odd and jokers == 2 * state.joker_pair, "a Joker was laid that binds nothing")
    else:
        need(state.joker_pair or len(odd) in (jokers, jokers - 2), "cards were laid that make no pairs")


def laid_cards(state: Any, cards: list[int]) -> dict[int, int]:
    """How many cards were laid of each rank and kind, `cards` being those in hands."""
    laid = {kind: SUITS for kind in range(JOKER) if kind != OLD_MAID and (kind < RANKS or not state.standard)}
    laid[QUEEN] = 2 if state.named_maid else 3
    for card in cards:
        if _type(state, card) in laid:
            laid[_type(state, card)] -= 1
    return laid


def check_known(state: Any, held: Hands) -> None:
    """Who knows a card drew nothing since: it was drawn from him by the player before him who has cards."""
    n = state.num_players
    where = {card: seat for seat, hand in enumerate(held) for card in hand}
    for card, knower in enumerate(state.known_by):
        if knower != NOBODY:
            before = next((seat for seat in ((knower - k) % n for k in range(1, n)) if held[seat]), None)
            need(where.get(card) == before is not None, "a card is known to somebody it was not drawn from")


def check_draw(state: Any, held: Hands) -> None:
    """The latest draw, and the turn it belongs to."""
    drawn = state.drawer != NOBODY
    need((state.drawn_from != NOBODY) == drawn and (not drawn or state.drawer != state.drawn_from), "nobody drew from himself")
    need(drawn or (state.drawn_at == 0 and state.kept == 0), "nothing was drawn")
    need(state.fan == ARRANGED or state.drawn_at == 0, "a card of a shuffled hand has no place")
    in_turn = state.phase in (PAIR, PLACE)
    need(drawn == (state.turns > (0 if in_turn or state.over else 1)) or state.over, "a draw is not of this turn")
    need(not in_turn or state.drawer == state.current_player, "who drew is not the player to move")
    need(in_turn or not (state.fresh or state.skips), "no turn goes on")
    if state.fresh:
        need(state.fan == ARRANGED and state.kept and held[state.current_player], "no card is to be placed")
        need(state.known_by[held[state.current_player][-1]] == state.drawn_from, "the card drawn is not known to its giver")
    need(not (state.skips and (state.kept or state.standard)), "no pair of Skips was laid")


def check_turn(state: Any, held: Hands, legal: Any) -> None:
    sizes = [len(hand) for hand in held]
    need(sum(size > 0 for size in sizes) > 1 and can_pair(state, _all(held)), "the game has ended")
    need(sizes[state.current_player] > 0, "the player to move has no cards")
    need((state.phase == SETUP) == (state.turns == 0), "the setup is not before the first turn")
    if state.phase in (SETUP, PAIR):
        need(legal()[:DONE_AT].any(), "the player to move has no pair to lay")
    need(state.phase != PLACE or (state.fresh and sizes[state.current_player] > 1), "no card is to be placed")
