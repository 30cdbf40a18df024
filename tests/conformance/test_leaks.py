"""Nothing a seat cannot know reaches it: through observations, masks, labels or determinizations.

`determinize` for a seat must give every arrangement the seat cannot tell from the true one, from its knowledge alone. A
sampler that returns the truth would pass a test of consistency; the tests together leave no room for one:
(i) the seat cannot tell a determinization from the truth; (ii) a state and a determinization of it, which the seat cannot
tell apart, give equal samples for equal seeds; (iii) wherever more than one arrangement is possible, samples differ.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
from support import Case, determinizations, each_case, each_slow_case, moments, play_random, running
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import SUITS
from wilddeck.envs.core.extended.sets import RANK, SUIT
from wilddeck.envs.core.game import as_record

SEATS = 4  # seats looked at in one moment; they rotate
JOKERS = (52, 53)
FREE = ("hand/", "pack/", "pile", "stock", "undealt")
ORDERED = ("pack/", "pile", "stock")
SAMPLES = 12  # two cards that may change places do so in half of them
OFTEN = 8


def views(case: Case) -> Iterator[tuple[int, CardGameEnv, int]]:
    """Moments and seats: of many seats, others at each moment; always the mover."""
    for number, env in enumerate(moments(case)):
        n = env.num_players
        for seat in {env.current_player, *((number * SEATS + k) % n for k in range(min(SEATS, n)))}:
            yield number, env, seat


@each_slow_case
def test_a_determinization_looks_like_the_truth(case: Case) -> None:
    """(i), (iv): observation, mask, labels, zones and words for the seat are byte-equal, so none of them tells more."""
    for number, env, seat in views(case):
        agent = f"player_{seat}"
        seen, legal = env.observe(agent), env.legal_actions()
        for seed in (number, 2**128 - 1 - number):
            sample = env.determinize(agent, seed)
            looks = sample.observe(agent)
            for name, where in env.observation_layout.items():
                assert looks["observation"][where].tobytes() == seen["observation"][where].tobytes(), name
            assert looks["action_mask"].tobytes() == seen["action_mask"].tobytes()
            assert sample.zones(agent) == env.zones(agent)
            assert sample.describe(agent) == env.describe(agent)
            assert sample.agent_selection == env.agent_selection
            assert sample.terminations == env.terminations
            if seat == env.current_player:
                assert sample.legal_actions() == legal
                for action in legal[:10]:
                    assert sample.action_label(action) == env.action_label(action)


@each_case
def test_equal_knowledge_gives_equal_samples(case: Case) -> None:
    """(ii): for the same seed, to the byte; the true arrangement leaves no trace in a sample."""
    for number, env, seat in views(case):
        samples = determinizations(env, seat, range(number, number + 3))
        for other in samples:
            again = determinizations(env, seat, range(number, number + 3), of=other.reshape(1))
            for one, two in zip(samples, again, strict=True):
                assert one.tobytes() == two.tobytes(), _differing(one, two)


@each_slow_case
def test_samples_vary_wherever_they_can(case: Case) -> None:
    """(iii): state by state, a handful of seeds give at least two hidden arrangements; and each kind of zone that is often
    hidden holds other cards in some sample."""
    hidden: Counter[str] = Counter()
    varied = set()
    for number, env, seat in views(case):
        agent = f"player_{seat}"
        samples = [_arrangement(env, record) for record in determinizations(env, seat, range(number, number + SAMPLES))]
        varied |= {kind(name) for name in samples[0] if any(other[name] != samples[0][name] for other in samples)}
        hidden.update({kind(name) for name, cards in env.zones(agent).items() if -1 in cards})
        different = any(other != samples[0] for other in samples)
        assert different or not exchangeable(env, agent), f"{agent} at moment {number}: {env.zones(agent)}"
    assert {name for name, times in hidden.items() if times > OFTEN} <= varied


@each_case
def test_chance_to_come_is_redrawn(case: Case) -> None:
    """A sample knows neither the seed of the episode nor the generator's next numbers, and depends on neither."""
    for number, env, seat in views(case):
        (sample,) = determinizations(env, seat, [number])
        other = env.record.copy()
        for name in ("seed", "seed_high", "rng", "rng_key"):
            assert sample[name] != env.record[name][0]
            other[name] ^= np.uint64(0xFFFF)
        other["move_count"] += 1
        other["rewards"] += 1
        assert determinizations(env, seat, [number], of=other)[0].tobytes() == sample.tobytes()


@each_case
def test_a_determinization_is_a_game(case: Case) -> None:
    """It holds the same cards, and goes on by the rules: the truth's legal actions, then random ones."""
    for number, env in enumerate(running(case)[::2]):
        deck = sorted(env.game.deck(env.options))
        sample = env.determinize(env.agent_selection, number)
        for _ in play_random(sample, number, 6):
            assert sorted(card for cards in sample.zones().values() for card in cards) == deck


@each_case
def test_what_others_know_is_not_asked_for(case: Case) -> None:
    """(iv): the mover's mask comes from the mover's knowledge: it is the same in every game the mover cannot tell apart."""
    for number, env in enumerate(running(case)):
        legal = env.legal_actions()
        mask = np.zeros(env.num_actions, np.uint8)
        for record in determinizations(env, env.current_player, range(number, number + 8)):
            mask[:] = 0
            env.game.functions["legal_actions"](np.asarray(record).reshape(1)[0], mask)
            assert np.flatnonzero(mask).tolist() == legal


def exchangeable(env: CardGameEnv, agent: str) -> bool:
    """Whether two different hidden cards can certainly change places: in an ordered zone, or in two free ones.

    Jokers are left out: rules may say where they cannot be. Other zones too, such as piles whose cards an agent may know
    without knowing which is which. In a game that says which suits a player lacks, or which ranks, only cards of one count.
    """
    truth = env.zones()
    hidden = {
        name: {card for card in Counter(truth[name]) - Counter(cards) if card not in JOKERS}
        for name, cards in env.zones(agent).items()
        if len(cards) == len(truth[name])  # of others the agent does not know the sizes
    }
    if any(len(cards) > 1 for name, cards in hidden.items() if name.startswith(ORDERED)):
        return True
    free = [cards for name, cards in hidden.items() if cards and name.startswith(FREE)]
    groups = [free]
    if "seen_void" in env.observation_layout:
        groups = [[{card for card in cards if SUIT[card] == suit} for cards in free] for suit in range(SUITS)]
    if "lacks" in env.observation_layout:
        groups = [[{card for card in cards if RANK[card] == rank} for cards in free] for rank in sorted(set(RANK.tolist()))]
    pairs = [pair for group in groups for pair in itertools.combinations([cards for cards in group if cards], 2)]
    return any(one != two or len(one) > 1 for one, two in pairs)


def kind(zone: str) -> str:
    return zone.partition("/")[0]


def _arrangement(env: CardGameEnv, record: np.void) -> dict[str, list[int]]:
    """Where the cards are: in order in ordered zones, as a collection elsewhere."""
    zones = env.game.zones(as_record(record.reshape(1)), None)
    return {name: cards if name.startswith(ORDERED) else sorted(cards) for name, cards in zones.items()}


def _differing(one: np.void, two: np.void) -> list[str]:
    return [name for name in one.dtype.names or () if not np.array_equal(one[name], two[name])]
