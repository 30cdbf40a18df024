"""What is asked of which language model: the settings of an agent `llm:model=NAME,base_url=URL`."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from ..parameters import parameters
from .prompts import RULES

ANSWERS = ("object", "tool", "line")  # in which an action may be given, the surest first
FAILURES = ("forfeit", "random")
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
        temperature, max_tokens, seed: of an answer; None: the server's own. Few servers take notice of a seed.
        seconds: to wait for an answer.
        retries: of a request that the server could not take, later and later, before play stops.
        requests_per_minute: at most, by all games together; 0: no limit.
        price_in, price_out: of a million tokens, in money.
        budget: money that may be spent on this model, all in the file of exchanges counted; 0: no limit.
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
        """Who is asked, and how: the settings that answers depend on."""
        named = {name: getattr(self, name) for name in _ANSWERS_DEPEND_ON}
        return ",".join(f"{name}={value}" for name, value in named.items() if value not in ("", None))

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """Of so many tokens, in money."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / _MILLION


_KINDS = {"str": str, "int": int, "float": float}
PARAMETERS: dict[str, type] = {field.name: _KINDS[str(field.type).split()[0]] for field in fields(Settings)}
_ANSWERS_DEPEND_ON = ("model", "base_url", "rules", "template", "answers", "temperature", "max_tokens", "seed")


def settings_of(spec: str) -> Settings | None:
    """The settings in an agent's spec `llm:...`; None of any other."""
    name, _, rest = spec.strip().partition(":")
    return Settings.of(rest) if name == "llm" else None
