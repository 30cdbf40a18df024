"""Crazy eights once more, slowly, from the clauses of the page: cards as text, hands as lists, turns by the Extended Deck's."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, Protocol

from games.saying import Sayings, jokers_last
from wilddeck.envs.core.cards import TEXT

STANDARD, SPECIALS = TEXT[:52], TEXT[54:]
JOKERS = ("SJ", "BJ")
WILD = ("8c", "8d", "8h", "8s", *JOKERS)
SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}


def rank(card: str) -> str:
    return card.split("-")[0] if "-" in card else card[0]


def suit(card: str) -> str:
    return card[-1]


def points(hand: list[str], how: str) -> int:
    """CE-60, CE-61."""
    jokers = sum(card in JOKERS for card in hand)
    others = [card for card in hand if card not in JOKERS]
    free = [card for card in STANDARD if card not in others]
    cheapest = min(sum(cost(card, how) for card in cards) for cards in itertools.combinations(free, jokers))
    return sum(cost(card, how) for card in others) + cheapest


def cost(card: str, how: str) -> int:
    if rank(card) == "8":
        return 50
    if card in SPECIALS or rank(card) in "JQK":
        return 10
    if how == "openspiel":
        return 10 if rank(card) == "A" else STANDARD.index(card) + 2
    return {"T": 10, "A": 1}.get(rank(card)) or int(rank(card))


class Chance(Protocol):
    """What the rules leave to chance: a number below a bound; the pile that cards become, top first."""

    def below(self, bound: int) -> int: ...

    def shuffle(self, those: list[str]) -> list[str]: ...


class Deal:
    """A deal from its deck on, top first."""

    def __init__(self, options: Any, deck: list[str], chance: Chance) -> None:
        self.options, self.n, self.chance = options, options.num_players, chance
        dealer = chance.below(self.n)  # CE-01
        hand_size, seats = (7 if self.n == 2 else 5), [(dealer + 1 + k) % self.n for k in range(self.n)]
        self.hands = [deck[seats.index(seat) : hand_size * self.n : self.n] for seat in range(self.n)]
        self.pile = deck[hand_size * self.n :]
        self.below: list[str] = []
        self.aside: list[str] = []
        self.staged: list[str] = []
        self.phase, self.direction = "play", 1
        self.debt = self.plays = self.passes = 0
        self.drawn, self.skips, self.draws = ([0] * self.n for _ in range(3))
        self.paused: set[int] = set()
        self.saying = Sayings()
        self.say("hand", amount=1)
        self.say("round", dealer, amount=hand_size)
        for seat in seats:
            self.say("deal", seat, self.hands[seat])
        effects = self.start()
        first = (dealer + 1) % self.n
        if options.use_special_cards:  # CE-44
            if self.rank == "2":
                self.debt = 2
            elif self.rank == "Q":
                self.say("skipped", first)
                first = (first + 1) % self.n
            elif self.rank == "A":
                self.turn_round()
                first = (dealer - 1) % self.n
        self.begin(self.common(effects, first))

    def say(self, kind: str, player: int | None = None, cards: Iterable[str] = (), amount: int = 0) -> None:
        ids = jokers_last(map(TEXT.index, cards))
        self.saying(kind, player, cards=ids, amount=len(ids) or amount)

    # the start

    def start(self) -> list[str]:
        """CE-02, CE-04."""
        laid: list[str] = []
        effects, needed = [], 1
        while needed:
            card = self.pile.pop(0)
            self.say("turn_up", cards=[card])
            if card in WILD:
                self.pile.insert(self.chance.below(len(self.pile) + 1), card)
                self.say("shuffle", amount=1)
            elif card in SPECIALS:
                self.aside.append(card)
                needed += rank(card) == "Dr"
                effects += [] if rank(card) == "Dr" else [rank(card)]
            else:
                laid.append(card)
                needed -= 1
        *self.below, self.top = laid
        self.rank, self.suit = rank(self.top), suit(self.top)
        return effects

    def common(self, effects: list[str], first: int) -> int:
        """ED-45."""
        begins = player = first
        for effect in effects:
            if effect == "Sk":
                if not all(self.skips):
                    self.skips[player] += 1
                    player = self.after(player)
            else:
                self.turn_round()
                begins = player = self.after(player)
        return begins

    # turns

    def after(self, seat: int) -> int:
        return (seat + self.direction) % self.n

    def turn_round(self) -> None:
        self.direction = -self.direction
        self.say("direction", amount=self.direction)

    def begin(self, seat: int) -> None:
        """ED-57."""
        while True:
            self.take(seat, self.draws[seat])
            self.draws[seat] = 0
            if not self.skips[seat]:
                break
            self.skips[seat] -= 1
            self.paused.discard(seat)
            self.drawn[seat] = 0
            self.say("skipped", seat)
            seat = self.after(seat)
        self.paused.discard(seat)
        self.turn = seat

    def end(self, effect: str = "") -> None:
        """ED-50, with at most one card played in the turn."""
        self.drawn[self.turn] = 0
        following = self.after(self.turn)
        if effect == "Dr":
            self.draws[following] += 2
        elif effect == "Sk":
            self.skips[following] += 1
        elif effect == "Rv":
            self.turn_round()
            affected, following = following, self.after(self.turn)
            if following == affected:
                following = self.after(following)
        self.begin(following)

    def take(self, seat: int, count: int) -> int:
        """ED-10 and CE-22."""
        taken = []
        while self.pile and len(taken) < count:
            taken.append(self.pile.pop(0))
            if len(taken) < count:
                self.refill()
        self.hands[seat] += taken
        if taken:
            self.say("draw", seat, taken)
        self.refill()
        return len(taken)

    def refill(self) -> None:
        if self.options.reshuffle and not self.pile and self.below:
            self.say("shuffle", amount=len(self.below))
            self.pile, self.below = self.chance.shuffle(self.below), []

    # what is legal

    def can_be_played(self, card: str) -> bool:
        """CE-10, CE-41."""
        if self.debt:
            return rank(card) == "2"
        return rank(card) == "8" or rank(card) == self.rank or suit(card) == self.suit

    def may_draw(self) -> bool:
        return bool(self.pile) and self.drawn[self.turn] < self.options.max_draw_cards

    def legal(self) -> set[str]:
        hand = self.hands[self.turn]
        if self.phase == "declare":
            return {f"declare {card}" for card in STANDARD if self.can_be_played(card)}
        if self.phase == "nominate":
            return {f"nominate {name}" for name in SUITS.values()}
        available = len(self.pile) + (len(self.below) if self.options.reshuffle else 0)
        specials = [card for card in hand if card in SPECIALS and card not in self.staged]
        labels = {f"reveal {card}" for card in specials if not self.debt and len(self.staged) < available}
        if self.staged:
            return labels | {"redeal"}
        labels |= {f"play {card}" for card in hand if card in JOKERS or self.can_be_played(card)}
        return labels | {"draw" if self.debt or self.may_draw() else "pass"}

    # actions

    def act(self, action: str) -> None:
        verb, _, card = action.partition(" ")
        passes, self.passes = self.passes, 0
        if verb == "play":
            self.play(card)
        elif verb == "declare":
            self.say("declare", self.turn, [card])
            self.settle(card)
        elif verb == "nominate":
            self.say("choose", self.turn, amount=list(SUITS.values()).index(card))
            self.suit, self.phase = card[0], "play"
            self.end()
        elif verb == "draw":
            self.draw()
        elif verb == "pass":
            self.say("pass", self.turn)
            if not self.pile:
                self.passes = passes + 1
            if self.passes <= self.n:
                self.end()
        else:
            if verb == "reveal":
                self.staged.append(card)
                self.say("reveal", self.turn, [card])
            if verb == "redeal" or not any(label.startswith("reveal") for label in self.legal()):
                self.redeal()

    def play(self, card: str) -> None:
        self.say("play", self.turn, [card])
        self.hands[self.turn].remove(card)
        self.below.append(self.top)
        self.top = card
        self.plays += 1
        if card not in JOKERS:
            self.rank, self.suit = rank(card), suit(card)
        if not self.hands[self.turn]:
            self.say("out", self.turn)
        if self.over:
            return
        self.refill()
        if card in JOKERS:
            self.phase = "declare"
        else:
            self.settle(card)

    def settle(self, card: str) -> None:
        """What the card, or the one a Joker is declared to be, does."""
        self.rank, self.suit, self.phase = rank(card), suit(card), "play"
        if self.rank == "8":
            self.phase = "nominate"
            return
        effect = self.rank if card in SPECIALS else ""
        if self.options.use_special_cards:  # CE-40, CE-41
            if self.rank == "2" and self.pile:
                self.debt += 2
            elif self.rank == "Q":
                effect = "Sk"
            elif self.rank == "A":
                self.turn_round()
        self.end(effect)

    def draw(self) -> None:
        if not self.debt:
            self.take(self.turn, 1)
            self.drawn[self.turn] = self.drawn[self.turn] + 1 if self.pile else self.options.max_draw_cards
            return
        owed, self.debt = self.debt, 0
        taken = self.take(self.turn, owed)  # CE-42
        if not taken:
            self.say("pass", self.turn)
        if taken == owed and not self.pile:
            self.passes = 1  # CE-43
        self.end()

    def redeal(self) -> None:
        """ED-24, ED-26."""
        kinds = [rank(card) for card in self.staged]
        self.say("redeal", self.turn, self.staged)
        for card in self.staged:
            self.hands[self.turn].remove(card)
        self.aside += self.staged
        self.staged = []
        self.take(self.turn, len(kinds))
        self.take(self.turn, kinds.count("Dr"))
        if kinds.count("Rv") % 2:
            self.turn_round()
        if "Sk" in kinds:
            self.say("skipped", self.turn)
            self.end()
        elif "Rv" in kinds:
            self.paused.add(self.turn)
            self.say("pause", self.turn)
            self.begin(self.after(self.turn))

    # the end

    @property
    def over(self) -> bool:
        """CE-23, CE-24."""
        return self.passes > self.n or self.plays == self.options.max_turns or not all(self.hands)

    def rewards(self) -> list[float]:
        costs = [points(hand, self.options.card_points) for hand in self.hands]
        for seat, cost_of_hand in enumerate(costs):
            self.say("score", seat, amount=cost_of_hand)
        self.say("game_over")
        if self.options.reward == "openspiel":
            return [float(-cost_of_hand) for cost_of_hand in costs]
        return [(sum(costs) / self.n - cost_of_hand) / 100 for cost_of_hand in costs]
