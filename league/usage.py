"""The requests of a league's language models and their cost, from the exchanges stored beside the league's file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..agents.llm.exchanges import Exchange
from ..agents.llm.settings import settings_of
from .match import Entry, partners


@dataclass(frozen=True)
class Usage:
    """The requests and the cost of one agent.

    Attributes:
        agent: the agent's name in the league.
        decisions: the number of its decisions.
        repeated: the number of decisions whose first answer was unusable.
        failed: the number of decisions without a usable answer: the agent forfeited, or a random action was played.
        requests: the number of requests to the server.
        tokens_in, tokens_out: the tokens of all requests and answers, as counted by the server.
        cost: in money, by the agent's prices; 0 without prices.
        seconds: the mean time of an answer.
    """

    agent: str
    decisions: int
    repeated: int
    failed: int
    requests: int
    tokens_in: int
    tokens_out: int
    cost: float
    seconds: float


def used(entries: Sequence[Entry], exchanges: Iterable[Exchange]) -> list[Usage]:
    """The usage of each agent that asks servers, in the order of the entries."""
    by_asked: dict[str, list[Exchange]] = {}
    for exchange in exchanges:
        by_asked.setdefault(exchange.agent, []).append(exchange)
    rows = []
    for entry in entries:
        settings = [found for spec in partners(entry.spec) if (found := settings_of(spec))]
        if not settings:
            continue
        kept = [exchange for asked in dict.fromkeys(each.asked for each in settings) for exchange in by_asked.get(asked, [])]
        decisions = [list(group) for _, group in groupby(sorted(kept, key=_decision), _decision)]
        tokens_in, tokens_out = sum(one.tokens_in for one in kept), sum(one.tokens_out for one in kept)
        rows.append(
            Usage(
                entry.name,
                len(decisions),
                sum(len(asked) > 1 for asked in decisions),
                sum(all(one.action is None for one in asked) for asked in decisions),
                len(kept),
                tokens_in,
                tokens_out,
                settings[0].cost(tokens_in, tokens_out),
                math.fsum(one.seconds for one in kept) / len(kept) if kept else 0.0,
            )
        )
    return rows


def _decision(exchange: Exchange) -> tuple[str, int, int, int]:
    return exchange.agent, exchange.seed, exchange.seat, exchange.decision
