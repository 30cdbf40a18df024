"""The registry of games, and functions that make environments by a game's id."""

from __future__ import annotations

import contextlib
import difflib
import functools
import importlib
import json
import logging
import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .core.aec import CardGameEnv
    from .core.batch import Batch
    from .core.game import Game
    from .core.options import Options
    from .core.parallel import CardGameParallelEnv
    from .core.wrappers import OrderEnforcing

logger = logging.getLogger("wilddeck")

_MODULES = (  # of envs/games, in which each game has one of its own; beside it a game of the suite has envs/<id>.py
    "tennis", "skin_of_your_teeth", "skin", "wild_escape", "hearts", "spades", "bridge", "president", "crazy_eights", "bluff",
    "go_fish", "old_maid", "beggar_my_neighbor", "egyptian_ratscrew", "blackjack", "baccarat", "poker", "rummy",
)  # fmt: skip
ENTRY_POINTS = "wilddeck.games"  # the group in which packages name their games: oh_hell_v0 = "package.module:GAME"
SHARED = "WILDDECK_GAMES"  # the variable by which processes that this one starts know what is registered here
_places: dict[str, str] = {}  # id -> "module:NAME"
_objects: dict[str, Game] = {}  # of those that were registered as such


def register(game: Game | str, game_id: str | None = None) -> None:
    """Register a game, so that everything that takes a game's id finds it: `make`, batches, commands, training, leagues, the
    browser, Gymnasium and PettingZoo, also in processes that are started later, if they can import the game's module.

    An installed package need not call this if it lists its games in the entry point group `wilddeck.games`.

    Args:
        game: a `Game`, or "package.module:NAME", which is imported.
        game_id: the game's id, with a name; the module is then imported only when the game is used.

    Raises:
        ValueError: the game does not exist, or another game has its id.
    """
    if isinstance(game, str) and game_id is None:
        game = load(game)
    if isinstance(game, str):
        name, place, held = str(game_id), game, None
    else:
        name, place, held = game.id, _place_of(game), game
    if name in _places and place != _places[name]:
        if held is not None and _find(name) is held:  # which two modules hold
            return
        raise ValueError(f"another game has the id {name}, that of {_places[name] or 'no module'}; choose another name")
    if name in _objects and not place and _objects[name] is not held:
        raise ValueError(f"another game has the id {name}; choose another name, or define the game in a module")
    _places[name] = place
    if held is not None:
        _objects[name] = held
    if place and name not in OWN:
        os.environ[SHARED] = json.dumps({**_shared(), name: place})
    from .registration import make_known

    make_known(name)


def registered(game_or_id: Game | str) -> str:
    """The id of a game, for files, settings and workers. Registers the game if necessary.

    Raises:
        ValueError: the id is unknown, or belongs to another game.
    """
    found = game(game_or_id)
    if _find(found.id) is not found:
        register(found)
    return found.id


def _place_of(game: Game) -> str:
    """The "module:NAME" of a game; "" if no module defines it."""
    with contextlib.suppress(pickle.PicklingError):
        module, name = game.__reduce__()[1]
        return f"{'__main__' if module == '__mp_main__' else module}:{name}"  # what a process calls its parent's
    return ""


def load(place: str) -> Game:
    """Load a game by "module:NAME".

    Raises:
        ValueError: the module does not exist, or does not have the game.
    """
    from .core.game import Game

    module, _, name = place.partition(":")
    try:
        found = importlib.import_module(module)
        held = getattr(found, name or "GAME")
    except ImportError as error:
        raise ValueError(f"there is no game at {place!r}: {error}") from None
    except AttributeError as error:
        hint = "" if getattr(found, "__file__", None) else f"; {module!r} is a folder here: is the module inside it?"
        raise ValueError(f"there is no game at {place!r}: {error}{hint}") from None
    if not isinstance(held, Game):
        raise ValueError(f"{place!r} must be a Game, not {type(held).__name__!r}")
    return held


def _shared() -> dict[str, str]:
    """What the process that started this one registered."""
    try:
        places = json.loads(os.environ.get(SHARED, "{}"))
    except json.JSONDecodeError:
        return {}
    return {str(k): str(v) for k, v in places.items()} if isinstance(places, dict) else {}


@functools.cache
def _look() -> None:
    """For games of other packages, once."""
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS):
        _places.setdefault(point.name, point.value)
    for game_id, place in _shared().items():
        _places.setdefault(game_id, place)


def game_ids() -> tuple[str, ...]:
    """The ids of all known games: those of wilddeck, of installed packages, and registered ones. (`envs.games` is the package
    of wilddeck's own game modules.)"""
    _look()
    return tuple(_places)


def all_games() -> list[Game]:
    """All known games; games that cannot be loaded are left out with a warning."""
    found = []
    for game_id in game_ids():
        try:
            found.append(game(game_id))
        except ValueError as error:
            logger.warning("wilddeck: the game %s is left out: %s", game_id, error)
    return found


def game(game_id: str | Game) -> Game:
    """The game with an id such as `tennis_v0`; its module is imported. A `Game` is returned as it is.

    Raises:
        ValueError: the id is unknown; the message suggests the nearest one and lists all.
    """
    if not isinstance(game_id, str):
        from .core.game import Game

        if isinstance(game_id, Game):
            return game_id
    _look()
    if game_id not in _places:
        near = difflib.get_close_matches(str(game_id), _places, 1, 0.5)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        own = "Register a game of your own with wilddeck.register, or give commands its module (oh_hell:GAME)"
        raise ValueError(f"no game {game_id!r}{hint} Games: {', '.join(_places)}. {own}")
    found = _find(game_id)
    assert found is not None
    return found


def _find(game_id: str) -> Game | None:
    """The game with an id, or None."""
    _look()
    if game_id not in _objects and game_id in _places:
        found = load(_places[game_id])
        if found.id != game_id:
            raise ValueError(f"{_places[game_id]!r} is the game {found.id!r}, not {game_id!r}")
        _objects[game_id] = found
    return _objects.get(game_id)


_places.update({f"{name}_v0": f"{__package__}.games.{name}:GAME" for name in _MODULES})
OWN = tuple(_places)  # the ids of the suite's own games


def resolve(game_or_id: Game | str, options: Options | Mapping[str, Any] | None = None) -> tuple[Game, Options]:
    """The game and checked options, from a game or its id, and options, a mapping, or None for the defaults.

    Raises:
        ValueError: the game or an option is unknown, a value is not allowed, or the options are those of another game.
    """
    played = game(game_or_id)
    if options is None or isinstance(options, Mapping):
        return played, played.make_options(options or {})
    if not isinstance(options, played.options):
        raise ValueError(f"these are not options of {played.id}: {options!r}")
    return played, options


def raw_env(game_id: str | Game, render_mode: str | None = None, **options: Any) -> CardGameEnv:
    """Make a PettingZoo AEC environment without wrappers; an illegal action raises and changes nothing."""
    from .core.aec import CardGameEnv

    return CardGameEnv(*resolve(game_id, options), render_mode)


def env(game_id: str | Game, render_mode: str | None = None, **options: Any) -> OrderEnforcing:
    """Make a PettingZoo AEC environment with the usual wrappers; an illegal action ends the game with a penalty of 1."""
    from .core.wrappers import wrap

    return wrap(raw_env(game_id, render_mode, **options))


def parallel_env(game_id: str | Game, render_mode: str | None = None, **options: Any) -> CardGameParallelEnv:
    """Make a PettingZoo parallel environment: every agent may act in each step, but only the action of the player to move is
    played; an illegal one ends the game with a penalty of 1."""
    from .core.parallel import CardGameParallelEnv

    return CardGameParallelEnv(*resolve(game_id, options), render_mode)


def make_batch(
    game_id: str | Game, num_games: int, seed: int | None = None, threads: int = 1, history: int = 0, **options: Any
) -> Batch:
    """Make a `Batch`: `num_games` games stepped together in compiled code, with the last `history` tokens of what the player to
    move has perceived."""
    from .core.batch import Batch

    return Batch(*resolve(game_id, options), num_games, seed, threads, history)


def load_batch(path: Path | str, threads: int = 1) -> Batch:
    """Load a batch saved by `Batch.save`, which continues exactly where it was saved (see `Batch.load` for errors)."""
    from .core.batch import Batch

    return Batch.load(path, game, threads)


def spawn_seeds(seed: int, n: int) -> list[int]:
    """`n` seeds for independent batches, environments or evaluations.

    Consecutive seeds are not independent: row i of a batch or vector environment, and deal i of an evaluation, is dealt by
    `seed + i`, so that seeds 0 to 4 give nearly the same deals five times. The seeds returned here, from numpy's SeedSequence,
    are so far apart that they share no deals.

    Args:
        seed: 0..2**128-1; equal seeds give equal results.
        n: the number of seeds; a larger `n` appends to the same sequence.

    Returns:
        Integers 0..2**63-1. (Training needs none of these: runs with different seeds learn from different deals.)

    Raises:
        ValueError: a number is out of range.
    """
    import numpy as np

    from .core.batch import check_count, check_seed

    children = np.random.SeedSequence(check_seed(seed)).spawn(check_count("n", n))
    return [int(child.generate_state(1, np.uint64)[0]) >> 1 for child in children]


class MakeEnv(Protocol):
    """As `env`, of one game."""

    def __call__(self, render_mode: str | None = None, **options: Any) -> OrderEnforcing: ...


class MakeRawEnv(Protocol):
    """As `raw_env`, of one game."""

    def __call__(self, render_mode: str | None = None, **options: Any) -> CardGameEnv: ...


class MakeParallelEnv(Protocol):
    """As `parallel_env`, of one game."""

    def __call__(self, render_mode: str | None = None, **options: Any) -> CardGameParallelEnv: ...


def pettingzoo_module(name: str) -> tuple[MakeEnv, MakeRawEnv, MakeParallelEnv]:
    """`env`, `raw_env` and `parallel_env` for the module that PettingZoo's users expect of a game, from the module's name."""
    game_id = name.rpartition(".")[2]

    def make(render_mode: str | None = None, **options: Any) -> OrderEnforcing:
        return env(game_id, render_mode, **options)

    def make_raw(render_mode: str | None = None, **options: Any) -> CardGameEnv:
        return raw_env(game_id, render_mode, **options)

    def make_parallel(render_mode: str | None = None, **options: Any) -> CardGameParallelEnv:
        return parallel_env(game_id, render_mode, **options)

    for function, model in ((make, env), (make_raw, raw_env), (make_parallel, parallel_env)):
        function.__module__, function.__name__, function.__qualname__ = name, model.__name__, model.__name__
        function.__doc__ = model.__doc__
    return make, make_raw, make_parallel
