"""Settings of all tests."""

from __future__ import annotations

import contextlib
import gc
import os
import re
import shutil
import signal
from collections.abc import Iterator
from typing import Any

import pytest
import wilddeck
from wilddeck.envs import registry
from wilddeck.envs.core.jit import only_interpreted

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # windows without a screen

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs, and all they start, ignore Ctrl-C
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and under nohup that the terminal has gone

for _game_id in set(wilddeck.games()) - set(registry.OWN):  # tests are of the suite's own games, whatever else is installed
    del registry._places[_game_id]

_GAME = re.compile(r"\[(?:[^\]]*-)?([a-z_]+)_v\d+")
_NAMES = sorted((game_id.rpartition("_v")[0] for game_id in wilddeck.games()), key=len, reverse=True)
_FILE = re.compile(rf"tests/(?:games|agents)/test_({'|'.join(_NAMES)})")
_TRAINING = re.compile(r"tests/(training|seats|test_guides|test_readme)")
_LONGEST = re.compile(rf"{_TRAINING.pattern}|tests/test_tutorials")
_TOYS = re.compile(r"tests/core/extended/")
_RULES_PLAYERS = re.compile(r"tests/agents/test_\w+_rules\.py")


@pytest.fixture(autouse=True)
def games_as_before() -> Iterator[None]:
    """What a test registers is forgotten after it, for others go through all games."""
    kept = {name: dict(getattr(registry, name)) for name in ("_places", "_objects")}
    shared = os.environ.get(registry.SHARED)
    yield
    if registry._places != kept["_places"]:
        for name, games in kept.items():
            setattr(registry, name, games)
        os.environ.pop(registry.SHARED, None)
        if shared is not None:
            os.environ[registry.SHARED] = shared


@pytest.fixture(autouse=True)
def interpreted_if_marked(request: pytest.FixtureRequest) -> Iterator[None]:
    """A short test of a few moves in many games, marked `interpreted`, waits for no programs of its own to be compiled, nor
    does one of what a rule-based player does in a position; long tests run them."""
    node = request.node
    quick = node.get_closest_marker("interpreted") or _RULES_PLAYERS.match(node.nodeid)
    with only_interpreted() if quick and not node.get_closest_marker("long") else contextlib.nullcontext():
        yield


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `-n ... --dist loadgroup`: the tests of a game, and the files named after it, stay in one worker, which compiles it
    once; so do those of tennis with all that train, which mostly train tennis, those of the toy games, and those of any other
    file."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGame(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            if match := _GAME.search(nodeid) or _FILE.match(nodeid):
                return match[1]
            if _TRAINING.match(nodeid):
                return "tennis"
            return "toys" if _TOYS.match(nodeid) else nodeid.split("::", 1)[0]

    config.option.loadscopereorder = False
    return ByGame(config, log) if config.getoption("dist") == "loadgroup" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest first, so that no worker is left with it at the end."""
    items.sort(key=lambda item: not _LONGEST.match(item.nodeid))


def pytest_collection_finish() -> None:
    """Ten thousand tests need not be gone through whenever garbage is collected, which compiling leaves much of."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if not (shutil.which("chromium") or shutil.which("chromium-browser")):
        terminalreporter.write_line("not run: the tests in a real browser, for there is no chromium (apt-get install chromium)")
