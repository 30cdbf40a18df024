"""Hearts once more, slowly, from the clauses: passing, claims, what may be played, what is scored. Cards are texts.

Turns, tricks and Jokers are those of tricks_reference.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from games.saying import Sayings
from games.tricks_reference import JOKERS, TRICKS, Tricks, in_order, is_special, suit_of
from wilddeck import cards

WAYS = ("hold", "left", "across", "right")  # where cards are passed: so many seats clockwise


def is_penalty(card: str) -> bool:
    return suit_of(card) == "h" or card == "Qs"


class Play(Tricks):
    """The tricks of a hand. `won_cards` are those of each player.

    Args:
        leads_joker: whether the opener leads a Joker: by claim, or for want of 2c.
    """

    def __init__(self, options: Any, hands: list[list[str]], pile: list[str], opener: int, leads_joker: bool, say: Sayings):
        self.options, self.opener, self.leads_joker = options, opener, leads_joker
        self.broken = not options.must_break_hearts
        self.won_cards: list[list[str]] = [[], [], [], []]
        super().__init__(hands, pile, opener, "", None, say)

    def legal(self) -> set[str]:
        labels, hand = super().legal(), set(self.hands[self.turn])
        plays = {label for label in labels if label.startswith("play")}
        if self.question == "declare" and not self.may_lead_hearts(hand):
            return {label for label in labels if label[-1] != "h"}
        return labels - plays | {f"play {card}" for card in self.playable(hand) if plays}

    def playable(self, hand: set[str]) -> set[str]:
        jokers, clubs = hand & {*JOKERS}, {card for card in hand if suit_of(card) == "c"}
        same = {card for card in hand if self.led and suit_of(card) == self.led}
        if self.done:
            if same:
                return same | jokers
            if self.trick or self.may_lead_hearts(hand):
                return hand
            return {card for card in hand if suit_of(card) != "h"}
        if not self.trick:
            if self.turn == self.opener:
                if self.options.deck == "standard" and self.options.can_lead_any_club:
                    return clubs
                return jokers if self.leads_joker else jokers | {"2c"}
            if "2c" in hand:
                return jokers | {"2c"}
            return clubs | jokers or self.without_points(hand)
        if not same:
            return self.without_points(hand)
        return {"2c"} if self.led == "c" and "2c" in hand else same | jokers

    def may_lead_hearts(self, hand: set[str]) -> bool:
        others = {card for card in hand - {*JOKERS} if suit_of(card) != "h"}
        return self.broken or not others or (self.options.can_lead_hearts_instead_of_qs and others == {"Qs"})

    def without_points(self, hand: set[str]) -> set[str]:
        safe = {card for card in hand - {*JOKERS} if not is_penalty(card)}
        if not self.options.no_pts_on_first_trick or not safe:
            return hand
        return safe | hand & {*JOKERS}

    def act(self, label: str) -> None:
        verb, _, card = label.partition(" ")
        if verb in ("play", "declare"):  # HE-20
            self.broken |= suit_of(card) == "h" or (label == "play Qs" and self.options.qs_breaks_hearts)
        super().act(label)
        if self.question == "declare" and not self.done:  # HE-13
            super().act("declare 2c")

    # HE-13: the Joker that leads the first trick is 2c, unless that is there.

    def real(self) -> list[tuple[int, str]]:
        plays = list(self.trick)
        if not self.done and plays and plays[0][1] in JOKERS and "2c" not in (card for _, card in plays):
            plays[0] = (plays[0][0], "2c")
        return plays

    def in_real(self, question: Callable[[], Any]) -> Any:
        played, self.trick = self.trick, self.real()
        answer, self.trick = question(), played
        return answer

    def unsettled(self) -> list[str]:
        return self.in_real(super().unsettled)

    def outcomes(self) -> tuple[bool, bool]:
        if self.led == "s" and "Qs" in (card for _, card in self.trick):  # HE-34
            return False, True
        return self.in_real(super().outcomes)

    def winner(self) -> int | None:
        return self.in_real(super().winner)

    def end_trick(self) -> None:
        winner = self.winner()
        if winner is not None:
            self.won_cards[winner] += [card for _, card in self.trick]
        super().end_trick()


class Hearts:
    """An episode, told by labels: `actor` decides, `legal` says what; `over` in the end.

    Args:
        way: says where cards are passed if that is drawn by lot.
    """

    def __init__(self, options: Any, decks: list[list[int]], way: Callable[[], int]) -> None:
        self.options, self.way = options, way
        self.decks = [[cards.text([card], joker_kinds=True) for card in deck] for deck in decks]
        self.totals, self.number, self.over = [0, 0, 0, 0], 0, False
        self.say = Sayings()
        self.deal()

    def deal(self) -> None:
        deck = self.decks[self.number]
        self.number += 1
        self.say("hand", amount=self.number)
        self.hands, self.pile = [deck[seat:52:4] for seat in range(4)], deck[52:]
        for seat, hand in enumerate(self.hands):
            self.say("deal", seat, cards=in_order(hand))
        in_turn = ("left", "right", "across", "hold")[(self.number - 1) % 4]
        named = in_turn if self.options.passing == "cycle" else self.options.passing
        self.passes_to = self.way() if named == "random" else WAYS.index(named)
        self.say("exchange", amount=self.passes_to)
        self.aside: list[list[str]] = [[], [], [], []]
        self.asks: list[int] = []  # whether they claim
        self.play: Play | None = None
        self.actor = 0
        if not self.passes_to:
            self.begin_claims()

    def legal(self) -> set[str]:
        if self.play:
            return self.play.legal()
        return {"claim the lead", "decline the lead"} if self.asks else {f"pass {card}" for card in self.hands[self.actor]}

    def step(self, label: str) -> None:
        if self.play:
            self.play.act(label)
        elif self.asks:
            self.answer(label == "claim the lead")
        else:
            self.put_aside(label.removeprefix("pass "))
        if self.play and self.play.done == TRICKS:
            self.score()
        elif self.play:
            self.actor = self.play.turn

    def put_aside(self, card: str) -> None:
        """HE-04."""
        seat = self.actor
        self.say("select", seat, cards=[card])
        self.hands[seat].remove(card)
        self.aside[seat].append(card)
        if len(self.aside[seat]) == 3:
            self.say("choose", seat, amount=3)
            self.actor += 1
        if self.actor == 4:
            for giver, passed in enumerate(self.aside):
                receiver = (giver + self.passes_to) % 4
                self.say("give", giver, cards=in_order(passed), other=receiver)
                self.hands[receiver] += passed
            self.begin_claims()

    def begin_claims(self) -> None:
        """HE-11."""
        with_joker = [seat for seat in range(4) if {*JOKERS} & {*self.hands[seat]}]
        with_two = [seat for seat in range(4) if "2c" in self.hands[seat]]
        self.opener = with_two[0] if with_two else with_joker[-1]
        self.asks = [seat for seat in with_joker if seat != self.opener]
        self.ask()

    def ask(self) -> None:
        if self.asks:
            self.actor = self.asks[0]
            self.say("ask", self.actor)
        else:
            self.begin_play("2c" not in self.hands[self.opener])

    def answer(self, claims: bool) -> None:
        self.say("answer", self.actor, amount=int(claims))
        if claims:
            self.opener = self.actor
            self.begin_play(True)
        else:
            self.asks.pop(0)
            self.ask()

    def begin_play(self, leads_joker: bool) -> None:
        self.say("turn", self.opener)
        self.play = Play(self.options, self.hands, self.pile, self.opener, leads_joker, self.say)
        self.actor = self.opener

    # --- what it counts ---

    def score(self) -> None:
        points = self.points()
        for seat in range(4):
            self.say("score", seat, amount=points[seat])
            self.totals[seat] += points[seat]
        goes_on = self.options.match == "match" and max(self.totals) < self.options.target
        if goes_on and self.number < self.options.max_hands:  # HE-50
            self.deal()
            return
        for seat in range(4):
            if self.totals[seat] == min(self.totals):
                self.say("win", seat, amount=self.totals[seat])
        self.say("game_over")
        self.over = True

    def points(self) -> list[int]:
        won, tricks = self.play.won_cards, self.play.won
        in_play = {card for cards in [*self.play.hands, *won] for card in cards if is_penalty(card)}
        jokers = [sum(card in JOKERS for card in cards) for cards in won]
        lacking = [in_play - set(cards) for cards in won]
        shooters = [
            seat
            for seat in range(4)
            if in_play & set(won[seat])
            and not any(is_special(card) for card in lacking[seat])
            and len(lacking[seat]) <= jokers[seat]
        ]
        points = [sum(13 if card == "Qs" else suit_of(card) == "h" for card in cards) for cards in won]
        if len(shooters) == 1:
            shooter = shooters[0]
            self.say("collect", shooter)
            jokers[shooter] -= len(lacking[shooter])
            others = self.options.moon == "others"
            points = [26 * others if seat != shooter else -26 * (not others) for seat in range(4)]
        elif self.options.avoid_all_tricks_bonus:
            points = [own - 5 * (not tricks[seat]) for seat, own in enumerate(points)]
        return [own - 10 * (self.has_jack(seat) or jokers[seat] > 0) * self.options.jd_bonus for seat, own in enumerate(points)]

    def has_jack(self, seat: int) -> bool:
        return "Jd" in self.play.won_cards[seat]
