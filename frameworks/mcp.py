"""A server of the Model Context Protocol, built with its official SDK: a language model lists games, sits down and plays.

`wilddeck mcp` serves one client over standard input and output.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Collection
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from .. import envs
from ..agents import available, kind_of, kinds
from ..agents.llm.prompts import game_rules
from ..agents.llm.table import TextTable, one_seat
from ..envs.core.game import Game, Options
from ..envs.core.jit import begin_interpreted
from ..envs.pages import about
from ..version import __version__
from ..web.limits import Limits
from ..web.players import check_spec, specs

INSTRUCTIONS = """\
Card games to play against agents. list_games lists the games; show_rules and show_options describe one; sit_down deals.
Then call act, with the number or the words of one of the legal actions listed, until the game is over.
You see exactly what a player in your seat sees."""
_HOW = "Call act with the number or the words of one of these."


class Player:
    """The session of one client: at most one table, and one call at a time.

    Args:
        agents: opponents that the client may choose, besides those that neither run code nor read files.
        sandbox: run bots (`cmd:`) in a sandbox.

    Raises:
        ValueError: an agent is unknown.
    """

    def __init__(self, agents: Collection[str] = (), sandbox: bool = False) -> None:
        for spec in agents:
            if not kind_of(spec):
                raise ValueError(f"no agent {spec!r}; agents: {', '.join(kinds())}")
        self._agents, self._sandbox = tuple(agents), sandbox
        self._table: TextTable | None = None
        self._seat = 0
        self._lock = threading.Lock()

    def list_games(self) -> str:
        """List the games: id, numbers of players, description."""
        return "\n".join(f"{game.id}: {game.options.player_counts()} players. {about(game)}" for game in envs.all_games())

    def show_rules(self, game: str, amount: str = "short", options: dict[str, Any] | None = None) -> str:
        """The rules of a game: `amount` is "short", a few paragraphs, or "full", all numbered clauses."""
        found, checked = envs.resolve(game, _options(options))
        return game_rules(found, amount, getattr(checked, "deck", "") == "extended") or "(none)"

    def show_options(self, game: str) -> str:
        """The options of a game, and the available opponents."""
        found, checked = envs.resolve(game)
        lines = [f"{name}: {doc}; {values}; default {default}" for name, values, default, doc in found.options.table()]
        opponents = ", ".join([*specs(found, checked), "mc:rollouts=N", *self._agents])
        return "\n".join([*lines, f"opponents: {opponents}"])

    def sit_down(
        self,
        game: str,
        options: dict[str, Any] | None = None,
        seat: int = 0,
        opponents: str | list[str] = "rules",
        seed: int | None = None,
        rules: str = "short",
    ) -> str:
        """Begin a game in a seat, and leave the one in progress, if any.

        `opponents`: one for all other seats, or a list with one for each, clockwise from yours. `seed`: equal seeds give equal
        deals; by default random. `rules`: how much of the rules the prompt includes: short, full or none.
        """
        found, checked = envs.resolve(game, _options(options))
        named = [opponents] if isinstance(opponents, str) else opponents
        allowed = [self._opponent(spec, found, checked) for spec in named]
        others = allowed[0] if isinstance(opponents, str) else allowed
        table = one_seat(found, checked, seat, others, seed, rules=rules, how=_HOW, sandbox=self._sandbox)
        self.leave()
        self._table, self._seat = table, table.seat
        return self._prompt(table)

    def see(self) -> str:
        """The whole prompt again: rules, events, observation and legal actions."""
        table = self._sitting()
        table.go_on()
        return self._end(table) if table.over else self._prompt(table)

    def act(self, action: int | str) -> str:
        """Play an action, given by its number or its words; the others play until it is your turn again."""
        table = self._sitting()
        if table.over:
            raise ValueError("the game is over; call sit_down for another")
        table.go_on()
        chosen = table.read(str(action))
        table.play(chosen)
        try:
            table.go_on()
        except RuntimeError as error:
            raise RuntimeError(f"your action was played, then an opponent failed: {error}; call see to ask it again") from error
        return self._end(table) if table.over else f"{self._news(table)}\n\n{table.now()}"

    def leave(self) -> None:
        """Leave the table, if there is one."""
        if self._table is not None:
            self._table.close()
            self._table = None

    def _opponent(self, spec: str, game: Game, options: Options) -> str:
        """An allowed agent string; "rules" becomes random in games without a rule-based agent."""
        if spec in self._agents:
            return spec
        return check_spec(available([spec], game)[0], game, options, Limits(), self._agents)

    def _sitting(self) -> TextTable:
        if self._table is None:
            raise ValueError("you sit at no table; call sit_down")
        return self._table

    def _prompt(self, table: TextTable) -> str:
        table.news(self._seat)  # the prompt includes it
        return "\n".join(message["content"] for message in table.messages())

    def _news(self, table: TextTable) -> str:
        return "\n".join(["What has happened:", *table.news(self._seat)])

    def _end(self, table: TextTable) -> str:
        names = [f"player {seat}{' (you)' if seat == self._seat else ''}" for seat in range(len(table.returns))]
        returns = ", ".join(f"{name} {value:+g}" for name, value in zip(names, table.returns, strict=True))
        return f"{self._news(table)}\n\nThe game is over. Returns: {returns}."

    def one_at_a_time(self, tool: Callable[..., str]) -> Callable[..., str]:
        """The tool, with calls one at a time and its errors reported to the client."""

        @functools.wraps(tool)
        def called(*arguments: Any, **named: Any) -> str:
            with self._lock:
                try:
                    return tool(*arguments, **named)
                except (ValueError, RuntimeError, OSError, ImportError, MemoryError) as error:
                    raise ToolError(str(error) or type(error).__name__) from error

        return called


def make_server(player: Player) -> MCPServer:
    """The server; its tools are the player's methods."""
    server = MCPServer("wilddeck", instructions=INSTRUCTIONS, version=__version__, log_level="ERROR")
    for tool in (player.list_games, player.show_rules, player.show_options, player.sit_down, player.see, player.act):
        server.tool(structured_output=False)(player.one_at_a_time(tool))
    return server


def serve(agents: Collection[str] = (), sandbox: bool = False) -> None:
    """Serve a client over standard input and output until it disconnects."""
    player = Player(agents, sandbox)
    try:
        with begin_interpreted():
            make_server(player).run("stdio")
    finally:
        player.leave()


def _options(options: dict[str, Any] | None) -> dict[str, Any]:
    """Options from JSON: lists become tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in (options or {}).items()}
