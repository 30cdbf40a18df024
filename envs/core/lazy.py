"""Lazy imports of a package's modules."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any


def submodules(package: str) -> Callable[[str], Any]:
    """A package's `__getattr__`: after `import package`, `package.module` imports the module. Names in documentation and
    messages work as written, and importing the package stays fast."""

    def __getattr__(name: str) -> Any:  # noqa: N807 - Python's name
        path = f"{package}.{name}"
        module = None if name.startswith("_") else importlib.util.find_spec(path)
        if module is None or module.origin is None:  # a folder without modules has no attributes
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(path)

    return __getattr__
