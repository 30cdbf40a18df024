"""Leagues on a Ray cluster: as in one process, whatever of the cluster is lost."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toy_game as toy
from processes import family, gone, kept
from support import TESTS, wait_for
from wilddeck import envs
from wilddeck.agents import learned
from wilddeck.league import League, LeagueError, Progress
from wilddeck.league.on_ray import OnRay
from wilddeck.league.schedule import schedule
from wilddeck.training.ppo import new_network

ray = pytest.importorskip("ray", minversion="2.60")
Cluster = pytest.importorskip("ray.cluster_utils").Cluster
sys.path.insert(0, str(TESTS / "league"))  # workers get this path, too
make_agent = importlib.import_module("league_agents").make

pytestmark = pytest.mark.filterwarnings("default")

OPTIONS = {"num_players": 2, "max_tricks": 50}
NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_log_monitor": False}
HEAD = {**NODE, "include_dashboard": False}
BOT = """
import json, pathlib, sys
assert "/wilddeck-" in __file__
which = int(pathlib.Path(sys.argv[1]).read_text())
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"name": "first"}), flush=True)
    elif message["type"] == "act":
        print(json.dumps({"action": message["legal"][which]}), flush=True)
"""


def outcomes(league: League) -> list[tuple[Any, ...]]:
    """All results but the times and the processes' own words."""
    return [
        (
            (result.id, result.deal, result.rotation, result.actions.tolist(), result.digest),
            [(seat.agent, seat.returned, seat.rank, seat.status, seat.moves) for seat in result.seats],
        )
        for result in league.results()
    ]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of a processor each; workers find the modules of the tests."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    started = Cluster(initialize_head=True, head_node_args=HEAD)
    started.add_node(**NODE)
    yield started
    started.shutdown()
    os.environ.pop("PYTHONPATH") if before is None else os.environ.__setitem__("PYTHONPATH", before)


def league(path: Path, agents: dict[str, str], **limits: Any) -> League:
    opened = League(path, "tennis_v0", OPTIONS, make=make_agent, seed=0, **{"move_seconds": 20.0, **limits})
    for name, spec in agents.items():
        opened.add(name, spec)
    return opened


def network(path: Path) -> Path:
    game, options = envs.resolve("tennis_v0", OPTIONS)
    sizes = [game.observation_size(options), 8, game.num_actions(options)]
    layers = new_network(np.random.default_rng(0), sizes, 1.0)
    learned.save(path, learned.LearnedAgent(layers), game, options)
    return path


def test_a_node_is_killed_in_the_middle(cluster: Any, tmp_path: Path) -> None:
    """And another joins: the table is that of one process."""
    agents = {"random": "random", "rules": "rules", "mc": "mc:rollouts=40", "bad": "crash@3"}
    doomed = cluster.add_node(**NODE)
    seen: list[Progress] = []

    def progress(state: Progress) -> None:
        seen.append(state)
        if state.done >= 20 and doomed in cluster.worker_nodes:
            cluster.remove_node(doomed, allow_graceful=False)
            cluster.add_node(**NODE)

    with league(tmp_path / "ray", agents) as spread, league(tmp_path / "serial", agents) as serial:
        run = spread.run(10, executor="ray", address=cluster.address, progress=progress)
        assert doomed not in cluster.worker_nodes
        assert run.played == serial.run(10).played == 120 and run.unplayed == ()
        assert any(0 < step.done < 120 for step in seen)
        assert outcomes(spread) == outcomes(serial)
        assert spread.table() == serial.table()
    assert not ray.is_initialized()


def test_an_agent_that_ends_its_process_forfeits(cluster: Any, tmp_path: Path) -> None:
    """As with processes: the worker of Ray stays, and what was to be told of it is told."""
    with league(tmp_path / "ray", {"plain": "plain", "dies": "killed@4"}) as spread:
        assert spread.run(1, executor="ray", address=cluster.address, workers=1).played == 2
        assert [(error.agent, error.status) for error in spread.errors()] == [("dies", "crash")] * 2
        assert spread.errors()[0].message == "its process died (exit code -9)"


def test_a_game_of_another_package(cluster: Any, tmp_path: Path) -> None:
    """It is registered when the nodes run already."""
    with League(tmp_path / "ray", toy.GAME, seed=0) as spread:
        for name in ("one", "two", "three"):
            spread.add(name, "random")
        assert (spread.run(1, executor="ray", address=cluster.address).unplayed, len(spread.results())) == ((), 3)


def test_files_travel_by_content(cluster: Any, tmp_path: Path) -> None:
    """Weights, also of who plays out a search, and a bot's program with what its command line names: it loses where it does not
    lie in a folder of the worker's."""
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "which").write_text("0")
    weights = network(tmp_path / "net.safetensors")
    agents = {"net": str(weights), "mc": f"mc:rollouts=3,policy={weights}"}
    agents["bot"] = f"cmd:{sys.executable} {tmp_path / 'bot.py'} {tmp_path / 'which'}"
    with league(tmp_path / "ray", agents) as spread:
        assert spread.run(2, executor="ray", address=cluster.address).played == 12
        assert spread.errors() == []
        results = outcomes(spread)
    assert not list(Path(tempfile.gettempdir()).glob("wilddeck-*-*/*/bot.py")), "they were removed"
    (tmp_path / "bot.py").write_text(BOT.replace("assert", "pass  #"))  # for the same moves from where it lies
    with league(tmp_path / "serial", agents) as serial:
        serial.run(2)
        assert [actions for (_, _, _, actions, _), _ in outcomes(serial)] == [actions for (_, _, _, actions, _), _ in results]


def test_what_a_node_does_not_have_is_said(cluster: Any, tmp_path: Path) -> None:
    with league(tmp_path / "ray", {"random": "random", "rules": "rules"}) as spread:
        settings, make = spread.settings, spread._make
        matches = list(schedule(settings, spread.agents, (0, 1), 1))
    ghost = replace(matches[0], seats=(replace(matches[0].seats[0], sha256="0" * 64), matches[0].seats[1]))
    for wrong, match, message in (
        (
            replace(settings, rules="other"),
            matches[0],
            "rules of tennis_v0 differ from the league's; install the same wilddeck",
        ),
        (settings, ghost, "the file of agent '.*' is missing or different on this node"),
    ):
        executor = OnRay(wrong, make, address=cluster.address)
        with contextlib.closing(executor), pytest.raises(LeagueError, match=message):
            list(executor.play([match], lambda: False))


def test_a_chunk_that_is_lost_again_and_again_costs_one_match(cluster: Any, tmp_path: Path) -> None:
    """A worker that cannot stay alive, not an agent in it."""
    with league(tmp_path / "ray", {"random": "random", "rules": "rules"}) as spread:
        matches = list(schedule(spread.settings, spread.agents, (0, 1), 2))
        executor = OnRay(spread.settings, make_that_kills, address=cluster.address)
        executor._seconds = 0.4  # two matches a chunk
        with contextlib.closing(executor):
            assert list(executor.play(matches, lambda: False)) == []
        assert len(executor.unplayed) == 4 and all("its worker was lost repeatedly" in line for line in executor.unplayed)


def make_that_kills(*arguments: Any, **keywords: Any) -> Any:
    """Called in the process that plays, it ends the worker above it."""
    os.kill(os.getppid(), signal.SIGKILL)


def test_no_cluster_there(tmp_path: Path) -> None:
    message = re.escape("cannot reach a Ray cluster at 127.0.0.1:9")
    with league(tmp_path / "ray", {"a": "random", "b": "rules"}) as spread, pytest.raises(LeagueError, match=message):
        spread.run(1, executor="ray", address="127.0.0.1:9")


@pytest.mark.parametrize(("number", "to_group"), [(signal.SIGINT, True), (signal.SIGTERM, False)])
def test_it_ends_in_order(tmp_path: Path, number: signal.Signals, to_group: bool) -> None:
    """Ctrl-C at a terminal, and SIGTERM: what is finished is kept, nothing of the cluster stays."""
    path, output = tmp_path / "league", tmp_path / "output"
    code = "import sys; from wilddeck.cli import main; sys.exit(main(sys.argv[1:]))"
    words = ["league", "run", str(path), "tennis", "-n", "2", "-a", "random", "-a", "rules", "--deals", "100000"]
    with output.open("wb") as stream:
        running = subprocess.Popen(
            [sys.executable, "-c", code, *words, "--executor", "ray", "--workers", "1"],
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_for(lambda: running.poll() is not None or kept(path) >= 4)
        whole, before = family(running.pid), kept(path)
        (os.killpg if to_group else os.kill)(running.pid, number)
        status = running.wait(60)
    finally:
        running.kill()
    said = " ".join(output.read_text().split())
    assert status == 128 + number and "Traceback" not in said, said
    stopped = re.search(r"stopped after (\d+) of", said)
    assert stopped is not None and int(stopped[1]) == kept(path) >= before >= 4, said
    wait_for(lambda: all(map(gone, whole)))
