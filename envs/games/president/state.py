"""Options, record, actions and observation of President."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import options as opt
from ...core.cards import DECK_66, JOKER_RANK, RANK_TEXT, RANKS, SPECIAL_TEXT, STANDARD, SUITS
from ...core.extended.state import NOBODY, SET, deck_option, extended_fields
from ...core.extended.view import REVEAL_ACTIONS, extended_observation
from ...core.fields import Field, all_seats, last_seat
from ...core.layout import Block, Layout
from ...core.match import match_option
from ...core.parts import Part

MIN_PLAYERS, MAX_PLAYERS = 3, 7
WITH_VICES = 4  # players from whom on there are a Vice-President and a Vice-Scum (PR-09)
MOST_JOKERS, KINDS = 2, 3
SET_CARDS = SUITS  # cards of the largest set (PR-11, PR-13)

EXCHANGE, PLAY = range(2)  # phases
USUAL, ALL = range(2)  # deal
PRESIDENT_LEADS, SCUM_LEADS = range(2)  # next_lead
EXCHANGES = 2  # at most, in a deal
PRESIDENT, VICE_PRESIDENT, CITIZEN, VICE_SCUM, SCUM = range(5)  # roles
PRESIDENT_POINTS, VICE_POINTS = 2, 1  # PR-42

EMPTY = -1  # the table: nothing, a rank, or from FIRST_KIND on a kind of special
FIRST_KIND = RANKS

# Sets by their number of cards and number of Jokers, in the order of their actions (PR-10, PR-11).
SETS = [(cards, jokers) for cards in range(1, SET_CARDS + 1) for jokers in range(min(cards, MOST_JOKERS) + 1)]
CODES = len(SETS)
CARDS_OF = np.array([cards for cards, _ in SETS])
JOKERS_OF = np.array([jokers for _, jokers in SETS])

# The maximal size of a hand: three players' share of 52, the whole pile, and the cards of an exchange.
MOST_CARDS = 18 + DECK_66 - STANDARD + EXCHANGES
UNIT = 27  # the unit of card counts in the observation


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of President."""

    num_players: int = opt.integer(4, MIN_PLAYERS, MAX_PLAYERS, "number of players")
    deck: str = deck_option()
    deal: str = opt.one_of(
        "usual",
        ("usual", "all"),
        "extended deck: 52 cards are dealt and 14 are the pile, or all are dealt and there is no pile (PR-02)",
        stored_as="deals_all",
    )
    twos_high: bool = opt.flag(True, "ranks rise 3, 4, ..., K, A, 2, or 2, 3, ..., K, A (PR-03)")
    pass_is_final: bool = opt.flag(False, "a player who passes is out of the trick (PR-24)")
    ask_forced_pass: bool = opt.flag(False, "ask a player even if they can only pass (PR-25)")
    match: str = match_option(
        "points", "an episode is one deal without exchange, or deals until a total reaches target (PR-42)"
    )
    exchange: int = opt.integer(
        1, 0, EXCHANGES, "in a match: cards exchanged between President and Scum; 2: also one between the Vices (PR-40)"
    )
    next_lead: str = opt.one_of("president", ("president", "scum"), "in a match: who leads the second and later deals (PR-01)")
    target: int = opt.integer(11, 1, 1000, "a match ends when a total has reached it (PR-42)")
    max_hands: int = opt.integer(30, 1, 1000, "a match ends after this many deals (PR-42)")

    @classmethod
    def samples(cls) -> list[Options]:
        """Samples with short matches, because only matches have exchanges."""
        first, *others = super().samples()
        match: dict[str, Any] = {"match": "points", "max_hands": 6}
        return [
            first,
            cls(num_players=5, exchange=2, next_lead="scum", **match),
            cls(num_players=3, deck="standard", pass_is_final=True, **match),
            *others,
        ]


def cards_dealt(options: Options) -> int:
    """PR-02."""
    return DECK_66 if options.deck == "extended" and options.deal == "all" else STANDARD


FIELDS = [
    *extended_fields(MAX_PLAYERS),
    Field("deals_all", "u1"),  # the option `deal`
    Field("twos_high", "u1"),
    Field("pass_is_final", "u1"),
    Field("ask_forced_pass", "u1"),
    Field("match", "u1"),
    Field("exchange", "u1"),
    Field("next_lead", "u1"),
    Field("target", "u2"),
    Field("max_hands", "u2"),
    Field("phase", "u1", high=PLAY),
    # The set on the table: its rank or kind, how many cards, how many Jokers among them, and who played it last in the trick.
    Field("table", "i1", low=EMPTY, high=FIRST_KIND + KINDS - 1),
    Field("table_cards", "u1", high=SET_CARDS),
    Field("table_jokers", "u1", high=MOST_JOKERS),
    Field("last", "i1", low=NOBODY, high=last_seat),
    # Who has passed or been skipped since the last play, and has not paused since, as bits (PR-07, PR-22).
    Field("passed", "u1", bits=all_seats),
    Field("barred", "u1", bits=all_seats),  # who has passed in the trick, where that is final (PR-24)
    Field("place", "u1", (MAX_PLAYERS,), high=lambda options: options.num_players),  # of those out of cards, else 0
    Field("before", "u1", (MAX_PLAYERS,), high=lambda options: options.num_players),  # places of the deal before
    Field("taken", "u1", (MAX_PLAYERS,), high=DECK_66 - STANDARD),  # cards from the pile in this deal
    Field("played", "u8", (MAX_PLAYERS, 2), bits=SET),  # in this deal
    Field("given", "u8", (MAX_PLAYERS, 2), bits=SET),  # in the exchange of this deal, by the seat
    # Points of the deals that are over.
    Field("totals", "u2", (MAX_PLAYERS,), high=lambda options: options.target + PRESIDENT_POINTS - 1),
]


def set_text(rank: int, count: int, jokers: int) -> str:
    """A set in words: `9 9 Joker`, `Joker as 2`, `Dr Dr`."""
    if rank >= FIRST_KIND:
        return " ".join([SPECIAL_TEXT[rank - FIRST_KIND]] * count)
    words = [RANK_TEXT[rank]] * (count - jokers) + ["Joker"] * jokers
    return " ".join(words) + (f" as {RANK_TEXT[rank]}" if count == jokers else "")


def _set(rank: int, count: int, jokers: int) -> Part:
    ranks = (rank,) * (count - jokers) + (JOKER_RANK,) * jokers
    return Part(set_text(rank, count, jokers), ranks=ranks if count > jokers else (*ranks, rank))


_SETS = [_set(rank, int(CARDS_OF[code]), int(JOKERS_OF[code])) for rank in range(RANKS) for code in range(CODES)]
_LEADS = [_set(FIRST_KIND + kind, count, 0) for kind in range(KINDS) for count in range(1, SET_CARDS + 1)]
ACTIONS = Layout(
    Block(
        "play",
        RANKS * CODES,
        "play a set: rank 2..A, and of each rank 1, 1J, 2, 2J, 2JJ, 3, 3J, 3JJ, 4, 4J, 4JJ cards (J: "
        "one of them, JJ: two of them Jokers)",
        label="play {cards}",
        parts={"cards": _SETS},
    ),
    Block(
        "lead",
        KINDS * SET_CARDS,
        "lead specials of one kind: 1..4 Draws, Reverses, Skips",
        label="lead {cards}",
        parts={"cards": _LEADS},
    ),
    Block("pass", 1, "play nothing in this turn"),
    *REVEAL_ACTIONS,
    Block("give", RANKS, "exchange: give a card of this rank, 2..A", label="give {rank}"),
    Block("give_joker", 1, "exchange: give a Joker", label="give {rank}", parts={"rank": [JOKER_RANK]}),
    Block(
        "give_special",
        KINDS,
        "exchange: give a Draw, Reverse, Skip",
        label="give {rank}",
        parts={"rank": range(FIRST_KIND, FIRST_KIND + KINDS)},
    ),
)
LEAD_AT, PASS_AT, REVEAL_AT, COMMIT_AT, GIVE_AT, GIVE_JOKER_AT, GIVE_SPECIAL_AT = ACTIONS.places(
    "lead", "pass", "reveal", "commit", "give", "give_joker", "give_special", num_players=MIN_PLAYERS
)

_CLOCKWISE = "of each player, clockwise from the viewer"
OBSERVATION = Layout(
    *extended_observation(UNIT, MOST_CARDS),
    Block("rank", RANKS, "the place of the rank on the table in the order of PR-03, the lowest first: one-hot"),
    Block("special", KINDS, "Draws, Reverses or Skips led on the table: one-hot"),
    Block("count", SET_CARDS, "cards of the set on the table, 1..4: one-hot"),
    Block("jokers", MOST_JOKERS + 1, "Jokers in it, 0..2: one-hot"),
    Block("last", 0, "who played last in the trick, clockwise from the viewer: one-hot", each=1),
    Block("passed", 0, "1 for each player who has passed or been skipped since, and not paused, clockwise", each=1),
    Block("barred", 0, "1 for each player who is passed over until the trick ends (PR-24), clockwise", each=1),
    Block("place", 0, f"{_CLOCKWISE}, the place of those who are out of cards: / n", each=1),
    Block(
        "roles",
        0,
        f"{_CLOCKWISE}, in the deal before: President, Vice-President, citizen, Vice-Scum, Scum, one-hot",
        each=SCUM + 1,
    ),
    Block("played", 0, f"{_CLOCKWISE}, the cards played in this deal, by id", each=DECK_66),
    Block("given", DECK_66, "cards the viewer gave in the exchange of this deal, by id"),
    Block("received", DECK_66, "cards the viewer received in it, by id"),
    Block(
        "totals",
        0,
        f"{_CLOCKWISE}, points of the deals that are over: / target",
        each=1,
        high=lambda options: (options.target + PRESIDENT_POINTS - 1) / options.target,
    ),
    Block("phase", 2, "exchange, play: one-hot"),
    Block("sets", RANKS * SET_CARDS, "of each rank in the order of PR-03: whether the own hand has 1, 2, 3, 4 natural cards"),
    Block("unseen", RANKS * SET_CARDS, "the same of cards that are neither played nor in the own hand"),
    Block("higher", RANKS * SET_CARDS, "of each of the own sets: 1 / (1 + higher ranks with as many unseen cards)"),
)
