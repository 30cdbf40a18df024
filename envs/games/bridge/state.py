"""Options, record, actions and observation of bridge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import options as opt
from ...core.cards import DECK_66, SUITS
from ...core.events import ANSWER, CONTRACT, MELD, PASS, ROUND, SCORE, TURN_UP, WIN, EventKind
from ...core.events import BID as BIDDING
from ...core.events import DOUBLE as DOUBLING
from ...core.events import REDOUBLE as REDOUBLING
from ...core.extended.events import EXTENDED_EVENTS, TRICK_EVENTS
from ...core.extended.sets import ALL_CARDS
from ...core.extended.state import TRICK_PLAYERS, TRICKS, deck_option, extended_fields, trick_fields
from ...core.extended.view import EXTENDED_OBSERVATION, TRICK_ACTIONS, TRICK_OBSERVATION
from ...core.fields import Field
from ...core.layout import Block, Layout
from ...core.parts import Part

PLAYERS = TRICK_PLAYERS
SIDES = 2  # North-South are seats 0 and 2, East-West 1 and 3: the side of a seat is its last bit
LEVELS, STRAINS = 7, 5  # a bid is a number 0..34, 5 (level - 1) + strain; strains are c, d, h, s, NT
BIDS = LEVELS * STRAINS
STRAIN_TEXT = ("C", "D", "H", "S", "NT")
NO_TRUMP = 4
NO_BID = -1
BID, DOUBLE, REDOUBLE = range(3)  # rows of `calls`

DUPLICATE, RUBBER = range(2)  # scoring
RANDOM_VULNERABILITY = 4  # smaller values have one bit per side
SCALED, OPENSPIEL = range(2)  # reward
MOST_DEALS = 100
GAME_POINTS = 100  # below the line (BR-66)
_VULNERABILITY = ("none", "ns", "ew", "both", "random")


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of bridge."""

    num_players: int = opt.one_of(PLAYERS, (PLAYERS,), "number of players")
    deck: str = deck_option()
    scoring: str = opt.one_of("duplicate", ("duplicate", "rubber"), "one deal with duplicate scoring, or a rubber")
    dealer: Any = opt.seat(0, "dealer of the first deal (BR-10)")
    vulnerability: str = opt.one_of("none", _VULNERABILITY, "the vulnerable sides, with duplicate scoring (BR-61 to BR-65)")
    honors: bool = opt.flag(False, "in a rubber, points for honors in one hand (BR-69)")
    max_deals: int = opt.integer(24, 1, MOST_DEALS, "a rubber ends after this many deals, counting those passed out (BR-68)")
    reward: str = opt.one_of("scaled", ("scaled", "openspiel"), "points / 1000, or the points themselves")

    def validate(self) -> None:
        if self.scoring == "duplicate" and self.honors:
            raise ValueError("option honors=True is not allowed with scoring='duplicate'; allowed: False")
        if self.scoring == "rubber" and self.vulnerability != "none":
            raise ValueError(
                f"option vulnerability={self.vulnerability!r} is not allowed with scoring='rubber', "
                "where the sides become vulnerable in play; allowed: none"
            )


def most_points(options: Options) -> int:
    """The most points of a side in an episode: in each deal thirteen undertricks, redoubled and vulnerable, and honors; in a
    rubber also its bonus."""
    deal = 7600 + 150
    return deal * options.max_deals + 700 if options.scoring == "rubber" else deal


def _sides(options: Options) -> range:
    """The values of the field `vulnerability`."""
    place = _VULNERABILITY.index(options.vulnerability)
    return range(RANDOM_VULNERABILITY) if place == RANDOM_VULNERABILITY else range(place, place + 1)


FIELDS = [
    *extended_fields(PLAYERS),
    *trick_fields(),
    Field("scoring", "u1"),
    Field("dealer", "i1", high=PLAYERS - 1),  # the option until play begins, then the dealer
    # One bit per side; the option until play begins.
    Field("vulnerability", "u1", low=lambda options: _sides(options)[0], high=lambda options: _sides(options)[-1]),
    Field("honors", "u1"),
    Field("max_deals", "u2"),
    Field("reward", "u1"),
    # Bids made, doubled and redoubled by each player: one bit per bid.
    Field("calls", "u8", (3, PLAYERS), bits=(1 << BIDS) - 1),
    Field("passes", "u1", high=PLAYERS),  # in a row, since the last other call
    # Suited cards dealt to each player, wherever they are now (BR-69).
    Field("dealt", "u8", (PLAYERS,), bits=int(ALL_CARDS)),
    Field("tricks", "u1", (SIDES,), high=TRICKS),
    Field("games", "u1", (SIDES,), high=2),  # of the rubber
    Field("below", "u2", (SIDES,), high=GAME_POINTS - 1),  # points below the line in the unfinished game
    Field("total", "i4", (SIDES,), high=most_points),  # of the episode
]

ACTIONS = Layout(
    *TRICK_ACTIONS,
    Block("pass", 1, "make no bid"),
    Block("double", 2, "double the last bid, redouble it", label="{call}", parts={"call": ("double", "redouble")}),
    Block(
        "bid",
        BIDS,
        "bid this level and strain: 1C 1D 1H 1S 1NT 2C ... 7NT",
        label="bid {level}{strain}",
        parts={
            "level": range(1, LEVELS + 1),
            "strain": [*(Part(STRAIN_TEXT[suit], suits=(suit,)) for suit in range(SUITS)), "NT"],
        },
    ),
)
OBSERVATION = Layout(
    *EXTENDED_OBSERVATION,
    *TRICK_OBSERVATION,
    Block("phase", 2, "auction, play of cards: one-hot"),
    Block("opening_passes", PLAYERS, "who passed before the first bid, clockwise from the viewer"),
    Block("bids", BIDS * 3 * PLAYERS, "for each bid, 1C to 7NT, who made it, doubled it, redoubled it, clockwise: one-hot"),
    Block("passes", 4, "passes in a row since the last other call, 0..3: one-hot"),
    Block("level", LEVELS + 1, "level 0..7 of the contract, or during the auction of the last bid; 0 for none: one-hot"),
    Block("strain", STRAINS, "its strain c, d, h, s, NT: one-hot"),
    Block("doubling", 3, "not doubled, doubled, redoubled: one-hot"),
    Block("declarer", PLAYERS, "declarer, or during the auction who would be, clockwise: one-hot"),
    Block("vulnerable", SIDES, "whether the viewer's side is vulnerable, and the other"),
    Block("dealer", PLAYERS, "dealer, clockwise from the viewer: one-hot"),
    Block("dummy", DECK_66, "dummy's hand once it lies face up, by id"),
    Block("exposed", 1, "1 if dummy's hand lies face up"),
    Block("for_dummy", 1, "1 if the viewer is to play for dummy"),
    Block("tricks", SIDES, "tricks won by declarer's side, by the defenders: / 13"),
    Block("games", SIDES, "rubber: games of the viewer's side, of the other: / 2"),
    Block("below", SIDES, "rubber: points below the line in this game, of the viewer's side, of the other: / 100"),
    Block(
        "total",
        SIDES,
        "rubber: all points of the viewer's side, of the other: / 1000; at most 7750 max_deals + 700",
        high=lambda options: most_points(options) / 1000,
    ),
)

_BID_TEXT = tuple(f"{level}{strain}" for level in range(1, LEVELS + 1) for strain in STRAIN_TEXT)


def _made_text(over: int, options: Options) -> str:
    return f"goes down by {-over}" if over < 0 else "makes the contract" + (f" and {over} more" if over else "")


EVENTS = (
    *EXTENDED_EVENTS,
    *TRICK_EVENTS,
    EventKind(ROUND, "who deals, and which sides are vulnerable (BR-10, BR-61 to BR-66)",
              "{player} deals; vulnerable: {amount}", words=("nobody", "North-South", "East-West", "both sides")),
    EventKind(PASS, "a pass in the auction (BR-10); at its end nobody's, if all have passed (BR-12)", "{player} passes",
              nobody="everybody"),
    EventKind(BIDDING, "a bid (BR-10), numbered as in the actions", "{player} bids {amount}", words=_BID_TEXT),
    EventKind(DOUBLING, "a player doubles the last bid (BR-11)", "{player} doubles"),
    EventKind(REDOUBLING, "a player redoubles the last bid (BR-11)", "{player} redoubles"),
    EventKind(CONTRACT, "who is declarer, and the bid, numbered as in the actions (BR-13)", "{player} is declarer in {amount}",
              words=_BID_TEXT),
    EventKind(ANSWER, "the result of the contract: tricks above it, negative if below (BR-50)", "{player} {amount}",
              words=_made_text),
    EventKind(TURN_UP, "dummy's hand lies face up, with what came for specials that are redealt at once (BR-20, BR-33)",
              "{player} is dummy with {cards}"),
    EventKind(MELD, "a hand of a side was dealt this many honors (BR-69)", "{player} or {other} had {amount} honors"),
    EventKind(SCORE, "the points of a side, for a deal, honors or a rubber (BR-60 to BR-69)",
              "{player} and {other} score {amount}"),
    EventKind(WIN, "a side wins a game, or the rubber (BR-66, BR-68)", "{player} and {other} win {amount}",
              words=("a game", "the rubber")),
)  # fmt: skip

STRAIN_BIDS = np.array([sum(1 << bid for bid in range(strain, BIDS, STRAINS)) for strain in range(STRAINS)], np.uint64)
