"""What goes wrong with a league, each with one message for people."""


class LeagueError(RuntimeError):
    """A league cannot be opened, run or read; the message says why and what to do."""


class StoreError(LeagueError):
    """The league's file cannot be read or written. Results written before stay."""


class ReplayError(LeagueError):
    """A recorded match cannot be played again as recorded: the rules or the file have changed."""


class LeagueInterrupted(KeyboardInterrupt):
    """Ctrl-C: all finished matches are in the file, and the same call goes on from there."""
