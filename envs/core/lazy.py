"""Modules that are imported when they are first named."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from typing import Any


def submodules(package: str, elsewhere: Mapping[str, str] | None = None) -> Callable[[str], Any]:
    """A package's `__getattr__`: after `import package`, `package.module` imports the module, so that what a document or a
    message names can be written as it stands, and the import of the package stays light.

    Args:
        elsewhere: attributes that are modules deeper down, such as {"cards": ".envs.core.cards"}.
    """

    def __getattr__(name: str) -> Any:  # noqa: N807 - Python's name for it
        path = importlib.util.resolve_name((elsewhere or {}).get(name, f".{name}"), package)
        found = None if name.startswith("_") else importlib.util.find_spec(path)
        if found is None or found.origin is None:  # a folder without modules is none
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(path)

    return __getattr__
