"""Kuhn poker, the game of examples/games, solved exactly."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from wilddeck.agents.learned import LearnedAgent
from wilddeck_games.kuhn import BET as BET
from wilddeck_games.kuhn import DECK
from wilddeck_games.kuhn import GAME as GAME
from wilddeck_games.kuhn import PASS as PASS

Policy = Callable[[int, int, str], np.ndarray]  # of seat, rank, moves so far ("p", "b"): how likely it passes and bets
SIX_DECKS = list(itertools.permutations(DECK))
DEALS = list(itertools.permutations(range(len(DECK)), 2))  # of ranks: jack, queen, king


def observation(seat: int, card: int, moves: str) -> np.ndarray:
    seen = np.zeros(7, np.float32)
    seen[card], seen[3 + seat] = 1, 1
    seen[5], seen[6] = ("b" in moves[who::2] for who in (seat, 1 - seat))
    return seen


def policy_of(agent: LearnedAgent) -> Policy:
    """How a network plays."""

    def chances(seat: int, card: int, moves: str) -> np.ndarray:
        logits = agent.logits(observation(seat, card, moves)[None])[0].astype(float)
        likely = np.exp(logits - logits.max())
        return np.eye(2)[likely.argmax()] if agent.greedy else likely / likely.sum()

    return chances


def worth(other: Policy, own: Policy | None = None) -> float:
    """What a policy, or (None) a best response, wins against another on average over both seats: by going through all deals and
    histories."""

    def ends(moves: str, deal: tuple[int, int]) -> float | None:
        """What the first player gets."""
        won = 1 if deal[0] > deal[1] else -1
        table = {"pp": won, "bb": 2 * won, "pbb": 2 * won, "bp": 1, "pbp": -1}
        return table.get(moves)

    def won(seat: int, card: int, moves: str, reach: dict[tuple[int, int], float]) -> float:
        """In deals that all look the same to the seat, weighted by how likely the other comes here."""
        over = {deal: ends(moves, deal) for deal in reach}
        if None not in over.values():
            return sum(reach[deal] * (over[deal] if seat == 0 else -over[deal]) for deal in reach)
        if len(moves) % 2 == seat:
            after = [won(seat, card, moves + move, reach) for move in "pb"]
            return max(after) if own is None else float(np.dot(own(seat, card, moves), after))
        total = 0.0
        for k, move in enumerate("pb"):
            chances = {deal: p * other(1 - seat, deal[1 - seat], moves)[k] for deal, p in reach.items()}
            total += won(seat, card, moves + move, chances)
        return total

    by_card = itertools.product(range(2), range(len(DECK)))
    return sum(won(seat, card, "", {deal: 1 / 6 for deal in DEALS if deal[seat] == card}) for seat, card in by_card) / 2
