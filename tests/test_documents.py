"""The documents' links lead somewhere; the site of them is whole, and loads nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
import wilddeck
from support import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])
ELSEWHERE = ("http://", "https://", "mailto:")
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.*)$", re.M)
_PATH = re.compile(r"`((?:agents|benchmarks|cli|data|docs|envs|frameworks|league|seats|tests|training|web)/[\w./-]+\.\w+)`")


def anchors(path: Path) -> set[str]:
    """The places of a document: its headings as GitHub and MkDocs name them."""
    headings = _HEADING.findall(re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    """Those of the README and its neighbours, and files that are named, too."""
    text = path.read_text(encoding="utf-8")
    for link in _LINK.findall(_CODE.sub("", text)):
        if link.startswith(ELSEWHERE):
            continue
        file, _, place = link.partition("#")
        target = path.parent / file if file else path
        assert target.is_file(), f"{link}: there is no such file"
        assert not place or place in anchors(target), f"{link}: there is no such heading"
    missing = [named for named in _PATH.findall(text) if not (ROOT / named).exists()]
    assert not missing


def test_the_version_comes_from_one_place() -> None:
    """That of `version.py` is the one that is built, cited, and first in the changelog."""
    project, cited, changes = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("pyproject.toml", "CITATION.cff", "CHANGELOG.md")
    )
    assert 'version = { attr = "wilddeck.version.__version__" }' in project
    assert f"\nversion: {wilddeck.__version__}\n" in cited
    assert re.findall(r"^## (\S+)", changes, re.M)[0] == wilddeck.__version__


def test_the_pages_name_the_supported_versions() -> None:
    """Of Python and of the libraries, as `pyproject.toml` bounds them."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    first, *_, last = re.findall(r"Python :: (3\.\d+)", project)
    for name in ("README.md", "docs/start.md", "docs/stability.md", "docs/compare.md"):
        assert f"{first} to {last}" in (ROOT / name).read_text(encoding="utf-8"), name
    promised = (ROOT / "docs/stability.md").read_text(encoding="utf-8")
    for library in ("numpy", "numba", "gymnasium", "pettingzoo"):
        lowest = re.findall(rf'"{library}>=([\d.]+)', project)[0]
        assert re.search(rf"^\| {library} \| {re.escape(lowest)} ", promised, re.M | re.I), library


class Seen(HTMLParser):
    """Of a page its places, where it leads, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.places |= {attributes[name] for name in ("id", "name") if name in attributes}
        if tag == "a" and "href" in attributes:
            self.links.add(attributes["href"])
        elif tag == "link":
            self.loads.add(attributes["href"])
        self.loads |= {attributes[name] for name in ("src", "srcset", "poster", "data") if name in attributes}


@pytest.mark.long
def test_the_site_is_whole(tmp_path: Path) -> None:
    """It is built without a warning; a picture a game; clauses have places; no link is broken, between pages of the interface
    and to clauses neither; nothing is loaded from elsewhere."""
    for name in ("mkdocs", "material", "mkdocstrings_handlers.python", "pygame", "jupytext"):
        pytest.importorskip(name, reason="the extra `docs` is not installed")
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(build, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

    pages = {path: Seen(path.read_text(encoding="utf-8")) for path in tmp_path.rglob("*.html")}
    assert len(pages) > 40
    for path, page in pages.items():
        if path.name == "404.html":  # its links are to the root, wherever that will be
            continue
        for link in sorted(page.links | page.loads):
            assert not (link in page.loads and link.startswith(("http:", "https:", "//"))), f"{path}: loads {link}"
            if link.startswith(ELSEWHERE):
                continue
            file, _, place = unquote(link).partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.exists(), f"{path}: {link}"
            assert not place or target not in pages or place in pages[target].places, f"{path}: {link}"
    for sheet in tmp_path.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet

    for game_id in wilddeck.games():
        name = wilddeck.envs.game(game_id).name
        page = pages[tmp_path / "rules" / f"{name}.html"]
        assert f"../pictures/{name}.jpg" in page.loads
        assert (tmp_path / "pictures" / f"{name}.jpg").read_bytes().startswith(b"\xff\xd8\xff")
        assert any(re.fullmatch(r"[A-Z]{2}-\d+", place) for place in page.places)
    assert "wilddeck.envs.core.aec.CardGameEnv.determinize" in pages[tmp_path / "reference" / "envs.html"].places
