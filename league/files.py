"""The files that an agent's spec names: their digest, and the spec where they lie elsewhere."""

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
    """SHA-256 of the files that a spec names, "" if none; of an object that is a network of its weights, of another ""."""
    if isinstance(spec, Agent):
        return tensors_sha256(spec.tensors()) if isinstance(spec, NetworkAgent) else ""
    named = [_baseline(game, options) if _plays(part) == "trained" else _plays(part) for part in partners(spec)]
    digests = [_file_digest(part) for part in named]
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest() if any(digests) else ""


def _baseline(game: Game, options: Options) -> str:
    """The file of the game's baseline, "" if there is none any more."""
    with contextlib.suppress(trained.WeightsError):
        return str(trained.weights(trained.best(game, options), game))
    return ""


_NAMING = {"mc": "policy", "llm": "template"}  # parameters that name an agent or a file


def _plays(spec: str) -> str:
    """The spec of who plays out a search, the file of a language model's prompt; any other spec as it is."""
    name, _, rest = spec.strip().partition(":")
    parameters = [part.partition("=") for part in rest.split(",")] if name in _NAMING else []
    return next((value.strip() for key, _, value in parameters if key.strip() == _NAMING[name]), spec.strip())


def _file_digest(spec: str) -> str:
    """SHA-256 of the file that a spec names (weights; of a command line the last file, the bot's program; of `module:function`
    the module's), "" if none."""
    with contextlib.suppress(OSError, ValueError):
        words = shlex.split(spec.removeprefix(_COMMAND)) if spec.startswith(_COMMAND) else [module_file(spec) or spec]
        for path in map(Path, reversed(words)):
            if path.is_file():
                return hashlib.sha256(path.read_bytes()).hexdigest()
    return ""


# --- sending them ---


def named(spec: str) -> Iterator[str]:
    """The files that a spec names, as it names them. Of a command line all words that are files, but for a first one that is an
    absolute path: an interpreter, which belongs to its machine."""
    for part in partners(spec):
        if part.startswith(_COMMAND):
            words = _words(part)
            yield from (word for k, word in enumerate(words) if _is_file(word) and (k or not Path(word).is_absolute()))
        elif _is_file(_plays(part)):
            yield _plays(part)


def moved(spec: str, names: Collection[str], place: Callable[[str], str]) -> str:
    """The spec with each of these names of files in another place."""
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
