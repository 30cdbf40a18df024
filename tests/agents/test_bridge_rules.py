"""What the rule-based bridge player calls and plays in given hands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wilddeck
from games.bridge_positions import arranged, call, new, play, put
from support import first_of
from wilddeck import agents, envs
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate
from wilddeck.agents.views import Views

BRIDGE = envs.game("bridge_v0")
FLAT = "Jc Tc 9c 8d 7d 6d 5h 4h 3h 9s 8s 7s 2c"


def choice(env: Any) -> str:
    """The label of what the player to move does."""
    agent = agents.make("rules", BRIDGE, env.options)
    return env.action_label(agent.act(View.of(env), np.random.default_rng(0)))


def bids(hand: str, course: str = "", deck: str = "standard") -> str:
    """What a hand calls after an auction; the others' hands do not matter."""
    env = call(new(deck=deck), course)
    put(env, [hand if seat == env.current_player else FLAT for seat in range(4)], "Ts 2d" if deck == "extended" else "")
    return choice(env)


# --- calls ---

FIVE_SPADES = "As Ks 9s 7s 3s Ah 8h 6d 5d 4d Qc 6c 2c"  # 13 points
BALANCED = "As Ks 7s Ah 8h 6h Kd Jd 4d Qc 6c 3c 2c"  # 17
WEAK_HEARTS = "Kh Qh Jh 9h 8h 7h 3s 2s 8d 7d 6d 4c 2c"
RAISE = "Qs 8s 4s Kh 7h 5h 9d 8d 3d 2d Qc 4c 3c"  # 7, three spades
GAME_RAISE = "Qs 8s 6s 4s Ah Kh 5h Ad 8d 3d Jc 4c 3c"  # 14, four spades
NOTHING = "9s 8s 4s Jh 7h 5h 9d 8d 3d 2d 9c 4c 3c"


@pytest.mark.parametrize(
    ("hand", "course", "expected"),
    [
        (FIVE_SPADES, "", "bid 1S"),
        (FIVE_SPADES, "pass pass pass", "bid 1S"),
        (NOTHING, "", "pass"),
        (BALANCED, "", "bid 1NT"),
        (WEAK_HEARTS, "", "bid 2H"),
        ("As 8s Kh 7h 5h Ad Kd 8d 7d 3d 9c 4c 3c", "", "bid 1D"),
        (RAISE, "1s pass", "bid 2S"),
        (GAME_RAISE, "1s pass", "bid 4S"),
        (NOTHING, "1s pass", "pass"),
        ("Ks Qs 8s 7s Jh 7h 5h 9d 8d 3d 9c 4c 3c", "1d pass", "bid 1S"),
        ("Ks Js 3s Ah 7h 5h Qd Jd 3d Kc Tc 4c 3c", "1d pass", "bid 3NT"),
        (FIVE_SPADES, "1d", "bid 1S"),  # an overcall
        (NOTHING, "1d", "pass"),
        (FIVE_SPADES, "1s pass 2s pass", "pass"),  # no game together
        ("As Ks Qs 7s 3s Ah Kh 6d 5d Ad Qc 6c 2c", "1s pass 2s pass", "bid 4S"),
        (FIVE_SPADES, "1s pass 4s pass", "pass"),
        (GAME_RAISE, "pass pass 1s pass 4s pass pass", "pass"),
        (BALANCED, "1NT pass 3NT pass", "pass"),
    ],
)
def test_calls(hand: str, course: str, expected: str) -> None:
    assert bids(hand, course) == expected


SHORT_HEARTS = "Ks Qs 8s 7s 4h 3h Ad Jd 8d 7d Kc 9c 3c"  # 13
FOUR_SPADES = "Qs Js 8s 7s 8h 4h 3h Kd 8d 7d Kc 9c 3c"  # 9
STRONG_OPENING = "As Ks 9s 7s 3s 8h Ad Kd 5d 4d Kc 6c 2c"  # 17, one heart


@pytest.mark.parametrize(
    ("hand", "course", "expected"),
    [
        (SHORT_HEARTS, "1h", "double"),
        (SHORT_HEARTS, "1d", "pass"),  # two cards of hearts
        (SHORT_HEARTS, "1NT", "pass"),
        (SHORT_HEARTS, "1h pass 2h", "double"),
        ("Qs Js 8s 7s 4h 3h Kd 8d 7d 4d Kc 9c 3c", "1h 2c", "double"),  # negative: points and the other major
        (FOUR_SPADES, "1s 2h", "bid 2S"),  # a fit comes first
        (STRONG_OPENING, "1s 2h pass pass", "double"),  # reopening
        (FIVE_SPADES, "1s 2h pass pass", "pass"),
        (NOTHING, "1h double pass", "bid 2D"),  # whatever it be
        (NOTHING, "1h double 2h", "pass"),  # nobody asks any more
        (FOUR_SPADES, "1h double pass", "bid 2S"),
        (GAME_RAISE, "1h double pass", "bid 4S"),
    ],
)
def test_doubles_for_take_out(hand: str, course: str, expected: str) -> None:
    assert bids(hand, course) == expected


@pytest.mark.parametrize(
    ("hand", "course", "expected"),
    [
        ("As Ks Qs 4s Kh 7h 5h Ad 8d 3d Kc 4c 3c", "1s pass", "bid 5S"),  # 19, an invitation
        ("As Ks 9s 7s 3s Ah Kh 6d 5d 4d Qc 6c 2c", "1s pass 5s pass", "bid 6S"),
        (FIVE_SPADES, "1s pass 5s pass", "pass"),
        ("As Js 3s Ah 7h 5h Qd Jd 3d Kc Tc 4c 3c", "1NT pass", "bid 4NT"),  # 15
        (BALANCED, "1NT pass 4NT pass", "pass"),
    ],
)
def test_slams_are_invited(hand: str, course: str, expected: str) -> None:
    assert bids(hand, course) == expected


def test_what_cannot_be_made_is_doubled() -> None:
    assert bids(BALANCED, "7NT") == "double"
    assert bids("As Ah 4s Jh 7h 5h 9d 8d 3d 2d 9c 4c 3c", "6s") == "double"
    assert bids(NOTHING, "pass 1c") == "pass"


def test_jokers_and_specials_count() -> None:
    plain = "9s 8s 4s 3s Kh 7h 5h Qd 8d Kc 4c 3c 2d"
    assert bids(plain, deck="extended") == "pass"
    assert bids(plain.replace("9s", "Jk").replace("8s", "Jk"), deck="extended") != "pass"


@pytest.mark.long
def test_auctions_stop() -> None:
    """Among four of them the bidding ends well below what is allowed, and rarely above game."""
    for deck in ("standard", "extended"):
        batch = wilddeck.make_batch("bridge_v0", 200, seed=5, deck=deck)
        agent = agents.make("rules", BRIDGE, batch.options)
        rng = np.random.default_rng(0)
        for _ in range(25):
            auction = np.flatnonzero(batch.states["question"] == 0)
            if not len(auction):
                break
            batch.step(agent.act_batch(Views.of(batch.observation[auction], batch.action_mask[auction]), rng), auction)
            if len(auction) == 200:
                continue
            begun = np.flatnonzero((batch.states["question"] > 0) | batch.terminated)
            assert len(begun) + len(auction) >= 200
        assert np.mean(batch.states["question"] > 0) > 0.9
        level = np.array([max(int(bits).bit_length() for bits in calls[0]) - 1 for calls in batch.states["calls"]]) // 5 + 1
        assert np.mean(level >= 6) < 0.1
        assert np.mean(level <= 2) > 0.2


# --- play ---

# Declarer 0, dummy 2; seat 1 leads. Hands of nine cards, so that what is hidden is likely somewhere.
DECLARER = "9c 8c 7c Jd Td 9d 3s 2s"
LEADER = "5h 4c 3c 8d 7d 6d 5d 9s 8s"
DUMMY = "5c 6c Jc 4d 3d 2d 7s 6s"
LAST = "Tc 2c Kc Ac Qd Ts Js Qs"


@pytest.mark.parametrize(
    ("hearts", "bid", "course", "expected"),
    [
        ({0: "Ah", 2: "Kh 4h", 3: "7h"}, "1NT", "1 play 5h", "play 4h"),  # second hand low: declarer has the ace
        ({0: "2h", 2: "4h", 3: "Ah 7h"}, "1NT", "1 play 5h; 2 play 4h", "play Ah"),  # third hand high
        ({0: "Ah Qh 3h", 2: "4h", 3: "Jh"}, "1NT", "1 play 5h; 2 play 4h; 3 play Jh", "play Qh"),  # win cheaply
        ({0: "Ah 3h", 2: "Kh", 3: "Jh"}, "1NT", "1 play 5h; 2 play Kh; 3 play Jh", "play 3h"),  # dummy has won it
        ({0: "Qh 2h", 2: "Kh", 3: "Ah"}, "1NT", "1 play 5h; 2 play Kh; 3 play Ah", "play 2h"),  # what is lost is lost
        ({2: "6h", 3: "Ah"}, "1s", "1 play 5h; 2 play 6h; 3 play Ah", "play 2s"),  # a cheap ruff
        ({2: "6h", 3: "Ah"}, "1NT", "1 play 5h; 2 play 6h; 3 play Ah", "play 2s"),  # a cheap discard
    ],
)
def test_plays(hearts: dict[int, str], bid: str, course: str, expected: str) -> None:
    hands = [f"{rest} {hearts.get(seat, '')}" for seat, rest in enumerate((DECLARER, LEADER, DUMMY, LAST))]
    assert choice(play(arranged(hands, bid=bid, deck="standard"), course)) == expected


def test_declarer_draws_trumps() -> None:
    hands = ["As Ks Qs Js 9s 4c 3c", "5h 8s 7s 9c 8c 3d 4d", "6h Ts 6s Td 5d 7c 6c", "4h 5s 4s 8d 7d Jc Qc"]
    env = play(arranged(hands, bid="1s", deck="standard"), "1 play 5h; 2 play 6h; 3 play 4h; 0 play 9s")
    assert choice(env) in {"play As", "play Ks", "play Qs", "play Js"}


def test_declarer_drives_out_an_ace_before_they_cash_winners() -> None:
    hands = ["As Ks Ac 3c 2d 3d Kd Ah", "5h 8s 7s 9c 8c 5d Ad 6c", "6h 6s 2s 5c Qd Jd Td 9d", "4h 5s 4s Tc 7c Jc 6d 7d"]
    env = play(arranged(hands, bid="1NT", deck="standard"), "1 play 5h; 2 play 6h; 3 play 4h; 0 play Ah")
    assert choice(env) in {"play 2d", "play 3d", "play Kd"}


def test_declarer_plays_for_dummy() -> None:
    env = play(arranged([DECLARER, LEADER, f"{DUMMY} Ah Kh 3h", f"{LAST} Jh"], deck="standard"), "1 play 5h")
    assert env.agent_selection == "player_0"
    assert choice(env) in {"play Ah", "play Kh"}


def test_specials_and_jokers() -> None:
    hands = [f"{DECLARER} SJ", LEADER, f"{DUMMY} 6h", f"{LAST} Dr-d Ah 4h"]
    env = play(arranged(hands, pile="7h 8h 9h"), "1 play 5h; 2 play 6h")
    assert choice(env) == "reveal Dr-d"  # two cards for one
    hands = [f"{DECLARER} Jh", LEADER, f"{DUMMY} SJ", f"{LAST} 4h"]
    env = play(arranged(hands), "1 play 5h; 2 play SJ; 3 play 4h; 0 play Jh")
    assert choice(env) == "win with the Joker"
    env = play(arranged([DECLARER, "SJ 3c", DUMMY, LAST], bid="1s"), "1 play SJ")
    assert choice(env) == "declare As"


@first_of("deck", ["standard", "extended"])
@pytest.mark.long
def test_it_beats_random_by_far(deck: str) -> None:
    """As partners against random partners."""
    options = BRIDGE.make_options({"deck": deck})
    rules, random = (agents.make(spec, BRIDGE, options) for spec in ("rules", "random"))
    result = evaluate(rules, random, BRIDGE, options, 200, seed=3)
    assert result.mean > 1.0, result
    assert result.win_rate > 0.9, result
