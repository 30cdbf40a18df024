"""Dou Dizhu, "fight the landlord": the highest bidder plays alone against the two others; who is first out of cards wins.

Three players, 54 cards; combinations of ranks are beaten by higher ones of the same kind, and by bombs.
Rules: dou_dizhu.md (clauses DD-01 to DD-26).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from wilddeck.envs.core import events
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.bits import count_bits
from wilddeck.envs.core.cards import BIG_JOKER, DECK_54, HIDDEN, RANKS, SMALL_JOKER, STANDARD, SUITS, text
from wilddeck.envs.core.combinations import (
    END,
    FIRST,
    LENGTH,
    RANK_BITS,
    TIMES,
    counts_of,
    kind,
    kinds,
    kinds_of,
    lowest_rank,
    mark_combinations,
    mark_from,
    pick_cards,
    ranks_held,
    run_parts,
    size_of,
)
from wilddeck.envs.core.extended.sets import ZERO, places, write_bits
from wilddeck.envs.core.facts import Fact, FactRole, who
from wilddeck.envs.core.fields import Field, last_seat
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.hidden import deal_hidden
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout
from wilddeck.envs.core.rng import random_below, shuffle
from wilddeck.envs.core.seats import clockwise
from wilddeck.envs.core.zones import ZoneRole

SEATS, HAND, BOTTOM = 3, 17, 3  # players, cards dealt to each, and cards for the landlord
MOST_CARDS = HAND + BOTTOM
BIDS = 3
NO_BID, PASSED = -1, 0
NO_LEAD = -1
MOST_DOUBLINGS = 13  # there cannot be more bombs, as two players have a card left; a spring comes with fewer (DD-23)
MOST_REDEALS = 100

# --- combinations (DD-10 to DD-15) ---

RUN_RANKS, JOKERS = 12, 13  # ranks 0..11, 3 to A, make runs; 12 are the twos, 13 and 14 the Jokers
NAMES = [*range(1, RANKS), 0, SMALL_JOKER, BIG_JOKER]  # of the ranks, as parts of actions have them
# A set of cards has four bits a rank, clubs first; of a Joker the first is used.
CARD_AT = {SUITS * rank + suit: SUITS * name + suit for rank, name in enumerate(NAMES[:RANKS]) for suit in range(SUITS)}
CARD_AT |= {SUITS * rank: NAMES[rank] for rank in (JOKERS, JOKERS + 1)}
_PLACE = {card: place for place, card in CARD_AT.items()}
BIT = np.array([1 << _PLACE[card] for card in range(DECK_54)], np.uint64)
ALL_CARDS = sum(1 << place for place in CARD_AT)

_RUNS = [*(kind(1, length, ranks=RUN_RANKS) for length in range(5, 13))]
_PAIRS = [*(kind(2, length, ranks=RUN_RANKS) for length in range(3, 11))]
_TRIOS = [kind(3, ranks=RANKS), *(kind(3, length, ranks=RUN_RANKS) for length in range(2, 7))]
_FOURS, _ROCKET = kind(4, ranks=RANKS), kind(1, 2, ranks=JOKERS + 2, lowest=JOKERS)
_PLAIN = [kind(1, ranks=JOKERS + 2), *_RUNS, kind(2, ranks=RANKS), *_PAIRS, *_TRIOS, _FOURS, _ROCKET]
# What is carried along: so many kickers, of so many cards each (DD-12, DD-13).
_CARRIERS = [
    *((trio, number, size) for size, most in ((1, 5), (2, 4)) for number, trio in enumerate(_TRIOS[:most], 1)),
    *((_FOURS, 2, size) for size in (1, 2)),
]
KINDS = kinds(*_PLAIN, *(body for body, _, _ in _CARRIERS))
KICKERS = np.array([0] * len(_PLAIN) + [number for _, number, _ in _CARRIERS])
KICKER_SIZE = np.array([0] * len(_PLAIN) + [size for _, _, size in _CARRIERS])
ROCKET = len(_PLAIN) - 1
BOMB = ROCKET - 1
FOUR_WITH_TWO = len(KINDS) - 2  # and the last
PLAIN = KINDS[: ROCKET + 1]
COMBINATIONS = size_of(KINDS)
KIND_OF = kinds_of(KINDS)
ADDED = kinds(kind(1, ranks=JOKERS + 2), kind(2, ranks=RANKS))  # a kicker: a card, or a pair
ADDED_KIND = kinds_of(ADDED)


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of Dou Dizhu."""

    num_players: int = opt.integer(SEATS, SEATS, SEATS, "number of players")
    first_bidder: Any = opt.seat("random", "who bids first (DD-05)")
    redeals: int = opt.integer(10, 0, MOST_REDEALS, "so many times cards are dealt again when nobody bids (DD-08)")
    four_with_two: bool = opt.flag(True, "four cards of a rank may carry two cards or two pairs (DD-13)")
    doublings: int = opt.integer(MOST_DOUBLINGS, 0, MOST_DOUBLINGS, "the stakes are doubled at most so many times (DD-24)")


FIELDS = [
    Field("first_bidder", "i1", high=last_seat),  # the option until play begins, then who bids first in this deal
    Field("hand", "u8", (SEATS,), bits=ALL_CARDS),  # sets of cards
    Field("played", "u8", (SEATS,), bits=ALL_CARDS),
    Field("table", "u8", bits=ALL_CARDS),  # the combination that is to be beaten
    Field("bottom", "u8", bits=ALL_CARDS),
    Field("bids", "i1", (SEATS,), low=NO_BID, high=BIDS),  # the last of each
    Field("landlord", "i1", low=events.NOBODY, high=last_seat),
    Field("lead", "i2", low=NO_LEAD, high=COMBINATIONS - 1),  # the number of the combination on the table
    Field("last", "i1", high=last_seat),  # who played it
    Field("passes", "u1", high=2),  # since the last bid, or the last play
    Field("plays", "u1", (SEATS,), high=MOST_CARDS),
    Field("bombs", "u1", high=MOST_DOUBLINGS),
]


def _carried() -> list[Any]:
    """What combinations are called, those with kickers with how many these are."""
    parts = run_parts(KINDS, NAMES)
    for number in range(ROCKET + 1, len(KINDS)):
        word = "card" if KICKER_SIZE[number] == 1 else "pair"
        words = f"a {word}" if KICKERS[number] == 1 else f"{KICKERS[number]} {word}s"
        for combination in range(KINDS[number, FIRST], KINDS[number, END]):
            parts[combination] = replace(parts[combination], text=f"{parts[combination].text} with {words}")
    return parts


ACTIONS = Layout(
    Block("pass", 1, "pass"),
    Block("bid", BIDS, "bid 1 to 3", parts={"amount": range(1, BIDS + 1)}),
    Block(
        "play",
        COMBINATIONS,
        "play a combination: by kind, each from the lowest rank on; those with kickers last",
        label="play {run}",
        parts={"run": _carried()},
    ),
    Block(
        "add",
        size_of(ADDED),
        "add a kicker to it: a card, or a pair",
        label="add {run}",
        parts={"run": run_parts(ADDED, NAMES)},
    ),
)
OBSERVATION = Layout(
    Block("hand", DECK_54, "own hand: of each rank, 3 first, as many of its entries as cards"),
    Block("played", 0, "the same of the cards played by each player, clockwise from the viewer", each=DECK_54),
    Block("table", DECK_54, "the same of the combination that is to be beaten"),
    Block("bottom", DECK_54, "the same of the landlord's three cards, when all have seen them"),
    Block("kind", len(KINDS), "its kind, in the order of the actions: one-hot"),
    Block("lowest", JOKERS + 2, "its lowest rank, kickers aside: one-hot"),
    Block("last", 0, "whose it is, clockwise: one-hot", each=1),
    Block("passed", 1, "whether one has passed since"),
    Block("kickers", 1, "kickers that are to be added to it now: / 5"),
    Block("landlord", 0, "the landlord, clockwise: one-hot; zeros before", each=1),
    Block("cards", 0, "cards in the hand of each player, clockwise: / 20", each=1),
    Block("bids", 0, "the last bid of each player, clockwise: none, pass, 1, 2, 3: one-hot", each=BIDS + 2),
    Block("doublings", 1, "bombs and rocket played: / 13"),
)
EVENTS = (
    events.EventKind(events.DEAL, "the cards dealt to a hand, which its player sees", "{player} is dealt {cards}"),
    events.EventKind(events.BID, "a player bids (DD-06)", "{player} bids {amount}"),
    events.EventKind(events.PASS, "a player passes, in the auction or in play", "{player} passes"),
    events.EventKind(
        events.TURN_UP,
        "the highest bidder takes the bottom cards, which all see (DD-09)",
        "{player} is the landlord and takes {cards}",
    ),
    events.EventKind(events.PLAY, "a combination is played, kickers aside", "{player} plays {cards}"),
    events.EventKind(events.LAY_OFF, "a kicker is added to it", "{player} adds {cards}"),
    events.EventKind(events.TRICK_WON, "the two others have passed: who is to lead anew (DD-20)", "{player} wins the round"),
    events.EventKind(events.SCORE, "what a player wins or loses in the end (DD-25)", "{player} scores {amount}"),
)
PASS = 0
_BID, _PLAY, _ADD = (int(ACTIONS.at(name)[0]) for name in ("bid", "play", "add"))
_HAND, _PLAYED, _TABLE, _BOTTOM = OBSERVATION.places("hand", "played", "table", "bottom", num_players=SEATS)
_KIND, _LOWEST, _LAST, _PASSED = OBSERVATION.places("kind", "lowest", "last", "passed", num_players=SEATS)
_KICKERS, _LANDLORD, _CARDS, _BIDS = OBSERVATION.places("kickers", "landlord", "cards", "bids", num_players=SEATS)
_DOUBLINGS = OBSERVATION.places("doublings", num_players=SEATS)[0]


# --- the deal ---


@device_function
def deal(state):
    for card in range(DECK_54):
        state.deck[card] = card
    shuffle(state, state.deck, DECK_54)


@device_function
def begin(state):
    if state.first_bidder == opt.RANDOM:
        state.first_bidder = random_below(state, SEATS)  # DD-05
    elif state.deals > 1:
        state.first_bidder = clockwise(np.int64(state.first_bidder), 1, SEATS)  # DD-08
    for seat in range(SEATS):
        state.hand[seat] = ZERO
        state.bids[seat] = NO_BID
    state.bottom = ZERO
    for k in range(DECK_54):
        card = BIT[np.int64(state.deck[k])]
        if k < SEATS * HAND:
            state.hand[k % SEATS] |= card
        else:
            state.bottom |= card
        state.deck[k] = 0
    state.landlord = events.NOBODY
    state.lead = NO_LEAD
    state.passes = 0
    state.current_player = state.first_bidder
    for seat in range(SEATS):
        say(state, events.DEAL, seat, state.hand[seat], 1 << seat)


@device_function
def say(state, what, seat, cards, seen):
    suited = cards << np.uint64(SUITS) & _STANDARD | cards >> np.uint64(STANDARD - SUITS) & RANK_BITS
    jokers = cards >> np.uint64(SUITS * JOKERS) & np.uint64(1) | cards >> np.uint64(SUITS * JOKERS + 3) & np.uint64(2)
    events.emit_cards(state, what, seat, suited, jokers, seen, events.NOBODY)


_STANDARD = np.uint64((1 << STANDARD) - 1)


# --- what may be done ---


@device_function
def legal_actions(state, mask):
    if state.landlord == events.NOBODY:
        mask[PASS] = 1
        mask[_BID + highest_bid(state) : _BID + BIDS] = 1  # DD-06
        return
    hand, lead = state.hand[np.int64(state.current_player)], np.int64(state.lead)
    if lead == NO_LEAD:
        mark_leads(state, hand, mask)
    elif kickers_left(state) > 0:
        mark_kickers(state, hand, mask)
    else:
        mask[PASS] = 1
        mark_beating(lead, hand, mask)


@device_function
def highest_bid(state):
    return max(np.int64(PASSED), np.int64(state.bids[0]), np.int64(state.bids[1]), np.int64(state.bids[2]))


@device_function
def mark_leads(state, hand, mask):
    """DD-17: any combination."""
    mark_combinations(PLAIN, hand, mask, _PLAY)
    for number in range(ROCKET + 1, KINDS.shape[0] if state.four_with_two else FOUR_WITH_TWO):
        if has_kickers(number, hand):
            mark_from(KINDS, number, hand, mask, _PLAY, KINDS[number, FIRST])


@device_function
def mark_beating(lead, hand, mask):
    """DD-18, DD-19."""
    number = KIND_OF[lead]
    if KICKERS[number] == 0 or has_kickers(number, hand):
        mark_from(KINDS, number, hand, mask, _PLAY, lead + 1)
    if number not in (BOMB, ROCKET):
        mark_from(KINDS, BOMB, hand, mask, _PLAY, KINDS[BOMB, FIRST])
    mark_from(KINDS, ROCKET, hand, mask, _PLAY, KINDS[ROCKET, FIRST])


@device_function
def has_kickers(number, hand):
    """Whether a hand with the ranks of a combination of this kind has kickers for it (DD-15)."""
    if KICKER_SIZE[number] == 2:
        return count_bits(ranks_held(hand, 2)) >= KICKERS[number] + KINDS[number, LENGTH]
    has_joker = hand >= BIT[SMALL_JOKER]
    three_of_each = counts_of(hand) & _STANDARD & ~_FOURTHS
    return count_bits(three_of_each) + has_joker >= KICKERS[number] + 3 * KINDS[number, LENGTH]


_FOURTHS = np.uint64(sum(8 << SUITS * rank for rank in range(RANKS)))


@device_function
def kickers_left(state):
    """How many kickers the player to move is to add to the combination on the table."""
    if state.lead == NO_LEAD:
        return np.int64(0)
    number = KIND_OF[np.int64(state.lead)]
    if KICKERS[number] == 0:
        return np.int64(0)
    added = count_bits(state.table) - KINDS[number, TIMES] * KINDS[number, LENGTH]
    return KICKERS[number] - added // KICKER_SIZE[number]


@device_function
def mark_kickers(state, hand, mask):
    """Kickers are added from the lowest rank on, so that there is one way to each combination, and only as far as higher ranks
    have enough for the rest (DD-15, DD-16)."""
    lead, left, room = np.int64(state.lead), kickers_left(state), np.int64(0)
    number = KIND_OF[lead]
    first, size = lowest_rank(KINDS, number, lead), KICKER_SIZE[number]
    for rank in range(JOKERS + 1, -1, -1):
        if first <= rank < first + KINDS[number, LENGTH]:
            continue
        more = kickers_of_rank(state, hand, rank, size)
        if rank != JOKERS or room == 0:  # not both Jokers
            room += more
        if more > 0 and room >= left:
            mask[_ADD + (rank if size == 1 else JOKERS + 2 + rank)] = 1
        if of_rank(state.table, rank) > 0:  # the last that was added
            break


@device_function
def of_rank(cards, rank):
    """How many cards of a rank."""
    return count_bits(cards >> np.uint64(SUITS * rank) & RANK_BITS)


@device_function
def kickers_of_rank(state, hand, rank, size):
    """How many more there are of a rank: no four cards of it, no pair twice, not both Jokers."""
    held, added = of_rank(hand, rank), of_rank(state.table, rank)
    if size == 2:
        return np.int64(held >= 2 and added == 0)
    if rank >= JOKERS:
        return held if state.table < BIT[SMALL_JOKER] else np.int64(0)
    return min(held, 3 - added)


# --- what is done ---


@device_function
def step(state, action):
    if state.landlord == events.NOBODY:
        step_bid(state, action)
    elif action == PASS:
        step_pass(state)
    elif action >= _ADD:
        step_add(state, action - _ADD)
    else:
        step_play(state, action - _PLAY)


@device_function
def step_bid(state, action):
    seat = np.int64(state.current_player)
    if action == PASS:
        state.bids[seat] = PASSED
        state.passes += 1
        events.emit(state, events.PASS, seat, 0, events.NOBODY)
    else:
        state.bids[seat] = action - _BID + 1
        state.passes = 0
        events.emit(state, events.BID, seat, state.bids[seat], events.NOBODY)
    highest = highest_bid(state)
    state.current_player = clockwise(seat, 1, SEATS)
    if highest == BIDS or (highest > PASSED and state.passes == SEATS - 1):  # DD-07
        begin_play(state)
    elif state.passes == SEATS:
        state.passes = 0
        if state.deals <= state.redeals:
            state.deal_pending = 1  # DD-08
        else:
            state.terminated = 1


@device_function
def begin_play(state):
    """DD-09, DD-17."""
    highest, landlord = highest_bid(state), np.int64(0)
    while state.bids[landlord] != highest:
        landlord += 1
    state.landlord = landlord
    state.hand[landlord] |= state.bottom
    state.current_player = landlord
    state.passes = 0
    say(state, events.TURN_UP, landlord, state.bottom, events.EVERYBODY)


@device_function
def step_pass(state):
    seat = np.int64(state.current_player)
    events.emit(state, events.PASS, seat, 0, events.NOBODY)
    state.passes += 1
    state.current_player = clockwise(seat, 1, SEATS)
    if state.passes == SEATS - 1:  # DD-20
        events.emit(state, events.TRICK_WON, state.last, 0, events.NOBODY)
        clear_table(state)
        state.passes = 0


@device_function
def clear_table(state):
    state.played[np.int64(state.last)] |= state.table
    state.table = ZERO
    state.lead = NO_LEAD


@device_function
def step_play(state, combination):
    seat, number = np.int64(state.current_player), KIND_OF[combination]
    clear_table(state)
    lay(state, events.PLAY, seat, pick_cards(KINDS, number, state.hand[seat], combination))
    state.lead = combination
    state.last = seat
    state.passes = 0
    state.plays[seat] += 1
    if number in (BOMB, ROCKET):
        state.bombs += 1
    end_turn(state)


@device_function
def step_add(state, kicker):
    seat = np.int64(state.current_player)
    lay(state, events.LAY_OFF, seat, pick_cards(ADDED, ADDED_KIND[kicker], state.hand[seat], kicker))
    end_turn(state)


@device_function
def lay(state, what, seat, cards):
    state.hand[seat] &= ~cards
    state.table |= cards
    say(state, what, seat, cards, events.EVERYBODY)


@device_function
def end_turn(state):
    seat = np.int64(state.current_player)
    if state.hand[seat] == ZERO:
        finish(state)
    elif kickers_left(state) == 0:
        state.current_player = clockwise(seat, 1, SEATS)


@device_function
def finish(state):
    """DD-21 to DD-25."""
    landlord, winner = np.int64(state.landlord), np.int64(state.last)
    peasants = np.int64(0)
    for seat in range(SEATS):
        if seat != landlord:
            peasants += state.plays[seat]
    is_spring = peasants == 0 or state.plays[landlord] == 1
    stakes = np.int64(state.bids[landlord]) << min(np.int64(state.bombs) + is_spring, np.int64(state.doublings))
    for seat in range(SEATS):
        points = 2 * stakes if seat == landlord else -stakes
        points = points if winner == landlord else -points
        events.emit(state, events.SCORE, seat, points, events.NOBODY)
        state.rewards[seat] = points
    state.terminated = 1


# --- what is seen ---


@device_function
def write_counts(out, offset, cards):
    """Write of each rank, 3 first, as many of its entries as there are cards."""
    counts, big = counts_of(cards), BIT[BIG_JOKER]
    write_bits(out, offset, counts & ~big | (counts & big) >> np.uint64(3))


@device_function
def observe(state, viewer, out):
    write_counts(out, _HAND, state.hand[viewer])
    write_counts(out, _TABLE, state.table)
    if state.landlord != events.NOBODY:
        write_counts(out, _BOTTOM, state.bottom)
        out[_LANDLORD + clockwise(np.int64(state.landlord), SEATS - viewer, SEATS)] = 1
    if state.lead != NO_LEAD:
        number = KIND_OF[np.int64(state.lead)]
        out[_KIND + number] = 1
        out[_LOWEST + lowest_rank(KINDS, number, np.int64(state.lead))] = 1
        out[_LAST + clockwise(np.int64(state.last), SEATS - viewer, SEATS)] = 1
        out[_PASSED] = np.float32(state.passes)
        out[_KICKERS] = np.float32(kickers_left(state) / 5)
    for place in range(SEATS):
        seat = clockwise(np.int64(viewer), place, SEATS)
        write_counts(out, _PLAYED + place * DECK_54, state.played[seat])
        out[_CARDS + place] = np.float32(count_bits(state.hand[seat]) / MOST_CARDS)
        out[_BIDS + place * (BIDS + 2) + 1 + np.int64(state.bids[seat])] = 1
    out[_DOUBLINGS] = np.float32(np.int64(state.bombs) / MOST_DOUBLINGS)


@device_function
def determinize(state, viewer):
    """Deal the cards again that a player does not see, all ways being as likely; the landlord's three are known. Of cards of a
    rank the lowest suits are played first (DD-03): nothing is concluded from that."""
    known, hidden, room = ZERO, ZERO, np.zeros(SEATS + 1, np.int64)
    if state.landlord != events.NOBODY:
        known = state.bottom
    else:
        hidden, room[SEATS] = state.bottom, BOTTOM
        state.bottom = ZERO
    for seat in range(SEATS):
        if seat != viewer:
            unseen = state.hand[seat] & ~known
            hidden |= unseen
            room[seat] = count_bits(unseen)
            state.hand[seat] &= known
    count = count_bits(hidden)
    where = np.empty(count, np.int64)
    deal_hidden(state, np.zeros(count, np.int64), count, room, np.full(1, (1 << SEATS + 1) - 1), where)
    for k in range(count):
        card = hidden & ~(hidden - np.uint64(1))
        if where[k] == SEATS:
            state.bottom |= card
        else:
            state.hand[where[k]] |= card
        hidden ^= card


# --- text and zones, for ordinary Python ---


def ids_of(cards: Any) -> list[int]:
    """The ids of a set of cards, the lowest rank first."""
    return [CARD_AT[place] for place in places(int(cards))]


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, table/<seat>, played/<seat>, and during the auction bottom. Of the landlord's hand the cards that all have
    seen come first."""
    by_zone, is_auction = {}, state.landlord == events.NOBODY
    for seat in range(SEATS):
        hand, known = int(state.hand[seat]), 0 if is_auction else int(state.hand[seat] & state.bottom)
        hidden = [HIDDEN] * (hand & ~known).bit_count()
        by_zone[f"hand/{seat}"] = ids_of(hand) if viewer in (None, seat) else ids_of(known) + hidden
        by_zone[f"table/{seat}"] = ids_of(state.table) if seat == state.last else []
        by_zone[f"played/{seat}"] = ids_of(state.played[seat])
    if is_auction:
        by_zone["bottom"] = ids_of(state.bottom) if viewer is None else [HIDDEN] * BOTTOM
    return by_zone


def teams_in_play(state: Any) -> tuple[tuple[int, ...], ...]:
    """DD-09: the landlord alone, the two others together."""
    if state.landlord == events.NOBODY:
        return tuple((seat,) for seat in range(SEATS))
    landlord = int(state.landlord)
    return (landlord,), tuple(seat for seat in range(SEATS) if seat != landlord)


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    player, bids, landlord = int(state.current_player), [int(bid) for bid in state.bids], int(state.landlord)
    if state.terminated:
        facts = [Fact("the game is over")]
    elif landlord == events.NOBODY:
        highest = max(PASSED, *bids)
        facts = [Fact(f"{who(player)} may bid{f' more than {highest}' if highest > PASSED else ''}", player)]
    elif state.lead == NO_LEAD:
        facts = [Fact(f"{who(player)} leads", player, FactRole.LEAD)]
    else:
        play = text(ids_of(state.table), joker_kinds=True)
        facts = [Fact(f"on the table: {play} of {who(state.last)}", int(state.last), FactRole.TO_BEAT, play)]
    if state.bombs:
        facts.append(Fact(f"stakes doubled {int(state.bombs)} times", role=FactRole.STAKES, value=1 << int(state.bombs)))
    for seat in range(SEATS) if landlord == events.NOBODY else [landlord]:
        if seat == landlord:
            facts.append(Fact("landlord", seat, FactRole.TITLE))
        if bids[seat] != NO_BID:
            facts.append(Fact("passed" if bids[seat] == PASSED else f"bid {bids[seat]}", seat, FactRole.BID, bids[seat]))
    return facts


def _most(options: Options) -> int:
    """DD-22 to DD-25: the most that a landlord can win or lose."""
    return 2 * BIDS << options.doublings


GAME = Game(
    name="dou_dizhu",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=lambda options: list(range(DECK_54)),
    describe=describe,
    zones=zones,
    zone_roles={"hand": ZoneRole.HAND, "table": ZoneRole.PLAYED, "played": ZoneRole.ROW, "bottom": ZoneRole.ROW},
    bounds=Bounds(
        # DD-26: nobody bids; the longest auction; two players have a card left, and two pass after each play but the last.
        max_length=lambda options: SEATS * options.redeals + 7 + 3 * (DECK_54 - 2) - 2,
        reward_range=lambda options: (-_most(options), _most(options)),
    ),
    teams_in_play=teams_in_play,
    private=("hand",),
    events=EVENTS,
    player="wilddeck_games.dou_dizhu_player",
    page="dou_dizhu.md",
    weights="weights",
)
