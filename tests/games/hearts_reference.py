"""Hearts once more, slowly, from the clauses: who may claim, what may be played, who wins, what is scored. Cards are texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from games.saying import Sayings

JOKERS = {"SJ", "BJ"}
RANKS = "23456789TJQKA"


def suit_of(card: str) -> str:
    return "" if card in JOKERS else card[-1]


def ordered(card: str) -> bool:
    return card not in JOKERS and "-" not in card


def is_heart(card: str) -> bool:
    return suit_of(card) == "h"


def is_penalty(card: str) -> bool:
    return is_heart(card) or card == "Qs"


def claimants(hands: list[set[str]]) -> tuple[list[int], int]:
    """Who is asked whether they claim, in turn, as long as nobody does, and who leads if nobody does (HE-11)."""
    with_joker = [seat for seat in range(4) if hands[seat] & JOKERS]
    with_two = [seat for seat in range(4) if "2c" in hands[seat]]
    asked = [seat for seat in with_joker if seat not in with_two]
    return (asked, with_two[0]) if with_two else (asked[:-1], with_joker[-1])


@dataclass
class Hand:
    """A hand as far as the cards that may be played and the score go; whose turn it is, is left to the game."""

    options: Any
    opener: int = -1
    leads_joker: bool = False  # by claim, or for want of 2c
    number: int = 1  # of the trick
    trick: list[tuple[int, str]] = field(default_factory=list)
    led: str = ""
    claims: dict[str, bool] = field(default_factory=dict)  # of Jokers: whether it wins
    broken: bool = False
    won: list[list[str]] = field(default_factory=lambda: [[], [], [], []])
    tricks: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    say: Sayings = field(default_factory=Sayings)

    def __post_init__(self) -> None:
        self.broken = not self.options.must_break_hearts

    # --- what may be played ---

    def playable(self, seat: int, hand: set[str]) -> set[str]:
        jokers, clubs = hand & JOKERS, {card for card in hand if suit_of(card) == "c"}
        same = {card for card in hand if self.led and suit_of(card) == self.led}
        if self.number > 1:
            if same:
                return same | jokers
            if self.trick or self.may_lead_hearts(hand):
                return hand
            return {card for card in hand if not is_heart(card)}
        if not self.trick:
            if seat == self.opener:
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
        others = {card for card in hand - JOKERS if not is_heart(card)}
        return self.broken or not others or (self.options.can_lead_hearts_instead_of_qs and others == {"Qs"})

    def without_points(self, hand: set[str]) -> set[str]:
        safe = {card for card in hand - JOKERS if not is_penalty(card)}
        if not self.options.no_pts_on_first_trick or not safe:
            return hand
        return safe | hand & JOKERS

    # --- what is done ---

    def play(self, seat: int, card: str) -> None:
        if not self.trick:
            self.led = "c" if self.number == 1 and card in JOKERS else suit_of(card)
        self.trick.append((seat, card))
        self.say("play", seat, cards=[card])
        self.broken |= is_heart(card) or (card == "Qs" and self.options.qs_breaks_hearts)

    def declare(self, card: str) -> None:
        self.led = suit_of(card)
        self.broken |= is_heart(card)

    def real(self) -> list[tuple[int, str]]:
        """The trick, the Joker that led the first one being 2c unless that is there (HE-13)."""
        plays = list(self.trick)
        if self.number == 1 and plays and plays[0][1] in JOKERS and "2c" not in (card for _, card in plays):
            plays[0] = (plays[0][0], "2c")
        return plays

    def choices(self, place: int) -> tuple[bool, bool]:
        """Whether the Joker at a place may win, and whether it may lose (ED-73, HE-34)."""
        trick = [card for _, card in self.real()]
        won = any(self.claims.values())
        can_win = not won and f"A{self.led}" not in trick and not (self.led == "s" and "Qs" in trick)
        later = can_win and any(card in JOKERS for card in trick[place + 1 :])
        return can_win, won or later or any(suit_of(card) == self.led for card in trick)

    def asked(self) -> tuple[int, str] | None:
        """The Joker whose player is to be asked, the ones before it being settled."""
        for place, (seat, card) in enumerate(self.real()):
            if card in JOKERS and card not in self.claims:
                can_win, can_lose = self.choices(place)
                assert can_win or can_lose
                if can_win and can_lose:
                    return seat, card
                self.claims[card] = can_win
        return None

    def end_trick(self) -> None:
        winner = self.winner()
        if self.trick:
            self.say("set_aside" if winner is None else "trick_won", winner, cards=[card for _, card in self.trick])
        if winner is not None:
            self.tricks[winner] += 1
            self.won[winner] += [card for _, card in self.trick]
        self.number += 1
        self.trick, self.led, self.claims = [], "", {}

    def winner(self) -> int | None:
        for seat, card in self.trick:
            if self.claims.get(card):
                return seat
        there = [(card, seat) for seat, card in self.real() if suit_of(card) == self.led]
        best = [(RANKS.index(card[0]), seat) for card, seat in there if ordered(card)]
        if best:
            return max(best)[1]
        return there[0][1] if len(there) == 1 else None

    # --- what it counts ---

    def scores(self, left: list[set[str]]) -> list[int]:
        in_play = {card for cards in [*left, *self.won] for card in cards if is_penalty(card)}
        jokers = [sum(card in JOKERS for card in cards) for cards in self.won]
        lacking = [in_play - set(cards) for cards in self.won]
        shooters = [
            seat
            for seat in range(4)
            if in_play & set(self.won[seat])
            and all(ordered(card) for card in lacking[seat])
            and len(lacking[seat]) <= jokers[seat]
        ]
        totals = [sum(13 if card == "Qs" else is_heart(card) for card in cards) for cards in self.won]
        if len(shooters) == 1:
            shooter = shooters[0]
            jokers[shooter] -= len(lacking[shooter])
            others = self.options.moon == "others"
            totals = [26 * others if seat != shooter else -26 * (not others) for seat in range(4)]
        elif self.options.avoid_all_tricks_bonus:
            totals = [points - 5 * (not tricks) for points, tricks in zip(totals, self.tricks, strict=True)]
        for seat in range(4):
            if self.options.jd_bonus and ("Jd" in self.won[seat] or jokers[seat]):
                totals[seat] -= 10
            self.say("score", seat, amount=totals[seat])
        return totals
