"""What best responses win from players of Kuhn poker and Leduc hold'em: known values, and OpenSpiel's."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra `openspiel`")

from wilddeck.agents.base import Agent  # noqa: E402
from wilddeck.agents.views import Views  # noqa: E402
from wilddeck.benchmarks.studies import solved_pokers  # noqa: E402
from wilddeck.benchmarks.studies.solved_pokers import Tree, cfr_plus  # noqa: E402
from wilddeck.envs import load  # noqa: E402

KUHN, LEDUC = solved_pokers.GAMES


@functools.cache
def tree(name: str) -> Tree:
    return Tree(load(name))


class Second(Agent):
    """Always plays the second action: bets or calls in Kuhn poker, checks or calls in Leduc hold'em."""

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return np.ones(len(views), np.int64)


class Mostly(Agent):
    """Plays the second action three times in four."""

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return (rng.random(len(views)) < 0.75).astype(np.int64)


def test_kuhn_poker() -> None:
    """Random play loses 11/24. From who always bets and calls a king wins 2, a queen nothing on the average, and a jack loses 1
    by folding."""
    kuhn, game = tree(KUHN), load(KUHN)
    assert kuhn.observation.shape == (12, 7) and [len(level.won) for level in kuhn.levels] == [6, 12, 24, 12]
    assert kuhn.exploitability(kuhn.uniform()) == pytest.approx(11 / 24)
    bets = kuhn.policy_of(Second(), game, 1)
    assert bets.tolist() == [[0, 1]] * 12
    assert kuhn.exploitability(bets) == pytest.approx((2 + 0 - 1) / 3)
    assert kuhn.policy_of(Mostly(), game, 4000)[:, 1] == pytest.approx(0.75, abs=0.03)


def test_counterfactual_regret_minimisation_comes_close() -> None:
    kuhn = tree(KUHN)
    found = list(itertools.islice(cfr_plus(kuhn), 300))
    assert 0 < kuhn.exploitability(found[-1]) < 0.002 < kuhn.exploitability(found[3])
    assert kuhn.sweep(found[-1], 0)[0] == pytest.approx(-1 / 18, abs=0.001)


def test_it_is_what_openspiel_finds() -> None:
    from open_spiel.python.algorithms import exploitability
    from open_spiel.python.policy import TabularPolicy
    from wilddeck.frameworks import openspiel

    kuhn, game = tree(KUHN), load(KUHN)
    policy = np.random.default_rng(1).dirichlet([1, 1], len(kuhn.observation))
    shown = openspiel.load_game(game, decks=list(itertools.permutations(game.deck(game.options()))))
    table = TabularPolicy(shown)
    for state in table.states:
        place = (kuhn.observation == np.array(state.observation_tensor(), np.float32)).all(axis=1).argmax()
        table.policy_for_key(state.information_state_string())[:] = policy[place]
    assert kuhn.exploitability(policy) == pytest.approx(exploitability.exploitability(shown, table))


def test_leduc_holdem() -> None:
    """Random play loses 2.3736, as published. The game is worth -0.0856 to the first player."""
    leduc = tree(LEDUC)
    assert len(leduc.observation) == 936
    assert leduc.exploitability(leduc.uniform()) == pytest.approx(2.373611, abs=1e-4)
    found = next(itertools.islice(cfr_plus(leduc), 299, None))
    assert leduc.exploitability(found) < 0.02
    assert leduc.sweep(found, 0)[0] == pytest.approx(-0.0856, abs=0.005)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert solved_pokers.main(["rules", "--game", KUHN, "--iterations", "50", "--asked", "300"]) == 0
    title, random, solved, rules = capsys.readouterr().out.splitlines()
    assert title.startswith("Kuhn Poker: 12 information states, worth -5")
    assert random == "  random: loses 458.33 to the best response, score 0.000"
    assert solved.startswith("  CFR+, 50 iterations: loses ") and rules.startswith("  rules: loses ")
