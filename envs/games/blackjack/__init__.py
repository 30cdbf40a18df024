"""Blackjack: play against a dealer with fixed rules; all cards but the hole card are open; with Jokers and specials.

1 to 7 players, one to eight decks of 66 cards, or of 52. An episode is one hand, or several from one shoe.
Rules: docs/rules/blackjack.md (clauses BJ-01 to BJ-49).
"""

from __future__ import annotations

from ...core.extended.shoe import SHOE, shoe_of
from ...core.extended.view import EXTENDED_ZONES
from ...core.game import Bounds, Game, Money
from ...core.zones import ZoneRole
from .rules import begin, deal, legal_actions, step
from .state import ACTIONS, EVENTS, FIELDS, MONEY, OBSERVATION, Options, most_money
from .view import bet_label, describe, determinize, observe, zones

_MOST_DECISIONS = 90  # of a player in a hand (BJ-49)


def _reward_range(options: Options) -> tuple[float, float]:
    """The bounds for an episode, and for a step, in which hands without decisions may follow one another: 8 times the bet, a
    loss with insurance 8.5 times."""
    most = 8.0 * max(options.bets) * options.hands
    return -most_money(options) / MONEY, most


GAME = Game(
    name="blackjack",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=shoe_of,
    describe=describe,
    zones=zones,
    zone_roles={**EXTENDED_ZONES, "dealer": ZoneRole.ROW, "used": ZoneRole.ROW},
    labels={"bet": bet_label},
    deck_size=SHOE,
    bounds=Bounds(
        lambda options: options.hands * options.num_players * _MOST_DECISIONS,
        reward_range=_reward_range,
        reward_sum=None,
    ),
    money=Money(1.0),
    private=(),
    events=EVENTS,
    player="wilddeck.agents.rules.blackjack",
    page="docs/rules/blackjack.md",
    weights="agents/weights",
)
