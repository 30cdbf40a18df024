"""Options, record, actions and observation of crazy eights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core import events
from ...core import options as opt
from ...core.cards import DECK_66, STANDARD, SUIT_NAMES, SUITS
from ...core.events import EventKind
from ...core.extended.events import EXTENDED_EVENTS
from ...core.extended.state import SET, deck_option, extended_fields
from ...core.extended.view import REVEAL_ACTIONS, extended_observation
from ...core.fields import Field, all_seats, last_seat
from ...core.layout import Block, Layout

MAX_PLAYERS = 7
HAND, HAND_OF_TWO = 5, 7  # cards dealt to each; with two players (CE-01)
RANKS = 16  # the 13 of the standard cards and the three kinds of specials (CE-06)
TWO, EIGHT, QUEEN, ACE = 0, 6, 10, 12  # ranks
TWOS = 6  # four cards, and two Jokers declared as such
PLAY, DECLARE, NOMINATE = range(3)  # phases
PIPS, BY_ID = range(2)  # card_points
RELATIVE, OPENSPIEL = range(2)  # reward
UNIT = 100  # points of a reward of 1
DEBT_UNIT = 8  # an entry of the observation


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of crazy eights."""

    num_players: int = opt.integer(4, 2, MAX_PLAYERS, "number of players")
    deck: str = deck_option()
    max_draw_cards: int = opt.integer(5, 1, STANDARD, "cards a player may draw in a turn before they pass (CE-20)")
    max_turns: int = opt.integer(100, 1, 1000, "the deal ends when this many cards have been played (CE-24)")
    dealer: Any = opt.seat("random", "who deals (CE-01)")
    use_special_cards: bool = opt.flag(
        False, "a Queen skips, an Ace reverses, after a 2 the next player draws two (CE-40 to CE-44)"
    )
    reshuffle: bool = opt.flag(False, "an empty pile is refilled with the discards below the top one (CE-22)")
    card_points: str = opt.one_of(
        "pips", ("pips", "openspiel"), "what cards left in hand cost: as usual, or as OpenSpiel counts (CE-60)"
    )
    reward: str = opt.one_of("relative", ("relative", "openspiel"), "see Rewards")

    @classmethod
    def samples(cls) -> list[Options]:
        """All values in few sets, the rarer rules together; the longest turns in a short deal."""
        special: dict[str, Any] = {"use_special_cards": True}
        openspiel: dict[str, Any] = {"card_points": "openspiel", "reward": "openspiel"}
        return [
            cls(),
            cls(num_players=5, deck="standard", dealer=0, **special, **openspiel),
            cls(num_players=3, max_draw_cards=2, max_turns=80, reshuffle=True, **special),
            cls(num_players=7, max_draw_cards=1, dealer=6, reshuffle=True),
            cls(num_players=6, max_draw_cards=52, max_turns=10),
            cls(num_players=2, max_turns=1000, card_points="openspiel", **special),
        ]


# Sets of cards as in core/extended. Cards laid below the top are in `refill` if they may become the pile, else in `discards`.
FIELDS = [
    *extended_fields(MAX_PLAYERS),
    Field("max_draw_cards", "u1"),
    Field("max_turns", "u2"),
    Field("dealer", "i1", high=last_seat),  # the option until play begins, then the dealer
    Field("use_special_cards", "u1"),
    Field("reshuffle", "u1"),
    Field("card_points", "u1"),
    Field("reward", "u1"),
    Field("phase", "u1", high=NOMINATE),
    Field("top", "u1", high=DECK_66 - 1),  # the card that lies on top, whatever it counts as
    Field("rank", "u1", high=RANKS - 1),  # to be matched, and
    Field("suit", "u1", high=SUITS - 1),  # this, see the observation
    Field("discards", "u8", (2,), bits=SET),
    Field("debt", "u1", high=2 * TWOS),  # cards owed for 2s (CE-41)
    Field("drawn", "u1", (MAX_PLAYERS,), high=lambda options: options.max_draw_cards),  # in the turn, be it paused (CE-21)
    Field("plays", "u2", high=lambda options: options.max_turns),
    Field("passes", "u1", high=lambda options: options.num_players + 1),  # CE-23
    # What all have seen of hidden cards. Eights and Jokers put back at the start (CE-02) that have not been played since, and,
    # as long as there are any, who has taken cards that might be these. Of each card the shuffle that made it part of the
    # pile: numbers that differ; 0 for the first.
    Field("put_back", "u8", (2,), bits=SET),
    Field("taken", "u1", bits=all_seats),
    Field("shuffled", "u1", (DECK_66,), high=DECK_66),
]

ACTIONS = Layout(
    Block("play", DECK_66, "play this card, by id", label="play {card}"),
    Block("declare", STANDARD, "declare the Joker just played to be this card, by id", label="declare {card}"),
    Block("nominate", SUITS, "name the suit to follow an eight: c, d, h, s", label="nominate {suit}"),
    Block("draw", 1, "take a card, or all that 2s make the player take"),
    Block("pass", 1, "end the turn without a play"),
    *REVEAL_ACTIONS,
)
DECLARE_AT, NOMINATE_AT, DRAW_AT, PASS_AT, REVEAL_AT, COMMIT_AT = ACTIONS.places(
    "declare", "nominate", "draw", "pass", "reveal", "commit", num_players=2
)

OBSERVATION = Layout(
    *extended_observation(),
    Block("top", DECK_66, "the card on top of the discard pile, by id"),
    Block(
        "rank",
        RANKS,
        "rank to match: 2..A, Draw, Reverse, Skip, one-hot; until a Joker is declared that of the card beneath (CE-06)",
    ),
    Block(
        "suit", SUITS, "suit to match: c, d, h, s, one-hot; until a suit is named the eight's own, as for Jokers above (CE-06)"
    ),
    Block("debt", 1, "cards the player in turn must take for 2s: / 8", high=2 * TWOS / DEBT_UNIT),
    Block("drawn", 1, "cards the player in turn has drawn in it, as CE-21 counts: / max_draw_cards"),
    Block("plays", 1, "cards played in the deal: / max_turns"),
    Block("passes", 1, "passes in a row with an empty pile (CE-23): / (n + 1)"),
    Block("phase", 3, "asked for: a turn's action, the declaration of a Joker, a suit: one-hot"),
    Block("discards", DECK_66, "cards of the discard pile, the top among them, by id"),
    Block("dealer", 0, "who dealt, clockwise from the viewer: one-hot", each=1),
)


def _so_many(cards: int, options: Options) -> str:
    return "1 card is" if cards == 1 else f"{cards} cards are"


EVENTS = (
    *EXTENDED_EVENTS,
    EventKind(events.ROUND, "a player deals; the amount is how many cards to each (CE-01)",
              "{player} deals {amount} cards to each"),
    EventKind(events.TURN_UP, "a card is turned up to begin the discard pile; specials leave the game (CE-02, CE-04)",
              "{cards} is turned up"),
    EventKind(events.SHUFFLE, "an eight or a Joker turned up goes back into the pile, nobody sees where (CE-02); or all "
              "below the top of the discard pile become the pile (CE-22)", "{amount} shuffled into the pile", words=_so_many),
    EventKind(events.PLAY, "a card is played (CE-10)", "{player} plays {cards}"),
    EventKind(events.DECLARE, "what a Joker is declared to be (CE-12)", "{player} declares the Joker to be {cards}"),
    EventKind(events.CHOOSE, "the suit named after an eight: 0..3 are c, d, h, s (CE-11)", "{player} names {amount}",
              words=SUIT_NAMES),
    EventKind(events.PASS, "a pass, or there is nothing of the cards owed to take (CE-20, CE-42)", "{player} passes"),
    EventKind(events.OUT, "a player has no cards left (CE-24)", "{player} is out of cards"),
    EventKind(events.SCORE, "what the cards left in a hand cost (CE-60)", "{player} is left with {amount} point{s}"),
)  # fmt: skip
