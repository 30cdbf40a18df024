"""The disk cache of kernels: an edit recompiles what depends on it and nothing else; a useless cache is never an error."""

from __future__ import annotations

import gc
import importlib
import itertools
import os
import random
import shutil
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from core import toy
from support import ROOT, run_python, short
from wilddeck.envs.core.compiling import Compiling, compiling
from wilddeck.envs.core.reached import source_digest

IMPORTED = ["from . import helper", "from .helper import value", "from foreign.helper import value"]
INSIDE = "from ..core.jit import device_function\n"
JIT = "from wilddeck.envs.core.jit import device_function\n"
# A small package with the layout of the real one: `rules` uses `values`, `other` does not.
SOURCES = {
    "wilddeck/__init__.py": "",
    "wilddeck/envs/__init__.py": "",
    "wilddeck/envs/core/__init__.py": "",
    "wilddeck/envs/games/__init__.py": "",
    "wilddeck/envs/games/values.py": "from ..core.jit import device_function\n@device_function\n"
    "def value(x):\n    return x + 1\n",
    "wilddeck/envs/games/rules.py": (
        f"{INSIDE}from .values import value\n@device_function\ndef rule(x):\n    return 10 * value(x)\n"
    ),
    "wilddeck/envs/games/other.py": "from ..core.jit import device_function\n@device_function\n"
    "def other(x):\n    return x - 1\n",
}
SCRIPT = """
import logging, sys
logging.basicConfig(format="LOG %(message)s", level=logging.WARNING)
BREAK
from wilddeck.envs.core.jit import bind
from wilddeck.envs.games.rules import rule
from wilddeck.envs.games.other import other

def kernel(x):
    return rule(x) + other(x)

kernels = bind({"kernel": kernel}, {"rule": rule, "other": other}, "toy_v0")
print(rule(1), other(1), kernels["kernel"](1))
for function in (rule, other, kernels["kernel"]):
    print(sum(function.stats.cache_hits.values()), sum(function.stats.cache_misses.values()))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in SOURCES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in ("jit", "compiler", "compiling", "bits", "reached", "events", "beside", "interpret", "failures"):
        shutil.copy(ROOT / "envs" / "core" / f"{name}.py", tmp_path / "wilddeck" / "envs" / "core")
    return tmp_path


def run(package: Path, spoil: str = "", cache: Path | None = None) -> tuple[list[str], list[bool], list[str]]:
    """The results, whether each of rule, other and the kernel came from the cache, and what was logged."""
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
    second = path.stat().st_mtime_ns + 10**9  # Python tells its .pyc files by whole seconds, and by a size that stays
    path.write_text(text.replace(old, new), encoding="utf-8")
    os.utime(path, ns=(second, second))


def test_an_edit_recompiles_exactly_what_depends_on_it(package: Path) -> None:
    results, hit, logged = run(package)
    assert (results, hit) == (["20", "0", "20"], [False, False, False])
    assert logged == ["LOG wilddeck: compiling toy_v0.kernel (1 of 1; once, kept in numba's cache afterwards)"]
    results, hit, logged = run(package)
    assert (results, hit, logged) == (["20", "0", "20"], [True, True, True], [])
    edit(package, "values.py", "x + 1", "x + 2")  # imported by rules, and by the kernel through it
    results, hit, logged = run(package)
    assert (results, hit) == (["30", "0", "30"], [False, True, False])
    assert len(logged) == 1
    edit(package, "other.py", "x - 1", "x - 3")
    results, hit, _ = run(package)
    assert (results, hit) == (["30", "-2", "28"], [True, False, False])


@pytest.mark.long
def test_what_no_program_is_made_of_compiles_nothing(package: Path) -> None:
    run(package)
    edit(package, "values.py", "    return", '    """Doc."""\n    # why\n    return')
    edit(package, "values.py", "@device_function", "UNUSED = 1\n\n\ndef unused():\n    pass\n\n\n@device_function")
    edit(package, "rules.py", "return 10 * value(x)", "return (10\n        * value(x))")
    assert run(package)[:2] == (["20", "0", "20"], [True, True, True])
    edit(package, "values.py", '"""Doc."""', '"""Another."""')
    edit(package, "values.py", "(x):", "(y):")
    edit(package, "values.py", "x + 1", "y + 1")
    assert run(package)[:2] == (["20", "0", "20"], [False, True, False]), "names of arguments may be used in a call"


@pytest.mark.long
def test_how_a_rule_is_compiled_is_part_of_its_callers(package: Path) -> None:
    run(package)
    edit(package, "values.py", "@device_function", "@inlined")
    edit(package, "values.py", "import device_function", "import inlined")
    assert run(package)[:2] == (["20", "0", "20"], [False, True, False])


@pytest.mark.long
def test_going_back_to_older_code_finds_its_program_and_the_oldest_is_swept(package: Path) -> None:
    versions = ["x + 1", "x + 2", "x + 3", "x + 4"]
    for old, new in itertools.pairwise(["x + 1", *versions]):
        edit(package, "values.py", old, new)
        assert run(package)[1][0] is False
    assert len(list((package / "cache").rglob("rule.*.nbc"))) == 3
    for old, new in itertools.pairwise(versions[:0:-1]):
        edit(package, "values.py", old, new)
        assert run(package)[1] == [True, True, True]
    edit(package, "values.py", "x + 2", "x + 1")
    assert run(package)[:2] == (["20", "0", "20"], [False, True, False])


@pytest.mark.long
@pytest.mark.parametrize("imported", short(IMPORTED, IMPORTED[:1]))
def test_rules_of_a_foreign_package_are_never_stale(package: Path, imported: str) -> None:
    """A helper module of a package outside ours, imported in any way; its constants too."""
    called = "helper.value(x) + helper.MORE" if imported.endswith("helper") else "value(x)"
    rules = f"{JIT}{imported}\n@device_function\ndef rule(x):\n    return {called}\n"
    helper = JIT + "MORE = 0\n@device_function\ndef value(x):\n    return x + 1\n"
    folder, script = package / "foreign", package / "script.py"
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "rules.py").write_text(rules, encoding="utf-8")
    script.write_text("from foreign.rules import rule\nprint(rule(1))\n", encoding="utf-8")

    def outcome(text: str) -> str:
        (folder / "helper.py").write_text(text, encoding="utf-8")
        code = f"import sys; sys.path[0] = {str(package)!r}; import runpy; runpy.run_path({str(script)!r}, run_name='__main__')"
        done = run_python(code, PYTHONPATH=str(package), NUMBA_CACHE_DIR=str(package / "cache"), PYTHONDONTWRITEBYTECODE="1")
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert outcome(helper) == "2"
    assert outcome(helper.replace("x + 1", "x + 5")) == "6"
    if "MORE" in called:
        assert outcome(helper.replace("MORE = 0", "MORE = 40")) == "42"


@pytest.mark.long
def test_a_corrupt_cache_is_compiled_anew(package: Path) -> None:
    run(package)
    files = [path for path in (package / "cache").rglob("*") if path.is_file()]
    assert [path.suffix for path in files] == [".nbc"] * 3
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


@pytest.mark.long
def test_a_cache_with_flipped_bytes_is_compiled_anew(package: Path) -> None:
    """Anywhere in any file; numba itself would run what it finds. Each try is a process that may not crash."""
    run(package)
    files = sorted((package / "cache").rglob("*.nbc"))
    whole = {path: path.read_bytes() for path in files}
    draw = random.Random(19)
    flips = [[draw.randrange(len(whole[path])) for path in files] for _ in range(4)]
    for places in flips:
        for path, place in zip(files, places, strict=True):
            content = bytearray(whole[path])
            content[place] ^= 1 << draw.randrange(8)
            path.write_bytes(content)
        results, hit, _ = run(package)
        assert (results, hit) == (["20", "0", "20"], [False, False, False]), places
    assert run(package)[1] == [True, True, True], "they have been replaced"


def test_what_is_kept_is_taken_whole_or_not_at_all(tmp_path: Path) -> None:
    compiler = importlib.import_module("wilddeck.envs.core.compiler")
    files = compiler.SealedFiles(str(tmp_path), "rule", "stamp")
    assert files.load("key") is None
    files.save("key", {"code": b"machine code"})
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert files.load("key") is None, place
        path.write_bytes(content[:place])
        assert files.load("key") is None, place
    path.write_bytes(content)
    assert files.load("key") == {"code": b"machine code"}
    assert files.load("another key") is None
    assert compiler.SealedFiles(str(tmp_path), "rule", "another stamp").load("key") is None


@pytest.mark.long
def test_a_file_of_another_kernel_is_not_taken(package: Path) -> None:
    """Whole in itself, but under the name of another: both take a number and give one."""
    run(package)
    rule, other = (next((package / "cache").rglob(f"{name}.*.nbc")) for name in ("rule", "other"))
    other.write_bytes(rule.read_bytes())
    assert run(package)[:2] == (["20", "0", "20"], [True, False, True])


MADE = """
import sys
import numpy as np
from wilddeck.envs.core.jit import bind, device_function

TABLE, NUMBER, WORDS = np.arange(3) + int(sys.argv[1]), int(sys.argv[1]), ("a", (1, 2.5))

def made(constant, inner):
    @device_function
    def value(x):
        return inner(x) + constant
    return value

@device_function
def plain(x):
    return 1000 * NUMBER + 100 * TABLE[1] + len(WORDS)

def kernel(x):
    return rule(x)

for constant in (10, 20):
    one = made(constant, plain)
    two = made(0, one)
    bound = bind({"kernel": kernel}, {"rule": two}, "toy_v0")["kernel"]
    print(bound(1), one(1), sum(bound.stats.cache_hits.values()), sum(one.stats.cache_hits.values()))
"""


@pytest.mark.long
def test_constants_are_part_of_a_kernel(package: Path) -> None:
    """Kernels that one function makes, globals that a run decides: numba would take one for the other. All are kept."""

    def outcome(number: int) -> list[str]:
        script = package / "script.py"
        script.write_text(MADE, encoding="utf-8")
        code = f"import sys; sys.path[0] = {str(package)!r}; import runpy; runpy.run_path({str(script)!r}, run_name='__main__')"
        done = run_python(code, str(number), PYTHONPATH=str(package), NUMBA_CACHE_DIR=str(package / "cache"))
        assert done.returncode == 0, done.stderr
        assert "cannot be kept" not in done.stderr
        return done.stdout.split()

    assert outcome(1) == ["1212", "1212", "0", "0", "1222", "1222", "0", "0"]
    assert outcome(2) == ["2312", "2312", "0", "0", "2322", "2322", "0", "0"]
    assert outcome(1) == ["1212", "1212", "1", "1", "1222", "1222", "1", "1"]
    assert outcome(2) == ["2312", "2312", "1", "1", "2322", "2322", "1", "1"]


@pytest.mark.long
def test_a_cache_that_cannot_be_written_is_said_once(package: Path) -> None:
    """A full or read-only disk. (Tests may run as root, whom no permission stops, so writing itself is made to fail.)"""
    spoil = """
from pathlib import Path
def write_bytes(self, data):
    raise OSError(28, "No space left on device")
Path.write_bytes = write_bytes
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


@pytest.mark.long
@pytest.mark.parametrize(
    "spoil",
    [
        "import numba.core.ccallback, numba.core.caching as c; del c.FunctionCache",
        "import numba.core.caching as c\nclass Other:\n    def __init__(self, a, b): pass\nc.FunctionCache = Other",
    ],
    ids=["no FunctionCache", "another FunctionCache"],
)
def test_without_the_private_interface_of_numba(package: Path, spoil: str) -> None:
    """A numba that moved it: nothing is kept, everything works."""
    results, hit, _ = run(package, spoil)
    assert (results, hit) == (["20", "0", "20"], [False, False, False])


RULE_EDITS = [
    ("state.rewards[best] += 2", "state.rewards[best] += 3"),  # step
    ("mask[1] = 1", "mask[1] = 0"),  # legal_actions
    ("state.deck[n + player]", "state.deck[player + player]"),  # begin
    ("state.deck[card] = card", "state.deck[card] = DECK - 1 - card"),  # deal
    ("list(range(DECK))", "list(range(DECK))[::-1]"),  # deck
]


def test_the_rules_digest_follows_the_code_that_plays_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever rule is altered, in whatever file; not for comments and docstrings, nor for what a seat sees."""
    text = Path(toy.__file__).read_text(encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    def digests(number: int, old: str = "", new: str = "") -> tuple[str, str]:
        assert old in text
        (tmp_path / f"toy_{number}.py").write_text(text.replace(old, new, 1) if old else text, encoding="utf-8")
        game = importlib.import_module(f"toy_{number}").GAME
        return game.record_digest, game.rules_digest

    same = digests(0)
    assert digests(1, "    best = 0", "    # why\n\n    best = (0)") == same
    assert digests(2, "    player = np", '    """Doc."""\n    player = np') == same
    assert digests(3, "/ DECK)", "/ 13)") == same, "what a seat sees"
    for number, (old, new) in enumerate(RULE_EDITS, 4):
        record, rules = digests(number, old, new)
        assert record == same[0] and rules != same[1], old


PAIRS, LIMIT = np.array([[1, 2], [3, 5]], np.int64), np.uint64(7)


def of_all_kinds(state, *numbers, scale=2):  # type: ignore[no-untyped-def]
    """Whatever versions of Python write in their own way."""
    first, (second, *rest) = PAIRS[0, 0], [*numbers, -1]
    while first < LIMIT and not (second is None or rest == []):
        first, second = second + scale, first if first > 1 else None
    return {"text": f"{first!r:>4}", "pairs": [k**2 for k in rest if k], "last": lambda k: (k, *rest)}[str(state)]


def test_a_digest_is_the_same_under_all_versions_of_python_and_numpy() -> None:
    """So that leagues and replays go from one machine to another."""
    assert source_digest([of_all_kinds]) == "f6cb66f0bb0a6d8b"


def test_the_order_of_fields_is_part_of_a_program() -> None:
    """A NamedTuple is made, and unpacked, by the order of its fields, which no bytecode says."""

    def digest_with(*fields: str) -> str:
        pair = NamedTuple("Pair", [(name, int) for name in fields])  # type: ignore[misc]

        def make(state):  # type: ignore[no-untyped-def]
            return pair(state, 1)

        return source_digest([make])

    assert digest_with("first", "second") == digest_with("first", "second") != digest_with("second", "first")


def test_every_driver_reaches_the_cache() -> None:
    """Bound kernels of a game are stamped: the private interface is there in the numba we test with."""
    compiler = importlib.import_module("wilddeck.envs.core.compiler")
    from wilddeck.envs import game as find_game
    from wilddeck.envs.core.batch import game_kernels

    for name, kernel in game_kernels(find_game("tennis_v0")).items():
        assert isinstance(kernel.program._cache, compiler.StampedCache), name


def test_rules_are_linked_behind_all_that_call_them() -> None:
    """LLVM leaves out what nothing linked so far calls; `low` is called by both others, and came before `middle` once."""
    compiler = pytest.importorskip("wilddeck.envs.core.compiler")

    def library(*callees: object) -> object:
        made = object.__new__(compiler._DeviceLibrary)
        made._linking_libraries = list(callees)
        return made

    low = library()
    middle = library(low)
    for callees in ([low, middle], [middle, low]):
        top = library(*callees)
        for program in ([top], [low, top], [top, low], [middle, low, top]):
            assert compiler._callers_first(program) == [top, middle, low]


def test_garbage_is_collected_seldom_while_something_is_compiled_and_as_before_afterwards() -> None:
    before = gc.get_threshold()
    with compiling, compiling:
        assert gc.get_threshold()[2] > 1000 * before[2]
    assert gc.get_threshold() == before


def test_time_limits_use_a_clock_that_stands_still_while_something_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("wilddeck.envs.core.compiling.time.monotonic", lambda: now[0])
    block = Compiling()
    seen = [block.time_without()]
    with block:
        now[0] = 130.0
        with block:
            now[0] = 160.0
        seen.append(block.time_without())
    now[0] = 161.0
    assert [*seen, block.time_without()] == [100.0, 100.0, 101.0]
