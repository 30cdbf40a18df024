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
from gymnasium import spaces

from .. import envs
from ..envs.core.aec import RENDER_MODES, CardGameEnv
from ..envs.core.batch import MAX_SEED
from ..envs.core.game import Game
from . import make
from .base import Agent, View
from .play import legal_action, seat_seed

MAX_DEALS = 1000  # tries at a game in which the learner gets to act


class SingleSeatEnv(gymnasium.Env[np.ndarray, Any]):
    """The game as one seat lives it: a step is the learner's action and all that the others do until it is asked again.

    Observations are the seat's vector (float32 [D]), actions `Discrete(A)`; which are legal stands in `action_masks()` and
    in `info["action_mask"]` (int8 [A]), and the learner's seat in `info["seat"]` (int64). The reward is all that the seat
    earned since its last action, also while others moved. A game that ends before the learner acts is no episode: `reset`
    deals the next.

    Args:
        game: a game or its id.
        opponents: an agent or its spec (see `wilddeck.agents.kinds`) for all other seats, or a list of one for each,
            clockwise from the learner.
        seat: "random" (drawn for each game), "rotate" (the next seat with each game) or a seat 0..num_players-1.
        render_mode: as for the PettingZoo environment.
        trust: load opponents from files that can run code (`.zip`).
        sandbox: run bots (`cmd:`) in a sandbox.
        options: of the game.

    Raises:
        ValueError: an unknown game, option, opponent, seat or render mode, or not one opponent a seat.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 - Gymnasium's declaration

    def __init__(
        self,
        game: Game | str,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        seat: str | int = "random",
        render_mode: str | None = None,
        trust: bool = False,
        sandbox: bool = False,
        **options: Any,
    ) -> None:
        found, checked = envs.resolve(game, options)
        self._raw = CardGameEnv(found, checked, render_mode)
        self.game, self.options, self.render_mode = found, self._raw.options, render_mode
        n = self._raw.num_players
        if seat not in ("random", "rotate", *range(n)) or isinstance(seat, bool):
            raise ValueError(f"seat={seat!r} is not allowed; allowed: random, rotate, or a seat 0..{n - 1}")
        specs = [opponents] * (n - 1) if isinstance(opponents, (str, Agent)) else list(opponents)
        if len(specs) != n - 1:
            raise ValueError(f"{n} players need one opponent for all or a list of {n - 1}, not {len(specs)}")
        made: dict[Any, Agent] = {}  # one agent for equal specs
        for spec in specs:
            if spec not in made:
                made[spec] = make(spec, found, self.options, trust=trust, sandbox=sandbox)
        self._opponents = [made[spec] for spec in specs]
        self._wanted_seat, self._games = seat, 0
        self.seat = 0
        self.observation_space = spaces.Box(*found.observation_bounds(self.options), dtype=np.float32)
        self.action_space = spaces.Discrete(self._raw.num_actions)
        self._rngs: list[np.random.Generator] = []
        self._returns = np.zeros(n)
        self._over = True

    @property
    def raw_env(self) -> CardGameEnv:
        """The game itself, for labels and zones."""
        return self._raw

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """The next game in which the learner gets to act, at its first decision.

        Args:
            seed: fixes this game and those that follow: cards, seats and what the opponents do. Opponents get digests only, but
                one that was told the seed knows the cards; without a seed, nobody does.
            options: `{"deck": ids}` or `{"decks": [...]}`, as the PettingZoo environment takes them.

        Raises:
            ValueError: a bad deck, or one with which the game ends before the learner acts, however often it is dealt.
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

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the others until the learner is to move or the game ends.

        Raises:
            IllegalActionError: the action is not legal; nothing has changed.
            gymnasium.error.ResetNeeded: before the first `reset`, or after the end.
            AgentError: an opponent failed.
        """
        self._check_begun("step")
        if self._over:
            raise gymnasium.error.ResetNeeded("the game is over; call reset()")
        reward = self._advance(action) + self._play_opponents()
        state = self._raw.record[0]
        return self._observation(), reward, bool(state["terminated"]), bool(state["truncated"]), self._info()

    def action_masks(self, env: Any = None) -> np.ndarray:
        """bool [A], True where legal; all False after the end (gymnasium.error.ResetNeeded before the first `reset`).

        `env` is not looked at: `ActionMasker(env, "action_masks")` of sb3-contrib calls the method with the environment.
        """
        self._check_begun("action_masks")
        return self._seen()["action_mask"].astype(bool)

    def render(self) -> Any:
        """Draw the game by `render_mode` (gymnasium.error.ResetNeeded before the first `reset`)."""
        self._check_begun("render")
        return self._raw.render()

    def __copy__(self) -> SingleSeatEnv:
        return copy.deepcopy(self)  # two that share the environment within would play the same game

    def close(self) -> None:
        self._raw.close()
        for agent in self._opponents:
            agent.close()

    # --- inside ---

    def _check_begun(self, method: str) -> None:
        if not self._raw.has_begun:
            raise gymnasium.error.ResetNeeded(f"call reset() before {method}()")

    def _begin(self, options: Mapping[str, Any] | None) -> None:
        n = self._raw.num_players
        game_seed = int.from_bytes(self.np_random.bytes(16), "big") % MAX_SEED
        drawn = int(self.np_random.integers(n))
        seats = {"random": drawn, "rotate": self._games % n}
        self.seat = seats[self._wanted_seat] if isinstance(self._wanted_seat, str) else self._wanted_seat
        self._games += 1
        self._raw.reset(seed=game_seed, options=dict(options or {}))
        seeds = [seat_seed(game_seed, seat) for seat in range(n)]
        self._rngs = [np.random.default_rng(each) for each in seeds]
        for seat in range(n):
            if seat != self.seat:
                self._agent(seat).begin(self.game, self.options, seat, seeds[seat])
        self._returns = np.zeros(n)
        self._over = False

    def _agent(self, seat: int) -> Agent:
        return self._opponents[(seat - self.seat - 1) % self._raw.num_players]

    def _play_opponents(self) -> float:
        earned = 0.0
        while not self._over and self._raw.current_player != self.seat:
            seat = self._raw.current_player
            earned += self._advance(legal_action(self._agent(seat), View.of(self._raw), self._rngs[seat]))
        return earned

    def _advance(self, action: Any) -> float:
        """One action of whoever is to move; returns what the learner earned."""
        self._raw.step(action)
        rewards = [self._raw.rewards[name] for name in self._raw.possible_agents]
        self._returns += rewards
        name = self._raw.possible_agents[self.seat]
        self._over = self._raw.terminations[name] or self._raw.truncations[name]
        if self._over:
            for seat in range(self._raw.num_players):
                if seat != self.seat:
                    self._agent(seat).end(seat, self._returns)
        return float(rewards[self.seat])

    def _seen(self) -> dict[str, np.ndarray]:
        return self._raw.observe(self._raw.possible_agents[self.seat])

    def _observation(self) -> np.ndarray:
        return self._seen()["observation"]

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._seen()["action_mask"], "seat": np.int64(self.seat)}
