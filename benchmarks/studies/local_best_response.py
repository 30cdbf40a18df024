"""The value of a local best response against a player of heads-up hold'em (V. Lisy, M. Bowling, "Equilibrium approximation
quality of current no-limit poker bots", 2017), in mbb (1/1000 big blind) per hand: a lower bound on exploitability.

python -m wilddeck.benchmarks.studies.local_best_response [rules trained ...] [--stack 100] [--deals 1000] [--calls 0 2]

It knows the player's policy: each of their actions updates its belief about their two cards. Among fold, call, a pot raise and
all-in, it takes the action of highest value if both then only check and call, including folds to its raise. Every deal is
played from both seats. Because it plans no later bets, it often wins more if it only calls on the first streets (--calls): the
best of several settings counts. A player that always folds loses 750 mbb; the bots of that paper lost 3,000 and more.
"""

from __future__ import annotations

import itertools
import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import envs
from ...agents import make
from ...agents.base import Agent, View, check_batches
from ...agents.holdem.hands import BOARD, SETS
from ...agents.holdem.resolving import HandsAgent, with_all_hands
from ...agents.learned import is_known
from ...agents.views import Views
from ...cli.arguments import Parser, integer, whole
from ...envs.core.aec import CardGameEnv
from ...envs.core.cards import STANDARD
from ...envs.core.compare.poker import poker_strength
from ...envs.core.jit import kernel
from ...envs.games.poker.state import ALL_IN, CALL, FOLD, RAISE_SIZE
from ...training.exploit import exploit

PLAYERS = 2
MBB = 1000  # of a big blind
RAISES = RAISE_SIZE + 3, ALL_IN  # of the pot, the default of raise_sizes
_DOUBT = 0.1  # assumed probability of every action of a stochastic player without known probabilities: they are queried once
_BIG_BLIND = 2  # chips
_RUN_OUTS = 1000  # boards sampled before the flop; after it all are enumerated
_95 = 1.96  # standard errors

Numbers = np.ndarray


def options(stack: int) -> dict[str, Any]:
    """Blinds of 1 and 2, stacks in big blinds; seat 0 has the button and the small blind."""
    return {"num_players": PLAYERS, "deck": "standard", "stack": _BIG_BLIND * stack, "button": 0}


@kernel
def _count(own, boards, others, won, tried):  # type: ignore[no-untyped-def]
    """For each opposing hand: the number of boards tried, and the number that the player's hand wins (a tie counts half)."""
    for board in boards:
        mine = poker_strength(own | board, 0)
        for k in range(len(others)):
            if others[k] & (own | board) == 0:
                theirs = poker_strength(others[k] | board, 0)
                won[k] += 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
                tried[k] += 1


def shares(own: int, board: int, rng: np.random.Generator) -> Numbers:
    """The share of the pot that a hand wins against each of `SETS` without more bets, float [1326]; 0 against impossible ones.

    Args:
        own, board: sets of cards, as bits.
    """
    left = np.array([card for card in range(STANDARD) if not (own | board) >> card & 1])
    missing = BOARD - board.bit_count()
    if missing <= 2:
        drawn = np.array(list(itertools.combinations(left, missing)), np.int64).reshape(math.comb(len(left), missing), missing)
    else:
        drawn = left[rng.random((_RUN_OUTS, len(left))).argpartition(missing, axis=1)[:, :missing]]
    won, tried = np.zeros(len(SETS)), np.zeros(len(SETS))
    _count(own, board | (1 << drawn).sum(axis=1), SETS, won, tried)
    return won / np.maximum(tried, 1)


def likelihoods(agent: Agent, env: CardGameEnv, rng: np.random.Generator) -> Numbers:
    """The action probabilities of the agent to move with each hand, float [1326, A]."""
    if isinstance(agent, HandsAgent):
        return agent.likelihoods(env)
    rows, masks = with_all_hands(env, env.record)
    if is_known(agent) and not agent.greedy:
        return agent.probabilities(rows, masks, rng)
    answers = np.eye(masks.shape[1])[agent.act_batch(Views.of(rows, masks), rng)]
    doubt = 0.0 if is_known(agent) else _DOUBT
    return (1 - doubt) * answers + doubt * masks / masks.sum(axis=1, keepdims=True)


class LocalBestResponse:
    """Plays one hand against an agent.

    Args:
        calls: the number of first streets on which it only calls.
    """

    def __init__(self, agent: Agent, rng: np.random.Generator, calls: int = 0) -> None:
        self.agent, self.rng, self.calls = agent, rng, calls
        self.held = np.ones(len(SETS))  # the opponent's probabilities of each hand, unnormalised

    def watch(self, env: CardGameEnv, action: int) -> None:
        """Update the belief with the opponent's next action."""
        self.narrow(likelihoods(self.agent, env, self.rng)[:, action])

    def sample(self, env: CardGameEnv) -> tuple[float, int]:
        """The probability that the opponent, who is to move, folds, and an action of theirs if they do not: drawn from the mean
        over the hands that they may hold. Updates the belief with that action."""
        likely = likelihoods(self.agent, env, self.rng)
        held = self.possible(env, 1 - env.current_player)
        mean = held @ likely / held.sum()
        folds, mean[FOLD] = mean[FOLD], 0.0
        action = int(self.rng.choice(len(mean), p=mean / mean.sum())) if mean.any() else FOLD
        self.narrow(likely[:, action])
        return float(folds), action

    def narrow(self, likely: Numbers) -> None:
        """Update the belief with the probability of an action with each hand."""
        self.held *= likely
        self.held /= self.held.max()

    def possible(self, env: CardGameEnv, seat: int) -> Numbers:
        """The belief of a seat: the probabilities of the hands without its own and the board's cards, unnormalised."""
        return np.where(SETS & sum(self.seen(env, seat)), 0, self.held)

    def seen(self, env: CardGameEnv, seat: int) -> tuple[int, int]:
        """The seat's own cards and the board, as sets."""
        return int(env.record[0]["hand"][seat, 0]), sum(1 << card for card in env.zones()["community"])

    def wins(self, env: CardGameEnv, seat: int) -> float:
        """The mean share of the pot that the seat wins at a showdown."""
        held = self.possible(env, seat)
        return float(held @ shares(*self.seen(env, seat), self.rng) / held.sum())

    def values(self, env: CardGameEnv) -> dict[int, float]:
        """The values of legal actions in chips; chips already in the pot are not counted as lost."""
        record, seat = env.record[0], env.current_player
        held, share = self.possible(env, seat), shares(*self.seen(env, seat), self.rng)
        pot, owed = int(record["paid"].sum()), int(record["highest"] - record["bet"][seat])
        values = {FOLD: 0.0} if owed else {}
        values[CALL] = held @ share / held.sum() * (pot + owed) - owed
        for action in env.legal_actions():
            if action in RAISES and record["street"] >= self.calls:
                more = env.action_parts(action).amounts[0] - int(record["highest"])
                stays = held * (1 - self.folds(env, action))
                goes_on = stays.sum() / held.sum()
                called = stays @ share / stays.sum() * (pot + owed + 2 * more) - owed - more if goes_on else 0.0
                values[action] = (1 - goes_on) * pot + goes_on * called
        return values

    def folds(self, env: CardGameEnv, action: int) -> Numbers:
        """The probability that the opponent folds to a raise, with each hand."""
        env = env.clone()
        env.step(action)
        return likelihoods(self.agent, env, self.rng)[:, FOLD]


def play(agent: Agent, env: CardGameEnv, seat: int, deck: list[int], rng: np.random.Generator, calls: int = 0) -> float:
    """The result of the local best response in a hand, in big blinds. Against an agent with known probabilities, it is the mean
    over all its possible hands, over its folds at each decision, and over all boards if it can only fold or call."""
    env.reset(seed=int(rng.integers(2**32)), options={"deck": deck})
    responder, exact = LocalBestResponse(agent, rng, calls), is_known(agent) or isinstance(agent, HandsAgent)
    won, reached = 0.0, 1.0  # from folds so far, in chips; the probability that there were none
    while not env.is_over:
        if env.current_player == seat:
            before, values = env.clone(), responder.values(env)
            action = max(values, key=lambda action: values[action])
            env.step(action)
            if exact and (env.is_over or action == ALL_IN):  # on other boards than those of the choice, to avoid bias
                won += reached * (responder.values(before)[action] - int(before.record[0]["paid"][seat]))
                return won / _BIG_BLIND
        elif exact:
            own, theirs = (int(env.record[0]["paid"][place]) for place in (seat, 1 - seat))
            folds, action = responder.sample(env)
            won += reached * folds * theirs
            reached *= 1 - folds
            env.step(action)
            if env.is_over:  # they called or checked, so that both have paid as much
                return (won + reached * own * (2 * responder.wins(env, seat) - 1)) / _BIG_BLIND
        else:
            action = agent.act(View.of(env), rng)
            responder.watch(env, action)
            env.step(action)
    return env.returns[env.possible_agents[seat]]


@dataclass(frozen=True)
class Response:
    """The value of the local best response in mbb per hand, and its standard error over deals, each played from both seats."""

    agent: str
    stack: int
    calls: int
    deals: int
    mean: float
    error: float

    def __str__(self) -> str:
        lost = f"{self.mean:,.0f} ± {_95 * self.error:,.0f} mbb/hand ({self.deals:,} deals)"
        return f"{self.agent}, {self.stack} big blinds: loses {lost}{f', called on {self.calls} streets' if self.calls else ''}"


def respond(agent: str | Agent, stack: int = 100, deals: int = 1000, calls: int = 0, seed: int = 1) -> Response:
    """Play a local best response against an agent (or agent string), which is queried for 1,326 hands at once;
    stacks are in big blinds.

    Raises:
        ValueError: the agent plays one game at a time.
    """
    made = make(agent, "poker_v0", options(stack))
    if not isinstance(made, HandsAgent):
        check_batches(made, made.name, "too slow for a local best response")
    env, rng = envs.raw_env("poker_v0", **options(stack)), np.random.default_rng(seed)
    won = []
    for _ in range(deals):
        deck = rng.permutation(STANDARD).tolist()
        won.append(np.mean([play(made, env, seat, deck, rng, calls) for seat in range(PLAYERS)]))
    of_deals = MBB * np.array(won)
    return Response(made.name, stack, calls, deals, float(of_deals.mean()), float(of_deals.std(ddof=1) / math.sqrt(deals)))


def calls_all_in(agent: str | Agent, stack: int = 100) -> float:
    """The share of hands with which an agent in the big blind calls if the small blind goes all-in at once. An agent without
    known probabilities is asked once a hand, and doubted as in `likelihoods`."""
    env = envs.raw_env("poker_v0", **options(stack))
    env.reset(seed=0)
    env.step(ALL_IN)
    made = make(agent, "poker_v0", env.options)
    return float(1 - likelihoods(made, env, np.random.default_rng(0))[:, FOLD].mean())


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(
        prog="python -m wilddeck.benchmarks.studies.local_best_response", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("agents", nargs="*", default=["rules", "trained"])
    parser.add_argument("--stack", type=whole(2, 1000), default=100, help="in big blinds")
    parser.add_argument("--deals", type=whole(2, 10_000_000), default=1000, help="each is played from both seats")
    parser.add_argument("--calls", type=whole(0, 4), nargs="+", default=[0, 2], help="first streets on which it only calls")
    parser.add_argument("--exploit", type=whole(1, 1_000_000), help="also train an exploiter for this many seconds")
    parser.add_argument("--seed", type=integer, default=1)
    settings = parser.parse_args(arguments)
    with parser.refusing():
        for agent in settings.agents:
            for calls in settings.calls:
                print(respond(agent, settings.stack, settings.deals, calls, settings.seed), flush=True)
            print(f"  calls an open all-in with {calls_all_in(agent, settings.stack):.0%} of its hands", flush=True)
            if settings.exploit:
                found = exploit(agent, "poker_v0", options(settings.stack), max_seconds=settings.exploit, seed=settings.seed)
                low, high = (MBB * bound / _BIG_BLIND for bound in found.interval)
                print(f"  to an exploiter trained for {found.seconds:.0f} s: {low:,.0f} to {high:,.0f} mbb/hand", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
