"""A person at the terminal: choosing, help, undo, leaving, and what is told of others."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from support import ROOT
from wilddeck.agents import make
from wilddeck.agents.base import Agent, View
from wilddeck.agents.terminal import HumanAgent, Quit, coloured, play_terminal, watch
from wilddeck.envs import game as find_game
from wilddeck.envs.core import cards
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import HIDDEN
from wilddeck.envs.core.events import DISCARD, DRAW, EVERYBODY, NOBODY, PLAY, SELECT, EventKind, emit_card
from wilddeck.envs.core.facts import Fact, who
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout
from wilddeck.envs.core.options import Options
from wilddeck.envs.core.rng import shuffle
from wilddeck.envs.core.zones import ZoneRole

pytestmark = pytest.mark.interpreted

# --- a little game with turns of two choices ---
#
# Two players, three cards each. A turn: choose a card, then lay it on the table for all to see or under the stock, where
# only its owner knows it. Instead of a card a player may first draw one. The game ends when a hand is empty; its owner wins.

SIZE, HAND = 12, 8


@device_function
def deal(state):
    for card in range(SIZE):
        state.deck[card] = card
    shuffle(state, state.deck, SIZE)


@device_function
def begin(state):
    for player in range(2):
        state.hand[player, :] = -1
        for k in range(3):
            state.hand[player, k] = state.deck[3 * player + k]
    state.stock_top = 6
    state.chosen = -1
    state.table[:] = -1
    state.under[:] = -1


@device_function
def legal_actions(state, mask):
    if state.chosen >= 0:
        mask[8] = 1
        mask[9] = 1
        return
    for k in range(HAND):
        if state.hand[state.current_player, k] >= 0:
            mask[k] = 1
    if state.stock_top < 8:
        mask[10] = 1


@device_function
def step(state, action):
    player = np.int64(state.current_player)
    if action < 8:
        state.chosen = state.hand[player, action]
        for k in range(action, HAND - 1):
            state.hand[player, k] = state.hand[player, k + 1]
        state.hand[player, HAND - 1] = -1
        emit_card(state, SELECT, player, state.chosen, 1 << player, NOBODY)
        return
    if action == 10:
        for k in range(HAND):
            if state.hand[player, k] < 0:
                state.hand[player, k] = state.deck[state.stock_top]
                emit_card(state, DRAW, player, state.hand[player, k], 1 << player, NOBODY)
                break
        state.stock_top += 1
        return
    if action == 8:
        emit_card(state, PLAY, player, state.chosen, EVERYBODY, NOBODY)
        state.table[state.chosen] = player
    else:
        emit_card(state, DISCARD, player, state.chosen, 1 << player, NOBODY)
        state.under[state.chosen] = player
    state.chosen = -1
    if state.hand[player, 0] < 0:
        state.rewards[player] = 1
        state.rewards[1 - player] = -1
        state.terminated = 1
    state.current_player = 1 - player


@device_function
def observe(state, player, out):
    for k in range(HAND):
        if state.hand[player, k] >= 0:
            out[state.hand[player, k]] = 1


@device_function
def determinize(state, player):
    pass  # what is hidden changes nothing of what a choice shows


def card_label(state: Any, place: int) -> str:
    return f"choose {cards.text([int(state.hand[state.current_player][place])])}"


def zones(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    def visible(ids: Iterable[int], owner: int) -> list[int]:
        return [int(card) if viewer in (None, owner) else HIDDEN for card in ids]

    by_zone = {f"hand/{p}": visible((c for c in state.hand[p] if c >= 0), p) for p in range(2)} | {"chosen": []}
    mover = int(state.current_player)
    chosen = [state.chosen] if state.chosen >= 0 else []
    by_zone["chosen" if viewer in (None, mover) else f"hand/{mover}"] += visible(chosen, mover)
    by_zone["table"] = [card for card in range(SIZE) if state.table[card] >= 0]
    by_zone["hidden"] = [
        card if viewer in (None, int(state.under[card])) else HIDDEN for card in range(SIZE) if state.under[card] >= 0
    ]
    by_zone["stock"] = visible((state.deck[k] for k in range(int(state.stock_top), SIZE)), -1)
    return by_zone


EVENTS = (
    EventKind(SELECT, "a card is chosen", "{player} chooses {cards}", secret=True),
    EventKind(DRAW, "a card is drawn", "{player} draws {cards}"),
    EventKind(PLAY, "a card is laid open", "{player} lays {cards}"),
    EventKind(DISCARD, "a card is hidden", "{player} hides {cards} under the stock"),
)
DUEL = Game(
    name="duel",
    options=Options,
    fields=[
        ("hand", "i1", (2, HAND)),
        ("chosen", "i1"),
        ("stock_top", "u1"),
        ("table", "i1", (SIZE,)),
        ("under", "i1", (SIZE,)),
    ],
    actions=Layout(
        Block("card", 8, "choose"),
        Block("where", 2, "", label="{choice}", parts={"choice": ("lay it open", "hide it under the stock")}),
        Block("draw", 1, "draw"),
    ),
    observation=Layout(Block("hand", SIZE, "own cards")),
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=lambda options: list(range(SIZE)),
    labels={"card": card_label},
    describe=lambda state, viewer: [Fact(f"{who(state.current_player)} to move")],
    zones=zones,
    zone_roles={
        "hand": ZoneRole.HAND,
        "chosen": ZoneRole.ROW,
        "table": ZoneRole.ROW,
        "hidden": ZoneRole.ROW,
        "stock": ZoneRole.STOCK,
    },
    bounds=Bounds(40, (-1.0, 1.0)),
    events=EVENTS,
)


# --- scripted players ---


class Script(Agent):
    """Plays actions whose labels begin with the given words, in turn; then the first legal one."""

    name = "script"

    def __init__(self, *labels: str) -> None:
        self.labels = list(labels)

    def act(self, view: View, rng: np.random.Generator) -> int:
        beginning = self.labels.pop(0) if self.labels else ""
        return next(a for a in view.legal_actions.tolist() if view.label(a).startswith(beginning))


class Session:
    """A terminal with a person who types the given lines."""

    def __init__(self, *lines: str, encoding: str = "utf-8", **console: Any) -> None:
        self.raw = io.BytesIO()
        self.file = io.TextIOWrapper(self.raw, encoding=encoding, write_through=True)
        self.console = Console(file=self.file, width=120, **console)
        self.lines = list(lines)

    def read(self, prompt: str) -> str:
        if not self.lines:
            raise EOFError
        self.file.write(f"{prompt}{self.lines[0]}\n")
        return self.lines.pop(0)

    @property
    def text(self) -> str:
        return self.raw.getvalue().decode(self.file.encoding)

    def after(self, line: str) -> str:
        """What was written between a typed line and the next prompt."""
        return self.text.partition(f"> {line}\n")[2].partition("\n> ")[0]


def tennis(*lines: str, seat: int = 0, opponents: Iterable[Any] = ("random",), **console: Any) -> tuple[Session, Any]:
    session, game = Session(*lines, **console), find_game("tennis_v0")
    options = game.make_options({"num_players": 2, "dealer": 0, "max_tricks": 50})
    return session, play_terminal(game, options, list(opponents), seat, 1, session.console, session.read)


def duel(*lines: str, opponent: Agent | None = None, seat: int = 0) -> tuple[Session, Any]:
    session = Session(*lines)
    return session, play_terminal(DUEL, Options(), [opponent or Script()], seat, 1, session.console, session.read)


def hand(text: str) -> list[str]:
    """The hand shown first to the person."""
    row = next(line for line in text.splitlines() if "(you)" in line and "│" in line)
    return row.partition("(you)")[2].strip(" │").split("  ")[0].split()


# --- a game in the terminal ---


def test_choosing_by_number_label_and_card() -> None:
    lowest = hand(tennis()[0].text)[0][:-1]
    for typed in (lowest, f"play {lowest}", "#1"):
        session, _ = tennis(typed)
        assert f"you play {lowest}" in session.text
        assert "player 1 plays" in session.text


def test_the_first_question_says_how_to_answer() -> None:
    session, _ = tennis("#1", "#1")
    assert session.text.count("Choose an action by number (#1), words or cards; ? helps.\n> #1\n") == 1
    assert session.text.count("? helps") == 1


def test_a_whole_game() -> None:
    session, returns = tennis(*["#1"] * 2000)
    assert sorted(returns.tolist()) in ([-1.0, 1.0], [0.0, 0.0])
    assert "Result" in session.text
    assert session.text.count("Result") == 1
    last = session.text[session.text.index("Result") :]
    assert "you" in last
    assert "random" in last


def test_an_unknown_text_changes_nothing_and_names_what_is_near() -> None:
    session, _ = duel("chose 2c", "xyzzy")
    assert session.after("chose 2c").startswith("no action 'chose 2c'; perhaps choose ")
    assert session.after("xyzzy").startswith("no action 'xyzzy' (list shows all actions, ? shows help)")
    assert "player_0 (you):" not in session.text


def test_a_text_with_several_meanings_lists_them() -> None:
    session, _ = duel("choose")
    assert "'choose' can mean 3 actions" in session.after("choose")


def test_help_rules_show_and_list() -> None:
    session, _ = duel("?", "help", "show", "list draw", "")
    assert "take back the last action of a half-made choice" in session.after("?")
    assert session.after("help") == session.after("?")
    assert "player 0 to move" in session.after("show")
    assert session.after("list draw").strip() == "#4 draw"
    assert session.after("").count("choose") == 3


def test_a_game_without_a_page_shows_what_it_declares() -> None:
    session, _ = duel("rules")
    assert "Observation" in session.after("rules")


@pytest.mark.skipif(not (ROOT / "docs" / "rules" / "tennis.md").exists(), reason="the page is not written yet")
def test_rules_of_a_game() -> None:
    session, _ = tennis("rules")
    assert "TN-03" in session.after("rules")


@pytest.mark.parametrize("lines", [("quit",), ("q",), ("exit",), ()])
def test_leaving(lines: tuple[str, ...]) -> None:
    session, returns = tennis(*lines)
    assert returns is None
    assert session.text.rstrip().endswith("you left the game")


def test_interrupting() -> None:
    session = Session()

    def interrupt(prompt: str) -> str:
        raise KeyboardInterrupt

    game = find_game("tennis_v0")
    assert play_terminal(game, game.make_options({}), ["random"] * 3, 0, 1, session.console, interrupt) is None


# --- taking back ---


def test_a_half_made_choice_is_taken_back() -> None:
    session, _ = duel("#1", "undo", "list")
    cards_before = hand(session.text)
    assert "taken back" in session.after("undo")
    assert hand(session.after("undo")) == cards_before
    assert session.after("list").count("choose") == 3


def test_a_complete_choice_is_not_taken_back() -> None:
    session, _ = duel("#1", "lay", "undo", opponent=Script("choose", "lay"))
    assert "nothing to take back" in session.after("undo")


def test_nothing_to_take_back_at_first() -> None:
    session, _ = duel("undo")
    assert "nothing to take back" in session.after("undo")


def test_what_has_shown_a_card_is_not_taken_back() -> None:
    session, _ = duel("draw", "undo", "#1", "undo", "undo")
    assert len(hand(session.after("draw"))) == 4
    assert "nothing to take back" in session.after("undo")
    assert session.text.count("taken back") == 1
    assert session.text.count("nothing to take back") == 2  # the choice goes back, the drawn card stays


def test_several_choices_of_a_turn_are_taken_back_one_by_one() -> None:
    """The six piles of the set-up of By The Skin of Your Teeth."""
    game = find_game("skin_of_your_teeth_v0")
    session = Session("#1", "#2", "undo", "show", "undo", "list", "undo")
    play_terminal(game, game.make_options({}), ["random"] * 3, 0, 1, session.console, session.read)
    piles = [line.count("[]") for line in session.text.splitlines() if "(you)" in line and "│" in line]
    assert piles == [6, 5, 4, 5, 5, 6]  # at first, after #1, #2, undo, show, undo
    assert session.text.rstrip().endswith("you left the game")
    assert session.text.count("nothing to take back") == 1


@pytest.mark.parametrize(
    ("game_id", "options"),
    [("old_maid_v0", {"deck": "standard"}), ("president_v0", {"deck": "standard"}), ("spades_v0", {})],
)
def test_nothing_is_taken_back_that_was_drawn_or_played(game_id: str, options: dict[str, Any]) -> None:
    """The Old Maid is not put back, a play that nobody beats stays, and so does a trick."""
    game = find_game(game_id)
    session = Session(*["#1", "undo"] * 60)
    made = game.make_options({"num_players": 4, **options})
    play_terminal(game, made, ["random"] * 3, 0, 2, session.console, session.read)
    assert session.text.count("nothing to take back") > 8
    assert "\ntaken back" not in session.text


def test_a_game_with_taken_back_choices_ends_as_without() -> None:
    plain = ["#1", "lay", "#1", "hide", "#1", "lay"]
    undone = ["#2", "undo", "#1", "lay", "#1", "undo", "#1", "hide", "#1", "lay"]
    results = [duel(*lines)[1].tolist() for lines in (plain, undone)]
    assert results[0] == results[1] == [1.0, -1.0]


# --- what is told ---

_TOLD = re.compile(r"((?:you|player 1) (?:chooses?|lays?|hides?|draws?)\b).*", re.MULTILINE)


def test_what_others_do_in_secret_is_not_told() -> None:
    session, _ = duel("#1", "lay", "#1", "lay", opponent=Script("choose", "hide", "choose", "lay"))
    told = list(_TOLD.finditer(session.text))
    assert [match[1] for match in told[:5]] == ["you choose", "you lay", "player 1 hides", "you choose", "you lay"]
    lines = [match[0] for match in told]
    assert lines[2] == "player 1 hides a card under the stock" and lines[5].startswith("player 1 lays ")


def test_each_move_is_told_as_of_who_made_it() -> None:
    game = find_game("tennis_v0")
    session = Session("#1")
    play_terminal(game, game.make_options({"dealer": 0}), ["random"] * 3, 0, 1, session.console, session.read)
    told = re.findall(r"^(you play|player \d plays) ", session.text, re.MULTILINE)
    assert told[:4] == ["you play", *(f"player {seat} plays" for seat in range(1, 4))]


def test_nothing_written_depends_on_what_the_person_cannot_know() -> None:
    """What is shown for a view is the same when the hidden cards are other ones."""
    game = find_game("tennis_v0")
    env = CardGameEnv(game, game.make_options({}))
    env.reset(seed=1)
    for _ in range(30):
        env.step(env.legal_actions()[0])
    texts = []
    for game_seen in (env, env.determinize(env.agent_selection, 1)):
        session = Session("show", "list", "play")
        with pytest.raises(Quit):
            HumanAgent(session.console, session.read).act(View.of(game_seen), np.random.default_rng(0))
        texts.append(session.text)
    assert texts[0] == texts[1]
    assert env.zones() != game_seen.zones()


# --- colours ---


def test_cards_are_coloured_and_other_words_are_not() -> None:
    text = coloured("As 10d Jk Dr-h ?? x3, as before: Queen of 7h", Session().console)
    assert text.plain == "A♠ T♦ Jk Dr♥ ?? x3, as before: Queen of 7♥"
    styles = {text.plain[span.start : span.end]: span.style for span in text.spans}
    assert styles == {"A♠": "bold", "T♦": "blue", "Jk": "magenta", "Dr♥": "red", "?? x3": "dim", "7♥": "red"}


def test_letters_where_signs_cannot_be_written() -> None:
    assert coloured("7h", Session(encoding="ascii").console).plain == "7h"


@pytest.mark.parametrize("no_color", [False, True])
def test_no_color_is_respected(no_color: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    session = Session(force_terminal=True)
    session.console.print(coloured("7h", session.console))
    assert ("\x1b[31m" in session.text) is not no_color


# --- watching ---


@pytest.mark.parametrize("terminal", [False, True])
def test_watching(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    session = Session(force_terminal=terminal)
    returns = watch(DUEL, Options(), [Script(), Script()], seed=1, delay=0.0, console=session.console)
    assert returns is not None
    assert sorted(returns.tolist()) == [-1.0, 1.0]
    assert "player 1 lays" in session.text or "player 0 lays" in session.text
    assert "Result" in session.text


def test_agents_are_told_how_it_ended() -> None:
    ends = []

    class Listens(Script):
        def end(self, seat: int, returns: np.ndarray) -> None:
            ends.append((seat, returns.tolist()))

    returns = watch(DUEL, Options(), [Listens(), Listens()], seed=1, delay=0.0, console=Session().console)
    assert returns is not None
    assert ends == [(0, returns.tolist()), (1, returns.tolist())]


def test_watching_can_be_interrupted() -> None:
    class Interrupts(Script):
        def act(self, view: View, rng: np.random.Generator) -> int:
            raise KeyboardInterrupt

    assert watch(DUEL, Options(), [Script(), Interrupts()], console=Session().console) is None


# --- bad input ---


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda game, options: play_terminal(game, options, ["random"] * 3, seat=4), "there is no seat 4; seats: 0..3"),
        (lambda game, options: play_terminal(game, options, ["random"]), "4 players need 3 opponents, not 1"),
        (lambda game, options: watch(game, options, ["random"]), "4 players need 4 agents, not 1"),
        (lambda game, options: watch(game, options, ["nobody"] * 4), "no agent 'nobody'"),
    ],
)
def test_bad_input(call: Callable[..., Any], message: str) -> None:
    game = find_game("tennis_v0")
    with pytest.raises(ValueError, match=message):
        call(game, game.make_options({}))


def test_agents_made_here_are_closed_and_others_are_not() -> None:
    closed = []

    class Closes(Script):
        def close(self) -> None:
            closed.append(self)

    mine = Closes()
    assert make(mine, DUEL, Options()) is mine
    watch(DUEL, Options(), [mine, Script()], console=Session().console)
    assert closed == []
