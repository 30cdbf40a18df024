"""The guardian: a small program between the host and a bot that kills the bot's process tree when either of them ends.

    python -I -S guardian.py HOST STATUS LIMITS COMMAND...

HOST is the host's process id, STATUS a pipe for a text that reports how the bot ended, LIMITS such as
`AS=8589934592,NOFILE=256`. It starts a second guardian, which starts the bot. Each is a child subreaper: it adopts orphaned
descendants, so that none escapes by its own session or the death of its parent. Each kills all its descendants when its parent
or its child ends, or on SIGTERM. So nothing of the bot survives, whichever process is killed: host, guardian or bot.

Only Linux has subreapers and signals the death of a parent. Elsewhere there is one guardian, which checks its parent every
second and kills the bot's process group.

Every start of a bot includes the guardian's, so it imports almost nothing.
"""

from __future__ import annotations

import os
import resource
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
else:
    import _signal as signal  # the module below it, without names for the numbers: they take a quarter of the time to start

_END_SECONDS = 10.0  # for killing all descendants; those that cannot be killed (another user's, stuck in the kernel) are left
_LINUX = sys.platform.startswith("linux")
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
_LOOK = signal.SIGALRM  # the timer for checking the parent
_STOP = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
_WATCHED = {_LOOK, signal.SIGCHLD, *_STOP}


def follow(parent: int, number: int = signal.SIGKILL) -> None:
    """Have a signal sent to this process when its parent dies, or now if it is already dead.

    Linux also sends it when the thread that started this process ends. Elsewhere it is only sent now, never later.
    """
    _prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def _prctl(option: int, value: int) -> None:
    if _LINUX:
        import ctypes

        ctypes.CDLL(None).prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0)))


def main(host: int, status: int, limits: str, command: list[str]) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    for number in _WATCHED:
        signal.signal(number, lambda *_: None)  # some systems cannot wait for an ignored signal
    os.set_inheritable(status, False)

    def bot(guardian: int) -> None:
        _run(guardian, status, limits, command)

    _guard(host, status, (lambda first: _guard(first, status, bot)) if _LINUX else bot)


def _guard(parent: int, status: int, start: Callable[[int], None]) -> None:
    """Run `start` in a child; when the child or the parent ends, or on a signal, kill all descendants."""
    own = os.getpid()
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    follow(parent, _LOOK)
    if not _LINUX:
        signal.setitimer(signal.ITIMER_REAL, 1.0, 1.0)
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            start(own)
        finally:
            os._exit(127)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # only the bot keeps its pipes open, so that they close with it
        os.dup2(nowhere, stream)
    while True:
        number = signal.sigwait(_WATCHED)
        ended, _ = _reap()
        if child in ended:
            _tell(status, _words(ended[child]))
        if child in ended or number in _STOP or os.getppid() != parent:
            return _end_all(child)


def _run(parent: int, status: int, limits: str, command: list[str]) -> None:
    """Become the bot."""
    follow(parent)
    for limit in limits.split(","):
        name, _, value = limit.partition("=")
        try:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (int(value), int(value)))
        except (OSError, ValueError):  # above the hard limit
            pass
    try:
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")  # out of memory, the system kills bots first
    except OSError:
        pass
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and the bot would inherit this
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    try:
        os.execvp(command[0], command)
    except OSError as error:
        _tell(status, f"cannot be started: [Errno {error.errno}] {error.strerror}: {command[0]!r}")


def _tell(status: int, text: str) -> None:
    try:
        os.write(status, f"{text}\n".encode(errors="replace"))
    except OSError:  # the host is gone
        pass


def _reap() -> tuple[dict[int, int], bool]:
    """The children that have ended (process id -> wait status), and whether there are others."""
    ended: dict[int, int] = {}
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return ended, True
            ended[pid] = status
    except ChildProcessError:
        return ended, False


def _words(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"ended with exit status {code}"
    from signal import Signals

    names = {int(number): number.name for number in Signals}
    return f"was killed by signal {-code} ({names.get(-code, 'no name')})"


def _end_all(child: int) -> None:
    """Kill all descendants. All are stopped first, so that none can fork while others are killed."""
    for target in (child, -child):  # most bots have only this process group
        _kill(target, signal.SIGKILL)
    until, own = time.monotonic() + _END_SECONDS, os.getpid()
    while _reap()[1] and time.monotonic() < until:
        ours, others = {own}, {1}
        while _freeze(ours, others) and time.monotonic() < until:
            pass
        for pid in ours - {own}:
            _kill(pid, signal.SIGKILL)
        time.sleep(0.001)


def _freeze(ours: set[int], others: set[int]) -> bool:
    """Stop descendants that are not known yet; returns whether there were any. Children usually have higher ids than parents,
    so one pass over /proc, which is sorted, finds nearly all; the rest are found later, when they have become our children."""
    before = len(ours)
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if not name.isdecimal() or int(name) in ours or int(name) in others:
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except OSError:  # it is gone
            continue
        if int(parent) in ours and state not in b"ZX":
            ours.add(int(name))
            _kill(int(name), signal.SIGSTOP)
        else:
            others.add(int(name))
    return len(ours) > before


def _kill(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
    os._exit(0)  # skips Python's cleanup
