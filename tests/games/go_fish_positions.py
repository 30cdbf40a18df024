"""Positions of Go Fish, written as cards, and what is done in them, written as texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from support import see_anew
from support import seen as seen
from wilddeck import cards
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended.sets import set_of

GAME = find_game("go_fish_v0")
RANKS = [*"23456789TJQKA", "Dr", "Rv", "Sk"]
DRAWS, REVERSES, SKIPS = "Dr-c Dr-d Dr-h Dr-s", "Rv-c Rv-d Rv-h Rv-s", "Sk-c Sk-d Sk-h Sk-s"
parse = cards.parse
_OPTIONS = {name for name, *_ in GAME.options.table()}
_CLEARED = ("hand", "deck", "books", "laid", "known", "asked", "owned", "lacks", "met", "fished", "acted", "idle", "aside")


_WORDS = ["twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens", "Jacks", "Queens", "Kings", "Aces"]
_LONG = {f"{rank}s": word for rank, word in zip("23456789TJQKA", _WORDS, strict=True)}
_SHORT = {word: rank for rank, word in _LONG.items()}


def long(text: str) -> str:
    """A label as the game has it; tests write 7s for sevens."""
    return " ".join(_LONG.get(word, word) for word in text.split())


def short(label: str) -> str:
    """A label as tests have it."""
    return " ".join(_SHORT.get(word, word) for word in label.split())


def bits(text: str) -> int:
    """Ranks as bits."""
    return sum(1 << RANKS.index(rank) for rank in text.split())


def of_rank(rank: str) -> int:
    """The four cards of a rank as bits of the first word of a set."""
    return 0xF << 4 * RANKS.index(rank)


def arranged(
    hands: list[str], turn: int = 0, pile: str = "", books: tuple[str, ...] = (), aside: str = "", **values: Any
) -> CardGameEnv:
    """A game in which the seats hold these cards, the stock lies as given, top first, and seat k has laid the natural books of
    the ranks `books[k]`. Nothing is known of hands. `values` are options and fields of the record."""
    fields = {name: values.pop(name) for name in list(values) if name not in _OPTIONS}
    env = raw_env("go_fish_v0", num_players=len(hands), **values)
    env.reset(seed=0)
    record = env.record[0]
    for name in _CLEARED:
        record[name] = 0
    held, drawn = [parse(hand) for hand in hands], parse(pile)
    everything = [card for hand in held for card in hand] + drawn + parse(aside)
    assert len(set(everything)) == len(everything), "a card twice"
    for seat, hand in enumerate(held):
        record["hand"][seat] = set_of(hand)
    record["deck"][: len(drawn)] = drawn
    record["pile_at"], record["pile_end"] = 0, len(drawn)
    record["aside"] = sum(1 << card - 54 for card in parse(aside))
    for seat, ranks in enumerate(books):
        record["books"][seat] = bits(ranks)
        record["laid"] |= np.uint64(sum(of_rank(rank) for rank in ranks.split()))
    record["turn"] = record["current_player"] = turn
    record["turns"] = 1
    for name, value in fields.items():
        record[name] = value
    see_anew(env)
    return env


def ask(env: CardGameEnv, seat: int, rank: str) -> None:
    """The player to move asks; `rank` as in the labels: 7s, Draws."""
    env.step(env.action_from_label(long(f"ask player {seat} for {rank}")))


def play(env: CardGameEnv, *texts: str) -> None:
    for text in texts:
        env.step(env.action_from_label(long(text)))


def labels(env: CardGameEnv) -> set[str]:
    return {short(env.action_label(action)) for action in env.legal_actions()}


def field(env: CardGameEnv, name: str) -> Any:
    return env.record[name][0].tolist()


def hand(env: CardGameEnv, seat: int) -> str:
    """The cards of a hand by rank, as text."""
    return cards.text(env.zones()[f"hand/{seat}"], joker_kinds=True)


def book(env: CardGameEnv, seat: int) -> str:
    return cards.text(env.zones()[f"books/{seat}"], joker_kinds=True)


def row(env: CardGameEnv, viewer: int, block: str, seat: int) -> dict[str, float]:
    """Of a block of 16 entries a player what it says of one, by rank; zeros are left out."""
    place = (seat - viewer) % env.num_players * 16
    values = seen(env, viewer, block)[place : place + 16]
    return {rank: value for rank, value in zip(RANKS, values, strict=True) if value}


def is_over(env: CardGameEnv) -> bool:
    return not env.legal_actions()


def deck_of(hands: list[str], pile: str = "", standard: bool = False) -> list[int]:
    """A deck that deals these hands, which are equally large, and has this stock; the other cards follow."""
    held = [parse(text) for text in hands]
    dealt = [held[k % len(held)][k // len(held)] for k in range(sum(map(len, held)))] + parse(pile)
    return dealt + [card for card in range(52 if standard else 66) if card not in dealt]
