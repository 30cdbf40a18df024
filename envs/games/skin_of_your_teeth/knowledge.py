"""Knowledge of piles (ST-06, ST-25, ST-29). The comment at FIELDS in state.py explains `where`."""

from __future__ import annotations

import numpy as np

from ...core.events import NOBODY, SHUFFLE, TURN_UP, emit, emit_list
from ...core.jit import device_function
from ...core.rng import random_below
from .state import DEFENDER_ONLY, MOST, OPEN, PILES


@device_function
def everybody(state):
    return (np.int64(1) << np.int64(state.num_players)) - 1


@device_function
def who_sees_attack(state, attacker, defender):
    """ST-29."""
    if state.visibility == OPEN:
        return everybody(state)
    return (np.int64(1) << attacker) | (np.int64(1) << defender)


@device_function
def who_sees_defence(state, attacker, defender):
    """ST-29."""
    if state.visibility == DEFENDER_ONLY:
        return np.int64(1) << defender
    return who_sees_attack(state, attacker, defender)


@device_function
def knows(state, viewer, owner, position):
    """Whether the viewer knows the cards that lie (or fell) at this position."""
    return state.where[viewer, owner, position] == 1 << position


@device_function
def known_by(state, owner, position):
    """The seats that know the cards that lie (or fell) at this position, as bits."""
    viewers = np.int64(0)
    for viewer in range(np.int64(state.num_players)):
        if knows(state, viewer, owner, position):
            viewers |= np.int64(1) << viewer
    return viewers


@device_function
def size_there(state, owner, position):
    """Cards of the pile at a position, or of the one that fell there."""
    return np.int64(state.pile_size[owner, position]) + np.int64(state.fell_size[owner, position])


@device_function
def pile_key(state, viewer, owner, position):
    """A number that tells piles apart by size, cards and where the viewer thinks they may lie."""
    size = size_there(state, owner, position)
    key = size
    for k in range(MOST):
        key = key * 64 + np.int64(state.pile[owner, position, k])
    return key * 64 + np.int64(state.where[viewer, owner, position])


@device_function
def largest_of(state, viewer, owner, positions):
    """Of the piles at some positions (bits), the one of the largest key: an order that does not depend on positions."""
    best, best_key = 0, np.int64(-1)
    for position in range(PILES):
        if positions >> position & 1:
            key = pile_key(state, viewer, owner, position)
            if key > best_key:
                best, best_key = position, key
    return best


@device_function
def reveal(state, owner, position, viewers):
    """`viewers` (bits) see the cards at a position."""
    for viewer in range(np.int64(state.num_players)):
        if viewers >> viewer & 1 and not knows(state, viewer, owner, position):
            if state.num_decks > 1 and viewer != owner:
                confuse_equals(state, viewer, owner, position)
            state.where[viewer, owner, position] = 1 << position
            eliminate(state, viewer, owner)


@device_function
def eliminate(state, viewer, owner):
    """Where the viewer knows what lies, no other pile can lie. Not with hidden attacks, unless the viewer is the owner: there,
    what is known of a position would depend on more than who has looked at it."""
    again = viewer == owner or state.visibility == OPEN
    while again:
        again = False
        for position in range(PILES):
            for other in range(PILES):
                if knows(state, viewer, owner, position) and other != position:
                    if state.where[viewer, owner, other] >> position & 1:
                        state.where[viewer, owner, other] ^= 1 << position
                        again = again or knows(state, viewer, owner, other)


@device_function
def confuse_equals(state, viewer, owner, position):
    """With several decks a player may have equal piles. A viewer who knows of such cards somewhere, here among other places,
    and now sees them here takes them for the ones known; if they are not, the others are as unknown as this pile was."""
    together = np.int64(state.where[viewer, owner, position])
    forget = together == 0
    for other in range(PILES):
        if is_equal_and_here(state, viewer, owner, position, other):
            together |= np.int64(state.where[viewer, owner, other])
    for other in range(PILES):
        if is_equal_and_here(state, viewer, owner, position, other):
            state.where[viewer, owner, other] = 0 if forget else together
            forget = False


@device_function
def is_equal_and_here(state, viewer, owner, position, other):
    """Whether pile `other`, whose cards but not position the viewer knows, equals the one at `position` and may lie there."""
    if other == position or knows(state, viewer, owner, other):
        return False
    size = size_there(state, owner, other)
    if not state.where[viewer, owner, other] >> position & 1 or size != size_there(state, owner, position):
        return False
    for k in range(size):
        if state.pile[owner, other, k] != state.pile[owner, position, k]:
            return False
    return True


@device_function
def note_taken(state, owner, position, count, viewers):
    """The owner takes `count` cards of the pile at a position for an attack that `viewers` (bits) see (ST-11).

    Called before they leave. Those who see the attack see which card came from where. A viewer who does not no longer
    knows what is left; nor does one who cannot tell whether a pile known to lie here or elsewhere is the one.
    """
    whole = count == state.pile_size[owner, position]
    for viewer in range(np.int64(state.num_players)):
        if viewers >> viewer & 1:
            if whole:
                reveal(state, owner, position, np.int64(1) << viewer)
            elif not knows(state, viewer, owner, position):
                note_seen_taken(state, viewer, owner, position)
        elif not (whole and knows(state, viewer, owner, position)):
            for other in range(PILES):
                if state.where[viewer, owner, other] >> position & 1:
                    state.where[viewer, owner, other] = 0


@device_function
def note_seen_taken(state, viewer, owner, position):
    """A pile known to lie here or elsewhere is this one, if it holds the cards taken. It may be one without being the other
    with several decks; and with hidden attacks, what is known of a position must not depend on the cards."""
    for other in range(PILES):
        if state.where[viewer, owner, other] >> position & 1 and not knows(state, viewer, owner, other):
            if not has_taken(state, owner, position, other):
                if state.visibility == OPEN:
                    state.where[viewer, owner, other] ^= 1 << position
            elif state.visibility == OPEN and state.num_decks == 1:
                state.where[viewer, owner, other] = 1 << position
            else:
                state.where[viewer, owner, other] = 0
    eliminate(state, viewer, owner)


@device_function
def has_taken(state, owner, position, other):
    """Whether pile `other` holds all the cards that the attack takes from the pile at `position`."""
    for slot in range(np.int64(state.slot_count)):
        if np.int64(state.attack) >> slot & 1 and state.slot_pile[slot] == position:
            taken = False
            for k in range(size_there(state, owner, other)):
                if state.pile[owner, other, k] == state.slot_card[slot]:
                    taken = True
            if not taken:
                return False
    return True


@device_function
def look_at_own(state, player):
    """ST-11: a player who attacks with own piles sees them."""
    for position in range(PILES):
        size = np.int64(state.pile_size[player, position])
        if size > 0:
            if not knows(state, player, player, position):
                emit_list(state, TURN_UP, player, state.pile[player, position], 0, size, 1 << player, NOBODY)
            state.where[player, player, position] = 1 << position


@device_function
def mix_piles(state, owner):
    """ST-25: shuffle an owner's piles among the positions they occupy."""
    to = np.empty(PILES, np.int64)  # where the pile at each position goes
    for position in range(PILES):
        to[position] = position
    for position in range(PILES - 1, 0, -1):
        if state.pile_size[owner, position] > 0:
            other = random_occupied(state, owner, position)
            target = to[position]
            to[position] = to[other]
            to[other] = target
    pile = np.empty(PILES * MOST, np.int64)
    size, made = np.empty(PILES, np.int64), np.empty(PILES, np.int64)
    for position in range(PILES):
        for k in range(MOST):
            pile[to[position] * MOST + k] = state.pile[owner, position, k]
        size[to[position]] = state.pile_size[owner, position]
        made[to[position]] = state.made_of[owner, position]
    landing = np.empty(PILES, np.int64)  # for the pile at each position: where one of its size may now lie
    for position in range(PILES):
        landing[position] = 1 << position if state.pile_size[owner, position] == 0 else 0
        for other in range(PILES):
            if size[other] > 0 and size[other] == state.pile_size[owner, position]:
                landing[position] |= 1 << other
    for position in range(PILES):
        for k in range(MOST):
            state.pile[owner, position, k] = pile[position * MOST + k]
        state.pile_size[owner, position] = size[position]
        most = np.int64(0)
        for other in range(PILES):
            if size[other] == size[position] and made[other] > most:
                most = made[other]
        if size[position] > 0:
            state.made_of[owner, position] = most
    sizes = sizes_as_digits(state, owner)
    if sizes > 0:
        emit(state, SHUFFLE, owner, sizes, NOBODY)
    for viewer in range(np.int64(state.num_players)):
        mix_knowledge(state, viewer, owner, to, landing)


@device_function
def sizes_as_digits(state, owner):
    """The cards at each position of an owner as a decimal number, a digit each."""
    digits = np.int64(0)
    for position in range(PILES):
        digits = 10 * digits + np.int64(state.pile_size[owner, position])
    return digits


@device_function
def random_occupied(state, owner, last):
    """One of the occupied positions 0..last, at random."""
    count = 0
    for position in range(last + 1):
        count += state.pile_size[owner, position] > 0
    left = random_below(state, count)
    position = 0
    while state.pile_size[owner, position] == 0 or left > 0:
        left -= state.pile_size[owner, position] > 0
        position += 1
    return position


@device_function
def mix_knowledge(state, viewer, owner, to, landing):
    """A pile that may lie at some positions may lie wherever the piles there may have gone."""
    known = np.empty(PILES, np.int64)
    for position in range(PILES):
        before, after = np.int64(state.where[viewer, owner, position]), np.int64(0)
        for other in range(PILES):
            if before >> other & 1:
                after |= landing[other]
        known[to[position]] = after
    for position in range(PILES):
        state.where[viewer, owner, position] = known[position]
