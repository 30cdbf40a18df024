"""Bluff once more, slowly, from the page: lists of cards. Chance (the deck, a card turned up) is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from games.saying import Sayings, jokers_last

RANKS = "23456789TJQKA"
NAME, PLAY, PASS, CHALLENGE, ACCEPT, REVEAL, COMMIT = 66, 82, 83, 84, 85, 86, 98


def rank_of(card: int) -> int | None:
    """Rank 0..12, Draw 13, Reverse 14, Skip 15; None for Jokers."""
    if card in (52, 53):
        return None
    return card // 4 if card < 52 else 13 + (card - 54) // 4


@dataclass
class Play:
    player: int
    rank: int
    cards: list[int]


@dataclass
class Table:
    options: Any
    deck: list[int]
    hands: list[list[int]] = field(default_factory=list)
    heap: list[Play] = field(default_factory=list)
    out: list[int] = field(default_factory=list)
    aside: list[int] = field(default_factory=list)
    staged: list[int] = field(default_factory=list)
    chosen: list[int] = field(default_factory=list)
    passes: set[int] = field(default_factory=set)
    paused: set[int] = field(default_factory=set)
    clockwise: bool = True
    player: int = 0  # whose turn it is
    to_ask: list[int] = field(default_factory=list)  # who has still to answer, in order
    rank: int | None = None  # to be claimed
    turns: int = 1
    rewards: list[float] | None = None
    saying: Sayings = field(default_factory=Sayings)

    def __post_init__(self) -> None:
        n = self.n = self.options.num_players
        self.free = self.options.rank_order == "free"
        dealt = 52 if self.options.deal_52 else len(self.deck)
        self.hands = [sorted(self.deck[seat:dealt:n]) for seat in range(n)]
        self.say("hand", None, amount=1)
        for seat in range(n):
            self.say("deal", seat, jokers_last(self.deck[seat : dealt - dealt % n : n]))
        for seat in range(dealt % n):
            self.say("deal", seat, [self.deck[dealt - dealt % n + seat]])
        self.stock = list(self.deck[dealt:])
        self.rank = None if self.free else RANKS.index(self.options.first_rank)

    # --- who may do what ---

    @property
    def mover(self) -> int:
        return self.to_ask[0] if self.to_ask else self.player

    def leads(self) -> bool:
        return self.free and not self.heap

    def legal(self) -> list[int]:
        if self.rewards is not None:
            return []
        if self.to_ask:
            return [CHALLENGE, ACCEPT]
        hand = self.hands[self.player]
        begun = bool(self.chosen) or (self.leads() and self.rank is not None)
        actions = []
        if not begun and len(self.staged) < len(self.stock):
            actions += [REVEAL + card - 54 for card in hand if card > 53 and card not in self.staged]
        if self.staged:
            return [*actions, COMMIT]
        if self.leads() and self.rank is None:
            specials = self.options.claim_specials and self.options.deck == "extended"
            return [*range(NAME, NAME + (16 if specials else 13)), *actions]
        actions += self.may_follow()
        if self.chosen:
            actions.append(PLAY)
        elif self.options.allow_pass and not self.leads():
            actions.append(PASS)
        return sorted(actions)

    def may_follow(self) -> list[int]:
        """Cards that may be put next."""
        fitting = [card for card in self.hands[self.player] if not self.chosen or card > self.chosen[-1]]
        return [card for card in fitting if card != 53 or 52 not in fitting]

    # --- what is done ---

    def act(self, action: int, turned_up: int | None) -> None:
        if action < NAME:
            self.hands[self.player].remove(action)
            self.chosen.append(action)
            self.say("select", self.player, [action])
            if len(self.chosen) == self.options.max_play or not self.may_follow():
                self.lay()
        elif action < PLAY:
            self.rank = action - NAME
            self.say("choose", self.player, amount=self.rank)
        elif action == PLAY:
            self.lay()
        elif action == PASS:
            self.say("pass", self.player)
            self.end_without_play()
        elif action == CHALLENGE:
            self.challenged(turned_up)
        elif action == ACCEPT:
            self.say("answer", self.to_ask.pop(0), other=self.player)
            if not self.to_ask:
                self.stands(self.after(self.player))
        else:
            self.reveal(action)

    def say(
        self, kind: str, player: int | None, cards: list[int] | None = None, other: int | None = None, amount: int = 0
    ) -> None:
        self.saying(kind, player, cards=cards or (), other=other, amount=len(cards) if cards else amount)

    def after(self, seat: int) -> int:
        return (seat + (1 if self.clockwise else self.n - 1)) % self.n

    def lay(self) -> None:
        assert self.rank is not None
        self.say("play", self.player, self.chosen)
        self.say("claim", self.player, amount=self.rank)
        self.heap.append(Play(self.player, self.rank, self.chosen))
        self.chosen = []
        self.passes.clear()
        seat = self.after(self.player)
        while seat != self.player:
            self.to_ask.append(seat)
            seat = self.after(seat)
        if self.options.challengers == "next":
            del self.to_ask[1:]

    def stands(self, following: int) -> None:
        """The play has stood, or was taken back by its player: is there a winner, and who is next."""
        if not self.hands[self.player]:
            self.finish([self.player])
            return
        if not self.free:
            self.rank = (self.rank + 1) % 13 if self.rank is not None else None
        elif not self.heap:
            self.rank = None
        self.begin(following)

    def challenged(self, turned_up: int | None) -> None:
        play, challenger = self.heap[-1], self.to_ask[0]
        self.to_ask = []
        cards = play.cards if self.options.check == "all" else [card for card in play.cards if card == turned_up]
        wild = play.rank < 13
        good = all(rank_of(card) == play.rank or (wild and rank_of(card) is None) for card in cards)
        true = len(play.cards) < 5 and good
        self.say("challenge", challenger, other=play.player)
        self.say("turn_up", play.player, jokers_last(cards))
        self.say("answer", play.player, other=challenger, amount=1 if true else 2)
        winner, loser = (play.player, challenger) if true else (challenger, play.player)
        self.say("collect", loser, [card for laid in self.heap for card in laid.cards])
        for laid in self.heap:
            self.hands[loser] = sorted(self.hands[loser] + laid.cards)
        self.heap = []
        self.passes.clear()
        following = {"next": self.after(play.player), "winner": winner, "taker": loser}[self.options.after_challenge]
        self.stands(following)

    def end_without_play(self) -> None:
        following = self.after(self.player)
        if self.heap:
            last = self.heap[-1].player
            if self.player != last:
                self.passes.add(self.player)
            if self.free and len(self.passes | {last}) == self.n:
                self.say("discard", None, [card for play in self.heap for card in play.cards])
                self.out += [card for play in self.heap for card in play.cards]
                self.heap, self.rank, following = [], None, last
                self.passes.clear()
        self.begin(following)

    def reveal(self, action: int) -> None:
        if action != COMMIT:
            self.staged.append(action - REVEAL + 54)
            self.say("reveal", self.player, self.staged[-1:])
            others = [card for card in self.hands[self.player] if card > 53 and card not in self.staged]
            if others and len(self.staged) < len(self.stock):
                return
        revealed, self.staged = sorted(self.staged), []
        hand = [card for card in self.hands[self.player] if card not in revealed]
        self.say("redeal", self.player, revealed)
        self.aside += revealed
        for count in (len(revealed), sum(rank_of(card) == 13 for card in revealed)):  # ED-24
            drawn, self.stock = self.stock[:count], self.stock[count:]
            if drawn:
                self.say("draw", self.player, jokers_last(drawn))
            hand += drawn
        self.hands[self.player] = sorted(hand)
        reverses, skips = (sum(rank_of(card) == rank for card in revealed) for rank in (14, 15))
        if reverses % 2:
            self.clockwise = not self.clockwise
            self.say("direction", None, amount=1 if self.clockwise else -1)
        if skips:
            self.say("skipped", self.player)
            self.end_without_play()
        elif reverses:
            self.say("pause", self.player)
            self.paused.add(self.player)
            self.passes.discard(self.player)
            self.begin(self.after(self.player))

    def begin(self, seat: int) -> None:
        self.player = seat
        if seat in self.paused:
            self.paused.remove(seat)
        elif self.turns == self.options.max_turns:
            fewest = min(map(len, self.hands))
            self.finish([seat for seat, hand in enumerate(self.hands) if len(hand) == fewest])
        else:
            self.turns += 1

    def finish(self, winners: list[int]) -> None:
        n, w = self.n, len(winners)
        for seat in winners:
            self.say("win", seat, amount=len(self.hands[seat]))
        self.say("game_over", None)
        self.rewards = [(n - w) / (w * (n - 1)) if seat in winners else -1 / (n - 1) for seat in range(n)]
