"""My Game passes the checks of wilddeck, and its player is better than chance."""

import re
from pathlib import Path

import my_game
from my_game import GAME, player
from wilddeck.agents.base import PolicyAgent
from wilddeck.agents.play import evaluate
from wilddeck.agents.random import RandomAgent
from wilddeck.testing import check_game


def test_checks():
    check_game(GAME)


def test_the_player_beats_random_ones():
    options = GAME.options()
    rules = PolicyAgent("rules", player.policy, options.num_players)
    result = evaluate(rules, RandomAgent(), GAME, options, 1000, seed=1)
    assert result.mean > 5 * result.standard_error


def test_clauses_that_the_code_names_are_on_the_page():
    code, page = (Path(my_game.__file__).with_name(name).read_text(encoding="utf-8") for name in ("game.py", "rules.md"))
    assert set(re.findall(r"MG-\d\d", code)) <= set(re.findall(r"^\| (MG-\d\d) \|", page, re.MULTILINE))
