"""The protocol of agents: what an agent is asked, and what it may see when it is."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
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
from ..envs.core.past import Past
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
    """An agent failed; the game stands as it was.

    Attributes:
        kind: "crash" (it died or raised), "timeout" (no answer in time), "illegal" (an action that is not legal), "protocol"
            (an answer that is no answer) or "unavailable" (see `Unavailable`).
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple[Any, ...]:
        return AgentError, (self.kind, str(self))


class Unavailable(AgentError):  # noqa: N818 - a kind of AgentError
    """What an agent needs, a server say, cannot be asked, or must not be any more. That is nobody's play: who plays stops, and
    may go on another time."""

    def __init__(self, message: str) -> None:
        super().__init__("unavailable", message)

    def __reduce__(self) -> tuple[Any, ...]:
        return Unavailable, (str(self),)


class View:
    """What the player to move may see; good until the game goes on. Nothing in it tells more than that seat knows.

    Attributes:
        game, options: what is played.
        seat: the seat that is asked.
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

        def decisions(samples: np.ndarray, seed: int, last: int) -> Iterator[tuple[np.ndarray, ...]]:
            yield from () if past is None else past.decisions(samples, self.seat, check_seed(seed), last)

        self._sample, self._decisions = sample, decisions
        self._parts = lambda action: game.parts(as_record(states), action)
        self._history = history
        self._zones = lambda: game.zones(as_record(states), self.seat)
        self._facts = lambda: game.facts(options, as_record(states), self.seat)
        self._teams = lambda: game.teams_now(options, as_record(states))

    @classmethod
    def of(cls, env: CardGameEnv) -> View:
        """What the player to move of a (raw) environment sees."""
        agent = env.possible_agents[env.current_player]
        seen = env.observe(agent)
        mask = seen["action_mask"].view(np.uint8)
        shown = env.record, seen["observation"], mask
        return cls(env.game, env.options, *shown, env.past, lambda: env.history(agent), env.notes)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a View answers for the game as it stands and cannot be copied; copy what you need of it")

    @property
    def legal_actions(self) -> np.ndarray:
        """int64, ascending."""
        return np.flatnonzero(self.action_mask)

    def label(self, action: int) -> str:
        """The text of a legal action (ValueError for another one)."""
        return self.parts(action).text

    def parts(self, action: int) -> ActionParts:
        """As `label`, as data: the verb, and the cards, ranks, seats, amounts, ... that the label names."""
        if not 0 <= action < len(self.action_mask) or not self.action_mask[action]:
            raise ValueError(f"action {action} is not legal; legal: {self.legal_actions[:8].tolist()}")
        return self._parts(action)

    def history(self) -> list[Event]:
        """What happened since the start of the game, as the seat perceived it (see `CardGameEnv.history`)."""
        return self._history()

    def memory(self, agent: Agent) -> Memory:
        """What an agent remembers of this game, of all its seats: empty in a new game, and in a copy of one."""
        key = id(agent)
        if key not in self._notes:
            self._notes[key] = agent, Memory(1, self.options.num_players)
        return self._notes[key][1]

    def alone(self, agent: Agent) -> Views:
        """The same as `Views`, of one game in which this agent is asked."""
        memory, row, seats = self.memory(agent), np.zeros(1, np.int64), np.array([self.seat])
        size, players = agent.history, self.options.num_players
        tokens, length = encode_history(self.history() if size else [], self.seat, players, size)
        history = tokens[None], np.array([length])
        resets = memory.ask(row, seats, row)
        return Views(self.observation[None], self.action_mask[None], row, seats, row, resets, *history, memory)

    def zones(self) -> dict[str, list[int]]:
        """The cards by zone as the seat can know them (see `CardGameEnv.zones`), those hidden from it as -1."""
        return self._zones()

    def teams(self) -> tuple[tuple[int, ...], ...]:
        """The seats that play together now (see `CardGameEnv.teams`)."""
        return self._teams()

    def facts(self) -> list[Fact]:
        """What there is to say of the game to the seat (see `CardGameEnv.facts`)."""
        return self._facts()

    def describe(self) -> str:
        """The same in words."""
        return status(self.facts())

    def scene(self) -> Scene:
        """What the seat sees, as it is drawn: the zones by seat, what is public in words, and the trick that was just won."""
        game, players = self.game, self.options.num_players
        seats, common = by_seat(self.zones(), players, game.zone_roles)
        names = tuple(f"player_{seat}" for seat in range(players))
        title = f"{game.title}, {players} players"
        scene = Scene(title, tuple(self.facts()), names, seats, common, self.seat, None, self.seat, game.cards, game.zone_roles)
        return scene.with_trick(game, self.history())

    def sample(self, count: int, seed: int) -> np.ndarray:
        """`count` complete games (records) drawn at random among those the seat cannot tell from the true one.

        Equal knowledge and equal seeds give equal samples; the coming chance is drawn anew in each.

        Raises:
            ValueError: a negative count, a seed that is none, or more samples than there is memory for.
        """
        return self._sample(count, seed)

    def decisions(self, samples: np.ndarray, seed: int, last: int) -> Iterator[tuple[np.ndarray, ...]]:
        """The others' last decisions of this hand, at most `last`, one after another: what they would have seen and could have
        done with the cards of these samples, which `sample` made.

        Nothing tells more than the seat knows (`envs/core/past.py`). There are none where the hand cannot be played again:
        after a shuffle within it, where ids of cards repeat, and before a game was determinized.

        Yields:
            possible uint8 [len(samples)], 0 of samples in which it cannot have come so, observation float32 [len(samples), D]
            and action_mask uint8 [len(samples), A] of who decided, and the actions that look to the seat like what was
            played, uint8 [len(samples), A]. The same arrays each time; `possible` holds for the whole hand after the last.
        """
        return self._decisions(samples, seed, last)


class Agent:
    """A player of a game. Subclasses implement `act_batch`, or `act` if they need more than `Views` show.

    An agent keeps nothing from game to game and takes its randomness from `rng` only, so a match can be replayed; one agent
    may sit on several seats of a game, and play in several places at once. What it remembers within a game it keeps in what it
    is shown (`Views.recall`, `Views.remember`). Agents are made for one game and its options by `wilddeck.agents.make`.

    Attributes:
        name: shown in tables.
        history: how many tokens of what its seat has perceived it wants to be shown (`Views.history`); 0: none.
        keeps_time: it keeps the time of its answers itself, and waits for others, whose time is not its own: no clock runs.
    """

    name = "agent"
    history = 0
    keeps_time = False

    def begin(self, game: Game, options: Options, seat: int, seed: int) -> None:
        """Called for each seat when a game begins, for agents that must prepare. The default does nothing.

        An agent with a `begin` or `end` of its own is played one game at a time: of games in batches `Views.resets` tells which
        have begun.
        """

    def act(self, view: View, rng: np.random.Generator) -> int:
        """A legal action for the player to move. The default asks `act_batch` for one game."""
        return int(self.act_batch(view.alone(self), rng)[0])

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        """Legal actions (int64 [M]) for M games that wait for this agent.

        Args:
            views: what they show.
            rng: the source of all randomness.

        Raises:
            NotImplementedError: this agent needs more (a search agent, say) and plays one game at a time.
        """
        raise NotImplementedError(f"{self.name} plays one game at a time")

    def log_probs(self, views: Views, actions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The logarithms of how likely `act_batch` was to answer so, float32 [M]; nan where an agent cannot say, as by default.

        Args:
            views, actions: what it was asked and what it answered, int64 [M].
            rng: in the state in which `act_batch` was given it.
        """
        return np.full(len(views), np.nan, np.float32)

    def thoughts(self, view: View, rng: np.random.Generator) -> Thoughts:
        """What it thinks at the decision of the player to move. By default no more than what it would play."""
        return Thoughts(np.array([self.act(view, rng)]), np.ones(1))

    @property
    def plays_batches(self) -> bool:
        """Whether it may be asked by the batch: it has an `act_batch`, and no `begin` or `end`, which batches do not call."""
        own = type(self)
        return own.act_batch is not Agent.act_batch and own.begin is Agent.begin and own.end is Agent.end

    def keep_exchanges(self, path: Path) -> None:
        """Keep what it asks others, such as a server, in this file, and ask nothing twice. The default asks nobody."""

    def end(self, seat: int, returns: np.ndarray) -> None:
        """Called for each seat when a game has ended (`returns` float64 [P]). The default does nothing."""

    def close(self) -> None:
        """Release what the agent holds (a process, say). Who has played with an agent may close it, also one that was given to
        them: an agent that is asked again takes what it needs again."""

    def __repr__(self) -> str:
        return f"<Agent {self.name}>"


class NetworkAgent(Agent):
    """An agent that is a network: it can be copied, kept in a checkpoint, and written to a file. What learners make."""

    def like(self, tensors: Mapping[str, np.ndarray] | None = None, greedy: bool = False) -> NetworkAgent:
        """A network of the same kind with these weights (as `tensors` gives them), or its own.

        Args:
            greedy: it plays the likeliest action instead of sampling.
        """
        raise NotImplementedError

    def tensors(self) -> dict[str, np.ndarray]:
        """The weights by their names in a file."""
        raise NotImplementedError

    def save(
        self,
        path: Path | str,
        game: Game | str,
        options: Options | Mapping[str, Any] | None = None,
        training: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the weights and what they are for; `.safetensors` or `.npz` by the path's ending.

        The file is replaced in one step.

        Args:
            game, options: what it plays: a game or its id, and options or a mapping.
            training: anything JSON can hold that is worth knowing (steps, seed, evaluations).

        Raises:
            ValueError: another ending, or the network does not fit the game.
            OSError: the file could not be written; one that was there is kept.
        """
        raise NotImplementedError


def check_batches(agent: Agent, name: str, cannot: str) -> None:
    """Refuse an agent that plays one game at a time.

    Args:
        name: what it is called in the message.
        cannot: what it is no use for.

    Raises:
        ValueError: it plays no batches; the message says why.
    """
    if not agent.plays_batches:
        unheard = type(agent).act_batch is not Agent.act_batch
        why = " (it has `begin` or `end`, which are not called in batches)" if unheard else ""
        raise ValueError(
            f"{name} plays one game at a time{why}, {cannot}; agents that play by the batch: random, rules, trained, weights "
            "files, and those with `act_batch` and neither `begin` nor `end`"
        )


def kernel_array(array: np.ndarray, dtype: Any) -> np.ndarray:
    """The array as compiled policies take it: C-contiguous and writable, or they would be compiled once more."""
    return np.require(array, dtype, ("C", "W"))


def check_shapes(name: str, sizes: tuple[int, int], observation: np.ndarray, action_mask: np.ndarray) -> None:
    """Refuse observations and masks of other sizes than an agent takes, and other numbers of the two (ValueError)."""
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

    Such an agent plays single games, batches and rollouts inside compiled code (`batch.rollout(steps, policy=agent.policy)`).

    Args:
        sizes: of the observations and masks that the policy reads, which must be no others (ValueError): compiled code does not
            look where an array ends. None: any.
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
