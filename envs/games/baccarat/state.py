"""Options, record and actions of baccarat. The observation is still to come (see the specification, BA-..)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core import options as opt
from ...core.cards import DECK_66
from ...core.extended.sets import SPECIALS
from ...core.extended.shoe import SHOE, copies, decks_option, shoe_fields
from ...core.extended.state import NOBODY, deck_option
from ...core.fields import Field, all_seats, last_seat
from ...core.game import record_dtype
from ...core.layout import Block, Layout

MAX_PLAYERS = 9
LEVELS = 8
HUNDREDTHS = 100  # of a chip, in which all chips are kept

PUNTO, CHEMIN, BANQUE = range(3)  # variant
CUSTOM, FREE_RULE = range(2)  # punter_rule
FREE_BANKER, BY_TABLEAU = range(2)  # banker_rule

BETTING, OFFERING, KEEPING, TURN = range(4)  # phases
# Places in the order of play. Only banque has L; a place without a hand is out.
P, L, B = range(3)
PLACES = 3
ON_P, ON_B, ON_TIE = 1, 2, 3  # side of a bet: P or R; B or L; a tie, or a cheval

_DECKS = (8, 6, 3)
_COUPS = (24, 12, 12)
_LEAST_PLAYERS = (1, 2, 3)
BY_VARIANT = 0


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of baccarat."""

    num_players: int = opt.integer(4, 1, MAX_PLAYERS, "number of players; chemin_de_fer from 2 on, banque from 3")
    variant: str = opt.one_of(
        "chemin_de_fer",
        ("punto_banco", "chemin_de_fer", "banque"),
        "against the house; one banker; a banker against two tableaux",
    )
    deck: str = deck_option()
    num_decks: int = decks_option(6)
    coups: int = opt.integer(12, 1, 200, "coups in an episode")
    stack: int = opt.integer(100, 0, 10_000, "chips of each player; 0: credit without limit (punto_banco)")
    first_banker: Any = opt.seat("random", "the seat first asked for the bank (BA-20, BA-30)")
    min_bet: int = opt.integer(1, 1, 1000, "chips of the lowest level")
    max_bet: int = opt.integer(8, 1, 1000, "chips of the highest level, and the unit of the bank")
    commission: int = opt.integer(0, 0, 10, "percent kept by the house from a win on B, or from the bank's gain of a coup")
    tie_pays: int = opt.one_of(8, (8, 9), "a bet on a tie pays so many to one")
    punter_rule: str = opt.one_of("custom", ("custom", "free"), "custom: draw on 0-4, stand on 6-7 (BA-25)")
    banker_rule: str = opt.one_of("free", ("free", "tableau"), "chemin_de_fer: the banker is free, or goes by the tableau")
    a_cheval: bool = opt.flag(True, "banque: bets may be divided between the tableaux (BA-32)")
    must_bet: bool = opt.flag(True, "chemin_de_fer, banque: who can bet must (BA-20, BA-22, BA-30)")
    cut: int = opt.integer(16, 16, 60, "a coup that would begin with fewer cards is dealt from a new shoe")
    burn: bool = opt.flag(False, "of a new shoe a card is turned, and as many burned as it counts")

    def settle(self) -> None:
        least = _LEAST_PLAYERS[self.stored()["variant"]]
        if self.num_players < least:
            raise ValueError(f"option num_players={self.num_players} is not allowed in {self.variant}; allowed: {least}..9")
        if self.max_bet < self.min_bet:
            raise ValueError(
                f"option max_bet={self.max_bet} is not allowed with min_bet={self.min_bet}; allowed: {self.min_bet}..1000"
            )
        if self.variant != "punto_banco" and self.stack < self.max_bet:
            raise ValueError(
                f"option stack={self.stack} is not allowed in {self.variant}; allowed: {self.max_bet}..10000 (max_bet)"
            )


def _all_chips(options: Options) -> int:
    return max(options.stack, options.coups * 9 * options.max_bet) * 9 * HUNDREDTHS


FIELDS = [
    *shoe_fields(),
    Field("variant", "u1"),
    Field("coups", "u1"),
    Field("stack", "u2"),
    Field("first_banker", "i1"),
    Field("min_bet", "u2"),
    Field("max_bet", "u2"),
    Field("commission", "u1"),
    Field("tie_pays", "u1"),
    Field("punter_rule", "u1"),
    Field("banker_rule", "u1"),
    Field("a_cheval", "u1"),
    Field("must_bet", "u1"),
    Field("cut", "u1"),
    Field("burn", "u1"),
    Field("coup", "u1", high=lambda options: options.coups),  # of the episode, from 1 on
    Field("phase", "u1", high=TURN),
    Field("chips", "i8", (MAX_PLAYERS,), low=lambda options: -_all_chips(options), high=_all_chips),  # in hundredths
    Field("due", "i1", high=last_seat),  # who is asked for the bank first
    Field("banker", "i1", low=NOBODY, high=last_seat),  # in an auction the highest bidder
    Field("bank", "i8", high=_all_chips),  # in hundredths; in an auction the highest bid
    Field("asked", "u2", bits=all_seats),  # who has had his chance to bet, or to take the bank
    Field("bet", "i8", (MAX_PLAYERS, 2), high=_all_chips),  # in hundredths, on P or R, and on B or L
    Field("side", "u1", (MAX_PLAYERS,), high=ON_TIE),
    Field("holder", "i1", (PLACES,), low=NOBODY, high=last_seat),
    Field("right", "i1", (2,), low=NOBODY, high=last_seat),  # banque: at whom the search for a holder starts (BA-33)
    Field("hand", "u1", (PLACES, DECK_66), high=copies),
    Field("shown", "u1", (PLACES, DECK_66), high=copies),  # of these, the cards that lie face up
    Field("staged", "u1", (SPECIALS,), high=copies),  # of the hand in turn
    Field("redealt", "u1", (PLACES, 3), high=32),  # Draws, Reverses, Skips of each hand in this coup
    Field("turn", "i1", low=NOBODY, high=PLACES - 1),
    Field("begun", "u1", bits=7),
    Field("out", "u1", bits=7),
    Field("drew", "u1", bits=7),
    Field("stood", "u1", bits=7),  # by rule or by choice, not by a Skip
    Field("value", "u1", (PLACES,), high=9),  # t (BA-53)
    Field("burned", "u1", (DECK_66,), high=copies),  # unseen
]
STATE = record_dtype(MAX_PLAYERS, SHOE, FIELDS)

ACTIONS = Layout(
    Block("nothing", 1, "no bet, or refuse the bank"),
    Block("bet", LEVELS, "punto_banco: on P; chemin_de_fer: so many eighths of the bank, 8 BANCO; banque: on the own tableau"),
    Block("second", LEVELS, "punto_banco: on B; banque: a cheval"),
    Block("tie", LEVELS, "punto_banco: on a tie"),
    Block("bank", LEVELS, "take, or bid for, the bank with level times max_bet"),
    Block("keep", 2, "keep the bank, or pass it on"),
    Block("draw", 1, "draw a card"),
    Block("stand", 1, "stand"),
    Block("reveal", SPECIALS, "stage a special of the own hand: Dr-c Dr-d Dr-h Dr-s Rv-c ... Sk-s"),
    Block("commit", 1, "redeal the staged specials"),
)
NOTHING, BET, SECOND, TIE, BANK, KEEP, DRAW, STAND, REVEAL, COMMIT = (
    ACTIONS.slices(1)[block.name].start for block in ACTIONS.blocks
)
PASS = KEEP + 1
