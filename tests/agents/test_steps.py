"""Several steps of a move in one line at the terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest
import toy_game as toy
from rich.console import Console
from support import choices_of
from wilddeck.agents.choices import Choices, find_steps, words_of
from wilddeck.agents.terminal import play_terminal
from wilddeck.envs import game as find_game
from wilddeck.envs.core import cards

pytestmark = pytest.mark.interpreted

# What may be done after which actions, by label, and the cards that have left the hand; nothing is asked elsewhere.
DISCARDS = ["discard 8c", "discard 8h", "discard 8s", "discard Kd"]
TURN: dict[tuple[str, ...], tuple[list[str], str]] = {
    (): ([*DISCARDS, "meld", "lay off on meld 0", "knock"], ""),
    ("meld",): (["add 8c", "add 8h", "add Ks"], ""),
    ("meld", "add 8c"): (["add 8h", "add 8s"], ""),
    ("meld", "add 8c", "add 8h"): (["add 8s", "as a group"], ""),
    ("meld", "add 8c", "add 8h", "add 8s"): (["as a group", "as a run"], ""),
    ("meld", "add 8c", "add 8h", "add 8s", "as a group"): (["discard Kd"], "8c 8h 8s"),
    ("meld", "add 8c", "add 8s"): (DISCARDS[1:2] + DISCARDS[3:], "8c 8s Jk"),  # the Joker was all that could be added
    ("meld", "add 8h"): (["add 8s"], ""),
    ("lay off on meld 0",): (DISCARDS[:3], "Kd"),
    ("knock",): (DISCARDS, ""),
}


def after(actions: Sequence[int], tree: dict[tuple[str, ...], tuple[list[str], str]] = TURN) -> Choices:
    path: tuple[str, ...] = ()
    for action in actions:
        path = (*path, tree[path][0][action])
    labels, gone = tree.get(path, ([], ""))
    return choices_of(labels, gone)


@pytest.mark.parametrize(
    ("typed", "steps"),
    [
        ("meld 8c 8h 8s", "meld; add 8c; add 8h; add 8s"),
        ("MELD 8♠, 8♥, 8♣", "meld; add 8c; add 8h; add 8s"),  # in any order
        ("meld 8c 8h as group", "meld; add 8c; add 8h; as a group"),
        ("meld 8s 8h 8c group; discard kd", "meld; add 8c; add 8h; add 8s; as a group; discard Kd"),
        ("meld add 8c add 8h", "meld; add 8c; add 8h"),
        ("meld 8s 8c jk", "meld; add 8c; add 8s"),  # what went of itself may be named
        ("meld 8c 8s jk disc 8h", "meld; add 8c; add 8s; discard 8h"),
        ("lay off kd", "lay off on meld 0"),
        ("lay off kd; discard 8s", "lay off on meld 0; discard 8s"),
        ("knock kd", "knock; discard Kd"),
    ],
)
def test_a_line_of_several_steps(typed: str, steps: str) -> None:
    choices, left = find_steps(typed, after)
    assert ("; ".join(choice.label for choice in choices), left) == (steps, [])


@pytest.mark.parametrize(
    ("typed", "steps", "left"),
    [
        ("meld 8c 8h 7d", "meld; add 8c; add 8h", "7d"),
        ("lay off 8s", "lay off on meld 0", "8s"),  # is not discarded instead
        ("meld 8c 8s jk jk", "meld; add 8c; add 8s", "jk"),
        ("8c 8h 8s", "", "8c 8h 8s"),  # none is discarded for the first of three
        ("meld 9c", "meld", "9c"),
        ("lay off kd kd", "lay off on meld 0", "kd"),
        ("nonsense 8c", "", "nonsense 8c"),
        ("1 2", "", "1 2"),
        ("meld", "", "meld"),  # is one step
        ("", "", ""),
    ],
)
def test_what_of_a_line_is_not_clear(typed: str, steps: str, left: str) -> None:
    choices, rest = find_steps(typed, after)
    assert ("; ".join(choice.label for choice in choices), " ".join(rest)) == (steps, left)


def test_a_long_line_is_given_up() -> None:
    asked = 0

    def ahead(actions: Sequence[int]) -> Choices:
        nonlocal asked
        asked += 1
        return choices_of([f"add {card}" for card in clubs])

    clubs = cards.TEXT[:48:4]
    assert find_steps(" ".join([*clubs, "2d"]), ahead)[1]
    assert asked < 300


def test_cards_that_labels_name() -> None:
    choices = choices_of(["as a group", "add As", "play Kc Jk as 7", "raise to 9, all-in"])
    assert [dict(choice.cards) for choice in choices.all] == [{}, {"as": 1}, {"kc": 1, "jk": 1}, {}]
    for typed, label in (("as", "add As"), ("a♠", "add As"), ("as group", "as a group"), ("jk kc", "play Kc Jk as 7")):
        assert [choice.label for choice in choices.find(typed)] == [label]
    for typed in ("all in", "all-in", "ALL-IN", "9"):
        assert [choice.label for choice in choices.find(typed)] == ["raise to 9, all-in"]
    assert words_of("Dr♥ rvc Sk-d drh all-in") == ["dr-h", "rv-c", "sk-d", "dr-h", "all", "in"]


# --- in a game ---


def rummy(*lines: str) -> str:
    """What a person sees who types these lines. The first card drawn is 9d."""
    game, out, left = find_game("rummy_v0"), io.StringIO(), list(lines)

    def read(prompt: str) -> str:
        if not left:
            raise EOFError
        out.write(f"> {left[0]}\n")
        return left.pop(0)

    play_terminal(game, game.make_options({}), ["random"], 0, 3, Console(file=out, width=120), read)
    return out.getvalue()


def said(text: str, line: str) -> list[str]:
    """What was written after a line, but for the table and the list."""
    lines = text.partition(f"> {line}\n")[2].partition("\n> ")[0].splitlines()
    return [answer for answer in lines if answer.startswith(("player", "you", "no", "taken", "nothing"))]


def test_a_meld_in_one_line() -> None:
    text = rummy("draw", "meld 8s 8h 8c as a group discard 9♦")
    done = [f"you {step}" for step in ("begin to meld", "add 8♣", "add 8♥", "add 8♠", "meld a group", "discard 9♦")]
    assert said(text, "meld 8s 8h 8c as a group discard 9♦")[:6] == done
    assert "meld/0 (3)  8♣ 8♥ 8♠" in text


def test_nothing_is_done_of_a_line_that_is_not_clear() -> None:
    text = rummy("draw", "meld 8c 8h Kd", "8c 8h 8s", "show")
    first, second = said(text, "meld 8c 8h Kd")
    assert first == "nothing was played; after meld, add 8♣, add 8♥:" and second.startswith("no action 'kd'")
    assert said(text, "8c 8h 8s") == ["no action '8c 8h 8s' (list shows all actions, ? shows help)"]
    assert "meld/0" not in text and "has laid" not in text


def test_steps_that_others_have_seen_are_not_taken_back() -> None:
    """Each card of a meld is shown as it is added."""
    text = rummy("draw", "meld 8c 8h", "undo")
    assert "nothing to take back" in text and "taken back" not in text


def test_a_line_tells_nothing_of_hidden_cards() -> None:
    """Old Maid: of the hand goes what pairs with the card that is drawn. Whether a guess is right is not told before."""
    game, out = find_game("old_maid_v0"), io.StringIO()
    options = game.make_options({"num_players": 2, "deck": "standard"})
    lines = [f"draw card 1 of player 1 {card}" for card in ["5d", "6h", "4s", "As", "7s", "3s", "9s", "Qd"]]  # it is 9h
    left = iter([*lines, "draw card 1 of player 1", "quit"])
    play_terminal(game, options, ["random"], 0, 0, Console(file=out, width=200), lambda _: next(left))
    answers = [line for line in out.getvalue().splitlines() if line.startswith("no action")]
    assert [line.partition("'; perhaps")[0] for line in answers] == [f"no action '{line}" for line in lines]


def test_a_line_ends_with_what_shows_something() -> None:
    text = rummy("draw discard 2h", "draw")
    assert said(text, "draw discard 2h")[0].startswith("no action 'draw discard 2h'")


def test_a_number_that_is_no_word_is_a_place_in_the_list() -> None:
    text = rummy("draw", "meld 8s 8h 8c as a group discard 9d", "draw", "2", "lay off jk", "#1")
    assert said(text, "2")[0].startswith("no action '2'; perhaps #2 discard")
    assert said(text, "lay off jk") == ["you choose the meld 8♣ 8♥ 8♠", "you lay off Jk"]


def test_results_are_in_the_games_unit() -> None:
    for game in (toy.GAME, toy.MONEY):
        out, options = io.StringIO(), game.make_options({})
        returns = play_terminal(game, options, ["random"] * 2, 0, 3, Console(file=out, width=100), lambda _: "#1")
        assert returns is not None
        said = game.unit_of(options).text(returns[0])
        assert said.endswith("chips" if game is toy.MONEY else "points")
        assert f" {said} │" in out.getvalue().partition("Result")[2]
