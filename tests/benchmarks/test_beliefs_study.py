"""What beliefs gain: both searches are asked at the same decisions, and judged in the true deal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from wilddeck import envs
from wilddeck.agents.base import View
from wilddeck.agents.search import SearchAgent
from wilddeck.benchmarks.studies import beliefs

GAME, OPTIONS = envs.resolve("tennis_v0", {"num_players": 2})


class Fixed(SearchAgent):
    """Chooses the first or the last legal action."""

    def __init__(self, place: int) -> None:
        super().__init__(GAME, OPTIONS, 2, "rules")
        self.place = place

    def act(self, view: View, rng: np.random.Generator) -> int:
        return int(view.legal_actions[self.place])


@pytest.mark.long
def test_the_gain_is_the_difference_in_the_true_deal() -> None:
    """Who swaps the searches swaps the sign; equal choices gain nothing; and the deal is the true one, whoever is asked."""
    found = []
    for (number, env), _ in zip(beliefs.decisions(GAME, OPTIONS, "rules", 3), range(5), strict=False):
        before = env.record.tobytes()
        one, other = (beliefs.look(number, env, Fixed(k), Fixed(-1 - k), 7) for k in (0, -1))
        assert one.gain == -other.gain and one.game == number and not one.fits <= 0  # nan: nobody else has decided
        assert beliefs.look(number, env, Fixed(0), Fixed(0), 7).gain == 0
        assert env.record.tobytes() == before
        found.append(one.gain)
    assert any(found)


@pytest.mark.long
def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    words: list[Any] = ["tennis_v0", "--seconds", "0", "--policy", "rules", "--rollouts", "4"]
    assert beliefs.main(words) == 0
    _, _, row = capsys.readouterr().out.splitlines()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:2] == ["Tennis", "2"] and "±" in cells[5] and int(cells[7]) >= 4
    with pytest.raises(SystemExit):
        beliefs.main(["tenis_v0"])
    assert "tenis_v0" in capsys.readouterr().err
