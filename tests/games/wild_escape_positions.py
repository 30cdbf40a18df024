"""Positions of Wild Escape, written as cards, and what the comparator says of every play of a hand."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import wilddeck
from support import see_anew
from wilddeck import cards
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.compare.packed import card_bit
from wilddeck.envs.core.compare.wild_escape import wild_escape_action
from wilddeck.envs.games.wild_escape.state import CARDS, PLAY

GAME = find_game("wild_escape_v0")
TYPES = 54
FIRST_CARD = 196
compare = wilddeck.compare.wild_escape
parse = cards.parse


def counts(ids: list[int]) -> np.ndarray:
    return np.bincount(np.array(ids, np.int64), minlength=TYPES).astype(np.uint8)


def strength_of(ids: list[int], trump: int, flush_compare: str = "all") -> int:
    return int(compare.strength(np.array([ids]), trump, flush_compare)[0])


def action_of(ids: list[int], trump: int) -> int:
    """The action that names a play; 0 if the cards are none."""
    bits = 0
    for card in ids:
        bits |= int(card_bit(card))
    return int(wild_escape_action(strength_of(ids, trump), bits, trump))


def _plays(hand: list[int], trump: int, flush_compare: str, to_beat: list[int]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """All sets of cards of a hand that beat the cards `to_beat` (none: all plays), and the actions that name them; by size."""
    for size in [len(to_beat)] if to_beat else (1, 2, 3, 5):
        rows = np.unique(np.array(list(itertools.combinations(sorted(hand), size)), np.int64).reshape(-1, size), axis=0)
        strengths = compare.strength(rows, trump, flush_compare)
        higher = strengths > (strength_of(to_beat, trump, flush_compare) if to_beat else 0)
        rows, strengths = rows[higher], strengths[higher]
        ordinary = np.where(rows < 52, rows % 4, -1)  # the suit, or of several 4
        highest, lowest = ordinary.max(axis=1, initial=-1), np.where(ordinary < 0, 9, ordinary).min(axis=1, initial=9)
        keys = strengths * 8 + np.where(highest == lowest, highest, 4)
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        actions = np.array([action_of(rows[row].tolist(), trump) for row in first], np.int64)
        yield rows, actions[inverse.ravel()]


def plays_of(hand: list[int], trump: int, flush_compare: str, to_beat: list[int]) -> dict[int, set[tuple[int, ...]]]:
    """All plays of a hand that beat the cards `to_beat` (none: all plays), ascending types, by the action that names them."""
    plays: dict[int, set[tuple[int, ...]]] = defaultdict(set)
    for rows, actions in _plays(hand, trump, flush_compare, to_beat):
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            plays[action].add(tuple(row))
    return dict(plays)


def kinds_of(hand: list[int], trump: int, flush_compare: str, to_beat: list[int]) -> set[int]:
    """The actions that name these plays."""
    return {action for _, actions in _plays(hand, trump, flush_compare, to_beat) for action in np.unique(actions).tolist()}


def rows_of(hand: list[int], trump: int, flush_compare: str, to_beat: list[int], kind: int) -> np.ndarray:
    """Those of these plays that one action names, [N, cards]."""
    candidates = [rows[actions == kind] for rows, actions in _plays(hand, trump, flush_compare, to_beat)]
    return next(rows for rows in candidates if len(rows))


def arranged(
    hands: list[str], beat: str = "", owner: int = 5, mover: int = 0, trump: int = 2, decks: Any = (), **options: Any
) -> CardGameEnv:
    """A round in which the seats hold these cards (those not named none, having escaped), the offense being team 0; the others
    are played. `mover` leads, or follows on the cards `beat` of `owner`. `decks` are those of later deals."""
    fields = {name: options.pop(name) for name in list(options) if name in (GAME.state.names or ()) and name not in _OPTIONS}
    env = raw_env("wild_escape_v0", **{"leader": 0, "levels": (trump, 2), **options})
    env.reset(seed=0, options={"decks": [[*range(TYPES)] * 3, *decks]} if decks else None)
    record = env.record[0]
    gone = np.full(TYPES, 3, np.int64)
    for name in ("hand", "hand_size", "played", "place"):
        record[name] = 0
    for seat in range(6):
        held = parse(hands[seat]) if seat < len(hands) else []
        record["hand"][seat] = counts(held)
        record["hand_size"][seat] = len(held)
        gone -= counts(held)
        if not held:
            record["escaped"] += 1
            record["place"][seat] = record["escaped"]
    assert gone.min() >= 0, "four copies of a card"
    if beat:
        ids = sorted(parse(beat))
        record["last"][owner][: len(ids)] = ids
        record["last_size"][owner] = len(ids)
        record["beat"] = action_of(ids, trump)
        assert record["beat"] > 0, f"{beat} is no play"
        record["owner"] = owner
        record["played"][owner] = counts(ids)
        gone -= counts(ids)
    record["played"][0] += gone.astype(np.uint8)
    record["current_player"] = mover
    for name, value in fields.items():
        record[name] = value
    see_anew(env)
    return env


_OPTIONS = {name for name, *_ in GAME.options.table()}


def deck_with(hands: dict[int, str]) -> list[int]:
    """A deck that deals these cards to seats, which get no others but 4 to J."""
    left = counts([*range(TYPES)] * 3).astype(int)
    dealt = {seat: parse(hand) for seat, hand in hands.items()}
    for ids in dealt.values():
        left -= counts(ids)
    pack = [card for card in range(TYPES) for _ in range(left[card])]
    low = [card for card in pack if 2 <= card // 4 <= 9]
    for ids in dealt.values():
        while len(ids) < 27:
            ids.append(low.pop(0))
            pack.remove(ids[-1])
    for seat in range(6):
        if seat not in dealt:
            dealt[seat], pack = pack[:27], pack[27:]
    return [dealt[k % 6][k // 6] for k in range(162)]


def labels(env: CardGameEnv) -> list[str]:
    return [env.action_label(action) for action in env.legal_actions()]


def play(env: CardGameEnv, *texts: str) -> None:
    """Actions by their labels."""
    for text in texts:
        env.step(env.action_from_label(text))


class Masks:
    """The rules' own masks of constructed hands, with no game around them."""

    def __init__(self, flush_compare: str) -> None:
        self.states = GAME.template(GAME.make_options({"flush_compare": flush_compare}))
        self.mask = np.zeros(250, np.uint8)

    def put(self, hand: list[int], trump: int, to_beat: list[int]) -> None:
        record = self.states
        record["trump"][0] = trump
        record["hand"][0][0] = counts(hand)
        record["owner"][0] = 1 if to_beat else -1
        record["beat"][0] = action_of(to_beat, trump) if to_beat else 0
        record["last"][0][1] = [*sorted(to_beat), *[0] * (5 - len(to_beat))]
        record["last_size"][0][1] = len(to_beat)

    def legal(self, kind: int = 0, chosen: tuple[int, ...] = ()) -> list[int]:
        record = self.states
        record["stage"][0] = CARDS if kind else PLAY
        record["kind"][0] = kind
        record["chosen"][0] = [*chosen, *[0] * (5 - len(chosen))]
        record["chosen_size"][0] = len(chosen)
        self.mask[:] = 0
        GAME.functions["legal_actions"](record[0], self.mask)
        return [int(action) for action in np.flatnonzero(self.mask)]


def check_masks(masks: Masks, hand: list[int], trump: int, flush_compare: str, to_beat: list[int]) -> Counter[str]:
    """Both stages of a hand against all its plays; returns what was looked at."""
    seen: Counter[str] = Counter()
    plays = plays_of(hand, trump, flush_compare, to_beat)
    masks.put(hand, trump, to_beat)
    where = f"{cards.text(hand, True)}; trump {trump}, {flush_compare}, on {cards.text(to_beat, True)}"
    assert masks.legal() == [*([0] if to_beat else []), *sorted(plays)], where
    for kind, rows in plays.items():
        following: dict[tuple[int, ...], set[int]] = defaultdict(set)
        for row in rows:
            for size in range(len(row)):
                following[row[:size]].add(row[size])
        for prefix, types in following.items():
            expected = [FIRST_CARD + card for card in sorted(types)]
            assert masks.legal(kind, prefix) == expected, f"{where}: action {kind} after {cards.text(prefix, True)}"
            seen["prefixes"] += 1
        seen[str(kind)] += 1
    return seen
