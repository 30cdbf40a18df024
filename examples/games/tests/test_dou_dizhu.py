"""Dou Dizhu, clause by clause, beside a slow reference, and move by move beside OpenSpiel's."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
import wilddeck
from wilddeck import cards
from wilddeck.agents import trained
from wilddeck.agents.base import PolicyAgent, View
from wilddeck.agents.play import evaluate, play_batch
from wilddeck.agents.random import RandomAgent
from wilddeck.agents.views import Views
from wilddeck.envs import raw_env
from wilddeck.envs.core.render.scene import Scene
from wilddeck.envs.core.render.text import ansi
from wilddeck_games.dou_dizhu import GAME
from wilddeck_games.dou_dizhu_player import policy

RANKS = ["3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A", "2", "SJ", "BJ"]
IN_RUNS = 12
RUN = "3 4 5 6 7 8 9 T J Q K A"
TRIOS = "3 3 3 4 4 4 5 5 5 6 6 6 7 7 7"


class Play(NamedTuple):
    """A combination: what carries, what kickers that takes ("", "a card", "2 pairs"), and they, from the lowest rank on."""

    body: tuple[str, ...]
    carried: str = ""
    kickers: tuple[str, ...] = ()


def rank_of(card: int) -> int:
    return (card // 4 + 12) % 13 if card < 52 else card - 39


def dealt(*hands: str, bottom: str = "", **options: Any) -> Any:
    """A game whose hands hold these ranks, the first suits first, and what is left over, the lowest first."""
    env = raw_env(GAME, **{"first_bidder": 0, **options})
    left = {rank: [card for card in range(54) if rank_of(card) == number] for number, rank in enumerate(RANKS)}
    held = [[left[rank].pop(0) for rank in text.split()] for text in (*hands, bottom)]
    rest = [card for rank in RANKS for card in left[rank]]
    for hand, size in zip(held, (17, 17, 17, 3), strict=True):
        while len(hand) < size:
            hand.append(rest.pop(0))
    deck = [held[k % 3][k // 3] for k in range(51)] + held[3]
    env.reset(seed=0, options={"deck": deck})
    return env


def do(env: Any, *labels: str) -> None:
    for label in labels:
        env.step(env.action_from_label(label))


def bid(env: Any, *bids: str) -> None:
    do(env, *(word if word == "pass" else f"bid {word}" for word in bids))


def labels(env: Any) -> list[str]:
    return [env.action_label(action) for action in env.legal_actions()]


def choices(env: Any) -> dict[Any, list[int]]:
    """What the player to move may do, "pass", "bid 1" or a `Play`, with the actions that do it."""
    found: dict[Any, list[int]] = {}

    def add(after: Any, play: Play, actions: list[int]) -> None:
        for action in after.legal_actions():
            added = play._replace(kickers=(*play.kickers, *after.action_label(action).removeprefix("add ").split()))
            further = after.clone()
            further.step(action)
            if any(label.startswith("add ") for label in labels(further)):
                add(further, added, [*actions, action])
            else:
                found[added] = [*actions, action]

    for action in env.legal_actions():
        label = env.action_label(action)
        body, _, carried = label.removeprefix("play ").partition(" with ")
        play = Play(tuple(body.split()), carried)
        if carried:
            after = env.clone()
            after.step(action)
            add(after, play, [action])
        else:
            found[play if label.startswith("play ") else label] = [action]
    return found


def ranks_in_hand(env: Any) -> Counter[str]:
    return Counter(RANKS[rank_of(card)] for card in env.zones()[f"hand/{env.current_player}"])


# --- the deal and the auction ---


@pytest.mark.rule("DD-01", "DD-04")
def test_the_deal() -> None:
    env = raw_env(GAME, first_bidder=1)
    env.reset(seed=0, options={"deck": list(range(54))})
    zones = env.zones("player_1")
    assert sorted(zones["hand/1"]) == list(range(1, 51, 3)) and zones["hand/2"] == [-1] * 17 and zones["bottom"] == [-1] * 3
    assert env.zones()["bottom"] == [51, 52, 53] and env.current_player == 1
    told = [event.text(2) for event in env.history("player_2")]
    assert told[:3] == ["hand 1", "player 0 is dealt 17 cards", "player 1 is dealt 17 cards"]
    assert told[3].startswith("you are dealt 2h 3d")


@pytest.mark.rule("DD-05")
def test_who_bids_first() -> None:
    batch = wilddeck.make_batch(GAME, 300, seed=1)
    assert np.bincount(batch.current_player, minlength=3).min() > 70
    assert set(wilddeck.make_batch(GAME, 30, seed=1, first_bidder=2).current_player) == {2}


@pytest.mark.rule("DD-06", "DD-07")
@pytest.mark.parametrize(
    ("bids", "landlord", "stakes"),
    [
        pytest.param("pass 1 pass pass", 1, 1, id="example 1"),
        ("3", 0, 3),
        ("pass pass 2 pass pass", 2, 2),
        ("1 2 pass 3", 0, 3),
        ("pass pass 1 pass 2 pass pass", 1, 2),
        ("1 pass 2 3", 0, 3),
    ],
)
def test_the_auction(bids: str, landlord: int, stakes: int) -> None:
    env, highest = dealt("", "", ""), 0
    for number, word in enumerate(bids.split()):
        assert env.current_player == number % 3 and env.record["landlord"][0] == -1
        assert labels(env) == ["pass", *(f"bid {higher}" for higher in range(highest + 1, 4))]
        bid(env, word)
        highest = highest if word == "pass" else int(word)
    assert (env.record["landlord"][0], env.record["bids"][0][landlord]) == (landlord, stakes)
    assert env.current_player == landlord and "pass" not in labels(env)


@pytest.mark.rule("DD-08", "DD-26")
def test_nobody_bids() -> None:
    env = dealt("", "", "", redeals=2)
    for deal in range(1, 4):
        assert env.record["deals"][0] == deal and env.current_player == (deal - 1) % 3
        bid(env, "pass", "pass", "pass")
    assert env.is_over and list(env.rewards.values()) == [0, 0, 0]
    random = raw_env(GAME, redeals=50)
    random.reset(seed=4)
    first = random.current_player
    bid(random, "pass", "pass", "pass")
    assert random.current_player == (first + 1) % 3


@pytest.mark.rule("DD-09")
def test_the_bottom_cards_and_who_plays_together() -> None:
    env = dealt("", "", "", bottom="2 2 BJ")
    assert env.teams() == ((0,), (1,), (2,)) and Scene.of(env).notes == {}
    bid(env, "pass", "2", "pass", "pass")
    seen = cards.parse("2c 2d BJ")
    assert env.history("player_2")[-1].text() == "player 1 is the landlord and takes 2c 2d BJ"
    assert env.zones("player_2")["hand/1"] == seen + [-1] * 17 and len(env.zones()["hand/1"]) == 20
    assert env.teams() == View.of(env).teams() == ((1,), (0, 2))
    assert Scene.of(env).notes == {1: "landlord, bid 2", 0: "with player 2", 2: "with player 0"}
    assert "player 0: with player 2" in ansi(env, "player_0")
    blocks = {name: env.observe("player_2")["observation"][place] for name, place in env.observation_layout.items()}
    assert np.flatnonzero(blocks["bottom"]).tolist() == [48, 49, 53] and blocks["landlord"].tolist() == [0, 0, 1]
    for seed in range(20):
        assert set(seen) <= set(env.determinize("player_0", seed).zones()["hand/1"])


# --- play ---


@pytest.mark.rule("DD-02", "DD-03", "DD-18")
def test_ranks_and_suits() -> None:
    env = dealt("3 3 4", "SJ 2 A", "BJ 2")
    bid(env, "3")
    do(env, "play 3")
    assert env.zones()["table/0"] == cards.parse("3c")
    assert [label for label in labels(env) if "Joker" in label] == []
    do(env, "play A", "play 2", "pass", "play SJ", "play BJ")
    assert labels(env) == ["pass", *(label for label in labels(env) if len(label.split()) == 5)]


@pytest.mark.rule("DD-16")
def test_kickers_are_added_from_the_lowest_on() -> None:
    env = dealt("3 3 3 4 4 4 5 5 5 6 6 6 6 7 7 SJ BJ", "", "", bottom="8 8 9")
    bid(env, "3")
    do(env, "play 3 3 3 4 4 4 5 5 5 with 3 cards")
    assert env.current_player == 0 and labels(env) == [
        f"add {rank}" for rank in ("6", "7", "8")
    ]  # after a 9 there is but a Joker
    do(env, "add 7")
    assert labels(env) == ["add 7", "add 8", "add 9"]
    do(env, "add 9")
    assert labels(env) == ["add SJ", "add BJ"] and env.observe("player_1")["action_mask"].sum() == 0
    do(env, "add SJ")
    assert env.current_player == 1 and len(env.zones()["table/0"]) == 12
    assert [event.text() for event in env.history()][-4:] == [
        "player 0 plays 3c 3d 3h 4c 4d 4h 5c 5d 5h", "player 0 adds 7c", "player 0 adds 9c", "player 0 adds SJ"
    ]  # fmt: skip


@pytest.mark.rule("DD-18", "DD-19")
def test_examples_2_and_3_what_beats_what() -> None:
    env = dealt("5 5 5 9", "6 6 6 3 3 4 4 4 4", "SJ BJ")
    bid(env, "3")
    do(env, "play 5 5 5 with a card", "add 9")
    assert [label for label in labels(env) if "6" in label] == ["play 6 6 6 with a card"] and "play 4 4 4 4" in labels(env)
    do(env, "play 4 4 4 4")
    bombs = {f"play {' '.join(4 * [rank])}" for rank in RANKS[2:13]}
    assert {"pass", "play SJ BJ"} <= set(labels(env)) <= {"pass", "play SJ BJ"} | bombs
    do(env, "play SJ BJ")
    assert labels(env) == ["pass"]
    env = dealt("4 5 6 7 8", "5 6 7 8 9 T", "")
    bid(env, "3")
    do(env, "play 4 5 6 7 8")
    assert {label for label in labels(env) if label.startswith("play 5 6 7 8 9")} == {"play 5 6 7 8 9"}


@pytest.mark.rule("DD-12", "DD-15")
def test_examples_4_and_5_airplanes() -> None:
    env = dealt("3 3 3 4 4 4 5 5 5 6 6 6", "", "")
    bid(env, "3")
    found = choices(env)
    assert (
        Play(tuple("333444555"), "3 cards", tuple("666")) in found
        and Play(tuple("444555666"), "3 cards", tuple("333")) in found
    )
    env = dealt("3 3 3 4 4 4 SJ BJ 5 5 5 5 6 6 6 6 7", "", "", bottom="7 7 7")
    bid(env, "3")
    assert Play(tuple("333444"), "2 cards", ("SJ", "BJ")) not in choices(env)
    do(env, "play 5 5 5 5", "pass", "pass", "play 6 6 6 6", "pass", "pass", "play 7 7 7 7", "pass", "pass")
    assert ranks_in_hand(env) == Counter("333444") + Counter(["SJ", "BJ"])
    assert not any("with 2 cards" in label for label in labels(env)) and "play 3 3 3 4 4 4" in labels(env)


@pytest.mark.rule("DD-17", "DD-20", "DD-21")
def test_a_round_goes_on_until_two_have_passed() -> None:
    env = dealt("3 3 5", "4 4 6", "7 7")
    bid(env, "3")
    do(env, "play 3", "play 4", "pass", "play 5", "pass", "play 7")
    assert env.current_player == 0 and "pass" in labels(env)
    do(env, "pass", "pass")
    assert env.current_player == 2 and "pass" not in labels(env)
    assert env.history()[-1].text() == "player 2 wins the round"
    assert env.zones()["table/2"] == [] and env.zones()["played/0"] == cards.parse("3c 5c")
    assert not env.is_over


# --- the end ---


@pytest.mark.rule("DD-21", "DD-22", "DD-23", "DD-24", "DD-25")
@pytest.mark.parametrize(
    ("hands", "bottom", "bids", "moves", "doublings", "won"),
    [
        pytest.param(
            [f"{RUN} 2 2 2 2 3", "4", "5"], "K K K", "2 pass pass",
            f"3; 4; 5; 2 2 2 2; pass; pass; {RUN}; pass; pass; K K K", 13, [8, -4, -4], id="example 6",
        ),
        pytest.param(
            ["3", f"2 {RUN} K K K Q"], "", "3",
            f"3; 2; pass; pass; {RUN}; pass; pass; K K K with a card; add Q", 13, [-12, 6, 6], id="example 7",
        ),
        *(
            pytest.param(
                [f"{RUN} 2 2 2 2 Q"], "K K K", "3",
                f"{RUN}; pass; pass; 2 2 2 2; pass; pass; K K K with a card; add Q", doublings, [won, -won // 2, -won // 2],
                id=f"example 8, {doublings}",
            )
            for doublings, won in ((13, 24), (1, 12), (0, 6))
        ),
    ],
)  # fmt: skip
def test_examples_6_to_8_what_is_won(
    hands: list[str], bottom: str, bids: str, moves: str, doublings: int, won: list[int]
) -> None:
    env = dealt(*hands, *[""] * (3 - len(hands)), bottom=bottom, doublings=doublings)
    bid(env, *bids.split())
    for move in moves.split("; "):
        assert not env.is_over
        do(env, move if move.startswith(("pass", "add")) else f"play {move}")
    assert env.is_over and list(env.rewards.values()) == won
    assert [event.amount for event in env.history() if event.kind == "score"] == won


THIRTEEN_BOMBS = [
    "3", "4 4 4 4", "5 5 5 5", "SJ BJ", "pass", "pass", "6 6 6 6", "7 7 7 7", "pass", "8 8 8 8", "9 9 9 9", "pass", "T T T T",
    "J J J J", "Q Q Q Q", "K K K K", "pass", "A A A A", "pass", "pass", "2 2 2 2", "pass", "pass", "3",
]  # fmt: skip


@pytest.mark.rule("DD-22", "DD-25")
def test_a_landlord_can_lose_as_much_as_win() -> None:
    """With thirteen bombs, as many as there can be. OpenSpiel pays it, too, which says that there is no such loss."""
    env = dealt("3 3 6 6 6 6 8 8 8 8 T T T T K K K", "3 4 4 4 4 7 7 7 7 9 9 9 9 J J J J", "3 5 5 5 5 Q Q Q Q A A A A 2 2 2 2",
                bottom="K SJ BJ", redeals=0)  # fmt: skip
    theirs = openspiel_dealt(env)
    bid(env, "3")
    theirs.apply_action(3)
    for move in THIRTEEN_BOMBS:
        do(env, move if move == "pass" else f"play {move}")
        theirs.apply_action(openspiel_choices(theirs)[move if move == "pass" else (tuple(move.split()), ())])
    assert list(env.rewards.values()) == theirs.returns() == [-49152, 24576, 24576]
    assert GAME.reward_range(env.options) == (-49152, 49152) and theirs.get_game().min_utility() == -24576


# --- the rules once more, slowly ---


def sets_of(held: Counter[str], size: int) -> Iterator[tuple[str, ...]]:
    """All choices of so many cards, by rank."""
    names = [rank for rank in RANKS if held[rank]]
    for chosen in itertools.combinations_with_replacement(names, size):
        if all(count <= held[rank] for rank, count in Counter(chosen).items()):
            yield chosen


def all_kinds(four_with_two: bool) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """What can be played, with how many kickers of how many cards each."""
    yield ("SJ", "BJ"), 0, 0
    for times, least, most in ((1, 5, 12), (2, 3, 10), (3, 2, 6)):
        for length in (1, *range(least, most + 1)):
            ranks = IN_RUNS if length > 1 else 15 if times == 1 else 13
            for first in range(ranks - length + 1):
                body = tuple(rank for rank in RANKS[first : first + length] for _ in range(times))
                yield body, 0, 0
                if times == 3:
                    yield body, length, 1
                    yield body, length, 2
    for rank in RANKS[:13]:
        yield (rank,) * 4, 0, 0
        if four_with_two:
            yield (rank,) * 4, 2, 1
            yield (rank,) * 4, 2, 2


def slowly(held: Counter[str], four_with_two: bool) -> set[Play]:
    """DD-10 to DD-15."""
    found: set[Play] = set()
    for body, number, size in all_kinds(four_with_two):
        if Counter(body) <= held:
            left = Counter({rank: count for rank, count in held.items() if rank not in body})
            if size == 2:
                left = Counter({rank: 1 for rank in RANKS[:13] if left[rank] >= 2})
            word = "pair" if size == 2 else "card"
            carried = "" if number == 0 else f"a {word}" if number == 1 else f"{number} {word}s"
            for kickers in sets_of(left, number):
                if max(Counter(kickers).values(), default=0) < 4 and not {"SJ", "BJ"} <= set(kickers):
                    found.add(Play(body, carried, tuple(rank for rank in kickers for _ in range(size))))
    return found


def beats(one: Play, other: Play) -> bool:
    """DD-18, DD-19."""
    strength = [
        2 * (play.body == ("SJ", "BJ")) + (play.body == play.body[:1] * 4 and not play.carried) for play in (one, other)
    ]
    if strength[0] != strength[1]:
        return strength[0] > strength[1]
    shapes = [(len(play.body), len(set(play.body)), play.carried) for play in (one, other)]
    return shapes[0] == shapes[1] and RANKS.index(one.body[0]) > RANKS.index(other.body[0])


@pytest.mark.rule("DD-10", "DD-11", "DD-12", "DD-13", "DD-14", "DD-15", "DD-17", "DD-18", "DD-19")
@pytest.mark.parametrize("four_with_two", [True, False])
def test_what_may_be_played_is_what_the_rules_say(four_with_two: bool) -> None:
    """In random games, and with hands in which there are airplanes."""
    draw, sizes, answered = random.Random(1), Counter[int](), 0
    for number in range(20):
        trios = " ".join(rank for rank in draw.sample(RANKS[:IN_RUNS], 5) for _ in range(3))
        first, bottom = [("", ""), (trios, ""), ("3 3 3 4 4 4 5 5 5 6 6 6 8 8 9 9 T", "T J J"), (f"{TRIOS} 9 T", "J 2 SJ")][
            number % 4
        ]
        env = dealt(first, "", "", bottom=bottom, four_with_two=four_with_two)
        if number % 4 == 0:
            env.reset(seed=number)
        bid(env, "3")
        lead: Play | None = None
        passed = 0
        while not env.is_over:
            chosen = choices(env)
            expected = {play for play in slowly(ranks_in_hand(env), four_with_two) if lead is None or beats(play, lead)}
            assert chosen.keys() == expected | ({"pass"} if lead else set())
            sizes.update(len(play.kickers) for play in expected)
            answered += bool(lead and lead.carried and expected)
            picked = draw.choice(sorted(expected, key=lambda play: (-len(play.kickers), play))[:20] or ["pass"])
            for action in chosen[picked]:
                env.step(action)
            passed = passed + 1 if picked == "pass" else 0
            lead = lead if passed == 1 else None if passed == 2 else picked
    assert set(sizes) >= {0, 1, 2, 3, 4, 5, 6, 8} and answered > 20


# --- OpenSpiel ---


def openspiel_dealt(env: Any) -> Any:
    """OpenSpiel's game of the same deal: the place of the card that says who begins, then the cards."""
    pyspiel = pytest.importorskip("pyspiel")
    state, zones = pyspiel.load_game("dou_dizhu").new_initial_state(), env.zones()
    state.apply_action(env.current_player)
    for k in range(51):
        card = zones[f"hand/{k % 3}"][k // 3]
        state.apply_action(51 + (card if card >= 52 else rank_of(card) + 13 * (card % 4)))
    return state


@functools.cache
def openspiel_choice(text: str) -> Any:
    """What OpenSpiel calls "Pass", "Bid 1", "333444-56": as `choices` has it, kickers not counted."""
    if text == "Pass" or text.startswith("Bid"):
        return text.lower()
    body, kickers = (
        [{"(BWJ)": "SJ", "(CJ)": "BJ"}.get(rank, rank) for rank in re.findall(r"\(\w+\)|.", part)]
        for part in text.partition("-")[::2]
    )
    counts = Counter(body)
    if sorted(counts.values()) in ([1, 3], [2, 3]):  # a trio and its kicker are written in the order of their ranks
        body, kickers = ([rank for rank in body if (counts[rank] == 3) == carries] for carries in (True, False))
    return tuple(body), tuple(kickers)


def openspiel_choices(state: Any) -> dict[Any, int]:
    return {
        openspiel_choice(state.action_to_string(state.current_player(), action)): action for action in state.legal_actions()
    }


def is_missing(play: Any, held: Counter[str]) -> bool:
    """What OpenSpiel does not find: runs that begin with a rank of which the player holds four cards."""
    body, kickers = play
    return not kickers and body != ("SJ", "BJ") and len(set(body)) > 1 and held[body[0]] == 4


def play_beside(env: Any, seed: int) -> int:
    """A random game of both, after each move of which they allow the same; returns how many moves."""
    env.reset(seed=seed)
    theirs, draw, moves, led = openspiel_dealt(env), random.Random(seed), 0, ()
    while not env.is_over:
        assert not theirs.is_terminal() and theirs.current_player() == env.current_player
        held = ranks_in_hand(env)
        ours = {(play.body, play.kickers) if isinstance(play, Play) else play: how for play, how in choices(env).items()}
        allowed = openspiel_choices(theirs)
        on_rocket = led == ("SJ", "BJ") and "pass" in ours
        assert allowed.keys() - ours.keys() == {play for play in allowed if on_rocket and play != "pass"}
        assert ours.keys() - allowed.keys() == {play for play in ours if isinstance(play, tuple) and is_missing(play, held)}
        picked = draw.choice([play for play in allowed if play in ours])
        theirs.apply_action(allowed[picked])
        for action in ours[picked]:
            env.step(action)
        led, moves = picked[0] if isinstance(picked, tuple) else led, moves + 1
    assert theirs.is_terminal() and theirs.returns() == list(env.rewards.values())
    return moves


@pytest.mark.rule("DD-06", "DD-07", "DD-10", "DD-11", "DD-12", "DD-14", "DD-15", "DD-18", "DD-19", "DD-20", "DD-21", "DD-25")
@pytest.mark.parametrize("games", [40, pytest.param(1000, marks=pytest.mark.long)])
def test_move_by_move_beside_openspiel(games: int) -> None:
    env = raw_env(GAME, redeals=0, four_with_two=False)
    assert sum(play_beside(env, seed) for seed in range(games)) > 40 * games


# --- the player ---

PLAYER = PolicyAgent("rules", policy, 3)


def answer(env: Any) -> str:
    seen = env.observe(env.agent_selection)
    (action,) = PLAYER.act_batch(
        Views.of(seen["observation"][None], seen["action_mask"].view(np.uint8)[None]), np.random.default_rng(0)
    )
    return env.action_label(int(action))


@pytest.mark.parametrize("places", [(0,), (1, 2)], ids=["landlord", "peasants"])
def test_the_player_beats_random_ones(places: tuple[int, ...]) -> None:
    """Alone as who bids first and most, against a landlord with a partner: random players bid three times in four."""
    options = GAME.make_options({"first_bidder": 0, "doublings": 0})
    agents = [PLAYER if seat in places else RandomAgent() for seat in range(3)]
    returns = play_batch(GAME, options, agents, 300, seed=1)
    won = returns[:, list(places)].sum(axis=1)
    assert won.mean() > 1.5 and won.mean() > 8 * won.std() / 300**0.5


def test_the_player_bids_by_its_hand() -> None:
    env = dealt("2 2 2 SJ BJ K K K T T T 7 7 7 5 5 5", "3 3 4 4 5 6 6 8 8 9 9 J J Q Q A A", "")
    assert answer(env) == "bid 3"
    bid(env, "pass")
    assert answer(env) == "pass"


def test_peasants_play_together() -> None:
    """They leave rounds to their partner much more often than to the landlord."""
    batch, passed, asked = wilddeck.make_batch(GAME, 300, seed=1), Counter[bool](), Counter[bool]()
    for _ in range(100):
        actions = PLAYER.act_batch(Views.of(batch.observation, batch.action_mask), np.random.default_rng(0))
        states, mover = batch.states, batch.current_player
        is_choice = (batch.action_mask[:, 0] == 1) & (batch.action_mask.sum(axis=1) > 1) & (states["lead"] >= 0)
        for row in np.flatnonzero(is_choice & (mover != states["landlord"])):
            of_partner = bool(states["last"][row] != states["landlord"][row])
            asked[of_partner] += 1
            passed[of_partner] += actions[row] == 0
        batch.step(actions)
    assert min(asked.values()) > 1000
    assert passed[True] / asked[True] > 1.5 * passed[False] / asked[False]


def test_an_opponent_with_one_card_is_led_none_that_they_beat() -> None:
    env = dealt(f"{RUN} 3 8 8 2 2", "4 5 9 9 Q", "6 T J", bottom="SJ BJ 2")
    bid(env, "3")
    do(env, f"play {RUN}", "pass", "pass", "play SJ BJ", "pass", "pass", "play 2 2 2", "pass", "pass", "play 8 8", "play 9 9")
    do(env, "pass", "pass")
    assert len(env.zones()["hand/0"]) == 1 and {"play 4", "play Q", "play 3 4 5 6 7"} < set(labels(env))
    assert len(answer(env).split()) > 2


# --- the trained player ---


def test_the_trained_player_says_what_made_it() -> None:
    about = json.loads(GAME.file("weights/dou_dizhu_v0.json").read_text(encoding="utf-8"))
    data = GAME.file("weights/dou_dizhu_v0.safetensors").read_bytes()
    assert about["sha256"] == hashlib.sha256(data).hexdigest() and len(data) < trained.MAX_BYTES


@pytest.mark.long
def test_the_trained_player_beats_random_ones_and_the_rules() -> None:
    options = GAME.make_options({})
    player = trained.make(GAME, options)
    result = evaluate(player, RandomAgent(), GAME, options, 100, seed=1)
    assert result.mean > 3 and result.mean > 5 * result.standard_error
    result = evaluate(player, PLAYER, GAME, options, 5000, seed=11)
    assert result.mean > 2 * result.standard_error
