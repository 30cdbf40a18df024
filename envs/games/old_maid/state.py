"""Options, record, actions and observation of Old Maid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import events
from ...core import options as opt
from ...core.cards import DECK_66, JOKER_RANK, RANKS, SMALL_JOKER, STANDARD, SUIT_TEXT, SUITS
from ...core.events import (
    ASK,
    CHOOSE,
    DEAL,
    DECLARE,
    DISCARD,
    LOSE,
    MELD,
    OUT,
    PASS,
    SELECT,
    SKIPPED,
    TURN,
    EventKind,
)
from ...core.extended.sets import FIRST_SPECIAL, NO_RANK
from ...core.extended.state import NOBODY, deck_option
from ...core.fields import Field, last_seat
from ...core.layout import Block, Layout
from ...core.parts import Part

MAX_PLAYERS = 8
MOST = 20  # cards of a hand with the one just drawn: 13 ranks, the Old Maid, 3 kinds, 2 Jokers, and one more
QUEEN = 10
FIRST_QUEEN = QUEEN * SUITS
RANDOM_QUEEN = SUITS  # what the fields `removed_queen` and `old_maid` hold until a Queen is drawn by lot
ARRANGED, SHUFFLED = range(2)  # fan
SETUP, DRAW, PAIR, PLACE = range(4)  # phases

# Types of cards: the ranks, and behind them these. Cards of one type pair, the two Jokers where their holder wishes.
OLD_MAID = RANKS
FIRST_KIND = RANKS + 1
KINDS = 3
JOKER = FIRST_KIND + KINDS
TYPES = JOKER + 1
TYPE = np.array(
    [
        card // SUITS if card < STANDARD else JOKER if card < FIRST_SPECIAL else FIRST_KIND + (card - FIRST_SPECIAL) // SUITS
        for card in range(DECK_66)
    ],
    np.int64,
)  # of each id, the Old Maid being a Queen like others
JOKERS = (SMALL_JOKER, SMALL_JOKER + 1)

_QUEENS = (*SUIT_TEXT, "random")


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of Old Maid."""

    num_players: int = opt.integer(4, 2, MAX_PLAYERS, "number of players")
    deck: str = deck_option()
    removed_queen: str = opt.one_of("c", _QUEENS, "the Queen that is taken out before the deal (OM-01)")
    old_maid: str = opt.one_of(
        "s", _QUEENS, "the Queen that is the Old Maid (OM-03), not the one taken out; random: drawn after that one"
    )
    named_maid: bool | None = opt.flag(
        None,
        "whether a Queen is named the Old Maid (OM-03); False, with the standard deck only: any two Queens pair, and the one "
        "left over is the Old Maid; none: True with the Extended Deck, False with the standard deck",
    )
    joker_bind: bool = opt.flag(True, "a Joker that was paired with a card binds the other to its rank (OM-24)")
    fan: str = opt.one_of(
        "arranged", ("arranged", "shuffled"), "cards are drawn from where the drawer likes, or at random (OM-12, OM-13)"
    )
    max_turns: int = opt.integer(600, 1, 2000, "turns begun before the game is stopped (OM-43)", tried=(25, 2000))

    def validate(self) -> None:
        if self.named_maid is None:
            object.__setattr__(self, "named_maid", self.deck == "extended")
        if self.deck == "extended" and not self.named_maid:
            raise ValueError("option named_maid=False is not allowed with deck='extended'; allowed: True, none")
        if self.old_maid == self.removed_queen != "random":
            allowed = ", ".join(name for name in _QUEENS if name != self.removed_queen)
            raise ValueError(
                f"option old_maid={self.old_maid!r} is not allowed with removed_queen={self.removed_queen!r}; "
                f"allowed: {allowed}"
            )


def queens_of(name: str, is_drawn: bool = True) -> range:
    """The values of a field that holds a Queen while a game is played."""
    place = _QUEENS.index(name)
    return range(SUITS) if place == RANDOM_QUEEN and is_drawn else range(place, place + 1)


# A hand is a list of ids: with fan="arranged" in its order, else ascending. What lies on the table is what is in no hand.
FIELDS = [
    Field("standard", "u1"),  # the option `deck`
    # The options until play begins, then the Queens: suits.
    Field(
        "removed_queen",
        "u1",
        low=lambda options: queens_of(options.removed_queen)[0],
        high=lambda options: queens_of(options.removed_queen)[-1],
    ),
    Field(
        "old_maid",
        "u1",
        low=lambda options: queens_of(options.old_maid, options.named_maid)[0],
        high=lambda options: queens_of(options.old_maid, options.named_maid)[-1],
    ),
    Field("named_maid", "u1"),
    Field("joker_bind", "u1"),
    Field("fan", "u1"),
    Field("max_turns", "u2"),
    Field("phase", "u1", high=PLACE),
    Field("turns", "u2", high=lambda options: options.max_turns),  # begun
    Field("hand", "u1", (MAX_PLAYERS, MOST), high=DECK_66 - 1),
    Field("hand_size", "u1", (MAX_PLAYERS,), high=MOST - 1),
    # Of each card in a hand, who knows that it is there: the seat that it was drawn from, until they may be wrong.
    Field("known_by", "i1", (DECK_66,), low=NOBODY, high=last_seat),
    Field("bound", "i1", low=NO_RANK, high=RANKS - 1),  # the rank that the second Joker counts as (OM-24)
    Field("joker_pair", "u1", high=1),  # the Jokers were laid as a pair
    Field("skips", "u1", high=1),  # a pair of Skips was laid in this turn (OM-31)
    Field("fresh", "u1", high=1),  # the card drawn is the last of the mover's hand, and to be placed (OM-13)
    # The latest draw: by whom, from whom, at which position, and whether no forced pair came of it.
    Field("drawer", "i1", low=NOBODY, high=last_seat),
    Field("drawn_from", "i1", low=NOBODY, high=last_seat),
    Field("drawn_at", "u1", high=MOST - 1),
    Field("kept", "u1", high=1),
]

ACTIONS = Layout(
    Block(
        "draw",
        MOST,
        "draw the card at this position of the hand drawn from; with fan=shuffled the first: draw",
    ),
    Block(
        "pair",
        RANKS,
        "pair a Joker with a card of this rank from the hand, 2..A",
        label="pair a {joker} with the {rank}",
        parts={"joker": [Part("Joker", ranks=(JOKER_RANK,))]},
    ),
    Block(
        "jokers",
        1,
        "pair the two Jokers",
        label="pair the {jokers}",
        parts={"jokers": [Part("Jokers", ranks=(JOKER_RANK, JOKER_RANK))]},
    ),
    Block("done", 1, "lay no more pairs", label="no more pairs"),
    Block(
        "place",
        MOST,
        "fan=arranged: put the card drawn at this position",
        label="put the card drawn at place {position}",
        parts={"position": range(1, MOST + 1)},
    ),
)
DRAW_AT, PAIR_AT, JOKERS_AT, DONE_AT, PLACE_AT = (
    int(ACTIONS.slices(MAX_PLAYERS)[name].start) for name in ("draw", "pair", "jokers", "done", "place")
)

_MOST_DEALT = 33  # to one of two players
_CLOCKWISE = "of each player, clockwise from the viewer"
_TYPES = "13 ranks, the Old Maid, Draw, Reverse, Skip, Joker"
OBSERVATION = Layout(
    Block("hand", DECK_66, "own hand: 1 for each card, by id"),
    Block("fan", MOST * (TYPES + 1), f"fan=arranged: at each position of one's hand the type ({_TYPES}, or empty): one-hot"),
    Block("hand_sizes", 0, f"cards in the hand {_CLOCKWISE}: / {_MOST_DEALT}", each=1),
    Block("pairs_laid", RANKS + KINDS, "cards laid of each rank, and Draws, Reverses, Skips, Jokers apart: / 4"),
    Block("jokers_laid", 1, "Jokers laid / 2"),
    Block("joker_pair", 1, "1 if the Jokers were laid as a pair"),
    Block("bound", RANKS, "the rank that the second Joker was bound to (OM-24): one-hot, to the end"),
    Block("old_maid", SUITS, "suit of the Old Maid c, d, h, s: one-hot; zeros with named_maid=False"),
    Block("removed_queen", SUITS, "suit of the Queen taken out: one-hot"),
    Block("drawer", 0, "who drew last, clockwise from the viewer: one-hot", each=1),
    Block("drawn_from", 0, "from whom, clockwise from the viewer: one-hot", each=1),
    Block("kept", 1, "1 if no forced pair came of the latest draw"),
    Block("drawn_at", MOST, "fan=arranged: the position of the card drawn last: one-hot"),
    Block("known", 0, f"{_CLOCKWISE}, the types ({_TYPES}) that the viewer knows them to hold", each=TYPES),
    Block("target", 0, "phase DRAW: whose hand is drawn from, clockwise from the viewer: one-hot", each=1),
    Block("phase", 4, "setup, DRAW, PAIR, PLACE: one-hot"),
)
EVENTS = (
    EventKind(DISCARD, "the Queen that is taken out (OM-01)", "{cards} is taken out"),
    EventKind(DECLARE, "the Queen that is named the Old Maid (OM-03)", "{cards} is the Old Maid"),
    EventKind(DEAL, "the cards dealt to a player, in their order (OM-02)", "{player} is dealt {cards}"),
    EventKind(MELD, "pairs are laid (OM-05, OM-06, OM-20)", "{player} lays {cards}"),
    EventKind(ASK, "a player is asked whether they pair a Joker (OM-07, OM-22)", "{player} may pair a Joker"),
    EventKind(PASS, "the player pairs no Joker now (OM-22)", "{player} pairs no Joker"),
    EventKind(TURN, "a player's turn begins; the other is whom they draw from (OM-10)", "{player} is to draw from {other}"),
    EventKind(CHOOSE, "fan=arranged: which card of the other is drawn, by its position (OM-13)",
              "{player} chooses {other}'s card {amount}"),
    EventKind(events.DRAW, "a card is drawn; both players see it (OM-10)", "{player} draws {cards} from {other}"),
    EventKind(SELECT, "a player has put the card drawn into their hand: its order now, which they alone see (OM-13)",
              "{player} puts it into their hand: {cards}", secret=True),
    EventKind(SKIPPED, "a pair of Skips takes a player's turn (OM-31)", "{player} is skipped"),
    EventKind(OUT, "a player has no cards left (OM-11)", "{player} is out, and safe"),
    EventKind(LOSE, "a player who loses (OM-40 to OM-43)", "{player} loses"),
)  # fmt: skip
