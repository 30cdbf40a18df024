"""Clauses of docs/rules/skin.md."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
import wilddeck
from games.skin_game_positions import (
    LEVEL,
    NO,
    NOTHING,
    TARGET,
    YES,
    after_the_banker_fell,
    chips,
    dead,
    labels,
    mains,
    pass_hand,
    phase,
    play,
    side,
    table,
    three_players_with_cards,
    total,
    waits,
    with_chips,
    zone,
)
from support import Case, play_random
from wilddeck.envs import raw_env
from wilddeck.testing.play import check_random_games_end_within_their_bounds

PLAYERS = range(2, 9)


# --- the table and the chips ---


@pytest.mark.rule("SK-02")
@pytest.mark.parametrize("num_players", PLAYERS)
def test_players_and_deck(num_players: int) -> None:
    env = raw_env("skin_v0", num_players=num_players)
    env.reset(seed=1)
    assert sorted(card for ids in env.zones().values() for card in ids) == list(range(52))
    assert chips(env) == [100] * num_players


@pytest.mark.rule("SK-02")
def test_the_default_is_six_players() -> None:
    assert raw_env("skin_v0").num_players == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 1}, "num_players=1 is not allowed; allowed: 2..8"),
        ({"num_players": 9}, "num_players=9 is not allowed; allowed: 2..8"),
        ({"hands": 0}, "hands=0 is not allowed; allowed: 1..200, num_players"),
        ({"hands": 201}, "hands=201 is not allowed"),
        ({"hands": "all"}, "hands='all' is not allowed"),
        ({"stack": -1}, "stack=-1 is not allowed; allowed: 0..1000000"),
        ({"stack": "num_players"}, "stack='num_players' is not allowed; allowed: 0..1000000"),
        ({"min_bid": 0}, "min_bid=0 is not allowed; allowed: 1..1000000"),
        ({"max_bid": 0}, "max_bid=0 is not allowed; allowed: 1..1000000"),
        ({"max_bid": 8.5}, "max_bid=8.5 is not allowed"),
        ({"min_bid": 9}, "max_bid=8 is not allowed with min_bid=9; allowed: 9..1000000"),
        ({"side_bets": "some"}, "side_bets='some' is not allowed; allowed: True, False"),
        ({"first_banker": 6}, "first_banker=6 is not allowed; allowed: random, or a seat 0..num_players-1"),
        ({"deck": "extended"}, "has no option 'deck'"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^skin_v0") as error:
        wilddeck.make("skin_v0", **options)
    assert message in str(error.value)


def test_there_are_as_many_hands_as_players_unless_said_otherwise() -> None:
    for options, hands in (
        ({}, 6),
        ({"num_players": 3}, 3),
        ({"num_players": 3, "hands": 5}, 5),
        ({"hands": "num_players"}, 6),
    ):
        env = raw_env("skin_v0", **options)
        assert env.options.hands == hands
        env.reset(seed=1)
        assert env.record["hands"][0] == hands


def test_the_longest_session_stays_within_its_bounds() -> None:
    check_random_games_end_within_their_bounds(Case(raw_env("skin_v0").game, (("hands", 200),), 1))


@pytest.mark.parametrize("deck", [list(range(51)), [*range(51), 0], [*range(51), 52], [*range(52), 52]])
def test_decks_with_wrong_cards_are_refused(deck: list[int]) -> None:
    with pytest.raises(ValueError, match="not a permutation of the 52 cards of skin_v0"):
        raw_env("skin_v0").reset(seed=0, options={"deck": deck})


@pytest.mark.rule("SK-03")
def test_the_limits_never_change() -> None:
    env = raw_env("skin_v0", num_players=4, hands=12, stack=0, min_bid=2, max_bid=9)
    env.reset(seed=4)
    offered = Counter()
    for _ in play_random(env, 4, 5000):
        if phase(env) == "STAKE":
            offered[(int(env.record["deals"][0]), tuple(labels(env)[1:]))] += 1
    stakes = tuple(f"stake {k} chips" for k in range(2, 10))
    assert {hand for hand, _ in offered} == set(range(1, 13))
    assert {amounts for _, amounts in offered} == {stakes}


@pytest.mark.rule("SK-04")
def test_the_first_banker_is_drawn_by_lot_or_given() -> None:
    for num_players in (2, 5, 8):
        env = raw_env("skin_v0", num_players=num_players)
        bankers: Counter[int] = Counter()
        for seed in range(400):
            env.reset(seed=seed)
            bankers[int(env.record["banker"][0])] += 1
        assert set(bankers) == set(range(num_players))
        assert min(bankers.values()) > 0.6 * 400 / num_players
        for banker in range(num_players):
            env = raw_env("skin_v0", num_players=num_players, first_banker=banker)
            env.reset(seed=1)
            assert env.record["banker"][0] == banker


@pytest.mark.rule("SK-05")
def test_the_bank_goes_round_to_the_right() -> None:
    env = table(NOTHING, 3, 1, next_hands=(NOTHING,) * 4, hands=5)
    bankers = []
    while phase(env):
        bankers.append(int(env.record["banker"][0]))
        assert env.current_player == (bankers[-1] - 1) % 3
        pass_hand(env, env.current_player)
    assert bankers == [1, 0, 2, 1, 0]


@pytest.mark.rule("SK-05", "SK-54")
def test_the_bank_passes_over_who_is_broke() -> None:
    env = with_chips(table(NOTHING, 4, next_hands=(NOTHING,), hands=3, min_bid=2), [100, 100, 100, 1])
    play(env, "3 pass; 2 accept; 2 no stake")
    assert env.record["banker"][0] == 2
    assert env.record["in_game"][0][:4].tolist() == [1, 1, 1, 0]
    play(env, "1 pass")
    assert waits(env) == (0, "OFFER"), "3, on the right of 0, is out"
    play(env, "0 pass")
    assert zone(env, "central") == "3"


@pytest.mark.rule("SK-06")
def test_each_hand_has_a_newly_shuffled_deck() -> None:
    env = raw_env("skin_v0", num_players=3, hands=4)
    env.reset(seed=3)
    orders = []
    while phase(env):
        if env.record["turned"][0] == 1 and len(orders) < env.record["deals"][0]:
            zones = env.zones()
            orders.append(zones["offered"] + zones["stock"])
            assert not any(ids for name, ids in zones.items() if name not in ("offered", "stock"))
            assert env.record["last_receiver"][0] == -1
        env.step(env.legal_actions()[-1])
    assert len(orders) == 4
    assert all(sorted(order) == list(range(52)) for order in orders)
    assert len({tuple(order) for order in orders}) == 4


@pytest.mark.rule("SK-07")
@pytest.mark.parametrize("num_players", [2, 5, 8])
def test_suits_mean_nothing(num_players: int) -> None:
    """A hand with the suits of each rank exchanged looks the same to everybody."""
    draw = random.Random(num_players)
    deck = draw.sample(range(52), 52)
    exchanged = {4 * rank + suit: 4 * rank + new for rank in range(13) for suit, new in enumerate(draw.sample(range(4), 4))}
    one, two = (raw_env("skin_v0", num_players=num_players, first_banker=0, hands=1) for _ in range(2))
    one.reset(seed=0, options={"deck": deck})
    two.reset(seed=0, options={"deck": [exchanged[card] for card in deck]})
    for _ in zip(play_random(one, 5, 10**4), play_random(two, 5, 10**4), strict=True):
        assert one.rewards == two.rewards
        for agent in one.agents:
            assert one.observe(agent)["observation"].tobytes() == two.observe(agent)["observation"].tobytes()
    assert not one.agents


@pytest.mark.rule("SK-09")
def test_levels_of_side_bets_are_for_both() -> None:
    env = with_chips(table("3 K 4 5"), [50, 5, 4])
    play(env, "2 accept; 2 stake 1 chip; 1 accept; 1 stake 1 chip")
    assert chips(env) == [48, 4, 3]
    play(env, "1 side bet with player_2")
    assert labels(env) == ["propose 1 chip", "propose 2 chips", "propose 3 chips"]


@pytest.mark.rule("SK-09", "SK-54")
def test_on_credit_nothing_is_out_of_reach() -> None:
    env = table("3 K 4 3 K", stack=0, next_hands=(NOTHING,), hands=2)
    play(env, "2 accept; 2 stake 8 chips; 0 bet 8 chips; 1 accept")
    assert chips(env) == [-8, 0, -8]
    assert len(env.legal_actions()) == 9
    play(env, "1 stake 7 chips; 0 bet 7 chips; 1 side bet with player_2; 1 propose 6 chips; 2 accept 6 chips")
    assert chips(env) == [1, 13, -14]
    assert env.record["in_game"][0][:3].all(), "nobody is broke"


# --- the first cards ---


@pytest.mark.rule("SK-10", "SK-11", "SK-12")
@pytest.mark.parametrize("num_players", PLAYERS)
def test_the_first_card_goes_round_to_the_right(num_players: int) -> None:
    for banker in range(num_players):
        env = table("5 6", num_players, banker)
        for steps in range(1, num_players):
            assert waits(env) == ((banker - steps) % num_players, "OFFER")
            assert labels(env) == ["pass", "accept"]
            assert zone(env, "offered") == "5"
            accepted = env.clone()
            taker = accepted.current_player
            accepted.step(YES)
            assert zone(accepted, f"live/{taker}") == "5"
            env.step(NO)
        assert zone(env, "central") == "5", "not offered to the banker"


@pytest.mark.rule("SK-13", "SK-14")
def test_a_card_that_all_pass_is_central_and_the_next_is_offered() -> None:
    env = table("5 6 7")
    play(env, "2 pass; 1 pass")
    assert (zone(env, "central"), zone(env, "offered")) == ("5", "6")
    assert waits(env) == (2, "OFFER"), "nobody has received one: from the right of the banker"
    play(env, "2 pass; 1 pass")
    assert zone(env, "central") == "5 6"


@pytest.mark.rule("SK-15", "SK-20")
def test_the_banker_turns_a_card_once_somebody_has_accepted() -> None:
    env = table("5 6 7")
    assert zone(env, "live/0") == ""
    play(env, "2 pass; 1 accept")
    assert zone(env, "live/0") == "6"
    assert waits(env) == (1, "STAKE")


@pytest.mark.rule("SK-17", "SK-41")
def test_the_bankers_first_card_may_match_central_and_dead_ones() -> None:
    env = table("9 5 9 9 K")
    play(env, "2 pass; 1 pass; 2 pass; 1 accept")
    assert (dead(env), zone(env, "central"), zone(env, "discard")) == ("9", "", "9 9 9")
    assert (zone(env, "live/0"), zone(env, "live/1")) == ("K", "5")
    assert waits(env) == (1, "STAKE")


# --- bets ---


@pytest.mark.rule("SK-20", "SK-21")
def test_the_banker_bets_at_most_what_was_proposed_and_cannot_refuse() -> None:
    for level in range(1, 9):
        env = table("5 6 7")
        play(env, "2 accept")
        assert env.legal_actions() == [NO, *range(LEVEL, LEVEL + 8)]
        env.step(LEVEL + level - 1)
        if level == 1:
            assert mains(env)[2] == 1, "one choice is none"
            continue
        assert waits(env) == (0, "BANK")
        assert env.legal_actions() == list(range(LEVEL, LEVEL + level))
        env.step(LEVEL + level - 2)
        assert mains(env)[2] == level - 1


@pytest.mark.rule("SK-22")
def test_a_main_bet_adds_to_the_one_before() -> None:
    """A player whose card is not the first they bet on against this banker: SK-35 leaves no main bet, so written by hand."""
    env = table("5 6 7")
    play(env, "2 accept")
    env.record["main"][0][2] = 3
    play(env, "2 stake 5 chips; 0 bet 4 chips")
    assert mains(env) == [0, 0, 7]
    assert chips(env) == [96, 100, 96]


@pytest.mark.rule("SK-23", "SK-29")
def test_without_a_legal_level_the_stake_is_passed_over() -> None:
    env = with_chips(table("5 6 7 8", min_bid=3), [50, 2, 50])
    play(env, "2 accept; 2 stake 3 chips")
    assert waits(env) == (1, "OFFER")
    play(env, "1 accept")
    assert zone(env, "live/1") == "7"
    assert zone(env, "central") == "8", "no stake and no side bet of 1; the next card is on the table"


@pytest.mark.rule("SK-24")
@pytest.mark.parametrize("kind", ["fresh", "central", "rebid"])
def test_every_main_bet_is_a_stake_and_an_answer(kind: str) -> None:
    if kind == "rebid":
        env = after_the_banker_fell("T")
        play(env, "0 new card")
        seat = 3
    elif kind == "central":
        env = table("3 K 9 3 4")
        play(env, "2 accept; 2 stake 5 chips; 0 bet 5 chips; 1 pass; 2 take the central 9")
        seat = 2
    else:
        env = table("3 K 9 4")
        play(env, "2 accept; 2 no stake; 1 accept")
        seat = 1
    assert waits(env) == (seat, "STAKE")
    play(env, f"{seat} stake 6 chips; 0 bet 3 chips")
    assert mains(env)[seat] == 3


@pytest.mark.rule("SK-25", "SK-26")
def test_side_bets_once_with_each_other_player() -> None:
    env = three_players_with_cards()
    assert env.legal_actions() == [NO, TARGET + 1, TARGET + 2]
    assert labels(env) == ["no side bet", "side bet with player_2", "side bet with player_3"]
    play(env, "1 side bet with player_3")
    assert waits(env) == (1, "SIDE_AMOUNT")
    play(env, "1 propose 7 chips; 3 accept none")
    assert waits(env) == (1, "SIDE_TARGET")
    assert labels(env) == ["no side bet", "side bet with player_2"]
    play(env, "1 side bet with player_2; 1 propose 2 chips; 2 accept 2 chips")
    assert waits(env) == (3, "CENTRAL"), "both were asked; 3 has lost"
    assert (side(env, 1, 2), side(env, 1, 3)) == (2, 0)


@pytest.mark.rule("SK-25")
def test_side_bets_end_when_the_player_says_so() -> None:
    env = three_players_with_cards()
    play(env, "1 no side bet")
    assert waits(env) == (3, "CENTRAL")
    assert not env.record["asked"][0].any()


@pytest.mark.rule("SK-26", "SK-27")
def test_the_target_accepts_all_some_or_none() -> None:
    for reply, agreed in (("accept none", 0), ("accept 1 chip", 1), ("accept 4 chips", 4)):
        env = three_players_with_cards()
        play(env, "1 side bet with player_2")
        assert env.legal_actions() == list(range(LEVEL, LEVEL + 8))
        play(env, "1 propose 4 chips")
        assert waits(env) == (2, "SIDE_REPLY")
        assert env.legal_actions() == [NO, *range(LEVEL, LEVEL + 4)]
        play(env, f"2 {reply}")
        assert side(env, 1, 2) == agreed
        assert chips(env) == [97, 99 - agreed, 99 - agreed, 99]


@pytest.mark.rule("SK-28", "SK-25")
def test_side_bets_of_two_players_add_up() -> None:
    """On another occasion a player may be asked again, whoever proposed before."""
    env = after_the_banker_fell("T 9")
    play(env, "0 new card; 3 stake 1 chip; 3 side bet with player_2; 3 propose 3 chips; 2 accept 2 chips")
    assert side(env, 2, 3) == 6
    play(env, "2 stake 1 chip; 2 side bet with player_3; 2 propose 8 chips; 3 accept 8 chips")
    assert side(env, 2, 3) == 14
    assert total(env) == 400


@pytest.mark.rule("SK-29")
def test_the_banker_takes_no_part_in_side_bets() -> None:
    env = three_players_with_cards()
    assert TARGET + (0 - 1) % 4 not in env.legal_actions()
    assert zone(env, "live/0") == "K"


@pytest.mark.rule("SK-29")
def test_who_stakes_nothing_proposes_no_side_bets_but_may_be_asked() -> None:
    env = table("3 K 4 2 4")
    play(env, "2 accept; 2 no stake; 1 accept; 1 stake 1 chip")
    assert labels(env) == ["no side bet", "side bet with player_2"]
    env = table("3 K 4 2 4")
    play(env, "2 accept; 2 stake 1 chip; 1 accept; 1 no stake")
    assert waits(env) == (1, "CENTRAL"), "two cards later"


def test_without_side_bets_there_are_no_side_phases() -> None:
    env = table("3 K 4 2 4", side_bets=False)
    play(env, "2 accept; 2 stake 1 chip; 1 accept; 1 stake 1 chip")
    assert waits(env) == (1, "CENTRAL"), "two cards later"


# --- turning cards ---


@pytest.mark.rule("SK-30")
def test_the_banker_turns_cards_when_nobody_has_a_choice() -> None:
    """A dead one, one that becomes dead, and one that is offered, without anybody being asked."""
    env = table("9 3 K 9 9 4")
    play(env, "2 pass; 1 pass; 2 accept; 2 stake 8 chips")
    assert env.record["turned"][0] == 3, "a bet has to be made"
    play(env, "0 bet 1 chip")
    assert env.record["turned"][0] == 6
    assert zone(env, "offered") == "4"


@pytest.mark.rule("SK-31")
def test_a_player_who_falls_pays_the_banker_and_each_partner() -> None:
    env = three_players_with_cards("5 2", hands=1)
    play(env, "1 side bet with player_2; 1 propose 4 chips; 2 accept 4 chips")
    play(env, "1 side bet with player_3; 1 propose 2 chips; 3 accept 2 chips")
    assert zone(env, "live/1") == ""
    assert chips(env) == [99, 93, 103, 101], "1 + 1 from the banker's stakes are still laid out"
    assert mains(env) == [0, 0, 1, 1]
    assert not env.record["side"][0].any()
    assert total(env) == 400
    assert zone(env, "discard") == "5 5"


@pytest.mark.rule("SK-31")
def test_side_bets_of_others_stand_when_a_player_falls() -> None:
    env = three_players_with_cards("3")
    play(env, "1 side bet with player_2; 1 propose 4 chips; 2 accept 4 chips; 1 no side bet")
    assert zone(env, "live/3") == ""
    assert (side(env, 1, 2), mains(env)) == (4, [0, 1, 1, 0])


@pytest.mark.rule("SK-32", "SK-36")
def test_who_takes_a_central_card_bets_and_counts_as_the_last_receiver() -> None:
    env = table("9 3 K 4 3 5", num_players=5)
    play(env, "4 pass; 3 pass; 2 pass; 1 pass; 4 accept; 4 stake 2 chips; 0 bet 2 chips")
    play(env, "3 pass; 2 accept; 2 stake 1 chip; 2 no side bet")
    assert waits(env) == (4, "CENTRAL")
    play(env, "4 take the central 9")
    assert waits(env) == (4, "STAKE")
    play(env, "4 stake 1 chip")
    assert waits(env) == (4, "SIDE_TARGET")
    play(env, "4 no side bet")
    assert zone(env, "offered") == "5"
    assert waits(env) == (3, "OFFER"), "on the right of 4, not of 2"


@pytest.mark.rule("SK-32")
def test_a_central_card_may_be_declined() -> None:
    env = table("9 3 K 4 3 5", num_players=3)
    play(env, "2 pass; 1 pass; 2 accept; 2 stake 2 chips; 0 bet 2 chips; 1 accept; 1 stake 1 chip; 1 no side bet")
    assert waits(env) == (2, "CENTRAL")
    play(env, "2 no central card")
    assert (zone(env, "central"), zone(env, "offered")) == ("9", "5")


@pytest.mark.rule("SK-32")
def test_no_central_card_where_there_is_none_or_not_by_option() -> None:
    for ranks, passes, options in (("3 K 4 3 5", "", {}), ("9 3 K 4 3 5", "2 pass; 1 pass; ", {"take_central": False})):
        env = table(ranks, **options)
        play(env, passes + "2 accept; 2 stake 2 chips; 0 bet 2 chips; 1 accept; 1 stake 1 chip; 1 no side bet")
        assert waits(env) == (2, "OFFER")


@pytest.mark.rule("SK-32")
def test_no_central_card_while_the_banker_has_none() -> None:
    """Not while they wait for a new one either."""
    env = after_the_banker_fell("6", hands=1)
    play(env, "0 new card")
    assert phase(env) is None
    assert zone(env, "central") == "8"


@pytest.mark.rule("SK-33")
def test_all_players_win_when_the_banker_falls() -> None:
    env = three_players_with_cards("K", hands=1)
    play(env, "1 no side bet")
    assert phase(env) is None
    assert chips(env) == [97, 101, 101, 101]
    assert [zone(env, f"live/{seat}") for seat in range(4)] == ["", "5", "4", "3"]
    assert zone(env, "discard") == "K K"


@pytest.mark.rule("SK-34")
def test_the_banker_has_no_choice_without_side_bets_or_by_option() -> None:
    env = three_players_with_cards("K", hands=1)
    play(env, "1 no side bet")
    assert phase(env) is None
    env = after_the_banker_fell("T 6", hands=1, bank_new_card=False)
    assert phase(env) is None, "they just reveal"
    assert zone(env, "central") == "8 T"


@pytest.mark.rule("SK-35")
def test_a_new_card_of_the_banker_may_fall_too() -> None:
    env = after_the_banker_fell("T T 6", hands=1)
    play(env, "0 new card; 3 stake 3 chips; 0 bet 3 chips; 3 no side bet; 2 no stake")
    assert waits(env) == (0, "BANK_NEW")
    assert chips(env) == [90, 100, 98, 104]
    play(env, "0 just reveal")
    assert phase(env) is None
    assert chips(env) == [90, 100, 98, 112]


@pytest.mark.rule("SK-35", "SK-23")
def test_rebids_pass_over_who_has_no_card_or_no_chips() -> None:
    env = with_chips(after_the_banker_fell("T 9"), [93, 100, 98, 0])
    play(env, "0 new card")
    assert waits(env) == (2, "STAKE")
    assert env.observe("player_2")["observation"][-1] == 1, "a rebid"
    play(env, "2 no stake")
    assert waits(env) == (1, "OFFER")
    assert env.observe("player_2")["observation"][-1] == 0


@pytest.mark.rule("SK-35", "SK-36")
def test_the_bankers_card_is_never_offered_and_makes_them_no_receiver() -> None:
    env = after_the_banker_fell("T 9")
    play(env, "0 new card; 3 no stake; 2 no stake")
    assert waits(env) == (1, "OFFER")
    assert zone(env, "offered") == "9", "the T is the banker's"
    assert env.record["last_receiver"][0] == 2


@pytest.mark.rule("SK-36", "SK-39", "SK-57")
def test_a_fresh_card_goes_round_from_the_last_receiver_to_themselves() -> None:
    env = table("3 K 4 5 6 4 7 2", num_players=5)
    play(env, "4 pass; 3 accept; 3 stake 1 chip")
    order = []
    while zone(env, "offered") == "4":
        order.append(env.current_player)
        env.step(YES if len(order) == 2 else NO)
    assert order == [2, 1], "1 has accepted"
    play(env, "1 stake 1 chip; 1 no side bet")
    order = []
    while zone(env, "offered") == "5":
        order.append(env.current_player)
        env.step(NO)
    assert order == [4, 2], "1 and 3 have cards, 0 is the banker"
    order = []
    while zone(env, "offered") == "6":
        order.append(env.current_player)
        env.step(NO)
    assert order == [4, 2], "who passed is offered the next one"
    assert waits(env) == (1, "CENTRAL")
    play(env, "1 take the central 5; 1 no stake")
    assert waits(env) == (4, "OFFER")


@pytest.mark.rule("SK-36")
def test_the_last_receiver_is_offered_a_card_last_when_they_have_none() -> None:
    env = table("5 K 4 5 6 3", num_players=4)
    play(env, "3 accept; 3 no stake; 2 pass; 1 pass")
    assert waits(env) == (3, "CENTRAL")
    play(env, "3 no central card")
    order = []
    while zone(env, "offered") == "6":
        order.append(env.current_player)
        env.step(NO)
    assert order == [2, 1, 3]
    assert zone(env, "central") == "4 6"


@pytest.mark.rule("SK-37")
def test_a_fresh_card_that_nobody_takes_is_central() -> None:
    env = table("3 K 4 6 2 6")
    play(env, "2 accept; 2 no stake; 1 pass")
    assert zone(env, "central") == "4"
    play(env, "1 accept")
    assert waits(env) == (1, "STAKE")
    play(env, "1 no stake")
    assert waits(env) == (1, "CENTRAL")
    assert zone(env, "central") == "2 4", "everybody had a card"


@pytest.mark.rule("SK-38")
def test_nothing_is_offered_while_the_banker_just_reveals() -> None:
    env = after_the_banker_fell("T 9 2 6", hands=1)
    play(env, "0 just reveal")
    assert zone(env, "central") == "2 8 9 T"


@pytest.mark.rule("SK-40", "SK-41", "SK-42")
def test_central_cards_are_matched_and_stay_dead() -> None:
    env = table("3 K 4 4 4 4 6")
    play(env, "2 accept; 2 no stake; 1 pass")
    assert (dead(env), zone(env, "central"), zone(env, "discard"), zone(env, "offered")) == ("4", "", "4 4 4 4", "6")
    again = table("3 K K", next_hands=("K 3",))
    pass_hand(again, 2)
    assert (dead(again), zone(again, "offered")) == ("", "K"), "to the end of the hand only"


@pytest.mark.rule("SK-43")
def test_a_fallen_rank_is_dead_by_option() -> None:
    for dead_on_fall, offered in ((True, "6"), (False, "3")):
        env = table("3 K 3 3 6", dead_on_fall=dead_on_fall)
        play(env, "2 accept; 2 no stake")
        assert zone(env, "offered") == offered
        assert dead(env) == ("3" if dead_on_fall else "")


@pytest.mark.rule("SK-43")
def test_the_bankers_rank_is_dead_by_option() -> None:
    for dead_on_fall in (True, False):
        env = after_the_banker_fell("J T", dead_on_fall=dead_on_fall)
        play(env, "0 new card")
        assert zone(env, "live/0") == ("T" if dead_on_fall else "J")
