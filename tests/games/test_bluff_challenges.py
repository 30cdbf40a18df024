"""Bluff clause by clause: challenges, and who takes the heap."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from games.bluff_positions import ACES, GAME, PILE, arranged, due, field, hand, labels, parse, play, seen
from support import history_text


@pytest.mark.rule("BL-30")
def test_all_others_are_asked_in_order() -> None:
    env = arranged(["Ac As Kd", "2d Kc", "3h Kh", "4s Ks"], "Aces", turn=2, pile=PILE)
    play(env, "put 3h")
    asked = []
    while field(env, "answering"):
        assert labels(env) == {"challenge", "accept"}
        assert seen(env, 2, "phase") == [0, 0, 1]
        accepted = [(seat - 2) % 4 for seat in asked]
        assert [k for k, on in enumerate(seen(env, 2, "asked")) if on] == sorted(accepted)
        asked.append(env.current_player)
        play(env, "accept")
    assert asked == [3, 0, 1]
    assert env.current_player == 3


@pytest.mark.rule("BL-30")
def test_the_first_challenge_is_settled_and_the_order_may_be_counterclockwise() -> None:
    env = arranged(ACES, "Aces", turn=2, pile=PILE, direction=-1)
    play(env, "put 3h")
    assert env.current_player == 1
    play(env, "accept", "challenge")
    assert (field(env, "challenger"), field(env, "challenged"), field(env, "answering")) == (0, 2, 0)
    assert env.current_player == 1


@pytest.mark.rule("BL-30")
def test_only_the_next_may_challenge() -> None:
    env = arranged(ACES, "Aces", pile=PILE, challengers="next")
    play(env, "put Ac")
    assert env.current_player == 1
    play(env, "accept")
    assert (env.current_player, field(env, "answering"), due(env)) == (1, 0, "Twos")


def challenged(put_cards: str, rank: str, **options: Any) -> Any:
    """A play of these cards, challenged by the next player."""
    env = arranged([f"{put_cards} 9h", "2s Qd", "3s Qh", "4s Qs"], rank, pile="7c 8c", **options)
    play(env, f"put {put_cards}", "challenge")
    return env


@pytest.mark.rule("BL-31")
@pytest.mark.parametrize("check", ["all", "one"])
@pytest.mark.parametrize(("text", "holds"), [("Tc Td Th Ts", True), ("Tc Td Th Ts SJ", False), ("Tc Td Th Ts SJ BJ", False)])
def test_five_of_a_rank_always_fail(check: str, text: str, holds: bool) -> None:
    """Example 5."""
    assert field(challenged(text, "Tens", check=check), "held") == holds


@pytest.mark.rule("BL-32", "BL-38")
@pytest.mark.parametrize(
    ("text", "rank", "holds"),
    [
        ("Ac As", "Aces", True),
        ("2c Kd", "Twos", False),
        ("3h SJ BJ", "Threes", True),
        ("3c 3d SJ BJ", "Threes", True),
        ("SJ BJ", "Kings", True),
        ("Tc Td 3h", "Tens", False),
        ("4c Sk-d", "Fours", False),
        ("SJ Sk-d", "Fours", False),
    ],
)
def test_all_cards_of_a_play_are_turned_up(text: str, rank: str, holds: bool) -> None:
    """Examples 4 and 6."""
    env = challenged(text, rank)
    assert field(env, "held") == holds
    assert [k for k, on in enumerate(seen(env, 2, "turned")) if on] == sorted(parse(text))
    assert seen(env, 2, "claim_held") == [holds]
    assert env.zones("player_2")["hand/1" if holds else "hand/0"].count(-1) == (2 if holds else 1)


@pytest.mark.rule("BL-33", "BL-38")
@pytest.mark.parametrize(("text", "good"), [("4c Sk-d", "4c"), ("SJ Sk-d", "SJ"), ("4c 4d 5h", "4c 4d")])
def test_one_card_is_turned_up_by_lot(text: str, good: str) -> None:
    """Example 6: the claim holds as often as there are good cards."""
    counts: Counter[int] = Counter()
    for seed in range(300):
        env = arranged([f"{text} 9h", "2s Qd", "3s Qh"], "Fours", pile="7c 8c", check="one")
        env.record["rng"] = seed * 7919
        play(env, f"put {text}", "challenge")
        (turned,) = [k for k, on in enumerate(seen(env, 2, "turned")) if on]
        counts[turned] += 1
        assert field(env, "held") == (turned in parse(good))
    mean = 300 / len(parse(text))
    assert sorted(counts) == sorted(parse(text))
    assert all(0.75 * mean < times < 1.25 * mean for times in counts.values())


@pytest.mark.rule("BL-35")
def test_who_was_wrong_takes_the_heap() -> None:
    heap = ((1, "Qc"), (2, "Kc Ks"), (3, "Tc"))
    for text, taker in (("Ac", 2), ("Kd", 0)):
        env = arranged(["Ac Kd 9h", "2s Qd", "3s Qh", "4s Qs"], "Aces", heap=heap, pile=PILE)
        play(env, f"put {text}", "accept", "challenge")
        assert {*parse("Qc Kc Ks Tc"), *parse(text)} <= set(hand(env, taker))
        assert env.zones()["heap"] == []
        assert field(env, "laid") == field(env, "gone") == 0
        sight = env.zones("player_3")[f"hand/{taker}"]
        assert set(sight) == {-1, *parse(text), *parse("Tc")}  # turned up, and their own
        assert set(env.zones("player_1")[f"hand/{taker}"]) == {-1, *parse(text), *parse("Qc")}
        claims = seen(env, taker, "claims")[:32]
        assert claims[:16] == [0] * 16
        assert claims[16 + (12 if text == "Ac" else 11)] == 1 / 4


@pytest.mark.rule("BL-35")
def test_what_was_not_turned_up_only_the_taker_sees_and_who_put_it() -> None:
    env = arranged(["4c 4d 9h", "2s Qd", "3s Qh"], "Fours", pile="7c 8c", check="one")
    play(env, "put 4c 4d", "challenge")
    (turned,) = (k for k, on in enumerate(seen(env, 2, "turned")) if on)
    assert sorted(env.zones("player_2")["hand/1"]) == [-1, -1, -1, turned]
    assert set(env.zones("player_0")["hand/1"]) == {-1, *parse("4c 4d")}
    assert -1 not in env.zones("player_1")["hand/1"]
    assert seen(env, 2, "claims")[32 * 2 + 16 + 2] == 1 / 4  # of player 1, who is two seats on from 2: Fours taken
    assert sum(seen(env, 2, "claims")[32 * 2 + 16 :]) == 1 / 4


@pytest.mark.rule("BL-35")
def test_what_is_known_of_a_hand_is_forgotten_when_it_plays() -> None:
    env = arranged(["4c 9h", "2s Qd Th", "3s Qh"], "Fours", pile="7c 8c")
    play(env, "put 4c", "challenge")
    assert env.current_player == 1
    assert parse("4c")[0] in env.zones("player_2")["hand/1"]
    env.step(parse("2s")[0])
    assert env.zones("player_2")["hand/1"] == [parse("4c")[0], -1, -1, -1]  # nobody notices yet
    play(env, "claim one Five")
    assert set(env.zones("player_2")["hand/1"]) == {-1}
    assert set(env.zones("player_0")["hand/1"]) == {-1}
    assert seen(env, 2, "claims")[32 * 2 + 16 + 2] == 1 / 4


@pytest.mark.rule("BL-36")
@pytest.mark.parametrize(("after", "true", "false"), [("next", 2, 2), ("winner", 1, 3), ("taker", 3, 1)])
@pytest.mark.parametrize("order", ["ascending", "free"])
def test_who_is_next_after_a_challenge(after: str, true: int, false: int, order: str) -> None:
    """1 plays, 3 challenges. Example 13."""
    for text, following in (("9h", true), ("8h", false)):
        env = arranged(["Tc Kd", "9h 8h 2s", "3s Qh", "4s Qs"], "Nines", turn=1, heap=((0, "9d"),), pile=PILE,
                       rank_order=order, after_challenge=after)  # fmt: skip
        play(env, f"put {text}", "accept", "challenge")
        assert env.current_player == following
        assert due(env) == ("Tens" if order == "ascending" else "")
        assert seen(env, 0, "challenger") == [0, 0, 0, 1]
        assert seen(env, 0, "challenged") == [0, 1, 0, 0]


@pytest.mark.rule("BL-36")
def test_what_follows_from_the_order() -> None:
    assert GAME.make_options({}).after_challenge == "next"
    assert GAME.make_options({"rank_order": "free"}).after_challenge == "winner"
    assert GAME.make_options({"rank_order": "free", "after_challenge": "next"}).after_challenge == "next"
    assert not GAME.make_options({"allow_pass": "none"}).allow_pass
    assert GAME.make_options({"rank_order": "free"}).allow_pass


@pytest.mark.rule("BL-37")
def test_a_paused_player_who_is_next_goes_on_with_their_turn() -> None:
    env = arranged(["Tc Kd", "9h 8h 2s", "3s Qh", "4s Qs"], "Nines", turn=1, pile=PILE, after_challenge="winner", paused=0b1000)
    turns = field(env, "turns")
    play(env, "put 8h", "accept", "challenge")
    assert (env.current_player, field(env, "paused"), field(env, "turns")) == (3, 0, turns)


# --- what is told ---


def test_a_deal_as_it_is_told() -> None:
    hands = ["2c Rv-d 5c 9c", "Ac Kd SJ", "3h Kh 4d 4h"]
    env = arranged(hands, rank_order="free", pile="7c 8c")
    play(env, "reveal Rv-d", "name Kings", "put Kh 3h", "all accept", "pass", "pass")
    play(env, "name Fours", "put 4d 4h", "accept", "challenge")
    assert history_text(env, 0) == [
        "player 0 reveals Rv-d",
        "player 0 redeals Rv-d",
        "player 0 draws 7c",
        "play now goes counterclockwise",
        "player 0's turn is paused",
        "player 2 names Kings",
        "player 2 puts 2 cards face down",
        "player 2 claims Kings",
        "player 1 accepts",
        "player 0 accepts",
        "player 1 passes",
        "player 0 passes",
        "the heap leaves the game: 2 cards",
        "player 2 names Fours",
        "player 2 puts 2 cards face down",
        "player 2 claims Fours",
        "player 1 accepts",
        "player 0 challenges player 2",
        "player 2 turns up 4d 4h",
        "player 2's claim holds",
        "player 0 takes the heap: 4d 4h",
        "player 2 wins with no cards",
        "the game is over",
    ]
    assert history_text(env, 2)[6:9] == ["player 2 chooses 3h", "player 2 chooses Kh", "player 2 puts 3h Kh face down"]
    assert history_text(env, 1)[2] == "player 0 draws a card"


@pytest.mark.rule("BL-33", "BL-35", "BL-51")
def test_a_bluff_as_it_is_told() -> None:
    """Of the cards of the play one is turned up; who takes the heap sees the others."""
    hands = ["2c 3c 4c 5c", "Ac Kd", "3h Kh 4d"]
    env = arranged(hands, "Twos", pile=PILE[-5:], check="one", max_turns=2, heap=((2, "Qh"),))
    play(env, "put 3c 4c", "accept", "challenge", "put Kd", "challenge")
    first = history_text(env, 1)
    assert first[:5] == [
        "player 0 puts 2 cards face down",
        "player 0 claims Twos",
        "player 1 accepts",
        "player 2 challenges player 0",
        first[4],
    ]
    assert first[4] in ("player 0 turns up 3c", "player 0 turns up 4c")
    assert first[5:] == [
        "player 0's claim fails",
        "player 0 takes the heap: 3 cards",
        "player 1 chooses Kd",
        "player 1 puts Kd face down",
        "player 1 claims Threes",
        "player 2 challenges player 1",
        "player 1 turns up Kd",
        "player 1's claim fails",
        "player 1 takes the heap: Kd",
        "player 1 wins with 2 cards",
        "the game is over",
    ]
    assert "player 0 takes the heap: Qh 3c 4c" in history_text(env, 0)
