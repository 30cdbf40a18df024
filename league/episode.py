"""A finished game for display, and its JSON format, which `wilddeck league replay --json` and the browser write and read.

    {"match": "...", "game": "tennis_v0", "options": {...}, "rules": "...", "deal_seed": 1,
     "seats": [{"seat": 0, "agent": "rules", "return": 1.0}, ...],
     "events": [...],
     "moves": [{"number": 0, "seat": 2, "agent": "random", "action": 4, "label": "play 6", "stand_in": false,
                "events": [{"kind": "play", "player": 2, "cards": ["6h"], ..., "text": "player 2 plays 6h"}]}, ...],
     "digest": "..."}

`events` holds all events, including hidden ones: first those before any move, then those of each move.

When a file is read, only the game, its options, the seed, the seats' agents and returns, and the actions are used. The game is
played again from these; the digests of the rules and of the final state must agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ..envs import resolve
from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import MAX_SEED
from ..envs.core.escape import plain
from ..envs.core.events import Event
from ..envs.core.files import is_number, read_json
from ..envs.core.game import Game, Options, state_digest
from ..envs.core.render import sight
from ..envs.core.render.vector import Svg, seen, svg_of
from .errors import ReplayError
from .match import over
from .replay import Move, Replay
from .standalone import page

MAX_MOVES = 100_000
_NAME_LENGTH = 200
_MOVE = ("number", "seat", "agent", "action", "label", "stand_in")


@dataclass(frozen=True, eq=False)
class Episode:
    """A finished game.

    Attributes:
        game, options, deal_seed: the game, its options and the seed of the deal.
        agents, returns: the agent's name and the return of each seat.
        moves: all moves in order.
        digest: the digest of the final state.
        match: the match's id in a league, or "".
    """

    game: Game
    options: Options
    deal_seed: int
    agents: tuple[str, ...]
    returns: tuple[float, ...]
    moves: tuple[Move, ...]
    digest: str
    match: str = ""

    @classmethod
    def played(
        cls,
        game: Game,
        options: Options,
        deal_seed: int,
        actions: Sequence[int],
        agents: Sequence[str],
        returns: Sequence[float] | None = None,
        stand_ins: Sequence[bool] = (),
        match: str = "",
    ) -> Episode:
        """The episode given by a deal and actions.

        Args:
            returns: by seat; None: those of the rules.
            stand_ins: for each move, whether it replaced an agent that had forfeited.

        Raises:
            ReplayError: an action is not legal, or the game does not end with the last action.
        """
        env = CardGameEnv(game, options)
        env.reset(seed=deal_seed)
        moves = []
        for number, action in enumerate(actions):
            if over(env) or not env.is_legal(action):
                raise ReplayError(f"action {number + 1} ({action}) is not legal")
            seat, label = env.current_player, env.action_label(action)
            stand_in = number < len(stand_ins) and stand_ins[number]
            moves.append(Move(number, seat, agents[seat], action, label, stand_in))
            env.step(action)
        if not over(env):
            raise ReplayError(f"the game does not end with its last action, number {len(actions)}")
        paid = env.returns.values() if returns is None else returns
        return cls(game, options, deal_seed, tuple(agents), tuple(paid), tuple(moves), state_digest(env.record), match)

    @classmethod
    def of(cls, replay: Replay) -> Episode:
        """The episode of a replayed league match."""
        seats, env = replay.result.seats, replay.env()
        result = replay.result
        agents, returns = tuple(seat.agent for seat in seats), tuple(seat.returned for seat in seats)
        return cls(env.game, env.options, result.deal_seed, agents, returns, tuple(replay.moves), result.digest, result.id)

    def env(self) -> CardGameEnv:
        """A new environment at the start of the game."""
        env = CardGameEnv(self.game, self.options)
        env.reset(seed=self.deal_seed)
        return env

    def events(self) -> list[list[Event]]:
        """All events, including hidden ones: those before the first move, then those of each move."""
        env, known = self.env(), 0
        by_move = []
        for action in [None, *(move.action for move in self.moves)]:
            if action is not None:
                env.step(action)
            events = env.history()
            by_move.append(events[known:])
            known = len(events)
        return by_move

    def envs(self) -> Iterator[CardGameEnv]:
        """The game before each move and at its end: the same environment each time, stepped."""
        env = self.env()
        yield env
        for move in self.moves:
            env.step(move.action)
            yield env

    def about(self) -> dict[str, Any]:
        """All that the browser shows except the cards, for JSON: seats, results and moves."""
        seats = [{"kind": "agent", "name": name, "agreed": False} for name in self.agents]
        moves = []
        for move, events in zip(self.moves, self.events()[1:], strict=True):
            told = "; ".join(event.text() for event in events)
            moves.append({"seat": move.seat, "label": move.label, "told": told or move.label, "standIn": move.stand_in})
        return {
            "game": self.game.id,
            "title": self.game.title,
            "match": self.match,
            "seats": seats,
            "returns": [round(value, 4) for value in self.returns],
            "results": [self.game.unit_of(self.options).text(value) for value in self.returns],
            "moves": moves,
        }

    def to_html(self, marks: Iterable[dict[str, Any]] = ()) -> str:
        """The browser's replay as a self-contained HTML page.

        Args:
            marks: moves to mark, each with the keys `n`, `better`, `agent`.
        """
        viewers = [*range(len(self.agents)), None]
        by_move = [[sight.scene(env, viewer) for viewer in viewers] for env in self.envs()]
        content = {"about": self.about(), "marks": list(marks), "frames": by_move}
        return page(f"{self.game.title}, replay", content, self.game)

    def to_svg(self, viewer: int | None = None, seconds: float = 1.0) -> Svg:
        """An animated picture.

        Args:
            viewer: the seat whose view is shown; None: all cards.
            seconds: duration of each move.
        """
        env = self.env()
        name = None if viewer is None else env.possible_agents[viewer]
        return svg_of([seen(env, name) for env in self.envs()], seconds)

    def _repr_html_(self) -> str:
        """For notebooks."""
        return f'<iframe srcdoc="{escape(self.to_html())}" sandbox="allow-scripts" width="100%" height="640"></iframe>'

    def to_json(self) -> dict[str, Any]:
        """The JSON format as a dictionary."""
        begin, *by_move = [[event.to_json(self.game.cards) for event in events] for events in self.events()]
        return {
            "match": self.match,
            "game": self.game.id,
            "options": vars(self.options),
            "rules": self.game.rules_digest,
            "deal_seed": self.deal_seed,
            "seats": [
                {"seat": seat, "agent": agent, "return": value}
                for seat, (agent, value) in enumerate(zip(self.agents, self.returns, strict=True))
            ],
            "events": begin,
            "moves": [
                {**{name: getattr(move, name) for name in _MOVE}, "events": events}
                for move, events in zip(self.moves, by_move, strict=True)
            ],
            "digest": self.digest,
        }

    @classmethod
    def from_json(cls, text: str | bytes) -> Episode:
        """Read an episode from JSON of any origin, and verify it by playing it again.

        Raises:
            ReplayError: the text is not a replay, the rules have changed, or the final state differs.
        """
        try:
            content = read_json(text)
            return cls._read(content)
        except ReplayError:
            raise
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            raise ReplayError(f"this is not a valid replay: {plain(error)[:300]}") from None

    @classmethod
    def _read(cls, content: Any) -> Episode:
        if (
            not isinstance(content, dict)
            or not isinstance(content.get("game"), str)
            or not isinstance(content.get("options"), dict)
        ):
            raise ValueError("game and options are missing")
        game, options = resolve(content["game"], content["options"])
        if content.get("rules") != game.rules_digest:
            raise ReplayError(f"the rules of {game.id} have changed since it was played")
        seed, seats, moves = content.get("deal_seed"), content.get("seats"), content.get("moves")
        if type(seed) is not int or not 0 <= seed < MAX_SEED:
            raise ValueError("deal_seed is not a seed")
        if not isinstance(seats, list) or len(seats) != options.num_players or not isinstance(moves, list):
            raise ValueError(f"it must have {options.num_players} seats and a list of moves")
        if len(moves) > MAX_MOVES:
            raise ValueError(f"it has more than {MAX_MOVES} moves")
        agents = [_text(seat["agent"]) for seat in seats]
        returns = [seat["return"] for seat in seats]
        actions = [move["action"] for move in moves]
        if not all(map(is_number, returns)) or any(type(action) is not int for action in actions):
            raise ValueError("returns must be numbers and actions integers")
        stand_ins = [move.get("stand_in") is True for move in moves]
        played = cls.played(game, options, seed, actions, agents, returns, stand_ins, _text(content.get("match", "")))
        if played.digest != content.get("digest", played.digest):
            raise ReplayError("the replay differs from the record in its final state")
        return played


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("names must be text")
    return plain(value)[:_NAME_LENGTH]
