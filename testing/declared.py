"""Checks of a game's declarations, without playing it."""

from __future__ import annotations

import ast
import difflib
import importlib
import inspect
import math
import textwrap
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..envs.core import events
from ..envs.core.game import Game
from ..envs.core.options import Options
from ..envs.core.reached import plain
from .cases import Case
from .checks import check, expect, fail, place_in

EMITTERS = (events.emit, events.emit_secret, events.emit_card, events.emit_list, events.emit_cards)


class Use(NamedTuple):
    """A use of the record by a function, and its line."""

    function: Any
    line: int
    field: str = ""  # that is read or written
    kind: int = -1  # of an event that is emitted

    @property
    def place(self) -> str:
        return place_in(self.function.__code__.co_filename, self.line)


def uses_of_the_record(game: Game) -> Iterator[Use]:
    """All uses of the record in a game's functions and in the functions that they pass it to."""
    python = [game.zones, game.describe, *filter(None, [game.teams_in_play]), *game.labels.values()]
    waiting = [(plain(function), 0) for function in (*game.functions.values(), *python)]
    seen = set(waiting)
    while waiting:
        function, place = waiting.pop()
        for use in _uses(function, place):
            if isinstance(use, Use):
                yield use
            elif use not in seen:
                seen.add(use)
                waiting.append(use)


def _uses(function: Any, place: int) -> Iterator[Use | tuple[Any, int]]:
    """A function's uses of one of its parameters, and the functions that it passes it to, with the parameter there."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):  # it has no source, or is only part of a line
        return
    names = set(function.__code__.co_varnames[place : place + 1])
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in names:
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in ast.walk(tree):
        line = first - 1 + getattr(node, "lineno", 0)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
            yield Use(function, line, field=node.attr)
        elif isinstance(node, ast.Call):
            called = plain(_value(function, node.func))
            given = [k for k, value in enumerate(node.args) if isinstance(value, ast.Name) and value.id in names]
            if called in EMITTERS and given == [0] and len(node.args) > 1:
                kind = _value(function, node.args[1])
                yield Use(function, line, kind=kind if isinstance(kind, int) else -1)
            elif hasattr(called, "__code__") and not hasattr(called, "is_nothing_compiled"):
                bound = inspect.ismethod(called)
                yield from ((getattr(called, "__func__", called), k + bound) for k in given)


def _value(function: Any, node: ast.AST) -> Any:
    """The value of a name in a function, of a global or a variable around it, or an attribute of one; else None."""
    if isinstance(node, ast.Attribute):
        return getattr(_value(function, node.value), node.attr, None)
    if not isinstance(node, ast.Name):
        return None
    around = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    return around[node.id].cell_contents if node.id in around else function.__globals__.get(node.id)


@check("Options", scope="defaults")
def check_options_say_how_many_play(case: Case) -> None:
    classes = case.game.options.__mro__
    own = classes[: classes.index(Options)]
    wanted = 'num_players: int = opt.integer(4, 2, 6, "number of players")'
    expect(any("num_players" in vars(each).get("__annotations__", ()) for each in own), f"there is no option such as {wanted}")


@check("step", scope="defaults")
def check_every_field_that_is_named_is_in_the_record(case: Case) -> None:
    fields = case.game.state.names or ()
    for use in uses_of_the_record(case.game):
        if use.field and use.field not in fields and not hasattr(np.record, use.field):
            near = difflib.get_close_matches(use.field, fields, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            fail(f"the record has no field {use.field!r}{hint}", None, use.function.__name__, use.place)


@check("EVENTS", scope="defaults")
def check_events_that_are_emitted_are_declared(case: Case) -> None:
    """Events emitted by the game's own rules; those of shared rules are checked when they occur."""
    declared, shared = events.kinds_of(case.game), events.__name__.rpartition(".")[0]
    for use in uses_of_the_record(case.game):
        if use.function.__module__.startswith(shared):
            continue
        if 0 <= use.kind < len(events.KIND_NAMES) and use.kind not in declared:
            name = events.KIND_NAMES[use.kind].upper()
            fail(f"it emits {name}, but `events` has no EventKind(events.{name}, ...)", None, use.function.__name__, use.place)


def _declared(look: str, ask: Callable[[], Any]) -> Any:
    """A declaration of a game; a ValueError becomes a failure of the check."""
    try:
        return ask()
    except ValueError as error:
        fail(str(error), None, look)


@check("deck")
def check_decks_fit(case: Case) -> None:
    game, options = case.game, case.options_of_game
    deck = game.deck(options)
    expect(deck, "the deck has no cards")
    wrong = sorted(card for card in deck if not 0 <= card < len(game.cards))
    expect(not wrong, f"the deck has ids that are no cards: {wrong[:8]}; valid ids are 0..{len(game.cards) - 1}")
    _declared("deck", lambda: game.template(options))


@check("teams")
def check_teams_hold_every_seat_once(case: Case) -> None:
    _declared("teams", lambda: case.game.team_of(case.options_of_game))


@check("Game", scope="defaults")
def check_what_comes_with_it_is_there(case: Case) -> None:
    """The game's page, its folder of weights and the module of its player exist."""
    game = case.game
    for name, file in (("page", game.page), ("weights", game.weights)):
        expect(not file or game.file(file).exists(), f"{name}={file!r}: there is no {game.file(file)}", look=name)
    if game.player is not None and isinstance(game.player.held, str):
        try:
            module = importlib.import_module(game.player.held)
        except ImportError as error:
            fail(f"player={game.player.held!r}: {error}", look="player")
        expect(hasattr(module, "policy"), f"player={game.player.held!r}: the module has no `policy`", look="player")


@check("Bounds")
def check_bounds_are_finite(case: Case) -> None:
    game, options = case.game, case.options_of_game
    longest = game.max_length(options)
    expect(longest > 0, f"max_length is {longest}, but an episode has at least one step")
    for name, bounds in (("reward_range", game.reward_range(options)), ("return_range", game.return_range(options))):
        low, high = bounds
        good = math.isfinite(low) and math.isfinite(high) and low <= high
        expect(good, f"{name} is {low}..{high}: give the minimum and maximum, both finite")
    total = game.reward_sum(options)
    expect(total is None or math.isfinite(total), f"reward_sum is {total}: give the sum of returns, or None if it varies")
    _declared("OBSERVATION", lambda: game.observation_bounds(options))
