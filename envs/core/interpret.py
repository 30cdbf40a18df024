"""Running rules as ordinary Python in a process that also has them compiled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import CellType, FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from .reached import plain, values_of

_made: dict[Any, Any] = {}
_making = threading.RLock()


def interpreted(function: Callable[..., Any]) -> Any:
    """The Python function behind a device function or kernel, which calls the Python functions behind its callees, for use from
    ordinary Python with a record (`as_record`)."""
    with _making:
        if function not in _made:
            origin = plain(function)
            cells = tuple(CellType(_form(cell.cell_contents)) for cell in origin.__closure__ or ())
            copy = FunctionType(origin.__code__, dict(origin.__globals__), origin.__name__, origin.__defaults__, cells)
            _made[function] = copy  # before the callees: a function that reads a field of its own name seems to call itself
            for name, value in values_of(origin):
                if plain(value) is not value:
                    _set(copy.__globals__, name, interpreted(value))
        return _made[function]


def _form(value: Any) -> Any:
    return value if plain(value) is value else interpreted(value)


def _set(names: dict[str, Any], name: str, value: Any) -> None:
    """Set a global, or (`module.name`) an attribute in a copy of a module."""
    holder, _, attribute = name.rpartition(".")
    if not holder:
        names[name] = value
    elif holder in names:
        names[holder] = SimpleNamespace(**{**vars(names[holder]), attribute: value})


def interpret(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Run a kernel on these arguments without compiling it; the result is equal to the byte. Errors show the lines of the
    rules."""
    with np.errstate(over="ignore"):  # the arithmetic of the generator wraps around by design
        return interpreted(function)(*map(_with_attributes, arguments))


def _with_attributes(argument: Any) -> Any:
    """Records with attribute access (`state.hand`), also inside named tuples."""
    if isinstance(argument, np.ndarray) and argument.dtype.names is not None:
        return argument.view(np.recarray)
    if hasattr(argument, "_fields"):
        return type(argument)(*map(_with_attributes, argument))
    return argument
