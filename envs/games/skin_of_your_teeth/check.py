"""What the fields of a record of By The Skin of Your Teeth must agree in, see envs/core/check.py."""

from __future__ import annotations

from typing import Any

from ...core.cards import HIDDEN, STANDARD
from ...core.compare import skin_of_your_teeth as order
from ...core.fields import need
from .combinations import SUBSETS
from .state import ATTACK, FROM_HAND, HAND, MOST, NOBODY, OVER, PILES, SETUP, TARGET

_SUBSET_OF = {int(slots): number for number, slots in enumerate(SUBSETS)}


def check(state: Any, legal: Any) -> None:
    n = state.num_players
    piles = [[state.pile[k][at][: state.pile_size[k][at]] for at in range(PILES)] for k in range(n)]
    hands = [state.hand[k][: state.hand_size[k]] for k in range(n)]
    for player in range(n):
        need(hands[player] == sorted(hands[player]), "a hand is not in order")
        need(sum(map(len, [hands[player], *piles[player]])) <= HAND, "a player has more than thirteen cards")
        check_piles(state, player, piles[player])
        check_last(state, player)
    check_combinations(state, piles)
    check_knowledge(state)
    need((state.game_number < state.games) != state.over, "the games are not as many as were finished")
    need(state.deals == state.game_number + (not state.over), "the games are not those dealt")
    need((state.phase == OVER) == state.over, "the phase is not that of a game in progress")
    need((state.attack > 0) == (state.phase == TARGET), "an attack waits for no target, or none does")
    slots = _slots(state, hands[state.current_player], piles[state.current_player])
    need(
        [*zip(state.slot_card, state.slot_pile, strict=True)][: state.slot_count] == slots,
        "the slots are not what the mover has",
    )
    if state.phase == SETUP:
        check_setup(state, hands, piles)
        return
    if state.phase == OVER:
        return
    others = [k for k in range(n) if k != state.current_player and any(piles[k])]
    need(others, "there is no pile to attack")
    if state.phase == TARGET:
        number = _SUBSET_OF.get(state.attack)
        need(number is not None and legal(phase=ATTACK, attack=0)[number], "the attack is no combination")


def check_combinations(state: Any, piles: list[list[list[int]]]) -> None:
    """ST-04: a pile of which nothing can have been taken is as it was made."""
    whole = [
        cards + [HIDDEN] * (MOST - len(cards))
        for player, own in enumerate(piles)
        for at, cards in enumerate(own)
        if cards and state.made_of[player][at] == len(cards)
    ]
    need(not whole or order.strength(whole).all(), "a pile is no combination")


def check_piles(state: Any, player: int, piles: list[list[int]]) -> None:
    for at, cards in enumerate(piles):
        size, fell = len(cards), state.fell_size[player][at]
        need(cards == sorted(cards), "a pile is not in order")
        need(not (size and fell), "a pile has fallen and stands")
        need(size <= state.made_of[player][at], "a pile is larger than it was made")
        need(len(set(cards)) == size, "a pile has two equal cards")
        first = state.fell_at[player][at]
        need(first + fell <= state.discard_size, "a pile fell where no card was discarded")
        need(state.pile[player][at][:fell] == state.discard[first : first + fell], "a pile that fell is not what was discarded")


def check_last(state: Any, player: int) -> None:
    if state.last_target[player] != NOBODY:
        need(0 < state.last_size[player] <= state.discard_size - state.last_at[player], "an attack was not discarded")


def check_knowledge(state: Any) -> None:
    """What viewers know is true, and no card is known twice: so what is unknown can be drawn anew."""
    everybody = (1 << state.num_players) - 1
    for k in range(state.discard_size):
        need(state.discard[k] < STANDARD or state.discard_seen[k] == everybody, "somebody has not seen a Joker")
    for viewer in range(state.num_players):
        for owner in range(state.num_players):
            for at, where in enumerate(state.where[viewer][owner]):
                need(not where or where >> at & 1, "a viewer knows what is not so")
                first, size = state.fell_at[owner][at], state.fell_size[owner][at]
                if size and where and where != 1 << at:
                    seen = [state.discard_seen[k] >> viewer & 1 for k in range(first, first + size)]
                    need(not any(seen), "a viewer knows and does not know where a pile fell")


def check_setup(state: Any, hands: list[list[int]], piles: list[list[list[int]]]) -> None:
    """Piles are made in the order of seats and positions; everybody can make all of his (ST-02)."""
    need(state.discard_size == 0, "cards were discarded before play")
    for player in range(state.num_players):
        made = [bool(cards) for cards in piles[player]]
        count = sum(made)
        need(made == [at < count for at in range(PILES)], "piles were not made in order")
        if player < state.current_player:
            need(count == PILES, "a player has not made his piles")
        else:
            need(
                count < PILES and (count == 0 or player == state.current_player), "a player has made his piles before his turn"
            )
        need(len(hands[player]) + sum(map(len, piles[player])) == HAND, "a player was not dealt thirteen cards")
        ordinary = sum(card < STANDARD for card in hands[player])
        need(ordinary >= PILES - count, "a player cannot make six piles")
        need(not any(state.fell_size[player]), "a pile fell before play")


def _slots(state: Any, hand: list[int], piles: list[list[int]]) -> list[tuple[int, int]]:
    """The cards and piles that the slots of the player to move are made of."""
    if state.phase == OVER:
        return []
    if hand:
        return [(card, FROM_HAND) for card in hand]
    if state.phase == SETUP:
        return []
    return sorted((card, at) for at, cards in enumerate(piles) for card in cards)
