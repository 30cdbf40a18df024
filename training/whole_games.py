"""Rollouts of whole games for learners outside compiled code: all decisions of one agent, in all seats that it plays.

Compiled code (`seats.opponents`) plays the games, forced moves and compiled opponents; other agents are asked in batches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..agents.base import Agent
from ..agents.views import BatchViews, Views
from ..envs.core.batch import Batch
from ..envs.core.credit import ENDED, Credit
from ..envs.core.game import Game, Options
from ..seats.opponents import PLAYS, TERMINATED, UNDECIDED, WAITS, Pool

_DONE = 13  # phase of a row: it begins no other game
_SHOWN = ("observation", "action_mask", "rows", "seats", "games", "resets", "history", "history_length")
_GAMES = 16  # limit of games per decision of the target: some games have hardly any decisions


class Answers(NamedTuple):
    """A learner's answers to M decisions: actions (int64 [M]), their log-probabilities and expected returns (float32 [M])."""

    actions: np.ndarray
    log_probs: np.ndarray
    values: np.ndarray


class Players(NamedTuple):
    """The players of a rollout.

    Attributes:
        pool: the learner and its opponents.
        probs: float64 [pool], each one's probability of being drawn for a team other than the learner's own.
        place: the index in the pool of the agent whose decisions are recorded.
        learner: that agent, or, if that agent is imitated, the learner that imitates it.
    """

    pool: Pool
    probs: np.ndarray
    place: int
    learner: Agent

    @property
    def copies(self) -> bool:
        """Whether the learner imitates another agent."""
        return self.pool.agents[self.place] is not self.learner


class Decisions(NamedTuple):
    """The T decisions of a rollout, in order.

    Attributes:
        views: the learner's views, arrays [T, ...], without memory.
        answers: the learner's answers, arrays [T].
        credit: the rewards and the seats' next decisions, [T, 1], for `credit.advantages`.
        games: the number of games played.
        mean_return: the mean return of the learner's own team, in the game's unit.
        results: float64 [pool, 2], per opponent: games that the learner won (a tie is half a win), and games played.
    """

    views: Views
    answers: Answers
    credit: Credit
    games: int
    mean_return: float
    results: np.ndarray


class Collector:
    """Plays rollouts.

    Args:
        game, options: the game.
        num_games: the number of parallel games.
        history: the number of history tokens kept for the learner and other agents that need them.
        threads: the number of threads of the batch.
    """

    def __init__(self, game: Game, options: Options, num_games: int, history: int, threads: int) -> None:
        self.batch = Batch(game, options, num_games, 0, threads, history)
        self.team_of = game.team_of(options)
        mates = self.team_of[:, None] == self.team_of[None]
        self._mean_of_team = mates / mates.sum(axis=1)

    def collect(
        self,
        players: Players,
        answer: Callable[[Views, np.ndarray | None], Answers],
        target: int,
        scale: float,
        seed: int,
    ) -> Decisions:
        """Play whole games until there are at least `target` decisions.

        Args:
            answer: gives the learner's answers. If it is called with the actions (int64 [M]) of an imitated agent, only the
                values of its answers count.
            target: the minimal number of decisions.
            scale: the factor of rewards.
            seed: the seed of deals, seats and players.

        Raises:
            ValueError: an action is illegal, or there were no decisions.
        """
        rollout = _Rollout(self, players, answer, target, seed)
        while (rollout.seats.status != _DONE).any():
            rollout.go_on()
        if not rollout.count:
            raise ValueError(f"there is nothing to learn: {self.batch.game.id} with these options has only forced moves")
        return rollout.decisions(scale)

    def team_means(self, earned: np.ndarray) -> np.ndarray:
        """The amounts credited to seats, the mean of their team: [M, P], from what each seat has earned."""
        return earned @ self._mean_of_team.T


class _Rollout:
    """A rollout in progress.

    Attributes:
        last: int64 [N, P], a seat's last decision in its game (-1: none yet).
        before: [N, P], the rewards of its team before that decision.
        rewards, following: those of each decision so far, as in `Credit`.
    """

    def __init__(
        self,
        collector: Collector,
        players: Players,
        answer: Callable[[Views, np.ndarray | None], Answers],
        target: int,
        seed: int,
    ) -> None:
        self.collector, self.players, self.answer, self.target = collector, players, answer, target
        self.batch = batch = collector.batch
        batch.reset(seed)
        self.rng, self.batch_views = np.random.default_rng(seed), BatchViews(batch)
        self.seats = players.pool.seats(batch, seed)._replace(learner=players.place)
        self.own_team = np.zeros(len(batch), np.int64)
        self.last, self.before = np.full((len(batch), batch.num_players), -1), np.zeros((len(batch), batch.num_players))
        self.kept: list[tuple[Views, Answers]] = []
        self.rewards, self.following = np.zeros(2 * target), np.zeros(2 * target, np.int64)
        self.count, self.games, self.earned = 0, 0, 0.0
        self.results = np.zeros((len(players.pool), 2))
        self._seat_players(np.arange(len(batch)))

    def go_on(self) -> None:
        """Play until agents outside compiled code must choose, and ask them."""
        seats, batch, pool = self.seats, self.batch, self.players.pool
        pool.play(batch, np.flatnonzero(seats.status == PLAYS), seats)
        self._finish(np.flatnonzero((seats.status >= TERMINATED) & (seats.status < _DONE)))
        waiting = np.flatnonzero(seats.status == WAITS)
        if not waiting.size:
            return
        places = seats.players[waiting, batch.current_player[waiting]]
        is_own = places == self.players.place
        asked = ~is_own if not self.players.copies else seats.actions[waiting] == UNDECIDED
        if asked.any():
            actions = pool.actions(self.batch_views, waiting[asked], places[asked], self.rng)
            seats.actions[waiting[asked]] = batch.checked_actions(actions, waiting[asked])
        if is_own.any():
            self._record(waiting[is_own])
        seats.status[waiting] = PLAYS

    def _record(self, rows: np.ndarray) -> None:
        """Record decisions of the learner in these rows."""
        seats = self.seats
        views = self.batch_views.views(self.players.learner, rows)
        answers = self.answer(views, seats.actions[rows] if self.players.copies else None)
        seats.actions[rows] = self.batch.checked_actions(answers.actions, rows)
        numbers = self.count + np.arange(len(rows))
        earned = self.collector.team_means(seats.earned[rows])[np.arange(len(rows)), views.seats]
        self._credit(self.last[rows, views.seats], earned - self.before[rows, views.seats], numbers)
        self.last[rows, views.seats], self.before[rows, views.seats] = numbers, earned
        self.count += len(rows)
        self.kept.append((views, answers))

    def _credit(self, decisions: np.ndarray, earned: np.ndarray, following: np.ndarray | int) -> None:
        """Reward decisions with what was earned until the next ones; negative numbers are no decisions."""
        is_one = decisions >= 0
        if self.count + len(self.batch) > len(self.rewards):
            self.rewards = np.pad(self.rewards, (0, len(self.rewards)))
            self.following = np.pad(self.following, (0, len(self.following)))
        self.rewards[decisions[is_one]] = earned[is_one]
        self.following[decisions[is_one]] = np.broadcast_to(following, decisions.shape)[is_one]

    def _finish(self, rows: np.ndarray) -> None:
        """Credit the last decisions of ended games, count results, and begin new games unless the decisions so far and those
        expected of the games in progress, which are half over on average, reach the target."""
        if not rows.size:
            return
        seats, team_of = self.seats, self.collector.team_of
        earned = self.collector.team_means(seats.earned[rows])
        for seat in range(self.batch.num_players):
            self._credit(self.last[rows, seat], earned[:, seat] - self.before[rows, seat], ENDED)
        is_own = team_of[None] == self.own_team[rows][:, None]
        own = earned[np.arange(len(rows)), is_own.argmax(axis=1)]
        won = np.where(earned == own[:, None], 0.5, earned < own[:, None])
        np.add.at(self.results, seats.players[rows][~is_own], np.stack([won[~is_own], np.ones((~is_own).sum())], axis=1))
        self.earned += own.sum()
        self.games += len(rows)
        self.batch_views.games[rows] += 1
        self.last[rows], self.before[rows], seats.earned[rows], seats.actions[rows] = -1, 0, 0, UNDECIDED
        in_progress = len(self.batch) - len(rows) - int((seats.status == _DONE).sum())
        expected = self.count * (1 + 0.5 * in_progress / (self.games + 0.5 * in_progress))
        is_enough = expected >= self.target or self.games >= _GAMES * self.target
        seats.status[rows] = _DONE if is_enough else PLAYS
        self._seat_players(rows)

    def _seat_players(self, rows: np.ndarray) -> None:
        """Draw the players of the next games: the learner for one team, members of the pool, by probability, for the others."""
        team_of = self.collector.team_of
        shape = len(rows), int(team_of.max()) + 1
        cumulative = np.cumsum(self.players.probs)
        drawn = np.searchsorted(cumulative, self.rng.random(shape) * cumulative[-1], side="right")
        by_team = np.minimum(drawn, len(cumulative) - 1)
        self.own_team[rows] = self.rng.integers(0, shape[1], len(rows))
        by_team[np.arange(len(rows)), self.own_team[rows]] = self.players.place
        self.seats.players[rows] = by_team[:, team_of]

    def decisions(self, scale: float) -> Decisions:
        views, answers = zip(*self.kept, strict=True)
        shown: dict[str, Any] = {name: np.concatenate([getattr(view, name) for view in views]) for name in _SHOWN}
        rewards = (scale * self.rewards[: self.count]).astype(np.float32)
        return Decisions(
            views=Views(**shown),
            answers=Answers(*map(np.concatenate, zip(*answers, strict=True))),
            credit=Credit(rewards[:, None], self.following[: self.count, None]),
            games=self.games,
            mean_return=self.earned / self.games,
            results=self.results,
        )
