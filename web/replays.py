"""Replays for browsers: a finished game at any of its moves, from any seat's view or with all cards."""

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

_EVERY, _COPIES = 24, 200  # moves between cached copies; maximal number of copies
_THINKING = 2.0  # seconds for which an agent evaluates a replay before others have their turn


class Player:
    """A replay with random access to moves."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self._copies: dict[int, CardGameEnv] = {0: episode.env()}
        self._every = max(_EVERY, len(episode.moves) // _COPIES + 1)
        self._marks: list[dict[str, Any]] = []  # recently shown copies
        self._lock = threading.Lock()
        self._judging: dict[str, tuple[Any, Iterator[Any], dict[str, Any]]] = {}  # by agent: files, `judge`, latest result

    def about(self) -> dict[str, Any]:
        """Everything except the cards: the players and the moves."""
        return self.episode.about()

    def saved(self, kind: str) -> str:
        """The whole replay as a file: a page ("html"), with the computed marks, or a picture ("svg").

        Raises:
            Refused: the kind is unknown.
        """
        if kind == "html":
            return self.episode.to_html(self._marks)
        if kind == "svg":
            return self.episode.to_svg()
        raise Refused("a replay can be saved as html or svg")

    def at(self, number: int) -> CardGameEnv:
        """The game before move `number`, read-only.

        Raises:
            Refused: the move does not exist.
        """
        if not 0 <= number <= len(self.episode.moves):
            raise Refused(f"this replay has moves 0 to {len(self.episode.moves)}")
        begin = max(copy for copy in list(self._copies) if copy <= number)
        env = self._copies[begin].clone()
        for move in self.episode.moves[begin:number]:
            if move.number % self._every == 0:
                env.history()  # so that the copy need not compute it again from the beginning
                self._copies.setdefault(move.number, env.clone())
            env.step(move.action)
        return env

    def frame(self, number: int, viewer: int | None) -> dict[str, Any]:
        """The scene before move `number`, from a seat's view or with all cards."""
        if viewer is not None and not 0 <= viewer < len(self.episode.agents):
            raise Refused(f"there is no seat {viewer}")
        return sight.scene(self.at(number), viewer)

    def advice(self, number: int, given: Given) -> list[dict[str, Any]]:
        """The agents' evaluations at move `number`."""
        env = self.at(number)
        if number == len(self.episode.moves):
            raise Refused("the game is over at this point")
        return Question.of(env, given).answer()

    def judges(self, given: Given) -> list[str]:
        """The agents that can evaluate this game."""
        return advice.judges(self.episode.game, self.episode.options, given)

    def thoughts(self, name: str, given: Given) -> dict[str, Any]:
        """One agent's evaluation of the game, see `advice.judge`. Each call covers more moves until all are done; if the
        agent's file has changed, it starts again.

        Raises:
            Refused: the agent does not exist, or it failed.
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
            except Exception as error:  # from any kind of agent
                del self._judging[name]
                raise Refused(f"{name} failed: {error}") from error
            self._marks = found["marks"]
            return copy.deepcopy(found)

    def marks(self, given: Given) -> list[dict[str, Any]]:
        """The moves for which the first of these agents has a clearly better action."""
        return self.thoughts(self.judges(given)[0], given)["marks"]


def _stamp(path: str) -> tuple[int, int] | None:
    """A stamp that changes with the file; None if it is not a file."""
    try:
        about = Path(path).stat()
    except (OSError, ValueError):
        return None
    return about.st_mtime_ns, about.st_size


class Shelf:
    """The replays open in browsers, found by tokens; the oldest are dropped."""

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
            Gone: the replay does not exist, or no longer.
        """
        if not isinstance(token, str) or token not in self._players:
            raise Gone("this replay is gone; open it again")
        self._players.move_to_end(token)
        return self._players[token]
