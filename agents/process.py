"""A bot in its own process, in any language: one JSON object per line over its standard input and output.

Host to bot                                                                                   Bot to host
`{"type": "hello", "protocol": 2, "game": "tennis_v0", "options": {...}, "num_players": 4,
  "num_actions": 12, "observation": {"hand": [0, 12], ...}}`                                  `{"protocol": 2}`
`{"type": "newgame", "seat": 2, "seed": 123}`                                                 (no answer)
`{"type": "act", "seat": 2, "observation": [...], "legal": [0, 4], "labels": ["play 2", ...],
  "deadline_ms": 5000, "events": [{"kind": "play", "player": 1, "cards": ["5h"],
  "other": null, "amount": 1, "text": "player 1 plays 5h"}, ...]}`                            `{"action": 4}`
`{"type": "end", "seat": 2, "returns": [...]}`                                                (no answer)

`observation` in "hello" gives the blocks of the vector, each with its first index and the index after its last. A bot may play
several seats of a game; "newgame" and "end" are sent once per seat. `events` are those that the seat has perceived since its
last "act"; only a bot that answers "hello" with protocol 2 gets them. The bot's input is closed when it is no longer needed.
Both sides ignore unknown keys and types. A line has at most 1 MiB. If the bot fails, its standard error is reported. See
docs/guides/bots.md.

The process has its own session and limits on memory and open files. It and all processes that it started are killed when it
fails or is closed, and when this process ends for any reason (`guardian.py`). This guards against accidents but is not a
security boundary: a bot can read your files and use the network, unless it runs in a sandbox (`sandbox.py`).
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shlex
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import envs
from ..envs.core.game import Game, Options
from .base import Agent, AgentError, View
from .sandbox import confined

PROTOCOL = 2
LINE_LIMIT = 1 << 20
STDERR_LIMIT = 1 << 14  # its last bytes are kept
_CHUNK = 1 << 16
_OPEN_FILES = 256
_WORDS_SECONDS = 1.0  # from the end of a bot's output to the guardian's report of its exit
_END_SECONDS = 15.0  # longer than the guardian ever needs
_GUARDIAN = str(Path(__file__).with_name("guardian.py"))


class ProcessAgent(Agent):
    """A bot that is started with a command line, at its first game and after a failure.

    Args:
        command: the command line, split as by a shell, but run without one.
        game, options: the game.
        move_seconds: the time limit of an answer.
        start_seconds: the time limit of the answer to "hello", which includes starting the program.
        memory_mib: the limit of the address space of each of its processes, if the system supports this.
        sandbox: run it under bubblewrap, without network, and with only the files that the command line names.

    Raises:
        ValueError: the command line is empty or unbalanced, or a sandbox cannot be made.
        AgentError: from `begin` and `act`, if the bot fails; it is then killed. Its kind is "crash" (it cannot be started, or
            ended), "timeout" (no answer in time), "protocol" (an invalid answer) or "illegal" (an illegal action).
    """

    def __init__(
        self,
        command: str,
        game: Game | str,
        options: Options | Mapping[str, Any] | None = None,
        *,
        move_seconds: float = 5.0,
        start_seconds: float = 60.0,
        memory_mib: int = 8192,
        sandbox: bool = False,
    ) -> None:
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise ValueError(f"cannot read the command line {command!r}: {error}") from None
        if not self._arguments:
            raise ValueError("cmd: needs a command line, such as cmd:python bot.py")
        if os.name != "posix":
            raise ValueError("cmd: bots need a POSIX system")
        if sandbox:
            self._arguments = confined(self._arguments)
        self.name = f"cmd:{command}"
        self.game, self.options = envs.resolve(game, options)
        self.move_seconds, self.start_seconds, self.memory_mib = move_seconds, start_seconds, memory_mib
        self._line: _Line | None = None
        self._hears_events = False  # whether the bot speaks protocol 2
        self._told: dict[int, int] = {}  # the number of events sent, by seat

    def begin(self, game: Game, options: Options, seat: int, seed: int) -> None:
        self._told[seat] = 0
        self._say({"type": "newgame", "seat": seat, "seed": seed})

    def act(self, view: View, rng: np.random.Generator) -> int:
        legal = view.legal_actions.tolist()
        message = {
            "type": "act",
            "seat": view.seat,
            "observation": view.observation.tolist(),
            "legal": legal,
            "labels": [view.label(action) for action in legal],
            "deadline_ms": round(self.move_seconds * 1000),
        }
        if self._hears_events:
            message["events"] = self._new_events(view)
            message["parts"] = [view.parts(action).to_json(view.game.cards) for action in legal]
        answer = self._ask(message, self.move_seconds)
        action = answer.get("action")
        if not isinstance(action, int) or isinstance(action, bool):
            raise self._failed(AgentError("protocol", f'answered {_short(answer)}, not {{"action": number}}'))
        if action not in legal:
            some = ", ".join(f"{choice} ({view.label(choice)})" for choice in legal[:6])
            rest = f", and {len(legal) - 6} more" if len(legal) > 6 else ""
            raise self._failed(AgentError("illegal", f"answered action {action}, which is not legal; legal: {some}{rest}"))
        return action

    def _new_events(self, view: View) -> list[dict[str, Any]]:
        """The events that the seat has perceived since its last decision."""
        events = view.history()
        first, self._told[view.seat] = self._told.get(view.seat, 0), len(events)
        return [event.to_json(view.game.cards) for event in events[first:]]

    def end(self, seat: int, returns: np.ndarray) -> None:
        if self._line is not None:
            with contextlib.suppress(AgentError):  # the game is over; the bot is started anew for the next
                self._say({"type": "end", "seat": seat, "returns": returns.tolist()})

    def close(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    def __getstate__(self) -> dict[str, Any]:
        if self._line is not None:
            raise TypeError(f"{self.name} is running, and a process cannot be copied; close() the agent or make another")
        return vars(self)

    def _started(self) -> _Line:
        if self._line is None:
            try:
                self._line = _Line(self._arguments, self.memory_mib)
            except OSError as error:
                raise AgentError("crash", f"cannot be started: {error}") from None
            hello = {
                "type": "hello",
                "protocol": PROTOCOL,
                "game": self.game.id,
                "options": vars(self.options),
                "num_players": self.options.num_players,
                "num_actions": self.game.num_actions(self.options),
                "observation": {
                    name: [where.start, where.stop]
                    for name, where in self.game.observation.slices(self.options.num_players).items()
                },
            }
            self._line.exchange(hello, self.start_seconds, answer=True)
            self._told = {}
            self._hears_events = self._line.answer().get("protocol") == PROTOCOL
        return self._line

    def _ask(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        with self._ended_by_failure() as line:
            line.check_silent()
            line.exchange(message, seconds, answer=True)
            return line.answer()

    def _say(self, message: dict[str, Any]) -> None:
        with self._ended_by_failure() as line:
            line.exchange(message, self.move_seconds, answer=False)

    @contextlib.contextmanager
    def _ended_by_failure(self) -> Iterator[_Line]:
        """The process, started if necessary. Any failure kills it, also an interrupt, which may leave half a line sent."""
        try:
            yield self._started()
        except AgentError as error:
            raise self._failed(error) from None
        except BaseException:
            self.close()
            raise

    def _failed(self, error: AgentError) -> AgentError:
        """Kill the bot; returns the error with the bot's name and standard error."""
        said = ""
        if self._line is not None:
            self._line.close()
            said = self._line.errors.decode(errors="replace").strip()
            self._line = None
        return AgentError(error.kind, f"{self.name} {error}" + (f"; it wrote:\n{said}" if said else ""))


class _Line:
    """The process (started by its guardian) and its three pipes; every wait has a deadline."""

    def __init__(self, arguments: list[str], memory_mib: int) -> None:
        pipe = subprocess.PIPE
        limits = f"AS={memory_mib << 20},NOFILE={_OPEN_FILES},CORE=0"
        self._status, status = os.pipe()  # for the guardian's report of the bot's exit
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", _GUARDIAN, str(os.getpid()), str(status), limits, *arguments],
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                bufsize=0,
                pass_fds=[status],
                start_new_session=True,
            )
        except BaseException:
            os.close(self._status)
            raise
        finally:
            os.close(status)
        self._end = weakref.finalize(self, _end, self._process, self._status)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._process.stdout, selectors.EVENT_READ, self._read_output)  # type: ignore[arg-type]
        self._selector.register(self._process.stderr, selectors.EVENT_READ, self._read_errors)  # type: ignore[arg-type]
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            os.set_blocking(stream.fileno(), False)  # type: ignore[union-attr]
        self._unsent, self._received, self.errors = b"", b"", b""
        self._silent = False  # its output has ended

    def exchange(self, message: dict[str, Any], seconds: float, answer: bool) -> None:
        """Send a complete message and, if `answer`, receive a line.

        Raises:
            AgentError: the bot ended, wrote too long a line, or exceeded the time limit.
        """
        self._unsent = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        deadline = time.monotonic() + seconds
        writing: selectors.SelectorKey | None
        writing = self._selector.register(self._process.stdin, selectors.EVENT_WRITE, self._write)  # type: ignore[arg-type]
        try:
            while self._unsent or (answer and b"\n" not in self._received):
                if self._silent:
                    raise AgentError("crash", self._last_words())
                left = deadline - time.monotonic()
                if left <= 0:
                    raise AgentError("timeout", f"gave no answer to {message['type']!r} within {seconds:g} s")
                for key, _ in self._selector.select(left):
                    key.data()
                if not self._unsent and writing is not None:
                    self._selector.unregister(writing.fileobj)
                    writing = None
        finally:
            if writing is not None:
                self._selector.unregister(writing.fileobj)

    def answer(self) -> dict[str, Any]:
        """The received line as a JSON object (AgentError if it is not one)."""
        text, _, self._received = self._received.partition(b"\n")
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise AgentError("protocol", f"answered {_short(text.decode(errors='replace'))}, which is not a JSON object")
        return message

    def check_silent(self) -> None:
        """Raise AgentError if the bot wrote without being asked, which would be taken for its next answer."""
        self._pump()
        if self._received:
            raise AgentError("protocol", f"wrote without being asked: {_short(self._received.decode(errors='replace'))}")

    def close(self) -> None:
        """Kill the process and all that it started; the end of its standard error can still be read."""
        _kill(self._process)
        with contextlib.suppress(AgentError):
            self._pump()
        self._selector.close()
        self._end()

    def _pump(self) -> None:
        """Read the available output without waiting; a bounded amount, in case the bot never stops writing."""
        for _ in range(64):
            ready = self._selector.select(0)
            if not ready:
                return
            for key, _ in ready:
                key.data()

    def _write(self) -> None:
        try:
            sent = os.write(self._process.stdin.fileno(), self._unsent[:_CHUNK])  # type: ignore[union-attr]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._silent = True
            return
        self._unsent = self._unsent[sent:]

    def _read_output(self) -> None:
        data = self._read(self._process.stdout)
        self._silent = self._silent or data == b""
        self._received += data or b""
        if len(self._received) > LINE_LIMIT:
            raise AgentError("protocol", f"wrote a line of more than {LINE_LIMIT} bytes")

    def _read_errors(self) -> None:
        self.errors = (self.errors + (self._read(self._process.stderr) or b""))[-STDERR_LIMIT:]

    def _read(self, stream: Any) -> bytes | None:
        """The available bytes; None if there are none, empty at the end of the stream."""
        try:
            data = os.read(stream.fileno(), _CHUNK)
        except BlockingIOError:
            return None
        if not data:
            self._selector.unregister(stream)
        return data

    def _last_words(self) -> str:
        """The guardian's report of the bot's exit: its first line; others concern only the guardian."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._status, selectors.EVENT_READ)
            words = os.read(self._status, _CHUNK).decode(errors="replace") if selector.select(_WORDS_SECONDS) else ""
        return words.partition("\n")[0] or "closed its output"


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Have the guardian kill all the bot's processes, and wait for it."""
    for number in (signal.SIGTERM, signal.SIGCONT):  # the bot may have stopped it
        process.send_signal(number)
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _end(process: subprocess.Popen[bytes], status: int) -> None:
    """Kill the process and close its pipes; also called by garbage collection and at the interpreter's exit."""
    _kill(process)
    os.close(status)
    for stream in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError):
            stream.close()  # type: ignore[union-attr]


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return repr(text[:80]) + ("..." if len(text) > 80 else "")
