"""Tables that hold: nothing on them is covered or out of reach, however many sit there and however small the window is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import browsers
import numpy as np
import pytest
import wilddeck
from serving import Server
from wilddeck import agents
from wilddeck.agents.base import View
from wilddeck.agents.play import legal_action, seat_seed
from wilddeck.envs import game as find_game
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.jit import only_interpreted
from wilddeck.envs.core.render import sight
from wilddeck.web import links

pytestmark = pytest.mark.browser
SIZES = {"desk": (1400, 900), "tablet": (1024, 768), "phone": (390, 844), "lying phone": (844, 390), "zoomed": (700, 450)}
ROOMY = ("desk", "tablet", "phone")  # where nothing has to be scrolled until the game is over
MANY = ("skin_of_your_teeth_v0 8", "skin_of_your_teeth_v0 12", "go_fish_v0")  # for whom there is too little room
AFTER = (0, 20, 80)  # moves, at the next decision of the seat that is looked through
CROWDED = {"skin_of_your_teeth_v0": (4, 8, 12)}  # how many sit there, where it is not the most


def tables() -> Iterator[tuple[str, dict[str, Any]]]:
    """What a table says to the browser of the seat that moves first: of every game at its most players, opened, some moves on,
    and at the end of some."""
    for game_id in wilddeck.games():
        game = find_game(game_id)
        most = max(options.num_players for options in game.options.samples())
        for players in CROWDED.get(game_id, (most,)):
            yield from played(CardGameEnv(game, game.options(num_players=players)), f"{game_id} {players}")


def played(env: CardGameEnv, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    game, options = env.game, env.options
    env.reset(seed=1)
    seated = [agents.make("rules", game, options) for _ in range(options.num_players)]
    for seat, agent in enumerate(seated):
        agent.begin(game, options, seat, seat_seed(1, seat))
    draw, viewer, left = np.random.default_rng(1), env.current_player, list(AFTER)
    for moves in range(600):
        if env.is_over:
            break
        if left and moves >= left[0] and env.current_player == viewer:
            yield f"{name} after {left.pop(0)}", state(env, viewer)
        env.step(legal_action(seated[env.current_player], View.of(env), draw))
    if env.is_over:
        yield f"{name} at its end", state(env, viewer)


def state(env: CardGameEnv, viewer: int) -> dict[str, Any]:
    seats = [{"kind": "agent", "name": "rules", "agreed": False} for _ in range(env.num_players)]
    seats[viewer] = {"kind": "person", "name": "Ada Lovelace", "agreed": False}
    said = {
        "type": "state",
        "game": env.game.id,
        "title": env.game.title,
        "seats": seats,
        "you": viewer,
        "host": True,
        "pace": 0,
        "log": [],
        "logEnd": 0,
        "over": env.is_over,
        "scene": sight.scene(env, viewer),
    }
    if env.is_over:
        returns = [round(0.123 * seat, 4) for seat in range(env.num_players)]
        unit = env.game.unit_of(env.options)
        words = {"results": [unit.text(value) for value in returns], "sums": [unit.text(9 * value, 9) for value in returns]}
        return said | {"returns": returns, "games": [9] * len(seats)} | words
    return said | {"decision": links.decision(env), "composed": []}


def show(socket: Any, tab: Any, number: int, said: dict[str, Any]) -> None:
    """Say it, and wait until it is drawn."""
    said["scene"]["number"] = number
    socket.send(json.dumps(said | {"round": number, "version": number}))
    tab.wait_for_function("number => document.getElementById('felt').drawn?.number === number", arg=number)
    tab.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")


@pytest.fixture(scope="module")
def scenes() -> list[tuple[str, dict[str, Any]]]:
    with only_interpreted():
        return list(tables())


@pytest.fixture
def table(tab: Any, server: Server) -> Any:
    """A page at a table that shows what it is told: `show(tab, number, said)`."""
    sockets: list[Any] = []
    tab.route_web_socket("**/socket", lambda socket: sockets.append(socket))
    tab.goto(f"{server.url}/table#any")
    while not sockets:
        tab.wait_for_timeout(10)
    return tab, sockets[0]


def test_nothing_is_covered_or_out_of_reach(scenes: Any, table: Any) -> None:
    tab, socket = table
    wrong = []
    for size, (width, height) in SIZES.items():
        tab.set_viewport_size({"width": width, "height": height})
        for number, (name, said) in enumerate(scenes):
            show(socket, tab, number, said)
            wrong += [(size, name, *each) for each in tab.evaluate(browsers.COVERED)]
            if size in ROOMY and not said["over"] and not name.startswith(MANY):
                wrong += [(size, name, "scrolled")] if "scrolled" in tab.evaluate("() => felt.dataset.crowd") else []
    assert wrong == []


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_all_can_be_read(scheme: Any, scenes: Any, table: Any, server: Server) -> None:
    """At tables, and on the other pages."""
    tab, socket = table
    tab.emulate_media(color_scheme=scheme)
    wrong = []
    for number, (name, said) in enumerate(scenes):
        show(socket, tab, number, said)
        wrong += [(name, *each) for each in tab.evaluate(browsers.CONTRASTS)]
    for page in ("", "leagues", "training", "rules/hearts_v0", "replay"):
        tab.goto(f"{server.url}/{page}")
        tab.wait_for_load_state("networkidle")
        wrong += [(page, *each) for each in tab.evaluate(browsers.CONTRASTS)]
    assert wrong == []


def test_the_hand_is_reached_by_keyboard_while_bidding(scenes: Any, table: Any) -> None:
    """What is bid are no cards, but they are what one bids by."""
    tab, socket = table
    show(socket, tab, 0, dict(scenes)["spades_v0 4 after 0"])
    cards = tab.locator(".hand.own button.card")
    assert cards.count() == 13 and tab.locator(".hand.own .can").count() == 0
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("() => document.activeElement.ariaLabel") == cards.nth(1).get_attribute("aria-label")
    tab.keyboard.press("Enter")
    assert cards.count() == 13  # and nothing is bid
