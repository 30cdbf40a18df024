"""Options, record, actions and observation of Go Fish."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import events
from ...core import options as opt
from ...core.cards import DECK_66, RANKS, STANDARD, SUITS
from ...core.events import EventKind
from ...core.extended.events import EXTENDED_EVENTS
from ...core.extended.sets import ALL_CARDS, SPECIALS
from ...core.extended.state import NOBODY, deck_option, extended_fields
from ...core.extended.view import REVEAL_ACTIONS, extended_observation
from ...core.fields import Field, all_seats, last_seat
from ...core.layout import Block, Layout
from ...core.parts import Part

MAX_PLAYERS = 6
BOOK = SUITS  # cards of a book
KINDS = SPECIALS // SUITS
ALL_RANKS = RANKS + KINDS  # GF-02: 2 to A, then Draw, Reverse, Skip
JOKERS = 2
FEWEST_OF_A_BOOK = BOOK - JOKERS  # natural cards
NO_BOOK = -1
MOST_TURNS = 1000

LEFT, FISHED_BY = range(2)  # turn_passes
ALL_BOOKS, FIRST_OUT = range(2)  # end_rule
WIN, MARGIN = range(2)  # reward
ASK, FISHED = range(2)  # phases

EVERY_RANK = (1 << ALL_RANKS) - 1
STANDARD_RANKS = (1 << RANKS) - 1
OF_RANK = np.array([0xF << (SUITS * rank) for rank in range(ALL_RANKS)], np.uint64)  # the cards of a rank


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of Go Fish."""

    num_players: int = opt.integer(4, 2, MAX_PLAYERS, "number of players")
    deck: str = deck_option()
    hand_size: int | None = opt.integer(
        None,
        1,
        9,
        "cards dealt to each; none: 7 to two players, 5 to more",
        none=0,
    )
    turn_passes: str = opt.one_of(
        "left",
        ("left", "fished"),
        "who is next after a player has asked in vain: the next in order or, with the standard deck, the player asked (GF-09)",
    )
    fish_again: bool = opt.flag(True, "a player who fishes a card of the rank asked for asks again (GF-08)")
    joker_asks: bool = opt.flag(True, "a player who holds a Joker may ask for any standard rank (GF-05)")
    end_rule: str = opt.one_of(
        "all_books", ("all_books", "first_out"), "the game ends when all books are made, or when cards run out (GF-50, GF-51)"
    )
    reward: str = opt.one_of("win", ("win", "margin"), "see Rewards")
    max_turns: int = opt.integer(300, 1, MOST_TURNS, "the game is stopped after this many turns (GF-53)")

    def validate(self) -> None:
        if self.turn_passes == "fished" and self.deck == "extended":
            raise ValueError("option turn_passes='fished' is not allowed with deck='extended'; allowed: left")
        size = STANDARD if self.deck == "standard" else DECK_66
        if self.hand_size is not None and self.num_players * self.hand_size >= size:
            most = (size - 1) // self.num_players
            raise ValueError(
                f"option hand_size={self.hand_size} is not allowed with {self.num_players} players and deck={self.deck!r}; "
                f"allowed: 1..{most}, none"
            )

    @classmethod
    def samples(cls) -> list[Options]:
        """Every number of players and every choice, in few sets."""
        return [
            cls(),
            cls(num_players=2, deck="standard", turn_passes="fished", reward="margin"),
            cls(num_players=3, joker_asks=False, hand_size=9),
            cls(num_players=5, deck="standard", turn_passes="fished", fish_again=False, hand_size=9),
            cls(num_players=6, end_rule="first_out", reward="margin", fish_again=False, hand_size=1),
            cls(num_players=2, hand_size=3, max_turns=MOST_TURNS),
            cls(num_players=3, deck="standard", end_rule="first_out", max_turns=20),
        ]


def deck_size(options: Options) -> int:
    return STANDARD if options.deck == "standard" else DECK_66


def ranks_of(options: Options) -> int:
    """The number of books in the game."""
    return RANKS if options.deck == "standard" else ALL_RANKS


_RANK_BITS = EVERY_RANK
# Sets of suited cards are one word here, as the first of the two in core/extended; sets of ranks are 16 bits.
FIELDS = [
    *extended_fields(MAX_PLAYERS),
    Field("hand_size", "u1"),
    Field("turn_passes", "u1"),
    Field("fish_again", "u1"),
    Field("joker_asks", "u1"),
    Field("end_rule", "u1"),
    Field("reward", "u1"),
    Field("max_turns", "u2"),
    Field("turns", "u2", low=1, high=lambda options: options.max_turns),  # begun; neither skipped nor resumed ones (GF-53)
    # By seat, the state of a running or paused turn: whether the asking is over (GF-09), and whether it contained an ask, a
    # book or a reveal (GF-52).
    Field("fished", "u1", bits=all_seats),
    Field("acted", "u1", bits=all_seats),
    Field("idle", "u1", bits=all_seats),  # seats with such an empty turn since a card last moved (GF-52)
    Field("books", "u2", (MAX_PLAYERS,), bits=_RANK_BITS),  # ranks
    Field("laid", "u8", bits=ALL_CARDS),  # the cards in all books, except Jokers
    Field("joker_book", "i1", (JOKERS,), low=NO_BOOK, high=RANKS - 1),  # the rank of the book with each Joker
    # Public knowledge about a hand: the number of cards of a rank received openly; the ranks its player asked for; the ranks it
    # lacks. Of those asked for, in `owned`, it has one more card, or the Joker used to ask. Jokers it must have, because
    # its player could not ask (GF-11).
    Field("known", "u1", (MAX_PLAYERS, ALL_RANKS), high=BOOK),
    Field("asked", "u2", (MAX_PLAYERS,), bits=_RANK_BITS),
    Field("owned", "u2", (MAX_PLAYERS,), bits=_RANK_BITS),
    Field("lacks", "u2", (MAX_PLAYERS,), bits=_RANK_BITS),
    Field("jokers", "u1", (MAX_PLAYERS,), high=JOKERS),
    # Private knowledge: cards in other hands that the player has held or seen.
    Field("met", "u8", (MAX_PLAYERS,), bits=ALL_CARDS),
    Field("last_asker", "i1", low=NOBODY, high=last_seat),
    Field("last_target", "i1", high=last_seat),
    Field("last_rank", "u1", high=ALL_RANKS - 1),
    Field("last_given", "u1", high=BOOK - 1),
]

PLURAL = [
    "twos",
    "threes",
    "fours",
    "fives",
    "sixes",
    "sevens",
    "eights",
    "nines",
    "tens",
    "Jacks",
    "Queens",
    "Kings",
    "Aces",
    "Draws",
    "Reverses",
    "Skips",
]
_RANKS = {"rank": [Part(text, ranks=(rank,)) for rank, text in enumerate(PLURAL)]}
ACTIONS = Layout(
    Block(
        "ask",
        (MAX_PLAYERS - 1) * ALL_RANKS,
        "ask the next player clockwise, the second, ..., each for 2 .. A Dr Rv Sk",
        label="ask player {seat} for {rank}",
        parts=_RANKS,
    ),
    Block(
        "book",
        ALL_RANKS,
        "lay the book of a rank, 2 .. A Dr Rv Sk, with Jokers where cards lack",
        label="lay the book of {rank}",
        parts=_RANKS,
    ),
    *REVEAL_ACTIONS,
    # The end is visible, but not whether it was chosen or forced.
    Block("end", 1, "end the turn when the asking is over", label="end the turn"),
)
BOOK_AT, REVEAL_AT, COMMIT_AT, END_AT = ACTIONS.places("book", "reveal", "commit", "end", num_players=0)

_EACH = "of each player, clockwise from the viewer, of each rank"
OBSERVATION = Layout(
    *extended_observation(),
    Block("books", 0, f"{_EACH}: 1 if they have laid its book", each=ALL_RANKS),
    Block("book_jokers", RANKS, "of each standard rank: Jokers in its book / 2"),
    Block("impossible", KINDS, "1 if the book of Draws, Reverses, Skips is impossible (GF-38); all with the standard deck"),
    Block("known", 0, f"{_EACH}: cards that they are known to hold, for the viewer all, / 4", each=ALL_RANKS),
    Block(
        "asked",
        0,
        f"{_EACH}: 1 if they have asked for it since they last gave or booked cards of it or were asked for it in vain",
        each=ALL_RANKS,
    ),
    Block(
        "lacks", 0, f"{_EACH}: 1 if they are known to hold none, for the viewer if there is none", each=ALL_RANKS, lacks="rank"
    ),
    Block("last_asker", 0, "who asked last, clockwise: one-hot, none before the first ask", each=1),
    Block("last_target", 0, "who was asked, clockwise: one-hot", each=1),
    Block("last_rank", ALL_RANKS, "for which rank: one-hot"),
    Block("last_given", 1, "cards that they gave / 4"),
    Block("phase", 2, "the player in turn may ask, or their asking is over: one-hot"),
)


def _win_words(winners: int, options: Options) -> str:
    return "wins" if winners == 1 else "shares the win"


EVENTS = (
    *EXTENDED_EVENTS,
    EventKind(events.TURN, "whose turn it is: 0, or 1 if it was paused and goes on", "it is {player}'s turn{amount}",
              words=("", " again")),
    EventKind(events.ASK, "a player asks another for a rank, 0..15 (GF-03)", "{player} asks {other} for {amount}",
              words=PLURAL),
    EventKind(events.GIVE, "all cards of the rank asked for are handed over; the two players see them (GF-06)",
              "{player} gives {cards} to {other}"),
    EventKind(events.ANSWER, "a player has no card of the rank asked for, 0..15 (GF-08)", "{player} has no {amount}: go fish",
              words=PLURAL),
    EventKind(events.DRAW, "cards are taken from the stock; their player sees them, everybody sees a catch (GF-08, GF-10, "
              "GF-11, GF-30, GF-35)", "{player} draws {cards}"),
    EventKind(events.PASS, "who is to ask cannot (GF-10, GF-11)", "{player} cannot ask"),
    EventKind(events.MELD, "a book is laid (GF-21 to GF-26)", "{player} lays the book {cards}"),
    EventKind(events.SCORE, "how many books a player has at the end (GF-54)", "{player} has {amount} book{s}"),
    EventKind(events.WIN, "who has the most books; the amount is how many players do (GF-54)", "{player} {amount}",
              words=_win_words),
)  # fmt: skip
