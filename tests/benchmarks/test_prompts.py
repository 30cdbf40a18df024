"""The pages of prompts in docs/prompts."""

from __future__ import annotations

import pytest
from wilddeck.benchmarks import prompts
from wilddeck.envs import OWN
from wilddeck.envs import game as find_game

MOST = 250_000  # bytes of all pages


@pytest.mark.parametrize("game_id", OWN)
def test_the_prompts_of_a_game_are_up_to_date(game_id: str) -> None:
    """`wilddeck bench prompts` writes them."""
    path = prompts.PAGES / f"{find_game(game_id).name}.md"
    assert path.read_text(encoding="utf-8") == prompts.page(game_id)


def test_the_page_of_their_lengths_is_up_to_date() -> None:
    files = {path: path.read_text(encoding="utf-8") for path in prompts.PAGES.iterdir()}
    assert files[prompts.PAGES / "README.md"] == prompts.index()
    assert len(files) == len(OWN) + 1
    assert sum(len(text.encode()) for text in files.values()) < MOST
