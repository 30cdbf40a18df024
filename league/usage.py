"""What a league's language models were asked, and what it cost, from the exchanges that are kept beside it."""

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
    """Of one agent.

    Attributes:
        agent: its name in the league.
        decisions: that it was asked for.
        repeated: those whose first answer was of no use.
        failed: those that no answer made: the agent forfeited, or a random action was played.
        requests: to the server.
        tokens_in, tokens_out: of all requests, as the server counts them.
        cost: in money, by the agent's prices; 0 without.
        seconds: mean time of an answer.
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
