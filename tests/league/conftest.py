"""Fixtures of the league's tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

# Worker processes import the agents by this name, too: the path is handed on to them.
sys.path.insert(0, str(Path(__file__).parent))

import league_agents
from wilddeck.league import League


@pytest.fixture
def open_league(tmp_path: Path) -> Iterator[Callable[..., League]]:
    """Makes leagues of two-player tennis whose specs may name the agents of league_agents.py; closes them after the test."""
    opened: list[League] = []

    def make(name: str = "test.league", num_players: int = 2, agents: dict[str, str] | None = None, **arguments: Any) -> League:
        options = {"num_players": num_players, "max_tricks": 50}
        arguments = {"make": league_agents.make, "move_seconds": 20.0, "seed": 0, **arguments}
        league = League(tmp_path / name, "tennis_v0", options, **arguments)
        opened.append(league)
        for agent, spec in (agents or {}).items():
            league.add(agent, spec)
        return league

    yield make
    for league in opened:
        league.close()
