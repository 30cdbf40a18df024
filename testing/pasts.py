"""Replays of the hand in progress: as it was, and in determinizations for a seat."""

from __future__ import annotations

import numpy as np

from ..envs.core.cards import DECK_66
from ..envs.core.jit import only_interpreted
from .cases import Case
from .checks import check, expect, same

STEPS = 16


@check("step", scope="slow")
def check_the_truth_played_again_is_the_truth(case: Case) -> None:
    """A replay gives every record and event; with the true cards, the others' actions are legal, and it ends in the truth."""
    with only_interpreted():
        env = case.raw()
        env.reset(seed=case.seed)
        rng, moves = np.random.default_rng(case.seed), list[tuple[int, int, int]]()
        for _ in range(STEPS):
            if not env.is_over:
                legal = env.legal_actions()
                moves.append((env.current_player, int(rng.choice(legal)), len(legal)))
                env.step(moves[-1][1])
            past, viewer = env.past, env.current_player
            played = None if past is None else past._play(viewer)
            if past is None or not past.actions or played is None or env.is_over:
                continue
            same(played.now[0], env.record[0], "replayed, the hand reaches a different state", env)
            env.history()
            rows = [tuple(row) for rows in played.told for row in rows.tolist()]
            good = env._history is not None and rows == [tuple(row) for row in env._history.rows[-len(rows) :]]
            expect(good, "replayed, the hand has different events", env)
            if len(set(env.game.deck(env.options))) < len(env.game.deck(env.options)):
                continue
            hand = moves[-len(past.actions) :]
            choices = iter([action for player, action, number in hand if player != viewer and number > 1])

            def choose(rows: np.ndarray, observation: np.ndarray, mask: np.ndarray, alike: np.ndarray) -> np.ndarray:
                action = next(choices)  # noqa: B023 - called at once
                good = mask[0, action] and alike[0, action]
                expect(good, f"replayed, action {action} of another player is illegal or looks different", env)
                return np.array([action])

            maps = np.tile(np.arange(DECK_66, dtype=np.uint8), (len(played.told), 1, 1))
            possible, looks_same, _ = past._play_worlds(played, maps, np.ones(1, np.uint64), viewer, 0, choose)
            expect(possible.all(), "replayed with the true cards, the hand is impossible", env)
            expect(looks_same.all(), "replayed with the true cards, the hand looks different", env)
            expect(next(choices, None) is None, "replayed with the true cards, the others have fewer decisions", env)
