"""What an observation of rummy says beyond the cards: melds, outs, and what discards save, beside slow definitions."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from games import rummy_melds_reference as slow
from games.rummy_positions import arranged
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

JOKER = 52
ACE_HIGH = {"low": 0, "both": 1}


def block(env: CardGameEnv, seat: int, name: str) -> np.ndarray:
    return env.observe(f"player_{seat}")["observation"][env.observation_layout[name]]


def ids(env: CardGameEnv, seat: int, name: str) -> list[int]:
    return np.flatnonzero(block(env, seat, name)).tolist()


def melded(hand: list[int], rules: slow.Rules) -> set[int]:
    """The cards of some natural standard cards that are in a meld."""
    return {card for _, meld, _ in slow.melds_of(tuple(sorted(hand)), 0, rules) for card in meld}


def check_melds(env: CardGameEnv, viewer: int) -> None:
    rules = slow.LAID[ACE_HIGH[env.options.ace]]
    hand = [card for card in ids(env, viewer, "hand") if card < 52]
    known = [card for card in ids(env, viewer, "known") if card % 66 < 52]
    table = [card for slot in range(int(env.record["melds"][0])) for card in env.zones()[f"meld/{slot}"]]
    seen = {*hand, *ids(env, viewer, "discards"), *table, *(card % 66 for card in known)}
    inside, outs = melded(hand, rules), np.zeros(52)
    for card in set(range(52)) - seen:
        outs[sorted(melded([*hand, card], rules) & set(hand) - inside)] += 1
    assert set(ids(env, viewer, "melded")) == inside
    assert (block(env, viewer, "outs") * 4).tolist() == outs.tolist()
    top = [card for card in ids(env, viewer, "top_discard") if card < 52]
    assert block(env, viewer, "top_melds") == any(card in melded([*hand, card], rules) for card in top)


def check_deadwood(env: CardGameEnv, viewer: int) -> None:
    hand = tuple(card for card in ids(env, viewer, "hand") if card != JOKER)
    jokers, tops = int(block(env, viewer, "hand")[JOKER] * 2), ids(env, viewer, "top_discard")
    least, saved, with_top = slow.least_deadwood(hand, jokers), np.zeros(66), 0
    if env.record["turn"][0] == viewer:
        if env.record["drawn"][0] >> viewer & 1:
            for card in hand:
                saved[card] = max(least - slow.least_deadwood(slow.without(hand, (card,)), jokers), 0)
            if jokers:
                saved[JOKER] = max(least - slow.least_deadwood(hand, jokers - 1), 0)
        elif tops:
            more = tuple(sorted([*hand, *(top for top in tops if top != JOKER)]))
            after = [slow.least_deadwood(slow.without(more, (card,)), jokers + (tops == [JOKER])) for card in more]
            with_top = max(0, least - min(after))
    assert (block(env, viewer, "saved") * 10).tolist() == pytest.approx(saved.tolist())
    assert block(env, viewer, "top_saves") * 10 == pytest.approx(with_top)


def walk(options: dict[str, Any], check: Any, games: int, often: float) -> int:
    env, draw, looked = raw_env("rummy_v0", **options), random.Random(4), 0
    for seed in range(games):
        env.reset(seed=seed)
        while not env.is_over:
            if draw.random() < often:
                looked += 1
                check(env, int(env.record["current_player"][0]) if draw.random() < 0.7 else draw.randrange(env.num_players))
            env.step(draw.choice(env.legal_actions()))
    return looked


@pytest.mark.rule("RM-10", "RM-11")
@pytest.mark.parametrize("options", [{}, {"ace": "both", "num_players": 4}, {"variant": "gin", "deck": "standard"}], ids=str)
def test_melds_and_outs(options: dict[str, Any]) -> None:
    assert walk(options, check_melds, games=3, often=0.1) > 10


@pytest.mark.rule("RM-14", "RM-60", "RM-61", "RM-62")
@pytest.mark.parametrize("options", [{"variant": "gin"}, {"variant": "gin", "deck": "standard"}], ids=str)
def test_what_discards_save(options: dict[str, Any]) -> None:
    assert walk(options, check_deadwood, games=6, often=0.25) > 20


@pytest.mark.parametrize(
    ("hand", "top"),
    [
        ("2c 3c 4c 8d 8h 8s Tc Jc Qc Kd", "Kc"),
        ("2c 3c 4c 8d 8h 8s Tc Jc 5h Kd", "Jk"),
        ("2c 3c 8d 8h Jk Tc Jc Qc Kd Ah", "8s"),
        ("2c 3c 8d 8h Jk Tc Jc Jk Kd Ah", "Ad"),
        ("Dr-c Dr-d 8d 8h 9h Tc Jc 2s Kd Ah", "Dr-h"),
    ],
)
def test_hands_close_to_knocking(hand: str, top: str) -> None:
    before = arranged([hand, "2d 3d 4d 5d 6d 7d 9d Td Jd Qd"], top, drawn=False, variant="gin")
    after = arranged([f"{hand} {top}", "2d 3d 4d 5d 6d 7d 9d Td Jd Qd"], "5s", variant="gin")
    for env in (before, after):
        check_melds(env, 0)
        check_deadwood(env, 0)


def test_contract_rummy_has_none_of_it() -> None:
    env = raw_env("rummy_v0", variant="contract")
    env.reset(seed=1)
    assert not any(block(env, 0, name).any() for name in ("melded", "outs", "top_melds", "saved", "top_saves"))
