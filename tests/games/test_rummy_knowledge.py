"""What others know of a hand at rummy, and that samples keep to it: cards taken, compositions, knocks."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from games.rummy_positions import arranged, field, parse, play, seen, zone
from games.test_rummy_gin import gin
from support import determinizations
from wilddeck import agents
from wilddeck.agents.base import View
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.game import as_record
from wilddeck.envs.games.rummy.deadwood import deadwood_within
from wilddeck.envs.games.rummy.hands import set_of
from wilddeck.envs.games.rummy.state import COMPOSE, KNOCK_DISCARD, KNOCK_MELDS, LAY_CARD

SEEDS = range(12)


def sampled(env: CardGameEnv, viewer: int, name: str) -> list[list[int]]:
    """The cards of a zone in samples of what a seat cannot know."""
    records = determinizations(env, viewer, SEEDS)
    return [env.game.zones(as_record(record.reshape(1)), None)[name] for record in records]


@pytest.mark.rule("RM-05")
def test_cards_taken_stay_until_they_are_shown() -> None:
    env = arranged(["9c 7s Kd", "2h 4s 6d", "3h 5s 7d"], discards="2c 4c", drawn=False)
    play(env, "take the discard")
    assert zone(env, "hand/0", "player_1") == "4c ?? ?? ??"
    assert seen(env, 1, "known")[2 * 66 + 8] == 0.5  # seat 0 is two places on
    assert all(8 in cards for cards in sampled(env, 1, "hand/0"))
    assert len({tuple(cards) for cards in sampled(env, 1, "hand/0")}) > 4
    play(env, "9c", "draw", "2h", "draw", "3h", "draw", "4c")
    assert zone(env, "hand/0", "player_1") == "?? ?? ??"
    assert sum(seen(env, 1, "known")) == 0


def test_of_two_cards_of_a_face_one_was_taken() -> None:
    env = arranged(["4c 7s Kd", "2h 4s 6d", "3h 5s 7d"], variant="contract", discards="2c 4c", drawn=False)
    play(env, "take the discard")
    assert zone(env, "hand/0", "player_1") == "4c ?? ?? ??"
    play(env, "4c")
    assert zone(env, "hand/0", "player_1") == "?? ?? ??"  # the one that is left need not be it
    env = arranged(["SJ 7s Kd", "2h 4s 6d"], discards="2c BJ", drawn=False)
    play(env, "take the discard", "7s", "draw", "2h", "draw", "Jk")
    assert zone(env, "hand/0", "player_1") == "?? ?? ??"


@pytest.mark.rule("RM-24")
def test_recycled_discards_are_unknown_again() -> None:
    env = arranged(["9c 7s Kd", "2h 4s 6d"], discards="2c 4c 8d Th 5c 6c", drawn=False, only=True)
    play(env, "draw", "9c")
    counts = Counter(card for cards in sampled(env, 1, "hand/0") for card in cards)
    assert {0, 8, 25, 34, 12} & set(counts)  # 2c 4c 8d Th 5c may be there
    assert {tuple(sorted(cards)) for cards in sampled(env, 1, "pile")} != {tuple(sorted(env.zones()["pile"]))}


@pytest.mark.parametrize(
    ("held", "begun"),
    [("7h 7s 7c 8h 9h Kd 2c 4s", []), ("7h 7s 7c 7d 8h 9h Kd 2c", ["7c"]), ("SJ BJ 7h 8h Kd 2c", ["7h", "Jk"])],
)
def test_a_composition_is_seen_and_can_be_finished(held: str, begun: list[str]) -> None:
    env = arranged([held, "2h 4s 6d 9c Tc", "3h 5s 7d Qc Jc"])
    play(env, "meld", *begun)
    assert field(env, "phase") == COMPOSE
    composed = set(env.zones()["hand/0"]) & {card for card in range(66) if seen(env, 1, "composition")[card]} - {52, 53}
    for viewer in (1, 2):
        hands = sampled(env, viewer, "hand/0")
        assert all(composed <= set(cards) for cards in hands)
        assert len({tuple(cards) for cards in hands}) > 4
        for seed in SEEDS:
            sample = env.determinize(f"player_{viewer}", seed)
            assert len(sample.legal_actions()) > 1
            draw = random.Random(seed)
            while field(sample, "phase") == COMPOSE and sample.legal_actions():
                sample.step(draw.choice(sample.legal_actions()))


def test_of_a_card_to_be_laid_off_there_are_two() -> None:
    env = arranged(["7h Ts 2h 9c Kd", "2d 4s 6d", "3d 5s 7d"], melds=("run 3h 4h 5h 6h",))
    play(env, "lay off on meld 0")
    assert field(env, "phase") == LAY_CARD
    for seed in SEEDS:
        assert len(env.determinize("player_1", seed).legal_actions()) > 1


@pytest.mark.parametrize("deck", ["standard", "extended"])
def test_who_knocks_could_knock_in_every_sample(deck: str) -> None:
    env = gin(["2c 3c 4c 8d 8h 8s Tc Jc Qc 3s Kd", "3h 7h 9c 5d 6s Jd Qd 9h 2s As"], discards="4s", knock=10, deck=deck)
    play(env, "knock")
    phases = set()
    for moves in ((), ("Kd",), ("meld",)):
        if moves and moves[0] in {env.action_label(action).split()[-1] for action in env.legal_actions()}:
            play(env, *moves)
        phases.add(field(env, "phase"))
        hands = set()
        for record in determinizations(env, 1, SEEDS):
            once, _, jokers = record["hand"][0]
            number = np.int64(int(jokers).bit_count())
            hands.add((int(once), int(jokers)))
            if record["phase"] == KNOCK_MELDS:
                assert deadwood_within(once, number, np.int64(10))
        assert len(hands) > 4
        for seed in SEEDS:
            sample = env.determinize("player_1", seed)
            draw = random.Random(seed)
            while sample.legal_actions():
                sample.step(draw.choice(sample.legal_actions()))
    assert phases == {KNOCK_DISCARD, KNOCK_MELDS if deck == "standard" else COMPOSE} | (phases & {COMPOSE})


def test_a_contract_that_is_laid_can_be_laid_in_every_sample() -> None:
    for first_deal, held in ((4, "2c 2d 2h 2s 5c 5d 5h 7c 7d 7h Kd Qs"), (6, "2c 2d 2h 5d 6d 7d 8d 9d 7c 8c 9c Tc Kd")):
        env = arranged([held, "9d Kc 3c 4c", "9h Ks 3d 4d"], variant="contract", first_deal=first_deal)
        play(env, "meld")
        hands = {tuple(cards) for cards in sampled(env, 1, "hand/0")}
        assert len(hands) > 4
        for seed in SEEDS:
            sample = env.determinize("player_1", seed)
            draw = random.Random(seed)
            while field(sample, "phase") == COMPOSE:
                sample.step(draw.choice(sample.legal_actions()))
            assert field(sample, "down") == 1


# Hands that look alike, what is known of both, and where they are.
TWINS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "groups": (
        "2c 2d 2h 5c 5d 5s 8c 8d 8h Kd Qd Jd Td",
        "2c 2h 2s 5c 5h Kh 8c 8s 8h Kd Ks Qd Jd",
        "2c 2h 5c 8c",
        {"first_deal": 4},
    ),
    "group and runs": (
        "2c 2d 2h 2s 5d 6d 7d 8d 9c Tc Jc Qc 4s",
        "2c 2d 2h 2s 5d 6d 7d 8d 7s 8s 9s Ts 4h",
        "2c 2s 5d",
        {"first_deal": 6},
    ),
    "runs": ("2c 3c 4c 5c 7d 8d 9d Td Jh Qh Kh Ah", "2c 3c 4c SJ 6s 7s 8s 9s 4h 5h 6h 7h", "2c 3c 4c", {"first_deal": 7}),
    "long runs": (
        "2c 3c 4c 5c 6c 7c 8c 9c 7d 8d 9d Td Jh Qh Kh Ah",
        "2c 3c 4c 5c 6c 6s 7s 8s 9s Ts 4h 5h 6h 7h 8h 9h",
        "2c 3c 5c 6c",
        {"first_deal": 7, "deck": "standard"},
    ),
    "basic": ("7h 7s 7c 8h 9h Kd 2c 4s", "7c 7d 7h 5s Td Jd Qd Ah", "7c", {"variant": "basic"}),
    "a lay-off": ("7h 2h Ts 9c Kd", "2h SJ As Qc 8c", "", {"variant": "basic", "melds": ("run 3h 4h 5h 6h",)}),
}


@pytest.mark.parametrize("name", TWINS)
def test_samples_of_two_hands_that_look_alike_are_the_same(name: str) -> None:
    """Nothing of the true hand is in them, however hard it is to find another that can be asked the same."""
    *hands, taken, values = TWINS[name]
    known = np.zeros((6, 3), np.uint64)
    known[0] = set_of(parse(taken))
    samples = []
    for held in hands:
        env = arranged([held, "9d Kc 3c 4c", "9s Ks 3d 4d"], **{"variant": "contract", "known": known, **values})
        play(env, "lay off on meld 0" if "melds" in values else "meld")
        samples.append(determinizations(env, 1, SEEDS))
    for one, two in zip(*samples, strict=True):
        assert one.tobytes() == two.tobytes()
    assert len({record["hand"][0].tobytes() for record in samples[0]}) > 4


def test_samples_of_two_who_could_knock_are_the_same() -> None:
    for variant in ({}, {"knock": 0, "knock_card": 0}):
        drawn = []
        for held in ("2c 3c 4c 8d 8h 8s Tc Jc Qc Kc Kd", "4d 5d 6d Th Jh Qh Kh 3h 3s 3c Kd"):
            env = gin([held, "7h 9c 5s 6s Jd Qd 9h 2s As Ts"], discards="4s", **{"knock": 10, **variant})
            play(env, "knock")
            samples = [determinizations(env, 1, SEEDS)]
            play(env, "Kd")
            drawn.append([*samples, determinizations(env, 1, SEEDS)])
        for ones, twos in zip(*drawn, strict=True):
            assert all(one.tobytes() == two.tobytes() for one, two in zip(ones, twos, strict=True))
            assert len({record["hand"][0].tobytes() for record in ones}) > 8


PLAYED: list[dict[str, Any]] = [
    {"variant": "contract", "deck": "standard", "num_players": 3, "first_deal": 7},
    {"variant": "contract", "num_players": 3, "first_deal": 7},
    {"variant": "contract", "num_players": 3, "first_deal": 6},
    {"variant": "gin"},
    {"variant": "gin", "deck": "standard", "knock_card": 0},
]


@pytest.mark.parametrize("options", PLAYED, ids=str)
def test_samples_of_good_players_vary_and_can_be_played(options: dict[str, Any]) -> None:
    """Among players who come to lay their melds: what is asked of a hand with many unknown cards leaves several hands, which
    do not depend on the one there is, and whoever holds one can do what they have begun."""
    met = 0
    for seed in range(1, 9):
        env = raw_env("rummy_v0", deals=1, **options)
        env.reset(seed=seed)
        player, draw = agents.make("rules", env.game, env.options), np.random.default_rng(seed)
        while env.legal_actions():
            mover = env.current_player
            viewer = (mover + 1) % env.num_players
            zones = env.zones(f"player_{viewer}")
            several = zones[f"hand/{mover}"].count(-1) >= 6 and len(zones["pile"]) >= 10
            if field(env, "phase") >= COMPOSE and several:
                met += 1
                truth = env.record["hand"][0, mover]
                samples = determinizations(env, viewer, range(6))
                assert any((record["hand"][mover] != truth).any() for record in samples)
                for record in samples:
                    again = determinizations(env, viewer, range(6), of=record.reshape(1))
                    assert again.tobytes() == samples.tobytes()
                can_be_finished(env.determinize(f"player_{viewer}", 0), seed)
            env.step(player.act(View.of(env), draw))
    assert met >= 5


def can_be_finished(sample: CardGameEnv, seed: int) -> None:
    """Who has begun to lay a meld lays it."""
    mover, draw = sample.current_player, random.Random(seed)
    melds = field(sample, "melds")
    composing = field(sample, "phase") == COMPOSE
    assert sample.legal_actions()
    while sample.legal_actions() and field(sample, "phase") >= COMPOSE and sample.current_player == mover:
        sample.step(draw.choice(sample.legal_actions()))
    assert field(sample, "melds") > melds or not composing


@pytest.mark.parametrize("variant", ["basic", "gin", "contract"])
def test_samples_in_every_phase_look_like_the_truth(variant: str) -> None:
    """Eager players come to compose, lay off and knock; at each such moment all others' samples are what they see, and depend
    on nothing else."""
    met: Counter[int] = Counter()
    kept = 0
    for seed in range(14):
        env = raw_env("rummy_v0", variant=variant, deals=1, first_deal=1 + seed % 7)
        env.reset(seed=seed)
        draw = random.Random(seed)
        for _ in range(500):
            legal = env.legal_actions()
            if not legal:
                break
            phase = field(env, "phase")
            if phase >= COMPOSE and met[phase] < 8:
                met[phase] += 1
                for viewer in range(env.num_players):
                    kept += looks_right(env, viewer)
            preferred = [action for action in legal if 69 <= action < 97]
            env.step(draw.choice(preferred or legal))
    assert met[COMPOSE] >= 8
    assert kept == 0


def looks_right(env: CardGameEnv, viewer: int) -> bool:
    """Returns whether all samples leave a hidden hand of the mover as it is."""
    agent = f"player_{viewer}"
    samples = determinizations(env, viewer, range(4))
    for number, record in enumerate(samples):
        sample = env.determinize(agent, number)
        assert sample.observe(agent)["observation"].tobytes() == env.observe(agent)["observation"].tobytes()
        assert sample.zones(agent) == env.zones(agent)
        assert sample.legal_actions()
        again = determinizations(env, viewer, range(4), of=record.reshape(1))
        assert all(one.tobytes() == two.tobytes() for one, two in zip(samples, again, strict=True))
    mover = env.current_player
    hidden = [card for card in env.zones(agent)[f"hand/{mover}"] if card == -1]
    true = env.record["hand"][0, mover]
    return viewer != mover and len(hidden) > 2 and all((other["hand"][mover] == true).all() for other in samples)
