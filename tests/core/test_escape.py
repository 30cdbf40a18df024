"""Text from elsewhere cannot act where it is shown, and can be read back."""

from __future__ import annotations

import csv
import html
import io
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wilddeck.envs.core.escape import (
    csv_cell,
    html_text,
    json_in_html,
    json_text,
    literal,
    markdown,
    markdown_code,
    message,
    plain,
)

texts = st.one_of(st.text(), st.text("=+-@\t\r\n'\"|`*_~[]<>&\\!:/w. 1a\x1b\x9b\u202e\u2028\ud800"))


@given(texts)
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    assert plain(text).isprintable()
    first, *others = message(text).split("\n")
    assert first.isprintable()
    assert all(line.isprintable() and line.startswith("    ") for line in others)


@given(texts)
def test_rich_shows_the_text_itself(text: str) -> None:
    from rich.console import Console

    out = io.StringIO()
    Console(file=out, width=10_000).print(literal(text), end="")
    assert out.getvalue().rstrip() == plain(text).rstrip()


@given(texts)
def test_markdown_shows_the_text_itself(text: str) -> None:
    source = markdown(text)
    assert html.unescape(source) == plain(text)
    assert not re.search(r"[<>\\`*~\[\]|$]|&(?!#\d+;)|://|www\.", source, re.IGNORECASE)
    fence = re.match("`+", markdown_code(text))
    assert fence is not None
    inner = markdown_code(text)[len(fence[0]) : -len(fence[0])]
    assert fence[0] not in re.findall("`+", inner)
    assert plain(text) in inner


@given(texts)
def test_no_cell_is_computed_and_all_can_be_read_back(text: str) -> None:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([csv_cell(text), "end"])
    ((cell, end),) = csv.reader(io.StringIO(out.getvalue()))
    assert end == "end"
    assert cell.removeprefix("'") == plain(text)
    assert out.getvalue().count("\n") == 1
    if cell.lstrip()[:1] in {"=", "+", "-", "@", "＝", "＋", "－", "＠"}:
        float(cell)  # a number and no formula


@pytest.mark.parametrize("number", [-1, -0.5, 1e-6, "-0.500000", "+12", "-3e-5", ".5", "0"])
def test_numbers_stay_numbers(number: object) -> None:
    assert csv_cell(number) == number


FORMULAS = ["=1", "@SUM(A1)", "+1+1", "-2+3", "-∞", " =1", "＝1", '=HYPERLINK("http://x")', "-", "+", "'=1", "-1 ", "-nan"]


@pytest.mark.parametrize("formula", FORMULAS)
def test_formulas_are_text(formula: str) -> None:
    assert csv_cell(formula) == "'" + plain(formula)


@given(
    st.recursive(
        texts | st.integers() | st.booleans() | st.none(),
        lambda children: st.lists(children) | st.dictionaries(texts, children),
    )
)
def test_json_is_ascii_and_ends_no_script(value: object) -> None:
    assert json.loads(json_text(value)) == value
    page = json_in_html(value)
    assert json.loads(page) == value
    assert page.isascii()
    assert page.isprintable()
    assert not set(page) & set("<>&")


def test_json_of_what_json_does_not_know() -> None:
    value = {"nan": float("nan"), "array": np.array([1.0, np.inf]), "number": np.float64(0.5), 3: {4}}
    assert json.loads(json_text(value)) == {"nan": None, "array": [1.0, None], "number": 0.5, "3": "{4}"}


@given(texts)
def test_html_is_text(text: str) -> None:
    assert html.unescape(html_text(text)) == plain(text)
    assert not set(html_text(text)) & set("<>\"'")
