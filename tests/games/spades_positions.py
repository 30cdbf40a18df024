"""Positions of Spades, written as cards, and what is done in them, written as texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from support import see_anew
from support import seen as seen
from wilddeck import cards
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended.sets import NO_CARD, set_of
from wilddeck.envs.core.extended.tricks import PLAY

GAME = find_game("spades_v0")
BID = 133
WIN, LOSE = "win with the Joker", "lose with the Joker"
parse = cards.parse
_OPTIONS = {name for name, *_ in GAME.options.table()}


def arranged(
    hands: list[str], leader: int = 0, bids: tuple[int, ...] = (1, 2, 3, 4), pile: str = "", **values: Any
) -> CardGameEnv:
    """A hand after the bids, in which the seats hold these cards and `leader` leads the next trick, the pile lies as given, top
    first, and the other cards have been played. As many tricks are left as the longest hand has cards. `values` are options and
    fields of the record."""
    fields = {name: values.pop(name) for name in list(values) if name not in _OPTIONS}
    env = raw_env("spades_v0", **values)
    env.reset(seed=0)
    record = env.record[0]
    held, drawn = [parse(hand) for hand in hands], parse(pile)
    record["hand"] = np.array([set_of(hand) for hand in held])
    record["deck"] = 0
    record["deck"][: len(drawn)] = drawn
    record["pile_at"], record["pile_end"] = 0, len(drawn)
    seen = {card for hand in held for card in hand} | set(drawn)
    assert len(seen) == sum(map(len, held)) + len(drawn), "a card twice"
    record["played"][0] = set_of([card for card in GAME.deck(env.options) if card not in seen])
    record["bids"] = bids
    record["question"], record["declared"] = PLAY, NO_CARD
    record["turn"] = record["leader_due"] = record["current_player"] = leader
    record["tricks_done"] = 13 - max(map(len, held))
    for name, value in fields.items():
        record[name] = value
    see_anew(env)
    return env


def last_trick(
    bids: tuple[int, ...], tricks: tuple[int, ...], left: tuple[int, ...] = (0, 0, 0, 0), **values: Any
) -> CardGameEnv:
    """A hand played to its end, in which the players have won so many tricks and hold so many cards still."""
    winner = next(seat for seat in range(4) if tricks[seat] > 0)
    plain = iter(card for card in range(52) if card % 4 == 0)
    hands = [[51] if seat == winner else [next(plain)] for seat in range(4)]
    for seat in range(4):
        hands[seat] += [next(plain) for _ in range(left[seat])]
    before = [won - (seat == winner) for seat, won in enumerate(tricks)]
    env = arranged(
        [cards.text(hand) for hand in hands], leader=winner, bids=bids, tricks=before, tricks_done=12, broken=1, **values
    )
    play(env, "As")
    while env.record["tricks_done"][0] == 12:
        env.step(env.legal_actions()[0])
    return env


def play(env: CardGameEnv, *texts: str) -> None:
    """Actions by their labels; a card alone is played."""
    for text in texts:
        env.step(env.action_from_label(text if " " in text or text == "redeal" else f"play {text}"))


def labels(env: CardGameEnv) -> set[str]:
    """What is legal; to play a card is the card alone."""
    return {env.action_label(action).removeprefix("play ") for action in env.legal_actions()}


def field(env: CardGameEnv, name: str) -> Any:
    return env.record[name][0].tolist()


def won_by(env: CardGameEnv) -> list[int]:
    """Seats that have won a trick."""
    return [seat for seat, count in enumerate(field(env, "tricks")) if count]


def deck_of_hands(hands: list[str], first: int = 0, standard: bool = False) -> list[int]:
    """A deck that deals these cards to seats, the first to `first`; the lowest cards not named fill the hands up."""
    named = [parse(hand) for hand in hands]
    rest = [card for card in range(52 if standard else 66) if not any(card in hand for hand in named)]
    for hand in named:
        while len(hand) < 13:
            hand.append(rest.pop(0))
    return [named[(first + k) % 4][k // 4] for k in range(52)] + rest
