"""What a seat has not seen leaves no trace in its samples: not what others hold, which test_leaks.py looks after, and not what
they have done.

Where all that a seat can ask for is the same before and after an action of another, or in two games, samples are equal to the
byte.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from support import Case, actions_of, determinizations, each_slow_case, has_secrets, remembering
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import HIDDEN

STEPS = 120  # of a game, looked at one by one
TOGETHER = 10  # steps that two games are led along together
STARTS = 10
TRIES = 40  # actions tried in the second game to have it look like the first
DEPTH = 3  # actions of others behind each other


def sight(env: CardGameEnv, seat: int) -> tuple[object, ...]:
    """All that a seat can ask for: observation, cards by zone, words, who is to move, rewards."""
    agent = f"player_{seat}"
    seen = env.observe(agent)
    asked = (seen["observation"].tobytes(), seen["action_mask"].tobytes(), repr(env.zones(agent)), env.describe(agent))
    return (*asked, env.agent_selection, *env.rewards.values(), *env.terminations.values())


def assert_equal_samples(one: CardGameEnv, two: CardGameEnv, seat: int, seed: int) -> None:
    for first, second in zip(*(determinizations(env, seat, [seed, seed + 1]) for env in (one, two)), strict=True):
        different = [name for name in first.dtype.names or () if first[name].tobytes() != second[name].tobytes()]
        assert first.tobytes() == second.tobytes(), (f"player_{seat}", different, one.zones(), two.zones())


@each_slow_case
def test_an_action_that_does_not_show_leaves_no_trace(case: Case) -> None:
    """From one step to the next, for all who do not move."""
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
                assert_equal_samples(before, env, seat, number)


@each_slow_case
def test_games_that_look_alike_have_equal_samples_and_are_told_alike(case: Case) -> None:
    """A game, and another that a seat cannot tell from it, are led along together: whatever is done in the first, something is
    done in the second that looks the same to the seat, in one step or in several. Where they look alike, samples are equal,
    and a person at the terminal is told the same."""
    met = 0
    for number, pair in enumerate(side_by_side(case)):
        assert_equal_samples(pair.one, pair.two, pair.seat, number)
        if pair.one.current_player == pair.seat:  # else a turn may not be over yet in one
            assert_equal_histories(pair)
        met += 1
    if len(actions_of(case)) > 4:
        assert met > (3 if has_secrets(case) else 0)  # of what lies open to all, games seldom look alike


def assert_equal_histories(pair: Pair) -> None:
    """But for cards that both games show by now, as one that was drawn in the open and laid at once, and for what nobody did:
    a whole coup may be shown and swept away in one step."""
    agent = f"player_{pair.seat}"
    one, two = (
        [event for event in events if event.player is not None]
        for events in (pair.one.history(agent)[pair.since :], pair.two.history(agent))
    )
    assert len(one) == len(two)
    for first, second in zip(one, two, strict=True):
        if first != second:
            assert replace(first, cards=()) == replace(second, cards=())
            for env, event in ((pair.one, first), (pair.two, second)):
                in_sight = {card for ids in env.zones(agent).values() for card in ids}
                assert set(event.cards) <= in_sight - {HIDDEN}, (event.text(), first.text(), second.text())


class Pair(NamedTuple):
    """Two games that look alike to a seat."""

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
    """`env`, or what it comes to by so many actions of others, as soon as it looks as expected to the seat."""
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
