"""Servers with OpenAI's chat interface: one request, its answer and its cost."""

from __future__ import annotations

import functools
import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..base import AgentError, Unavailable, View
from .answers import HOW, read_action, read_object
from .settings import ANSWERS, Settings


class Reply(NamedTuple):
    """A model's answer: its text, the server's token counts, and the parser of its action."""

    text: str
    tokens_in: int
    tokens_out: int
    read: Callable[[str, View], int]


class Chat:
    """A model on a server. Threads share one object (`chat`).

    Raises:
        ImportError: the client library is not installed.
        ValueError: the key is not in the environment.
    """

    def __init__(self, settings: Settings) -> None:
        try:
            import openai
        except ImportError as error:
            raise ImportError(f"agent 'llm' needs the extra `llm`: pip install 'wilddeck[llm]' ({error})") from error
        self._openai, self._settings = openai, settings
        key = os.environ.get(settings.api_key_env, "")
        if not key and not settings.base_url:
            raise ValueError(f"agent 'llm': the environment variable {settings.api_key_env}, for the server's key, is not set")
        self._client = openai.OpenAI(
            api_key=key or "none", base_url=settings.base_url or None, timeout=settings.seconds, max_retries=settings.retries
        )
        self._forms = list(ANSWERS) if settings.answers == "auto" else [settings.answers]
        self._stepping, self._pace = threading.Lock(), _Pace(settings.requests_per_minute)

    def ask(self, messages: Sequence[dict[str, str]], view: View) -> Reply:
        """The model's answer.

        Raises:
            AgentError: "timeout", the answer took too long.
            Unavailable: the server refuses the request, or cannot be reached.
        """
        openai = self._openai
        while True:
            form = self._forms[0]
            self._pace.wait()
            try:
                return _reply(self._client.chat.completions.create(**self._request(form, messages, view)), form)
            except openai.APITimeoutError:
                raise AgentError(
                    "timeout", f"{self._settings.model} gave no answer within {self._settings.seconds:g} s"
                ) from None
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                with self._stepping:
                    if form == self._forms[0]:  # else another thread has detected it
                        if len(self._forms) == 1:
                            raise Unavailable(
                                f"the server of {self._settings.model} refused a request: {_said(error)}"
                            ) from None
                        self._forms.pop(0)
            except openai.OpenAIError as error:
                raise Unavailable(f"the server of {self._settings.model} cannot be asked: {_said(error)}") from None

    def _request(self, form: str, messages: Sequence[dict[str, str]], view: View) -> dict[str, Any]:
        settings = self._settings
        how = _HOW[form]
        *before, last = messages
        said = [*before, {**last, "content": f"{last['content']}\n{how}\n"}]
        request: dict[str, Any] = {"model": settings.model, "messages": said}
        request |= {} if settings.temperature is None else {"temperature": settings.temperature}
        request |= {} if settings.max_tokens is None else {"max_completion_tokens": settings.max_tokens}
        request |= {} if settings.seed is None else {"seed": settings.seed}
        if form == "object":
            schema = {"name": "decision", "strict": True, "schema": _schema(view)}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        if form == "tool":
            function = {"name": "act", "description": "Choose an action.", "parameters": _schema(view), "strict": True}
            request["tools"] = [{"type": "function", "function": function}]
            request["tool_choice"] = {"type": "function", "function": {"name": "act"}}
        return request


_HOW = {
    "object": 'Answer with a JSON object: your "thoughts", short, then your "action", the number of one of these.',
    "tool": "Call `act` with your thoughts, short, and your action, the number of one of these.",
    "line": HOW,
}
_MOST_LISTED = 500  # the types that servers accept in an enum


def _schema(view: View) -> dict[str, Any]:
    legal = view.legal_actions.tolist()
    action: dict[str, Any] = {"type": "integer"} | ({"enum": legal} if len(legal) <= _MOST_LISTED else {})
    return {
        "type": "object",
        "properties": {"thoughts": {"type": "string"}, "action": action},
        "required": ["thoughts", "action"],
        "additionalProperties": False,
    }


def _reply(response: Any, form: str) -> Reply:
    """The available parts of an answer; a server may omit any."""
    usage = getattr(response, "usage", None)
    tokens_in, tokens_out = (getattr(usage, name, None) or 0 for name in ("prompt_tokens", "completion_tokens"))
    choices = getattr(response, "choices", None)
    message = choices[0].message if choices else None
    calls = getattr(message, "tool_calls", None)
    if form == "tool" and calls and getattr(calls[0], "function", None) is not None:
        return Reply(str(calls[0].function.arguments), tokens_in, tokens_out, read_object)
    text = getattr(message, "content", None) or ""
    return Reply(text, tokens_in, tokens_out, read_object if form != "line" and _is_object(text) else read_action)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _said(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


class _Pace:
    """A rate limit in requests per minute; 0: no limit."""

    def __init__(self, per_minute: float) -> None:
        self._gap, self._next, self._lock = 60 / per_minute if per_minute else 0.0, 0.0, threading.Lock()

    def wait(self) -> None:
        if self._gap:
            with self._lock:
                due = max(self._next, time.monotonic())
                self._next = due + self._gap
            time.sleep(max(0.0, due - time.monotonic()))


@functools.cache
def _made(settings: Settings) -> Chat:
    return Chat(settings)


_making = threading.Lock()


def chat(settings: Settings) -> Chat:
    """This process's shared object for these settings."""
    with _making:
        return _made(settings)
