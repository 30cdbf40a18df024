"""Bluff (Cheat, I Doubt It): cards are put face down under a claim of their rank, which the others may challenge.

Two to eight players, the Extended Deck or 52 cards; the first to be rid of their cards wins.
Rules: docs/rules/bluff.md (clauses BL-01 to BL-53), docs/rules/extended_deck.md.
"""

from __future__ import annotations

from ...core.extended.sets import SPECIALS
from ...core.extended.state import deck_of
from ...core.game import Game
from .rules import begin, deal, legal_actions, step
from .state import ACTIONS, FIELDS, OBSERVATION, STATE, Options
from .view import describe, determinize, label, observe, public_label, zones


def _max_length(options: Options) -> int:
    """BL-53: of a turn the name of the rank, the cards, the answers; and reveals (ED-85)."""
    return options.max_turns * (options.num_players + (options.max_play or 0)) + 2 * SPECIALS


GAME = Game(
    name="bluff",
    version=0,
    title="Bluff",
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
    reward_range=lambda options: (-1.0 / (options.num_players - 1), 1.0),
    joker_kinds=True,
    private=("hand", "own_in_heap"),
)
