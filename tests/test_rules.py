"""The pages of the games and the tests that cite their clauses."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest
from support import ROOT, TESTS, Case, each_game
from wilddeck.benchmarks import told
from wilddeck.envs import game as find_game
from wilddeck.envs import pages
from wilddeck.envs.core.options import Options

PAGES = ROOT / "docs" / "rules"
CLAUSE = re.compile(r"^\| ([A-Z]{2}-\d\d) \|", re.M)


def clauses() -> list[str]:
    """The ids of all clauses, in the order of the pages."""
    return [clause for page in sorted(PAGES.glob("*.md")) for clause in CLAUSE.findall(page.read_text(encoding="utf-8"))]


@functools.cache
def citations() -> set[str]:
    """What the tests cite with `@pytest.mark.rule(...)`, also in a parameter's marks."""
    cited = set()
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "rule":
                for argument in node.args:
                    assert isinstance(argument, ast.Constant), f"{path.name}:{argument.lineno}: cite clauses by plain text"
                    cited.add(argument.value)
    return cited


def test_each_clause_is_cited_by_a_test() -> None:
    assert sorted(set(clauses()) - citations()) == []


def test_no_test_cites_an_unknown_clause() -> None:
    assert sorted(citations() - set(clauses())) == []


def test_every_clause_that_is_named_exists() -> None:
    """In documents and in code, in comments and in rulings."""
    known = set(clauses())
    named = re.compile(rf"\b(?:{'|'.join(sorted({clause[:2] for clause in known}))})-\d\d\b")
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    code = [path for name in ("agents", "benchmarks", "envs", "tests", "web") for path in (ROOT / name).rglob("*.py")]
    for path in [*documents, *code]:
        unknown = sorted(set(named.findall(path.read_text(encoding="utf-8"))) - known)
        assert not unknown, f"{path.relative_to(ROOT)} names {', '.join(unknown)}"


def test_clauses_are_numbered_once() -> None:
    assert len(clauses()) == len(set(clauses()))


@each_game
def test_the_page_of_a_game(case: Case) -> None:
    """Clauses of one prefix in the order of their numbers, and the sections that every page has."""
    text = pages.page_path(case.game).read_text(encoding="utf-8")
    numbers = CLAUSE.findall(text)
    assert numbers
    assert numbers == sorted(set(numbers))
    assert {clause[:2] for clause in numbers} == {numbers[0][:2]}
    for heading in ("Options", "Rules", "Actions", "Observation", "Rewards", "Rulings", "Worked examples"):
        assert f"\n## {heading}\n" in text
    assert f"`{case.game_id}`" in text.splitlines()[0]


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_every_page_has_its_rules_in_short(page: Path) -> None:
    """In a few paragraphs, for people and prompts, before all else."""
    first, in_short = list(pages.sections(page.read_text(encoding="utf-8")).items())[1]
    assert first == "In short"
    assert 120 <= len(in_short.split()) <= 300
    assert not re.search(r"\b[A-Z]{2}-\d\d\b", in_short)


@each_game
def test_the_tables_of_a_page_are_up_to_date(case: Case) -> None:
    """`make docs` fills them in."""
    assert pages.page_path(case.game).read_text(encoding="utf-8") == pages.page_source(case.game)


@pytest.mark.parametrize("game_id", told.HANDS)
def test_the_hands_that_pages_tell_are_up_to_date(game_id: str) -> None:
    page = pages.page_path(find_game(game_id)).read_text(encoding="utf-8")
    assert page == told.filled(page, game_id)
    assert "<!-- told -->\n" in page
    assert 15 <= len(told.hand(game_id)) <= 30


def test_the_tables_of_the_extended_deck_are_up_to_date() -> None:
    assert pages.EXTENDED_DECK.read_text(encoding="utf-8") == pages.extended_deck_source()


def test_the_lists_of_games_are_up_to_date() -> None:
    for path, text in pages.lists().items():
        assert path.read_text(encoding="utf-8") == text, path.name
        assert "<!-- generated:" in text


@each_game
def test_a_table_is_made_of_every_declaration(case: Case) -> None:
    text = pages.page_source(case.game)
    for name in pages.TABLES:
        assert f"<!-- generated: {name} -->" in text
    for option, *_ in case.game.options.table():
        assert f"| `{option}` |" in text
    for layout in (case.game.actions, case.game.observation):
        for block in layout.blocks:
            assert f"| `{block.name}` |" in text


@each_game
def test_every_declaration_says_what_it_means(case: Case) -> None:
    assert issubclass(case.game.options, Options)
    for _, allowed, _, doc in case.game.options.table():
        assert allowed
        assert doc
    for block in (*case.game.actions.blocks, *case.game.observation.blocks):
        assert len(block.doc) > 8, block.name


def test_pages_belong_to_games() -> None:
    import wilddeck

    names = {game_id.rpartition("_v")[0] for game_id in wilddeck.games()}
    assert names <= {path.stem for path in PAGES.glob("*.md")}


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda path: path.stem)
def test_markers_are_closed(page) -> None:  # type: ignore[no-untyped-def]
    text = page.read_text(encoding="utf-8")
    assert text.count("<!-- generated:") == text.count("<!-- end -->")


def test_what_stands_between_the_marks_is_replaced_and_nothing_else() -> None:
    game = find_game("tennis_v0")
    before = "a\n<!-- generated: options -->\nold\n<!-- end -->\nb <!-- end -->\n"
    after = pages.fill(before, game)
    assert "old" not in after
    assert after.startswith("a\n<!-- generated: options -->\n| option |")
    assert after.endswith("<!-- end -->\nb <!-- end -->\n")
