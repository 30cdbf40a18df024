"""Search that sees all cards: what it knows and what it does not, that nobody gets it by accident, and what a line says."""

from __future__ import annotations

import numpy as np
import pytest
from wilddeck import agents, envs
from wilddeck.agents import play
from wilddeck.agents.base import Agent, View
from wilddeck.agents.search import SearchAgent
from wilddeck.benchmarks.studies import open_cards
from wilddeck.benchmarks.studies.open_cards import PLAYERS, OpenCards, Reached, check_hides, worlds
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.batch import game_kernels
from wilddeck.envs.core.game import as_record, as_records

pytestmark = pytest.mark.interpreted


def begun(name: str, moves: int, seed: int = 1) -> CardGameEnv:
    """A game after so many random moves."""
    env = CardGameEnv(*envs.resolve(name, None))
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(moves):
        env.step(int(rng.choice(env.legal_actions())))
    return env


@pytest.mark.parametrize("name", envs.OWN)
def test_only_the_luck_to_come_is_imagined(name: str) -> None:
    env = begun(name, 2)
    before, truth = env.record.tobytes(), env.zones()
    drawn = worlds(env.game, env.record, 8, seed=5)
    assert env.record.tobytes() == before and worlds(env.game, env.record, 8, seed=5).tobytes() == drawn.tobytes()
    orders: dict[str, set[tuple[int, ...]]] = {}
    for row in range(len(drawn)):
        zones = env.game.zones(as_record(drawn, row), None)
        for zone, cards in truth.items():
            if open_cards._is_luck(zone, env.game.zone_roles):
                assert sorted(zones[zone]) == sorted(cards)
                orders.setdefault(zone, set()).add(tuple(zones[zone]))
            else:
                assert zones[zone] == cards
    assert all(len(of_zone) > 1 for zone, of_zone in orders.items() if len(truth[zone]) > 2)
    assert len(np.unique(drawn["rng"])) == len(drawn)
    observation, mask = np.zeros((8, env.observation_size), np.float32), np.zeros((8, env.num_actions), np.uint8)
    game_kernels(env.game)["view_games"](as_records(drawn), observation, mask, np.zeros(8, np.int64))
    view = View.of(env)
    assert (observation == view.observation).all() and (mask == view.action_mask).all()


def test_it_sees_what_others_hold() -> None:
    """Old maid for two, at its end: of two cards it draws the match and not the maid, wherever this lies."""
    game, options = envs.resolve("old_maid_v0", {"num_players": 2})
    env, rng = CardGameEnv(game, options), np.random.default_rng(1)
    agent, drawn, seen = OpenCards(env, 20, "random"), 0, 0
    blind = SearchAgent(game, options, 20, "random")
    for seed in range(10):
        env.reset(seed=seed)
        while not env.is_over:
            mover, sizes = env.current_player, sorted(len(env.zones()[f"hand/{seat}"]) for seat in range(2))
            last = sizes == [1, 2] and len(env.legal_actions()) == 2
            action = agent.act(View.of(env), rng) if last else int(rng.choice(env.legal_actions()))
            guess = env.clone()
            if last:
                guess.step(blind.act(View.of(env), rng))
            env.step(action)
            if last:
                assert env.is_over and list(env.returns.values())[mover] > 0
                drawn, seen = drawn + 1, seen + guess.is_over
    assert drawn > 3 and seen < drawn


def test_it_is_no_player_of_the_suite() -> None:
    game, options = envs.resolve("hearts_v0", None)
    with pytest.raises(ValueError, match="failed to make an agent"):
        agents.make("wilddeck.benchmarks.studies.open_cards:OpenCards", game, options)


def test_a_game_that_hides_no_more_than_its_stock_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        open_cards.main(["skin_v0"])
    assert ended.value.code == 2 and "skin_v0 hides only the order of its stock" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["hearts_v0", "wild_escape_v0", "poker_v0", "old_maid_v0"])
def test_games_that_hide_hands_are_not(name: str) -> None:
    check_hides(*envs.resolve(name, None))


class Last(Agent):
    """Plays the last legal action, one game at a time."""

    def act(self, view: View, rng: np.random.Generator) -> int:
        return int(view.legal_actions[-1])


def test_scores_are_those_of_an_evaluation() -> None:
    """Every place of equal deals, a team's seats together."""
    game, options = envs.resolve("spades_v0", None)
    env, rules, times = CardGameEnv(game, options), agents.make("rules", game, options), list[float]()
    scores, _ = play.rotated(Last(), [rules], game, options, 1, seed=3)
    assert open_cards._score(env, Last(), rules, 3, times) == pytest.approx(scores.mean())
    assert len(times) > 20


def test_gains_and_shares() -> None:
    scores = ([-4, -2], [0, 2], [1, 2], [1, 5], [3, 7])
    line = Reached("Game", dict(zip(PLAYERS, np.array(scores, float), strict=True)), dict.fromkeys(PLAYERS, 1.6))
    assert line.gain("trained") == pytest.approx((0.5, 1.96 * 0.5))
    assert line.gain("random") == pytest.approx((-4, 0))
    assert line.share("rules") == pytest.approx((0.5, 1.96 * 0.5 / 8))
    assert line.share("open cards") == pytest.approx((1, 0)) and line.share("random") == pytest.approx((0, 0))
    assert str(line).startswith("| Game | 2 | -4.0000 ± 0.0000 | +0.5000 ± 0.9800 | ")
    assert str(line).endswith("| 2, 2 |") and str(line).count("|") == len(open_cards.HEAD) + 1


def test_a_line_of_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert open_cards.main(["blackjack_v0", "--among", "rules", "--rollouts", "4", "--seconds", "0"]) == 0
    head, rule, line = capsys.readouterr().out.splitlines()
    assert head.count("|") == rule.count("|") == line.count("|") and line.startswith("| Blackjack | 2 | ")
