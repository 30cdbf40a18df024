"""Options, record, actions and observation of rummy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import events
from ...core import options as opt
from ...core.cards import DECK_66, SMALL_JOKER, STANDARD
from ...core.events import EventKind
from ...core.extended.events import EXTENDED_EVENTS
from ...core.extended.sets import ALL_CARDS, SPECIALS
from ...core.extended.state import NOBODY, deck_option
from ...core.extended.view import REVEAL_ACTIONS
from ...core.fields import Field, all_seats, last_seat
from ...core.layout import Block, Layout

MAX_PLAYERS = 6
DECKS = 2  # in contract rummy
MOST_CARDS = DECKS * DECK_66
SLOTS = 24  # for melds on the table
DEALS = 7  # of contract rummy
MOST_BUYS = 9
BASIC, GIN, CONTRACT = range(3)  # variant
LOW, BOTH = range(2)  # ace
RULE3, DISCARD_ONLY = range(2)  # meld_effects
FULL, TWO = 1, 2  # layoff_reach, which is settled
PLAYERS = {"basic": (2, 6), "gin": (2, 2), "contract": (3, 5)}
GIN_HAND = 10
WALL = 2  # RM-38
SCORE_UNIT = 500  # of totals, in the observation
ENOUGH_BONUS = 1_000_000

# Phases, in the order of the observation. FIRST: the upcard is offered, or after two passes the starter draws (RM-30).
FIRST, DRAW, OFFER, PLAY, COMPOSE, LAY_CARD, KNOCK_DISCARD, KNOCK_MELDS, DEFENCE_LAYOFFS, DEFENCE_MELDS = range(10)
PHASES = 10


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of rummy."""

    num_players: Any = opt.integer(
        None, 2, MAX_PLAYERS, "number of players: basic 2-6, gin 2, contract 3-5; none: 2, 2, 4", none=0
    )
    variant: str = opt.one_of("basic", ("basic", "gin", "contract"), "which game")
    deck: str = deck_option()
    ace: str = opt.one_of("low", ("low", "both"), "basic: an ace is below 2 only, or also above the King (RM-11)")
    melds_per_turn: int = opt.one_of(1, (1, 0), "basic: new melds in a turn; 0: any number (RM-26)")
    rummy_double: bool = opt.flag(False, "basic: going out in one turn with nothing melded before counts double (RM-28)")
    meld_effects: str = opt.one_of(
        "rule3", ("rule3", "discard_only"), "whether melded and laid-off Draws, Reverses and Skips have their effect (RM-53)"
    )
    recycles: int = opt.integer(1, 0, 2, "basic, contract: how often the discards may become the stock (RM-24)")
    knock_card: int = opt.integer(10, 0, 10, "gin: the most deadwood of a knocker (RM-32)")
    oklahoma: bool = opt.flag(False, "gin: the value of the first upcard is the knock card; an ace's 0, a Joker's knock_card")
    gin_bonus: int = opt.integer(25, 0, ENOUGH_BONUS, "gin: points for deadwood 0 (RM-40)")
    undercut_bonus: int = opt.integer(25, 0, ENOUGH_BONUS, "gin: points for an undercut (RM-40)")
    undercut_tie: bool = opt.flag(False, "gin: equal deadwood is an undercut (RM-40)")
    layoff_reach: Any = opt.one_of(
        None, (None, "full", "two"), "gin: how far runs may be extended (RM-37); none: two with 52 cards, full with 66"
    )
    upcard_cap: int = opt.integer(50, 1, 1000, "gin: the hand is a draw after this many draws of the upcard (RM-39)")
    first_deal: int = opt.integer(1, 1, DEALS, "contract: the first deal that is played (RM-42)")
    deals: int = opt.integer(DEALS, 1, DEALS, "contract: how many deals are played, up to the seventh", stored_as="num_deals")
    buys: int = opt.integer(3, 0, MOST_BUYS, "contract: buys of a player in a deal (RM-47)")
    max_turns: int = opt.integer(400, 1, 10_000, "basic, contract: turns in a deal before it is blocked (RM-25)")

    def validate(self) -> None:
        least, most = PLAYERS[self.variant]
        if self.num_players is None:
            object.__setattr__(self, "num_players", 4 if self.variant == "contract" else 2)
        if not least <= self.num_players <= most:
            raise ValueError(
                f"num_players={self.num_players} is not allowed with variant={self.variant!r}; allowed: {least}..{most}"
            )
        if self.layoff_reach is None:
            object.__setattr__(self, "layoff_reach", "two" if self.deck == "standard" else "full")
        if self.layoff_reach == "two" and self.deck == "extended":
            raise ValueError("option layoff_reach='two' is not allowed with deck='extended'; allowed: full")
        object.__setattr__(self, "deals", min(self.deals, DEALS + 1 - self.first_deal))

    @classmethod
    def samples(cls) -> list[Options]:
        """All values in few sets; contract in short matches, as a deal is hundreds of steps."""
        contract: dict[str, Any] = {"variant": "contract"}
        gin: dict[str, Any] = {"variant": "gin"}
        return [
            cls(),
            cls(num_players=4, ace="both", melds_per_turn=0, rummy_double=True, recycles=2, max_turns=150),
            cls(num_players=3, meld_effects="discard_only", recycles=0),
            cls(num_players=6, deck="standard", melds_per_turn=0, recycles=2, rummy_double=True),
            cls(num_players=5, ace="both", max_turns=40),
            cls(**gin),
            cls(**gin, deck="standard"),
            cls(**gin, oklahoma=True, knock_card=0, gin_bonus=0, undercut_bonus=ENOUGH_BONUS, undercut_tie=True, upcard_cap=3),
            cls(**gin, deck="standard", oklahoma=True, layoff_reach="full", knock_card=5, upcard_cap=1000),
            cls(**contract, first_deal=2, deals=2, max_turns=100),
            cls(**contract, num_players=3, first_deal=7, buys=0, recycles=2, meld_effects="discard_only", max_turns=200),
            cls(**contract, num_players=5, deck="standard", first_deal=4, deals=1, buys=9, recycles=0),
        ]


def num_decks(options: Any) -> int:
    return DECKS if options.variant == "contract" else 1


def deck_of(options: Any) -> list[int]:
    """The ids of the deck, with two decks each twice (RM-05)."""
    return [card for card in range(STANDARD if options.deck == "standard" else DECK_66) for _ in range(num_decks(options))]


# A set of cards, of which there may be two of a face, is three words: `once` the faces that it holds at least once (bits as in
# core/extended/sets.py), `twice` those it holds twice, and its Jokers: bits 0 and 1 the small, 2 and 3 the big ones.
# Sets of specials are twelve bits for those held once, and above them twelve for those held twice.
WORDS = 3
ONCE, TWICE, JOKERS = range(WORDS)
_SET = np.array([ALL_CARDS, ALL_CARDS, 15], np.uint64)
_TWO_OF_EACH = (1 << 2 * SPECIALS) - 1
_MOST_WAITING = 255  # draws or skips that wait for one player: more than ever do
_ALL_EFFECTS = 4 ** (DECKS * SPECIALS) - 1


FIELDS = [
    Field("variant", "u1"),
    Field("standard", "u1"),  # the option `deck`
    Field("ace", "u1"),
    Field("melds_per_turn", "u1"),
    Field("rummy_double", "u1"),
    Field("meld_effects", "u1"),
    Field("recycles", "u1"),
    Field("knock_card", "u1"),
    Field("oklahoma", "u1"),
    Field("gin_bonus", "i4"),
    Field("undercut_bonus", "i4"),
    Field("undercut_tie", "u1"),
    Field("layoff_reach", "u1"),
    Field("upcard_cap", "u2"),
    Field("first_deal", "u1"),
    Field("num_deals", "u1"),
    Field("buys", "u1"),
    Field("max_turns", "u2"),
    # Cards.
    Field("hand", "u8", (MAX_PLAYERS, WORDS), bits=_SET),
    Field("known", "u8", (MAX_PLAYERS, WORDS), bits=_SET),  # of a hand, taken from the discards and not shown since
    Field("pile_at", "u1", high=MOST_CARDS),  # the stock is `deck[pile_at:pile_end]`, top first
    Field("pile_end", "u1", high=MOST_CARDS),
    Field("discard", "u1", (MOST_CARDS,), high=DECK_66 - 1),  # the top is the last of them
    Field("discards", "u1", high=MOST_CARDS),
    Field("discarder", "i1", low=NOBODY, high=last_seat),  # who laid the top, as long as they may not take it (RM-23)
    Field("aside", "u4", bits=_TWO_OF_EACH),
    Field("staged", "u4", bits=_TWO_OF_EACH),  # by the player in turn, who holds them still (ED-21)
    Field("composition", "u8", (WORDS,), bits=_SET),  # of the meld that the player to move composes, who holds them still
    Field("melds", "u1", high=SLOTS),
    Field("meld_kind", "u1", (SLOTS,), high=1),  # GROUP or RUN
    Field("meld", "u8", (SLOTS, WORDS), bits=_SET),
    Field("laid", "u8", (SLOTS,), bits=ALL_CARDS),  # a run as it was laid, where layoff_reach=two asks for it (RM-37)
    Field("slot", "u1", high=SLOTS - 1),  # chosen for a lay-off, else 0
    # Turns.
    Field("phase", "u1", high=PHASES - 1),
    Field("direction", "i1", low=-1, high=1),
    Field("turn", "i1", high=last_seat),  # whose turn it is; another may be asked, to buy
    Field("draw", "u1", (MAX_PLAYERS,), high=_MOST_WAITING),  # cards to take as the next turn begins (ED-36)
    Field("skip", "u1", (MAX_PLAYERS,), high=_MOST_WAITING),  # turns to be skipped (ED-37)
    Field("effects", "u8", (MAX_PLAYERS,), high=_ALL_EFFECTS),  # of specials played in the turn, see core/extended/turns.py
    Field("paused", "u1", bits=all_seats),
    Field("out", "u1", high=0),  # nobody leaves a deal, and
    Field("carry", "u1", high=0),  # no effect is left over: for core/extended/turns.py
    # What a turn remembers, be it paused: of each seat.
    Field("drawn", "u1", bits=all_seats),  # has drawn a card
    Field("taken", "u1", (MAX_PLAYERS,), high=DECK_66),  # the face taken from the discards (RM-22, RM-36) and 1, or 0
    Field("new_melds", "u1", (MAX_PLAYERS,), high=SLOTS),  # melds begun (RM-26)
    Field("laid_now", "u1", bits=all_seats),  # has melded or laid off
    # Of each seat in the deal.
    Field("laid_before", "u1", bits=all_seats),  # has melded or laid off in an earlier turn (RM-28)
    Field("down", "u1", bits=all_seats),  # has laid the contract (RM-43)
    Field("buys_left", "u1", (MAX_PLAYERS,), high=lambda options: options.buys),
    Field("contract_melds", "u1", high=2),  # of the contract that is being laid, melds laid already
    Field("recycled", "u1", high=lambda options: options.recycles),
    Field("turns", "u2", high=lambda options: options.max_turns),  # begun
    Field("idle_turns", "u1", high=lambda options: 4 * options.num_players),  # begun since something happened (RM-25)
    Field("total", "i4", (MAX_PLAYERS,), high=DEALS * 1100),  # contract: points of earlier deals
    # Gin.
    Field("knock", "u1", high=10),  # the knock card of this hand
    Field("passes", "u1", high=2),  # of RM-30
    Field("upcard_draws", "u2", high=lambda options: options.upcard_cap),  # RM-39
    Field("repeated", "u1", high=1),  # the flag of RM-36
    Field("knocker", "i1", low=NOBODY, high=last_seat),
]

ACTIONS = Layout(
    Block(
        "card", DECK_66, "a card face, by id, 52 any Joker: discard it, add it to the meld, lay it off, or discard it to knock"
    ),
    Block("draw_stock", 1, "draw from the stock", label="draw"),
    Block("take_discard", 1, "take the top of the discard pile; in an offer, buy it"),
    Block("pass", 1, "decline an offer, lay nothing more, or end the hand at the wall"),
    Block("knock", 1, "knock (RM-32); at the wall, with the upcard"),
    Block("meld", 1, "begin a meld, or the contract"),
    Block(
        "close",
        2,
        "the meld is complete, as a group, as a run",
        label="as a {kind}",
        parts={"kind": ("group", "run")},
    ),
    Block("lay_off", SLOTS, "lay a card on this meld of the table", label="lay off on meld {place}"),
    *REVEAL_ACTIONS,
)
_PLACES = ("draw_stock", "take_discard", "pass", "knock", "meld", "close", "lay_off", "reveal", "commit")
DRAW_STOCK, TAKE_DISCARD, PASS, KNOCK, MELD, CLOSE_AT, LAY_OFF_AT, REVEAL_AT, COMMIT = ACTIONS.places(*_PLACES, num_players=2)
CLOSE_GROUP, CLOSE_RUN = CLOSE_AT, CLOSE_AT + 1

MELD_CELLS = 37  # of a meld: type, rank or kind, suit, cells, Jokers
RANK_AT, SUIT_AT, CELL_AT, JOKERS_AT = 2, 18, 22, 36
SEAT_CELLS = 8
SIZE_UNIT, SEAT_UNIT = 20, 8


def _high_cards(options: Any) -> np.ndarray:
    """Of two decks four Jokers count at one face."""
    high = np.ones(DECK_66)
    high[SMALL_JOKER] = num_decks(options)
    return high


def _high_known(options: Any) -> np.ndarray:
    return np.tile(_high_cards(options), MAX_PLAYERS)


def _high_sizes(options: Any) -> np.ndarray:
    return np.array([MOST_CARDS / SIZE_UNIT] * MAX_PLAYERS + [1, 1])


def _high_seats(options: Any) -> np.ndarray:
    return np.tile([1, 1, _MOST_WAITING / SEAT_UNIT, _MOST_WAITING / SEAT_UNIT, 1, 1, 1, 1], MAX_PLAYERS)


def _high_match(options: Any) -> np.ndarray:
    return np.array([DEALS * 1100 / SCORE_UNIT] * MAX_PLAYERS + [1] * DEALS)


OBSERVATION = Layout(
    Block("hand", DECK_66, "own cards, by id, all Jokers at 52: number / 2", high=_high_cards),
    Block("composition", DECK_66, "cards of the meld being composed, by any player / 2", high=_high_cards),
    Block("staged", SPECIALS, "specials staged now, by any player / 2"),
    Block("top_discard", DECK_66, "the top of the discard pile: one-hot"),
    Block("discards", DECK_66, "all cards in the discard pile / 2", high=_high_cards),
    Block("removed", SPECIALS, "specials redealt in this deal / 2"),
    Block(
        "known",
        MAX_PLAYERS * DECK_66,
        "of each player, clockwise from the viewer, cards taken from the discard pile and not shown since / 2",
        high=_high_known,
    ),
    Block(
        "melds",
        SLOTS * MELD_CELLS,
        "of each meld: type group, run; rank of a group 2..A, Draw, Reverse, Skip; suit of a run; 14 cells: of a run its "
        "naturals ace, 2 .. King, ace (an ace in the first cell, if the run is valid with it there), of a group the naturals "
        "of each suit / 2 in the first four; Jokers / 4",
    ),
    Block("slot", SLOTS, "the meld chosen for a lay-off whose card is not: one-hot"),
    Block(
        "sizes",
        MAX_PLAYERS + 2,
        f"cards in each hand, clockwise from the viewer / {SIZE_UNIT}; in the stock / {MOST_CARDS}; discarded / {MOST_CARDS}",
        high=_high_sizes,
    ),
    Block(
        "phase",
        PHASES,
        "first upcard, draw, buy offer, play, compose, card of a lay-off, knock discard, knocker's melds, defender's lay-offs, "
        "defender's melds: one-hot",
    ),
    Block(
        "flags",
        6,
        "the order of play is clockwise; a draw decision at the wall; the player in turn has drawn; they may begin a meld this "
        "turn (not down, or melds left; gin: the phase of laying melds), have taken a discard this turn; the flag of RM-36",
    ),
    Block("turn", MAX_PLAYERS, "whose turn it is, clockwise from the viewer, in an offer who is to draw: one-hot"),
    Block(
        "seats",
        MAX_PLAYERS * SEAT_CELLS,
        "of each player, clockwise from the viewer: down, buys left / 9, pending draws / 8, pending skips / 8, turn paused; "
        "Draws, Reverses and Skips queued in their turn (RM-53) / 8",
        high=_high_seats,
    ),
    Block(
        "match",
        MAX_PLAYERS + DEALS,
        f"contract: totals, clockwise from the viewer / {SCORE_UNIT}; the deal, 1..7: one-hot",
        high=_high_match,
    ),
    Block("clock", 4, "turns begun / max_turns; recycles left / 2; turns of RM-25 / (4 n); gin: upcard draws / upcard_cap"),
    Block("gin", 2, "gin: the knock card / 10; own least deadwood / 100", high=5.0),
    Block("melded", STANDARD, "basic, gin: own cards that are in a meld of natural standard cards, by id"),
    Block("outs", STANDARD, "basic, gin: of each other own card, the unseen cards that would put it into one / 4", high=2.0),
    Block("top_melds", 1, "basic, gin: 1 if the top of the discard pile would be in one with own cards"),
)

POINT = 60  # in amounts of WIN: shares of up to six players are whole
FOR_STOCK, TO_MELD = range(2)  # amounts of CHOOSE
BLOCKED, DRAWN = range(2)  # of ROUND
_CONTRACTS = (
    "",
    "two groups",
    "a group and a run",
    "two runs",
    "three groups",
    "two groups and a run",
    "a group and two runs",
    "three runs",
)


def _points(amount: int, options: Any) -> str:
    return f"{amount / POINT:g}"


EVENTS = (
    *EXTENDED_EVENTS,
    EventKind(events.CONTRACT, "contract: a deal begins; which of the seven (RM-42)", "the contract is {amount}",
              words=_CONTRACTS),
    EventKind(events.TURN_UP, "the first upcard, or one of two (RM-02, RM-03)", "{cards} is turned up"),
    EventKind(events.SET_ASIDE, "a special that was turned up is replaced (RM-03)", "{cards} is turned up and redealt"),
    EventKind(events.CHOOSE, "contract: 0 the stock, not the discard, which others may buy now (RM-47); 1 a meld, or the "
              "contract, is begun", "{player} {amount}", words=("asks for the stock", "begins to meld")),
    EventKind(events.COLLECT, "the discard is taken, or bought (RM-21, RM-47); it lay face up",
              "{player} takes the discard {cards}"),
    EventKind(events.PASS, "an offer is declined (RM-30, RM-47), the hand ended at the wall (RM-38), or no more melded or laid "
              "off (RM-33, RM-35)", "{player} passes"),
    EventKind(events.SELECT, "a card is added to the meld that is begun; all see it", "{player} adds {cards}"),
    EventKind(events.MELD, "the cards added are laid: 0 as a group, 1 as a run (RM-10, RM-11)", "{player} melds {amount}",
              words=("a group", "a run")),
    EventKind(events.DECLARE, "on which meld a card will be laid off, as it lies; the amount is its number as in the actions "
              "(RM-20)", "{player} chooses the meld {cards}"),
    EventKind(events.LAY_OFF, "a card is laid on that meld", "{player} lays off {cards}"),
    EventKind(events.DISCARD, "a card goes face up on the discard pile (RM-21, RM-32)", "{player} discards {cards}"),
    EventKind(events.KNOCK, "a player knocks (RM-32)", "{player} knocks"),
    EventKind(events.OUT, "a hand is empty (RM-27, RM-48)", "{player} goes out"),
    EventKind(events.ROUND, "nobody goes out: 0 the deal is blocked (RM-25), 1 it is a draw (RM-36, RM-38, RM-39)",
              "the deal is {amount}", words=("blocked", "a draw")),
    EventKind(events.SCORE, "what the cards left in a hand count as a deal ends, twice that for RM-28 (RM-60 to RM-63)",
              "{player}'s hand counts {amount}"),
    EventKind(events.WIN, f"basic, gin: the points that a player wins, in parts of which {POINT} are one (RM-28, RM-29, RM-40)",
              "{player} wins {amount}", words=_points),
    EventKind(events.RANKED, "contract: the total of a player, the lowest the best (RM-48)", "{player} has {amount} in all"),
)  # fmt: skip
