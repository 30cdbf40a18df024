"""The pages of the games: their tables, and that each clause is cited by a test of its game."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from wilddeck.envs import pages
from wilddeck_games import dou_dizhu, goofspiel, kuhn, leduc, oh_hell


@pytest.mark.parametrize("module", [dou_dizhu, goofspiel, kuhn, leduc, oh_hell], ids=lambda module: module.__name__)
def test_pages(module: Any) -> None:
    text, name = pages.page_path(module.GAME).read_text(encoding="utf-8"), module.__name__.rpartition(".")[2]
    assert pages.fill(text, module.GAME) == text
    assert all(f"<!-- generated: {table} -->" in text for table in pages.TABLES)
    tree = ast.parse((Path(__file__).parent / f"test_{name}.py").read_text(encoding="utf-8"))
    marks = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.rule"]
    cited = {argument.value for mark in marks for argument in mark.args if isinstance(argument, ast.Constant)}
    clauses = re.findall(r"^\| ([A-Z]{2}-\d\d) \|", text, re.M)
    assert cited == set(clauses) and len(clauses) == len(set(clauses))
    named = re.findall(r"\b[A-Z]{2}-\d\d", Path(module.__file__).read_text(encoding="utf-8"))
    assert set(named) <= set(clauses)
