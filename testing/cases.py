"""The cases of checks: a game with options."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..envs import registry
from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import Batch
from ..envs.core.game import Game
from ..envs.core.parallel import CardGameParallelEnv

T = TypeVar("T")


class Case(NamedTuple):
    """A game, its options that differ from the defaults, and the seed of the games to check."""

    game: Game
    options: tuple[tuple[str, Any], ...]
    seed: int

    @property
    def game_id(self) -> str:
        return self.game.id

    @property
    def options_of_game(self) -> Any:
        return self.game.make_options(dict(self.options))

    def raw(self, **changes: Any) -> CardGameEnv:
        return registry.raw_env(self.game, **dict(self.options), **changes)

    def wrapped(self, **changes: Any) -> Any:
        return registry.env(self.game, **dict(self.options), **changes)

    def parallel(self, **changes: Any) -> CardGameParallelEnv:
        return registry.parallel_env(self.game, **dict(self.options), **changes)

    def batch(self, num_games: int, seed: int | None = None, threads: int = 1, history: int = 0) -> Batch:
        return registry.make_batch(self.game, num_games, seed, threads, history, **dict(self.options))

    def __str__(self) -> str:
        return "-".join([self.game_id, *(f"{name}={value}" for name, value in self.options)])


def cases_of(game: Game) -> list[Case]:
    """A game with a few sets of options that cover every number of players and every sample of every option."""
    return [_case(game, sample, number) for number, sample in enumerate(game.options.samples())]


def few_cases_of(game: Game) -> list[Case]:
    """A game with its default options, and with the minimal and maximal numbers of players."""
    found = [_case(game, game.options(), 0)]
    counts = [count for count in fields(game.options)[0].metadata["samples"](0) if count is not None]
    for number, count in enumerate((min(counts), max(counts)), 1):
        with contextlib.suppress(ValueError):  # this number of players also needs other options
            found.append(_case(game, game.options(num_players=count), number))
    return [case for k, case in enumerate(found) if case.options not in [other.options for other in found[:k]]]


def _case(game: Game, options: Any, number: int) -> Case:
    defaults = vars(game.options())
    return Case(game, tuple((name, value) for name, value in vars(options).items() if value != defaults[name]), 100 + number)


def few(values: Sequence[T], number: int = 3) -> list[T]:
    """At most `number` of the values: the first, the last and others in between."""
    return [values[round(place)] for place in np.linspace(0, len(values) - 1, min(number, len(values)))]
