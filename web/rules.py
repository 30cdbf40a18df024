"""The games' pages as HTML: rules with an anchor for each clause, tables of options, actions and observation."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

from markdown_it import MarkdownIt

from .. import envs
from ..envs import pages
from ..envs.core.escape import html_text
from .limits import Gone

SHARED = "extended_deck"  # the page of rules shared by several games
_TEMPLATE = Path(__file__).with_name("static") / "rules.html"
_CLAUSE = re.compile(r"^\| ([A-Z]{2}-\d+) \| (.*) \|$", re.M)
_REFERENCE = re.compile(r"\b[A-Z]{2}-\d+\b")
_CODE = re.compile(r"^```.*?^```$", re.M | re.S)
_SECTION = re.compile(r"<h2>(.*?)</h2>")
_FOR_PROGRAMS = ("Actions", "Observation", "Events", "Rewards", "How it plays")
_MARKDOWN = re.compile(r"[`*]|\[([^\]]*)\]\([^)]*\)")


@functools.cache
def rules_page(name: str) -> str:
    """The page of a game by its id, or `SHARED`, as a whole document.

    Raises:
        Gone: the page does not exist.
    """
    text = _text(name)
    read, looked_up = _for_a_player(text)
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render
    body = html(read)
    if looked_up:
        body += f"<details><summary>For programs: {', '.join(_FOR_PROGRAMS).lower()}</summary>{html(looked_up)}</details>"
    body = _SECTION.sub(lambda found: f'<h2 id="{found[1].lower().replace(" ", "-")}">{found[1]}</h2>', body)
    body = re.sub(r'href="([^"]*)"', _link, body)
    body = linked(name, body, f"/rules/{SHARED}").replace("<table>", '<table tabindex="0">')  # it may need to scroll
    games = [(game.id, game.title) for game in envs.all_games()] + [(SHARED, "The Extended Deck")]
    current = ' aria-current="page"'
    menu = "".join(
        f'<li><a href="/rules/{page}"{current if page == name else ""}>{html_text(title)}</a></li>' for page, title in games
    )
    title = html_text(text.splitlines()[0].lstrip("# "))
    return _TEMPLATE.read_text(encoding="utf-8").replace("TITLE", title).replace("MENU", menu).replace("BODY", body)


def _for_a_player(text: str) -> tuple[str, str]:
    """A game's page for players: how to play, the clauses, the options; and separately the parts for programmers, including
    code."""
    sections = pages.sections(text)
    if "In short" not in sections:
        return text, ""
    title = text.strip().partition("\n")[0]
    intro = _CODE.sub("", sections.pop("")).strip()
    how, options = sections.pop("In short"), sections.pop("Options", "")
    apart = {name: sections.pop(name) for name in _FOR_PROGRAMS if name in sections}
    read = {"How to play": how, **sections, "Options": options}
    written = ["\n\n".join(f"## {name}\n\n{words}" for name, words in each.items() if words) for each in (read, apart)]
    return f"{title}\n\n{intro}\n\n{written[0]}\n", written[1]


def linked(name: str, body: str, shared: str) -> str:
    """The HTML of a page in which every clause has an anchor, and every mention of a clause links to it and shows its text.

    Args:
        name: the name of the page, as in `rules_page`.
        shared: the address of the page of shared rules.
    """
    body = _outside_tags(body, functools.partial(_explained, name, shared))
    return re.sub(r"<td>(<a[^>]*>)([A-Z]{2}-\d+)</a></td>", r'<td id="\2"><a href="#\2">\2</a></td>', body)


def _text(name: str) -> str:
    """A page's Markdown source."""
    if name == SHARED:
        return pages.extended_deck_page()
    if name not in envs.game_ids():
        raise Gone(f"there is no page {name!r}; pages: {', '.join((*envs.game_ids(), SHARED))}")
    return pages.page(envs.game(name))


@functools.cache
def clauses(name: str) -> dict[str, str]:
    """The clauses of a page in words, by their ids."""
    return {number: _MARKDOWN.sub(r"\1", words) for number, words in _CLAUSE.findall(_text(name))}


def _link(match: re.Match[str]) -> str:
    """Turn links between documentation files into links between pages; links to other documents lead to the list of games."""
    target, _, place = match[1].partition("#")
    if "://" in target or not target:
        return match[0]
    name = target.rpartition("/")[2].removesuffix(".md")
    page = next((game_id for game_id in envs.game_ids() if game_id.rpartition("_v")[0] == name), name)
    if page not in (*envs.game_ids(), SHARED):
        return 'href="/"'
    return f'href="/rules/{page}{"#" + place if place else ""}"'


def _explained(name: str, shared: str, text: str) -> str:
    """Turn a clause's number into a link with the clause's text."""

    def link(match: re.Match[str]) -> str:
        for page, path in ((name, ""), (SHARED, shared)):
            words = clauses(page).get(match[0])
            if words is not None:
                return f'<a class="clause" href="{path}#{match[0]}" title="{html_text(words)}">{match[0]}</a>'
        return match[0]

    return _REFERENCE.sub(link, text)


def _outside_tags(html: str, change: Callable[[str], str]) -> str:
    """Apply `change` to text outside of tags, links, code and headings."""
    parts, inside = [], 0
    for part in re.split(r"(<[^>]*>)", html):
        tag = re.match(r"<(/?)(a|code|pre|h\d)\b", part)
        if tag:
            inside += -1 if tag[1] else 1
        parts.append(change(part) if not inside and not part.startswith("<") else part)
    return "".join(parts)
