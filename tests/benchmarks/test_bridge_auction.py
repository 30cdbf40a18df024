"""The auction of bridge alone: solved deals, par, returns, and what is learned from them."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wilddeck import agents, envs
from wilddeck.agents.base import PolicyAgent, View
from wilddeck.agents.learned import LearnedAgent, side_by_side
from wilddeck.benchmarks.studies import bridge_auction, bridge_par
from wilddeck.benchmarks.studies.bridge_auction import GAME, OWNERS, SOLVED
from wilddeck.benchmarks.studies.bridge_par import Contract, Played, imps
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import STANDARD
from wilddeck.envs.games.bridge.auction import declarer_of, doubling_of, last_bid
from wilddeck.envs.games.bridge.state import ACTIONS, BIDS, NO_BID, NO_TRUMP, OBSERVATION, PLAYERS, SIDES, STRAINS

pytestmark = pytest.mark.interpreted
PASS = ACTIONS.slices(PLAYERS)["pass"].start
ALL = [[(declarer, strain) for strain in range(STRAINS)] for declarer in range(PLAYERS)]


def begun(seed: int, **options: object) -> CardGameEnv:
    env = envs.raw_env(GAME, **options)
    env.reset(seed=seed)
    return env


def hands(env: CardGameEnv) -> list[list[int]]:
    zones = env.zones()
    return [sorted(zones[f"hand/{seat}"]) for seat in range(PLAYERS)]


def state(env: CardGameEnv) -> Any:
    """For rules."""
    return env.record.view(np.recarray)[0]


def tricks(env: CardGameEnv) -> np.ndarray:
    """Double dummy, int [declarer, strain]."""
    record = state(env)
    return np.array([[bridge_auction.tricks_of(record, *at) for at in row] for row in ALL])


def contract(env: CardGameEnv) -> Contract | None:
    record = state(env)
    bid = int(last_bid(record))
    return None if bid == NO_BID else Contract(bid, int(declarer_of(record)), int(doubling_of(record, bid)))


def test_suits_and_seats_move_together_with_the_tricks() -> None:
    """Whoever holds the cards of seat s in the file, moved to other suits, takes the tricks of seat s in these suits."""
    moved = set()
    for seed in range(20):
        env = begun(seed)
        record, table = state(env), tricks(env)
        owner, solved, turned = OWNERS[record["solved"]], SOLVED[record["solved"]], int(record["turned"])
        suits = bridge_auction._PERMUTATIONS[record["permutation"]]
        for seat in range(PLAYERS):
            cards = [int(card // 4 * 4 + suits[card % 4]) for card in np.flatnonzero(owner == seat)]
            now = (seat + turned) % PLAYERS
            assert hands(env)[now] == sorted(cards)
            for strain in range(STRAINS):
                assert table[now, strain if strain == NO_TRUMP else suits[strain]] == solved[seat, strain]
        moved.add((turned, int(record["permutation"])))
    assert len(moved) > 10


def best_by_search(points: np.ndarray, dealer: int) -> int:
    """Par of North-South by trying all bids of both sides in turn; `points` [side, bid]: what a bid is worth if it stands."""

    def replies(side: int, lowest: int) -> int:
        """The most that a side gets by bidding at least so high."""
        return max((value(side, bid) for bid in range(lowest, BIDS)), default=-(10**6))

    memo: dict[tuple[int, int], int] = {}

    def value(side: int, bid: int) -> int:
        if (side, bid) not in memo:
            memo[side, bid] = min(int(points[side, bid]), -replies(1 - side, bid + 1))
        return memo[side, bid]

    side = dealer % 2
    best = max(replies(side, 0), -max(replies(1 - side, 0), 0))
    return -best if side else best


def test_par_and_returns() -> None:
    """Par beside a search of all bids; returns are the IMPs between the score of the contract and par, of each side."""
    agent, seen = agents.make("rules", "bridge_v0", bridge_par.OPTIONS), set()
    for seed in range(12):
        env, points = begun(seed), np.zeros((SIDES, BIDS), int)
        table = tricks(env)
        for side, bid in np.ndindex(*points.shape):
            most = int(max(table[side, bid % STRAINS], table[side + SIDES, bid % STRAINS]))
            points[side, bid] = min((1 - 2 * side) * Contract(bid, side, doubling).points(most) for doubling in range(2))
        par = best_by_search(points, int(state(env)["dealer"]))
        assert bridge_auction.par(state(env)) == par
        rng = np.random.default_rng(seed)
        while not env.is_over:
            env.step(agent.act(View.of(env), rng))
        reached = contract(env)
        got = reached.points(int(table[reached.declarer, reached.bid % STRAINS])) if reached else 0
        signed = imps(got - par) * (1 if got > par else -1)
        assert [env.returns[player] for player in env.possible_agents] == [signed, -signed, signed, -signed]
        seen.add((np.sign(signed), reached is not None and reached.declarer % SIDES))
    assert len(seen) >= 4


def test_typical_play() -> None:
    """The mean over declarer's tricks, by their probabilities; all pass is the same."""
    rng, rules = np.random.default_rng(0), agents.make("rules", "bridge_v0", bridge_par.OPTIONS)
    many = set()
    for seed in range(12):
        env = begun(seed, play="typical")
        table, par = tricks(env), int(bridge_auction.par(state(env)))
        while not env.is_over:
            env.step(rules.act(View.of(env), rng) if seed else PASS)
        reached, expected = contract(env), 0.0
        if reached is None:
            expected = float(np.sign(-par) * imps(par))
        else:
            solved = int(table[reached.declarer, reached.bid % STRAINS])
            for more, probability in zip(range(-3, 4), bridge_auction._TYPICAL[int(solved >= 10)], strict=True):
                off = reached.points(min(max(solved + more, 0), 13)) - par
                expected += float(probability * np.sign(off) * imps(off))
            many.add(solved >= 10)
        assert env.returns["player_0"] == pytest.approx(expected, abs=1e-5) == -env.returns["player_1"]
    assert len(many) == 2 and np.allclose(bridge_auction._TYPICAL.sum(axis=1), 1)


def test_all_pass() -> None:
    env = begun(3)
    par = int(bridge_auction.par(state(env)))
    for _ in range(PLAYERS):
        env.step(PASS)
    assert env.is_over and env.returns["player_0"] == -np.sign(par) * imps(par) != 0


def test_determinizations_do_not_tell_the_true_tricks() -> None:
    env, true = begun(3), tricks(begun(3))
    samples = [env.determinize("player_0", seed) for seed in range(8)]
    assert all(sample.zones()["hand/0"] == env.zones()["hand/0"] for sample in samples)
    assert not any((tricks(sample) == true).all() for sample in samples)
    assert len({int(state(sample)["solved"]) for sample in samples}) > 4


def test_held_out_deals_are_others() -> None:
    seen = [{int(begun(seed, among=among).record[0]["solved"]) for seed in range(100)} for among in ("held_out", "training")]
    assert max(seen[0]) < 600 <= min(seen[1])


@pytest.mark.parametrize(
    ("name", "value"), [("deck", "extended"), ("scoring", "rubber"), ("vulnerability", "both"), ("among", "all")]
)
def test_options_are_those_of_the_solved_deals(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"option {name}='{value}' is not allowed"):
        envs.raw_env(GAME, **{name: value})


def test_no_deal_can_be_given() -> None:
    with pytest.raises(ValueError, match="none can be given"):
        begun(1).reset(seed=1, options={"deck": list(range(STANDARD))})


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Rules are nearer to par than random bids, and win from them what rules among themselves do not."""
    assert bridge_auction.main(["rules", "random", "--games", "40"]) == 0
    lines = capsys.readouterr().out.splitlines()
    form = re.compile(
        r"(\w+): (\S+) ± \S+ IMPs from par, (\S+) ± \S+ IMPs a deal from the rules, with double-dummy play; "
        r"(\S+) ± \S+ with typical play"
    )
    found = {match[1]: [float(match[k]) for k in (2, 3, 4)] for match in map(form.fullmatch, lines) if match}
    assert found["rules"][0] + 5 < found["random"][0] and found["rules"][1:] == [0, 0]
    assert max(found["random"][1:]) < -5


def network(inputs: int, seed: int, expert: PolicyAgent | None = None) -> LearnedAgent:
    """With random weights."""
    rng, sizes = np.random.default_rng(seed), (inputs, 5, 4 + seed, ACTIONS.size(PLAYERS))
    layers = [(rng.normal(size=pair).astype(np.float32), rng.normal(size=pair[1])) for pair in itertools.pairwise(sizes)]
    return LearnedAgent(layers, "relu", greedy=True, expert=expert)


def test_one_network_bids_as_one_and_plays_as_another() -> None:
    """The one that plays also sees what the rules would do."""
    rules = agents.make("rules", "bridge_v0", bridge_par.OPTIONS)
    assert isinstance(rules, PolicyAgent)
    bidder = network(OBSERVATION.size(PLAYERS), 1)
    player = network(OBSERVATION.size(PLAYERS) + ACTIONS.size(PLAYERS), 2, rules)
    both, rng, calls, cards = side_by_side(bidder, player, bridge_auction.IS_CALL), np.random.default_rng(0), 0, 0
    for seed in range(4):
        env = envs.raw_env("bridge_v0", **bridge_par.OPTIONS)
        env.reset(seed=seed)
        while not env.is_over:
            view = View.of(env)
            in_auction = PASS in view.legal_actions
            action = (bidder if in_auction else player).act(view, rng)
            assert both.act(view, rng) == action
            calls, cards = calls + in_auction, cards + (not in_auction)
            env.step(PASS if in_auction and calls % 3 else action)
    assert calls > 8 and cards > 100
    with pytest.raises(ValueError, match="the same activation"):
        side_by_side(LearnedAgent(bidder.layers, "tanh"), player, bridge_auction.IS_CALL)


@pytest.mark.parametrize("hidden", [(), (5,), (5, 3)])
def test_two_networks_side_by_side_are_one(hidden: tuple[int, ...]) -> None:
    """It scores some actions as one does, the others as the other does."""
    rng = np.random.default_rng(1)
    one, other = (
        LearnedAgent(
            [(rng.normal(size=pair), rng.normal(size=pair[1])) for pair in itertools.pairwise((7, *widths, 6))], "relu"
        )
        for widths in (hidden, [width + 1 for width in hidden])
    )
    of_one = np.array([1, 0, 0, 1, 1, 0], bool)
    both, seen = side_by_side(one, other, of_one), rng.normal(size=(4, 7)).astype(np.float32)
    assert both.logits(seen) == pytest.approx(np.where(of_one, one.logits(seen), other.logits(seen)), rel=1e-4, abs=1e-4)


@pytest.mark.long
def test_a_trained_agent_gets_the_learned_auction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {"num_envs": 2, "rollout_steps": 32, "batch_size": 32, "hidden": (8, 8), "eval_deals": 2}
    weights = bridge_auction.learn(tmp_path, 300, **small)
    monkeypatch.setattr(bridge_auction, "learn", lambda: weights)
    game, options = envs.resolve("bridge_v0", bridge_par.OPTIONS)
    agent = bridge_auction.with_auction(network(OBSERVATION.size(PLAYERS), 0), game, options)
    bidder = agents.make(weights, game, options)
    env = envs.raw_env(game, **bridge_par.OPTIONS)
    env.reset(seed=1)
    view, rng = View.of(env), np.random.default_rng(0)
    assert agent.act(view, rng) == bidder.act(view, rng)


@pytest.mark.long
def test_calls_are_learned_on(tmp_path: Path) -> None:
    """From those of the agent, which plays the cards as before; a run goes on in its folder."""
    game, options = envs.resolve("bridge_v0", {})
    small = {"num_envs": 2, "rollout_steps": 32, "batch_size": 32, "eval_deals": 2, "snapshot_every": 100}
    player = network(OBSERVATION.size(PLAYERS), 0)
    begun = bridge_auction.learn_calls(player, game, options, tmp_path, total_steps=300, **small)
    agent = bridge_auction.learn_calls(player, game, options, tmp_path, total_steps=600, **small)
    assert (agent.vector != begun.vector).any()
    seen, is_call = np.random.default_rng(0).random((4, player.observation_size), np.float32), bridge_auction.IS_CALL
    before, now = player.logits(seen), agent.logits(seen)
    assert now[:, ~is_call] == pytest.approx(before[:, ~is_call], rel=1e-3)
    assert abs(now - before)[:, is_call].max() > 0.1
    assert np.corrcoef(now[:, is_call].ravel(), before[:, is_call].ravel())[0, 1] > 0.9


def test_par_is_that_of_the_solver() -> None:
    pytest.importorskip("endplay")
    for seed in range(6):
        env = begun(seed)
        played = Played(int(state(env)["dealer"]), tuple(map(tuple, hands(env))), None, (), 0)
        assert bridge_auction.par(state(env)) == bridge_par.par(played)


def test_solved_deals_come_from_the_command(tmp_path: Path) -> None:
    pytest.importorskip("endplay")
    bridge_auction.solve(3, tmp_path / "deals.npz")
    with np.load(tmp_path / "deals.npz") as file:
        assert (file["owners"] == OWNERS[:3]).all() and (file["tricks"] == SOLVED[:3]).all()
