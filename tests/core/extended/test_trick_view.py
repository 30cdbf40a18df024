"""Derived features of trick games: who wins the trick, which cards would, higher and lower cards that are left."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from core.extended import toy_tricks
from support import see_anew, seen
from wilddeck import cards
from wilddeck.envs import game
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended.sets import set_of
from wilddeck.envs.core.extended.tricks import FIXED, WINS

JOKERS, FIRST_SPECIAL = (52, 53), 54
SPADES = 3


def suit_of(card: int) -> int:
    return (card - FIRST_SPECIAL if card >= FIRST_SPECIAL else card) % 4


def best(suited: list[int], led: int, trump: int | None) -> int | None:
    """The card that takes a trick of these, Jokers left out: of the trumps if there are any, else of the led suit, the highest
    standard card, or a special that is alone (ED-75)."""
    trumps = [card for card in suited if suit_of(card) == trump]
    rivals = trumps or [card for card in suited if suit_of(card) == led]
    standard = [card for card in rivals if card < 52]
    return max(standard) if standard else rivals[0] if len(rivals) == 1 else None


def trump_of(env: CardGameEnv) -> int | None:
    if env.game.id == "spades_v0":
        return SPADES
    if env.game.id == "bridge_v0":
        strain = np.array(seen(env, 0, "strain")).argmax()
        return int(strain) if strain < 4 else None
    return {"c": 0, "d": 1, "h": 2, "s": 3}.get(getattr(env.options, "trump", ""))


def ids(env: CardGameEnv, seat: int, name: str) -> list[int]:
    return np.flatnonzero(seen(env, seat, name)).tolist()


def check(env: CardGameEnv, viewer: int) -> None:
    hand, claims = ids(env, viewer, "hand"), env.record["claim"][0].tolist()
    if env.game.id == "bridge_v0" and seen(env, viewer, "declarer")[0] and seen(env, viewer, "exposed")[0]:
        hand += ids(env, viewer, "dummy")
    trick = {k: np.flatnonzero(cards) for k, cards in enumerate(np.array(seen(env, viewer, "trick_cards")).reshape(4, 66))}
    by_card = {int(card[0]): seat for seat, card in trick.items() if len(card)}
    gone = {*by_card, *np.flatnonzero(np.array(seen(env, viewer, "played")).reshape(4, 66).any(axis=0)).tolist()}
    winning, takes = np.zeros(4), np.zeros(66)
    if any(seen(env, viewer, "led_suit")):
        led, trump = int(np.array(seen(env, viewer, "led_suit")).argmax()), trump_of(env)
        if FIXED in claims:  # it is the declared card (HE-13)
            joker = next(card for card in by_card if card in JOKERS)
            by_card[ids(env, viewer, "declared")[0]] = by_card.pop(joker)
        suited = [card for card in by_card if card not in JOKERS]
        if WINS in claims:
            winning[(int(env.record["trick_seat"][0, claims.index(WINS)]) - viewer) % 4] = 1
        elif (winner := best(suited, led, trump)) is not None:
            winning[by_card[winner]] = 1
        takes[[card for card in hand if card not in JOKERS and best([*suited, card], led, trump) == card]] = 1
    assert seen(env, viewer, "winning") == winning.tolist()
    assert seen(env, viewer, "takes") == takes.tolist()
    higher, lower = np.zeros(52), np.zeros(52)
    for card in hand:
        if card < 52:
            others = [other for other in range(card % 4, 52, 4) if other not in gone and other not in hand]
            higher[card] = 1 / (1 + sum(other > card for other in others))
            lower[card] = 1 / (1 + sum(other < card for other in others))
    assert seen(env, viewer, "higher") == pytest.approx(higher.tolist())
    assert seen(env, viewer, "lower") == pytest.approx(lower.tolist())


@pytest.mark.rule("ED-75")
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("hearts_v0", {}),
        ("hearts_v0", {"deck": "standard"}),
        ("spades_v0", {}),
        ("bridge_v0", {}),
        ("bridge_v0", {"deck": "standard"}),
        ("toy", {"trump": "h"}),
    ],
    ids=str,
)
def test_what_follows_from_the_cards_of_a_trick(name: str, options: dict[str, Any]) -> None:
    table = toy_tricks.GAME if name == "toy" else game(name)
    env, draw, looked = CardGameEnv(table, table.make_options(options)), random.Random(3), 0
    for seed in range(6):
        env.reset(seed=seed)
        while not env.is_over:
            if draw.random() < 0.3:
                looked += 1
                check(env, draw.randrange(4))
            env.step(draw.choice(env.legal_actions()))
    assert looked > 50


@pytest.mark.rule("ED-75")
@pytest.mark.parametrize("follow", ["", "Sk-d", "Sk-d Dr-h", "Dr-h Sk-h", "2d Dr-h 5h"])
def test_specials_win_tricks_alone(follow: str) -> None:
    env = CardGameEnv(toy_tricks.GAME, toy_tricks.Options(trump="h"))
    env.reset(seed=0)
    record, trick = env.record[0], cards.parse(f"Dr-d {follow}")
    record["hand"] = 0
    record["hand"][3] = set_of(cards.parse("2d 3d 9d Rv-d 4h 9h Rv-h 2s"))
    record["trick_size"], record["question"] = len(trick), 1
    for k, card in enumerate(trick):
        record["trick_card"][k], record["trick_seat"][k] = card, k
    see_anew(env)
    check(env, 3)
