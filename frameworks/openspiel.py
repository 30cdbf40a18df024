"""The games as OpenSpiel games, for its search, its solvers and its learners (extra `openspiel`).

    from wilddeck.frameworks import openspiel

    game = openspiel.load_game("tennis_v0", num_players=2)     # or pyspiel.load_game("wilddeck_tennis_v0(num_players=2)")
    state = game.new_initial_state()

Importing this module registers all games with OpenSpiel. See docs/guides/openspiel.md.

All chance comes first: chance nodes draw the deal, and with it every shuffle and every lot of the episode. That is the same
game, as nobody learns of chance before the rules tell him. By default four nodes draw a byte each of the deal's number k;
then the state is that of `env.reset(seed=k)`.

A state holds a `Moment`, which never changes: a copy costs next to nothing, and a step is one compiled call.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..envs import game as find_game
from ..envs import game_ids
from ..envs.core import options as opt
from ..envs.core.aec import ENDED, PENDING_DEAL, IllegalActionError
from ..envs.core.batch import game_kernels, noise_counters, policy_kernels, row_seeds
from ..envs.core.deck import checked_deck
from ..envs.core.game import Game, Options, as_record, as_records, copied

try:
    import pyspiel
except ImportError as error:
    needed = "OpenSpiel's algorithms need the extra `openspiel`: pip install 'wilddeck[openspiel]', on Python 3.11 or newer"
    raise ImportError(f"{needed} ({error})") from error

from .openspiel_observers import observer

PREFIX = "wilddeck_"
SEED_BYTES = 4  # chance nodes that draw a deal
MAX_DEALS = 10_000  # outcomes of one chance node
MAX_SEARCHED = 5_000  # moments tried for a sample among given deals
MAX_TENSOR = 2**16  # entries; a longer history has no information state tensor, only a string
NO_ACTION = -1
_CHANCE, _TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
_GAMES: dict[str, Game] = {}  # all that are registered with OpenSpiel, by id


def load_game(
    game: str | Game,
    decks: Sequence[Sequence[int]] | None = None,
    deals: int = 0,
    step_rewards: bool = False,
    **options: Any,
) -> WilddeckGame:
    """A wilddeck game as an OpenSpiel game.

    Args:
        game: an id such as `tennis_v0`, or a game that is not in the registry.
        decks: the first deal is one of these lists of card ids, each equally likely; deals beyond are shuffled.
        deals: a single chance node with so many equally likely outcomes. Outcome k plays what `env.reset(seed=k)` plays, with
            `decks` that of number k modulo their number: give a multiple of it where chance is more than the deck.
            0: as many as there are decks, or without decks 2**32, drawn a byte at each of four chance nodes.
        step_rewards: pay rewards when they are earned. By default all are paid at the end, which search algorithms demand.
        options: of the game; one that is called decks or deals as decks_ or deals_.

    Raises:
        ValueError: an unknown game or option, a value that is not allowed, or a deck that cannot be dealt.
    """
    found = find_game(game)
    declared = _declared(found)
    checked = found.make_options({declared[name].name if name in declared else name: value for name, value in options.items()})
    register(found)
    parameters = {name: _as_parameter(getattr(checked, declared[name].name), declared[name]) for name in options}
    if decks is not None:
        given = [" ".join(map(str, checked_deck(found, checked, deck))) for deck in decks]
        if not given:
            raise ValueError("no decks are given; leave decks out to shuffle")
        parameters["decks"] = "/".join(given)
    if deals:
        parameters["deals"] = deals
    if step_rewards:
        parameters["step_rewards"] = True
    return pyspiel.load_game(PREFIX + found.id, parameters)


def register(game: Game) -> None:
    """Make a game known to `pyspiel.load_game` as `wilddeck_<id>`; those of wilddeck's registry are."""
    if _GAMES.get(game.id) is not game:
        _GAMES[game.id] = game
        # A class, because OpenSpiel lets go of what it was given after Python has ended: a class then just stays.
        own_class = type(f"{game.title.title().replace(' ', '')}Game", (WilddeckGame,), {"game": game, "__doc__": game.title})
        pyspiel.register_game(game_type(Rules(game, game.options())), own_class)


# --- parameters ---

_FLAGS = {"True": True, "False": False}
_PARTS = 10_000  # of which rewards are whole numbers, as good as
_ONE = ";"  # after several numbers that are one
_NUMERIC = frozenset("0123456789+-.")
_OWN_PARAMETERS: dict[str, Any] = {"decks": "", "deals": 0, "step_rewards": False}


def _declared(game: Game) -> dict[str, Field[Any]]:
    """The options of a game by the names of their parameters: one that is called like a parameter of the adapter ends in _."""
    options = [each for each in fields(game.options) if each.default is not MISSING]
    return {f"{each.name}_" if each.name in _OWN_PARAMETERS else each.name: each for each in options}


def _as_parameter(value: Any, option: Field[Any]) -> Any:
    """An option as OpenSpiel takes it: a parameter has one type, so a number or flag that may also be a name is written in
    quotes, and so is a name that looks like a number, such as 9-11."""
    if isinstance(value, str):
        return f"'{value}'" if _NUMERIC.issuperset(value) else value
    if option.type in ("bool", "int", bool, int) and isinstance(option.default, int):
        return value
    if value is None:
        return opt.NONE
    if isinstance(value, tuple):
        return "'" + " ".join(map(str, value)) + _ONE * (len(value) == 1) + "'"
    return f"'{value}'"


def _from_parameter(value: Any, option: Field[Any]) -> Any:
    if not isinstance(value, str) or not value.startswith("'"):
        return value
    text = value.strip("'")
    if text in option.metadata["samples"](1):  # a name that looks like a number
        return text
    values = tuple(
        _FLAGS[word] if word in _FLAGS else float(word) if "." in word else int(word) for word in text.rstrip(_ONE).split()
    )
    return values if len(values) > 1 or isinstance(option.default, tuple) or text.endswith(_ONE) else values[0]


def _read_decks(text: str) -> list[list[int]]:
    return [[int(card) for card in deck.split()] for deck in text.split("/")] if text else []


# --- what moments of a game share ---


@dataclass(frozen=True)
class Rules:
    """A game with its options and its chance.

    Raises:
        ValueError: the number of deals is out of range or no multiple of that of the decks, or a deck cannot be dealt.
    """

    game: Game
    options: Options
    decks: tuple[tuple[int, ...], ...] = ()
    deals: int = 0
    step_rewards: bool = False

    def __post_init__(self) -> None:
        for deck in self.decks:
            checked_deck(self.game, self.options, deck)
        if not 0 <= self.deals <= MAX_DEALS or len(self.decks) > MAX_DEALS:
            raise ValueError(f"deals={self.deals} is not allowed; allowed: 0..{MAX_DEALS}, and no more decks")
        if self.decks and self.deals % len(self.decks):
            raise ValueError(f"deals={self.deals} is no multiple of the {len(self.decks)} decks")

    @functools.cached_property
    def kernels(self) -> dict[str, Any]:
        return game_kernels(self.game)

    @functools.cached_property
    def template(self) -> np.ndarray:
        return self.game.template(self.options)

    @functools.cached_property
    def num_players(self) -> int:
        return self.options.num_players

    @functools.cached_property
    def num_actions(self) -> int:
        return self.game.num_actions(self.options)

    @functools.cached_property
    def observation_size(self) -> int:
        return self.game.observation_size(self.options)

    @functools.cached_property
    def reward_sum(self) -> float | None:
        return self.game.reward_sum(self.options)

    @functools.cached_property
    def return_range(self) -> tuple[float, float]:
        return self.game.return_range(self.options)

    @functools.cached_property
    def layout(self) -> dict[str, slice]:
        return self.game.observation.slices(self.num_players)

    @functools.cached_property
    def outcomes(self) -> tuple[int, ...]:
        """How many each chance node has."""
        only = self.deals or len(self.decks)
        return (only,) if only else (256,) * SEED_BYTES

    @functools.cached_property
    def is_finite(self) -> bool:
        """Whether a single chance node draws one of some deals."""
        return len(self.outcomes) == 1

    def deals_seen(self, player: int, seen: bytes) -> list[int]:
        """Of a finite game the deals that show a player this at first, ascending."""
        found = self._first_views.get(player)
        if found is None:
            found = self._first_views[player] = {}
            for number in range(self.outcomes[0]):
                view = self.deal(number).observation(player).tobytes()
                found.setdefault(_digest(view), []).append(number)
        return found.get(_digest(seen), [])

    @functools.cached_property
    def _first_views(self) -> dict[int, dict[bytes, list[int]]]:
        return {}

    @functools.cached_property
    def recall_shape(self) -> tuple[int, int] | None:
        """Rows and columns of the information state tensor, None where it would be too large."""
        shape = self.game.max_length(self.options) + 1, self.num_actions + self.observation_size
        return shape if shape[0] * shape[1] <= MAX_TENSOR else None

    def buffers(self) -> tuple[np.ndarray, np.ndarray]:
        """For an observation and a mask; kernels clear them."""
        return np.empty(self.observation_size, np.float32), np.empty(self.num_actions, np.uint8)

    def deal(self, number: int) -> Moment:
        """The moment at which somebody is first to move."""
        record = self.template.copy()
        record["seed"][0] = number
        if self.decks:
            deck = self.decks[number % len(self.decks)]
            record["deck"][0][: len(deck)] = deck
        observation, mask = self.buffers()
        status = self.kernels["start_single"](record, bool(self.decks), observation, mask)
        return self.settle(record, status, observation, mask)

    def settle(self, record: np.ndarray, status: int, observation: np.ndarray, mask: np.ndarray, *before: Any) -> Moment:
        """The moment after the deals that are called for."""
        while status == PENDING_DEAL:
            status = self.kernels["start_single"](record, False, observation, mask)
        return Moment(self, record, status == ENDED, observation, mask, *before)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rules, (self.game.id, self.options, self.decks, self.deals, self.step_rewards)


@functools.lru_cache(maxsize=64)
def _shared(rules: Rules) -> Rules:
    """Equal rules are one object."""
    return rules


def _rules(game_id: str, *parts: Any) -> Rules:
    return _shared(Rules(_GAMES[game_id], *parts))


# --- moments ---


class Recall(NamedTuple):
    """What a player has seen and done: the last change of his view, the action of his that led to it, and all before."""

    digest: bytes
    action: int
    seen: bytes
    before: Recall | None

    @classmethod
    def of(cls, before: Recall | None, action: int, seen: bytes) -> Recall:
        past = b"" if before is None else before.digest
        content = past + action.to_bytes(4, "little", signed=True) + seen
        return cls(hashlib.blake2b(content, digest_size=16).digest(), action, seen, before)

    def entries(self) -> list[tuple[int, bytes]]:
        """Actions and views, oldest first."""
        return [(recall.action, recall.seen) for recall in self.chain()]

    def chain(self) -> list[Recall]:
        """What was recalled after each change, oldest first."""
        found: list[Recall] = []
        recall: Recall | None = self
        while recall is not None:
            found.append(recall)
            recall = recall.before
        return found[::-1]


class Deal:
    """Before the deal: `drawn` are the outcomes of the chance nodes so far. It never changes."""

    __slots__ = ("drawn", "rules")
    player = _CHANCE
    legal: Sequence[int] = ()

    def __init__(self, rules: Rules, drawn: tuple[int, ...] = ()) -> None:
        self.rules, self.drawn = rules, drawn

    @property
    def returns(self) -> list[float]:
        return [0.0] * self.rules.num_players

    rewards = returns

    def play(self, action: int) -> Deal | Moment:
        outcomes, drawn = self.rules.outcomes, (*self.drawn, action)
        if not 0 <= action < outcomes[len(self.drawn)]:
            raise IllegalActionError(f"outcome {action} of the deal is out of range; there are {outcomes[len(self.drawn)]}")
        if len(drawn) < len(outcomes):
            return Deal(self.rules, drawn)
        return self.rules.deal(functools.reduce(lambda number, byte: number * 256 + byte, drawn))

    def resample(self, player: int, sampler: Callable[[], float]) -> Deal:
        return Deal(self.rules, tuple(_below(count, sampler) for count in self.rules.outcomes[: len(self.drawn)]))

    def observation(self, player: int) -> np.ndarray:
        return np.zeros(self.rules.observation_size, np.float32)

    def recall(self, player: int) -> None:
        return None

    def __str__(self) -> str:
        return f"{self.rules.game.id}, before the deal {' '.join(map(str, self.drawn))}".rstrip()

    def __deepcopy__(self, memo: Any) -> Deal:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Deal, (self.rules, self.drawn)


class Moment:
    """A game in progress, as it stands between two actions; it never changes.

    `before` is the moment before, `action` what was played there. Where a history begins with an imagined position, `heard`
    is the player for whom it was imagined, and what he recalls.
    """

    __slots__ = ("_recalls", "action", "before", "heard", "legal", "player", "record", "returns", "rewards", "rules", "view")

    def __init__(
        self,
        rules: Rules,
        record: np.ndarray,
        ended: bool,
        view: np.ndarray,
        mask: np.ndarray,
        before: Moment | None = None,
        action: int = NO_ACTION,
    ) -> None:
        self.rules, self.record, self.view, self.before, self.action = rules, record, view, before, action
        self.player = _TERMINAL if ended else record["current_player"].item(0)
        self.legal: list[int] = np.flatnonzero(mask).tolist()
        self.rewards: list[float] = record["rewards"][0][: rules.num_players].tolist()
        self.returns = self.rewards.copy()
        if before is not None:
            self.returns = [total + reward for total, reward in zip(before.returns, self.rewards, strict=True)]
        if ended:
            self._balance()
        self.heard: tuple[int, Recall] | None = None
        self._recalls: dict[int, Recall] = {}

    def _balance(self) -> None:
        """OpenSpiel wants returns to add up exactly: the last rewards make up for the rounding of all, where bounds allow."""
        low, high = self.rules.return_range
        seats = [seat for seat, total in enumerate(self.returns) if low < total < high]
        if seats and self.rules.reward_sum is not None:
            excess = (sum(self.returns) - self.rules.reward_sum) / len(seats)
            for amounts in (self.rewards, self.returns):
                for seat in seats:
                    amounts[seat] -= excess

    def play(self, action: int) -> Moment:
        """The next moment.

        Raises:
            IllegalActionError: the action is not legal.
        """
        if action not in self.legal:
            raise IllegalActionError(f"player {self.player} cannot play action {action}; legal: {self.legal}")
        rules, record = self.rules, copied(self.record)
        observation, mask = rules.buffers()
        status = rules.kernels["step_single"](record, action, observation, mask)
        return rules.settle(record, status, observation, mask, self, action)

    def resample(self, player: int, sampler: Callable[[], float]) -> Moment:
        """A moment that `player` cannot tell from this one, all that he cannot know redrawn; it has no true history.

        Where the deals are given it comes from one of them, unless none is found within `MAX_SEARCHED` moments.
        """
        if self.player == _TERMINAL:
            return self
        if self.rules.is_finite:
            found = _among_deals(self.rules, player, self.recall(player), self.player, sampler)
            if found is not None:
                return found
        record = copied(self.record)
        number = _below(2**32, sampler) << 32 | _below(2**32, sampler)
        self.rules.kernels["determinize_games"](record, player, row_seeds(number, 1))
        recall = self.recall(player)
        return _begin(self.rules, record, self.returns, (player, recall))

    def observation(self, player: int) -> np.ndarray:
        """float32 [D], what a seat sees; do not write into it."""
        if player == self.player:
            return self.view
        observation = np.empty((1, self.view.size), np.float32)
        self.rules.kernels["observe_seats"](self.record, np.zeros(1, np.int64), np.array([player]), observation)
        return observation[0]

    def recall(self, player: int) -> Recall:
        """What a player has seen and done until now.

        He looks after every action, whoever played it. A look that shows him nothing new leaves no trace, so that he cannot
        count the hidden actions of others.
        """
        waiting: list[Moment] = []
        moment: Moment | None = self
        while moment is not None and player not in moment._recalls:
            waiting.append(moment)
            moment = moment.before
        last = None if moment is None else moment._recalls[player]
        while waiting:
            moment = waiting.pop()
            own = moment.before is not None and moment.before.player == player
            action = moment.action if own else NO_ACTION
            seen = moment.observation(player).tobytes()
            if last is None or own or seen != last.seen:
                last = Recall.of(last, action, seen)
            moment._recalls[player] = last
        assert last is not None
        return last

    def __str__(self) -> str:
        game, record = self.rules.game, self.record.view(np.ndarray)
        digest = hashlib.blake2b(record.tobytes(), digest_size=8).hexdigest()
        return f"{game.id}, move {record['move_count'][0]}, {game.describe(as_record(record), None)}, state {digest}"

    def __deepcopy__(self, memo: Any) -> Moment:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        actions, moment = [], self
        while moment.before is not None:
            actions.append(moment.action)
            moment = moment.before
        heard = None if moment.heard is None else (moment.heard[0], moment.heard[1].entries())
        return _replay, (self.rules, moment.record.tobytes(), moment.returns, heard, actions[::-1])


def _among_deals(rules: Rules, player: int, recall: Recall, mover: int, sampler: Callable[[], float]) -> Moment | None:
    """A moment of a game that begins with one of the given deals, in which `player` recalls the same and `mover` is to move.

    Deals, and what others did unseen, are tried in random order, depth first. Nothing is asked of the true game, so what is
    found depends on the player's knowledge and the sampler alone. None if there is none, or too much is to be tried.
    """
    looks = recall.chain()
    waiting: list[tuple[Moment | None, int, int]] = []  # a moment, an action there, and how many looks he had had before it
    waiting += _shuffled([(None, number, 0) for number in rules.deals_seen(player, looks[0].seen)], sampler)
    for _ in range(MAX_SEARCHED):
        if not waiting:
            return None
        before, action, had = waiting.pop()
        moment = rules.deal(action) if before is None else before.play(action)
        recalled = moment.recall(player).digest
        if had < len(looks) and recalled == looks[had].digest:
            had += 1
        elif not had or recalled != looks[had - 1].digest:
            continue  # he would have seen something else
        if had == len(looks) and moment.player == mover:
            return moment
        did = looks[had].action if had < len(looks) else NO_ACTION
        possible = [did] if moment.player == player else moment.legal
        waiting += _shuffled([(moment, each, had) for each in possible if each in moment.legal], sampler)
    return None


def _shuffled(items: list[Any], sampler: Callable[[], float]) -> list[Any]:
    for last in range(len(items) - 1, 0, -1):
        other = _below(last + 1, sampler)
        items[last], items[other] = items[other], items[last]
    return items


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def _begin(rules: Rules, record: np.ndarray, returns: list[float], heard: tuple[int, Recall] | None) -> Moment:
    """A moment without history, with somebody to move."""
    observation, mask = rules.buffers()
    rules.kernels["view_games"](record, observation[None], mask[None], np.zeros(1, np.int64))
    moment = Moment(rules, record, False, observation, mask)
    moment.returns, moment.heard = returns, heard
    if heard is not None:
        moment._recalls[heard[0]] = heard[1]
    return moment


def _replay(
    rules: Rules,
    record: bytes,
    returns: list[float],
    heard: tuple[int, list[tuple[int, bytes]]] | None,
    actions: list[int],
) -> Moment:
    """A moment that was pickled."""
    recalled = None
    if heard is not None:
        player, entries = heard
        last: Any = functools.reduce(lambda before, entry: Recall.of(before, *entry), entries, None)
        recalled = player, last
    first = as_records(np.frombuffer(record, rules.game.state).copy())
    return functools.reduce(Moment.play, actions, _begin(rules, first, returns, recalled))


def _below(count: int, sampler: Callable[[], float]) -> int:
    return min(int(sampler() * count), count - 1)


# --- OpenSpiel's classes ---


def game_type(rules: Rules) -> Any:
    """OpenSpiel's description of a game: utility by the game's sum of returns, chance explicit."""
    game, kind = rules.game, pyspiel.GameType
    utility = {None: kind.Utility.GENERAL_SUM, 0.0: kind.Utility.ZERO_SUM}.get(rules.reward_sum, kind.Utility.CONSTANT_SUM)
    seats = [number for number in fields(game.options)[0].metadata["samples"](0) if number is not None]
    return kind(
        short_name=PREFIX + game.id,
        long_name=f"{game.title} (wilddeck)",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=kind.RewardModel.REWARDS if rules.step_rewards else kind.RewardModel.TERMINAL,
        max_num_players=max(seats),
        min_num_players=min(seats),
        provides_information_state_string=True,
        provides_information_state_tensor=rules.recall_shape is not None,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            **{name: _as_parameter(option.default, option) for name, option in _declared(game).items()},
            **_OWN_PARAMETERS,
        },
    )


class WilddeckGame(pyspiel.Game):
    """A pyspiel.Game; each game has a class of its own. Made by `load_game` or `pyspiel.load_game`.

    Attributes:
        game: the wilddeck game.
        rules: with its options and its chance.

    Raises:
        ValueError: as `load_game`.
    """

    game: Game

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        game, declared = self.game, _declared(self.game)
        given = {declared[k].name: _from_parameter(v, declared[k]) for k, v in parameters.items() if k in declared}
        options = game.make_options(given)
        own = {**_OWN_PARAMETERS, **{name: parameters[name] for name in _OWN_PARAMETERS if name in parameters}}
        decks = tuple(tuple(deck) for deck in _read_decks(own["decks"]))
        self._start = Deal(_shared(Rules(game, options, decks, own["deals"], own["step_rewards"])))
        rules = self.rules
        low, high = rules.return_range
        info = pyspiel.GameInfo(
            num_distinct_actions=rules.num_actions,
            max_chance_outcomes=max(rules.outcomes),
            num_players=rules.num_players,
            min_utility=low,
            max_utility=high,
            utility_sum=rules.reward_sum,
            max_game_length=game.max_length(options),
        )
        written = {**{name: _as_parameter(option.default, option) for name, option in declared.items()}, **_OWN_PARAMETERS}
        super().__init__(game_type(rules), info, {k: v for k, v in parameters.items() if v != written[k]})

    @property
    def rules(self) -> Rules:
        return self._start.rules

    def new_initial_state(self) -> WilddeckState:
        return WilddeckState(self)

    def max_chance_nodes_in_history(self) -> int:
        return len(self.rules.outcomes)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> Any:
        """An observer of `openspiel_observers`."""
        return observer(self.rules, iig_obs_type, params)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled_game, (str(self),)


class WilddeckState(pyspiel.State):
    """A pyspiel.State of any wilddeck game. `clone`, `history`, `serialize` and the information states are OpenSpiel's own
    methods, answered from the moment."""

    def __init__(self, game: WilddeckGame) -> None:
        super().__init__(game)
        self._moment: Any = game._start  # all there is: OpenSpiel copies and pickles what stands in __dict__

    @property
    def moment(self) -> Any:
        """The `Deal` or `Moment` that the state is."""
        return self._moment

    @property
    def record(self) -> np.ndarray:
        """A copy of the record (an array of one), the whole truth.

        Raises:
            ValueError: there is none before the deal.
        """
        if self._moment.player == _CHANCE:
            raise ValueError("there is no record before the deal; apply the outcomes of the chance nodes first")
        return self._moment.record.view(np.ndarray).copy()

    def current_player(self) -> int:
        return self._moment.player

    def is_terminal(self) -> bool:
        return self._moment.player == _TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        return self._moment.legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        count = self._moment.rules.outcomes[len(self._moment.drawn)]
        return [(outcome, 1 / count) for outcome in range(count)]

    def _apply_action(self, action: int) -> None:
        self._moment = self._moment.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        moment = self._moment
        if player == _CHANCE:
            return f"deal {action}"
        if moment.player == _CHANCE:  # asked by the game, about any state
            block, place = moment.rules.game.actions.find(action, moment.rules.num_players)
            return f"{block.name} {place}"
        return moment.rules.game.label(as_record(moment.record), action)

    def returns(self) -> list[float]:
        """What each seat has won so far; nothing before the end, unless the game pays `step_rewards`."""
        moment = self._moment
        total, paid = moment.rules.reward_sum, self._paid(moment.returns)
        if total is None or moment.player != _TERMINAL:
            return paid
        # Rewards are float32, in which -1/3 is a bit less; OpenSpiel wants them to add up.
        exact = [float(Fraction(amount).limit_denominator(_PARTS)) for amount in paid]
        rounding = (sum(exact) - total) / len(exact)
        return [amount - rounding for amount in exact]

    def rewards(self) -> list[float]:
        """What the last action brought each seat; all returns at the end, unless the game pays `step_rewards`."""
        moment = self._moment
        return self._paid(moment.rewards) if moment.rules.step_rewards else self.returns()

    def _paid(self, amounts: list[float]) -> list[float]:
        moment = self._moment
        return amounts if moment.rules.step_rewards or moment.player == _TERMINAL else [0.0] * moment.rules.num_players

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> WilddeckState:
        """A state that the player cannot tell from this one, drawn with numbers in [0, 1) from the sampler.

        Equal knowledge and equal numbers give equal states. The history of actions begins anew: the true one would give the
        true cards away.
        """
        state = WilddeckState(self.get_game())
        state._moment = self._moment.resample(player_id, probability_sampler)
        return state

    def __str__(self) -> str:
        return str(self._moment)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled_state, (pyspiel.serialize_game_and_state(self.get_game(), self),)


def _unpickled_game(text: str) -> Any:
    return pyspiel.load_game(text)


def _unpickled_state(text: str) -> Any:
    return pyspiel.deserialize_game_and_state(text)[1]


class RolloutEvaluator:
    """Random playouts in compiled code, for the searches of `open_spiel.python.algorithms` (mcts, ismcts).

    Args:
        n_rollouts: playouts a call.
        seed: equal seeds give equal playouts.
    """

    def __init__(self, n_rollouts: int = 1, seed: int = 0) -> None:
        self._count = n_rollouts
        self._draw = np.random.default_rng(seed)

    def evaluate(self, state: WilddeckState) -> np.ndarray:
        """float64 [P], the mean returns."""
        moment = state.moment
        if moment.player < 0:
            raise ValueError("playouts begin where somebody is to move")
        rules = moment.rules
        records = as_records(np.repeat(moment.record, self._count))
        actions = self._draw.choice(moment.legal, self._count)
        noise = noise_counters(int(self._draw.integers(2**63)), self._count)
        returns = np.zeros((self._count, rules.num_players))
        playout = policy_kernels(rules.game)["playout_games"]
        playout(records, actions, noise, *rules.buffers(), returns, rules.game.max_length(rules.options), ())
        return returns.mean(axis=0) + moment.returns

    def prior(self, state: WilddeckState) -> list[tuple[int, float]]:
        """Actions, or outcomes of a chance node, and probabilities."""
        if state.is_chance_node():
            return state.chance_outcomes()
        legal = state.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]


for _id in game_ids():
    register(find_game(_id))
