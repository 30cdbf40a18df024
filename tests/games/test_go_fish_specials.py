"""Go Fish clause by clause: books of specials, reveals, the end, rewards; and the worked examples."""

from __future__ import annotations

import pytest
from games.go_fish_positions import (
    DRAWS,
    GAME,
    REVERSES,
    SKIPS,
    arranged,
    ask,
    bits,
    book,
    deck_of,
    field,
    hand,
    is_over,
    labels,
    parse,
    play,
    row,
    seen,
)
from support import history_text
from wilddeck.envs import raw_env

STOCK = "2d 3d 4h 5s 6c 8d 9d Td Jd"


# --- books of specials ---


@pytest.mark.rule("GF-30", "GF-33", "GF-39")
def test_a_book_of_draws() -> None:
    env = arranged([f"{DRAWS} 2c", "7c 7d 7h", "Qd", "Qc"], pile="Ah 3c 4c 5c 6c 7s 8c 9c Tc Jc")
    play(env, "lay the book of Draws")
    assert hand(env, 1) == "7c 7d 7h"
    assert field(env, "draw")[:4] == [0] * 4
    ask(env, 2, "2s")
    assert env.current_player == 1
    assert book(env, 1) == "7c 7d 7h 7s"  # completed by what was taken
    assert hand(env, 1) == "3c 4c 5c 6c 8c 9c Tc"
    assert env.zones()["pile"] == parse("Jc")


@pytest.mark.rule("GF-30")
def test_cards_of_draws_are_unseen() -> None:
    env = arranged([f"{DRAWS} 2c", "7c", "Qd"], pile=f"Ah {STOCK}", lacks=(0, bits("2 3"), 0, 0, 0, 0))
    play(env, "lay the book of Draws")
    ask(env, 2, "2s")
    assert row(env, 0, "lacks", 1) == {}


@pytest.mark.rule("GF-31")
def test_a_book_of_reverses_has_no_effect() -> None:
    for n in (2, 3, 4):
        env = arranged([f"{REVERSES} 2c", *["Kc", "Kd", "Kh"][: n - 1]], pile="Ah 3c")
        play(env, "lay the book of Reverses")
        ask(env, 1, "2s")
        assert env.current_player == 1
        assert field(env, "direction") == 1


@pytest.mark.rule("GF-32")
@pytest.mark.parametrize(("n", "turn", "following"), [(2, 1, 0), (3, 1, 0), (4, 1, 2), (5, 1, 1), (6, 1, 0)])
def test_a_book_of_skips(n: int, turn: int, following: int) -> None:
    """Example 6."""
    hands = ["Kc", f"{SKIPS} 2c", "Kd", "Kh", "Ks", "Qs"][:n]
    env = arranged(hands, turn=turn, pile="Ah 3c")
    play(env, "lay the book of Skips")
    ask(env, 0, "2s")
    assert env.current_player == following
    assert field(env, "turns") == 2
    assert field(env, "skip") == [0] * 6


@pytest.mark.rule("GF-32", "GF-40")
def test_players_without_cards_are_counted_when_players_are_skipped() -> None:
    env = arranged([f"{SKIPS} 2c", "", "", "Kd"], pile="Ah 3c 4c 5c")
    play(env, "lay the book of Skips")
    ask(env, 3, "2s")
    assert env.current_player == 1
    assert hand(env, 1) == "3c"


@pytest.mark.rule("GF-40")
def test_a_player_without_cards_takes_the_cards_of_draws() -> None:
    env = arranged([f"{DRAWS} 2c", "", "Kd"], pile="Ah 3c 4c 5c")
    play(env, "lay the book of Draws")
    ask(env, 2, "2s")
    assert env.current_player == 1
    assert hand(env, 1) == "3c 4c 5c"


@pytest.mark.rule("GF-33")
@pytest.mark.parametrize(
    ("n", "order", "taker", "following"),
    [
        (4, ("Skips", "Draws"), 1, 1),
        (6, ("Skips", "Draws"), 5, 5),
        (6, ("Draws", "Skips"), 1, 5),
        (4, ("Draws", "Skips"), 1, 1),
    ],
)
def test_books_act_in_the_order_in_which_they_were_laid(n: int, order: tuple[str, str], taker: int, following: int) -> None:
    """Example 8."""
    env = arranged([f"{SKIPS} {DRAWS} 2c", *["Kc", "Kd", "Kh", "Ks", "Qs"][: n - 1]], pile=f"Ah {STOCK}")
    for name in order:
        play(env, f"lay the book of {name}")
    ask(env, 1, "2s")
    assert env.current_player == following
    assert [len(env.zones()[f"hand/{seat}"]) for seat in range(1, n)] == [1 + 8 * (seat == taker) for seat in range(1, n)]


@pytest.mark.rule("GF-33")
def test_books_act_when_a_revealed_skip_ends_the_turn() -> None:
    env = arranged([f"{DRAWS} 2c Sk-c", "Kc", "Kd"], pile=f"Ah {STOCK}")
    play(env, "lay the book of Draws", "reveal Sk-c")
    assert env.current_player == 1
    assert len(env.zones()["hand/1"]) == 9


@pytest.mark.rule("GF-33", "GF-36")
def test_books_of_a_paused_turn_act_when_it_has_gone_on_and_ended() -> None:
    env = arranged([f"{DRAWS} 2c Rv-c", "Kc", "Kd"], pile=f"Ah {STOCK} 7c 7d")
    play(env, "lay the book of Draws", "reveal Rv-c")
    assert env.current_player == 2
    assert field(env, "draw") == [0] * 6
    ask(env, 0, "Ks")
    ask(env, 2, "Ks")  # 1 gets it
    ask(env, 0, "Ks")
    assert env.current_player == 0
    assert field(env, "draw") == [0] * 6
    before = len(env.zones()["hand/2"])
    ask(env, 1, "As")
    assert env.current_player == 2  # the order has been turned round
    assert len(env.zones()["hand/2"]) == before + 8


# --- reveals ---


@pytest.mark.rule("GF-34", "GF-35", "GF-38")
def test_a_draw_is_replaced_by_two() -> None:
    env = arranged(["Dr-c 2c", "Kc"], pile="Ah 3c 4c 5c")
    play(env, "reveal Dr-c")  # nothing else to reveal
    assert hand(env, 0) == "2c 3c Ah"
    assert env.zones()["aside"] == parse("Dr-c")
    assert env.current_player == 0
    assert labels(env) == {f"ask player 1 for {rank}s" for rank in "23A"}
    assert seen(env, 1, "impossible") == [1, 0, 0]


@pytest.mark.rule("GF-34")
def test_reveals_are_possible_in_ones_turn_alone_and_while_there_is_a_stock() -> None:
    env = arranged(["2c", "Dr-c Kc"], pile="Ah 3c")
    assert labels(env) == {"ask player 1 for 2s"}
    env = arranged(["Dr-c 2c", "Kc"])
    assert labels(env) == {"ask player 1 for 2s", "ask player 1 for Draws"}


@pytest.mark.rule("GF-34", "GF-37")
def test_a_skip_revealed_after_fishing_ends_the_turn() -> None:
    env = arranged(["Sk-c 2c", "Kc", "Kd"], pile="Ah 3c 4c")
    ask(env, 1, "2s")
    assert labels(env) == {"reveal Sk-c", "end the turn"}
    play(env, "reveal Sk-c")
    assert hand(env, 0) == "2c 3c Ah"
    assert env.current_player == 1


@pytest.mark.rule("GF-36")
def test_a_pause_before_an_ask_and_after_it() -> None:
    env = arranged(["Rv-c 2c", "Kc", "Kd"], pile="Ah 3c 4c 5c 6c")
    play(env, "reveal Rv-c")
    assert env.current_player == 2
    assert field(env, "direction") == -1
    ask(env, 0, "Ks")
    assert env.current_player == 1
    ask(env, 0, "Ks")
    assert env.current_player == 0
    assert seen(env, 0, "phase") == [1, 0]
    assert labels(env) == {f"ask player {seat} for {rank}s" for seat in (1, 2) for rank in "2A"}
    assert field(env, "turns") == 3  # the first, those of 2 and of 1


@pytest.mark.rule("GF-36")
def test_two_reverses_together_pause_and_keep_the_order() -> None:
    env = arranged(["Rv-c Rv-d 2c", "Kc", "Kd"], pile="Ah 3c 4c 5c 6c")
    play(env, "reveal Rv-c", "reveal Rv-d")
    assert env.current_player == 1
    assert field(env, "direction") == 1
    assert field(env, "paused") == 1


@pytest.mark.rule("GF-38")
def test_other_specials_of_an_impossible_rank_stay_in_play() -> None:
    env = arranged(["Sk-c 2c", "Sk-d Sk-h", "Sk-s Kd"], pile="Ah 3c 4c 5c 6c", aside="")
    play(env, "reveal Sk-c")
    assert {"reveal Sk-d", "ask player 2 for Skips"} <= labels(env)
    ask(env, 2, "Skips")
    assert hand(env, 1) == "Sk-d Sk-h Sk-s"


@pytest.mark.rule("GF-39")
def test_a_replacement_completes_a_book_and_is_no_catch() -> None:
    env = arranged(["Dr-c 7c 7d 7h 2c", "Kc"], pile="7s 2d 4c")
    play(env, "reveal Dr-c")
    assert book(env, 0) == "7c 7d 7h 7s"
    env = arranged(["Dr-c 2c", "Kc", "Kd"], pile="Ah 2d 4c 5c")
    ask(env, 1, "2s")
    play(env, "reveal Dr-c")
    assert hand(env, 0) == "2c 2d 4c Ah"
    assert row(env, 1, "known", 0) == {}
    assert env.current_player == 1


# --- the end ---

TWELVE = "3 4 5 6 7 8 9 T J Q K A"


@pytest.mark.rule("GF-50")
def test_the_game_ends_with_the_last_book() -> None:
    env = arranged(["2c 2d 2h", "2s", ""], books=(TWELVE,), deck="standard")
    ask(env, 1, "2s")
    assert is_over(env)
    assert list(env.rewards.values()) == [1, -0.5, -0.5]
    env = arranged(["2c 2d 2h Dr-c", "2s Dr-d", ""], books=(TWELVE,))
    ask(env, 1, "2s")
    assert not is_over(env)
    env = arranged(["2c 2d 2h", "2s", ""], books=(TWELVE,), aside="Dr-c Rv-h Sk-d")
    ask(env, 1, "2s")
    assert is_over(env)


@pytest.mark.rule("GF-50", "GF-38")
def test_a_reveal_that_makes_the_last_rank_impossible_ends_the_game() -> None:
    """Example 11, with a stock to replace the Draw."""
    env = arranged(["Dr-c Dr-d SJ", "Dr-h", ""], books=(f"2 {TWELVE}",), aside="Rv-h Sk-d", pile="Rv-c Rv-d Sk-c")
    play(env, "reveal Dr-c")
    assert not is_over(env)
    play(env, "redeal")
    assert is_over(env)
    assert hand(env, 0) == "SJ Dr-d Rv-c Rv-d"


@pytest.mark.rule("GF-50")
def test_the_last_book_may_come_of_a_reveal_which_then_has_no_other_effect() -> None:
    env = arranged(["2c 2d 2h Rv-c", ""], books=(TWELVE,), aside="Dr-c Sk-d", pile="2s")
    play(env, "reveal Rv-c")
    assert is_over(env)
    assert history_text(env) == [
        "player 0 reveals Rv-c",
        "player 0 redeals Rv-c",
        "player 0 draws 2s",
        "player 0 lays the book 2c 2d 2h 2s",
        "player 0 has 13 books",
        "player 1 has 0 books",
        "player 0 wins",
        "the game is over",
    ]


@pytest.mark.rule("GF-51")
def test_first_out() -> None:
    for rule, over in (("all_books", False), ("first_out", True)):
        env = arranged(["2c 7c", "Kd 7d", "Qd"], pile="Ah", end_rule=rule)
        ask(env, 1, "7s")
        assert not is_over(env)
        ask(env, 1, "2s")  # takes the last card
        assert is_over(env) == over
        env = arranged(["2c 7c", "7d", "Qd"], pile="Ah 3c 4c", end_rule=rule)
        ask(env, 1, "7s")
        assert not is_over(env)  # the turn has not ended
        ask(env, 2, "2s")
        assert is_over(env) == over
        env = arranged(["2c 7c", "8d", "Qd"], pile="Ah 3c 4c", end_rule=rule)
        ask(env, 2, "2s")
        assert not is_over(env)


@pytest.mark.rule("GF-51")
def test_first_out_when_a_revealed_skip_ends_the_turn_and_not_when_it_is_paused() -> None:
    env = arranged(["2c Sk-c", "Kc", "Kd"], pile="Ah", end_rule="first_out")
    play(env, "reveal Sk-c")
    assert is_over(env)
    env = arranged(["2c Rv-c", "Kc", "Kd"], pile="Ah", end_rule="first_out")
    play(env, "reveal Rv-c")
    assert not is_over(env)


@pytest.mark.rule("GF-52")
def test_the_game_ends_when_nobody_can_move() -> None:
    """All cards of the others are gone and the stock is empty."""
    env = arranged(["2c", "3c", ""])
    for seat in (0, 1, 0, 1):
        assert env.current_player == seat  # they ask in vain for ever
        ask(env, 1 - seat, f"{seat + 2}s")
    env = arranged(["2c", "2d 3c", ""], turn=1)
    ask(env, 0, "2s")
    assert is_over(env)  # 1 has nobody to ask, and nobody else has a card
    assert list(env.rewards.values()) == [0, 0, 0]


@pytest.mark.rule("GF-52")
def test_a_card_that_moves_begins_the_count_anew() -> None:
    env = arranged(["2c", "2d 3c", ""], turn=1, idle=0b101, pile="")
    ask(env, 0, "2s")
    assert is_over(env)
    env = arranged(["2c", "2d 3c", ""], turn=1, idle=0b101, pile="4c")
    ask(env, 0, "2s")  # 1 takes 4c for want of an opponent
    assert is_over(env)
    assert hand(env, 1) == "2c 2d 3c 4c"
    env = arranged(["2c", "2d 3c", "5c"], turn=1, idle=0b101, pile="4c")
    ask(env, 0, "3s")
    assert not is_over(env)
    assert field(env, "idle") == 0


@pytest.mark.rule("GF-52")
def test_turns_in_which_something_was_done_do_not_count() -> None:
    """A vain ask leaves the count as it is, an idle turn adds to it, a skipped one does not."""
    env = arranged(["2c", "3c", "4c"], idle=0b110)
    ask(env, 1, "2s")
    assert not is_over(env)
    assert field(env, "idle") == 0b110
    env = arranged([f"{SKIPS} 2c", "SJ", "BJ"], idle=0, joker_asks=False)
    play(env, "lay the book of Skips")
    ask(env, 1, "2s")
    assert env.current_player == 0  # 1, 2, 0, 1 skipped, 2 could not ask
    assert field(env, "idle") == 0b100
    ask(env, 1, "2s")
    assert field(env, "idle") == 0b110


@pytest.mark.rule("GF-52", "GF-11")
def test_a_card_from_the_stock_is_a_card_that_moves() -> None:
    env = arranged(["Sk-c 2c", "SJ", "3c"], fished=1, acted=1, idle=0b100, pile="7c 8c", joker_asks=False)
    play(env, "end the turn")
    assert hand(env, 1) == "7c SJ"
    assert env.current_player == 2
    assert field(env, "idle") == 0b010


@pytest.mark.rule("GF-52", "GF-30")
def test_a_book_as_the_turn_begins_is_a_book_in_it() -> None:
    env = arranged([f"{DRAWS} 2c", "7c 7d 7h SJ", "Qd"], pile="Ah 7s", joker_asks=False)
    play(env, "lay the book of Draws")
    ask(env, 2, "2s")
    assert book(env, 1) == "7c 7d 7h 7s"
    assert env.current_player == 2
    assert field(env, "idle") == 0


@pytest.mark.rule("GF-53")
def test_the_game_is_stopped_after_so_many_turns() -> None:
    env = arranged(["2c", "3c", "4c"], max_turns=3)
    for seat in range(3):
        assert not is_over(env)
        ask(env, (seat + 1) % 3, f"{seat + 2}s")
    assert is_over(env)
    assert field(env, "turns") == 3


@pytest.mark.rule("GF-53", "GF-30", "GF-39")
def test_cards_of_draws_are_taken_before_the_game_is_stopped() -> None:
    env = arranged([f"{DRAWS} 2c", "7c 7d 7h", "Qd"], pile="Ah 7s 3c", max_turns=1)
    play(env, "lay the book of Draws")
    ask(env, 1, "2s")
    assert is_over(env)
    assert book(env, 1) == "7c 7d 7h 7s"
    assert list(env.rewards.values()) == [0.25, 0.25, -0.5]


@pytest.mark.rule("GF-53")
def test_resumed_and_skipped_turns_do_not_count_and_a_pause_is_not_waited_for() -> None:
    env = arranged(["2c Rv-c", "3c", "4c"], pile="Ah 5c 6c 7c", max_turns=3)
    play(env, "reveal Rv-c")
    ask(env, 1, "4s")
    ask(env, 2, "3s")
    assert env.current_player == 0  # resumed
    ask(env, 1, "2s")
    assert is_over(env)
    env = arranged(["2c Rv-c", "3c", "4c"], pile="Ah 5c 6c 7c", max_turns=2)
    play(env, "reveal Rv-c")
    ask(env, 1, "4s")
    assert is_over(env)
    assert field(env, "paused") == 1


@pytest.mark.rule("GF-53")
def test_a_paused_turn_that_is_skipped_is_over() -> None:
    env = arranged(["Sk-c 2c", "3c", "4c"], turn=1, pile="5c 6c 7c", paused=1, acted=0b011, fished=1, skip=[1, 0, 0, 0, 0, 0])
    ask(env, 2, "3s")
    ask(env, 1, "4s")
    assert env.current_player == 1  # 0 was skipped
    assert field(env, "paused") == field(env, "fished") & 1 == field(env, "acted") & 1 == 0


@pytest.mark.rule("GF-54")
@pytest.mark.parametrize(
    ("books", "win", "margin"),
    [
        (("2 3 4 5 6", "7 8 9 T J", "Q K A"), [0.25, 0.25, -0.5], [0.667, 0.667, -1.333]),  # example 12
        (("2 3 4", "5 6 7", "8 9 T"), [0, 0, 0], [0, 0, 0]),
        (("", "5 6 7", "8"), [-0.5, 1, -0.5], [-1.333, 1.667, -0.333]),
    ],
)
def test_rewards(books: tuple[str, ...], win: list[float], margin: list[float]) -> None:
    for reward, expected in (("win", win), ("margin", margin)):
        env = arranged(["2c", "3c", "4c"], books=books, max_turns=1, reward=reward)
        ask(env, 1, "2s")
        assert is_over(env)
        assert list(env.rewards.values()) == pytest.approx(expected, abs=1e-3)
        low, high = GAME.reward_range(env.options)
        assert all(low - 1e-6 <= value <= high + 1e-6 for value in env.rewards.values())


# --- worked examples; 6, 8, 11 and 12 are above ---


def test_example_1() -> None:
    for passes, following in (("left", 1), ("fished", 2)):
        env = arranged(["7s 2c", "7c 7d Kc", "Qd"], pile="Kh 3c", deck="standard", turn_passes=passes)
        ask(env, 1, "7s")
        assert hand(env, 0) == "2c 7c 7d 7s"
        ask(env, 2, "7s")
        assert hand(env, 0) == "2c 7c 7d 7s Kh"
        assert env.current_player == following


def test_examples_2_to_5() -> None:
    env = arranged(["7c 7d 7s SJ 2c", "Kc", "7h"])
    assert 85 in env.legal_actions()
    play(env, "lay the book of 7s")
    assert hand(env, 2) == "7h"
    assert 87 in arranged(["9c 9d SJ BJ", "Kc"]).legal_actions()
    assert 87 not in arranged(["9c 9d SJ", "Kc"]).legal_actions()
    env = arranged(["9c 9d 9h SJ", "9s Kc"])
    ask(env, 1, "9s")
    assert book(env, 0) == "9c 9d 9h 9s"
    assert hand(env, 0) == "SJ"
    assert "lay the book of Skips" not in labels(arranged(["Sk-c Sk-d Sk-h SJ", "Kc"]))


def test_example_7() -> None:
    env = arranged([f"{DRAWS} 2c", "Kc", "Kd", "Kh"], pile="Ah 3c 4c 5c 6c 7c")
    play(env, "lay the book of Draws")
    ask(env, 2, "2s")
    assert env.current_player == 1
    assert len(env.zones()["hand/1"]) == 6
    assert env.zones()["pile"] == []


def test_example_9() -> None:
    env = arranged(["Kc", "Kd 4c", "2c 5d"], turn=2, pile="Rv-h Ah 3c 4h 9c 9d")
    ask(env, 0, "2s")
    play(env, "reveal Rv-h")
    assert env.current_player == 1
    assert seen(env, 0, "impossible") == [0, 1, 0]
    ask(env, 2, "4s")
    assert env.current_player == 0
    ask(env, 2, "Ks")
    # 2 has nothing to lay or reveal: their turn goes on where it was and ends by itself.
    assert env.current_player == 1
    env = arranged(["Kc", "Kd 4c", "2c Sk-d"], turn=2, pile="Rv-h Ah 3c 4h 9c 9d")
    ask(env, 0, "2s")
    play(env, "reveal Rv-h", "redeal")
    ask(env, 2, "4s")
    ask(env, 2, "Ks")
    assert env.current_player == 2
    assert labels(env) == {"reveal Sk-d", "end the turn"}


def test_example_10() -> None:
    env = arranged(["Kc", "Kd", "Sk-d"], turn=2, pile="Ah 3c")
    play(env, "reveal Sk-d")
    assert hand(env, 2) == "Ah"
    assert env.current_player == 0
    assert field(env, "last_asker") == -1


def test_example_13() -> None:
    env = arranged(["SJ", "4c 4d 4h"])
    ask(env, 1, "4s")
    assert hand(env, 0) == "4c 4d 4h SJ"
    assert env.legal_actions() == [82, 109]


def test_a_deal_with_a_book_of_specials() -> None:
    """From the deal on, in a whole game."""
    env = raw_env("go_fish_v0", num_players=2, hand_size=5)
    env.reset(seed=1, options={"deck": deck_of([f"{SKIPS} 2c", "3c 4c 5c 6c 7c"], "8c 9c Tc")})
    play(env, "lay the book of Skips")
    ask(env, 1, "2s")
    assert env.current_player == 1


# --- what is told ---


def test_play_as_it_is_told() -> None:
    """Cards handed over and fished are seen by those concerned, a catch and books by all."""
    env = arranged(["7c 7d 2c", "7h Kc Kd", "7s Kh Qd"], pile="2d 3c Ks Tc 9c")
    ask(env, 1, "7s")
    ask(env, 2, "7s")
    ask(env, 1, "2s")
    ask(env, 2, "2s")
    ask(env, 2, "Ks")
    ask(env, 0, "Ks")
    told = [
        "player 0 asks player 1 for sevens",
        "player 1 gives 7h to player 0",
        "player 0 asks player 2 for sevens",
        "player 2 gives a card to player 0",
        "player 0 lays the book 7c 7d 7h 7s",
        "player 0 asks player 1 for twos",
        "player 1 has no twos: go fish",
        "player 0 draws 2d",
        "player 0 asks player 2 for twos",
        "player 2 has no twos: go fish",
        "player 0 draws a card",
        "it is player 1's turn",
        "player 1 asks player 2 for Kings",
        "player 2 gives Kh to player 1",
        "player 1 asks player 0 for Kings",
        "player 0 has no Kings: go fish",
        "player 1 draws Ks",
        "player 1 lays the book Kc Kd Kh Ks",
        "player 1 draws Tc",
    ]
    assert history_text(env, 1) == told
    of_others = {
        1: "player 1 gives a card to player 0",
        3: "player 2 gives 7s to player 0",
        18: "player 1 draws a card",
    }
    assert history_text(env, 2) == [of_others.get(k, text) for k, text in enumerate(told)]
    assert "player 0 draws 3c" in history_text(env, 0)


def test_specials_and_jokers_as_they_are_told() -> None:
    env = arranged([f"{SKIPS} Rv-c 9c 9d SJ BJ", "Kc", "Kd"], pile="Ah 3c 4c")
    play(env, "lay the book of 9s", "lay the book of Skips", "reveal Rv-c")
    assert history_text(env, 1) == [
        "player 0 lays the book 9c 9d SJ BJ",
        "player 0 lays the book Sk-c Sk-d Sk-h Sk-s",
        "player 0 reveals Rv-c",
        "player 0 redeals Rv-c",
        "player 0 draws a card",
        "play now goes counterclockwise",
        "player 0's turn is paused",
        "it is player 2's turn",
    ]


def test_who_cannot_ask_as_it_is_told() -> None:
    env = arranged(["2c", "SJ", ""], pile="Ah Dr-c", joker_asks=False)
    ask(env, 1, "2s")
    assert history_text(env, 2) == [
        "player 0 asks player 1 for twos",
        "player 1 has no twos: go fish",
        "player 0 draws a card",
        "it is player 1's turn",
        "player 1 cannot ask",
        "player 1 draws a card",
        "it is player 2's turn",
        "player 2 cannot ask",
        "it is player 0's turn",
    ]


@pytest.mark.rule("GF-54")
def test_the_end_as_it_is_told() -> None:
    env = arranged(["2c 2d 2h", "2s", ""], books=("3 4 5 6 7 8", "9 T J Q K A"), deck="standard")
    ask(env, 1, "2s")
    assert history_text(env, 2) == [
        "player 0 asks player 1 for twos",
        "player 1 gives a card to player 0",
        "player 0 lays the book 2c 2d 2h 2s",
        "player 0 has 7 books",
        "player 1 has 6 books",
        "player 2 has 0 books",
        "player 0 wins",
        "the game is over",
    ]
    env = arranged(["2c", "2d 3c", ""], books=("4", "5", ""), turn=1)
    ask(env, 0, "2s")
    assert history_text(env, 2)[-6:] == [
        "player 0 has 1 book",
        "player 1 has 1 book",
        "player 2 has 0 books",
        "player 0 shares the win",
        "player 1 shares the win",
        "the game is over",
    ]
