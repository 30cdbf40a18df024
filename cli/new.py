"""Package templates: `new` writes a small, complete and playable game as a package to edit."""

from __future__ import annotations

import argparse
import importlib.util
import keyword
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from .. import games
from ..envs.core.escape import plain
from . import arguments as allowed
from .arguments import Commands, argument
from .shared import own_name

KINDS = {"tricks": "Oh Hell", "shedding": "Crazy Eights", "betting": "one-card poker", "matching": "Go Fish"}
FILES = {  # what is written, and from which file of `kinds`
    "README.md": "shared/README.md",
    "pyproject.toml": "shared/pyproject.toml",
    "{name}/__init__.py": "{kind}/__init__.py",
    "{name}/game.py": "{kind}/game.py",
    "{name}/player.py": "{kind}/player.py",
    "{name}/rules.md": "{kind}/rules.md",
    "tests/conftest.py": "shared/conftest.py",
    "tests/test_game.py": "shared/test_game.py",
    "tests/test_rules.py": "{kind}/test_rules.py",
}
_KINDS = Path(__file__).parent / "kinds"
_NAME = re.compile(r"[a-z]([a-z0-9_]*[a-z0-9])?")
_TAKEN = (*keyword.kwlist, "tests")


def declare(commands: Commands) -> None:
    commands.add("new", new, "create a package with a game of your own, from a playable template").takes(
        argument("name", type=package_name, help="name of the game and the package, such as oh_hell"),
        argument("--kind", choices=KINDS, help="the template: " + ", ".join(f"{k} ({KINDS[k]})" for k in KINDS)),
        argument("--into", type=allowed.path, default=Path(), metavar="FOLDER", help="where to create it (default: here)"),
    )


def package_name(text: str) -> str:
    """A valid name of a game, a package and a distribution."""
    wanted = "a lowercase Python name such as oh_hell"
    return allowed.checked(wanted, str, lambda value: bool(_NAME.fullmatch(value)) and value not in _TAKEN)(text)


def new(arguments: argparse.Namespace) -> None:
    name, folder = arguments.name, arguments.into / arguments.name
    if arguments.kind is None:
        raise ValueError(f"choose a template with --kind {' | '.join(KINDS)}")
    if folder.exists() or folder.is_symlink():
        raise ValueError(f"{folder} already exists; choose another name, or another folder with --into")
    if f"{name}_v0" in games():
        raise ValueError(f"the game {name}_v0 already exists; choose another name")
    found = importlib.util.find_spec(name)
    if found is not None and found.origin is not None:  # not just a folder
        raise ValueError(f"the Python module {name!r} already exists and would be hidden; choose another name")
    written = dict(files(name, arguments.kind))
    for path, text in written.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    print(plain(f"created in {folder}: {', '.join(written)}"))
    print("next:")
    for command in (f"cd {shlex.quote(str(folder))}", f"{own_name()} check {name}:GAME", f"{own_name()} play {name}:GAME"):
        print(plain(f"  {command}"))


def files(name: str, kind: str) -> Iterator[tuple[str, str]]:
    """The path and text of each file of a package with this name and kind."""
    words = re.findall("[a-z]+", name)
    clauses = "".join(word[0] for word in words)[:2] if len(words) > 1 else (words[0] * 2)[:2]
    instead = {"my_game": name, "My Game": name.replace("_", " ").title(), "MG-": f"{clauses.upper()}-"}
    for path, template in FILES.items():
        text = (_KINDS / template.format(kind=kind)).read_text(encoding="utf-8")
        for of_template, of_game in instead.items():
            text = text.replace(of_template, of_game)
        yield path.format(name=name), text
