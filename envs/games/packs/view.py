"""The observation, zones and texts of both games: all players know the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.bits import count_bits
from ...core.cards import DECK_66, HIDDEN, RANK_TEXT, STANDARD, SUITS, text
from ...core.extended.pile import pile_size
from ...core.extended.sets import BIT, RANK, WORD, ZERO, has, ids_of, is_joker
from ...core.extended.view import extended_facts, seat_from
from ...core.facts import Fact, FactRole, counted, who
from ...core.jit import device_function
from ...core.layout import Layout, start
from ...core.zones import ZoneRole
from .rules import stack_rank
from .state import (
    DIRECTION_BLOCK,
    DRAWS_BLOCK,
    JOKER_TYPE,
    LOOSE_BLOCK,
    NEXT_BLOCK,
    NEXT_CARDS,
    NO_VALUE,
    NOBODY,
    OWED_BLOCK,
    OWNER_BLOCK,
    PACKS_BLOCK,
    PAYER_BLOCK,
    PILE_BLOCK,
    QUEUE_BLOCK,
    RANK_TYPES,
    RANKS_BLOCK,
    SKIPS_BLOCK,
    STACK_BLOCK,
    TOP_BLOCK,
    TOP_CARDS,
    TOP_JOKERS_BLOCK,
    TYPES,
    TYPES_BLOCK,
    UNKNOWN_TYPE,
)

# A game begins its observation with the first of these blocks, and may put its own between the two parts.
FIRST_BLOCKS = (PACKS_BLOCK, PILE_BLOCK, STACK_BLOCK, TOP_BLOCK, TOP_JOKERS_BLOCK)
OTHER_BLOCKS = (
    RANKS_BLOCK,
    LOOSE_BLOCK,
    OWNER_BLOCK,
    PAYER_BLOCK,
    OWED_BLOCK,
    QUEUE_BLOCK,
    DRAWS_BLOCK,
    SKIPS_BLOCK,
    DIRECTION_BLOCK,
    NEXT_BLOCK,
    TYPES_BLOCK,
)
_LAYOUT = Layout(*FIRST_BLOCKS, *OTHER_BLOCKS)
_PACKS, _PILE, _STACK, _TOP, _TOP_JOKERS = _LAYOUT.places(*(block.name for block in FIRST_BLOCKS))
_RANKS, _LOOSE, _OWNER, _PAYER, _OWED, _QUEUE, _DRAWS, _SKIPS, _DIRECTION, _NEXT, _TYPES = _LAYOUT.places(
    *(block.name for block in OTHER_BLOCKS)
)
_OF_DECK, _OF_RANK, _OF_JOKERS, _OF_DRAWS = np.float32(1 / DECK_66), np.float32(1 / 4), np.float32(1 / 2), np.float32(1 / 8)
TYPE = np.array([JOKER_TYPE if WORD[card] else RANK[card] for card in range(DECK_66)], np.int64)  # of a card that is known
_WORDS = np.array([[0, BIT[card]] if WORD[card] else [BIT[card], 0] for card in range(DECK_66)], np.uint64)  # of a set
_OF_FOUR = np.array([cards.bit_count() / SUITS for cards in range(1 << SUITS)], np.float32)  # of four cards, as bits
_UNKNOWN = np.cumsum(np.array([0] + [_OF_DECK] * DECK_66, np.float32), dtype=np.float32)  # so many times 1 / 66


@device_function
def observe_packs(state, viewer, out, shift, left):
    """Write the shared blocks, with `shift` entries of the game between their two parts; at `left` the number of cards left to
    place, then the cards played."""
    observe_stack(state, out, shift)
    observe_turns(state, viewer, out, shift)
    observe_each_pack(state, viewer, out, shift)
    out[left] = np.float32(state.placing) * _OF_DRAWS
    out[left + 1] = np.float32(np.float64(state.plays) / np.float64(state.max_plays))


@device_function
def observe_stack(state, out, shift):
    n, size, burned = np.int64(state.num_players), np.int64(state.stack_size), np.int64(state.burned)
    for k in range(min(size - burned, TOP_CARDS)):
        card = np.int64(state.stack[size - 1 - k])
        rank = stack_rank(state, card)
        if rank >= 0:
            out[start(_TOP, n) + k * RANK_TYPES + rank] = 1
        out[start(_TOP_JOKERS, n) + k] = is_joker(card)
    ranks, loose = start(_RANKS, n) + shift, start(_LOOSE, n) + shift
    for k in range(burned, size):
        rank = stack_rank(state, np.int64(state.stack[k]))
        if rank >= 0:
            out[ranks + rank] += _OF_RANK
        else:
            out[loose] += _OF_JOKERS


@device_function
def observe_turns(state, viewer, out, shift):
    n = np.int64(state.num_players)
    if state.owed > 0:
        out[start(_OWNER, n) + shift + seat_from(viewer, np.int64(state.owner), n)] = 1
        out[start(_PAYER, n) + shift + seat_from(viewer, np.int64(state.turn), n)] = 1
        out[start(_OWED, n) + shift] = np.float32(state.owed) * _OF_RANK
    queue = np.int64(state.queue)
    while queue != 0:
        out[start(_QUEUE, n) + shift + (queue & 3) - 1] += _OF_RANK
        queue >>= 2
    for seat in range(n):
        place = shift + seat_from(viewer, seat, n)
        out[start(_DRAWS, n) + place] = np.float32(state.draw[seat]) * _OF_DRAWS
        out[start(_SKIPS, n) + place] = np.float32(state.skip[seat]) * _OF_RANK
    out[start(_DIRECTION, n) + shift] = state.direction > 0
    out[start(_PILE, n)] = np.float32(pile_size(state)) * _OF_DECK


@device_function
def observe_each_pack(state, viewer, out, shift):
    n = np.int64(state.num_players)
    out[start(_STACK, n)] = np.float32(state.stack_size) * _OF_DECK
    for seat in range(n):
        place = seat_from(viewer, seat, n)
        out[start(_PACKS, n) + place] = np.float32(state.pack_size[seat]) * _OF_DECK
        cards, types = start(_NEXT, n) + shift + place * NEXT_CARDS * TYPES, start(_TYPES, n) + shift + place * TYPES
        observe_pack(state, seat, out, cards, types)


@device_function
def observe_pack(state, seat, out, cards, types):
    """Write the public knowledge about a pack's cards: rank, Joker, or nothing. The first cards are written at `cards`, the
    number of each type at `types`."""
    size, position = np.int64(state.pack_size[seat]), np.int64(state.head[seat])
    suited, jokers = ZERO, ZERO
    for k in range(size):
        card = np.int64(state.pack[seat, position])
        position = position + 1 if position < DECK_66 - 1 else 0
        suited |= _WORDS[card, 0]
        jokers |= _WORDS[card, 1]
        if k < NEXT_CARDS:
            out[cards + k * TYPES + (TYPE[card] if has(state.seen, card) else UNKNOWN_TYPE)] = 1
    suited &= state.seen[0]
    jokers &= state.seen[1]
    for rank in range(RANK_TYPES):
        out[types + rank] = _OF_FOUR[np.int64(suited >> np.uint64(SUITS * rank)) & 15]
    out[types + JOKER_TYPE] = np.float32(count_bits(jokers)) * _OF_JOKERS
    out[types + UNKNOWN_TYPE] = _UNKNOWN[size - count_bits(suited) - count_bits(jokers)]


# --- text and zones ---


def rank_text(rank: int) -> str:
    return RANK_TEXT[rank]


PACK_ZONES = {"pack": ZoneRole.STOCK, "pile": ZoneRole.STOCK, "burned": ZoneRole.ROW, "stack": ZoneRole.ROW}


def pack_zones(state: Any, viewer: int | None) -> dict[str, list[int]]:
    """pack/<seat> and pile, top first; burned, which one of the games has, and stack, the first card first. What was never
    turned up is hidden from all."""
    by_zone = {}
    for seat in range(int(state.num_players)):
        ring, head = [int(card) for card in state.pack[seat]], int(state.head[seat])
        by_zone[f"pack/{seat}"] = (ring[head:] + ring[:head])[: int(state.pack_size[seat])]
    by_zone["pile"] = [int(card) for card in state.deck[int(state.pile_at) : int(state.pile_end)]]
    stack, burned = [int(card) for card in state.stack[: int(state.stack_size)]], int(state.burned)
    by_zone["burned"], by_zone["stack"] = stack[:burned][::-1], stack[burned:]
    if viewer is None:
        return by_zone
    turned_up = set(ids_of(state.seen))
    return {name: [card if card in turned_up else HIDDEN for card in cards] for name, cards in by_zone.items()}


_KINDS = ("Draw", "Reverse", "Skip")


def pack_facts(state: Any, actions: Layout) -> list[Fact]:
    """Cards played, the latest step, the debt, declared Jokers, what waits and is pending: for `describe`."""
    facts = [Fact(f"{counted(state.plays, 'card')} played", role=FactRole.COURSE, value=int(state.plays))]
    turn, last, owed = int(state.turn), int(state.last_player), int(state.owed)
    if last != NOBODY:
        facts.append(Fact(f"{who(last)} chose: {actions.text(state, int(state.last_action))}", last))
    if owed:
        facts.append(Fact(f"{who(turn)} owes {owed} to {who(state.owner)}", turn, FactRole.PENALTY, owed))
    for k, rank in enumerate(state.declared):
        if rank != NO_VALUE:
            facts.append(Fact(f"{text([STANDARD + k], joker_kinds=True)} is declared {rank_text(int(rank))}"))
    queue, waiting = int(state.queue), []
    while queue:
        waiting.append(_KINDS[(queue & 3) - 1])
        queue >>= 2
    if waiting:
        facts.append(Fact(f"waiting: {', '.join(waiting)}"))
    if state.placing:
        facts.append(Fact(f"{who(turn)} is to place {int(state.placing)} drawn", turn))
    return facts + extended_facts(state)
