"""Melds on the table and melds in progress: legal compositions and lay-offs (RM-10 to RM-20, RM-33 to RM-37, RM-42 to RM-46).

melds.py, composing.py and contracts.py decide whether cards are a meld, or can become one; this module selects the question for
a state.
"""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core.events import EVERYBODY, NOBODY, emit, emit_card
from ...core.extended.sets import ZERO
from ...core.extended.turns import note_effect
from ...core.jit import device_function
from .composing import CONTRACT_DEAL, FREE, LAST_DEAL_RUNS, Aim, Cards, additions, can_begin, joker_addition, may_close
from .composing import KNOCK as TO_KNOCK
from .contracts import GROUPS, RUNS
from .hands import JOKER, add, card_of, clear, give_up, jokers_of, lowest_face, lowest_joker, remove, size_of
from .melds import BASIC_BOTH, BASIC_LOW, CONTRACT_STANDARD, RUN, joker_layable, layable, within_two
from .melds import CONTRACT as CONTRACT_EXTENDED
from .melds import GIN as GIN_RULES
from .scoring import go_out
from .state import (
    BOTH,
    COMPOSE,
    CONTRACT,
    DEALS,
    DEFENCE_LAYOFFS,
    DEFENCE_MELDS,
    GIN,
    JOKERS,
    KNOCK_MELDS,
    ONCE,
    PLAY,
    RULE3,
    TO_MELD,
    TWICE,
    TWO,
)

_GROUPS_ONLY, _RUNS_ONLY, _ANY_KIND = np.int64(1), np.int64(2), np.int64(3)
_NONE = np.int64(0)


@device_function
def rules_row(state):
    """The row of melds.py for the options."""
    if state.variant == GIN:
        return GIN_RULES
    if state.variant == CONTRACT:
        return CONTRACT_STANDARD if state.standard else CONTRACT_EXTENDED
    return BASIC_BOTH if state.ace == BOTH else BASIC_LOW


@device_function
def deal_number(state):
    """RM-42: 1 to 7."""
    return np.int64(state.first_deal) + np.int64(state.deals) - 1


@device_function
def contract_size(state):
    """The number of melds in the contract of this deal."""
    deal = deal_number(state)
    return GROUPS[deal] + RUNS[deal]


@device_function
def aim_of(state):
    """The legal goal of a composition for the player to move."""
    rules = rules_row(state)
    if state.variant == CONTRACT:
        deal, done = deal_number(state), np.int64(state.contract_melds)
        groups, runs = GROUPS[deal], RUNS[deal]
        if deal == DEALS:  # RM-44
            return Aim(LAST_DEAL_RUNS, _RUNS_ONLY, _NONE, runs - done - 1, rules)
        if done < groups:  # RM-43
            return Aim(CONTRACT_DEAL, _GROUPS_ONLY, groups - done - 1, runs, rules)
        return Aim(CONTRACT_DEAL, _RUNS_ONLY, _NONE, groups + runs - done - 1, rules)
    if state.variant == GIN and state.current_player == state.knocker:  # RM-33
        return Aim(TO_KNOCK, _ANY_KIND, np.int64(state.knock), _NONE, rules)
    return Aim(FREE, _ANY_KIND, _NONE, _NONE, rules)


@device_function
def cards_of(hand):
    return Cards(hand[ONCE], hand[TWICE], jokers_of(hand))


@device_function
def may_begin_meld(state, seat):
    """Whether a meld, or the whole contract, can be composed from the hand."""
    aim = aim_of(state)
    if state.variant == CONTRACT:
        deal = deal_number(state)
        aim = Aim(aim.mode, aim.kinds, GROUPS[deal], RUNS[deal], aim.rules)
    return can_begin(aim, cards_of(state.hand[seat]))


@device_function
def added(state):
    """COMPOSE: the faces that may be added, and whether a Joker may."""
    aim, hand, composed = aim_of(state), cards_of(state.hand[np.int64(state.current_player)]), cards_of(state.composition)
    return additions(aim, hand, composed), joker_addition(aim, hand, composed)


@device_function
def closable(state, kind):
    """COMPOSE: whether the cards so far are a legal meld of a kind."""
    hand = cards_of(state.hand[np.int64(state.current_player)])
    return may_close(kind, aim_of(state), hand, cards_of(state.composition))


@device_function
def fits_on(state, slot):
    """RM-20, RM-37: the faces of which a card may be laid off on a meld, and whether a Joker may."""
    cards, kind, rules = state.meld[slot], np.int64(state.meld_kind[slot]), rules_row(state)
    once, twice, jokers = cards[ONCE], cards[TWICE], jokers_of(cards)
    faces = layable(kind, once, twice, jokers, rules)
    if state.laid[slot] != ZERO:
        faces &= within_two(state.laid[slot])
    return faces, joker_layable(kind, once, twice, jokers, rules)


@device_function
def laid_off(state, seat, slot):
    """The faces of a hand that may be laid off on a meld, and whether a Joker may."""
    faces, joker = fits_on(state, slot)
    return faces & state.hand[seat, ONCE], joker and state.hand[seat, JOKERS] != ZERO


@device_function
def open_slots(state, seat):
    """The melds on which some card of a hand may be laid off, as bits."""
    slots = np.int64(0)
    for slot in range(np.int64(state.melds)):
        faces, joker = laid_off(state, seat, slot)
        if joker or faces != ZERO:
            slots |= 1 << slot
    return slots


# --- actions ---


@device_function
def begin_meld(state):
    emit(state, events.CHOOSE, state.current_player, TO_MELD, NOBODY)
    state.phase = COMPOSE
    clear(state.composition)
    state.contract_melds = 0


@device_function
def compose(state, face):
    """Add a card to the meld; it stays in the hand until the meld is closed."""
    seat, sofar = np.int64(state.current_player), state.composition
    # RM-05: the composition has the lowest Jokers of the hand.
    card = lowest_joker(state.hand[seat, JOKERS] & ~sofar[JOKERS]) if face == JOKER else face
    emit_card(state, events.SELECT, seat, card, EVERYBODY, NOBODY)
    add(sofar, card)


@device_function
def close(state, kind):
    """Put the finished composition on the table."""
    seat, slot = np.int64(state.current_player), np.int64(state.melds)
    sofar = state.composition
    emit(state, events.MELD, seat, kind, NOBODY)
    state.melds = slot + 1
    state.meld_kind[slot] = kind
    clear(state.meld[slot])
    if state.variant == GIN and state.layoff_reach == TWO and kind == RUN:
        state.laid[slot] = sofar[ONCE]
    for _ in range(size_of(sofar)):
        face = lowest_face(sofar)
        remove(sofar, card_of(sofar, face))
        put_down(state, seat, slot, face)
    if state.variant == GIN:
        state.phase = KNOCK_MELDS if state.knocker == seat else DEFENCE_MELDS
        return
    if state.variant == CONTRACT:
        state.contract_melds += 1
        if state.contract_melds < contract_size(state):
            return
        state.contract_melds = 0
        state.down = np.int64(state.down) | 1 << seat
    state.new_melds[seat] += 1
    after_laying(state, seat)


@device_function
def put_down(state, seat, slot, face):
    """Move a card from a hand to a meld."""
    card = give_up(state, seat, face)
    add(state.meld[slot], card)
    if state.variant != GIN:
        state.laid_now = np.int64(state.laid_now) | 1 << seat
        state.idle_turns = 0
        if state.meld_effects == RULE3:  # RM-53
            note_effect(state, seat, card)


@device_function
def lay_off(state, face):
    """Lay off a card on the chosen meld."""
    seat, slot = np.int64(state.current_player), np.int64(state.slot)
    emit_card(state, events.LAY_OFF, seat, card_of(state.hand[seat], face), EVERYBODY, NOBODY)
    state.slot = 0
    put_down(state, seat, slot, face)
    if state.variant == GIN:
        state.phase = DEFENCE_LAYOFFS
    else:
        after_laying(state, seat)


@device_function
def after_laying(state, seat):
    """RM-27."""
    state.phase = PLAY
    if size_of(state.hand[seat]) == 0:
        go_out(state, seat)
