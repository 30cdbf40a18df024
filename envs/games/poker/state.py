"""Options, record, actions and observation of poker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import events
from ...core import options as opt
from ...core.cards import DECK_66, RANKS
from ...core.compare.poker import in_words
from ...core.events import EventKind
from ...core.extended.events import EXTENDED_EVENTS
from ...core.extended.sets import SPECIALS
from ...core.extended.state import SET, deck_option, extended_fields
from ...core.extended.view import REVEAL_ACTIONS
from ...core.fields import Field, all_seats, last_seat
from ...core.layout import Block, Layout

MIN_PLAYERS, MAX_PLAYERS = 2, 10
FEWER_PLAYERS = 8  # of the games that deal so many cards
STREETS = 5  # of the longest game
MOST_COMMON = 9  # five, and one more for each Draw (PK-50)
SLOTS = 9  # cards of a hand that may be discarded: five, and one more for each Draw
MOST_CHIPS = 10**6
MOST_SIZES = 6
THOUSAND = 1000  # parts of the pot in which raise_sizes are kept
MOST_CAP = 100

VARIANTS = ("texas_holdem", "omaha", "five_card_draw", "five_card_stud", "seven_card_stud", "chicago")
HOLDEM, OMAHA, FIVE_DRAW, FIVE_STUD, SEVEN_STUD, CHICAGO = range(6)
NO_LIMIT, POT_LIMIT, LIMIT = range(3)  # betting
CARRY, RESET = range(2)  # stacks
BRING_IN, HIGH_CARD = range(2)  # stud_open
HIGH, LOW = range(2)  # chicago
BETTING, DRAWING = range(2)  # phases

# By variant and street, cards dealt face down, face up and to the board (PK-14 to PK-18, PK-21).
_DEALT = {
    "texas_holdem": [(2, 0, 0), (0, 0, 3), (0, 0, 1), (0, 0, 1)],
    "omaha": [(4, 0, 0), (0, 0, 3), (0, 0, 1), (0, 0, 1)],
    "five_card_draw": [(5, 0, 0), (0, 0, 0)],
    "five_card_stud": [(1, 1, 0), (0, 1, 0), (0, 1, 0), (0, 1, 0)],
    "seven_card_stud": [(2, 1, 0), (0, 1, 0), (0, 1, 0), (0, 1, 0), (1, 0, 0)],
    "chicago": [(2, 1, 0), (0, 1, 0), (0, 1, 0), (0, 1, 0), (1, 0, 0)],
}
_NONE = (0, 0, 0)
DEALT = np.array([_DEALT[name] + [_NONE] * (STREETS - len(_DEALT[name])) for name in VARIANTS], np.int64)
STREETS_OF = np.array([len(_DEALT[name]) for name in VARIANTS], np.int64)
SMALL_STREETS = np.array([1 if name == "five_card_draw" else 2 for name in VARIANTS], np.int64)  # with the small bet (PK-10)


def is_stud(variant: str) -> bool:
    """Whether cards lie face up: with antes and a bring-in instead of blinds."""
    return VARIANTS.index(variant) >= FIVE_STUD


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of poker."""

    num_players: int = opt.integer(
        6, MIN_PLAYERS, MAX_PLAYERS, "number of players; at most 8 in five_card_draw, seven_card_stud, chicago"
    )
    deck: str = deck_option()
    variant: str = opt.one_of("texas_holdem", VARIANTS, "the game (PK-14 to PK-21)")
    betting: str = opt.one_of(
        None,
        ("no_limit", "pot_limit", "limit", None),
        "what may be raised to; none: no_limit in hold'em and draw, pot_limit in omaha, limit in stud and chicago",
    )
    hands: int = opt.integer(1, 1, 1000, "hands of an episode", at_tables=20)
    stacks: str = opt.one_of(
        "carry", ("carry", "reset"), "between hands: chips are carried over, or every hand begins with `stack`"
    )
    stack: int | tuple[int, ...] = opt.per_player(
        200,
        1,
        MOST_CHIPS,
        MAX_PLAYERS,
        "chips to begin with; two players have more than ante and big blind (or bring-in)",
        "buy_in",
    )
    small_blind: int = opt.integer(1, 1, MOST_CHIPS, "hold'em, omaha, draw (PK-02); at most the big blind")
    big_blind: int = opt.integer(
        2, 1, MOST_CHIPS, "hold'em, omaha, draw (PK-02); with limit also the small bet, twice of it the big bet"
    )
    ante: int | None = opt.integer(
        None, 0, MOST_CHIPS, "from every player (PK-02); none: 1 in stud and chicago, else 0", none=0
    )
    bring_in: int = opt.integer(1, 1, MOST_CHIPS, "stud and chicago (PK-20); less than the small bet")
    small_bet: int = opt.integer(2, 2, MOST_CHIPS, "stud and chicago (PK-10); at most the big bet")
    big_bet: int = opt.integer(4, 2, MOST_CHIPS, "stud and chicago (PK-10)")
    stud_open: str = opt.one_of(
        "bring_in", ("bring_in", "high_card"), "stud and chicago: the lowest up-card brings in, or the highest opens (PK-20)"
    )
    raise_cap: tuple[int, ...] | None = opt.up_to(
        STREETS,
        0,
        MOST_CAP,
        "limit: most bets and raises per street, one number for each (PK-10); none: 4, but 3 on the first with blinds",
    )
    raise_sizes: tuple[float, ...] = opt.amounts(
        (0.33, 0.5, 0.75, 1, 1.5, 2), MOST_SIZES, 100, THOUSAND, "raises offered, in parts of the pot (PK-11)", fewest=0
    )
    min_raise_action: bool = opt.flag(True, "no_limit, pot_limit: the smallest raise is offered too")
    max_discards: int = opt.integer(5, 1, SLOTS, "draw: cards exchanged at most (PK-16)")
    chicago: str = opt.one_of("high", ("high", "low"), "chicago: the spade that wins half a pot (PK-21)")
    burn: bool = opt.flag(True, "a card is burned before each street after the first, in draw before the draw")
    button: Any = opt.seat("random", "the button of the first hand (PK-01)", "first_button")

    def validate(self) -> None:
        stud = is_stud(self.variant)
        usual = "pot_limit" if self.variant == "omaha" else "limit" if stud else "no_limit"
        streets = int(STREETS_OF[VARIANTS.index(self.variant)])
        for name, value in (("betting", usual), ("ante", int(stud)), ("raise_cap", (4 if stud else 3, 4, 4, 4, 4))):
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        if self.variant in ("five_card_draw", "seven_card_stud", "chicago") and self.num_players > FEWER_PLAYERS:
            raise ValueError(
                f"option num_players={self.num_players} is not allowed in {self.variant}; allowed: 2..{FEWER_PLAYERS}"
            )
        if not stud and self.small_blind > self.big_blind:
            raise ValueError(f"option small_blind={self.small_blind} is not allowed; allowed: 1..{self.big_blind} (big_blind)")
        if stud and self.bring_in >= self.small_bet:
            raise ValueError(
                f"option bring_in={self.bring_in} is not allowed; allowed: 1..{self.small_bet - 1} (below small_bet)"
            )
        if stud and self.small_bet > self.big_bet:
            raise ValueError(f"option small_bet={self.small_bet} is not allowed; allowed: 2..{self.big_bet} (big_bet)")
        if len(self.raise_cap or ()) < streets:
            raise ValueError(
                f"option raise_cap={self.raise_cap} is not allowed in {self.variant}; allowed: {streets} numbers or more"
            )
        least = (self.ante or 0) + (self.bring_in if stud else self.big_blind)
        if sum(chips > least for chips in stacks_of(self)) < 2:
            raise ValueError(f"option stack={self.stack} is not allowed; allowed: two players with more than {least}")

    @classmethod
    def samples(cls) -> list[Options]:
        """Every game, number of players and way of each rule, but not every amount."""
        everything: dict[str, Any] = {"hands": 3, "button": 0, "burn": False}
        return [
            cls(),
            cls(num_players=2, stack=30, hands=8, raise_sizes=(0.5, 1), big_blind=4),
            cls(num_players=10, deck="standard", betting="limit", raise_cap=(1, 2, 0, 4), hands=2, stacks="reset", ante=1),
            cls(num_players=3, stack=(5, 40, 17), ante=2, hands=20, min_raise_action=False),
            cls(num_players=4, variant="omaha", hands=3, stack=25),
            cls(num_players=5, deck="standard", variant="omaha", betting="no_limit", raise_sizes=()),
            cls(num_players=3, variant="five_card_draw", hands=2, stack=40),
            cls(num_players=8, variant="five_card_draw", betting="pot_limit", max_discards=9, **everything),
            cls(num_players=10, variant="five_card_stud", stud_open="high_card", hands=2),
            cls(num_players=2, deck="standard", variant="five_card_stud", betting="no_limit", stack=20, **everything),
            cls(num_players=8, deck="standard", variant="seven_card_stud", ante=0, bring_in=2, small_bet=5, big_bet=10),
            cls(num_players=6, variant="seven_card_stud", betting="pot_limit", stack=60, hands=3),
            cls(num_players=7, variant="chicago", hands=2, stack=(200, 3, 9, 200, 30, 60, 12)),
            cls(num_players=9, deck="standard", stack=MOST_CHIPS, small_blind=64, big_blind=128, button=8),
            cls(num_players=8, variant="chicago", chicago="low", stud_open="high_card", max_discards=1, burn=False),
        ]


def stacks_of(options: Options) -> tuple[int, ...]:
    """The chips of each seat at the start."""
    stack = options.stack
    return stack if isinstance(stack, tuple) else (stack,) * options.num_players


def unit_of(options: Options) -> int:
    """The chips of a reward of 1."""
    return options.small_bet if is_stud(options.variant) else options.big_blind


def thousandths(options: Options) -> tuple[str, float]:
    """The second unit of results: thousandths of the big blind (in stud of the small bet) per hand. A match of hands with chips
    carried over, which ends when one player has all, counts as one."""
    name = "milli-bets" if is_stud(options.variant) else "mbb"
    if options.hands > 1 and options.stacks == "carry":
        return f"{name}/match", unit_of(options) / 1000
    return f"{name}/hand", unit_of(options) * options.hands / 1000


def all_chips(options: Options) -> int:
    return sum(stacks_of(options))


def most_raises(options: Options) -> int:
    """The maximal number of bets and raises in a hand (PK-56)."""
    streets = int(STREETS_OF[VARIANTS.index(options.variant)])
    if options.betting == "limit":
        return sum((options.raise_cap or ())[:streets])
    return all_chips(options) // unit_of(options) + options.num_players + streets


def _most_size(options: Options) -> int:
    """The maximal size of a minimal raise."""
    fixed = options.big_bet if is_stud(options.variant) else 2 * options.big_blind
    return max(all_chips(options), fixed)


_SLOT_BITS = (1 << SLOTS) - 1
FIELDS = [
    *extended_fields(MAX_PLAYERS),
    Field("variant", "u1"),
    Field("betting", "u1"),
    Field("hands", "u2"),
    Field("stacks", "u1"),
    Field("buy_in", "i4", (MAX_PLAYERS,)),
    Field("small_blind", "i4"),
    Field("big_blind", "i4"),
    Field("ante", "i4"),
    Field("bring_in", "i4"),
    Field("small_bet", "i4"),
    Field("big_bet", "i4"),
    Field("stud_open", "u1"),
    Field("raise_cap", "u1", (STREETS,)),
    Field("raise_sizes", "i4", (MOST_SIZES,)),  # in thousandths, 0 where there are fewer
    Field("min_raise_action", "u1"),
    Field("max_discards", "u1"),
    Field("chicago", "u1"),
    Field("burn", "u1"),
    Field("first_button", "i1"),  # the option `button`
    Field("phase", "u1", high=DRAWING),
    Field("street", "u1", high=STREETS - 1),
    Field("button", "i1", high=last_seat),
    Field("present", "u2", bits=all_seats),  # players dealt into the hand
    Field("live", "u2", bits=all_seats),  # of these, those who have not folded
    # Face-up cards, of `hand`; for folded players those they had, which are in the muck until it is shuffled.
    Field("up", "u8", (MAX_PLAYERS, 2), bits=SET),
    Field("common", "u1", (MOST_COMMON,), high=DECK_66 - 1),  # the board, in order
    Field("common_size", "u1", high=MOST_COMMON),
    Field("chips", "i4", (MAX_PLAYERS,), high=all_chips),
    Field("bet", "i4", (MAX_PLAYERS,), high=all_chips),  # on this street
    Field("paid", "i4", (MAX_PLAYERS,), high=all_chips),  # in this hand
    Field("saved", "i4", (MAX_PLAYERS,), high=all_chips),  # by Skips: the level is `paid` plus this (PK-34)
    Field("highest", "i4", high=all_chips),  # bet of the street
    Field("raise_size", "i4", low=1, high=_most_size),  # the largest bet or raise of the street, at least (PK-07)
    Field("raises", "i4", high=most_raises),  # on this street, bets among them
    Field("made", "i4", (MAX_PLAYERS,), high=most_raises),  # in this hand, by each
    Field("acted", "u2", bits=all_seats),  # since the last full bet or raise (PK-08)
    Field("by_skip", "u2", bits=all_seats),  # of finished turns, those that a Skip ended (PK-34, PK-41, PK-52)
    Field("marks", "u2", bits=_SLOT_BITS),  # slots that the drawing player has marked
    Field("exchanged", "u1", (MAX_PLAYERS,), high=SLOTS),  # cards, in the draw
    Field("revealed", "u1", (MAX_PLAYERS, 3), high=SPECIALS // 3),  # Draws, Reverses and Skips redealt in turns
    Field("shown", "u2", bits=all_seats),  # hands that were shown down
    Field("result", "i4", (MAX_PLAYERS,), low=lambda options: -all_chips(options), high=all_chips),  # of the last hand, chips
    # Players' memory of cards in the muck, and public knowledge about hands, see dealing.py.
    Field("gone", "u8", (MAX_PLAYERS, 2), bits=SET),
    Field("recalled", "u8", (MAX_PLAYERS, 2), bits=SET),
    Field("old", "u8", (MAX_PLAYERS, 2), bits=SET),
]

ACTIONS = Layout(
    Block("fold", 1, "give up the hand; when there is a bet to call (PK-06)"),
    Block("call", 1, "check, or pay what is to be called (PK-06)"),
    Block("raise", 1, "limit: the bet, raise or completion; else, with min_raise_action, the smallest raise (PK-07, PK-10)"),
    Block("raise_size", MOST_SIZES, "raise by the first, second, ... of raise_sizes (PK-11)"),
    Block("all_in", 1, "raise with all chips, also below the smallest raise (PK-07)"),
    *REVEAL_ACTIONS,
    Block("discard", SLOTS, "draw: mark a card to be discarded, by its place in the hand in the order of ids"),
    Block("draw", 1, "draw: exchange the marked cards; without any, stand pat"),
)
FOLD, CALL, RAISE, RAISE_SIZE, ALL_IN, REVEAL_AT, COMMIT_AT, DISCARD_AT, DRAW_AT = ACTIONS.places(
    "fold", "call", "raise", "raise_size", "all_in", "reveal", "commit", "discard", "draw", num_players=MIN_PLAYERS
)

SEAT = 17  # entries of a seat
NUMBERS = 11
KINDS = 9  # of hands (PK-22)
HAND = KINDS + 2 * RANKS  # entries of a hand's strength
OF_CARDS, OF_REVEALED, OF_RAISES, OF_CAP = SLOTS, 4, 8, 4  # the unit in the observation


def greatest_stack(options: Options) -> int:
    """The number of chips that the observation scales to 1."""
    return max(stacks_of(options))


def _high_seats(options: Options) -> np.ndarray:
    high = np.ones(SEAT)
    high[6:10] = all_chips(options) / greatest_stack(options)
    high[16] = max(1, most_raises(options) / OF_RAISES)
    return np.tile(high, MAX_PLAYERS)


def _high_numbers(options: Options) -> np.ndarray:
    high = np.ones(NUMBERS)
    high[1:4] = all_chips(options) / greatest_stack(options)
    high[4] = _most_size(options) / greatest_stack(options)
    high[5] = max(1, max(options.raise_cap or ()) / OF_CAP)
    return high


OBSERVATION = Layout(
    Block("phase", 2, "betting, draw: one-hot"),
    Block("street", STREETS, "the street: one-hot"),
    Block("down", DECK_66, "own cards that lie face down, by id"),
    Block("up", DECK_66, "own cards that lie face up, or did before the viewer folded, until the muck is shuffled"),
    Block("community", DECK_66, "cards on the board"),
    Block("removed", DECK_66, "specials that were redealt, anybody's and the board's"),
    Block("discards", DECK_66, "own cards that went face down into the muck, until it is shuffled"),
    Block("staged", SPECIALS, "specials staged now, by any player"),
    Block("marks", SLOTS, "own slots marked to be discarded"),
    Block(
        "seats",
        MAX_PLAYERS * SEAT,
        "players clockwise from the viewer, 17 entries each: was dealt in, folded, all-in, turn over, paused, turn ended by a "
        "Skip; bet, paid in the hand, level (PK-34), stack, each / S; face-down cards / 9, cards exchanged / 9; Draws, "
        "Reverses, Skips revealed / 4; is the button; bets and raises made in the hand / 8. S is the greatest stack at the "
        "start",
        high=_high_seats,
    ),
    Block(
        "others_up",
        (MAX_PLAYERS - 1) * DECK_66,
        "up-cards of the others, clockwise, of who has folded those they had, until the muck is shuffled",
    ),
    Block(
        "numbers",
        NUMBERS,
        "pot / (n S); to call / S; the smallest and the greatest amount to raise to / S (0 where the viewer may not raise now; "
        "all-in if that is less); the least that a full raise adds / S; raises left / 4 (limit); direction +1, -1; pile / 66; "
        "hands left after this one / hands; 1 if everybody else's turn is over",
        high=_high_numbers,
    ),
    Block(
        "best_hand",
        HAND,
        "the viewer's best hand with the board (PK-22): kind, one-hot from high card to straight flush; rank of the greatest "
        "group or of the highest card, one-hot; ranks below it that count, if any",
    ),
    Block("board_hand", HAND, "the same of the board alone"),
    Block("others_hand", (MAX_PLAYERS - 1) * HAND, "the same of the others' up-cards, clockwise, by groups and ranks alone"),
    Block(
        "draws",
        2,
        "the viewer's cards and the board's: most of one suit / 5, and ranks of which one card would complete a straight / 13; "
        "Jokers take the places of lacking cards",
    ),
    Block("odds", 2, "to call / (pot + to call); the viewer's stack / (pot + stack)"),
)
EVENTS = (
    *(declared for declared in EXTENDED_EVENTS if declared.kind not in (events.DEAL, events.REVEAL)),
    EventKind(events.ROUND, "a hand begins; who has the button (PK-01)", "{player} has the button"),
    EventKind(events.POST, "an ante, a blind or a bring-in, in chips (PK-02, PK-20)", "{player} posts {amount}"),
    EventKind(events.DEAL, "cards dealt to a hand, face down, which its player sees, or face up, which all see (PK-03)",
              "{player} is dealt {cards}"),
    EventKind(events.SET_ASIDE, "specials dealt to the board leave the game and are replaced (PK-50)",
              "the board redeals {cards}"),
    EventKind(events.TURN_UP, "cards come to the board (PK-14, PK-15, PK-18)", "the board gets {cards}"),
    EventKind(events.FOLD, "a player gives up the hand, face down (PK-06, PK-19)", "{player} folds"),
    EventKind(events.CHECK, "nothing was to be called (PK-06)", "{player} checks"),
    EventKind(events.CALL, "a call, and the chips paid (PK-06)", "{player} calls {amount}"),
    EventKind(events.BET, "the first bet of a street (PK-07)", "{player} bets {amount}"),
    EventKind(events.RAISE, "a raise to an amount of chips on this street (PK-07)", "{player} raises to {amount}"),
    EventKind(events.DECLARE, "what was paid was a player's last chips", "{player} is all-in"),
    EventKind(events.REVEAL, "a special is revealed, to be redealt (ED-21), or a hand is shown down: what of it lay face down "
              "(PK-54)", "{player} shows {cards}"),
    EventKind(events.SELECT, "draw: a card is marked to be discarded, of which others notice nothing (PK-16)",
              "{player} marks {cards}", secret=True),
    EventKind(events.DISCARD, "draw: what a player exchanges goes into the muck, face down (PK-16, PK-19)",
              "{player} discards {cards}"),
    EventKind(events.STAND, "draw: a player exchanges nothing (PK-16)", "{player} stands pat"),
    EventKind(events.COLLECT, "chips that nobody called go back (PK-13)", "{player} takes back {amount}"),
    EventKind(events.SCORE, "how strong a hand is that was shown: the more, the stronger (PK-22)",
              "{player} has {amount}", words=lambda amount, options: in_words(amount)),
    EventKind(events.BANK, "of several pots, which is paid next, 0 the main pot (PK-23)", "{amount} is paid out",
              words=lambda amount, options: f"side pot {amount}" if amount else "the main pot"),
    EventKind(events.PAY, "Chicago: the chips of a pot that go to the best spade (PK-21)",
              "the best spade takes {amount}"),
    EventKind(events.WIN, "the chips that a player wins of a pot (PK-05, PK-24)", "{player} wins {amount}"),
    EventKind(events.OUT, "a player has no chips for another hand (PK-01)", "{player} is out"),
)  # fmt: skip
