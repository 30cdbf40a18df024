"""What players of poker know: folded hands, discards, the muck and its shuffle; what they are told."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from games.poker_positions import GAME, field, order, parse, pass_on, play, seen, table, zone
from support import determinizations
from wilddeck.envs import raw_env
from wilddeck.envs.core.extended.sets import ids_of
from wilddeck.envs.core.facts import FactRole
from wilddeck.envs.core.game import as_record


def samples(env: Any, viewer: int, count: int = 40) -> list[dict[str, list[int]]]:
    """All cards by zone, in determinizations for a viewer."""
    return [GAME.zones(as_record(record.reshape(1)), None) for record in determinizations(env, viewer, range(count))]


def drawn(seed: int, players: int = 8, **options: Any) -> Any:
    """Five-card draw in which players exchange cards at random, so that the muck is shuffled."""
    env, draw = (
        raw_env("poker_v0", variant="five_card_draw", num_players=players, deck="standard", **options),
        random.Random(seed),
    )
    env.reset(seed=seed)
    order(env)
    while field(env, "phase") == 1:
        env.step(draw.choice([action for action in env.legal_actions() if action >= 23]))
    return env


@pytest.mark.rule("PK-05", "PK-54")
def test_folded_hands_stay_hidden_when_others_are_shown() -> None:
    env = table(["2c 7d", "3c 8s", "Ac Ad"], "Kd 5h 6s Jh 9c")
    play(env, "0 fold; 1 call; 2 check; 1,2 check; 1,2 check; 1,2 check")
    assert not env.legal_actions()
    assert zone(env, "hand/2", viewer=1) == "Ac Ad"
    assert zone(env, "muck", viewer=1) == "?? ??"
    assert zone(env, "muck", viewer=0) == "2c 7d"
    mucks = {tuple(sample["muck"]) for sample in samples(env, 1)}
    assert len(mucks) > 30
    assert not any({*muck} & {*parse("Ac Ad 3c 8s Kd 5h 6s Jh 9c")} for muck in mucks)
    assert all(sample["muck"] == parse("2c 7d") for sample in samples(env, 0))


def test_a_sample_keeps_all_that_is_seen() -> None:
    """Own cards, up-cards, the board, staged specials, own folded cards and others' folded up-cards."""
    env = table(["2c 3c Kh", "4c 5c 9h", "6c Dr-c Rv-d"], "7c 8c 9c Td Jd Qd", button=2, variant="seven_card_stud")
    while env.current_player != 0:
        pass_on(env)
    play(env, "0 fold")
    while env.current_player != 2:
        pass_on(env)
    staged = table(["Rv-c Dr-c Kh", "4c 5c 9h", "6c 7c Td"], button=2, variant="seven_card_stud")
    while staged.current_player != 0:
        pass_on(staged)
    play(staged, "0 reveal Dr-c")
    for sample in samples(staged, 1):
        assert 54 in sample["hand/0"]
        assert sample["hand/1"] == parse("4c 5c")
        assert [sample[f"up/{seat}"] for seat in range(3)] == [parse("Kh"), parse("9h"), parse("Td")]
    for sample in samples(env, 1):
        assert parse("Kh")[0] in sample["muck"]
        assert sample["hand/1"] == parse("4c 5c")
        assert len(sample["muck"]) == 3
    assert {tuple(sample["muck"]) for sample in samples(env, 0)} == {tuple(parse("2c 3c Kh"))}


@pytest.mark.rule("PK-16", "PK-19")
def test_own_discards_are_known_until_the_muck_is_shuffled() -> None:
    env = table(["2c 3c 4c 5d 7h", "6c 7c 8c 9d Jh"], "Kc Kd Kh", variant="five_card_draw", button=1)
    play(env, "1 call; 0 check; 0 discard 2c; 0 discard 3c; 0 draw 2; 1 discard 6c; 1 draw 1")
    assert zone(env, "muck", viewer=0) == "2c 3c ??"
    assert zone(env, "muck", viewer=1) == "6c ?? ??"
    assert np.flatnonzero(seen(env, 0, "discards")).tolist() == parse("2c 3c")
    for sample in samples(env, 0):
        assert {*parse("2c 3c")} <= {*sample["muck"]}
    others = Counter(card for sample in samples(env, 1, 200) for card in sample["muck"])
    assert others[parse("6c")[0]] == 200
    assert others[parse("2c")[0]] < 40


def test_after_the_shuffle_a_player_knows_where_their_discards_cannot_be() -> None:
    """They are in the stock or were dealt since: not among cards that others hold from before."""
    checked = 0
    for seed, viewer in itertools.product(range(8), range(8)):
        env = drawn(seed)
        known = set(ids_of(env.record["recalled"][0][viewer]))
        old = [ids_of(env.record["old"][0][seat]) for seat in range(8)]
        for record in determinizations(env, viewer, range(12)):
            for seat in range(8):
                if seat != viewer:
                    held = set(ids_of(record["old"][seat]))
                    assert not held & known
                    assert len(held) == len(old[seat])
                    checked += len(held) * len(known)
    assert checked > 1000


def test_which_of_a_hand_are_old_is_not_told_by_a_secret_discard() -> None:
    """Who throws away some of a hand that is partly from before the shuffle: nobody else knows which."""
    env = drawn(3)
    for seat in range(8):
        held = {*ids_of(env.record["hand"][0][seat]), *ids_of(env.record["gone"][0][seat])}
        assert {*ids_of(env.record["old"][0][seat])} <= held


@pytest.mark.rule("PK-19", "PK-36", "PK-54")
@pytest.mark.parametrize("course", ["0 reveal Sk-c", "0 call; 1 call; 2 check; 1,2,0 check; 1,2,0 check; 1,2,0 check"])
def test_a_special_from_before_the_shuffle_leaves_the_hand_when_it_is_redealt(course: str) -> None:
    """In a turn, and at the showdown."""
    env = table(["Sk-c 7d", "3c 8s", "4c 9d"], "Ac Kd Qh Jh 5s 2c")
    env.record["old"][0, 0] = env.record["hand"][0, 0]  # as if the muck had been shuffled since
    play(env, course)
    assert zone(env, "aside") == "Sk-c"
    assert ids_of(env.record["old"][0][0]) == parse("7d")


def test_samples_are_uniform() -> None:
    """Every hidden card is as likely in every hidden place."""
    env = table(["Ac Kd", "3c 8s", "Qc Td"], deck="standard")
    count, times = Counter[tuple[str, int]](), 6000
    for sample in samples(env, 0, times):
        count.update(("hand/1", card) for card in sample["hand/1"])
        count[("first", sample["pile"][0])] += 1
    assert len({card for _, card in count}) == 50
    for (where, _), number in count.items():
        expected = times * (2 if where == "hand/1" else 1) / 50
        assert abs(number - expected) < 5.5 * expected**0.5


def test_marks_are_the_drawers_own() -> None:
    env = table(["2c 3c 4c 5d 7h", "6c 7c 8c 9d Jh"], "Kc Kd Kh", variant="five_card_draw", button=1)
    play(env, "1 call; 0 check; 0 discard 2c")
    assert seen(env, 0, "marks")[0] == 1
    assert sum(seen(env, 1, "marks")) == 0
    assert {int(record["marks"]) for record in determinizations(env, 1, range(4))} == {0}
    assert {int(record["marks"]) for record in determinizations(env, 0, range(4))} == {1}


@pytest.mark.rule("PK-01")
def test_who_was_dealt_in_is_seen_and_who_has_folded() -> None:
    env = table(["2c 7d", "3c 8s", "4c 9d"])
    play(env, "0 fold")
    assert [seen(env, 1, "seats")[17 * place : 17 * place + 2] for place in range(4)] == [[1, 0], [1, 0], [1, 1], [0, 0]]


@pytest.mark.parametrize(
    ("hand", "board", "name"),
    [
        ("2c 7d", "", "seven high"),
        ("Jc Jd", "Tc Td 5h", "two pair, Jacks and tens"),
        ("Ac 2c", "Kc Tc 5c", "a flush, Ace high"),
        ("Ac Jk", "Ad 5c 7h", "three Aces"),
    ],
)
def test_the_own_hand_has_a_name_that_only_its_player_is_told(hand: str, board: str, name: str) -> None:
    env = table([hand, "3c 8s", "4c 9d"], board)
    play(env, "0 call; 1 call; 2 check" if board else "0 call")
    told = [[fact for fact in env.facts(viewer) if fact.role is FactRole.TOTAL] for viewer in ("player_0", None)]
    assert [(fact.seat, fact.label) for fact in told[0]] == [(0, name)] and told[1] == []


def test_words_of_the_table() -> None:
    env = table(["2c 7d", "3c 8s", "4c 9d"], "Ac Kd 5h", hands=2, stack=(200, 200, 20), raise_sizes=(1,))
    play(env, "0 raise to 7; 1 fold; 2 raise to 20")
    assert env.describe().splitlines() == [
        "hand 1 of 2; texas holdem; before the flop; pot 28; player 0 has 13 to call",
        "player 0: button, 193 chips, bet 7",
        "player 1: 199 chips, folded",
        "player 2: 0 chips, bet 20, all-in",
    ]
    play(env, "0 fold")
    assert env.describe().splitlines()[1:] == [
        "player 0: 191 chips, bet 2, -7 in the last hand",
        "player 1: button, 199 chips, -1 in the last hand",
        "player 2: 27 chips, bet 1, +8 in the last hand",
    ]
