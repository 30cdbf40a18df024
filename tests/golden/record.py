"""Records the golden playthroughs: `python tests/golden/record.py [GAME ...]` writes tests/golden/<game>.json anew.

Do so when play is meant to change, read the difference, and bump the version of a game whose play has changed.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from pathlib import Path
from typing import Any

import wilddeck
from wilddeck.envs import game as find_game

FOLDER = Path(__file__).resolve().parent
SEED = 2026
A_LINE = 12  # labels in a line of the file
BETWEEN = " | "


def golden_path(game_id: str) -> Path:
    return FOLDER / f"{game_id}.json"


def play(game_id: str, options: dict[str, Any], seed: int, labels: list[str] | None = None) -> dict[str, Any]:
    """Plays a game by `labels`, or at random, to the end. The digest covers what every seat saw, and all rewards."""
    env = wilddeck.envs.raw_env(game_id, **options)
    env.reset(seed=seed)
    draw, played, digest = random.Random(seed), [], hashlib.sha256()
    returns = dict.fromkeys(env.possible_agents, 0.0)
    while env.legal_actions() and (labels is None or len(played) < len(labels)):
        action = draw.choice(env.legal_actions()) if labels is None else env.action_from_label(labels[len(played)])
        played.append(env.action_label(action))
        for agent in env.possible_agents:
            seen = env.observe(agent)
            digest.update(seen["observation"].tobytes() + seen["action_mask"].tobytes())
        env.step(action)
        digest.update(repr(sorted(env.rewards.items())).encode())
        for agent, reward in env.rewards.items():
            returns[agent] += reward
    return {
        "options": options,
        "seed": seed,
        "labels": played,
        "ended": not env.legal_actions(),
        "returns": [round(value, 6) for value in returns.values()],
        "digest": digest.hexdigest(),
    }


def playthroughs(game_id: str) -> list[dict[str, Any]]:
    """A game of the default options, and one of the fewest players with the other samples of its options."""
    options = find_game(game_id).options
    defaults = vars(options())
    fewest = min(options.samples()[1:], key=lambda sample: sample.num_players)
    changed = {name: value for name, value in vars(fewest).items() if value != defaults[name]}
    return [play(game_id, {}, SEED), play(game_id, changed, SEED + 1)]


def main(chosen: list[str]) -> None:
    for game_id in chosen or wilddeck.games():
        games = playthroughs(game_id)
        for playthrough in games:
            labels = playthrough["labels"]
            playthrough["labels"] = [BETWEEN.join(labels[start : start + A_LINE]) for start in range(0, len(labels), A_LINE)]
        golden_path(game_id).write_text(json.dumps(games, indent=1) + "\n", encoding="utf-8")
        print(f"{golden_path(game_id).name}: {len(games)} games")


if __name__ == "__main__":
    main(sys.argv[1:])
