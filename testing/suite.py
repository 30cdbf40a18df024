"""All checks."""

from __future__ import annotations

from . import batches, copies, declared, equal, events, leaks, parts, pasts, pettingzoo, play, processes, takeback, traces
from .checks import Check, checks_of

MODULES = (declared, play, leaks, traces, events, parts, takeback, pasts, copies, pettingzoo, equal, batches, processes)
CHECKS: tuple[Check, ...] = tuple(check for module in MODULES for check in checks_of(module))
