"""The observation, texts and zones of blackjack, and sampling of hidden cards."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.cards import DECK_66, HIDDEN, text
from ...core.extended.pile import pile_size
from ...core.extended.sets import DRAW, FIRST_SPECIAL, NO_CARD, SPECIALS
from ...core.extended.shoe import (
    aside_of,
    gather_pile,
    kinds_in,
    listed,
    pile_of,
    shoe_size,
    specials_in,
)
from ...core.extended.turns import has_bit
from ...core.extended.view import seat_from
from ...core.facts import Fact, FactRole, joined
from ...core.jit import device_function
from ...core.parts import Label
from ...core.rng import random_below, shuffle
from .hands import hand_in_play, is_pair, makes_natural, may_be_natural
from .state import (
    BETTING,
    END,
    INSURING,
    MOST_HANDS,
    OBSERVATION,
    OTHER,
    PARTS,
    PEEK,
    SEAT,
    SURRENDERING,
    TOTAL_UNIT,
    TURN,
)
from .totals import BEST, total_of

_PHASE, _HAND, _SUMMARY, _OTHERS, _SEATS, _UP, _DEALER, _DEALER_STATE, _ORDER, _SEEN, _LEFT = OBSERVATION.places(
    *(block.name for block in OBSERVATION.blocks), num_players=1
)
_OF_TOTAL, _OF_HANDS, _OF_PLACES = np.float32(1 / TOTAL_UNIT), np.float32(1 / MOST_HANDS), np.float32(1 / 8)
_OF_KIND = np.float32(1 / 4)


@device_function
def is_paused(state, place):
    """Whether the place has begun, is not over, and is not in turn."""
    if state.phase != TURN or place == state.current_player:
        return False
    return has_bit(state.begun, place) and not has_bit(state.out, place)


@device_function
def shown_total(state, place, hand):
    """The total of a hand and whether it is soft; 0 while it contains specials (BJ-34)."""
    if not has_bit(state.begun, place) and state.phase != END and specials_in(hand) > 0:
        return 0, False
    return total_of(hand)


@device_function
def greatest_bet(state):
    most = np.int64(0)
    for k in range(state.bets.shape[0]):
        most = max(most, np.int64(state.bets[k]))
    return most


@device_function
def observe(state, viewer, out):
    out[_PHASE + min(np.int64(state.phase), TURN)] = 1
    n = np.int64(state.num_players)
    of_bet = np.float32(1 / greatest_bet(state))
    of_deck = np.float32(1 / np.int64(state.decks))
    for card in range(DECK_66):
        out[_SEEN + card] = np.float32(state.used[card]) + np.float32(state.dealer[card])
    for special in range(SPECIALS):
        out[_SEEN + FIRST_SPECIAL + special] += np.float32(state.aside[special])
    for seat in range(n):
        observe_seat(state, seat, _SEATS + seat_from(viewer, seat, n) * SEAT, of_bet, out)
        for hand in range(np.int64(state.num_hands[seat])):
            for card in range(DECK_66):
                out[_SEEN + card] += np.float32(state.hand[seat, hand, card])
    for card in range(DECK_66):
        out[_SEEN + card] *= of_deck
    out[_ORDER + (0 if state.direction > 0 else 1)] = 1
    out[_ORDER + 2] = np.float32(n - viewer if state.direction > 0 else viewer + 1) * _OF_PLACES
    out[_LEFT] = np.float32(pile_size(state) / shoe_size(state))
    out[_LEFT + 1] = np.float32((np.int64(state.hands) + 1 - np.int64(state.hand_number)) / np.int64(state.hands))
    out[_UP + (DECK_66 if state.up_card == NO_CARD else np.int64(state.up_card))] = 1
    if state.num_hands[viewer] > 0:
        observe_own(state, viewer, of_bet, of_deck, out)
    if state.up_card != NO_CARD and state.hole_card == NO_CARD:
        observe_dealer(state, n, of_deck, out)


@device_function
def observe_seat(state, seat, offset, of_bet, out):
    out[offset] = 1
    out[offset + 1] = has_bit(state.out, seat)
    out[offset + 2] = is_paused(state, seat)
    out[offset + 3] = has_bit(state.surrendered, seat)
    out[offset + 4] = has_bit(state.insured, seat)
    if state.bet[seat] > 0:
        out[offset + 5] = np.float32(state.bets[np.int64(state.bet[seat]) - 1]) * of_bet
    if state.num_hands[seat] == 0:
        return
    out[offset + 6] = np.float32(state.num_hands[seat]) * _OF_HANDS
    cards = state.hand[seat, hand_in_play(state, seat)]
    total, _ = shown_total(state, seat, cards)
    out[offset + 7] = np.float32(total) * _OF_TOTAL
    out[offset + 8] = total > BEST
    if not state.standard:
        for kind in range(3):
            out[offset + 9 + kind] = np.float32(kinds_in(cards, DRAW + kind)) * _OF_KIND


@device_function
def observe_own(state, seat, of_bet, of_deck, out):
    played = hand_in_play(state, seat)
    stake = np.float32(state.bets[np.int64(state.bet[seat]) - 1]) * of_bet * np.float32(0.5)
    offset = _OTHERS
    for hand in range(np.int64(state.num_hands[seat])):
        cards = state.hand[seat, hand]
        total, soft = shown_total(state, seat, cards)
        part = np.float32(total) * _OF_TOTAL
        staked = stake * np.float32(1 + (np.int64(state.doubled[seat]) >> hand & 1))
        if hand != played:
            out[offset] = part
            out[offset + 1] = has_bit(state.ended[seat], hand)
            out[offset + 2] = total > BEST
            out[offset + 3] = staked
            offset += OTHER
            continue
        for card in range(DECK_66):
            out[_HAND + card] = np.float32(cards[card]) * of_deck
        out[_SUMMARY] = part
        out[_SUMMARY + 1] = soft
        out[_SUMMARY + 2] = is_pair(state, cards)
        out[_SUMMARY + 3] = np.float32(hand + 1) * _OF_HANDS
        out[_SUMMARY + 4] = np.float32(state.num_hands[seat]) * _OF_HANDS
        out[_SUMMARY + 5] = staked


@device_function
def observe_dealer(state, place, of_deck, out):
    for card in range(DECK_66):
        out[_DEALER + card] = np.float32(state.dealer[card]) * of_deck
    total, _ = total_of(state.dealer)
    out[_DEALER_STATE] = np.float32(total) * _OF_TOTAL
    out[_DEALER_STATE + 1] = total > BEST
    out[_DEALER_STATE + 2] = has_bit(state.out, place)
    out[_DEALER_STATE + 3] = is_paused(state, place)


# --- sampling ---


@device_function
def determinize(state, viewer):
    """Hidden are only the order of the shoe and the face-down hole card, of which a peek may have revealed that it makes no
    natural."""
    count = np.empty(DECK_66, np.int64)
    count[:] = 0
    for position in range(np.int64(state.pile_at), np.int64(state.pile_end)):
        count[np.int64(state.deck[position])] += 1
    if state.hole_card != NO_CARD:
        count[np.int64(state.hole_card)] += 1
        state.hole_card = draw_hole(state, count)
        count[np.int64(state.hole_card)] -= 1
    gather_pile(state, count)
    begin, end = np.int64(state.pile_at), np.int64(state.pile_end)
    shuffle(state, state.deck[begin:], end - begin)


@device_function
def draw_hole(state, count):
    """A uniformly random unseen card that can be the hole card."""
    peeked = state.phase == TURN and state.hole == PEEK and may_be_natural(state)
    number = 0
    for card in range(DECK_66):
        if not (peeked and makes_natural(state, card)):
            number += count[card]
    left = random_below(state, number)
    for card in range(DECK_66):
        if not (peeked and makes_natural(state, card)):
            left -= count[card]
            if left < 0:
                return card
    return np.int64(state.hole_card)


# --- text and zones ---

_PHASE_TEXT = {BETTING: "bets", SURRENDERING: "early surrender", INSURING: "insurance", TURN: "turns", END: "the hand is over"}


def _amount(parts: int) -> str:
    return f"{parts / PARTS:g}"


def bet_label(state: Any, place: int) -> Label:
    return Label("bet {amount}", {"amount": int(state.bets[place]) / PARTS})


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    facts = [Fact(_PHASE_TEXT[int(state.phase)])]
    if state.hands > 1:
        number = int(state.hand_number)
        facts.insert(0, Fact(f"hand {number} of {int(state.hands)}", role=FactRole.COURSE, value=number))
    if state.up_card != NO_CARD:
        total = f", and has {_total(total_of(state.dealer))}" if state.hole_card == NO_CARD else ""
        facts.append(Fact(f"the dealer shows {_cards([int(state.up_card)])}{total}"))
    if state.direction < 0:
        facts.append(Fact("the order of play is reversed", role=FactRole.DIRECTION))
    facts = joined(", ", facts)
    for seat in range(int(state.num_players)):
        facts += joined("; ", _seat_facts(state, seat))
    return facts


def _seat_facts(state: Any, seat: int) -> list[Fact]:
    facts = []
    if state.bet[seat] and state.bets[1]:
        bet = int(state.bets[int(state.bet[seat]) - 1])
        facts.append(Fact(f"bet {_amount(bet)}", seat, FactRole.BET, bet / PARTS))
    if int(state.insured) >> seat & 1:
        facts.append(Fact("insured", seat))
    if int(state.surrendered) >> seat & 1:
        return [*facts, Fact("surrendered", seat, FactRole.OUT)]
    number = int(state.num_hands[seat])
    for hand in range(number):
        cards = state.hand[seat][hand]
        waits = not int(state.begun) >> seat & 1 and state.phase != END and any(cards[FIRST_SPECIAL:])
        words = "no total yet" if waits else _total(total_of(cards))
        if int(state.doubled[seat]) >> hand & 1:
            words += ", doubled"
        facts.append(Fact(words if number == 1 else f"hand {hand}: {words}", seat, FactRole.TOTAL))
    return facts


def _total(total_of_hand: tuple[int, bool]) -> str:
    total, soft = total_of_hand
    return f"{'soft ' if soft else ''}{int(total)}{' (bust)' if total > BEST else ''}"


def _cards(ids: list[int]) -> str:
    return text(ids, joker_kinds=True)


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat> and, after splits, hand/<seat>/1 and so on; dealer (the hole card first), pile (the shoe, top first), used
    (earlier hands), aside."""
    by_zone: dict[str, list[int]] = {}
    for seat in range(int(state.num_players)):
        for hand in range(max(1, int(state.num_hands[seat]))):
            by_zone[f"hand/{seat}/{hand}" if hand else f"hand/{seat}"] = listed(state.hand[seat][hand])
    hole = [] if state.hole_card == NO_CARD else [int(state.hole_card) if viewer is None else HIDDEN]
    by_zone["dealer"] = hole + listed(state.dealer)
    pile = pile_of(state)
    by_zone["pile"] = pile if viewer is None else [HIDDEN] * len(pile)
    by_zone["used"] = listed(state.used)
    by_zone["aside"] = aside_of(state)
    return by_zone
