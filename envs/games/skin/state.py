"""Options, record, actions and observation of Skin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import events
from ...core import options as opt
from ...core.cards import RANK_TEXT, RANKS, STANDARD
from ...core.events import EventKind
from ...core.fields import Field, last_seat
from ...core.layout import Block, Layout

MAX_PLAYERS = 8
DECK = STANDARD
LEVELS = 8
MOST_CHIPS = 1_000_000
CREDIT_UNIT = 100  # chips are observed in units of the first stack; on credit, of so many times max_bid
PLACEMENTS = DECK // 2  # cards that can come onto the table in a hand: of the four of a rank, each needs another to fall
NOBODY = NO_CARD = -1
CARD_LOST, BROKE = range(2)  # how a player is out

# Decisions. TURN is not a decision: the banker turns the next card.
OFFER, STAKE, BANK, SIDE_TARGET, SIDE_AMOUNT, SIDE_REPLY, CENTRAL, BANK_NEW, BETWEEN, TURN = range(10)
PHASES = 9
# The banker has had no card yet; turns one now; has one; has lost one and waits for another; has lost one and only reveals.
NONE_YET, DRAWS, HOLDS, WAITS, REVEALS = range(5)


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of Skin."""

    num_players: int = opt.integer(6, 2, MAX_PLAYERS, "number of players")
    hands: int = opt.integer("num_players", 1, 200, "hands in an episode (SK-55)", tried=(1, 12))
    stack: int = opt.integer(100, 0, MOST_CHIPS, "chips of each player at the start; 0: credit without limit (SK-09)")
    min_bid: int = opt.integer(1, 1, MOST_CHIPS, "smallest bet, in chips (SK-03)")
    max_bid: int = opt.integer(8, 1, MOST_CHIPS, "largest proposal, in chips; at least min_bid (SK-03)")
    side_bets: bool = opt.flag(True, "players may bet with one another (SK-25)")
    take_central: bool = opt.flag(True, "a player who has lost may take a central card (SK-32)")
    bank_new_card: bool = opt.flag(True, "a banker who has lost may take another card (SK-34)")
    cash_out: bool = opt.flag(False, "players may leave and come back between hands (SK-53)")
    first_banker: Any = opt.seat("random", "banker of the first hand (SK-04)")
    dead_on_fall: bool = opt.flag(True, "the rank of a live card that was matched is dead (SK-43)")
    reward: str = opt.one_of(
        "chips", ("chips", "odds"), "chips won, at the end, or at each bet what it is worth by the odds", stored_as="by_odds"
    )

    def validate(self) -> None:
        if self.max_bid < self.min_bid:
            raise ValueError(
                f"option max_bid={self.max_bid!r} is not allowed with min_bid={self.min_bid!r}; "
                f"allowed: {self.min_bid}..{MOST_CHIPS}"
            )


def _most_chips(options: Options) -> int:
    return options.num_players * options.stack if options.stack else most_at_risk(options) * options.max_bid


def _least_chips(options: Options) -> int:
    return 0 if options.stack else -_most_chips(options)


# A rank lies in one place: before a player or the banker (a live card), in the centre, among the dead, or nowhere (fresh).
# Cards are kept by rank, for the card meant is the last one turned of its rank; turned are the first cards of the deck. The
# banker's half of a main bet equals the player's, so only this is kept. A hand's number in the episode is `deals`.
FIELDS = [
    Field("hands", "u1"),
    Field("stack", "u4"),
    Field("min_bid", "u4"),
    Field("max_bid", "u4"),
    Field("side_bets", "u1"),
    Field("take_central", "u1"),
    Field("bank_new_card", "u1"),
    Field("cash_out", "u1"),
    Field("first_banker", "i1"),
    Field("dead_on_fall", "u1"),
    Field("by_odds", "u1"),
    Field("chips", "i8", (MAX_PLAYERS,), low=_least_chips, high=_most_chips),  # negative only on credit
    # Each player's stake against the banker.
    Field("main", "i4", (MAX_PLAYERS,), high=lambda options: PLACEMENTS * options.max_bid),
    # Each one's stake in the bet between two players; symmetric.
    Field("side", "i4", (MAX_PLAYERS, MAX_PLAYERS), high=lambda options: 2 * PLACEMENTS * options.max_bid),
    Field("in_game", "u1", (MAX_PLAYERS,), high=1),
    Field("card", "i1", (MAX_PLAYERS,), low=NO_CARD, high=RANKS - 1),  # rank of the live card by seat, the banker's too
    Field("central", "u1", (RANKS,), high=1),
    Field("dead", "u1", (RANKS,), high=1),
    Field("turned", "u1", high=DECK),  # cards turned in this hand
    Field("phase", "u1", high=PHASES - 1),
    Field("banker", "i1", high=last_seat),
    Field("bank", "u1", high=REVEALS),  # NONE_YET .. REVEALS
    Field("last_receiver", "i1", low=NOBODY, high=last_seat),  # the player who last received a card in this hand
    Field("settled", "u1", high=1),  # a bet was settled in this hand
    Field("bettor", "i1", low=NOBODY, high=last_seat),  # whose occasion to bet it is
    Field("rebid", "u1", high=1),  # one of a round of bets against the banker's new card (SK-35)
    Field("asked", "u1", (MAX_PLAYERS,), high=1),  # whom the bettor has asked for a side bet on this occasion
    Field("target", "i1", low=NOBODY, high=last_seat),  # whom they ask now
    Field("proposal", "u1", high=LEVELS),  # the level that waits for an answer
]

ACTIONS = Layout(
    Block("no", 1, "pass, no stake, done with side bets, accept none, no central card, or just reveal"),
    Block("yes", 1, "accept the card offered, or a new card for the bank"),
    Block("level", LEVELS, "stake, bet, propose or accept the chips of level 1..8 (SK-08)"),
    Block(
        "target",
        MAX_PLAYERS,
        "propose a side bet to the player 0..7 seats clockwise (0, oneself, never)",
        label="side bet with player_{seat}",
        parts={"seat": range(MAX_PLAYERS)},
    ),
    Block("central", RANKS, "take the central card of rank 2..A", label="take the central {rank}"),
    Block(
        "between",
        4,
        "between hands: stay, leave, join, stay out",
        label="{choice}",
        parts={"choice": ("stay", "leave", "join", "stay out")},
    ),
)
NO_AT, YES_AT, LEVEL_AT, TARGET_AT, CENTRAL_AT, BETWEEN_AT = (int(ACTIONS.at(block.name)[0]) for block in ACTIONS.blocks)
STAY_AT, _, JOIN_AT, _ = range(BETWEEN_AT, BETWEEN_AT + 4)
# Entries of a seat in the block `seats`.
IN_GAME, IS_BANKER, LIVE, MAIN, CHIPS, RECEIVED_LAST, ASKED = 0, 1, 2, RANKS + 2, RANKS + 3, RANKS + 4, RANKS + 5
SEAT = RANKS + 6


def most_at_risk(options: Options) -> int:
    """On credit, the most that a player can lose or win, in max_bid. They risk at most max_bid in each bet agreed: in a hand,
    on at most as many occasions of each player as cards come onto the table, a main bet and two side bets with each other."""
    return options.hands * PLACEMENTS * (1 + 2 * (options.num_players - 2))


def _most_bet(options: Options, occasions: int) -> float:
    """The most that one bet can grow to in a hand, in max_bid: two sides put up the same, so half of all chips."""
    chips = options.num_players * options.stack / (2 * options.max_bid)
    return min(occasions, chips) if options.stack else occasions


def _seat_low(options: Options) -> np.ndarray:
    low = np.zeros(SEAT)
    low[CHIPS] = 0 if options.stack else -most_at_risk(options) / CREDIT_UNIT
    return np.tile(low, MAX_PLAYERS)


def _seat_high(options: Options) -> np.ndarray:
    high = np.ones(SEAT)
    high[MAIN] = _most_bet(options, PLACEMENTS)
    high[CHIPS] = options.num_players if options.stack else most_at_risk(options) / CREDIT_UNIT
    return np.tile(high, MAX_PLAYERS)


OBSERVATION = Layout(
    Block(
        "phase",
        PHASES,
        "one-hot: offer, stake, bank, side target, side amount, side reply, central, new card for the bank, between hands",
    ),
    Block(
        "seats",
        MAX_PLAYERS * SEAT,
        "8 players clockwise from the viewer, 19 entries each, zero for absent ones: in the game; banker; live card, one-hot "
        "by rank (the banker's too); main bet / max_bid; chips / stack (on credit / 100 max_bid); received a card last; "
        "already asked for a side bet on this occasion. Main bets are at most 26 max_bid and half of all chips, "
        "chips at most all there are (on credit, what may be lost or won in all hands)",
        low=_seat_low,
        high=_seat_high,
    ),
    Block(
        "side_bets",
        MAX_PLAYERS * MAX_PLAYERS,
        "side bet between the players i and j, clockwise from the viewer, at 8 i + j, symmetric: chips / max_bid, at most 52 "
        "max_bid and half of all chips",
        high=lambda options: _most_bet(options, 2 * PLACEMENTS),
    ),
    Block("bank_card", RANKS, "the banker's card: one-hot by rank"),
    Block(
        "bank_state",
        3,
        "the banker without a card: none yet; lost one and waits (or chooses); lost one and only reveals",
    ),
    Block("central", RANKS, "1 for each rank that is central"),
    Block("dead", RANKS, "1 for each rank that is dead"),
    Block("seen", RANKS, "cards of each rank turned in this hand / 4"),
    Block("offered", RANKS, "rank of the card offered: one-hot"),
    Block("proposal", LEVELS, "level that waits for an answer: one-hot"),
    Block("partner", MAX_PLAYERS, "who proposed it, or whom a side bet is for, clockwise from the viewer: one-hot"),
    Block("counts", 3, "cards left in the stock / 52; hands to come after this one / hands; 1 if this is a rebid (SK-35)"),
)


def _result_in_words(chips: int, options: Options) -> str:
    plural = "" if abs(chips) == 1 else "s"
    return f"{'wins' if chips > 0 else 'loses'} {abs(chips)} chip{plural}" if chips else "ends even"


EVENTS = (
    EventKind(events.BANK, "a hand begins with this banker (SK-04, SK-05)", "{player} is the banker"),
    EventKind(events.TURN_UP, "the banker turns the next card of the stock (SK-10, SK-30)", "{player} turns {cards}"),
    EventKind(events.DRAW, "a player accepts the card (SK-11), or it is the banker's (SK-15, SK-35)", "{player} takes {cards}"),
    EventKind(events.SET_ASIDE, "the card becomes central (SK-13, SK-37, SK-38)", "{cards} becomes central"),
    EventKind(events.DISCARD, "the card is of a dead rank, or matches a central card, which goes with it (SK-40, SK-42)",
              "{cards} is discarded: its rank is dead"),
    EventKind(events.OUT, "a player's live card is matched (SK-16, SK-31, SK-33), or they are broke (SK-54)",
              "{player} {amount}", words=("loses their card", "is broke and out for good")),
    EventKind(events.PASS, "what a player declines; the amount is the kind of decision", "{player} {amount}",
              words=("passes", "stakes nothing", "", "makes no more side bets", "", "accepts no side bet",
                     "takes no central card", "reveals without an offer")),
    EventKind(events.BID, "the most that a player will bet with the banker, or proposes as a side bet (SK-20, SK-26)",
              "{player} proposes {amount} chip{s}"),
    EventKind(events.ASK, "a side bet is proposed (SK-25)", "{player} asks {other} for a side bet"),
    EventKind(events.BET, "a bet with the banker, or a side bet; both lay out this many chips (SK-22, SK-27)",
              "{player} bets {amount} chip{s} with {other}"),
    EventKind(events.PAY, "what the loser of a bet laid out goes to the winner (SK-31, SK-33)",
              "{player} pays {amount} chip{s} to {other}"),
    EventKind(events.COLLECT, "a central card becomes the player's live card; the amount is its rank, 0..12 (SK-32)",
              "{player} takes the central {amount}", words=RANK_TEXT),
    EventKind(events.DECLARE, "a banker who has lost their card wants the next fresh one (SK-34)",
              "{player} will take another card"),
    EventKind(events.CHOOSE, "what a player does between hands (SK-53)", "{player} {amount}",
              words=("stays", "leaves", "joins", "stays out")),
    EventKind(events.SCORE, "chips won or lost in the episode (SK-01)", "{player} {amount}", words=_result_in_words),
)  # fmt: skip
