"""TorchRL's environments: TorchRL's own check, and step by step beside a batch and a Gymnasium vector."""

from __future__ import annotations

import numpy as np
import pytest
import toy_game as toy
import wilddeck
from wilddeck import envs
from wilddeck.envs.core.batch import Batch
from wilddeck.envs.core.credit import advantages, credit_rewards
from wilddeck.seats.vector import SeatVectorEnv

pytest.importorskip("torchrl")
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.data import LazyTensorStorage, TensorDictReplayBuffer
from torchrl.envs import ActionMask, Compose, InitTracker, StepCounter, TransformedEnv
from torchrl.envs.utils import check_env_specs
from torchrl.modules import RandomPolicy
from wilddeck.frameworks.torchrl import CreditGAE, CreditRewards, GroupEnv, SeatEnv, SelfPlayEnv

KINDS = (SelfPlayEnv, GroupEnv, SeatEnv)
each_kind = pytest.mark.parametrize("kind", KINDS)
GAMES = [(toy.GAME, {}), ("tennis_v0", {"num_players": 3}), ("hearts_v0", {})]


@each_kind
@pytest.mark.parametrize(("game", "options"), GAMES, ids=["toy", "tennis", "hearts"])
def test_torchrl_finds_nothing(kind, game, options):
    check_env_specs(kind(game, 8, seed=1, **options), seed=1)


def seat_of(env, seen):
    """Who is to move: observation, mask and seat, by row."""
    if not isinstance(env, GroupEnv):
        return seen["observation"], seen["action_mask"], seen["seat"]
    group = seen["player"]
    rows, seat = torch.arange(len(seen)), group["mask"].int().argmax(1)
    return group["observation"][rows, seat], group["action_mask"][rows, seat], seat


@pytest.mark.parametrize("kind", [SelfPlayEnv, GroupEnv])
def test_a_rollout_is_a_batch_played(kind):
    """Every entry, over hundreds of ends of games."""
    env = kind(toy.GAME, 6, seed=9)
    played = env.rollout(80, break_when_any_done=False)
    batch = Batch(toy.GAME, toy.GAME.make_options({}), 6, seed=9)
    for now in played.unbind(1):
        seen, legal, seat = seat_of(env, now)
        np.testing.assert_array_equal(seen.numpy(), batch.observation)
        np.testing.assert_array_equal(legal.numpy(), batch.action_mask)
        np.testing.assert_array_equal(seat.numpy(), batch.current_player)
        actions = now[env.action_at]
        if kind is GroupEnv:
            others = ~now["player", "mask"]
            assert now["player", "mask"].sum(1).tolist() == [1] * 6
            assert not now["player", "observation"][others].any() and now["player", "action_mask"][others].all()
            actions = actions[torch.arange(6), seat]
        batch.step(actions.numpy())
        rewards = now["next", "player", "reward"][..., 0] if kind is GroupEnv else now["next", "reward"]
        np.testing.assert_array_equal(rewards.numpy(), batch.rewards)
        over = now["next", "terminated"][:, 0]
        np.testing.assert_array_equal(over.numpy(), batch.terminated)
        assert torch.equal(now["next", "done"], now["next", "terminated"]) and not now["next", "truncated"].any()
        vectors = now["next", "player", "observation"] if kind is GroupEnv else now["next", "observation"]
        assert not vectors[over].any()
    assert played["next", "done"].sum() > 60


def test_a_seat_lives_what_it_lives_in_gymnasium():
    env = SeatEnv(toy.GAME, 5, "random", "rotate", seed=4)
    vector = SeatVectorEnv(toy.GAME, 5, "random", "rotate")
    played = env.rollout(60, break_when_any_done=False)
    observation, infos = vector.reset(seed=4)
    for now in played.unbind(1):
        np.testing.assert_array_equal(now["observation"].numpy(), observation)
        np.testing.assert_array_equal(now["action_mask"].numpy(), infos["action_mask"])
        np.testing.assert_array_equal(now["seat"].numpy(), infos["seat"])
        seats = infos["seat"]
        observation, rewards, terminated, _, infos = vector.step(now["action"].numpy())
        np.testing.assert_array_equal(now["next", "reward"][:, 0].numpy(), rewards)
        np.testing.assert_array_equal(now["next", "done"][:, 0].numpy(), terminated)
        for row in np.flatnonzero(terminated):
            np.testing.assert_array_equal(now["next", "observation"][row].numpy(), infos["final_obs"][row])
            assert now["next", "seat"][row] == seats[row]
    assert played["next", "done"].sum() > 40


@pytest.mark.parametrize("choices_only", [False, True])
@pytest.mark.parametrize("teams", [(), ((0, 2), (1, 3))], ids=["alone", "teams"])
def test_credit_is_that_of_the_recorded_steps(choices_only, teams):
    """A rollout of TorchRL, and the same actions in a batch, whose steps are credited by the suite; advantages, too."""
    env = SelfPlayEnv("hearts_v0", 6, seed=9)
    played = CreditRewards(choices_only, teams)(env.rollout(80, break_when_any_done=False))
    batch = Batch(*envs.resolve("hearts_v0", {}), 6, seed=9)
    seats, decisions, rewards, dones = [], [], [], []
    for now in played.unbind(1):
        seats.append(batch.current_player.copy())
        decisions.append(batch.action_mask.sum(axis=1) > 1)
        batch.step(now["action"].numpy())
        rewards.append(batch.rewards.copy())
        dones.append(batch.terminated | batch.truncated)
    credit = credit_rewards(seats, rewards, dones, decisions=decisions if choices_only else None, teams=teams)
    assert credit.rewards.any() and not np.all(decisions)
    assert played["credit"].shape == (6, 80, 1) and played["credit"].dtype == torch.float32
    np.testing.assert_array_equal(played["credit"][:, :, 0].numpy().T, credit.rewards)
    np.testing.assert_array_equal(played["next_decision"].numpy().T, credit.next)

    value = torch.nn.Linear(env.batch.observation_size, 1)
    CreditGAE(TensorDictModule(value, ["observation"], ["state_value"]), gamma=0.9, lmbda=0.7)(played)
    values = value(played["observation"]).detach()[:, :, 0].numpy().T
    found = advantages(credit, values, 0.9, 0.7)
    assert played["advantage"].shape == played["value_target"].shape == (6, 80, 1)
    np.testing.assert_allclose(played["advantage"][:, :, 0].numpy().T, found.advantages, atol=1e-5)
    np.testing.assert_allclose(played["value_target"][:, :, 0].numpy().T, found.targets, atol=1e-5)
    np.testing.assert_array_equal(played["known"].numpy().T, found.known)
    assert 0 < found.known.sum() < 480 and not played["advantage"].requires_grad


def test_a_replay_buffer_credits_what_it_gives():
    """Of whole rows, whichever it draws."""
    played = SelfPlayEnv("tennis_v0", 8, seed=1).rollout(40, break_when_any_done=False)
    buffer = TensorDictReplayBuffer(storage=LazyTensorStorage(8), transform=CreditRewards(), batch_size=4)
    buffer.extend(played)
    sample = buffer.sample()
    expected = CreditRewards()(played)[sample["index"][:, 0]]
    assert sample.shape == (4, 40) and (sample["next_decision"] >= 0).any()
    for name in ("observation", "credit", "next_decision"):
        assert torch.equal(sample[name], expected[name])


def test_credit_is_of_recorded_rollouts():
    env = SelfPlayEnv("tennis_v0", 4, seed=1)
    with pytest.raises(ValueError, match="for recorded rollouts, not for an environment"):
        TransformedEnv(env, CreditRewards())
    with pytest.raises(ValueError, match=r"credit is for a rollout of shape \[N, T\], not \[12\]"):
        CreditRewards()(env.rollout(3).reshape(-1))
    with pytest.raises(ValueError, match="teams must contain each of the 4 seats once"):
        CreditRewards(teams=[(0, 1)])(env.rollout(3))


@each_kind
def test_any_rows_begin_anew_and_the_others_go_on(kind):
    env = kind("tennis_v0", 4, seed=3)
    before = env.rand_step(env.reset())["next"]
    partly = before.clone().set("_reset", torch.tensor([False, True, True, False])[:, None])
    after = env.reset(partly)
    seen, _, seat = seat_of(env, before)
    seen_after, legal, seat_after = seat_of(env, after)
    assert torch.equal(seen_after[[0, 3]], seen[[0, 3]]) and torch.equal(seat_after[[0, 3]], seat[[0, 3]])
    assert not torch.equal(seen_after[1], seen[1]) and not torch.equal(seen_after[2], seen[2])
    np.testing.assert_array_equal(legal.numpy(), env.batch.action_mask)
    assert np.asarray(env.batch.states["move_count"])[[1, 2]].max() <= 3  # of the opponents before the learner
    env.rollout(20, auto_reset=False, tensordict=after, break_when_any_done=False)


@each_kind
def test_seeds_fix_all_games(kind):
    env, other = kind(toy.GAME, 4, seed=5), kind(toy.GAME, 4, seed=6)
    first = env.rollout(30, break_when_any_done=False)
    other.set_seed(5)
    assert (other.rollout(30, break_when_any_done=False) == first).all()
    assert not (env.rollout(30, break_when_any_done=False) == first).all()  # the games go on
    env.set_seed(5)
    assert (env.rollout(30, break_when_any_done=False) == first).all()


@each_kind
def test_the_specs_draw_legal_actions(kind):
    env = kind("hearts_v0", 64, seed=1)
    state = env.reset()
    for _ in range(30):
        drawn = env.full_action_spec.rand()
        actions = drawn[env.action_at]
        chosen = actions[torch.arange(64), torch.tensor(env.batch.current_player)] if kind is GroupEnv else actions
        assert env.batch.action_mask[np.arange(64), chosen.numpy()].all()
        _, state = env.step_and_maybe_reset(state.update(drawn))


@each_kind
@pytest.mark.parametrize(
    "transform", [StepCounter, lambda: Compose(InitTracker(), StepCounter()), None], ids=["one", "two", "mask"]
)
def test_below_transforms_random_actions_are_legal(kind, transform):
    """Each of TorchRL's ways to draw one; an illegal one would be an error. None is the transform that they would need."""
    mask_at = (*kind.action_at[:-1], "action_mask") if kind is GroupEnv else "action_mask"
    env = TransformedEnv(kind("hearts_v0", 16, seed=1), transform() if transform else ActionMask(kind.action_at, mask_at))
    check_env_specs(env)
    state = env.rollout(10, break_when_any_done=False)[:, -1]["next"]
    for _ in range(5):
        _, state = env.step_and_maybe_reset(state.update(env.full_action_spec.rand()))
    random_policy = RandomPolicy(env.full_action_spec)  # what collectors take where they are given none
    assert env.rollout(60, random_policy, break_when_any_done=False).shape == (16, 60)


def test_an_illegal_action_is_an_error():
    env = SelfPlayEnv("hearts_v0", 3, seed=1)
    state = env.rand_action(env.reset())
    state["action"][2] = int(env.batch.action_mask[2].argmin())
    with pytest.raises(ValueError, match=r"row 2: action .* is not legal"):
        env.step(state)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"num_envs": 0}, "num_games must be"),
        ({"seat": 9}, "seat=9 is not allowed"),
        ({"opponents": "nobody"}, "nobody"),
        ({"num_players": 99}, "num_players"),
    ],
)
def test_what_is_not_allowed_is_said(parameters, message):
    with pytest.raises(ValueError, match=message):
        SeatEnv("tennis_v0", **{"num_envs": 2, **parameters})


def test_the_group_is_named_as_pettingzoo_names_agents():
    env = GroupEnv("tennis_v0", 2, num_players=3)
    assert env.group_map == {"player": wilddeck.envs.raw_env("tennis_v0", num_players=3).possible_agents}
    assert isinstance(env.reset()["player"], TensorDict)
    assert envs.game("tennis_v0") is env.batch.game
