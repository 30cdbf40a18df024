"""All tables of a server, found by unguessable tokens."""

from __future__ import annotations

import asyncio
import contextlib
import math
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import envs
from ..agents import by_name, kind_of
from ..agents.base import Agent
from ..envs.core import beside
from ..envs.core.game import Game, Options
from ..league.episode import Episode
from .clock import TimeControl
from .fields import OBJECT, OBJECT_OR_NULL, SECONDS, TEXT, Kind, field
from .keep import Keep
from .limits import Gone, Limits, Rates, Refused
from .players import (
    AGENT,
    BOTS,
    EVENING,
    OPEN,
    PERSON,
    SPECTATOR,
    WATCHER,
    Seat,
    Viewer,
    check_spec,
    digest_of,
    invitation_to,
    make_seat,
    new_token,
    specs,
)
from .table import House, Table
from .workers import Workers

_SWEEP_SECONDS = 5.0
_GAME = Kind("the id of a game: name a game and its options", TEXT.fits)
PACE = 0.7  # default seconds between the moves of agents


@dataclass(frozen=True)
class Place:
    """The meaning of a token at a table."""

    table: Table
    key: str
    token: str

    @property
    def stands_for(self) -> int | str:
        """A seat, which may be another one in the next game, or a name in `Table.keys`."""
        return next(place for place, key in self.table.holders if secrets.compare_digest(key, self.key))

    @property
    def viewer(self) -> Viewer:
        place = self.stands_for
        return None if place == WATCHER else place

    @property
    def links(self) -> dict[int | str, str]:
        """Links to open seats, and by name to other views, for the person who made the table; they are derived from their
        token."""
        places = [*range(len(self.table.seats)), SPECTATOR, EVENING]
        made = {digest_of(link): link for link in (invitation_to(place, self.token) for place in places)}
        return {
            place: made[key]
            for place, key in self.table.holders
            if key in made and not _is_at(self.table, place, PERSON, AGENT)
        }


class Lobby:
    """Makes and finds tables; unused tables rest in storage.

    Args:
        keep: the storage of tables.
        agents: further agents that may be chosen, see `app.make_app`.
        sandbox: run bots (cmd:) in a sandbox.

    Raises:
        ValueError: two agents have the same name, or an object has the name of an agent string.
    """

    def __init__(self, limits: Limits, keep: Keep, agents: Iterable[str | Agent] = (), sandbox: bool = False) -> None:
        self.keep = keep
        self.limits, self.agents, self.workers = limits, by_name(list(agents)), Workers(limits)
        for name, agent in self.agents.items():
            if isinstance(agent, Agent) and kind_of(name):
                raise ValueError(f"{name!r} names an agent of wilddeck; give yours another name")
        self._house = House(limits, self.workers, self._changed, self.agents, sandbox)
        self.tables: list[Table] = []
        self.watched: Callable[[Table], bool] = lambda table: False
        self.on_change: Callable[[Table], None] = lambda table: None
        self._rates = Rates(limits.tables_per_second, 20 * limits.tables_per_second)
        self._tasks: set[asyncio.Task[None]] = set()

    def make(
        self,
        request: Mapping[str, Any],
        client: str = "",
        evening: str = "",
        played: tuple[int, Sequence[int]] | None = None,
    ) -> str:
        """Make a table from a browser's request {"game", "options", "seats", "pace", "clock"}; returns the token of its
        founder.

        Args:
            evening: the digest of the link that it shares with other tables.
            played: the seed and the actions of a game to continue; None: a new game.

        Raises:
            Refused: something is not allowed, or there are too many tables, or programs at them.
        """
        if not self._rates.take(client):
            raise Refused("you are making tables too fast; try again in a moment")
        self._check_room(client)
        game, options = self.settle(*self.named(request))
        seats = request.get("seats")
        if not isinstance(seats, list) or len(seats) != options.num_players:
            raise Refused(f"{game.title} needs {options.num_players} seats with these options")
        token = new_token()
        made = [make_seat(seat, number, token, game, options, self.limits, self.agents) for number, seat in enumerate(seats)]
        self._check_seats(made)
        self.check_bots(client, made)
        pace = field(request, "pace", SECONDS, PACE)
        clock = field(request, "clock", OBJECT_OR_NULL, None)
        control = None if clock is None else TimeControl.of(clock)
        table = Table(game, options, made, self._house, pace, client, control)
        if played is not None:
            table.round, table.seed, table.actions = 1, played[0], list(played[1])
        table.keys[SPECTATOR] = digest_of(invitation_to(SPECTATOR, token))
        if not table.with_people:
            table.keys[WATCHER] = digest_of(token)
        if evening or any(seat.kind == OPEN for seat in made):
            table.keys[EVENING] = evening or digest_of(invitation_to(EVENING, token))
        self._open(table)
        self.keep.changed(table)
        return token

    def play_on(self, episode: Episode, number: int, seat: int | None, name: str, client: str = "") -> str:
        """Continue from before a move of a replay; returns the person's token. The person plays a seat, or that of the player
        to move (None). The agents of the replay play the other seats or, if they may not be chosen, the strongest agent does.

        Raises:
            Refused: the move or seat does not exist, or as in `make`.
        """
        game, options, moves = episode.game, episode.options, episode.moves
        if not 0 <= number < len(moves):
            raise Refused(f"you can play on from moves 0 to {len(moves) - 1}")
        me = moves[number].seat if seat is None else seat
        if not 0 <= me < options.num_players:
            raise Refused(f"there is no seat {me}")
        seats = [{"kind": AGENT, "spec": self._like(agent, game, options)} for agent in episode.agents]
        seats[me] = {"kind": PERSON, "name": name}
        request = {"game": game.id, "options": vars(options), "seats": seats}
        return self.make(request, client, played=(episode.deal_seed, [move.action for move in moves[:number]]))

    def _like(self, agent: str, game: Game, options: Options) -> str:
        """The agent with a name, or the strongest."""
        try:
            return check_spec(agent, game, options, self.limits, self.agents)
        except Refused:
            return specs(game, options)[0]

    def _check_room(self, client: str) -> None:
        if len(self.tables) >= self.limits.tables:
            raise Refused(f"the server has no room for another table (it allows {self.limits.tables}); try again later")
        if sum(table.client == client for table in self.tables) >= self.limits.tables_per_client:
            minutes = math.ceil(self.limits.idle_seconds / 60)
            raise Refused(
                f"you already have {self.limits.tables_per_client} tables, which is the limit; "
                f"a table no longer counts once nobody has visited it for {minutes} minutes"
            )

    def _open(self, table: Table) -> None:
        self.tables.append(table)
        task = asyncio.get_running_loop().create_task(table.run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @staticmethod
    def named(request: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """The game and options named by a browser.

        Raises:
            Refused: their types are wrong.
        """
        return field(request, "game", _GAME), field(request, "options", OBJECT, {})

    @staticmethod
    def settle(game_id: str, options: Mapping[str, Any]) -> tuple[Game, Options]:
        """The checked game and options of this name and these values.

        Raises:
            Refused: they are not allowed.
        """
        try:
            return envs.resolve(game_id, options)
        except ValueError as error:
            raise Refused(str(error)) from None

    @staticmethod
    def _check_seats(seats: list[Seat]) -> None:
        people = sum(seat.kind == PERSON for seat in seats)
        if people > 1:
            raise Refused("take only one seat; leave other people's seats open")
        if not people and any(seat.kind == OPEN for seat in seats):
            raise Refused("take a seat yourself, or leave none open: whoever watches sees all cards")

    def check_bots(self, client: str, seats: Sequence[Seat]) -> None:
        """Check that a client's table may have the programs in these seats.

        Raises:
            Refused: there would be too many.
        """
        bots = sum(seat.thinks == BOTS for seat in seats)
        tables = [table for table in self.tables if not table.closed]
        for most, among, whose in (
            (self.limits.bots, tables, "all tables"),
            (self.limits.bots_per_client, [table for table in tables if table.client == client], "your tables"),
        ):
            there = sum(seat.thinks == BOTS for table in among for seat in table.seats)
            if bots and there + bots > most:
                raise Refused(f"at most {most} programs (cmd:) may play at {whose}, and {there} already do; choose others")

    async def find(self, token: Any) -> Place:
        """What a token stands for.

        Raises:
            Gone: nothing, or no longer.
            Refused: a table that cannot be set up again, or not now.
        """
        place = await self._place(token) if isinstance(token, str) else None
        stands_for = EVENING if place is None else place.stands_for
        if place is None or stands_for == EVENING or _is_at(place.table, stands_for, OPEN, AGENT):
            raise Gone("the server has no such table, or no longer has it")
        return place

    async def claim(self, invitation: str, name: str, client: str = "") -> str:
        """The token for an open seat: the one that is meant, or any of the tables of an evening, of which another is made
        when all are full.

        Raises:
            Gone: nobody is invited by it.
            Refused: see `find` and `Table.claim`.
        """
        place = await self._place(invitation)
        stands_for = "" if place is None else place.stands_for
        if place is not None and stands_for == EVENING:
            return self._sit_down(place, name, client)
        if place is None or not isinstance(stands_for, int) or not _is_at(place.table, stands_for, OPEN):
            raise Gone("this invitation is not valid, or somebody has already taken the seat")
        return place.table.claim(stands_for, name)

    def _sit_down(self, place: Place, name: str, client: str) -> str:
        open_seats = ((table, seat) for table in self._evening(place.key) for seat in table.open_seats)
        for table, seat in open_seats:
            return table.claim(seat, name)
        like, me = place.table, next(number for number, seat in enumerate(place.table.seats) if seat.key)
        seats = [{"kind": OPEN} if seat.key else {"kind": AGENT, "spec": seat.spec} for seat in like.seats]
        seats[me] = {"kind": PERSON, "name": name}
        request = {"game": like.game.id, "options": vars(like.options), "seats": seats, "pace": like.pace}
        return self.make({**request, "clock": like.control and vars(like.control)}, client, place.key)

    def _evening(self, key: str) -> list[Table]:
        return [table for table in self.tables if table.keys.get(EVENING) == key and not table.closed and not table.failure]

    async def start(self, place: Place, spec: str) -> None:
        """Agents take all open seats of a table, and for who made an evening, of all its tables.

        Raises:
            Refused: see `Table.fill`.
        """
        for table in self._evening(digest_of(invitation_to(EVENING, place.token))) or [place.table]:
            for seat in table.open_seats:
                await table.fill(seat, spec, self.check_bots)

    async def _place(self, token: str) -> Place | None:
        """Where a token or an invitation leads, to a table that rests too, which is set up again."""
        key = digest_of(token)
        place = self._find(token, key)
        kept = await self.keep.find(key) if place is None else None
        if kept is None or any(table.id == kept.id for table in self.tables):  # another request was faster
            return place or self._find(token, key)
        self._check_room(kept.client)
        table = kept.table(self._house)
        self.check_bots(kept.client, table.seats)
        self._open(table)
        return self._find(token, key)

    def _find(self, token: str, key: str) -> Place | None:
        for table in self.tables:
            if any(secrets.compare_digest(key, held) for _, held in table.holders):
                return Place(table, key, token)
        return None

    async def tell_progress(self) -> None:
        """Has tables tell how far compiling has come, for as long as the server runs."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def listener() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(changed.set)

        beside.listeners.add(listener)
        try:
            while await changed.wait():
                changed.clear()
                for table in self.tables:
                    self.on_change(table)
        finally:
            beside.listeners.discard(listener)

    def _changed(self, table: Table) -> None:
        if table in self.tables:  # one that rests may end its deal late, after somebody came back to it and played on
            self.keep.changed(table)
            if table.closed and not table.failure:
                self.tables.remove(table)
        self.on_change(table)

    async def sweep(self) -> None:
        """Has tables rest that nobody uses, for as long as the server runs."""
        while True:
            await asyncio.sleep(min(_SWEEP_SECONDS, self.limits.idle_seconds / 2))
            self.end_idle()

    def end_idle(self) -> None:
        now = time.monotonic()
        for table in list(self.tables):
            allowed = self.limits.abandoned_seconds if self.watched(table) else self.limits.idle_seconds
            if now - table.touched > allowed:
                table.close()
                if table in self.tables:
                    self.tables.remove(table)

    async def close(self) -> None:
        """End all tables; no thread is left that thinks."""
        for table in list(self.tables):
            table.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.keep.close()
        self.workers.close()


def _is_at(table: Table, place: int | str, *kinds: str) -> bool:
    """Whether this is a seat of one of these kinds."""
    return isinstance(place, int) and table.seats[place].kind in kinds
