"""Spades with 52 cards against OpenSpiel's, decision for decision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wilddeck
from wilddeck import cards
from wilddeck.envs.core.extended.sets import ids_of

pyspiel = pytest.importorskip("pyspiel")

OPTIONS: dict[str, Any] = {"deck": "standard", "breaking": "never", "reward": "openspiel"}
DEALS = 5000
BID = 133
CARDS = [suit * 13 + rank for rank in range(13) for suit in range(4)]  # OpenSpiel's number of each card of ours
THEIRS = {action: CARDS[action] for action in range(52)} | {BID + bid: 52 + bid for bid in range(14)}
OURS = {theirs: action for action, theirs in THEIRS.items()}
AS_OURS = np.array([OURS[theirs] for theirs in range(66)])


def dealt(hands: list[list[int]]) -> Any:
    """OpenSpiel's game with these hands (our ids)."""
    state = pyspiel.load_game("spades").new_initial_state()
    for k in range(52):
        state.apply_action(CARDS[hands[k % 4][k // 4]])
    return state


def played(hands: list[str], bids: list[int], plays: list[str] | None = None) -> Any:
    """OpenSpiel's game after bids and plays; without plays, to the end by the lowest legal action."""
    state = dealt([cards.parse(hand) for hand in hands])
    for bid in bids:
        state.apply_action(52 + bid)
    for card in cards.parse(" ".join(plays or [])):
        state.apply_action(CARDS[card])
    while plays is None and not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    return state


def same_position(hands: list[str], bids: list[int], **options: Any) -> Any:
    """Our game of the same deal after the bids."""
    held = [cards.parse(hand) for hand in hands]
    env = wilddeck.envs.raw_env("spades_v0", **{**OPTIONS, **options})
    env.reset(seed=0, options={"deck": [held[k % 4][k // 4] for k in range(52)]})
    for bid in bids:
        env.step(BID + bid)
    return env


@pytest.mark.rule("SP-01", "SP-05", "SP-10", "SP-11", "SP-12", "SP-16", "SP-40", "SP-41", "SP-42")
def test_every_decision_of_random_deals() -> None:
    """Who is to move, what is legal, and the returns."""
    batch = wilddeck.make_batch("spades_v0", DEALS, seed=11, **OPTIONS)
    theirs = [dealt([ids_of(hand) for hand in batch.states["hand"][row]]) for row in range(DEALS)]
    expected = np.zeros_like(batch.action_mask)
    for _ in range(56):
        assert batch.current_player.tolist() == [state.current_player() for state in theirs]
        expected[:] = 0
        for row, state in enumerate(theirs):
            expected[row, AS_OURS[state.legal_actions()]] = 1
        np.testing.assert_array_equal(batch.action_mask, expected)
        assert not batch.terminated.any()
        actions = batch.random_actions()
        for state, action in zip(theirs, actions.tolist(), strict=True):
            state.apply_action(THEIRS[action])
        batch.step(actions)
    assert batch.terminated.all()
    assert all(state.is_terminal() for state in theirs)
    np.testing.assert_array_equal(batch.rewards, [state.returns() for state in theirs])


# --- quirks, each as it stands in OpenSpiel ---

SUITED = [" ".join(f"{rank}{suit}" for rank in "23456789TJQKA") for suit in "scdh"]  # player 0 holds all the spades
MIXED = [
    "As Ks Qs 2c 3c 4c 2d 3d 4d 2h 3h 4h 5h",
    "Js Ts 9s 5c 6c 7c 8c 5d 6d 7d 8d 6h 7h",
    "8s 7s 6s 9c Tc Jc Qc 9d Td Jd 8h 9h Th",
    "5s 4s 3s 2s Kc Ac Qd Kd Ad Jh Qh Kh Ah",
]


@pytest.mark.rule("SP-16", "SP-17")
def test_spades_are_never_broken_there() -> None:
    """The flag is declared and read but never set: with another suit in hand spades cannot be led after spades were played."""
    # Player 1 ruffs the third round of hearts, and leads with spades and others in hand.
    plays = ["2h", "6h", "8h", "Jh", "Qh", "3h", "7h", "9h", "Kh", "4h", "9s", "Th"]
    state = played(MIXED, [1, 1, 1, 1], plays)
    assert state.current_player() == 1
    assert all(action < 39 for action in state.legal_actions())
    env = same_position(MIXED, [1, 1, 1, 1])
    normal = same_position(MIXED, [1, 1, 1, 1], breaking="first_spade")
    for card in cards.parse(" ".join(plays)):
        env.step(card)
        normal.step(card)
    assert env.legal_actions() == sorted(AS_OURS[state.legal_actions()].tolist())
    assert {card for card in normal.legal_actions() if card % 4 == 3} == set(cards.parse("Js Ts"))


@pytest.mark.rule("SP-43")
@pytest.mark.parametrize(
    ("bids", "returns"),
    [
        ((13, 0, 0, 0), (230, 200)),
        ((10, 0, 0, 0), (203, 200)),
        ((3, 4, 0, 5), (40, -90)),  # ten bags within one deal cost 100
        ((0, 0, 0, 0), (-87, 200)),
        ((2, 1, 1, 1), (-60, -20)),
    ],
)
def test_returns_are_the_points_of_the_hand(bids: tuple[int, ...], returns: tuple[int, int]) -> None:
    """General sum, bags counted from 0, no bonus for winning: no hand comes near its thresholds."""
    state = played(SUITED, list(bids))
    assert state.returns() == [*returns, *returns]
    env = same_position(SUITED, list(bids))
    while env.legal_actions():
        env.step(env.legal_actions()[0])
    assert list(env.rewards.values()) == state.returns()


@pytest.mark.rule("SP-05")
def test_the_second_partner_is_capped() -> None:
    state = played(SUITED, [13, 13], [])
    assert state.legal_actions() == [52]
    assert same_position(SUITED, [13, 13]).legal_actions() == [BID]
    assert same_position(SUITED, [13, 13], team_cap=False).legal_actions() == [*range(BID, BID + 14)]
