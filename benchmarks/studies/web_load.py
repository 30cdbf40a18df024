"""Response times of the browser interface: `python -m wilddeck.benchmarks.studies.web_load`.

It starts `wilddeck serve` in another process. With many tables at once (`--tables`), one simulated person per table plays
against rule-based agents, about a move per second; it measures the time from a person's move to the state that shows it. With
`--pages`, Chromium opens tables with an empty cache; it measures the time until something can be clicked, and the bytes
transferred. With `--redraw`, Chromium plays every game; it measures the time from a click to the first frame that shows its
effect. The last two need Playwright and Debian's package `chromium`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import envs

GAMES = ("tennis_v0", "hearts_v0", "bridge_v0", "president_v0")
PAGES = ("tennis_v0", "wild_escape_v0", "poker_v0", "rummy_v0")  # small games, and those with the most to draw
_START_SECONDS = 60.0
_CLICKABLE = ".hand.own button.card.can, #actions.mine button"
_WATCH = f"""
const look = () => {{ window.clickable ??= document.querySelector("{_CLICKABLE}") && performance.now() / 1000; }};
new MutationObserver(look).observe(document, {{ subtree: true, childList: true, attributes: true }});
"""
_CLICK = """(number) => new Promise((resolve) => {
  const able = [...document.querySelectorAll("#actions .buttons .strong")];
  if (!able.length)
    able.push(...document.querySelectorAll(
      ".felt button.card.can:not(.chosen), .side button.can:not(.card):not(.chosen), #actions .buttons button"));
  if (!able.length) return setTimeout(() => resolve(null), 50);
  const begin = performance.now();
  const drawn = () => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin)));
  const watch = new MutationObserver(() => { watch.disconnect(); drawn(); });
  watch.observe(document.querySelector("main"), { subtree: true, childList: true, attributes: true });
  able[number % able.length].click();
})"""
_SIZE = (
    "() => ['navigation', 'resource'].flatMap((of) => performance.getEntriesByType(of)).reduce((a, b) => a + b.transferSize, 0)"
)


@dataclass(frozen=True)
class Waits:
    """The result: moves answered, and seconds by quantile."""

    tables: int
    moves: int
    median: float
    p95: float
    p99: float
    longest: float

    def __str__(self) -> str:
        times = ", ".join(f"{name} {1000 * getattr(self, name):.0f} ms" for name in ("median", "p95", "p99", "longest"))
        return f"{self.tables} tables, {self.moves} moves answered: {times}"


def run(tables: int = 100, seconds: float = 20.0, port: int = 8765, pace: float = 0.5) -> Waits:
    """Play on `tables` tables for `seconds`.

    Args:
        pace: seconds between the moves of agents; a person thinks about twice as long, on average.
    """
    with _server(port) as url:
        for game in GAMES:  # compile before measuring
            asyncio.run(_play([_table(url, game, 0.0)], url, 15.0))
        tokens = [_table(url, GAMES[number % len(GAMES)], pace, number) for number in range(tables)]
        waits = asyncio.run(_play(tokens, url, seconds))
    quantiles = np.quantile(waits, [0.5, 0.95, 0.99, 1.0]).tolist() if waits else [float("nan")] * 4
    return Waits(tables, len(waits), *quantiles)


@dataclass(frozen=True)
class Opened:
    """A page in Chromium, medians: seconds from the navigation until something can be clicked, and bytes over the wire."""

    game: str
    seconds: float
    size: float

    def __str__(self) -> str:
        return f"{self.game}: something to click after {self.seconds:.2f} s; {self.size / 1000:.0f} KB"


@dataclass(frozen=True)
class Redrawn:
    """Clicks in Chromium: the seconds until their effect is drawn."""

    game: str
    clicks: int
    median: float
    p95: float

    def __str__(self) -> str:
        return f"{self.game}: {self.clicks} clicks, seen after {1000 * self.median:.0f} ms, 95 % in {1000 * self.p95:.0f} ms"


def redraw(games: Sequence[str] = tuple(envs.game_ids()), clicks: int = 40, port: int = 8765) -> list[Redrawn]:
    """Play each game with this many clicks; yields each game's result and that of all together.

    Raises:
        ImportError, RuntimeError: as `open_pages`.
    """
    waits = {}
    with _chromium(port) as (url, browser):
        for game in games:
            waits[game] = _redrawn(browser, url, game, clicks)
    waits["all games"] = [wait for of_game in waits.values() for wait in of_game]
    return [Redrawn(game, len(of_game), *np.quantile(of_game, [0.5, 0.95]).tolist()) for game, of_game in waits.items()]


def _redrawn(browser: Any, url: str, game: str, clicks: int) -> list[float]:
    """The seconds of clicks at tables of a game, one game after another; clicks that only mark a card also count."""
    waits: list[float] = []
    token = _table(url, game, 0.0)
    _wait_for_the_move(url, token)
    with contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        page.goto(f"http://{url}/table#{token}")
        while len(waits) < clicks:
            page.wait_for_selector("#actions.mine, [data-key=new]")
            if page.query_selector("[data-key=new]"):
                page.click("[data-key=new]")
                page.wait_for_timeout(200)  # and check again: a game can be over as soon as it is dealt
            elif (wait := page.evaluate(_CLICK, 7 * len(waits))) is not None:  # else the other players move
                waits.append(wait / 1000)
    return waits


def open_pages(games: Sequence[str] = PAGES, times: int = 7, port: int = 8765) -> list[Opened]:
    """Open tables of these games, each several times in a fresh profile.

    Raises:
        ImportError: Playwright is not installed.
        RuntimeError: there is no chromium.
    """
    opened = []
    with _chromium(port) as (url, browser):
        for game in games:
            seconds, sizes = zip(*(_open(browser, url, game) for _ in range(times + 1)), strict=True)
            opened.append(Opened(game, float(np.median(seconds[1:])), float(np.median(sizes[1:]))))  # the first starts Chromium
    return opened


@contextlib.contextmanager
def _chromium(port: int) -> Iterator[tuple[str, Any]]:
    """A server's address, and the browser."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        raise RuntimeError("there is no chromium (Debian's package `chromium`)")
    with _server(port) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield url, browser
        browser.close()


def _open(browser: Any, url: str, game: str) -> tuple[float, int]:
    """For a table whose game waits for a person: seconds until something can be clicked, and bytes."""
    token = _table(url, game, 0.0)
    _wait_for_the_move(url, token)
    with contextlib.closing(browser.new_context()) as context:
        page, frames = context.new_page(), []
        page.on("websocket", lambda socket: socket.on("framereceived", lambda payload: frames.append(len(payload))))
        page.add_init_script(_WATCH)
        page.goto(f"http://{url}/table#{token}", wait_until="commit")
        page.wait_for_selector(_CLICKABLE)
        return page.evaluate("() => window.clickable"), page.evaluate(_SIZE) + sum(frames)


def _wait_for_the_move(url: str, token: str) -> None:
    """Wait until the first game is compiled and the agents have moved, or it is over."""
    from websockets.sync.client import connect

    with connect(f"ws://{url}/socket", max_size=None, open_timeout=_START_SECONDS) as socket:
        socket.send(json.dumps({"type": "join", "token": token}))
        state: dict[str, Any] = {}
        while "decision" not in state and not state.get("over"):
            state = json.loads(socket.recv(5 * _START_SECONDS))


@contextlib.contextmanager
def _server(port: int) -> Iterator[str]:
    """Its address while it runs."""
    command = [sys.executable, "-m", "wilddeck.cli", "serve", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            url = f"127.0.0.1:{port}"
            _wait_for(url)
            yield url
        finally:
            server.terminate()


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"http://{url}/", timeout=5).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def _client(number: int) -> dict[str, str]:
    """The address of a person's machine, as a reverse proxy would forward it."""
    return {"X-Forwarded-For": f"10.0.{number // 256}.{number % 256}"}


def _table(url: str, game: str, pace: float, person: int = 0) -> str:
    others = envs.game(game).options().num_players - 1
    seats = [{"kind": "person", "name": "load"}, *[{"kind": "agent", "spec": "rules"}] * others]
    body = json.dumps({"game": game, "options": {}, "seats": seats, "pace": pace}).encode()
    request = urllib.request.Request(f"http://{url}/api/tables", body, {"content-type": "application/json", **_client(person)})
    while True:
        try:
            with urllib.request.urlopen(request, timeout=_START_SECONDS) as answer:
                return json.loads(answer.read())["token"]
        except urllib.error.HTTPError as error:  # the limit per second
            error.close()
            time.sleep(0.2)


async def _play(tokens: list[str], url: str, seconds: float) -> list[float]:
    end = time.monotonic() + seconds
    waits = await asyncio.gather(*(_person(token, url, end, number) for number, token in enumerate(tokens)))
    return [wait for waits in waits for wait in waits]


async def _person(token: str, url: str, end: float, number: int) -> list[float]:
    """A simulated person who plays randomly, one game after another."""
    from websockets.asyncio.client import connect

    waits: list[float] = []
    draw, address = random.Random(number), f"ws://{url}/socket"
    async with connect(address, additional_headers=_client(number), max_size=None, open_timeout=_START_SECONDS) as socket:
        await socket.send(json.dumps({"type": "join", "token": token}))

        async def hear() -> dict[str, Any]:
            return json.loads(await asyncio.wait_for(socket.recv(), max(0.01, end - time.monotonic())))

        with contextlib.suppress(asyncio.TimeoutError):
            state = await hear()
            while time.monotonic() < end:
                if "decision" not in state:
                    if state.get("over"):
                        await socket.send('{"type": "new"}')
                    state = await hear()
                    continue
                await asyncio.sleep(draw.uniform(0.2, 1.8))
                actions = [action["action"] for group in state["decision"]["groups"] for action in group["actions"]]
                begin = time.monotonic()
                await socket.send(json.dumps({"type": "play", "version": state["version"], "action": draw.choice(actions)}))
                state = await hear()
                waits.append(time.monotonic() - begin)
    return waits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--pages", action="store_true", help="measure page loads in Chromium instead")
    parser.add_argument("--redraw", action="store_true", help="measure clicks in Chromium, in all games, instead")
    settings = parser.parse_args()
    measured = redraw() if settings.redraw else open_pages() if settings.pages else [run(settings.tables, settings.seconds)]
    print(*measured, sep="\n")


if __name__ == "__main__":
    main()
