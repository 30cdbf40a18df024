"""An approximate equilibrium of heads-up hold'em by counterfactual regret minimisation. `resolving` plays by it.

The betting is solved in a smaller game: all amounts are as in `poker_v0`, but only some raises are allowed, and hands of a
bucket (`hands`) are played alike. Positions with the same bets and numbers of raises are one node. On a board all hands
of both players are evaluated at once: public chance sampling (M. Johanson and others, "Efficient Nash equilibrium approximation
through Monte Carlo counterfactual regret minimization", 2012), with linear weights (N. Brown, T. Sandholm, "Solving
imperfect-information games via discounted regret minimization", 2019). Players tremble, so that the strategy is sensible after
mistakes, too.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np

from ...envs.core.aec import CardGameEnv
from ...envs.core.cards import STANDARD
from ...envs.core.jit import arithmetic, kernel
from ...envs.core.rng import GOLDEN, mix
from ...envs.games.poker.state import ALL_IN, CALL, FOLD, RAISE, RAISE_SIZE
from ..network import unit
from .hands import BUCKETS, STREETS, TWO, HandBuckets, boards

Numbers = np.ndarray
PLAYERS = 2
Sizes = tuple[tuple[float, ...], ...]
# Raises of the smaller game, in the order of raises on a street, before and after the flop: parts of the pot (`POTS`: only the
# whole pot), 0 for the smallest raise. All-in is always allowed. Without the smallest ones, the agent folds too often to them.
_BEFORE: Sizes = (0, 1), (0, 1), (1,), ()
_AFTER: Sizes = (0, 0.5, 1), (1,), ()
POTS: Sizes = (1,), (1,), ()
ACTIONS = ALL_IN + 1
TREMBLE = 0.0005  # how often players take a random action
_BOARDS = 32  # at a time
POSSIBLE = 47 * 46 // 2  # hands on a board
_RARE, _LOOKED_AT = 0.001, 0.25  # the reach of actions that are not always looked at, and how often they are
PRIOR = 0.05  # hands on a board, so that the regrets of rare positions are not believed too much
_LEAST_WEIGHT = 0.02  # of the first boards; of the last it is 1


# --- the betting ---


class Betting(NamedTuple):
    """The betting of the smaller game: nodes in topological order, and edges, one for each action.

    Attributes:
        first: int64 [N + 1], the first edge of each node.
        player, street: int64 [N].
        base: int64 [N + 1], where the numbers of each node begin in the tables; at the end, their length.
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


def _allowed(env: CardGameEnv, before: Sizes, after: Sizes) -> list[int]:
    """The legal actions of the smaller game."""
    by_raises = after if env.record[0]["street"] else before
    sizes = by_raises[min(int(env.record[0]["raises"]), len(by_raises) - 1)]
    offered = vars(env.options)["raise_sizes"]
    raises = [_raise_of(size, offered) for size in sizes]
    return [action for action in env.legal_actions() if action in (FOLD, CALL, ALL_IN, *raises)]


def _raise_of(size: float, offered: Sequence[float]) -> int:
    """The raise that is closest to a part of the pot."""
    if not size or not offered:
        return RAISE
    return RAISE_SIZE + int(np.abs(np.log(np.array(offered) / size)).argmin())


_PUBLIC = "street", "turn", "raise_size", "acted", "out"
_OF_SEATS = "bet", "paid", "made"


def public(env: CardGameEnv) -> tuple[int, ...]:
    """What distinguishes nodes."""
    record = env.record[0]
    seats = [int(record[name][seat]) for name in _OF_SEATS for seat in range(PLAYERS)]
    return *(int(record[name]) for name in _PUBLIC), *seats


def betting(
    env: CardGameEnv, buckets: Numbers = BUCKETS, before: Sizes | None = None, after: Sizes | None = None
) -> tuple[Betting, Numbers, list[tuple[int, ...]]]:
    """The betting from the position on, the records of its nodes, and what distinguishes them.

    Args:
        buckets: int [4], their number on each street.
        before, after: the raises before and after the flop, by the number of raises on a street; None: `_BEFORE`, `_AFTER`.
    """
    before, after = _BEFORE if before is None else before, _AFTER if after is None else after
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
            for action in _allowed(env, before, after):
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
    entries = buckets[street] * (np.diff(first) + 1)
    tree = Betting(
        first=first,
        player=np.array([found[key][0].current_player for key in done]),
        street=street,
        base=np.concatenate([[0], np.cumsum(entries)]),
        child=np.array([-1 if key is None else places[key] for _, key, _, _ in edges]),
        gain=np.array([gain for _, _, gain, _ in edges]),
        stake=np.array([stake for _, _, _, stake in edges]),
        action=np.array([action for action, _, _, _ in edges]),
    )
    return tree, records, done


# --- regrets ---


class Tables(NamedTuple):
    """For each node, bucket and action, float32 [M]: the regrets, and the sums of strategies. After the regrets of a
    bucket stands the sum of their weights."""

    regrets: Numbers
    sums: Numbers


class Board(NamedTuple):
    """The hands on a board that its cards allow, from weak to strong.

    Attributes:
        hand: int64 [H], among all.
        cards: int64 [H, 2].
        end: int64 [H], the end of the hands that are as strong.
        slot: int64 [4, H], the place of a hand's bucket on each street among those of the board.
        bucket: int64 [4, H], the buckets of the board; the last ones are unused.
        number: int64 [4], of its buckets.
    """

    hand: Numbers
    cards: Numbers
    end: Numbers
    slot: Numbers
    bucket: Numbers
    number: Numbers


def on_board(buckets: Numbers, ranked: Numbers) -> Board:
    """The hands by their buckets, int [4, 1326], and strengths, int64 [1326], which are -1 for impossible ones."""
    hands = np.argsort(ranked, kind="stable")[-POSSIBLE:]
    end = np.searchsorted(ranked[hands], ranked[hands], side="right")
    slot, bucket, count = np.zeros((STREETS, POSSIBLE), np.int64), np.zeros((STREETS, POSSIBLE), np.int64), []
    for street in range(STREETS):
        found, slot[street] = np.unique(buckets[street, hands], return_inverse=True)
        bucket[street, : len(found)] = found
        count.append(len(found))
    return Board(hands, TWO[hands], end, slot, bucket, np.array(count))


class Work(NamedTuple):
    """A thread's working memory: for each node on the way to the present one.

    Attributes:
        node, edge: int64 [D], and the edge that is being evaluated.
        reach: float32 [D, H], the probability that the other player, with each hand, plays so.
        value: float32 [D, H], to the player who learns with each hand, times the probability of the other's hands.
        strategy: float32 [D, A, H], the probability of each action with each bucket.
        gained: float32 [D, A, H], the value of each action, added up over the hands of each bucket.
        of_card: float64 [52], of the hands with each card.
    """

    node: Numbers
    edge: Numbers
    reach: Numbers
    value: Numbers
    strategy: Numbers
    gained: Numbers
    of_card: Numbers


def workspace(tree: Betting) -> Work:
    depth = np.ones(len(tree.player) + 1, np.int64)
    for node in reversed(range(len(tree.player))):
        after = tree.child[tree.first[node] : tree.first[node + 1]]
        depth[node] = 1 + depth[after[after >= 0]].max(initial=1)
    levels = int(depth[0])
    return Work(
        node=np.zeros(levels, np.int64),
        edge=np.zeros(levels, np.int64),
        reach=np.zeros((levels, POSSIBLE), np.float32),
        value=np.zeros((levels, POSSIBLE), np.float32),
        strategy=np.zeros((levels, ACTIONS, POSSIBLE), np.float32),
        gained=np.zeros((levels, ACTIONS, POSSIBLE), np.float32),
        of_card=np.zeros(STANDARD),
    )


@arithmetic
def place_of(tree, node, bucket):  # type: ignore[no-untyped-def]
    """Where the numbers of a node's bucket begin in the tables."""
    return tree.base[node] + bucket * (tree.first[node + 1] - tree.first[node] + 1)


@arithmetic
def match(tree, numbers, node, bucket, strategy):  # type: ignore[no-untyped-def]
    """Write a strategy in proportion to the positive numbers at a node with a bucket, float [A] in the order of its edges."""
    count, place = tree.first[node + 1] - tree.first[node], place_of(tree, node, bucket)
    total = np.float32(0)
    for k in range(count):
        strategy[k] = max(numbers[place + k], np.float32(0))
        total += strategy[k]
    for k in range(count):
        strategy[k] = strategy[k] / total if total > 0 else np.float32(1) / count


@arithmetic
def sample(strategy, count, tremble, noise):  # type: ignore[no-untyped-def]
    """One of so many actions, drawn by the strategy or, if the player trembles, from all."""
    rest = unit(noise)
    trembles = rest < tremble
    rest = rest / tremble if trembles else (rest - tremble) / (1 - tremble)
    for k in range(count - 1):
        likely = 1.0 / count if trembles else strategy[k]
        if rest < likely:
            return k
        rest -= likely
    return count - 1


@arithmetic
def enter(tree, tables, work, board, depth, me, weight):  # type: ignore[no-untyped-def]
    """Begin a node: the strategy there. That of the player who does not learn is added up."""
    node = work.node[depth]
    actions, street = tree.first[node + 1] - tree.first[node], tree.street[node]
    learns, strategy, count = tree.player[node] == me, work.strategy[depth], board.number[street]
    work.edge[depth] = tree.first[node]
    work.value[depth] = 0
    if learns:
        work.gained[depth, :actions, :count] = 0
    for k in range(count):
        match(tree, tables.regrets, node, board.bucket[street, k], strategy[:, k])
    if not learns:
        reached, slot = work.gained[depth, 0], board.slot[street]
        reached[:count] = 0
        for hand in range(POSSIBLE):
            reached[slot[hand]] += work.reach[depth, hand]
        for k in range(count):
            place = place_of(tree, node, board.bucket[street, k])
            for action in range(actions):
                tables.sums[place + action] += weight * reached[k] * strategy[action, k]


@arithmetic
def follow(tree, work, board, depth, me, noise):  # type: ignore[no-untyped-def]
    """Write how the present action is reached. Returns whether it is to be looked at: rare ones sometimes, with more weight."""
    node = work.node[depth]
    reach, then = work.reach[depth], work.reach[depth + 1]
    if tree.player[node] == me:
        for hand in range(POSSIBLE):
            then[hand] = reach[hand]
        return True
    strategy, slot = work.strategy[depth, work.edge[depth] - tree.first[node]], board.slot[tree.street[node]]
    share = np.float32(TREMBLE / (tree.first[node + 1] - tree.first[node]))
    total = np.float32(0)
    for hand in range(POSSIBLE):
        then[hand] = reach[hand] * (np.float32(1 - TREMBLE) * strategy[slot[hand]] + share)
        total += then[hand]
    if total > _RARE * POSSIBLE:
        return True
    if unit(noise) >= _LOOKED_AT:
        return False
    for hand in range(POSSIBLE):
        then[hand] *= np.float32(1 / _LOOKED_AT)
    return True


@arithmetic
def fold(board, reach, of_card, chips, value):  # type: ignore[no-untyped-def]
    """Write the values if the other's hands do not matter."""
    everyone = 0.0
    of_card[:] = 0
    for hand in range(POSSIBLE):
        everyone += reach[hand]
        of_card[board.cards[hand, 0]] += reach[hand]
        of_card[board.cards[hand, 1]] += reach[hand]
    for hand in range(POSSIBLE):
        others = everyone - of_card[board.cards[hand, 0]] - of_card[board.cards[hand, 1]] + reach[hand]
        value[hand] = chips * others


@arithmetic
def show(board, reach, of_card, chips, value):  # type: ignore[no-untyped-def]
    """Write the values of a showdown."""
    weaker, stronger, first = 0.0, 0.0, 0
    of_card[:] = 0
    while first < POSSIBLE:
        end = board.end[first]
        for hand in range(first, end):
            value[hand] = weaker - of_card[board.cards[hand, 0]] - of_card[board.cards[hand, 1]]
        for hand in range(first, end):
            weaker += reach[hand]
            of_card[board.cards[hand, 0]] += reach[hand]
            of_card[board.cards[hand, 1]] += reach[hand]
        first = end
    stronger, first = weaker, 0  # `stronger` and `of_card` now lose the hands that are passed
    while first < POSSIBLE:
        end = board.end[first]
        for hand in range(first, end):
            stronger -= reach[hand]
            of_card[board.cards[hand, 0]] -= reach[hand]
            of_card[board.cards[hand, 1]] -= reach[hand]
        for hand in range(first, end):
            value[hand] -= stronger - of_card[board.cards[hand, 0]] - of_card[board.cards[hand, 1]]
            value[hand] *= chips
        first = end


@arithmetic
def absorb(tree, work, board, depth, me):  # type: ignore[no-untyped-def]
    """Add the value of the present action."""
    node = work.node[depth]
    value, of_action = work.value[depth], work.value[depth + 1]
    if tree.player[node] != me:
        for hand in range(POSSIBLE):
            value[hand] += of_action[hand]
        return
    k, slot = work.edge[depth] - tree.first[node], board.slot[tree.street[node]]
    strategy, gained = work.strategy[depth, k], work.gained[depth, k]
    for hand in range(POSSIBLE):
        gained[slot[hand]] += of_action[hand]
        value[hand] += strategy[slot[hand]] * of_action[hand]


@arithmetic
def leave(tree, tables, work, board, depth, weight):  # type: ignore[no-untyped-def]
    """Add the regrets of the player who learns, and their weights: without regard to cards that both cannot hold."""
    node = work.node[depth]
    actions, street = tree.first[node + 1] - tree.first[node], tree.street[node]
    strategy, gained, hands = work.strategy[depth], work.gained[depth], work.reach[depth + 1]
    count = board.number[street]
    hands[:count] = 0
    reached = np.float32(0)
    for hand in range(POSSIBLE):
        hands[board.slot[street, hand]] += 1
        reached += work.reach[depth, hand]
    for k in range(count):
        place, mean = place_of(tree, node, board.bucket[street, k]), np.float32(0)
        for action in range(actions):
            mean += strategy[action, k] * gained[action, k]
        for action in range(actions):
            tables.regrets[place + action] += weight * (gained[action, k] - mean)
        tables.regrets[place + actions] += weight * reached * hands[k]


@kernel
def learn(tree, tables, work, board, held, weight, noise):  # type: ignore[no-untyped-def]
    """Learn from all hands on a board, first as one player, then as the other.

    Args:
        held: float32 [2, H], how likely each player has each hand; 1 on average.
    """
    for me in range(PLAYERS):
        sign, depth = 1.0 - 2.0 * me, 0
        work.node[0] = 0
        for hand in range(POSSIBLE):
            work.reach[0, hand] = held[1 - me, hand]
        enter(tree, tables, work, board, depth, me, weight)
        while depth >= 0:
            node, edge = work.node[depth], work.edge[depth]
            if edge == tree.first[node + 1]:
                if tree.player[node] == me:
                    leave(tree, tables, work, board, depth, weight)
                depth -= 1
            else:
                noise += GOLDEN
                if not follow(tree, work, board, depth, me, mix(noise)):
                    work.edge[depth] += 1
                    continue
                if tree.child[edge] >= 0:
                    depth += 1
                    work.node[depth] = tree.child[edge]
                    enter(tree, tables, work, board, depth, me, weight)
                    continue
                if tree.stake[edge]:
                    show(board, work.reach[depth + 1], work.of_card, tree.stake[edge], work.value[depth + 1])
                else:
                    fold(board, work.reach[depth + 1], work.of_card, sign * tree.gain[edge], work.value[depth + 1])
            if depth >= 0:
                absorb(tree, work, board, depth, me)
                work.edge[depth] += 1


class Solution(NamedTuple):
    """The betting, the records of its nodes and what distinguishes them, and the tables."""

    tree: Betting
    records: Numbers
    keys: list[tuple[int, ...]]
    tables: Tables


def weight_at(share: float) -> np.float32:
    """The weight of a board after this share of the boards, for each hand: it grows linearly."""
    return np.float32(max(share, _LEAST_WEIGHT) / POSSIBLE)


def mean_cost(tree: Betting, tables: Tables, node: int) -> tuple[Numbers, Numbers]:
    """The actions at a node, int64 [K], and what each costs with each bucket beside the strategy, in chips, float64 [B, K]."""
    actions = tree.action[tree.first[node] : tree.first[node + 1]]
    found = tables.regrets[tree.base[node] : tree.base[node + 1]].reshape(-1, len(actions) + 1).astype(np.float64)
    return actions, np.maximum(-found[:, :-1], 0) / (found[:, -1:] + PRIOR)


def mean_strategy(tree: Betting, tables: Tables, node: int) -> tuple[Numbers, Numbers]:
    """The actions at a node, int64 [K], and how likely they are with each bucket, float64 [B, K]."""
    actions = tree.action[tree.first[node] : tree.first[node + 1]]
    sums = tables.sums[tree.base[node] : tree.base[node + 1]].reshape(-1, len(actions) + 1)[:, :-1].astype(np.float64)
    total = sums.sum(axis=1, keepdims=True)
    return actions, np.divide(sums, total, out=np.full_like(sums, 1 / len(actions)), where=total > 0)


def solve(
    env: CardGameEnv,
    hands: HandBuckets,
    count: int,
    threads: int = 2,
    seed: int = 1,
    before: Sizes | None = None,
    after: Sizes | None = None,
) -> Solution:
    """Minimise regrets over so many boards. The strategies of the second half are averaged.

    Threads write to the same tables without locks, so with more than one, results differ a little from run to run.

    Args:
        env: a game of two players that was just reset.
        before, after: see `betting`.
    """
    tree, records, keys = betting(env, before=before, after=after)
    tables = Tables(*np.zeros((2, tree.base[-1]), np.float32))
    done, stopped, begun = [0] * threads, threading.Event(), time.monotonic()

    def run(thread: int) -> None:
        rng, work, forgets = np.random.default_rng((seed, thread)), workspace(tree), thread == 0
        anything = np.ones((PLAYERS, POSSIBLE), np.float32)
        while not stopped.is_set():
            for buckets, ranked in zip(*hands.of(boards(rng, _BOARDS)), strict=True):
                if sum(done) >= count:
                    return
                if forgets and sum(done) >= count / 2:
                    tables.sums[:], forgets = 0, False
                weight, noise = weight_at(sum(done) / count), rng.integers(2**64, dtype=np.uint64)
                learn(tree, tables, work, on_board(buckets, ranked), anything, weight, noise)
                done[thread] += 1

    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(run, thread) for thread in range(threads)]
        try:
            while wait(running, 60, FIRST_EXCEPTION).not_done:
                print(f"{sum(done):,} boards in {time.monotonic() - begun:.0f} s", flush=True)
        finally:
            stopped.set()
        for each in running:
            each.result()
    return Solution(tree, records, keys, tables)
