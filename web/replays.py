"""Replays for browsers: a game that is over, at any of its moves, through any seat or with all cards."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np

from .. import agents
from ..agents.base import View
from ..agents.learned import LearnedAgent
from ..envs.core.aec import CardGameEnv
from ..envs.core.render import sight
from ..league.episode import Episode
from .advice import Question, chances
from .limits import Gone, Refused
from .players import new_token

_EVERY, _COPIES = 24, 200  # moves between the copies that are kept; so many are kept at most
_MARKED_MOVES = 3000  # of a replay are compared with what agents would have played
_UNLIKELY, _LIKELY = 0.05, 0.6  # probabilities: what was played had less, something else more


class Player:
    """A replay that can be opened anywhere."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self._copies: dict[int, CardGameEnv] = {0: episode.env()}
        self._every = max(_EVERY, len(episode.moves) // _COPIES + 1)
        self._marks: list[dict[str, Any]] | None = None

    def about(self) -> dict[str, Any]:
        """All but the cards: who sat where, and what was played."""
        return self.episode.about()

    def saved(self, kind: str) -> str:
        """The whole replay as a file of its own: a page ("html"), with the marks that were asked for, or a picture ("svg").

        Raises:
            Refused: another kind.
        """
        if kind == "html":
            return self.episode.to_html(self._marks or ())
        if kind == "svg":
            return self.episode.to_svg()
        raise Refused("a replay is saved as html or svg")

    def at(self, number: int) -> CardGameEnv:
        """The game before move `number`, to be looked at only.

        Raises:
            Refused: there are not so many moves.
        """
        if not 0 <= number <= len(self.episode.moves):
            raise Refused(f"this replay has the moves 0 to {len(self.episode.moves)}")
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

    def advice(self, number: int) -> list[dict[str, Any]]:
        """What agents would have played at move `number`."""
        env = self.at(number)
        if number == len(self.episode.moves):
            raise Refused("the game is over there")
        return Question.of(env).answer()

    def marks(self) -> list[dict[str, Any]]:
        """The moves at which the trained agent would have played something else by far, or, where there is none, at which
        the rules would have: `n`, and what (`better`)."""
        if self._marks is None:
            self._marks = self._find_marks()
        return self._marks

    def _find_marks(self) -> list[dict[str, Any]]:
        judge = None
        for spec in ("trained", "rules"):
            try:
                judge = agents.make(spec, self.episode.game, self.episode.options)
                break
            except ValueError:
                continue
        if judge is None:
            return []
        env, marks, rng = self.episode.env(), [], np.random.default_rng(0)
        for move in self.episode.moves[:_MARKED_MOVES]:
            view = View.of(env)
            if isinstance(judge, LearnedAgent):
                shares = chances(judge, view)
                best = int(shares.argmax())
                differs = shares[move.action] < _UNLIKELY and shares[best] > _LIKELY
            else:
                best = int(judge.act(view, rng))
                differs = best != move.action
            if differs:
                marks.append({"n": move.number, "better": view.label(best), "agent": judge.name})
            env.step(move.action)
        return marks


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
