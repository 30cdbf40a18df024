"""Clauses and worked examples of docs/rules/skin_of_your_teeth.md; who knows what is tested beside this."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
import wilddeck
from games.skin_positions import GAME, PILES, attack, block, choose, dealt, legal, make_piles, position, zone
from games.skin_reference import POINTS, rank, reference
from support import Case
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.testing.play import check_random_games_end_within_their_bounds

SUBSETS = [set(slots) for size in range(1, 6) for slots in itertools.combinations(range(13), size)]
HANDS = [  # of three players; what is left of a deck is 2s, 3s and Jokers
    "4c 4d 4h 4s 5c 5d 6c 7c 8c 9c Tc Jc Qc",
    "5h 5s 6d 6h 6s 7d 7h 7s 8d 8h 8s 9d 9h",
    "9s Td Th Ts Jd Jh Js Qd Qh Qs Kc Kd Kh",
]
QUIET = ("", "")  # a seat without cards


# --- dealing and setting up ---


@pytest.mark.rule("ST-01")
@pytest.mark.parametrize(
    ("num_players", "num_decks", "decks"), [(3, "auto", 1), (4, "auto", 1), (5, "auto", 2), (12, "auto", 3), (3, 4, 4)]
)
def test_thirteen_cards_each_one_at_a_time(num_players: int, num_decks: Any, decks: int) -> None:
    env = raw_env(GAME, num_players=num_players, num_decks=num_decks)
    deck = list(range(54)) * decks
    assert env.game.deck(env.options) == deck
    random.Random(3).shuffle(deck)
    env.reset(seed=1, options={"deck": deck})
    zones = env.zones()
    for seat in range(num_players):
        assert zones[f"hand/{seat}"] == sorted(deck[seat : 13 * num_players : num_players])
    assert zones["undealt"] == deck[13 * num_players :]
    for viewer in range(num_players):
        assert env.zones(f"player_{viewer}")["undealt"] == [-1] * (54 * decks - 13 * num_players)


@pytest.mark.rule("ST-01")
def test_decks_are_shuffled_and_all_there() -> None:
    env = raw_env(GAME, num_players=9)
    seen = set()
    for seed in range(5):
        env.reset(seed=seed)
        zones = env.zones()
        assert sorted(card for ids in zones.values() for card in ids) == sorted(list(range(54)) * 3)
        seen.add(tuple(zones["hand/0"]))
    assert len(seen) == 5


def test_options_that_cannot_be() -> None:
    with pytest.raises(
        ValueError, match=r"num_decks=1 is not allowed with 5 players, who need 65 cards; allowed: auto, or at least 2"
    ):
        raw_env(GAME, num_players=5, num_decks=1)
    for wrong in (
        {"num_players": 2},
        {"num_players": 13},
        {"games": 0},
        {"games": 21},
        {"visibility": "shut"},
        {"num_decks": 5},
    ):
        with pytest.raises(ValueError, match="allowed"):
            raw_env(GAME, **wrong)
    assert raw_env(GAME, num_players=3, num_decks=4).options.decks == 4


@pytest.mark.rule("ST-02")
def test_a_deck_that_leaves_somebody_without_six_piles() -> None:
    env = raw_env(GAME, num_players=3, num_decks=4)
    jokers = [52, 53] * 4
    ordinary = [card for card in env.game.deck(env.options) if card < 52]
    hand = jokers + ordinary[:5]
    others = ordinary[5:]
    deck = [card for k in range(13) for card in (others[2 * k], hand[k], others[2 * k + 1])] + others[26:]
    with pytest.raises(ValueError, match=r"deals player 1 only 5 cards that are no Jokers; six piles need 6"):
        env.reset(seed=0, options={"deck": deck})
    deck[1], deck[-1] = deck[-1], deck[1]  # a Joker for another card
    env.reset(seed=0, options={"deck": deck})


@pytest.mark.rule("ST-02", "ST-03")
def test_worked_example_19() -> None:
    env = dealt(["2d 3d 4d 5d 6d 8c 8d 9c Tc Jc Kc Jk Jk", *HANDS[1:]], num_decks=2)
    make_piles(env, "2d 3d 4d 5d 6d", "8c 8d", "9c", "Tc", "Jc")
    assert list(legal(env)) == ["pile Kc"]
    choose(env, "pile Kc")
    assert zone(env, "hand/0") == "Jk Jk"
    assert env.current_player == 1


@pytest.mark.rule("ST-02", "ST-07")
def test_six_piles_and_the_rest_is_the_hand() -> None:
    env = dealt(HANDS)
    assert "pile 8c 9c Tc Jc Qc" in legal(env)  # eight cards left for five piles
    make_piles(env, "8c 9c Tc Jc Qc")
    assert "pile 4c 4d 4h 4s" in legal(env)
    make_piles(env, "4c 4d 4h 4s")
    assert list(legal(env)) == ["pile 5c", "pile 5d", "pile 6c", "pile 7c"]  # a pair would leave two cards for three piles
    make_piles(env, "5c", "5d", "6c", "7c")
    assert zone(env, "hand/0") == ""
    assert [zone(env, f"defence/0/{k}") for k in range(PILES)] == ["8c 9c Tc Jc Qc", "4c 4d 4h 4s", "5c", "5d", "6c", "7c"]
    assert env.current_player == 1
    make_piles(env, "5h", "5s", "6d", "6h", "6s", "7d")
    assert zone(env, "hand/1") == "7h 7s 8d 8h 8s 9d 9h"


def usable(env: CardGameEnv) -> list[int]:
    record = env.record[0]
    return record["slot_card"][: record["slot_count"]].tolist()


@pytest.mark.rule("ST-02", "ST-03", "ST-04", "ST-05", "ST-09", "ST-24")
@pytest.mark.parametrize(
    "options",
    [{}, {"num_players": 3, "num_decks": 4}, {"num_players": 8, "num_decks": 2}, {"num_players": 12, "setup": "random"}],
    ids=str,
)
def test_masks_hold_every_valid_combination_and_no_other(options: dict[str, Any]) -> None:
    """Against all 2379 subsets: in setup, with a hand, with own piles."""
    env, draw = raw_env(GAME, **options), random.Random(5)
    looked = Counter()
    for seed in range(3):
        env.reset(seed=seed)
        while env.legal_actions():
            record = env.record[0]
            phase, cards = int(record["phase"]), usable(env)
            kind = (phase, int(record["hand_size"][env.current_player]) == 0)
            if phase < 2 and looked[kind] < 14:
                looked[kind] += 1
                most = 5
                if phase == 0:
                    made = sum(size > 0 for size in record["pile_size"][env.current_player].tolist())
                    most = sum(card < 52 for card in cards) - (5 - made)
                expected_actions = [
                    number
                    for number, slots in enumerate(SUBSETS)
                    if len(slots) <= most
                    and max(slots) < len(cards)
                    and reference([cards[slot] for slot in slots])
                    and (phase == 1 or all(cards[slot] < 52 for slot in slots))
                ]
                assert env.legal_actions() == expected_actions
            env.step(draw.choice(env.legal_actions()))
    assert set(looked) == {(1, False), (1, True), *([(0, False)] if options.get("setup") != "random" else [])}


@pytest.mark.rule("ST-03", "ST-04")
def test_masks_of_hands_full_of_combinations() -> None:
    """Hands with few ranks, one suit, or copies of cards, which random deals do not give."""
    decks = {"num_decks": 4}
    hands = [
        "2c 2c 2c 2d 2d 2h 2s 3c 3c 3d 3h 3s 3s",
        "2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks As",
        "5c 5d 6c 6d 7c 7d 8c 8d 9c 9d Tc Td Jk",
        "2c 2c 2c 2c 4c 4c 5c 5c 6c 6c 7c 7c 8c",
        "Tc Td Jc Jd Qc Qd Kc Kd Ac Ad Ah 2c 2d",
    ]
    for hand in hands:
        env = position((hand, "3d"), ("", "4d"), ("", "4h"), **decks)
        cards = usable(env)
        expected_actions = [number for number, slots in enumerate(SUBSETS) if reference([cards[slot] for slot in slots])]
        assert env.legal_actions() == expected_actions, hand


@pytest.mark.rule("ST-05")
def test_straights() -> None:
    env = position(("Ac 2d 3h 4s 5c 6d Td Jc Qh Kd", "9h"), ("", "9c"), ("", "9d"))
    attacks = [label for label in legal(env) if len(label.split()) == 6]
    assert attacks == ["attack 2d 3h 4s 5c 6d", "attack Td Jc Qh Kd Ac"]


@pytest.mark.parametrize("setup", ["choose", "random"])
@pytest.mark.rule("ST-02", "ST-03", "ST-06")
def test_every_pile_made_is_a_valid_combination(setup: str) -> None:
    env, draw = raw_env(GAME, num_players=3, num_decks=4, setup=setup), random.Random(1)
    arrangements = set()
    for seed in range(6):
        env.reset(seed=seed)
        while env.record["phase"][0] == 0:
            env.step(draw.choice(env.legal_actions()))
        zones = env.zones()
        for seat in range(3):
            piles = [zones[f"defence/{seat}/{k}"] for k in range(PILES)]
            assert all(piles)
            assert all(reference(pile) and max(pile) < 52 for pile in piles)
            assert len(zones[f"hand/{seat}"]) + sum(map(len, piles)) == 13
            arrangements.add(tuple(map(len, piles)))
    assert len(arrangements) > 5


# --- turns ---


@pytest.mark.rule("ST-08")
def test_who_begins() -> None:
    first = Counter()
    for seed in range(40):
        env = raw_env(GAME, setup="random")
        env.reset(seed=seed)
        first[env.current_player] += 1
        assert np.flatnonzero(block(env, 0, "first")).tolist() == [env.current_player]
    assert set(first) == {0, 1, 2, 3}
    env = raw_env(GAME, first_player=2)
    env.reset(seed=0)
    assert [env.current_player, int(env.record["first_player"][0])] == [0, 2]
    for _ in range(24):
        env.step(env.legal_actions()[0])
    assert env.current_player == 2


@pytest.mark.rule("ST-08", "ST-10")
def test_turns_go_clockwise_past_those_without_cards() -> None:
    env = position(("4c", "9c"), ("", ""), ("5c", ""), ("", "Jc"), mover=0)
    attack(env, "4c", 3, 0)
    assert env.current_player == 2
    attack(env, "5c", 3, 0)
    assert env.current_player == 3
    assert list(legal(env)) == ["attack Jc@0"]


@pytest.mark.rule("ST-09")
def test_targets_are_the_standing_piles_of_others() -> None:
    env = position(("Kc", "9c | 9d"), ("Kd", "4c | | 6c"), ("Kh", ""), ("Ks", "| 7c"), mover=3)
    choose(env, "attack Ks")
    assert list(legal(env)) == [
        "target player 0 pile 0",
        "target player 0 pile 1",
        "target player 1 pile 0",
        "target player 1 pile 2",
    ]
    assert [action - 2379 for action in env.legal_actions()] == [0, 1, 6, 8]


@pytest.mark.rule("ST-09", "ST-10")
def test_there_is_no_passing() -> None:
    """Whoever is to move has an attack, even if it can win nothing."""
    env = position(("3c", "4c"), ("", "Kc Kd"), ("", "Kh Ks"))
    assert list(legal(env)) == ["attack 3c"]


@pytest.mark.rule("ST-15")
@pytest.mark.parametrize("won", [True, False])
def test_what_becomes_of_attack_and_pile(won: bool) -> None:
    env = position(("Kc Kd 3c", "9c"), ("", f"{'7c 7d' if won else 'Ac Ad'} | 2c"), ("5c", "9h"))
    before = zone(env, "discard")
    assert attack(env, "Kc Kd", 1, 0) == won
    assert zone(env, "hand/0") == "3c"
    assert zone(env, "defence/1/0") == ("" if won else "Ac Ad")
    assert zone(env, "discard") == f"{before} Kc Kd" + (" 7c 7d" if won else "")
    assert zone(env, "attack") == ""
    assert env.current_player == 1


@pytest.mark.rule("ST-11")
def test_own_piles_are_used_from_the_turn_that_begins_without_hand() -> None:
    env = position(("3c", "8c 8d 8h | 8s | Kc"), ("4c 5c", "9c 9d"), ("6c", "Th Ts"))
    attack(env, "3c", 1, 0)
    attack(env, "4c", 2, 0)
    attack(env, "6c", 1, 0)
    assert env.current_player == 0
    labels = set(legal(env))
    assert {"attack 8s@1", "attack Kc@2", "attack 8c@0 8d@0", "attack 8c@0 8d@0 8h@0", "attack 8c@0 8s@1"} <= labels
    assert "attack 8c@0 8d@0 8h@0 8s@1" in labels
    assert len(labels) == 5 + 6 + 4 + 1
    pile = block(env, 0, "slot_pile").reshape(13, PILES)
    assert [np.flatnonzero(row).tolist() for row in pile[:6]] == [[0], [0], [0], [1], [2], []]
    attack(env, "8d@0 8s@1", 1, 0)  # a pair out of two piles
    assert [zone(env, f"defence/0/{k}") for k in range(3)] == ["8c 8h", "", "Kc"]


@pytest.mark.rule("ST-12")
def test_worked_example_12() -> None:
    env = position(("", "9d 8c 7h 6s 5d | Ac"), ("3d", "Ks"), ("", "Kh"))
    attack(env, "9d@0", 1, 0)
    assert attack(env, "3d", 0, 0)
    assert zone(env, "defence/0/0") == ""


@pytest.mark.rule("ST-12", "ST-13")
@pytest.mark.parametrize(("hand", "won"), [("Kd Kc", True), ("Ks", False), ("Jd Jc", False)])
def test_worked_example_13(hand: str, won: bool) -> None:
    env = position(("", "Qc Qd Qh"), (hand, "3s 3d | As"), ("", "Kh"))
    attack(env, "Qh", 1, 1)
    assert attack(env, hand, 0, 0) == won


@pytest.mark.rule("ST-12")
def test_what_is_left_defends_as_what_it_is() -> None:
    env = position(("", "Qc Qd"), ("5d", "Ks"), ("Kd", "3h"))
    attack(env, "Qc", 1, 0)
    assert not attack(env, "5d", 0, 0)
    assert attack(env, "Kd", 0, 0)


@pytest.mark.parametrize(
    ("number", "defence", "hand", "won", "decks"),
    [
        pytest.param(1, "Ad", "2c", True, 1, marks=pytest.mark.rule("ST-17")),
        pytest.param(2, "2s", "Ad", True, 1, marks=pytest.mark.rule("ST-17")),
        pytest.param(3, "9s", "9h", False, 1, marks=pytest.mark.rule("ST-16", "ST-17")),
        pytest.param(4, "9c", "9h", True, 1, marks=pytest.mark.rule("ST-16", "ST-17")),
        pytest.param(5, "Ac Ad", "2c 2d", True, 1, marks=pytest.mark.rule("ST-18")),
        pytest.param(6, "Kc Kd", "As", False, 1, marks=pytest.mark.rule("ST-13")),
        pytest.param(7, "5h 5d", "5s 5c", True, 1, marks=pytest.mark.rule("ST-18")),
        pytest.param(8, "5s 5d", "5h 5c", False, 1, marks=pytest.mark.rule("ST-18")),
        pytest.param(9, "Ad Jd 9d 4d 3d", "Ts 9c 8h 7d 6d", False, 1, marks=pytest.mark.rule("ST-20")),
        pytest.param(10, "As Js 9s 4s 3s", "2c 2d 2h 3c 3d", True, 1, marks=pytest.mark.rule("ST-20")),
        pytest.param(11, "6d 5c 4s 3s 2s", "6c 5d 4d 3d 2d", True, 1, marks=pytest.mark.rule("ST-21")),
        pytest.param(14, "Qs", "Jk", True, 1, marks=pytest.mark.rule("ST-24")),
        pytest.param(15, "4c 4d", "Jk", False, 1, marks=pytest.mark.rule("ST-24")),
        pytest.param(16, "7h", "7h", False, 2, marks=pytest.mark.rule("ST-14")),
        pytest.param(0, "Ac Ad Ah", "2c 2d 2h", True, 1, marks=pytest.mark.rule("ST-19")),
        pytest.param(0, "Ac Ad Ah As", "2c 2d 2h 2s", True, 1, marks=pytest.mark.rule("ST-19")),
        pytest.param(0, "9c 9d 9h", "9c 9d 9s", True, 2, marks=pytest.mark.rule("ST-19")),
        pytest.param(0, "9c 9d 9s", "9c 9h 9d", False, 2, marks=pytest.mark.rule("ST-19")),
        pytest.param(0, "Ac Ad Ah Ks Kc", "2c 2d 2h 3s 3c", False, 1, marks=pytest.mark.rule("ST-22")),
        pytest.param(0, "9c 9d 9h 4c 4d", "9c 9d 9s 3c 3d", False, 2, marks=pytest.mark.rule("ST-22")),
        pytest.param(0, "9c 9d 9h 4c 4d", "9c 9h 9d 4s 4d", True, 2, marks=pytest.mark.rule("ST-22")),
        pytest.param(0, "Kc Jc 9c 4c 2c", "Kd Jd 9d 4d 3d", True, 1, marks=pytest.mark.rule("ST-23")),
        pytest.param(0, "Kc Jc 9c 4c 2c", "Kd Jd 9d 4d 2d", False, 1, marks=pytest.mark.rule("ST-23")),
        pytest.param(0, "6s 5s 4s 3s 2s", "Ac Kc Qc Jc Tc", True, 1, marks=pytest.mark.rule("ST-21")),
        pytest.param(0, "As", "Jk", True, 1, marks=pytest.mark.rule("ST-24")),
        pytest.param(0, "Ac Kd Qh Jd Td", "7c 6c 5c 4c 3c", True, 1, marks=pytest.mark.rule("ST-20")),
    ],
)
def test_worked_examples_of_attacks(number: int, defence: str, hand: str, won: bool, decks: int) -> None:
    env = position((hand, "8d"), ("", f"{defence} | 8c"), ("", "8s"), num_decks=decks)
    assert attack(env, hand, 1, 0) == won
    assert not any("Jk" in label and len(label.split()) > 2 for label in legal(env))
    if "Jk" not in hand:
        assert zone(env, "defence/1/0") == (
            "" if won else zone(position(QUIET, ("", defence), QUIET, num_decks=decks), "defence/1/0")
        )


@pytest.mark.rule("ST-24")
def test_jokers_attack_one_at_a_time() -> None:
    env = position(("Jk Jk 3c", "8d"), ("", "8c"), ("", "8h"))
    assert list(legal(env)) == ["attack 3c", "attack Jk", "attack Jk/2"]


def piles_of(env: CardGameEnv, seat: int) -> list[tuple[int, ...]]:
    return [tuple(env.zones()[f"defence/{seat}/{k}"]) for k in range(PILES)]


@pytest.mark.rule("ST-25")
@pytest.mark.parametrize(("target", "won"), [("Qs", True), ("4c 4d", False)])
def test_a_joker_mixes_the_piles_of_all(target: str, won: bool) -> None:
    """Worked examples 14 and 15: each pile intact, at the positions occupied before, in any order; after the attack."""
    orders: list[set[Any]] = [set(), set(), set()]
    for seed in range(40):
        env = position(("Jk 9c", "3c | 3d | | 5c 5d"), ("", f"{target} | 7c | | Kc Kd"), ("", "| 9d | 9h | 9s"))
        env.record["rng"] = seed
        before = [piles_of(env, seat) for seat in range(3)]
        assert attack(env, "Jk", 1, 0) == won
        if won:
            before[1][0] = ()
        for seat in range(3):
            after = piles_of(env, seat)
            assert [bool(pile) for pile in after] == [bool(pile) for pile in before[seat]]
            assert sorted(after) == sorted(before[seat])
            orders[seat].add(tuple(after))
    assert [len(order) for order in orders] == [6, 2 if won else 6, 6]


# --- the end ---


@pytest.mark.rule("ST-26")
def test_the_last_with_piles_wins() -> None:
    env = position(("Kc 3c", "9c"), ("Ad", "7c"), ("Ah Ac", ""))
    assert attack(env, "Kc", 1, 0)
    assert env.rewards == {"player_0": 1, "player_1": -0.5, "player_2": -0.5}
    assert all(env.terminations.values())


@pytest.mark.rule("ST-26")
def test_worked_example_18() -> None:
    for scoring, reward in (("points", 10), ("win", 1)):
        env = position(("", "8d"), ("", "7c"), ("As", ""), scoring=scoring)
        assert attack(env, "8d", 1, 0)
        assert env.rewards["player_1"] == reward
        assert all(env.terminations.values())


@pytest.mark.rule("ST-26")
def test_who_attacks_with_the_last_own_card_in_vain_is_out() -> None:
    env = position(("", "6d"), ("", "7c"), ("As", ""))
    assert not attack(env, "6d", 1, 0)
    assert env.rewards["player_1"] == 1


@pytest.mark.rule("ST-27")
def test_without_piles_a_player_attacks_but_cannot_win() -> None:
    env = position(("Kc Ks", ""), ("4c", "7c"), ("4d", "7d"))
    assert attack(env, "Kc", 1, 0)
    assert env.rewards == {"player_0": -0.5, "player_1": -0.5, "player_2": 1}
    env = position(("Kc Ks", ""), ("4c", "7c | 7h"), ("4d", "7d"))
    attack(env, "Kc", 1, 0)
    attack(env, "4c", 2, 0)
    attack(env, "4d", 1, 1)
    assert env.current_player == 0
    assert set(legal(env)) == {"attack Ks"}


@pytest.mark.rule("ST-28")
def test_worked_example_17() -> None:
    env = position(("Kc", "As | 2c 2d"), ("", "9c"), QUIET, games=3)
    attack(env, "Kc", 1, 0)
    assert env.rewards == {"player_0": 40, "player_1": 0, "player_2": 0}
    assert not any(env.terminations.values())
    assert block(env, 0, "score") == pytest.approx(np.array([40, 0, 0]) / (3 * 166))


@pytest.mark.rule("ST-28")
def test_points_of_every_rank() -> None:
    piles = ["2c", "3c", "4c", "5c", "6c", "7c", "8c", "9c", "Tc", "Jc", "Qc", "Kc", "Ac"]
    for pile, points in zip(piles, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 6], strict=True):
        env = position(("Kd", pile), ("", "9d"), QUIET, scoring="points")
        attack(env, "Kd", 1, 0)
        assert env.rewards["player_0"] == 10 + points == 10 + POINTS[rank(wilddeck.cards.parse(pile)[0])]


@pytest.mark.rule("ST-08", "ST-28")
@pytest.mark.parametrize("scoring", ["win", "points"])
def test_tournaments(scoring: str) -> None:
    """Points add up, the winner begins the next game, each game is dealt anew and nothing of it lasts."""
    env, draw = raw_env(GAME, num_players=3, games=4, setup="random", scoring=scoring), random.Random(2)
    env.reset(seed=5)
    total, game = np.zeros(3), 0
    while True:
        env.step(draw.choice(env.legal_actions()))
        rewards = np.array(list(env.rewards.values()))
        if not rewards.any():
            assert int(env.record["game_number"][0]) == game
            continue
        game += 1
        winner = int(np.argmax(rewards))
        if scoring == "points":
            assert sorted(rewards)[:2] == [0, 0]
            total += rewards
            assert env.record["score"][0][:3].tolist() == total.tolist()
        else:
            assert rewards.tolist() == [1 if seat == winner else -0.5 for seat in range(3)]
        if game == 4:
            break
        assert env.current_player == winner
        assert zone(env, "discard") == ""
        assert env.record["last_target"][0].tolist()[:3] == [-1, -1, -1]
        assert [len(env.zones()[f"hand/{seat}"]) + sum(map(len, piles_of(env, seat))) for seat in range(3)] == [13] * 3
        assert float(block(env, 0, "game")[0]) == pytest.approx(game / 4)
    assert all(env.terminations.values())


# --- length and texts ---


def test_length_bound_is_sharp_enough() -> None:
    """Every turn discards a card at least, so the bound counts two actions a card."""
    game = raw_env(GAME).game
    assert game.max_length(game.make_options({})) == 24 + 2 * 52
    assert game.max_length(game.make_options({"num_players": 3, "games": 2, "setup": "random"})) == 2 * 2 * 39


@pytest.mark.parametrize("num_players", [3, 12])
def test_the_longest_tournament_stays_within_its_bounds(num_players: int) -> None:
    case = Case(raw_env(GAME).game, (("num_players", num_players), ("games", 20), ("setup", "random")), 1)
    check_random_games_end_within_their_bounds(case)


def test_labels_tell_copies_and_piles_apart() -> None:
    env = position(("7h 7h 7s Jk Jk", "8d"), ("", "8c"), ("", "8h"), num_decks=2)
    assert list(legal(env)) == [
        "attack 7h",
        "attack 7h/2",
        "attack 7s",
        "attack Jk",
        "attack Jk/2",
        "attack 7h 7s",
        "attack 7h/2 7s",
    ]
    env = position(("", "7h 7s | 7h"), ("", "8c"), ("", "8h"), num_decks=2)
    assert list(legal(env)) == ["attack 7h@0", "attack 7h@1", "attack 7s@0", "attack 7h@0 7s@0", "attack 7h@1 7s@0"]


def test_describe() -> None:
    env = position(("Kc Jk", "As | 2c 2d"), ("5d", "9c | 4c 4d"), ("", "9h"), games=3)
    assert env.describe() == "game 1 of 3; player 0 chooses an attack"
    attack(env, "Jk", 1, 1)
    text = env.describe("player_2")
    assert text == "game 1 of 3; player 1 chooses an attack\nplayer 0: Jk against player 1 pile 1, lost"
