"""A mock language model server, to try `llm:` agents without a model: `chat-server`."""

from __future__ import annotations

import argparse
import threading

from ..envs.core.escape import plain
from . import arguments as allowed
from .arguments import Commands, argument, several

_SHARE = allowed.number(0, 1)


def declare(commands: Commands) -> None:
    commands.add("chat-server", chat_server, "run a mock language model with OpenAI's chat interface, for tests").takes(
        argument("--brain", default="random", help="how it answers: random, first or rules (default random)"),
        several("--fault", metavar="NAME=SHARE", help="inject a fault into this share of the requests; may be repeated"),
        argument("--model", default="stand-in", help="the model's name (default stand-in)"),
        argument("--delay", type=allowed.number(0, 3600), default=0.0, help="seconds before each answer (default 0)"),
        argument("--port", type=allowed.PORT, default=8001, help="port (default 8001)"),
        argument(
            "--template", type=allowed.path, metavar="FILE", help="write the prompt template that `rules` needs, and exit"
        ),
    )


def chat_server(arguments: argparse.Namespace) -> None:
    from ..testing import brains
    from ..testing.chat_server import ChatServer

    if arguments.template is not None:
        arguments.template.write_text(brains.TEMPLATE, encoding="utf-8")
        return
    shares = dict(_share(text) for text in arguments.fault)
    with ChatServer(arguments.brain, shares, models=[arguments.model], delay=arguments.delay, port=arguments.port) as server:
        about = f"model={arguments.model},base_url={server.base_url}"
        print(plain(f"wilddeck: {about} ({arguments.brain} answers; press Ctrl-C to stop)"), flush=True)
        threading.Event().wait()


def _share(text: str) -> tuple[str, float]:
    name, _, share = text.partition("=")
    try:
        return name, _SHARE(share)
    except argparse.ArgumentTypeError:
        raise ValueError(f"faults have the form NAME=SHARE with a share from 0 to 1, not {text!r}") from None
