"""Games for TextArena agents. Importing this module registers all games with TextArena.

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
    """A game as a TextArena environment: requests and answers are text (see `agents.llm.answers.read_action`).

    A player gets the rules (PROMPT), then the events that its seat perceives (GAME_MESSAGE), and on its turn the observation
    and the legal actions (GAME_BOARD). Other players do not see its answers, which may reveal cards. After an unusable answer
    the player gets the error and a second attempt; another unusable answer ends the game with the player's minimum return.
    Rewards are the returns of the seats.

    Args:
        game: a game or its id.
        opponents: None: TextArena's players have all seats, player 0 seat 0. Otherwise there is one player, and agents play the
            other seats: an agent string for all, or one for each, clockwise from the player.
        seat: the seat of the one player, or "random".
        rules: how much of the rules the players get: short, full or none.
        options: options of the game. If all seats are players, `reset` sets their number.
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
            num_players: the number of TextArena's players.
            seed: equal seeds give equal games. Python's global generator, which other TextArena games seed, is not touched.

        Raises:
            ValueError: the number of players is not allowed.
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
            raise ValueError(f"with opponents there is one player, not {num_players}")
        self.state = ta.FFAMultiPlayerState(num_players)
        self.state.reset(game_state={}, role_mapping={player: f"Player {seat}" for player, seat in enumerate(self._seats)})
        self._greeted: set[int] = set()
        self._ask()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Play the answer of the player to move; the others learn the action, not the answer."""
        table, player = self._begun(), self.state.current_player_id
        self.state.add_observation(action, ta.ObservationType.PLAYER_ACTION, from_id=player, to_id=player)
        try:
            table.act(table.read(action))
        except ValueError as error:
            if self.state.set_invalid_move(reason=str(error)):
                table.forfeit()
                self._end(f"Player {table.seat} gave no usable answer: {error}")
            else:  # wrappers omit the state's own message
                again = f"This cannot be played: {error}. Choose again.\n\n{table.now()}"
                self.state.add_observation(again, ta.ObservationType.GAME_BOARD, to_id=player)
        else:
            self._ask()
        return self.state.step(rotate_player=False)

    def close(self) -> Any:
        """The rewards by player, and TextArena's information about the game."""
        self._leave()
        return self.state.close()

    def _begun(self) -> TextTable:
        if self.table is None:
            raise RuntimeError("call reset() before step()")
        return self.table

    def _ask(self) -> None:
        """Send the players their events, and ask the player to move."""
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
    """Register all games with TextArena, as `wilddeck/tennis-v0`; call it again after adding games."""
    for game_id in envs.game_ids():
        if registry_id(game_id) not in ENV_REGISTRY:
            wrappers = [GameMessagesAndCurrentBoardObservationWrapper]
            ta.envs.registration.register(registry_id(game_id), f"{__name__}:TextArenaEnv", wrappers, game=game_id)


register()
