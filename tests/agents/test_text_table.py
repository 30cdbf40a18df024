"""Tables at which seats are asked by text, and what all doors to language models share."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest
import toy_game as toy
from wilddeck import envs
from wilddeck.agents import make
from wilddeck.agents.base import Agent, AgentError, View
from wilddeck.agents.llm.prompts import Template
from wilddeck.agents.llm.table import TextTable, dealt, gain, one_seat
from wilddeck.agents.match import Match, seated
from wilddeck.agents.play import play_game
from wilddeck.agents.search import SearchAgent
from wilddeck.envs.core.aec import CardGameEnv, IllegalActionError

pytestmark = pytest.mark.interpreted
TENNIS = {"num_players": 3, "max_tricks": 50}


class Failing(Agent):
    """Fails the first time that it is asked, then plays the first legal action."""

    name = "failing"

    def __init__(self) -> None:
        self.asked, self.ended, self.closed = 0, [], 0

    def act(self, view: View, rng: np.random.Generator) -> int:
        self.asked += 1
        if self.asked == 1:
            raise AgentError("crash", "it fell over")
        return int(view.legal_actions[0])

    def end(self, seat: int, returns: np.ndarray) -> None:
        self.ended.append((seat, returns.tolist()))

    def close(self) -> None:
        self.closed += 1


def play_on(table: TextTable, rng: np.random.Generator, moves: int = 10_000) -> None:
    """The seats that are asked answer at random, by number or by words."""
    while not table.over and moves:
        action = int(rng.choice(table.view.legal_actions))
        said = f"I think of the cards.\nACTION: {action if rng.random() < 0.5 else table.view.label(action)}"
        table.act(table.read(said))
        moves -= 1


def test_a_game_is_that_of_its_seed_and_agents():
    """As `play_game` plays it, where the seats that are asked say what their agent would."""
    first = functools.partial(toy.FirstLegal)
    played = play_game("tennis_v0", TENNIS, ["random", first(), "random"], 7)
    table = TextTable("tennis_v0", TENNIS, ["random", None, "random"], 7)
    while not table.over:
        assert table.seat == 1
        table.act(table.read(str(table.view.legal_actions[0])))
    assert table.returns.tolist() == played.returns.tolist()
    assert table.env.history()[-1].text() and len(played.actions) > 10


@pytest.mark.parametrize(("game", "options"), [("tennis_v0", TENNIS), ("hearts_v0", {}), ("poker_v0", {})])
def test_what_seats_are_told_is_what_they_know(game, options):
    """The prompt is the template's of the seat's view, news are its history from where it was told last, and a game that looks
    the same to the seat gives the same prompt."""
    players = envs.resolve(game, options)[1].num_players
    table = dealt(game, options, [None] * players, 5)
    rng, told = np.random.default_rng(1), [[] for _ in range(players)]
    for _ in range(40):
        if table.over:
            break
        seat = table.seat
        system, user = table.messages()
        expected = Template().messages(View.of(table.env))
        assert system == expected[0] and user["content"] == f"{expected[1]['content']}\n{table.how}\n"
        told[seat] += table.news(seat)
        history = [event.text(seat) for event in table.env.history(f"player_{seat}")]
        assert told[seat] == history and table.news(seat) == []
        now, true = table.now(), table.env
        assert now in f"{user['content']}" and "What has happened" not in now
        table.env = true.determinize(f"player_{seat}", int(rng.integers(2**60)))
        table.env.history = true.history  # that of a copy begins with it
        assert table.now() == now
        table.env = true
        play_on(table, rng, 1)


def test_an_answer_of_no_use_changes_nothing():
    table = one_seat("tennis_v0", TENNIS, 1, "random", 3)
    before = table.env.save()
    for number, said in enumerate(("", "I pass", "ACTION: 10000", "play the moon", "ACTION: -1"), 1):
        with pytest.raises(ValueError, match="legal: "):
            table.read(said)
        assert table.refused == number and table.env.save() == before
    illegal = int(np.flatnonzero(table.view.action_mask == 0)[0])
    with pytest.raises(IllegalActionError):
        table.act(illegal)
    assert table.env.save() == before
    table.read(f"[{table.view.legal_actions[0]}]")
    assert table.refused == 0


def test_who_gives_up_has_the_least():
    table = one_seat("hearts_v0", {}, 2, "random", 3)
    game, options = envs.resolve("hearts_v0")
    table.forfeit()
    assert table.over and table.forfeited == 2 and table.returns[2] == game.return_range(options)[0] < 0
    assert table.returns[[0, 1, 3]].tolist() == [0, 0, 0]
    table.go_on()
    assert table.over


def test_agents_that_fail_are_asked_again():
    failing = Failing()
    table = TextTable(toy.GAME, {"num_players": 2}, [None, failing], next(s for s in range(99) if first_seat(s) == 0))
    with pytest.raises(AgentError, match="fell over"):
        while not table.over:
            table.act(int(table.view.legal_actions[0]))
    returns = table.returns.copy()
    assert table.seat == 1 and not table.over
    with pytest.raises(RuntimeError, match="the agent on seat 1 is to move"):
        table.messages()  # nobody is shown what it sees
    table.go_on()
    assert table.over or table.seat == 0
    while not table.over:
        table.act(int(table.view.legal_actions[0]))
    assert (table.returns != returns).any()
    table.close()
    assert failing.ended == [(1, table.returns.tolist())] and failing.closed == 0  # not the table's to close


def first_seat(seed: int) -> int:
    """Who begins, where the other is asked later in the game."""
    env = CardGameEnv(*envs.resolve(toy.GAME, {"num_players": 2}))
    env.reset(seed=seed)
    begins, movers = env.current_player, set()
    while not any(env.terminations.values()):
        movers.add(env.current_player)
        env.step(env.legal_actions()[0])
    return begins if movers == {0, 1} else -1


def test_agents_of_specs_are_closed_with_the_table(monkeypatch):
    closed = []
    monkeypatch.setattr("wilddeck.agents.random.RandomAgent.close", lambda self: closed.append(self))
    with Match(*envs.resolve("tennis_v0", TENNIS), ["random", "random", None], 1) as match, pytest.raises(RuntimeError):
        while True:
            match.move()  # until the seat without an agent is to move
    assert len(closed) == 2


def test_who_sits_where():
    assert seated(None, 0, "rules", 3) == [None, "rules", "rules"]
    assert seated(None, 2, ["a", "b", "c"], 4) == ["b", "c", None, "a"]
    for seat in range(3):
        assert one_seat("tennis_v0", TENNIS, seat, "random", 1).agents[seat] is None
    seats = {one_seat("tennis_v0", TENNIS, "random", "random", seed).seat for seed in range(20)}
    assert seats == {0, 1, 2}
    twins = [one_seat("tennis_v0", TENNIS, seed=4, opponents="random") for _ in range(2)]
    assert twins[0].seat == twins[1].seat and twins[0].messages() == twins[1].messages()
    assert one_seat("tennis_v0", TENNIS, 0, "random").messages() != one_seat("tennis_v0", TENNIS, 0, "random").messages()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: one_seat("tennis_v0", TENNIS, 3), r"there is no seat 3; seats: 0\.\.2"),
        (lambda: one_seat("tennis_v0", TENNIS, "left"), r"seat='left' is not allowed; allowed: 'random' or 0\.\.2"),
        (lambda: one_seat("tennis_v0", TENNIS, True), "seat=True is not allowed"),
        (lambda: one_seat("tennis_v0", TENNIS, 0, ["random"]), "3 players need 2 opponents, not 1"),
        (lambda: one_seat("tennis_v0", TENNIS, 0, "nobody"), "no agent 'nobody'"),
        (lambda: one_seat("tenis", TENNIS), "did you mean 'tennis_v0'"),
        (lambda: one_seat("tennis_v0", {"num_players": 99}), "num_players"),
        (lambda: one_seat("tennis_v0", TENNIS, rules="long"), "rules='long' is not allowed; allowed: short, full, none"),
        (lambda: one_seat("tennis_v0", TENNIS, seed=-1), "seed"),
        (lambda: TextTable("tennis_v0", TENNIS, ["random"] * 3), "so there is no seat to ask"),
        (lambda: TextTable("tennis_v0", TENNIS, [None]), "3 players need 3 agents, not 1"),
    ],
)
def test_what_cannot_be(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


def test_a_game_that_ends_before_the_seat_is_asked_counts_for_nothing():
    """In the toy game seats may never move; the games that are dealt instead follow from the seed."""
    unasked = [seed for seed in range(40) if TextTable(toy.GAME, {"num_players": 6}, [None, *["random"] * 5], seed).over]
    assert len(unasked) > 3
    tables = [one_seat(toy.GAME, {"num_players": 6}, 0, "random", seed) for seed in unasked]
    again = [one_seat(toy.GAME, {"num_players": 6}, 0, "random", seed) for seed in unasked]
    assert all(table.seat == 0 and not table.over for table in tables)
    assert [table.env.save() for table in tables] == [table.env.save() for table in again]


def test_search_says_what_an_action_gives_away():
    """In the toy game the last move costs its seat 1 + action, whatever else."""
    search = make("mc:rollouts=8,policy=random", toy.GAME, {"num_players": 2})
    assert isinstance(search, SearchAgent)
    env = CardGameEnv(*envs.resolve(toy.GAME, {"num_players": 2}))
    env.reset(seed=3)
    while env.record["moves_left"][0] > 1:
        env.step(env.legal_actions()[0])
    view = View.of(env)
    best = view.legal_actions[0]
    assert len(view.legal_actions) > 1
    assert [gain(search, view, int(action), 1) for action in view.legal_actions] == (best - view.legal_actions).tolist()


def test_the_line_says_how_to_answer():
    table = one_seat("tennis_v0", TENNIS, 0, "random", 1, how="Shout.")
    assert table.now().endswith("\nShout.\n") and table.messages()[-1]["content"].endswith("\nShout.\n")
    assert re.search(r"`ACTION: `", one_seat("tennis_v0", TENNIS, 0, "random", 1).now())
