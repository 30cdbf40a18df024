"""The sandbox: what a bot in it cannot do, tried by bots that can do it outside."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile_bot import CHILDREN
from processes import bots, children, hostile_bot, none_left
from support import WITHIN, wait_for
from wilddeck import agents, envs
from wilddeck.agents import sandbox
from wilddeck.agents.base import AgentError, View
from wilddeck.agents.process import ProcessAgent
from wilddeck.cli import main
from wilddeck.league import League
from wilddeck.seats.single_seat import SingleSeatEnv
from wilddeck.training.evaluate import evaluate

TENNIS = envs.game("tennis_v0")
OPTIONS = TENNIS.make_options({"num_players": 2})

# A bot that says what it finds, in place of an answer.
BOT = """
import json, os, socket, sys
def tried(what):
    try:
        return what()
    except (OSError, MemoryError) as error:
        return type(error).__name__
sys.stdin.readline()
print(json.dumps({found}), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def bwrap() -> None:
    try:
        sandbox._check()
    except ValueError as error:
        pytest.skip(str(error))


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., Any]:
    """What a bot finds: the value of an expression, worked out by a bot in or outside the sandbox."""

    def value_of(expression: str, *arguments: str, confine: bool = True, memory_mib: int = 8192) -> Any:
        script = tmp_path / "folder" / "bot.py"
        script.parent.mkdir(exist_ok=True)
        script.write_text(BOT.replace("{found}", expression))
        command = " ".join([sys.executable, "-I", str(script), *arguments])
        agent = ProcessAgent(command, TENNIS, OPTIONS, start_seconds=WITHIN, sandbox=confine, memory_mib=memory_mib)
        with pytest.raises(AgentError, match="ended with exit status 0; it wrote:") as error:
            agent.begin(TENNIS, OPTIONS, 0, 5)
        return json.loads(str(error.value).partition("it wrote:\n")[2])

    return value_of


@pytest.mark.usefixtures("bwrap")
def test_a_bot_plays(tmp_path: Path) -> None:
    agent = agents.make(f"cmd:{hostile_bot('play')[0]}", TENNIS, OPTIONS, sandbox=True)
    env = envs.raw_env("tennis_v0", num_players=2)
    env.reset(seed=1)
    for _ in range(3):
        agent.begin(TENNIS, OPTIONS, 0, 5)
        assert env.is_legal(agent.act(View.of(env), np.random.default_rng(0)))
        agent.end(0, np.zeros(2))
    agent.close()


@pytest.mark.usefixtures("bwrap")
def test_it_has_no_network(ask: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        connect = f"tried(lambda: socket.create_connection(('127.0.0.1', {listener.getsockname()[1]}), 5).close())"
        assert ask(connect, confine=False) is None
        assert ask(connect) == "ConnectionRefusedError"
    assert ask("[name for _, name in socket.if_nameindex()]") == ["lo"]


@pytest.mark.usefixtures("bwrap")
def test_it_reads_what_its_command_line_names_and_nothing_else(ask: Callable[..., Any], tmp_path: Path) -> None:
    named, folder, secret = tmp_path / "named", tmp_path / "folder", tmp_path / "folder" / "secret"
    folder.mkdir()
    (folder / "league.sqlite").write_text("the deals")
    for path in (named, secret):
        path.write_text("text")
    read = "[tried(lambda: open(path).read()) for path in {paths}]".replace("{paths}", str([str(named), str(secret)]))
    assert ask(read, confine=False) == ["text", "text"]
    assert ask(read) == ["FileNotFoundError", "FileNotFoundError"]
    assert ask(read, f"--weights={named}") == ["text", "FileNotFoundError"]
    assert ask(read, str(folder)) == ["FileNotFoundError", "text"]
    assert ask(f"os.listdir({str(folder)!r})") == ["bot.py"]
    others = [str(Path.home() / ".profile"), __file__, "/var/log", "/run", "/etc/passwd", "/sys/kernel"]
    assert ask(f"[path for path in {others} if os.path.exists(path)]") == []


@pytest.mark.usefixtures("bwrap")
def test_it_writes_nothing_but_its_own_tmp(ask: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "named").write_text("text")
    (folder / "named").chmod(0o666)
    folder.chmod(0o777)
    places = ["/", "/usr", "/etc", "/dev", "/proc", "/var/tmp", str(folder)]
    files = [*(f"{place}/wilddeck-test" for place in places), str(folder / "named"), "/usr/bin/env"]
    write = "[tried(lambda: open(path, 'a').close()) for path in {files}]"
    assert ask(write.replace("{files}", str(files[-3:-1])), confine=False) == [None, None]
    refused = ask(write.replace("{files}", str(files)), str(folder))
    assert len(refused) == len(files) and set(refused) <= {"OSError", "PermissionError", "FileNotFoundError"}
    own = ["/tmp/wilddeck-test", "/dev/shm/wilddeck-test"]
    assert ask(write.replace("{files}", str(own))) == [None, None]
    elsewhere = [str(place / "wilddeck-test") for place in (tmp_path, Path.cwd(), Path.home())]
    ask(write.replace("{files}", str(elsewhere)))
    assert not any(Path(path).exists() for path in (*own, *elsewhere))


@pytest.mark.usefixtures("bwrap")
def test_its_memory_is_bounded(ask: Callable[..., Any]) -> None:
    take = "tried(lambda: len(bytearray(1 << 28)))"
    assert ask(take) == 1 << 28
    assert ask(take, memory_mib=200) == "MemoryError"
    space = "[os.statvfs(path).f_blocks * os.statvfs(path).f_frsize for path in ('/tmp', '/dev/shm')]"
    assert ask(space) == [sandbox.TMP_MIB << 20] * 2


FORK = """
def forks(most):
    count = 0
    for count in range(most):
        try:
            if os.fork() == 0:
                signal.pause()
        except BlockingIOError:
            break
    return count
"""


@pytest.mark.usefixtures("bwrap")
def test_the_number_of_its_processes_is_bounded(ask: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "fork.py").write_text("import os, signal\n" + FORK)
    count = f"(sys.path.insert(0, {str(tmp_path)!r}), __import__('fork').forks({sandbox.PROCESSES + 50}))[1]"
    assert sandbox.PROCESSES - 10 < ask(count, str(tmp_path / "fork.py")) < sandbox.PROCESSES


@pytest.mark.usefixtures("bwrap")
def test_it_sees_no_other_process_and_no_environment(ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WILDDECK_SECRET", "1")
    assert ask("'WILDDECK_SECRET' in os.environ", confine=False) is True
    assert "WILDDECK_SECRET" not in ask("dict(os.environ)")
    assert len(ask("[name for name in os.listdir('/proc') if name.isdecimal()]")) < 5
    assert ask(f"tried(lambda: os.kill({os.getpid()}, 0))", confine=False) is None
    assert ask(f"tried(lambda: os.kill({os.getpid()}, 0))") == "ProcessLookupError"
    rights = "dict(line.split()[:2] for line in open('/proc/self/status') if line.startswith(('CapEff', 'NoNew', 'Uid')))"
    report = ask(rights)
    assert int(report["CapEff:"], 16) == 0 and report["NoNewPrivs:"] == "1" and report["Uid:"] != "0"


@pytest.mark.usefixtures("bwrap")
@pytest.mark.parametrize("how", ["close", "guardian", "second guardian"])
def test_nothing_of_it_stays(how: str) -> None:
    command, token = hostile_bot("play")
    agent = ProcessAgent(command, TENNIS, OPTIONS, start_seconds=WITHIN, sandbox=True)
    agent.begin(TENNIS, OPTIONS, 0, 5)
    wait_for(lambda: len(bots(token)) > CHILDREN)
    assert agent._line is not None
    first = agent._line._process.pid
    if how == "close":
        agent.close()
    else:
        os.kill(first if how == "guardian" else next(iter(children(first))), 9)
    wait_for(lambda: none_left(token))
    agent.close()


# --- where there is none ---


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The only folder in which programs are looked for."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    sandbox._check.cache_clear()
    yield folder
    sandbox._check.cache_clear()


def missing(call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=r"needs Linux and bubblewrap, .* program bwrap was not found; install .*bubblewrap"):
        call()


def test_without_bubblewrap_there_is_no_bot_and_one_clear_error(path: Path, tmp_path: Path) -> None:
    spec = f"cmd:{hostile_bot('play')[0]}"
    missing(lambda: agents.make(spec, TENNIS, OPTIONS, sandbox=True))
    missing(lambda: SingleSeatEnv("tennis_v0", spec, num_players=2, sandbox=True))
    missing(lambda: evaluate("random", "tennis_v0", {"num_players": 2}, against=[spec], sandbox=True))
    with League(tmp_path / "league", "tennis_v0", {"num_players": 2}, sandbox=True) as league:
        missing(lambda: league.add("bot", spec))
        league.add("rules", "rules")  # the others need none
    agents.make(spec, TENNIS, OPTIONS).close()
    assert agents.make("rules", TENNIS, OPTIONS, sandbox=True).name


@pytest.mark.parametrize(
    "words",
    [
        ["watch", "tennis", "-n", "2", "-a"],
        ["play", "tennis", "-n", "2", "-a"],
        ["evaluate", "tennis", "random", "-n", "2", "--against"],
        ["league", "run", "{file}", "tennis", "-n", "2", "-a"],
    ],
)
def test_every_command_that_takes_bots_takes_the_sandbox(
    path: Path, tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = [word.format(file=tmp_path / "league") for word in words]
    bot = f"cmd:{hostile_bot('play')[0]}"
    assert main([*words, f"bot={bot}" if words[0] == "league" else bot, "--sandbox"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and "the program bwrap was not found" in said[0]


def test_a_bubblewrap_that_does_not_work_says_why(path: Path) -> None:
    program = path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(ValueError, match="cannot start a sandbox here: bwrap: No permissions to create new namespace"):
        agents.make("cmd:/bin/true", TENNIS, OPTIONS, sandbox=True)


@pytest.mark.usefixtures("bwrap")
def test_a_program_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="program 'nosuchbot' not found"):
        agents.make("cmd:nosuchbot --fast", TENNIS, OPTIONS, sandbox=True)
