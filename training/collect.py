"""Rollouts of whole games in compiled code, with all decisions of the learner.

A row plays one game after another until it has collected its quota of decisions and its current game has ended. So a rollout
consists of whole games, every decision has its full return, and only a seed is carried from one rollout to the next. Forced
moves are played but not recorded.

The compiled kernel of a game (`seats.opponents`) advances the rows until a network must choose. The code in this module is
compiled once for all games: it chooses, records the learner's decisions, and finishes games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..agents.base import PolicyAgent
from ..agents.network import (
    action_at,
    action_probs,
    append_inputs,
    append_nonzeros,
    decision_probs,
    decision_value,
    draw,
    list_actions,
    make_workspace,
    move,
    output,
    place_of,
    scores_singly,
    unit,
)
from ..agents.views import BatchViews
from ..envs.core import kernels, memory
from ..envs.core.batch import Batch
from ..envs.core.game import Game, Options, as_records
from ..envs.core.jit import arithmetic
from ..envs.core.rng import GOLDEN, mix
from ..seats.opponents import NOT_COMPILED, PLAYS, TERMINATED, UNDECIDED, WAITS, Pool, PoolNetworks, answer
from .gradient import BLOCK, DECISION, Networks, RolloutBuffer, forward_block, num_inputs
from .search import NOTHING, SEARCHES, Plan, SearchWorkspace, make_search_workspace, search_kernel, team_mean
from .settings import Settings

ASKS, FULL, DONE = 10, 11, 13  # phases of a row, besides those of `seats.opponents`
_GAMES = 16  # limit of a row's games per decision of its quota: some games have hardly any decisions
_F0, _F1 = np.float32(0), np.float32(1)


class RowState(NamedTuple):
    """The state of the rows, besides `Seats`."""

    own_team: np.ndarray  # int64 [N], the team that the learner always plays
    last: np.ndarray  # int64 [N, P], a seat's last decision in this game, -1: none yet
    earned_before: np.ndarray  # float64 [N, P], the rewards of its team before that decision
    counts: np.ndarray  # int64 [N], number of decisions collected
    used: np.ndarray  # int64 [N], number of entries used
    results: np.ndarray  # float64 [N, pool, 2], against each of the pool: games won (a tie is half a win), and games played
    log: np.ndarray  # float64 [N, 3], games, the sum of the own team's returns, decisions both of what is learned and of others


class RolloutConfig(NamedTuple):
    """The settings of a rollout."""

    team_of: np.ndarray  # int64 [P]
    num_teams: int
    pool_probs: np.ndarray  # float64 [pool]
    quota: int
    reward_scale: np.float32
    room: int  # the maximal number of entries of a decision
    search_share: float
    frozen: int  # the place in the pool of who plays for the learner where nothing is learned, -1: nobody
    learned: np.ndarray  # uint8 [A], the actions that are learned


class Rollout(NamedTuple):
    """The arguments of choosing, recording and finishing."""

    state: RowState
    config: RolloutConfig
    buffer: RolloutBuffer
    nets: Networks
    pool: PoolNetworks


@arithmetic
def uniform(i, noise):
    """A random number from 0 to 1, from a row's own generator."""
    noise[i] += GOLDEN
    return unit(mix(noise[i]))


# --- finishing ---


@arithmetic
def seat_players(i, seats, state, config):
    """Draw the players of the next game: the learner for one team, members of the pool, by probability, for the others."""
    own = np.int64(uniform(i, seats.noise) * config.num_teams)
    state.own_team[i] = own
    for team in range(config.num_teams):
        seats.noise[i] += GOLDEN
        place = draw(config.pool_probs, config.pool_probs.shape[0], mix(seats.noise[i]))
        if team == own:
            place = seats.learner
        for seat in range(config.team_of.shape[0]):
            if config.team_of[seat] == team:
                seats.players[i, seat] = place


@arithmetic
def reward_last(i, seat, seats, state, config, decisions):
    """Reward a seat's last decision with what its team has earned since."""
    earned = team_mean(seats.earned[i], seat, config.team_of)
    if state.last[i, seat] >= 0:
        decisions[i, state.last[i, seat]].reward = config.reward_scale * np.float32(earned - state.earned_before[i, seat])
    state.earned_before[i, seat] = earned


@arithmetic
def finish_game(i, seats, state, config, decisions):
    """Reward the last decisions, count the results (the return of the learner's own team, and its wins against each opponent),
    and begin the next game unless the row has its quota."""
    team_of, own = config.team_of, 0.0
    for seat in range(team_of.shape[0]):
        reward_last(i, seat, seats, state, config, decisions)
        if team_of[seat] == state.own_team[i]:
            own = state.earned_before[i, seat]
    for seat in range(team_of.shape[0]):
        if team_of[seat] != state.own_team[i]:
            place, other = seats.players[i, seat], state.earned_before[i, seat]
            state.results[i, place, 0] += 0.5 if own == other else np.float64(own > other)
            state.results[i, place, 1] += 1
        state.last[i, seat] = -1
        seats.earned[i, seat] = 0
    state.log[i, 0] += 1
    state.log[i, 1] += own
    seat_players(i, seats, state, config)
    seats.actions[i] = UNDECIDED
    is_done = state.counts[i] >= config.quota or state.log[i, 0] >= _GAMES * config.quota
    seats.status[i] = DONE if is_done else PLAYS


# --- recording ---


@arithmetic
def append_observation(i, observation, seats, run, decision):
    """Append the policy's inputs and the additional inputs of the critic to a row's entries; returns their end."""
    index, value, inputs = run.buffer.indices[i], run.buffer.values[i], run.nets.policy.sizes[0]
    begin = run.state.used[i]
    end, rotation = append_inputs(run.nets.policy, observation, seats.expert_action[i], index, value, begin)
    decision.offset = begin
    decision.num_obs = end - begin
    hidden = seats.hidden[i]
    used = append_nonzeros(hidden, 0, hidden.shape[0], inputs, index, value, end)
    decision.num_critic_obs = used - end
    decision.rotation = rotation
    if rotation > 0:
        move(run.nets.critic.rotations.inputs[rotation], index[end:], used - end)
    return used


@arithmetic
def append_decision(i, player, observation, mask, seats, run, legal):
    """Append a decision to a row and link the seat's previous one to it; returns its column."""
    state, decisions, indices, values = run.state, run.buffer.decisions, run.buffer.indices[i], run.buffer.values[i]
    k = state.counts[i]
    state.counts[i] += 1
    decision = decisions[i, k]
    decision.seat = player
    decision.next = -1
    decision.searched = 0
    decision.log_prob = _F0
    decision.value = _F0
    reward_last(i, player, seats, state, run.config, decisions)
    decision.reward = _F0
    if state.last[i, player] >= 0:
        decisions[i, state.last[i, player]].next = k
    state.last[i, player] = k
    used = append_observation(i, observation, seats, run, decision)
    num_legal = list_actions(mask, legal)
    for n in range(num_legal):
        indices[used + n] = place_of(run.nets.policy.rotations, decision.rotation, legal[n])
        values[used + n] = _F0
    decision.num_legal = num_legal
    state.used[i] = used + num_legal
    return k


@arithmetic
def record_choice(i, k, seats, rotations, buffer):
    """Record the choice of an imitated agent as the teacher's."""
    decision = buffer.decisions[i, k]
    begin, choice, place = (
        decision.offset + num_inputs(decision, True),
        0,
        place_of(rotations, decision.rotation, seats.actions[i]),
    )
    while buffer.indices[i, begin + choice] != place:
        choice += 1
    decision.action_index = choice
    buffer.values[i, begin + choice] = _F1


# --- choosing ---


@arithmetic
def choose_actions(block, seats, run, scratch):
    """Choose the learner's actions in appended decisions, and record them with their log-probabilities, the critic's values and
    the teacher's probabilities."""
    buffer, nets, columns = run.buffer, run.nets, run.buffer.decisions.shape[1]
    offset = forward_policy(nets.policy, block, buffer, scratch)
    for row in range(block.shape[0]):
        i = block[row] // columns
        decision = buffer.decisions[i, block[row] % columns]
        row_probs(nets.policy, offset, row, i, decision, buffer, scratch)
        choice = draw(scratch.probs, np.int64(decision.num_legal), mix(seats.noise[i]))
        decision.action_index = choice
        decision.log_prob = scratch.log_probs[choice]
        place = buffer.indices[i, decision.offset + num_inputs(decision, True) + choice]
        seats.actions[i] = action_at(nets.policy.rotations, decision.rotation, place)
        is_searched = run.config.search_share > 0 and uniform(i, seats.noise) < run.config.search_share
        seats.status[i] = SEARCHES if is_searched else PLAYS
    if nets.teacher.weights.shape[0]:
        offset = forward_policy(nets.teacher, block, buffer, scratch)
        for row in range(block.shape[0]):
            i = block[row] // columns
            decision = buffer.decisions[i, block[row] % columns]
            row_probs(nets.teacher, offset, row, i, decision, buffer, scratch)
            begin = decision.offset + num_inputs(decision, True)
            for n in range(np.int64(decision.num_legal)):
                buffer.values[i, begin + n] = scratch.probs[n]
    note_values(nets.critic, block, buffer, scratch)


@arithmetic
def note_values(critic, block, buffer, scratch):
    """Record the critic's values of appended decisions."""
    columns = buffer.decisions.shape[1]
    offset = np.int64(0) if scores_singly(critic) else forward_block(critic, block, True, buffer, scratch)
    for row in range(block.shape[0]):
        i = block[row] // columns
        decision = buffer.decisions[i, block[row] % columns]
        if scores_singly(critic):
            index, value = buffer.indices[i, decision.offset :], buffer.values[i, decision.offset :]
            count, num_legal = num_inputs(decision, True), np.int64(decision.num_legal)
            decision.value = decision_value(critic, index, value, count, index[count:], num_legal, scratch)
        else:
            decision.value = output(critic, offset, np.int64(0), row, scratch)


@arithmetic
def forward_policy(net, block, buffer, scratch):
    """The hidden layers of a policy that scores all actions at once, for a block of decisions; returns as `hidden_layers`."""
    return np.int64(0) if scores_singly(net) else forward_block(net, block, False, buffer, scratch)


@arithmetic
def row_probs(net, offset, row, i, decision, buffer, scratch):
    """Compute the probabilities of a decision of the block after `forward_policy`."""
    legal, num_legal = buffer.indices[i, decision.offset + num_inputs(decision, True) :], np.int64(decision.num_legal)
    if scores_singly(net):
        index, value = buffer.indices[i, decision.offset :], buffer.values[i, decision.offset :]
        decision_probs(net, index, value, num_inputs(decision, False), legal, num_legal, scratch)
    else:
        action_probs(net, offset, legal, num_legal, row, scratch)


@arithmetic
def begin_decision(i, player, observation, mask, seats, run, legal):
    """Record a decision of the learner; returns its column, or -1 if the policy need not choose now."""
    buffer, used = run.buffer, run.state.used[i]
    if used + run.config.room > buffer.indices.shape[1] or run.state.counts[i] == buffer.decisions.shape[1]:
        seats.status[i] = FULL
        return -1
    if seats.actions[i] == UNDECIDED and seats.codes[seats.learner] == NOT_COMPILED:
        seats.status[i] = ASKS
        return -1
    k = append_decision(i, player, observation, mask, seats, run, legal)
    if seats.actions[i] == UNDECIDED:
        return k
    record_choice(i, k, seats, run.nets.policy.rotations, buffer)
    seats.status[i] = PLAYS
    return -1


@arithmetic
def legal_parts(mask, learned):
    """Whether actions that are learned are legal, and whether others are."""
    one, other = np.uint8(0), np.uint8(0)
    for action in range(mask.shape[0]):
        one |= mask[action] & learned[action]
        other |= mask[action] & ~learned[action]
    return one > 0, other > 0


@arithmetic
def serve_rows(rows, observation, mask, current_player, seats, run, workspace, block):
    """Finish the games that have ended, and make the choices of networks that are possible here; returns the number of rows
    that continue. `block` is scratch memory for decisions' positions."""
    columns, waiting = run.buffer.decisions.shape[1], 0
    for r in range(rows.shape[0]):
        i = rows[r]
        if seats.status[i] == WAITS:
            player = current_player[i]
            place = seats.players[i, player]
            if place >= seats.learner and run.config.frozen >= 0:
                learned, others = legal_parts(mask[i], run.config.learned)
                run.state.log[i, 2] += learned and others
                place = place if learned else np.int64(run.config.frozen)
            if place == seats.learner:
                k = begin_decision(i, player, observation[i], mask[i], seats, run, workspace.legal)
                if k >= 0:
                    block[waiting] = i * columns + k
                    waiting += 1
            elif seats.actions[i] != UNDECIDED:
                seats.status[i] = PLAYS
            elif seats.codes[place] != NOT_COMPILED:
                answer(i, seats.codes[place], observation, mask, seats, run.pool, workspace)
            else:
                seats.status[i] = ASKS
        elif seats.status[i] >= TERMINATED and seats.status[i] < ASKS:
            finish_game(i, seats, run.state, run.config, run.buffer.decisions)
        if waiting == block.shape[0] or (waiting and r == rows.shape[0] - 1):
            choose_actions(block[:waiting], seats, run, workspace.scratch)
            waiting = 0
    going_on = 0
    for r in range(rows.shape[0]):
        going_on += seats.status[rows[r]] == PLAYS or seats.status[rows[r]] == SEARCHES
    return going_on


@dataclass
class Games:
    """The data of a rollout.

    Attributes:
        buffer: [N, K] decisions and their entries, see `gradient`; valid until the next rollout.
        counts: int64 [N], the number of decisions of each row.
        games: the number of games played.
        mean_return: the mean return of the learner's own team, in the game's unit.
        results: float64 [pool, 2], per opponent: games that the learner won (a tie is half a win), and games played.
    """

    buffer: RolloutBuffer
    counts: np.ndarray
    games: int
    mean_return: float
    results: np.ndarray

    def order(self) -> np.ndarray:
        """int64, the position of every decision in the flattened `decisions`."""
        columns = self.buffer.decisions.shape[1]
        return np.concatenate([row * columns + np.arange(count) for row, count in enumerate(self.counts)])

    def of(self, field: str, order: np.ndarray) -> np.ndarray:
        """A field of some decisions."""
        return self.buffer.decisions.reshape(-1)[field][order]


class Collector:
    """Plays rollouts.

    Args:
        game, options: the game.
        settings: `num_envs` games are played in parallel (agents that are not compiled are asked for all of them in one batch)
            on `threads`, each for at least `rollout_steps` decisions and to its end.
        private: observation blocks of the other seats that the critic also gets (none: it gets the policy's observation).
        expert: the expert of the networks, the learner's included (see `LearnedAgent`).
        history: the number of history tokens kept for agents that need them.
        more_inputs: the number of the policy's inputs between the observation and the expert's action.
        learned: bool [A], the actions that are learned (None: all); a network at the end of the pool plays the others.

    Attributes:
        policy_inputs, critic_inputs: the number of their inputs.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        settings: Settings,
        private: tuple[str, ...],
        expert: PolicyAgent | None = None,
        history: int = 0,
        more_inputs: int = 0,
        learned: np.ndarray | None = None,
    ) -> None:
        self.quota, self.learned = settings.rollout_steps, learned
        self.batch = Batch(game, options, settings.num_envs, 0, settings.threads, history)
        self.team_of = game.team_of(options)
        slices = game.observation.slices(options.num_players)
        self.blocks = np.array([(slices[name].start, slices[name].stop) for name in private], np.int64).reshape(-1, 2)
        self._hidden = int((self.blocks[:, 1] - self.blocks[:, 0]).sum()) * (options.num_players - 1)
        self.expert = None if expert is None else expert.policy
        self.policy_inputs = self.batch.observation_size + self.batch.num_actions * (expert is not None) + more_inputs
        self.critic_inputs = self.policy_inputs + self._hidden
        self._room = self.critic_inputs + self.batch.num_actions  # the maximal number of entries of a decision
        self.buffer = self._buffer(self.quota + 64, 64 * (self.quota + 64) + self._room)

    def _buffer(self, decisions: int, entries: int) -> RolloutBuffer:
        """A buffer for this number of decisions and entries per row."""
        rows = len(self.batch)
        memory.check("the rollout buffer", rows * (decisions * DECISION.itemsize + 8 * entries))
        records = as_records(np.zeros((rows, decisions), DECISION))
        return RolloutBuffer(records, np.zeros((rows, entries), np.int32), np.zeros((rows, entries), np.float32))

    def _grow(self) -> None:
        """Double the size of the buffer and keep its content."""
        before = self.buffer
        self.buffer = self._buffer(2 * before.decisions.shape[1], 2 * before.indices.shape[1])
        for new, old in zip(self.buffer, before, strict=True):
            new[:, : old.shape[1]] = old

    def collect(
        self,
        pool: Pool,
        pool_probs: np.ndarray,
        learner: int,
        nets: Networks,
        reward_scale: float,
        seed: int,
        plan: Plan = NOTHING,
    ) -> Games:
        """Play a rollout.

        Args:
            pool: the players. The decisions of the one at `learner` are recorded; if it is a network, the policy replaces it.
            pool_probs: float64 [pool], each one's probability of being drawn for a team other than the learner's own.
            reward_scale: the factor of rewards.
            seed: the seed of deals, seats and players.
            plan: which of the learner's decisions are searched, and how.

        Raises:
            ValueError: an agent chose an illegal action, or there were no decisions.
        """
        batch, rows, players, batch_views = self.batch, len(self.batch), self.batch.num_players, BatchViews(self.batch)
        batch.reset(seed)
        rng = np.random.default_rng(seed)
        seats = pool.seats(batch, seed)._replace(
            codes=pool.codes_with(self.expert),
            learner=learner,
            expert=pool.code_of(self.expert),
            blocks=self.blocks,
            hidden=np.zeros((rows, self._hidden), np.float32),
        )
        state = RowState(
            own_team=np.zeros(rows, np.int64),
            last=np.full((rows, players), -1),
            earned_before=np.zeros((rows, players)),
            counts=np.zeros(rows, np.int64),
            used=np.zeros(rows, np.int64),
            results=np.zeros((rows, len(pool), 2)),
            log=np.zeros((rows, 3)),
        )
        kept = self.quota, np.float32(reward_scale), self._room, plan.share
        frozen = -1 if self.learned is None else len(pool) - 1
        learned = np.zeros(0, np.uint8) if self.learned is None else self.learned.astype(np.uint8)
        config = RolloutConfig(self.team_of, int(self.team_of.max()) + 1, pool_probs, *kept, frozen, learned)
        for row in range(rows):
            seat_players(row, seats, state, config)
        workspaces = [self._workspace(pool, nets, plan) for _ in range(batch.threads)]
        while (seats.status != DONE).any():
            run = Rollout(state, config, self.buffer, nets, pool.networks)
            batch.drive(_play_chunk, np.flatnonzero(seats.status != DONE), seats, run, pool, plan, workspaces)
            if (seats.status == FULL).any():
                self._grow()
            asking = np.flatnonzero(seats.status == ASKS)
            if asking.size:
                places = seats.players[asking, batch.current_player[asking]]
                batch_views.games[:] = state.log[:, 0]
                seats.actions[asking] = pool.actions(batch_views, asking, places, rng)
                if kernels.first_illegal(asking, seats.actions[asking], batch.action_mask) >= 0:
                    raise ValueError(f"one of {', '.join(agent.name for agent in pool.agents)} chose an illegal action")
            seats.status[(seats.status == FULL) | (seats.status == ASKS)] = WAITS
        if state.log[:, 2].any():
            raise ValueError(f"learn_only: in {batch.game.id} these actions and others are legal together")
        if not state.counts.any():
            raise ValueError(f"there is nothing to learn: {batch.game.id} with these options has only forced moves")
        games = int(state.log[:, 0].sum())
        return Games(self.buffer, state.counts, games, float(state.log[:, 1].sum()) / games, state.results.sum(axis=0))

    def _workspace(self, pool: Pool, nets: Networks, plan: Plan) -> tuple[SearchWorkspace, np.ndarray]:
        """A thread's working memory."""
        network = make_workspace(*nets[:2], *pool.nets, block=BLOCK)
        workspace = make_search_workspace(pool, network, plan, self.batch.observation_size, self._hidden)
        return workspace, np.zeros(BLOCK, np.int64)


def _play_chunk(states: Any, template: Any, rows: Any, *views_and_rollout: Any) -> None:
    """Play rows until each is done, waits for an answer, or needs a larger buffer."""
    observation, mask, player, told, seats, run, pool, plan, workspaces = views_and_rollout
    workspace, block = workspaces.pop()
    going_on = True
    while going_on:
        pool.play_rows(states, template, rows, observation, mask, player, told, seats, workspace.others)
        going_on = serve_rows(rows, observation, mask, player, seats, run, workspace.network, block)
        if plan.share and (seats.status[rows] == SEARCHES).any():
            search_kernel(pool)(states, rows, observation, mask, seats, run, plan, workspace)
    workspaces.append((workspace, block))
