"""A pool of agents, and the compiled code that plays games between them: networks, and policies such as the rules.

Two kernels alternate. One is specific to a game: it plays rows by forced moves and policies until another player must choose or
a game ends. The other chooses actions for networks; it is the same for all games, so it is compiled once.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..agents import rules
from ..agents.base import Agent, check_batches
from ..agents.learned import ACTIVATIONS, LearnedAgent
from ..agents.network import Net, Workspace, make_workspace, network_action
from ..agents.views import BatchViews, most_history
from ..envs.core import kernels
from ..envs.core.batch import Batch, noise_counters
from ..envs.core.game import Game
from ..envs.core.jit import arithmetic, bind, device_function, plain
from ..envs.core.kernels import only_choice
from ..envs.core.rng import GOLDEN, mix
from ..envs.core.tokens import begin_next_row, begin_row, play_row, tell_row

if TYPE_CHECKING:  # bound below
    advance: Any
    legal_actions: Any
    observe: Any
    over: Any
    restart_next: Any
    policy: Any
    otherwise: Any
    other_policies: Any
    CODE: int

# A player's code in compiled play: a network's number, or a policy's number from here on, or neither.
_FIRST_POLICY = 1 << 20
NOT_COMPILED = -1
# What is given in place of an action: whoever is to move decides, or the game of who is asked is lost.
UNDECIDED, FORFEIT = np.int64(-1), np.int64(-2)
# What a row is at: its action is to be played, somebody must choose, or a game has ended and the next begins.
PLAYS, WAITS, TERMINATED, TRUNCATED = 0, 1, 2, 3


class Seats(NamedTuple):
    """Who plays, and what each row is at."""

    asked: np.ndarray  # int64 [N], the seat that chooses at each turn, also where there is no choice; -1: none
    players: np.ndarray  # int64 [N, P], the place in the pool of who plays a seat
    codes: np.ndarray  # int64 [pool]
    learner: int  # the place in the pool of who is asked where there is a choice, or told what they chose; -1: nobody
    expert: int  # the code of the networks' expert; NOT_COMPILED: they have none
    noise: np.ndarray  # uint64 [N], counters of the players' randomness
    status: np.ndarray  # int64 [N]
    actions: np.ndarray  # int64 [N], to be played, or where a row waits for the learner what they chose
    expert_action: np.ndarray  # int64 [N], what the expert would do where a row waits
    earned: np.ndarray  # float64 [N, P], by each seat, whoever moved
    final: np.ndarray  # float32 [N, D], what the asked seat saw when its game had ended; [N, 0]: not kept
    blocks: np.ndarray  # int64 [B, 2], where the private blocks of an observation begin and end
    hidden: np.ndarray  # float32 [N, H], those of the other seats, clockwise, where a row waits for the learner


class PoolNetworks(NamedTuple):
    """The networks of a pool, a row each."""

    weights: np.ndarray  # float32 [networks, most weights]
    sizes: np.ndarray  # int64 [networks, most layers + 1]
    layers: np.ndarray  # int64 [networks], how many sizes
    activation: np.ndarray  # int64 [networks]
    greedy: np.ndarray  # bool [networks]


# --- bound to a game ---


@device_function
def _nobody(code, observation, mask, num_players, noise):
    return np.int64(-1)


def _link(code, observation, mask, num_players, noise):
    """One link of the chain of policies: the policy with this code, or the rest of the chain."""
    if code == CODE:
        return np.int64(policy(observation, mask, num_players, noise))
    return otherwise(code, observation, mask, num_players, noise)


def observe_others(state, player, blocks, others, hidden):
    """The private blocks of the observations of all other seats, clockwise, into `hidden`; `others` is scratch."""
    if blocks.shape[0]:
        players, used = np.int64(state.num_players), 0
        for step in range(1, players):
            others[:] = 0
            observe(state, (player + step) % players, others)
            for k in range(blocks.shape[0]):
                for entry in range(blocks[k, 0], blocks[k, 1]):
                    hidden[used] = others[entry]
                    used += 1


def experts_action(state, observation, mask, noise, seats):
    """What the networks' expert would do; UNDECIDED if they have none."""
    if seats.expert == NOT_COMPILED:
        return UNDECIDED
    return np.int64(other_policies(seats.expert, observation, mask, np.int64(state.num_players), mix(noise)))


def policy_action(state, i, place, observation, mask, seats):
    """What a policy does, UNDECIDED of other players; and what the expert would do of who has one."""
    seats.noise[i] += GOLDEN
    noise, code = mix(seats.noise[i]), seats.codes[place]
    if place == seats.learner or 0 <= code < _FIRST_POLICY:
        seats.expert_action[i] = experts_action(state, observation, mask, noise, seats)
    if code < _FIRST_POLICY:
        return UNDECIDED
    return np.int64(other_policies(code, observation, mask, np.int64(state.num_players), noise))


def choose_action(state, i, observation, mask, seats, others):
    """What is played next, if that is forced or a policy chooses it; else the row waits, with what must be known to choose."""
    player = np.int64(state.current_player)
    mask[:] = 0
    legal_actions(state, mask)
    is_asked = player == seats.asked[i]
    action = UNDECIDED if is_asked else np.int64(only_choice(mask))
    if action == UNDECIDED:
        observation[:] = 0
        observe(state, player, observation)
        place = seats.players[i, player]
        if not is_asked:
            action = policy_action(state, i, place, observation, mask, seats)
            if place == seats.learner:
                observe_others(state, player, seats.blocks, others, seats.hidden[i])
        if action == UNDECIDED or place == seats.learner:
            seats.status[i] = WAITS
    seats.actions[i] = action


def go_on(states, i, action, told):
    """An action in row i of a batch without histories."""
    advance(states[i], action)


def begin_next(states, i, template, told):
    """The next game in row i of a batch without histories."""
    restart_next(states, i, template)


def play_chosen(states, template, i, seats, told):
    """Play a row's action; where it ends the game the next begins."""
    state = states[i]
    if seats.actions[i] == FORFEIT:
        seats.status[i] = TERMINATED
    else:
        go_on(states, i, seats.actions[i], told)
        for seat in range(seats.earned.shape[1]):
            seats.earned[i, seat] += state.rewards[seat]
        if over(state):
            seats.status[i] = TRUNCATED if state.truncated else TERMINATED
    if seats.status[i] == PLAYS:
        seats.actions[i] = UNDECIDED
    else:
        if seats.final.shape[1]:
            seats.final[i, :] = 0
            observe(state, seats.asked[i], seats.final[i])
        begin_next(states, i, template, told)


def play_rows(states, template, rows, shown, told, seats, others):
    """Play on the rows that do, until one must choose who is no policy, or the game has ended. `shown`: observations, masks and
    players to move of all rows."""
    observation, mask, current_player = shown
    for r in range(rows.shape[0]):
        i = rows[r]
        while seats.status[i] == PLAYS:
            if seats.actions[i] == UNDECIDED:
                choose_action(states[i], i, observation[i], mask[i], seats, others)
            else:
                play_chosen(states, template, i, seats, told)
        current_player[i] = states[i].current_player
        tell_row(states, i, told)


def tells_nothing(states, i, told):
    """Of a batch without histories."""
    return


GAME_KERNELS = (observe_others, experts_action, policy_action, choose_action, play_chosen, play_rows)
_WITHOUT_HISTORY = {"go_on": go_on, "begin_next": begin_next, "tell_row": tells_nothing}
_WITH_HISTORY = {"go_on": play_row, "begin_next": begin_next_row, "begin_row": begin_row, "tell_row": tell_row}


# --- for all games ---


@arithmetic
def network_of(networks, code):
    """One of them."""
    return Net(networks.weights[code], networks.sizes[code, : networks.layers[code]], networks.activation[code])


@arithmetic
def answer(i, code, observation, mask, seats, networks, workspace):
    """Let a network choose for a row that waits for it."""
    net, noise = network_of(networks, code), mix(seats.noise[i])
    seats.actions[i] = network_action(
        net, networks.greedy[code], observation[i], seats.expert_action[i], mask[i], noise, workspace
    )
    seats.status[i] = PLAYS


@arithmetic
def answer_rows(rows, observation, mask, current_player, seats, networks, workspace):
    """Let networks choose in all rows that wait for one; returns in how many."""
    answered = 0
    for r in range(rows.shape[0]):
        i, player = rows[r], current_player[rows[r]]
        place = seats.players[i, player]
        code, is_open = seats.codes[place], seats.status[i] == WAITS and seats.actions[i] == UNDECIDED
        if is_open and player != seats.asked[i] and 0 <= code < networks.weights.shape[0]:
            answer(i, code, observation, mask, seats, networks, workspace)
            if place == seats.learner:
                seats.status[i] = WAITS  # it is copied, and whoever copies it is told
            answered += 1
    return answered


def _own_policies(game: Game) -> tuple[Any, ...]:
    """The policies that every pool of a game knows, used or not: all pools of the suite's own agents share a program."""
    return kernels.random_policy, *rules.policies(game)


@functools.cache
def chain_of(game: Game, extra: tuple[Any, ...]) -> tuple[Any, dict[str, Any], str]:
    """A device function that plays by any of a game's own policies and of `extra`, chosen by its code; what it is made of, by
    name; and a name for all of them together."""
    owner = ".".join([game.id, *(f"{policy.__module__.rpartition('.')[2]}-{policy.__name__}" for policy in extra)])
    policies = (*_own_policies(game), *extra)
    chain: Any = _nobody
    named = {f"policy_{k}": policy for k, policy in enumerate(policies)}
    for k, policy in enumerate(policies):
        link = {"policy": policy, "otherwise": chain, "CODE": _FIRST_POLICY + k, **named}
        chain = bind({"link": _link}, link, f"{owner}.{k}")["link"]
    return chain, named, owner


@functools.cache
def game_kernels(
    game: Game, policies: tuple[Any, ...], functions: tuple[Any, ...] = GAME_KERNELS, history: bool = False
) -> dict[str, Any]:
    """Kernels over a game, its own policies and these: `play_rows`, in batches with or without histories, or others that are
    built of its parts."""
    chain, named, owner = chain_of(game, policies)
    parts = {function.__name__: plain(function) for function in functions}
    if functions is GAME_KERNELS:
        parts |= _WITH_HISTORY if history else _WITHOUT_HISTORY
    owner = f"{owner}.{'told' if history else 'seats'}"
    return bind({**kernels.SHARED, **parts}, {**game.functions, "other_policies": chain, **named}, owner)


class Pool:
    """Opponents, how likely each is drawn, and what compiled play needs of them.

    Args:
        game: what is played.
        agents: the opponents. Those that are networks, or have a compiled policy (`agent.policy`), are
            played in compiled code; the others are asked by the batch (`act_batch`).
        weights: how likely each is drawn (default: equally).
        history: tokens that batches keep for who plays against the pool; there are more where its agents ask for them.

    Raises:
        ValueError: no agents, an agent that plays no batches, or weights that are no distribution over them.
    """

    def __init__(self, game: Game, agents: Sequence[Agent], weights: Sequence[float] | None = None, history: int = 0) -> None:
        share = np.ones(len(agents)) if weights is None else np.asarray(weights, np.float64)
        if not len(agents) or share.shape != (len(agents),) or (share < 0).any() or not 0 < share.sum() < np.inf:
            raise ValueError(f"a pool needs opponents and a weight each, at least one of them positive; not {weights}")
        for agent in agents:
            check_batches(agent, agent.name, "too slow for a pool of opponents")
        self.game, self.agents, self._share = game, list(agents), share
        self._cumulative = np.cumsum(share / share.sum())
        networks = [agent for agent in agents if isinstance(agent, LearnedAgent)]
        self._policy_of_agent = [_policy_of(agent) for agent in agents]
        own = _own_policies(game)
        called = (*self._policy_of_agent, *(_policy_of(agent.expert) for agent in networks))
        self.extra = tuple(dict.fromkeys(policy for policy in called if policy is not None and policy not in own))
        policies = (*own, *self.extra)
        self._networks = {id(agent): (k, _policy_of(agent.expert)) for k, agent in enumerate(networks)}
        self._policies = {policy: _FIRST_POLICY + k for k, policy in enumerate(policies)}
        self.codes = self.codes_with(None)
        self.history = max(history, most_history(agents))
        self.nets = [agent.net for agent in networks]
        self.networks = PoolNetworks(
            _padded([agent.vector for agent in networks], np.float32),
            _padded([agent.sizes for agent in networks], np.int64),
            np.array([len(agent.sizes) for agent in networks], np.int64),
            np.array([ACTIVATIONS[agent.activation] for agent in networks], np.int64),
            np.array([agent.greedy for agent in networks], np.bool_),
        )
        self._workspaces: list[tuple[np.ndarray, Workspace | None]] = []  # of threads that are done with them

    def __len__(self) -> int:
        return len(self.agents)

    def code_of(self, policy: Any) -> int:
        """The code of a policy; None is not compiled."""
        return self._policies.get(policy, NOT_COMPILED)

    def codes_with(self, expert: Any) -> np.ndarray:
        """The agents' codes (int64) where networks are shown what this policy would do, or none.

        Networks with another expert are not compiled then; those without one do not look at it.
        """
        codes = []
        for agent, policy in zip(self.agents, self._policy_of_agent, strict=True):
            network, own_expert = self._networks.get(id(agent), (NOT_COMPILED, None))
            codes.append(network if network >= 0 and own_expert in (None, expert) else self.code_of(policy))
        return np.array(codes, np.int64)

    def __reduce__(self) -> tuple[Any, ...]:
        return Pool, (self.game, self.agents, self._share, self.history)

    def seats(self, batch: Batch, seed: int) -> Seats:
        """Who plays a batch's rows: so far whoever comes first in the pool, and nobody is asked."""
        n, players = len(batch), batch.num_players
        return Seats(
            asked=np.full(n, -1),
            players=np.zeros((n, players), np.int64),
            codes=self.codes,
            learner=-1,
            expert=NOT_COMPILED,
            noise=noise_counters(seed, n),
            status=np.zeros(n, np.int64),
            actions=np.full(n, UNDECIDED),
            expert_action=np.zeros(n, np.int64),
            earned=np.zeros((n, players)),
            final=np.zeros((n, 0), np.float32),
            blocks=np.zeros((0, 2), np.int64),
            hidden=np.zeros((n, 0), np.float32),
        )

    def play(self, batch: Batch, rows: np.ndarray, seats: Seats) -> None:
        """Play on these rows (int64 [M], ascending) of a batch in compiled code, until each waits for who is asked or for a
        player that is not compiled, or its game has ended. The observations and masks of rows that wait are those of who is to
        choose."""
        if len(rows):
            batch.drive(self._play_chunk, rows, seats)

    def play_rows(self, states: Any, template: Any, rows: Any, *views_and_seats: Any) -> None:
        """The kernel, in batches with or without histories."""
        *shown, told, seats, others = views_and_seats
        kernel = game_kernels(self.game, self.extra, history=bool(told))["play_rows"]
        kernel(states, template, rows, tuple(shown), told, seats, others)

    def _play_chunk(self, states: Any, template: Any, rows: Any, *views_and_seats: Any) -> None:
        observation, mask, player, told, seats = views_and_seats
        try:
            others, workspace = self._workspaces.pop()
        except IndexError:
            others = np.zeros(observation.shape[1], np.float32)
            workspace = make_workspace(*self.nets) if self.nets else None
        answered = 1
        while answered:
            self.play_rows(states, template, rows, observation, mask, player, told, seats, others)
            answered = answer_rows(rows, observation, mask, player, seats, self.networks, workspace) if workspace else 0
        self._workspaces.append((others, workspace))

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Indices of opponents (int64), drawn by the weights."""
        drawn = np.searchsorted(self._cumulative, rng.random(shape), side="right")
        return np.minimum(drawn, len(self.agents) - 1)

    def actions(self, batch_views: BatchViews, rows: np.ndarray, places: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Actions by the batch, of the opponents at these places of the pool, int64 [M] as the rows are."""
        actions = np.empty(len(places), np.int64)
        for index in np.unique(places):
            own, agent = places == index, self.agents[index]
            actions[own] = agent.act_batch(batch_views.views(agent, rows[own]), rng)
        return actions


def _padded(arrays: list[np.ndarray], dtype: Any) -> np.ndarray:
    """Arrays of any lengths as the rows of one."""
    rows = np.zeros((len(arrays), max(map(len, arrays), default=0)), dtype)
    for row, array in zip(rows, arrays, strict=True):
        row[: len(array)] = array
    return rows


def _policy_of(agent: Agent | None) -> Any:
    """The device function that an agent plays by, if it has one."""
    policy = getattr(agent, "policy", None)
    return kernels.random_policy if isinstance(policy, str) and policy == "random" else policy
