"""Crazy eights clause by clause: what the specials of the Extended Deck do, and twos, Queens and Aces."""

from __future__ import annotations

from typing import Any

import pytest
from games.crazy_eights_positions import (
    arranged,
    field,
    hand,
    labels,
    parse,
    play,
    seen,
    turned_up,
)

# --- Draws, Reverses and Skips ---


@pytest.mark.rule("CE-30")
def test_a_draw_makes_the_next_player_take_two() -> None:
    env = arranged(["Dr-h 4d", "5d 6d", "4s 9s"], top="7h", pile="3c 4c 5c", max_draw_cards=1)
    play(env, "Dr-h")
    assert (env.current_player, hand(env, 1)) == (1, "3c 4c 5d 6d")
    assert field(env, "drawn")[:3] == [0, 0, 0]
    assert "draw" in labels(env)


@pytest.mark.rule("CE-31")
def test_a_draw_does_not_answer_a_draw() -> None:
    env = arranged(["Dr-h 4d", "Dr-c 6d", "4s 9s"], top="7h", pile="3c 4c 5c 6c 7c")
    play(env, "Dr-h")
    assert hand(env, 1) == "3c 4c 6d Dr-c"
    play(env, "Dr-c")
    assert (env.current_player, hand(env, 2)) == (2, "4s 5c 6c 9s")


@pytest.mark.rule("CE-32")
@pytest.mark.parametrize(
    ("players", "card", "mover", "direction"),
    [(4, "Rv-h", 3, -1), (3, "Rv-h", 2, -1), (2, "Rv-h", 0, -1), (4, "Sk-h", 2, 1), (2, "Sk-h", 0, 1)],
)
def test_reverses_and_skips_that_are_played(players: int, card: str, mover: int, direction: int) -> None:
    hands = [f"{card} 4d", "5d 6d", "4s 9s", "Ts Js"][:players]
    env = arranged(hands, top="7h")
    play(env, card)
    assert (env.current_player, field(env, "direction")) == (mover, direction)


@pytest.mark.rule("CE-33")
def test_a_draw_revealed_brings_two_cards_and_the_turn_goes_on() -> None:
    env = arranged(["Dr-c 4d", "5d 6d"], top="7h", pile="3c 7c 5c")
    play(env, "reveal Dr-c")
    assert (env.current_player, hand(env, 0)) == (0, "3c 4d 7c")
    assert labels(env) == {"7c", "draw"}
    assert field(env, "drawn")[0] == 0


@pytest.mark.rule("CE-33")
def test_a_skip_revealed_ends_the_turn() -> None:
    env = arranged(["Sk-c 4d", "5d 6d", "4s 9s"], top="7h", pile="3c 7c 5c")
    play(env, "draw", "reveal Sk-c")
    assert (env.current_player, hand(env, 0)) == (1, "3c 4d 7c")
    assert field(env, "drawn")[0] == 0


@pytest.mark.rule("CE-33")
def test_a_reverse_revealed_puts_off_the_rest_of_the_turn() -> None:
    env = arranged(["Rv-c 4d", "5d 6d", "4s 9s"], top="7h", pile="3c 7c 5c 6c Tc", max_draw_cards=2)
    play(env, "draw", "reveal Rv-c")
    assert (env.current_player, field(env, "paused")) == (2, 1)
    assert "player 0 has drawn 1" in env.describe()
    play(env, "draw", "draw", "pass")
    assert env.current_player == 1
    play(env, "draw", "pass")  # the last of the pile
    assert (env.current_player, field(env, "paused")) == (0, 0)
    assert field(env, "drawn")[:3] == [1, 0, 0]


@pytest.mark.rule("CE-33")
def test_several_are_revealed_at_one_time() -> None:
    env = arranged(["Rv-c Sk-c 4d", "5d 6d", "4s 9s"], top="7h", pile="3c 7c 5c 6c Tc")
    play(env, "reveal Rv-c")
    assert labels(env) == {"reveal Sk-c", "redeal"}
    play(env, "reveal Sk-c")
    assert (env.current_player, field(env, "direction"), field(env, "paused")) == (2, -1, 0)
    assert hand(env, 0) == "3c 4d 7c"


@pytest.mark.rule("CE-33")
def test_a_paused_turn_may_be_lost() -> None:
    """2 skips the player who paused; the draws of their lost turn do not count in the next one."""
    env = arranged(["Rv-c 4d", "Sk-h 6d", "7s 9s"], top="7h", pile="3c 7c 5c 6c Tc")
    play(env, "draw", "reveal Rv-c", "7s", "draw")
    env = arranged(["Rv-c 4d", "Sk-h 6d", "4h 9s"], top="7h", pile="3c 7c 5c 6c Tc")
    play(env, "draw", "reveal Rv-c", "4h", "Sk-h")
    assert (env.current_player, field(env, "paused"), field(env, "drawn")[0]) == (2, 0, 0)


@pytest.mark.rule("CE-34")
def test_who_owes_cards_reveals_nothing() -> None:
    env = arranged(["Sk-h 4d", "5d 6d"], top="2h", pile="3c 7c", use_special_cards=True, debt=2)
    assert labels(env) == {"draw"}


@pytest.mark.rule("CE-34", "CE-42")
def test_not_in_a_paused_turn_either() -> None:
    env = arranged(["Rv-c Sk-c 4d", "2h 6d Ks", "4h 9s"], top="7h", pile="3c 7c 5c 6c Tc", use_special_cards=True)
    play(env, "draw", "reveal Rv-c", "redeal", "4h", "2h")
    assert (env.current_player, field(env, "debt"), field(env, "paused")) == (0, 2, 0)
    assert labels(env) == {"draw"}
    play(env, "draw")
    assert (env.current_player, field(env, "drawn")[0]) == (2, 0)
    assert hand(env, 0) == "3c 4d 5c 6c 7c Sk-c"


@pytest.mark.rule("CE-35")
def test_what_is_revealed_asks_for_nothing() -> None:
    env = arranged(["Dr-c 4d", "5d 6d"], top="7h", pile="3c 7c 5c", reshuffle=True)
    play(env, "reveal Dr-c")
    zones = env.zones()
    assert (zones["aside"], zones["top"]) == (parse("Dr-c"), parse("7h"))
    assert parse("Dr-c")[0] not in zones["discards"]
    assert seen(env, 1, "suit") == [0, 0, 1, 0]


@pytest.mark.rule("CE-36", "CE-23")
def test_to_reveal_sets_the_count_of_passes_to_0() -> None:
    """That takes a pile, and a pass before it did not count: only a debt can leave a count, and then there is no pile."""
    env = arranged(["Sk-c 4d", "5d 6d"], top="7h", passes=1)
    assert labels(env) == {"pass"}
    env = arranged(["Sk-c 4d", "5d 6d"], top="7h", pile="3c", passes=1)
    play(env, "reveal Sk-c")
    assert field(env, "passes") == 0


# --- twos, Queens and Aces ---

SPECIAL: dict[str, Any] = {"use_special_cards": True}


@pytest.mark.rule("CE-40")
@pytest.mark.parametrize(
    ("players", "card", "mover", "direction"),
    [(4, "Qh", 2, 1), (2, "Qh", 0, 1), (4, "Ah", 3, -1), (3, "Ah", 2, -1), (2, "Ah", 1, -1)],
)
def test_queens_and_aces(players: int, card: str, mover: int, direction: int) -> None:
    hands = [f"{card} 4d", "5d 6d", "4s 9s", "Ts Js"][:players]
    env = arranged(hands, top="7h", **SPECIAL)
    play(env, card)
    assert (env.current_player, field(env, "direction")) == (mover, direction)
    plain = arranged(hands, top="7h")
    play(plain, card)
    assert (plain.current_player, field(plain, "direction")) == (1, 1)


@pytest.mark.rule("CE-40")
def test_a_queen_ends_a_paused_turn() -> None:
    env = arranged(["Rv-c 4d", "Qh 6d", "4h 9s"], top="7h", pile="3c 7c 5c", **SPECIAL)
    play(env, "draw", "reveal Rv-c", "4h", "Qh")
    assert (env.current_player, field(env, "paused"), field(env, "drawn")[0]) == (2, 0, 0)


@pytest.mark.rule("CE-40")
def test_specials_act_beside_them_with_the_extended_deck_only() -> None:
    env = arranged(["Sk-h 4d", "5d 6d", "4s 9s"], top="7h", **SPECIAL)
    play(env, "Sk-h")
    assert env.current_player == 2
    env = arranged(["Qh 4d", "5d 6d", "4s 9s"], top="7h", deck="standard", **SPECIAL)
    play(env, "Qh")
    assert env.current_player == 2


@pytest.mark.rule("CE-41")
def test_a_2_is_answered_with_a_2() -> None:
    env = arranged(["2h 4d", "2c 4h 8c", "2d 9s SJ"], top="7h", pile="3c 4c 5c 6c 7c 9c Tc", **SPECIAL)
    play(env, "2h")
    assert (field(env, "debt"), labels(env)) == (2, {"2c", "draw"})
    assert seen(env, 0, "debt") == [0.25]
    play(env, "2c")
    assert (field(env, "debt"), labels(env)) == (4, {"2d", "SJ", "draw"})
    play(env, "SJ")
    assert labels(env) == {"declare 2c", "declare 2d", "declare 2h", "declare 2s"}
    play(env, "declare 2s")
    assert (env.current_player, field(env, "debt"), labels(env)) == (0, 6, {"draw"})
    assert seen(env, 0, "debt") == [0.75]


@pytest.mark.rule("CE-41")
def test_without_a_pile_a_2_owes_nothing() -> None:
    env = arranged(["2h 4d", "2c 4h 8c"], top="7h", **SPECIAL)
    play(env, "2h")
    assert (field(env, "debt"), labels(env)) == (0, {"2c", "4h", "8c", "pass"})
    plain = arranged(["2h 4d", "2c 4h 8c"], top="7h", pile="3c")
    play(plain, "2h")
    assert field(plain, "debt") == 0


@pytest.mark.rule("CE-42")
def test_the_whole_debt_is_drawn_and_the_turn_is_over() -> None:
    env = arranged(["3d 4d", "4h 8c"], top="2h", pile="3c 4c 5c 6c 7c", debt=4, **SPECIAL)
    play(env, "draw")
    assert (env.current_player, hand(env, 0), field(env, "debt")) == (1, "3c 3d 4c 4d 5c 6c", 0)
    assert labels(env) == {"4h", "8c", "draw"}


@pytest.mark.rule("CE-42", "CE-43")
@pytest.mark.parametrize(("pile", "passes"), [("3c", 0), ("3c 4c", 1), ("3c 4c 5c", 0)])
def test_what_the_pile_lacks_is_forgiven(pile: str, passes: int) -> None:
    """The last card owed, if it is the last of the pile, counts as a pass."""
    env = arranged(["3d 4d", "4h 8c"], top="2h", pile=pile, debt=2, **SPECIAL)
    play(env, "draw")
    assert (env.current_player, field(env, "debt"), field(env, "passes")) == (1, 0, passes)


@pytest.mark.rule("CE-43", "CE-22")
def test_a_pile_made_anew_is_no_empty_one() -> None:
    env = arranged(["3d 4d", "4h 8c"], top="2h", pile="3c 4c", debt=2, reshuffle=True, **SPECIAL)
    play(env, "draw")
    assert field(env, "passes") == 0


@pytest.mark.rule("CE-44")
@pytest.mark.parametrize(
    ("players", "starter", "mover", "direction", "debt"),
    [(4, "2c", 0, 1, 2), (4, "Qc", 1, 1, 0), (4, "Ac", 2, -1, 0), (2, "Qc", 1, 1, 0), (2, "Ac", 0, -1, 0)],
)
def test_2_queen_or_ace_turned_up(players: int, starter: str, mover: int, direction: int, debt: int) -> None:
    env = turned_up(starter, dealer=players - 1, num_players=players, **SPECIAL)
    assert (env.current_player, field(env, "direction"), field(env, "debt")) == (mover, direction, debt)
    assert field(env, "skip") == [0] * 7
