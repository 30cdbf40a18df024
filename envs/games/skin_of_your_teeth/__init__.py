"""By The Skin of Your Teeth (Joker's Revenge): hide six piles, attack the others'; the last player with defensive cards wins.

3 to 12 players, 54-card decks with Jokers; one game or a tournament, and both of John McLeod's variants of who sees attacks.
Rules: docs/rules/skin_of_your_teeth.md (clauses ST-01 to ST-29).
"""

from __future__ import annotations

from ...core.cards import ALIKE_JOKERS, DECK_54, STANDARD
from ...core.game import Bounds, Game
from ...core.units import Unit, wins
from ...core.zones import ZoneRole
from .determinize import determinize
from .rules import begin, deal, legal_actions, step
from .state import ACTIONS, EVENTS, FIELDS, HAND, MAX_DECKS, MAX_POINTS, OBSERVATION, PILES, Options
from .view import describe, observe, subset_label, zones


def _deck(options: Options) -> list[int]:
    return list(range(DECK_54)) * options.decks


def _check_deck(options: Options, ids: list[int]) -> None:
    n = options.num_players
    for player in range(n):
        ordinary = sum(card < STANDARD for card in ids[player : HAND * n : n])
        if ordinary < PILES:
            raise ValueError(
                f"this deck deals player {player} only {ordinary} cards that are no Jokers; six piles need {PILES}"
            )


def _max_length(options: Options) -> int:
    """Six piles each; then every turn is two actions and discards a card at least, of 13 each."""
    piles = 0 if options.setup == "random" else PILES * options.num_players
    return options.games * (piles + 2 * HAND * options.num_players)


def _reward_range(options: Options) -> tuple[float, float]:
    return (0.0, float(MAX_POINTS)) if options.by_points else (-1.0, 1.0)


def _return_range(options: Options) -> tuple[float, float]:
    low, high = _reward_range(options)
    return options.games * low, options.games * high


GAME = Game(
    name="skin_of_your_teeth",
    title="By The Skin of Your Teeth",
    options=Options,
    fields=FIELDS,
    actions=ACTIONS,
    observation=OBSERVATION,
    functions=(deal, begin, legal_actions, step, observe, determinize),
    deck=_deck,
    describe=describe,
    zones=zones,
    zone_roles={
        "hand": ZoneRole.HAND,
        "defence": ZoneRole.ROW,
        "attack": ZoneRole.PLAYED,
        "discard": ZoneRole.HEAP,
        "undealt": ZoneRole.STOCK,
    },
    cards=ALIKE_JOKERS,
    labels={"subset": subset_label},
    deck_size=MAX_DECKS * DECK_54,
    unit=lambda options: Unit("point", form="count") if options.by_points else wins(options),
    bounds=Bounds(
        _max_length,
        reward_range=_reward_range,
        return_range=_return_range,
        reward_sum=lambda options: None if options.by_points else 0.0,
    ),
    check_deck=_check_deck,
    private=("slot_rank", "slot_suit", "slot_joker", "slot_pile", "pile_known", "pile_cards"),
    events=EVENTS,
    player="wilddeck.agents.rules.skin_of_your_teeth",
    page="docs/rules/skin_of_your_teeth.md",
    weights="agents/weights",
)
