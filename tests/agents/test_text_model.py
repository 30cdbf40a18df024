"""The example of a language model from nothing, as small as can be: record, train, serve, play."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support import ROOT
from wilddeck.agents.play import evaluate
from wilddeck.envs.core.jit import only_interpreted

torch = pytest.importorskip("torch")
openai = pytest.importorskip("openai")

TINY = {"width": 32, "layers": 2, "heads": 2}


@pytest.fixture(scope="module")
def example() -> ModuleType:
    place = importlib.util.spec_from_file_location("text_model", ROOT / "examples" / "text_model.py")
    assert place is not None and place.loader is not None
    sys.modules["text_model"] = module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def recorded(example: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("text")
    with only_interpreted():
        options = ["-o", "num_players=2", "-o", "max_tricks=50"]
        example.main(["record", "tennis_v0", *options, "--games", "2", "--out", str(folder)])
    return folder


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "games.jsonl").read_text(encoding="utf-8").splitlines()]


def test_what_is_recorded(example: ModuleType, recorded: Path) -> None:
    rows = rows_of(recorded)
    assert len(rows) > 100  # of one player, then of both
    for row in rows:
        assert row["answer"] in re.findall(r"^\d+: (.*)$", row["prompt"], re.M)
        assert row["prompt"].rstrip().endswith(example.MARK) and "your hand: " in row["prompt"]
    assert json.loads((recorded / "game.json").read_text()) == {
        "game": "tennis_v0",
        "options": {"num_players": 2, "max_tricks": 50},
    }


@pytest.mark.long
@pytest.mark.interpreted
def test_from_the_record_to_the_table(example: ModuleType, recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it has learned by heart it answers, served as a language model, too; and it plays as one."""
    rows = rows_of(recorded)[:60]
    (recorded / "games.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    first = example.train(recorded, epochs=10, batch=8, rate=3e-3, skip="pile|removed", **TINY)
    learned = example.train(recorded, epochs=50, batch=8, rate=3e-3, go_on=True)
    assert (learned["decisions"], learned["weights"]) == (50 * 59, first["weights"])
    model = example.TextModel.load(recorded / "model.safetensors")
    answers = [model.answer(row["prompt"]) for row in rows[:50]]
    assert sum(answer == row["answer"] for answer, row in zip(answers, rows, strict=False)) > 40
    with example.server(recorded) as server, openai.OpenAI(base_url=server.base_url, api_key="any") as client:

        def said(**settings: Any) -> str:
            return client.chat.completions.create(model=example.NAME, **settings).choices[0].message.content

        for row, answer in zip(rows[:5], answers, strict=False):
            prompt = {"role": "user", "content": f"{row['prompt']}\nThink, then end with a line.\n"}
            assert said(messages=[prompt]) == f"ACTION: {answer}"
            again = [prompt, {"role": "assistant", "content": "nothing"}, {"role": "user", "content": "Choose again."}]
            assert said(messages=again) == f"ACTION: {answer}"
            drawn = [said(messages=[prompt], temperature=9.0, seed=seed) for seed in (1, 1, 2, 3)]
            assert drawn[0] == drawn[1] and len({*drawn}) > 1
        with pytest.raises(openai.BadRequestError, match="use its template"):
            said(messages=[{"role": "user", "content": "hello"}])
        spec = example.spec_of(recorded, server.base_url)
        played = evaluate(spec, "random", "tennis_v0", {"num_players": 2, "max_tricks": 50}, 1, seed=7)
        assert played.games == 2
        assert [request.fault for request in server.requests].count("400") == 2  # it knows neither schemas nor tools
    capsys.readouterr()
    example.main(["evaluate", str(recorded), "--deals", "1"])
    legal, asked = map(int, re.search(r"; (\d+) of (\d+) answers legal", capsys.readouterr().out).groups())  # type: ignore[union-attr]
    assert asked > 30 and legal > asked / 3
    assert [path.name for path in recorded.glob("exchanges-*.jsonl")]


def test_a_word_that_was_never_recorded_is_read_as_other(example: ModuleType) -> None:
    model = example.TextModel([example.END, example.OTHER, "play", "4c"], 8, width=16, layers=1, heads=2)
    assert model.encode("play 4c") == [2, 3] and model.encode("play 5h") == [2, 1]


def test_a_text_is_read_up_to_each_word_alone(example: ModuleType) -> None:
    """A decoder: what follows changes nothing of what was read before."""
    torch.manual_seed(1)
    model = example.TextModel([example.END, example.OTHER, *"abcd"], 8, width=16, layers=2, heads=2)
    first, other = torch.tensor([[2, 3, 4, 5]]), torch.tensor([[2, 3, 5, 4]])
    assert torch.allclose(model(first)[:, :2], model(other)[:, :2]) and not torch.allclose(model(first), model(other))
