"""A pool of agents, and the compiled code that plays games between them: networks, and compiled policies such as `rules`.

Two kernels alternate. One is specific to a game: it plays forced moves and policies in all rows until another player must
choose or the game ends. The other chooses actions for networks; it is the same for all games, so it is compiled once.
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
from ..envs.core.rotations import NO_ROTATIONS, Rotations
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
# In place of an action: the player to move has yet to choose, or the learner loses the game.
UNDECIDED, FORFEIT = np.int64(-1), np.int64(-2)
# The status of a row: its action is to be played, a player must choose, or a game has ended and the next begins.
PLAYS, WAITS, TERMINATED, TRUNCATED = 0, 1, 2, 3


class Seats(NamedTuple):
    """The players and the status of all rows. The "learner" is the player who is asked outside compiled code."""

    asked: np.ndarray  # int64 [N], the seat that is asked at each of its turns, also for forced moves; -1: none
    players: np.ndarray  # int64 [N, P], the index in the pool of each seat's player
    codes: np.ndarray  # int64 [pool]
    learner: int  # the index in the pool of the player who is asked for choices, or informed of its own; -1: none
    expert: int  # the code of the networks' expert; NOT_COMPILED: they have none
    noise: np.ndarray  # uint64 [N], counters of the players' randomness
    status: np.ndarray  # int64 [N]
    actions: np.ndarray  # int64 [N], to be played, or, in a row that waits for the learner, already chosen for it
    expert_action: np.ndarray  # int64 [N], the expert's action in rows that wait
    earned: np.ndarray  # float64 [N, P], the rewards of each seat
    final: np.ndarray  # float32 [N, D], the asked seat's observation at the end of its game; [N, 0]: not kept
    blocks: np.ndarray  # int64 [B, 2], the bounds of the private blocks of an observation
    hidden: np.ndarray  # float32 [N, H], those blocks of the other seats, clockwise, in rows that wait for the learner


class PoolNetworks(NamedTuple):
    """The networks of a pool, one per row."""

    weights: np.ndarray  # float32 [networks, most weights]
    sizes: np.ndarray  # int64 [networks, most layers + 1]
    layers: np.ndarray  # int64 [networks], the number of sizes
    activation: np.ndarray  # int64 [networks]
    greedy: np.ndarray  # bool [networks]
    equivariant: np.ndarray  # bool [networks]
    rotations: Rotations  # of those that are equivariant


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
    """Write the private observation blocks of all other seats, clockwise, into `hidden`; `others` is scratch memory."""
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
    """The action of the networks' expert; UNDECIDED if they have none."""
    if seats.expert == NOT_COMPILED:
        return UNDECIDED
    return np.int64(other_policies(seats.expert, observation, mask, np.int64(state.num_players), mix(noise)))


def policy_action(state, i, place, observation, mask, seats):
    """A policy's action, UNDECIDED for other players; and the expert's action for players that have one."""
    seats.noise[i] += GOLDEN
    noise, code = mix(seats.noise[i]), seats.codes[place]
    if place == seats.learner or 0 <= code < _FIRST_POLICY:
        seats.expert_action[i] = experts_action(state, observation, mask, noise, seats)
    if code < _FIRST_POLICY:
        return UNDECIDED
    return np.int64(other_policies(code, observation, mask, np.int64(state.num_players), noise))


def choose_action(state, i, observation, mask, seats, others):
    """The next action if it is forced or a policy chooses it; otherwise the row waits, with the observation for the choice."""
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
    """Play an action in row i of a batch without histories."""
    advance(states[i], action)


def begin_next(states, i, template, told):
    """Begin the next game in row i of a batch without histories."""
    restart_next(states, i, template)


def play_chosen(states, template, i, seats, told):
    """Play a row's action; if it ends the game, begin the next."""
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
    """Advance the rows until a player that is not a policy must choose, or the game ends. `shown`: observations, masks and
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
    """For a batch without histories."""
    return


GAME_KERNELS = (observe_others, experts_action, policy_action, choose_action, play_chosen, play_rows)
_WITHOUT_HISTORY = {"go_on": go_on, "begin_next": begin_next, "tell_row": tells_nothing}
_WITH_HISTORY = {"go_on": play_row, "begin_next": begin_next_row, "begin_row": begin_row, "tell_row": tell_row}


# --- for all games ---


@arithmetic
def network_of(networks, code):
    """The network with this code."""
    rotations = networks.rotations
    if not networks.equivariant[code]:
        inputs, actions, back, own, weights = rotations
        rotations = Rotations(inputs[:0], actions[:0], back[:0], own[:0], weights[:0])
    return Net(networks.weights[code], networks.sizes[code, : networks.layers[code]], networks.activation[code], rotations)


@arithmetic
def answer(i, code, observation, mask, seats, networks, workspace):
    """Choose the action of a row that waits for a network."""
    net, noise = network_of(networks, code), mix(seats.noise[i])
    seats.actions[i] = network_action(
        net, networks.greedy[code], observation[i], seats.expert_action[i], mask[i], noise, workspace
    )
    seats.status[i] = PLAYS


@arithmetic
def answer_rows(rows, observation, mask, current_player, seats, networks, workspace):
    """Choose the actions of all rows that wait for a network; returns their number."""
    answered = 0
    for r in range(rows.shape[0]):
        i, player = rows[r], current_player[rows[r]]
        place = seats.players[i, player]
        code, is_open = seats.codes[place], seats.status[i] == WAITS and seats.actions[i] == UNDECIDED
        if is_open and player != seats.asked[i] and 0 <= code < networks.weights.shape[0]:
            answer(i, code, observation, mask, seats, networks, workspace)
            if place == seats.learner:
                seats.status[i] = WAITS  # it is imitated: the learner gets its action
            answered += 1
    return answered


def _own_policies(game: Game) -> tuple[Any, ...]:
    """The policies compiled for every pool of a game, used or not, so that pools of built-in agents share a kernel."""
    return kernels.random_policy, *rules.policies(game)


@functools.cache
def chain_of(game: Game, extra: tuple[Any, ...]) -> tuple[Any, dict[str, Any], str]:
    """A device function that plays any of the game's own policies and of `extra`, chosen by code; its parts by name; and a name
    for all of them together."""
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
    """Kernels for a game, its own policies and these: `play_rows`, in batches with or without histories, or kernels built of
    its parts."""
    chain, named, owner = chain_of(game, policies)
    parts = {function.__name__: plain(function) for function in functions}
    if functions is GAME_KERNELS:
        parts |= _WITH_HISTORY if history else _WITHOUT_HISTORY
    owner = f"{owner}.{'told' if history else 'seats'}"
    return bind({**kernels.SHARED, **parts}, {**game.functions, "other_policies": chain, **named}, owner)


class Pool:
    """Opponents, their probabilities, and their data for compiled play.

    Args:
        game: the game.
        agents: the opponents. Networks and agents with a compiled policy (`agent.policy`) play in compiled code; others are
            asked in batches (`act_batch`).
        weights: the relative probabilities of the agents (default: equal).
        history: the number of history tokens that batches keep for players outside the pool; the pool's agents may need more.

    Raises:
        ValueError: there are no agents, an agent cannot play batches, or the weights are invalid.
    """

    def __init__(self, game: Game, agents: Sequence[Agent], weights: Sequence[float] | None = None, history: int = 0) -> None:
        share = np.ones(len(agents)) if weights is None else np.asarray(weights, np.float64)
        if not len(agents) or share.shape != (len(agents),) or (share < 0).any() or not 0 < share.sum() < np.inf:
            raise ValueError(f"a pool needs opponents and a weight each, at least one of them positive, not {weights}")
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
            np.array([agent.is_equivariant for agent in networks], np.bool_),
            next((agent.rotations for agent in networks if agent.is_equivariant), NO_ROTATIONS),
        )
        self._workspaces: list[tuple[np.ndarray, Workspace | None]] = []  # free ones, left by threads that are done

    def __len__(self) -> int:
        return len(self.agents)

    def code_of(self, policy: Any) -> int:
        """The code of a policy; NOT_COMPILED for None."""
        return self._policies.get(policy, NOT_COMPILED)

    def codes_with(self, expert: Any) -> np.ndarray:
        """The agents' codes (int64) if the networks' expert is this policy, or None.

        Networks with another expert are then not compiled; those without an expert ignore it.
        """
        codes = []
        for agent, policy in zip(self.agents, self._policy_of_agent, strict=True):
            network, own_expert = self._networks.get(id(agent), (NOT_COMPILED, None))
            codes.append(network if network >= 0 and own_expert in (None, expert) else self.code_of(policy))
        return np.array(codes, np.int64)

    def __reduce__(self) -> tuple[Any, ...]:
        return Pool, (self.game, self.agents, self._share, self.history)

    def seats(self, batch: Batch, seed: int) -> Seats:
        """The initial `Seats` of a batch: the pool's first agent plays all seats, and no player is asked."""
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
        """Advance these rows (int64 [M], ascending) of a batch in compiled code, until each waits for the asked seat or for an
        agent that is not compiled, or its game has ended. Rows that wait have the observation and mask of the player to choose.
        """
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
        """Indices of opponents (int64), drawn by their weights."""
        drawn = np.searchsorted(self._cumulative, rng.random(shape), side="right")
        return np.minimum(drawn, len(self.agents) - 1)

    def actions(self, batch_views: BatchViews, rows: np.ndarray, places: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Actions of the opponents with these indices in the pool, int64 [M], asked in batches."""
        actions = np.empty(len(places), np.int64)
        for index in np.unique(places):
            own, agent = places == index, self.agents[index]
            actions[own] = agent.act_batch(batch_views.views(agent, rows[own]), rng)
        return actions


def _padded(arrays: list[np.ndarray], dtype: Any) -> np.ndarray:
    """Arrays of different lengths as rows of one array, padded."""
    rows = np.zeros((len(arrays), max(map(len, arrays), default=0)), dtype)
    for row, array in zip(rows, arrays, strict=True):
        row[: len(array)] = array
    return rows


def _policy_of(agent: Agent | None) -> Any:
    """An agent's compiled policy (a device function), or None."""
    policy = getattr(agent, "policy", None)
    return kernels.random_policy if isinstance(policy, str) and policy == "random" else policy
