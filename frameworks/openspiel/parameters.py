"""Conversion between options of games and OpenSpiel's parameters."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any

from ...envs.core import options as opt
from ...envs.core.game import Game
from .moments import HISTORY

_FLAGS = {"True": True, "False": False}
_ONE = ";"  # marks a tuple with one number
_NUMERIC = frozenset("0123456789+-.")
OWN_PARAMETERS: dict[str, Any] = {"decks": "", "deals": 0, "step_rewards": False, "history": HISTORY}


def declared_options(game: Game) -> dict[str, Field[Any]]:
    """The options of a game by the names of their parameters; those named like a parameter of the adapter get a trailing _."""
    options = [option for option in fields(game.options) if option.default is not MISSING]
    return {f"{option.name}_" if option.name in OWN_PARAMETERS else option.name: option for option in options}


def as_parameter(value: Any, option: Field[Any]) -> Any:
    """An option as an OpenSpiel parameter. A parameter has one type, so numbers and flags that may also be names are quoted, as
    are names that look like numbers, such as 9-11."""
    if isinstance(value, str):
        return f"'{value}'" if _NUMERIC.issuperset(value) else value
    if option.type in ("bool", "int", bool, int) and isinstance(option.default, int):
        return value
    if value is None:
        return opt.NONE
    if isinstance(value, tuple):
        return "'" + " ".join(map(str, value)) + _ONE * (len(value) == 1) + "'"
    return f"'{value}'"


def from_parameter(value: Any, option: Field[Any]) -> Any:
    if not isinstance(value, str) or not value.startswith("'"):
        return value
    text = value.strip("'")
    if text in option.metadata["samples"](1):  # a name that looks like a number
        return text
    values = tuple(
        _FLAGS[word] if word in _FLAGS else float(word) if "." in word else int(word) for word in text.rstrip(_ONE).split()
    )
    return values if len(values) > 1 or isinstance(option.default, tuple) or text.endswith(_ONE) else values[0]


def read_decks(text: str) -> list[list[int]]:
    return [[int(card) for card in deck.split()] for deck in text.split("/")] if text else []
