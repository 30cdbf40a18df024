"""A bot that leaves processes behind in every way, and then plays or misbehaves: `python hostile_bot.py DEED TOKEN`.

All its processes have the TOKEN in their command line, by which `processes.alive` finds them.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time

CHILDREN = 5  # that stay
END = time.monotonic() + 600  # should nobody end them


def linger() -> None:
    """A process that nothing asks to end by."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    while time.monotonic() < END:
        time.sleep(1)
    os._exit(0)


def plain() -> None:
    if os.fork() == 0:
        linger()


def session() -> None:
    if os.fork() == 0:
        os.setsid()
        linger()


def mute() -> None:
    if os.fork() == 0:
        os.setsid()
        for stream in (0, 1, 2):
            os.close(stream)
        linger()


def orphan() -> None:
    """Forked twice, the process between having ended."""
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            linger()
        os._exit(0)
    os.waitpid(child, 0)


def stopped() -> None:
    if os.fork() == 0:
        os.setsid()
        os.kill(os.getpid(), signal.SIGSTOP)


def runner() -> None:
    """Moves from process to process and from session to session."""
    if os.fork() == 0:
        while time.monotonic() < END:
            os.setsid()
            time.sleep(0.002)
            if os.fork():
                break
        os._exit(0)


def bomb() -> None:
    """Many processes, each of which runs on."""
    for _ in range(30):
        runner()
    linger()


def flood(stream: int) -> None:
    while True:
        os.write(stream, b"x" * 65536)


def close_pipes() -> None:
    for stream in (0, 1, 2):
        os.close(stream)
    linger()


def kill_parent() -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    linger()


def stop_parents() -> None:
    """Stops its guardians, so that they can neither hear nor see."""
    parent = os.getppid()
    with open(f"/proc/{parent}/stat") as file:  # noqa: PTH123
        grandparent = int(file.read().rpartition(")")[2].split()[1])
    os.kill(grandparent, signal.SIGSTOP)
    os.kill(parent, signal.SIGSTOP)
    linger()


DEEDS = {
    "play": lambda: None,
    "crash": lambda: os._exit(3),
    "hang": linger,
    "close": close_pipes,
    "flood": lambda: flood(1),
    "flood-errors": lambda: flood(2),
    "bomb": bomb,
    "kill-parent": kill_parent,
    "stop-parents": stop_parents,
}


def main(deed: str) -> None:
    for start in (plain, session, mute, orphan, stopped):
        start()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print(json.dumps({"name": deed}), flush=True)
        elif message["type"] == "act":
            DEEDS[deed]()
            print(json.dumps({"action": message["legal"][0]}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
