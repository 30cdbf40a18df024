"""Bridge clause by clause: the deal, the auction, the play (dummy: test_bridge_dummy.py); options, observation, samples."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from games.bridge_positions import (
    GAME,
    REST,
    arranged,
    call,
    contract,
    dummy_seen,
    end_deal,
    hand,
    ids,
    legal,
    new,
    nonzero,
    order,
    play,
    points,
    put,
    seen,
    turn,
    value,
    zone,
)
from support import determinizations, see_anew
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck.envs.core.extended.sets import ids_of
from wilddeck.envs.core.facts import FactRole

PASS = "pass pass pass"


def won(env: Any) -> list[int]:
    """Tricks of each side."""
    return [value(env, "tricks", side) for side in range(2)]


# --- deal and options ---


@pytest.mark.rule("BR-01", "BR-02")
@pytest.mark.parametrize(("deck", "size"), [("extended", 66), ("standard", 52)])
def test_thirteen_cards_each_and_the_rest_is_the_pile(deck: str, size: int) -> None:
    stacked = random.Random(1).sample(range(size), size)
    for dealer in range(4):
        env = raw_env("bridge_v0", deck=deck, dealer=dealer)
        env.reset(seed=1, options={"deck": stacked})
        for seat in range(4):
            assert env.zones()[f"hand/{seat}"] == sorted(stacked[seat:52:4])
        assert env.zones()["pile"] == stacked[52:]


@pytest.mark.rule("BR-10")
def test_the_dealer_is_given_or_drawn_by_lot() -> None:
    assert [new(dealer=seat).current_player for seat in range(4)] == [0, 1, 2, 3]
    starts = set()
    for seed in range(40):
        env = raw_env("bridge_v0", dealer="random", vulnerability="random")
        env.reset(seed=seed)
        assert env.current_player == value(env, "dealer")
        starts.add((env.current_player, value(env, "vulnerability")))
    assert {dealer for dealer, _ in starts} == {vulnerable for _, vulnerable in starts} == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"honors": True}, r"honors=True is not allowed with scoring='duplicate'"),
        (
            {"scoring": "rubber", "vulnerability": "both"},
            r"='both' is not allowed with scoring='rubber'.*allowed: none",
        ),
        ({"dealer": 4}, r"dealer=4 is not allowed"),
        ({"max_deals": 0}, r"max_deals=0 is not allowed; allowed: 1\.\.100"),
        ({"vulnerability": "north"}, r"allowed: none, ns, ew, both, random"),
        ({"num_players": 3}, r"num_players=3 is not allowed"),
    ],
)
def test_options_that_contradict_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        raw_env("bridge_v0", **options)


@pytest.mark.parametrize(("deck", "other"), [("standard", range(66)), ("extended", range(52)), ("extended", [*range(65), 0])])
def test_a_deck_with_other_cards_is_refused(deck: str, other: Any) -> None:
    with pytest.raises(ValueError, match="not a permutation of the"):
        raw_env("bridge_v0", deck=deck).reset(options={"deck": list(other)})


def test_partners_sit_opposite() -> None:
    assert GAME.teams(GAME.make_options({})) == ((0, 2), (1, 3))


# --- auction ---


@pytest.mark.rule("BR-10")
def test_bids_rise_by_level_and_strain() -> None:
    env = new(dealer=2)
    bids = [f"bid {level}{strain}" for level in range(1, 8) for strain in ("C", "D", "H", "S", "NT")]
    assert legal(env) == {"pass", *bids}  # no double, no reveal
    put(env, ["Dr-c Rv-c Sk-c"] * 4, "5h 6h 7h")
    assert legal(env) == {"pass", *bids}
    for seat, text in zip((2, 3, 0, 1), ("1D", "1NT", "3C", "7S"), strict=True):
        assert env.current_player == seat
        call(env, text)
        assert {label for label in legal(env) if label.startswith("bid")} == set(bids[bids.index(f"bid {text}") + 1 :])
    call(env, "7NT")
    assert legal(env) == {"pass", "double"}


@pytest.mark.rule("BR-11")
@pytest.mark.parametrize(
    ("course", "offered"),
    [
        ("1c", {"double"}),  # the other side's bid
        ("1c pass", set()),  # the own side's
        ("1c pass pass", {"double"}),
        ("1c double", {"redouble"}),
        ("1c double pass", set()),  # not by the side that doubled, nor twice
        ("1c double pass pass", {"redouble"}),
        ("1c double redouble", set()),
        ("1c double redouble pass", set()),
        ("1c double 1d", {"double"}),  # a new bid cancels
        ("1c double redouble 1d", {"double"}),
        ("pass pass", set()),
    ],
)
def test_doubles(course: str, offered: set[str]) -> None:
    assert {label for label in legal(call(new(), course)) if "double" in label} == offered


@pytest.mark.rule("BR-12")
def test_the_auction_ends() -> None:
    env = call(new(), "pass pass pass")
    assert legal(env) > {"pass", "bid 1C"}
    call(env, "pass")
    assert points(env) == 0
    env = call(new(), "pass pass pass 1h pass pass")
    assert legal(env) > {"pass", "bid 1S"}
    call(env, "pass")
    assert turn(env) == 0  # player 3 is declarer
    env = call(new(), "1c double pass pass")
    assert turn(env) == -1
    call(env, "pass")
    assert turn(env) == 1
    assert nonzero(seen(env, 0, "doubling")) == [1]


@pytest.mark.rule("BR-13")
@pytest.mark.parametrize(
    ("course", "declarer"),
    [
        ("1s pass 4s", 0),
        ("1c pass 1s pass 4s", 2),
        ("1s 2h pass 4h", 1),
        ("1h 1s 2h 2s pass 3s", 1),
        ("1NT 2h pass 3NT", 3),
        ("1h 1NT 2h 2NT pass 3h 4NT", 2),  # that the others were first in the strain does not matter
        ("1d 2d 3d", 0),
        ("1s 2s 2NT 3NT 4s 5s 6s", 0),
        ("pass pass 1c double redouble", 2),
    ],
)
def test_declarer(course: str, declarer: int) -> None:
    env = call(new(), f"{course} {PASS}")
    assert turn(env) == env.current_player == (declarer + 1) % 4
    assert nonzero(seen(env, declarer, "declarer")) == [0]
    assert nonzero(seen(env, (declarer + 1) % 4, "declarer")) == [3]


@pytest.mark.rule("BR-70")
def test_the_longest_auction() -> None:
    env = call(new(), PASS)
    for level in range(1, 8):
        for strain in ("C", "D", "H", "S", "NT"):
            call(env, f"{level}{strain} pass pass double pass pass redouble pass pass")
    assert turn(env) == -1
    call(env, "pass")
    assert turn(env) >= 0
    assert env.record["move_count"][0] == 319
    assert GAME.max_length(env.options) == 319 + 115
    assert GAME.max_length(GAME.make_options({"scoring": "rubber", "max_deals": 5})) == 5 * (319 + 115)


# --- reveals ---


@pytest.mark.rule("BR-40", "BR-41", "BR-42")
@pytest.mark.parametrize("seat", [0, 1, 3])
def test_declarer_and_defenders_reveal_in_their_turns(seat: int) -> None:
    hands = ["2h 2c", "5h 6c", "Kh 9c", "4h 8c"]
    hands[seat] += " Dr-d"
    env = arranged(hands, pile="7c 8d 9c")
    course = ["1 play 5h", "2 play Kh", "3 play 4h", "0 play 2h"]
    for move in course[: (seat + 3) % 4]:
        assert "reveal Dr-d" not in legal(env)
        play(env, move)
    assert env.current_player == seat
    play(env, f"{seat} reveal Dr-d")
    assert turn(env) == seat  # goes on
    assert ids("7c 8d") <= set(env.zones()[f"hand/{seat}"])
    other = (seat + 1) % 4
    assert env.zones(f"player_{other}")[f"hand/{seat}"] == [-1] * 4


@pytest.mark.rule("BR-40")
def test_declarer_reveals_nothing_of_their_hand_in_dummys_turn() -> None:
    env = play(arranged(["2h Dr-d", "5h 6c", "Kh 9c", "4h 8c"], pile="7c 8d 9c"), "1 play 5h")
    assert legal(env) == {"play Kh"}
    play(env, "2 play Kh; 3 play 4h")
    assert legal(env) == {"play 2h", "reveal Dr-d"}


@pytest.mark.rule("BR-43", "BR-44")
def test_revealed_reverses_and_skips() -> None:
    env = play(arranged(["2h 2c", "5h 6c", "Kh 9c", "4h Rv-c"], pile="7c"), "1 play 5h; 2 play Kh; 3 reveal Rv-c")
    assert (order(env), turn(env)) == (-1, 0)  # counterclockwise of 3, but 2 and 1 have played
    play(env, "0 play 2h; 3 play 4h")
    assert value(env, "tricks", 0) == 1
    env = play(arranged(["2h 2c", "5h 6c", "Kh 9c", "4h Sk-c"], pile="7c"), "1 play 5h; 2 play Kh; 3 reveal Sk-c; 0 play 2h")
    assert turn(env) == 2
    assert hand(env, 3) == "4h 7c"


# --- tricks and Jokers ---


@pytest.mark.rule("BR-21", "BR-45", "BR-46")
@pytest.mark.parametrize(
    ("bid", "trick", "winner"),
    [
        ("1NT", "5h Kh 4h 2h", 2),
        ("1NT", "5h Kc 4s 2c", 1),
        ("1s", "5h Kh 2s Ah", 3),
        ("1s", "5h 3s 2s Ah", 2),
        ("1s", "5h Kh Ah Dr-s", 0),  # one trump, though it is special
        ("1s", "5h Kh 2s Dr-s", 3),  # the one of an ordered rank
        ("1NT", "5h Kh Ah Dr-s", 3),
        ("1NT", "Dr-h Kc 4s 2c", 1),  # one card of the led suit
        ("1c", "Dr-h Kc 4s 2c", 2),
        ("1NT", "Dr-h Kc 4s Rv-h", None),
        ("1s", "5h Kh Rv-s Dr-s", None),
        ("1s", "5h 2s Rv-s Dr-s", 2),
    ],
)
def test_who_wins_a_trick(bid: str, trick: str, winner: int | None) -> None:
    cards_played = dict(zip((1, 2, 3, 0), trick.split(), strict=True))
    env = arranged([f"{cards_played[seat]} 2d" for seat in range(4)], bid=bid)
    for seat in (1, 2, 3, 0):
        if turn(env) != seat:  # a Reverse among them: its player plays before the last but one
            seat = turn(env)
        play(env, f"{seat} play {cards_played[seat]}")
    assert won(env) == [int(winner is not None and winner % 2 == side) for side in range(2)]
    assert (zone(env, "dead") != "") == (winner is None)


@pytest.mark.rule("BR-21")
def test_suit_is_followed_and_nothing_else_asked() -> None:
    env = arranged(["2h 2c Jk", "5h 6c", "Kh Sk-h 9c", "4s 8c Rv-d"], bid="1s")
    assert legal(env) == {"play 5h", "play 6c"}  # anything may be led
    play(env, "1 play 5h")
    assert legal(env) == {"play Kh", "play Sk-h"}
    play(env, "2 play Kh")
    assert legal(env) == {"play 4s", "play 8c", "play Rv-d"}
    play(env, "3 play 8c")
    assert legal(env) == {"play 2h", "play SJ"}


@pytest.mark.rule("BR-30", "BR-31")
def test_example_15_no_joker_beats_the_ace_of_trumps() -> None:
    env = arranged(["2h 2c", "5h 6c", "Jk 9c", "As 8c"], bid="1s")
    play(env, "1 play 5h; 2 play SJ; 3 play As; 0 play 2h")
    assert value(env, "tricks", 1) == 1
    assert turn(env) == 3


@pytest.mark.rule("BR-30", "BR-32")
@pytest.mark.parametrize(("answer", "winner"), [("win", 2), ("lose", 3)])
def test_example_16_declarer_settles_the_joker_of_dummy(answer: str, winner: int) -> None:
    env = arranged(["2h 2c", "5h 6c", "Jk 9c", "9h 8c"])
    play(env, "1 play 5h; 2 play SJ; 3 play 9h; 0 play 2h")
    assert (turn(env), env.current_player) == (2, 0)
    assert seen(env, 0, "for_dummy")[0]
    assert legal(env) == {"win with the Joker", "lose with the Joker"}
    play(env, f"2 {answer} with the Joker")
    assert turn(env) == winner
    assert value(env, "tricks", winner % 2) == 1


@pytest.mark.rule("BR-31")
def test_at_no_trump_a_joker_never_beats_the_ace_of_the_led_suit() -> None:
    env = arranged(["2h 2c", "5h 6c", "Jk 9c", "Ah 8c"])
    play(env, "1 play 5h; 2 play SJ; 3 play Ah; 0 play 2h")
    assert turn(env) == 3
    env = arranged(["2h 2c", "5h 6c", "Jk 9c", "Ac 8c"])  # another ace is no matter
    play(env, "1 play 5h; 2 play SJ; 3 play Ac; 0 play 2h")
    assert legal(env) == {"win with the Joker", "lose with the Joker"}
    env = arranged(["2h 2c", "5h 6c", "Jk 9c", "Ah 8c"], bid="1s")  # with trumps neither is that of the led suit
    play(env, "1 play 5h; 2 play SJ; 3 play Ah; 0 play 2h; 2 win with the Joker")
    assert turn(env) == 2


@pytest.mark.rule("BR-32")
def test_a_joker_is_led_as_any_card_and_its_suit_is_followed() -> None:
    env = arranged(["2d 2c", "Jk 6c", "Kd 9c", "4d 8c"], bid="1s")
    play(env, "1 play SJ")
    assert env.current_player == 1
    assert legal(env) == {f"declare {cards.text([card])}" for card in range(52)}
    play(env, "1 declare 3d")
    assert nonzero(seen(env, 0, "led_suit")) == [1]
    assert legal(env) == {"play Kd"}
    play(env, "2 play Kd; 3 play 4d; 0 play 2d; 1 win with the Joker")  # the card declared was not final
    assert turn(env) == 1


@pytest.mark.rule("BR-32")
def test_declarer_declares_for_dummy() -> None:
    env = arranged(["2h 2c", "5h 6c", "Kh Jk", "4h 8c"])
    play(env, "1 play 5h; 2 play Kh; 3 play 4h; 0 play 2h; 2 play SJ")
    assert (turn(env), env.current_player) == (2, 0)
    play(env, "2 declare Ac; 3 play 8c; 0 play 2c; 1 play 6c")
    assert env.current_player == 0
    play(env, "2 win with the Joker")


@pytest.mark.rule("BR-46")
def test_example_17_a_disregarded_trick_and_the_reverse_it_leaves() -> None:
    env = arranged(["9d Tc", "5h 6c", "6h 9c", "Dr-s 8c"], bid="1s", pile="2d Rv-s 4d")
    play(env, "1 play 5h; 2 play 6h; 3 play Dr-s; 0 play Rv-s")
    assert won(env) == [0, 0]
    assert (value(env, "tricks_done"), zone(env, "dead")) == (1, "5h 6h Dr-s Rv-s")
    assert order(env) == -1
    play(env, "0 play 9d; 3 play 8c; 2 play 9c; 1 play 6c")


@pytest.mark.rule("BR-03")
def test_the_thirteenth_trick_is_the_last() -> None:
    env = arranged(["2h 2c", "5h 6c", "Kh 9c", "4h 8c"])
    env.record["tricks_done"] = 12
    see_anew(env)
    play(env, "1 play 5h; 2 play Kh; 3 play 4h; 0 play 2h")
    assert points(env) == -300  # one trick, so six down
    assert hand(env, 0) == "2c"
    assert dummy_seen(env, 1)[0]


# --- the points are in test_bridge_scores.py; what is seen ---


def test_the_auction_as_seen() -> None:
    env = call(new(dealer=3, vulnerability="ew"), "pass 1h double redouble 2c pass pass")
    assert nonzero(seen(env, 0, "phase")) == [0]
    assert nonzero(seen(env, 0, "opening_passes")) == [3]
    assert nonzero(seen(env, 2, "opening_passes")) == [1]
    bids = seen(env, 1, "bids").reshape(35, 3, 4)
    # 1h by player 0, doubled by 1, redoubled by 2; 2c by 3.
    assert np.argwhere(bids).tolist() == [[2, 0, 3], [2, 1, 0], [2, 2, 1], [5, 0, 2]]
    assert nonzero(seen(env, 1, "passes")) == [2]
    contract_seen = [nonzero(seen(env, 1, block)) for block in ("level", "strain", "doubling", "declarer")]
    assert contract_seen == [[2], [0], [0], [2]]
    assert [seen(env, seat, "vulnerable").tolist() for seat in range(4)] == [[0, 1], [1, 0], [0, 1], [1, 0]]
    assert nonzero(seen(env, 2, "dealer")) == [1]
    before = call(new(dealer=1), "pass pass")
    assert nonzero(seen(before, 1, "opening_passes")) == [0, 1]
    assert [nonzero(seen(before, 1, block)) for block in ("level", "strain", "doubling", "declarer")] == [[0], [], [], []]


@pytest.mark.parametrize(
    "course", ["pass pass", "pass 1h double redouble 2c pass pass", "1c pass pass double pass pass redouble 7NT pass pass pass"]
)
def test_all_calls_of_the_auction_are_said_in_their_order(course: str) -> None:
    facts = {fact.role: fact for fact in call(new(dealer=3), course).facts()}
    signs = {"double": "X", "redouble": "XX", "pass": "pass"}
    assert facts[FactRole.AUCTION].value == " ".join(signs.get(word, word.upper()) for word in course.split())
    assert facts[FactRole.AUCTION].seat == 3


def test_tricks_as_seen() -> None:
    env = arranged(["2h 2c", "5h 6c", "Kh 9c", "4h 8c"])
    play(env, "1 play 5h; 2 play Kh; 3 play 4h; 0 play 2h")
    for seat in range(4):
        assert seen(env, seat, "tricks").tolist() == pytest.approx([1 / 13, 0])
        assert nonzero(seen(env, seat, "phase")) == [1]


def test_a_rubber_as_seen() -> None:
    env = new(scoring="rubber")
    end_deal(env, "2s", 9)
    end_deal(env, "3NT", 9, declarer=1)
    end_deal(env, "2h", 8)
    assert [seen(env, seat, "games").tolist() for seat in (0, 3)] == [[0, 0.5], [0.5, 0]]
    assert seen(env, 2, "below").tolist() == pytest.approx([0.6, 0])
    assert seen(env, 1, "total").tolist() == pytest.approx([0.1, 0.15])
    assert seen(env, 0, "vulnerable").tolist() == [0, 1]
    assert "games 0:1; below the line 60:0; points 150:100" in env.describe()
    end = end_deal(new(vulnerability="both"), "3NT", 9)
    assert not any(seen(end, 0, block).any() for block in ("games", "below", "total"))


def test_labels_and_words() -> None:
    env = call(new(dealer=1, vulnerability="ns"), "1NT double redouble pass")
    assert (
        env.describe() == "player 1 deals; vulnerable: North-South\n1NT by player 1 doubled by player 2 redoubled by player 3"
    )
    put(call(env, "pass"), ["Kh"] + [REST] * 3)
    assert env.action_from_label("bid 7nt") == 170
    named = {133: "pass", 134: "double", 135: "redouble", 136: "bid 1C", 140: "bid 1NT"}
    assert {action: env.action_label(action) for action in named} == named
    env = play(arranged(["2h 2c", "5h 6c", "Kh", "4h 8c"], bid="4s"), "1 play 5h")
    lines = env.describe().splitlines()
    assert lines[1:] == [
        "4S by player 0; player 0 is declarer, player 2 dummy",
        "tricks: North-South 0, East-West 0; trick 1; player 1 led 5h; dummy is to play",
    ]


# --- determinizations ---


def test_a_determinization_keeps_dummy_once_it_lies_open() -> None:
    env = contract(new(), "1NT")
    seeds = range(30)

    def hands(viewer: int, seat: int) -> set[bytes]:
        return {record["hand"][seat].tobytes() for record in determinizations(env, viewer, seeds)}

    assert all(len(hands(viewer, 2)) > 1 for viewer in (0, 1, 3))
    env.step(env.legal_actions()[0])
    assert all(len(hands(viewer, 2)) == 1 for viewer in (0, 1, 2, 3))
    assert all(len(hands(2, seat)) > 1 for seat in (0, 1, 3))  # dummy does not see declarer's hand


def test_a_determinization_knows_of_voids() -> None:
    env = arranged(["2h 2c 7d 7c", "5h 6c 6d 7s", "Kh 9c 8d 8s", "4s 8c 9d Td"], pile="Qh Jh Th 9h 8h 7h")
    play(env, "1 play 5h; 2 play Kh; 3 play 4s; 0 play 2h")
    assert value(env, "seen_void", 3) == 0b100
    for record in determinizations(env, 0, range(40)):
        held = ids_of(record["hand"][3])
        assert len(held) == 3
        assert not any(card % 4 == 2 for card in held)


# --- what is told ---


def told(env: Any, seat: int) -> list[str]:
    return [event.text() for event in env.history(f"player_{seat}")]


def test_calls_and_the_contract_are_told() -> None:
    env = call(new(dealer=3, vulnerability="ew"), "pass 1h double redouble pass pass 7NT pass pass pass")
    assert told(env, 1)[1] == "player 3 deals; vulnerable: East-West"
    assert told(env, 1)[6:] == [
        "player 3 passes",
        "player 0 bids 1H",
        "player 1 doubles",
        "player 2 redoubles",
        "player 3 passes",
        "player 0 passes",
        "player 1 bids 7NT",
        "player 2 passes",
        "player 3 passes",
        "player 0 passes",
        "player 1 is declarer in 7NT",
    ]
    env = call(new(), "pass pass pass pass")
    assert told(env, 2)[-3:] == ["player 3 passes", "everybody passes", "the game is over"]


def test_the_course_of_play_is_told() -> None:
    """Example 9: dummy's specials are redealt as it comes to lie open."""
    env = arranged(["2h 2c", "5h 6c", "Dr-d Sk-c Kh", "4h 8c"], pile="7c 8d 9c Ts")
    play(env, "1 play 5h; 3 play 4h; 0 play 2h")
    assert told(env, 3)[4:] == [
        "player 0 is declarer in 1NT",
        "player 1 plays 5h",
        "player 2 redeals Dr-d Sk-c",
        "player 2 draws 7c",
        "player 2 draws 8d",
        "player 2 draws 9c",
        "player 2 is skipped",
        "player 2 is dummy with 7c 8d 9c Kh",
        "player 3 plays 4h",
        "player 0 plays 2h",
        "player 1 wins the trick 5h 4h 2h",
    ]


def test_scores_are_told() -> None:
    env = put(new(scoring="rubber", honors=True), ["3c", "4c", "Ah Kh Qh Jh", "5c"])
    end_deal(env, "4h", 11, doubling="x")
    assert told(env, 0)[5:12] == [
        "player 0 makes the contract and 1 more",
        "player 0 and player 2 score 390",
        "player 0 and player 2 win a game",
        "player 0 or player 2 had 4 honors",
        "player 0 and player 2 score 100",
        "hand 2",
        "player 1 deals; vulnerable: North-South",
    ]
    env = end_deal(new(vulnerability="both"), "1NT", 5, declarer=1)
    assert told(env, 0)[-3:] == ["player 1 goes down by 2", "player 0 and player 2 score 200", "the game is over"]
