"""What agents think at a decision."""

from __future__ import annotations

import numpy as np
import pytest
import wilddeck.agents
from wilddeck.agents.base import Agent, NetworkAgent, View
from wilddeck.agents.thoughts import Thoughts
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

GAME = "tennis_v0"


def decision() -> CardGameEnv:
    """One with several actions."""
    env = raw_env(GAME)
    env.reset(seed=5)
    while len(env.legal_actions()) < 4:
        env.step(env.legal_actions()[0])
    return env


def thoughts(agent: Agent | str) -> tuple[Thoughts, View]:
    view = View.of(decision())
    made = wilddeck.agents.make(agent, GAME, view.options)
    return made.thoughts(view, np.random.default_rng(3)), view


def test_an_agent_that_says_nothing_else_would_play_what_it_plays() -> None:
    found, view = thoughts("rules")
    played = wilddeck.agents.make("rules", GAME, view.options).act(view, np.random.default_rng(3))
    assert (found.actions.tolist(), found.probs) == ([played], [1.0])
    assert found.worths is None and found.value is None


@pytest.mark.parametrize("spec", ["random", "trained"])
def test_policies_tell_the_probabilities_by_which_they_draw(spec: str) -> None:
    agent, draws = wilddeck.agents.make(spec, GAME), 4000
    agent = agent.like(greedy=False) if isinstance(agent, NetworkAgent) else agent
    found, view = thoughts(agent)
    rng = np.random.default_rng(0)
    drawn = np.bincount([agent.act(view, rng) for _ in range(draws)], minlength=len(view.action_mask))[found.actions] / draws
    assert found.probs is not None and found.probs.sum() == pytest.approx(1)
    assert np.abs(drawn - found.probs).max() < 5 * 0.5 / draws**0.5


def test_a_search_tells_what_each_action_brought_and_how_often_it_was_tried() -> None:
    found, view = thoughts("mc:rollouts=200,policy=rules")
    assert found.actions.tolist() == view.legal_actions.tolist()
    assert found.worths is not None and found.errors is not None and found.tries is not None
    longest = found.tries == found.tries.max()
    assert found.value == found.worths[longest].max()
    assert 1 <= longest.sum() < len(longest), "the worse half leaves"
    assert 0 < found.tries.sum() <= 200 and (found.errors >= 0).all()


def test_a_network_of_torch_tells_its_value() -> None:
    torch = pytest.importorskip("torch")
    from wilddeck.agents.modules import ModuleAgent, Shapes

    class Net(torch.nn.Module):
        def forward(self, observation, action_mask, history, history_length):
            logits = torch.arange(action_mask.shape[1]).expand(len(observation), -1).float()
            return logits, torch.full((len(observation),), 0.25)

    options = decision().options
    shapes = Shapes.of(decision().game, options, 0)
    found, view = thoughts(ModuleAgent("x:y", shapes, module=Net()))
    expected = np.exp(view.legal_actions - view.legal_actions.max())
    assert found.value == 0.25
    assert found.probs == pytest.approx(expected / expected.sum(), rel=1e-5)
