"""A person at the terminal: choosing, help, undo, leaving, and what is told of others."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from games import hearts_positions, skin_positions, wild_escape_positions
from rich.console import Console
from support import ROOT
from wilddeck.agents import make
from wilddeck.agents.base import Agent, View
from wilddeck.agents.choices import Choices, words_of
from wilddeck.agents.hearsay import Hearsay, seen
from wilddeck.agents.terminal import HELP, HumanAgent, Quit, coloured, play_terminal, watch
from wilddeck.envs import game as find_game
from wilddeck.envs.core import cards
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import HIDDEN
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function
from wilddeck.envs.core.layout import Block, Layout
from wilddeck.envs.core.options import Options
from wilddeck.envs.core.rng import shuffle

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
        return
    if action == 10:
        for k in range(HAND):
            if state.hand[player, k] < 0:
                state.hand[player, k] = state.deck[state.stock_top]
                break
        state.stock_top += 1
        return
    if action == 8:
        state.table[state.chosen] = player
    else:
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
    def shown(ids: Iterable[int], owner: int) -> list[int]:
        return [int(card) if viewer in (None, owner) else HIDDEN for card in ids]

    found = {f"hand/{p}": shown((c for c in state.hand[p] if c >= 0), p) for p in range(2)} | {"chosen": []}
    mover = int(state.current_player)
    chosen = [state.chosen] if state.chosen >= 0 else []
    found["chosen" if viewer in (None, mover) else f"hand/{mover}"] += shown(chosen, mover)
    found["table"] = [card for card in range(SIZE) if state.table[card] >= 0]
    found["hidden"] = [
        card if viewer in (None, int(state.under[card])) else HIDDEN for card in range(SIZE) if state.under[card] >= 0
    ]
    found["stock"] = shown((state.deck[k] for k in range(int(state.stock_top), SIZE)), -1)
    return found


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
    describe=lambda state, viewer: f"player {int(state.current_player)} to move",
    zones=zones,
    bounds=Bounds(40, (-1.0, 1.0)),
)


# --- scripted players ---


class Script(Agent):
    """Plays actions whose labels begin with the given words, in turn; then the first legal one."""

    name = "script"

    def __init__(self, *labels: str) -> None:
        self.labels = list(labels)

    def act(self, view: View, rng: np.random.Generator) -> int:
        wanted = self.labels.pop(0) if self.labels else ""
        return next(a for a in view.legal_actions.tolist() if view.label(a).startswith(wanted))


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


def tennis(*lines: str, seat: int = 0, opponents: Iterable[Any] = ("random",), **more: Any) -> tuple[Session, Any]:
    session, game = Session(*lines, **more), find_game("tennis_v0")
    options = game.make_options({"num_players": 2, "dealer": 0, "max_tricks": 50})
    return session, play_terminal(game, options, list(opponents), seat, 1, session.console, session.read)


def duel(*lines: str, opponent: Agent | None = None, seat: int = 0) -> tuple[Session, Any]:
    session = Session(*lines)
    return session, play_terminal(DUEL, Options(), [opponent or Script()], seat, 1, session.console, session.read)


def hand(text: str) -> list[str]:
    """The hand shown first to the person."""
    row = next(line for line in text.splitlines() if "(you)" in line and "│" in line)
    return row.partition("(you)")[2].strip(" │").split("  ")[0].split()


# --- understanding what is typed ---

ATTACKS = ["attack 7h", "attack 7h 7s", "attack 7s", "attack Th 9h 8h 7h 6h", "attack Jk", "draw", "pass on"]
TARGETS = ["target player_1 pile 1", "target player_1 pile 3", "target player_2 pile 1"]
PLAYS = ["play 2", "play 7", "play T"]


@pytest.mark.parametrize(
    ("labels", "typed", "found"),
    [
        (ATTACKS, "attack 7h", ["attack 7h"]),
        (ATTACKS, "  ATTACK   7H ", ["attack 7h"]),
        (ATTACKS, "7h", ["attack 7h"]),
        (ATTACKS, "7♥", ["attack 7h"]),
        (ATTACKS, "7s 7h", ["attack 7h 7s"]),
        (ATTACKS, "7s, 7h", ["attack 7h 7s"]),
        (ATTACKS, "10h", ["attack Th 9h 8h 7h 6h"]),
        (ATTACKS, "jk", ["attack Jk"]),
        (ATTACKS, "2", []),
        (ATTACKS, "#2", ["attack 7h 7s"]),
        (ATTACKS, "99", []),
        (ATTACKS, "dr", ["draw"]),
        (ATTACKS, "pa", ["pass on"]),
        (ATTACKS, "att 7s", ["attack 7s"]),
        (ATTACKS, "attack", ATTACKS[:5]),
        (ATTACKS, "7c", []),
        (ATTACKS, "7h 7h", []),
        (ATTACKS, "", []),
        (TARGETS, "player_1 3", [TARGETS[1]]),
        (TARGETS, "1", [TARGETS[0], TARGETS[2]]),
        (TARGETS, "#1", [TARGETS[0]]),
        (TARGETS, "player_2", [TARGETS[2]]),
        (PLAYS, "7", ["play 7"]),
        (PLAYS, "#1", ["play 2"]),
        (PLAYS, "3", []),
        (PLAYS, "10", ["play T"]),
        (PLAYS, "p t", ["play T"]),
    ],
)
def test_what_a_text_means(labels: list[str], typed: str, found: list[str]) -> None:
    choices = Choices(enumerate(labels))
    assert [choice.label for choice in choices.find(typed)] == found


def test_a_place_in_the_list_is_named_one_way() -> None:
    """Whatever the labels are: a number alone is never a place, so that it never does what was not meant."""
    for labels in (ATTACKS, TARGETS, PLAYS):
        choices = Choices(enumerate(labels))
        names = [choices.name(choice) for choice in choices.all]
        assert names == [f"#{place}" for place in range(1, len(labels) + 1)]
        assert [choices.find(name) for name in names] == [[choice] for choice in choices.all]
        for number in range(100):
            assert all(str(number) in choice.label or number == 10 for choice in choices.find(str(number)))
    assert "#3" in HELP


def test_near_matches_of_a_typo() -> None:
    choices = Choices(enumerate(ATTACKS))
    assert choices.near("atack 7s")[0].label == "attack 7s"
    assert choices.near("drwa")[0].label == "draw"
    assert choices.near("zzzz") == []


def test_every_label_of_tennis_finds_its_action() -> None:
    choices = Choices((rank, f"play {text}") for rank, text in enumerate(cards.RANK_TEXT[:12]))
    assert [choices.find(choice.label)[0].action for choice in choices.all] == list(range(12))


def test_words_of_a_text() -> None:
    assert words_of("Play 10♥, Jk (Dr-h)") == ["play", "th", "jk", "dr-h"]


def test_many_actions_are_grouped() -> None:
    groups = Choices(enumerate(ATTACKS)).groups()
    assert {group: len(members) for group, members in groups.items()} == {
        "attack, 1 card": 3,
        "attack, 2 cards": 1,
        "attack, 5 cards": 1,
        "draw": 1,
        "pass on": 1,
    }


def test_ranks_do_not_make_groups() -> None:
    groups = Choices(enumerate(["pair of 7", "pair of T", "pair of A", "T"])).groups()
    assert {group: len(members) for group, members in groups.items()} == {"pair of": 3, "play": 1}


# --- a game in the terminal ---


def test_choosing_by_number_label_and_card() -> None:
    lowest = hand(tennis()[0].text)[0][:-1]
    for typed in (lowest, f"play {lowest}", "#1"):
        session, _ = tennis(typed)
        assert f"player_0 (you): play {lowest}\n" in session.text
        assert "player_1 (random): play" in session.text


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
    assert session.after("xyzzy").startswith("no action 'xyzzy' (list shows all, ? helps)")
    assert "player_0 (you):" not in session.text


def test_a_text_with_several_meanings_lists_them() -> None:
    session, _ = duel("choose")
    assert "'choose' can mean 3 actions" in session.after("choose")


def test_help_rules_show_and_list() -> None:
    session, _ = duel("?", "help", "show", "list draw", "")
    assert "take back a half-made choice" in session.after("?")
    assert session.after("help") == session.after("?")
    assert "player 0 to move" in session.after("show")
    assert session.after("list draw").strip() == "#4 draw"
    assert session.after("").count("choose") == 3


def test_rules_of_an_unknown_game_are_said_to_be_missing() -> None:
    session, _ = duel("rules")
    assert "rules of Duel are not installed" in session.after("rules")


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


# --- what is told of others ---


def test_moves_that_others_hide_are_not_told() -> None:
    session, _ = duel("#1", "lay", "#1", "lay", opponent=Script("choose", "hide", "choose", "lay"))
    told = [line for line in session.text.splitlines() if line.startswith("player_1")]
    assert told[:2] == ["player_1 (script): makes a move you cannot see", "player_1 (script): hide it under the stock"]
    assert told[2].startswith("player_1 (script): choose ")
    assert told[3] == "player_1 (script): lay it open"


def test_each_move_is_told_as_of_who_made_it() -> None:
    game = find_game("tennis_v0")
    session = Session("#1")
    play_terminal(game, game.make_options({"dealer": 0}), ["random"] * 3, 0, 1, session.console, session.read)
    told = [line.split()[0] for line in session.text.splitlines() if line.startswith("player_")]
    assert told[:4] == ["player_0", "player_1", "player_2", "player_3"]


@pytest.mark.parametrize(
    ("labels", "before", "after", "told"),
    [
        ("play 7h", {"hand/1": [-1, -1]}, {"hand/1": [-1], "table/1": [22]}, [True]),
        ("play 7h", {"hand/1": [-1, -1]}, {"hand/1": [-1], "under": [-1]}, [False]),
        ("play 7h", {"hand/1": [-1], "discard": [22]}, {"hand/1": [], "under": [-1], "discard": [22]}, [False]),  # another 7h
        ("play 7h 7h", {"hand/1": [-1, -1]}, {"table/1": [22, -1]}, [False]),
        ("play 7h 7h", {"hand/1": [-1, -1]}, {"table/1": [22, 22]}, [True]),
        ("pile Jk", {"hand/1": [-1]}, {"attack": [53]}, [True]),
        ("bid 3", {}, {}, [True]),
        ("pass", {"hand/1": [-1]}, {"hand/1": [-1]}, [True]),
        ("attack 7h|target pile 2", {"hand/1": [-1], "defence": [-1]}, {"discard": [22, 3]}, [True, True]),
        ("pile 7h|attack 7h|pass", {"hand/1": [-1, -1]}, {"pile": [-1], "discard": [22]}, [False, False, True]),
    ],
)
def test_a_label_is_told_if_its_cards_came_into_sight(labels: str, before: Any, after: Any, told: list[bool]) -> None:
    assert seen(labels.split("|"), before, after) == told


def told(env: CardGameEnv, *labels: str, viewer: int = 3) -> list[tuple[int, str]]:
    """What a seat is told when others play these actions."""
    hearsay, lines = Hearsay(f"player_{viewer}"), []
    for label in labels:
        if hearsay.mover != env.current_player:
            lines += hearsay.told(env)
        action = env.action_from_label(label)
        hearsay.note(env, action)
        env.step(action)
    return lines + hearsay.told(env)


def test_nobody_is_told_who_declined_the_lead() -> None:
    declined = hearts_positions.dealt(["SJ", "2c"], pile="3h")
    nothing = hearts_positions.dealt(["3h", "2c"], pile="SJ")
    assert told(declined, "decline the lead", "play 2c") == told(nothing, "play 2c") == [(1, "play 2c")]
    claimed = hearts_positions.dealt(["SJ", "2c"], pile="3h")
    assert told(claimed, "claim the lead", "play SJ") == [(0, "claim the lead"), (0, "play SJ")]
    declared = hearts_positions.arranged(["SJ 4d", "5d 6d", "7d 8d", "9d Td"])
    assert told(declared, "play SJ", "declare Qd") == [(0, "play SJ"), (0, "declare Qd")]


def test_nobody_is_told_what_another_chose_from() -> None:
    """Neither whether there was a second card of the rank nor whether there was a choice but to pass shows in a line."""
    others = ["8c 9c", "8d 9d", "8h 9h", "8s 9s", "Tc Td"]
    two, one = (wild_escape_positions.arranged([hand, *others]) for hand in ("7c 7h Kd", "7c Qh Kd"))
    assert told(two, "single 7", "card 7c") == told(one, "single 7") == [(0, "single 7 (7c)")]
    follows = wild_escape_positions.arranged(["Kd 3c", *others[:4], "6c 6d"], beat="5c", owner=5)
    assert told(follows, "pass") == []


def test_cards_of_attacks_that_were_not_seen_are_not_told() -> None:
    def table(visibility: str) -> CardGameEnv:
        seats = ("7h 7h", "Kd Ks"), ("3d", "6c"), ("4d", "9c"), ("5d", "Tc")
        return skin_positions.position(*seats, num_decks=2, visibility=visibility)

    turn = "attack 7h/2", "target player 1 pile 0"
    assert told(table("open"), *turn) == [(0, "attack 7h"), (0, "target player 1 pile 0 (6c)")]
    assert told(table("private"), *turn) == [(0, "makes a move you cannot see"), (0, "target player 1 pile 0")]
    own = skin_positions.position(("", "Kd Ks"), ("3d", "6c"), ("4d", "9c"), ("5d", "Tc"), visibility="private")
    turn = "attack Kd@0", "target player 1 pile 0"
    assert told(own, *turn) == [(0, "makes a move you cannot see"), (0, "target player 1 pile 0")]


def test_nothing_written_depends_on_what_the_person_cannot_know() -> None:
    """What is shown for a view is the same when the hidden cards are other ones."""
    game = find_game("tennis_v0")
    env = CardGameEnv(game, game.make_options({}))
    env.reset(seed=1)
    for _ in range(30):
        env.step(env.legal_actions()[0])
    texts = []
    for each in (env, env.determinize(env.agent_selection, 1)):
        session = Session("show", "list", "play")
        with pytest.raises(Quit):
            HumanAgent(session.console, session.read).act(View.of(each), np.random.default_rng(0))
        texts.append(session.text)
    assert texts[0] == texts[1]
    assert env.zones() != each.zones()


# --- colours ---


def test_cards_are_coloured_and_other_words_are_not() -> None:
    text = coloured("As 10d Jk Dr-h ?? x3, as before: Queen of 7h", Session().console)
    assert text.plain == "A♠ 10♦ Jk Dr♥ ?? x3, as before: Queen of 7♥"
    styles = {text.plain[span.start : span.end]: span.style for span in text.spans}
    assert styles == {"A♠": "bold", "10♦": "blue", "Jk": "magenta", "Dr♥": "red", "?? x3": "dim", "7♥": "red"}


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
    assert "player_1 (script): lay" in session.text or "player_0 (script): lay" in session.text
    assert "Result" in session.text


def test_agents_are_told_how_it_ended() -> None:
    told = []

    class Listens(Script):
        def end(self, seat: int, returns: np.ndarray) -> None:
            told.append((seat, returns.tolist()))

    returns = watch(DUEL, Options(), [Listens(), Listens()], seed=1, delay=0.0, console=Session().console)
    assert returns is not None
    assert told == [(0, returns.tolist()), (1, returns.tolist())]


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
