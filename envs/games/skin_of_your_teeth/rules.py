"""The course of play of By The Skin of Your Teeth."""

from __future__ import annotations

import numpy as np

from ...core import events
from ...core import options as opt
from ...core.cards import DECK_54, STANDARD, SUITS
from ...core.compare.skin_of_your_teeth import skin_beats
from ...core.events import emit, emit_cards, emit_list, emit_secret
from ...core.jit import device_function
from ...core.layout import start
from ...core.rng import random_below, shuffle
from .combinations import SUBSETS, mark_combinations, strength_of
from .knowledge import (
    everybody,
    known_by,
    look_at_own,
    mix_piles,
    note_taken,
    reveal,
    sizes_as_digits,
    who_sees_attack,
    who_sees_defence,
)
from .state import (
    ACTIONS,
    AT_RANDOM,
    ATTACK,
    FROM_HAND,
    HAND,
    MOST,
    NOBODY,
    OVER,
    PILES,
    POINTS,
    SETUP,
    SUBSETS_OF_SLOTS,
    TARGET,
    VICTORY,
)

_TARGET = ACTIONS.at("target")


@device_function
def deal(state):
    size = np.int64(state.num_decks) * DECK_54
    while True:
        for k in range(size):  # ST-01
            state.deck[k] = k % DECK_54
        shuffle(state, state.deck, size)
        if everybody_can_make_piles(state):
            return


@device_function
def everybody_can_make_piles(state):
    """Whether each player is dealt six non-Jokers; with four decks, all eight Jokers may meet in a hand."""
    n = np.int64(state.num_players)
    for player in range(n):
        ordinary = 0
        for k in range(player, HAND * n, n):
            ordinary += state.deck[k] < STANDARD
        if ordinary < PILES:
            return False
    return True


@device_function
def begin(state):
    n = np.int64(state.num_players)
    clear_table(state)
    if state.first_player == opt.RANDOM:
        state.first_player = random_below(state, n)  # ST-08
    emit(state, events.ROUND, state.first_player, 0, NOBODY)
    for player in range(n):
        for k in range(player, HAND * n, n):  # ST-01
            add_to_hand(state, player, state.deck[k])
            state.deck[k] = 0
        emit_list(state, events.DEAL, player, state.hand[player], 0, HAND, 1 << player, NOBODY)
    state.phase = SETUP
    if state.setup == AT_RANDOM:
        for player in range(n):
            make_random_piles(state, player, PILES)
        start_play(state)
    else:
        start_setup(state, 0)


@device_function
def start_setup(state, player):
    emit(state, events.TURN, player, 0, NOBODY)
    state.current_player = player
    lay_out(state)


@device_function
def fill(array, value):
    """Fill part of an array. Loops compile much faster than assignments to slices."""
    for k in range(array.shape[0]):
        array[k] = value


@device_function
def clear_table(state):
    """Clear everything of the previous game except the scores and who begins."""
    for player in range(np.int64(state.num_players)):
        clear_player(state, player)
        state.last_target[player] = NOBODY
        state.last_position[player] = 0
        state.last_size[player] = 0
        state.last_at[player] = 0
        state.last_won[player] = 0
        for owner in range(np.int64(state.num_players)):
            fill(state.where[player, owner], 0)
    fill(state.discard, 0)
    fill(state.discard_seen, 0)
    state.discard_size = 0


@device_function
def clear_player(state, player):
    fill(state.hand[player], 0)
    state.hand_size[player] = 0
    for position in range(PILES):
        fill(state.pile[player, position], 0)
        state.pile_size[player, position] = 0
        state.made_of[player, position] = 0
        state.fell_size[player, position] = 0
        state.fell_at[player, position] = 0
        state.where[player, player, position] = 0


@device_function
def add_to_hand(state, player, card):
    """Put a card into its place by id."""
    place = np.int64(state.hand_size[player])
    while place > 0 and state.hand[player, place - 1] > card:
        state.hand[player, place] = state.hand[player, place - 1]
        place -= 1
    state.hand[player, place] = card
    state.hand_size[player] += 1


@device_function
def lay_out(state):
    """Fill the slots with the cards that the player to move may use."""
    player = np.int64(state.current_player)
    fill(state.slot_card, 0)
    fill(state.slot_pile, FROM_HAND)
    state.slot_count = 0
    if state.phase == OVER:
        return
    if state.hand_size[player] > 0:
        for slot in range(np.int64(state.hand_size[player])):
            state.slot_card[slot] = state.hand[player, slot]
        state.slot_count = state.hand_size[player]
    elif state.phase != SETUP:
        for position in range(PILES):  # ST-11
            for k in range(np.int64(state.pile_size[player, position])):
                add_slot(state, state.pile[player, position, k], position)


@device_function
def add_slot(state, card, position):
    slot = np.int64(state.slot_count)
    while slot > 0 and state.slot_card[slot - 1] > card:
        state.slot_card[slot] = state.slot_card[slot - 1]
        state.slot_pile[slot] = state.slot_pile[slot - 1]
        slot -= 1
    state.slot_card[slot] = card
    state.slot_pile[slot] = position
    state.slot_count += 1


# --- legal actions ---


@device_function
def legal_actions(state, mask):
    if state.phase == SETUP:
        legal_setup(state, mask)
    elif state.phase == ATTACK:
        legal_attack(state, mask)
    elif state.phase == TARGET:
        legal_target(state, mask)


@device_function
def ordinary_slots(state):
    """The number of slots without a Joker; they come first."""
    count = np.int64(state.slot_count)
    while count > 0 and state.slot_card[count - 1] >= STANDARD:
        count -= 1
    return count


@device_function
def legal_setup(state, mask):
    count = ordinary_slots(state)  # ST-03
    still_to_make = PILES - 1 - piles_made(state, np.int64(state.current_player))
    mark_combinations(state.slot_card, count, count - still_to_make, mask)  # ST-02


@device_function
def legal_attack(state, mask):
    ordinary = ordinary_slots(state)
    mark_combinations(state.slot_card, ordinary, np.int64(MOST), mask)  # ST-09
    for slot in range(ordinary, np.int64(state.slot_count)):  # ST-24
        mask[slot] = 1


@device_function
def legal_target(state, mask):
    n = np.int64(state.num_players)
    target = start(_TARGET, n)
    for ahead in range(1, n):  # ST-09
        player = (np.int64(state.current_player) + ahead) % n
        for position in range(PILES):
            if state.pile_size[player, position] > 0:
                mask[target + (ahead - 1) * PILES + position] = 1


# --- setup ---


@device_function
def piles_made(state, player):
    count = 0
    while count < PILES and state.pile_size[player, count] > 0:
        count += 1
    return count


@device_function
def make_pile(state, slots):
    """ST-02: the player to move makes the next pile of some slots (bits)."""
    player = np.int64(state.current_player)
    position = piles_made(state, player)
    size = 0
    for slot in range(np.int64(state.slot_count)):
        if slots >> slot & 1:
            state.pile[player, position, size] = state.slot_card[slot]
            size += 1
    emit_list(state, events.MELD, player, state.pile[player, position], 0, size, 1 << player, NOBODY)
    state.pile_size[player, position] = size
    state.made_of[player, position] = size
    state.where[player, player, position] = 1 << position  # ST-06
    drop_from_hand(state, player, slots)


@device_function
def drop_from_hand(state, player, slots):
    """Take some slots (bits) out of the hand that lies in them."""
    kept = 0
    count = np.int64(state.hand_size[player])
    for slot in range(count):
        if not slots >> slot & 1:
            state.hand[player, kept] = state.hand[player, slot]
            kept += 1
    for slot in range(kept, count):
        state.hand[player, slot] = 0
    state.hand_size[player] = kept


@device_function
def make_random_piles(state, player, count):
    """Make `count` piles of a player by uniformly random legal actions; the player becomes the one to move."""
    mask = np.empty(SUBSETS_OF_SLOTS, np.uint8)
    state.current_player = player
    for _ in range(count):
        lay_out(state)
        fill(mask, 0)
        legal_setup(state, mask)
        make_pile(state, np.int64(SUBSETS[random_marked(state, mask)]))


@device_function
def random_marked(state, mask):
    """A random index among the marked ones."""
    count = 0
    for i in range(mask.shape[0]):
        count += np.int64(mask[i])
    left = random_below(state, count)
    for i in range(mask.shape[0]):
        left -= np.int64(mask[i])
        if left < 0:
            return i
    return 0


@device_function
def start_play(state):
    state.phase = ATTACK
    for player in range(np.int64(state.num_players)):
        emit(state, events.SET_ASIDE, player, sizes_as_digits(state, player), NOBODY)
    begin_turn(state, np.int64(state.first_player))  # ST-08


# --- turns ---


@device_function
def step(state, action):
    if state.phase == SETUP:
        step_setup(state, action)
    elif state.phase == ATTACK:
        choose_attack(state, np.int64(SUBSETS[action]))
    else:
        step_target(state, action - start(_TARGET, np.int64(state.num_players)))


@device_function
def step_setup(state, action):
    player = np.int64(state.current_player)
    make_pile(state, np.int64(SUBSETS[action]))
    if piles_made(state, player) == PILES:
        if player == state.num_players - 1:
            start_play(state)
            return
        start_setup(state, player + 1)
    else:
        lay_out(state)


@device_function
def has_piles(state, player):
    for position in range(PILES):
        if state.pile_size[player, position] > 0:
            return True
    return False


@device_function
def begin_turn(state, player):
    """Begin the turn of `player` or, if they have no cards, of the next player clockwise with cards (ST-08, ST-10)."""
    n = np.int64(state.num_players)
    while state.hand_size[player] == 0 and not has_piles(state, player):
        player = (player + 1) % n
    state.current_player = player
    state.phase = ATTACK
    if state.hand_size[player] == 0:
        look_at_own(state, player)  # ST-11
    lay_out(state)


@device_function
def choose_attack(state, slots):
    player = np.int64(state.current_player)
    for position in range(FROM_HAND, PILES):
        suited, jokers = cards_from(state, slots, position)
        if position != FROM_HAND and suited != 0:
            emit_secret(state, events.CHOOSE, player, position, 1 << player, NOBODY)
        emit_cards(state, events.SELECT, player, suited, jokers, 1 << player, NOBODY)
    state.attack = slots
    state.phase = TARGET


@device_function
def cards_from(state, slots, position):
    """The cards in some slots (bits) that lie in a pile, or FROM_HAND, as two words of bits (`extended/sets.py`)."""
    suited, jokers = np.int64(0), np.int64(0)
    for slot in range(np.int64(state.slot_count)):
        if slots >> slot & 1 and state.slot_pile[slot] == position:
            card = np.int64(state.slot_card[slot])
            if card < STANDARD:
                suited |= np.int64(1) << card
            else:
                jokers |= np.int64(1) << (card - STANDARD)
    return suited, jokers


@device_function
def step_target(state, target):
    n = np.int64(state.num_players)
    attacker = np.int64(state.current_player)
    defender, position = (attacker + 1 + target // PILES) % n, target % PILES
    emit(state, events.CHALLENGE, attacker, position, defender)
    begin_attack = np.int64(state.discard_size)
    lay_down_attack(state, attacker, who_sees_attack(state, attacker, defender))
    size = np.int64(state.discard_size) - begin_attack
    attack = strength_of(state.discard, begin_attack, size)
    defence = strength_of(state.pile[defender, position], np.int64(0), np.int64(state.pile_size[defender, position]))  # ST-12
    won = skin_beats(attack, defence)
    reveal(state, defender, position, who_sees_defence(state, attacker, defender))
    knowing, pile = known_by(state, defender, position), state.pile[defender, position]
    emit_list(state, events.REVEAL, defender, pile, 0, state.pile_size[defender, position], knowing, NOBODY)
    emit(state, events.ANSWER, defender, won, NOBODY)
    if won:
        fall(state, defender, position, knowing)  # ST-15
    state.last_target[attacker] = defender
    state.last_position[attacker] = position
    state.last_size[attacker] = size
    state.last_at[attacker] = begin_attack
    state.last_won[attacker] = won
    if state.discard[begin_attack] >= STANDARD:
        for owner in range(n):
            mix_piles(state, owner)  # ST-25
    winner = find_winner(state, attacker, defender)
    if winner == NOBODY:
        begin_turn(state, (attacker + 1) % n)
    else:
        finish(state, winner)


@device_function
def put_on_discard(state, card, seen):
    place = np.int64(state.discard_size)
    state.discard[place] = card
    state.discard_seen[place] = seen
    state.discard_size += 1


@device_function
def lay_down_attack(state, player, viewers):
    """Move the attack's cards to the discard, where `viewers` (bits) see them; that one is a Joker shows."""
    attack, first = np.int64(state.attack), np.int64(state.discard_size)
    for slot in range(np.int64(state.slot_count)):
        if attack >> slot & 1:
            card = state.slot_card[slot]
            put_on_discard(state, card, viewers if card < STANDARD else everybody(state))
    if state.hand_size[player] > 0:
        emit_list(state, events.PLAY, player, state.discard, first, state.discard_size, state.discard_seen[first], NOBODY)
        drop_from_hand(state, player, attack)
    else:
        for position in range(PILES):
            take_from_pile(state, player, position, viewers)
    state.attack = 0


@device_function
def take_from_pile(state, player, position, viewers):
    """ST-11: the cards that the attack takes from one of the player's own piles."""
    size, taken = np.int64(state.pile_size[player, position]), 0
    for slot in range(np.int64(state.slot_count)):
        taken += np.int64(state.attack) >> slot & 1 and state.slot_pile[slot] == position
    if taken == 0:
        return
    knowing = known_by(state, player, position) if taken == size else np.int64(0)  # they know what leaves
    suited, place = np.int64(0), np.int64(state.discard_size) - count_bits(np.int64(state.attack))
    for slot in range(np.int64(state.slot_count)):
        if np.int64(state.attack) >> slot & 1:
            if state.slot_pile[slot] == position:
                state.discard_seen[place] |= knowing
                suited |= np.int64(1) << np.int64(state.slot_card[slot])
            place += 1
    emit(state, events.COLLECT, player, position, NOBODY)
    emit_cards(state, events.PLAY, player, suited, 0, viewers | knowing, NOBODY)
    note_taken(state, player, position, taken, viewers)
    kept = 0
    for k in range(size):
        card = state.pile[player, position, k]
        state.pile[player, position, k] = 0
        if not is_taken(state, card, position):
            state.pile[player, position, kept] = card
            kept += 1
    state.pile_size[player, position] = kept
    if kept == 0:
        state.made_of[player, position] = 0


@device_function
def is_taken(state, card, position):
    for slot in range(np.int64(state.slot_count)):
        if np.int64(state.attack) >> slot & 1 and state.slot_pile[slot] == position and state.slot_card[slot] == card:
            return True
    return False


@device_function
def count_bits(bits):
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@device_function
def fall(state, owner, position, knowing):
    """Move a pile to the discard, in the state last seen by the seats that know it (bits)."""
    state.fell_at[owner, position] = state.discard_size
    for k in range(np.int64(state.pile_size[owner, position])):
        put_on_discard(state, state.pile[owner, position, k], knowing)
    state.fell_size[owner, position] = state.pile_size[owner, position]
    state.pile_size[owner, position] = 0
    state.made_of[owner, position] = 0


# --- the end of a game ---


@device_function
def find_winner(state, attacker, defender):
    """ST-26: the only player with piles, or the defender if nobody has any; NOBODY while play goes on."""
    winner = NOBODY
    for player in range(np.int64(state.num_players)):
        if has_piles(state, player):
            if winner != NOBODY:
                return NOBODY
            winner = player
    return defender if winner == NOBODY else winner


@device_function
def points_of(card):
    """ST-28: 2 to K 12 to 1, A 6."""
    rank = np.int64(card) // SUITS
    return 12 - rank if rank < 12 else 6


@device_function
def finish(state, winner):
    n = np.int64(state.num_players)
    points = VICTORY  # ST-28
    for position in range(PILES):
        for k in range(np.int64(state.pile_size[winner, position])):
            points += points_of(state.pile[winner, position, k])
    emit(state, events.WIN, winner, points, NOBODY)
    state.score[winner] += points
    if state.scoring == POINTS:
        state.rewards[winner] = points
    else:
        for player in range(n):
            state.rewards[player] = 1 if player == winner else np.float32(-1 / (n - 1))
    state.game_number += 1
    state.first_player = winner  # ST-08
    state.phase = OVER
    lay_out(state)
    if state.game_number == state.games:
        state.terminated = 1
    else:
        state.deal_pending = 1
