"""The actions and observations shared by Extended Deck games, and their texts (ED-80 to ED-82).

The `OBSERVATION` of a trick game begins with EXTENDED_OBSERVATION and TRICK_OBSERVATION, its actions with TRICK_ACTIONS. Other
games begin their observation with `extended_observation(...)` and may put REVEAL_ACTIONS anywhere. Seats are counted clockwise
from the viewer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ..bits import count_bits, lowest_bit
from ..cards import DECK_66, HIDDEN, SMALL_JOKER, STANDARD, SUITS, text
from ..facts import Fact, FactRole, who
from ..jit import device_function
from ..layout import NO_CIRCLES, Block, Circles, Layout, start
from ..zones import ZoneRole
from .pile import pile_size
from .sets import (
    AT_SPECIALS,
    FIRST_SPECIAL,
    NO_CARD,
    NO_SUIT,
    ONE,
    SPECIALS,
    STANDARD_CARDS,
    SUIT_CARDS,
    ZERO,
    ids_of,
    places,
    size_of,
    write_bits,
    write_cards,
)
from .state import NOBODY, TRICK_PLAYERS, TRICKS
from .tricks import led_suit, takes, trick_winner, unplayed

MOST_CARDS = 27  # in the hand of a trick game
QUESTIONS = 3
_N = TRICK_PLAYERS

REVEAL_ACTIONS = (
    Block(
        "reveal",
        SPECIALS,
        "stage a special of the player's hand, to be redealt: Dr-c Dr-d Dr-h Dr-s Rv-c ... Sk-s",
        label="reveal {card}",
        parts={"card": range(FIRST_SPECIAL, DECK_66)},
    ),
    # Others see that cards are redealt, but not whether that was chosen or was forced because no other special could be staged.
    Block("commit", 1, "redeal the staged specials", label="redeal"),
)
TRICK_ACTIONS = (
    Block("play", DECK_66, "play this card, by id", label="play {card}"),
    Block("declare", STANDARD, "declare the Joker just led to be this card, by id", label="declare {card}"),
    *REVEAL_ACTIONS,
    Block(
        "joker",
        2,
        "let the player's Joker win the trick, or lose it",
        label="{aim} with the Joker",
        parts={"aim": ("win", "lose")},
    ),
)


def extended_observation(unit: int = MOST_CARDS, most: int = DECK_66, circles: Circles = NO_CIRCLES) -> tuple[Block, ...]:
    """The blocks that `observe_extended` fills. Hands have at most `most` cards; their sizes are in units of `unit`. `circles`
    are those of cards."""
    return (
        Block("hand", DECK_66, "own hand: 1 for each card, by id", circles=circles),
        Block("staged", SPECIALS, "specials staged now, by any player"),
        Block("aside", SPECIALS, "specials redealt so far in this deal"),
        Block(
            "hand_sizes", 0, f"cards in the hand of each player, clockwise from the viewer: / {unit}", each=1, high=most / unit
        ),
        Block("pile", 1, "cards in the pile / 66"),
        Block("direction", 1, "1 if the order of play is clockwise"),
        Block("pending_draw", 0, "cards each player takes as their next turn begins, clockwise: / 8", each=1),
        Block("pending_skip", 0, "turns each player is to lose, clockwise: / 4", each=1),
        Block("paused", 0, "1 for each player with a paused turn, clockwise", each=1),
        Block("turn_over", 0, "1 for each player whose turn is over (in rotation: who is out), clockwise", each=1),
    )


EXTENDED_OBSERVATION = extended_observation(most=MOST_CARDS)  # of a trick game
TRICK_OBSERVATION = (
    Block("trick_cards", _N * DECK_66, "the trick: each player's card, clockwise, by id"),
    Block("played", _N * DECK_66, "cards played to earlier tricks of this deal by each player, clockwise, by id"),
    Block("dead", DECK_66, "cards of disregarded tricks"),
    Block("led_suit", SUITS, "the led suit c, d, h, s: one-hot"),
    Block("declared", STANDARD, "what the Joker led to the trick was declared to be, by id"),
    Block("first_player", _N, "who played the first card of the trick, clockwise: one-hot"),
    Block("leader_due", _N, "who was to lead the trick, clockwise: one-hot"),
    Block("trick_number", TRICKS + 1, "tricks completed, 0..13: one-hot"),
    Block("question", QUESTIONS, "asked for: a card, the declaration of a Joker, whether a Joker wins: one-hot"),
    Block("seen_void", _N * SUITS, "of each player, clockwise, the suits that everybody knows they lack", lacks="suit"),
    Block("winning", _N, "who wins the trick so far, clockwise, if Jokers that are not settled lose: one-hot"),
    Block("takes", DECK_66, "cards of the hand that would win the trick so far, by id; none before a lead"),
    Block("higher", STANDARD, "of each standard card of the hand, 1 / (1 + unplayed higher cards of its suit elsewhere)"),
    Block("lower", STANDARD, "the same for lower cards"),
)

_SHARED = Layout(*EXTENDED_OBSERVATION, *TRICK_OBSERVATION)
_HAND, _STAGED, _ASIDE, _HAND_SIZES = _SHARED.places("hand", "staged", "aside", "hand_sizes")
_PILE, _DIRECTION, _DRAW, _SKIP = _SHARED.places("pile", "direction", "pending_draw", "pending_skip")
_PAUSED, _TURN_OVER, _TRICK, _PLAYED = _SHARED.places("paused", "turn_over", "trick_cards", "played")
_DEAD, _LED, _DECLARED, _FIRST = _SHARED.places("dead", "led_suit", "declared", "first_player")
_DUE, _NUMBER, _QUESTION, _VOID = _SHARED.places("leader_due", "trick_number", "question", "seen_void")
_WINNING, _TAKES, _HIGHER, _LOWER = _SHARED.places("winning", "takes", "higher", "lower")

OF_HAND = np.float32(1 / MOST_CARDS)
_OF_PILE = np.float32(1 / DECK_66)
_OF_DRAW, _OF_SKIP = np.float32(1 / 8), np.float32(1 / 4)
SHARES = np.array([1 / (1 + k) for k in range(STANDARD // SUITS)], np.float32)  # of cards that k cards may beat


@device_function
def seat_from(viewer, seat, n):
    """The number of seats from the viewer clockwise to `seat`."""
    return seat - viewer if seat >= viewer else seat - viewer + n


@device_function
def observe_extended(state, viewer, out, of_hand):
    """Write the blocks of `extended_observation` at the beginning of a zeroed vector; each card in a hand counts `of_hand`."""
    n = np.int64(state.num_players)
    write_cards(out, start(_HAND, n), state.hand[viewer])
    sizes, over = start(_HAND_SIZES, n), start(_TURN_OVER, n)
    for seat in range(n):
        place = seat_from(viewer, seat, n)
        out[sizes + place] = np.float32(size_of(state.hand[seat])) * of_hand
        out[over + place] = np.int64(state.out) >> seat & 1
    out[start(_DIRECTION, n)] = state.direction > 0
    out[start(_PILE, n)] = np.float32(pile_size(state)) * _OF_PILE
    if not state.standard:
        observe_effects(state, viewer, out)


@device_function
def observe_effects(state, viewer, out):
    n = np.int64(state.num_players)
    write_bits(out, start(_STAGED, n), np.uint64(state.staged))
    write_bits(out, start(_ASIDE, n), np.uint64(state.aside))
    draws, skips, paused = start(_DRAW, n), start(_SKIP, n), start(_PAUSED, n)
    for seat in range(n):
        place = seat_from(viewer, seat, n)
        out[draws + place] = np.float32(state.draw[seat]) * _OF_DRAW
        out[skips + place] = np.float32(state.skip[seat]) * _OF_SKIP
        out[paused + place] = np.int64(state.paused) >> seat & 1


@device_function
def observe_tricks(state, viewer, out, hand, trump):
    """Write TRICK_OBSERVATION after EXTENDED_OBSERVATION.

    Args:
        hand: the suited cards that the viewer may play: their own, as declarer in bridge also those of dummy.
        trump: a suit or NO_SUIT.
    """
    for seat in range(_N):
        place = seat_from(viewer, seat, _N)
        write_cards(out, start(_PLAYED, _N) + place * DECK_66, state.played[seat])
        write_bits(out, start(_VOID, _N) + place * SUITS, np.uint64(state.seen_void[seat]))
    if state.dead[0] | state.dead[1] != ZERO:
        write_cards(out, start(_DEAD, _N), state.dead)
    for k in range(np.int64(state.trick_size)):
        place = seat_from(viewer, np.int64(state.trick_seat[k]), _N)
        out[start(_TRICK, _N) + place * DECK_66 + np.int64(state.trick_card[k])] = 1
    if state.trick_size > 0:
        out[start(_FIRST, _N) + seat_from(viewer, np.int64(state.trick_seat[0]), _N)] = 1
        led = led_suit(state)
        if led != NO_SUIT:
            out[start(_LED, _N) + led] = 1
            observe_winner(state, viewer, out, hand, trump)
        if state.declared != NO_CARD:
            out[start(_DECLARED, _N) + np.int64(state.declared)] = 1
    observe_ranks(out, hand & STANDARD_CARDS, unplayed(state) & ~hand)
    out[start(_NUMBER, _N) + np.int64(state.tricks_done)] = 1
    if state.question > 0:
        out[start(_DUE, _N) + seat_from(viewer, np.int64(state.leader_due), _N)] = 1
        out[start(_QUESTION, _N) + np.int64(state.question) - 1] = 1


@device_function
def observe_winner(state, viewer, out, hand, trump):
    winner = trick_winner(state, trump)
    if winner != NOBODY:
        out[start(_WINNING, _N) + seat_from(viewer, winner, _N)] = 1
    taking = hand & takes(state, trump)
    write_bits(out, start(_TAKES, _N), taking & STANDARD_CARDS)
    write_bits(out, start(_TAKES, _N) + FIRST_SPECIAL, taking >> AT_SPECIALS)


@device_function
def observe_ranks(out, hand, others):
    """Of each standard card of a hand, how many of the others are higher or lower cards of its suit."""
    while hand != ZERO:
        card = lowest_bit(hand)
        suit = others & SUIT_CARDS[card & 3]
        higher = count_bits(suit >> np.uint64(card))
        out[start(_HIGHER, _N) + card] = SHARES[higher]
        out[start(_LOWER, _N) + card] = SHARES[count_bits(suit) - higher]
        hand &= hand - ONE


# --- text and zones ---


def _text(ids: list[int]) -> str:
    return text(ids, joker_kinds=True)


EXTENDED_ZONES = {"hand": ZoneRole.HAND, "pile": ZoneRole.STOCK, "aside": ZoneRole.ROW}


def extended_zones(
    state: Any, viewer: int | None = None, face_up: int = 0, known: Mapping[int, Collection[int]] | None = None
) -> dict[str, list[int]]:
    """The cards of hand/<seat>, pile (top first) and aside; cards hidden from a viewer are -1.

    A hand has first the staged cards, then the `known` cards, then the others, each in ascending order.

    Args:
        face_up: the hands visible to all, as bits.
        known: for a seat, cards that the viewer knows to be in this hand of another player, if they are still there.
    """
    by_zone: dict[str, list[int]] = {}
    turn, specials = int(state.turn), _specials(state.staged)
    for seat in range(int(state.num_players)):
        hand = ids_of(state.hand[seat])
        known_cards = (known or {}).get(seat, ())
        staged = [card for card in specials if seat == turn and card in hand]
        marked = [card for card in hand if card in known_cards and card not in staged]
        rest = [card for card in hand if card not in staged and card not in marked]
        if viewer not in (None, seat) and not face_up >> seat & 1:
            rest = [HIDDEN] * len(rest)
        by_zone[f"hand/{seat}"] = [*staged, *marked, *rest]
    pile = state.deck[int(state.pile_at) : int(state.pile_end)].tolist()
    by_zone["pile"] = pile if viewer is None else [HIDDEN] * len(pile)
    by_zone["aside"] = _specials(state.aside)
    return by_zone


TRICK_ZONES = {"trick": ZoneRole.PLAYED, "played": ZoneRole.ROW, "dead": ZoneRole.ROW}


def trick_zones(state: Any) -> dict[str, list[int]]:
    """trick/<seat>; played/<seat>, the cards played to earlier tricks; dead, the cards of disregarded tricks among these."""
    by_zone: dict[str, list[int]] = {f"trick/{seat}": [] for seat in range(_N)}
    for k in range(int(state.trick_size)):
        by_zone[f"trick/{int(state.trick_seat[k])}"].append(int(state.trick_card[k]))
    dead = ids_of(state.dead)
    for seat in range(_N):
        by_zone[f"played/{seat}"] = [card for card in ids_of(state.played[seat]) if card not in dead]
    by_zone["dead"] = dead
    return by_zone


def _specials(bits: Any) -> list[int]:
    return [FIRST_SPECIAL + place for place in places(int(bits))]


def extended_facts(state: Any) -> list[Fact]:
    """Facts about the order of play, for `describe`."""
    facts = [] if state.direction > 0 else [Fact("counterclockwise", role=FactRole.DIRECTION)]
    for seat in range(int(state.num_players)):
        if int(state.paused) >> seat & 1:
            facts.append(Fact(f"{who(seat)} paused", seat, FactRole.PAUSE))
        if state.draw[seat]:
            facts.append(Fact(f"{who(seat)} is to take {int(state.draw[seat])}", seat, FactRole.PENALTY, int(state.draw[seat])))
        if state.skip[seat]:
            facts.append(Fact(f"{who(seat)} is to be skipped", seat, FactRole.PENALTY))
    if state.staged:
        facts.append(Fact(f"staged: {_text(_specials(state.staged))}"))
    return facts


def trick_facts(state: Any) -> list[Fact]:
    """The number of the trick, and who leads or led it with which card, for `describe`."""
    number, leader = min(int(state.tricks_done) + 1, TRICKS), int(state.trick_seat[0] if state.trick_size else state.turn)
    facts = [Fact(f"trick {number}", role=FactRole.COURSE, value=number)]
    if state.trick_size == 0:
        return [*facts, Fact(f"{who(leader)} is to lead", leader, FactRole.LEAD)] if state.question else facts
    card = int(state.trick_card[0])
    led = f"{who(leader)} led {_text([card])}"
    if card in (SMALL_JOKER, SMALL_JOKER + 1) and state.declared != NO_CARD:
        led += f" as {_text([int(state.declared)])}"
    return [*facts, Fact(led, leader, FactRole.LEAD)]
