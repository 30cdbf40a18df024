"""Search while games are collected: some of the learner's decisions are looked into, and the policy is taught what is found.

Of such a decision some actions are tried, all in the same worlds: games that the seat cannot tell from the true one,
drawn by the game's own `determinize`, or the true one alone (over many games a fair draw, too, which knows what the others'
play tells of their cards; the policy sees none of it). Each is played on, by the policy as it is or by the rules, with the same
luck. What that player would do is among them, and so the game itself goes on. The policy is taught what they
brought: its logits are to differ as the returns do, over a temperature. So what one playout says by chance is averaged over all
positions that look alike to the network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..envs.core.jit import arithmetic
from ..envs.core.kernels import determinize_games, only_choice, reseed_for_sample
from ..envs.core.rng import GOLDEN, mix
from .gradient import UNTRIED

if TYPE_CHECKING:  # bound below
    advance: Any
    ask_advice: Any
    critics_value: Any
    legal_actions: Any
    observe: Any
    opponents_action: Any
    over: Any

_F0 = np.float32(0)


class Plan(NamedTuple):
    """How decisions are searched.

    Attributes:
        share: of the learner's decisions that are.
        worlds, actions: how many, at most. One world: the true one.
        code: in the pool, of who plays on. What that player would do is tried in any case.
        depth: playouts end at so many further decisions of the seat, with what the critic expects; 0: at the end of the game.
        only: uint8 [A], which other actions are tried.
    """

    share: float
    worlds: int
    actions: int
    code: int
    depth: int
    only: np.ndarray


NOTHING = Plan(0.0, 1, 2, -1, 0, np.zeros(0, np.uint8))


def teams_share(state, seat, team_of):
    """What a move brought a seat: the mean of its team."""
    amount, mates = _F0, 0
    for other in range(team_of.shape[0]):
        if team_of[other] == team_of[seat]:
            amount += state.rewards[other]
            mates += 1
    return np.float32(amount / mates)


def play_on(world, seat, action, luck, seating, pool, critic, observation, mask, desk):
    """What the seat gets from now on if it plays this action: an estimate by one playout."""
    plan = seating.plan
    total, decisions = _F0, 0
    while True:
        advance(world, action)
        total += seating.scale * teams_share(world, seat, seating.team_of)
        if over(world):
            return total
        mask[:] = 0
        legal_actions(world, mask)
        action = np.int64(only_choice(mask))
        if action < 0:
            player = np.int64(world.current_player)
            observation[:] = 0
            observe(world, player, observation)
            decisions += player == seat
            ends = player == seat and decisions == plan.depth
            luck += GOLDEN
            bits = mix(luck)
            seen = observation
            of_network = ends or plan.code < pool[0].shape[0]
            if of_network and ask_advice(world, observation, mask, bits, seating, desk):
                seen = desk.seen
            if ends:
                return total + critics_value(world, player, seen, seating.blocks, critic, desk)
            action = opponents_action(world, plan.code, pool, seen, mask, bits, desk)


def search(state, luck, actions, number, seating, pool, critic, observation, mask, desk):
    """Play on from each of some actions in the same worlds; `desk.returns` [action, world] is what the seat got."""
    seat, worlds, seeds = np.int64(state.current_player), desk.worlds, desk.seeds
    for w in range(seating.plan.worlds):
        worlds[0] = state
        for k in range(2):
            luck += GOLDEN
            seeds[0, k] = mix(luck)
        if seating.plan.worlds > 1:
            determinize_games(worlds[:1], seat, seeds)
        else:
            reseed_for_sample(worlds[0], seeds[0])
        for k in range(number):
            worlds[1] = worlds[0]
            action = np.int64(actions[desk.chosen[k]])
            desk.returns[k, w] = play_on(worlds[1], seat, action, luck, seating, pool, critic, observation, mask, desk)
        luck = mix(luck)


@arithmetic
def likeliest(chances, count, most, chosen):
    """The places of the likeliest choices, at most so many, into `chosen`, the likeliest first; returns their number."""
    number = min(count, most)
    for k in range(number):
        best = -1
        for place in range(count):
            taken = False
            for earlier in range(k):
                taken = taken or chosen[earlier] == place
            if not taken and (best < 0 or chances[place] > chances[best]):
                best = place
        chosen[k] = best
    return number


@arithmetic
def teach(count, chosen, returns, number, worlds, taught):
    """What the policy is taught of a decision with `count` choices: of each chosen one how much more than the mean of them it
    brought, by `returns` [number, worlds]; nothing of the others (`UNTRIED`)."""
    mean = 0.0
    for k in range(number):
        for w in range(worlds):
            mean += np.float64(returns[k, w]) / (number * worlds)
    for place in range(count):
        taught[place] = UNTRIED
    for k in range(number):
        total = 0.0
        for w in range(worlds):
            total += np.float64(returns[k, w])
        taught[chosen[k]] = np.float32(total / worlds - mean)


KERNELS = (teams_share, play_on, search, determinize_games, reseed_for_sample)
