"""The tutorials of examples/tutorials: all are listed, in their order; each runs as a notebook, of which its page is made."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import ROOT

jupytext, yaml = pytest.importorskip("jupytext"), pytest.importorskip("yaml")

MAKER = ROOT / "docs" / "site" / "tutorials.py"
SCRIPTS = ROOT / "examples" / "tutorials"
LINES = 20  # of the code of a cell
SAID = {  # on its page
    "play": (
        "player_2 is to move",
        r"svg\)\n\n## Read the observation",
        r"5 play 7",
        r"(?s)\| Kc 7h 2s 8h 3h Kh\n.*\| Kc 7h 2s 8h 3h Kh\n",  # your hand is in all determinizations
        r"wins 9\d\.\d% of 1500 games",
        r'<iframe src="play_\d\.html" title="Watch a replay">',
    ),
    "batch": (
        r"million steps a second",
        r"by seat \[0\.3\d+ +0\.3\d+ +0\.3\d+\]",
        r"by seat \[0\.9",
        r"png\)\n\n## Keep",
        r"view is .* True",
    ),
    "train": (
        r"png\)\n\n## Evaluate",
        r"against random: \+0\.9",
        r"against rules: \+0\.9",
        r"\| mine \| \+\d+ \|",
        r'<iframe src="train_\d\.html" title="Watch it win">',
    ),
    "ppo": (
        r"\n\d+ decisions of 2048 are known",
        r"png\)\n\n## Keep",
        r"against random: \+0\.9",
        r"against rules: \+0\.[4-6]",
    ),
    "remember": (
        r"\(256, 48, 6\)",
        r"png\)\n\n``` \{.text .output\}\n12 tokens 0\.[56]\d+, 48 tokens 0\.4",
        r"48 tokens against random: \+0\.",
        r"48 tokens against 12 tokens: \+0\.",
    ),
    "search": (
        r"player_0 is to move: fold call 45",
        r"svg\)\n\n## Weigh",
        r"alike: 21%\nweighed: 9\d%",
        r"beliefs=0 plays: (call|raise to) ",
        r"beliefs=1 plays: fold",
        r"png\)\n\n## Judge",
        r"beliefs gain \+\d\.\d+ ± 0\.\d+",
    ),
    "game": (
        r"\['bid 0', 'bid 1', 'bid 3', 'bid 4', 'bid 5'\]",
        r"svg\)\n\n## Check it",
        r"\d\d checks, 0 failed",
        r"observe \(leaky/leaky/game.py:\d+\): the block 'hand' differs for player_1",
        r"return by seat \[ ?0\.0\d+ +0\.0\d+ -0\.0\d+\]",
        r"against rules: \+0\.0[4-9]",
        r'<iframe src="game_\d\.html" title="Look at what it learned">',
    ),
    "bots": (
        r'\n\{"action": 8\}',
        r"against random: \+(0\.9|1\.0)",
        r"cheat - illegal - action \d+, which is not legal",
        r"(?s)\| 1 \| rules \|.*\| 2 \| greedy \|.*\| cheat \| [^\n]*\| 20 illegal \|",
        r'<iframe src="bots_\d\.html" title="Watch a match">',
    ),
    "models": (
        r"\n8: play T\n",
        r'"9 scores \+1 against 1 on the table", "action": 7',
        r"This cannot be played: .*owls",
        r"illegal - stand-in gave two invalid answers",
        r"decision \d\nstand-in has spent its budget: 0\.2[5-9] of 0\.25",
        r"(?s)\| 1 \| rules \|.*\| 2 \| reader \|.*\| random \|",
        r"reader: \d+ decisions, 0 repeated",
    ),
    "exploit": (
        r"(?s)\n\+0\.5[5-8].*\ntrained\n.*\n\+0\.(5[5-9]|6[01]).*\nlearned after \d+ decisions",  # differs between processors
        r"png\)\n\n## Let",
        r"exploiter\.safetensors against rules: \+0\.5",
        r"exploiter\.safetensors against trained: -0\.[01]",
        r"rules: passes \d%, leads specials [67]\d%",
        r"exploiter\.safetensors: passes \d+%, leads specials \d+%",
        r'<iframe src="exploit_\d\.html" title="Watch a game">',
        r"(?s)started from trained\n[+-]0\.0[0-3]\d.*started from trained",
    ),
    "paper": (
        r"\| Tennis: 2 players \| [12]\.\d+ \(1\.\d+ to 2\.\d+\) \| 1\.",
        r"\| interquartile mean \| 1\.\d+ \(1\.\d+ to 1\.\d+\) \| 1\.",
        r"probability of improvement 5\d\.\d% \(5\d\.\d% to",  # without 50
        r"\| Tennis: 2 players \|.* \| \+0\.\d+ ± 0\.\d+ \|",
        r"svg\)\n\n## Report",
        r"version=1 suite=full deals=100 seed=0",
    ),
}


def listed() -> dict[str, str]:
    """The tutorials in the order of the menu: names, and their titles there."""
    menu = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    (entries,) = (entry["Tutorials"] for entry in menu if "Tutorials" in entry)
    return {Path(page).stem: title for entry in entries[1:] for title, page in entry.items()}


def cells(name: str) -> list[Any]:
    return jupytext.read(SCRIPTS / f"{name}.py").cells


def test_all_are_listed_in_one_order() -> None:
    index = (ROOT / "docs" / "tutorials" / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| \[(.*)\]\(../../examples/tutorials/(\w+)\.py\)", index, re.M) == [
        (title, name) for name, title in listed().items()
    ]
    assert set(listed()) == {path.stem for path in SCRIPTS.glob("*.py")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_cells_are_short_and_the_last_leads_on(name: str) -> None:
    """Before any code stands what it does; at the end, the next tutorial."""
    first, *_, last = cells(name)
    order = list(listed())
    assert first.source.startswith(f"# {listed()[name]}\n")
    assert last.source.startswith("## What next")
    assert all(f"({following}.py)" in last.source for following in order[order.index(name) + 1 :][:1])
    for before, cell in zip(cells(name), cells(name)[1:], strict=False):
        if cell.cell_type == "code":
            compile(cell.source, name, "exec")
            assert before.cell_type == "markdown" and cell.source.count("\n") < LINES


@pytest.mark.long
@pytest.mark.parametrize("name", SAID)
def test_it_runs_and_its_page_shows_what_it_returned(name: str, tmp_path: Path) -> None:
    for needed in ("nbclient", "ipykernel", "matplotlib", "openai"):
        pytest.importorskip(needed)
    executed = tmp_path / "executed.ipynb"
    run = [sys.executable, MAKER, SCRIPTS / f"{name}.py", executed]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    make_page = runpy.run_path(str(MAKER))["page"]
    text, files = make_page(name, executed)
    assert not [said for said in SAID[name] if not re.search(said, text)], text
    assert not [file for file in files if file not in text] and all(files.values())
    bare, _ = make_page(name, tmp_path / "not there")
    assert "```python" in bare and ".output" not in bare and len(bare) < len(text)
