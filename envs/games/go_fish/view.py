"""The observation, texts and zones of Go Fish."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.bits import count_bits
from ...core.cards import RANK_TEXT, RANKS, SMALL_JOKER, SPECIAL_TEXT
from ...core.extended.sets import ids_of
from ...core.extended.state import NOBODY
from ...core.extended.view import OF_HAND, extended_facts, extended_zones, observe_extended, seat_from
from ...core.facts import Fact, FactRole, joined, who
from ...core.jit import device_function, plain
from ...core.layout import start
from .rules import impossible
from .state import ALL_RANKS, BOOK, JOKERS, KINDS, NO_BOOK, OBSERVATION, OF_RANK, PLURAL, STANDARD_RANKS

_BOOKS, _BOOK_JOKERS, _IMPOSSIBLE, _KNOWN = OBSERVATION.places("books", "book_jokers", "impossible", "known")
_ASKED, _LACKS, _ASKER, _TARGET = OBSERVATION.places("asked", "lacks", "last_asker", "last_target")
_RANK, _GIVEN, _PHASE = OBSERVATION.places("last_rank", "last_given", "phase")

_OF_BOOK, _OF_JOKERS = np.float32(1 / BOOK), np.float32(1 / JOKERS)


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    observe_extended(state, viewer, out, OF_HAND)
    known, lacks = start(_KNOWN, n), start(_LACKS, n)
    for seat in range(n):
        offset = seat_from(viewer, seat, n) * ALL_RANKS
        write_ranks(out, start(_BOOKS, n) + offset, np.int64(state.books[seat]))
        write_ranks(out, start(_ASKED, n) + offset, np.int64(state.asked[seat]))
        if seat != viewer:
            write_ranks(out, lacks + offset, np.int64(state.lacks[seat]))
            for rank in range(ALL_RANKS):
                out[known + offset + rank] = np.float32(state.known[seat, rank]) * _OF_BOOK
    for rank in range(ALL_RANKS):
        held = count_bits(state.hand[viewer, 0] & OF_RANK[rank])
        out[known + rank] = np.float32(held) * _OF_BOOK
        out[lacks + rank] = held == 0
    for joker in range(JOKERS):
        if state.joker_book[joker] != NO_BOOK:
            out[start(_BOOK_JOKERS, n) + np.int64(state.joker_book[joker])] += _OF_JOKERS
    gone = impossible(state)
    for kind in range(KINDS):
        out[start(_IMPOSSIBLE, n) + kind] = gone >> (RANKS + kind) & 1
    if state.last_asker != NOBODY:
        out[start(_ASKER, n) + seat_from(viewer, np.int64(state.last_asker), n)] = 1
        out[start(_TARGET, n) + seat_from(viewer, np.int64(state.last_target), n)] = 1
        out[start(_RANK, n) + np.int64(state.last_rank)] = 1
        out[start(_GIVEN, n)] = np.float32(state.last_given) * _OF_BOOK
    out[start(_PHASE, n) + (np.int64(state.fished) >> np.int64(state.turn) & 1)] = 1


@device_function
def write_ranks(out, offset, ranks):
    for rank in range(ALL_RANKS):
        out[offset + rank] = ranks >> rank & 1


# --- text ---

# Words, as 7s is a card.
_RANK_TEXT = (*RANK_TEXT, *SPECIAL_TEXT)


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, in others' hands first the cards that the viewer knows; books/<seat>; pile (top first); aside."""
    known = {}
    if viewer is not None:
        met = int(state.met[viewer])
        known = {seat: ids_of([met & int(state.hand[seat][0]), 0]) for seat in range(int(state.num_players))}  # type: ignore[arg-type]
    by_zone = extended_zones(state, viewer, known=known)
    for seat in range(int(state.num_players)):
        ranks = _ranks(state.books[seat])
        laid = sum(int(OF_RANK[rank]) for rank in ranks) & int(state.laid)
        jokers = [SMALL_JOKER + k for k in range(JOKERS) if int(state.joker_book[k]) in ranks]
        by_zone[f"books/{seat}"] = sorted([*ids_of([laid, 0]), *jokers])  # type: ignore[arg-type]
    return by_zone


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    seat, asker = int(state.turn), int(state.last_asker)
    facts = [Fact(f"turn {int(state.turns)}", role=FactRole.COURSE, value=int(state.turns)), *extended_facts(state)]
    if asker != NOBODY:
        asked = f"{who(asker)} asked {who(state.last_target)}"
        facts.append(Fact(f"{asked} for {PLURAL[int(state.last_rank)]} and got {int(state.last_given) or 'none'}", asker))
    if not state.terminated and int(state.fished) >> seat & 1:
        facts.append(Fact(f"{who(seat)} may not ask again", seat))
    gone = _ranks(plain(impossible)(state))
    if gone and not state.standard:
        facts.append(Fact(f"no books of {', '.join(PLURAL[rank] for rank in gone)}"))
    return [*facts, *(fact for seat in range(int(state.num_players)) for fact in joined("; ", _player(state, seat)))]


def _player(state: Any, seat: int) -> list[Fact]:
    """The books of a player, and the public knowledge about their hand."""
    books, known, owned = _ranks(state.books[seat]), state.known[seat], int(state.owned[seat])
    on_joker = owned & STANDARD_RANKS if state.joker_asks and not state.standard else 0
    least = [int(known[rank]) + ((owned & ~on_joker) >> rank & 1) for rank in range(ALL_RANKS)]
    held = [f"{count} of {_RANK_TEXT[rank]}" for rank, count in enumerate(least) if count]
    signs = [_RANK_TEXT[rank] for rank, count in enumerate(least) for _ in range(count)] + ["Jk"] * int(state.jokers[seat])
    if state.jokers[seat]:
        held.append(f"{int(state.jokers[seat])} Jk")
    facts = [Fact(f"books: {_list(books) or 'none'}", seat, FactRole.SCORE, len(books))]
    if held:
        facts.append(Fact(f"known to hold at least {', '.join(held)}", seat, FactRole.KNOWN, " ".join(signs)))
    if on_joker:
        words = f"having asked for {_list(_ranks(on_joker))}, holds one more of each or a Joker"
        facts.append(Fact(words, seat, FactRole.KNOWN, " ".join(f"{_RANK_TEXT[rank]}?" for rank in _ranks(on_joker))))
    if state.lacks[seat]:
        lacked = _list(_ranks(state.lacks[seat]))
        facts.append(Fact(f"known to have no {lacked}", seat, FactRole.LACKED, lacked))
    return facts


def _ranks(bits: Any) -> list[int]:
    return [rank for rank in range(ALL_RANKS) if int(bits) >> rank & 1]


def _list(ranks: list[int]) -> str:
    return " ".join(_RANK_TEXT[rank] for rank in ranks)
