"""Games between agents, one and many at a time."""

import dataclasses

import numpy as np
import pytest
import toy_game as toy
from support import each_case
from wilddeck import agents, envs
from wilddeck.agents import play
from wilddeck.agents.base import Agent, AgentError, View
from wilddeck.envs.core.render.scene import Scene

TENNIS = envs.game("tennis_v0")
OPTIONS = TENNIS.make_options({"num_players": 3})
RANDOM = agents.make("random", TENNIS, OPTIONS)
RULES = agents.make("rules", TENNIS, OPTIONS)


class First(Agent):
    """The first legal action: no randomness, so single games and batches must agree."""

    name = "first"

    def act_batch(self, views, rng):
        return views.action_mask.argmax(axis=1)


class Single(First):
    name = "single"
    plays_batches = False


class Bad(Agent):
    name = "bad"

    def __init__(self, answer):
        self.answer = answer

    def act(self, view, rng):
        return self.answer


class BadBatch(Bad):
    def act_batch(self, views, rng):
        return np.full(len(views.action_mask), self.answer)


def test_a_game_is_replayed_by_its_seed_and_told_step_by_step():
    seen = []
    table = [RULES, RANDOM, RANDOM]
    result = play.play_game(TENNIS, OPTIONS, table, 7, on_step=lambda env, action: seen.append((env.current_player, action)))
    again = play.play_game(TENNIS, OPTIONS, table, 7)
    assert result.actions == again.actions == [action for _, action in seen]
    assert result.returns.dtype == np.float64
    assert result.returns.sum() == pytest.approx(0)
    assert result.seeds == [play.seat_seed(7, seat) for seat in range(3)] and len(set(result.seeds)) == 3
    assert play.play_game(TENNIS, OPTIONS, table, 8).actions != result.actions
    env = envs.raw_env("tennis_v0", num_players=3)
    env.reset(seed=7)
    for seat, action in seen:
        assert env.current_player == seat
        env.step(action)
    assert all(env.terminations.values())
    assert list(env.rewards.values()) == result.returns.tolist()


def test_a_given_deck_is_dealt():
    deck = list(range(48))
    decks = []
    play.play_game(TENNIS, OPTIONS, [First()] * 3, 1, deck=deck, on_step=lambda env, a: decks.append(env.zones()))
    assert decks[0]["hand/0"] == [0, 3, 6, 9, 12, 15]


def test_agents_hear_of_beginning_and_end():
    heard = []

    class Listener(First):
        def begin(self, game, options, seat, seed):
            heard.append(("begin", seat, seed))

        def end(self, seat, returns):
            heard.append(("end", seat, returns.tolist()))

    result = play.play_game(TENNIS, OPTIONS, [Listener(), First(), First()], 5)
    assert heard == [("begin", 0, result.seeds[0]), ("end", 0, result.returns.tolist())]


def test_batches_play_the_games_that_single_play_does():
    batch = play.play_batch(TENNIS, OPTIONS, [First()] * 3, 20, seed=100)
    single = play.play_batch(TENNIS, OPTIONS, [Single(), First(), First()], 20, seed=100)
    assert batch.tolist() == single.tolist()
    assert len(np.unique(batch, axis=0)) > 1


class Remembering(Agent):
    """Plays the lowest and the highest legal action in turn, counted from the beginning of each game."""

    name = "remembering"
    moves = 0

    def begin(self, game, options, seat, seed):
        self.moves = 0

    def act_batch(self, views, rng):
        self.moves += 1
        reverse = self.moves % 2 == 0
        masks = views.action_mask[:, ::-1] if reverse else views.action_mask
        first = masks.argmax(axis=1)
        return views.action_mask.shape[1] - 1 - first if reverse else first


class AtTheEnd(First):
    def end(self, seat, returns):
        pass


def test_an_agent_that_remembers_is_told_where_games_begin():
    """Also where others play thousands at once: batches say neither which row is which game nor when one begins."""
    table = [Remembering(), First(), First()]
    alone = [play.play_game(TENNIS, OPTIONS, table, 100 + i).returns.tolist() for i in range(20)]
    assert play.play_batch(TENNIS, OPTIONS, table, 20, seed=100).tolist() == alone
    result = play.evaluate(Remembering(), First(), TENNIS, OPTIONS, 20, seed=100)
    assert result.team_means[0] == pytest.approx(np.mean(alone, axis=0)[0])


@pytest.mark.parametrize("agent", [Remembering(), AtTheEnd()])
def test_what_plays_batches_alone_refuses_an_agent_that_remembers(agent):
    from wilddeck.seats.sb3_vec_env import SelfPlayVecEnv
    from wilddeck.seats.vector import SeatVectorEnv
    from wilddeck.training.exploit import exploit

    assert not agent.plays_batches
    for make in (
        lambda: SelfPlayVecEnv(TENNIS, OPTIONS, [RANDOM, agent]),
        lambda: SeatVectorEnv(TENNIS, opponents=agent),
        lambda: exploit(agent, TENNIS, OPTIONS, max_seconds=1),
    ):
        with pytest.raises(ValueError, match=r"plays one game at a time \(it has `begin` or `end`, which are not called"):
            make()


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr(play, "BLOCK", 16)
    table = [RANDOM, RANDOM, First()]
    one = play.play_batch(TENNIS, OPTIONS, table, 50, seed=2)
    assert one.shape == (50, 3)
    assert one.tolist() == play.play_batch(TENNIS, OPTIONS, table, 50, seed=2, threads=2).tolist()
    assert one.tolist() != play.play_batch(TENNIS, OPTIONS, table, 50, seed=3).tolist()


def test_no_games_is_no_error():
    assert play.play_batch(TENNIS, OPTIONS, [RANDOM] * 3, 0, seed=2).shape == (0, 3)
    assert play.play_batch(TENNIS, OPTIONS, [Single()] * 3, 0, seed=2).shape == (0, 3)


@pytest.mark.parametrize("answer", [-1, 12, 99, "4", None, 0.0])
def test_an_illegal_answer_is_the_agents_error(answer):
    with pytest.raises(AgentError, match=r"bad on seat \d answered .* not legal; legal: \d+ \(play") as caught:
        play.play_game(TENNIS, OPTIONS, [Bad(answer)] * 3, 1)
    assert caught.value.kind == "illegal"


@pytest.mark.parametrize("answer", [-1, 12])
def test_an_illegal_answer_in_a_batch_too(answer):
    with pytest.raises(AgentError, match=r"bad on seat \d answered -?\d+, which is not legal; legal: \[") as caught:
        play.play_batch(TENNIS, OPTIONS, [BadBatch(answer)] * 3, 4, seed=1)
    assert caught.value.kind == "illegal"


def test_one_agent_a_seat():
    for run in (lambda: play.play_game(TENNIS, OPTIONS, [RANDOM] * 4, 1), lambda: play.play_batch(TENNIS, OPTIONS, [], 1, 1)):
        with pytest.raises(ValueError, match="3 players need 3 agents"):
            run()


def test_evaluation_rotates_seats_and_counts_wins():
    even = play.evaluate(agents.make("random", TENNIS, OPTIONS), RANDOM, TENNIS, OPTIONS, 400, seed=1)
    assert even.games == 1200
    assert abs(even.mean) < 4 * even.standard_error < 0.2
    assert abs(even.win_rate - 1 / 3) < 0.06
    # Deterministic and equal players: over the rotations of a deal the returns add up to nothing.
    same = play.evaluate(First(), First(), TENNIS, OPTIONS, 5, seed=1)
    assert same.mean == pytest.approx(0) and same.standard_error == pytest.approx(0) and same.win_rate == pytest.approx(1 / 3)
    assert "wins 33.3% of 15 games" in str(same)


def test_opponents_sit_clockwise_from_the_agent(monkeypatch):
    tables = []

    def play_batch(game, options, table, *rest):
        tables.append([agent.name for agent in table])
        return np.zeros((2, 3))

    monkeypatch.setattr(play, "play_batch", play_batch)
    play.evaluate(First(), [RANDOM, RULES], TENNIS, OPTIONS, 2, seed=1)
    assert tables == [["first", "random", "rules"], ["rules", "first", "random"], ["random", "rules", "first"]]


class Last(Agent):
    name = "last"

    def act_batch(self, views, rng):
        return views.action_mask.shape[1] - 1 - views.action_mask[:, ::-1].argmax(axis=1)


def test_an_agent_holds_every_seat_of_a_team(monkeypatch):
    """Scores and wins are the team's, a deal is played once as each team."""
    options = toy.TEAMS.make_options({"num_players": 4})
    tables, real = [], play.play_batch

    def play_batch(game, options, table, *rest):
        tables.append([agent.name for agent in table])
        return real(game, options, table, *rest)

    monkeypatch.setattr(play, "play_batch", play_batch)
    result = play.evaluate(First(), Last(), toy.TEAMS, options, 30, seed=1)
    assert tables == [["first", "last"] * 2, ["last", "first"] * 2]
    assert result.games == 60 and len(result.team_means) == 2 and result.unit == ""
    scores, wins = np.zeros((2, 30)), np.zeros((2, 30))
    for own in range(2):
        returns = real(toy.GAME, options, [(First(), Last())[(own + seat) % 2] for seat in range(4)], 30, 1)
        mine, theirs = returns[:, own::2].mean(axis=1), returns[:, 1 - own :: 2].mean(axis=1)
        scores[own], wins[own] = mine, (1 + np.sign(mine - theirs)) / 2
    assert result.mean == pytest.approx(scores.mean()) and result.win_rate == pytest.approx(wins.mean())
    assert result.standard_error == pytest.approx(scores.mean(axis=0).std(ddof=1) / 30**0.5)


def test_a_game_about_money_is_told_in_chips():
    options = toy.MONEY.make_options({})
    plain, money = (play.evaluate(First(), Last(), game, options, 20, seed=1) for game in (toy.GAME, toy.MONEY))
    assert (money.mean, money.standard_error) == pytest.approx((10 * plain.mean, 10 * plain.standard_error))
    assert money.team_means == pytest.approx([10 * mean for mean in plain.team_means])
    assert money.win_rate == plain.win_rate and "chips, wins" in str(money)


def test_one_opponent_a_team():
    options = toy.TEAMS.make_options({"num_players": 4})
    with pytest.raises(ValueError, match="opponents must be one agent or a list of 1 for 2 teams, not 3"):
        play.evaluate(First(), [Last()] * 3, toy.TEAMS, options, 1, seed=1)


@each_case
def test_the_teams_of_every_game_hold_every_seat_once(case):
    options = case.game.make_options(dict(case.options))
    assert len(case.game.team_of(options)) == options.num_players and case.game.score_unit(options) > 0


def test_teams_must_hold_every_seat_once():
    game = dataclasses.replace(toy.GAME, teams=lambda options: ((0, 1), (1, 2)))
    with pytest.raises(ValueError, match="the teams of toy_v0 must contain each of the 3 seats once"):
        game.team_of(game.make_options({}))


def test_teams_may_be_settled_in_play():
    """The environment and the player to move are told who is with whom, and the table notes it; agents sit as before."""
    settled = dataclasses.replace(
        toy.GAME, teams_in_play=lambda state: ((0, 2), (1,)) if state.moves_left < 3 else ((0,), (1,), (2,))
    )
    for game, begin, end in ((toy.GAME, "alone", "alone"), (settled, "alone", "together"), (toy.TEAMS, "two", "two")):
        env = envs.raw_env(game, num_players=4 if game is toy.TEAMS else 3)
        env.reset(seed=1)
        teams = {"alone": ((0,), (1,), (2,)), "together": ((0, 2), (1,)), "two": ((0, 2), (1, 3))}
        assert env.record["moves_left"][0] > 3 and env.teams() == View.of(env).teams() == teams[begin]
        while env.record["moves_left"][0] > 2:
            env.step(env.legal_actions()[0])
        assert env.teams() == View.of(env).teams() == teams[end] and game.teams(env.options) == teams[begin]
        assert Scene.of(env).notes == ({0: "with player 2", 2: "with player 0"} if game is settled else {})


@pytest.mark.parametrize(("num_players", "at_least"), [(2, 0.95), (3, 0.9), (4, 0.85), (6, 0.5)])
def test_rule_based_tennis_beats_random(num_players, at_least):
    options = TENNIS.make_options({"num_players": num_players})
    agent, random = (agents.make(spec, TENNIS, options) for spec in ("rules", "random"))
    assert play.evaluate(agent, random, TENNIS, options, 100, seed=1).win_rate > at_least


@pytest.mark.parametrize("number", [10**15, 10**30])
def test_more_games_than_memory_are_refused_at_once(number):
    with pytest.raises(ValueError, match=f"num_games={number} needs about .* of memory"):
        play.play_batch(TENNIS, OPTIONS, [RANDOM] * 3, number, seed=1)
    with pytest.raises(ValueError, match=r"games needs about .* of memory"):
        play.evaluate(RANDOM, RANDOM, TENNIS, OPTIONS, number, seed=1)
    with pytest.raises(ValueError, match=f"threads must be an integer from 1 to 1,024, not {number}"):
        play.play_batch(TENNIS, OPTIONS, [RANDOM] * 3, 5, seed=1, threads=number)
    with pytest.raises(ValueError, match="num_deals must be an integer of at least 1"):
        play.evaluate(RANDOM, RANDOM, TENNIS, OPTIONS, 0, seed=1)
