"""Contract bridge: an auction, then thirteen tricks that declarer plays with the open hand of dummy as well.

Four players in two partnerships, the Extended Deck or the ordinary one; one deal with duplicate scoring, or a rubber.
Rules: docs/rules/bridge.md (clauses BR-01 to BR-70).
"""

from __future__ import annotations

from ...core.extended.state import deck_of
from ...core.extended.tricks import MAX_STEPS
from ...core.game import Game
from .rules import begin, deal, determinize, legal_actions, step
from .state import ACTIONS, BIDS, FIELDS, OBSERVATION, STATE, Options, most_points
from .view import describe, label, observe, public_label, zones

_MOST_CALLS = 3 + 9 * BIDS + 1  # BR-70: three passes, each bid doubled and redoubled after two passes, and a last pass


def _max_length(options: Options) -> int:
    deals = options.max_deals if options.scoring == "rubber" else 1
    return deals * (_MOST_CALLS + MAX_STEPS)


def _reward_range(options: Options) -> tuple[float, float]:
    most = most_points(options)
    largest = most / 1000 if options.reward == "scaled" else float(most)
    return -largest, largest


GAME = Game(
    name="bridge",
    version=0,
    title="Bridge",
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
    teams=lambda options: ((0, 2), (1, 3)),
    joker_kinds=True,
    private=("hand",),
)
