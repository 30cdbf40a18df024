"""The example of agents that remember: `examples/sequence_agent.py`, and its weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import ROOT
from wilddeck import agents, envs
from wilddeck.agents.play import play_batch

torch = pytest.importorskip("torch")
EXAMPLES = ROOT / "examples"
WEIGHTS = sorted((EXAMPLES / "weights").glob("*.safetensors"))


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import sequence_agent

    return sequence_agent


@pytest.mark.parametrize("network", ["gru", "transformer"])
def test_histories_that_go_on_are_read_once_and_give_the_same(example: Any, network: str) -> None:
    game, options = envs.resolve("hearts_v0")
    shapes = example.Shapes.of(game, options, 32)
    torch.manual_seed(0)
    module = example.NETWORKS[network](shapes).eval()
    rng = np.random.default_rng(0)
    lengths = [[2, 2, 5, 31, 32], *[[0, 3, 9, 20, 40]] * 7]  # of a seat's decisions; the last is longer than what is kept
    history, length = torch.zeros(40, 32, 6, dtype=torch.long), torch.tensor(lengths).flatten()
    for row in range(40):
        if row % 5 == 0:
            tokens = torch.from_numpy(rng.integers(1, 3, (40, 6)))
        last = tokens[max(0, int(length[row]) - 32) : int(length[row])]
        history[row, : len(last)] = last
    observation, read = torch.rand(40, shapes.observation_size), []
    module.tokens.register_forward_hook(lambda module, inputs, output: read.append(len(output)))
    with torch.no_grad():
        logits, _ = module(observation, None, history, length)
        alone = [module(*(part[row : row + 1] for part in (observation, observation, history, length)))[0] for row in range(40)]
    torch.testing.assert_close(logits, torch.cat(alone), atol=1e-6, rtol=0)
    assert read[0] <= 24 < len(alone) == sum(read[1:])


@pytest.mark.long
@pytest.mark.parametrize("network", ["mlp", "gru", "transformer"])
def test_the_example_runs(
    example: Any, network: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wilddeck.training.exploit._CHOICE_DEALS", 2)  # here nothing depends on the best stage
    few = ["--history", "24", "--steps", "600", "--deals", "2", "--exploit-steps", "300"]
    example.main(["tennis_v0", "-n", "2", "--network", network, *few, "--out", str(tmp_path)])
    said = capsys.readouterr().out
    assert "against rules:" in said and "exploited:" in said
    assert agents.make(tmp_path / "agent.safetensors", "tennis_v0", {"num_players": 2}, trust=True).history == 24 * (
        network != "mlp"
    )


@pytest.mark.long
@pytest.mark.parametrize("path", WEIGHTS, ids=lambda path: path.stem)
def test_its_weights_play(example: Any, path: Path) -> None:
    assert path.stat().st_size < 2 * 2**20
    game_id, options = (f"{path.stem.partition('_')[0]}_v0", {"num_players": 2} if path.stem.startswith("poker") else None)
    agent = agents.make(path, game_id, options, trust=True)
    game, made = envs.resolve(game_id, options)
    assert play_batch(game, made, [agent] * made.num_players, 3, seed=1).shape == (3, made.num_players)
    assert agent.history > 0
