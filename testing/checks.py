"""The interface of checks and their failure messages: what is wrong, for which seat, when, and where to look."""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, Literal, NoReturn

import numpy as np

from ..envs.core.aec import CardGameEnv
from ..envs.core.failures import CompileError
from ..envs.core.game import Game
from ..envs.core.reached import plain, reached
from .cases import Case

# The cases of a check: every case; every case, but slowly; the default options of every game; the same, but most code is
# shared by all games; several cases of a game at once, because it starts a process.
Scope = Literal["every", "slow", "defaults", "few", "first", "together"]


class CheckError(AssertionError):
    """A game fails a check. The message says what is wrong, for which seat, when, and where to look."""


class SkippedError(Exception):
    """A check cannot be run here; the message says why."""


class _FoundError(AssertionError):
    """A failure inside a check, which then adds the case."""

    def __init__(self, wrong: str, env: Any, look: str, place: str) -> None:
        super().__init__(wrong)
        self.env, self.look, self.place = env, look, place


def fail(wrong: str, env: Any = None, look: str = "", place: str = "") -> NoReturn:
    """Fail a check.

    Args:
        wrong: what is wrong, and for which seat.
        env: the game at that moment, wrapped or not.
        look: the part of the game to look at ("step", "labels"), if it is not that of the check.
        place: its file and line, if the name alone does not give them.
    """
    raise _FoundError(wrong, env, look, place)


def expect(good: Any, wrong: str | Callable[[], str], env: Any = None, look: str = "") -> None:
    """Fail a check unless `good`; see `fail`. A message that is slow to compute may be a function."""
    if not good:
        fail(wrong if isinstance(wrong, str) else wrong(), env, look)


def same(one: Any, two: Any, wrong: str, env: Any = None, look: str = "") -> None:
    """Fail a check unless both are equal; arrays and records are compared by bytes."""
    is_array = isinstance(one, (np.ndarray, np.void))
    if (one.tobytes() != two.tobytes()) if is_array else (one != two):
        fail(f"{wrong}: {differing(one, two)}", env, look)


def differing(one: Any, two: Any) -> str:
    """The difference, in a few words."""
    if isinstance(one, Mapping):
        return ", ".join(str(name) for name in one if one[name] != two.get(name)) + " differ"
    fields = getattr(one.dtype, "names", None) if hasattr(one, "dtype") else None
    if fields:
        return ", ".join(name for name in fields if one[name].tobytes() != two[name].tobytes()) + " differ"
    if isinstance(one, np.ndarray) and one.shape == np.shape(two) and one.ndim:
        place = tuple(np.argwhere(one != two)[0].tolist()) if (one != two).any() else ()
        return f"entry {', '.join(map(str, place))} is {one[place]} and {two[place]}"
    if isinstance(one, bytes):
        return "their bytes differ"
    return " and ".join(text if len(text) < _SHOWN else f"{text[:_SHOWN]}..." for text in (repr(one), repr(two)))


_SHOWN = 160  # characters of a value


class Check:
    """A check of a game. Called with a case, or a list of cases if its scope has several, it returns or raises `CheckError`.

    Attributes:
        name: the property that the check tests.
        look: the parts of a game to look at after a failure, likeliest first.
        scope: see `Scope`.
        compiled: whether it needs compiled code; others can also run interpreted.
        full: whether it is too slow for a quick run.
    """

    def __init__(
        self, function: Callable[..., Any], look: Sequence[str], scope: Scope, compiled: bool = False, full: bool = False
    ) -> None:
        self._function, self.look, self.scope, self.compiled, self.full = function, tuple(look), scope, compiled, full
        self.name = function.__name__.removeprefix("check_")
        self.__doc__ = function.__doc__

    def __call__(self, case: Any) -> Any:
        first = case if isinstance(case, Case) else case[0]
        try:
            return self._function(case)
        except (SkippedError, CheckError):
            raise
        except _FoundError as found:
            look = found.look or next(iter(self.look), "")
            raise failure(first, look, found.place or place_of(first.game, look), str(found), found.env) from None
        except CompileError as error:
            raise CheckError(f"{error} [{first}]") from None
        except Exception as error:
            frame = _authors_frame(first.game, error)
            look = next(iter(self.look), "") if frame is None else frame.f_code.co_name
            place = place_of(first.game, look) if frame is None else place_in(frame.f_code.co_filename, _line(error, frame))
            raise failure(first, look, place, _in_words(error), _played_in(error)) from error


def check(
    *look: str, scope: Scope = "every", compiled: bool = False, full: bool = False
) -> Callable[[Callable[..., Any]], Check]:
    """Make a check of a function; see `Check`."""
    return lambda function: Check(function, look, scope, compiled, full)


def checks_of(module: ModuleType) -> Iterator[Check]:
    """The checks of a module, in their order."""
    return (value for value in vars(module).values() if isinstance(value, Check))


def failure(case: Case, look: str, place: str, wrong: str, env: Any = None) -> CheckError:
    """The error for a game that fails a check, with the part `look` at `place`."""
    when = [str(case), f"seed {case.seed}"]
    if env is not None and env.unwrapped.has_begun:
        when.append(f"move {int(env.unwrapped.record['move_count'][0])}")
    where = f"{look} ({place})" if place else look
    return CheckError(f"{where}: {wrong} [{', '.join(when)}]" if where else f"{wrong} [{', '.join(when)}]")


def place_of(game: Game, part: str) -> str:
    """The file and line of a part of a game (one of its functions, `zones`, `labels`); else the file of its options."""
    others = {name: getattr(game, name) for name in ("zones", "describe", "deck", "teams", "teams_in_play")}
    value: Any = {**game.functions, **others, "labels": next(iter(game.labels.values()), None)}.get(part)
    code = getattr(plain(value), "__code__", None)
    if code is not None:
        return place_in(code.co_filename, code.co_firstlineno)
    try:
        return place_in(inspect.getsourcefile(plain(game.options if value is None else value)) or "", 0)
    except (TypeError, OSError):
        return ""


def place_in(file: str, line: int) -> str:
    """`file:line`, relative to the working folder if the file is in it."""
    path = Path(file)
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"{shown}:{line}" if line else str(shown)


def author_codes(game: Game) -> set[CodeType]:
    """The code objects that a game's author wrote: its functions, those that they call, and those in plain Python."""
    asked = [game.zones, game.describe, game.deck, game.teams, game.teams_in_play, game.check_deck, *game.labels.values()]
    return {plain(function).__code__ for function in reached(*game.functions.values(), *filter(None, asked))}


def _frames(error: BaseException) -> Iterable[tuple[FrameType, int]]:
    return traceback.walk_tb(error.__traceback__)


def _authors_frame(game: Game, error: BaseException) -> FrameType | None:
    """The last frame in the author's code."""
    codes = {(code.co_filename, code.co_firstlineno) for code in author_codes(game)}
    found = [frame for frame, _ in _frames(error) if (frame.f_code.co_filename, frame.f_code.co_firstlineno) in codes]
    own = Path(__file__).parents[1] / "envs" / "core"
    return next((frame for frame in reversed(found) if own not in Path(frame.f_code.co_filename).parents), None)


def _line(error: BaseException, wanted: FrameType) -> int:
    return next(line for frame, line in _frames(error) if frame is wanted)


def _played_in(error: BaseException) -> CardGameEnv | None:
    """The environment that was played or queried when an error occurred."""
    games = [frame.f_locals.get("self") for frame, _ in _frames(error)]
    return next((env for env in reversed(games) if isinstance(env, CardGameEnv)), None)


def _in_words(error: Exception) -> str:
    text = re.sub(r"\s+", " ", str(error)) if isinstance(error, AssertionError) else str(error)
    return f"{type(error).__name__}: {text}"
