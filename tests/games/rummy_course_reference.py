"""Rummy once more, slowly, from the clauses alone: basic, gin and contract, cards as ids in lists, a meld as its cards.

Jokers are ids 52 and 53 (four of them with two decks), both face 52. Chance is given: the decks, and how discards are shuffled
(RM-24).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from games import rummy_melds_reference as slow
from games.saying import Sayings

JOKER = 52
OF_A_CARD = ("turn_up", "set_aside", "draw", "collect", "discard", "select", "lay_off", "reveal", "redeal")  # events
POINT = 60  # of what is won such a part is told


def face(card: int) -> int:
    return JOKER if card in (52, 53) else card


def is_joker(card: int) -> bool:
    return card in (52, 53)


def kind(card: int) -> int:
    """0 Draw, 1 Reverse, 2 Skip; -1 of other cards."""
    return (card - 54) // 4 if card >= 54 else -1


@dataclass
class Meld:
    kind: str
    cards: list[int]
    first: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.first = tuple(self.cards)

    @property
    def naturals(self) -> tuple[int, ...]:
        return tuple(sorted(card for card in self.cards if not is_joker(card)))

    @property
    def jokers(self) -> int:
        return sum(map(is_joker, self.cards))


@dataclass
class Turn:
    """A turn that has begun and is not over."""

    drawn: bool = False
    taken: int | None = None  # the face taken from the discards
    taken_card: int | None = None  # the card that was the upcard when it was taken (RM-36)
    melds: int = 0
    laid_contract: bool = False
    did_meld: bool = False  # melded or laid off
    played: list[int] = field(default_factory=list)  # kinds of special cards


class Course:
    """How an episode goes: deals, turns, the stock, the ends. `decks`: one deck a deal; `shuffled`: what becomes of cards that
    are shuffled in this step."""

    shuffled: Callable[[list[int]], list[int]]

    def __init__(self, options: Any, decks: list[list[int]]) -> None:
        self.o, self.n, self.decks = options, options.num_players, decks
        self.gin, self.contract = options.variant == "gin", options.variant == "contract"
        self.ace_high = self.contract or (not self.gin and options.ace == "both")
        self.ace = 15 if self.ace_high else 1
        self.laid_rules = slow.LAID[2 if self.gin else 3 if self.contract else int(self.ace_high)]
        standard = options.deck == "standard"
        self.table_rules = slow.TABLE[(4 if standard else 3) if self.contract else int(self.ace_high)]
        self.asks_all = self.gin and standard
        self.reach_two = self.gin and (options.layoff_reach == "two" or (options.layoff_reach is None and standard))
        self.totals = [0] * self.n
        self.rewards = [0.0] * self.n  # of the last step
        self.over = False
        self.deal_number = options.first_deal if self.contract else 1
        self.dealt = 0
        self.saying = Sayings()
        self.start_deal()

    def say(self, kind: str, seat: int | None, number: int = 0) -> None:
        self.saying(kind, seat, **({"cards": [number]} if kind in OF_A_CARD else {"amount": number}))

    # --- the deal ---

    def start_deal(self) -> None:
        deck = list(self.decks[self.dealt])
        self.dealt += 1
        self.say("hand", None, self.dealt)
        if self.contract:
            self.say("contract", None, self.deal_number)
        self.hands: list[list[int]] = [[] for _ in range(self.n)]
        if self.gin:
            hand_size = 10
        elif self.contract:
            hand_size = 10 if self.deal_number <= 3 else 12
        else:
            hand_size = {2: 10, 3: 7, 4: 7, 5: 6, 6: 6}[self.n]
        for _ in range(hand_size):
            for hand in self.hands:
                hand.append(deck.pop(0))
        for seat, hand in enumerate(self.hands):
            self.saying("deal", seat, cards=hand)
        self.stock, self.discards, self.aside = deck, [], []
        self.melds: list[Meld] = []
        self.direction = 1
        self.owed, self.skips = [0] * self.n, [0] * self.n
        self.turns: list[Turn | None] = [None] * self.n
        self.paused: set[int] = set()
        self.discarder: int | None = None
        self.staged: list[int] = []
        self.composition: list[int] = []
        self.slot = -1
        self.recycles = 0 if self.gin else self.o.recycles
        self.begun = self.idle = 0
        self.melded_before = [False] * self.n
        self.down = [False] * self.n
        self.buys = [self.o.buys if self.contract else 0] * self.n
        self.repeated = False
        self.upcards = 0
        self.buyers: list[int] = []
        self.to_lay = ""  # what is left of a contract that is being laid
        self.knocker = -1
        self.seat = (self.deal_number - 1) % self.n if self.contract else 0
        self.phase = "first"
        self.passes = 0
        effects = self.turn_up()
        self.knock_card = self.o.knock_card if self.gin else 0
        if self.gin and self.o.oklahoma and not is_joker(self.discards[-1]) and self.discards[-1] < 52:
            points = slow.card_points(self.discards[-1], 1)
            self.knock_card = 0 if points == 1 else points
        self.first_decision = self.gin
        self.begin(self.act_on_table(effects, self.seat))

    def turn_up(self) -> list[int]:
        """RM-02, RM-03."""
        due, effects = 1, []
        while due and self.stock:
            card = self.stock.pop(0)
            if card < 54 or not self.stock:
                self.say("turn_up", None, card)
                self.discards.append(card)
                due -= 1
            else:
                self.say("set_aside", None, card)
                self.aside.append(card)
                due += kind(card) == 0
                if kind(card):
                    effects.append(kind(card))
        return effects

    def act_on_table(self, effects: list[int], player: int) -> int:
        """ED-45."""
        start = player
        for effect in effects:
            if effect == 2:
                if all(self.skips):
                    continue
                self.skips[player] += 1
                player = (player + self.direction) % self.n
            else:
                self.turn_round()
                player = start = (player + self.direction) % self.n
        return start

    def turn_round(self) -> None:
        self.direction = -self.direction
        self.say("direction", None, self.direction)

    # --- stock ---

    def may_recycle(self) -> bool:
        return self.recycles > 0 and len(self.discards) >= 2

    def available(self) -> int:
        return len(self.stock) + (len(self.discards) - 1 if self.may_recycle() else 0)

    def next_card(self) -> int | None:
        if not self.stock and self.may_recycle():
            self.recycles -= 1
            self.say("shuffle", None, len(self.discards) - 1)
            self.stock, self.discards = self.shuffled(self.discards[:-1]), self.discards[-1:]
        if not self.stock:
            return None
        self.idle = 0
        return self.stock.pop(0)

    def take(self, seat: int, count: int) -> None:
        for _ in range(count):
            card = self.next_card()
            if card is not None:
                self.say("draw", seat, card)
                self.hands[seat].append(card)

    # --- turns (ED-50, ED-57) ---

    @property
    def turn(self) -> Turn:
        turn = self.turns[self.seat]
        assert turn is not None
        return turn

    def end_turn(self, seat: int) -> None:
        ended = self.turns[seat]
        assert ended is not None
        self.turns[seat] = None
        self.melded_before[seat] |= ended.did_meld
        self.begin(self.act_on_next(seat, ended.played))

    def act_on_next(self, seat: int, effects: list[int]) -> int:
        affected = start = (seat + self.direction) % self.n
        for effect in effects:
            if effect == 0:
                self.owed[affected] += 2
            elif effect == 2:
                self.skips[affected] += 1
                affected = (affected + self.direction) % self.n
            else:
                self.turn_round()
                order = [(seat + k * self.direction) % self.n for k in range(1, self.n + 1)]
                affected = start = next(other for other in order if other != affected)
        return start

    def begin(self, seat: int) -> None:
        while True:
            owed, self.owed[seat] = self.owed[seat], 0
            self.take(seat, owed)
            if not self.skips[seat]:
                break
            self.skips[seat] -= 1
            self.say("skipped", seat)
            played: list[int] = []
            ended = self.turns[seat]
            if seat in self.paused and ended is not None:
                self.paused.discard(seat)
                played = ended.played
                self.melded_before[seat] |= ended.did_meld
                self.turns[seat] = None
            seat = self.act_on_next(seat, played)
        self.seat = seat
        if seat in self.paused:
            self.paused.discard(seat)
        else:
            if not self.gin and (self.begun == self.o.max_turns or self.idle >= 4 * self.n):
                self.block()
                return
            self.turns[seat] = Turn()
            self.begun += 1
            self.idle += 1
        self.go_on()

    def go_on(self) -> None:
        """To the draw decision or to play."""
        if self.first_decision:
            self.first_decision, self.phase = False, "first"
        elif self.turn.drawn:
            self.phase = "play"
        elif self.gin:
            self.phase = "wall" if len(self.stock) <= 2 else "draw"
        else:
            self.phase = "draw"
            if not self.stock and not self.may_recycle():
                self.block()

    # --- ends ---

    def points_of(self, seat: int) -> int:
        naturals = tuple(sorted(card for card in self.hands[seat] if not is_joker(card)))
        return slow.hand_points(naturals, len(self.hands[seat]) - len(naturals), self.ace)

    def say_scores(self, points: list[int]) -> None:
        for seat, counted in enumerate(points):
            self.say("score", seat, counted)

    def block(self) -> None:
        self.say("round", None, 0)
        if self.contract:
            self.end_of_deal()
            return
        points = [self.points_of(seat) for seat in range(self.n)]
        self.say_scores(points)
        least = min(points)
        lowest = [seat for seat in range(self.n) if points[seat] == least]
        pool = sum(points) - least * self.n
        for seat in lowest:
            self.say("win", seat, POINT * pool // len(lowest))
        self.finish([pool / len(lowest) if seat in lowest else float(least - points[seat]) for seat in range(self.n)])

    def gone_out(self, seat: int) -> bool:
        """RM-27: whether the hand is empty, which ends the deal."""
        if self.hands[seat]:
            return False
        self.say("out", seat)
        if self.contract:
            self.end_of_deal()
            return True
        double = self.o.rummy_double and not self.melded_before[seat] and self.turn.did_meld
        points = [self.points_of(other) * (2 if double else 1) for other in range(self.n)]
        self.say_scores(points)
        self.say("win", seat, POINT * sum(points))
        self.finish([float(sum(points)) if other == seat else float(-points[other]) for other in range(self.n)])
        return True

    def end_of_deal(self) -> None:
        points = [self.points_of(seat) for seat in range(self.n)]
        self.say_scores(points)
        self.totals = [total + points_of_deal for total, points_of_deal in zip(self.totals, points, strict=True)]
        self.rewards = [float(sum(points) - self.n * own) for own in points]
        for seat, total in enumerate(self.totals):
            self.say("ranked", seat, total)
        last = min(7, self.o.first_deal + self.o.deals - 1)
        if self.deal_number == last:
            self.finish(self.rewards)
            return
        self.deal_number += 1
        self.start_deal()

    def end_gin(self, first: float) -> None:
        """The knocker's points; nobody's where nobody knocked."""
        rewards = [0.0, 0.0]
        if self.knocker >= 0:
            rewards[self.knocker], rewards[1 - self.knocker] = first, -first
        for seat in range(2):
            if rewards[seat] > 0:
                self.say("win", seat, POINT * int(rewards[seat]))
        self.finish(rewards)

    def finish(self, rewards: list[float]) -> None:
        self.rewards, self.over = rewards, True
        self.say("game_over", None)
