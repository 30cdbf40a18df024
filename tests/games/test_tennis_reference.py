"""Tennis against a slow second implementation, and what players know against trackers of public events."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from games.tennis_positions import arranged, play, ranks_of
from games.tennis_reference import RANKS, Tennis, records
from support import determinizations, random_games
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.game import as_record

SETTINGS = [(n, cap) for n in (2, 3, 4, 6) for cap in (50, 1000)]
GAMES = 5


def both(num_players: int, max_tricks: int, seed: int) -> tuple[CardGameEnv, Tennis]:
    draw = random.Random(seed)
    deck = draw.sample(range(48), 48)
    dealer = draw.randrange(num_players)
    env = raw_env("tennis_v0", num_players=num_players, max_tricks=max_tricks, dealer=dealer)
    env.reset(seed=seed, options={"deck": deck})
    return env, Tennis(num_players, max_tricks, dealer, deck)


def one_hot(size: int, index: int | None) -> list[int]:
    return [int(place == index) for place in range(size)]


def by_rank(ids: list[int]) -> list[float]:
    counts = Counter(card // 4 for card in ids)
    return [counts[rank] / 4 for rank in range(RANKS)]


def expected_observation(game: Tennis, viewer: int) -> dict[str, list[float]]:
    """docs/rules/tennis.md, Observation; players clockwise from the viewer."""
    seats = [(viewer + k) % game.num_players for k in range(game.num_players)]
    table = dict(game.played)
    return {
        "hand": by_rank(game.hands[viewer]),
        "table": [x for seat in seats for x in one_hot(RANKS, table[seat] // 4 if seat in table else None)],
        "lead": [int(seat == game.lead) for seat in seats],
        "tricks_left": [game.tricks_left / 6],
        "progress": [min(1, game.tricks_played / game.max_tricks)],
        "set_aside": by_rank(game.set_aside),
        "removed": by_rank(game.removed),
        "pile_size": [len(game.piles[seat]) / 48 for seat in seats],
        "hand_size": [len(game.hands[seat]) / 6 for seat in seats],
        "out": [int(seat not in game.in_round and not game.piles[seat]) for seat in seats],
        "known": [count / 4 for seat in seats for count in game.known(seat)],
        "known_in_hand": [count / 4 for seat in seats for count in game.known_in_hand(seat)],
        **replies(game, viewer),
    }


def replies(game: Tennis, viewer: int) -> dict[str, list[float]]:
    """Ranks in hand that would win the trick so far, or leave it to nobody."""
    wins, ties = [0] * RANKS, [0] * RANKS
    trick = [card // 4 for _, card in game.played]
    if trick and viewer not in dict(game.played):
        for rank in {card // 4 for card in game.hands[viewer]}:
            results = records([*trick, rank])
            best = results.count(max(results))
            wins[rank], ties[rank] = int(best == 1 and results[-1] == max(results)), int(best > 1)
    return {"wins": wins, "ties": ties}


@pytest.mark.rule("TN-02", "TN-03", "TN-04", "TN-05", "TN-06", "TN-07", "TN-08", "TN-09", "TN-10", "TN-11", "TN-13")
@random_games(2, GAMES)
@pytest.mark.parametrize(("num_players", "max_tricks"), SETTINGS)
def test_whole_games_equal_the_reference(num_players: int, max_tricks: int, seeds: range) -> None:
    """Every card in its place, in order, after every move; the mover, what is legal, events, the result; shared wins too."""
    for seed in seeds:
        env, game = both(num_players, max_tricks, seed)
        draw = random.Random(seed + 77)
        while game.returns is None:
            assert env.current_player == game.to_move
            assert env.legal_actions() == game.legal()
            rank = draw.choice(game.legal())
            env.step(rank)
            game.play(rank)
            assert env.zones() == game.zones()
            assert int(env.record["dealer"][0]) == game.dealer
        assert all(env.terminations.values())
        assert list(env.rewards.values()) == pytest.approx(game.returns)
        game.say.compare(env)


@pytest.mark.parametrize(("num_players", "max_tricks"), SETTINGS)
def test_observations_equal_the_reference(num_players: int, max_tricks: int) -> None:
    env, game = both(num_players, max_tricks, 99)
    draw = random.Random(5)
    while game.returns is None:
        for viewer in range(num_players):
            seen = env.observe(f"player_{viewer}")["observation"]
            expected = expected_observation(game, viewer)
            assert list(expected) == list(env.observation_layout)
            for name, where in env.observation_layout.items():
                assert seen[where].tolist() == pytest.approx(expected[name]), name
        rank = draw.choice(game.legal())
        env.step(rank)
        game.play(rank)


class Spectator:
    """Writes down who played which rank and who won it; cards never shown are None. Piles from the top."""

    def __init__(self, num_players: int) -> None:
        self.piles: list[list[int | None]] = [[None] * (48 // num_players) for _ in range(num_players)]
        self.hands: list[list[int | None]] = [[] for _ in range(num_players)]
        self.played: list[tuple[int, int]] = []
        self.aside: list[int] = []
        self.take_hands()

    def take_hands(self) -> None:
        self.aside = []
        self.in_round = [seat for seat, pile in enumerate(self.piles) if pile]
        taken = min([6, *(len(self.piles[seat]) for seat in self.in_round)])
        for seat in self.in_round:
            self.hands[seat], self.piles[seat] = self.piles[seat][:taken], self.piles[seat][taken:]

    def see(self, seat: int, rank: int) -> None:
        self.hands[seat].remove(rank if rank in self.hands[seat] else None)
        self.played.append((seat, rank))
        if len(self.played) == len(self.in_round):
            self.aside += [played for _, played in self.played]
            results = records([played for _, played in self.played])
            if results.count(max(results)) == 1:
                self.piles[self.played[results.index(max(results))][0]] += self.aside
                self.aside = []
            self.played = []
            if not any(self.hands):
                self.take_hands()

    def known(self) -> list[float]:
        counts = [Counter(hand + pile) for hand, pile in zip(self.hands, self.piles, strict=True)]
        return [count[rank] / 4 for count in counts for rank in range(RANKS)]

    def known_in_hand(self) -> list[float]:
        return [hand.count(rank) / 4 for hand in self.hands for rank in range(RANKS)]


@pytest.mark.parametrize("num_players", [2, 3, 4, 6])
def test_known_cards_follow_from_public_events(num_players: int) -> None:
    """Whoever writes down the moves arrives at the blocks `known` and `known_in_hand`: no more is told, and no less."""
    env = raw_env("tennis_v0", num_players=num_players)
    for seed in range(GAMES):
        env.reset(seed=seed)
        spectator, draw = Spectator(num_players), random.Random(seed)
        while env.legal_actions():
            seat, rank = env.current_player, draw.choice(env.legal_actions())
            env.step(rank)
            spectator.see(seat, rank)
            if env.legal_actions():
                seen, layout = env.observe("player_0")["observation"], env.observation_layout
                assert seen[layout["known"]].tolist() == spectator.known()
                assert seen[layout["known_in_hand"]].tolist() == spectator.known_in_hand()


def test_shown_cards_are_played_first() -> None:
    """Of two cards of a rank in hand the one won in the open goes, so that the count of known cards stays exact."""
    env = arranged(["7 9", "5 T"], ["7", "3"])
    play(env, "7 5 T 9")  # player 0 wins the first trick, player 1 the second; everybody takes three cards
    known = env.observation_layout["known"]
    of_0, of_1 = [3, 5], [12 + 7, 12 + 8]
    assert np.flatnonzero(env.observe("player_0")["observation"][known]).tolist() == of_0 + of_1
    hidden, face_up, five = env.zones()["hand/0"]
    assert ranks_of([hidden, face_up, five]) == "7 7 5"
    assert env.zones("player_1")["hand/0"] == [-1, face_up, five]
    play(env, "3 7")  # player 1 deals
    assert env.zones()["hand/0"] == [hidden, five]
    assert env.zones("player_1")["hand/0"] == [-1, five]


def test_determinizations_are_uniform() -> None:
    """Four hidden cards for the mover: a hand and two piles. All 24 arrangements, about equally often."""
    env = arranged(["2", "5 8"], ["7", "3"], lead=0)
    counts: Counter[tuple[int, ...]] = Counter()
    for record in determinizations(env, 0, range(2400)):
        zones = env.game.zones(as_record(record.reshape(1)), None)
        assert zones["hand/0"] == env.zones()["hand/0"]
        counts[(*zones["hand/1"], *zones["pile/0"], *zones["pile/1"])] += 1
    assert len(counts) == 24
    assert min(counts.values()) > 60
    assert max(counts.values()) < 150


def test_determinizations_keep_what_was_shown() -> None:
    """Cards won in the open stay where they lie in the pile, in order; hidden ones change places."""
    env = raw_env("tennis_v0", dealer=0)
    env.reset(seed=12)
    draw = random.Random(0)
    for _ in range(60):
        env.step(draw.choice(env.legal_actions()))
    visible = {name: [card for card in ids if card >= 0] for name, ids in env.zones("player_2").items()}
    assert sum(len(ids) for name, ids in visible.items() if name.startswith("pile")) > 8
    for seed in range(8):
        zones = env.determinize("player_2", seed).zones()
        for name, ids in env.zones("player_2").items():
            assert all(card in (-1, other) for card, other in zip(ids, zones[name], strict=True))
