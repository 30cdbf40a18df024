"""A language model as an agent."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ... import envs
from ...envs.core.game import Game, Options
from ..base import Agent, AgentError, Unavailable, View
from .chat import Chat, chat
from .exchanges import Exchange, Exchanges, digest, exchanges
from .prompts import Template
from .settings import Settings

_ATTEMPTS = 2


class _Games(threading.local):
    """An agent's state in its current game, one per thread. By seat: the seed, and the number of decisions."""

    def __init__(self) -> None:
        self.seeds: dict[int, int] = {}
        self.decisions: dict[int, int] = {}


class ChatAgent(Agent):
    """A language model behind a server with OpenAI's chat interface.

    At each decision it gets one prompt with the rules and its seat's knowledge; it has no other memory. An invalid answer is
    sent back once, with the error. If exchanges are kept, requests that were already answered in the same game are not sent
    again.

    Args:
        settings: a `Settings`, or a mapping of some of them.

    Raises:
        ImportError: the client library is not installed.
        ValueError: settings out of range, an invalid template, or no key.
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
        """The model's action.

        Raises:
            AgentError: "illegal" (two invalid answers) or "timeout", unless `failure` is random.
            Unavailable: the server is unavailable, or the budget is spent.
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
            raise AgentError("illegal", f"{self.name} gave two invalid answers; the last: {error}")
        except Unavailable:
            raise
        except AgentError:
            if self.settings.failure == "forfeit":
                raise
            return int(rng.choice(view.legal_actions))

    def _exchange(self, messages: list[dict[str, str]], view: View, decision: int, attempt: int) -> Exchange:
        """The answer to a request: a stored one, or a new one."""
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
            raise Unavailable(f"{self.name} has a budget, but no record of what is spent; give exchanges=FILE")
        spent = self.settings.cost(*self._kept.tokens(self.settings.asked))
        if spent >= budget:
            raise Unavailable(f"{self.name} has spent its budget: {spent:.2f} of {budget:.2f}")
