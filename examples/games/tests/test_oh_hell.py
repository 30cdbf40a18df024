"""Oh Hell, clause by clause, and move by move beside OpenSpiel's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wilddeck
from wilddeck import cards
from wilddeck.agents.base import PolicyAgent
from wilddeck.agents.play import evaluate
from wilddeck.agents.random import RandomAgent
from wilddeck.agents.views import Views
from wilddeck.envs import raw_env
from wilddeck.envs.core.cards import SUITS
from wilddeck_games import oh_hell_player
from wilddeck_games.oh_hell import GAME, UNIT, cards_of_hands, points

BID = 52
KINGS = ["Kc Kd", "Kh Ks", "2c 2d"]


def dealt(hands: list[str], turned_up: str = "3h", **options: Any) -> Any:
    """A game of so many players with these hands, which seat 0 leads unless a dealer is given."""
    held, n = [cards.parse(hand) for hand in hands], len(hands)
    env = raw_env(GAME, **{"num_players": n, "cards": len(held[0]), "dealer": n - 1, **options})
    seats = [(env.options.dealer + 1 + k) % n for k in range(n)]
    deck = [held[seat][k] for k in range(len(held[0])) for seat in seats] + cards.parse(turned_up)
    env.reset(seed=0, options={"deck": deck + [card for card in GAME.deck(env.options) if card not in deck]})
    return env


def bid(env: Any, *bids: int) -> None:
    for number in bids:
        env.step(BID + number)


def play(env: Any, text: str) -> None:
    for card in cards.parse(text):
        env.step(card)


def bids_allowed(env: Any) -> list[int]:
    return [action - BID for action in env.legal_actions()]


def field(env: Any, name: str) -> list[int]:
    return env.record[name][0][: env.num_players].tolist()


def play_on(env: Any) -> None:
    while env.legal_actions():
        env.step(env.legal_actions()[0])


# --- the deal ---


@pytest.mark.rule("OH-01")
@pytest.mark.parametrize("ranks", [2, 5, 13])
def test_the_deck(ranks: int) -> None:
    env = raw_env(GAME, num_players=3, cards=2, ranks=ranks)
    env.reset(seed=1)
    assert sorted(card for zone in env.zones().values() for card in zone) == list(range(ranks * SUITS))


@pytest.mark.rule("OH-02", "OH-04", "OH-05")
def test_the_deal() -> None:
    env = raw_env(GAME, num_players=3, cards=4, dealer=0)
    env.reset(seed=0, options={"deck": list(range(52))})
    zones = env.zones("player_1")
    assert zones["hand/1"] == [0, 3, 6, 9]
    assert env.zones()["hand/2"] == [1, 4, 7, 10] and zones["hand/2"] == [-1] * 4
    assert zones["trump_card"] == [12]
    assert env.zones()["stock"] == list(range(13, 52)) and zones["stock"] == [-1] * 39
    assert [event.text(1) for event in env.history("player_1")] == [
        "hand 1", "you are dealt 2c 2s 3h 4d", "player 2 is dealt 4 cards", "player 0 is dealt 4 cards", "5c is turned up"
    ]  # fmt: skip


@pytest.mark.rule("OH-02")
@pytest.mark.parametrize(("num_players", "most"), [(3, 17), (4, 12), (5, 10), (6, 8), (7, 7)])
def test_a_card_is_left_to_turn_up(num_players: int, most: int) -> None:
    play_on_from = raw_env(GAME, num_players=num_players, cards=most)
    play_on_from.reset(seed=2)
    play_on(play_on_from)
    with pytest.raises(ValueError, match=rf"cards={min(most + 1, 17)} is not allowed with.* at most|allowed: 1..17"):
        raw_env(GAME, num_players=num_players, cards=most + 1)


@pytest.mark.rule("OH-03")
def test_the_deal_passes_clockwise() -> None:
    env = raw_env(GAME, num_players=3, cards=2, hands="up", dealer=2)
    env.reset(seed=1)
    dealers = [int(env.record["dealer"][0])]
    while env.legal_actions():
        env.step(env.legal_actions()[0])
        if env.record["dealer"][0] != dealers[-1]:
            dealers.append(int(env.record["dealer"][0]))
    assert dealers == [2, 0]
    batch = wilddeck.make_batch(GAME, 300, seed=1, num_players=3)
    assert np.bincount(batch.states["dealer"], minlength=3).min() > 70


# --- bidding ---


@pytest.mark.rule("OH-06", "OH-08")
def test_bids_go_round_and_the_first_bidder_leads() -> None:
    env = dealt(KINGS, dealer=1)
    for number, seat in enumerate((2, 0, 1)):
        assert env.current_player == seat
        assert set(bids_allowed(env)) >= {0, 2}
        bid(env, 0 if number else 1)
    assert env.history()[-1].text() == "player 1 bids 0"
    assert env.current_player == 2
    assert field(env, "bids") == [0, 0, 1]
    assert env.legal_actions() == cards.parse("2c 2d")


@pytest.mark.rule("OH-07")
@pytest.mark.parametrize(
    ("size", "bids", "barred"),
    [
        pytest.param(5, (2, 1), {2}, id="example 3"),
        pytest.param(2, (2, 1), set(), id="example 4"),
        pytest.param(5, (0, 0), {5}, id="nobody"),
        pytest.param(5, (5, 0), {0}, id="all"),
    ],
)
def test_the_dealer_may_not_make_bids_come_out(size: int, bids: tuple[int, int], barred: set[int]) -> None:
    for hook in (True, False):
        env = raw_env(GAME, num_players=3, cards=size, dealer=2, hook=hook)
        env.reset(seed=1)
        for number in bids:
            assert bids_allowed(env) == list(range(size + 1))
            bid(env, number)
        assert set(range(size + 1)) - set(bids_allowed(env)) == (barred if hook else set())


# --- play ---


@pytest.mark.rule("OH-09")
def test_suits_are_followed() -> None:
    env = dealt(["5c 6d 7s", "9c 4c Ah", "Ad Kd 2s"], "2h")
    bid(env, 0, 0, 0)
    assert env.legal_actions() == cards.parse("5c 6d 7s")
    play(env, "5c")
    assert env.legal_actions() == cards.parse("4c 9c")
    play(env, "4c")
    assert env.legal_actions() == sorted(cards.parse("2s Kd Ad"))


@pytest.mark.rule("OH-10", "OH-11")
@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        pytest.param("Kc Ac 2h", 2, id="example 1"),
        pytest.param("5c Ad 3c", 0, id="example 2"),
        pytest.param("5c 9c 6c", 1, id="highest"),
        pytest.param("4h Ad Ah", 2, id="highest trump"),
        pytest.param("5c 9h 6h", 1, id="ruffs"),
    ],
)
def test_who_wins_a_trick(trick: str, winner: int) -> None:
    rest = ["7d", "8d", "9d"]
    turned_up = "2h" if "2h" not in trick else "Th"
    env = dealt([f"{card} {other}" for card, other in zip(trick.split(), rest, strict=True)], turned_up)
    bid(env, 0, 0, 0)
    play(env, trick)
    assert field(env, "tricks") == [int(seat == winner) for seat in range(3)]
    assert env.current_player == winner
    assert env.history()[-1].text() == f"player {winner} wins the trick {trick}"
    assert env.legal_actions() == cards.parse(rest[winner])


@pytest.mark.rule("OH-11", "OH-12")
def test_trumps_may_be_led_and_the_last_card_ends_the_hand() -> None:
    env = dealt(["Ah 6h", "9c 4c", "Kd 2s"], "2h")
    bid(env, 2, 0, 1)
    assert env.legal_actions() == cards.parse("6h Ah")
    play(env, "6h 9c Kd Ah 4c")
    assert not env.is_over
    play(env, "2s")
    assert env.is_over and env.legal_actions() == []


# --- points ---


@pytest.mark.rule("OH-13", "OH-14")
@pytest.mark.parametrize(
    ("scoring", "trick_points", "scored"),
    [
        ("exact", 1, [12, 10, 0]),
        ("tricks", 1, [12, 10, 1]),
        ("penalty", 1, [12, 10, -2]),
        ("penalty", 3, [16, 10, -6]),
        ("tricks", 0, [10, 10, 0]),
    ],
)
def test_examples_5_to_7_what_bids_bring(scoring: str, trick_points: int, scored: list[int]) -> None:
    env = dealt(["Ah 6h 2c", "9c 4c 3c", "Kd 2s Tc"], "2h", scoring=scoring, trick_points=trick_points, reward="points")
    bid(env, 2, 0, 3)
    play(env, "Ah 9c Kd 6h 4c 2s 2c 3c Tc")
    assert field(env, "tricks") == [2, 0, 1]
    assert list(env.rewards.values()) == scored
    relative = dealt(["Ah 6h 2c", "9c 4c 3c", "Kd 2s Tc"], "2h", scoring=scoring, trick_points=trick_points)
    bid(relative, 2, 0, 3)
    play(relative, "Ah 9c Kd 6h 4c 2s 2c 3c Tc")
    np.testing.assert_allclose(list(relative.rewards.values()), (np.array(scored) - np.mean(scored)) / 10, rtol=1e-6)


@pytest.mark.rule("OH-15", "OH-16")
@pytest.mark.parametrize(
    ("hands", "sizes"),
    [
        ("one", [3]),
        ("down", [3, 2, 1]),
        ("up", [1, 2, 3]),
        pytest.param("down_up", [3, 2, 1, 2, 3], id="example 8"),
        ("up_down", [1, 2, 3, 2, 1]),
    ],
)
def test_hands_of_a_game(hands: str, sizes: list[int]) -> None:
    env = raw_env(GAME, num_players=4, cards=3, hands=hands, reward="points", scoring="tricks")
    env.reset(seed=5)
    seen, moves = [], 0
    while env.legal_actions():
        if max(field(env, "bids")) < 0:
            seen.append(len(env.zones()["hand/0"]))
        env.step(env.legal_actions()[-1])
        moves += 1
    assert seen == sizes
    assert sorted(cards_of_hands(env.options)) == sorted(sizes)
    assert moves == 4 * (sum(sizes) + len(sizes)) == GAME.max_length(env.options)
    scored = [event for event in env.history() if event.kind == "score"]
    assert len(scored) == 4 * len(sizes)
    assert list(env.rewards.values()) == [sum(event.amount for event in scored if event.player == seat) for seat in range(4)]


def test_points_are_within_their_bounds() -> None:
    for scoring in ("exact", "tricks", "penalty"):
        batch = wilddeck.make_batch(GAME, 500, seed=3, num_players=3, cards=3, scoring=scoring, trick_points=2, hands="up")
        low, high = points(batch.options)
        for _ in range(batch.game.max_length(batch.options) - 1):
            batch.step(batch.random_actions())
            totals = batch.states["totals"][:, :3]
            assert totals.min() >= low and totals.max() <= high
        block = batch.observation[:, batch.observation_layout["totals"]]
        assert np.abs(block).max() <= max(-low, high) / UNIT and np.ptp(block) > 0


# --- OpenSpiel ---


def openspiel_dealt(env: Any, **parameters: Any) -> Any:
    """OpenSpiel's game of the same deal."""
    pyspiel = pytest.importorskip("pyspiel")
    n, size = env.num_players, env.options.cards
    state = pyspiel.load_game("oh_hell", {"players": n, "num_tricks_fixed": size, **parameters}).new_initial_state()
    zones = env.zones()
    for action in [size, int(env.record["dealer"][0]), *(zones[f"hand/{k % n}"][k // n] for k in range(n * size))]:
        state.apply_action(action)
    state.apply_action(zones["trump_card"][0])
    return state


@pytest.mark.rule("OH-01", "OH-06", "OH-07", "OH-08", "OH-09", "OH-10", "OH-11", "OH-13", "OH-14")
@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ({"num_players": 3, "cards": 10, "scoring": "tricks"}, {}),
        (
            {"num_players": 4, "cards": 5, "scoring": "penalty", "trick_points": 3},
            {"off_bid_penalty": True, "points_per_trick": 3},
        ),
        ({"num_players": 5, "cards": 3, "scoring": "tricks", "ranks": 4}, {"num_cards_per_suit": 4}),
        ({"num_players": 7, "cards": 7, "scoring": "penalty"}, {"off_bid_penalty": True}),
    ],
    ids=["3 players", "penalty", "short deck", "7 players"],
)
def test_move_by_move_beside_openspiel(options: dict[str, Any], parameters: dict[str, Any]) -> None:
    """Who is to move, what is legal, and what it brings. (Its suits are c, d, s, h, which alters nothing; its bids come behind
    the cards of its deck.)"""
    draw, met = np.random.default_rng(4), 0
    env = raw_env(GAME, reward="points", **options)
    bids = env.options.ranks * SUITS
    for seed in range(100):
        env.reset(seed=seed)
        theirs = openspiel_dealt(env, **parameters)
        while not env.is_over:
            legal = env.legal_actions()
            assert theirs.current_player() == env.current_player
            assert theirs.legal_actions() == [action if action < BID else action - BID + bids for action in legal]
            action = int(draw.choice(legal))
            theirs.apply_action(action if action < BID else action - BID + bids)
            env.step(action)
        assert theirs.is_terminal()
        assert theirs.returns() == list(env.rewards.values())
        met += max(env.rewards.values()) >= 10
    assert met > 10


# --- the player ---


@pytest.mark.parametrize(("num_players", "size"), [(3, 10), (4, 7), (7, 5)])
def test_the_player_beats_random_ones(num_players: int, size: int) -> None:
    options = GAME.make_options({"num_players": num_players, "cards": size})
    player = PolicyAgent("rules", oh_hell_player.policy, num_players)
    result = evaluate(player, RandomAgent(), GAME, options, 150, seed=1)
    assert result.mean > 0.15 and result.mean > 8 * result.standard_error


def test_the_player_bids_and_plays_as_it_says() -> None:
    """Sure tricks are bid and won; who has enough throws off the dearest card that loses."""
    player = PolicyAgent("rules", oh_hell_player.policy, 3)

    def answer(env: Any) -> str:
        seen = env.observe(env.agent_selection)
        (action,) = player.act_batch(Views.of(seen["observation"][None], seen["action_mask"][None]), np.random.default_rng(0))
        return env.action_label(int(action))

    env = dealt(["Ah Kh Qh", "2c 3c 4d", "2d 3d 5s"], "2h")
    assert answer(env) == "bid 3"
    bid(env, 3, 1, 0)
    play(env, "Ah 2c 2d Kh 3c 3d")
    assert answer(env) == "play Qh"
    env = dealt(["Jc 6d 7s", "9c 4c Kc", "Tc 2d 3s"], "2h")
    bid(env, 1, 0, 0)
    play(env, "Jc")
    assert answer(env) == "play 9c"
    env = dealt(["Jc 6d", "Kc 4s", "Ac 2c"], "2h")
    bid(env, 0, 0, 1)
    play(env, "Jc Kc")
    assert answer(env) == "play Ac"
