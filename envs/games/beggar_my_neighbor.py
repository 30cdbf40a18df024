"""Beggar My Neighbor: turn up cards that nobody has seen; court cards demand payment, and Jokers count as a declared rank.

Two to six players; the Extended Deck or 52 cards. Rules: docs/rules/beggar_my_neighbor.md (clauses BM-01 to BM-53).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import options as opt
from ..core.cards import DECK_66
from ..core.extended.sets import RANK, WORD
from ..core.facts import Fact
from ..core.fields import Field
from ..core.game import Bounds, Game
from ..core.jit import device_function
from ..core.layout import Block, Layout, start
from ..core.units import wins
from .packs.hidden import redraw_unknown
from .packs.rules import (
    copy_pack,
    deal_packs,
    declare,
    forget_deal,
    mark_shared,
    note_action,
    pack_card,
    reopen,
    settle_top,
    step_place,
    stop,
    turn_up,
)
from .packs.state import (
    DECLARE,
    LEFT_BLOCK,
    MAX_PLAYERS,
    PACK_ACTIONS,
    PACK_EVENTS,
    PILE,
    PLACE,
    PLAY,
    PLAYS_BLOCK,
    PackOptions,
    max_plays_option,
    pack_fields,
    stalemate_option,
)
from .packs.view import FIRST_BLOCKS, OTHER_BLOCKS, PACK_ZONES, observe_packs, pack_facts, pack_zones

EVERY = 1  # auto


@dataclass(frozen=True)
class Options(PackOptions):
    """Options of Beggar My Neighbor."""

    auto: str = opt.one_of(
        "decisions",
        ("decisions", "every"),
        "which plays are steps: those not forced, or every card (BM-50)",
        at_tables="every",
    )
    stalemate: str = stalemate_option("draw")
    cycle_check: bool = opt.flag(True, "a game that goes round for ever is stopped (BM-42)")
    max_plays: int = max_plays_option(10_000)


# The state at a lead, stored for comparison with later leads (BM-42): leader, direction, pile, and for each player the waiting
# cards and skips and the size of their pack; and the packs as ids, one after another.
_MARKED = 3
MARK_SIZE = _MARKED + 3 * MAX_PLAYERS
FIELDS = [
    *pack_fields(),
    Field("auto", "u1"),
    Field("cycle_check", "u1"),
    Field("leads", "u4", high=lambda options: options.max_plays + 1),  # to an empty stack, since the start or a decision
    Field("mark", "u1", (MARK_SIZE,), high=255),
    Field("mark_packs", "u1", (DECK_66,), high=DECK_66 - 1),
]
ACTIONS = Layout(*PACK_ACTIONS)
OBSERVATION = Layout(
    *FIRST_BLOCKS,
    *OTHER_BLOCKS,
    Block("phase", 3, "of the viewer, if they are to move: to declare, to place, to play; one-hot"),
    LEFT_BLOCK,
    PLAYS_BLOCK,
)
_PHASE, _LEFT = OBSERVATION.at("phase"), OBSERVATION.at("placing")

# Classes of cards: cards of one class are equivalent while no Joker is declared (BM-42).
_NUMERALS = 9  # ranks 2 to T are one class
CLASS = np.array([15 if WORD[card] else max(int(RANK[card]), _NUMERALS - 1) for card in range(DECK_66)], np.uint8)
_GOES_ON = np.int64(-1)  # no card to stop before


@device_function
def begin(state):
    start_game(state, _GOES_ON)
    if state.terminated:  # BM-51
        start_game(state, reopen(state))
    forget_deal(state)


@device_function
def start_game(state, last):
    deal_packs(state)
    clear_leads(state)
    go_on(state, last)


@device_function
def go_on(state, last):
    """Play cards up to the next decision or the end; with auto=every there are no decisions (BM-50); play none beyond
    `last`."""
    while state.phase == PLAY and not state.terminated:
        if state.plays >= state.max_plays or (state.cycle_check and has_returned(state)):  # BM-43, BM-42
            stop(state)
        elif state.auto == EVERY or np.int64(state.plays) == last:
            break
        elif not turn_up(state):
            settle_top(state)
    if state.phase != PLAY and state.leads > 0:
        clear_leads(state)
    state.current_player = state.turn


# --- games without end ---


@device_function
def clear_leads(state):
    """BM-42: forget earlier states, because a decision makes a new game."""
    state.leads = 0
    for k in range(MARK_SIZE):
        state.mark[k] = 0
    for k in range(DECK_66):
        state.mark_packs[k] = 0


@device_function
def has_returned(state):
    """BM-42: whether the state before a lead to an empty stack occurred earlier. States are stored at leads 1, 2, 4..."""
    if state.stack_size > 0:
        return False
    if state.leads > 0 and is_marked(state):
        return True
    leads = np.int64(state.leads) + 1
    state.leads = leads
    if leads & (leads - 1) == 0:
        mark_state(state)
    return False


@device_function
def is_marked(state):
    if state.mark[0] != state.turn or state.mark[1] != (state.direction > 0) or state.mark[2] != state.pile_at:
        return False
    for seat in range(np.int64(state.num_players)):
        position = _MARKED + 3 * seat
        if state.mark[position] != state.pack_size[seat]:
            return False
        if state.mark[position + 1] != state.draw[seat] or state.mark[position + 2] != state.skip[seat]:
            return False
    position = 0
    for seat in range(np.int64(state.num_players)):
        for k in range(np.int64(state.pack_size[seat])):
            if CLASS[pack_card(state, seat, k)] != CLASS[np.int64(state.mark_packs[position])]:
                return False
            position += 1
    return True


@device_function
def mark_state(state):
    state.mark[0] = state.turn
    state.mark[1] = state.direction > 0
    state.mark[2] = state.pile_at
    count = np.int64(0)
    for seat in range(np.int64(state.num_players)):
        position = _MARKED + 3 * seat
        state.mark[position] = state.pack_size[seat]
        state.mark[position + 1] = state.draw[seat]
        state.mark[position + 2] = state.skip[seat]
        count = copy_pack(state, seat, state.mark_packs, count)


# --- the game as seen ---


@device_function
def legal_actions(state, mask):
    mark_shared(state, mask)


@device_function
def step(state, action):
    note_action(state, action)
    if state.phase == DECLARE:
        declare(state, action)
        settle_top(state)
    elif state.phase == PLACE:
        step_place(state, action)
    elif not turn_up(state):
        settle_top(state)
    go_on(state, _GOES_ON)


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    observe_packs(state, viewer, out, np.int64(0), start(_LEFT, n))
    if viewer == np.int64(state.current_player) and not state.terminated:
        out[start(_PHASE, n) + np.int64(state.phase)] = 1


@device_function
def determinize(state, viewer):
    unknown = np.empty(DECK_66, np.int64)
    redraw_unknown(state, unknown)
    marked = np.int64(0)
    for seat in range(np.int64(state.num_players)):
        marked += np.int64(state.mark[_MARKED + 3 * seat])
    for k in range(min(marked, DECK_66)):  # a card hidden both then and now is the same card
        state.mark_packs[k] = unknown[np.int64(state.mark_packs[k])]


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """pack/<seat> and pile, top first; stack, first card played first."""
    by_zone = pack_zones(state, viewer)
    del by_zone["burned"]
    return by_zone


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    return pack_facts(state, ACTIONS)


def _max_length(options: Options) -> int:
    """BM-52."""
    return (2 if options.auto == "every" else 1) * options.max_plays + PILE


GAME = Game(
    name="beggar_my_neighbor",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(begin, legal_actions, step, observe, determinize),
    describe=describe,
    zones=zones,
    zone_roles=PACK_ZONES,
    unit=wins,
    bounds=Bounds(_max_length, lambda options: (-1 / (options.num_players - 1), 1.0)),
    private=(),
    events=PACK_EVENTS,
    player="wilddeck.agents.rules.beggar_my_neighbor",
    page="docs/rules/beggar_my_neighbor.md",
    weights="agents/weights",
)
