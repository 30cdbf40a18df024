"""PettingZoo's usual wrappers, adapted to the environments of this package."""

from __future__ import annotations

import copy
from typing import Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

from .aec import ILLEGAL_REWARD, CardGameEnv


class TerminateIllegal(TerminateIllegalWrapper):
    """PettingZoo's wrapper that ends the game on an illegal action; an action outside the space is illegal too.

    It works on the environment itself, which knows the legal actions, because PettingZoo's releases differ in what wrappers
    store.
    """

    env: CardGameEnv

    def __copy__(self) -> TerminateIllegal:
        return copy.deepcopy(self)  # two copies that share an environment would play the same game

    def observe(self, agent: str) -> Any:
        return self.env.observe(agent)

    def step(self, action: Any) -> None:
        raw = self.env
        agent = raw.agent_selection
        if raw.terminations[agent] or raw.truncations[agent] or raw.is_legal(action):
            raw.step(action)
            return
        raw.forfeit()


class OrderEnforcing(OrderEnforcingWrapper):
    """PettingZoo's wrapper against calls out of order. A step after the end is an error too, and a loaded game counts as begun.

    Frequent queries go directly to the environment, not through each wrapper.
    """

    def __init__(self, env: TerminateIllegal) -> None:
        super().__init__(env)
        self._raw = env.env

    def __copy__(self) -> OrderEnforcing:
        return copy.deepcopy(self)

    @property
    def unwrapped(self) -> CardGameEnv:
        """The unwrapped environment, with all methods beyond PettingZoo's."""
        return self._raw

    @property
    def _has_reset(self) -> bool:
        return self._raw.has_begun

    @_has_reset.setter
    def _has_reset(self, value: bool) -> None:
        """Taken from the environment."""

    @property
    def agents(self) -> list[str]:
        return self._raw.agents if self._raw.has_begun else self.__getattr__("agents")  # which raises

    @property
    def agent_selection(self) -> str:
        return self._raw.agent_selection if self._raw.has_begun else self.__getattr__("agent_selection")

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self._raw.last(observe) if self._raw.has_begun else super().last(observe)

    def step(self, action: Any) -> None:
        if self._raw.has_begun and not self._raw.agents:
            self._raw.step(action)  # raises
        super().step(action)

    def _repr_svg_(self) -> str | None:
        return self._raw._repr_svg_()


def wrap(env: CardGameEnv) -> OrderEnforcing:
    """Apply the usual wrappers: an illegal action ends the game and costs `ILLEGAL_REWARD`; calls out of order are errors."""
    return OrderEnforcing(TerminateIllegal(env, illegal_reward=ILLEGAL_REWARD))
