"""Go Fish clause by clause: asking, fishing, books, and what all know of it."""

from __future__ import annotations

from typing import Any

import pytest
from games.go_fish_positions import (
    DRAWS,
    GAME,
    RANKS,
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
from wilddeck.envs import raw_env

STOCK = "2c 3d 4h 5s 6c 8d"  # for positions without these


# --- the deal and asking ---


@pytest.mark.rule("GF-01")
@pytest.mark.parametrize(
    ("options", "hand_size"),
    [
        ({"num_players": 2}, 7),
        ({"num_players": 3}, 5),
        ({}, 5),
        ({"num_players": 6}, 5),
        ({"num_players": 3, "hand_size": 7}, 7),
    ],
)
@pytest.mark.parametrize("deck", ["extended", "standard"])
def test_the_deal(options: dict[str, Any], hand_size: int, deck: str) -> None:
    env = raw_env("go_fish_v0", deck=deck, **options)
    ids = list(range(52 if deck == "standard" else 66))[::-1]
    ids[1::2] = ids[1::2][::-1]  # so that nobody has a book
    env.reset(seed=1, options={"deck": ids})
    n, zones = env.num_players, env.zones()
    for seat in range(n):
        assert zones[f"hand/{seat}"] == sorted(ids[seat : n * hand_size : n])
    assert zones["pile"] == ids[n * hand_size :]
    assert env.current_player == 0
    assert field(env, "direction") == 1
    assert seen(env, 0, "phase") == [1, 0]


@pytest.mark.rule("GF-01")
def test_hands_leave_a_stock() -> None:
    with pytest.raises(
        ValueError, match=r"option hand_size=9 is not allowed with 6 players and deck='standard'; allowed: 1\.\.8"
    ):
        raw_env("go_fish_v0", num_players=6, deck="standard", hand_size=9)
    raw_env("go_fish_v0", num_players=6, hand_size=9)
    raw_env("go_fish_v0", num_players=6, deck="standard", hand_size=8)


@pytest.mark.rule("GF-02", "GF-03", "GF-04")
def test_who_may_be_asked_for_what() -> None:
    """Every rank the player holds, specials too, of all who hold a card; a Joker has no rank."""
    env = arranged(["2c Ad Sk-h", "Kd", "", "SJ"], pile=STOCK[3:], joker_asks=False)
    asks = {f"ask player {seat} for {rank}" for seat in (1, 3) for rank in ("2s", "As", "Skips")}
    assert labels(env) == asks | {"reveal Sk-h"}
    ranks = [action % 16 for action in env.legal_actions() if action < 80]
    assert ranks == [0, 12, 15] * 2
    assert [action // 16 for action in env.legal_actions() if action < 80] == [0, 0, 0, 2, 2, 2]


@pytest.mark.rule("GF-05")
def test_a_joker_entitles_to_every_standard_rank() -> None:
    env = arranged(["2c SJ Dr-c", "Kd"])
    names = {f"ask player 1 for {rank}s" for rank in "23456789TJQKA"}
    assert labels(env) == names | {"ask player 1 for Draws"}
    assert labels(arranged(["2c SJ Dr-c", "Kd"], joker_asks=False)) == {"ask player 1 for 2s", "ask player 1 for Draws"}


@pytest.mark.rule("GF-06", "GF-07")
def test_all_cards_of_the_rank_are_handed_over_and_no_joker() -> None:
    env = arranged(["7s 2c", "7c 7d Kd SJ BJ", "7h 3c"], pile=STOCK[6:])
    ask(env, 1, "7s")
    assert hand(env, 0) == "2c 7c 7d 7s"
    assert hand(env, 1) == "Kd SJ BJ"
    assert env.current_player == 0
    assert seen(env, 0, "phase") == [1, 0]
    assert labels(env) == {f"ask player {seat} for {rank}" for seat in (1, 2) for rank in ("2s", "7s")}
    assert len(env.zones()["pile"]) == 4


@pytest.mark.rule("GF-07")
def test_who_got_a_card_may_lay_and_reveal() -> None:
    env = arranged(["7s 7h SJ Rv-c 2c", "7c Kd"], pile=STOCK[6:])
    ask(env, 1, "7s")
    assert {"lay the book of 7s", "reveal Rv-c", "ask player 1 for 2s"} <= labels(env)


@pytest.mark.rule("GF-08")
def test_going_fishing() -> None:
    env = arranged(["7s 2c", "Kd", "Qd"], pile="Ah 3c")
    ask(env, 1, "7s")
    assert hand(env, 0) == "2c 7s Ah"
    assert env.current_player == 1
    env = arranged(["7s 2c", "Kd", "Qd"])  # without a stock
    ask(env, 1, "7s")
    assert hand(env, 0) == "2c 7s"
    assert env.current_player == 1


@pytest.mark.rule("GF-08")
def test_a_catch_is_shown_and_gives_another_ask() -> None:
    env = arranged(["7s 2c", "Kd", "Qd"], pile="7h 7d 3c")
    for caught in (1, 2):
        ask(env, 1, "7s")
        assert env.current_player == 0
        for viewer in (1, 2):
            assert row(env, viewer, "known", 0) == {"7": caught / 4}
    assert env.zones("player_2")["hand/0"] == [*parse("7d 7h"), -1, -1]
    ask(env, 2, "2s")
    assert env.current_player == 1
    env = arranged(["7s 2c", "Kd", "Qd"], pile="7h 3c", fish_again=False)
    ask(env, 1, "7s")
    assert env.current_player == 1
    assert row(env, 1, "known", 0) == {}
    assert env.zones("player_2")["hand/0"] == [-1] * 3


@pytest.mark.rule("GF-08", "ED-20")
def test_a_special_that_is_caught_is_shown_and_kept() -> None:
    env = arranged(["Sk-c 2c", "Kd", "Qd"], pile="Sk-h 7d 3c")
    ask(env, 1, "Skips")
    assert hand(env, 0) == "2c Sk-c Sk-h" and env.zones()["aside"] == []
    assert row(env, 1, "known", 0) == {"Sk": 1 / 4}
    assert env.current_player == 0 and "ask player 2 for Skips" in labels(env)  # nor has it ended their turn


@pytest.mark.rule("GF-08")
def test_a_joker_and_another_rank_are_no_catch() -> None:
    for card in ("SJ", "2d", "Ah"):
        env = arranged(["7s 2c", "Kd", "Qd"], pile=f"{card} 3c")
        ask(env, 1, "7s")
        assert env.current_player == 1


@pytest.mark.rule("GF-09")
def test_when_the_asking_is_over_a_player_may_lay_and_reveal_or_end() -> None:
    env = arranged(["7s 7h 7c SJ 2c", "Kd", "Qd"], pile="Rv-c 3c 4c")
    ask(env, 1, "2s")
    assert env.current_player == 0
    assert seen(env, 1, "phase") == seen(env, 0, "phase") == [0, 1]
    assert labels(env) == {"lay the book of 7s", "reveal Rv-c", "end the turn"}
    play(env, "lay the book of 7s")
    assert labels(env) == {"reveal Rv-c", "end the turn"}
    play(env, "end the turn")
    assert env.current_player == 1
    assert seen(env, 0, "phase") == [1, 0]


@pytest.mark.rule("GF-09")
def test_the_turn_ends_by_itself_when_nothing_is_left_to_do() -> None:
    env = arranged(["7s 7h 7c SJ 2c", "Kd", "Qd"], pile="9c 3c")
    ask(env, 1, "2s")
    play(env, "lay the book of 7s")
    assert env.current_player == 1
    env = arranged(["7s 2c Rv-c", "Kd", "Qd"], pile="9c")  # takes the last card: nothing to replace Rv-c by
    ask(env, 1, "7s")
    assert env.current_player == 1


@pytest.mark.rule("GF-09")
def test_who_is_next() -> None:
    for passes, following in (("left", 1), ("fished", 2)):
        env = arranged(["7s 2c", "Kd", "Qd", "Jd"], pile="Ah 3c", turn_passes=passes, deck="standard")
        ask(env, 2, "7s")
        assert env.current_player == following
    # A turn that ended otherwise, by GF-11: all the others have no cards.
    env = arranged(["7s", "7c 7d 7h", "", ""], pile="Ah 3c 4c", turn_passes="fished", deck="standard")
    ask(env, 1, "7s")  # a book, no cards: 0 takes Ah and, as nobody has any, 3c; 1 and 2 have none
    assert env.current_player == 1
    with pytest.raises(ValueError, match="option turn_passes='fished' is not allowed with deck='extended'; allowed: left"):
        raw_env("go_fish_v0", turn_passes="fished")


@pytest.mark.rule("GF-10")
def test_without_cards_a_player_takes_one_before_asking() -> None:
    env = arranged(["7s 2c", "", "Qd"], pile="Ah 3c 4c")
    ask(env, 2, "7s")
    assert env.current_player == 1
    assert hand(env, 1) == "3c"
    assert labels(env) == {f"ask player {seat} for 3s" for seat in (0, 2)}
    env = arranged(["7s", "7c 7d 7h Kd", "Qd"], pile="Ah 3c 4c")  # after a book
    ask(env, 1, "7s")
    assert env.current_player == 0
    assert hand(env, 0) == "Ah"
    env = arranged(["7s 7d 7c SJ", "Kd", "Qd"], pile="Ah 3c 4c")
    play(env, "lay the book of 7s")
    assert hand(env, 0) == "Ah"
    assert env.current_player == 0


@pytest.mark.rule("GF-10")
def test_without_cards_and_stock_a_turn_ends() -> None:
    env = arranged(["7s", "7c 7d 7h Kd", "Qd"])
    ask(env, 1, "7s")
    assert env.current_player == 1


@pytest.mark.rule("GF-10", "GF-36")
def test_without_cards_when_a_turn_is_resumed() -> None:
    env = arranged(["7c 7d 7h", "7s 2d", ""], turn=1, pile="Ah 3c 4c", paused=0b100, acted=0b100)
    ask(env, 0, "7s")  # 1 makes the book, and nobody else has a card: they take one at once (GF-11), and seat 2 goes on
    assert hand(env, 1) == "2d Ah"
    assert env.current_player == 2
    assert hand(env, 2) == "3c"
    assert field(env, "turns") == 1


@pytest.mark.rule("GF-11")
def test_who_can_name_no_rank_takes_a_card_and_does_not_ask() -> None:
    env = arranged(["7s 2c", "SJ BJ", "Qd"], pile="Ah 9c 4c", joker_asks=False)
    ask(env, 2, "7s")
    assert hand(env, 1) == "9c SJ BJ"
    assert env.current_player == 2  # 9c is no catch, though they could ask now
    env = arranged(["7s 2c", "SJ BJ", "Qd"], pile="Ah 9c 4c")
    ask(env, 2, "7s")
    assert env.current_player == 1
    env = arranged(["7s 2c", "SJ", "Qd"], pile="Ah Dr-c 4c 5c", joker_asks=False)
    ask(env, 2, "7s")
    assert labels(env) == {"reveal Dr-c", "end the turn"}
    assert env.current_player == 1


@pytest.mark.rule("GF-11")
def test_who_finds_no_opponent_takes_a_card_and_does_not_ask() -> None:
    """After GF-10 they take two in this way."""
    env = arranged(["7s", "7c 7d 7h", ""], pile="Ah Ac 4c 5c")
    ask(env, 1, "7s")
    assert hand(env, 0) == "Ac Ah"
    assert env.current_player == 1
    assert hand(env, 1) == "4c"


@pytest.mark.rule("GF-12")
def test_a_rank_whose_book_is_made_or_impossible_may_be_asked_for() -> None:
    env = arranged(["7s Dr-c 2c", "Dr-d", "Qd"], books=("", "8"), aside="Dr-h", joker_book=(5, -1), laid=0x7 << 20)
    env.record["books"][0, 1] |= bits("7")  # of 7c 7d 7h Jk
    assert "ask player 1 for 7s" in labels(env)
    ask(env, 1, "Draws")
    assert hand(env, 0) == "2c 7s Dr-c Dr-d"


# --- books ---


@pytest.mark.rule("GF-20", "GF-21", "GF-27")
def test_four_natural_cards_are_laid_at_once() -> None:
    env = arranged(["7s 7h 2c", "7c 7d Kd", "Qd"], pile=STOCK[6:])
    ask(env, 1, "7s")
    assert book(env, 0) == "7c 7d 7h 7s"
    assert hand(env, 0) == "2c"
    assert row(env, 1, "books", 0) == {"7": 1}
    assert row(env, 0, "books", 1) == {}
    assert not any("7s" in label for label in labels(env))


@pytest.mark.rule("GF-21")
def test_books_of_the_deal_and_of_a_fished_card() -> None:
    deck = deck_of(["7c 7d 7h 7s 2c", "8c 8d 8h 8s 3c", "9c Tc Jc Qc Kc"], pile="As")
    env = raw_env("go_fish_v0", num_players=3)
    env.reset(seed=1, options={"deck": deck})
    assert [book(env, seat) for seat in range(3)] == ["7c 7d 7h 7s", "8c 8d 8h 8s", ""]
    assert hand(env, 0) == "2c"
    for fish_again in (True, False):
        env = arranged(["7s 7h 7d 2c", "Kd", "Qd"], pile="7c 3c", fish_again=fish_again)
        ask(env, 1, "2s")
        assert book(env, 0) == "7c 7d 7h 7s"
        assert env.current_player == 1


@pytest.mark.rule("GF-22", "GF-23")
@pytest.mark.parametrize(
    ("held", "jokers", "left"),
    [("7c 7d 7s SJ", "SJ", ""), ("7c 7d 7s SJ BJ", "SJ", "BJ"), ("7c 7d 7s BJ", "BJ", ""), ("7c 7s SJ BJ", "SJ BJ", "")],
)
def test_a_book_with_jokers(held: str, jokers: str, left: str) -> None:
    env = arranged([f"{held} 2c", "Kd 7h", "Qd"], pile=STOCK[6:])
    assert env.action_from_label("lay the book of sevens") == 85
    play(env, "lay the book of 7s")
    naturals = " ".join(card for card in held.split() if card[0] == "7")
    assert book(env, 0) == f"{naturals} {jokers}"
    assert hand(env, 0) == f"2c {left}".strip()
    assert env.current_player == 0
    blocks = seen(env, 2, "book_jokers")
    assert blocks[5] == len(jokers.split()) / 2
    assert sum(blocks) == blocks[5]


@pytest.mark.rule("GF-22", "GF-23")
def test_too_few_for_a_book() -> None:
    assert "lay the book of As" in labels(arranged(["Ac Ad As SJ", "Kd"]))
    for held in ("7c SJ BJ", "7c 7d SJ", "7c 7d 7h"):
        assert not any(label.startswith("lay") for label in labels(arranged([held, "Kd"])))
    env = arranged(["7c 7d 7h SJ 2d", "8c 8d 8h BJ"], pile="4h 5s")
    books = {label for label in labels(env) if label.startswith("lay")}
    assert books == {"lay the book of 7s"}  # of the player in turn alone
    ask(env, 1, "2s")
    assert labels(env) == {"lay the book of 7s", "end the turn"}
    play(env, "end the turn")
    assert "lay the book of 8s" in labels(env)


@pytest.mark.rule("GF-24")
def test_nothing_is_added_to_a_book() -> None:
    env = arranged(["7c 7d 7s SJ BJ", "7h 2c"], pile=STOCK[6:])
    play(env, "lay the book of 7s")
    assert labels(env) == {f"ask player 1 for {rank}s" for rank in "23456789TJQKA"}
    ask(env, 1, "7s")
    assert hand(env, 0) == "7h BJ"
    assert book(env, 0) == "7c 7d 7s SJ"


@pytest.mark.rule("GF-25")
def test_cards_that_jokers_stand_for_stay() -> None:
    env = arranged(["7c 7d SJ BJ 2c", "7h 2d"], pile="7s 3c 4c 5c")
    play(env, "lay the book of 7s")
    ask(env, 1, "2s")
    ask(env, 1, "2s")
    assert hand(env, 0) == "2c 2d 7s"
    ask(env, 0, "7s")
    assert hand(env, 1) == "7h 7s"
    assert not any(label.startswith("lay") for label in labels(env))
    assert field(env, "books") == [bits("7"), 0, 0, 0, 0, 0]


@pytest.mark.rule("GF-26")
@pytest.mark.parametrize(("held", "name"), [(DRAWS, "Draws"), (REVERSES, "Reverses"), (SKIPS, "Skips")])
def test_books_of_specials_are_laid_by_choice(held: str, name: str) -> None:
    env = arranged([f"{held} 2c", "Kd"], pile=STOCK[3:])
    assert hand(env, 0) == f"2c {held}"
    assert {f"lay the book of {name}", f"reveal {held[:4]}", f"ask player 1 for {name}"} <= labels(env)
    play(env, f"lay the book of {name}")
    assert book(env, 0) == held
    assert env.current_player == 0
    env = arranged([f"{held[:-5]} SJ BJ 2c", "Kd"])
    assert f"lay the book of {name}" not in labels(env)


@pytest.mark.rule("GF-27")
def test_laid_cards_are_out_of_play() -> None:
    env = arranged(["2d 2c", "7d", "Kd"], pile=STOCK[3:], books=("", "2", ""))
    env.record["laid"] = 0
    ask(env, 1, "2s")
    assert row(env, 0, "known", 1) == {}
    assert hand(env, 1) == "7d"
    assert env.current_player == 1


# --- what all know ---


def test_known_asked_and_lacks_after_asks() -> None:
    env = arranged(["7s 2c", "7c 7d Kd", "7h Qd"], pile="As 3c 4c 5c")
    ask(env, 1, "7s")
    for viewer in (1, 2):
        assert row(env, viewer, "known", 0) == {"7": 0.5}
        assert row(env, viewer, "asked", 0) == {"7": 1}
    assert row(env, 2, "lacks", 1) == {"7": 1}
    assert row(env, 2, "lacks", 0) == {}
    assert row(env, 0, "known", 0) == {"2": 0.25, "7": 0.75}
    assert row(env, 0, "lacks", 0).keys() == set(RANKS) - {"2", "7"}
    ask(env, 1, "2s")  # in vain: takes As
    assert row(env, 2, "lacks", 1) == {"2": 1, "7": 1}
    assert row(env, 1, "asked", 0) == {"2": 1, "7": 1}
    ask(env, 0, "Ks")  # 1 in vain: what 0 lacks is known, 1 takes a card unseen
    assert row(env, 2, "lacks", 0) == {"K": 1}
    assert row(env, 2, "lacks", 1) == {}
    assert field(env, "last_asker") == 1
    assert seen(env, 2, "last_asker") == [0, 0, 1]
    assert seen(env, 2, "last_target") == [0, 1, 0]
    assert [k for k, value in enumerate(seen(env, 2, "last_rank")) if value] == [11]
    assert seen(env, 2, "last_given") == [0]


def test_who_gives_holds_none_and_has_not_asked() -> None:
    env = arranged(["7s 2c", "7c Kd", "7h Qd"], pile="As 3c 4c 5c 6c")
    ask(env, 1, "7s")
    ask(env, 1, "2s")
    ask(env, 2, "Ks")
    ask(env, 0, "7s")  # 2 gets both
    assert row(env, 2, "known", 0) == row(env, 2, "known", 1) == {}
    assert row(env, 1, "asked", 0) == {"2": 1}
    assert row(env, 1, "lacks", 0) == {"7": 1}
    assert row(env, 1, "known", 2) == {"7": 0.5}
    assert seen(env, 0, "last_given") == [0.5]
    assert env.zones("player_0")["hand/2"] == [*parse("7c 7s"), -1, -1]
    assert env.zones("player_1")["hand/2"] == [*parse("7c"), -1, -1, -1]


def test_a_book_clears_what_is_known() -> None:
    env = arranged(["7s 7h 2c", "7c Kd", "7d Qd"], pile="As 3c 4c 5c 6c")
    ask(env, 1, "7s")
    ask(env, 2, "7s")
    assert row(env, 1, "known", 0) == row(env, 1, "asked", 0) == {}
    assert row(env, 1, "lacks", 0) == {"7": 1}
    assert field(env, "met") == [0] * 6
    assert field(env, "owned") == [0] * 6


def test_asked_in_vain_for_a_rank_ends_that_they_asked() -> None:
    """They had asked on a Joker."""
    env = arranged(["SJ 2c", "Kd 4c", "7d Qd"], pile="As 3c 5c 6c")
    ask(env, 1, "4s")
    ask(env, 1, "7s")
    ask(env, 2, "Ks")
    ask(env, 0, "7s")
    assert row(env, 1, "asked", 0) == {"4": 1}
    assert row(env, 1, "lacks", 0) == {"7": 1}
    assert field(env, "owned")[0] == bits("4")


def test_a_rank_received_is_lacked_no_more() -> None:
    env = arranged(["SJ 2c", "7d 4c"], turn=1, pile="As 7h 5c 6c")
    ask(env, 0, "7s")
    assert row(env, 1, "lacks", 0) == {"7": 1}
    ask(env, 1, "7s")
    assert row(env, 1, "lacks", 0) == {}
    assert row(env, 1, "known", 0) == {"7": 0.25}
    env = arranged(["SJ 2c", "7d 4c", "Qc"], turn=1, pile="As 7h 5c 6c")  # and one that is caught
    ask(env, 0, "7s")
    ask(env, 0, "Qs")
    ask(env, 2, "7s")
    assert row(env, 1, "known", 0) == {"7": 0.25}
    assert "7" not in row(env, 1, "lacks", 0)


def test_redealt_specials_are_known_no_more() -> None:
    env = arranged(["Sk-c Sk-d 2c", "Sk-h Kd", "Qd"], pile="As 3c 4c 5c 6c 7c 8c")
    ask(env, 1, "Skips")
    assert row(env, 1, "known", 0) == {"Sk": 0.25}
    assert env.zones("player_1")["hand/0"] == [*parse("Sk-h"), -1, -1, -1]
    play(env, "reveal Sk-c", "redeal")
    assert row(env, 1, "known", 0) == {}
    assert row(env, 1, "asked", 0) == {"Sk": 1}
    assert env.zones("player_1")["hand/0"] == [*parse("Sk-h"), -1, -1, -1]
    assert "known to hold at least 1 of Sk" in env.describe("player_2")
    assert field(env, "met")[1] > 0
    assert seen(env, 2, "impossible") == [0, 0, 1]


def test_of_several_got_openly_one_less_is_known_after_a_redeal() -> None:
    env = arranged(["Sk-c 2c", "Sk-h Sk-d Kd", "Qd"], pile="As 3c 4c 5c 6c")
    ask(env, 1, "Skips")
    play(env, "reveal Sk-h", "redeal")
    assert row(env, 2, "known", 0) == {"Sk": 0.25}


def test_a_card_that_is_redealt_is_met_no_more() -> None:
    env = arranged(["Sk-c 2c", "Sk-h Kd", "Qd"], pile="As 3c 4c 5c 6c")
    ask(env, 1, "Skips")
    assert field(env, "met")[1] > 0
    play(env, "reveal Sk-h", "redeal")
    assert field(env, "met") == [0] * 6


def test_jokers_that_are_laid_are_not_known_to_be_there() -> None:
    env = arranged(["7c 7d SJ BJ 2c", "Kd"], joker_asks=False, jokers=[2, 0, 0, 0, 0, 0])
    play(env, "lay the book of 7s")
    assert field(env, "jokers") == [0] * 6


def test_the_texts() -> None:
    env = arranged(["7s 2c SJ Sk-c", "7c Kd", "7h Qd"], pile="As 3c 4c 5c 6c")
    ask(env, 1, "7s")
    text = env.describe("player_2")
    assert "player 0 asked player 1 for sevens and got 1" in text
    assert "player 0: books: none; known to hold at least 1 of 7; having asked for 7, holds one more of each or a Joker" in text
    assert "player 1: books: none; known to have no 7" in text
    assert {"ask player 2 for Skips", "ask player 2 for Ts", "reveal Sk-c"} <= labels(env)
    assert seen(env, 0, "impossible") == [0, 0, 0]
    assert seen(raw_env_of("standard"), 0, "impossible") == [1, 1, 1]
    assert is_over(env) is False


def raw_env_of(deck: str) -> Any:
    env = raw_env("go_fish_v0", deck=deck)
    env.reset(seed=1)
    return env


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_the_sizes_of_the_spaces(n: int) -> None:
    options = GAME.make_options({"num_players": n})
    assert GAME.observation_size(options) == 127 + 71 * n
    assert GAME.num_actions(options) == 110
    assert GAME.max_length(options) == 68 * 300 + 40
