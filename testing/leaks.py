"""No hidden information reaches a seat through observations, masks, labels or determinizations.

`determinize` for a seat must sample arrangements of the seat's information state, from its knowledge alone. A sampler that
returns the true state would pass a check of consistency, but not these checks together:
(i) the seat cannot distinguish a determinization from the true state; (ii) a state and a determinization of it give equal
samples for equal seeds; (iii) if more than one arrangement is possible, samples differ; (iv) observations and masks of a seat
are the same in all of them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np

from ..envs.core.aec import CardGameEnv
from ..envs.core.batch import game_kernels
from ..envs.core.cards import HIDDEN
from ..envs.core.events import Event
from ..envs.core.extended.sets import RANK, SUIT
from ..envs.core.game import as_record, as_records
from ..envs.core.public import PublicView
from ..envs.core.zones import ZoneRole, kind
from .cases import Case
from .checks import check, expect, fail, same
from .played import determinizations, moments, play_random, remembering, running

SEATS = 4  # seats looked at in one moment; they rotate
JOKERS = (52, 53)
FREE = (ZoneRole.HAND, ZoneRole.FAN, ZoneRole.STOCK)
LACKED = {"suit": SUIT, "rank": RANK}
SAMPLES = 12  # two exchangeable cards are exchanged in half of them
OFTEN = 8
SAMPLED = 8  # for the masks


def views(case: Case) -> Iterator[tuple[int, CardGameEnv, int]]:
    """Moments and seats: always the player to move and, in games with many seats, a rotating selection."""
    for number, env in enumerate(moments(case)):
        for seat in _viewers(number, env):
            yield number, env, seat


def _viewers(number: int, env: CardGameEnv) -> set[int]:
    n = env.num_players
    return {env.current_player, *((number * SEATS + k) % n for k in range(min(SEATS, n)))}


@check("determinize", "observe", scope="slow")
def check_a_determinization_looks_like_the_truth(case: Case) -> None:
    """(i), (iv): observation, mask, labels, zones and facts for the seat are byte-equal, so none of them reveals more."""
    for number, env, seat in views(case):
        agent = f"player_{seat}"
        seen, legal, shown = env.observe(agent), env.legal_actions(), env.zones(agent)
        for seed in (number, 2**128 - 1 - number):
            sample = env.determinize(agent, seed)
            looks, other = sample.observe(agent), f"differs for {agent} in a determinization for {agent}"
            for name, where in env.observation_layout.items():
                block = f"the block {name!r} {other}, so it reveals what determinize redraws"
                same(looks["observation"][where], seen["observation"][where], block, env, "observe")
            same(looks["action_mask"], seen["action_mask"], f"the mask {other}", env, "legal_actions")
            same(sample.zones(agent), shown, f"the result of zones {other}", env, "zones")
            same(sample.teams(), env.teams(), f"the list of teams {other}", env, "teams_in_play")
            same(sample.facts(agent), env.facts(agent), f"the result of describe {other}", env, "describe")
            same(sample.agent_selection, env.agent_selection, f"the player to move {other}", env)
            same(sample.terminations, env.terminations, f"the end {other}", env)
            if seat == env.current_player:
                same(sample.legal_actions(), legal, f"the list of legal actions {other}", env, "legal_actions")
                for action in legal[:10]:
                    label = f"the label of action {action} {other}"
                    same(sample.action_label(action), env.action_label(action), label, env, "labels")


@check("zones", "describe", scope="slow")
def check_what_is_public_is_known_to_every_seat(case: Case) -> None:
    """Spectators' cards and facts are the same in a determinization for any seat, and each seat's history has their events."""
    remembering(case)  # so that the game is replayed once, not for each moment
    for number, env in enumerate(moments(case)):
        seen = PublicView(env)
        zones, facts, events = seen.zones(), seen.facts(), seen.history()
        for seat in _viewers(number, env):
            other = PublicView(env.determinize(f"player_{seat}", number))
            shown = f"the spectators' view reveals to player_{seat} what they cannot know:"
            same(other.zones(), zones, f"{shown} zones", env, "zones")
            same(other.facts(), facts, f"{shown} facts", env, "describe")
            expect(_is_part(events, env.history(f"player_{seat}")), f"{shown} events", env)


def _is_part(events: list[Event], whole: list[Event]) -> bool:
    """Whether a history has all these events in this order, with no card that it hides."""
    rest = iter(whole)
    return all(any(_tells_no_more(event, other) for other in rest) for event in events)


def _tells_no_more(event: Event, other: Event) -> bool:
    alike = all(getattr(event, name) == getattr(other, name) for name in ("kind", "player", "other", "amount"))
    return (
        alike
        and len(event.cards) == len(other.cards)
        and all(card in (HIDDEN, there) for card, there in zip(event.cards, other.cards, strict=True))
    )


@check("determinize")
def check_equal_knowledge_gives_equal_samples(case: Case) -> None:
    """(ii): samples for the same seed are byte-equal; they do not depend on the true arrangement."""
    for number, env, seat in views(case):
        samples = determinizations(env, seat, range(number, number + 3))
        wrong = f"samples depend on the truth: two games that player_{seat} cannot tell apart differ in samples of one seed"
        for other in samples:
            again = determinizations(env, seat, range(number, number + 3), of=other.reshape(1))
            for one, two in zip(samples, again, strict=True):
                same(one, two, wrong, env)


@check("determinize", scope="slow")
def check_samples_vary_wherever_they_can(case: Case) -> None:
    """(iii): in each state a few seeds give at least two hidden arrangements, and each kind of zone that is often hidden has
    other cards in some sample."""
    hidden: Counter[str] = Counter()
    varied = set()
    for number, env, seat in views(case):
        agent = f"player_{seat}"
        samples = [_arrangement(env, record) for record in determinizations(env, seat, range(number, number + SAMPLES))]
        varied |= {kind(name) for name in samples[0] if any(other[name] != samples[0][name] for other in samples)}
        shown = env.zones(agent)
        hidden.update({kind(name) for name, cards in shown.items() if -1 in cards})
        if all(other == samples[0] for other in samples) and exchangeable(env, agent):
            is_truth = samples[0] == _arrangement(env, env.record[0])
            which = "the truth" if is_truth else "one arrangement"
            fail(f"{SAMPLES} samples for {agent} are all {which}, although hidden cards could be exchanged: {shown}", env)
    same_always = sorted({name for name, times in hidden.items() if times > OFTEN} - varied)
    expect(not same_always, f"zones {same_always} hide cards, but all samples hold the same cards there")


@check("determinize")
def check_chance_to_come_is_redrawn(case: Case) -> None:
    """A sample has neither the seed of the episode nor the generator's next numbers, and depends on neither."""
    for number, env, seat in views(case):
        (sample,) = determinizations(env, seat, [number])
        other = env.record.copy()
        for name in ("seed", "seed_high", "rng", "rng_key"):
            expect(sample[name] != env.record[name][0], f"a sample for player_{seat} has the true {name}", env)
            other[name] ^= np.uint64(0xFFFF)
        other["move_count"] += 1
        other["rewards"] += 1
        (again,) = determinizations(env, seat, [number], of=other)
        same(again, sample, f"a sample for player_{seat} depends on future random numbers, move_count or rewards", env)


@check("determinize")
def check_a_determinization_is_a_game(case: Case) -> None:
    """It has the same cards, and can be played on: with legal actions of the true state, then random ones."""
    for number, env in enumerate(running(case)[::2]):
        deck = sorted(env.game.deck(env.options))
        sample = env.determinize(env.agent_selection, number)
        for steps, _ in enumerate(play_random(sample, number, 6), 1):
            held = sorted(card for cards in sample.zones().values() for card in cards)
            after = f"{steps} moves after determinize for {env.agent_selection}"
            expect(held == deck, f"the zones do not hold the deck {after}", env)


@check("legal_actions")
def check_what_others_know_is_not_asked_for(case: Case) -> None:
    """(iv): the mask of the player to move is the same in every game of their information state."""
    for number, env in enumerate(running(case)):
        legal, asked = env.legal_actions(), f"the legal actions of {env.agent_selection} depend on what they cannot know"
        records = as_records(determinizations(env, env.current_player, range(number, number + SAMPLED)))
        masks = np.zeros((SAMPLED, env.num_actions), np.uint8)
        observations, movers = np.zeros((SAMPLED, env.observation_size), np.float32), np.zeros(SAMPLED, np.int64)
        game_kernels(env.game)["view_games"](records, observations, masks, movers)
        for mask in masks:
            same(np.flatnonzero(mask).tolist(), legal, asked, env)


def exchangeable(env: CardGameEnv, agent: str) -> bool:
    """Whether two different hidden cards can certainly change places: in an ordered zone, or in two free ones.

    Jokers are excluded, because rules may restrict them, and so are other zones, such as piles whose cards an agent may know,
    but not their order. In a game that reveals which suits or ranks a player lacks, only cards of one suit or rank count.
    """
    truth = env.zones()
    hidden = {
        name: {card for card in Counter(truth[name]) - Counter(cards) if card not in JOKERS}
        for name, cards in env.zones(agent).items()
        if len(cards) == len(truth[name])  # the agent does not know the sizes of the others
    }
    role = env.game.zone_role
    if any(len(cards) > 1 for name, cards in hidden.items() if role(name) is ZoneRole.STOCK):
        return True
    free = [cards for name, cards in hidden.items() if cards and role(name) in FREE]
    groups = [free]
    for block in env.game.observation.blocks:
        if block.lacks:
            number = LACKED[block.lacks]
            groups = [
                [{card for card in cards if number[card] == value} for cards in group]
                for group in groups
                for value in sorted(set(number.tolist()))
            ]
    pairs = [pair for group in groups for pair in itertools.combinations([cards for cards in group if cards], 2)]
    return any(one != two or len(one) > 1 for one, two in pairs)


def _arrangement(env: CardGameEnv, record: np.void) -> dict[str, list[int]]:
    """The cards of each zone: in order in ordered zones, sorted elsewhere."""
    zones = env.game.zones(as_record(record.reshape(1)), None)
    stock = ZoneRole.STOCK
    return {name: cards if env.game.zone_role(name) is stock else sorted(cards) for name, cards in zones.items()}
