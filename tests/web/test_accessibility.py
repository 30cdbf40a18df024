"""What axe-core, which looks for barriers to people with disabilities, finds on the pages: nothing."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import browsers
import pytest
from serving import Server
from wilddeck.league import League

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """With a league and training runs to be shown."""
    folder = tmp_path_factory.mktemp("shown")
    for seed in (1, 2):
        run = folder / "runs" / f"run {seed}"
        run.mkdir(parents=True)
        (run / "settings.json").write_text(json.dumps({"game": "tennis_v0", "seed": seed}))
        (run / "progress.csv").write_text("steps,seconds,mean_return\n0,0,0\n100,1,0.5\n200,2,0.4\n")
    with League(folder / "tennis.sqlite", "tennis_v0", {"num_players": 2, "max_tricks": 60}) as league:
        league.add("random", "random")
        league.add("rules", "rules")
        league.run(deals=2)
    running = Server(leagues=[folder / "tennis.sqlite"], runs=folder / "runs")
    yield running
    running.stop()


def set_up(tab: Any, server: Server) -> None:
    tab.goto(server.url)
    tab.click("[data-game=poker_v0]")
    tab.wait_for_selector(".seat-row >> nth=1")


def invited(tab: Any, server: Server) -> None:
    with server.player(server.table("tennis_v0", ["me", "open", "open", "open"])) as player:
        links = player.until(lambda message: "links" in message)
    tab.goto(f"{server.url}/join#{links['invitations']['1']}")


def decision(game: str) -> Callable[[Any, Server], None]:
    def go(tab: Any, server: Server) -> None:
        players = server.ask("/api/check", {"game": game, "options": {}})[1]["players"]
        tab.goto(f"{server.url}/table#{server.table(game, ['me', *['rules'] * (players - 1)])}")
        tab.wait_for_selector("#actions.mine")

    return go


def result(tab: Any, server: Server) -> None:
    tab.goto(f"{server.url}/table#{server.table('tennis_v0', ['rules'] * 4, pace=0.05, max_tricks=50)}")
    tab.wait_for_selector(".result")


def replay(tab: Any, server: Server) -> None:
    result(tab, server)
    tab.click("[data-key=step]")
    tab.wait_for_selector("#place:has-text('move 1 of')")


def at(path: str, shown: str) -> Callable[[Any, Server], None]:
    def go(tab: Any, server: Server) -> None:
        tab.goto(f"{server.url}/{path}")
        tab.wait_for_selector(shown, state="attached")

    return go


PAGES: dict[str, Callable[[Any, Server], None]] = {
    "lobby": at("", ".game"),
    "set-up": set_up,
    "join": invited,
    "bid": decision("spades_v0"),
    "pass": decision("hearts_v0"),
    "bet": decision("poker_v0"),
    "result": result,
    "replay": replay,
    "no replay yet": at("replay", "input[type=file]"),
    "leagues": at("leagues", "#matches tbody tr, tbody th"),
    "training": at("training", ".curve"),
    "rules": at("rules/hearts_v0", ".clause"),
}


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(name: str, tab: Any, server: Server) -> None:
    PAGES[name](tab, server)
    tab.evaluate("() => document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    for scheme, size in itertools.product(("dark", "light"), browsers.SIZES):
        tab.emulate_media(color_scheme=scheme)
        width, height = browsers.SIZES[size]
        tab.set_viewport_size({"width": width, "height": height})
        found = axe.Axe().run(tab).response["violations"]
        assert [(scheme, size, rule["id"], node["html"][:160]) for rule in found for node in rule["nodes"]] == []
