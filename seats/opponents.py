"""A pool of opponents, played in compiled code as far as they are compiled: networks, and policies such as the rules'."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..agents import rules
from ..agents.base import Agent, check_batches
from ..agents.learned import ACTIVATIONS, LearnedAgent
from ..agents.network import network_action
from ..envs.core import kernels
from ..envs.core.batch import Batch
from ..envs.core.game import Game
from ..envs.core.jit import bind, device_function
from ..envs.core.rng import GOLDEN, mix

if TYPE_CHECKING:  # bound below
    advance: Any
    observe: Any
    restart_next: Any
    view: Any
    policy: Any
    otherwise: Any
    other_policies: Any
    CODE: int

# An opponent's code in compiled play: a network's number, or a policy's number from here on, or neither.
_FIRST_POLICY = 1 << 20
NOT_COMPILED = -1
# What is given in place of an action: whoever is to move decides, or the learner's game is lost.
NONE_YET, FORFEIT = np.int64(-1), np.int64(-2)
# How a game ended.
TERMINATED, TRUNCATED = 1, 2


@device_function
def _nobody(code, observation, mask, num_players, noise):
    return np.int64(-1)


def _link(code, observation, mask, num_players, noise):
    """One link of the chain of policies: the policy with this code, or the rest of the chain."""
    if code == CODE:
        return np.int64(policy(observation, mask, num_players, noise))
    return otherwise(code, observation, mask, num_players, noise)


def _play_seats(
    states, template, rows, observation, mask, current_player, actions,
    seat, opponent, codes, noise, networks, sizes, layers, activation, greedy, floats, places, scores,
    earned, ended, final,
):  # fmt: skip
    """Play each row's action, then on until `seat` is to move, an opponent without compiled code is, or the game has ended
    (`ended` is not 0, what the seat saw at last in `final`, and the row shows the next game). Adds what the seat got to
    `earned`. `floats`, `places` and `scores` are scratch a row, of which a chunk of rows takes that of its first."""
    own = rows[0]
    for k in range(rows.shape[0]):
        i = rows[k]
        state = states[i]
        learner = np.int64(seat[i])
        ended[i] = 0
        action = np.int64(actions[i])
        while not ended[i]:
            player = np.int64(state.current_player)
            if action == NONE_YET:
                if player == learner:
                    break
                code = codes[opponent[i, player]]
                if code < 0:
                    break
                noise[i] += GOLDEN
                bits = mix(noise[i])
                if code < networks.shape[0]:
                    action = network_action(
                        networks[code],
                        sizes[code, : layers[code]],
                        activation[code],
                        greedy[code],
                        observation[i],
                        mask[i],
                        bits,
                        floats[own],
                        places[own],
                        scores[own],
                    )
                else:
                    action = np.int64(other_policies(code, observation[i], mask[i], np.int64(state.num_players), bits))
            if action == FORFEIT:
                ended[i] = TERMINATED
            else:
                advance(state, action)
                earned[i] += state.rewards[learner]
                ended[i] = TRUNCATED if state.truncated else TERMINATED if state.terminated else 0
            if ended[i]:
                if final.shape[1]:
                    final[i, :] = 0
                    observe(state, learner, final[i])
                restart_next(states, i, template)
            view(state, observation[i], mask[i])
            action = NONE_YET
        current_player[i] = state.current_player


def _own_policies(game: Game) -> tuple[Any, ...]:
    """The policy kernels that every pool of a game knows, used or not: all pools of the suite's own agents share a program."""
    return kernels.random_policy, *rules.policies(game)


@functools.cache
def chain_of(game: Game, more: tuple[Any, ...]) -> tuple[Any, dict[str, Any], str]:
    """A kernel that plays by any of a game's own policies and of `more`, chosen by its code; what it is made of, by name; and a
    name for all of them together."""
    owner = ".".join([game.id, *(f"{policy.__module__.rpartition('.')[2]}-{policy.__name__}" for policy in more)])
    policies = (*_own_policies(game), *more)
    chain: Any = _nobody
    named = {f"policy_{k}": each for k, each in enumerate(policies)}
    for k, each in enumerate(policies):
        link = {"policy": each, "otherwise": chain, "CODE": _FIRST_POLICY + k, **named}
        chain = bind({"link": _link}, link, f"{owner}.{k}")["link"]
    return chain, named, owner


@functools.cache
def _kernel(game: Game, more: tuple[Any, ...]) -> Any:
    """`_play_seats` for a game, its own policies and these policy kernels."""
    chain, named, owner = chain_of(game, more)
    functions = {**game.functions, "other_policies": chain, **named}
    return bind({**kernels.SHARED, "play_seats": _play_seats}, functions, f"{owner}.self_play")["play_seats"]


class Pool:
    """Opponents, how likely each is drawn, and what compiled play needs of them.

    Args:
        game: what is played.
        agents: the opponents. Those that are networks, or have a policy kernel (`agent.policy`), are played in
            compiled code; the others are asked by the batch (`act_batch`).
        weights: how likely each is drawn (default: equally).

    Raises:
        ValueError: no agents, an agent that plays no batches, or weights that are no distribution over them.
    """

    def __init__(self, game: Game, agents: Sequence[Agent], weights: Sequence[float] | None = None) -> None:
        share = np.ones(len(agents)) if weights is None else np.asarray(weights, np.float64)
        if not len(agents) or share.shape != (len(agents),) or (share < 0).any() or not 0 < share.sum() < np.inf:
            raise ValueError(f"a pool needs opponents and a weight each, at least one of them positive; not {weights}")
        for agent in agents:
            check_batches(agent, agent.name, "too slow for a pool of opponents")
        self.game, self.agents, self._share = game, list(agents), share
        self._cumulative = np.cumsum(share / share.sum())
        networks = [agent for agent in agents if isinstance(agent, LearnedAgent)]
        kernels = {id(agent): _policy_kernel(agent) for agent in agents}
        own = _own_policies(game)
        called = (*kernels.values(), *(_policy_kernel(agent.expert) for agent in networks))
        self.more = tuple(dict.fromkeys(each for each in called if each is not None and each not in own))
        policies = (*own, *self.more)
        self._networks = {id(agent): (k, _policy_kernel(agent.expert)) for k, agent in enumerate(networks)}
        self._policies = {each: _FIRST_POLICY + k for k, each in enumerate(policies)}
        self._kernels = [kernels[id(agent)] for agent in agents]
        self.codes = self.codes_with(None)
        self._kernel = _kernel(game, self.more)
        self._scratch: list[np.ndarray] | None = None
        self.networks = (
            _padded([agent.vector for agent in networks], np.float32),
            _padded([agent.sizes for agent in networks], np.int64),
            np.array([len(agent.sizes) for agent in networks], np.int64),
            np.array([ACTIVATIONS[agent.activation] for agent in networks], np.int64),
            np.array([agent.greedy for agent in networks], np.bool_),
        )

    def __len__(self) -> int:
        return len(self.agents)

    def code_of(self, policy: Any) -> int:
        """The code of a policy kernel; None is no kernel, and not compiled."""
        return self._policies.get(policy, NOT_COMPILED)

    def codes_with(self, expert: Any) -> np.ndarray:
        """The agents' codes (int64) where networks are shown what this policy kernel would do, or none.

        Networks with another expert are not compiled then; those without one do not look at it.
        """
        codes = []
        for agent, policy in zip(self.agents, self._kernels, strict=True):
            network, own_expert = self._networks.get(id(agent), (NOT_COMPILED, None))
            codes.append(network if network >= 0 and own_expert in (None, expert) else self.code_of(policy))
        return np.array(codes, np.int64)

    def __reduce__(self) -> tuple[Any, ...]:
        return Pool, (self.game, self.agents, self._share)

    def play(
        self,
        batch: Batch,
        rows: np.ndarray,
        actions: np.ndarray,
        seat: np.ndarray,
        opponent: np.ndarray,
        noise: np.ndarray,
        earned: np.ndarray,
        ended: np.ndarray,
        final: np.ndarray,
    ) -> None:
        """Play the actions of these rows of a batch, then on in compiled code until a row's `seat` or an opponent that is not
        compiled is to move, or its game has ended.

        Args:
            rows: int64 [M], ascending.
            actions: int64 [N], legal ones, or `NONE_YET` (whoever is to move decides), or `FORFEIT` (the game ends at once).
            seat: int64 [N], the seat that is not played.
            opponent: int64 [N, P], the place in the pool of who plays each other seat.
            noise: uint64 [N], counters of the opponents' randomness; they go on.
            earned: float32 [N]; what the seat gets is added.
            ended: uint8 [N], set to `TERMINATED` or `TRUNCATED` where the game ended (the row shows the next), else to 0.
            final: float32 [N, D], or [N, 0] to leave it out: what the seat saw when its game had ended.
        """
        if not len(rows):
            return
        if self._scratch is None or len(self._scratch[0]) < len(batch):
            width = int(self.networks[1].max(initial=1))
            shapes = ((2, width), np.float32), ((width,), np.int64), ((width,), np.float64)
            self._scratch = [np.empty((len(batch), *shape), dtype) for shape, dtype in shapes]
        found = (seat, opponent, self.codes, noise, *self.networks, *self._scratch, earned, ended, final)
        batch.drive(self._kernel, rows, actions, *found)

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Indices of opponents (int64), drawn by the weights."""
        drawn = np.searchsorted(self._cumulative, rng.random(shape), side="right")
        return np.minimum(drawn, len(self.agents) - 1)

    def actions(self, which: np.ndarray, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Actions by the batch: `which` int64 [M] is the opponent of each row."""
        actions = np.empty(len(which), np.int64)
        for index in np.unique(which):
            rows = np.flatnonzero(which == index)
            actions[rows] = self.agents[index].act_batch(observation[rows], mask[rows], rng)
        return actions


def _padded(arrays: list[np.ndarray], dtype: Any) -> np.ndarray:
    """Arrays of any lengths as the rows of one."""
    rows = np.zeros((len(arrays), max(map(len, arrays), default=0)), dtype)
    for row, array in zip(rows, arrays, strict=True):
        row[: len(array)] = array
    return rows


def _policy_kernel(agent: Agent | None) -> Any:
    policy = getattr(agent, "policy", None)
    return kernels.random_policy if isinstance(policy, str) and policy == "random" else policy
