"""One server and one browser for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import browsers
import pytest
from serving import Server


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if browsers.CHROMIUM is None:
        pytest.skip("there is no chromium (Debian's package `chromium`)")
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=browsers.CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.fixture
def tab(browser: Any, server: Server) -> Iterator[Any]:
    with browsers.page(browser, server) as tab:
        yield tab
