"""What others know of a hand at rummy, and that samples keep to it: cards taken, compositions, knocks."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from games.rummy_positions import arranged, field, play, seen, zone
from games.test_rummy_gin import gin
from support import determinizations
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.game import as_record
from wilddeck.envs.games.rummy.deadwood import deadwood_within
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
    found = Counter(card for cards in sampled(env, 1, "hand/0") for card in cards)
    assert {0, 8, 25, 34, 12} & set(found)  # 2c 4c 8d Th 5c may be there
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
            wanted = [action for action in legal if 69 <= action < 97]
            env.step(draw.choice(wanted or legal))
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
    return viewer != mover and len(hidden) > 2 and all((each["hand"][mover] == true).all() for each in samples)
