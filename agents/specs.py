"""Agents by their specs: the kinds there are, and how one of each is made."""

from __future__ import annotations

import difflib
import importlib.util
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .. import envs
from ..envs.core.game import Game, Options
from . import learned, rules, trained
from .base import Agent
from .imports import imported, search_working_folder
from .parameters import parameters
from .process import ProcessAgent
from .random import RandomAgent
from .search import SearchAgent
from .tensors import is_module

logger = logging.getLogger("wilddeck")


class _Request(NamedTuple):
    """What an agent is made from; `rest` is the part of the spec behind the kind's name, or the path."""

    rest: str
    game: Game
    options: Options
    trust: bool
    sandbox: bool


def _function(request: _Request) -> Agent:
    spec = request.rest
    function = imported(spec)
    try:
        agent = function(request.game, request.options)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"{spec} failed to make an agent of {request.game.id}: {type(error).__name__}: {error}") from error
    if not isinstance(agent, Agent):
        raise ValueError(
            f"{spec} made {type(agent).__name__!r} and no agent; an agent is a subclass of wilddeck.agents.base.Agent"
        )
    return agent


def _network(request: _Request) -> Agent:
    if not is_module(request.rest):
        return learned.load(request.rest, request.game, request.options)
    from . import modules

    return modules.load(request.rest, request.game, request.options, trust=request.trust)


def _language_model(request: _Request) -> Agent:
    from .llm.agent import ChatAgent
    from .llm.settings import Settings

    return ChatAgent(Settings.of(request.rest), request.game, request.options)


class _Kind(NamedTuple):
    """`foreign`: what it names is a program of its maker's, which runs with your rights, or a server that is sent your key."""

    form: str
    takes_rest: bool
    make: Callable[[_Request], Agent]
    doc: str
    foreign: bool = False


_KINDS = {
    "random": _Kind("random", False, lambda r: RandomAgent(), "any legal action, all as likely"),
    "rules": _Kind(
        "rules[:STYLE]",
        True,
        lambda r: rules.make(r.game, r.options, r.rest),
        "the hand-written player of the game; some games have several styles",
    ),
    "mc": _Kind(
        "mc[:rollouts=N,policy=random|rules|trained|FILE,max_steps=N,margin=X]",
        True,
        lambda r: SearchAgent(r.game, r.options, **parameters("mc", r.rest, SearchAgent.PARAMETERS)),
        "Monte-Carlo search over what its seat may know; `policy` plays the games out, FILE being weights",
    ),
    "trained": _Kind(
        "trained", False, lambda r: trained.make(r.game, r.options), "the shipped baseline of the game (docs/strength.md)"
    ),
    "cmd": _Kind(
        "cmd:COMMAND LINE",
        True,
        lambda r: ProcessAgent(r.rest, r.game, r.options, sandbox=r.sandbox),
        "a bot in a process of its own, over JSON lines (docs/guides/bots.md)",
        True,
    ),
    "llm": _Kind(
        "llm:model=NAME[,base_url=URL,rules=short|full|none,...]",
        True,
        _language_model,
        "a language model behind OpenAI's chat interface (docs/guides/llm.md)",
        True,
    ),
}
_FILES = {
    ".safetensors": _Kind(
        "PATH.safetensors", True, _network, "a trained network; one of your own torch module only with trust"
    ),
    ".npz": _Kind("PATH.npz", True, _network, "a trained network, likewise"),
    ".zip": _Kind(
        "PATH.zip",
        True,
        lambda r: learned.load_zip(r.rest, r.game, r.options, trust=r.trust),
        "a Stable-Baselines3 model; runs code when loaded, so only with trust",
        True,
    ),
}
_PYTHON = _Kind(
    "MODULE:FUNCTION", True, _function, "a function of Python that is given the game and its options and returns an Agent", True
)
_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", re.ASCII)
_OBJECT = re.compile(r"<Agent .*>", re.DOTALL)


def kinds() -> dict[str, str]:
    """The specs that `make` understands: form -> meaning."""
    return {kind.form: kind.doc for kind in (*_KINDS.values(), *_FILES.values(), _PYTHON)}


def kind_of(spec: str) -> str:
    """The kind of a spec: "random", "rules", "mc", "trained" or "cmd"; of a file "safetensors", "npz" or "zip"; "python" of
    `module:function`; "object" of what `text_of` an agent gives; "" where there is no such agent."""
    if _OBJECT.fullmatch(spec):
        return "object"
    name, suffix = spec.strip().partition(":")[0], Path(spec.strip().lower()).suffix
    if name in _KINDS:
        return name
    return suffix[1:] if suffix in _FILES else "python" if _FUNCTION.fullmatch(spec.strip()) else ""


def _find(spec: str) -> _Kind | None:
    kind = kind_of(spec)
    return _PYTHON if kind == "python" else _KINDS.get(kind) or _FILES.get(f".{kind}")


def text_of(agent: Any) -> Any:
    """What files and tables call an agent that was given as a spec, a path or an object; anything else as it is.

    Of an object it is `<Agent NAME>`, of which no agent can be made: who reads it in a file must be given the object again.
    """
    if isinstance(agent, Agent):
        return f"<Agent {agent.name}>"
    return str(agent) if isinstance(agent, Path) else agent


def by_name(given: Sequence[str | Path | Agent]) -> dict[str, str | Agent]:
    """Agents that were given as specs, paths or objects, by what results call them: the spec, or the object's name.

    Raises:
        ValueError: two are called the same.
    """
    named: dict[str, str | Agent] = {}
    for agent in given:
        known = agent if isinstance(agent, Agent) else text_of(agent)
        name = known.name if isinstance(known, Agent) else known
        other = named.setdefault(name, known)
        if other is not known and not (isinstance(other, str) and isinstance(known, str)):
            raise ValueError(f"two agents are called {name!r}; results could not tell them apart: give one another name")
    return named


def runs_code(spec: str) -> bool:
    """Whether a spec names a program, which runs when the agent is made or plays: `cmd:...`, `module:function`, a `.zip`, the
    weights of a torch module. One that stands in a file from elsewhere runs what the file's maker likes: ask first."""
    kind = _find(spec)
    return kind is not None and (kind.foreign or is_module(spec.strip()))


def module_file(spec: str) -> Path | None:
    """The file of the module that a spec `module:function` names; None where it is not found, and for all other specs."""
    if kind_of(spec) != "python":
        return None
    search_working_folder()
    try:
        module = importlib.util.find_spec(spec.strip().partition(":")[0])
    except (ImportError, ValueError):  # of a package that cannot be imported
        return None
    return None if module is None or not module.has_location or module.origin is None else Path(module.origin)


def available(specs: Sequence[str], game: Game) -> tuple[str, ...]:
    """Those of the usual agents that a game has: "rules" of one without a rule-based player is "random", and a line says so."""
    if "rules" not in specs or rules.policies(game):
        return tuple(specs)
    logger.warning("wilddeck: %s has no rule-based player; random ones take its place", game.id)
    return tuple(dict.fromkeys("random" if spec == "rules" else spec for spec in specs))


def make(
    spec: str | Path | Agent,
    game: str | Game,
    options: Options | Mapping[str, Any] | None = None,
    *,
    trust: bool = False,
    sandbox: bool = False,
) -> Agent:
    """An agent from its spec, such as `rules`, `mc:rollouts=200,policy=rules`, `agent.safetensors` or `cmd:python bot.py`.

    Args:
        spec: one of `kinds()`, or a path; an agent is returned as it is.
        game: a game or its id.
        options: its options (a mapping, or None for the defaults).
        trust: load files that can run code (`.zip`, weights of a torch module). A program that is the spec (`cmd:`,
            `module:function`) is run without: of a spec that comes from elsewhere ask `runs_code`.
        sandbox: run bots (`cmd:`) in a sandbox; the other agents are code of this process.

    Raises:
        ValueError: an unknown spec, game, option or parameter (the message lists those there are), a file that does not
            hold an agent of this game, or no sandbox can be made.
    """
    if isinstance(spec, Agent):
        return spec
    spec = text_of(spec)
    if not isinstance(spec, str):
        raise ValueError(f"{spec!r} is no agent: give a spec, a path, or an object of a subclass of wilddeck.agents.base.Agent")
    if kind_of(spec) == "object":
        raise ValueError(f"{spec} was given as an object, of which its name alone is known; give the object again")
    game, options = envs.resolve(game, options)
    kind = _find(spec)
    if kind is None:
        raise ValueError(_unknown(spec))
    name, colon, rest = spec.strip().partition(":")
    if name not in _KINDS:  # a path, or module:function
        rest = spec.strip()
    elif colon and not kind.takes_rest:
        raise ValueError(f"agent {name!r} takes no parameters, but {rest!r} was given")
    return kind.make(_Request(rest.strip(), game, options, trust, sandbox))


def _unknown(spec: str) -> str:
    near = difflib.get_close_matches(spec.partition(":")[0], _KINDS, 1, 0.5)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return f"no agent {spec!r}{hint} Agents: {', '.join(kinds())}"
