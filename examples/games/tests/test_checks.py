"""The games pass the checks that `wilddeck check` runs."""

from __future__ import annotations

import pytest
from wilddeck.envs.core.game import Game
from wilddeck.testing import check_game
from wilddeck_games import dou_dizhu, goofspiel, kuhn, leduc, oh_hell

LONG = [pytest.param(module.GAME, marks=pytest.mark.long) for module in (dou_dizhu, goofspiel, leduc, oh_hell)]


@pytest.mark.parametrize("game", [kuhn.GAME, *LONG], ids=repr)
def test_checks(game: Game) -> None:
    check_game(game)
