"""The auction of bridge alone: how far from par agents bid, measured in seconds, and training that plays no cards.

python -m wilddeck.benchmarks.studies.bridge_auction [rules trained ...] [--games 20000]
python -m wilddeck.benchmarks.studies.bridge_auction --train runs/bridge_auction [--steps 80000000]
python -m wilddeck.benchmarks.studies.bridge_auction --solve 15000     # writes bridge_deals.npz again (extra `bridge`)

`GAME` is bridge with the standard deck and nobody vulnerable, which ends with the auction. Its deals come from a file with the
tricks of each declarer in each strain if all play double dummy. Suits are permuted and seats rotated, so each stands for
96 deals. A side's return is the score with these tricks, less par, in IMPs; with `play="typical"`, on which agents are trained,
its mean if cards are played as trained agents play them. Observations and actions are those of `bridge_v0`, so agents of that
game play this one, too. Training never sees the held-out deals.

There are no solved deals for the Extended Deck: there `learn_calls` learns calls in whole games.
"""

from __future__ import annotations

import dataclasses
import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ... import agents
from ...agents import learned
from ...agents.base import Agent
from ...agents.learned import LearnedAgent, side_by_side
from ...agents.play import evaluate, play_batch
from ...cli.arguments import Parser, integer, whole
from ...envs.core import options as opt
from ...envs.core.cards import STANDARD, SUITS
from ...envs.core.extended.state import TRICKS
from ...envs.core.fields import Field
from ...envs.core.game import Bounds, Game, Options
from ...envs.core.jit import device_function
from ...envs.core.rng import random_below
from ...envs.core.units import Unit
from ...envs.games.bridge import GAME as BRIDGE
from ...envs.games.bridge.auction import declarer_of, doubling_of, last_bid, step_call, strain_of
from ...envs.games.bridge.rules import determinize as redraw
from ...envs.games.bridge.score import duplicate_points, level_of
from ...envs.games.bridge.state import ACTIONS, BIDS, FIELDS, NO_BID, NO_TRUMP, PLAYERS, SIDES, STRAIN_TEXT, STRAINS
from ...envs.games.bridge.state import Options as BridgeOptions
from ...training.train import shape_of, train
from .bridge_par import BOOK, IMPS, OPTIONS, as_deal, check_solver

DEALS = Path(__file__).with_name("bridge_deals.npz")
FOLDER = Path("runs/bridge_auction")
PLAYS = "double_dummy", "typical"
HELD_OUT = TYPICAL = 1  # values of the options `among` and `play`
_HELD_OUT = 600  # the first deals of the file
_SOLVED_SEED, _SOLVED_TOGETHER = (77, 0), 40
_95 = 1.96  # standard errors
# Self-play alone: the rules are copied first, and measure rewards. With larger batches agents learn more slowly.
SETTINGS: dict[str, Any] = {
    "fixed_opponents": ("rules",),
    "init_from": "rules",
    "bc_fraction": 0.03,
    "self_play_prob": 0.6,
    "past_policy_prob": 0.4,
    "snapshot_every": 1_000_000,
    "eval_every": 20_000_000,
    "checkpoint_every": 5_000_000,
    "num_envs": 64,
    "rollout_steps": 512,
    "batch_size": 1024,
    "learning_rate": 2e-3,
    "final_learning_rate": 3e-5,
    "ent_coef": 0.01,
    "final_ent_coef": 5e-4,
    "gae_lambda": 0.9,
}
STEPS = 80_000_000
CALLS = "pass", "double", "bid"  # blocks of actions
CALLS_FOLDER = Path("runs/bridge_calls")
# With fewer games against the rules agents won less from them, and no more from the agent that they began as.
_LEARNED_ON: dict[str, Any] = {"total_steps": 11_000_000, "self_play_prob": 0.2, "past_policy_prob": 0.3, "kl_coef": 0.0}

with np.load(DEALS) as _file:
    OWNERS, SOLVED = _file["owners"], _file["tricks"]  # uint8 [N, 52], the seat of each card; [N, declarer, strain]
_N = len(OWNERS)
_PERMUTATIONS = np.array(list(itertools.permutations(range(SUITS))))
_NUM_PERMUTATIONS = len(_PERMUTATIONS)
_NEVER = -100_000  # points
# How often declarer takes 3 tricks fewer than double dummy, ..., 3 more, if trained agents play the cards: with fewer than ten
# tricks double dummy, and with ten or more (`bridge_par`, 300 deals).
_TYPICAL = np.array([[0.01, 0.09, 0.20, 0.34, 0.25, 0.09, 0.02], [0.10, 0.13, 0.38, 0.29, 0.07, 0.03, 0.0]])
_OUTCOMES, _MANY = _TYPICAL.shape[1], 10
IS_CALL = np.arange(ACTIONS.size(PLAYERS)) >= ACTIONS.slices(PLAYERS)["pass"].start  # of the actions: cards come first


# --- the game ---


@dataclasses.dataclass(frozen=True)
class AuctionOptions(BridgeOptions):
    """Options of the auction alone. Those of bridge are those of the solved deals."""

    deck: str = opt.one_of("standard", ("extended", "standard"), "standard: the 52 ordinary cards", stored_as="standard")
    dealer: Any = opt.seat("random", "dealer")
    among: str = opt.one_of("training", ("training", "held_out"), "the deals")
    play: str = opt.one_of("double_dummy", PLAYS, "declarer's tricks; with typical ones IMPs are means")

    def validate(self) -> None:
        super().validate()
        for name, value in (("deck", "standard"), ("scoring", "duplicate"), ("vulnerability", "none")):
            if getattr(self, name) != value:
                raise ValueError(f"option {name}={getattr(self, name)!r} is not allowed in solved deals; allowed: {value}")


@device_function
def choose_deal(state):
    """One of the solved deals, with its suits permuted and its seats rotated."""
    if state.among == HELD_OUT:
        state.solved = random_below(state, _HELD_OUT)
    else:
        state.solved = _HELD_OUT + random_below(state, _N - _HELD_OUT)
    state.permutation = random_below(state, _NUM_PERMUTATIONS)
    state.turned = random_below(state, PLAYERS)


@device_function
def deal(state):
    choose_deal(state)
    dealt = np.zeros(PLAYERS, np.int64)
    for card in range(STANDARD):
        seat = (np.int64(OWNERS[state.solved, card]) + np.int64(state.turned)) & 3
        moved = card - card % SUITS + _PERMUTATIONS[state.permutation, card % SUITS]
        state.deck[PLAYERS * dealt[seat] + seat] = moved
        dealt[seat] += 1


@device_function
def step(state, action):
    if not step_call(state, action):
        return
    imps, best = 0.0, par(state)
    if last_bid(state) == NO_BID:
        imps = imps_of(-best)
    else:
        declarer = declarer_of(state)
        tricks = tricks_of(state, declarer, strain_of(last_bid(state)))
        if state.play == TYPICAL:
            for k in range(_OUTCOMES):
                imps += _TYPICAL[np.int64(tricks >= _MANY), k] * imps_with(state, declarer, tricks + k - _OUTCOMES // 2, best)
        else:
            imps = imps_with(state, declarer, tricks, best)
    for seat in range(PLAYERS):
        state.rewards[seat] = np.float32(-imps if seat & 1 else imps)
    state.terminated = 1


@device_function
def imps_with(state, declarer, tricks, best):
    """The IMPs of North-South, less par, `best`, if declarer takes so many tricks."""
    bid = last_bid(state)
    over = min(max(tricks, 0), TRICKS) - BOOK - level_of(bid)
    points = duplicate_points(bid, doubling_of(state, bid), 0, over)
    return imps_of((-points if declarer & 1 else points) - best)


@device_function
def imps_of(points):
    """With the sign of the points."""
    imps = np.searchsorted(IMPS, abs(points), side="right")
    return float(imps if points > 0 else -imps)


@device_function
def tricks_of(state, declarer, strain):
    """Declarer's double-dummy tricks in the strain."""
    permutation, seat = np.int64(state.permutation), (declarer - np.int64(state.turned)) & 3
    if strain == NO_TRUMP:
        return np.int64(SOLVED[state.solved, seat, strain])
    suit = 0
    while _PERMUTATIONS[permutation, suit] != strain:
        suit += 1
    return np.int64(SOLVED[state.solved, seat, suit])


@device_function
def par(state):
    """The score of North-South if both sides bid their best with all cards open."""
    best = np.zeros(SIDES, np.int64)  # of each side, if it bids higher than the bids looked at so far
    best[0] = best[1] = _NEVER
    for bid in range(BIDS - 1, -1, -1):
        first = of_bid(state, 0, bid, best[1])
        other = of_bid(state, 1, bid, best[0])
        best[0], best[1] = max(best[0], first), max(best[1], other)
    side = np.int64(state.dealer) & 1
    points = max(best[side], -max(best[1 - side], 0))  # the dealer's side bids, or the other does, or all pass
    return -points if side else points


@device_function
def of_bid(state, side, bid, others):
    """What a side gets for a bid, to which the others reply by passing, doubling, or bidding higher, for `others` points."""
    tricks = max(tricks_of(state, side, strain_of(bid)), tricks_of(state, side + SIDES, strain_of(bid)))
    over = tricks - BOOK - level_of(bid)
    return min(min(duplicate_points(bid, 0, 0, over), duplicate_points(bid, 1, 0, over)), -others)


@device_function
def determinize(state, viewer):
    """Redraws the others' hands, and which solved deal gives the tricks: those of the true one would tell what is hidden. So
    returns after a determinization say nothing about its hands, and search finds nothing here."""
    redraw(state, viewer)
    choose_deal(state)


def _check_deck(options: Options, ids: list[int]) -> None:
    raise ValueError("deals of bridge_auction_v0 are solved ones; none can be given")


GAME = dataclasses.replace(
    BRIDGE,
    name="bridge_auction",
    title="",
    options=AuctionOptions,
    fields=[
        *FIELDS,
        Field("solved", "u2", high=_N - 1),
        Field("permutation", "u1", high=_NUM_PERMUTATIONS - 1),
        Field("turned", "u1", high=PLAYERS - 1),
    ],
    functions={**BRIDGE.functions, "deal": deal, "step": step, "determinize": determinize},
    check_deck=_check_deck,
    bounds=Bounds(BRIDGE.bounds.max_length, lambda options: (-float(len(IMPS)), float(len(IMPS)))),
    unit=lambda options: Unit("IMP", 1),
    page="",
    weights="",
)


# --- agents ---


def from_par(agent: Agent, games: int = 20_000, seed: int = 1) -> tuple[float, float]:
    """Mean and standard error over games of the IMPs from par, if the agent bids on all seats."""
    returns = play_batch(GAME, {"among": "held_out"}, [agent] * PLAYERS, games, seed)
    distances = np.abs(returns[:, 0])
    return float(distances.mean()), float(distances.std(ddof=1) / games**0.5)


def over_rules(agent: Agent, play: str, games: int = 20_000, seed: int = 1) -> tuple[float, float]:
    """Mean and standard error over deals of the IMPs per deal that a side with the agent gets from one with the rules."""
    options = {"among": "held_out", "play": play}
    won = evaluate(agent, agents.make("rules", BRIDGE, OPTIONS), GAME, options, (games + 1) // SIDES, seed)
    return won.mean, won.standard_error


def learn(folder: Path = FOLDER, steps: int = STEPS, **settings: Any) -> Path:
    """Train an agent on the auction alone, or go on with the run in the folder. Returns its weights, for `bridge_v0`."""
    result = train(GAME, {"play": "typical"}, out=folder, resume=True, total_steps=steps, **{**SETTINGS, **settings})
    path = folder / "bidder.safetensors"
    learned.load(result.weights, GAME).save(path, BRIDGE, OPTIONS)
    return path


def with_auction(player: LearnedAgent, game: Game, options: Options) -> LearnedAgent:
    """A trained agent of `bridge_v0` that bids as learned in `FOLDER` instead, where the auction is learned first if it has not
    been: how the baseline `bridge_v0-standard` is finished."""
    return side_by_side(learned.load(learn(), game, options), player, IS_CALL)


def learn_calls(
    player: LearnedAgent, game: Game, options: Options, folder: Path = CALLS_FOLDER, **settings: Any
) -> LearnedAgent:
    """The agent with calls that it learned on in whole games, in which it plays all cards as before: how the baseline
    `bridge_v0` is finished. It goes on with this agent's run in the folder, if there is one."""
    chosen = {**SETTINGS, **_LEARNED_ON, **shape_of(player), "init_from": player, "learn_only": CALLS, **settings}
    of_player = folder / learned.tensors_sha256(player.tensors())[:8]
    result = train(game, options, out=of_player, resume=True, **chosen)
    return learned.load(result.weights, game, options)


# --- deals ---


def solve(count: int, path: Path = DEALS) -> None:
    """Solve deals, and write them."""
    import endplay

    rng = np.random.default_rng(_SOLVED_SEED)
    owners = np.array([np.argsort(rng.permutation(STANDARD)) // TRICKS for _ in range(count)], np.uint8)
    tricks = np.zeros((count, PLAYERS, STRAINS), np.uint8)
    strains = [endplay.Denom.find(text) for text in STRAIN_TEXT]
    for first in range(0, count, _SOLVED_TOGETHER):
        together = owners[first : first + _SOLVED_TOGETHER]
        hands = [[np.flatnonzero(owner == seat).tolist() for seat in range(PLAYERS)] for owner in together]
        for row, table in enumerate(endplay.calc_all_tables([as_deal(each) for each in hands]), first):
            tricks[row] = [[table[strain, endplay.Player(seat)] for strain in strains] for seat in range(PLAYERS)]
    np.savez_compressed(path, owners=owners, tricks=tricks)


def _text(found: tuple[float, float], sign: str = "") -> str:
    return f"{found[0]:{sign}.2f} ± {_95 * found[1]:.2f}"


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.bridge_auction", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("agents", nargs="*", help="default: rules trained")
    parser.add_argument("--games", type=whole(2, 10_000_000), default=20_000)
    parser.add_argument("--seed", type=integer, default=1)
    parser.add_argument("--train", type=Path, metavar="FOLDER", help="learn the auction, or go on with the run in the folder")
    parser.add_argument("--steps", type=whole(1, 10**12), default=STEPS, help="decisions to learn from")
    parser.add_argument("--solve", type=whole(_HELD_OUT + 1, 60_000), metavar="DEALS", help="solve deals, and write their file")
    settings = parser.parse_args(arguments)
    with parser.refusing():
        if settings.solve:
            check_solver(parser)
            solve(settings.solve)
            return 0
        named = settings.agents or ([] if settings.train else ["rules", "trained"])
        if settings.train:
            named.append(str(learn(settings.train, settings.steps)))
        for name in named:
            agent, sample = agents.make(name, BRIDGE, OPTIONS), (settings.games, settings.seed)
            par, won, typical = from_par(agent, *sample), *(over_rules(agent, play, *sample) for play in PLAYS)
            print(
                f"{name}: {_text(par)} IMPs from par, {_text(won, '+')} IMPs a deal from the rules, with double-dummy play; "
                f"{_text(typical, '+')} with typical play",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
