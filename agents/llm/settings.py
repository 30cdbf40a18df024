"""The settings of an agent `llm:model=NAME,base_url=URL`."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from ..parameters import parameters
from .prompts import RULES

ANSWERS = ("object", "tool", "line")  # formats of an action, the most reliable first
FAILURES = ("forfeit", "random")
_MILLION = 1_000_000


@dataclass(frozen=True)
class Settings:
    """Settings of a language-model agent. As an agent string: `llm:model=NAME,base_url=URL,rules=full`.

    Attributes:
        model: its name on the server.
        base_url: the URL of a server with OpenAI's chat interface, such as http://localhost:8000/v1; "": OpenAI's.
        api_key_env: the environment variable with the key. The key is never written anywhere.
        rules: the amount of rules in the prompt: short, full or none.
        template: a file with a prompt of your own (`Template.read`).
        answers: the format of the action: object (structured output), tool, line, or auto, the first of them that the server
            accepts.
        failure: the result of two invalid answers in a row, or of a timeout: forfeit, or a random action. Both are
            counted.
        temperature, max_tokens, seed: for sampling; None: the server's default. Few servers support a seed.
        seconds: the timeout of an answer.
        retries: of a request that the server could not process, with growing delays, before play stops.
        requests_per_minute: the limit for all games together; 0: no limit.
        price_in, price_out: the prices of a million input and output tokens.
        budget: the maximal cost of this model, including all that the file of exchanges records; 0: no limit.
        exchanges: the log file of requests and answers (JSON lines); a league sets it. "": none.

    Raises:
        ValueError: a setting is out of range.
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
    seed: int | None = None
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
                raise ValueError(f"agent 'llm': {name}={getattr(self, name)!r} is not allowed; allowed: {', '.join(allowed)}")
        for name in ("retries", "requests_per_minute", "price_in", "price_out", "budget", "temperature"):
            if not 0 <= (getattr(self, name) or 0) < math.inf:
                raise ValueError(f"agent 'llm': {name} must be a finite number of at least 0, not {getattr(self, name)}")
        if not 0 < self.seconds < math.inf or (self.max_tokens is not None and self.max_tokens < 1):
            raise ValueError("agent 'llm': seconds and max_tokens must be greater than 0")
        if self.budget and not (self.price_in or self.price_out):
            raise ValueError("agent 'llm': a budget needs price_in and price_out, the prices of a million tokens")

    @classmethod
    def of(cls, text: str) -> Settings:
        """From `key=value,key=value`, the part of an agent string after `llm:`."""
        return cls(**parameters("llm", text, PARAMETERS))

    @property
    def asked(self) -> str:
        """The settings that determine answers."""
        named = {name: getattr(self, name) for name in _ANSWERS_DEPEND_ON}
        return ",".join(f"{name}={value}" for name, value in named.items() if value not in ("", None))

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """The cost of these tokens."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / _MILLION


_KINDS = {"str": str, "int": int, "float": float}
PARAMETERS: dict[str, type] = {field.name: _KINDS[str(field.type).split()[0]] for field in fields(Settings)}
_ANSWERS_DEPEND_ON = ("model", "base_url", "rules", "template", "answers", "temperature", "max_tokens", "seed")


def settings_of(spec: str) -> Settings | None:
    """The settings in an agent string `llm:...`; None for any other."""
    name, _, rest = spec.strip().partition(":")
    return Settings.of(rest) if name == "llm" else None
