"""However a league, a worker or another command is ended: no process stays, and what was finished is kept."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from processes import alive, bots, children, family, gone, hostile_bot, hosts, kept, none_left
from support import WITHIN, short, wait_for

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells of all this")

GAME = ["tennis", "-n", "2", "-o", "max_tricks=50"]
Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the command in a process group of its own, as a shell does."""
    started = []

    def run(*words: str) -> subprocess.Popen[bytes]:
        code = "import sys; from wilddeck.cli import main; sys.exit(main(sys.argv[1:]))"
        with (tmp_path / "output").open("wb") as output:
            started.append(
                subprocess.Popen(
                    [sys.executable, "-c", code, *words],
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            )
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.communicate()


def league(start: Start, path: Path, workers: int, bot: str) -> subprocess.Popen[bytes]:
    words = [*GAME, "-a", "random", "-a", f"bot=cmd:{bot}", "--deals", "100000", "--move-seconds", "1000"]
    return start("league", "run", str(path), *words, "--workers", str(workers))


@pytest.mark.parametrize(
    ("number", "to_group", "workers"),
    [
        pytest.param(signal.SIGINT, True, 2, marks=pytest.mark.long),  # Ctrl-C at a terminal
        pytest.param(signal.SIGTERM, False, 2, marks=pytest.mark.long),
        pytest.param(signal.SIGHUP, True, 2, marks=pytest.mark.long),  # the terminal is closed
        (signal.SIGTERM, False, 1),
        pytest.param(signal.SIGKILL, False, 2, marks=pytest.mark.long),
        pytest.param(signal.SIGKILL, False, 1, marks=pytest.mark.long),
    ],
)
def test_a_league_that_is_ended(start: Start, tmp_path: Path, number: signal.Signals, to_group: bool, workers: int) -> None:
    bot, token = hostile_bot("play")
    path = tmp_path / "league"
    running = league(start, path, workers, bot)
    wait_for(lambda: running.poll() is not None or (len(hosts(token)) == workers and kept(path) >= 4))
    whole, before = family(running.pid), kept(path)
    (os.killpg if to_group else os.kill)(running.pid, number)
    status = running.wait(WITHIN)
    output = (tmp_path / "output").read_text()
    wait_for(lambda: none_left(token) and all(map(gone, whole)))
    assert kept(path) >= before
    if number == signal.SIGKILL:
        assert status == -number, output
    else:
        assert status == 128 + number, output
        assert "Traceback" not in output
        said = re.search(r"stopped after (\d+) of", " ".join(output.split()))
        assert said is not None and int(said[1]) == kept(path), output


@pytest.mark.parametrize("number", short([signal.SIGINT, signal.SIGTERM], [signal.SIGTERM]))
def test_a_league_that_is_ended_while_its_workers_start(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    bot, token = hostile_bot("play")
    running = league(start, tmp_path / "league", 2, bot)
    wait_for(lambda: running.poll() is not None or children(running.pid) - alive(token))
    whole = family(running.pid)
    os.killpg(running.pid, number)
    status = running.wait(WITHIN)
    output = (tmp_path / "output").read_text()
    assert status == 128 + number and "Traceback" not in output, output
    wait_for(lambda: none_left(token) and all(map(gone, whole)))


@pytest.mark.parametrize("number", short([signal.SIGINT, signal.SIGTERM], [signal.SIGINT]))
@pytest.mark.parametrize("workers", short([1, 2], [1]))
def test_a_league_that_is_ended_while_bots_think_ends_at_once(
    start: Start, tmp_path: Path, number: signal.Signals, workers: int
) -> None:
    """In this process, too; they have 1000 seconds."""
    bot, token = hostile_bot("hang")
    running = league(start, tmp_path / "league", workers, bot)
    wait_for(lambda: running.poll() is not None or len(hosts(token)) == workers)
    running.send_signal(number)
    status = running.wait(15)
    output = (tmp_path / "output").read_text()
    assert status == 128 + number and "Traceback" not in output and "stopped after" in output, output
    wait_for(lambda: none_left(token))


@pytest.mark.long
def test_a_league_that_is_killed_while_bots_think(start: Start, tmp_path: Path) -> None:
    """Workers do not wait for their bots, which have 1000 seconds."""
    bot, token = hostile_bot("hang")
    running = league(start, tmp_path / "league", 2, bot)
    wait_for(lambda: running.poll() is not None or len(hosts(token)) == 2)
    whole = family(running.pid)
    running.kill()
    running.wait()
    wait_for(lambda: none_left(token) and all(map(gone, whole)))


@pytest.mark.long
def test_a_worker_that_is_killed_takes_its_bots_with_it(start: Start, tmp_path: Path) -> None:
    bot, token = hostile_bot("play")
    running = league(start, tmp_path / "league", 2, bot)
    wait_for(lambda: running.poll() is not None or len(hosts(token)) == 2)
    worker = min(hosts(token))
    whole = family(worker)
    os.kill(worker, signal.SIGKILL)
    wait_for(lambda: all(map(gone, whole)))
    wait_for(lambda: running.poll() is not None or len(hosts(token)) == 2)  # another takes its place
    assert running.poll() is None


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (["evaluate", "tennis", "{bot}", "--against", "random", "--games", "1000000", "-n", "2"], signal.SIGTERM),
        (["watch", *GAME, "-a", "{bot}"], signal.SIGKILL),
        (["play", *GAME, "-a", "{bot}", "--seat", "1"], signal.SIGHUP),
    ],
)
def test_bots_of_other_commands_end_with_them(start: Start, words: list[str], number: signal.Signals) -> None:
    bot, token = hostile_bot("play" if words[0] == "evaluate" else "hang")
    running = start(*(word.format(bot=f"cmd:{bot}") for word in words))
    wait_for(lambda: running.poll() is not None or bots(token))
    whole = family(running.pid)
    running.send_signal(number)
    assert running.wait(WITHIN) == -number
    wait_for(lambda: none_left(token) and all(map(gone, whole)))
