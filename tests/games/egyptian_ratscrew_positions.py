"""Positions of Egyptian Ratscrew, written as cards; see pack_positions.py. If nothing else is said a window opens after every
card, so that nothing is played on while one looks."""

from __future__ import annotations

from typing import Any

from games import pack_positions
from games.pack_positions import PLAY, PLAY_PHASE, TEXTS, field, labels, pack, zone
from support import see_anew
from wilddeck.envs.core.aec import CardGameEnv

GAME = "egyptian_ratscrew_v0"
SLAP, WAIT = 80, 81
SLAP_PHASE = 3
OFF = {"doubles": False, "sandwich": False}
ON = {"tens": True, "tens_sandwich": True, "top_bottom": True, "marriage": True, "runs": 3, "joker_slap": True}


def arranged(packs: list[str], stack: str = "", pile: str = "", **values: Any) -> CardGameEnv:
    """A position; Jokers of the stack are written with the rank that they were declared to be, such as `SJ=A`, or `SJ=`."""
    declared, plain = [-1, -1], []
    for text in stack.split():
        card, _, rank = text.partition("=")
        plain.append(card)
        if rank:
            declared[card == "BJ"] = pack_positions.RANKS.index(rank)
    return pack_positions.arranged(GAME, packs, " ".join(plain), pile, **{"ask": "all", "declared": declared, **values})


def window(packs: list[str], stack: str, asked: int = 1, **values: Any) -> CardGameEnv:
    """A position in which a player is asked, first of all, whether they slap what 0 has just played."""
    return arranged(packs, stack, **{"phase": SLAP_PHASE, "current_player": asked, "asked": 1 << asked, **values})


def is_open(env: CardGameEnv) -> bool:
    return labels(env) == ["slap", "wait"]


def let_lie(env: CardGameEnv) -> None:
    """All who are asked wait."""
    plays = field(env, "plays")
    while is_open(env) and field(env, "plays") == plays:
        env.step(WAIT)


def slap(env: CardGameEnv, seat: int) -> None:
    """A player slaps, in place of whoever is asked next."""
    asked = field(env, "asked") & ~(1 << env.current_player)
    assert is_open(env)
    assert not asked >> seat & 1, f"{seat} was asked before"
    env.record["asked"], env.record["current_player"] = asked | 1 << seat, seat
    see_anew(env)
    env.step(SLAP)


def play(env: CardGameEnv, *texts: str) -> None:
    """Actions by their labels; a card is the one that is played next, nobody slapping the one before."""
    for text in texts:
        if text not in TEXTS:
            env.step(env.action_from_label(text))
            continue
        if field(env, "phase") == PLAY_PHASE:
            env.step(PLAY)
        else:
            let_lie(env)
        assert zone(env, "stack")[-1] == text


def who_is_asked(env: CardGameEnv) -> list[int]:
    """The players who are asked in this window, in order, if all wait. The position is left as it is."""
    env, asked = env.clone(), []
    plays = field(env, "plays")
    while is_open(env) and field(env, "plays") == plays:
        asked.append(env.current_player)
        env.step(WAIT)
    return asked


def packs(env: CardGameEnv) -> list[str]:
    return [" ".join(pack(env, seat)) for seat in range(env.num_players)]
