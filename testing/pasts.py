"""Replays of the hand in progress: as it was, and in determinizations for a seat."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..envs.core.aec import CardGameEnv
from ..envs.core.cards import DECK_66
from ..envs.core.jit import only_interpreted
from .cases import Case
from .checks import check, expect, same

STEPS = 16


@check("step", scope="slow")
def check_the_truth_played_again_is_the_truth(case: Case) -> None:
    """A replay gives every record and event; with the true cards, the others' actions are legal."""
    with only_interpreted():
        env = case.raw()
        env.reset(seed=case.seed)
        rng = np.random.default_rng(case.seed)
        for _ in range(STEPS):
            if not env.is_over:
                env.step(int(rng.choice(env.legal_actions())))
            past = env.past
            played: Any = past and past._play()
            if past is None or not past.actions or played is None or env.is_over:
                continue
            states, told, order = played
            same(states[-1], env.record[0], "replayed, the hand reaches a different state", env)
            env.history()
            rows = [tuple(row) for rows in told for row in rows.tolist()]
            good = env._history is not None and rows == [tuple(row) for row in env._history.rows[-len(rows) :]]
            expect(good, "replayed, the hand has different events", env)
            if len(set(env.game.deck(env.options))) < len(env.game.deck(env.options)):
                continue
            maps, possible = [np.arange(DECK_66, dtype=np.uint8)[None]], np.ones(1, np.uint8)
            seen = past._play_worlds(states, told, order, maps, [0] * len(states), env.current_player, possible, 0)
            for action, (_, _, mask, alike) in zip(others_actions(env, states), seen, strict=True):
                good = mask[0, action] and alike[0, action]
                expect(good, f"replayed, action {action} of another player is illegal or looks different", env)
            expect(possible.all(), "replayed with the true cards, the hand is impossible", env)


def others_actions(env: CardGameEnv, states: np.ndarray) -> list[int]:
    assert env.past is not None
    movers = states["current_player"][:-1]
    return [action for action, mover in zip(env.past.actions, movers, strict=True) if mover != env.current_player]
