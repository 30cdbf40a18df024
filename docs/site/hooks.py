"""What MkDocs makes the site of besides docs/: the files of the project's root, a picture a game, links of clauses."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import pictures  # beside this file; before the games, for it sets how their rules are run
import tutorials
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
_TUTORIAL = re.compile(r"\]\([./]*/examples/tutorials/(\w+)\.py\)")
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
    """Every game has its pages in the menu."""
    sections = {name: listed for entry in config.nav or [] for name, listed in entry.items()}
    for name, folder in (("Games", "rules"), ("Prompts", "prompts")):
        sections[name] += [{game.title: f"{folder}/{game.name}.md"} for game in _games()]
    sections["Games"].append({"The Extended Deck": f"rules/{SHARED}.md"})
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
    for game in _games():
        files.append(File.generated(config, _picture(game), content=_drawn(game.id)))
    for script in tutorials.SCRIPTS.glob("*.py"):
        text, shown = tutorials.page(script.stem, tutorials.EXECUTED / f"{script.stem}.ipynb")
        for name, content in {f"{script.stem}.md": text, **shown}.items():
            files.append(File.generated(config, f"tutorials/{name}", content=content))
    files.append(File.generated(config, "site/icon.svg", abs_src_path=str(ROOT / "web" / "static" / "icon.svg")))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """The picture of a game stands under its page's title, a few stand at home; links to the project's root end at
    home, those to scripts of tutorials at their pages."""
    uri = page.file.src_uri
    up = "../" * uri.count("/")
    game = next((candidate for candidate in _games() if uri == f"rules/{candidate.name}.md"), None)
    picture = ""
    if uri == "index.md":
        few = (candidate for candidate in _games() if candidate.name in AT_HOME)
        links = "".join(f"[![{candidate.title}]({_picture(candidate)})](rules/{candidate.name}.md)\n" for candidate in few)
        picture = f'<div class="home" markdown>\n{links}</div>\n\n'
    elif game is not None:
        picture = f"![{game.title}, as the player to move sees it](../{_picture(game)})\n\n"
    markdown = _TUTORIAL.sub(rf"]({up}tutorials/\1.md)", markdown).replace(f"](../{up}", f"]({up}")
    return _TITLE.sub(lambda title: title[0] + picture, markdown, count=1)


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """In pages of rules every clause has a place, and its number elsewhere leads there."""
    folder, _, name = page.file.src_uri.rpartition("/")
    if folder != "rules":
        return html
    name = name.removesuffix(".md")
    return linked(next((game.id for game in _games() if game.name == name), name), html, f"{SHARED}.html")


@functools.cache
def _games() -> tuple[Any, ...]:
    return tuple(map(envs.game, envs.OWN))


@functools.cache
def _drawn(game_id: str) -> bytes:
    return pictures.draw(envs.game(game_id))


def _picture(game: Any) -> str:
    return f"pictures/{game.name}.jpg"


def _at_root(name: str) -> str:
    """A file of the project's root, its links as the site has them."""
    return (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")


def _all_games() -> str:
    """A picture a game, in the order of the README."""
    cells = [
        f'<div class="game" markdown>\n[![{game.title}](../{_picture(game)}){{ loading=lazy }}]({game.name}.md)\n\n'
        f"**[{game.title}]({game.name}.md)** · {players} players\n\n{pages.about(game)}\n</div>\n"
        for game in _games()
        for players in [game.options.player_counts()]
    ]
    shared = f"What most of them share stands in [The Extended Deck]({SHARED}.md)."
    return f'# Games\n\n{shared}\n\n<div class="games" markdown>\n' + "\n".join(cells) + "</div>\n"


def _cite() -> str:
    """How to cite the project, from CITATION.cff."""
    about = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    authors = " and ".join(f"{{{author['name']}}}" for author in about["authors"])
    fields = {"author": authors, "title": f"{{{about['title']}}}", "version": about["version"], "note": "Software"}
    entry = ",\n".join(f"  {name:7} = {{{value}}}" for name, value in fields.items())
    return (
        f"# How to cite\n\n{about['message']} `CITATION.cff` says the same to programs. Name the version of each game too, "
        f"with which its id ends (`tennis_v0`), and the options that differ from the defaults.\n\n"
        f"```bibtex\n@misc{{wilddeck,\n{entry}\n}}\n```\n"
    )
