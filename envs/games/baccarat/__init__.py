"""Baccarat: bet on hands close to nine, against the house, against one banker, or against a banker with two hands.

1 to 9 players, one to eight decks of 66 cards, or of 52. An episode is some coups.
Rules: docs/rules/baccarat.md (clauses BA-01 to BA-60).
"""

from __future__ import annotations

import numpy as np

from ...core.extended.shoe import SHOE, shoe_of
from ...core.extended.view import EXTENDED_ZONES
from ...core.game import Bounds, Game, Money
from ...core.zones import ZoneRole
from .hidden import determinize
from .rules import begin, deal, legal_actions, step
from .state import ACTIONS, EVENTS, FIELDS, OBSERVATION, Options, most_won
from .view import LABELS, describe, observe, zones


def _max_length(options: Options) -> int:
    """BA-60."""
    n = options.num_players
    coup = n if options.variant == "punto_banco" else 2 * n + 24 * int(options.decks or 0) + 3
    return int(options.coups or 0) * coup


def _reward_range(options: Options) -> tuple[float, float]:
    """Nobody can lose more than their stack."""
    lost, coups = options.stack / options.max_bet, int(options.coups or 0)
    if options.variant != "punto_banco":
        return -float(np.float32(lost)), float(np.float32((options.num_players - 1) * lost))
    won = float(np.float32(most_won(options) / options.max_bet))
    return -float(np.float32(min(lost, coups))) if options.stack else -float(coups), won


GAME = Game(
    name="baccarat",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=shoe_of,
    describe=describe,
    zones=zones,
    zone_roles={**EXTENDED_ZONES, "used": ZoneRole.ROW, "burned": ZoneRole.ROW},
    labels=LABELS,
    deck_size=SHOE,
    bounds=Bounds(
        _max_length,
        reward_range=_reward_range,
        reward_sum=lambda options: None if options.variant == "punto_banco" or options.commission else 0.0,
    ),
    money=Money(lambda options: options.max_bet),
    private=("own_hand", "own_state"),
    events=EVENTS,
    player="wilddeck.agents.rules.baccarat",
    page="docs/rules/baccarat.md",
    weights="agents/weights",
)
