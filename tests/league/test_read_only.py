"""Leagues on disks and in folders that cannot be written: they are read, and writing gives one clear error."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import league_agents
import pytest
from support import WITHIN
from wilddeck.cli import main
from wilddeck.league import League, StoreError

OpenLeague = Callable[..., League]
NOBODY = 65534
CANNOT_WRITE = "it cannot be written; check the rights of the file and of its folder"


@pytest.fixture
def played(open_league: OpenLeague) -> League:
    league = open_league(agents={"random": "random", "plain": "plain"})
    league.run(2)
    return league


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that others may look into, which pytest's are not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        Path(name).chmod(0o755)


class Reader:
    """Without rights to write, where this user is root: the tests then go on as nobody."""

    def __enter__(self) -> None:
        self.user = os.geteuid()
        if self.user == 0:
            os.seteuid(NOBODY)

    def __exit__(self, *_: object) -> None:
        os.seteuid(self.user)


def check_reading(path: Path, expected: str) -> None:
    with League(path, make=league_agents.make) as league:
        assert league.export("csv") == expected
        assert len(league.table(bootstrap=3).rows) == len(league.matrix().agents) == 2
        assert league.replay(league.results()[0].id).moves
        for write in (lambda: league.run(3), lambda: league.add("new", "plain")):
            with pytest.raises(StoreError, match=CANNOT_WRITE):
                write()
        assert league.run(2).played == 0  # nothing to write
    with League(path, "tennis_v0") as league:
        assert league.export("csv") == expected


posix = pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs the rights of POSIX")


@posix
@pytest.mark.parametrize("mode", [0o555, 0o777])
def test_a_file_and_a_folder_without_the_right_to_write(played: League, folder: Path, mode: int) -> None:
    expected = played.export("csv")
    played.close()
    path = folder / "a?b#c %20.league"
    shutil.copy(played.path, path)
    path.chmod(0o444)
    folder.chmod(mode)
    with Reader():
        check_reading(path, expected)


@posix
def test_results_that_stand_in_the_log_are_not_silently_left_out(played: League, folder: Path) -> None:
    """A run that was killed leaves a log; without it the file is of an earlier moment."""
    for name in ("test.league", "test.league-wal"):
        shutil.copy(played.path.with_name(name), folder / name)
        (folder / name).chmod(0o444)
    folder.chmod(0o555)
    with Reader(), pytest.raises(StoreError, match=r"latest results are in test\.league-wal.*copy both"):
        League(folder / "test.league")
    folder.chmod(0o755)
    with League(folder / "test.league") as league:
        assert league.export("csv") == played.export("csv")


@posix
def test_a_league_that_another_user_is_playing_is_read(played: League, folder: Path) -> None:
    expected, path = played.export("csv"), folder / "live.league"
    played.close()
    shutil.copy(played.path, path)
    with League(path, make=league_agents.make) as playing:
        playing.run(1)
        for file in folder.iterdir():
            file.chmod(0o644)
        folder.chmod(0o755)
        with Reader():
            check_reading(path, expected)


READ = """
    import sys
    from wilddeck.league import League, StoreError
    with League({path!r}) as league:
        print(league.export("csv"), end="")
        try:
            league.run(3)
        except StoreError as error:
            print(error, file=sys.stderr)
    try:
        League({path!r} + ".new", "tennis_v0")
    except StoreError as error:
        print(error, file=sys.stderr)
"""


def test_a_read_only_disk(played: League, tmp_path: Path) -> None:
    """A real one, where this machine lets us mount."""
    expected = played.export("csv")
    played.close()
    disk = tmp_path / "disk"
    disk.mkdir()
    path = disk / "test.league"
    shutil.copy(played.path, path)
    script = tmp_path / "read.py"
    script.write_text(textwrap.dedent(READ.format(path=str(path))))
    mount = f"mount --bind {disk} {disk} && mount -o remount,ro,bind {disk}"
    within = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    if shutil.which("unshare") is None or subprocess.run([*within, mount], capture_output=True).returncode:
        pytest.skip("no read-only disk can be mounted here")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = f"{mount} && exec {sys.executable} {script}"
    done = subprocess.run([*within, command], env=environment, capture_output=True, text=True, timeout=WITHIN)
    assert done.stdout == expected, done.stderr
    first, second = (line for line in done.stderr.splitlines() if "test.league" in line)
    assert CANNOT_WRITE in first and "it cannot be opened or made" in second


@posix
def test_the_command_reads_it_too(played: League, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played.close()
    path = folder / "test.league"
    shutil.copy(played.path, path)
    path.chmod(0o444)
    folder.chmod(0o555)

    def said(*words: str) -> tuple[int, str, str]:
        return main(["league", *words]), *capsys.readouterr()

    reading = ("table", "matrix", "export", "replay")
    writing = ("run", str(path), "tennis", "-n", "2", "-o", "max_tricks=50", "-a", "new=random")
    expected = [said(word, str(played.path)) for word in reading]
    with Reader():
        assert [said(word, str(path)) for word in reading] == expected and expected[0][0] == 0
        status, _, error = said(*writing)
    assert status == 1 and CANNOT_WRITE in error
