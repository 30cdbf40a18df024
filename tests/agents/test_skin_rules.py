"""Positions in which a sensible player of By The Skin of Your Teeth has one sensible move."""

import numpy as np
import pytest
from support import first_of
from wilddeck import agents, envs
from wilddeck.agents import play
from wilddeck.agents.base import View
from wilddeck.envs.core.cards import parse
from wilddeck.envs.core.game import as_records

SKIN = envs.game("skin_of_your_teeth_v0")
RNG = np.random.default_rng(0)


def position(hands, piles, known=()):
    """An environment in play, player 0 to attack; `piles` are texts by player, `known` are (player, position) seen by all."""
    env = envs.raw_env("skin_of_your_teeth_v0", num_players=3, first_player=0, setup="random")
    env.reset(seed=1)
    state = as_records(env.record)
    for name in ("hand", "hand_size", "pile", "pile_size", "made_of", "where", "slot_card", "slot_count"):
        state[name][0] = 0
    for player in range(3):
        hand = sorted(parse(hands[player]))
        state["hand"][0, player, : len(hand)] = hand
        state["hand_size"][0, player] = len(hand)
        for place, text in enumerate(piles[player]):
            cards = sorted(parse(text))
            state["pile"][0, player, place, : len(cards)] = cards
            state["pile_size"][0, player, place] = state["made_of"][0, player, place] = len(cards)
            state["where"][0, player, player, place] = 1 << place
    for player, place in known:
        state["where"][0, :, player, place] = 1 << place
    state["slot_pile"][0] = -1
    if hands[0]:
        state["slot_card"][0] = state["hand"][0, 0]
        state["slot_count"][0] = state["hand_size"][0, 0]
    else:
        slots = sorted((card, place) for place, text in enumerate(piles[0]) for card in parse(text))
        state["slot_count"][0] = len(slots)
        for slot, (card, place) in enumerate(slots):
            state["slot_card"][0, slot], state["slot_pile"][0, slot] = card, place
    env._refresh()
    return env


def turn(env):
    """The rule-based player's attack and target, as texts."""
    agent = agents.make("rules", SKIN, env.options)
    said = []
    for _ in range(2):
        action = agent.act(View.of(env), RNG)
        said.append(env.action_label(action))
        env.step(action)
    return said


ALL = [(1, 0), (1, 1), (2, 0), (2, 1)]


@pytest.mark.parametrize(
    ("hand", "piles", "attack"),
    [
        ("4c Tc Kc Ah", (("9s", "As"), ("Qs Qc", "Qh Qd")), ["attack Tc", "target player 1 pile 0"]),  # the cheapest that wins
        ("2c 8d Qc", (("As", "Ks Kh"), ("Kd", "Jd Jh")), ["attack 2c", "target player 1 pile 0"]),  # a 2 against an Ace
        ("4c Kc Jk", (("Ac", "Kd Kh"), ("As", "7d 7h")), None),  # a Joker against an Ace
        ("3c 3d 5h 9c", (("8d 8h", "2d 2h"), ("Ks", "Kh")), ["attack 3c 3d", "target player 1 pile 1"]),  # two for two
    ],
)
def test_known_piles_fall_to_the_cheapest_cards(hand, piles, attack):
    env = position([hand, "9h Th", "9d Td"], [["6c", "6d"], *piles], ALL)
    said = turn(env)
    if attack:
        assert said == attack
    else:
        assert said[0] == "attack Jk" and said[1] in ("target player 1 pile 0", "target player 2 pile 0")


def test_what_cannot_win_costs_the_least():
    env = position(["3c Jc Kh", "9h Th", "9d Td"], [["6c", "6d"], ["Ac Ad", "As"], ["Qd Qs", "Ah"]], ALL)
    assert turn(env)[0] == "attack 3c"


def test_the_last_pile_of_the_last_opponent_is_taken():
    env = position(["3c Jc Kh", "9h Th", "9d Td"], [["6c", "6d"], ["Qd"], []], [(1, 0)])
    assert turn(env) == ["attack Kh", "target player 1 pile 0"]
    assert env.terminations["player_0"] and env.rewards["player_0"] == 1


def test_an_empty_hand_gives_what_the_defence_misses_least():
    # A card of the straight would leave four that anything beats; the lone 3 falls to nearly everything anyway.
    env = position(["", "9h Th", "9d Td"], [["3c", "As", "5d 6c 7h 8s 9c"], ["Ac Ad", "2c 2d"], ["Qd Qs", "Kh Kd"]], ALL)
    assert turn(env)[0] == "attack 3c@0"


def test_setup_prefers_strong_singles_and_pairs():
    env = envs.raw_env("skin_of_your_teeth_v0", num_players=3)
    agent = agents.make("rules", SKIN, env.options)
    sizes, ranks = [], []
    for seed in range(10):
        env.reset(seed=seed)
        dealt = env.zones()["hand/0"]
        for _ in range(6):
            env.step(agent.act(View.of(env), RNG))
        piles = [cards for name, cards in env.zones().items() if name.startswith("defence/0/")]
        sizes += [len(cards) for cards in piles]
        ranks.append(np.mean([card // 4 for cards in piles for card in cards]) - np.mean([c // 4 for c in dealt if c < 52]))
    assert set(sizes) <= {1, 2}
    assert np.mean(ranks) > 1


@first_of(("num_players", "at_least"), [(3, 0.7), (4, 0.65), (6, 0.45)])
@pytest.mark.long
def test_it_beats_random(num_players, at_least):
    options = SKIN.make_options({"num_players": num_players})
    agent, random = (agents.make(spec, SKIN, options) for spec in ("rules", "random"))
    assert play.evaluate(agent, random, SKIN, options, 60, seed=1).win_rate > at_least


@pytest.mark.long
@pytest.mark.parametrize(
    "options", [{"visibility": "private"}, {"visibility": "defender_only", "num_players": 12}, {"games": 2}]
)
def test_it_plays_every_variant(options):
    options = SKIN.make_options(options)
    returns = play.play_batch(SKIN, options, [agents.make("rules", SKIN, options)] * options.num_players, 20, seed=1)
    assert (returns.max(axis=1) > returns.min(axis=1)).all()
