"""Clauses and worked examples of docs/rules/old_maid.md about Jokers: the setup, pairing, binding."""

from __future__ import annotations

import pytest
from games.old_maid_positions import (
    DONE,
    DRAW,
    JOKERS,
    PAIR,
    PLACE,
    SETUP,
    arranged,
    dealt,
    field,
    hand,
    hands,
    in_setup,
    is_laid,
    is_over,
    pair,
    place,
    rewards,
)

REST = "4d 6d 7d 8d Qs"


# --- the setup ---


@pytest.mark.rule("OM-07", "OM-22")
def test_holders_of_jokers_are_asked_in_order() -> None:
    env = dealt(["2c 3c 4c 5c", "SJ 6c 7c", "8c 9c", "Tc Jc BJ", "", "", "", ""])
    assert (env.current_player, field(env, "phase"), field(env, "turns")) == (1, SETUP, 0)
    env.step(DONE)
    assert (env.current_player, field(env, "phase")) == (3, SETUP)
    env.step(DONE)
    assert (env.current_player, field(env, "phase"), field(env, "turns")) == (0, DRAW, 1)
    assert "SJ" in hand(env, 1) and "BJ" in hand(env, 3)


@pytest.mark.rule("OM-07")
def test_a_pair_of_the_setup_binds_at_once() -> None:
    """Worked example 5: the other Joker is not asked about any more."""
    env = in_setup(["9c SJ 2c", "3c", "2d BJ 9h 3d", "9d 9s Qs"])
    assert env.legal_actions() == [pair("2"), pair("9"), DONE]
    env.step(pair("9"))
    assert hands(env)[:3] == ["2c", "3c", "2d 3d"]
    assert is_laid(env, "9c SJ BJ 9h")
    assert (env.current_player, field(env, "phase"), field(env, "turns")) == (0, DRAW, 1)


@pytest.mark.rule("OM-07", "OM-22")
def test_the_same_player_is_asked_again_while_they_can_pair() -> None:
    env = in_setup(["9c SJ 2c BJ", "3c", "2d 3d", "9d Qs"], joker_bind=False)
    assert env.legal_actions() == [pair("2"), pair("9"), JOKERS, DONE]
    env.step(pair("9"))
    assert (env.current_player, field(env, "phase")) == (0, SETUP)
    assert env.legal_actions() == [pair("2"), DONE]
    env.step(pair("2"))
    assert (env.current_player, field(env, "phase")) == (1, DRAW), "seat 0 is out"
    assert hand(env, 0) == ""


@pytest.mark.rule("OM-22")
def test_nothing_is_asked_where_no_pair_is_possible() -> None:
    """Worked example 4."""
    env = arranged(["Dr-c SJ", "Sk-c 2c", "2d Qs BJ Sk-d Dr-d"])
    env.step(0)
    assert field(env, "phase") == PLACE
    env = in_setup(["Qs SJ", "Dr-c BJ", "2c 2d Dr-d"], current_player=0)
    env.step(DONE)
    assert (env.current_player, field(env, "phase")) == (0, DRAW), "the Old Maid pairs with no Joker, nor does a Draw"


@pytest.mark.rule("OM-22")
def test_jokers_are_paired_in_the_own_turn_after_the_draw() -> None:
    env = arranged(["SJ 2c", "3c 4c BJ", "2d 3d 4d Qs"])
    assert env.legal_actions() == [0, 1, 2], "not before it"
    env.step(0)
    assert (env.current_player, field(env, "phase")) == (0, PAIR)
    assert env.legal_actions() == [pair("2"), pair("3"), DONE]
    env.step(DONE)
    assert field(env, "phase") == PLACE
    env.step(place(2))
    assert env.current_player == 1


@pytest.mark.rule("OM-22")
def test_declining_is_free() -> None:
    env = arranged(["SJ 2c", "3c 4c BJ", "2d 3d 4d Qs"])
    env.step(0)
    env.step(DONE)
    assert hand(env, 0) == "SJ 2c 3c"
    assert field(env, "bound") == -1


# --- what a Joker pairs with ---


@pytest.mark.rule("OM-20")
def test_a_joker_pairs_with_any_rank_but_not_with_the_old_maid() -> None:
    """Worked examples 2 and 3."""
    env = in_setup(["7s Qs SJ", "7h 7c 7d BJ Qd Qh"])
    assert env.legal_actions() == [25, 34]
    env = in_setup(["Qd Qs SJ", "Qh 3c BJ", "3d"])
    assert env.legal_actions() == [30, 34]
    env.step(30)
    assert hands(env) == ["Qs", "3c", "3d"]
    assert is_laid(env, "Qd SJ Qh BJ")
    everything = "2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qd Kc Ac"
    env = in_setup([f"{everything} Qs Dr-c Rv-c Sk-c SJ BJ", "2d"])
    assert env.legal_actions() == [*range(20, 33), JOKERS, DONE]


@pytest.mark.rule("OM-20", "OM-23")
def test_the_two_jokers_pair() -> None:
    env = in_setup(["7s SJ BJ", "7h Qs", "7c 7d"])
    env.step(JOKERS)
    assert hands(env) == ["7s", "7h Qs", "7c 7d"]
    assert field(env, "joker_pair") == 1 and field(env, "bound") == -1
    assert (env.current_player, field(env, "phase")) == (0, DRAW)


@pytest.mark.rule("OM-21")
@pytest.mark.parametrize("special", ["Dr-c", "Rv-d", "Sk-s"])
def test_a_joker_does_not_pair_with_a_special(special: str) -> None:
    env = in_setup([f"{special} 2c SJ", "2d Qs BJ"])
    assert env.legal_actions() == [pair("2"), DONE]
    env = arranged([f"{special} SJ", f"{special[:2]}-h Qs 2c 3c", "2d BJ 3d"])
    env.step(1)
    assert field(env, "phase") == PLACE


@pytest.mark.rule("OM-23")
def test_of_two_jokers_the_lower_id_goes_first() -> None:
    env = in_setup(["BJ 7s 2c SJ", "7h 7c 7d 2d Qs"], joker_bind=False)
    env.step(pair("7"))
    assert hand(env, 0) == "BJ 2c"
    env = arranged(["2c BJ", "SJ 3c", "2d 3d Qs"], joker_bind=False)
    env.step(0)
    env.step(pair("2"))
    assert (hand(env, 0), env.current_player) == ("BJ", 1), "SJ, which was drawn, is laid: nothing is placed"


@pytest.mark.rule("OM-23")
def test_two_jokers_that_pair_with_nothing_else_are_laid() -> None:
    """When the last card that they could pair with is laid, whoever's turn it is, and when the second is drawn."""
    env = arranged(["2c Rv-c", "2d Dr-c", "SJ BJ Qs Dr-d Rv-d"])
    env.step(0)
    assert hands(env) == ["Rv-c", "Dr-c", "Qs Dr-d Rv-d"]
    assert field(env, "joker_pair") == 1
    env = arranged(["SJ Dr-c", "BJ Rv-c", "Qs Dr-d Rv-d"])
    env.step(0)
    assert hands(env) == ["Dr-c", "Rv-c", "Qs Dr-d Rv-d"]
    assert (field(env, "kept"), env.current_player) == (0, 1)
    env = arranged(["SJ Dr-c", "BJ 2c", "Qs Dr-d 2d"])
    env.step(0)
    assert hands(env)[0] == "SJ Dr-c BJ"
    assert env.legal_actions() == [JOKERS, DONE], "twos are left: it is a choice"


@pytest.mark.rule("OM-23")
def test_jokers_in_two_hands_can_still_meet() -> None:
    env = arranged(["2c SJ", "2d Qs", "BJ"])
    env.step(0)
    assert not is_over(env)
    assert env.current_player == 1
    env.step(0)
    env.step(place(0))
    assert env.current_player == 0
    env.step(0)
    assert hands(env) == ["", "Qs", ""] or not is_over(env)


# --- binding ---


@pytest.mark.rule("OM-24")
def test_a_bound_joker_pairs_by_force_and_with_nothing_else() -> None:
    """Worked example 5, later: the card comes to the Joker, or the Joker to the card."""
    for mover, target in [("BJ 2c", "9h 3c"), ("9h 2c", "BJ 3c")]:
        env = arranged([mover, target, "2d 3d 9d 9s Qs"], bound="9")
        env.step(0)
        assert hands(env)[:2] == ["2c", "3c"]
        assert is_laid(env, "BJ 9h")
        assert (env.current_player, field(env, "kept")) == (1, 0)
    env = arranged(["BJ 2c", "3c 4c", "2d 3d 4d 9d 9h 9s Qs"], bound="9")
    env.step(0)
    assert field(env, "phase") == PLACE, "no pair of a bound Joker is asked about"
    assert hand(env, 0) == "BJ 2c 3c"


@pytest.mark.rule("OM-24")
def test_a_bound_joker_does_not_pair_with_another_rank_nor_the_old_maid() -> None:
    env = arranged(["BJ 2c", "Qs 3c", "2d 3d Qh"], bound="Q")
    env.step(0)
    assert hand(env, 0) == "BJ 2c Qs"
    env = arranged(["BJ 2c", "Qh 3c", "2d 3d Qs"], bound="Q")
    env.step(0)
    assert hand(env, 0) == "2c"


@pytest.mark.rule("OM-24")
def test_the_other_joker_of_the_same_hand_is_bound_too() -> None:
    env = in_setup(["SJ BJ 9c 2c", "9d 2d", "9h 9s 3c 3d Qs"])
    env.step(pair("9"))
    assert hand(env, 0) == "BJ 2c"
    assert (env.current_player, field(env, "phase")) == (0, DRAW), "not asked again"
    env.step(0)
    assert is_laid(env, "BJ 9d")


@pytest.mark.rule("OM-24")
def test_binding_in_a_turn_lays_pairs_of_others() -> None:
    env = arranged(["SJ 2c", "3c 4c", "BJ 2d 3d 4d", "2h Qs"])
    env.step(1)
    assert env.legal_actions() == [pair("2"), pair("4"), DONE]
    env.step(pair("2"))
    assert hands(env) == ["4c", "3c", "3d 4d", "2h Qs"]
    assert env.current_player == 1


@pytest.mark.rule("OM-24")
def test_the_rank_stays_bound_to_the_end() -> None:
    env = arranged(["SJ 2c", "3c 4c", "BJ 2d 3d 4d", "2h Qs"])
    bound = env.observation_layout["bound"]
    env.step(1)
    assert not env.observe("player_3")["observation"][bound].any()
    env.step(pair("2"))
    for agent in env.agents:
        assert env.observe(agent)["observation"][bound].tolist() == [1.0, *[0.0] * 12]
    assert "bound to rank 2" in env.describe()


@pytest.mark.rule("OM-25")
def test_without_binding_the_second_joker_is_free() -> None:
    env = in_setup(["9c SJ 2c", "3c", "2d BJ 9h 3d", "9d 9s Qs"], joker_bind=False)
    env.step(pair("9"))
    assert hands(env)[2] == "2d BJ 9h 3d"
    assert env.current_player == 2
    assert env.legal_actions() == [pair("2"), pair("3"), pair("9"), DONE]
    env.step(pair("3"))
    assert field(env, "bound") == -1
    assert hands(env)[2] == "2d 9h"


@pytest.mark.rule("OM-25")
def test_two_odd_cards_make_several_losers() -> None:
    env = in_setup(["9c SJ", "5c BJ 9d", "9h 5d 5h 5s 9s Qs"], joker_bind=False)
    env.step(pair("9"))
    env.step(pair("5"))
    while not is_over(env):
        env.step(env.legal_actions()[0])
    left = " ".join(hands(env)).split()
    assert len(left) == 3 or sum(map(bool, hands(env))) == 1
    assert sorted(card[0] for card in left)[-1] == "Q"
    losers = [bool(held) for held in hands(env)]
    assert [reward < 0 for reward in rewards(env)] == losers or all(losers)


@pytest.mark.rule("OM-32", "OM-33")
def test_draws_bring_no_cards() -> None:
    env = arranged(["Dr-c 2c", "Dr-h 3c", f"2d 3d {REST} Sk-c Sk-d"])
    before = sum(len(text.split()) for text in hands(env))
    env.step(0)
    assert is_laid(env, "Dr-c Dr-h")
    assert sum(len(text.split()) for text in hands(env)) == before - 2
    assert (env.current_player, field(env, "phase")) == (1, DRAW)
