"""After `wilddeck warmup GAME` nothing of that game is compiled any more."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import output_of

pytest.importorskip("sb3_contrib")

# Whatever a user may begin with, each with agents of all kinds. What workers of a league compile would be found as well.
USES = """
import sys
from pathlib import Path
import gymnasium, numpy as np
import wilddeck
from wilddeck.league import League
from wilddeck.cli import main
from wilddeck.training.evaluate import evaluate
from wilddeck.training.train import train

game, short = "tennis_v0", {"max_tricks": 50}
SMALL = {"total_steps": 512, "num_envs": 16, "rollout_steps": 16, "batch_size": 64, "eval_deals": 4, "progress": False}

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for learner in ("sb3", "ppo"):
        for fixed in ("rules", "random"):
            result = train(game, short, out=folder / learner / fixed, learner=learner, fixed_opponents=fixed, **SMALL)
    result = train(game, short, out=folder / "copy", init_from="rules", **SMALL)
    evaluate(result.weights, game, short, against=["random", "rules", "trained"], games=8)
    with League(folder / "a.league", game, short) as league:
        searches = [f"mc:rollouts=4,policy={policy}" for policy in ("random", "rules", "trained")]
        for spec in ("random", "rules", *searches, "trained", str(result.weights)):
            league.add(spec.rpartition("/")[2], spec)
        league.run(deals=1, gauntlet="random", executor="process", workers=1)
        league.run(deals=2, gauntlet="random")
        league.table()
    for policy in ("random", "rules"):
        assert main(["rollout", game, "--games", "8", "--steps", "8", "--policy", policy]) == 0
    env = gymnasium.make("wilddeck/tennis-v0", opponents=["rules", "random", "trained"])
    env.reset(seed=1)
    batch = wilddeck.make_batch(game, 8, seed=1, threads=2, num_players=3)
    batch.restore(batch.states.copy())
    batch.step(batch.random_actions()[:2], [0, 5])
    env = wilddeck.make(game)
    env.reset(seed=1, options={"deck": env.unwrapped.game.deck(env.unwrapped.options)[::-1]})
    env.unwrapped.load(env.unwrapped.clone().save())
    env.observe("player_3"), env.unwrapped.determinize("player_1", 2).reset()
    if sys.version_info >= (3, 11):
        from wilddeck.frameworks import openspiel
        state = openspiel.load_game(game).new_initial_state()
        for _ in range(4):
            state.apply_action(1)
        openspiel.RolloutEvaluator(2).evaluate(state.resample_from_infostate(0, np.random.default_rng(1).random))
        state.observation_string(0), state.apply_action(state.legal_actions()[0])
"""


def kept(folder: Path) -> dict[str, int]:
    """The files of a cache; one that is written anew is another file in its place (a use changes its time only)."""
    return {str(path.relative_to(folder)): path.stat().st_ino for path in folder.rglob("*") if path.is_file()}


@pytest.mark.long
def test_nothing_is_compiled_after_warmup(tmp_path: Path) -> None:
    cache, script = tmp_path / "cache", tmp_path / "uses.py"
    warm = "import sys; from wilddeck.cli import main; sys.exit(main(['warmup', 'tennis']))"
    said = output_of(warm, NUMBA_CACHE_DIR=str(cache)).splitlines()
    assert [line for line in said if "batches" in line] == ["tennis_v0: batches (1 of 7)"]
    last = ["tennis_v0: training (6 of 7)", "tennis_v0: single-seat environments (7 of 7)"]
    assert [line for line in said if "(6 of 7)" in line or "(7 of 7)" in line] == last
    before = kept(cache)
    assert before
    script.write_text(USES, encoding="utf-8")
    run = "import runpy, sys; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    output_of(run, str(script), str(tmp_path), NUMBA_CACHE_DIR=str(cache))
    assert kept(cache) == before
