"""Egyptian Ratscrew: what may be slapped, in which order players react, what is seen and what samples hold."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from core.test_hidden import surprise
from games.egyptian_ratscrew_positions import (
    GAME,
    OFF,
    ON,
    PLAY,
    SLAP,
    WAIT,
    arranged,
    is_open,
    let_lie,
    packs,
    play,
    slap,
    window,
)
from games.pack_positions import debt, declarations, field, from_here_on, labels, pack, seen, stack, told, zone
from support import determinizations, see_anew
from wilddeck import cards
from wilddeck.envs import make_batch, raw_env
from wilddeck.envs.core.game import as_record
from wilddeck.envs.games.egyptian_ratscrew import RULES


def patterns(text: str) -> set[str]:
    """The rules by which a stack may be slapped, each being the only one that is on. `7=` after a Joker is its declaration."""
    rules = set()
    for rule in RULES:
        env = window(["9c 8c", "2h 3h", "5h 6h"], text, **{**OFF, rule: 3 if rule == "runs" else True})
        env.step(SLAP)
        right = zone(env, "burned") == []
        assert right == (len(pack(env, 1)) > 1)
        if right:
            rules.add(rule)
    return rules


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("9c 9h", "doubles top_bottom", marks=pytest.mark.rule("ER-20", "ER-23")),
        pytest.param("4c 9c 9h", "doubles", marks=pytest.mark.rule("ER-20")),
        pytest.param("4c Dr-c Dr-h", "doubles", marks=pytest.mark.rule("ER-20")),
        pytest.param("4c Rv-c Rv-h", "doubles", marks=pytest.mark.rule("ER-20")),
        pytest.param("4c Sk-c Sk-h", "doubles", marks=pytest.mark.rule("ER-20")),
        pytest.param("4c Sk-c Rv-h", "", marks=pytest.mark.rule("ER-20")),
        pytest.param("9c 9h 4c", "", marks=pytest.mark.rule("ER-20")),
        pytest.param("9c 4d 9h", "sandwich top_bottom", marks=pytest.mark.rule("ER-21")),
        pytest.param("Tc 9c 4d 9h", "sandwich", marks=pytest.mark.rule("ER-21")),
        pytest.param("9c 4d 5s 9h", "top_bottom", marks=pytest.mark.rule("ER-21", "ER-23")),  # example 2
        pytest.param("Tc 9c 4d 5s 9h", "", marks=pytest.mark.rule("ER-21")),
        pytest.param("Jc Ac 9d", "tens", marks=pytest.mark.rule("ER-22")),  # example 10
        pytest.param("Jc 9c Ad", "tens", marks=pytest.mark.rule("ER-22")),
        pytest.param("Jc 6h 4c", "tens", marks=pytest.mark.rule("ER-22")),
        pytest.param("Jc 5h 5c", "doubles tens", marks=pytest.mark.rule("ER-22")),
        pytest.param("Tc", "", marks=pytest.mark.rule("ER-22", "ER-23")),
        pytest.param("Jc Tc", "", marks=pytest.mark.rule("ER-22")),
        pytest.param("9c Tc", "", marks=pytest.mark.rule("ER-22")),
        pytest.param("Dr-c 5d", "", marks=pytest.mark.rule("ER-22")),
        pytest.param("5d Dr-c", "", marks=pytest.mark.rule("ER-22")),
        pytest.param("Jc 3d Kc 7c", "tens_sandwich", marks=pytest.mark.rule("ER-22")),
        pytest.param("Jc 2d 5c 8c", "tens_sandwich", marks=pytest.mark.rule("ER-22")),
        pytest.param("Jc 2d 5c 9c 8c", "", marks=pytest.mark.rule("ER-22")),
        pytest.param("Qc 2d 5c Tc Qd", "top_bottom", marks=pytest.mark.rule("ER-23")),
        pytest.param("2c Qc 2d 5c Tc Qd", "", marks=pytest.mark.rule("ER-23")),
        pytest.param("Sk-c 2d 5c Tc Sk-d", "top_bottom", marks=pytest.mark.rule("ER-23")),
        pytest.param("5c Kc Qd", "marriage", marks=pytest.mark.rule("ER-24")),
        pytest.param("5c Qc Kd", "marriage", marks=pytest.mark.rule("ER-24")),
        pytest.param("5c Qc 3d Kd", "", marks=pytest.mark.rule("ER-24")),
        pytest.param("5c Kc Jd", "", marks=pytest.mark.rule("ER-24")),
        pytest.param("Tc Qc Jd", "", marks=pytest.mark.rule("ER-24", "ER-25")),
        pytest.param("7c 8d 9d", "runs", marks=pytest.mark.rule("ER-25")),
        pytest.param("9c 8d 7d", "runs", marks=pytest.mark.rule("ER-25")),
        pytest.param("Ac 2d 3d", "runs", marks=pytest.mark.rule("ER-25")),
        pytest.param("3c 2d Ad", "runs", marks=pytest.mark.rule("ER-25")),
        pytest.param("Ac Kd Qd", "marriage runs", marks=pytest.mark.rule("ER-25")),
        pytest.param("Kc Ad 2h", "", marks=pytest.mark.rule("ER-25")),  # example 17
        pytest.param("2c Ad Kh", "", marks=pytest.mark.rule("ER-25")),
        pytest.param("Qc Kd Ah", "runs", marks=pytest.mark.rule("ER-25")),  # example 17
        pytest.param("7c 8d 7d", "sandwich top_bottom", marks=pytest.mark.rule("ER-25")),
        pytest.param("7c 9d 8d", "", marks=pytest.mark.rule("ER-25")),
        pytest.param("8d 9d", "", marks=pytest.mark.rule("ER-25")),
        pytest.param("Kd Ac Dr-c", "", marks=pytest.mark.rule("ER-25")),
        pytest.param("Dr-c Rv-c Sk-c", "", marks=pytest.mark.rule("ER-25")),
        pytest.param("Sk-c 5d Sk-d", "sandwich top_bottom", marks=pytest.mark.rule("ER-21")),  # example 17
        pytest.param("4c SJ=7", "joker_slap", marks=pytest.mark.rule("ER-26")),
        pytest.param("SJ=7 4c", "", marks=pytest.mark.rule("ER-26")),
        pytest.param("9d SJ=A", "tens joker_slap", marks=pytest.mark.rule("ER-26", "ER-27")),  # example 17
        pytest.param("7c BJ=8 9d", "runs", marks=pytest.mark.rule("ER-27")),  # example 17
        pytest.param("SJ=8 Tc 8d", "sandwich top_bottom", marks=pytest.mark.rule("ER-27")),
        pytest.param("Jc SJ=Q BJ=K", "runs marriage joker_slap", marks=pytest.mark.rule("ER-27")),
        pytest.param("SJ= BJ=", "joker_slap", marks=pytest.mark.rule("ER-26", "ER-27")),  # example 17
        pytest.param("SJ= 4c BJ=", "joker_slap", marks=pytest.mark.rule("ER-27")),
    ],
)
def test_examples_2_10_and_17_what_may_be_slapped(text: str, expected: str) -> None:
    assert patterns(text) == set(expected.split())


@pytest.mark.rule("ER-25")
@pytest.mark.parametrize(
    ("text", "right"),
    [
        *((text, True) for text in ("7c 8d 9d Ts", "Ac 2d 3d 4s", "Js Qc Kd Ah", "5s 4c 3d 2h", "4s 3c 2d Ah", "As Kc Qd Jh")),
        *((text, False) for text in ("4s 8d 9d Ts", "Qs Kc Ad 2h", "7c 8d 9d", "8s 7c 8d 9d")),
    ],
)
def test_runs_of_four(text: str, right: bool) -> None:
    env = window(["9c 8c", "2s 3h", "5h 6h"], text, **OFF, runs=4)
    env.step(SLAP)
    assert (zone(env, "burned") == []) == right


@pytest.mark.rule("ER-13", "ER-14", "ER-20", "ER-27")
def test_example_5_a_duplicate_is_slapped_at_once() -> None:
    env = arranged(["Kc 9c", "SJ 3h", "4h 5h 6h 8h"])
    play(env, "Kc", "SJ", "declare K")
    assert env.current_player == 1
    other = env.clone()
    env.step(SLAP)
    assert stack(env) == "3h"
    assert packs(env) == ["9c", "Kc SJ", "4h 5h 6h 8h"]
    let_lie(other)
    assert debt(other) == (2, 3, 1)
    assert stack(other) == "Kc SJ 4h"


@pytest.mark.rule("ER-13")
def test_who_has_declared_is_asked_first() -> None:
    for seed in range(20):
        env = arranged(["SJ 9c", "3h 2h", "4h 5h"], rng=seed)
        play(env, "SJ", "declare 9")
        assert env.current_player == 0
    asked = set()
    for seed in range(20):
        env = arranged(["SJ 9c", "3h 2h", "4h 5h"], rng=seed, joker_first=False)
        play(env, "SJ", "declare 9")
        asked.add(env.current_player)
    assert asked == {0, 1, 2}


@pytest.mark.rule("ER-13")
def test_only_if_they_may_slap_and_only_after_their_joker() -> None:
    asked = set()
    for seed in range(20):
        env = arranged(["SJ 9c", "3h 2h", "4h 5h"], stack="Tc", rng=seed, muted=1)
        play(env, "SJ", "declare 9")
        asked.add(env.current_player)
    assert asked == {1, 2}
    asked = set()
    for seed in range(20):  # the card after the Joker
        env = arranged(["SJ 9c", "3h 2h", "4h 5h"], rng=seed)
        play(env, "SJ", "declare 9", "3h")
        asked.add(env.current_player)
    assert asked == {0, 1, 2}
    everything = cards.text([card for card in range(52) if card != 0])
    asked = set()
    for seed in range(20):  # a Joker without a value is not declared
        env = arranged(["SJ Dr-c", "Dr-d Dr-h", "Sk-c Sk-d"], stack=f"{everything} 2c", rng=seed)
        env.step(PLAY)
        assert is_open(env)
        asked.add(env.current_player)
    assert asked == {0, 1, 2}


@pytest.mark.rule("ER-01", "ER-27")
def test_example_6_four_of_a_rank_lie_there() -> None:
    env = arranged(["SJ 9c", "3h 2h"], stack="7c 7d 7h 7s 2c")
    env.step(PLAY)
    assert declarations(env) == "234568 9TJQKA".replace(" ", "")


# --- who reacts first ---


def orders(count: int, seats: int, **options: Any) -> Counter[tuple[int, ...]]:
    """In which order players are asked after the first card, in so many games."""
    batch = make_batch(GAME, count, seed=1, num_players=seats, deck="standard", ask="all", **options)
    asked = [batch.current_player.copy()]
    for _ in range(seats - 1):
        batch.step(np.full(count, WAIT))
        asked.append(batch.current_player.copy())
    assert (batch.states["plays"] == 1).all()
    return Counter(zip(*(column.tolist() for column in asked), strict=True))


@pytest.mark.rule("ER-12")
@pytest.mark.parametrize(("seats", "share"), [(2, 10_000), (3, 4_000), (4, 2_000)])
def test_all_orders_are_equally_likely(seats: int, share: int) -> None:
    ways = list(itertools.permutations(range(seats)))
    counts = orders(share * len(ways), seats)
    assert set(counts) == set(ways)
    assert abs(surprise(np.array(list(counts.values())), len(ways))) < 3


@pytest.mark.rule("ER-12")
@pytest.mark.parametrize("weights", [(3, 1), (2, 1, 1), (0.5, 0.25, 4, 1)])
def test_example_13_orders_by_weights(weights: tuple[float, ...]) -> None:
    count = 40_000
    counts = orders(count, len(weights), reaction="weights", weights=weights)
    for order in itertools.permutations(range(len(weights))):
        chance, left = 1.0, sum(weights)
        for seat in order:
            chance *= weights[seat] / left
            left -= weights[seat]
        assert abs(counts[order] - count * chance) < 4 * (count * chance * (1 - chance)) ** 0.5, order
    if weights == (2, 1, 1):
        assert counts[1, 0, 2] == pytest.approx(count / 6, rel=0.03)


@pytest.mark.rule("ER-12")
def test_weights_count_only_among_those_who_may_slap() -> None:
    asked: Counter[int] = Counter()
    for seed in range(300):
        env = arranged(["2c 9c", "3h 4h", "5h 6h"], reaction="weights", weights=(1, 1000, 3), stack="Tc", muted=2, rng=seed)
        env.step(PLAY)
        asked[env.current_player] += 1
    assert set(asked) == {0, 2}
    assert 190 < asked[2] < 260


@pytest.mark.rule("ER-12")
def test_the_order_of_those_to_be_asked_is_nowhere_yet() -> None:
    """From one record come all orders, as chance has it."""
    env = arranged(["2c 9c", "3h 4h", "5h 6h", "7h 8h"])
    env.step(PLAY)
    first, movers = env.current_player, set()
    for seed in range(40):
        other = env.determinize("player_0", seed)
        other.step(WAIT)
        movers.add(other.current_player)
    assert movers == {0, 1, 2, 3} - {first}


@pytest.mark.rule("ER-12")
def test_what_was_asked_and_done_is_public() -> None:
    env = window(["9c 8c", "2h 3h", "5h 6h"], "7c", rng=1)
    env.step(SLAP)
    then = env.current_player
    for seat in range(3):
        assert seen(env, seat, "asked") == [float((seat + k) % 3 in (1, then)) for k in range(3)]
        assert seen(env, seat, "wrong") == [float((seat + k) % 3 == 1) for k in range(3)]
    assert f"player 1 chose: slap; asked: {', '.join(map(str, sorted((1, then))))}; slapped wrongly: 1" in env.describe()


# --- what is seen ---


def test_the_bottom_of_the_stack_is_seen() -> None:
    env = window(["9c 8c", "2h 3h", "5h 6h"], "7c 9d Td", burned="Qc")
    assert np.flatnonzero(seen(env, 2, "bottom")).tolist() == [5]
    assert seen(env, 0, "burned") == pytest.approx([1 / 66])
    assert seen(env, 0, "stack") == pytest.approx([4 / 66])
    assert sum(seen(env, 0, "stack_ranks")) == 0.75
    top = np.array(seen(env, 0, "top")).reshape(5, 16)
    assert top[:3].argmax(axis=1).tolist() == [8, 7, 5]
    assert not top[3:].any()
    env = window(["9c 8c", "2h 3h", "5h 6h"], "SJ= 9d Td")
    assert not any(seen(env, 2, "bottom"))
    assert seen(env, 2, "stack_jokers") == [0.5]
    env = arranged(["9c 8c", "2h 3h", "5h 6h"])
    assert not any(seen(env, 0, "bottom"))


@pytest.mark.parametrize("options", [{}, ON, {**OFF, "runs": 4, "ask": "all"}], ids=str)
def test_what_can_be_slapped_is_seen(options: dict[str, Any]) -> None:
    """`right` says whether a slap is right, `right_ranks` whether it is after a declaration; `shows` what it is right by."""
    env, rng, answers = raw_env(GAME, **options), np.random.default_rng(3), Counter[str]()
    for seed in range(1 if options else 2):
        env.reset(seed=seed)
        while not env.is_over:
            asked, size = env.current_player, field(env, "stack_size")
            right = seen(env, asked, "right") == [1]
            if is_open(env):
                shown, on = np.array(seen(env, asked, "shows")), np.array(seen(env, asked, "rules"))
                assert right == bool((shown * on).any())
                assert seen(env, (asked + 1) % 3, "shows") == shown.tolist()
                after = env.clone()
                after.step(SLAP)
                (slapped,) = (text for text in told(after)[len(told(env)) :][:1])
                assert slapped.startswith(f"player {asked} slaps {'rightly' if right else 'wrongly'}")
                answers[f"slap: {right}"] += 1
            ranks = seen(env, asked, "right_ranks")
            for action in env.legal_actions() if env.legal_actions()[0] < len(ranks) else ():
                after = env.clone()
                after.step(action)
                if is_open(after) and field(after, "stack_size") == size:
                    assert ranks[action] == seen(after, 0, "right")[0]
                    answers[f"declare: {ranks[action]}"] += 1
            env.step(int(rng.choice(env.legal_actions())))
    assert len(answers) >= (2 if options else 4), answers


def test_rules_and_weights_are_seen() -> None:
    env = arranged(["9c", "2h", "5h"], sandwich=False, tens=True, runs=3, reaction="weights", weights=(1, 2, 5))
    assert seen(env, 0, "rules") == [1, 0, 1, 0, 0, 0, 0.75, 0]
    assert seen(env, 1, "weights") == pytest.approx([2 / 8, 5 / 8, 1 / 8])
    env = arranged(["9c", "2h", "5h"], weights=(1, 2, 5), **ON)
    assert seen(env, 0, "rules") == [1, 1, 1, 1, 1, 1, 0.75, 1]
    assert seen(env, 1, "weights") == pytest.approx([1 / 3] * 3)


def test_phases_are_seen() -> None:
    env = arranged(["SJ 9c", "2h 3h", "5h 6h"], joker_first=True)
    assert (seen(env, 0, "phase"), seen(env, 1, "phase")) == ([0, 0, 0, 1], [0, 0, 0, 0])
    env.step(PLAY)
    assert seen(env, 0, "phase") == [1, 0, 0, 0]
    play(env, "declare 9")
    assert seen(env, 0, "phase") == [0, 0, 1, 0]
    env = arranged(["Dr-c 9c", "2h 3h", "5h 6h"], pile="7c 7d")
    env.step(PLAY)
    let_lie(env)
    assert seen(env, 1, "phase") == [0, 1, 0, 0]


@pytest.mark.rule("ER-16")
def test_who_is_muted_or_out_is_seen() -> None:
    env = window(["9c 8c", "2h 3h", "5h 6h"], "7c", muted=4)
    assert seen(env, 1, "muted") == [0, 1, 0]
    assert "muted: 2" in env.describe()
    env = window(["9c 8c", "2h 3h", "5h 6h"], "7c", banned=1, empty_wrong="out")
    assert seen(env, 1, "out") == [0, 0, 1]
    assert "out: 0" in env.describe()


@pytest.mark.rule("ER-15")
def test_a_burned_card_is_known_if_it_had_been_turned_up() -> None:
    for known, text in (("", "??"), ("2h", "2h")):
        env = window(["9c 8c", "2h 3h", "5h 6h"], "7c", seen=known)
        env.step(SLAP)
        for seat in range(3):
            assert cards.text(env.zones(f"player_{seat}")["burned"]) == text
    env = arranged(["7c 9c", "2h 3h", "7d 6h"])
    env.step(PLAY)
    slap(env, 1)
    play(env, "3h", "7d")
    slap(env, 0)
    assert packs(env)[0] == "2h 7c 3h 7d"  # and 9c is led
    assert cards.text(env.zones("player_1")["pack/0"]) == "?? 7c 3h 7d"  # no one has seen it yet


def test_samples_are_uniform_over_the_unknown_cards_burned_ones_too() -> None:
    """Four cards that nobody knows, in two packs, under the stack and in the pile: 24 ways."""
    env = window(["Jc 3c", "4c 2c"], "Tc", burned="9c 5c", pile="6c", seen="Jc 2c 9c")
    env.record["seen"][0] |= np.array([(1 << 64) - 1 & ~sum(1 << card for card in cards.parse("3c 4c 5c 6c")), 3], np.uint64)
    see_anew(env)
    records = determinizations(env, 0, range(2400))
    counts: Counter[str] = Counter()
    for row in range(len(records)):
        zones = env.game.zones(as_record(records, row), None)
        assert cards.text([zones["pack/0"][0], zones["pack/1"][1], zones["burned"][0], *zones["stack"]]) == "Jc 2c 9c Tc"
        unknown = [zones["pack/0"][1], zones["pack/1"][0], zones["burned"][1], *zones["pile"]]
        assert cards.text(sorted(unknown)) == "3c 4c 5c 6c"
        counts[cards.text(unknown)] += 1
    assert len(counts) == 24
    assert max(counts.values()) < 160 and min(counts.values()) > 55


def test_labels() -> None:
    env = raw_env(GAME)
    env.reset(seed=1)
    assert [env.action_label(action) for action in (9, 13, 78, 79, 80, 81)] == [
        "declare J",
        "place on top",
        "place under 65",
        "play",
        "slap",
        "wait",
    ]
    assert labels(window(["9c", "2h"], "7c")) == ["slap", "wait"]
    assert field(window(["9c", "2h"], "7c"), "phase") == 3


# --- events ---


@pytest.mark.rule("ER-14", "ER-15", "ER-16")
def test_what_is_told() -> None:
    rules = {"doubles": False, "marriage": True, "joker_slap": True}
    env = from_here_on(window(["9c SJ 8c", "2h", "Qd 6h Kh 7s"], "4c 9h 9d", **rules))
    play(env, *["slap", "wait", "wait", "slap", "wait", "slap"], "declare K", "wait", "slap")
    lines = [
        "player 1 slaps wrongly",
        "player 1 burns a card",
        "player 0 may slap",
        "player 0 does not slap",
        "player 2 may slap",
        "player 2 does not slap",
        "player 2 plays Qd",
        "player 0 may slap",
        "player 0 slaps wrongly",
        "player 0 burns a card",
        "player 2 may slap",
        "player 2 does not slap",
        "player 1 may slap",
        "player 1 slaps wrongly",
        "player 1 may not slap until the stack is taken",
        "player 0 plays SJ",
        "player 0 declares the Joker to be a King",
        "player 0 may slap",
        "player 0 does not slap",
        "player 2 may slap",
        "player 2 slaps rightly: a marriage, a Joker",
        "player 2 takes 2 cards from the stack",
        "player 2 takes 4c 9h 9d Qd SJ from the stack",
        "player 2 plays 6h",
    ]
    assert told(env, 0)[: len(lines)] == told(env, 1)[: len(lines)] == lines
    assert {"player 1 burns 2h", "player 0 burns 9c", "player 2 takes 9c 2h from the stack"} <= set(told(env))


@pytest.mark.rule("ER-15")
def test_a_burned_card_that_was_turned_up_before_is_told() -> None:
    env = from_here_on(window(["9c 8c", "2h 3h", "5h 6h"], "4c 9h", seen="2h"))
    env.step(SLAP)
    assert told(env, 2)[:2] == ["player 1 slaps wrongly", "player 1 burns 2h"]
