"""Positions of hearts, written as cards, and what is done in them, written as texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from support import see_anew
from support import seen as seen
from wilddeck import cards
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended import tricks
from wilddeck.envs.core.extended.sets import NO_CARD, SUIT, set_of
from wilddeck.envs.games.hearts.state import PLAY

GAME = find_game("hearts_v0")
WIN, LOSE = "win with the Joker", "lose with the Joker"
CLAIM, DECLINE = "claim the lead", "decline the lead"
RED = "2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah"
ALL_HEARTS = f"{RED} Dr-h Rv-h Sk-h"
parse = cards.parse
_OPTIONS = {name for name, *_ in GAME.options.table()}


def dealt(hands: list[str], pile: str = "", **options: Any) -> CardGameEnv:
    """A hand at its beginning, without a pass unless one is asked for, see `deck_of_hands`."""
    env = raw_env("hearts_v0", **{"passing": "hold", **options})
    env.reset(seed=0, options={"deck": deck_of_hands(hands, pile, env.options.deck == "standard")})
    return env


def deck_of_hands(hands: list[str], pile: str = "", standard: bool = False) -> list[int]:
    """A deck that deals these cards and has these on top of the pile. Hands are filled up with other cards: of suits that are
    not named in the hand, as far as there are any, clubs and then specials last, and never 2c or Jokers."""
    held = [parse(hands[seat]) if seat < len(hands) else [] for seat in range(4)]
    named = {card for hand in held for card in hand} | set(parse(pile))
    assert len(named) == sum(map(len, held)) + len(parse(pile)), "a card twice"
    order = [card for suit in (1, 3, 2, 0) for card in range(suit, 52, 4) if card != 0] + list(range(54, 66)) + [0, 52, 53]
    free = [card for card in order if card not in named and (card < 52 or not standard)]
    for hand in held:
        suits = {int(SUIT[card]) for card in hand}
        while len(hand) < 13:
            hand.append(next((card for card in free if card < 52 and SUIT[card] not in suits), free[0]))
            free.remove(hand[-1])
    return [held[k % 4][k // 4] for k in range(52)] + parse(pile) + free


def arranged(hands: list[str], leader: int = 0, pile: str = "", **values: Any) -> CardGameEnv:
    """A hand in which the seats hold these cards and `leader` leads the next trick, as many being left as the longest hand has
    cards; the pile lies as given, top first. `won` are the cards won by each seat, `aside` specials redealt; all others were
    played and nobody won them. Other `values` are options and fields of the record."""
    fields = {name: values.pop(name) for name in list(values) if name not in _OPTIONS}
    won = [parse(text) for text in fields.pop("won", [])] + [[]] * 4
    aside = parse(fields.pop("aside", ""))
    env = raw_env("hearts_v0", **{"passing": "hold", **values})
    env.reset(seed=0)
    record = env.record[0]
    held, drawn = [parse(hand) for hand in hands], parse(pile)
    named = [*drawn, *aside, *(card for hand in [*held, *won] for card in hand)]
    assert len(set(named)) == len(named), "a card twice"
    gone = [card for card in GAME.deck(env.options) if card not in named]
    record["hand"] = np.array([set_of(hand) for hand in held])
    record["won"] = np.array([set_of(ids) for ids in won[:4]])
    record["played"] = 0
    record["played"][0] = set_of(gone) | record["won"][0] | record["won"][1] | record["won"][2] | record["won"][3]
    record["dead"] = set_of(gone)
    record["aside"] = sum(1 << (card - 54) for card in aside)
    record["deck"] = 0
    record["deck"][: len(drawn)] = drawn
    record["pile_at"], record["pile_end"] = 0, len(drawn)
    record["phase"], record["question"], record["declared"] = PLAY, tricks.PLAY, NO_CARD
    record["turn"] = record["leader_due"] = record["current_player"] = leader
    record["opener"] = record["asked"] = 0
    record["claim"] = record["trick_size"] = record["trick_card"] = record["trick_seat"] = 0
    record["out"] = 0
    record["tricks_done"] = 13 - max(map(len, held))
    for name, value in fields.items():
        record[name] = value
    env.agent_selection = env.possible_agents[leader]
    see_anew(env)
    return env


def ended(won: list[str], left: tuple[str, ...] = ("",) * 4, pile: str = "", last: int = 0, **values: Any) -> CardGameEnv:
    """A hand played to its end, in which these cards were won and those in `left` stay in hands. In the last trick all but the
    player `last` are skipped, and they win a club. Rewards are as OpenSpiel has them unless said otherwise."""
    clubs = ("3c", "4c", "5c", "6c")
    hands = [f"{club} {rest}" for club, rest in zip(clubs, left, strict=True)]
    before = [int(bool(taken)) for taken in [*won, "", "", "", ""][:4]]
    skip = [int(seat != last) for seat in range(4)]
    fields = {"tricks_done": 12, "skip": skip, "tricks": before, **values}
    if fields.get("match") != "match":
        fields.setdefault("reward", "openspiel")
    return play(arranged(hands, last, pile, won=won, **fields), clubs[last])


def play(env: CardGameEnv, *texts: str) -> CardGameEnv:
    """Actions by their labels; a card alone is played or passed. "2: Qs" says that it is the turn of player 2."""
    for text in texts:
        seat, colon, rest = text.partition(": ")
        if colon:
            assert env.current_player == int(seat), f"{text!r}, but player {env.current_player} is to move"
            text = rest
        verb = "pass" if field(env, "phase") == 0 else "play"
        env.step(env.action_from_label(text if " " in text or text == "redeal" else f"{verb} {text}"))
    return env


def labels(env: CardGameEnv) -> set[str]:
    """What is legal; to play or pass a card is the card alone."""
    return {env.action_label(action).removeprefix("play ").removeprefix("pass ") for action in env.legal_actions()}


def cards_of(text: str) -> set[str]:
    return set(text.split())


def field(env: CardGameEnv, name: str) -> Any:
    return env.record[name][0].tolist()


def won(env: CardGameEnv, seat: int) -> set[str]:
    """The cards a seat has won, by the observation."""
    cards_won = [card for card, there in enumerate(seen(env, seat, "won")[:66]) if there]
    return set(cards.text(cards_won, joker_kinds=True).split())


def told(env: CardGameEnv, seat: int | None = None) -> list[str]:
    """The history of a seat, as sentences."""
    return [event.text() for event in env.history(None if seat is None else f"player_{seat}")]


def points(env: CardGameEnv) -> list[float]:
    """The points at the end of a hand, from the rewards as OpenSpiel has them."""
    return [26 - reward for reward in env.rewards.values()]
