"""By The Skin of Your Teeth once more, slow and obvious, written from the rules alone: combinations, their order, games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations

from games.saying import Sayings

SUIT_ORDER = "dchs"  # ST-16
SINGLE, PAIR, THREE, FOUR, STRAIGHT, FLUSH, FULL_HOUSE, STRAIGHT_FLUSH = range(1, 9)
ACE = 12
POINTS = {0: 12, 1: 11, 2: 10, 3: 9, 4: 8, 5: 7, 6: 6, 7: 5, 8: 4, 9: 3, 10: 2, 11: 1, ACE: 6}  # ST-28, by rank
HAND, PILES, FROM_HAND = 13, 6, -1
SUBSETS = [slots for size in range(1, 6) for slots in combinations(range(HAND), size)]  # the actions of the block `subset`


def rank(card: int) -> int:
    return card // 4


def suit(card: int) -> int:
    return SUIT_ORDER.index("cdhs"[card % 4])


def reference(cards: list[int]) -> tuple[int, ...] | None:
    """Kind and what decides within it, to be compared in order; None for no valid combination."""
    if len(cards) == 1 and cards[0] >= 52:
        return (SINGLE, 99)
    if not 1 <= len(cards) <= 5 or max(cards) >= 52 or len(set(cards)) < len(cards):
        return None
    cards = sorted(cards, key=lambda card: (rank(card), suit(card)), reverse=True)
    ranks, suits = [rank(card) for card in cards], [suit(card) for card in cards]
    if len(cards) < 5:
        return (len(cards), ranks[0], *suits) if len(set(ranks)) == 1 else None
    straight = ranks == list(range(ranks[0], ranks[0] - 5, -1))
    flush = len(set(suits)) == 1
    if straight:
        return (STRAIGHT_FLUSH if flush else STRAIGHT, ranks[0], *suits)
    if flush:
        return (FLUSH, *ranks, suits[0])
    (three, threes), (pair, twos) = [*Counter(ranks).most_common(2), (0, 0)][:2]
    if (threes, twos) != (3, 2):
        return None
    of_three = [suit(card) for card in cards if rank(card) == three]
    return (FULL_HOUSE, three, pair, *of_three, *(suit(card) for card in cards if rank(card) == pair))


def reference_beats(attack: list[int], defence: list[int]) -> bool:
    a, d = reference(attack), reference(defence)
    if a is None:
        return False
    if d is None or defence[0] >= 52:
        return True
    if len(attack) != len(defence):
        return False
    if len(attack) < 5 and a[1] == 0 and d[1] == ACE:
        return True
    return a > d


class Table:
    """The games of an episode whose piles are chosen, a deck for each. Piles are lists of ids, empty where there is none.

    Args:
        lying: says how the piles of a player lie once a Joker has mixed them: that is chance.
    """

    def __init__(self, num_players: int, first_player: int, decks: list[list[int]], lying: Callable[[int], list[list[int]]]):
        self.n, self.first, self.decks, self.lying = num_players, first_player, iter(decks), lying
        self.games, self.left = 0, len(decks)
        self.say = Sayings()
        self.deal()

    # --- setting up ---

    def deal(self) -> None:
        deck, n = next(self.decks), self.n
        self.games, self.left = self.games + 1, self.left - 1
        self.say("hand", amount=self.games)
        self.say("round", self.first)
        self.hands = [sorted(deck[seat : HAND * n : n]) for seat in range(n)]
        self.undealt, self.discard = deck[HAND * n :], []
        self.piles: list[list[list[int]]] = [[] for _ in range(n)]
        self.unsure: list[set[int]] = [set() for _ in range(n)]  # own piles, by position, that look like others (ST-25)
        self.chosen: dict[int, list[int]] = {}  # cards of an attack, by the own pile they come from
        for seat, hand in enumerate(self.hands):
            self.say("deal", seat, cards=hand)
        self.seat = 0
        self.say("turn", self.seat)

    def slots(self) -> list[tuple[int, int]]:
        """The cards that the player to move may use, and where they lie."""
        own = enumerate(self.piles[self.seat])
        return [(card, FROM_HAND) for card in self.hands[self.seat]] or sorted((card, k) for k, pile in own for card in pile)

    def act(self, action: int) -> list[int]:
        """Points that the players win by it (ST-28)."""
        if action >= len(SUBSETS):
            return self.attack(*divmod(action - len(SUBSETS), PILES))
        slots = self.slots()
        cards = [slots[slot] for slot in SUBSETS[action]]
        if len(self.piles[-1]) < PILES:
            self.make_pile([card for card, _ in cards])
        else:
            self.choose(cards)
        return [0] * self.n

    def make_pile(self, pile: list[int]) -> None:
        seat = self.seat
        self.say("meld", seat, cards=pile)
        self.piles[seat].append(pile)
        for card in pile:
            self.hands[seat].remove(card)
        if len(self.piles[-1]) == PILES:
            for owner in range(self.n):
                self.say("set_aside", owner, amount=self.sizes(owner))
            self.begin_turn(self.first)
        elif len(self.piles[seat]) == PILES:
            self.seat += 1
            self.say("turn", self.seat)

    def sizes(self, owner: int) -> int:
        return int("".join(str(len(pile)) for pile in self.piles[owner]))

    # --- turns ---

    def begin_turn(self, seat: int) -> None:
        while not self.hands[seat] and not any(self.piles[seat]):  # ST-10
            seat = (seat + 1) % self.n
        self.seat, self.chosen = seat, {}
        if not self.hands[seat]:  # ST-11
            for place in sorted(self.unsure[seat]):
                self.say("turn_up", seat, cards=self.piles[seat][place])
            self.unsure[seat] = set()

    def choose(self, cards: list[tuple[int, int]]) -> None:
        for place in sorted({place for _, place in cards}):
            self.chosen[place] = [card for card, lies_at in cards if lies_at == place]
            if place != FROM_HAND:
                self.say("choose", self.seat, amount=place)
            self.say("select", self.seat, cards=self.chosen[place])

    def attack(self, ahead: int, place: int) -> list[int]:
        """ST-09 to ST-15."""
        attacker, defender = self.seat, (self.seat + 1 + ahead) % self.n
        self.say("challenge", attacker, amount=place, other=defender)
        for source, cards in self.chosen.items():
            if source != FROM_HAND:
                self.say("collect", attacker, amount=source)
            self.say("play", attacker, cards=cards)
            for card in cards:
                (self.hands[attacker] if source == FROM_HAND else self.piles[attacker][source]).remove(card)
        attack, pile = sorted(card for cards in self.chosen.values() for card in cards), self.piles[defender][place]
        won = reference_beats(attack, pile)
        self.say("reveal", defender, cards=pile)
        self.say("answer", defender, amount=int(won))
        self.discard += attack
        if won:
            self.discard += pile
            self.piles[defender][place] = []
        self.unsure[defender].discard(place)
        self.find_out(defender)
        holders = [seat for seat in range(self.n) if any(self.piles[seat])]
        if attack[0] >= 52:
            for owner in range(self.n):
                self.mix(owner, len(holders) < 2)
        if len(holders) < 2:
            return self.finish(holders[0] if holders else defender)
        self.begin_turn((attacker + 1) % self.n)
        return [0] * self.n

    def find_out(self, owner: int) -> None:
        """Of the piles that an owner could not tell apart, one that is the last of its size they now can."""
        sizes = {place: len(self.piles[owner][place]) for place in self.unsure[owner]}
        number = Counter(sizes.values())
        self.unsure[owner] = {place for place, size in sizes.items() if size and number[size] > 1}

    def mix(self, owner: int, is_over: bool) -> None:
        """ST-25. How they lie when the game is over nobody sees."""
        if not any(self.piles[owner]):
            return
        if is_over:
            self.say("shuffle", owner, amount=...)
            return
        before, after = self.piles[owner], self.lying(owner)
        assert sorted(before) == sorted(after)
        assert [bool(pile) for pile in before] == [bool(pile) for pile in after]
        self.piles[owner] = after
        self.say("shuffle", owner, amount=self.sizes(owner))
        self.unsure[owner] = {*range(PILES)}
        self.find_out(owner)

    def finish(self, winner: int) -> list[int]:
        """ST-26, ST-28."""
        points = 10 + sum(POINTS[rank(card)] for pile in self.piles[winner] for card in pile)
        self.say("win", winner, amount=points)
        self.first = winner
        if self.left:
            self.deal()
        else:
            self.say("game_over")
        return [points * (seat == winner) for seat in range(self.n)]

    def zones(self) -> dict[str, list[int]]:
        """Between attacks."""
        zones = {"attack": [], "discard": self.discard, "undealt": self.undealt}
        for seat in range(self.n):
            zones[f"hand/{seat}"] = self.hands[seat]
            for place in range(PILES):
                zones[f"defence/{seat}/{place}"] = self.piles[seat][place] if place < len(self.piles[seat]) else []
        return zones
