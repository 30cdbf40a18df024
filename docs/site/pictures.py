"""A picture of every game: what the player to move sees at a table of rule-based agents, always the same."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # a few moves are played sooner than compiled
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import numpy as np
import pygame
from wilddeck import agents
from wilddeck.agents.base import View
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.game import Game
from wilddeck.envs.core.render import Screen

SIZE = (1120, 700)
SEED = 7
MOVES = 40  # of a game are looked at


def draw(game: Game) -> bytes:
    """The picture of a game, as a JPEG: of the decisions the last one with the most to see."""
    env = max(enumerate(_decisions(game)), key=lambda numbered: (_to_see(numbered[1]), numbered[0]))[1]
    pixels = Screen("rgb_array", env.agent_selection, SIZE).draw(env)
    file = io.BytesIO()
    pygame.image.save(pygame.image.frombuffer(pixels.tobytes(), SIZE, "RGB"), file, "picture.jpg")
    return file.getvalue()


def _decisions(game: Game) -> Iterator[CardGameEnv]:
    env = raw_env(game)
    env.reset(seed=SEED)
    player, rng = agents.make("rules", game, env.options), np.random.default_rng(SEED)
    for _ in range(MOVES):
        if any(env.terminations.values()) or any(env.truncations.values()):
            return
        yield env.clone()
        env.step(player.act(View.of(env), rng))


def _to_see(env: CardGameEnv) -> int:
    """Places with cards that lie open."""
    return sum(any(card >= 0 for card in cards) for cards in env.zones(env.agent_selection).values())
