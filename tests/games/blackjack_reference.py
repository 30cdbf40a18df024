"""Blackjack from its page alone, slowly: cards in lists, the course of an episode as a generator that asks for decisions.

`Episode(options, decks).run()` yields (seat, labels of the legal actions) and is sent a label; what hands have brought is in
`paid`, to be emptied by who reads it, what has happened in `say`.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from games.saying import Sayings

Question = tuple[int, set[str]]


def is_joker(card: int) -> bool:
    return card in (52, 53)


def is_special(card: int) -> bool:
    return card >= 54


def kind(card: int) -> str:
    return ("draw", "reverse", "skip")[(card - 54) // 4]


def value(card: int) -> int:
    """An ace is 1; a special that stays counts as a face card (BJ-48)."""
    if is_special(card):
        return 10
    return 1 if card >= 48 else min(10, card // 4 + 2)


def total(cards: list[int]) -> tuple[int, bool]:
    """BJ-01, BJ-30 to BJ-33: total, soft."""
    plain = [value(card) for card in cards if not is_joker(card)]
    missing = Counter(value(card) for card in range(52) if card not in cards)
    totals: list[tuple[int, bool]] = []  # sums, whether an ace counts 11
    for stands in itertools.combinations_with_replacement(range(1, 11), len(cards) - len(plain)):
        if any(number > missing[stand] for stand, number in Counter(stands).items()):
            continue
        values = [*plain, *stands]
        totals.append((sum(values), False))
        if 1 in values:
            totals.append((sum(values) + 10, True))
    good = [total_and_ace for total_and_ace in totals if total_and_ace[0] <= 21]
    if not good:
        return min(totals)[0], False
    best = max(total_and_ace[0] for total_and_ace in good)
    return best, (best, False) not in good


@dataclass
class Hand:
    seat: int | None  # of whom; None: the dealer
    cards: list[int]
    ended: bool = False
    doubled: bool = False
    split_ace: bool = False

    @property
    def bust(self) -> bool:
        return total(self.cards)[0] > 21

    @property
    def specials(self) -> list[int]:
        return [card for card in self.cards if is_special(card)]


@dataclass
class Place:
    hands: list[Hand] = field(default_factory=list)
    begun: bool = False
    over: bool = False
    bet: Fraction = Fraction(0)
    insured: bool = False
    surrendered: bool = False


class Episode:
    def __init__(self, options: Any, decks: list[list[int]]) -> None:
        self.options, self.decks = options, iter(decks)
        self.shoe: list[int] = []
        self.size = options.decks * (52 if options.deck == "standard" else 66)
        self.paid = [Fraction(0)] * options.num_players
        self.asked = self.shoes = 0
        self.say = Sayings()

    # --- the course of an episode ---

    def run(self) -> Iterator[Question]:
        for number in range(self.options.hands):
            few = len(self.shoe) * 4 < self.size or len(self.shoe) < 6 * (self.options.num_players + 1)
            if number == 0 or self.options.reshuffle == "every_hand" or few:
                self.shoe = list(next(self.decks))
                self.shoes += 1
                self.say("hand", amount=self.shoes)
                self.say("shuffle", amount=self.size)
            self.say("round", amount=number + 1)
            yield from self.hand()
        if not self.asked:
            yield from self.ask(0, {"stand"})
        self.say("game_over")

    def ask(self, seat: int, labels: set[str]) -> Any:
        self.asked += 1
        answer = yield seat, labels
        return answer

    def hand(self) -> Iterator[Question]:
        n = self.options.num_players
        self.players, self.dealer = [Place() for _ in range(n)], Place([Hand(None, [])])
        self.direction, self.hole_up = 1, False
        bets = [Fraction(str(bet)) for bet in self.options.bets]
        for seat, player in enumerate(self.players):
            player.bet = bets[0]
            if len(bets) > 1:
                answer = yield from self.ask(seat, {f"bet {float(bet):g}" for bet in bets})
                player.bet = bets[[f"bet {float(bet):g}" for bet in bets].index(answer)]
                self.say("bet", seat, amount=100 * player.bet)
        for seat, player in enumerate(self.players):
            player.hands = [Hand(seat, [])]
        for _ in range(2):
            for place in [*self.players, self.dealer]:
                place.hands[0].cards.append(self.shoe.pop(0))
        for seat, player in enumerate(self.players):
            self.say("deal", seat, cards=player.hands[0].cards)
        hole, up = self.dealer.hands[0].cards
        self.say("set_aside", cards=[hole])
        self.say("turn_up", cards=[up])
        high = is_joker(up) or (not is_special(up) and value(up) in (1, 10))
        if self.options.surrender == "early" and high:
            for seat, player in enumerate(self.players):
                answer = yield from self.ask(seat, {"surrender", "decline"})
                player.surrendered = player.over = answer == "surrender"
                self.say("surrender" if player.over else "pass", seat)
        if self.options.insurance and self.options.naturals != "none" and (is_joker(up) or 48 <= up < 52):
            for seat, player in enumerate(self.players):
                if not player.surrendered:
                    answer = yield from self.ask(seat, {"insure", "decline"})
                    player.insured = answer == "insure"
                    self.say("insure" if player.insured else "pass", seat, amount=player.insured * 500 * player.bet)
        if self.options.hole == "peek" and high and self.natural(self.dealer):
            self.turn_up()
        else:
            yield from self.turns()
        self.settle()

    def turns(self) -> Iterator[Question]:
        places = [*self.players, self.dealer]
        number = len(places) - 1
        while True:
            order = [(number + self.direction * k) % len(places) for k in range(1, len(places) + 1)]
            following = [place for place in order if not places[place].over]
            if not following:
                return
            number = following[0]
            if number == len(places) - 1:
                if self.dealer_turn():
                    return
            else:
                yield from self.player_turn(number)

    # --- cards ---

    def natural(self, place: Place) -> bool:
        cards = place.hands[0].cards
        plain = len(place.hands) == 1 and len(cards) == 2 and not any(map(is_special, cards))
        return self.options.naturals != "none" and plain and total(cards)[0] == 21

    def redeal(self, hand: Hand, batch: list[int]) -> Counter[str]:
        """ED-31 to ED-33: what was redealt, by kind."""
        acted: Counter[str] = Counter()
        while batch and self.shoe:
            batch = batch[: len(self.shoe)]
            for card in batch:
                self.say("redeal", hand.seat, cards=[card])
                hand.cards.remove(card)
                acted[kind(card)] += 1
            count = len(batch) + sum(kind(card) == "draw" for card in batch)
            new, self.shoe = self.shoe[:count], self.shoe[count:]
            self.say("draw", hand.seat, cards=new)
            hand.cards += new
            batch = [card for card in new if is_special(card)]
        return acted

    def deal_to(self, hand: Hand) -> Counter[str]:
        card = self.shoe.pop(0)
        self.say("draw", hand.seat, cards=[card])
        hand.cards.append(card)
        return self.redeal(hand, [card] if is_special(card) else [])

    # --- a player's turn ---

    def player_turn(self, seat: int) -> Iterator[Question]:
        player = self.players[seat]
        if not player.begun:
            player.begun = True
            hand = player.hands[0]
            acted = self.redeal(hand, sorted(hand.specials))
            hand.ended = self.natural(player) or hand.bust
            if not self.goes_on(player, acted):
                return
        while True:
            open_hands = [hand for hand in player.hands if not hand.ended]
            if not open_hands:
                player.over = True
                return
            hand = open_hands[0]
            legal = self.legal(player, hand)
            if legal == {"stand"}:
                hand.ended = True
                continue
            action = yield from self.ask(seat, legal)
            self.say(action, seat, amount=player.hands.index(hand) + 1 if len(player.hands) > 1 else 0)
            acted = Counter()
            if action == "stand":
                hand.ended = True
            elif action == "surrender":
                player.surrendered = player.over = True
                return
            elif action == "split":
                acted = self.split(player, hand)
            else:
                acted = self.deal_to(hand)
                hand.doubled = action == "double"
                hand.ended = hand.doubled or hand.bust
            if not self.goes_on(player, acted):
                return

    def goes_on(self, player: Place, acted: Counter[str]) -> bool:
        self.turn_round(acted)
        if acted["skip"]:
            self.say("skipped", player.hands[0].seat)
            for hand in player.hands:
                hand.ended = True
        player.over = all(hand.ended for hand in player.hands)
        if acted["reverse"] and not player.over:
            self.say("pause", player.hands[0].seat)
        return not player.over and not acted["reverse"]

    def turn_round(self, acted: Counter[str]) -> None:
        if acted["reverse"] % 2:
            self.direction = -self.direction
            self.say("direction", amount=self.direction)

    def is_pair(self, hand: Hand) -> bool:
        if len(hand.cards) != 2 or hand.specials:
            return False
        one, two = hand.cards
        if is_joker(one) or is_joker(two):
            return True
        return value(one) == value(two) if self.options.split_by == "value" else one // 4 == two // 4

    def legal(self, player: Place, hand: Hand) -> set[str]:
        options, labels = self.options, {"stand"}
        if self.shoe and (not hand.split_ace or options.hit_split_aces):
            labels.add("hit")
        allowed = {"any": range(22), "9-11": (9, 10, 11), "10-11": (10, 11), "none": ()}[options.double]
        split = len(player.hands) > 1
        right_cards = len(hand.cards) == 2 and not hand.split_ace and total(hand.cards)[0] in allowed
        if self.shoe and right_cards and (not split or options.double_after_split):
            labels.add("double")
        more_hands = len(player.hands) < options.max_split_hands and (not hand.split_ace or options.resplit_aces)
        if self.is_pair(hand) and more_hands and len(self.shoe) >= 2:
            labels.add("split")
        if options.surrender == "late" and not split and len(hand.cards) == 2:
            labels.add("surrender")
        return labels

    def split(self, player: Place, hand: Hand) -> Counter[str]:
        low, high = sorted(hand.cards)
        aces = 48 <= low < 52
        first, second = Hand(hand.seat, [low]), Hand(hand.seat, [high])
        place = next(k for k, other in enumerate(player.hands) if other is hand)
        player.hands[place : place + 1] = [first, second]
        acted = self.deal_to(first)
        if self.shoe:
            acted += self.deal_to(second)
        for half in (first, second):
            half.split_ace = aces
            half.ended = half.bust
        for half in (first, second):
            if aces and not self.legal(player, half) & {"hit", "split"}:
                half.ended = True
        return acted

    # --- the dealer, the end ---

    def turn_up(self) -> None:
        self.say("turn_up", cards=self.dealer.hands[0].cards[:1])
        self.hole_up = True

    def dealer_turn(self) -> bool:
        """Whether the hand is over (BJ-44)."""
        dealer, hand, acted = self.dealer, self.dealer.hands[0], Counter[str]()
        if not dealer.begun:
            dealer.begun = True
            self.turn_up()
            acted = self.redeal(hand, sorted(hand.specials))
            if self.natural(dealer):
                return True
        while True:
            self.turn_round(acted)
            count, soft = total(hand.cards)
            if acted["skip"]:
                self.say("skipped")
            if acted["skip"] or count > 21:
                dealer.over = True
                return False
            if acted["reverse"]:
                self.say("pause")
                return False
            hits = count <= 16 or (count == 17 and soft and self.options.dealer_soft17 == "hit")
            if not hits or not self.shoe or not any(self.is_in(player) for player in self.players):
                dealer.over = True
                return False
            acted = self.deal_to(hand)

    def is_in(self, player: Place) -> bool:
        """BJ-14."""
        if player.surrendered:
            return False
        return not player.over or not (self.natural(player) or all(hand.bust for hand in player.hands))

    def settle(self) -> None:
        natural, aim = self.natural(self.dealer), total(self.dealer.hands[0].cards)[0]
        if natural:
            self.say("declare")
        self.say("score", amount=aim)
        for seat, player in enumerate(self.players):
            if player.insured:
                self.pay(seat, player.bet if natural else -player.bet / 2)
            if player.surrendered:
                self.pay(seat, -player.bet / 2)
                continue
            for hand in player.hands:
                if not player.begun:
                    self.redeal(hand, sorted(hand.specials))
                if self.natural(player):
                    self.say("declare", seat)
                self.say("score", seat, amount=total(hand.cards)[0])
                self.pay(seat, self.won(hand, player, natural, aim))

    def won(self, hand: Hand, player: Place, natural: bool, aim: int) -> Fraction:
        """BJ-15 to BJ-17."""
        pay = {"3:2": Fraction(3, 2), "6:5": Fraction(6, 5), "1:1": Fraction(1), "none": Fraction(0)}[self.options.naturals]
        stake, count = player.bet * (2 if hand.doubled else 1), total(hand.cards)[0]
        push = -stake if self.options.dealer_wins_pushes else Fraction(0)
        own = self.natural(player)
        if hand.bust or (natural and not own):
            return -stake
        if own:
            return push if natural else stake * pay
        if aim > 21 or count > aim:
            return stake
        return push if count == aim else -stake

    def pay(self, seat: int, won: Fraction) -> None:
        self.paid[seat] += won
        self.say("pay", seat, amount=1000 * won)
