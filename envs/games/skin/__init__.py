"""Skin: a banking game; players bet that the banker's card is matched in rank before theirs, and bet against one another.

2 to 8 players, 52 cards; cards on the table lie face up, only the order of the stock is hidden. An episode is some hands.
Rules: docs/rules/skin.md (clauses SK-01 to SK-57).
"""

from __future__ import annotations

import numpy as np

from ...core.game import Bounds, Game, Money
from ...core.zones import ZoneRole
from .rules import begin, deal, legal_actions, step
from .state import ACTIONS, DECK, EVENTS, FIELDS, OBSERVATION, PLACEMENTS, Options, most_at_risk
from .view import describe, determinize, level_label, no_label, observe, yes_label, zones

# --- bounds ---


def _max_length(options: Options) -> int:
    """Each card that comes onto the table is offered to at most n - 1 players, and may bring a choice for the banker and,
    later, one for a player who takes it from the centre. It brings at most n - 1 occasions to bet (a round of rebids), each
    of a stake, its answer and three decisions for each of n - 2 side bets (SK-56)."""
    others = options.num_players - 1
    hand = PLACEMENTS * (others + 2 + others * (2 + 3 * (others - 1)))
    return options.hands * hand + (options.hands - 1) * options.num_players * options.cash_out


_BY_ODDS = 0.5


def _reward_range(options: Options) -> tuple[float, float]:
    """Nobody can lose more than their stack. By the odds, a bet is worth at most half of it: one match left against three."""
    others = options.num_players - 1
    if options.reward == "odds":
        return -_BY_ODDS, _BY_ODDS
    if options.stack:
        lost = float(np.float32(options.stack / options.max_bid))  # as rewards are rounded
        return -lost, float(np.float32(others * options.stack / options.max_bid))
    most = float(most_at_risk(options))
    return -most, most


def _return_range(options: Options) -> tuple[float, float]:
    """By the odds, rewards are paid bet by bet, and their sum need not exist in chips."""
    if options.reward == "odds":
        most = _BY_ODDS * most_at_risk(options)
        return -most, most
    return _reward_range(options)


GAME = Game(
    name="skin",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=lambda options: list(range(DECK)),
    describe=describe,
    zones=zones,
    zone_roles={
        "live": ZoneRole.ROW,
        "offered": ZoneRole.ROW,
        "central": ZoneRole.ROW,
        "discard": ZoneRole.HEAP,
        "stock": ZoneRole.STOCK,
    },
    labels={"no": no_label, "yes": yes_label, "level": level_label},
    bounds=Bounds(_max_length, _reward_range, return_range=_return_range),
    money=Money(lambda options: options.max_bid),
    private=(),
    events=EVENTS,
    player="wilddeck.agents.rules.skin",
    page="docs/rules/skin.md",
    weights="agents/weights",
)
