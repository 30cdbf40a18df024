"""The registry of games: what is found and made by a game's id."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .core.aec import CardGameEnv, OrderEnforcing
    from .core.batch import Batch
    from .core.game import Game
    from .core.options import Options
    from .core.parallel import CardGameParallelEnv

# id -> module below envs/games. Beside its line here a game has a module of three lines, envs/<id>.py, which envs/__init__.py
# imports; a test says what is missing.
REGISTRY = {
    "tennis_v0": "tennis",
    "skin_of_your_teeth_v0": "skin_of_your_teeth",
    "skin_v0": "skin",
    "wild_escape_v0": "wild_escape",
    "hearts_v0": "hearts",
    "spades_v0": "spades",
    "bridge_v0": "bridge",
    "president_v0": "president",
    "crazy_eights_v0": "crazy_eights",
    "bluff_v0": "bluff",
    "go_fish_v0": "go_fish",
    "old_maid_v0": "old_maid",
    "beggar_my_neighbor_v0": "beggar_my_neighbor",
    "egyptian_ratscrew_v0": "egyptian_ratscrew",
    "blackjack_v0": "blackjack",
    "baccarat_v0": "baccarat",
    "poker_v0": "poker",
    "rummy_v0": "rummy",
}


def game_ids() -> tuple[str, ...]:
    """The ids of all games. (`envs.games` is the package of their modules.)"""
    return tuple(REGISTRY)


def game(game_id: str | Game) -> Game:
    """The game with an id such as `tennis_v0`, whose module is imported; a game is returned as it is.

    Raises:
        ValueError: there is none; the message lists the games and the nearest name.
    """
    if not isinstance(game_id, str):
        from .core.game import Game

        if isinstance(game_id, Game):
            return game_id
    if game_id not in REGISTRY:
        near = difflib.get_close_matches(str(game_id), REGISTRY, 1, 0.5)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise ValueError(f"no game {game_id!r}{hint} Games: {', '.join(REGISTRY)}")
    module = importlib.import_module(f".games.{REGISTRY[game_id]}", __package__)
    return module.GAME


def resolve(game_or_id: Game | str, options: Options | Mapping[str, Any] | None = None) -> tuple[Game, Options]:
    """A game and its checked options: whoever takes a game and options takes an id, a mapping, or None for the defaults too.

    Raises:
        ValueError: an unknown game or option, a value that is not allowed, or options of another game.
    """
    played = game(game_or_id)
    if options is None or isinstance(options, Mapping):
        return played, played.make_options(options or {})
    if not isinstance(options, played.options):
        raise ValueError(f"these are no options of {played.id}: {options!r}")
    return played, options


def raw_env(game_id: str | Game, render_mode: str | None = None, **options: Any) -> CardGameEnv:
    """A PettingZoo AEC environment without wrappers; an illegal action raises and changes nothing."""
    from .core.aec import CardGameEnv

    return CardGameEnv(*resolve(game_id, options), render_mode)


def env(game_id: str | Game, render_mode: str | None = None, **options: Any) -> OrderEnforcing:
    """A PettingZoo AEC environment in the usual wrappers; an illegal action ends the game with a penalty of 1."""
    from .core.aec import wrap

    return wrap(raw_env(game_id, render_mode, **options))


def parallel_env(game_id: str | Game, render_mode: str | None = None, **options: Any) -> CardGameParallelEnv:
    """A PettingZoo parallel environment: every agent may act in each step, and the action of the player to move is played; an
    illegal one ends the game with a penalty of 1."""
    from .core.parallel import CardGameParallelEnv

    return CardGameParallelEnv(*resolve(game_id, options), render_mode)


def make_batch(
    game_id: str | Game, num_games: int, seed: int | None = None, threads: int = 1, history: int = 0, **options: Any
) -> Batch:
    """`num_games` games stepped together in compiled code; with `history`, the last so many tokens of what the player to move
    has perceived are shown, too (see `Batch`)."""
    from .core.batch import Batch

    return Batch(*resolve(game_id, options), num_games, seed, threads, history)


def load_batch(path: Path | str, threads: int = 1) -> Batch:
    """The batch that `Batch.save` wrote into a file, to go on exactly from there (see `Batch.load` for what it refuses)."""
    from .core.batch import Batch

    return Batch.load(path, game, threads)


def spawn_seeds(seed: int, n: int) -> list[int]:
    """`n` seeds for runs that are to be independent: of batches, environments, evaluations.

    Seeds that follow one another will not do. Row i of a batch or vector, and deal i of an evaluation, is dealt as `seed + i`
    says, so that with seeds 0 to 4 nearly the same deals come five times. These, of numpy's SeedSequence, lie so far apart
    that they have none in common.

    Args:
        seed: 0..2**128-1; equal ones give equal seeds.
        n: how many; the first ones are the same whatever it is.

    Returns:
        Integers 0..2**63-1, which environments, batches, vectors and evaluations take. (Trainings need none: whatever their
        seeds, they learn from different deals.)

    Raises:
        ValueError: a number that is not allowed.
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
