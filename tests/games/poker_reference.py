"""Poker once more, slowly, from the clauses: lists of cards and of chips, a seat at a time; hands are tried five by five.

A deck is dealt from its first card on. Random numbers it needs none: whoever drives it says how the muck was shuffled.
"""

from __future__ import annotations

from typing import Any

from . import poker_values as values
from .poker_cards import DRAWS, REVERSES, SKIPS, Dealing, Shuffle, is_special, no_shuffle
from .saying import Sayings, jokers_last

JOKERS = values.JOKERS
ACE_OF_SPADES = 51
SPADES = range(3, 52, 4)
FOLD, CALL, RAISE, FRACTIONS, ALL_IN, REVEAL, COMMIT, MARK, DRAW = 0, 1, 2, 3, 9, 10, 22, 23, 32

# How many cards are dealt (down, up, to the board) before each street, and which of them follow a burned card.
STREETS: dict[str, list[tuple[int, int, int]]] = {
    "texas_holdem": [(2, 0, 0), (0, 0, 3), (0, 0, 1), (0, 0, 1)],
    "omaha": [(4, 0, 0), (0, 0, 3), (0, 0, 1), (0, 0, 1)],
    "five_card_draw": [(5, 0, 0), (0, 0, 0)],
    "five_card_stud": [(1, 1, 0), (0, 1, 0), (0, 1, 0), (0, 1, 0)],
    "seven_card_stud": [(2, 1, 0), (0, 1, 0), (0, 1, 0), (0, 1, 0), (1, 0, 0)],
}
STREETS["chicago"] = STREETS["seven_card_stud"]
STUDS = ("five_card_stud", "seven_card_stud", "chicago")


class Match(Dealing):
    """All hands of an episode. Seats are numbered as at the table; `ring` has those in the hand, clockwise from b+1."""

    def __init__(self, options: Any, button: int) -> None:
        self.o, self.n, self.button = options, options.num_players, button
        self.variant, self.betting = options.variant, options.betting
        self.stud = self.variant in STUDS
        stack = options.stack
        self.first_stacks = [stack] * self.n if isinstance(stack, int) else list(stack)
        self.stack = list(self.first_stacks)
        self.hands = 0
        self.rewards = [0.0] * self.n
        self.episode_over = False
        blind = options.big_blind
        self.small_bet, self.big_bet = (options.small_bet, options.big_bet) if self.stud else (blind, 2 * blind)
        self.unit = self.small_bet
        self.least_bet = self.small_bet  # PK-07: F to begin with, but for limit
        self.sizes = [round(1000 * size) for size in options.raise_sizes]
        self.shuffle: Shuffle = no_shuffle
        self.say = Sayings()

    # --- hands ---

    def start_hand(self, deck: list[int], shuffle: Shuffle = no_shuffle) -> None:
        """PK-01 to PK-03, and everything up to the first decision."""
        self.shuffle = shuffle
        if self.o.stacks == "reset":
            self.stack = list(self.first_stacks)
        if self.hands:
            self.button = next(s for s in self.clockwise(self.button + 1) if self.stack[s])
        self.hands += 1
        self.say("hand", amount=self.hands)
        self.say("round", self.button)
        self.before = list(self.stack)
        self.ring = [seat for seat in self.clockwise(self.button + 1) if self.stack[seat]]
        self.folded = {seat for seat in range(self.n) if not self.stack[seat]}
        self.stock, self.muck, self.aside, self.community = list(deck), [], [], []
        self.down: list[list[int]] = [[] for _ in range(self.n)]
        self.up: list[list[int]] = [[] for _ in range(self.n)]
        self.paid, self.level, self.exchanged = ([0] * self.n for _ in range(3))
        self.direction, self.phase, self.street = 1, "betting", -1
        self.staged: list[int] = []
        self.marks: list[int] = []
        self.turn: int | None = None
        self.hand_over = False
        self.clear_street()
        for seat in sorted(self.ring):
            self.post(seat, self.o.ante, bet=False)
        if not self.stud:
            small, big = (self.ring[-1], self.ring[0]) if len(self.ring) == 2 else self.ring[:2]
            self.post(small, self.o.small_blind)
            self.post(big, self.o.big_blind)
            self.big_blind_seat = big
        self.cur = max(self.bet)
        self.next_street()

    def clockwise(self, first: int) -> list[int]:
        return [(first + k) % self.n for k in range(self.n)]

    def live(self) -> list[int]:
        """Clockwise from b+1."""
        return [seat for seat in self.ring if seat not in self.folded]

    def can_act(self, seat: int) -> bool:
        return seat not in self.folded and self.stack[seat] > 0

    def actors(self) -> list[int]:
        return [seat for seat in self.live() if self.stack[seat]]

    def post(self, seat: int, chips: int, bet: bool = True) -> None:
        """PK-02, PK-20."""
        chips = min(chips, self.stack[seat])
        if chips:
            self.say("post", seat, amount=chips)
            self.pay(seat, chips, bet)

    def pay(self, seat: int, chips: int, bet: bool = True) -> None:
        chips = min(chips, self.stack[seat])
        self.stack[seat] -= chips
        self.paid[seat] += chips
        self.level[seat] += chips
        self.put_in[seat] += chips
        if bet:
            self.bet[seat] += chips
        if chips and not self.stack[seat]:
            self.say("declare", seat)

    # --- streets ---

    def clear_street(self) -> None:
        self.bet, self.put_in = [0] * self.n, [0] * self.n
        self.cur = self.raises = 0
        self.done: set[int] = set()
        self.paused: set[int] = set()
        self.by_skip: set[int] = set()
        self.acted: set[int] = set()
        self.brought_in = False

    def size(self) -> int:
        """PK-10: what a bet of this street is in limit."""
        large = self.street >= (1 if self.variant == "five_card_draw" else 2)
        return self.big_bet if large else self.small_bet

    def next_street(self) -> None:
        """Cards of the next street and its first turn, or the showdown; in five-card draw the draw lies between."""
        if self.variant == "five_card_draw" and self.phase == "betting" and self.street == 0:
            self.start_draw()
            return
        self.phase = "betting"
        self.street += 1
        if self.street == len(STREETS[self.variant]):
            self.showdown()
            return
        if self.street:
            self.clear_street()
        self.full = self.size() if self.betting == "limit" else self.least_bet  # F
        self.deal_street()
        self.open_street()

    def deal_street(self) -> None:
        down, up, board = STREETS[self.variant][self.street]
        if self.street and self.variant != "five_card_draw":
            self.burn()
        if self.street == 4 and self.available() < len(self.live()):  # PK-18
            down, board = 0, 1
        for hands, count in ((self.down, down), (self.up, up)):
            for _ in range(count):
                for seat in self.live():
                    for card in self.deal_to(hands[seat]):
                        if self.street or hands is self.up:
                            self.say("deal", seat, cards=[card])
            if not self.street and hands is self.down:
                for seat in sorted(self.live()):
                    self.say("deal", seat, cards=jokers_last(self.down[seat]))
        self.common: list[int] = []
        self.deal_board(board)

    def deal_board(self, count: int) -> None:
        """PK-50; `common` are the Reverses and Skips that take effect, in the order they came (PK-51)."""
        came: list[int] = []
        self.deal_to(came, count)
        dealt, aside = list(came), []
        for card in came:  # which grows
            if is_special(card) and self.available():
                dealt.remove(card)
                aside.append(card)
                dealt += self.deal_to(came, 2 if card in DRAWS else 1)
        self.aside += aside
        self.community += dealt
        self.common = [card for card in came if card in aside and card not in DRAWS]
        for kind, cards in (("set_aside", sorted(aside)), ("turn_up", dealt)):
            if cards:
                self.say(kind, cards=cards)

    def opener(self, who: list[int]) -> int:
        """PK-04 on later streets, among these seats."""
        order = self.ring if self.direction == 1 else self.ring[::-1]
        return next(seat for seat in order if seat in who)

    def open_street(self) -> None:
        """PK-04, PK-20, PK-52."""
        actors = self.actors()
        first: int | None = None
        if actors:
            if self.stud:
                first = self.stud_opener()
            elif self.street == 0:
                first = self.following(self.big_blind_seat, 1)
            else:
                first = self.opener(actors)
        if self.stud and self.street == 0 and self.o.stud_open == "bring_in" and first is not None:
            self.post(first, self.o.bring_in)
            self.cur, self.brought_in = self.bet[first], True
            if not self.stack[first]:
                first = self.following(first, 1)
        first = self.common_effects(first)
        self.begin(first)

    def common_effects(self, p: int | None) -> int | None:
        """PK-52, PK-53."""
        few = len(self.actors()) < 2
        for card in self.common:
            if card in REVERSES:
                self.turn_round()
            if few or p is None:
                continue
            self.say("skipped" if card in SKIPS else "pause", p)
            if card in SKIPS:
                self.done.add(p)
                self.by_skip.add(p)
                self.acted.add(p)
                self.paused.discard(p)
            else:
                self.paused.add(p)
            p = self.following(p, self.direction)
        return p

    def following(self, seat: int, direction: int) -> int | None:
        """The next in a direction who can act and is not done, the seat itself last."""
        for k in range(1, self.n + 1):
            other = (seat + k * direction) % self.n
            if self.can_act(other) and other not in self.done:
                return other
        return None

    def stud_opener(self) -> int | None:
        """PK-20, PK-32: who brings in or opens, or the next in order who can."""
        live = self.live()
        opener = live[0]
        if self.street == 0:
            up_cards = {seat: self.up[seat][0] for seat in live if self.up[seat]}
            ranked = {seat: card for seat, card in up_cards.items() if card < 52}
            jokers = [seat for seat, card in up_cards.items() if card in JOKERS]
            if self.o.stud_open == "high_card":
                worth = {seat: ACE_OF_SPADES if card in JOKERS else card for seat, card in up_cards.items() if card < 54}
                if worth:
                    opener = next(seat for seat in live if worth.get(seat) == max(worth.values()))
            elif ranked:
                opener = min(ranked, key=lambda seat: ranked[seat])
            elif jokers:
                opener = jokers[0]
        else:
            worth_of = {seat: values.best_open(self.up[seat]) for seat in live}
            opener = next(seat for seat in live if worth_of[seat] == max(worth_of.values()))
        return opener if self.can_act(opener) else self.following(opener, self.direction)

    # --- turns of betting ---

    def begin(self, seat: int | None) -> None:
        """The turn of a seat begins or resumes, unless the street is over (PK-05)."""
        while True:
            actors = self.actors()
            idle = len(actors) == 0 or (len(actors) == 1 and self.cur <= self.bet[actors[0]])
            if seat is None or idle:
                self.end_street()
                return
            self.turn = seat
            self.paused.discard(seat)
            if not any(is_special(card) for card in self.up[seat]):
                return
            redealt = self.redeal_all(seat, [self.up[seat]])  # PK-37
            if not self.effects(seat, redealt):
                return
            seat = self.following(seat, self.direction)

    def turn_round(self) -> None:
        self.direction = -self.direction
        self.say("direction", amount=self.direction)

    def effects(self, seat: int, redealt: list[int]) -> bool:
        """ED-26, PK-39, PK-41: whether the turn is over or interrupted."""
        reverses, skips = (sum(card in kind for card in redealt) for kind in (REVERSES, SKIPS))
        if reverses % 2:
            self.turn_round()
        if skips:
            self.say("skipped", seat)
            self.done.add(seat)
            self.by_skip.add(seat)
            self.acted.add(seat)
        elif reverses:
            self.say("pause", seat)
            self.paused.add(seat)
        return bool(skips or reverses)

    def end_street(self) -> None:
        self.turn = None
        self.settle()
        self.next_street()

    def settle(self) -> None:
        """PK-34, PK-13."""
        for seat in self.live():
            if seat in self.by_skip and self.bet[seat] < self.cur:
                self.level[seat] += min(self.stack[seat], self.cur - self.bet[seat])
        highest = max(self.level)
        alone = [seat for seat in range(self.n) if self.level[seat] == highest]
        if len(alone) == 1 and alone[0] not in self.folded:
            (seat,) = alone
            second = sorted(self.level)[-2]
            back = min(highest - second, self.put_in[seat])
            self.level[seat] = second
            self.paid[seat] -= back
            self.stack[seat] += back
            if back:
                self.say("collect", seat, amount=back)

    def to_call(self) -> int:
        assert self.turn is not None
        return max(0, self.cur - self.bet[self.turn])

    def bounds(self) -> tuple[int, int]:
        """The least and the most that may be raised to (PK-07 to PK-10, PK-12); 0 where nothing may be."""
        seat = self.turn
        if seat is None or self.phase != "betting" or self.staged:
            return 0, 0
        everything, owed = self.bet[seat] + self.stack[seat], self.to_call()
        others = [self.bet[other] + self.stack[other] for other in self.live() if other != seat]
        if everything <= self.cur or max(others) <= self.cur:
            return 0, 0
        if seat in self.acted and owed < self.full:
            return 0, 0
        completes = self.brought_in and self.raises == 0
        if self.betting == "limit":
            if self.raises >= self.o.raise_cap[self.street]:
                return 0, 0
            exactly = self.small_bet if completes else self.cur + self.size()
            return min(exactly, everything), min(exactly, everything)
        smallest = self.small_bet if completes else self.cur + self.full
        most = everything
        if self.betting == "pot_limit":
            most = min(everything, max(smallest, self.cur + sum(self.paid) + owed))
        return min(smallest, everything), most

    def raises_to(self) -> dict[int, int]:
        """The legal raises, by action, and to what each is (PK-11)."""
        seat, (smallest, most) = self.turn, self.bounds()
        if seat is None or not most:
            return {}
        if self.betting == "limit":
            return {RAISE: most}
        everything, base = self.bet[seat] + self.stack[seat], sum(self.paid) + self.to_call()
        raises = {ALL_IN: everything} if most == everything else {}
        offered = [(RAISE, smallest)] if self.o.min_raise_action else []
        offered += [(FRACTIONS + k, self.cur + size * base // 1000) for k, size in enumerate(self.sizes)]
        for action, amount in offered:
            amount = min(max(amount, smallest), most)
            if amount < everything and amount not in raises.values():
                raises[action] = amount
        return raises

    def reveals(self) -> list[int]:
        """ED-21, ED-22."""
        assert self.turn is not None
        if len(self.staged) >= self.available():
            return []
        return [REVEAL + card - 54 for card in sorted(self.down[self.turn]) if is_special(card) and card not in self.staged]

    def legal(self) -> list[int]:
        if self.turn is None:
            return []
        if self.staged:
            return [*self.reveals(), COMMIT]
        if self.phase == "draw":
            slots = range(self.marks[-1] + 1 if self.marks else 0, len(self.down[self.turn]))
            actions = [] if self.marks else self.reveals()
            return [*actions, *(MARK + slot for slot in slots), DRAW]
        folds = [FOLD] if self.to_call() else []
        return sorted([*folds, CALL, *self.raises_to(), *self.reveals()])

    def act(self, action: int, shuffle: Shuffle = no_shuffle) -> None:
        self.shuffle = shuffle
        self.rewards = [0.0] * self.n
        assert action in self.legal()
        seat = self.turn
        assert seat is not None
        if action == FOLD:
            self.fold(seat)
        elif action == CALL:
            self.say("call" if self.to_call() else "check", seat, amount=min(self.to_call(), self.stack[seat]))
            self.pay(seat, self.to_call())
            self.acted.add(seat)
            self.end_turn(seat)
        elif action <= ALL_IN:
            self.raise_to(seat, self.raises_to()[action])
        elif action < COMMIT:
            self.staged.append(54 + action - REVEAL)
            self.say("reveal", seat, cards=self.staged[-1:])
            if not self.reveals():
                self.commit(seat)
        elif action == COMMIT:
            self.commit(seat)
        elif action < DRAW:
            self.marks.append(action - MARK)
            self.say("select", seat, cards=[sorted(self.down[seat])[action - MARK]])
            if len(self.marks) == self.o.max_discards or action - MARK == len(self.down[seat]) - 1:
                self.exchange(seat)
        else:
            self.exchange(seat)

    def end_turn(self, seat: int) -> None:
        self.done.add(seat)
        self.by_skip.discard(seat)
        self.begin(self.following(seat, self.direction))

    def fold(self, seat: int) -> None:
        self.say("fold", seat)
        self.folded.add(seat)
        self.muck += self.down[seat] + self.up[seat]
        self.down[seat], self.up[seat] = [], []
        if len(self.live()) == 1:
            self.settle()
            self.split(sum(self.paid), self.live())
            self.end_hand()
        else:
            self.begin(self.following(seat, self.direction))

    def raise_to(self, seat: int, amount: int) -> None:
        """PK-07, PK-08."""
        completes = self.brought_in and self.raises == 0
        added = amount - self.cur
        self.say("raise" if self.cur else "bet", seat, amount=amount)
        full = amount >= (self.small_bet if completes else self.cur + self.full)
        self.pay(seat, amount - self.bet[seat])
        self.cur = amount
        self.raises += 1
        if full:
            self.full = max(self.full, added)
            self.acted = set()
        self.acted.add(seat)
        self.done, self.by_skip = set(), set()
        self.end_turn(seat)

    def commit(self, seat: int) -> None:
        """ED-24, ED-26."""
        batch, self.staged = self.staged, []
        self.say("redeal", seat, cards=sorted(batch))
        self.redeal(seat, batch, [self.down[seat]], hidden=True)
        if self.effects(seat, batch):
            if self.phase == "draw":
                self.begin_draw(self.next_to_draw(seat))
            else:
                self.begin(self.following(seat, self.direction))

    # --- the draw ---

    def start_draw(self) -> None:
        """PK-16."""
        self.phase = "draw"
        self.done, self.paused, self.by_skip = set(), set(), set()
        self.burn()
        self.begin_draw(self.opener(self.live()))

    def next_to_draw(self, seat: int) -> int | None:
        order = [(seat + k * self.direction) % self.n for k in range(1, self.n + 1)]
        return next((other for other in order if other in self.live() and other not in self.done), None)

    def begin_draw(self, seat: int | None) -> None:
        self.turn, self.marks = seat, []
        if seat is None:
            self.next_street()
        else:
            self.paused.discard(seat)

    def exchange(self, seat: int) -> None:
        hand = sorted(self.down[seat])
        discards = [hand[slot] for slot in self.marks]
        self.down[seat] = [card for card in hand if card not in discards]
        self.exchanged[seat] = len(discards)
        self.say("discard" if discards else "stand", seat, cards=jokers_last(discards))
        self.deal_to(self.down[seat], len(discards), drawn_by=seat)
        self.muck += discards
        self.done.add(seat)
        self.begin_draw(self.next_to_draw(seat))

    # --- the end ---

    def showdown(self) -> None:
        """PK-54, PK-23, PK-24."""
        for seat in self.live():
            self.say("reveal", seat, cards=jokers_last(self.down[seat]))
            self.redeal_all(seat, [self.down[seat], self.up[seat]])
        for seat in sorted(self.live()):
            self.say("score", seat, amount=values.as_number(self.worth(seat)))
        bottom = 0
        tops = sorted({self.level[seat] for seat in self.live()})
        for number, top in enumerate(tops):
            if len(tops) > 1:
                self.say("bank", amount=number)
            last = top == tops[-1]
            chips = sum(max(0, (paid if last else min(paid, top)) - bottom) for paid in self.paid)
            self.pay_out(chips, [seat for seat in self.live() if self.level[seat] >= top])
            bottom = top
        self.end_hand()

    def pay_out(self, chips: int, contestants: list[int]) -> None:
        """One pot; PK-21, PK-33."""
        if self.variant == "chicago":
            spades = {seat: self.spade(seat) for seat in contestants if self.spade(seat) is not None}
            if spades:
                pick = max if self.o.chicago == "high" else min
                best = pick(card for card in spades.values() if card is not None)
                self.say("pay", amount=chips // 2)
                self.split(chips // 2, [seat for seat in contestants if spades.get(seat) == best])
                chips -= chips // 2
        worth = {seat: self.worth(seat) for seat in contestants}
        self.split(chips, [seat for seat in contestants if worth[seat] == max(worth.values())])

    def split(self, chips: int, winners: list[int]) -> None:
        for seat in winners:
            part = chips // len(winners) + (chips % len(winners) if seat == winners[0] else 0)
            self.stack[seat] += part
            if part:
                self.say("win", seat, amount=part)

    def worth(self, seat: int) -> values.Value:
        if self.variant == "omaha":
            return values.best_omaha(self.down[seat], self.community)
        return values.best(self.down[seat] + self.up[seat] + self.community)

    def spade(self, seat: int) -> int | None:
        others = self.down[seat] + self.up[seat] + self.community
        spades = [card for card in self.down[seat] if card in SPADES]
        pick = max if self.o.chicago == "high" else min
        for card in self.down[seat]:
            if card in JOKERS:
                spades.append(pick(spade for spade in SPADES if spade not in others + spades))
        return pick(spades) if spades else None

    def end_hand(self) -> None:
        self.turn, self.hand_over = None, True
        for seat in range(self.n):
            self.rewards[seat] += (self.stack[seat] - self.before[seat]) / self.unit
            if seat in self.ring and not self.stack[seat] and self.o.stacks == "carry":
                self.say("out", seat)
        chips = self.stack if self.o.stacks == "carry" else self.first_stacks
        self.episode_over = self.hands == self.o.hands or sum(stack > 0 for stack in chips) < 2
        if self.episode_over:
            self.say("game_over")
