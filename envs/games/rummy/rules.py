"""The rules of Rummy: the deal, legal actions and their effects (RM-01 to RM-04, RM-21 to RM-47).

Legal actions are represented by three values, `choices`: the faces of cards that may be named, as bits; whether a Joker may be
named; and the other actions, as bits. The mask is written from them, and they also show whether there is only one legal action.
"""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core.bits import count_bits, lowest_bit
from ...core.cards import DECK_66, STANDARD
from ...core.events import EVERYBODY, emit, emit_card, emit_list
from ...core.extended.pile import pile_size, top_card
from ...core.extended.sets import (
    BIT,
    FIRST_SPECIAL,
    ONE,
    RANK,
    ZERO,
    id_at,
    is_joker,
    is_special,
    kind_of,
    mark_cards,
    write_bits,
)
from ...core.extended.sets import DRAW as DRAW_KIND
from ...core.extended.state import NOBODY
from ...core.extended.turns import ROTATION, apply_effects, has_bit, note_effect, queue_kind, successor
from ...core.jit import device_function
from ...core.rng import shuffle
from .deadwood import can_knock, knock_discards
from .hands import JOKER, add, add_special, clear, count_of, emit_set, face_of, give_up, jokers_of, size_of
from .melding import added, begin_meld, closable, close, compose, deal_number, laid_off, lay_off, may_begin_meld, open_slots
from .melds import GROUP, RUN
from .scoring import draw_hand, go_out, hand_points, score_knock
from .state import (
    BASIC,
    CLOSE_AT,
    COMMIT,
    COMPOSE,
    CONTRACT,
    DECKS,
    DEFENCE_LAYOFFS,
    DEFENCE_MELDS,
    DRAW,
    DRAW_STOCK,
    FIRST,
    FOR_STOCK,
    GIN,
    GIN_HAND,
    JOKERS,
    KNOCK,
    KNOCK_DISCARD,
    KNOCK_MELDS,
    LAY_CARD,
    LAY_OFF_AT,
    MELD,
    OFFER,
    ONCE,
    PASS,
    PLAY,
    REVEAL_AT,
    TAKE_DISCARD,
)
from .turns import (
    at_wall,
    begin_turn,
    end_turn,
    forget_turn,
    lay_discard,
    may_take,
    redeal,
    revealable,
    stage,
    take_discard,
    take_stock,
)

# Actions other than cards as bits, from DRAW_STOCK on.
_BASE = DRAW_STOCK
_STOCK, _TAKE, _PASS, _KNOCK, _MELD, _COMMIT = (
    np.int64(1 << (action - _BASE)) for action in (DRAW_STOCK, TAKE_DISCARD, PASS, KNOCK, MELD, COMMIT)
)
_CLOSE_GROUP, _CLOSE_RUN = np.int64(1 << (CLOSE_AT - _BASE)), np.int64(2 << (CLOSE_AT - _BASE))
_SLOTS_FROM, _REVEALS_FROM = np.int64(LAY_OFF_AT - _BASE), np.int64(REVEAL_AT - _BASE)
_NOTHING = np.int64(0)


# --- the deal ---


@device_function
def deal(state):
    decks = DECKS if state.variant == CONTRACT else 1
    faces = STANDARD if state.standard else DECK_66
    for card in range(faces):
        for copy in range(decks):
            state.deck[card * decks + copy] = card
    shuffle(state, state.deck, faces * decks)


@device_function
def begin(state):
    clear_table(state)
    if state.variant == CONTRACT:
        emit(state, events.CONTRACT, NOBODY, deal_number(state), NOBODY)
    deal_hands(state)
    queue = lay_upcard(state)
    first = np.int64(0)
    if state.variant == CONTRACT:  # RM-04
        first = (deal_number(state) - 1) % np.int64(state.num_players)
    begin_turn(state, apply_effects(state, queue, NOBODY, first, ROTATION))
    if state.variant == GIN:
        state.phase = FIRST
        set_knock_card(state)


@device_function
def clear_table(state):
    n = np.int64(state.num_players)
    for seat in range(n):
        clear(state.hand[seat])
        clear(state.known[seat])
        state.draw[seat] = 0
        state.skip[seat] = 0
        state.effects[seat] = 0
        state.taken[seat] = 0
        state.new_melds[seat] = 0
        state.buys_left[seat] = state.buys if state.variant == CONTRACT else 0
    for slot in range(np.int64(state.melds)):
        clear(state.meld[slot])
        state.meld_kind[slot] = 0
        state.laid[slot] = ZERO
    for k in range(np.int64(state.discards)):
        state.discard[k] = 0
    clear(state.composition)
    state.melds = 0
    state.discards = 0
    state.discarder = NOBODY
    state.knocker = NOBODY
    state.aside = 0
    state.staged = 0
    state.slot = 0
    state.direction = 1
    state.paused = 0
    state.drawn = 0
    state.laid_now = 0
    state.laid_before = 0
    state.down = 0
    state.contract_melds = 0
    state.recycled = 0
    state.turns = 0
    state.idle_turns = 0
    state.pile_at = 0
    state.pile_end = (STANDARD if state.standard else DECK_66) * (DECKS if state.variant == CONTRACT else 1)


@device_function
def cards_each(state):
    """RM-01."""
    n = np.int64(state.num_players)
    if state.variant == CONTRACT:
        return 10 if deal_number(state) <= 3 else 12
    if state.variant == GIN or n == 2:
        return GIN_HAND
    return 7 if n <= 4 else 6


@device_function
def deal_hands(state):
    n, count = np.int64(state.num_players), cards_each(state)
    for seat in range(n):
        emit_list(state, events.DEAL, seat, state.deck[seat : n * count : n], 0, count, 1 << seat, NOBODY)
    for _ in range(count):
        for seat in range(n):
            add(state.hand[seat], top_card(state))


@device_function
def lay_upcard(state):
    """RM-02, RM-03: the first upcard, a common card: specials are redealt, a Draw as two. Returns the effects."""
    owed, queue = 1, np.int64(0)
    while owed > 0:
        card = top_card(state)
        if is_special(card) and pile_size(state) > 0:
            emit_card(state, events.SET_ASIDE, NOBODY, card, EVERYBODY, NOBODY)
            state.aside = add_special(np.int64(state.aside), card - FIRST_SPECIAL)
            if kind_of(card) == DRAW_KIND:
                owed += 1
            else:
                queue = queue_kind(queue, kind_of(card))
        else:
            lay_discard(state, NOBODY, card)
            owed -= 1
    return queue


@device_function
def set_knock_card(state):
    """The option `oklahoma`: the value of the upcard."""
    card = np.int64(state.discard[np.int64(state.discards) - 1])
    state.knock = state.knock_card
    if state.oklahoma and not is_joker(card):
        rank = RANK[card]
        state.knock = 0 if rank == 12 else min(rank + 2, 10)


# --- what is legal ---


@device_function
def legal_actions(state, mask):
    faces, joker, others = choices(state)
    mark_cards(mask, 0, faces, ONE if joker else ZERO)
    write_bits(mask, _BASE, np.uint64(others))


@device_function
def choices(state):
    """The faces that may be named, as bits of the first word of a set; whether a Joker may; other actions as bits."""
    phase = np.int64(state.phase)
    if phase == PLAY:
        return choices_in_play(state)
    if phase == COMPOSE:
        faces, joker = added(state)
        ends = (_CLOSE_GROUP if closable(state, GROUP) else 0) | (_CLOSE_RUN if closable(state, RUN) else 0)
        return faces, joker, ends
    if phase == LAY_CARD:
        faces, joker = laid_off(state, np.int64(state.current_player), np.int64(state.slot))
        return faces, joker, _NOTHING
    if phase == KNOCK_DISCARD:
        hand = state.hand[np.int64(state.turn)]
        faces, joker = knock_discards(hand[ONCE], jokers_of(hand), np.int64(state.knock))
        return faces, joker, _NOTHING
    return ZERO, False, choices_without_cards(state, phase)


@device_function
def choices_in_play(state):
    """RM-21: lay something, discard, knock, or reveal."""
    seat = np.int64(state.turn)
    others = reveals(state)
    if state.staged != 0:
        return ZERO, False, others
    hand = state.hand[seat]
    faces, joker = hand[ONCE], hand[JOKERS] != ZERO
    if state.variant == GIN:
        if can_knock(hand[ONCE], jokers_of(hand), np.int64(state.knock)):
            others |= _KNOCK
        return faces, joker, others
    face = np.int64(state.taken[seat]) - 1
    if face >= 0 and count_of(hand, face) == 1 and size_of(hand) > 1:  # RM-22
        if face == JOKER:
            joker = False
        else:
            faces &= ~BIT[face]
    if melds_left(state, seat) and may_begin_meld(state, seat):
        others |= _MELD
    if state.variant == BASIC or (has_bit(state.down, seat) and state.new_melds[seat] == 0):  # RM-26, RM-45
        others |= open_slots(state, seat) << _SLOTS_FROM
    return faces, joker, others


@device_function
def melds_left(state, seat):
    """RM-26, RM-43: whether the limit on melds allows the player to begin one this turn."""
    if state.variant == CONTRACT:
        return not has_bit(state.down, seat)
    return state.melds_per_turn == 0 or state.new_melds[seat] < state.melds_per_turn


@device_function
def reveals(state):
    """RM-54: the specials that may be revealed, and whether the staged ones may be redealt."""
    if state.standard:
        return _NOTHING
    choices = revealable(state) << _REVEALS_FROM
    return choices | _COMMIT if state.staged != 0 else choices


@device_function
def choices_without_cards(state, phase):
    seat = np.int64(state.current_player)
    if phase == FIRST:  # RM-30
        return _STOCK if state.passes == 2 else _TAKE | _PASS
    if phase == DRAW:
        return choices_to_draw(state, seat)
    if phase == OFFER:  # RM-47
        return _TAKE | _PASS
    if phase == KNOCK_MELDS:  # RM-33
        ends = _PASS if hand_points(state, seat) <= np.int64(state.knock) else _NOTHING
        return ends | _MELD if may_begin_meld(state, seat) else ends
    if phase == DEFENCE_LAYOFFS:  # RM-35
        return _PASS | open_slots(state, seat) << _SLOTS_FROM
    return _PASS | _MELD if may_begin_meld(state, seat) else _PASS


@device_function
def choices_to_draw(state, seat):
    if at_wall(state):  # RM-38
        return _PASS | _KNOCK if may_knock_with_upcard(state, seat) else _PASS
    choices = reveals(state)
    if state.staged != 0:
        return choices
    return choices | _STOCK | _TAKE if may_take(state, seat) else choices | _STOCK


@device_function
def may_knock_with_upcard(state, seat):
    if not may_take(state, seat):
        return False
    hand, card = state.hand[seat], np.int64(state.discard[np.int64(state.discards) - 1])
    once, jokers = hand[ONCE], jokers_of(hand)
    if is_joker(card):
        jokers += 1
    else:
        once |= BIT[card]
    return can_knock(once, jokers, np.int64(state.knock))


# --- actions ---


@device_function
def step(state, action):
    act(state, action)
    while not state.terminated and not state.deal_pending and is_automatic(state):
        faces, joker, others = choices(state)
        if count_bits(faces) + np.int64(joker) + count_bits(others) != 1:
            break
        if joker:
            act(state, JOKER)
        else:
            act(state, id_at(lowest_bit(faces)) if faces != ZERO else _BASE + lowest_bit(others))


@device_function
def is_automatic(state):
    """Whether a player with only one legal action is not asked."""
    phase = np.int64(state.phase)
    if phase in (COMPOSE, LAY_CARD):
        return True
    if state.variant != GIN or state.standard:
        return False
    return phase >= KNOCK_DISCARD or (phase == FIRST and state.passes == 2) or at_wall(state)


@device_function
def act(state, action):
    phase, seat = np.int64(state.phase), np.int64(state.current_player)
    if action < DECK_66:
        name_card(state, phase, seat, action)
    elif action < LAY_OFF_AT:
        if action == DRAW_STOCK:
            draw_stock(state, seat)
        elif action == TAKE_DISCARD:
            take(state, phase, seat)
        elif action == PASS:
            pass_on(state, phase, seat)
        elif action == KNOCK:
            begin_knock(state, phase, seat)
        elif action == MELD:
            begin_meld(state)
        else:
            close(state, action - CLOSE_AT)
    elif action < REVEAL_AT:
        state.slot = action - LAY_OFF_AT
        emit_set(state, events.DECLARE, seat, state.meld[state.slot], state.slot)
        state.phase = LAY_CARD
    elif action < COMMIT:
        stage(state, action - REVEAL_AT)
    else:
        redeal(state)


@device_function
def name_card(state, phase, seat, face):
    if phase == COMPOSE:
        compose(state, face)
    elif phase == LAY_CARD:
        lay_off(state, face)
    elif phase == PLAY:
        discard(state, seat, face)
    else:  # RM-32
        lay_discard(state, seat, give_up(state, seat, face))
        state.phase = KNOCK_MELDS


@device_function
def discard(state, seat, face):
    """RM-21: discard, which ends the turn."""
    card = give_up(state, seat, face)
    lay_discard(state, seat, card)
    if size_of(state.hand[seat]) == 0:
        go_out(state, seat)
        return
    if state.variant == GIN:
        again = np.int64(state.taken[seat]) - 1 == face
        if again and state.repeated:  # RM-36
            draw_hand(state)
            return
        state.repeated = again
    note_effect(state, seat, card)
    end_turn(state)


@device_function
def draw_stock(state, seat):
    if state.variant == CONTRACT and state.discards > 0 and pile_size(state) >= 2:  # RM-47
        emit(state, events.CHOOSE, seat, FOR_STOCK, NOBODY)
        offer(state, seat)
    else:
        draw(state)


@device_function
def draw(state):
    """The player in turn draws from the stock."""
    seat = np.int64(state.turn)
    take_stock(state, seat)
    state.repeated = 0
    has_drawn(state, seat)


@device_function
def has_drawn(state, seat):
    state.current_player = seat
    state.drawn = np.int64(state.drawn) | 1 << seat
    state.phase = PLAY


@device_function
def offer(state, seat):
    """RM-47: offer the discard to the next player after `seat` who may buy it; after the last, the player in turn draws."""
    turn = np.int64(state.turn)
    seat = successor(state, seat, 0)
    while seat != turn:
        if not has_bit(state.down, seat) and state.buys_left[seat] > 0 and may_take(state, seat):
            state.phase = OFFER
            state.current_player = seat
            return
        seat = successor(state, seat, 0)
    draw(state)


@device_function
def take(state, phase, seat):
    """Take or buy the discard."""
    card = take_discard(state, seat)
    if phase == OFFER:
        state.buys_left[seat] -= 1
        take_stock(state, seat)
        draw(state)
        return
    state.taken[seat] = face_of(card) + 1
    if state.variant == GIN and phase == DRAW:
        state.upcard_draws += 1
        if state.upcard_draws == state.upcard_cap:  # RM-39
            draw_hand(state)
            return
    has_drawn(state, seat)


@device_function
def pass_on(state, phase, seat):
    emit(state, events.PASS, seat, 0, NOBODY)
    if phase == OFFER:
        offer(state, seat)
    elif phase == FIRST:  # RM-30
        state.passes += 1
        give_turn(state, 1 - seat)
    elif phase == DRAW:  # RM-38
        draw_hand(state)
    elif phase == KNOCK_MELDS:  # RM-35
        state.phase = DEFENCE_MELDS if hand_points(state, seat) == 0 else DEFENCE_LAYOFFS
        end_turns(state)
        give_turn(state, 1 - seat)
    elif phase == DEFENCE_LAYOFFS:
        state.phase = DEFENCE_MELDS
    else:
        score_knock(state)


@device_function
def end_turns(state):
    """After a knock, no turn of the knocker or of a paused player continues."""
    for seat in range(np.int64(state.num_players)):
        forget_turn(state, seat)
    state.paused = 0


@device_function
def give_turn(state, seat):
    state.turn = seat
    state.current_player = seat


@device_function
def begin_knock(state, phase, seat):
    if phase == DRAW:  # RM-38
        state.taken[seat] = face_of(take_discard(state, seat)) + 1
        has_drawn(state, seat)
    emit(state, events.KNOCK, seat, 0, NOBODY)
    state.knocker = seat
    state.phase = KNOCK_DISCARD
