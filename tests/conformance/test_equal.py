"""One game is one game: single or batched, compiled or interpreted, on one thread or many, in this process or another."""

from __future__ import annotations

import contextlib
import itertools
import json
import pickle

import numpy as np
from conformance.digests import report
from support import Case, actions_of, each_case, each_game, each_sample, few, few_games, first_deck, moments, run_python
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.batch import game_kernels, noise_counters, policy_kernels
from wilddeck.envs.core.game import as_records
from wilddeck.envs.core.jit import only_interpreted
from wilddeck.envs.core.kernels import random_actions

SAVES = 5


@each_case
def test_a_row_of_a_batch_is_a_single_game(case: Case) -> None:
    """Step by step, through the end of a game into the next one that autoreset begins."""
    batch = case.batch(3, seed=case.seed)
    envs = [case.raw() for _ in range(3)]
    for row, env in enumerate(envs):
        env.reset(seed=case.seed + row)
    ended = 0
    for _ in range(min(len(actions_of(case)) * 2, 1500)):
        for row, env in enumerate(envs):
            seen = env.observe(env.agent_selection)
            assert batch.states[row].tobytes() == env.record[0].tobytes()
            assert batch.observation[row].tobytes() == seen["observation"].tobytes()
            assert batch.action_mask[row].tolist() == seen["action_mask"].tolist()
            assert batch.current_player[row] == env.current_player
        actions = batch.random_actions()
        batch.step(actions)
        for row, env in enumerate(envs):
            env.step(actions[row])
            assert batch.rewards[row].tolist() == list(env.rewards.values())
            assert batch.terminated[row] == env.terminations["player_0"]
            assert batch.truncated[row] == env.truncations["player_0"]
            if batch.terminated[row] or batch.truncated[row]:
                env.reset()
                ended += 1
    assert ended or len(actions_of(case)) > 700


@each_case
def test_a_batch_begins_with_the_seeds_of_single_games(case: Case) -> None:
    env = case.raw()
    for seed in (2**64 - 2, 2**128 - 2):
        batch = case.batch(5, seed=seed)
        for row in range(5):
            env.reset(seed=(seed + row) % 2**128)
            assert batch.states[row].tobytes() == env.record[0].tobytes()


@few_games
def test_many_threads_equal_one(case: Case) -> None:
    one, many = case.batch(7, seed=1), case.batch(7, seed=1, threads=3)
    for _ in range(40):
        actions = one.random_actions()
        np.testing.assert_array_equal(actions, many.random_actions())
        one.step(actions)
        many.step(actions)
        assert one.states.tobytes() == many.states.tobytes()
        assert one.observation.tobytes() == many.observation.tobytes()
        assert one.action_mask.tobytes() == many.action_mask.tobytes()
        assert one.rewards.tobytes() == many.rewards.tobytes()
    single, threaded = one.rollout(200), many.rollout(200)
    assert single[:2] == threaded[:2]
    np.testing.assert_allclose(single.returns, threaded.returns, atol=1e-9)
    assert one.states.tobytes() == many.states.tobytes()
    assert one.observation.tobytes() == many.observation.tobytes()
    many.close()
    many.step(many.random_actions())


@few_games
def test_rollout_equals_steps(case: Case) -> None:
    """`rollout` plays what `random_actions` and `step` play, and counts it."""
    rolled, stepped = case.batch(4, seed=6), case.batch(4, seed=6)
    steps = min(len(actions_of(case)) + 20, 400)
    games, returns = 0, np.zeros(stepped.num_players)
    for _ in range(steps):
        stepped.step(stepped.random_actions())
        games += int(np.sum(stepped.terminated | stepped.truncated))
        returns += stepped.rewards.sum(axis=0, dtype=np.float64)
    result = rolled.rollout(steps)
    assert result.steps == 4 * steps
    assert result.games == games
    np.testing.assert_allclose(result.returns, returns, atol=1e-6)
    assert rolled.states.tobytes() == stepped.states.tobytes()
    assert rolled.observation.tobytes() == stepped.observation.tobytes()
    assert rolled.action_mask.tobytes() == stepped.action_mask.tobytes()
    np.testing.assert_array_equal(rolled.random_actions(), stepped.random_actions())


@few_games
def test_playouts_end_games(case: Case) -> None:
    """The kernel of search agents plays any running game to its end, and adds up the rewards of all its moves."""
    play = policy_kernels(case.game)["playout_games"]
    for env in [env for env in moments(case) if env.legal_actions()][::6]:
        actions = np.array(env.legal_actions()[:8], np.int64)
        records = as_records(np.repeat(env.record, len(actions)))
        returns = np.zeros((len(actions), env.num_players))
        buffers = np.zeros(env.observation_size, np.float32), np.zeros(env.num_actions, np.uint8)
        longest = case.game.max_length(env.options)
        play(records, actions, noise_counters(9, len(actions)), *buffers, returns, longest, ())
        assert np.all((records["terminated"] | records["truncated"]) == 1)
        assert np.all(records["move_count"] <= longest)
        by_hand = case.raw()
        for row, action in enumerate(actions[:2]):
            by_hand.load(env.save())
            noise, total = noise_counters(9, len(actions))[row : row + 1], np.zeros(env.num_players)
            by_hand.step(action)
            total += list(by_hand.rewards.values())
            choice = np.zeros(1, np.int64)
            while by_hand.legal_actions():
                random_actions(by_hand.observe(by_hand.agent_selection)["action_mask"][None], noise, choice)
                by_hand.step(choice[0])
                total += list(by_hand.rewards.values())
            np.testing.assert_allclose(returns[row], total, atol=1e-6)


@each_case
def test_a_given_deck_is_the_same_game(case: Case) -> None:
    """A deck given to `reset` that equals the shuffled one gives the identical game."""
    env, again = case.raw(), case.raw()
    for seed in range(case.seed, case.seed + 3):
        env.reset(seed=seed)
        deck = first_deck(env, seed)
        again.reset(seed=seed, options={"deck": deck})
        assert again.record.tobytes() == env.record.tobytes()
        again.reset(seed=seed, options={"decks": [np.array(deck)]})
        assert again.record.tobytes() == env.record.tobytes()


@each_case
def test_deals_depend_on_the_seed_alone(case: Case) -> None:
    """Deal k of an episode is the same whatever was played before it."""
    env = case.raw()
    observation, mask = np.zeros(env.observation_size, np.float32), np.zeros(env.num_actions, np.uint8)
    begun = set()
    for seed, deals, chance in itertools.product((1, 2), (1, 4), (0, 977, 2**63)):
        start = as_records(env.game.template(env.options))
        start["seed"], start["deals"], start["rng"] = seed, deals, chance
        game_kernels(env.game)["start_single"](start, False, observation, mask)
        begun.add(start.tobytes())
    assert len(begun) == 4


@each_sample
def test_compiled_equals_interpreted_in_a_fresh_process_with_poisoned_generators(sample: list[Case]) -> None:
    """The same rules as plain Python give the same bytes, observations, labels and determinizations; nothing comes from the
    global generators, hash seeds or what this process did before."""
    saves = [[pickle.dumps(env.__getstate__()) for env in few(moments(case), SAVES)] for case in sample]
    lines = [json.dumps([*case[:2], [save.hex() for save in made]]) for case, made in zip(sample, saves, strict=True)]
    run = "from conformance.digests import main; main()"
    done = run_python(run, stdin="\n".join(lines), NUMBA_DISABLE_JIT="1", PYTHONHASHSEED="12345")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [report(*case[:2], made) for case, made in zip(sample, saves, strict=True)]


@each_game
def test_a_game_may_go_on_compiled_or_interpreted_after_any_move(case: Case) -> None:
    """In one process; and what a table asks for between two moves is the same, too."""

    def move(env: CardGameEnv, number: int) -> tuple[object, ...]:
        if number and not env.is_over:
            env.step(env.legal_actions()[number % len(env.legal_actions())])
        else:
            env.reset(seed=case.seed + number)
        drawn = env.determinize(env.possible_agents[number % env.num_players], number)
        views = env.views(range(env.num_players))
        return env.record.tobytes(), drawn.record.tobytes(), views.tobytes(), env.legal_actions(), dict(env.rewards)

    changing, compiled = case.raw(), case.raw()
    for number in range(40):
        with only_interpreted() if number % 3 else contextlib.nullcontext():
            moved = move(changing, number)
        assert moved == move(compiled, number)
