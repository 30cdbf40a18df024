"""Games with one fault each: a check names the fault and its place in the author's file."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toy_game as toy
from wilddeck.cli import main
from wilddeck.envs.core import options as opt
from wilddeck.envs.core import parallel
from wilddeck.envs.core.events import SLAP, emit
from wilddeck.envs.core.facts import Fact
from wilddeck.envs.core.fields import Field
from wilddeck.envs.core.game import Bounds, Game
from wilddeck.envs.core.jit import device_function, only_interpreted
from wilddeck.envs.core.layout import Block, Layout
from wilddeck.envs.core.zones import ZoneRole
from wilddeck.testing import CheckError, check_game, suite
from wilddeck.testing.cases import Case
from wilddeck_games import kuhn

HERE = Path(__file__).name
CHECKS = {check.name: check for check in suite.CHECKS}
KING = kuhn.DECK[2]


@device_function
def misspelt(state, action):  # type: ignore[no-untyped-def]
    state.terminated = 1
    other = state
    if other.move_left == 0:
        state.current_player = 0


@device_function
def slapping(state, action):  # type: ignore[no-untyped-def]
    state.terminated = 1
    emit(state, SLAP, 0, 0, -1)


@device_function
def endless(state, action):  # type: ignore[no-untyped-def]
    state.moves_left = max(state.moves_left - 1, 1)


@device_function
def stuck(state, mask):  # type: ignore[no-untyped-def]
    if state.move_count < 1:
        mask[0] = 1


@device_function
def beyond(state, viewer, out):  # type: ignore[no-untyped-def]
    out[0] = 1
    if state.move_count == 1:
        out[out.shape[0]] = 1


@device_function
def silent(state):  # type: ignore[no-untyped-def]
    state.paid[:] = 1


@device_function
def telling(state, viewer, out):  # type: ignore[no-untyped-def]
    out[0] = state.deck[1 - viewer] / 52


@device_function
def truthful(state, player):  # type: ignore[no-untyped-def]
    return


@device_function
def half_truthful(state, player):  # type: ignore[no-untyped-def]
    """Every arrangement comes up, but from the true one."""
    other = 1 - player
    if state.rng & np.uint64(1) and not state.shown:
        card = state.deck[other]
        state.deck[other] = state.deck[2]
        state.deck[2] = card


@device_function
def knowing(state, mask):  # type: ignore[no-untyped-def]
    mask[0] = 1
    if state.deck[1 - np.int64(state.current_player)] == KING:
        mask[1] = 1


def lost(state: Any, viewer: int | None = None) -> dict[str, list[int]]:
    return {"deck": state.deck.tolist()[int(state.total[0] != 0) :]}


@dataclass(frozen=True)
class NoPlayers(opt.Options):
    colour: int = opt.integer(0, 0, 3, "changes nothing")


def broken(game: Game, name: str, function: Any, **others: Any) -> Game:
    return replace(game, functions={**game.functions, name: function}, **others)


def line_of(function: Any, more: int = 0) -> str:
    return f"{HERE}:{function.py_func.__code__.co_firstlineno + more}): "


def observed(**bounds: Any) -> Layout:
    first, *others = toy.GAME.observation.blocks
    return Layout(replace(first, **bounds), *others)


BROKEN: dict[str, tuple[str, Game, tuple[str, ...]]] = {
    "players": ("options_say_how_many_play", replace(toy.GAME, options=NoPlayers), ("no option such as num_players: int",)),
    "a typo": (
        "every_field_that_is_named_is_in_the_record",
        broken(toy.GAME, "step", misspelt),
        (line_of(misspelt, 4), "the record has no field 'move_left'; did you mean 'moves_left'?"),
    ),
    "an undeclared event": (
        "events_that_are_emitted_are_declared",
        broken(toy.GAME, "step", slapping),
        (line_of(slapping, 3), "it emits SLAP, but `events` has no EventKind(events.SLAP, ...)"),
    ),
    "a large deck": (
        "decks_fit",
        replace(toy.GAME, deck=lambda options: list(range(12 * options.num_players // 3))),
        ("deck (", HERE, "decks of 24 cards: its `deck_size` must be as large, not 12", "num_players=6"),
    ),
    "strange cards": ("decks_fit", replace(toy.GAME, deck=lambda options: [0, 70]), ("ids that are no cards: [70]",)),
    "teams": (
        "teams_hold_every_seat_once",
        replace(toy.GAME, teams=lambda options: ((0, 1), (1, 2))),
        ("teams (", HERE, "must contain each of the 3 seats once, not ((0, 1), (1, 2))"),
    ),
    "words in place of facts": (
        "facts_can_be_drawn",
        replace(toy.GAME, describe=lambda state, viewer: "hand 1"),
        ("describe (", HERE, "it must return a sequence of `Fact`s, not 'h'"),
    ),
    "a fact of no seat": (
        "facts_can_be_drawn",
        replace(toy.GAME, describe=lambda state, viewer: [Fact("out", 7)]),
        ("describe (", HERE, "has an invalid seat"),
    ),
    "a seat in no team": (
        "partners_stay_together_and_are_paid_alike",
        replace(toy.GAME, teams_in_play=lambda state: ((0, 1),)),
        ("teams_in_play (", HERE, "must contain each of the 3 seats once, not ((0, 1),)"),
    ),
    "partners who part": (
        "partners_stay_together_and_are_paid_alike",
        replace(toy.GAME, teams_in_play=lambda state: ((0,), (1, 2)) if state.moves_left > 2 else ((0,), (1,), (2,))),
        ("teams_in_play (", HERE, "players 1 and 2 were a team and no longer are"),
    ),
    "partners paid otherwise": (
        "partners_stay_together_and_are_paid_alike",
        replace(toy.GAME, teams_in_play=lambda state: ((0,), (1, 2))),
        ("teams_in_play (", HERE, "players 1 and 2 are a team, but have returns of "),
    ),
    "partners known to one": (
        "a_determinization_looks_like_the_truth",
        replace(kuhn.GAME, teams_in_play=lambda state: ((0, 1),) if state.deck[0] == KING else ((0,), (1,))),
        ("teams_in_play (", HERE, "the list of teams differs for player_1"),
    ),
    "endless rewards": (
        "bounds_are_finite",
        replace(toy.GAME, bounds=Bounds(9, (0, float("inf")))),
        ("Bounds (", "reward_range is 0..inf"),
    ),
    "endless sight": (
        "bounds_are_finite",
        replace(toy.GAME, observation=observed(high=np.inf)),
        ("'facts' needs finite bounds",),
    ),
    "nothing legal": (
        "a_random_game_is_played_to_its_end",
        broken(toy.GAME, "legal_actions", stuck),
        (line_of(stuck), "has to move, but has no legal action", "move 1]"),
    ),
    "no end": (
        "a_random_game_is_played_to_its_end",
        broken(toy.GAME, "step", endless),
        (line_of(endless), "the game continues after max_length, 9 moves", "move 9]"),
    ),
    "beyond": (
        "a_random_game_is_played_to_its_end",
        broken(toy.GAME, "observe", beyond),
        (line_of(beyond, 4), "IndexError: index 9 is out of bounds", "move 1]"),
    ),
    "a reward": (
        "random_games_end_within_their_bounds",
        replace(toy.GAME, bounds=Bounds(9, (-3, 200), (-400, 400), None)),
        ("step (", "has a reward of -", "reward_range is -3..200"),
    ),
    "a field": (
        "random_games_end_within_their_bounds",
        replace(
            toy.GAME, fields=[("colour", "u1"), Field("moves_left", "i1", high=9), Field("total", "i4", (6,), low=0, high=2)]
        ),
        ("step (", "of a batch: ", "total[", "allowed: 0..2 (declared by its Field)"),
    ),
    "no page": (
        "what_comes_with_it_is_there",
        replace(toy.GAME, page="nowhere.md"),
        ("page='nowhere.md': there is no ",),
    ),
    "no player": (
        "what_comes_with_it_is_there",
        replace(toy.GAME, player="no_such_player"),
        ("player='no_such_player': No module named 'no_such_player'",),
    ),
    "what is seen": (
        "random_games_end_within_their_bounds",
        replace(toy.GAME, observation=observed(high=0.25)),
        ("observe (", "the observation's block 'facts' is", "-8..0.25"),
    ),
    "a lost card": (
        "cards_are_conserved",
        replace(toy.GAME, zones=lost),
        ("zones (", HERE, "after action", "the zones lack the cards ["),
    ),
    "a zone without a role": (
        "cards_are_conserved",
        replace(toy.GAME, zone_roles={"pile": ZoneRole.STOCK}),
        ("zones (", "`zone_roles` lack the zones ['deck']; roles: HAND, FAN, STOCK, "),
    ),
    "a label twice": (
        "labels_are_unique_and_reversible",
        replace(toy.GAME, actions=Layout(Block("play", 4, "a number", label="play"))),
        ("has 3 legal actions [", "labelled 'play' (block 'play')"),
    ),
    "the truth": (
        "samples_vary_wherever_they_can",
        broken(kuhn.GAME, "determinize", truthful),
        (line_of(truthful), "12 samples for player_0 are all the truth", "'stock': [-1]"),
    ),
    "half the truth": (
        "equal_knowledge_gives_equal_samples",
        broken(kuhn.GAME, "determinize", half_truthful),
        (line_of(half_truthful), "two games that player_0 cannot tell apart", "deck"),
    ),
    "a leak": (
        "a_determinization_looks_like_the_truth",
        broken(kuhn.GAME, "observe", telling),
        (line_of(telling), "the block 'card' differs for player_0", "it reveals what determinize redraws"),
    ),
    "a mask that knows": (
        "what_others_know_is_not_asked_for",
        broken(kuhn.GAME, "legal_actions", knowing),
        (line_of(knowing), "depend on what they cannot know: [0] and [0, 1]"),
    ),
    "an untold card": (
        "every_card_that_comes_into_sight_is_told",
        broken(kuhn.GAME, "begin", silent),
        (line_of(silent), "player_0 sees ", " after begin, and no event shows it"),
    ),
    "no bounds": (
        "every_field_is_bounded",
        replace(toy.GAME, fields=[("colour", "u1"), ("moves_left", "i1"), ("total", "i4", (6,))]),
        ("the fields moves_left, total have no bounds",),
    ),
}


def failure(name: str, game: Game) -> str:
    """What a check says of a game, with as many players as it takes to fail."""
    with only_interpreted(), pytest.raises(CheckError) as raised:
        for case in suite.few_cases_of(game):
            CHECKS[name](case)
    return str(raised.value)


@pytest.mark.parametrize("fault", BROKEN)
def test_a_fault_is_found_and_said(fault: str) -> None:
    name, game, said = BROKEN[fault]
    text = failure(name, game)
    assert all(part in text for part in said), text
    assert f"[{game.id}" in text and "\n" not in text


@pytest.mark.parametrize("name", sorted({name for name, _, _ in BROKEN.values()}))
def test_what_is_not_broken_passes(name: str) -> None:
    with only_interpreted():
        for game in (toy.GAME, kuhn.GAME):
            for case in suite.few_cases_of(game):
                CHECKS[name](case)


@pytest.mark.long
def test_a_good_game_passes_all_checks() -> None:
    check_game(toy.GAME)


def test_what_fails_at_first_is_all_that_is_said() -> None:
    """Of all that is wrong in the declarations, at once; what would fail of the same is left out, so nothing is compiled."""
    with pytest.raises(CheckError) as raised:
        check_game(broken(toy.GAME, "step", misspelt, teams=lambda options: ()))
    lines = str(raised.value).splitlines()
    assert lines[0].startswith("toy_v0 fails 3 of ") and len(lines) == 4
    assert "did you mean 'moves_left'?" in lines[1] and "teams (" in lines[2] and "has no attribute 'move_left'" in lines[3]


def test_a_game_that_cannot_be_sent_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    check = CHECKS["every_index_is_within_its_array"]
    nowhere = Case(replace(toy.GAME), (), 0)
    with pytest.raises(CheckError, match=r"no module holds it\. Assign it to a name at the top of a module"):
        check([nowhere])
    monkeypatch.setattr(sys.modules["__main__"], "GAME", nowhere.game, raising=False)
    monkeypatch.setattr(Game, "__reduce__", lambda game: (None, ("__main__", "GAME")))
    with pytest.raises(CheckError, match="cannot import __main__: put the game into a module"):
        check([nowhere])


BEYOND = """
from dataclasses import replace
import toy_game as toy
from wilddeck.envs.core.jit import device_function

@device_function
def observe(state, viewer, out):
    out[0] = 1
    if state.move_count == 3:
        out[out.shape[0]] = 1

GAME = replace(toy.GAME, functions={**toy.GAME.functions, "observe": observe})
WRONG = replace(toy.GAME, teams=lambda options: ())
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module in the working folder."""
    (tmp_path / "far_beyond.py").write_text(BEYOND)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "far_beyond", raising=False)
    return "far_beyond"


@pytest.mark.long
def test_an_index_that_is_not_is_found_in_compiled_code(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the check it would pass: what is written there is lost, or is somebody else's. It says where."""
    monkeypatch.syspath_prepend(".")
    game = __import__(module).GAME
    with pytest.raises(CheckError, match=r"^observe \(.*far_beyond\.py:10\): IndexError: index 9 is out"):
        CHECKS["every_index_is_within_its_array"]([Case(game, (), 0)])


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["check", *words])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_the_command_says_it(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, f"{module}:WRONG")
    assert status == 1 and "ok    every field that is named is in the record" in out
    assert "FAIL  teams hold every seat once\n      teams (far_beyond.py:13): the teams of toy_v0 must contain" in out
    assert re.fullmatch(r"1 of \d+ checks failed", out.splitlines()[-1])
    rows = json.loads(run(capsys, f"{module}:WRONG", "--json")[1])
    assert [row["name"] for row in rows if row["failure"]] == ["teams hold every seat once"]


def test_advice_to_learners_is_not_given_to_authors(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    parallel._say_which_action_counts.cache_clear()
    monkeypatch.setattr(suite, "CHECKS", (CHECKS["parallel_api"],))
    assert not next(suite.run_checks(toy.GAME)).failure
    assert parallel._say_which_action_counts.cache_info().currsize == 1 and not caplog.records


def test_the_command_is_content(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "CHECKS", tuple(suite.checks_of(suite.declared)))
    status, out, _ = run(capsys, "tennis")
    assert status == 0 and re.fullmatch(r"all \d+ checks passed", out.splitlines()[-1])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tenis", "did you mean 'tennis_v0'?"),
        ("nowhere:GAME", "there is no game at 'nowhere:GAME': No module named 'nowhere'"),
        ("far_beyond:NONE", "there is no game at 'far_beyond:NONE': module 'far_beyond' has no attribute 'NONE'"),
        ("far_beyond:toy", "'far_beyond:toy' must be a Game, not 'module'"),
    ],
)
def test_the_command_needs_a_game(name: str, said: str, module: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, name)
    assert status == 1 and said in err and err.count("\n") == 1
