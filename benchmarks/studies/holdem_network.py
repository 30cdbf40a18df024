"""An agent of heads-up hold'em that is close to an equilibrium: a network that copies the strategy of `agents/holdem/regrets`.

python -m wilddeck.benchmarks.studies.holdem_network FILE [--stack 10] [--steps 10000000]

The network sees the game's observation, so it smooths the buckets. It learns the strategy, and to avoid actions by what they
cost there. Where the game allows what the smaller game does not, it learns to play as at the nearest nodes. Needs torch.

With ten big blinds this makes the baseline `poker_v0-standard_2p_10bb`.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ... import envs
from ...agents.holdem.hands import BOARD, SETS, HandBuckets, boards
from ...agents.holdem.regrets import ACTIONS, PLAYERS, PRIOR, TREMBLE, Solution, match, public, sample, solve
from ...agents.learned import LearnedAgent, plain_options
from ...agents.tensors import suffix
from ...cli.arguments import Parser, integer, whole
from ...envs.core.aec import CardGameEnv
from ...envs.core.batch import game_kernels
from ...envs.core.game import Game, Options, as_records
from ...envs.core.jit import kernel
from ...envs.core.rng import GOLDEN, mix
from ...envs.games.poker.state import ALL_IN, CALL, FOLD, RAISE
from .local_best_response import options

Numbers = np.ndarray
STEPS = 10_000_000
_OF_BOARDS = 1000  # positions learned for each board of the solution
HIDDEN = (384, 320, 256)
_BATCH = 4096
_LEARNING_RATE = 2e-3
_BOARDS, _GAMES = 256, 6  # boards at a time, and games on each
# In half of the games a player takes a random action as often as this: they make mistakes, and the other has to answer them.
MISTAKES = 0.3
_OTHERS, _OTHER_GAMES = 0.3, 60_000  # the share of positions outside it, and random games that find such
_RANDOM = {FOLD: 0.0, CALL: 1.0, ALL_IN: 0.02}  # weights of actions in random games; of all other raises 0.1
_NEAREST = 2  # nodes
_SAMPLED = 25  # batches that show which inputs are used, and their scales
_LEAST_DEVIATION = 0.01
_OF_COST = 1.0  # the weight of what actions cost beside the divergence, per chip
_SMALL = 1e-6  # for buckets that were never met


class _Places(NamedTuple):
    """Positions: of each the node, the hand, the place of the board and the player, int64 [P]."""

    node: Numbers
    hand: Numbers
    board: Numbers
    player: Numbers


@kernel
def _play(tree, sums, buckets, hands, places, strategy, noise):  # type: ignore[no-untyped-def]
    """Play hands, int64 [B, G, 2], on each board, and write the positions. Returns their number."""
    count = 0
    for b in range(len(hands)):
        for game in range(hands.shape[1]):
            if SETS[hands[b, game, 0]] & SETS[hands[b, game, 1]]:
                continue
            noise += GOLDEN
            bold, node = mix(noise), np.int64(0)
            while node >= 0 and count < len(places.node):
                player = tree.player[node]
                hand = hands[b, game, player]
                places.node[count], places.hand[count], places.board[count], places.player[count] = node, hand, b, player
                count += 1
                match(tree, sums, node, buckets[b, tree.street[node], hand], strategy)
                noise += GOLDEN
                mistakes = MISTAKES if (bold >> np.uint64(player)) & np.uint64(1) else TREMBLE
                first, end = tree.first[node], tree.first[node + 1]
                node = tree.child[first + sample(strategy, end - first, mistakes, mix(noise))]
    return count


class _Others:
    """Positions outside the smaller game, found by random games, and the nodes that are most like each.

    Such nodes are of the same street and player to move, with nearly the same pot, price of a call, stack, and numbers of
    raises.
    """

    def __init__(self, env: CardGameEnv, solution: Solution, rng: np.random.Generator) -> None:
        solved, visits = set(solution.keys), Counter[tuple[int, ...]]()
        records: dict[tuple[int, ...], Numbers] = {}
        for _ in range(_OTHER_GAMES):
            env.reset(seed=int(rng.integers(2**32)))
            while not env.is_over:
                key = public(env)
                if key not in solved:
                    records.setdefault(key, env.record.copy())
                    visits[key] += 1
                legal = env.legal_actions()
                weights = np.array([_RANDOM.get(action, 0.1) for action in legal])
                env.step(int(rng.choice(legal, p=weights / weights.sum())))
        known, features = _features(solution.records)
        found: list[tuple[Any, ...]] = []
        none = solution.records[:0]
        rest = _features(np.concatenate([none, *records.values()]))
        for key, kind, feature in zip(records, *rest, strict=True):
            alike = np.flatnonzero((known == kind).all(axis=1))
            if len(alike):
                distance = ((features[alike] - feature) ** 2).sum(axis=1)
                nearest = np.resize(distance.argsort()[:_NEAREST], _NEAREST)
                shares = 1 / (distance[nearest] + 1e-3)
                found.append((records[key], visits[key], kind[1], alike[nearest], shares / shares.sum()))
        self.records = np.concatenate([none, *(each[0] for each in found)])
        self.visits, self.player, self.nodes, self.shares = (np.array([each[k] for each in found]) for k in range(1, 5))


def _features(records: Numbers) -> tuple[Numbers, Numbers]:
    """What must be equal in like positions, int [N, 4], and what is nearly equal, float [N, 6]."""
    rows, player = np.arange(len(records)), records["turn"].astype(np.int64)
    paid, bet, made = (records[name].astype(np.int64)[:, :PLAYERS] for name in ("paid", "bet", "made"))
    pot, owed, stack = paid.sum(axis=1), bet.max(axis=1) - bet[rows, player], records["buy_in"][:, 0].astype(np.int64)
    kinds = np.stack([records["street"], player, owed > 0, paid.max(axis=1) >= stack], axis=1)
    raises = np.minimum(np.stack([made[rows, player], made[rows, 1 - player]], axis=1), 3)
    left = np.log((stack - paid[rows, player]) / pot + 0.05)
    numbers = [2 * np.log(pot), 3 * owed / (pot + owed), left, *(0.3 * raises.T), 0.5 * (records["acted"] != 0)]
    return kinds, np.stack(numbers, axis=1)


class Positions:
    """Endless positions: observations, action masks and the strategy there.

    Args:
        env: a game of the solved size.
    """

    def __init__(self, env: CardGameEnv, solution: Solution, hands: HandBuckets, seed: int = 1) -> None:
        self.env, self.solution, self.hands = env, solution, hands
        self.rng = np.random.default_rng(seed)
        self.strategy = np.zeros(ACTIONS, np.float32)
        self.others = _Others(env, solution, self.rng)
        self.sizes = env.game.observation_size(env.options), env.game.num_actions(env.options)

    def draw(self, count: int) -> tuple[Numbers, ...]:
        """About so many positions of games and outside the smaller game: float32 [P, D], uint8 [P, A], and of each action the
        probability and the cost, float [P, A]."""
        cards = boards(self.rng, _BOARDS)
        buckets, ranked = self.hands.of(cards)
        dealt = np.array([self.rng.choice(np.flatnonzero(each >= 0), (_GAMES, PLAYERS)) for each in ranked])
        places = _Places(*np.zeros((4, int((1 - _OTHERS) * count)), np.int64))
        noise = self.rng.integers(2**64, dtype=np.uint64)
        played = _play(self.solution.tree, self.solution.tables.sums, buckets, dealt, places, self.strategy, noise)
        places = _Places(*(each[:played] for each in places))
        seen = views(self.env, self.solution.records[places.node], places.player, places.hand, cards[places.board])
        of_games = *seen, *self._solved(places, buckets)
        if not len(self.others.records):  # with the smallest stacks the smaller game is the whole one
            return of_games
        others = self._draw_others(int(played * _OTHERS / (1 - _OTHERS)), cards, buckets, dealt)
        return tuple(np.concatenate(both) for both in zip(of_games, others, strict=True))

    def _draw_others(self, count: int, cards: Numbers, buckets: Numbers, dealt: Numbers) -> tuple[Numbers, ...]:
        """Positions outside the smaller game, with some of these boards and hands."""
        which = self.rng.choice(len(self.others.records), count, p=self.others.visits / self.others.visits.sum())
        board = self.rng.integers(len(cards), size=count)
        hand = dealt[board, self.rng.integers(_GAMES, size=count), 0]
        mixed = np.zeros((2, count, self.sizes[1]))
        for k in range(_NEAREST):
            places = _Places(self.others.nodes[which, k], hand, board, self.others.player[which])
            mixed += self.others.shares[which, k, None] * np.stack(self._solved(places, buckets))
        rows, masks = views(self.env, self.others.records[which], places.player, hand, cards[board])
        return rows, masks, _move(mixed[0], masks), mixed[1]

    def _solved(self, places: _Places, buckets: Numbers) -> tuple[Numbers, Numbers]:
        """Of each action the mean strategy's probability, and what it costs in chips, both float64 [P, A]."""
        tree, (regrets, sums) = self.solution.tree, self.solution.tables
        strategy, costs = np.zeros((2, len(places.node), self.sizes[1]))
        first, count = tree.first[places.node], np.diff(tree.first)[places.node]
        place = tree.base[places.node] + buckets[places.board, tree.street[places.node], places.hand] * (count + 1)
        for k in range(int(count.max())):
            rows = np.flatnonzero(count > k)
            action = tree.action[first[rows] + k]
            strategy[rows, action] = sums[place[rows] + k] + _SMALL
            costs[rows, action] = np.maximum(-regrets[place[rows] + k], 0) / (regrets[(place + count)[rows]] + PRIOR)
        return strategy / strategy.sum(axis=1, keepdims=True), costs


def views(env: CardGameEnv, records: Numbers, player: Numbers, hand: Numbers, board: Numbers) -> tuple[Numbers, Numbers]:
    """What players see and can do in positions, float32 [P, D] and uint8 [P, A].

    Args:
        records: of games, [P]; their cards do not matter.
        player, hand: int [P], the player to move, and their hand among all.
        board: int [P, 5], cards; those that are not dealt yet do not matter.
    """
    games, count = records.copy(), len(records)
    games["hand"][np.arange(count), player, 0] = SETS[hand]
    games["common"][:, :BOARD] = np.where(np.arange(BOARD) < games["common_size"][:, None], board, 0)
    rows = np.zeros((count, env.game.observation_size(env.options)), np.float32)
    masks = np.zeros((count, env.game.num_actions(env.options)), np.uint8)
    game_kernels(env.game)["view_games"](as_records(games), rows, masks, np.zeros(count, np.int64))
    return rows, masks


def _move(strategy: Numbers, masks: Numbers) -> Numbers:
    """The strategy with what it gives to illegal raises given to the smallest raise; where none is legal, to a call."""
    legal = np.where(masks, strategy, 0)
    rows, order = np.arange(len(masks)), np.array([RAISE, ALL_IN, CALL])
    legal[rows, order[masks[:, order].argmax(axis=1)]] += np.maximum(1 - legal.sum(axis=1), 0)  # not below 0 by rounding
    return legal


class Draws(Protocol):
    """What a network learns from: `draw` as that of `Positions`, and the sizes of observations and actions."""

    @property
    def sizes(self) -> tuple[int, int]: ...

    def draw(self, count: int) -> tuple[Numbers, ...]: ...


def copy(positions: Draws, count: int, hidden: tuple[int, ...] = HIDDEN, seed: int = 1) -> LearnedAgent:
    """A network that has learned the strategy from so many positions. The next ones are drawn meanwhile, in another thread."""
    import torch
    from torch.nn import Linear, ReLU, Sequential

    torch.manual_seed(seed)
    seen = np.concatenate([positions.draw(_BATCH)[0] for _ in range(_SAMPLED)])
    used = np.flatnonzero(seen.any(axis=0))  # most inputs are of other games
    mean, deviation = seen[:, used].mean(axis=0), seen[:, used].std(axis=0) + _LEAST_DEVIATION
    widths = [len(used), *hidden]
    inner = [layer for pair in itertools.pairwise(widths) for layer in (Linear(*pair), ReLU())]
    network = Sequential(*inner, Linear(widths[-1], positions.sizes[1]))
    optimizer = torch.optim.Adam(network.parameters(), lr=_LEARNING_RATE)

    def draw() -> tuple[Numbers, ...]:
        rows, masks, strategy, costs = positions.draw(_BATCH)
        return (rows[:, used] - mean) / deviation, masks, strategy.astype(np.float32), costs.astype(np.float32)

    learned, losses, said = 0, [], time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        following = pool.submit(draw)
        while learned < count:
            rows, masks, strategy, costs = map(torch.from_numpy, following.result())
            following = pool.submit(draw)
            optimizer.param_groups[0]["lr"] = _LEARNING_RATE * max(1 - learned / count, 0.005)
            scores = network(rows).masked_fill(masks == 0, -torch.inf).log_softmax(-1)
            divergence = torch.nn.functional.kl_div(scores.clamp(min=-50), strategy, reduction="batchmean")
            cost = (scores.exp() * costs).sum(-1).mean()
            loss = divergence + _OF_COST * cost
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            learned += len(rows)
            losses.append((float(divergence.detach()), float(cost.detach())))
            if time.monotonic() > said + 60:
                divergence, cost = np.mean(losses, axis=0)
                print(f"{learned:,} positions, divergence {divergence:.4f}, {cost:.4f} chips", flush=True)
                losses, said = [], time.monotonic()
    layers = [layer for layer in network if isinstance(layer, Linear)]
    weights = [(layer.weight.detach().numpy().T, layer.bias.detach().numpy()) for layer in layers]
    inputs = np.zeros((positions.sizes[0], hidden[0]), np.float32)
    inputs[used] = weights[0][0] / deviation[:, None]
    return LearnedAgent([(inputs, weights[0][1] - mean @ inputs[used]), *weights[1:]], activation="relu")


def make_agent(game: Game, options: Options, steps: int = STEPS, seed: int = 1) -> LearnedAgent:
    """Solve hold'em for two with these stacks, and copy the solution in so many positions."""
    # Observations begin with the viewer's seat, so that one button is enough.
    env, hands = CardGameEnv(game, game.make_options(plain_options(options) | {"button": 0})), HandBuckets()
    env.reset(seed=seed)
    solution = solve(env, hands, -(-steps // _OF_BOARDS), seed=seed)
    return copy(Positions(env, solution, hands, seed), steps, seed=seed)


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.holdem_network", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="weights to write, .safetensors or .npz")
    parser.add_argument("--stack", type=whole(2, 1000), default=10, help="in big blinds")
    steps = f"number of positions to learn; it is solved on a board for each {_OF_BOARDS:,} (default: {STEPS:,})"
    parser.add_argument("--steps", type=whole(1, 10**12), default=STEPS, help=steps)
    parser.add_argument("--seed", type=integer, default=1)
    settings = parser.parse_args(arguments)
    with parser.refusing():
        suffix(settings.file)  # refused before the work, not after it
        settings.file.parent.mkdir(parents=True, exist_ok=True)
        game, checked = envs.resolve("poker_v0", options(settings.stack))
        agent = make_agent(game, checked, settings.steps, settings.seed)
        agent.save(settings.file, game, checked)
        print(settings.file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
