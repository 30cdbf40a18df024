"""Options, record, actions and observation of Wild Escape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core import events
from ...core import options as opt
from ...core.cards import BIG_JOKER, DECK_54, RANK_TEXT, RANKS, SMALL_JOKER, SUITS
from ...core.events import EventKind
from ...core.fields import Field
from ...core.layout import Block, Layout
from ...core.parts import Part

PLAYERS = 6
DECKS = 3
DECK = DECKS * DECK_54
HAND = DECK // PLAYERS
MOST = 5  # cards of the largest play
EXCHANGES = 3  # a tribute for each trapped loser, at most
NOBODY, NO_CARD = -1, -1

LOWEST_LEVEL, HIGHEST_LEVEL = 2, 14  # of a level that can be trump; 14 is the Ace
BEYOND = HIGHEST_LEVEL + 1  # reached by winning a round at level 14

ROUND, MATCH = range(2)  # episode
KEEP, OFFER_TWO = range(2)  # joker_tribute
TOP, ALL = range(2)  # flush_compare

# The question to the player to move. From CARDS on the answer is cards, which are chosen one after another.
PLAY, ANSWER, CARDS, TRIBUTE, RETURN, OFFER, HIGHER = range(7)
STAGES = 7


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of Wild Escape."""

    num_players: int = opt.one_of(PLAYERS, (PLAYERS,), "number of players")
    episode: str = opt.one_of("round", ("round", "match"), "an episode is one round without tribute, or a match (WE-23)")
    levels: tuple[int, ...] = opt.integers(
        (LOWEST_LEVEL, LOWEST_LEVEL), LOWEST_LEVEL, HIGHEST_LEVEL, "levels of the two teams at the start (14 is the Ace)"
    )
    target_level: int = opt.integer(14, LOWEST_LEVEL + 1, BEYOND, "a match ends when a team reaches it (15: wins at the Ace)")
    joker_tribute: str = opt.one_of("keep", ("keep", "offer_two"), "what follows when a tribute is a Joker (WE-31, WE-32)")
    flush_compare: str = opt.one_of("all", ("top", "all"), "flushes compare by the highest card, or card by card (WE-09)")
    leader: Any = opt.seat("random", "who leads the first round (WE-03)")
    max_rounds: int = opt.integer(100, 1, 500, "a match ends after this many rounds (WE-23)")
    ask_forced_pass: bool = opt.flag(False, "ask a player even if they can only pass (WE-14)")

    def validate(self) -> None:
        if self.episode == "match" and max(self.levels) >= self.target_level:
            raise ValueError(
                f"option levels={self.levels!r} is not allowed in a match to level {self.target_level}; "
                f"allowed: {LOWEST_LEVEL}..{self.target_level - 1}"
            )

    @classmethod
    def samples(cls) -> list[Options]:
        """Samples with a match in which Jokers are answered by offers, which no single option causes."""
        first, *others = super().samples()
        return [first, cls(episode="match", joker_tribute="offer_two", max_rounds=8), *others]


RANK_INDICES = RANKS + 2  # 2..A, Small Joker, Big Joker
TOPS = 10  # top cards of straights, 5..A
_RANK = {"rank": (*range(RANKS), Part("SJ", cards=(SMALL_JOKER,)), Part("BJ", cards=(BIG_JOKER,)))}
_TOP = {"rank": range(RANKS - TOPS, RANKS)}
# Nobody notices how a player chooses cards, nor whether there was a choice, of cards or to pass: only what comes of it.
ACTIONS = Layout(
    Block("pass", 1, "play nothing in this turn"),
    Block(
        "single",
        RANK_INDICES,
        "one card of this rank: 2..A, Small Joker, Big Joker",
        label="single {rank}",
        parts=_RANK,
    ),
    Block("pair", RANK_INDICES, "a pair of this rank", label="pair of {rank}", parts=_RANK),
    Block("three", RANK_INDICES, "three of this rank", label="three {rank}", parts=_RANK),
    Block("straight", TOPS, "a straight with this top card: 5..A", label="straight to {rank}", parts=_TOP),
    Block(
        "flush",
        SUITS * RANKS,
        "a flush: suit c, d, h, s, then rank 2..A of its highest card",
        label="flush {suit} to {rank}",
    ),
    Block(
        "full_house",
        RANK_INDICES,
        "a full house with a triple of this rank",
        label="full house of {rank}",
        parts=_RANK,
    ),
    Block("four", RANK_INDICES, "four of this rank and another card", label="four {rank} and one", parts=_RANK),
    Block(
        "straight_flush",
        SUITS * TOPS,
        "a straight flush: suit c, d, h, s, then top card 5..A",
        label="straight flush {suit} to {rank}",
        parts=_TOP,
    ),
    Block("five", RANK_INDICES, "five of this rank", label="five {rank}", parts=_RANK),
    Block(
        "keep",
        3,
        "keep the first of two offered cards, the second, or both (WE-32)",
        label="keep {offered}",
        parts={"offered": ("the first", "the second", "both")},
    ),
    Block(
        "card",
        DECK_54,
        "a card of this type: the next of the play, or the tribute, returned or offered card",
        label="card {card}",
    ),
)
KINDS = ACTIONS.slices(PLAYERS)["keep"].start  # actions below are a pass and the kinds of play

# Cards are counts of each type, 0..53 by id. `known` are those of a hand that lie there for all to remember, given or
# returned in the open (WE-29) and not played since. Cards of the latest play of a seat in this trick are in `last`, in
# ascending order; all cards played in the round, these among them, are in `played`.
FIELDS = [
    Field("max_rounds", "u2"),
    Field("round_number", "u2", low=1, high=lambda options: options.max_rounds),  # rounds begun
    Field("episode", "u1"),
    # The option until play begins, then the levels reached.
    Field("levels", "u1", (2,), low=lambda options: options.levels, high=BEYOND),
    Field("target_level", "u1"),
    Field("joker_tribute", "u1"),
    Field("flush_compare", "u1"),
    Field("leader", "i1", high=PLAYERS - 1),  # the option until play begins, then the offense leader of the round
    Field("ask_forced_pass", "u1"),
    Field("trump", "u1", low=LOWEST_LEVEL, high=HIGHEST_LEVEL),  # level 2..14 whose rank is trump in this round
    Field("stage", "u1", high=STAGES - 1),
    Field("hand", "u1", (PLAYERS, DECK_54), high=DECKS),
    Field("hand_size", "u1", (PLAYERS,), high=DECK),
    Field("known", "u1", (PLAYERS, DECK_54), high=DECKS),
    Field("played", "u1", (PLAYERS, DECK_54), high=DECKS),
    Field("place", "u1", (PLAYERS,), high=PLAYERS),  # 1..6, 0 while in play (WE-16, WE-17)
    Field("escaped", "u1", high=PLAYERS),  # players who have escaped in this round
    Field("kind", "u1", high=KINDS - 1),  # the action that named the play whose cards are being chosen, else 0
    Field("chosen", "u1", (MOST,), high=DECK_54 - 1),  # cards chosen so far, only seen by the player to move
    Field("chosen_size", "u1", high=MOST),
    Field("owner", "i1", low=NOBODY, high=PLAYERS - 1),  # who made the play to beat, NOBODY when a trick is to be led
    Field("beat", "u1", high=KINDS - 1),  # the action that named it
    Field("passes", "u1", high=PLAYERS),  # in a row since
    Field("last", "u1", (PLAYERS, MOST), high=DECK_54 - 1),
    Field("last_size", "u1", (PLAYERS,), high=MOST),
    Field("passed", "u1", (PLAYERS,), high=1),  # whether the player's latest turn in this trick was a pass
    Field("exchanges", "u1", high=EXCHANGES),  # tributes of this round
    Field("exchange", "u1", high=EXCHANGES),  # the one at work
    Field("giver", "i1", (EXCHANGES,), low=NOBODY, high=PLAYERS - 1),  # worst place first
    Field("receiver", "i1", (EXCHANGES,), low=NOBODY, high=PLAYERS - 1),  # best place first
    Field("tribute", "i1", (EXCHANGES,), low=NO_CARD, high=DECK_54 - 1),
    Field("answer", "i1", (EXCHANGES, 2), low=NO_CARD, high=DECK_54 - 1),  # the card returned, or the two offered (WE-32)
    Field("kept", "u1", (EXCHANGES,), bits=3),  # of the offered cards
    Field("higher", "i1", (EXCHANGES,), low=NO_CARD, high=DECK_54 - 1),  # what the giver returned for both
]


_KIND = "one-hot by family (single, pair, ..., five), by rank (2..A, Small, Big; top or highest card), by suit"
_CARD = "rank (2..A, Small, Big = 1/15..15/15) and suit (c, d, h, s = 1/4..4/4, Joker 0)"
FAMILIES = 9
KIND_CODE = FAMILIES + RANK_INDICES + SUITS
OBSERVATION = Layout(
    Block("hand", DECK_54, "own hand: cards of each type / 3"),
    Block("stage", STAGES, "asked for: a play, an answer to an offer, cards of a play, tribute, return, offer, higher card"),
    Block("kind", KIND_CODE, f"the kind chosen, if its cards are being chosen: {_KIND}"),
    Block("chosen", DECK_54, "cards chosen so far: of each type / 3"),
    Block("beat", KIND_CODE, f"the play to beat: {_KIND}"),
    Block("beat_cards", MOST * 2, f"its cards: five times {_CARD}"),
    Block("beat_owner", 0, "who made it, clockwise from the viewer: one-hot", each=1),
    Block("passes", 1, "passes in a row since / 5"),
    Block("hand_size", 0, "cards left of each player, clockwise: / 28", each=1),
    Block("team", 0, "1 for each player of the viewer's team, clockwise", each=1),
    Block("place", 0, "place of each player who has escaped, clockwise: / 6", each=1),
    Block("last", 0, f"latest play of each player in this trick, clockwise: five times {_CARD}", each=MOST * 2),
    Block("passed", 0, "1 for each player whose latest turn in this trick was a pass, clockwise", each=1),
    Block("played", DECK_54, "cards played in the round: of each type / 3"),
    Block("played_by", 0, "cards played in the round by each player, clockwise: of each type / 3", each=DECK_54),
    Block("trump", RANKS, "the trump rank: one-hot"),
    Block("levels", 2, "level of the viewer's team, of the other: (level - 2) / 13"),
    Block("offense", 1, "1 if the viewer's team is the offense"),
    Block("round", 1, "round number / max_rounds"),
    Block("giver", 0, "tributes of this round, at most three: who gives, clockwise from the viewer, one-hot", each=EXCHANGES),
    Block("receiver", 0, "who receives, clockwise from the viewer: one-hot", each=EXCHANGES),
    Block("tribute", EXCHANGES * 2, f"the card given: {_CARD}"),
    Block("answer", EXCHANGES * 4, f"the card returned, or the two offered: twice {_CARD}"),
    Block("kept", EXCHANGES * 2, "of two offered cards: 1 for each that the giver kept"),
    Block("higher", EXCHANGES * 2, f"the card the giver returned for keeping both: {_CARD}"),
)


DRAWN, ROUND_WON, MATCH_WON = range(3)  # what the team of the first to escape has reached
PLACES = ("", "first", "second", "third", "fourth", "fifth", "sixth")


def level_text(level: int) -> str:
    return RANK_TEXT[level - LOWEST_LEVEL] if level < BEYOND else "beyond A"


def _kind_in_words(kind: int, options: Options) -> str:
    return ACTIONS.text(options, kind)


EVENTS = (
    EventKind(events.ROUND, "a round begins; the player leads the offense, the amount is the trump level (WE-03, WE-04)",
              "{player} leads the offense, {amount} is trump", words=lambda level, options: level_text(level)),
    EventKind(events.DEAL, "the hand of each player, who sees it (WE-01)", "{player} is dealt {cards}"),
    EventKind(events.GIVE, "a tribute, or the card returned for it (WE-25, WE-27, WE-32)", "{player} gives {cards} to {other}"),
    EventKind(events.EXCHANGE, "two cards for a Joker, of which the giver chooses (WE-32)", "{player} offers {other} {cards}"),
    EventKind(events.ANSWER, "which of them stay with the giver (WE-32)", "{player} keeps {amount}",
              words=("the first", "the second", "both")),
    EventKind(events.CHOOSE, "the kind of play whose cards are chosen next; the amount is its action",
              "{player} chooses {amount}", words=_kind_in_words, secret=True),
    EventKind(events.SELECT, "cards chosen so far, of a play or of an answer", "{player} chooses {cards}", secret=True),
    EventKind(events.PLAY, "a play (WE-13, WE-14)", "{player} plays {cards}"),
    EventKind(events.DECLARE, "what five cards are; the amount is the action that named it (WE-11)",
              "{player}'s play is {amount}", words=_kind_in_words),
    EventKind(events.PASS, "a pass, a forced one too (WE-14)", "{player} passes"),
    EventKind(events.TRICK_WON, "all others have passed (WE-15)", "{player} wins the trick"),
    EventKind(events.OUT, "a player without cards; the amount is the place (WE-16)", "{player} escapes {amount}",
              words=PLACES),
    EventKind(events.RANKED, "a player who still has cards at the end of a round; the amount is the place (WE-17)",
              "{player} is trapped in {amount} place", words=PLACES),
    EventKind(events.WIN, "how the round ends for the team of the first to escape (WE-18 to WE-21), or the match (WE-23)",
              "{player}'s team {amount}",
              words=("escapes first, but the round is a draw", "wins the round", "wins the match")),
    EventKind(events.SCORE, "the new level of the offense (WE-22)", "{player}'s team rises to {amount}",
              words=lambda level, options: level_text(level)),
)  # fmt: skip
