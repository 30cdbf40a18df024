"""Every game over the wire: a browser is sent what its seat may see and nothing else."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import pytest
from serving import Player, Server
from support import Case, few_games
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.escape import plain
from wilddeck.envs.core.facts import Fact, FactRole, lines
from wilddeck.envs.core.jit import only_interpreted
from wilddeck.envs.core.render import sight
from wilddeck.league import Episode

DECISIONS = 40  # of a game that goes on longer
STATE = {
    "type", "version", "round", "game", "title", "seats", "you", "host", "pace", "paused", "failure", "advice", "log", "logEnd",
    "over", "compiling", "scene", "returns", "decision", "canUndo", "composed", "invitations", "totals",
    "links", "spectators", "clock", "results", "sums", "games",
}  # fmt: skip
SCENE = {
    "title", "headline", "notes", "facts", "seats", "common", "toMove", "viewer", "last", "takenBy", "cards",
}  # fmt: skip
TRICK_ENDS = {"trick_won", "set_aside"}
ACTION = {"action", "label", "rest", "cards", "ranks", "seat", "place", "index", "amount"}


@few_games
def test_a_browser_gets_what_its_seat_may_see(case: Case, server: Server) -> None:
    players = case.raw().num_players
    seat = players - 1
    token = server.table(case.game_id, ["random"] * seat + ["me"])
    table, draw = server.at(token), random.Random(3)
    with server.player(token) as player:
        for _ in range(DECISIONS):
            state = player.turn()
            check(state, table.env, seat)
            if state["over"]:
                break
            group = draw.choice(state["decision"]["groups"])
            player.say(type="play", version=state["version"], action=draw.choice(group["actions"])["action"])
        check_log(player, table.env)
        check_traces(player)


def check(state: dict[str, Any], env: CardGameEnv, seat: int) -> None:
    """Whether a state says what `zones(seat)` and the words for the seat say, and of the last trick what the seat was told. The
    game must stand still."""
    assert set(state) <= STATE
    assert set(state["scene"]) == SCENE
    name = env.possible_agents[seat]
    own_zones = {zone: sorted(ids) for zone, ids in env.zones(name).items()}
    told = env.history(name)
    plays = {(event.player, *sorted(event.cards)) for event in told if event.kind == "play"}
    zones = _zones(state["scene"])
    laid = {zone: ids for zone, ids in zones.items() if ids and not own_zones.get(zone)}  # of the last trick
    assert all((int(zone.split("/")[1]), *ids) in plays for zone, ids in laid.items())
    assert own_zones == {zone: ids for zone, ids in zones.items() if zone not in laid} | {
        zone: [] for zone in laid if zone in own_zones
    }
    facts, scene = env.facts(name), state["scene"]
    read = lines(sight.read_notes(facts))
    assert scene["notes"] == {str(seat): text for seat, text in read if seat is not None}
    words, ends = (
        "  |  ".join(text for seat, text in read if seat is None),
        [event for event in told if event.kind in TRICK_ENDS],
    )
    assert scene["headline"].endswith(words)
    assert scene["headline"].removesuffix(words).rstrip("; |") in {"", *(event.text(seat) for event in ends[-1:])}
    drawn = [(fact.label, fact.seat, fact.role.value) for fact in facts if fact.role not in (FactRole.NOTE, FactRole.SEEN)]
    assert [(fact["text"], fact["seat"], fact["role"]) for fact in scene["facts"]] == drawn
    assert state["you"] == state["scene"]["viewer"] == seat
    if "decision" in state:
        actions = [action for group in state["decision"]["groups"] for action in group["actions"]]
        assert all(set(action) <= ACTION for action in actions)
        assert {action["action"]: action["label"] for action in actions} == {
            action: env.action_label(action) for action in env.legal_actions()
        }
        assert set(state["composed"]) <= set(own_zones.get(f"hand/{seat}", []))
        linked = {card for action in actions for card in action.get("cards", [])}
        assert linked <= {card for ids in own_zones.values() for card in ids}
    else:
        assert state["over"]


def _zones(scene: dict[str, Any]) -> dict[str, list[int]]:
    by_name = {zone["name"]: sorted(zone["cards"]) for zone in scene["common"]}
    for seat, zones in enumerate(scene["seats"]):
        for zone in zones:
            kind, _, place = zone["name"].partition("/")
            by_name[f"{kind}/{seat}/{place}" if place else f"{kind}/{seat}"] = sorted(zone["cards"])
    return by_name


def check_log(player: Player, env: CardGameEnv) -> None:
    """The log is what the seat perceived."""
    said = {line["n"]: line["text"] for state in player.heard for line in state.get("log", [])}
    seat = player.heard[-1]["you"]
    events = env.history(env.possible_agents[seat])
    assert len(said) > 1 and said == {n: plain(events[n].text(seat)) for n in said}


def check_traces(player: Player) -> None:
    """What others do in secret leaves none: nothing is sent twice, and numbers that grow with every action are not sent."""
    states = [message for message in player.heard if message["type"] == "state"]
    for one, next_one in itertools.pairwise(states):
        assert one != next_one
    assert all(("version" in state) == ("decision" in state) for state in states)


@pytest.mark.interpreted
def test_two_people_see_different_cards(server: Server) -> None:
    host = server.table("bridge_v0", ["me", "random", "open", "random"])
    with server.player(host) as first:
        state = first.until(lambda message: "scene" in message)
        invitation = state["invitations"]["2"]
        status, joined = server.ask("/api/join", {"invitation": invitation, "name": "Grace"})
        assert status == 200
        assert joined["token"] not in (host, invitation)
        with server.player(joined["token"]) as second:
            other = second.until(lambda message: "scene" in message)
            assert (state["you"], other["you"]) == (0, 2)
            hands = [_zones(seen["scene"]) for seen in (state, other)]
            assert -1 not in hands[0]["hand/0"] and set(hands[0]["hand/2"]) == {-1}
            assert -1 not in hands[1]["hand/2"] and set(hands[1]["hand/0"]) == {-1}
            assert "invitations" not in other
            assert first.until(lambda message: message["seats"][2]["kind"] == "person")["seats"][2]["name"] == "Grace"
    status, again = server.ask("/api/join", {"invitation": invitation, "name": "Eve"})
    assert status == 404 and "somebody has already taken the seat" in again["error"]


def test_who_watches_agents_sees_all_cards_or_looks_through_a_seat(server: Server) -> None:
    token = server.table("tennis_v0", ["random"] * 4, pace=10)
    with server.player(token) as player:
        state = player.until(lambda message: "scene" in message)
        assert state["you"] is None and -1 not in _zones(state["scene"])["hand/2"]
        player.say(type="look", seat=1)
        seen = player.until(lambda message: message["scene"]["viewer"] == 1)
        assert set(_zones(seen["scene"])["hand/2"]) == {-1}
        player.say(type="play", version=seen["version"], action=0)
        assert "you are watching this game" in player.error()


@pytest.mark.interpreted
def test_a_game_is_played_to_its_end_and_another_begins(server: Server) -> None:
    token = server.table("blackjack_v0", ["me", "rules", "rules"])
    with server.player(token) as player:
        for number in (1, 2):
            state = player.turn()
            assert state["round"] == number
            while not state["over"]:
                assert server.ask("/api/replay", {"token": token})[0] == 400  # it shows all cards
                action = state["decision"]["groups"][0]["actions"][0]["action"]
                player.say(type="play", version=state["version"], action=action)
                state = player.turn()
            replay = server.ask("/api/replay", {"token": token})[1]
            assert [seat["return"] for seat in replay["seats"]] == pytest.approx(state["returns"], abs=1e-4)
            assert json.loads(json.dumps(Episode.from_json(json.dumps(replay)).to_json())) == replay
            player.say(type="new")


@pytest.mark.interpreted
def test_coming_back_by_the_same_link(server: Server) -> None:
    token = server.table("hearts_v0", ["me", "rules", "rules", "rules"])
    with server.player(token) as first:
        before = first.turn()
    with server.player(token) as second:
        after = second.turn()
    assert (after["scene"], after["decision"], after["logEnd"]) == (before["scene"], before["decision"], before["logEnd"])
    assert second.log == first.log and len(first.log) == after["logEnd"]


@pytest.mark.interpreted
def test_a_half_made_choice_is_taken_back(server: Server) -> None:
    token = server.table("hearts_v0", ["me", "rules", "rules", "rules"], passing="left", deck="standard")
    with server.player(token) as player:
        first = player.turn()
        assert not first["canUndo"]
        player.say(type="play", version=first["version"], action=first["decision"]["groups"][0]["actions"][0]["action"])
        second = player.turn()
        assert second["canUndo"] and second["scene"] != first["scene"]
        player.say(type="undo")
        third = player.turn()
        assert (third["scene"], third["decision"], third["canUndo"]) == (first["scene"], first["decision"], False)
        assert third["logEnd"] == first["logEnd"]
        player.say(type="undo")
        assert "nothing to take back" in player.error()


def test_advice_needs_the_consent_of_all_people(server: Server) -> None:
    host = server.table("tennis_v0", ["me", "open", "rules", "rules"])
    with server.player(host) as first:
        state = first.until(lambda message: "scene" in message)
        token = server.ask("/api/join", {"invitation": state["invitations"]["1"], "name": ""})[1]["token"]
        with server.player(token) as second:
            second.until(lambda message: "scene" in message)
            first.say(type="agree", on=True)
            state = first.until(lambda message: message["type"] == "state" and message["seats"][0]["agreed"])
            assert not state["advice"]
            first.say(type="advice", version=state.get("version", 0))  # it may be the turn of others
            assert "until all people at this table agree" in first.error()
            second.say(type="agree", on=True)
            first.until(lambda message: message["type"] == "state" and message["advice"])


def test_advice_says_what_agents_would_do(server: Server) -> None:
    token = server.table("tennis_v0", ["me", "rules", "rules", "rules"])
    with server.player(token) as player:
        state = player.turn()
        player.say(type="agree", on=True)
        state = player.until(lambda message: message.get("advice"))
        player.say(type="advice", version=state["version"])
        advice = player.until(lambda message: message["type"] == "advice")
    legal = {action["action"] for group in state["decision"]["groups"] for action in group["actions"]}
    trained, rules, search = advice["agents"]
    assert (trained["agent"], rules["agent"]) == ("trained", "rules")
    assert sum(action["probability"] for action in trained["actions"]) == pytest.approx(1, abs=0.1)
    assert len(rules["actions"]) == 1
    assert {action["action"] for action in search["actions"]} == legal
    assert all(action["error"] >= 0 for action in search["actions"])
    values = [action["value"] for action in search["actions"]]
    assert values == sorted(values, reverse=True)


def test_an_open_seat_waits_until_somebody_comes_or_an_agent_fills_it(server: Server) -> None:
    token = server.table("tennis_v0", ["me", "open", "open", "open"])
    with server.player(token) as player:
        state = player.until(lambda message: "scene" in message)
        assert set(state["invitations"]) == {"1", "2", "3"}
        player.say(type="fill", seat=1, spec="cmd:rm -rf /")
        assert "cannot be chosen here" in player.error()
        for seat in (1, 2, 3):
            player.say(type="fill", seat=seat, spec="rules")
        filled = ["person", "agent", "agent", "agent"]
        player.until(lambda message: [seat["kind"] for seat in message.get("seats", [])] == filled)
        player.say(type="fill", seat=1, spec="rules")
        assert "not open" in player.error()


def test_what_follows_a_fact_that_is_drawn_is_read_alone() -> None:
    """And not as if it belonged to what was said before that."""
    score = Fact("3 books", 1, FactRole.SCORE)
    facts = [Fact("player 0 asks"), score, Fact("holds twos", 1, sep="; "), Fact("no Aces", 1, sep="; ")]
    assert lines(sight.read_notes(facts)) == [(None, "player 0 asks"), (1, "holds twos; no Aces")]


def test_a_hand_whose_order_counts_lies_in_it() -> None:
    with only_interpreted():
        env = raw_env("old_maid_v0")
        env.reset(seed=1)
    seat = env.current_player
    (hand,) = (zone for zone in sight.scene(env, seat)["seats"][seat] if zone["role"] == "hand")
    assert hand["ordered"] and hand["cards"] == env.record[0]["hand"][seat][: len(hand["cards"])].tolist()
    assert hand["cards"] != sorted(hand["cards"])
