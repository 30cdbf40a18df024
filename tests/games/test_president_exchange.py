"""The exchange of President, points and matches, and what a seat knows of all that."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
from core.test_hidden import surprise
from games.president_positions import (
    GAME,
    arranged,
    field,
    hand,
    labels,
    next_deal,
    parse,
    play,
    returns,
    seen,
)
from support import determinizations, play_random
from wilddeck.envs import raw_env
from wilddeck.envs.core.extended.sets import ids_of, set_of

ORDER = [2, 0, 3, 1]  # of four: President 2, Vice-President 0, Vice-Scum 3, Scum 1
LOW = "3c 3d 3h 3s 4c 4d 4h 4s 5c 5d 5h 5s 6c"


def passed_on(env: Any, seat: int) -> list[int]:
    return ids_of(env.record["given"][0][seat])


# --- who gives what ---


@pytest.mark.rule("PR-40")
@pytest.mark.parametrize(
    ("scum", "options", "best"),
    [
        ("2h 2s As Sk-d", {}, "2s"),  # example 14
        ("2h 2s As Sk-d BJ", {}, "BJ"),
        ("2h 2s SJ BJ", {}, "SJ"),
        ("2h 2s SJ BJ", {"exchange": 2}, "SJ BJ"),
        ("2h Ks BJ", {"exchange": 2}, "2h BJ"),
        ("2h 2s As Kc", {"twos_high": False}, "As"),
        ("Ad Ah Kc", {"exchange": 2}, "Ad Ah"),
    ],
)
def test_the_best_cards_are_given(scum: str, options: dict[str, Any], best: str) -> None:
    weak = " ".join(LOW.split()[: 13 - len(scum.split())])
    env = next_deal(["Tc", f"{scum} {weak}", "Qc", "Jc"], ORDER, **options)
    assert passed_on(env, 1) == sorted(parse(best))
    assert set(parse(best)) <= set(hand(env, 2))
    assert not set(parse(best)) & set(hand(env, 1))
    assert env.current_player == 2


@pytest.mark.rule("PR-40")
def test_specials_are_given_where_there_is_nothing_else() -> None:
    """Seven players, and the Scum was dealt no card with a rank but one."""
    env = next_deal(["", "", "", "", "", "", "3c Rv-c Rv-d Sk-h Sk-s Dr-h Dr-s"], [0, 1, 2, 3, 4, 5, 6], exchange=2)
    assert passed_on(env, 6) == sorted(parse("3c Dr-h"))


@pytest.mark.rule("PR-40", "PR-41")
def test_with_two_the_vices_exchange_one() -> None:
    env = next_deal(["Tc", f"2h 2s {' '.join(LOW.split()[:11])}", "Qc", "Ah Ks Jc"], ORDER, exchange=2)
    assert passed_on(env, 1) == parse("2h 2s")
    assert len(passed_on(env, 3)) == 1
    assert passed_on(env, 3)[0] in hand(env, 0)
    assert env.current_player == 2
    for _ in range(2):
        assert not any(action < 169 for action in env.legal_actions())
        env.step(env.legal_actions()[0])
    assert env.current_player == 0
    env.step(env.legal_actions()[0])
    assert seen(env, 0, "phase") == [0, 1]
    assert env.current_player == 2
    assert [len(hand(env, seat)) for seat in range(4)] == [13] * 4


@pytest.mark.rule("PR-40")
@pytest.mark.parametrize(
    ("n", "exchange", "gifts"),
    [(3, 2, [2, 0, 2]), (3, 1, [1, 0, 1]), (3, 0, [0] * 3), (5, 0, [0] * 5), (5, 2, [2, 1, 0, 1, 2])],
)
def test_who_exchanges(n: int, exchange: int, gifts: list[int]) -> None:
    env = next_deal([""] * n, list(range(n)), exchange=exchange)
    while field(env, "phase") == 0:
        env.step(env.legal_actions()[-1])
    assert [len(passed_on(env, seat)) for seat in range(n)] == gifts


@pytest.mark.rule("PR-40")
def test_a_single_deal_and_the_first_one_have_no_exchange() -> None:
    for options in ({}, {"match": "points"}):
        env = raw_env("president_v0", **options)
        env.reset(seed=1)
        assert field(env, "phase") == 1
        assert not any(action >= 169 for action in env.legal_actions())


@pytest.mark.rule("PR-41", "PR-03")
def test_the_president_gives_what_they_like_card_by_card() -> None:
    env = next_deal(["Tc", f"2h {' '.join(LOW.split()[:12])}", "Kd Ks SJ Dr-c Sk-d Sk-h", "Jc"], ORDER, exchange=1)
    assert {"give K", "give Jk", "give Dr", "give Sk", "give 2"} <= labels(env)
    assert not any(text.startswith(("reveal", "lead")) or text == "give Rv" for text in labels(env))
    for text, card in (("give K", "Kd"), ("give Jk", "SJ"), ("give Sk", "Sk-d"), ("give 2", "2h")):
        after = env.clone()
        play(after, text)
        assert passed_on(after, 2) == parse(card)
        assert parse(card)[0] in hand(after, 1)
        assert parse(card)[0] not in hand(after, 2)


@pytest.mark.rule("PR-41")
def test_each_card_goes_at_once() -> None:
    env = next_deal(["Tc", f"2h 2s {' '.join(LOW.split()[:11])}", "Kd Ks", "Jc"], ORDER, exchange=2)
    play(env, "give K")
    assert len(hand(env, 1)) == 12
    assert len(hand(env, 2)) == 14
    assert parse("Kd")[0] in hand(env, 1)
    assert env.current_player == 2


@pytest.mark.rule("PR-41")
def test_only_giver_and_receiver_see_what_is_exchanged() -> None:
    env = next_deal(["Tc", f"2h {' '.join(LOW.split()[:12])}", "Kd Ks", "Jc"], ORDER, exchange=1)
    play(env, "give K")
    two, king = parse("2h")[0], parse("Kd")[0]
    assert [seen(env, seat, "given")[two] for seat in range(4)] == [0, 1, 0, 0]
    assert [seen(env, seat, "received")[two] for seat in range(4)] == [0, 0, 1, 0]
    assert [seen(env, seat, "given")[king] for seat in range(4)] == [0, 0, 1, 0]
    assert [seen(env, seat, "received")[king] for seat in range(4)] == [0, 1, 0, 0]
    assert env.zones("player_1")["hand/2"][0] == two
    assert env.zones("player_2")["hand/1"][0] == king
    for seat in (0, 3):
        assert not any({two, king} & set(env.zones(f"player_{seat}")[f"hand/{other}"]) for other in (1, 2))
    for sample in determinizations(env, 1, range(8)):
        assert two in ids_of(sample["hand"][2])
    for sample in determinizations(env, 2, range(8)):
        assert king in ids_of(sample["hand"][1])
    play(env, "2")
    assert two not in env.zones("player_1")["hand/2"]
    assert two in env.zones("player_1")["played/2"]


@pytest.mark.rule("PR-01", "PR-40")
@pytest.mark.parametrize(("next_lead", "leader"), [("president", 2), ("scum", 1)])
def test_who_leads_the_next_deal(next_lead: str, leader: int) -> None:
    env = next_deal(["", "", "", ""], ORDER, next_lead=next_lead, num_players=4)
    assert len(env.zones()["pile"]) == 14
    env.step(env.legal_actions()[0])
    assert env.current_player == leader
    env = next_deal([""] * 5, [4, 2, 0, 3, 1], next_lead=next_lead, exchange=0)
    first = 4 if next_lead == "president" else 1
    assert env.current_player == first
    assert [len(hand(env, seat)) for seat in range(5)] == [10 + ((seat - first) % 5 < 2) for seat in range(5)]
    assert field(env, "direction") == 1


# --- points ---


@pytest.mark.rule("PR-09", "PR-42")
@pytest.mark.parametrize(
    ("order", "points", "roles"),
    [
        ([2, 0, 3, 1], [1, 0, 2, 0], [1, 4, 0, 3]),
        ([1, 2, 0], [0, 2, 0], [4, 0, 2]),
        ([4, 3, 2, 1, 0], [0, 0, 0, 1, 2], [4, 3, 2, 1, 0]),
    ],
)
def test_points_and_roles(order: list[int], points: list[int], roles: list[int]) -> None:
    n = len(order)
    env = next_deal([""] * n, order)
    assert field(env, "totals")[:n] == points
    assert seen(env, 0, "totals") == pytest.approx([point / 11 for point in points])
    block = np.reshape(seen(env, 1, "roles"), (n, 5))
    assert [int(row.argmax()) for row in block] == [*roles[1:], roles[0]]
    assert block.sum() == n
    assert returns(env) == [0] * n


@pytest.mark.rule("PR-42")
@pytest.mark.parametrize(
    ("options", "totals", "over"),
    [
        ({}, [8, 10, 3, 3], True),
        ({}, [8, 8, 3, 3], False),
        ({}, [10, 8, 3, 3], True),  # the Vice-President reaches it
        ({"max_hands": 1}, [0, 0, 0, 0], True),
        ({"target": 2}, [0, 0, 0, 0], True),
    ],
)
def test_the_end_of_a_match(options: dict[str, Any], totals: list[int], over: bool) -> None:
    """2 and 3 are left; 1 went out first, 0 second."""
    env = arranged(["", "", "2c", "3c"], leader=2, match="points", totals=totals, place=[2, 1, 0, 0], **options)
    play(env, "2")
    assert (not env.legal_actions()) == over
    after = [totals[0] + 1, totals[1] + 2, totals[2], totals[3]]
    assert field(env, "totals")[:4] == after
    if over:
        mean = sum(after) / 4
        assert returns(env) == pytest.approx([(total - mean) / env.options.target for total in after])


def test_bad_options_are_named() -> None:
    for name, value in (("num_players", 2), ("num_players", 8), ("exchange", 3), ("target", 0), ("deal", "half")):
        with pytest.raises(ValueError, match=f"{name}={value!r}"):
            GAME.make_options({name: value})


# --- what the President knows of the Scum's hand ---


@pytest.mark.rule("PR-40")
def test_who_receives_the_best_card_knows_that_no_better_was_kept() -> None:
    env = next_deal(["Tc", f"Ts {' '.join(LOW.split()[:12])}", "Kd Ks", "Jc"], ORDER, exchange=1)
    play(env, "give K")
    held = set()
    for sample in determinizations(env, 2, range(60)):
        cards = set(ids_of(sample["hand"][1]))
        assert parse("Kd")[0] in cards
        held |= cards - {parse("Kd")[0]}
    assert max(card for card in held if 4 <= card < 52) < parse("Ts")[0]
    assert not held & set(parse("2c 2d 2h 2s SJ BJ"))
    assert held & set(range(54, 66))  # specials are not better
    others = {card for sample in determinizations(env, 0, range(60)) for card in ids_of(sample["hand"][1])}
    assert others & set(parse("2c 2d 2h 2s SJ BJ"))  # to others anything may have come back


def position(played: str, taken: int, hands: list[str], pile: str) -> Any:
    """Late in the second deal: 0 was President and received Ts from 2, the Scum, and gave 4c back. All is arranged."""
    env = arranged(hands, pile=pile, match="points", deals=2, before=[1, 2, 3], totals=[2, 0, 0])
    record = env.record[0]
    gone = [card for card in ids_of(record["played"][0]) if card not in parse(played)]
    for name, seat, cards in (
        ("played", 0, gone),
        ("played", 2, parse(played)),
        ("given", 2, parse("Ts")),
        ("given", 0, parse("4c")),
    ):
        record[name][seat] = set_of(cards)
    record["taken"][2] = taken
    return env


@pytest.mark.rule("PR-40")
@pytest.mark.parametrize("taken", [0, 1, 2])
def test_samples_of_the_president_are_equally_likely(taken: int) -> None:
    """Every way to deal the hidden cards, listed: of 2's cards, 4c apart, as many may be better than Ts as they have taken. All
    histories are counted in which they took them before they played."""
    env = position("5c 6c", taken, ["Ah Ts", "Kc Kd 7d", "4c 3c 3d"], "9c Ac")
    free = parse("Kc Kd 7d 3c 3d 9c Ac")
    weights: dict[frozenset[int], float] = {}
    limit = parse("Ts")[0]
    for own in itertools.combinations(free, 2):
        better = sum(card > limit for card in own)
        if better > taken:
            continue
        # of all that 2 held, 15 + taken cards that did not come back, which ones were taken
        ways = len(list(itertools.combinations(range(16 + taken - better), taken - better)))
        weights[frozenset(own)] = ways
    drawn: dict[frozenset[int], int] = dict.fromkeys(weights, 0)
    count = 4000
    for sample in determinizations(env, 0, range(count)):
        own = frozenset(ids_of(sample["hand"][2])) - {parse("4c")[0]}
        assert parse("4c")[0] in ids_of(sample["hand"][2])
        drawn[own] += 1
    total = sum(weights.values())
    for own, weight in weights.items():
        expected = count * weight / total
        assert abs(drawn[own] - expected) < 5 * expected**0.5 + 1, (own, drawn[own], expected)
    if taken == 0:
        assert surprise(np.array(list(drawn.values())), len(drawn)) < 4.5


@pytest.mark.rule("PR-40", "PR-41")
def test_those_who_have_no_part_get_an_exchange_that_can_have_been() -> None:
    """While it goes on, too; and each sample can be played."""
    env = next_deal([""] * 5, [3, 1, 0, 4, 2], exchange=2)
    draw = random.Random(1)
    for step in range(120):
        for seat in range(5):
            sample = env.determinize(f"player_{seat}", step)
            assert len(list(play_random(sample, step, 3))) == 3 or sample.is_over
        if not env.legal_actions():
            break
        env.step(draw.choice(env.legal_actions()))
    assert step > 40


@pytest.mark.rule("PR-41")
def test_while_the_exchange_goes_on_others_get_hands_as_it_leaves_them() -> None:
    env = next_deal(["Tc", f"2h 2s {' '.join(LOW.split()[:11])}", "Kd Ks", "Jc"], ORDER, exchange=2)
    worth = {card: k for k, card in enumerate([*range(65, 53, -1), *range(4, 52), 0, 1, 2, 3, 53, 52])}
    for _ in range(2):
        for sample in determinizations(env, 0, range(20)):
            best, back = ids_of(sample["given"][1]), ids_of(sample["given"][2])
            assert len(best) == 2
            assert len(back) == len(passed_on(env, 2))
            rest = set(ids_of(sample["hand"][1])) - set(back)
            assert min(worth[card] for card in best) > max(worth[card] for card in rest)
            assert set(best) <= set(ids_of(sample["hand"][2])) | set(back)
        play(env, "give K")
