"""Spades once more, slowly, from the clauses: what may be led, who wins, what is scored. Cards are ids, seats numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from games.saying import Sayings
from wilddeck import cards

JOKERS = cards.parse("SJ BJ")
DECLARE, REVEAL, COMMIT, WIN, BID = 66, 118, 130, 131, 133


def suit_of(card: int) -> str:
    if card in JOKERS:
        return ""
    return "cdhs"[(card - 54) % 4 if card > 53 else card % 4]


def ordered(card: int) -> bool:
    return card < 52


@dataclass
class Hand:
    """A hand as far as the score and the leads go; who is to move, and the specials, are left to the game."""

    options: Any
    bids: dict[int, int] = field(default_factory=dict)
    tricks: list[int] = field(default_factory=lambda: [0] * 4)
    trick: list[tuple[int, int]] = field(default_factory=list)  # seat, card
    led: str = ""
    claims: dict[int, bool] = field(default_factory=dict)  # of Jokers, by card: whether it wins
    broken: bool = False
    say: Sayings = field(default_factory=Sayings)

    def __post_init__(self) -> None:
        self.broken = self.options.breaking == "free"

    def spades_broken(self) -> None:
        if self.options.breaking == "first_spade":
            self.broken = True

    def legal_cards(self, hand: list[int]) -> set[int]:
        """Cards that may be played, and what follows in `declarations`."""
        if self.trick:
            same = {card for card in hand if suit_of(card) == self.led}
            return same | ({card for card in hand if card in JOKERS} if same else set(hand))
        if self.may_lead_spades(hand):
            return set(hand)
        return {card for card in hand if suit_of(card) != "s"}

    def may_lead_spades(self, hand: list[int]) -> bool:
        return self.broken or all(suit_of(card) in ("s", "") for card in hand)

    def act(self, seat: int, action: int) -> None:
        if action >= BID:
            self.bids[seat] = action - BID
            self.say("bid", seat, amount=action - BID)
        elif action < DECLARE:
            if not self.trick:
                self.led = suit_of(action)
            self.trick.append((seat, action))
            self.say("play", seat, cards=[action])
            if suit_of(action) == "s":
                self.spades_broken()
        elif action < REVEAL:
            self.led = suit_of(action - DECLARE)
            if self.led == "s":
                self.spades_broken()
        elif action in (WIN, WIN + 1):
            asked = next(card for _, card in self.trick if card in JOKERS and card not in self.claims)
            self.claims[asked] = action == WIN

    def settle(self) -> int | None:
        """Who wins the trick, which is over, and is it forgotten."""
        ace = cards.parse("As")[0]
        on_table = [card for _, card in self.trick]
        for place, card in enumerate(on_table):
            if card in JOKERS and card not in self.claims:
                rival = any(suit_of(other) in ("s", self.led) for other in on_table if other not in JOKERS)
                can_win = ace not in on_table and not any(self.claims.values())
                later = can_win and any(other in JOKERS for other in on_table[place + 1 :])
                assert can_win != (rival or later or any(self.claims.values())), "the player was to be asked"
                self.claims[card] = can_win
        winner = self.winner()
        if any(self.claims.values()):
            self.spades_broken()
        if on_table:
            self.say("set_aside" if winner is None else "trick_won", winner, cards=on_table)
        if winner is not None:
            self.tricks[winner] += 1
        self.trick, self.led, self.claims = [], "", {}
        return winner

    def winner(self) -> int | None:
        for seat, card in self.trick:
            if self.claims.get(card):
                return seat
        for suit in ("s", self.led):
            there = [(card, seat) for seat, card in self.trick if card not in JOKERS and suit_of(card) == suit]
            if there:
                best = [(card, seat) for card, seat in there if ordered(card)] or (there if len(there) == 1 else [])
                return max(best)[1] if best else None
        return None

    def score(self, team: int, left: list[int], bags: int) -> tuple[int, int]:
        """Points of a team, and its bags then."""
        pair = (team, team + 2)
        contract, won = sum(self.bids[seat] for seat in pair), sum(self.tricks[seat] for seat in pair)
        points = 10 * contract + won - contract if won >= contract else -10 * contract
        bags += max(won - contract, 0)
        for seat in pair:
            if self.bids[seat] == 0:
                points += -100 if self.tricks[seat] else 100
            if self.options.leftover_bags:
                points += left[seat]
                bags += left[seat]
        while bags >= 10:
            points, bags = points - 100, bags - 10
        self.say("score", team, other=team + 2, amount=points)
        return points, bags
