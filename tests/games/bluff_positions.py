"""Positions of bluff, written as cards, and what is done in them, written as texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from support import begin_history, see_anew
from support import seen as seen
from wilddeck import cards
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended.sets import set_of

GAME = find_game("bluff_v0")
parse = cards.parse
PILE = "2c 3c 4c 5c 6c 7c"  # for positions without these
ACES = ["Ac As Kd", "2d Kc", "3h Kh", "4s Ks"]
RANKS = [
    *("Twos", "Threes", "Fours", "Fives", "Sixes", "Sevens", "Eights", "Nines", "Tens", "Jacks", "Queens", "Kings", "Aces"),
    *("Draws", "Reverses", "Skips"),
]
_OPTIONS = {name for name, *_ in GAME.options.table()}


def arranged(
    hands: list[str], required: str = "", turn: int = 0, heap: tuple[tuple[int, str], ...] = (), pile: str = "", **values: Any
) -> CardGameEnv:
    """A turn of seat `turn`, in which the seats hold these cards, the heap is made of plays (seat, cards), oldest first, and
    the pile begins as given, top first. Specials not named are aside, other cards at the bottom of the pile or, where there is
    none, out of the game. `required` is the rank to be claimed (free order: that was led). `values` are options and fields."""
    fields = {name: values.pop(name) for name in list(values) if name not in _OPTIONS}
    env = raw_env("bluff_v0", num_players=len(hands), **values)
    env.reset(seed=0)
    record, n = env.record[0], len(hands)
    held, drawn = [parse(hand) for hand in hands], parse(pile)
    record["hand"][:n] = np.array([set_of(hand) for hand in held])
    laid = [(seat, card, place == 0) for seat, play in heap for place, card in enumerate(parse(play))]
    for k, (seat, card, first) in enumerate(laid):
        record["laid_card"][k], record["laid_seat"][k], record["laid_first"][k] = card, seat, first
    record["laid"] = len(laid)
    used = [card for hand in held for card in hand] + drawn + [card for _, card, _ in laid]
    assert len(used) == len(set(used)), "a card twice"
    rest = [card for card in GAME.deck(env.options) if card not in used]
    record["aside"] = sum(1 << card - 54 for card in rest if card > 53)
    record["deck"] = 0
    if pile:
        drawn += [card for card in rest if card < 54]
    else:
        gone = [card for card in rest if card < 54]
        m = len(gone)
        for name in ("laid_card", "laid_seat", "laid_first"):
            record[name][m : m + len(laid)] = record[name][: len(laid)].copy()
        record["laid_card"][:m], record["laid_seat"][:m], record["laid_first"][:m] = gone, n - 1, 1
        record["laid"], record["gone"] = m + len(laid), m
    record["deck"][: len(drawn)] = drawn
    record["pile_at"], record["pile_end"] = 0, len(drawn)
    record["required"] = RANKS.index(required) if required else -1
    record["turn"] = record["current_player"] = turn
    for name, value in fields.items():
        record[name] = value
    see_anew(env)
    begin_history(env)
    return env


def dealt(hands: list[str], **options: Any) -> CardGameEnv:
    """A game in which the seats are dealt these cards, and the lowest not named besides."""
    env = raw_env("bluff_v0", **options)
    n, size = env.num_players, 52 if options.get("deck") == "standard" else 66
    named = [parse(hand) for hand in hands] + [[] for _ in range(n - len(hands))]
    rest = [card for card in range(size) if not any(card in hand for hand in named)]
    for seat, hand in enumerate(named):
        while len(hand) < len(range(seat, 52, n)):
            hand.append(rest.pop(0))
    deck = [named[k % n][k // n] for k in range(52)] + rest
    env.reset(seed=0, options={"deck": deck})
    return env


def put(env: CardGameEnv, text: str) -> None:
    """A whole play of these cards."""
    seat, ids = env.current_player, sorted(parse(text))
    for card in ids:
        env.step(card)
    if not env.record["answering"][0]:
        assert env.current_player == seat
        env.step(env.game.actions.slices(2)["play"].start)


def play(env: CardGameEnv, *texts: str) -> None:
    """Actions by their labels; `put ...` is a whole play, `all accept` all the answers."""
    for text in texts:
        if text.startswith("put "):
            put(env, text.removeprefix("put "))
        elif text == "all accept":
            while env.record["answering"][0]:
                env.step(env.action_from_label("accept"))
        else:
            env.step(env.action_from_label(text))


def labels(env: CardGameEnv) -> set[str]:
    return {env.action_label(action) for action in env.legal_actions()}


def field(env: CardGameEnv, name: str) -> Any:
    return env.record[name][0].tolist()


def due(env: CardGameEnv) -> str:
    """The rank to be claimed."""
    rank = field(env, "required")
    return "" if rank < 0 else RANKS[rank]


def hand(env: CardGameEnv, seat: int) -> list[int]:
    return env.zones()[f"hand/{seat}"]


def returns(env: CardGameEnv) -> list[float]:
    return list(env.rewards.values())
