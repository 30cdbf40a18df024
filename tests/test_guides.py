"""The Python of the guides runs as it stands, but for shorter times. (frameworks.md needs an environment of its own, see
tests/frameworks; what is written as a session in a guide is a doctest elsewhere.)"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT, WITHIN, shortened
from wilddeck import cli
from wilddeck.agents import trained

GUIDES = ROOT / "docs" / "guides"
SHORTER = {
    "total_steps=300_000": "total_steps=10_000",
    "eval_every=100_000": "eval_every=5_000, eval_deals=4",
    "total_steps=400_000": "total_steps=20_000",
    "total_steps=200_000": "total_steps=6_000",
    '"eval_every": 40_000': '"eval_every": 2_000, "eval_deals": 4',
    "n_trials=12": "n_trials=2",
    "games=600": "games=6",
    "seconds=20, deals=500": "seconds=1, deals=4",
    "learn(20_000)": "learn(4_096)",
    "deals=40": "deals=1",
    "range(20)": "range(3)",
    "games=15_000": "games=40",
    "games=500, out": "games=4, out",
    "epochs = 5": "epochs = 1",
    "games=4000).items": "games=8).items",
}


def examples(guide: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (GUIDES / guide).read_text(encoding="utf-8"), re.S)


def run(folder: Path, name: str, code: str, **environment: str) -> str:
    """What it prints, as a file in a folder."""
    (folder / name).write_text(shortened(code, SHORTER), encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # where bots find `python`
    command = [sys.executable, name]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=WITHIN,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
def test_training(tmp_path: Path) -> None:
    """One after the other in one folder: each takes what the first has trained."""
    pytest.importorskip("sb3_contrib"), pytest.importorskip("optuna")
    shutil.copy(trained.weights("hearts_v0"), tmp_path)
    said = [run(tmp_path, f"example_{k}.py", code) for k, code in enumerate(examples("training.md"))]
    assert len(said) == 11
    assert "runs/tennis/agent.safetensors" in said[0] and "'rules'" in said[1]
    assert said[2] and "Estimate(mean=" in said[3] and "ent_coef" in said[4] and said[5] and "rules" in said[6]
    assert "of rules was found" in said[7] or "can be won from rules" in said[7]
    assert "player_0" in said[8] and "hearts_v0" in said[9]


@pytest.mark.long
def test_agents(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    stingy, counts, networks, trained, used, losses, cautious = examples("agents.md")
    assert "of 800 games" in run(tmp_path, "stingy.py", stingy) and run(tmp_path, "counts.py", counts)
    run(tmp_path, "my_networks.py", networks)
    run(tmp_path, "my_losses.py", losses)
    assert "'rules'" in run(tmp_path, "train_small.py", trained)
    assert "of 800 games" in run(tmp_path, "use_small.py", used)
    run(tmp_path, "train_cautious.py", cautious)


@pytest.mark.long
def test_data_sets(tmp_path: Path) -> None:
    """In one folder. (The last learns with Tianshou, see tests/frameworks.)"""
    for needed in ("torch", "pyarrow", "datasets", "minari"):
        pytest.importorskip(needed)
    *own, _ = examples("data.md")
    quiet = {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1"}
    said = [run(tmp_path, f"example_{k}.py", code, **quiet) for k, code in enumerate(own)]
    assert "observation float32 (" in said[1] and "Verified(files=1, episodes=4" in said[2]
    assert "torch.bool torch.int64" in said[3] and "4 <SingleSeatEnv" in said[3]
    assert "of decisions with a choice" in said[4] and "rules" in said[4]


def test_a_server_to_test_against(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    (code,) = examples("text-model.md")
    prose, answer, requests = run(tmp_path, "ask.py", code).splitlines()
    assert "owls" in prose and answer == "ACTION: 3" and requests == "['429', 'nonsense', ''] 1"


@pytest.mark.long
def test_leagues_and_the_bot_in_them(tmp_path: Path) -> None:
    (bot,) = examples("bots.md")
    (tmp_path / "first.py").write_text(bot, encoding="utf-8")
    (league,) = examples("leagues.md")
    said = run(tmp_path, "league.py", league)
    assert all(f"| {name} |" in said for name in ("random", "rules", "search", "first"))


@pytest.mark.long
def test_scores(tmp_path: Path) -> None:
    agent, score = examples("scores.md")
    assert "Estimate(value=1.0" in run(tmp_path, "score.py", score)  # the rules against themselves
    asked = "from wilddeck.agents import play\nprint(play.evaluate(make(0, 0), make(0, 0), 'tennis_v0', None, 8, seed=1))"
    assert "of 32 games" in run(tmp_path, "mine.py", f"{agent}\n{asked}")


def test_a_game_of_ones_own(tmp_path: Path) -> None:
    """The module that the guide goes through is what `wilddeck new` writes; a tutorial plays it."""
    module = examples("own_game.md")
    assert cli.main(["new", "my_oh_hell", "--kind", "tricks", "--into", str(tmp_path)]) == 0
    code = (tmp_path / "my_oh_hell" / "my_oh_hell" / "game.py").read_text(encoding="utf-8")
    assert [line for line in code.splitlines() if line] == [line for line in "".join(module).splitlines() if line]
