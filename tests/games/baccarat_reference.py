"""Baccarat from its page alone, slowly: cards in lists, chips as fractions, an episode as a generator that asks for decisions.

`Episode(options, shoes, first_banker).run()` yields (seat, labels of the legal actions) and is sent a label. `say` holds what
has happened.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Any

from games.saying import Sayings
from wilddeck import cards as names

Question = tuple[int, set[str]]
NUMBERS = {"P": 0, "R": 0, "L": 1, "B": 2}  # of hands


def is_special(card: int) -> bool:
    return card >= 54


def kind(card: int) -> str:
    return ("draw", "reverse", "skip")[(card - 54) // 4]


def value(card: int) -> int:
    """BA-01; what cannot be replaced counts as a face card (BA-57)."""
    text = names.text([card])
    return int(text[0]) if text[0] in "23456789" and not is_special(card) else 1 if text[0] == "A" else 0


def total(cards: list[int]) -> int:
    """BA-40, BA-41: the greatest that can be had."""
    plain = [card for card in cards if card not in (52, 53)]
    missing = Counter(value(card) for card in range(52) if card not in plain)
    sums = [
        sum(map(value, plain)) + sum(stands)
        for stands in itertools.combinations_with_replacement(range(10), len(cards) - len(plain))
        if not any(number > missing[stand] for stand, number in Counter(stands).items())
    ]
    return max(pips % 10 for pips in sums)


def tableau(total: int, drawn: int | None) -> bool:
    """BA-12, BA-13."""
    if drawn is None:
        return total <= 5
    draws_on: dict[int, Any] = {
        0: range(10),
        1: range(10),
        2: range(10),
        3: {*range(10)} - {8},
        4: range(2, 8),
        5: range(4, 8),
        6: (6, 7),
    }
    return drawn in draws_on.get(total, ())


@dataclass
class Hand:
    name: str
    holder: int | None
    down: list[int] = field(default_factory=list)
    up: list[int] = field(default_factory=list)
    begun: bool = False
    over: bool = False
    decided: bool = False  # drew or stood
    drawn: int | None = None

    @property
    def cards(self) -> list[int]:
        return self.down + self.up

    @property
    def natural(self) -> bool:
        return len(self.cards) == 2 and not any(map(is_special, self.cards)) and total(self.cards) >= 8


class Episode:
    def __init__(self, options: Any, shoes: list[list[int]], first_banker: int) -> None:
        self.options, self.shoes = options, iter(shoes)
        self.n, self.form = options.num_players, options.variant
        self.unit, self.low = options.max_bet, options.min_bet
        self.chips = [Fraction(options.stack)] * self.n
        self.due, self.banker, self.bank = first_banker, -1, Fraction(0)
        self.starts: dict[str, int | None] = {}
        self.shoe: list[int] = []
        self.used: list[int] = []
        self.burned: list[int] = []
        self.aside: list[int] = []
        self.hands: list[Hand] = []
        self.staged: list[int] = []
        self.bets: dict[int, dict[str, Fraction]] = {}
        self.direction, self.coups, self.number = 1, 0, 0
        self.say = Sayings()
        steps = [self.low + floor(Fraction(self.unit - self.low) * k / 7) for k in range(8)]
        self.levels = sorted(set(steps))

    # --- the course of an episode ---

    def run(self) -> Iterator[Question]:
        untouched = False
        while not self.is_over():
            if self.coups == 0 or (len(self.shoe) < self.options.cut and not untouched):
                self.new_shoe()
            left = len(self.shoe)
            self.coups += 1
            self.say("round", amount=self.coups)
            yield from (self.punto() if self.form == "punto_banco" else self.coup())
            self.put_away()
            untouched = len(self.shoe) == left and (untouched or self.is_whole())
        self.retire()
        self.say("game_over")

    def is_whole(self) -> bool:
        return not self.aside and len(self.used) == self.options.burn

    def new_shoe(self) -> None:
        self.shoe, self.used, self.burned, self.aside = list(next(self.shoes)), [], [], []
        self.number += 1
        self.say("hand", amount=self.number)
        self.say("shuffle", amount=len(self.shoe))
        if self.options.burn:
            self.used.append(self.shoe.pop(0))
            for _ in range(value(self.used[0]) or 10):
                self.burned.append(self.shoe.pop(0))
            self.say("turn_up", cards=self.used)
            self.say("discard", cards=self.burned)

    def is_over(self) -> bool:
        """BA-60."""
        if self.coups == self.options.coups:
            return True
        own = [self.chips[seat] + (self.bank if seat == self.banker else 0) for seat in range(self.n)]
        able = sum(chips >= self.low for chips in own)
        if self.form == "punto_banco":
            return self.options.stack > 0 and able == 0
        return able < 2 or (self.banker < 0 and max(own) < self.unit)

    def put_away(self) -> None:
        for hand in self.hands:
            self.used += hand.cards
        self.hands, self.direction, self.bets = [], 1, {}

    def retire(self) -> None:
        """BA-28."""
        if self.banker >= 0:
            self.say("bank", self.banker, amount=0)
            self.chips[self.banker] += self.bank
            self.due = (self.banker - 1) % self.n
        self.banker, self.bank, self.starts = -1, Fraction(0), {}

    def money(self, kind: str, seat: int, chips: Any) -> None:
        self.say(kind, seat, amount=100 * chips)

    def ask(self, seat: int, labels: set[str]) -> Any:
        if len(labels) == 1:
            return min(labels)
        answer = yield seat, labels
        return answer

    # --- punto banco ---

    def punto(self) -> Iterator[Question]:
        bets = {}
        for seat in range(self.n):
            can = [level for level in self.levels if self.options.stack == 0 or level <= self.chips[seat]]
            answer = yield from self.ask(seat, {"no bet"} | {f"{side} {level}" for side in ("P", "B", "tie") for level in can})
            if answer == "no bet":
                self.say("pass", seat, amount=2)
                continue
            side, _, level = answer.partition(" ")
            bets[seat] = side, Fraction(level)
            self.chips[seat] -= Fraction(level)
            self.say("select", seat, amount={"P": 1, "B": 2, "tie": 3}[side])
            self.money("bet", seat, Fraction(level))
        self.hands = [Hand("P", None), Hand("B", None)]
        for hand in self.hands * 2:
            hand.up.append(self.shoe.pop(0))
        for hand in self.hands:
            self.say("deal", cards=hand.up)
        self.turns_open()
        self.show_all()
        player, banker = (total(hand.cards) for hand in self.hands)
        for seat, (side, bet) in bets.items():
            if player == banker:
                won = bet * self.options.tie_pays if side == "tie" else Fraction(0)
            elif side == ("P" if player > banker else "B"):
                won = bet - (self.kept(bet) if side == "B" else 0)
            else:
                won = -bet
            self.chips[seat] += bet + won
            self.money("pay", seat, won)

    def kept(self, won: Fraction) -> Fraction:
        """The commission."""
        return Fraction(floor(won * round(self.options.commission * 100)), 100)

    def turns_open(self) -> None:
        place: int | None = 0
        while place is not None:
            self.turn_open(self.hands[place], self.hands[1 - place])
            place = self.following(place)

    def turn_open(self, hand: Hand, other: Hand) -> None:
        self.say("turn", amount=NUMBERS[hand.name])
        if not hand.begun:
            hand.begun = True
            if not self.go_on(hand, self.redeal(hand, sorted(filter(is_special, hand.up)))):
                return
        hand.over = hand.decided = True
        before = total(hand.up)
        draws = tableau(before, other.drawn) if other.decided else before <= 5
        if hand.natural or other.natural or not draws or not self.shoe:
            self.say("stand")
            return
        self.draw(hand)
        hand.drawn = (total(hand.up) - before) % 10

    def draw(self, hand: Hand) -> None:
        """BA-45."""
        card = self.shoe.pop(0)
        hand.up.append(card)
        self.say("draw", hand.holder, cards=[card])
        self.turn_round(self.redeal(hand, [card] if is_special(card) else []))

    def turn_round(self, acted: Counter[str]) -> None:
        if acted["reverse"] % 2:
            self.direction = -self.direction
            self.say("direction", amount=self.direction)

    def go_on(self, hand: Hand, acted: Counter[str]) -> bool:
        """BA-47, BA-49, BA-54."""
        self.turn_round(acted)
        if acted["skip"]:
            self.say("skipped", hand.holder)
            hand.over = True
        if hand.down and hand.natural:
            self.show_natural(hand)
        if acted["reverse"] and not hand.over:
            self.say("pause", hand.holder)
        return not hand.over and not acted["reverse"]

    def following(self, start: int) -> int | None:
        places = len(self.hands)
        order = [(start + self.direction * k) % places for k in range(1, places + 1)]
        return next((place for place in order if not self.hands[place].over), None)

    def redeal(self, hand: Hand, batch: list[int]) -> Counter[str]:
        """ED-31 to ED-33, of what lies face up: what was redealt, by kind."""
        acted: Counter[str] = Counter()
        while batch and self.shoe:
            batch = batch[: len(self.shoe)]
            for card in batch:
                hand.up.remove(card)
                self.say("redeal", hand.holder, cards=[card])
                self.aside.append(card)
                acted[kind(card)] += 1
            count = len(batch) + sum(kind(card) == "draw" for card in batch)
            new, self.shoe = self.shoe[:count], self.shoe[count:]
            hand.up += new
            self.say("draw", hand.holder, cards=new)
            batch = [card for card in new if is_special(card)]
        return acted

    def show_all(self) -> None:
        """BA-55."""
        for hand in self.hands:
            self.say("declare", hand.holder, amount=NUMBERS[hand.name])
            self.turn_up(hand)
            self.redeal(hand, sorted(filter(is_special, hand.up)))
            self.say("score", hand.holder, amount=total(hand.cards))

    def turn_up(self, hand: Hand) -> None:
        if hand.down:
            self.say("turn_up", hand.holder, cards=sorted(hand.down))
        hand.up, hand.down = hand.cards, []

    # --- banks and bets ---

    def coup(self) -> Iterator[Question]:
        if self.banker < 0:
            self.say("ask", self.due, amount=0)
            yield from (self.offer() if self.form == "chemin_de_fer" else self.auction())
            if self.banker < 0:
                self.due = (self.due - 1) % self.n
                return
            self.chips[self.banker] -= self.bank
            self.money("bank", self.banker, self.bank)
        self.bets = {}
        yield from (self.shares() if self.form == "chemin_de_fer" else self.stakes())
        lost = False
        if self.bets:
            self.deal()
            yield from self.turns()
            self.show_all()
            lost = self.settle()
        self.put_away()
        least = Fraction(1, 100) if self.form == "chemin_de_fer" else self.low
        if (lost and self.form == "chemin_de_fer") or self.bank < least:
            self.retire()
        elif not self.is_over():
            answer = yield from self.ask(self.banker, {"keep the bank", "pass the bank on"})
            if answer == "pass the bank on":
                self.retire()
            else:
                self.money("bank", self.banker, self.bank)

    def going_right(self, first: int, number: int) -> list[int]:
        return [(first - k) % self.n for k in range(number)]

    def offer(self) -> Iterator[Question]:
        for seat in self.going_right(self.due, self.n):
            offers = {f"take the bank with {k * self.unit}" for k in range(1, 9) if k * self.unit <= self.chips[seat]}
            may_refuse = not self.options.must_bet or not offers
            answer = yield from self.ask(seat, offers | ({"refuse"} if may_refuse else set()))
            if answer != "refuse":
                self.bid(seat, answer)
                return
            self.say("pass", seat, amount=0)

    def auction(self) -> Iterator[Question]:
        order = self.going_right(self.due, self.n)
        for place, seat in enumerate(order):
            bids = {f"bid {k * self.unit}" for k in range(1, 9) if self.bank < k * self.unit <= self.chips[seat]}
            nobody_after = all(self.chips[later] < self.unit for later in order[place + 1 :])
            must = self.options.must_bet and self.banker < 0 and nobody_after and bids
            answer = yield from self.ask(seat, bids | (set() if must else {"no bid"}))
            if answer != "no bid":
                self.bid(seat, answer)
            else:
                self.say("pass", seat, amount=0)

    def bid(self, seat: int, answer: str) -> None:
        self.banker, self.bank = seat, Fraction(answer.split()[-1])
        self.money("bid", seat, self.bank)

    def left(self) -> Fraction:
        return self.bank - sum(sum(bet.values()) for bet in self.bets.values())

    def shares(self) -> Iterator[Question]:
        for seat in self.going_right((self.banker - 1) % self.n, self.n - 1):
            amounts = {min(Fraction(ceil(self.bank * k / 8)), self.left(), self.chips[seat]) for k in range(1, 8)} - {0}
            labels = {f"bet {float(amount):.2f}".rstrip("0").rstrip(".") for amount in amounts}
            if self.bank <= self.chips[seat]:
                labels.add("banco")
            free = not self.options.must_bet or self.left() == 0 or not labels
            answer = yield from self.ask(seat, labels | ({"no bet"} if free else set()))
            if answer == "banco":
                for other, bet in self.bets.items():
                    self.chips[other] += bet["P"]
                self.bets = {seat: {"P": self.bank}}
                self.chips[seat] -= self.bank
                self.money("call", seat, self.bank)
                return
            if answer == "no bet":
                self.say("pass", seat, amount=2)
                continue
            self.bets[seat] = {"P": Fraction(answer.split()[1])}
            self.chips[seat] -= self.bets[seat]["P"]
            self.money("bet", seat, self.bets[seat]["P"])

    def tableau_of(self, name: str) -> list[int]:
        """BA-31."""
        order = self.going_right((self.banker - 1) % self.n, self.n - 1)
        first = ceil((self.n - 1) / 2)
        return order[:first] if name == "R" else order[first:]

    def stakes(self) -> Iterator[Question]:
        for seat in self.going_right((self.banker - 1) % self.n, self.n - 1):
            can = [level for level in self.levels if level <= self.chips[seat] and level <= self.left()]
            labels = {f"bet {level}" for level in can}
            if self.options.a_cheval:
                labels |= {f"a cheval {level}" for level in can if level >= 2}
            free = not self.options.must_bet or not labels
            answer = yield from self.ask(seat, labels | ({"no bet"} if free else set()))
            if answer == "no bet":
                self.say("pass", seat, amount=2)
                continue
            level = Fraction(answer.split()[-1])
            own, other = ("R", "L") if seat in self.tableau_of("R") else ("L", "R")
            half = Fraction(floor(level / 2)) if answer.startswith("a cheval") else Fraction(0)
            self.bets[seat] = {own: level - half, other: half}
            self.chips[seat] -= level
            self.say("select", seat, amount=3 if answer.startswith("a cheval") else " RL".index(own))
            self.money("bet", seat, level)

    # --- hands face down ---

    def deal(self) -> None:
        self.hands = [Hand("B", self.banker)]
        if self.form == "chemin_de_fer":
            best = max(bet["P"] for bet in self.bets.values())
            order = self.going_right((self.banker - 1) % self.n, self.n - 1)
            holder = next(seat for seat in order if seat in self.bets and self.bets[seat]["P"] == best)
            self.hands.insert(0, Hand("P", holder))
        else:
            for name in "LR":
                holder = self.holder(name)
                if holder is not None:
                    self.hands.insert(0, Hand(name, holder))
        for hand in self.hands * 2:
            hand.down.append(self.shoe.pop(0))
        for hand in self.hands:
            self.say("deal", hand.holder, cards=hand.down)
        for hand in self.hands:
            if hand.natural:
                self.show_natural(hand)

    def holder(self, name: str) -> int | None:
        """BA-33."""
        own = self.tableau_of(name)
        start = own.index(self.starts[name]) if self.starts.get(name) is not None else 0
        for seat in own[start:] + own[:start]:
            if self.bets.get(seat, {}).get(name):
                self.starts[name] = seat
                return seat
        others = self.tableau_of("L" if name == "R" else "R")
        return next((seat for seat in others if self.bets.get(seat, {}).get(name)), None)

    def show_natural(self, hand: Hand) -> None:
        self.turn_up(hand)
        hand.over = True
        if hand.name in "PB":
            for other in self.hands:
                other.over = True

    def turns(self) -> Iterator[Question]:
        place = self.following(len(self.hands) - 1)
        while place is not None:
            yield from self.turn(self.hands[place])
            place = self.following(place)

    def allowed(self, hand: Hand) -> set[str]:
        if any(map(is_special, hand.down)):
            return {"draw", "stand"}
        count, options = total(hand.down), self.options
        if count >= 8:
            return {"stand"}
        by_tableau = self.form == "chemin_de_fer" and options.banker_rule == "tableau"
        if by_tableau:
            other = self.hands[1 if hand.name == "P" else 0]
            if other.over if hand.name == "B" else other.decided:
                return {"draw"} if tableau(count, other.drawn) else {"stand"}
        if (hand.name == "B" and not by_tableau) or options.punter_rule == "free" or count == 5:
            return {"draw", "stand"}
        return {"draw"} if count < 5 else {"stand"}

    def turn(self, hand: Hand) -> Iterator[Question]:
        hand.begun = True
        assert hand.holder is not None
        while True:
            self.say("turn", hand.holder, amount=NUMBERS[hand.name])
            reveals = {f"reveal {names.text([card])}" for card in hand.down if is_special(card)} if self.shoe else set()
            allowed = self.allowed(hand)
            if len(allowed) > 1:
                self.say("ask", hand.holder, amount=1)
            answer = yield from self.ask(hand.holder, allowed | reveals)
            if not answer.startswith("reveal"):
                break
            yield from self.stage(hand, answer)
            if not self.go_on(hand, self.redeal_staged(hand)):
                return
        hand.over = hand.decided = True
        if answer == "draw" and self.shoe:
            self.draw(hand)
            hand.drawn = total(hand.up)
        else:
            self.say("stand", hand.holder)

    def stage(self, hand: Hand, answer: str) -> Iterator[Question]:
        self.staged = []
        while answer != "redeal":
            card = names.parse(answer.split()[1])[0]
            hand.down.remove(card)
            self.staged.append(card)
            self.say("reveal", hand.holder, cards=[card])
            rest = {f"reveal {names.text([card])}" for card in hand.down if is_special(card)}
            if not rest or len(self.staged) >= len(self.shoe):
                return
            answer = yield from self.ask(hand.holder or 0, rest | {"redeal"})

    def redeal_staged(self, hand: Hand) -> Counter[str]:
        acted = Counter(map(kind, self.staged))
        for card in sorted(self.staged):
            self.say("redeal", hand.holder, cards=[card])
        self.aside += self.staged
        count = len(self.staged) + acted["draw"]
        new, self.shoe, self.staged = self.shoe[:count], self.shoe[count:], []
        hand.down += new
        self.say("draw", hand.holder, cards=new)
        return acted

    def settle(self) -> bool:
        """Whether the bank lost to a hand."""
        totals = {hand.name: total(hand.cards) for hand in self.hands}
        gain, lost = Fraction(0), False
        for hand in self.hands[:-1]:
            result = (totals[hand.name] > totals["B"]) - (totals[hand.name] < totals["B"])
            lost |= result > 0
            for seat, bets in sorted(self.bets.items()):
                bet = bets.get(hand.name, 0)
                if bet:
                    self.money("pay", seat, bet * result)
                self.chips[seat] += bet * (1 + result)
                gain -= bet * result
            own = self.tableau_of(hand.name) if self.form == "banque" else []
            if result < 0 and hand.holder in own:
                self.starts[hand.name] = own[(own.index(hand.holder) + 1) % len(own)]
        self.bank += gain - (self.kept(gain) if gain > 0 else 0)
        if self.bank:
            self.money("bank", self.banker, self.bank)
        return lost
