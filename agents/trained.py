"""The shipped baselines: for a game a trained network, and what made it.

`weights/<game>.safetensors` holds the network, `weights/<game>.json` the settings, the steps and the results of its training.
`python -m wilddeck.benchmarks.strength train GAME` makes both.
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

FOLDER = Path(__file__).with_name("weights")
MAX_BYTES = 2_000_000  # of a weights file


def weights(game_id: str) -> Path:
    """Where the weights of a game's baseline are, if it has one."""
    return FOLDER / f"{game_id}.safetensors"


def games() -> tuple[str, ...]:
    """The ids of the games that have a baseline."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.safetensors")))


def about(game_id: str) -> dict[str, Any]:
    """What made a game's baseline: settings, steps, seconds, results, versions."""
    return read_json(weights(game_id).with_suffix(".json").read_bytes())


def make(game: Game | str, options: Options | Mapping[str, Any] | None = None) -> LearnedAgent:
    """The baseline of a game (or of its id).

    Raises:
        WeightsError: the game has none, or it was trained for another number of players or other sizes; the message names
            what there is, or what fits.
    """
    game, options = envs.resolve(game, options)
    if not weights(game.id).exists():
        raise WeightsError(f"{game.id} has no trained baseline; games that have one: {', '.join(games()) or 'none'}")
    agent = learned.load(weights(game.id), game, options)
    players = agent.trained_options["num_players"]
    if players != options.num_players:
        raise WeightsError(f"the baseline of {game.id} is for {players} players, not for {options.num_players}")
    agent.name = "trained"
    return agent
