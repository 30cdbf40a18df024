"""The shape of the project: who imports whom, what an import costs, what is packaged, how long files are."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT, TESTS, output_of, run_python
from wilddeck.envs import REGISTRY

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
STUDIES = Path("benchmarks/studies")
SKIPPED = {"tests", "docs", "build", "dist", "runs"}

# Each part may import those before it and itself; the last name of a path that is listed decides.
LAYERS = [
    "envs/core",
    "envs/games",
    "envs",
    "agents",
    "seats",
    "training",
    "league",
    "benchmarks",
    "frameworks|web",
    "cli|benchmarks/studies",
]


def modules() -> list[Path]:
    """The project's Python files, tests left out, as paths from the root."""
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*.py"))
    return sorted(
        path for path in found if path.parts[0] not in SKIPPED and not any(part.startswith(".") for part in path.parts)
    )


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


def imports(path: Path) -> list[tuple[Path, int]]:
    """What of the project a file imports, anywhere in it, and in which line."""
    found = []
    nodes = list(ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))))
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.parent.parts[: len(path.parent.parts) - node.level + 1]
            target = Path(*base, *(node.module or "").split(".")) if node.module else Path(*base)
            found += [(target / alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "wilddeck":
            target = Path(*(node.module or "").split(".")[1:])
            found += [(target / alias.name, node.lineno) for alias in node.names]
    guards = [node for node in nodes if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    typing_only = {line for node in guards for line in range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1)}
    return [(target, line) for target, line in found if line not in typing_only]


@pytest.mark.parametrize("path", modules(), ids=str)
def test_imports_point_one_way(path: Path) -> None:
    """core <- games <- envs <- agents <- seats <- training <- league <- benchmarks <- frameworks, web <- cli."""
    own = layer(path)
    for target, line in imports(path):
        other = layer(target)
        allowed = own is None or other is None or other <= own
        assert allowed, f"{path}:{line} imports {target}"


@pytest.mark.parametrize("path", modules(), ids=str)
def test_inside_the_package_imports_are_relative(path: Path) -> None:
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        assert all(name.split(".")[0] != "wilddeck" for name in names), f"{path}:{getattr(node, 'lineno', 0)}"


@pytest.mark.parametrize("path", [*modules(), *(test.relative_to(ROOT) for test in sorted(TESTS.rglob("*.py")))], ids=str)
def test_files_stay_short(path: Path) -> None:
    assert len((ROOT / path).read_text(encoding="utf-8").splitlines()) < 800


def test_all_packages_are_listed() -> None:
    """But for studies, which a checkout has and an installation has not."""
    folders = {path.parent for path in modules() if path.name == "__init__.py" and path.parent != STUDIES}
    expected = {".".join(["wilddeck", *folder.parts]) for folder in folders}
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == expected
    assert {path.parent for path in modules()} - {STUDIES} == folders, "a folder with Python files lacks __init__.py"


@pytest.mark.parametrize("game_id", REGISTRY)
def test_every_game_has_its_pettingzoo_module(game_id: str) -> None:
    """A file, for type checkers find nothing else; all are the same but for the name in the docstring."""
    path = ROOT / "envs" / f"{game_id}.py"
    model = (ROOT / "envs" / "tennis_v0.py").read_text(encoding="utf-8")
    assert path.exists(), f"envs/{game_id}.py is missing: copy envs/tennis_v0.py"
    assert path.read_text(encoding="utf-8") == model.replace("tennis_v0", game_id)
    line = f"from . import {game_id} as {game_id}\n"
    assert line in (ROOT / "envs" / "__init__.py").read_text(encoding="utf-8"), f"envs/__init__.py lacks: {line}"


def test_no_module_of_a_game_that_is_not_registered() -> None:
    assert {path.stem for path in (ROOT / "envs").glob("*_v[0-9]*.py")} == set(REGISTRY)


def test_what_a_user_writes_runs() -> None:
    """Type checkers look at it in `make types`."""
    done = subprocess.run([sys.executable, TESTS / "typing_user.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_holds_a_promise_of_security_is_there() -> None:
    page = (ROOT / "docs" / "guides" / "security.md").read_text(encoding="utf-8")
    promises = re.findall(r"^\| [A-Z].*\| ([^|]*) \|$", page, re.M)
    named = [re.findall(r"`(tests/[\w/]+\.py)`", holding) for holding in promises]
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
    heavy |= {"starlette", "uvicorn", "websockets", "ray"}
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
