"""What has happened in a game, found by playing it again as plain Python, about a thousand steps a second; so play itself is no
slower for it, and nothing is compiled."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .events import FORFEIT, GAME_OVER, NOBODY, Event, Row, emit, perceived, recording
from .game import Game, records_of
from .interpret import interpreted


class History:
    """The events of one game as rows, caught up with when they are asked for.

    Args:
        game: what is played.
        kernels: the kernels bound to it (`batch.game_kernels`).
        options: its options.
        start: the record that the game began with, an array of one: before its first deal, or where it was determinized.
        known: of a determinized game, its past.
    """

    def __init__(
        self, game: Game, options: Any, kernels: dict[str, Any], start: np.ndarray, known: Known | None = None
    ) -> None:
        self._game, self._options = game, options
        self._begin_with, self._shuffle, self._play = (
            interpreted(kernels[name]) for name in ("play_deck", "next_deal", "play_action")
        )
        self._states = start.view(np.recarray).copy()
        self._played = 0  # actions
        self._is_forfeited = False
        self.rows: list[Row] = []
        self._events: dict[int | None, list[Event]] = {}  # as perceived so far
        self._told: dict[int | None, int] = {}  # rows
        self._known, self._kernels = known, kernels

    def copy(self) -> History:
        """One that goes on apart."""
        other = copy.copy(self)
        other._states, other.rows, other._told = self._states.copy(), list(self.rows), dict(self._told)
        other._events = {seat: list(events) for seat, events in self._events.items()}
        return other

    def of(self, seat: int | None) -> list[Event]:
        """The events up to now as a seat perceived them; None: all that happened."""
        if seat not in self._events:
            self._events[seat] = self._events_before(seat)
        events = self._events[seat]
        events += perceived(self.rows[self._told.get(seat, 0) :], seat, self._game, self._options)
        self._told[seat] = len(self.rows)
        return list(events)

    def _events_before(self, seat: int | None) -> list[Event]:
        if self._known is None or self._known.seat != seat:
            return []
        return perceived(self._known.rows(self._game, self._options, self._kernels), seat, self._game, self._options)

    def follow(self, actions: Sequence[int], decks: Sequence[np.ndarray], forfeited: bool) -> None:
        """Go on to the end of `actions`, of which those that are new are played."""
        state = self._states[0]
        with recording(self.rows), np.errstate(over="ignore"):  # the generator's arithmetic wraps around by design
            self._deal(state, decks)
            for action in actions[self._played :]:
                self._play(state, action)
                self._deal(state, decks)
                if state.terminated or state.truncated:
                    emit(state, GAME_OVER, NOBODY, 0, NOBODY)
            if forfeited and not self._is_forfeited:
                self._is_forfeited = True
                emit(state, FORFEIT, state.current_player, 0, NOBODY)
        self._played = len(actions)

    def _deal(self, state: Any, decks: Sequence[np.ndarray]) -> None:
        """The deals that are called for, as the environment makes them."""
        while state.deal_pending and not (state.terminated or state.truncated):
            if state.deals < len(decks):
                deck = decks[int(state.deals)]
                state.deck[: len(deck)] = deck
                self._begin_with(state)
            else:
                self._shuffle(state)


class Known(NamedTuple):
    """The past of a determinized game: the course of the one that it was made of, and the seat whose knowledge it has."""

    seat: int
    start: bytes
    decks: list[np.ndarray]
    actions: list[int]
    is_forfeited: bool
    before: Known | None

    def rows(self, game: Game, options: Any, kernels: dict[str, Any]) -> list[Row]:
        """What happened, of which the seat knows its part."""
        history = History(game, options, kernels, records_of(self.start, game.state))
        history.follow(self.actions, self.decks, self.is_forfeited)
        before = self.before.rows(game, options, kernels) if self.before and self.before.seat == self.seat else []
        return before + history.rows
