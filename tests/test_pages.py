"""The pages of the games: their tables are those of the declarations."""

from __future__ import annotations

import pytest
from wilddeck.envs import game as find_game
from wilddeck.envs import game_ids, pages


@pytest.mark.parametrize("game_id", game_ids())
def test_the_tables_of_a_page_are_up_to_date(game_id: str) -> None:
    game = find_game(game_id)
    text = pages.page_path(game).read_text(encoding="utf-8")
    assert pages.page(game) == text, "run `make docs`"
    for name in pages.TABLES:
        assert f"<!-- generated: {name} -->" in text
    for block in (*game.actions.blocks, *game.observation.blocks):
        assert f"| `{block.name}` |" in text


def test_what_stands_between_the_marks_is_replaced_and_nothing_else() -> None:
    game = find_game("tennis_v0")
    before = "a\n<!-- generated: options -->\nold\n<!-- end -->\nb <!-- end -->\n"
    after = pages.fill(before, game)
    assert "old" not in after
    assert after.startswith("a\n<!-- generated: options -->\n| option |")
    assert after.endswith("<!-- end -->\nb <!-- end -->\n")
