"""Replays of games from seeds and actions, in batches: observations, rewards and texts follow from these."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import MAX_SEED, Batch
from ..envs.core.credit import ENDED, credit_rewards
from ..envs.core.game import Game, Options
from .packed import PackedRows, joined, pack

TOGETHER = 1024  # games


def replay(
    game: Game, options: Options, seed: int, lengths: np.ndarray, actions: np.ndarray, history: int = 0
) -> dict[str, Any]:
    """The columns of games (`files.py`) that follow from their seeds and actions.

    Args:
        seed: the seed of the first game; the next games have the next seeds.
        lengths: int64 [E], the number of decisions of each game.
        actions: integers [R], those of the first game, then those of the second, ...
        history: K, the number of history tokens per decision; 0: none.

    Returns:
        Columns [R, ...] by name: decision, seat, observation, action_mask, reward, done, episode_return; with `history` also
        history and history_length. Columns of arrays are packed.

    Raises:
        ValueError: an action is illegal, or a game ends sooner or later than its actions.
    """
    rows, players = len(actions), options.num_players
    actions, first = np.asarray(actions, np.int64), np.cumsum(lengths) - lengths
    columns: dict[str, Any] = {
        "decision": (np.arange(rows) - np.repeat(first, lengths)).astype(np.int32),
        "seat": np.zeros(rows, np.int8),
        "history_length": np.zeros(rows, np.int32),
    }
    order, packed = list[np.ndarray](), {name: list[PackedRows]() for name in ("observation", "action_mask", "history")}
    rewards, over = np.zeros((rows, players), np.float32), np.zeros(rows, np.bool_)
    for start in range(0, len(lengths), TOGETHER):
        left, at = lengths[start : start + TOGETHER].copy(), first[start : start + TOGETHER].copy()
        batch, alive = Batch(game, options, len(left), (seed + start) % MAX_SEED, history=history), np.arange(len(left))
        while len(alive):
            places = at[alive]
            columns["seat"][places] = batch.current_player[alive]
            order.append(places)
            packed["observation"].append(pack(batch.observation, alive))
            packed["action_mask"].append(pack(batch.action_mask, alive))
            if batch.history is not None and batch.history_length is not None:
                packed["history"].append(pack(batch.history, alive))
                columns["history_length"][places] = batch.history_length[alive]
            _check_legal(batch, alive, actions[places], start, columns["decision"][places])
            batch.step(actions[places], alive)
            rewards[places], over[places] = batch.rewards[alive], (batch.terminated | batch.truncated)[alive]
            left[alive] -= 1
            at[alive] += 1
            wrong = over[places] != (left[alive] == 0)
            if wrong.any():
                row = alive[wrong.argmax()]
                raise ValueError(f"game {start + row} {'goes on after' if left[row] == 0 else 'ends before'} its last decision")
            alive = alive[left[alive] > 0]
    back = np.argsort(np.concatenate(order)) if order else np.arange(0)
    columns |= {name: joined(parts).take(back) for name, parts in packed.items() if parts}
    credit = credit_rewards(columns["seat"][:, None], rewards[:, None], over[:, None])
    columns["reward"], columns["done"] = credit.rewards[:, 0], credit.next[:, 0] == ENDED
    totals = np.add.reduceat(rewards.astype(np.float64), first) if rows else rewards
    columns["episode_return"] = totals[np.repeat(np.arange(len(lengths)), lengths), columns["seat"]].astype(np.float32)
    return columns


def _check_legal(batch: Batch, rows: np.ndarray, actions: np.ndarray, start: int, decisions: np.ndarray) -> None:
    inside = (actions >= 0) & (actions < batch.num_actions)
    legal = inside & (batch.action_mask[rows, np.where(inside, actions, 0)] != 0)
    if not legal.all():
        wrong = int((~legal).argmax())
        raise ValueError(f"decision {decisions[wrong]} of game {start + rows[wrong]}: {actions[wrong]} is not legal")


def tell(game: Game, options: Options, seed: int, lengths: np.ndarray, actions: np.ndarray) -> dict[str, list[str]]:
    """The text columns of games: events and action_text of each decision. This takes about a millisecond per decision.

    Args, Raises: as in `replay`.
    """
    env, events, labels = CardGameEnv(game, options), list[str](), list[str]()
    played = iter(actions.tolist())
    for number, length in enumerate(lengths.tolist()):
        env.reset(seed=(seed + number) % MAX_SEED)
        told = [0] * options.num_players
        for _ in range(length):
            action, seat = next(played), env.current_player
            if not env.is_legal(action):
                raise ValueError(f"game {number}: {action} is not legal")
            perceived = env.history(env.agent_selection)
            events.append("\n".join(event.text(seat) for event in perceived[told[seat] :]))
            told[seat] = len(perceived)
            labels.append(env.action_label(action))
            env.step(action)
    return {"events": events, "action_text": labels}
