"""Pickling by reference: what a module holds is sent as the module's name and its own, and is the same object again."""

from __future__ import annotations

import functools
import importlib
import pickle
import sys
from collections.abc import Iterable
from typing import Any


def by_name(held: Any, parts: Iterable[Any]) -> tuple[Any, tuple[str, str]]:
    """What `__reduce__` of an object returns that some module holds, as `GAME` say.

    Args:
        parts: functions and classes the object is made of; their modules and packages are searched first, the others loaded
            after them.

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
