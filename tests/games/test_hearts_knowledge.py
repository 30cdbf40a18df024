"""What a seat of hearts sees and can conclude: observations, and what `determinize` keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from games.hearts_positions import CLAIM, DECLINE, arranged, dealt, field, parse, play, seen
from support import determinizations
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended.sets import ids_of

SEEDS = range(60)
TWO, JOKERS = 0, {52, 53}


def samples(env: CardGameEnv, seat: int) -> np.ndarray:
    return determinizations(env, seat, SEEDS)


def held(record: Any, seat: int) -> set[int]:
    return set(ids_of(record["hand"][seat]))


def test_the_observation_is_as_stated() -> None:
    env = raw_env("hearts_v0")
    env.reset(seed=1)
    assert env.observation_size == 1393
    assert env.num_actions == 135
    layout = env.observation_layout
    assert layout["phase"].start == 112 + 865
    assert [env.action_label(133), env.action_label(134)] == [CLAIM, DECLINE]


def test_phases_and_directions_are_seen() -> None:
    env = dealt(["SJ", "2c"], passing="across")
    assert seen(env, 3, "phase") == [1, 0, 0]
    assert seen(env, 3, "pass_dir") == [0, 0, 1, 0]
    assert seen(env, 3, "question") == [0, 0, 0]
    for seat in range(4):
        play(env, *("2d 3d 4d", "6s 7s 8s", "8h 9h Th", "7c 8c 9c")[seat].split())
    assert seen(env, 3, "phase") == [0, 1, 0]
    play(env, CLAIM)
    assert seen(env, 3, "phase") == [0, 0, 1]
    assert seen(env, 3, "leader_due") == [0, 1, 0, 0]


def test_who_passed_a_card_knows_where_it_is() -> None:
    env = dealt(["2c Ah Kh Qh"], passing="left", deck="standard")
    play(env, "Ah", "Kh", "Qh")
    while field(env, "phase") == 0:
        env.step(env.legal_actions()[0])
    passed = set(parse("Ah Kh Qh"))
    assert env.zones("player_0")["hand/1"] == [*sorted(passed), *[-1] * 10]
    assert env.zones("player_2")["hand/1"] == [-1] * 13
    assert all(passed <= held(record, 1) for record in samples(env, 0))
    assert not all(passed <= held(record, 1) for record in samples(env, 2))
    sizes = set()
    while field(env, "tricks_done") < 11:
        env.step(env.legal_actions()[0])
        left = passed & held(env.record[0], 1)
        sizes.add(len(left))
        assert all(left <= held(record, 1) for record in determinizations(env, 0, range(4)))
    assert len(sizes) > 1


def test_what_two_others_passed_is_redrawn() -> None:
    env = dealt(["2c"], passing="left", deck="standard")
    while field(env, "phase") != 2:
        env.step(env.legal_actions()[-1])
    for _ in range(9):
        env.step(env.legal_actions()[0])
    passes = set()
    for record in samples(env, 0):
        for giver, receiver in ((1, 2), (2, 3)):
            passed = set(ids_of(record["passed"][giver]))
            assert len(passed) == 3
            assert passed <= held(record, receiver) | set(ids_of(record["played"][receiver])) | set(trick(record, receiver))
            passes.add((giver, *sorted(passed)))
        for known in (0, 3):
            assert record["passed"][known].tolist() == env.record[0]["passed"][known].tolist()
    assert len(passes) > 60


def trick(record: Any, seat: int) -> list[int]:
    return [int(record["trick_card"][k]) for k in range(record["trick_size"]) if record["trick_seat"][k] == seat]


@pytest.mark.rule("HE-05")
def test_while_passing_others_may_have_chosen_anything() -> None:
    env = dealt(["2c"], passing="left")
    for _ in range(7):
        env.step(env.legal_actions()[0])
    drawn = [[tuple(ids_of(record["passed"][seat])) for seat in range(4)] for record in samples(env, 3)]
    assert {tuple(map(len, sample)) for sample in drawn} == {(3, 3, 0, 0)}  # that 2 has begun, nobody sees
    assert len({sample[0] for sample in drawn}) > 50
    assert all(record["passed"][0].tolist() == env.record[0]["passed"][0].tolist() for record in samples(env, 0))


@pytest.mark.rule("HE-03")
def test_no_sample_is_a_misdeal() -> None:
    env = dealt(["3c 4c", "2c"], passing="left")
    records = determinizations(env, 0, range(1500))
    for record in records:
        rest = {TWO, *JOKERS}.intersection(*[set(record["deck"][int(record["pile_at"]) : int(record["pile_end"])].tolist())])
        assert len(rest) < 3


# --- the opening lead ---


@pytest.mark.rule("HE-11")
def test_who_is_asked_and_who_has_claimed_holds_a_joker_and_not_the_two() -> None:
    env = dealt(["", "SJ", "2c", "BJ"])
    for _ in range(2):
        for viewer in (0, 2, 3):
            for record in samples(env, viewer):
                assert held(record, 1) & JOKERS
                assert TWO not in held(record, 1)
        if field(env, "phase") == 1:
            play(env, f"1: {CLAIM}")
    others = samples(env, 0)
    assert 0 < sum(len(held(record, 1) & JOKERS) == 2 for record in others) < len(others)
    for record in samples(env, 1):  # the claimant knows that they were asked: 2c, or a Joker in a later hand
        assert any(TWO in held(record, seat) for seat in (0, 2, 3)) or held(record, 2) & JOKERS or held(record, 3) & JOKERS


@pytest.mark.rule("HE-11")
def test_who_leads_without_a_claim_holds_the_two_or_the_last_joker() -> None:
    env = dealt(["", "2c", "", ""], pile="SJ BJ")
    assert field(env, "opener") == 1
    kinds = set()
    for record in samples(env, 0):
        by_two = TWO in held(record, 1)
        kinds.add(by_two)
        assert record["opening"] == (0 if by_two else 2)
        if not by_two:
            assert held(record, 1) & JOKERS
            assert all(TWO not in held(record, seat) for seat in range(4))
        assert not (held(record, 2) | held(record, 3)) & JOKERS, "nobody was asked"
    assert kinds == {True, False}
    standard = dealt(["", "2c"], deck="standard")
    assert all(TWO in held(record, 1) for record in samples(standard, 3))


@pytest.mark.rule("HE-11")
def test_who_declined_the_lead_holds_a_joker_until_they_play_it() -> None:
    """Player 0 had a Joker and declined, or had none. That they were asked the others have noticed, though observations are
    the same."""
    declined = play(dealt(["SJ", "2c"], pile="3h"), f"0: {DECLINE}")
    nothing = dealt(["3h", "2c"], pile="SJ")
    assert field(declined, "opener") == field(nothing, "opener") == 1
    assert "player 0 declined the lead" in declined.describe()
    for seat in (1, 2, 3):
        agent = f"player_{seat}"
        assert declined.observe(agent)["observation"].tobytes() == nothing.observe(agent)["observation"].tobytes()
        assert all(held(record, 0) & JOKERS and TWO not in held(record, 0) for record in samples(declined, seat))
        assert not any(held(record, 0) & JOKERS for record in samples(nothing, seat))
    play(declined, "1: 2c")
    assert all(held(record, 0) & JOKERS for record in samples(declined, 3))
    while field(declined, "current_player") != 0:
        declined.step(next(action for action in declined.legal_actions() if action not in JOKERS))
    play(declined, "0: SJ")
    assert not all(held(record, 0) & JOKERS for record in samples(declined, 3))


@pytest.mark.rule("HE-12")
def test_what_the_opener_must_hold_they_hold_until_they_have_shown_it() -> None:
    """They lost their turn by a Skip: they still have 2c or a Joker, in later tricks too, until they play one."""
    env = dealt(["", "2c 3c Sk-c"], pile="9h 8h 7h")
    play(env, "1: reveal Sk-c")
    for _ in range(2):
        for viewer in (0, 2, 3):
            assert all(held(record, 1) & {TWO, *JOKERS} for record in samples(env, viewer))
        while field(env, "tricks_done") == 0:
            env.step(next(action for action in env.legal_actions() if action not in (TWO, *JOKERS)))
    env = arranged(["5c 6c", "2c 7c", "8c 9c", "2d 3d"], opener=1, pile="SJ 3h")
    assert all(held(record, 1) & {TWO, *JOKERS} for record in samples(env, 0))
    play(env, "0: 5c", "1: 2c")
    assert not all(held(record, 1) & JOKERS for record in samples(env, 0))


@pytest.mark.rule("HE-14", "HE-15")
def test_who_did_not_play_the_two_of_clubs_has_it_not() -> None:
    env = dealt(["SJ", "9c", "2c", "4c"])
    play(env, CLAIM, "0: SJ", "1: 9c")
    records = samples(env, 3)
    assert not any(TWO in held(record, 1) for record in records)
    assert any(TWO in held(record, 2) for record in records)
    assert any(TWO in held(record, 0) for record in samples(dealt(["2c SJ"]), 3))


def test_suits_not_followed_are_remembered() -> None:
    env = arranged(["5c 6c Ad", "7d 8d 9d", "8c 9c Kd", "2c 3c Qd"])
    play(env, "0: 5c", "1: 7d")
    for record in samples(env, 3):
        assert not any(card % 4 == 0 for card in held(record, 1) if card < 52)
    assert seen(env, 3, "seen_void")[8:12] == [1, 0, 0, 0]
