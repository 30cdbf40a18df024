"""The games as OpenSpiel games: the same play, and its algorithms at work."""

from __future__ import annotations

import copy
import doctest
import pickle
import random
from typing import Any

import numpy as np
import pytest
from support import ROOT, Case, cases, each_case, few_cases, few_games, first_of, one_game, output_of

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra `openspiel`")

import toy_game  # noqa: E402
from open_spiel.python import policy, rl_environment  # noqa: E402
from open_spiel.python.algorithms import (  # noqa: E402
    best_response,
    cfr,
    expected_game_score,
    exploitability,
    ismcts,
    mcts,
)
from openspiel_games import dealt, load, played, small_game, strings  # noqa: E402
from wilddeck.envs.core.aec import IllegalActionError  # noqa: E402
from wilddeck.frameworks import openspiel  # noqa: E402

# --- the same play ---


@pytest.mark.interpreted
@few_cases
def test_play_equals_the_environment(case: Case) -> None:
    """Move by move: who is to move, what is legal, labels, observations, rewards, returns, the record itself."""
    seed = 1000 * case.seed + 70_000
    env = case.raw()
    env.reset(seed=seed)
    game = load(case, step_rewards=True)
    state = dealt(game, seed)
    draw, returns, steps = random.Random(seed), np.zeros(env.num_players), 0
    while not state.is_terminal():
        legal = env.legal_actions()
        assert state.current_player() == env.current_player
        assert state.legal_actions() == legal == sorted(legal)
        action = draw.choice(legal)
        if steps % 10 == 0:
            assert state.action_to_string(action) == env.action_label(action)
            for player, agent in enumerate(env.possible_agents):
                view = env.observe(agent)
                assert np.array_equal(state.observation_tensor(player), view["observation"])
                assert np.array_equal(np.flatnonzero(view["action_mask"]), state.legal_actions(player))
        env.step(action)
        state.apply_action(action)
        steps += 1
        assert state.rewards() == pytest.approx(list(env.rewards.values()), rel=0, abs=1e-6 * state.is_terminal())
        returns += state.rewards()
        assert state.record.tobytes() == env.record.tobytes()
    assert not env.legal_actions()
    assert steps <= game.max_game_length()
    assert state.move_number() == steps + len(game.rules.outcomes)
    np.testing.assert_allclose(state.returns(), returns, atol=1e-5)
    assert game.utility_sum() is None or abs(sum(state.returns()) - game.utility_sum()) < 1e-9
    assert min(state.returns()) >= game.min_utility() - 1e-5
    assert max(state.returns()) <= game.max_utility() + 1e-5


@pytest.mark.interpreted
@few_games
def test_rewards_are_paid_at_the_end(case: Case) -> None:
    """As search algorithms demand; in all they are the same."""
    seen = []
    for step_rewards in (False, True):
        state = dealt(load(case, step_rewards=step_rewards), 6)
        while not state.is_terminal():
            if not step_rewards:
                assert not any(state.returns()) and not any(state.rewards())
            played(state, state.move_number(), 1)
        seen.append(state.returns())
        if not step_rewards:
            assert state.rewards() == state.returns()
    assert any(seen[0])
    assert seen[0] == seen[1]


def test_rewards_of_every_move() -> None:
    returns = []
    for step_rewards in (False, True):
        state = dealt(openspiel.load_game(toy_game.GAME, step_rewards=step_rewards), 3)
        total = np.zeros(3)
        while not state.is_terminal():
            played(state, state.move_number(), 1)
            total += state.rewards()
            assert state.returns() == (total.tolist() if step_rewards or state.is_terminal() else [0.0] * 3)
            assert state.resample_from_infostate(0, random.random).returns() == state.returns()
        returns.append(state.returns())
    assert returns[0] == returns[1]


def test_given_decks() -> None:
    decks = [list(range(48)), list(range(47, -1, -1))]
    game = openspiel.load_game("tennis_v0", decks=decks, num_players=2, deals=6)
    assert dealt(game).get_game().new_initial_state().chance_outcomes() == [(k, 1 / 6) for k in range(6)]
    env = Case("tennis_v0", (("num_players", 2),), 0).raw()
    for number in range(6):
        env.reset(seed=number, options={"deck": decks[number % 2]})
        state = dealt(game, number)
        assert state.record.tobytes() == env.record.tobytes()
        assert state.history_str() == str(number)
    assert len({dealt(game, number).current_player() for number in range(6)}) == 2  # the dealer, drawn by lot


@first_of("case", [case for case in cases() if not case.options], ids=str)
def test_openspiels_own_random_simulation(case: Case, capfd: Any) -> None:
    """Copies, histories, serialisation, masks, sorted actions, bounds, zero sums, as OpenSpiel checks its own games."""
    pyspiel.random_sim_test(load(case), 1, True, False)
    capfd.readouterr()


# --- states ---


@pytest.mark.interpreted
@few_games
def test_copies_are_independent_and_go_on_alike(case: Case) -> None:
    state = dealt(load(case), 9)
    played(state, 1, 8)
    before = str(state), state.history(), strings(state), state.serialize()
    imagined = state
    for player in range(2):
        imagined = imagined.resample_from_infostate(player, random.Random(3).random)
    played(imagined, 4, 3)
    for original in (state, imagined):
        copies = [original.clone(), copy.deepcopy(original), pickle.loads(pickle.dumps(original))]
        copies.append(pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(original.get_game(), original))[1])
        for copied in copies:
            assert type(copied) is type(original)
            assert copied.history() == original.history()
            assert strings(copied) == strings(original)
            assert copied.record.tobytes() == original.record.tobytes()
        for copied in copies:
            played(copied, 2, 10)
        assert len({copied.record.tobytes() for copied in copies}) == 1
        assert len({tuple(strings(copied)) for copied in copies}) == 1
    assert before == (str(state), state.history(), strings(state), state.serialize())


def test_a_long_game_can_be_pickled_and_forgotten() -> None:
    state = dealt(openspiel.load_game("tennis_v0", num_players=2, max_tricks=10_000), 1)
    state = state.clone()
    played(state, 1, 10_000)
    assert pickle.loads(pickle.dumps(state)).record.tobytes() == state.record.tobytes()


def test_before_the_deal() -> None:
    state = openspiel.load_game("tennis_v0").new_initial_state()
    for number in range(4):
        assert state.is_chance_node()
        assert len(state.chance_outcomes()) == 256
        assert state.information_state_string(1) == "player 1"
        assert not any(state.observation_tensor(0))
        assert state.returns() == state.rewards() == [0.0] * 4
        assert f"deal {number}" == state.action_to_string(number)
        assert len({str(text) for text in (state, state.clone(), pickle.loads(pickle.dumps(state)))}) == 1
        other = state.resample_from_infostate(0, lambda: 0.999)
        assert str(other) == "tennis_v0, before the deal" + " 255" * number
        with pytest.raises(ValueError, match="no record before the deal"):
            _ = state.record
        with pytest.raises(IllegalActionError, match="outcome 256 of the deal is out of range; there are 256"):
            state.apply_action(256)
        state.apply_action(number)
    assert not state.is_chance_node()
    assert state.history() == [0, 1, 2, 3]
    with pytest.raises(IllegalActionError, match=r"player \d cannot play action 99; legal: \["):
        state.apply_action(99)


# --- descriptions and parameters ---

UTILITY, REWARD = pyspiel.GameType.Utility, pyspiel.GameType.RewardModel


@pytest.mark.parametrize(
    ("game_id", "options", "utility", "low", "high"),
    [
        ("tennis_v0", {}, UTILITY.ZERO_SUM, -1, 1),
        ("wild_escape_v0", {}, UTILITY.ZERO_SUM, -1, 1),
        ("wild_escape_v0", {"episode": "match", "max_rounds": 10}, UTILITY.ZERO_SUM, -13, 13),
        ("skin_v0", {"num_players": 3, "stack": 80}, UTILITY.ZERO_SUM, -10, 20),
        ("skin_of_your_teeth_v0", {}, UTILITY.ZERO_SUM, -1, 1),
        ("skin_of_your_teeth_v0", {"games": 3, "scoring": "win"}, UTILITY.ZERO_SUM, -3, 3),
        ("skin_of_your_teeth_v0", {"games": 3}, UTILITY.GENERAL_SUM, 0, None),
    ],
)
def test_descriptions(game_id: str, options: dict[str, Any], utility: Any, low: float, high: float | None) -> None:
    game = openspiel.load_game(game_id, **options)
    kind = game.get_type()
    assert kind.utility == utility
    assert kind.reward_model == REWARD.TERMINAL
    assert kind.chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    assert game.utility_sum() == (0.0 if utility == UTILITY.ZERO_SUM else None)
    assert game.min_utility() == low
    assert high is None or game.max_utility() == high
    assert game.num_distinct_actions() == game.rules.game.num_actions(game.rules.options)
    assert game.max_chance_nodes_in_history() == 4
    stepwise = openspiel.load_game(game_id, step_rewards=True, **options)
    assert stepwise.get_type().reward_model == REWARD.REWARDS


@pytest.mark.interpreted
@each_case
def test_options_pass_through_openspiels_parameters(case: Case) -> None:
    """By name, from text, and back."""
    game = load(case)
    assert game.rules.options == case.raw().options
    again = pyspiel.load_game(str(game))
    assert again.rules is game.rules
    assert str(again) == str(game)
    assert pickle.loads(pickle.dumps(game)).rules is game.rules
    assert kind_of(game) == kind_of(pyspiel.load_game(f"wilddeck_{case.game_id}"))


def kind_of(game: Any) -> tuple[str, int, int]:
    kind = game.get_type()
    return kind.short_name, kind.min_num_players, kind.max_num_players


def test_options_called_like_parameters_of_the_adapter() -> None:
    """They end in _, by name and in text."""
    game = openspiel.load_game("rummy_v0", deals=3, variant="contract", first_deal=2, deals_=4)
    assert (game.rules.options.deals, game.rules.deals) == (4, 3)
    again = pyspiel.load_game(str(game))
    assert (again.rules.options.deals, again.rules.deals) == (4, 3)
    assert openspiel.load_game("blackjack_v0", decks_=6).rules.options.decks == 6
    with pytest.raises(ValueError, match="deck_"):
        openspiel.load_game("blackjack_v0", deck_="standard")


def test_loading_by_text() -> None:
    game = pyspiel.load_game("wilddeck_skin_v0(num_players=3,first_banker='1',side_bets=False)")
    options = game.rules.options
    assert (options.num_players, options.hands, options.first_banker, options.side_bets) == (3, 3, 1, False)
    assert (game.get_type().min_num_players, game.get_type().max_num_players) == (2, 8)
    assert "wilddeck_tennis_v0" in pyspiel.registered_names()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": "tenis_v0"}, "no game 'tenis_v0'; did you mean 'tennis_v0'"),
        ({"player": 3}, "tennis_v0 has no option 'player'"),
        ({"num_players": 5}, "option num_players=5 is not allowed"),
        ({"decks": [[1, 2]]}, "not a permutation of the 48 cards of tennis_v0"),
        ({"decks": []}, "decks is empty"),
        ({"deals": -1}, r"deals=-1 is not allowed; allowed: 0..10000"),
        ({"deals": 10_001}, r"deals=10001 is not allowed; allowed: 0..10000"),
        ({"history": 0}, r"history=0 is not allowed; allowed: 1..4096"),
        ({"decks": [list(range(48))] * 2, "deals": 3}, "deals=3 is not a multiple of the 2 decks"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        openspiel.load_game(**{"game": "tennis_v0", **arguments})


def test_without_openspiel() -> None:
    code = """
import sys
sys.modules["pyspiel"] = None
try:
    import wilddeck.frameworks.openspiel
except ImportError as error:
    print(error)
"""
    assert "need the extra `openspiel`: pip install 'wilddeck[openspiel]'" in output_of(code)


# --- algorithms ---


def test_kuhn_poker_is_openspiels() -> None:
    """Against its own: the same tree, the same exploitability of random play."""
    ours, theirs = (policy.TabularPolicy(game) for game in (small_game(), pyspiel.load_game("kuhn_poker")))
    assert len(ours.states) == len(theirs.states) == 12
    worth = exploitability.nash_conv(ours.game, ours)
    assert worth == pytest.approx(exploitability.nash_conv(theirs.game, theirs)) == pytest.approx(11 / 12)
    for player in range(2):
        values = [
            best_response.BestResponsePolicy(game.game, player, game).value(game.game.new_initial_state())
            for game in (ours, theirs)
        ]
        assert values[0] == pytest.approx(values[1])


def test_counterfactual_regret_minimisation_solves_kuhn_poker() -> None:
    """To the known value, -1/18 for the first player; in Python and in C++."""
    game = small_game()
    solver = cfr.CFRPlusSolver(game)
    fast = pyspiel.CFRPlusSolver(game)
    for _ in range(100):
        solver.evaluate_and_update_policy()
        fast.evaluate_and_update_policy()
    average = solver.average_policy()
    assert exploitability.exploitability(game, average) < 0.005
    assert pyspiel.exploitability(game, fast.average_policy()) < 0.005
    values = expected_game_score.policy_value(game.new_initial_state(), [average] * 2)
    assert values == pytest.approx([-1 / 18, 1 / 18], abs=0.003)


def searcher(game: Any, simulations: int, seed: int) -> Any:
    """IS-MCTS; OpenSpiel's default sampler would not be reproducible."""
    evaluator = openspiel.RolloutEvaluator(1, seed)
    bot = ismcts.ISMCTSBot(game, evaluator, 2.0, simulations, random_state=np.random.RandomState(seed))
    sampler = random.Random(seed).random
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, sampler))
    return bot


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "options", "deals", "least"),
    [("tennis_v0", {"num_players": 2}, 10, 6), ("hearts_v0", {}, 18, 0.8), ("hearts_v0", {"deck": "standard"}, 12, 0.8)],
)
def test_information_set_search_beats_random_play(name: str, options: dict[str, Any], deals: int, least: float) -> None:
    """By the sum of its returns; in hearts 0.8 are 1.7 points a hand."""
    game = openspiel.load_game(name, **options)
    draw, won = random.Random(1), 0.0
    for number in range(deals):
        seat, state = number % game.num_players(), dealt(game, number)
        bot = searcher(game, 30, number)
        while not state.is_terminal():
            mine = state.current_player() == seat
            state.apply_action(int(bot.step(state)) if mine else draw.choice(state.legal_actions()))
        won += state.returns()[seat]
    assert won >= least


@one_game
def test_information_set_search_plays_every_game(case: Case) -> None:
    """With nodes by information state: the legal actions of a node never differ between samples, or it would fail."""
    game = load(case)
    state, bot = dealt(game, 8), searcher(game, 40, 1)
    for number in range(15):
        played(state, number, 5)
        if state.is_terminal():
            break
        state.apply_action(int(bot.step(state)))


def test_tree_search_plays_tennis() -> None:
    """In Python with compiled playouts; and in C++, whose `step` must not be called with a game in Python."""
    game = openspiel.load_game("tennis_v0", num_players=2)
    state = dealt(game, 2)
    slow = mcts.MCTSBot(game, 2.0, 50, openspiel.RolloutEvaluator(2, 1), random_state=np.random.RandomState(1))
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    fast = pyspiel.MCTSBot(game, evaluator, 2.0, 10, 10, False, 1, False)
    for number in range(10):
        action = int(slow.step(state)) if number % 2 else fast.step_with_policy(state)[1]
        assert action in state.legal_actions()
        state.apply_action(action)
    assert len(pyspiel.evaluate_bots(state, [pyspiel.make_uniform_random_bot(player, 1) for player in range(2)], 1)) == 2


def test_what_openspiel_cannot_do_with_games_in_python() -> None:
    """Known limits of 2.0.2, named in the guide: its C++ IS-MCTS does not ask a Python state for samples."""
    state = dealt(openspiel.load_game("tennis_v0", num_players=2), 1)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    with pytest.raises(pyspiel.SpielError, match="ResampleFromInfostate"):
        pyspiel.ISMCTSBot(1, evaluator, 2.0, 10).step_with_policy(state)


def test_rollouts_are_reproducible_and_complete() -> None:
    game = openspiel.load_game(toy_game.GAME)
    state = dealt(game, 1)
    played(state, 1, 1)
    first, second = (openspiel.RolloutEvaluator(500, 7).evaluate(state) for _ in range(2))
    assert first.tolist() == second.tolist()
    returns = []
    for number in range(500):
        copied = state.clone()
        played(copied, number, 100)
        returns.append(copied.returns())
    np.testing.assert_allclose(first, np.mean(returns, axis=0), atol=1.5)
    with pytest.raises(ValueError, match="need a state with a player to move"):
        openspiel.RolloutEvaluator().evaluate(game.new_initial_state())


def test_learners_play_through_the_environment() -> None:
    environment = rl_environment.Environment(openspiel.load_game("tennis_v0", num_players=2), chance_event_sampler=None)
    step = environment.reset()
    draw, steps = random.Random(1), 0
    while not step.last():
        player = step.observations["current_player"]
        step = environment.step([draw.choice(step.observations["legal_actions"][player])])
        steps += 1
    assert steps > 20
    assert sum(step.rewards) == 0


def test_the_guide() -> None:
    done = doctest.testfile(str(ROOT / "docs" / "guides" / "openspiel.md"), module_relative=False, encoding="utf-8")
    assert done.attempted > 15
    assert done.failed == 0
