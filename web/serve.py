"""Running the server."""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..agents.base import Agent
from ..envs.core.escape import plain
from ..envs.core.jit import begin_interpreted
from .limits import Limits

if TYPE_CHECKING:
    import uvicorn

EVERYWHERE = ("0.0.0.0", "::", "")
_OPEN = (
    "others can reach {}: they can make tables, play, and let agents think on this machine. "
    "The connection is not encrypted: others on the network may read the links to seats."
)
_SHARE = (
    "to share a table, open it by the address that others will use, and send them its link to a seat. The address: "
    "http://ADDRESS:{}, with this machine's IP address or a name given by --allow-host ({})"
)


def serve(
    host: str,
    port: int,
    agents: Sequence[str | Agent] = (),
    leagues: Sequence[Path] = (),
    runs: Path | None = None,
    sandbox: bool = False,
    allow_hosts: Sequence[str] = (),
    tables: Path | None = None,
) -> None:
    """Serve until interrupted; see `app.make_app`.

    Args:
        allow_hosts: names by which browsers may reach the server, besides `host`, its address, and this machine's name.

    Raises:
        ImportError: the extra `web` is not installed.
        OSError: the address or port cannot be used.
        LeagueError: a league's file cannot be read.
        KeepError: the file of tables cannot be opened.
    """
    try:
        import uvicorn

        from .app import LOOPBACK, make_app
    except ModuleNotFoundError as error:
        raise ImportError(f"the browser needs {error.name}: pip install wilddeck[web]") from None

    names = [name.lower() for name in allow_hosts]
    hosts = {*LOOPBACK, *names, *({host.lower()} - {*EVERYWHERE})}
    limits = Limits()
    config = configure(make_app(limits, agents, hosts, leagues, runs, sandbox, tables), limits)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family)
    if host not in LOOPBACK:
        for line in (_OPEN.format(host or "every address"), _SHARE.format(port, ", ".join(names) or "none given")):
            print(plain(f"wilddeck: {line}"), file=sys.stderr, flush=True)
    address = f"[{host}]" if ":" in host else host
    print(plain(f"wilddeck: http://{'localhost' if host in EVERYWHERE else address}:{port} (Ctrl-C ends it)"), flush=True)
    with listening, begin_interpreted():
        uvicorn.Server(config).run(sockets=[listening])


def configure(app: Any, limits: Limits, **settings: Any) -> uvicorn.Config:
    """The uvicorn configuration: with limits, and without output."""
    import uvicorn

    from .connections import BACKLOG, bounded

    return uvicorn.Config(
        app,
        http=bounded(limits),
        backlog=BACKLOG,
        log_level="warning",
        access_log=False,
        ws_max_size=4 * limits.message_bytes,
        ws_max_queue=8,
        ws_per_message_deflate=True,
        timeout_graceful_shutdown=2,
        server_header=False,
        **settings,
    )
