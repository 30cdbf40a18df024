"""Tennis once more, slow and plain, written from docs/rules/tennis.md alone; imports nothing of wilddeck."""

from __future__ import annotations

from games.saying import Sayings

RANKS = 12


def beats(rank: int, other: int) -> bool:
    """TN-03: one or two steps above in the circle of ranks 0..11 (2..K)."""
    return any((other + steps) % RANKS == rank for steps in (1, 2))


def records(ranks: list[int]) -> list[int]:
    """TN-08."""
    return [sum(beats(a, b) for b in ranks) - sum(beats(b, a) for b in ranks) for a in ranks]


class Tennis:
    """A game in progress. Cards are ids (rank * 4 + suit); lists are in order, tops and oldest first."""

    def __init__(self, num_players: int, max_tricks: int, dealer: int, deck: list[int]) -> None:
        self.num_players, self.max_tricks, self.dealer = num_players, max_tricks, dealer
        self.piles = [deck[seat::num_players] for seat in range(num_players)]
        self.hands: list[list[int]] = [[] for _ in range(num_players)]
        self.played: list[tuple[int, int]] = []  # this trick: seat and card, in order
        self.set_aside: list[int] = []
        self.removed: list[int] = []
        self.shown: set[int] = set()  # cards that have been played: where they are, everybody knows
        self.tricks_played = 0
        self.returns: list[float] | None = None
        self.say = Sayings()
        self.say("hand", amount=1)
        for seat, pile in enumerate(self.piles):
            self.say("deal", seat, cards=pile)
        self.begin_round()

    def begin_round(self) -> None:
        self.in_round = [seat for seat in range(self.num_players) if self.piles[seat]]
        taken = min([6, *(len(self.piles[seat]) for seat in self.in_round)])
        self.say("round", self.dealer, amount=taken)
        for seat in self.in_round:
            self.hands[seat], self.piles[seat] = self.piles[seat][:taken], self.piles[seat][taken:]
            for are_shown in (False, True):
                if cards := [card for card in self.hands[seat] if (card in self.shown) == are_shown]:
                    self.say("draw", seat, cards=cards)
        self.tricks_left = taken
        self.lead = self.dealer

    def clockwise(self, seat: int) -> list[int]:
        """The players in the round, from a seat on."""
        order = [(seat + k) % self.num_players for k in range(self.num_players)]
        return [player for player in order if player in self.in_round]

    @property
    def to_move(self) -> int:
        return self.clockwise(self.lead)[len(self.played)]

    def legal(self) -> list[int]:
        return sorted({card // 4 for card in self.hands[self.to_move]})

    def play(self, rank: int) -> None:
        seat = self.to_move
        candidates = [card for card in self.hands[seat] if card // 4 == rank]
        open_ones = [card for card in candidates if card in self.shown]
        card = (open_ones or candidates)[-1]
        self.hands[seat].remove(card)
        self.played.append((seat, card))
        self.say("play", seat, cards=[card])
        if len(self.played) == len(self.in_round):
            self.end_trick()

    def end_trick(self) -> None:
        cards = [card for _, card in self.played]
        results = records([card // 4 for card in cards])
        best = [seat for (seat, _), result in zip(self.played, results, strict=True) if result == max(results)]
        if len(best) == 1:
            self.say("trick_won", best[0], cards=self.set_aside + cards)
            self.piles[best[0]] += self.set_aside + cards
            self.set_aside = []
        else:
            self.say("set_aside", cards=cards)
            self.set_aside += cards
        self.shown.update(cards)
        self.played = []
        self.tricks_played += 1
        self.tricks_left -= 1
        if self.tricks_left:
            self.lead = self.clockwise(self.lead)[1]
        else:
            self.end_round()

    def end_round(self) -> None:
        if self.set_aside:
            self.say("discard", cards=self.set_aside)
        self.removed += self.set_aside
        self.set_aside = []
        holding = [seat for seat in range(self.num_players) if self.piles[seat]]
        if len(holding) > 1 and self.tricks_played < self.max_tricks:
            later = [(self.dealer + k) % self.num_players for k in range(1, self.num_players + 1)]
            self.dealer = next(seat for seat in later if seat in holding)
            self.begin_round()
            return
        most = max(len(pile) for pile in self.piles)
        winners = [seat for seat in holding if len(self.piles[seat]) == most] or self.in_round
        for seat in winners:
            self.say("win", seat, amount=most)
        self.say("game_over")
        paid = (self.num_players - len(winners)) / (self.num_players - 1)
        loss = -1 / (self.num_players - 1)
        self.returns = [paid / len(winners) if seat in winners else loss for seat in range(self.num_players)]

    def zones(self) -> dict[str, list[int]]:
        table = dict(self.played)
        zones = {"set_aside": self.set_aside, "removed": self.removed}
        for seat in range(self.num_players):
            zones[f"hand/{seat}"] = self.hands[seat]
            zones[f"pile/{seat}"] = self.piles[seat]
            zones[f"table/{seat}"] = [table[seat]] if seat in table else []
        return zones

    def known(self, seat: int) -> list[int]:
        """Count by rank of the cards everybody knows to be a player's: shown, and in the pile or in the hand."""
        counts = [0] * RANKS
        for card in self.piles[seat] + self.hands[seat]:
            counts[card // 4] += card in self.shown
        return counts

    def known_in_hand(self, seat: int) -> list[int]:
        shown = [card // 4 for card in self.hands[seat] if card in self.shown]
        return [shown.count(rank) for rank in range(RANKS)]
