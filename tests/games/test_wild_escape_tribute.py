"""Tribute of Wild Escape: who pays whom, what may be given and returned, offers for Jokers, and what everybody knows then."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from games.wild_escape_positions import arranged, deck_with, labels, parse, play
from support import determinizations
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

TRAPPED = {  # hands before player 5, of the defence, plays the last card, and the places so far; 1 and 3 have escaped
    1: (["", "", "", "", "4c 5c", "3c"], [3, 1, 4, 2, 0, 0]),
    2: (["", "", "3d", "", "4c 5c", "3c"], [3, 1, 0, 2, 0, 0]),
    3: (["3h", "", "3d 3s", "", "4c 5c 6c", "3c"], [0, 1, 0, 2, 0, 0]),
}


def tribute(deck: dict[int, str], trapped: int = 1, **options: Any) -> CardGameEnv:
    """The second round of a match, which the defence has won: team 1 leads with player 1, trump is 2; players 4, 2 and 0, or
    as many as are trapped, pay players 1, 3 and 5. The deck deals these cards to seats, which get no others above a Jack."""
    hands, places = TRAPPED[trapped]
    fields = {"place": places, "escaped": max(places)}
    env = arranged(hands, mover=5, decks=[deck_with(deck)], episode="match", **options, **fields)
    play(env, "single 3")
    assert env.record["round_number"][0] == 2
    return env


def hand(env: CardGameEnv, seat: int) -> list[int]:
    return env.zones()[f"hand/{seat}"]


def exchanged(env: CardGameEnv) -> list[tuple[int, int, int]]:
    record = env.record[0]
    count = int(record["exchanges"])
    return list(zip(*(record[name][:count].tolist() for name in ("giver", "receiver", "tribute")), strict=True))


@pytest.mark.rule("WE-24", "WE-25")
def test_example_17_the_giver_chooses_among_equal_cards() -> None:
    env = tribute({4: "2c 2h As"})
    assert (env.current_player, labels(env)) == (4, ["card 2c", "card 2h"])
    assert env.record["trump"][0] == 2
    play(env, "card 2h")
    assert exchanged(env) == [(4, 1, parse("2h")[0])]
    assert env.current_player == 1


@pytest.mark.rule("WE-24")
def test_highest_is_by_the_trump_of_the_new_offense() -> None:
    """Here the offense has won and risen to 3: its 3s are above the 2s and Aces."""
    fields = {"place": [1, 3, 2, 0, 0, 0], "escaped": 3}
    env = arranged(
        ["", "", "", "4c 5c 6c", "3c", "4d"],
        mover=4,
        decks=[deck_with({3: "2c 3h 3d As", 5: "2c 2c As"})],
        episode="match",
        **fields,
    )
    play(env, "single 3")
    assert env.record["trump"][0] == 3
    assert (env.current_player, labels(env)) == (3, ["card 3d", "card 3h"])
    play(env, "card 3d")
    assert exchanged(env) == [(3, 0, parse("3d")[0]), (5, 2, parse("As")[0])]  # player 5 had no choice
    assert env.current_player == 0


@pytest.mark.rule("WE-27", "WE-30")
@pytest.mark.parametrize("back", ["2h", "5c"])
def test_any_card_may_be_returned_the_tribute_too(back: str) -> None:
    env = tribute({4: "2h As", 1: "Kc Kd"})  # one highest card: given without a question
    assert exchanged(env) == [(4, 1, parse("2h")[0])]
    assert len(hand(env, 1)) == 28
    assert env.current_player == 1
    assert labels(env) == [f"card {text}" for text in sorted_texts(hand(env, 1))]
    card = parse(back)[0] if parse(back)[0] in hand(env, 1) else hand(env, 1)[1]
    env.step(196 + card)
    assert [len(hand(env, seat)) for seat in range(6)] == [27] * 6
    assert card in hand(env, 4)
    assert env.current_player == 1  # who escaped first, leads
    assert "pass" not in labels(env)


def sorted_texts(ids: list[int]) -> list[str]:
    from wilddeck import cards

    return cards.text(sorted(set(ids)), joker_kinds=True).split()


@pytest.mark.rule("WE-31")
@pytest.mark.parametrize("joker", ["SJ", "BJ"])
def test_example_18_a_joker_is_not_answered(joker: str) -> None:
    env = tribute({4: f"{joker} SJ As"})
    assert exchanged(env) == [(4, 1, parse(joker)[0])]
    assert [len(hand(env, seat)) for seat in (4, 1)] == [26, 28]
    assert env.current_player == 1
    assert "pass" not in labels(env)


@pytest.mark.rule("WE-26", "WE-28")
def test_tributes_come_before_answers_best_receivers_first() -> None:
    env = tribute({4: "As Ad", 2: "Ks Kd", 0: "Qs Qd"}, trapped=3)
    asked = []
    while env.record["stage"][0]:
        asked.append((env.current_player, int(env.record["stage"][0])))
        env.step(env.legal_actions()[0])
    assert asked == [(4, 3), (2, 3), (0, 3), (1, 4), (3, 4), (5, 4)]
    assert [(giver, receiver) for giver, receiver, _ in exchanged(env)] == [(4, 1), (2, 3), (0, 5)]


@pytest.mark.rule("WE-28", "WE-32")
def test_an_exchange_is_finished_before_the_next() -> None:
    env = tribute({4: "BJ BJ SJ As", 2: "Ks Kd", 1: "Qc Qd"}, trapped=2, joker_tribute="offer_two")
    assert (env.current_player, labels(env)) == (2, ["card Kd", "card Ks"])
    play(env, "card Ks")
    assert env.current_player == 1
    play(env, "card Qc", "card Qd")
    assert env.current_player == 4
    play(env, "keep both")
    assert (env.current_player, labels(env)) == (4, ["card As", "card SJ", "card BJ"])
    play(env, "card As")
    assert env.current_player == 3  # now the answer to the second tribute
    assert (int(env.record["exchange"][0]), int(env.record["stage"][0])) == (1, 4)


@pytest.mark.rule("WE-32")
@pytest.mark.parametrize(("answer", "kept", "back"), [("keep the first", "Qc", "Ks"), ("keep the second", "Ks", "Qc")])
def test_the_giver_keeps_one_of_two_offered_cards(answer: str, kept: str, back: str) -> None:
    env = tribute({4: "BJ As", 1: "Qc Ks 2s"}, joker_tribute="offer_two")
    play(env, "card Qc", "card Ks")
    assert env.zones()["offer"] == parse("Qc Ks")
    assert labels(env) == ["keep the first", "keep the second", "keep both"]
    play(env, answer)
    assert parse(kept)[0] in hand(env, 4)
    assert parse(back)[0] in hand(env, 1)
    assert parse("BJ")[0] in hand(env, 1)
    assert [len(hand(env, seat)) for seat in range(6)] == [27] * 6
    assert env.zones()["offer"] == []
    assert env.current_player == 1


@pytest.mark.rule("WE-32")
def test_both_are_kept_only_for_a_card_higher_than_both() -> None:
    env = tribute({4: "SJ As Ad", 1: "2s 2d 4c BJ"}, joker_tribute="offer_two")
    other = env.clone()
    play(env, "card 2d", "card 2s")
    assert labels(env) == ["keep the first", "keep the second"]
    play(other, "card 2d", "card 4c")
    assert labels(other) == ["keep the first", "keep the second"]
    env = tribute({4: "SJ SJ As Ad", 1: "2s 2d 4c Ks"}, joker_tribute="offer_two")
    play(env, "card 4c", "card Ks", "keep both")
    assert labels(env) == ["card Ad", "card As", "card SJ"]
    play(env, "card SJ")
    assert {parse("4c")[0], parse("Ks")[0]} <= set(hand(env, 4))
    assert hand(env, 1).count(52) == 2
    assert [len(hand(env, seat)) for seat in range(6)] == [27] * 6


@pytest.mark.rule("WE-32")
def test_any_two_cards_may_be_offered_in_ascending_order() -> None:
    env = tribute({4: "BJ As", 1: "Qc Ks Ks"}, joker_tribute="offer_two")
    first = labels(env)
    assert first == [f"card {text}" for text in sorted_texts(hand(env, 1))][:-1]  # but the one BJ, which has none behind it
    play(env, "card Ks")
    assert labels(env) == ["card Ks", "card BJ"]
    env = tribute({4: "BJ As", 1: "BJ"}, joker_tribute="offer_two")
    play(env, "card BJ")  # the second is filled in
    assert env.zones()["offer"] == parse("BJ BJ")


@pytest.mark.rule("WE-19", "WE-21")
def test_no_tribute_after_a_draw() -> None:
    fields = {"place": [1, 2, 0, 3, 0, 0], "escaped": 3}
    env = arranged(["", "", "3c 4c", "", "3d", "4d"], mover=5, decks=[deck_with({})], episode="match", **fields)
    play(env, "single 4")
    assert exchanged(env) == []
    assert (env.current_player, int(env.record["stage"][0])) == (0, 0)


# --- what everybody knows ---


@pytest.mark.rule("WE-29")
def test_given_cards_are_public_until_they_are_played() -> None:
    env = tribute({4: "2h As", 1: "Kc Kc Kc"})
    play(env, "card Kc")
    for viewer in ("player_0", "player_3"):
        assert env.zones(viewer)["hand/1"] == [parse("2h")[0]] + [-1] * 26
        assert env.zones(viewer)["hand/4"] == [parse("Kc")[0]] + [-1] * 26
    assert "player 4: gave 2h to player 1" in env.describe("player_0")
    assert "player 1: returned Kc" in env.describe("player_0")
    seen, where = env.observe("player_3")["observation"], env.observation_layout
    assert np.flatnonzero(seen[where["giver"]]).tolist() == [1]  # player 4 is the next of player 3
    assert np.flatnonzero(seen[where["receiver"]]).tolist() == [4]
    assert seen[where["tribute"]].tolist() == pytest.approx([1 / 15, 3 / 4, 0, 0, 0, 0])
    assert seen[where["answer"]].tolist() == pytest.approx([12 / 15, 1 / 4, *[0] * 10])
    for record in determinizations(env, 0, range(30)):
        assert record["hand"][1][parse("2h")[0]] >= 1
        assert record["hand"][4][parse("Kc")[0]] >= 1
    play(env, "single 2")
    assert env.zones("player_0")["hand/1"].count(parse("2h")[0]) == 0


@pytest.mark.rule("WE-29")
def test_of_equal_cards_the_known_one_is_played_first() -> None:
    env = arranged(["9h", "Kc Kc 4d 4h", "9s 9d 9c"], mover=1, known=_known({1: "Kc"}))
    assert env.zones("player_0")["hand/1"] == parse("Kc") + [-1] * 3
    play(env, "single K")
    assert env.zones("player_0")["hand/1"] == [-1] * 3


def _known(hands: dict[int, str]) -> np.ndarray:
    known = np.zeros((6, 54), np.uint8)
    for seat, text in hands.items():
        for card in parse(text):
            known[seat, card] += 1
    return known


@pytest.mark.rule("WE-25", "WE-29")
def test_who_paid_a_tribute_holds_nothing_higher() -> None:
    """Player 1 has given a King. The Ace is with player 2 or 3, and the other two cards anywhere: four ways, equally often."""
    fields = {"exchanges": 1, "exchange": 1, "giver": [1, -1, -1], "receiver": [2, -1, -1], "tribute": [parse("Kc")[0], -1, -1]}
    env = arranged(["9h", "4c", "As", "Kd"], mover=0, **fields)
    counts: Counter[tuple[bytes, ...]] = Counter()
    for record in determinizations(env, 0, range(2000)):
        assert record["hand"][1][parse("As")[0]] == 0
        counts[tuple(hand.tobytes() for hand in record["hand"])] += 1
    assert len(counts) == 4
    assert min(counts.values()) > 400
    seen = {tuple(record["hand"][1].nonzero()[0].tolist()) for record in determinizations(env, 3, range(40))}
    assert seen == {(parse("4c")[0],), (parse("9h")[0],)}


@pytest.mark.rule("WE-32")
def test_keeping_both_is_said_with_the_higher_card() -> None:
    env = tribute({4: "BJ SJ As", 1: "Qc Ks 2s"}, joker_tribute="offer_two")
    offering = [env.observe(f"player_{seat}")["observation"].tobytes() for seat in range(6)]
    play(env, "card Qc")
    for seat in (0, 2, 3, 4, 5):  # half an offer is seen by nobody
        assert env.observe(f"player_{seat}")["observation"].tobytes() == offering[seat]
    play(env, "card Ks")
    others = [0, 1, 2, 3, 5]
    before = {seat: (env.observe(f"player_{seat}")["observation"].tobytes(), env.describe(f"player_{seat}")) for seat in others}
    play(env, "keep both")
    for seat in others:
        assert (env.observe(f"player_{seat}")["observation"].tobytes(), env.describe(f"player_{seat}")) == before[seat]
        for record in determinizations(env, seat, range(4)):
            assert record["stage"] == 1
    play(env, "card As")
    seen, where = env.observe("player_4")["observation"], env.observation_layout
    assert seen[where["kept"]].tolist() == [1, 1, 0, 0, 0, 0]
    assert seen[where["higher"]].tolist() == pytest.approx([13 / 15, 1, 0, 0, 0, 0])
    assert "kept both and returned As" in env.describe()


# --- events ---

TRIBUTE = """\
player 3 plays 4d 4h
player 3 escapes third
player 0 is trapped in fourth place
player 4 is trapped in fifth place
player 2 is trapped in sixth place
player 1's team wins the round
hand 3
player 1 leads the offense, 2 is trump
player 0 is dealt 27 cards
player 1 is dealt 27 cards
player 2 is dealt 2h 3d 4d 4s 5d 5s 5s 6c 6h 8d 9c 9c 9d Tc Tc Td Ts Ts Jd Js Kc Ks Ks Ks Ac SJ BJ
player 3 is dealt 27 cards
player 4 is dealt 27 cards
player 5 is dealt 27 cards
player 2 gives BJ to player 1
player 4 gives 2h to player 5
player 0 gives 2d to player 3
player 1 offers player 2 8h 9s
player 2 chooses 8h 9s
player 2 keeps both
player 2 gives SJ to player 1
player 5 gives 5h to player 4
"""


def test_events_of_a_tribute_and_an_offer() -> None:
    env = raw_env("wild_escape_v0", episode="match", joker_tribute="offer_two", max_rounds=3)
    env.reset(seed=5)
    draw = random.Random(5)
    while env.record["round_number"][0] < 3 or env.current_player != 3:
        env.step(draw.choice(env.legal_actions()))
    told = "".join(event.text() + "\n" for event in env.history("player_2"))
    assert told.endswith(TRIBUTE)
    others = [event.text() for event in env.history("player_1")]
    assert "player 1 chooses 8h" in others  # the first of the offer, before the second
    assert "player 2 chooses 8h 9s" not in others
    assert others[-3:] == told.splitlines()[-3:]
