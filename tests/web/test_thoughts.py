"""What agents think of a game that was played, and playing on from any of its moves."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browsers
import numpy as np
import pytest
import wilddeck.agents
from serving import Server
from wilddeck.agents.base import Agent, View
from wilddeck.agents.learned import LearnedAgent
from wilddeck.agents.thoughts import Thoughts
from wilddeck.envs import resolve
from wilddeck.league.episode import Episode
from wilddeck.web import advice, replays, table
from wilddeck.web.advice import better

GAME, OPTIONS = "tennis_v0", {"num_players": 2, "max_tricks": 50}
SEARCH, FASTER = "mc:rollouts=400,policy=rules", "mc:rollouts=40,policy={}"


class Sure(Agent):
    """Values every decision at its legal actions, and itself would always play the last."""

    name = "sure"

    def act(self, view: View, rng: np.random.Generator) -> int:
        return int(view.legal_actions[-1])

    def thoughts(self, view: View, rng: np.random.Generator) -> Thoughts:
        legal = view.legal_actions
        return Thoughts(legal, worths=np.arange(len(legal), dtype=float), value=float(len(legal)))


def write(path: Path, bias: float) -> None:
    """A network that plays the last action, or the first."""
    game, options = resolve(GAME, OPTIONS)
    actions = game.num_actions(options)
    weight = np.zeros((game.observation_size(options), actions), np.float32)
    LearnedAgent([(weight, bias * np.arange(actions, dtype=np.float32))]).save(path, game, options)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "agent.safetensors"
    write(path, 20.0)
    return path


@pytest.fixture(scope="module")
def server(weights: Path) -> Iterator[Server]:
    running = Server(agents=[str(weights), "cmd:false", Sure()])
    yield running
    running.stop()


@pytest.fixture(scope="module")
def episode() -> Episode:
    """In which the first legal action was played."""
    game, options = resolve(GAME, OPTIONS)
    env = wilddeck.envs.raw_env(GAME, **OPTIONS)
    env.reset(seed=4)
    actions = []
    while not any(env.terminations.values()):
        actions.append(env.legal_actions()[0])
        env.step(actions[-1])
    return Episode.played(game, options, 4, actions, ["rules", "Ada"])


@pytest.fixture(scope="module")
def replay(server: Server, episode: Episode) -> str:
    from wilddeck.envs.core.escape import json_text

    status, answer = server.ask("/api/replays", {"text": json_text(episode.to_json())})
    assert status == 200, answer
    return answer["replay"]


def ask(server: Server, path: str, **body: Any) -> Any:
    status, answer = server.ask(path, body)
    assert status == 200, answer
    return answer


def thought(server: Server, replay: str, agent: str) -> Any:
    """What an agent thinks when it has seen all moves."""
    moves = len(ask(server, "/api/frame", replay=replay)["moves"])
    while True:
        found = ask(server, "/api/thoughts", replay=replay, agent=agent)
        if found["moves"] == moves:
            return found


def test_all_agents_of_the_server_that_know_the_game_can_be_asked(server: Server, replay: str, weights: Path) -> None:
    names = ask(server, "/api/judges", replay=replay)
    assert names == ["trained", "rules", str(weights), "sure", SEARCH, f"mc:rollouts=400,policy={weights}"]
    for name in ("cmd:false", "/etc/passwd", "mc:rollouts=1000000,policy=rules"):
        status, answer = server.ask("/api/thoughts", {"replay": replay, "agent": name})
        assert status == 400 and "cannot be asked here" in answer["error"]


def test_an_agent_of_the_server_values_each_decision_and_marks_what_it_would_not_play(
    server: Server, replay: str, episode: Episode
) -> None:
    found = thought(server, replay, "sure")
    env, values, marks = episode.env(), [], []
    for move in episode.moves:
        legal = env.legal_actions()
        values.append({"n": move.number, "seat": move.seat, "value": len(legal)})
        if len(legal) > 1:
            marks.append({"n": move.number, "better": env.action_label(legal[-1]), "agent": "sure", "loss": len(legal) - 1})
        env.step(move.action)
    assert found == {"agent": "sure", "values": values, "marks": marks, "moves": len(episode.moves)}


def test_a_search_values_each_decision_and_tells_what_it_tried(
    server: Server, replay: str, episode: Episode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advice, "_SEARCH", FASTER)
    monkeypatch.setattr(replays, "_THINKING", 0.02)
    first = ask(server, "/api/thoughts", replay=replay, agent=FASTER.format("rules"))
    assert 0 < first["moves"] < len(episode.moves), "others have their turn"
    found = thought(server, replay, FASTER.format("rules"))
    assert [value["n"] for value in found["values"]] == list(range(len(episode.moves)))
    said = {one["agent"]: one for one in ask(server, "/api/replay-advice", replay=replay, n=0)}
    assert all(action["tries"] >= 1 for action in said[FASTER.format("rules")]["actions"])
    assert said["sure"]["value"] == len(said["sure"]["actions"])


def test_weights_that_have_changed_since_are_loaded_anew(server: Server, replay: str, episode: Episode, weights: Path) -> None:
    before = thought(server, replay, str(weights))["marks"]
    assert before, "it would have played the last action"
    write(weights, -20.0)
    os.utime(weights, ns=(1, 1))
    assert not thought(server, replay, str(weights))["marks"], "it would have played the first, as was done"
    said = {one["agent"]: one for one in ask(server, "/api/replay-advice", replay=replay, n=0)}
    assert said[str(weights)]["actions"][0]["action"] == episode.moves[0].action


def test_a_new_game_is_played_by_the_weights_as_they_are(
    server: Server, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "FASTEST_ALONE", 0.0)
    write(weights, 20.0)
    token = server.table(GAME, [str(weights), "random"], **OPTIONS)
    with server.player(token) as player:
        player.until(lambda message: message.get("over"))
        write(weights, -20.0)
        player.say(type="new")
        player.until(lambda message: message.get("round") == 2)
        (agent,) = [seat.agent for seat in server.at(token).seats if isinstance(seat.agent, LearnedAgent)]
        assert agent.layers[0][1][1] == -20.0


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_a_person_plays_on_from_a_move(server: Server, replay: str, episode: Episode, seat: int | None) -> None:
    number = next(move.number for move in episode.moves[10:] if move.seat == 1)
    token = ask(server, "/api/play-on", replay=replay, n=number, seat=seat, name="Grace")["token"]
    me = 1 if seat is None else seat
    with server.player(token) as player:
        state = player.until(lambda message: "scene" in message)
        at = server.at(token)
        played = [move.action for move in episode.moves[:number]]
        assert at.seed == episode.deal_seed and at.actions[:number] == played
        assert state["you"] == me and state["seats"][me]["name"] == "Grace"
        assert state["seats"][1 - me]["agent"] == ("rules" if me else "trained"), "who sat there, or the strongest for a person"
        if me == 1:
            assert len(at.actions) == number and state["decision"]


def test_where_a_game_is_over_nobody_plays_on(server: Server, replay: str, episode: Episode) -> None:
    for place in ({"n": len(episode.moves)}, {"n": -1}, {"n": 0, "seat": 2}):
        status, answer = server.ask("/api/play-on", {"replay": replay, **place})
        assert status == 400 and answer["error"]


@pytest.mark.parametrize(
    ("thoughts", "expected"),
    [
        (Thoughts(np.array([3, 5]), probs=np.array([0.04, 0.96])), (5, pytest.approx(0.92))),
        (Thoughts(np.array([3, 5]), probs=np.array([0.06, 0.94])), None),
        (Thoughts(np.array([5]), probs=np.ones(1)), (5, 1.0)),
        (Thoughts(np.array([3, 5]), worths=np.array([0.0, 1.0]), errors=np.array([0.1, 0.1])), (5, 1.0)),
        (Thoughts(np.array([3, 5]), worths=np.array([0.0, 1.0]), errors=np.array([0.3, 0.3])), None),
        (Thoughts(np.array([3, 5]), worths=np.array([0.0, 1.0]), errors=np.array([np.nan, 0.1])), None),
        (Thoughts(np.array([3, 5, 6]), worths=np.array([0.0, 9.0, 1.0]), tries=np.array([9, 1, 9])), (6, 1.0)),
        (Thoughts(np.array([5, 6]), worths=np.array([0.0, 9.0])), None),
        (Thoughts(np.array([3, 5])), None),
    ],
)
def test_a_mark_needs_something_that_is_better_by_far(thoughts: Thoughts, expected: tuple[int, float] | None) -> None:
    assert better(thoughts, 3) == expected


@pytest.mark.long
def test_a_replay_shows_what_an_agent_thinks(tab: Any, server: Server, replay: str, episode: Episode) -> None:
    """The curve, the list of blunders, both of which lead to moves; and a table at which a person plays on."""
    tab.goto(f"{server.url}/replay?replay={replay}")
    tab.wait_for_selector("#judge option[value=sure]", state="attached")
    tab.select_option("#judge", "sure")
    tab.wait_for_selector(".values polyline >> nth=1")
    first = int(tab.get_attribute("[data-blunder] >> nth=0", "data-blunder"))
    tab.click("[data-blunder] >> nth=0")
    tab.wait_for_selector(f"#place:has-text('move {first + 1} of')")
    assert "sure" in tab.locator("#next .mark").inner_text()
    box = tab.locator(".values").bounding_box()
    tab.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2)
    tab.wait_for_function(f"() => Number(document.querySelector('#slider').value) > {len(episode.moves) // 3}")
    browsers.picture(tab, "thoughts-desk")
    number = int(tab.input_value("#slider"))
    tab.select_option("#on", "1")
    tab.click("#play-on")
    tab.wait_for_url("**/table#*")
    tab.wait_for_selector(".hand.own .card")
    at = server.at(tab.url.partition("#")[2])
    assert at.actions[:number] == [move.action for move in episode.moves[:number]]
