"""Compiled games as TorchRL environments: all seats of many games, or one learner's seat in each.

    from wilddeck.frameworks.torchrl import GroupEnv, SeatEnv, SelfPlayEnv

    env = SelfPlayEnv("tennis_v0", num_envs=1024, seed=1)  # one policy plays all seats
    env = GroupEnv("tennis_v0", num_envs=1024, seed=1)  # the same, with the seats as a group of agents
    env = SeatEnv("tennis_v0", num_envs=1024, opponents="rules", seed=1)  # one seat, for learners such as PPO

`CreditRewards` and `CreditGAE` compute PPO's rewards and advantages from a rollout of `SelfPlayEnv`.

Needs torchrl. In every environment row i plays the games of `wilddeck.make(...)` after `reset(seed=seed + i)` and further calls
of `reset()`; any rows can be reset at any time. `rand_action` and the action spec sample legal actions, also inside transforms
(`TransformedEnv`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase, Transform

from .. import envs
from ..agents.base import Agent
from ..envs.core.batch import Batch, check_seed, fresh_seed
from ..envs.core.credit import Credit, advantages, credit_rewards
from ..envs.core.game import Game
from ..seats.config import SeatConfig
from ..seats.vector import seated_games

GROUP = "player"


class LegalActions(Categorical):
    """An action spec that samples only legal actions. Copies share the mask, because transforms use copies of an environment's
    specs, and TorchRL asks the inner environment for random actions only if its action spec equals the copy."""

    def update_mask(self, mask: torch.Tensor | None) -> None:
        """Set the legal actions, here and in all copies; None: all actions."""
        if getattr(self, "mask", None) is None:
            super().update_mask(torch.ones((*self.shape, self.n), dtype=torch.bool) if mask is None else mask)
        else:
            self.mask.copy_(torch.ones_like(self.mask) if mask is None else mask)

    def clone(self) -> LegalActions:
        return type(self)(self.n, self.shape, self.device, self.dtype, self.mask)


class _GamesEnv(EnvBase):
    """The base class: in each step every game has one decision, of the seat in the entry "seat"."""

    action_at: Any = "action"

    def __init__(self, batch: Batch, reward_shape: tuple[int, ...], seed: int | None, device: Any) -> None:
        n = len(batch)
        super().__init__(device=device, batch_size=[n])
        self.batch = batch
        self._over, self._truncated = np.zeros((2, n), np.bool_)
        self._set_seed(seed)
        self.done_spec = self._specs(dict.fromkeys(("done", "terminated", "truncated"), _flags(n, 1)))
        self.reward_spec = self._specs({"reward": Unbounded((n, *reward_shape))})
        self.action_spec = self._specs({"action": LegalActions(batch.num_actions, shape=(n,))})
        self.observation_spec = self._specs(
            {
                "observation": self._bounds(n),
                "action_mask": _flags(n, batch.num_actions),
                "seat": Categorical(batch.num_players, shape=(n,)),
            }
        )

    def rand_action(self, tensordict: TensorDictBase | None = None) -> TensorDictBase:
        """Uniformly random legal actions, from a generator with the same seed."""
        step = TensorDict(batch_size=self.batch_size, device=self.device) if tensordict is None else tensordict
        return step.set(self.action_at, self._given(self.batch.random_actions()))

    def _set_seed(self, seed: int | None) -> None:
        self._seed, self._from_seed = fresh_seed() if seed is None else check_seed(seed), True

    def _reset(self, tensordict: TensorDictBase | None = None, seed: int | None = None, **kwargs: Any) -> TensorDictBase:
        if seed is not None:
            self._set_seed(seed)
        asked = None if tensordict is None else tensordict.get("_reset", None)
        rows = np.ones_like(self._over) if asked is None else asked.cpu().numpy().reshape(self._over.shape)
        if self._from_seed and rows.all():
            self._begin(self._seed)
            self._from_seed = False
        else:  # the next games have already begun in rows that are over
            self._restart(np.flatnonzero(rows & ~self._over))
        self._over = self._over & ~rows
        return self._shown()

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        rewards = self._play(self._chosen(tensordict.get(self.action_at).cpu().numpy()))
        return self._earned(self._shown(), torch.from_numpy(rewards).to(self.device))

    def _shown(self) -> TensorDictBase:
        """Observations and masks, in new tensors."""
        over = self._over
        observation = self._seen()
        flags = {"done": over, "terminated": over & ~self._truncated, "truncated": over & self._truncated}
        observation.update({name: torch.from_numpy(flag[:, None].copy()) for name, flag in flags.items()})
        observation = observation if self.device is None else observation.to(self.device)
        self.full_action_spec[self.action_at].update_mask(observation.get((*_path(self.action_at)[:-1], "action_mask")))
        return observation

    def _seen(self) -> TensorDict:
        seen, legal = self.batch.observation.copy(), self.batch.action_mask.astype(np.bool_)
        seen[self._over], legal[self._over] = self._final(), True
        entries = {"observation": seen, "action_mask": legal, "seat": self._to_move()}
        return TensorDict({name: torch.from_numpy(array) for name, array in entries.items()}, batch_size=self.batch_size)

    def _chosen(self, actions: np.ndarray) -> np.ndarray:
        """The actions of the players to move."""
        return actions

    def _given(self, actions: np.ndarray) -> torch.Tensor:
        """The actions of the players to move as an entry."""
        return torch.from_numpy(actions).to(self.device)

    def _earned(self, step: TensorDictBase, rewards: torch.Tensor) -> TensorDictBase:
        return step.set("reward", rewards)

    def _specs(self, specs: dict[str, Any]) -> Composite:
        return Composite(specs, shape=self.batch_size, device=self.device)

    def _bounds(self, *shape: int) -> Bounded:
        """The bounds of observations, which include zero."""
        low, high = self.batch.game.observation_bounds(self.batch.options)
        whole = (*shape, len(low))
        bounds = (torch.tensor(bound).expand(whole) for bound in (np.minimum(low, 0), np.maximum(high, 0)))
        return Bounded(*bounds, shape=whole, dtype=torch.float32)

    # --- the games ---

    def _begin(self, seed: int) -> None:
        """Begin all games anew."""
        self.batch.reset(seed)

    def _restart(self, rows: np.ndarray) -> None:
        """Begin the next game in these rows."""
        self.batch.restart(rows)

    def _play(self, actions: np.ndarray) -> np.ndarray:
        """Play these actions and set which games are over; returns the rewards in a new array."""
        self.batch.step(actions)
        self._over, self._truncated = self.batch.terminated | self.batch.truncated, self.batch.truncated.copy()
        return self.batch.rewards.copy()

    def _final(self) -> Any:
        """The observations after the end of games."""
        return 0

    def _to_move(self) -> np.ndarray:
        return self.batch.current_player.copy()


class SelfPlayEnv(_GamesEnv):
    """`num_envs` games, stepped together in compiled code; one policy plays all seats.

    Entries of N games with P seats: `observation` float32 [N, D], `action_mask` bool [N, A] and `seat` int64 [N] of the player
    to move; `action` int64 [N]; `reward` float32 [N, P], the rewards of all seats in the step; `done`, `terminated`,
    `truncated` bool [N, 1]. After the end of a game observations are zeros until a reset begins the next.

    Args:
        game: a game or its id.
        num_envs: the number of parallel games.
        seed: seeds all games (None: random); `set_seed` reseeds them at the next reset of all games.
        threads: the number of threads.
        device: the device of the tensors; games are played on the CPU.
        options: options of the game.

    Raises:
        ValueError: a game or option is unknown, or a number is not allowed; in `step`, an action is illegal (the message names
            the row), and no game has changed.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 256,
        seed: int | None = None,
        threads: int = 1,
        device: Any = None,
        **options: Any,
    ) -> None:
        chosen, checked = envs.resolve(game, options)
        super().__init__(Batch(chosen, checked, num_envs, 0, threads), (checked.num_players,), seed, device)


class GroupEnv(SelfPlayEnv):
    """`SelfPlayEnv` with the seats of a game as a group of agents, in the entries of TorchRL's PettingZoo wrapper. They have an
    axis of seats, so P times as much data is copied.

    Entries of N games with P seats: `("player", "observation")` float32 [N, P, D], zeros except for the seat to move;
    `("player", "action_mask")` bool [N, P, A], all True except for that seat; `("player", "mask")` bool [N, P], True for that
    seat; `("player", "action")` int64 [N, P], used only for that seat; `("player", "reward")` float32 [N, P, 1]; and `done`,
    `terminated`, `truncated`. After the end of a game no seat is to move.

    Args:
        game, num_envs, seed, threads, device: as in `SelfPlayEnv`, also its errors.
    """

    action_at = GROUP, "action"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._shape = shape = len(self.batch), self.batch.num_players
        self._rows = np.arange(shape[0])
        self.group_map = {GROUP: [f"player_{seat}" for seat in range(shape[1])]}
        self.reward_spec = self._group({"reward": Unbounded((*shape, 1))})
        self.action_spec = self._group({"action": LegalActions(self.batch.num_actions, shape=shape)})
        masks = {"action_mask": _flags(*shape, self.batch.num_actions), "mask": _flags(*shape)}
        self.observation_spec = self._group({"observation": self._bounds(*shape), **masks})

    def _group(self, specs: dict[str, Any]) -> Composite:
        return self._specs({GROUP: Composite(specs, shape=self._shape)})

    def _seen(self) -> TensorDict:
        batch, shape = self.batch, self._shape
        seen, legal = np.zeros((*shape, batch.observation_size), np.float32), np.ones((*shape, batch.num_actions), np.bool_)
        to_move = np.zeros(shape, np.bool_)
        mover = self._rows, batch.current_player
        seen[mover], legal[mover], to_move[mover] = batch.observation, batch.action_mask, ~self._over
        seen[self._over], legal[self._over] = self._final(), True
        entries = {"observation": seen, "action_mask": legal, "mask": to_move}
        group = TensorDict({name: torch.from_numpy(array) for name, array in entries.items()}, batch_size=shape)
        return TensorDict({GROUP: group}, batch_size=self.batch_size)

    def _chosen(self, actions: np.ndarray) -> np.ndarray:
        return actions[self._rows, self.batch.current_player]

    def _given(self, actions: np.ndarray) -> torch.Tensor:
        return super()._given(np.repeat(actions[:, None], self._shape[1], axis=1))

    def _earned(self, step: TensorDictBase, rewards: torch.Tensor) -> TensorDictBase:
        return step.set((GROUP, "reward"), rewards[..., None])


class CreditRewards(Transform):
    """Credits each decision in a rollout of `SelfPlayEnv` with the rewards of its seat up to that seat's next decision or the
    end of the game (`wilddeck.envs.core.credit.credit_rewards`).

    It is for recorded data: call it, or pass it to a collector (`postproc`) or a replay buffer. In an environment it raises an
    error, because these rewards come after the decision.

    To a rollout [N, T] of games with P seats (`seat`, `action_mask`, and in "next" `reward` [N, T, P] and `done`) it adds
    `credit` float32 [N, T, 1] and `next_decision` int64 [N, T], the step of the seat's next decision in the same row or one of
    the special values of `Credit`.

    Args:
        choices_only: count only steps with more than one legal action as decisions; rewards after forced moves are credited to
            the decisions before them.
        teams: the teams (`game.teams(options)`): each seat is credited with the mean of its team. Empty: no teams.

    Raises:
        ValueError: when called, the data is not a rollout [N, T], or the teams do not match.
    """

    def __init__(self, choices_only: bool = True, teams: Sequence[Sequence[int]] = ()) -> None:
        super().__init__(in_keys=["seat", "action_mask", ("next", "reward"), ("next", "done")])
        self.choices_only, self.teams = choices_only, teams

    def forward(self, tensordict: TensorDictBase) -> TensorDictBase:
        if tensordict.ndim != 2:
            raise ValueError(f"credit is for a rollout of shape [N, T], not {list(tensordict.shape)}")
        seats, masks, rewards, dones = (_by_step(tensordict[key]) for key in self.in_keys)
        decisions = masks.sum(axis=2) > 1 if self.choices_only else None
        credit = credit_rewards(seats, rewards, dones[:, :, 0], decisions=decisions, teams=self.teams)
        entries = {"credit": credit.rewards[:, :, None], "next_decision": credit.next}
        return tensordict.update({name: _by_row(array, tensordict) for name, array in entries.items()})

    def set_container(self, container: Any) -> None:
        if isinstance(container, EnvBase) or container.parent is not None:
            raise ValueError("CreditRewards is for recorded rollouts, not for an environment")
        super().set_container(container)


class CreditGAE(torch.nn.Module):
    """Generalised advantage estimates along each seat's own decisions, for a rollout with the entries of `CreditRewards`
    (`wilddeck.envs.core.credit.advantages`). TorchRL's own `GAE` goes from step to step, across seats.

    It adds `advantage` and `value_target` (float32 [N, T, 1], the shape of TorchRL's losses) and `known` (bool [N, T]): the
    decisions to learn from, whose successor or end of the game was recorded.

    Args:
        value_network: a module that writes `state_value` [N, T, 1], such as TorchRL's `ValueOperator`.
        gamma: the discount from one decision of a seat to its next.
        lmbda: GAE's lambda.
    """

    def __init__(self, value_network: torch.nn.Module, gamma: float = 1.0, lmbda: float = 0.95) -> None:
        super().__init__()
        self.value_network, self.gamma, self.lmbda = value_network, gamma, lmbda

    @torch.no_grad()
    def forward(self, tensordict: TensorDictBase) -> TensorDictBase:
        self.value_network(tensordict)
        credit = Credit(_by_step(tensordict["credit"])[:, :, 0], _by_step(tensordict["next_decision"]))
        found = advantages(credit, _by_step(tensordict["state_value"])[:, :, 0], self.gamma, self.lmbda)
        entries = {"advantage": found.advantages[:, :, None], "value_target": found.targets[:, :, None], "known": found.known}
        return tensordict.update({name: _by_row(array, tensordict) for name, array in entries.items()})


def _by_step(entry: torch.Tensor) -> np.ndarray:
    """[N, T, ...] as [T, N, ...]."""
    return np.ascontiguousarray(entry.detach().transpose(0, 1).cpu().numpy())


def _by_row(array: np.ndarray, like: TensorDictBase) -> torch.Tensor:
    """[T, N, ...] as [N, T, ...]."""
    return torch.from_numpy(array).transpose(0, 1).contiguous().to(like.device)


class SeatEnv(_GamesEnv):
    """`num_envs` games, each from one seat, for single-agent learners: a step plays the learner's action in each, then the
    other seats, in compiled code, until it is the learner's turn again.

    Entries are those of `SelfPlayEnv` for the learner's seat, on its turn; `reward` float32 [N, 1] is everything that the seat
    earned since its last action. After the end of a game the observation is the seat's last.

    Args:
        game, num_envs, seed, threads, device: as in `SelfPlayEnv`, also its errors.
        opponents: an agent or agent string for all other seats, or a list with one for each, clockwise from the learner; only
            agents that play batches (random, rules, trained, weights files).
        seat: "random" (drawn for each game), "rotate" (the next seat with each game, row i starts with seat i) or a seat.
        **parameters: trust, see `wilddeck.seats.config.SeatConfig`, and options of the game.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 256,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        seat: str | int = "random",
        seed: int | None = None,
        threads: int = 1,
        device: Any = None,
        **parameters: Any,
    ) -> None:
        config, options = SeatConfig.split(parameters, ["mask", "illegal", "sandbox", "history"], seat=seat)
        game, checked = envs.resolve(game, options)
        config.check(checked.num_players)
        games = seated_games(game, checked, num_envs, opponents, config, threads)
        super().__init__(games.batch, (1,), seed, device)
        self.games = games
        self._seat = games.seat.copy()

    def _begin(self, seed: int) -> None:
        self.games.reset(seed)

    def _restart(self, rows: np.ndarray) -> None:
        self.games.restart(rows)

    def _play(self, actions: np.ndarray) -> np.ndarray:
        games = self.games
        self._seat = games.seat.copy()  # in a game that ends; the next game has another
        games.step(actions)
        self._over, self._truncated = games.dones, games.truncated
        return games.rewards[:, None]

    def _final(self) -> Any:
        return self.games.final[self._over]

    def _to_move(self) -> np.ndarray:
        return np.where(self._over, self._seat, self.games.seat)


def _flags(*shape: int) -> Any:
    return Binary(shape=shape, dtype=torch.bool)


def _path(key: Any) -> tuple[str, ...]:
    return key if isinstance(key, tuple) else (key,)
