"""Go Fish once more, slowly, from the clauses alone: cards are texts in lists, turns a loop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from games.saying import Sayings, jokers_last
from wilddeck import cards

STANDARD = list("23456789TJQKA")
SPECIAL = ["Dr", "Rv", "Sk"]
RANKS = STANDARD + SPECIAL


def rank_of(card: str) -> str:
    return "" if card in ("SJ", "BJ") else card[:-2] if "-" in card else card[0]


def in_order(those: list[str]) -> list[int]:
    return jokers_last(cards.parse(" ".join(those)))


def special_number(card: str) -> int:
    return SPECIAL.index(card[:2]) * 4 + "cdhs".index(card[-1])


@dataclass
class Turn:
    """A player's turn, which may be paused."""

    fished: bool = False
    acted: bool = False
    laid: list[str] = field(default_factory=list)  # kinds of specials played, in order


@dataclass
class Table:
    options: Any
    deck: list[int]
    over: bool = False
    seat: int = 0
    direction: int = 1
    turns: int = 0
    last: tuple[int, int, str, int] | None = None

    def __post_init__(self) -> None:
        n = self.n = self.options.num_players
        self.say = Sayings()
        self.say("hand", amount=1)
        self.stock = [cards.text([card], joker_kinds=True) for card in self.deck]
        hand_size = self.options.hand_size or (7 if n == 2 else 5)
        self.hands: list[list[str]] = [[] for _ in range(n)]
        for _ in range(hand_size):
            for hand in self.hands:
                hand.append(self.stock.pop(0))
        self.books: list[dict[str, list[str]]] = [{} for _ in range(n)]
        self.known = [dict.fromkeys(RANKS, 0) for _ in range(n)]
        self.asked: list[set[str]] = [set() for _ in range(n)]
        self.lacks: list[set[str]] = [set() for _ in range(n)]
        self.aside: list[str] = []
        self.staged: list[str] = []
        self.open: list[Turn | None] = [None] * n  # turns begun and not over
        self.paused: list[int] = []
        self.owed, self.skips = [0] * n, [0] * n
        self.stuck: set[int] = set()  # GF-52
        for seat, hand in enumerate(self.hands):
            self.say("deal", seat, cards=in_order(hand))
        for seat in range(n):
            self.lay_naturals(seat)
        self.begin(0)
        self.settle()

    # --- helpers ---

    @property
    def turn(self) -> Turn:
        rank = self.open[self.seat]
        assert rank is not None
        return rank

    def of_rank(self, seat: int, rank: str) -> list[str]:
        return [card for card in self.hands[seat] if rank_of(card) == rank]

    def jokers(self, seat: int) -> list[str]:
        return [joker for joker in ("SJ", "BJ") if joker in self.hands[seat]]

    def take(self, seat: int, count: int) -> int:
        taken, self.stock = self.stock[:count], self.stock[count:]
        self.hands[seat] += taken
        if taken:
            self.say("draw", seat, cards=in_order(taken))
            self.lacks[seat] = set()
            self.stuck = set()
        return len(taken)

    def impossible(self) -> set[str]:
        if self.options.deck == "standard":
            return set(SPECIAL)
        return {rank_of(card) for card in self.aside}

    def forget(self, seat: int, rank: str) -> None:
        self.known[seat][rank] = 0
        self.asked[seat].discard(rank)
        self.lacks[seat].add(rank)

    def lay(self, seat: int, rank: str, used: list[str]) -> None:
        self.hands[seat] = [card for card in self.hands[seat] if card not in used]
        self.books[seat][rank] = used
        self.say("meld", seat, cards=in_order(used))
        self.forget(seat, rank)
        self.stuck = set()
        turn = self.open[seat]
        if turn is not None:
            turn.acted = True
        self.end_when_complete()

    def lay_naturals(self, seat: int) -> bool:
        naturals = [rank for rank in STANDARD if len(self.of_rank(seat, rank)) == 4]
        for rank in naturals:
            self.lay(seat, rank, self.of_rank(seat, rank))
        return bool(naturals)

    def end_when_complete(self) -> None:
        done = set().union(*self.books) | self.impossible()
        if done == set(RANKS) and not self.over:
            self.end()

    def end(self) -> None:
        """GF-54."""
        self.over = True
        made = [len(books) for books in self.books]
        for seat, books in enumerate(made):
            self.say("score", seat, amount=books)
        for seat, books in enumerate(made):
            if books == max(made):
                self.say("win", seat, amount=made.count(books))
        self.say("game_over")

    # --- what is legal ---

    def askable(self, seat: int) -> set[str]:
        ranks = {rank_of(card) for card in self.hands[seat]} - {""}
        if self.options.joker_asks and self.jokers(seat):
            ranks |= set(STANDARD)
        return ranks

    def layable(self, seat: int) -> set[str]:
        ranks = {rank for rank in SPECIAL if len(self.of_rank(seat, rank)) == 4}
        for rank in STANDARD:
            naturals = len(self.of_rank(seat, rank))
            if naturals in (2, 3) and naturals + len(self.jokers(seat)) >= 4:
                ranks.add(rank)
        return ranks

    def revealable(self) -> list[str]:
        if len(self.staged) >= len(self.stock):
            return []
        return [card for card in self.hands[self.seat] if rank_of(card) in SPECIAL and card not in self.staged]

    def legal(self) -> list[int]:
        if self.over:
            return []
        reveals = [96 + special_number(card) for card in self.revealable()]
        if self.staged:
            return sorted([*reveals, 108])
        actions = reveals + [80 + RANKS.index(rank) for rank in self.layable(self.seat)]
        if self.turn.fished:
            return sorted([*actions, 109])
        for place in range(1, self.n):
            if self.hands[(self.seat + place) % self.n]:
                actions += [16 * (place - 1) + RANKS.index(rank) for rank in self.askable(self.seat)]
        return sorted(actions)

    # --- what is done ---

    def act(self, action: int) -> None:
        if action < 80:
            self.ask((self.seat + 1 + action // 16) % self.n, RANKS[action % 16])
        elif action < 96:
            rank = RANKS[action - 80]
            used = self.of_rank(self.seat, rank)
            used = used + self.jokers(self.seat)[: 4 - len(used)]
            if rank in ("Dr", "Sk"):
                self.turn.laid += [rank] * 4
            self.lay(self.seat, rank, used)
        elif action < 108:
            self.turn.acted = True
            self.staged.append(f"{SPECIAL[(action - 96) // 4]}-{'cdhs'[(action - 96) % 4]}")
            self.say("reveal", self.seat, cards=self.staged[-1:])
            if not self.revealable():
                self.redeal()
        elif action == 108:
            self.redeal()
        else:
            self.end_turn((self.seat + self.direction) % self.n)
        if not self.staged:
            self.settle()

    def ask(self, target: int, rank: str) -> None:
        seat, handed = self.seat, self.of_rank(target, rank)
        self.turn.acted = True
        self.asked[seat].add(rank)
        self.last = (seat, target, rank, len(handed))
        self.forget(target, rank)
        self.say("ask", seat, other=target, amount=RANKS.index(rank))
        if handed:
            self.say("give", target, other=seat, cards=in_order(handed))
            self.hands[target] = [card for card in self.hands[target] if card not in handed]
            self.hands[seat] += handed
            self.known[seat][rank] += len(handed)
            self.lacks[seat].discard(rank)
            self.stuck = set()
            self.lay_naturals(seat)
            return
        self.say("answer", target, other=seat, amount=RANKS.index(rank))
        if self.stock:
            card = self.stock.pop(0)
            self.hands[seat].append(card)
            self.say("draw", seat, cards=[card])
            self.stuck = set()
            if self.options.fish_again and rank_of(card) == rank:
                self.known[seat][rank] += 1
                self.lacks[seat].discard(rank)
                self.lay_naturals(seat)
                return
            self.lacks[seat] = set()
            self.lay_naturals(seat)
        self.turn.fished = True
        if self.options.turn_passes == "fished" and not self.over:
            self.end_turn(target)

    def redeal(self) -> None:
        seat, staged, self.staged = self.seat, self.staged, []
        self.say("redeal", seat, cards=in_order(staged))
        self.hands[seat] = [card for card in self.hands[seat] if card not in staged]
        self.aside += staged
        for card in staged:
            self.known[seat][rank_of(card)] = max(0, self.known[seat][rank_of(card)] - 1)
        self.take(seat, len(staged))
        self.take(seat, sum(rank_of(card) == "Dr" for card in staged))
        self.lay_naturals(seat)
        self.end_when_complete()
        if self.over:
            return
        kinds = [rank_of(card) for card in staged]
        if kinds.count("Rv") % 2:
            self.direction = -self.direction
            self.say("direction", amount=self.direction)
        if "Sk" in kinds:
            self.say("skipped", seat)
            self.end_turn((seat + self.direction) % self.n)
        elif "Rv" in kinds:
            self.paused.append(seat)
            self.say("pause", seat)
            self.begin((seat + self.direction) % self.n)

    def end_turn(self, following: int) -> None:
        seat, turn = self.seat, self.turn
        if not turn.acted:
            self.stuck.add(seat)
        self.open[seat] = None
        out = self.options.end_rule == "first_out" and (not self.stock or not all(self.hands))
        if out or len(self.stuck) == self.n:
            self.end()
        else:
            self.begin(self.effects(turn, following))

    def effects(self, turn: Turn, first: int) -> int:
        """Books of specials act on those from `first` on."""
        affected = first
        for kind in turn.laid:
            if kind == "Dr":
                self.owed[affected] += 2
            else:
                self.skips[affected] += 1
                affected = (affected + self.direction) % self.n
        return first

    def begin(self, seat: int) -> None:
        while True:
            owed, self.owed[seat] = self.owed[seat], 0
            booked = bool(owed and self.take(seat, owed)) and self.lay_naturals(seat)
            if self.over:
                self.seat = seat
                return
            resumed = seat in self.paused
            if resumed:
                self.paused.remove(seat)
            if not self.skips[seat]:
                break
            self.skips[seat] -= 1
            self.say("skipped", seat)
            turn, self.open[seat] = self.open[seat] or Turn(), None
            seat = self.effects(turn, (seat + self.direction) % self.n)
        self.seat = seat
        if not resumed:
            if self.turns == self.options.max_turns:
                self.end()
                return
            self.turns += 1
            self.open[seat] = Turn(acted=booked)
        self.say("turn", seat, amount=int(resumed))

    def settle(self) -> None:
        while not self.over:
            seat, turn = self.seat, self.turn
            others = any(hand for other, hand in enumerate(self.hands) if other != seat)
            if turn.fished:
                if self.revealable() or self.layable(seat):
                    return
                self.end_turn((seat + self.direction) % self.n)
            elif not self.hands[seat]:
                if not self.take(seat, 1):
                    self.say("pass", seat)
                    self.end_turn((seat + self.direction) % self.n)
            elif others and self.askable(seat):
                return
            else:
                self.say("pass", seat)
                self.take(seat, 1)
                turn.fished = True
                self.lay_naturals(seat)

    def rewards(self) -> list[float]:
        made, n = [len(books) for books in self.books], self.n
        if not self.over:
            return [0.0] * n
        if self.options.reward == "margin":
            return [books - sum(made) / n for books in made]
        winners = made.count(max(made))
        return [(n - winners) / (winners * (n - 1)) if books == max(made) else -1 / (n - 1) for books in made]
