"""One match: a deal, an agent in each seat, and forfeits.

Teams. In a game with teams, one entry plays all seats of a team. Each seat gets its own agent, made from the same agent string;
the agents share nothing and get only their seat's observations. (An agent given as an object plays all its seats itself.) An
entry may also be a mixed partnership, `rules + random`: one agent string per seat of the team, in the order of the seats.

Forfeits. An agent forfeits the match if it raises an exception or its process dies ("crash"), answers anything but a legal
action ("illegal"), exceeds its time for one decision or for the match ("timeout"), or cannot be made or breaks the bot protocol
("error"). It then gets the game's minimum return (in a game about money it keeps its losses but not its winnings) and ranks
behind all agents that did not forfeit. Its team mates forfeit with it, though they play on. Uniformly random legal actions
replace it for the rest of the match, so that the other teams get valid results. An agent forfeits a match at most once. An
agent that does not exist on this machine (a missing module or file) does not forfeit: it ends the league at once.

Time is wall time, without what wilddeck's compiler takes: a search may need a program that is not cached yet. Where the system
has timers (`signal.setitimer`) and the match runs in the main thread, a Python agent is interrupted when its time is up;
otherwise, and inside compiled code, its time is checked after the answer. Worker processes are also watched from outside
(`processes.py`).

Randomness and secrets. All randomness of a match derives from the league's seed and the match's id, so it does not depend on
order, process or executor. What agents get of it (the seed of `begin`, the generator of `act`) are keyed digests, which reveal
neither the seed nor any deal nor another seat's randomness. Agents get copies of observations, and their exceptions (also
`SystemExit` and other `BaseException`s) end only their own play. `os._exit` ends the process, which only the executor "process"
survives. An agent in this process could read hidden cards from memory: such agents are trusted. Only bots in their own
processes (`cmd:`) cannot.
"""

from __future__ import annotations

import contextlib
import math
import operator
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..agents import kind_of
from ..agents.base import Agent, AgentError, Unavailable, View
from ..agents.seeds import SECRET_BITS, agent_seed, keyed
from ..envs import game as find_game
from ..envs.core.aec import CardGameEnv
from ..envs.core.compiling import compiling
from ..envs.core.game import Game, Options, copied, state_digest
from .errors import LeagueError
from .ratings import ranks_of

FORFEITS = ("crash", "timeout", "illegal", "error")
_STATUS_OF_KIND = {"crash": "crash", "timeout": "timeout", "illegal": "illegal", "protocol": "error"}
_MESSAGE_LENGTH = 300
MAX_SECONDS = 1_000_000  # about eleven days; waiting for processes allows at most 2**31 milliseconds
_TICK_SECONDS = 0.25  # between checks whether the match was stopped
_PRACTICE_SEED = 0  # not secret
_PRACTICE_TRIES = 10


@dataclass(frozen=True)
class Settings:
    """The settings of a league. They are fixed when its file is created.

    Attributes:
        game: the game's id.
        options: all options of the game.
        rules: the digest of the game's rules when the league was created.
        seed: the seed of all randomness, deals included, 0..2**256-1. By default secret and random. A chosen seed makes the
            league reproducible, but a bot that knows it knows all deals.
        move_seconds: the time limit of a decision, at most MAX_SECONDS, as are the other limits.
        game_seconds: the time limit of all decisions of a seat in a match.
        start_seconds: the time limit for making an agent, for starting a bot, and for an agent's first decision in a process.
            None of this counts towards the other limits.
        disqualify_after: the number of forfeits after which an agent gets no more matches; None: no limit.
        duplicate: deal the same cards to all groups of agents in all rotations, which reduces the variance. Only for agents
            without memory: others would recognize a repeated deal. Otherwise each match has its own cards.
    """

    game: str
    options: dict[str, Any]
    rules: str
    seed: int = field(default_factory=lambda: secrets.randbits(SECRET_BITS), repr=False)
    move_seconds: float = 10.0
    game_seconds: float = 300.0
    start_seconds: float = 120.0
    disqualify_after: int | None = None
    duplicate: bool = False

    def __post_init__(self) -> None:
        texts = isinstance(self.game, str) and isinstance(self.rules, str)
        if not texts or not isinstance(self.options, dict):
            raise ValueError("game and rules must be strings, and options a dictionary")
        for name in ("move_seconds", "game_seconds", "start_seconds"):
            seconds = getattr(self, name)
            if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds <= MAX_SECONDS:
                raise ValueError(f"{name} must be a positive number of seconds, at most {MAX_SECONDS:,}, not {seconds!r}")
        if not _is_integer(self.seed, 0, 2**SECRET_BITS - 1):
            raise ValueError(f"seed must be an integer from 0 to 2**{SECRET_BITS} - 1, not {self.seed!r}")
        if self.disqualify_after is not None and not _is_integer(self.disqualify_after, 1, 2**31):
            raise ValueError(f"disqualify_after must be a positive integer or None, not {self.disqualify_after!r}")
        if not isinstance(self.duplicate, bool):
            raise ValueError(f"duplicate must be True or False, not {self.duplicate!r}")


def _is_integer(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def partners(spec: str) -> list[str]:
    """The agent strings of a mixed partnership, `rules + random + rules`; else the agent string itself. Command lines and
    placeholders of objects are never split."""
    single = spec.startswith("cmd:") or kind_of(spec) == "object"
    return [spec] if single else [part.strip() for part in spec.split(" + ")]


@dataclass(frozen=True)
class Entry:
    """An agent of a league.

    Attributes:
        name: the agent's name.
        spec: its agent string, a mixed partnership of several, or the placeholder of an object (`agents.text_of`).
        sha256: the digest of its weights files, or "".
    """

    name: str
    spec: str
    sha256: str = ""

    @property
    def kind(self) -> str:
        """The kind of its agent string (`agents.kind_of`), or "mixed"; with a custom `make` the part before the colon."""
        if len(partners(self.spec)) > 1:
            return "mixed"
        return kind_of(self.spec) or self.spec.partition(":")[0]

    def specs(self, seats: int) -> list[str]:
        """The agent string of each seat of a team with this number of seats.

        Raises:
            ValueError: a mixed partnership has another number of partners.
        """
        parts = partners(self.spec)
        if len(parts) not in (1, seats):
            table = "every seat plays for itself" if seats == 1 else f"a team has {seats} seats"
            raise ValueError(f"agent {self.spec!r} names {len(parts)} partners, but in this game {table}")
        return parts if len(parts) == seats else parts * seats


@dataclass(frozen=True)
class Match:
    """A match to play: the deal, and the entry of each seat."""

    id: str
    deal: int
    deal_seed: int
    rotation: int
    seats: tuple[Entry, ...]


class Forfeit(NamedTuple):
    """How an agent failed: one of FORFEITS, and a message."""

    status: str
    message: str


class PriorForfeit(NamedTuple):
    """A forfeit known before the match: from its decision number `decision` (0 = the first) on, the seat's agent is not asked.

    A match whose worker process died is completed this way: replayed up to that decision, then played on.
    """

    decision: int
    forfeit: Forfeit


@dataclass(frozen=True)
class Seat:
    """The result of a seat.

    Attributes:
        agent: the agent's name.
        returned: the seat's return; after a forfeit in its team the game's minimum return, in a game about money its loss or 0.
        rank: the number of teams that finished ahead of its team.
        status: "ok", or the kind of forfeit.
        message: the cause of a forfeit, "" if ok.
        moves: the number of actions that the agent chose; after a forfeit, random actions follow.
        seconds: the time of all its decisions.
    """

    agent: str
    returned: float
    rank: int
    status: str
    message: str
    moves: int
    seconds: float


@dataclass(frozen=True, eq=False)
class MatchResult:
    """A finished match: the result of each seat, all actions in order (uint32), and the digest of the final state."""

    id: str
    deal: int
    deal_seed: int
    rotation: int
    seats: list[Seat]
    actions: np.ndarray
    digest: str

    def packed_actions(self) -> bytes:
        return self.actions.astype("<u4").tobytes()

    @staticmethod
    def unpacked(actions: bytes) -> np.ndarray:
        return np.frombuffer(actions[: len(actions) // 4 * 4], "<u4").astype(np.uint32)


class _Overrun(BaseException):
    """The agent's time is up, or the match was stopped. Not an Exception, so that agents do not catch it by accident."""


class Stopped(BaseException):
    """The match was stopped."""


class _IllegalAnswerError(Exception):
    """The answer is not a legal action."""


class Clock:
    """Interrupts, where possible, calls that take too long or that `stop` ends. One per match."""

    def __init__(self, stop: Callable[[], bool] = lambda: False) -> None:
        self._interrupts = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        self._before: Any = None
        self._alarm = 0.0  # seconds until an alarm that was set before
        self._started = self._until = 0.0
        self.stop = stop

    def __enter__(self) -> Clock:
        if self._interrupts:
            self._alarm, _ = signal.setitimer(signal.ITIMER_REAL, 0)
            self._started = time.monotonic()
            self._before = signal.signal(signal.SIGALRM, self._ring)
        return self

    def __exit__(self, *_: object) -> None:
        if self._interrupts:
            signal.signal(signal.SIGALRM, self._before if self._before is not None else signal.SIG_DFL)
            if self._alarm:
                left = self._alarm - (time.monotonic() - self._started)
                signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3))

    def _ring(self, *_: object) -> None:
        if self.stop() or compiling.time_without() >= self._until:
            raise _Overrun
        self._set_alarm()

    def _set_alarm(self) -> None:
        left = self._until - compiling.time_without()
        signal.setitimer(signal.ITIMER_REAL, min(max(left, 1e-3), _TICK_SECONDS))

    @contextlib.contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """Raise _Overrun inside when the time is up."""
        if not self._interrupts:
            yield
            return
        self._until = compiling.time_without() + seconds
        self._set_alarm()
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def guarded(call: Callable[[], Any], seconds: float, clock: Clock) -> tuple[Any, Forfeit | None, float]:
    """Call an agent's code: its answer, or its forfeit; and the seconds it took, without those of wilddeck's compiler.

    Its exceptions are caught, except a KeyboardInterrupt while Python's own handler is in place (the runner replaces it).

    Raises:
        Stopped: the clock's `stop` is true, whatever the agent did.
        LeagueError: something that the agent needs is unavailable, which is not its fault.
    """
    answer, failure = None, None
    started = compiling.time_without()
    try:
        with clock.limit(seconds):
            answer = call()
    except _Overrun:
        failure = Forfeit("timeout", f"no answer within {seconds:.3g} s")
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            raise
        if isinstance(error, Unavailable):
            raise LeagueError(
                f"{error}; finished matches are saved, and a run with the same arguments continues from there"
            ) from None
        failure = _failure(error)
    if clock.stop():
        raise Stopped
    elapsed = compiling.time_without() - started
    if failure is None and elapsed > seconds:
        failure = Forfeit("timeout", f"answered after {elapsed:.3g} s instead of {seconds:.3g} s")
    return answer, failure, elapsed


def _failure(error: BaseException) -> Forfeit:
    if isinstance(error, _IllegalAnswerError):
        return Forfeit("illegal", str(error))
    status = "crash"
    if isinstance(error, AgentError):  # a bot process reports the kind
        status = _STATUS_OF_KIND.get(error.kind, "crash")
    return Forfeit(status, _line(f"{type(error).__name__}: {_text(str, error)}"))


def _text(convert: Callable[[Any], str], thing: Any) -> str:
    """str or repr of an object that may be hostile."""
    try:
        return str(convert(thing))
    except BaseException:
        return f"an unprintable {type(thing).__name__}"


def _line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MESSAGE_LENGTH else text[: _MESSAGE_LENGTH - 1] + "…"


class Position:
    """The current request of this process: the seat (-1: none), the number of its decision, and the deadline on the
    clock that stands still while this process compiles.

    Workers keep it in shared memory, so that the process that watches them knows which agent forfeits.
    """

    def __init__(self, memory: MutableSequence[float] | None = None) -> None:
        self._memory = [-1.0, 0.0, 0.0] if memory is None else memory

    @contextlib.contextmanager
    def asking(self, seat: int, decision: int, seconds: float) -> Iterator[None]:
        memory = self._memory
        memory[1], memory[2] = decision, compiling.time_without() + seconds
        memory[0] = seat
        try:
            yield
        finally:
            memory[0] = -1


class _Player:
    """A seat during a match: asks its agent, and after a forfeit plays at random."""

    def __init__(
        self,
        number: int,
        agent: Agent | None,
        forfeit: Forfeit | None,
        referee: Referee,
        match: Match,
        prior: PriorForfeit | None,
    ) -> None:
        secret = referee.settings.seed
        self.number, self.agent, self.forfeit, self.prior = number, agent, forfeit, prior
        self.settings, self.clock, self.position = referee.settings, referee.clock, referee.position
        self.rng = np.random.default_rng(keyed(secret, "act", match.id, number))
        self.stand_in = np.random.default_rng(keyed(secret, "stand-in", match.id, number))
        self.seed = agent_seed(secret, match.id, number)
        self.seconds, self.decision, self.moves, self.broken = 0.0, 0, 0, False

    def begin(self, env: CardGameEnv) -> None:
        """Tell the agent of the match. A bot whose process has ended is started again, within the time for that."""
        starts = hasattr(self.agent, "start_seconds")
        self._ask(lambda agent: agent.begin(env.game, env.options, self.number, self.seed), starts)

    def end(self, returns: np.ndarray) -> None:
        """Tell the agent its returns. The result is final by now; an agent that fails here is only made anew."""
        forfeited = self.forfeit
        self._ask(lambda agent: agent.end(self.number, returns.copy()))
        self.broken = self.forfeit is not None
        self.forfeit = forfeited

    def choose(self, env: CardGameEnv) -> int:
        """A legal action: the agent's, or a random one after a forfeit."""

        def ask(agent: Agent) -> int:
            answer = agent.act(_view(env), self.rng)
            try:
                action = int(operator.index(answer))
            except TypeError:
                raise _IllegalAnswerError(_line(f"answered {_text(repr, answer)}, which is not an action number")) from None
            if not env.is_legal(action):
                legal = ", ".join(map(str, env.legal_actions()[:8]))
                raise _IllegalAnswerError(f"answered {_line(_text(str, action))}, which is not legal; legal: {legal}")
            return action

        answer = self._ask(ask)
        if self.forfeit is not None:
            return int(self.stand_in.choice(env.legal_actions()))
        self.moves += 1
        return answer

    def _ask(self, call: Callable[[Agent], Any], starts: bool = False) -> Any:
        if self.forfeit is None and self.prior is not None and self.decision >= self.prior.decision:
            self.forfeit = self.prior.forfeit
        if self.forfeit is not None or self.agent is None:
            return None
        agent = self.agent
        seconds = min(self.settings.move_seconds, self.settings.game_seconds - self.seconds)
        seconds = math.inf if agent.keeps_time else self.settings.start_seconds if starts else seconds
        with self.position.asking(self.number, self.decision, seconds):
            answer, self.forfeit, elapsed = guarded(lambda: call(agent), seconds, self.clock)
        self.seconds += 0.0 if starts else elapsed
        self.decision += 1
        return answer


def _view(env: CardGameEnv) -> View:
    """The view of the player to move, in copies: an agent that writes into its arrays changes nothing."""
    agent = env.agent_selection
    seen = env.observe(agent)
    shown = copied(env.record), seen["observation"], seen["action_mask"].view(np.uint8)
    return View(env.game, env.options, *shown, env.past, lambda: env.history(agent), env.notes)


class Referee:
    """Plays matches of one league in this process. Agents are kept from match to match, and made anew after a failure.

    Args:
        settings: the league's settings.
        make: makes an agent: `make(spec, game, options, trust=...)`.
        trust: passed to `make`.
        position: where to record which seat is being asked.

    Attributes:
        stop: whether to stop; the current match then ends with `Stopped`.
    """

    def __init__(
        self, settings: Settings, make: Callable[..., Agent], trust: bool = False, position: Position | None = None
    ) -> None:
        self.settings, self.make, self.trust = settings, make, trust
        self.stop: Callable[[], bool] = lambda: False
        self.position, self.clock = position or Position(), Clock()
        game: Game = find_game(settings.game)
        self.env = CardGameEnv(game, game.make_options(settings.options))
        # The keys of agents are the entry's name and the place in the team, so that partners share nothing.
        self._place = {seat: (place, len(team)) for team in game.teams(self.env.options) for place, seat in enumerate(team)}
        self._agents: dict[tuple[str, int], Agent] = {}
        self._broken: set[tuple[str, int]] = set()  # to be made anew, once their match's result is safe
        self._practised: set[tuple[str, int]] = set()
        self._compile()

    def _compile(self) -> None:
        self.env.reset(seed=_PRACTICE_SEED)
        self.env.step(self.env.legal_actions()[0])

    def play(self, match: Match, priors: Mapping[int, PriorForfeit] | None = None) -> MatchResult:
        """Play a match.

        Args:
            match: the match.
            priors: forfeits by seat, from earlier attempts that ended the process.

        Raises:
            LeagueError: an agent does not exist here.
            Stopped: the match was stopped.
        """
        priors = priors or {}
        with Clock(self.stop) as self.clock:
            for key in self._broken:
                self._discard(key)
            self._broken = set()
            players = []
            for number, entry in enumerate(match.seats):
                prior = priors.get(number)
                agent, forfeit = (None, prior.forfeit) if prior and prior.decision < 0 else self._agent(number, entry)
                players.append(_Player(number, agent, forfeit, self, match, prior))
            actions, returns = self._play_out(match, players)
            for player in players:
                player.end(returns)
            for player, entry in zip(players, match.seats, strict=True):
                if player.broken:
                    self._broken.add((entry.name, self._place[player.number][0]))
        forfeited = [player.forfeit is not None for player in players]
        final, ranks = outcome(self.env.game, self.env.options, returns.tolist(), forfeited)
        seats = [
            Seat(entry.name, final[k], ranks[k], *(player.forfeit or Forfeit("ok", "")), player.moves, player.seconds)
            for k, (entry, player) in enumerate(zip(match.seats, players, strict=True))
        ]
        digest = state_digest(self.env.record)
        return MatchResult(match.id, match.deal, match.deal_seed, match.rotation, seats, np.array(actions, np.uint32), digest)

    def _play_out(self, match: Match, players: Sequence[_Player]) -> tuple[list[int], np.ndarray]:
        env = self.env
        env.reset(seed=match.deal_seed)
        for player in players:
            player.begin(env)
        actions = []
        while not over(env):
            action = players[env.current_player].choose(env)
            env.step(action)
            actions.append(action)
        return actions, np.array(list(env.returns.values()))

    def _agent(self, seat: int, entry: Entry) -> tuple[Agent | None, Forfeit | None]:
        """The agent of an entry. Its first decision in this process is a warm-up and does not count: it may
        have to import or compile something."""
        place, partners = self._place[seat]
        key = entry.name, place
        agent, failure = self._agents.get(key), None
        if agent is None:
            missing: list[Exception] = []

            def make() -> Agent:
                try:
                    return self.make(entry.specs(partners)[place], self.env.game, self.env.options, trust=self.trust)
                except (ImportError, OSError, ValueError) as error:
                    missing.append(error)
                    raise

            agent, failure, _ = self._at_start(seat, make)
            if missing:
                raise LeagueError(f"agent {entry.name!r} cannot be made here: {_line(_text(str, missing[0]))}")
            if agent is None or failure is not None:
                return None, Forfeit("error", _line(f"cannot be made: {failure.message if failure else 'nothing was made'}"))
            for name in ("move_seconds", "start_seconds"):  # the connection to a bot process has limits of its own
                if hasattr(agent, name):
                    setattr(agent, name, getattr(self.settings, name))
            self._agents[key] = agent
        if key not in self._practised and not agent.keeps_time:
            self._practised.add(key)
            _to_practice(self.env)
            self._at_start(seat, lambda: _practise(agent, self.env))
        return agent, None

    def _at_start(self, seat: int, call: Callable[[], Any]) -> tuple[Any, Forfeit | None, float]:
        seconds = self.settings.start_seconds
        with self.position.asking(seat, -1, seconds):
            return guarded(call, seconds, self.clock)

    def _discard(self, key: tuple[str, int]) -> None:
        agent = self._agents.pop(key, None)
        if agent is not None:
            guarded(agent.close, self.settings.move_seconds, self.clock)

    def close(self) -> None:
        """Close all agents."""
        with Clock() as self.clock:
            for key in list(self._agents):
                self._discard(key)


def outcome(game: Game, options: Options, returns: Sequence[float], forfeited: Sequence[bool]) -> tuple[list[float], list[int]]:
    """The final return and the rank of each seat. A team's return is the mean over its seats; it forfeits if a seat does."""
    teams, worst = game.teams(options), float(game.return_range(options)[0])
    out = [any(forfeited[seat] for seat in team) for team in teams]
    final = [float(value) for value in returns]
    for seat in (seat for team, lost in zip(teams, out, strict=True) if lost for seat in team):
        final[seat] = worst if game.money is None else min(final[seat], 0.0)
    by_team = ranks_of([math.fsum(final[seat] for seat in team) / len(team) for team in teams], out)
    ranks = {seat: rank for team, rank in zip(teams, by_team, strict=True) for seat in team}
    return final, [ranks[seat] for seat in range(len(final))]


def _to_practice(env: CardGameEnv) -> None:
    """A decision after as many random moves as there are players, or fewer where the game is over by then: a search that
    replays what the others did compiles at such a decision, not at the first."""
    rng = np.random.default_rng(_PRACTICE_SEED)
    for moves in reversed(range(env.options.num_players + 1)):
        for _ in range(_PRACTICE_TRIES):
            env.reset(seed=_PRACTICE_SEED)
            for _ in range(moves):
                if not over(env):
                    env.step(int(rng.choice(env.legal_actions())))
            if not over(env):
                return


def _practise(agent: Agent, env: CardGameEnv) -> None:
    agent.begin(env.game, env.options, env.current_player, _PRACTICE_SEED)
    agent.act(_view(env), np.random.default_rng(_PRACTICE_SEED))


def over(env: CardGameEnv) -> bool:
    """Whether a raw environment's game has ended."""
    return env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
