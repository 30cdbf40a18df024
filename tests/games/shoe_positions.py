"""What positions of games with a shoe have in common."""

from __future__ import annotations

from typing import Any

from support import see_anew
from wilddeck import cards
from wilddeck.envs.core.aec import CardGameEnv

parse = cards.parse


def field(env: CardGameEnv, name: str) -> Any:
    return env.record[name][0].tolist()


def short_shoe(env: CardGameEnv, left: str) -> CardGameEnv:
    """The same position with only these cards left in the shoe; the others are used up."""
    record, wanted = env.record[0], parse(left)
    pile = [int(card) for card in record["deck"][record["pile_at"] : record["pile_end"]]]
    for card in wanted:
        pile.remove(card)
    for card in pile:
        record["used"][card] += 1
    at = int(record["pile_end"]) - len(wanted)
    record["deck"][:at] = 0
    record["deck"][at : at + len(wanted)] = wanted
    record["pile_at"] = at
    see_anew(env)
    return env


def seen(env: CardGameEnv, seat: int, block: str) -> list[float]:
    """A block of the observation."""
    return env.observe(f"player_{seat}")["observation"][env.observation_layout[block]].tolist()
