"""Search while games are collected: some of the learner's decisions are looked into, and the policy is taught what is found.

Of such a decision the likeliest actions are tried, all in the same worlds: games that the seat cannot tell from the true one,
drawn by the game's own `determinize`. Each is played on, by the policy as it is or by the rules, with the same luck. What the
policy is taught is itself, shifted towards the actions that brought more, as far as the differences stand out from the noise.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..envs.core.drivers import determinize_games, forget, only_choice
from ..envs.core.kernel import arithmetic
from ..envs.core.rng import GOLDEN, mix

if TYPE_CHECKING:  # bound below
    advance: Any
    critics_value: Any
    legal_actions: Any
    observe: Any
    opponents_action: Any
    over: Any

_FARTHEST = np.float32(30)  # that a likelihood's logarithm moves
_LEAST = 1e-6  # error, so that no rounding stands out where there is no noise
_F0 = np.float32(0)


class Plan(NamedTuple):
    """How decisions are searched.

    Attributes:
        share: of the learner's decisions that are.
        worlds, actions: how many, at most.
        code: in the pool, of who plays on.
        depth: playouts end at so many further decisions of the seat, with what the critic expects; 0: at the end of the game.
        temperature: see `teach`.
    """

    share: float
    worlds: int
    actions: int
    code: int
    depth: int
    temperature: np.float32


NOTHING = Plan(0.0, 2, 2, -1, 0, np.float32(1))


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
            if player == seat and decisions == plan.depth:
                return total + critics_value(world, player, observation, seating.blocks, critic, desk)
            luck += GOLDEN
            action = opponents_action(world, plan.code, pool, observation, mask, mix(luck), desk)


def search(state, luck, actions, number, seating, pool, critic, observation, mask, desk):
    """Play on from each of some actions in the same worlds; `desk.returns` [action, world] is what the seat got."""
    seat, worlds, seeds = np.int64(state.current_player), desk.worlds, desk.seeds
    for w in range(seating.plan.worlds):
        worlds[0] = state
        for k in range(2):
            luck += GOLDEN
            seeds[0, k] = mix(luck)
        determinize_games(worlds[:1], seat, seeds)
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
def teach(logs, chances, count, chosen, returns, number, worlds, temperature, taught):
    """What the policy is taught of a decision: itself (`chances` and their logarithms, of `count` choices), the logarithm of
    each chosen action shifted by how much more than expected it brought, in standard errors, over the temperature.

    The noise is that of `returns` [number, worlds] around the means of actions and of worlds: what the cards of a world are
    worth is common to all actions.
    """
    mean, expected, known = 0.0, 0.0, 0.0
    for k in range(number):
        total = 0.0
        for w in range(worlds):
            total += np.float64(returns[k, w])
        mean += total / (number * worlds)
        expected += np.float64(chances[chosen[k]]) * total / worlds
        known += np.float64(chances[chosen[k]])
    expected /= known
    squares = 0.0
    for w in range(worlds):
        of_world = 0.0
        for k in range(number):
            of_world += np.float64(returns[k, w]) / number
        for k in range(number):
            of_action = 0.0
            for other in range(worlds):
                of_action += np.float64(returns[k, other]) / worlds
            squares += (returns[k, w] - of_action - of_world + mean) ** 2
    error = math.sqrt(squares / ((number - 1) * (worlds - 1)) / worlds)
    for place in range(count):
        taught[place] = logs[place]
    for k in range(number):
        total = 0.0
        for w in range(worlds):
            total += np.float64(returns[k, w])
        shift = np.float32((total / worlds - expected) / (temperature * error + _LEAST))
        taught[chosen[k]] += min(max(shift, -_FARTHEST), _FARTHEST)
    highest = taught[0]
    for place in range(count):
        highest = max(highest, taught[place])
    total = 0.0
    for place in range(count):
        taught[place] = np.float32(math.exp(taught[place] - highest))
        total += taught[place]
    for place in range(count):
        taught[place] = np.float32(taught[place] / total)


DRIVERS = (teams_share, play_on, search, determinize_games, forget)
