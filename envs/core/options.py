"""Options of a game: a frozen dataclass whose fields declare the allowed values, checked at construction."""

from __future__ import annotations

import contextlib
import itertools
import numbers
import operator
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, TypeVar, cast, get_type_hints

O = TypeVar("O", bound="Options")  # noqa: E741 - as in "options"

PLAYERS = "num_players"  # the value of an option that equals the number of players
NONE = "none"  # None, in options given as text
RANDOM = -1  # a randomly drawn seat, as stored in the record
WHOLE = 1 << 30  # 1, in shares of `weights`
_LISTED = 12  # `samples` tries all values of an integer range of at most this size, and only the ends of longer ranges
_DRAWS = 40  # draws for each set of `samples`


def _as_int(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError
    return operator.index(value)


def _is_none(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value == NONE)


def integer(
    default: int | str | None,
    low: int,
    high: int,
    doc: str,
    none: int | None = None,
    stored_as: str | None = None,
    *,
    at_tables: int | None = None,
    tried: tuple[int, int] | None = None,
) -> Any:
    """An integer option low..high. The default "num_players" is the number of players. `at_tables` is as in `one_of`.

    With `none`, None is allowed too ("none" on a command line), for example for no limit; the record stores `none` for it.
    Tests try the default, low and high; `tried` are two values in place of low and high, where games with those end too soon
    or too late.
    """
    by_players = default == PLAYERS

    def check(value: Any, num_players: int) -> int | None:
        if none is not None and _is_none(value):
            return None
        value = num_players if by_players and isinstance(value, str) and value == PLAYERS else _as_int(value)
        if not low <= value <= high:
            raise ValueError
        return value

    def store(value: int | None) -> int:
        return cast(int, none if value is None else value)

    words = [PLAYERS] * by_players + [NONE] * (none is not None)
    allowed = ", ".join([f"{low}..{high}", *words])
    least, most = tried or (low, high)
    if most - least < _LISTED and tried is None:
        samples: Sequence[Any] = range(low, high + 1)
    else:
        samples = (least, default, most) if by_players else sorted({least, most, *([] if default is None else [default])})
    if none is not None:
        samples = (*samples, None)
    form = {"kind": "integer", "low": low, "high": high, "words": words} | _offered(at_tables)
    return _option(default, allowed, doc, check, store, lambda num_players: samples, stored_as, form)


def integers(default: tuple[int, ...], low: int, high: int, doc: str) -> Any:
    """An option of several integers low..high, as many as in the default, stored as a tuple."""

    def check(value: Any, num_players: int) -> tuple[int, ...]:
        return _whole_numbers(value, low, high, len(default), len(default))

    samples = sorted({default, *((bound,) * len(default) for bound in (low, high)), (*default[1:], (low + high) // 2)})
    form = {"kind": "numbers", "least": len(default), "most": len(default)}
    allowed = f"{len(default)} numbers {low}..{high}"
    return _option(default, allowed, doc, check, tuple, lambda num_players: samples, form=form)


def up_to(most: int, low: int, high: int, doc: str) -> Any:
    """An option of 1 to `most` integers low..high, stored as a tuple; the game's `validate` replaces None, the default. The
    record holds `most` numbers, padded with zeros."""

    def check(value: Any, num_players: int) -> tuple[int, ...] | None:
        return None if _is_none(value) else _whole_numbers(value, low, high, 1, most)

    def store(value: tuple[int, ...]) -> tuple[int, ...]:
        return value + (0,) * (most - len(value))

    samples = (None, (low,) * most, (high,))
    return _option(None, f"1 to {most} numbers {low}..{high}, {NONE}", doc, check, store, lambda num_players: samples)


def per_player(default: int, low: int, high: int, most: int, doc: str, stored_as: str) -> Any:
    """An integer option low..high, for all players or as a tuple with one for each. The record holds `most` numbers, for the
    maximal number of players."""

    def check(value: Any, num_players: int) -> int | tuple[int, ...]:
        if isinstance(value, Sequence):
            return _whole_numbers(value, low, high, num_players, num_players)
        return _whole_numbers((value,), low, high, 1, 1)[0]

    def store(value: int | tuple[int, ...]) -> tuple[int, ...]:
        return value + (0,) * (most - len(value)) if isinstance(value, tuple) else (value,) * most

    def samples(num_players: int) -> Sequence[Any]:
        return default, tuple(default + seat for seat in range(num_players))

    allowed = f"{low}..{high}, or so many numbers as players"
    return _option(default, allowed, doc, check, store, samples, stored_as)


def _whole_numbers(value: Any, low: int, high: int, fewest: int, most: int) -> tuple[int, ...]:
    """Integers low..high as a tuple of this size (ValueError or TypeError otherwise)."""
    if isinstance(value, str) or not isinstance(value, Sequence) or not fewest <= len(value) <= most:
        raise ValueError
    numbers = tuple(_as_int(number) for number in value)
    if not all(low <= number <= high for number in numbers):
        raise ValueError
    return numbers


def amounts(default: tuple[float, ...], most: int, high: int, unit: int, doc: str, fewest: int = 1) -> Any:
    """An option of `fewest` to `most` different amounts, ascending, above 0 and up to `high`, in multiples of 1 / `unit`,
    stored as a tuple. The record holds `most` such multiples, padded with zeros."""

    def check(value: Any, num_players: int) -> tuple[float, ...]:
        if isinstance(value, str) or not isinstance(value, Sequence) or not fewest <= len(value) <= most:
            raise ValueError
        parts = [_as_parts(amount) for amount in value]
        if not all(0 < amount <= high * unit for amount in parts) or any(a >= b for a, b in itertools.pairwise(parts)):
            raise ValueError
        return tuple(amount // unit if amount % unit == 0 else amount / unit for amount in parts)

    def _as_parts(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= high:
            raise ValueError
        parts = round(value * unit)
        if abs(parts - value * unit) > 1e-6:
            raise ValueError
        return parts

    def store(value: tuple[float, ...]) -> tuple[int, ...]:
        return tuple(round(amount * unit) for amount in value) + (0,) * (most - len(value))

    samples = (default, (1, 2.5, 10), tuple(1 + k / 2 for k in range(most)))
    allowed = f"{fewest} to {most} numbers above 0, up to {high}, ascending, in steps of {1 / unit:g}"
    form = {"kind": "numbers", "least": fewest, "most": most}
    return _option(default, allowed, doc, check, store, lambda num_players: samples, form=form)


def weights(default: float, low: float, high: float, most: int, doc: str) -> Any:
    """An option of one weight per player, above 0 and within low..high, stored as a tuple; a single number applies to all.

    The record holds `most` integers, the players' shares of the sum in multiples of 1 / `WHOLE`, padded with zeros.
    """

    def check(value: Any, num_players: int) -> tuple[float, ...]:
        shares = value if isinstance(value, Sequence) else (value,) * num_players
        if isinstance(value, str) or len(shares) != num_players:
            raise ValueError
        for number in shares:
            if isinstance(number, bool) or not isinstance(number, numbers.Real) or not low <= float(number) <= high:
                raise ValueError
        return tuple(int(number) if number == int(number) else float(number) for number in shares)

    def store(value: tuple[float, ...]) -> tuple[int, ...]:
        return tuple(round(number / sum(value) * WHOLE) for number in value) + (0,) * (most - len(value))

    def samples(num_players: int) -> Sequence[Any]:
        return default, tuple(range(num_players, 0, -1)), tuple(high if seat else low for seat in range(num_players))

    return _option(default, f"num_players numbers {low:g}..{high:g}, or one for all", doc, check, store, samples)


def fraction(default: float | None, high: float, unit: int, doc: str) -> Any:
    """An option of a number 0..high in multiples of 1 / `unit`; the record holds the multiple. If the default is None ("none"
    on a command line), the game's `validate` sets it."""

    def check(value: Any, num_players: int) -> float | None:
        if default is None and _is_none(value):
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= high:
            raise ValueError
        parts = round(value * unit)
        if abs(parts - value * unit) > 1e-6:
            raise ValueError
        return parts / unit

    samples = (0.0, 1 / unit, high, *([None] if default is None else []))
    allowed = f"0..{high:g} in steps of {1 / unit:g}" + f", {NONE}" * (default is None)
    return _option(default, allowed, doc, check, lambda value: round(value * unit), lambda num_players: samples)


def one_of(default: Any, values: tuple[Any, ...], doc: str, stored_as: str | None = None, *, at_tables: Any = None) -> Any:
    """An option with these values; the record stores the index of a name, or a number itself. `stored_as` is the field of the
    record if its name differs from the option's; `at_tables` is the value preselected in the browser if it differs from the
    default.

    If None is among the names ("none" on a command line), the game's `validate` derives the value from other options.
    """
    by_name = all(value is None or isinstance(value, str) for value in values)

    def check(value: Any, num_players: int) -> Any:
        if None in values and _is_none(value):
            return None
        if not isinstance(value, str):
            value = _as_int(value)
        if value not in values:
            raise ValueError
        return value

    store = values.index if by_name else lambda value: value
    form = {"kind": "choice", "values": list(values)} | _offered(at_tables)
    return _option(default, _listed(values), doc, check, store, lambda num_players: values, stored_as, form)


def _offered(value: Any) -> dict[str, Any]:
    return {} if value is None else {"offered": value}


def flag(default: bool | None, doc: str) -> Any:
    """An option that is True or False; if the default is None ("none" on a command line), the game's `validate` sets it."""
    values = (False, True) if default is not None else (False, True, None)

    def check(value: Any, num_players: int) -> bool | None:
        if None in values and _is_none(value):
            return None
        if value not in (True, False):
            raise ValueError
        return bool(value)

    form = {"kind": "choice", "values": [True, False, *values[2:]]}
    return _option(default, _listed(form["values"]), doc, check, int, lambda num_players: values, form=form)


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(NONE if value is None else str(value) for value in values)


def seat(default: Any, doc: str, stored_as: str | None = None) -> Any:
    """An option that is a seat, or "random" (stored as RANDOM)."""

    def check(value: Any, num_players: int) -> Any:
        if value == "random":
            return value
        value = _as_int(value)
        if not 0 <= value < num_players:
            raise ValueError
        return value

    def store(value: Any) -> int:
        return RANDOM if value == "random" else value

    def samples(num_players: int) -> Sequence[Any]:
        return "random", 0, num_players - 1

    allowed = "random, or a seat 0..num_players-1"
    return _option(default, allowed, doc, check, store, samples, stored_as, {"kind": "seat"})


def _option(
    default: Any,
    allowed: str,
    doc: str,
    check: Callable[[Any, int], Any],
    store: Callable[[Any], Any],
    samples: Callable[[int], Sequence[Any]],
    stored_as: str | None = None,
    form: Mapping[str, Any] | None = None,
) -> Any:
    """A dataclass field. `check(value, num_players)` returns the value to keep, or raises; `store` returns the number for the
    record; `samples(num_players)` returns the values that tests try, equally many for any number of players; `form` describes
    an input field."""
    metadata: dict[str, Any] = {"allowed": allowed, "doc": doc, "check": check, "store": store, "samples": samples}
    metadata |= {"stored_as": stored_as, "form": form}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Options:
    """The base class of every game's options; the first field is always `num_players`.

    Raises:
        ValueError: a value is not allowed; the message has the option, the value and the allowed values.
    """

    num_players: int = integer(2, 1, 127, "number of players")

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            try:
                checked = option.metadata["check"](value, self.num_players)
            except (TypeError, ValueError):
                allowed = option.metadata["allowed"]
                raise ValueError(f"option {option.name}={value!r} is not allowed; allowed: {allowed}") from None
            object.__setattr__(self, option.name, checked)
        self.validate()

    def validate(self) -> None:
        """Raise ValueError for options that contradict each other, and set options derived from others. Overridden by games."""

    def stored(self) -> dict[str, Any]:
        """The values stored in the record, by field."""
        return {_field_of(option): option.metadata["store"](getattr(self, option.name)) for option in fields(self)}

    @classmethod
    def record_fields(cls) -> list[str]:
        """The fields of the record that hold the options, in order."""
        return [_field_of(option) for option in fields(cls)]

    @classmethod
    def stored_samples(cls, field_name: str) -> list[Any]:
        """Sample values of an option's field in the record; for an integer they include the least and the greatest."""
        most, values = cls.max_players(), []
        for option in fields(cls):
            check, store = option.metadata["check"], option.metadata["store"]
            for sample in option.metadata["samples"](most) if _field_of(option) == field_name else ():
                with contextlib.suppress(TypeError):  # None, which `validate` replaces
                    values.append(store(check(sample, most)))
        return values

    @classmethod
    def make(cls: type[O], game_id: str, values: Mapping[str, Any]) -> O:
        """Make options from keyword values.

        Raises:
            ValueError: an option is unknown (the message lists the options) or has a value that is not allowed.
        """
        known = [option.name for option in fields(cls)]
        for name in values:
            if name not in known:
                raise ValueError(f"{game_id} has no option {name!r}; options: {', '.join(known)}")
        try:
            return cls(**values)
        except ValueError as error:
            raise ValueError(f"{game_id}: {error}") from None

    @classmethod
    def table(cls) -> list[tuple[str, str, str, str]]:
        """Table rows of name, allowed values, default and meaning."""
        return [(option["name"], option["allowed"], str(option["default"]), option["doc"]) for option in cls.form()]

    @classmethod
    def player_counts(cls) -> str:
        """The allowed numbers of players in words, such as "2 to 6"."""
        form = cls.form()[0]
        return f"{form['low']} to {form['high']}" if form["kind"] == "integer" else form["allowed"]

    @classmethod
    def max_players(cls) -> int:
        form = cls.form()[0]
        return int(form["high"] if form["kind"] == "integer" else max(form["values"]))

    @classmethod
    def form(cls) -> list[dict[str, Any]]:
        """The input fields of the options: name, meaning, default, allowed values in words, and kind.

        Each kind has its own entries: "integer" has low, high and words accepted in place of numbers; "choice" has values;
        "seat" is a seat or "random"; "numbers" has the least and greatest count; "text" is anything else.
        """
        return [
            {
                "name": option.name,
                "doc": option.metadata["doc"],
                "default": _default(option),
                "allowed": option.metadata["allowed"],
                **(option.metadata["form"] or {"kind": "text"}),
            }
            for option in fields(cls)
        ]

    @classmethod
    def samples(cls: type[O]) -> list[O]:
        """A few sets of options, always the same: the defaults, then sets that cover each sample of each option.

        Raises:
            ValueError: a sample occurs in no set that `check` accepts.
        """
        draw = random.Random(0)
        choices: dict[str, Callable[[int], Sequence[Any]]] = {option.name: option.metadata["samples"] for option in fields(cls)}
        missing = {(name, place) for name, samples in choices.items() for place in range(len(samples(2)))}
        sets = [cls()]
        while missing:
            best: tuple[set[tuple[str, int]], O | None] = set(), None
            for _ in range(_DRAWS):
                picked = {name: _pick(draw, name, len(samples(2)), missing) for name, samples in choices.items()}
                num_players = choices["num_players"](0)[picked["num_players"]]
                covered = missing.intersection(picked.items())
                if len(covered) > len(best[0]):
                    with contextlib.suppress(ValueError):  # options that contradict each other
                        best = covered, cls(**{name: choices[name](num_players)[place] for name, place in picked.items()})
            if best[1] is None:
                raise ValueError(f"no valid options found with sample values {sorted(missing)}")
            missing -= best[0]
            sets.append(best[1])
        return sets

    @classmethod
    def types(cls) -> dict[str, Any]:
        """The type of each option, for command lines."""
        return get_type_hints(cls)


def _pick(draw: random.Random, name: str, count: int, missing: set[tuple[str, int]]) -> int:
    """The index of a sample, usually one that has not occurred yet."""
    fresh = [place for place in range(count) if (name, place) in missing]
    return draw.choice(fresh) if fresh and draw.random() < 0.75 else draw.randrange(count)


def _field_of(option: Field[Any]) -> str:
    return option.metadata["stored_as"] or option.name


def _default(option: Field[Any]) -> Any:
    return option.default if option.default is not MISSING else ""
