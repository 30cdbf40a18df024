"""The files that an agent string names: their digest, and the agent string after they moved."""

from __future__ import annotations

import contextlib
import hashlib
import shlex
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from ..agents import module_file, trained
from ..agents.base import Agent, NetworkAgent
from ..agents.learned import tensors_sha256
from ..envs.core.game import Game, Options
from .match import partners

_COMMAND = "cmd:"


def files_digest(spec: str | Agent, game: Game, options: Options) -> str:
    """SHA-256 of the files that an agent string names, or of the weights of a network given as an object; else ""."""
    if isinstance(spec, Agent):
        return tensors_sha256(spec.tensors()) if isinstance(spec, NetworkAgent) else ""
    named = [_baseline(game, options) if _plays(part) == "trained" else _plays(part) for part in partners(spec)]
    digests = [_file_digest(part) for part in named]
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest() if any(digests) else ""


def _baseline(game: Game, options: Options) -> str:
    """The file of the game's baseline, "" if it is gone."""
    with contextlib.suppress(trained.WeightsError):
        return str(trained.weights(trained.best(game, options), game))
    return ""


_NAMING = {"mc": "policy", "resolve": "policy", "llm": "template"}  # parameters that name an agent or a file


def _plays(spec: str) -> str:
    """The agent string of a search's rollout policy, the file of a language model's prompt, or the agent string itself."""
    name, _, rest = spec.strip().partition(":")
    parameters = [part.partition("=") for part in rest.split(",")] if name in _NAMING else []
    return next((value.strip() for key, _, value in parameters if key.strip() == _NAMING[name]), spec.strip())


def _file_digest(spec: str) -> str:
    """SHA-256 of the file that an agent string names, "" if none: the weights, the module of `module:function`, or the last
    file of a command line, which is the bot's program."""
    with contextlib.suppress(OSError, ValueError):
        words = shlex.split(spec.removeprefix(_COMMAND)) if spec.startswith(_COMMAND) else [module_file(spec) or spec]
        for path in map(Path, reversed(words)):
            if path.is_file():
                return hashlib.sha256(path.read_bytes()).hexdigest()
    return ""


# --- sending them ---


def named(spec: str) -> Iterator[str]:
    """The files that an agent string names, as written. In a command line these are all words that are files, except an
    absolute path at its start: an interpreter, which belongs to the machine."""
    for part in partners(spec):
        if part.startswith(_COMMAND):
            words = _words(part)
            yield from (word for k, word in enumerate(words) if _is_file(word) and (k or not Path(word).is_absolute()))
        elif _is_file(_plays(part)):
            yield _plays(part)


def moved(spec: str, names: Collection[str], place: Callable[[str], str]) -> str:
    """The agent string with `place(name)` for each of these names of files."""
    return " + ".join(_moved(part, names, place) for part in partners(spec))


def _moved(spec: str, names: Collection[str], place: Callable[[str], str]) -> str:
    if spec.startswith(_COMMAND):
        words = _words(spec)
        return _COMMAND + shlex.join(place(word) if word in names else word for word in words) if {*words} & {*names} else spec
    name = _plays(spec)
    return spec.replace(name, place(name)) if name in names else spec


def _words(spec: str) -> list[str]:
    with contextlib.suppress(ValueError):
        return shlex.split(spec.removeprefix(_COMMAND))
    return []


def _is_file(name: str) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return Path(name).is_file()
    return False
