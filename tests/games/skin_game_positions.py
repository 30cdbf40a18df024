"""Hands of Skin, written by rank, and played by who says what."""

from __future__ import annotations

from typing import Any

from support import see_anew
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

PHASES = ("OFFER", "STAKE", "BANK", "SIDE_TARGET", "SIDE_AMOUNT", "SIDE_REPLY", "CENTRAL", "BANK_NEW", "BETWEEN")
NO, YES, LEVEL, TARGET, CENTRAL, STAY, LEAVE, JOIN, OUT = 0, 1, 2, 10, 18, 31, 32, 33, 34


def stock(ranks: str) -> list[int]:
    """A deck whose first cards have these ranks, such as "7 K 4"; the suit of a card makes no difference (SK-07)."""
    left = list(range(52))
    first = []
    for rank in ranks.split():
        card = next(card for card in left if cards.RANK_TEXT[card // 4] == rank)
        left.remove(card)
        first.append(card)
    return first + left


def table(
    ranks: str, num_players: int = 3, first_banker: int = 0, next_hands: tuple[str, ...] = (), **options: Any
) -> CardGameEnv:
    """A game whose hands turn cards of these ranks."""
    env = raw_env("skin_v0", num_players=num_players, first_banker=first_banker, **options)
    env.reset(seed=0, options={"decks": [stock(ranks_of_deck) for ranks_of_deck in (ranks, *next_hands)]})
    return env


def play(env: CardGameEnv, course: str) -> None:
    """Moves such as "2 pass; 1 accept; 1 stake 6 chips": who, and the label of what."""
    for move in course.split(";"):
        seat, _, label = move.strip().partition(" ")
        assert env.current_player == int(seat), f"{move.strip()!r}, but player {env.current_player} is to move"
        env.step(env.action_from_label(label))


def phase(env: CardGameEnv) -> str | None:
    """The decision that waits; None when the game is over."""
    return PHASES[env.record["phase"][0]] if env.legal_actions() else None


def waits(env: CardGameEnv) -> tuple[int, str | None]:
    """Who is to decide what."""
    return env.current_player, phase(env)


def labels(env: CardGameEnv) -> list[str]:
    return [env.action_label(action) for action in env.legal_actions()]


def chips(env: CardGameEnv) -> list[int]:
    """The stacks, without what is laid out."""
    return env.record["chips"][0][: env.num_players].tolist()


def mains(env: CardGameEnv) -> list[int]:
    return env.record["main"][0][: env.num_players].tolist()


def side(env: CardGameEnv, one: int, other: int) -> int:
    sides = env.record["side"][0]
    assert sides[one][other] == sides[other][one]
    return int(sides[one][other])


def zone(env: CardGameEnv, name: str) -> str:
    """The ranks of a zone."""
    return " ".join(cards.RANK_TEXT[card // 4] for card in env.zones()[name])


def dead(env: CardGameEnv) -> str:
    return " ".join(rank for rank, flag in zip(cards.RANK_TEXT, env.record["dead"][0], strict=True) if flag)


def with_chips(env: CardGameEnv, stacks: list[int]) -> CardGameEnv:
    """The same position with other stacks."""
    env.record["chips"][0][: env.num_players] = stacks
    see_anew(env)
    return env


def total(env: CardGameEnv) -> int:
    """All chips: stacks, both halves of the main bets, and of the side bets."""
    return sum(chips(env)) + 2 * sum(mains(env)) + int(env.record["side"][0].sum())


def rewards(env: CardGameEnv) -> list[float]:
    return list(env.rewards.values())


FOUR = "A J 6 8 J"  # worked example 4 up to the fall of the banker


def after_the_banker_fell(rest: str, **options: Any) -> CardGameEnv:
    """Worked example 4: the players have A and 6, 8 is central, the side bet of 4 stands; the banker has to choose."""
    env = table(f"{FOUR} {rest}", num_players=4, **options)
    play(env, "3 accept; 3 stake 5 chips; 0 bet 5 chips")
    play(env, "2 accept; 2 stake 2 chips; 0 bet 2 chips; 2 side bet with player_3; 2 propose 4 chips; 3 accept 4 chips")
    assert mains(env) == [0, 0, 2, 5]
    play(env, "1 pass")
    return env


NOTHING = "3 K K"  # the first player accepts and stakes nothing, the banker falls at once: a hand without bets


def pass_hand(env: CardGameEnv, first: int) -> None:
    play(env, f"{first} accept; {first} no stake")


def three_players_with_cards(rest: str = "2 3", **options: Any) -> CardGameEnv:
    """Seats 3, 2 and 1 hold 3, 4 and 5 with main bets of 1; seat 1 has just bet, and may propose side bets.

    As it stands the next card is central, and then seat 3 falls.
    """
    env = table(f"3 K 4 5 {rest}", num_players=4, **options)
    play(env, "3 accept; 3 stake 1 chip; 2 accept; 2 stake 1 chip; 2 no side bet; 1 accept; 1 stake 1 chip")
    assert waits(env) == (1, "SIDE_TARGET")
    return env
