"""Options, fields, actions and observation blocks of both games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core import events
from ...core import options as opt
from ...core.cards import DECK_66, RANKS, STANDARD
from ...core.events import EventKind
from ...core.extended.events import EXTENDED_EVENTS
from ...core.extended.sets import SPECIALS
from ...core.extended.state import NOBODY, SET, deck_option, extended_fields
from ...core.fields import Field, last_seat
from ...core.layout import Block, Layout
from ...core.parts import Part

MAX_PLAYERS = 6
JOKERS = 2
RANK_TYPES = RANKS + 3  # 2..A, Draw, Reverse, Skip
JOKER_TYPE, UNKNOWN_TYPE = RANK_TYPES, RANK_TYPES + 1
TYPES = RANK_TYPES + 2
FIRST_KIND = RANKS  # the rank of a Draw
NO_VALUE = -1  # of a Joker that is not declared
NO_ACTION = -1
MOST_OWED = 4
MOST_PLAYS = 100_000
PILE = DECK_66 - STANDARD  # with deal_52
WIN, NEXT = range(2)  # payer_out
DRAW_GAME, MOST_CARDS = range(2)  # stalemate
DECLARE, PLACE, PLAY, SLAP = range(4)  # phases; to slap is of Egyptian Ratscrew alone

_FULL = 255  # fits a byte: the rules do not bound the cards or turns that may wait for one player
# Fields that turns require, but games of packs do not need: there are no hands to reveal, and turns are not paused.
_UNUSED = {"hand", "face_up", "seen_void", "refill", "aside", "staged", "paused", "put_off", "effects", "carry"}


@dataclass(frozen=True)
class PackOptions(opt.Options):
    """Options of both games."""

    num_players: int = opt.integer(2, 2, MAX_PLAYERS, "number of players")
    deck: str = deck_option()
    deal_52: bool = opt.flag(False, "extended deck: 52 cards are dealt, 14 form a draw pile (BM-01)")
    nonpay_face_ends_pay: bool = opt.flag(False, "extended deck: a Draw, Reverse or Skip ends a payment (BM-25)")
    payer_out: str = opt.one_of(
        "win", ("win", "next"), "when the payer has no cards: the debt is won, or the next pays (BM-16)"
    )


def stalemate_option(default: str) -> Any:
    return opt.one_of(default, ("draw", "most_cards"), "who shares a game that is stopped (BM-44)")


def max_plays_option(default: int) -> Any:
    return opt.integer(default, 1, MOST_PLAYS, "cards played before the game is stopped (BM-43)", tried=(60, MOST_PLAYS))


def _unused(field: Field) -> Field:
    return field._replace(bits=None if field.bits is None else 0, high=None if field.high is None else 0)


def pack_fields(burned: int = 0) -> list[Field]:
    """The record fields of both games. Up to `burned` cards of the stack are burned (only in Egyptian Ratscrew). A pack is a
    ring with its top card at `head`. The undealt part of `deck` is the pile."""
    shared = [_unused(field) if field.name in _UNUSED else field for field in extended_fields(MAX_PLAYERS)]
    waiting = {"draw", "skip"}
    return [
        *(field._replace(high=_FULL) if field.name in waiting else field for field in shared),
        Field("deal_52", "u1"),
        Field("nonpay_face_ends_pay", "u1"),
        Field("payer_out", "u1"),
        Field("stalemate", "u1"),
        Field("max_plays", "u4"),
        Field("plays", "u4", high=lambda options: options.max_plays),  # cards played
        Field("phase", "u1", high=SLAP),  # the question to the player to move
        Field("pack", "u1", (MAX_PLAYERS, DECK_66), high=DECK_66 - 1),
        Field("head", "u1", (MAX_PLAYERS,), high=DECK_66 - 1),
        Field("pack_size", "u1", (MAX_PLAYERS,), high=DECK_66),
        # From the bottom up, in the order of taking: the burned cards, last burned first, then those played, in order.
        Field("stack", "u1", (DECK_66,), high=DECK_66 - 1),
        Field("stack_size", "u1", high=DECK_66),
        Field("burned", "u1", high=burned),  # how many of them
        Field("declared", "i1", (JOKERS,), low=NO_VALUE, high=RANKS - 1),  # for each Joker in the stack (BM-07)
        Field("seen", "u8", (2,), bits=SET),  # cards that were turned up once, which all know from then on
        Field("owner", "i1", low=NOBODY, high=last_seat),  # of the current debt (BM-04)
        Field("owed", "u1", high=MOST_OWED),
        Field("queue", "u4", high=4**SPECIALS - 1),  # waiting specials of the payment (BM-22), stored like `effects`
        Field("placing", "u1", high=PILE),  # cards that the player in turn still has to place (BM-27)
        # The latest step, which may leave no other trace in the later course, and its player.
        Field("last_action", "i1", low=NO_ACTION, high=RANKS + DECK_66 + 2),
        Field("last_player", "i1", low=NOBODY, high=last_seat),
    ]


# --- actions, events, observation ---

DECLARE_ACTIONS = Block("declare", RANKS, "declare the Joker just played to be of this rank: 2..A", label="declare {rank}")
PLACE_ACTIONS = Block(
    "place",
    DECK_66,
    "put the drawn card into one's own pack under this many cards: 0 (on top) to 65",
    label="place {position}",
    parts={"position": [Part(f"under {cards}" if cards else "on top", positions=(cards,)) for cards in range(DECK_66)]},
)
PLAY_ACTION = Block("play", 1, "play the top card of one's own pack")
PACK_ACTIONS = (DECLARE_ACTIONS, PLACE_ACTIONS, PLAY_ACTION)  # the first of both games
PLACE_AT, PLAY_AT = (int(Layout(*PACK_ACTIONS).at(block.name)[0]) for block in PACK_ACTIONS[1:])

_RANK_WORDS = (*(f"a{'n' * (number == 8)} {number}" for number in range(2, 11)), "a Jack", "a Queen", "a King", "an Ace")


def _depth_words(depth: int, options: Any) -> str:
    return "on top of their pack" if depth == 0 else f"under {depth} card{'s' * (depth > 1)} of their pack"


def _win_words(sharing: int, options: Any) -> str:
    if sharing < 2:
        return ("wins", "wins the game that is stopped")[sharing]
    return f"shares the game that is stopped with {sharing - 1} other{'s' * (sharing > 2)}"


PACK_EVENTS = (
    EventKind(events.DEAL, "the pack of each player, face down (BM-01)", "{player} is dealt {cards}"),
    EventKind(events.PLAY, "the top card of a pack is turned up on the stack (BM-02)", "{player} plays {cards}"),
    EventKind(events.DECLARE, "what the Joker just played is; the amount is the rank, 0..12 for 2..A (BM-07)",
              "{player} declares the Joker to be {amount}", words=_RANK_WORDS),
    EventKind(events.COLLECT, "a player puts the stack under their pack, from its bottom up (BM-06)",
              "{player} takes {cards} from the stack"),
    EventKind(events.DRAW, "a card is drawn from the pile, which nobody sees (BM-26)", "{player} draws {cards}"),
    EventKind(events.CHOOSE, "where the drawn card goes: the amount is how many cards lie above it (BM-27)",
              "{player} puts it {amount}", words=_depth_words),
    *(kind for kind in EXTENDED_EVENTS if kind.kind in (events.SKIPPED, events.DIRECTION)),
    EventKind(events.WIN, "a player wins; the amount is 0, and of a stalemate how many share it (BM-40, BM-44)",
              "{player} {amount}", words=_win_words),
)  # fmt: skip
TOP_CARDS = 5
NEXT_CARDS = 16
_MOST_OF_A_RANK = 6  # four cards and two Jokers (BM-08)
_RANKS = "2..A, Draw, Reverse, Skip"
PACKS_BLOCK = Block("packs", 0, "cards in the pack of each player, clockwise from the viewer: / 66", each=1)
PILE_BLOCK = Block("pile", 1, "cards in the pile / 66")
STACK_BLOCK = Block("stack", 1, "cards in the stack / 66")
TOP_BLOCK = Block(
    "top", TOP_CARDS * RANK_TYPES, f"the last five cards played to the stack, newest first: rank ({_RANKS}), one-hot"
)
TOP_JOKERS_BLOCK = Block("top_jokers", TOP_CARDS, "1 for each of these five that is a Joker; its rank is the one declared")
RANKS_BLOCK = Block(
    "stack_ranks",
    RANK_TYPES,
    f"cards played to the stack of each rank ({_RANKS}), declared Jokers among them: / 4",
    high=_MOST_OF_A_RANK / 4,
)
LOOSE_BLOCK = Block("stack_jokers", 1, "Jokers without a value in the stack / 2")
OWNER_BLOCK = Block("owner", 0, "who owns the debt, clockwise: one-hot", each=1)
PAYER_BLOCK = Block("payer", 0, "while there is a debt, whose turn it is, clockwise: one-hot", each=1)
OWED_BLOCK = Block("owed", 1, "cards still due / 4")
QUEUE_BLOCK = Block("queue", 3, "Draws, Reverses, Skips that wait for the end of the payment: / 4")
DRAWS_BLOCK = Block(
    "pending_draw", 0, "cards each player is to draw as their next turn begins, clockwise: / 8", each=1, high=_FULL / 8
)
SKIPS_BLOCK = Block("pending_skip", 0, "turns each player is to lose, clockwise: / 4", each=1, high=_FULL / 4)
DIRECTION_BLOCK = Block("direction", 1, "1 if the order of play is clockwise")
NEXT_BLOCK = Block(
    "next_cards",
    0,
    f"of each player, clockwise, the first 16 cards of the pack, top first: {_RANKS}, Joker, unknown; one-hot",
    each=NEXT_CARDS * TYPES,
)
TYPES_BLOCK = Block(
    "pack_types", 0, f"of each player, clockwise, cards in the pack: {_RANKS} / 4, Jokers / 2, unknown / 66", each=TYPES
)
LEFT_BLOCK = Block("placing", 1, "cards that the player in turn has still to place, this one included: / 8", high=PILE / 8)
PLAYS_BLOCK = Block("plays", 1, "cards played / max_plays")
