"""What a seat of Old Maid knows of other hands, and its samples: all that can be are equally likely."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from core.test_hidden import surprise
from games.old_maid_positions import DONE, PAIR, PLACE, SETUP, arranged, field, hand, ids, pair, place
from support import determinizations, short
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

TYPES = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A", "the Old Maid", "Dr", "Rv", "Sk", "Joker"]
SHARE = 60  # samples for each arrangement
Hands = tuple[frozenset[int], ...]


def known(env: CardGameEnv, viewer: int) -> dict[int, list[str]]:
    """By seat clockwise from the viewer, the types in the block `known`."""
    seen = env.observe(f"player_{viewer}")["observation"][env.observation_layout["known"]].reshape(env.num_players, 18)
    return {seat: [TYPES[k] for k in range(18) if row[k]] for seat, row in enumerate(seen) if row.any()}


# --- what is known ---


def test_a_card_drawn_from_the_viewer_is_known() -> None:
    env = arranged(["2c 3c", "4c Qs 9c", "2d 3d 4d", "5c 5d"])
    env.step(1)
    env.step(place(0))
    assert known(env, 1) == {3: ["the Old Maid"]}
    assert not any(known(env, seat) for seat in (0, 2, 3))
    assert env.zones("player_1")["known/0"] == ids("Qs")
    assert env.zones("player_1")["hand/0"] == [-1, -1]
    assert env.zones("player_2")["hand/0"] == [-1, -1, -1]


def test_it_is_forgotten_when_another_draws_from_there_and_keeps_the_card() -> None:
    env = arranged(["2c 3c Tc", "4c Qs 9c", "2d 3d 4d", "5c 8d"], current_player=3, known={"Tc": 1})
    env.step(0)
    env.step(place(0))
    assert not known(env, 1)
    assert known(env, 0) == {3: ["2"]}


def test_it_is_kept_when_the_card_drawn_is_laid() -> None:
    env = arranged(["2c 3c Tc", "4c Qs 9c", "2d 3d 4d", "3h 8d"], current_player=3, known={"Tc": 1})
    env.step(1)
    assert known(env, 1) == {3: ["T"]}


def test_it_is_gone_when_it_is_laid() -> None:
    env = arranged(["2c 3c Tc", "4c Th 9c", "2d 3d 4d", "5c 8d"], known={"Tc": 1})
    env.step(1)
    assert not known(env, 1)
    assert (env.record["known_by"] == -1).all()


def test_the_drawer_knows_on_what_they_did_not_draw() -> None:
    """Two players: each draws from the other, and knows what they have lost."""
    env = arranged(["2c 3c Tc 9h", "4c Th 9c Qs"], known={"Tc": 1, "9h": 1}, current_player=1)
    env.step(0)
    env.step(place(0))
    assert known(env, 1) == {1: ["9", "T"]}
    assert known(env, 0) == {1: ["2"]}


def test_of_a_joker_drawn_too() -> None:
    env = arranged(["2c 3c", "SJ 9c Qs", "2d 3d 9d BJ"])
    env.step(0)
    assert known(env, 1) == {2: ["Joker"]}
    env.step(DONE)
    env.step(place(0))
    assert known(env, 1) == {2: ["Joker"]}


def test_with_one_hand_that_is_not_known_it_is() -> None:
    env = arranged(["2c 3c", "2d Qs", "", "3d"])
    assert env.zones("player_0")["hand/1"] == [-1, -1]
    env = arranged(["2c 3c", "2d Qs 3d", ""])
    assert env.zones("player_0")["known/1"] == ids("2d 3d Qs")
    assert env.zones("player_2")["hand/0"] == [-1, -1]


# --- samples ---


def value(env: CardGameEnv, card: int) -> Any:
    if card in (52, 53):
        return card if field(env, "bound") < 0 else field(env, "bound")
    if card < 52:
        return "maid" if card == 40 + field(env, "old_maid") and field(env, "named_maid") else card // 4
    return "DRS"[(card - 54) // 4]


def fits(env: CardGameEnv, viewer: int, hands: Hands) -> bool:
    """Whether hands hold no forced pair, and who is asked about pairs has one to lay."""
    everything = frozenset().union(*hands)
    wild = [card for card in everything if card < 52 and value(env, card) != "maid"]
    free = field(env, "bound") < 0
    for held in hands:
        if len({value(env, card) for card in held}) < len(held) or (free and not wild and {52, 53} <= held):
            return False
    mover = env.current_player
    if field(env, "phase") in (SETUP, PAIR) and mover != viewer:
        jokers = {52, 53} & hands[mover] if free else set()
        return len(jokers) == 2 or bool(jokers and hands[mover] & set(wild))
    return True


def ways(env: CardGameEnv, viewer: int) -> list[Hands]:
    """All arrangements, by trying."""
    held = [frozenset(env.zones()[f"hand/{seat}"]) for seat in range(env.num_players)]
    located = [
        frozenset(card for card in cards if seat == viewer or env.record["known_by"][0][card] == viewer)
        for seat, cards in enumerate(held)
    ]
    left = frozenset().union(*held) - frozenset().union(*located)

    def deal(seat: int, rest: frozenset[int]) -> Iterator[Hands]:
        if seat == len(held):
            yield ()
            return
        for taken in itertools.combinations(sorted(rest), len(held[seat]) - len(located[seat])):
            for others in deal(seat + 1, rest - set(taken)):
                yield (located[seat] | set(taken), *others)

    fitting = [hands for hands in deal(0, left) if fits(env, viewer, hands)]
    assert tuple(held) in fitting
    return fitting


POSITIONS: dict[str, tuple[Callable[[], CardGameEnv], int]] = {
    "three hands": (lambda: arranged(["2c 3c Sk-c", "2d Qs 5c", "3d 5d", "3h Sk-h 2h"]), 3),
    "a known card": (lambda: arranged(["2c 3c Sk-c", "2d Qs 5c", "3d 5d", "9c"], known={"5d": 3}), 3),
    "known cards": (lambda: arranged(["2c 3c Sk-c", "2d Qs 5c 7c", "3d 5d 7d", "9c"], known={"5d 3d": 3}), 3),
    "bound": (lambda: arranged(["2c 3c SJ", "2d Qs 5c", "9d 3d", "9s 5h"], bound="9"), 3),
    "free Jokers": (lambda: arranged(["2c 3c SJ", "2d Qs BJ", "9d 3d", "9s 5h"]), 3),
    "Jokers apart": (lambda: arranged(["SJ Dr-c", "BJ Qs Sk-h", "Sk-c Dr-h Rv-d", "Rv-c"]), 3),
    "shuffled": (lambda: arranged(["2c 3c Sk-c", "2d Qs 5c", "3d 5d", "3h Sk-h"], fan="shuffled"), 3),
    "standard": (lambda: arranged(["2c 3c Qd", "2d Qs 5c", "3d Qh 5d", "3h"], deck="standard"), 3),
    "setup": (lambda: arranged(["2c SJ Sk-c", "2d Qs BJ", "3d 5d", "5c Sk-h"], phase=SETUP, turns=0), 3),
    "setup, a hand of two": (lambda: arranged(["2c SJ", "Sk-c Qs BJ", "Sk-d Dr-c", "Dr-h 2h"], phase=SETUP, turns=0), 3),
    "setup, one Joker": (lambda: arranged(["2c SJ", "Sk-c Qs Rv-h", "Sk-d 2d", "Dr-h BJ"], phase=SETUP, turns=0), 3),
    "asked": (
        lambda: arranged(
            ["2c Rv-c SJ 5c", "2d Qs BJ", "3d Rv-h", "3h"], phase=PAIR, drawer=0, drawn_from=1, known={"5c": 1}, fresh=1
        ),
        3,
    ),
    "asked, the giver": (
        lambda: arranged(
            ["2c Rv-c SJ", "2d Qs", "3d Rv-h BJ", "3h"], phase=PAIR, drawer=0, drawn_from=1, known={"SJ": 1}, fresh=1
        ),
        1,
    ),
    "both Jokers": (lambda: arranged(["BJ Rv-c SJ", "2d Qs", "3d Rv-h", "3h 2h"], phase=PAIR, drawer=0, drawn_from=1), 3),
    "placing": (
        lambda: arranged(
            ["2d Qs", "3d 5d", "2c 5c 3c", ""],
            current_player=2,
            phase=PLACE,
            drawer=2,
            drawn_from=0,
            known={"3c": 0, "5c": 3},
            fresh=1,
        ),
        3,
    ),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_samples_are_equally_likely(name: str) -> None:
    arrange, viewer = POSITIONS[name]
    env = arrange()
    arrangements = ways(env, viewer)
    assert 1 < len(arrangements) < 700
    records = determinizations(env, viewer, range(SHARE * len(arrangements)))
    sizes = [int(size) for size in env.record["hand_size"][0]]
    drawn = Counter(
        tuple(frozenset(row[seat][: sizes[seat]].tolist()) for seat in range(env.num_players)) for row in records["hand"]
    )
    assert set(drawn) == set(arrangements)
    assert surprise(np.array(list(drawn.values())), len(arrangements)) < 4


@pytest.mark.parametrize("seed", short(range(6), [0, 1]))
def test_late_positions_of_random_games(seed: int) -> None:
    draw = random.Random(seed)
    env = raw_env("old_maid_v0", num_players=3 + seed % 3, joker_bind=seed % 2 == 0)
    tried = 0
    for number in itertools.count(seed * 100):
        env.reset(seed=number)
        while any(env.legal_actions()) and tried < 3 and not any(env.terminations.values()):
            sizes = [int(size) for size in env.record["hand_size"][0]]
            if sum(sizes) < 12 and draw.random() < 0.2:
                viewer = draw.randrange(env.num_players)
                arrangements = ways(env, viewer)
                if 1 < len(arrangements) < 200:
                    records = determinizations(env, viewer, range(40 * len(arrangements)))
                    drawn = Counter(
                        tuple(frozenset(row[seat][: sizes[seat]].tolist()) for seat in range(env.num_players))
                        for row in records["hand"]
                    )
                    assert set(drawn) == set(arrangements)
                    assert surprise(np.array(list(drawn.values())), len(arrangements)) < 4.5
                    tried += 1
            env.step(draw.choice(env.legal_actions()))
        if tried == 3:
            return


@pytest.mark.rule("OM-13")
def test_positions_are_as_likely_and_the_own_hand_keeps_its_order() -> None:
    env = arranged(["2c 3c Tc", "2d Qs 5c", "3d 5d Td"], known={"Qs": 2})
    records = determinizations(env, 2, range(3000))
    orders = Counter(tuple(row[1][:3].tolist()) for row in records["hand"] if set(row[1][:3]) == set(ids("2d Qs 5c")))
    assert len(orders) == 6, "also of the card that is known"
    assert surprise(np.array(list(orders.values())), 6) < 4
    assert (records["hand"][:, 2, :3] == ids("3d 5d Td")).all()


@pytest.mark.rule("OM-13")
def test_the_card_just_drawn_lies_at_the_end() -> None:
    """Who gave it knows it; another knows that it is none of those that they gave."""
    env = arranged(["Qs 2d 3c", "3d 5d", "2c 5c", ""], known={"5c": 3}, current_player=2)
    env.step(2)
    assert (hand(env, 2), field(env, "phase")) == ("2c 5c 3c", PLACE)
    giver = determinizations(env, 0, range(200))
    assert {int(row[2][2]) for row in giver["hand"]} == set(ids("3c"))
    last = Counter(int(row[2][2]) for row in determinizations(env, 3, range(400))["hand"])
    assert ids("5c")[0] not in last and len(last) > 3
    for seat in (1, 3):
        (sample,) = determinizations(env, seat, [1])
        assert sample["known_by"][sample["hand"][2][2]] == 0


def test_what_others_know_is_not_in_a_sample() -> None:
    env = arranged(["2c 3c Tc", "2d Qs 5c", "3d 5d Td"], known={"Qs": 2, "3c": 1})
    (sample,) = determinizations(env, 0, [1])
    assert sample["known_by"][ids("3c")[0]] == 1, "their own card, that another knows"
    assert np.delete(sample["known_by"], ids("3c")).max() == -1


def test_a_second_pair_of_a_joker_leaves_the_card_drawn_in_sight() -> None:
    """Two free Jokers, one of them laid with the card drawn, or with another: all see which."""
    for rank, left in (("9", 0), ("2", 1)):
        env = arranged(["2c SJ BJ 3c", "9h 4c", "2d 3d 4d Qs"], joker_bind=False)
        env.step(0)
        env.step(pair(rank))
        assert field(env, "phase") == PAIR and field(env, "fresh") == left
        for seat in range(3):
            (sample,) = determinizations(env, seat, [3])
            assert sample["fresh"] == left
            assert ("still holding" in env.describe(f"player_{seat}")) == bool(left)
