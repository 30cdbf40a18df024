"""What MkDocs makes the site of besides docs/: the files of the project's root, a picture a game, links of clauses."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import pictures  # beside this file; before the games, for it sets how their rules are run
import yaml
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from wilddeck import envs
from wilddeck.envs import pages
from wilddeck.web.rules import SHARED, linked

ROOT = Path(__file__).resolve().parents[2]
LINKED = ROOT / "build" / "docs" / "wilddeck"  # the package by its name, for mkdocstrings looks for folders
AT_HOME = ("wild_escape", "poker", "rummy")
_TITLE = re.compile(r"^# .*\n+", re.M)


def on_startup(**_: Any) -> None:
    """Link the package's parts under its name; the checkout itself also holds environments and other things made here."""
    LINKED.mkdir(parents=True, exist_ok=True)
    parts = [path.parent for path in ROOT.glob("*/__init__.py")]
    for path in [*parts, *ROOT.glob("*.py")]:
        link = LINKED / path.name
        link.unlink(missing_ok=True)
        link.symlink_to(path)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Every game has its page in the menu."""
    games = [{found.title: f"rules/{found.name}.md"} for found in _games()]
    section = next(each["Games"] for each in config.nav or [] if "Games" in each)
    section += [*games, {"The Extended Deck": f"rules/{SHARED}.md"}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Pages that stand elsewhere, or are made of what does; the pictures; the icon of the browser's pages."""
    texts = {
        "index.md": _at_root("README.md"),
        "CONTRIBUTING.md": _at_root("CONTRIBUTING.md"),
        "CHANGELOG.md": _at_root("CHANGELOG.md"),
        "rules/index.md": _all_games(),
        "cite.md": _cite(),
    }
    for name, text in texts.items():
        files.append(File.generated(config, name, content=text))
    for found in _games():
        files.append(File.generated(config, _picture(found), content=_drawn(found.id)))
    files.append(File.generated(config, "site/icon.svg", abs_src_path=str(ROOT / "web" / "static" / "icon.svg")))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """The picture of a game stands under its page's title, a few stand at home; links to the project's root end at home."""
    uri = page.file.src_uri
    up = "../" * uri.count("/")
    found = next((each for each in _games() if uri == f"rules/{each.name}.md"), None)
    shown = ""
    if uri == "index.md":
        few = (each for each in _games() if each.name in AT_HOME)
        links = "".join(f"[![{each.title}]({_picture(each)})](rules/{each.name}.md)\n" for each in few)
        shown = f'<div class="home" markdown>\n{links}</div>\n\n'
    elif found is not None:
        shown = f"![{found.title}, as the player to move sees it](../{_picture(found)})\n\n"
    return _TITLE.sub(lambda title: title[0] + shown, markdown.replace(f"](../{up}", f"]({up}"), count=1)


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """In pages of rules every clause has a place, and its number elsewhere leads there."""
    folder, _, name = page.file.src_uri.rpartition("/")
    if folder != "rules":
        return html
    name = name.removesuffix(".md")
    return linked(next((each.id for each in _games() if each.name == name), name), html, f"{SHARED}.html")


@functools.cache
def _games() -> tuple[Any, ...]:
    return tuple(map(envs.game, envs.game_ids()))


@functools.cache
def _drawn(game_id: str) -> bytes:
    return pictures.draw(envs.game(game_id))


def _picture(found: Any) -> str:
    return f"pictures/{found.name}.jpg"


def _at_root(name: str) -> str:
    """A file of the project's root, its links as the site has them."""
    return (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")


def _all_games() -> str:
    """A picture a game, in the order of the README."""
    cells = [
        f'<div class="game" markdown>\n[![{found.title}](../{_picture(found)}){{ loading=lazy }}]({found.name}.md)\n\n'
        f"**[{found.title}]({found.name}.md)** · {players} players\n\n{pages.about(found)}\n</div>\n"
        for found, players in ((each, each.options.player_counts()) for each in _games())
    ]
    shared = f"What most of them share stands in [The Extended Deck]({SHARED}.md)."
    return f'# Games\n\n{shared}\n\n<div class="games" markdown>\n' + "\n".join(cells) + "</div>\n"


def _cite() -> str:
    """How to cite the project, from CITATION.cff."""
    about = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    authors = " and ".join(f"{{{each['name']}}}" for each in about["authors"])
    fields = {"author": authors, "title": f"{{{about['title']}}}", "version": about["version"], "note": "Software"}
    entry = ",\n".join(f"  {name:7} = {{{value}}}" for name, value in fields.items())
    return (
        f"# How to cite\n\n{about['message']} `CITATION.cff` says the same to programs. Name the version of each game too, "
        f"with which its id ends (`tennis_v0`), and the options that differ from the defaults.\n\n"
        f"```bibtex\n@misc{{wilddeck,\n{entry}\n}}\n```\n"
    )
