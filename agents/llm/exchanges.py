"""A log of requests and answers, kept as JSON lines beside a league. It can be read later, avoids repeated requests when a run
continues, and gives the costs.

Each line is an object. `{"prompt": DIGEST, "content": TEXT}` is a system message, stored once; the others are requests:

    {"agent": SPEC, "game": ID, "seed": N, "seat": N, "decision": N, "attempt": N, "request": DIGEST, "messages": [...],
     "answer": TEXT, "action": N or null, "error": TEXT or null, "tokens_in": N, "tokens_out": N, "seconds": X}

where `content` of the system message is `{"prompt": DIGEST}`. `decision` and `attempt` count from 0; `seed` is the agent's, a
different one for each game and seat. API keys are never stored.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...envs.core.files import read_json

try:
    import fcntl
except ImportError:  # pragma: no cover - not on this system: lines of several processes may mix
    fcntl = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Exchange:
    """A request to a model and its result; see above.

    Attributes:
        action: the action played, None if the answer was invalid; `error` then says why.
        tokens_in, tokens_out: the server's counts.
    """

    agent: str
    game: str
    seed: int
    seat: int
    decision: int
    attempt: int
    request: str
    answer: str
    action: int | None
    error: str | None
    tokens_in: int
    tokens_out: int
    seconds: float

    @property
    def key(self) -> tuple[Any, ...]:
        return self.agent, self.game, self.seed, self.seat, self.decision, self.attempt, self.request


_KEY = ("agent", "game", "seed", "seat", "decision", "attempt", "request")
_TYPES: Mapping[str, Any] = {
    **dict.fromkeys(("agent", "game", "request", "answer"), str),
    **dict.fromkeys(("seed", "seat", "decision", "attempt", "tokens_in", "tokens_out"), int),
    "action": (int, type(None)),
    "error": (str, type(None)),
    "seconds": (int, float),
}


def digest(messages: Sequence[Mapping[str, str]]) -> str:
    """The digest of a request's messages."""
    return hashlib.blake2b(json.dumps(list(messages)).encode(), digest_size=16).hexdigest()


class Exchanges:
    """The file of a league's exchanges. Threads share one (`exchanges`); several processes may write to the same file.

    Args:
        path: the file; created with the first entry.

    Raises:
        ValueError: the file has other content.
        OSError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._lock = path, threading.Lock()
        self._known: dict[tuple[Any, ...], Exchange] = {}
        self._prompts: set[str] = set()
        self._tokens: dict[str, tuple[int, int]] = {}  # of each agent
        for content in _lines(path):
            if "prompt" in content:
                self._prompts.add(content["prompt"])
            else:
                exchange = _exchange(content, path)
                self._note(exchange)

    def _note(self, exchange: Exchange) -> None:
        self._known[exchange.key] = exchange
        tokens_in, tokens_out = self.tokens(exchange.agent)
        self._tokens[exchange.agent] = tokens_in + exchange.tokens_in, tokens_out + exchange.tokens_out

    def tokens(self, agent: str) -> tuple[int, int]:
        """The input and output tokens of an agent, identified by `agent` of its exchanges."""
        return self._tokens.get(agent, (0, 0))

    def find(self, key: tuple[Any, ...]) -> Exchange | None:
        """The stored answer to a request with this `key` of an exchange. Requests without an answer are repeated."""
        known = self._known.get(key)
        return known if known and (known.answer or known.action is not None) else None

    def all(self) -> list[Exchange]:
        """All exchanges in the order of writing."""
        with self._lock:
            return list(self._known.values())

    def add(self, exchange: Exchange, messages: Sequence[Mapping[str, str]]) -> None:
        """Store an exchange; it is on disk when this returns.

        Raises:
            OSError: the file cannot be written.
        """
        with self._lock:
            lines: list[dict[str, Any]] = []
            kept: list[dict[str, Any]] = []
            for message in messages:
                if message["role"] != "system":
                    kept.append(dict(message))
                    continue
                name = digest([message])
                if name not in self._prompts:
                    self._prompts.add(name)
                    lines.append({"prompt": name, "content": message["content"]})
                kept.append({"role": "system", "content": {"prompt": name}})
            lines.append({**asdict(exchange), "messages": kept})
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file, _alone(file):
                file.write(text.encode(errors="replace"))
            self._note(exchange)


@contextlib.contextmanager
def _alone(file: Any) -> Iterator[None]:
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed
    yield


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects in a file. An incomplete last line, from a killed run, is omitted."""
    if not path.exists():
        return
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines[:-1], 1):
        try:
            content = read_json(line)
        except ValueError:
            content = None
        if isinstance(content, dict):
            yield content
        elif number < len(lines) - 1 and line:
            raise ValueError(f"{path} is not a file of exchanges with language models: line {number} is not valid")


def _exchange(content: Mapping[str, Any], path: Path) -> Exchange:
    wrong = [name for name, kind in _TYPES.items() if not isinstance(content.get(name), kind)]
    if wrong:
        raise ValueError(
            f"{path} is not a file of exchanges with language models: {wrong[0]!r} of an entry is missing or invalid"
        )
    return Exchange(**{name: content[name] for name in _TYPES})


@functools.cache
def _opened(path: Path) -> Exchanges:
    return Exchanges(path)


_opening = threading.Lock()


def exchanges(path: Path | str) -> Exchanges:
    """This process's shared object for this file."""
    with _opening:
        return _opened(Path(path).resolve())


def beside(league: Path | str) -> Path:
    """The path of a league's exchanges."""
    return Path(league).with_suffix(".exchanges.jsonl")
