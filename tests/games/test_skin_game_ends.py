"""How hands and episodes of Skin end, and what holds all the while (docs/rules/skin.md)."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from games.skin_game_positions import (
    NO,
    NOTHING,
    after_the_banker_fell,
    chips,
    labels,
    mains,
    pass_hand,
    phase,
    play,
    rewards,
    table,
    three_players_with_cards,
    total,
    waits,
    with_chips,
    zone,
)
from support import determinizations, play_random, short
from wilddeck import agents
from wilddeck.agents.play import play_batch
from wilddeck.envs import game as find_game
from wilddeck.envs import raw_env
from wilddeck.envs.core.game import as_record

GAME = find_game("skin_v0")


@pytest.mark.rule("SK-50")
def test_a_hand_goes_on_while_bets_are_left_and_until_one_was_settled() -> None:
    env = three_players_with_cards("5 4 3", hands=1)
    play(env, "1 no side bet")
    assert phase(env) is None, "5, 4 and 3 fell one after another"
    assert zone(env, "discard") == "3 4 5 5 4 3"
    assert chips(env) == [103, 99, 99, 99]
    env = table("3 K 4 3 6 2", hands=2)
    play(env, "2 accept; 2 stake 1 chip; 1 accept; 1 no stake")
    assert env.record["deals"][0] == 2, "the only bet was settled; 1 has a card without a bet"


@pytest.mark.rule("SK-50")
def test_the_choice_after_a_fall_comes_before_the_end() -> None:
    env = table("9 3 K 3 2", hands=2)
    play(env, "2 pass; 1 pass; 2 accept; 2 stake 1 chip")
    assert (waits(env), env.record["deals"][0]) == ((2, "CENTRAL"), 1)
    declined = env.clone()
    play(declined, "2 no central card")
    assert declined.record["deals"][0] == 2
    play(env, "2 take the central 9; 2 no stake")
    assert env.record["deals"][0] == 2


@pytest.mark.rule("SK-51")
def test_the_fall_of_the_banker_ends_a_hand_without_bets() -> None:
    env = table(NOTHING, next_hands=("5",), hands=2)
    pass_hand(env, 2)
    assert env.record["deals"][0] == 2
    assert zone(env, "offered") == "5"


@pytest.mark.rule("SK-52")
def test_an_empty_stock_ends_the_hand() -> None:
    """Everybody passes everything: 52 cards, no chips."""
    env = raw_env("skin_v0", num_players=3, hands=1)
    env.reset(seed=2)
    while phase(env):
        env.step(NO)
    assert env.record["turned"][0] == 52
    assert rewards(env) == [0, 0, 0]
    assert len(env.zones()["discard"]) == 52


@pytest.mark.rule("SK-52")
def test_bets_go_back_when_the_stock_is_empty() -> None:
    """It cannot come to this by the rules, so the stock is cut short by hand."""
    env = three_players_with_cards("2", hands=1)
    play(env, "1 side bet with player_2; 1 propose 4 chips; 2 accept 3 chips")
    env.record["turned"][0] = 52
    play(env, "1 no side bet")
    assert phase(env) is None
    assert chips(env) == [100, 100, 100, 100]
    assert total(env) == 400


@pytest.mark.rule("SK-53", "SK-05")
def test_players_leave_and_come_back_between_hands() -> None:
    env = table(NOTHING, 4, next_hands=(NOTHING,) * 3, hands=4, cash_out=True)
    pass_hand(env, 3)
    for seat, choice in ((0, "stay"), (1, "stay"), (2, "stay"), (3, "leave")):
        assert waits(env) == (seat, "BETWEEN")
        assert labels(env) == ["stay", "leave"]
        play(env, f"{seat} {choice}")
    assert env.record["banker"][0] == 2, "3 has left"
    assert env.record["in_game"][0][:4].tolist() == [1, 1, 1, 0]
    play(env, "1 pass; 0 pass")
    assert zone(env, "central") == "3", "3 is not offered cards"
    while phase(env) == "OFFER":
        env.step(NO)
    play(env, "0 stay; 1 stay; 2 leave")
    assert labels(env) == ["join", "stay out"]
    play(env, "3 join")
    assert env.record["banker"][0] == 1, "on the right of 2, who has left"
    assert chips(env) == [100, 100, 100, 100]
    pass_hand(env, 0)
    play(env, "0 stay; 1 stay; 2 stay out; 3 stay")
    assert env.record["in_game"][0][:4].tolist() == [1, 1, 0, 1]


@pytest.mark.rule("SK-53", "SK-54")
def test_who_is_broke_is_not_asked() -> None:
    env = with_chips(table(NOTHING, 3, next_hands=(NOTHING,), hands=2, cash_out=True, min_bid=3), [200, 2, 98])
    pass_hand(env, 2)
    play(env, "0 stay")
    assert waits(env) == (2, "BETWEEN")
    play(env, "2 stay")
    assert env.record["in_game"][0][:3].tolist() == [1, 0, 1]


@pytest.mark.rule("SK-54")
def test_a_player_with_min_bid_chips_is_not_broke() -> None:
    for left, inside in ((3, 1), (2, 0)):
        env = with_chips(table(NOTHING, 3, hands=2, min_bid=3), [200, left, 97])
        pass_hand(env, 2)
        assert env.record["in_game"][0][1] == inside


@pytest.mark.rule("SK-55")
@pytest.mark.parametrize("cash_out", [False, True])
def test_the_episode_ends_after_its_hands(cash_out: bool) -> None:
    env = table(NOTHING, 2, next_hands=(NOTHING,), hands=2, cash_out=cash_out)
    pass_hand(env, 1)
    if cash_out:
        play(env, "0 stay; 1 stay")
    pass_hand(env, 0)
    assert phase(env) is None, "nobody is asked after the last hand"
    assert all(env.terminations.values())


@pytest.mark.rule("SK-55")
@pytest.mark.parametrize("cash_out", [False, True])
def test_the_episode_ends_when_one_player_has_all(cash_out: bool) -> None:
    env = with_chips(table("3 K 3", 2, hands=9, cash_out=cash_out, stack=2), [2, 2])
    play(env, "1 accept; 1 stake 2 chips; 0 bet 2 chips")
    assert phase(env) is None
    assert rewards(env) == [2 / 8, -2 / 8]


@pytest.mark.rule("SK-55")
def test_the_episode_ends_when_all_but_one_have_left() -> None:
    env = table(NOTHING, 3, hands=9, cash_out=True)
    pass_hand(env, 2)
    play(env, "0 leave; 1 stay; 2 leave")
    assert phase(env) is None
    assert rewards(env) == [0, 0, 0]


@pytest.mark.rule("SK-56")
def test_no_hand_can_take_4000_decisions() -> None:
    for n in range(2, 9):
        assert GAME.max_length(GAME.options(num_players=n, hands=1)) < 4000
    longest = 0
    for seed in range(30):
        env = raw_env("skin_v0", num_players=8, hands=1, stack=0, dead_on_fall=False)
        env.reset(seed=seed)
        draw = random.Random(seed)
        while phase(env):  # everything is taken, and side bets keep the hand going
            eager = [action for action in env.legal_actions() if action]
            env.step(draw.choice(eager or env.legal_actions()))
        longest = max(longest, int(env.record["move_count"][0]))
    assert 60 < longest < GAME.max_length(env.options)


@pytest.mark.rule("SK-57")
def test_who_rejects_a_card_is_offered_the_next() -> None:
    env = table("3 4 5")
    play(env, "2 pass; 1 pass; 2 pass; 1 pass; 2 accept")
    assert zone(env, "live/2") == "5"


# --- what always holds ---

VARIED: list[dict[str, Any]] = [dict(vars(sample)) for sample in GAME.options.samples()] + [
    {"num_players": n, "hands": 5, "stack": stack, "cash_out": cash_out, "dead_on_fall": dead_on_fall, "side_bets": side_bets}
    for n, stack, cash_out, dead_on_fall, side_bets in [
        (2, 0, True, False, True),
        (3, 9, True, True, True),
        (4, 20, False, False, True),
        (5, 7, True, False, False),
        (6, 15, True, True, True),
        (7, 0, False, False, True),
        (8, 25, True, False, True),
    ]
]


@pytest.mark.parametrize("options", VARIED, ids=str)
def test_what_holds_after_every_step(options: dict[str, Any]) -> None:
    """Chips are conserved, escrow is empty between hands, nobody has one choice only, and each rank is in one place."""
    env = raw_env("skin_v0", **options)
    n, stack = env.num_players, env.options.stack
    for seed in range(4):
        env.reset(seed=seed)
        for step, _ in enumerate(play_random(env, seed, 1500)):
            record = env.record[0]
            assert total(env) == n * stack
            assert stack == 0 or min(chips(env)) >= 0
            assert record["main"][record["banker"]] == 0
            assert not record["side"][0 if record["banker"] == 0 else record["banker"]].any()
            if phase(env) is None or phase(env) == "BETWEEN":
                assert sum(mains(env)) == 0
                assert not record["side"].any()
                continue
            assert len(env.legal_actions()) > 1
            assert env.legal_actions()[0] == NO or phase(env) in ("BANK", "SIDE_AMOUNT")
            live = record["card"][:n].tolist()
            for rank in range(13):
                places = live.count(rank) + record["central"][rank] + record["dead"][rank]
                assert places <= 1
                left = 4 - sum(card // 4 == rank for card in record["deck"][: record["turned"]])
                assert not (rank in live or record["central"][rank]) or left > 0, "it can still be matched"
            assert all(card == -1 for card, seated in zip(live, record["in_game"][:n], strict=True) if not seated)
            for seat in range(n):
                has_bets = mains(env)[seat] or record["side"][seat].any()
                assert not has_bets or live[seat] >= 0
            if step % 25 == 0:
                zones = env.zones()
                assert sorted(card for ids in zones.values() for card in ids) == list(range(52))


@pytest.mark.parametrize("dead_on_fall", [True, False])
def test_a_bet_is_won_by_the_odds(dead_on_fall: bool) -> None:
    """With dead ranks every live card has three matches left, so that a bet is even; without, one that came back has one."""
    first = "3 K 3 3" if not dead_on_fall else "3 K 4"
    env = table(first, num_players=2, hands=1, stack=0, dead_on_fall=dead_on_fall)
    play(env, "1 accept; 1 no stake; 1 accept" if not dead_on_fall else "1 accept")
    env = env.determinize("player_1", 0)
    won = 0
    for seed in range(600):
        trial = env.determinize("player_1", seed)
        play(trial, "1 stake 8 chips; 0 bet 8 chips")
        while phase(trial):
            trial.step(NO)
        won += rewards(trial)[1] > 0
    expected = 0.5 if dead_on_fall else 0.75
    assert abs(won / 600 - expected) < 0.07


def test_bets_pay_by_the_odds_when_they_are_agreed() -> None:
    """One match left against three, three against three, three against one; what falls later pays nothing more."""
    env = table("3 K 3 3 4 5 3 4 K", num_players=4, hands=1, dead_on_fall=False, reward="odds")
    play(env, "3 accept; 3 no stake; 2 pass; 1 pass; 3 accept; 3 stake 8 chips")
    assert rewards(env) == [0, 0, 0, 0], "nothing is agreed yet"
    play(env, "0 bet 4 chips")
    assert rewards(env) == [-0.25, 0, 0, 0.25]
    play(env, "2 accept; 2 stake 2 chips; 0 bet 2 chips")
    assert rewards(env) == [0, 0, 0, 0]
    play(env, "2 side bet with player_3; 2 propose 4 chips; 3 accept 2 chips")
    assert rewards(env) == [0, 0, -0.125, 0.125]
    before = chips(env)
    play(env, "1 pass")
    while phase(env):
        env.step(NO)
        assert rewards(env) == [0, 0, 0, 0]
    assert chips(env) != before and total(env) == 400, "chips are won and lost as ever"


def test_a_stake_that_is_answered_at_once_pays_by_the_odds() -> None:
    env = table("3 K 3 3", num_players=2, hands=1, dead_on_fall=False, reward="odds", max_bid=2)
    play(env, "1 accept; 1 no stake; 1 accept; 1 stake 1 chip")
    assert rewards(env) == [-0.25, 0.25]


@pytest.mark.parametrize("num_players", short([2, 6], [2]))
@pytest.mark.parametrize("dead_on_fall", [True, False])
def test_by_the_odds_all_ways_of_playing_have_the_mean_they_have_in_chips(num_players: int, dead_on_fall: bool) -> None:
    """Of the same random games, that is of all kinds of bets; where all odds are even none is worth anything."""
    returns = {}
    for reward in ("chips", "odds"):
        options = {"num_players": num_players, "dead_on_fall": dead_on_fall, "reward": reward}
        players = [agents.make("random", GAME, GAME.make_options(options))] * num_players
        returns[reward] = play_batch(GAME, options, players, 8_000, seed=3)
    luck = returns["chips"] - returns["odds"]
    assert (abs(luck.mean(axis=0)) < 4 * luck.std(axis=0) / len(luck) ** 0.5).all()
    assert (returns["odds"] == 0).all() == dead_on_fall
    assert returns["odds"].std() < returns["chips"].std() / 3


def test_determinizations_of_the_stock_are_uniform() -> None:
    env = table("3 K")
    play(env, "2 accept")
    env.record["deck"][0][49:] = sorted(env.record["deck"][0][49:])
    env.record["turned"][0] = 49
    counts = Counter(
        tuple(env.game.zones(as_record(record.reshape(1)), None)["stock"]) for record in determinizations(env, 2, range(1200))
    )
    assert len(counts) == 6
    assert min(counts.values()) > 140


def test_words_for_players() -> None:
    env = three_players_with_cards("2 4")
    play(env, "1 side bet with player_3; 1 propose 7 chips")
    text = env.describe()
    assert text.splitlines()[0] == "hand 1 of 4; player 0 is the banker; player 1 proposes a side bet of 7 chips"
    play(env, "3 accept 2 chips; 1 no side bet")
    assert "player 3: 97 chips, 1 against the bank, 2 against player 1" in env.describe()
    assert "player 1: 97 chips, 1 against the bank, 2 against player 3" in env.describe()
    env = after_the_banker_fell("8 T")
    assert "dead: J" in env.describe()
    assert env.zones("player_3")["stock"] == [-1] * 47
