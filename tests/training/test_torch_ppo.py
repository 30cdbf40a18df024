"""Networks and learners of one's own: training, files, leagues, exploiters."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path
from typing import Any

import kuhn
import numpy as np
import pytest

pytest.importorskip("torch")

import own_networks
import torch
from wilddeck import agents, envs
from wilddeck.agents import learned, modules
from wilddeck.agents.modules import ModuleAgent, Shapes
from wilddeck.agents.play import evaluate, play_batch
from wilddeck.agents.random import RandomAgent
from wilddeck.agents.tensors import WeightsError, is_module
from wilddeck.agents.views import BatchViews, Views
from wilddeck.envs.core.batch import Batch
from wilddeck.envs.core.credit import credit_rewards
from wilddeck.league import League
from wilddeck.seats.opponents import Pool
from wilddeck.training.exploit import exploit
from wilddeck.training.settings import Settings
from wilddeck.training.torch_ppo import LossWeights, Minibatch, TorchPPO, _by_seat
from wilddeck.training.train import resume, train
from wilddeck.training.whole_games import Answers, Collector, Players

PLAIN, REMEMBERS = "own_networks:Plain", "own_networks:Remembers"
TENNIS = envs.game("tennis_v0")
TINY: dict[str, Any] = {
    "num_envs": 8, "rollout_steps": 16, "batch_size": 64, "epochs": 1, "eval_deals": 2, "snapshot_every": 100,
    "checkpoint_every": 100, "progress": False, "fixed_opponents": "random", "eval_opponents": "random",
}  # fmt: skip
OPTIONS = TENNIS.make_options({"num_players": 2})


def agent_of(factory: str = PLAIN, history: int = 0, greedy: bool = False) -> ModuleAgent:
    torch.manual_seed(1)
    return ModuleAgent(factory, Shapes.of(TENNIS, OPTIONS, history), greedy)


# --- rollouts ---


class Asked(RandomAgent):
    """A random player that is asked for each decision."""

    policy = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("game", "options"), [pytest.param("spades_v0", {}, marks=pytest.mark.long), ("tennis_v0", {"num_players": 3})]
)
def test_decisions_are_credited_as_recorded_steps_would_be(game: str, options: dict[str, Any]) -> None:
    """One player on all seats; their games are played again step by step."""
    kind, agent, rng = envs.game(game), Asked(), np.random.default_rng(0)
    made = kind.make_options(options)

    def answer(views: Views, chosen: np.ndarray | None) -> Answers:
        assert chosen is None
        return Answers(agent.act_batch(views, rng), *np.zeros((2, len(views)), np.float32))

    players = Players(Pool(kind, [agent]), np.ones(1), 0, agent)
    games = Collector(kind, made, 4, 0, 1).collect(players, answer, 150, 0.5, 7)
    assert len(games.views) >= 150 and games.games >= 4
    for row in range(4):
        batch, numbers = Batch(kind, made, 1, 7 + row), np.flatnonzero(games.views.rows == row)
        seats, rewards, dones, decided = list[Any](), list[Any](), list[Any](), list[Any]()
        left = iter(numbers)
        while sum(decided) < len(numbers) or not dones[-1]:
            decided.append(batch.action_mask.sum() > 1)
            seats.append(batch.current_player[0])
            action = batch.action_mask[0].argmax()
            if decided[-1]:
                number = next(left)
                assert games.views.observation[number].tobytes() == batch.observation[0].tobytes()
                assert games.views.seats[number] == seats[-1]
                action = games.answers.actions[number]
            batch.step([action])
            rewards.append(batch.rewards[0].copy())
            dones.append(batch.terminated[0] or batch.truncated[0])
        moved, paid, over, chose = (np.array(array)[:, None] for array in (seats, rewards, dones, decided))
        credit = credit_rewards(moved, paid, over, decisions=chose, teams=kind.teams(made))
        steps = np.flatnonzero(decided)
        assert games.credit.rewards[numbers, 0] == pytest.approx(0.5 * credit.rewards[steps, 0])
        following = games.credit.next[numbers, 0]
        assert ((following == -1) == (credit.next[steps, 0] == -1)).all()
        of_step = dict(zip(numbers.tolist(), steps.tolist(), strict=True))
        assert [of_step.get(int(number), -1) for number in following] == credit.next[steps, 0].tolist()


def test_the_terms_of_the_loss() -> None:
    """As they are written down, on decisions made up."""
    learner = TorchPPO(settings(clip_range=0.1, vf_coef=0.3), TENNIS, OPTIONS, [], None, 1.0, lambda: 0.5)
    generator = torch.Generator().manual_seed(1)
    count, actions = 60, 7
    logits, legal = torch.randn((count, actions), generator=generator), torch.rand((count, actions), generator=generator) < 0.6
    legal[:, 0] = True
    logits = modules.masked(logits, legal)
    chosen, before = torch.zeros(count, dtype=torch.int64), torch.randn(count, generator=generator) - 2
    advantage, target, values = torch.randn((3, count), generator=generator)
    teacher = modules.masked(torch.zeros_like(logits), legal).softmax(dim=1)
    learner.weights = LossWeights(1.0, 0.02, 0.7)
    seen = (torch.zeros((count, 1)), legal, torch.zeros((count, 0, 6)), torch.zeros(count))
    total, statistics = learner.loss(Minibatch(seen, chosen, before, advantage, target, teacher), logits, values)
    surrogate = entropy = clipped = crossed = 0.0
    for k in range(count):
        probs = [float(np.exp(logit)) if ok else 0.0 for logit, ok in zip(logits[k].tolist(), legal[k].tolist(), strict=True)]
        probs = [p / sum(probs) for p in probs]
        ratio = probs[0] / float(np.exp(float(before[k])))
        surrogate -= min(ratio * float(advantage[k]), min(max(ratio, 0.9), 1.1) * float(advantage[k])) / count
        clipped += (abs(ratio - 1) > 0.1) / count
        entropy -= sum(p * np.log(p) for p in probs if p) / count
        crossed -= sum(q * np.log(p) for p, q in zip(probs, teacher[k].tolist(), strict=True) if p) / count
    error = float(((values - target) ** 2).mean())
    wanted = {"policy_loss": surrogate, "clip_fraction": clipped, "entropy": entropy, "teacher_cross_entropy": crossed}
    assert {name: statistics[name] for name in wanted} == pytest.approx(wanted, rel=1e-4)
    assert float(total) == pytest.approx(surrogate + 0.3 * error - 0.02 * entropy + 0.7 * crossed, rel=1e-4)
    learner.close()


def settings(**values: Any) -> Settings:
    tiny = {name: value for name, value in TINY.items() if name != "progress"}
    return Settings.make({"game": TENNIS.id, "options": {"num_players": 2}, "network": PLAIN, **tiny, **values})


# --- runs ---


def run(out: Path, **values: Any) -> Any:
    return train("tennis_v0", {"num_players": 2}, out=out, **{"network": PLAIN, "total_steps": 300, **TINY, **values})


def test_a_run_with_a_network_of_ones_own(tmp_path: Path) -> None:
    result = run(tmp_path / "run", network=own_networks.Remembers, history=12)
    assert result.steps >= 300 and result.weights.exists() and result.evaluations[-1].returns.keys() == {"random"}
    with (tmp_path / "run" / "progress.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 2 and float(rows[-1]["entropy"]) > 0
    spec = str(result.weights)
    assert is_module(spec) and agents.runs_code(spec)
    with pytest.raises(WeightsError, match="has a network of 'own_networks:Remembers', which would be imported"):
        agents.make(spec, TENNIS, OPTIONS)
    agent = agents.make(spec, TENNIS, OPTIONS, trust=True)
    assert isinstance(agent, ModuleAgent) and agent.history == 12 and agent.training["steps"] == result.steps
    returns = play_batch(TENNIS, OPTIONS, [agent, RandomAgent()], 3, 1)
    assert returns.shape == (3, 2) and not returns.sum(axis=1).any()


def test_a_killed_run_ends_with_the_weights_of_a_whole_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(tmp_path / "whole", total_steps=3000, init_from="rules")
    learn, updates = TorchPPO.update, itertools.count()

    def killed(learner: TorchPPO) -> None:
        if next(updates) == 3:
            raise KeyboardInterrupt
        learn(learner)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(TorchPPO, "update", killed)
        run(tmp_path / "parts", total_steps=3000, init_from="rules")
    with pytest.raises(ValueError, match="names code that would run here, network='own_networks:Plain'"):
        resume(tmp_path / "parts", progress=False)
    parts = resume(tmp_path / "parts", progress=False, trust=True)
    one, two = (modules.load(path, TENNIS, OPTIONS, trust=True).tensors() for path in (whole.weights, parts.weights))
    assert parts.steps == whole.steps and all((one[name] == two[name]).all() for name in one)


def test_equal_settings_give_equal_networks(tmp_path: Path) -> None:
    one, two = (modules.load(run(tmp_path / name, seed=4).weights, TENNIS, OPTIONS, trust=True) for name in "ab")
    assert all((one.tensors()[name] == two.tensors()[name]).all() for name in one.tensors())


def test_a_player_is_copied_first(tmp_path: Path) -> None:
    result = run(
        tmp_path / "run", init_from="rules", total_steps=10_000, num_envs=16, rollout_steps=60, bc_fraction=0.9,
        bc_learning_rate=0.01, kl_coef=0.5, batch_size=32,
    )  # fmt: skip
    with (tmp_path / "run" / "progress.csv").open(encoding="utf-8") as file:
        rows = [float(row["teacher_accuracy"]) for row in csv.DictReader(file) if row["teacher_accuracy"]]
    assert max(rows) > rows[0] + 0.04
    further = run(tmp_path / "further", init_from=str(result.weights), trust=True, total_steps=150, kl_coef=1.0)
    assert further.steps >= 150
    other = run(tmp_path / "other", init_from=str(result.weights), trust=True, total_steps=150, network=REMEMBERS, history=8)
    assert other.steps >= 150  # of another kind: it is copied


def test_a_compiled_network_is_copied(tmp_path: Path) -> None:
    result = run(tmp_path / "run", init_from="trained", total_steps=600, bc_fraction=1.0, network=REMEMBERS, history=8)
    assert result.steps >= 600
    with (tmp_path / "run" / "progress.csv").open(encoding="utf-8") as file:
        assert all(row["teacher_accuracy"] for row in csv.DictReader(file) if row["learning_rate"])


def test_minibatches_of_histories_hold_the_games_of_seats_together() -> None:
    following = np.array([2, 3, 4, -1, -1, -1, 7, -1])
    seats = {(0, 2, 4), (1, 3), (5,), (6, 7)}
    orders = [_by_seat(following, np.random.default_rng(seed)).tolist() for seed in range(4)]
    for order in orders:
        assert sorted(order) == list(range(8))
        assert all(tuple(order[order.index(one[0]) :][: len(one)]) == one for one in seats)
    assert len({tuple(order) for order in orders}) > 1


def test_a_loss_and_a_learner_of_ones_own(tmp_path: Path) -> None:
    run(tmp_path / "timid", learner=own_networks.Timid, total_steps=3000, learning_rate=0.01)
    timid = agents.make(str(tmp_path / "timid" / "agent.safetensors"), TENNIS, OPTIONS, trust=True)
    batch = Batch(TENNIS, OPTIONS, 50, 1)
    logits = timid.logits(Views.of(batch.observation, batch.action_mask))
    spread = [float(np.ptp(row[np.isfinite(row)])) for row in logits]
    assert np.mean(spread) < 0.15
    counted = run(tmp_path / "counting", learner=own_networks.Counting, network=None)
    with (tmp_path / "counting" / "progress.csv").open(encoding="utf-8") as file:
        assert [row["updates_so_far"] for row in csv.DictReader(file)][-1] >= "1"
    assert isinstance(agents.make(str(counted.weights), TENNIS, OPTIONS), learned.LearnedAgent)
    with pytest.raises(ValueError, match="names code that would run here, learner='own_networks:Counting'"):
        resume(tmp_path / "counting", total_steps=900, progress=False)


@pytest.mark.long
@pytest.mark.parametrize("history", [0, 3])
def test_it_learns_kuhn_poker(tmp_path: Path, history: int) -> None:
    """A network that sees the past alone gets as far as one that sees the observation."""
    result = train(
        kuhn.GAME, out=tmp_path, network=REMEMBERS if history else PLAIN, history=history, total_steps=60_000, num_envs=64,
        rollout_steps=16, batch_size=512, learning_rate=5e-3, ent_coef=0.05, self_play_prob=1.0, greedy=False, progress=False,
        fixed_opponents=("random",), eval_opponents=("random",), eval_deals=500,
    )  # fmt: skip
    agent = agents.make(str(result.weights), kuhn.GAME, trust=True)
    assert evaluate(agent, RandomAgent(), kuhn.GAME, {}, 5000, seed=1).mean > 0.2


# --- where it plays ---


def test_it_plays_in_leagues_and_is_exploited(tmp_path: Path) -> None:
    agent = agent_of(REMEMBERS, 8)
    agent.save(tmp_path / "own.safetensors", TENNIS, OPTIONS)
    with League(tmp_path / "league.sqlite", "tennis_v0", {"num_players": 2}, trust=True) as league:
        league.add("own", str(tmp_path / "own.safetensors"))
        league.add("random", "random")
        league.run(2)
        assert not league.errors() and len(league.results()) == 4
    tiny = {"num_envs": 8, "rollout_steps": 8, "batch_size": 64, "hidden": (8,), "total_steps": 200, "max_seconds": None}
    found = exploit(agent, TENNIS, OPTIONS, deals=4, seed=1, init_from=None, **tiny)
    assert found.agent == "module" and found.steps >= 200


def test_greedy_and_sampled_actions_follow_the_logits() -> None:
    batch = Batch(TENNIS, OPTIONS, 1, 3)
    sampled, greedy = agent_of(), agent_of(greedy=True)
    views = Views.of(batch.observation.repeat(3000, axis=0), batch.action_mask.repeat(3000, axis=0))
    logits = sampled.logits(views)[0]
    probs = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    drawn = np.bincount(sampled.act_batch(views, np.random.default_rng(0)), minlength=len(probs)) / 3000
    assert np.abs(drawn - probs).max() < 0.05 and not drawn[batch.action_mask[0] == 0].any()
    assert (greedy.act_batch(views, np.random.default_rng(0)) == logits.argmax()).all()


def test_the_learner_is_shown_what_its_snapshots_are(tmp_path: Path) -> None:
    """Histories of rollouts are those of batches."""
    learner = TorchPPO(settings(network=REMEMBERS, history=6), TENNIS, OPTIONS, [RandomAgent()], None, 1.0, lambda: 0.5)
    batch = learner.collector.batch
    assert batch.history is not None and batch.history.shape == (8, 6, 6)
    learner.set_snapshots([learner.agent()])
    learner.update()
    views = BatchViews(batch).views(learner.agent(), np.arange(8))
    assert views.history.shape == (8, 6, 6)
    learner.close()


# --- what is wrong ---


def test_files_that_do_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "own.safetensors"
    agent_of().save(path, TENNIS, OPTIONS)
    with pytest.raises(WeightsError, match="is for tennis_v0, not for hearts_v0"):
        modules.load(path, "hearts_v0", trust=True)
    with pytest.raises(WeightsError, match=r"with num_players=4.* the game has"):
        modules.load(path, "tennis_v0", {"num_players": 4}, trust=True)
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    with pytest.raises(WeightsError, match="do not match the file's checksum"):
        modules.load(path, TENNIS, OPTIONS, trust=True)
    other = agent_of(REMEMBERS, 4)
    with pytest.raises(WeightsError, match=r"these weights do not fit own_networks:Remembers: cards.weight is nothing"):
        other.load_tensors(agent_of().tensors())
    assert not is_module(tmp_path / "nothing.safetensors") and not is_module(tmp_path)
    agent_of().save(tmp_path / "own.npz", TENNIS, OPTIONS)
    assert is_module(tmp_path / "own.npz") and modules.load(tmp_path / "own.npz", TENNIS, OPTIONS, trust=True).history == 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"network": "nowhere:Plain"}, "cannot import 'nowhere:Plain'"),
        ({"network": "own_networks:no_module"}, "must return a torch.nn.Module, not 'dict'"),
        ({"network": "own_networks:WrongShapes"}, r"must return logits and value of shapes \[\(2, .*not \[\(2, "),
        ({"network": lambda shapes: None}, "cannot be imported by name; give a function or class at the top level of a module"),
        ({"network": "Plain"}, "allowed: None or the name of a factory, module:factory"),
        ({"network": None, "learner": "torch"}, "learner='torch' needs a network"),
        ({"learner": "ppo"}, "setting network='own_networks:Plain' needs learner='torch'"),
        ({"learner": "nowhere:Learner"}, "cannot import 'nowhere:Learner'"),
        ({"learner": "pp"}, "allowed: ppo, sb3, torch, or module:class"),
        ({"expert": "rules"}, "setting expert='rules' needs learner='ppo'"),
        ({"history": 10**6}, "setting history=1000000 is not allowed"),
    ],
)
def test_one_clear_error(tmp_path: Path, values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(tmp_path / "run", **values)
