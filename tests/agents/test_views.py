"""What agents are shown by the batch, and what they remember."""

from __future__ import annotations

import copy
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toy_game
import wilddeck
from support import short
from wilddeck import envs
from wilddeck.agents.base import Agent, View
from wilddeck.agents.play import play_batch, play_game
from wilddeck.agents.random import RandomAgent
from wilddeck.agents.views import BatchViews, Views
from wilddeck.envs.core.tokens import encode_history
from wilddeck.league import League
from wilddeck.seats.opponents import Pool
from wilddeck.seats.seat_games import SeatGames, Seating

HEARTS = envs.game("hearts_v0")


class Counts(Agent):
    """Plays its first legal action, and counts what it is asked in a game; it checks that the count is as remembered."""

    name = "counts"

    def __init__(self) -> None:
        self.counts: dict[Any, int] = defaultdict(int)
        self.most = 0

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        remembered = views.recall("count", (2,), np.int64)
        for place, (row, seat, game) in enumerate(zip(views.rows, views.seats, views.games, strict=True)):
            key = id(views.memory), int(row), int(seat), int(game)
            assert views.resets[place] == (self.counts[key] == 0)
            assert remembered[place].tolist() == [self.counts[key], 2 * self.counts[key]]
            self.counts[key] += 1
            self.most = max(self.most, self.counts[key])
        views.remember("count", remembered + np.array([1, 2]))
        return views.action_mask.argmax(axis=1)


class Reads(Agent):
    """Plays its first legal action, and keeps the histories that it is shown by what it has seen with them."""

    name = "reads"

    def __init__(self, history: int) -> None:
        self.history = history
        self.shown: dict[bytes, list[bytes]] = defaultdict(list)

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        for k in range(len(views)):
            told = views.history[k].tobytes() + views.history_length[k].tobytes()
            self.shown[views.observation[k].tobytes()].append(told)
        return views.action_mask.argmax(axis=1)


class Singly(Agent):
    """Another agent, played one game at a time."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.name = agent, agent.name

    def act(self, view: View, rng: np.random.Generator) -> int:
        return self.agent.act(view, rng)


@pytest.mark.interpreted
def test_an_agent_remembers_each_seat_of_each_game_of_a_batch() -> None:
    agent = Counts()
    play_batch(HEARTS, {}, [agent, RandomAgent(), agent, agent], 7, seed=3)
    assert agent.most >= 16 and len(agent.counts) == 7 * 3  # three passes and thirteen cards


@pytest.mark.interpreted
def test_it_remembers_in_single_games_and_forgets_after_them() -> None:
    agent = Counts()
    for seed in range(2):
        play_game(HEARTS, {}, [agent] * 4, seed)
        agent.counts.clear()
    assert agent.most >= 16


def test_copies_of_a_game_have_no_memories() -> None:
    agent, env = Counts(), envs.raw_env("tennis_v0")
    env.reset(seed=1)
    agent.act(View.of(env), np.random.default_rng(0))
    for other in (env.clone(), copy.deepcopy(env), env.determinize(env.agent_selection, 3)):
        assert agent.act(View.of(other), np.random.default_rng(0)) >= 0 and not other.notes.keys() ^ {id(agent)}
        agent.counts.clear()
    env.reset()
    assert not env.notes


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.interpreted
def test_opponents_in_vectors_remember(threads: int) -> None:
    agent = Counts()
    options = HEARTS.make_options({})
    games = SeatGames(HEARTS, options, Pool(HEARTS, [agent]), 6, 1, threads, Seating("rotate"))
    games.reset(1)
    for _ in range(60):
        games.step(games.batch.action_mask.argmax(axis=1))
    assert agent.most >= 16 and len(agent.counts) >= 6 * 3 * 3
    games.restart(np.array([2, 4]))
    games.set_pool(Pool(HEARTS, [agent, RandomAgent()]))
    assert list(games._batch_views._memories) == [id(agent)]


def histories(agent: Reads, play: Any) -> dict[bytes, list[bytes]]:
    agent.shown.clear()
    play()
    return {seen: sorted(told) for seen, told in agent.shown.items()}


@pytest.mark.parametrize("game", short(["hearts_v0", "poker_v0", "tennis_v0"], ["tennis_v0"]))
def test_histories_are_the_same_singly_in_batches_and_in_vectors(game: str) -> None:
    kind, agent = envs.game(game), Reads(24)
    options, n = kind.make_options({}), kind.make_options({}).num_players
    singly = histories(agent, lambda: [play_game(kind, options, [Singly(agent)] * n, seed) for seed in range(3, 8)])
    together = histories(agent, lambda: play_batch(kind, options, [agent] * n, 5, seed=3))
    lengths = [np.frombuffer(told[-8:], np.int64)[0] for said in together.values() for told in said]
    assert singly == together and (max(lengths) > 24 or game == "poker_v0")  # where everybody folds

    class First(Agent):
        """The learner, whose histories nobody reads."""

    def vectors() -> None:
        games = SeatGames(kind, options, Pool(kind, [agent]), 5, 3, 2, Seating(0))
        games.reset(3)
        for _ in range(40):
            games.step(games.batch.action_mask.argmax(axis=1))

    seen = histories(agent, vectors)
    common = seen.keys() & together.keys()
    assert len(common) >= 10 and all(
        set(together[key]) <= set(seen[key]) or set(seen[key]) <= set(together[key]) for key in common
    )


def test_a_batch_keeps_more_tokens_than_an_agent_asks_for() -> None:
    batch = wilddeck.make_batch("tennis_v0", 3, seed=1, history=40)
    env, rows = envs.raw_env("tennis_v0"), np.array([0, 2])
    batch_views, few, none = BatchViews(batch), Reads(5), RandomAgent()
    played: dict[int, list[int]] = {0: [], 2: []}
    for _ in range(30):
        views = batch_views.views(few, rows)
        for k, row in enumerate(rows):
            env.reset(seed=1 + int(row))
            for action in played[row]:
                env.step(action)
            tokens, length = encode_history(env.history(env.agent_selection), env.current_player, 4, 5)
            assert views.history[k].tolist() == tokens.tolist() and views.history_length[k] == length
        actions = batch.action_mask.argmax(axis=1)
        for row in rows:
            played[row].append(int(actions[row]))
        batch.step(actions)
    assert batch_views.views(none, rows).history.shape == (2, 0, 6)
    with pytest.raises(ValueError, match="60 tokens of history are requested, but the batch keeps 40: make it with history=60"):
        batch_views.views(Reads(60), rows)


def test_positions_on_their_own_are_games_that_have_just_begun() -> None:
    batch = wilddeck.make_batch("tennis_v0", 4, seed=1)
    views = Views.of(batch.observation, batch.action_mask)
    assert len(views) == 4 and views.resets.all() and not views.recall("anything", (3,)).any()
    views.remember("more", np.ones((4, 2), np.float32))
    assert views.history.shape == (4, 0, 6)


def test_a_toy_game_has_histories_too() -> None:
    agent = Reads(3)
    play_batch(toy_game.GAME, {}, [agent] * 3, 4, seed=1)
    assert agent.shown


class ReadsHistory(Agent):
    """Plays its first legal action."""

    name = "reads history"
    longest = 0

    def act(self, view: View, rng: np.random.Generator) -> int:
        events = view.history()
        assert any(event.player == view.seat and event.cards for event in events)  # at least the deal of its hand
        ReadsHistory.longest = max(ReadsHistory.longest, len(events))
        return int(view.legal_actions[0])


def make_readers(spec: str, *game_and_options: Any, trust: bool = False) -> Agent:
    return ReadsHistory()


def test_agents_in_leagues_see_what_happened(tmp_path: Path) -> None:
    with League(tmp_path / "league", "tennis_v0", {"num_players": 2}, make=make_readers) as league:
        league.add("one", "one")
        league.add("two", "two")
        league.run(1)
        assert not league.errors() and ReadsHistory.longest > 10
