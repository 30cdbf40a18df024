"""Weights files and the agents made from them."""

from __future__ import annotations

import builtins
import errno
import io
import itertools
import json
import logging
import os
import random
import struct
import tracemalloc
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
import toy_game as toy
from wilddeck import agents, envs
from wilddeck.agents import learned, tensors
from wilddeck.agents.base import View
from wilddeck.agents.learned import LearnedAgent
from wilddeck.agents.play import play_game
from wilddeck.agents.search import SearchAgent
from wilddeck.agents.views import Views
from wilddeck.envs.core.aec import CardGameEnv

TENNIS = envs.game("tennis_v0")
OPTIONS = TENNIS.make_options({})


def network(game=TENNIS, options=OPTIONS, hidden=(16, 8), activation="tanh", greedy=False, seed=1):
    rng = np.random.default_rng(seed)
    sizes = [game.observation_size(options), *hidden, game.num_actions(options)]
    layers = [(rng.standard_normal((a, b)), rng.standard_normal(b)) for a, b in itertools.pairwise(sizes)]
    return LearnedAgent(layers, activation, greedy)


def positions(count, seed=0):
    batch = envs.make_batch("tennis_v0", count, seed)
    for _ in range(30):
        batch.step(batch.random_actions())
    return batch.observation.copy(), batch.action_mask.copy()


# --- playing ---


@pytest.mark.parametrize("activation", ["tanh", "relu"])
@pytest.mark.parametrize("hidden", [(), (7,), (16, 8), (5, 6, 7)])
def test_greedy_is_the_likeliest_legal_action(activation, hidden):
    agent = network(hidden=hidden, activation=activation, greedy=True)
    observation, mask = positions(300)
    likeliest = np.where(mask, agent.logits(observation), -np.inf).argmax(axis=1)
    assert (agent.act_batch(Views.of(observation, mask), np.random.default_rng(0)) == likeliest).all()


def test_sampling_follows_the_softmax_over_legal_actions():
    agent = network()
    observation, mask = positions(1)
    count = 20_000
    drawn = agent.act_batch(Views.of(observation.repeat(count, 0), mask.repeat(count, 0)), np.random.default_rng(0))
    logits = np.where(mask[0], agent.logits(observation)[0], -np.inf)
    probability = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    frequency = np.bincount(drawn, minlength=12) / count
    assert (frequency[mask[0] == 0] == 0).all() and mask[0].sum() > 2
    assert np.abs(frequency - probability).max() < 5 * 0.5 / count**0.5


def test_a_row_does_not_depend_on_the_others():
    agent = network(greedy=True)
    observation, mask = positions(40)
    rng = np.random.default_rng(0)
    single = [agent.act_batch(Views.of(observation[i : i + 1], mask[i : i + 1]), rng)[0] for i in range(40)]
    assert (agent.act_batch(Views.of(observation, mask), rng) == single).all()


def test_it_plays_single_games():
    agent = network()
    first, second = (play_game(TENNIS, OPTIONS, [agent] * 4, seed=3) for _ in range(2))
    assert first.actions == second.actions and first.actions != play_game(TENNIS, OPTIONS, [agent] * 4, seed=4).actions


def test_extreme_logits_are_no_trouble():
    agent = network(hidden=())
    agent = LearnedAgent([(weight * 1e30, bias) for weight, bias in agent.layers])
    observation, mask = positions(50)
    actions = agent.act_batch(Views.of(observation, mask), np.random.default_rng(0))
    assert mask[np.arange(50), actions].all()


def test_shapes_that_do_not_fit_are_refused():
    agent = network()
    observation, mask = positions(3)
    with pytest.raises(ValueError, match=r"takes observations \[M, "):
        agent.act_batch(Views.of(observation[:, 1:], mask), np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"and masks \[M, 12\]"):
        agent.act_batch(Views.of(observation, mask[:2]), np.random.default_rng(0))
    with pytest.raises(ValueError, match="do not fit together"):
        LearnedAgent([(np.zeros((3, 4)), np.zeros(4)), (np.zeros((5, 2)), np.zeros(2))])
    with pytest.raises(ValueError, match="unknown activation 'gelu'; allowed: tanh, relu"):
        LearnedAgent([(np.zeros((3, 4)), np.zeros(4))], "gelu")


# --- experts ---


def with_expert(game=TENNIS, options=OPTIONS, weight=0.0, greedy=False):
    """A network that sees what the rules would do; `weight` draws it there."""
    rng = np.random.default_rng(1)
    inputs, actions = game.observation_size(options), game.num_actions(options)
    layer = np.vstack([rng.standard_normal((inputs, actions)), weight * np.eye(actions)])
    return LearnedAgent([(layer, np.zeros(actions))], "relu", greedy, expert=agents.make("rules", game))


def test_what_the_expert_would_do_is_seen():
    """With all weight on it the agent plays as the rules do; without, as a network that sees the observation alone."""
    observation, mask = positions(300)
    rules = agents.make("rules", TENNIS).act_batch(Views.of(observation, mask), np.random.default_rng(0))
    follows, ignores = (with_expert(weight=weight, greedy=True) for weight in (1e3, 0.0))
    alone = LearnedAgent([(ignores.layers[0][0][: observation.shape[1]], ignores.layers[0][1])], "relu", greedy=True)
    own = alone.act_batch(Views.of(observation, mask), np.random.default_rng(0))
    assert (follows.act_batch(Views.of(observation, mask), np.random.default_rng(0)) == rules).all() and (
        own != rules
    ).mean() > 0.3
    assert (ignores.act_batch(Views.of(observation, mask), np.random.default_rng(0)) == own).all()
    seen = follows.seen(observation, mask, np.random.default_rng(0))
    assert seen.shape == (300, follows.sizes[0]) and (seen[:, observation.shape[1] :].argmax(axis=1) == rules).all()
    assert follows.observation_size == observation.shape[1]
    for k in range(20):
        (likeliest,) = agents.make("rules", TENNIS).act_batch(Views.of(observation[[k]], mask[[k]]), np.random.default_rng(0))
        assert np.flatnonzero(mask[k])[follows.action_probs(observation[k], mask[k]).argmax()] == likeliest


@pytest.mark.long
def test_an_agent_with_an_expert_plays_out_in_searches_as_it_plays():
    """Playouts by one that follows the rules equal playouts by the rules, which draw no lots in this game."""
    game = envs.game("president_v0")
    options = game.make_options({})
    env = CardGameEnv(game, options)
    env.reset(seed=4)
    view = View.of(env)
    follows, rules = with_expert(game, options, weight=1e6), agents.make("rules", game)
    returns = [SearchAgent(game, policy=policy).playouts(view, view.legal_actions, 8, seed=2) for policy in (follows, rules)]
    assert (returns[0] == returns[1]).all() and returns[0].std() > 0


@pytest.mark.parametrize("ending", [".safetensors", ".npz"])
def test_files_tell_who_the_expert_is(ending, tmp_path):
    path = tmp_path / f"agent{ending}"
    learned.save(path, with_expert(weight=3.0), TENNIS, OPTIONS)
    loaded = learned.load(path, TENNIS, OPTIONS)
    assert (
        loaded.expert is not None and loaded.expert.name == "rules" and (loaded.vector == with_expert(weight=3.0).vector).all()
    )
    again = loaded.like(greedy=True)
    assert again.greedy and again.expert is loaded.expert and again.activation == "relu"


@pytest.mark.parametrize("wrong", [5, "", "random", "rules:sly", ["rules"], True], ids=repr)
def test_an_expert_that_is_none(wrong, tmp_path):
    about, arrays = about_of(with_expert())
    tensors.write(tmp_path / "agent.npz", {**about, "expert": wrong}, arrays)
    fails(tmp_path / "agent.npz", r"allowed: None, 'rules', 'rules:STYLE'|no rule-based agent of style 'sly'|do not map")


def test_a_file_that_does_not_say_who_its_expert_is(tmp_path):
    about, arrays = about_of(with_expert())
    tensors.write(tmp_path / "agent.npz", {name: value for name, value in about.items() if name != "expert"}, arrays)
    fails(tmp_path / "agent.npz", "'expert' is missing from its description")


# --- files ---


@pytest.fixture(params=[".safetensors", ".npz"])
def saved(request, tmp_path):
    path = tmp_path / f"agent{request.param}"
    learned.save(path, network(greedy=True), TENNIS, OPTIONS, {"steps": 7})
    return path


def test_what_is_saved_is_loaded(saved):
    agent, original = learned.load(saved, TENNIS, OPTIONS), network()
    assert agent.greedy and agent.name == "agent" and agent.training == {"steps": 7} and agent.activation == "tanh"
    assert agent.trained_options == vars(OPTIONS)
    observation, _ = positions(5)
    assert (agent.logits(observation) == original.logits(observation)).all()
    assert not learned.load(saved, TENNIS, OPTIONS, greedy=False).greedy
    before = saved.read_bytes()
    learned.save(saved, agent, TENNIS, OPTIONS)
    assert saved.read_bytes() == before
    assert isinstance(agents.make(str(saved), "tennis_v0"), LearnedAgent)


def test_options_that_keep_the_sizes_are_accepted_and_told(saved, caplog):
    with caplog.at_level(logging.INFO, "wilddeck"):
        agent = learned.load(saved, TENNIS, TENNIS.make_options({"max_tricks": 60}))
    assert agent.trained_options["max_tricks"] == 1000 and "trained with" in caplog.text


def fails(path, message, game=TENNIS, options=OPTIONS):
    with pytest.raises(tensors.WeightsError, match=message) as caught:
        learned.load(path, game, options)
    assert str(path) in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_missing_truncated_and_foreign_files(saved):
    data = saved.read_bytes()
    for size in (0, 5, 100, len(data) - 1):
        saved.write_bytes(data[:size])
        fails(saved, "truncated, damaged or not a")
    saved.write_bytes(b"\0" * 200)
    fails(saved, "truncated, damaged or not a")
    saved.unlink()
    fails(saved, "there is no file")
    saved.mkdir()
    fails(saved, "cannot read")
    fails(saved.with_suffix(".bin"), r"end in \.safetensors or \.npz")


def test_other_game_or_options(saved):
    fails(saved, "is for tennis_v0, not for toy_v0", toy.GAME, toy.GAME.make_options({}))
    fails(saved, "with num_players=4.*with num_players=3", options=TENNIS.make_options({"num_players": 3}))


@pytest.mark.parametrize("ending", [".safetensors", ".npz"])
def test_weights_of_half_the_size(ending, tmp_path):
    whole, half = tmp_path / f"whole{ending}", tmp_path / f"half{ending}"
    agent = network()
    learned.save(whole, agent, TENNIS, OPTIONS)
    learned.save(half, agent, TENNIS, OPTIONS, half=True)
    loaded = learned.load(half, TENNIS, OPTIONS)
    for (weight, bias), layer in zip(agent.layers, loaded.layers, strict=True):
        for before, after in zip((weight, bias), layer, strict=True):
            assert after.dtype == np.float32 and (after == before.astype(np.float16)).all()
    assert half.stat().st_size < whole.stat().st_size
    learned.save(tmp_path / f"again{ending}", loaded, TENNIS, OPTIONS, {}, half=True)  # nothing more is lost
    again = learned.load(tmp_path / f"again{ending}", TENNIS, OPTIONS)
    assert (again.vector == loaded.vector).all()
    agent.layers[0][0][0, 0] = 1e6
    with pytest.raises(tensors.WeightsError, match=r"layers.0.weight has values that are not finite"):
        learned.save(half, agent, TENNIS, OPTIONS, half=True)


def about_of(agent):
    path = "/nowhere.safetensors"
    written = {}

    def write(path, about, arrays):
        written.update(about=about, arrays=dict(arrays))

    original, tensors.write = tensors.write, write
    try:
        learned.save(path, agent, TENNIS, OPTIONS)
    finally:
        tensors.write = original
    return written["about"], written["arrays"]


def nan(arrays):
    arrays["layers.1.bias"][3] = np.nan


CHANGES = {
    "format": (lambda about, arrays: about.update(format="x"), "is not a wilddeck policy file"),
    "version": (lambda about, arrays: about.update(version=2), "has version 2 of the format; this wilddeck reads 1"),
    "release": (lambda about, arrays: about.update(spaces_digest="0"), "another release of tennis_v0"),
    "no activation": (lambda about, arrays: about.pop("activation"), "'activation' is missing"),
    "activation": (lambda about, arrays: about.update(activation="gelu"), "unknown activation 'gelu'; allowed: tanh, relu"),
    "equivariant": (lambda about, arrays: about.update(equivariant=1), "'equivariant' in its description is not true or false"),
    "not equivariant": (lambda about, arrays: about.update(equivariant=True), "do not map 234 inputs to 1 outputs"),
    "layers": (lambda about, arrays: about.update(layers=[[1, 2, 3]]), "pairs"),
    "many layers": (lambda about, arrays: about.update(layers=[[2, 2]] * 17), "1 to 16 pairs"),
    "ends": (lambda about, arrays: about["layers"][0].__setitem__(0, 3), "do not map"),
    "sizes": (lambda about, arrays: about.update(observation_size=3), "3 observations, 12 actions"),
    "checksum": (lambda about, arrays: about.update(sha256="0" * 64), "checksum"),
    "values": (lambda about, arrays: arrays["layers.0.weight"].__setitem__((0, 0), 5), "checksum"),
    "nan": (lambda about, arrays: nan(arrays), "layers.1.bias has values that are not finite"),
    "shape": (lambda about, arrays: arrays.update({"layers.1.bias": np.zeros(3, np.float32)}), r"is float32 \[3\], not"),
    "dtype": (lambda about, arrays: arrays.update({"layers.1.bias": np.zeros(8)}), "is float64"),
    "lacking": (lambda about, arrays: arrays.pop("layers.1.bias"), "has the tensors"),
    "more": (lambda about, arrays: arrays.update(extra=np.zeros(1, np.float32)), "has the tensors extra"),
}


@pytest.mark.parametrize("ending", [".safetensors", ".npz"])
@pytest.mark.parametrize("change", CHANGES)
def test_everything_is_checked(change, ending, tmp_path):
    about, arrays = about_of(network())
    modify, message = CHANGES[change]
    modify(about, arrays)
    path = tmp_path / f"agent{ending}"
    tensors.write(path, about, arrays)
    fails(path, message)


def rescaled(path, activation, hidden, factor):
    """A file whose weights are those of a network times a factor."""
    about, arrays = about_of(network(hidden=hidden, activation=activation))
    arrays = {name: array * np.float32(factor) for name, array in arrays.items()}
    tensors.write(path, {**about, "sha256": learned.tensors_sha256(arrays)}, arrays)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_huge_weights_are_refused(activation, tmp_path):
    """At load, and where they would be written."""
    path = tmp_path / "agent.npz"
    rescaled(path, activation, (16, 8), 1e20)
    fails(path, r"agent.npz: the weights are too large: layer \d of 3 could reach .*; float32 allows")
    agent = LearnedAgent([(w * 1e20, b) for w, b in network(activation=activation).layers], activation)
    with pytest.raises(tensors.WeightsError, match="the weights are too large"):
        learned.save(tmp_path / "huge.npz", agent, TENNIS, OPTIONS)
    assert not (tmp_path / "huge.npz").exists()


@pytest.mark.parametrize("activation", ["tanh", "relu"])
@pytest.mark.parametrize("hidden", [(), (7,), (16, 8)])
def test_what_is_loaded_gives_likelihoods_wherever_observations_may_be(activation, hidden, tmp_path):
    path = tmp_path / "agent.npz"
    seen = np.stack([*TENNIS.observation_bounds(OPTIONS), *positions(20)[0]])
    outcomes = set()
    for exponent in range(38):
        rescaled(path, activation, hidden, 10.0**exponent)
        try:
            agent = learned.load(path, TENNIS, OPTIONS)
        except tensors.WeightsError as error:
            outcomes.add("refused" if "too large" in str(error) else str(error))
            continue
        outcomes.add("loaded")
        for observation in seen:
            likely = agent.action_probs(observation, np.ones(12, np.uint8))
            assert np.isfinite(likely).all() and likely.sum() == pytest.approx(1)
    assert outcomes == {"loaded", "refused"}


def test_a_file_that_describes_nothing(tmp_path):
    from safetensors.numpy import save_file

    path = tmp_path / "agent.safetensors"
    save_file({"a": np.zeros(3, np.float32)}, path)
    fails(path, "is not a wilddeck policy file")
    text = b'{"__metadata__": {"wilddeck": "[1"}}'
    path.write_bytes(struct.pack("<Q", len(text)) + text)
    fails(path, "truncated, damaged")
    np.savez(tmp_path / "agent.npz", wilddeck=np.frombuffer(json.dumps([1]).encode(), np.uint8))
    fails(tmp_path / "agent.npz", "is not a wilddeck policy file")


def test_files_that_are_too_large(tmp_path, monkeypatch):
    path = tmp_path / "agent.npz"
    learned.save(path, network(), TENNIS, OPTIONS)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, a=np.zeros(10**6))
    monkeypatch.setattr(learned, "MAX_BYTES", 10**5)
    path.write_bytes(buffer.getvalue())
    assert path.stat().st_size < 10**5
    fails(path, "unpacks to")
    path.write_bytes(b"0" * (10**5 + 1))
    fails(path, "100,001 bytes; the limit is 100,000")


def test_pickles_in_npz_are_not_loaded(tmp_path):
    path = tmp_path / "agent.npz"
    np.savez(path, a=np.array([{"a": 1}], object), allow_pickle=True)
    fails(path, "truncated, damaged or not a .npz file")


def npy(header: str, content: bytes = b"") -> bytes:
    """A file in numpy's format with any header."""
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + content


def archive(members, compression=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return buffer.getvalue()


def lying_about_its_size(data: bytes, size: int) -> bytes:
    """The archive's only member says, in both of its headers, that it unpacks to `size` bytes."""
    start = data.index(b"PK\x01\x02")
    data = data[:22] + struct.pack("<I", size) + data[26:]
    return data[: start + 24] + struct.pack("<I", size) + data[start + 28 :]


F4 = "{{'descr': '<f4', 'fortran_order': False, 'shape': {}}}"
FORGED_NPZ = {
    "no header": archive({"a.npy": b"numbers"}),
    "no array": archive({"a.txt": b"text"}),
    "nothing": archive({}),
    "an object": archive(
        {"a.npy": npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"cos\nsystem\n(S'true'\ntR.")}
    ),
    "no bytes each": archive({"a.npy": npy("{'descr': '|V0', 'fortran_order': False, 'shape': (9,)}")}),
    "huge": archive({"a.npy": npy(F4.format((10**12,)), b"0000")}),
    "too huge for memory": archive({"a.npy": npy(F4.format((2**62, 2**62)))}),
    "negative": archive({"a.npy": npy(F4.format((-1,)), b"0000")}),
    "twice negative": archive({"a.npy": npy(F4.format((-1, -1)), b"0000")}),
    "a header that is code": archive({"a.npy": npy("__import__('os').abort()")}),
    "a deep header": archive({"a.npy": npy("(" * 9000 + ")" * 9000)}),
    "another version": archive({"a.npy": b"\x93NUMPY\x07\x00" + bytes(40)}),
    "a deep description": archive(
        {"wilddeck.npy": npy("{'descr': '|u1', 'fortran_order': False, 'shape': (100000,)}", b"[" * 10**5)}
    ),
    "a description that is no text": archive({"wilddeck.npy": npy(F4.format((1,)), b"\xff\xff\xff\xff")}),
    "packed otherwise": archive({"a.npy": npy(F4.format((10**6,)), bytes(4 * 10**6))}, zipfile.ZIP_BZIP2),
    "more than it says": lying_about_its_size(archive({"a.npy": npy(F4.format((10**7,)), bytes(4 * 10**7))}), 1000),
}


@pytest.mark.parametrize("data", FORGED_NPZ.values(), ids=FORGED_NPZ)
def test_forged_npz(data, tmp_path):
    path = tmp_path / "agent.npz"
    path.write_bytes(data)
    tracemalloc.start()
    fails(path, r"truncated, damaged or not a \.npz file|is not a wilddeck policy file")
    assert tracemalloc.get_traced_memory()[1] < 2 * 10**7
    tracemalloc.stop()


def safetensors_of(header, content: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content


FORGED_SAFETENSORS = {
    "a description of its length": struct.pack("<Q", 2**63) + b"{}",
    "deep": safetensors_of(b'{"a":' * 10**5 + b"1" + b"}" * 10**5),
    "a list": safetensors_of([]),
    "no numbers": safetensors_of(b'{"a": {"dtype": "F32", "shape": [NaN], "data_offsets": [0, 4]}}', b"0000"),
    "huge": safetensors_of({"a": {"dtype": "F32", "shape": [10**12], "data_offsets": [0, 4]}}, b"0000"),
    "huge and empty": safetensors_of({"a": {"dtype": "F32", "shape": [2**62, 0], "data_offsets": [0, 0]}}),
    "beyond its end": safetensors_of({"a": {"dtype": "F32", "shape": [1], "data_offsets": [96, 100]}}, b"0000"),
    "backwards": safetensors_of({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}}, b"0000"),
    "another dtype": safetensors_of({"a": {"dtype": "F8_E4M3", "shape": [4], "data_offsets": [0, 4]}}, b"0000"),
    "a description that is no text": safetensors_of({"__metadata__": {"wilddeck": 5}}),
    "a deep description": safetensors_of({"__metadata__": {"wilddeck": "[" * 10**5}}),
}


@pytest.mark.parametrize("data", FORGED_SAFETENSORS.values(), ids=FORGED_SAFETENSORS)
def test_forged_safetensors(data, tmp_path):
    path = tmp_path / "agent.safetensors"
    path.write_bytes(data)
    fails(path, r"truncated, damaged or not a \.safetensors file|is not a wilddeck policy file")


def test_what_is_no_file_is_not_waited_for(tmp_path):
    """A pipe to which nobody writes, a device without an end."""
    os.mkfifo(tmp_path / "agent.npz")
    fails(tmp_path / "agent.npz", "it is not a file")
    (tmp_path / "endless.npz").symlink_to("/dev/zero")
    fails(tmp_path / "endless.npz", "it is not a file")


WRONG = [None, 5, "x", True, [], {}, [[]], {"a": []}, 10**400, float("nan"), -1]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda value: repr(value)[:9])
@pytest.mark.parametrize("name", ["version", "game", "options", "observation_size", "layers", "activation", "greedy", "sha256"])
def test_descriptions_of_any_type(name, wrong, tmp_path):
    about, arrays = about_of(network())
    if type(about[name]) is type(wrong) and name in ("options", "greedy"):
        return  # what the weights were trained with, and how they are to be played
    path = tmp_path / "agent.npz"
    tensors.write(path, {**about, name: wrong}, arrays)
    fails(path, r"agent\.npz")


def spoiled(data: bytes, count: int):
    """A file cut off at every sixteenth of its length, and with some bytes changed, always the same."""
    yield from (data[: len(data) * k // 16] for k in range(16))
    draw = random.Random(1)
    for _ in range(count):
        other = bytearray(data)
        for _ in range(draw.choice((1, 1, 1, 4))):
            other[draw.randrange(len(data))] = draw.randrange(256)
        yield bytes(other)


def test_spoiled_files_are_refused_or_say_the_same(saved):
    data, original = saved.read_bytes(), network()
    refused = 0
    for spoiled_data in spoiled(data, 400):
        saved.write_bytes(spoiled_data)
        try:
            agent = learned.load(saved, TENNIS, OPTIONS)
        except tensors.WeightsError as error:
            refused += 1
            assert str(saved) in str(error)
        else:  # a date in the archive, say, or what the file tells of its training
            assert all(
                (one == two).all() for one, two in zip(agent.tensors().values(), original.tensors().values(), strict=True)
            )
    assert refused > 300


def test_a_full_disk_keeps_the_old_file(saved, monkeypatch):
    before = saved.read_bytes()

    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        OSError, match=r"cannot write .*agent.*: No space left on device; the file that was there is kept"
    ) as caught:
        learned.save(saved, network(seed=2), TENNIS, OPTIONS)
    assert caught.value.errno == errno.ENOSPC
    assert saved.read_bytes() == before and list(saved.parent.iterdir()) == [saved]


def test_saving_to_another_game_or_ending_is_refused(tmp_path):
    with pytest.raises(ValueError, match="do not map"):
        learned.save(tmp_path / "a.npz", network(), toy.GAME, toy.GAME.make_options({}))
    with pytest.raises(ValueError, match="a weights file must end in"):
        learned.save(tmp_path / "a.pt", network(), TENNIS, OPTIONS)


# --- Stable-Baselines3 archives ---


def test_archives_need_trust(tmp_path):
    path = tmp_path / "model.zip"
    fails(path, "loading it can run code.*load_zip.*learned.save")
    with pytest.raises(ValueError, match="not loaded: loading it can run code"):
        learned.load_zip(path, TENNIS, OPTIONS)
    with pytest.raises(ValueError, match="there is no file"):
        learned.load_zip(path, TENNIS, OPTIONS, trust=True)


def test_archives_without_the_extra(tmp_path, monkeypatch):
    path = tmp_path / "model.zip"
    path.write_bytes(b"x")
    original = builtins.__import__

    def without(name, *rest, **kwargs):
        if name.partition(".")[0] in ("torch", "sb3_contrib", "stable_baselines3"):
            raise ImportError(f"No module named {name!r}")
        return original(name, *rest, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'wilddeck\[train\]'"):
        learned.load_zip(path, TENNIS, OPTIONS, trust=True)


def test_trusted_archives(tmp_path):
    contrib = pytest.importorskip("sb3_contrib")
    import torch
    from wilddeck.seats.sb3_vec_env import SelfPlayVecEnv

    env = SelfPlayVecEnv(TENNIS, OPTIONS, [network()], num_envs=2)
    policy = {"net_arch": [6, 5], "activation_fn": torch.nn.ReLU}
    model = contrib.MaskablePPO("MlpPolicy", env, n_steps=4, batch_size=8, policy_kwargs=policy, device="cpu")
    path = tmp_path / "model.zip"
    model.save(path)
    agent = learned.load_zip(path, "tennis_v0", {}, trust=True, greedy=True)
    observation, mask = positions(50)
    expected, _ = model.predict(observation, deterministic=True, action_masks=mask)
    assert (
        agent.act_batch(Views.of(observation, mask), np.random.default_rng(0)) == expected
    ).all() and agent.activation == "relu"
    logits = model.policy.get_distribution(torch.from_numpy(observation)).distribution.logits.detach().numpy()
    own = agent.logits(observation)
    assert np.abs((own - own.mean(1, keepdims=True)) - (logits - logits.mean(1, keepdims=True))).max() < 1e-4
    with pytest.raises(ValueError, match="with num_players=3"):
        learned.load_zip(path, TENNIS, TENNIS.make_options({"num_players": 3}), trust=True)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(ValueError, match="is not an archive of sb3-contrib's MaskablePPO"):
        learned.load_zip(path, TENNIS, OPTIONS, trust=True)


def test_options_are_kept_as_json_has_them():
    options = SimpleNamespace(levels=(2, np.int64(14)), mode="match", open=True, left=None, sizes=(0.5, 1))
    plain = {"levels": [2, 14], "mode": "match", "open": True, "left": None, "sizes": [0.5, 1]}
    assert learned.plain_options(options) == plain and json.loads(json.dumps(learned.plain_options(options))) == plain


@pytest.mark.parametrize("game_id", envs.game_ids())
def test_weights_of_every_game_are_written_and_read(game_id, tmp_path):
    """Whatever kinds of options it has."""
    game = envs.game(game_id)
    options = game.make_options({})
    sizes = game.observation_size(options), game.num_actions(options)
    agent = LearnedAgent([(np.zeros(sizes, np.float32), np.zeros(sizes[1], np.float32))])
    learned.save(tmp_path / "agent.safetensors", agent, game, options)
    loaded = learned.load(tmp_path / "agent.safetensors", game, options)
    assert loaded.trained_options == learned.plain_options(options)
