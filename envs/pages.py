"""The games' pages: rules written by hand in docs/rules, with tables that come from the declarations of the game; and lists of
all games elsewhere.

`wilddeck bench pages` (or `make docs`) fills the tables in place; a test fails when they are out of date.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from .core.events import kinds_of
from .core.extended.view import EXTENDED_OBSERVATION, TRICK_ACTIONS, TRICK_OBSERVATION
from .core.game import Game
from .core.layout import Block, Layout
from .core.options import Options
from .registration import registry_id
from .registry import OWN
from .registry import game as find_game

_ROOT = Path(__file__).resolve().parents[1]
PAGES = _ROOT / "docs" / "rules"
EXTENDED_DECK = PAGES / "extended_deck.md"  # rules shared by several games
_MARK = re.compile(r"<!--.*?-->\n?", re.S)
_MARKED = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.S)


def page_path(game: Game) -> Path | None:
    """The page of a game; None if it has none, so only its declarations are shown."""
    return game.file(game.page) if game.page else None


def page(game: Game) -> str:
    """The page of a game in Markdown for readers: its tables up to date, without the marks of generated blocks."""
    return _MARK.sub("", page_source(game))


def page_source(game: Game) -> str:
    """The page of a game as its file has it, with its tables up to date.

    Raises:
        ValueError: the file cannot be read.
    """
    path = page_path(game)
    if path is None:
        headings = [f"\n## {name.title()}\n\n<!-- generated: {name} -->\n<!-- end -->\n" for name in TABLES]
        return fill("".join([f"# {game.title}\n\n`{game.id}`. {about(game)}.\n", *headings]), game)
    try:
        return fill(path.read_text(encoding="utf-8"), game)
    except OSError as error:
        raise ValueError(f"the page of {game.id} cannot be read: {error}") from None


def sections(markdown: str) -> dict[str, str]:
    """The text of a page under each second-level heading; the text before them, without the title, under ""."""
    _, first, *rest = re.split(r"^# .*\n|^## ", "\n" + markdown, flags=re.M)
    return {"": first.strip(), **{name.strip(): text.strip() for name, _, text in (part.partition("\n") for part in rest)}}


def extended_deck_page() -> str:
    """The page of the Extended Deck in Markdown for readers."""
    return _MARK.sub("", extended_deck_source())


def extended_deck_source() -> str:
    """The page of the Extended Deck as its file has it, with its tables up to date."""
    return _filled(EXTENDED_DECK.read_text(encoding="utf-8"), lambda name: _blocks_table(SHARED_BLOCKS[name]))


def about(game: Game) -> str:
    """A one-line description of a game: the first line of its module ("Tennis: a trick game ..."), or else its title."""
    first = (sys.modules[game.module].__doc__ or "").strip().partition("\n")[0]
    return first.partition(": ")[2].rstrip(".") or game.title


def lists() -> dict[Path, str]:
    """The pages that list all games, in Markdown, with up-to-date lists."""
    paths = (_ROOT / "README.md", _ROOT / "docs" / "guides" / "clients.md")
    return {path: _filled(path.read_text(encoding="utf-8"), lambda name: LISTS[name]()) for path in paths}


def fill(text: str, game: Game) -> str:
    """`text` with each `<!-- generated: NAME -->` block replaced by the table of that name (see TABLES)."""
    return _filled(text, lambda name: TABLES[name](game))


def with_block(text: str, name: str, content: Callable[[str], str]) -> str:
    """`text` with its block `<!-- generated: NAME -->` changed by `content`, which gets what is in it.

    Raises:
        ValueError: there is no such block.
    """
    for match in _MARKED.finditer(text):
        if match[2] == name:
            return text[: match.end(1)] + content(text[match.end(1) : match.start(3)]) + text[match.start(3) :]
    raise ValueError(f"the page has no block to fill: it needs the lines <!-- generated: {name} --> and <!-- end -->")


def _filled(text: str, table: Callable[[str], str]) -> str:
    return _MARKED.sub(lambda match: match[1] + table(match[2]) + match[3], text)


def _blocks_table(blocks: tuple[Block, ...]) -> str:
    rows = [(f"`{block.name}`", block.length, block.doc) for block in blocks]
    return _table(("block", "entries (n players)", "meaning"), rows)


def _games_list() -> str:
    """Every game with its numbers of players and its one-line description."""
    rows = []
    for game in map(find_game, OWN):
        rows.append((f"[`{game.id}`](docs/rules/{game.name}.md)", game.options.player_counts(), about(game)))
    return _table(("game", "players", "what it is"), rows)


def _names_list() -> str:
    rows = [(f"`{game_id}`", f"`{registry_id(game_id)}`") for game_id in OWN]
    return _table(("`wilddeck.make` and modules", "Gymnasium, and PettingZoo's registry"), rows)


def _options_table(game: Game) -> str:
    rows = [(f"`{name}`", allowed, default, doc) for name, allowed, default, doc in game.options.table()]
    return _table(("option", "values", "default", "meaning"), rows)


def _actions_table(game: Game) -> str:
    return _layout_table(game, game.actions, "actions", f"`Discrete({{}})` for {game.options().num_players} players")


def _observation_table(game: Game) -> str:
    low, high = game.observation_bounds(game.options())
    others = ", where nothing else is said" if low.any() or (high != 1).any() else ""
    text = f"float32 [{{}}] for {game.options().num_players} players, in [0, 1]{others}"
    return _layout_table(game, game.observation, "entries", text)


def _events_table(game: Game) -> str:
    rows = []
    for kind in kinds_of(game).values():
        sentence = re.sub(r"\{(\w\w+)\}", r"*\1*", kind.text).replace("{s}", "(s)")
        rows.append((f"`{kind.name}`", kind.doc, sentence + (" (secret)" if kind.secret else "")))
    return _table(("event", "what happens", "as a sentence"), rows)


def _layout_table(game: Game, layout: Layout, unit: str, total: str) -> str:
    default = game.options()
    places = layout.slices(default.num_players)
    rows = []
    for block in layout.blocks:
        place = places[block.name]
        rows.append((f"`{block.name}`", block.length, f"{place.start}..{place.stop - 1}", _meaning(block, default)))
    summary = total.format(layout.size(default.num_players))
    heading = ("block", f"{unit} (n players)", f"place with {default.num_players} players", "meaning")
    return f"{summary}.\n\n" + _table(heading, rows)


def _meaning(block: Block, options: Options) -> str:
    """The meaning of the entries, and their bounds if these are not 0 and 1."""
    lows, highs = block.bounds(options)
    low, high = lows.min(), highs.max()
    return block.doc if (low, high) == (0, 1) else f"{block.doc} (by default {low:.4g}..{high:.4g})"


def _table(heading: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [heading, ("---",) * len(heading), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


SHARED_BLOCKS = {
    "trick_actions": TRICK_ACTIONS,
    "extended_observation": EXTENDED_OBSERVATION,
    "trick_observation": TRICK_OBSERVATION,
}
LISTS = {"games": _games_list, "names": _names_list}
TABLES = {"options": _options_table, "actions": _actions_table, "observation": _observation_table, "events": _events_table}


def fill_tables() -> None:
    """Update the generated parts of all pages."""
    for game_id in OWN:
        game = find_game(game_id)
        path = game.file(game.page)
        path.write_text(page_source(game), encoding="utf-8")
        print(f"{path.name}: tables filled")
    for path, text in lists().items():
        path.write_text(text, encoding="utf-8")
    EXTENDED_DECK.write_text(extended_deck_source(), encoding="utf-8")
