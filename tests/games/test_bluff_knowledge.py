"""What each seat knows of bluff, and what determinizations make of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from games.bluff_positions import GAME, arranged, field, hand, labels, parse, play, seen
from support import determinizations, history_text
from wilddeck.envs.core.extended.sets import ids_of
from wilddeck.envs.core.game import as_record

SMALL = ["4c 9h", "2s Qd", "3s Qh"]
MANY = 600


def sampled(env: Any, seat: int, count: int = MANY) -> list[dict[str, list[int]]]:
    """The zones of determinizations."""
    return [GAME.zones(as_record(record.reshape(1)), None) for record in determinizations(env, seat, range(count))]


# --- samples ---


def test_all_ways_to_deal_the_hidden_cards_are_as_likely() -> None:
    """Player 2 does not know five cards: two in each other hand and one of the heap. Each way comes up as often."""
    env = arranged(["4c 9h", "2s Qd", "3s Qh", "8d"], "Aces", turn=2, heap=((0, "Kd"), (2, "Ks"), (1, "Jc Th")), pile="",
                   deck="standard")  # fmt: skip
    record = env.record
    m = int(record["gone"][0])
    record["laid_seat"][0][:m] = 2  # they know what is out of the game
    ways: Counter[tuple[Any, ...]] = Counter()
    for zones in sampled(env, 2, 4000):
        assert zones["hand/2"] == parse("3s Qh")
        assert zones["heap"][1] == parse("Ks")[0]
        assert zones["heap"][2] < zones["heap"][3]  # within a play in ascending order
        ways[zones["heap"][0], tuple(zones["hand/3"])] += 1
    assert len(ways) == 8 * 7
    assert all(35 < times < 115 for times in ways.values())  # 71 expected


def test_two_cards_of_a_play_are_a_set() -> None:
    env = arranged(["9h", "Qd", "3s Qh"], "Aces", turn=2, heap=((1, "Jc Kd"),), pile="", deck="standard")
    env.record["laid_seat"][0][: int(env.record["gone"][0])] = 2
    ways = Counter((*zones["hand/0"], *zones["heap"]) for zones in sampled(env, 2, 2400))
    assert len(ways) == 4 * 3
    assert all(140 < times < 260 for times in ways.values())


def test_what_a_seat_knows_of_another_hand_stays_in_samples() -> None:
    env = arranged(["4c 9h 9d", "2s Qd Th", "3s Qh 5d"], "Fours", heap=((2, "7d"),), pile="6c 8c", check="one")
    play(env, "put 4c", "accept", "challenge")  # 2 takes 4c in sight of all, and their own 7d
    assert env.current_player == 1
    for zones in sampled(env, 1, 100):
        assert {*parse("4c")} <= set(zones["hand/2"])
    others = Counter(card for zones in sampled(env, 1, 100) for card in zones["hand/2"])
    assert 5 < others[parse("7d")[0]] < 80  # which the others do not know
    play(env, "put 2s", "accept", "accept", "put 3s")
    assert any(parse("4c")[0] not in zones["hand/2"] for zones in sampled(env, 1, 60))


def test_who_put_a_card_knows_where_it_went_and_nobody_else() -> None:
    env = arranged(["4c 9h 9d", "2s Qd Th", "3s Qh 5d"], "Fours", turn=1, heap=((0, "7d"),), pile="6c 8c")
    play(env, "put Qd", "challenge")
    assert parse("7d")[0] in hand(env, 1)
    assert all(parse("7d")[0] in zones["hand/1"] for zones in sampled(env, 0, 40))
    assert any(parse("7d")[0] not in zones["hand/1"] for zones in sampled(env, 2, 40))
    for record in determinizations(env, 2, range(5)):
        assert not record["given"][[0, 1]].any()  # of what others know nothing stays
    for record in determinizations(env, 0, range(5)):
        assert ids_of(record["given"][0]) == parse("7d")


def test_a_play_that_is_composed_leaves_no_trace() -> None:
    env = arranged(["4c 9h 9d Jk", "2s Qd Th", "3s Qh 5d"], "Fours", pile="6c 8c")
    before = env.clone()
    env.step(parse("4c")[0])
    env.step(parse("9d")[0])
    for seat in (1, 2):
        agent = f"player_{seat}"
        assert env.observe(agent)["observation"].tobytes() == before.observe(agent)["observation"].tobytes()
        assert env.zones(agent) == before.zones(agent)
        assert env.describe(agent) == before.describe(agent)
        for one, two in zip(determinizations(env, seat, [1, 2]), determinizations(before, seat, [1, 2]), strict=True):
            assert one.tobytes() == two.tobytes()
    assert seen(env, 0, "hand_sizes")[0] == pytest.approx(2 / 66)
    assert seen(env, 1, "hand_sizes")[2] == pytest.approx(4 / 66)
    assert sum(seen(env, 0, "composition")) == 2
    assert sum(seen(env, 1, "composition")) == 0
    assert (seen(env, 0, "phase"), seen(env, 1, "phase")) == ([0, 1, 0], [1, 0, 0])
    for record in determinizations(env, 0, [1]):
        assert ids_of(record["composed"]) == parse("4c 9d")


def test_others_hear_the_claim_once_however_it_was_completed() -> None:
    def heard(hand_of_0: str, *steps: str) -> list[str]:
        env = arranged([hand_of_0, "2s Qd Th", "3s Qh 5d"], "Fours", pile="6c 8c")
        for text in steps:
            env.step(env.action_from_label(text))
        return history_text(env, 1)

    told = ["player 0 puts 2 cards face down", "player 0 claims Fours"]
    assert heard("4c 9h 9d", "put 4c", "put 9d", "claim two Fours")[-2:] == told
    assert heard("4c 9h 9d", "put 4c", "put 9h")[-2:] == told


def test_texts() -> None:
    env = arranged(["4c 9h 9d 9s", "2s Qd", "3s Qh"], rank_order="free", pile="6c 8c")
    assert {"name Sixes", "name Twos", "name Skips", "name Aces"} <= labels(env)
    assert "player 0 leads" in env.describe()
    play(env, "name Sixes", "put 4c 9h")
    assert "player 0 claims two Sixes" in env.describe()
    play(env, "accept", "challenge")
    assert "player 2 challenged player 0, rightly: 4c 9h" in env.describe("player_1")


def test_claims_are_counted_as_far_as_eight_and_cards_taken_as_far_as_four() -> None:
    env = arranged(
        ["4c 9h 9d 9s", "2s Qd", "3s Qh"], "Fours", pile="6c 8c", claimed=np.full((8, 16), 7), taken=np.full((8, 16), 4)
    )
    play(env, "put 9h 9d 9s", "accept")
    claims = seen(env, 1, "claims")[64:96]
    assert (claims[2], claims[16 + 2]) == (1, 1 / 4)
    assert (claims[3], claims[16 + 3]) == (7 / 8, 1)
    play(env, "challenge")  # they take three Nines, and have four at most
    claims = seen(env, 1, "claims")[64:96]
    assert claims[:16] == [0] * 16
    assert claims[16 + 7] == 1


# --- saves ---


def bits(*ids: int) -> list[int]:
    from wilddeck.envs.core.extended.sets import set_of

    return set_of(list(ids)).tolist()


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        ({"max_play": 7}, "1..6, none"),
        ({"check": "two"}, "all, one"),
        ({"after_challenge": "loser"}, "none, next, winner, taker"),
        ({"allow_pass": 2}, "True, False, none"),
        ({"first_rank": "1"}, "2, 3"),
        ({"num_players": 9}, "2..8"),
        ({"max_turns": 0}, "1..10000"),
    ],
)
def test_options_that_are_not_allowed(options: dict[str, Any], allowed: str) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(options))}=.*{allowed}"):
        GAME.make_options(options)


# --- what leaves a place ---


def test_a_known_card_that_is_put_is_known_no_more() -> None:
    env = arranged(["4c 9h", "2s Qd Th", "3s Qh"], "Fours", pile="7c 8c")
    play(env, "put 4c", "challenge", "put 4c")
    assert field(env, "shown") == [0, 0]
    assert field(env, "given") == [[0, 0]] * 8


def test_of_their_own_cards_in_their_hand_a_player_is_told_nothing_more() -> None:
    env = arranged(["4c 9h", "2s Qd Th", "3s Qh"], "Fours", turn=1, heap=((1, "7d"), (0, "8d")), pile="7c 8c")
    play(env, "put Qd", "challenge")
    assert [ids_of(np.array(card_set)) for card_set in field(env, "given")[:3]] == [parse("8d"), [], []]


def test_a_special_that_is_redealt_is_known_no_more_to_who_had_put_it() -> None:
    env = arranged(["4c 9h", "2s Qd Th", "3s Qh"], "Fours", turn=1, heap=((0, "Sk-h"),), pile="7c 8c", after_challenge="taker")
    play(env, "put Qd", "challenge")
    assert ids_of(np.array(field(env, "given")[0])) == parse("Sk-h")
    play(env, "reveal Sk-h")
    assert field(env, "given")[0] == [0, 0]


def test_counterclockwise_the_players_asked_are_those_before() -> None:
    env = arranged(["4c 9h", "2s Qd Th", "3s Qh", "5s 5d"], "Fours", pile="7c 8c", direction=-1)
    play(env, "put 4c", "accept")
    assert env.current_player == 2
    assert seen(env, 0, "asked") == [0, 0, 0, 1]


def test_the_rank_of_the_last_play_after_aces() -> None:
    env = arranged(["4c 9h", "2s Qd Th", "3s Qh"], "Aces", pile="7c 8c")
    play(env, "put 4c", "all accept")
    assert seen(env, 0, "last_rank").index(1) == 12
    play(env, "put Qd", "all accept")
    assert seen(env, 0, "last_rank").index(1) == 0
