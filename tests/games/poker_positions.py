"""Hands of poker, written as the cards that are dealt, and what is done in them, written as texts."""

from __future__ import annotations

from typing import Any

from support import seen as seen
from wilddeck import cards
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

GAME = find_game("poker_v0")
parse = cards.parse


def table(hands: list[str], following: str = "", /, button: int = 0, **options: Any) -> CardGameEnv:
    """A hand in which the seats are dealt these cards, each one a round, and the stock gives the following next; then the other
    cards in ascending order. Without burning, unless an option says so."""
    n = len(hands)
    env = raw_env("poker_v0", num_players=n, button=button, **{"burn": False, **options})
    deck = deck_of(env.options, hands, following, [(button + 1 + k) % n for k in range(n)])
    env.reset(seed=0, options={"deck": deck})
    return env


def deck_of(options: Any, hands: list[str], following: str, seats: list[int]) -> list[int]:
    """A deck that deals these hands to the seats in this order. Jokers are Jk as they come, or SJ and BJ."""
    rounds = [hand.split() for hand in hands]
    dealt = [rounds[seat][k] for k in range(max(map(len, rounds))) for seat in seats if k < len(rounds[seat])]
    named = parse(" ".join([*dealt, following]))
    assert len(set(named)) == len(named), "a card twice"
    return [*named, *(card for card in GAME.deck(options) if card not in named)]


def play(env: CardGameEnv, course: str) -> None:
    """Moves such as "0 raise to 6; 1 call": who, and enough of the label of what. "0,1,2 check": one after another."""
    for move in filter(None, map(str.strip, course.split(";"))):
        seats, _, label = move.partition(" ")
        for seat in seats.split(","):
            assert env.current_player == int(seat), f"{move!r}, but player {env.current_player} is to move"
            actions = [action for action in env.legal_actions() if matches(env.action_label(action), label)]
            assert len(actions) == 1, f"{move!r}, but legal is {labels(env)}"
            env.step(actions[0])


def matches(label: str, text: str) -> bool:
    return label == text or label.split(",")[0] == text or (text == "call" and label.startswith("call"))


def labels(env: CardGameEnv) -> list[str]:
    return [env.action_label(action) for action in env.legal_actions()]


def raises(env: CardGameEnv) -> list[int]:
    """The amounts that may be bet or raised to, in the order of the actions."""
    words = [label.split(",")[0].split() for label in labels(env)]
    return [int(word[-1]) for word in words if word[0] in ("bet", "raise")]


def field(env: CardGameEnv, name: str) -> Any:
    return env.record[name][0].tolist()


def of_seats(env: CardGameEnv, name: str) -> list[Any]:
    return field(env, name)[: env.num_players]


def seats(env: CardGameEnv, name: str) -> list[int]:
    """The seats that a field holds as bits."""
    return [seat for seat in range(env.num_players) if field(env, name) >> seat & 1]


def levels(env: CardGameEnv) -> list[int]:
    return [paid + saved for paid, saved in zip(of_seats(env, "paid"), of_seats(env, "saved"), strict=True)]


def won(env: CardGameEnv) -> list[int]:
    """What each won or lost in the hand that has ended, in chips, by the rewards."""
    assert not env.legal_actions() or field(env, "deals") > 1
    unit = GAME.score_unit(env.options)
    return [round(env.rewards[agent] * unit) for agent in env.possible_agents]


def pass_on(env: CardGameEnv) -> None:
    """The player to move checks or calls, or stands pat."""
    labelled = {env.action_label(action).split()[0]: action for action in env.legal_actions()}
    env.step(next(labelled[word] for word in ("check", "call", "stand") if word in labelled))


def order(env: CardGameEnv) -> list[int]:
    """Who has turns, one after another, while all check or call, until the street is over."""
    movers, street = [], (field(env, "street"), field(env, "phase"))
    while env.legal_actions() and (field(env, "street"), field(env, "phase")) == street:
        movers.append(env.current_player)
        pass_on(env)
    return movers


def zone(env: CardGameEnv, name: str, viewer: int | None = None) -> str:
    return cards.text(env.zones(None if viewer is None else f"player_{viewer}")[name])
