"""Determinizations for a seat do not depend on actions that it has not observed. (leaks.py checks the same for hidden cards.)

If all that a seat can observe is the same before and after another's action, or in two games, samples are equal, byte for byte.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from ..envs.core.aec import CardGameEnv
from ..envs.core.cards import HIDDEN
from . import played
from .cases import Case
from .checks import check, expect, same
from .played import actions_of, determinizations, has_secrets, remembering

STEPS = 120  # of a game, compared one by one
TOGETHER = 10  # steps of two games played in parallel
STARTS = 10
TRIES = 40  # actions tried in the second game to make it look like the first
DEPTH = 3  # consecutive actions of others


def sight(env: CardGameEnv, seat: int) -> tuple[Any, ...]:
    """All that a seat can observe, including rewards."""
    return (*played.sight(env, seat), *env.rewards.values())


def expect_equal_samples(one: CardGameEnv, two: CardGameEnv, seat: int, seed: int) -> None:
    wrong = f"player_{seat} cannot distinguish two games, but their samples for the same seed differ"
    for first, second in zip(*(determinizations(env, seat, [seed, seed + 1]) for env in (one, two)), strict=True):
        same(first, second, wrong, one)


@check("determinize", scope="slow")
def check_an_action_that_does_not_show_leaves_no_trace(case: Case) -> None:
    """From one step to the next, for all players who do not move."""
    env = case.raw()
    env.reset(seed=case.seed)
    actions = actions_of(case)
    for number, action in enumerate(actions):
        if STEPS <= number < len(actions) - 20:
            env.step(action)
            continue
        before, mover = env.clone(), env.current_player
        env.step(action)
        for seat in range(env.num_players):
            if seat != mover and sight(before, seat) == sight(env, seat):
                expect_equal_samples(before, env, seat, number)


@check("determinize", "observe", scope="slow")
def check_games_that_look_alike_have_equal_samples_and_are_told_alike(case: Case) -> None:
    """A game and another of the same information state of a seat are played in parallel: each action in the first is matched by
    actions in the second that look the same to the seat, in one or several steps. Whenever the games look the same, samples are
    equal, and the terminal shows a person the same events."""
    met = 0
    for number, pair in enumerate(side_by_side(case)):
        expect_equal_samples(pair.one, pair.two, pair.seat, number)
        if pair.one.current_player == pair.seat:  # else a turn may not be over yet in one
            expect_equal_histories(pair)
        met += 1
    if len(actions_of(case)) > 4:
        enough = 3 if has_secrets(case) else 0  # with little hidden, games rarely look the same
        expect(met > enough, f"determinizations rarely continue like the true game: {met} times, and {enough + 1} are expected")


def expect_equal_histories(pair: Pair) -> None:
    """Except for cards that both games show by now (such as a card drawn face up and played at once) and for events without a
    player: a whole coup may be dealt and cleared within one step."""
    agent = f"player_{pair.seat}"
    one, two = (
        [event for event in events if event.player is not None]
        for events in (pair.one.history(agent)[pair.since :], pair.two.history(agent))
    )
    what = f"{agent} cannot distinguish two games, but got different events"
    same(len(one), len(two), f"{what}, in number", pair.one, "EVENTS")
    for first, second in zip(one, two, strict=True):
        if first != second:
            same(replace(first, cards=()), replace(second, cards=()), what, pair.one, "EVENTS")
            for env, event in ((pair.one, first), (pair.two, second)):
                in_sight = {card for ids in env.zones(agent).values() for card in ids}
                good = set(event.cards) <= in_sight - {HIDDEN}
                expect(good, f"{what}: {event.text()!r}, {first.text()!r} and {second.text()!r}", pair.one, "EVENTS")


class Pair(NamedTuple):
    """Two games that a seat cannot distinguish."""

    one: CardGameEnv
    two: CardGameEnv
    seat: int
    since: int  # events of the first before the second, a determinization, began


def side_by_side(case: Case) -> Iterator[Pair]:
    starts = remembering(case)
    draw = random.Random(case.seed)
    for number, start in enumerate(starts[:: max(1, len(starts) // STARTS)]):
        seat = (number * 5 + start.current_player + number % 2) % start.num_players
        one, two = start.clone(), None
        for step in range(TOGETHER):
            legal = one.legal_actions()
            if not legal:
                break
            own, action = one.current_player == seat, draw.choice(legal)
            if two is None:
                two = one.determinize(f"player_{seat}", step)
                since = len(one.history(f"player_{seat}"))
            one.step(action)
            if own:
                two.step(action)
            two = alike(two, seat, sight(one, seat), draw, 0 if own else DEPTH)
            if two is not None:
                yield Pair(one, two, seat, since)


def alike(env: CardGameEnv, seat: int, expected: tuple[object, ...], draw: random.Random, depth: int) -> CardGameEnv | None:
    """`env` after at most `depth` actions of others, as soon as the seat's view is the expected one; else None."""
    waiting: deque[tuple[CardGameEnv, int]] = deque([(env, 0)])
    tries = 0
    while waiting:
        game, steps = waiting.popleft()
        if sight(game, seat) == expected:
            return game
        legal = game.legal_actions()
        if steps == depth or game.current_player == seat:
            continue
        for action in draw.sample(legal, min(len(legal), TRIES)):
            if tries < TRIES:
                tries += 1
                after = game.clone()
                after.step(action)
                waiting.append((after, steps + 1))
    return None
