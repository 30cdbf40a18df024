"""The suites of scores: their games, deals and opponents.

A game of a suite is a line of the table of baselines (`baselines.BASELINES`): a game with its options, or a variant such as
`poker_v0-omaha`. Every deal is played with the agent as each team (or in each seat, without teams) against each opponent, which
plays all other seats. The agents that define the scale, random and rules, play the same deals in the agent's place.

The suite `MINI`, for slow or expensive agents, has few deals, only games in which these are informative, and only the opponent
`rules`.

The protocol has everything that results depend on. It identifies a trained opponent by a digest of its weights, other opponents
by a digest of games among themselves, which also changes with the rules of the game. So code that is rewritten but plays as
before stays comparable.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import agents, envs
from ...agents import play, trained
from ...agents.learned import plain_options
from ...agents.seeds import keyed
from ...envs.core.game import Game, Options
from ..baselines import BASELINES, title

VERSION = 1  # of the protocol: bumped when a change alters an agent's results
SEED = 0  # of the deals, public: the score of an agent that uses it, or was trained on these deals, is invalid
ZERO, ONE = "random", "rules"  # the agents whose scores are defined as 0 and 1
ALL = "all"
FULL, MINI = "full", "mini"  # the suites
DEALS = {FULL: 200, MINI: 4}  # per game
MINI_LEFT_OUT = {  # default games that are excluded, and why
    "skin_v0": "hundreds of decisions per deal, and all bets are fair",
    "bluff_v0": "hundreds of decisions per deal",
    "egyptian_ratscrew_v0": "hundreds of decisions per deal",
    "old_maid_v0": "luck",
    "baccarat_v0": "almost only luck",
}
_MINI_INSTEAD = {"tennis_v0": "tennis_v0-2p"}  # shorter variants
_SHOWN_GAMES = 64  # for an opponent's digest
_DIGEST = 16  # characters


class ScoreError(ValueError):
    """An agent or a file cannot be scored; the message says why."""


# --- games ---


@dataclass(frozen=True)
class Task:
    """A game of the suite, by its name in the table."""

    name: str
    game: Game
    options: Options

    @functools.cached_property
    def seed(self) -> int:
        """The seed of the first deal for the protocol's seed."""
        return self.seed_of(SEED)

    def seed_of(self, seed: int) -> int:
        """The seed of the first deal, different for each game; the next deals have the next seeds."""
        return keyed(seed, "score", VERSION, self.name)

    @property
    def title(self) -> str:
        return title(self.name)


def default_names(suite: str = FULL) -> list[str]:
    """One name per game, in the order of the registry."""
    names = [name for name in _ordered() if "-" not in name]
    return names if suite == FULL else [_MINI_INSTEAD.get(name, name) for name in names if name not in MINI_LEFT_OUT]


def _ordered() -> list[str]:
    games = list(envs.OWN)
    return sorted(BASELINES, key=lambda name: games.index(BASELINES[name].game))


def find_name(text: str) -> str:
    """The name in the table for typed text, which may omit the version (ValueError if there is none)."""
    names = {re.sub(r"_v\d+", "", name): name for name in BASELINES} | {name: name for name in BASELINES}
    if text not in names:
        near = difflib.get_close_matches(text, names, 1, 0.5)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise ScoreError(f"no game {text!r}{hint} Games: {', '.join(_ordered())}; or {ALL}")
    return names[text]


def find_names(texts: Iterable[str]) -> list[str]:
    """The names for typed texts, in the order of the table; "all" stands for all, an empty list for the default ones."""
    names = [name.strip() for text in texts for name in text.split(",")]
    if not names:
        return default_names()
    chosen = set(_ordered()) if names == [ALL] else {find_name(name) for name in names}
    return [name for name in _ordered() if name in chosen]


def task(name: str) -> Task:
    """A line of the table."""
    line = BASELINES[name]
    game = envs.game(line.game)
    return Task(name, game, game.make_options(line.options))


# --- the protocol ---


def opponents(task: Task, suite: str = FULL) -> tuple[str, ...]:
    """The agent strings of the opponents."""
    if suite == MINI:
        return (ONE,)
    return (ZERO, ONE, "trained") if trained.weights(task.name).exists() else (ZERO, ONE)


@functools.cache
def _played_digest(name: str, spec: str) -> str:
    """The digest of fixed games with an agent in all seats."""
    chosen = task(name)
    seated = [agents.make(spec, chosen.game, chosen.options)] * chosen.options.num_players
    returns = play.play_batch(chosen.game, chosen.options, seated, _SHOWN_GAMES, chosen.seed)
    return hashlib.sha256(np.ascontiguousarray(returns, "<f8").tobytes()).hexdigest()[:_DIGEST]


def opponent_digest(task: Task, spec: str) -> str:
    """The digest that identifies a version of an opponent."""
    if spec == "trained":
        return hashlib.sha256(trained.weights(task.name).read_bytes()).hexdigest()[:_DIGEST]
    return _played_digest(task.name, spec)


def protocol(task: Task, suite: str = FULL) -> dict[str, Any]:
    """All that a game's results depend on besides the deals, as JSON."""
    return {
        "game": task.game.id,
        "options": plain_options(task.options),
        "teams": len(task.game.teams(task.options)),
        "unit": next(iter(task.game.score_units(task.options)), ""),
        "opponents": {spec: opponent_digest(task, spec) for spec in opponents(task, suite)},
    }


def differences(first: Mapping[str, Any], second: Mapping[str, Any], path: Sequence[str] = ()) -> list[str]:
    """The differences of two protocols, such as `opponents rules: 1a2b and 3c4d`."""
    differing = []
    for name in dict.fromkeys([*first, *second]):
        place, ours, theirs = (*path, name), first.get(name), second.get(name)
        if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
            differing += differences(ours, theirs, place)
        elif ours != theirs:
            none = "nothing"
            differing.append(f"{' '.join(place)}: {none if ours is None else ours} and {none if theirs is None else theirs}")
    return differing
