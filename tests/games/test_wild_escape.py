"""Wild Escape clause by clause: dealing, plays, tricks, the end of a round, what is seen."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
import wilddeck
from games.wild_escape_positions import FIRST_CARD, GAME, arranged, counts, deck_with, labels, parse, play
from support import determinizations
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

REST = "3s 7s"  # of players who matter little, three at most


def deals(label: str, hand: str, beat: str = "", **options: Any) -> bool:
    """Whether a hand may play what a label names, to lead or on the cards `beat`."""
    env = arranged([hand, REST, REST], beat, owner=1, **options)
    return label in labels(env)


# --- cards ---


@pytest.mark.rule("WE-01")
def test_three_decks_are_dealt_one_card_at_a_time() -> None:
    env = raw_env("wild_escape_v0")
    env.reset(seed=4)
    held = [sorted(cards) for name, cards in env.zones().items() if name.startswith("hand")]
    assert [len(hand) for hand in held] == [27] * 6
    assert Counter(card for hand in held for card in hand) == Counter(dict.fromkeys(range(54), 3))
    deck = random.Random(0).sample([*range(54)] * 3, 162)
    env.reset(seed=4, options={"deck": deck})
    assert [sorted(env.zones()[f"hand/{seat}"]) for seat in range(6)] == [sorted(deck[seat::6]) for seat in range(6)]


@pytest.mark.parametrize(
    "wrong", [[*range(54)] * 2, [0, *range(1, 54), *range(54), *range(53), 52], [54, *range(1, 54)] * 3, ["2c"]]
)
def test_a_deck_with_other_cards_is_refused(wrong: list[Any]) -> None:
    env = raw_env("wild_escape_v0")
    with pytest.raises(ValueError, match=r"not a permutation of the 162 cards of wild_escape_v0|a deck is a list of card ids"):
        env.reset(options={"deck": wrong})


@pytest.mark.rule("WE-02", "WE-03")
def test_the_leader_is_drawn_by_lot_or_given() -> None:
    assert GAME.teams(GAME.make_options({})) == ((0, 2, 4), (1, 3, 5))
    leaders = set()
    for seed in range(60):
        env = raw_env("wild_escape_v0")
        env.reset(seed=seed)
        leaders.add(env.current_player)
        assert env.record["leader"][0] == env.current_player
    assert leaders == set(range(6))
    env = raw_env("wild_escape_v0", leader=4)
    env.reset(seed=1)
    assert env.current_player == 4
    assert all(
        env.observe(f"player_{seat}")["observation"][env.observation_layout["offense"]] == (seat % 2 == 0) for seat in range(6)
    )


@pytest.mark.rule("WE-04")
@pytest.mark.parametrize("leader", [0, 1])
def test_trump_is_the_rank_of_the_offense(leader: int) -> None:
    env = raw_env("wild_escape_v0", leader=leader, levels=(5, 14))
    env.reset(seed=1)
    seen = env.observe("player_3")["observation"]
    assert np.flatnonzero(seen[env.observation_layout["trump"]]).tolist() == [12 if leader else 3]
    assert ("trump A" if leader else "trump 5") in env.describe()


@pytest.mark.rule("WE-04")
def test_the_order_of_single_cards() -> None:
    order = ["2", "3", "4", "5", "6", "8", "9", "T", "J", "Q", "K", "A", "7", "SJ", "BJ"]
    hand = "2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac SJ BJ"
    for place, low in enumerate(order):
        text = low if low.endswith("J") and len(low) == 2 else f"{low}d"
        env = arranged([hand, REST], text, owner=1, trump=7)
        assert set(labels(env)) == {"pass", *(f"single {high}" for high in order[place + 1 :])}


# --- worked examples ---


@pytest.mark.rule("WE-08", "WE-11")
def test_example_1_a_joker_makes_the_higher_straight() -> None:
    env = arranged(["6c 7d 8h 9s SJ", REST])
    assert [label for label in labels(env) if "straight" in label] == ["straight to T"]
    assert deals("straight to J", "7c 8c 9d Td Jh", "6c 7d 8h 9s SJ")
    assert not deals("straight to T", "6d 7c 8c 9d Td", "6c 7d 8h 9s SJ")


@pytest.mark.rule("WE-04", "WE-07", "WE-10", "WE-14")
@pytest.mark.parametrize(
    ("hand", "beat", "trump", "legal"),
    [
        ("Ah SJ", "Kc Kd", 2, {"pair of A"}),  # 2
        ("2c 2h", "Ac Ad", 2, {"pair of 2"}),  # 3
        ("7c 7d", "2c 2d", 7, {"pair of 7"}),  # 4
        ("2c 2d", "Ac Ad", 7, set()),
        ("6c 6d 6h Jc Jd", "6c 6s 6s 2d 2h", 2, set()),  # 5
        ("SJ BJ", "SJ SJ", 2, set()),  # 6
        ("BJ BJ", "SJ SJ", 2, {"pair of BJ"}),
        ("SJ BJ", "2c 2d", 2, {"pair of SJ"}),
        ("5c SJ SJ", "4c 4d", 2, {"pair of 5", "pair of SJ"}),  # 12
    ],
)
def test_examples_2_to_6_and_12(hand: str, beat: str, trump: int, legal: set[str]) -> None:
    assert set(labels(arranged([hand, REST], beat, owner=1, trump=trump, ask_forced_pass=True))) == {"pass", *legal}


@pytest.mark.rule("WE-06", "WE-11")
@pytest.mark.parametrize(
    ("hand", "kind"),
    [
        ("9c 9d 9h 9s BJ", "five 9"),  # 7
        ("9c 9d Kh Kd SJ", "full house of K"),  # 8
        ("4h 8h Jh SJ Qh", "flush hearts to 2"),  # 9
        ("9h Th Jh Qh BJ", "straight flush hearts to K"),  # 10
        ("Ac 2d 3h 4s 5c", "straight to 5"),  # 11
        ("9c 9d 9h 9s Kc", "four 9 and one"),
        ("2c 2d Kh Kd SJ", "full house of 2"),
        ("9c Kd SJ SJ BJ", "four K and one"),
        ("9c Kc SJ SJ BJ", "straight flush clubs to K"),
        ("5c SJ SJ BJ BJ", "five 5"),
        ("SJ SJ BJ BJ BJ", "five SJ"),
        ("Tc Jc Qc Kc Ac", "straight flush clubs to A"),
        ("4h 4h 4h 8h 8h", "full house of 4"),
        ("4h 4h 8h 8h Qh", "flush hearts to Q"),
        ("Kc Ad 2h 3s 4c", ""),
    ],
)
def test_examples_7_to_11_what_five_cards_are_worth(hand: str, kind: str) -> None:
    """Of a hand of five, all of them make one kind, and its cards are filled in."""
    env = arranged([hand, REST, REST], ask_forced_pass=True)
    of_five = [label for label in labels(env) if label.split()[0] in ("straight", "flush", "full", "four", "five")]
    assert of_five == ([kind] if kind else [])
    if kind:
        play(env, kind)
        assert env.zones()["table/0"] == sorted(parse(hand))


@pytest.mark.rule("WE-05")
@pytest.mark.parametrize("hand", ["9c 9d 9h 9s", "3c 4c 5c 6c", "3c 3d 4c 4d"])
def test_there_are_no_plays_of_four_cards(hand: str) -> None:
    env = arranged([hand, REST, REST], ask_forced_pass=True)
    assert all(label.split()[0] in ("single", "pair", "three") for label in labels(env))
    for label in labels(env):
        other = env.clone()
        play(other, label)
        while other.record["stage"][0]:
            other.step(other.legal_actions()[0])
        assert len(other.zones()["table/0"]) == ("single", "pair", "three").index(label.split()[0]) + 1


@pytest.mark.rule("WE-06")
def test_the_order_of_kinds_of_five() -> None:
    plays = ["5c 6d 7h 8s 9c", "3c 5c 6c 8c 9c", "3c 3d 3h 4c 4d", "3c 3d 3h 3s 4c", "3c 4c 5c 6c 7c", "3c 3d 3h 3s 3c"]
    for low, beat in enumerate(plays):
        for high, hand in enumerate(plays):
            env = arranged([hand, "Ts Ts Ts Js"], beat, owner=1, ask_forced_pass=True)
            assert (len(labels(env)) > 1) == (high > low)


@pytest.mark.rule("WE-09")
def test_flushes_compare_down_to_the_last_card_or_not() -> None:
    low, high = "4c 6c 8c Jc Qc", "5d 6d 8d Jd Qd"
    assert deals("flush diamonds to Q", high, low)
    assert not deals("flush clubs to Q", low, high)
    assert not deals("flush diamonds to Q", high, low, flush_compare="top")
    assert deals("flush diamonds to K", "3d 6d 8d Jd Kd", high, flush_compare="top")
    assert not deals("flush diamonds to 2", "3d 6d 8d Td SJ", "3c 6c 8c Jc SJ")
    assert deals("flush diamonds to 2", "3d 6d 8d Qd SJ", "3c 6c 8c Jc 2c")


@pytest.mark.rule("WE-09", "WE-14")
def test_only_cards_that_beat_the_play_may_be_chosen() -> None:
    env = arranged(["3d 4d 6d 8d Jd Qd", REST], "4c 6c 8c Jc Qc", owner=1)
    assert "flush diamonds to Q" not in labels(env)  # 8 J Q 6 4 at best: equal
    env = arranged(["3d 5d 6d 8d Jd Qd", REST], "4c 6c 8c Jc Qc", owner=1, ask_forced_pass=True)
    play(env, "flush diamonds to Q")
    assert env.zones()["table/0"] == parse("5d 6d 8d Jd Qd")


@pytest.mark.rule("WE-12")
def test_kinds_that_are_never_legal() -> None:
    env = arranged(["SJ SJ SJ BJ BJ BJ Ac Ac Ac Ad Ad Ad", REST])
    assert not {121, 122, 136, 137, 192} & set(env.legal_actions())
    assert {"three SJ", "three BJ", "five SJ", "pair of BJ"} <= set(labels(env))


def test_cards_are_chosen_in_ascending_order() -> None:
    env = arranged(["5c 5d 5h SJ BJ Kc", REST], ask_forced_pass=True)
    play(env, "pair of 5")
    assert labels(env) == ["card 5c", "card 5d", "card 5h"]
    play(env, "card 5d")
    assert labels(env) == ["card 5h", "card SJ", "card BJ"]
    assert env.zones("player_0")["chosen"] == parse("5d")
    play(env, "card BJ")
    assert env.zones()["table/0"] == parse("5d BJ")
    assert sorted(env.zones()["hand/0"]) == parse("5c 5h Kc SJ")


# --- tricks ---


@pytest.mark.rule("WE-13", "WE-14", "WE-15")
def test_a_trick() -> None:
    hands = ["3c 9c", "4c 8c", "5c 5d", "6c Kc", "3d 3h", "7c Jc"]
    env = arranged(hands, ask_forced_pass=True)
    play(env, "single 9")
    assert labels(env) == ["pass"]
    play(env, "pass", "pass")
    assert set(labels(env)) == {"pass", "single K"}
    play(env, "pass", "pass")  # player 3 may play later on
    play(env, "single J", "pass", "pass", "pass")
    assert env.current_player == 3
    play(env, "single K", "pass", "pass", "pass", "pass")
    assert env.current_player == 2
    play(env, "pass")
    assert env.current_player == 3  # five others have passed
    assert set(labels(env)) == {"single 6"}


@pytest.mark.rule("WE-14")
def test_who_can_only_pass_is_not_asked() -> None:
    hands = ["3c 9c", "4c 8c", "5c 5d", "6c Kc", "3d 3h", "7c Jc"]
    env = arranged(hands)
    play(env, "single 9")
    assert env.current_player == 3
    assert env.record["passed"][0].tolist() == [0, 1, 1, 0, 0, 0]
    play(env, "pass")
    assert env.current_player == 5
    play(env, "single J")
    assert env.current_player == 3
    play(env, "single K")
    assert env.current_player == 3
    assert labels(env) == ["single 6"]
    assert env.zones()["discard"] != []
    assert all(env.zones()[f"table/{seat}"] == [] for seat in range(6))


@pytest.mark.rule("WE-15")
def test_example_16_who_escaped_leaves_the_lead_to_the_next_clockwise() -> None:
    env = arranged(["3c 4c", "3c 4c", "3c 4c", "3d 4d", "Ah", "3d 4d"], mover=4)
    play(env, "single A")
    assert env.current_player == 5
    assert env.record["place"][0].tolist() == [0, 0, 0, 0, 1, 0]
    assert "pass" not in labels(env)
    env = arranged(["3c 4c", "3c 4c", "3c 4c", "3d 4d", "Ah", ""], mover=4)
    play(env, "single A")
    assert env.current_player == 0


# --- the end of a round ---

ENDS = [  # hands before the last card, who plays it, places so far; places at the end, rewards of team 0, levels, who pays whom
    pytest.param(  # 13
        ["", "", "", "4c 5c 6c", "3c", "4d"], 4, [1, 3, 2, 0, 0, 0], [1, 3, 2, 6, 4, 5], 1, [6, 5], [(3, 0), (5, 2)],
        marks=pytest.mark.rule("WE-17", "WE-18", "WE-22", "WE-26"), id="13 the offense wins",
    ),
    pytest.param(  # 14
        ["", "", "3c 4c", "", "3d", "4d"], 5, [1, 2, 0, 3, 0, 0], [1, 2, 6, 3, 5, 4], 0, [5, 5], [],
        marks=pytest.mark.rule("WE-19"), id="14 a draw, the offense stays",
    ),
    pytest.param(  # 15
        ["", "", "3c 4c", "", "3d", "4d"], 5, [3, 1, 0, 2, 0, 0], [3, 1, 6, 2, 5, 4], -1, [5, 5], [(2, 1), (4, 3)],
        marks=pytest.mark.rule("WE-20", "WE-22"), id="15 the defence wins",
    ),
    pytest.param(
        ["3c", "4c", "", "4d 5d", "", ""], 0, [0, 0, 3, 0, 2, 1], [4, 5, 3, 6, 2, 1], 0, [5, 5], [],
        marks=pytest.mark.rule("WE-21"), id="a draw, the defence becomes offense",
    ),
    pytest.param(
        ["", "3c 3d", "", "4c 4d", "3h", "5c 5d"], 4, [2, 0, 1, 0, 0, 0], [2, 5, 1, 6, 3, 4], 1, [6, 5],
        [(3, 2), (1, 0), (5, 4)],
        marks=pytest.mark.rule("WE-17", "WE-26"), id="all three trapped, equal hands",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("hands", "mover", "before", "places", "won", "levels", "pays"), ENDS)
def test_examples_13_to_15_the_end_of_a_round(
    hands: list[str], mover: int, before: list[int], places: list[int], won: int, levels: list[int], pays: list[tuple[int, int]]
) -> None:
    for episode in ("round", "match"):
        fields = {"place": before, "escaped": max(before)}
        env = arranged(hands, mover=mover, episode=episode, trump=5, levels=(5, 5), **fields)
        last = labels(env)[0]
        play(env, last)
        assert list(env.rewards.values()) == [won, -won] * 3
        assert env.record["levels"][0].tolist() == levels
        if episode == "round":
            assert all(env.terminations.values())
            assert env.record["place"][0].tolist() == places
        else:
            assert not any(env.terminations.values())
            pairs = list(zip(env.record["giver"][0].tolist(), env.record["receiver"][0].tolist(), strict=True))
            assert pairs[: len(pays)] == pays
            assert pairs[len(pays) :] == [(-1, -1)] * (3 - len(pays))
            assert env.record["leader"][0] == places.index(1)
            assert env.record["trump"][0] == levels[places.index(1) % 2]


@pytest.mark.rule("WE-16")
def test_the_round_goes_on_until_a_team_is_out() -> None:
    env = arranged(["3c", "4c 4d", "3d 3h", "5c 5d", "6c 6d", "7c 7d"])
    play(env, "single 3")
    assert env.record["place"][0].tolist() == [1, 0, 0, 0, 0, 0]
    assert not any(env.terminations.values())


@pytest.mark.rule("WE-23")
@pytest.mark.parametrize(
    ("levels", "target", "rounds", "ends", "rewards"),
    [
        ((5, 5), 6, 100, True, [4, -4]),
        ((5, 5), 7, 100, False, [1, -1]),
        ((5, 13), 14, 1, True, [-2, 2]),
        ((5, 6), 14, 1, True, [1, -1]),
        ((14, 2), 15, 100, True, [4, -4]),
    ],
)
def test_the_end_of_a_match(levels: tuple[int, int], target: int, rounds: int, ends: bool, rewards: list[int]) -> None:
    """The offense, team 0, wins the round."""
    options = {"episode": "match", "target_level": target, "max_rounds": rounds, "levels": levels}
    env = arranged(["", "", "", "4c 5c 6c", "3c", "4d"], mover=4, trump=levels[0], place=[1, 3, 2, 0, 0, 0], **options)
    play(env, "single 3")
    assert any(env.terminations.values()) == ends
    assert list(env.rewards.values()) == rewards * 3
    assert env.record["levels"][0].tolist() == [levels[0] + 1, levels[1]]


# --- options ---


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": (1, 2)}, r"option levels=\(1, 2\) is not allowed; allowed: 2 numbers 2..14"),
        ({"levels": (2, 15)}, r"option levels=\(2, 15\) is not allowed"),
        ({"levels": 2}, "option levels=2 is not allowed"),
        ({"levels": (2, 2, 2)}, "option levels="),
        ({"levels": "22"}, "option levels="),
        ({"levels": (2, 2.0)}, "option levels="),
        ({"target_level": 2}, "allowed: 3..15"),
        ({"episode": "match", "levels": (2, 14)}, r"levels=\(2, 14\) is not allowed in a match to level 14; allowed: 2..13"),
        ({"leader": 6}, "option leader=6"),
        ({"max_rounds": 0}, "allowed: 1..500"),
        ({"num_players": 4}, "option num_players=4 is not allowed; allowed: 6"),
        ({"joker_tribute": "give"}, "allowed: keep, offer_two"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^wild_escape_v0: .*{message}"):
        wilddeck.make("wild_escape_v0", **options)


# --- what is seen ---


def block(env: CardGameEnv, seat: int, name: str) -> np.ndarray:
    return env.observe(f"player_{seat}")["observation"][env.observation_layout[name]]


def of_type(text: str) -> list[float]:
    return pytest.approx((counts(parse(text)) / 3).tolist())


@pytest.mark.rule("WE-33")
def test_the_observation_of_a_trick() -> None:
    hands = ["3c 9c 9d", "4c 8c", "7d 7h", "6c Kc Kd", "3d 3h", "7c Jc"]
    env = arranged(hands, trump=5)
    play(env, "pair of 9")
    assert env.current_player == 3
    assert block(env, 3, "hand").tolist() == of_type(hands[3])
    assert np.flatnonzero(block(env, 3, "stage")).tolist() == [0]
    assert np.flatnonzero(block(env, 3, "beat")).tolist() == [1, 9 + 7]  # a pair, of 9
    assert block(env, 3, "beat_cards").tolist() == pytest.approx([8 / 15, 1 / 4, 8 / 15, 2 / 4, *[0] * 6])
    assert np.flatnonzero(block(env, 3, "beat_owner")).tolist() == [3]  # player 0 is the third from player 3
    assert block(env, 3, "passes").tolist() == pytest.approx([2 / 5])
    assert block(env, 3, "passed").tolist() == [0, 0, 0, 0, 1, 1]
    assert block(env, 3, "hand_size").tolist() == pytest.approx([n / 28 for n in (3, 2, 2, 1, 2, 2)])
    assert block(env, 3, "team").tolist() == [1, 0, 1, 0, 1, 0]
    assert block(env, 3, "last").reshape(6, 10)[3].tolist() == block(env, 3, "beat_cards").tolist()
    assert not block(env, 3, "last").reshape(6, 10)[[0, 1, 2, 4, 5]].any()
    assert block(env, 3, "played").tolist() == pytest.approx((env.record["played"][0].sum(axis=0) / 3).tolist())
    by_seat = block(env, 3, "played_by").reshape(6, 54)
    for seat in range(6):
        assert by_seat[(seat - 3) % 6].tolist() == pytest.approx((env.record["played"][0][seat] / 3).tolist())
    assert block(env, 3, "levels").tolist() == pytest.approx([0, 3 / 13])
    assert block(env, 2, "levels").tolist() == pytest.approx([3 / 13, 0])
    assert block(env, 3, "round").tolist() == pytest.approx([1 / 100])


def test_a_half_chosen_play_is_seen_by_nobody_else() -> None:
    env = arranged(["5c 5d 5h SJ BJ Kc", REST, REST, REST, "4c 4d", "4h 4s"])
    before = [env.observe(f"player_{seat}")["observation"].tobytes() for seat in range(6)]
    texts = [(env.zones(f"player_{seat}"), env.describe(f"player_{seat}")) for seat in range(6)]
    play(env, "three 5", "card 5c")
    for seat in range(1, 6):
        assert env.observe(f"player_{seat}")["observation"].tobytes() == before[seat]
        assert (env.zones(f"player_{seat}"), env.describe(f"player_{seat}")) == texts[seat]
        for record in determinizations(env, seat, range(4)):
            assert (record["stage"], record["kind"], record["chosen_size"]) == (0, 0, 0)
            assert not record["chosen"].any()
    assert np.flatnonzero(block(env, 0, "stage")).tolist() == [2]
    assert np.flatnonzero(block(env, 0, "kind")).tolist() == [2, 9 + 3]
    assert block(env, 0, "chosen").tolist() == of_type("5c")
    flush = arranged(["3h 8h Jh Qh Kh Ah", REST, REST], ask_forced_pass=True)
    play(flush, "flush hearts to K")
    assert np.flatnonzero(block(flush, 1, "beat")).tolist() == [4, 9 + 11, 9 + 15 + 2]


def test_determinizations_are_uniform() -> None:
    """Player 0 does not know which of four cards lies with whom: 12 ways to deal two hands of one and one of two."""
    env = arranged(["3c", "4c", "5c", "6c 7c"], mover=0)
    frequencies: Counter[tuple[bytes, ...]] = Counter()
    for record in determinizations(env, 0, range(2400)):
        assert record["hand"][0].tobytes() == env.record["hand"][0][0].tobytes()
        frequencies[tuple(hand.tobytes() for hand in record["hand"])] += 1
    assert len(frequencies) == 12
    assert min(frequencies.values()) > 130
    assert max(frequencies.values()) < 280


def test_labels() -> None:
    env = raw_env("wild_escape_v0")
    env.reset(seed=0)
    expected = {0: "pass", 14: "single SJ", 16: "pair of 2", 43: "three A", 46: "straight to 5", 55: "straight to A"}
    expected |= {56: "flush clubs to 2", 107: "flush spades to A", 108: "full house of 2", 123: "four 2 and one"}
    expected |= {138: "straight flush clubs to 5", 177: "straight flush spades to A", 191: "five SJ"}
    expected |= {193: "keep the first", 194: "keep the second", 195: "keep both", FIRST_CARD: "card 2c", 249: "card BJ"}
    assert {action: env.action_label(action) for action in expected} == expected
    assert len({env.action_label(action) for action in range(250)}) == 250


def test_events_of_a_play() -> None:
    """How cards are chosen the others do not notice."""
    deck = deck_with({0: "SJ Qc Qd Kd Kh", 1: "BJ As Ah", 2: "3c"})
    env = raw_env("wild_escape_v0", leader=0)
    env.reset(seed=0, options={"decks": [deck]})
    play(env, "pair of Q", "card Qc", "card SJ")
    play(env, "pair of A", "card Ah", "card As")
    own = ["player 0 chooses pair of Q", "player 0 chooses Qc", "player 0 plays Qc SJ"]
    public = ["player 0 plays Qc SJ", "player 1 plays Ah As"]
    told = {seat: [event.text() for event in env.history(f"player_{seat}")] for seat in (0, 2)}
    assert told[0][8:12] == [*own, public[1]]
    assert told[2][8:10] == public
    assert told[2][:5] == [
        "hand 1",
        "player 0 leads the offense, 2 is trump",
        "player 0 is dealt 27 cards",
        "player 1 is dealt 27 cards",
        "player 2 is dealt 3c 7s 7s 8c 8c 8c 8d 8d 8d 8h 8h 8h 8s 8s 8s 9c 9c 9c 9d 9d 9d 9h 9h 9h 9s 9s 9s",
    ]
