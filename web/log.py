"""What viewers of a table are told, in lines, and what of it can be taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..envs.core.aec import CardGameEnv
from ..envs.core.escape import plain
from .players import Viewer

LINE = 240  # characters of a line


class Log:
    """What a seat (None: who sees all) has been told, in lines."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.lines: list[dict[str, Any]] = []
        self.number = 0  # of all lines there ever were

    def add(self, text: str, seat: int | None = None, kind: str = "move") -> None:
        self.lines.append({"n": self.number, "seat": seat, "text": plain(text)[:LINE], "kind": kind})
        self.number += 1
        del self.lines[: -self.most]

    def since(self, number: int) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["n"] >= number]

    def back_to(self, number: int) -> None:
        """Forget the newest lines."""
        self.lines = [line for line in self.lines if line["n"] < number]
        self.number = number


@dataclass
class Before:
    """The game as it stood before an action of a half-made choice, and whether the action can be taken back."""

    secret: bool
    env: CardGameEnv
    actions: int
    told: dict[Viewer, int]
    logs: dict[Viewer, int]
