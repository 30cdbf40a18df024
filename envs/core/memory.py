"""What is asked for beside what there is: a request for too much memory is refused before any of it is taken."""

from __future__ import annotations

import os
import re
from pathlib import Path

_MEMINFO, _CGROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup/memory.max")
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def available() -> int | None:
    """Bytes that this process can hope for, swap included; None where the system does not say."""
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
    except (OSError, ValueError):  # no limit: none is set, or it says "max"
        return free


def check(request: str, needed: int) -> None:
    """Refuse what needs more memory than there is.

    Args:
        request: what was asked for, `num_games=1000` for example.
        needed: bytes it takes, as far as can be told.

    Raises:
        ValueError: there is not so much.
    """
    free = available()
    if free is not None and needed > free:
        raise ValueError(f"{request} needs about {_readable(needed)} of memory, and {_readable(free)} are free")


def _readable(size: int) -> str:
    unit = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    return f"{size / 1024**unit:,.3g} {_UNITS[unit]}" if unit else f"{size} bytes"
