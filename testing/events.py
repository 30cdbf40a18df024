"""Events: what a seat perceives of what happens. It is all that the seat needs to remember, and no hidden card is in it."""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Iterator

from ..agents.base import View
from ..agents.llm.prompts import Template
from ..envs.core import cards
from ..envs.core.aec import CardGameEnv
from ..envs.core.events import Event
from .cases import Case
from .checks import check, expect, fail, same
from .played import actions_of, first_deck, has_secrets, play_random, remembering, sight

STARTS = 6  # of pairs of games
OPENINGS = 3  # games dealt otherwise, for each seat
LATEST = 200  # moves before two games are led along
TOGETHER = 12  # steps that two games are led along together
_SLIPS = re.compile(r"\byou (is|has|[a-z]*[a-rt-z]s)\b|of you\b|you's\b")  # said to a player as of others
SAMPLES = 20  # of what a seat might take for true
SWAPS = 12  # of cards in a deck, tried
TRIES = 6  # actions tried in the second game to have it sound like the first, and second games tried


@check("step", "begin")
def check_every_card_that_comes_into_sight_is_told(case: Case) -> None:
    """To each seat, by an event of that step, unless they can conclude it; and what is told is how the game was played."""
    env = case.raw()
    env.reset(seed=case.seed)
    before: list[set[int]] = [set() for _ in env.possible_agents]
    known = [0] * env.num_players
    for action in [None, *actions_of(case)[:200]]:
        earlier = env.clone()
        if action is not None:
            env.step(action)
        for seat in range(env.num_players):
            events = env.history(f"player_{seat}")[known[seat] :]
            told = {card for event in events for card in event.cards}
            text = " ".join(event.text(seat) for event in events)
            expect(not _SLIPS.search(text), f"events read wrongly as told to player_{seat} themselves: {text!r}", env, "EVENTS")
            now = in_sight(env, seat)
            untold = now - before[seat] - told
            if untold and not is_concluded(untold, seat, earlier, action, events):
                begins = "begin" if action is None else "step"
                which = f"{case.game.cards.text(sorted(untold))} came into the sight of player_{seat} by {begins}"
                fail(f"no event told of it when {which}; it told {[event.text() for event in events]}", env, begins)
            before[seat], known[seat] = now | before[seat] if not has_dealt(events) else now, known[seat] + len(events)
    assert env._history is not None
    same(env._history._states[0], env.record[0], "interpreted for its history, the game does not end as it was played", env)


def is_concluded(untold: set[int], seat: int, env: CardGameEnv, action: int | None, events: list[Event]) -> bool:
    """Whether cards come into sight because they can be nowhere else: then they do so in all games that might be the true one,
    whatever is done that sounds alike."""
    if action is None:  # as the game begins, in games of other seeds
        for number in range(SAMPLES):
            env.reset(seed=number)
            if env.history(f"player_{seat}") == events and not untold <= in_sight(env, seat):
                return False
        return True
    for number in range(SAMPLES):
        sample = env.determinize(f"player_{seat}", number)
        for other in [action] if sample.current_player == seat else sample.legal_actions():
            after = sample.clone()
            if after.is_legal(other):
                after.step(other)
                if after.history(f"player_{seat}") == events and not untold <= in_sight(after, seat):
                    return False
    return True


def has_dealt(events: list[Event]) -> bool:
    return any(event.kind == "hand" for event in events)


def in_sight(env: CardGameEnv, seat: int) -> set[int]:
    return {card for ids in env.zones(f"player_{seat}").values() for card in ids if card != cards.HIDDEN}


@check("step", "begin")
def check_nothing_hidden_is_told(case: Case) -> None:
    """From the deal on: a seat has the same history in a game dealt otherwise, as long as they look alike to it, its prompt is
    the same, and determinizations of the two are the same in all that a copy or a pickle holds."""
    met = 0
    for one, two, seat in openings(case):
        agent = f"player_{seat}"
        told = [[event.text() for event in env.history(agent)] for env in (one, two)]
        expect(one.history(agent) == two.history(agent), f"events tell {agent} what they do not see: {told[0]}, {told[1]}", one)
        if seat == one.current_player:
            prompt, other = (Template().messages(View.of(env)) for env in (one, two))
            expect(prompt == other, f"the prompt for {agent} has what they do not see: {prompt[-1]}, {other[-1]}", one)
        first, second = (env.determinize(agent, 1).__getstate__() for env in (one, two))
        same(first, second, f"determinizations for {agent} of two games that look alike to them", one, "determinize")
        met += 1
    expect(met > 0 or not has_secrets(case), "no other deal looks alike to anybody: events cannot be compared")


def openings(case: Case) -> Iterator[tuple[CardGameEnv, CardGameEnv, int]]:
    """A game at its first decision, and one of the same seed whose deck has other cards where the seat does not see them."""
    env, other = case.raw(), case.raw()
    for seed in range(case.seed, case.seed + OPENINGS):
        env.reset(seed=seed)
        deck = first_deck(env, seed)
        for seat in range(env.num_players):
            sample = env.determinize(f"player_{seat}", seed)
            other.reset(seed=seed, options={"deck": exchanged(deck, env.zones(), sample.zones())})
            if sight(env, seat) == sight(other, seat) or exchange_some(env, other, seat, deck, seed):
                yield env, other, seat


def exchanged(deck: list[int], zones: dict[str, list[int]], others: dict[str, list[int]]) -> list[int]:
    """The deck with the cards that lie in the same places of other zones."""
    places: dict[int, list[int]] = {}
    for zone, ids in zones.items():
        for card, instead in zip(ids, others[zone], strict=True):
            places.setdefault(card, []).append(instead)
    return [places[card].pop() if places.get(card) else card for card in deck]


def exchange_some(env: CardGameEnv, other: CardGameEnv, seat: int, deck: list[int], seed: int) -> bool:
    """Begin the other game with a deck in which two cards after another have changed places, as long as the seat does not see
    it. (Of several copies of a card nobody knows which lies where, and piles that are chosen by chance depend on the cards.)"""
    draw, current, seen = random.Random(seed), deck, in_sight(env, seat)
    for _ in range(SWAPS):
        one, two = draw.sample(range(len(deck)), 2)
        if {current[one], current[two]} <= seen:  # the order of the cards in the seat's own hand it does see
            continue
        tried = list(current)
        tried[one], tried[two] = current[two], current[one]
        other.reset(seed=seed, options={"deck": tried})
        if sight(env, seat) == sight(other, seat):
            current = tried
    other.reset(seed=seed, options={"deck": current})
    return current != deck


@check("step", "observe", scope="slow")
def check_who_has_perceived_the_same_sees_the_same(case: Case) -> None:
    """A history is all there is to know: two games whose histories are equal for a seat look alike to it."""
    met = 0
    for one, two, seat in pairs(case):
        if sight(one, seat) != sight(two, seat):
            agent = f"player_{seat}"
            told = [event.text() for event in one.history(agent)][-6:]
            fail(f"{agent} was told the same in two games and sees other {_unlike(one, two, agent)}; told at last: {told}", one)
        met += 1
    if len(actions_of(case)) > 4 and case.raw().num_players > 1:  # alone, nobody else does what may sound alike
        expect(met > 2, f"games with equal histories go on alike {met} times only, 3 are expected", None, "determinize")


def _unlike(one: CardGameEnv, two: CardGameEnv, agent: str) -> str:
    """What an agent sees otherwise in two games."""
    seen = [env.observe(agent)["observation"] for env in (one, two)]
    blocks = [name for name, where in one.observation_layout.items() if (seen[0][where] != seen[1][where]).any()]
    zones = [name for name, ids in one.zones(agent).items() if two.zones(agent).get(name) != ids]
    return (
        " and ".join(f"{what} {', '.join(found)}" for what, found in (("blocks", blocks), ("zones", zones)) if found) or "words"
    )


def pairs(case: Case) -> Iterator[tuple[CardGameEnv, CardGameEnv, int]]:
    """Games with equal histories for a seat: one, and another that was dealt otherwise or is a determinization of it, in which
    things are done that sound alike."""
    starts = [env for env in remembering(case) if env.record["move_count"][0] <= LATEST]
    draw = random.Random(case.seed)
    for number, start in enumerate(starts[:: max(1, len(starts) // STARTS)]):
        seat = (number * 5 + start.current_player + number % 2) % start.num_players
        met, again = False, 0
        while not met and again < TRIES:  # chance or hidden cards may tell the two apart at once
            sample = start.determinize(f"player_{seat}", number + STARTS * again)
            for pair in led_along(start, sample, seat, draw):
                met = True
                yield pair
            again += 1
    for one, two, seat in openings(case):
        yield one, two, seat
        yield from led_along(one, two, seat, draw)


def led_along(
    one: CardGameEnv, two: CardGameEnv, seat: int, draw: random.Random
) -> Iterator[tuple[CardGameEnv, CardGameEnv, int]]:
    one, agent = one.clone(), f"player_{seat}"
    since = len(one.history(agent)) - len(two.history(agent))  # a determinization has no past
    for _ in range(TOGETHER):
        legal = one.legal_actions()
        if not legal:
            return
        own, action = one.current_player == seat, draw.choice(legal)
        one.step(action)
        others = [] if own else draw.sample(two.legal_actions(), min(TRIES, len(two.legal_actions())))
        candidates = [*others, action]  # another action, that the seat would not notice, tells most
        after = sounding_alike(two, agent, candidates, one.history(agent)[since:])
        if after is None:
            return
        two = after
        yield one, two, seat


def sounding_alike(env: CardGameEnv, agent: str, candidates: list[int], expected: list[Event]) -> CardGameEnv | None:
    env.history(agent)  # which the copies then need not find again from the beginning
    for action in candidates:
        if env.is_legal(action):
            after = env.clone()
            after.step(action)
            if after.history(agent) == expected:
                return after
    return None


@check("step")
def check_histories_go_where_games_go(case: Case) -> None:
    """Copies, pickles and saves have them; each goes on by itself; a determinization begins its own."""
    env = case.raw()
    env.reset(seed=case.seed)
    list(play_random(env, case.seed, 10))
    everything = env.history()
    copy, back, loaded = env.clone(), pickle.loads(pickle.dumps(env)), case.raw()
    loaded.load(env.save())
    list(play_random(env, case.seed + 1, 3))
    same(env.history()[: len(everything)], everything, "the past has changed by going on", env)
    for name, other in (("clone", copy), ("pickle", back), ("load", loaded)):
        same(other.history(), everything, f"a game by {name} has another history", env)
        here, there = ([event.text() for event in game.history("player_0")] for game in (other, copy))
        same(here, there, f"a game by {name} has other sentences", env)
    sample = copy.determinize("player_0", 1)
    expect(not sample.history() and not sample.history("player_0"), "the true past is in a determinization", env)
    list(play_random(sample, case.seed, 1))
    none = sample.is_over or not sample.determinize("player_0", 2).history()
    expect(none, "a determinization of a determinization has a past", env)
