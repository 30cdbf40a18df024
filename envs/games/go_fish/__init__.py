"""Go Fish: ask other players for ranks and collect books of four cards.

Two to six players, with the Extended Deck or 52 cards; one deal.
Rules: docs/rules/go_fish.md (clauses GF-01 to GF-54), docs/rules/extended_deck.md.
"""

from __future__ import annotations

from ...core.extended.view import EXTENDED_ZONES
from ...core.game import Bounds, Game
from ...core.units import Unit, wins
from ...core.zones import ZoneRole
from .determinize import determinize
from .rules import begin, legal_actions, step
from .state import ACTIONS, EVENTS, FIELDS, OBSERVATION, Options, ranks_of
from .view import describe, observe, zones


def _max_length(options: Options) -> int:
    """GF-53."""
    return 68 * options.max_turns + 40


def _reward_range(options: Options) -> tuple[float, float]:
    n, books = options.num_players, ranks_of(options)
    return (-1 / (n - 1), 1.0) if options.reward == "win" else (-books / n, books - books / n)


GAME = Game(
    name="go_fish",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(begin, legal_actions, step, observe, determinize),
    describe=describe,
    zones=zones,
    zone_roles={**EXTENDED_ZONES, "books": ZoneRole.ROW},
    unit=lambda options: wins(options) if options.reward == "win" else Unit("book", form="ahead"),
    bounds=Bounds(_max_length, _reward_range),
    private=("hand",),
    events=EVENTS,
    player="wilddeck.agents.rules.go_fish",
    page="docs/rules/go_fish.md",
    weights="agents/weights",
)
