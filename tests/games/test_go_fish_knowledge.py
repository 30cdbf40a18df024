"""What determinizations of Go Fish keep, and that all that is left is equally likely: beside all arrangements, counted out."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest
from games.go_fish_positions import RANKS, arranged, ask, bits, field, labels, parse, play
from support import determinizations, see_anew
from wilddeck.envs.core.extended.sets import ids_of

SAMPLES = 4000


def rank_of(card: int) -> str:
    """Jokers have none."""
    return "" if card in (52, 53) else RANKS[card // 4 if card < 52 else 13 + (card - 54) // 4]


def arrangements(env: Any, viewer: int) -> Counter[tuple[tuple[int, ...], ...]]:
    """The hands of the others in many samples."""
    counts: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for record in determinizations(env, viewer, range(SAMPLES)):
        counts[tuple(tuple(ids_of(record["hand"][seat])) for seat in range(env.num_players) if seat != viewer)] += 1
    return counts


def possible(env: Any, viewer: int) -> set[tuple[tuple[int, ...], ...]]:
    """All hands of the others that agree with what the record says they are known to hold."""
    zones = env.zones()
    others = [seat for seat in range(env.num_players) if seat != viewer]
    cards = sorted(card for name in (*(f"hand/{seat}" for seat in others), "pile") for card in zones[name])
    met = {card for card in cards if field(env, "met")[viewer] >> (card if card < 52 else card - 2) & 1}
    arrangements_left = set()

    def deal(left: frozenset[int], seats: list[int], hands: tuple[tuple[int, ...], ...]) -> None:
        if not seats:
            arrangements_left.add(hands)
            return
        for hand in itertools.combinations(sorted(left), len(zones[f"hand/{seats[0]}"])):
            if met & set(zones[f"hand/{seats[0]}"]) == met & set(hand) and agrees(env, seats[0], hand, wild_unseen):
                deal(left - set(hand), seats[1:], (*hands, hand))

    wild_unseen = any(card in (52, 53) for card in cards)
    deal(frozenset(cards), others, ())
    return arrangements_left


def agrees(env: Any, seat: int, hand: tuple[int, ...], wild_unseen: bool) -> bool:
    counts = Counter(map(rank_of, hand))
    jokers = counts[""]
    for rank in RANKS:
        standard = len(rank) == 1
        held, least, place = counts[rank], field(env, "known")[seat][RANKS.index(rank)], RANKS.index(rank)
        if field(env, "owned")[seat] >> place & 1 and not (standard and env.options.joker_asks and jokers):
            least += 1
        if held < least or (field(env, "lacks")[seat] >> place & 1 and held) or (standard and held == 4):
            return False
    if jokers < field(env, "jokers")[seat]:
        return False
    if seat == env.current_player:
        fished = field(env, "fished") >> seat & 1
        stock = len(env.zones()["pile"]) > 0
        if fished:
            books = [rank for rank in RANKS[:13] if counts[rank] >= 2 and counts[rank] + jokers >= 4]
            return bool(books) or any(counts[kind] == 4 or (counts[kind] and stock) for kind in RANKS[13:])
        return env.options.joker_asks or jokers < len(hand)
    return True


def check(env: Any, viewer: int) -> set[tuple[tuple[int, ...], ...]]:
    """Samples are the possible arrangements, each as often (chi-square, far out)."""
    expected, counts = possible(env, viewer), arrangements(env, viewer)
    assert set(counts) == expected
    mean = SAMPLES / len(expected)
    surplus = sum((counts[hands] - mean) ** 2 / mean for hands in expected) - (len(expected) - 1)
    assert surplus < 6 * (2 * len(expected)) ** 0.5 + 6
    return expected


@pytest.mark.parametrize(
    ("hands", "pile", "values"),
    [
        (["2c", "7c 7d 8c", "9c Tc"], "Jd Qh", {}),
        (["2c", "7c 7d 8c", "9c Tc"], "7h 7s", {}),  # not all four 7s to seat 1
        (["2c", "7c 7d 8c", "9c Tc"], "7h 8d", {"known": {1: {"7": 2}}}),
        (["2c", "7c 7d 8c", "9c 8h"], "7h 8d", {"known": {1: {"7": 1}}, "asked": {1: "7"}, "owned": {1: "7"}}),
        (["2c", "7c 7d 8c", "9c 8h"], "7h 8d", {"lacks": {1: "9", 2: "7 T"}}),
        (["2c", "7c 8c", "SJ 8h"], "7h 8d BJ", {"asked": {1: "7", 2: "7"}, "owned": {1: "7", 2: "7"}}),
        (["2c", "7c 8c", "SJ 8h"], "7h 8d BJ", {"asked": {2: "9"}, "owned": {2: "9"}}),
        (["2c BJ", "7c 8c", "SJ 8h"], "7h 8d", {"asked": {2: "7"}, "owned": {2: "7"}, "lacks": {2: "7"}}),
        (["2c SJ BJ", "7c 8c", "7d 8h"], "7h 8d", {"asked": {1: "7", 2: "7"}, "owned": {1: "7", 2: "7"}}),
        (["2c", "7c 8c", "7d 8h"], "SJ 8d", {"asked": {1: "7"}, "owned": {1: "7"}, "joker_asks": False}),
        (["2c", "SJ", "7d 8h"], "BJ 8d 9c", {"jokers": [0, 1, 0, 0, 0, 0], "joker_asks": False}),
        (["2c", "7c", "7d SJ"], "BJ 8d 9c", {"turn": 1, "joker_asks": False}),
        (["2c", "7c SJ", "7d 9h"], "BJ 8d 9c", {"turn": 1, "joker_asks": False}),
        (["2c", "Dr-c Dr-d", "7d Dr-h"], "Dr-s 8d", {"known": {2: {"Dr": 1}}, "asked": {1: "Dr"}, "owned": {1: "Dr"}}),
        (["2c", "Dr-c 8c", "7d Sk-h"], "Dr-s 8d", {"turn": 1, "fished": 2, "acted": 2}),
        (["2c", "8s 8c SJ BJ", "7d"], "9c 8d", {"turn": 1, "fished": 2, "acted": 2}),
        (["2c", "7c 7d 8c", "9c 8h"], "", {"known": {1: {"7": 1}}, "lacks": {1: "9"}}),
        (["2c", "7c 7d", "9c 8h"], "7h 8d", {"met": {0: "7c 8h"}, "known": {1: {"7": 2}, 2: {"8": 1}}}),
    ],
    ids=str,
)
def test_all_arrangements_are_equally_likely(hands: list[str], pile: str, values: dict[str, Any]) -> None:
    env = arranged(hands, pile=pile, **{name: value for name, value in values.items() if not isinstance(value, dict)})
    record = env.record[0]
    for name in set(values) & {"known", "asked", "owned", "lacks", "met"}:
        for seat, facts in values[name].items():
            if name == "known":
                for rank, count in facts.items():
                    record["known"][seat, RANKS.index(rank)] = count
            elif name == "met":
                record["met"][seat] = sum(1 << card for card in parse(facts))
            else:
                record[name][seat] = bits(facts)
    see_anew(env)
    assert len(check(env, 0)) > 1


def test_more_places_than_one_can_list() -> None:
    """Six players, of whom much is known: every sample agrees with it."""
    hands = ["2c 3c", "7c 7d 8c Kh", "9c Tc SJ 4d", "Qd 7h 5c 5d", "Kc Kd 9d Dr-c", "2d 2h BJ Rv-c"]
    env = arranged(hands, pile="Ah As Ad 8h 8s 9h Jc Jd Sk-c Dr-d")
    record = env.record[0]
    record["known"][1, RANKS.index("7")] = 2
    record["asked"][[2, 4]] = record["owned"][[2, 4]] = bits("9"), bits("9 Dr")
    record["lacks"][[1, 3, 5]] = bits("2 9"), bits("K 2"), bits("7 8 K Dr")
    see_anew(env)
    seats = range(1, 6)
    for record in determinizations(env, 0, range(300)):
        assert all(agrees(env, seat, tuple(ids_of(record["hand"][seat])), True) for seat in seats)


def test_given_cards_stay_where_they_went() -> None:
    env = arranged(["7s 2c", "7c 7d Kc", "7h 2d"], pile="As 3c 4c 5c 6c 8c")
    ask(env, 1, "7s")
    for record in determinizations(env, 1, range(60)):
        assert set(parse("7c 7d")) <= set(ids_of(record["hand"][0]))
    third = Counter(card for record in determinizations(env, 2, range(300)) for card in ids_of(record["hand"][0]))
    assert third[parse("7h")[0]] == 0  # their own
    assert all(third[card] > 60 for card in parse("7c 7d 7s"))  # two of the three at least, they have not seen which
    assert field(env, "met") == [0, sum(1 << card for card in parse("7c 7d")), 0, 0, 0, 0]


def test_what_was_asked_on_a_joker_that_may_be_laid_since_tells_nothing() -> None:
    env = arranged(["SJ 2c", "4c 4d Kc", "Qd"], pile="As 3c 5c 6c 8c")
    ask(env, 1, "4s")
    assert field(env, "owned")[0] == bits("4")
    ask(env, 2, "4s")
    assert field(env, "owned")[0] == bits("4")
    env = arranged(["7c 7d 7s SJ 4h", "4c Kc", "Qd"], pile="As 3c 5c 6c 8c")
    ask(env, 1, "4s")
    play(env, "lay the book of 7s")
    assert field(env, "owned")[0] == 0
    ask(env, 2, "4s")
    assert field(env, "owned")[0] == 0
    assert field(env, "known")[0][2] == 1


def test_specials_that_are_redealt_are_those_got_openly_first() -> None:
    env = arranged(["Dr-c Dr-d 2c", "Dr-h", "Qd"], pile="As 3c 5c 6c 8c 9c")
    ask(env, 1, "Draws")
    held = [field(env, "known")[0][13] + (field(env, "owned")[0] >> 13 & 1)]
    for card in ("Dr-c", "Dr-d", "Dr-h"):
        play(env, f"reveal {card}", *["redeal"] * (card != "Dr-h"))
        held.append(field(env, "known")[0][13] + (field(env, "owned")[0] >> 13 & 1))
    assert held == [2, 1, 0, 0]


def test_a_hand_of_jokers_is_known() -> None:
    env = arranged(["7s 2c", "SJ BJ", "Qd"], pile="Ah 9c 4c", joker_asks=False)
    ask(env, 2, "7s")
    assert field(env, "jokers")[1] == 2
    assert "2 Jk" in env.describe("player_0")
    for record in determinizations(env, 0, range(20)):
        assert {52, 53} <= set(ids_of(record["hand"][1]))
    assert "ask player 1 for Qs" in labels(env)
