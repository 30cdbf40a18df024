"""The network that copies `resolve`: the positions that it learns from."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from wilddeck import agents, envs
from wilddeck.agents.holdem import preflop
from wilddeck.agents.holdem.hands import SETS, RunOuts
from wilddeck.agents.holdem.regrets import Solution, mean_cost, mean_strategy, public
from wilddeck.agents.holdem.resolving import Position, ResolvingAgent
from wilddeck.agents.learned import LearnedAgent
from wilddeck.benchmarks.studies import holdem_distilled, holdem_network
from wilddeck.benchmarks.studies.holdem_distilled import Gatherer, Learned, Positions, gather
from wilddeck.benchmarks.studies.local_best_response import options
from wilddeck.envs.core.aec import CardGameEnv

GAME, OPTIONS = envs.resolve("poker_v0", options(100))


@pytest.fixture(scope="module", autouse=True)
def few() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(holdem_distilled, "_BRANCHES", (8, 2, 2, 1))
        monkeypatch.setattr(holdem_distilled, "_PLAYED", (10,) * 4)
        yield


@pytest.fixture(scope="module")
def learned() -> Learned:
    return Gatherer(GAME, OPTIONS, iterations=4, seed=(1, 0)).gather()


def test_positions_are_of_all_streets_and_have_strategies_over_legal_actions(learned: Learned) -> None:
    _, masks, strategy, cost = Positions(CardGameEnv(GAME, OPTIONS), learned).draw(1000)
    assert set(learned.records["street"]) == {0, 1, 2, 3}
    assert np.allclose(strategy.sum(axis=1), 1, atol=2e-3) and (strategy[masks == 0] == 0).all()
    assert (cost >= 0).all() and (cost[masks == 0] == 0).all() and cost.max() > 1
    assert (learned.cost[learned.records["street"][learned.place] == 0] == 0).all()  # those before the flop are not known


def test_before_the_flop_positions_are_as_solved(learned: Learned) -> None:
    solved, env, met = preflop.strategies(OPTIONS), CardGameEnv(GAME, OPTIONS), 0
    env.reset(seed=1)
    for record, hand, likely in zip(learned.records[learned.place], learned.hand, learned.strategy, strict=True):
        env.record[0] = record
        if public(env) in solved and record["street"] == 0:
            actions, expected = solved[public(env)]
            assert np.allclose(likely[actions], expected[hand], atol=2e-3)
            met += 1
    assert met > 20


def test_a_player_never_holds_a_card_of_the_board(learned: Learned) -> None:
    for record, hand, board in zip(learned.records[learned.place], learned.hand, learned.board, strict=True):
        dealt = board[: record["common_size"]].tolist()
        assert len(dealt) == (0, 3, 4, 5)[record["street"]] and len(set(dealt)) == len(dealt)
        assert not any(int(SETS[hand]) >> card & 1 for card in dealt)


def test_later_streets_are_played_as_solved_from_the_flop_on_many_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holdem_distilled, "_BRANCHES", (1, 0, 0, 0))
    monkeypatch.setattr(holdem_distilled, "_PLAYED", (10, 40, 0, 0))
    solved: list[tuple[Solution, RunOuts]] = []

    class Recorded(ResolvingAgent):
        def solve(self, at: Position, boards: RunOuts, rng: np.random.Generator) -> Solution:
            solved.append((super().solve(at, boards, rng), boards))
            return solved[-1][0]

    monkeypatch.setattr(holdem_distilled, "ResolvingAgent", Recorded)
    learned = Gatherer(GAME, OPTIONS, iterations=4, seed=(1, 5)).gather()
    ((solution, boards),) = solved
    streets, env, met = learned.records["street"][learned.place], CardGameEnv(GAME, OPTIONS), 0
    env.reset(seed=1)
    rows = {tuple(board): row for row, board in enumerate(boards.board.tolist())}
    for k in np.flatnonzero(streets > 1).tolist():
        env.record[0] = learned.records[learned.place[k]]
        node = solution.keys.index(public(env))
        bucket = boards.buckets[rows[tuple(learned.board[k].tolist())], streets[k], learned.hand[k]]
        for found, expected in ((learned.strategy, mean_strategy), (learned.cost, mean_cost)):
            actions, of_buckets = expected(solution.tree, solution.tables, node)
            assert np.allclose(found[k, actions], of_buckets[bucket], atol=2e-3, rtol=2e-3)
        met += 1
    assert met > 10 and set(streets) == {0, 1, 2, 3} and len(np.unique(learned.board[streets > 1], axis=0)) > 4


def test_exchanged_suits_are_the_same_position(learned: Learned) -> None:
    positions = Positions(CardGameEnv(GAME, OPTIONS), Learned(learned.records, *(each[-1:] for each in learned[1:])))
    rows, masks, strategy, _ = positions.draw(200)
    assert (masks == masks[0]).all() and (strategy == strategy[0]).all()
    assert 1 < len(np.unique(rows, axis=0)) <= 24 and len(set(rows.sum(axis=1).round(3))) == 1


def test_positions_do_not_depend_on_the_number_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holdem_distilled, "ProcessPoolExecutor", lambda workers, context: ThreadPoolExecutor(workers))
    monkeypatch.setattr(holdem_distilled, "_BRANCHES", (1, 1, 1, 1))
    one, two = (gather(100, iterations=2, workers=workers, seed=1) for workers in (1, 2))
    assert len(one.hand) >= 100
    for name, found, other in zip(Learned._fields, one, two, strict=True):
        assert found.tobytes() == other.tobytes(), name


def test_the_command_writes_weights(
    learned: Learned, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(holdem_distilled, "gather", lambda *settings: learned)
    monkeypatch.setattr(holdem_network, "_BATCH", 256)
    file = tmp_path / "new" / "agent.safetensors"
    assert holdem_distilled.main([str(file), "--steps", "3000"]) == 0
    assert str(file) in capsys.readouterr().out
    agent = agents.make(file, GAME, OPTIONS)
    assert isinstance(agent, LearnedAgent)
    rows, masks, strategy, _ = Positions(CardGameEnv(GAME, OPTIONS), learned).draw(1000)
    played, random = agent.probabilities(rows, masks, np.random.default_rng(1)), masks / masks.sum(axis=1, keepdims=True)
    assert np.abs(played - strategy).sum() < 0.7 * np.abs(random - strategy).sum()
    monkeypatch.setattr(holdem_distilled, "make_agent", None)  # refused before the work
    with pytest.raises(SystemExit):
        holdem_distilled.main([str(tmp_path / "agent.bad")])
    assert "agent.bad: the name of a weights file must end in .safetensors or .npz" in capsys.readouterr().err
