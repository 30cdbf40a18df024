"""The Gymnasium vector environment: against one game at a time, in the hands of Gymnasium's wrappers, and bad input."""

from __future__ import annotations

import copy
import pickle

import gymnasium
import numpy as np
import pytest
import toy_game as toy
from wilddeck import envs
from wilddeck.agents.base import Agent
from wilddeck.agents.views import Views
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.jit import only_interpreted
from wilddeck.envs.registration import registry_id
from wilddeck.seats import seat_games
from wilddeck.seats.single_seat import SingleSeatEnv
from wilddeck.seats.vector import SeatVectorEnv

vector = pytest.importorskip("gymnasium.wrappers").vector
TENNIS = "wilddeck/tennis-v0"


def middle(mask):
    """Neither the first nor the last legal action, where there are three."""
    legal = np.flatnonzero(mask)
    return int(legal[len(legal) // 2]) if len(legal) else 0


def middles(env):
    return np.array([middle(mask) for mask in env.action_masks()])


class LastLegal(Agent):
    name = "last"
    plays_batches = True

    def act_batch(self, views, rng):
        return views.action_mask.shape[1] - 1 - views.action_mask[:, ::-1].argmax(axis=1)


def lived(game, options, seed, opponents, seats, steps):
    """What one seat sees of its games one after another, by the PettingZoo environment: [observation, mask, seat] at each
    decision, and after it [reward, terminated, last observation]."""
    raw, decisions, brought = CardGameEnv(game, options), [], []
    for number in range(10**6):
        raw.reset(seed=seed if not number else None)
        seat, earned, decided = seats(number), 0.0, False
        name = raw.possible_agents[seat]
        while raw.agents and not raw.terminations[name]:
            seen = raw.observe(raw.agent_selection)
            if raw.agent_selection == name:
                if decided:
                    brought.append([earned, False, None])
                    earned = 0.0
                decided = True
                decisions.append([seen["observation"], seen["action_mask"], seat])
                action = middle(seen["action_mask"])
            else:
                agent = opponents[(raw.possible_agents.index(raw.agent_selection) - seat - 1) % raw.num_players]
                action = int(agent.act_batch(Views.of(seen["observation"][None], seen["action_mask"][None]), None)[0])
            raw.step(action)
            earned += raw.rewards[name]
        if decided:
            brought.append([earned, True, raw.observe(name)["observation"]])
        if len(brought) > steps:
            return decisions, brought
    raise AssertionError


@pytest.mark.parametrize(("game", "players"), [(toy.GAME, 3), (toy.TEAMS, 4), (envs.game("tennis_v0"), 3)], ids=str)
@pytest.mark.parametrize("mask", ["info", "observation"])
def test_it_is_one_game_at_a_time_many_times(game, players, mask):
    options = game.make_options({"num_players": players})
    opponents = [toy.FirstLegal(), *[LastLegal()] * (players - 2)]
    env = SeatVectorEnv(game, 5, opponents, seat="rotate", mask=mask, num_players=players)
    observation, infos = env.reset(seed=2**64 - 3)
    steps, ends = 60, 0
    expected = [
        lived(game, options, 2**64 - 3 + row, opponents, lambda number, row=row: (row + number) % players, steps)
        for row in range(5)
    ]
    for step in range(steps):
        for row, (decisions, _) in enumerate(expected):
            seen = {name: array[row] for name, array in observation.items()} if mask == "observation" else observation[row]
            vector_seen = seen["observation"] if mask == "observation" else seen
            assert (vector_seen == decisions[step][0]).all() and infos["seat"][row] == decisions[step][2]
            assert (infos["action_mask"][row] == decisions[step][1]).all() and infos["_action_mask"].all()
            assert mask == "info" or (seen["action_mask"] == decisions[step][1]).all()
            assert seen in env.single_observation_space
        assert observation in env.observation_space and (env.action_masks() == infos["action_mask"]).all()
        observation, rewards, terminated, truncated, infos = env.step(middles(env))
        assert not truncated.any() and ("final_obs" in infos) == terminated.any()
        for row, (_, brought) in enumerate(expected):
            reward, ended, last = brought[step]
            assert rewards[row] == pytest.approx(reward, abs=1e-6) and terminated[row] == ended
            if ended:
                final = infos["final_obs"][row]
                assert ((final["observation"] if mask == "observation" else final) == last).all()
                assert infos["final_info"]["seat"][row] == expected[row][0][step][2]
                assert infos["_final_obs"][row] and not infos["final_info"]["action_mask"][row].any()
                ends += 1
    assert ends > 2


def play(env, steps=60):
    """Plays on; what is seen lies in the space."""
    env.reset(seed=1)
    total = np.zeros(env.num_envs)
    for _ in range(steps):
        observation, rewards, terminated, *_ = env.step(middles(env.unwrapped))
        assert observation in env.observation_space
        total += rewards
        if terminated.any() and env.metadata["autoreset_mode"].name == "DISABLED":
            env.reset(options={"reset_mask": terminated.copy()})
    return observation, total


def test_gymnasium_makes_it():
    env = gymnasium.make_vec(TENNIS, num_envs=7, opponents="rules", seat=1, num_players=3)
    assert isinstance(env, SeatVectorEnv) and env.num_envs == 7 and env.spec.id == TENNIS
    _, infos = env.reset(seed=4)
    assert (infos["seat"] == 1).all()
    play(env)
    env.close()


@pytest.mark.long
@pytest.mark.parametrize("game_id", ["spades_v0", "skin_v0"])
def test_other_games_are_made_in_many(game_id):
    """Of teams, and for chips. All are registered alike."""
    assert all(gymnasium.spec(registry_id(name)).vector_entry_point for name in envs.game_ids())
    play(gymnasium.make_vec(registry_id(game_id), num_envs=2), 3)


WRAPPERS = {
    "statistics": vector.RecordEpisodeStatistics,
    "normalised": vector.NormalizeObservation,
    "rewards": lambda env: vector.NormalizeReward(env, gamma=1.0),
    "clipped": lambda env: vector.ClipReward(env, -1, 1),
    "listed": vector.DictInfoToList,
    "flat": vector.FlattenObservation,
    "rescaled": lambda env: vector.RescaleObservation(env, -1, 1),
}


REFUSED = {"same_step": {"normalised", "flat", "rescaled"}, "next_step": set(), "disabled": {"normalised"}}


@pytest.mark.parametrize("autoreset", REFUSED)
@pytest.mark.parametrize("name", WRAPPERS)
def test_gymnasiums_wrappers(name, autoreset):
    """docs/guides/clients.md tells which of them want which autoreset."""
    env = gymnasium.make_vec(TENNIS, num_envs=4, num_players=2, autoreset=autoreset)
    if name in REFUSED[autoreset]:
        with pytest.raises((ValueError, AssertionError)):
            WRAPPERS[name](env)
        return
    observation, _ = play(WRAPPERS[name](env))
    assert np.isfinite(observation).all()


def test_the_next_game_may_begin_a_step_later():
    """The same games: where one ends, its last observation is shown first, and the action after it counts for nothing."""
    same, later = (SeatVectorEnv("tennis_v0", 5, "rules", autoreset=mode, num_players=2) for mode in ("same_step", "next_step"))
    assert str(later.metadata["autoreset_mode"]) != str(same.metadata["autoreset_mode"])
    observations, infos = zip(same.reset(seed=3), later.reset(seed=3), strict=True)
    histories = [[[row] for row in rows] for rows in observations]
    lived = [[[] for _ in range(5)] for _ in range(2)]
    for k, env in enumerate((same, later)):
        over = np.zeros(5, bool)
        info = infos[k]
        for _ in range(80):
            assert (over == ~info["action_mask"].any(axis=1)).all()
            actions = np.array([99 if done else middle(mask) for mask, done in zip(info["action_mask"], over, strict=True)])
            waited = over
            observation, rewards, terminated, truncated, info = env.step(actions)
            over = terminated if k else over
            for row in range(5):
                if waited[row]:
                    assert rewards[row] == 0 and not terminated[row] and not truncated[row]
                else:
                    last = info["final_obs"][row] if terminated[row] and not k else None
                    last = observation[row] if terminated[row] and k else last
                    lived[k][row].append((rewards[row], terminated[row], last))
                if not over[row]:
                    histories[k][row].append(observation[row])
    for row in range(5):
        assert (np.array(histories[0][row][:60]) == np.array(histories[1][row][:60])).all()
        for one, other in zip(lived[0][row][:60], lived[1][row][:60], strict=True):
            assert one[:2] == other[:2] and ((one[2] is None) == (other[2] is None))
            assert one[2] is None or (one[2] == other[2]).all()


def test_games_may_wait_for_a_reset_of_their_rows():
    """The same games as with the next beginning in the same step: each is begun by a reset of its row, and none is stepped
    before. What is reset before its end is followed by the next, too."""
    same, waits = (SeatVectorEnv("tennis_v0", 5, "rules", autoreset=mode, num_players=2) for mode in ("same_step", "disabled"))
    assert waits.metadata["autoreset_mode"].name == "DISABLED"
    (expected, _), (seen, infos) = same.reset(seed=3), waits.reset(seed=3)
    ends = 0
    for _ in range(60):
        assert (seen == expected).all()
        actions = middles(same)
        expected, *brought, ended = same.step(actions)
        seen, *waited, infos = waits.step(actions)
        assert all((one == other).all() for one, other in zip(brought, waited, strict=True))
        over = waited[1]
        assert (over == ~infos["action_mask"].any(axis=1)).all() and (seen[~over] == expected[~over]).all()
        for row in np.flatnonzero(over):
            assert (seen[row] == ended["final_obs"][row]).all()
            assert infos["seat"][row] == ended["final_info"]["seat"][row]
        if over.any():
            ends += 1
            with pytest.raises(gymnasium.error.ResetNeeded, match=rf"in rows \[{np.flatnonzero(over)[0]}.*reset_mask"):
                waits.step(actions)
            options = {"reset_mask": over}
            seen, infos = waits.reset(options=options)
            assert "reset_mask" in options  # wrappers look for it afterwards
            assert (infos["action_mask"] == same.action_masks()).all() and (infos["seat"] == ended["seat"]).all()
    assert ends > 3


@pytest.mark.parametrize("autoreset", ["same_step", "next_step", "disabled"])
def test_some_rows_begin_anew_and_the_others_go_on(autoreset):
    env = SeatVectorEnv("tennis_v0", 4, autoreset=autoreset, seat="rotate")
    before, infos = env.reset(seed=1)
    mask = np.array([False, True, False, True])
    after, new_infos = env.reset(options={"reset_mask": mask})
    assert (after[~mask] == before[~mask]).all() and (after[mask] != before[mask]).any(axis=1).all()
    assert (new_infos["seat"] == (infos["seat"] + mask) % 4).all()  # the next seat with the next game
    assert (new_infos["action_mask"][~mask] == infos["action_mask"][~mask]).all() and new_infos["action_mask"].any(axis=1).all()


def test_bad_seeds_and_masks_of_rows():
    env = SeatVectorEnv("tennis_v0", 2)
    whole = np.ones(2, bool)
    with pytest.raises(gymnasium.error.ResetNeeded, match="for all games before a reset with reset_mask"):
        env.reset(options={"reset_mask": whole})
    env.reset(seed=1)
    before = env.games.batch.states.tobytes()
    for seed in ([1, 2], (1, 2), np.arange(2), [None, None]):
        with pytest.raises(ValueError, match=r"seed is one integer for all games, not .*; row i begins with the deal of seed"):
            env.reset(seed=seed)
    for mask in ([1, 0], np.ones(3, bool), ~whole, True, "all"):
        with pytest.raises(ValueError, match=r"reset_mask must be bool of shape \(2,\) with a True in it"):
            env.reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match="reset_mask cannot be combined with a seed"):
        env.reset(seed=1, options={"reset_mask": whole})
    with pytest.raises(ValueError, match=r"options \['deck'\] are not allowed here; allowed: reset_mask"):
        env.reset(options={"reset_mask": whole, "deck": []})
    assert env.games.batch.states.tobytes() == before


def test_episodes_are_counted_as_they_are():
    env = vector.RecordEpisodeStatistics(gymnasium.make_vec(TENNIS, num_envs=4, num_players=2))
    env.reset(seed=1)
    episodes, total = 0, np.zeros(4)
    for _ in range(120):
        _, rewards, terminated, _, infos = env.step(middles(env.unwrapped))
        total += rewards
        for row in np.flatnonzero(terminated):
            assert infos["episode"]["r"][row] == pytest.approx(total[row])
            episodes += 1
        total[terminated] = 0
    assert episodes > 4


def test_equal_seeds_give_equal_games_and_copies_go_on_alike():
    first, second = (SeatVectorEnv("tennis_v0", 6, "rules") for _ in range(2))
    assert (play(first)[1] == play(second)[1]).all()
    for other in (copy.deepcopy(first), copy.copy(first), pickle.loads(pickle.dumps(first))):
        env = copy.deepcopy(first)
        for _ in range(20):
            a, b = env.step(middles(env)), other.step(middles(other))
            assert (a[0] == b[0]).all() and (a[1] == b[1]).all()
    first.reset()
    second.reset()
    assert (first.games.batch.states["seed"] != second.games.batch.states["seed"]).any()


def illegal(env):
    """In rows 1 and 3 an action that is not legal."""
    actions = middles(env)
    for row in (1, 3):
        actions[row] = env.action_masks()[row].argmin()
    return actions


def test_illegal_actions_raise():
    env = SeatVectorEnv("tennis_v0", 4)
    env.reset(seed=1)
    before = env.games.batch.states.tobytes()
    for actions in (illegal(env), np.full(4, 99), np.full(4, -1), np.full(4, -2)):
        with pytest.raises(ValueError, match=r"row .: action .* is not legal"):
            env.step(actions)
    assert env.games.batch.states.tobytes() == before


def test_illegal_actions_may_cost_all_there_is_to_lose():
    game = envs.game("hearts_v0")
    least = game.return_range(game.make_options({}))[0]
    with only_interpreted():
        env = SeatVectorEnv(game, 4, "rules", illegal="penalty")
        env.reset(seed=1)
        total = np.zeros(4)
        for _ in range(5):
            total += env.step(middles(env))[1]
        following = env.games.batch.states["seed"].copy()
        _, rewards, terminated, truncated, infos = env.step(illegal(env))
        assert terminated.tolist() == [False, True, False, True] and not truncated.any()
        assert (total + rewards)[[1, 3]] == pytest.approx([least, least])
        assert infos["final_obs"][1].shape == (env.games.batch.observation_size,) and infos["final_obs"][0] is None
        assert ((env.games.batch.states["seed"] != following) == terminated).all()  # the others go on
        rewards, terminated = env.step(np.array([99, -1, -2, 10**12]))[1:3]
        assert terminated.all() and rewards[1] == pytest.approx(least)
        for actions in (np.zeros(3, int), np.zeros(4), np.zeros((4, 1), int)):
            with pytest.raises(ValueError, match="actions must be integers of shape"):
                env.step(actions)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seat": 4}, r"seat=4 is not allowed; allowed: random, rotate, or a seat 0\.\.3"),
        ({"seat": "first"}, "seat='first' is not allowed"),
        ({"seat": True}, "seat=True is not allowed"),
        ({"mask": "both"}, "mask='both' is not allowed; allowed: info, observation"),
        ({"illegal": "ignore"}, "illegal='ignore' is not allowed; allowed: raise, penalty"),
        ({"autoreset": "never"}, "autoreset='never' is not allowed; allowed: next_step, same_step, disabled"),
        ({"render_mode": "human"}, "render_mode='human' is not allowed"),
        ({"opponents": ["random"]}, "opponents must be one agent or a list of 3 for 4 players, not 1"),
        ({"opponents": "nobody"}, "no agent 'nobody'"),
        ({"opponents": "mc"}, "plays one game at a time"),
        ({"num_envs": 0}, "num_games must be an integer of at least 1"),
        ({"players": 3}, "has no option 'players'"),
    ],
    ids=str,
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        SeatVectorEnv("tennis_v0", **arguments)
    if not {"num_envs", "render_mode", "autoreset"} & arguments.keys() and arguments.get("opponents") != "mc":
        with pytest.raises(ValueError, match=message):
            SingleSeatEnv("tennis_v0", **arguments)


def test_calls_out_of_order_and_options_at_reset():
    env = SeatVectorEnv("tennis_v0", 2)
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) before step"):
        env.step(np.zeros(2, int))
    with pytest.raises(ValueError, match=r"options \['deck'\] are not allowed here"):
        env.reset(options={"deck": []})
    with pytest.raises(ValueError, match="a seed is an integer from 0"):
        env.reset(seed=-1)


def test_games_without_a_decision_end_with_an_error(monkeypatch):
    """In the toy game with six players a seat may be left out: of a thousand such games one after another an error tells."""
    monkeypatch.setattr(seat_games, "MAX_DEALS", 1)
    env = SeatVectorEnv(toy.GAME, 64, toy.FirstLegal(), num_players=6)
    with pytest.raises(ValueError, match="the learner got to act in none of 1 games"):
        play(env, 1000)


def test_one_game_with_masks_in_its_observations_and_penalties():
    """The single-seat environment takes the same parameters, and unmasked algorithms and checkers play it then."""
    env = gymnasium.make(TENNIS, mask="observation", illegal="penalty", num_players=2)
    observation, info = env.reset(seed=1)
    assert (observation["action_mask"] == info["action_mask"]).all() and observation in env.observation_space
    assert (env.get_wrapper_attr("action_masks")() == info["action_mask"]).all()
    total = env.step(middle(info["action_mask"]))[1]
    observation, reward, terminated, truncated, info = env.step(int(env.unwrapped.action_masks().argmin()))
    assert terminated and not truncated and total + reward == pytest.approx(-1) and not info["action_mask"].any()
    assert not observation["action_mask"].any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_unmasked_algorithms_of_stable_baselines_run():
    stable = pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.env_checker import check_env

    env = SingleSeatEnv("tennis_v0", illegal="penalty", num_players=2)
    check_env(env)
    stable.PPO("MlpPolicy", env, n_steps=64, batch_size=64, n_epochs=1, seed=0).learn(128)
