"""Data sets: a row is what its seat saw, did and got; what is not stored is computed; what is not as recorded is found."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wilddeck
from support import Case, cases, run_python, short
from wilddeck import agents, envs
from wilddeck.agents.base import Agent
from wilddeck.agents.learned import LearnedAgent
from wilddeck.agents.play import play_game
from wilddeck.agents.views import Views

pytest.importorskip("pyarrow")
from pyarrow import parquet
from wilddeck import data
from wilddeck.data import files, recording

GAME, OPTIONS = "tennis_v0", {"num_players": 3}
SEATED = ["rules", "random", "rules"]
GAMES, SEED = 40, 11


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some games, in several files and row groups."""
    where = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        small(patch)
        data.record(GAME, SEATED, GAMES, where, OPTIONS, SEED, history=8)
    assert len(list(where.iterdir())) > 2 and max(len(file.rows) for file in data.find(where)) > 1
    return where


def small(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(recording, "FILE_ROWS", 150)
    patch.setattr(recording, "GROUP_ROWS", 60)
    patch.setattr(recording, "TOGETHER", 8)


def games_of(columns: dict[str, np.ndarray]) -> list[slice]:
    """The rows of each game."""
    begins = np.flatnonzero(columns["decision"] == 0).tolist()
    return [slice(a, b) for a, b in zip(begins, [*begins[1:], len(columns["decision"])], strict=True)]


def test_a_row_is_what_its_seat_saw_did_and_got(folder: Path) -> None:
    """Beside single environments, which know nothing of batches and replaying."""
    columns = data.read(folder)
    assert len(games_of(columns)) == GAMES
    env = envs.raw_env(GAME, **OPTIONS)
    for number, rows in enumerate(games_of(columns)):
        assert (columns["episode"][rows] == number).all()
        env.reset(seed=SEED + number)
        got = np.zeros((0, 3))
        seats = columns["seat"][rows]
        for row in range(rows.start, rows.stop):
            seen = env.observe(env.agent_selection)
            assert columns["seat"][row] == env.current_player
            assert columns["observation"][row].tobytes() == seen["observation"].tobytes()
            assert columns["action_mask"][row].tobytes() == seen["action_mask"].tobytes()
            env.step(int(columns["action"][row]))
            got = np.vstack([got, [env.rewards[name] for name in env.possible_agents]])
        assert env.is_over
        for k, seat in enumerate(seats):
            later = np.flatnonzero(seats[k + 1 :] == seat)
            end = k + 1 + later[0] if len(later) else len(seats)
            assert columns["reward"][rows][k] == np.float32(got[k:end, seat].sum())
            assert columns["done"][rows][k] == (len(later) == 0)
            assert columns["episode_return"][rows][k] == np.float32(got[:, seat].sum())


def test_what_was_played_is_what_agents_play_by_themselves(folder: Path) -> None:
    """The rows of a game are what `play_batch` plays: rewards add up to its returns."""
    from wilddeck.agents import play

    made = {spec: agents.make(spec, GAME, OPTIONS) for spec in SEATED}
    seated = [made[spec] for spec in SEATED]
    returns = play.play_batch(GAME, OPTIONS, seated, 8, SEED)  # the first eight are played together here, too
    columns = data.read(folder)
    for number, rows in enumerate(games_of(columns)[:8]):
        for seat in range(3):
            found = columns["episode_return"][rows][columns["seat"][rows] == seat]
            assert (found == np.float32(returns[number, seat])).all()


def test_columns_are_of_the_dtypes_that_are_documented(folder: Path) -> None:
    columns = data.read(folder)
    rows, game = len(columns["seat"]), envs.make_batch(GAME, 1, **OPTIONS)
    shapes = {"observation": (game.observation_size,), "action_mask": (game.num_actions,), "history": (8, 6)}
    kinds = "int64 int32 int8 float32 uint8 int32 int32 int32 float32 float32 bool float32"
    names = "episode decision seat observation action_mask history history_length action log_prob reward done episode_return"
    assert {name: array.dtype.name for name, array in columns.items()} == dict(zip(names.split(), kinds.split(), strict=True))
    assert all(array.shape == (rows, *shapes.get(name, ())) for name, array in columns.items())
    assert all(name in (files.__doc__ or "") for name in files.TYPES)


def test_rows_hold_no_seed(folder: Path) -> None:
    """What tells the cards of all stands apart from what a seat knows."""
    (file, *_) = data.find(folder)
    table = parquet.read_table(file.path)
    assert set(table.column_names) <= set(files.TYPES) and not {"seed", "state", "deck"} & set(table.column_names)
    assert json.loads(parquet.read_metadata(file.path).metadata[b"wilddeck"])["seed"] == str(SEED)


def test_what_is_not_stored_is_computed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small(monkeypatch)
    paths = data.record(GAME, SEATED, GAMES, tmp_path, OPTIONS, SEED, columns=())
    assert "observation" not in parquet.read_schema(paths[0]).names
    assert sum(path.stat().st_size for path in paths) < sum(path.stat().st_size for path in folder.iterdir())
    stored, computed = data.read(folder), data.read(tmp_path, history=8)
    assert stored.keys() == computed.keys()
    for name, array in stored.items():
        assert np.asarray(array).tobytes() == np.asarray(computed[name]).tobytes(), name
    assert data.read(tmp_path).keys() == stored.keys() - set(files.HISTORY)


def test_histories_are_those_of_batches(folder: Path) -> None:
    """Of the first decisions, and of longer ones than are stored."""
    for size in (8, 20):
        columns = data.read(folder, ["history", "history_length", "decision", "action"], history=size)
        batch = envs.make_batch(GAME, 1, SEED, history=size, **OPTIONS)
        for row in range(6):
            assert np.array_equal(columns["history"][row], batch.history[0])
            assert columns["history_length"][row] == batch.history_length[0]
            batch.step([columns["action"][row]])


def test_texts_are_what_seats_perceived(tmp_path: Path) -> None:
    data.record(GAME, ["rules"], 3, tmp_path, OPTIONS, SEED, columns=("events", "action_text"))
    columns = data.read(tmp_path, ["episode", "seat", "action", "events", "action_text"])
    env = envs.raw_env(GAME, **OPTIONS)
    for game in range(3):
        env.reset(seed=SEED + game)
        told: dict[int, list[str]] = {0: [], 1: [], 2: []}
        for row in np.flatnonzero(columns["episode"] == game):
            seat = int(columns["seat"][row])
            told[seat] += columns["events"][row].splitlines()
            assert told[seat] == [event.text(seat) for event in env.history(f"player_{seat}")]
            assert columns["action_text"][row] == env.action_label(columns["action"][row])
            env.step(columns["action"][row])
    assert any(line.startswith("you play") for line in columns["events"][-1].splitlines())
    assert data.verify(tmp_path).decisions == len(columns["seat"])
    small = data.record(GAME, ["rules"], 3, tmp_path / "small", OPTIONS, SEED, columns=())
    assert data.read(small, ["events"])["events"].tolist() == columns["events"].tolist()


@pytest.mark.parametrize("case", short(cases(), cases()[:1]), ids=str)
def test_games_of_every_kind(case: Case, tmp_path: Path) -> None:
    """What is recorded is what is played again, where decisions are hidden, too, or games have many deals."""
    columns = files.SEEN if case.options else (*files.SEEN, *files.TEXTS)  # telling long matches takes minutes
    data.record(case.game, ["random"], 3, tmp_path, dict(case.options), case.seed, columns, 16)
    found = data.read(tmp_path, ["observation", "action_mask", "history", "action", "done", "seat"])
    assert data.verify(tmp_path) == (1, 3, len(found["action"]))
    batch = case.batch(3, case.seed, history=16)
    assert found["observation"][0].tobytes() == batch.observation[0].tobytes()
    assert np.asarray(found["action_mask"])[np.arange(len(found["action"])), found["action"]].all()
    assert np.array_equal(found["history"][0], batch.history[0])


# --- how likely ---


def test_log_probabilities(tmp_path: Path) -> None:
    """Of random players and networks; nan of others, 0 of what is sure."""
    size, actions = envs.make_batch(GAME, 1).observation_size, envs.make_batch(GAME, 1).num_actions
    rng = np.random.default_rng(0)
    layers = [(rng.normal(size=(size, actions)), np.zeros(actions))]
    network, greedy = LearnedAgent(layers, name="network"), LearnedAgent(layers, greedy=True, name="greedy")
    data.record(GAME, ["random", "rules", network, greedy], 20, tmp_path, seed=SEED)
    columns = data.read(tmp_path)
    seat, log_prob, legal = columns["seat"], columns["log_prob"], columns["action_mask"][:].sum(axis=1)
    assert np.allclose(log_prob[seat == 0], -np.log(legal[seat == 0]))
    assert np.isnan(log_prob[seat == 1]).all() and (log_prob[seat == 3] == 0).all()
    for row in np.flatnonzero(seat == 2)[:50]:
        probs = network.action_probs(columns["observation"][row], columns["action_mask"][row])
        place = np.flatnonzero(columns["action_mask"][row]).tolist().index(columns["action"][row])
        assert np.isclose(np.exp(log_prob[row]), probs[place], atol=1e-6)
    (stored,) = parquet.read_table(next(tmp_path.iterdir()), columns=["log_prob"]).columns
    assert stored.null_count == (seat == 1).sum()


def test_log_probabilities_of_a_network_that_sees_what_its_expert_draws() -> None:
    """The chance of the expert is that by which the network has decided."""

    class Coin(Agent):
        name, policy = "coin", None

        def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
            return rng.integers(0, 2, len(views))

    rng = np.random.default_rng(0)
    agent = LearnedAgent([(np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]]), np.zeros(2))], expert=Coin())  # type: ignore[arg-type]
    views = Views.of(np.zeros((500, 1), np.float32), np.ones((500, 2), np.uint8))
    begin = rng.bit_generator.state
    actions = agent.act_batch(views, rng)
    rng.bit_generator.state = begin
    found = np.exp(agent.log_probs(views, actions, rng))
    sure = 1 / (1 + np.exp(-5))
    assert np.isclose(np.isclose(found, sure, atol=1e-5).mean(), sure, atol=0.02)


def test_log_probabilities_of_a_torch_module() -> None:
    pytest.importorskip("torch")
    from wilddeck.agents.modules import ModuleAgent, Shapes

    game, options = envs.resolve(GAME, OPTIONS)
    agent = ModuleAgent("own_networks:Plain", Shapes.of(game, options, 0))
    batch = envs.make_batch(GAME, 30, 1, **OPTIONS)
    views = Views.of(batch.observation, batch.action_mask)
    every = np.stack(
        [agent.log_probs(views, np.full(30, action), np.random.default_rng(0)) for action in range(batch.num_actions)], axis=1
    )
    assert np.allclose(np.where(batch.action_mask, np.exp(every), 0).sum(axis=1), 1, atol=1e-5)
    assert (np.exp(every)[batch.action_mask == 0] == 0).all()


def test_agents_that_play_one_game_at_a_time(tmp_path: Path) -> None:
    """As `play_game` plays; what is likely is known of those among them that say it."""
    spec = "mc:rollouts=4"
    data.record(GAME, [spec, "random", "rules"], 3, tmp_path, OPTIONS, SEED)
    columns = data.read(tmp_path)
    seated = [agents.make(each, GAME, OPTIONS) for each in (spec, "random", "rules")]
    for number, rows in enumerate(games_of(columns)):
        assert columns["action"][rows].tolist() == play_game(GAME, OPTIONS, seated, SEED + number).actions
    assert np.isnan(columns["log_prob"]).tolist() == (columns["seat"] != 1).tolist()
    assert data.verify(tmp_path).episodes == 3


# --- what is read ---


def test_decisions_are_chosen(folder: Path) -> None:
    every = data.read(folder)
    chosen = data.read(folder, ["seat", "action", "agent"], agent="rules")
    assert set(chosen["seat"]) == {0, 2} and set(chosen["agent"]) == {"rules"}
    assert np.array_equal(chosen["action"], every["action"][every["seat"] != 1])
    assert np.array_equal(data.read(folder, ["action"], seat=1)["action"], every["action"][every["seat"] == 1])
    whole = np.concatenate([part["action"] for part in data.batches(folder, ["action"])])
    assert np.array_equal(whole, every["action"])
    first, *others = data.find(folder)
    rest = data.read([file.path for file in others], ["action"])["action"]
    assert np.array_equal(rest, every["action"][first.decisions :])


def test_next_decisions(folder: Path) -> None:
    for columns in (data.read(folder), data.read(folder, seat=2), data.read([folder, folder])):
        following = data.next_decisions(columns)
        assert ((following == -1) == columns["done"]).all()
        rows = np.flatnonzero(following >= 0)
        assert (following[rows] > rows).all()
        for name in ("seat", "episode"):
            assert (columns[name][rows] == columns[name][following[rows]]).all()
        assert (columns["decision"][rows] < columns["decision"][following[rows]]).all()
        assert len(set(following[rows])) == len(rows)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda folder: data.read(folder / "nothing"), "is neither a data set file nor a folder with such files"),
        (lambda folder: data.read(folder, ["hand"]), "unknown column 'hand'; columns: episode, decision"),
        (lambda folder: data.read(folder, agent="mc"), "has no decisions of agent 'mc'; it has: random, rules, tennis_v0"),
        (lambda folder: data.read(folder, game="hearts_v0"), "has no decisions of game 'hearts_v0'"),
        (lambda folder: data.read(folder, seat=3), "has no decisions of seat 3"),
        (lambda folder: data.record(GAME, ["rules"], 0, folder), "games must be an integer of at least 1, not 0"),
        (lambda folder: data.record(GAME, ["rules"] * 2, 1, folder), "give one agent for all 4 seats or one for each, not 2"),
        (
            lambda folder: data.record(GAME, ["rules"], 1, folder, columns=["action"]),
            "'action' is not an optional column",
        ),
        (lambda folder: data.record(GAME, SEATED, 1, folder, OPTIONS, SEED, history=8), "already exists; choose another seed"),
        (lambda folder: data.record(GAME, ["rules"], 1, folder, history=10**9), "history must be an integer from 1 to 4,096"),
    ],
)
def test_what_cannot_be_is_said(folder: Path, call: Callable[[Path], Any], message: str) -> None:
    with pytest.raises(ValueError) as told:
        call(folder)
    assert message in str(told.value) and "\n" not in str(told.value)


def test_games_of_other_sizes_are_not_mixed(folder: Path, tmp_path: Path) -> None:
    more = data.record(GAME, ["random"], 2, tmp_path, {"num_players": 2}, 1)
    with pytest.raises(data.DataError, match="choose by game= or by files"):
        data.read([folder, *more])


# --- what is not as it was ---


def rewrite(path: Path, change: Callable[[dict[str, Any]], Any] = lambda table: None, **about: Any) -> None:
    """A file with other columns, or another description."""
    table = parquet.read_table(path)
    columns = {name: table.column(name) for name in table.column_names}
    change(columns)
    import pyarrow

    said = json.loads(parquet.read_metadata(path).metadata[b"wilddeck"]) | about
    schema = pyarrow.schema([table.schema.field(name) for name in columns])
    table = pyarrow.table(list(columns.values()), schema.with_metadata({"wilddeck": json.dumps(said)}))
    parquet.write_table(table, path)


def changed(name: str, row: int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(columns: dict[str, Any]) -> None:
        import pyarrow

        values = columns[name].to_pylist()
        values[row] = value(values[row])
        columns[name] = pyarrow.array(values, columns[name].type)

    return change


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """A file."""
    (path,) = data.record(GAME, SEATED, 5, tmp_path, OPTIONS, SEED)
    return path


def test_verified(folder: Path, one: Path) -> None:
    assert data.verify(folder) == (len(list(folder.iterdir())), GAMES, len(data.read(folder, ["seat"])["seat"]))
    rewrite(one)
    assert data.verify(one).episodes == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            changed("observation", 7, lambda old: old[:-1] + bytes([old[-1] ^ 1])),
            "observation of episode 0, decision 7 differs",
        ),
        (changed("action_mask", 3, lambda old: old[:-2] + b"\x00\x00"), "action_mask of episode 0, decision 3 differs"),
        (changed("reward", 0, lambda old: old + 1), "reward of episode 0, decision 0 differs"),
        (changed("reward", 0, lambda old: -old), "reward of episode 0, decision 0 differs"),
        (changed("episode_return", -1, lambda old: old + 1), "episode_return of episode 4"),
        (changed("seat", 1, lambda old: (old + 1) % 3), "of episode 0, decision 1 differs"),
        (changed("agent", 0, lambda old: "mc"), "agent of episode 0, decision 0 differs"),
        (changed("action", 4, lambda old: -1), "decision 4 of game 0: -1 is not legal"),
        (changed("action", 4, lambda old: 10**6), "decision 4 of game 0: 1000000 is not legal"),
        (changed("done", 0, lambda old: not old), "done of episode 0, decision 0 differs"),
        (changed("decision", 2, lambda old: 9), "decision of episode 0, decision 9 differs"),
        (changed("episode", 0, lambda old: 1), "its episodes are not in order"),
    ],
)
def test_what_is_not_as_recorded_is_found(one: Path, change: Callable[[dict[str, Any]], None], message: str) -> None:
    rewrite(one, change)
    with pytest.raises(data.DataError) as told:
        data.verify(one)
    assert message in str(told.value) and str(one) in str(told.value)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"version": 2}, "it has version 2 of the format, not 1"),
        ({"format": "other"}, "it has another format"),
        ({"rules": "0" * 16}, "was recorded with another release of tennis_v0"),
        ({"spaces": "0" * 16}, "was recorded with another release of tennis_v0"),
        ({"game": "tennis_v9"}, "no game 'tennis_v9'"),
        ({"options": {"num_players": 99}}, "option num_players=99 is not allowed"),
        ({"agents": ["rules"]}, "it does not name an agent for each of 3 seats"),
        ({"seed": 5}, "its 'seed' must be str"),
        ({"seed": "-5"}, "its 'seed' is no seed"),
        ({"columns": ["observation"]}, "its 'arrays' are other columns"),
        ({"columns": ["hand"]}, "its 'columns' must be some that can be computed"),
        ({"arrays": {"observation": ["<f4", [10**9]], "action_mask": ["|u1", [12]]}}, "its 'observation' cannot be"),
        ({"arrays": {"observation": ["O", [150]], "action_mask": ["|u1", [12]]}}, "its 'observation' cannot be"),
        ({"arrays": {"observation": 3, "action_mask": ["|u1", [12]]}}, "is damaged"),
        ({"columns": [], "arrays": {}}, "its columns do not match its metadata"),
    ],
)
def test_descriptions_that_cannot_be(one: Path, about: dict[str, Any], message: str) -> None:
    rewrite(one, **about)
    with pytest.raises(data.DataError) as told:
        data.read(one)
    assert message in str(told.value) and str(one) in str(told.value) and "\n" not in str(told.value)


def test_a_file_without_rows(one: Path) -> None:
    rewrite(one, lambda columns: columns.update({name: column.slice(0, 0) for name, column in columns.items()}))
    with pytest.raises(data.DataError, match="a row group has no rows"):
        data.read(one)


def test_without_pyarrow_a_line_says_what_is_needed() -> None:
    code = "import sys; sys.modules['pyarrow'] = None; from wilddeck import data; data.read"
    done = run_python(code)
    assert "ImportError: data sets need the extra `data`: pip install 'wilddeck[data]'" in done.stderr


def test_files_that_are_none(one: Path, tmp_path: Path) -> None:
    import pyarrow

    content = one.read_bytes()
    for wrong in (b"", b"PAR1", content[:-100], content[200:], b"\0" * 1000):
        one.write_bytes(wrong)
        with pytest.raises(data.DataError, match=r"cannot be read as Parquet|is damaged"):
            data.read(one)
    one.write_bytes(content)
    group = parquet.ParquetFile(one).metadata.row_group(0)
    actions = next(column for column in map(group.column, range(group.num_columns)) if column.path_in_schema == "action")
    broken = bytearray(content)
    broken[actions.data_page_offset + actions.total_compressed_size // 2] ^= 1  # within a page
    one.write_bytes(broken)
    with pytest.raises(data.DataError, match="is damaged"):
        data.read(one)
    parquet.write_table(pyarrow.table({"action": [1]}), one)
    with pytest.raises(data.DataError, match="not one of wilddeck"):
        data.read(one)


def test_what_another_release_stored_can_be_read(one: Path) -> None:
    before = data.read(one)
    rewrite(one, rules="0" * 16)
    for call in (data.read, data.verify):
        with pytest.raises(data.DataError, match="another release"):
            call(one)
    after = data.read(one, any_release=True)
    assert before.keys() == after.keys() and np.array_equal(before["observation"][:], after["observation"][:])
    with pytest.raises(data.DataError, match="does not store 'events'"):
        data.read(one, ["events"], any_release=True)


def test_reading_makes_no_agent(one: Path, tmp_path: Path) -> None:
    """Neither a program nor a module that a file names is run."""
    mark = tmp_path / "mark"
    (tmp_path / "evil.py").write_text(f"open({str(mark)!r}, 'w')")
    rewrite(one, agents=[f"cmd:touch {mark}", "evil:make", "evil.zip"])
    assert len(data.read(one)["seat"]) and not mark.exists()


# --- recordings that are stopped ---


def test_what_was_finished_is_kept_and_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small(monkeypatch)
    whole = data.record(GAME, SEATED, GAMES, tmp_path / "whole", OPTIONS, SEED)
    play, blocks = recording.play_batch, iter(range(4))
    stopped = {"game": GAME, "agents": SEATED, "games": GAMES, "out": tmp_path / "stopped", "options": OPTIONS, "seed": SEED}

    def break_off(*arguments: Any) -> Any:
        if next(blocks, None) is None:
            assert data.find(tmp_path / "stopped")  # what is not finished has no name of a data set
            raise KeyboardInterrupt
        return play(*arguments)

    monkeypatch.setattr(recording, "play_batch", break_off)
    with pytest.raises(KeyboardInterrupt):
        data.record(**stopped)
    monkeypatch.setattr(recording, "play_batch", play)
    kept = sorted((tmp_path / "stopped").iterdir())
    assert 0 < len(kept) < len(whole) and data.verify(kept).files == len(kept)
    before = kept[0].stat().st_mtime_ns
    files = data.record(**stopped, resume=True)
    assert [path.name for path in files] == [path.name for path in whole] and kept[0].stat().st_mtime_ns == before
    assert all(a.read_bytes() == b.read_bytes() for a, b in zip(files, whole, strict=True))
    assert data.record(**stopped, resume=True) == files
    more = data.record(**{**stopped, "games": GAMES + 5}, resume=True)
    assert more[:-1] == files and data.verify(more).episodes == GAMES + 5


def test_an_agent_that_fails_leaves_no_half_file(tmp_path: Path) -> None:
    class Wrong(Agent):
        name = "wrong"

        def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
            return np.full(len(views), -1)

    with pytest.raises(agents.base.AgentError, match="wrong on seat"):
        data.record(GAME, [Wrong()], 3, tmp_path, OPTIONS)
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_what_kill_leaves_is_whole(tmp_path: Path) -> None:
    """By `kill -9` at any moment; what goes on clears away what was not finished."""
    code = """
from wilddeck import data
from wilddeck.data import recording
recording.FILE_ROWS, recording.TOGETHER = 2000, 32
data.record("tennis_v0", ["random"], 10**6, "out", seed=1)
"""
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    while len(list((tmp_path / "out").glob("*.parquet"))) < 3:
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.wait()
    kept = sorted((tmp_path / "out").glob("*.parquet"))
    assert data.verify(tmp_path / "out").files == len(kept)
    episodes = sum(file.about.episodes for file in data.find(tmp_path / "out"))
    data.record("tennis_v0", ["random"], episodes + 40, tmp_path / "out", seed=1, resume=True)
    assert data.verify(tmp_path / "out").episodes == episodes + 40
    assert not list((tmp_path / "out").glob(".*"))


def test_wilddeck_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from wilddeck import cli

    words = ["record", "tennis", "-n", "3", "-a", "rules", "--games", "4", "--seed", "3", "--small", "--out", str(tmp_path)]
    assert cli.main(words) == 0
    said = capsys.readouterr().out
    assert "decisions of 4 games, " in said and "MB in 1 file: " in said and "seed 3" in said
    assert data.verify(tmp_path).episodes == 4 and data.find(tmp_path)[0].about.agents == ["rules"] * 3
    assert cli.main(words) == 1
    assert "already exists" in capsys.readouterr().err
    assert cli.main([*words, "--resume"]) == 0
    assert wilddeck.data is data
