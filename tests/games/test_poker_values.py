"""Known values: who wins how often when the cards are dealt to the end, by thousands of games in compiled code."""

from __future__ import annotations

import numpy as np
import pytest
from games.poker_positions import GAME, parse, table
from support import determinizations
from wilddeck.agents.rules.poker import call
from wilddeck.envs.core.batch import noise_counters, policy_kernels
from wilddeck.envs.core.game import as_records

pytestmark = pytest.mark.long  # a program for this alone
WORLDS = 50_000
CHECK_OR_CALL = 1
SEATS = 2


def share(records: np.ndarray) -> float:
    """The share of the pot that the first seat wins when both check and call to the end."""
    env = table(["2c 7d", "3c 8s"], deck="standard", button=1)
    returns = np.zeros((len(records), SEATS))
    play = policy_kernels(GAME, call)["playout_games"]
    buffers = np.zeros(env.observation_size, np.float32), np.zeros(env.num_actions, np.uint8)
    actions = np.full(len(records), CHECK_OR_CALL)
    play(as_records(records), actions, noise_counters(1, len(records)), *buffers, returns, 50, ())
    assert np.abs(returns).max() == 1  # each has paid the big blind
    return float((returns[:, 0].mean() + 1) / 2)


def within(estimate: float, expected: float) -> bool:
    return abs(estimate - expected) < 4 * 0.5 / WORLDS**0.5  # four standard errors


# The equities of these hands over all 1 712 304 boards.
@pytest.mark.parametrize(
    ("one", "two", "equity"),
    [
        ("Kc Kd", "Ah Kh", 0.6589),
        ("Ac Ad", "Kh Ks", 0.8126),
        ("Qc Qd", "Ah Ks", 0.5716),
        ("2c 2d", "Ah Kh", 0.4992),
        ("Jh Th", "2c 2d", 0.5398),
    ],
)
def test_one_hand_against_another(one: str, two: str, equity: float) -> None:
    env = table([one, two], deck="standard", button=1)
    records, draw = np.repeat(env.record, WORLDS), np.random.default_rng(1)
    first, last = int(env.record["pile_at"][0]), int(env.record["pile_end"][0])
    records["deck"][:, first:last] = draw.permuted(records["deck"][:, first:last], axis=1)
    assert within(share(records), equity)


@pytest.mark.parametrize(("hand", "equity"), [("Ac Ad", 0.8520), ("2c 7d", 0.3458), ("Kc Kd", 0.8240), ("Ah Kh", 0.6704)])
def test_a_hand_against_a_random_one(hand: str, equity: float) -> None:
    """The other hand and the board by determinization; the values are published ones."""
    env = table([hand, "3c 8s"], deck="standard", button=1)
    records = determinizations(env, 0, range(WORLDS // 4))
    estimate = share(np.asarray(records))
    assert abs(estimate - equity) < 4 * 0.5 / len(records) ** 0.5


def test_the_hands_of_the_table_are_the_first_seats() -> None:
    env = table(["Ac Ad", "Kh Ks"], deck="standard", button=1)
    assert env.zones()["hand/0"] == sorted(parse("Ac Ad"))
