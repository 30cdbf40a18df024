"""Data sets as other libraries read them: every decision once, with the numbers of the files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("pyarrow")
from wilddeck import data
from wilddeck.data import recording

GAME, OPTIONS = "tennis_v0", {"num_players": 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some games in several row groups."""
    where = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recording, "GROUP_ROWS", 200)
        data.record(GAME, ["rules", "random", "random"], 30, where, OPTIONS, 1, history=4)
    return where


def numbered(columns: dict[str, Any]) -> list[tuple[int, int]]:
    """Episode and decision of each row."""
    return list(zip(np.asarray(columns["episode"]).tolist(), np.asarray(columns["decision"]).tolist(), strict=True))


def together(batches: Iterable[dict[str, Any]]) -> dict[str, Any]:
    parts = list(batches)
    return {name: np.concatenate([np.asarray(part[name]) for part in parts]) for name in parts[0]}


# --- torch ---


def test_batches_of_torch_hold_every_decision_once(folder: Path) -> None:
    torch = pytest.importorskip("torch")
    every = data.read(folder)
    batches = list(data.torch_dataset(folder, batch_size=64, window=0))
    assert [len(batch["seat"]) for batch in batches[:-1]] == [64] * (len(batches) - 1) and len(batches) > 3
    kinds = {"observation": torch.float32, "action_mask": torch.bool, "action": torch.int64, "history": torch.int32}
    assert all(batches[0][name].dtype == kind for name, kind in kinds.items())
    whole = together(batches)
    assert whole.keys() == every.keys()
    for name, array in every.items():
        assert np.array_equal(whole[name], np.asarray(array), equal_nan=name == "log_prob"), name


def test_torch_mixes_within_a_window(folder: Path) -> None:
    """Other each time, and by `manual_seed` the same; every decision once, also in several workers."""
    torch = pytest.importorskip("torch")
    every, dataset = data.read(folder), data.torch_dataset(folder, batch_size=64, window=500)
    torch.manual_seed(3)
    first, second = (numbered(together(dataset)) for _ in range(2))
    assert first != second and first != numbered(every)
    assert sorted(first) == sorted(second) == sorted(numbered(every))
    assert len({episode for episode, _ in first[:64]}) >= 3
    torch.manual_seed(3)
    assert numbered(together(dataset)) == first
    loader = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=2)
    shared = [numbered(together(loader)) for _ in range(2)]
    assert shared[0] != shared[1] and all(sorted(each) == sorted(numbered(every)) for each in shared)


def test_torch_reads_what_is_chosen(folder: Path) -> None:
    pytest.importorskip("torch")
    whole = together(data.torch_dataset(folder, 64, columns=["seat", "action"], agent="random"))
    assert whole.keys() == {"seat", "action"} and set(whole["seat"]) == {1, 2}
    texts = next(iter(data.torch_dataset(folder, 3, 0, ["events"])))["events"]
    assert texts == data.read(folder, ["events"])["events"][:3].tolist()
    for wrong in ({"batch_size": 0}, {"window": -1}):
        with pytest.raises(ValueError, match="batch_size must be at least 1 and window at least 0"):
            data.torch_dataset(folder, **wrong)


# --- Hugging Face ---


def test_hugging_face(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    pytest.importorskip("datasets")
    every = data.read(folder)
    held, streamed = data.hf_dataset(folder), data.hf_dataset(folder, streaming=True)
    assert held.num_rows == len(every["seat"]) and streamed.num_shards == sum(len(file.rows) for file in data.find(folder)) > 1
    rows = [7, 0, 19]
    stream = list(streamed)
    assert len(stream) == held.num_rows
    for name, array in every.items():
        wanted = np.asarray(array)[rows]
        assert np.array_equal(held[rows][name], wanted, equal_nan=name == "log_prob") and held[rows][name].dtype == wanted.dtype
        found = np.array([stream[row][name] for row in rows])
        assert np.array_equal(found, wanted, equal_nan=name == "log_prob"), name
    mixed = held.shuffle(seed=1)
    assert sorted(numbered(mixed[:])) == sorted(numbered(every)) and numbered(mixed[:]) != numbered(every)


# --- Minari ---


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_minari(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An episode is a game as one seat lived it, in the environment of one seat."""
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    before = dict(gymnasium.spec("wilddeck/tennis-v0").kwargs)
    data.to_minari(folder, "wilddeck/tennis-v0", agent="random")
    assert gymnasium.spec("wilddeck/tennis-v0").kwargs == before
    dataset, columns = minari.load_dataset("wilddeck/tennis-v0"), data.read(folder, agent="random")
    assert dataset.total_steps == len(columns["seat"])
    env = dataset.recover_environment()
    assert env.observation_space == dataset.observation_space and env.action_space == dataset.action_space
    ends = np.flatnonzero(columns["done"])
    assert dataset.total_episodes == len(ends)
    keys = sorted({(e, s) for e, s in zip(columns["episode"].tolist(), columns["seat"].tolist(), strict=True)})
    raw = gymnasium.make("wilddeck/tennis-v0", **OPTIONS).unwrapped.raw_env
    for number in (0, len(keys) - 1):
        episode, (game, seat) = dataset[number], keys[number]
        rows = np.flatnonzero((columns["episode"] == game) & (columns["seat"] == seat))
        assert np.array_equal(episode.observations["observation"][:-1], columns["observation"][rows])
        assert np.array_equal(episode.observations["action_mask"][:-1], columns["action_mask"][rows])
        assert np.array_equal(episode.actions, columns["action"][rows])
        assert np.array_equal(episode.rewards, columns["reward"][rows])
        assert episode.terminations.tolist() == [False] * (len(rows) - 1) + [True] and not episode.truncations.any()
        raw.reset(seed=1 + game)
        whole = data.read(folder, ["episode", "action"])
        for action in whole["action"][whole["episode"] == game]:
            raw.step(action)
        assert np.array_equal(episode.observations["observation"][-1], raw.observe(f"player_{seat}")["observation"])
        assert not episode.observations["action_mask"][-1].any()
