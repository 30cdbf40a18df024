"""Pushing or folding heads-up: what meets what, best answers, and how a player of poker_v0 is asked."""

from __future__ import annotations

import numpy as np
import pytest
from wilddeck import envs
from wilddeck.agents.base import Agent
from wilddeck.agents.holdem.hands import KINDS, kind_of
from wilddeck.agents.views import Views
from wilddeck.benchmarks.studies import push_fold
from wilddeck.benchmarks.studies.push_fold import PushFold, matchups, options, strategy
from wilddeck.envs.core.cards import parse

ACES, KINGS, DEUCES = (int(kind_of(np.array([parse(text)]))[0]) for text in ("Ac Ad", "Kc Kd", "2c 2d"))
SUITED, OFF_SUIT = (int(kind_of(np.array([parse(text)]))[0]) for text in ("Ks As", "Ac Kd"))


@pytest.fixture(scope="module")
def tables() -> tuple[np.ndarray, np.ndarray]:
    return matchups(200_000)


def test_how_often_hands_meet_and_win(tables: tuple[np.ndarray, np.ndarray]) -> None:
    met, won = tables
    assert (met == met.T).all() and (won == -won.T).all() and met.sum() == pytest.approx(1)
    held = met.sum(axis=1) * 52 * 51 / 2
    assert [round(held[kind]) for kind in (ACES, SUITED, OFF_SUIT)] == [6, 4, 12]
    assert (held > 3).all() and len(held) == KINDS == 169
    assert (1 + won[ACES] @ met[ACES] / met[ACES].sum()) / 2 == pytest.approx(0.852, abs=0.02)


def test_what_is_won(tables: tuple[np.ndarray, np.ndarray]) -> None:
    """What one wins the other loses, whatever they play; who never pushes loses a blind for each hand."""
    game, draw = PushFold(8, *tables), np.random.default_rng(1)
    push, call = draw.random(KINDS), draw.random(KINDS)
    pushing, folding = game.pusher(call)
    calling, giving_up = game.caller(push)
    first = pushing @ push + folding @ (1 - push)
    second = calling @ call + giving_up @ (1 - call) + 0.5 * tables[0].sum(axis=1) @ (1 - push)
    assert first == pytest.approx(-second)
    assert game.best_pusher(call) > first and game.best_caller(push) > second
    never = np.zeros(KINDS)
    assert game.exploitability(never, never) == pytest.approx(0.75)  # it loses half a blind, or wins nothing but that
    assert game.best_pusher(never) == pytest.approx(1) and game.best_caller(never) == pytest.approx(0.5)


def test_the_equilibrium(tables: tuple[np.ndarray, np.ndarray]) -> None:
    game, weight = PushFold(10, *tables), tables[0].sum(axis=1)
    push, call = game.equilibrium(1000)
    assert 0 < game.exploitability(push, call) < 0.001  # big blinds
    assert weight @ push == pytest.approx(0.58, abs=0.04) and weight @ call == pytest.approx(0.37, abs=0.03)
    assert push[ACES] > 0.99 and call[KINGS] > 0.99 and push[DEUCES] > 0.99


class Pairs(Agent):
    """Gives up whatever is no pair; keeps what it was asked."""

    def __init__(self) -> None:
        self.down = envs.raw_env("poker_v0", **options(10)).observation_layout["down"]
        self.asked: set[tuple[int, ...]] = set()

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        legal = [np.flatnonzero(row).tolist() for row in views.action_mask]
        self.asked |= set(map(tuple, legal))
        own = [np.flatnonzero(row[self.down]) // 4 for row in views.observation]
        return np.array([two[-1] if first == second else two[0] for two, (first, second) in zip(legal, own, strict=True)])


def test_how_a_player_is_asked() -> None:
    pairs = np.eye(13).ravel()
    for push, asked in ((True, {(0, 9)}), (False, {(0, 1)})):
        agent = Pairs()
        assert (strategy(agent, 10, 2, push) == pairs).all()
        assert agent.asked == asked


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push_fold, "strategy", lambda *arguments: np.full(KINDS, 0.5))
    assert push_fold.main(["--deals", "20000", "--stack", "6"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["random", "equilibrium", "always", "never", "rules", "trained"]
    assert "pushes 50.0%, calls 50.0%; loses" in lines[4] and "pushes 0.0%, calls 0.0%; loses 750.0 mbb/hand" in lines[3]
