"""The observation, texts and zones of By The Skin of Your Teeth."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.cards import DECK_54, HIDDEN, STANDARD, SUITS, text
from ...core.compare.skin_of_your_teeth import skin_beats
from ...core.facts import Fact, FactRole, who
from ...core.jit import device_function, plain
from ...core.layout import start
from ...core.parts import Label, Part
from ...core.seats import clockwise
from .combinations import SUBSETS, strength_of
from .knowledge import knows, largest_of, size_there
from .rules import has_piles, piles_made
from .state import (
    ATTACK,
    FROM_HAND,
    HAND,
    MAX_POINTS,
    MOST,
    NOBODY,
    OBSERVATION,
    OVER,
    PILES,
    SETUP,
    TARGET,
)

_SLOT_RANK, _SLOT_SUIT, _SLOT_JOKER = OBSERVATION.places("slot_rank", "slot_suit", "slot_joker")
_SLOT_PILE, _SLOT_CHOSEN, _SLOT_CHANCE = OBSERVATION.places("slot_pile", "slot_chosen", "slot_chance")
_ATTACK_CARDS, _ATTACK_BEATS, _SLOT_BEATS = OBSERVATION.places("attack_cards", "attack_beats", "slot_beats")
_PHASE, _BUILDING, _GAME, _DISCARDED = OBSERVATION.places("phase", "building", "game", "discarded")
_TO_MOVE, _FIRST, _SCORE, _HAND_SIZE, _HAS_PILES = OBSERVATION.places("to_move", "first", "score", "hand_size", "has_piles")
_PILES, _UNSEEN = OBSERVATION.places("piles", "unseen")
_PILE_SIZE, _PILE_BROKEN, _PILE_KNOWN = OBSERVATION.places("pile_size", "pile_broken", "pile_known")
_PILE_CARDS, _LOOSE_SIZE, _LOOSE_CARDS = OBSERVATION.places("pile_cards", "loose_size", "loose_cards")
_LAST_TARGET, _LAST_POSITION, _LAST_SIZE = OBSERVATION.places("last_target", "last_position", "last_size")
_LAST_WON, _LAST_CARDS = OBSERVATION.places("last_won", "last_cards")

_RANK = np.array([card // SUITS + 1 for card in range(DECK_54)], np.float32) / np.float32(14)
_SUIT_ORDER = np.array((1, 0, 2, 3))  # of clubs, diamonds, hearts, spades (ST-16)
_SUIT = np.array([_SUIT_ORDER[card % SUITS] + 1 for card in range(STANDARD)] + [0, 0], np.float32) / np.float32(4)
BY_VALUE = np.array([card // SUITS * SUITS + _SUIT_ORDER[card % SUITS] for card in range(STANDARD)])  # ids, rising (ST-16)
_LOWEST_ACE = BY_VALUE[STANDARD - SUITS]
_FIFTH, _SIXTH, _THIRTEENTH = np.float32(1 / MOST), np.float32(1 / PILES), np.float32(1 / HAND)


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    observe_slots(state, viewer, out)
    if state.phase != OVER:
        hidden = state.phase == TARGET and viewer != state.current_player  # an attack without its target
        out[start(_PHASE, n) + (ATTACK if hidden else np.int64(state.phase))] = 1
        out[start(_TO_MOVE, n) + seats_ahead(viewer, np.int64(state.current_player), n)] = 1
    if state.phase == SETUP and viewer == state.current_player:
        out[start(_BUILDING, n) + piles_made(state, viewer)] = 1
    out[start(_GAME, n)] = np.float32(np.int64(state.game_number) / np.int64(state.games))
    out[start(_FIRST, n) + seats_ahead(viewer, np.int64(state.first_player), n)] = 1
    unseen = np.full(DECK_54, np.int64(state.num_decks))
    observe_discard(state, viewer, out, unseen)
    observe_unseen(state, viewer, out, unseen)
    point = np.float32(1 / (MAX_POINTS * np.int64(state.games)))
    for seat in range(n):
        player = viewer + seat - n if viewer + seat >= n else viewer + seat
        out[start(_SCORE, n) + seat] = np.float32(np.int64(state.score[player])) * point
        if state.phase == SETUP and player != viewer:
            out[start(_HAND_SIZE, n) + seat] = 1  # as dealt: setup is simultaneous
        else:
            observe_player(state, viewer, player, seat, out)


@device_function
def seats_ahead(player, other, n):
    """How many seats clockwise `other` sits from `player`; a remainder would take longer."""
    return other - player if other >= player else other - player + n


@device_function
def observe_slots(state, viewer, out):
    """The slots of the player to move; for others, the hand as slots."""
    n = np.int64(state.num_players)
    if viewer != state.current_player or state.phase == OVER:
        observe_slot_cards(n, state.hand[viewer], np.int64(state.hand_size[viewer]), out)
        return
    count = np.int64(state.slot_count)
    observe_slot_cards(n, state.slot_card, count, out)
    pile, chosen = start(_SLOT_PILE, n), start(_SLOT_CHOSEN, n)
    for slot in range(count):
        if state.slot_pile[slot] != FROM_HAND:
            out[pile + slot * PILES + np.int64(state.slot_pile[slot])] = 1
        out[chosen + slot] = np.int64(state.attack) >> slot & 1
    if state.phase == TARGET:
        observe_attack(state, viewer, out)
    elif state.phase == ATTACK:
        for slot in range(count):
            beats = start(_SLOT_BEATS, n) + slot * PILES * n
            observe_beaten(state, viewer, strength_of(state.slot_card, slot, 1), out, beats)


@device_function
def observe_attack(state, viewer, out):
    """The cards of the attack that is chosen, and what it beats."""
    n, size, cards = np.int64(state.num_players), 0, np.zeros(MOST, np.int64)
    for slot in range(HAND):
        if np.int64(state.attack) >> slot & 1:
            cards[size] = np.int64(state.slot_card[slot])
            size += 1
    write_cards(cards, 0, size, out, start(_ATTACK_CARDS, n))
    observe_beaten(state, viewer, strength_of(cards, 0, size), out, start(_ATTACK_BEATS, n))


@device_function
def observe_beaten(state, viewer, attack, out, offset):
    """Which of the others' piles that the viewer knows an attack of this strength beats (ST-12 to ST-24)."""
    n, owner = np.int64(state.num_players), np.int64(viewer)
    for seat in range(1, n):
        owner = clockwise(owner, 1, n)
        for position in range(PILES):
            if knows(state, viewer, owner, position):
                size = np.int64(state.pile_size[owner, position])
                defence = strength_of(state.pile[owner, position], 0, size)
                out[offset + seat * PILES + position] = size > 0 and skin_beats(attack, defence)


@device_function
def observe_slot_cards(n, cards, count, out):
    rank, suit, joker = start(_SLOT_RANK, n), start(_SLOT_SUIT, n), start(_SLOT_JOKER, n)
    for slot in range(count):
        card = np.int64(cards[slot])
        if card < STANDARD:
            out[rank + slot * 13 + card // SUITS] = 1
            out[suit + slot * 4 + _SUIT_ORDER[card % SUITS]] = 1
        else:
            out[joker + slot] = 1


@device_function
def observe_discard(state, viewer, out, unseen):
    """Write the discarded cards that the viewer saw, and take them from the unseen cards."""
    discarded = start(_DISCARDED, np.int64(state.num_players))
    one = np.float32(1 / np.int64(state.num_decks))
    joker = np.float32(1 / (2 * np.int64(state.num_decks)))
    for k in range(np.int64(state.discard_size)):
        if np.int64(state.discard_seen[k]) >> viewer & 1:
            card = np.int64(state.discard[k])
            unseen[card] -= 1
            if card < STANDARD:
                out[discarded + card] += one
            else:
                out[discarded + STANDARD] += joker


@device_function
def observe_unseen(state, viewer, out, unseen):
    """Write the unseen cards, and the share of them, Jokers apart, that each own card would beat (ST-16, ST-17, ST-24)."""
    n, one, total = np.int64(state.num_players), np.float32(1 / np.int64(state.num_decks)), 0
    at = start(_UNSEEN, n)
    take_known(state, viewer, unseen)
    out[at + STANDARD] = np.float32(unseen[STANDARD] + unseen[STANDARD + 1]) * one * np.float32(0.5)
    for place in range(STANDARD):
        card = BY_VALUE[place]
        cards = unseen[card]
        out[at + card] = np.float32(cards) * one
        unseen[card] = total  # from here on: the unseen cards below this one
        total += cards
    if total == 0:
        return
    moves = viewer == state.current_player and state.phase != OVER
    for slot in range(np.int64(state.slot_count if moves else state.hand_size[viewer])):
        card = np.int64(state.slot_card[slot] if moves else state.hand[viewer, slot])
        beaten = total if card >= STANDARD else unseen[card]
        if card < SUITS:  # a 2
            beaten += total - unseen[_LOWEST_ACE]
        out[start(_SLOT_CHANCE, n) + slot] = np.float32(beaten / total)


@device_function
def take_known(state, viewer, unseen):
    """Take the cards of the viewer's hand, and of piles whose cards they know, from the unseen cards."""
    for k in range(np.int64(state.hand_size[viewer])):
        unseen[np.int64(state.hand[viewer, k])] -= 1
    for player in range(np.int64(state.num_players)):
        for position in range(PILES):
            where = np.int64(state.where[viewer, player, position])
            if where != 0:
                size = np.int64(state.pile_size[player, position])
                if where != 1 << position:  # where they do not know at which position it lies, they may not know that it fell
                    size = size_there(state, player, position)
                for k in range(size):
                    unseen[np.int64(state.pile[player, position, k])] -= 1


@device_function
def observe_player(state, viewer, player, seat, out):
    n = np.int64(state.num_players)
    out[start(_HAND_SIZE, n) + seat] = np.float32(np.int64(state.hand_size[player])) * _THIRTEENTH
    out[start(_HAS_PILES, n) + seat] = has_piles(state, player)
    offset = seat * PILES
    size_at, known_at = start(_PILE_SIZE, n) + offset, start(_PILE_KNOWN, n) + offset
    broken_at, cards_at = start(_PILE_BROKEN, n) + offset, start(_PILE_CARDS, n) + offset * MOST * 2
    loose = 0
    for position in range(PILES):
        size = np.int64(state.pile_size[player, position])
        if size > 0:
            out[start(_PILES, n) + seat] += _SIXTH
        where = np.int64(state.where[viewer, player, position])
        if where != 0 and where != 1 << position:
            loose |= 1 << position
        if size > 0:
            out[size_at + position] = np.float32(size) * _FIFTH
            out[broken_at + position] = state.made_of[player, position] > size
            if where == 1 << position:
                out[known_at + position] = 1
                write_cards(state.pile[player, position], np.int64(0), size, out, cards_at + position * MOST * 2)
    if loose:
        observe_loose(state, viewer, player, seat, loose, out)
    observe_last(state, viewer, player, seat, out)


@device_function
def write_cards(cards, first, count, out, offset):
    for k in range(count):
        card = np.int64(cards[first + k])
        out[offset + 2 * k] = _RANK[card]
        out[offset + 2 * k + 1] = _SUIT[card]


@device_function
def observe_loose(state, viewer, player, seat, loose, out):
    """Write known piles without known positions, in an order that does not depend on the positions."""
    n = np.int64(state.num_players)
    size_at = start(_LOOSE_SIZE, n) + seat * PILES
    cards_at = start(_LOOSE_CARDS, n) + seat * PILES * MOST * 2
    entry = 0
    while loose:
        position = largest_of(state, viewer, player, loose)
        size = size_there(state, player, position)
        out[size_at + entry] = np.float32(size) * _FIFTH
        write_cards(state.pile[player, position], np.int64(0), size, out, cards_at + entry * MOST * 2)
        loose ^= 1 << position
        entry += 1


@device_function
def observe_last(state, viewer, player, seat, out):
    if state.last_target[player] == NOBODY:
        return
    n = np.int64(state.num_players)
    size, first = np.int64(state.last_size[player]), np.int64(state.last_at[player])
    out[start(_LAST_TARGET, n) + seat] = np.float32(seats_ahead(player, np.int64(state.last_target[player]), n) / n)
    out[start(_LAST_POSITION, n) + seat * PILES + np.int64(state.last_position[player])] = 1
    out[start(_LAST_SIZE, n) + seat] = np.float32(size) * _FIFTH
    out[start(_LAST_WON, n) + seat] = state.last_won[player]
    seen = True
    for k in range(first, first + size):
        seen = seen and np.int64(state.discard_seen[k]) >> viewer & 1
    if seen:
        write_cards(state.discard, first, size, out, start(_LAST_CARDS, n) + seat * MOST * 2)


# --- text and zones ---


def slot_names(state: Any) -> list[str]:
    """Texts of the slots, all different: a second copy is `7h/2`, a card from pile 3 (ST-11) `7h@3`."""
    names: list[str] = []
    for slot in range(HAND):
        if slot >= state.slot_count:
            names.append(f"slot{slot}")
            continue
        name = text([int(state.slot_card[slot])])
        copies = sum(other.partition("/")[0] == name for other in names) + 1
        if state.slot_pile[slot] != FROM_HAND:
            name += f"@{int(state.slot_pile[slot])}"
        elif copies > 1:
            name += f"/{copies}"
        names.append(name)
    return names


def subset_label(state: Any, place: int) -> Label:
    names, slots = slot_names(state), [slot for slot in range(HAND) if int(SUBSETS[place]) >> slot & 1]
    ids = tuple(int(state.slot_card[slot]) for slot in slots)
    piles = tuple(int(state.slot_pile[slot]) for slot in slots if state.slot_pile[slot] != FROM_HAND)
    cards = Part(" ".join(names[slot] for slot in slots), cards=ids, places=piles)
    return Label("pile {cards}" if state.phase == SETUP else "attack {cards}", {"cards": cards})


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    n, player = int(state.num_players), int(state.current_player)
    choosing = f"{who(player)} chooses an attack"
    doing = {
        SETUP: f"{who(player)} lays out their piles",
        ATTACK: choosing,
        TARGET: f"{who(player)} chooses a target" if viewer in (None, player) else choosing,
        OVER: "the game is over",
    }[int(state.phase)]
    facts = [Fact(doing, None if state.phase == OVER else player)]
    if state.games > 1:
        game = min(int(state.game_number) + 1, int(state.games))
        facts.insert(0, Fact(f"game {game} of {int(state.games)}", role=FactRole.COURSE, value=game))
    for seat in range(n):
        if state.last_target[seat] != NOBODY:
            cards = _last_cards(state, seat, viewer)
            result = "won" if state.last_won[seat] else "lost"
            target = f"{who(state.last_target[seat])} pile {int(state.last_position[seat])}"
            facts.append(Fact(f"{cards} against {target}, {result}", seat))
    if state.score.any():
        scores = tuple(int(score) for score in state.score[:n])
        facts.append(Fact(f"points {' '.join(map(str, scores))}", role=FactRole.SCORE, value=scores, sep="\n"))
    return facts


def _last_cards(state: Any, seat: int, viewer: int | None) -> str:
    first = int(state.last_at[seat])
    return text(sorted(_discarded(state, viewer)[first : first + int(state.last_size[seat])], key=_is_hidden))


def _is_hidden(card: int) -> bool:
    """A sort key: cards in an attack are ordered by id, so the places of unseen cards between others would reveal something."""
    return card == HIDDEN


def _discarded(state: Any, viewer: int | None) -> list[int]:
    return [
        int(state.discard[k]) if viewer is None or int(state.discard_seen[k]) >> viewer & 1 else HIDDEN
        for k in range(int(state.discard_size))
    ]


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """hand/<seat>, defence/<seat>/<position>, attack (chosen, before its target is), discard (oldest first, those that
    the viewer has not seen last), undealt.

    During setup a viewer sees the other hands as dealt, and before the target is chosen those of others without attack.
    """
    by_zone: dict[str, list[int]] = {}
    n, mover = int(state.num_players), int(state.current_player)
    attack = _chosen(state) if viewer in (None, mover) else []
    for player in range(n):
        own = viewer in (None, player)
        secret = state.phase == SETUP and not own
        hand = [int(card) for card in state.hand[player][: state.hand_size[player]]]
        if player == mover:
            _remove(hand, [card for card, pile in attack if pile == FROM_HAND])
        by_zone[f"hand/{player}"] = hand if own else [HIDDEN] * (HAND if secret else len(hand))
        for position in range(PILES):
            size = int(state.pile_size[player][position])
            cards = [int(card) for card in state.pile[player][position][:size]]
            if player == mover:
                _remove(cards, [card for card, pile in attack if pile == position])
            seen = viewer is None or plain(knows)(state, viewer, player, position)
            by_zone[f"defence/{player}/{position}"] = [] if secret else cards if seen else [HIDDEN] * len(cards)
    by_zone["attack"] = [card for card, _ in attack]
    by_zone["discard"] = sorted(_discarded(state, viewer), key=_is_hidden)
    undealt = state.deck[HAND * n : DECK_54 * int(state.num_decks)]
    by_zone["undealt"] = [int(card) if viewer is None else HIDDEN for card in undealt]
    return by_zone


def _chosen(state: Any) -> list[tuple[int, int]]:
    """Cards of the chosen attack, and where each comes from."""
    slots = [slot for slot in range(int(state.slot_count)) if int(state.attack) >> slot & 1]
    return [(int(state.slot_card[slot]), int(state.slot_pile[slot])) for slot in slots]


def _remove(cards: list[int], taken: list[int]) -> None:
    for card in taken:
        cards.remove(card)
