"""Runs the server."""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from ..envs.core.escape import plain
from .limits import Limits

EVERYWHERE = ("0.0.0.0", "::", "")
_OPEN = (
    "wilddeck: {} can be reached by others: whoever reaches it may make tables, play, and have agents think on this machine. "
    "Nothing is encrypted: links to seats can be read on the way."
)


def serve(
    host: str,
    port: int,
    agents: Sequence[str] = (),
    leagues: Sequence[Path] = (),
    runs: Path | None = None,
    sandbox: bool = False,
) -> None:
    """Serve until interrupted; see `app.make_app`.

    Raises:
        ImportError: the extra `web` is not installed.
        OSError: the address or port cannot be used.
        LeagueError: a league's file cannot be read.
    """
    try:
        import uvicorn

        from .app import LOOPBACK, make_app
    except ModuleNotFoundError as error:
        raise ImportError(f"the browser needs {error.name}: pip install wilddeck[web]") from None

    hosts = LOOPBACK if host in LOOPBACK else None if host in EVERYWHERE else {*LOOPBACK, host.lower()}
    limits = Limits()
    app = make_app(limits, agents, hosts, leagues, runs, sandbox)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family, backlog=256)
    if host not in LOOPBACK:
        print(plain(_OPEN.format(host or "every address")), file=sys.stderr, flush=True)
    shown = f"[{host}]" if ":" in host else host
    print(plain(f"wilddeck: http://{'localhost' if host in EVERYWHERE else shown}:{port} (Ctrl-C ends it)"), flush=True)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws_max_size=4 * limits.message_bytes,
        ws_max_queue=8,
        ws_per_message_deflate=True,
        limit_concurrency=2 * limits.browsers,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    with listening:
        uvicorn.Server(config).run(sockets=[listening])
