"""Runs: their folder, reproducibility, kill -9 and going on, logs, errors."""

from __future__ import annotations

import csv
import json
import random
import signal
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import toy_game as toy
from support import know, run_python
from wilddeck import envs
from wilddeck.agents import learned, tensors
from wilddeck.agents.base import Agent
from wilddeck.agents.play import play_batch
from wilddeck.agents.random import RandomAgent

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from wilddeck.seats.sb3_vec_env import SelfPlayVecEnv  # noqa: E402
from wilddeck.training import checkpoint, sb3  # noqa: E402
from wilddeck.training import train as training  # noqa: E402
from wilddeck.training.evaluate import evaluate, table  # noqa: E402
from wilddeck.training.log import CsvLog  # noqa: E402
from wilddeck.training.settings import Settings, find_gpu  # noqa: E402

TINY = {
    "learner": "sb3",
    "num_envs": 16,
    "rollout_steps": 16,
    "batch_size": 128,
    "epochs": 2,
    "hidden": [12],
    "snapshot_every": 500,
    "snapshots": 2,
    "eval_every": 1024,
    "eval_deals": 3,
    "checkpoint_every": 512,
    "total_steps": 2048,
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
    assert sorted(path.name for path in out.iterdir()) == [
        "agent.safetensors",
        "checkpoint.safetensors",
        "progress.csv",
        "settings.json",
    ]
    assert result.weights == out / "agent.safetensors" and result.steps == 2048
    assert [point.steps for point in result.evaluations] == [0, 1024, 2048]
    assert set(result.evaluations[0].win_rates) == {"random", "rules"}
    assert json.loads((out / "settings.json").read_text())["hidden"] == [12]
    game = envs.game("tennis_v0")
    options = game.make_options({"num_players": 3})
    agent = learned.load(result.weights, game, options)
    assert agent.greedy and agent.training["steps"] == 2048 and agent.training["seed"] == 5
    assert agent.training["evaluation"]["win_rates"] == result.evaluations[-1].win_rates
    log = rows(out)
    assert [int(row["steps"]) for row in log] == list(range(0, 2049, 256))
    assert all(row["policy_loss"] and row["mean_return"] for row in log[2:])
    assert [row["steps"] for row in log if row["win_rate_rules"]] == ["0", "1024", "2048"]
    rates = [float(row["learning_rate"]) for row in log[1:]]
    assert rates == sorted(rates, reverse=True) and rates[0] == pytest.approx(Settings("tennis_v0").learning_rate)


def test_equal_seeds_give_equal_agents_and_others_do_not(finished, tmp_path):
    _, result = finished
    again, other = tiny(tmp_path / "again"), tiny(tmp_path / "other", seed=7, total_steps=512)
    assert again.weights.read_bytes() == result.weights.read_bytes()
    assert again.evaluations == result.evaluations
    assert other.evaluations[0] != result.evaluations[0]


def test_the_process_is_left_as_it_was(tmp_path):
    threads, checks = torch.get_num_threads(), torch.distributions.Distribution._validate_args
    torch.manual_seed(1), np.random.seed(1), random.seed(1)
    states = torch.get_rng_state(), np.random.get_state()[1].copy(), random.getstate()
    tiny(tmp_path / "run", total_steps=256)
    assert torch.get_num_threads() == threads and torch.distributions.Distribution._validate_args == checks
    assert (torch.get_rng_state() == states[0]).all() and (np.random.get_state()[1] == states[1]).all()
    assert random.getstate() == states[2]


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
def test_a_run_killed_again_and_again_ends_as_if_it_never_was(finished, tmp_path):
    """Writes: settings, log, then agent and checkpoint in turn."""
    out, result = finished
    run = tmp_path / "run"
    for write, checkpoint_steps in ((1, None), (4, None), (6, 512), (4, 512), (5, 1024)):
        child = run_python(KILLED, str(run), str(write), json.dumps(TINY))
        assert child.returncode == -signal.SIGKILL, child.stderr
        if checkpoint_steps is None:
            assert not (run / "checkpoint.safetensors").exists()
        else:
            about, _ = tensors.read(run / "checkpoint.safetensors", "wilddeck checkpoint", 10**8)
            assert about["steps"] == checkpoint_steps
    with (run / "progress.csv").open("a") as file:
        file.write("1280,3.1")  # a line cut short
    again = training.resume(run, progress=False)
    assert again.weights.read_bytes() == result.weights.read_bytes()
    assert again.evaluations == result.evaluations
    logged = [[{k: v for k, v in row.items() if "second" not in k} for row in rows(folder)] for folder in (run, out)]
    assert logged[0] == logged[1]


def test_a_finished_run_can_go_further(finished, tmp_path):
    run = tmp_path / "run"
    tiny(run, total_steps=512)
    assert training.resume(run, progress=False).steps == 512
    further = training.resume(run, total_steps=1024, progress=False)
    assert further.steps == 1024 and [int(row["steps"]) for row in rows(run)] == [0, 256, 512, 768, 1024]


def test_a_resumed_run_has_the_settings_of_its_folder_where_none_are_given(tmp_path):
    run = tmp_path / "run"
    tiny(run, total_steps=512, seed=3)
    further = training.train("tennis_v0", out=run, resume=True, total_steps=1024, progress=False)
    settings = Settings.from_json((run / "settings.json").read_bytes())
    assert further.steps == 1024 and settings.seed == 3 and settings.options == {"num_players": 3}
    with pytest.raises(ValueError, match=r"options=\{'num_players': 3\} instead of \{'num_players': 4\}"):
        training.train("tennis_v0", {"num_players": 4}, out=run, resume=True, progress=False)
    with pytest.raises(ValueError, match="game='tennis_v0' instead of 'skin_of_your_teeth_v0'"):
        training.train("skin_of_your_teeth_v0", out=run, resume=True, progress=False)


def test_a_folder_from_elsewhere_runs_no_program(tmp_path, monkeypatch):
    run = tmp_path / "run"
    tiny(run, total_steps=512)
    stored = json.loads((run / "settings.json").read_bytes())
    for name, value in (("eval_opponents", ["random", "cmd:true"]), ("fixed_opponents", ["mine:make"]), ("init_from", "a:b")):
        (run / "settings.json").write_text(json.dumps({**stored, "learner": "ppo", name: value}))
        monkeypatch.setattr(training, "_run", lambda *_: pytest.fail("it began"))
        with pytest.raises(
            ValueError, match=f"names a program that would run here, {name}='.*'; to allow this, give {name} again"
        ):
            training.resume(run, progress=False)
        with pytest.raises(ValueError, match="trust the folder"):
            training.train("tennis_v0", out=run, resume=True, progress=False)
        monkeypatch.setattr(training, "_run", lambda *_: "it began")
        assert training.resume(run, progress=False, trust=True) == "it began"
        assert training.train("tennis_v0", out=run, resume=True, trust=True) == "it began"
        assert training.train("tennis_v0", out=run, resume=True, **{name: value}) == "it began"


def test_a_limit_of_time(tmp_path, monkeypatch):
    now = iter(range(10**6))
    monkeypatch.setattr(training.time, "monotonic", lambda: float(next(now)))
    run = tmp_path / "run"
    result = tiny(run, max_seconds=40, total_steps=None)
    assert 0 < result.steps < 10_000 and result.evaluations[-1].steps == result.steps
    assert float(rows(run)[-1]["learning_rate"]) < 0.5 * Settings("tennis_v0").learning_rate
    again = training.resume(run, progress=False)
    assert again.steps == result.steps
    longer = training.resume(run, max_seconds=80, progress=False)
    assert longer.steps > result.steps


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"num_envs": 10**12, "batch_size": 16}, "num_envs=1000000000000 with rollout_steps=16 needs about .* of memory, but"),
        ({"rollout_steps": 10**12, "batch_size": 16}, "with rollout_steps=1000000000000 needs about"),
        ({"eval_deals": 10**15}, "eval_deals=1000000000000000 needs about"),
        ({"threads": 10**9}, "setting threads=1000000000 is not allowed; allowed: a whole number from 1 to 1024"),
        ({"max_seconds": float("inf")}, "setting max_seconds=inf is not allowed; allowed: None or seconds above 0 and finite"),
        ({"max_seconds": float("nan")}, "setting max_seconds=nan is not allowed"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_made(changed, said, tmp_path):
    with pytest.raises(ValueError, match=said):
        tiny(tmp_path / "run", **changed)
    assert not (tmp_path / "run").exists()


def test_only_one_run_a_folder(finished, tmp_path):
    out, _ = finished
    before = {path: path.read_bytes() for path in out.iterdir()}
    with pytest.raises(ValueError, match="already contains a run of tennis_v0; resume it or choose another folder"):
        tiny(out)
    with pytest.raises(ValueError, match=r"other settings: seed=5 instead of 6; epochs=2 instead of 3"):
        tiny(out, resume=True, seed=6, epochs=3)
    assert {path: path.read_bytes() for path in out.iterdir()} == before
    with pytest.raises(ValueError, match="has no run to resume"):
        training.resume(tmp_path)
    (tmp_path / "progress.csv").touch()
    with pytest.raises(ValueError, match="already contains files of a run"):
        tiny(tmp_path)
    (tmp_path / "settings.json").write_text("{")
    with pytest.raises(ValueError, match=r"settings\.json cannot be read"):
        training.resume(tmp_path)


def test_a_damaged_or_foreign_checkpoint(finished, tmp_path):
    out, _ = finished
    run = tmp_path / "run"
    tiny(run, total_steps=512)
    data = (run / "checkpoint.safetensors").read_bytes()
    (run / "checkpoint.safetensors").write_bytes(data[:1000])
    with pytest.raises(ValueError, match="truncated, damaged"):
        training.resume(run, progress=False)
    about, arrays = tensors.read(out / "checkpoint.safetensors", "wilddeck checkpoint", 10**8)
    for change, message in (
        ({"version": 9}, "has version 9"),
        ({"game": "hearts_v0"}, "a run of hearts_v0"),
    ):
        tensors.write(run / "checkpoint.safetensors", {**about, **change}, arrays)
        with pytest.raises(ValueError, match=message):
            training.resume(run, progress=False)
    arrays.pop("env.seat")
    tensors.write(run / "checkpoint.safetensors", about, arrays)
    with pytest.raises(ValueError, match="does not fit this run"):
        training.resume(run, progress=False)


@pytest.fixture(scope="module")
def load_checkpoint(finished):
    """Loads a checkpoint as a run does that goes on."""
    settings = Settings.from_json((finished[0] / "settings.json").read_bytes())
    game = envs.game("tennis_v0")
    options = game.make_options({"num_players": 3})
    learner = sb3.SB3(settings, game, options, [RandomAgent()] * 2, None, 1.0, lambda: 1.0)
    return lambda path: checkpoint.load(path, game, "sb3", learner)


def states_of(arrays):
    return np.frombuffer(arrays["env.states"].tobytes(), envs.game("tennis_v0").state).copy()


def with_a_mover_that_is_none(about, arrays):
    states = states_of(arrays)
    states["current_player"][3] = 3
    arrays["env.states"] = np.frombuffer(states.tobytes(), np.uint8)


def as_bytes(value):
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def edit(name, place, value):
    return lambda about, arrays: arrays[name].__setitem__(place, value)


def reshape(name, shape):
    return lambda about, arrays: arrays.update({name: np.resize(arrays[name], shape)})


FORGED = {
    "no game": lambda about, arrays: about.pop("game"),
    "no version": lambda about, arrays: about.pop("version"),
    "no steps": lambda about, arrays: about.pop("steps"),
    "steps of another type": lambda about, arrays: about.update(steps="5"),
    "negative updates": lambda about, arrays: about.update(updates=-1),
    "no end of snapshots": lambda about, arrays: about.update(snapshots=10**12),
    "no number of snapshots": lambda about, arrays: about.update(snapshots=None),
    "a generator of another type": lambda about, arrays: about.update(rng=5),
    "another generator": lambda about, arrays: about["rng"].__setitem__(0, "PCG64"),
    "a generator behind its end": lambda about, arrays: about["rng"].__setitem__(1, 10**6),
    "a generator before its beginning": lambda about, arrays: about["rng"].__setitem__(1, -5),
    "a generator with more": lambda about, arrays: about["rng"].append(1),
    "the rest is a list": lambda about, arrays: about.update(about=[]),
    "a mover that is none": with_a_mover_that_is_none,
    "no games": lambda about, arrays: arrays.pop("env.states"),
    "games of nothing": edit("env.states", slice(None), 255),
    "fewer games": lambda about, arrays: arrays.update({"env.states": arrays["env.states"][:-8]}),
    "a seat that is none": edit("env.seat", 0, 77),
    "an opponent that is none": edit("env.opponent", (0, 0), 10**6),
    "negative opponents": edit("env.opponent", slice(None), -1),
    "a return that is none": edit("env.return", 0, np.nan),
    "a text as generator": lambda about, arrays: arrays.update({"env.rng": as_bytes("PCG64")}),
    "another generator of games": lambda about, arrays: arrays.update({"env.rng": as_bytes({"bit_generator": "MT19937"})}),
    "a generator without state": lambda about, arrays: arrays.update({"env.rng": as_bytes({"bit_generator": "PCG64"})}),
    "a deep generator": lambda about, arrays: arrays.update({"env.rng": np.full(10**5, ord("["), np.uint8)}),
    "weights that are none": edit("policy.action_net.bias", 0, np.nan),
    "weights of another shape": reshape("policy.action_net.bias", 3),
    "weights of another type": lambda about, arrays: arrays.update({"policy.action_net.bias": np.zeros(12)}),
    "moments of another shape": reshape("optimizer.0.exp_avg", (2, 2)),
    "moments of nothing": lambda about, arrays: arrays.update({"optimizer.99.step": np.zeros(1, np.float32)}),
    "a moment too few": lambda about, arrays: arrays.pop("optimizer.0.step"),
    "a snapshot of another shape": reshape("snapshot.0.layers.0.weight", (2, 2)),
    "a generator of torch that is none": edit("rng.torch", slice(None), 255),
    "a short generator of torch": reshape("rng.torch", 3),
    "a short generator of numpy": reshape("rng.numpy", 3),
    "starts of another type": lambda about, arrays: arrays.update(episode_starts=np.zeros(16)),
    "games without a return": reshape("recent", (2, 1)),
    "no games finished": lambda about, arrays: arrays.update(recent=np.zeros(())),
    "one more": lambda about, arrays: arrays.update(more=np.zeros(1)),
}


@pytest.mark.parametrize("change", FORGED)
def test_forged_checkpoints(finished, load_checkpoint, change, tmp_path):
    about, arrays = tensors.read(finished[0] / "checkpoint.safetensors", checkpoint.FORMAT, 10**8)
    arrays = {name: array.copy() for name, array in arrays.items()}
    path = tmp_path / "checkpoint.safetensors"
    if change == "the rest is a list":
        tensors.write(path, {**about, "about": []}, arrays)
        with pytest.raises(tensors.WeightsError, match=r"checkpoint\.safetensors"), checkpoint.fitting(path):
            load_checkpoint(path)[1]["due"]
        return
    FORGED[change](about, arrays)
    tensors.write(path, about, arrays)
    with pytest.raises(tensors.WeightsError, match=r"checkpoint\.safetensors"):
        load_checkpoint(path)


ABOUT = [
    *({name: value} for name in ("due", "seconds", "rng", "points") for value in (None, "x", [5], {"a": 1}, -1e999)),
    {"due": {"snapshot": "5", "evaluation": 0, "checkpoint": 0}},
    {"points": [{"steps": 5}]},
    {"points": [{"steps": 5, "returns": {"random": "x"}, "errors": {}, "win_rates": {}}]},
    {"rng": {"bit_generator": "PCG64", "state": {"state": 10**100, "inc": -1}, "has_uint32": 0, "uinteger": 0}},
    {"reward_scale": "big"},
]


@pytest.mark.parametrize("values", ABOUT, ids=lambda values: str(values)[:40])
def test_runs_whose_counters_are_forged(finished, values, tmp_path, monkeypatch):
    about, _ = tensors.read(finished[0] / "checkpoint.safetensors", checkpoint.FORMAT, 10**8)
    run = training._Run.__new__(training._Run)
    run.out, run.due = tmp_path, dict.fromkeys(("snapshot", "evaluation", "checkpoint"), 0)
    run.game, run.settings = envs.game("tennis_v0"), Settings("tennis_v0")
    run.learner = SimpleNamespace(steps=0, scale=1.0)
    monkeypatch.setattr(checkpoint, "load", lambda path, game, name, learner: ([], {**about["about"], **values}))
    with pytest.raises(tensors.WeightsError, match="does not fit this run"):
        run._restore()


def test_spoiled_checkpoints(finished, load_checkpoint, tmp_path):
    """Cut off, or with some bytes changed: one clear error, or weights that are only a little different."""
    data = (finished[0] / "checkpoint.safetensors").read_bytes()
    path = tmp_path / "checkpoint.safetensors"
    draw, refused = random.Random(1), 0
    for k in range(216):
        spoiled = bytearray(data[: len(data) * k // 16] if k < 16 else data)
        for _ in range(0 if k < 16 else draw.choice((1, 2, 8))):
            spoiled[draw.randrange(len(spoiled))] = draw.randrange(256)
        path.write_bytes(spoiled)
        try:
            load_checkpoint(path)
        except tensors.WeightsError as error:
            refused += 1
            assert str(path) in str(error)
    assert refused > 16


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"steps": 3}, "unknown setting 'steps'; settings: game, options, total_steps"),
        ({"num_envs": 0}, "num_envs=0 is not allowed; allowed: a whole number of at least 1"),
        ({"seed": -1}, "seed=-1 is not allowed"),
        ({"gamma": 1.5}, "gamma=1.5 is not allowed; allowed: a number from 0 to 1"),
        ({"activation": "gelu"}, "allowed: one of tanh, relu"),
        ({"hidden": []}, "allowed: 1 to 8 widths"),
        ({"batch_size": 100}, "must divide num_envs \\* rollout_steps = 256"),
        ({"max_seconds": 0}, "allowed: None or seconds above 0"),
        ({"total_steps": None}, "a run needs total_steps or max_seconds"),
        ({"fixed_opponents": []}, "self_play_prob or past_policy_prob must be 1"),
        ({"fixed_opponents": ["nobody"]}, "no agent 'nobody'"),
        ({"eval_opponents": ["nobody"]}, "no agent 'nobody'"),
        ({"fixed_opponents": ["mc"]}, "plays one game at a time"),
        ({"learner": "ppo", "fixed_opponents": ["mc"]}, "mc plays one game at a time, too slow for an opponent in training"),
        ({"learner": "a2c"}, "learner='a2c' is not allowed; allowed: ppo, sb3, torch, or module:class"),
        ({"critic": "god"}, "critic='god' is not allowed; allowed: one of state, observation"),
        ({"critic": "state"}, "setting critic='state' needs learner='ppo'"),
        ({"init_from": "rules"}, "setting init_from='rules' needs learner='ppo'"),
        ({"expert": "rules"}, "setting expert='rules' needs learner='ppo'"),
        ({"learner": "ppo", "expert": "mc"}, "expert='mc' is not allowed; allowed: None, rules, rules:STYLE"),
        ({"learner": "ppo", "expert": 5}, "expert=5 is not allowed; allowed: None, rules, rules:STYLE"),
        ({"learner": "ppo", "expert": "rules:sly"}, "no rule-based agent of style 'sly'"),
        ({"device": "tpu"}, "device='tpu' is not allowed; allowed: one of auto, cpu, gpu"),
        (
            {"search_share": 0.1},
            "search_share=0.1 needs learner='ppo'; sb3 allows init_from=None, expert=None, equivariant=False, search_share=0",
        ),
        ({"learner": "ppo", "search_share": 1.5}, "search_share=1.5 is not allowed; allowed: a number from 0 to 1"),
        (
            {"learner": "ppo", "num_determinizations": 0},
            "num_determinizations=0 is not allowed; allowed: a whole number from 1",
        ),
        ({"learner": "ppo", "search_actions": 1}, "search_actions=1 is not allowed; allowed: a whole number from 2 to 1000"),
        ({"learner": "ppo", "search_depth": -1}, "search_depth=-1 is not allowed; allowed: a whole number of at least 0"),
        ({"learner": "ppo", "search_only": (-1,)}, r"search_only=\(-1,\) is not allowed; allowed: action numbers"),
        ({"learner": "ppo", "search_only": 12}, "setting search_only=12 is not an action; actions of tennis_v0: 0..11"),
        ({"learner": "ppo", "learn_only": "nothing"}, "learn_only='nothing' is no block of actions; tennis_v0 has "),
        (
            {"learner": "ppo", "learn_only": "play"},
            "learn_only=play needs a network as init_from",
        ),
        ({"learner": "ppo", "learn_only": "play", "init_from": "rules"}, "learn_only=play needs a network as init_from"),
        ({"learner": "sb3", "learn_only": "play"}, "needs learner='ppo'"),
        ({"learner": "ppo", "search_temperature": 0}, "search_temperature=0 is not allowed; allowed: a number above 0"),
        ({"learner": "ppo", "search_policy": "mc"}, "search_policy='mc' is not allowed; allowed: one of self, rules"),
        ({"learner": "ppo", "init_from": 5}, "init_from=5 is not allowed; allowed: None or an agent string"),
        ({"learner": "ppo", "init_from": "mc"}, "init_from='mc' plays one game at a time, and cannot be copied"),
        ({"learner": "ppo", "init_from": "nobody"}, "no agent 'nobody'"),
    ],
    ids=str,
)
def test_bad_settings(values, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        tiny(tmp_path / "run", **values)
    assert not (tmp_path / "run").exists()


def test_a_gpu_is_used_if_torch_sees_one(monkeypatch, tmp_path):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match=r"setting device='gpu' needs torch .* and a GPU that it sees; allowed here"):
        Settings.make({"game": "tennis_v0", "device": "gpu"})
    with pytest.raises(ValueError, match="device='gpu' needs torch"):
        tiny(tmp_path / "run", learner="ppo", device="gpu")
    assert find_gpu("auto") is None and Settings.make({"game": "tennis_v0"}) == Settings("tennis_v0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert find_gpu("gpu") == find_gpu("auto") == "cuda" and find_gpu("cpu") is None
    assert Settings.make({"game": "tennis_v0"}).batch_size > 2048 == Settings.make({"game": "x", "device": "cpu"}).batch_size
    assert Settings.make({"game": "tennis_v0", "num_envs": 8, "batch_size": 64}).batch_size == 64
    assert Settings.make({"game": "tennis_v0", "learner": "sb3"}).device == "auto"
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    assert find_gpu("auto") is None
    with pytest.raises(ValueError, match="device='gpu' needs torch"):
        find_gpu("gpu")


def test_unknown_games_and_options(tmp_path):
    with pytest.raises(ValueError, match="no game 'tenis_v0'; did you mean 'tennis_v0'"):
        training.train("tenis_v0", out=tmp_path / "run")
    with pytest.raises(ValueError, match="has no option 'players'"):
        training.train("tennis_v0", {"players": 3}, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_settings_are_kept_as_they_are():
    settings = Settings("tennis_v0", {"num_players": 3}, hidden=(3, 4))
    assert Settings.from_json(settings.to_json()) == settings
    for fixed, past in ((0, 0), (2, 0), (0, 3), (2, 3)):
        shares = settings.shares(fixed, past)
        assert len(shares) == fixed + 1 + past and sum(shares) == pytest.approx(1) and min(shares) >= 0
        assert shares[fixed] >= 0.8 - 1e-9


@pytest.fixture
def money(monkeypatch):
    """The toy game about chips as a registered game."""
    know(monkeypatch, toy.MONEY)


def money_run(out, **changes):
    opponents = {"fixed_opponents": ["random"], "eval_opponents": ["random"]}
    return training.train("toy_v0", out=out, progress=False, **{**TINY, **opponents, **changes})


def test_rewards_are_brought_to_one_scale(money, tmp_path):
    options = toy.MONEY.make_options({})
    scale = training.measured_scale(toy.MONEY, options, [toy.FirstLegal(), toy.last_agent(3)])
    tables = [[toy.FirstLegal(), toy.last_agent(3)] * 2, [toy.last_agent(3), toy.FirstLegal()] * 2]
    returns = [play_batch(toy.MONEY, options, table[:3], 200, training._SCALE_SEED) for table in tables]
    assert scale == pytest.approx(1 / np.std(returns)) and 0 < scale < 0.1
    options = toy.GAME.make_options({})
    returns = play_batch(toy.GAME, options, [toy.FirstLegal()] * options.num_players, 200, training._SCALE_SEED)
    assert training.measured_scale(toy.GAME, options, [toy.FirstLegal()]) == pytest.approx(1 / np.std(returns))
    options = toy.MONEY.make_options({})
    whole = money_run(tmp_path / "whole", total_steps=1024)
    scale = training.measured_scale(toy.MONEY, options, [RandomAgent()])
    agent = learned.load(whole.weights, toy.MONEY, options)
    assert agent.training["reward_scale"] == np.float32(scale)
    scaled = money_run(tmp_path / "given", total_steps=512, reward_scale=0.5)
    assert learned.load(scaled.weights, toy.MONEY, options).training["reward_scale"] == 0.5


def test_a_resumed_run_keeps_the_scale_it_has_measured(money, tmp_path, monkeypatch):
    whole, parts = money_run(tmp_path / "whole", total_steps=1024), money_run(tmp_path / "parts", total_steps=512)
    monkeypatch.setattr(training, "measured_scale", lambda *_: pytest.fail("measured again"))
    assert training.resume(tmp_path / "parts", total_steps=1024, progress=False).steps == 1024
    scales = [learned.load(run.weights, toy.MONEY, toy.MONEY.make_options({})).training for run in (whole, parts)]
    assert scales[0]["reward_scale"] == scales[1]["reward_scale"] != 1


def test_the_learners_mates_are_itself(tmp_path):
    options = toy.TEAMS.make_options({"num_players": 4})
    fixed = [toy.FirstLegal(), toy.last_agent(4)]
    env = sb3.make_env(Settings.make({"game": "toy_v0", "learner": "sb3"}), toy.TEAMS, options, fixed)
    assert isinstance(env, SelfPlayVecEnv) and env.reward_scale == 1
    env.reset()
    mates = (env.games.seat + 2) % 4
    assert (env.games._seats.players[np.arange(env.num_envs), mates] == 2).all()


def test_tensorboard_logs(tmp_path):
    run = tmp_path / "run"
    tiny(run, total_steps=512, tensorboard=True)
    assert [path.name[:10] for path in (run / "tensorboard").iterdir()] == ["events.out"]


def test_a_torn_log_is_mended(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("steps,a\n1,x\n2,y\n3,z\n4")
    log = CsvLog(path, ["steps", "a"], keep=2)
    log.write({"steps": 5, "other": 1})
    assert path.read_text() == "steps,a\n1,x\n2,y\n5,\n"


def test_without_the_extra():
    """What else needs none is tested with the learner that needs none."""
    code = """
import sys
for name in ("torch", "stable_baselines3", "sb3_contrib"):
    sys.modules[name] = None
import wilddeck.training.evaluate, wilddeck.training.train
try:
    import wilddeck.seats.sb3_vec_env
except ImportError as error:
    print(error)
"""
    child = run_python(code)
    assert "training needs the extra `train`: pip install 'wilddeck[train]'" in child.stdout, child.stderr


class Constant(Agent):
    """Plays the first legal action."""

    name = "constant"

    def act_batch(self, views, rng):
        return views.action_mask.argmax(axis=1)


def test_evaluation(finished):
    _, result = finished
    results = evaluate(result.weights, "tennis_v0", {"num_players": 3}, against=["random", Constant()], games=40, seed=3)
    assert list(results) == ["random", "constant"]
    for figures in results.values():
        assert figures.games == 42 and len(figures.team_means) == 3
        assert figures.mean == pytest.approx(sum(figures.team_means) / 3) and 0 <= figures.win_rate <= 1
    assert table(results).row_count == 2
    same = evaluate("random", "tennis_v0", against=["random"], games=2000)["random"]
    assert abs(same.mean) < 5 * same.standard_error and abs(same.win_rate - 0.25) < 0.05
    with pytest.raises(ValueError, match="games must be an integer of at least 1"):
        evaluate("random", "tennis_v0", games=0)
    with pytest.raises(ValueError, match=r"games needs about .* of memory"):
        evaluate("random", "tennis_v0", games=10**15)


def test_with_a_time_limit_alone_no_number_of_steps_ends_a_run(tmp_path: Any) -> None:
    training.train("tennis_v0", {"num_players": 2}, out=tmp_path / "run", progress=False, max_seconds=0.5)
    assert json.loads((tmp_path / "run" / "settings.json").read_text(encoding="utf-8"))["total_steps"] is None


def test_runs_with_seeds_that_are_neighbours_have_no_deal_in_common():
    seeds = [
        set(sb3.make_env(Settings("tennis_v0", num_envs=64, seed=seed), *envs.resolve("tennis_v0"), []).batch.states["seed"])
        for seed in (0, 1)
    ]
    assert len(seeds[0] | seeds[1]) == 128


def test_one_name_stands_for_a_list_of_one():
    settings = Settings.make({"game": "tennis_v0", "fixed_opponents": "rules", "hidden": 64})
    assert settings.fixed_opponents == ("rules",) and settings.hidden == (64,)
