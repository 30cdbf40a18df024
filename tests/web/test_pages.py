"""The pages besides tables and replays, in a browser: the lobby, training, leagues, rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browsers
import pytest
from serving import Server
from wilddeck.league import League

pytestmark = pytest.mark.browser
TEXTS = "all => all.map((one) => one.textContent)"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("shown")
    with League(folder / "l.sqlite", "tennis_v0", {"num_players": 2, "max_tricks": 60}) as league:
        league.add("random", "random")
        league.add("rules", "rules")
        league.run(deals=1)
    (folder / "runs" / "one").mkdir(parents=True)
    (folder / "runs" / "one" / "settings.json").write_text("{}")
    lines = ["steps,seconds,win_rate_rules,return_rules,error_rules", "0,0,0.2,-30,5", "7300,2,0.45,12,4", "9100,3,0.5,17,2"]
    (folder / "runs" / "one" / "progress.csv").write_text("\n".join(lines) + "\n")
    running = Server(leagues=[folder / "l.sqlite"], runs=Path(folder / "runs"))
    yield running
    running.stop()


def test_the_lobby_shows_each_games_table(tab: Any, server: Server) -> None:
    tab.set_viewport_size({"width": 1280, "height": 4000})  # pictures are loaded as they come into sight
    tab.goto(server.url)
    tab.wait_for_selector(".game")
    loaded = "() => [...document.querySelectorAll('.game')].every((game) => game.querySelector('img').naturalWidth > 300)"
    tab.wait_for_function(loaded)
    assert tab.evaluate("() => document.querySelectorAll('[data-game=hearts_v0] svg').length") == 0
    browsers.picture(tab, "lobby-tables")


def test_an_address_opens_a_games_form(tab: Any, server: Server) -> None:
    """What is chosen there is played: it says with how many players and cards."""
    tab.goto(f"{server.url}/#hearts_v0")
    tab.wait_for_selector("dialog[open] h2:has-text('Hearts')")
    assert tab.locator(".game").count() > 10
    tab.wait_for_selector("dialog .count:has-text('4 players, with the 66-card deck')")
    tab.click("summary")
    legends = tab.locator("dialog details legend").evaluate_all(TEXTS)
    assert legends == ["Length", "Cards", "Scores and stakes", "Rules"]
    tab.select_option("[data-option=deck]", '"standard"')
    tab.wait_for_selector("dialog .count:has-text('with the 52-card deck')")
    box = tab.get_by_label("hearts are not led until broken")
    assert box.is_checked()
    box.uncheck()
    tab.fill("[data-option=max_hands]", "0")
    tab.wait_for_selector("dialog .count:empty", state="attached")
    tab.fill("[data-option=max_hands]", "3")
    tab.wait_for_function("() => !document.querySelector('dialog .strong').disabled")
    tab.evaluate("() => { location.hash = 'tennis_v0'; }")
    tab.wait_for_selector("dialog[open] h2:has-text('Tennis')")
    tab.evaluate("() => { location.hash = 'hearts_v0'; }")
    tab.wait_for_selector("dialog[open] h2:has-text('Hearts')")
    tab.click("summary")
    tab.get_by_label("hearts are not led until broken").uncheck()
    tab.click("dialog .strong")
    tab.wait_for_url("**/table#*")
    options = server.at(tab.url.partition("#")[2]).env.options
    assert not options.must_break_hearts and options.qs_breaks_hearts


def test_curves_have_axes_and_bands(tab: Any, server: Server) -> None:
    """Shares from 0 to 1; mean returns on round numbers, with 95 % of where they lie."""
    tab.goto(f"{server.url}/training")
    tab.wait_for_selector(".curve", state="attached")
    assert tab.locator(".axis").evaluate_all(TEXTS) == ["decisions", "win rate rules"]
    assert tab.locator(".tick-y").evaluate_all(TEXTS) == ["0", "0.2", "0.4", "0.6", "0.8", "1"]
    assert tab.locator(".tick-x").evaluate_all(TEXTS) == ["0", "2000", "4000", "6000", "8000", "10 k"]
    assert tab.locator(".band").count() == 0
    tab.select_option("select >> nth=0", "return_rules")
    assert tab.locator(".tick-y").evaluate_all(TEXTS) == ["-40", "-20", "0", "20", "40"]
    points = [float(point.split(",")[1]) for point in tab.get_attribute(".band", "points").split()]
    line = [float(point.split(",")[1]) for point in tab.get_attribute(".curve", "points").split()]
    above, below = points[:3], points[:2:-1]
    assert [(a + b) / 2 for a, b in zip(above, below, strict=True)] == pytest.approx(line, abs=0.2)
    assert all(a < b for a, b in zip(above, below, strict=True))
    browsers.picture(tab, "training-bands")


def test_leagues_have_a_heading_and_named_filters(tab: Any, server: Server) -> None:
    tab.goto(f"{server.url}/leagues#0")
    tab.wait_for_selector("#matches tbody tr >> nth=1")
    assert tab.locator("h1").all_inner_texts() == ["Leagues"]
    tab.get_by_label("agent").select_option("rules")
    tab.get_by_label("status").select_option("")
    tab.wait_for_selector("#matches tbody tr >> nth=1")
    browsers.picture(tab, "leagues-filters")
