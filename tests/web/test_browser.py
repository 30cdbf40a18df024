"""People at a real browser. Every game to its end by clicking is behind the marker `browser`; here a sample of games."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Any

import browsers
import pytest
from browsers import SIZES, over, page, picture, press_through, ready
from serving import Server
from support import Case, each_game
from wilddeck.league import League
from wilddeck.web.limits import Limits

FOCUSED = ".hand.own button, #actions button, #actions input, .side-panel button, .side-panel select"
STANDARD = {"deck": "standard"}


def choose(tab: Any, number: int) -> None:
    """Click a legal card of the hand where it can be seen: at its corner."""
    tab.click(f".hand.own button.card.can >> nth={number}", position={"x": 8, "y": 20})


def labels(tab: Any) -> list[str]:
    """Of the legal cards of the hand, as screen readers say them."""
    return tab.locator(".hand.own button.card.can").evaluate_all("cards => cards.map((card) => card.ariaLabel)")


def paired(tab: Any) -> int:
    """The first of the legal cards that goes with another one, too."""
    ranks = [label.split()[0] for label in labels(tab)]
    return next(k for k, rank in enumerate(ranks) if ranks.count(rank) > 1)


def play_to_the_end(browser: Any, server: Server, game: str, size: str, **options: Any) -> None:
    """By clicking, with pictures of the table, on which nothing is covered or out of reach."""
    players = server.ask("/api/check", {"game": game, "options": options})[1]["players"]
    token = server.table(game, ["me", *["rules"] * (players - 1)], **options)
    with page(browser, server, SIZES[size]) as tab:
        tab.goto(f"{server.url}/table#{token}")
        ready(tab)
        press_through(tab, 0, 6)
        ready(tab)
        picture(tab, f"{game}-{size}")
        assert tab.evaluate(browsers.COVERED) == []
        press_through(tab, 1)
        assert over(tab), "the game is not over"
        assert tab.locator(".result tr").count() == players


def test_a_game_is_played_to_its_end_by_clicking(browser: Any, server: Server) -> None:
    play_to_the_end(browser, server, "blackjack_v0", "phone")


@pytest.mark.long
def test_another_is_played_to_its_end_at_a_desk(browser: Any, server: Server) -> None:
    play_to_the_end(browser, server, "tennis_v0", "desk", max_tricks=50)


@pytest.mark.browser
@pytest.mark.parametrize("size", SIZES)
@each_game
def test_every_game_is_played_to_its_end_by_clicking(case: Case, size: str, browser: Any, server: Server) -> None:
    play_to_the_end(browser, server, case.game_id, size)


@pytest.mark.long
def test_a_game_is_chosen_in_the_lobby(browser: Any, server: Server) -> None:
    """Every game is there; contradictions are told where they stand; the form makes the table."""
    with page(browser, server) as tab:
        tab.goto(server.url)
        tab.wait_for_selector(".game")
        games = server.ask("/api/games")[1]
        assert tab.locator(".game").count() == len(games)
        picture(tab, "lobby-desk")
        tab.click("[data-game=poker_v0]")
        assert tab.input_value("[data-option=hands]") == "20"
        tab.click("dialog .quiet:text-is('Cancel')")
        tab.click("[data-game=tennis_v0]")
        tab.wait_for_selector(".seat-row >> nth=3")
        tab.click("summary")
        tab.fill("[data-option=max_tricks]", "7")
        tab.wait_for_selector(".field .error:has-text('allowed: 50..10000')")
        assert tab.is_disabled("dialog .strong")
        tab.fill("[data-option=max_tricks]", "60")
        tab.wait_for_function("() => !document.querySelector('dialog .strong').disabled")
        tab.select_option("[data-option=num_players]", "3")
        tab.wait_for_function("() => document.querySelectorAll('.seat-row').length === 3")
        tab.select_option(".seat-row >> nth=2 >> select", "me")
        assert tab.input_value(".seat-row >> nth=0 >> select") != "me"
        tab.fill("[autocomplete=nickname]", "Ada <b>")
        picture(tab, "setup-desk")
        tab.click("dialog .strong")
        ready(tab)
        assert tab.url.startswith(f"{server.url}/table#")
        assert tab.inner_text(".seat.mine .plate .name") == "Ada <b>"
        assert tab.inner_text(".seat.mine .plate .number") == "2"


@pytest.mark.long
def test_a_game_is_played_with_the_keyboard_alone(browser: Any, server: Server) -> None:
    token = server.table("hearts_v0", ["me", *["rules"] * 3], **STANDARD)
    with page(browser, server) as tab:
        tab.goto(f"{server.url}/table#{token}")
        keys = tab.keyboard
        for number in range(200):
            ready(tab)
            if over(tab):
                break
            before = tab.inner_html("main")
            if tab.locator(".hand.own button.card.can").count():
                while not tab.evaluate("() => document.activeElement.matches('.hand.own .card.can')"):
                    keys.press("ArrowRight")
                keys.press("Enter" if number % 2 else "Space")
            else:
                keys.press("1")
            tab.wait_for_function("before => document.querySelector('main').innerHTML !== before", arg=before)
        assert over(tab)
        keys.press("?")
        tab.wait_for_selector("#help[open]")
        keys.press("Escape")
        keys.press("n")
        tab.wait_for_function("() => !document.querySelector('.result')")


@pytest.mark.long
def test_a_choice_of_several_cards_is_composed_and_undone(browser: Any, server: Server) -> None:
    """By The Skin of Your Teeth: how many actions match is told, and the way back leads back."""
    token = server.table("skin_of_your_teeth_v0", ["me", *["rules"] * 3], first_player=0)
    with page(browser, server) as tab:
        tab.goto(f"{server.url}/table#{token}")
        ready(tab)
        choose(tab, paired(tab))
        count = tab.wait_for_selector(".count").inner_text()
        assert re.fullmatch(r"\d+ matching actions?", count)
        assert tab.locator(".hand.own [aria-pressed=true]").count() == 1
        assert tab.locator(".hand.own .chosen .tick").count() == 1  # colour is not the only sign
        tab.keyboard.press("Escape")
        tab.wait_for_function("() => !document.querySelector('.count')")
        assert tab.locator(".hand.own [aria-pressed=true]").count() == 0


@pytest.mark.long
def test_what_a_choice_of_several_actions_holds_is_marked(browser: Any, server: Server) -> None:
    """Rummy: a special that is to be redealt lies marked in the hand until it is. All see it, so it cannot be taken back."""
    with page(browser, server) as tab:
        staged = ""
        while not staged:  # half of the hands have two before the draw, when no other card can be clicked; one goes at once
            tab.goto("about:blank")
            tab.goto(f"{server.url}/table#{server.table('rummy_v0', ['me', 'rules'], num_players=2)}")
            ready(tab)
            if tab.locator("#actions button:has-text('draw')").count():
                staged = labels(tab)[0] if len(labels(tab)) > 1 else ""
        choose(tab, 0)
        tab.wait_for_selector(".hand.own .card.composed .tick")
        assert tab.get_attribute(".hand.own .composed", "aria-label") == f"{staged}, chosen"
        assert staged not in labels(tab)
        assert not tab.locator("[data-key=undo]").count()


@pytest.mark.long
def test_what_nobody_has_noticed_is_taken_back(browser: Any, server: Server) -> None:
    """Hearts: a card that is to be passed, before all three are chosen."""
    with page(browser, server) as tab:
        tab.goto(f"{server.url}/table#{server.table('hearts_v0', ['me', *['rules'] * 3], passing='left')}")
        ready(tab)
        before = labels(tab)
        choose(tab, 0)
        tab.wait_for_selector("[data-key=undo]")
        assert labels(tab) != before
        tab.keyboard.press("u")
        tab.wait_for_function("() => !document.querySelector('[data-key=undo]')")
        assert labels(tab) == before


@pytest.mark.long
def test_the_two_stages_of_wild_escape(browser: Any, server: Server) -> None:
    """A rank is clicked, an action with it chosen, its cards follow; a half-made choice is taken back."""
    token = server.table("wild_escape_v0", ["me", *["rules"] * 5], leader=0)
    with page(browser, server) as tab:
        tab.goto(f"{server.url}/table#{token}")
        ready(tab)
        state = tab.inner_text("#actions")
        choose(tab, paired(tab))
        tab.wait_for_selector(".count")
        tab.keyboard.press("Escape")
        assert tab.inner_text("#actions") == state


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
            one.eval_on_selector_all(".hand.own .card", "all => all.map((one) => one.ariaLabel)") for one in (first, second)
        ]
        assert len(hands[0]) == len(hands[1]) == 6
        for one, hand in ((first, hands[0]), (second, hands[1])):
            others = one.eval_on_selector_all(".hand.other .card", "all => all.map((one) => one.ariaLabel)")
            assert set(others) == {"hidden card"} and "hidden card" not in " ".join(hand)
        assert second.url != link


@pytest.mark.long
def test_watching_agents_at_a_chosen_speed(browser: Any, server: Server) -> None:
    token = server.table("tennis_v0", ["rules"] * 4, pace=0.5)
    with page(browser, server) as tab:
        tab.goto(f"{server.url}/table#{token}")
        tab.wait_for_selector("#log li >> nth=2")
        assert tab.locator(".card[aria-label='hidden card']").count() < tab.locator(".card").count()
        tab.click("[data-key=pause]")
        tab.wait_for_selector("text=Paused.")
        tab.select_option(".tools select >> nth=1", "2")
        tab.wait_for_selector(".hand.other .card[aria-label='hidden card']")
        assert tab.locator("[aria-label='your hand'] .card[aria-label='hidden card']").count() == 0


@pytest.mark.long
def test_advice(browser: Any, server: Server) -> None:
    token = server.table("tennis_v0", ["me", *["rules"] * 3])
    with page(browser, server) as tab:
        tab.goto(f"{server.url}/table#{token}")
        ready(tab)
        tab.check("#tools input[type=checkbox]")
        tab.click("[data-key=advice]")
        tab.wait_for_selector(".advice table >> nth=2")
        captions = tab.locator(".advice caption").all_inner_texts()
        assert captions[:2] == ["trained", "rules"] and captions[2].startswith("mc:rollouts=")
        picture(tab, "advice-desk")


@pytest.mark.long
def test_ones_tables_are_in_the_lobby_and_who_is_away_is_played_for(browser: Any) -> None:
    server = Server(limits=Limits(away_seconds=0))
    token = server.table("tennis_v0", ["me", "open", "random", "random"])
    with page(browser, server) as tab:
        tab.goto(f"{server.url}/table#{token}")
        invitation = tab.input_value(".invite input").partition("#")[2]
        grace = server.ask("/api/join", {"invitation": invitation, "name": "Grace"})[1]["token"]
        with server.player(grace) as player:
            player.until(lambda message: "scene" in message)
        tab.click("text=Grace is away: let an agent play until they return")
        tab.wait_for_selector(".seat .name:has-text('Grace (rules plays)')")
        with server.player(grace) as player:
            player.until(lambda message: "scene" in message)
            tab.wait_for_selector(".log :text('Grace is back')")
        tab.goto(server.url)
        tab.click("#mine a:has-text('Tennis with Grace, random, random')")
        tab.wait_for_url(f"**/table#{token}")
    server.stop()


@pytest.mark.long
def test_an_evening_in_one_link_with_spectators_and_clocks(browser: Any, server: Server) -> None:
    with page(browser, server) as tab, page(browser, server, SIZES["phone"]) as guest, page(browser, server) as looking:
        tab.goto(server.url)
        tab.click("[data-game=tennis_v0]")
        for seat in range(4):
            tab.select_option(f".seat-row >> nth={seat} >> select", "open" if seat else "me")
        tab.select_option("[data-clock]", label="5 minutes, plus 10 seconds per turn")
        tab.click("dialog .strong")
        tab.wait_for_selector(".invite")
        guest.goto(tab.input_value(".invite:has-text('Link for a group') input"))
        guest.fill("#name", "Grace")
        guest.click("text=Take a seat")
        guest.wait_for_selector(".seat .name:has-text('Grace')")
        seat = guest.url
        looking.goto(tab.input_value(".invite:has-text('Link for spectators') input"))
        looking.wait_for_selector(".seat .name:has-text('Grace')")
        assert looking.locator(".hand.own button, #actions button, [data-key=agree]").count() == 0
        tab.wait_for_selector("text=1 spectator")
        tab.click("text=Start, with agents in the open seats")
        tab.wait_for_selector(".seat .name:has-text('rules')")
        looking.wait_for_selector(".seat.moving .name:has-text('4:5')")  # it counts down
        picture(tab, "evening-desk")
        picture(guest, "evening-phone")
        picture(looking, "spectator-desk")
        guest.goto(f"{server.url}/join#{_invitation(tab)}")
        guest.wait_for_url(seat)


def _invitation(tab: Any) -> str:
    return tab.input_value(".invite:has-text('Link for a group') input").partition("#")[2]


@pytest.mark.long
def test_a_server_that_was_killed_comes_back_and_says_that_the_game_is_over(browser: Any) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Server(port)
    with page(browser, server) as tab:
        tab.goto(f"{server.url}/table#{server.table('tennis_v0', ['me', *['rules'] * 3])}")
        ready(tab)
        server.stop()
        tab.wait_for_selector("#notice:has-text('Connection lost')")
        server = Server(port)
        tab.wait_for_selector("#notice:has-text('the server has no such table')")
        assert tab.locator("#actions a").inner_text() == "Choose a game"
    server.stop()


@pytest.mark.long
def test_what_is_known_lies_at_the_seats(browser: Any, server: Server) -> None:
    """Bids, tricks and the partner at seats, how far the hand is in the middle; the headline does not repeat it."""
    token = server.table("spades_v0", ["me", *["rules"] * 3], **STANDARD)
    with page(browser, server) as tab:
        tab.goto(f"{server.url}/table#{token}")
        ready(tab)
        press_through(tab, 1, most=1)
        tab.wait_for_selector("text=/choose one of [0-9]+ cards/")
        seats = tab.locator(".seat:has(.fact.bid):has(.fact.tricks)")
        assert seats.count() == 4 and tab.locator(".seat .fact.partner").all_inner_texts() == ["your partner"]
        assert tab.locator(".panel .course").inner_text() == "trick 1"
        assert "bid" not in tab.locator("#headline").inner_text()


@pytest.mark.long
def test_raises_are_chosen_by_a_slider(browser: Any, server: Server) -> None:
    """By its keys, by the buttons beside it; what it stands at is said and written. Bets and the pot are seen."""
    token = server.table("poker_v0", ["me", "rules"], num_players=2, button=0, **STANDARD)
    with page(browser, server) as tab:
        tab.goto(f"{server.url}/table#{token}")
        ready(tab)
        slider, play = tab.locator(".amounts [type=range]"), tab.locator(".amounts .strong")
        assert slider.get_attribute("aria-label") == "raise to"
        assert tab.locator(".seat.mine .bet").inner_text() == "bet 1"
        assert tab.locator(".stakes").inner_text() == "pot 3"
        least = play.inner_text()
        slider.focus()
        tab.keyboard.press("ArrowRight")
        tab.wait_for_function("least => document.querySelector('.amounts .strong').innerText !== least", arg=least)
        assert slider.get_attribute("aria-valuetext") == play.inner_text()
        tab.click(".amounts [aria-label=less]")
        assert play.inner_text() == least
        tab.click(".amounts button:text-is('pot')")
        assert play.inner_text() == "raise to 6"
        typed = tab.locator(".amounts [type=number]")
        assert typed.input_value() == "6"
        typed.fill("199")
        typed.press("Tab")
        assert play.inner_text() == "raise to 200, all-in"
        tab.click(".amounts [aria-label=less]")
        assert play.inner_text() != "raise to 200, all-in"
        slider.focus()
        tab.keyboard.press("End")
        assert play.inner_text() == "raise to 200, all-in"
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#log li:has-text('you raise to 200')")


@pytest.mark.long
@pytest.mark.parametrize("game", ["hearts_v0", "poker_v0", "rummy_v0"])
def test_everything_has_a_name_for_screen_readers(game: str, browser: Any, server: Server) -> None:
    players = server.ask("/api/check", {"game": game, "options": {}})[1]["players"]
    token = server.table(game, ["me", *["rules"] * (players - 1)])
    with page(browser, server) as tab:
        tab.goto(f"{server.url}/table#{token}")
        ready(tab)
        unnamed = tab.eval_on_selector_all(
            "button, a, input, select, .card",
            "all => all.filter((one) => !(one.ariaLabel || one.innerText || one.labels?.length)).map((one) => one.outerHTML)",
        )
        assert unnamed == []
        order = tab.eval_on_selector_all(FOCUSED, "all => all.map((one) => !one.closest('.hand') + 2 * !one.closest('main'))")
        assert order == sorted(order) and not tab.locator('[tabindex]:not([tabindex="0"])').count()
        labels = tab.eval_on_selector_all(".hand.own .card", "all => all.map((one) => one.ariaLabel)")
        assert all(re.match(r"([\w]+ of \w+|(small |big )?Joker)(, cannot be played now)?$", label) for label in labels)
        assert tab.get_attribute("html", "lang") == "en"


@pytest.mark.long
def test_a_table_is_interactive_at_once(browser: Any, server: Server) -> None:
    token = server.table("tennis_v0", ["me", *["rules"] * 3])
    with page(browser, server) as tab:
        tab.goto(server.url)  # Chromium itself is awake
        tab.wait_for_selector(".game")
        with server.player(token) as player:
            player.turn()
        tab.goto(f"{server.url}/table#{token}")
        ready(tab)
        seconds = tab.evaluate("() => performance.now() / 1000")
        assert seconds < 8, "1 s on a machine that does nothing else"


@pytest.mark.long
def test_a_replay_is_stepped_through(browser: Any, server: Server, tmp_path: Path) -> None:
    """From a table's end and from a file; forward and back by key, slider and decision; as a seat saw it."""
    token = server.table("tennis_v0", ["rules"] * 4, pace=0.05, max_tricks=50)
    with page(browser, server) as tab:
        tab.goto(f"{server.url}/table#{token}")
        tab.wait_for_selector(".result")
        with tab.expect_download() as downloading:
            tab.click("[data-key=replay]")
        file = tmp_path / "game.json"
        downloading.value.save_as(file)
        tab.click("[data-key=step]")
        tab.wait_for_selector("#place:has-text('move 1 of')")
        moves = tab.locator("#log li").count()
        tab.keyboard.press("ArrowRight")
        tab.wait_for_selector("#place:has-text('move 2 of')")
        tab.keyboard.press("End")
        tab.wait_for_selector("#place:has-text('the end')")
        tab.keyboard.press("ArrowLeft")
        tab.wait_for_selector(f"#place:has-text('move {moves} of {moves}')")
        tab.locator("#slider").fill("3")
        tab.wait_for_selector("#place:has-text('move 4 of')")
        assert tab.locator(".hand .card[aria-label='hidden card']").count() == 0
        tab.select_option("#tools select >> nth=0", "2")
        tab.wait_for_selector(".hand.other .card[aria-label='hidden card']")
        tab.select_option("#tools select >> nth=2", "1")
        tab.click("#next-decision")
        tab.wait_for_function("() => document.querySelector('#next').innerText.startsWith('player 1:')")
        tab.click("#ask")
        tab.wait_for_selector(".advice table >> nth=2")
        assert tab.locator(".advice .was").count() >= 1
        picture(tab, "replay-desk")
        tab.click("#play")
        tab.wait_for_selector("#play:has-text('Stop')")
        tab.goto(f"{server.url}/replay")
        tab.set_input_files("input[type=file]", file)
        tab.wait_for_selector(f"#place:has-text('move 1 of {moves}')")
        file.write_text("{}")
        tab.goto("about:blank")
        tab.goto(f"{server.url}/replay")
        tab.set_input_files("input[type=file]", file)
        tab.wait_for_selector("#notice:has-text('this is not a valid replay')")


@pytest.mark.long
def test_a_replay_listens_while_marks_are_thought_of(browser: Any, server: Server) -> None:
    """Keys move on, and what was chosen stays chosen when the marks have come."""
    token = server.table("tennis_v0", ["rules"] * 4, max_tricks=50)
    with page(browser, server) as tab:
        held: list[Any] = []
        tab.route("**/api/marks", lambda route: held.append(route))
        tab.goto(f"{server.url}/table#{token}")
        tab.click("[data-key=step]")
        tab.wait_for_selector("#place:has-text('move 1 of')")
        tab.keyboard.press("ArrowRight")
        tab.wait_for_selector("#place:has-text('move 2 of')")
        tab.select_option("#tools select >> nth=2", "1")
        held[0].fulfill(json=[{"n": 1, "agent": "search", "better": "another card"}])
        tab.wait_for_selector("#next-mark")
        assert tab.locator("#tools select >> nth=2").input_value() == "1"
        assert "search: another card" in tab.locator("#next").inner_text()


@pytest.mark.long
def test_a_league_is_seen_to_grow(browser: Any, tmp_path: Path) -> None:
    """The ranking, head to head and matches, and a match opened as a replay."""
    path = tmp_path / "tennis.sqlite"
    with League(path, "tennis_v0", {"num_players": 2, "max_tricks": 60}) as league:
        for name, spec in (("random", "random"), ("<b>rules</b>", "rules")):
            league.add(name, spec)
        league.run(deals=1)
        server = Server(leagues=[path])
        with page(browser, server) as tab:
            tab.goto(f"{server.url}/leagues")
            tab.wait_for_selector("tbody th:has-text('<b>rules</b>')")
            tab.click(".tab >> nth=1")
            tab.wait_for_selector("#progress:has-text('2 matches over 1 deal')")
            league.run(deals=5)
            tab.wait_for_selector("#progress:has-text('10 matches over 5 deals')")
            assert tab.locator(".ranking tbody tr").count() == 2
            assert tab.locator(".matrix tbody tr").count() == 2
            tab.wait_for_selector("#matches tbody tr >> nth=9")
            picture(tab, "league-desk")
            tab.click("#matches tbody a >> nth=0")
            tab.wait_for_selector("#place:has-text('move 1 of')")
        server.stop()


@pytest.mark.long
def test_learning_curves_grow(browser: Any, tmp_path: Path) -> None:
    for name, settings in (("one", '{"seed": 1, "game": "tennis_v0"}'), ("two", '{"seed": 2, "game": "tennis_v0"}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "settings.json").write_text(settings)
        (tmp_path / name / "progress.csv").write_text("steps,seconds,mean_return\n0,0,0\n100,1,0.5\n200,2,0.4\n")
    server = Server(runs=tmp_path)
    with page(browser, server) as tab:
        tab.goto(f"{server.url}/training")
        tab.wait_for_selector(".curve >> nth=1", state="attached")
        assert tab.locator(".differs th").all_inner_texts() == ["seed"]
        before = tab.get_attribute(".curve >> nth=0", "points")
        for name in ("one", "two"):
            with (tmp_path / name / "progress.csv").open("a") as file:
                file.write("400,4,0.9\n")
        moved: Any = "before => document.querySelector('.curve').getAttribute('points') !== before"
        tab.wait_for_function(moved, arg=before)
        picture(tab, "training-desk")
    server.stop()
