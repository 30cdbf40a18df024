"""What the rule-based Wild Escape player does in given hands, and how it fares."""

from __future__ import annotations

import numpy as np
import pytest
from games.test_wild_escape_tribute import tribute
from games.wild_escape_positions import GAME, arranged, play
from support import first_of
from wilddeck import agents, make_batch
from wilddeck.agents.base import View
from wilddeck.agents.play import evaluate
from wilddeck.agents.views import Views
from wilddeck.envs.core.aec import CardGameEnv

MANY = "3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd 3s 4s"
MORE = "3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh 3c 5c"
SOME = "5s 6s 7s 8s 9s Ts"
HAND = "4c 9d Qh As Kd 6h 7h"


def choice(env: CardGameEnv) -> str:
    """The label of what the player does now."""
    agent = agents.make("rules", GAME, env.options)
    return env.action_label(agent.act(View.of(env), np.random.default_rng(0)))


def lead(hand: str, right: str = MANY, mate: str = MORE, **fields: object) -> str:
    """What is led with a hand, if the next opponent and the next team mate hold these."""
    return choice(arranged([hand, right, mate, SOME, MANY, SOME], **fields))


def follow(hand: str, beat: str, owner: int, after: str = MANY) -> str:
    """What a hand plays on the cards of a seat, if the next opponent holds these."""
    return choice(arranged([hand, after, MORE, SOME, MANY, SOME], beat=beat, owner=owner))


def test_the_last_cards_are_played_together() -> None:
    assert lead("3c 3d 3h 5c 5d") == "full house of 3"
    assert lead("4c BJ") == "pair of 4", "with the Joker wild"
    assert follow("4c BJ", "3c 3c", owner=5) == "pair of 4"


def test_combinations_stay_together() -> None:
    """A straight from 4 to 8, and two other cards."""
    hand = "4c 5d 6h 7h 8c 6c Qd"
    assert lead(hand) in ("single 6", "single Q")
    assert follow(hand, "5s", owner=5) in ("single 6", "single Q")
    assert follow("4c 5d 6h 7h 8c 5c", "Qs", owner=5) == "pass"


def test_cards_that_cannot_be_beaten_go_before_the_last() -> None:
    assert lead("9c 4c") == "single 9"
    assert lead("4c 4d 2h 2d 2s") == "full house of 2"


def test_a_mate_with_few_cards_gets_what_lets_it_play_them() -> None:
    hand = "4c 4d 9h As Kd Kh 6h 7h"
    assert lead(hand, mate="Ac") == "single 6"
    assert lead(hand, mate="Ac Ad") == "pair of 4"


def test_an_opponent_with_one_card_is_blocked() -> None:
    assert lead(HAND, right="Kc") in ("single A", "single K"), "which it does not beat"
    for owner in (5, 4):
        assert follow(HAND, "5s", owner, after="6c") == "single K", "also over a team mate"
        assert follow(HAND, "5s", owner) != "single K"


def test_a_mate_is_overtaken_only_for_good_reason() -> None:
    assert follow("4c 9d BJ 6h 7h", "As", owner=4) == "pass"
    assert follow("BJ", "As", owner=4) == "single BJ"


@pytest.mark.long
@first_of("options", [{}, {"flush_compare": "top"}, {"episode": "match", "max_rounds": 4}])
def test_every_stage_has_a_legal_answer(options: dict[str, object]) -> None:
    """A batch refuses illegal actions; a match comes through tribute, offers and answers."""
    batch = make_batch("wild_escape_v0", num_games=64, seed=3, **options)
    agent = agents.make("rules", GAME, batch.options)
    stages = set()
    for _ in range(2500):
        stages |= set(np.unique(batch.states["stage"]).tolist())
        batch.step(agent.act_batch(Views.of(batch.observation, batch.action_mask), np.random.default_rng(0)))
    assert len(stages) >= (4 if options.get("episode") == "match" else 2), stages


def test_tribute_breaks_nothing() -> None:
    """Of equal cards the one is given that the rest of the hand needs least, and a single card is returned."""
    env = tribute({4: "2c 2h Kh Qh Th 9h As"})
    assert choice(env) == "card 2c", "the hearts are a flush"
    env = tribute({4: "2h As", 1: "3c BJ " + " ".join(f"{rank}c {rank}c {rank}d {rank}d {rank}h" for rank in "9TJQK")})
    assert (env.current_player, choice(env)) == (1, "card 3c")


def test_of_two_offered_cards_the_better_is_kept() -> None:
    """Cards are offered in ascending order; the first makes a third 8, and the second a third Queen."""
    for first, second, held, expected in [("8c", "Qs", "8d 8h", "keep the first"), ("8c", "Qs", "Qd Qh", "keep the second")]:
        env = tribute({4: f"BJ BJ SJ {held} 4c 4d 4h 5c 5d 5h", 1: f"{first} {second}"}, joker_tribute="offer_two")
        play(env, f"card {first}", f"card {second}")
        assert (env.current_player, choice(env)) == (4, expected)


@pytest.mark.long
def test_beats_random_by_far() -> None:
    rules, other = agents.make("rules", GAME), agents.make("random", GAME)
    result = evaluate(rules, other, GAME, GAME.make_options({}), 40, seed=1)
    assert result.win_rate > 0.9
