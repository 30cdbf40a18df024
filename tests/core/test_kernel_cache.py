"""The disk cache of kernels: an edit recompiles what depends on it and nothing else; a useless cache is never an error."""

from __future__ import annotations

import ast
import importlib
import shutil
from pathlib import Path

import pytest
from support import ROOT, run_python

# A small package with the layout of the real one: `rules` uses `values`, `other` does not.
SOURCES = {
    "wilddeck/__init__.py": "",
    "wilddeck/envs/__init__.py": "",
    "wilddeck/envs/core/__init__.py": "",
    "wilddeck/envs/games/__init__.py": "",
    "wilddeck/envs/games/values.py": "from ..core.kernel import kernel\n@kernel\ndef value(x):\n    return x + 1\n",
    "wilddeck/envs/games/rules.py": (
        "from ..core.kernel import kernel\nfrom .values import value\n@kernel\ndef rule(x):\n    return 10 * value(x)\n"
    ),
    "wilddeck/envs/games/other.py": "from ..core.kernel import kernel\n@kernel\ndef other(x):\n    return x - 1\n",
}
SCRIPT = """
import logging, sys
logging.basicConfig(format="LOG %(message)s", level=logging.WARNING)
BREAK
from wilddeck.envs.core.kernel import bind
from wilddeck.envs.games.rules import rule
from wilddeck.envs.games.other import other

def driver(x):
    return rule(x) + other(x)

drivers = bind({"driver": driver}, {"rule": rule, "other": other}, "toy_v0")
print(rule(1), other(1), drivers["driver"](1))
for function in (rule, other, drivers["driver"]):
    print(sum(function.stats.cache_hits.values()), sum(function.stats.cache_misses.values()))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in SOURCES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in ("kernel.py", "compiler.py"):
        shutil.copy(ROOT / "envs" / "core" / name, tmp_path / "wilddeck" / "envs" / "core" / name)
    return tmp_path


def run(package: Path, spoil: str = "", cache: Path | None = None) -> tuple[list[str], list[bool], list[str]]:
    """The results, whether each of rule, other and the driver came from the cache, and what was logged."""
    place = str(cache or package / "cache")
    script = package / "script.py"
    script.write_text(SCRIPT.replace("BREAK", spoil), encoding="utf-8")
    code = f"import sys; sys.path[0] = {str(package)!r}; exec(compile(open({str(script)!r}).read(), {str(script)!r}, 'exec'))"
    done = run_python(code, PYTHONPATH=str(package), NUMBA_CACHE_DIR=place)
    assert done.returncode == 0, done.stderr
    results, *counts = done.stdout.splitlines()
    hit = [line.split()[0] != "0" for line in counts]
    return results.split(), hit, [line for line in done.stderr.splitlines() if line.startswith("LOG")]


def edit(package: Path, name: str, old: str, new: str) -> None:
    path = package / "wilddeck" / "envs" / "games" / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_an_edit_recompiles_exactly_what_depends_on_it(package: Path) -> None:
    results, hit, logged = run(package)
    assert (results, hit) == (["20", "0", "20"], [False, False, False])
    assert logged == ["LOG wilddeck: compiling toy (once, up to a minute; kept in numba's cache afterwards)"]
    results, hit, logged = run(package)
    assert (results, hit, logged) == (["20", "0", "20"], [True, True, True], [])
    edit(package, "values.py", "x + 1", "x + 2")  # imported by rules, and by the driver through it
    results, hit, logged = run(package)
    assert (results, hit) == (["30", "0", "30"], [False, True, False])
    assert len(logged) == 1
    edit(package, "other.py", "x - 1", "x - 3")
    results, hit, _ = run(package)
    assert (results, hit) == (["30", "-2", "28"], [True, False, False])


def test_a_corrupt_cache_is_compiled_anew(package: Path) -> None:
    run(package)
    files = [path for path in (package / "cache").rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".nbi", ".nbc"}
    for path in files:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    results, hit, logged = run(package)
    assert (results, hit) == (["20", "0", "20"], [False, False, False])
    assert len(logged) == 1
    for path in files:
        path.write_bytes(b"rubbish")
    assert run(package)[0] == ["20", "0", "20"]
    results, hit, _ = run(package)
    assert (results, hit) == (["20", "0", "20"], [True, True, True]), "it has been replaced"


def test_a_cache_that_cannot_be_written_is_said_once(package: Path) -> None:
    """A full or read-only disk. (Tests may run as root, whom no permission stops, so writing itself is made to fail.)"""
    spoil = """
from numba.core.caching import IndexDataCacheFile
def save(self, key, data):
    raise OSError(28, "No space left on device")
IndexDataCacheFile.save = save
"""
    results, _, logged = run(package, spoil)
    assert results == ["20", "0", "20"]
    unwritable = [line for line in logged if "cannot be kept" in line]
    assert len(unwritable) == 1
    assert "No space left on device" in unwritable[0]
    assert "every process will compile anew" in unwritable[0]


def test_no_folder_for_a_cache_at_all(package: Path) -> None:
    """As in a frozen installation: nothing is kept, everything works."""
    blocked = package / "file"
    blocked.write_text("not a folder", encoding="utf-8")
    results, hit, _ = run(package, cache=blocked / "cache")
    assert (results, hit) == (["20", "0", "20"], [False, False, False])


@pytest.mark.parametrize(
    "spoil",
    [
        "import numba.core.ccallback, numba.core.caching as c; del c.FunctionCache",
        "import numba.core.caching as c; del c.IndexDataCacheFile",
        "import numba.core.caching as c\nclass Other:\n    def __init__(self, a, b): pass\nc.FunctionCache = Other",
    ],
    ids=["no FunctionCache", "no IndexDataCacheFile", "another FunctionCache"],
)
def test_without_the_private_interface_of_numba(package: Path, spoil: str) -> None:
    """A numba that moved it: nothing is kept, everything works."""
    results, hit, _ = run(package, spoil)
    assert (results, hit) == (["20", "0", "20"], [False, False, False])


def test_dependencies_are_found_in_every_form_of_import(package: Path) -> None:
    from wilddeck.envs.core import kernel

    path = ROOT / "envs" / "games" / "tennis.py"
    found = {str(file.relative_to(ROOT)) for file in kernel.dependencies(path)}
    assert {"envs/games/tennis.py", "envs/core/rng.py", "envs/core/kernel.py", "envs/core/options.py"} <= found
    names = "import wilddeck.envs.core.rng\nfrom wilddeck.envs.core import cards\nfrom wilddeck.envs.core.layout import start\n"
    ast.parse(names)
    other = ROOT / "tests" / "core" / "toy.py"
    assert {"envs/core/rng.py", "envs/core/layout.py"} <= {str(f.relative_to(ROOT)) for f in kernel.dependencies(other)}


def test_every_driver_reaches_the_cache() -> None:
    """Bound drivers of a game are stamped: the private interface is there in the numba we test with."""
    compiler = importlib.import_module("wilddeck.envs.core.compiler")
    from wilddeck.envs import game as find_game
    from wilddeck.envs.core.batch import game_drivers

    for name, driver in game_drivers(find_game("tennis_v0")).items():
        assert isinstance(driver.program._cache, compiler.StampedCache), name
