"""Options, record, actions and observation of blackjack."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import events
from ...core import options as opt
from ...core.cards import DECK_66, STANDARD
from ...core.events import EventKind
from ...core.extended.sets import NO_CARD
from ...core.extended.shoe import DEALER, SHOE_EVENTS, copies, decks_option, shoe_fields
from ...core.extended.state import deck_option
from ...core.fields import Field, all_seats
from ...core.layout import Block, Layout

MAX_PLAYERS = 7
MOST_HANDS = 4  # of one player, after splits
MOST_BETS = 8
MOST_BET = 1000
PARTS = 100  # of a unit, in which bets are stored
MONEY = 1000  # of a unit, in which payments are stored: all are integers

EVERY_HAND, QUARTER = range(2)  # reshuffle
STAND, HIT = range(2)  # dealer_soft17
THREE_TO_TWO, SIX_TO_FIVE, EVEN, NONE = range(4)  # naturals
PEEK, NO_PEEK = range(2)  # hole
ANY, NINE_TO_ELEVEN, TEN_OR_ELEVEN, NEVER = range(4)  # double
VALUE, RANK = range(2)  # split_by
NO_SURRENDER, LATE, EARLY = range(3)  # surrender

BETTING, SURRENDERING, INSURING, TURN, END = range(5)  # phases; END: asked at the end of an episode without decisions (BJ-49)
PER_PLACE = 6  # cards for each place at the beginning of a hand, if the shoe is not shuffled


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of blackjack."""

    num_players: int = opt.integer(3, 1, MAX_PLAYERS, "number of players, the dealer not counted")
    deck: str = deck_option()
    decks: int = decks_option(1)
    hands: int = opt.integer(1, 1, 100, "hands in an episode", at_tables=20)
    reshuffle: str = opt.one_of(
        "every_hand",
        ("every_hand", "quarter"),
        "when the whole shoe is shuffled: before every hand; before one that begins with less than a quarter of it, or with "
        "fewer than 6 cards for each player and the dealer",
    )
    bets: tuple[float, ...] = opt.amounts(
        (1,), MOST_BETS, MOST_BET, PARTS, "what may be bet on a hand, in units; nothing is asked if there is one (BJ-02)"
    )
    dealer_soft17: str = opt.one_of("stand", ("stand", "hit"), "what the dealer does with a soft 17 (BJ-13)")
    naturals: str = opt.one_of(
        "3:2", ("3:2", "6:5", "1:1", "none"), "pay of a natural; none: two cards that make 21 are an ordinary 21 (BJ-04)"
    )
    hole: str = opt.one_of(
        "peek", ("peek", "no_peek"), "peek: a natural of the dealer is looked for before the first turn (BJ-07)"
    )
    double: str = opt.one_of("any", ("any", "9-11", "10-11", "none"), "totals of two cards that may be doubled (BJ-10)")
    double_after_split: bool = opt.flag(True, "hands from a split may be doubled (BJ-10)")
    max_split_hands: int = opt.integer(MOST_HANDS, 1, MOST_HANDS, "most hands of a player; 1: no splitting (BJ-11)")
    split_by: str = opt.one_of("value", ("value", "rank"), "value: any two cards of value 10 are a pair (BJ-11)")
    resplit_aces: bool = opt.flag(False, "aces from a split may be split again (BJ-11)")
    hit_split_aces: bool = opt.flag(False, "aces from a split may take more cards (BJ-11)")
    insurance: bool = opt.flag(True, "insurance is offered (BJ-06)")
    surrender: str = opt.one_of(
        "late", ("none", "late", "early"), "late: as the first decision of a turn (BJ-12); early: before insurance (BJ-05)"
    )
    dealer_wins_pushes: bool = opt.flag(False, "equal hands are won by the dealer (BJ-17)")

    @classmethod
    def samples(cls) -> list[Options]:
        """Sets with a small shoe for many players, used to the end, and one table at which everything is allowed."""
        first, *others = super().samples()
        generous = cls(
            num_players=2, decks=2, hands=6, reshuffle="quarter", resplit_aces=True, hit_split_aces=True, hole="no_peek"
        )
        return [first, cls(num_players=7, hands=3, reshuffle="quarter"), generous, *others]


def most_total(options: Options) -> int:
    """The maximal total of a hand, if each Draw of the shoe comes to a hand of 21."""
    return 31 if options.deck == "standard" else 31 + 40 * options.decks


# Hands are counts by id. A seat has `num_hands` hands; the ended ones are bits of `ended`. Places in the order of play are the
# order of play are the seats, and after them the dealer. A place is paused if it has begun, is not out, and is not in turn.
# The turn is that of `current_player`, as the dealer decides nothing.
_HAND_BITS = (1 << MOST_HANDS) - 1
FIELDS = [
    *shoe_fields(),
    Field("hands", "u1"),
    Field("reshuffle", "u1"),
    Field("bets", "u4", (MOST_BETS,)),  # in PARTS, padded with 0
    Field("dealer_soft17", "u1"),
    Field("naturals", "u1"),
    Field("hole", "u1"),
    Field("double", "u1"),
    Field("double_after_split", "u1"),
    Field("max_split_hands", "u1"),
    Field("split_by", "u1"),
    Field("resplit_aces", "u1"),
    Field("hit_split_aces", "u1"),
    Field("insurance", "u1"),
    Field("surrender", "u1"),
    Field("dealer_wins_pushes", "u1"),
    Field("hand_number", "u1", low=1, high=lambda options: options.hands),
    Field("phase", "u1", high=END),
    Field("begun", "u1", bits=lambda options: (2 << options.num_players) - 1),  # places whose turn has begun
    Field("out", "u1", bits=lambda options: (2 << options.num_players) - 1),  # places whose turn is over
    Field("bet", "u1", (MAX_PLAYERS,), high=lambda options: len(options.bets)),  # 1.. by the option; 0 before
    Field("insured", "u1", bits=all_seats),
    Field("surrendered", "u1", bits=all_seats),
    Field("hand", "u1", (MAX_PLAYERS, MOST_HANDS, DECK_66), high=copies),
    Field("num_hands", "u1", (MAX_PLAYERS,), high=lambda options: options.max_split_hands),  # 0 before the deal
    Field("ended", "u1", (MAX_PLAYERS,), bits=_HAND_BITS),
    Field("doubled", "u1", (MAX_PLAYERS,), bits=_HAND_BITS),
    Field("split_aces", "u1", (MAX_PLAYERS,), bits=_HAND_BITS),  # hands that are one of two split aces
    Field("dealer", "u1", (DECK_66,), high=copies),  # the dealer's face-up cards
    Field("hole_card", "i1", low=NO_CARD, high=DECK_66 - 1),  # while it is face down
    Field("up_card", "i1", low=NO_CARD, high=DECK_66 - 1),  # as dealt
    # The results of hands that ended before the first decision, in 1 / MONEY (see Rewards).
    Field(
        "owed",
        "i8",
        (MAX_PLAYERS,),
        low=lambda options: -most_money(options),
        high=lambda options: most_money(options),
    ),
]


def most_money(options: Options) -> int:
    """The largest result of an episode: all hands split and doubled, and insurance lost."""
    return round(8.5 * max(options.bets) * MONEY * options.hands)


ACTIONS = Layout(
    Block("stand", 1, "end the hand"),
    Block("hit", 1, "take a card"),
    Block("double", 1, "double the bet for exactly one card (BJ-10)"),
    Block("split", 1, "make two hands of a pair (BJ-11)"),
    Block("surrender", 1, "lose half the bet and be out (BJ-05, BJ-12)"),
    Block("insure", 1, "take insurance for half the bet (BJ-06)"),
    Block("decline", 1, "neither surrender nor insurance"),
    Block("bet", MOST_BETS, "bet the first, second, ... amount of the option `bets`"),
)
DO_STAND, DO_HIT, DO_DOUBLE, DO_SPLIT, DO_SURRENDER, DO_INSURE, DO_DECLINE, DO_BET = (
    ACTIONS.slices(1)[name].start for name in ("stand", "hit", "double", "split", "surrender", "insure", "decline", "bet")
)


def _bet_words(amount: int, options: Options) -> str:
    return f"{amount / PARTS:g}"


def _money_words(amount: int, options: Options) -> str:
    return f"{'wins' if amount > 0 else 'loses'} {abs(amount) / MONEY:g}" if amount else "gets the bet back"


def _stake_words(amount: int, options: Options) -> str:
    return f"{amount / MONEY:g}"


def _total_words(total: int, options: Options) -> str:
    return f"is bust with {total}" if total > _BEST else f"has {total}"


_BEST = 21
_WHICH = ("", " the first hand", " the second hand", " the third hand", " the fourth hand")
_WITH = tuple(f" with{words}" if words else "" for words in _WHICH)
EVENTS = (
    *SHOE_EVENTS,
    EventKind(events.ROUND, "a hand of the episode begins: its number", "round {amount} begins"),
    EventKind(events.BET, f"what a player bets on the hand, in 1/{PARTS} (BJ-02)", "{player} bets {amount}", words=_bet_words),
    EventKind(events.SET_ASIDE, "the dealer's hole card, which nobody sees (BJ-03)", "the dealer lays {cards} face down"),
    EventKind(events.TURN_UP, "the dealer's up card, and then the hole card", "the dealer turns up {cards}"),
    EventKind(events.INSURE, f"a player takes insurance for so much, in 1/{MONEY} (BJ-06)",
              "{player} takes insurance for {amount}", words=_stake_words),
    EventKind(events.PASS, "neither surrender nor insurance", "{player} declines"),
    EventKind(events.SURRENDER, "a player gives up half the bet (BJ-05, BJ-12)", "{player} surrenders"),
    EventKind(events.HIT, "a player takes a card; the amount is 0, or after a split which hand it is, from 1 on (BJ-09)",
              "{player} hits{amount}", words=_WHICH),
    EventKind(events.STAND, "a player takes no more cards; as HIT (BJ-09)", "{player} stands{amount}", words=_WITH),
    EventKind(events.DOUBLE, "a player doubles the bet for one card; as HIT (BJ-10)", "{player} doubles{amount}", words=_WHICH),
    EventKind(events.SPLIT, "a player makes two hands of a pair and is dealt a card to each; as HIT (BJ-11)",
              "{player} splits{amount}", words=_WHICH),
    EventKind(events.DECLARE, "a natural (BJ-04), as hands are compared", "{player} has a natural", nobody=DEALER),
    EventKind(events.SCORE, "as hands are compared, the total of the dealer's and of each other, in order (BJ-16)",
              "{player} {amount}", nobody=DEALER, words=_total_words),
    EventKind(events.PAY, f"what insurance and then a hand brings, in 1/{MONEY}: more than 0, or less (BJ-06, BJ-16, BJ-17)",
              "{player} {amount}", words=_money_words),
)  # fmt: skip

TOTAL_UNIT = 31
SUMMARY = 6
OTHERS, OTHER = MOST_HANDS - 1, 4
SEAT = 12
_SPECIALS_AT = 9


def _high_total(options: Options) -> float:
    return most_total(options) / TOTAL_UNIT


def _high_summary(options: Options) -> np.ndarray:
    return np.array([_high_total(options), 1, 1, 1, 1, 1])


def _high_others(options: Options) -> np.ndarray:
    return np.tile([_high_total(options), 1, 1, 1], OTHERS)


def _high_seats(options: Options) -> np.ndarray:
    high = np.ones(SEAT)
    high[7] = _high_total(options)
    high[_SPECIALS_AT:] = options.decks
    return np.tile(high, MAX_PLAYERS)


def _high_dealer(options: Options) -> np.ndarray:
    return np.array([_high_total(options), 1, 1, 1])


_TOTALS = "totals are above 1 in a hand that is bust by many Draws"
OBSERVATION = Layout(
    Block("phase", 4, "betting, early surrender, insurance, turn: one-hot"),
    Block("own_hand", DECK_66, "the viewer's hand being played, or their last one: number of each card, by id / decks"),
    Block(
        "summary",
        SUMMARY,
        f"of this hand: total / 31 (0 while a special lies in it), soft, is a pair, its number 1.. / 4, own hands / 4, "
        f"stake / twice the greatest bet; {_TOTALS}",
        high=_high_summary,
    ),
    Block(
        "other_hands",
        OTHERS * OTHER,
        "the viewer's other hands in order: total / 31, ended, bust, stake / twice the greatest bet",
        high=_high_others,
    ),
    Block(
        "seats",
        MAX_PLAYERS * SEAT,
        "players clockwise from the viewer, 12 entries each: present, turn over, paused, out by surrender, insured, "
        "bet / the greatest, number of hands / 4; of the hand played now: total / 31, bust, Draws, Reverses, Skips / 4",
        high=_high_seats,
    ),
    Block("up_card", DECK_66 + 1, "the dealer's up card as dealt, by id; the last entry: none"),
    Block("dealer", DECK_66, "once the hole card is up, the dealer's cards: number of each, by id / decks"),
    Block("dealer_state", 4, "and their total / 31, bust; turn over, paused", high=_high_dealer),
    Block("order", 3, "direction +1, -1; places to the dealer in this direction / 8"),
    Block("seen", DECK_66, "cards that left the shoe since it was shuffled, a hole card face down not counted, by id / decks"),
    Block("left", 2, "cards left in the shoe / its size; hands left with this one / hands"),
)

# The value of each card: 1 for an ace, 0 for a Joker by itself; a special that cannot be replaced is a face card (BJ-48).
_POINTS = [min(card // 4 + 2, 10) if card < 48 else 1 for card in range(STANDARD)]
POINTS = np.array([*_POINTS, 0, 0, *[10] * 12], np.int64)
