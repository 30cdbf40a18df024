"""An environment of verifiers: rollouts by its own machinery, the model being a server that stands in for one."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.interpreted]
pytest.importorskip("verifiers", reason="verifiers is not installed")
import verifiers.v1 as vf  # noqa: E402
from support import WITHIN  # noqa: E402
from toy_game import FirstLegal  # noqa: E402
from wilddeck import envs  # noqa: E402
from wilddeck.agents.play import play_game  # noqa: E402
from wilddeck.testing.chat_server import ChatServer  # noqa: E402

TENNIS = {"num_players": 2, "max_tricks": 50}
MODULE = """\
from wilddeck.frameworks.verifiers import CardEnv, CardHarness, CardTaskset

__all__ = ["CardEnv", "CardHarness", "CardTaskset"]
"""


@pytest.fixture(autouse=True)
def module(tmp_path, monkeypatch):
    """The module by whose name verifiers finds the environment."""
    (tmp_path / "wilddeck_cards.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("STAND_IN_KEY", "any")
    monkeypatch.setattr("verifiers.v1.runtimes.subprocess.CACHE_DIR", tmp_path)
    yield
    sys.modules.pop("wilddeck_cards", None)


def environment(taskset, **settings):
    taskset = {"id": "wilddeck-cards", "game": "tennis_v0", "options": TENNIS, "opponents": "random", **taskset}
    return vf.load_environment(vf.resolve_env_config({"taskset": taskset, **settings}))


def rollouts(env, server, number=1, **sampling):
    """The episodes of the first tasks."""
    client = vf.EvalClientConfig(base_url=server.base_url, api_key_var="STAND_IN_KEY")
    context = vf.ModelContext(model="stand-in", client=client, sampling=vf.SamplingConfig(**sampling))

    async def play():
        async with env.serving():
            tasks = list(itertools.islice(env.taskset, number))
            slots = [slot for task in tasks for slot in env.slots(task)]
            return await asyncio.gather(*(env.run_slot(slot, context) for slot in slots))

    return asyncio.run(play())


def test_tasks_deal_and_seat():
    """Each deal from every seat before the next; equal seeds, equal deals."""
    tasks = list(itertools.islice(environment({"options": {"num_players": 3}}).taskset, 7))
    assert [task.data.seat for task in tasks] == [0, 1, 2, 0, 1, 2, 0]
    seeds = [task.data.seed for task in tasks]
    assert seeds[0] == seeds[1] == seeds[2] != seeds[3] == seeds[5] != seeds[6] and max(seeds) < 2**63
    again = [task.data.seed for task in itertools.islice(environment({"options": {"num_players": 3}}).taskset, 7)]
    other = [task.data.seed for task in itertools.islice(environment({"seed": 1}).taskset, 7)]
    assert again == seeds and not {*other} & {*seeds}
    assert tasks[4].data.name == "tennis_v0, deal 1, seat 1"


def test_a_rollout_is_a_game_and_its_reward_the_return():
    env = environment({})
    with ChatServer("first") as server:
        episodes = rollouts(env, server, 2, temperature=0.5)
    for seat, episode in enumerate(episodes):
        (trace,) = episode.traces
        assert episode.ok and not trace.errors, trace.errors
        agents = ["random", "random"]
        agents[seat] = FirstLegal()
        expected = play_game("tennis_v0", TENNIS, agents, trace.task.data.seed).returns[seat]
        assert trace.reward == pytest.approx(expected)
        assert trace.rewards.keys() == {"game_return"}
        assert trace.metrics["decisions"] == trace.num_turns > 3
        assert trace.metrics["refused"] == trace.metrics["forfeited"] == 0
    for received in server.requests:  # each decision is asked alone, by the prompt of `llm:` agents
        roles = [message["role"] for message in received.body["messages"]]
        assert roles == ["system", "user"] and received.body["temperature"] == 0.5
        assert "You play Tennis with 2 players" in received.body["messages"][0]["content"]
        assert re.search(r"^\d+: play ", received.body["messages"][1]["content"], re.M)


def test_its_command_evaluates(tmp_path):
    """`vf-eval` in a process of its own, as the guide has it."""
    command = [
        str(Path(sys.executable).with_name("vf-eval")),
        "wilddeck-cards",
        "--select.limit",
        "2",
        "-m",
        "stand-in",
        "--no-push",
    ]
    command += ["--env.taskset.opponents", "random", "--env.taskset.options", json.dumps(TENNIS)]
    with ChatServer("first") as server:
        command += ["--client.base-url", server.base_url, "--client.api-key-var", "STAND_IN_KEY"]
        env = {**os.environ, "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=WITHIN)
    assert done.returncode == 0, done.stderr
    (traces,) = tmp_path.glob("outputs/*/traces.jsonl")
    kept = [json.loads(line) for line in traces.read_text().splitlines()]
    assert {trace["task"]["data"]["seat"] for trace in kept} == {0, 1} and all(trace["ok"] for trace in kept)


def test_answers_of_no_use_are_sent_back_and_then_give_the_game_up():
    with ChatServer("first", faults=["nonsense", "", "illegal", "", "nonsense", "illegal"]) as server:
        (episode,) = rollouts(environment({}), server)
    (trace,) = episode.traces
    game, options = envs.resolve("tennis_v0", TENNIS)
    assert trace.ok and trace.reward == game.return_range(options)[0]
    assert trace.metrics == {"decisions": 2.0, "refused": 4.0, "forfeited": 1.0}
    contents = [received.body["messages"][1]["content"] for received in server.requests]
    said = [content.startswith("Your last answer could not be played: ") for content in contents]
    assert said == [False, True, False, True, False, True] and len(contents) == 6


def test_more_attempts_are_allowed_where_the_configuration_says_so():
    with ChatServer("first", faults=["nonsense"] * 3) as server:
        (episode,) = rollouts(environment({}, attempts=4), server)
    assert episode.traces[0].metrics["forfeited"] == 0 and episode.traces[0].metrics["refused"] == 3


def test_a_model_that_may_say_no_more_has_given_up():
    with ChatServer("first") as server:
        (episode,) = rollouts(environment({}, player={"max_turns": 2}), server)
    (trace,) = episode.traces
    assert trace.metrics["forfeited"] == 1 and trace.metrics["decisions"] == 2 and len(server.requests) == 2


def test_a_server_that_fails_is_no_play():
    with ChatServer("first", faults={"401": 1.0}) as server:
        (episode,) = rollouts(environment({}), server)
    assert not episode.ok and "game_return" not in {name for name, reward in episode.traces[0].rewards.items() if reward}


def test_search_rewards_decisions():
    """The mean of what actions give away is a reward of its own, whose weight the configuration sets."""
    task = {"search": "mc:rollouts=6,policy=random", "rewards": {"search_gain": {"weight": 0.5}}}
    with ChatServer("first") as server:
        (episode,) = rollouts(environment({"task": task}), server)
    (trace,) = episode.traces
    gains = trace.info["gains"]
    assert len(gains) == trace.metrics["decisions"] and all(gain <= 0 for gain in gains) and min(gains) < 0
    assert trace.rewards["search_gain"].value == pytest.approx(0.5 * sum(gains) / len(gains))
    assert trace.reward == pytest.approx(trace.info["return"] + trace.rewards["search_gain"].value)


def test_the_model_against_itself():
    """A trace for each of its seats, with the prompts of that seat only."""
    options = {"num_players": 3, "max_tricks": 50}
    with ChatServer("first") as server:
        (episode,) = rollouts(environment({"options": options, "opponents": ["self", "random"]}), server)
    traces = {trace.task.data.seat: trace for trace in episode.traces}
    assert traces.keys() == {0, 1}
    seed = traces[0].task.data.seed
    expected = play_game("tennis_v0", options, [FirstLegal(), FirstLegal(), "random"], seed).returns
    for seat, trace in traces.items():
        assert trace.reward == pytest.approx(expected[seat])
        assert f"as player {seat}." in trace.task.data.system_prompt


def test_a_system_prompt_of_ones_own(tmp_path):
    """As verifiers' searches for prompts set it."""
    (tmp_path / "prompt.txt").write_text("Play well.")
    with ChatServer("first") as server:
        rollouts(environment({"system_prompt": str(tmp_path / "prompt.txt")}), server)
    assert {received.body["messages"][0]["content"] for received in server.requests} == {"Play well."}


@pytest.mark.parametrize(
    ("taskset", "message"),
    [
        ({"opponents": "nobody"}, "no agent 'nobody'"),
        ({"rules": "long"}, "allowed: short, full, none"),
        ({"task": {"search": "rules"}}, "search='rules' is not a search; allowed: mc"),
        ({"opponents": ["random", "random"]}, "2 players need 1 opponents, not 2"),
    ],
)
def test_what_cannot_be_is_an_error_of_the_episode(taskset, message):
    with ChatServer("first") as server:
        (episode,) = rollouts(environment(taskset), server)
    assert not episode.ok and message in episode.errors[0].message and not server.requests


def test_options_that_cannot_be_are_refused_when_tasks_are_dealt():
    with pytest.raises(ValueError, match="num_players"):
        next(iter(environment({"options": {"num_players": 99}}).taskset))
