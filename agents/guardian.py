"""The guardian: a small program between the host and a bot, which ends the bot and all it started when either is gone.

    python -I -S guardian.py HOST STATUS LIMITS COMMAND...

HOST is the host's process, STATUS a pipe that is told in words how the bot ended, LIMITS such as `AS=8589934592,NOFILE=256`.
It starts a second guardian, and this one the bot. Each adopts what its descendants leave behind (a child subreaper), so that
none gets away by a session of its own or a parent that ends, and each kills them all when its parent or its child is gone or
SIGTERM says so. So whichever one process is killed, host, guardian or bot, nothing of the bot stays.

Only Linux has subreapers and tells a process of its parent's death. Elsewhere there is one guardian, which looks for its parent
every second and kills the bot's process group.

It must start fast: a bot is started through it each time. So it imports next to nothing.
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

_END_SECONDS = 10.0  # for ending all descendants; what cannot be killed (another user's, stuck in the kernel) is left
_LINUX = sys.platform.startswith("linux")
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
_LOOK = signal.SIGALRM  # says only that it is time to look whether the parent is there
_STOP = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
_WATCHED = {_LOOK, signal.SIGCHLD, *_STOP}


def follow(parent: int, number: int = signal.SIGKILL) -> None:
    """Have a signal sent to this process when its parent dies, or now if it is dead already.

    Linux also sends it when only the thread ends that started this process. Elsewhere it may be sent now, but not later.
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
        signal.signal(number, lambda *_: None)  # not every system lets one wait for a signal that it would ignore
    os.set_inheritable(status, False)

    def bot(guardian: int) -> None:
        _run(guardian, status, limits, command)

    _guard(host, status, (lambda first: _guard(first, status, bot)) if _LINUX else bot)


def _guard(parent: int, status: int, start: Callable[[int], None]) -> None:
    """Run `start` in a child; when the child or the parent is gone, or a signal says so, end all descendants."""
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
    for stream in (0, 1, 2):  # the bot alone holds its pipes, so that they end with it
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
        except (OSError, ValueError):  # more than is allowed here
            pass
    try:
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")  # when memory runs out the system kills bots first
    except OSError:
        pass
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and the bot would too
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
    """The children that have ended, process -> wait status, and whether there are others."""
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
    """Kill every descendant. All are frozen first: what forks on and on cannot while the others are killed."""
    for target in (child, -child):  # most bots have nothing but their first group
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
    """Stop the descendants that are not known yet; whether there were any. Children mostly have higher numbers than parents, so
    one pass over /proc, which is in order, finds nearly all; what it misses is found later, when it has been left to us."""
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
    os._exit(0)  # nothing is left to be tidied up
