"""Positions of tennis, written by rank."""

from __future__ import annotations

from typing import Any

from support import see_anew
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

PLAYERS = (2, 3, 4, 6)
RANKS = cards.RANK_TEXT[:12]


class Pack:
    """The 48 cards, drawn by rank: which suit a card has makes no difference (TN-01)."""

    def __init__(self) -> None:
        self.left = list(range(48))

    def take(self, ranks: str) -> list[int]:
        """Cards of ranks such as "5 K T"."""
        taken = []
        for rank in ranks.split():
            card = next(card for card in self.left if card // 4 == RANKS.index(rank))
            self.left.remove(card)
            taken.append(card)
        return taken


def dealt(tops: list[str], **options: Any) -> CardGameEnv:
    """A game in which the piles of the seats begin, from the top, with cards of these ranks; the lowest seat deals."""
    n, pack = len(tops), Pack()
    piles = [pack.take(ranks) for ranks in tops]
    for pile in piles:
        pile += [pack.left.pop(0) for _ in range(48 // n - len(pile))]
    env = raw_env("tennis_v0", num_players=n, **{"dealer": 0, **options})
    env.reset(seed=0, options={"deck": [piles[k % n][k // n] for k in range(48)]})
    return env


def arranged(hands: list[str], piles: list[str], set_aside: str = "", max_tricks: int = 1000, **fields: int) -> CardGameEnv:
    """A game in the middle: hands in play, piles from the top, nothing of them shown before; other cards are out."""
    n, pack = len(hands), Pack()
    env = raw_env("tennis_v0", num_players=n, dealer=0, max_tricks=max_tricks)
    env.reset(seed=0)
    record = env.record[0]
    for name in ("hand", "pile", "set_aside", "removed"):
        record[name] = 0
    for seat in range(n):
        for zone, ranks in (("hand", hands[seat]), ("pile", piles[seat])):
            ids = pack.take(ranks)
            record[zone][seat][: len(ids)] = ids
            record[f"{zone}_size"][seat] = record[f"{zone}_unseen"][seat] = len(ids)
        record["in_round"][seat] = bool(hands[seat])
    aside = pack.take(set_aside)
    for zone, ids in (("set_aside", aside), ("removed", pack.left)):
        record[zone][: len(ids)] = ids
        record[f"{zone}_size"] = len(ids)
    record["tricks_left"] = max(len(hand.split()) for hand in hands)
    for name, value in {"dealer": 0, "lead": 0, "current_player": fields.get("lead", 0), **fields}.items():
        record[name] = value
    see_anew(env)
    return env


def play(env: CardGameEnv, ranks: str) -> None:
    """One action for each rank."""
    for rank in ranks.split():
        env.step(RANKS.index(rank))


def ranks_of(ids: list[int]) -> str:
    return " ".join(RANKS[card // 4] for card in ids)


def zone(env: CardGameEnv, name: str) -> str:
    return ranks_of(env.zones()[name])


def field(env: CardGameEnv, name: str) -> int:
    return int(env.record[name][0])
