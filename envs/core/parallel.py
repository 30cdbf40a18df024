"""The PettingZoo parallel environment: the same turn-based games, for learners that step all agents at once."""

from __future__ import annotations

import copy
import functools
import logging
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from .aec import CardGameEnv, UnknownAgentError
from .game import Game, Options, as_record

logger = logging.getLogger("wilddeck")

Observations = dict[str, dict[str, np.ndarray]]
Infos = dict[str, dict[str, Any]]


class CardGameParallelEnv(ParallelEnv):
    """A PettingZoo parallel environment for one game at a time.

    A step is one move, or one move of each seat if several choose simultaneously (`Game.at_once`). Every agent gets an
    observation and may send an action, but only the actions of players to move are played; the others are ignored, whatever
    they are (a message says so once). The masks show who is to move: those of other agents are all zeros. An illegal action of
    a player to move ends the game with `ILLEGAL_REWARD` for that player, as in `wilddeck.make`. All agents stay until the
    episode ends, and then `agents` is empty.

    Observations, spaces, options and render modes are those of `CardGameEnv`; `infos[agent]["action_mask"]` is the mask of the
    observation. `raw_env` is the underlying `CardGameEnv`, with labels, zones, `save` and `load`.

    Raises:
        ValueError: the render mode is unknown.
    """

    def __init__(self, game: Game, options: Options, render_mode: str | None = None) -> None:
        self.raw_env = CardGameEnv(game, options, render_mode)
        self.game, self.options, self.render_mode = game, options, render_mode
        self.metadata = self.raw_env.metadata
        self.possible_agents = self.raw_env.possible_agents
        self.observation_spaces, self.action_spaces = self.raw_env.observation_spaces, self.raw_env.action_spaces
        self.state_space = self.raw_env.state_space

    @property
    def agents(self) -> list[str]:
        """All agents during a game, none before and after."""
        return [] if self.raw_env.is_over else list(self.possible_agents)

    def observation_space(self, agent: str) -> spaces.Space:
        """The observation space of an agent; raises UnknownAgentError, like `action_space`."""
        return self.raw_env.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Space:
        return self.raw_env.action_space(agent)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Observations, Infos]:
        """Start a game; arguments and errors are those of `CardGameEnv.reset`.

        Returns:
            Observations and infos, both by agent.
        """
        self.raw_env.reset(seed, options)
        return self._shown()

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Play the action of the player to move, or of all players that choose simultaneously.

        Args:
            actions: by agent; actions of the players to move are required.

        Returns:
            Observations, rewards of this step, terminations, truncations and infos, by agent.

        Raises:
            ValueError: a player to move has no action, or an agent is unknown (UnknownAgentError); nothing has changed.
            RuntimeError: called before `reset` or after the end.
        """
        raw = self.raw_env
        if raw.is_over:
            raise RuntimeError("the game is over; call reset()" if raw.has_begun else "call reset() before step()")
        movers = [self.possible_agents[seat] for seat in raw.game.choosing(as_record(raw.record))]
        for mover in movers:
            if mover not in actions:
                raise ValueError(
                    f"{mover} is to move but has no action; actions are of: {', '.join(map(str, actions)) or 'nobody'}"
                )
        unknown = actions.keys() - raw.action_spaces.keys()
        if unknown:
            raise UnknownAgentError(f"there is no agent {min(map(str, unknown))!r}; agents: {', '.join(self.possible_agents)}")
        if len(actions) > len(movers):
            _say_which_action_counts()
        rewards = dict.fromkeys(self.possible_agents, 0.0)
        for mover in movers:
            if raw.is_over or raw.agent_selection != mover:
                break
            if raw.is_legal(actions[mover]):
                raw.step(actions[mover])
            else:
                raw.forfeit()
            rewards = {agent: reward + raw.rewards[agent] for agent, reward in rewards.items()}
        observations, infos = self._shown()
        return observations, rewards, dict(raw.terminations), dict(raw.truncations), infos

    def state(self) -> np.ndarray:
        """The full state, including hidden cards, as one float32 vector (see `state_space`)."""
        return self.raw_env.state()

    def render(self) -> Any:
        return self.raw_env.render()

    def close(self) -> None:
        self.raw_env.close()

    def __copy__(self) -> CardGameParallelEnv:
        return copy.deepcopy(self)  # two copies that share the inner environment would play the same game

    def __repr__(self) -> str:
        return f"<CardGameParallelEnv {self.game.id}, {len(self.possible_agents)} players>"

    def _shown(self) -> tuple[Observations, Infos]:
        """The observations and infos of all agents, in new arrays."""
        raw = self.raw_env
        seen = raw.views(range(raw.num_players))
        masks = np.zeros((raw.num_players, raw.num_actions), np.int8)
        if not raw.is_over:
            for seat, mask in raw.choosing().items():
                masks[seat] = mask
        observations = {
            agent: {"observation": view, "action_mask": mask}
            for agent, view, mask in zip(self.possible_agents, seen, masks, strict=True)
        }
        return observations, {agent: {"action_mask": observation["action_mask"]} for agent, observation in observations.items()}


@functools.cache
def _say_which_action_counts() -> None:
    """Log once per process: learners that step all agents at once always send an action for each."""
    logger.warning(
        "wilddeck: a parallel environment plays only the action of the player to move, whose mask is not all zeros; actions of "
        "other agents are ignored (logged once)"
    )
