"""The baselines that games come with (`Game(weights=...)`): for a game, or a variant of it, a trained network and what made it.

In the folder that the game names, `<name>.safetensors` holds the network, `<name>.json` the settings, the steps and the results
of its training. A name is a game's id, or for a variant `<id>-<variant>`. `wilddeck bench strength train NAME` makes both files
of the suite's own games.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import envs
from ..envs.core.files import read_json
from ..envs.core.game import Game, Options
from . import learned, tensors
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
    """The name of the game's baseline that was trained with the options most like these, for as many players and for the
    same sizes if there is such a one.

    Raises:
        WeightsError: the game has none.
    """
    candidates = names(game)
    if not candidates:
        raise WeightsError(
            f"{game.id} has no trained baseline; name the file of one instead (runs/.../agent.safetensors); "
            "a game names the folder of its own: Game(weights=...)"
        )
    played = learned.plain_options(options)
    sizes = game.observation_size(options), game.num_actions(options)

    def unlike(name: str) -> tuple[bool, bool, int]:
        about, _ = tensors.read(weights(name, game), learned.FORMAT, learned.MAX_BYTES)
        trained = about["options"]
        fits = (about["observation_size"], about["num_actions"]) == sizes
        return not fits, trained.get("num_players") != options.num_players, sum(trained.get(k) != v for k, v in played.items())

    return candidates[0] if len(candidates) == 1 else min(candidates, key=unlike)


def make(game: Game | str, options: Options | Mapping[str, Any] | None = None) -> LearnedAgent:
    """The baseline of a game (or of its id), for these options.

    Raises:
        WeightsError: the game has none, or it was trained for another number of players or other sizes; the message names
            what there is, or what fits.
    """
    game, options = envs.resolve(game, options)
    agent = learned.load(weights(best(game, options), game), game, options)
    players = agent.trained_options["num_players"]
    if players != options.num_players:
        raise WeightsError(f"the baseline of {game.id} is for {players} players, not for {options.num_players}")
    agent.name = "trained"
    return agent
