"""Memory checks: a request for too much memory is refused before any is allocated."""

from __future__ import annotations

import os
import re
from pathlib import Path

_MEMINFO, _CGROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup/memory.max")
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def available() -> int | None:
    """The bytes available to this process, including swap; None if the system does not report them."""
    try:
        sizes = dict(re.findall(r"^(\w+):\s+(\d+) kB$", _MEMINFO.read_text(), re.MULTILINE))
        free = (int(sizes["MemAvailable"]) + int(sizes["SwapFree"])) * 1024
    except (OSError, KeyError):
        try:
            free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, OSError, ValueError):
            return None
    try:
        return min(free, int(_CGROUP.read_text()))
    except (OSError, ValueError):  # no limit: not set, or "max"
        return free


def check(request: str, needed: int) -> None:
    """Raise ValueError if a request needs more memory than is available.

    Args:
        request: the request for the message, such as `num_games=1000`.
        needed: the estimated number of bytes.

    Raises:
        ValueError: the memory is not available.
    """
    free = available()
    if free is not None and needed > free:
        raise ValueError(f"{request} needs about {_readable(needed)} of memory, but only {_readable(free)} are free")


def _readable(size: int) -> str:
    unit = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    return f"{size / 1024**unit:,.3g} {_UNITS[unit]}" if unit else f"{size} bytes"
