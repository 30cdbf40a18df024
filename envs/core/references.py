"""Pickling by reference: an object held by a module is pickled as the module's name and its own name, and is unpickled as the
same object."""

from __future__ import annotations

import functools
import importlib
import pickle
import sys
from collections.abc import Iterable
from typing import Any


def by_name(held: Any, parts: Iterable[Any]) -> tuple[Any, tuple[str, str]]:
    """The value of `__reduce__` for an object that a module holds, such as `GAME`.

    Args:
        parts: functions and classes that the object consists of; their modules and packages are searched first, then other
            loaded modules.

    Raises:
        pickle.PicklingError: no module holds it.
    """
    return _imported, _place(held, tuple(dict.fromkeys(part.__module__ for part in parts)))


@functools.cache
def _place(held: Any, homes: tuple[str, ...]) -> tuple[str, str]:
    own = [home.rsplit(".", up)[0] for up in range(2) for home in homes]
    for module in [*own, *sys.modules]:
        for name, value in getattr(sys.modules.get(module), "__dict__", {}).items():
            if value is held:
                return module, name
    raise pickle.PicklingError(
        f"{held!r} cannot be pickled: no module holds it. Assign it to a name at the top of a module that can be imported"
    )


def _imported(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)
