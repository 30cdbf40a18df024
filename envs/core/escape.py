"""Escaping of untrusted text (names, agent strings, paths, options, messages of bots), one function for each output format.

    plain, literal, message   a terminal, by print or by rich; several lines
    markdown, markdown_code   a cell or a sentence of Markdown, code within it
    csv_cell                  a cell of CSV, which spreadsheets may open
    html_text                 text and attributes of HTML
    json_text, json_in_html   JSON, by itself and in a script element

All output of such text goes through one of them. Unprintable characters (control characters, changes of writing direction, lone
surrogates) are escaped everywhere except in JSON, which has its own escapes.
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

# Characters with a meaning within a line of Markdown, and bare addresses, which GitHub turns into links.
_MARKDOWN = re.compile(r"[&<>\\`*~\[\]|$]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.", re.IGNORECASE)
_FORMULA = "=+-@＝＋－＠"  # spreadsheets compute cells that begin with these
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def plain(text: object) -> str:
    """One line for a terminal, with unprintable characters as Python's escapes, such as `\\n` and `\\x1b`."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in str(text))


def literal(text: object, style: str = "") -> Text:
    """`plain` text for rich, with brackets taken literally."""
    from rich.text import Text

    return Text(plain(text), style)


def message(text: object) -> str:
    """Text of several lines, such as the output of a bot, for a terminal. All lines but the first are indented, so that none
    can pass for a message of wilddeck."""
    return "\n    ".join(plain(line) for line in str(text).expandtabs(4).splitlines())


def markdown(text: object) -> str:
    """Text for a table cell or a sentence in Markdown, shown literally."""
    return _MARKDOWN.sub(lambda match: f"&#{ord(match[0])};", plain(text))


def markdown_code(text: object) -> str:
    """Text as code in a sentence of Markdown."""
    code = plain(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", code)), default=0))
    edge = " " if code.startswith("`") or code.endswith("`") else ""
    return f"{fence}{edge}{code}{edge}{fence}"


def csv_cell(value: object) -> object:
    """A cell of CSV. Numbers are unchanged. Text that a spreadsheet would compute, or that begins with an apostrophe, gets an
    apostrophe in front, which readers can remove."""
    if not isinstance(value, str):
        return value
    text = plain(value)
    begins = text.lstrip()[:1]
    return f"'{text}" if begins and begins in _FORMULA + "'" and not _NUMBER.fullmatch(text) else text


def html_text(text: object) -> str:
    """Text for HTML content or a quoted attribute value."""
    return html.escape(plain(text))


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON in ASCII. Arrays become lists; NaN and infinities become null; other objects become their text."""
    separators = (",", ":") if indent is None else None
    return json.dumps(_jsonable(value), indent=indent, separators=separators, allow_nan=False)


def json_in_html(value: Any) -> str:
    """JSON for a script element, escaped so that it cannot end the element."""
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
