"""Agents: random, rule-based, search, learned, and bots in other processes. An agent is made from a text, its spec:

    import wilddeck.agents
    agent = wilddeck.agents.make("rules", "tennis_v0", {"num_players": 4})

`kinds()` lists the specs. See `wilddeck.agents.base` for the protocol, `.play` for games and evaluations between agents.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import envs
from ..envs.core.lazy import submodules

if TYPE_CHECKING:
    from ..envs.core.game import Game, Options
    from . import base as base
    from . import learned as learned
    from . import play as play
    from . import rules as rules
    from . import search as search
    from . import single_seat as single_seat
    from . import trained as trained
    from .base import Agent
else:
    __getattr__ = submodules(__name__)

__all__ = ["kinds", "make"]


class _Request(NamedTuple):
    """What an agent is made from; `rest` is the part of the spec behind the kind's name, or the path."""

    rest: str
    game: Game
    options: Options
    trust: bool
    sandbox: bool


def _random(request: _Request) -> Agent:
    from .random import RandomAgent

    return RandomAgent()


def _rules(request: _Request) -> Agent:
    from . import rules

    return rules.make(request.game, request.options, request.rest)


def _search(request: _Request) -> Agent:
    from .search import SearchAgent

    return SearchAgent(request.game, request.options, **_parameters("mc", request.rest, SearchAgent.PARAMETERS))


def _trained(request: _Request) -> Agent:
    from . import trained

    return trained.make(request.game, request.options)


def _process(request: _Request) -> Agent:
    from .process import ProcessAgent

    return ProcessAgent(request.rest, request.game, request.options, sandbox=request.sandbox)


def _weights(request: _Request) -> Agent:
    from . import learned

    return learned.load(request.rest, request.game, request.options)


def _zip(request: _Request) -> Agent:
    from . import learned

    return learned.load_zip(request.rest, request.game, request.options, trust=request.trust)


class _Kind(NamedTuple):
    form: str
    takes_rest: bool
    make: Callable[[_Request], Agent]
    doc: str


_KINDS = {
    "random": _Kind("random", False, _random, "any legal action, all as likely"),
    "rules": _Kind("rules[:STYLE]", True, _rules, "the hand-written player of the game; some games have several styles"),
    "mc": _Kind(
        "mc[:rollouts=N,policy=random|rules|trained|FILE,max_steps=N,margin=X]",
        True,
        _search,
        "Monte-Carlo search over what its seat may know; `policy` plays the games out, FILE being weights",
    ),
    "trained": _Kind("trained", False, _trained, "the shipped baseline of the game (docs/strength.md)"),
    "cmd": _Kind("cmd:COMMAND LINE", True, _process, "a bot in a process of its own, over JSON lines (docs/guides/bots.md)"),
}
_FILES = {
    ".safetensors": _Kind("PATH.safetensors", True, _weights, "a trained network"),
    ".npz": _Kind("PATH.npz", True, _weights, "a trained network"),
    ".zip": _Kind("PATH.zip", True, _zip, "a Stable-Baselines3 model; runs code when loaded, so only with trust"),
}


def kinds() -> dict[str, str]:
    """The specs that `make` understands: form -> meaning."""
    return {kind.form: kind.doc for kind in (*_KINDS.values(), *_FILES.values())}


def make(
    spec: str | Agent,
    game: str | Game,
    options: Options | Mapping[str, Any] | None = None,
    *,
    trust: bool = False,
    sandbox: bool = False,
) -> Agent:
    """An agent from its spec, such as `rules`, `mc:rollouts=200,policy=rules`, `agent.safetensors` or `cmd:python bot.py`.

    Args:
        spec: one of `kinds()`; an agent is returned as it is.
        game: a game or its id.
        options: its options (a mapping, or None for the defaults).
        trust: load files that can run code (`.zip`).
        sandbox: run bots (`cmd:`) in a sandbox; the other agents are code of this process.

    Raises:
        ValueError: an unknown spec, game, option or parameter (the message lists those there are), a file that does not
            hold an agent of this game, or no sandbox can be made.
    """
    if not isinstance(spec, str):
        return spec
    found, checked = envs.resolve(game, options)
    name, colon, rest = spec.strip().partition(":")
    kind = _KINDS.get(name)
    if kind is None:
        name, rest = spec.strip(), spec.strip()
        kind = next((each for suffix, each in _FILES.items() if name.lower().endswith(suffix)), None)
    elif colon and not kind.takes_rest:
        raise ValueError(f"agent {name!r} takes no parameters, but {rest!r} was given")
    if kind is None:
        raise ValueError(_unknown(spec))
    return kind.make(_Request(rest.strip(), found, checked, trust, sandbox))


def _unknown(spec: str) -> str:
    near = difflib.get_close_matches(spec.partition(":")[0], _KINDS, 1, 0.5)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return f"no agent {spec!r}{hint} Agents: {', '.join(kinds())}"


def _parameters(name: str, text: str, allowed: Mapping[str, type]) -> dict[str, Any]:
    """`key=value,key=value` as keywords of the allowed types."""
    found: dict[str, Any] = {}
    for part in text.split(",") if text else []:
        key, equals, value = (each.strip() for each in part.partition("="))
        if key not in allowed or not equals or key in found:
            raise ValueError(
                f"agent {name!r} cannot use {part.strip()!r}; parameters: {', '.join(allowed)}, each once as key=value"
            )
        try:
            found[key] = allowed[key](value)
        except ValueError:
            raise ValueError(f"agent {name!r}: {key}={value!r} is no {allowed[key].__name__}") from None
    return found
