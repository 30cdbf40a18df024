"""The wheel in an environment without the checkout: the package is complete and the command works."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from support import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    left_out = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "runs")
    shutil.copytree(ROOT, folder / "source", ignore=left_out)  # so that building leaves nothing in the checkout
    build = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(folder / "source")]
    subprocess.run([sys.executable, "-m", "pip", *build], check=True, capture_output=True)
    return next(folder.glob("wilddeck-*.whl"))


def test_the_wheel_is_complete(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for needed in ("docs/rules/tennis.md", "benchmarks/report.html", "py.typed", "cli.py", "envs/core/render/faces.py"):
        assert f"wilddeck/{needed}" in names
    for weights in (ROOT / "agents" / "weights").glob("*.*"):
        assert f"wilddeck/agents/weights/{weights.name}" in names
    assert not [name for name in names if "/tests/" in name or name.endswith((".nbi", ".nbc"))]


def test_the_wheel_in_an_environment_of_its_own(wheel: Path, tmp_path: Path) -> None:
    """Its dependencies come from this environment's folder, the package itself from the wheel alone."""
    place = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    python = place / "bin" / "python"
    install = ["--python", str(python), "install", "--quiet", "--no-deps", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True, capture_output=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA"))}
    environment |= {"PYTHONPATH": sysconfig.get_path("purelib"), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = run(str(python), "-c", "import wilddeck; print(wilddeck.__file__)")
    assert Path(where.strip()).is_relative_to(place)
    command = str(place / "bin" / "wilddeck")
    assert "tennis_v0" in run(command, "games")
    assert "| TN-01 |" in run(command, "show", "tennis")
    assert json.loads(run(command, "rollout", "tennis", "--games", "4", "--steps", "50", "--json"))["steps"] == 200
