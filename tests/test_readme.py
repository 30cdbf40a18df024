"""The examples of the README and of the page Start run as they stand, but for shorter times."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT, shortened

PAGES = (ROOT / "README.md", ROOT / "docs" / "start.md")
EXAMPLES = [code for page in PAGES for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)]
SHORTER = {
    "range(200)": "range(20)",
    "rollout(1000)": "rollout(10)",
    "max_seconds=60": "max_seconds=1, eval_deals=4",
    "deals=20, ": "deals=1, ",
    "rollouts=100": "rollouts=4",
}


@pytest.mark.long
def test_the_examples_run_one_after_the_other(tmp_path: Path) -> None:
    """In one folder, for the league takes the weights that the training example made."""
    assert len(EXAMPLES) == 5
    printed = []
    for number, example in enumerate(EXAMPLES):
        script = tmp_path / f"example_{number}.py"
        script.write_text(shortened(example, SHORTER), encoding="utf-8")
        done = subprocess.run([sys.executable, script.name], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert printed[0].startswith("[") and "player" in printed[0]
    assert "play " in printed[1]
    assert "Rollout(steps=" in printed[2]
    assert "random" in printed[3]
    assert int((tmp_path / "runs/first/progress.csv").read_text().splitlines()[-1].partition(",")[0]) > 0  # compiling is free
    assert "| rules |" in printed[4]


def test_the_speeds_are_those_of_the_page_that_compares() -> None:
    """The README has the rows of OpenSpiel from Python: our speed, theirs and the median ratio."""
    compared = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    rows = re.findall(r"\| (.+) \| observations and masks \| OpenSpiel, Python \| (.+) \| (.+) \| ([\d.]+) ", compared)
    table = PAGES[0].read_text(encoding="utf-8").partition("| game | wilddeck |")[2].partition("\n\n")[0].splitlines()[2:]
    assert [tuple(cell.strip() for cell in row.strip("|").split("|")) for row in table] == rows and len(rows) == 6
