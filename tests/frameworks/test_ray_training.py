"""Trainings on a Ray cluster: folders that travel by content and outlive their node; the strength check's trainings."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support import wait_for
from wilddeck.agents import trained
from wilddeck.benchmarks.baselines import BASELINES, Baseline
from wilddeck.cli import main
from wilddeck.training import cluster as clusters
from wilddeck.training.population import train_population

ray = pytest.importorskip("ray", minversion="2.60")
Cluster = pytest.importorskip("ray.cluster_utils").Cluster

pytestmark = pytest.mark.filterwarnings("default")

NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_log_monitor": False}
HEAD = {**NODE, "include_dashboard": False}
TINY = {"num_envs": 16, "rollout_steps": 16, "batch_size": 128, "hidden": (12,), "eval_deals": 3, "threads": 1}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Nodes of which two may be lost, and the head, which has no processor; workers find the modules of the tests."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in [str(Path(__file__).parent), *sys.path] if path)
    started = Cluster(initialize_head=True, head_node_args={**HEAD, "num_cpus": 0})
    for _ in range(3):
        started.add_node(**NODE)
    yield started
    started.shutdown()
    os.environ.pop("PYTHONPATH") if before is None else os.environ.__setitem__("PYTHONPATH", before)


def count(folder: Path, until: int, starts: str) -> int:
    """Counts in a file, from where it stands there; notes each start."""
    with Path(starts).open("a", encoding="utf-8") as file:
        counted = int((folder / "count").read_text()) if (folder / "count").exists() else 0
        file.write(f"{counted} {ray.get_runtime_context().get_node_id()}\n")
    while counted < until:
        counted += 1
        (folder / "new").write_text(str(counted))
        (folder / "new").replace(folder / "count")
        time.sleep(0.5)
    return counted


def fail(folder: Path) -> None:
    raise ValueError(f"{1} is not 2")


def kill_a_node(cluster: Any, when: Callable[[], bool], choose: Callable[[], str] | None = None) -> threading.Thread:
    """Kill the node with this id, or any that works, as soon as `when` is true."""

    def work() -> None:
        wait_for(when)
        doomed = choose() if choose else ""
        node = next(candidate for candidate in cluster.worker_nodes if doomed in ("", candidate.node_id))
        cluster.remove_node(node, allow_graceful=False)

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_work_goes_on_where_its_node_was_lost(cluster: Any, tmp_path: Path) -> None:
    folder, starts = tmp_path / "run", tmp_path / "starts"
    folder.mkdir()
    (folder / "count").write_text("3")  # as it lay here
    killer = kill_a_node(cluster, lambda: (folder / "count").read_text() != "3", lambda: starts.read_text().split()[1])
    results = list(clusters.spread(count, {folder: (12, str(starts))}, address=cluster.address))
    killer.join()
    assert results == [(folder, 12)] and (folder / "count").read_text() == "12"
    first, _, second, _ = starts.read_text().split()
    assert int(first) == 3 < int(second), "it began again with what was seen last"


def test_a_population_is_the_same_whatever_is_lost(cluster: Any, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"exploiters": 1, "round_steps": 200, "generation": 2, "total_steps": 1500, **TINY}
    local = train_population("tennis_v0", {"num_players": 2}, out=tmp_path / "here", **settings)
    log = tmp_path / "there" / "population.csv"
    killer = kill_a_node(cluster, lambda: log.exists() and len(log.read_text().splitlines()) > 3)
    where = {"executor": "ray", "address": cluster.address}
    there = train_population("tennis_v0", {"num_players": 2}, out=tmp_path / "there", **where, **settings)
    killer.join()
    assert there.weights.read_bytes() == local.weights.read_bytes()
    assert [path.read_bytes() for path in there.exploiters] == [path.read_bytes() for path in local.exploiters]
    assert (there.steps, there.all_steps) == (local.steps, local.all_steps)


def test_what_fails_is_said(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="run: 1 is not 2"):
        list(clusters.spread(fail, {tmp_path / "run": ()}, address=cluster.address))
    with pytest.raises(ValueError, match="no node of the cluster has 64 processors"):
        list(clusters.spread(fail, {tmp_path / "run": ()}, cpus=64, address=cluster.address))


def test_combinations_are_trained_and_the_best_is_shipped(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(trained, "folder", lambda game: tmp_path / "weights")
    chosen = Baseline("tennis_v0", 512, {"num_players": 2}, TINY)
    monkeypatch.setitem(BASELINES, "tennis_v0", chosen)
    words = [
        "bench",
        "strength",
        "train",
        "tennis_v0",
        "--vary",
        "total_steps=512,40000",
        "--folder",
        str(tmp_path),
    ]
    main([*words, "--executor", "ray", "--address", cluster.address])
    *ranked, path = [line for line in capsys.readouterr().out.split("\n") if re.match(r"[+-]\d|/", line)]  # Ray prints, too
    scores = [float(line.split()[0]) for line in ranked]
    assert (
        len(ranked) == 2
        and scores == sorted(scores, reverse=True)
        and {line.split()[1] for line in ranked}
        == {
            "total_steps=512",
            "total_steps=40000",
        }
    )
    assert path == str(tmp_path / "weights" / "tennis_v0.safetensors")
    about = trained.about("tennis_v0")
    assert f"total_steps={about['settings']['total_steps']}" == ranked[0].split()[1]
    assert f"--vary total_steps={about['settings']['total_steps']}" in about["command"]
    runs = sorted(tmp_path.glob("train-tennis_v0-*"))
    assert len(runs) == 2 and all((run / "checkpoint.safetensors").exists() for run in runs)
    before = {run: json.loads((run / "settings.json").read_text()) for run in runs}
    main(words)  # both are there, and were not trained again
    assert capsys.readouterr().out.split("\n")[:-1] == [*ranked, path]
    assert {run: json.loads((run / "settings.json").read_text()) for run in runs} == before


def test_wrong_settings_are_said_before_anything_begins(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for words, message in (
        (["--vary", "learning=1"], "unknown setting 'learning'"),
        (["--vary", "learning_rate=7"], "setting learning_rate=7 is not allowed"),
        (["--vary", "max_seconds=1"], "setting 'max_seconds' cannot be varied"),
        (["--vary", "learning_rate"], "must be SETTING=VALUE,VALUE..."),
        (["--executor", "ray", "--address", "127.0.0.1:9"], "cannot reach a Ray cluster at 127.0.0.1:9"),
    ):
        with pytest.raises(SystemExit):
            main(["bench", "strength", "train", "tennis_v0", "--folder", str(tmp_path), *words])
        assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
