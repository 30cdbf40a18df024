"""Whatever ends, the bot, its host or what stands between: nothing that the bot has started stays, and nothing else goes."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile_bot import CHILDREN
from processes import bots, children, gone, hostile_bot, none_left
from support import WITHIN, wait_for
from wilddeck import envs
from wilddeck.agents.base import AgentError, View
from wilddeck.agents.process import ProcessAgent

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux adopts what processes leave behind")

TENNIS = envs.game("tennis_v0")
OPTIONS = TENNIS.make_options({"num_players": 2})


class Hostile(ProcessAgent):
    """A bot that leaves processes behind in every way, and does its deed when asked."""

    def __init__(self, deed: str = "play", **parameters: Any) -> None:
        command, self.token = hostile_bot(deed)
        super().__init__(command, TENNIS, OPTIONS, start_seconds=WITHIN, **parameters)

    def start(self) -> None:
        self.begin(TENNIS, OPTIONS, 0, 5)
        wait_for(lambda: len(bots(self.token)) > CHILDREN)

    def play(self) -> int:
        env = envs.raw_env("tennis_v0", num_players=2)
        env.reset(seed=1)
        action = self.act(View.of(env), np.random.default_rng(0))
        assert env.is_legal(action)
        return action


@pytest.fixture
def hostile() -> Iterator[Callable[..., Hostile]]:
    made: list[Hostile] = []

    def make(*arguments: Any, **parameters: Any) -> Hostile:
        made.append(Hostile(*arguments, **parameters))
        return made[-1]

    yield make
    for agent in made:
        agent.close()


@pytest.mark.parametrize(
    ("deed", "kind"),
    [
        ("crash", "crash"),
        ("kill-parent", "crash"),
        ("flood", "protocol"),
        ("hang", "timeout"),
        pytest.param("close", "timeout", marks=pytest.mark.long),  # what it has started holds its pipes open
        pytest.param("stop-parents", "timeout", marks=pytest.mark.long),
        pytest.param("bomb", "timeout", marks=pytest.mark.long),
        pytest.param("flood-errors", "timeout", marks=pytest.mark.long),
    ],
)
def test_a_forfeit_ends_all_that_the_bot_has_started(hostile: Callable[..., Hostile], deed: str, kind: str) -> None:
    agent = hostile(deed, move_seconds=2.0 if kind == "timeout" else WITHIN)
    agent.start()
    with pytest.raises(AgentError) as caught:
        agent.play()
    assert caught.value.kind == kind
    wait_for(lambda: none_left(agent.token))


@pytest.mark.parametrize("leave", [lambda agent: agent.close(), lambda agent: setattr(agent, "_line", None)])
def test_closing_and_forgetting_end_all_and_nothing_else(
    hostile: Callable[..., Hostile], leave: Callable[[Hostile], None]
) -> None:
    agent, other = hostile(), hostile()
    bystander = subprocess.Popen(["sleep", "600"])
    try:
        agent.start()
        other.start()
        leave(agent)
        gc.collect()
        wait_for(lambda: none_left(agent.token))
        agent.close()  # twice does no harm
        assert len(bots(other.token)) > CHILDREN and bystander.poll() is None
        other.play()
    finally:
        bystander.kill()
        bystander.wait()


@pytest.mark.parametrize("victim", ["first guardian", "second guardian", "bot"])
def test_whichever_process_is_killed_the_others_end(hostile: Callable[..., Hostile], victim: str) -> None:
    agent = hostile()
    agent.start()
    assert agent._line is not None
    first = agent._line._process.pid
    (second,) = children(first)
    (bot,) = children(second) & {pid for pid in bots(agent.token) if os.getpgid(pid) == pid and len(children(pid)) > 2}
    os.kill({"first guardian": first, "second guardian": second, "bot": bot}[victim], signal.SIGKILL)
    wait_for(lambda: none_left(agent.token))


HOST = """
import sys
from wilddeck import envs
from wilddeck.agents.process import ProcessAgent

game = envs.game("tennis_v0")
agent = ProcessAgent(sys.argv[1], game, game.make_options({"num_players": 2}), start_seconds=60)
agent.begin(game, agent.options, 0, 5)
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, None])
def test_bots_end_with_their_host(end: signal.Signals | None) -> None:
    command, token = hostile_bot("play")
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", HOST, command], stdin=pipe, stdout=pipe, stderr=pipe) as host:
        assert host.stdout is not None
        host.stdout.readline()
        wait_for(lambda: len(bots(token)) > CHILDREN or host.poll() is not None)
        if end is not None:
            host.send_signal(end)
        errors = host.communicate(timeout=WITHIN)[1].decode()  # its input ends, and then it does
    assert host.returncode == (0 if end is None else -end), errors
    wait_for(lambda: none_left(token))


def test_a_bot_outlives_the_thread_that_started_it(hostile: Callable[..., Hostile]) -> None:
    agent = hostile()
    starter = threading.Thread(target=agent.start)
    starter.start()
    starter.join()
    for _ in range(3):
        agent.play()
    assert len(bots(agent.token)) > CHILDREN


def test_where_the_system_is_no_linux(hostile: Callable[..., Hostile], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As far as can be tried here: one guardian that looks for its host now and then, and ends the bot's process group."""
    from wilddeck.agents import process

    text = Path(process._GUARDIAN).read_text()
    for before, after in (('sys.platform.startswith("linux")', "False"), ('"/proc"', '"/nowhere"')):
        assert before in text
        text = text.replace(before, after)
    (tmp_path / "guardian.py").write_text(text)
    monkeypatch.setattr(process, "_GUARDIAN", str(tmp_path / "guardian.py"))
    agent = hostile()
    agent.start()
    agent.play()
    assert agent._line is not None
    (bot,) = children(agent._line._process.pid)
    group = {pid for pid in bots(agent.token) if os.getpgid(pid) == bot}
    assert len(group) >= 2
    try:
        agent.close()
        wait_for(lambda: all(map(gone, group)))
    finally:
        for pid in bots(agent.token):
            os.kill(pid, signal.SIGKILL)


def test_the_host_adopts_nobody(hostile: Callable[..., Hostile]) -> None:
    """It is no subreaper: that would change what becomes of other children of the user's process."""
    hostile().start()
    adopts = ctypes.c_int(1)
    assert ctypes.CDLL(None).prctl(37, ctypes.byref(adopts), 0, 0, 0) == 0  # PR_GET_CHILD_SUBREAPER
    assert adopts.value == 0


def test_a_bot_starts_like_any_process(tmp_path: Path) -> None:
    """Signals, files and environment of the guardian are not handed on."""
    code = """
import json, os, sys
state = [line for line in open("/proc/self/status") if line.startswith(("SigBlk", "SigIgn"))]
files = [name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")]
print(json.dumps({"name": "x", "state": state, "files": files, "environment": dict(os.environ)}), flush=True)
"""
    command = [sys.executable, "-I", "-S", "-c", code]
    alone = subprocess.run(command, stdin=subprocess.PIPE, capture_output=True, text=True, check=True).stdout
    script = tmp_path / "bot.py"
    script.write_text(code.replace("flush=True)", f"flush=True, file=open({str(tmp_path / 'out')!r}, 'w'))"))
    agent = ProcessAgent(f"{sys.executable} -I -S {script}", TENNIS, OPTIONS)
    with pytest.raises(AgentError, match="ended with exit status 0"):
        agent.begin(TENNIS, OPTIONS, 0, 5)
    assert (tmp_path / "out").read_text() == alone
