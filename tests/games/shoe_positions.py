"""What positions of games with a shoe have in common."""

from __future__ import annotations

from typing import Any

from support import see_anew
from support import seen as seen
from wilddeck import cards
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended.shoe import shoe_of

parse = cards.parse


def deck_of(options: Any, first: list[int]) -> list[int]:
    """A shoe that begins with these cards; then the others in ascending order."""
    rest = shoe_of(options)
    for card in first:
        rest.remove(card)
    return [*first, *rest]


def field(env: CardGameEnv, name: str) -> Any:
    return env.record[name][0].tolist()


def short_shoe(env: CardGameEnv, left: str) -> CardGameEnv:
    """The same position with only these cards left in the shoe; the others are used up."""
    record, named = env.record[0], parse(left)
    pile = [int(card) for card in record["deck"][record["pile_at"] : record["pile_end"]]]
    for card in named:
        pile.remove(card)
    for card in pile:
        record["used"][card] += 1
    start = int(record["pile_end"]) - len(named)
    record["deck"][:start] = 0
    record["deck"][start : start + len(named)] = named
    record["pile_at"] = start
    see_anew(env)
    return env


def play(env: CardGameEnv, course: str) -> None:
    """Moves such as "0 hit; 1 stand": who, and the label of what."""
    for move in filter(None, map(str.strip, course.split(";"))):
        seat, _, label = move.partition(" ")
        assert env.current_player == int(seat), f"{move!r}, but player {env.current_player} is to move"
        assert label in labels(env), f"{move!r}, but legal is {labels(env)}"
        env.step(env.action_from_label(label))


def labels(env: CardGameEnv) -> set[str]:
    return {env.action_label(action) for action in env.legal_actions()}
