"""Credit assignment: which rewards belong to which decision, in recorded steps of a batch.

A step of a batch gives rewards to all seats, whoever moved. A learner needs the reward of each decision: everything that the
seat got from this decision to its next one, or to the end of the game.

    seats, rewards, dones = [], [], []
    for _ in range(steps):
        seats.append(batch.current_player.copy())
        batch.step(actions)
        rewards.append(batch.rewards.copy())
        dones.append(batch.terminated | batch.truncated)
    credit = credit_rewards(seats, rewards, dones)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .jit import kernel

ENDED, OPEN, NO_DECISION = -1, -2, -3  # in place of the step of a next decision
_ENDED, _OPEN, _NO_DECISION = np.int64(ENDED), np.int64(OPEN), np.int64(NO_DECISION)


class Credit(NamedTuple):
    """The result of `credit_rewards`, for each step and row.

    Attributes:
        rewards: float32 [T, N], what the deciding seat got from this step until its next decision; 0 for steps that are not
            decisions.
        next: int64 [T, N], the step of the seat's next decision in the same row. `ENDED` (-1): the game ended first. `OPEN`
            (-2): the recording ended first, so more rewards may follow. `NO_DECISION` (-3): the step is not a decision.
    """

    rewards: np.ndarray
    next: np.ndarray


def credit_rewards(
    seats: Any, rewards: Any, dones: Any, *, decisions: Any = None, teams: Sequence[Sequence[int]] = ()
) -> Credit:
    """Assign the rewards of recorded steps to the decisions that precede them.

    Games may end and begin at any step (autoreset), and several seats may have open decisions at once. Rewards of a seat before
    its first decision in a game or recording are not assigned.

    Args:
        seats: integers [T, N], the player to move before each step (`Batch.current_player`).
        rewards: numbers [T, N, P], the rewards of each step (`Batch.rewards` after it).
        dones: bool [T, N], whether the step ended the game (`Batch.terminated | Batch.truncated` after it).
        decisions: bool [T, N], which steps count as decisions; rewards of other steps go to the decisions before them. For
            example, to skip forced moves: `action_mask.sum(axis=1) > 1`. None: all steps.
        teams: seats that win together (`game.teams(options)`): each seat gets the mean of its team. Empty: its own rewards.

    Returns:
        `Credit`. Its rewards are summed in double precision.

    Raises:
        ValueError: shapes or dtypes do not fit, or seats are not within 0..P-1.
    """
    paid = np.asarray(rewards)
    if paid.ndim != 3 or paid.dtype.kind not in "iuf" or not paid.shape[2]:
        raise ValueError(f"rewards must be numbers of shape [T, N, P], not {paid.dtype} of shape {paid.shape}")
    paid = np.array(paid, np.float32)
    shape, players = paid.shape[:2], paid.shape[2]
    moved = np.array(_fitting("seats", seats, shape, "iu", "integers"), np.int64)
    if moved.size and not (moved.min() >= 0 and moved.max() < players):
        raise ValueError(f"seats must be within 0..{players - 1}, not {moved.min()}..{moved.max()}")
    over = np.array(_fitting("dones", dones, shape, "b", "bool"))
    decided = np.ones(shape, np.bool_) if decisions is None else np.array(_fitting("decisions", decisions, shape, "b", "bool"))
    if teams and sorted(seat for team in teams for seat in team) != list(range(players)):
        raise ValueError(f"teams must contain each of the {players} seats once, not {teams}")
    for team in teams:
        paid[:, :, list(team)] = paid[:, :, list(team)].mean(axis=2, keepdims=True)
    credit = Credit(np.zeros(shape, np.float32), np.zeros(shape, np.int64))
    earned, following = np.zeros((shape[1], players)), np.full((shape[1], players), _OPEN)
    _credit_steps(moved, paid, over, decided, earned, following, *credit)
    return credit


class Advantages(NamedTuple):
    """The result of `advantages`.

    Attributes:
        advantages, targets: float32 [T, N], the advantage estimates and the critic's targets.
        known: bool [T, N], the decisions to learn from: those whose next decision, or the end of the game, was recorded.
    """

    advantages: np.ndarray
    targets: np.ndarray
    known: np.ndarray


def advantages(credit: Credit, values: Any, gamma: float = 1.0, gae_lambda: float = 0.95) -> Advantages:
    """Generalised advantage estimation (Schulman et al. 2016) along each seat's own decisions.

    The value after a seat's last decision in a game is 0. A decision that the recording left open gets the critic's value as
    its target, so its advantage is 0.

    Args:
        credit: the result of `credit_rewards`, [T, N].
        values: numbers [T, N], the critic's value of each decision for the deciding seat.
        gamma: the discount from one decision of a seat to its next.
        gae_lambda: GAE's lambda.

    Raises:
        ValueError: `values` has another shape.
    """
    expected = np.array(_fitting("values", values, credit.next.shape, "iuf", "numbers"), np.float32)
    found, known = np.zeros(expected.shape, np.float32), credit.next >= ENDED
    _add_advantages(credit.rewards, credit.next, expected, np.float32(gamma), np.float32(gae_lambda), found)
    return Advantages(found, found + expected, known)


@kernel
def _add_advantages(rewards, following, values, gamma, gae_lambda, found):  # type: ignore[no-untyped-def]
    for t in range(rewards.shape[0] - 1, -1, -1):
        for i in range(rewards.shape[1]):
            later = following[t, i]
            if later >= _ENDED:
                found[t, i] = rewards[t, i] - values[t, i]
            if later >= 0:
                found[t, i] += gamma * (values[later, i] + gae_lambda * found[later, i])


def _fitting(name: str, values: Any, shape: tuple[int, ...], kinds: str, words: str) -> np.ndarray:
    array = np.asarray(values)
    if array.shape != shape or array.dtype.kind not in kinds:
        raise ValueError(f"{name} must be {words} of shape {list(shape)}, not {array.dtype} of shape {list(array.shape)}")
    return array


@kernel
def _credit_steps(seats, rewards, dones, decisions, earned, following, credited, following_step):  # type: ignore[no-untyped-def]
    """Go from the last step to the first. `earned` and `following` hold for each row and seat the reward from here on and the
    step of its next decision."""
    for t in range(seats.shape[0] - 1, -1, -1):
        for i in range(seats.shape[1]):
            for seat in range(rewards.shape[2]):
                if dones[t, i]:
                    earned[i, seat] = 0.0
                    following[i, seat] = _ENDED
                earned[i, seat] += np.float64(rewards[t, i, seat])
            mover = seats[t, i]
            if decisions[t, i]:
                credited[t, i] = np.float32(earned[i, mover])
                following_step[t, i] = following[i, mover]
                earned[i, mover] = 0.0
                following[i, mover] = t
            else:
                following_step[t, i] = _NO_DECISION
