"""Options, record, actions and observation of By The Skin of Your Teeth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core import events
from ...core import options as opt
from ...core.cards import DECK_54, STANDARD
from ...core.events import EventKind
from ...core.fields import Field, all_seats, last_seat
from ...core.layout import Block, Layout

MIN_PLAYERS, MAX_PLAYERS = 3, 12
MAX_DECKS = 4
HAND = 13
PILES = 6
MOST = 5  # cards of the largest combination
FROM_HAND = -1  # instead of the pile a card is taken from
NOBODY = -1

SETUP, ATTACK, TARGET, OVER = range(4)  # phases
OPEN, PRIVATE, DEFENDER_ONLY = range(3)  # visibility
WIN, POINTS = range(2)  # scoring
CHOOSE, AT_RANDOM = range(2)  # setup

VICTORY = 10  # ST-28
MAX_POINTS = VICTORY + 12 * HAND  # no card is worth more than 12


@dataclass(frozen=True)
class Options(opt.Options):
    """Options of By The Skin of Your Teeth."""

    num_players: int = opt.integer(4, MIN_PLAYERS, MAX_PLAYERS, "number of players")
    num_decks: Any = opt.one_of("auto", ("auto", 1, 2, 3, 4), "decks of 54 cards; auto: the fewest that deal 13 to everybody")
    visibility: str = opt.one_of("open", ("open", "private", "defender_only"), "who sees the cards of an attack (ST-29)")
    games: int = opt.integer(1, 1, 20, "games per episode; more than one is a tournament (ST-28)", tried=(1, 3))
    scoring: str = opt.one_of("auto", ("auto", "win", "points"), "rewards; auto: win for one game, points for a tournament")
    first_player: Any = opt.seat("random", "who attacks first in the first game (ST-08)")
    setup: str = opt.one_of("choose", ("choose", "random"), "random: the piles are a seeded random legal arrangement")

    def validate(self) -> None:
        if self.decks * DECK_54 < HAND * self.num_players:
            raise ValueError(
                f"option num_decks={self.num_decks!r} is not allowed with {self.num_players} players, who need "
                f"{HAND * self.num_players} cards; allowed: auto, or at least {self.fewest_decks}"
            )

    @property
    def fewest_decks(self) -> int:
        """Decks needed to deal 13 cards to everybody."""
        return -(-HAND * self.num_players // DECK_54)

    @property
    def decks(self) -> int:
        """Decks in use."""
        return self.fewest_decks if self.num_decks == "auto" else self.num_decks

    @property
    def by_points(self) -> bool:
        """Whether rewards are tournament points."""
        return self.scoring == "points" or (self.scoring == "auto" and self.games > 1)

    def stored(self) -> dict[str, Any]:
        return {**super().stored(), "num_decks": self.decks, "scoring": POINTS if self.by_points else WIN}


# Piles lie at positions 0..5 of their owner; a fallen or emptied position stays empty for the rest of the game.
#
# What a viewer knows of a pile is `where[viewer, owner, position]`, a set of positions as bits: 0, the viewer has not seen
# its cards; otherwise the viewer knows them, and that they lie at one of these positions, its true position among them.
# A set of one position is therefore that position: the viewer knows which pile it is (`known_by` in knowledge.py). What
# happened to a position is public, who saw it too; only Jokers (ST-25) make sets of several positions. A viewer who did not
# see which of these fell keeps the set, so cards, sizes and sets stay in the record when a pile falls.
FIELDS = [
    Field("score", "u2", (MAX_PLAYERS,), high=lambda options: options.games * MAX_POINTS),
    Field("discard_seen", "u2", (MAX_PLAYERS * HAND,), bits=all_seats),  # viewers who know the discarded card, as bits
    Field("attack", "u2", bits=(1 << HAND) - 1),  # slots of the attack that waits for its target, as bits
    Field("num_decks", "u1"),
    Field("visibility", "u1"),
    Field("games", "u1"),
    Field("scoring", "u1"),
    Field("setup", "u1"),
    Field("first_player", "i1", high=last_seat),  # the option until play begins, then who begins the game
    Field("game_number", "u1", high=lambda options: options.games),  # games finished
    Field("phase", "u1", high=OVER),
    Field("hand", "u1", (MAX_PLAYERS, HAND), high=DECK_54 - 1),  # by id
    Field("hand_size", "u1", (MAX_PLAYERS,), high=HAND),
    Field("pile", "u1", (MAX_PLAYERS, PILES, MOST), high=STANDARD - 1),  # by id
    Field("pile_size", "u1", (MAX_PLAYERS, PILES), high=MOST),
    # Cards it was made of; where that is not public, the most it may have been.
    Field("made_of", "u1", (MAX_PLAYERS, PILES), high=MOST),
    Field("fell_size", "u1", (MAX_PLAYERS, PILES), high=MOST),  # cards it had when it fell to an attack
    Field("fell_at", "u1", (MAX_PLAYERS, PILES), high=MAX_PLAYERS * HAND - 1),  # place of its first card in the discard
    Field("where", "u1", (MAX_PLAYERS, MAX_PLAYERS, PILES), bits=(1 << PILES) - 1),
    Field("discard", "u1", (MAX_PLAYERS * HAND,), high=DECK_54 - 1),  # oldest first
    Field("discard_size", "u1", high=lambda options: options.num_players * HAND),
    Field("slot_card", "u1", (HAND,), high=DECK_54 - 1),  # the cards the player to move may use, by id, then pile
    Field("slot_pile", "i1", (HAND,), low=FROM_HAND, high=PILES - 1),
    Field("slot_count", "u1", high=HAND),
    Field("last_target", "i1", (MAX_PLAYERS,), low=NOBODY, high=last_seat),  # each player's last attack: whom,
    Field("last_position", "u1", (MAX_PLAYERS,), high=PILES - 1),  # which pile,
    Field("last_size", "u1", (MAX_PLAYERS,), high=MOST),  # with how many cards,
    Field("last_at", "u1", (MAX_PLAYERS,), high=MAX_PLAYERS * HAND - 1),  # from this place of the discard on,
    Field("last_won", "u1", (MAX_PLAYERS,), high=1),  # and whether it won
]

SUBSETS_OF_SLOTS = 2379  # of 13 slots, 1 to 5 of them
ACTIONS = Layout(
    Block("subset", SUBSETS_OF_SLOTS, "use these slots: subsets of 1, 2, 3, 4, 5 of the 13 in lexicographic order"),
    Block(
        "target",
        -PILES,
        "attack pile 0..5 of the opponent 1, 2, ... seats clockwise",
        each=PILES,
        label="target player {seat} pile {place}",
        parts={"place": range(PILES)},
    ),
)

_CARDS = "(rank 2..A, Joker = 1/14..14/14; suit d, c, h, s = 1/4..4/4, Joker 0)"
OBSERVATION = Layout(
    Block("slot_rank", HAND * 13, "own slots: one-hot by rank 2..A"),
    Block("slot_suit", HAND * 4, "own slots: one-hot by suit d, c, h, s"),
    Block("slot_joker", HAND, "own slots: 1 for a Joker"),
    Block("slot_pile", HAND * PILES, "own slots: one-hot by the pile in which the card lies (ST-11)"),
    Block("slot_chosen", HAND, "own slots: 1 if chosen for the attack that waits for its target"),
    Block(
        "slot_beats",
        0,
        "own slots: 1 for each pile, as below, that the viewer knows this card alone to beat",
        each=HAND * PILES,
    ),
    Block(
        "slot_chance",
        HAND,
        "own slots: the share of the unseen cards, Jokers apart, that this card alone would beat",
    ),
    Block("attack_cards", MOST * 2, f"the attack that waits for its target: these cards, five {_CARDS}"),
    Block("attack_beats", 0, "each player's six piles, clockwise: 1 if the viewer knows that the attack beats it", each=PILES),
    Block("phase", 3, "one-hot: setup, choosing an attack, choosing its target"),
    Block("building", PILES, "setup: one-hot by the pile the viewer makes next"),
    Block("game", 1, "games finished / games"),
    Block("discarded", 53, "discarded cards the viewer has seen: of each card by id, then Jokers, / copies in the deck"),
    Block("unseen", 53, "cards whose place the viewer does not know: of each by id, then Jokers, / copies in the deck"),
    Block("to_move", 0, "who is to move, clockwise from the viewer: one-hot", each=1),
    Block("first", 0, "who begins the game, clockwise: one-hot", each=1),
    Block("score", 0, f"tournament points of each player, clockwise: / ({MAX_POINTS} games)", each=1),
    Block("hand_size", 0, "hand of each player, clockwise: cards / 13", each=1),
    Block("piles", 0, "piles of each player, clockwise: / 6", each=1),
    Block("has_piles", 0, "1 for each player who has piles, clockwise", each=1),
    Block("pile_size", 0, "each player's six piles, clockwise: cards / 5", each=PILES),
    Block("pile_broken", 0, "each player's piles: 1 if cards may have been taken from it (ST-12)", each=PILES),
    Block("pile_known", 0, "each player's piles: 1 if the viewer knows the cards at this position", each=PILES),
    Block("pile_cards", 0, f"each player's piles: these cards, five {_CARDS}", each=PILES * MOST * 2),
    Block("loose_size", 0, "up to six contents known to be a pile of the player, it is not known which: cards / 5", each=PILES),
    Block("loose_cards", 0, f"the cards of these, five {_CARDS}; some may be of fallen piles", each=PILES * MOST * 2),
    Block("last_target", 0, "last attack of each player: seats clockwise to its target / players, 0 if none", each=1),
    Block("last_position", 0, "last attack: one-hot by pile", each=PILES),
    Block("last_size", 0, "last attack: cards / 5", each=1),
    Block("last_won", 0, "last attack: 1 if it won", each=1),
    Block("last_cards", 0, f"last attack: its cards if the viewer has seen them, five {_CARDS}", each=MOST * 2),
)


def _sizes_in_words(amount: int, options: Options) -> str:
    sizes = f"{amount:0{PILES}}"
    return f"{', '.join(sizes[:-1])} and {sizes[-1]} cards"


def _places_in_words(amount: int, options: Options) -> str:
    places = ", ".join(f"{size} in pile {position}" for position, size in enumerate(f"{amount:0{PILES}}") if size != "0")
    return places.replace(" in", " card in" if places[0] == "1" else " cards in", 1)


EVENTS = (
    EventKind(events.ROUND, "a game begins; the player will attack first (ST-08)", "{player} will attack first"),
    EventKind(events.DEAL, "the hand of each player, who sees it (ST-01)", "{player} is dealt {cards}"),
    EventKind(events.TURN, "a player lays out their piles, all before the next one (ST-02)", "{player} lays out their piles"),
    EventKind(events.MELD, "the next pile of a player, who alone notices (ST-02)", "{player} makes a pile of {cards}",
              secret=True),
    EventKind(events.SET_ASIDE, "all piles lie on the table; the digits of the amount are their sizes (ST-06)",
              "{player}'s piles have {amount}", words=_sizes_in_words),
    EventKind(events.TURN_UP, "a player without a hand looks at a pile of theirs; those that they could not tell apart in "
              "order of position (ST-11)", "{player} sees that a pile of theirs is {cards}", secret=True),
    EventKind(events.CHOOSE, "the cards that are chosen next lie in the player's own pile at this position (ST-11)",
              "{player} chooses from their pile {amount}", secret=True),
    EventKind(events.SELECT, "the cards of an attack, before its target is chosen", "{player} chooses {cards}", secret=True),
    EventKind(events.CHALLENGE, "an attack on the pile at this position (ST-09)", "{player} attacks {other}'s pile {amount}"),
    EventKind(events.COLLECT, "the cards that are played next come from the player's own pile at this position (ST-11)",
              "{player} takes from their pile {amount}"),
    EventKind(events.PLAY, "the cards of the attack; who sees them: ST-29, all a Joker, and of a whole pile those who knew it",
              "{player} plays {cards}"),
    EventKind(events.REVEAL, "the pile attacked; who sees it: ST-29, and those who knew it", "{player}'s pile is {cards}"),
    EventKind(events.ANSWER, "whether the pile falls (ST-12 to ST-24)", "{player}'s pile {amount}", words=("holds", "falls")),
    EventKind(events.SHUFFLE, "a Joker mixes the piles that a player has; the digits of the amount are the cards at each "
              "position now (ST-25)", "{player}'s piles are mixed: {amount}", words=_places_in_words),
    EventKind(events.WIN, "the winner of the game, and points as in a tournament (ST-26, ST-28)",
              "{player} wins with {amount} points"),
)  # fmt: skip
