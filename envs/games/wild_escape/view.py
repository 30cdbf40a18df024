"""The observation, texts and zones of Wild Escape."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np

from ...core.cards import DECK_54, HIDDEN, STANDARD, SUITS, text
from ...core.facts import Fact, FactRole, who
from ...core.jit import device_function, plain
from ...core.layout import start
from ...core.seats import clockwise
from .combinations import (
    FAMILY,
    FLUSH,
    RANK,
    STRAIGHT_FLUSH,
    SUIT,
    rank_of,
)
from .state import (
    ACTIONS,
    ANSWER,
    BEYOND,
    CARDS,
    FAMILIES,
    HAND,
    HIGHER,
    LOWEST_LEVEL,
    MATCH,
    MOST,
    NO_CARD,
    NOBODY,
    OBSERVATION,
    OFFER,
    PLAYERS,
    RANK_INDICES,
    RETURN,
    TRIBUTE,
    level_text,
)

_OWN_HAND, _STAGE, _KIND, _CHOSEN = OBSERVATION.places("hand", "stage", "kind", "chosen")
_BEAT, _BEAT_CARDS, _BEAT_OWNER, _PASSES = OBSERVATION.places("beat", "beat_cards", "beat_owner", "passes")
_HAND_SIZE, _TEAM, _PLACE, _LAST, _PASSED = OBSERVATION.places("hand_size", "team", "place", "last", "passed")
_PLAYED, _PLAYED_BY, _TRUMP, _LEVELS = OBSERVATION.places("played", "played_by", "trump", "levels")
_OFFENSE, _ROUND, _GIVER, _RECEIVER = OBSERVATION.places("offense", "round", "giver", "receiver")
_TRIBUTE, _ANSWER, _KEPT, _HIGHER = OBSERVATION.places("tribute", "answer", "kept", "higher")

_THIRD, _FIFTH, _SIXTH = np.float32(1 / 3), np.float32(1 / 5), np.float32(1 / PLAYERS)
_OF_HAND = np.float32(1 / (HAND + 1))  # a tribute makes it 28
_OF_LEVELS = np.float32(1 / (BEYOND - LOWEST_LEVEL))
_RANK = np.array([plain(rank_of)(card) + 1 for card in range(DECK_54)], np.float32) / np.float32(RANK_INDICES)
_SUIT = np.array([card % SUITS + 1 for card in range(STANDARD)] + [0, 0], np.float32) / np.float32(SUITS)


@device_function
def observe(state, viewer, out):
    own, chosen = start(_OWN_HAND, PLAYERS), start(_CHOSEN, PLAYERS)
    for card in range(DECK_54):
        out[own + card] = np.float32(state.hand[viewer, card]) * _THIRD
    if viewer == state.current_player:
        out[start(_STAGE, PLAYERS) + np.int64(state.stage)] = 1
        write_kind(np.int64(state.kind), out, start(_KIND, PLAYERS))
        for k in range(np.int64(state.chosen_size)):
            out[chosen + np.int64(state.chosen[k])] += _THIRD
    if state.owner != NOBODY:
        owner = np.int64(state.owner)
        write_kind(np.int64(state.beat), out, start(_BEAT, PLAYERS))
        write_cards(state.last[owner], np.int64(state.last_size[owner]), out, start(_BEAT_CARDS, PLAYERS))
        out[start(_BEAT_OWNER, PLAYERS) + seats_ahead(viewer, owner)] = 1
        out[start(_PASSES, PLAYERS)] = np.float32(np.int64(state.passes)) * _FIFTH
    for seat in range(PLAYERS):
        observe_player(state, viewer, clockwise(viewer, seat, PLAYERS), seat, out)
    team = viewer % 2
    levels = start(_LEVELS, PLAYERS)
    out[start(_TRUMP, PLAYERS) + np.int64(state.trump) - LOWEST_LEVEL] = 1
    out[levels] = np.float32(np.int64(state.levels[team]) - LOWEST_LEVEL) * _OF_LEVELS
    out[levels + 1] = np.float32(np.int64(state.levels[1 - team]) - LOWEST_LEVEL) * _OF_LEVELS
    out[start(_OFFENSE, PLAYERS)] = np.int64(state.leader) % 2 == team
    out[start(_ROUND, PLAYERS)] = np.float32(np.int64(state.round_number) / np.int64(state.max_rounds))
    for k in range(np.int64(state.exchanges)):
        observe_exchange(state, viewer, k, out)


@device_function
def seats_ahead(viewer, player):
    """How many seats clockwise a player sits from the viewer."""
    return player - viewer if player >= viewer else player - viewer + PLAYERS


@device_function
def write_kind(kind, out, offset):
    """The code of the play that an action names: family, rank, and suit where it has one."""
    if kind == 0:
        return
    family = FAMILY[kind]
    out[offset + family] = 1
    out[offset + FAMILIES + RANK[kind]] = 1
    if family in (FLUSH, STRAIGHT_FLUSH):
        out[offset + FAMILIES + RANK_INDICES + SUIT[kind]] = 1


@device_function
def write_cards(cards, size, out, offset):
    for k in range(size):
        write_card(np.int64(cards[k]), out, offset + 2 * k)


@device_function
def write_card(card, out, offset):
    if card != NO_CARD:
        out[offset] = _RANK[card]
        out[offset + 1] = _SUIT[card]


@device_function
def observe_player(state, viewer, player, seat, out):
    out[start(_HAND_SIZE, PLAYERS) + seat] = np.float32(np.int64(state.hand_size[player])) * _OF_HAND
    out[start(_TEAM, PLAYERS) + seat] = seat % 2 == 0
    out[start(_PLACE, PLAYERS) + seat] = np.float32(np.int64(state.place[player])) * _SIXTH
    write_cards(state.last[player], np.int64(state.last_size[player]), out, start(_LAST, PLAYERS) + seat * MOST * 2)
    out[start(_PASSED, PLAYERS) + seat] = state.passed[player]
    played, played_by = start(_PLAYED, PLAYERS), start(_PLAYED_BY, PLAYERS) + seat * DECK_54
    for card in range(DECK_54):
        part = np.float32(state.played[player, card]) * _THIRD
        out[played_by + card] = part
        out[played + card] += part


@device_function
def observe_exchange(state, viewer, k, out):
    out[start(_GIVER, PLAYERS) + k * PLAYERS + seats_ahead(viewer, np.int64(state.giver[k]))] = 1
    out[start(_RECEIVER, PLAYERS) + k * PLAYERS + seats_ahead(viewer, np.int64(state.receiver[k]))] = 1
    write_card(np.int64(state.tribute[k]), out, start(_TRIBUTE, PLAYERS) + 2 * k)
    write_card(np.int64(state.higher[k]), out, start(_HIGHER, PLAYERS) + 2 * k)
    for place in range(2):
        write_card(np.int64(state.answer[k, place]), out, start(_ANSWER, PLAYERS) + 4 * k + 2 * place)
        out[start(_KEPT, PLAYERS) + 2 * k + place] = np.int64(state.kept[k]) >> place & 1


# --- text and zones ---

_STAGE_TEXT = {
    TRIBUTE: "chooses the tribute",
    RETURN: "chooses the card to return",
    OFFER: "chooses two cards to offer",
    ANSWER: "answers the offer",
    HIGHER: "answers the offer",
}


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    player, offense, trump = int(state.current_player), int(state.leader) % 2, level_text(int(state.trump))
    levels = ":".join(level_text(int(level)) for level in state.levels)
    team = " ".join(str(seat) for seat in range(offense, PLAYERS, 2))
    facts = [
        Fact(f"trump {trump}", role=FactRole.TRUMP, value=trump),
        Fact(f"levels {levels}", role=FactRole.LEVEL, value=levels),
        Fact(f"offense players {team}"),
    ]
    if state.episode == MATCH:
        number = int(state.round_number)
        facts.insert(0, Fact(f"round {number}", role=FactRole.COURSE, value=number))
    if state.terminated:
        facts.append(Fact("the episode is over"))
    elif int(state.stage) in _STAGE_TEXT:
        facts.append(Fact(f"{who(player)} {_STAGE_TEXT[int(state.stage)]}", player))
    elif state.owner == NOBODY:
        facts.append(Fact(f"{who(player)} leads", player, FactRole.LEAD))
    else:
        play = ACTIONS.text(state, int(state.beat))
        facts.append(Fact(f"to beat: {play} of {who(state.owner)}", int(state.owner), FactRole.TO_BEAT, play))
    if state.stage == CARDS and viewer in (None, player):
        facts.append(Fact(f"chosen: {ACTIONS.text(state, int(state.kind))}"))
    return facts + sorted(_notes(state), key=attrgetter("seat"))


def _cards(ids: list[int]) -> str:
    return text(ids, joker_kinds=True)


def _notes(state: Any) -> list[Fact]:
    """The facts about each seat: place or pass, and tributes."""
    notes = []
    for seat in range(PLAYERS):
        if state.place[seat]:
            ended = "trapped" if state.hand_size[seat] else "escaped"
            notes.append(Fact(f"#{int(state.place[seat])} {ended}", seat, FactRole.OUT, int(state.place[seat])))
        elif state.passed[seat]:
            notes.append(Fact("passes", seat, FactRole.OUT))
    for k in range(int(state.exchanges)):
        giver, receiver = int(state.giver[k]), int(state.receiver[k])
        if state.tribute[k] != NO_CARD:
            notes.append(Fact(f"gave {_cards([int(state.tribute[k])])} to {who(receiver)}", giver))
        answer = _cards([int(card) for card in state.answer[k] if card != NO_CARD])
        if answer:
            notes.append(Fact(f"{'returned' if state.answer[k][1] == NO_CARD else 'offered'} {answer}", receiver))
        if state.kept[k] and state.higher[k] == NO_CARD:
            notes.append(Fact(f"kept {_cards([int(state.answer[k][int(state.kept[k]) - 1])])}", giver))
        elif state.kept[k]:
            notes.append(Fact(f"kept both and returned {_cards([int(state.higher[k])])}", giver))
    return notes


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, table/<seat> (its latest play in this trick), chosen (by the player to move, who alone sees it), offer (two
    cards that the giver of a Joker chooses from), discard (all others played in the round).

    Publicly known cards come first in a hand.
    """
    mover = int(state.current_player)
    chosen = [int(card) for card in state.chosen[: int(state.chosen_size)]] if viewer in (None, mover) else []
    by_zone: dict[str, list[int]] = {}
    for player in range(PLAYERS):
        known, counts = state.known[player].astype(int), state.hand[player].astype(int)
        hidden = _listed(counts - known)
        hand = _listed(known) + (hidden if viewer in (None, player) else [HIDDEN] * len(hidden))
        if player == mover:
            for card in chosen:
                hand.remove(card)
        by_zone[f"hand/{player}"] = hand
    gone = state.played.astype(int).sum(axis=0)
    for player in range(PLAYERS):
        cards = [int(card) for card in state.last[player][: int(state.last_size[player])]]
        by_zone[f"table/{player}"] = cards
        gone -= np.bincount(cards, minlength=DECK_54)
    by_zone["chosen"] = chosen
    k = int(state.exchange)
    open_offer = state.stage in (ANSWER, HIGHER)
    by_zone["offer"] = [int(card) for card in state.answer[k]] if open_offer else []
    by_zone["discard"] = _listed(gone)
    return by_zone


def _listed(counts: Any) -> list[int]:
    return np.repeat(np.arange(DECK_54), counts).tolist()
