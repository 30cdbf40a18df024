"""What tests of processes use: hostile bots, and who of them is alive."""

from __future__ import annotations

import contextlib
import sys
import uuid
from pathlib import Path

from support import TESTS
from wilddeck.league import League, StoreError


def hostile_bot(deed: str) -> tuple[str, str]:
    """The command line of a bot (see hostile_bot.py) and the token by which its processes are found."""
    token = uuid.uuid4().hex
    return f"{sys.executable} -I -S {TESTS / 'hostile_bot.py'} {deed} {token}", token


def alive(token: str) -> set[int]:
    """The processes with a token as an argument: bots, what they forked, and their guardians. Zombies have no arguments."""
    return {pid for pid in _numbers() if token.encode() in _read(pid, "cmdline").split(b"\0")}


def bots(token: str) -> set[int]:
    """Those of them that are not guardians."""
    return {pid for pid in alive(token) if b"guardian.py" not in _read(pid, "cmdline")}


def hosts(token: str) -> set[int]:
    """The processes that have such bots."""
    living = alive(token)
    return {parent(pid) for pid in living - bots(token)} - living


def none_left(*tokens: str) -> bool:
    """Whether no such process is alive, not even one that moves on while it is looked for."""
    return not any(alive(token) for _ in range(5) for token in tokens)


def children(pid: int) -> set[int]:
    return {number for number in _numbers() if not gone(number) and _stat(number)[1] == str(pid)}


def family(pid: int) -> set[int]:
    """The process and all below it."""
    return {pid}.union(*map(family, children(pid)))


def parent(pid: int) -> int:
    return int(_stat(pid)[1])


def gone(pid: int) -> bool:
    """Whether the process has ended (a zombie has)."""
    return _stat(pid)[0] in ("Z", "X")


def kept(path: Path) -> int:
    """How many results a league's file holds."""
    with contextlib.suppress(StoreError), League(path) as opened:
        return len(opened.results())
    return 0  # it is only being made


def _numbers() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]


def _stat(pid: int) -> list[str]:
    """State, parent and what follows."""
    return _read(pid, "stat").decode().rpartition(")")[2].split() or ["X", "0"]


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""
