"""OpenSpiel's learners on the games: deep ones by the information state tensor, sampling solvers by the string."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import ROOT, WITHIN

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra `openspiel`")
torch = pytest.importorskip("torch", reason="OpenSpiel's deep learners need it")
pytest.importorskip("tree", reason="OpenSpiel's deep learners need dm-tree")

from open_spiel.python import policy, rl_environment  # noqa: E402
from open_spiel.python.algorithms import (  # noqa: E402
    exploitability,
    external_sampling_mccfr,
    generate_playthrough,
    outcome_sampling_mccfr,
)
from open_spiel.python.pytorch import deep_cfr, nfsp  # noqa: E402
from openspiel_games import small_game  # noqa: E402
from wilddeck.frameworks import openspiel  # noqa: E402

HOLDEM: dict[str, Any] = {"num_players": 2, "variant": "texas_holdem", "betting": "limit"}
GAMES = pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tennis_v0", {"num_players": 2, "max_tricks": 50}),
        pytest.param("hearts_v0", {"passing": "hold"}, marks=pytest.mark.long),  # for four, and four only
        pytest.param("poker_v0", HOLDEM, marks=pytest.mark.long),
    ],
)


@GAMES
def test_neural_fictitious_self_play(name: str, options: dict[str, Any]) -> None:
    game = openspiel.load_game(name, history=16, **options)
    np.random.seed(1)
    torch.manual_seed(1)
    env = rl_environment.Environment(game, chance_event_sampler=rl_environment.ChanceEventSampler(seed=1))
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    small = {"batch_size": 4, "min_buffer_size_to_learn": 4, "learn_every": 2, "replay_buffer_capacity": 500}
    agents = [nfsp.NFSP(player, size, actions, [8], 500, 0.5, **small) for player in range(game.num_players())]
    for _ in range(20 if name == "poker_v0" else 3):
        step = env.reset()
        while not step.last():
            step = env.step([agents[step.observations["current_player"]].step(step).action])
        for agent in agents:
            agent.step(step)
    losses = [loss for agent in agents for loss in agent.loss if loss is not None]
    assert losses and np.isfinite(losses).all()


class CutShort(deep_cfr.DeepCFRSolver):
    """Deep CFR goes through all actions of a player to the end of the game; this goes a few moves deep, then plays out."""

    moves = 6
    evaluator = openspiel.RolloutEvaluator(1, seed=1)

    def _traverse_game_tree(self, state: Any, player: int) -> float:
        if not state.is_terminal() and state.move_number() >= self.moves + 4:  # of chance
            return float(self.evaluator.evaluate(state)[player])
        return super()._traverse_game_tree(state, player)  # type: ignore[no-any-return]


@GAMES
def test_deep_counterfactual_regret_minimisation(name: str, options: dict[str, Any]) -> None:
    game = openspiel.load_game(name, history=16, **options)
    batches = {
        "batch_size_advantage": 2,
        "batch_size_strategy": 2,
    }  # without, it learns from memory that nothing was written into
    solver = CutShort(game, (8,), (8,), num_iterations=2, num_traversals=4, memory_capacity=2000, **batches)
    _, losses, loss = solver.solve()
    assert np.isfinite([loss, *(value for values in losses.values() for value in values if value is not None)]).all()
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(1)
    chosen = solver.action_probabilities(state)
    assert chosen.keys() == set(state.legal_actions()) and 0 < sum(chosen.values()) <= 1 + 1e-6


@pytest.mark.parametrize(
    ("solver", "iterations"),
    [(external_sampling_mccfr.ExternalSamplingSolver, 300), (outcome_sampling_mccfr.OutcomeSamplingSolver, 3000)],
)
def test_sampled_counterfactual_regret_minimisation(solver: Any, iterations: int) -> None:
    """Of Kuhn poker: what is played comes close to an equilibrium."""
    np.random.seed(1)
    game = small_game()
    sampled = solver(game)
    for _ in range(iterations):
        sampled.iteration()
    assert exploitability.exploitability(game, sampled.average_policy()) < 0.15


@pytest.mark.long
def test_holdem_of_few_deals_is_solved() -> None:
    """For two, with as many information states as moves and cards in sight make."""
    game = openspiel.load_game("poker_v0", deals=2, raise_cap=(1, 0, 0, 0), button=0, **HOLDEM)
    np.random.seed(1)
    sampled = external_sampling_mccfr.ExternalSamplingSolver(game)
    uniform = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    for _ in range(100):
        sampled.iteration()
    assert exploitability.exploitability(game, sampled.average_policy()) < uniform / 4


@pytest.mark.long
def test_the_guides_learners(tmp_path: Path) -> None:
    """They print what it says."""
    text = (ROOT / "docs" / "guides" / "openspiel.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n([^`]*nfsp.NFSP[^`]*)```\n\n```\n([^`]*)```", text)
    assert found is not None
    (tmp_path / "learn.py").write_text(found[1], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "learn.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=WITHIN
    )
    assert done.stdout == found[2], done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    "text", ["wilddeck_poker_v0(num_players=2,betting='limit',history=8)", "wilddeck_hearts_v0(history=8)"]
)
def test_openspiels_playthrough_shows_histories(text: str) -> None:
    said = generate_playthrough.playthrough(text, [], seed=1)
    assert "InformationStateString(1)" in said and "InformationStateTensor(1).history/card" in said
    assert said.count("IsTerminal() = True") == 1
