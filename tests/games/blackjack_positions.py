"""Hands of blackjack, written as the cards that the shoe gives, and what is done in them, written as texts."""

from __future__ import annotations

from typing import Any

from games.shoe_positions import deck_of
from wilddeck import cards
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

GAME = find_game("blackjack_v0")
parse = cards.parse


def dealt(hands: list[str], dealer: str, following: str = "") -> list[int]:
    """The first cards of a shoe that deals each seat its two cards, the dealer two, hole card first, and then these."""
    pairs = [parse(hand) for hand in [*hands, dealer]]
    if sum(card in (52, 53) for pair in pairs for card in pair) == 2:  # two Jokers in different hands are both kinds
        kinds = iter((52, 53))
        pairs = [[next(kinds) if card in (52, 53) else card for card in pair] for pair in pairs]
    return [pair[0] for pair in pairs] + [pair[1] for pair in pairs] + parse(following)


def table(hands: list[str], dealer: str, following: str = "", **options: Any) -> CardGameEnv:
    """A hand in which the seats hold these cards, the dealer these, hole card first, and the shoe gives these next."""
    env = raw_env("blackjack_v0", num_players=len(hands), **options)
    env.reset(seed=0, options={"deck": deck_of(env.options, dealt(hands, dealer, following))})
    return env


def hand(env: CardGameEnv, seat: int, number: int = 0) -> str:
    return cards.text(env.zones()[zone(seat, number)])


def zone(seat: int, number: int = 0) -> str:
    return f"hand/{seat}/{number}" if number else f"hand/{seat}"


def dealer(env: CardGameEnv) -> str:
    return cards.text(env.zones()["dealer"])


def rewards(env: CardGameEnv) -> list[float]:
    """Of the last step, at the end of the game."""
    assert not env.legal_actions()
    return [round(float(value), 4) for value in env.rewards.values()]
