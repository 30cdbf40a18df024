"""A language model as an agent."""

from __future__ import annotations

import dataclasses
import math
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ... import envs
from ...envs.core.game import Game, Options
from ..base import Agent, AgentError, Unavailable, View
from ..parameters import parameters
from .chat import ANSWERS, Chat, chat
from .exchanges import Exchange, Exchanges, digest, exchanges
from .prompts import RULES, Template

FAILURES = ("forfeit", "random")
_ATTEMPTS = 2
_MILLION = 1_000_000


@dataclass(frozen=True)
class Settings:
    """What is asked of whom. As an agent's name: `llm:model=NAME,base_url=URL,rules=full`.

    Attributes:
        model: its name at the server.
        base_url: of a server with OpenAI's chat interface, such as http://localhost:8000/v1; "": OpenAI's.
        api_key_env: the variable of the environment that holds the key. It is read from there, and written nowhere.
        rules: how much of the game's rules the prompt holds: short, full or none.
        template: a file with a prompt of your own (`Template.read`).
        answers: how the action is given: object (structured output), tool, line, or auto, the first of them that the server
            takes.
        failure: what follows two answers in a row that are of no use, or none in time: forfeit, or a random action. Both are
            counted.
        temperature, max_tokens: of an answer; None: the server's own.
        seconds: to wait for an answer.
        retries: of a request that the server could not take, later and later, before play stops.
        requests_per_minute: at most, by all games together; 0: no limit.
        price_in, price_out: of a million tokens, in money.
        budget: money that may be spent, by all who write to the same file of exchanges; 0: no limit.
        exchanges: the file that keeps what was asked and answered (JSON lines); a league says where. "": none.

    Raises:
        ValueError: a setting out of range.
    """

    model: str = ""
    base_url: str = ""
    api_key_env: str = "OPENAI_API_KEY"
    rules: str = "short"
    template: str = ""
    answers: str = "auto"
    failure: str = "forfeit"
    temperature: float | None = None
    max_tokens: int | None = None
    seconds: float = 120.0
    retries: int = 6
    requests_per_minute: float = 0.0
    price_in: float = 0.0
    price_out: float = 0.0
    budget: float = 0.0
    exchanges: str = ""

    def __post_init__(self) -> None:
        if not self.model:
            raise ValueError("agent 'llm' needs a model, such as llm:model=NAME,base_url=http://localhost:8000/v1")
        for name, allowed in (("rules", RULES), ("answers", ("auto", *ANSWERS)), ("failure", FAILURES)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"agent 'llm': {name}={getattr(self, name)!r} is not known; allowed: {', '.join(allowed)}")
        for name in ("retries", "requests_per_minute", "price_in", "price_out", "budget", "temperature"):
            if not 0 <= (getattr(self, name) or 0) < math.inf:
                raise ValueError(f"agent 'llm': {name} must not be negative, nor endless, not {getattr(self, name)}")
        if not 0 < self.seconds < math.inf or (self.max_tokens is not None and self.max_tokens < 1):
            raise ValueError("agent 'llm': seconds and max_tokens must be greater than 0")
        if self.budget and not (self.price_in or self.price_out):
            raise ValueError("agent 'llm': a budget needs the prices of a million tokens, price_in and price_out")

    @classmethod
    def of(cls, text: str) -> Settings:
        """From `key=value,key=value`, what an agent's spec has behind `llm:`."""
        return cls(**parameters("llm", text, PARAMETERS))

    @property
    def asked(self) -> str:
        """Who is asked, and how: the settings that answers depend on."""
        named = {name: getattr(self, name) for name in _ANSWERS_DEPEND_ON}
        return ",".join(f"{name}={value}" for name, value in named.items() if value not in ("", None))

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """Of so many tokens, in money."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / _MILLION


PARAMETERS: dict[str, type] = {
    **dict.fromkeys(("model", "base_url", "api_key_env", "rules", "template", "answers", "failure", "exchanges"), str),
    **dict.fromkeys(("temperature", "seconds", "requests_per_minute", "price_in", "price_out", "budget"), float),
    **dict.fromkeys(("max_tokens", "retries"), int),
}


_ANSWERS_DEPEND_ON = ("model", "base_url", "rules", "template", "answers", "temperature", "max_tokens")


def settings_of(spec: str) -> Settings | None:
    """The settings in an agent's spec `llm:...`; None of any other."""
    name, _, rest = spec.strip().partition(":")
    return Settings.of(rest) if name == "llm" else None


class _Games(threading.local):
    """What an agent knows of the game that it plays, in each thread another one. By seat: the seed, and how many decisions."""

    def __init__(self) -> None:
        self.seeds: dict[int, int] = {}
        self.decisions: dict[int, int] = {}


class ChatAgent(Agent):
    """A language model behind a server with OpenAI's chat interface.

    At each decision it is sent the rules and what its seat knows, in one prompt; it remembers nothing else. An answer that is
    of no use is sent back once with what is wrong with it. Where exchanges are kept, what was answered before in the same game
    is not asked again.

    Args:
        settings: a `Settings`, or a mapping of some of them.

    Raises:
        ImportError: the client library is not installed.
        ValueError: settings out of range, a template that is none, or no key.
        OSError: the template cannot be read.
    """

    keeps_time = True

    def __init__(
        self,
        settings: Settings | Mapping[str, Any],
        game: Game | str,
        options: Options | Mapping[str, Any] | None = None,
    ) -> None:
        self.settings = settings if isinstance(settings, Settings) else Settings(**settings)
        self.game, self.options = envs.resolve(game, options)
        self.name = self.settings.model
        self.template = Template.read(self.settings.template) if self.settings.template else Template()
        self._chat: Chat = chat(dataclasses.replace(self.settings, exchanges=""))
        self._kept: Exchanges | None = exchanges(self.settings.exchanges) if self.settings.exchanges else None
        self._games = _Games()

    def __reduce__(self) -> tuple[Any, ...]:
        return ChatAgent, (self.settings, self.game, self.options)

    def keep_exchanges(self, path: Path) -> None:
        if not self.settings.exchanges:  # a file of its own
            self._kept = exchanges(path)

    def begin(self, game: Game, options: Options, seat: int, seed: int) -> None:
        self._games.seeds[seat], self._games.decisions[seat] = seed, 0

    def act(self, view: View, rng: np.random.Generator) -> int:
        """The model's choice.

        Raises:
            AgentError: "illegal" (two answers of no use) or "timeout", unless `failure` is random.
            Unavailable: the server cannot be asked, or the budget is spent.
        """
        decision = self._games.decisions.get(view.seat, 0)
        self._games.decisions[view.seat] = decision + 1
        messages = self.template.messages(view, self.settings.rules)
        error = ""
        try:
            for attempt in range(_ATTEMPTS):
                exchange = self._exchange(messages, view, decision, attempt)
                if exchange.action is not None:
                    return exchange.action
                error = exchange.error or ""
                messages = [*messages, {"role": "assistant", "content": exchange.answer or "(nothing)"}]
                messages.append({"role": "user", "content": f"This cannot be played: {error}. Choose again.\n"})
            raise AgentError("illegal", f"{self.name} gave two answers of no use; the last: {error}")
        except Unavailable:
            raise
        except AgentError:
            if self.settings.failure == "forfeit":
                raise
            return int(rng.choice(view.legal_actions))

    def _exchange(self, messages: list[dict[str, str]], view: View, decision: int, attempt: int) -> Exchange:
        """One request, or what was answered to it before."""
        where = self.game.id, self._games.seeds.get(view.seat, 0), view.seat, decision, attempt, digest(messages)
        key = (self.settings.asked, *where)
        known = self._kept.find(key) if self._kept else None
        if known is not None:
            return known
        self._check_budget()
        started = time.perf_counter()
        answer, tokens, action, error, failed = "", (0, 0), None, None, None
        try:
            reply = self._chat.ask(messages, view)
            answer, tokens = reply.text, (reply.tokens_in, reply.tokens_out)
            action = reply.read(answer, view)
        except Unavailable:
            raise
        except AgentError as late:
            failed = late
            error = str(late)
        except ValueError as wrong:
            error = str(wrong)
        exchange = Exchange(*key, answer, action, error, *tokens, time.perf_counter() - started)
        if self._kept:
            self._kept.add(exchange, messages)
        if failed is not None:
            raise failed
        return exchange

    def _check_budget(self) -> None:
        budget = self.settings.budget
        if not budget:
            return
        if self._kept is None:
            raise Unavailable(f"{self.name} has a budget, but nothing keeps what is spent; give exchanges=FILE")
        spent = math.fsum(self.settings.cost(kept.tokens_in, kept.tokens_out) for kept in self._kept.all())
        if spent >= budget:
            raise Unavailable(f"{self.name} has spent its budget: {spent:.2f} of {budget:.2f}")
