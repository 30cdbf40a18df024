"""All tables of a server, found by tokens that nobody can guess."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from .. import envs
from ..envs.core.game import Game, Options
from .limits import Gone, Limits, Rate, Refused
from .seats import OPEN, PERSON, Seat, make_seat
from .table import Table, Workers

_SWEEP_SECONDS = 5.0
PACE = 0.7  # seconds between the moves of agents, unless told


@dataclass(frozen=True)
class Place:
    """What a token stands for: a seat of a table (None: watching it)."""

    table: Table
    seat: int | None


class Lobby:
    """Makes, finds and ends tables.

    Args:
        agents: specs that may be chosen besides those that everybody may.
        sandbox: run bots (cmd:) in a sandbox.
    """

    def __init__(self, limits: Limits, agents: Iterable[str] = (), sandbox: bool = False) -> None:
        self.limits, self.agents, self.sandbox = limits, tuple(agents), sandbox
        self.workers = Workers(
            ThreadPoolExecutor(2, "wilddeck-quick"), ThreadPoolExecutor(max(2, os.cpu_count() or 2), "wilddeck-slow")
        )
        self.tables: list[Table] = []
        self.watched: Callable[[Table], bool] = lambda table: False
        self.on_change: Callable[[Table], None] = lambda table: None
        self._rate = Rate(limits.tables_per_second, 20 * limits.tables_per_second)
        self._tasks: set[asyncio.Task[None]] = set()

    def make(self, given: Mapping[str, Any]) -> Table:
        """A table as a browser asks for it: {"game", "options", "seats", "pace"}.

        Raises:
            Refused: something is not allowed, or there are too many tables.
        """
        if len(self.tables) >= self.limits.tables or not self._rate.take():
            raise Refused(f"this server has no room for another table now (at most {self.limits.tables}); try again later")
        game, options = self.settle(given)
        seats = given.get("seats")
        if not isinstance(seats, list) or len(seats) != options.num_players:
            raise Refused(f"{game.title} needs {options.num_players} seats with these options")
        made = [make_seat(each, game, options, self.limits, self.agents) for each in seats]
        self._check_seats(made)
        pace = given.get("pace", PACE)
        if isinstance(pace, bool) or not isinstance(pace, (int, float)) or not pace >= 0:
            raise Refused("the pace must be a number of seconds")
        table = Table(game, options, made, self.limits, self.workers, pace, self._changed, self.agents, self.sandbox)
        self.tables.append(table)
        task = asyncio.get_running_loop().create_task(table.run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return table

    @staticmethod
    def settle(given: Mapping[str, Any]) -> tuple[Game, Options]:
        """The game and options that a browser asks for.

        Raises:
            Refused: they are not allowed.
        """
        options = given.get("options", {})
        if not isinstance(given.get("game"), str) or not isinstance(options, dict):
            raise Refused("name a game and its options")
        try:
            return envs.resolve(given["game"], options)
        except ValueError as error:
            raise Refused(str(error)) from None

    @staticmethod
    def _check_seats(seats: list[Seat]) -> None:
        people = sum(seat.kind == PERSON for seat in seats)
        if people > 1:
            raise Refused("take one seat; leave those of other people open")
        if not people and any(seat.kind == OPEN for seat in seats):
            raise Refused("take a seat yourself, or leave none open: who watches sees all cards")

    def find(self, token: Any) -> Place:
        """What a token stands for.

        Raises:
            Gone: nothing, or no longer.
        """
        if isinstance(token, str) and token:
            for table in self.tables:
                if token == table.watch_token:
                    return Place(table, None)
                for number, seat in enumerate(table.seats):
                    if token == seat.token:
                        return Place(table, number)
        raise Gone("this game is over: the server does not know it, or no longer")

    def claim(self, invitation: Any, name: Any) -> str:
        """The token for an open seat.

        Raises:
            Gone: nobody is invited by it.
            Refused: see `Table.claim`.
        """
        if isinstance(invitation, str) and invitation:
            for table in self.tables:
                if any(seat.invitation == invitation for seat in table.seats):
                    return table.claim(invitation, name)
        raise Gone("this invitation is for no game, or somebody has taken the seat already")

    def _changed(self, table: Table) -> None:
        if table.closed and table in self.tables and not table.failure:
            self.tables.remove(table)
        self.on_change(table)

    async def sweep(self) -> None:
        """Ends tables that nobody uses, for as long as the server runs."""
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
        self.workers.quick.shutdown(wait=False, cancel_futures=True)
        self.workers.slow.shutdown(wait=False, cancel_futures=True)
