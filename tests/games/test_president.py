"""President clause by clause: the deal, sets and tricks, final and forced passes, what is seen."""

from __future__ import annotations

import random
from typing import Any

import pytest
from games.president_positions import (
    GAME,
    PILE,
    action_of,
    arranged,
    deck_of_hands,
    field,
    hand,
    labels,
    next_deal,
    parse,
    play,
    returns,
    seats,
    seen,
    table,
)
from support import determinizations, history_text
from wilddeck.envs import raw_env

FIRST_KIND = 13


# --- the deal ---


@pytest.mark.rule("PR-01", "PR-02")
@pytest.mark.parametrize(
    ("options", "sizes", "left"),
    [
        ({}, [13] * 4, 14),  # example 1
        ({"num_players": 5}, [11, 11, 10, 10, 10], 14),
        ({"num_players": 7}, [8, 8, 8, 7, 7, 7, 7], 14),
        ({"deal": "all"}, [17, 17, 16, 16], 0),
        ({"deck": "standard", "num_players": 3}, [18, 17, 17], 0),
        ({"deck": "standard", "deal": "all"}, [13] * 4, 0),
    ],
    ids=str,
)
def test_how_many_cards_are_dealt(options: dict[str, Any], sizes: list[int], left: int) -> None:
    env = raw_env("president_v0", **options)
    deck = GAME.deck(env.options)[::-1]
    env.reset(seed=1, options={"deck": deck})
    zones, n = env.zones(), env.num_players
    for seat in range(n):
        assert zones[f"hand/{seat}"] == sorted(deck[seat : sum(sizes) : n])
        assert len(zones[f"hand/{seat}"]) == sizes[seat]
    assert zones["pile"] == deck[sum(sizes) :]
    assert len(zones["pile"]) == left
    assert env.current_player == 0
    assert "pass" not in labels(env)


@pytest.mark.rule("PR-31")
def test_the_pile_and_what_is_aside_belong_to_nobody() -> None:
    env = arranged(["9c", "Tc Sk-c", "Jc Qc"], pile=PILE)
    play(env, "9", "reveal Sk-c")
    assert field(env, "place")[:3] == [1, 0, 0]  # though there is a pile
    assert env.zones()["aside"] == parse("Sk-c")
    play(env, "Q")
    play(env, "J")
    assert field(env, "place")[:3] == [1, 3, 2]  # and what is aside counts for nothing


# --- sets ---


@pytest.mark.rule("PR-03", "PR-05")
@pytest.mark.parametrize(
    ("twos_high", "ranks", "legal"),
    [
        (True, "K", "A2"),
        (True, "3", "56A2"),
        (True, "A", "2"),
        (False, "K", "A"),
        (False, "3", "56A"),
        (False, "2", "356A"),
    ],
)
def test_a_set_is_beaten_by_as_many_of_a_higher_rank(twos_high: bool, ranks: str, legal: str) -> None:
    held = " ".join(f"{rank}{suit}" for rank in "2356A" for suit in "cd" if f"{rank}{suit}" != f"{ranks}c")
    held = " ".join(card for card in held.split() if card[0] != ranks)
    env = arranged([f"{ranks}c 7c", f"{held} Sk-c", "8c 9c"], twos_high=twos_high)
    play(env, ranks)
    assert labels(env) == {*legal, "pass"}
    env = arranged([f"{ranks}c {ranks}d 7c", f"{held} Sk-c", "8c 9c"], twos_high=twos_high)
    play(env, f"{ranks} {ranks}")
    assert labels(env) == {*(f"{rank} {rank}" for rank in legal), "pass"}


@pytest.mark.rule("PR-05")
def test_equal_rank_does_not_beat() -> None:
    env = arranged(["9c 3c", "9d Td 3d", "4c 5c"])
    play(env, "9")
    assert labels(env) == {"T", "pass"}


@pytest.mark.rule("PR-03")
def test_the_lowest_of_equal_cards_go() -> None:
    env = arranged(["9d 9h 9s SJ BJ 3c", "Tc Td 3d", "4c 5c"])
    play(env, "9 9 Jk")
    assert hand(env, 0) == parse("3c 9s BJ")
    env = arranged(["Rv-d Rv-h Rv-s 3c 5d", "Tc Td 3d", "4c 5c"])
    play(env, "Rv Rv")
    assert hand(env, 0) == sorted(parse("3c 5d Rv-s"))
    assert parse("Rv-d Rv-h") == [card for card in env.zones()["played/0"] if card >= 58 and card in parse("Rv-d Rv-h Rv-s")]


@pytest.mark.rule("PR-05", "PR-10", "PR-11", "PR-12", "PR-13", "PR-15")
def test_what_may_be_led() -> None:
    """All sets of a hand; example 3 among them: four and a Joker are none."""
    env = arranged(["3c 3d 3h 3s 4c SJ BJ Dr-c Dr-d Sk-s", "Tc Td 3d".replace("3d", "5d"), "6c 5c"])
    ranks = "23456789TJQKA"
    threes = {"3", "3 3", "3 3 3", "3 3 3 3", "3 Jk", "3 3 Jk", "3 3 3 Jk", "3 Jk Jk", "3 3 Jk Jk"}
    fours = {"4", "4 Jk", "4 Jk Jk"}
    wild = {f"{jokers} as {rank}" for rank in ranks for jokers in ("Jk", "Jk Jk")}
    assert labels(env) == threes | fours | wild | {"Dr", "Dr Dr", "Sk"} | {"reveal Dr-c", "reveal Dr-d", "reveal Sk-s"} - {
        f"reveal {card}" for card in ("Dr-c", "Dr-d", "Sk-s")
    }


@pytest.mark.rule("PR-10")
def test_lone_jokers_are_of_the_rank_that_is_named() -> None:
    env = arranged(["SJ 3c 4c", "9c Tc 3d", "BJ 5c 6c"])
    play(env, "Jk as 9")
    assert table(env) == "Jk as 9"
    assert labels(env) == {"T", "pass"}
    play(env, "T")
    assert labels(env) == {"Jk as J", "Jk as Q", "Jk as K", "Jk as A", "Jk as 2", "pass"}


@pytest.mark.rule("PR-10", "PR-11")
@pytest.mark.parametrize(
    ("led", "held", "legal"),
    [
        ("9 9", "Tc SJ 8c", {"T Jk"}),
        ("9 9", "8c 8d SJ Kc", {"K Jk"}),
        ("9 9 9", "Tc Jc Jd SJ", {"J J Jk"}),
        ("9 9 9", "Tc SJ BJ", {"T Jk Jk"}),
        ("9 9 9 9", "Tc Td Jc Jd Jh SJ BJ", {"T T Jk Jk", "J J J Jk", "J J Jk Jk"}),
        ("9 9 9 9", "Tc Jc Qd SJ BJ 3c", set()),  # and two Jokers with one card are three
    ],
)
def test_jokers_fill_sets_up(led: str, held: str, legal: set[str]) -> None:
    env = arranged(["9c 9d 9h 9s 4c", f"{held} Sk-c", "5c 6c"], ask_forced_pass=True)
    play(env, led)
    assert labels(env) == {*legal, "pass"}


@pytest.mark.rule("PR-11")
def test_two_jokers_are_a_pair() -> None:
    env = arranged(["Kc Kd 4c", "SJ BJ 5c", "6c 7c"])
    play(env, "K K")
    assert labels(env) == {"Jk Jk as A", "Jk Jk as 2", "pass"}


@pytest.mark.rule("PR-13", "PR-14", "PR-15")
def test_specials_are_led_and_beaten_by_any_set_of_as_many() -> None:
    env = arranged(["Rv-c Rv-d 3c 8d", "3d 3h 9c Sk-c Sk-d Sk-h SJ 4d", "5c 6c 6d"])
    assert {"Rv", "Rv Rv"} <= labels(env)
    play(env, "Rv Rv")
    assert table(env) == "Rv Rv"
    assert labels(env) == {"3 3", "3 Jk", "9 Jk", "4 Jk", "pass"}  # not Sk Sk, nor a special with a Joker
    play(env, "3 3")
    assert table(env) == "3 3"
    assert labels(env) == {"6 6", "pass"}


@pytest.mark.rule("PR-13")
def test_specials_are_not_played_on_anything() -> None:
    env = arranged(["9c 3c", "Sk-c Sk-d Rv-c Dr-h 3d", "4c 5c"], ask_forced_pass=True)
    play(env, "9")
    assert labels(env) == {"pass"}


# --- passes and tricks ---


@pytest.mark.rule("PR-06", "PR-07")
def test_who_passed_may_play_again_and_the_last_to_play_leads() -> None:
    env = arranged(["3c 9c 4d", "5c Kc 4h", "6c Ac 4s"])
    play(env, "3", "pass", "6", "9")
    assert env.current_player == 1
    assert seats(env, "passed") == []
    play(env, "K", "A")  # and nobody can beat that
    assert env.current_player == 2
    assert table(env) == ""
    assert "pass" not in labels(env)


@pytest.mark.rule("PR-07")
def test_all_others_must_pass_after_the_last_play() -> None:
    env = arranged(["3c 9c Tc", "5c Kc 4h", "6c Ac 4s", "7c Qc 8s"])
    play(env, "3", "pass", "pass", "7", "pass", "pass")
    assert table(env) == "7"
    assert seats(env, "passed") == [0, 1]
    play(env, "pass")
    assert table(env) == ""
    assert env.current_player == 3
    assert seats(env, "passed") == []


@pytest.mark.rule("PR-08", "PR-09")
def test_who_has_no_cards_is_passed_over() -> None:
    env = arranged(["3c 9c Tc 5d", "5c", "6c Ac 4s", "7c Qc 8s"])
    play(env, "3", "5", "6", "7", "9")
    assert env.current_player == 2
    assert field(env, "place")[:4] == [0, 1, 0, 0]
    assert seats(env, "out") == [1]
    assert not any(env.terminations.values())


@pytest.mark.rule("PR-07")
@pytest.mark.parametrize(("reversed_", "leader"), [(False, 1), (True, 3)])
def test_of_a_player_who_is_out_the_next_leads(reversed_: bool, leader: int) -> None:
    """Example 12."""
    env = arranged(["2c", "5c 6c", "8c 9c", "Tc Jc"], direction=-1 if reversed_ else 1)
    play(env, "2")
    assert env.current_player == leader
    assert table(env) == ""


@pytest.mark.rule("PR-09")
def test_places_and_rewards() -> None:
    """Example 13."""
    env = arranged(["5c 7c", "3c 3d", "4c", "6c 8c"], leader=2)
    play(env, "4", "6", "7", "8")  # 2 is out; 3 is out; 0 has 5
    assert field(env, "place")[:4] == [0, 0, 1, 2]
    env = arranged(["5c", "3c 3d", "4c", "6c"], leader=2)
    play(env, "4", "6")
    assert field(env, "place")[:4] == [0, 0, 1, 2]
    env = arranged(["5c", "3c 3d", "4c", "6c 6d"], leader=2)
    play(env, "4", "pass", "5")
    assert env.current_player == 3
    play(env, "6")
    play(env, "6")
    assert field(env, "place")[:4] == [2, 4, 1, 3]
    assert returns(env) == pytest.approx([1 / 3, -1, 1, -1 / 3])


@pytest.mark.rule("PR-09")
@pytest.mark.parametrize("n", [3, 4, 5, 7])
def test_rewards_are_even_between_first_and_last(n: int) -> None:
    env = arranged([f"{rank}c" for rank in "3456789"[: n - 1]] + ["Ad Ac"])
    while env.legal_actions():
        env.step(env.legal_actions()[0])
    assert returns(env) == pytest.approx([1 - 2 * seat / (n - 1) for seat in range(n)])
    assert field(env, "place")[:n] == [*range(1, n + 1)]


# --- final passes, forced passes ---


@pytest.mark.rule("PR-24")
def test_who_has_passed_is_out_of_the_trick() -> None:
    env = arranged(["3c 9c Tc", "5c Kc 4h", "6c Ac 4s"], pass_is_final=True)
    play(env, "3", "pass", "6")
    assert env.current_player == 0
    play(env, "9")
    assert env.current_player == 2  # and not 1
    assert seats(env, "barred") == [1]
    assert seen(env, 2, "barred") == [0, 0, 1]
    play(env, "A")
    assert env.current_player == 2  # 0 can only pass
    assert seats(env, "barred") == []


@pytest.mark.rule("PR-24")
def test_a_play_that_nobody_may_answer_ends_the_trick() -> None:
    """After a Reverse the last to play passes too, and is out of it."""
    env = arranged(["Rv-s 5c 3c", "", "7c 8c 9c"], pass_is_final=True)
    play(env, "Rv", "pass")
    assert seats(env, "barred") == [0]
    assert env.current_player == 2
    play(env, "7")
    assert env.current_player == 2
    assert table(env) == ""


@pytest.mark.rule("PR-24")
def test_reveals_pass_over_who_is_barred() -> None:
    env = arranged(["3c 9c Tc", "5c Kc 4h", "6c Ac 4s Rv-c", "7c Qc 8s Sk-c"], pass_is_final=True, pile="5d 5h 5s 6d 6h")
    play(env, "3", "pass", "reveal Rv-c")
    assert env.current_player == 0  # and not 1, who has passed
    play(env, "pass", "reveal Sk-c")
    assert env.current_player == 2
    assert seats(env, "barred") == [0, 1]
    assert seats(env, "passed") == [0, 1, 3]


@pytest.mark.rule("PR-25")
def test_who_can_only_pass_is_not_asked() -> None:
    for asked in (False, True):
        env = arranged(["9c 3c", "4c 5c Rv-c", "Ts 5s"], ask_forced_pass=asked)
        play(env, "9")
        assert env.current_player == (1 if asked else 2)
        assert seats(env, "passed") == ([] if asked else [1])
        if asked:
            assert labels(env) == {"pass"}
    env = arranged(["9c 3c", "4c 5c Rv-c", "Ts 5s"], pile="6c")
    play(env, "9")
    assert labels(env) == {"pass", "reveal Rv-c"}  # a choice


@pytest.mark.rule("PR-25")
def test_after_a_reveal_a_pass_may_be_all_that_is_left() -> None:
    env = arranged(["9c 3c", "4c 5c Dr-c", "Ts 5s"], pile="6c 7c")
    play(env, "9", "reveal Dr-c")
    assert env.current_player == 2
    assert seats(env, "passed") == [1]


# --- lengths, what is seen ---


@pytest.mark.rule("PR-43")
def test_lengths() -> None:
    for options, most in (({}, 390), ({"num_players": 7}, 588), ({"match": "points", "max_hands": 3}, 3 * 393)):
        assert GAME.max_length(GAME.make_options(options)) == most
    env, longest = raw_env("president_v0", ask_forced_pass=True, num_players=7), 0
    for seed in range(3):
        env.reset(seed=seed)
        draw, steps = random.Random(seed), 0
        while env.legal_actions():
            legal = env.legal_actions()
            env.step(155 if 155 in legal and draw.random() < 0.8 else draw.choice(legal))
            steps += 1
        longest = max(longest, steps)
    assert 60 < longest < 588


def test_what_is_seen_of_the_table() -> None:
    env = arranged(["9c SJ 3c", "Tc 5c 5d", "Js Jd 5s", "8c 8d"], ask_forced_pass=True)
    assert seen(env, 1, "count") == [0] * 4
    assert seen(env, 1, "phase") == [0, 1]
    play(env, "9 Jk", "pass")
    assert seen(env, 1, "rank") == [0] * 6 + [1] + [0] * 6  # 3 is the first
    assert seen(env, 1, "count") == [0, 1, 0, 0]
    assert seen(env, 1, "jokers") == [0, 1, 0]
    assert seen(env, 1, "special") == [0, 0, 0]
    assert seen(env, 1, "last") == [0, 0, 0, 1]
    assert seen(env, 1, "passed") == [1, 0, 0, 0]
    assert seen(env, 3, "passed") == [0, 0, 1, 0]
    assert seen(env, 0, "hand_sizes") == pytest.approx([1 / 27, 3 / 27, 3 / 27, 2 / 27])
    played = seen(env, 3, "played")
    assert played[66 + parse("9c")[0]] == 1 and played[66 + 52] == 1
    assert len(env.observe("player_0")["observation"]) == 405 + 81 * 4
    env = arranged(["9c 9d 3c", "Tc Td 5d", "Js Jd 5s"], twos_high=False)
    play(env, "9 9")
    assert seen(env, 1, "rank")[7] == 1  # 2 is the first
    env = arranged(["Rv-c 3c", "Tc 5d", "Js 5s"])
    play(env, "Rv")
    assert seen(env, 2, "special") == [0, 1, 0]
    assert seen(env, 2, "rank") == [0] * 13


def test_what_is_seen_of_places() -> None:
    env = arranged(["9c", "Tc 5c", "Js 5s", "8c 8d"])
    play(env, "9")
    assert seen(env, 1, "place") == [0, 0, 0, 1 / 4]
    assert seen(env, 1, "turn_over") == [0, 0, 0, 1]
    assert seen(env, 1, "roles") == [0] * 20


def test_codes_of_actions() -> None:
    """Examples 2 and 15."""
    env = arranged(["7c 7d 3c", "9c SJ 4c", "2c 2d Tc Td 3d"])
    play(env, "7 7")
    assert action_of(env, "9 Jk") == 80
    env.step(80)
    assert labels(env) == {"T T", "2 2", "pass"}
    for twos_high, rank, action in ((True, "2", 1), (False, "A", 133)):
        env = arranged(["SJ 3c", "2c Ac 4c", "2d Ad BJ"], twos_high=twos_high)
        assert action_of(env, f"Jk as {rank}") == action
        env.step(action)
        assert env.current_player == 0  # nothing beats it
        assert table(env) == ""
    assert env.num_actions == 186


def test_samples_know_what_the_table_shows() -> None:
    env = raw_env("president_v0")
    env.reset(seed=3, options={"deck": deck_of_hands(["3c 3d", "", "", ""])})
    play(env, "3 3")
    for sample in determinizations(env, 1, range(4)):
        assert sample["table"] == 1
        assert sample["last"] == 0


# --- what is told ---


def test_a_deal_as_it_is_told() -> None:
    env = arranged(["Sk-c 3c 6c 8d", "SJ 2c Dr-d", "4c 5h", "5c Rv-h 6d"], pile="7c 7d 8h 9s")
    play(env, "Sk", "4", "reveal Rv-h", "5", "Jk as 2", "Dr", "8", "2", "3", "6", "8", "6", "7", "5")
    assert history_text(env, 1) == [
        "player 0 plays Sk-c",
        "player 1 is skipped",
        "player 2 plays 4c",
        "player 3 reveals Rv-h",
        "player 3 redeals Rv-h",
        "player 3 draws a card",
        "play now goes counterclockwise",
        "player 3's turn is paused",
        "player 2 plays 5h",
        "player 2 is out of cards: President",
        "player 1 plays Jk",
        "player 1 declares the rank 2",
        "player 0 passes",
        "player 3 passes",
        "player 1 wins the trick",
        "player 1 plays Dr-d",
        "player 0 draws 2 cards",
        "player 0 plays 8d",
        "player 3 passes",
        "player 1 plays 2c",
        "player 1 is out of cards: Vice-President",
        "player 0 passes",
        "player 3 passes",
        "player 1 wins the trick",
        "player 0 plays 3c",
        "player 3 plays 6d",
        "player 0 plays 8h",
        "player 3 passes",
        "player 0 wins the trick",
        "player 0 plays 6c",
        "player 3 plays 7c",
        "player 0 passes",
        "player 3 wins the trick",
        "player 3 plays 5c",
        "player 3 is out of cards: Vice-Scum",
        "player 0 is left with cards: Scum",
        "the game is over",
    ]
    assert "player 3 draws 7c" in history_text(env, 3)
    assert "player 0 draws 7d 8h" in history_text(env, 0)


@pytest.mark.rule("PR-19")
def test_a_trick_that_ends_as_all_are_skipped_is_told() -> None:
    env = arranged(["Sk-c Sk-d 3c", "2c 4d", "4c 5h"])
    play(env, "Sk Sk")
    assert history_text(env, 2)[1:] == ["player 1 is skipped", "player 2 is skipped", "player 0 wins the trick"]


@pytest.mark.rule("PR-41")
def test_an_exchange_is_told_to_those_who_have_part_in_it() -> None:
    weak = "3c 3d 3h 3s 4c 4d 4h 4s 5c 5d 5h"
    env = next_deal(["Tc", f"2h 2s {weak}", "Qc Sk-d", "Ah Ks Jc"], [2, 0, 3, 1], exchange=2)
    play(env, "give Q", "give Sk", "give T")
    assert history_text(env, 1) == [
        "player 3 plays 2c",
        "player 3 is out of cards: Vice-Scum",
        "player 1 is left with cards: Scum",
        "player 0 scores 1 point",
        "player 2 scores 2 points",
        "hand 2",
        "player 0 is dealt 13 cards",
        f"player 1 is dealt 2h 2s {weak}",
        "player 2 is dealt 13 cards",
        "player 3 is dealt 13 cards",
        "player 1 gives 2h 2s to player 2",
        "player 3 gives a card to player 0",
        "player 2 gives Qc to player 1",
        "player 2 gives Sk-d to player 1",
        "player 0 gives a card to player 3",
    ]
    assert history_text(env, 0)[-5:] == [
        "player 1 gives 2 cards to player 2",
        "player 3 gives Ah to player 0",
        "player 2 gives a card to player 1",
        "player 2 gives a card to player 1",
        "player 0 gives Tc to player 3",
    ]
