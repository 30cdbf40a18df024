"""Options of a game: a frozen dataclass whose fields say what they allow, checked when it is made."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, TypeVar, get_type_hints

O = TypeVar("O", bound="Options")  # noqa: E741 - the letter of "options"

RANDOM = -1  # a seat drawn by lot, as stored in the record


def _as_int(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError
    return operator.index(value)


def integer(default: int, low: int, high: int, doc: str) -> Any:
    """An option that is a whole number low..high."""

    def check(value: Any, num_players: int) -> int:
        value = _as_int(value)
        if not low <= value <= high:
            raise ValueError
        return value

    return _option(default, f"{low}..{high}", doc, check, int)


def one_of(default: Any, values: tuple[Any, ...], doc: str) -> Any:
    """An option that is one of `values`; names are stored in the record as their index, numbers as they are."""
    by_name = isinstance(default, str) and all(isinstance(value, str) for value in values)

    def check(value: Any, num_players: int) -> Any:
        if not isinstance(value, str):
            value = _as_int(value)
        if value not in values:
            raise ValueError
        return value

    return _option(default, ", ".join(map(str, values)), doc, check, values.index if by_name else lambda value: value)


def flag(default: bool, doc: str) -> Any:
    """An option that is True or False."""

    def check(value: Any, num_players: int) -> bool:
        if value not in (True, False):
            raise ValueError
        return bool(value)

    return _option(default, "True, False", doc, check, int)


def seat(default: Any, doc: str) -> Any:
    """An option that is a seat, or "random" (stored as RANDOM)."""

    def check(value: Any, num_players: int) -> Any:
        if value == "random":
            return value
        value = _as_int(value)
        if not 0 <= value < num_players:
            raise ValueError
        return value

    return _option(
        default, "random, or a seat 0..num_players-1", doc, check, lambda value: RANDOM if value == "random" else value
    )


def _option(default: Any, allowed: str, doc: str, check: Callable[[Any, int], Any], store: Callable[[Any], Any]) -> Any:
    return field(default=default, metadata={"allowed": allowed, "doc": doc, "check": check, "store": store})


@dataclass(frozen=True)
class Options:
    """Base of every game's options; the first field is always `num_players`.

    Raises:
        ValueError: a value is not allowed; the message names the option, the value and what is allowed.
    """

    num_players: int

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            try:
                checked = each.metadata["check"](value, self.num_players)
            except (TypeError, ValueError):
                raise ValueError(f"option {each.name}={value!r} is not allowed; allowed: {each.metadata['allowed']}") from None
            object.__setattr__(self, each.name, checked)
        self.check()

    def check(self) -> None:
        """For a game to refuse options that contradict each other (ValueError)."""

    def stored(self) -> dict[str, Any]:
        """The values that go into the record's fields of the same names."""
        return {each.name: each.metadata["store"](getattr(self, each.name)) for each in fields(self)}

    @classmethod
    def make(cls: type[O], game_id: str, values: Mapping[str, Any]) -> O:
        """Options from keywords.

        Raises:
            ValueError: an option is unknown (the message lists those there are) or has a value that is not allowed.
        """
        known = [each.name for each in fields(cls)]
        for name in values:
            if name not in known:
                raise ValueError(f"{game_id} has no option {name!r}; options: {', '.join(known)}")
        try:
            return cls(**values)
        except ValueError as error:
            raise ValueError(f"{game_id}: {error}") from None

    @classmethod
    def table(cls) -> list[tuple[str, str, str, str]]:
        """Rows of name, allowed values, default, meaning."""
        return [(each.name, each.metadata["allowed"], str(_default(each)), each.metadata["doc"]) for each in fields(cls)]

    @classmethod
    def types(cls) -> dict[str, Any]:
        """Type of each option, for command lines."""
        return get_type_hints(cls)


def _default(each: Field[Any]) -> Any:
    return each.default if each.default is not MISSING else ""
