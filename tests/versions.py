"""Prints what `make test-versions` installs besides the project: for "oldest" its dependencies at their lower bounds."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import tomllib


def pins(versions: str) -> list[str]:
    """Requirements; none for "newest", which is what pip chooses."""
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    dependencies = tomllib.loads(text)["project"]["dependencies"] if versions == "oldest" else []
    return [re.sub(r">=([\d.]+).*", r"==\1", requirement) for requirement in dependencies]


if __name__ == "__main__":
    print(*pins(sys.argv[1]))
