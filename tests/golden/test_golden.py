"""Recorded games play on as they were recorded: a change of play, dealing or observation shows in a diff.

To record anew after an intended change: `python tests/golden/record.py [GAME ...]`.
"""

from __future__ import annotations

import json

import pytest
import wilddeck
from golden.record import BETWEEN, FOLDER, golden_path, play
from support import Case, each_game

HOW = "run `python tests/golden/record.py {}`, read what it wrote, and commit it"


@each_game
def test_golden_playthrough(case: Case) -> None:
    path = golden_path(case.game_id)
    assert path.is_file(), f"{case.game_id} has no golden playthrough: {HOW.format(case.game_id)}"
    assert path.stat().st_size < 40_000, "small enough to read in a diff"
    for expected in json.loads(path.read_text(encoding="utf-8")):
        labels = BETWEEN.join(expected.pop("labels")).split(BETWEEN)
        played = play(case.game_id, expected["options"], expected["seed"], labels)
        assert played.pop("labels") == labels
        assert played.pop("returns") == pytest.approx(expected.pop("returns"), abs=1e-5)
        assert played == expected, f"play or observation changed; if that is meant: {HOW.format(case.game_id)}"


def test_no_golden_playthrough_of_an_unknown_game() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(wilddeck.games())
