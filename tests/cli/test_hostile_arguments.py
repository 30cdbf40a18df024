"""Values that no option can have, files that are none of ours, outputs that break: one line each, and no traceback."""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import WITHIN, run_python, short
from wilddeck import cli
from wilddeck.cli import command

HOSTILE = [
    *("", " ", "0", "-1", "-0.5", "1e23", "1" + "0" * 30, "9" * 5000, "inf", "-inf", "nan", "1.5", "0x10", "1_0", "½", "٣"),
    *("None", "true", "--", "\x1b[31m", "\n", "\ud800", "[/x]", "../..", "a=b=c", "=", ","),
]


def parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command with its parser."""

    def below(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
        groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        if not groups:
            yield name, parser
        for group in groups:
            for word, child in group.choices.items():
                yield from below(f"{name} {word}".strip(), child)

    yield from below("", command.new_parser())


COMMANDS = dict(parsers())
VALUES = [
    pytest.param(command, action, id=f"{command} {(action.option_strings or [action.dest])[-1]}")
    for command, parser in COMMANDS.items()
    for action in parser._actions
    if action.nargs != 0
]


def outcome(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Exit status, and what was said of the mistake, apart from the compiler's message."""
    capsys.readouterr()
    try:
        status = cli.main(words)
    except SystemExit as ended:
        status = int(ended.code or 0)
    said = capsys.readouterr().err
    return status, "".join(f"{line}\n" for line in said.splitlines() if not line.startswith("wilddeck: compiling"))


def is_one_line(said: str) -> bool:
    return said.startswith("wilddeck: ") and said.endswith("\n") and said[:-1].isprintable() and len(said) < 1500


@pytest.mark.parametrize(("command", "action"), VALUES)
def test_every_value_is_checked_when_it_is_read(
    command: str, action: argparse.Action, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is refused in a line that says what is allowed, or is finite, no larger than can be counted to, and valid text."""
    assert action.choices is not None or action.type not in (None, int, float, str, Path), "a type that checks nothing"
    parser = COMMANDS[command]
    needed = ["x" for item in parser._actions if not item.option_strings and item is not action and item.nargs is None]
    for value in HOSTILE:
        arguments = [f"{action.option_strings[-1]}={value}"] if action.option_strings else ["--", value]
        capsys.readouterr()
        try:
            read = getattr(
                parser.parse_args([*needed, *arguments] if action.option_strings else [*arguments, *needed]), action.dest
            )
        except SystemExit as ended:
            assert ended.code == 2
            said = capsys.readouterr().err
            assert is_one_line(said), said
            assert "must be" in said or "choose from" in said or "expected" in said or "required" in said
            continue
        for item in read if isinstance(read, list) else [read]:
            if isinstance(item, float):
                assert math.isfinite(item) and item >= 0
            elif isinstance(item, int):
                assert action.dest == "seed" or 0 <= item <= 10**12
            elif isinstance(item, str):
                assert item.strip() and item.encode()
            else:
                assert isinstance(item, Path) and value.strip()


def test_words_mean_the_same_in_every_command() -> None:
    """The game comes first, before an agent; --out is a folder."""
    for name, parser in COMMANDS.items():
        places = [action.dest for action in parser._actions if not action.option_strings]
        if "game" in places:
            assert places.index("game") == places.index("file") + 1 if "file" in places else places[0] == "game", name
        for action in parser._actions:
            assert "--out" not in action.option_strings or action.metavar == "FOLDER", name


MISTAKES = [
    # what no option can be
    (2, "rollout tennis --games 100000000000", "--games: must be a whole number from 1 to 1,000,000,000, not '100000000000'"),
    (2, "rollout tennis --steps 100000000000000000000000", "--steps: must be a whole number from 1 to"),
    (2, "rollout tennis --steps 1e23", "--steps: must be a whole number"),
    (2, "rollout tennis --threads 1000000000", "--threads: must be a whole number from 1 to 1,024"),
    (2, "bench stregth rank", "no action 'stregth'; did you mean 'strength'?"),
    (2, "score compares a.json", "no action 'compares'; did you mean 'compare'?"),
    (2, "bench --seconds -1", "--seconds: must be a number above 0 and up to 3,600, not '-1'"),
    (2, "bench --seconds nan", "--seconds: must be a number above 0"),
    (2, "bench --seconds inf", "--seconds: must be a number above 0"),
    (2, "demo --seconds 0", "--seconds: must be a number above 0"),
    (2, "watch tennis --delay -1", "--delay: must be a number from 0 to 3,600"),
    (2, "play tennis --seat -1", "--seat: must be a whole number from 0"),
    (2, "train tennis --steps 0", "--steps: must be a whole number from 1"),
    (2, "train tennis --seconds nan", "--seconds: must be a number above 0"),
    (2, "record tennis --games 0", "--games: must be a whole number from 1"),
    (2, "record tennis --history 5000", "--history: must be a whole number from 0 to 4,096"),
    (2, "evaluate tennis random --games 0", "--games: must be a whole number from 1"),
    (2, "judge tennis rules --worlds 1", "--worlds: must be a whole number from 2 to 1,000,000, not '1'"),
    (2, "judge tennis rules --positions 0", "--positions: must be a whole number from 1"),
    (2, "exploit tennis rules --seconds 0", "--seconds: must be a number above 0"),
    (2, "exploit tennis rules --threads 0", "--threads: must be a whole number from 1"),
    (2, "exploit tennis", "required: agent"),
    (2, "judge tennis", "required: agent"),
    (2, "league run {new} tennis --deals 100000000000000000000", "--deals: must be a whole number from 1"),
    (2, "league run {new} tennis --workers 0", "--workers: must be a whole number from 1"),
    (2, "league run {new} tennis --move-seconds inf", "--move-seconds: must be a number above 0"),
    (2, "serve --allow-host http://cards.example.org", "--allow-host: must be a host name or address such as"),
    (2, "league export {new} --format html5", "--format: invalid choice: 'html5'"),
    (2, "new Oh-Hell --kind tricks", "name: must be a lowercase Python name such as oh_hell, not 'Oh-Hell'"),
    (2, "new class --kind tricks", "name: must be a lowercase Python name"),
    (2, "new tests --kind tricks", "name: must be a lowercase Python name"),
    (2, "new my_tricks --kind trick", "--kind: invalid choice: 'trick' (choose from"),
    (2, "nonsense", "invalid choice: 'nonsense'"),
    (2, "games more", "unrecognized arguments: more"),
    # more than the machine has
    (1, "rollout tennis --games 1000000000", "num_games=1000000000 needs about"),
    (1, "evaluate tennis mc:rollouts=1000000000000", "rollouts=1000000000000 needs about"),
    (1, "train tennis --out {new} --set num_envs=1000000000000", "num_envs=1000000000000 with rollout_steps=256 needs about"),
    (1, "train tennis --out {new} --set eval_deals=1000000000000000", "eval_deals=1000000000000000 needs about"),
    (1, "exploit tennis rules --deals 1000000000", "deals=1000000000 needs about"),
    (1, "exploit tennis rules --set num_envs=1000000000000", "num_envs=1000000000000 with rollout_steps=256 needs about"),
    # what the game, the agents and the settings say
    (1, "new my_tricks --into {new}", "choose a template with --kind tricks | shedding | betting | matching"),
    (1, "new tennis --kind tricks --into {new}", "the game tennis_v0 already exists; choose another name"),
    (1, "new json --kind tricks --into {new}", "the Python module 'json' already exists and would be hidden"),
    (1, "rollout nothing", "no game 'nothing'"),
    (1, "warmup tennis nothing", "no game 'nothing'"),
    (1, "rollout tennis --seed -1", "a seed is an integer"),
    (1, "rollout tennis -n 2 -o num_players=3", "'num_players' is given more than once"),
    (1, "rollout tennis -o dealer=7", "option dealer=7 is not allowed"),
    (1, "rollout tennis -o =", "has no option ''"),
    (1, "play tennis --seat 9", "there is no seat 9; seats: 0..3"),
    (1, "watch tennis -a mc:rollouts=0", "rollouts must be an integer of at least 1"),
    (1, "watch tennis -a mc:max_steps=99999999999999999999", "max_steps must be an integer from 1 to"),
    (1, "watch tennis -a cmd:", "needs a command line"),
    (1, "watch tennis -n 2 -a cmd:{folder}/none", "cannot be started"),
    (1, "evaluate tennis {folder}/none.safetensors", "none.safetensors"),
    (1, "evaluate tennis {folder}/folder.safetensors", "folder.safetensors"),
    (1, "evaluate tennis {folder}/text.npz", "text.npz"),
    (1, "train tennis --resume --out {new}", "has no run to resume; omit --resume to start one"),
    (1, "train tennis --out {new} --set nothing=1", "unknown setting 'nothing'; settings: total_steps"),
    (1, "train tennis --out {new} --set game=hearts_v0", "unknown setting 'game'"),
    (1, "train tennis --out {new} --set out=x", "unknown setting 'out'"),
    (1, "train tennis --out {new} --set options=1", "unknown setting 'options'"),
    (1, "train tennis --out {new} --set threads=1000000000", "setting threads=1000000000 is not allowed"),
    (1, "train tennis --out {new} --set max_seconds=inf", "setting max_seconds=inf is not allowed"),
    (1, "train tennis --out {new} --set gamma=nan", "setting gamma=nan is not allowed"),
    (1, "train tennis --out {new} --steps 5 --set total_steps=6", "'total_steps' is given more than once"),
    (1, "train tennis --out {new} --seed -1", "setting seed=-1 is not allowed"),
    (1, "judge tennis nobody", "no agent 'nobody'"),
    (1, "judge tennis rules --policy nobody", "unknown playout policy 'nobody'; allowed: random, rules"),
    (1, "judge tennis rules --among rules --among random", "give one agent for all 4 seats or one for each, not 2"),
    (1, "exploit nothing rules", "no game 'nothing'"),
    (1, "exploit tennis nobody", "no agent 'nobody'"),
    (1, "exploit tennis cmd:nobody", "cmd:nobody plays one game at a time, too slow to train against"),
    (1, "exploit tennis rules --set self_play_prob=1", "unknown setting 'self_play_prob'; settings: num_envs"),
    (1, "exploit tennis rules --set deals=1", "unknown setting 'deals'; settings: num_envs"),
    (1, "exploit tennis rules --set gamma=nan", "setting gamma=nan is not allowed"),
    (1, "exploit tennis rules --seed -1", "a seed is an integer"),
    (1, "exploit tennis rules --weights {new}", "name of a weights file must end in .safetensors or .npz"),
    # files that are none of ours
    (1, "new folder --kind tricks --into {folder}/..", "folder/../folder already exists; choose another name"),
    (1, "new my_tricks --kind tricks --into {folder}/text.npz", "text.npz"),
    (1, "exploit tennis rules --weights {folder}/text.npz", "text.npz already exists"),
    (1, "exploit tennis rules --weights {folder}/text.npz/below.npz", "text.npz"),
    (1, "exploit tennis {folder}/text.npz", "text.npz"),
    (1, "train tennis --out {folder}/text.npz", "text.npz"),
    (1, "train tennis --out {folder}/text.npz/below", "text.npz"),
    (1, "league table {new}", "there is no league"),
    (1, "league table {folder}", "this is a folder"),
    (1, "league matrix {folder}/text.npz", "this is no league file"),
    (1, "league replay {folder}/text.npz --json", "this is no league file"),
    (1, "league export {folder}/text.npz", "this is no league file"),
    (1, "league run {folder}/none/a.sqlite tennis", "check that its folder exists"),
    (1, "league run {folder} tennis", "this is a folder"),
    (1, "league run {new} tennis", ""),
    (1, "league run {new} tennis -a =random", "an agent's name must be 1 to 80"),
    (1, "league run {new} tennis -a x=", "no agent ''"),
]


@pytest.mark.parametrize(("status", "line", "said"), MISTAKES, ids=lambda value: str(value)[:60])
def test_mistakes(status: int, line: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if line.startswith("train"):
        pytest.importorskip("sb3_contrib")
    new, folder = tmp_path / "new", tmp_path / "folder"
    (folder / "folder.safetensors").mkdir(parents=True)
    (folder / "text.npz").write_text("of somebody else")
    ended_with, message = outcome(capsys, *line.format(new=new, folder=folder).split())
    assert ended_with == status
    assert is_one_line(message), message
    assert said in message
    assert (folder / "text.npz").read_text() == "of somebody else"
    if line.startswith(("new", "train", "exploit")):
        assert not new.exists(), "nothing is left of what did not begin"


@pytest.mark.parametrize("command", COMMANDS)
def test_control_c_ends_every_command(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(arguments: Any) -> None:
        raise KeyboardInterrupt

    parser = COMMANDS[command]
    run = parser.get_default("run")
    monkeypatch.setattr(f"{run.__module__}.{run.__name__}", interrupted)
    needed = ["x" for action in parser._actions if not action.option_strings and action.nargs in (None, "+")]
    assert outcome(capsys, *command.split(), *needed) == (130, "wilddeck: interrupted\n")


def test_watching_ends_with_control_c(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("wilddeck.agents.match.Match.move", interrupted)
    assert outcome(capsys, "watch", "tennis", "-n", "2") == (130, "wilddeck: interrupted\n")


def test_too_little_memory_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def exhausted(arguments: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(cli.games, "list_games", exhausted)
    assert outcome(capsys, "games") == (1, "wilddeck: out of memory\n")


def test_numbers_that_json_does_not_know_are_null(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("evaluate", "tennis", "random", "--against", "random", "--games", "1", "-n", "2", "--json")
    assert cli.main(words) == 0
    results = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert results["random"]["standard_error"] is None


# --- outputs ---

WILDDECK = [sys.executable, "-c", "import sys; from wilddeck.cli import main; sys.exit(main())"]
SHOWING = ["games", "show tennis", "watch tennis -n 2 -o max_tricks=50"]
TALKING = [*SHOWING, "show tennis --json", "--help", "rollout --help"]


def run(line: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **settings.pop("environment", {})}
    return subprocess.run(
        [*WILDDECK, *line.split()], stderr=subprocess.PIPE, text=True, timeout=WITHIN, env=environment, **settings
    )


@pytest.mark.parametrize("line", short(TALKING, ["games", "rollout --help"]))
def test_nobody_reads_on(line: str) -> None:
    """As in `wilddeck show tennis | head -1`."""
    reading, writing = os.pipe()
    os.close(reading)
    done = run(line, stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0 if "--help" in line else 1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("line", ["games", "show tennis", "show tennis --json"])
def test_a_full_disk(line: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = run(line, stdout=full)
    assert done.returncode == 1
    assert done.stderr.startswith("wilddeck: [Errno 28]") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("line", short(SHOWING, SHOWING[:1]))
def test_a_closed_output(line: str) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *WILDDECK, *line.split()], stderr=subprocess.PIPE, text=True, timeout=WITHIN
    )
    assert (done.returncode, done.stderr) == (0, "")


PLAIN = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "0", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}


@pytest.mark.parametrize("line", short([*SHOWING, "play tennis -n 2"], ["play tennis -n 2"]))
def test_an_output_without_colours_and_symbols(line: str) -> None:
    done = run(line, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, environment=PLAIN)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii() and "\x1b" not in done.stdout


def test_the_arguments_load_nothing_slow() -> None:
    done = run_python("import sys, wilddeck.cli; print('numba' in sys.modules, 'torch' in sys.modules, 'rich' in sys.modules)")
    assert done.stdout.split() == ["False", "False", "False"], done.stderr
