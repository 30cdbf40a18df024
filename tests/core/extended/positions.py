"""Positions of the toy games, written as text, and played by who does what."""

from __future__ import annotations

from typing import Any

from core.extended import toy_rotation, toy_tricks
from support import see_anew
from wilddeck import cards
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended.sets import ids_of, set_of

CLOCKWISE, COUNTERCLOCKWISE = 1, -1


def arranged(game: Any, options: Any, hands: list[str], pile: str, **fields: Any) -> CardGameEnv:
    """A game at its beginning, but with these hands and this pile, top first, and with these fields."""
    env = CardGameEnv(game, options)
    env.reset(seed=0)
    record = env.record[0]
    for name in ("hand", "deck", "refill", "draw", "skip", "effects", "aside", "paused", "out"):
        record[name] = 0
    for seat, hand in enumerate(hands):
        record["hand"][seat] = set_of(cards.parse(hand))
    ids = cards.parse(pile)
    record["deck"][: len(ids)] = ids
    record["pile_at"], record["pile_end"] = 0, len(ids)
    for name, value in {"direction": 1, "turn": 0, "current_player": 0, **fields}.items():
        record[name] = value
    see_anew(env)
    return env


def tricks(hands: list[str], pile: str = "", trump: str = "none", dummy: int = 4, **fields: Any) -> CardGameEnv:
    """The trick game, seat 0 to lead. Hands that are empty are `3c 3d`, so that tricks can go on."""
    face_up = 0 if dummy == 4 else 1 << dummy
    options = toy_tricks.Options(trump=trump, dummy=dummy)
    hands = [hand or "3c 3d" for hand in hands]
    return arranged(toy_tricks.GAME, options, hands, pile, face_up=face_up, **fields)


def rotation(hands: list[str], pile: str = "", **fields: Any) -> CardGameEnv:
    """The game in rotation, the turn of seat 0."""
    options = {name: fields.pop(name) for name in ("reshuffle", "open_hands") if name in fields}
    hands = [hand or "3c 3d" for hand in hands]
    made = toy_rotation.Options(num_players=len(hands), **options)
    return arranged(toy_rotation.GAME, made, hands, pile, turns=1, **fields)


def play(env: CardGameEnv, course: str) -> CardGameEnv:
    """Moves such as "0 play Rv-h; 1 reveal Sk-c": whose turn it is, and the label of what is done."""
    for move in course.split(";"):
        seat, _, label = move.strip().partition(" ")
        assert turn(env) == int(seat), f"{move.strip()!r}, but it is the turn of {turn(env)}"
        env.step(env.action_from_label(label))
    return env


def turn(env: CardGameEnv) -> int:
    return int(env.record["turn"][0])


def order(env: CardGameEnv) -> int:
    return int(env.record["direction"][0])


def value(env: CardGameEnv, name: str, seat: int | None = None) -> int:
    """A field of the record, or a seat's bit or entry of it."""
    content = env.record[name][0]
    if seat is None:
        return int(content)
    return int(content[seat]) if content.ndim else int(content) >> seat & 1


def hand(env: CardGameEnv, seat: int) -> str:
    return cards.text(ids_of(env.record["hand"][0][seat]), joker_kinds=True)


def zone(env: CardGameEnv, name: str) -> str:
    return cards.text(env.zones()[name], joker_kinds=True)


def legal(env: CardGameEnv) -> set[str]:
    return {env.action_label(action) for action in env.legal_actions()}


def next_turns(env: CardGameEnv, count: int) -> list[int]:
    """Whose turns follow, each ended at once (rotation)."""
    turns = []
    for _ in range(count):
        turns.append(turn(env))
        env.step(env.action_from_label("end"))
    return turns
