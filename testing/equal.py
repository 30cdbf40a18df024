"""A game plays the same in every mode: single or batched, compiled or interpreted, on any number of threads, in any process."""

from __future__ import annotations

import contextlib
import itertools
import pickle
from collections.abc import Sequence

import numpy as np

from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import Batch, game_kernels, noise_counters, policy_kernels
from ..envs.core.game import as_records
from ..envs.core.jit import only_interpreted
from ..envs.core.kernels import BEGIN, random_actions
from . import child
from .cases import Case, few
from .checks import check, expect, failure, place_of, same
from .played import actions_of, first_deck, moments

SAVES = 5


@check("step", compiled=True)
def check_a_row_of_a_batch_is_a_single_game(case: Case) -> None:
    """Checked at every step, through the end of a game into the next one that autoreset starts."""
    batch = case.batch(3, seed=case.seed)
    envs = [case.raw() for _ in range(3)]
    for row, env in enumerate(envs):
        env.reset(seed=case.seed + row)
    ended = 0
    for _ in range(min(len(actions_of(case)) * 2, 1500)):
        for row, env in enumerate(envs):
            seen, where = env.observe(env.agent_selection), f"of row {row} of a batch differs from the single game's"
            same(batch.states[row], env.record[0], f"the record {where}", env)
            same(batch.observation[row], seen["observation"], f"the observation {where}", env, "observe")
            same(batch.action_mask[row].tolist(), seen["action_mask"].tolist(), f"the mask {where}", env, "legal_actions")
            same(int(batch.current_player[row]), env.current_player, f"the player to move {where}", env)
        actions = batch.random_actions()
        batch.step(actions)
        for row, env in enumerate(envs):
            env.step(actions[row])
            where = f"of row {row} of a batch differ from the single game's"
            same(batch.rewards[row].tolist(), list(env.rewards.values()), f"the rewards {where}", env)
            over = bool(batch.terminated[row]), bool(batch.truncated[row])
            same(over, (env.terminations["player_0"], env.truncations["player_0"]), f"terminated and truncated {where}", env)
            if any(over):
                env.reset()
                ended += 1
    expect(ended or len(actions_of(case)) > 700, "no game of a batch ends within twice the length of a single game")


@check("begin", compiled=True)
def check_a_batch_begins_with_the_seeds_of_single_games(case: Case) -> None:
    env = case.raw()
    for seed in (2**64 - 2, 2**128 - 2):
        batch = case.batch(5, seed=seed)
        for row in range(5):
            env.reset(seed=(seed + row) % 2**128)
            same(batch.states[row], env.record[0], f"row {row} of a batch with seed {seed} starts a different game", env)


def expect_equal_batches(one: Batch, two: Batch, what: str) -> None:
    for name in ("states", "observation", "action_mask", "rewards"):
        if name != "rewards" or "rollout" not in what:
            same(getattr(one, name).tobytes(), getattr(two, name).tobytes(), f"{name} of two batches {what} differ")


@check("step", scope="few", compiled=True)
def check_many_threads_equal_one(case: Case) -> None:
    one, many = case.batch(7, seed=1), case.batch(7, seed=1, threads=3)
    for step in range(40):
        actions = one.random_actions()
        same(many.random_actions(), actions, f"random actions on three threads and on one differ in step {step}")
        one.step(actions)
        many.step(actions)
        expect_equal_batches(one, many, f"on one thread and on three, after {step + 1} steps,")
    single, threaded = one.rollout(200), many.rollout(200)
    same(single[:2], threaded[:2], "steps and games of a rollout on one thread and on three differ")
    good = np.allclose(single.returns, threaded.returns, atol=1e-9)
    expect(good, f"a rollout on three threads returns {threaded.returns}, on one {single.returns}")
    expect_equal_batches(one, many, "on one thread and on three, after a rollout,")
    many.close()
    many.step(many.random_actions())


@check("step", scope="few", compiled=True)
def check_rollout_equals_steps(case: Case) -> None:
    """`rollout` plays the same as `random_actions` and `step`, and counts the steps."""
    rolled, stepped = case.batch(4, seed=6), case.batch(4, seed=6)
    steps = min(len(actions_of(case)) + 20, 400)
    games, returns = 0, np.zeros(stepped.num_players)
    for _ in range(steps):
        stepped.step(stepped.random_actions())
        games += int(np.sum(stepped.terminated | stepped.truncated))
        returns += stepped.rewards.sum(axis=0, dtype=np.float64)
    result = rolled.rollout(steps)
    same((result.steps, result.games), (4 * steps, games), "a rollout and single steps count different steps and games")
    good = np.allclose(result.returns, returns, atol=1e-6)
    expect(good, f"a rollout returns {result.returns}, single steps {returns}")
    expect_equal_batches(rolled, stepped, "after a rollout and after single steps")
    same(rolled.random_actions(), stepped.random_actions(), "random actions differ after a rollout and after single steps")


@check("step", scope="few", compiled=True)
def check_playouts_end_games(case: Case) -> None:
    """The kernel of search agents plays any running game to its end, and sums the rewards of all moves."""
    play = policy_kernels(case.game)["playout_games"]
    for env in [env for env in moments(case) if env.legal_actions()][::6]:
        actions = np.array(env.legal_actions()[:8], np.int64)
        records = as_records(np.repeat(env.record, len(actions)))
        returns = np.zeros((len(actions), env.num_players))
        buffers = np.zeros(env.observation_size, np.float32), np.zeros(env.num_actions, np.uint8)
        longest = case.game.max_length(env.options)
        play(records, actions, noise_counters(9, len(actions)), *buffers, returns, longest, ())
        expect(np.all((records["terminated"] | records["truncated"]) == 1), "a playout does not end the game", env)
        expect(np.all(records["move_count"] <= longest), f"a playout continues after max_length, {longest} moves", env)
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
            expect(np.allclose(returns[row], total, atol=1e-6), f"a playout returns {returns[row]}, step by step {total}", env)


@check("deal", "begin")
def check_a_given_deck_is_the_same_game(case: Case) -> None:
    """A deck given to `reset` that equals the shuffled one gives the identical game."""
    env, again = case.raw(), case.raw()
    for seed in range(case.seed, case.seed + 3):
        env.reset(seed=seed)
        deck = first_deck(env, seed)
        for options in ({"deck": deck}, {"decks": [np.array(deck)]}):
            again.reset(seed=seed, options=options)
            same(again.record[0], env.record[0], f"the deck of seed {seed}, given to reset, starts a different game", env)


@check("deal", "begin")
def check_deals_depend_on_the_seed_alone(case: Case) -> None:
    """Deal k of an episode does not depend on earlier actions."""
    env = case.raw()
    observation, mask = np.zeros(env.observation_size, np.float32), np.zeros(env.num_actions, np.uint8)
    begun = set()
    for seed, deals, chance in itertools.product((1, 2), (1, 4), (0, 977, 2**63)):
        start = as_records(env.game.template(env.options))
        start["seed"], start["deals"], start["rng"] = seed, deals, chance
        game_kernels(env.game)["step_single"](start, BEGIN, observation, mask)
        begun.add(start.tobytes())
    more = "earlier random numbers change a deal" if len(begun) > 4 else "a deal ignores the seed or its number"
    expect(len(begun) == 4, f"{more}: {len(begun)} different deals from two seeds and two numbers")


@check("step", "determinize", scope="together", compiled=True)
def check_compiled_equals_interpreted_in_a_fresh_process_with_poisoned_generators(sample: Sequence[Case]) -> None:
    """The same rules as plain Python give the same bytes, observations, labels and determinizations, which do not depend on
    global generators, hash seeds or earlier work of this process."""
    saves = [[pickle.dumps(env.__getstate__()) for env in few(moments(case), SAVES)] for case in sample]
    tasks = list(zip(sample, saves, strict=True))
    answers = child.run("report", tasks, NUMBA_DISABLE_JIT="1", PYTHONHASHSEED="12345")
    for (case, made), lines in zip(tasks, answers, strict=True):
        for here, there in zip(child.report(case, made), lines, strict=True):
            if here != there:
                wrong = f"{child.WHAT} differs after {here[0]} between compiled rules and interpreted ones in another process"
                raise failure(case, "step", place_of(case.game, "step"), wrong)


@check("step", scope="defaults", compiled=True)
def check_a_game_may_go_on_compiled_or_interpreted_after_any_move(case: Case) -> None:
    """In one process; what a table queries between two moves is the same, too."""

    def move(env: CardGameEnv, number: int) -> dict[str, object]:
        if number and not env.is_over:
            env.step(env.legal_actions()[number % len(env.legal_actions())])
        else:
            env.reset(seed=case.seed + number)
        drawn = env.determinize(env.possible_agents[number % env.num_players], number)
        views = env.views(range(env.num_players)).tobytes()
        asked = {"the record": env.record.tobytes(), "a determinization": drawn.record.tobytes(), "what is seen": views}
        return {**asked, "what is legal": env.legal_actions(), "rewards": dict(env.rewards)}

    changing, compiled = case.raw(), case.raw()
    for number in range(40):
        with only_interpreted() if number % 3 else contextlib.nullcontext():
            moved = move(changing, number)
        same(moved, move(compiled, number), "compiled and interpreted rules differ", compiled)
