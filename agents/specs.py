"""Agent strings: the kinds of agents, and how to make one of each."""

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
    """The arguments for making an agent; `rest` is the part of the agent string after the kind's name, or the path."""

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
        raise ValueError(f"{spec} failed to make an agent for {request.game.id}: {type(error).__name__}: {error}") from error
    if not isinstance(agent, Agent):
        raise ValueError(f"{spec} must return an instance of wilddeck.agents.base.Agent, not {type(agent).__name__!r}")
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


def _resolving(request: _Request) -> Agent:
    from .holdem.resolving import ResolvingAgent

    return ResolvingAgent(request.game, request.options, **parameters("resolve", request.rest, ResolvingAgent.PARAMETERS))


class _Kind(NamedTuple):
    """`foreign`: it names a third-party program, which runs with your rights, or a server, which gets your key."""

    form: str
    takes_rest: bool
    make: Callable[[_Request], Agent]
    doc: str
    foreign: bool = False


_KINDS = {
    "random": _Kind("random", False, lambda r: RandomAgent(), "uniformly random legal actions"),
    "rules": _Kind(
        "rules[:STYLE]",
        True,
        lambda r: rules.make(r.game, r.options, r.rest),
        "the rule-based agent of the game; some games have several styles",
    ),
    "mc": _Kind(
        "mc[:rollouts=N,policy=random|rules|trained|FILE|A+B,max_steps=N,margin=X]",
        True,
        lambda r: SearchAgent(r.game, r.options, **parameters("mc", r.rest, SearchAgent.PARAMETERS)),
        "Monte-Carlo search over determinizations; `policy` plays the games out, FILE is a weights file, A+B several policies",
    ),
    "resolve": _Kind(
        "resolve[:iterations=N,policy=trained|FILE]",
        True,
        _resolving,
        "hold'em for two: solves the rest of the hand again on each street (docs/yardsticks.md)",
    ),
    "trained": _Kind(
        "trained", False, lambda r: trained.make(r.game, r.options), "the shipped baseline of the game (docs/strength.md)"
    ),
    "cmd": _Kind(
        "cmd:COMMAND LINE",
        True,
        lambda r: ProcessAgent(r.rest, r.game, r.options, sandbox=r.sandbox),
        "a bot in its own process, over JSON lines (docs/guides/bots.md)",
        True,
    ),
    "llm": _Kind(
        "llm:model=NAME[,base_url=URL,rules=short|full|none,...]",
        True,
        _language_model,
        "a language model with OpenAI's chat interface (docs/guides/llm.md)",
        True,
    ),
}
_FILES = {
    ".safetensors": _Kind("PATH.safetensors", True, _network, "a trained network; a torch module of your own needs trust"),
    ".npz": _Kind("PATH.npz", True, _network, "the same in numpy's format"),
    ".zip": _Kind(
        "PATH.zip",
        True,
        lambda r: learned.load_zip(r.rest, r.game, r.options, trust=r.trust),
        "a Stable-Baselines3 model; needs trust, because loading it can run code",
        True,
    ),
}
_PYTHON = _Kind(
    "MODULE:FUNCTION", True, _function, "a Python function that takes the game and its options and returns an Agent", True
)
_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", re.ASCII)
_OBJECT = re.compile(r"<Agent .*>", re.DOTALL)


def kinds() -> dict[str, str]:
    """The forms of agent strings, with their meanings."""
    return {kind.form: kind.doc for kind in (*_KINDS.values(), *_FILES.values(), _PYTHON)}


def kind_of(spec: str) -> str:
    """The kind of an agent string: "random", "rules", "mc", "resolve", "trained", "cmd" or "llm"; for files "safetensors",
    "npz" or "zip"; "python" for `module:function`; "object" for the result of `text_of` an agent; "" if it is none."""
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
    """The text for an agent (an agent string, path or object) in files and tables; anything else is returned as it is.

    An object becomes `<Agent NAME>`, from which `make` cannot make an agent: the object must be passed again.
    """
    if isinstance(agent, Agent):
        return f"<Agent {agent.name}>"
    return str(agent) if isinstance(agent, Path) else agent


def by_name(given: Sequence[str | Path | Agent]) -> dict[str, str | Agent]:
    """Agents (agent strings, paths or objects) by their names in results: the string or the object's name.

    Raises:
        ValueError: two agents have the same name.
    """
    named: dict[str, str | Agent] = {}
    for agent in given:
        known = agent if isinstance(agent, Agent) else text_of(agent)
        name = known.name if isinstance(known, Agent) else known
        other = named.setdefault(name, known)
        if other is not known and not (isinstance(other, str) and isinstance(known, str)):
            raise ValueError(f"two agents have the name {name!r}; rename one to tell their results apart")
    return named


def runs_code(spec: str) -> bool:
    """Whether an agent string names a program, which runs when the agent is made or plays: `cmd:...`, `module:function`, a
    `.zip`, the weights of a torch module. Do not run such agents from files that you do not trust."""
    kind = _find(spec)
    return kind is not None and (kind.foreign or is_module(spec.strip()))


def module_file(spec: str) -> Path | None:
    """The file of the module in an agent string `module:function`; None if it is not found, and for other agent strings."""
    if kind_of(spec) != "python":
        return None
    search_working_folder()
    try:
        module = importlib.util.find_spec(spec.strip().partition(":")[0])
    except (ImportError, ValueError):  # of a package that cannot be imported
        return None
    return None if module is None or not module.has_location or module.origin is None else Path(module.origin)


def available(specs: Sequence[str], game: Game) -> tuple[str, ...]:
    """The agent strings that a game supports: in a game without a rule-based agent "rules" becomes "random", with a warning."""
    if "rules" not in specs or rules.policies(game):
        return tuple(specs)
    logger.warning("wilddeck: %s has no rule-based agent; using random agents instead", game.id)
    return tuple(dict.fromkeys("random" if spec == "rules" else spec for spec in specs))


def make(
    spec: str | Path | Agent,
    game: str | Game,
    options: Options | Mapping[str, Any] | None = None,
    *,
    trust: bool = False,
    sandbox: bool = False,
) -> Agent:
    """Make an agent from an agent string such as `rules`, `mc:rollouts=200,policy=rules`, `agent.safetensors` or
    `cmd:python bot.py`.

    Args:
        spec: an agent string (see `kinds()`) or a path; an agent is returned as it is.
        game: a game or its id.
        options: its options (a mapping, or None for the defaults).
        trust: load files that can run code (`.zip`, weights of a torch module). Programs named by the agent string itself
            (`cmd:`, `module:function`) run without it: check untrusted agent strings with `runs_code`.
        sandbox: run bots (`cmd:`) in a sandbox; other agents run in this process.

    Raises:
        ValueError: an agent string, game, option or parameter is unknown (the message lists the allowed ones), a file does not
            contain an agent for this game, or a sandbox cannot be made.
    """
    if isinstance(spec, Agent):
        return spec
    spec = text_of(spec)
    if not isinstance(spec, str):
        raise ValueError(
            f"{spec!r} is not an agent; give an agent string, a path, or an instance of wilddeck.agents.base.Agent"
        )
    if kind_of(spec) == "object":
        raise ValueError(f"{spec} is the name of an object; pass the object itself")
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
