"""Options, record, actions and observation of bluff."""

from __future__ import annotations

from dataclasses import dataclass

from ...core import events
from ...core import options as opt
from ...core.cards import DECK_66, RANK_TEXT, RANKS, STANDARD, SUITS
from ...core.events import EventKind
from ...core.extended.events import EXTENDED_EVENTS
from ...core.extended.state import NOBODY, SET, deck_option, extended_fields
from ...core.extended.view import REVEAL_ACTIONS, extended_observation
from ...core.fields import Field, all_seats, last_seat
from ...core.layout import Block, Circles, Layout
from ...core.parts import Part

MAX_PLAYERS = 8
MOST_PLAYED = 6  # four cards of a rank and two Jokers
ALWAYS_FAILS = 5  # cards of one rank: five do not exist (BL-31)
CLAIMABLE = RANKS + 3  # the ranks, and Draw, Reverse, Skip
NO_RANK = -1
MOST_CLAIMED, MOST_TAKEN = 8, 4  # scale in the observation
MOST_TURNS = 10_000

ASCENDING, FREE = range(2)  # rank_order
CHECK_ONE = 1  # check
NEXT_ONLY = 1  # challengers
_AFTER = (None, "next", "winner", "taker")
ACCEPTED, HELD, FAILED = range(3)  # what happens to a claim
NEXT, WINNER, TAKER = range(1, 4)  # after_challenge; None is never stored: `agree` resolves it


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of bluff."""

    num_players: int = opt.integer(4, 2, MAX_PLAYERS, "number of players")
    deck: str = deck_option()
    rank_order: str = opt.one_of(
        "ascending", ("ascending", "free"), "each play claims the next rank (BL-10), or the rank that was led (BL-20)"
    )
    first_rank: str = opt.one_of("A", tuple(RANK_TEXT), "ascending: the rank claimed first (BL-10)")
    check: str = opt.one_of("all", ("all", "one"), "a challenge turns up all cards of the play, or a random one (BL-32, BL-33)")
    challengers: str = opt.one_of("all", ("all", "next"), "who may challenge: all others in turn, or the next player (BL-30)")
    after_challenge: str | None = opt.one_of(
        None,
        _AFTER,
        "who is next after a challenge (BL-36): the player after the challenged one, the winner of the challenge, or whoever "
        "took the heap; none: next in ascending order, winner in free order",
    )
    allow_pass: bool | None = opt.flag(None, "whether players may pass (BL-13, BL-20); none: in free order only")
    max_play: int | None = opt.integer(None, 1, MOST_PLAYED, "most cards in a play (BL-04); none: 4 of 52, 6 of 66", none=0)
    claim_specials: bool = opt.flag(True, "free order: Draws, Reverses and Skips may be claimed too (BL-21)")
    deal_52: bool = opt.flag(True, "Extended Deck: 52 cards are dealt; else all 66, and there is no stock (BL-02)")
    max_turns: int = opt.integer(200, 1, MOST_TURNS, "the deal is stopped after this many turns (BL-51)")

    def validate(self) -> None:
        free = self.rank_order == "free"
        if self.after_challenge is None:
            object.__setattr__(self, "after_challenge", "winner" if free else "next")
        if self.allow_pass is None:
            object.__setattr__(self, "allow_pass", free)
        if self.max_play is None:
            object.__setattr__(self, "max_play", 4 if self.deck == "standard" else MOST_PLAYED)

    @classmethod
    def samples(cls) -> list[Options]:
        """All numbers of players and all rules, but not all first ranks and maximal numbers of cards."""
        return [
            cls(),
            cls(rank_order="free"),
            cls(num_players=2, rank_order="free", check="one", after_challenge="next", max_play=2),
            cls(num_players=3, allow_pass=True, after_challenge="winner", check="one", first_rank="7", max_turns=50),
            cls(num_players=5, deck="standard", rank_order="free", allow_pass=False, challengers="next", max_turns=60),
            cls(num_players=6, deck="standard", after_challenge="taker", max_play=5, first_rank="2", max_turns=1),
            cls(num_players=7, deal_52=False, rank_order="free", claim_specials=False, after_challenge="taker", max_turns=40),
            cls(num_players=8, challengers="next", max_play=1, max_turns=100),
        ]


# Cards put down are one list, `laid_card[k]` by `laid_seat[k]`: first those out of the game, then the heap; within a play in
# ascending order. Only the player of a card knows it; `shown` and `given` tell who knows a card in another's hand.
FIELDS = [
    *extended_fields(MAX_PLAYERS),
    Field("rank_order", "u1"),
    Field("first_rank", "u1"),
    Field("check", "u1"),
    Field("challengers", "u1"),
    Field("after_challenge", "u1"),
    Field("allow_pass", "u1"),
    Field("max_play", "u1"),
    Field("claim_specials", "u1"),
    Field("deal_52", "u1"),
    Field("max_turns", "u2"),
    Field("turns", "u2", high=lambda options: options.max_turns),  # begun
    Field("answering", "u1", high=1),  # whether the others are asked about the play of `turn`
    # The rank to claim, or the claimed rank while it is answered; NO_RANK: the leader names one.
    Field("required", "i1", low=NO_RANK, high=CLAIMABLE - 1),
    Field("composed", "u8", (2,), bits=SET),  # cards of the play being composed; they are no longer in the hand
    Field("laid", "u1", high=DECK_66),  # cards put down
    Field("gone", "u1", high=DECK_66),  # of these, those out of the game (BL-22)
    Field("laid_card", "u1", (DECK_66,), high=DECK_66 - 1),
    Field("laid_seat", "i1", (DECK_66,), high=last_seat),
    Field("laid_first", "u1", (DECK_66,), high=1),  # whether the card is the first of its play
    Field("passed", "u1", bits=all_seats),  # since the last play on this heap (BL-22)
    Field("shown", "u8", (2,), bits=SET),  # cards in hands that all know, because a challenge turned them up
    # By seat, cards in others' hands that this player knows, because they put them down.
    Field("given", "u8", (MAX_PLAYERS, 2), bits=SET),
    # By seat, up to the limit of the observation: claimed cards of each rank since it last took a heap, and cards of each rank
    # that it took face up, minus those claimed since.
    Field("claimed", "u1", (MAX_PLAYERS, CLAIMABLE), high=MOST_CLAIMED),
    Field("taken", "u1", (MAX_PLAYERS, CLAIMABLE), high=MOST_TAKEN),
    Field("challenger", "i1", low=NOBODY, high=last_seat),  # of the latest challenge
    Field("challenged", "i1", low=NOBODY, high=last_seat),
    Field("held", "u1", high=1),  # whether the claim held
    Field("turned", "u8", (2,), bits=SET),  # the cards turned up
]

# In words, as `3s` would be the Three of spades.
RANK_NAMES = (
    *("Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King", "Ace"),
    *("Draw", "Reverse", "Skip"),
)
RANKS_NAMES = tuple(f"{name}es" if name == "Six" else f"{name}s" for name in RANK_NAMES)
# All ranks of the standard deck are alike, in a circle where claims go up (BL-10).
RANK_CIRCLE = Circles(CLAIMABLE, (range(RANKS),))
CARD_CIRCLES = Circles(DECK_66, tuple(range(suit, STANDARD, SUITS) for suit in range(SUITS)))

ACTIONS = Layout(
    Block("put", DECK_66, "add this card to the play, by id", label="put {card}", circles=CARD_CIRCLES),
    Block(
        "name",
        CLAIMABLE,
        "a leader names the rank: 2 to A, Draw, Reverse, Skip",
        label="name {rank}",
        parts={"rank": [Part(name, ranks=(rank,)) for rank, name in enumerate(RANKS_NAMES)]},
        circles=RANK_CIRCLE,
    ),
    Block("play", 1, "complete the play: claim that many cards of the rank"),
    Block("pass", 1, "pass: end the turn without a play"),
    Block("challenge", 1, "challenge the claim"),
    Block("accept", 1, "accept the claim"),
    *REVEAL_ACTIONS,
)
NAME_AT, PLAY_AT, PASS_AT, CHALLENGE_AT, ACCEPT_AT, REVEAL_AT, COMMIT_AT = ACTIONS.places(
    "name", "play", "pass", "challenge", "accept", "reveal", "commit", num_players=MAX_PLAYERS
)

_CLOCKWISE = "clockwise from the viewer"
OBSERVATION = Layout(
    *extended_observation(unit=DECK_66, most=DECK_66, circles=CARD_CIRCLES),
    Block(
        "composition", DECK_66, "cards the viewer has put so far in the play they are composing, by id", circles=CARD_CIRCLES
    ),
    Block(
        "required",
        CLAIMABLE,
        "the rank to be claimed, led or just named, or of the claim that is answered: 2..A, Dr, Rv, Sk",
        circles=RANK_CIRCLE,
    ),
    Block("heap_size", 1, "cards in the heap / 66"),
    Block("own_in_heap", DECK_66, "the viewer's cards in the heap, by id", circles=CARD_CIRCLES),
    Block("last_player", 0, f"who made the play on top of the heap, {_CLOCKWISE}: one-hot", each=1),
    Block("last_rank", CLAIMABLE, "the rank it claims: one-hot", circles=RANK_CIRCLE),
    Block("last_number", MOST_PLAYED, "the number of its cards, 1..6: one-hot"),
    Block(
        "claims",
        0,
        f"of each player, {_CLOCKWISE}: cards they claimed of each rank since they last took a heap (8 at most) / 8; then "
        "cards of each rank that they took face up in challenges, less those they claimed since (0 to 4), / 4",
        each=2 * CLAIMABLE,
        circles=RANK_CIRCLE,
    ),
    Block("challenger", 0, f"who made the latest challenge, {_CLOCKWISE}: one-hot", each=1),
    Block("challenged", 0, f"who was challenged, {_CLOCKWISE}: one-hot", each=1),
    Block("claim_held", 1, "1 if the claim held"),
    Block("turned", DECK_66, "cards turned up by it, by id", circles=CARD_CIRCLES),
    Block("phase", 3, "a turn begins or resumes, a play is composed, a claim is answered: one-hot"),
    Block("asked", 0, f"who has accepted the claim that is answered, {_CLOCKWISE}", each=1),
)


def _cards_left(cards: int, options: Options) -> str:
    return "1 card" if cards == 1 else f"{cards or 'no'} cards"


EVENTS = (
    *EXTENDED_EVENTS,
    EventKind(events.CHOOSE, "a leader names the rank: 0..15 are 2..A, Draw, Reverse, Skip (BL-20)", "{player} names {amount}",
              words=RANKS_NAMES),
    EventKind(events.SELECT, "a card is added to the play being composed, which others do not notice (BL-04)",
              "{player} chooses {cards}", secret=True),
    EventKind(events.PLAY, "the play is put on the heap, face down; its player alone sees the cards (BL-04)",
              "{player} puts {cards} face down"),
    EventKind(events.CLAIM, "the rank that the play claims (BL-04)", "{player} claims {amount}", words=RANKS_NAMES),
    EventKind(events.ANSWER, "a player accepts a claim (0), or a challenged one holds (1) or fails (2) (BL-30, BL-32)",
              "{player}{amount}", words=(" accepts", "'s claim holds", "'s claim fails")),
    EventKind(events.CHALLENGE, "a claim is challenged (BL-30)", "{player} challenges {other}"),
    EventKind(events.TURN_UP, "the cards of the play, or the one of them, that a challenge turns up (BL-32, BL-33)",
              "{player} turns up {cards}"),
    EventKind(events.COLLECT, "a player takes the heap, and sees it (BL-35)", "{player} takes the heap: {cards}"),
    EventKind(events.PASS, "a pass (BL-13, BL-20)", "{player} passes"),
    EventKind(events.DISCARD, "the heap leaves the game unseen, as all others have passed (BL-22)",
              "the heap leaves the game: {cards}"),
    EventKind(events.WIN, "one of the winners; the amount is how many cards they have (BL-50, BL-51)",
              "{player} wins with {amount}", words=_cards_left),
)  # fmt: skip
