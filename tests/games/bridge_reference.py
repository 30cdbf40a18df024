"""Bridge once more, slowly, from the clauses: auctions, the score; the play of the cards is that of tricks_reference.py."""

from __future__ import annotations

from typing import Any

from games.saying import Sayings
from games.tricks_reference import Tricks, in_order
from wilddeck import cards

STRAINS = ("C", "D", "H", "S", "NT")
BIDS = [f"{level}{strain}" for level in range(1, 8) for strain in STRAINS]
SIDES = {"none": [], "ns": [0], "ew": [1], "both": [0, 1]}


class Bridge:
    """An episode, told by labels: `actor` decides, `legal` says what; `over` in the end."""

    def __init__(self, options: Any, decks: list[list[int]]) -> None:
        self.o, self.dealer = options, options.dealer
        self.decks = [[cards.text([card], joker_kinds=True) for card in deck] for deck in decks]
        self.points, self.below, self.games, self.deals = [0, 0], [0, 0], [0, 0], 0
        self.over = False
        self.say = Sayings()
        self.deal()

    def is_rubber(self) -> bool:
        return self.o.scoring == "rubber"

    def is_vulnerable(self, side: int) -> bool:
        return self.games[side] > 0 if self.is_rubber() else side in SIDES[self.o.vulnerability]

    def deal(self) -> None:
        deck = self.decks[self.deals]
        self.deals += 1
        self.say("hand", amount=self.deals)
        self.say("round", self.dealer, amount=sum(1 << side for side in range(2) if self.is_vulnerable(side)))
        self.hands, self.pile = [deck[seat:52:4] for seat in range(4)], deck[52:]
        for seat, hand in enumerate(self.hands):
            self.say("deal", seat, cards=in_order(hand))
        self.calls: list[tuple[int, str]] = []
        self.play: Tricks | None = None
        self.caller = self.dealer

    @property
    def actor(self) -> int:
        """BR-20."""
        if self.play is None:
            return self.caller
        return self.declarer if self.play.turn == self.play.dummy else self.play.turn

    def legal(self) -> set[str]:
        return self.may_call() if self.play is None else self.play.legal()

    def step(self, label: str) -> None:
        if self.play is None:
            self.call(label)
            return
        self.play.act(label)
        if self.play.turn is None:
            self.score()
            self.end()

    # --- the auction ---

    def bids(self) -> list[tuple[int, str]]:
        return [(seat, text.removeprefix("bid ")) for seat, text in self.calls if text.startswith("bid")]

    def last_bid(self) -> tuple[int, str, str]:
        """Who made it, what it is, and whether it was doubled or redoubled since."""
        seat, bid = self.bids()[-1]
        since = [text for _, text in self.calls][self.calls.index((seat, f"bid {bid}")) :]
        return seat, bid, "redouble" if "redouble" in since else "double" if "double" in since else ""

    def may_call(self) -> set[str]:
        """BR-10, BR-11."""
        if not self.bids():
            return {"pass", *(f"bid {bid}" for bid in BIDS)}
        seat, last, doubled = self.last_bid()
        calls = {"pass", *(f"bid {bid}" for bid in BIDS[BIDS.index(last) + 1 :])}
        if doubled != "redouble" and (seat % 2 == self.caller % 2) == (doubled == "double"):
            calls.add("redouble" if doubled else "double")
        return calls

    def call(self, label: str) -> None:
        if label.startswith("bid"):
            self.say("bid", self.caller, amount=BIDS.index(label.removeprefix("bid ")))
        else:
            self.say(label, self.caller)
        self.calls.append((self.caller, label))
        self.caller = (self.caller + 1) % 4
        said = [text for _, text in self.calls]
        if said == ["pass"] * 4:
            self.say("pass")
            self.end()
        elif self.bids() and said[-3:] == ["pass"] * 3:
            self.begin_play()

    def begin_play(self) -> None:
        """BR-12, BR-13."""
        seat, bid, doubled = self.last_bid()
        side = [(who, text) for who, text in self.bids() if who % 2 == seat % 2]
        self.declarer = next(who for who, text in side if text[1:] == bid[1:])
        self.say("contract", self.declarer, amount=BIDS.index(bid))
        self.level, self.strain, self.times = int(bid[0]), bid[1:], {"": 1, "double": 2, "redouble": 4}[doubled]
        trump = "" if self.strain == "NT" else self.strain.lower()
        hands, dummy = [list(hand) for hand in self.hands], (self.declarer + 2) % 4
        self.play = Tricks(hands, self.pile, (self.declarer + 1) % 4, trump, dummy, self.say)

    # --- what it is worth ---

    def pay(self, side: int, points: int) -> None:
        self.points[side] += points
        self.say("score", side, other=side + 2, amount=points)

    def score(self) -> None:
        """BR-50, BR-60 to BR-66."""
        side = self.declarer % 2
        vulnerable = self.is_vulnerable(side)
        over = self.play.won[side] + self.play.won[side + 2] - 6 - self.level
        self.say("answer", self.declarer, amount=over)
        if over < 0:
            self.pay(1 - side, sum(self.undertrick(number, vulnerable) for number in range(-over)))
            return
        each = 20 if self.strain in ("C", "D") else 30
        tricks = (self.level * each + (10 if self.strain == "NT" else 0)) * self.times
        bonus = over * (each if self.times == 1 else 50 * self.times * (1 + vulnerable)) + {1: 0, 2: 50, 4: 100}[self.times]
        bonus += {6: 750 if vulnerable else 500, 7: 1500 if vulnerable else 1000}.get(self.level, 0)
        if not self.is_rubber():
            self.pay(side, tricks + bonus + (50 if tricks < 100 else 500 if vulnerable else 300))
            return
        self.pay(side, tricks + bonus)
        self.below[side] += tricks
        if self.below[side] >= 100:
            self.say("win", side, other=side + 2)
            self.below = [0, 0]
            self.games[side] += 1

    def undertrick(self, number: int, vulnerable: bool) -> int:
        """BR-65."""
        if self.times == 1:
            return 100 if vulnerable else 50
        first = [200, 300, 300] if vulnerable else [100, 200, 200]
        return (first[number] if number < 3 else 300) * self.times // 2

    def score_honors(self) -> None:
        """BR-69."""
        suit = self.strain.lower()
        honors = {"Ac", "Ad", "Ah", "As"} if suit == "nt" else {f"{rank}{suit}" for rank in "TJQKA"}
        for seat, hand in enumerate(self.hands):
            held = len(honors & set(hand))
            if held >= 4:
                self.say("meld", seat % 2, other=seat % 2 + 2, amount=held)
                self.pay(seat % 2, 150 if held == len(honors) else 100)

    def end(self) -> None:
        """BR-67, BR-68."""
        if self.is_rubber():
            if self.o.honors and self.bids():
                self.score_honors()
            if 2 in self.games:
                side = self.games.index(2)
                self.say("win", side, other=side + 2, amount=1)
                self.pay(side, 500 if self.games[1 - side] else 700)
            elif self.deals < self.o.max_deals:
                self.dealer = (self.dealer + 1) % 4
                self.deal()
                return
            else:
                self.score_unfinished()
        self.over = True
        self.say("game_over")

    def score_unfinished(self) -> None:
        for side in range(2):
            if self.games[side] > self.games[1 - side]:
                self.pay(side, 300)
            if self.below[side] and not self.below[1 - side]:
                self.pay(side, 100)
