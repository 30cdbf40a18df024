"""Skin once more, slow and plain, written from docs/rules/skin.md alone; imports nothing of wilddeck.

An episode is one Python generator that stops wherever somebody has a choice.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from games.saying import Sayings

PHASES = ("OFFER", "STAKE", "BANK", "SIDE_TARGET", "SIDE_AMOUNT", "SIDE_REPLY", "CENTRAL", "BANK_NEW", "BETWEEN")
Choice = Generator[None, int, Any]


class Skin:
    """A game in progress. Cards are ids (rank * 4 + suit); seats are absolute.

    Attributes:
        seat, phase, legal: who decides what, and the actions; phase is None when the game is over.
        returns: rewards at the end, before it None.
    """

    def __init__(self, num_players: int, first_banker: int, decks: list[list[int]], **options: Any) -> None:
        self.n, self.banker, self.decks, self.options = num_players, first_banker, decks, options
        self.chips = [options["stack"]] * num_players
        self.seated = set(range(num_players))
        self.returns: list[float] | None = None
        self.say = Sayings()
        self.course = self.episode()
        next(self.course)

    def play(self, action: int) -> None:
        try:
            self.course.send(action)
        except StopIteration:
            self.phase, self.legal = None, []
            won = [chips - self.options["stack"] for chips in self.chips]
            for seat, chips in enumerate(won):
                self.say("score", seat, amount=chips)
            self.say("game_over")
            self.returns = [chips / self.options["max_bid"] for chips in won]

    def ask(self, seat: int, phase: str, choices: dict[int, Any]) -> Choice:
        """What the seat chooses; nobody is asked where there is one choice."""
        if len(choices) == 1:
            return next(iter(choices.values()))
        self.seat, self.phase, self.legal = seat, phase, sorted(choices)
        action = yield
        if action == 0:
            self.say("pass", seat, amount=PHASES.index(phase))
        return choices[action]

    def to_the_right(self, seat: int) -> list[int]:
        """All seats, beginning on the right of one and ending with it."""
        return [(seat - k) % self.n for k in range(1, self.n + 1)]

    def episode(self) -> Choice:
        for number, deck in enumerate(self.decks, 1):
            self.number, self.stock = number, list(deck)
            self.seen: list[int] = []
            self.cards: dict[int, int] = {}  # rank of the live card of a player, the banker left out
            self.bank_card: int | None = None
            self.has_lost = self.reveals = self.settled = self.rebid = False
            self.central: set[int] = set()
            self.dead: set[int] = set()
            self.mains: dict[int, int] = {}
            self.sides: dict[frozenset[int], int] = {}
            self.last: int | None = None
            self.offered: int | None = None
            self.proposal = self.partner = self.bettor = self.target = None
            self.asked: set[int] = set()
            self.say("hand", amount=number)
            self.say("bank", self.banker)
            yield from self.hand()
            self.give_back()
            credit = self.options["stack"] == 0
            solvent = [seat for seat in range(self.n) if credit or self.chips[seat] >= self.options["min_bid"]]
            for seat in sorted(self.seated - set(solvent)):
                self.say("out", seat, amount=1)
            self.seated &= set(solvent)
            if number == len(self.decks) or len(solvent) < 2:
                return
            if self.options["cash_out"]:
                for seat in solvent:
                    choices = {31: True, 32: False} if seat in self.seated else {33: True, 34: False}
                    comes = yield from self.ask(seat, "BETWEEN", choices)
                    self.say("choose", seat, amount=(0 if seat in self.seated else 2) + (not comes))
                    (self.seated.add if comes else self.seated.discard)(seat)
            if len(self.seated) < 2:
                return
            self.banker = next(seat for seat in self.to_the_right(self.banker) if seat in self.seated)

    def give_back(self) -> None:
        for seat, stake in self.mains.items():
            self.chips[seat] += stake
            self.chips[self.banker] += stake
        for pair, stake in self.sides.items():
            for seat in pair:
                self.chips[seat] += stake
        self.mains, self.sides = {}, {}

    def hand(self) -> Choice:
        while self.stock:
            rank = self.turn()
            if rank in self.dead | self.central:
                self.discard()
                continue
            if rank == self.bank_card:
                self.fell(self.banker, rank)
                self.bank_card, self.has_lost = None, True
                for seat in sorted(self.mains):
                    self.take(self.banker, seat, self.mains.pop(seat))
                self.reveals = not self.options["bank_new_card"]
                if not self.sides:
                    return
                new = {0: False, 1: True} if self.options["bank_new_card"] else {0: False}
                self.reveals = not (yield from self.ask(self.banker, "BANK_NEW", new))
                if not self.reveals:
                    self.say("declare", self.banker)
            elif rank in self.cards.values():
                (seat,) = (seat for seat, held in self.cards.items() if held == rank)
                self.fell(seat, rank)
                self.pay(seat)
                if self.bank_card is not None and self.options["take_central"]:
                    choices = {0: None, **{18 + held: held for held in self.central}}
                    taken = yield from self.ask(seat, "CENTRAL", choices)
                    if taken is not None:
                        self.say("collect", seat, amount=taken)
                        self.central.remove(taken)
                        self.cards[seat], self.last = taken, seat
                        yield from self.bets(seat)
            elif self.has_lost and self.bank_card is None:
                if self.reveals:
                    self.put_in_centre(rank)
                else:
                    self.draw(self.banker)
                    self.bank_card, self.rebid = rank, True
                    for seat in self.to_the_right(self.banker):
                        if seat in self.cards:
                            yield from self.bets(seat)
                    self.rebid = False
            else:
                receiver = yield from self.offer(rank)
                if receiver is None:
                    self.put_in_centre(rank)
                elif self.bank_card is None:
                    yield from self.first_bank_card(receiver)
                else:
                    yield from self.bets(receiver)
            if self.settled and not self.mains and not self.sides:
                return

    def turn(self) -> int:
        self.seen.append(self.stock.pop(0))
        self.say("turn_up", self.banker, cards=self.seen[-1:])
        return self.seen[-1] // 4

    def draw(self, seat: int) -> None:
        self.say("draw", seat, cards=self.seen[-1:])

    def put_in_centre(self, rank: int) -> None:
        self.say("set_aside", cards=self.seen[-1:])
        self.central.add(rank)

    def discard(self) -> None:
        """SK-40, SK-42."""
        self.say("discard", cards=self.seen[-1:])
        self.central.discard(self.seen[-1] // 4)
        self.dead.add(self.seen[-1] // 4)

    def fell(self, seat: int, rank: int) -> None:
        self.say("out", seat, amount=0)
        if self.options["dead_on_fall"]:
            self.dead.add(rank)

    def take(self, loser: int, winner: int, stake: int) -> None:
        self.say("pay", loser, amount=stake, other=winner)
        self.chips[winner] += 2 * stake
        self.settled = True

    def pay(self, seat: int) -> None:
        """A player's card was matched."""
        del self.cards[seat]
        if seat in self.mains:
            self.take(seat, self.banker, self.mains.pop(seat))
        for other in range(self.n):
            if frozenset({seat, other}) in self.sides:
                self.take(seat, other, self.sides.pop(frozenset({seat, other})))

    def offer(self, rank: int) -> Choice:
        self.offered = rank
        receiver = None
        for seat in self.to_the_right(self.banker if self.last is None else self.last):
            entitled = seat in self.seated and seat != self.banker and seat not in self.cards
            if entitled and (yield from self.ask(seat, "OFFER", {0: False, 1: True})):
                self.draw(seat)
                self.cards[seat], self.last, receiver = rank, seat, seat
                break
        self.offered = None
        return receiver

    def first_bank_card(self, receiver: int) -> Choice:
        while True:
            rank = self.turn()
            if rank == self.cards[receiver]:
                self.fell(receiver, rank)
                del self.cards[receiver]
                self.dead.add(rank)
                return
            if rank in self.central | self.dead:
                self.discard()
            else:
                self.draw(self.banker)
                self.bank_card = rank
                yield from self.bets(receiver)
                return

    def amounts(self) -> list[int]:
        low, high = self.options["min_bid"], self.options["max_bid"]
        return [low + (high - low) * (level - 1) // 7 for level in range(1, 9)]

    def levels(self, one: int, other: int, up_to: int = 8) -> dict[int, int]:
        """Actions and levels open to two seats."""
        amounts = self.amounts()
        most = amounts[up_to - 1]
        if self.options["stack"]:
            most = min(most, self.chips[one], self.chips[other])
        return {
            1 + level: level
            for level in range(1, 9)
            if amounts[level - 1] <= most and amounts.index(amounts[level - 1]) == level - 1
        }

    def bets(self, seat: int) -> Choice:
        levels = self.levels(seat, self.banker)
        if not levels:
            return
        self.bettor = seat
        yield from self.bets_of(seat, levels)
        self.bettor, self.asked = None, set()

    def bets_of(self, seat: int, levels: dict[int, int]) -> Choice:
        stake = yield from self.ask(seat, "STAKE", {0: 0, **levels})
        if not stake:
            return
        self.say("bid", seat, amount=self.amounts()[stake - 1])
        self.proposal, self.partner = stake, seat
        level = yield from self.ask(self.banker, "BANK", self.levels(seat, self.banker, stake))
        self.proposal = self.partner = None
        self.lay_out(level, seat, self.banker)
        self.mains[seat] = self.mains.get(seat, 0) + self.amounts()[level - 1]
        while self.options["side_bets"]:
            open_to = [other for other in self.cards if other not in self.asked | {seat} and self.levels(seat, other)]
            target = yield from self.ask(
                seat, "SIDE_TARGET", {0: None, **{10 + (other - seat) % self.n: other for other in open_to}}
            )
            if target is None:
                return
            self.asked.add(target)
            self.say("ask", seat, other=target)
            self.partner = target
            proposed = yield from self.ask(seat, "SIDE_AMOUNT", self.levels(seat, target))
            self.say("bid", seat, amount=self.amounts()[proposed - 1], other=target)
            self.proposal, self.partner = proposed, seat
            agreed = yield from self.ask(target, "SIDE_REPLY", {0: 0, **self.levels(seat, target, proposed)})
            self.proposal = self.partner = None
            if agreed:
                self.lay_out(agreed, seat, target)
                pair = frozenset({seat, target})
                self.sides[pair] = self.sides.get(pair, 0) + self.amounts()[agreed - 1]

    def lay_out(self, level: int, seat: int, other: int) -> None:
        self.say("bet", seat, amount=self.amounts()[level - 1], other=other)
        for each in (seat, other):
            self.chips[each] -= self.amounts()[level - 1]
