"""Games of the registry are found by name where PettingZoo's users look for them."""

from __future__ import annotations

import importlib
import pickle

import pettingzoo
import pytest
from support import Case, each_game
from wilddeck.envs.registration import registry_id


@each_game
def test_made_by_name(case: Case) -> None:
    """The registry of PettingZoo gives the same game as `wilddeck.make`, also without the version."""
    if not hasattr(pettingzoo, "make"):
        pytest.skip("PettingZoo has a registry from 1.27 on")
    name = registry_id(case.game_id)
    for made in (pettingzoo.make("aec", name), pettingzoo.make("aec", name.rpartition("-")[0]), case.wrapped()):
        made.reset(seed=4)
        assert made.unwrapped.game is case.game
        assert made.metadata["name"] == case.game_id
        assert made.metadata["is_parallelizable"] is False
    for made in (pettingzoo.make("parallel", name), pettingzoo.make("parallel", name.rpartition("-")[0])):
        assert made.unwrapped.reset(seed=4)[0].keys() == set(case.parallel().possible_agents)
        assert made.unwrapped.game is case.game


@each_game
def test_module_as_pettingzoo_users_expect(case: Case) -> None:
    module = importlib.import_module(f"wilddeck.envs.{case.game_id}")
    for function, kind in ((module.env, "AEC"), (module.raw_env, "AEC"), (module.parallel_env, "parallel")):
        assert pickle.loads(pickle.dumps(function)) is function
        assert function.__doc__.startswith(f"Make a PettingZoo {kind} environment")
    assert module.env(**dict(case.options)).unwrapped.game is case.game
    assert module.raw_env().unwrapped.game is module.parallel_env().game is case.game
