"""`wilddeck new`: each kind of package is written whole or not at all, plays at once, and passes the checks of games."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support import output_of
from wilddeck.cli import main
from wilddeck.cli.new import FILES, KINDS, files
from wilddeck.envs import pages, raw_env
from wilddeck.envs.core.game import Game
from wilddeck.envs.core.jit import only_interpreted
from wilddeck.testing import check_game, declared, events, leaks, play
from wilddeck.testing.cases import Case
from wilddeck.testing.checks import checks_of

Write = Callable[[str], Path]
each_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a package of a kind, `new_tricks` say, which can then be imported."""

    def written(kind: str) -> Path:
        name = f"new_{kind}"
        for module in [module for module in sys.modules if module.partition(".")[0] == name]:
            monkeypatch.delitem(sys.modules, module)
        assert main(["new", name, "--kind", kind, "--into", str(tmp_path / "in a folder")]) == 0
        monkeypatch.syspath_prepend(tmp_path / "in a folder" / name)
        return tmp_path / "in a folder" / name

    return written


def game_of(folder: Path) -> Game:
    return importlib.import_module(folder.name).GAME


@each_kind
def test_what_is_written(kind: str, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing but the files, under the name everywhere; and what to type next."""
    folder = write(kind)
    name = folder.name
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")} == {path.format(name=name) for path in FILES}
    text = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.*"))
    assert "my_game" not in text and "My Game" not in text and "MG-" not in text and "kinds" not in text
    assert f"new_{kind}_v0" in text and f"# New {kind.title()}" in text and f"| N{kind[0].upper()}-01 |" in text
    *_, enter, check, play = capsys.readouterr().out.splitlines()
    assert enter == f"  cd '{folder}'" and check.endswith(f" check {name}:GAME") and play.endswith(f" play {name}:GAME")


@each_kind
def test_it_plays_and_keeps_secrets(kind: str, write: Write) -> None:
    """As plain Python; its page and its player belong to it."""
    game = game_of(write(kind))
    with only_interpreted():
        checks = [check for module in (declared, play, events) for check in checks_of(module) if not check.compiled]
        for check in (*checks, leaks.check_a_determinization_looks_like_the_truth):
            check(Case(game, (), 100))
        for players in (game.options().num_players, game.options.max_players()):
            env = raw_env(game, num_players=players)
            env.reset(seed=players)
            while not env.is_over:
                seen = env.observe(env.agent_selection)
                policy = importlib.import_module(f"{game.name}.player").policy
                env.step(policy(seen["observation"], seen["action_mask"], players, 0))
            assert [event.kind for event in env.history()][-1] == "game_over"
    text = pages.page(game)
    assert text.startswith(f"# {game.title} (`{game.id}`)\n") and "| `num_players` |" in text and "| `hand` |" in text


RUN_TESTS = """
import os, sys, pytest
for folder in sys.argv[1:]:
    os.chdir(folder)
    sys.path.insert(0, folder)
    assert pytest.main(["-q", "-k", "not test_checks and not test_the_player"]) == 0
    for module in ("conftest", "test_game", "test_rules"):
        del sys.modules[module]
"""


def test_their_own_tests_of_clauses_pass(write: Write) -> None:
    """In their folders, as plain Python; one after the other in a process."""
    said = output_of(RUN_TESTS, *(str(write(kind)) for kind in KINDS), NUMBA_DISABLE_JIT="1")
    assert len(re.findall(r"^\d+ passed", said, re.MULTILINE)) == len(KINDS)


@pytest.mark.long
@each_kind
def test_it_passes_all_checks(kind: str, write: Write) -> None:
    check_game(game_of(write(kind)), quick=False)


@pytest.mark.parametrize(
    ("name", "title", "clauses"), [("oh_hell", "Oh Hell", "OH-"), ("whist", "Whist", "WH-"), ("x2", "X2", "XX-")]
)
def test_names(name: str, title: str, clauses: str) -> None:
    written = dict(files(name, "tricks"))
    assert written["README.md"].startswith(f"# {title}\n")
    assert f"| {clauses}01 |" in written[f"{name}/rules.md"] and f"# {clauses}05" in written[f"{name}/game.py"]
    assert f'{name}_v0 = "{name}.game:GAME"' in written["pyproject.toml"] and f'name = "{name}"' in written["pyproject.toml"]


def test_what_is_there_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder, a file, a link to nothing."""
    (tmp_path / "a_folder").mkdir()
    (tmp_path / "a_file").write_text("mine")
    (tmp_path / "a_link").symlink_to("nowhere")
    for name in ("a_folder", "a_file", "a_link"):
        assert main(["new", name, "--kind", "tricks", "--into", str(tmp_path)]) == 1
        assert capsys.readouterr().err == (
            f"wilddeck: {tmp_path / name} already exists; choose another name, or another folder with --into\n"
        )
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a_file", "a_folder", "a_link"]
    assert (tmp_path / "a_file").read_text() == "mine"


def test_it_is_written_where_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "oh_hell", "--kind", "tricks"]) == 0
    assert capsys.readouterr().out.splitlines()[2] == "  cd oh_hell"
    assert (tmp_path / "oh_hell" / "oh_hell" / "game.py").is_file()
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["show", "oh_hell:GAME"]) == 1
    assert "'oh_hell' is a folder here: is the module inside it?" in capsys.readouterr().err
