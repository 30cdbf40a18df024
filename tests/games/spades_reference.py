"""Spades once more, slowly, from the clauses: bids, what may be led, what is scored. Cards are texts.

Turns, tricks and Jokers are those of tricks_reference.py.
"""

from __future__ import annotations

from typing import Any

from games.saying import Sayings
from games.tricks_reference import JOKERS, TRICKS, Tricks, in_order, suit_of
from wilddeck import cards


class Play(Tricks):
    """The tricks of a hand."""

    def __init__(self, options: Any, hands: list[list[str]], pile: list[str], leader: int, say: Sayings) -> None:
        self.breaking = options.breaking
        self.broken = self.breaking == "free"
        super().__init__(hands, pile, leader, "s", None, say)

    def legal(self) -> set[str]:
        """SP-16."""
        labels = super().legal()
        others = [card for card in self.hands[self.turn] if card not in JOKERS and suit_of(card) != "s"]
        if self.led or self.broken or not others:
            return labels
        return {label for label in labels if label.startswith("reveal") or label[-1] != "s"}

    def act(self, label: str) -> None:
        verb, _, card = label.partition(" ")
        if verb in ("play", "declare") and suit_of(card) == "s":
            self.break_spades()
        super().act(label)

    def claim(self, joker: str, wins: bool) -> None:
        super().claim(joker, wins)
        if wins:
            self.break_spades()

    def break_spades(self) -> None:
        """SP-17."""
        self.broken = self.breaking != "never"


class Spades:
    """An episode, told by labels: `actor` decides, `legal` says what; `over` in the end."""

    def __init__(self, options: Any, decks: list[list[int]]) -> None:
        self.options, self.decks = options, decks
        self.totals, self.bags = [0, 0], [0, 0]
        self.number, self.over = 0, False
        self.say = Sayings()
        self.deal()

    def deal(self) -> None:
        """SP-01, SP-02."""
        deck = [cards.text([card], joker_kinds=True) for card in self.decks[self.number]]
        self.first = self.actor = self.number % 4
        self.number += 1
        self.say("hand", amount=self.number)
        order = [(self.first + k) % 4 for k in range(4)]
        self.hands, self.pile = [deck[order.index(seat) : 52 : 4] for seat in range(4)], deck[52:]
        for seat in order:
            self.say("deal", seat, cards=in_order(self.hands[seat]))
        self.bids: dict[int, int] = {}
        self.play: Play | None = None

    def legal(self) -> set[str]:
        if self.play:
            return self.play.legal()
        most = 13 - self.bids.get((self.actor + 2) % 4, 0) if self.options.team_cap else 13  # SP-05
        return {"bid nil", *(f"bid {number}" for number in range(1, most + 1))}

    def step(self, label: str) -> None:
        if self.play:
            self.play.act(label)
        else:
            self.bid(0 if label == "bid nil" else int(label.removeprefix("bid ")))
        if self.play and self.play.done == TRICKS:
            self.end()
        elif self.play:
            self.actor = self.play.turn

    def bid(self, number: int) -> None:
        self.bids[self.actor] = number
        self.say("bid", self.actor, amount=number)
        self.actor = (self.actor + 1) % 4
        if len(self.bids) == 4:
            self.play = Play(self.options, self.hands, self.pile, self.first, self.say)

    def end(self) -> None:
        """SP-45."""
        left = [len(hand) for hand in self.play.hands]
        for team in range(2):
            points, self.bags[team] = score(self.options, self.bids, self.play.won, left, team, self.bags[team])
            self.say("score", team, other=team + 2, amount=points)
            self.totals[team] += points
        high, low = self.options.target, self.options.mercy
        goes_on = self.options.match == "match" and max(self.totals) < high and (low is None or min(self.totals) > low)
        if goes_on and self.number < self.options.max_hands:
            self.deal()
        else:
            self.over = True
            self.say("game_over")


def score(options: Any, bids: dict[int, int], tricks: list[int], left: list[int], team: int, bags: int) -> tuple[int, int]:
    """Points of a team, and its bags then (SP-40 to SP-44). `left` are the numbers of cards in the hands."""
    pair = (team, team + 2)
    contract, won = sum(bids[seat] for seat in pair), sum(tricks[seat] for seat in pair)
    points = 10 * contract + won - contract if won >= contract else -10 * contract
    bags += max(won - contract, 0)
    for seat in pair:
        if bids[seat] == 0:
            points += -100 if tricks[seat] else 100
        if options.leftover_bags:
            points += left[seat]
            bags += left[seat]
    while bags >= 10:
        points, bags = points - 100, bags - 10
    return points, bags
