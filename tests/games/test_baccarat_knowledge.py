"""What all know of hands that lie face down, and that samples keep to it and to nothing else."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from games.baccarat_positions import banque, chemin
from games.baccarat_reference import is_special, tableau, total
from games.shoe_positions import play, seen, short_shoe
from support import determinizations
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended.shoe import listed
from wilddeck.envs.games.baccarat import state as names

SAMPLES = 300
Known = Callable[[list[int]], bool]  # whether the cards of a hand that lie face down can be these


def special(hidden: list[int]) -> bool:
    return any(map(is_special, hidden))


def plain(*totals: int) -> Known:
    """No special, and one of these totals."""
    return lambda hidden: not special(hidden) and total(hidden) in totals


def asked(*totals: int) -> Known:
    return lambda hidden: special(hidden) or total(hidden) in totals


def samples(env: CardGameEnv, seat: int, place: int, count: int = SAMPLES) -> list[list[int]]:
    """What lies face down in a hand, staged cards left out, as a seat imagines it."""
    hands = []
    for record in determinizations(env, seat, range(count)):
        hidden = record["hand"][place].astype(int) - record["shown"][place]
        if record["turn"] == place:
            hidden[54:] -= record["staged"]
        hands.append(listed(hidden))
    return hands


def totals(hands: list[list[int]]) -> set[int]:
    return {total(hidden) for hidden in hands if not special(hidden)}


def check(env: CardGameEnv, seat: int, place: int, known: Known, expected: set[int], specials: bool) -> None:
    """Samples are as all know a hand to be, and all that is left open comes."""
    hands = samples(env, seat, place)
    assert all(map(known, hands))
    assert totals(hands) == expected and any(map(special, hands)) == specials


BEFORE_THE_TURN = set(range(8))


@pytest.mark.rule("BA-24", "BA-25", "BA-42", "BA-56")
@pytest.mark.parametrize(
    ("hand", "course", "totals", "has_special"),
    [
        ("7c Kd", "", {6, 7}, False),  # stood, and was not asked
        ("2c Kd", "", {0, 1, 2, 3, 4}, False),  # drew, and was not asked
        ("5c Kd", "1 stand", {5}, True),
        ("5c Kd", "1 draw", {5}, True),
        ("Sk-c Kd", "1 stand", {5}, True),
    ],
)
def test_a_hand_that_is_done(hand: str, course: str, totals: set[int], has_special: bool) -> None:
    env = chemin([hand, "2h Kh"], "3d")
    play(env, course)
    check(env, 0, names.P, (asked if has_special else plain)(*totals), totals, has_special)


@pytest.mark.rule("BA-42")
def test_without_specials_there_are_none() -> None:
    env = chemin(["5c Kd", "2h Kh"], "3d", deck="standard")
    check(env, 0, names.P, plain(5), {5}, False)
    check(env, 1, names.B, plain(*BEFORE_THE_TURN), BEFORE_THE_TURN, False)


@pytest.mark.rule("BA-24", "BA-42")
def test_a_hand_before_its_turn_is_no_natural() -> None:
    env = chemin(["5c Kd", "2h Kh"])
    check(env, 1, names.B, asked(*BEFORE_THE_TURN), BEFORE_THE_TURN, True)


@pytest.mark.rule("BA-56")
def test_a_hand_in_turn_is_asked() -> None:
    check(chemin(["5c Kd", "2h Kh"]), 0, names.P, asked(5), {5}, True)
    check(chemin(["2c Kd", "2h Kh"], punter_rule="free"), 0, names.P, asked(*range(8)), BEFORE_THE_TURN, True)
    check(chemin(["7c Kd", "2h Kh"]), 1, names.B, asked(*range(8)), BEFORE_THE_TURN, True)


@pytest.mark.rule("BA-42", "BA-54")
def test_a_hand_after_a_redeal() -> None:
    """Paused, two cards that are no natural; three by a Draw may count anything, as may what a Skip has ended."""
    env = chemin(["Rv-c 2d", "5h Kh"], "2h", "0 take the bank with 8; 1 banco; 1 reveal Rv-c")
    check(env, 0, names.P, asked(*range(8)), BEFORE_THE_TURN, True)
    env = chemin(["Sk-c 2d", "5h Kh"], "2h", "0 take the bank with 8; 1 banco; 1 reveal Sk-c")
    check(env, 0, names.P, asked(*range(8)), BEFORE_THE_TURN, True)
    env = chemin(["Dr-c Sk-c", "5h Kh"], "2h 3h 4h", "0 take the bank with 8; 1 banco; 1 reveal Dr-c; 1 reveal Sk-c")
    check(env, 0, names.P, asked(*range(10)), set(range(10)), True)
    env = chemin(["Dr-c 2c", "5h Kh"], "2h 5d 4h", "0 take the bank with 8; 1 banco; 1 reveal Dr-c")
    check(env, 0, names.P, plain(6, 7, 8, 9), {6, 7, 8, 9}, False)


@pytest.mark.rule("BA-44")
def test_a_hand_with_something_staged_has_another_special() -> None:
    env = chemin(["Dr-c Rv-c", "5h Kh"], "2h", "0 take the bank with 8; 1 banco; 1 reveal Dr-c")
    hands = samples(env, 0, names.P)
    assert all(len(hidden) == 1 and special(hidden) for hidden in hands) and len(set(map(tuple, hands))) == 12


@pytest.mark.rule("BA-58")
def test_a_banker_who_went_by_the_tableau() -> None:
    """While P is paused custom binds B, or nothing. Whom the tableau binds has a special if they are asked."""
    env = chemin(
        ["Rv-c 3d", "7h Kh"], "2h", "0 take the bank with 8; 1 banco; 1 reveal Rv-c", banker_rule="tableau", punter_rule="free"
    )
    check(env, 1, names.B, asked(*range(8)), BEFORE_THE_TURN, True)
    env = chemin(
        ["Rv-c Sk-d", "7h Kh"], "2h", "0 take the bank with 8; 1 banco; 1 reveal Rv-c; 1 redeal", banker_rule="tableau"
    )
    assert env.current_player == 1
    check(env, 1, names.B, plain(6, 7), {6, 7}, False)
    env = chemin(["Qc Kd", "Sk-h Kh"], "8d", banker_rule="tableau")
    check(env, 1, names.B, special, set(), True)
    assert not tableau(3, 8), "who is asked has a special, whatever t"


@pytest.mark.rule("BA-34")
def test_three_hands() -> None:
    """Who holds none imagines all three; a hand that was shown is what it is."""
    env = banque(["7c Kd", "5d Kh", "2h Ks"])
    for seat, places in ((0, (names.P, names.L)), (1, (names.P, names.B)), (2, (names.L, names.B))):
        hands_of = {place: samples(env, seat, place) for place in places}
        assert {names.P: {6, 7}, names.L: {5}, names.B: BEFORE_THE_TURN}.items() >= {
            place: totals(hands) for place, hands in hands_of.items()
        }.items()
    env = banque(["9c Kd", "5d Kh", "2h Ks"])
    assert samples(env, 0, names.P, 5) == [[]] * 5


def test_burned_cards_are_not_known() -> None:
    env = raw_env("baccarat_v0", burn=True, decks=1)
    env.reset(seed=3)
    burned = int(env.record["burned"][0].sum())
    burned_sets = determinizations(env, 0, range(50))["burned"]
    assert (burned_sets.sum(axis=1) == burned).all() and len(np.unique(burned_sets, axis=0)) > 20


def every_way(env: CardGameEnv, hands: dict[int, tuple[int, Known]]) -> Counter[tuple[tuple[int, ...], ...]]:
    """All ways to fill hands, of so many hidden cards each, out of what nobody has seen, listed."""
    zones, words = env.zones(), {names.P: "R" if env.options.variant == "banque" else "P", names.L: "L", names.B: "B"}
    cards_there = [*zones["pile"], *(card for place in hands for card in zones[f"hand/{words[place]}"])]
    ways: Counter[tuple[tuple[int, ...], ...]] = Counter()

    def fill(left: list[int], places: list[int], so_far: tuple[tuple[int, ...], ...]) -> None:
        if not places:
            ways[so_far] += 1
            return
        number, known = hands[places[0]]
        for picked in itertools.combinations(range(len(left)), number):
            hidden = sorted(left[k] for k in picked)
            if known(hidden):
                fill([card for k, card in enumerate(left) if k not in picked], places[1:], (*so_far, tuple(hidden)))

    fill(cards_there, list(hands), ())
    return ways


@pytest.mark.rule("BA-25", "BA-42", "BA-56")
@pytest.mark.parametrize("number", range(4))
def test_samples_are_equally_likely(number: int) -> None:
    """Late in a shoe, all arrangements listed and counted; copies of a card are different cards."""
    left = "2c 3d 4h 5s 6c 7d Kh Kh Jk Sk-c"
    if number == 0:
        env, seat, hands = chemin(["7c Kd", "2h 3h"]), 0, {names.P: (2, plain(6, 7))}
    elif number == 1:
        env, seat, hands = chemin(["5c Kd", "2h 3h"]), 0, {names.P: (2, asked(5))}
    elif number == 2:
        env, seat = banque(["7c Kd", "5d Kh", "2h Ks"]), 2
        hands = {names.L: (2, asked(5)), names.B: (2, asked(*range(8)))}
    else:
        env = chemin(["Dr-c 2c", "5h Kh"], "2h 5d 4h", "0 take the bank with 8; 1 banco; 1 reveal Dr-c")
        seat, hands = 0, {names.P: (3, plain(6, 7, 8, 9))}
    env = short_shoe(env, left)
    ways = every_way(env, hands)
    records = determinizations(env, seat, range(15 * sum(ways.values())))
    drawn = Counter(tuple(tuple(listed(record["hand"][place])) for place in hands) for record in records)
    assert drawn.keys() == ways.keys()
    weights = np.array([ways[way] for way in ways], float)
    counts = np.array([drawn[way] for way in ways], float)
    expected = counts.sum() * weights / weights.sum()
    chi, freedom = float(((counts - expected) ** 2 / expected).sum()), len(counts) - 1
    assert (chi - freedom) / (2 * freedom) ** 0.5 < 4


@pytest.mark.rule("BA-44")
def test_staged_cards_are_seen_by_all() -> None:
    env = chemin(["Dr-c Rv-c", "5h Kh"], "2h", "0 take the bank with 8; 1 banco; 1 reveal Dr-c")
    assert seen(env, 0, "staged")[0] == 1 and env.zones("player_0")["hand/P"] == [cards.parse("Dr-c")[0], -1]
    assert not any(seen(env, 0, "hands")[:66])
