"""Rule-based By The Skin of Your Teeth: strong piles, attacks with the cheapest cards that are likely to win.

Every turn costs cards, so it saves them: it attacks with one card where one suffices, and discards the least useful card when
no pile is likely to fall. An attack and its target are rated together: the probability that the pile falls (from its cards if
known, else from the unseen cards), times the value of its loss, less the value of the attack's cards. Twos go against Aces and
Jokers against singles that nothing else beats because of this rating, not by rules of their own. Cards taken from own piles
(ST-11) cost what the defence loses. In setup the piles are strong singles and strong pairs: larger ones take too many cards
from the hand, and a hand that is soon empty makes its player attack with their own piles.
"""

from __future__ import annotations

import numpy as np

from ...envs.core.cards import STANDARD, SUITS
from ...envs.core.compare.packed import KIND_SHIFT
from ...envs.core.compare.skin_of_your_teeth import SKIN_STRAIGHT, skin_beats, skin_strength
from ...envs.core.jit import device_function
from ...envs.core.layout import start
from ...envs.games.skin_of_your_teeth.combinations import SUBSETS
from ...envs.games.skin_of_your_teeth.state import ACTIONS, HAND, MOST, OBSERVATION, PILES, SUBSETS_OF_SLOTS
from .reading import whole

_SLOT_RANK, _SLOT_SUIT, _SLOT_JOKER, _SLOT_PILE = OBSERVATION.places("slot_rank", "slot_suit", "slot_joker", "slot_pile")
_SLOT_CHOSEN, _PHASE, _DISCARDED, _HAND_SIZE = OBSERVATION.places("slot_chosen", "phase", "discarded", "hand_size")
_PILE_SIZE, _PILE_BROKEN, _PILE_KNOWN, _PILE_CARDS = OBSERVATION.places("pile_size", "pile_broken", "pile_known", "pile_cards")
_LOOSE_SIZE, _LOOSE_CARDS = OBSERVATION.places("loose_size", "loose_cards")
_TARGET = ACTIONS.at("target")
RANKS = STANDARD // SUITS
_JOKER = STANDARD  # place of a Joker in a card set
_LOW_CARDS = (np.int64(1) << KIND_SHIFT) - 1

# Found by playing variants with 4 players against each other and against random.
PILE_VALUE = np.array([0.0, 1.0, 1.2, 0.0, 0.0, 0.0])  # of a pile of so many cards, in setup
PILE_RANK = 1.0  # how much more the strongest of a size is worth
SAFE = np.array([0.0, 0.3, 0.6, 0.8, 0.9, 0.9])  # chance that the weakest pile of a size survives; the strongest always does
RUIN = 0.2  # what a card in an invalid pile is still worth
LIFE = 0.5  # what any card is worth
QUALITY = 1.0  # how much more the strongest single is worth
LEADER = 0.1  # how much dearer a pile of the player with the most cards is
VICTORY = 100.0  # extra for the last pile of the last opponent who has any
BROKEN = np.array([0.0, 0.0, 0.2, 0.6, 1.0, 1.0])  # chance that a pile of this size is invalid after cards were taken


@device_function
def policy(observation, mask, num_players, noise):
    n = num_players
    places = np.zeros(HAND, np.int64)  # each slot's place in a card set, -1 for none
    unseen = np.zeros(STANDARD + 1)  # the chance that a card, by its place, is somewhere unseen
    read_slots(observation, n, places)
    read_unseen(observation, n, places, unseen)
    chances = np.zeros((MOST + 1, RANKS + 1))
    rank_chances(unseen, chances)
    if observation[start(_PHASE, n)] > 0:
        return best_pile(mask, places, chances)
    if observation[start(_PHASE, n) + 2] > 0:
        return best_target(observation, mask, n, places, chances)
    return best_attack(observation, mask, n, places, chances)


# --- reading ---


@device_function
def read_slots(observation, n, places):
    rank, suit, joker = start(_SLOT_RANK, n), start(_SLOT_SUIT, n), start(_SLOT_JOKER, n)
    for slot in range(HAND):
        places[slot] = _JOKER if observation[joker + slot] > 0 else -1
        for k in range(RANKS):
            if observation[rank + slot * RANKS + k] > 0:
                places[slot] = k * SUITS
        for k in range(SUITS):
            if observation[suit + slot * SUITS + k] > 0:
                places[slot] += k


@device_function
def read_unseen(observation, n, places, unseen):
    """All cards, less those discarded, own, and known in piles."""
    discarded = start(_DISCARDED, n)
    for card in range(STANDARD + 1):
        place = card ^ ((~card >> 1) & 1) if card < STANDARD else card  # ids have clubs first, card sets diamonds
        unseen[place] = 1 - observation[discarded + card]
    for slot in range(HAND):
        if 0 <= places[slot] < STANDARD:
            unseen[places[slot]] = 0
    first = start(_PILE_CARDS, n)
    for k in range(n * PILES * MOST):
        if observation[first + 2 * k] > 0:
            unseen[card_place(observation, first + 2 * k)] = 0


@device_function
def card_place(observation, index):
    """The place in a card set of a card written as rank and suit."""
    return (whole(observation, index, 14) - 1) * SUITS + whole(observation, index + 1, SUITS) - 1


@device_function
def cards_strength(observation, index, size):
    """Strength of cards written as ranks and suits."""
    cards, counts = np.int64(0), np.int64(0)
    for k in range(size):
        place = card_place(observation, index + 2 * k)
        cards |= np.int64(1) << place
        counts += np.int64(1) << (place & 60)
    return skin_strength(cards, counts, size)


@device_function
def slots_strength(places, slots):
    """Strength of the cards in some slots (bits)."""
    cards, counts, size = np.int64(0), np.int64(0), 0
    for slot in range(HAND):
        if slots >> slot & 1:
            cards |= np.int64(1) << places[slot]
            counts += np.int64(1) << (places[slot] & 60)
            size += 1
    return skin_strength(cards, counts, size)


# --- chances ---


@device_function
def rank_chances(unseen, chances):
    """chances[size, rank]: how likely an unseen single (pair, three, four) is of a lower rank; [size, RANKS] = 1."""
    for size in range(1, 5):
        total = 0.0
        for rank in range(RANKS):
            chances[size, rank] = total
            of_rank = 0.0
            for suit in range(SUITS):
                of_rank += unseen[rank * SUITS + suit]
            ways = of_rank
            for k in range(1, size):
                ways *= max(0.0, of_rank - k) / (k + 1)
            total += ways
        for rank in range(RANKS):
            chances[size, rank] = chances[size, rank] / total if total > 0 else (rank + 0.5) / RANKS
        chances[size, RANKS] = 1


@device_function
def top_rank(strength):
    """The highest rank in a strength of one to four cards, or of a straight."""
    cards, rank = strength & _LOW_CARDS, -1
    while cards > 0:
        cards >>= SUITS
        rank += 1
    return rank


@device_function
def standing(strength, size, chances):
    """The chance that these cards are above an unseen combination of as many."""
    if strength == 0:
        return 0.0
    if size < MOST:
        rank = min(top_rank(strength), RANKS)
        return 0.5 * (chances[size, rank] + chances[size, min(rank + 1, RANKS)])
    kind = (strength >> KIND_SHIFT) - SKIN_STRAIGHT
    return min(0.98, 0.2 + 0.25 * kind)


@device_function
def chance(observation, n, seat, position, attack, size, chances):
    """The chance that an attack beats the pile at a position of a seat."""
    offset = seat * PILES + position
    pile_size = whole(observation, start(_PILE_SIZE, n) + offset, MOST)
    if observation[start(_PILE_KNOWN, n) + offset] > 0:
        defence = cards_strength(observation, start(_PILE_CARDS, n) + offset * MOST * 2, pile_size)
        return 1.0 if skin_beats(attack, defence) else 0.0
    invalid = BROKEN[pile_size] if observation[start(_PILE_BROKEN, n) + offset] > 0 else 0.0
    if pile_size != size:
        return invalid
    return invalid + (1 - invalid) * unplaced_chance(observation, n, seat, attack, size, chances)


@device_function
def unplaced_chance(observation, n, seat, attack, size, chances):
    """The same for one of the seat's piles of this size of which the viewer does not know which it is."""
    piles, loose, beaten = 0, 0, 0.0
    for position in range(PILES):
        offset = seat * PILES + position
        if whole(observation, start(_PILE_SIZE, n) + offset, MOST) == size and observation[start(_PILE_KNOWN, n) + offset] == 0:
            piles += 1
        if whole(observation, start(_LOOSE_SIZE, n) + offset, MOST) == size:
            loose += 1
            defence = cards_strength(observation, start(_LOOSE_CARDS, n) + offset * MOST * 2, size)
            beaten += skin_beats(attack, defence)
    fresh = max(0, piles - loose)
    beats_fresh = 1.0 if attack >> KIND_SHIFT == 1 and top_rank(attack) == RANKS else standing(attack, size, chances)
    return (beaten + fresh * beats_fresh) / max(1, loose + fresh)


# --- values ---


@device_function
def defence_value(strength, size, chances):
    """The value of a pile to its owner."""
    if strength == 0:
        return RUIN * size
    return size * (SAFE[size] + (1 - SAFE[size]) * standing(strength, size, chances))


@device_function
def pile_cards(observation, n, seat):
    total = 0
    for position in range(PILES):
        total += whole(observation, start(_PILE_SIZE, n) + seat * PILES + position, MOST)
    return total


@device_function
def piles_left(observation, n, seat):
    count = 0
    for position in range(PILES):
        count += observation[start(_PILE_SIZE, n) + seat * PILES + position] > 0
    return count


@device_function
def all_cards(observation, n, seat):
    return pile_cards(observation, n, seat) + whole(observation, start(_HAND_SIZE, n) + seat, HAND)


@device_function
def worth(observation, n, seat, position):
    """The value of the fall of an opponent's pile."""
    size = whole(observation, start(_PILE_SIZE, n) + seat * PILES + position, MOST)
    most, defenders = 1, 0
    for other in range(1, n):
        if piles_left(observation, n, other) > 0:
            defenders += 1
            most = max(most, all_cards(observation, n, other))
    value = size * (1 + LEADER * all_cards(observation, n, seat) / most)
    if defenders == 1 and piles_left(observation, n, seat) == 1:
        value += VICTORY
    return value


@device_function
def card_cost(place, chances):
    """The value of a card in the hand."""
    if place == _JOKER:
        return LIFE + QUALITY
    return LIFE + QUALITY * 0.5 * (chances[1, place // SUITS] + chances[1, place // SUITS + 1])


@device_function
def attack_cost(observation, n, places, slots, chances):
    """The value of an attack's cards: in the hand by themselves, in piles by the loss of defence."""
    cost, from_hand = 0.0, True
    pile_at = start(_SLOT_PILE, n)
    for position in range(PILES):
        lying, taken = 0, 0
        for slot in range(HAND):
            if observation[pile_at + slot * PILES + position] > 0:
                lying |= 1 << slot
                taken |= slots & (1 << slot)
        if taken:
            from_hand = False
            cost += slots_value(places, lying, chances) - slots_value(places, lying & ~taken, chances)
    if from_hand:
        for slot in range(HAND):
            if slots >> slot & 1:
                cost += card_cost(places[slot], chances)
    return cost


@device_function
def slots_value(places, slots, chances):
    size = 0
    for slot in range(HAND):
        size += slots >> slot & 1
    return defence_value(slots_strength(places, slots), size, chances) if size else 0.0


# --- decisions ---


@device_function
def size_of(slots):
    size = 0
    for slot in range(HAND):
        size += slots >> slot & 1
    return size


@device_function
def best_pile(mask, places, chances):
    best, choice = -1.0e9, -1
    for action in range(SUBSETS_OF_SLOTS):
        if mask[action]:
            slots = np.int64(SUBSETS[action])
            size = size_of(slots)
            value = PILE_VALUE[size] + PILE_RANK * standing(slots_strength(places, slots), size, chances)
            if value > best:
                best, choice = value, action
    return choice


@device_function
def best_attack(observation, mask, n, places, chances):
    best, choice = -1.0e9, -1
    for action in range(SUBSETS_OF_SLOTS):
        if mask[action]:
            slots = np.int64(SUBSETS[action])
            attack, size = slots_strength(places, slots), size_of(slots)
            gain = 0.0
            for seat in range(1, n):
                for position in range(PILES):
                    if observation[start(_PILE_SIZE, n) + seat * PILES + position] > 0:
                        likely = chance(observation, n, seat, position, attack, size, chances)
                        gain = max(gain, likely * worth(observation, n, seat, position))
            value = gain - attack_cost(observation, n, places, slots, chances)
            if value > best:
                best, choice = value, action
    return choice


@device_function
def best_target(observation, mask, n, places, chances):
    slots = 0
    for slot in range(HAND):
        if observation[start(_SLOT_CHOSEN, n) + slot] > 0:
            slots |= 1 << slot
    attack, size = slots_strength(places, slots), size_of(slots)
    best, choice = -1.0, -1
    target = start(_TARGET, n)
    for k in range((n - 1) * PILES):
        if mask[target + k]:
            seat, position = 1 + k // PILES, k % PILES
            value = (0.001 + chance(observation, n, seat, position, attack, size, chances)) * worth(
                observation, n, seat, position
            )
            if value > best:
                best, choice = value, target + k
    return choice
