"""Rummy once more, slowly, from the clauses alone: basic, gin and contract, cards as ids in lists, a meld as its cards.

Jokers are ids 52 and 53 (four of them with two decks), both face 52. Where discards become a new stock (RM-24) the order is not
known here: blanks stand for the cards until `fill` is told where they went.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from games import rummy_melds_reference as slow

JOKER = 52
DRAW_STOCK, TAKE, PASS, KNOCK, MELD, CLOSE_GROUP, CLOSE_RUN, LAY_OFF, REVEAL, COMMIT = 66, 67, 68, 69, 70, 71, 72, 73, 97, 109
CONTRACTS = ["", "GG", "GR", "RR", "GGG", "GGR", "GRR", "RRR"]


def face(card: int) -> int:
    return JOKER if card in (52, 53) else card


def is_joker(card: int) -> bool:
    return card in (52, 53)


def kind(card: int) -> int:
    """0 Draw, 1 Reverse, 2 Skip; -1 of other cards."""
    return (card - 54) // 4 if card >= 54 else -1


@dataclass
class Meld:
    kind: str
    cards: list[int]
    first: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.first = tuple(self.cards)

    @property
    def naturals(self) -> tuple[int, ...]:
        return tuple(sorted(card for card in self.cards if not is_joker(card)))

    @property
    def jokers(self) -> int:
        return sum(map(is_joker, self.cards))


@dataclass
class Turn:
    """A turn that has begun and is not over."""

    drawn: bool = False
    taken: int | None = None  # the face taken from the discards
    found: int | None = None  # the card that was the upcard when it was taken (RM-36)
    melds: int = 0
    laid_contract: bool = False
    did_meld: bool = False  # melded or laid off
    played: list[int] = field(default_factory=list)  # kinds of special cards


class UnknownOrderError(Exception):
    """A deal ended in the step in which discards became the stock: who had drawn which of them is not known here."""


class Table:
    """An episode. `decks`: one deck a deal."""

    def __init__(self, options: Any, decks: list[list[int]]) -> None:
        self.o, self.n, self.decks = options, options.num_players, decks
        self.gin, self.contract = options.variant == "gin", options.variant == "contract"
        self.ace_high = self.contract or (not self.gin and options.ace == "both")
        self.ace = 15 if self.ace_high else 1
        self.laid_rules = slow.LAID[2 if self.gin else 3 if self.contract else int(self.ace_high)]
        standard = options.deck == "standard"
        self.table_rules = slow.TABLE[(4 if standard else 3) if self.contract else int(self.ace_high)]
        self.asks_all = self.gin and standard
        self.reach_two = self.gin and (options.layoff_reach == "two" or (options.layoff_reach is None and standard))
        self.totals = [0] * self.n
        self.rewards = [0.0] * self.n  # of the last step
        self.over = False
        self.deal_number = options.first_deal if self.contract else 1
        self.dealt = 0
        self.blanks: list[int] = []  # cards whose order is not known
        self.new_blank = -100
        self.start_deal()
        self.settle()

    # --- the deal ---

    def start_deal(self) -> None:
        deck = list(self.decks[self.dealt])
        self.dealt += 1
        self.hands: list[list[int]] = [[] for _ in range(self.n)]
        if self.gin:
            each = 10
        elif self.contract:
            each = 10 if self.deal_number <= 3 else 12
        else:
            each = {2: 10, 3: 7, 4: 7, 5: 6, 6: 6}[self.n]
        for _ in range(each):
            for hand in self.hands:
                hand.append(deck.pop(0))
        self.stock, self.discards, self.aside = deck, [], []
        self.melds: list[Meld] = []
        self.direction = 1
        self.owed, self.skips = [0] * self.n, [0] * self.n
        self.turns: list[Turn | None] = [None] * self.n
        self.paused: set[int] = set()
        self.discarder: int | None = None
        self.staged: list[int] = []
        self.composition: list[int] = []
        self.slot = -1
        self.recycles = 0 if self.gin else self.o.recycles
        self.begun = self.idle = 0
        self.melded_before = [False] * self.n
        self.down = [False] * self.n
        self.buys = [self.o.buys if self.contract else 0] * self.n
        self.repeated = False
        self.upcards = 0
        self.buyers: list[int] = []
        self.to_lay = ""  # what is left of a contract that is being laid
        self.knocker = -1
        self.seat = (self.deal_number - 1) % self.n if self.contract else 0
        self.phase = "first"
        self.passes = 0
        effects = self.turn_up()
        self.knock_card = self.o.knock_card if self.gin else 0
        if self.gin and self.o.oklahoma and not is_joker(self.discards[-1]) and self.discards[-1] < 52:
            points = slow.card_points(self.discards[-1], 1)
            self.knock_card = 0 if points == 1 else points
        self.first_decision = self.gin
        self.begin(self.act_on_table(effects, self.seat))

    def turn_up(self) -> list[int]:
        """RM-02, RM-03."""
        due, effects = 1, []
        while due and self.stock:
            card = self.stock.pop(0)
            if card < 54 or not self.stock:
                self.discards.append(card)
                due -= 1
            else:
                self.aside.append(card)
                due += kind(card) == 0
                if kind(card):
                    effects.append(kind(card))
        return effects

    def act_on_table(self, effects: list[int], player: int) -> int:
        """ED-45."""
        start = player
        for effect in effects:
            if effect == 2:
                if all(self.skips):
                    continue
                self.skips[player] += 1
                player = (player + self.direction) % self.n
            else:
                self.direction = -self.direction
                player = start = (player + self.direction) % self.n
        return start

    # --- stock ---

    def may_recycle(self) -> bool:
        return self.recycles > 0 and len(self.discards) >= 2

    def available(self) -> int:
        return len(self.stock) + (len(self.discards) - 1 if self.may_recycle() else 0)

    def next_card(self) -> int | None:
        if not self.stock and self.may_recycle():
            self.recycles -= 1
            self.blanks = [*self.blanks, *self.discards[:-1]]
            for _ in self.discards[:-1]:
                self.stock.append(self.new_blank)
                self.new_blank -= 1
            self.discards = self.discards[-1:]
        if not self.stock:
            return None
        self.idle = 0
        return self.stock.pop(0)

    def take(self, seat: int, count: int) -> None:
        for _ in range(count):
            card = self.next_card()
            if card is not None:
                self.hands[seat].append(card)

    def fill(self, hands: list[list[int]], pile: list[int]) -> None:
        """After a step: what the blanks were."""
        if not self.blanks:
            return
        found: list[int] = []
        for mine, theirs in zip(self.hands, hands, strict=True):
            known = [card for card in mine if card > -100]
            extra = list((Counter(theirs) - Counter(known)).elements())
            blank = [card for card in mine if card <= -100]
            assert len(extra) == len(blank)
            mine[:] = known + extra
            found += extra
        assert len(pile) == len(self.stock)
        found += [theirs for mine, theirs in zip(self.stock, pile, strict=True) if mine <= -100]
        self.stock = [theirs if mine <= -100 else mine for mine, theirs in zip(self.stock, pile, strict=True)]
        assert sorted(found) == sorted(self.blanks)
        self.blanks = []

    # --- turns (ED-50, ED-57) ---

    @property
    def turn(self) -> Turn:
        found = self.turns[self.seat]
        assert found is not None
        return found

    def end_turn(self, seat: int) -> None:
        ended = self.turns[seat]
        assert ended is not None
        self.turns[seat] = None
        self.melded_before[seat] |= ended.did_meld
        self.begin(self.act_on_next(seat, ended.played))

    def act_on_next(self, seat: int, effects: list[int]) -> int:
        affected = start = (seat + self.direction) % self.n
        for effect in effects:
            if effect == 0:
                self.owed[affected] += 2
            elif effect == 2:
                self.skips[affected] += 1
                affected = (affected + self.direction) % self.n
            else:
                self.direction = -self.direction
                order = [(seat + k * self.direction) % self.n for k in range(1, self.n + 1)]
                affected = start = next(other for other in order if other != affected)
        return start

    def begin(self, seat: int) -> None:
        while True:
            owed, self.owed[seat] = self.owed[seat], 0
            self.take(seat, owed)
            if not self.skips[seat]:
                break
            self.skips[seat] -= 1
            played: list[int] = []
            ended = self.turns[seat]
            if seat in self.paused and ended is not None:
                self.paused.discard(seat)
                played = ended.played
                self.melded_before[seat] |= ended.did_meld
                self.turns[seat] = None
            seat = self.act_on_next(seat, played)
        self.seat = seat
        if seat in self.paused:
            self.paused.discard(seat)
        else:
            if not self.gin and (self.begun == self.o.max_turns or self.idle >= 4 * self.n):
                self.block()
                return
            self.turns[seat] = Turn()
            self.begun += 1
            self.idle += 1
        self.go_on()

    def go_on(self) -> None:
        """To the draw decision or to play."""
        if self.first_decision:
            self.first_decision, self.phase = False, "first"
        elif self.turn.drawn:
            self.phase = "play"
        elif self.gin:
            self.phase = "wall" if len(self.stock) <= 2 else "draw"
        else:
            self.phase = "draw"
            if not self.stock and not self.may_recycle():
                self.block()

    # --- ends ---

    def points_of(self, seat: int) -> int:
        naturals = tuple(sorted(card for card in self.hands[seat] if not is_joker(card)))
        return slow.hand_points(naturals, len(self.hands[seat]) - len(naturals), self.ace)

    def turn_over_blanks(self) -> None:
        """At the end of a deal: the cards must be known, as they are where one player has drawn them all, or none."""
        holders = [hand for hand in self.hands if min(hand, default=0) <= -100]
        if holders and (len(holders) > 1 or self.stock):
            raise UnknownOrderError
        for hand in holders:
            hand[:] = [card for card in hand if card > -100] + self.blanks
            self.blanks = []

    def block(self) -> None:
        self.turn_over_blanks()
        if self.contract:
            self.end_of_deal()
            return
        points = [self.points_of(seat) for seat in range(self.n)]
        least = min(points)
        lowest = [seat for seat in range(self.n) if points[seat] == least]
        pool = sum(points) - least * self.n
        self.rewards = [pool / len(lowest) if seat in lowest else float(least - points[seat]) for seat in range(self.n)]
        self.over = True

    def gone_out(self, seat: int) -> bool:
        """RM-27: whether the hand is empty, which ends the deal."""
        if self.hands[seat]:
            return False
        if self.contract:
            self.end_of_deal()
            return True
        double = self.o.rummy_double and not self.melded_before[seat] and self.turn.did_meld
        points = [self.points_of(other) * (2 if double else 1) for other in range(self.n)]
        self.rewards = [float(sum(points)) if other == seat else float(-points[other]) for other in range(self.n)]
        self.over = True
        return True

    def end_of_deal(self) -> None:
        points = [self.points_of(seat) for seat in range(self.n)]
        self.totals = [total + more for total, more in zip(self.totals, points, strict=True)]
        self.rewards = [float(sum(points) - self.n * own) for own in points]
        last = min(7, self.o.first_deal + self.o.deals - 1)
        if self.deal_number == last:
            self.over = True
            return
        self.deal_number += 1
        self.blanks = []
        self.start_deal()

    def end_gin(self, first: float) -> None:
        """The knocker's points; nobody's where nobody knocked."""
        self.rewards = [0.0, 0.0]
        if self.knocker >= 0:
            self.rewards[self.knocker], self.rewards[1 - self.knocker] = first, -first
        self.over = True

    # --- what is legal ---

    def faces(self, seat: int) -> set[int]:
        return {face(card) for card in self.hands[seat]}

    def split(self, seat: int) -> tuple[tuple[int, ...], int]:
        naturals = tuple(sorted(card for card in self.hands[seat] if not is_joker(card)))
        return naturals, len(self.hands[seat]) - len(naturals)

    def may_take(self, seat: int) -> bool:
        return bool(self.discards) and self.discarder != seat

    def reveals(self) -> list[int]:
        if len(self.staged) >= self.available():
            return []
        held = Counter(card for card in self.hands[self.seat] if card >= 54) - Counter(self.staged)
        return [REVEAL + card - 54 for card in held]

    def legal(self) -> list[int]:
        if self.over:
            return []
        if self.staged:
            return sorted({*self.reveals(), COMMIT})
        return sorted(set(getattr(self, "legal_" + self.phase)()))

    def legal_first(self) -> list[int]:
        return [TAKE, PASS]

    def legal_forced(self) -> list[int]:
        return [DRAW_STOCK]

    def legal_draw(self) -> list[int]:
        found = self.reveals()
        if self.stock or self.may_recycle():
            found.append(DRAW_STOCK)
        if self.may_take(self.seat):
            found.append(TAKE)
        return found

    def legal_wall(self) -> list[int]:
        found = [PASS]
        if self.may_take(self.seat) and self.can_knock([*self.hands[self.seat], self.discards[-1]]):
            found.append(KNOCK)
        return found

    def legal_offer(self) -> list[int]:
        return [TAKE, PASS]

    def legal_play(self) -> list[int]:
        seat, turn, hand = self.seat, self.turn, self.hands[self.seat]
        found = self.reveals()
        count = sum(face(card) == turn.taken for card in hand)
        barred = {turn.taken} if not self.gin and count == 1 and len(hand) > 1 else set()
        found += self.faces(seat) - barred
        if self.gin:
            if self.can_knock(hand):
                found.append(KNOCK)
            return found
        if self.contract:
            if not self.down[seat] and self.contract_possible():
                found.append(MELD)
            if not self.down[seat] or turn.laid_contract:
                return found
        elif (self.o.melds_per_turn == 0 or turn.melds < self.o.melds_per_turn) and self.any_meld():
            found.append(MELD)
        return found + self.slots()

    def slots(self) -> list[int]:
        return [LAY_OFF + slot for slot in range(len(self.melds)) if self.fitting(slot)]

    def fitting(self, slot: int) -> set[int]:
        return {card for card in self.faces(self.seat) if self.fits(self.melds[slot], card)}

    def fits(self, meld: Meld, card: int) -> bool:
        naturals, jokers = list(meld.naturals), meld.jokers
        if card == JOKER:
            jokers += 1
        else:
            naturals.append(card)
        if self.reach_two and meld.kind == "run":
            place = [(other // 4 + 1) % 13 for other in meld.first]
            if not min(place) - 2 <= (card // 4 + 1) % 13 <= max(place) + 2:
                return False
        return valid(meld.kind, sorted(naturals), jokers, self.table_rules)

    def legal_layoff(self) -> list[int]:
        return sorted(self.fitting(self.slot))

    def any_meld(self) -> bool:
        shortest = slow.Rules(3, 3, 3, self.ace_high)
        return bool(slow.melds_of(*self.split(self.seat), shortest))

    def contract_possible(self) -> bool:
        naturals, jokers = self.split(self.seat)
        if self.deal_number == 7:
            return slow.last_contract_possible(naturals, jokers, 3)
        letters = CONTRACTS[self.deal_number]
        return slow.contract_possible(naturals, jokers, letters.count("G"), letters.count("R"))

    def can_knock(self, cards: list[int]) -> bool:
        naturals = tuple(sorted(card for card in cards if not is_joker(card)))
        return least_after_discard(naturals, len(cards) - len(naturals)) <= self.knock_card

    def legal_knock_discard(self) -> list[int]:
        cards, joker = slow.knock_discards(*self.split(self.seat), self.knock_card)
        return [*cards, *[JOKER] * joker]

    def legal_knock_melds(self) -> list[int]:
        found = [PASS] if self.points_of(self.seat) <= self.knock_card else []
        return found + [MELD] * bool(self.legal_melds())

    def legal_defence_layoffs(self) -> list[int]:
        return [PASS, *self.slots()]

    def legal_defence_melds(self) -> list[int]:
        return [PASS] + [MELD] * self.any_meld()

    def legal_melds(self) -> set[slow.Meld]:
        naturals, jokers = self.split(self.seat)
        if self.to_lay:
            rest, kinds = self.to_lay[1:], 1 if self.to_lay[0] == "G" else 2
            mode = 3 if self.deal_number == 7 else 2
            return slow.legal_melds(mode, kinds, naturals, jokers, rest.count("G"), rest.count("R"), 3)
        mode = 1 if self.knocker == self.seat else 0
        row = slow.LAID.index(self.laid_rules)
        return slow.legal_melds(mode, 3, naturals, jokers, self.knock_card, 0, row)

    def legal_compose(self) -> list[int]:
        so_far = tuple(66 if is_joker(card) else card for card in self.composition)
        found = set()
        for meld in self.candidates:
            cards = slow.spelled(meld)
            if cards[: len(so_far)] != so_far:
                continue
            if len(cards) == len(so_far):
                found.add(CLOSE_GROUP if meld[0] == "group" else CLOSE_RUN)
            else:
                found.add(JOKER if cards[len(so_far)] == 66 else cards[len(so_far)])
        return sorted(found)

    # --- steps ---

    def act(self, action: int) -> None:
        self.rewards = [0.0] * self.n
        assert action in self.legal(), (action, self.legal(), self.phase)
        self.do(action)
        self.settle()

    def settle(self) -> None:
        """What the environment does by itself."""
        while not self.over:
            if self.staged:
                if self.reveals():
                    return
                self.commit()
                continue
            alone = self.phase in ("compose", "layoff")
            if not self.asks_all:
                alone |= self.phase in ("forced", "wall", "knock_discard", "knock_melds", "defence_layoffs", "defence_melds")
            if not alone:
                return
            legal = self.legal()
            if len(legal) != 1:
                return
            self.do(legal[0])

    def do(self, action: int) -> None:
        if action == COMMIT:
            self.commit()
        elif REVEAL <= action < COMMIT:
            self.staged.append(54 + action - REVEAL)
        else:
            getattr(self, "do_" + self.phase)(action)

    def remove(self, card: int) -> int:
        """A card of this face leaves the hand; of Jokers the lower."""
        hand = self.hands[self.seat]
        found = min(other for other in hand if face(other) == card)
        hand.remove(found)
        return found

    def commit(self) -> None:
        staged, self.staged = self.staged, []
        seat, turn = self.seat, self.turn
        for card in staged:
            self.hands[seat].remove(card)
            self.aside.append(card)
        self.take(seat, len(staged))
        self.take(seat, sum(kind(card) == 0 for card in staged))
        if sum(kind(card) == 1 for card in staged) % 2:
            self.direction = -self.direction
        if any(kind(card) == 2 for card in staged):
            self.repeated = False
            self.end_turn(seat)
        elif any(kind(card) == 1 for card in staged):
            self.paused.add(seat)
            assert self.turns[seat] is turn
            self.begin((seat + self.direction) % self.n)
        else:
            self.go_on()

    def take_discard(self, seat: int) -> int:
        card = self.discards.pop()
        self.discarder = None
        self.hands[seat].append(card)
        return card

    def do_first(self, action: int) -> None:
        if action == PASS:
            self.passes += 1
            self.turns[1 - self.seat], self.turns[self.seat] = self.turns[self.seat], None
            self.seat = 1 - self.seat
            if self.passes == 2:
                self.phase = "forced"
            return
        self.took_upcard()

    def took_upcard(self) -> None:
        turn = self.turn
        turn.found = self.take_discard(self.seat)
        turn.taken, turn.drawn, self.phase = face(turn.found), True, "play"

    def do_forced(self, action: int) -> None:
        self.draw_from_stock()

    def draw_from_stock(self) -> None:
        self.take(self.seat, 1)
        self.repeated = False
        self.turn.drawn, self.phase = True, "play"

    def do_draw(self, action: int) -> None:
        if action == TAKE:
            if self.gin:
                self.upcards += 1
                if self.upcards == self.o.upcard_cap:
                    self.take_discard(self.seat)
                    self.end_gin(0)
                    return
            self.took_upcard()
            return
        if self.contract and self.discards and len(self.stock) >= 2:
            order = [(self.seat + k * self.direction) % self.n for k in range(1, self.n)]
            self.buyers = [seat for seat in order if not self.down[seat] and self.buys[seat] and self.may_take(seat)]
            if self.buyers:
                self.drawer, self.seat, self.phase = self.seat, self.buyers.pop(0), "offer"
                return
        self.draw_from_stock()

    def do_offer(self, action: int) -> None:
        if action == TAKE:
            self.take_discard(self.seat)
            self.take(self.seat, 1)
            self.buys[self.seat] -= 1
            self.buyers = []
        if self.buyers:
            self.seat = self.buyers.pop(0)
            return
        self.seat = self.drawer
        self.draw_from_stock()

    def do_wall(self, action: int) -> None:
        if action == PASS:
            self.end_gin(0)
        else:
            self.took_upcard()
            self.begin_knock()

    def begin_knock(self) -> None:
        self.knocker, self.phase = self.seat, "knock_discard"

    def do_play(self, action: int) -> None:
        if action == KNOCK:
            self.begin_knock()
        elif action == MELD:
            if self.contract:
                self.to_lay = CONTRACTS[self.deal_number]
            self.begin_meld("play")
        elif action >= LAY_OFF:
            self.slot, self.back, self.phase = action - LAY_OFF, "play", "layoff"
        else:
            self.discard(action)

    def discard(self, action: int) -> None:
        card, turn = self.remove(action), self.turn
        self.discards.append(card)
        self.discarder = self.seat
        if not self.gin and self.gone_out(self.seat):
            return
        if self.gin:
            again = turn.found is not None and face(turn.found) == face(card)
            if again and self.repeated:
                self.end_gin(0)
                return
            self.repeated = again
        if card >= 54:
            turn.played.append(kind(card))
        self.end_turn(self.seat)

    def begin_meld(self, back: str) -> None:
        self.composition, self.back, self.phase = [], back, "compose"
        self.candidates = self.legal_melds()

    def do_compose(self, action: int) -> None:
        if action in (CLOSE_GROUP, CLOSE_RUN):
            self.close("group" if action == CLOSE_GROUP else "run")
            return
        jokers = sorted(card for card in self.hands[self.seat] if is_joker(card))
        used = sum(map(is_joker, self.composition))
        self.composition.append(jokers[used] if action == JOKER else action)
        if self.to_lay and self.deal_number < 7 and len(self.composition) == (3 if self.to_lay[0] == "G" else 4):
            self.close("group" if self.to_lay[0] == "G" else "run")

    def close(self, what: str) -> None:
        cards, self.composition = self.composition, []
        for card in cards:
            self.hands[self.seat].remove(card)
        self.melds.append(Meld(what, cards))
        self.idle = 0
        if self.back == "play":
            self.turn.melds += 1
            self.note(cards)
            if not self.to_lay[1:] and self.gone_out(self.seat):
                return
        if self.to_lay:
            self.to_lay = self.to_lay[1:]
            if self.to_lay:
                self.begin_meld("play")
                return
            self.down[self.seat] = self.turn.laid_contract = True
        self.phase = self.back

    def note(self, cards: list[int]) -> None:
        self.turn.did_meld = True
        if self.o.meld_effects == "rule3":
            self.turn.played += [kind(card) for card in cards if card >= 54]

    def do_layoff(self, action: int) -> None:
        card = self.remove(action)
        self.melds[self.slot].cards.append(card)
        self.slot = -1
        self.idle = 0
        if self.back == "play":
            self.note([card])
            if self.gone_out(self.seat):
                return
        self.phase = self.back

    def do_knock_discard(self, action: int) -> None:
        card = self.remove(action)
        self.discards.append(card)
        self.discarder = self.seat
        self.phase = "knock_melds"

    def do_knock_melds(self, action: int) -> None:
        if action == MELD:
            self.begin_meld("knock_melds")
            return
        self.seat = 1 - self.seat
        self.phase = "defence_layoffs" if self.points_of(self.knocker) else "defence_melds"

    def do_defence_layoffs(self, action: int) -> None:
        if action == PASS:
            self.phase = "defence_melds"
        else:
            self.slot, self.back, self.phase = action - LAY_OFF, "defence_layoffs", "layoff"

    def do_defence_melds(self, action: int) -> None:
        if action == MELD:
            self.begin_meld("defence_melds")
            return
        own = self.points_of(self.knocker)
        margin = self.points_of(self.seat) - own + (0 if own else self.o.gin_bonus)
        if margin < 0 or (margin == 0 and self.o.undercut_tie and own > 0):
            margin -= self.o.undercut_bonus
        self.end_gin(float(margin))


def valid(what: str, naturals: list[int], jokers: int, rules: slow.Rules) -> bool:
    """Whether the Jokers can stand for cards that make it a meld (RM-17): every run of the right length is looked at."""
    if not naturals:
        return False
    if what == "group":
        ranks = {card // 4 if card < 52 else 13 + (card - 54) // 4 for card in naturals}
        suits = len(set(naturals))
        if len(ranks) > 1 or not 3 <= len(naturals) + jokers <= rules.most_of_group:
            return False
        return not jokers or (naturals[0] < 52 and jokers <= 4 - suits)
    if naturals[-1] >= 52 or len({card % 4 for card in naturals}) > 1 or len(set(naturals)) < len(naturals):
        return False
    length = len(naturals) + jokers
    if not rules.shortest <= length <= 13:
        return False
    suit = naturals[0] % 4
    starts = range(13 - length + 1)
    return any(set(naturals) <= set(slow.faces_of_run(line, first, length, suit)) for line in rules.lines for first in starts)


def least_after_discard(naturals: tuple[int, ...], jokers: int) -> int:
    """The least deadwood after the best discard, all arrangements tried."""
    best = min((slow.least_deadwood(naturals, jokers - 1) for _ in range(min(jokers, 1))), default=10_000)
    melds: dict[int, list[tuple[frozenset[int], int]]] = {}
    for _, cards, used in slow.melds_of(naturals, jokers, slow.LAID[2]):
        melds.setdefault(cards[0], []).append((frozenset(cards), used))
    seen: dict[tuple[frozenset[int], int, tuple[int, ...], bool], int] = {}

    def least(rest: frozenset[int], free: int, cheap: tuple[int, ...], gone: bool) -> int:
        key = (rest, free, cheap, gone)
        if key not in seen:
            seen[key] = work_out(*key)
        return seen[key]

    def work_out(rest: frozenset[int], free: int, cheap: tuple[int, ...], gone: bool) -> int:
        if not rest:
            return slow.hand_points(cheap, free, 1) - slow.hand_points(cheap, 0, 1) if gone else 10_000
        first = min(rest)
        kept = (*cheap, first) if first // 4 in (12, 0, 1) else cheap
        found = slow.card_points(first, 1) + least(rest - {first}, free, kept, gone)
        if not gone:
            found = min(found, least(rest - {first}, free, cheap, True))
        for cards, used in melds.get(first, ()):
            if used <= free and cards <= rest:
                found = min(found, least(rest - cards, free - used, cheap, gone))
        return found

    return min(best, least(frozenset(naturals), jokers, (), False))
