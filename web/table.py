"""A table: a game in progress between people at browsers and agents. All its changes are made by one task at a time."""

from __future__ import annotations

import asyncio
import contextlib
import math
import secrets
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .. import agents
from ..agents.base import Agent, AgentError, View
from ..agents.play import legal_action, rehearse, seat_seed
from ..agents.takeback import NOTHING_TO_UNDO, can_be_taken_back, foreseen
from ..envs.core import beside
from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import fresh_seed
from ..envs.core.escape import plain
from ..envs.core.game import Game, Options
from ..league.episode import Episode
from . import links, sight
from .limits import Limits, Refused
from .log import LINE, Before, Log
from .players import (
    AGENT,
    BOTS,
    OPEN,
    PERSON,
    QUICK,
    SEARCHES,
    Seat,
    check_spec,
    clean_name,
    digest_of,
    invitation_to,
    new_token,
)
from .workers import Pool, Workers

SLOWEST = 10.0  # seconds between moves
FASTEST_ALONE = 0.05  # of agents among themselves


@dataclass(frozen=True)
class House:
    """What the tables of a server share.

    Attributes:
        changed: called after every change of a table.
        agents: what may be chosen besides what everybody may, by the name under which it is: specs, and agents themselves.
        sandbox: run bots (cmd:) in a sandbox.
    """

    limits: Limits
    workers: Workers
    changed: Callable[[Table], None]
    agents: Mapping[str, str | Agent] = field(default_factory=dict)
    sandbox: bool = False


class Table:
    """A game, its seats, and what each viewer is told.

    Args:
        seats: one a player. With people among them nobody sees more than a seat does until the game is over; without,
            who holds `watch_token` sees all cards.
        pace: seconds between the moves of agents.
        client: who made it.

    Attributes:
        id: its name among those that are kept.
        watch_key: the digest of the token by which agents alone are watched.
        host: the seat of who made it.
        version: another number after every change, so that an answer can be seen to come too late. A random one, and told only
            to those who can answer: a counter would tell of what others do in secret.
        round: counts the games dealt.
        before: by seat, the returns of the games before this one.
        actions: of the game so far.
        here: browsers, by seat.
        left: when the last of them left.
        failure: why the table can go on no more, if so.
        touched: when somebody last did something, came or left; what agents do is no use of it.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        seats: Sequence[Seat],
        house: House,
        pace: float,
        client: str = "",
    ) -> None:
        self.game, self.options, self.seats = game, options, list(seats)
        self.house, self.workers = house, house.workers
        self.client, self._owners = client, (client, new_token())
        self.env = CardGameEnv(game, options)
        self.id, self.watch_key = secrets.token_hex(8), ""
        self.host = next(iter(self.people), None)
        self.paused = False
        self.set_pace(pace)
        self.version, self.round = 0, 0
        self.failure = ""
        self.closed = False
        self.touched = time.monotonic()
        self.here: Counter[int] = Counter()
        self.left = dict.fromkeys(range(len(self.seats)), self.touched)
        self.before = np.zeros(options.num_players)
        self.lock = asyncio.Lock()
        self.votes: set[int] = set()
        self._turn = asyncio.Event()
        self._clear()

    def _clear(self) -> None:
        self.seed = 0
        self.begun = False
        self.returns = np.zeros(self.options.num_players)
        self.actions: list[int] = []
        self.logs: dict[int | None, Log] = {viewer: Log(self.house.limits.log_lines) for viewer in self.viewers}
        self._told = dict.fromkeys(self.viewers, 0)  # events, by viewer
        self._choice: list[Before] = []  # the half-made choice of the seat to move

    # --- what is asked of it; no change ---

    @property
    def with_people(self) -> bool:
        return any(seat.kind != AGENT for seat in self.seats)

    @property
    def viewers(self) -> list[int | None]:
        """The seats that people hold or may come to hold, or who sees all."""
        people = [number for number, seat in enumerate(self.seats) if seat.kind != AGENT]
        return [*people] or [None]

    @property
    def people(self) -> list[int]:
        return [number for number, seat in enumerate(self.seats) if seat.kind == PERSON]

    @property
    def holders(self) -> list[tuple[int | None, str]]:
        """Who is told by a token which place is theirs: the seat (None: watching), and the token's digest."""
        return [(None, self.watch_key), *((number, seat.key) for number, seat in enumerate(self.seats) if seat.key)]

    def is_away(self, number: int) -> bool:
        """Whether a seat is a person's who has no browser at the table."""
        return self.seats[number].kind == PERSON and not self.here[number]

    @property
    def totals(self) -> np.ndarray:
        """By seat, the returns of all games that are over."""
        return self.before + self.returns if self.over else self.before

    @property
    def over(self) -> bool:
        return self.begun and (any(self.env.terminations.values()) or any(self.env.truncations.values()))

    @property
    def mover(self) -> int | None:
        return None if not self.begun or self.over else self.env.current_player

    @property
    def advice(self) -> bool:
        """Whether agents may be asked for advice: all people at the table agreed."""
        return self.votes.issuperset(self.people) and not any(seat.kind == OPEN for seat in self.seats)

    def state(self, viewer: int | None, log_from: int, look: int | None = None) -> dict[str, Any]:
        """All that a browser needs to show the table: what the viewer's seat may see, and lines of its log from a number on.

        Who sees all (`viewer` None) may look through a seat.
        """
        log = self.logs[viewer]
        seats = [
            {"kind": seat.kind, "name": seat.name, "agent": seat.spec, "agreed": k in self.votes, "away": self.is_away(k)}
            for k, seat in enumerate(self.seats)
        ]
        state: dict[str, Any] = {
            "type": "state",
            "round": self.round,
            "game": self.game.id,
            "title": self.game.title,
            "seats": seats,
            "you": viewer,
            "host": viewer is None or viewer == self.host,
            "pace": self.pace,
            "paused": self.paused,
            "failure": self.failure,
            "advice": self.advice,
            "log": log.since(log_from),
            "logEnd": log.number,
            "over": self.over,
        }
        compiling = beside.progress()
        if compiling is not None:
            state["compiling"] = compiling._asdict()
        if self.begun:
            state["scene"] = sight.scene(self.env, look if viewer is None else viewer)
        if self.over:
            state["returns"] = [round(value, 4) for value in self.returns.tolist()]
            state["totals"] = [round(value, 4) for value in self.totals.tolist()]
        if viewer is None or self.mover == viewer:
            state["version"] = self.version
        if viewer is not None and self.mover == viewer and not self.failure:
            state["decision"] = links.decision(self.env)
            state["canUndo"] = self._can_undo
            state["composed"] = self._composed(viewer)
        return state

    def invitations(self, token: str) -> dict[str, str]:
        """To the open seats, as who made the table is told by their token."""
        return {str(k): invitation_to(k, token) for k, seat in enumerate(self.seats) if seat.kind == OPEN}

    @property
    def _can_undo(self) -> bool:
        return bool(self._choice) and self._choice[-1].secret

    def _composed(self, seat: int) -> list[int]:
        """The cards in the hand of the seat to move that its half-made choice holds."""
        if not self._choice:
            return []
        events, begun = self.env.history(self.env.possible_agents[seat]), self._choice[0]
        return links.composed(begun.env, self.env, events[begun.told[seat] :])

    def replay(self) -> Episode:
        """The game, when it is over.

        Raises:
            Refused, ReplayError: it is not.
        """
        if self.begun and not self.over:
            raise Refused("the game is not over; its replay shows all cards")
        names = [seat.name for seat in self.seats]
        return Episode.played(self.game, self.options, self.seed, self.actions, names)

    # --- the task ---

    async def run(self) -> None:
        """Deal, and let agents move, until the table is closed."""
        try:
            await self._deal(new=not self.round)
            while not self.closed:
                mover = self.mover
                if mover is None or not self.seats[mover].automatic or self.paused:
                    self._turn.clear()
                    await self._turn.wait()
                else:
                    await self._agent_moves(mover)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # of one table, which says so; the others go on
            self.failure = f"this table has failed and cannot go on: {plain(error)[:LINE]}"
            self._note_change()
        finally:
            self.close()
            self._close_agents()  # that were made meanwhile

    async def _deal(self, new: bool = True) -> None:
        """Begin a new game, or go on with one that was kept."""
        async with self.lock:
            if new:
                self.before = self.totals
                self._clear()
                self.seed, self.round = fresh_seed(), self.round + 1
            await self._work(self.workers.pages, self._begin)
            for number in range(len(self.seats)):
                await self._prepare(number)
            self.begun = True
            self._tell_events()
            self._note_change()

    def _begin(self) -> None:
        env = CardGameEnv(self.game, self.options)
        env.reset(seed=self.seed)
        rehearse(env)
        self.env = env
        for number, action in enumerate(self.actions):
            if any(env.terminations.values()) or not env.is_legal(action):
                raise ValueError(f"action {number + 1} ({action}) cannot be played there")
            self._step(action)

    async def _prepare(self, number: int) -> None:
        """Make the agent of a seat, if one plays there."""
        seat = self.seats[number]
        if seat.automatic:
            await self._work(self.workers.bots if seat.thinks == BOTS else self.workers.pages, self._make_agent, number)

    def _make_agent(self, number: int) -> None:
        seat, house = self.seats[number], self.house
        seed = seat_seed(self.seed, number)
        seat.rng = np.random.default_rng(seed)
        try:
            agent, seat.agent = seat.agent, None  # nobody closes it while it begins
            if agent is None:
                spec = check_spec(seat.spec, self.game, self.options, house.limits, house.agents)  # it may be a file's
                agent = agents.make(house.agents.get(spec, spec), self.game, self.options, sandbox=house.sandbox)
            try:
                agent.begin(self.game, self.options, number, seed)
            finally:
                seat.agent = agent
        except (AgentError, ValueError, OSError) as error:
            self._fails(number, error)
        if self.closed or not seat.automatic:  # meanwhile
            seat.dismiss()

    async def _agent_moves(self, mover: int) -> None:
        seat, begin, game = self.seats[mover], time.monotonic(), self.seed
        quick = seat.thinks == QUICK and beside.progress() is None  # else it may have to wait for what is being compiled
        pool = self.workers.quick if quick else self.workers.searches if seat.thinks == SEARCHES else self.workers.bots
        action = await self._work(pool, self._ask, mover)
        rest = self.pace - (time.monotonic() - begin)
        if rest > 0:
            await asyncio.sleep(rest)
        async with self.lock:
            if self.seed == game and self.mover == mover and seat.automatic and not self.closed:
                await self._work(self.workers.quick, self._play, action)
                self._note_change()

    def _ask(self, mover: int) -> int:
        """What the agent plays; for one that fails a random action stands in."""
        seat, view = self.seats[mover], View.of(self.env)
        agent = seat.agent
        if agent is not None:
            try:
                return legal_action(agent, view, seat.rng)
            except Exception as error:  # an agent's failure of any kind ends nothing but its own play
                if seat.agent is agent:
                    self._fails(mover, error)
        return int(seat.rng.choice(view.legal_actions))

    def _fails(self, number: int, error: Exception) -> None:
        seat = self.seats[number]
        seat.dismiss()
        self._tell(f"{seat.spec} failed, and random moves stand in: {error}", number, "note")

    def _step(self, action: int) -> None:
        self.env.step(action)
        self.returns += [self.env.rewards[name] for name in self.env.possible_agents]

    def _play(self, action: int) -> None:
        """The player to move plays a legal action; every viewer is told what it perceives."""
        self._step(action)
        self.actions.append(action)
        self._tell_events()

    def _tell_events(self) -> None:
        for viewer, log in self.logs.items():
            events = self.env.history(None if viewer is None else self.env.possible_agents[viewer])
            for event in events[self._told[viewer] :]:
                log.add(event.text(viewer), event.player, "move" if event.player is not None else "note")
            self._told[viewer] = len(events)

    def _tell(self, text: str, seat: int | None, kind: str) -> None:
        for log in self.logs.values():
            log.add(text, seat, kind)

    async def _work(self, pool: Pool, call: Callable[..., Any], *arguments: Any) -> Any:
        return await pool.run(self._owners, call, *arguments)

    async def search(self, call: Callable[..., Any]) -> Any:
        """What a search gives, in this table's share of the time for searches."""
        return await self._work(self.workers.searches, call)

    def touch(self) -> None:
        """Somebody is or was here."""
        self.touched = time.monotonic()

    def _note_change(self) -> None:
        self.version = secrets.randbits(48)
        self.house.changed(self)

    # --- what people do ---

    async def play(self, seat: int, version: int, action: int) -> None:
        """A person plays.

        Raises:
            Refused: it is not this seat's move, the game went on meanwhile, or the action is not legal.
        """
        async with self.lock:
            if self.failure or self.mover != seat:
                raise Refused("it is not your move")
            if version != self.version:
                raise Refused("the game went on meanwhile; choose again")
            if not self.env.is_legal(action):
                raise Refused("this action is not legal now")
            before = await self._work(self.workers.quick, self._before, action)
            await self._work(self.workers.quick, self._play, action)
            if before is None:
                self._choice.clear()
            else:
                self._choice.append(before)
            self._note_change()
        self._turn.set()

    def _before(self, action: int) -> Before | None:
        """What is kept of an action of which the player to move has learned nothing and makes the next as well."""
        if not foreseen(self.env, action):
            return None
        logs = {viewer: log.number for viewer, log in self.logs.items()}
        secret = can_be_taken_back(self.env, action)
        return Before(secret, self.env.clone(), self.returns.copy(), len(self.actions), dict(self._told), logs)

    async def undo(self, seat: int) -> None:
        """Take back the last action of a half-made choice.

        Raises:
            Refused: there is none, or it has told somebody something.
        """
        async with self.lock:
            if self.mover != seat or not self._can_undo:
                raise Refused(NOTHING_TO_UNDO)
            before = self._choice.pop()
            self.env, self.returns, self._told = before.env, before.returns, before.told
            del self.actions[before.actions :]
            for viewer, number in before.logs.items():
                self.logs[viewer].back_to(number)
            self._note_change()

    async def new_game(self) -> None:
        """Deal a new game to the same seats.

        Raises:
            Refused: this one is not over.
        """
        if not self.over or self.failure:
            raise Refused("this game is still being played")
        self._end_agents()
        await self._deal()
        self._turn.set()

    def set_pace(self, seconds: float) -> None:
        self.pace = min(SLOWEST, max(seconds, 0.0 if self.with_people else FASTEST_ALONE))

    def pause(self, on: bool) -> None:
        self.paused = on
        self._note_change()
        self._turn.set()

    def agree(self, seat: int, on: bool) -> None:
        """A person agrees to advice, or no longer does."""
        (self.votes.add if on else self.votes.discard)(seat)
        self._note_change()

    def claim(self, number: int, name: str) -> str:
        """An open seat becomes a person's, whose token is returned; the invitation is spent.

        Raises:
            Refused: somebody else has taken it.
        """
        seat = self.seats[number]
        if seat.kind != OPEN:
            raise Refused("somebody else has taken this seat")
        token = new_token()
        seat.name, seat.kind, seat.key = clean_name(name, "Guest"), PERSON, digest_of(token)
        self.touch()
        self._note_change()
        return token

    async def fill(self, number: int, spec: str, check: Callable[[str, Sequence[Seat]], None]) -> None:
        """An agent takes an open seat, or plays for a person who is away, until they are back.

        Args:
            check: refuses a seat for which a client's tables have no room.

        Raises:
            Refused: the seat is neither, its person left only a moment ago, or the agent is not allowed.
        """
        if not 0 <= number < len(self.seats) or not self._is_free(number):
            raise Refused("this seat is not open, nor is its player away")
        seat = self.seats[number]
        wait = self.house.limits.away_seconds - (time.monotonic() - self.left[number])
        if seat.kind == PERSON and wait > 0:
            raise Refused(f"{seat.name} left only a moment ago; wait for {math.ceil(wait)} seconds")
        spec = check_spec(spec, self.game, self.options, self.house.limits, self.house.agents)
        async with self.lock:
            if not self._is_free(number):
                raise Refused("somebody has taken this seat")
            taken = Seat(AGENT, spec, spec) if seat.kind == OPEN else replace(seat, spec=spec)
            check(self.client, [taken])
            self.seats[number] = taken
            self._choice.clear()  # what is taken back, is taken back from the logs of all seats
            if taken.kind == AGENT:
                self.logs.pop(number, None)
                self._told.pop(number, None)
            else:
                self._tell(f"{spec} plays for {seat.name}, who is away", number, "note")
            await self._prepare(number)
            self._note_change()
        self._turn.set()

    def _is_free(self, number: int) -> bool:
        return self.seats[number].kind == OPEN or (self.is_away(number) and not self.seats[number].automatic)

    def arrive(self, number: int | None) -> None:
        """A browser is at a seat, or watches; whoever played for its person gives it back."""
        self.touch()
        if number is None:
            return
        self.here[number] += 1
        seat = self.seats[number]
        if seat.automatic:
            seat.spec = ""
            seat.dismiss()
            self._tell(f"{seat.name} is back", number, "note")
        self.house.changed(self)

    def leave(self, number: int | None) -> None:
        """A browser is no longer at a seat, or no longer watches."""
        self.touch()
        if number is None:
            return
        self.here[number] -= 1
        self.left[number] = time.monotonic()
        self.house.changed(self)

    def _end_agents(self) -> None:
        for number, seat in enumerate(self.seats):
            if seat.agent is not None and self.over:
                with contextlib.suppress(Exception):
                    seat.agent.end(number, self.returns.copy())

    def close(self) -> None:
        """End the table; its agents are closed."""
        if self.closed:
            return
        self.closed = True
        self._turn.set()
        self._close_agents()
        self.house.changed(self)

    def _close_agents(self) -> None:
        for seat in self.seats:
            seat.dismiss()
