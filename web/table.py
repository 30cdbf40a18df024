"""A table: a game in progress between people at browsers and agents. One task makes all its changes, one at a time."""

from __future__ import annotations

import asyncio
import contextlib
import math
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .. import agents
from ..agents.base import Agent, AgentError, View
from ..agents.play import legal_action, rehearse, seat_seed
from ..agents.takeback import NOTHING_TO_UNDO, known_before
from ..envs.core import beside
from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import fresh_seed
from ..envs.core.escape import plain
from ..envs.core.events import Event
from ..envs.core.game import Game, Options
from ..envs.core.public import PublicView
from ..envs.core.render import sight
from ..league.episode import Episode
from . import links
from .clock import Clock, TimeControl
from .limits import Limits, Refused
from .log import LINE, Before, Log
from .players import (
    AGENT,
    BOTS,
    OPEN,
    PERSON,
    QUICK,
    SEARCHES,
    SPECTATOR,
    Seat,
    Viewer,
    check_spec,
    clean_name,
    digest_of,
    new_token,
    seat_of,
    stand_in,
)
from .workers import Pool, Workers

SLOWEST = 10.0  # seconds between moves
FASTEST_ALONE = 0.05  # between moves of agents alone


@dataclass(frozen=True)
class House:
    """The shared settings of a server's tables.

    Attributes:
        changed: called after every change of a table.
        agents: further agents that may be chosen, by name: agent strings and agent objects.
        sandbox: run bots (cmd:) in a sandbox.
    """

    limits: Limits
    workers: Workers
    changed: Callable[[Table], None]
    agents: Mapping[str, str | Agent] = field(default_factory=dict)
    sandbox: bool = False


class Table:
    """A game, its seats, and the log of each viewer.

    Args:
        seats: one per player. If people are among them, nobody sees more than a seat does until the game is over; otherwise the
            holder of the WATCHER token sees all cards.
        pace: seconds between the moves of agents.
        client: the client that made the table.
        control: the time control for people, if any.

    Attributes:
        id: the key of the stored table.
        keys: digests of the tokens without a seat: WATCHER if only agents play, SPECTATOR, EVENING.
        version: a number that changes with every change of the table, to detect late answers. It is random and sent only to
            those who can answer, because a counter would reveal hidden actions.
        round: the number of games dealt.
        actions: the actions of the game so far.
        spectators: the number of spectators' browsers.
        failure: the reason why the table cannot continue, if any.
        touched: the time when a person last acted, arrived or left; actions of agents do not count.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        seats: Sequence[Seat],
        house: House,
        pace: float,
        client: str = "",
        control: TimeControl | None = None,
    ) -> None:
        self.game, self.options, self.seats = game, options, list(seats)
        self.house, self.workers = house, house.workers
        self.client, self._owners = client, (client, new_token())
        self.env = CardGameEnv(game, options)
        self.id, self.keys = secrets.token_hex(8), dict[str, str]()
        self.control = control
        self.paused = False
        self.set_pace(pace)
        self.version, self.round = 0, 0
        self.failure = ""
        self.closed = False
        self.touched = time.monotonic()
        self.spectators = 0
        self.lock = asyncio.Lock()
        self._turn = asyncio.Event()
        self._clear()

    def _clear(self) -> None:
        self.seed, self.begun = 0, False
        self.actions: list[int] = []
        self.clock = Clock(self.control, len(self.seats)) if self.control else None
        self.logs: dict[Viewer, Log] = {viewer: Log(self.house.limits.log_lines) for viewer in self.viewers}
        self._told = dict.fromkeys(self.viewers, 0)  # events, by viewer
        self._choice: list[Before] = []  # the unfinished choice of the seat to move

    # --- queries ---

    @property
    def with_people(self) -> bool:
        return any(seat.kind != AGENT for seat in self.seats)

    @property
    def viewers(self) -> list[Viewer]:
        """The seats of people and open seats, or the viewer who sees all; and spectators."""
        people: list[Viewer] = [number for number, seat in enumerate(self.seats) if seat.kind != AGENT]
        return [*(people or [None]), SPECTATOR]

    @property
    def people(self) -> list[int]:
        return [number for number, seat in enumerate(self.seats) if seat.kind == PERSON]

    @property
    def open_seats(self) -> list[int]:
        return [number for number, seat in enumerate(self.seats) if seat.kind == OPEN]

    @property
    def host(self) -> int | None:
        """The founder's seat; while they are away, that of another person who is present."""
        return min(self.people, key=lambda number: (self.seats[number].away, not self.seats[number].founder), default=None)

    @property
    def holders(self) -> list[tuple[int | str, str]]:
        """The meanings of tokens: a seat or a name in `keys`, and the token's digest."""
        return [*self.keys.items(), *((number, seat.key) for number, seat in enumerate(self.seats) if seat.key)]

    @property
    def returns(self) -> np.ndarray:
        """The returns by seat, once the game has begun."""
        return np.array(list(self.env.returns.values()))

    @property
    def totals(self) -> np.ndarray:
        """The sum of each seat's returns in all finished games."""
        before = np.array([seat.before for seat in self.seats])
        return before + self.returns if self.over else before

    @property
    def over(self) -> bool:
        return self.begun and (any(self.env.terminations.values()) or any(self.env.truncations.values()))

    @property
    def mover(self) -> int | None:
        return None if not self.begun or self.over else self.env.current_player

    @property
    def advice(self) -> bool:
        """Whether agents may be asked for advice: all people at the table agree."""
        return all(seat.kind == AGENT or (seat.kind == PERSON and seat.agreed) for seat in self.seats)

    def state(self, viewer: Viewer, log_from: int, look: int | None = None) -> dict[str, Any]:
        """The state of the table for a browser: what the viewer's seat may see, and the lines of its log from a number on.

        A viewer who sees all (None) may choose the view of a seat.
        """
        log = self.logs[viewer]
        seats = [
            {"kind": seat.kind, "name": seat.name, "agent": seat.spec, "agreed": seat.agreed, "away": seat.away}
            for seat in self.seats
        ]
        state: dict[str, Any] = {
            "type": "state",
            "round": self.round,
            "game": self.game.id,
            "title": self.game.title,
            "seats": seats,
            "you": viewer,
            "spectators": self.spectators,
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
        if self.clock:
            state["clock"] = self.clock.shown()
        if self.begun:
            env: Any = PublicView(self.env) if viewer == SPECTATOR else self.env
            state["scene"] = sight.scene(env, seat_of(look if viewer is None else viewer))
        if self.over:
            state["returns"] = [round(value, 4) for value in self.returns.tolist()]
            unit = self.game.unit_of(self.options)
            state["results"] = [unit.text(value) for value in self.returns.tolist()]
            state["totals"] = [round(value, 4) for value in self.totals.tolist()]
            state["games"] = [seat.games + 1 for seat in self.seats]
            state["sums"] = [unit.text(*sums) for sums in zip(state["totals"], state["games"], strict=True)]
        if viewer is None or self.mover == viewer:
            state["version"] = self.version
        if isinstance(viewer, int) and self._decides(viewer):
            state["decision"] = links.decision(self.env)
            state["canUndo"] = self._can_undo
            state["composed"] = self._composed(viewer)
        return state

    @property
    def _can_undo(self) -> bool:
        return bool(self._choice) and self._choice[-1].secret

    def _composed(self, seat: int) -> list[int]:
        """The cards in the mover's hand that belong to an unfinished choice."""
        if not self._choice:
            return []
        events, begun = self._perceived(seat), self._choice[0]
        return links.composed(begun.env, self.env, events[begun.told[seat] :])

    def replay(self) -> Episode:
        """The replay of a finished game.

        Raises:
            Refused, ReplayError: the game is not over, or cannot be replayed.
        """
        if self.begun and not self.over:
            raise Refused("the replay shows all cards, so it is available once the game is over")
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
                    await self._wait()
                else:
                    await self._agent_moves(mover)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # of one table, which reports it; the others continue
            self.failure = f"this table has failed and cannot go on: {plain(error)[:LINE]}"
            self._note_change()
        finally:
            self.close()
            self._close_agents()  # that were requested meanwhile

    async def _wait(self) -> None:
        """For people, as long as they have time."""
        self._turn.clear()
        try:
            await asyncio.wait_for(self._turn.wait(), self.clock.remaining if self.clock else None)
        except asyncio.TimeoutError:
            await self._time_out()

    async def _time_out(self) -> None:
        """An agent plays on for the person to move until their turn is over."""
        async with self.lock:
            if self.mover is None or self.clock is None or self.clock.remaining != 0:
                return
            seat = self.seats[self.mover]
            seat.spec, seat.timed = stand_in(self.game), True
            self._choice.clear()  # see `fill`
            self._tell(f"{seat.name}'s time is up: {seat.spec} plays this turn", self.mover, "note")
            await self._prepare(self.mover)
            self._note_change()

    async def _deal(self, new: bool = True) -> None:
        """Begin a new game, in which all sit one seat on, or go on with one that was kept."""
        async with self.lock:
            if new:
                for seat, total in zip(self.seats, self.totals.tolist(), strict=True):
                    seat.before, seat.games = total, seat.games + self.over
                if self.round:
                    self.seats = [*self.seats[-1:], *self.seats[:-1]]
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
            self.env.step(action)

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
            agent, seat.agent = seat.agent, None  # nobody may close it while it begins
            if agent is None:
                spec = check_spec(seat.spec, self.game, self.options, house.limits, house.agents)  # it may be from a file
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
        quick = seat.thinks == QUICK and beside.progress() is None  # otherwise it might wait for compilation
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
        """The agent's action; if the agent fails, a random action."""
        seat, view = self.seats[mover], View.of(self.env)
        agent = seat.agent
        if agent is not None:
            try:
                return legal_action(agent, view, seat.rng)
            except Exception as error:  # any failure of an agent ends only its own play
                if seat.agent is agent:
                    self._fails(mover, error)
        return int(seat.rng.choice(view.legal_actions))

    def _fails(self, number: int, error: Exception) -> None:
        seat = self.seats[number]
        seat.dismiss()
        self._tell(f"{seat.spec} failed, random moves replace it: {error}", number, "note")

    def _play(self, action: int) -> None:
        """Play a legal action of the player to move, and log for every viewer what it perceives."""
        self.env.step(action)
        self.actions.append(action)
        self._tell_events()

    def _tell_events(self) -> None:
        for viewer, log in self.logs.items():
            events = self._perceived(viewer)
            for event in events[self._told[viewer] :]:
                log.add(event.text(seat_of(viewer)), event.player, "move" if event.player is not None else "note")
            self._told[viewer] = len(events)

    def _perceived(self, viewer: Viewer) -> list[Event]:
        if viewer == SPECTATOR:
            return self.env.public_history()
        seat = seat_of(viewer)
        return self.env.history(None if seat is None else self.env.possible_agents[seat])

    def _tell(self, text: str, seat: int | None, kind: str) -> None:
        for log in self.logs.values():
            log.add(text, seat, kind)

    async def _work(self, pool: Pool, call: Callable[..., Any], *arguments: Any) -> Any:
        return await pool.run(self._owners, call, *arguments)

    async def search(self, call: Callable[..., Any]) -> Any:
        """What a search gives, in this table's share of the time for searches."""
        return await self._work(self.workers.searches, call)

    def touch(self) -> None:
        """Note that somebody is or was here."""
        self.touched = time.monotonic()

    def _note_change(self) -> None:
        self.version = secrets.randbits(48)
        self._wind()
        self.house.changed(self)

    def _wind(self) -> None:
        """Run the clock of the player to move while people are present."""
        mover, clock = self.mover, self.clock
        if clock is None:
            return
        turn = None if mover is None else (mover, self._told[SPECTATOR])
        if clock.turn is not None and turn != clock.turn and self.seats[clock.turn[0]].timed:
            self.seats[clock.turn[0]].give_back()
        waits = mover is not None and self.seats[mover].kind == PERSON and not self.seats[mover].automatic
        if clock.follow(turn, waits and not self.paused and not self.failure and any(seat.here for seat in self.seats)):
            self._turn.set()

    # --- people's actions ---

    async def play(self, seat: int, version: int, action: int) -> None:
        """A person plays.

        Raises:
            Refused: it is not this seat's move, the game went on meanwhile, or the action is not legal.
        """
        async with self.lock:
            if not self._decides(seat):
                raise Refused("it is not your move")
            if version != self.version:
                raise Refused("the game has moved on; choose again")
            if not self.env.is_legal(action):
                raise Refused("this action is not legal")
            before = await self._work(self.workers.quick, self._choose, action)
            if before is None:
                self._choice.clear()
            else:
                self._choice.append(before)
            self._note_change()
        self._turn.set()

    def _decides(self, seat: int) -> bool:
        return self.mover == seat and not self.seats[seat].automatic and not self.failure

    def _choose(self, action: int) -> Before | None:
        """Play a person's action. If it revealed nothing to them and they also make the next choice, the state before it is
        kept, so that it can be taken back."""
        foreseen, secret = known_before(self.env, action)
        logs = {viewer: log.number for viewer, log in self.logs.items()}
        before = Before(secret, self.env.clone(), len(self.actions), dict(self._told), logs) if foreseen else None
        self._play(action)
        return before

    async def undo(self, seat: int) -> None:
        """Take back the last action of a half-made choice.

        Raises:
            Refused: there is none, or it has given somebody information.
        """
        async with self.lock:
            if self.mover != seat or not self._can_undo:
                raise Refused(NOTHING_TO_UNDO)
            before = self._choice.pop()
            self.env, self._told = before.env, before.told
            del self.actions[before.actions :]
            for viewer, number in before.logs.items():
                self.logs[viewer].back_to(number)
            self._note_change()

    async def new_game(self) -> None:
        """Deal a new game, for which all move on by a seat.

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
        """A person agrees to advice, or withdraws their agreement."""
        self.seats[seat].agreed = on
        self._note_change()

    def claim(self, number: int, name: str) -> str:
        """Give an open seat to a person and return their token; the invitation becomes invalid.

        Raises:
            Refused: somebody else has taken it.
        """
        seat = self.seats[number]
        if seat.kind != OPEN:
            raise Refused("somebody else has taken this seat")
        token = new_token()
        seat.name, seat.kind, seat.key = clean_name(name, "Guest"), PERSON, digest_of(token)
        seat.before, seat.games = 0.0, 0
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
            raise Refused("this seat is not open, and its player is not away")
        seat = self.seats[number]
        wait = self.house.limits.away_seconds - (time.monotonic() - seat.left)
        if seat.kind == PERSON and wait > 0:
            raise Refused(f"{seat.name} left a moment ago; wait {math.ceil(wait)} more seconds")
        spec = check_spec(spec, self.game, self.options, self.house.limits, self.house.agents)
        async with self.lock:
            if self.seats[number] is not seat or not self._is_free(number):
                raise Refused("somebody has taken this seat")
            taken = replace(seat, kind=AGENT, name=spec, spec=spec) if seat.kind == OPEN else replace(seat, spec=spec)
            check(self.client, [taken])
            self.seats[number] = taken
            self._choice.clear()  # an action taken back disappears from the logs of all seats
            if taken.kind == AGENT:
                self.logs.pop(number, None)
                self._told.pop(number, None)
            else:
                self._tell(f"{spec} plays for {seat.name}, who is away", number, "note")
            await self._prepare(number)
            self._note_change()
        self._turn.set()

    def _is_free(self, number: int) -> bool:
        return self.seats[number].kind == OPEN or (self.seats[number].away and not self.seats[number].automatic)

    def arrive(self, viewer: Viewer) -> None:
        """A browser arrives at a seat, or a spectator arrives; a stand-in returns the seat to its person."""
        if isinstance(viewer, int):
            seat = self.seats[viewer]
            seat.here += 1
            if seat.automatic and not seat.timed:
                seat.give_back()
                self._tell(f"{seat.name} is back", viewer, "note")
        elif viewer == SPECTATOR:
            self.spectators += 1
        self._note_presence()

    def leave(self, viewer: Viewer) -> None:
        """A browser leaves a seat, or a spectator leaves."""
        if isinstance(viewer, int):
            self.seats[viewer].here -= 1
            self.seats[viewer].left = time.monotonic()
        elif viewer == SPECTATOR:
            self.spectators -= 1
        self._note_presence()

    def _note_presence(self) -> None:
        self.touch()
        self._wind()
        self.house.changed(self)

    def _end_agents(self) -> None:
        for number, seat in enumerate(self.seats):
            if seat.agent is not None and self.over:
                with contextlib.suppress(Exception):
                    seat.agent.end(number, self.returns)
                seat.renew()

    def close(self) -> None:
        """End the table and close its agents."""
        if self.closed:
            return
        self.closed = True
        self._turn.set()
        self._close_agents()
        self.house.changed(self)

    def _close_agents(self) -> None:
        for seat in self.seats:
            seat.dismiss()
