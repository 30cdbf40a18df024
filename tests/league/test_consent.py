"""A file from elsewhere runs no program of its maker's, unless who runs it names the agent again or trusts the file."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from wilddeck import agents
from wilddeck.cli import main
from wilddeck.league import League, LeagueError

OPTIONS = {"num_players": 2, "max_tricks": 50}
GAME = ["tennis", "-n", "2", "-o", "max_tricks=50"]
MODULE = """
from pathlib import Path
from wilddeck.agents.random import RandomAgent
Path("r").touch()
def make(game, options):
    return RandomAgent()
"""
OPEN = "open('r', 'w')"
BOT = f"cmd:{sys.executable} -c {shlex.quote(OPEN)}"  # which then ends, and so forfeits
SPECS = [BOT, "foreign:make"]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A league's file from elsewhere with an agent of this spec, a deal of it played."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    sys.modules.pop("foreign", None)
    (tmp_path / "foreign.py").write_text(MODULE)

    def make(spec: str) -> Path:
        with League("league", "tennis_v0", OPTIONS) as league:
            league.add("random", "random")
            league.add("first", spec)
            league.run(1)
        assert ran()
        return Path("league")

    return make


def ran() -> bool:
    """Whether it has run since this was last asked."""
    has_run = Path("r").exists()
    Path("r").unlink(missing_ok=True)
    sys.modules.pop("foreign", None)
    return has_run


@pytest.mark.parametrize("spec", SPECS, ids=["cmd", "function"])
def test_what_stands_in_a_file_is_not_run(spec: str, written: Callable[[str], Path]) -> None:
    with League(written(spec)) as league, pytest.raises(LeagueError) as refused:
        league.run(2)
    assert f"'first' ({spec})" in str(refused.value) and "--trust" in str(refused.value)
    assert not ran()


def test_a_partner_may_be_a_program(written: Callable[[str], Path]) -> None:
    written("foreign:make")
    with League("teams", "wild_escape_v0") as league:
        league.add("first", "random + foreign:make + random")
    assert ran()
    with League("teams") as league, pytest.raises(LeagueError, match="names programs that would run here: 'first'"):
        league.run(2)
    assert not ran()


def test_which_specs_are_programs() -> None:
    assert agents.runs_code(SPECS[0]) and agents.runs_code(SPECS[1]) and agents.runs_code("a/b.ZIP")
    assert not any(map(agents.runs_code, ("random", "rules:bold", "mc:policy=a.npz", "a.npz", "trained", "nobody")))


@pytest.mark.parametrize("spec", SPECS, ids=["cmd", "function"])
def test_reading_runs_nothing(spec: str, written: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    path = written(spec)
    for action in ("table", "matrix", "replay", "export"):
        assert main(["league", action, str(path)]) == 0
        assert capsys.readouterr().out
        assert not ran(), action


@pytest.mark.parametrize("spec", SPECS, ids=["cmd", "function"])
def test_who_names_it_again_or_trusts_the_file_lets_it_run(
    spec: str, written: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["league", "run", str(written(spec)), *GAME]
    for deals, consent in enumerate((["-a", f"first={spec}"], ["--trust"], ["-a", "random", "-a", f"first={spec}"]), 2):
        assert main([*words, "--deals", str(deals)]) == 1
        assert "names programs that would run here: 'first' (" in capsys.readouterr().err
        assert not ran()
        assert main([*words, "--deals", str(deals), *consent]) == 0
        assert ran()
    with League("league", trust=True) as league:
        assert league.run(5).played == 2
    assert ran()
    assert main([*words, "-a", "first=cmd:true"]) == 1 and "the league has it as" in capsys.readouterr().err


def test_an_agent_that_cannot_be_imported_ends_the_run_at_once(written: Callable[[str], Path]) -> None:
    """With one error and no forfeit: its module has gone, or what that needs."""
    path = written("foreign:make")
    (path.parent / "needed.py").write_text("")
    (path.parent / "other.py").write_text("import needed\n" + MODULE)
    with League(path, trust=True) as league:
        league.add("other", "other:make")
    (path.parent / "needed.py").unlink()
    for name in ("needed", "other"):
        sys.modules.pop(name)
    missing = r"agent 'other' cannot be made here: cannot import 'other:make': No module named 'needed'"
    with League(path, trust=True) as league:
        with pytest.raises(LeagueError, match=missing):
            league.run(2)
        Path("foreign.py").unlink()
        with pytest.raises(LeagueError, match="agent 'first': its file has changed or is missing"):
            league.run(2)
        assert league.errors() == []


def test_an_agent_that_workers_cannot_import_ends_the_run_at_once(open_league: Callable[..., League]) -> None:
    league = open_league(agents={"random": "random", "mine": "absent@worker"})
    with pytest.raises(LeagueError, match="agent 'mine' cannot be made here: No module named 'mine'"):
        league.run(100, executor="process")
    assert league.errors() == []


def test_workers_find_a_function_in_this_folder(written: Callable[[str], Path]) -> None:
    with League(written("foreign:make"), trust=True) as league:
        assert league.run(2, executor="process", workers=1).forfeits == 0
        assert league.agents[1].kind == "python" and len(league.agents[1].sha256) == 64
