"""Positions of crazy eights, written as cards, and what is done in them, written as texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from support import begin_history, see_anew
from support import seen as seen
from wilddeck import cards
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended.sets import RANK, SUIT, set_of

GAME = find_game("crazy_eights_v0")
parse = cards.parse
_OPTIONS = {name for name, *_ in GAME.options.table()}


def arranged(hands: list[str], top: str, turn: int = 0, pile: str = "", aside: str = "", **values: Any) -> CardGameEnv:
    """A deal in which the seats hold these cards and it is the turn of `turn`; the pile lies as given, top first, and all cards
    not named are below the top. `values` are options and fields of the record."""
    fields = {name: values.pop(name) for name in list(values) if name not in _OPTIONS}
    env = raw_env("crazy_eights_v0", **{"num_players": len(hands), "dealer": 0, **values})
    env.reset(seed=0)
    record = env.record[0]
    held, drawn, gone = [parse(hand) for hand in hands], parse(pile), parse(aside)
    card = parse(top)[0]
    named = [card, *drawn, *gone, *(named_card for hand in held for named_card in hand)]
    assert len(set(named)) == len(named), "a card twice"
    record["hand"] = 0
    record["hand"][: len(held)] = np.array([set_of(hand) for hand in held])
    record["deck"] = 0
    record["deck"][: len(drawn)] = drawn
    record["pile_at"], record["pile_end"] = 0, len(drawn)
    record["aside"] = sum(1 << (special - 54) for special in gone)
    rest = set_of([other for other in GAME.deck(env.options) if other not in named])
    record["refill" if env.options.reshuffle else "discards"] = rest
    record["top"] = card
    if SUIT[card] >= 0:
        record["rank"], record["suit"] = RANK[card], SUIT[card]
    record["put_back"] = record["taken"] = record["debt"] = record["skip"] = record["shuffled"] = 0
    if env.options.reshuffle:
        record["shuffled"][cards_of(rest)] = 1
    record["direction"] = 1
    record["turn"] = record["current_player"] = turn
    for name, value in fields.items():
        record[name] = value
    env.agent_selection = env.possible_agents[turn]
    see_anew(env)
    begin_history(env)
    return env


def cards_of(words: Any) -> list[int]:
    return [card for card in range(66) if set_of([card])[0] & words[0] or set_of([card])[1] & words[1]]


def started(first_cards: str, dealer: int = 3, num_players: int = 4, seed: int = 0, **options: Any) -> CardGameEnv:
    """A deal of a deck that begins with these cards; the others follow in ascending order."""
    env = raw_env("crazy_eights_v0", num_players=num_players, dealer=dealer, **options)
    first = parse(first_cards)
    env.reset(seed=seed, options={"deck": first + [card for card in GAME.deck(env.options) if card not in first]})
    return env


def turned_up(starter: str, dealer: int = 3, num_players: int = 4, seed: int = 0, **options: Any) -> CardGameEnv:
    """A deal in which these cards lie on the pile when the hands have been dealt, and neither eights, Jokers nor specials are
    in a hand."""
    first = parse(starter)
    size = num_players * (7 if num_players == 2 else 5)
    plain = [card for card in range(52) if card // 4 != 6 and card not in first][::-1][:size]
    return started(cards.text([*plain, *first], joker_kinds=True), dealer, num_players, seed, **options)


def play(env: CardGameEnv, *texts: str) -> None:
    """Actions by their labels; a card alone is played."""
    for text in texts:
        words = text.split()
        single = len(words) == 1 and text not in ("draw", "pass", "redeal")
        env.step(env.action_from_label(f"play {text}" if single else text))


def labels(env: CardGameEnv) -> set[str]:
    """What is legal; to play a card is the card alone."""
    return {env.action_label(action).removeprefix("play ") for action in env.legal_actions()}


def plays(env: CardGameEnv) -> set[str]:
    """The cards that can be played."""
    return {env.action_label(action).removeprefix("play ") for action in env.legal_actions() if action < 66}


def field(env: CardGameEnv, name: str) -> Any:
    return env.record[name][0].tolist()


def hand(env: CardGameEnv, seat: int) -> str:
    return cards.text(sorted(env.zones()[f"hand/{seat}"]), joker_kinds=True)


def payoffs(env: CardGameEnv) -> list[float]:
    return [round(float(reward), 4) for reward in env.rewards.values()]


def is_over(env: CardGameEnv) -> bool:
    return not env.legal_actions()
