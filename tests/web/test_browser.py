"""People at a real browser. Every game to its end by clicking is behind the marker `browser`; here a sample of games."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Server
from support import Case, each_game
from wilddeck.league import League

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
browsers = pytest.importorskip("browsers")
CHROMIUM, SIZES = browsers.CHROMIUM, browsers.SIZES
over, page, picture, press_through, ready = (
    getattr(browsers, name) for name in ("over", "page", "picture", "press_through", "ready")
)

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium (Debian's package `chromium`)"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
FOCUSED = ".hand.own button, #actions button, #actions input, .side-panel button, .side-panel select"
STANDARD = {"deck": "standard"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as running:
        found = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


def choose(found: Any, number: int) -> None:
    """Click a legal card of the hand where it can be seen: at its corner."""
    found.click(f".hand.own button.card.can >> nth={number}", position={"x": 8, "y": 20})


def labels(found: Any) -> list[str]:
    """Of the legal cards of the hand, as screen readers say them."""
    return found.locator(".hand.own button.card.can").evaluate_all("cards => cards.map((card) => card.ariaLabel)")


def paired(found: Any) -> int:
    """The first of the legal cards that goes with another one, too."""
    ranks = [label.split()[0] for label in labels(found)]
    return next(k for k, rank in enumerate(ranks) if ranks.count(rank) > 1)


def play_to_the_end(browser: Any, server: Server, game: str, size: str, **options: Any) -> None:
    """By clicking, with pictures of the table, in which nothing lies over anything else."""
    players = server.ask("/api/check", {"game": game, "options": options})[1]["players"]
    token = server.table(game, ["me", *["rules"] * (players - 1)], **options)
    with page(browser, server, SIZES[size]) as found:
        found.goto(f"{server.url}/table#{token}")
        ready(found)
        press_through(found, 0, 6)
        ready(found)
        picture(found, f"{game}-{size}")
        assert found.evaluate(browsers.OVERLAPS) == []
        assert found.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        press_through(found, 1)
        assert over(found), "the game is not over"
        assert found.locator(".result tr").count() == players


@pytest.mark.parametrize(("game", "size"), [("tennis_v0", "desk"), ("blackjack_v0", "phone")])
def test_a_game_is_played_to_its_end_by_clicking(game: str, size: str, browser: Any, server: Server) -> None:
    play_to_the_end(browser, server, game, size)


@pytest.mark.browser
@pytest.mark.parametrize("size", SIZES)
@each_game
def test_every_game_is_played_to_its_end_by_clicking(case: Case, size: str, browser: Any, server: Server) -> None:
    play_to_the_end(browser, server, case.game_id, size)


def test_a_game_is_chosen_in_the_lobby(browser: Any, server: Server) -> None:
    """Every game is there; contradictions are told where they stand; the form makes the table."""
    with page(browser, server) as found:
        found.goto(server.url)
        found.wait_for_selector(".game")
        games = server.ask("/api/games")[1]
        assert found.locator(".game").count() == len(games)
        picture(found, "lobby-desk")
        found.click("[data-game=tennis_v0]")
        found.wait_for_selector(".seat-row >> nth=3")
        found.click("summary")
        found.fill("[data-option=max_tricks]", "7")
        found.wait_for_selector(".field .error:has-text('allowed: 50..10000')")
        assert found.is_disabled("dialog .strong")
        found.fill("[data-option=max_tricks]", "60")
        found.wait_for_function("() => !document.querySelector('dialog .strong').disabled")
        found.select_option("[data-option=num_players]", "3")
        found.wait_for_function("() => document.querySelectorAll('.seat-row').length === 3")
        found.select_option(".seat-row >> nth=2 >> select", "me")
        assert found.input_value(".seat-row >> nth=0 >> select") != "me"
        found.fill("[autocomplete=nickname]", "Ada <b>")
        picture(found, "setup-desk")
        found.click("dialog .strong")
        ready(found)
        assert found.url.startswith(f"{server.url}/table#")
        assert found.inner_text(".seat.mine .plate .name") == "Ada <b>"
        assert found.inner_text(".seat.mine .plate .number") == "2"


def test_a_game_is_played_with_the_keyboard_alone(browser: Any, server: Server) -> None:
    token = server.table("hearts_v0", ["me", *["rules"] * 3], **STANDARD)
    with page(browser, server) as found:
        found.goto(f"{server.url}/table#{token}")
        keys = found.keyboard
        for number in range(200):
            ready(found)
            if over(found):
                break
            before = found.inner_html("main")
            if found.locator(".hand.own button.card.can").count():
                while not found.evaluate("() => document.activeElement.matches('.hand.own .card.can')"):
                    keys.press("ArrowRight")
                keys.press("Enter" if number % 2 else "Space")
            else:
                keys.press("1")
            found.wait_for_function("before => document.querySelector('main').innerHTML !== before", arg=before)
        assert over(found)
        keys.press("?")
        found.wait_for_selector("#help[open]")
        keys.press("Escape")
        keys.press("n")
        found.wait_for_function("() => !document.querySelector('.result')")


def test_a_choice_of_several_cards_is_composed_and_undone(browser: Any, server: Server) -> None:
    """By The Skin of Your Teeth: how many actions match is told, and the way back leads back."""
    token = server.table("skin_of_your_teeth_v0", ["me", *["rules"] * 3], first_player=0)
    with page(browser, server) as found:
        found.goto(f"{server.url}/table#{token}")
        ready(found)
        choose(found, paired(found))
        count = found.wait_for_selector(".count").inner_text()
        assert re.fullmatch(r"\d+ actions? match", count)
        assert found.locator(".hand.own [aria-pressed=true]").count() == 1
        assert found.locator(".hand.own .chosen .tick").count() == 1  # colour is not the only sign
        found.keyboard.press("Escape")
        found.wait_for_function("() => !document.querySelector('.count')")
        assert found.locator(".hand.own [aria-pressed=true]").count() == 0


def test_what_a_choice_of_several_actions_holds_is_marked(browser: Any, server: Server) -> None:
    """Rummy: a special that is to be redealt lies marked in the hand until it is. All see it, so it cannot be taken back."""
    with page(browser, server) as found:
        staged = ""
        while not staged:  # half of the hands have two before the draw, when no other card can be clicked; one goes at once
            found.goto("about:blank")
            found.goto(f"{server.url}/table#{server.table('rummy_v0', ['me', 'rules'], num_players=2)}")
            ready(found)
            if found.locator("#actions button:has-text('draw')").count():
                staged = labels(found)[0] if len(labels(found)) > 1 else ""
        choose(found, 0)
        found.wait_for_selector(".hand.own .card.composed .tick")
        assert found.get_attribute(".hand.own .composed", "aria-label") == f"{staged}, chosen"
        assert staged not in labels(found)
        assert not found.locator("[data-key=undo]").count()


def test_what_nobody_has_noticed_is_taken_back(browser: Any, server: Server) -> None:
    """Hearts: a card that is to be passed, before all three are chosen."""
    with page(browser, server) as found:
        found.goto(f"{server.url}/table#{server.table('hearts_v0', ['me', *['rules'] * 3], passing='left')}")
        ready(found)
        before = labels(found)
        choose(found, 0)
        found.wait_for_selector("[data-key=undo]")
        assert labels(found) != before
        found.keyboard.press("u")
        found.wait_for_function("() => !document.querySelector('[data-key=undo]')")
        assert labels(found) == before


def test_the_two_stages_of_wild_escape(browser: Any, server: Server) -> None:
    """A rank is clicked, an action with it chosen, its cards follow; a half-made choice is taken back."""
    token = server.table("wild_escape_v0", ["me", *["rules"] * 5], leader=0)
    with page(browser, server) as found:
        found.goto(f"{server.url}/table#{token}")
        ready(found)
        state = found.inner_text("#actions")
        choose(found, paired(found))
        found.wait_for_selector(".count")
        found.keyboard.press("Escape")
        assert found.inner_text("#actions") == state


def test_two_browsers_at_one_table_see_different_cards(browser: Any, server: Server) -> None:
    with page(browser, server) as first, page(browser, server, SIZES["phone"]) as second:
        first.goto(server.url)
        first.click("[data-game=tennis_v0]")
        first.select_option(".seat-row >> nth=1 >> select", "open")
        first.click("dialog .strong")
        link = first.input_value(".invite input")
        second.goto(link)
        second.fill("#name", "Grace")
        second.click("button")
        second.wait_for_selector(".hand.own .card")
        assert first.wait_for_selector(".plate .name:has-text('Grace')")
        hands = [
            each.eval_on_selector_all(".hand.own .card", "all => all.map((one) => one.ariaLabel)") for each in (first, second)
        ]
        assert len(hands[0]) == len(hands[1]) == 6
        for each, hand in ((first, hands[0]), (second, hands[1])):
            others = each.eval_on_selector_all(".hand.other .card", "all => all.map((one) => one.ariaLabel)")
            assert set(others) == {"hidden card"} and "hidden card" not in " ".join(hand)
        assert second.url != link


def test_watching_agents_at_a_chosen_speed(browser: Any, server: Server) -> None:
    token = server.table("tennis_v0", ["rules"] * 4, pace=0.5)
    with page(browser, server) as found:
        found.goto(f"{server.url}/table#{token}")
        found.wait_for_selector("#log li >> nth=2")
        assert found.locator(".card[aria-label='hidden card']").count() < found.locator(".card").count()
        found.click("[data-key=pause]")
        found.wait_for_selector("text=Paused.")
        found.select_option(".tools select >> nth=1", "2")
        found.wait_for_selector(".hand.other .card[aria-label='hidden card']")
        assert found.locator("[aria-label='your hand'] .card[aria-label='hidden card']").count() == 0


def test_advice(browser: Any, server: Server) -> None:
    token = server.table("tennis_v0", ["me", *["rules"] * 3])
    with page(browser, server) as found:
        found.goto(f"{server.url}/table#{token}")
        ready(found)
        found.check("#tools input[type=checkbox]")
        found.click("[data-key=advice]")
        found.wait_for_selector(".advice table >> nth=2")
        captions = found.locator(".advice caption").all_inner_texts()
        assert captions[:2] == ["trained", "rules"] and captions[2].startswith("search")
        picture(found, "advice-desk")


def test_a_server_that_was_killed_comes_back_and_says_that_the_game_is_over(browser: Any) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Server(port)
    with page(browser, server) as found:
        found.goto(f"{server.url}/table#{server.table('tennis_v0', ['me', *['rules'] * 3])}")
        ready(found)
        server.stop()
        found.wait_for_selector("#notice:has-text('connection is lost')")
        server = Server(port)
        found.wait_for_selector("#notice:has-text('this game is over')")
        assert found.locator("#actions a").inner_text() == "To the games"
    server.stop()


def test_raises_are_chosen_by_a_slider(browser: Any, server: Server) -> None:
    """By its keys, by the buttons beside it; what it stands at is said and written. Bets and the pot are seen."""
    token = server.table("poker_v0", ["me", "rules"], num_players=2, button=0, **STANDARD)
    with page(browser, server) as found:
        found.goto(f"{server.url}/table#{token}")
        ready(found)
        slider, play = found.locator(".amounts input"), found.locator(".amounts .strong")
        assert slider.get_attribute("aria-label") == "raise to"
        assert found.locator(".seat.mine .bet").inner_text() == "bet 1"
        assert found.locator(".stakes").inner_text() == "pot 3"
        least = play.inner_text()
        slider.focus()
        found.keyboard.press("ArrowRight")
        found.wait_for_function("least => document.querySelector('.amounts .strong').innerText !== least", arg=least)
        assert slider.get_attribute("aria-valuetext") == play.inner_text()
        found.click(".amounts [aria-label=less]")
        assert play.inner_text() == least
        slider.focus()
        found.keyboard.press("End")
        assert play.inner_text() == "raise to 200, all-in"
        found.keyboard.press("Enter")
        found.wait_for_selector("#log li:has-text('raise to 200, all-in')")


@pytest.mark.parametrize("game", ["hearts_v0", "poker_v0", "rummy_v0"])
def test_everything_has_a_name_for_screen_readers(game: str, browser: Any, server: Server) -> None:
    players = server.ask("/api/check", {"game": game, "options": {}})[1]["players"]
    token = server.table(game, ["me", *["rules"] * (players - 1)])
    with page(browser, server) as found:
        found.goto(f"{server.url}/table#{token}")
        ready(found)
        unnamed = found.eval_on_selector_all(
            "button, a, input, select, .card",
            "all => all.filter((one) => !(one.ariaLabel || one.innerText || one.labels?.length)).map((one) => one.outerHTML)",
        )
        assert unnamed == []
        order = found.eval_on_selector_all(FOCUSED, "all => all.map((one) => !one.closest('.hand') + 2 * !one.closest('main'))")
        assert order == sorted(order) and not found.locator("[tabindex]").count()
        labels = found.eval_on_selector_all(".hand.own .card", "all => all.map((one) => one.ariaLabel)")
        assert all(re.match(r"([\w]+ of \w+|(small|big) Joker)(, cannot be played now)?$", label) for label in labels)
        assert found.get_attribute("html", "lang") == "en"


def test_a_table_is_interactive_at_once(browser: Any, server: Server) -> None:
    token = server.table("tennis_v0", ["me", *["rules"] * 3])
    with page(browser, server) as found:
        found.goto(server.url)  # Chromium itself is awake
        found.wait_for_selector(".game")
        with server.player(token) as player:
            player.turn()
        found.goto(f"{server.url}/table#{token}")
        ready(found)
        seconds = found.evaluate("() => performance.now() / 1000")
        assert seconds < 8, "1 s on a machine that does nothing else"


def test_a_replay_is_stepped_through(browser: Any, server: Server, tmp_path: Path) -> None:
    """From a table's end and from a file; forward and back by key, slider and decision; as a seat saw it."""
    token = server.table("tennis_v0", ["rules"] * 4, pace=0.05, max_tricks=50)
    with page(browser, server) as found:
        found.goto(f"{server.url}/table#{token}")
        found.wait_for_selector(".result")
        with found.expect_download() as downloading:
            found.click("[data-key=replay]")
        file = tmp_path / "game.json"
        downloading.value.save_as(file)
        found.click("[data-key=step]")
        found.wait_for_selector("#place:has-text('move 1 of')")
        moves = found.locator("#log li").count()
        found.keyboard.press("ArrowRight")
        found.wait_for_selector("#place:has-text('move 2 of')")
        found.keyboard.press("End")
        found.wait_for_selector("#place:has-text('the end')")
        found.keyboard.press("ArrowLeft")
        found.wait_for_selector(f"#place:has-text('move {moves} of {moves}')")
        found.locator("#slider").fill("3")
        found.wait_for_selector("#place:has-text('move 4 of')")
        assert found.locator(".hand .card[aria-label='hidden card']").count() == 0
        found.select_option("#tools select >> nth=0", "2")
        found.wait_for_selector(".hand.other .card[aria-label='hidden card']")
        found.select_option("#tools select >> nth=2", "1")
        found.click("#next-decision")
        found.wait_for_function("() => document.querySelector('#next').innerText.startsWith('player 1:')")
        found.click("#ask")
        found.wait_for_selector(".advice table >> nth=2")
        assert found.locator(".advice .was").count() >= 1
        picture(found, "replay-desk")
        found.click("#play")
        found.wait_for_selector("#play:has-text('Stop')")
        found.goto(f"{server.url}/replay")
        found.set_input_files("input[type=file]", file)
        found.wait_for_selector(f"#place:has-text('move 1 of {moves}')")
        file.write_text("{}")
        found.goto("about:blank")
        found.goto(f"{server.url}/replay")
        found.set_input_files("input[type=file]", file)
        found.wait_for_selector("#notice:has-text('this is no replay')")


def test_a_replay_listens_while_marks_are_thought_of(browser: Any, server: Server) -> None:
    """Keys move on, and what was chosen stays chosen when the marks have come."""
    token = server.table("tennis_v0", ["rules"] * 4, max_tricks=50)
    with page(browser, server) as found:
        held: list[Any] = []
        found.route("**/api/marks", lambda route: held.append(route))
        found.goto(f"{server.url}/table#{token}")
        found.click("[data-key=step]")
        found.wait_for_selector("#place:has-text('move 1 of')")
        found.keyboard.press("ArrowRight")
        found.wait_for_selector("#place:has-text('move 2 of')")
        found.select_option("#tools select >> nth=2", "1")
        held[0].fulfill(json=[{"n": 1, "agent": "search", "better": "another card"}])
        found.wait_for_selector("#next-mark")
        assert found.locator("#tools select >> nth=2").input_value() == "1"
        assert "search: another card" in found.locator("#next").inner_text()


def test_a_league_is_seen_to_grow(browser: Any, tmp_path: Path) -> None:
    """The ranking, head to head and matches, and a match opened as a replay."""
    path = tmp_path / "tennis.sqlite"
    with League(path, "tennis_v0", {"num_players": 2, "max_tricks": 60}) as league:
        for name, spec in (("random", "random"), ("<b>rules</b>", "rules")):
            league.add(name, spec)
        league.run(deals=1)
        server = Server(leagues=[path])
        with page(browser, server) as found:
            found.goto(f"{server.url}/leagues")
            found.wait_for_selector("tbody th:has-text('<b>rules</b>')")
            found.click(".tab >> nth=1")
            found.wait_for_selector("#progress:has-text('2 matches over 1 deals')")
            league.run(deals=5)
            found.wait_for_selector("#progress:has-text('10 matches over 5 deals')")
            assert found.locator(".ranking tbody tr").count() == 2
            assert found.locator(".matrix tbody tr").count() == 2
            found.wait_for_selector("#matches tbody tr >> nth=9")
            picture(found, "league-desk")
            found.click("#matches button >> nth=0")
            found.wait_for_selector("#place:has-text('move 1 of')")
        server.stop()


def test_learning_curves_grow(browser: Any, tmp_path: Path) -> None:
    for name, settings in (("one", '{"seed": 1, "game": "tennis_v0"}'), ("two", '{"seed": 2, "game": "tennis_v0"}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "settings.json").write_text(settings)
        (tmp_path / name / "progress.csv").write_text("steps,seconds,mean_return\n0,0,0\n100,1,0.5\n200,2,0.4\n")
    server = Server(runs=tmp_path)
    with page(browser, server) as found:
        found.goto(f"{server.url}/training")
        found.wait_for_selector(".curve >> nth=1", state="attached")
        assert found.locator(".differs th").all_inner_texts() == ["seed"]
        before = found.get_attribute(".curve >> nth=0", "points")
        for name in ("one", "two"):
            with (tmp_path / name / "progress.csv").open("a") as file:
                file.write("400,4,0.9\n")
        moved: Any = "before => document.querySelector('.curve').getAttribute('points') !== before"
        found.wait_for_function(moved, arg=before)
        picture(found, "training-desk")
    server.stop()
