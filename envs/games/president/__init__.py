"""President: get rid of your cards first by playing sets of ever higher rank.

Three to seven players, with the Extended Deck or with 52 cards; one deal, or a match of deals with an exchange of cards.
Rules: docs/rules/president.md (clauses PR-01 to PR-43), docs/rules/extended_deck.md.
"""

from __future__ import annotations

from ...core.cards import ALIKE_JOKERS, DECK_66
from ...core.extended.view import EXTENDED_ZONES
from ...core.game import Bounds, Game
from ...core.match import hands_of
from ...core.units import Unit
from ...core.zones import ZoneRole
from .determinize import determinize
from .rules import begin, legal_actions, step
from .state import ACTIONS, EXCHANGES, FIELDS, OBSERVATION, PRESIDENT_POINTS, Options
from .view import EVENTS, describe, observe, zones

_REVEALS = 60  # reveals, and the turns that pauses bring


def _max_length(options: Options) -> int:
    """PR-43."""
    deal = DECK_66 * (options.num_players + 1) + _REVEALS
    return deal if options.match == "hand" else hands_of(options) * (deal + EXCHANGES + 1)


def _reward_range(options: Options) -> tuple[float, float]:
    if options.match == "hand":
        return -1.0, 1.0
    most = (options.target + PRESIDENT_POINTS - 1) * (1 - 1 / options.num_players) / options.target
    return -most, most


def _unit(options: Options) -> Unit:
    half = (options.num_players - 1) / 2
    return Unit("place", -half, "place", 1 + half) if options.match == "hand" else Unit("point", options.target, "ahead")


GAME = Game(
    name="president",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    events=EVENTS,
    functions=(begin, legal_actions, step, observe, determinize),
    describe=describe,
    zones=zones,
    zone_roles={**EXTENDED_ZONES, "played": ZoneRole.ROW},
    cards=ALIKE_JOKERS,
    unit=_unit,
    bounds=Bounds(_max_length, _reward_range),
    private=("hand",),
    player="wilddeck.agents.rules.president",
    page="docs/rules/president.md",
    weights="agents/weights",
)
