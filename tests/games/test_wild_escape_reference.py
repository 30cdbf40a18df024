"""Whole rounds and matches of Wild Escape against a second implementation, and against games in which nobody is spared."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from games.wild_escape_positions import FIRST_CARD, compare, kinds_of, rows_of
from games.wild_escape_reference import Match, Settings
from support import random_games, short
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

PLAY, ANSWER, CARDS = range(3)  # stages
KEPT = ((0,), (1,), (0, 1))

SETTINGS = [
    Settings(0, (2, 2), 14, 100, "keep", "round"),
    Settings(3, (9, 14), 14, 100, "keep", "round", "top"),
    Settings(5, (2, 3), 15, 10, "keep", "match"),
    Settings(2, (2, 2), 15, 12, "offer_two", "match"),
    Settings(1, (12, 13), 15, 20, "offer_two", "match"),
    Settings(4, (2, 2), 3, 60, "keep", "match"),
    Settings(4, (5, 2), 6, 60, "offer_two", "match"),
]


def environment(settings: Settings, decks: list[list[int]], **options: Any) -> CardGameEnv:
    env = raw_env("wild_escape_v0", **settings._asdict(), **options)
    env.reset(seed=1, options={"decks": decks})
    return env


def random_decks(draw: random.Random, count: int) -> list[list[int]]:
    return [draw.sample([*range(54)] * 3, 162) for _ in range(count)]


class Player:
    """Plays the environment at random, one whole turn at a time."""

    def __init__(self, env: CardGameEnv, draw: random.Random) -> None:
        self.env, self.draw = env, draw
        self.returns = np.zeros(6)

    def step(self, action: int) -> None:
        self.env.step(action)
        self.returns += list(self.env.rewards.values())

    def asked(self) -> str:
        return ("play", "answer", "cards", "tribute", "return", "offer", "higher")[int(self.env.record["stage"][0])]

    def turn(self) -> list[int]:
        """Cards chosen one after another until the turn is complete; those of a play are on the table then."""
        env = self.env
        player, seen = env.current_player, env.record["played"][0].copy()
        rounds = int(env.record["round_number"][0])
        action = self.draw.choice(env.legal_actions())
        held = env.record["hand"][0].copy()
        self.step(action)
        while env.legal_actions() and self.asked() == "cards":
            assert env.current_player == player
            assert len(env.legal_actions()) > 1, "a single choice is filled in"
            self.step(self.draw.choice(env.legal_actions()))
        if action == 0:
            return []
        if int(env.record["round_number"][0]) != rounds:  # a new deal: the last cards of the hand
            return [card for card in range(54) for _ in range(held[player][card])]
        new = env.record["played"][0][player].astype(int) - seen[player]
        return [card for card in range(54) for _ in range(new[card])]


@pytest.mark.rule(
    "WE-01", "WE-02", "WE-03", "WE-13", "WE-14", "WE-15", "WE-16", "WE-17", "WE-18", "WE-19", "WE-20", "WE-21", "WE-22", "WE-23"
)
@pytest.mark.rule("WE-24", "WE-25", "WE-26", "WE-27", "WE-28", "WE-30", "WE-31", "WE-32", "WE-33")
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: f"{s.episode}-{s.levels}-{s.joker_tribute}")
@random_games(1, 12)
def test_whole_games_equal_the_reference(settings: Settings, seeds: range) -> None:
    """Everybody being asked: who acts, with which choices, the hands after every turn, levels, returns and events."""
    for seed in seeds[::4] if settings.episode == "match" else seeds:
        draw = random.Random(seed)
        decks = random_decks(draw, settings.max_rounds)
        env, match = environment(settings, decks, ask_forced_pass=True), Match(settings, decks)
        one, questions = Player(env, draw), match.run()
        question = next(questions)
        try:
            while True:
                question = questions.send(answer(one, match, question))
        except StopIteration:
            pass
        assert all(env.terminations.values())
        assert env.record["levels"][0].tolist() == match.levels
        assert one.returns.tolist() == match.returns
        match.say.compare(env)


def answer(one: Player, match: Match, question: tuple[int, str, Any]) -> Any:
    """What the environment's player answers, having been asked the same; a choice of one it has not been asked."""
    player, asked, fact = question
    env = one.env
    record = env.record[0]
    if asked in ("lead", "follow"):
        assert one.asked() == "play"
        check_hands(env, match)
        assert env.current_player == player
        assert int(record["trump"]) == match.trump
        assert bool(env.is_legal(0)) == (asked == "follow")
        if asked == "follow":
            owner, cards = fact
            assert int(record["owner"]) == owner
            assert record["last"][owner][: len(cards)].tolist() == sorted(cards)
        played = one.turn()
        if asked == "follow" and played:
            assert compare.beats(np.array([played]), np.array([fact[1]]), match.trump)[0]
        return played
    if asked == "offer":
        assert one.asked() == "offer"
        assert env.current_player == player
        k = int(record["exchange"])
        while one.asked() == "offer":
            one.step(one.draw.choice(env.legal_actions()))
        return env.record["answer"][0][k].tolist()
    if asked == "answer":
        assert (one.asked(), env.current_player) == ("answer", player)
        assert env.legal_actions() == [193, 194, *([195] if fact else [])]
        action = env.legal_actions()[-1] if one.draw.random() < 0.5 else one.draw.choice(env.legal_actions())
        k = int(record["exchange"])
        one.step(action)
        match_kept = KEPT[action - 193]
        assert len(match_kept) == 2 or env.record["kept"][0][k] == action - 192
        return match_kept
    return chosen_card(one, player, asked, fact)


def chosen_card(one: Player, player: int, asked: str, allowed: list[int]) -> list[int]:
    """A tribute, a returned or a higher card."""
    if len(allowed) == 1:
        return allowed
    assert (one.asked(), one.env.current_player) == (asked, player)
    assert one.env.legal_actions() == [FIRST_CARD + card for card in allowed]
    action = one.draw.choice(one.env.legal_actions())
    one.step(action)
    return [action - FIRST_CARD]


def check_hands(env: CardGameEnv, match: Match) -> None:
    zones = env.zones()
    for seat in range(6):
        assert sorted(zones[f"hand/{seat}"]) == sorted(match.hands[seat])
        assert env.record["hand_size"][0][seat] == len(match.hands[seat])


@pytest.mark.rule("WE-14")
@pytest.mark.parametrize("seed", short(range(6), [0, 1]))
def test_forced_passes_are_passes_nobody_is_asked_for(seed: int) -> None:
    """The same game twice: where everybody is asked, those who can only pass do so; else they are not asked, and all is as if
    they had been."""
    settings, draw = SETTINGS[0], random.Random(seed)
    decks = random_decks(draw, 1)
    everybody, spared = environment(settings, decks, ask_forced_pass=True), environment(settings, decks)
    forced = 0
    while everybody.legal_actions():
        if everybody.legal_actions() == [0]:
            everybody.step(0)
            forced += 1
            continue
        for name in everybody.record.dtype.names or ():
            if name not in ("ask_forced_pass", "move_count", "rewards"):
                assert np.array_equal(everybody.record[name], spared.record[name]), name
        action = draw.choice(everybody.legal_actions())
        everybody.step(action)
        spared.step(action)
    assert forced > 20
    assert spared.legal_actions() == []
    assert spared.rewards == everybody.rewards


@pytest.mark.rule("WE-05", "WE-09", "WE-11", "WE-14")
@pytest.mark.parametrize("flush_compare", ["all", "top"])
@pytest.mark.parametrize("trump", short([2, 7, 14], [7]))
def test_masks_of_whole_games_are_those_of_all_plays(trump: int, flush_compare: str) -> None:
    """At positions of games with hands as large as they come, both stages against every set of cards of the hand."""
    draw = random.Random(trump)
    env = raw_env("wild_escape_v0", levels=(trump, trump), flush_compare=flush_compare)
    looked = {PLAY: 0, CARDS: 0}
    for seed in range(4):
        env.reset(seed=seed)
        while env.legal_actions():
            stage = int(env.record["stage"][0])
            looked[stage] += check_position(env, trump, flush_compare) if draw.random() < 0.12 else 0
            env.step(draw.choice(env.legal_actions()))
    assert min(looked.values()) > 10


def check_position(env: CardGameEnv, trump: int, flush_compare: str) -> int:
    record = env.record[0]
    hand = [card for card in range(54) for _ in range(record["hand"][env.current_player][card])]
    owner = int(record["owner"])
    to_beat = [] if owner < 0 else record["last"][owner][: record["last_size"][owner]].tolist()
    if record["stage"] == PLAY:
        kinds = kinds_of(hand, trump, flush_compare, to_beat)
        assert env.legal_actions() == [*([0] if to_beat else []), *sorted(kinds)]
        return 1
    size = int(record["chosen_size"])
    prefix = record["chosen"][:size]
    rows = rows_of(hand, trump, flush_compare, to_beat, int(record["kind"]))
    begun = rows[(rows[:, :size] == prefix).all(axis=1)]
    assert env.legal_actions() == sorted({FIRST_CARD + int(card) for card in begun[:, size]})
    return 1
