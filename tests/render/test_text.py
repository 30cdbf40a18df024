"""The text table, and the scene that all drawing is made from."""

from __future__ import annotations

import numpy as np
import pytest
import wilddeck
from support import Case, each_game, running
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import ALIKE_JOKERS, EXTENDED
from wilddeck.envs.core.events import TRICK_WON
from wilddeck.envs.core.facts import Fact, who
from wilddeck.envs.core.render import Scene, ansi
from wilddeck.envs.core.render.scene import by_seat
from wilddeck.envs.core.render.text import zone_text
from wilddeck.envs.core.zones import ZoneRole

DECK = list(range(48))


def tennis(moves: int = 0) -> CardGameEnv:
    """Two players, the deck in order, each playing the lowest card."""
    env = wilddeck.envs.tennis_v0.raw_env(num_players=2, dealer=0, render_mode="ansi")
    env.reset(seed=1, options={"deck": DECK})
    for _ in range(moves):
        env.step(env.legal_actions()[0])
    return env


TRUTH = """\
Tennis, 2 players
trick 2, 5 left in the round; player 1 leads

   seat      hand            pile                                                table
   player_0  2c 3c 3h 4c 4h  5c 5h 6c 6h 7c 7h 8c 8h 9c 9h Tc Th Jc and 5 below
>  player_1  2d 3d 3s 4d 4s  5d 5s 6d 6s 7d 7s 8d 8s 9d 9s Td Ts Jd and 5 below

set_aside (2)  2h 2s
removed (0)
"""

SEEN_BY_1 = """\
Tennis, 2 players
trick 2, 5 left in the round; player 1 leads

   seat      hand            pile    table
   player_0  ?? x5           ?? x18
>  player_1  2d 3d 3s 4d 4s  ?? x18

set_aside (2)  2h 2s
removed (0)
"""


def test_text_of_the_truth() -> None:
    assert tennis(2).render() == TRUTH


def test_text_of_a_seat() -> None:
    assert ansi(tennis(2), viewer="player_1") == SEEN_BY_1


def test_text_of_the_end_shows_results_and_nobody_to_move() -> None:
    env = tennis()
    while not any(env.terminations.values()):
        env.step(env.legal_actions()[-env.current_player])  # the lowest card, or for seat 1 the highest
    lines = env.render().splitlines()
    assert lines[3].endswith("result")
    assert sorted(line.split()[-1] for line in lines[4:6]) == ["lost", "won"]
    assert not any(line.startswith(">") for line in lines)


def test_results_are_of_the_whole_game_and_counted_anew_in_what_is_redrawn() -> None:
    """Poker pays after each hand."""
    env, paid = raw_env("poker_v0", num_players=2, hands=5), np.zeros(2)
    env.reset(seed=1)
    while not env.is_over:
        env.step(env.action_from_label("fold"))
        paid += list(env.rewards.values())
        if not env.is_over:
            redrawn = env.determinize("player_0", 1)
    assert list(env.returns.values()) == list(env.clone().returns.values()) == paid.tolist()
    assert list(redrawn.returns.values()) == [0, 0] != paid.tolist()
    assert sorted(Scene.of(env).results) == ["+1 chip", "−1 chip"]


@pytest.mark.parametrize(
    ("role", "ids", "text"),
    [
        (ZoneRole.HAND, (), ""),
        (ZoneRole.HAND, (0, 1, -1), "2c 2d ??"),
        (ZoneRole.HAND, (-1, -1, 0, -1), "?? x2 2c ??"),
        (ZoneRole.PLAYED, (52, 53, 56), "SJ BJ Dr-h"),
        (ZoneRole.STOCK, tuple(range(20)), "2c 2d 2h 2s 3c 3d 3h 3s 4c 4d 4h 4s 5c and 7 below"),
        (ZoneRole.HEAP, tuple(range(20)), "7 before, 3s 4c 4d 4h 4s 5c 5d 5h 5s 6c 6d 6h 6s"),
        (ZoneRole.STOCK, (-1,) * 40, "?? x40"),
        (ZoneRole.HAND, tuple(range(15)), "2c 2d 2h 2s 3c 3d 3h 3s 4c 4d 4h 4s 5c 5d 5h"),
    ],
)
def test_text_of_a_zone(role: ZoneRole, ids: tuple[int, ...], text: str) -> None:
    assert zone_text(role, ids) == text


def test_jokers_that_differ_are_told_apart() -> None:
    assert zone_text(ZoneRole.PLAYED, (52, 53), EXTENDED) == "SJ BJ"
    assert zone_text(ZoneRole.PLAYED, (52, 53), ALIKE_JOKERS) == "Jk Jk"


def test_zones_are_told_apart_by_their_names_and_roles() -> None:
    zones = {"hand/1": [5, -1, 2], "defence/0/3": [7, 8], "table/0": [9], "discard": [1], "trick/9": [4], "set/0": [6]}
    seats, common = by_seat(zones, 2, {"hand": ZoneRole.HAND, "set": ZoneRole.MELD})
    assert seats == ({"defence/3": (7, 8), "table": (9,)}, {"hand": (2, 5, -1)})
    assert common == {"discard": (1,), "trick/9": (4,), "set/0": (6,)}


def test_places_of_one_kind_share_a_column() -> None:
    env = tennis()
    scene = Scene.of(env)
    assert scene.kinds == ["hand", "pile", "table"]


def test_facts_about_one_seat_are_its_notes() -> None:
    facts = (Fact(f"{who(1)} to move", 1), Fact(f"7h against {who(2)}, won", 0), Fact("out", 11), Fact("points 3 4", sep="\n"))
    scene = Scene("A game", facts, ("player_0", "player_1"), ({}, {}), {}, 0, None)
    assert scene.headline == "player 1 to move  |  points 3 4"
    assert scene.notes == {0: "7h against player 2, won", 11: "out"}
    assert scene.status == "player 1 to move\nplayer 0: 7h against player 2, won\nplayer 11: out\npoints 3 4"


def with_trick(env: CardGameEnv, viewer: str | None = None) -> Scene:
    return Scene.of(env, viewer).with_trick(env.game, env.history(viewer))


def test_a_finished_trick_stays_until_the_next_card_is_played() -> None:
    env = tennis(2)
    first, second = env.history()[-3:-1]
    end = env.history()[-1]
    assert [zones["table"] for zones in Scene.of(env).seats] == [(), ()]
    for viewer in (None, "player_0"):
        scene = with_trick(env, viewer)
        assert [scene.seats[event.player or 0]["table"] for event in (first, second)] == [first.cards, second.cards]
        assert scene.headline.startswith(f"{end.text(scene.viewer)}  |  ")
    env.step(env.legal_actions()[0])
    assert with_trick(env) == Scene.of(env)


def test_a_trick_whose_cards_no_zone_shows() -> None:
    """President: what lies on the table is known from what was played."""
    env = wilddeck.envs.president_v0.raw_env(deck="standard")
    env.reset(seed=1)
    plays = []
    while len(plays) < 3:
        env.step(env.legal_actions()[0])
        plays = [event for event in env.history() if event.kind == "play"]
    scene = with_trick(env)
    assert [scene.seats[event.player or 0]["trick"] for event in plays] == [event.cards for event in plays]


def test_the_tricks_of_a_hand_are_gone_with_the_next() -> None:
    env = wilddeck.envs.spades_v0.raw_env(deck="standard", match="match")
    env.reset(seed=1)
    while env.record["deals"][0] == 1:
        env.step(env.legal_actions()[-1])
    assert with_trick(env) == Scene.of(env)


@each_game
def test_games_without_tricks_are_shown_as_they_are(case: Case) -> None:
    if all(declared.kind != TRICK_WON for declared in case.game.events):
        env = case.raw()
        env.reset(seed=1)
        env.step(env.legal_actions()[0])
        assert with_trick(env) == Scene.of(env)


def test_nothing_to_draw_before_reset() -> None:
    env = wilddeck.envs.tennis_v0.raw_env(render_mode="ansi")
    with pytest.raises(RuntimeError, match=r"call reset\(\) before render\(\)"):
        env.render()


def test_unknown_viewer() -> None:
    with pytest.raises(ValueError, match=r"no agent 'player_7'.*player_0, player_1"):
        ansi(tennis(), viewer="player_7")


def test_a_game_ended_by_the_wrapper_shows_the_penalty() -> None:
    env = wilddeck.make("tennis_v0", num_players=2, render_mode="ansi")
    env.reset(seed=1)
    env.step(next(a for a in range(12) if a not in env.unwrapped.legal_actions()))
    assert "lost" in env.render()


@each_game
def test_scenes_of_a_seat_do_not_tell_the_truth_from_what_it_could_be(case: Case) -> None:
    """All drawing is a function of the scene, so this holds for every picture and text."""
    for env in running(case)[::3]:
        for seat, agent in enumerate(env.possible_agents):
            other = env.determinize(agent, seed=seat + 1)
            assert Scene.of(other, agent) == Scene.of(env, agent)
            assert ansi(other, agent) == ansi(env, agent)
