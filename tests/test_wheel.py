"""The sdist is complete; the wheel built from it, in an environment without the checkout, too, and the command works there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from support import ROOT


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    left_out = shutil.ignore_patterns(".git", ".venv*", ".*_cache", ".hypothesis", "*.egg-info", "build", "dist", "runs")
    shutil.copytree(ROOT, folder / "source", ignore=left_out)  # so that building leaves nothing in the checkout
    build = "import sys, setuptools.build_meta as build; build.build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(folder)], cwd=folder / "source", check=True, capture_output=True)
    return next(folder.glob("wilddeck-*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(sdist: Path) -> Path:
    build = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(sdist.parent), str(sdist)]
    subprocess.run([sys.executable, "-m", "pip", *build], check=True, capture_output=True)
    return next(sdist.parent.glob("wilddeck-*.whl"))


def test_the_sdist_is_complete(sdist: Path) -> None:
    """Documents, tests and what the gate needs; nothing that was made while working."""
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    needed = "CHANGELOG.md CITATION.cff CONTRIBUTING.md Makefile README.md constraints.txt mkdocs.yml pyproject.toml .ci/run"
    assert set(needed.split()) <= names
    for folder in ("docs", "tests", "agents", "benchmarks", "cli", "envs", "training", "web"):
        files = [path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.*") if path.is_file()]
        assert {file for file in files if "__pycache__" not in file} <= names
    assert not [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".nbi", ".nbc"))]


def test_the_wheel_is_complete(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for needed in (
        "docs/rules/tennis.md",
        "benchmarks/report.html",
        "py.typed",
        "cli/command.py",
        "cli/kinds/tricks/game.py",
        "cli/kinds/tricks/rules.md",
        "cli/kinds/shared/pyproject.toml",
        "envs/core/render/faces.py",
        "web/static/table.js",
    ):
        assert f"wilddeck/{needed}" in names
    for weights in (ROOT / "agents" / "weights").glob("*.*"):
        assert f"wilddeck/agents/weights/{weights.name}" in names
    assert not [name for name in names if "/tests/" in name or "/guides/" in name or name.endswith((".nbi", ".nbc"))]


@pytest.mark.long
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
