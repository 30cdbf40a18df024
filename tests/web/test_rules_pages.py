"""The games' pages in the browser: every clause has its place, no link leads nowhere."""

from __future__ import annotations

import re
import urllib.error
import urllib.request

import pytest
from serving import Server
from support import WITHIN
from wilddeck.envs import game_ids
from wilddeck.web.limits import Gone
from wilddeck.web.pictures import lobby_picture
from wilddeck.web.rules import SHARED, clauses, rules_page

NAMES = (*game_ids(), SHARED)


@pytest.mark.parametrize("name", NAMES)
def test_clauses_and_links(name: str) -> None:
    page = rules_page(name)
    assert clauses(name)
    for number, words in clauses(name).items():
        assert page.count(f'id="{number}"') == 1
        assert "`" not in words
    assert "<!--" not in page and "TITLE" not in page and "<table " in page
    for target in re.findall(r'href="([^"]*)"', page.partition("<main>")[2]):
        path, _, place = target.partition("#")
        assert path.startswith(("/rules/", "http", "/")) or (not path and place), target
        if path.startswith("/rules/"):
            assert path.removeprefix("/rules/") in NAMES
        if place:
            there = rules_page(path.removeprefix("/rules/")) if path else page
            assert f'id="{place}"' in there, target


def test_a_clause_that_is_referred_to_is_explained() -> None:
    assert re.search(r'<a class="clause" href="#TN-14" title="If nobody has cards[^"]*">TN-14</a>', rules_page("tennis_v0"))
    assert 'href="/rules/extended_deck"' in rules_page("hearts_v0")


def test_the_server_shows_them(server: Server) -> None:
    with urllib.request.urlopen(f"{server.url}/rules/tennis_v0", timeout=WITHIN) as answer:
        assert "TN-01" in answer.read().decode()
    for name in ("chess_v0", "..%2f..%2fREADME", "%3Cscript%3E"):
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(f"{server.url}/rules/{name}", timeout=WITHIN)
        assert error.value.code == 404
        assert error.value.headers["content-type"].startswith("text/plain")
        error.value.close()


def test_a_page_is_for_players_first() -> None:
    """How to play, then the clauses, then the options; what programs need is folded away."""
    for name in game_ids():
        page = rules_page(name)
        read, _, programs = page.partition("<details>")
        assert re.findall("<h2.*?>(.*?)</h2>", read)[:2] == ["How to play", "Rules"] and "<pre>" not in read.partition("<h2")[0]
        assert ">Options</h2>" in read and ">Observation</h2>" in programs and ">Actions</h2>" in programs


def test_pictures_of_tables() -> None:
    picture = lobby_picture("hearts_v0")
    assert picture.startswith("<svg") and 'back"' in picture and "Hearts" in picture
    with pytest.raises(Gone):
        lobby_picture("chess_v0")
