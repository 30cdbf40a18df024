"""PettingZoo's usual wrappers, as the suite's environments need them."""

from __future__ import annotations

import copy
from typing import Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

from .aec import ILLEGAL_REWARD, CardGameEnv


class TerminateIllegal(TerminateIllegalWrapper):
    """PettingZoo's wrapper that ends the game on an illegal action; an action outside the space is illegal too.

    It acts on the environment itself, which knows what is legal: PettingZoo's releases differ in what a wrapper keeps.
    """

    env: CardGameEnv

    def __copy__(self) -> TerminateIllegal:
        return copy.deepcopy(self)  # two that share an environment would play the same game

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
    """PettingZoo's wrapper against calls out of order; a step after the end is an error too, and a loaded game has begun.

    What a loop asks all the time is answered by the environment itself, not through one wrapper after the other.
    """

    def __init__(self, env: TerminateIllegal) -> None:
        super().__init__(env)
        self._raw = env.env

    def __copy__(self) -> OrderEnforcing:
        return copy.deepcopy(self)

    @property
    def unwrapped(self) -> CardGameEnv:
        """The environment itself, with all that goes beyond PettingZoo."""
        return self._raw

    @property
    def _has_reset(self) -> bool:
        return self._raw.has_begun

    @_has_reset.setter
    def _has_reset(self, value: bool) -> None:
        """The environment itself knows."""

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
    """The usual wrappers: an illegal action ends the game and costs `ILLEGAL_REWARD`; calls out of order are errors."""
    return OrderEnforcing(TerminateIllegal(env, illegal_reward=ILLEGAL_REWARD))
