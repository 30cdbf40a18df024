"""The history of a game, computed by replaying it in plain Python, a few thousand steps per second. Playing itself is therefore
no slower, and nothing has to be compiled."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from .events import FORFEIT, GAME_OVER, NOBODY, Event, Row, emit, perceived, recording
from .game import Game
from .interpret import interpreted


class History:
    """The events of one game as rows, brought up to date on demand.

    Args:
        game: the game.
        options: its options.
        kernels: the kernels bound to it (`batch.game_kernels`).
        start: the initial record, an array of one: before the first deal, or at the determinization.
    """

    def __init__(self, game: Game, options: Any, kernels: dict[str, Any], start: np.ndarray) -> None:
        self._game, self._options = game, options
        self._begin_with, self._shuffle, self._play = (
            interpreted(kernels[name]) for name in ("play_deck", "next_deal", "play_action")
        )
        self._states = start.view(np.recarray).copy()
        self._played = 0  # actions
        self._is_forfeited = False
        self.rows: list[Row] = []
        self._events: dict[int | None, list[Event]] = {}  # as perceived so far, by seat
        self._told: dict[int | None, int] = {}  # rows

    def copy(self) -> History:
        """An independent copy."""
        other = copy.copy(self)
        other._states, other.rows, other._told = self._states.copy(), list(self.rows), dict(self._told)
        other._events = {seat: list(events) for seat, events in self._events.items()}
        return other

    def of(self, seat: int | None) -> list[Event]:
        """The events so far as a seat perceived them; None: all events, EVERYBODY: the events that every seat perceived."""
        events = self._events.setdefault(seat, [])
        events += perceived(self.rows[self._told.get(seat, 0) :], seat, self._game, self._options)
        self._told[seat] = len(self.rows)
        return list(events)

    def follow(self, actions: Sequence[int], decks: Sequence[np.ndarray], forfeited: bool) -> None:
        """Replay the new actions, up to the end of `actions`."""
        state = self._states[0]
        with recording(self.rows), np.errstate(over="ignore"):  # the arithmetic of the generator wraps around by design
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
        """Deal as often as the rules request, as the environment does."""
        while state.deal_pending and not (state.terminated or state.truncated):
            if state.deals < len(decks):
                deck = decks[int(state.deals)]
                state.deck[: len(deck)] = deck
                self._begin_with(state)
            else:
                self._shuffle(state)
