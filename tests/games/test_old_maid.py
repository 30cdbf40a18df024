"""Clauses and worked examples of docs/rules/old_maid.md: the deal, turns, the specials and the end."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import pytest
from games.old_maid_positions import (
    DONE,
    DRAW,
    GAME,
    PLACE,
    SETUP,
    arranged,
    dealt,
    field,
    hand,
    hands,
    ids,
    is_laid,
    is_over,
    pair,
    place,
    rewards,
)
from wilddeck import cards
from wilddeck.envs import make_batch, raw_env
from wilddeck.envs.core.aec import CardGameEnv


def played(seed: int, **options: Any) -> CardGameEnv:
    """A random game at its end."""
    env, draw = raw_env("old_maid_v0", **options), random.Random(seed)
    env.reset(seed=seed)
    while not is_over(env):
        env.step(draw.choice(env.legal_actions()))
    return env


# --- the deal ---


@pytest.mark.rule("OM-01")
@pytest.mark.parametrize("queen", "cdhs")
def test_a_queen_is_taken_out_where_she_lies(queen: str) -> None:
    maid = "h" if queen == "s" else "s"
    env = raw_env("old_maid_v0", num_players=8, removed_queen=queen, old_maid=maid)
    removed = ids(f"Q{queen}")[0]
    for seed in (0, 5, 65):
        deck = [card for card in random.Random(seed).sample(range(66), 66) if card != removed]
        env.reset(seed=1, options={"deck": [*deck[:seed], removed, *deck[seed:]]})
        zones = env.zones()
        assert zones["removed"] == [removed]
        for seat in range(8):
            order = [card for card in deck[seat::8] if card in zones[f"hand/{seat}"]]
            assert zones[f"hand/{seat}"] == order, "in the order of the deal"
        assert sum(len(zones[name]) for name in zones) == 66
    with pytest.raises(ValueError, match="not a permutation of the 66 cards of old_maid_v0"):
        env.reset(seed=1, options={"deck": deck})


@pytest.mark.rule("OM-02")
@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ({"deck": "standard"}, [13, 13, 13, 12]),
        ({}, [17, 16, 16, 16]),
        ({"num_players": 2}, [33, 32]),
        ({"num_players": 8}, [9, 8, 8, 8, 8, 8, 8, 8]),
    ],
    ids=str,
)
def test_all_cards_are_dealt(options: dict[str, Any], sizes: list[int]) -> None:
    """Worked example 1; forced pairs leave as many cards as were dealt but for an even number."""
    env = raw_env("old_maid_v0", **options)
    n = len(sizes)
    for seed in range(5):
        deck = random.Random(seed).sample(GAME.deck(env.options), len(GAME.deck(env.options)))
        env.reset(seed=seed, options={"deck": deck})
        dealt_out = [card for card in deck if card != ids("Qc")[0]]
        zones = env.zones()
        assert set(zones) == {*(f"{kind}/{seat}" for kind in ("hand", "known") for seat in range(n)), "pairs", "removed"}
        for seat in range(n):
            assert len(dealt_out[seat::n]) == sizes[seat]
            assert set(zones[f"hand/{seat}"]) <= set(dealt_out[seat::n])
            assert len(zones[f"hand/{seat}"]) % 2 == sizes[seat] % 2


def test_queens_drawn_by_lot() -> None:
    """Neither is the other, each is as likely, and a Queen that is named is not taken out."""
    for options, ways in [
        ({"removed_queen": "random", "old_maid": "random"}, 12),
        ({"removed_queen": "random"}, 3),
        ({"old_maid": "random"}, 3),
        ({"removed_queen": "random", "deck": "standard"}, 3),
    ]:
        env, seen = raw_env("old_maid_v0", **options), Counter[tuple[int, int]]()
        for seed in range(60 * ways):
            env.reset(seed=seed)
            seen[field(env, "removed_queen"), field(env, "old_maid")] += 1
            assert env.zones()["removed"] == [40 + field(env, "removed_queen")]
        assert len(seen) == ways
        assert min(seen.values()) > 30
        assert all(one != two for one, two in seen)


def test_contradictions_of_options() -> None:
    for options, message in [
        ({"removed_queen": "s"}, r"old_maid='s' is not allowed with removed_queen='s'; allowed: c, d, h, random"),
        ({"named_maid": False}, r"named_maid=False is not allowed with deck='extended'; allowed: True, none"),
        ({"named_maid": "no"}, r"named_maid='no' is not allowed; allowed: True, False, none"),
        ({"max_turns": 0}, r"max_turns=0 is not allowed; allowed: 1\.\.2000"),
        ({"num_players": 9}, r"num_players=9 is not allowed; allowed: 2\.\.8"),
        ({"old_maid": "x"}, r"old_maid='x' is not allowed; allowed: c, d, h, s, random"),
    ]:
        with pytest.raises(ValueError, match=message):
            raw_env("old_maid_v0", **options)
    assert raw_env("old_maid_v0", named_maid=None).options.named_maid is True
    assert raw_env("old_maid_v0", named_maid="none", deck="standard").options.named_maid is False


# --- pairs ---


@pytest.mark.rule("OM-03")
def test_the_old_maid_makes_no_pair() -> None:
    env = arranged(["Qd 3c", "Qs 3d 4c", "4d Qh"])
    env.step(0)
    assert hand(env, 0) == "Qd 3c Qs"
    env = arranged(["Qd 3c", "Qh 3d 4c", "4d Qs"])
    env.step(0)
    assert hand(env, 0) == "3c"
    assert is_laid(env, "Qd Qh")
    env = arranged(["Qd 3c", "Qs 3d 4c", "4d Qh"], old_maid="h")
    env.step(0)
    assert is_laid(env, "Qd Qs")


@pytest.mark.rule("OM-03")
def test_without_a_name_any_two_queens_pair() -> None:
    env = arranged(["Qd 3c", "Qs 3d 4c", "4d Qh"], deck="standard")
    assert not field(env, "named_maid")
    env.step(0)
    assert is_laid(env, "Qd Qs")
    env = arranged(["Qd 3c", "Qs 3d 4c", "4d Qh"], deck="standard", named_maid=True)
    env.step(0)
    assert hand(env, 0) == "3c Qd Qs" or hand(env, 0) == "Qd 3c Qs"
    for seed in range(5):
        left = [card for seat in range(4) for card in played(seed, deck="standard").zones()[f"hand/{seat}"]]
        assert len(left) == 1 and left[0] in ids("Qd Qh Qs")


@pytest.mark.rule("OM-04")
@pytest.mark.parametrize("ranks", list(itertools.combinations(["7c", "7s", "8c", "Dr-c", "Dr-s", "Rv-c", "Sk-c", "Sk-d"], 2)))
def test_what_pairs(ranks: tuple[str, str]) -> None:
    env = arranged([f"{ranks[0]} 2c 3c", f"{ranks[1]} 2d", "3d 4c Qs"])
    env.step(0)
    alike = ranks[0][0] == ranks[1][0]
    assert is_laid(env, " ".join(ranks)) == alike
    assert len(hand(env, 0).split()) == (2 if alike else 4)


@pytest.mark.rule("OM-04")
@pytest.mark.parametrize("fan", ["arranged", "shuffled"])
def test_the_extended_deck_makes_32_pairs(fan: str) -> None:
    for seed in range(6):
        zones = played(seed, fan=fan).zones()
        assert len(zones["pairs"]) == 64
        assert [zones[f"hand/{seat}"] for seat in range(4) if zones[f"hand/{seat}"]] == [ids("Qs")]


@pytest.mark.rule("OM-05", "OM-06")
def test_forced_pairs_of_a_deal() -> None:
    """Worked example 2, and other numbers of cards alike; of three the two lowest ids are laid."""
    env = dealt(["7c 7d 7s Qd Qh Qs SJ 2c 3c", "Dr-s Dr-c Dr-h 5s 5h 5d 5c 9c", "", "", "", "", "", ""])
    assert hand(env, 0) == "7s Qs SJ 2c 3c"
    assert hand(env, 1) == "Dr-s 9c"
    assert is_laid(env, "7c 7d Qd Qh Dr-c Dr-h 5c 5d 5h 5s")
    assert env.current_player == 0
    assert env.legal_actions() == [pair("2"), pair("3"), pair("7"), DONE]


@pytest.mark.rule("OM-05")
def test_a_forced_pair_is_laid_at_once() -> None:
    env = arranged(["7c 3c", "4c 7d 8c", "3d 4d 8d Qs"])
    env.step(1)
    assert hands(env) == ["3c", "4c 8c", "3d 4d 8d Qs"]
    assert env.current_player == 1
    for agent in env.agents:
        assert set(ids("7c 7d")) <= set(env.zones(agent)["pairs"]), "face up"


@pytest.mark.rule("OM-09")
@pytest.mark.parametrize("named", [True, False])
def test_a_deal_that_is_over_is_dealt_again(named: bool) -> None:
    """Seat 0 is dealt pairs alone, seat 1 pairs and a Queen."""
    env = raw_env("old_maid_v0", num_players=2, deck="standard", named_maid=named)
    low = [card for card in range(52) if card % 4 < 2 and card // 4 != 10]
    high = [card for card in range(52) if card % 4 > 1 and card // 4 != 10]
    first, second = [*low, *ids("Qd Qh")], [*high, *ids("Qs")]
    deck = [(second if k % 2 else first).pop(0) for k in range(51)]
    with pytest.raises(ValueError, match="this deck is a misdeal: the forced pairs alone end the game"):
        env.reset(seed=1, options={"deck": [*deck, *ids("Qc")]})
    deck[0], deck[5] = deck[5], deck[0]
    env.reset(seed=1, options={"deck": [*deck, *ids("Qc")]})
    assert [len(hand(env, seat).split()) for seat in (0, 1)] == [2, 3]


@pytest.mark.rule("OM-09")
def test_misdeals_are_rare_and_never_played() -> None:
    """Two players, standard deck: the number of deals tells where it was dealt again."""
    batch = make_batch("old_maid_v0", 40_000, 3, 1, num_players=2, deck="standard")
    again = int((batch.states["deals"] > 1).sum())
    assert 0 < again < 15, "about one in 8,400"
    assert (batch.states["hand_size"][:, :2] > 0).all()
    assert not batch.states["terminated"].any()


# --- turns ---


@pytest.mark.rule("OM-10")
def test_seat_0_begins_or_the_next_with_cards() -> None:
    env = raw_env("old_maid_v0", deck="standard")
    env.reset(seed=3)
    assert env.current_player == 0 and field(env, "turns") == 1 and field(env, "phase") == DRAW
    env = arranged(["", "2c SJ 3c", "2d 3d Qs 4c", "4d BJ"], phase=SETUP, turns=0, current_player=1)
    env.step(DONE)
    assert env.current_player == 3, "who is asked next in the setup"
    env = arranged(["", "2c SJ 3c", "2d 3d Qs BJ", ""], phase=SETUP, turns=0, current_player=1)
    env.step(DONE)
    env.step(DONE)
    assert (env.current_player, field(env, "phase")) == (1, DRAW)


@pytest.mark.rule("OM-10", "OM-15")
def test_one_draws_from_the_next_who_is_next() -> None:
    """Worked example 9."""
    env = arranged(["4h", "4c Qs"])
    assert env.legal_actions() == [0, 1]
    env.step(0)
    assert rewards(env) == [1, -1]
    assert hands(env) == ["", "Qs"]
    env = arranged(["4h", "4c Qs"])
    env.step(1)
    assert field(env, "phase") == PLACE
    assert env.legal_actions() == [place(0), place(1)]
    env.step(place(1))
    assert hands(env) == ["4h Qs", "4c"]
    assert env.current_player == 1
    assert env.legal_actions() == [0, 1]


@pytest.mark.rule("OM-11", "OM-15")
def test_players_without_cards_are_passed_over() -> None:
    env = arranged(["2c 3c", "", "2d 4c", "", "3d 4d Qs"])
    env.step(1)
    env.step(place(0))
    assert hands(env) == ["4c 2c 3c", "", "2d", "", "3d 4d Qs"]
    assert env.current_player == 2
    assert env.legal_actions() == [0, 1, 2], "from seat 4"
    env.step(2)
    env.step(place(0))
    assert env.current_player == 4
    assert env.legal_actions() == [0, 1, 2], "from seat 0"


@pytest.mark.rule("OM-12")
def test_shuffled_hands_give_any_card() -> None:
    seen: Counter[str] = Counter()
    for seed in range(400):
        env = arranged(["2c 3c", "4c 5c 6c 7c", "2d 3d 4d 5d 6d 7d Qs"], fan="shuffled", rng=seed * 10**15)
        assert env.legal_actions() == [0]
        env.step(0)
        assert env.current_player == 1, "nothing is placed"
        (card,) = set(hand(env, 0).split()) - {"2c", "3c"}
        assert hand(env, 0) == f"2c 3c {card}"
        seen[card] += 1
    assert set(seen) == {"4c", "5c", "6c", "7c"}
    assert min(seen.values()) > 70
    assert not env.observe("player_0")["observation"][env.observation_layout["fan"]].any()
    assert not env.observe("player_0")["observation"][env.observation_layout["drawn_at"]].any()


@pytest.mark.rule("OM-13")
@pytest.mark.parametrize("position", range(3))
def test_the_drawer_names_a_position(position: int) -> None:
    env = arranged(["2c 3c", "4c 5c 6c", "2d 3d 4d 5d 6d Qs"])
    assert env.legal_actions() == [0, 1, 2]
    env.step(position)
    drawn = ["4c", "5c", "6c"][position]
    assert hand(env, 0) == f"2c 3c {drawn}"
    assert hand(env, 1) == " ".join(card for card in ["4c", "5c", "6c"] if card != drawn), "the gap is closed"
    for agent in env.agents:
        where = env.observe(agent)["observation"][env.observation_layout["drawn_at"]]
        assert where.tolist() == [float(k == position) for k in range(20)]


@pytest.mark.rule("OM-13")
def test_the_card_drawn_is_placed_unseen() -> None:
    seen = []
    for position, expected in enumerate(["5c 2c 3c", "2c 5c 3c", "2c 3c 5c"]):
        env = arranged(["2c 3c", "4c 5c 6c", "2d 3d 4d 5d 6d Qs"])
        env.step(1)
        assert env.legal_actions() == [place(0), place(1), place(2)]
        env.step(place(position))
        assert hand(env, 0) == expected
        agents = ("player_1", "player_2")
        seen.append([(env.observe(agent)["observation"].tolist(), env.zones(agent), env.describe(agent)) for agent in agents])
    assert seen[0] == seen[1] == seen[2]


@pytest.mark.rule("OM-13")
def test_an_only_card_or_one_that_was_laid_is_not_placed() -> None:
    rest = "2d 3d 5d 9d Qs BJ"
    env = arranged(["5c SJ", "9h 2c", rest])
    env.step(0)
    env.step(pair("5"))
    assert hands(env) == ["9h", "2c", "2d 3d 9d Qs"], "5d and the other Joker are laid by force"
    assert env.current_player == 1
    env = arranged(["5c SJ", "9h 2c", rest])
    env.step(0)
    env.step(pair("9"))
    assert (hand(env, 0), env.current_player) == ("5c", 1)
    env = arranged(["5c 3c SJ", "9h 2c", rest])
    env.step(0)
    env.step(pair("9"))
    assert (hand(env, 0), env.current_player) == ("5c 3c", 1), "the card drawn was laid"
    env = arranged(["5c 3c SJ", "9h 2c", rest])
    env.step(0)
    env.step(pair("5"))
    assert (hand(env, 0), field(env, "phase")) == ("3c 9h", PLACE)


@pytest.mark.rule("OM-11", "OM-14")
def test_who_is_out() -> None:
    env = arranged(["2c 3c", "4c", "2d 3d 4d Qs"])
    env.step(0)
    env.step(place(0))
    assert env.current_player == 2, "seat 1 has lost their last card"
    env.step(2)
    assert env.current_player == 0
    assert len(env.legal_actions()) == 3, "from seat 2"
    env = arranged(["4d", "4c 5c", "2d 3d 2c 3c 5d Qs"])
    env.step(0)
    assert hand(env, 0) == ""
    assert env.current_player == 1
    env.step(5)
    env.step(place(1))
    assert env.current_player == 2
    assert len(env.legal_actions()) == 2, "from seat 1: seat 0 is out"


# --- specials ---


@pytest.mark.rule("OM-30", "OM-32")
@pytest.mark.parametrize("kind", ["Rv", "Dr"])
def test_reverses_and_draws_do_nothing(kind: str) -> None:
    """Worked example 8."""
    env = arranged(["2c 3c", f"{kind}-c 4c", f"{kind}-d 5c", "2d 3d 4d 5d Qs"], current_player=1)
    env.step(0)
    assert is_laid(env, f"{kind}-c {kind}-d")
    assert hands(env) == ["2c 3c", "4c", "5c", "2d 3d 4d 5d Qs"]
    assert env.current_player == 2
    assert len(env.legal_actions()) == 5
    env.step(0)
    env.step(place(0))
    assert env.current_player == 3


@pytest.mark.rule("OM-31", "OM-34")
def test_skips_take_two_turns() -> None:
    """Worked example 6."""
    env = arranged(["2c 3c", "Sk-c 4c", "Sk-h 5c", "6c 2d", "3d 4d 5d 6d Qs"], current_player=1)
    env.step(0)
    assert env.current_player == 4
    assert len(env.legal_actions()) == 2, "from seat 0"
    env.step(0)
    env.step(place(0))
    assert env.current_player == 0, "it is over"
    env = arranged(["2c 3c", "Sk-c 4c", "Sk-h 2d 3d 4d Qs", "", ""], current_player=1)
    env.step(0)
    assert (env.current_player, field(env, "turns")) == (1, 6)
    assert len(env.legal_actions()) == 4, "from seat 2"
    env = arranged(["2c 3c Sk-c", "Sk-h 2d 3d Qs"])
    env.step(0)
    assert env.current_player == 1


@pytest.mark.rule("OM-11", "OM-31", "OM-34")
def test_who_has_no_cards_is_not_skipped() -> None:
    """Worked example 7; who is out when the turn ends does not count, nor does the layer without cards."""
    env = arranged(["Sk-c", "Sk-h 2c Qs", "2d 3c 3d"])
    env.step(0)
    assert env.current_player == 1
    env = arranged(["Sk-c 4c", "Sk-h", "2d 3c Qs", "3d 2c", "4d"])
    env.step(0)
    assert env.current_player == 4, "seat 1 has lost their last card: 2 and 3 are skipped"


@pytest.mark.rule("OM-34")
def test_a_skip_waits_for_the_end_of_the_turn() -> None:
    env = arranged(["Sk-c SJ 5c", "Sk-h 2c", "2d 3c Qs", "3d 5d 5h 5s BJ"])
    env.step(0)
    assert env.current_player == 0 and field(env, "skips")
    assert "next two players will be skipped" in env.describe()
    env.step(pair("5"))
    assert hand(env, 0) == ""
    assert env.current_player == 3
    assert not field(env, "skips")
    env.step(0)
    assert field(env, "drawn_from") == 1


@pytest.mark.rule("OM-08")
def test_skips_of_the_setup_do_nothing() -> None:
    env = dealt(["Sk-c Sk-d 2c", "Sk-h Sk-s", "", "", "", "", "", ""], deck="extended")
    while field(env, "phase") == SETUP:
        env.step(DONE)
    assert is_laid(env, "Sk-c Sk-d Sk-h Sk-s")
    assert env.current_player == 0 and field(env, "turns") == 1


@pytest.mark.rule("OM-33")
def test_nothing_is_revealed() -> None:
    assert [block.name for block in GAME.actions.blocks] == ["draw", "pair", "jokers", "done", "place"]
    env = arranged(["Dr-c Sk-c", "2c Rv-c", "2d Dr-d Rv-d Sk-d Qs"])
    assert env.legal_actions() == [0, 1]


# --- the end ---


@pytest.mark.rule("OM-40")
@pytest.mark.parametrize("n", range(2, 9))
def test_who_is_left_with_the_old_maid_loses(n: int) -> None:
    """Worked example 11."""
    env = played(n, num_players=n)
    loser = next(seat for seat in range(n) if hand(env, seat))
    assert hand(env, loser) == "Qs"
    assert rewards(env) == pytest.approx([-1 if seat == loser else 1 / (n - 1) for seat in range(n)])


@pytest.mark.rule("OM-41")
def test_who_alone_has_cards_loses() -> None:
    """With cards that could still pair: looked at after the draw, before anything is asked."""
    env = arranged(["5c", "5d", "", ""], joker_bind=False)
    env.step(0)
    assert is_over(env)
    env = arranged(["SJ 5c", "9h", ""], joker_bind=False)
    env.step(0)
    assert hands(env) == ["SJ 5c 9h", "", ""]
    assert rewards(env) == pytest.approx([-1, 0.5, 0.5])
    env = arranged(["SJ 5c", "9h 5d", "BJ 9s"])
    env.step(0)
    env.step(pair("9"))
    assert hands(env) == ["5c", "5d", ""], "9s and the other Joker by force"
    assert not is_over(env)
    env = arranged(["SJ 9c", "BJ 9h 9s Qs"], phase=SETUP, turns=0)
    env.step(pair("9"))
    assert hands(env) == ["", "9s Qs"] or hands(env) == ["", "9h Qs"]
    assert rewards(env) == [1, -1], "after a pair of the setup"


@pytest.mark.rule("OM-42")
def test_when_nothing_can_pair_all_who_have_cards_lose() -> None:
    """Worked example 10."""
    env = arranged(["5s 2c", "9h Qs 2d", ""], joker_bind=False)
    env.step(2)
    assert hands(env) == ["5s", "9h Qs", ""]
    assert rewards(env) == [-1, -1, 2]
    env = arranged(["5s 2c", "9h Qs 2d"], joker_bind=False)
    env.step(2)
    assert rewards(env) == [0, 0], "all lose"
    env = arranged(["5s 2c", "9h Qs 2d", "", "", "3c 4c"], joker_bind=False, current_player=0)
    env.step(2)
    assert rewards(env) == pytest.approx([-1, -1, 1.5, 1.5, -1])


@pytest.mark.rule("OM-42")
@pytest.mark.parametrize(
    ("left", "bound", "bind", "goes_on"),
    [
        (["5s", "9h Qs"], -1, False, False),
        (["5s", "5h Qs"], -1, False, True),
        (["Sk-c", "Sk-h Qs"], -1, False, True),
        (["Sk-c", "Rv-h Qs"], -1, False, False),
        (["SJ", "BJ Qs"], -1, False, True),
        (["SJ", "9h Qs"], -1, False, True),
        (["SJ", "Sk-c Qs"], -1, False, False),
        (["SJ", "Qs"], -1, False, False),
        (["SJ", "Qd Qs"], -1, False, True),
        (["SJ", "9h Qs"], "9", True, True),
        (["SJ", "9h Qs"], "8", True, False),
        (["Qd", "Qs 3c"], -1, True, False),
    ],
)
def test_what_can_still_pair(left: list[str], bound: Any, bind: bool, goes_on: bool) -> None:
    """Seen when a pair of twos is laid."""
    env = arranged([f"{left[0]} 2c", f"{left[1]} 2d", ""], joker_bind=bind, bound=bound)
    env.step(len(left[1].split()))
    assert is_laid(env, "2c 2d")
    assert is_over(env) != goes_on


@pytest.mark.rule("OM-41", "OM-42")
def test_one_player_with_cards_that_cannot_pair_loses_alone() -> None:
    env = arranged(["2c", "9h Qs 2d", ""], joker_bind=False)
    env.step(2)
    assert rewards(env) == pytest.approx([0.5, -1, 0.5])


@pytest.mark.rule("OM-43")
@pytest.mark.parametrize(
    ("options", "losers"),
    [({}, [0]), ({"deck": "standard"}, [0, 2]), ({"deck": "standard", "named_maid": True}, [0]), ({"old_maid": "d"}, [2])],
    ids=str,
)
def test_the_game_is_stopped(options: dict[str, Any], losers: list[int]) -> None:
    env = arranged(["Qs 2c", "3c 2d", "3d Qd 4c", "4d"], turns=7, max_turns=7, **options)
    env.step(0)
    assert not is_over(env)
    env.step(place(0))
    assert env.zones()["hand/0"] == ids("3c Qs 2c")
    share = len(losers) / (4 - len(losers))
    assert rewards(env) == pytest.approx([-1 if seat in losers else share for seat in range(4)])
    assert not any(env.truncations.values())


@pytest.mark.rule("OM-43")
def test_turns_that_are_skipped_do_not_count() -> None:
    env = arranged(["Sk-c 2c", "3c Sk-d", "3d Qs", "2d"], turns=6, max_turns=7)
    env.step(1)
    assert (env.current_player, field(env, "turns")) == (3, 7)


@pytest.mark.rule("OM-43")
@pytest.mark.parametrize("cap", [1, 5, 40])
def test_games_are_not_longer_than_they_may_be(cap: int) -> None:
    for seed, bind in itertools.product(range(12), (True, False)):
        env = played(seed, max_turns=cap, joker_bind=bind, num_players=3)
        assert field(env, "move_count") <= 3 * cap + 6 == GAME.max_length(env.options)
        assert field(env, "turns") <= cap


def test_labels_and_words() -> None:
    env = arranged(["4h SJ", "4c Qs 3c", "3d 9c 9d 9h BJ"])
    assert [env.action_label(action) for action in env.legal_actions()] == [f"draw card {k} of player 1" for k in (1, 2, 3)]
    env.step(2)
    assert [env.action_label(action) for action in env.legal_actions()] == [
        "pair a Joker with the 3",
        "pair a Joker with the 4",
        "no more pairs",
    ]
    assert "still holding the card drawn" in env.describe()
    assert "player 0: drew card 3 from player 1, kept it; in order 4h SJ 3c" in env.describe("player_0")
    assert "4h" not in env.describe("player_1")
    env.step(DONE)
    assert env.action_label(place(1)) == "put the card drawn at place 2"
    assert "player 0: drew card 3 from player 1, kept it" in env.describe()
    assert "the Old Maid is Qs" in env.describe()
    shuffled = arranged(["4h", "4c Qs"], fan="shuffled")
    assert shuffled.action_label(0) == "draw a card of player 1"
    assert cards.text(shuffled.zones()["removed"]) == "Qc"


# --- what is told ---
