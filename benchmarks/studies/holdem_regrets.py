"""An approximate equilibrium of heads-up hold'em by counterfactual regret minimisation. `holdem_network` makes an agent of it.

The betting is solved in a smaller game: all amounts are as in `poker_v0`, but only some raises are allowed (`_SIZES`), and
hands of a bucket (`holdem_hands`) are played alike. Positions with the same bets and numbers of raises are one node. After the
flop, nodes whose bets are alike beside the pot share their strategy (`_alike`). In a deal, all actions of one player are tried,
and one of the other's: external sampling (M. Lanctot and others, "Monte Carlo sampling for regret minimization in extensive
games", 2009), with linear weights (N. Brown, T. Sandholm, "Solving imperfect-information games via discounted regret
minimization", 2019). Players tremble, so that the strategy is sensible after mistakes, too.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np

from ...agents.network import unit
from ...envs.core.aec import CardGameEnv
from ...envs.core.bits import highest_bit, lowest_bit
from ...envs.core.cards import STANDARD
from ...envs.core.jit import arithmetic, kernel
from ...envs.core.rng import GOLDEN, mix
from ...envs.games.poker.state import ALL_IN, CALL, FOLD, RAISE, RAISE_SIZE
from .holdem_hands import BOARD, BUCKETS, HANDS, SETS, STREETS, HandBuckets

Numbers = np.ndarray
PLAYERS = 2
# Raises of the smaller game, by the number of raises so far on the street: of all sizes; then the smallest, of half the pot,
# the pot and twice the pot; then of the pot. All-in is always allowed.
_HALF, _POT, _TWICE = RAISE_SIZE + 1, RAISE_SIZE + 3, RAISE_SIZE + 5
_SIZES = tuple(range(RAISE_SIZE, ALL_IN)), (RAISE, _HALF, _POT, _TWICE), (_POT,)
ACTIONS = ALL_IN + 1
WIDTH = ACTIONS + 1  # of a bucket's numbers in tables
# Nodes after the flop are alike if these numbers lie between the same bounds: what a call costs beside the pot before the bet,
# and the stack beside the pot after the call; and if this many raises were made on the street, and by each player in the hand.
_OWED = np.array([0.001, 0.25, 0.4, 0.6, 0.85, 1.2, 1.7, 2.5, 3.5, 5, 7, 10, 14, 20, 30, 50])
_LEFT = np.array([0.001, 0.15, 0.3, 0.5, 0.8, 1.2, 1.8, 2.7, 4, 6, 9, 14, 22])
_RAISES = 2  # or more
TREMBLE = 0.005
_BOARDS, _DEALS = 32, 24  # boards at a time, and deals on each
_WORD_BITS, _WORD, _ONE = 6, 64, np.uint64(1)
_LEAST_WEIGHT = 0.02  # of the first deals; of the last it is 1


# --- the betting ---


class Betting(NamedTuple):
    """The betting of the smaller game: nodes in topological order, and edges, one for each action.

    Attributes:
        first: int64 [N + 1], the first edge of each node.
        player, street: int64 [N].
        base: int64 [N], the place of the first bucket in tables of one number for each bucket and action; nodes of a group
            have the same.
        child: int64 [E], the node after an action; -1: the hand is over.
        gain, stake: float64 [E]; if the hand is over, seat 0 gains `gain`, and wins or loses `stake` at the showdown, in chips.
        action: int64 [E].
    """

    first: Numbers
    player: Numbers
    street: Numbers
    base: Numbers
    child: Numbers
    gain: Numbers
    stake: Numbers
    action: Numbers

    @property
    def entries(self) -> int:
        """The length of tables."""
        return int((self.base + BUCKETS[self.street] * WIDTH).max())


def _allowed(env: CardGameEnv) -> list[int]:
    """The legal actions of the smaller game."""
    sizes = _SIZES[min(int(env.record[0]["raises"]), len(_SIZES) - 1)]
    return [action for action in env.legal_actions() if action in (FOLD, CALL, ALL_IN, *sizes)]


_PUBLIC = "street", "turn", "raise_size", "acted", "out"
_OF_SEATS = "bet", "paid", "made"


def public(env: CardGameEnv) -> tuple[int, ...]:
    """What distinguishes nodes."""
    record = env.record[0]
    seats = [int(record[name][seat]) for name in _OF_SEATS for seat in range(PLAYERS)]
    return *(int(record[name]) for name in _PUBLIC), *seats


def _alike(records: Numbers) -> Numbers:
    """What is equal in nodes that share their strategy, int64 [N, K]."""
    rows, player, street = np.arange(len(records)), records["turn"].astype(np.int64), records["street"]
    paid, bet, made = (records[name].astype(np.int64)[:, :PLAYERS] for name in ("paid", "bet", "made"))
    pot, owed = paid.sum(axis=1), bet.max(axis=1) - bet[rows, player]
    left = records["buy_in"][:, 0] - paid[rows, player] - owed
    raises = np.minimum(np.stack([records["raises"], made[rows, player], made[rows, 1 - player]], axis=1), _RAISES)
    bounds = np.digitize(owed / (pot - owed), _OWED), np.digitize(left / (pot + owed), _LEFT)
    return np.stack([street, player, *bounds, *raises.T, records["acted"] != 0, np.where(street, 0, rows)], axis=1)


def betting(env: CardGameEnv) -> tuple[Betting, Numbers, list[tuple[int, ...]]]:
    """The betting from the position on, the records of its nodes, and what distinguishes them."""
    found: dict[tuple[int, ...], tuple[CardGameEnv, list[tuple[Any, ...]]]] = {}
    done: list[tuple[int, ...]] = []  # children before parents
    todo = [(public(env), env, False)]
    while todo:
        key, env, visited = todo.pop()
        if visited:
            done.append(key)
        elif key not in found:
            edges: list[tuple[Any, ...]] = []
            found[key] = env, edges
            todo.append((key, env, True))
            for action in _allowed(env):
                child, paid, player = env.clone(), env.record[0]["paid"], env.current_player
                child.step(action)
                if not child.is_over:
                    edges.append((action, public(child), 0.0, 0.0))
                    todo.append((public(child), child, False))
                elif action == FOLD:
                    edges.append((action, None, float(paid[player]) * (1 if player else -1), 0.0))
                else:
                    edges.append((action, None, 0.0, float(paid.max())))
    done.reverse()
    places = {key: node for node, key in enumerate(done)}
    edges = [edge for key in done for edge in found[key][1]]
    first = np.cumsum([0] + [len(found[key][1]) for key in done])
    records = np.concatenate([found[key][0].record for key in done])
    street = records["street"].astype(np.int64)
    _, leaders, groups = np.unique(_alike(records), axis=0, return_index=True, return_inverse=True)
    entries = BUCKETS[street[leaders]] * WIDTH
    tree = Betting(
        first=first,
        player=np.array([found[key][0].current_player for key in done]),
        street=street,
        base=(np.cumsum(entries) - entries)[groups.reshape(-1)],
        child=np.array([-1 if key is None else places[key] for _, key, _, _ in edges]),
        gain=np.array([gain for _, _, gain, _ in edges]),
        stake=np.array([stake for _, _, _, stake in edges]),
        action=np.array([action for action, _, _, _ in edges]),
    )
    return tree, records, done


# --- regrets ---


class Tables(NamedTuple):
    """For each group of nodes, bucket and action, float32 [M]: the regrets, and the sums of strategies. After the regrets of a
    bucket stands the sum of their weights."""

    regrets: Numbers
    sums: Numbers


class _Work(NamedTuple):
    """A thread's working memory.

    Attributes:
        reached: int64 [N], how often a deal reaches each node.
        value: float64 [N], of each node to seat 0.
        sampled: int64 [N], the edge that the player who does not learn takes.
        ahead, behind: uint64 [W], the reached nodes that were not visited yet, and those that were, as bits.
        strategy: float64 [E], the probability of each edge.
        bucket: int64 [2, 4], of each player on each street.
    """

    reached: Numbers
    value: Numbers
    sampled: Numbers
    ahead: Numbers
    behind: Numbers
    strategy: Numbers
    bucket: Numbers


def _workspace(tree: Betting) -> _Work:
    nodes, words = len(tree.player), len(tree.player) // _WORD + 1
    return _Work(
        reached=np.zeros(nodes, np.int64),
        value=np.zeros(nodes),
        sampled=np.zeros(nodes, np.int64),
        ahead=np.zeros(words, np.uint64),
        behind=np.zeros(words, np.uint64),
        strategy=np.zeros(len(tree.child)),
        bucket=np.zeros((PLAYERS, STREETS), np.int64),
    )


@arithmetic
def match(tree, numbers, node, bucket, strategy):  # type: ignore[no-untyped-def]
    """Write a strategy in proportion to the positive numbers at a node with a bucket. Returns their place."""
    first, end = tree.first[node], tree.first[node + 1]
    place = tree.base[node] + bucket * WIDTH
    total = 0.0
    for edge in range(first, end):
        strategy[edge] = max(numbers[place + tree.action[edge]], np.float32(0))
        total += strategy[edge]
    for edge in range(first, end):
        strategy[edge] = strategy[edge] / total if total > 0 else 1.0 / (end - first)
    return place


@arithmetic
def sample(strategy, first, end, tremble, noise):  # type: ignore[no-untyped-def]
    """An edge, drawn by the strategy or, if the player trembles, from all."""
    rest = unit(noise)
    trembles = rest < tremble
    rest = rest / tremble if trembles else (rest - tremble) / (1 - tremble)
    for edge in range(first, end - 1):
        likely = 1.0 / (end - first) if trembles else strategy[edge]
        if rest < likely:
            return edge
        rest -= likely
    return end - 1


@arithmetic
def reach(work, node, times):  # type: ignore[no-untyped-def]
    work.reached[node] += times
    work.ahead[node >> _WORD_BITS] |= _ONE << np.uint64(node & (_WORD - 1))


@arithmetic
def visit(tree, tables, work, node, me, weight, noise):  # type: ignore[no-untyped-def]
    """Reach the nodes after all actions of one player, or one of the other, whose strategy is added up."""
    first, end, player, times = tree.first[node], tree.first[node + 1], tree.player[node], work.reached[node]
    place = match(tree, tables.regrets, node, work.bucket[player, tree.street[node]], work.strategy)
    if player != me:
        work.sampled[node] = sample(work.strategy, first, end, TREMBLE, noise)
        for edge in range(first, end):
            tables.sums[place + tree.action[edge]] += np.float32(times * weight * work.strategy[edge])
        first, end = work.sampled[node], work.sampled[node] + 1
    for edge in range(first, end):
        if tree.child[edge] >= 0:
            reach(work, tree.child[edge], times)


@arithmetic
def forward(tree, tables, work, me, weight, noise):  # type: ignore[no-untyped-def]
    """Visit the nodes that a deal reaches, from the first to the last."""
    reach(work, 0, 1)
    for word in range(len(work.ahead)):
        while work.ahead[word]:
            bit = lowest_bit(work.ahead[word])
            work.ahead[word] ^= _ONE << np.uint64(bit)
            work.behind[word] |= _ONE << np.uint64(bit)
            noise += GOLDEN
            visit(tree, tables, work, (word << _WORD_BITS) + bit, me, weight, mix(noise))
    return noise


@arithmetic
def worth(tree, work, edge, won):  # type: ignore[no-untyped-def]
    """The value of an action to seat 0, which wins the showdown (1), loses it (-1) or neither (0)."""
    child = tree.child[edge]
    return work.value[child] if child >= 0 else tree.gain[edge] + won * tree.stake[edge]


@arithmetic
def evaluate(tree, tables, work, node, me, won, weight):  # type: ignore[no-untyped-def]
    """The value of a node to seat 0. Adds to the regrets of the player whose actions were all tried."""
    first, end = tree.first[node], tree.first[node + 1]
    if tree.player[node] != me:
        return worth(tree, work, work.sampled[node], won)
    value, sign = 0.0, 1.0 - 2.0 * me
    for edge in range(first, end):
        value += work.strategy[edge] * worth(tree, work, edge, won)
    place = tree.base[node] + work.bucket[me, tree.street[node]] * WIDTH
    for edge in range(first, end):
        regret = sign * (worth(tree, work, edge, won) - value)
        tables.regrets[place + tree.action[edge]] += np.float32(work.reached[node] * weight * regret)
    tables.regrets[place + ACTIONS] += np.float32(work.reached[node] * weight)
    return value


@arithmetic
def backward(tree, tables, work, me, won, weight):  # type: ignore[no-untyped-def]
    """Evaluate the nodes that were visited, from the last to the first, and forget them."""
    for word in range(len(work.behind) - 1, -1, -1):
        while work.behind[word]:
            bit = highest_bit(work.behind[word])
            work.behind[word] ^= _ONE << np.uint64(bit)
            node = (word << _WORD_BITS) + bit
            work.value[node] = evaluate(tree, tables, work, node, me, won, weight)
            work.reached[node] = 0


@kernel
def learn(tree, tables, work, buckets, strengths, hands, weight, noise):  # type: ignore[no-untyped-def]
    """Learn from deals: of the pairs of hands, int64 [B, D, 2], on each board, the possible ones. Returns their number."""
    count = 0
    for b in range(len(hands)):
        for d in range(hands.shape[1]):
            first, second = hands[b, d, 0], hands[b, d, 1]
            if strengths[b, first] < 0 or strengths[b, second] < 0 or SETS[first] & SETS[second]:
                continue
            count += 1
            for street in range(STREETS):
                work.bucket[0, street], work.bucket[1, street] = buckets[b, street, first], buckets[b, street, second]
            won = np.float64(np.sign(strengths[b, first] - strengths[b, second]))
            for me in range(PLAYERS):
                noise = forward(tree, tables, work, me, weight, noise)
                backward(tree, tables, work, me, won, weight)
    return count


class Solution(NamedTuple):
    """The betting, the records of its nodes and what distinguishes them, and the tables."""

    tree: Betting
    records: Numbers
    keys: list[tuple[int, ...]]
    tables: Tables


def solve(env: CardGameEnv, hands: HandBuckets, deals: int, threads: int = 2, seed: int = 1) -> Solution:
    """Minimise regrets over so many deals. The strategies of the second half are averaged.

    Threads write to the same tables without locks, so with more than one, results differ a little from run to run.

    Args:
        env: a game of two players that was just reset.
    """
    tree, records, keys = betting(env)
    tables = Tables(*np.zeros((2, tree.entries), np.float32))
    done, stopped, begun = [0] * threads, threading.Event(), time.monotonic()

    def run(thread: int) -> None:
        rng, work, forgets = np.random.default_rng((seed, thread)), _workspace(tree), thread == 0
        while sum(done) < deals and not stopped.is_set():
            if forgets and sum(done) >= deals / 2:
                tables.sums[:], forgets = 0, False
            buckets, strengths = hands.of(boards(rng, _BOARDS))
            dealt = rng.integers(HANDS, size=(_BOARDS, _DEALS, PLAYERS))
            weight, noise = np.float32(max(sum(done) / deals, _LEAST_WEIGHT)), rng.integers(2**64, dtype=np.uint64)
            done[thread] += learn(tree, tables, work, buckets, strengths, dealt, weight, noise)

    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(run, thread) for thread in range(threads)]
        try:
            while wait(running, 60, FIRST_EXCEPTION).not_done:
                print(f"{sum(done):,} deals in {time.monotonic() - begun:.0f} s", flush=True)
        finally:
            stopped.set()
        for each in running:
            each.result()
    return Solution(tree, records, keys, tables)


def boards(rng: np.random.Generator, count: int) -> Numbers:
    """The cards of boards, int64 [count, 5], in the order in which they are dealt."""
    return rng.random((count, STANDARD)).argsort(axis=1)[:, :BOARD]
