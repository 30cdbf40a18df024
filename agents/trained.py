"""The baselines that games come with (`Game(weights=...)`): for a game, or a variant of it, a trained network and what made it.

In the folder that the game names, `<name>.safetensors` holds the network, `<name>.json` the settings, the steps and the results
of its training. A name is a game's id, `<id>-<variant>` for a variant, or `<id>-2p` for another number of players. `wilddeck
bench strength train NAME` makes both files of the suite's own games.
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
    """Where the weights of a baseline are, if there is one of that name. `game`: its game, where that is at hand."""
    return folder(game or envs.game(game_of(name))) / f"{name}.safetensors"


def folder(game: Game) -> Path:
    """Where the baselines of a game are, if it has any."""
    return game.file(game.weights)


def names(game: Game | None = None) -> tuple[str, ...]:
    """The names of all baselines, or of those of a game."""
    if game is None:
        return tuple(sorted(name for each in envs.all_games() for name in names(each)))
    paths = folder(game).glob(f"{game.id}*.safetensors") if game.weights else ()
    return tuple(sorted(path.stem for path in paths if game_of(path.stem) == game.id))


def games() -> tuple[str, ...]:
    """The ids of the games that have a baseline."""
    return tuple(dict.fromkeys(map(game_of, names())))


def game_of(name: str) -> str:
    """The id of the game that a baseline plays."""
    return name.partition("-")[0]


def about(name: str) -> dict[str, Any]:
    """What made a baseline: settings, steps, seconds, results, versions."""
    return read_json(weights(name).with_suffix(".json").read_bytes())


def best(game: Game, options: Options) -> str:
    """The name of the game's baseline for as many players and the same variant; of several the one that was trained with the
    options most like these, for the same sizes if there is such a one.

    Raises:
        WeightsError: the game has none, or none for so many players or that variant; the message names those there are.
    """
    if not names(game):
        raise WeightsError(
            f"{game.id} has no trained baseline; name the file of one instead (runs/.../agent.safetensors); "
            "a game names the folder of its own: Game(weights=...)"
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
            f"{game.id} has no trained baseline for {_kind_text(*_kind(played))}; those it has are for "
            f"{'; '.join(_kind_text(variant, *sorted(players)) for variant, players in sorted(own.items()))}"
        )

    def unlike(name: str) -> tuple[bool, int]:
        about = abouts[name]
        fits = (about["observation_size"], about["num_actions"]) == sizes
        return not fits, sum(about["options"].get(k) != v for k, v in played.items())

    return min(candidates, key=unlike)


def _kind(options: Mapping[str, Any]) -> tuple[str, int]:
    """What a baseline is for: the variant, of a game that has such, and the number of players."""
    return options.get("variant", ""), options.get("num_players", 0)


def _kind_text(variant: str, *players: int) -> str:
    return f"{', '.join(map(str, players))} players" + (f" with variant={variant!r}" if variant else "")


def make(game: Game | str, options: Options | Mapping[str, Any] | None = None) -> LearnedAgent:
    """The baseline of a game (or of its id), for these options.

    Raises:
        WeightsError: the game has none for as many players or that variant, or it was trained for other sizes; the message
            names what there is, or what fits.
    """
    game, options = envs.resolve(game, options)
    agent = learned.load(weights(best(game, options), game), game, options)
    agent.name = "trained"
    return agent
