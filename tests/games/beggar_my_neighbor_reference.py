"""Beggar My Neighbor once more, slowly, from the clauses. Cards are texts, packs lists with the top card first."""

from __future__ import annotations

from typing import Any

from games.saying import Sayings
from wilddeck import cards

PLACE, PLAY = 13, 79
DEMANDS = {"A": 4, "K": 3, "Q": 2, "J": 1}
RANKS = "23456789TJQKA"


class Table:
    """A game from a deck on. After each step `asked` is (seat, question), None at the end; `actions` are the legal ones."""

    def __init__(self, options: Any, deck: list[int]) -> None:
        self.options, self.n = options, options.num_players
        self.cards = [cards.text([card], joker_kinds=True) for card in deck]
        self.begin(None)
        if self.asked is None:  # BM-51
            self.begin(self.played - 1)

    def begin(self, last: int | None) -> None:
        dealt = 52 if self.options.deck == "standard" or self.options.deal_52 else 66
        self.packs = [self.cards[:dealt][seat :: self.n] for seat in range(self.n)]
        self.pile = self.cards[dealt:]
        self.say = Sayings()
        self.say("hand", amount=1)
        for seat, pack in enumerate(self.packs):
            self.say("deal", seat, cards=pack)
        self.stack: list[str] = []
        self.values: dict[str, str] = {}
        self.turn, self.direction = 0, 1
        self.owner: int | None = None
        self.due = 0
        self.waiting: list[str] = []
        self.draws, self.skips = [0] * self.n, [0] * self.n
        self.played, self.placing = 0, 0
        self.asked: tuple[int, str] | None = None
        self.rewards = [0.0] * self.n
        self.shared: list[int] = []
        self.leads, self.stored = 0, None
        self.forget_owner = False
        self.last = last
        self.over = False
        self.go_on(self.play)

    # --- turns ---

    def counted(self, seat: int) -> bool:
        """BM-15."""
        if self.owner == seat:
            return not self.forget_owner
        return bool(self.packs[seat])

    def succ(self, seat: int, without: tuple[int, ...] = ()) -> int | None:
        for k in range(1, self.n + 1):
            other = (seat + k * self.direction) % self.n
            if self.counted(other) and other not in without:
                return other
        return None

    def end_turn(self, player: int, first: int | None) -> Any:
        """ED-50."""
        following = start = first
        for special in self.waiting:
            if special == "Dr":
                self.draws[following] += 2
            elif special == "Sk":
                self.skips[following] += 1
                following = self.succ(following)
            else:
                self.direction = -self.direction
                self.say("direction", amount=self.direction)
                other = self.succ(player, (following,))
                following = start = following if other is None else other
        self.waiting = []
        return self.begin_turn(start)

    def begin_turn(self, seat: int) -> Any:
        """ED-57. Returns what comes next, None when somebody is asked."""
        self.turn = seat
        number, self.draws[seat] = min(self.draws[seat], len(self.pile)), 0
        self.placing = number
        return self.placed()

    def placed(self) -> Any:
        seat = self.turn
        while self.placing:
            if self.packs[seat]:
                self.asked = (seat, "place")
                return None
            self.say("draw", seat, cards=self.pile[:1])
            self.say("choose", seat, amount=0)
            self.packs[seat] = [self.pile.pop(0)]
            self.placing -= 1
        if self.skips[seat]:
            self.skips[seat] -= 1
            self.say("skipped", seat)
            return lambda: self.begin_turn(self.succ(seat))
        if seat == self.owner:  # BM-17
            self.take()
            return None if self.ended() else self.play
        return self.play

    # --- plays ---

    def play(self) -> Any:
        if self.played == self.options.max_plays:
            return self.stop()
        if self.options.cycle_check and not self.stack and self.returned():
            return self.stop()
        if self.options.auto == "every" or self.played == self.last:
            self.asked = (self.turn, "play")
            return None
        return self.turn_up()

    def turn_up(self) -> Any:
        card = self.packs[self.turn].pop(0)
        self.stack.append(card)
        self.say("play", self.turn, cards=[card])
        self.played += 1
        if card in ("SJ", "BJ") and self.open_ranks():
            self.asked = (self.turn, "declare")
            return None
        return self.follow()

    def rank(self, card: str) -> str:
        if card in ("SJ", "BJ"):
            return self.values.get(card, "")
        return card.partition("-")[0] if "-" in card else card[0]

    def open_ranks(self) -> list[int]:
        ranks = [self.rank(card) for card in self.stack]
        return [k for k, rank in enumerate(RANKS) if ranks.count(rank) < 4]

    def follow(self) -> Any:
        """What the card on top does."""
        seat, rank = self.turn, self.rank(self.stack[-1])
        special = rank if rank in ("Dr", "Rv", "Sk") else None
        self.forget_owner = False
        if rank in DEMANDS:
            self.owner, self.due = seat, DEMANDS[rank]
            return self.end_turn(seat, self.succ(seat))
        if special:
            self.waiting.append(special)
        if self.owner is not None and special and self.options.nonpay_face_ends_pay:
            self.owner, self.due = None, 0
        if self.owner is None:
            return None if self.ended() else self.end_turn(seat, self.succ(seat))
        self.due -= 1
        if self.due and self.packs[seat]:
            return self.play
        if self.due and self.options.payer_out == "next":
            self.forget_owner = True
            other = self.succ(seat)
            if other is not None:
                return self.begin_turn(other)
            self.forget_owner = False
        owner = self.owner
        self.take()
        return None if self.ended() else self.end_turn(seat, owner)

    def take(self, under: list[str] | None = None) -> None:
        for taken in (under or [], self.stack):
            if taken:
                self.say("collect", self.owner, cards=taken)
            self.packs[self.owner] += taken
        self.stack, self.values = [], {}
        self.owner, self.due, self.forget_owner = None, 0, False

    # --- ends ---

    def ended(self) -> bool:
        left = [seat for seat in range(self.n) if self.packs[seat]]
        if len(left) > 1:
            return False
        self.share(left or [self.turn], 0)
        return True

    def stop(self) -> None:
        left = [seat for seat in range(self.n) if self.packs[seat]]
        if self.options.stalemate == "most_cards":
            most = max(map(len, self.packs))
            left = [seat for seat in left if len(self.packs[seat]) == most]
        self.share(left, len(left))

    def share(self, winners: list[int], sharing: int) -> None:
        for seat in winners:
            self.say("win", seat, amount=sharing)
        self.say("game_over")
        w, n = len(winners), self.n
        won = (n - w) / (w * (n - 1))
        self.rewards = [0.0 if w == n else won if seat in winners else -1 / (n - 1) for seat in range(n)]
        self.over = True

    def returned(self) -> bool:
        def kind(card: str) -> str:
            rank = self.rank(card) if card not in ("SJ", "BJ") else "joker"
            return "numeral" if rank in RANKS[:9] else rank

        packs = [[kind(card) for card in pack] for pack in self.packs]
        state = (self.turn, self.direction, self.draws[:], self.skips[:], len(self.pile), packs)
        if state == self.stored:
            return True
        self.leads += 1
        if bin(self.leads).count("1") == 1:
            self.stored = state
        return False

    # --- steps ---

    def go_on(self, following: Any) -> None:
        self.asked = None
        while following is not None:
            following = following()
        if self.asked and self.asked[1] != "play":
            self.leads, self.stored = 0, None

    def actions(self) -> list[int]:
        seat, question = self.asked
        if question == "declare":
            return self.open_ranks()
        if question == "place":
            return [PLACE + k for k in range(len(self.packs[seat]) + 1)]
        return [PLAY]

    def step(self, action: int) -> None:
        seat, question = self.asked
        if question == "declare":
            self.values[self.stack[-1]] = RANKS[action]
            self.say("declare", seat, amount=action)
            self.go_on(self.follow)
        elif question == "place":
            self.say("draw", seat, cards=self.pile[:1])
            self.say("choose", seat, amount=action - PLACE)
            self.packs[seat].insert(action - PLACE, self.pile.pop(0))
            self.placing -= 1
            self.go_on(self.placed)
        else:
            self.go_on(self.turn_up)
