"""What all studies of agents do."""

from __future__ import annotations

import importlib

import pytest

NEEDS = {"bridge_par": "endplay", "solved_pokers": "pyspiel"}


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "name", ["basic_strategy", "bridge_auction", "bridge_par", "gin_bots", "local_best_response", "solved_pokers"]
)
def test_an_unknown_agent_is_an_error_of_the_command_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    study = importlib.import_module(f"wilddeck.benchmarks.studies.{name}")
    with pytest.raises(SystemExit) as left:
        study.main(["ruls"])
    assert left.value.code == 2 and "did you mean 'rules'?" in capsys.readouterr().err
