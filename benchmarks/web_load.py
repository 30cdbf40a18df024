"""How long a browser waits for the answer to its move, with many tables at once: `python -m wilddeck.benchmarks.web_load`.

Starts `wilddeck serve` in a process of its own and plays with as many people as tables, each against rule-based agents, a move
about every second. Measured is the time from a person's move to the state that shows it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

import numpy as np

GAMES = ("tennis_v0", "hearts_v0", "bridge_v0", "president_v0")
_START_SECONDS = 60.0


@dataclass(frozen=True)
class Waits:
    """What was measured: moves answered, and seconds by quantile."""

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
    """Play on `tables` tables for so many seconds.

    Args:
        pace: seconds between the moves of agents, and on average about twice of a person's thought.
    """
    command = [sys.executable, "-m", "wilddeck.cli", "serve", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            url = f"127.0.0.1:{port}"
            _wait_for(url)
            for game in GAMES:  # compiled before anything is measured
                asyncio.run(_play([_table(url, game, 0.0)], url, 15.0))
            tokens = [_table(url, GAMES[number % len(GAMES)], pace) for number in range(tables)]
            waits = asyncio.run(_play(tokens, url, seconds))
        finally:
            server.terminate()
    found = np.quantile(waits, [0.5, 0.95, 0.99, 1.0]).tolist() if waits else [float("nan")] * 4
    return Waits(tables, len(waits), *found)


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


def _table(url: str, game: str, pace: float) -> str:
    seats = [{"kind": "person", "name": "load"}, *[{"kind": "agent", "spec": "rules"}] * 3]
    body = json.dumps({"game": game, "options": {}, "seats": seats, "pace": pace}).encode()
    request = urllib.request.Request(f"http://{url}/api/tables", body, {"content-type": "application/json"})
    while True:
        try:
            with urllib.request.urlopen(request, timeout=_START_SECONDS) as answer:
                return json.loads(answer.read())["token"]
        except urllib.error.HTTPError as error:  # so many a second, no more
            error.close()
            time.sleep(0.2)


async def _play(tokens: list[str], url: str, seconds: float) -> list[float]:
    end = time.monotonic() + seconds
    found = await asyncio.gather(*(_person(token, url, end, random.Random(number)) for number, token in enumerate(tokens)))
    return [wait for waits in found for wait in waits]


async def _person(token: str, url: str, end: float, draw: random.Random) -> list[float]:
    """Somebody who plays at random, and a new game after each."""
    from websockets.asyncio.client import connect

    waits: list[float] = []
    async with connect(f"ws://{url}/socket", max_size=None, open_timeout=_START_SECONDS) as socket:
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
    given = parser.parse_args()
    print(run(given.tables, given.seconds))


if __name__ == "__main__":
    main()
