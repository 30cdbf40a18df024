"""What the styles of the rule-based Skin player do in given hands."""

import numpy as np
import pytest
from games.skin_game_positions import labels, phase, play, table, with_chips
from support import see_anew
from wilddeck import agents, envs
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate
from wilddeck.envs import raw_env

SKIN = envs.game("skin_v0")
STYLES = ("cautious", "bold", "counting")


def choice(env, style):
    """The label of what a style plays now."""
    agent = agents.make(f"rules:{style}", SKIN, env.options)
    return env.action_label(agent.act(View.of(env), np.random.default_rng(0)))


def choices(env):
    return {style: choice(env, style) for style in STYLES}


def came_back(rest="", num_players=3, **options):
    """The banker has K; 3 has fallen once and is offered again to seat 1: one match is left."""
    env = table(f"3 K 3 3 {rest}", num_players=num_players, dead_on_fall=False, **options)
    play(env, f"{num_players - 1} accept; {num_players - 1} no stake")
    return env


def test_the_strongest_is_the_default():
    for spec in ("rules", "rules:counting"):
        assert agents.make(spec, SKIN).policy is agents.make("rules:counting", SKIN).policy
    assert agents.make("rules:bold", SKIN).name == "rules:bold"
    with pytest.raises(ValueError, match="skin_v0 has no rule-based agent of style 'wild'; styles: cautious, bold, counting"):
        agents.make("rules:wild", SKIN)


def test_who_counts_waits_for_a_card_with_better_odds():
    even = table("3 K 4")
    play(even, "2 accept; 2 no stake")
    assert choices(even) == {"cautious": "accept", "bold": "accept", "counting": "pass"}
    assert choice(came_back(), "counting") == "accept"


def test_who_counts_gets_a_hand_going_when_nobody_else_does():
    env = table("3 K")
    assert choice(env, "counting") == "pass"
    play(env, "2 pass")
    assert choice(env, "counting") == "accept"
    env = table("Q Q 3 K")  # the last to be offered the 3 is seat 2, who had the Q
    play(env, "2 accept")
    assert choice(env, "counting") == "pass"
    play(env, "1 pass")
    assert choice(env, "counting") == "accept"
    with_a_gap = table("3 3 K", num_players=4)
    with_a_gap.record["in_game"][0][1] = 0
    see_anew(with_a_gap)
    play(with_a_gap, "3 pass")
    assert choice(with_a_gap, "counting") == "accept", "between seat 2 and the banker nobody sits"


def test_stakes_and_answers_follow_the_odds():
    env = table("3 K 4")
    play(env, "2 accept")
    assert choices(env) == {"cautious": "stake 1 chip", "bold": "stake 8 chips", "counting": "stake 4 chips"}
    play(env, "2 stake 8 chips")
    assert choices(env) == {"cautious": "bet 1 chip", "bold": "bet 8 chips", "counting": "bet 4 chips"}
    env = came_back()
    play(env, "1 accept")
    assert choices(env) == {"cautious": "stake 1 chip", "bold": "stake 8 chips", "counting": "stake 8 chips"}
    play(env, "1 stake 8 chips")
    assert choice(env, "counting") == "bet 1 chip"


def test_the_banker_bets_all_with_better_odds():
    """K has fallen with the bank and comes back as the banker's new card: one match left against three of 3 and 4."""
    env = table("3 K 4 K K 5", dead_on_fall=False)
    play(env, "2 accept; 2 stake 1 chip; 1 accept; 1 stake 1 chip; 1 side bet with player_2; 1 propose 1 chip; 2 accept 1 chip")
    assert choices(env) == {"cautious": "just reveal", "bold": "new card", "counting": "new card"}
    play(env, "0 new card")
    assert choice(env, "counting") == "no stake"
    play(env, "2 stake 6 chips")
    assert choices(env) == {"cautious": "bet 1 chip", "bold": "bet 6 chips", "counting": "bet 6 chips"}


def test_side_bets_against_those_with_more_matches_left():
    env = came_back("4", num_players=4)
    play(env, "2 accept; 2 stake 1 chip; 1 accept; 1 stake 1 chip")
    assert labels(env) == ["no side bet", "side bet with player_2"]
    assert choices(env) == {"cautious": "no side bet", "bold": "side bet with player_2", "counting": "no side bet"}
    play(env, "1 side bet with player_2; 1 propose 8 chips")
    assert choices(env) == {"cautious": "accept none", "bold": "accept 8 chips", "counting": "accept 8 chips"}
    env = table("4 K 3 3 3", num_players=4, dead_on_fall=False)
    play(env, "3 accept; 3 stake 1 chip; 2 accept; 2 no stake; 1 accept; 1 stake 1 chip")
    assert choice(env, "counting") == "side bet with player_3", "4 has three matches left, the third 3 has one"
    play(env, "1 side bet with player_3")
    assert choice(env, "counting") == "propose 8 chips"
    play(env, "1 propose 8 chips")
    assert choice(env, "counting") == "accept none"


def test_central_cards():
    env = table("3 K 9 3")
    play(env, "2 accept; 2 stake 5 chips; 0 bet 5 chips; 1 pass")
    assert choices(env) == {
        "cautious": "no central card",
        "bold": "take the central 9",
        "counting": "no central card",
    }
    env = came_back("9 4 4 9", num_players=3)  # 3 becomes central again, with one match left
    play(env, "1 pass; 2 pass; 1 pass; 2 pass; 1 accept; 1 stake 1 chip")
    assert labels(env)[1:] == ["take the central 3", "take the central 9"]
    assert choice(env, "counting") == "take the central 3"


def test_amounts_are_what_both_can_lay_out():
    env = with_chips(table("3 K"), [3, 50, 50])
    play(env, "2 accept")
    assert choices(env) == {"cautious": "stake 1 chip", "bold": "stake 3 chips", "counting": "stake 3 chips"}


def test_everybody_stays():
    env = raw_env("skin_v0", num_players=3, hands=4, cash_out=True)
    env.reset(seed=1)
    while phase(env) != "BETWEEN":
        env.step(0)
    assert set(choices(env).values()) == {"stay"}
    play(env, "0 leave; 1 stay; 2 stay")
    while phase(env) != "BETWEEN":
        env.step(0)
    assert set(choices(env).values()) == {"join"}


@pytest.mark.long
def test_counting_wins_where_ranks_come_back():
    options = SKIN.make_options({"dead_on_fall": False, "num_players": 4})
    for other in ("random", "rules:bold"):
        result = evaluate(agents.make("rules", SKIN, options), agents.make(other, SKIN, options), SKIN, options, 300, 1)
        assert result.mean > 4 * result.standard_error
