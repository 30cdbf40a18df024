"""Games and states of OpenSpiel, for their tests."""

from __future__ import annotations

import random
from typing import Any

import kuhn
from support import Case
from wilddeck.frameworks import openspiel
from wilddeck.frameworks.openspiel.parameters import OWN_PARAMETERS


def load(case: Case, **settings: Any) -> Any:
    names = {name: f"{name}_" if name in OWN_PARAMETERS else name for name in dict(case.options)}
    return openspiel.load_game(case.game_id, **{names[name]: value for name, value in dict(case.options).items()}, **settings)


def small_game() -> Any:
    """Kuhn poker with its six deals."""
    return openspiel.load_game(kuhn.GAME, decks=kuhn.SIX_DECKS)


def dealt(game: Any, number: int = 0) -> Any:
    """The state that `env.reset(seed=number)` gives."""
    state, outcomes = game.new_initial_state(), game.rules.outcomes
    for drawn in range(len(outcomes), 0, -1):
        state.apply_action(number >> 8 * (drawn - 1) & 255 if len(outcomes) > 1 else number)
    return state


def played(state: Any, seed: int, steps: int) -> list[int]:
    """Plays up to `steps` random actions; returns them."""
    draw, actions = random.Random(seed), []
    while len(actions) < steps and not state.is_terminal():
        actions.append(draw.choice(state.legal_actions()))
        state.apply_action(actions[-1])
    return actions


def strings(state: Any) -> list[str]:
    return [state.information_state_string(player) for player in range(state.num_players())]
