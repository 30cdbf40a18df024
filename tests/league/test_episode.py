"""Replays as JSON: what the command writes, the command and the browser read; whatever is forged is refused in one line."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from wilddeck import cli
from wilddeck.envs.core.render import sight
from wilddeck.league import Episode, League, ReplayError


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("league") / "l.sqlite"
    with League(path, "tennis_v0", {"num_players": 2, "max_tricks": 60}, seed=3) as league:
        league.add("random", "random")
        league.add("rules", "rules")
        league.run(deals=1)
        return json.loads(json.dumps(Episode.of(league.replay(league.results()[0].id)).to_json()))


def test_it_comes_back_as_it_was(written: dict[str, Any]) -> None:
    episode = Episode.from_json(json.dumps(written))
    assert episode.to_json() == written
    assert len(written["match"]) > 10 and {seat["agent"] for seat in written["seats"]} == {"random", "rules"}
    env = episode.env()
    for move in episode.moves:
        assert (env.current_player, env.action_label(move.action)) == (move.seat, move.label)
        env.step(move.action)
    assert all(env.terminations.values())


def test_the_command_reads_what_it_wrote(written: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(written))
    assert cli.main(["league", "replay", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == written
    assert cli.main(["league", "replay", str(path)]) == 0
    assert "as recorded" in capsys.readouterr().out
    path.write_text(json.dumps({**written, "rules": "0"}))
    assert cli.main(["league", "replay", str(path)]) == 1
    assert "rules of tennis_v0 have changed" in capsys.readouterr().err


FORGERIES = [
    {"game": "chess_v0"}, {"game": 5}, {"options": []}, {"options": {"num_players": 5}}, {"options": {"x": 1}}, {"rules": None},
    {"deal_seed": -1}, {"deal_seed": 2**128}, {"deal_seed": 1.0}, {"deal_seed": True}, {"seats": []}, {"seats": [1, 2]},
    {"seats": [{"agent": 1, "return": 0}] * 2}, {"seats": [{"agent": "a", "return": "0"}] * 2},
    {"seats": [{"agent": "a", "return": 10**400}] * 2}, {"moves": []}, {"moves": {}}, {"moves": [1]},
    {"moves": [{"action": "0"}]},
    {"moves": [{"action": -1}]}, {"moves": [{"action": 10**30}]}, {"moves": [{"action": True}]}, {"match": 5}, {"digest": "0"},
]  # fmt: skip


@pytest.mark.parametrize("changes", FORGERIES, ids=str)
def test_what_is_forged_is_refused(changes: dict[str, Any], written: dict[str, Any]) -> None:
    with pytest.raises(ReplayError) as error:
        Episode.from_json(json.dumps({**written, **changes}))
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "NaN", "[" * 10_000, '{"game": "tennis_v0"}', b"\xff"])
def test_what_is_no_replay_is_refused(text: str | bytes) -> None:
    with pytest.raises(ReplayError):
        Episode.from_json(text)


@pytest.mark.parametrize("change", [lambda moves: moves[:-1], lambda moves: moves + moves[-1:], lambda moves: moves[::-1]])
def test_other_moves_are_refused(change: Any, written: dict[str, Any]) -> None:
    with pytest.raises(ReplayError):
        Episode.from_json(json.dumps({**written, "moves": change(written["moves"])}))


def test_names_are_shown_as_text(written: dict[str, Any]) -> None:
    seats = [{**seat, "agent": "\x1b[31mred\n" + "x" * 1000} for seat in written["seats"]]
    agents = Episode.from_json(json.dumps({**written, "seats": seats})).agents
    assert all(name.isprintable() and len(name) <= 200 for name in agents)


def test_it_is_written_as_a_page_and_as_a_picture(
    written: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page holds each moment as each seat sees it, and as it is, and names nothing that it would have to ask for."""
    path, page, picture = tmp_path / "game.json", tmp_path / "game.html", tmp_path / "game.svg"
    path.write_text(json.dumps(written))
    assert cli.main(["league", "replay", str(path), "--html", str(page), "--svg", str(picture)]) == 0
    assert capsys.readouterr().out == ""
    episode = Episode.from_json(json.dumps(written))
    text = page.read_text()
    assert text == episode.to_html()
    assert "/static/" not in text and "http" not in text.replace("http-equiv", "") and "href" not in text
    packed = re.search('id="whole">(.*?)<', text)
    assert packed is not None
    content = json.loads(gzip.decompress(b64decode(packed[1])))
    assert content["about"] == episode.about() and len(content["frames"]) == len(episode.moves) + 1
    for frames, env in zip(content["frames"], episode.envs(), strict=True):
        assert frames == [sight.scene(env, viewer) for viewer in (0, 1, None)]
    assert picture.read_text() == episode.to_svg()
    assert episode.to_svg(seconds=0.5).count("<animate") == picture.read_text().count("<animate")
    assert "srcdoc" in episode._repr_html_()
