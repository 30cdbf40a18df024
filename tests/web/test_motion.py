"""Motion at tables: cards go from where they lay to where they lie, a finished trick rests, nobody waits for any of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from serving import Server

pytestmark = pytest.mark.browser
HAND, OTHERS = [3, 17, 30], [-1, -1, -1]
# Of the cards that are played: where each has just come from, by id, in pixels from where it lies.
COMING = """() => Object.fromEntries(document.getAnimations().map((one) => [one.effect.target, one.effect.getKeyframes?.()[0]])
  .filter(([card]) => card.matches(".board .card[data-zone^=played]"))
  .map(([card, from]) => [card.dataset.card, from.translate.split(" ").map(parseFloat)]))"""
# The middle of each card that lies on the table no more, and how much longer it is seen.
LEFT = """() => [...document.querySelectorAll(".flights .card")].map((card) => {
  const { x, y, width, height } = card.getBoundingClientRect();
  return [x + width / 2, y + height / 2, card.getAnimations()[0].effect.getTiming().duration];
})"""
MIDDLE = "box => { const { x, y, width, height } = box.getBoundingClientRect(); return [x + width / 2, y + height / 2]; }"


def scene(played: dict[int, int], own: list[int] = HAND, **said: Any) -> dict[str, Any]:
    """A table of four of whom each has played the card that `played` says."""

    def zones(seat: int) -> list[dict[str, Any]]:
        hand = own if seat == 0 else OTHERS[: 3 - (seat in played)]
        table = [played[seat]] if seat in played else []
        return [{"name": "hand", "role": "hand", "cards": hand}, {"name": "trick", "role": "played", "cards": table}]

    empty = {"title": "Spades", "headline": "", "notes": {}, "facts": [], "common": [], "viewer": 0, "cards": ""}
    return {**empty, "seats": [zones(seat) for seat in range(4)], "toMove": 0, "last": [], "takenBy": None, **said}


BEFORE = scene({1: 40})
AFTER = scene({1: 40, 2: 41}, last=[41])
WON = scene({0: 17, 1: 40, 2: 41, 3: 42}, [3, 30], takenBy=2, toMove=2)
LED = scene({2: 50}, [3, 30], takenBy=2)


class Told:
    """A page at a table that shows what it is told, and what the page says to the server."""

    def __init__(self, tab: Any, server: Server) -> None:
        self.tab, self.number = tab, 0
        self.sockets: list[Any] = []
        self.said: list[dict[str, Any]] = []
        tab.route_web_socket("**/socket", self._connect)
        tab.emulate_media(reduced_motion="no-preference")
        tab.goto(f"{server.url}/table#any")
        while not self.sockets:
            tab.wait_for_timeout(10)

    def _connect(self, socket: Any) -> None:
        socket.on_message(lambda text: self.said.append(json.loads(text)))
        self.sockets.append(socket)

    def show(self, scene: dict[str, Any], *actions: dict[str, Any], pace: float = 0) -> None:
        self.number += 1
        state = {
            "type": "state", "round": 1, "version": self.number, "game": "spades_v0", "title": "Spades", "you": 0, "host": True,
            "seats": [{"kind": "person", "name": "Ada", "agreed": False}] * 4, "pace": pace, "log": [], "logEnd": 0,
            "over": False, "scene": {**scene, "number": self.number}, "composed": [],
        }  # fmt: skip
        if actions:
            state["decision"] = {
                "seat": 0,
                "groups": [{"name": "play", "title": "play", "kind": "cards", "actions": [*actions]}],
            }
        self.sockets[0].send(json.dumps(state))
        self.tab.wait_for_function("number => document.getElementById('felt').drawn?.number === number", arg=self.number)

    def plays(self) -> list[int]:
        """The actions that it has sent."""
        return [message["action"] for message in self.said if message["type"] == "play"]


@pytest.fixture
def told(tab: Any, server: Server) -> Told:
    return Told(tab, server)


def play(card: int) -> dict[str, Any]:
    return {"action": card, "label": f"play {card}", "rest": str(card), "cards": [card]}


def test_a_card_comes_from_where_it_was(told: Told) -> None:
    """Seat 2's from above, where their hand is, and the own from below; the last is marked."""
    told.show(BEFORE)
    assert told.tab.evaluate(COMING) == {}
    told.show(AFTER)
    coming = told.tab.evaluate(COMING)
    assert [*coming] == ["41"] and coming["41"][1] < -20
    assert told.tab.locator(".card.last").evaluate_all("cards => cards.map((card) => card.dataset.card)") == ["41"]
    told.show(WON)
    coming = told.tab.evaluate(COMING)
    assert coming["17"][1] > 20 and coming["42"][0] > 20


def test_a_trick_rests_and_goes_to_who_won_it(told: Told) -> None:
    told.show(WON)
    told.show(LED)
    told.tab.wait_for_timeout(400)
    left = told.tab.evaluate(LEFT)
    assert len(left) == 4 and all(duration > 900 for *_, duration in left)
    spots = [told.tab.locator(f"[data-key='played/{seat}']").evaluate(MIDDLE) for seat in range(4)]
    assert all(min(abs(x - a) + abs(y - b) for a, b in spots) < 12 for x, y, _ in left)
    told.tab.wait_for_function("() => !document.querySelector('.flights .card')")


def test_a_trick_that_was_seen_for_long_goes_at_once(told: Told) -> None:
    told.show(WON)
    told.tab.wait_for_timeout(1000)
    told.show(LED)
    assert all(duration < 400 for *_, duration in told.tab.evaluate(LEFT))
    told.tab.wait_for_function("() => !document.querySelector('.flights .card')")


def test_nothing_moves_where_that_is_not_wanted(told: Told) -> None:
    told.tab.emulate_media(reduced_motion="reduce")
    for each in (BEFORE, AFTER, WON, LED):
        told.show(each)
        assert (
            told.tab.evaluate("() => document.getAnimations().length + document.querySelectorAll('.flights .card').length") == 0
        )
    told.show(AFTER)
    assert told.tab.locator(".card.last").count() == 1


def test_a_click_works_while_cards_move(told: Told) -> None:
    """Cards are where they are seen, those of the trick in no one's way."""
    told.show(WON)
    told.show(LED, play(3), play(30))
    assert told.tab.evaluate(LEFT)
    x, y = told.tab.locator(".hand.own [data-card='3']").evaluate(MIDDLE)
    told.tab.mouse.click(x - 20, y)
    assert told.tab.evaluate("() => document.getAnimations().length")
    told.tab.wait_for_timeout(50)
    assert told.plays() == [3]


def test_cards_that_stay_keep_their_elements(told: Told) -> None:
    """And the one that has the focus keeps it, whoever is to move and whatever else leaves the hand."""
    told.show(BEFORE, play(3), play(17), play(30))
    told.tab.evaluate("() => { window.kept = [...felt.querySelectorAll('.card')]; }")
    told.tab.locator(".hand.own [data-card='30']").focus()
    told.show(scene({0: 17, 1: 40, 2: 41}, [3, 30], toMove=3))
    cards = "() => [...felt.querySelectorAll('.card')].map((card) => kept.includes(card) && card.dataset.card)"
    stay = told.tab.evaluate(cards)
    assert [card for card in stay if card] == ["-1"] * 7 + ["40", "3", "30"]
    assert stay.count(False) == 2  # what was played
    assert told.tab.evaluate("() => document.activeElement.dataset.card") == "30"
    told.show(scene({1: 40}, [3]), play(3))
    assert told.tab.evaluate("() => document.activeElement.dataset.card") == "3"  # the next


def test_cards_grow_when_a_crowded_table_has_come_to_rest(told: Told) -> None:
    told.show(BEFORE)
    level = "() => document.getElementById('felt').dataset.crowd"
    at_first = told.tab.evaluate(level)
    told.show(scene({1: 40}, common=[{"name": f"pile/{k}", "role": "row", "cards": [*range(14)]} for k in range(12)]))
    crowded = told.tab.evaluate(level)
    told.show(AFTER)
    assert told.tab.evaluate(level) == crowded != at_first
    told.tab.wait_for_function("level => document.getElementById('felt').dataset.crowd === level", arg=at_first)


def test_moves_that_nobody_chooses_are_made_at_the_pace_of_the_table(told: Told) -> None:
    """Once that is wanted, until it is not; a click is faster."""
    told.show(BEFORE, play(3), pace=0.2)
    told.tab.wait_for_timeout(300)
    assert told.plays() == []
    told.tab.click("[data-key=forced]")
    told.tab.wait_for_timeout(300)
    assert told.plays() == [3]
    told.show(BEFORE, play(3), play(30), pace=0)
    told.tab.wait_for_timeout(100)
    assert told.plays() == [3]
    told.show(BEFORE, play(30), pace=60)
    told.tab.click(".hand.own [data-card='30']", position={"x": 8, "y": 20})
    told.tab.wait_for_timeout(50)
    assert told.plays() == [3, 30]
    told.tab.click("[data-key=unforced]")
    told.show(BEFORE, play(3), pace=0)
    told.tab.wait_for_timeout(100)
    assert told.plays() == [3, 30]
