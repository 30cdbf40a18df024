"""The errors of leagues, each with one readable message."""

from __future__ import annotations

import signal


class LeagueError(RuntimeError):
    """A league cannot be opened, run or read; the message says why and what to do."""


class StoreError(LeagueError):
    """The league's file cannot be read or written. Results written before are kept."""


class ReplayError(LeagueError):
    """A replay differs from the record: the rules have changed, or the file was edited."""


class LeagueInterrupted(KeyboardInterrupt):
    """A run was interrupted by Ctrl-C, SIGTERM or SIGHUP. All finished matches are in the file; the same call continues.

    Attributes:
        signal: the signal's number.
    """

    def __init__(self, message: str, number: int = signal.SIGINT) -> None:
        super().__init__(message)
        self.signal = number
