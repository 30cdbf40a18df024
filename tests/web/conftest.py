"""One server for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from serving import Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.stop()
