"""Modules that are imported when they are first named."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any


def submodules(package: str) -> Callable[[str], Any]:
    """A package's `__getattr__`: after `import package`, `package.module` imports the module, so that what a document or a
    message names can be written as it stands, and the import of the package stays light."""

    def __getattr__(name: str) -> Any:  # noqa: N807 - Python's name for it
        path = f"{package}.{name}"
        module = None if name.startswith("_") else importlib.util.find_spec(path)
        if module is None or module.origin is None:  # a folder without modules is none
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(path)

    return __getattr__
