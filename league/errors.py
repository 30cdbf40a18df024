"""What goes wrong with a league, each with one message for people."""

from __future__ import annotations

import signal


class LeagueError(RuntimeError):
    """A league cannot be opened, run or read; the message says why and what to do."""


class StoreError(LeagueError):
    """The league's file cannot be read or written. Results written before stay."""


class ReplayError(LeagueError):
    """A recorded match cannot be played again as recorded: the rules or the file have changed."""


class LeagueInterrupted(KeyboardInterrupt):
    """Ctrl-C, SIGTERM or SIGHUP: all finished matches are in the file, and the same call goes on from there.

    Attributes:
        signal: which it was.
    """

    def __init__(self, message: str, number: int = signal.SIGINT) -> None:
        super().__init__(message)
        self.signal = number
