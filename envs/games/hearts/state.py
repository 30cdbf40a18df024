"""Options, record, actions and observation of hearts."""

from __future__ import annotations

from dataclasses import dataclass

from ...core import options as opt
from ...core.cards import DECK_66
from ...core.events import ANSWER, ASK, CHOOSE, COLLECT, EXCHANGE, GIVE, SCORE, SELECT, TURN, WIN, EventKind
from ...core.extended.events import EXTENDED_EVENTS, TRICK_EVENTS
from ...core.extended.state import NOBODY, SET, TRICK_PLAYERS, TRICKS, deck_option, extended_fields, trick_fields
from ...core.extended.view import EXTENDED_OBSERVATION, TRICK_ACTIONS, TRICK_OBSERVATION
from ...core.fields import Field
from ...core.layout import Block, Layout
from ...core.match import match_option

PLAYERS = TRICK_PLAYERS
PASSED = 3  # cards each player passes (HE-04)
TWO_OF_CLUBS, JACK_OF_DIAMONDS, QUEEN_OF_SPADES = 0, 37, 43
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)

HAND, MATCH = range(2)  # match
HOLD, LEFT, ACROSS, RIGHT = range(4)  # direction of the pass: how many seats clockwise
MOON_OTHERS, MOON_SELF = range(2)
RELATIVE, OPENSPIEL = range(2)  # reward

PASS, CLAIM, PLAY = range(3)  # phases
BY_TWO, BY_CLAIM, BY_NEED = range(3)  # the reason why the opener leads the first trick (HE-11)

# The option `passing`. "default" is never stored: `validate` resolves it.
_PASSING = ("default", "random", "cycle", "left", "right", "across", "hold")
RANDOM_PASS, CYCLE_PASS = _PASSING.index("random"), _PASSING.index("cycle")
DIRECTION = (HOLD, HOLD, HOLD, LEFT, RIGHT, ACROSS, HOLD)  # of each fixed value of the option
CYCLE = (LEFT, RIGHT, ACROSS, HOLD)  # of one hand after the other

MAX_POINTS = 26  # of an ordinary deck, and the worth of a moon (HE-46)
QUEEN_POINTS, JACK_POINTS, NO_TRICK_POINTS = 13, -10, -5
ALL_POINTS = 29  # of the Extended Deck, with its three specials of hearts


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of hearts."""

    num_players: int = opt.one_of(PLAYERS, (PLAYERS,), "number of players")
    deck: str = deck_option()
    match: str = match_option("match", "an episode is one hand, or hands until a total reaches target (HE-50)")
    target: int = opt.integer(100, 1, 10_000, "a match ends when a total has reached it (HE-50)")
    max_hands: int = opt.integer(40, 1, 100, "a match ends after this many hands (HE-50)")
    passing: str = opt.one_of(
        "default",
        _PASSING,
        "where passed cards go (HE-04): a direction drawn for each hand, left, right, across and hold in turn, or always one; "
        "the default is random in a single hand, cycle in a match",
    )
    no_pts_on_first_trick: bool = opt.flag(True, "no hearts or Queen of Spades on the first trick (HE-22)")
    can_lead_any_club: bool = opt.flag(False, "standard deck: the first trick may be led with any club (HE-10)")
    must_break_hearts: bool = opt.flag(True, "hearts are not led until broken (HE-18)")
    qs_breaks_hearts: bool = opt.flag(True, "the Queen of Spades breaks hearts (HE-20)")
    can_lead_hearts_instead_of_qs: bool = opt.flag(
        False, "a player whose other cards are all hearts may lead them, unbroken, to keep the Queen of Spades (HE-19)"
    )
    jd_bonus: bool = opt.flag(False, "the Jack of Diamonds counts -10 (HE-40)")
    avoid_all_tricks_bonus: bool = opt.flag(False, "-5 for winning no trick, unless someone shot the moon (HE-47)")
    moon: str = opt.one_of("others", ("others", "self"), "a moon gives the others 26 each, or its player -26 (HE-46)")
    reward: str = opt.one_of("relative", ("relative", "openspiel"), "relative to the mean, or 26 minus the points of the hand")

    def validate(self) -> None:
        if self.passing == "default":
            object.__setattr__(self, "passing", "cycle" if self.match == "match" else "random")
        if self.reward == "openspiel" and self.match == "match":
            raise ValueError("option reward='openspiel' is not allowed with match='match'; allowed: relative")

    @classmethod
    def samples(cls) -> list[Options]:
        """With a short match, the second, and a hand as OpenSpiel plays it."""
        first, *others = super().samples()
        match = cls(match="match", target=50, max_hands=6, jd_bonus=True, moon="self", avoid_all_tricks_bonus=True)
        return [first, match, cls(deck="standard", reward="openspiel"), *others]


def points_of_hand(options: Options) -> tuple[int, int]:
    """The least and greatest points of a player in a hand. With the Extended Deck nobody has more than 28 of the 29 points: all
    29 would be a moon."""
    low = min(NO_TRICK_POINTS * options.avoid_all_tricks_bonus, 0)
    if options.moon == "self":
        low = -MAX_POINTS
    low += JACK_POINTS * options.jd_bonus
    return low, MAX_POINTS if options.deck == "standard" else ALL_POINTS - 1


def least_total(options: Options) -> int:
    return options.max_hands * points_of_hand(options)[0]


# Sets of cards as in core/extended. A player's passed cards are in `passed` and, after the exchange, also in a hand.
FIELDS = [
    *extended_fields(PLAYERS),
    *trick_fields(),
    Field("match", "u1"),
    Field("target", "u2"),
    Field("max_hands", "u2"),
    Field("passing", "u1"),
    Field("no_pts_on_first_trick", "u1"),
    Field("can_lead_any_club", "u1"),
    Field("must_break_hearts", "u1"),
    Field("qs_breaks_hearts", "u1"),
    Field("can_lead_hearts_instead_of_qs", "u1"),
    Field("jd_bonus", "u1"),
    Field("avoid_all_tricks_bonus", "u1"),
    Field("moon", "u1"),
    Field("reward", "u1"),
    Field("phase", "u1", high=PLAY),
    Field("pass_direction", "u1", high=RIGHT),  # of this hand
    Field("passed", "u8", (PLAYERS, 2), bits=SET),
    Field("asked", "u1", bits=(1 << PLAYERS) - 1),  # seats that were asked whether they claim the lead (HE-11), as bits
    # The first leader by HE-11, NOBODY before that is known.
    Field("opener", "i1", low=NOBODY, high=PLAYERS - 1),
    Field("opening", "u1", high=BY_NEED),  # the reason; it is public only whether it was a claim
    Field("broken", "u1", high=1),
    Field("won", "u8", (PLAYERS, 2), bits=SET),
    Field("tricks", "u1", (PLAYERS,), high=TRICKS),  # won
    Field(
        "totals", "i2", (PLAYERS,), low=least_total, high=lambda options: options.target - 1
    ),  # of the match before this hand
]

ACTIONS = Layout(
    *TRICK_ACTIONS,
    Block(
        "claim",
        2,
        "claim the lead to the first trick, or decline it",
        label="{answer} the lead",
        parts={"answer": ("claim", "decline")},
    ),
)
CLAIM_AT = ACTIONS.slices(PLAYERS)["claim"].start
DECLINE_AT = CLAIM_AT + 1

_CLOCKWISE = "of each player, clockwise from the viewer"
OBSERVATION = Layout(
    *EXTENDED_OBSERVATION,
    *TRICK_OBSERVATION,
    Block("phase", 3, "passing, claiming the lead, play: one-hot"),
    Block("pass_dir", 4, "hold, left, across, right: one-hot"),
    Block("passed", DECK_66, "cards the viewer passed, by id"),
    Block("received", DECK_66, "cards that were passed to the viewer, by id; known after the exchange"),
    Block("won", PLAYERS * DECK_66, f"{_CLOCKWISE}, the cards won, by id"),
    Block(
        "points",
        PLAYERS,
        f"{_CLOCKWISE}, the points of the cards won in this hand by HE-40: / 26",
        low=JACK_POINTS / MAX_POINTS,
        high=ALL_POINTS / MAX_POINTS,
    ),
    Block(
        "totals",
        PLAYERS,
        f"{_CLOCKWISE}, the total of the match before this hand: / 100; below target, and not below the least points of "
        "max_hands hands",
        low=lambda options: options.max_hands * points_of_hand(options)[0] / 100,
        high=lambda options: options.target / 100,
    ),
    Block("tricks", PLAYERS, f"{_CLOCKWISE}, tricks won: / {TRICKS}"),
    Block("broken", 1, "1 if hearts are broken"),
)
EVENTS = (
    *EXTENDED_EVENTS,
    *TRICK_EVENTS,
    EventKind(EXCHANGE, "in which direction cards are passed in this hand (HE-04)", "{amount}",
              words=("no cards are passed", "cards are passed to the left", "cards are passed across",
                     "cards are passed to the right")),
    EventKind(SELECT, "a player puts a card aside to pass it; only they see that (HE-05)", "{player} puts {cards} aside",
              secret=True),
    EventKind(CHOOSE, "a player has put aside all the cards that they pass (HE-04)", "{player} has put {amount} cards aside"),
    EventKind(GIVE, "cards are passed; giver and receiver see them (HE-05)", "{player} passes {cards} to {other}"),
    EventKind(ASK, "a player with a Joker is asked whether they claim the lead to the first trick (HE-11)",
              "{player} may claim the lead"),
    EventKind(ANSWER, "whether they claim it (HE-11)", "{player} {amount} the lead", words=("declines", "claims")),
    EventKind(TURN, "who is to lead the first trick (HE-10, HE-11)", "{player} is to lead"),
    EventKind(COLLECT, "a player has won all penalty cards in play (HE-43)", "{player} has shot the moon"),
    EventKind(SCORE, "the points of a player in the hand (HE-40 to HE-47)", "{player} scores {amount} point{s}"),
    EventKind(WIN, "who has the fewest points when the episode ends; the amount is how many (HE-50)",
              "{player} wins with {amount} point{s}"),
)  # fmt: skip
