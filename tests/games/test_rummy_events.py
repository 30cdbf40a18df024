"""What is told of a deal of rummy, and to whom."""

from __future__ import annotations

import random
from typing import Any

import pytest
from games.rummy_positions import play, started
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.games.rummy.state import POINT


def dealt(hands: list[str], following: str, **options: Any) -> CardGameEnv:
    """A deal of these hands, then of the following cards."""
    rounds = zip(*(hand.split() for hand in hands), strict=True)
    return started(" ".join([*map(" ".join, rounds), following]), num_players=len(hands), **options)


def told(env: CardGameEnv, seat: int) -> list[str]:
    return [event.text() for event in env.history(f"player_{seat}")]


@pytest.mark.rule("RM-02", "RM-03", "RM-21", "RM-27", "RM-52", "RM-55")
def test_a_deal_as_it_is_told() -> None:
    """A special turned up, melds, a redeal, a Skip, a card laid off, and going out."""
    hands = ["3h 4h 5h 7c 7d 7s Kc", "Dr-c Sk-h 2c 9c Tc Jd Qd", "2d 3c 4c 5d 6s 8s Qs"]
    env = dealt(hands, "Sk-c Th 9h 8h Kh Ts 6h 2h", melds_per_turn=0)
    play(env, "take the discard", "Qd", "draw", "2d", "draw", "meld", "3h", "meld", "Kc")
    play(env, "reveal Dr-c", "redeal", "draw", "Sk-h", "draw", "lay off on meld 0", "8h")
    assert told(env, 0) == [
        "hand 1",
        "player 0 is dealt 3h 4h 5h 7c 7d 7s Kc",
        "player 1 is dealt 7 cards",
        "player 2 is dealt 7 cards",
        "Sk-c is turned up and redealt",
        "Th is turned up",
        "player 0 is skipped",
        "player 1 takes the discard Th",
        "player 1 discards Qd",
        "player 2 draws a card",
        "player 2 discards 2d",
        "player 0 draws 8h",
        "player 0 begins to meld",
        "player 0 adds 3h",
        "player 0 adds 4h",
        "player 0 adds 5h",
        "player 0 melds a run",
        "player 0 begins to meld",
        "player 0 adds 7c",
        "player 0 adds 7d",
        "player 0 adds 7s",
        "player 0 melds a group",
        "player 0 discards Kc",
        "player 1 reveals Dr-c",
        "player 1 redeals Dr-c",
        "player 1 draws a card",
        "player 1 draws a card",
        "player 1 draws a card",
        "player 1 discards Sk-h",
        "player 2 is skipped",
        "player 0 draws 2h",
        "player 0 chooses the meld 3h 4h 5h",
        "player 0 lays off 2h",
        "player 0 discards 8h",
        "player 0 goes out",
        "player 0's hand counts 0",
        "player 1's hand counts 67",
        "player 2's hand counts 45",
        "player 0 wins 112",
        "the game is over",
    ]
    assert told(env, 1)[25:28] == ["player 1 draws Kh", "player 1 draws Ts", "player 1 draws 6h"]


@pytest.mark.rule("RM-32", "RM-33", "RM-35", "RM-40")
def test_a_knock_as_it_is_told() -> None:
    hands = ["2c 3c 4c 8d 8h 8s Tc Jc Qc Kd", "2h 4h 6h 9c 9d 8c Qd Qs Kc 5c"]
    env = dealt(hands, "Ks Ah 9s 9h", variant="gin", deck="standard")
    play(env, "pass", "pass", "draw", "knock", "Kd", "meld", "2c", "meld", "8d", "meld", "pass")
    play(env, "lay off on meld 0", "lay off on meld 1", "pass", "pass")
    texts = told(env, 1)
    assert texts[2:9] == [
        "player 1 is dealt 2h 4h 6h 9c 9d 8c Qd Qs Kc 5c",
        "Ks is turned up",
        "player 0 passes",
        "player 1 passes",
        "player 0 draws a card",
        "player 0 knocks",
        "player 0 discards Kd",
    ]
    assert texts[texts.index("player 0 adds Qc") + 1 :] == [
        "player 0 melds a run",
        "player 0 passes",
        "player 1 chooses the meld 2c 3c 4c",
        "player 1 lays off 5c",
        "player 1 chooses the meld 8d 8h 8s",
        "player 1 lays off 8c",
        "player 1 passes",
        "player 1 passes",
        "player 0's hand counts 1",
        "player 1's hand counts 60",
        "player 0 wins 59",
        "the game is over",
    ]


@pytest.mark.rule("RM-42", "RM-47")
def test_a_purchase_as_it_is_told() -> None:
    hands = ["Ks 7c 7d 3h 4h 2s 9c Td Jh Qs", "2c 3d 4d 8d 9d Jc Qc Kc Ah Ac", "7s 7h 6c 3c 5c 8h 9h Th Jd Qd"]
    env = dealt(hands, "7c 2h 5h 6h", variant="contract", first_deal=2, deals=1)
    assert env.current_player == 1
    play(env, "draw", "buy the discard")
    assert told(env, 0) == [
        "hand 1",
        "the contract is a group and a run",
        "player 0 is dealt Ks 7c 7d 3h 4h 2s 9c Td Jh Qs",
        "player 1 is dealt 10 cards",
        "player 2 is dealt 10 cards",
        "7c is turned up",
        "player 1 asks for the stock",
        "player 2 takes the discard 7c",
        "player 2 draws a card",
        "player 1 draws a card",
    ]


@pytest.mark.rule("RM-25", "RM-29", "RM-48")
@pytest.mark.parametrize("variant", ["basic", "contract"])
def test_what_hands_count_is_what_is_paid(variant: str) -> None:
    for seed in range(3):
        env = raw_env("rummy_v0", variant=variant, num_players=3, max_turns=9, deals=1)
        env.reset(seed=seed)
        draw = random.Random(seed)
        while env.legal_actions():
            env.step(draw.choice(env.legal_actions()))
        ends = [event for event in env.history() if event.kind in ("score", "win", "ranked")]
        counts = [event.amount for event in ends if event.kind == "score"]
        assert len(counts) == 3
        if variant == "contract":
            assert [event.amount for event in ends if event.kind == "ranked"] == counts
            assert list(env.rewards.values()) == [sum(counts) - 3 * count for count in counts]
            continue
        won = {event.player: event.amount / POINT for event in ends if event.kind == "win"}
        paid = [won.get(seat, min(counts) - counts[seat]) for seat in range(3)]
        assert list(env.rewards.values()) == pytest.approx(paid, abs=1e-4)
        assert "the deal is blocked" in told(env, 0) or "goes out" in " ".join(told(env, 0))
