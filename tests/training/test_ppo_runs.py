"""Runs of the learner in compiled code: their folder, going on after kill -9, what a checkpoint may hold, errors. What the
course of a run has in common for all learners is tested in test_train.py."""

from __future__ import annotations

import csv
import json
import random
import signal

import numpy as np
import pytest
import toy_game as toy
from support import know, run_python
from wilddeck import envs
from wilddeck.agents import learned, tensors
from wilddeck.agents.random import RandomAgent
from wilddeck.training import checkpoint
from wilddeck.training import train as training
from wilddeck.training.exploit import exploit
from wilddeck.training.ppo import PPO
from wilddeck.training.settings import Settings

TINY = {
    "num_envs": 4,
    "rollout_steps": 32,
    "batch_size": 128,
    "epochs": 2,
    "hidden": [12],
    "init_from": "rules",
    "kl_fraction": 0.7,
    "search_share": 0.05,
    "num_determinizations": 2,
    "search_policy": "rules",
    "search_depth": 3,
    "snapshot_every": 800,
    "snapshots": 2,
    "eval_every": 1500,
    "eval_deals": 3,
    "checkpoint_every": 700,
    "total_steps": 4000,
    "seed": 5,
}


def tiny(out, **changes):
    return training.train("tennis_v0", {"num_players": 3}, out=out, progress=False, **{**TINY, **changes})


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "a" / "b"
    return out, tiny(out)


def rows(out):
    with (out / "progress.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_what_a_run_leaves(finished):
    out, result = finished
    names = ["agent.safetensors", "checkpoint.safetensors", "progress.csv", "settings.json"]
    assert sorted(path.name for path in out.iterdir()) == names
    assert 4000 <= result.steps < 5000 and result.evaluations[-1].steps == result.steps
    assert len(result.evaluations) >= 3 and set(result.evaluations[0].win_rates) == {"random", "rules"}
    stored = json.loads((out / "settings.json").read_text())
    assert stored["learner"] == "ppo" and stored["critic"] == "state" and stored["init_from"] == "rules"
    agent = learned.load(result.weights, "tennis_v0", {"num_players": 3})
    assert agent.greedy and agent.training["steps"] == result.steps and "PPO" in agent.training["algorithm"]
    log = rows(out)
    copied = [row for row in log if row["teacher_accuracy"] and not row["policy_loss"]]
    assert (
        copied
        and copied == log[1 : 1 + len(copied)]
        and all(row["teacher_cross_entropy"] and row["value_loss"] for row in copied)
    )
    learned_rows = log[1 + len(copied) :]
    assert learned_rows[0]["teacher_accuracy"] and all(row["policy_loss"] and row["approx_kl"] for row in learned_rows)
    assert not learned_rows[-1]["teacher_cross_entropy"]  # the penalty has faded
    assert all(0 < float(row["searched"]) < 0.2 for row in learned_rows) and not any(row["searched"] for row in copied)


def test_equal_seeds_give_equal_agents_and_others_do_not(finished, tmp_path):
    _, result = finished
    again, other = tiny(tmp_path / "again", threads=1), tiny(tmp_path / "other", seed=6, total_steps=500)
    assert again.weights.read_bytes() == result.weights.read_bytes() and again.evaluations == result.evaluations
    assert other.evaluations[0] != result.evaluations[0]


# The child kills itself in the n-th write, when the new file is complete but not yet in its place.
KILLED = """
import json, os, signal, sys
from wilddeck.envs.core import files
writes, real = [0], os.fsync
def fsync(handle):
    real(handle)
    writes[0] += 1
    if writes[0] == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
os.fsync = fsync
from wilddeck.training.train import train
train("tennis_v0", {"num_players": 3}, out=sys.argv[1], resume=True, progress=False, **json.loads(sys.argv[3]))
"""


@pytest.mark.long
def test_a_run_killed_while_it_copies_and_while_it_learns_ends_as_if_it_never_was(finished, tmp_path):
    """Writes: settings, log, then agent and checkpoint in turn. The first checkpoint comes while the rules are copied."""
    out, result = finished
    run = tmp_path / "run"
    for write, copying in ((5, True), (6, False)):
        child = run_python(KILLED, str(run), str(write), json.dumps(TINY))
        assert child.returncode == -signal.SIGKILL, child.stderr
        about, _ = tensors.read(run / "checkpoint.safetensors", checkpoint.FORMAT, 10**8)
        assert about["copying"] is copying and about["learner"] == "ppo"
    again = training.resume(run, progress=False)
    assert again.weights.read_bytes() == result.weights.read_bytes() and again.evaluations == result.evaluations
    logged = [[{k: v for k, v in row.items() if "second" not in k} for row in rows(folder)] for folder in (run, out)]
    assert logged[0] == logged[1]


def test_a_finished_run_can_go_further_and_copies_no_more(finished, tmp_path):
    run = tmp_path / "run"
    assert tiny(run, total_steps=1500).steps >= 1500
    further = training.resume(run, total_steps=9000, progress=False)
    assert further.steps >= 9000 and rows(run)[-1]["policy_loss"]
    about, _ = tensors.read(run / "checkpoint.safetensors", checkpoint.FORMAT, 10**8)
    assert about["copying"] is False


def test_weights_are_gone_on_with(finished, tmp_path):
    _, result = finished
    whole = tiny(tmp_path / "more", init_from=str(result.weights), total_steps=200, learning_rate=0.0, final_learning_rate=0.0)
    before, after = (learned.load(run.weights, "tennis_v0", {"num_players": 3}) for run in (result, whole))
    assert (before.vector == after.vector).all()
    shape = r"is a network with hidden=\(12,\), activation='relu', expert=None, equivariant=True, but .* has hidden="
    others = (
        ({"hidden": [13]}, r"\(13,\), "),
        ({"expert": "rules"}, ".*, expert='rules'"),
        ({"equivariant": False}, ".*, equivariant=False"),
    )
    for changed, other in others:
        with pytest.raises(ValueError, match=shape + other):
            tiny(tmp_path / "other", init_from=str(result.weights), **changed)


@pytest.mark.long
def test_a_run_with_an_expert_goes_on_and_plays(tmp_path):
    """It can be taken further; its agent plays, is gone on with by another run, and can be exploited."""
    expert = {"expert": "rules", "equivariant": False}
    tiny(tmp_path / "run", total_steps=1500, **expert)
    whole = training.resume(tmp_path / "run", total_steps=3000, progress=False)
    _, arrays = tensors.read(tmp_path / "run" / "checkpoint.safetensors", checkpoint.FORMAT, 10**8)
    observed = envs.game("tennis_v0").observation_size(envs.game("tennis_v0").make_options({"num_players": 3}))
    assert arrays["snapshot.0.layers.0.weight"].shape == (observed + 12, 12)
    agent = learned.load(whole.weights, "tennis_v0", {"num_players": 3})
    assert agent.expert is not None and agent.observation_size == observed
    still = {"total_steps": 200, "learning_rate": 0.0, "final_learning_rate": 0.0, **expert}
    again = tiny(tmp_path / "more", init_from=str(whole.weights), **still)
    assert (learned.load(again.weights, "tennis_v0", {"num_players": 3}).vector == agent.vector).all()
    small = {"total_steps": 300, "deals": 20, "num_envs": 4, "rollout_steps": 32}
    exploited = exploit(whole.weights, "tennis_v0", {"num_players": 3}, init_from="itself", **small)
    assert {trial.name for trial in exploited.tried} == {"rules", "trained", "learned"} and exploited.beginning == "agent"


def test_a_game_without_rules_cannot_begin_with_them(tmp_path, monkeypatch):
    know(monkeypatch, toy.GAME)
    opponents = {"fixed_opponents": ["random"], "eval_opponents": ["random"]}
    for settings in ({"search_share": 0.0}, {"init_from": None}, {"init_from": None, "search_share": 0.0, "expert": "rules"}):
        with pytest.raises(ValueError, match="toy_v0 has no rule-based agent; a game declares one"):
            training.train("toy_v0", out=tmp_path / "run", progress=False, **{**TINY, **opponents, **settings})
    assert not (tmp_path / "run").exists()


def test_a_checkpoint_of_the_other_learner(finished, tmp_path):
    out, _ = finished
    run = tmp_path / "run"
    tiny(run, total_steps=200)
    about, arrays = tensors.read(run / "checkpoint.safetensors", checkpoint.FORMAT, 10**8)
    for learner in ("sb3", None):
        tensors.write(run / "checkpoint.safetensors", {**about, "learner": learner}, arrays)
        with pytest.raises(ValueError, match=f"is a checkpoint of the learner {learner!r}, not of 'ppo'"):
            training.resume(run, progress=False)
    with pytest.raises(ValueError, match=r"other settings: .*learner='ppo' instead of 'sb3'"):
        tiny(out, resume=True, learner="sb3", critic="observation", init_from=None, search_share=0.0, equivariant=False)


def put(name, place, value):
    return lambda about, arrays: arrays[name].__setitem__(place, value)


FORGED = {
    "no updates": lambda about, arrays: about.pop("updates"),
    "updates of another type": lambda about, arrays: about.update(updates="5"),
    "negative steps": lambda about, arrays: about.update(steps=-1),
    "copying of another type": lambda about, arrays: about.update(copying=1),
    "weights that are none": put("weights", 3, np.nan),
    "weights of another shape": lambda about, arrays: arrays.update(weights=arrays["weights"][:-1]),
    "weights of another type": lambda about, arrays: arrays.update(weights=arrays["weights"].astype(float)),
    "negative squares": put("moments", (1, 0), -1.0),
    "a teacher of another shape": lambda about, arrays: arrays.update(teacher=np.zeros(7, np.float32)),
    "no teacher": lambda about, arrays: arrays.pop("teacher"),
    "results of more opponents": lambda about, arrays: arrays.update(results=np.zeros((9, 2))),
    "negative results": put("results", (0, 0), -1.0),
    "a snapshot of another shape": lambda about, arrays: arrays.update({"snapshot.0.layers.0.bias": np.zeros(2, np.float32)}),
    "fewer snapshots than there are": lambda about, arrays: about.update(snapshots=0),
    "more snapshots than there are": lambda about, arrays: about.update(snapshots=10**12),
    "one more": lambda about, arrays: arrays.update(more=np.zeros(1)),
}


@pytest.fixture(scope="module")
def load_checkpoint(finished):
    """Loads a checkpoint as a run does that goes on."""
    settings = Settings.from_json((finished[0] / "settings.json").read_bytes())
    game = envs.game("tennis_v0")
    options = game.make_options({"num_players": 3})
    learner = PPO(settings, game, options, [RandomAgent()] * 2, None, 1.0, lambda: 1.0)
    return lambda path: checkpoint.load(path, game, "ppo", learner)


@pytest.mark.parametrize("change", FORGED)
def test_forged_checkpoints(finished, load_checkpoint, change, tmp_path):
    about, arrays = tensors.read(finished[0] / "checkpoint.safetensors", checkpoint.FORMAT, 10**8)
    arrays = {name: array.copy() for name, array in arrays.items()}
    FORGED[change](about, arrays)
    path = tmp_path / "checkpoint.safetensors"
    tensors.write(path, about, arrays)
    with pytest.raises(tensors.WeightsError, match=r"checkpoint\.safetensors"):
        load_checkpoint(path)


def test_spoiled_checkpoints(finished, load_checkpoint, tmp_path):
    """Cut off, or with some bytes changed: one clear error, or weights that are only a little different."""
    data = (finished[0] / "checkpoint.safetensors").read_bytes()
    path = tmp_path / "checkpoint.safetensors"
    draw, refused = random.Random(1), 0
    for k in range(116):
        spoiled = bytearray(data[: len(data) * k // 16] if k < 16 else data)
        for _ in range(0 if k < 16 else draw.choice((1, 2, 8))):
            spoiled[draw.randrange(len(spoiled))] = draw.randrange(256)
        path.write_bytes(spoiled)
        try:
            load_checkpoint(path)
        except tensors.WeightsError as error:
            refused += 1
            assert str(path) in str(error)
    assert refused >= 16


def test_it_needs_no_torch(tmp_path):
    code = """
import sys
for name in ("torch", "stable_baselines3", "sb3_contrib"):
    sys.modules[name] = None
from wilddeck.training.train import train
settings = dict(num_envs=2, rollout_steps=8, hidden=[4], eval_deals=1, total_steps=20, progress=False)
print(train("tennis_v0", {"num_players": 3}, out=sys.argv[1] + "/a", **settings).steps)
try:
    train("tennis_v0", out=sys.argv[1] + "/b", learner="sb3", total_steps=20)
except ImportError as error:
    print(error)
"""
    child = run_python(code, str(tmp_path))
    assert child.stdout.startswith(tuple("123456789")), child.stderr
    assert "training needs the extra `train`: pip install 'wilddeck[train]'" in child.stdout


def test_the_entropy_bonus_falls_as_the_learning_rate_does(tmp_path, monkeypatch):
    rates, bonuses = [], []
    learn = PPO._learn_from

    def noted(self, games, rng, epochs, rate, gae_lambda, weights):
        rates.append(rate)
        bonuses.append(float(weights.ent_coef))
        learn(self, games, rng, epochs, rate, gae_lambda, weights)

    monkeypatch.setattr(PPO, "_learn_from", noted)
    falls = {"learning_rate": 0.01, "final_learning_rate": 0.001, "ent_coef": 0.2, "final_ent_coef": 0.02}
    tiny(tmp_path / "falls", **falls, init_from=None, search_share=0.0, total_steps=3000)
    assert len(rates) > 5 and bonuses == pytest.approx([20 * rate for rate in rates]) and bonuses == sorted(bonuses)[::-1]
    assert bonuses[0] == pytest.approx(0.2) and bonuses[-1] < bonuses[0] / 3
    rates.clear(), bonuses.clear()
    tiny(tmp_path / "stays", ent_coef=0.2, init_from=None, search_share=0.0, total_steps=600)
    assert bonuses == pytest.approx([0.2] * len(bonuses))
    with pytest.raises(ValueError, match=r"setting final_ent_coef=0\.1 needs learner='ppo'"):
        Settings.make({"game": "tennis_v0", "learner": "sb3", "final_ent_coef": 0.1})
