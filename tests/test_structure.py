"""The shape of the project: who imports whom, what an import costs, what is packaged, how long files are."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import ROOT, TESTS, output_of, run_python
from wilddeck.envs import OWN

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
STUDIES = Path("benchmarks/studies")
WRITTEN = Path("cli/kinds")  # what `wilddeck new` writes elsewhere
SKIPPED = {"tests", "docs", "build", "dist", "runs", "examples"}
MOST_LINES, MOST_ARGUMENTS = 600, 8

# Each part may import those before it and itself; the last name of a path that is listed decides.
LAYERS = [
    "envs/core",
    "envs/games",
    "envs",
    "agents",
    "seats",
    "testing",
    "training",
    "league|data",
    "benchmarks",
    "frameworks|web",
    "cli|benchmarks/studies",
]


@functools.cache
def modules() -> tuple[Path, ...]:
    """The project's Python files, tests left out, as paths from the root."""
    paths = (path.relative_to(ROOT) for path in ROOT.rglob("*.py"))
    return tuple(
        sorted(path for path in paths if path.parts[0] not in SKIPPED and not any(part.startswith(".") for part in path.parts))
    )


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    """Everything that stands in a file."""
    return list(ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))))


def layer(path: Path) -> int | None:
    """The number of the layer of a file or package; None for the root package."""
    text = path.as_posix()
    matching = [
        (len(name), number)
        for number, names in enumerate(LAYERS)
        for name in names.split("|")
        if text == name or text.startswith(f"{name}/") or text == f"{name}.py"
    ]
    return max(matching)[1] if matching else None


def imports(path: Path) -> Iterator[tuple[Path, int]]:
    """What of the project a file imports, anywhere in it, and in which line."""
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom):
            names = (node.module or "").split(".") if node.module else []
            if node.level:
                base = Path(*path.parts[: len(path.parts) - node.level], *names)
            elif names[0] == "wilddeck":
                base = Path(*names[1:])
            else:
                continue
            yield from ((base / alias.name, node.lineno) for alias in node.names)


@functools.cache
def typing_only(path: Path) -> set[int]:
    """The lines that only type checkers read."""
    guards = [node for node in nodes(path) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return {line for node in guards for line in range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1)}


def file_of(target: Path) -> Path:
    """Where what is imported stands: in a module, or it is one."""
    places = (place for path in (target, target.parent) for place in (path.parent / f"{path.name}.py", path / "__init__.py"))
    return next(place for place in places if (ROOT / place).is_file())


def test_imports_point_one_way() -> None:
    """core <- games <- envs <- agents <- seats <- testing <- training <- league, data <- benchmarks <- frameworks, web
    <- cli."""
    for path in modules():
        own = layer(path)
        for target, line in imports(path):
            other = layer(target)
            allowed = own is None or other is None or other <= own or line in typing_only(path)
            assert allowed, f"{path}:{line} imports {target}"


def test_only_the_command_imports_the_checks_of_games() -> None:
    for path in modules():
        if path.parts[0] not in ("testing", "cli"):
            assert not [
                line for target, line in imports(path) if target.parts[0] == "testing" and line not in typing_only(path)
            ]


def test_no_files_import_one_another() -> None:
    """Directly or through others, also for types and inside functions."""
    waiting = {path: {file_of(target) for target, _ in imports(path)} - {path} for path in modules()}
    while True:  # leave out who imports none of the others, or is imported by none, until only circles are left
        needed = {path for imported in waiting.values() for path in imported}
        circles = {path: among for path in waiting if (among := waiting[path] & waiting.keys()) and path in needed}
        if len(circles) == len(waiting):
            break
        waiting = circles
    assert not {str(path): sorted(map(str, imported)) for path, imported in circles.items()}


def test_inside_the_package_imports_are_relative() -> None:
    for path in modules():
        for node in nodes(path) if WRITTEN not in path.parents else ():
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            assert all(name.split(".")[0] != "wilddeck" for name in names), f"{path}:{getattr(node, 'lineno', 0)}"


def test_files_stay_short() -> None:
    tests = [test.relative_to(ROOT) for test in TESTS.rglob("*.py")]
    lines = {str(path): (ROOT / path).read_text(encoding="utf-8").count("\n") for path in (*modules(), *tests)}
    assert not {path: count for path, count in lines.items() if count > MOST_LINES}


def test_no_function_has_many_arguments() -> None:
    functions = [(path, node) for path in modules() for node in nodes(path) if isinstance(node, ast.FunctionDef)]
    counts = {
        f"{path}:{node.lineno}": len([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs])
        - any(argument.arg in ("self", "cls") for argument in node.args.args[:1])
        for path, node in functions
    }
    assert not {place: count for place, count in counts.items() if count > MOST_ARGUMENTS}


def test_all_packages_are_listed() -> None:
    """But for studies, which a checkout has and an installation has not."""
    folders = {path.parent for path in modules() if path.name == "__init__.py" and path.parent != STUDIES}
    expected = {".".join(["wilddeck", *folder.parts]) for folder in folders}
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == expected
    assert {path.parent for path in modules()} - {STUDIES} == folders, "a folder with Python files lacks __init__.py"


def test_every_game_has_its_pettingzoo_module() -> None:
    """A file, for type checkers find nothing else; all are the same but for the name in the docstring."""
    model = (ROOT / "envs" / "tennis_v0.py").read_text(encoding="utf-8")
    package = (ROOT / "envs" / "__init__.py").read_text(encoding="utf-8")
    for game_id in OWN:
        path = ROOT / "envs" / f"{game_id}.py"
        assert path.exists(), f"envs/{game_id}.py is missing: copy envs/tennis_v0.py"
        assert path.read_text(encoding="utf-8") == model.replace("tennis_v0", game_id)
        line = f"from . import {game_id} as {game_id}\n"
        assert line in package, f"envs/__init__.py lacks: {line}"


def test_no_module_of_a_game_that_is_not_registered() -> None:
    assert {path.stem for path in (ROOT / "envs").glob("*_v[0-9]*.py")} == set(OWN)


def test_what_a_user_writes_runs() -> None:
    """Type checkers look at it in `make types`."""
    done = subprocess.run([sys.executable, TESTS / "typing_user.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_holds_a_promise_of_security_is_there() -> None:
    page = (ROOT / "docs" / "guides" / "security.md").read_text(encoding="utf-8")
    promises = re.findall(r"^\| [A-Z].*\| ([^|]*) \|$", page, re.M)
    named = [re.findall(r"`(test(?:s|ing)/[\w/]+\.py)`", holding) for holding in promises]
    assert len(named) > 15 and all(named), "every promise names a test"
    assert all((ROOT / path).is_file() for paths in named for path in paths)


def test_importing_games_and_players_compiles_nothing(tmp_path: Path) -> None:
    """A table that a module makes by calling a kernel would compile it in every process."""
    code = "from wilddeck import agents, envs; [agents.rules.policies(envs.game(each)) for each in envs.game_ids()]"
    output_of(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_import_is_light() -> None:
    """Neither the compiler nor what only training, drawing or the terminal needs; no game either."""
    code = "import sys, wilddeck; wilddeck.games(); print('\\n'.join(sys.modules))"
    loaded = set(output_of(code).split())
    heavy = {"numba", "llvmlite", "torch", "stable_baselines3", "sb3_contrib", "rich", "pygame", "openskill", "safetensors"}
    heavy |= {"starlette", "uvicorn", "websockets", "ray", "pyarrow"}
    assert not loaded & heavy
    assert not {name for name in loaded if name.startswith("wilddeck.envs.games.")}
    assert "wilddeck.envs.core.jit" not in loaded


@pytest.mark.parametrize("name", ["cards", "compare"])
def test_the_short_names_are_modules(name: str) -> None:
    """`import wilddeck.cards` gives what `wilddeck.cards` is; cards need no compiler."""
    code = f"import wilddeck.{name}, sys; from wilddeck import {name}; import wilddeck.envs.core.{name} as found"
    said = output_of(f"{code}; print(found is {name} is wilddeck.{name}, 'numba' in sys.modules)")
    assert said.split() == ["True", str(name == "compare")]


def test_making_a_game_needs_no_extras() -> None:
    """Without torch, Stable-Baselines3, pygame: they are blocked here."""
    code = """
import sys
for name in ("torch", "stable_baselines3", "sb3_contrib", "pygame", "openskill", "tensorboard"):
    sys.modules[name] = None
import wilddeck
env = wilddeck.make("tennis_v0", render_mode="ansi")
env.reset(seed=1)
env.step(env.unwrapped.legal_actions()[0])
assert "play" in env.unwrapped.action_label(3)
print(wilddeck.cards.text([51]), len(wilddeck.make_batch("tennis_v0", 3)))
"""
    assert output_of(code).split() == ["As", "3"]


def test_an_unknown_attribute_is_an_error() -> None:
    done = run_python("import wilddeck; wilddeck.nothing")
    assert done.returncode == 1
    assert "module 'wilddeck' has no attribute 'nothing'" in done.stderr


def test_version() -> None:
    import wilddeck

    assert wilddeck.__version__.count(".") == 2
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "wilddeck.version.__version__"}
