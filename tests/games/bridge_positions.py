"""Positions of bridge, written as text: auctions, plays of a few cards, deals that end with a number of tricks."""

from __future__ import annotations

from typing import Any

import numpy as np
from core.extended.positions import hand, legal, order, play, turn, value, zone
from support import see_anew
from wilddeck import cards
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended.sets import set_of

__all__ = ["hand", "legal", "order", "play", "turn", "value", "zone"]

GAME = find_game("bridge_v0")
REST = "3c 3d"  # in a hand that matters little
DOUBLED = {"": [], "x": ["double"], "xx": ["double", "redouble"]}


def new(**options: Any) -> CardGameEnv:
    env = raw_env("bridge_v0", **options)
    env.reset(seed=0)
    return env


def call(env: CardGameEnv, course: str) -> CardGameEnv:
    """Calls such as "1c pass 2NT double": bids, and the labels of the others."""
    for text in course.split():
        env.step(env.action_from_label(text if text in ("pass", "double", "redouble") else f"bid {text}"))
    return env


def put(env: CardGameEnv, hands: list[str], pile: str = "", **fields: Any) -> CardGameEnv:
    """The same game, but with these hands (none where None stands) and this pile, top first, and with these fields."""
    record = env.record[0]
    record["hand"], record["deck"] = 0, 0
    for seat, held in enumerate(hands):
        record["hand"][seat] = set_of(cards.parse(held or REST))
        record["dealt"][seat] = record["hand"][seat][0]
    ids = cards.parse(pile)
    record["deck"][: len(ids)] = ids
    record["pile_at"], record["pile_end"] = 0, len(ids)
    for name, content in fields.items():
        record[name] = content
    see_anew(env)
    return env


def contract(env: CardGameEnv, bid: str, declarer: int = 0, doubling: str = "") -> CardGameEnv:
    """An auction with one bid."""
    passes = (declarer - int(env.record["dealer"][0])) % 4
    call(env, " ".join(["pass"] * passes + [bid]))
    for text in DOUBLED[doubling]:
        call(env, text)
    return call(env, "pass pass pass")


def arranged(hands: list[str], bid: str = "1NT", declarer: int = 0, pile: str = "", **options: Any) -> CardGameEnv:
    """The first trick of a deal with these hands, declarer 0 and dummy 2 if no other is named; seat 1 is to lead."""
    env = new(**{"dealer": declarer, **options})
    return contract(put(env, hands, pile), bid, declarer)


def end_deal(env: CardGameEnv, bid: str, tricks: int, declarer: int = 0, doubling: str = "", dead: int = 0) -> CardGameEnv:
    """A deal from its auction to its end, in which declarer's side wins so many tricks, and `dead` are disregarded."""
    hands = ["3c"] * 4
    hands[declarer] = "Ac" if tricks else "2c"
    for place, card in enumerate(("4c", "5c", "6c"), 1):
        hands[(declarer + place) % 4] = card
    contract(env, bid, declarer, doubling)
    own, dealt = int(tricks > 0), env.record["dealt"][0].copy()
    won = [tricks - own, 12 - dead - (tricks - own)]
    put(env, hands, tricks_done=12, tricks=won[:: -1 if declarer % 2 else 1], dealt=dealt)
    leader = (declarer + 1) % 4
    course = [f"{(leader + k) % 4} play {hands[(leader + k) % 4]}" for k in range(4)]
    return play(env, "; ".join(course))


def seen(env: CardGameEnv, seat: int, block: str) -> np.ndarray:
    return env.observe(f"player_{seat}")["observation"][env.observation_layout[block]]


def points(env: CardGameEnv) -> int:
    """What the episode that has just ended brought North-South, less what it brought East-West."""
    assert not env.legal_actions()
    return round(1000 * float(env.rewards["player_0"]))


def rubber(env: CardGameEnv, name: str) -> list[int]:
    return env.record[name][0].tolist()


def ids(text: str) -> set[int]:
    return set(cards.parse(text))


def nonzero(block: np.ndarray) -> list[int]:
    return np.flatnonzero(block).tolist()


def dummy_seen(env: CardGameEnv, seat: int) -> tuple[bool, set[int], list[int]]:
    """What a seat sees of dummy, seat 2: whether it lies open, its cards, the zone."""
    zones = env.zones(f"player_{seat}")
    return bool(seen(env, seat, "exposed")[0]), set(nonzero(seen(env, seat, "dummy"))), zones["hand/2"]
