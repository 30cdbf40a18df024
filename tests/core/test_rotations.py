"""Symmetries: games in which all ranks are alike, and the networks that know it."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest
from support import first_of
from wilddeck import envs
from wilddeck.agents import make
from wilddeck.agents.base import Agent
from wilddeck.agents.learned import LearnedAgent, load, save
from wilddeck.agents.tensors import WeightsError
from wilddeck.agents.views import Views
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import RANK_TEXT
from wilddeck.envs.core.layout import Block, Circles, Layout
from wilddeck.envs.core.rotations import critic_rotations, make_rotations, places
from wilddeck.envs.games.bluff.state import PLAY_AT
from wilddeck.seats.vector import SeatVectorEnv
from wilddeck.training.settings import Settings
from wilddeck.training.train import train

TENNIS, BLUFF = envs.game("tennis_v0"), envs.game("bluff_v0")


def equivariant(game: Any, options: Any, hidden: tuple[int, ...] = (16, 8), activation: str = "relu") -> LearnedAgent:
    rng = np.random.default_rng(1)
    rotations = make_rotations(game, options)
    inputs, actions = game.observation_size(options), game.num_actions(options)
    sizes = [inputs + rotations.more_inputs, *hidden, 1 if rotations.by_action else actions]
    layers = [(0.3 * rng.standard_normal((a, b)), rng.standard_normal(b)) for a, b in itertools.pairwise(sizes)]
    return LearnedAgent(layers, activation, rotations=rotations)


def positions(game: Any, count: int = 200) -> tuple[np.ndarray, np.ndarray]:
    batch = envs.make_batch(game.id, count, 3)
    for _ in range(40):
        batch.step(batch.random_actions())
    return batch.observation.copy(), batch.action_mask.copy()


def rotated(vector: np.ndarray, where: np.ndarray) -> np.ndarray:
    moved = np.zeros_like(vector)
    moved[where] = vector
    return moved


def test_circles_repeat_to_the_end_of_a_block() -> None:
    layout = Layout(Block("cards", 8, "", circles=Circles(4, [(0, 2)])), Block("other", 2, ""))
    assert places(layout, 2, 0).tolist() == list(range(10))
    assert places(layout, 2, 1).tolist() == [2, 1, 0, 3, 6, 5, 4, 7, 8, 9]


def bluff_from(rotation: int) -> dict[str, Any]:
    return {"first_rank": RANK_TEXT[(12 - rotation) % 13]}


GAMES = {
    "tennis for two": (TENNIS, 48, lambda rotation: {"num_players": 2}),
    "tennis for six": (TENNIS, 48, lambda rotation: {"num_players": 6}),
    "bluff": (BLUFF, 52, bluff_from),
    "bluff, free": (BLUFF, 52, lambda rotation: {"rank_order": "free", "num_players": 3}),
    "bluff, standard": (BLUFF, 52, lambda rotation: {"deck": "standard", "check": "one", **bluff_from(rotation)}),
}


@pytest.mark.parametrize("case", GAMES)
def test_a_rotated_game_is_played_alike(case: str) -> None:
    """The same game with every rank moved: views and masks differ by the rotation alone, at every decision. In bluff with plays
    of one card, as the cards of a play are put in ascending order."""
    game, ranked, options_at = GAMES[case]
    for rotation in (1, 5, 11):
        both = [CardGameEnv(game, game.make_options(options_at(by))) for by in (0, rotation)]
        players = both[0].max_num_agents
        seen, acted = places(game.observation, players, rotation), places(game.actions, players, rotation)
        size = len(game.deck(game.make_options(options_at(0))))
        cards = np.concatenate(
            [Circles(ranked, tuple(range(s, ranked, 4) for s in range(4))).places(ranked, rotation), np.arange(ranked, size)]
        )
        deck = np.random.default_rng(rotation).permutation(size)
        for env, dealt in zip(both, (deck, cards[deck]), strict=True):
            env.reset(seed=rotation, options={"deck": dealt.tolist()})
        rng, decisions = np.random.default_rng(7), 0
        while not any(both[0].terminations.values()):
            first, second = (env.observe(env.agent_selection) for env in both)
            assert both[0].agent_selection == both[1].agent_selection
            assert (rotated(first["observation"], seen) == second["observation"]).all()
            assert (rotated(first["action_mask"], acted) == second["action_mask"]).all()
            action = int(rng.choice(np.flatnonzero(first["action_mask"])))
            for env, chosen in zip(both, (action, int(acted[action])), strict=True):
                env.step(chosen)
                if game is BLUFF and env.observe(env.agent_selection)["action_mask"][PLAY_AT]:
                    env.step(PLAY_AT)
            decisions += 1
        assert both[0].rewards == both[1].rewards and decisions > 20


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("hidden", [(), (16, 8)])
@pytest.mark.parametrize("game", [TENNIS, BLUFF], ids=["tennis", "bluff"])
def test_an_equivariant_network_plays_a_rotated_game_alike(game: Any, hidden: tuple[int, ...], activation: str) -> None:
    options = game.make_options({})
    agent, count = equivariant(game, options, hidden, activation), game.num_actions(options)
    observations, masks = positions(game)
    likely = agent.probabilities(observations, masks, np.random.default_rng(0))
    differs = 0.0
    for observation, mask, slowly in zip(observations, masks, likely, strict=True):
        before = np.zeros(count)
        before[mask != 0] = agent.action_probs(observation, mask)
        assert before == pytest.approx(slowly, abs=1e-5)
        for rotation in () if game is BLUFF else (1, 6):  # in bluff it is told the rotation
            seen, acted = (places(layout, options.num_players, rotation) for layout in (game.observation, game.actions))
            after = np.zeros(count)
            after[rotated(mask, acted) != 0] = agent.action_probs(rotated(observation, seen), rotated(mask, acted))
            assert after == pytest.approx(rotated(before, acted), abs=1e-5)
            differs += np.abs(after - before).max()
    assert differs > 10 or game is BLUFF, "the rotated positions are others"
    views = Views.of(observations, masks)
    choices = agent.like(greedy=True).act_batch(views, np.random.default_rng(0))
    assert (choices == likely.argmax(axis=1)).mean() > 0.99, "but for ties that rounding decides"


def test_bluff_is_seen_from_the_rank_to_be_claimed() -> None:
    options = BLUFF.make_options({})
    required = BLUFF.observation.slices(4)["required"]
    rotations = make_rotations(BLUFF, options)
    for observation in positions(BLUFF)[0]:
        rotation = int((rotations.weights[:, : len(observation)] @ observation).argmax())
        claimed = np.flatnonzero(observation[required])
        assert rotation == (claimed[0] if len(claimed) and claimed[0] < 13 else 0)
        if len(claimed) and claimed[0] < 13:
            assert rotated(observation, rotations.inputs[rotation][: len(observation)])[required.start] == 1


def test_critics_see_the_hands_of_others_rotated() -> None:
    """What they see of rotated observations is what they see of the observations, rotated; in the order of `private`."""
    game = dataclasses.replace(BLUFF, private=("own_in_heap", "hand"))
    options = game.make_options({"num_players": 3})
    where = game.private_slices(3).values()
    others = np.random.default_rng(0).random((2, game.observation_size(options)))
    rotations = make_rotations(game, options)
    policy_inputs = others.shape[1] + rotations.more_inputs
    of_critic = critic_rotations(game, 3, rotations, policy_inputs, game.private or ())
    for rotation, inputs in enumerate(of_critic.inputs):
        seen = places(game.observation, 3, rotation)
        before = np.concatenate([other[block] for other in others for block in where])
        after = np.concatenate([rotated(other, seen)[block] for other in others for block in where])
        assert (inputs[: others.shape[1]] == seen).all()
        assert (rotated(before, inputs[policy_inputs:] - policy_inputs) == after).all()


class Asked(Agent):
    """Another agent, asked from Python."""

    def __init__(self, other: Agent) -> None:
        self.other, self.name = other, other.name

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return self.other.act_batch(views, rng)


@first_of("game", [TENNIS, BLUFF], ids=["tennis", "bluff"])
def test_networks_of_all_kinds_play_compiled_as_they_are_asked(game: Any) -> None:
    options = game.make_options({})
    rng = np.random.default_rng(2)
    inputs, actions = game.observation_size(options), game.num_actions(options)
    flat = LearnedAgent([(rng.standard_normal((inputs, actions)), np.zeros(actions))], "relu", greedy=True)
    opponents = [flat, *(equivariant(game, options, hidden).like(greedy=True) for hidden in [(), (16, 8)])]
    if game is BLUFF:  # the rules of tennis draw lots
        layers = [(rng.standard_normal((inputs + 13 + actions, actions)), np.zeros(actions))]
        expert = make("rules", game, options)
        opponents[1] = LearnedAgent(layers, "relu", greedy=True, expert=expert, rotations=make_rotations(game, options))
    seen = []
    for pool in (opponents, [Asked(agent) for agent in opponents]):
        games = SeatVectorEnv(game.id, num_envs=16, opponents=pool, seat=1)
        observation, info = games.reset(seed=4)
        seen.append([observation])
        for _ in range(60):
            observation, *_, info = games.step(info["action_mask"].argmax(axis=1))
            seen[-1].append(observation)
        games.close()
    assert all((one == other).all() for one, other in zip(*seen, strict=True))


@pytest.mark.parametrize("ending", [".safetensors", ".npz"])
@pytest.mark.parametrize("game", [TENNIS, BLUFF], ids=["tennis", "bluff"])
def test_files_of_equivariant_networks(game: Any, ending: str, tmp_path: Any) -> None:
    options, path = game.make_options({}), tmp_path / f"agent{ending}"
    agent = equivariant(game, options)
    save(path, agent, game, options)
    loaded = load(path, game, options)
    assert loaded.is_equivariant and loaded.num_actions == game.num_actions(options)
    assert loaded.observation_size == agent.observation_size == game.observation_size(options)
    observations, masks = positions(game, 20)
    same = [network.probabilities(observations, masks, np.random.default_rng(0)) for network in (agent, loaded)]
    assert (same[0] == same[1]).all()
    with pytest.raises(WeightsError, match="num_players=2"):
        load(path, game, {"num_players": 2})
    with pytest.raises(WeightsError, match="too large"):
        save(path, LearnedAgent([(w * 1e30, b) for w, b in agent.layers], "relu", rotations=agent.rotations), game, options)


def test_games_without_symmetry_have_no_equivariant_networks(tmp_path: Any) -> None:
    with pytest.raises(ValueError, match=r"setting equivariant=True is not for hearts_v0: no block .* declares `circles`"):
        train("hearts_v0", out=tmp_path, total_steps=1000, equivariant=True, progress=False)
    assert not list(tmp_path.iterdir()), "the folder stays free for another run"


def test_networks_are_equivariant_by_default_where_the_game_is_symmetric() -> None:
    values = {"network": "module:factory"}, {"learner": "sb3"}, {"equivariant": False}, {"learner": "ppo"}, {}
    chosen = [[Settings.with_game_defaults(game, value)["equivariant"] for value in values] for game in (TENNIS, BLUFF)]
    assert chosen == [[False, False, False, True, True]] * 2
    assert not Settings.with_game_defaults(envs.game("hearts_v0"), {})["equivariant"]


def test_blocks_that_say_how_a_game_is_rotated_exist() -> None:
    with pytest.raises(ValueError, match="has no blocks trump, which are to say how the game is rotated"):
        dataclasses.replace(BLUFF, rotated_by={"trump": (1.0,)})
