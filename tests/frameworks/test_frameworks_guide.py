"""The code of docs/guides/frameworks.md runs as it stands, but for shorter times, where its framework is installed."""

from __future__ import annotations

import importlib.util
import re

import pytest
from support import ROOT, run_python, shortened

GUIDE = (ROOT / "docs" / "guides" / "frameworks.md").read_text(encoding="utf-8")
SECTIONS = {
    title: text for title, text in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", GUIDE, re.M | re.S) if "```python" in text
}
NEEDS = {
    "TorchRL": "torchrl",
    "RLlib": "ray",
    "JAX": "jax",
    "Tianshou": "tianshou",
    "RLCard's agents": "rlcard",
    "AgileRL": "agilerl peft",
    "LiteEFG": "LiteEFG",
}
SHORTER = {
    "range(40)": "range(3)",
    "range(80)": "range(2)",
    "range(200)": "range(100)",
    "range(20):\n    stats": "range(2):\n    stats",
    "range(100)": "range(4)",
    "range(2000)": "range(150)",
    "games=400": "games=8",
    "games=100": "games=8",
    "num_envs=256": "num_envs=32",
    "num_envs=64": "num_envs=8",
}
SAYS = {
    "TorchRL": r"random .*\n",
    "RLlib": r"random .*\n",
    "JAX": r"\d+ games, mean returns",
    "AgileRL": r"random .*\n",
    "Tianshou": r"\d+ steps, \d+ in the buffer",
    "LiteEFG": r"\[0\.0\d+, 0\.0\d+\]|0\.0",
}


def test_every_section_is_tried():
    assert SECTIONS.keys() == NEEDS.keys()


@pytest.mark.parametrize("title", SECTIONS)
def test_the_code_runs(title, tmp_path):
    for needed in NEEDS[title].split():
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed")
    for code in re.findall(r"```python\n(.*?)```", SECTIONS[title], re.S):
        done = run_python(shortened(code, SHORTER), HOME=str(tmp_path), RAY_raylet_start_wait_time_s="300")
        assert done.returncode == 0, done.stderr
        assert "print(" not in code or re.search(SAYS.get(title, "."), done.stdout), done.stdout


def test_learning_offline(tmp_path):
    """The last block of the guide on data sets."""
    for needed in ("tianshou", "pyarrow"):
        pytest.importorskip(needed)
    text = (ROOT / "docs" / "guides" / "data.md").read_text(encoding="utf-8")
    shorter = {
        "runs/tennis-random": str(tmp_path),
        "games=4000": "games=20",
        "epoch_num_steps=5000": "epoch_num_steps=20",
        "games=2000": "games=8",
    }
    done = run_python(shortened(re.findall(r"```python\n(.*?)```", text, re.S)[-1], shorter))
    assert done.returncode == 0, done.stderr
    assert re.search(r"rules .*\n", done.stdout), done.stdout
