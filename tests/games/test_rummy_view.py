"""Derived features of rummy: melds and outs, beside slow definitions."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from games import rummy_melds_reference as slow
from support import seen
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

ACE_HIGH = {"low": 0, "both": 1}


def ids(env: CardGameEnv, seat: int, name: str) -> list[int]:
    return np.flatnonzero(seen(env, seat, name)).tolist()


def melded(hand: list[int], rules: slow.Rules) -> set[int]:
    """The cards of some natural standard cards that are in a meld."""
    return {card for _, meld, _ in slow.melds_of(tuple(sorted(hand)), 0, rules) for card in meld}


def check_melds(env: CardGameEnv, viewer: int) -> None:
    rules = slow.LAID[ACE_HIGH[env.options.ace]]
    hand = [card for card in ids(env, viewer, "hand") if card < 52]
    known = [card for card in ids(env, viewer, "known") if card % 66 < 52]
    table = [card for slot in range(int(env.record["melds"][0])) for card in env.zones()[f"meld/{slot}"]]
    visible = {*hand, *ids(env, viewer, "discards"), *table, *(card % 66 for card in known)}
    inside, outs = melded(hand, rules), np.zeros(52)
    for card in set(range(52)) - visible:
        outs[sorted(melded([*hand, card], rules) & set(hand) - inside)] += 1
    assert set(ids(env, viewer, "melded")) == inside
    assert (np.array(seen(env, viewer, "outs")) * 4).tolist() == outs.tolist()
    top = [card for card in ids(env, viewer, "top_discard") if card < 52]
    assert seen(env, viewer, "top_melds")[0] == any(card in melded([*hand, card], rules) for card in top)


@pytest.mark.parametrize("options", [{}, {"ace": "both", "num_players": 4}, {"variant": "gin", "deck": "standard"}], ids=str)
def test_melds_and_outs(options: dict[str, Any]) -> None:
    env, draw, looked = raw_env("rummy_v0", **options), random.Random(4), 0
    for seed in range(3):
        env.reset(seed=seed)
        while not env.is_over:
            if draw.random() < 0.1:
                looked += 1
                check_melds(env, draw.randrange(env.num_players))
            env.step(draw.choice(env.legal_actions()))
    assert looked > 10


def test_contract_rummy_has_none_of_it() -> None:
    env = raw_env("rummy_v0", variant="contract")
    env.reset(seed=1)
    assert not any(any(seen(env, 0, name)) for name in ("melded", "outs", "top_melds"))
