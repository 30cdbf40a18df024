"""A local best response at hold'em: what hands win, what it thinks the other holds and actions win, what it wins."""

from __future__ import annotations

import numpy as np
import pytest
from wilddeck import envs
from wilddeck.agents.base import Agent, View
from wilddeck.agents.holdem.hands import SETS, TWO
from wilddeck.agents.learned import LearnedAgent
from wilddeck.agents.views import Views
from wilddeck.benchmarks.studies import local_best_response as study
from wilddeck.benchmarks.studies.local_best_response import (
    LocalBestResponse,
    calls_all_in,
    likelihoods,
    options,
    play,
    respond,
    shares,
)
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import STANDARD, parse
from wilddeck.envs.core.compare import poker
from wilddeck.envs.core.compare.poker import PAIR
from wilddeck.envs.games.poker.state import ALL_IN, CALL, FOLD

STACK = 100
POT = study.RAISES[0]
ACES, LOW = parse("Ac Ad"), parse("7c 2d")
BOARD = parse("Ks Qh 9s 8s 3h")


def bits(text: str) -> int:
    return sum(1 << card for card in parse(text))


def place(text: str) -> int:
    return int(np.flatnonzero(bits(text) == SETS)[0])


def env_of(button: list[int], other: list[int]) -> CardGameEnv:
    """Dealt two hands, BOARD to come."""
    env = envs.raw_env("poker_v0", **options(STACK))
    env.reset(seed=1, options={"deck": deck_of(button, other)})
    return env


def deck_of(button: list[int], other: list[int]) -> list[int]:
    deck = [other[0], button[0], other[1], button[1]]
    rest = [card for card in range(STANDARD) if card not in [*deck, *BOARD]]
    return [*deck, rest[0], *BOARD[:3], rest[1], BOARD[3], rest[2], BOARD[4], *rest[3:]]


class Always(Agent):
    """Plays the first of its actions that is legal."""

    def __init__(self, *actions: int) -> None:
        self.actions = actions

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return np.array([next(action for action in self.actions if mask[action]) for mask in views.action_mask])


class Pairs(Agent):
    """Folds what is no pair, by the cards and by what they are worth."""

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        blocks = envs.game("poker_v0").observation.slices(2)
        ranks = [np.flatnonzero(row[blocks["down"]]) // 4 for row in views.observation]
        pairs = np.array([first == second for first, second in ranks])
        assert (pairs == (views.observation[:, blocks["best_hand"]][:, PAIR - 1] == 1)).all()
        return np.where(views.action_mask[:, FOLD].astype(bool) & ~pairs, FOLD, CALL)


def test_what_part_of_the_pot_hands_win() -> None:
    rng = np.random.default_rng(1)
    before = shares(bits("Ac Ad"), 0, rng)
    assert before[place("Kh Ks")] == pytest.approx(0.82, abs=0.04) and before[place("Ah As")] == pytest.approx(0.5, abs=0.03)
    assert before[place("Ac Kd")] == 0  # nobody else holds the Ace of clubs
    flop = shares(bits("Ac Ad"), bits("Ks Qh 9s"), rng)
    left = [card for card in range(STANDARD) if card not in parse("Ac Ad Ks Qh 9s 7h 7s")]
    ends = np.array([[first, second] for first in left for second in left if first < second])
    own, other = (np.tile(parse(f"{hand} Ks Qh 9s"), (len(ends), 1)) for hand in ("Ac Ad", "7h 7s"))
    mine, theirs = (poker.strength(np.hstack([cards, ends])) for cards in (own, other))
    assert flop[place("7h 7s")] == pytest.approx(np.mean((mine > theirs) + (mine == theirs) / 2))
    river = shares(bits("Ac Ad"), bits("Ks Qh 9s 8s 3h"), rng)
    assert [river[place(hand)] for hand in ("7c 2d", "Ah As", "Js Ts", "Kh Kd", "9s 8d")] == [1, 0.5, 0, 0, 0]


def test_what_it_thinks_the_other_holds() -> None:
    """Who calls and would have folded all but pairs holds a pair, very likely."""
    env, responder = env_of(ACES, parse("9c 9d")), LocalBestResponse(Pairs(), np.random.default_rng(1))
    env.step(ALL_IN)
    responder.watch(env, CALL)
    pairs = TWO[:, 0] // 4 == TWO[:, 1] // 4
    assert (responder.held[pairs] == 1).all() and responder.held[~pairs] == pytest.approx(0.05 / 0.95)


def test_what_it_thinks_a_network_holds_that_calls() -> None:
    """73 of the 1,225 hands that are left beside Aces are pairs."""
    env, game = env_of(ACES, parse("9c 9d")), envs.game("poker_v0")
    caller = network(fold=0, call=-20)
    weight, bias = caller.layers[0]
    weight[game.observation.slices(2)["best_hand"].start + PAIR - 1, CALL] = 40
    responder = LocalBestResponse(LearnedAgent([(weight, bias)]), np.random.default_rng(1))
    env.step(ALL_IN)
    folds, action = responder.sample(env)
    pairs = TWO[:, 0] // 4 == TWO[:, 1] // 4
    assert folds == pytest.approx(1 - 73 / 1225) and action == CALL
    assert (responder.held[pairs] == 1).all() and responder.held[~pairs].max() < 1e-8


def test_what_it_thinks_actions_win(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chips: of a pot of 3 with 1 to pay; a raise of the pot is to 6, all-in to 200. A tenth of the answers may be
    any that is legal: to the raise fold, call, all-in and six other raises."""
    monkeypatch.setattr(study, "shares", lambda *arguments: np.full(len(SETS), 0.75))
    env = env_of(LOW, ACES)
    values = LocalBestResponse(Always(CALL), np.random.default_rng(1)).values(env)
    assert values[FOLD] == 0 and values[CALL] == 0.75 * 4 - 1
    for action, raised, answers in ((ALL_IN, 200, 2), (POT, 6, 9)):
        folds = 0.1 / answers
        assert values[action] == pytest.approx(folds * 3 + (1 - folds) * (0.75 * 2 * raised - raised + 1))
    assert set(LocalBestResponse(Always(CALL), np.random.default_rng(1), calls=1).values(env)) == {FOLD, CALL}


def test_what_it_wins_from_players_that_are_known() -> None:
    """From who always folds a blind, with either; from who always calls all chips, with Aces."""
    folded = respond(Always(FOLD, CALL), STACK, 5)
    assert folded.mean == 750 and folded.error == 0
    env, caller, rng = envs.raw_env("poker_v0", **options(STACK)), Always(CALL), np.random.default_rng(1)
    assert play(caller, env, 0, deck_of(ACES, LOW), rng) == play(caller, env, 1, deck_of(LOW, ACES), rng) == STACK
    assert play(caller, env, 1, deck_of(ACES, LOW), rng) == -1  # it checks, and folds to no bet
    assert play(caller, env, 0, deck_of(ACES, LOW), rng, calls=4) == 1


def test_the_hands_that_call_an_all_in() -> None:
    assert calls_all_in(Always(CALL, FOLD)) == pytest.approx(0.95) and calls_all_in(Always(FOLD, CALL)) == pytest.approx(0.05)


def network(**logits: float) -> LearnedAgent:
    """Plays all hands alike; actions without a logit hardly ever."""
    game = envs.game("poker_v0")
    sizes = game.observation_size(game.make_options(options(STACK))), game.num_actions(game.make_options(options(STACK)))
    bias = np.full(sizes[1], -40, np.float32)
    for name, logit in logits.items():
        bias[{"fold": FOLD, "call": CALL, "pot": POT}[name]] = logit
    return LearnedAgent([(np.zeros(sizes, np.float32), bias)])


def test_what_it_wins_from_a_network_is_the_mean_over_what_it_may_hold() -> None:
    env, rng = envs.raw_env("poker_v0", **options(STACK)), np.random.default_rng(1)
    caller = network(call=0).like(greedy=True)
    for deck in (deck_of(ACES, LOW), deck_of(ACES, parse("Kd Kh"))):
        assert play(caller, env, 0, deck, rng) == pytest.approx(STACK * (2 * 0.852 - 1), abs=4)
    env.reset(seed=1, options={"deck": deck_of(ACES, LOW)})
    often = likelihoods(network(call=1, fold=0), env, rng)
    assert often[:, CALL] == pytest.approx(np.e * often[:, FOLD]) and often.sum(axis=1) == pytest.approx(1)
    assert not (likelihoods(caller, env, rng) - np.eye(often.shape[1])[CALL]).any()


def test_what_it_wins_from_a_network_is_the_mean_over_its_folds() -> None:
    """With Aces in the big blind it wins half a blind from folds, and its share of two blinds at the showdown if it
    only calls. Whoever always folds loses that much for sure."""
    env, rng = envs.raw_env("poker_v0", **options(STACK)), np.random.default_rng(1)
    own, board = sum(1 << card for card in ACES), sum(1 << card for card in BOARD)
    share = shares(own, board, rng)[SETS & (own | board) == 0].mean()
    deck = deck_of(LOW, ACES)
    folds = 1 / (1 + np.e)
    mixed = folds * 0.5 + (1 - folds) * (2 * share - 1)
    assert play(network(fold=0, call=1), env, 1, deck, rng, calls=4) == pytest.approx(mixed)
    assert play(network(fold=0), env, 1, deck, rng) == play(network(fold=0).like(greedy=True), env, 1, deck, rng) == 0.5


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert study.main(["rules:call", "--deals", "2", "--stack", "10", "--calls", "0", "4"]) == 0
    raises, calls, all_in = capsys.readouterr().out.splitlines()
    assert raises.startswith("rules:call, 10 big blinds: loses ") and raises.endswith("mbb/hand (2 deals)")
    assert calls.endswith("mbb/hand (2 deals), called on 4 streets")
    assert all_in == "  calls an open all-in with 95% of its hands"  # but for the doubt

    class Alone(Agent):
        def act(self, view: View, rng: np.random.Generator) -> int:
            return CALL

    with pytest.raises(ValueError, match="plays one game at a time"):
        respond(Alone())
