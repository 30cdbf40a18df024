"""Options, record, actions and observation of Skin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core import options as opt
from ...core.cards import RANKS, STANDARD
from ...core.game import record_dtype
from ...core.layout import Block, Layout

MAX_PLAYERS = 8
DECK = STANDARD
LEVELS = 8
MOST_CHIPS = 1_000_000
CREDIT_UNIT = 100  # chips are observed in units of the first stack; on credit, of so many times max_bid
NOBODY = NO_CARD = -1

# What is to be decided. TURN is no decision: the banker turns the next card.
OFFER, STAKE, BANK, SIDE_TARGET, SIDE_AMOUNT, SIDE_REPLY, CENTRAL, BANK_NEW, BETWEEN, TURN = range(10)
PHASES = 9
# The banker has had no card yet; turns one now; has one; has lost one and waits for another; has lost one and only reveals.
NONE_YET, DRAWS, HOLDS, WAITS, REVEALS = range(5)


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of Skin."""

    num_players: int = opt.integer(6, 2, MAX_PLAYERS, "number of players")
    hands: int = opt.integer("num_players", 1, 200, "hands in an episode (SK-55)")
    stack: int = opt.integer(100, 0, MOST_CHIPS, "chips of each player at the start; 0: credit without limit (SK-09)")
    min_bid: int = opt.integer(1, 1, MOST_CHIPS, "least chips of any bet (SK-03)")
    max_bid: int = opt.integer(8, 1, MOST_CHIPS, "most chips of one proposal, at least min_bid (SK-03)")
    side_bets: bool = opt.flag(True, "players may bet with one another (SK-25)")
    take_central: bool = opt.flag(True, "who has lost may take a central card (SK-32)")
    bank_new_card: bool = opt.flag(True, "a banker who has lost may take another card (SK-34)")
    cash_out: bool = opt.flag(False, "players may leave and come back between hands (SK-53)")
    first_banker: Any = opt.seat("random", "banker of the first hand (SK-04)")
    dead_on_fall: bool = opt.flag(True, "the rank of a live card that was matched is dead (SK-43)")

    def check(self) -> None:
        if self.max_bid < self.min_bid:
            raise ValueError(
                f"option max_bid={self.max_bid!r} is not allowed with min_bid={self.min_bid!r}; "
                f"allowed: {self.min_bid}..{MOST_CHIPS}"
            )


# A rank lies in one place: before a player or the banker (a live card), in the centre, among the dead, or nowhere (fresh).
# Cards are kept by rank, for the card meant is the last one turned of its rank; turned are the first cards of the deck. The
# banker's half of a main bet equals the player's, so only this is kept. A hand's number in the episode is `deals`.
STATE = record_dtype(
    MAX_PLAYERS,
    DECK,
    [
        ("hands", "u1"),
        ("stack", "u4"),
        ("min_bid", "u4"),
        ("max_bid", "u4"),
        ("side_bets", "u1"),
        ("take_central", "u1"),
        ("bank_new_card", "u1"),
        ("cash_out", "u1"),
        ("first_banker", "i1"),
        ("dead_on_fall", "u1"),
        ("chips", "i8", (MAX_PLAYERS,)),  # negative only on credit
        ("main", "i4", (MAX_PLAYERS,)),  # each player's stake against the banker
        ("side", "i4", (MAX_PLAYERS, MAX_PLAYERS)),  # each one's stake in the bet between two players; symmetric
        ("in_game", "u1", (MAX_PLAYERS,)),
        ("card", "i1", (MAX_PLAYERS,)),  # rank of the live card by seat, the banker's too
        ("central", "u1", (RANKS,)),
        ("dead", "u1", (RANKS,)),
        ("turned", "u1"),  # cards turned in this hand
        ("phase", "u1"),
        ("banker", "i1"),
        ("bank", "u1"),  # NONE_YET .. REVEALS
        ("last_receiver", "i1"),  # the player who last received a card in this hand
        ("settled", "u1"),  # a bet was settled in this hand
        ("bettor", "i1"),  # whose occasion to bet it is
        ("rebid", "u1"),  # one of a round of bets against the banker's new card (SK-35)
        ("asked", "u1", (MAX_PLAYERS,)),  # whom the bettor has asked for a side bet on this occasion
        ("target", "i1"),  # whom he asks now
        ("proposal", "u1"),  # the level that waits for an answer
    ],
)

ACTIONS = Layout(
    Block("no", 1, "pass, no stake, done with side bets, accept none, no central card, or just reveal"),
    Block("yes", 1, "accept the card offered, or a new card for the bank"),
    Block("level", LEVELS, "stake, bet, propose or accept the chips of level 1..8 (SK-08)"),
    Block("target", MAX_PLAYERS, "propose a side bet to the player 0..7 seats clockwise (0, oneself, never)"),
    Block("central", RANKS, "take the central card of rank 2..A"),
    Block("between", 4, "between hands: stay, leave, join, stay out"),
)
# Entries of a seat in the block `seats`.
IN_GAME, IS_BANKER, LIVE, MAIN, CHIPS, RECEIVED_LAST, ASKED = 0, 1, 2, RANKS + 2, RANKS + 3, RANKS + 4, RANKS + 5
SEAT = RANKS + 6

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
        "already asked for a side bet on this occasion",
    ),
    Block(
        "side_bets",
        MAX_PLAYERS * MAX_PLAYERS,
        "side bet between the players i and j, clockwise from the viewer, at 8 i + j, symmetric: chips / max_bid",
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
