"""Positions of Old Maid, written as cards: hands in their order, of a free Joker SJ or BJ."""

from __future__ import annotations

from typing import Any

from support import see_anew
from wilddeck import cards
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

GAME = find_game("old_maid_v0")
SETUP, DRAW, PAIR, PLACE = range(4)
JOKERS, DONE = 33, 34
_OPTIONS = {name for name, *_ in GAME.options.table()}


def pair(rank: str) -> int:
    """The action that pairs a Joker with a rank."""
    return 20 + cards.RANK_TEXT.index(rank)


def place(position: int) -> int:
    return 35 + position


def ids(text: str) -> list[int]:
    return cards.parse(text)


def arranged(hands: list[str], **values: Any) -> CardGameEnv:
    """A game in which the seats hold these cards, all others have been laid, and seat 0 is to draw in turn 5. `values` are
    options and fields of the record; `known` says of cards by whom they are known, "2c 3c": 1."""
    known = values.pop("known", {})
    fields = {name: values.pop(name) for name in list(values) if name not in _OPTIONS}
    env = raw_env("old_maid_v0", num_players=len(hands), **values)
    env.reset(seed=0)
    record = env.record[0]
    for name, value in {
        "phase": DRAW,
        "turns": 5,
        "current_player": 0,
        "hand": 0,
        "known_by": -1,
        "bound": -1,
        "joker_pair": 0,
        "drawer": -1,
        "drawn_from": -1,
        "kept": 0,
        "drawn_at": 0,
        "fresh": 0,
        "skips": 0,
        **fields,
    }.items():
        record[name] = cards.RANK_TEXT.index(value) if name == "bound" and isinstance(value, str) else value
    for text, seat in known.items():
        record["known_by"][ids(text)] = seat
    for seat, hand in enumerate(hands):
        held = ids(hand)
        record["hand"][seat][: len(held)] = held
        record["hand_size"][seat] = len(held)
    see_anew(env)
    return env


def in_setup(hands: list[str], **values: Any) -> CardGameEnv:
    """A game in the setup, seat 0 being asked."""
    return arranged(hands, phase=SETUP, turns=0, **values)


def dealt(hands: list[str], **options: Any) -> CardGameEnv:
    """A game in which the seats are dealt these cards first; the others follow as they fit, from the lowest."""
    env = raw_env("old_maid_v0", num_players=len(hands), **options)
    n = len(hands)
    named = [ids(hand) for hand in hands]
    queen = ids(f"Q{env.options.removed_queen}")[0]
    rest = [card for card in GAME.deck(env.options) if card != queen and not any(card in hand for hand in named)]
    deck = []
    for k in range(len(GAME.deck(env.options)) - 1):
        deck.append(named[k % n].pop(0) if named[k % n] else rest.pop(0))
    env.reset(seed=1, options={"deck": [*deck[:7], queen, *deck[7:]]})
    return env


def hand(env: CardGameEnv, seat: int) -> str:
    return cards.text(env.zones()[f"hand/{seat}"], joker_kinds=True)


def hands(env: CardGameEnv) -> list[str]:
    return [hand(env, seat) for seat in range(env.num_players)]


def is_laid(env: CardGameEnv, text: str) -> bool:
    return set(ids(text)) <= set(env.zones()["pairs"])


def field(env: CardGameEnv, name: str) -> int:
    return int(env.record[name][0])


def rewards(env: CardGameEnv) -> list[float]:
    """The rewards of a game that is over."""
    assert all(env.terminations.values())
    return list(env.rewards.values())


def is_over(env: CardGameEnv) -> bool:
    return any(env.terminations.values())
