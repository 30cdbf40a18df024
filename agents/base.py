"""The agent protocol: the methods of an agent, and what it may see when it decides."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..envs.core import memory
from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import check_seed, game_kernels, row_seeds, slices
from ..envs.core.events import Event
from ..envs.core.facts import Fact, status
from ..envs.core.game import Game, Options, as_record, as_records
from ..envs.core.jit import bind
from ..envs.core.parts import ActionParts
from ..envs.core.past import Choose, Past
from ..envs.core.render.scene import Scene, by_seat
from ..envs.core.tokens import encode_history
from .thoughts import Thoughts
from .views import Memory, Views

if TYPE_CHECKING:  # bound to an agent's policy
    policy: Any

Policy = Callable[[np.ndarray, np.ndarray, int, np.uint64], int]

ERROR_KINDS = ("crash", "timeout", "illegal", "protocol")
_SAMPLES = 256  # drawn in one compiled call


class AgentError(RuntimeError):
    """An agent failed; the game is unchanged.

    Attributes:
        kind: "crash" (it died or raised), "timeout" (no answer in time), "illegal" (an illegal action), "protocol" (an invalid
            answer) or "unavailable" (see `Unavailable`).
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple[Any, ...]:
        return AgentError, (self.kind, str(self))


class Unavailable(AgentError):  # noqa: N818 - a kind of AgentError
    """Something that an agent needs, such as a server, cannot be reached or may no longer be used. This is not the agent's
    fault: the match stops, and can be continued later."""

    def __init__(self, message: str) -> None:
        super().__init__("unavailable", message)

    def __reduce__(self) -> tuple[Any, ...]:
        return Unavailable, (str(self),)


class View:
    """What the player to move may know. It is valid until the game continues, and reveals nothing that the seat does not know.

    Attributes:
        game, options: the game and its options.
        seat: the seat to move.
        observation: float32 [D], see the game's layout.
        action_mask: uint8 [A], 1 where legal.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        states: np.ndarray,
        observation: np.ndarray,
        mask: np.ndarray,
        past: Past | None = None,
        history: Callable[[], list[Event]] = list,
        notes: dict[Any, Any] | None = None,
    ) -> None:
        self._notes = {} if notes is None else notes
        self.game, self.options = game, options
        self.observation, self.action_mask = observation, mask
        self.seat = int(states["current_player"][0])

        # Closures, so that an agent is handed answers about its own seat and not the record.
        def sample(count: int, seed: int) -> np.ndarray:
            if count < 0:
                raise ValueError(f"cannot draw {count} samples; allowed: 0 or more")
            memory.check(f"{count} samples", count * states.dtype.itemsize)
            drawn, seeds = as_records(np.repeat(states, count)), row_seeds(check_seed(seed), count)
            for rows in slices(0, count, _SAMPLES):
                game_kernels(game)["determinize_games"](drawn[rows], self.seat, seeds[rows])
            return drawn.view(np.ndarray)

        def replay(samples: np.ndarray, seed: int, last: int, choose: Choose) -> np.ndarray | None:
            return None if past is None else past.replay(samples, self.seat, check_seed(seed), last, choose)

        self._sample, self._replay = sample, replay
        self._parts = lambda action: game.parts(as_record(states), action)
        self._history = history
        self._zones = lambda: game.zones(as_record(states), self.seat)
        self._facts = lambda: game.facts(options, as_record(states), self.seat)
        self._teams = lambda: game.teams_now(options, as_record(states))

    @classmethod
    def of(cls, env: CardGameEnv) -> View:
        """The view of the player to move in a (raw) environment."""
        agent = env.possible_agents[env.current_player]
        seen = env.observe(agent)
        mask = seen["action_mask"].view(np.uint8)
        shown = env.record, seen["observation"], mask
        return cls(env.game, env.options, *shown, env.past, lambda: env.history(agent), env.notes)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a View depends on the running game and cannot be copied; copy the parts you need")

    @property
    def legal_actions(self) -> np.ndarray:
        """The legal actions, int64, ascending."""
        return np.flatnonzero(self.action_mask)

    def label(self, action: int) -> str:
        """The text of a legal action; raises ValueError for any other."""
        return self.parts(action).text

    def parts(self, action: int) -> ActionParts:
        """The label of a legal action as data: the verb, and the cards, ranks, seats, amounts, ... that it names."""
        if not 0 <= action < len(self.action_mask) or not self.action_mask[action]:
            raise ValueError(f"action {action} is not legal; legal: {self.legal_actions[:8].tolist()}")
        return self._parts(action)

    def history(self) -> list[Event]:
        """All events since the start of the game, as the seat perceived them (see `CardGameEnv.history`)."""
        return self._history()

    def memory(self, agent: Agent) -> Memory:
        """An agent's memory of this game, for all its seats: empty in a new game and in a copy of one."""
        key = id(agent)
        if key not in self._notes:
            self._notes[key] = agent, Memory(1, self.options.num_players)
        return self._notes[key][1]

    def alone(self, agent: Agent) -> Views:
        """This view as `Views` of one game, for `act_batch`."""
        memory, row, seats = self.memory(agent), np.zeros(1, np.int64), np.array([self.seat])
        size, players = agent.history, self.options.num_players
        tokens, length = encode_history(self.history() if size else [], self.seat, players, size)
        history = tokens[None], np.array([length])
        resets = memory.ask(row, seats, row)
        return Views(self.observation[None], self.action_mask[None], row, seats, row, resets, *history, memory)

    def zones(self) -> dict[str, list[int]]:
        """The cards in each zone as far as the seat knows them (see `CardGameEnv.zones`); hidden cards are -1."""
        return self._zones()

    def teams(self) -> tuple[tuple[int, ...], ...]:
        """The current teams (see `CardGameEnv.teams`)."""
        return self._teams()

    def facts(self) -> list[Fact]:
        """Facts about the state of the game that the seat knows (see `CardGameEnv.facts`)."""
        return self._facts()

    def describe(self) -> str:
        """The facts in words."""
        return status(self.facts())

    def scene(self) -> Scene:
        """What the seat sees, for drawing: the zones of each seat, the facts, and the trick that was just won."""
        game, players = self.game, self.options.num_players
        seats, common = by_seat(self.zones(), players, game.zone_roles)
        names = tuple(f"player_{seat}" for seat in range(players))
        title = f"{game.title}, {players} players"
        scene = Scene(title, tuple(self.facts()), names, seats, common, self.seat, None, self.seat, game.cards, game.zone_roles)
        return scene.with_trick(game, self.history())

    def sample(self, count: int, seed: int) -> np.ndarray:
        """Draw `count` determinizations (records): complete states that the seat cannot distinguish from the true one.

        Equal information sets and equal seeds give equal samples. Future chance is drawn anew in each.

        Raises:
            ValueError: the count is negative, the seed is invalid, or the samples need too much memory.
        """
        return self._sample(count, seed)

    def replay(self, samples: np.ndarray, seed: int, last: int, choose: Choose) -> np.ndarray | None:
        """Replay this hand as it went, but with the hidden cards of samples (from `sample`).

        Where others chose cards that the seat did not see, they may choose others now: `choose` decides, among the actions that
        look to the seat like the one that was played. It is asked in the last `last` turns of the others (at least 1), in
        order, as `choose(rows, observation, action_mask, alike)`: which samples decide (int64 [R]), what the player to move
        sees there and can do (float32 [R, D], uint8 [R, A]), and which actions look alike (uint8 [R, A]). It returns one of
        these for each row (int64 [R]).

        This reveals nothing that the seat does not know (`envs/core/past.py`).

        Returns:
            uint8 [len(samples)], 0 for samples in which the hand cannot have gone this way. The others are replaced, in
            `samples`, by the states that were reached, unless cards of other suits were seen on the way. None if the hand
            cannot be replayed: after a shuffle during the hand, if card ids repeat, and before a determinization.
        """
        return self._replay(samples, seed, last, choose)


class Agent:
    """A player of a game. Subclasses implement `act_batch`, or `act` if they need more than `Views` offers.

    An agent keeps no state between games and takes all randomness from `rng`, so that matches can be replayed. One agent may
    play several seats of a game, and several games at once; it stores what it remembers within a game by `Views.remember` and
    reads it by `Views.recall`. `wilddeck.agents.make` makes agents for one game and its options.

    Attributes:
        name: shown in tables.
        history: the number of history tokens that the agent gets (`Views.history`); 0: none.
        keeps_time: whether the agent limits its own time, because it waits for servers; no other clock runs.
    """

    name = "agent"
    history = 0
    keeps_time = False

    def begin(self, game: Game, options: Options, seat: int, seed: int) -> None:
        """Called for each seat when a game begins. The default does nothing.

        An agent that overrides `begin` or `end` plays one game at a time. In batches, `Views.resets` marks new games instead.
        """

    def act(self, view: View, rng: np.random.Generator) -> int:
        """Choose a legal action for the player to move. The default calls `act_batch` with one game."""
        return int(self.act_batch(view.alone(self), rng)[0])

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        """Choose a legal action in each of M games.

        Args:
            views: the observations, masks and histories of the M games.
            rng: the source of all randomness.

        Returns:
            int64 [M].

        Raises:
            NotImplementedError: the agent plays one game at a time (a search agent, say).
        """
        raise NotImplementedError(f"{self.name} plays one game at a time")

    def log_probs(self, views: Views, actions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The log-probabilities with which `act_batch` chooses these actions, float32 [M]; NaN where unknown, as by default.

        Args:
            views, actions: the arguments of `act_batch` and its answers, int64 [M].
            rng: in the same state as when `act_batch` got it.
        """
        return np.full(len(views), np.nan, np.float32)

    def thoughts(self, view: View, rng: np.random.Generator) -> Thoughts:
        """The agent's evaluation of the legal actions at this decision. The default gives only the action it would play."""
        return Thoughts(np.array([self.act(view, rng)]), np.ones(1))

    @property
    def plays_batches(self) -> bool:
        """Whether the agent can play in batches: it has `act_batch`, and neither `begin` nor `end`, which batches do not
        call."""
        own = type(self)
        return own.act_batch is not Agent.act_batch and own.begin is Agent.begin and own.end is Agent.end

    def keep_exchanges(self, path: Path) -> None:
        """Store requests to servers and their answers in this file, and repeat no request. The default does nothing."""

    def end(self, seat: int, returns: np.ndarray) -> None:
        """Called for each seat when a game has ended (`returns` float64 [P]). The default does nothing."""

    def close(self) -> None:
        """Release resources such as a process. Any code that used an agent may close it: an agent that is used again acquires
        them again."""

    def __repr__(self) -> str:
        return f"<Agent {self.name}>"


class NetworkAgent(Agent):
    """An agent that is a network, as learners make: it can be copied, kept in a checkpoint and written to a file."""

    def like(self, tensors: Mapping[str, np.ndarray] | None = None, greedy: bool = False) -> NetworkAgent:
        """A copy with these weights (named as in `tensors`; None: the same).

        Args:
            greedy: play the likeliest action instead of sampling.
        """
        raise NotImplementedError

    def tensors(self) -> dict[str, np.ndarray]:
        """The weights by name, as in a file."""
        raise NotImplementedError

    def save(
        self,
        path: Path | str,
        game: Game | str,
        options: Options | Mapping[str, Any] | None = None,
        training: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the weights and their description to a `.safetensors` or `.npz` file, atomically.

        Args:
            game, options: a game or its id, and options or a mapping.
            training: information for the file, in JSON types (steps, seed, evaluations).

        Raises:
            ValueError: the path has another suffix, or the network does not fit the game.
            OSError: the file could not be written; an existing file is kept.
        """
        raise NotImplementedError


def check_batches(agent: Agent, name: str, cannot: str) -> None:
    """Raise if an agent cannot play in batches.

    Args:
        name: the agent's name in the message.
        cannot: the consequence, in the message.

    Raises:
        ValueError: the agent plays one game at a time; the message says why.
    """
    if not agent.plays_batches:
        unheard = type(agent).act_batch is not Agent.act_batch
        why = " (it has `begin` or `end`, which are not called in batches)" if unheard else ""
        raise ValueError(
            f"{name} plays one game at a time{why}, {cannot}; these agents play in batches: random, rules, trained, weights "
            "files, and agents with `act_batch` and without `begin` and `end`"
        )


def kernel_array(array: np.ndarray, dtype: Any) -> np.ndarray:
    """The array in the form that compiled policies expect, C-contiguous and writable; another form would compile them again."""
    return np.require(array, dtype, ("C", "W"))


def check_shapes(name: str, sizes: tuple[int, int], observation: np.ndarray, action_mask: np.ndarray) -> None:
    """Raise ValueError unless observations and masks have the sizes that the agent takes, and equal lengths."""
    if (observation.shape[1:], action_mask.shape[1:]) != ((sizes[0],), (sizes[1],)) or len(observation) != len(action_mask):
        raise ValueError(
            f"{name} takes observations [M, {sizes[0]}] and masks [M, {sizes[1]}], not "
            f"{list(observation.shape)} and {list(action_mask.shape)}"
        )


def _policy_actions(observation, mask, num_players, noise, actions):  # type: ignore[no-untyped-def]
    for i in range(observation.shape[0]):
        actions[i] = policy(observation[i], mask[i], num_players, noise[i])  # noqa: F821


@functools.cache
def _bound(policy: Policy) -> Any:
    owner = f"{getattr(policy, '__module__', '').rpartition('.')[2]}.{getattr(policy, '__name__', 'policy')}"
    return bind({"actions": _policy_actions}, {"policy": policy}, owner)["actions"]


class PolicyAgent(Agent):
    """An agent that is a compiled policy over the observation: `policy(observation, mask, num_players, noise) -> action`.

    It can also play in compiled rollouts (`batch.rollout(steps, policy=agent.policy)`).

    Args:
        name: shown in tables.
        policy: the compiled function.
        num_players: passed to the policy.
        sizes: the required sizes D and A of observations and masks, checked (ValueError) because compiled code does not check
            array bounds. None: any.
    """

    def __init__(self, name: str, policy: Policy, num_players: int, sizes: tuple[int, int] | None = None) -> None:
        self.name, self.policy, self.num_players, self.sizes = name, policy, num_players, sizes

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        observation, action_mask = views.observation, views.action_mask
        check_shapes(self.name, self.sizes or (observation.shape[-1], action_mask.shape[-1]), observation, action_mask)
        actions = np.empty(len(observation), np.int64)
        noise = rng.integers(0, 2**64, len(observation), np.uint64)
        observation, action_mask = kernel_array(observation, np.float32), kernel_array(action_mask, np.uint8)
        _bound(self.policy)(observation, action_mask, self.num_players, noise, actions)
        return actions
