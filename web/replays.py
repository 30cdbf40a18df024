"""Replays for browsers: a game that is over, at any of its moves, through any seat or with all cards."""

from __future__ import annotations

import copy
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..envs.core.aec import CardGameEnv
from ..envs.core.render import sight
from ..league.episode import Episode
from . import advice
from .advice import Given, Question
from .limits import Gone, Refused
from .players import new_token

_EVERY, _COPIES = 24, 200  # moves between the copies that are kept; so many are kept at most
_THINKING = 2.0  # seconds in which an agent thinks of a replay before others have their turn


class Player:
    """A replay that can be opened anywhere."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self._copies: dict[int, CardGameEnv] = {0: episode.env()}
        self._every = max(_EVERY, len(episode.moves) // _COPIES + 1)
        self._marks: list[dict[str, Any]] = []  # those shown last
        self._lock = threading.Lock()
        self._judging: dict[str, tuple[Any, Iterator[Any], dict[str, Any]]] = {}  # by agent: its files, `judge`, what it gives

    def about(self) -> dict[str, Any]:
        """All but the cards: who sat where, and what was played."""
        return self.episode.about()

    def saved(self, kind: str) -> str:
        """The whole replay as a file of its own: a page ("html"), with the marks that were asked for, or a picture ("svg").

        Raises:
            Refused: another kind.
        """
        if kind == "html":
            return self.episode.to_html(self._marks)
        if kind == "svg":
            return self.episode.to_svg()
        raise Refused("a replay can be saved as html or svg")

    def at(self, number: int) -> CardGameEnv:
        """The game before move `number`, to be looked at only.

        Raises:
            Refused: there are not so many moves.
        """
        if not 0 <= number <= len(self.episode.moves):
            raise Refused(f"this replay has moves 0 to {len(self.episode.moves)}")
        begin = max(copy for copy in list(self._copies) if copy <= number)
        env = self._copies[begin].clone()
        for move in self.episode.moves[begin:number]:
            if move.number % self._every == 0:
                env.history()  # which the copy then need not find again from the beginning
                self._copies.setdefault(move.number, env.clone())
            env.step(move.action)
        return env

    def frame(self, number: int, viewer: int | None) -> dict[str, Any]:
        """The scene before move `number`, as a seat sees it, or with all cards."""
        if viewer is not None and not 0 <= viewer < len(self.episode.agents):
            raise Refused(f"there is no seat {viewer}")
        return sight.scene(self.at(number), viewer)

    def advice(self, number: int, given: Given) -> list[dict[str, Any]]:
        """What agents think at move `number`."""
        env = self.at(number)
        if number == len(self.episode.moves):
            raise Refused("the game is over at this point")
        return Question.of(env, given).answer()

    def judges(self, given: Given) -> list[str]:
        """The agents that can be asked what they think of this game."""
        return advice.judges(self.episode.game, self.episode.options, given)

    def thoughts(self, name: str, given: Given) -> dict[str, Any]:
        """What one of them thinks of it, see `advice.judge`, of more moves each time until it has seen all; a file that has
        changed since is asked anew.

        Raises:
            Refused: there is no such agent, or it failed.
        """
        state = [_stamp(each) for each in given if each in name]
        with self._lock:
            if self._judging.get(name, (None,))[0] != state:
                if name not in self.judges(given):
                    raise Refused(f"this agent cannot be asked here; agents: {', '.join(self.judges(given))}")
                judging = advice.judge(self.episode, name, given)
                self._judging[name] = state, judging, next(judging)
            _, judging, found = self._judging[name]
            end = time.monotonic() + _THINKING
            try:
                while next(judging, None) and time.monotonic() < end:
                    pass
            except Exception as error:  # of an agent of any kind
                del self._judging[name]
                raise Refused(f"{name} failed: {error}") from error
            self._marks = found["marks"]
            return copy.deepcopy(found)

    def marks(self, given: Given) -> list[dict[str, Any]]:
        """The moves at which the first of them would have played something better by far."""
        return self.thoughts(self.judges(given)[0], given)["marks"]


def _stamp(path: str) -> tuple[int, int] | None:
    """Another one when a file has changed; None of what is no file."""
    try:
        about = Path(path).stat()
    except (OSError, ValueError):
        return None
    return about.st_mtime_ns, about.st_size


class Shelf:
    """The replays that browsers have open, found by tokens; the oldest make room."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._players: OrderedDict[str, Player] = OrderedDict()

    def put(self, episode: Episode) -> str:
        token = new_token()
        self._players[token] = Player(episode)
        while len(self._players) > self.most:
            self._players.popitem(last=False)
        return token

    def find(self, token: Any) -> Player:
        """The replay of a token.

        Raises:
            Gone: there is none, or no longer.
        """
        if not isinstance(token, str) or token not in self._players:
            raise Gone("this replay is gone; open it again")
        self._players.move_to_end(token)
        return self._players[token]
