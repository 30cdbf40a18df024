"""The shipped baselines of games and their variants (`Game(weights=...)`): trained networks, with records of their training.

In the game's `weights` folder, `<name>.safetensors` has the network, and `<name>.json` the settings, steps and results of its
training. A name is a game's id, `<id>-<variant>` for a variant, or `<id>-2p` for a number of players. `wilddeck bench strength
train NAME` makes both files for the games of this package.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import envs
from ..envs.core.files import read_json
from ..envs.core.game import Game, Options
from . import learned
from .learned import LearnedAgent, WeightsError

MAX_BYTES = 2_000_000  # of a weights file


def weights(name: str, game: Game | None = None) -> Path:
    """The path of a baseline's weights; the file may not exist. `game`: the baseline's game, if already loaded."""
    return folder(game or envs.game(game_of(name))) / f"{name}.safetensors"


def folder(game: Game) -> Path:
    """The folder of a game's baselines, if it has any."""
    return game.file(game.weights)


def names(game: Game | None = None) -> tuple[str, ...]:
    """The names of a game's baselines; None: of all baselines."""
    if game is None:
        return tuple(sorted(name for each in envs.all_games() for name in names(each)))
    paths = folder(game).glob(f"{game.id}*.safetensors") if game.weights else ()
    return tuple(sorted(path.stem for path in paths if game_of(path.stem) == game.id))


def games() -> tuple[str, ...]:
    """The ids of the games that have a baseline."""
    return tuple(dict.fromkeys(map(game_of, names())))


def game_of(name: str) -> str:
    """The game id of a baseline."""
    return name.partition("-")[0]


def about(name: str) -> dict[str, Any]:
    """The record of a baseline's training: settings, steps, seconds, results, versions."""
    return read_json(weights(name).with_suffix(".json").read_bytes())


def best(game: Game, options: Options) -> str:
    """The name of the game's baseline for this number of players and variant. Among several, prefer one with the same
    observation and action sizes, then the one whose options are the most similar.

    Raises:
        WeightsError: the game has no baseline for this number of players and variant; the message lists the existing ones.
    """
    if not names(game):
        raise WeightsError(
            f"{game.id} has no trained baseline; give a weights file instead (runs/.../agent.safetensors), or set the folder "
            "of its baselines: Game(weights=...)"
        )
    abouts = {name: learned.read_about(weights(name, game)) for name in names(game)}
    played = learned.plain_options(options)
    sizes = game.observation_size(options), game.num_actions(options)
    candidates = [name for name, about in abouts.items() if _kind(about["options"]) == _kind(played)]
    if not candidates:
        own: dict[str, set[int]] = {}
        for about in abouts.values():
            variant, players = _kind(about["options"])
            own.setdefault(variant, set()).add(players)
        raise WeightsError(
            f"{game.id} has no trained baseline for {_kind_text(*_kind(played))}; its baselines are for "
            f"{'; '.join(_kind_text(variant, *sorted(players)) for variant, players in sorted(own.items()))}"
        )

    def unlike(name: str) -> tuple[bool, int]:
        about = abouts[name]
        fits = (about["observation_size"], about["num_actions"]) == sizes
        return not fits, sum(about["options"].get(k) != v for k, v in played.items())

    return min(candidates, key=unlike)


def _kind(options: Mapping[str, Any]) -> tuple[str, int]:
    """The variant (or "") and the number of players that a baseline is for."""
    return options.get("variant", ""), options.get("num_players", 0)


def _kind_text(variant: str, *players: int) -> str:
    return f"{', '.join(map(str, players))} players" + (f" with variant={variant!r}" if variant else "")


def make(game: Game | str, options: Options | Mapping[str, Any] | None = None) -> LearnedAgent:
    """Make the baseline of a game (or game id) for these options.

    Raises:
        WeightsError: the game has no baseline for this number of players and variant, or none of these observation and action
            sizes; the message says what is available.
    """
    game, options = envs.resolve(game, options)
    agent = learned.load(weights(best(game, options), game), game, options)
    agent.name = "trained"
    return agent
