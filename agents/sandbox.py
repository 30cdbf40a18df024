"""A sandbox for bots, made by bubblewrap (`bwrap`, Linux): no network, no other files, no view of other processes.

It contains, read-only: the system's programs and libraries, the interpreter of a Python bot, and the files and folders that the
command line names. Only its own /tmp and /dev/shm are writable. Their size, the number of processes and threads, and the
address space of each process (by the guardian, as for every bot) are limited. See docs/guides/bots.md.
"""

from __future__ import annotations

import functools
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

PROCESSES = 256  # and threads
TMP_MIB = 256

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime")
_OWN = ("/proc", "/dev", "/sys")  # the sandbox has its own, or none
_WRITABLE = ("/tmp", "/dev/shm")
_PYTHON = ("bin", "lib", "lib64", "pyvenv.cfg")  # of an installation or a virtual environment
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"}
_NAMESPACES = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
# Set inside, because processes are counted per user and user namespace. Shells use one of two names for this limit.
_COUNTED = f'{{ ulimit -u {PROCESSES} || ulimit -p {PROCESSES}; }} 2>/dev/null && exec "$@"'
_FIRST_USER = 1 << 30  # no system has users from here on
_CHECK_SECONDS = 30.0


def confined(command: Sequence[str]) -> list[str]:
    """The command line that runs a command in the sandbox.

    Raises:
        ValueError: there is no bubblewrap, it cannot make a sandbox here, or there is no such program.
    """
    _check()
    program = shutil.which(command[0])
    if program is None:
        raise ValueError(f"cmd: program {command[0]!r} not found")
    words = [_absolute(program), *command[1:]]
    paths = {*_interpreters(Path(words[0])), *_named(words)} - {"/", *_SYSTEM, *_OWN}
    covered = tuple(f"{path}/" for path in (*_SYSTEM, *_OWN, *paths))
    return _wrapped(words, sorted(path for path in paths if not path.startswith(covered)))


@functools.cache
def _check() -> None:
    """Make a sandbox once, so that a failure is reported before bots forfeit because of it."""
    if shutil.which("bwrap") is None:
        raise ValueError(
            "the sandbox needs Linux and bubblewrap, but the program bwrap was not found; install the package bubblewrap, "
            "for example with `apt-get install bubblewrap` or `dnf install bubblewrap`"
        )
    try:
        done = subprocess.run(_wrapped(["/bin/sh", "-c", ":"], []), capture_output=True, text=True, timeout=_CHECK_SECONDS)
    except subprocess.TimeoutExpired:
        raise ValueError(f"bubblewrap did not start a sandbox within {_CHECK_SECONDS:g} s") from None
    if done.returncode != 0:
        said = done.stderr.strip() or f"exit status {done.returncode}"
        raise ValueError(f"bubblewrap (0.7 or newer is needed) cannot start a sandbox here: {said}")


def _absolute(path: str | Path) -> str:
    """Without resolving links: Python uses the files beside a link."""
    return os.path.normpath(Path(path).absolute())


def _interpreters(program: Path) -> Iterator[str]:
    """If it is Python, the required paths of its virtual environment and of the installation behind it."""
    while True:
        home = program.parent.parent
        if (home / "pyvenv.cfg").is_file() or any(home.glob("lib/python3*/os.py")):
            yield from (_absolute(home / name) for name in _PYTHON if (home / name).exists())
        if not program.is_symlink():
            return
        program = Path(os.path.normpath(program.parent / program.readlink()))


def _named(words: Sequence[str]) -> Iterator[str]:
    """The files and folders that a command line names, as `path` or as `something=path`."""
    for word in words:
        yield from (_absolute(path) for path in (word, word.partition("=")[2]) if path and Path(path).exists())


def _wrapped(command: Sequence[str], paths: Sequence[str]) -> list[str]:
    """The command in a sandbox with the system's folders and these `paths`."""
    start = str(Path.cwd())
    words = ["bwrap", "--die-with-parent", "--new-session", *_NAMESPACES, "--clearenv"]
    for name, value in _ENVIRONMENT.items():
        words += ["--setenv", name, value]
    for folder in map(Path, _SYSTEM):
        if folder.is_symlink():
            words += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            words += ["--ro-bind", str(folder), str(folder)]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for path in _WRITABLE:
        words += ["--perms", "1777", "--size", str(TMP_MIB << 20), "--tmpfs", path]
    above = {str(parent) for path in (*_ETC, *paths, start) for parent in Path(path).parents}
    for path in sorted({*above, start} - {"/", "/tmp"}):
        words += ["--perms", "0755", "--dir", path]  # folders that bwrap makes itself are open only to its own user
    for path in (*_ETC, *paths):
        words += ["--ro-bind-try", path, path]
    words += ["--chdir", start, "--remount-ro", "/dev", "--remount-ro", "/"]
    inside = ["/bin/sh", "-c", _COUNTED, "sh"]
    if os.geteuid() == 0:  # root's processes are not counted: the bot runs as an otherwise unused user
        user = str(_FIRST_USER + secrets.randbelow(_FIRST_USER))
        words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        inside += ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--"]
    else:
        words += ["--unshare-user"]
    return [*words, "--", *inside, *command]
