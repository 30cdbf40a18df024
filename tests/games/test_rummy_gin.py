"""Gin rummy clause by clause."""

from __future__ import annotations

from typing import Any

import pytest
from games.rummy_positions import arranged, field, hand, is_over, labels, named, payoffs, play, seen, sizes, started, zone
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.games.rummy.state import DEFENCE_LAYOFFS, DEFENCE_MELDS, KNOCK_MELDS, PLAY

GOOD = "2c 3c 4c 8d 8h 8s Tc Jc Qc Kd"  # one card of deadwood


def gin(hands: list[str], **values: Any) -> CardGameEnv:
    return arranged(hands, **{"variant": "gin", "deck": "standard", **values})


def knocked(hands: list[str], melds: tuple[str, ...], phase: int = DEFENCE_LAYOFFS, **values: Any) -> CardGameEnv:
    """Seat 0 has knocked and laid their melds."""
    fields = {"turn": 1, "phase": phase, "knocker": 0, "knock": 10, "discards": "2d", **values}
    env = gin(hands, melds=melds, **fields)
    for slot, meld in enumerate(melds):
        if env.options.layoff_reach == "two" and meld.startswith("run"):
            env.record["laid"][0, slot] = env.record["meld"][0, slot, 0]
    arrange_again(env)
    return env


def arrange_again(env: CardGameEnv) -> None:
    env.__setstate__(env.__getstate__())


def test_what_is_said_of_a_turn_and_of_the_end() -> None:
    env = knocked([GOOD, "2h 4h 6h 9c 9d Jd Qd Qs Kc Ks"], ("run 2c 3c 4c", "group 8d 8h 8s", "run Tc Jc Qc"))
    while not is_over(env):
        assert "; over" not in env.describe()
        env.step(env.legal_actions()[-1])
    assert "; over; player 0 has knocked" in env.describe() and "lays their melds" not in env.describe()
    basic, other = (arranged(["2c 3d 4h", "5c 6c 7c"], variant=name, deck="standard", phase=PLAY) for name in ("basic", "gin"))
    assert "player 0 is to lay or discard" in basic.describe()
    assert "player 0 is to discard or knock" in other.describe()


@pytest.mark.rule("RM-30")
def test_the_first_upcard_is_offered_to_both() -> None:
    env = started("", variant="gin", deck="standard")
    assert (env.current_player, labels(env)) == (0, {"take the discard", "pass"})
    play(env, "pass")
    assert (env.current_player, labels(env)) == (1, {"take the discard", "pass"})
    taken = env.clone()
    play(taken, "take the discard")
    assert (sizes(taken), taken.current_player, field(taken, "upcard_draws")) == ([10, 11], 1, 0)
    assert seen(env, 0, "phase")[0] == 1
    play(env, "pass")
    assert (env.current_player, labels(env)) == (0, {"draw"})
    play(env, "draw")
    assert sizes(env) == [11, 10]
    extended = started("", variant="gin")
    play(extended, "pass", "pass")
    assert sizes(extended) == [11, 10]  # a lone action is taken


@pytest.mark.rule("RM-31")
def test_the_upcard_is_the_top_of_the_discards() -> None:
    env = gin(["2c 5c 9d Kd", "3h 7h 9c"], discards="4s Qs", drawn=False)
    play(env, "take the discard")
    assert named(env) == {"2c", "5c", "9d", "Kd", "Qs"}
    play(env, "5c")
    assert zone(env, "discards") == "4s 5c"
    env = gin(["2c 5c Sk-c", "3h 7h 9c"], discards="4s Qs", drawn=False, deck="extended")
    play(env, "take the discard", "reveal Sk-c")  # they did not discard
    play(env, "take the discard")
    assert hand(env, 1) == "3h 4s 7h 9c"
    play(env, "3h", "draw")


@pytest.mark.rule("RM-32")
def test_knocking() -> None:
    env = gin([GOOD + " 9h", "3h 7h 9c 5d"], discards="4s", knock=10)
    assert "knock" in labels(env)
    play(env, "knock")
    assert named(env) == {"Kd", "9h"}
    env = gin(["2c 3c 4c 8d 8h 8s Tc Jc 9h Kd", "3h 7h"], discards="4s", knock=10)
    assert "knock" not in labels(env)
    env = gin([GOOD, "3h 7h"], discards="4s", knock=0)
    assert "knock" in labels(env)  # gin without the King
    play(env, "knock")
    assert named(env) == {"Kd"}
    env = gin(["2c 3c 4c 5c 8d 8h 8s Tc Jc Qc Kd", "3h 7h"], discards="4s", knock=0)
    play(env, "knock")
    assert named(env) == {"Kd"}


@pytest.mark.rule("RM-33")
def test_the_knocker_lays_melds_of_an_arrangement() -> None:
    env = gin(["4c 4d 4h 5h 6h 9c 9d 9s Ac Ah Kc", "3h 7h"], discards="4s", knock=10)
    play(env, "knock")
    assert labels(env) == {"Kc"}
    play(env, "Kc")
    assert labels(env) == {"meld"}  # what they hold counts too much
    play(env, "meld")
    assert named(env) == {"4h", "9c"}  # with three fours 5 and 6 and the aces are left, 13: they belong to no arrangement
    play(env, "9c")
    assert zone(env, "meld/0") == "9c 9d 9s"
    assert labels(env) == {"meld"}
    play(env, "meld")
    assert zone(env, "meld/1") == "4h 5h 6h"
    assert field(env, "phase") == KNOCK_MELDS
    assert labels(env) == {"pass"}


@pytest.mark.rule("RM-34")
def test_melds_laid_in_gin_have_three_to_five_cards() -> None:
    env = gin(["2c 3c 4c 5c 6c 7c 9d 9h 9s Ah Kd", "3h 7h"], discards="4s", knock=10)
    play(env, "knock", "Kd", "meld", "2c")
    assert labels(env) == {"5c", "as a run"}
    play(env, "as a run", "meld", "5c")
    assert [zone(env, f"meld/{slot}") for slot in range(2)] == ["2c 3c 4c", "5c 6c 7c"]
    env = knocked(["", "2c 3c 4c 5c 6c 7c"], ("group 9d 9h 9s",), phase=DEFENCE_MELDS)
    play(env, "meld", "2c", "5c", "6c")
    assert zone(env, "meld/1") == "2c 3c 4c 5c 6c"  # five are closed


@pytest.mark.rule("RM-35")
def test_the_defender_lays_off_and_then_melds() -> None:
    env = knocked(["2d", "5c 9c Kd Kh Ks Qd"], ("run 2c 3c 4c", "group 9d 9h 9s"))
    assert labels(env) == {"lay off on meld 0", "lay off on meld 1", "pass"}
    play(env, "lay off on meld 0", "lay off on meld 1", "pass")
    assert field(env, "phase") == DEFENCE_MELDS
    assert labels(env) == {"meld", "pass"}
    play(env, "meld", "pass")
    assert payoffs(env) == [10 - 2, 2 - 10]
    env = gin(["2c 3c 4c 5c 9d 9h 9s Tc Jc Qc Kd", "6c 9c 2d 5d"], discards="4s", knock=10)
    play(env, "knock", "Kd", "meld", "2c", "5c", "meld", "9d", "meld", "pass")
    assert field(env, "phase") == DEFENCE_MELDS  # nothing is laid off on gin
    assert labels(env) == {"pass"}
    play(env, "pass")
    assert payoffs(env) == [22 + 25, -47]


@pytest.mark.rule("RM-35", "RM-56")
@pytest.mark.parametrize("paused", [False, True])
def test_no_turn_goes_on_after_a_knock(paused: bool) -> None:
    """The knocker's is over as the other lays off, and so is one that the other had paused."""
    env = gin(["2d 5c Rv-c 9c Kh Ks Qd", GOOD], discards="2h 5h", stock="6s 9s", drawn=False, deck="extended")
    play(env, "take the discard", "reveal Rv-c" if paused else "Qd", "draw", "knock", "Kd")
    while env.current_player == 1:
        env.step(env.legal_actions()[-1])
    assert (env.current_player, field(env, "phase")) == (0, DEFENCE_LAYOFFS)
    assert [field(env, name) for name in ("paused", "drawn", "taken")] == [0, 0, [0] * 6]
    assert seen(env, 0, "flags")[2] == seen(env, 0, "seats")[4] == 0


@pytest.mark.rule("RM-36")
def test_the_same_card_taken_and_discarded_twice_ends_the_hand() -> None:
    env = gin(["2c 5c 9d", "3h 7h 9c"], discards="4s", drawn=False)
    play(env, "take the discard", "4s")
    assert field(env, "repeated") == 1
    assert seen(env, 0, "flags")[5] == 1
    again = env.clone()
    play(again, "take the discard", "4s")
    assert is_over(again)
    assert payoffs(again) == [0, 0]
    for other in (("draw", "3h"), ("take the discard", "3h")):
        cleared = env.clone()
        play(cleared, *other)
        assert field(cleared, "repeated") == 0
    env = gin(["2c 5c 9d Sk-c", "3h 7h 9c"], discards="4s", drawn=False, deck="extended", repeated=1)
    play(env, "reveal Sk-c")
    assert field(env, "repeated") == 0


@pytest.mark.rule("RM-36")
def test_the_first_upcard_counts_too() -> None:
    env = started("", variant="gin", deck="standard")
    upcard = zone(env, "discards")
    play(env, "take the discard", upcard)
    assert field(env, "repeated") == 1
    play(env, "take the discard", upcard)
    assert is_over(env)


@pytest.mark.rule("RM-37")
def test_how_far_runs_are_extended() -> None:
    for reach, cards in (("two", ["6h", "7h"]), ("full", ["6h", "7h", "8h", "9h"])):
        env = knocked(["Kd", "6h 7h 8h 9h 2s"], ("run 3h 4h 5h",), layoff_reach=reach)
        for _ in cards:
            play(env, "lay off on meld 0")
        assert zone(env, "meld/0") == " ".join(["3h 4h 5h", *cards])
        assert "lay off on meld 0" not in labels(env)
    env = knocked(["Kd", "Ah 2h 3h 9c"], ("run 4h 5h 6h", "group 9d 9h 9s"))
    play(env, "lay off on meld 0", "lay off on meld 0", "lay off on meld 1")
    assert [zone(env, f"meld/{slot}") for slot in range(2)] == ["2h 3h 4h 5h 6h", "9c 9d 9h 9s"]
    assert labels(env) == {"pass"}


@pytest.mark.rule("RM-38")
def test_the_wall() -> None:
    env = gin(["2c 5c 9d", "3h 7h 9c"], discards="4s", stock="8d 8h", only=True, drawn=False, knock=10)
    assert labels(env) == {"pass"}
    assert seen(env, 1, "flags")[1] == 1
    play(env, "pass")
    assert is_over(env)
    assert payoffs(env) == [0, 0]
    env = gin(["2c 3c 5d 9d 9h 9s", "3h 7h"], discards="4c", stock="8d 8h", only=True, drawn=False, knock=10)
    assert labels(env) == {"pass", "knock"}
    play(env, "knock")
    assert hand(env, 0) == "2c 3c 4c 5d 9d 9h 9s"
    assert field(env, "upcard_draws") == 0
    assert [seen(env, seat, "flags")[4] for seat in (0, 1)] == [1, 1]  # they have taken a discard
    own = gin(["2c 3c 5d 9d 9h 9s", "3h 7h"], discards="4c", stock="8d 8h", only=True, drawn=False, knock=10, discarder=0)
    assert labels(own) == {"pass"}  # RM-23
    three = gin(["2c 5c 9d", "3h 7h 9c"], discards="4s", stock="8d 8h 8c", only=True, drawn=False)
    assert labels(three) == {"draw", "take the discard"}


@pytest.mark.rule("RM-39")
def test_upcard_draws_are_limited() -> None:
    env = gin(["2c 5c 9d", "3h 7h 9c"], discards="4s", drawn=False, upcard_cap=2)
    play(env, "take the discard", "2c")
    assert field(env, "upcard_draws") == 1
    play(env, "take the discard")
    assert is_over(env)
    assert payoffs(env) == [0, 0]


@pytest.mark.rule("RM-40")
@pytest.mark.parametrize(
    ("own", "other", "values", "score"),
    [
        ("7d", "Kd Qd 5s", {}, 18),
        ("9c", "4c", {}, -30),
        ("6d", "6s", {}, 0),
        ("6d", "6s", {"undercut_tie": True}, -25),
        ("", "Kd Qd Ts Ac", {"phase": DEFENCE_MELDS}, 56),
        ("", "", {"phase": DEFENCE_MELDS, "undercut_tie": True}, 25),
        ("", "5c", {"phase": DEFENCE_MELDS, "gin_bonus": 0}, 5),
        ("9c", "4c", {"undercut_bonus": 10}, -15),
    ],
)
def test_scores_of_a_knock(own: str, other: str, values: dict[str, Any], score: int) -> None:
    """The first five are example 1."""
    env = knocked([own, other], ("group 2c 2h 2s",), **values)
    while not is_over(env):
        play(env, "pass")
    assert payoffs(env) == [score, -score]


@pytest.mark.rule("RM-41")
def test_gin_with_the_extended_deck() -> None:
    env = gin(["2c 3c 4c 8d 8h 8s Tc Jc Qc Jk Kd Kh", "3h 7h"], discards="4s", knock=10, deck="extended")  # twelve cards
    play(env, "knock")
    assert field(env, "knocker") == 0
    env = gin(["2c 3c 4c 8d 8h 8s Sk-c", "3h 7h"], discards="4s", knock=0, deck="extended")
    play(env, "knock")  # the discard is named by itself, and has no effect
    assert zone(env, "discards") == "4s Sk-c"
    assert field(env, "effects") == [0] * 6
    env = knocked(["Jk", "Kd"], ("group 2c 2h 2s",), deck="extended")
    play(env, "pass")
    assert payoffs(env) == [9, -9]  # an unmelded Joker is no gin


def test_oklahoma_sets_the_knock_card() -> None:
    from games.rummy_positions import turned_up

    for upcard, knock in (("5c", 5), ("Kc", 10), ("Ac", 0), ("Jk", 7)):
        env = turned_up(upcard, variant="gin", oklahoma=True, knock_card=7)
        assert field(env, "knock") == knock
        assert seen(env, 0, "gin")[0] == pytest.approx(knock / 10)
    assert field(turned_up("5c", variant="gin", knock_card=7), "knock") == 7
