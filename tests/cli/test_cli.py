"""The command, by its public entry: what it prints, what it says of mistakes, its exit status."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from support import first_of
from wilddeck import games
from wilddeck.benchmarks import demo
from wilddeck.cli import main
from wilddeck.cli.printing import print_lines

COMMANDS = [
    *(
        "games",
        "show",
        "play",
        "watch",
        "rollout",
        "warmup",
        "new",
        "check",
        "train",
        "evaluate",
        "judge",
        "exploit",
        "serve",
        "demo",
    ),
    "chat-server",
    *(f"league {action}" for action in ("run", "table", "matrix", "replay", "export")),
    *(f"score {action}" for action in ("run", "compare", "table")),
    *(f"bench {action}" for action in ("speed", "comparator", "training", "map", "pages", "strength train", "strength rank")),
]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(words)
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_the_demo_ends_with_how_to_open_it_in_the_browser(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a command that is found: in an environment that is not on the path, by its place."""
    monkeypatch.setattr(demo, "run", lambda folder, *_: (folder / "tennis.sqlite").touch())
    for path, command in (("", shlex.quote(sys.argv[0])), (str(Path(sys.executable).parent), "wilddeck")):
        monkeypatch.setenv("PATH", path)
        status, out, _ = run(capsys, "demo", "--out", str(tmp_path))
        last_line = f"to see it all in the browser: {command} serve --league {tmp_path}/tennis.sqlite --runs {tmp_path}\n"
        assert status == 0 and out.endswith(last_line)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_explains_every_command(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), "--help"])
    assert ended.value.code == 0
    assert f"usage: wilddeck {command}" in capsys.readouterr().out


def test_games_and_their_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "games", "--json")
    assert status == 0
    assert [row["game"] for row in json.loads(out)] == list(games())
    status, out, _ = run(capsys, "games")
    assert all(game_id in out for game_id in games())


def test_how_many_can_play_is_said_in_words_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where their number may be left to the game."""
    rows = {row["game"]: row["players"] for row in json.loads(run(capsys, "games", "--json")[1])}
    assert rows["rummy_v0"] == "2 to 6" and rows["tennis_v0"] == "2, 3, 4, 6" and rows["hearts_v0"] == "4"
    assert not any("none" in players or ".." in players for players in rows.values())
    assert {about["id"]: about["players"] for about in pytest.importorskip("wilddeck.web.app")._games()} == rows


@pytest.mark.parametrize("words", [[], ["league"], ["score"], ["bench", "strength"]])
def test_a_command_by_itself_prints_its_help(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, *words)
    assert status == 0 and not err
    with pytest.raises(SystemExit):
        main([*words, "--help"])
    assert capsys.readouterr().out == out and out.startswith(f"usage: {' '.join(['wilddeck', *words])} [-h]")


@pytest.mark.parametrize("game_id", games())
def test_show(game_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "show", game_id)
    assert status == 0
    assert "`num_players`" in out
    assert "<!--" not in out and "-->" not in out
    about = json.loads(run(capsys, "show", game_id, "--json")[1])
    assert about["observation"]["hand" if "hand" in about["observation"] else next(iter(about["observation"]))][0] == 0


def test_a_name_without_version_is_enough(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "rollout", "tennis", "--games", "8", "--steps", "20", "-n", "3", "--json")
    assert status == 0
    result = json.loads(out)
    assert (result["game"], result["players"], result["steps"]) == ("tennis_v0", 3, 160)
    assert len(result["returns"]) == 3


def test_rollout_interpreted_plays_the_same_games(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["rollout", "tennis", "--games", "2", "--steps", "20", "--json"]
    compiled, interpreted = (json.loads(run(capsys, *command, *flags)[1]) for flags in ([], ["--interpreted"]))
    timed = ("seconds", "steps_per_second")
    assert {**compiled, **dict.fromkeys(timed)} == {**interpreted, **dict.fromkeys(timed)}
    assert compiled["steps"] == 40


def test_rollout_by_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "rollout", "tennis", "--games", "8", "--steps", "20", "--policy", "rules")
    assert status == 0
    assert "steps per second" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rollout", "tenis"], "did you mean 'tennis_v0'?"),
        (["rollout", "tennis", "-o", "max_trick=3"], "options: num_players, max_tricks, dealer"),
        (["rollout", "tennis", "-n", "5"], "allowed: 2, 3, 4, 6"),
        (["rollout", "tennis", "-o", "max_tricks"], "options have the form NAME=VALUE"),
        (["watch", "tennis", "-a", "rules", "-a", "random"], "give one agent for all 4 seats or one for each, not 2"),
        (["watch", "tennis", "-a", "ruels"], "did you mean 'rules'?"),
        (["evaluate", "tennis", "nowhere.safetensors"], "nowhere.safetensors"),
        (["exploit", "tennis", "mc"], "mc plays one game at a time"),
        (["league", "table", "nowhere.sqlite"], "there is no league file nowhere.sqlite"),
    ],
)
def test_mistakes_get_one_clear_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, *words)
    lines = [line for line in err.splitlines() if not line.startswith("wilddeck: compiling")]
    assert status == 1
    assert len(lines) == 1
    assert lines[0].startswith("wilddeck: ")
    assert said in lines[0]


def test_watch_plays_to_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "watch", "tennis", "-a", "random", "-n", "2", "-o", "max_tricks=50", "--delay", "0")
    assert status == 0
    assert "play" in out


@first_of(
    "line",
    [
        "league run league tennis -n 2 -a {} -a mine={} --deals 1",
        "watch tennis -n 2 -o max_tricks=50 -a {}",
        "evaluate tennis {} -n 2 --against {} --games 20",
        "exploit tennis {} -n 2 --seconds 0.001 --deals 20 --set rollout_steps=4",
        "league run league tennis -n 2 -a {} -a mine={} --deals 1 --workers 2",
        "train tennis -n 2 --steps 64 --set num_envs=8 --set rollout_steps=8 --set eval_deals=4 --set fixed_opponents={} "
        "--set eval_opponents={}",
    ],
)
def test_a_function_of_python_is_named_one_way_in_every_command(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And found in the folder where the command is given."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "my_players", raising=False)
    (tmp_path / "my_players.py").write_text("from score_agents import first_of_batch as make\n")
    status, out, err = run(capsys, *line.replace("{}", "my_players:make").split())
    assert status == 0, err
    assert "first of a batch" in out or "my_players:make" in out


def test_playing_against_a_function(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda *_: "quit")
    assert run(capsys, "play", "tennis", "-n", "2", "-a", "score_agents:first")[0] == 0


@pytest.mark.long
def test_exploiting(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As short as can be: what is said, not what is found."""
    weights = tmp_path / "new" / "exploiter.npz"
    words = ["exploit", "tennis", "random", "-n", "2", "--seconds", "0.001", "--deals", "20", "--set", "rollout_steps=4"]
    status, out, _ = run(capsys, *words, "--weights", str(weights))
    assert status == 0 and "Exploiting random" in out and "initialised from" in out and "40 games" in out
    assert "can be won from random (95 %)" in out or "No exploit of random was found" in out
    assert weights.exists() == (f"weights: {weights}" in out)
    exploited = json.loads(run(capsys, *words, "--seed", "7", "--json")[1])
    assert exploited["agent"] == "random" and exploited["seed"] == 7 and exploited["weights"] is None and exploited["own"] == 0
    assert exploited["interval"][0] <= exploited["mean"] <= exploited["interval"][1] and len(exploited["tried"]) >= 2
    assert exploited["result"]["games"] == 40 and exploited["steps"] > 0 and exploited["meaning"]


def test_a_league_from_run_to_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "league.sqlite")
    words = ["league", "run", file, "tennis", "-n", "2", "-a", "random", "-a", "rules", "-a", "twin=random", "--deals", "3"]
    status, out, _ = run(capsys, *words)
    assert status == 0
    assert "18 matches played, 0 played before" in out
    assert "0 matches played, 18 played before" in run(capsys, *words)[1]
    table = json.loads(run(capsys, "league", "table", file, "--json")[1])
    assert sorted(row["agent"] for row in table["rows"]) == ["random", "rules", "twin"]
    assert "rules" in run(capsys, "league", "table", file)[1]
    matrix = json.loads(run(capsys, "league", "matrix", file, "--json")[1])
    assert [row[i] for i, row in enumerate(matrix["games"])] == [0, 0, 0]
    replay = json.loads(run(capsys, "league", "replay", file, "--json")[1])
    assert replay["moves"][0]["label"].startswith("play ")
    assert "as recorded" in run(capsys, "league", "replay", file, replay["match"][:10])[1]
    for form, mark in (("csv", "agent"), ("markdown", "| rules |"), ("json", '"settings"')):
        assert mark in run(capsys, "league", "export", file, "--format", form)[1]


def test_a_league_whose_deals_are_public(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By default they come from a secret; the export tells it."""
    seeds = {}
    for name, words in {"default": [], "other": [], "chosen": ["--seed", "5", "--duplicate"]}.items():
        file = str(tmp_path / name)
        league = ["league", "run", file, "tennis", "-n", "2", "-a", "random", "-a", "rules", "--deals", "2", *words]
        assert run(capsys, *league)[0] == 0
        assert "0 matches played" in run(capsys, *league)[1]
        exported = json.loads(run(capsys, "league", "export", file)[1])
        seeds[name] = exported["settings"]["seed"]
        assert len({match["deal_seed"] for match in exported["matches"]}) == (2 if name == "chosen" else 4)
        status, _, err = run(capsys, *league, "--seed", "6")
        assert status == 1 and "the league has another seed; use another file" in err
    assert seeds["chosen"] == 5 and min(seeds["default"], seeds["other"]) > 2**200 and len(set(seeds.values())) == 3


def test_an_evaluation_can_be_repeated_by_its_seed(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", "tennis", "rules", "-n", "2", "--against", "random", "--games", "20"]
    first = json.loads(run(capsys, *words, "--json")[1])
    assert first["random"]["seed"] > 2**64
    assert json.loads(run(capsys, *words, "--seed", str(first["random"]["seed"]), "--json")[1]) == first
    assert "seed 7" in run(capsys, *words, "--seed", "7")[1]


@pytest.mark.interpreted
def test_judging_tells_gains_and_the_seed_to_repeat_them(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["judge", "blackjack", "rules", "random", "--policy", "rules", "--positions", "12", "--worlds", "4"]
    first = json.loads(run(capsys, *words, "--json")[1])
    assert first["seed"] > 2**64 and (first["positions"], first["worlds"]) == (12, 4) and 1 < first["games"] <= 12
    again = json.loads(run(capsys, *words, "--seed", str(first["seed"]), "--among", "rules", "--json")[1])
    rules, random = first["agents"]["rules"], first["agents"]["random"]
    assert again["agents"]["rules"]["mean"] == rules["mean"] and again["best_in_hindsight"] == first["best_in_hindsight"]
    assert rules["over"]["random"]["mean"] == pytest.approx(rules["mean"] - random["mean"])
    out = run(capsys, *words, "--seed", str(first["seed"]))[1]
    assert f"{random['mean']:+.4f} ± {random['interval']:.4f}" in out and f"seed {first['seed']}" in " ".join(out.split())
    assert f"{random['over']['rules']['mean']:+.4f} ± " in out and "in chips" in out


def test_a_narrow_table_keeps_names_whole(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    row = ("1", "mc-trained", "1000", "one timeout here")
    print_lines("", ("", "agent", "games", "note"), [row], (True, False, True, False))
    assert "mc-trained" in capsys.readouterr().out
