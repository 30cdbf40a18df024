"""One learner's seat of a game as a Gymnasium environment; agents play the other seats.

    env = gymnasium.make("wilddeck/tennis-v0", opponents="rules", seat="random")

sb3-contrib's MaskablePPO finds `action_masks()` by itself.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np

from .. import envs
from ..agents.base import Agent, View
from ..agents.play import legal_action, seat_seed
from ..envs.core.aec import RENDER_MODES, CardGameEnv
from ..envs.core.batch import MAX_SEED
from ..envs.core.game import Game
from ..envs.core.tokens import encode_history
from .config import SeatConfig, SeatSpaces, seated_opponents

MAX_DEALS = 1000  # limit of consecutive games in which the learner does not get to act


class SingleSeatEnv(gymnasium.Env[Any, Any]):
    """The game from one seat: a step plays the learner's action, then the other seats until it is the learner's turn again.

    Observations are the seat's vectors (float32 [D]), actions `Discrete(A)`. The mask of legal actions is `action_masks()` and
    `info["action_mask"]` (int8 [A]), the learner's seat `info["seat"]` (int64). With `history=K`, `info["history"]` (int32
    [K, 6]) and `info["history_length"]` (int64) are what the seat has perceived. The reward is everything that the seat earned
    since its last action, also while others moved. A game that ends before the learner acts is not an episode: `reset` deals
    another.

    Args:
        game: a game or its id.
        opponents: an agent or agent string (see `wilddeck.agents.kinds`) for all other seats, or a list with one for each,
            clockwise from the learner.
        seat: "random" (drawn for each game), "rotate" (the next seat with each game) or a seat 0..num_players-1.
        render_mode: as for the PettingZoo environment.
        **parameters: mask ("info" or "observation"), illegal ("raise" or "penalty"), history, trust and sandbox, see
            `SeatConfig`; and options of the game.

    Raises:
        ValueError: a game, option, opponent or parameter is unknown or not allowed, or the number of opponents is wrong.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 - Gymnasium's declaration

    def __init__(
        self,
        game: Game | str,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        seat: str | int = "random",
        render_mode: str | None = None,
        **parameters: Any,
    ) -> None:
        self._config, options = SeatConfig.split(parameters, seat=seat)
        self._raw = CardGameEnv(*envs.resolve(game, options), render_mode)
        self.game, self.options, self.render_mode = self._raw.game, self._raw.options, render_mode
        self._spaces = SeatSpaces(self.game, self.options, self._config)
        self._opponents = seated_opponents(opponents, self.game, self.options, self._config)
        self._games = 0
        self.seat = 0
        self.observation_space, self.action_space = self._spaces.observation, self._spaces.action
        self._rngs: list[np.random.Generator] = []
        self._returns = np.zeros(self._raw.num_players)
        self._over = True

    @property
    def raw_env(self) -> CardGameEnv:
        """The game itself, for labels and zones."""
        return self._raw

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin the next game in which the learner gets to act, and play to its first decision.

        Args:
            seed: seeds this game and those that follow: cards, seats and opponents. Opponents get only digests, but an opponent
                that learns the seed otherwise can compute the cards.
            options: `{"deck": ids}` or `{"decks": [...]}`, as in the PettingZoo environment.

        Raises:
            ValueError: the deck is invalid, or with it the game always ends before the learner acts.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._games = 0
        for _ in range(MAX_DEALS):
            self._begin(options)
            self._play_opponents()
            if not self._over:
                return self._observation(), self._info()
        raise ValueError(f"the learner got to act in none of {MAX_DEALS} games")

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the other seats until the learner's turn or the end of the game.

        Raises:
            IllegalActionError: the action is illegal and `illegal` is "raise"; nothing has changed.
            gymnasium.error.ResetNeeded: before the first `reset`, or after the end.
            AgentError: an opponent failed.
        """
        self._check_begun("step")
        if self._over:
            raise gymnasium.error.ResetNeeded("the game is over; call reset()")
        if self._config.illegal == "penalty" and not self._raw.is_legal(action):
            return self._lose()
        reward = self._advance(action) + self._play_opponents()
        state = self._raw.record[0]
        return self._observation(), reward, bool(state["terminated"]), bool(state["truncated"]), self._info()

    def action_masks(self, env: Any = None) -> np.ndarray:
        """bool [A], True where legal; all False after the end (gymnasium.error.ResetNeeded before the first `reset`).

        `env` is ignored: `ActionMasker(env, "action_masks")` of sb3-contrib passes the environment.
        """
        self._check_begun("action_masks")
        return self._seen()["action_mask"].astype(bool)

    def render(self) -> Any:
        """Render the game as set by `render_mode` (gymnasium.error.ResetNeeded before the first `reset`)."""
        self._check_begun("render")
        return self._raw.render()

    def __copy__(self) -> SingleSeatEnv:
        return copy.deepcopy(self)  # a shallow copy would share the environment and play the same game

    def close(self) -> None:
        self._raw.close()
        for agent in self._opponents:
            agent.close()

    # --- internals ---

    def _check_begun(self, method: str) -> None:
        if not self._raw.has_begun:
            raise gymnasium.error.ResetNeeded(f"call reset() before {method}()")

    def _begin(self, options: Mapping[str, Any] | None) -> None:
        n = self._raw.num_players
        game_seed = int.from_bytes(self.np_random.bytes(16), "big") % MAX_SEED
        drawn = int(self.np_random.integers(n))
        seats = {"random": drawn, "rotate": self._games % n}
        self.seat = seats[self._config.seat] if isinstance(self._config.seat, str) else self._config.seat
        self._games += 1
        self._raw.reset(seed=game_seed, options=dict(options or {}))
        seeds = [seat_seed(game_seed, seat) for seat in range(n)]
        self._rngs = [np.random.default_rng(seed) for seed in seeds]
        for seat in range(n):
            if seat != self.seat:
                self._agent(seat).begin(self.game, self.options, seat, seeds[seat])
        self._returns = np.zeros(n)
        self._over = False

    def _lose(self) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """End the game with the learner's minimum return."""
        reward = float(self.game.return_range(self.options)[0] - self._returns[self.seat])
        self._returns[self.seat] += reward
        self._end()
        return self._observation(), reward, True, False, self._info()

    def _end(self) -> None:
        self._over = True
        for seat in range(self._raw.num_players):
            if seat != self.seat:
                self._agent(seat).end(seat, self._returns)

    def _agent(self, seat: int) -> Agent:
        return self._opponents[(seat - self.seat - 1) % self._raw.num_players]

    def _play_opponents(self) -> float:
        earned = 0.0
        while not self._over and self._raw.current_player != self.seat:
            seat = self._raw.current_player
            earned += self._advance(legal_action(self._agent(seat), View.of(self._raw), self._rngs[seat]))
        return earned

    def _advance(self, action: Any) -> float:
        """Play an action of the player to move; returns the learner's reward."""
        self._raw.step(action)
        rewards = [self._raw.rewards[name] for name in self._raw.possible_agents]
        self._returns += rewards
        name = self._raw.possible_agents[self.seat]
        if self._raw.terminations[name] or self._raw.truncations[name]:
            self._end()
        return float(rewards[self.seat])

    def _seen(self) -> dict[str, np.ndarray]:
        seen = self._raw.observe(self._raw.possible_agents[self.seat])
        if self._over:
            seen["action_mask"][:] = 0  # also after a loss by an illegal action
        return seen

    def _observation(self) -> Any:
        return self._spaces.entry(**self._seen())

    def _info(self) -> dict[str, Any]:
        info = {"action_mask": self._seen()["action_mask"], "seat": np.int64(self.seat)}
        size = self._config.history
        if size:
            events = [] if self._over else self._raw.history(self._raw.possible_agents[self.seat])
            info["history"], length = encode_history(events, self.seat, self._raw.num_players, size)
            info["history_length"] = np.int64(length)
        return info
