"""Whole random episodes of poker beside the slow reference: who moves, what is legal, all cards, all chips, payoffs, events."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from games.poker_reference import JOKERS, Match
from support import random_games
from wilddeck.envs import game, raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.rng import shuffle, start_stream

GAME = game("poker_v0")
VARIANTS = ("texas_holdem", "omaha", "five_card_draw", "five_card_stud", "seven_card_stud", "chicago")
STUDS = VARIANTS[3:]
RAISE, ALL_IN, REVEAL, COMMIT, MARK, DRAW = 2, 9, 10, 22, 23, 32


def drawn_options(variant: str, deck: str, draw: random.Random) -> dict[str, Any]:
    """Everything that a hand may be played by, short and deep stacks."""
    most = 10 if variant in ("texas_holdem", "omaha", "five_card_stud") else 8
    n = draw.choice([2, 2, 3, draw.randint(2, most), draw.randint(2, most), most])
    blind = draw.choice([2, 3, 10])
    options: dict[str, Any] = {"variant": variant, "deck": deck, "num_players": n}
    options["betting"] = draw.choice(["no_limit", "pot_limit", "limit"])
    options["raise_cap"] = tuple(draw.choice([0, 1, 2, 3, 4, 4, 9]) for _ in range(5))
    options["raise_sizes"] = tuple(sorted(draw.sample([0.1, 0.33, 0.5, 0.75, 1, 1.5, 2, 3], draw.randint(0, 6))))
    options["min_raise_action"] = draw.random() < 0.7
    options["burn"] = draw.random() < 0.7
    options["ante"] = draw.choice([0, 0, 1, 3])
    if variant in STUDS:
        options |= {"bring_in": draw.randint(1, blind - 1), "small_bet": blind, "big_bet": blind * draw.randint(1, 2)}
        options["stud_open"] = draw.choice(["bring_in", "bring_in", "high_card"])
    else:
        options |= {"small_blind": draw.randint(1, blind), "big_blind": blind}
    if variant == "five_card_draw":
        options["max_discards"] = draw.choice([1, 3, 5, 5, 9])
    if variant == "chicago":
        options["chicago"] = draw.choice(["high", "low"])
    deep = draw.choice([2, 8, 40, 200])
    stacks = [draw.randint(1, deep * blind) for _ in range(n)]
    for seat in draw.sample(range(n), 2):
        stacks[seat] += blind + 4
    options["stack"] = tuple(stacks)
    options |= {"hands": draw.choice([1, 1, 4]), "stacks": draw.choice(["carry", "reset"])}
    options["button"] = draw.choice(["random", draw.randrange(n)])
    return options


def shuffled(cards: list[int], draw: random.Random, special: bool) -> list[int]:
    """A deck; a special one has the specials rather early."""
    return sorted(cards, key=lambda card: draw.random() * (0.4 if special and card >= 54 else 1))


class Chance:
    """The order that the game shuffles the muck into, drawn from the same stream of its own."""

    def __init__(self, env: CardGameEnv) -> None:
        self.record = env.record.copy()
        self.shuffles = 0

    def next_hand(self, deals: int) -> None:
        start_stream(self.record[0], np.uint64(2 * deals + 1))

    def __call__(self, cards: list[int]) -> list[int]:
        order = [card for card in cards if card not in JOKERS] + [card for card in cards if card in JOKERS]
        state = self.record[0]
        state["deck"][: len(order)] = order
        shuffle(state, state["deck"], len(order))
        self.shuffles += 1
        return state["deck"][: len(order)].tolist()


def seats(bits: int, n: int) -> set[int]:
    return {seat for seat in range(n) if int(bits) >> seat & 1}


def compare(env: CardGameEnv, match: Match) -> None:
    """Everything that both of them know."""
    record, zones, n = env.record[0], env.zones(), match.n
    for seat in range(n):
        assert sorted(zones[f"hand/{seat}"]) == sorted(match.down[seat])
        assert sorted(zones.get(f"up/{seat}", [])) == sorted(match.up[seat])
    assert sorted(zones.get("community", [])) == sorted(match.community)
    assert zones["pile"] == match.stock
    assert sorted(zones["muck"]) == sorted(match.muck)
    assert zones["aside"] == sorted(match.aside)
    assert record["chips"][:n].tolist() == match.stack
    if match.turn is None:
        return
    assert env.current_player == match.turn
    assert record["direction"] == match.direction
    assert record["button"] == match.button
    assert ("betting", "draw")[record["phase"]] == match.phase
    assert seats(record["live"], n) == set(match.live())
    assert record["paid"][:n].tolist() == match.paid
    assert (record["paid"] + record["saved"])[:n].tolist() == match.level
    assert env.legal_actions() == match.legal()
    if match.phase == "betting":
        assert record["street"] == match.street
        assert record["bet"][:n].tolist() == match.bet
        assert record["highest"] == match.cur
        assert record["raise_size"] == match.full
        assert record["raises"] == match.raises
        assert seats(record["paused"], n) == match.paused
        assert numbers(env)[2:4] == pytest.approx([bound / max(match.first_stacks) for bound in match.bounds()], abs=1e-6)
    done = {seat for seat in match.live() if seat in match.done}
    assert seats(record["out"], n) & set(match.live()) == done | {s for s in match.live() if idle(match, s)}


def idle(match: Match, seat: int) -> bool:
    return match.phase == "betting" and not match.stack[seat]


def numbers(env: CardGameEnv) -> list[float]:
    layout = env.observation_layout
    return env.observe(env.agent_selection)["observation"][layout["numbers"]].tolist()


def chosen(draw: random.Random, legal: list[int], bold: float, open_handed: float) -> int:
    """Raises and reveals as often as it likes, folds seldom."""
    for favored, liking in ((range(REVEAL, COMMIT), open_handed), (range(RAISE, ALL_IN + 1), bold)):
        actions = [action for action in legal if action in favored]
        if actions and draw.random() < liking:
            return draw.choice(actions)
    if 1 in legal and draw.random() < 0.8:
        return 1
    return draw.choice(legal)


def play(options: dict[str, Any], seed: str, seen: Counter[str]) -> None:
    draw = random.Random(seed)
    env = raw_env("poker_v0", **options)
    cards = GAME.deck(env.options)
    decks = [shuffled(cards, draw, int(seed[-1]) % 2 == 1) for _ in range(options["hands"])]
    env.reset(seed=draw.randrange(2**32), options={"decks": decks})
    chance, match = Chance(env), Match(env.options, int(env.record["button"][0]))
    first_deal = int(env.record["deals"][0])
    match.start_hand(decks[0], chance)
    bold, open_handed = draw.random(), draw.random()
    steps = 0
    while env.legal_actions():
        compare(env, match)
        action = chosen(draw, match.legal(), bold, open_handed)
        env.step(action)
        match.act(action, chance)
        rewards = match.rewards
        while match.hand_over and not match.episode_over:
            seen["hands"] += 1
            chance.next_hand(first_deal - 1 + match.hands)
            match.start_hand(decks[match.hands], chance)
            if match.hand_over:
                seen["hands without a decision"] += 1
            rewards = match.rewards
        steps += 1
        seen[("betting", "draw")[match.phase == "draw"]] += 1
        if match.turn is not None:
            seen["reveals"] += COMMIT >= action >= REVEAL
            seen["reversed"] += match.direction < 0
            seen["paused"] += bool(match.paused)
            seen["by skip"] += bool(match.by_skip)
            seen["long boards"] += len(match.community) > 5
            seen["seventh card for all"] += match.stud and bool(match.community)
            seen["saved by a Skip"] += match.level != match.paid
        assert list(env.rewards.values()) == pytest.approx(rewards, rel=1e-6, abs=1e-5)
    compare(env, match)
    match.say.compare(env)
    assert match.episode_over
    seen["hands"] += 1
    seen["shuffles"] += chance.shuffles
    assert steps < GAME.max_length(env.options)


@pytest.mark.rule("PK-01", "PK-02", "PK-03", "PK-04", "PK-05", "PK-06", "PK-07", "PK-08", "PK-09", "PK-10", "PK-11", "PK-12")
@pytest.mark.rule("PK-13", "PK-14", "PK-15", "PK-16", "PK-17", "PK-18", "PK-19", "PK-20", "PK-21", "PK-22", "PK-23", "PK-24")
@pytest.mark.parametrize("deck", ["standard", "extended"])
@pytest.mark.parametrize("variant", VARIANTS)
@random_games(2, 6)
def test_random_hands(variant: str, deck: str, seeds: range) -> None:
    seen: Counter[str] = Counter()
    for number in seeds:
        seed = f"{variant} {deck} {number}"
        play(drawn_options(variant, deck, random.Random(seed)), seed, seen)
    if deck == "extended" and len(seeds) > 2:
        assert seen["reveals"] and seen["reversed"]
