"""A game of another package comes through the same door as the suite's own, to all that takes a game."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import toy_game as toy
import wilddeck
from support import TESTS, WITHIN, output_of, run_python
from wilddeck import agents, envs
from wilddeck.envs import pages, registry

PACKAGE = '''"""Toy of another package: a game to register."""

from dataclasses import replace
from pathlib import Path

import toy_game as toy
from wilddeck.envs.core.jit import device_function


@device_function
def policy(observation, mask, num_players, noise):
    for action in range(mask.shape[0]):
        if mask[action]:
            return action
    return -1


GAME = replace(toy.GAME, name="elsewhere", player=policy, page="page.md")
OTHER = replace(toy.GAME, name="elsewhere")
'''
PAGE = "# Elsewhere\n\n| EL-01 | a rule |\n\n<!-- generated: actions -->\n<!-- end -->\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path of this process and its children with a package that is not registered."""
    folder = tmp_path / "place" / "elsewhere"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(PACKAGE)
    (folder / "page.md").write_text(PAGE)
    (tmp_path / "work").mkdir()
    path = [str(folder.parent), str(TESTS), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    monkeypatch.chdir(tmp_path / "work")
    return folder


# A user's script: everything that takes a game takes it.
DOORS = """
import sys
from pathlib import Path
import elsewhere, gymnasium, pettingzoo, wilddeck
from wilddeck.league import League
from wilddeck.training.exploit import exploit
from wilddeck.training.train import train
from wilddeck.training.evaluate import evaluate

if __name__ == "__main__":
    tiny = dict(total_steps=200, num_envs=4, rollout_steps=16, hidden=(4,), eval_deals=4, progress=False)
    result = train(elsewhere.GAME, out="run", **tiny)  # registers it
    assert wilddeck.games()[-1] == "elsewhere_v0"
    assert set(result.evaluations[-1].returns) == {"random", "rules"}
    evaluate(result.weights, "elsewhere_v0", games=20)
    exploit("rules", "elsewhere_v0", total_steps=100, deals=10, num_envs=4, rollout_steps=16)
    with League("a.league", elsewhere.GAME) as league:
        for name, spec in (("random", "random"), ("rules", "rules"), ("trained", str(result.weights))):
            league.add(name, spec)
        run = league.run(2, executor="process", workers=1)
        assert not run.unplayed and len(league.table().rows) == 3
        league.export("markdown")
    batch = wilddeck.make_batch("elsewhere_v0", 4, seed=1)
    batch.save("batch")
    assert wilddeck.load_batch("batch").states.tobytes() == batch.states.tobytes()
    env = gymnasium.make("wilddeck/elsewhere-v0", opponents="rules")
    env.reset(seed=1)
    env = gymnasium.make_vec("wilddeck/elsewhere-v0", num_envs=2)
    env.reset(seed=1)
    env = pettingzoo.make("aec", "wilddeck/elsewhere-v0", num_players=4)
    env.reset(seed=1)
    assert len(env.agents) == 4
    print("all open")
"""


@pytest.mark.long
def test_every_door_is_open(package: Path, tmp_path: Path) -> None:
    (tmp_path / "work" / "doors.py").write_text(DOORS)
    done = subprocess.run([sys.executable, "doors.py"], capture_output=True, text=True, timeout=WITHIN, check=False)
    assert done.stdout.endswith("all open\n"), done.stderr


def test_it_is_found_by_entry_points_and_by_its_module(package: Path) -> None:
    about = package.parent / "elsewhere-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 1\n")
    command = "import sys; from wilddeck.cli import main; sys.exit(main(sys.argv[1:]))"
    shown = json.loads(output_of(command, "show", "elsewhere:GAME", "--json"))
    assert shown["game"] == "elsewhere_v0"
    missing = run_python(command, "show", "elsewhere")
    assert missing.returncode and "no game 'elsewhere'" in missing.stderr
    assert "or give commands its module (oh_hell:GAME)" in missing.stderr
    (about / "entry_points.txt").write_text("[wilddeck.games]\nelsewhere_v0 = elsewhere:GAME\n")
    assert json.loads(output_of(command, "show", "elsewhere", "--json")) == shown
    assert "EL-01" in output_of(command, "show", "elsewhere")
    assert "elsewhere_v0" in output_of(command, "games", "--json")
    assert "elsewhere_v0" in output_of("import gymnasium, wilddeck; print(gymnasium.make('wilddeck/elsewhere-v0').game)")
    (package / "__init__.py").write_text("import nothing_of_this_name")
    wrong = run_python(command, "show", "elsewhere")
    assert "there is no game at 'elsewhere:GAME': No module named 'nothing_of_this_name'" in wrong.stderr
    assert "tennis_v0" in run_python(command, "games").stdout


def test_what_is_registered_is_found_and_nothing_takes_its_place() -> None:
    with pytest.raises(ValueError, match="no game 'toy_v0'"):
        envs.game("toy_v0")
    with pytest.raises(ValueError, match="no game 'toy_game:GAME'"):  # as a file from elsewhere may say
        envs.game("toy_game:GAME")
    wilddeck.register(toy.GAME)
    wilddeck.register("toy_game:GAME")  # again is no error
    assert envs.game("toy_v0") is toy.GAME and wilddeck.games()[-1] == "toy_v0"
    registry._places["toy_v0"] = "support:toy"  # as an entry point may name it by another module that holds it
    wilddeck.register(toy.GAME)
    registry._places["toy_v0"] = "toy_game:GAME"
    with pytest.raises(ValueError, match="another game has the id toy_v0, that of toy_game:GAME; choose another name"):
        wilddeck.register(replace(toy.TEAMS, name="toy"))
    with pytest.raises(ValueError, match="another game has the id tennis_v0"):
        wilddeck.register(replace(toy.GAME, name="tennis"))
    for place, reason in (
        ("toy_game:NOTHING", "no attribute"),
        ("no_module:GAME", "No module"),
        ("toy_game:DECK", "be a Game"),
    ):
        with pytest.raises(ValueError, match=reason):
            wilddeck.register(place)
    wilddeck.register("toy_game:GAME", "otherwise_v0")
    with pytest.raises(ValueError, match="'toy_game:GAME' is the game 'toy_v0', not 'otherwise_v0'"):
        envs.game("otherwise_v0")


def test_what_a_game_does_not_carry_is_done_without(caplog: pytest.LogCaptureFixture) -> None:
    assert agents.available(("random", "rules"), toy.GAME) == ("random",)
    assert "toy_v0 has no rule-based agent; using random agents instead" in caplog.text
    assert pages.page_path(toy.GAME) is None and "| `player` |" not in pages.page(toy.GAME)
    assert pages.page(toy.GAME).startswith("# Toy\n") and "## Actions" in pages.page(toy.GAME)
    assert agents.trained.names(toy.GAME) == ()
