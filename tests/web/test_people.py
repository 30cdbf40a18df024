"""People together: spectators, clocks, playing again, an evening in one link, and who stands in for who made the table."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from serving import Player, Server, move, play_on, serving
from support import Case, few_games, wait_for
from wilddeck.agents.play import rehearse
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.public import PublicView
from wilddeck.envs.core.render import sight
from wilddeck.web.clock import Clock, TimeControl
from wilddeck.web.limits import Limits

pytestmark = pytest.mark.interpreted
ALONE = ["me", "random", "random", "random"]


def table(server: Server, *seats: str, game: str = "tennis_v0", **request: Any) -> str:
    """A table's token; seats are "me", "open" or agents."""
    kinds = {"me": {"kind": "person", "name": "Ada"}, "open": {"kind": "open"}}
    asked_for = [kinds.get(seat, {"kind": "agent", "spec": seat}) for seat in seats]
    status, answer = server.ask("/api/tables", {"game": game, "seats": asked_for, "pace": 0, **request})
    assert status == 200, answer
    return answer["token"]


def link(player: Player, name: str) -> str:
    return player.until(lambda message: name in message.get("links", {}))["links"][name]


def join(server: Server, invitation: str, name: str) -> str:
    status, answer = server.ask("/api/join", {"invitation": invitation, "name": name})
    assert status == 200, answer
    return answer["token"]


# --- spectators ---


def test_spectators_see_what_is_public_and_do_nothing() -> None:
    with serving() as server:
        ada = table(server, *ALONE, game="hearts_v0", options={"passing": "left"})  # no card is played before she moves
        with server.player(ada) as player:
            shared = link(player, "spectator")
            with server.player(shared) as looking, server.player(shared) as other:
                state = player.until(lambda message: message.get("spectators") == 2)
                seen = looking.until(lambda message: message.get("spectators") == 2 and "scene" in message)
                assert (seen["you"], seen["host"], seen["scene"]["viewer"]) == ("spectator", False, None)
                assert not {"version", "decision", "invitations", "links"} & set(seen)
                assert all(set(zone["cards"]) <= {-1} for zones in seen["scene"]["seats"] for zone in zones)
                assert state["scene"] != seen["scene"]
                for message in (
                    {"type": "play", "version": 0, "action": 0},
                    {"type": "new"},
                    {"type": "pause", "on": True},
                    {"type": "advice", "version": 0},
                    {"type": "look", "seat": 0},
                    {"type": "fill", "seat": 0, "spec": "random"},
                    {"type": "agree", "on": True},
                    {"type": "start", "spec": "random"},
                ):
                    looking.say(**message)
                    assert looking.error() == "spectators can only watch"
                assert server.ask("/api/replay", {"token": shared})[0] == 400
                other.socket.close()
                assert player.until(lambda message: message.get("spectators") == 1)


def test_what_is_done_in_secret_is_not_sent_to_spectators() -> None:
    """The cards that are chosen to be passed, one after another."""
    with serving() as server:
        options = {"passing": "left", "deck": "standard", "match": "hand"}
        ada = table(server, *ALONE, game="hearts_v0", options=options, clock={"seconds": 500})
        with server.player(ada) as player, server.player(link(player, "spectator")) as looking:
            move(player, player.turn())
            state = player.until(lambda message: message.get("canUndo"))
            player.say(type="undo")
            player.until(lambda message: "decision" in message and message["version"] != state["version"])
            wait_for(lambda: server.at(ada).mover == 0)
            told = [message for message in looking.heard if message["type"] == "state"]
            player.say(type="pause", on=True)
            told.append(looking.until(lambda message: message.get("paused")))
            unlike = [{**message, "paused": None, "clock": None, "log": None} for message in told]
            assert all(message == unlike[-1] for message in unlike if message.get("scene"))


@few_games
def test_a_spectators_scene_holds_no_card_that_a_seat_does_not_see(case: Case) -> None:
    env = CardGameEnv(case.game, case.raw().options)
    env.reset(seed=5)
    rehearse(env)
    for _ in range(60):
        if env.is_over:
            break
        public = PublicView(env)
        shown = sight.scene(public, None)  # type: ignore[arg-type]
        lists = [*shown["common"], *(zone for zones in shown["seats"] for zone in zones)]
        zones = public.zones()
        for agent in env.possible_agents:
            own = env.zones(agent)
            known = {card for ids in own.values() for card in ids}
            assert {card for ids in zones.values() for card in ids} <= known | {-1}
            assert sum(map(len, zones.values())) == sum(map(len, own.values()))
        assert {card for zone in lists for card in zone["cards"]} - {-1} <= {card for ids in zones.values() for card in ids} | {
            card for event in public.history() for card in event.cards
        }
        env.step(env.legal_actions()[0])


def test_spectators_take_no_room_from_who_plays() -> None:
    with serving(limits=Limits(browsers_per_table=1, spectators_per_table=2)) as server:
        ada = table(server, *ALONE)
        with server.player(ada) as player:
            shared = link(player, "spectator")
        with server.player(shared) as one, server.player(shared) as two:
            wait_for(lambda: server.at(ada).spectators == 2)
            with server.player(shared) as three:
                assert "too many browsers" in three.error()
            with server.player(ada) as player:
                player.turn()
            assert one.heard is not two.heard


# --- clocks ---


def test_when_time_is_up_an_agent_plays_that_turn() -> None:
    with serving() as server:
        ada = table(server, *ALONE, clock={"seconds": 1})
        with server.player(ada) as player:
            assert player.hear()["type"] == "time"
            state = player.turn()
            assert state["clock"]["seat"] == 0 and state["clock"]["left"][0] == 1
            again = player.turn()  # without having played
            assert any("Ada's time is up: rules plays" in line for line in player.log)
            assert again["seats"][0]["agent"] == "" and again["clock"]["seat"] == 0
            move(player, again)
            player.turn()
            assert sum("Ada's time is up" in line for line in player.log) == 1


def test_a_clock_stands_where_nobody_is_or_the_table_is_paused_and_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "tables.sqlite"
    with serving(file) as server:
        ada = table(server, *ALONE, clock={"seconds": 100, "increment": 5})
        clock = server.at(ada).clock
        assert clock is not None
        wait_for(lambda: server.at(ada).mover == 0)
        assert clock.ends is None
        with server.player(ada) as player:
            move(player, player.turn())
            state = player.turn()
            assert 104 < state["clock"]["left"][0] <= 105 and state["clock"]["seat"] == 0
            player.say(type="pause", on=True)
            paused = player.until(lambda message: message.get("paused"))
            assert paused["clock"]["seat"] is None and paused["clock"]["ends"] is None
            left = paused["clock"]["left"][0]
    with serving(file) as server, server.player(ada) as player:
        state = player.until(lambda message: "scene" in message)
        assert state["clock"]["left"][0] == pytest.approx(left, abs=0.1) and state["clock"]["ends"] is None


def test_what_nobody_else_notices_ends_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    bank, each = Clock(TimeControl(60, 5), 2), Clock(TimeControl(60), 2)
    for clock in (bank, each):
        assert clock.follow((0, 7), True)
        now += 10
        assert not clock.follow((0, 7), True)  # a secret action
        assert clock.remaining == 50
        clock.follow((0, 7), False)
        now += 1000  # of a pause
        clock.follow((0, 7), True)
        assert clock.remaining == 50
        now += 10
        clock.follow((0, 8), True)  # again the same seat
    assert (bank.left, each.left) == ([45, 60], [60, 60])
    now += 1000
    assert bank.remaining == 0
    bank.follow((1, 9), True)
    assert bank.left == [5, 60]


@pytest.mark.parametrize("clock", [{}, {"seconds": 0}, {"seconds": 1e9}, {"seconds": 5, "increment": -1}, {"seconds": "5"}, 5])
def test_clocks_that_are_none_are_refused(clock: Any, server: Server) -> None:
    seats = [{"kind": "person"}, *[{"kind": "agent", "spec": "random"}] * 3]
    status, answer = server.ask("/api/tables", {"game": "tennis_v0", "seats": seats, "clock": clock})
    assert status == 400 and answer["error"]


# --- playing again ---


def test_all_sit_one_seat_on_in_the_next_game_and_sums_follow_them(tmp_path: Path) -> None:
    file = tmp_path / "tables.sqlite"
    with serving(file) as server:
        ada = table(server, "me", "open", "random", "rules", game="hearts_v0", options={"match": "hand"})
        with server.player(ada) as first:
            state = first.until(lambda message: "invitations" in message)
            grace = join(server, state["invitations"]["1"], "Grace")
            with server.player(grace) as second:
                place, players = server.at(ada), {"Ada": first, "Grace": second}
                play_on(players, place, 1000)
                over = second.until(lambda message: message.get("over"))
                second.say(type="new")
                again = second.until(lambda message: message["round"] == 2 and "scene" in message)
                assert (again["you"], again["scene"]["viewer"], again["host"]) == (2, 2, False)
                assert [seat["name"] for seat in again["seats"]] == ["rules", "Ada", "Grace", "random"]
                play_on(players, place, 1000)
                last = second.until(lambda message: message.get("over") and message["round"] == 2)
                moved = [over["returns"][-1], *over["returns"][:-1]]
                both = [before + now for before, now in zip(moved, last["returns"], strict=True)]
                assert last["totals"] == pytest.approx(both, abs=1e-3)
                assert last["games"] == [2, 2, 2, 2]
    with serving(file) as server, server.player(ada) as first:
        state = first.until(lambda message: message.get("over"))
        assert (state["you"], state["host"]) == (1, True)
        assert state["totals"] == pytest.approx(last["totals"], abs=1e-3)
        assert (state["games"], state["sums"]) == (last["games"], last["sums"])


def test_who_joins_later_has_sums_of_the_games_since(monkeypatch: pytest.MonkeyPatch) -> None:
    """Poker: all fold before the big blind, an open seat, has to say anything."""
    monkeypatch.setattr("wilddeck.web.table.fresh_seed", lambda: 1)
    with serving() as server:
        ada = table(server, "me", "open", "open", game="poker_v0", options={"num_players": 3})
        with server.player(ada) as first:
            invitations = first.until(lambda message: "invitations" in message)["invitations"]
            with server.player(join(server, invitations["2"], "Grace")) as second:
                place = server.at(ada)
                play_on({"Ada": first, "Grace": second}, place, 1000)
                assert first.until(lambda message: message.get("over"))["games"] == [1, 1, 1]
                first.say(type="new")
                first.until(lambda message: message["round"] == 2)
                with server.player(join(server, invitations["1"], "Mary")) as third:
                    play_on({"Ada": first, "Grace": second, "Mary": third}, place, 1000)
                    state = third.until(lambda message: message.get("over"))
        assert [seat["name"] for seat in state["seats"]] == ["Grace", "Ada", "Mary"]
        assert state["games"] == [2, 2, 1]
        assert state["sums"][2] == state["results"][2]


# --- an evening in one link ---


def test_one_link_seats_everybody_and_who_made_it_starts_all_tables() -> None:
    with serving() as server:
        ada = table(server, "me", "open", "random", "open", clock={"seconds": 300})
        with server.player(ada) as first:
            shared = link(first, "evening")
            guests = [join(server, shared, name) for name in ("Grace", "Mary", "Joan", "Hedy")]
            places = [server.at(token) for token in (ada, *guests)]
            assert places[0] is places[1] is places[2] and places[3] is places[4] is not places[0]
            assert [seat.name for seat in places[0].seats] == ["Ada", "Grace", "random", "Mary"]
            assert [seat.name for seat in places[3].seats] == ["Joan", "Hedy", "random", "open seat"]
            assert places[3].control == places[0].control
            with server.player(guests[3]) as hedy:
                hedy.until(lambda message: "scene" in message)
                hedy.say(type="pace", seconds=1)  # Joan, who was there first, is away
                first.say(type="start", spec="random")
                wait_for(lambda: not places[3].open_seats)
            assert [seat.name for seat in places[3].seats] == ["Joan", "Hedy", "random", "random"]
            late = join(server, shared, "Late")
            with server.player(late) as player:
                state = player.until(lambda message: "scene" in message)
                assert state["you"] == 0 and state["host"] and server.at(late) not in (places[0], places[3])
                assert [seat["kind"] for seat in state["seats"]] == ["person", "open", "agent", "open"]
        with server.player(shared) as nobody:
            assert "the server has no such table" in nobody.error()


def test_an_evening_that_rests_goes_on_by_its_link() -> None:
    with serving(limits=Limits(idle_seconds=0.2)) as server:
        ada = table(server, "me", "open", "random", "random")
        with server.player(ada) as first:
            shared = link(first, "evening")
        wait_for(lambda: not server.lobby.tables)
        assert server.at(join(server, shared, "Grace")) is server.at(ada)


# --- who made the table ---


def test_another_person_stands_in_for_who_made_the_table_while_they_are_away() -> None:
    with serving() as server:
        ada = table(server, "me", "open", "open", "random")
        with server.player(ada) as first:
            invitations = first.until(lambda message: "invitations" in message)["invitations"]
            grace = join(server, invitations["1"], "Grace")
            with server.player(grace) as second:
                second.until(lambda message: "scene" in message and not message["host"])
                second.say(type="pause", on=True)
                assert "only the owner of the table" in second.error()
                first.socket.close()
                state = second.until(lambda message: message.get("host"))
                assert "invitations" not in state
                second.say(type="fill", seat=2, spec="random")
                second.until(lambda message: message["seats"][2]["kind"] == "agent")
                with server.player(ada) as back:
                    assert back.until(lambda message: "scene" in message)["host"]
                    assert not second.until(lambda message: not message.get("host"))["host"]


def test_a_seat_that_an_agent_took_is_played_by_it_in_the_next_evening_table_as_open(server: Server) -> None:
    ada = table(server, "me", "open", "random", "random")
    with server.player(ada) as first:
        shared = link(first, "evening")
        first.say(type="fill", seat=1, spec="random")
        first.until(lambda message: message["seats"][1]["kind"] == "agent")
        place = server.at(join(server, shared, "Grace"))
        assert [seat.kind for seat in place.seats] == ["person", "open", "agent", "agent"]
