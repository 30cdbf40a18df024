"""Names, specs and messages that mean something to a terminal, to rich, Markdown, spreadsheets or browsers: everywhere they
are shown as what they are, and what is shown can be read back."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import shutil
import sqlite3
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from support import few, short
from wilddeck import envs
from wilddeck.agents import terminal
from wilddeck.agents.base import AgentError
from wilddeck.agents.play import Evaluation
from wilddeck.agents.random import RandomAgent
from wilddeck.benchmarks import report
from wilddeck.cli import main
from wilddeck.envs.core.escape import plain
from wilddeck.league import League
from wilddeck.league.export import markdown_table
from wilddeck.training.evaluate import table

NAMES = [
    *("[/x]", "[bold red]", "[link=http://x]y[/link]", "[@click=quit]x", "\\[b]", ":smile:", "%s {0} {{body}}"),
    *('=HYPERLINK("http://x")', "@SUM(A1:A9)", "+1+1", "-2+3", "'=1", "＝1", "-7", "a;=1", '"quoted", it is'),
    *("|pipe|", "\\|", "\\\\|", "back`tick``s", "*bold* _it_ ~~gone~~", "[a](http://x)", "![a](b)", "www.x.y", "http://x.y"),
    *("<b>&amp;", "<!--<script>", "</script><script>alert(1)</script>", "]]>-->", "<img src=x onerror=alert(1)>", "' onload='"),
    *("名前", "é\u0301", "🂡", "---", "# heading", "x" * 80),
]
CONTROLS = [
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\u202egnihton",
    "two\nlines",
    "back\rward",
    "\t=1",
    "a\u2028b",
    "\u2066x",
]
BOT = "import sys; sys.stderr.write('\\x1b]0;owned\\x07[/x]\\r\\n\\u202e=1|<b>'); sys.exit(3)"


def sound(text: str) -> str:
    """The text, if a terminal only shows it."""
    wrong = {character for character in text if character != "\n" and not character.isprintable()}
    assert not wrong, wrong
    return text


class Ran:
    """The command, in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str, status: int = 0) -> str:
        self._capsys.readouterr()
        assert main(words) == status
        printed = self._capsys.readouterr()
        return sound(printed.err if status else printed.out)


@pytest.fixture
def wilddeck(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ran:
    monkeypatch.setenv("COLUMNS", "5000")  # so that tables cut nothing
    return Ran(capsys)


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All against one, and a bot that fails with a nasty message."""
    path = tmp_path_factory.mktemp("[bold]") / "[x] league.sqlite"
    with League(path, "tennis_v0", {"num_players": 2, "max_tricks": 50}) as made:
        for name in ("random", *NAMES):
            made.add(name, "random")
        made.add("bot", f'cmd:{sys.executable} -S -c "{BOT}"')
        made.run(1, gauntlet="random")
    return path


@pytest.fixture(scope="module")
def edited(league: Path) -> Path:
    """The same with more messages of the kind."""
    path = league.with_name("edited.sqlite")
    shutil.copy(league, path)
    file = sqlite3.connect(path)
    seats = file.execute("SELECT match, seat FROM seat WHERE message = '' LIMIT ?", (len(MESSAGES),)).fetchall()
    rows = [(message, *seat) for message, seat in zip(MESSAGES, seats, strict=True)]
    file.executemany("UPDATE seat SET status = 'crash', message = ? WHERE match = ? AND seat = ?", rows)
    file.commit()
    file.close()
    return path


ALL = ["random", *NAMES, "bot"]
MESSAGES = [*NAMES, *CONTROLS]


def test_a_league_refuses_names_that_do_not_print(tmp_path: Path) -> None:
    with League(tmp_path / "league.sqlite", "tennis_v0") as made:
        for name in CONTROLS:
            with pytest.raises(RuntimeError, match="1 to 80 printable characters") as refused:
                made.add(name, "random")
            sound(str(refused.value))


def test_tables(edited: Path, wilddeck: Ran) -> None:
    printed = wilddeck("league", "table", str(edited))
    rows = [line.split("  ") for line in printed.splitlines()]
    cells = {cell.strip() for row in rows for cell in row}
    assert {plain(name) for name in ALL} <= cells
    assert len(re.findall(r"^crash: .* on seat \d of \w+: ", printed, re.MULTILINE)) == 5, "no more than a few"
    assert {row["agent"] for row in json.loads(wilddeck("league", "table", str(edited), "--json"))["rows"]} == set(ALL)
    printed = wilddeck("league", "matrix", str(edited))
    for name in ALL:
        assert printed.count(plain(name)) >= 2, "once as a row, once as a column"
    assert json.loads(wilddeck("league", "matrix", str(edited), "--json"))["agents"] == ALL


def test_csv(edited: Path, wilddeck: Ran) -> None:
    rows = list(csv.DictReader(io.StringIO(wilddeck("league", "export", str(edited), "--format", "csv"))))
    assert {row["agent"].removeprefix("'") for row in rows} == {plain(name) for name in ALL}
    for row in rows:
        assert None not in row and None not in row.values()
        for name in ("return", "rank", "moves", "seconds", "seat", "deal"):
            float(row[name])
        for cell in row.values():
            assert cell[:1] not in {"=", "@", "\t", "\r", "＝"}
            if cell[:1] in {"+", "-"}:
                float(cell)
    assert {plain(message) for message in MESSAGES} <= {row["message"].removeprefix("'") for row in rows}
    assert any("\\x1b]0;owned\\x07" in row["message"] for row in rows)


def test_json(edited: Path, wilddeck: Ran) -> None:
    exported = json.loads(wilddeck("league", "export", str(edited)))
    assert [entry["name"] for entry in exported["agents"]] == ALL
    messages = {error["message"] for error in exported["errors"]}
    assert set(MESSAGES) <= messages
    assert any("\x1b]0;owned" in message for message in messages)


def markdown_tables(text: str) -> list[list[list[str]]]:
    """The cells of each table; what a renderer could take for something else than text is an error."""
    tables: list[list[list[str]]] = []
    for block in re.split(r"\n\n", text):
        lines = block.strip().splitlines()
        if not lines or not lines[0].startswith("|"):
            assert not any(line.startswith("|") for line in lines)
            continue
        rows = [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in lines]
        assert len({len(row) for row in rows}) == 1, "equally many cells in each row"
        assert set(rows.pop(1)) == {"---"}
        for cell in (cell for row in rows for cell in row):
            assert not re.search(r"[<>`*\[\]|\\~]|&(?!#\d+;)|://|www\.", cell), cell
        tables.append([[html.unescape(cell).strip() for cell in row] for row in rows])
    return tables


def test_markdown(league: Path, wilddeck: Ran) -> None:
    ranking, matrix = markdown_tables(wilddeck("league", "export", str(league), "--format", "markdown"))
    assert {row[1] for row in ranking[1:]} == {plain(name) for name in ALL}
    assert matrix[0][1:] == [row[0] for row in matrix[1:]] == [plain(name) for name in ALL]
    (table,) = markdown_tables("\n".join(markdown_table(CONTROLS, [CONTROLS])))
    assert table == [[plain(name) for name in CONTROLS]] * 2


class Page(HTMLParser):
    """The texts of a page by element, and the elements there are."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[tuple[str, str]] = []
        self.comments: list[str] = []
        self._open = [""]
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in ("meta", "link", "input"):
            self._open.append(tag)
            self.texts.append((tag, ""))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.texts and self.texts[-1][0] == self._open[-1]:
            data = self.texts.pop()[1] + data
        self.texts.append((self._open[-1], data))

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def of(self, *tags: str) -> list[str]:
        return [text for tag, text in self.texts if tag in tags]


def test_html(league: Path) -> None:
    with League(league) as opened:
        page = Page(sound(opened.export("html")))
    assert page.elements == {"h3", "p", "table", "thead", "tbody", "tr", "th", "td"}
    assert not page.comments and not page.attributes
    assert {plain(name) for name in ALL} <= set(page.of("td"))
    assert {plain(name) for name in ALL} <= set(page.of("th"))


def test_replay(league: Path, wilddeck: Ran) -> None:
    with League(league) as opened:
        matches = {seat.agent: result.id for result in opened.results() for seat in result.seats}
    for name in (*NAMES[:12], "</script><script>alert(1)</script>", "bot"):
        printed = wilddeck("league", "replay", str(league), matches[name])
        assert plain(name) in printed
        seats = json.loads(wilddeck("league", "replay", str(league), matches[name], "--json"))["seats"]
        assert name in [seat["agent"] for seat in seats]


def test_the_command_adds_and_shows_them(tmp_path: Path, wilddeck: Ran) -> None:
    file = str(tmp_path / "[bold].sqlite")
    agents = [word for name in ("[/x]", "</b>|`", "'q") for word in ("-a", f"{name}=random")]
    printed = wilddeck("league", "run", file, "tennis", "-n", "2", *agents, "--deals", "1")
    assert all(name in printed for name in ("[/x]", "</b>|`", "'q"))


def test_the_report(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    names = [*NAMES, *CONTROLS]
    standings = [report.Standing(name, 1.0, None, 2.0, 0.0, 0.1, 3) for name in names]
    share = [[0.5] * len(names)] * len(names)
    curve = [(0, dict.fromkeys(names, 0.1)), (10, dict.fromkeys(names, 0.2))]
    frames = [report.Frame(f"player_0 ({name}): play 3", name, {name: [1, -1]}) for name in names]
    game = report.GameReport("<title>", standings, names, share, curve, 0.5, frames, "; ".join(names), names)
    report.write(path, "{{introduction}} {{body}}", "".join(names), [game])
    text = sound(path.read_text(encoding="utf-8"))
    page = Page(text)
    drawn = {"svg", "line", "text", "title", "g", "circle", "polyline"}
    framed = {"html", "head", "meta", "style", "body", "main", "h1", "h2", "h3", "p", "section", "script", "div"}
    assert page.elements == drawn | framed | {"table", "thead", "tbody", "tr", "th", "td"}
    assert not page.comments
    assert not {name for name in page.attributes if name.startswith("on")} and "src" not in page.attributes
    assert page.of("h1") == ["{{introduction}} {{body}}"]
    assert {plain(name) for name in names} <= set(page.of("th")) & set(page.of("p"))
    data, code = page.of("script")
    assert not set("<>&\u2028") & set(data)
    assert [frame["text"] for frame in json.loads(data)["frames"]] == names
    assert "data.frames" in code


class Nasty(RandomAgent):
    def __init__(self, name: str) -> None:
        self.name = name


@pytest.mark.parametrize("table", range(0, len(MESSAGES), 5))
def test_a_game_in_the_terminal(table: int) -> None:
    game, names = envs.game("tennis_v0"), [*MESSAGES, *MESSAGES][table : table + 5]
    options, out = game.make_options({"num_players": 6, "max_tricks": 50}), io.StringIO()
    console = Console(file=out, width=500)
    terminal.watch(game, options, [*map(Nasty, names), RandomAgent()], delay=0, console=console)
    terminal.play_terminal(game, options, [*map(Nasty, names)], console=console, read=lambda prompt: "#1")
    printed = sound(out.getvalue())
    for name in names:
        assert printed.count(plain(name)) >= 2
        assert re.search(rf"player_\d\s+.\s*{re.escape(plain(name))}\s", printed)


def test_evaluations_and_training_by_name() -> None:
    from wilddeck.training.log import progress_bar

    names, out = [*NAMES, *CONTROLS], io.StringIO()
    console = Console(file=out, width=500)
    console.print(table({name: Evaluation(0.0, 0.1, 0.5, 10) for name in names}))
    bar = progress_bar(True)
    task = bar.add_task("game", total=1.0, steps=1, speed=1.0, results="")
    for name in names:
        bar.update(task, results=f"wins: {name} 50%")
        console.print(bar)
    printed = sound(out.getvalue())
    for name in names:
        assert printed.count(plain(name)) >= 2


def test_the_log_of_a_run(tmp_path: Path) -> None:
    from wilddeck.training.log import CsvLog

    path, names = tmp_path / "progress.csv", [*NAMES, *CONTROLS]
    log = CsvLog(path, ["steps", *names])
    log.write({"steps": 1, **dict.fromkeys(names, -0.5)})
    log.write({"steps": 2})
    CsvLog(path, ["steps", *names], keep=1).write({"steps": 3, names[0]: "=1"})
    first, last = csv.DictReader(io.StringIO(sound(path.read_text(encoding="utf-8"))))
    assert [heading.removeprefix("'") for heading in first] == ["steps", *map(plain, names)]
    assert set(first.values()) == {"1", "-0.5"}
    assert last["steps"] == "3" and last[names[0]] == "'=1"


@pytest.mark.parametrize("text", short(MESSAGES, few(MESSAGES, 8)), ids=ascii)
def test_errors_that_name_them(text: str, tmp_path: Path, wilddeck: Ran) -> None:
    for words in (
        ("rollout", text),
        ("rollout", "tennis", "-o", f"{text}=1"),
        ("rollout", "tennis", "-o", f"max_tricks={text}"),
        ("watch", "tennis", "-a", text),
        ("evaluate", "tennis", f"{text}.npz"),
        ("evaluate", "tennis", "random", "--against", text),
        ("exploit", "tennis", text),
        ("exploit", "tennis", "rules", "--set", f"{text}=1"),
        ("train", "tennis", "--set", f"{text}=1", "--out", str(tmp_path / "run")),
        ("train", "tennis", "--resume", "--out", str(tmp_path / text.replace("/", ""))),
        ("league", "table", str(tmp_path / text.replace("/", ""))),
        ("league", "run", str(tmp_path / "a.sqlite"), "tennis", "-a", f"x={text}"),
    ):
        if any(word.startswith("-") and word.startswith(text) for word in words):
            continue  # an option, and an unknown one
        said = wilddeck(*words, status=1)
        assert said.startswith("wilddeck: ")
        assert all(line.startswith("    ") for line in said.splitlines()[1:])


def test_what_a_failing_bot_wrote(wilddeck: Ran) -> None:
    said = wilddeck("watch", "tennis", "-n", "2", "-a", f'cmd:{sys.executable} -S -c "{BOT}"', status=1)
    assert "\\x1b]0;owned\\x07[/x]" in said
    assert all(line.startswith("    ") for line in said.splitlines()[1:])


def test_an_error_in_several_lines_cannot_be_taken_for_ours(wilddeck: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(arguments: Any) -> None:
        raise AgentError("crash", "it wrote:\nwilddeck: all is well\r\x1b[2J\u202e")

    monkeypatch.setattr("wilddeck.cli.games.list_games", fails)
    said = wilddeck("games", status=1)
    assert said == "wilddeck: it wrote:\n    wilddeck: all is well\n    \\x1b[2J\\u202e\n"
