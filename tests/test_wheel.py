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
from collections.abc import Callable
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
    for folder in ("docs", "tests", "agents", "benchmarks", "cli", "data", "envs", "training", "web"):
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


Run = Callable[..., str]


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Run:
    """Runs commands of an environment with nothing but the wheel: its dependencies come from this one's folder."""
    place = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA"))}
    environment |= {"PYTHONPATH": sysconfig.get_path("purelib"), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    environment["PATH"] = os.pathsep.join([str(place / "bin"), environment["PATH"]])

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("python", "-m", "pip", "--python", str(place / "bin" / "python"), "install", "--quiet", "--no-deps", str(wheel))
    where = run("python", "-c", "import wilddeck; print(wilddeck.__file__)")
    assert Path(where.strip()).is_relative_to(place)
    return run


@pytest.mark.long
def test_the_wheel_in_an_environment_of_its_own(installed: Run) -> None:
    assert "tennis_v0" in installed("wilddeck", "games")
    assert "| TN-01 |" in installed("wilddeck", "show", "tennis")
    assert json.loads(installed("wilddeck", "rollout", "tennis", "--games", "4", "--steps", "50", "--json"))["steps"] == 200


@pytest.mark.long
def test_a_game_of_ones_own_is_written_installed_and_known(installed: Run) -> None:
    """As editable, and looked for where a folder has its name."""
    assert "  wilddeck check oh_hell:GAME" in installed("wilddeck", "new", "oh_hell", "--kind", "tricks")
    installed("python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", "oh_hell")
    assert "oh_hell_v0" in installed("wilddeck", "games")
    assert "| OH-01 |" in installed("wilddeck", "show", "oh_hell")
    assert "True" in installed(
        "python", "-c", "import oh_hell, wilddeck; print(wilddeck.envs.game('oh_hell_v0') is oh_hell.GAME)"
    )
    assert "checks passed" in installed("wilddeck", "check", "oh_hell")
    won = json.loads(installed("wilddeck", "evaluate", "oh_hell", "rules", "--against", "random", "--games", "300", "--json"))
    assert won["random"]["games"] == 300
