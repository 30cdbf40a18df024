"""The best strategy of blackjack beside what is published, and what players lose to it.

Published: Wizard of Odds, blackjack appendix 1 (infinite decks, the dealer stands on soft 17 and has no natural), and what
rules are worth (benchmarks/studies/blackjack_edge.py).
"""

from __future__ import annotations

import functools

import numpy as np
import pytest
from wilddeck.agents.base import Agent
from wilddeck.agents.views import Views
from wilddeck.benchmarks.blackjack import ACE, ACTIONS, NAMES, NO_PAIR, Blackjack, cards_of, total_of
from wilddeck.benchmarks.studies import basic_strategy
from wilddeck.benchmarks.studies.basic_strategy import Player, costs, label
from wilddeck.benchmarks.studies.blackjack_edge import PUBLISHED
from wilddeck.envs.games.blackjack.state import DO_DECLINE, DO_HIT, DO_INSURE, DO_SPLIT, DO_STAND, OBSERVATION, TOTAL_UNIT

INFINITE = 1e7
SUMMARY = OBSERVATION.slices(1)["summary"].start
game = functools.cache(Blackjack)


def worth(decks: float, hand: str, up: str, pair: int = NO_PAIR) -> dict[str, float]:
    values = game(decks).worth[game(decks).place[pair, cards_of(hand)], NAMES.index(up)]
    return {name: float(values[action]) for action, name in ACTIONS.items() if np.isfinite(values[action])}


class Total(Agent):
    """Hits below a total, never doubles, surrenders; does as told with pairs and insurance."""

    def __init__(self, stands: int, splits: bool = False, insures: bool = False) -> None:
        self.stands, self.splits, self.insures = stands, splits, insures

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        low = views.observation[:, SUMMARY] * TOTAL_UNIT < self.stands - 0.5
        mask = views.action_mask
        played = np.where(self.splits & (mask[:, DO_SPLIT] > 0), DO_SPLIT, np.where(low, DO_HIT, DO_STAND))
        return np.where(mask[:, DO_INSURE], DO_INSURE if self.insures else DO_DECLINE, played)


def test_totals() -> None:
    assert [total_of(cards_of(hand)) for hand in ("AT", "AAA", "A55T", "99")] == [
        (21, True),
        (13, True),
        (21, False),
        (18, False),
    ]
    assert [label(*key) for key in ((-1, cards_of("A6")), (4, cards_of("55")), (-1, cards_of("T6")))] == [
        "soft 17",
        "55 after a split",
        "16",
    ]


def test_how_often_the_dealer_busts() -> None:
    """Naturals counted among all hands."""
    infinite, hand = game(INFINITE), game(INFINITE).own_natural
    busts = infinite.final[hand, :, 5] * (1 - infinite.natural[hand])
    published = [0.1153, 0.3536, 0.3739, 0.3945, 0.4164, 0.4232, 0.2623, 0.2447, 0.2284, 0.2121]
    assert busts == pytest.approx(published, abs=6e-5)
    assert infinite.natural[hand, [ACE, 5]] == pytest.approx([4 / 13, 0])


@pytest.mark.parametrize(
    ("hand", "up", "expected"),
    [
        ("T6", "T", {"stand": -0.540430, "hit": -0.539826, "surrender": -0.5}),
        ("65", "6", {"hit": 0.333690, "double": 0.667380}),
        ("88", "T", {"split": -0.480686}),
        ("AA", "6", {"split": 0.667380}),
        ("A7", "9", {"stand": -0.183163, "hit": -0.100744}),
        ("T2", "4", {"stand": -0.211063, "hit": -0.213537}),
    ],
)
def test_what_decisions_are_worth(hand: str, up: str, expected: dict[str, float]) -> None:
    found = worth(INFINITE, hand, up)
    assert {action: found[action] for action in expected} == pytest.approx(expected, abs=2e-6)


def test_decisions_by_the_cards() -> None:
    """Six decks: cards that are gone from the shoe decide what is close."""
    for hand, up, best in [
        ("T6", "T", "surrender"),
        ("88", "T", "split"),
        ("65", "6", "double"),
        ("T2", "4", "hit"),
        ("93", "4", "stand"),
        ("A7", "2", "stand"),
        ("99", "7", "stand"),
        ("A43", "T", "hit"),
        ("T6", "7", "hit"),
        ("655", "T", "stand"),
        ("T5", "T", "surrender"),
        ("87", "T", "hit"),
    ]:
        found = worth(6, hand, up)
        assert max(found, key=lambda action: found[action]) == best, (hand, up)
    assert set(worth(6, "655", "T")) == {"stand", "hit"} and set(worth(6, "88", "T", 7)) == {"stand", "hit", "double"}
    assert set(worth(6, "A5", "T", ACE)) == {"stand"}


def test_the_best_strategy_wins_what_is_published() -> None:
    assert -100 * game(6).expectation() == pytest.approx(PUBLISHED[0][1], abs=0.04)
    assert game(6).dealt.sum() == pytest.approx(1)
    assert game(6).final.sum(axis=2) == pytest.approx(1) and (game(6).final > -1e-9).all()
    assert game(6).drawn.sum(axis=2) == pytest.approx(1)


def test_a_player_is_asked_in_the_position() -> None:
    asked = []

    class Watched(Total):
        def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
            asked.extend(zip(np.rint(views.observation[:, SUMMARY] * TOTAL_UNIT), views.action_mask[:, DO_SPLIT], strict=True))
            return super().act_batch(views, rng)

    player = Player(Watched(17), 6, 1)
    hands = [
        (NO_PAIR, cards_of("A5T"), 0),
        (NO_PAIR, cards_of("AAT"), 3),
        (NO_PAIR, cards_of("ATT"), 3),
        (7, cards_of("83"), 9),
        (8, cards_of("99"), 4),
        (4, cards_of("55A"), 5),
    ]
    assert player.decisions(hands)[:, [DO_STAND, DO_HIT]].tolist() == [[0, 1], [0, 1], [1, 0], [0, 1], [1, 0], [1, 0]]
    assert asked == [(16, 0), (12, 0), (21, 0), (11, 0), (18, 1), (21, 0)]
    assert player.decisions([(NO_PAIR, cards_of("T7"), ACE)], insurance=True)[0, DO_DECLINE] == 1


def test_what_a_player_loses_who_stands_on_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(basic_strategy, "Blackjack", game)
    stands = costs(Total(0))
    six = game(6)
    two = six.dealt > 0
    value = np.where(np.arange(len(six.keys))[:, None] == six.own_natural, 1.5, six.worth[:, :, DO_STAND])
    lost = six.natural * (np.arange(len(six.keys)) != six.own_natural)[:, None]
    assert stands.best - stands.cost == pytest.approx((six.dealt * ((1 - six.natural) * value - lost))[two].sum())
    insures = costs(Total(0, insures=True))
    odds = (six.dealt[:, 0] * (3 * six.natural[:, 0] - 1)).sum() / 2
    assert insures.cost - stands.cost == pytest.approx(-odds)


@pytest.mark.long
def test_what_players_lose_who_play_by_a_simple_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who plays as the dealer, who busts in 28.16 % of hands, as published, loses where both are bust, and wins half a bet more
    where they alone have a natural. The rules lose next to nothing."""
    monkeypatch.setattr(basic_strategy, "Blackjack", game)
    dealer = costs(Total(17))
    natural = 2 * 4 / 13 / 13
    assert dealer.best - dealer.cost == pytest.approx(natural * (1 - natural) / 2 - 0.2816**2, abs=0.0005)
    rules = costs("rules")
    assert 0 < rules.cost < 0.0001
    assert (rules.differences[0].hand, rules.differences[0].up, rules.differences[0].best) == ("16", "T", "stand")


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(basic_strategy, "Blackjack", game)
    monkeypatch.setattr(basic_strategy, "make", lambda *arguments: Total(0))
    assert basic_strategy.main(["stands", "--show", "1"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert ", 6 decks: wins -" in first and " decisions differ" in first
    assert ": stand, best " in second
