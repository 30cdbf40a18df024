"""The declaration of a game: its options, record, spaces, functions and texts."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import math
import operator
import pickle
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from . import kernels
from .cards import EXTENDED, CardSet
from .dealing import deck_of, shuffle_deck, shuffle_standard, standard_deck
from .events import EventKind
from .facts import Fact, FactRole, who
from .fields import Field, last_seat, of_options
from .jit import INTERPRETED
from .layout import Layout
from .options import Options as Options
from .parts import ActionParts, Label
from .reached import source_digest
from .references import by_name
from .units import Unit
from .zones import Roles, ZoneRole, role_of

FUNCTIONS = ("deal", "begin", "legal_actions", "step", "observe", "determinize")

# The header of every record; a game's own fields follow. `seed` (its low word), `seed_high` and `deals` fix every shuffle,
# `rng` and `rng_key` the chance between two of them, so a deal depends on nothing that was played before. A game that wants
# another deal sets `deal_pending`.
_HEADER = [
    Field("seed", "u8"),
    Field("seed_high", "u8"),
    Field("rng", "u8"),
    Field("rng_key", "u8"),
    Field("move_count", "u4"),
    Field("deals", "u2", low=1, high=np.iinfo(np.uint16).max),
    Field("deal_pending", "u1", high=1),
    Field("terminated", "u1", high=1),
    Field("truncated", "u1", high=1),
    Field("num_players", "i1"),
    Field("current_player", "i1", high=last_seat),
]
_HEADER_NAMES = frozenset({field.name for field in _HEADER} | {"rewards", "deck"})
_NOT_IN_STATE_VECTOR = frozenset({"seed", "seed_high", "rng", "rng_key", "padding"})


def record_dtype(max_players: int, deck_size: int, fields: Sequence[tuple[Any, ...]]) -> np.dtype:
    """The dtype of a game's record: the shared header, the deck as dealt (ids, first card first) and the game's fields.

    Wide fields come first, so that there are no gaps between fields: numpy does not copy the bytes of gaps, but equal games
        must
    have equal bytes. The rest at the end is a field `padding`, always zero.
    """
    of_game = [("rewards", "f4", (max_players,)), ("deck", "u1", (deck_size,)), *fields]
    ordered = sorted((tuple(field[:3]) for field in [*_HEADER, *of_game]), key=lambda field: -np.dtype(field[1]).alignment)
    used = sum(np.dtype([item]).itemsize for item in ordered)
    whole = np.dtype(ordered, align=True).itemsize
    return np.dtype([*ordered, ("padding", "u1", (whole - used,))] if whole > used else ordered, align=True)


def every_seat_alone(options: Options) -> tuple[tuple[int, ...], ...]:
    """The teams of a game without teams: each seat alone."""
    return tuple((seat,) for seat in range(options.num_players))


def _option_fields(options: type[Options], declared: set[str]) -> list[Field]:
    """Fields for integer options without a declared field."""
    made = []
    for name in options.record_fields()[1:]:
        if name not in declared | _HEADER_NAMES:
            values = np.array(options.stored_samples(name))
            if values.ndim == 1 and values.dtype.kind == "i":
                low, high = int(values.min()), int(values.max())
                made.append(Field(name, np.min_scalar_type(min(low, -high - 1) if low < 0 else high).str[1:]))
    return made


class Bounds(NamedTuple):
    """Bounds on the length and rewards of episodes, each a value or a function of the options.

    Attributes:
        max_length: the maximal number of steps.
        reward_range: the least and greatest reward of a step.
        return_range: the least and greatest return of a seat; needed only if a game gives rewards more than once.
        reward_sum: the sum of all seats' returns, None if it varies.
    """

    max_length: Any
    reward_range: Any
    return_range: Any = None
    reward_sum: Any = 0.0


class Attached(NamedTuple):
    """An object made for a game's action and observation layouts, and their digest; a game with other layouts cannot use it."""

    held: Any
    spaces: str


class Money(NamedTuple):
    """The units of a game about money, each a value or a function of the options.

    Attributes:
        chips: the number of chips of a return of 1.
        second_unit: a second unit for league tables: its name, and its worth in chips.
    """

    chips: Any
    second_unit: Any = None


@dataclass(frozen=True, eq=False)
class Game:
    """A game, assembled from the parts of its module. CONTRIBUTING.md specifies what each part must do.

    Compiled functions, given as `functions`, take one record, `state`:

    - `deal(state)` puts a shuffled deck into `state.deck`. May be omitted for standard decks.
    - `begin(state)` starts play from that deck. It leaves a player to move or sets `deal_pending` for another deal; after a
      later deal it may also end the game and add rewards.
    - `legal_actions(state, mask)` and `observe(state, player, out)` fill vectors of zeros.
    - `step(state, action)` plays a legal action; rewards are zero before it.
    - `determinize(state, player)` replaces everything that `player` cannot know by a random arrangement consistent with what
      they know, drawing from `state.rng`.

    The other functions are ordinary Python.

    Attributes:
        name, version, title: the id is `<name>_v<version>`; the title is for people.
        options: the class of the game's options.
        fields: the game's own fields of the record with their bounds, as `Field`s or (name, dtype, shape). Integer options get
            a field automatically.
        actions, observation: the layouts of both vectors.
        zones: `zones(state, viewer)` gives the card ids in each zone, with -1 for cards hidden from `viewer` (None sees all).
        zone_roles: how the cards of each kind of zone lie.
        bounds: bounds on lengths and rewards.
        describe: `describe(state, viewer)` gives the facts that the viewer knows (`facts.py`).
        deck: `deck(options)` gives the card ids of the deck; by default the deck named by the option `deck`, or the 52 standard
            cards.
        deck_size: the largest size of a deck; by default that of the default options.
        check_deck: `check_deck(options, ids)` raises ValueError if a given deck cannot be dealt.
        labels: for blocks of actions whose labels depend on the state, `label(state, place)` by block name. It returns words
            with parts of the block in braces, or a `Label` with values for them.
        teams: `teams(options)` gives the seats of each team that wins and loses together; agents play whole teams.
        teams_in_play: `teams_in_play(state)` gives the publicly known teams of a game in which teams form during play.
        at_once: `at_once(state)` gives the seats that choose simultaneously, in the order in which `step` takes their actions,
            beginning with the player to move. No choice may become visible before the last seat has chosen. Parallel
            environments ask these seats together, and in OpenSpiel they move simultaneously.
        money: the units of a game about money.
        unit: the unit in which people count returns: by default chips in a game about money, else points (`units.py`).
        cards: the cards that the ids stand for: the extended deck of 66 with two kinds of Joker or, with `ALIKE_JOKERS`, one,
            or others (`cards.py`).
        private: the blocks of the observation that only its own seat knows, for centralised critics (None: all blocks).
        rotated_by: blocks of the observation, with weights of their first entries: equivariant networks see a position in the
            rotation in which the weighted sum of these entries is highest (`rotations.py`).
        events: the kinds of events that the rules emit, each with its text (`events.py`).
        player: the rule-based agent: a policy, or the name of a module with one as `policy` (`agents/rules`).
        page, weights: the file of the rules in Markdown, and the folder of trained agents, relative to the folder of the game's
            package (or of its module, outside a package).
        state: the dtype of the record.
    """

    name: str
    options: type[Options]
    fields: Sequence[Any]
    actions: Layout
    observation: Layout
    functions: Any  # given as a sequence, kept as a mapping by name
    zones: Callable[[Any, int | None], dict[str, list[int]]]
    bounds: Bounds
    zone_roles: Roles = field(default_factory=dict)
    version: int = 0
    title: str = ""  # the name in words
    describe: Callable[[Any, int | None], Sequence[Fact]] = field(default=lambda state, viewer: ())
    deck: Any = None  # a function of the options
    deck_size: int = 0
    check_deck: Callable[[Any, list[int]], None] = field(default=lambda options, ids: None)
    labels: Mapping[str, Callable[[Any, int], str | Label]] = field(default_factory=dict)
    teams: Callable[[Any], tuple[tuple[int, ...], ...]] = every_seat_alone
    teams_in_play: Callable[[Any], tuple[tuple[int, ...], ...]] | None = None
    at_once: Callable[[Any], Sequence[int]] | None = None
    money: Money | None = None
    unit: Any = None  # or a function of the options
    cards: CardSet = EXTENDED
    private: Sequence[str] | None = None
    rotated_by: Mapping[str, Sequence[float]] = field(default_factory=dict)
    events: Sequence[EventKind] = ()
    player: Any = None  # given as above, kept as `Attached`
    page: str = ""
    weights: str = ""
    state: np.dtype = field(init=False)  # of a record

    def __post_init__(self) -> None:
        functions, deck = self.functions, self.deck
        if not isinstance(functions, Mapping):
            functions = {function.__name__: function for function in functions}
        if deck is None:
            deck, deal = (deck_of, shuffle_deck) if hasattr(self.options, "deck") else (standard_deck, shuffle_standard)
            functions = {"deal": deal, **functions}
        fields = [Field(*item) for item in self.fields]
        fields += _option_fields(self.options, {field.name for field in fields})
        size = self.deck_size or len(deck(self.options()))
        made = {
            "functions": functions,
            "title": self.title or self.name.replace("_", " ").title(),
            "deck": deck,
            "fields": fields,
            "deck_size": size,
            "state": record_dtype(self.options.max_players(), size, fields),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)
        if self.player is not None and not isinstance(self.player, Attached):
            object.__setattr__(self, "player", Attached(self.player, self.spaces_digest))
        missing = [name for name in FUNCTIONS if name not in self.functions]
        if missing:
            raise ValueError(f"{self.name} lacks the functions {', '.join(missing)}")
        self._check_blocks(self.observation, self.private or (), "which are to be private")
        self._check_blocks(self.observation, self.rotated_by, "which are to say how the game is rotated")
        self._check_blocks(self.actions, self.labels, "which are to be labelled")
        hidden = [name for name in self.state.names or () if hasattr(np.record, name)]
        if hidden:
            raise ValueError(
                f"{self.name} needs other names for the fields {', '.join(hidden)}: numpy's records have their own"
            )
        for option in self.options.record_fields()[1:]:
            if option in _HEADER_NAMES or option not in (self.state.names or ()):
                raise ValueError(f"the record of {self.name} needs a field of its own for the option {option!r}")

    def _check_blocks(self, layout: Layout, names: Iterable[str], purpose: str) -> None:
        unknown = set(names) - {block.name for block in layout.blocks}
        if unknown:
            vector = "observation of {} has" if layout is self.observation else "actions of {} have"
            raise ValueError(f"the {vector.format(self.name)} no blocks {', '.join(sorted(unknown))}, {purpose}")

    @property
    def id(self) -> str:
        """The id, such as `tennis_v0`."""
        return f"{self.name}_v{self.version}"

    def file(self, name: str) -> Path:
        """The path of a file of the game: its `page` or `weights`."""
        package = sys.modules.get(self.module.partition(".")[0])
        return Path(getattr(package, "__file__", None) or "here").resolve().parent / name

    @property
    def module(self) -> str:
        """The name of the module that defines the game, or else its options."""
        with contextlib.suppress(pickle.PicklingError):
            return self.__reduce__()[1][0]
        return self.options.__module__

    @functools.cached_property
    def record_digest(self) -> str:
        """A digest of the record's layout; saved games with another layout are refused."""
        return hashlib.sha256(repr(self.state.descr).encode()).hexdigest()[:16]

    @functools.cached_property
    def rules_digest(self) -> str:
        """A digest of the code that deals and plays, and of the record, to keep results of different rules apart. Observations
        are not part of it."""
        rules = [self.functions[name] for name in ("deal", "begin", "legal_actions", "step")]
        return source_digest([*rules, self.deck, *kernels.SHARED.values()], self.record_digest)

    @property
    def spaces_digest(self) -> str:
        """A digest of the layouts of actions and observations; weights trained on other layouts are refused."""
        blocks = [(block.name, block.fixed, block.each) for block in (*self.actions.blocks, *self.observation.blocks)]
        return hashlib.sha256(repr(blocks).encode()).hexdigest()[:16]

    def make_options(self, values: Mapping[str, Any]) -> Any:
        """Make options from keywords; raises ValueError if one is unknown or its value is not allowed."""
        return self.options.make(self.id, values)

    def template(self, options: Options) -> np.ndarray:
        """An array of one record with the options, otherwise zero.

        Raises:
            ValueError: the deck does not fit into the record.
        """
        size = len(self.deck(options))
        if size > self.deck_size:
            raise ValueError(f"{self.id} has decks of {size} cards: its `deck_size` must be as large, not {self.deck_size}")
        record = np.zeros(1, self.state)
        for name, value in options.stored().items():
            record[name][0] = value
        return as_records(record)

    def check_records(self, options: Options, states: np.ndarray) -> None:
        """Check that all fields of records are within their bounds.

        Raises:
            ValueError: one is not; the message names it.
        """
        stored = options.stored()
        template = self.template(options)
        for declared in (*_HEADER, *self._bounds_of_the_header(options), *self.fields):
            values = states[declared.name]
            if declared.is_bounded:
                wrong = declared.outside(values, options)
            elif declared.name in stored:
                wrong = values != template[declared.name]
            else:
                continue
            if wrong.any():
                row, *place = (int(k) for k in np.argwhere(wrong)[0])
                index = "".join(f"[{k}]" for k in place)
                allowed = declared.allowed(options) if declared.is_bounded else stored[declared.name]
                reason = f"{declared.name}{index} is {values[row][tuple(place)]}, allowed: {allowed}"
                of_row = f"row {row}: " if len(states) > 1 else ""
                raise ValueError(f"this is not a valid state of {self.id}: {of_row}{reason}")

    def _bounds_of_the_header(self, options: Options) -> list[Field]:
        """The bounds of shared fields that depend on the game."""
        low, high = (np.float32(bound) for bound in self.reward_range(options))  # as rewards are rounded
        padding = [Field("padding", "u1", high=0)] if "padding" in (self.state.names or ()) else []
        return [Field("rewards", "f4", low=low, high=high), Field("deck", "u1", high=max(self.deck(options))), *padding]

    def zone_role(self, zone: str) -> ZoneRole:
        """How the cards of a zone, such as `hand/0`, lie."""
        return role_of(zone, self.zone_roles)

    def held(self, zones: Mapping[str, Sequence[int]], seat: int) -> list[int]:
        """The cards of `zones` in a seat's hand or hands."""
        hands = [name for name, role in self.zone_roles.items() if role.is_held]
        return [card for name in hands for card in zones.get(f"{name}/{seat}", ())]

    def num_actions(self, options: Options) -> int:
        return self.actions.size(options.num_players)

    def observation_size(self, options: Options) -> int:
        return self.observation.size(options.num_players)

    def observation_bounds(self, options: Options) -> tuple[np.ndarray, np.ndarray]:
        """The least and greatest value of each entry of an observation, float32 [D]; all finite."""
        return self.observation.bounds(options)

    def max_length(self, options: Options) -> int:
        """The maximal number of steps of an episode."""
        return int(of_options(self.bounds.max_length, options))

    def reward_range(self, options: Options) -> tuple[float, float]:
        """The least and the greatest reward of a step."""
        return of_options(self.bounds.reward_range, options)

    def return_range(self, options: Options) -> tuple[float, float]:
        """The least and the greatest sum of a seat's rewards over an episode."""
        return of_options(self.bounds.return_range or self.bounds.reward_range, options)

    def reward_sum(self, options: Options) -> float | None:
        """The sum of the returns of all seats; None if it varies."""
        return of_options(self.bounds.reward_sum, options)

    def team_of(self, options: Options) -> np.ndarray:
        """int64 [P], the number of each seat's team.

        Raises:
            ValueError: `teams` does not put every seat into exactly one team.
        """
        teams = self._checked_teams(options, self.teams(options))
        return np.array([next(k for k, team in enumerate(teams) if seat in team) for seat in range(options.num_players)])

    def teams_now(self, options: Options, state: Any) -> tuple[tuple[int, ...], ...]:
        """The seats of each team in a record, `as_record`, as everybody knows them: `teams_in_play`, else `teams`.

        Raises:
            ValueError: a seat is in none, or in several.
        """
        return self._checked_teams(options, self.teams_in_play(state) if self.teams_in_play else self.teams(options))

    def facts(self, options: Options, state: Any, viewer: int | None) -> list[Fact]:
        """The facts about a record (`as_record`): those of `describe`, and partners, which are part of the status if teams form
        during play."""
        teams, words = self.teams_now(options, state), "with {}" if self.teams_in_play else ""
        pairs = [(seat, other) for team in teams for seat in team for other in team if other != seat]
        partners = [Fact(words.format(who(other)), seat, FactRole.PARTNER, other) for seat, other in pairs]
        return [*self.describe(state, viewer), *partners]

    def _checked_teams(self, options: Options, teams: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
        if sorted(seat for team in teams for seat in team) != list(range(options.num_players)):
            raise ValueError(f"the teams of {self.id} must contain each of the {options.num_players} seats once, not {teams}")
        return teams

    def choosing(self, state: Any) -> tuple[int, ...]:
        """The seats that choose simultaneously in a record (`as_record`), the player to move first.

        Raises:
            ValueError: `at_once` returns invalid seats.
        """
        mover = int(state.current_player)
        seats = (mover,) if self.at_once is None else tuple(map(int, self.at_once(state)))
        if seats[:1] != (mover,) or len(set(seats)) < len(seats):
            raise ValueError(f"at_once of {self.id} must name each seat once, first the player to move, {mover}: not {seats}")
        return seats

    def score_unit(self, options: Options) -> float:
        """The factor from returns to scores: the chips of a return of 1 in a game about money, else 1."""
        return 1.0 if self.money is None else float(of_options(self.money.chips, options))

    def unit_of(self, options: Options) -> Unit:
        """The unit in which people count returns."""
        return of_options(self.unit, options) or (Unit("chip", self.score_unit(options)) if self.money else Unit("point"))

    def score_units(self, options: Options) -> dict[str, float]:
        """The units of scores, main unit first, each with its amount per return of 1: "chips" and the second unit, if any, in a
        game about money; empty for others."""
        if self.money is None:
            return {}
        units = {"chips": self.score_unit(options)}
        if self.money.second_unit is not None:
            name, chips = of_options(self.money.second_unit, options)
            units[name] = units["chips"] / chips
        return units

    @property
    def has_symmetry(self) -> bool:
        """Whether blocks declare what the rules treat alike (`Block.circles`), as equivariant networks need it."""
        return any(block.circles.entries for block in (*self.observation.blocks, *self.actions.blocks))

    def private_slices(self, num_players: int) -> dict[str, slice]:
        """The private blocks of the observation, as slices of the vector."""
        where = self.observation.slices(num_players)
        return where if self.private is None else {name: where[name] for name in self.private}

    @property
    def state_layout(self) -> dict[str, slice]:
        """The fields of a record as slices of the state vector."""
        slices, end = {}, 0
        for name in self.state.names or ():
            if name not in _NOT_IN_STATE_VECTOR:
                begin, end = end, end + math.prod(self.state[name].shape)
                slices[name] = slice(begin, end)
        return slices

    def state_vectors(self, states: np.ndarray) -> np.ndarray:
        """All fields of records [N] except random generators and padding, as float32 [N, S]; see `state_layout`."""
        parts = [np.asarray(states[name]).reshape(len(states), -1) for name in self.state_layout]
        return np.concatenate([part.astype(np.float32) for part in parts], axis=1)

    def state_bounds(self, options: Options) -> tuple[np.ndarray, np.ndarray]:
        """The least and greatest value of each entry of a state vector, float32: the range of the field's type, or of
        `reward_range`."""
        low, high = np.zeros(1, self.state), np.zeros(1, self.state)
        for name in self.state.names or ():
            if name == "rewards":  # zero before the first step
                least, most = self.reward_range(options)
                low[name], high[name] = min(least, 0), max(most, 0)
            else:
                limits = np.iinfo(self.state[name].base)
                low[name], high[name] = limits.min, limits.max
        return self.state_vectors(low)[0], self.state_vectors(high)[0]

    def parts(self, state: Any, action: int) -> ActionParts:
        """The label of an action in a record (`as_record`) as data."""
        block, place = self.actions.find(action, int(state.num_players))
        label = self.labels[block.name](state, place) if block.name in self.labels else block.label
        return block.action_parts(label, place, state, self.cards)

    def action_label(self, states: np.ndarray, action: int, row: int = 0) -> str:
        """The label of an action in a record; legal actions have different labels.

        Raises:
            ValueError: the action does not exist.
        """
        return self.action_parts(states, action, row).text

    def action_parts(self, states: np.ndarray, action: int, row: int = 0) -> ActionParts:
        """The label of an action in a record as data."""
        index, size = operator.index(action), self.actions.size(int(states["num_players"][row]))
        if not 0 <= index < size:
            raise ValueError(f"{self.id} has the actions 0..{size - 1}, not {action}")
        return self.parts(as_record(states, row), index)

    def action_from_label(self, states: np.ndarray, legal: Sequence[int], text: str, row: int = 0) -> int:
        """The legal action with this label in a record (case and extra spaces do not matter).

        Raises:
            ValueError: no legal action has this label; the message shows some legal ones.
        """
        label = " ".join(text.lower().split())
        for action in legal:
            if self.action_label(states, action, row).lower() == label:
                return action
        raise ValueError(f"{text!r} is not a legal action; legal: {self.some_labels(states, legal, row)}")

    def some_labels(self, states: np.ndarray, legal: Sequence[int], row: int = 0) -> str:
        """The first few of these actions with their labels, for messages."""
        labels = ", ".join(f"{action} ({self.action_label(states, action, row)})" for action in legal[:6])
        return labels + (f", and {len(legal) - 6} more" if len(legal) > 6 else "")

    def __repr__(self) -> str:
        return f"<Game {self.id}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self

    def __copy__(self) -> Game:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return by_name(self, [self.options, *self.functions.values()])


def state_digest(states: np.ndarray) -> str:
    """A digest of the fields of records, without alignment bytes."""
    digest = hashlib.sha256()
    for name in states.dtype.names or ():
        digest.update(np.ascontiguousarray(states[name]).tobytes())
    return digest.hexdigest()[:16]


def seed_of(states: np.ndarray, row: int = 0) -> int:
    """The seed of a game, as `reset` takes it."""
    return int(states["seed"][row]) | int(states["seed_high"][row]) << 64


def as_records(states: np.ndarray) -> np.ndarray:
    """The array in the form that kernels take: interpreted rules need attribute access to fields, compiled rules a plain
    array."""
    return states.view(np.recarray) if INTERPRETED else states


def records_of(data: bytes, state: np.dtype) -> np.ndarray:
    """Writable records from their bytes."""
    return np.frombuffer(bytearray(data), state)


def copied(states: np.ndarray) -> np.ndarray:
    """A copy of records, more than ten times as fast as numpy's `copy`, which handles each field separately."""
    return records_of(states.tobytes(), states.dtype).view(type(states))


def as_record(states: np.ndarray, row: int = 0) -> Any:
    """One record as a namespace, for ordinary Python that reads `state.hand` as device functions do. Its arrays are views, its
    numbers are copies.

    Attributes of numpy's own records take several microseconds each. Compiled functions do not accept a namespace: call their
    plain form (`jit.plain`).
    """
    return SimpleNamespace(**{name: states[name][row] for name in states.dtype.names or ()})
