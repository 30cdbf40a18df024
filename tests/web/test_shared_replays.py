"""Replays to be shared: an address for each move, and files that work without a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browsers
import pytest
from serving import Server
from wilddeck.league import Episode, League

pytestmark = pytest.mark.browser
PLACE = "#place:has-text('move {}')"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("league") / "l.sqlite"
    with League(path, "tennis_v0", {"num_players": 2, "max_tricks": 60}, seed=3) as league:
        league.add("random", "random")
        league.add("</script><b>&", "rules")
        league.run(deals=1)
    return path


@pytest.fixture(scope="module")
def episode(path: Path) -> Episode:
    with League(path) as league:
        return league.episode(league.results()[0].id)


@pytest.fixture(scope="module")
def server(path: Path) -> Iterator[Server]:
    running = Server(leagues=[path])
    yield running
    running.stop()


def test_each_move_has_an_address(tab: Any, server: Server, episode: Episode) -> None:
    """Also of a match of a league, for another browser; who steps through has that of each move, and nothing is loaded anew."""
    address = f"{server.url}/replay?league=0&match={episode.match}"
    tab.goto(f"{address}#move=5")
    tab.wait_for_selector(PLACE.format(f"5 of {len(episode.moves)}"))
    tab.evaluate("() => { document.title = 'the same page'; }")
    tab.keyboard.press("ArrowRight")
    tab.wait_for_url(f"{address}#move=6")
    tab.evaluate("() => { location.hash = 'move=9'; }")
    tab.wait_for_selector(PLACE.format(9))
    for wrong in ("move=x", "move=-4", ""):
        tab.evaluate("wrong => { location.hash = wrong; }", wrong)
        tab.wait_for_selector(PLACE.format(1))
    tab.evaluate("() => { location.hash = 'move=9999'; }")
    tab.wait_for_selector("#place:has-text('the end')")
    assert tab.title() == "the same page"


def test_a_page_works_without_a_server(tab: Any, server: Server, episode: Episode, tmp_path: Path) -> None:
    """As a file, which asks nobody for anything; in a notebook it has no address."""
    with browsers.page(tab.context.browser, server) as online:
        online.goto(f"{server.url}/replay?league=0&match={episode.match}")
        with online.expect_download() as downloading:
            online.click("text=as a page")
        file = tmp_path / "replay.html"
        downloading.value.save_as(file)
        with online.expect_download() as downloading:
            online.click("text=as a picture")
        assert Path(downloading.value.path()).read_text() == episode.to_svg()
    asked: list[str] = []
    alone = tab.context.browser.new_context(offline=True, reduced_motion="reduce").new_page()
    alone.on("request", lambda request: asked.append(request.url))
    alone.on("pageerror", lambda error: asked.append(str(error)))
    alone.on("console", lambda message: asked.append(message.text))
    alone.goto(f"{file.as_uri()}#move=3")
    alone.wait_for_selector(PLACE.format(f"3 of {len(episode.moves)}"))
    alone.keyboard.press("ArrowRight")
    alone.wait_for_url(f"{file.as_uri()}#move=4")
    assert alone.locator(".hand .card[aria-label='hidden card']").count() == 0
    assert alone.locator(".hand.own .card svg use").count() and alone.evaluate(browsers.COVERED) == []
    alone.select_option("#tools select >> nth=0", "1")
    alone.wait_for_selector(".hand.other .card[aria-label='hidden card']", state="attached")
    assert alone.locator("#ask, [download]").count() == 0
    alone.keyboard.press("End")
    alone.wait_for_selector("#place:has-text('the end')")
    assert [url for url in asked if not url.startswith((file.as_uri(), "data:"))] == []
    alone.set_content(episode._repr_html_())
    frame = alone.frame_locator("iframe")
    frame.locator(PLACE.format(1)).wait_for()
    frame.get_by_label("forward").click()
    frame.locator(PLACE.format(2)).wait_for()
    alone.context.close()


def test_other_kinds_of_files_and_replays_that_are_gone_are_refused(server: Server, episode: Episode) -> None:
    name = server.ask("/api/replays", {"league": 0, "match": episode.match})[1]["replay"]
    assert server.ask(f"/api/saved/{name}/gif") == (400, {"error": "a replay can be saved as html or svg"})
    assert server.ask("/api/saved/none/html")[0] == 400
