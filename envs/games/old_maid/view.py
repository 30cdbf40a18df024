"""What a seat sees of Old Maid: as numbers, as text, as cards by zone."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

import numpy as np

from ...core.cards import DECK_66, HIDDEN, RANK_TEXT, RANKS, STANDARD, text
from ...core.extended.sets import NO_RANK, is_joker
from ...core.extended.state import NOBODY
from ...core.extended.view import seat_from
from ...core.facts import Fact, FactRole, who
from ...core.jit import device_function, plain
from ...core.layout import start
from ...core.parts import Label, Part
from .hands import next_with_cards, type_of
from .state import (
    ARRANGED,
    DRAW,
    FIRST_QUEEN,
    JOKER,
    MOST,
    OBSERVATION,
    PAIR,
    PLACE,
    QUEEN,
    SETUP,
    TYPE,
    TYPES,
)

_HAND, _FAN, _SIZES, _PAIRS = OBSERVATION.places("hand", "fan", "hand_sizes", "pairs_laid")
_JOKERS, _JOKER_PAIR, _BOUND = OBSERVATION.places("jokers_laid", "joker_pair", "bound")
_MAID, _REMOVED, _DRAWER, _FROM = OBSERVATION.places("old_maid", "removed_queen", "drawer", "drawn_from")
_KEPT, _AT, _KNOWN, _TARGET, _PHASE = OBSERVATION.places("kept", "drawn_at", "known", "target", "phase")

_OF_HAND, _QUARTER, _HALF = np.float32(1 / 33), np.float32(1 / 4), np.float32(1 / 2)
_EMPTY = TYPES  # of a position


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    observe_table(state, viewer, out)
    hand, fan = start(_HAND, n), start(_FAN, n)
    size = np.int64(state.hand_size[viewer])
    for k in range(size):
        card = np.int64(state.hand[viewer, k])
        out[hand + card] = 1
        if state.fan == ARRANGED:
            out[fan + k * (TYPES + 1) + type_of(state, card)] = 1
    if state.fan == ARRANGED:
        for k in range(size, MOST):
            out[fan + k * (TYPES + 1) + _EMPTY] = 1
    if state.bound != NO_RANK:
        out[start(_BOUND, n) + np.int64(state.bound)] = 1
    out[start(_JOKER_PAIR, n)] = state.joker_pair
    if state.named_maid:
        out[start(_MAID, n) + np.int64(state.old_maid)] = 1
    out[start(_REMOVED, n) + np.int64(state.removed_queen)] = 1
    if state.drawer != NOBODY:
        out[start(_DRAWER, n) + seat_from(viewer, np.int64(state.drawer), n)] = 1
        out[start(_FROM, n) + seat_from(viewer, np.int64(state.drawn_from), n)] = 1
        out[start(_KEPT, n)] = state.kept
        if state.fan == ARRANGED:
            out[start(_AT, n) + np.int64(state.drawn_at)] = 1
    if state.phase == DRAW:
        target = next_with_cards(state, np.int64(state.current_player))
        out[start(_TARGET, n) + seat_from(viewer, target, n)] = 1
    out[start(_PHASE, n) + np.int64(state.phase)] = 1


@device_function
def observe_table(state, viewer, out):
    """What is laid, which is what no hand holds; sizes of hands, and what is known of them."""
    n = np.int64(state.num_players)
    sizes, pairs, known, jokers = start(_SIZES, n), start(_PAIRS, n), start(_KNOWN, n), start(_JOKERS, n)
    for group in range(RANKS if state.standard else JOKER - 1):
        out[pairs + group] = 1
    out[pairs + QUEEN] -= _QUARTER
    if not state.standard:
        out[jokers] = 1
    for seat in range(n):
        place, size = seat_from(viewer, seat, n), np.int64(state.hand_size[seat])
        out[sizes + place] = np.float32(size) * _OF_HAND
        for k in range(size):
            card = np.int64(state.hand[seat, k])
            if is_joker(card):
                out[jokers] -= _HALF
            else:
                out[pairs + (TYPE[card] if card < STANDARD else TYPE[card] - 1)] -= _QUARTER
            if state.known_by[card] == viewer and seat != viewer:
                out[known + place * TYPES + type_of(state, card)] = 1


# --- text ---


def _name(ids: Iterable[int]) -> str:
    return text(map(int, ids), joker_kinds=True)


def draw_label(state: Any, place: int) -> Label:
    target = int(plain(next_with_cards)(state, int(state.current_player)))
    words = "draw card {position} of player {target}" if state.fan == ARRANGED else "draw a card of player {target}"
    return Label(words, {"position": place + 1, "target": Part(str(target), seats=(target,))})


_DOING = {SETUP: "may pair a Joker before the first turn", PAIR: "may pair a Joker", PLACE: "places the card drawn"}


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    player, turns, drawer, facts = int(state.current_player), int(state.turns), int(state.drawer), []
    if turns:
        facts.append(Fact(f"turn {turns}", role=FactRole.COURSE, value=turns))
    if state.phase == DRAW:
        facts.append(Fact(f"{who(player)} draws from {who(plain(next_with_cards)(state, player))}", player))
    else:
        facts.append(Fact(f"{who(player)} {_DOING[int(state.phase)]}", player))
    if state.phase == PAIR and state.fresh:
        facts.append(Fact("still holding the card drawn"))
    if state.skips:
        facts.append(Fact("the next two players will be skipped"))
    if state.bound != NO_RANK:
        facts.append(Fact(f"Jokers are bound to rank {RANK_TEXT[int(state.bound)]}"))
    if state.named_maid:
        facts.append(Fact(f"the Old Maid is {_name([FIRST_QUEEN + int(state.old_maid)])}"))
    notes = []
    if drawer != NOBODY:
        where = f" card {int(state.drawn_at) + 1}" if state.fan == ARRANGED else ""
        outcome = "kept it" if state.kept else "laid it"
        notes.append(Fact(f"drew{where} from {who(state.drawn_from)}, {outcome}", drawer))
    if viewer is not None and state.fan == ARRANGED and state.hand_size[viewer] > 0:
        order = _name(state.hand[viewer][: int(state.hand_size[viewer])])
        notes.append(Fact(f"in order {order}", viewer, FactRole.SEEN, sep="; " if viewer == drawer else None))
    return facts + sorted(notes, key=attrgetter("seat"))


# --- zones ---


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, with fan="arranged" in its order; known/<seat>, the cards of another hand that the viewer knows to be there,
    at any position, and that are not listed in hand/<seat>; pairs, what is laid; removed."""
    by_zone: dict[str, list[int]] = {}
    queen = FIRST_QUEEN + int(state.removed_queen)
    seats = range(int(state.num_players))
    hands = [[int(card) for card in state.hand[seat][: int(state.hand_size[seat])]] for seat in seats]
    unknown = [
        [card for card in hand if viewer not in (None, seat, int(state.known_by[card]))] for seat, hand in enumerate(hands)
    ]
    if sum(map(bool, unknown)) == 1:  # the cards that are left must be there
        unknown = [[] for _ in seats]
    for seat, hand in enumerate(hands):
        hidden = [HIDDEN] * len(unknown[seat])
        by_zone[f"hand/{seat}"] = hand if viewer in (None, seat) else hidden
    for seat, hand in enumerate(hands):
        by_zone[f"known/{seat}"] = [] if viewer in (None, seat) else sorted(set(hand).difference(unknown[seat]))
    held = {card for hand in hands for card in hand}
    by_zone["pairs"] = [card for card in range(STANDARD if state.standard else DECK_66) if card not in held and card != queen]
    by_zone["removed"] = [queen]
    return by_zone
