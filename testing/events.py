"""Events, the observation history of a seat: they suffice to derive its observations, and reveal no hidden card."""

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
OPENINGS = 3  # games with a different deal, for each seat
LATEST = 200  # moves before two games are led along
TOGETHER = 12  # steps that two games are led along together
_SLIPS = re.compile(r"\byou (is|has|[a-z]*[a-rt-z]s)\b|of you\b|you's\b")  # third person in a text that addresses the player
SAMPLES = 20  # of the information state
SWAPS = 12  # of cards in a deck, tried
TRIES = 6  # actions tried in the second game to get the same events, and second games tried


@check("step", "begin")
def check_every_card_that_comes_into_sight_is_told(case: Case) -> None:
    """An event of that step shows it to the seat, unless the seat can infer it; and events are those of the game as played."""
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
            expect(not _SLIPS.search(text), f"a text for player_{seat} mixes second and third person: {text!r}", env, "EVENTS")
            now = in_sight(env, seat)
            untold = now - before[seat] - told
            if untold and not is_concluded(untold, seat, earlier, action, events):
                begins = "begin" if action is None else "step"
                which = f"player_{seat} sees {case.game.cards.text(sorted(untold))} after {begins}"
                fail(f"{which}, and no event shows it; events: {[event.text() for event in events]}", env, begins)
            before[seat], known[seat] = now | before[seat] if not has_dealt(events) else now, known[seat] + len(events)
    assert env._history is not None
    same(env._history._states[0], env.record[0], "replayed for its history, the game reaches a different state", env)


def is_concluded(untold: set[int], seat: int, env: CardGameEnv, action: int | None, events: list[Event]) -> bool:
    """Whether a seat sees cards because they can be nowhere else: then it sees them in every game of its information state,
    after every action with the same events."""
    if action is None:  # at the start, in games of other seeds
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
    """After different deals that a seat cannot distinguish, its history and prompt are the same, and so are determinizations,
    including everything that a copy or a pickle holds."""
    met = 0
    for one, two, seat in openings(case):
        agent = f"player_{seat}"
        told = [[event.text() for event in env.history(agent)] for env in (one, two)]
        expect(one.history(agent) == two.history(agent), f"events reveal to {agent} what is hidden: {told[0]}, {told[1]}", one)
        if seat == one.current_player:
            prompt, other = (Template().messages(View.of(env)) for env in (one, two))
            expect(prompt == other, f"the prompt reveals to {agent} what is hidden: {prompt[-1]}, {other[-1]}", one)
        first, second = (env.determinize(agent, 1).__getstate__() for env in (one, two))
        same(first, second, f"{agent} cannot distinguish two games, but their samples differ", one, "determinize")
        met += 1
    expect(met > 0 or not has_secrets(case), "no other deal looks the same to any player, so events cannot be compared")


def openings(case: Case) -> Iterator[tuple[CardGameEnv, CardGameEnv, int]]:
    """A game at its first decision, and one of the same seed whose deck differs only in cards that the seat does not see."""
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
    """The deck with the cards at the same places of other zones."""
    places: dict[int, list[int]] = {}
    for zone, ids in zones.items():
        for card, instead in zip(ids, others[zone], strict=True):
            places.setdefault(card, []).append(instead)
    return [places[card].pop() if places.get(card) else card for card in deck]


def exchange_some(env: CardGameEnv, other: CardGameEnv, seat: int, deck: list[int], seed: int) -> bool:
    """Reset the other game with a deck in which pairs of cards are swapped, one after another, where the seat does not see it.
    (Nobody can tell copies of a card apart, and piles that are chosen at random depend on the cards.)"""
    draw, current, seen = random.Random(seed), deck, in_sight(env, seat)
    for _ in range(SWAPS):
        one, two = draw.sample(range(len(deck)), 2)
        if {current[one], current[two]} <= seen:  # a seat sees the order of its own hand
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
    """A history determines the observation: two games with equal histories for a seat look the same to it."""
    met = 0
    for one, two, seat in pairs(case):
        if sight(one, seat) != sight(two, seat):
            agent = f"player_{seat}"
            told = [event.text() for event in one.history(agent)][-6:]
            fail(f"{agent} sees different {_unlike(one, two, agent)} after equal histories; last events: {told}", one)
        met += 1
    if len(actions_of(case)) > 4 and case.raw().num_players > 1:  # a single player has no others whose actions could look alike
        expect(met > 2, f"games with equal histories stay equal only {met} times, 3 are expected", None, "determinize")


def _unlike(one: CardGameEnv, two: CardGameEnv, agent: str) -> str:
    """The names of the blocks and zones that an agent sees differently in two games."""
    seen = [env.observe(agent)["observation"] for env in (one, two)]
    blocks = [name for name, where in one.observation_layout.items() if (seen[0][where] != seen[1][where]).any()]
    zones = [name for name, ids in one.zones(agent).items() if two.zones(agent).get(name) != ids]
    return (
        " and ".join(f"{what} {', '.join(found)}" for what, found in (("blocks", blocks), ("zones", zones)) if found) or "words"
    )


def pairs(case: Case) -> Iterator[tuple[CardGameEnv, CardGameEnv, int]]:
    """Pairs of games with equal histories for a seat: one, and another with a different deal or a determinization of it, in
    which actions have the same events."""
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
        candidates = [*others, action]  # a different action with the same events is the strictest test
        after = sounding_alike(two, agent, candidates, one.history(agent)[since:])
        if after is None:
            return
        two = after
        yield one, two, seat


def sounding_alike(env: CardGameEnv, agent: str, candidates: list[int], expected: list[Event]) -> CardGameEnv | None:
    env.history(agent)  # computed once for all copies
    for action in candidates:
        if env.is_legal(action):
            after = env.clone()
            after.step(action)
            if after.history(agent) == expected:
                return after
    return None


@check("step")
def check_histories_go_where_games_go(case: Case) -> None:
    """Copies, pickles and saves keep the history; each continues it independently; a determinization starts a new one."""
    env = case.raw()
    env.reset(seed=case.seed)
    list(play_random(env, case.seed, 10))
    everything = env.history()
    copy, back, loaded = env.clone(), pickle.loads(pickle.dumps(env)), case.raw()
    loaded.load(env.save())
    list(play_random(env, case.seed + 1, 3))
    same(env.history()[: len(everything)], everything, "playing on changes the earlier history", env)
    for name, other in (("clone", copy), ("pickle", back), ("load", loaded)):
        same(other.history(), everything, f"a game copied by {name} has a different history", env)
        here, there = ([event.text() for event in game.history("player_0")] for game in (other, copy))
        same(here, there, f"a game copied by {name} has different event texts", env)
    sample = copy.determinize("player_0", 1)
    expect(not sample.history() and not sample.history("player_0"), "a determinization holds the true history", env)
    list(play_random(sample, case.seed, 1))
    none = sample.is_over or not sample.determinize("player_0", 2).history()
    expect(none, "a determinization of a determinization holds a history", env)
