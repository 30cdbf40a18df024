"""Parsing of browsers' messages: a JSON object, whose fields are all checked by type here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..envs.core.files import is_number, read_json
from .limits import Refused


@dataclass(frozen=True)
class Kind:
    """A type of a field: its description in words, and the check of a value."""

    words: str
    fits: Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(value.encode() or True)
    except UnicodeEncodeError:  # half of a surrogate pair
        return False


def _is_whole(value: Any) -> bool:
    return type(value) is int and abs(value) < 1 << 53


TEXT = Kind("text", _is_text)
TEXT_OR_NULL = Kind("text or null", lambda value: value is None or _is_text(value))
WHOLE = Kind("a whole number", _is_whole)
COUNT = Kind("a whole number, at least 0", lambda value: _is_whole(value) and value >= 0)
SEAT_OR_NULL = Kind("a seat's whole number, or null", lambda value: value is None or _is_whole(value))
SECONDS = Kind("a number of seconds, at least 0", lambda value: is_number(value) and value >= 0)
SECONDS_OR_NULL = Kind(f"{SECONDS.words}, or null", lambda value: value is None or SECONDS.fits(value))
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
TEXTS = Kind(
    "a list of at most 100 strings", lambda value: isinstance(value, list) and len(value) <= 100 and all(map(_is_text, value))
)
OBJECT = Kind("an object", lambda value: isinstance(value, dict))
OBJECT_OR_NULL = Kind("an object or null", lambda value: value is None or isinstance(value, dict))

_NEEDED: Any = object()


def field(values: Mapping[str, Any], name: str, kind: Kind, default: Any = _NEEDED) -> Any:
    """A field of a browser's message.

    Raises:
        Refused: the field is missing and has no default, or has another type.
    """
    if name not in values and default is not _NEEDED:
        return default
    if name not in values or not kind.fits(values[name]):
        raise Refused(f"{name} must be {kind.words}")
    return values[name]


def parse(text: str | bytes) -> dict[str, Any]:
    """Parse a JSON object.

    Raises:
        Refused: the text is not a JSON object.
    """
    try:
        value = read_json(text)
    except ValueError as error:
        raise Refused(f"this is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Refused("send a JSON object")
    return value
