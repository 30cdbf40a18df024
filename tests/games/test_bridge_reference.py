"""Rubbers with the ordinary deck against a slow reference, written from the clauses: who is to act, and what each side has."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import wilddeck
from games.saying import Sayings
from support import few, short
from wilddeck import agents
from wilddeck.agents.base import View
from wilddeck.envs import raw_env

PASS, BID = 133, 136  # actions
HONORS = {strain: {f"{rank}{strain}" for rank in "TJQKA"} for strain in "cdhs"}
HONORS["NT"] = {f"A{suit}" for suit in "cdhs"}


class Rubber:
    """The course of a rubber, told by labels."""

    def __init__(self, dealer: int, max_deals: int, honors: bool) -> None:
        self.dealer, self.max_deals, self.honors = dealer, max_deals, honors
        self.points, self.below, self.games, self.deals = [0, 0], [0, 0], [0, 0], 0
        self.over = False
        self.say = Sayings("contract", "play", "trick_won", "answer")

    def deal(self, hands: list[list[str]]) -> None:
        self.hands, self.calls, self.contract = hands, [], None
        self.tricks, self.trick, self.done = [0, 0], [], 0
        self.actor = self.dealer  # who decides
        self.deals += 1

    def step(self, label: str) -> bool:
        """Returns whether the deal is over."""
        if self.contract is None:
            return self.call(label)
        return self.play(label.removeprefix("play "))

    def call(self, label: str) -> bool:
        self.calls.append((self.actor, label))
        self.actor = (self.actor + 1) % 4
        said = [text for _, text in self.calls]
        bids = [(seat, text.removeprefix("bid ")) for seat, text in self.calls if text.startswith("bid")]
        if said[-3:] != ["pass"] * 3 or (not bids and len(said) < 4):
            return False
        if not bids:
            self.end()
            return True
        seat, last = bids[-1]
        since = said[said.index(f"bid {last}") :]
        first = next(who for who, bid in bids if bid[1:] == last[1:] and who % 2 == seat % 2)
        strain = last[1:] if last.endswith("NT") else last[1:].lower()
        self.contract = (int(last[0]), strain, 4 if "redouble" in since else 2 if "double" in since else 1)
        self.declarer = first
        self.say("contract", first, amount=5 * (int(last[0]) - 1) + ["C", "D", "H", "S", "NT"].index(last[1:]))
        self.next = (first + 1) % 4  # whose card is next
        self.actor = self.next
        return False

    def play(self, card: str) -> bool:
        assert self.contract
        self.trick.append((self.next, card))
        self.say("play", self.next, cards=[card])
        self.next = (self.next + 1) % 4
        if len(self.trick) == 4:
            strain, led = self.contract[1], self.trick[0][1][1]

            def value(played: tuple[int, str]) -> tuple[bool, bool, int]:
                rank, suit = played[1]
                return suit == strain, suit == led, "23456789TJQKA".index(rank)

            self.next = max(self.trick, key=value)[0]
            self.tricks[self.next % 2] += 1
            self.say("trick_won", self.next, cards=[played for _, played in self.trick])
            self.trick, self.done = [], self.done + 1
        self.actor = self.declarer if self.next == (self.declarer + 2) % 4 else self.next
        if self.done < 13:
            return False
        self.score()
        self.end()
        return True

    def score(self) -> None:
        assert self.contract
        level, strain, times = self.contract
        side = self.declarer % 2
        vulnerable = self.games[side] == 1
        won = self.tricks[side] - 6 - level
        self.say("answer", self.declarer, amount=won)
        if won < 0:
            self.points[1 - side] += sum(self.undertrick(number, times, vulnerable) for number in range(-won))
        else:
            trick_value = 20 if strain in "cd" else 30
            tricks = (level * trick_value + (10 if strain == "NT" else 0)) * times
            self.points[side] += (
                tricks + won * (trick_value if times == 1 else 50 * times * (1 + vulnerable)) + {1: 0, 2: 50, 4: 100}[times]
            )
            self.points[side] += {6: 750 if vulnerable else 500, 7: 1500 if vulnerable else 1000}.get(level, 0)
            self.below[side] += tricks
            if self.below[side] >= 100:
                self.below = [0, 0]
                self.games[side] += 1
        if self.honors:
            for seat, hand in enumerate(self.hands):
                held = len(HONORS[strain] & set(hand))
                if held == len(HONORS[strain]):
                    self.points[seat % 2] += 150
                elif held == 4:
                    self.points[seat % 2] += 100

    @staticmethod
    def undertrick(number: int, times: int, vulnerable: bool) -> int:
        if times == 1:
            return 100 if vulnerable else 50
        first = [200, 300, 300] if vulnerable else [100, 200, 200]
        return (first[number] if number < 3 else 300) * times // 2

    def end(self) -> None:
        self.dealer = (self.dealer + 1) % 4
        if 2 in self.games:
            side = self.games.index(2)
            self.points[side] += 500 if self.games[1 - side] else 700
            self.over = True
        elif self.deals == self.max_deals:
            for side in range(2):
                self.points[side] += 300 if self.games[side] > self.games[1 - side] else 0
                self.points[side] += 100 if self.below[side] and not self.below[1 - side] else 0
            self.over = True


def choose(draw: random.Random, env: Any) -> int:
    """Low bids, a double now and then, passes; any card."""
    legal = env.legal_actions()
    if legal[0] < PASS:
        return draw.choice(legal)
    chance = draw.random()
    doubles, bids = [[action for action in legal if (action >= BID) == bid and action > PASS] for bid in (False, True)]
    if chance < 0.1 and doubles:
        return doubles[0]
    return bids[min(int(draw.expovariate(0.4)), len(bids) - 1)] if chance < 0.5 and bids else PASS


def hands_of(env: Any) -> list[list[str]]:
    zones = env.zones()
    return [wilddeck.cards.text(zones[f"hand/{seat}"]).split() for seat in range(4)]


@pytest.mark.rule("BR-66", "BR-67", "BR-68", "BR-69")
@pytest.mark.parametrize("seed", short(range(32), few(range(32), 8)))
def test_equal_to_the_reference(seed: int) -> None:
    """Half of them played at random, half by the rule-based player, who makes contracts and wins rubbers."""
    draw, noise = random.Random(seed), np.random.default_rng(seed)
    dealer, honors, most = seed % 4, seed % 8 < 4, draw.choice([3, 12, 24])
    env = raw_env(
        "bridge_v0", deck="standard", scoring="rubber", honors=honors, dealer=dealer, max_deals=most, reward="openspiel"
    )
    env.reset(seed=seed)
    player = agents.make("rules", env.game, env.options)
    reference = Rubber(dealer, most, honors)
    reference.deal(hands_of(env))
    while not reference.over:
        assert env.current_player == reference.actor
        action = choose(draw, env) if seed < 16 else player.act(View.of(env), noise)
        label = env.action_label(action)
        env.step(action)
        if reference.step(label):
            record = env.record[0]
            scores = [record[name].tolist() for name in ("total", "below", "games")]
            assert scores == [reference.points, reference.below, reference.games]
            if not reference.over:
                reference.deal(hands_of(env))
    assert not env.legal_actions()
    reference.say.compare(env)
    assert env.rewards["player_0"] == reference.points[0] - reference.points[1] == -env.rewards["player_3"]
