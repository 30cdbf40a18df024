"""Rule-based Wild Escape: partitions the hand into few plays, and rates each play by its effect on the race of the two teams.

The player partitions its hand into the cheapest plays (plans.py): a play costs a turn, less its value for regaining the lead
(table.py). A play is rated by its reduction of that cost, by the probability that nobody beats it times the value of the lead,
and by side effects: opponents who take the lead or can play their last cards on it count against it, team mates for it. Passing
is rated in the same way, by the outcome of the play on the table. So combinations stay together unless splitting helps the hand
or the team, a team mate's play is rarely beaten, unbeatable plays go first near the end, and the opponent who is nearest to
escape is blocked.
"""

from __future__ import annotations

import numpy as np

from ....envs.core.cards import DECK_54, SMALL_JOKER, STANDARD, SUITS
from ....envs.core.jit import device_function
from ....envs.core.layout import start
from ....envs.games.wild_escape.combinations import FAMILY, FLUSH, RANK, SIZE
from ....envs.games.wild_escape.state import (
    ACTIONS,
    ANSWER,
    EXCHANGES,
    FAMILIES,
    HIGHER,
    KINDS,
    OFFER,
    PLAY,
    PLAYERS,
)
from ....envs.games.wild_escape.state import CARDS as CARDS_OF_PLAY
from .plans import (
    BIG,
    BUILT,
    MAX_PLANS,
    NO_PLAY,
    PARTS,
    PLACES,
    ROWS,
    SMALL,
    TAKEN,
    Plans,
    build,
    make_plans,
    place_of_kind,
    read_cards,
    rest_after,
)
from .table import (
    CARDS,
    FINISHES,
    LEAD,
    LEAD_1,
    LEADS,
    PASS,
    SEAT_COLUMNS,
    SHARE,
    WEIGHTS,
    chosen_cards,
    chosen_kind,
    kind_to_beat,
    note_passes,
    offered_card,
    opponents_share,
    own_hand,
    owner_of_beat,
    read_chances,
    read_seats,
    stage_of,
    stands,
    trump_of,
)

_KEEP, _CARD = ACTIONS.at("keep"), ACTIONS.at("card")
OUT = 1000.0  # to play the last card


@device_function
def policy(observation, mask, num_players, noise):
    return decide(observation, mask, WEIGHTS)


@device_function
def decide(observation, mask, w):
    """What to do, by weights as in table.py."""
    stage = stage_of(observation)
    trump = trump_of(observation)
    counts = np.zeros(DECK_54, np.int64)
    seats = np.zeros((PLAYERS, SEAT_COLUMNS))
    expected, price = np.zeros((FAMILIES, PLACES)), np.zeros((FAMILIES, PLACES))
    kinds, turns = np.zeros(MAX_PLANS, np.int64), np.zeros(MAX_PLANS, np.int64)
    plans = Plans(np.zeros((ROWS, PARTS), np.int64), kinds, np.zeros(MAX_PLANS), turns, price, trump)
    own_hand(observation, counts)
    read_seats(observation, w, seats)
    read_chances(observation, w, counts, seats, trump, expected, price)
    note_passes(observation, w, seats)
    if stage in (PLAY, CARDS_OF_PLAY):
        read_cards(counts, plans.hands[0])
        count = make_plans(plans)
        if stage == PLAY:
            return best_kind(observation, mask, w, seats, expected, plans, count)
        return next_card(observation, mask, plans, count)
    if stage == ANSWER:
        return best_answer(observation, counts, plans)
    if stage == HIGHER:
        add_offered(observation, counts)
    if stage == OFFER:
        return best_offer(observation, mask, counts, plans)
    return start(_CARD, PLAYERS) + least_useful(mask, counts, plans)


# --- plays ---


@device_function
def best_kind(observation, mask, w, seats, expected, plans, count):
    beat, owner, trump = kind_to_beat(observation), owner_of_beat(observation), plans.trump
    choice, best = 0, -1.0e9
    if beat:
        best = w[PASS] + value_of_pass(seats, expected[FAMILY[beat], place_of_kind(beat, trump)], owner, SIZE[FAMILY[beat]])
    for kind in range(1, KINDS):
        if mask[kind]:
            high = must_be_high(beat, kind)
            rest, left, _, _ = rest_after(plans, count, kind, high)
            if rest < NO_PLAY:
                value = plans.cost[count - 1] - rest
                value += value_of_play(w, seats, expected[FAMILY[kind], place_of_kind(kind, trump)], SIZE[FAMILY[kind]], left)
                if value > best:
                    choice, best = kind, value
    return np.int64(choice)


@device_function
def must_be_high(beat, kind):
    """Whether a flush has to beat one with the same highest card (WE-09)."""
    return FAMILY[kind] == FLUSH and beat > 0 and FAMILY[beat] == FLUSH and RANK[beat] == RANK[kind]


@device_function
def value_of_play(w, seats, expected, size, left):
    """The value of a play of a size apart from the saved cards: the lead with this number of turns left, if nobody beats it."""
    chance = stands(expected * opponents_share(seats, size) / max(seats[0, SHARE + size], 1.0e-9))
    if left == 0:
        return OUT
    lead = seats[0, LEADS] * w[LEAD if left > 3 else LEAD_1 + left - 1]
    value = chance * lead + (1 - chance) * lead_of_opponents(seats, size)
    for seat in range(1, PLAYERS):
        if seats[seat, CARDS] == size:
            value += (1 - chance) * seats[seat, FINISHES]
    return value


@device_function
def lead_of_opponents(seats, size):
    """The value if an opponent who can play this number of cards gets the lead."""
    total, weight = 0.0, 1.0e-9
    for seat in range(1, PLAYERS, 2):
        total += seats[seat, SHARE + size] * seats[seat, LEADS]
        weight += seats[seat, SHARE + size]
    return total / weight


@device_function
def value_of_pass(seats, expected, owner, size):
    """The value of leaving the play on the table to the others: only those before its owner can still beat it."""
    later_opponents, later_mates = 0.0, 0.0
    lead_opponents, lead_mates, finishes = 0.0, 0.0, 0.0
    overtaken = 1 - stands(expected)
    for seat in range(1, PLAYERS):
        share = seats[seat, SHARE + size]
        if seat < owner:
            if seat % 2:
                later_opponents += share
                lead_opponents += share * seats[seat, LEADS]
            elif owner % 2:
                later_mates += share
                lead_mates += share * seats[seat, LEADS]
            if seats[seat, CARDS] == size:
                finishes += overtaken * seats[seat, FINISHES]
    expected_later = expected * (later_opponents + later_mates) / max(seats[0, SHARE + size], 1.0e-9)
    chance = stands(expected_later)
    leader = owner
    while leader and seats[leader, CARDS] == 0:  # WE-15
        leader = (leader + 1) % PLAYERS
    value = chance * seats[leader, LEADS] + finishes
    if expected_later > 0:
        value += (1 - chance) * (lead_opponents + lead_mates) / (later_opponents + later_mates)
    return value


@device_function
def next_card(observation, mask, plans, count):
    """The next card of the set that the chosen kind was rated with."""
    kind, beat, hands = chosen_kind(observation), kind_to_beat(observation), plans.hands
    high = must_be_high(beat, kind)
    rest, _, k, wilds = rest_after(plans, count, kind, high)
    row = np.int64(BUILT)
    if rest < NO_PLAY and wilds < 0:
        row = TAKEN + k
    elif rest < NO_PLAY:
        build(hands[k], kind, wilds, plans.trump, high, hands[BUILT])
    chosen = np.zeros(DECK_54, np.int64)
    chosen_cards(observation, chosen)
    first = start(_CARD, PLAYERS)
    if rest < NO_PLAY:
        for card in range(DECK_54):
            if mask[first + card] and cards_of_type(hands[row], card) > chosen[card]:
                return first + card
    return lowest_legal(mask)


@device_function
def cards_of_type(hand, card):
    if card >= STANDARD:
        return hand[SMALL if card == SMALL_JOKER else BIG]
    return (hand[card % SUITS] >> (4 * (card // SUITS))) & 15


@device_function
def lowest_legal(mask):
    action = start(_CARD, PLAYERS)
    while not mask[action]:
        action += 1
    return action


# --- tribute ---


@device_function
def hand_cost(counts, plans):
    read_cards(counts, plans.hands[0])
    return plans.cost[make_plans(plans) - 1]


@device_function
def least_useful(mask, counts, plans):
    """The legal card type whose loss leaves the cheapest hand."""
    choice, best = -1, 1.0e9
    for card in range(DECK_54):
        if mask[start(_CARD, PLAYERS) + card] and counts[card] > 0:
            counts[card] -= 1
            left = hand_cost(counts, plans)
            counts[card] += 1
            if left < best:
                choice, best = card, left
    return np.int64(choice)


@device_function
def best_offer(observation, mask, counts, plans):
    """The two least useful cards, in ascending order."""
    chosen = np.zeros(DECK_54, np.int64)
    chosen_cards(observation, chosen)
    held = np.ones(len(mask), np.uint8)
    first = least_useful(held, counts, plans)
    counts[first] -= 1
    second = least_useful(held, counts, plans)
    card = min(first, second)
    if chosen.sum() > 0:
        card = max(first, second)
    action = start(_CARD, PLAYERS) + card
    return action if mask[action] else lowest_legal(mask)


@device_function
def add_offered(observation, counts):
    """Put the cards of the open offer, the last of the round so far, into the hand. Their types, lower first."""
    exchange = EXCHANGES - 1
    while exchange > 0 and offered_card(observation, exchange, 1) < 0:
        exchange -= 1
    first, second = offered_card(observation, exchange, 0), offered_card(observation, exchange, 1)
    counts[first] += 1
    counts[second] += 1
    return first, second


@device_function
def best_answer(observation, counts, plans):
    """Keep the card, or both for a higher one, that leaves the cheapest hand."""
    first, second = add_offered(observation, counts)
    keep = start(_KEEP, PLAYERS)
    counts[second] -= 1
    with_first = hand_cost(counts, plans)
    counts[second] += 1
    counts[first] -= 1
    with_second = hand_cost(counts, plans)
    counts[first] += 1
    return np.int64(keep + (with_second < with_first))
