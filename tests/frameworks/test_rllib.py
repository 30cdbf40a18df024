"""RLlib's environments and module; training itself is in the guide's code."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
import toy_game as toy
from support import output_of
from wilddeck import envs
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.credit import credit_rewards
from wilddeck.seats.single_seat import SingleSeatEnv
from wilddeck.seats.vector import SeatVectorEnv

pytest.importorskip("ray.rllib", reason="RLlib is not installed")
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from wilddeck.frameworks import rllib


def test_what_rllib_is_given_for_a_seat():
    config = {"game": "tennis_v0", "opponents": "rules", "num_players": 3}
    one, many = rllib.seats(config), rllib.seats({**config, "num_envs": 4})
    assert isinstance(one, SingleSeatEnv) and isinstance(many, SeatVectorEnv)
    assert one.observation_space == many.single_observation_space and set(one.observation_space) == {
        "observation",
        "action_mask",
    }
    assert many.num_envs == 4 and "NextStep" in str(many.metadata["autoreset_mode"].value)


def test_rllib_finds_nothing():
    check_multiagent_environments(rllib.TurnsEnv({"game": "tennis_v0", "illegal": "penalty"}))


def test_an_illegal_action_of_a_seat():
    """Costs all that can be lost, and ends the game; or it is an error."""
    env = rllib.TurnsEnv({"game": toy.GAME, "illegal": "penalty"})
    least = toy.GAME.return_range(toy.GAME.make_options({}))[0]
    lost = 0
    while lost < 10:
        earned, seen, over = dict.fromkeys(env.possible_agents, 0.0), env.reset()[0], False
        for choose in (np.argmax, np.argmax, np.argmin):  # the last is not legal
            if not over:
                (mover,) = seen
                seen, rewards, terminated, *_ = env.step({mover: int(choose(seen[mover]["action_mask"]))})
                over = terminated["__all__"]
                for name, reward in rewards.items():
                    earned[name] += reward
        assert over
        if choose is np.argmin and set(rewards) == {mover} == set(seen) and earned[mover] == least:
            lost += 1
    strict = rllib.TurnsEnv({"game": "tennis_v0"})
    ((mover, first),) = strict.reset(seed=1)[0].items()
    with pytest.raises(ValueError, match="cannot play action"):
        strict.step({mover: int(first["action_mask"].argmin())})
    with pytest.raises(ValueError, match="illegal='never' is not allowed"):
        rllib.TurnsEnv({"game": "tennis_v0", "illegal": "never"})


@pytest.mark.parametrize(("game", "options"), [(toy.GAME, {}), ("tennis_v0", {"num_players": 3})], ids=["toy", "tennis"])
def test_all_seats_are_the_game(game, options):
    """What a seat gets comes with its decisions, from the first on, and adds up to its return."""
    env = rllib.TurnsEnv({"game": game, **options})
    raw = CardGameEnv(*envs.resolve(game, options))
    undecided = 0
    for number in range(40):
        seed = 3 if number == 0 else None
        observations, _ = env.reset(seed=seed)
        raw.reset(seed=seed)
        earned, returns, over = dict.fromkeys(raw.possible_agents, 0.0), np.zeros(raw.num_players), False
        decided = set()
        while not over:
            (mover,) = observations
            assert mover == raw.agent_selection
            seen = raw.observe(mover)
            assert all((observations[mover][name] == seen[name]).all() for name in seen)
            action = int(seen["action_mask"].argmax())
            raw.step(action)
            returns += list(raw.rewards.values())
            decided.add(mover)
            observations, rewards, terminated, truncated, _ = env.step({mover: action})
            assert rewards.keys() == decided
            for name, reward in rewards.items():
                earned[name] += reward
            over = terminated["__all__"]
            assert not truncated["__all__"]
        assert observations.keys() == decided
        undecided += raw.num_players - len(decided)
        for name, value in zip(raw.possible_agents, returns, strict=True):
            assert earned[name] == pytest.approx(value if name in decided else 0)
    assert undecided or game != toy.GAME  # some seats of the toy game never move


def test_the_module_never_plays_what_is_not_legal():
    env = rllib.seats({"game": "tennis_v0", "num_envs": 64})
    module = rllib.MaskedModule(
        observation_space=env.single_observation_space, action_space=env.single_action_space, model_config={"hidden": (16,)}
    )
    seen = {name: torch.from_numpy(array) for name, array in env.reset(seed=1)[0].items()}
    with torch.no_grad():
        logits = module._forward({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
        assert module.compute_values({Columns.OBS: seen}).shape == (64,)
    assert (logits.softmax(1)[seen["action_mask"] == 0] == 0).all()
    assert [type(layer).__name__ for layer in module.policy] == ["Linear", "Tanh", "Linear"]


TWO_MODULES = """
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.random_rlm import RandomRLModule
from wilddeck.agents.play import play_game
from wilddeck.frameworks import rllib


def told(*asked):
    try:
        return rllib.agent_of(*asked).name
    except ValueError as error:
        return error


if __name__ == "__main__":
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    plain = RLModuleSpec(module_class=RandomRLModule)
    masked = RLModuleSpec(module_class=rllib.MaskedModule, model_config={"hidden": (8,)})
    several = (
        PPOConfig()
        .environment(rllib.TURNS, env_config={"game": "tennis_v0", "num_players": 2, "illegal": "penalty"})
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"first", "second", "plain"}, policy_mapping_fn=lambda agent, episode, **more: "first")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"first": masked, "second": masked, "plain": plain}))
        .build_algo()
    )
    one = rllib.ppo("tennis_v0", num_envs=2, num_players=2).build_algo()
    for asked in ((several,), (several, "default_policy"), (several, "plain"), (one, "second"), (one,)):
        print(told(*asked))
    play_game("tennis_v0", {"num_players": 2}, [rllib.agent_of(several, "first"), rllib.agent_of(several, "second")], 1)
    assert (rllib.agent_of(several, "first").vector != rllib.agent_of(several, "second").vector).any()
"""


def test_the_agents_of_several_modules():
    said = output_of(TWO_MODULES, RAY_raylet_start_wait_time_s="300").splitlines()
    assert [line for line in said if "module" in line or line == "rllib"] == [
        "this algorithm has several modules: name one; its modules: first, plain, second",
        "this algorithm has no module 'default_policy'; its modules: first, plain, second",
        "module 'plain' is a RandomRLModule, not a MaskedModule",
        "this algorithm has no module 'second'; its modules: default_policy",
        "rllib",
    ]


class Recorded(rllib.TurnsEnv):
    """Remembers what was played and paid, for all games one after another."""

    steps: ClassVar[list[tuple[int, int, list[float], bool]]] = []  # seat, action, rewards, whether the game ended

    def step(self, action_dict):
        seat = self.raw_env.current_player
        result = super().step(action_dict)
        over = result[2]["__all__"] or result[3]["__all__"]
        self.steps.append((seat, int(*action_dict.values()), list(self.raw_env.rewards.values()), over))
        return result


def test_rllib_credits_every_seat_with_what_its_decisions_brought():
    """What its own runner of many agents hands its learners, over cut episodes, is what `credit_rewards` finds."""
    config = (
        PPOConfig()
        .environment(Recorded, env_config={"game": toy.GAME, "num_players": 3}, disable_env_checking=True)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=1, rollout_fragment_length=7)
        .multi_agent(policies={"player"}, policy_mapping_fn=lambda agent, episode, **more: "player")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"player": RLModuleSpec(module_class=rllib.MaskedModule)}))
    )
    Recorded.steps.clear()
    runner = MultiAgentEnvRunner(config=config)
    given = {}  # by episode and agent: actions and rewards, chunk after chunk
    for _ in range(30):
        for episode in runner.sample(num_timesteps=7):
            for name, own in episode.agent_episodes.items():
                actions, rewards = given.setdefault(episode.id_, {}).setdefault(name, ([], []))
                actions += list(own.get_actions())
                rewards += list(own.get_rewards())
    seats, actions, rewards, dones = (np.array(column)[:, None] for column in zip(*Recorded.steps, strict=True))
    credit, start = credit_rewards(seats, rewards, dones), 0
    games = [end + 1 for end in np.flatnonzero(dones)]
    checked = 0
    for episode, end in zip(given.values(), games, strict=False):
        for seat, name in enumerate(f"player_{number}" for number in range(3)):
            own = start + np.flatnonzero(seats[start:end, 0] == seat)
            if not own.size:
                assert name not in episode or not episode[name][0]
                continue
            expected = credit.rewards[own, 0]
            expected[0] += rewards[start : own[0], 0, seat].sum()  # what came before its first decision comes with that
            assert episode[name][0] == actions[own, 0].tolist()
            assert episode[name][1] == pytest.approx(expected, abs=1e-5)
            checked += own.size
        start = end
    assert len(games) > 20 and checked > 100
