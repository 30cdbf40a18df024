"""Text from elsewhere (names, specs, paths, options, messages of bots), made harmless for where it goes: one function a place.

    plain, literal, message   a terminal; through print, through rich, and in several lines
    markdown, markdown_code   a cell or a sentence of Markdown, code within it
    csv_cell                  a cell of CSV, which spreadsheets may open
    html_text                 text and attributes of HTML
    json_text, json_in_html   JSON, by itself and in a script element

All that shows such text goes through one of them. What does not print (control characters, those that turn the direction of
writing, lone surrogates) is written as an escape in every place but JSON, which has escapes of its own.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text

# What means something within a line of Markdown, and the links that GitHub makes of bare addresses.
_MARKDOWN = re.compile(r"[&<>\\`*~\[\]|$]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.", re.IGNORECASE)
_FORMULA = "=+-@＝＋－＠"  # a cell of a spreadsheet that begins so is computed
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def plain(text: object) -> str:
    """One line for a terminal: what does not print as Python's escapes, `\\n` and `\\x1b` for example."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in str(text))


def literal(text: object, style: str = "") -> Text:
    """`plain` text for rich, in which brackets are brackets."""
    from rich.text import Text

    return Text(plain(text), style)


def message(text: object) -> str:
    """Text of several lines, such as what a bot wrote, for a terminal: all lines but the first are indented, so that none
    can be taken for ours."""
    return "\n    ".join(plain(line) for line in str(text).expandtabs(4).splitlines())


def markdown(text: object) -> str:
    """A cell of a table, or a sentence, in Markdown: it shows the text, whatever it holds."""
    return _MARKDOWN.sub(lambda match: f"&#{ord(match[0])};", plain(text))


def markdown_code(text: object) -> str:
    """Text as code in a sentence of Markdown."""
    code = plain(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", code)), default=0))
    edge = " " if code.startswith("`") or code.endswith("`") else ""
    return f"{fence}{edge}{code}{edge}{fence}"


def csv_cell(value: object) -> object:
    """A cell of CSV: numbers as they are; a text that a spreadsheet would compute has an apostrophe before it, and so has one
    that begins with an apostrophe, so that who reads it can take one away."""
    if not isinstance(value, str):
        return value
    text = plain(value)
    begins = text.lstrip()[:1]
    return f"'{text}" if begins and begins in _FORMULA + "'" and not _NUMBER.fullmatch(text) else text


def html_text(text: object) -> str:
    """Text, or an attribute's value in quotes, in HTML."""
    return html.escape(plain(text))


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON in ASCII. Arrays are lists, numbers that JSON does not know (NaN, infinities) null, other things their text."""
    separators = (",", ":") if indent is None else None
    return json.dumps(_jsonable(value), indent=indent, separators=separators, allow_nan=False)


def json_in_html(value: Any) -> str:
    """JSON for a script element, which nothing in it can end or turn into something else."""
    return re.sub("[<>&]", lambda match: f"\\u{ord(match[0]):04x}", json_text(value))


def _jsonable(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): _jsonable(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_jsonable(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (str, int, float)) else str(value)
