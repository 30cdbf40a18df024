"""The browser's replay as one file: the page, its styles and modules, and the data that a server would send."""

from __future__ import annotations

import gzip
import re
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..envs.core.escape import html_text, json_in_html, json_text
from ..envs.core.game import Game
from ..envs.core.render.svg import sprite

_STATIC = Path(__file__).parents[1] / "web" / "static"
_IMPORTED = re.compile(r'from "\./([\w.]+)"')
_POLICY = "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'"  # the page cannot load anything


def page(title: str, content: dict[str, Any], game: Game) -> str:
    """The page of a replay.

    Args:
        content: `about`, `marks`, and `frames`: the scene of each move by viewer.
    """
    packed = gzip.compress(json_text({**content, "cards": sprite(game.cards)}).encode(), mtime=0)
    imports = {name: _data(source) for name, source in _modules("replay.js").items()}
    head = (
        f'<meta http-equiv="content-security-policy" content="{_POLICY}">\n<title>{html_text(title)}</title>\n'
        f'<script type="importmap">{json_in_html({"imports": imports})}</script>\n'
        f'<script type="application/octet-stream" id="whole">{b64encode(packed).decode()}</script>\n'
    )
    changes: list[tuple[str, Callable[[re.Match[str]], str]]] = [
        (r"<title>.*?</title>\n", lambda found: head),
        (r'<link rel="icon".*?>\n', lambda found: ""),
        (r'<link rel="stylesheet" href="/static/(.*?)">', lambda found: f"<style>\n{_read(found[1])}</style>"),
        (r'<script type="module" src="/static/(.*?)">', lambda found: f'<script type="module">import "{found[1]}";'),
        (r'<a class="brand" href="/">(.*?)</a>', lambda found: f'<span class="brand">{found[1]}</span>'),
    ]
    text = _read("replay.html")
    for pattern, change in changes:
        text = re.sub(pattern, change, text)
    return text


def _read(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


def _modules(name: str) -> dict[str, str]:
    """The source of a module and of those it imports, by name. They import each other by bare names, because imports relative
    to a `data:` URL do not exist."""
    found, wanted = {}, [name]
    while wanted:
        name = wanted.pop()
        source = _read(name)
        wanted += [each for each in _IMPORTED.findall(source) if each not in found]
        found[name] = _IMPORTED.sub(r'from "\1"', source)
    return found


def _data(source: str) -> str:
    return f"data:text/javascript;base64,{b64encode(source.encode()).decode()}"
