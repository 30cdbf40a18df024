"""The observation, texts and zones of Crazy Eights."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.cards import BIG_JOKER, HIDDEN, RANK_TEXT, SMALL_JOKER, SPECIAL_TEXT, SUIT_NAMES, SUITS, text
from ...core.extended.pile import pile_size
from ...core.extended.sets import FIRST_SPECIAL, SPECIALS, ids_of, write_cards
from ...core.extended.view import OF_HAND, extended_facts, extended_zones, observe_extended, seat_from
from ...core.facts import Fact, FactRole, counted, who
from ...core.jit import device_function, plain
from ...core.layout import start
from .state import (
    DEBT_UNIT,
    DECLARE,
    NOMINATE,
    OBSERVATION,
)

_TOP, _RANK, _SUIT, _DEBT, _DRAWN = OBSERVATION.places("top", "rank", "suit", "debt", "drawn")
_PLAYS, _PASSES, _PHASE, _DISCARDS, _DEALER = OBSERVATION.places("plays", "passes", "phase", "discards", "dealer")
_OF_DEBT = np.float32(1 / DEBT_UNIT)
_ONE = np.float32(1)
JOKERS = (SMALL_JOKER, BIG_JOKER)
_RANK_NAMES = (*RANK_TEXT, *SPECIAL_TEXT)


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    observe_extended(state, viewer, out, OF_HAND)
    top = np.int64(state.top)
    out[start(_TOP, n) + top] = 1
    out[start(_RANK, n) + np.int64(state.rank)] = 1
    out[start(_SUIT, n) + np.int64(state.suit)] = 1
    out[start(_DEBT, n)] = np.float32(state.debt) * _OF_DEBT
    out[start(_DRAWN, n)] = np.float32(state.drawn[np.int64(state.turn)]) * (_ONE / np.float32(state.max_draw_cards))
    out[start(_PLAYS, n)] = np.float32(state.plays) * (_ONE / np.float32(state.max_turns))
    out[start(_PASSES, n)] = np.float32(state.passes) * (_ONE / np.float32(n + 1))
    out[start(_PHASE, n) + np.int64(state.phase)] = 1
    discards = start(_DISCARDS, n)
    out[discards + top] = 1
    write_cards(out, discards, state.refill if state.reshuffle else state.discards)
    out[start(_DEALER, n) + seat_from(viewer, np.int64(state.dealer), n)] = 1


def _text(card: int) -> str:
    return text([card], joker_kinds=True)


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    return [*_table(state), *extended_facts(state), *_memory(state)]


def _table(state: Any) -> list[Fact]:
    """Write the top card, what must be matched, and the progress of the turn and the deal."""
    top, player, dealer = f"top {_text(int(state.top))}", int(state.turn), int(state.dealer)
    if state.top in JOKERS and state.phase != DECLARE and not state.terminated:
        top += f" as {_text(int(state.rank) * SUITS + int(state.suit))}"
    facts = [Fact(f"{who(dealer)} dealt", dealer, FactRole.DEALER), Fact(top)]
    if state.phase == DECLARE:
        facts.append(Fact(f"{who(player)} is to declare it", player))
    elif state.phase == NOMINATE:
        facts.append(Fact(f"{who(player)} is to name a suit", player))
    facts.append(Fact(f"to match: {_RANK_NAMES[int(state.rank)]} or {SUIT_NAMES[int(state.suit)]}", role=FactRole.TO_BEAT))
    if state.debt:
        facts.append(Fact(f"{counted(state.debt, 'card')} to take for 2s", role=FactRole.PENALTY, value=int(state.debt)))
    for seat in range(int(state.num_players)):
        if state.drawn[seat]:
            facts.append(Fact(f"{who(seat)} has drawn {int(state.drawn[seat])}", seat))
    if state.passes:
        facts.append(Fact(counted(state.passes, "pass", "passes")))
    plays = int(state.plays)
    return [*facts, Fact(f"{plays} of {int(state.max_turns)} cards played", role=FactRole.COURSE, value=plays)]


def _memory(state: Any) -> list[Fact]:
    """Write the public knowledge about hidden cards: the cards put back, and the shuffles that hands come from."""
    facts = []
    if state.put_back.any():
        takers = [str(seat) for seat in range(int(state.num_players)) if int(state.taken) >> seat & 1]
        since = f"taken from since by {', '.join(takers)}" if takers else "nobody has taken cards since"
        put_back = text(ids_of(state.put_back), joker_kinds=True)
        facts.append(Fact(f"put back into the pile at the start: {put_back} ({since})"))
    for seat in range(int(state.num_players)):
        later = [int(state.shuffled[card]) for card in ids_of(state.hand[seat]) if state.shuffled[card]]
        for number in sorted(set(later)):
            facts.append(Fact(f"{who(seat)} holds {counted(later.count(number), 'card')} of shuffle {number}", seat))
    return facts


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>; pile, top first; aside; top, the card on top of the discard pile; discards, those below it. In other hands,
    the viewer sees the cards that can be nowhere else; cards of a hand are therefore in the order of their shuffles, which is
    public."""
    known = {} if viewer is None else known_places(state, viewer)
    by_zone = extended_zones(state, viewer)
    for seat in range(int(state.num_players)):
        staged, cards = staged_cards(state, seat), ids_of(state.hand[seat])
        rest = sorted((card for card in cards if card not in staged), key=lambda card: (int(state.shuffled[card]), card))
        visible = rest if viewer in (None, seat) else known.get(seat, set())
        by_zone[f"hand/{seat}"] = [*staged, *(card if card in visible else HIDDEN for card in rest)]
    last = known.get(PILE, set())
    if len(last) == len(by_zone["pile"]) == 1:
        by_zone["pile"] = list(last)
    return {**by_zone, "top": [int(state.top)], "discards": ids_of(state.refill if state.reshuffle else state.discards)}


PILE = -1  # number of places besides the seats


def staged_cards(state: Any, seat: int) -> list[int]:
    """The cards of a hand that are staged."""
    return [FIRST_SPECIAL + k for k in range(SPECIALS) if seat == state.turn and int(state.staged) >> k & 1]


def known_places(state: Any, viewer: int) -> dict[int, set[int]]:
    """By seat, the cards of other hands and of the pile whose places the viewer knows: hidden cards of a shuffle (see
    determinize.py) with only one possible place."""
    size = int(plain(pile_size)(state))
    first = int(state.pile_at)
    others = [seat for seat in range(int(state.num_players)) if seat != viewer]
    held = {seat: set(ids_of(state.hand[seat])).difference(staged_cards(state, seat)) for seat in others}
    held[PILE] = {int(card) for card in state.deck[first : first + size]}
    put_back = set(ids_of(state.put_back))
    known: dict[int, set[int]] = {place: set() for place in held}
    for number in {int(state.shuffled[card]) for cards in held.values() for card in cards}:
        cards = {place: {card for card in ids if state.shuffled[card] == number} for place, ids in held.items()}
        room = {place: len(ids) for place, ids in cards.items()}
        barred = set.union(*cards.values()) & put_back
        takers = [place for place in room if room[place] and place != PILE and int(state.taken) >> place & 1]
        if barred and not takers:
            known[PILE] |= barred
            room[PILE] -= len(barred)
            cards[PILE] -= barred
        left = [place for place in room if room[place]]
        if len(left) == 1:
            known[left[0]] |= cards[left[0]]
    return known
