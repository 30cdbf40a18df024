"""One network for all numbers of players: what the learners share is a network that is given zeros for absent seats."""

from __future__ import annotations

import numpy as np
import pytest
from wilddeck.agents.learned import LearnedAgent
from wilddeck.agents.network import unflatten
from wilddeck.benchmarks import baselines
from wilddeck.benchmarks.studies import seat_counts
from wilddeck.benchmarks.studies.seat_counts import GAME, Course, Shared

TINY = {"equivariant": False, "init_from": None, "hidden": (6, 5), "num_envs": 4, "rollout_steps": 8, "batch_size": 16}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(baselines.BASELINES, "tennis_v0", baselines.Baseline("tennis_v0", 512, settings=TINY))


def test_the_shared_network_is_one_with_padded_observations() -> None:
    """From the vector itself: rows by input, a bias for each number of players, then the layers that all have in common."""
    counts = (2, 3, 6)
    courses = [Course(count, 0, lambda: 1.0) for count in counts]
    shared = Shared(courses)
    before = shared.weights.copy()
    for _ in range(2):
        shared.update()
    shared.settle()
    most, width = courses[-1].learner.collector.policy_inputs, 6
    assert most == GAME.observation_size(GAME.make_options({"num_players": 6}))
    first = shared.weights[: most * width].reshape(most, width)
    assert (first != before[: most * width].reshape(most, width)).any()
    behind = (most + len(counts)) * width
    rest = [(array, bias) for array, bias in unflatten(courses[-1].learner.policy)[1:]]
    assert np.array_equal(shared.weights[behind : behind + 30].reshape(6, 5), rest[0][0])
    rng = np.random.default_rng(1)
    for number, count in enumerate(counts):
        blocks = {name: rng.random(slot.stop - slot.start) for name, slot in GAME.observation.slices(count).items()}
        padded = np.zeros((1, most), np.float32)
        for name, slot in GAME.observation.slices(6).items():
            padded[0, slot.start : slot.start + len(blocks[name])] = blocks[name]
        one_hot = np.eye(len(counts), dtype=np.float32)[[number]]
        biases = shared.weights[most * width : behind].reshape(len(counts), width)
        layers = [(np.vstack([first, biases]), np.zeros(width, np.float32)), *rest]
        expected = LearnedAgent(layers, "relu").logits(np.hstack([padded, one_hot]))
        own = courses[number].learner.agent().logits(np.concatenate(list(blocks.values()))[None].astype(np.float32))
        np.testing.assert_allclose(own, expected, atol=1e-5)
    for course in courses:
        course.learner.close()


def test_what_one_learner_learns_the_others_begin_with() -> None:
    courses = [Course(count, 0, lambda: 1.0) for count in (2, 4)]
    shared = Shared(courses)
    shared.update()
    after, first_steps = courses[0].learner.weights.copy(), courses[0].learner.adam_steps
    shared.settle()
    learner = courses[0].learner
    assert (learner.weights != after).any()  # the second learner went on with them
    assert learner.adam_steps == courses[1].learner.adam_steps == shared.adam_steps > first_steps > 0
    assert np.array_equal(shared.weights[shared.places[0]], learner.weights)
    assert np.array_equal(shared.moments[:, shared.places[1]], courses[1].learner.adam_moments)
    hands = [GAME.observation.slices(count)["hand"] for count in (2, 4)]
    rows = [unflatten(course.learner.policy)[0][0][hand] for course, hand in zip(courses, hands, strict=True)]
    assert np.array_equal(*rows)
    for course in courses:
        course.learner.close()


@pytest.mark.long
def test_the_study_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seat_counts, "warmup", lambda game: None)
    assert seat_counts.main(["--counts", "2", "6", "--seconds", "1", "--deals", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| players |") and [line.split("|")[1].strip() for line in lines[2:]] == ["2", "6"]
    assert all(line.count("±") == 3 for line in lines[2:])
