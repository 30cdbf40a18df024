"""What is compiled beside a server is said at its tables, while the game is played."""

from __future__ import annotations

from typing import Any

import browsers
import pytest
from serving import Server
from wilddeck.envs.core import beside
from wilddeck.web import app, serve


class Compiling:
    """How far compiling has come, as a test says."""

    def __init__(self) -> None:
        self.progress: beside.Progress | None = None

    def say(self, *progress: Any) -> None:
        self.progress = beside.Progress(*progress) if progress else None
        for listener in list(beside.listeners):
            listener()


@pytest.fixture
def compiling(monkeypatch: pytest.MonkeyPatch) -> Compiling:
    said = Compiling()
    monkeypatch.setattr(beside, "progress", lambda: said.progress)
    return said


def test_tables_are_told_how_far_compiling_has_come(compiling: Compiling, tab: Any, server: Server) -> None:
    token = server.table("tennis_v0", ["me", *["rules"] * 3])
    with server.player(token) as player:
        assert "compiling" not in player.turn()
        compiling.say("tennis_v0.step_single", 1, 4)
        state = player.until(lambda message: "compiling" in message)
        assert state["compiling"] == {"name": "tennis_v0.step_single", "done": 1, "total": 4}
        action = state["decision"]["groups"][0]["actions"][0]["action"]
        player.say(type="play", version=state["version"], action=action)  # the game goes on meanwhile
        assert player.turn()["version"] != state["version"]
        compiling.say()
        player.until(lambda message: "compiling" not in message)


@pytest.mark.long
def test_the_page_shows_a_bar_until_all_is_compiled(compiling: Compiling, tab: Any, server: Server) -> None:
    token = server.table("tennis_v0", ["me", *["rules"] * 3])
    tab.goto(f"{server.url}/table#{token}")
    browsers.ready(tab)
    assert tab.is_hidden("#compiling")
    for done in (0, 2):
        compiling.say("tennis_v0.step_single", done, 3)
        tab.wait_for_selector(f"#compiling:has-text('tennis_v0.step_single ({done + 1} of 3)')")
        assert tab.eval_on_selector("#compiling progress", "bar => [bar.value, bar.max]") == [done, 3]
        assert tab.evaluate(browsers.COVERED) == []
    browsers.picture(tab, "compiling-desk")
    compiling.say()
    tab.wait_for_selector("#compiling", state="hidden")


def test_a_server_begins_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: begun.append(beside.begins_interpreted()))
    monkeypatch.setattr(app, "make_app", lambda *arguments: None)
    serve.serve("127.0.0.1", 0)
    assert begun == [True] and not beside.begins_interpreted()
