"""Gin against bots of other libraries: OpenSpiel's simple bot and RLCard's novice, reimplemented.

python -m wilddeck.benchmarks.studies.gin_bots [rules trained ...] [--deals 10000] [--seed 1]

The games use the standard deck and default options, which are the rules of OpenSpiel's `gin_rummy`. The simple bot takes an
upcard that lets it knock or is in a meld of the best arrangement, discards the highest card outside it, and knocks as soon as
possible. It makes no lay-offs, and against gin no melds either, so its whole hand counts. The novice chooses randomly between
upcard and stock, knocks as soon as possible, and discards a random card among those that leave the least deadwood. It was
written for rules without a first upcard and without lay-offs: it decides randomly about the former and makes no lay-offs.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ... import agents, envs
from ...agents.base import Policy, PolicyAgent
from ...agents.play import Evaluation, evaluate
from ...agents.rules.reading import one_hot, whole
from ...agents.rules.rummy import best_meld, compose_best, read_cards
from ...cli.arguments import Parser, integer
from ...cli.arguments import whole as whole_number
from ...envs.core.bits import count_bits, lowest_bit
from ...envs.core.cards import RANKS, STANDARD, SUITS
from ...envs.core.extended.sets import BIT, ONE, ZERO
from ...envs.core.jit import device_function
from ...envs.games.rummy.deadwood import UNBOUNDED, least_deadwood
from ...envs.games.rummy.melds import points_of_rank
from ...envs.games.rummy.state import DRAW_STOCK, KNOCK, MELD, OBSERVATION, PASS, TAKE_DISCARD

OPTIONS = {"variant": "gin", "deck": "standard"}
_HAND, _TOP, _SIZES, _PHASE, _GIN = OBSERVATION.places("hand", "top_discard", "sizes", "phase", "gin", num_players=2)
_COMPOSE, _DEFENCE_MELDS = _PHASE + 4, _PHASE + 9
_ACE_POINTS = 1
_95 = 1.96  # standard errors


# --- OpenSpiel's ---


@device_function
def simple(observation: Any, mask: Any, num_players: Any, noise: Any) -> Any:
    once, _, jokers = read_cards(observation, _HAND)
    upcard = BIT[max(one_hot(observation, _TOP, STANDARD), 0)]
    held, knock_card = once | upcard, whole(observation, _GIN, 10)
    if observation[_COMPOSE] > 0:
        return compose_best(observation, once, jokers)
    if mask[KNOCK]:
        if after_its_discard(held if mask[PASS] else once) <= knock_card:
            return np.int64(KNOCK)
        if mask[PASS]:
            return np.int64(PASS)
    if mask[TAKE_DISCARD] and (after_its_discard(held) <= knock_card or upcard & unmelded(held) == ZERO):
        return np.int64(TAKE_DISCARD)
    if mask[DRAW_STOCK]:
        return np.int64(DRAW_STOCK)
    if mask[MELD] and not (observation[_DEFENCE_MELDS] > 0 and observation[_SIZES + 1] == 0):
        return np.int64(MELD)
    if mask[PASS]:
        return np.int64(PASS)
    card = highest(unmelded(once))
    if card >= 0:
        return card
    return any_of(discards(mask), ZERO)  # any of them gives gin


@device_function
def unmelded(once: Any) -> Any:
    """The cards outside the arrangement that it considers: one with the least deadwood, groups before runs."""
    while True:
        meld = best_meld(once, 0, ZERO, 0)[0]
        if meld == ZERO:
            return once
        once &= ~meld


@device_function
def highest(cards: Any) -> Any:
    """The highest card, aces low, ties in the order spades, clubs, diamonds, hearts; -1 if there is none."""
    best, most = np.int64(-1), np.int64(-1)
    while cards != ZERO:
        place = lowest_bit(cards)
        height = SUITS * (((place >> 2) + 1) % RANKS) + ((place & 3) + 1) % SUITS
        if height > most:
            best, most = place, height
        cards &= cards - ONE
    return best


@device_function
def after_its_discard(once: Any) -> Any:
    """The deadwood without the highest unmelded card."""
    card = highest(unmelded(once))
    return least_deadwood(once, 0) - (points_of_rank(card >> 2, _ACE_POINTS) if card >= 0 else 0)


# --- RLCard's ---


@device_function
def novice(observation: Any, mask: Any, num_players: Any, noise: Any) -> Any:
    once, _, jokers = read_cards(observation, _HAND)
    if observation[_COMPOSE] > 0:
        return compose_best(observation, once, jokers)
    for action in (KNOCK, MELD):
        if mask[action]:
            return np.int64(action)
    if mask[TAKE_DISCARD] and noise & ONE:
        return np.int64(TAKE_DISCARD)
    for action in (DRAW_STOCK, PASS):
        if mask[action]:
            return np.int64(action)
    best, least = ZERO, UNBOUNDED
    rest = discards(mask)
    while rest != ZERO:
        bit = rest & (~rest + ONE)
        left = least_deadwood(once & ~bit, 0)
        if left <= least:
            best, least = bit | (best if left == least else ZERO), left
        rest ^= bit
    return any_of(best, noise)


@device_function
def discards(mask: Any) -> Any:
    cards = ZERO
    for card in range(STANDARD):
        if mask[card]:
            cards |= BIT[card]
    return cards


@device_function
def any_of(cards: Any, noise: Any) -> Any:
    for _ in range(noise % np.uint64(count_bits(cards))):
        cards &= cards - ONE
    return np.int64(lowest_bit(cards))


# --- against our players ---

BOTS: dict[str, Policy] = {"OpenSpiel's simple bot": simple, "RLCard's novice": novice}


def bot(name: str) -> PolicyAgent:
    game, options = envs.resolve("rummy_v0", OPTIONS)
    sizes = game.observation_size(options), game.num_actions(options)
    return PolicyAgent(name, BOTS[name], options.num_players, sizes)


def cell(result: Evaluation) -> str:
    """Points per deal with the 95 % interval, and the share of hands won (draws count half)."""
    return f"{result.mean:+.2f} ± {_95 * result.standard_error:.2f} ({result.win_rate:.1%})"


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.gin_bots", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("players", nargs="*", default=["rules", "trained"])
    parser.add_argument("--deals", type=whole_number(2, 1_000_000), default=10_000, help="each is played from both seats")
    parser.add_argument("--seed", type=integer, default=1)
    settings = parser.parse_args(arguments)
    with parser.refusing():
        game, options = envs.resolve("rummy_v0", OPTIONS)
        players = [agents.make(spec, game, options) for spec in settings.players]
        print(f"| | deals | {' | '.join(BOTS)} |\n|{' --- |' * (2 + len(BOTS))}")
        for player in players:
            results = [evaluate(player, bot(name), game, options, settings.deals, settings.seed) for name in BOTS]
            print(f"| {player.name} | {settings.deals:,} | {' | '.join(map(cell, results))} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
