"""Histories as arrays, for networks with memory: the events that a seat has perceived since the episode began, as tokens.

An event without cards is one token, an event with cards one token per card. A token is a row of integers with the columns
`TOKEN`:

    kind     0: no token; else 1 + the index of the kind (`events.KIND_NAMES`)
    player   the acting player: 0 nobody, 1 the seat itself, 2 the next clockwise, ...
    card     0: an event without cards; 1: a hidden card; else 2 + its id
    other    the player to or from whom, numbered as `player`
    amount   the amount of an event without cards, such as a bid; else the number of cards, unless the kind defines it
    left     the number of cards of the same event that follow

`encode_history` encodes the events of one game. Batches (`make_batch(..., history=K)`) encode them during play, in the same
compiled step, which plays each game in a record with a log. `step_logged` does so for one game and leaves the rows in a `Log`.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import kernels
from .cards import DECK_66, HIDDEN
from .events import GAME_OVER, KIND_NAMES, LOG_ROWS, NOBODY, Event, Row, emit, inside, logged_dtype, secret_kinds
from .game import Game, Options, as_records
from .jit import bind, device_function
from .kernels import BEGIN

if TYPE_CHECKING:  # bound to a game's functions
    from .kernels import next_seed, over, play_action, play_deals, play_deck, start_anew, view

MAX_HISTORY = 4096  # tokens that a batch keeps per seat, at most
TOKEN = ("kind", "player", "card", "other", "amount", "left")
COLUMNS = len(TOKEN)
_NUMBERS = {kind: number for number, kind in enumerate(KIND_NAMES)}
_ROW_BYTES = len(Row._fields) * np.dtype(np.int32).itemsize


def token_sizes(num_players: int, num_cards: int = DECK_66) -> dict[str, int]:
    """The number of values of each categorical column; `amount` and `left` are numbers. For a game with its own cards, pass
    `num_cards=len(game.cards)`."""
    return {"kind": 1 + len(KIND_NAMES), "player": 1 + num_players, "card": 2 + num_cards, "other": 1 + num_players}


def encode_history(events: Sequence[Event], seat: int, num_players: int, size: int) -> tuple[np.ndarray, int]:
    """The history of a seat (`env.history(agent)`, `view.history()`) as tokens.

    Args:
        size: the number of tokens to keep, the last ones.

    Returns:
        int32 [size, 6], oldest first, padded with zeros at the end; and the total number of tokens, including those not kept.
    """
    tokens = []
    for event in events:
        player, other = (0 if who is None else 1 + (who - seat) % num_players for who in (event.player, event.other))
        kind, count = 1 + _NUMBERS[event.kind], len(event.cards)
        for k, card in enumerate(event.cards):
            tokens.append((kind, player, 1 if card == HIDDEN else 2 + card, other, event.amount, count - 1 - k))
        if not event.cards:
            tokens.append((kind, player, 0, other, event.amount, 0))
    kept = np.zeros((size, len(TOKEN)), np.int32)
    if tokens:
        kept[: len(tokens)] = tokens[-size:]
    return kept, len(tokens)


def last_tokens(
    history: np.ndarray | None, lengths: np.ndarray | None, rows: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """The last `size` tokens of some rows of a batch's histories [N, K, 6]: int32 [M, size, 6], and lengths int64 [M].

    For a batch without histories they are empty.

    Raises:
        ValueError: the batch keeps fewer tokens.
    """
    kept = 0 if history is None else history.shape[1]
    if kept < size:
        raise ValueError(f"{size} tokens of history are requested, but the batch keeps {kept}: make it with history={size}")
    if history is None or lengths is None:
        return np.zeros((len(rows), 0, COLUMNS), np.int32), np.zeros(len(rows), np.int64)
    first = np.maximum(np.minimum(lengths[rows], kept) - size, 0)
    return history[rows[:, None], first[:, None] + np.arange(size)], lengths[rows]


# --- in compiled code ---


# Rings are flat: with K tokens, the next is written at place `lengths % K`, over the oldest. Loops avoid divisions, a few of
# which take as long as a step.


@device_function
def token_player(seat, viewer, num_players):
    if seat == NOBODY:
        return 0
    return 1 + seat - viewer + (num_players if seat < viewer else 0)


@device_function
def perceive(state, secret, rings, lengths):
    """Move the events from the log of a record to the seats that perceive them. `rings` [P, K * 6] and `lengths` [P] belong to
    its game."""
    num_players, end = rings.shape[0], rings.shape[1]
    first = max(0, state.logged - LOG_ROWS)
    for seat in range(num_players):
        ring, length = rings[seat], lengths[seat]
        place = np.int64(np.uint64(length) % np.uint64(end // COLUMNS)) * COLUMNS
        for k in range(first, state.logged):
            row = state.log[k & (LOG_ROWS - 1)]
            sees = row[5] >> seat & 1
            if secret[row[0]] and not sees:
                continue
            ring[place] = 1 + row[0]
            ring[place + 1] = token_player(row[1], seat, num_players)
            ring[place + 2] = 0 if row[2] == NOBODY else 2 + row[2] if sees else 1
            ring[place + 3] = token_player(row[3], seat, num_players)
            ring[place + 4] = row[4]
            ring[place + 5] = row[6]
            place += COLUMNS
            if place == end:
                place = 0
            length += 1
        lengths[seat] = length
    state.logged = 0
    state.hand_logged = 0


@device_function
def copy_tokens(source, first, end, tokens, place):
    """Copy flat tokens `first`..`end`-1 to a place. Unsigned indices need no check for negative values, so this is one move."""
    for k in range(np.uint64(end - first)):
        tokens[np.uint64(place) + k] = source[np.uint64(first) + k]


@device_function
def show_tokens(ring, length, tokens):
    """Write the last tokens in order, padded with zeros; both flat."""
    end = ring.shape[0]
    if length * COLUMNS < end:
        copy_tokens(ring, 0, length * COLUMNS, tokens, 0)
        tokens[length * COLUMNS :] = 0
        return
    first = np.int64(np.uint64(length) % np.uint64(end // COLUMNS)) * COLUMNS
    copy_tokens(ring, first, end, tokens, 0)
    copy_tokens(ring, 0, first, tokens, end - first)


class Told(NamedTuple):
    """The arrays for playing with histories."""

    logged: np.ndarray  # one record with a log per thread, in which games are played
    within: np.ndarray  # the record inside it
    secret: np.ndarray  # which kinds of events are secret (`events.secret_kinds`)
    rings: np.ndarray  # int32 [N, P, K * 6], the last tokens of each seat
    counts: np.ndarray  # int64 [N, P], the number of tokens of each seat, kept or not
    tokens: np.ndarray  # int32 [N, K * 6], the tokens of the player to move, in order
    lengths: np.ndarray  # int64 [N]


def play_row(states, i, action, told):
    """Play an action in row i, and the deals that it requests."""
    told.within[0] = states[i]
    state = told.logged[0]
    state.logged = 0
    play_action(state, action)
    play_deals(state)
    perceive(state, told.secret, told.rings[i], told.counts[i])
    states[i] = told.within[0]


def begin_row(states, i, template, low, high, told):
    """Start a game from a seed of these words in row i."""
    start_anew(told.within, 0, template, low, high)
    state = told.logged[0]
    state.logged = 0
    play_deals(state)
    told.counts[i] = 0
    perceive(state, told.secret, told.rings[i], told.counts[i])
    states[i] = told.within[0]


def begin_next_row(states, i, template, told):
    """Start the next game in row i."""
    state = states[i]
    next_seed(state)
    begin_row(states, i, template, state.seed, state.seed_high, told)


def tell_row(states, i, told):
    """Write the history of the player to move in row i."""
    seat = np.int64(states[i].current_player)
    told.lengths[i] = told.counts[i, seat]
    show_tokens(told.rings[i, seat], told.lengths[i], told.tokens[i])


def show_row(states, i, shown, told):
    """Write the view and the history of the player to move in row i."""
    observation, mask, current_player = shown[:3]
    view(states[i], observation[i], mask[i])
    current_player[i] = states[i].current_player
    tell_row(states, i, told)


def step_with_history(states, template, rows, actions, shown, told):
    """`step_games` with histories."""
    rewards, terminated, truncated = shown[3:]
    for k in range(rows.shape[0]):
        i = rows[k]
        state = states[i]
        begins = actions[k] == BEGIN
        if not begins:
            play_row(states, i, actions[k], told)
            for player in range(rewards.shape[1]):
                rewards[i, player] = state.rewards[player]
            terminated[i] = state.terminated
            truncated[i] = state.truncated
            begins = over(state) != 0
            if begins:
                next_seed(state)
        if begins:
            begin_row(states, i, template, state.seed, state.seed_high, told)
        show_row(states, i, shown, told)


def step_logged(states, logged, within, action, observation, mask):
    """Play an action (or `BEGIN`) in one game, with all deals that it requests; returns the number of rows logged. `within` is
    the record inside `logged`."""
    within[0] = states[0]
    state = logged[0]
    state.logged = 0
    state.hand_logged = 0
    if action >= 0:
        play_action(state, action)
    elif action == BEGIN:
        state.deal_pending = 1
    else:
        play_deck(state)
    play_deals(state)
    if over(state):
        emit(state, GAME_OVER, NOBODY, 0, NOBODY)
    states[0] = within[0]
    view(states[0], observation, mask)
    return state.logged


PLAY_WITH_HISTORY = (play_row, begin_row, begin_next_row, tell_row)
_RULES = ("play_deck", "next_deal", "play_action", "over", "play_deals", "start_anew", "next_seed", "view")
_KERNELS = {function.__name__: function for function in (*PLAY_WITH_HISTORY, show_row, step_with_history, step_logged)}


@functools.cache
def history_kernels(game: Game) -> dict[str, Any]:
    """The kernels that log events, bound to a game's functions."""
    return bind({**{name: kernels.SHARED[name] for name in _RULES}, **_KERNELS}, game.functions, f"{game.id}.history")


class Log(threading.local):
    """A record with a log, one per thread.

    Attributes:
        arrays: arrays of one record each, for kernels: the one with a log, and the record inside it.
    """

    def __init__(self, game: Game) -> None:
        logged = np.zeros(1, logged_dtype(game.state))
        self._rows = logged["log"][0]
        self._bytes = logged.view(np.uint8).data  # the rows come first
        self.arrays = as_records(logged), as_records(inside(logged, game.state))

    def rows(self, count: int) -> bytes:
        """A copy of the logged rows (the last `LOG_ROWS`), for `read_rows`. An array would take longer."""
        if count > LOG_ROWS:
            return np.roll(self._rows, -(count % LOG_ROWS), axis=0).tobytes()
        return self._bytes[: count * _ROW_BYTES].tobytes()


def read_rows(rows: bytes) -> list[Row]:
    return [Row(*row) for row in np.frombuffer(rows, np.int32).reshape(-1, len(Row._fields)).tolist()]


class Histories:
    """The histories of the seats of a batch.

    Attributes:
        tokens: int32 [N, size, 6], the tokens of the player to move.
        lengths: int64 [N], the number of tokens of that player, kept or not.
    """

    def __init__(self, game: Game, options: Options, num_games: int, size: int) -> None:
        self.game, self.size = game, size
        self._secret = secret_kinds(game)
        self._rings = np.zeros((num_games, options.num_players, size * COLUMNS), np.int32)  # of each seat, the last tokens
        self._counts = np.zeros((num_games, options.num_players), np.int64)
        self.tokens = np.zeros((num_games, size, COLUMNS), np.int32)
        self.lengths = np.zeros(num_games, np.int64)
        self._log = Log(game)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_log"}

    def __setstate__(self, content: dict[str, Any]) -> None:
        vars(self).update(content)
        self._log = Log(self.game)

    def forget(self) -> None:
        """Clear the histories."""
        for array in (self._counts, self.tokens, self.lengths):
            array[:] = 0

    def told(self) -> Told:
        """The arrays for kernels in the calling thread."""
        tokens = self.tokens.reshape(len(self.tokens), -1)
        return Told(*self._log.arrays, self._secret, self._rings, self._counts, tokens, self.lengths)

    def play(self, states: np.ndarray, template: np.ndarray, rows: np.ndarray, actions: np.ndarray, shown: Any) -> None:
        """As `kernels.step_games`; `shown` has all arrays that the batch shows."""
        history_kernels(self.game)["step_with_history"](states, template, rows, actions, shown, self.told())
