"""Coups of baccarat, written as the cards of the hands and those that the shoe gives next; what is done in them as texts."""

from __future__ import annotations

from typing import Any

from games.shoe_positions import deck_of, field, play
from wilddeck import cards
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.games.baccarat import state as names

GAME = find_game("baccarat_v0")
parse = cards.parse


def dealt(hands: list[str], following: str = "") -> list[int]:
    """The first cards of a shoe that deals each hand its two cards, in the order of play, and then these."""
    pairs = [parse(hand) for hand in hands]
    return [pair[k] for k in range(2) for pair in pairs] + parse(following)


def table(hands: list[str], following: str = "", course: str = "", **options: Any) -> CardGameEnv:
    """The first coup of an episode in which hands are dealt these cards and the shoe gives these next, after `course`."""
    env = raw_env("baccarat_v0", **{"first_banker": 0, **options})
    env.reset(seed=0, options={"deck": deck_of(env.options, dealt(hands, following))})
    play(env, course)
    return env


def chemin(
    hands: list[str], following: str = "", course: str = "0 take the bank with 8; 1 banco", **options: Any
) -> CardGameEnv:
    """Two players, 0 has the bank."""
    return table(hands, following, course, **{"num_players": 2, **options})


def banque(hands: list[str], following: str = "", course: str = "0 bid 64; 2 bet 8; 1 bet 8", **options: Any) -> CardGameEnv:
    """Three players, 0 has the bank, 2 plays on R and 1 on L."""
    return table(hands, following, course, **{"num_players": 3, "variant": "banque", **options})


def punto(hands: list[str], following: str = "", bet: str = "no bet", **options: Any) -> float:
    """What a bet on the first coup brings."""
    env = table(hands, following, **{"num_players": 1, "variant": "punto_banco", "coups": 2, **options})
    play(env, f"0 {bet}")
    return round(chips(env)[0] - 100, 2)


def chips(env: CardGameEnv) -> list[float]:
    return (env.record["chips"][0][: env.num_players] / names.HUNDREDTHS).tolist()


def bank(env: CardGameEnv) -> float:
    return float(env.record["bank"][0] / names.HUNDREDTHS)


def phase(env: CardGameEnv) -> int:
    return int(field(env, "phase"))
