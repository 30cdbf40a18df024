"""Egyptian Ratscrew: Beggar My Neighbor with slapping; the first to slap a double, for example, takes the stack.

Two to six players; the Extended Deck or 52 cards. Rules: docs/rules/egyptian_ratscrew.md (clauses ER-01 to ER-40; those of
Beggar My Neighbor, BM-nn, hold where they are not changed).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import events
from ..core import options as opt
from ..core.cards import DECK_66, RANKS, STANDARD
from ..core.events import EVERYBODY, EventKind, emit, emit_card
from ..core.extended.sets import has, is_joker
from ..core.extended.state import NOBODY
from ..core.extended.view import seat_from
from ..core.facts import Fact, FactRole
from ..core.fields import Field, all_seats
from ..core.game import Bounds, Game
from ..core.jit import device_function
from ..core.layout import Block, Layout, start
from ..core.rng import random_below
from ..core.units import wins
from .packs.hidden import redraw_unknown
from .packs.rules import begin as begin_turn_of
from .packs.rules import (
    clear_debt,
    deal_packs,
    declare,
    ends,
    forget_deal,
    mark_shared,
    note_action,
    reopen,
    settle_top,
    stack_rank,
    step_place,
    stop,
    take_stack,
    take_top,
    turn_up,
    with_cards,
)
from .packs.state import (
    DECLARE,
    LEFT_BLOCK,
    MAX_PLAYERS,
    NO_VALUE,
    PACK_ACTIONS,
    PACK_EVENTS,
    PILE,
    PLACE,
    PLAY,
    PLAYS_BLOCK,
    RANK_TYPES,
    SLAP,
    PackOptions,
    max_plays_option,
    pack_fields,
    stalemate_option,
)
from .packs.view import FIRST_BLOCKS, OTHER_BLOCKS, PACK_ZONES, observe_packs, pack_facts, pack_zones

UNIFORM, WEIGHTED = range(2)  # reaction
PATTERNS, ALL, VALID = range(3)  # ask
OUT, MUTE, NONE = range(3)  # empty_wrong
RUN = 3  # size of a run to look for if `runs` is 0 (ER-17)


@dataclass(frozen=True)
class Options(PackOptions):
    """Options of Egyptian Ratscrew."""

    num_players: int = opt.integer(3, 2, MAX_PLAYERS, "number of players")
    doubles: bool = opt.flag(True, "two cards of a rank, one upon the other, may be slapped (ER-20)")
    sandwich: bool = opt.flag(True, "two cards of a rank with one between them (ER-21)")
    tens: bool = opt.flag(False, "two cards that make ten, one upon the other (ER-22)")
    tens_sandwich: bool = opt.flag(False, "two cards that make ten with one between them (ER-22)")
    top_bottom: bool = opt.flag(False, "a card of the rank of the first one of the stack (ER-23)")
    marriage: bool = opt.flag(False, "a King and a Queen (ER-24)")
    runs: int = opt.one_of(0, (0, 3, 4), "this many cards in order, up or down; 0: none (ER-25)")
    joker_slap: bool = opt.flag(False, "a Joker on top, whatever it was declared to be (ER-26)")
    reaction: str = opt.one_of(
        "uniform", ("uniform", "weights"), "the chance of each player to be asked before the others (ER-12)"
    )
    weights: tuple[float, ...] = opt.weights(
        1, 0.001, 1000, MAX_PLAYERS, "with reaction=weights: chances in proportion (ER-12)"
    )
    joker_first: bool = opt.flag(True, "a player who has just declared a Joker is asked first (ER-13)")
    ask: str = opt.one_of(
        "patterns",
        ("patterns", "all", "valid"),
        "after which cards players are asked: where a pattern shows, allowed or not; all; where a slap is right (ER-17)",
    )
    burn: int = opt.integer(1, 1, 3, "cards that a wrong slap costs (ER-15)")
    slap_in: bool = opt.flag(True, "players without cards may slap (ER-10)")
    empty_wrong: str = opt.one_of(
        "mute",
        ("out", "mute", "none"),
        "a wrong slap without cards: no more slaps; none until the stack is next taken; costs nothing (ER-16)",
    )
    stalemate: str = stalemate_option("most_cards")
    max_plays: int = max_plays_option(3000)


RULES = ("doubles", "sandwich", "tens", "tens_sandwich", "top_bottom", "marriage", "runs", "joker_slap")
DOUBLES, SANDWICH, TENS, TENS_SANDWICH, TOP_BOTTOM, MARRIAGE, RUNS, JOKER_SLAP = (1 << k for k in range(len(RULES)))

FIELDS = [
    *pack_fields(burned=DECK_66),
    *(Field(name, "u1") for name in RULES),
    Field("reaction", "u1"),
    Field("weights", "u4", (MAX_PLAYERS,)),
    Field("joker_first", "u1"),
    Field("ask", "u1"),
    Field("burn", "u1"),
    Field("slap_in", "u1"),
    Field("empty_wrong", "u1"),
    # Seats as bits. The next of those still to be asked is drawn when needed, so records contain no hidden order.
    Field("asked", "u1", bits=all_seats),  # in this window, including the seat asked now
    Field("wrong", "u1", bits=all_seats),  # of these, the seats that slapped wrongly
    Field("muted", "u1", bits=all_seats),  # not asked until the stack is taken (ER-16)
    Field("banned", "u1", bits=all_seats),  # never slaps again
]
ACTIONS = Layout(*PACK_ACTIONS, Block("slap", 1, "slap the stack"), Block("wait", 1, "let the stack lie"))
BOTTOM_BLOCK = Block("bottom", RANK_TYPES, "the first card played to the stack: rank (2..A, Draw, Reverse, Skip), one-hot")
OBSERVATION = Layout(
    *FIRST_BLOCKS,
    BOTTOM_BLOCK,
    *OTHER_BLOCKS,
    Block("phase", 4, "of the viewer, if they are to move: to declare, to place, to slap or not, to play; one-hot"),
    LEFT_BLOCK,
    PLAYS_BLOCK,
    Block("burned", 1, "burned cards in the stack / 66"),
    Block("rules", len(RULES), f"1 for each rule of slapping that is on: {', '.join(RULES)}; of runs their length / 4"),
    Block("shows", len(RULES), "1 for each pattern of these that the stack shows, on or off"),
    Block("right", 1, "1 if a slap would be right"),
    Block("right_ranks", RANKS, "if the viewer is to declare a Joker: 1 for each rank with which a slap would be right"),
    Block("asked", 0, "1 for each player who was asked in this window, or is now, clockwise from the viewer", each=1),
    Block("wrong", 0, "1 for each player who slapped wrongly in this window, clockwise", each=1),
    Block("muted", 0, "1 for each player who is not asked until the stack is taken, clockwise", each=1),
    Block("out", 0, "1 for each player who never slaps again, clockwise", each=1),
    Block("weights", 0, "the weight of each player's reaction, clockwise: / their sum", each=1),
)
_SHOWN = ("a double", "a sandwich", "a ten", "a ten with a card between", "top and bottom", "a marriage", "a run", "a Joker")


def _slap_words(patterns: int, options: Any) -> str:
    shown = [words for k, words in enumerate(_SHOWN) if patterns >> k & 1]
    return f"rightly: {', '.join(shown)}" if shown else "wrongly"


EVENTS = (
    *PACK_EVENTS,
    EventKind(events.TURN, "a player is asked whether they slap: drawn by chance (ER-12), or for their Joker (ER-13)",
              "{player} may slap"),
    EventKind(events.PASS, "a player who is asked does not slap", "{player} does not slap"),
    EventKind(events.SLAP, "a player slaps; the amount is which patterns that are allowed show, bits in the order of the block "
              "`rules` of the observation, 0 if the slap is wrong (ER-14, ER-15)",
              "{player} slaps {amount}", words=_slap_words),
    EventKind(events.DISCARD, "what a wrong slap costs: a card goes under the stack unseen (ER-15)", "{player} burns {cards}"),
    EventKind(events.OUT, "a wrong slap without cards: the amount is 0 until the stack is taken, 1 for ever (ER-16)",
              "{player} may not slap {amount}", words=("until the stack is taken", "any more")),
)  # fmt: skip
SLAP_AT, WAIT_AT = (int(ACTIONS.at(name)[0]) for name in ("slap", "wait"))
_BOTTOM, _PHASE, _LEFT, _BURNED, _RULES, _ASKED, _WRONG, _MUTED, _OUT, _WEIGHTS = OBSERVATION.places(
    "bottom", "phase", "placing", "burned", "rules", "asked", "wrong", "muted", "out", "weights"
)
_SHOWS, _RIGHT, _RIGHT_RANKS = OBSERVATION.places("shows", "right", "right_ranks")
_MORE = np.int64(RANK_TYPES)  # entries between the shared blocks
_PHASES = np.array([0, 1, 3, 2], np.int64)  # the offset of each phase in the observation
_OF_DECK, _OF_RUN, _OF_WHOLE = np.float32(1 / DECK_66), np.float32(1 / 4), np.float32(1 / opt.WHOLE)
_RUNS_PLACE = RULES.index("runs")
_GOES_ON = np.int64(-1)  # no card to stop before
_ACE, _TEN = RANKS - 1, 10
# The contribution of each rank to ten (ER-22); the last entry, at index -1, is for a Joker without a value.
_VALUE = np.array([*range(2, _TEN), 0, 0, 0, 0, 1] + [0] * 4, np.int64)
_QUEEN, _KING = 10, 11


@device_function
def begin(state):
    start_game(state, _GOES_ON)
    if state.terminated:  # ER-40
        start_game(state, reopen(state))
    forget_deal(state)


@device_function
def start_game(state, last):
    deal_packs(state)
    close_window(state)
    state.muted = 0
    state.banned = 0
    go_on(state, last)


@device_function
def go_on(state, last):
    """Play cards up to the next decision or the end (ER-40); play none beyond `last`."""
    while True:
        if state.stack_size == 0:  # ER-16: it was taken
            state.muted = 0
        if state.phase != PLAY or state.terminated or np.int64(state.plays) == last:
            break
        if state.plays >= state.max_plays:  # ER-34
            stop(state)
        elif not turn_up(state):
            follow_card(state, False)
    if state.phase != SLAP:
        state.current_player = state.turn


# --- slapping ---


@device_function
def patterns_of(top, second, third, fourth, bottom, run):
    """The patterns in cards of these ranks, as bits of their rules, except the pattern of Jokers. The rank is NO_VALUE without
    a card, or for a Joker without a value.

    Args:
        bottom: the rank of the first card played, if it is not the top card.
        run: the number of cards of a run.
    """
    patterns = np.int64(0)
    if top == NO_VALUE:
        return patterns
    if top == second:
        patterns |= DOUBLES
    if top == third:
        patterns |= SANDWICH
    if _VALUE[top] + _VALUE[second] == _TEN:
        patterns |= TENS
    if _VALUE[top] + _VALUE[third] == _TEN:
        patterns |= TENS_SANDWICH
    if top == bottom:
        patterns |= TOP_BOTTOM
    if (top == _KING and second == _QUEEN) or (top == _QUEEN and second == _KING):
        patterns |= MARRIAGE
    if is_run(top, second, third, fourth, run, _ACE) or is_run(top, second, third, fourth, run, NO_VALUE):
        patterns |= RUNS
    return patterns


@device_function
def is_run(top, second, third, fourth, run, ace):
    """ER-25, with the ace at this height."""
    one, two, three = place_of(top, ace), place_of(second, ace), place_of(third, ace)
    way = one - two
    if abs(way) != 1 or two - three != way:
        return False
    return run == RUN or three - place_of(fourth, ace) == way


@device_function
def place_of(rank, ace):
    """The place of a rank in a run; far from all others if it has none."""
    if rank == _ACE:
        return ace
    return rank if 0 <= rank < _ACE else np.int64(-STANDARD)


@device_function
def played_rank(state, below):
    """The rank of the played card under this number of others; NO_VALUE if there is none."""
    position = np.int64(state.stack_size) - 1 - below
    return stack_rank(state, np.int64(state.stack[position])) if position >= np.int64(state.burned) else np.int64(NO_VALUE)


@device_function
def patterns(state):
    """The patterns on the stack, allowed or not (ER-17, ER-20 to ER-27)."""
    return patterns_under(state, played_rank(state, 0))


@device_function
def patterns_under(state, top):
    """The same, if the top card is of this rank."""
    cards_below = np.int64(state.stack_size) - 1 - np.int64(state.burned)
    second, third, fourth = played_rank(state, 1), played_rank(state, 2), played_rank(state, 3)
    bottom = played_rank(state, cards_below) if cards_below > 0 else np.int64(NO_VALUE)
    rules = patterns_of(top, second, third, fourth, bottom, np.int64(state.runs) if state.runs > 0 else np.int64(RUN))
    return rules | JOKER_SLAP if is_joker(np.int64(state.stack[np.int64(state.stack_size) - 1])) else rules


@device_function
def allowed_patterns(state):
    """The enabled rules."""
    allowed = np.int64(state.doubles) * DOUBLES | np.int64(state.sandwich) * SANDWICH
    allowed |= np.int64(state.tens) * TENS | np.int64(state.tens_sandwich) * TENS_SANDWICH
    allowed |= np.int64(state.top_bottom) * TOP_BOTTOM | np.int64(state.marriage) * MARRIAGE
    return allowed | (RUNS if state.runs > 0 else 0) | np.int64(state.joker_slap) * JOKER_SLAP


# --- the window ---


@device_function
def follow_card(state, declared):
    """After a card is played: ask the players if there is a reason to (ER-01, ER-17); otherwise apply the card."""
    reasons = np.int64(1) if state.ask == ALL else patterns(state)
    if state.ask == VALID:
        reasons &= allowed_patterns(state)
    if reasons == 0:
        settle_top(state)
    else:
        ask_next(state, declared and state.joker_first)


@device_function
def ask_next(state, own):
    """Ask the next player: the one who played the card if they have the right to be first (`own`; ER-12, ER-13). If nobody is
    left, apply the card."""
    left = may_slap(state) & ~np.int64(state.asked)
    if left == 0:
        close_window(state)
        settle_top(state)
        return
    turn = np.int64(state.turn)
    seat = turn if own and left >> turn & 1 else draw_seat(state, left)
    state.asked = np.int64(state.asked) | np.int64(1) << seat
    state.phase = SLAP
    state.current_player = seat
    emit(state, events.TURN, seat, 0, NOBODY)


@device_function
def may_slap(state):
    """ER-10: the seats that may slap, as bits."""
    everybody = (np.int64(1) << np.int64(state.num_players)) - 1
    playing = everybody if state.slap_in else with_cards(state)
    return playing & ~(np.int64(state.muted) | np.int64(state.banned))


@device_function
def weight_of(state, seat):
    """The weight of a player, whose chance is its part of the sum: an integer, so that chances are exact."""
    return np.int64(state.weights[seat]) if state.reaction == WEIGHTED else np.int64(1)


@device_function
def draw_seat(state, left):
    """Draw one of some seats (bits), weighted by their reactions (ER-12)."""
    n, total = np.int64(state.num_players), np.int64(0)
    for seat in range(n):
        if left >> seat & 1:
            total += weight_of(state, seat)
    point, drawn = random_below(state, total), np.int64(0)
    for seat in range(n):
        if left >> seat & 1:
            drawn = seat
            point -= weight_of(state, seat)
            if point < 0:
                break
    return drawn


@device_function
def close_window(state):
    state.asked = 0
    state.wrong = 0


@device_function
def answer(state, action):
    """The player asked slaps or waits."""
    seat = np.int64(state.current_player)
    if action == SLAP_AT:
        shown = patterns(state) & allowed_patterns(state)
        emit(state, events.SLAP, seat, shown, NOBODY)
        if shown:
            win_stack(state, seat)
            return
        slap_wrongly(state, seat)
    else:
        emit(state, events.PASS, seat, 0, NOBODY)
    ask_next(state, False)


@device_function
def win_stack(state, seat):
    """ER-14."""
    close_window(state)
    take_stack(state, seat)
    clear_debt(state)
    state.queue = 0
    for other in range(np.int64(state.num_players)):
        state.draw[other] = 0
        state.skip[other] = 0
    begin_turn_of(state, seat)
    ends(state)  # ER-31


@device_function
def slap_wrongly(state, seat):
    """ER-15, ER-16."""
    mark = np.int64(1) << seat
    state.wrong = np.int64(state.wrong) | mark
    if state.pack_size[seat] == 0:
        if state.empty_wrong == OUT:
            state.banned = np.int64(state.banned) | mark
            emit(state, events.OUT, seat, 1, NOBODY)
        elif state.empty_wrong == MUTE:
            state.muted = np.int64(state.muted) | mark
            emit(state, events.OUT, seat, 0, NOBODY)
    for _ in range(min(np.int64(state.burn), np.int64(state.pack_size[seat]))):
        card = take_top(state, seat)
        emit_card(state, events.DISCARD, seat, card, EVERYBODY if has(state.seen, card) else 0, NOBODY)
        put_below(state, card)


@device_function
def put_below(state, card):
    """A burned card goes under the stack (ER-15), so it is taken before earlier cards (ER-18)."""
    for k in range(np.int64(state.stack_size), 0, -1):
        state.stack[k] = state.stack[k - 1]
    state.stack[0] = card
    state.stack_size += 1
    state.burned += 1


# --- the game as seen ---


@device_function
def legal_actions(state, mask):
    if state.phase == SLAP:
        mask[SLAP_AT] = 1
        mask[WAIT_AT] = 1
    else:
        mark_shared(state, mask)


@device_function
def step(state, action):
    note_action(state, action)
    if state.phase == SLAP:
        answer(state, action)
    elif state.phase == DECLARE:
        declare(state, action)
        follow_card(state, True)
    elif state.phase == PLACE:
        step_place(state, action)
    elif not turn_up(state):
        follow_card(state, False)
    go_on(state, _GOES_ON)


@device_function
def observe(state, viewer, out):
    n = np.int64(state.num_players)
    observe_packs(state, viewer, out, _MORE, start(_LEFT, n))
    if viewer == np.int64(state.current_player) and not state.terminated:
        out[start(_PHASE, n) + _PHASES[np.int64(state.phase)]] = 1
    burned = np.int64(state.burned)
    if burned < np.int64(state.stack_size):
        rank = stack_rank(state, np.int64(state.stack[burned]))
        if rank != NO_VALUE:
            out[start(_BOTTOM, n) + rank] = 1
    out[start(_BURNED, n)] = np.float32(burned) * _OF_DECK
    allowed, rules = allowed_patterns(state), start(_RULES, n)
    for k in range(len(RULES)):
        out[rules + k] = allowed >> k & 1
    out[rules + _RUNS_PLACE] = np.float32(state.runs) * _OF_RUN
    observe_patterns(state, viewer, allowed, out)
    observe_seats(state, viewer, out)


@device_function
def observe_patterns(state, viewer, allowed, out):
    """What can be slapped: it could be computed from the other blocks."""
    n = np.int64(state.num_players)
    if np.int64(state.stack_size) == np.int64(state.burned):
        return
    if state.phase == DECLARE:
        if viewer == np.int64(state.current_player):
            for rank in range(RANKS):
                out[start(_RIGHT_RANKS, n) + rank] = patterns_under(state, np.int64(rank)) & allowed != 0
        return
    shown = patterns(state)
    for k in range(len(RULES)):
        out[start(_SHOWS, n) + k] = shown >> k & 1
    out[start(_RIGHT, n)] = shown & allowed != 0


@device_function
def observe_seats(state, viewer, out):
    n, total = np.int64(state.num_players), np.int64(0)
    for seat in range(n):
        total += weight_of(state, seat)
    for seat in range(n):
        place = seat_from(viewer, seat, n)
        out[start(_ASKED, n) + place] = np.int64(state.asked) >> seat & 1
        out[start(_WRONG, n) + place] = np.int64(state.wrong) >> seat & 1
        out[start(_MUTED, n) + place] = np.int64(state.muted) >> seat & 1
        out[start(_OUT, n) + place] = np.int64(state.banned) >> seat & 1
        out[start(_WEIGHTS, n) + place] = np.float32(weight_of(state, seat) / total)


@device_function
def determinize(state, viewer):
    redraw_unknown(state, np.empty(DECK_66, np.int64))


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    """pack/<seat> and pile, top first; burned and stack, first card first."""
    return pack_zones(state, viewer)


def describe(state: Any, viewer: int | None = None) -> list[Fact]:
    facts = pack_facts(state, ACTIONS)
    for words, seats, role in (
        ("asked", state.asked, FactRole.TITLE),
        ("slapped wrongly", state.wrong, FactRole.PENALTY),
        ("muted", state.muted, FactRole.PAUSE),
        ("out", state.banned, FactRole.OUT),
    ):
        found = [seat for seat in range(int(state.num_players)) if int(seats) >> seat & 1]
        if found:
            facts.append(Fact(f"{words}: {', '.join(map(str, found))}", role=FactRole.SEEN))
            facts += [Fact("", seat, role, words) for seat in found]
    return facts


def _max_length(options: Options) -> int:
    """ER-40."""
    return options.max_plays * (options.num_players + 1) + PILE


GAME = Game(
    name="egyptian_ratscrew",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(begin, legal_actions, step, observe, determinize),
    describe=describe,
    zones=zones,
    zone_roles=PACK_ZONES,
    unit=wins,
    bounds=Bounds(_max_length, lambda options: (-1 / (options.num_players - 1), 1.0)),
    private=(),
    events=EVENTS,
    player="wilddeck.agents.rules.egyptian_ratscrew",
    page="docs/rules/egyptian_ratscrew.md",
    weights="agents/weights",
)
