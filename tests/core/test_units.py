"""Results as people count them."""

from __future__ import annotations

from typing import Any

import pytest
from wilddeck.envs import game as find_game
from wilddeck.envs.core.units import Unit

RETURNS: list[tuple[str, dict[str, Any], float, int, str]] = [
    ("baccarat_v0", {"max_bet": 100}, 0.45, 1, "+45 chips"),
    ("blackjack_v0", {}, -2.5, 1, "−2.5 chips"),
    ("bridge_v0", {}, 0.42, 1, "+420 points"),
    ("bridge_v0", {"reward": "openspiel"}, -50, 1, "−50 points"),
    ("crazy_eights_v0", {}, 0.125, 1, "12.5 points ahead"),
    ("crazy_eights_v0", {"reward": "openspiel"}, -35, 1, "35 points"),
    ("go_fish_v0", {"num_players": 3}, 0.25, 1, "0.5 wins"),
    ("go_fish_v0", {"reward": "margin"}, 1, 1, "1 book ahead"),
    ("hearts_v0", {}, -6.5 / 26, 1, "6.5 points behind"),
    ("hearts_v0", {}, 0.0, 1, "even"),
    ("hearts_v0", {"match": "match", "target": 50}, 0.5, 2, "25 points ahead"),
    ("hearts_v0", {"reward": "openspiel"}, 22, 1, "4 points"),
    ("old_maid_v0", {"num_players": 4}, -1, 1, "lost"),
    ("old_maid_v0", {"num_players": 4}, 1 / 3, 1, "safe"),
    ("old_maid_v0", {"num_players": 4}, -2 + 1 / 3, 3, "2 losses"),
    ("poker_v0", {}, 1.5, 1, "+3 chips"),
    ("president_v0", {"num_players": 4}, 1 / 3, 1, "place 2"),
    ("president_v0", {"num_players": 4}, 1 / 3, 2, "place 2.25 on average"),
    ("president_v0", {"num_players": 4, "match": "points"}, 1, 1, "11 points ahead"),
    ("rummy_v0", {}, 35, 1, "+35 points"),
    ("skin_v0", {}, 1, 1, "+8 chips"),
    ("skin_of_your_teeth_v0", {"num_players": 3}, -0.5, 1, "lost"),
    ("skin_of_your_teeth_v0", {"num_players": 3, "games": 3}, 31, 1, "31 points"),
    ("spades_v0", {}, -0.24, 1, "120 points behind"),
    ("spades_v0", {"match": "match"}, -1, 1, "lost"),
    ("spades_v0", {"reward": "openspiel"}, -40, 1, "−40 points"),
    ("tennis_v0", {"num_players": 4}, 1 - 1 / 3, 2, "1 win"),
    ("tennis_v0", {"num_players": 4}, -1, 1, "−0.5 wins"),  # an illegal action
    ("wild_escape_v0", {}, 1, 1, "won"),
    ("wild_escape_v0", {"episode": "match"}, 5, 1, "+5 points"),
]


@pytest.mark.parametrize(("game_id", "values", "returned", "games", "text"), RETURNS)
def test_a_return_in_words(game_id: str, values: dict[str, Any], returned: float, games: int, text: str) -> None:
    game = find_game(game_id)
    assert game.unit_of(game.options(**values)).text(returned, games) == text


def test_a_game_that_says_nothing_counts_points() -> None:
    assert [Unit("point").text(value) for value in (2, 1, 0, -0.001, -0.59)] == [
        "+2 points", "+1 point", "±0 points", "±0 points", "−0.59 points",
    ]  # fmt: skip
