"""Bridge beside double dummy: what a contract is worth, what is read off a game, and with the solver what a deal loses."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from wilddeck import agents
from wilddeck.agents import play
from wilddeck.agents.base import Agent, View
from wilddeck.benchmarks.studies import bridge_auction, bridge_par
from wilddeck.benchmarks.studies.bridge_par import OPTIONS, Beside, Contract, Played, Summary, beside, imps, played
from wilddeck.envs.core.cards import STANDARD

pytestmark = pytest.mark.interpreted
SUITS = tuple(tuple(range(suit, STANDARD, 4)) for suit in (3, 0, 1, 2))  # North all spades, East clubs, ...
SEVEN_SPADES, SEVEN_NO_TRUMP, THREE_NO_TRUMP = 33, 34, 14
ROUNDS = [card for cards in zip(*SUITS, strict=True) for card in cards]
LED = (*ROUNDS[1:4], ROUNDS[0], *ROUNDS[4:])  # North declares, and wins all tricks


class Calls(Agent):
    """Makes the first of these calls that is legal; else the first legal action."""

    def __init__(self, *calls: str) -> None:
        self.calls = calls

    def act(self, view: View, rng: np.random.Generator) -> int:
        labels = {view.label(action): int(action) for action in view.legal_actions}
        return next((labels[call] for call in self.calls if call in labels), min(labels.values()))


def test_imps() -> None:
    assert [imps(points) for points in (0, 10, 20, -40, 50, 420, -430, 599, 600, 3990, 4000, -9000)] == [
        *[0, 0, 1, 1, 2, 9, 10, 11, 12, 23, 24, 24]
    ]


@pytest.mark.parametrize(
    ("contract", "tricks", "points"),
    [
        (Contract(3, 0, 0), 8, 110),  # 1S by North, and one more
        (Contract(18, 1, 0), 10, -420),  # 4S by East
        (Contract(THREE_NO_TRUMP, 2, 1), 9, 550),
        (Contract(8, 3, 1), 8, -470),  # 2S doubled is a game
        (Contract(SEVEN_SPADES, 0, 0), 13, 1510),
        (Contract(THREE_NO_TRUMP, 3, 2), 5, 1600),  # four down, redoubled
    ],
)
def test_what_a_contract_is_worth(contract: Contract, tricks: int, points: int) -> None:
    assert contract.points(tricks) == points


def test_what_is_read_off_a_game() -> None:
    """Random players double, redouble, and go down; points are those of the environment."""
    agent = agents.make("random", "bridge_v0", OPTIONS)
    seen = [played(agent, seed) for seed in range(6)]
    returns = [play.play_game("bridge_v0", OPTIONS, [agent] * 4, seed).returns[0] for seed in range(6)]
    assert [deal.contract and deal.contract.points(deal.tricks) for deal in seen] == [round(1000 * each) for each in returns]
    assert len({deal.contract and deal.contract.doubling for deal in seen}) > 1
    for deal in seen:
        assert deal.contract is not None
        assert sorted(deal.cards) == sorted(sum(deal.hands, ())) == list(range(STANDARD))
        assert deal.cards[0] in deal.hands[(deal.contract.declarer + 1) % 4]
    assert len({deal.dealer for deal in seen}) > 1


def test_all_pass() -> None:
    deal = played(Calls("pass"), 1)
    assert deal.contract is None and deal.cards == ()


def test_one_bids_and_another_plays() -> None:
    lowest = played(bridge_par.BidsAndPlays(Calls("bid 1C", "pass"), agents.make("random", "bridge_v0", OPTIONS)), 1)
    assert lowest.contract == Contract(0, lowest.dealer, 0) and len(lowest.cards) == STANDARD
    assert lowest.cards != played(Calls("bid 1C", "pass"), 1).cards


def test_where_tricks_and_imps_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """North plays 3NT, which double dummy makes 8 tricks: the lead gives one, declarer two away, the defence three back."""
    monkeypatch.setattr(bridge_par, "par", lambda deal: 140)
    monkeypatch.setattr(bridge_par, "double_dummy", lambda deal: [8, 9, 9, 7, 7, 10, 10])
    deal = Played(0, SUITS, Contract(THREE_NO_TRUMP, 0, 0), LED, 10)
    expected = Beside(imps(430 - 140), imps(-50 - 140), 1, 0, 2, 1, 2, 3, 0)
    assert beside(deal) == expected
    of_east = beside(replace(deal, contract=Contract(THREE_NO_TRUMP, 1, 0)))
    assert of_east == replace(expected, IMPs_from_par=imps(-430 - 140), as_bid=imps(50 - 140))
    passed = beside(Played(0, SUITS, None, (), 0))
    assert (passed.IMPs_from_par, passed.as_bid, passed.games) == (imps(140), imps(140), 0) and np.isnan(passed.tricks_more)


def test_means_leave_out_what_there_was_not() -> None:
    means = Summary("x", [Beside(4, 2, 0, 0), Beside(6, 2, 1, 0, -1, 1, 2, 0, 0), Beside(2, 2, 1, 1, 1, 0, 0, 1, 1)]).means()
    assert means["IMPs_from_par"] == pytest.approx((4, 2 / 3**0.5)) and means["as_bid"] == (2, 0)
    assert means["tricks_more"] == pytest.approx((0, 1)) and means["best_leads"] == pytest.approx((0.5, 0.5))
    assert str(Summary("x", [Beside(4, 2, 0, 0)])).startswith("| x | 4.00 ± 0.00 | 2.00 ± 0.00 |")


@pytest.mark.parametrize("command", [(bridge_par.main, "rules"), (bridge_auction.main, "--solve=700")])
def test_without_the_library_the_command_says_what_to_install(
    command: tuple[Any, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "endplay", None)
    with pytest.raises(SystemExit) as ended:
        command[0]([command[1]])
    assert ended.value.code == 2 and "pip install 'wilddeck[bridge]'" in capsys.readouterr().err


# --- with the solver ---


def test_double_dummy_of_a_deal_that_all_can_count() -> None:
    """Whoever plays their own suit as trumps makes all tricks; at no trump the lead does."""
    pytest.importorskip("endplay")
    deal = Played(2, SUITS, Contract(SEVEN_SPADES, 0, 0), LED, 13)
    assert bridge_par.par(deal) == 1510
    assert bridge_par.double_dummy(deal)[0] == bridge_par.double_dummy(deal)[-1] == 13
    assert beside(deal) == Beside(0, 0, 1, 1, 0, 0, 0, 0, 1)
    of_no_trump = replace(deal, contract=Contract(SEVEN_NO_TRUMP, 0, 0), cards=())
    assert bridge_par.double_dummy(of_no_trump) == [0]
    assert beside(replace(deal, dealer=1, contract=None)).IMPs_from_par == imps(1510)


def test_tricks_of_random_play(capsys: pytest.CaptureFixture[str]) -> None:
    endplay = pytest.importorskip("endplay")
    deal = played(agents.make("random", "bridge_v0", OPTIONS), 3)
    contract, tricks = deal.contract, bridge_par.double_dummy(deal)
    assert contract is not None
    strain = endplay.Denom.find(bridge_par.STRAIN_TEXT[contract.bid % 5])
    assert bridge_par._solved(deal.hands)[strain, endplay.Player(contract.declarer)] == tricks[0]
    assert tricks[-1] == deal.tricks
    figures = beside(deal)
    assert figures.tricks_more == figures.lost_by_lead - figures.by_declarer + figures.by_defence
    assert bridge_par.main(["random", "--play", "random", "--deals", "2"]) == 0
    head, rule, line = capsys.readouterr().out.splitlines()
    assert head.count("|") == rule.count("|") == line.count("|") == 11 and line.startswith("| random, play random |")
