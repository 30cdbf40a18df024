"""Wild Escape written a second time, from the rules alone, as a conversation: slow and obvious.

`match` asks whom it must, by yielding (player, what is asked for, a further fact), and is sent the answer: cards (none for a
pass), or which offered cards are kept. It asks wherever the rules have a player act, also where only one answer is possible.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable
from typing import Any, NamedTuple

from games.saying import Sayings
from games.wild_escape_plays import alike, one_worth

SMALL = 52
Cards = list[int]
Question = tuple[int, str, Any]
Asking = Generator[Question, Any, Any]


class Settings(NamedTuple):
    leader: int
    levels: tuple[int, int]
    target_level: int
    max_rounds: int
    joker_tribute: str
    episode: str
    flush_compare: str = "all"


def rank(card: int, trump: int) -> tuple[int, int]:
    """To be compared in the order of WE-04."""
    if card >= SMALL:
        return 2, card
    return (1, 0) if card // 4 + 2 == trump else (0, card // 4)


class Match:
    """What the rules keep of a match: read by tests while `run` asks its questions."""

    def __init__(self, settings: Settings, decks: list[Cards]) -> None:
        self.settings, self.decks = settings, iter(decks)
        self.levels = list(settings.levels)
        self.leader = settings.leader
        self.returns = [0] * 6
        self.say = Sayings()
        self.hands: list[Cards] = []
        self.places: list[int] = []  # players, best first
        self.tributes: list[tuple[int, int]] = []  # giver and receiver

    @property
    def trump(self) -> int:
        return self.levels[self.leader % 2]

    def run(self) -> Asking:
        rounds = 0
        while True:
            rounds += 1
            self.say("hand", amount=rounds)
            self.say("round", self.leader, amount=self.trump)
            self.deal()
            yield from self.exchange()
            yield from self.play_round()
            self.score()
            if self.settings.episode == "round":
                break
            if max(self.levels) >= self.settings.target_level or rounds == self.settings.max_rounds:  # WE-23
                self.pay(self.levels[0] - self.levels[1], 3)
                if self.levels[0] != self.levels[1]:
                    self.say("win", self.levels.index(max(self.levels)), amount=2)
                break
        self.say("game_over")

    def deal(self) -> None:
        deck = next(self.decks)
        assert sorted(deck) == sorted([*range(54)] * 3)
        self.hands = [sorted(deck[seat::6]) for seat in range(6)]  # WE-01
        for seat, hand in enumerate(self.hands):
            self.say("deal", seat, cards=hand)

    def exchange(self) -> Asking:
        paid = []
        for giver, receiver in self.tributes:  # WE-28
            best = max(rank(card, self.trump) for card in self.hands[giver])
            allowed = sorted({card for card in self.hands[giver] if rank(card, self.trump) == best})  # WE-25
            (card,) = yield giver, "tribute", allowed
            self.move(card, giver, receiver)
            paid.append(card)
        for (giver, receiver), tribute in zip(self.tributes, paid, strict=True):
            if tribute < SMALL:
                (card,) = yield receiver, "return", sorted(set(self.hands[receiver]))  # WE-27, WE-30
                self.move(card, receiver, giver)
            elif self.settings.joker_tribute == "offer_two":  # WE-32; else WE-31
                yield from self.offer(giver, receiver)

    def offer(self, giver: int, receiver: int) -> Asking:
        cards = yield receiver, "offer", None
        self.say_choices(receiver, itertools.combinations(sorted(self.hands[receiver]), 2), cards)
        self.say("exchange", receiver, cards=cards, other=giver)
        higher = sorted(
            {card for card in self.hands[giver] if rank(card, self.trump) > max(rank(c, self.trump) for c in cards)}
        )
        for card in cards:
            self.hands[receiver].remove(card)
        kept = yield giver, "answer", bool(higher)
        assert kept in ((0,), (1,), (0, 1))
        if len(kept) == 2:
            self.say("select", giver, cards=cards)
            (back,) = yield giver, "higher", higher
            self.say("answer", giver, amount=2)
            self.move(back, giver, receiver)
        else:
            self.say("answer", giver, amount=kept[0])
        for place, card in enumerate(cards):
            self.hands[giver if place in kept else receiver].append(card)

    def say_choices(self, player: int, sets: Iterable[tuple[int, ...]], cards: Cards) -> None:
        """Cards are chosen one by one, in ascending order, where more than one of these sets goes on as they do."""
        left = [*sets]
        for size, card in enumerate(cards):
            if size and len({one[size] for one in left}) > 1:
                self.say("select", player, cards=cards[:size])
            left = [one for one in left if one[size] == card]
        assert left

    def move(self, card: int, giver: int, receiver: int) -> None:
        self.say("give", giver, cards=[card], other=receiver)
        self.hands[giver].remove(card)
        self.hands[receiver].append(card)

    def play_round(self) -> Asking:
        self.places, lead = [], self.leader
        while True:
            owner, best = lead, (yield lead, "lead", None)  # WE-13
            if self.played(owner, best, []):
                return
            player, passes = owner, 0
            while True:
                player = self.next_with_cards(player)
                others = [seat for seat in range(6) if self.hands[seat] and seat != owner]
                if passes == len(others):
                    break
                cards = yield player, "follow", (owner, best)  # WE-14
                if not cards:
                    self.say("pass", player)
                    passes += 1
                    continue
                to_beat, owner, best, passes = best, player, cards, 0
                if self.played(owner, best, to_beat):
                    return
            self.say("trick_won", owner)
            lead = owner if self.hands[owner] else self.next_with_cards(owner)  # WE-15

    def next_with_cards(self, player: int) -> int:
        return next(seat % 6 for seat in range(player + 1, player + 7) if self.hands[seat % 6])

    def played(self, player: int, cards: Cards, to_beat: Cards) -> bool:
        """Whether that was the end of the round."""
        rules = self.trump, self.settings.flush_compare
        _, named = one_worth(cards, *rules)
        self.say("choose", player, amount=named)
        if len(cards) > 1:
            self.say_choices(player, alike(sorted(self.hands[player]), cards, to_beat, *rules), cards)
        self.say("play", player, cards=cards)
        if len(cards) == 5:
            self.say("declare", player, amount=named)
        for card in cards:
            self.hands[player].remove(card)
        if self.hands[player]:
            return False
        self.places.append(player)  # WE-16
        self.say("out", player, amount=len(self.places))
        return all(not self.hands[seat] for seat in range(player % 2, 6, 2))

    def score(self) -> None:
        last, first, offense = self.places[-1], self.leader, self.leader % 2
        escaped = list(self.places)
        trapped = [(last + k) % 6 for k in range(1, 6) if (last + k) % 6 not in escaped]
        self.places += sorted(trapped, key=lambda seat: len(self.hands[seat]))  # WE-17: sorting keeps equals in order
        for place in range(len(escaped), 6):
            self.say("ranked", self.places[place], amount=place + 1)
        winners = last % 2
        self.leader = self.places[0]
        self.tributes = []
        self.say("win", self.leader, amount=int(self.leader % 2 == winners))
        if self.leader % 2 != winners:  # WE-19, WE-21
            return
        self.pay(1 if winners == 0 else -1, 1)
        if winners == offense:  # WE-18, WE-20, WE-22
            self.levels[winners] += 1
            self.say("score", first, amount=self.levels[winners])
        receivers = [seat for seat in escaped if seat % 2 == winners]
        self.tributes = list(zip(reversed(self.places[len(escaped) :]), receivers, strict=False))  # WE-26

    def pay(self, ahead: int, amount: int) -> None:
        """To team 0 if it is ahead, to the other if it is behind."""
        for seat in range(6):
            sign = (ahead > 0) - (ahead < 0)
            self.returns[seat] += amount * sign * (1 if seat % 2 == 0 else -1)
