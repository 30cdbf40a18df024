"""Search during rollouts: some of the learner's decisions are searched, and the policy is trained towards the results.

A search tries several actions of a decision, all in the same determinizations: games that the seat cannot distinguish from the
true one, drawn by the game's `determinize`. With one determinization it is the true game, which over many games is a fair
sample as well, and also reflects what the others' play reveals of their cards; the policy sees none of it. The game is played
on after each action, by the current policy or the rule-based agent, with the same random numbers. The tried actions include
that player's own choice, which is then played in the actual game. The training target: differences of logits equal differences
of returns, divided by a temperature. So the network averages the noise of single rollouts over positions that look alike to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..agents.network import (
    Workspace,
    action_at,
    append_inputs,
    append_nonzeros,
    decision_probs,
    decision_value,
    list_actions,
    move,
    network_action,
)
from ..envs.core.game import as_records
from ..envs.core.jit import arithmetic
from ..envs.core.kernels import determinize_games, only_choice, reseed_for_sample
from ..envs.core.rng import GOLDEN, mix
from ..seats.opponents import PLAYS, UNDECIDED, Pool, experts_action, game_kernels, network_of, observe_others
from .gradient import UNTRIED, num_inputs

if TYPE_CHECKING:  # bound below
    advance: Any
    legal_actions: Any
    observe: Any
    other_policies: Any
    over: Any

SEARCHES = 12  # phase of a row: its decision is to be searched
_F0, _FIRST, _NEVER = np.float32(0), np.float32(2), np.float32(-1)  # the last two are above and below all probabilities


class Plan(NamedTuple):
    """How decisions are searched.

    Attributes:
        share: the fraction of the learner's decisions that are searched.
        determinizations, actions: their maximal numbers. One determinization: the true game.
        code: the code in the pool of the rollout policy. Its own choice is always tried.
        depth: rollouts end with the critic's value after this many further decisions of the seat; 0: at the end of the game.
        only: uint8 [A], which other actions may be tried.
    """

    share: float
    determinizations: int
    actions: int
    code: int
    depth: int
    only: np.ndarray


NOTHING = Plan(0.0, 1, 2, -1, 0, np.zeros(0, np.uint8))


class SearchWorkspace(NamedTuple):
    """A thread's working memory."""

    network: Workspace
    others: np.ndarray  # float32 [D]
    hidden: np.ndarray  # float32 [H]
    games: np.ndarray  # records [2]: a determinization, and a copy that is played on
    seeds: np.ndarray  # uint64 [1, 2]
    scores: np.ndarray  # float32 [A], by which the actions to try are chosen
    legal: np.ndarray  # int64 [A]
    chosen: np.ndarray  # int64 [actions]
    returns: np.ndarray  # float32 [actions, determinizations]


class Search(NamedTuple):
    """The arguments of a search: `Seats` and `Rollout` of the games, the plan, and working memory."""

    seats: Any
    run: Any
    plan: Plan
    workspace: SearchWorkspace


@arithmetic
def team_mean(amounts, seat, team_of):
    """The amount credited to a seat: the mean of its team."""
    total, mates = 0.0, 0
    for other in range(team_of.shape[0]):
        if team_of[other] == team_of[seat]:
            total += amounts[other]
            mates += 1
    return total / mates


def players_action(state, observation, expert_action, mask, noise, search):
    """The action of the rollout policy."""
    code, pool = search.plan.code, search.run.pool
    if code >= pool.weights.shape[0]:
        return np.int64(other_policies(code, observation, mask, np.int64(state.num_players), noise))
    net, workspace = network_of(pool, code), search.workspace.network
    return network_action(net, pool.greedy[code], observation, expert_action, mask, noise, workspace)


def critics_value(state, player, observation, mask, expert_action, search):
    """The critic's value for the player to move."""
    workspace, policy, critic = search.workspace, search.run.nets.policy, search.run.nets.critic
    index, value, scratch = workspace.network.indices, workspace.network.values, workspace.network.scratch
    observe_others(state, player, search.seats.blocks, workspace.others, workspace.hidden)
    end, rotation = append_inputs(policy, observation, expert_action, index, value, 0)
    used = append_nonzeros(workspace.hidden, 0, workspace.hidden.shape[0], policy.sizes[0], index, value, end)
    if rotation > 0:
        move(critic.rotations.inputs[rotation], index[end:], used - end)
    legal = workspace.network.legal
    return decision_value(critic, index, value, used, legal, list_actions(mask, legal), scratch)


def rollout(game, seat, action, noise, observation, mask, search):
    """The seat's return from now on if it plays this action, estimated by one rollout."""
    plan, config = search.plan, search.run.config
    total, decisions = _F0, 0
    while True:
        advance(game, action)
        total += config.reward_scale * np.float32(team_mean(game.rewards, seat, config.team_of))
        if over(game):
            return total
        mask[:] = 0
        legal_actions(game, mask)
        action = np.int64(only_choice(mask))
        if action < 0:
            player = np.int64(game.current_player)
            observation[:] = 0
            observe(game, player, observation)
            noise += GOLDEN
            bits, expert_action = mix(noise), np.int64(-1)
            decisions += player == seat
            ends = player == seat and decisions == plan.depth
            if ends or plan.code < search.run.pool.weights.shape[0]:
                expert_action = experts_action(game, observation, mask, bits, search.seats)
            if ends:
                return total + critics_value(game, player, observation, mask, expert_action, search)
            action = players_action(game, observation, expert_action, mask, bits, search)


def try_actions(state, noise, legal, count, observation, mask, search):
    """Try each of the chosen actions in the same determinizations; writes the seat's returns into `workspace.returns`."""
    seat, workspace = np.int64(state.current_player), search.workspace
    games, seeds = workspace.games, workspace.seeds
    for d in range(search.plan.determinizations):
        games[0] = state
        for k in range(2):
            noise += GOLDEN
            seeds[0, k] = mix(noise)
        if search.plan.determinizations > 1:
            determinize_games(games[:1], seat, seeds)
        else:
            reseed_for_sample(games[0], seeds[0])
        for k in range(count):
            games[1] = games[0]
            action = np.int64(legal[workspace.chosen[k]])
            workspace.returns[k, d] = rollout(games[1], seat, action, noise, observation, mask, search)
        noise = mix(noise)


def search_decision(state, i, decision, observation, mask, search):
    """Search a decision if there are other actions to try than the rollout policy's, and store the policy's targets with the
    legal actions. Returns the rollout policy's action, which continues the game, or UNDECIDED: the policy then chooses, and PPO
    learns from its choice."""
    seats, run, plan, workspace = search.seats, search.run, search.plan, search.workspace
    scratch, policy, noise = workspace.network.scratch, run.nets.policy, mix(seats.noise[i])
    index, value, num_legal = run.buffer.indices[i], run.buffer.values[i], np.int64(decision.num_legal)
    begin = decision.offset + num_inputs(decision, True)
    legal, seen = workspace.legal, index[begin:]
    for k in range(num_legal):
        legal[k] = action_at(policy.rotations, decision.rotation, seen[k])
    action, others = players_action(state, observation, seats.expert_action[i], mask, mix(noise), search), 0
    first, count = decision.offset, np.int64(decision.num_obs)
    decision_probs(policy, index[first:], value[first:], count, seen, num_legal, scratch)
    for k in range(num_legal):
        workspace.scores[k] = scratch.probs[k] if plan.only[legal[k]] else _NEVER
        if legal[k] == action:
            workspace.scores[k] = _FIRST
        elif plan.only[legal[k]]:
            others += 1
    if others == 0:
        return action if plan.share >= 1 else UNDECIDED
    count = likeliest(workspace.scores, num_legal, min(plan.actions, 1 + others), workspace.chosen)
    try_actions(state, noise, legal, count, observation, mask, search)
    teach(num_legal, workspace.chosen, workspace.returns, count, plan.determinizations, value[begin:])
    decision.searched = 1
    return action


def search_rows(states, rows, observation, mask, seats, run, plan, workspace):
    """Search the last decisions of the rows that are due for it."""
    search = Search(seats, run, plan, workspace)
    for r in range(rows.shape[0]):
        i = rows[r]
        if seats.status[i] == SEARCHES:
            seats.noise[i] += GOLDEN
            decision = run.buffer.decisions[i, run.state.counts[i] - 1]
            action = search_decision(states[i], i, decision, observation[i], mask[i], search)
            if action != UNDECIDED:
                seats.actions[i] = action
            seats.status[i] = PLAYS


@arithmetic
def likeliest(scores, count, most, chosen):
    """Write the indices of the at most `most` likeliest actions into `chosen`, likeliest first; returns their number."""
    number = min(count, most)
    for k in range(number):
        best = -1
        for place in range(count):
            taken = False
            for earlier in range(k):
                taken = taken or chosen[earlier] == place
            if not taken and (best < 0 or scores[place] > scores[best]):
                best = place
        chosen[k] = best
    return number


@arithmetic
def teach(count, chosen, returns, number, determinizations, taught):
    """The targets of a decision with `count` legal actions: for each chosen action its mean return minus the mean over all
    chosen ones, from `returns` [number, determinizations]; `UNTRIED` for the others."""
    mean = 0.0
    for k in range(number):
        for d in range(determinizations):
            mean += np.float64(returns[k, d]) / (number * determinizations)
    for place in range(count):
        taught[place] = UNTRIED
    for k in range(number):
        total = 0.0
        for d in range(determinizations):
            total += np.float64(returns[k, d])
        taught[chosen[k]] = np.float32(total / determinizations - mean)


_KERNELS = (
    *(experts_action, players_action, critics_value, rollout, try_actions, search_decision, search_rows),
    *(observe_others, determinize_games, reseed_for_sample),
)


def search_kernel(pool: Pool) -> Any:
    """`search_rows` for a pool's game and policies; compiled only if decisions are searched."""
    return game_kernels(pool.game, pool.extra, _KERNELS)["search_rows"]


def make_search_workspace(pool: Pool, network: Workspace, plan: Plan, observation_size: int, hidden: int) -> SearchWorkspace:
    """The working memory of one thread; the network's part may be shared with other code."""
    return SearchWorkspace(
        network=network,
        others=np.zeros(observation_size, np.float32),
        hidden=np.zeros(hidden, np.float32),
        games=as_records(np.zeros(2, pool.game.state)),
        seeds=np.zeros((1, 2), np.uint64),
        scores=np.zeros(len(plan.only), np.float32),
        legal=np.zeros(len(plan.only), np.int64),
        chosen=np.zeros(plan.actions, np.int64),
        returns=np.zeros((plan.actions, plan.determinizations), np.float32),
    )
