"""Options, record, actions and observation of baccarat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import events
from ...core import options as opt
from ...core.cards import DECK_66
from ...core.events import EventKind
from ...core.extended.events import EXTENDED_EVENTS
from ...core.extended.sets import SPECIALS
from ...core.extended.shoe import DEALER, SHOE_EVENTS, copies, decks_option, shoe_fields
from ...core.extended.state import NOBODY, deck_option
from ...core.extended.view import REVEAL_ACTIONS
from ...core.fields import Field, all_seats, last_seat
from ...core.layout import Block, Layout

MAX_PLAYERS = 9
LEVELS = 8
HUNDREDTHS = 100  # of a chip, in which all chips are kept
PERCENT = 100  # parts in which the commission is kept

PUNTO, CHEMIN, BANQUE = range(3)  # variant
CUSTOM, FREE_RULE = range(2)  # punter_rule
FREE_BANKER, BY_TABLEAU = range(2)  # banker_rule

BETTING, OFFERING, KEEPING, TURN = range(4)  # phases
# Places in the order of play: P, in banque R; L, which only banque has; B. A place without a hand is out.
P, L, B = range(3)
PLACES = 3
ON_P, ON_B, ON_TIE = 1, 2, 3  # side of a bet: P or R; B or L; a tie, or a cheval
# Public knowledge about the face-down cards of a hand, as bits: the possible totals 0..9 without specials among them, and the
# last bit, if a special may be among them.
ANY_HAND = (1 << 11) - 1
HAS_SPECIAL = 10
NO_NATURAL = ANY_HAND & ~(1 << 8 | 1 << 9)

_DECKS = (8, 6, 3)  # by variant
_COUPS = (24, 12, 12)
_COMMISSION = (0.05, 0.0, 0.0)
_LEAST_PLAYERS = (1, 2, 3)


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of baccarat."""

    num_players: int = opt.integer(4, 1, MAX_PLAYERS, "number of players; chemin_de_fer from 2 on, banque from 3")
    variant: str = opt.one_of(
        "chemin_de_fer",
        ("punto_banco", "chemin_de_fer", "banque"),
        "players against the house, who only bet; one banker; a banker against two tableaux",
    )
    deck: str = deck_option()
    decks: int | None = decks_option(None, "; none: 8 in punto_banco, 6 in chemin_de_fer, 3 in banque")
    coups: int | None = opt.integer(None, 1, 200, "coups in an episode; none: 24 in punto_banco, else 12", none=0)
    stack: int = opt.integer(
        100, 0, 10_000, "chips of each player; at least min_bet in punto_banco, where 0 is credit without limit, else max_bet"
    )
    first_banker: Any = opt.seat("random", "the seat first asked for the bank (BA-20, BA-30)")
    min_bet: int = opt.integer(1, 1, 1000, "chips of the lowest level")
    max_bet: int = opt.integer(8, 1, 1000, "chips of the highest level, and the unit of the bank; at least min_bet")
    commission: float | None = opt.fraction(
        None,
        0.1,
        PERCENT,
        "kept by the house from a win on B, in the other forms from the bank's net gain of a coup, rounded down to 1/100 chip; "
        "none: 0.05 in punto_banco, else 0",
    )
    tie_pays: int = opt.one_of(8, (8, 9), "a bet on a tie pays this many to one (BA-15)")
    punter_rule: str = opt.one_of("custom", ("custom", "free"), "custom: punters draw on 0-4 and stand on 6-7 (BA-25)")
    banker_rule: str = opt.one_of(
        "free", ("free", "tableau"), "chemin_de_fer: the banker is free, or plays by the tableau (BA-14)"
    )
    a_cheval: bool = opt.flag(True, "banque: bets may be divided between the tableaux (BA-32)")
    must_bet: bool = opt.flag(
        True, "chemin_de_fer, banque: players who can bet must, and somebody must take the bank (BA-20, BA-22, BA-30, BA-32)"
    )
    cut: int = opt.integer(16, 16, 60, "a new shoe is shuffled before a coup that would begin with fewer cards")
    burn: bool = opt.flag(
        False, "a card of a new shoe is turned up, and as many as it counts (10 for a face card or Joker) are burned unseen"
    )

    def validate(self) -> None:
        variant = _variant(self)
        for name, values in (("decks", _DECKS), ("coups", _COUPS), ("commission", _COMMISSION)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, values[variant])
        if self.num_players < _LEAST_PLAYERS[variant]:
            self._refuse("num_players", f"in {self.variant}", f"{_LEAST_PLAYERS[variant]}..{MAX_PLAYERS}")
        if self.max_bet < self.min_bet:
            self._refuse("max_bet", f"with min_bet={self.min_bet}", f"{self.min_bet}..1000")
        least = self.min_bet if variant == PUNTO else self.max_bet
        if self.stack < least and (variant != PUNTO or self.stack > 0):
            self._refuse("stack", f"in {self.variant} with such bets", f"{'0, ' * (variant == PUNTO)}{least}..10000")

    def _refuse(self, name: str, where: str, allowed: str) -> None:
        raise ValueError(f"option {name}={getattr(self, name)!r} is not allowed {where}; allowed: {allowed}")

    @classmethod
    def samples(cls) -> list[Options]:
        """All numbers of players, and each variant with all its rules; short stacks, shoes of one deck."""
        return [
            cls(),
            cls(variant="punto_banco"),
            cls(variant="banque"),
            cls(num_players=1, variant="punto_banco", deck="standard", decks=1, stack=0, tie_pays=9, cut=60),
            cls(num_players=2, deck="standard", banker_rule="tableau", decks=1, burn=True, stack=20),
            cls(num_players=3, variant="banque", decks=1, punter_rule="free", must_bet=False, first_banker=0),
            cls(num_players=5, decks=1, punter_rule="free", banker_rule="tableau", commission=0.03, must_bet=False),
            cls(
                num_players=6,
                variant="banque",
                decks=1,
                a_cheval=False,
                commission=0.1,
                stack=30,
                min_bet=3,
                first_banker=5,
            ),
            cls(num_players=7, variant="punto_banco", decks=2, stack=9, min_bet=5, coups=40, commission=0.01),
            cls(num_players=8, decks=8, coups=30, stack=10_000, min_bet=10, max_bet=1000, commission=0.05),
            cls(num_players=9, variant="banque", decks=2, coups=30, stack=20, max_bet=2, cut=40, burn=True),
        ]


def all_chips(options: Options) -> int:
    """The most chips that can be on the table, or that one player can have won or lost."""
    if options.variant != "punto_banco":
        return options.num_players * options.stack
    return options.stack + most_won(options)


def most_won(options: Options) -> int:
    """The most chips that a player can win in punto banco."""
    return int(options.coups or 0) * options.tie_pays * options.max_bet


def _most(options: Options) -> int:
    return all_chips(options) * HUNDREDTHS


def _least(options: Options) -> int:
    return 0 if options.stack else -int(options.coups or 0) * options.max_bet * HUNDREDTHS


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
    Field("coup", "u1", low=1, high=lambda options: options.coups),  # of the episode
    Field("phase", "u1", high=TURN),
    Field("chips", "i8", (MAX_PLAYERS,), low=_least, high=_most),  # in hundredths
    Field("due", "i1", high=last_seat),  # the first player asked for the bank
    Field("banker", "i1", low=NOBODY, high=last_seat),  # in an auction, the highest bidder
    Field("bank", "i8", high=_most),  # in hundredths; in an auction, the highest bid
    Field("asked", "u2", bits=all_seats),  # players who had their chance to take the bank, or to bet
    Field("bet", "i8", (MAX_PLAYERS, 2), high=_most),  # in hundredths, on P or R, and on L; in punto banco only the first
    Field("side", "u1", (MAX_PLAYERS,), high=ON_TIE),
    Field("holder", "i1", (PLACES,), low=NOBODY, high=last_seat),
    Field("right", "i1", (2,), low=NOBODY, high=last_seat),  # banque: where the search for a holder starts (BA-33)
    Field("hand", "u1", (PLACES, DECK_66), high=copies),
    Field("shown", "u1", (PLACES, DECK_66), high=copies),  # of these, the face-up cards
    Field("staged", "u1", (SPECIALS,), high=copies),  # of the hand in turn
    Field("redealt", "u1", (PLACES, 3), high=lambda options: 4 * options.decks),  # Draws, Reverses, Skips of each hand
    Field("turn", "i1", low=NOBODY, high=PLACES - 1),
    Field("begun", "u1", bits=(1 << PLACES) - 1),
    Field("out", "u1", bits=(1 << PLACES) - 1),  # hands whose turn is over
    Field("drew", "u1", bits=(1 << PLACES) - 1),
    Field("stood", "u1", bits=(1 << PLACES) - 1),  # by rule or by choice, but not by a Skip
    Field("value", "u1", (PLACES,), high=9),  # t (BA-53)
    Field("possible", "u2", (PLACES,), bits=ANY_HAND),  # public knowledge about face-down cards
    Field("burned", "u1", (DECK_66,), high=copies),  # unseen
    Field("last", "i1", (PLACES,), low=NOBODY, high=9),  # totals of the last coup with cards
]

ACTIONS = Layout(
    Block("nothing", 1, "no bet, or refuse the bank"),
    Block(
        "bet", LEVELS, "punto_banco: on P; chemin_de_fer: this many eighths of the bank, 8 BANCO; banque: on one's own tableau"
    ),
    Block("second", LEVELS, "punto_banco: on B; banque: a cheval"),
    Block("tie", LEVELS, "punto_banco: on a tie"),
    Block("bank", LEVELS, "take, or bid for, the bank with level times max_bet"),
    Block(
        "keep",
        2,
        "keep the bank, or pass it on",
        label="{choice}",
        parts={"choice": ("keep the bank", "pass the bank on")},
    ),
    Block("draw", 1, "draw a card"),
    Block("stand", 1, "stand on what the hand has"),
    *REVEAL_ACTIONS,
)
NOTHING, BET, SECOND, TIE, BANK, KEEP, DRAW, STAND, REVEAL, COMMIT = ACTIONS.places(
    *(block.name for block in ACTIONS.blocks), num_players=1
)
PASS = KEEP + 1

PLACE_TEXT = {PUNTO: ("P", "", "B"), CHEMIN: ("P", "", "B"), BANQUE: ("R", "L", "B")}
SIDE_TEXT = {PUNTO: {ON_P: "P", ON_B: "B", ON_TIE: "a tie"}, BANQUE: {ON_P: "R", ON_B: "L", ON_TIE: "both"}}
_VARIANTS = ("punto_banco", "chemin_de_fer", "banque")


def _variant(options: Options) -> int:
    return _VARIANTS.index(options.variant)


def chips_of(hundredths: Any) -> float:
    return int(hundredths) / HUNDREDTHS


def chips_text(hundredths: Any) -> str:
    return f"{chips_of(hundredths):.2f}".rstrip("0").rstrip(".")


def _chip_words(amount: int, options: Options) -> str:
    return chips_text(amount)


def _pay_words(amount: int, options: Options) -> str:
    return f"{'wins' if amount > 0 else 'loses'} {chips_text(abs(amount))}" if amount else "gets the bet back"


def _bid_words(amount: int, options: Options) -> str:
    return f"{'takes the bank with' if _variant(options) == CHEMIN else 'bids'} {chips_text(amount)}"


def _bank_words(amount: int, options: Options) -> str:
    return f"has a bank of {chips_text(amount)}" if amount else "no longer has the bank"


def _side_words(side: int, options: Options) -> str:
    return SIDE_TEXT[_variant(options)][side]


def _hand_words(place: int, options: Options) -> str:
    return f"hand {PLACE_TEXT[_variant(options)][place]}"


TAKES_BANK, DRAWS_OR_STANDS, BETS = range(3)  # the questions to a player
_IN_CHIPS = f"in 1/{HUNDREDTHS} chip"
_SIDES = "1 for P or R, 2 for B or L, 3 for a tie or both tableaux"
EVENTS = (
    *SHOE_EVENTS,
    *(kind for kind in EXTENDED_EVENTS if kind.kind == events.REVEAL),
    EventKind(events.TURN_UP, "cards that lay face down are shown: of a hand, or the first of a new shoe (BA-24, BA-27)",
              "{player} turns up {cards}", nobody=DEALER),
    EventKind(events.DISCARD, "cards of a new shoe are burned, which nobody sees", "{player} burns {cards}", nobody=DEALER),
    EventKind(events.ROUND, "a coup begins: its number", "coup {amount} begins"),
    EventKind(events.ASK, "who is asked first for the bank, 0 (BA-20, BA-30), or may draw, 1 (BA-25)", "{player} {amount}",
              words=("is offered the bank", "may draw or stand")),
    EventKind(events.BID, f"a player takes the bank, or bids for it: so much, {_IN_CHIPS}", "{player} {amount}",
              words=_bid_words),
    EventKind(events.BANK, f"who has the bank, and what is in it then, {_IN_CHIPS}; 0 when they give it up (BA-28, BA-36)",
              "{player} {amount}", words=_bank_words),
    EventKind(events.PASS, "a player does not want the bank, 0, or bets nothing, 2", "{player} {amount}",
              words={TAKES_BANK: "declines the bank", BETS: "bets nothing"}),
    EventKind(events.SELECT, f"punto_banco, banque: what a bet is on: {_SIDES}", "{player} bets on {amount}",
              words=_side_words),
    EventKind(events.BET, f"a bet, {_IN_CHIPS} (BA-10, BA-21, BA-32)", "{player} bets {amount}", words=_chip_words),
    EventKind(events.CALL, f"a player plays for the whole bank, {_IN_CHIPS}; bets made before are off (BA-21)",
              "{player} calls banco for {amount}", words=_chip_words),
    EventKind(events.TURN, "a hand is played, or goes on: 0 P or R, 1 L, 2 B; by rule, unless its holder is asked (BA-25)",
              "{player} plays {amount}", nobody=DEALER, words=_hand_words),
    EventKind(events.STAND, "a hand draws no card (BA-04)", "{player} stands", nobody=DEALER),
    EventKind(events.DECLARE, "as hands are compared, which is next: 0 P or R, 1 L, 2 B (BA-27)", "{player} shows {amount}",
              nobody=DEALER, words=_hand_words),
    EventKind(events.SCORE, "the total of that hand (BA-27)", "{player} has {amount}", nobody=DEALER),
    EventKind(events.PAY, f"what a bet brings, {_IN_CHIPS}: more than 0, or less (BA-15, BA-27, BA-35)", "{player} {amount}",
              words=_pay_words),
)  # fmt: skip

# Entries of a hand in the block `hands` after its cards, and of a player in the block `seats`.
SIZE, OUT, PAUSED, DREW, VALUE, HOLDER, REDEALT = range(DECK_66, DECK_66 + 7)
HAND = REDEALT + 3
PRESENT, IS_BANKER, STAKE, SIDE, DIVIDED, CHIPS = range(6)
SEAT = 6
SIZE_UNIT, KIND_UNIT, SEAT_UNIT, BEST = 8, 4, MAX_PLAYERS, 9


def _high_hands(options: Options) -> np.ndarray:
    decks = int(options.decks or 0)
    high = np.ones(HAND)
    high[:DECK_66] = decks
    high[SIZE] = (3 + 4 * decks) / SIZE_UNIT
    high[REDEALT:] = decks
    return np.tile(high, PLACES)


def _low_seats(options: Options) -> np.ndarray:
    low = np.zeros(SEAT)
    low[SIDE] = -1
    low[CHIPS] = 0 if options.stack else -int(options.coups or 0)
    return np.tile(low, MAX_PLAYERS)


def _high_seats(options: Options) -> np.ndarray:
    high = np.ones(SEAT)
    high[STAKE] = max(1, all_chips(options) / options.max_bet)
    high[CHIPS] = all_chips(options) / (options.stack or options.max_bet)
    return np.tile(high, MAX_PLAYERS)


def _high_counts(options: Options) -> float:
    return float(options.decks or 0)


OBSERVATION = Layout(
    Block("phase", 4, "betting, offer of the bank, keep or pass, turn of a hand: one-hot"),
    Block(
        "own_hand",
        DECK_66,
        "the hand that the viewer holds (of two the one in turn, else the first): number of each card, by id",
        high=_high_counts,
    ),
    Block("own_state", 2, "its total / 9, 0 with a special in it; 1 if they hold a hand"),
    Block("staged", SPECIALS, "specials staged now, by kind and suit: number of each", high=_high_counts),
    Block(
        "hands",
        PLACES * HAND,
        "P (in banque R), L and B, 75 entries each, zero if there is none: cards that lie face up, number of each by id; cards "
        "/ 8; turn over, paused, drew; t / 9; the holder's place clockwise from the viewer / 9; Draws, Reverses, Skips "
        "redealt / 4",
        high=_high_hands,
    ),
    Block(
        "seats",
        MAX_PLAYERS * SEAT,
        "players clockwise from the viewer, 6 entries each: present; has the bank, or the highest bid; bet / max_bet; side (1 "
        "for P or R, -1 for B or L, 0 for a tie, a cheval or no bet); tie, or a cheval; chips / stack (on credit / max_bet)",
        low=_low_seats,
        high=_high_seats,
    ),
    Block(
        "bank",
        2,
        "the bank, and what of it is not covered, / 8 max_bet; in an auction both the highest bid",
        high=lambda options: max(1, all_chips(options) / (LEVELS * options.max_bet)),
    ),
    Block("order", 2, "direction +1, -1"),
    Block("seen", DECK_66, "cards that all have seen since the shoe was shuffled, by id / decks"),
    Block("left", 2, "cards left in the shoe / its size; coups left with this one / coups"),
)
