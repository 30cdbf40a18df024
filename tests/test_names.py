"""Names that the documents, docstrings and messages give can be written as they stand after `import wilddeck` alone."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path

import pytest
from support import ROOT, output_of
from test_structure import modules

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])
IMPORT = re.compile(r"^\W*(from wilddeck[.\w]* import [\w, ]+)", re.M)
pytestmark = pytest.mark.long
NAME = re.compile(r"(?<![\w./-])wilddeck(?:\.[A-Za-z_]\w*)+")

EXTRAS = {
    "wilddeck.frameworks.openspiel": "pyspiel",
    "wilddeck.seats.sb3_vec_env": "sb3_contrib",
    "wilddeck.data": "pyarrow",
}  # what they need
DOOR = re.compile(  # are not installed here
    r"No module named '(ray|tensordict|torchrl|jax|tianshou|rlcard|pufferlib|textarena|openenv|verifiers|mcp)\b"
)
# Each name in a process of its own, forked where nothing but `import wilddeck` has been done; the packages that ours import
# are loaded before, which saves the time of loading them in each.
RESOLVE = """
import importlib.util, os, sys, warnings
warnings.simplefilter("ignore")
for heavy in ("numba", "rich.table", "pyspiel", "sb3_contrib"):
    if importlib.util.find_spec(heavy.partition(".")[0]):
        importlib.import_module(heavy)
import wilddeck
for name in sys.argv[1:]:
    sys.stdout.flush()
    child = os.fork()
    if not child:
        try:
            exec(name)
        except BaseException as error:
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


def strings(path: Path) -> list[str]:
    """All texts in a Python file: docstrings, messages, those with placeholders in parts."""
    nodes = ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def names() -> dict[str, str]:
    """Names and imports, each with a file that gives it."""
    texts = [(page.relative_to(ROOT), page.read_text(encoding="utf-8")) for page in PAGES]
    texts += [(path, text) for path in modules() for text in strings(path)]
    places = {name: str(path) for path, text in texts for name in NAME.findall(text)}
    for path, text in texts:
        places |= dict.fromkeys(IMPORT.findall(text), str(path))
    for package, extra in EXTRAS.items():
        if importlib.util.find_spec(extra) is None:
            places = {name: path for name, path in places.items() if package not in name}
    return places


def test_every_name_resolves_after_importing_the_package_alone() -> None:
    places = names()
    assert {"wilddeck.agents.learned.load_zip", "wilddeck.envs.tennis_v0.raw_env", "wilddeck.cards.parse"} <= places.keys()
    installed = f"import sys; sys.path.append({str(ROOT / 'examples' / 'games')!r})\n"  # the package whose games guides use
    missing = [line for line in output_of(installed + RESOLVE, *sorted(places)).splitlines() if not DOOR.search(line)]
    assert not missing, [f"{line} ({places[line.partition(':')[0]]})" for line in missing]


def test_a_name_that_is_not_there_is_an_error() -> None:
    wrong = ["wilddeck.agents.learnt", "wilddeck.docs", "wilddeck.tests", "wilddeck.envs.tennis_v7", "wilddeck._nothing"]
    lines = output_of(RESOLVE, *wrong).splitlines()
    assert [line.partition(":")[0] for line in lines] == wrong
    assert all("AttributeError: module 'wilddeck" in line and "has no attribute" in line for line in lines), lines
