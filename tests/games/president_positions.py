"""Positions of President, written as cards, and what is done in them, written as texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from support import begin_history, see_anew
from support import seen as seen
from wilddeck import cards
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended.sets import ids_of, set_of

GAME = find_game("president_v0")
parse = cards.parse
PILE = "4c 4d 4h 4s 5c 5d 5h 5s"  # for positions without these
_OPTIONS = {name for name, *_ in GAME.options.table()}
PLAY = 1


def arranged(hands: list[str], leader: int = 0, pile: str = "", **values: Any) -> CardGameEnv:
    """A deal in which the seats hold these cards and `leader` leads, the pile lies as given, top first, and the others have
    been played. Seats without cards are out, in the order of their numbers. `values` are options and fields of the record."""
    fields = {name: values.pop(name) for name in list(values) if name not in _OPTIONS}
    values.setdefault("num_players", len(hands))
    env = raw_env("president_v0", **values)
    env.reset(seed=0)
    _lay(env, hands, leader, pile, **fields)
    return env


def _lay(env: CardGameEnv, hands: list[str], leader: int, pile: str = "", **fields: Any) -> None:
    record, n = env.record[0], len(hands)
    held, drawn = [parse(hand) for hand in hands], parse(pile)
    seen = {card for hand in held for card in hand} | set(drawn)
    assert len(seen) == sum(map(len, held)) + len(drawn), "a card twice"
    record["hand"][:n] = np.array([set_of(hand) for hand in held])
    record["deck"] = 0
    record["pile_end"] = 52 if record["standard"] else 66
    record["pile_at"] = record["pile_end"] - len(drawn)
    record["deck"][int(record["pile_at"]) : int(record["pile_end"])] = drawn
    record["played"][0] = set_of([card for card in GAME.deck(env.options) if card not in seen])
    out = [seat for seat in range(n) if not held[seat]]
    record["out"] = sum(1 << seat for seat in out)
    for place, seat in enumerate(out, 1):
        record["place"][seat] = place
    record["turn"] = record["current_player"] = leader
    for name, value in fields.items():
        if isinstance(value, list):
            record[name][: len(value)] = value
        else:
            record[name] = value
    see_anew(env)
    begin_history(env)


def next_deal(hands: list[str], order: list[int], pile: str = "", **options: Any) -> CardGameEnv:
    """The second deal of a match, in which the seats are dealt these cards and more, after one in which they went out in this
    order."""
    env = raw_env("president_v0", **{"match": "points", "num_players": len(order), **options})
    first = order[-1] if env.options.next_lead == "scum" else order[0]
    standard = env.options.deck == "standard"
    env.reset(seed=0, options={"decks": [GAME.deck(env.options), deck_of_hands(hands, first, standard, pile)]})
    n, held = len(order), [""] * len(order)
    held[order[-2]], held[order[-1]] = "2c", "3c"
    places = [order.index(seat) + 1 if order.index(seat) < n - 2 else 0 for seat in range(n)]
    _lay(env, held, order[-2], place=places)
    play(env, "2")
    assert field(env, "deals") == 2
    return env


def play(env: CardGameEnv, *texts: str) -> None:
    """Actions by their labels; a set alone is played, specials are led."""
    for text in texts:
        env.step(action_of(env, text))


def action_of(env: CardGameEnv, text: str) -> int:
    """The action of a text in which Jokers are written Jk."""
    return env.action_from_label(_whole(text).replace("Jk", "Joker"))


def _whole(text: str) -> str:
    if text in ("pass", "redeal") or text.startswith(("reveal", "give")):
        return text
    return f"lead {text}" if text[:2] in ("Dr", "Rv", "Sk") else f"play {text}"


def labels(env: CardGameEnv) -> set[str]:
    """What is legal, as `play` takes it."""
    return {
        env.action_label(action).removeprefix("play ").removeprefix("lead ").replace("Joker", "Jk")
        for action in env.legal_actions()
    }


def field(env: CardGameEnv, name: str) -> Any:
    return env.record[name][0].tolist()


def seats(env: CardGameEnv, name: str) -> list[int]:
    """The seats that a field holds as bits."""
    return [seat for seat in range(env.num_players) if field(env, name) >> seat & 1]


def table(env: CardGameEnv) -> str:
    """What lies on the table, in words; nothing where somebody is to lead."""
    said = env.describe().splitlines()[0]
    return said.partition("on the table: ")[2].partition(" of player")[0].replace("Joker", "Jk")


def hand(env: CardGameEnv, seat: int) -> list[int]:
    return ids_of(env.record["hand"][0][seat])


def returns(env: CardGameEnv) -> list[float]:
    return list(env.rewards.values())


def deck_of_hands(hands: list[str], first: int = 0, standard: bool = False, pile: str = "") -> list[int]:
    """A deck that deals these cards to seats, 52 in all from seat `first` on; the lowest cards not named fill the hands up."""
    n, named, below = len(hands), [parse(text) for text in hands], parse(pile)
    taken = {card for known in [*named, below] for card in known}
    rest = [card for card in range(52 if standard else 66) if card not in taken]
    for seat in range(n):
        size = len(range((seat - first) % n, 52, n))
        while len(named[seat]) < size:
            named[seat].append(rest.pop(0))
    dealt = [named[(first + k) % n][k // n] for k in range(52)]
    return [*dealt, *below, *rest]
