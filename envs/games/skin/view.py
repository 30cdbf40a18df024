"""The observation, texts and zones of Skin, and sampling of hidden cards."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.cards import HIDDEN, RANK_TEXT, RANKS, SUITS
from ...core.facts import Fact, FactRole, counted, who
from ...core.jit import device_function, plain
from ...core.parts import Label
from ...core.rng import shuffle
from ...core.seats import clockwise
from .bets import level_chips, rank_of
from .state import (
    ASKED,
    BANK,
    BANK_NEW,
    CHIPS,
    CREDIT_UNIT,
    DECK,
    IN_GAME,
    IS_BANKER,
    LIVE,
    MAIN,
    MAX_PLAYERS,
    NO_CARD,
    NONE_YET,
    OBSERVATION,
    OFFER,
    RECEIVED_LAST,
    REVEALS,
    SEAT,
    SIDE_AMOUNT,
    SIDE_REPLY,
    STAKE,
    WAITS,
)

_PHASE, _SEATS, _SIDE_BETS, _COUNTS = OBSERVATION.places("phase", "seats", "side_bets", "counts", num_players=0)
_BANK_CARD, _BANK_STATE, _PROPOSAL, _PARTNER = OBSERVATION.places(
    "bank_card", "bank_state", "proposal", "partner", num_players=0
)
_CENTRAL_RANKS, _DEAD_RANKS, _SEEN, _OFFERED = OBSERVATION.places("central", "dead", "seen", "offered", num_players=0)

_QUARTER = np.float32(1 / SUITS)


# --- what is seen ---


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    out[_PHASE + np.int64(state.phase)] = 1
    for seat in range(n):
        observe_seat(state, viewer, seat, out)
    observe_bank(state, out)
    for rank in range(RANKS):
        out[_CENTRAL_RANKS + rank] = state.central[rank]
        out[_DEAD_RANKS + rank] = state.dead[rank]
    for k in range(np.int64(state.turned)):
        out[_SEEN + rank_of(state.deck[k])] += _QUARTER
    if state.phase == OFFER:
        out[_OFFERED + rank_of(state.deck[state.turned - 1])] = 1
    if state.proposal:
        out[_PROPOSAL + np.int64(state.proposal) - 1] = 1
    if state.phase == BANK or state.phase == SIDE_REPLY:
        out[_PARTNER + clockwise(np.int64(state.bettor), n - viewer, n)] = 1
    elif state.phase == SIDE_AMOUNT:
        out[_PARTNER + clockwise(np.int64(state.target), n - viewer, n)] = 1
    hands = np.int64(state.hands)
    out[_COUNTS] = np.float32((DECK - np.int64(state.turned)) / DECK)
    out[_COUNTS + 1] = np.float32((hands - np.int64(state.deals)) / hands)
    out[_COUNTS + 2] = state.rebid


@device_function
def observe_seat(state, viewer, seat, out):
    n = np.int64(state.num_players)
    player, offset = clockwise(viewer, seat, n), _SEATS + SEAT * seat
    max_bid = np.int64(state.max_bid)
    unit = np.int64(state.stack) if state.stack else CREDIT_UNIT * max_bid
    out[offset + IN_GAME] = state.in_game[player]
    out[offset + IS_BANKER] = player == state.banker
    if state.card[player] != NO_CARD:
        out[offset + LIVE + np.int64(state.card[player])] = 1
    out[offset + MAIN] = np.float32(np.int64(state.main[player]) / max_bid)
    out[offset + CHIPS] = np.float32(np.int64(state.chips[player]) / unit)
    out[offset + RECEIVED_LAST] = player == state.last_receiver
    out[offset + ASKED] = state.asked[player]
    for other in range(seat):
        chips = np.int64(state.side[player, clockwise(viewer, other, n)])
        if chips:
            share = np.float32(chips / max_bid)
            out[_SIDE_BETS + MAX_PLAYERS * seat + other] = share
            out[_SIDE_BETS + MAX_PLAYERS * other + seat] = share


@device_function
def observe_bank(state, out):
    rank = np.int64(state.card[state.banker])
    if rank != NO_CARD:
        out[_BANK_CARD + rank] = 1
    elif state.bank == NONE_YET:
        out[_BANK_STATE] = 1
    elif state.bank == WAITS:
        out[_BANK_STATE + 1] = 1
    elif state.bank == REVEALS:
        out[_BANK_STATE + 2] = 1


@device_function
def determinize(state, viewer):
    """Shuffle the stock, which is sorted first, so that the sample does not depend on the true order."""
    turned = np.int64(state.turned)
    hidden = np.ones(DECK, np.uint8)
    for k in range(turned):
        hidden[state.deck[k]] = 0
    position = turned
    for card in range(DECK):
        if hidden[card]:
            state.deck[position] = card
            position += 1
    shuffle(state, state.deck[turned:], DECK - turned)


# --- texts ---

_NO_TEXT = ("pass", "no stake", "no", "no side bet", "no", "accept none", "no central card", "just reveal", "no")
_LEVEL_TEXT = {STAKE: "stake", SIDE_AMOUNT: "propose", SIDE_REPLY: "accept"}


def no_label(state: Any, place: int) -> str:
    return _NO_TEXT[int(state.phase)]


def yes_label(state: Any, place: int) -> str:
    return "new card" if state.phase == BANK_NEW else "accept"


def level_label(state: Any, place: int) -> Label:
    amount = int(plain(level_chips)(state, place + 1))
    words = f"{_LEVEL_TEXT.get(int(state.phase), 'bet')} {{amount}} chip"
    return Label(words if amount == 1 else f"{words}s", {"amount": amount})


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """live/<seat> (the banker's too), offered, central, discard, stock (top first)."""
    turned = [int(card) for card in state.deck[: state.turned]]
    last = {card // SUITS: card for card in turned}  # of a rank on the table, this card lies there
    by_zone = {
        f"live/{player}": [last[int(rank)]] if rank != NO_CARD else []
        for player, rank in enumerate(state.card[: state.num_players])
    }
    by_zone["offered"] = turned[-1:] if state.phase == OFFER else []
    by_zone["central"] = [last[rank] for rank in range(RANKS) if state.central[rank]]
    table = {card for ids in by_zone.values() for card in ids}
    by_zone["discard"] = [card for card in turned if card not in table]
    by_zone["stock"] = [int(card) if viewer is None else HIDDEN for card in state.deck[state.turned :]]
    return by_zone


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    banker, bettor, deals = int(state.banker), int(state.bettor), int(state.deals)
    facts = [
        Fact(f"hand {deals} of {int(state.hands)}", role=FactRole.COURSE, value=deals),
        Fact(f"{who(banker)} is the banker", banker, FactRole.BANKER),
    ]
    if state.phase == BANK or state.phase == SIDE_REPLY:
        proposed = counted(plain(level_chips)(state, int(state.proposal)), "chip")
        kind = "a stake" if state.phase == BANK else "a side bet"
        facts.append(Fact(f"{who(bettor)} proposes {kind} of {proposed}", bettor))
    elif state.phase == SIDE_AMOUNT:
        facts.append(Fact(f"a side bet with {who(state.target)}"))
    if state.bank == REVEALS:
        facts.append(Fact("the banker just reveals"))
    dead = " ".join(RANK_TEXT[rank] for rank in range(RANKS) if state.dead[rank])
    if dead:
        facts.append(Fact(f"dead: {dead}"))
    return [*facts, *(fact for seat in range(int(state.num_players)) for fact in _player(state, seat))]


def _player(state: Any, seat: int) -> list[Fact]:
    chips, main = int(state.chips[seat]), int(state.main[seat])
    facts = [Fact(counted(chips, "chip"), seat, FactRole.CHIPS, chips)]
    if not state.in_game[seat]:
        facts.append(Fact("out", seat, FactRole.OUT))
    if main:
        facts.append(Fact(f"{main} against the bank", seat, FactRole.BET, main))
    bets = enumerate(map(int, state.side[seat][: state.num_players]))
    return facts + [Fact(f"{bet} against {who(other)}", seat, FactRole.BET, bet) for other, bet in bets if bet]
