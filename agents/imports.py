"""Things of other people's modules by their names, `module:name`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any


def search_working_folder() -> None:
    """Modules are looked for there, too, as `python -m` does."""
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))


def imported(name: str) -> Any:
    """What `module:name` (or `module:class.name`) names. Importing a module runs its code.

    Raises:
        ValueError: there is no such thing.
    """
    module, _, path = name.partition(":")
    search_working_folder()
    try:
        thing: Any = importlib.import_module(module)
        for part in path.split("."):
            thing = getattr(thing, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"cannot import {name!r}: {error}") from None
    return thing


def import_name(thing: Any) -> str:
    """The name by which `imported` finds a function or class; one in the running script is named by the script's file.

    Raises:
        ValueError: it has no such name, like a lambda or a function defined in a function.
    """
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", "<none>")
    if module == "__main__":
        file = getattr(sys.modules["__main__"], "__file__", None)
        module = None if file is None else Path(file).stem
    if not module or "<" in name:
        raise ValueError(
            f"{thing!r} cannot be imported by name; give a function or class at the top level of a module, or 'module:name'"
        )
    return f"{module}:{name}"
