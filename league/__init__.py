"""Leagues: matches between agents in one file, ratings with intervals, head-to-head, replays. See docs/guides/leagues.md."""

from .episode import Episode
from .errors import LeagueError, LeagueInterrupted, ReplayError, StoreError
from .executors import EXECUTORS
from .export import FORMATS
from .league import League
from .match import FORFEITS, Entry, MatchResult, Seat, Settings
from .replay import Move, Replay
from .running import Progress, Run
from .standings import Failure, Matrix, Row, Table

__all__ = [
    "EXECUTORS",
    "FORFEITS",
    "FORMATS",
    "Entry",
    "Episode",
    "Failure",
    "League",
    "LeagueError",
    "LeagueInterrupted",
    "MatchResult",
    "Matrix",
    "Move",
    "Progress",
    "Replay",
    "ReplayError",
    "Row",
    "Run",
    "Seat",
    "Settings",
    "StoreError",
    "Table",
]
