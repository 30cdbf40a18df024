"""The observation, texts and zones of Rummy."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ...core.bits import lowest_bit
from ...core.cards import HIDDEN, RANKS, SPECIAL_TEXT, STANDARD, SUITS, text
from ...core.extended.pile import pile_size
from ...core.extended.sets import BIT, NO_CARD, ONE, SPECIALS, STANDARD_CARDS, ZERO, id_at, write_bits
from ...core.extended.state import NOBODY
from ...core.extended.turns import has_bit
from ...core.extended.view import seat_from
from ...core.facts import Fact, FactRole, counted, who
from ...core.jit import device_function, plain
from .contracts import GROUPS, RUNS
from .deadwood import least_deadwood
from .hands import JOKER, face_of, ids_of, jokers_of, size_of, specials_of
from .melding import deal_number
from .melds import GROUP, ace_is_low
from .prospects import count_outs, melded
from .rules import melds_left
from .state import (
    CELL_AT,
    COMPOSE,
    CONTRACT,
    GIN,
    JOKERS_AT,
    KNOCK_DISCARD,
    KNOCK_MELDS,
    LAY_CARD,
    MAX_PLAYERS,
    MELD_CELLS,
    MOST_BUYS,
    MOST_CARDS,
    OBSERVATION,
    OFFER,
    ONCE,
    PLAY,
    RANK_AT,
    SCORE_UNIT,
    SEAT_CELLS,
    SEAT_UNIT,
    SIZE_UNIT,
    SUIT_AT,
)
from .turns import at_wall

_PLACES = OBSERVATION.places(*(block.name for block in OBSERVATION.blocks), num_players=2)
_HAND, _COMPOSITION, _STAGED, _TOP, _DISCARDS, _REMOVED, _KNOWN, _MELDS, _SLOT = _PLACES[:9]
_SIZES, _PHASE, _FLAGS, _TURN, _SEATS, _MATCH, _CLOCK, _GIN = _PLACES[9:17]
_MELDED, _OUTS, _TOP_MELDS = _PLACES[17:]
_HALF, _OF_JOKERS, _OF_OUTS = np.float32(1 / 2), np.float32(1 / 4), np.float32(1 / 4)
_OF_SIZE, _OF_CARDS, _OF_SEAT, _OF_BUYS = (np.float32(1 / unit) for unit in (SIZE_UNIT, MOST_CARDS, SEAT_UNIT, MOST_BUYS))
_OF_SCORE, _OF_KNOCK, _OF_DEADWOOD = np.float32(1 / SCORE_UNIT), np.float32(1 / 10), np.float32(1 / 100)
_ONE = np.float32(1)
_DEAL_AT = MAX_PLAYERS
_ACE = 12  # the rank


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    write_counts(out, _HAND, state.hand[viewer])
    observe_discards(state, out)
    observe_melds(state, out)
    for seat in range(n):
        place = seat_from(viewer, seat, n)
        write_counts(out, _KNOWN + 66 * place, state.known[seat])
        out[_SIZES + place] = np.float32(size_of(state.hand[seat])) * _OF_SIZE
    out[_SIZES + MAX_PLAYERS] = np.float32(pile_size(state)) * _OF_CARDS
    out[_SIZES + MAX_PLAYERS + 1] = np.float32(state.discards) * _OF_CARDS
    observe_turn(state, viewer, out)
    if not state.standard:
        observe_specials(state, viewer, out)
    if state.variant != CONTRACT:
        observe_prospects(state, viewer, out)
    if state.variant == GIN:
        hand = state.hand[viewer]
        out[_CLOCK + 3] = np.float32(state.upcard_draws) * (_ONE / np.float32(state.upcard_cap))
        out[_GIN] = np.float32(state.knock) * _OF_KNOCK
        out[_GIN + 1] = np.float32(least_deadwood(hand[ONCE], jokers_of(hand))) * _OF_DEADWOOD
    elif state.variant == CONTRACT:
        observe_match(state, viewer, out)


@device_function
def observe_prospects(state, viewer, out):
    cards = state.hand[viewer, ONCE] & STANDARD_CARDS
    write_bits(out, _MELDED, melded(state, cards))
    count_outs(state, viewer, out[_OUTS : _OUTS + STANDARD], _OF_OUTS)
    top = top_discard(state)
    if 0 <= top < STANDARD:
        out[_TOP_MELDS] = melded(state, cards | BIT[top]) & BIT[top] != ZERO


@device_function
def top_discard(state):
    """The face on top of the discard pile; NO_CARD if it is empty."""
    number = np.int64(state.discards)
    return face_of(np.int64(state.discard[number - 1])) if number > 0 else np.int64(NO_CARD)


@device_function
def write_counts(out, offset, cards):
    """Write a set of cards by face, number / 2, into 66 zeroed entries."""
    for word in range(2):
        bits = cards[word]
        while bits != ZERO:
            out[offset + id_at(lowest_bit(bits))] += _HALF
            bits &= bits - ONE
    if cards[2] != ZERO:
        out[offset + JOKER] = np.float32(jokers_of(cards)) * _HALF


@device_function
def observe_discards(state, out):
    for k in range(np.int64(state.discards)):
        out[_DISCARDS + face_of(np.int64(state.discard[k]))] += _HALF
    if state.discards > 0:
        out[_TOP + top_discard(state)] = 1


@device_function
def observe_melds(state, out):
    for slot in range(np.int64(state.melds)):
        offset, cards = _MELDS + MELD_CELLS * slot, state.meld[slot]
        once, jokers = cards[ONCE], jokers_of(cards)
        first = lowest_bit(once)
        out[offset + np.int64(state.meld_kind[slot])] = 1
        out[offset + JOKERS_AT] = np.float32(jokers) * _OF_JOKERS
        if state.meld_kind[slot] == GROUP:
            out[offset + RANK_AT + (first >> 2)] = 1
            for word in range(2):
                bits = cards[word]
                while bits != ZERO:
                    out[offset + CELL_AT + (lowest_bit(bits) & 3)] += _HALF
                    bits &= bits - ONE
        else:
            out[offset + SUIT_AT + (first & 3)] = 1
            while once != ZERO:
                rank = lowest_bit(once) >> 2
                if rank == _ACE and ace_is_low(cards[ONCE], jokers):
                    rank = np.int64(-1)
                out[offset + CELL_AT + rank + 1] = 1
                once &= once - ONE


@device_function
def observe_turn(state, viewer, out):
    n, seat = np.int64(state.num_players), np.int64(state.turn)
    out[_PHASE + np.int64(state.phase)] = 1
    out[_FLAGS] = state.direction > 0
    out[_FLAGS + 1] = at_wall(state)
    out[_FLAGS + 2] = has_bit(state.drawn, seat)
    out[_FLAGS + 3] = may_yet_meld(state, seat)
    out[_FLAGS + 4] = state.taken[seat] > 0
    out[_FLAGS + 5] = state.repeated
    out[_TURN + seat_from(viewer, seat, n)] = 1
    if state.phase == LAY_CARD:
        out[_SLOT + np.int64(state.slot)] = 1
    if state.phase == COMPOSE:
        write_counts(out, _COMPOSITION, state.composition)
    if state.variant != GIN:
        out[_CLOCK] = np.float32(state.turns) * (_ONE / np.float32(state.max_turns))
        out[_CLOCK + 1] = np.float32(np.int64(state.recycles) - np.int64(state.recycled)) * _HALF
        out[_CLOCK + 2] = np.float32(state.idle_turns) * (_ONE / np.float32(4 * n))


@device_function
def may_yet_meld(state, seat):
    if state.variant == GIN:
        return state.phase >= KNOCK_MELDS or (state.phase == COMPOSE)
    return melds_left(state, seat)


@device_function
def observe_specials(state, viewer, out):
    n = np.int64(state.num_players)
    write_specials(out, _STAGED, np.int64(state.staged))
    write_specials(out, _REMOVED, np.int64(state.aside))
    for seat in range(n):
        offset = _SEATS + SEAT_CELLS * seat_from(viewer, seat, n)
        out[offset + 2] = np.float32(state.draw[seat]) * _OF_SEAT
        out[offset + 3] = np.float32(state.skip[seat]) * _OF_SEAT
        out[offset + 4] = has_bit(state.paused, seat)
        queue = np.int64(state.effects[seat])
        while queue != 0:
            out[offset + 4 + (queue & 3)] += _OF_SEAT
            queue >>= 2


@device_function
def write_specials(out, offset, specials):
    bits = np.uint64(specials)
    while bits != ZERO:
        out[offset + lowest_bit(bits) % SPECIALS] += _HALF
        bits &= bits - ONE


@device_function
def observe_match(state, viewer, out):
    n = np.int64(state.num_players)
    for seat in range(n):
        place = seat_from(viewer, seat, n)
        out[_SEATS + SEAT_CELLS * place] = has_bit(state.down, seat)
        out[_SEATS + SEAT_CELLS * place + 1] = np.float32(state.buys_left[seat]) * _OF_BUYS
        out[_MATCH + place] = np.float32(state.total[seat]) * _OF_SCORE
    out[_MATCH + _DEAL_AT + deal_number(state) - 1] = 1


# --- text ---

_VERBS = {COMPOSE: "add", LAY_CARD: "lay", KNOCK_DISCARD: "discard"}


def card_label(state: Any, place: int) -> str:
    return f"{_VERBS.get(int(state.phase), 'discard')} {{card}}"


def take_label(state: Any, place: int) -> str:
    return f"{'buy' if state.phase == OFFER else 'take'} the discard"


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    facts = [*_course(state), *_asked(state), *_melds(state)]
    if state.direction < 0:
        facts.append(Fact("counterclockwise", role=FactRole.DIRECTION))
    if state.staged:
        facts.append(Fact(f"staged: {text(specials_of(state.staged))}"))
    return facts + _seats(state)


_VARIANTS = ("basic rummy", "gin rummy", "contract rummy")
_PHASES = (
    "is offered the upcard",
    "is to draw",
    "may buy the discard",
    "is to lay or discard",
    "is melding",
    "is to name a card to lay off",
    "knocks and is to discard",
    "lays their melds",
    "may lay off",
    "lays their melds",
)
_GIN_PHASES = {PLAY: "is to discard or knock"}


def _course(state: Any) -> list[Fact]:
    """The variant, and the progress of the game."""
    facts = [Fact(_VARIANTS[int(state.variant)])]
    if state.variant == CONTRACT:
        deal = int(plain(deal_number)(state))
        kinds = (GROUPS[deal], "group"), (RUNS[deal], "run")
        contract = [f"{number} {name}{'s' * int(number > 1)}" for number, name in kinds if number]
        needed = " and ".join(contract)
        totals = tuple(int(total) for total in state.total[: int(state.num_players)])
        facts.append(Fact(f"deal {deal}: {needed}", role=FactRole.CONTRACT, value=needed))
        facts.append(Fact(f"totals {' '.join(map(str, totals))}", role=FactRole.SCORE, value=totals))
    if state.variant == GIN:
        facts.append(Fact(f"knock card {int(state.knock)}", role=FactRole.LEVEL, value=int(state.knock)))
        facts += [Fact(counted(state.upcard_draws, "upcard draw"))] * int(state.upcard_draws > 0)
        facts += [Fact("the upcard went back at once")] * bool(state.repeated)
    else:
        turns, idle = int(state.turns), int(state.idle_turns)
        facts.append(Fact(f"turn {turns} of {int(state.max_turns)}", role=FactRole.COURSE, value=turns))
        left = counted(int(state.recycles) - int(state.recycled), "more time")
        facts.append(Fact(f"the discards may become the stock {left}"))
        facts += [Fact(f"{idle} of {4 * int(state.num_players)} idle turns")] * (idle > 1)
    return facts


def _asked(state: Any) -> list[Fact]:
    player, phase, knocker, discarder = (
        int(value) for value in (state.current_player, state.phase, state.knocker, state.discarder)
    )
    asked = _GIN_PHASES.get(phase, _PHASES[phase]) if state.variant == GIN else _PHASES[phase]
    if phase == COMPOSE and ids_of(state.composition):
        asked += f" {text(ids_of(state.composition))}"
    if phase == LAY_CARD:
        asked += f" on meld {int(state.slot)}"
    facts = [Fact("over") if state.terminated else Fact(f"{who(player)} {asked}", player)]
    if knocker != NOBODY:
        facts.append(Fact(f"{who(knocker)} has knocked", knocker))
    if discarder != NOBODY:
        facts.append(Fact(f"{who(discarder)} discarded last", discarder))
    return facts


def _seats(state: Any) -> list[Fact]:
    """The facts about the players."""
    facts: list[Fact] = []
    for seat in range(int(state.num_players)):
        queue, played = int(state.effects[seat]), []
        while queue:
            played.append(SPECIAL_TEXT[(queue & 3) - 1])
            queue >>= 2
        note, penalty = FactRole.NOTE, FactRole.PENALTY
        notes = [
            ("down", note, int(state.down) >> seat & 1),
            ("paused", FactRole.PAUSE, int(state.paused) >> seat & 1),
            ("has drawn", note, int(state.drawn) >> seat & 1),
            ("has melded before", note, int(state.laid_before) >> seat & 1 and state.variant != CONTRACT),
            ("has laid cards", note, int(state.laid_now) >> seat & 1),
            (f"took {text([max(int(state.taken[seat]) - 1, 0)])}", note, state.taken[seat] > 0),
            (f"is to take {int(state.draw[seat])}", penalty, state.draw[seat] > 0),
            (f"is to be skipped {counted(state.skip[seat], 'time')}", penalty, state.skip[seat] > 0),
            (f"{counted(state.buys_left[seat], 'buy')} left", note, state.variant == CONTRACT),
            (f"played {' '.join(played)}", note, len(played)),
        ]
        facts += [Fact(words, seat, role) for words, role, holds in notes if holds]
    return facts


def _melds(state: Any) -> list[Fact]:
    """The melds whose cards do not show what they are: those with one natural card."""
    facts = []
    for slot in range(int(state.melds)):
        if sum(plain(face_of)(card) != JOKER for card in ids_of(state.meld[slot])) == 1:
            facts.append(Fact(f"meld {slot} is a {'run' if state.meld_kind[slot] else 'group'}"))
    return facts


def meld_of(state: Any, slot: int) -> list[int]:
    """The cards of a meld as they are laid out: a run in its order, an ace where it is, Jokers where there are gaps, then
    behind, then before."""
    cards = ids_of(state.meld[slot])
    jokers = [card for card in cards if plain(face_of)(card) == JOKER]
    naturals = [card for card in cards if plain(face_of)(card) != JOKER]
    if state.meld_kind[slot] == GROUP:
        return naturals + jokers
    low = plain(ace_is_low)(state.meld[slot][0], np.int64(len(jokers)))
    place = {(card // SUITS - RANKS if low and card // SUITS == _ACE else card // SUITS): card for card in naturals}
    laid: list[int] = []
    for position in range(min(place), max(place) + 1):
        laid += [place[position]] if position in place else [jokers.pop(0)]
    while jokers and min(place) + len(laid) <= _ACE:
        laid.append(jokers.pop(0))
    return jokers + laid


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>; pile (the stock, top first); discards, the top last; aside; meld/<slot>. Other hands have the publicly known
    cards first: taken from the discards and not shown since, staged, or composed."""
    by_zone: dict[str, list[int]] = {}
    for seat in range(int(state.num_players)):
        cards = Counter(ids_of(state.hand[seat]))
        known = known_cards(state, seat)
        rest = sorted((cards - known).elements())
        if viewer is None or viewer == seat:
            by_zone[f"hand/{seat}"] = sorted(cards.elements())
        else:
            by_zone[f"hand/{seat}"] = [*sorted(known.elements()), *[HIDDEN] * len(rest)]
    pile = [int(card) for card in state.deck[int(state.pile_at) : int(state.pile_end)]]
    by_zone["pile"] = pile if viewer is None else [HIDDEN] * len(pile)
    by_zone["discards"] = [int(card) for card in state.discard[: int(state.discards)]]
    by_zone["aside"] = specials_of(state.aside)
    for slot in range(int(state.melds)):
        by_zone[f"meld/{slot}"] = meld_of(state, slot)
    return by_zone


def known_cards(state: Any, seat: int) -> Counter[int]:
    """The cards of a hand that all know (see determinize.py)."""
    known = Counter(ids_of(state.known[seat]))
    if seat == state.turn:
        known |= Counter(specials_of(state.staged))
    if seat == state.current_player and state.phase == COMPOSE:
        known |= Counter(ids_of(state.composition))
    return known
