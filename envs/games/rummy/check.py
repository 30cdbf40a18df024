"""What the fields of a record of rummy must agree in, see envs/core/check.py."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ...core.cards import SMALL_JOKER
from ...core.extended.sets import SPECIALS
from ...core.extended.state import NOBODY
from ...core.fields import need
from ...core.kernel import plain
from .contracts import GROUPS, RUNS
from .deadwood import deadwood_within
from .hands import ids_of, specials_of
from .melding import rules_row
from .melds import RUN, is_meld, points
from .state import (
    COMPOSE,
    CONTRACT,
    DEFENCE_LAYOFFS,
    DEFENCE_MELDS,
    DRAW,
    FIRST,
    GIN,
    KNOCK_DISCARD,
    KNOCK_MELDS,
    LAY_CARD,
    MAX_PLAYERS,
    OFFER,
    PLAY,
    TWO,
    WALL,
)

_NOTHING = [0, 0, 0]
_KNOCKED = (KNOCK_DISCARD, KNOCK_MELDS, DEFENCE_LAYOFFS, DEFENCE_MELDS)
_MOST_POINTS = 1100  # of a hand


def check(state: Any, legal: Any) -> None:
    check_sets(state)
    check_zones(state)
    check_seats(state)
    check_melds(state)
    check_match(state)
    check_gin(state)
    if not state.over:
        check_turn(state)
        check_phase(state)


def check_sets(state: Any) -> None:
    """Sets of cards are written in one way only."""
    for once, twice, jokers in (*state.hand, *state.known, *state.meld, state.composition):
        need(twice & ~once == 0, "a set holds a face twice that it does not hold once")
        need(jokers >> 1 & ~jokers & 5 == 0, "a set holds a second Joker without a first")
    for specials in (state.aside, state.staged):
        need(specials >> SPECIALS & ~specials == 0, "a second special without a first")


def check_zones(state: Any) -> None:
    need(state.pile_at <= state.pile_end, "the stock ends before it begins")
    need(not any(state.deck[: state.pile_at]) and not any(state.deck[state.pile_end :]), "cards lie outside the stock")
    need(not any(state.discard[state.discards :]), "cards lie above the discard pile")
    need(state.discards or state.discarder == NOBODY, "somebody discarded nothing")
    need(state.direction != 0, "the order of play has no direction")
    standard_only = state.draw, state.skip, state.effects
    need(not state.standard or not any(map(any, standard_only)), "a special that is not in the deck acts")


def check_seats(state: Any) -> None:
    """What is remembered of each seat."""
    open_turns = state.paused | (0 if state.over else 1 << state.turn)
    need(state.over or not state.paused >> state.turn & 1, "the turn of the player in turn is paused")
    need((state.drawn | state.laid_now) & ~open_turns == 0 or state.over, "a turn that is over is remembered")
    need(not state.paused or not state.standard, "a turn is paused without a Reverse")
    for seat in range(MAX_PLAYERS):
        need(contains(state.hand[seat], state.known[seat]), "a card is known to be in a hand that does not hold it")
        absent = seat >= state.num_players
        nothing = state.hand[seat] == _NOTHING and not state.total[seat] and not state.buys_left[seat]
        idle = not (state.draw[seat] or state.skip[seat])
        need(not absent or (nothing and idle), "somebody plays who is not there")
        if state.over:
            continue
        turn = open_turns >> seat & 1
        memory = state.taken[seat] or state.new_melds[seat] or state.effects[seat]
        need(turn or not memory, "a turn that is over is remembered")
        need(not state.taken[seat] or state.drawn >> seat & 1, "a card was taken before the draw")
        need(state.taken[seat] != SMALL_JOKER + 2, "a card was taken that is no face")
        need(not state.new_melds[seat] or state.laid_now >> seat & 1, "a meld was laid by nobody")
    need(sum(state.new_melds) <= state.melds or state.over, "more melds were laid this turn than there are")


def contains(cards: list[int], others: list[int]) -> bool:
    """Whether a set of cards holds all of another."""
    return not Counter(ids_of(others)) - Counter(ids_of(cards))


def check_melds(state: Any) -> None:
    rules = rules_of(state)
    for slot, (once, twice, jokers) in enumerate(state.meld):
        kind, laid = state.meld_kind[slot], state.laid[slot]
        if slot >= state.melds:
            need([once, twice, jokers] == _NOTHING and kind == laid == 0, "cards lie on a meld that is not there")
            continue
        need(_is_meld(kind, once, twice, jokers.bit_count(), rules), "what lies as a meld is none")
        bound = state.variant == GIN and state.layoff_reach == TWO and kind == RUN
        need(bool(laid) == bound, "it is not known how a run was laid, or need not be")
        need(not laid or (laid & ~once == 0 and _is_meld(kind, laid, 0, 0, rules)), "a run was laid otherwise")


def rules_of(state: Any) -> int:
    """As `rules_row` in melding.py."""
    return int(plain(rules_row)(state))


def _is_meld(kind: int, once: int, twice: int, jokers: int, rules: int) -> bool:
    return bool(is_meld(np.int64(kind), np.uint64(once), np.uint64(twice), np.int64(jokers), np.int64(rules)))


def check_match(state: Any) -> None:
    """Contracts, deals and totals."""
    if state.variant != CONTRACT:
        nothing = state.down or state.contract_melds or any(state.total) or any(state.buys_left)
        need(not nothing and state.deals == 1, "a contract is laid in a game without")
        return
    need(state.deals <= state.num_deals, "there are no more deals")
    deal = state.first_deal + state.deals - 1
    size = int(GROUPS[deal] + RUNS[deal])
    need(max(state.total) <= _MOST_POINTS * (state.deals - (not state.over)), "a total is more than there was to lose")
    need(state.melds == size * state.down.bit_count() + state.contract_melds, "a meld belongs to no contract")
    need(state.contract_melds == 0 or (state.phase == COMPOSE and not state.over), "a contract is half laid")
    need(max(state.new_melds) <= 1, "a second contract was laid")
    fresh = sum(1 << seat for seat in range(MAX_PLAYERS) if state.new_melds[seat])
    need(state.over or fresh & ~state.down == 0, "a contract was laid by nobody")


def check_gin(state: Any) -> None:
    if state.variant != GIN:
        nothing = state.passes or state.upcard_draws or state.repeated or state.knock or state.knocker != NOBODY
        need(not nothing, "gin is played in another game")
        return
    need(not (state.turns or state.idle_turns or state.recycled or state.laid_now or state.laid_before), "gin counts no turns")
    need(not any(state.new_melds), "a meld was begun in a turn of gin")
    need(state.oklahoma or state.knock == state.knock_card, "the knock card is another")
    need(state.over or state.upcard_draws < state.upcard_cap, "the hand has ended")
    need(state.melds == 0 or state.knocker != NOBODY, "there are melds before anybody has knocked")
    if state.over:
        return
    knocked = state.knocker != NOBODY
    need(knocked == (state.phase in _KNOCKED or state.phase in (COMPOSE, LAY_CARD)), "nobody knocked, or it is forgotten")
    if not knocked:
        return
    own = state.current_player == state.knocker
    need(own == (state.phase in (KNOCK_DISCARD, KNOCK_MELDS)) or state.phase == COMPOSE, "the other player lays his melds")
    need(state.phase != LAY_CARD or not own, "the knocker lays off")
    once, _, jokers = state.hand[state.knocker]
    number = np.int64(jokers.bit_count())
    if not own:
        left = points(np.uint64(once), np.uint64(0), number, np.int64(1))
        need(left <= state.knock, "the knocker has laid too little")
    elif state.phase != KNOCK_DISCARD:
        need(deadwood_within(np.uint64(once), number, np.int64(state.knock)), "the knocker cannot have knocked")


def check_turn(state: Any) -> None:
    drawn = state.drawn >> state.turn & 1
    held = [sum(map(int.bit_count, hand)) for hand in state.hand[: state.num_players]]
    need(state.variant == GIN or all(held), "a player has no cards")
    need(not deal_blocked(state), "there is nothing to draw")
    need(not drawn if state.phase in (FIRST, DRAW, OFFER) else drawn or state.knocker != NOBODY, "the draw is out of turn")
    if state.phase != OFFER:
        need(state.current_player == state.turn, "the player to move is not the one whose turn it is")
    if state.phase != COMPOSE:
        need(state.composition == _NOTHING, "something is composed out of turn")
    need(state.slot == 0 if state.phase != LAY_CARD else state.slot < state.melds, "a meld is chosen that is not there")
    if state.staged:
        need(state.phase in (DRAW, PLAY), "a special is staged where none may be")
        wall = state.variant == GIN and state.phase == DRAW and state.pile_end - state.pile_at <= WALL
        need(not wall, "a special is staged at the wall")
        staged = Counter(specials_of(state.staged))
        need(not staged - Counter(ids_of(state.hand[state.turn])), "a card is staged that its player does not hold")
        need(staged.total() <= cards_to_come(state), "more cards are staged than can be replaced")


def cards_to_come(state: Any) -> int:
    """What can be taken from the stock (ED-11)."""
    below = state.discards - 1 if state.variant != GIN and state.recycled < state.recycles and state.discards > 1 else 0
    return int(state.pile_end - state.pile_at + below)


def deal_blocked(state: Any) -> bool:
    """RM-25."""
    return state.variant != GIN and state.phase == DRAW and cards_to_come(state) == 0


def check_phase(state: Any) -> None:
    """What the phases need."""
    variant, phase = state.variant, state.phase
    need(variant == GIN or phase not in (FIRST, *_KNOCKED), "a phase of gin in another game")
    need(variant == CONTRACT or phase != OFFER, "a discard is for sale in a game without buying")
    if phase == FIRST:
        need(state.discards > 0 and state.pile_end > state.pile_at, "there is no first upcard")
        need(not (state.draw[state.turn] or state.skip[state.turn]), "the first turn has not begun")
    if phase == OFFER:
        buyer = state.current_player
        need(buyer != state.turn and not state.down >> buyer & 1, "the discard is for sale to a player who cannot buy")
        need(state.buys_left[buyer] > 0 and buyer != state.discarder, "the discard is for sale to a player who cannot buy")
        need(state.discards > 0 and state.pile_end - state.pile_at >= 2, "nothing is for sale")
    if phase == COMPOSE:
        hand, composed = state.hand[state.turn], state.composition
        need(contains(hand, composed), "a card is composed that its player does not hold")
        lowest = sorted(card for card in ids_of(hand) if card in (SMALL_JOKER, SMALL_JOKER + 1))
        need(ids_of([0, 0, composed[2]]) == lowest[: composed[2].bit_count()], "other Jokers are composed than the lowest")
        need(variant != CONTRACT or not state.down >> state.turn & 1, "a second contract is laid")
    if phase == LAY_CARD and variant == CONTRACT:
        need(state.down >> state.turn & 1, "a player lays off who is not down")
