"""The log lines of each viewer, and which of the latest can be taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..envs.core.aec import CardGameEnv
from ..envs.core.escape import plain
from .players import Viewer

LINE = 240  # characters per line


class Log:
    """The log lines of a seat (None: of a viewer who sees all)."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.lines: list[dict[str, Any]] = []
        self.number = 0  # the number of all lines so far

    def add(self, text: str, seat: int | None = None, kind: str = "move") -> None:
        self.lines.append({"n": self.number, "seat": seat, "text": plain(text)[:LINE], "kind": kind})
        self.number += 1
        del self.lines[: -self.most]

    def since(self, number: int) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["n"] >= number]

    def back_to(self, number: int) -> None:
        """Drop the newest lines."""
        self.lines = [line for line in self.lines if line["n"] < number]
        self.number = number


@dataclass
class Before:
    """The game before an action of an unfinished choice, and whether the action can be taken back."""

    secret: bool
    env: CardGameEnv
    actions: int
    told: dict[Viewer, int]
    logs: dict[Viewer, int]
