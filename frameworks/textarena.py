"""Games for TextArena's agents: importing this module registers all games with it.

import textarena as ta
import wilddeck.frameworks.textarena

env = ta.make("wilddeck/hearts-v0")
env.reset(num_players=4, seed=1)
done = False
while not done:
    player_id, observation = env.get_observation()
    done, info = env.step(agents[player_id](observation))
rewards, game_info = env.close()
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import textarena as ta
from textarena.envs.registration import ENV_REGISTRY
from textarena.wrappers import GameMessagesAndCurrentBoardObservationWrapper

from .. import envs
from ..agents.base import Agent
from ..agents.llm.table import TextTable, one_seat
from ..envs.core.game import Game
from ..envs.registration import registry_id


class TextArenaEnv(ta.Env):
    """A game as TextArena's environments are: players are asked by text and answer so (`agents.llm.answers.read_action`).

    A player is told the rules (PROMPT), then what its seat perceives (GAME_MESSAGE), and when it is asked what its seat sees
    and may do (GAME_BOARD). What it answers is shown to nobody else: its reasons may tell its cards. An answer that is of no
    use is sent back once, with what is wrong with it; a second one in a row ends the game, and the player has the least that it
    can pay. Rewards are the returns of the seats.

    Args:
        game: a game or its id.
        opponents: None: all seats are TextArena's players, player 0 on seat 0; else `reset` takes one player, and agents have
            the other seats: a spec for all, or one for each, clockwise from the player.
        seat: of the one player: "random", or a seat.
        rules: how much of them the players are told: short, full or none.
        options: of the game. Where all seats are players, `reset` says how many there are.
    """

    def __init__(
        self,
        game: Game | str,
        opponents: str | Agent | Sequence[str | Agent] | None = None,
        seat: str | int = "random",
        rules: str = "short",
        **options: Any,
    ) -> None:
        self.game, self.opponents, self.seat, self.rules, self.options = envs.game(game), opponents, seat, rules, options
        self.game.make_options(options)
        self.table: TextTable | None = None

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Deal.

        Args:
            num_players: of TextArena.
            seed: equal seeds give equal games. Python's own generator, which other games of TextArena seed, is left alone.

        Raises:
            ValueError: the game cannot be played by so many.
        """
        self._leave()
        settings: dict[str, Any] = {"rules": self.rules}
        if self.opponents is None:
            options = {**self.options, "num_players": num_players}
            self.table = TextTable(self.game, options, [None] * num_players, seed, **settings)
            self._seats = list(range(num_players))
        elif num_players == 1:
            self.table = one_seat(self.game, self.options, self.seat, self.opponents, seed, **settings)
            self._seats = [self.table.seat]
        else:
            raise ValueError(f"one player sits down with agents, not {num_players}")
        self.state = ta.FFAMultiPlayerState(num_players)
        self.state.reset(game_state={}, role_mapping={player: f"Player {seat}" for player, seat in enumerate(self._seats)})
        self._greeted: set[int] = set()
        self._ask()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """The player who was asked answers; the others hear of what was played, not of what was said."""
        table, player = self._begun(), self.state.current_player_id
        self.state.add_observation(action, ta.ObservationType.PLAYER_ACTION, from_id=player, to_id=player)
        try:
            table.act(table.read(action))
        except ValueError as error:
            if self.state.set_invalid_move(reason=str(error)):
                table.forfeit()
                self._end(f"Player {table.seat} gave no answer of use: {error}")
            else:  # wrappers leave out what the state says of it
                again = f"This cannot be played: {error}. Choose again.\n\n{table.now()}"
                self.state.add_observation(again, ta.ObservationType.GAME_BOARD, to_id=player)
        else:
            self._ask()
        return self.state.step(rotate_player=False)

    def close(self) -> Any:
        """The rewards by player, and what TextArena tells of the game."""
        self._leave()
        return self.state.close()

    def _begun(self) -> TextTable:
        if self.table is None:
            raise RuntimeError("call reset() before step()")
        return self.table

    def _ask(self) -> None:
        """Tell the players what they have perceived, and ask the one to move."""
        table = self._begun()
        if table.over:
            return self._end("The game is over.")
        player = self._seats.index(table.seat)
        if player not in self._greeted:
            self._greeted.add(player)
            system = table.messages()[0]["content"]
            self.state.add_observation(system, ta.ObservationType.PROMPT, to_id=player)
        self._tell(player)
        self.state.add_observation(table.now(), ta.ObservationType.GAME_BOARD, to_id=player)
        self.state.manually_set_current_player_id(player)
        return None

    def _tell(self, player: int) -> None:
        for text in self._begun().news(self._seats[player]):
            self.state.add_observation(text, ta.ObservationType.GAME_MESSAGE, to_id=player)

    def _end(self, reason: str) -> None:
        for player in range(len(self._seats)):
            self._tell(player)
        returns = self._begun().returns
        self.state.set_game_outcome({player: float(returns[seat]) for player, seat in enumerate(self._seats)}, reason)

    def _leave(self) -> None:
        if self.table is not None:
            self.table.close()


def register() -> None:
    """Make all games known to `textarena.make`, as `wilddeck/tennis-v0`; a second call adds those that are new."""
    for game_id in envs.game_ids():
        if registry_id(game_id) not in ENV_REGISTRY:
            wrappers = [GameMessagesAndCurrentBoardObservationWrapper]
            ta.envs.registration.register(registry_id(game_id), f"{__name__}:TextArenaEnv", wrappers, game=game_id)


register()
