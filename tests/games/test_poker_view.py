"""What an observation of poker says beyond the cards: what hands are worth, draws and odds, beside slow definitions."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from games.poker_positions import seen
from games.poker_values import Value, best, best_omaha, best_open
from support import see_anew
from wilddeck import cards
from wilddeck.envs import raw_env

JOKERS = (52, 53)
HAND = 9 + 2 * 13


def as_block(value: Value) -> list[float]:
    """A value as it is observed: its kind, the rank of the greatest group or highest card, the ranks below."""
    entries = np.zeros(HAND)
    if value[0]:
        kind, first, *below = value
        entries[[kind - 1, 9 + first - 2, *(22 + rank - 2 for rank in below)]] = 1
    return entries.tolist()


def completing(suited: list[int], wild: int) -> int:
    """The number of ranks of which one card would complete a straight."""
    ranks = {card // 4 for card in suited}
    runs = [{-1, 0, 1, 2, 3}, *(set(range(low, low + 5)) for low in range(9))]
    lacking = [{rank % 13 for rank in run} - ranks for run in runs]
    return len(set().union(*(ranks for ranks in lacking if len(ranks) == wild + 1)))


@pytest.mark.rule("PK-14", "PK-15", "PK-20", "PK-22", "PK-25", "PK-30")
@pytest.mark.parametrize(
    "options",
    [
        {"deck": "standard"},
        {"num_players": 9},
        {"variant": "omaha"},
        {"variant": "omaha", "deck": "standard", "betting": "pot_limit"},
        {"variant": "five_card_draw"},
        {"variant": "five_card_stud"},
        {"variant": "seven_card_stud", "num_players": 3},
        {"variant": "chicago"},
    ],
    ids=str,
)
def test_what_hands_are_worth(options: dict[str, Any]) -> None:
    env, draw = raw_env("poker_v0", **options), random.Random(5)
    looked = 0
    for seed in range(12):
        env.reset(seed=seed)
        while not env.is_over:
            if draw.random() < 0.4:
                looked += 1
                viewer = draw.randrange(env.num_players)
                own = [k for name in ("down", "up") for k in np.flatnonzero(seen(env, viewer, name)).tolist()]
                board = np.flatnonzero(seen(env, viewer, "community")).tolist()
                held = env.record["hand"][0, viewer].any()  # not if it has gone into the muck
                own = own if held else []
                of_both = best_omaha(own, board) if options.get("variant") == "omaha" else best([*own, *board])
                assert seen(env, viewer, "best_hand") == as_block(of_both)
                assert seen(env, viewer, "board_hand") == as_block(best(board))
                others = np.array(seen(env, viewer, "others_up")).reshape(-1, 66)
                theirs = np.array(seen(env, viewer, "others_hand")).reshape(-1, HAND)
                for up, strength in zip(others, theirs, strict=True):
                    assert strength.tolist() == as_block(best_open(np.flatnonzero(up).tolist()))
                suited = [card for card in {*own, *board} if card < 52]
                wild = sum(card in JOKERS for card in (*own, *board))
                most = max(sum(card % 4 == suit for card in suited) for suit in range(4))
                expected = [min(most + wild, 5) / 5, completing(suited, wild) / 13]
                assert seen(env, viewer, "draws") == pytest.approx(expected)
            env.step(draw.choice(env.legal_actions()))
    assert looked > 15


def test_what_a_call_costs() -> None:
    env = raw_env("poker_v0", deck="standard", num_players=3, stack=(100, 60, 200), button=0)
    env.reset(seed=1)
    assert env.current_player == 0 and sum(env.record["paid"][0]) == 3
    assert seen(env, 0, "odds") == pytest.approx([2 / 5, 100 / 103])  # blinds of 1 and 2
    assert seen(env, 1, "odds") == pytest.approx([1 / 4, 59 / 62])
    assert seen(env, 2, "odds") == pytest.approx([0, 198 / 201])
    env.step(env.action_from_label("fold"))
    assert seen(env, 0, "odds") == pytest.approx([0, 100 / 103])


def test_a_straight_may_begin_with_an_ace() -> None:
    env = raw_env("poker_v0", deck="standard", variant="omaha")
    env.reset(seed=1)
    for own, expected in (("As 2c 3d 5h", [0.2, 1 / 13]), ("As Ks Qs Jd", [0.6, 1 / 13]), ("5c 6c 7d 8d", [0.4, 2 / 13])):
        env.record["hand"][0, 0] = sum(1 << card for card in cards.parse(own)), 0
        see_anew(env)
        assert seen(env, 0, "draws") == pytest.approx(expected), own
