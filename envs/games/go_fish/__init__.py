"""Go Fish: players ask one another for ranks and collect books of four cards.

Two to six players, with the Extended Deck or 52 cards; one deal.
Rules: docs/rules/go_fish.md (clauses GF-01 to GF-54), docs/rules/extended_deck.md.
"""

from __future__ import annotations

from ...core.extended.state import deck_of
from ...core.game import Game
from .determinize import determinize
from .rules import begin, deal, legal_actions, step
from .state import ACTIONS, FIELDS, OBSERVATION, STATE, Options, ranks_of
from .view import describe, label, observe, public_label, zones


def _max_length(options: Options) -> int:
    """GF-53."""
    return 68 * options.max_turns + 40


def _reward_range(options: Options) -> tuple[float, float]:
    n, books = options.num_players, ranks_of(options)
    return (-1 / (n - 1), 1.0) if options.reward == "win" else (-books / n, books - books / n)


GAME = Game(
    name="go_fish",
    version=0,
    title="Go Fish",
    options=Options,
    state=STATE,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=deck_of,
    label=label,
    public_label=public_label,
    describe=describe,
    zones=zones,
    max_length=_max_length,
    reward_range=_reward_range,
    joker_kinds=True,
    private=("hand",),
)
