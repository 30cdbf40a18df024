"""No agent can name the deal: a league's deals come from a secret, and what agents are given is derived from it one way."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import league_agents
import numpy as np
import pytest
import wilddeck.agents
from wilddeck.agents import play
from wilddeck.agents.base import Agent, View
from wilddeck.agents.seeds import agent_seed, keyed
from wilddeck.agents.views import Views
from wilddeck.envs import game as find_game
from wilddeck.envs.core.batch import MAX_SEED, check_seed
from wilddeck.league import League
from wilddeck.league.match import Entry, Settings
from wilddeck.league.schedule import deal_seed, match_id, schedule
from wilddeck.seats import single_seat
from wilddeck.training.evaluate import evaluate, table

OpenLeague = Callable[..., League]
GAME = find_game("tennis_v0")
OPTIONS = GAME.make_options({"num_players": 2, "max_tricks": 50})
HAND = GAME.observation.slices(2)["hand"]
DEALS = 6


class Seen(NamedTuple):
    """What a bot got until its first decision of a match."""

    seed: int
    observation: list[float]
    numbers: tuple[int, ...] = ()  # what else it finds that could be a seed


class Spy(Agent):
    """Plays at random; keeps all it is given, and looks into its generator."""

    name = "spy"
    seen: list[Seen] = []  # noqa: RUF012 - of all instances

    def begin(self, game: Any, options: Any, seat: int, seed: int) -> None:
        self.seed: int | None = seed

    def act(self, view: View, rng: np.random.Generator) -> int:
        if self.seed is not None:
            generator: Any = rng.bit_generator
            state = generator.state["state"]
            numbers_found = (generator.seed_seq.entropy, state["state"], state["inc"])
            Spy.seen.append(Seen(self.seed, view.observation.tolist(), numbers_found))
            self.seed = None
        return int(rng.choice(view.legal_actions))


def make(spec: str, game: Any, options: Any, *, trust: bool = False) -> Agent:
    return Spy() if spec == "spy" else league_agents.make(spec, game, options, trust=trust)


@pytest.fixture
def seen() -> Iterator[list[Seen]]:
    Spy.seen = []
    yield Spy.seen
    Spy.seen = []


BOT = """
import json, sys
log, seed = open({log!r}, "a"), None
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print("{{}}", flush=True)
    elif message["type"] == "newgame":
        seed = message["seed"]
    elif message["type"] == "act":
        if seed is not None:
            print(json.dumps([seed, message["observation"]]), file=log, flush=True)
            seed = None
        print(json.dumps({{"action": message["legal"][0]}}), flush=True)
"""


def deals_named(seen: list[Seen], dealt: Iterable[int]) -> int:
    """The attack: how many times a bot that knows this code names the deal at its first decision.

    It tries what it was given as a seed, small seeds of games and leagues, in the ways of this release and of the one before,
    and names each deal in which it has the hand it sees. `dealt`: the seeds of the true deals.
    """
    truth = {deal_of(seed) for seed in dealt}
    entries = [Entry("spy", "spy"), Entry("random", "random")]
    guesses = set(range(300))
    for league_seed, deal in itertools.product(range(30), range(DEALS)):
        settings = Settings(GAME.id, vars(OPTIONS), GAME.rules_digest, league_seed)
        guesses |= {deal_seed(settings, deal, seats) for seats in (entries, entries[::-1])}
        guesses.add(int(hashlib.sha256(f'["deal",{league_seed},{deal}]'.encode()).hexdigest()[:16], 16) >> 1)
    guessed = [deal_of(seed) for seed in guesses]

    def named(view: Seen) -> bool:
        deals = guessed + [deal_of(int(number) % MAX_SEED) for number in (view.seed, *view.numbers)]
        return any(tuple(view.observation[HAND]) in deal and deal in truth for deal in deals)

    return sum(map(named, seen))


@functools.cache
def deal_of(seed: int) -> tuple[tuple[float, ...], ...]:
    """What each seat sees of its hand, and the cards of all, when this seed deals."""
    env = wilddeck.envs.raw_env(GAME.id, **vars(OPTIONS))
    env.reset(seed=seed)
    hands = [tuple(env.observe(agent)["observation"][HAND].tolist()) for agent in env.possible_agents]
    return *hands, tuple(card for cards in env.zones().values() for card in cards)


@pytest.mark.parametrize("kind", ["in this process", "in a process of its own"])
def test_a_bot_that_knows_the_code_names_no_deal(open_league: OpenLeague, tmp_path: Path, seen: list[Seen], kind: str) -> None:
    """The attack works where the seed is known: the same bot in a league with a chosen seed names every deal."""
    named = {}
    for seed in (None, 0):
        log, bot = tmp_path / f"log-{seed}", tmp_path / "bot.py"
        bot.write_text(BOT.format(log=str(log)))
        spec = "spy" if kind == "in this process" else f"cmd:{sys.executable} {bot}"
        league = open_league(f"{seed}.league", agents={"spy": spec, "random": "random"}, seed=seed, make=make)
        seen.clear()
        league.run(DEALS)
        if spec != "spy":
            seen += [Seen(*json.loads(line)) for line in log.read_text().splitlines()]
        matches = seen[1:]  # the first is practice
        assert len(matches) >= 2 * DEALS - 1  # it may not get to move
        named[seed] = deals_named(matches, [result.deal_seed for result in league.results()]), len(matches)
    assert named[None][0] == 0
    assert named[0][0] == named[0][1] > 0


def test_what_agents_are_given_is_new_for_each_match_and_seat(open_league: OpenLeague, seen: list[Seen]) -> None:
    """Nobody's chance is another's, though all cards are dealt again."""
    league = open_league(agents={"spy": "spy", "twin": "spy"}, seed=None, make=make)
    league.run(DEALS)
    secret = [view for view in seen if view.seed]  # practice is known to all
    numbers = [number for view in secret for number in (view.seed, *view.numbers[:2])]
    assert len(set(numbers)) == len(numbers) == 3 * len(secret)
    secrets = {league.settings.seed, *(result.deal_seed for result in league.results())}
    secrets |= {int(result.id, 16) for result in league.results()}
    assert not secrets & set(numbers)


def test_leagues_draw_secrets_of_their_own(open_league: OpenLeague) -> None:
    leagues = [open_league(str(k), agents={"random": "random", "plain": "plain"}, seed=None) for k in range(2)]
    for league in leagues:
        league.run(2)
        assert league.settings.seed.bit_length() > 200
        assert str(league.settings.seed) not in repr(league.settings)
    first, second = ({result.deal_seed for result in league.results()} for league in leagues)
    assert len(first) == len(second) == 4 and not first & second
    assert {result.id for result in leagues[0].results()}.isdisjoint(result.id for result in leagues[1].results())


def test_a_league_keeps_its_secret(open_league: OpenLeague) -> None:
    league = open_league(agents={"random": "random", "plain": "plain"}, seed=None)
    league.run(1)
    league.close()
    with League(league.path, "tennis_v0", make=league_agents.make) as again:
        assert again.settings == league.settings
        assert again.run(1).played == 0 and again.run(2).played == 2


def test_a_chosen_seed_deals_the_same_again(open_league: OpenLeague) -> None:
    secret = open_league("secret", agents={"random": "random", "plain": "plain"}, seed=None)
    chosen = open_league("chosen", agents={"random": "random", "plain": "plain"}, seed=secret.settings.seed)
    assert secret.run(3).played == chosen.run(3).played == 6
    played = [
        [(result.id, result.deal_seed, result.actions.tolist()) for result in league.results()] for league in (secret, chosen)
    ]
    assert played[0] == played[1]


def test_the_export_tells_the_secret_and_deals_can_be_checked_with_it(open_league: OpenLeague) -> None:
    """From the exported text alone: the secret gives ids and deals, these and the actions the returns."""
    league = open_league(agents={"random": "random", "rules": "rules"}, seed=None)
    league.run(2)
    exported = json.loads(league.export("json"))
    assert exported["settings"]["seed"] == league.settings.seed
    settings = Settings(**exported["settings"])
    entries = {item["name"]: Entry(item["name"], item["spec"], item["sha256"]) for item in exported["agents"]}
    assert len(exported["matches"]) == 4
    for item in exported["matches"]:
        seats = [entries[seat["agent"]] for seat in item["seats"]]
        assert item["deal_seed"] == deal_seed(settings, item["deal"], seats)
        assert item["id"] == match_id(settings, item["deal"], seats)
        env = wilddeck.envs.raw_env(settings.game, **settings.options)
        env.reset(seed=item["deal_seed"])
        returns = np.zeros(2)
        for action in item["actions"]:
            env.step(action)
            returns += [env.rewards[agent] for agent in env.possible_agents]
        assert returns.tolist() == [seat["returned"] for seat in item["seats"]]
        assert league.replay(item["id"]).moves


def test_without_duplicates_no_agent_sees_a_deal_twice(open_league: OpenLeague) -> None:
    """A bot that remembers a deal knows the other hands when it comes again."""
    deals = {}
    for duplicate in (True, False):
        agents = {"random": "random", "plain": "plain", "rules": "rules"}
        league = open_league(str(duplicate), agents=agents, seed=None, duplicate=duplicate)
        league.run(4)
        results = league.results()
        assert len(results) == 3 * 2 * 4 and len({result.deal for result in results}) == 4
        assert all(league.replay(result.id).moves for result in results)
        deals[duplicate] = len({deal_of(result.deal_seed) for result in results})
    assert deals == {True: 4, False: 24}


def test_the_schedule_of_matches_dealt_anew_is_the_same(open_league: OpenLeague) -> None:
    agents = {"random": "random", "plain": "plain", "rules": "rules"}
    once, anew = (open_league(str(k), agents=agents, duplicate=k) for k in (True, False))
    seats = [
        [(match.deal, match.rotation, match.seats) for match in schedule(league.settings, league.agents, range(2), 3)]
        for league in (once, anew)
    ]
    assert seats[0] == seats[1]


# --- digests ---


def test_digests_depend_on_all_of_the_secret_and_the_content() -> None:
    secret = 2**200 + 5
    digests = {keyed(secret ^ (1 << bit), "deal", 1) for bit in range(256)} | {keyed(secret, "deal", k) for k in range(256)}
    assert len(digests) == 512 and all(0 <= digest < 2**128 for digest in digests)
    assert agent_seed(secret, 1) < 2**64 and agent_seed(secret, 1) != agent_seed(secret, 2)


# --- games outside of leagues ---


def test_evaluations_deal_from_a_fresh_seed_and_tell_it(seen: list[Seen]) -> None:
    random = wilddeck.agents.make("random", GAME, OPTIONS)
    evaluation = play.evaluate(Spy(), random, GAME, OPTIONS, 5)
    other = play.evaluate(Spy(), random, GAME, OPTIONS, 5)
    assert evaluation.seed is not None and evaluation.seed != other.seed
    assert play.evaluate(Spy(), random, GAME, OPTIONS, 5, evaluation.seed) == evaluation
    chosen = play.evaluate(Spy(), random, GAME, OPTIONS, 5, 100)
    assert chosen.seed == 100 and chosen == play.evaluate(Spy(), random, GAME, OPTIONS, 5, seed=100)


def test_a_bot_names_a_deal_of_an_evaluation_only_if_it_knows_the_seed(seen: list[Seen]) -> None:
    random = wilddeck.agents.make("random", GAME, OPTIONS)
    guessed = {play.seat_seed(seed, seat): seed for seed in range(3000) for seat in range(2)}
    play.evaluate(Spy(), random, GAME, OPTIONS, 6, 100)
    assert {guessed.get(view.seed) for view in seen} == set(range(100, 106))
    seen.clear()
    evaluation = play.evaluate(Spy(), random, GAME, OPTIONS, 6)
    assert len(seen) > 6 and not any(view.seed in guessed for view in seen)
    assert evaluation.seed is not None and deals_named(seen, [(evaluation.seed + k) % MAX_SEED for k in range(6)]) == 0


def test_in_a_batch_generators_tell_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    entropies = []

    class BatchSpy(Agent):
        name = "batch spy"

        def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
            entropies.append(rng.bit_generator.seed_seq.entropy)  # type: ignore[attr-defined]
            return views.action_mask.argmax(axis=1)

    play.play_batch(GAME, OPTIONS, [BatchSpy(), BatchSpy()], 3, seed=100)
    assert len(set(entropies)) == 2 and min(entropies) > 2**64


def test_the_opponents_of_a_learner_are_given_digests(monkeypatch: pytest.MonkeyPatch, seen: list[Seen]) -> None:
    dealt = []
    env = single_seat.SingleSeatEnv("tennis_v0", opponents=Spy(), seat=0, **vars(OPTIONS))
    reset = env.raw_env.reset
    monkeypatch.setattr(env.raw_env, "reset", lambda seed, options: dealt.append(seed) or reset(seed=seed, options=options))
    for _ in range(20):
        env.reset()
        while not env._over:
            env.step(int(env.action_masks().argmax()))
    assert len(set(dealt)) == 20 and max(dealt) > MAX_SEED >> 8 and check_seed(max(dealt))
    assert len(seen) > 5 and deals_named(seen, dealt) == 0
    assert not {number for view in seen for number in (view.seed, *view.numbers)} & set(dealt)


def test_the_table_of_an_evaluation_tells_the_seed() -> None:
    results = evaluate("random", "tennis_v0", games=4)
    seeds = {result.seed for result in results.values()}
    assert len(results) == 2 and len(seeds) == 1
    assert table(results).caption == f"seed {seeds.pop()}"
    assert evaluate("random", "tennis_v0", games=4, seed=7)["rules"].seed == 7
