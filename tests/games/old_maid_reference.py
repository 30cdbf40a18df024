"""Old Maid once more, slowly, from docs/rules/old_maid.md: hands are lists of words such as "7c", "SJ", "Sk-h"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from games.saying import Sayings
from wilddeck import cards

RANKS = "23456789TJQKA"


def in_order(those: Iterable[str]) -> list[str]:
    """By id."""
    return sorted(those, key=lambda card: cards.parse(card)[0])


@dataclass
class OldMaid:
    """A game dealt from a deck (ids). `removed` and `maid` are suits; `chance` says which position a shuffled hand gives."""

    options: Any
    deck: list[int]
    removed: str
    maid: str
    hands: list[list[str]] = field(default_factory=list)
    table: list[str] = field(default_factory=list)
    mover: int = 0
    asks: str = "setup"
    turn: int = 0
    bound: str = ""
    joker_pair: bool = False
    drawn: str = ""  # the card drawn in this turn, as long as it is in the hand
    skip_pair: bool = False
    known: dict[str, tuple[int, int]] = field(default_factory=dict)  # card -> who knows, in whose hand
    say: Sayings = field(default_factory=Sayings)
    last_draw: tuple[int, int, bool, int] | None = None  # by, from, kept, position
    rewards: list[float] | None = None

    def __post_init__(self) -> None:
        self.n = self.options.num_players
        self.say("hand", amount=1)
        self.say("discard", cards=[f"Q{self.removed}"])
        if self.options.named_maid:
            self.say("declare", cards=[f"Q{self.maid}"])
        left = [cards.text([card], joker_kinds=True) for card in self.deck]
        left.remove(f"Q{self.removed}")
        self.hands = [left[seat :: self.n] for seat in range(self.n)]
        for seat, hand in enumerate(self.hands):
            self.say("deal", seat, cards=hand)
            pairs: list[str] = []
            while pair := self.forced_pair(hand):
                self.remove(hand, *pair)
                pairs += pair
            if pairs:
                self.say("meld", seat, cards=in_order(pairs))
            if not hand:
                self.say("out", seat)
        self.free_joker_pairs()
        self.is_misdeal = self.finished() is not None
        if not self.is_misdeal:
            self.ask_in_setup(0)

    # --- cards ---

    def value(self, card: str) -> str:
        """Cards of equal values pair; what pairs with nothing by force has a value of its own."""
        if card in ("SJ", "BJ"):
            return self.bound or card
        if self.options.named_maid and card == f"Q{self.maid}":
            return "the Old Maid"
        return card[:2] if "-" in card else card[0]

    def plain(self, card: str) -> bool:
        return self.value(card) in RANKS and card not in ("SJ", "BJ")

    def jokers(self, hand: list[str]) -> list[str]:
        return [joker for joker in ("SJ", "BJ") if joker in hand and not self.bound]

    def remove(self, hand: list[str], *pair: str) -> None:
        for card in pair:
            hand.remove(card)
            self.table.append(card)
            self.known.pop(card, None)
            if card == self.drawn:
                self.drawn = ""

    def lay(self, seat: int, *pair: str) -> None:
        self.say("meld", seat, cards=in_order(pair))
        self.remove(self.hands[seat], *pair)
        if not self.hands[seat]:
            self.say("out", seat)

    def forced_pair(self, hand: list[str]) -> tuple[str, ...]:
        """OM-05."""
        for one, two in combinations(in_order(hand), 2):
            if self.value(one) == self.value(two):
                return one, two
        return ()

    def lay_forced_pair(self, seat: int) -> str:
        pair = self.forced_pair(self.hands[seat])
        if not pair:
            return ""
        self.lay(seat, *pair)
        return self.value(pair[0])

    def free_joker_pairs(self) -> None:
        """OM-23."""
        for seat, hand in enumerate(self.hands):
            if len(self.jokers(hand)) == 2 and not any(self.plain(card) for other in self.hands for card in other):
                self.lay(seat, "SJ", "BJ")
                self.joker_pair = True

    def with_cards(self) -> list[int]:
        return [seat for seat in range(self.n) if self.hands[seat]]

    def after(self, seat: int) -> int:
        return next(other % self.n for other in range(seat + 1, seat + self.n + 1) if self.hands[other % self.n])

    # --- the end ---

    def finished(self) -> list[int] | None:
        """The losers."""
        left = self.with_cards()
        if len(left) == 1:
            return left
        held = [card for hand in self.hands for card in hand]
        for one in held:
            for two in held:
                if one != two and self.value(one) == self.value(two):
                    return None
                if one in ("SJ", "BJ") and not self.bound and (two in ("SJ", "BJ") or self.plain(two)) and one != two:
                    return None
        return left

    def end(self, losers: list[int]) -> None:
        lost = len(losers)
        for seat in losers:
            self.say("lose", seat)
        self.say("game_over")
        share = 0.0 if lost == self.n else lost / (self.n - lost)
        self.rewards = [(-1.0 if lost < self.n else 0.0) if seat in losers else share for seat in range(self.n)]

    def is_ended(self) -> bool:
        losers = self.finished()
        if losers is not None:
            self.end(losers)
        return losers is not None

    # --- the course ---

    def pairs(self, seat: int) -> list[int]:
        """The actions that lay a pair with a Joker."""
        hand = self.hands[seat]
        free = self.jokers(hand)
        actions = sorted({20 + RANKS.index(card[0]) for card in hand if self.plain(card)}) if free else []
        return actions + [33] * (len(free) == 2)

    def ask_in_setup(self, seat: int) -> None:
        self.asks = "setup"
        while seat < self.n and not self.pairs(seat):
            seat += 1
        if seat < self.n:
            self.mover = seat
            self.say("ask", seat)
        else:
            self.begin_turn(self.after(self.n - 1))

    def begin_turn(self, seat: int) -> None:
        if self.turn == self.options.max_turns:
            maids = [f"Q{self.maid}"] if self.options.named_maid else [f"Q{suit}" for suit in "cdhs"]
            self.end([other for other in range(self.n) if set(maids) & set(self.hands[other])])
            return
        self.turn += 1
        self.mover, self.asks = seat, "draw"
        self.say("turn", seat, other=self.after(seat))

    def legal(self) -> list[int]:
        if self.asks == "draw":
            shuffled = self.options.fan == "shuffled"
            return [0] if shuffled else list(range(len(self.hands[self.after(self.mover)])))
        if self.asks == "place":
            return [35 + k for k in range(len(self.hands[self.mover]))]
        return [*self.pairs(self.mover), 34]

    def play(self, action: int, chance: str = "") -> None:
        """`chance`: the card that a draw from a shuffled hand gave."""
        hand = self.hands[self.mover]
        if self.asks == "draw":
            self.draw(action, chance)
        elif self.asks == "place":
            hand.insert(action - 35, hand.pop())
            self.say("select", self.mover, cards=hand)
            self.end_turn()
        elif action == 34:
            self.say("pass", self.mover)
            self.go_on()
        else:
            if action == 33:
                self.lay(self.mover, "SJ", "BJ")
                self.joker_pair = True
            else:
                rank = RANKS[action - 20]
                self.lay(self.mover, self.jokers(hand)[0], next(card for card in hand if self.plain(card) and card[0] == rank))
                if self.options.joker_bind:
                    self.bound = rank
                    for other in range(self.n):
                        self.lay_forced_pair(other)
            self.free_joker_pairs()
            self.go_on_or_ask()

    def draw(self, position: int, chance: str) -> None:
        source = self.after(self.mover)
        theirs, hand = self.hands[source], self.hands[self.mover]
        card = chance or theirs[position]
        if self.options.fan == "arranged":
            self.say("choose", self.mover, amount=position + 1, other=source)
        theirs.remove(card)
        hand.append(card)
        self.say("draw", self.mover, cards=[card], other=source)
        if not theirs:
            self.say("out", source)
        self.drawn = card
        self.known[card] = (source, self.mover)
        self.skip_pair = self.lay_forced_pair(self.mover) == "Sk"
        self.free_joker_pairs()
        kept = card in hand
        self.last_draw = (self.mover, source, kept, position)
        if kept:
            self.known = {
                known: (who, where)
                for known, (who, where) in self.known.items()
                if where != source or who == self.mover or known == card
            }
        self.asks = "pair"
        self.go_on_or_ask()

    def go_on_or_ask(self) -> None:
        """After a pair, or a draw."""
        if self.is_ended():
            return
        if self.pairs(self.mover):
            self.say("ask", self.mover)
        else:
            self.go_on()

    def go_on(self) -> None:
        if self.asks == "setup":
            self.ask_in_setup(self.mover + 1)
        elif self.drawn and len(self.hands[self.mover]) > 1 and self.options.fan == "arranged":
            self.asks = "place"
        else:
            self.end_turn()

    def end_turn(self) -> None:
        self.drawn = ""
        seat = self.after(self.mover)
        for _ in range(2 * self.skip_pair):
            self.say("skipped", seat)
            seat = self.after(seat)
        self.skip_pair = False
        self.begin_turn(seat)
