"""Plays saved games on and gives a digest of every step: in this process, and interpreted in one that spoils the global
generators all the time.

Lines on standard input: a case as JSON [id, items of options, games], each game a pickle of its state in hexadecimal (a save
would be played again, which takes interpreted rules a second).
"""

from __future__ import annotations

import hashlib
import json
import pickle
import random
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
import wilddeck

STEPS = 4


def poison(number: int) -> None:
    """Other global random generators after every step must make no difference."""
    random.seed(number)
    np.random.seed(number)  # the very generator that no game may use


def digests(game_id: str, options: dict[str, Any], saves: list[bytes], poisoned: bool) -> list[str]:
    """A digest of each state on the way, of all that is seen in it and of determinizations."""
    env = wilddeck.envs.raw_env(game_id, **options)
    lines = []

    def note() -> None:
        digest = hashlib.sha256(env.record.tobytes())
        for seat in {env.current_player, len(lines) % env.num_players}:
            agent = f"player_{seat}"
            seen = env.observe(agent)
            for part in (seen["observation"], seen["action_mask"], env.determinize(agent, 17 + seat).record):
                digest.update(part.tobytes())
        digest.update(repr((env.describe(), env.zones(), [env.action_label(a) for a in env.legal_actions()[:20]])).encode())
        digest.update(repr((env.agent_selection, env.rewards, env.terminations)).encode())
        lines.append(digest.hexdigest()[:16])

    for number, save in enumerate(saves):
        draw = random.Random(number)
        env.__setstate__(pickle.loads(save))
        for step in range(STEPS):
            note()
            legal = env.legal_actions()
            if not legal:
                break
            env.step(draw.choice(legal))
            if poisoned:
                poison(step)
        env.reset(seed=number)
        note()
    return lines


def batch_digest(game_id: str, options: dict[str, Any], steps: int) -> str:
    """A digest of a batch that is stepped."""
    digest = hashlib.sha256()
    batch = wilddeck.make_batch(game_id, 2, seed=5, **options)
    for _ in range(steps):
        batch.step(batch.random_actions())
        for part in (batch.observation, batch.action_mask, batch.rewards, batch.terminated, batch.current_player):
            digest.update(part.tobytes())
    digest.update(batch.states.tobytes())
    return digest.hexdigest()[:16]


def report(game_id: str, items: Iterable[tuple[str, Any]], saves: list[bytes], poisoned: bool = False) -> str:
    """The line that `main` prints."""
    options = dict(items)
    parts = [game_id, json.dumps(options), *digests(game_id, options, saves, poisoned), batch_digest(game_id, options, 8)]
    return " ".join(parts)


def main() -> None:
    poison(20261121)
    for line in sys.stdin:
        game_id, items, saves = json.loads(line)
        print(report(game_id, items, [bytes.fromhex(save) for save in saves], poisoned=True))
