"""Hearts clause by clause: the deal, the pass, who leads, what may be played, who wins a trick."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from games.hearts_positions import (
    ALL_HEARTS,
    CLAIM,
    DECLINE,
    LOSE,
    RED,
    WIN,
    arranged,
    cards_of,
    dealt,
    deck_of_hands,
    field,
    labels,
    parse,
    play,
    seen,
    won,
)
from wilddeck import cards, make_batch
from wilddeck.envs import raw_env

CLUBS = "3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc"
SUITS = {suit: {f"declare {rank}{suit}" for rank in "23456789TJQKA"} for suit in "cdhs"}


def hand(env: Any, seat: int) -> set[str]:
    return set(cards.text(env.zones()[f"hand/{seat}"], joker_kinds=True).split())


# --- the deal ---


@pytest.mark.rule("HE-01", "HE-02")
@pytest.mark.parametrize(("deck", "pile"), [("extended", 14), ("standard", 0)])
def test_cards_are_dealt_one_at_a_time(deck: str, pile: int) -> None:
    env = raw_env("hearts_v0", deck=deck)
    ids = random.Random(1).sample(range(52 + pile), 52 + pile)
    env.reset(seed=1, options={"deck": ids})
    zones = env.zones()
    assert [zones[f"hand/{seat}"] for seat in range(4)] == [sorted(ids[seat:52:4]) for seat in range(4)]
    assert zones["pile"] == ids[52:]
    assert env.num_players == 4


MISDEAL = deck_of_hands(["3c"], pile="2c SJ BJ")


@pytest.mark.rule("HE-03")
def test_a_given_misdeal_is_refused() -> None:
    env = raw_env("hearts_v0")
    with pytest.raises(ValueError, match="misdeal: neither 2c nor a Joker is among the 52 cards dealt"):
        env.reset(options={"deck": MISDEAL})
    for place in (0, 25, 51):  # one of the three suffices
        ids = list(MISDEAL)
        ids[place], ids[53] = ids[53], ids[place]
        env.reset(options={"deck": ids})
    raw_env("hearts_v0", deck="standard").reset(options={"deck": [*range(52)]})


@pytest.mark.rule("HE-03")
def test_no_shuffled_deal_is_a_misdeal() -> None:
    """One in 126 would be."""
    hands = make_batch("hearts_v0", 4000, seed=3, passing="left").states["hand"]
    two, jokers = (hands[:, :, 0] & 1).any(axis=1), hands[:, :, 1].any(axis=1)
    assert (two | jokers).all()
    assert (~two).any()
    assert (~jokers).any()


@pytest.mark.parametrize("wrong", [[*range(52)], [0, *range(65)], ["2c"] * 66])
def test_a_deck_with_other_cards_is_refused(wrong: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"not a permutation of the 66 cards of hearts_v0|a deck is a list of card ids"):
        raw_env("hearts_v0").reset(options={"deck": wrong})


# --- the pass ---


@pytest.mark.rule("HE-04")
@pytest.mark.parametrize(("passing", "steps"), [("left", 1), ("across", 2), ("right", 3)])
def test_three_cards_go_to_the_left_across_or_to_the_right(passing: str, steps: int) -> None:
    env = dealt(["2c Ah Kh Qh", "SJ Dr-h Sk-c", "Rv-s As Ks", "3h 4h 5h"], passing=passing)
    before = [hand(env, seat) for seat in range(4)]
    passed = ["Ah Kh Qh", "SJ Dr-h Sk-c", "Rv-s As Ks", "3h 4h 5h"]
    for seat in range(4):
        for card in passed[seat].split():
            assert labels(env) == hand(env, seat)  # any card, one at a time; a chosen one leaves the hand; no reveals
            play(env, f"{seat}: {card}")
            assert card not in hand(env, seat) or seat == 3
    for seat in range(4):
        giver = (seat - steps) % 4
        assert hand(env, seat) == before[seat] - cards_of(passed[seat]) | cards_of(passed[giver])


@pytest.mark.rule("HE-04")
def test_cards_are_held() -> None:
    env = dealt(["2c"], passing="hold")
    assert env.describe().startswith("no pass; trick 1")
    assert labels(env) >= {"2c"}
    assert seen(env, 0, "pass_dir") == [1, 0, 0, 0]


@pytest.mark.rule("HE-04")
def test_directions_are_drawn_or_follow_one_another() -> None:
    def directions(**options: Any) -> list[int]:
        env, directions_seen = raw_env("hearts_v0", **options), []
        for seed in range(60 if options.get("match") != "match" else 1):
            env.reset(seed=seed)
            directions_seen.append(field(env, "pass_direction"))
            while env.legal_actions() and options.get("match") == "match":
                hands = field(env, "deals")
                env.step(env.legal_actions()[0])
                if field(env, "deals") != hands:
                    directions_seen.append(field(env, "pass_direction"))
        return directions_seen

    assert all(count > 5 for count in Counter(directions()).values())
    assert set(directions()) == {0, 1, 2, 3}
    assert directions(match="match", target=10_000, max_hands=6) == [1, 3, 2, 0, 1, 3]
    assert directions(passing="cycle") == [1] * 60
    assert len(set(directions(match="match", passing="random", target=10_000, max_hands=20))) == 4
    assert directions(match="match", passing="across", target=10_000, max_hands=3) == [2, 2, 2]
    assert raw_env("hearts_v0").options.passing == "random"
    assert raw_env("hearts_v0", match="match").options.passing == "cycle"


@pytest.mark.rule("HE-05")
def test_nobody_sees_passed_cards_before_all_have_passed() -> None:
    env = dealt(["2c Ah Kh Qh"], passing="left")
    for _ in range(11):
        for seat in range(4):
            assert sum(seen(env, seat, "received")) == 0
            assert sum(seen(env, seat, "passed")) == len(env.zones()[f"passed/{seat}"])
            for other in {0, 1, 2, 3} - {seat}:  # who has begun to pass holds their cards still, for the others
                zones, chosen = env.zones(f"player_{seat}"), 3 * (other < env.current_player)
                assert zones[f"passed/{other}"] == [-1] * chosen and len(zones[f"hand/{other}"]) == 13 - chosen
                assert round(27 * seen(env, seat, "hand_sizes")[(other - seat) % 4]) == 13 - chosen
        env.step(env.legal_actions()[-1])
    mine = env.zones()["passed/0"]
    env.step(env.legal_actions()[-1])
    assert [card for card, there in enumerate(seen(env, 1, "received")) if there] == mine
    assert [card for card, there in enumerate(seen(env, 0, "passed")) if there] == mine
    assert all(sum(seen(env, seat, "received")) == 3 for seat in range(4))


# --- who leads the first trick ---


@pytest.mark.rule("HE-10")
@pytest.mark.parametrize("any_club", [False, True])
def test_the_two_of_clubs_leads(any_club: bool) -> None:
    env = dealt(["", "", "2c 5c Qc"], deck="standard", can_lead_any_club=any_club)
    assert env.current_player == 2
    assert labels(env) == (cards_of("2c 5c Qc") if any_club else {"2c"})


@pytest.mark.rule("HE-11", "HE-12")
def test_who_holds_a_joker_may_claim() -> None:
    def start() -> Any:
        return dealt(["3c SJ", "2c", "4c", "BJ"])

    env = start()
    assert env.current_player == 0
    assert labels(env) == {CLAIM, DECLINE}
    assert field(play(env, f"0: {CLAIM}"), "opener") == 0
    assert labels(env) == {"SJ"}
    env = play(start(), f"0: {DECLINE}", f"3: {CLAIM}")
    assert env.current_player == 3
    assert labels(env) == {"BJ"}
    env = play(start(), f"0: {DECLINE}", f"3: {DECLINE}")
    assert env.current_player == 1
    assert labels(env) == {"2c"}


@pytest.mark.rule("HE-11", "HE-12")
def test_who_holds_the_two_of_clubs_is_not_asked() -> None:
    env = dealt(["", "2c SJ"])
    assert env.current_player == 1
    assert labels(env) == {"2c", "SJ"}
    env = dealt(["", "2c SJ", "BJ"])
    assert labels(play(env, f"2: {DECLINE}")) == {"2c", "SJ"}
    assert env.current_player == 1


@pytest.mark.rule("HE-11", "HE-12")
def test_without_the_two_of_clubs_the_last_joker_leads() -> None:
    env = dealt(["", "SJ", "", "BJ"], pile="2c")
    assert env.current_player == 1
    assert labels(play(env, f"1: {DECLINE}")) == {"BJ"}
    assert env.current_player == 3
    env = dealt(["", "SJ BJ"], pile="2c")
    assert env.current_player == 1
    assert labels(env) == {"SJ", "BJ"}


@pytest.mark.rule("HE-12")
@pytest.mark.parametrize("claims", [True, False], ids=["by claim", "for want of 2c"])
def test_the_lead_binds_when_the_turn_is_resumed(claims: bool) -> None:
    """Who was to lead a Joker and then draws 2c must lead the Joker all the same."""
    env = dealt(["3c SJ Rv-c", "BJ Sk-s" if claims else "Sk-s", "Sk-c", "Sk-d"], pile="2c 9h 8h 7h")
    if claims:
        play(env, f"0: {CLAIM}")
    assert labels(env) == {"SJ", "reveal Rv-c"}
    play(env, "reveal Rv-c", "3: reveal Sk-d", "2: reveal Sk-c", "1: reveal Sk-s")
    assert env.current_player == 0
    assert "2c" in hand(env, 0)
    assert labels(env) == {"SJ"}


@pytest.mark.rule("HE-12")
def test_the_holder_of_two_of_clubs_stays_bound() -> None:
    env = dealt(["2c 3c Rv-c", "Sk-s", "Sk-c", "Sk-d"], pile="SJ 9h 8h 7h")
    assert labels(env) == {"2c", "reveal Rv-c"}
    play(env, "reveal Rv-c", "3: reveal Sk-d", "2: reveal Sk-c", "1: reveal Sk-s")
    assert env.current_player == 0
    assert labels(env) == {"2c", "SJ"}


# --- the first trick ---


@pytest.mark.rule("HE-13")
def test_a_joker_that_leads_the_first_trick_is_the_two_of_clubs() -> None:
    """It is declared without a decision and stays 2c: the only ordered club, it wins."""
    env = dealt([f"2c SJ {CLUBS}", "Rv-c", "Qd Kd Ad", "Jd"], pile="Ac")
    play(env, "SJ")
    assert [card for card, there in enumerate(seen(env, 2, "declared")) if there] == parse("2c")
    assert seen(env, 2, "led_suit") == [1, 0, 0, 0]
    play(env, "1: Rv-c", "3: Jd", "2: Ad")
    assert won(env, 0) == cards_of("SJ Rv-c Jd Ad")


@pytest.mark.rule("HE-13")
def test_fixed_it_counts_as_a_real_two_of_clubs() -> None:
    """A second Joker may lose, for the first one can win; without the declaration it could not."""
    env = dealt([f"2c SJ {CLUBS}", "BJ 2d", "Qd Kd Ad", "Jd"], pile="Ac")
    play(env, "1: decline the lead", "0: SJ", "1: BJ", "2: Qd", "3: Jd")
    assert env.current_player == 1
    assert labels(env) == {WIN, LOSE}
    assert won(play(env, LOSE), 0) == cards_of("SJ BJ Qd Jd")


@pytest.mark.rule("HE-13")
@pytest.mark.parametrize(("answer", "winner"), [(WIN, 3), (LOSE, 2)])
def test_the_real_two_of_clubs_opens_its_value(answer: str, winner: int) -> None:
    """Worked example 7."""
    env = dealt(["9c", "2c", "Kc", "BJ"])
    play(env, f"3: {CLAIM}", "3: BJ", "0: 9c", "1: 2c", "2: Kc")
    assert env.current_player == 3
    assert labels(env) == {WIN, LOSE}
    assert len(won(play(env, answer), winner)) == 4


@pytest.mark.rule("HE-14")
def test_the_two_of_clubs_must_be_played_to_clubs() -> None:
    env = dealt(["SJ", "2c 9c BJ"])
    play(env, CLAIM, "SJ")
    assert labels(env) == {"2c"}
    env = dealt(["SJ", "9c BJ", "2c"])
    play(env, CLAIM, "SJ")
    assert labels(env) == {"9c", "BJ"}


@pytest.mark.rule("HE-15")
def test_another_leads_when_the_leader_has_lost_their_turn() -> None:
    """Worked example 13; then without clubs, and with 2c."""
    env = dealt(["", "2c 3c Sk-c", "9c Dr-c BJ Qd", "5c"], pile="9h")
    play(env, "2: decline the lead", "1: reveal Sk-c")
    assert env.current_player == 2
    assert labels(env) == {"9c", "Dr-c", "BJ", "reveal Dr-c"}
    play(env, "BJ")
    assert [card for card, there in enumerate(seen(env, 0, "declared")) if there] == parse("2c")
    assert labels(env) >= {"5c"}
    env = dealt(["3c SJ Sk-c", "2c 9c"], pile="9h")
    play(env, CLAIM, "reveal Sk-c")
    assert env.current_player == 1
    assert labels(env) == {"2c"}
    env = dealt(["3c SJ Sk-c", "2c 9c BJ"], pile="9h")
    play(env, CLAIM, "reveal Sk-c")
    assert labels(env) == {"2c", "BJ"}


@pytest.mark.rule("HE-15")
def test_without_clubs_and_jokers_anything_but_points_is_led() -> None:
    spades = "As Ks Qs Js Ts 9s 8s 7s 6s"
    env = dealt(["2c Sk-c", f"{spades} 2h 3h 4h 5h"], pile="9h")
    play(env, "reveal Sk-c")
    assert labels(env) == cards_of(spades) - {"Qs"}
    env = dealt(["2c Sk-c", f"Qs {RED.replace('Ah', '')}"], pile="9d")
    play(env, "reveal Sk-c")
    assert labels(env) == cards_of(f"Qs {RED.replace('Ah', '')}")  # HE-18 does not apply
    env = dealt(["2c Sk-c", f"{spades} 2h 3h 4h 5h"], pile="9h", no_pts_on_first_trick=False)
    play(env, "reveal Sk-c")
    assert labels(env) == cards_of(f"{spades} 2h 3h 4h 5h")


@pytest.mark.rule("HE-15")
def test_with_a_joker_and_no_clubs_the_joker_is_led() -> None:
    env = dealt(["2c Sk-c", "SJ As Ks Js Ts 9s 8s 7s 6s 2h 3h 4h 5h"], pile="9h")
    play(env, f"1: {DECLINE}", "0: reveal Sk-c")
    assert labels(env) == {"SJ"}


@pytest.mark.rule("HE-15")
def test_a_trick_led_in_another_suit_is_followed() -> None:
    """2c need not be played to it, and Qs may follow."""
    spades = "As Ks Js Ts 9s 8s 7s 6s 5s"
    env = dealt(["2c Sk-c", f"{spades} 2h 3h 4h 5h", "Qs 4s", "3s 3c"], pile="9h")
    play(env, "reveal Sk-c", "1: 5s")
    assert labels(env) == {"Qs", "4s"}


@pytest.mark.rule("HE-22")
def test_no_points_on_the_first_trick() -> None:
    hearts = "2h 3h 4h Dr-h Rv-h Sk-h"
    reveals = {"reveal Dr-h", "reveal Rv-h", "reveal Sk-h"}
    diamonds = "2d 3d 4d 5d 6d 7d"
    for options, expected in (({}, diamonds), ({"no_pts_on_first_trick": False}, f"{diamonds} {hearts} Qs")):
        env = dealt(["2c", f"{hearts} Qs {diamonds}"], pile="9h 8h 7h", **options)
        play(env, "2c")
        assert labels(env) == cards_of(expected) | reveals
    env = dealt(["2c", f"{hearts} Qs 5h 6h 7h 8h 9h Th"], pile="9d 8d 7d")  # no other card
    play(env, "2c")
    assert labels(env) == cards_of(f"{hearts} Qs 5h 6h 7h 8h 9h Th") | reveals
    env = dealt(["2c", f"{hearts} SJ Qs 5h 6h 7h 8h 9h"], pile="9d 8d 7d")  # Jokers do not count
    play(env, f"1: {DECLINE}", "2c")
    assert labels(env) == cards_of(f"{hearts} SJ Qs 5h 6h 7h 8h 9h") | reveals


# --- leading and following ---


@pytest.mark.rule("HE-16", "HE-17")
def test_suit_is_followed_specials_included() -> None:
    env = arranged(["5h 4c", "9h Rv-h Kc SJ", "Rv-c 2d", "3d 4d"], broken=1)
    play(env, "5h")
    assert labels(env) == {"9h", "Rv-h", "SJ"}
    play(env, "9h")
    assert labels(env) == {"Rv-c", "2d"}
    env = arranged(["5h 4c", "Dr-h Kc", "2c 2d", "3d 4d"], broken=1)
    play(env, "5h")
    assert labels(env) == {"Dr-h"}


@pytest.mark.rule("HE-16")
def test_the_highest_card_of_the_led_suit_wins_and_leads() -> None:
    env = arranged(["5c 4d", "Kc 3d", "Ah 2d", "7c 6d"])
    play(env, "0: 5c", "1: Kc", "2: Ah", "3: 7c")
    assert won(env, 1) == cards_of("Kc 5c Ah 7c")
    assert seen(env, 0, "tricks") == pytest.approx([0, 1 / 13, 0, 0])
    assert env.current_player == 1


@pytest.mark.rule("HE-17", "HE-18")
@pytest.mark.parametrize("options", [{}, {"broken": 1}, {"must_break_hearts": False, "broken": 1}])
def test_hearts_are_not_led_until_broken(options: dict[str, Any]) -> None:
    env = arranged(["5h Sk-h Qs SJ", "2c 3c", "4c 5c", "6c 7c"], **options)
    assert labels(env) == ({"Qs", "SJ", "5h", "Sk-h"} if "broken" in options else {"Qs", "SJ"})
    env = arranged(["5h Sk-h SJ", "2c 3c", "4c 5c", "6c 7c"], **options)
    assert labels(env) == {"SJ", "5h", "Sk-h"}


@pytest.mark.rule("HE-18", "HE-36")
def test_what_a_leading_joker_may_be_declared() -> None:
    others = ["2c 3c", "4c 5c", "6c 7c"]
    env = play(arranged(["5h Qs SJ", *others]), "SJ")
    assert labels(env) == SUITS["c"] | SUITS["d"] | SUITS["s"]
    assert seen(env, 1, "question") == [0, 1, 0]
    every = SUITS["c"] | SUITS["d"] | SUITS["h"] | SUITS["s"]
    assert labels(play(arranged(["5h Qs SJ", *others], broken=1), "SJ")) == every
    assert labels(play(arranged(["5h 6h SJ", *others]), "SJ")) == every
    assert labels(play(arranged(["BJ SJ", *others]), "SJ")) == every  # only Jokers


@pytest.mark.rule("HE-19")
@pytest.mark.parametrize("instead", [False, True])
def test_hearts_instead_of_the_queen(instead: bool) -> None:
    others = ["2c 3c", "4c 5c", "6c 7c"]
    env = arranged(["5h Dr-h Qs SJ", *others], can_lead_hearts_instead_of_qs=instead)
    assert labels(env) == ({"5h", "Dr-h", "Qs", "SJ"} if instead else {"Qs", "SJ"})
    env = arranged(["5h Dr-h Qs Js", *others], can_lead_hearts_instead_of_qs=instead)
    assert labels(env) == {"Qs", "Js"}
    env = play(arranged(["5h Qs SJ", *others], can_lead_hearts_instead_of_qs=instead), "SJ")
    assert (labels(env) >= SUITS["h"]) is instead


def broken_by(*texts: str, hands: list[str], **options: Any) -> bool:
    env = arranged(hands, **options)
    before = field(env, "broken")
    play(env, *texts)
    assert before == 0
    return bool(field(env, "broken"))


@pytest.mark.rule("HE-20")
def test_what_breaks_hearts() -> None:
    hands = ["5d Qs SJ 3h", "2h Rv-h Qc 2s", "4c 5c 9h", "6c 7c 6s"]
    assert broken_by("5d", "2h", hands=hands)
    assert broken_by("5d", "Rv-h", hands=hands)
    assert not broken_by("5d", "Qc", hands=hands)
    assert broken_by("Qs", hands=hands)
    assert not broken_by("Qs", hands=hands, qs_breaks_hearts=False)
    assert not broken_by("SJ", "declare Qs", hands=hands)  # no Queen of Spades was played
    assert not broken_by("SJ", "declare Ad", hands=hands)
    assert broken_by("SJ", "declare 2h", hands=["5h 6h SJ", *hands[1:]])
    assert dealt(["2c"], must_break_hearts=False).record["broken"][0] == 1
    assert seen(dealt(["2c"], must_break_hearts=False), 3, "broken") == [1]
    assert seen(dealt(["2c"]), 3, "broken") == [0]


# --- specials ---


@pytest.mark.rule("HE-30")
def test_a_draw_played_makes_the_next_player_take_two() -> None:
    """Worked example 3."""
    env = arranged(["Dr-h 2d", "4h 3d", "Ah 4d", "2c 5d"], pile="9c 9d 9s", broken=1)
    play(env, "0: Dr-h")
    assert hand(env, 1) == cards_of("4h 3d 9c 9d")
    play(env, "1: 4h", "2: Ah", "3: 2c")
    assert won(env, 2) == cards_of("Dr-h 4h Ah 2c")
    assert seen(env, 2, "points") == pytest.approx([3 / 26, 0, 0, 0])


@pytest.mark.rule("HE-31")
def test_a_reverse_played_puts_off_the_next_turn() -> None:
    env = arranged(["Rv-c 2d", "4c 3d", "Ac 4d", "2c 5d"])
    play(env, "0: Rv-c", "3: 2c", "2: Ac", "1: 4c")
    assert won(env, 2) == cards_of("Rv-c 2c Ac 4c")
    assert seen(env, 0, "direction") == [0]


@pytest.mark.rule("HE-32", "HE-38")
def test_a_skip_played_and_a_disregarded_trick() -> None:
    """Worked example 4."""
    env = arranged(["Sk-h 2d", "4h 3d", "Rv-h 4d", "7d 5d"], broken=1)
    play(env, "0: Sk-h", "2: Rv-h")
    assert field(env, "direction") == -1
    play(env, "3: 7d")
    assert env.current_player == 0
    assert [sum(seen(env, 0, name)) for name in ("won", "points", "tricks")] == [0, 0, 0]
    assert set(parse("Sk-h Rv-h 7d")) <= {card for card, there in enumerate(seen(env, 1, "dead")) if there}
    assert field(env, "direction") == -1


@pytest.mark.rule("HE-33")
def test_a_special_revealed_acts_on_oneself() -> None:
    env = arranged(["Sk-h Rv-c Dr-d 2d", "4h 3d", "2c 4d", "7d 5d"], pile="9c 9d 9s")
    assert labels(env) == {"2d", "Rv-c", "Dr-d", "reveal Sk-h", "reveal Rv-c", "reveal Dr-d"}
    play(env, "reveal Dr-d")
    assert labels(env) == {"redeal", "reveal Sk-h", "reveal Rv-c"}
    play(env, "redeal")
    assert hand(env, 0) == cards_of("Sk-h Rv-c 2d 9c 9d")
    play(env, "reveal Sk-h")
    assert hand(env, 0) == cards_of("Rv-c 2d 9c 9d 9s")
    assert env.current_player == 1
    assert labels(env) == {"3d"}


# --- Jokers ---


@pytest.mark.rule("HE-34")
def test_a_joker_never_beats_the_queen_of_spades() -> None:
    """Worked example 5."""
    for last, winner in (("2s", 1), ("Ks", 3)):
        env = arranged(["4s 2c", "Qs 3c", "SJ 4c", f"{last} 5c"])
        play(env, "0: 4s", "1: Qs", "2: SJ", f"3: {last}")
        assert won(env, winner) == {"4s", "Qs", "SJ", last}
        assert seen(env, winner, "points")[0] == pytest.approx(13 / 26)


@pytest.mark.rule("HE-34")
@pytest.mark.parametrize(("answer", "winner"), [(WIN, 2), (LOSE, 0)])
def test_in_other_suits_the_queen_is_no_obstacle(answer: str, winner: int) -> None:
    """Worked example 6."""
    env = arranged(["9d 2c", "Qs 3c", "SJ 4c", "2d 5c"])
    play(env, "0: 9d", "1: Qs", "2: SJ", "3: 2d")
    assert env.current_player == 2
    assert labels(env) == {WIN, LOSE}
    assert won(play(env, answer), winner) == cards_of("9d Qs SJ 2d")


@pytest.mark.rule("HE-34")
def test_in_a_trick_of_spades_without_the_queen_a_joker_may_win() -> None:
    env = arranged(["4s 2c", "Js 3c", "SJ 4c", "2s 5c"])
    play(env, "0: 4s", "1: Js", "2: SJ", "3: 2s")
    assert labels(env) == {WIN, LOSE}


@pytest.mark.rule("HE-35")
def test_a_joker_does_not_duplicate_a_card_of_its_trick() -> None:
    env = arranged(["9d 2c", "Ad 3c", "SJ 4c", "2d 5c"])
    play(env, "0: 9d", "1: Ad", "2: SJ", "3: 2d")
    assert won(env, 1) == cards_of("9d Ad SJ 2d")
    env = arranged(["9d 2c", "BJ 3c", "SJ 4c", "2d 5c"])
    play(env, "0: 9d", "1: BJ", "2: SJ", "3: 2d", f"1: {WIN}")
    assert won(env, 1) == cards_of("9d BJ SJ 2d")


@pytest.mark.rule("HE-36")
@pytest.mark.parametrize(("answer", "winner"), [(WIN, 0), (LOSE, 1)])
def test_the_declaration_does_not_bind_the_value(answer: str, winner: int) -> None:
    env = arranged(["SJ 2c", "9d 3c", "Kc 4c", "2d 5c"])
    play(env, "SJ", "declare 5d")
    assert labels(env) == {"9d"}
    play(env, "1: 9d", "2: Kc", "3: 2d", f"0: {answer}")
    assert won(env, winner) == cards_of("SJ 9d Kc 2d")


@pytest.mark.rule("HE-37")
def test_one_card_of_the_led_suit_wins_special_or_not() -> None:
    env = arranged(["Dr-c 2d", "9h 3d", "Kh 4d", "As 5d"])
    play(env, "0: Dr-c", "1: 9h", "2: Kh", "3: As")
    assert won(env, 0) == cards_of("Dr-c 9h Kh As")


@pytest.mark.rule("HE-13", "HE-15")
def test_a_carried_draw_after_the_first_trick() -> None:
    """Worked example 8: nobody holds 2c; the Joker, 2c, is led unasked."""
    clubs = "3c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac"
    for first, winner in (("4c", 0), ("7d", 3)):
        filled = ["4c", "Rv-c", "Dr-c", "BJ"] if first == "4c" else ["7d", "Rv-c", "Dr-c", "BJ"]
        env = dealt(filled, pile=f"2c {clubs}" if first == "4c" else f"2c 4c {clubs}")
        assert env.current_player == 3
        play(env, "3: BJ", f"0: {first}", "1: Rv-c", "2: Dr-c")
        assert won(env, winner) == {"BJ", first, "Rv-c", "Dr-c"}
        assert env.current_player == winner
        assert len(hand(env, winner)) == 14
        assert "2c" in hand(env, winner)


@pytest.mark.rule("HE-06")
def test_thirteen_tricks_are_played_whatever_is_left() -> None:
    env = arranged(["5d 6d 7d", "2c", "3c", "4c"], tricks_done=12)
    play(env, "0: 5d", "1: 2c", "2: 3c", "3: 4c")
    assert env.legal_actions() == []
    assert hand(env, 0) == cards_of("6d 7d")
    assert all(env.terminations.values())


@pytest.mark.rule("HE-51")
def test_the_longest_hand() -> None:
    game = raw_env("hearts_v0").game
    assert game.max_length(game.make_options({})) == 12 + 3 + 115
    assert game.max_length(game.make_options({"match": "match", "max_hands": 7})) == 7 * 130


def test_the_deck_has_sixteen_hearts() -> None:
    assert len(parse(ALL_HEARTS)) == 16


# --- what is told ---
