"""The code of docs/guides/clients.md runs, and its names are right."""

import doctest

import wilddeck
from support import ROOT
from wilddeck.envs.registration import registry_id

GUIDE = ROOT / "docs" / "guides" / "clients.md"


def test_the_guide_is_true() -> None:
    done = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert done.attempted > 15
    assert done.failed == 0


def test_the_guide_names_every_game() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    for game_id in wilddeck.games():
        assert f"| `{game_id}` | `{registry_id(game_id)}` |\n" in text
