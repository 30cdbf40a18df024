"""The code of docs/guides/llm_environments.md runs as it stands where its framework is installed."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT, WITHIN

GUIDE = (ROOT / "docs" / "guides" / "llm_environments.md").read_text(encoding="utf-8")
SECTIONS = {
    title: text for title, text in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", GUIDE, re.M | re.S) if "```python" in text
}
NEEDS = {"verifiers": "verifiers", "OpenEnv": "openenv", "TextArena": "textarena", "Model Context Protocol": "mcp"}
SAYS = {
    "verifiers": r"tennis_v0, deal 0, seat 1 \{'game_return': .*'search_gain': .*'forfeited': 0\.0",
    "OpenEnv": r"returns \[[-\d.]+, [-\d.]+\]",
    "TextArena": r"\{0: [-\d.]+, 1: [-\d.]+\}",
    "Model Context Protocol": r"The game is over\. Returns: player 0 \(you\) [-+]\d",
}


def test_every_section_is_tried():
    assert SECTIONS.keys() == NEEDS.keys() == SAYS.keys()


@pytest.mark.parametrize("title", SECTIONS)
def test_the_code_runs(title: str, tmp_path: Path) -> None:
    """In one folder; a block that begins with a file's name is that file."""
    if importlib.util.find_spec(NEEDS[title]) is None:
        pytest.skip(f"{NEEDS[title]} is not installed")
    said = ""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # where clients find `wilddeck`
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", SECTIONS[title], re.S)):
        named = re.match(r"# (\w+\.py)\n", code)
        (tmp_path / (named[1] if named else f"example_{number}.py")).write_text(code, encoding="utf-8")
        if named is None:
            command = [sys.executable, f"example_{number}.py"]
            settings = {"PATH": path, "HOME": str(tmp_path)}
            done = subprocess.run(
                command,
                cwd=tmp_path,
                env={**os.environ, **settings},
                capture_output=True,
                text=True,
                check=False,
                timeout=WITHIN,
            )
            assert done.returncode == 0, done.stderr
            said += done.stdout
    assert re.search(SAYS[title], said), said
