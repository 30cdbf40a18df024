"""Whole games in compiled code, and all decisions of the agent that is learned from.

A row plays one game after another until it has collected its share of decisions and the game it is in has ended; so a
rollout consists of whole games, every decision has its consequences, and nothing but a seed is carried from one rollout to the
next. Moves without a choice are played and forgotten.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..agents.base import PolicyAgent
from ..agents.learned import LearnedAgent
from ..agents.network import advised, network_action
from ..envs.core import kernels, memory
from ..envs.core.batch import Batch, noise_counters
from ..envs.core.bits import lowest_bit
from ..envs.core.game import Game, Options, as_records
from ..envs.core.jit import bind, device_function, plain
from ..envs.core.kernels import eight_entries
from ..envs.core.rng import GOLDEN, mix
from ..seats.opponents import NOT_COMPILED, Pool, chain_of
from .gradient import DECISION, Net, forward, likelihoods, output, scratch
from .search import KERNELS as SEARCH
from .search import NOTHING, Plan, likeliest, search, teach, teams_share

if TYPE_CHECKING:  # bound below
    advance: Any
    legal_actions: Any
    observe: Any
    other_policies: Any
    over: Any
    restart_next: Any

_PLAYS, _ASKS, _FULL, _DONE = 0, 1, 2, 3  # what a row is at
_LEARNER = -2  # the code of the network that learns
_GAMES = 16  # of a row for each decision it is to collect, at most: there are games in which little is to be decided
_UNIT = 2.0**-53
_S11 = np.uint64(11)
_S3 = np.int64(3)
_BIT = np.uint64(1)
_F0, _F1 = np.float32(0), np.float32(1)
_ALWAYS, _NEVER = np.float32(2), np.float32(-1)  # beside likelihoods
_EIGHT = 8


class Table(NamedTuple):
    """What each row is at."""

    who: np.ndarray  # int64 [N, P], the place in the pool of who plays a seat
    own: np.ndarray  # int64 [N], the team that is the learner's in any case
    noise: np.ndarray  # uint64 [N], counters of the players' randomness
    last: np.ndarray  # int64 [N, P], a seat's last decision in this game, -1: none yet
    earned: np.ndarray  # float32 [N, P], in this game
    answers: np.ndarray  # int64 [N], of players that are not compiled
    status: np.ndarray  # int64 [N]
    counts: np.ndarray  # int64 [N], decisions collected
    used: np.ndarray  # int64 [N], entries used up
    results: np.ndarray  # float64 [N, pool, 2], games won against each of the pool (a tie is half a game), and all
    log: np.ndarray  # float64 [N, 2], games, and what the learner's own team got in them


class Seating(NamedTuple):
    """Who plays, and what is kept."""

    team_of: np.ndarray  # int64 [P]
    teams: int
    codes: np.ndarray  # int64 [pool]
    learner: int
    shares: np.ndarray  # float64 [pool]
    quota: int
    scale: np.float32
    blocks: np.ndarray  # int64 [B, 2], where the private blocks begin and end
    room: int  # that a decision takes at most
    adviser: int  # the code of who advises networks, NOT_COMPILED: nobody does
    plan: Plan  # of search


class Store(NamedTuple):
    """What is collected: see `gradient`."""

    decisions: np.ndarray  # DECISION [N, K]
    indices: np.ndarray  # int32 [N, E]
    values: np.ndarray  # float32 [N, E]


class Desk(NamedTuple):
    """A thread's working memory; `Collector` holds one whose arrays have a leading axis, a row's own each."""

    work: tuple  # see `gradient.scratch`
    legal: np.ndarray  # int32 [A]
    others: np.ndarray  # float32 [D]
    floats: np.ndarray  # of `network_action`, with places and scores
    places: np.ndarray
    scores: np.ndarray
    chances: np.ndarray  # float32 [A]; the rest is for search
    decision: np.ndarray  # DECISION [1], what the critic is shown, with indices and values
    indices: np.ndarray
    values: np.ndarray
    worlds: np.ndarray  # records [2]
    seeds: np.ndarray  # uint64 [1, 2]
    chosen: np.ndarray  # int64 [searched actions]
    returns: np.ndarray  # float32 [searched actions, worlds]
    seen: np.ndarray  # float32 [D + A], of networks that are advised


@device_function
def desk_of(spare, row):
    """A row's own working memory."""
    work = spare.work
    return Desk(
        (work[0][row], work[1][row], work[2][row], work[3][row], work[4][row], work[5][row]),
        spare.legal[row],
        spare.others[row],
        spare.floats[row],
        spare.places[row],
        spare.scores[row],
        spare.chances[row],
        spare.decision[row],
        spare.indices[row],
        spare.values[row],
        spare.worlds[row],
        spare.seeds[row],
        spare.chosen[row],
        spare.returns[row],
        spare.seen[row],
    )


@device_function
def keep_entries(observation, first, end, offset, indices, values, used):
    """Append the entries first..end-1 that are not zero; returns how many there are then."""
    at = first
    while at + 8 <= end:
        any_of = (abs(observation[at]) + abs(observation[at + 1]) + abs(observation[at + 2]) + abs(observation[at + 3])) + (
            abs(observation[at + 4]) + abs(observation[at + 5]) + abs(observation[at + 6]) + abs(observation[at + 7])
        )
        if any_of != _F0:
            for k in range(at, at + 8):
                indices[used] = offset + k - first
                values[used] = observation[k]
                used += np.int64(observation[k] != _F0)
        at += 8
    for k in range(at, end):
        indices[used] = offset + k - first
        values[used] = observation[k]
        used += np.int64(observation[k] != _F0)
    return used


@device_function
def pick(chances, count, noise):
    """A place drawn by these likelihoods."""
    rest = np.float64(noise >> _S11) * _UNIT
    k = 0
    while k < count - 1 and rest >= chances[k]:
        rest -= chances[k]
        k += 1
    return k


@device_function
def list_actions(mask, legal):
    """The legal actions, ascending, into `legal`; returns their number."""
    count = 0
    whole = mask.shape[0] - mask.shape[0] % _EIGHT
    for at in range(0, whole, _EIGHT):
        entries = eight_entries(mask, at)
        while entries:
            legal[count] = at + (lowest_bit(entries) >> _S3)
            count += 1
            entries &= entries - _BIT
    for at in range(whole, mask.shape[0]):
        legal[count] = at
        count += mask[at] != 0
    return count


@device_function
def chance(i, noise):
    """A number from 0 to 1 of a row's own randomness."""
    noise[i] += GOLDEN
    return np.float64(mix(noise[i]) >> _S11) * _UNIT


def seat_players(i, table, seating):
    """Draw who plays the next game: the learner as one team, and each other team by the shares of the pool."""
    noise = table.noise
    own = np.int64(chance(i, noise) * seating.teams)
    table.own[i] = own
    for team in range(seating.teams):
        noise[i] += GOLDEN
        place = seating.learner if team == own else pick(seating.shares, seating.shares.shape[0], mix(noise[i]))
        for seat in range(seating.team_of.shape[0]):
            if seating.team_of[seat] == team:
                table.who[i, seat] = place


def credit(i, state, table, seating, decisions):
    """What a move brought: a seat gets the mean of its team."""
    for seat in range(seating.team_of.shape[0]):
        amount = teams_share(state, seat, seating.team_of)
        table.earned[i, seat] += amount
        if table.last[i, seat] >= 0:
            decisions[i, table.last[i, seat]].reward += seating.scale * amount


def end_game(i, table, seating):
    """Count the results: for the log that of the learner's own team, and how it did against each opponent."""
    team_of, earned = seating.team_of, table.earned
    mine = _F0
    for seat in range(team_of.shape[0]):
        if team_of[seat] == table.own[i]:
            mine = earned[i, seat]
    for seat in range(team_of.shape[0]):
        if team_of[seat] != table.own[i]:
            place = table.who[i, seat]
            table.results[i, place, 0] += 0.5 if mine == earned[i, seat] else np.float64(mine > earned[i, seat])
            table.results[i, place, 1] += 1
        earned[i, seat] = 0
        table.last[i, seat] = -1
    table.log[i, 0] += 1
    table.log[i, 1] += mine


def keep_view(state, player, seen, others, blocks, decision, indices, values, used):
    """Append what a seat sees, and what the critic is shown besides: of each other seat, clockwise, the private blocks."""
    end = keep_entries(seen, 0, seen.shape[0], 0, indices, values, used)
    decision.at = used
    decision.seen = end - used
    more = end
    if blocks.shape[0]:
        players = np.int64(state.num_players)
        offset = seen.shape[0]
        for step in range(1, players):
            others[:] = 0
            observe(state, (player + step) % players, others)
            for k in range(blocks.shape[0]):
                more = keep_entries(others, blocks[k, 0], blocks[k, 1], offset, indices, values, more)
                offset += blocks[k, 1] - blocks[k, 0]
    decision.more = more - end
    return more


def ask_advice(state, observation, mask, noise, seating, desk):
    """Whether networks are advised; leaves what they see then in `desk.seen`."""
    if seating.adviser == NOT_COMPILED:
        return False
    expert = other_policies(seating.adviser, observation, mask, np.int64(state.num_players), mix(noise))
    advised(desk.seen, observation, np.int64(expert))
    return True


def opponents_action(state, code, pool, observation, mask, noise, desk):
    """What a player with compiled code does; -1 for the learner."""
    networks, sizes, layers, activation, greedy = pool
    if code == _LEARNER:
        return np.int64(-1)
    if code >= networks.shape[0]:
        return np.int64(other_policies(code, observation, mask, np.int64(state.num_players), noise))
    layout = sizes[code, : layers[code]]
    spare = desk.floats, desk.places, desk.scores
    return network_action(networks[code], layout, activation[code], greedy[code], observation, mask, noise, *spare)


def decide(decision, nets, indices, values, choices, number, noise, work):
    """The learner's choice: a place among the choices. Leaves how likely it was, what the critic expects, and the teacher's
    likelihoods."""
    policy, critic, teacher = nets
    logs, chances = work[5][0], work[5][1]
    seen, actions = np.int64(decision.seen), indices[choices:]
    index, value = indices[np.int64(decision.at) :], values[np.int64(decision.at) :]
    at = forward(policy, index, value, seen, work)
    likelihoods(policy, at, actions, number, 0, work)
    choice = pick(chances, number, noise)
    decision.likelihood = logs[choice]
    if teacher[0].shape[0]:
        at = forward(teacher, index, value, seen, work)
        likelihoods(teacher, at, actions, number, 0, work)
        for k in range(number):
            values[choices + k] = chances[k]
    at = forward(critic, index, value, seen + np.int64(decision.more), work)
    decision.value = output(critic, at, np.int64(0), 0, work)
    return choice


def critics_value(state, player, seen, blocks, critic, desk):
    """What the critic expects for a player that is to decide."""
    entries = desk.decision[0], desk.indices, desk.values
    end = keep_view(state, player, seen, desk.others, blocks, *entries, np.int64(0))
    at = forward(critic, desk.indices, desk.values, end, desk.work)
    return output(critic, at, np.int64(0), 0, desk.work)


def look_into(state, decision, choices, number, luck, seating, indices, values, nets, pool, seen, observation, mask, desk):
    """Search a decision, if there is something else to try than what the one who plays on would do, and put what the policy is
    taught of it beside the choices. Returns what that one would do, by which the game goes on; -1: by the policy's own choice,
    which PPO learns from."""
    plan, policy, critic = seating.plan, nets[0], nets[1]
    begin, legal = np.int64(decision.at), indices[choices:]
    at = forward(policy, indices[begin:], values[begin:], np.int64(decision.seen), desk.work)
    likelihoods(policy, at, legal, number, 0, desk.work)
    shown = seen if plan.code < pool[0].shape[0] else observation
    action, others = opponents_action(state, plan.code, pool, shown, mask, mix(luck), desk), 0
    for k in range(number):
        desk.chances[k] = desk.work[5][1, k] if plan.only[legal[k]] else _NEVER
        if legal[k] == action:
            desk.chances[k] = _ALWAYS
        elif plan.only[legal[k]]:
            others += 1
    if others == 0:
        return action if plan.share >= 1 else np.int64(-1)
    count = likeliest(desk.chances, number, min(plan.actions, 1 + others), desk.chosen)
    search(state, luck, legal, count, seating, pool, critic, observation, mask, desk)
    teach(number, desk.chosen, desk.returns, count, plan.worlds, values[choices:])
    decision.searched = 1
    return action


def note(i, player, table, decisions):
    """A new decision of a row, behind the seat's last."""
    last = table.last
    k = table.counts[i]
    table.counts[i] += 1
    decision = decisions[i, k]
    decision.seat = player
    decision.next = -1
    decision.searched = 0
    decision.likelihood = _F0
    decision.value = _F0
    decision.reward = _F0
    if last[i, player] >= 0:
        decisions[i, last[i, player]].next = k
    last[i, player] = k
    return k


def collect(states, template, rows, observation, mask, current_player, table, seating, store, nets, pool, spare):
    """Play each row until it has collected its share and its game is over, or it waits for an answer or for room."""
    noise, status, used, codes = table.noise, table.status, table.used, seating.codes
    decisions, indices, values = store.decisions, store.indices, store.values
    desk = desk_of(spare, rows[0])
    legal, plan, networks = desk.legal, seating.plan, pool[0].shape[0]
    for r in range(rows.shape[0]):
        i = rows[r]
        state = states[i]
        answered = status[i] == _ASKS
        status[i] = _PLAYS
        while status[i] == _PLAYS:
            player = np.int64(state.current_player)
            if not answered:
                mask[i, :] = 0
                legal_actions(state, mask[i])
            number = list_actions(mask[i], legal)
            action = np.int64(legal[0])
            if number > 1:
                place = table.who[i, player]
                if used[i] + seating.room > indices.shape[1] or table.counts[i] == decisions.shape[1]:
                    status[i] = _FULL
                    break
                if not answered:
                    observation[i, :] = 0
                    observe(state, player, observation[i])
                    if codes[place] == NOT_COMPILED:
                        status[i] = _ASKS
                        break
                    noise[i] += GOLDEN
                bits = mix(noise[i])
                action = table.answers[i]
                seen = observation[i]
                of_network = place == seating.learner or codes[place] < networks
                if of_network and ask_advice(state, observation[i], mask[i], bits, seating, desk):
                    seen = desk.seen
                if not answered:
                    action = opponents_action(state, codes[place], pool, seen, mask[i], bits, desk)
                if place == seating.learner:
                    decision = decisions[i, note(i, player, table, decisions)]
                    end = keep_view(state, player, seen, desk.others, seating.blocks, decision, indices[i], values[i], used[i])
                    for k in range(number):
                        indices[i, end + k] = legal[k]
                        values[i, end + k] = _F0
                    used[i] = end + number
                    decision.choices = number
                    if action < 0:
                        decision.choice = decide(decision, nets, indices[i], values[i], end, number, bits, desk.work)
                        if plan.share > 0 and chance(i, noise) < plan.share:
                            noise[i] += GOLDEN
                            entries = indices[i], values[i]
                            view = observation[i], mask[i]
                            luck = mix(noise[i])
                            action = look_into(
                                state, decision, end, number, luck, seating, *entries, nets, pool, seen, *view, desk
                            )
                    else:  # a player that is copied: it teaches
                        choice = 0
                        while legal[choice] != action:
                            choice += 1
                        decision.choice = choice
                        values[i, end + choice] = _F1
                    if action < 0:
                        action = np.int64(legal[np.int64(decision.choice)])
            answered = False
            advance(state, action)
            credit(i, state, table, seating, decisions)
            if over(state):
                end_game(i, table, seating)
                restart_next(states, i, template)
                seat_players(i, table, seating)
                if table.counts[i] >= seating.quota or table.log[i, 0] >= _GAMES * seating.quota:
                    status[i] = _DONE
        current_player[i] = state.current_player


def seat_all(states, template, rows, observation, mask, current_player, table, seating):
    for r in range(rows.shape[0]):
        seat_players(rows[r], table, seating)


_KERNELS = (
    seat_players,
    credit,
    end_game,
    keep_view,
    ask_advice,
    opponents_action,
    decide,
    critics_value,
    look_into,
    note,
    collect,
    seat_all,
)


@functools.cache
def _kernel(game: Game, more: tuple[Any, ...]) -> dict[str, Any]:
    chain, named, owner = chain_of(game, more)
    functions = {function.__name__: plain(function) for function in (*SEARCH, *_KERNELS)}
    return bind({**kernels.SHARED, **functions}, {**game.functions, "other_policies": chain, **named}, f"{owner}.collect")


@dataclass
class Games:
    """What a rollout collected.

    Attributes:
        decisions, indices, values: [N, K] and [N, E], see `gradient`; valid until the next rollout.
        counts: int64 [N], decisions of each row.
        games: how many were played to the end; mean_return: of the learner's own team, in the game's unit.
        results: float64 [pool, 2]: of each opponent the games that the learner won against it (a tie is half a game), and all.
    """

    decisions: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    games: int
    mean_return: float
    results: np.ndarray

    def order(self) -> np.ndarray:
        """int64, every decision by its place in `decisions`, flattened."""
        width = self.decisions.shape[1]
        return np.concatenate([row * width + np.arange(count) for row, count in enumerate(self.counts)])

    def of(self, field: str, order: np.ndarray) -> np.ndarray:
        """A field of some decisions."""
        return self.decisions.reshape(-1)[field][order]


class Collector:
    """Plays rollouts.

    Args:
        game, options: what is played.
        rows: games at once. They differ in nothing but their luck; agents that are not compiled are asked once for all.
        quota: decisions of each row, or some more, as games are played to their ends.
        private: blocks of the observation that the critic is shown of the other seats (none: it sees what the policy sees).
        threads: results do not depend on it.
        expert: who advises networks (see `LearnedAgent`), the learner's among them.

    Attributes:
        seen: how much the policy sees; inputs: how much the critic is shown.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        rows: int,
        quota: int,
        private: tuple[str, ...],
        threads: int,
        expert: PolicyAgent | None = None,
    ) -> None:
        self.batch = Batch(game, options, rows, 0, threads)
        self.quota = quota
        self.team_of = game.team_of(options)
        slices = game.observation.slices(options.num_players)
        self.blocks = np.array([(slices[name].start, slices[name].stop) for name in private], np.int64).reshape(-1, 2)
        extra = int((self.blocks[:, 1] - self.blocks[:, 0]).sum()) * (options.num_players - 1)
        self.expert = None if expert is None else expert.policy
        self.seen = self.batch.observation_size + (0 if expert is None else self.batch.num_actions)
        self.inputs = self.seen + extra
        self._room = self.inputs + self.batch.num_actions  # of one decision, at most
        self._hold(quota + 64, 64 * (quota + 64) + self._room)

    def _hold(self, decisions: int, entries: int) -> None:
        """Make room for so many in each row; what is there stays."""
        rows, old = len(self.batch), getattr(self, "_store", None)
        memory.check("what a rollout collects", rows * (decisions * DECISION.itemsize + 8 * entries))
        store = (
            np.zeros((rows, decisions), DECISION),
            np.zeros((rows, entries), np.int32),
            np.zeros((rows, entries), np.float32),
        )
        for new, before in zip(store, old or (), strict=False):
            new[:, : before.shape[1]] = before
        self._store = Store(as_records(store[0]), *store[1:])

    def collect(
        self,
        pool: Pool,
        shares: np.ndarray,
        learner: int,
        nets: tuple[Net, Net, Net],
        scale: float,
        seed: int,
        plan: Plan = NOTHING,
    ) -> Games:
        """Play a rollout.

        Args:
            pool: the players. The one at `learner` is learned from; if that is a network, the first of `nets` plays for it.
            shares: float64 [pool], how likely each is drawn for a team beside the learner's own.
            nets: the policy, the critic and the teacher; a teacher without weights is none.
            scale: rewards are multiplied by it.
            seed: of deals, seats and players.
            plan: which of the learner's decisions are searched, and how.

        Raises:
            ValueError: an agent's answer is not legal, or there was nothing to decide.
        """
        batch, rows, players = self.batch, len(self.batch), self.batch.num_players
        kernel = _kernel(batch.game, pool.more)
        batch.reset(seed)
        rng = np.random.default_rng(seed)
        codes = pool.codes_with(self.expert)
        if isinstance(pool.agents[learner], LearnedAgent):
            codes[learner] = _LEARNER
        who, last = np.zeros((rows, players), np.int64), np.full((rows, players), -1)
        own, answers, status, count, used = np.zeros((5, rows), np.int64)
        earned, results, log = np.zeros((rows, players), np.float32), np.zeros((rows, len(pool), 2)), np.zeros((rows, 2))
        noise = noise_counters(seed, rows)
        table = Table(who, own, noise, last, earned, answers, status, count, used, results, log)
        teams, kept = int(self.team_of.max()) + 1, (self.quota, np.float32(scale), self.blocks, self._room)
        seating = Seating(self.team_of, teams, codes, learner, shares, *kept, pool.code_of(self.expert), plan)
        spare = self._spare(nets, pool, plan)
        batch.drive(kernel["seat_all"], np.arange(rows), table, seating)
        while (status != _DONE).any():
            batch.drive(
                kernel["collect"], np.flatnonzero(status != _DONE), table, seating, self._store, nets, pool.networks, spare
            )
            if (status == _FULL).any():
                self._hold(2 * self._store[0].shape[1], 2 * self._store[1].shape[1])
            asking = np.flatnonzero(status == _ASKS)
            if asking.size:
                which = who[asking, batch.current_player[asking]]
                answers[asking] = pool.actions(which, batch.observation[asking], batch.action_mask[asking], rng)
                if kernels.first_illegal(asking, answers[asking], batch.action_mask) >= 0:
                    raise ValueError(f"one of {', '.join(agent.name for agent in pool.agents)} answered an illegal action")
        if not count.any():
            raise ValueError(f"there is nothing to learn: in {batch.game.id} with these options no move was a choice")
        games = int(log[:, 0].sum())
        return Games(*self._store, count, games, float(log[:, 1].sum()) / games, results.sum(axis=0))

    def _spare(self, nets: tuple[Net, Net, Net], pool: Pool, plan: Plan) -> Desk:
        """Working memory, of which a thread takes that of its first row."""
        rows, actions, room = len(self.batch), self.batch.num_actions, self._room if plan.share else 1
        width = max(int(pool.networks[1].max(initial=1)), actions)

        def made(dtype: Any, *shape: int) -> np.ndarray:
            return as_records(np.zeros((rows, *shape), dtype)) if np.dtype(dtype).names else np.zeros((rows, *shape), dtype)

        return Desk(
            work=tuple(made(array.dtype, *array.shape) for array in scratch(*nets[:2])),
            legal=made(np.int32, actions),
            others=made(np.float32, self.batch.observation_size),
            floats=made(np.float32, 2, width),
            places=made(np.int64, width),
            scores=made(np.float64, width),
            chances=made(np.float32, actions),
            decision=made(DECISION, 1),
            indices=made(np.int32, room),
            values=made(np.float32, room),
            worlds=made(self.batch.game.state, 2),
            seeds=made(np.uint64, 1, 2),
            chosen=made(np.int64, plan.actions),
            returns=made(np.float32, plan.actions, plan.worlds),
            seen=made(np.float32, self.seen),
        )
