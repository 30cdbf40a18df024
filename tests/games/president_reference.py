"""President once more, slowly, from the clauses: a whole match with lists of cards, written as text, and dictionaries of seats.

It deals by itself from the order of the deck; random numbers it needs none.
"""

from __future__ import annotations

from typing import Any

from games.saying import Sayings, jokers_last
from wilddeck import cards

JOKERS = ["SJ", "BJ"]
SPECIALS = [cards.text([card]) for card in range(54, 66)]
RANKS = "23456789TJQKA"
SHAPES = [(1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (4, 0), (4, 1), (4, 2)]


def names(ids: Any) -> list[str]:
    return [cards.text([int(card)], joker_kinds=True) for card in ids]


def number(card: str) -> int:
    return cards.parse(card)[0]


class Match:
    """The whole of an episode; `table` is None, or what was played last: (what, how many, how many Jokers, by whom)."""

    def __init__(self, options: Any) -> None:
        self.o, self.n = options, options.num_players
        self.order = RANKS[1:] + RANKS[0] if options.twos_high else RANKS
        self.totals = [0] * self.n
        self.before: list[int] = []  # seats in the order of the last deal's places
        self.deals = 0
        self.rewards: list[float] | None = None
        self.saying = Sayings()

    def say(self, kind: str, player: int | None, cards: Any = (), other: int | None = None, amount: int = 0) -> None:
        self.saying(kind, player, cards=jokers_last(map(number, cards)), other=other, amount=len(cards) or amount)

    # --- deals and exchanges ---

    def start_deal(self, deck: list[int]) -> None:
        self.deals += 1
        self.say("hand", None, amount=self.deals)
        self.going_out: list[int] = []
        ids = names(deck)
        count = len(ids) if self.o.deal == "all" else 52
        self.first = 0 if self.deals == 1 else self.before[0 if self.o.next_lead == "president" else -1]
        self.hands: dict[int, list[str]] = {seat: [] for seat in range(self.n)}
        for k in range(count):
            self.hands[(self.first + k) % self.n].append(ids[k])
        for seat, hand in self.hands.items():
            self.say("deal", seat, hand)
        self.pile, self.aside = ids[count:], []
        self.played: dict[int, list[str]] = {seat: [] for seat in range(self.n)}
        self.direction, self.paused, self.staged = 1, set(), []
        self.table: tuple[str, int, int, int] | None = None
        self.passed: set[int] = set()
        self.barred: set[int] = set()
        self.owed: list[tuple[int, int]] = []  # who gives back, to whom
        self.over = False
        if self.deals > 1 and self.o.exchange:
            swaps = [(self.before[0], self.before[-1], self.o.exchange)]
            if self.o.exchange == 2 and self.n >= 4:
                swaps.append((self.before[1], self.before[-2], 1))
            for above, below, size in swaps:
                best = sorted(self.hands[below], key=self.goodness)[-size:]
                self.say("give", below, best, above)
                for card in best:
                    self.hands[below].remove(card)
                    self.hands[above].append(card)
                self.owed += [(above, below)] * size
        if self.owed:
            self.mover = self.owed[0][0]
        else:
            self.turn_of(self.first)

    def goodness(self, card: str) -> tuple[int, int]:
        if card in JOKERS:
            return 2, -number(card)
        if card in SPECIALS:
            return 0, -number(card)
        return 1, self.order.index(card[0]) * 4 + "cdhs".index(card[1])

    # --- turns ---

    def players(self) -> list[int]:
        return [seat for seat in range(self.n) if seat not in self.going_out]

    def after(self, seat: int, without: Any = ()) -> int:
        """Who is next in the order of play and has cards."""
        for k in range(1, self.n + 1):
            other = (seat + k * self.direction) % self.n
            if other in self.players() and other not in self.barred and other not in without:
                return other
        raise AssertionError("nobody is next")

    def draw(self, seat: int, count: int) -> None:
        """As many as there are."""
        drawn, self.pile = self.pile[:count], self.pile[count:]
        self.hands[seat] += drawn
        if drawn:
            self.say("draw", seat, drawn)

    def turn_round(self) -> None:
        self.direction = -self.direction
        self.say("direction", None, amount=self.direction)

    def turn_of(self, seat: int) -> None:
        """A turn begins, or goes on; who can only pass has passed already."""
        self.mover = seat
        self.paused.discard(seat)
        self.look()

    def look(self) -> None:
        if not self.o.ask_forced_pass and self.options_now() == [155]:
            self.act(155)

    def trick_done(self) -> bool:
        assert self.table is not None
        rest = set(self.players()) - {self.table[3]}
        return rest <= self.passed | self.barred

    def turn_over(self, seat: int) -> None:
        if self.table is None or not self.trick_done():
            self.turn_of(self.after(seat))
            return
        leader = self.table[3]
        self.say("trick_won", leader)
        self.clear()
        self.turn_of(leader if leader in self.players() else self.after(leader))

    def clear(self) -> None:
        self.table, self.passed, self.barred = None, set(), set()

    # --- what is legal ---

    def of_rank(self, seat: int, rank: str) -> list[str]:
        return sorted((card for card in self.hands[seat] if card[0] == rank and card not in JOKERS + SPECIALS), key=number)

    def of_kind(self, seat: int, kind: int) -> list[str]:
        return sorted((card for card in self.hands[seat] if card in SPECIALS[4 * kind : 4 * kind + 4]), key=number)

    def wild(self, seat: int) -> list[str]:
        return sorted((card for card in self.hands[seat] if card in JOKERS), key=number)

    def options_now(self) -> list[int]:
        seat = self.mover
        if self.owed:
            actions = [169 + r for r, rank in enumerate(RANKS) if self.of_rank(seat, rank)]
            return actions + [182] * bool(self.wild(seat)) + [183 + kind for kind in range(3) if self.of_kind(seat, kind)]
        reveals = []
        if len(self.staged) < len(self.pile):
            reveals = [156 + SPECIALS.index(card) for card in self.hands[seat] if card in SPECIALS and card not in self.staged]
        if self.staged:
            return sorted([*reveals, 168])
        actions = reveals
        for r, rank in enumerate(RANKS):
            for k, (size, jokers) in enumerate(SHAPES):
                held = len(self.of_rank(seat, rank)) >= size - jokers and len(self.wild(seat)) >= jokers
                if held and (self.table is None or (size == self.table[1] and self.beats(rank))):
                    actions.append(11 * r + k)
        if self.table is not None:
            return sorted([*actions, 155])
        return sorted(actions + [143 + 4 * kind + m for kind in range(3) for m in range(len(self.of_kind(seat, kind)))])

    def beats(self, rank: str) -> bool:
        assert self.table is not None
        lead = self.table[0]
        return lead in ("Dr", "Rv", "Sk") or self.order.index(rank) > self.order.index(lead)

    # --- what is done ---

    def act(self, action: int) -> None:
        seat = self.mover
        if self.owed:
            self.give(action)
        elif action < 143:
            r, k = divmod(action, 11)
            size, jokers = SHAPES[k]
            self.lay(RANKS[r], self.of_rank(seat, RANKS[r])[: size - jokers] + self.wild(seat)[:jokers], jokers)
        elif action < 155:
            kind, m = divmod(action - 143, 4)
            self.lay(("Dr", "Rv", "Sk")[kind], self.of_kind(seat, kind)[: m + 1], 0)
        elif action == 155:
            self.say("pass", seat)
            self.passed.add(seat)
            if self.o.pass_is_final:
                self.barred.add(seat)
            self.turn_over(seat)
        else:
            if action < 168:
                self.staged.append(SPECIALS[action - 156])
                self.say("reveal", seat, self.staged[-1:])
            if action == 168 or self.options_now() == [168]:
                self.redeal()

    def give(self, action: int) -> None:
        giver, receiver = self.owed.pop(0)
        if action < 182:
            card = self.of_rank(giver, RANKS[action - 169])[0]
        else:
            card = self.wild(giver)[0] if action == 182 else self.of_kind(giver, action - 183)[0]
        self.say("give", giver, [card], receiver)
        self.hands[giver].remove(card)
        self.hands[receiver].append(card)
        if self.owed:
            self.mover = self.owed[0][0]
        else:
            self.turn_of(self.first)

    def lay(self, rank: str, out: list[str], jokers: int) -> None:
        seat = self.mover
        self.say("play", seat, out)
        if jokers == len(out):
            self.say("declare", seat, amount=RANKS.index(rank))
        for card in out:
            self.hands[seat].remove(card)
            self.played[seat].append(card)
        self.table, self.passed = (rank, len(out), jokers, seat), set()
        if not self.hands[seat]:
            self.going_out.append(seat)
            self.say("out", seat, amount=len(self.going_out))
            if len(self.players()) == 1:
                self.finish()
                return
        count = len(out)
        if rank == "Dr":
            following = self.after(seat)
            self.draw(following, 2 * count)
            self.turn_of(following)
        elif rank == "Rv":
            affected = self.after(seat)
            for _ in range(count):  # ED-39: each acts
                self.turn_round()
            others = [other for other in self.players() if other != affected]
            self.turn_of(self.after(seat, {affected}) if others and count % 2 else affected)
        elif rank == "Sk":
            following = self.after(seat)
            for _ in range(count):
                self.say("skipped", following)
                self.passed.add(following)
                self.paused.discard(following)
                following = self.after(following)
            if self.trick_done():
                self.say("trick_won", seat)
                self.clear()
            self.turn_of(following)
        else:
            self.turn_over(seat)

    def redeal(self) -> None:
        seat, staged = self.mover, self.staged
        kinds = [card[:2] for card in staged]
        self.staged = []
        self.say("redeal", seat, staged)
        for card in staged:
            self.hands[seat].remove(card)
            self.aside.append(card)
        self.draw(seat, len(staged))
        self.draw(seat, kinds.count("Dr"))
        if kinds.count("Rv") % 2:
            self.turn_round()
        if "Sk" in kinds:
            self.say("skipped", seat)
            if self.table is not None:
                self.passed.add(seat)
            self.turn_over(seat)
        elif "Rv" in kinds:
            self.say("pause", seat)
            self.passed.discard(seat)
            self.paused.add(seat)
            self.turn_over(seat)
        else:
            self.look()

    def finish(self) -> None:
        self.over = True
        self.before = self.going_out + self.players()
        n = self.n
        self.say("ranked", self.before[-1], amount=n)
        if self.o.match == "hand":
            self.rewards = [1 - 2 * self.before.index(seat) / (n - 1) for seat in range(n)]
            self.say("game_over", None)
            return
        points = {self.before[0]: 2, **({self.before[1]: 1} if n >= 4 else {})}
        for seat in sorted(points):
            self.say("score", seat, amount=points[seat])
            self.totals[seat] += points[seat]
        if max(self.totals) >= self.o.target or self.deals == self.o.max_hands:
            mean = sum(self.totals) / n
            self.rewards = [(total - mean) / self.o.target for total in self.totals]
            self.say("game_over", None)
