"""Rummy once more, slowly: what is legal, and what actions do, on the course of rummy_course_reference.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from games import rummy_melds_reference as slow
from games.rummy_course_reference import JOKER, Course, Meld, face, is_joker, kind
from games.saying import jokers_last

DRAW_STOCK, TAKE, PASS, KNOCK, MELD, CLOSE_GROUP, CLOSE_RUN, LAY_OFF, REVEAL, COMMIT = 66, 67, 68, 69, 70, 71, 72, 73, 97, 109
CONTRACTS = ["", "GG", "GR", "RR", "GGG", "GGR", "GRR", "RRR"]


class Table(Course):
    """An episode that is played action by action."""

    def __init__(self, options: Any, decks: list[list[int]]) -> None:
        super().__init__(options, decks)
        self.settle()

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
        actions = self.reveals()
        if self.stock or self.may_recycle():
            actions.append(DRAW_STOCK)
        if self.may_take(self.seat):
            actions.append(TAKE)
        return actions

    def legal_wall(self) -> list[int]:
        actions = [PASS]
        if self.may_take(self.seat) and self.can_knock([*self.hands[self.seat], self.discards[-1]]):
            actions.append(KNOCK)
        return actions

    def legal_offer(self) -> list[int]:
        return [TAKE, PASS]

    def legal_play(self) -> list[int]:
        seat, turn, hand = self.seat, self.turn, self.hands[self.seat]
        actions = self.reveals()
        count = sum(face(card) == turn.taken for card in hand)
        barred = {turn.taken} if not self.gin and count == 1 and len(hand) > 1 else set()
        actions += self.faces(seat) - barred
        if self.gin:
            if self.can_knock(hand):
                actions.append(KNOCK)
            return actions
        if self.contract:
            if not self.down[seat] and self.contract_possible():
                actions.append(MELD)
            if not self.down[seat] or turn.laid_contract:
                return actions
        elif (self.o.melds_per_turn == 0 or turn.melds < self.o.melds_per_turn) and self.any_meld():
            actions.append(MELD)
        return actions + self.slots()

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
        return slow.valid(meld.kind, sorted(naturals), jokers, self.table_rules)

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
        return slow.least_after_discard(naturals, len(cards) - len(naturals)) <= self.knock_card

    def legal_knock_discard(self) -> list[int]:
        cards, joker = slow.knock_discards(*self.split(self.seat), self.knock_card)
        return [*cards, *[JOKER] * joker]

    def legal_knock_melds(self) -> list[int]:
        actions = [PASS] if self.points_of(self.seat) <= self.knock_card else []
        return actions + [MELD] * bool(self.legal_melds())

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
        actions = set()
        for meld in self.candidates:
            cards = slow.spelled(meld)
            if cards[: len(so_far)] != so_far:
                continue
            if len(cards) == len(so_far):
                actions.add(CLOSE_GROUP if meld[0] == "group" else CLOSE_RUN)
            else:
                actions.add(JOKER if cards[len(so_far)] == 66 else cards[len(so_far)])
        return sorted(actions)

    # --- steps ---

    def act(self, action: int, shuffled: Callable[[list[int]], list[int]]) -> None:
        self.shuffled = shuffled
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
        if action == PASS:
            self.say("pass", self.seat)
        if action == COMMIT:
            self.commit()
        elif REVEAL <= action < COMMIT:
            self.staged.append(54 + action - REVEAL)
            self.say("reveal", self.seat, self.staged[-1])
        else:
            getattr(self, "do_" + self.phase)(action)

    def remove(self, card: int) -> int:
        """A card of this face leaves the hand; of Jokers the lower."""
        hand = self.hands[self.seat]
        copy = min(other for other in hand if face(other) == card)
        hand.remove(copy)
        return copy

    def commit(self) -> None:
        staged, self.staged = self.staged, []
        seat, turn = self.seat, self.turn
        for card in sorted(staged):
            self.say("redeal", seat, card)
            self.hands[seat].remove(card)
            self.aside.append(card)
        self.take(seat, len(staged))
        self.take(seat, sum(kind(card) == 0 for card in staged))
        if sum(kind(card) == 1 for card in staged) % 2:
            self.turn_round()
        if any(kind(card) == 2 for card in staged):
            self.repeated = False
            self.say("skipped", seat)
            self.end_turn(seat)
        elif any(kind(card) == 1 for card in staged):
            self.say("pause", seat)
            self.paused.add(seat)
            assert self.turns[seat] is turn
            self.begin((seat + self.direction) % self.n)
        else:
            self.go_on()

    def take_discard(self, seat: int) -> int:
        card = self.discards.pop()
        self.say("collect", seat, card)
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
        turn.taken_card = self.take_discard(self.seat)
        turn.taken, turn.drawn, self.phase = face(turn.taken_card), True, "play"

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
                    self.end_in_a_draw()
                    return
            self.took_upcard()
            return
        if self.contract and self.discards and len(self.stock) >= 2:
            self.say("choose", self.seat, 0)
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
            self.end_in_a_draw()
        else:
            self.took_upcard()
            self.begin_knock()

    def end_in_a_draw(self) -> None:
        self.say("round", None, 1)
        self.end_gin(0)

    def begin_knock(self) -> None:
        self.say("knock", self.seat)
        self.knocker, self.phase = self.seat, "knock_discard"

    def do_play(self, action: int) -> None:
        if action == KNOCK:
            self.begin_knock()
        elif action == MELD:
            if self.contract:
                self.to_lay = CONTRACTS[self.deal_number]
            self.begin_meld("play")
        elif action >= LAY_OFF:
            self.choose_meld(action - LAY_OFF, "play")
        else:
            self.discard(action)

    def discard(self, action: int) -> None:
        card, turn = self.remove(action), self.turn
        self.say("discard", self.seat, card)
        self.discards.append(card)
        self.discarder = self.seat
        if not self.gin and self.gone_out(self.seat):
            return
        if self.gin:
            again = turn.taken_card is not None and face(turn.taken_card) == face(card)
            if again and self.repeated:
                self.end_in_a_draw()
                return
            self.repeated = again
        if card >= 54:
            turn.played.append(kind(card))
        self.end_turn(self.seat)

    def choose_meld(self, slot: int, back: str) -> None:
        self.saying("declare", self.seat, cards=jokers_last(self.melds[slot].cards), amount=slot)
        self.slot, self.back, self.phase = slot, back, "layoff"

    def begin_meld(self, back: str) -> None:
        self.say("choose", self.seat, 1)
        self.compose(back)

    def compose(self, back: str) -> None:
        self.composition, self.back, self.phase = [], back, "compose"
        self.candidates = self.legal_melds()

    def do_compose(self, action: int) -> None:
        if action in (CLOSE_GROUP, CLOSE_RUN):
            self.close("group" if action == CLOSE_GROUP else "run")
            return
        jokers = sorted(card for card in self.hands[self.seat] if is_joker(card))
        used = sum(map(is_joker, self.composition))
        self.composition.append(jokers[used] if action == JOKER else action)
        self.say("select", self.seat, self.composition[-1])
        if self.to_lay and self.deal_number < 7 and len(self.composition) == (3 if self.to_lay[0] == "G" else 4):
            self.close("group" if self.to_lay[0] == "G" else "run")

    def close(self, form: str) -> None:
        cards, self.composition = self.composition, []
        self.say("meld", self.seat, int(form == "run"))
        for card in cards:
            self.hands[self.seat].remove(card)
        self.melds.append(Meld(form, cards))
        self.idle = 0
        if self.back == "play":
            self.turn.melds += 1
            self.note(cards)
            if not self.to_lay[1:] and self.gone_out(self.seat):
                return
        if self.to_lay:
            self.to_lay = self.to_lay[1:]
            if self.to_lay:
                self.compose("play")
                return
            self.down[self.seat] = self.turn.laid_contract = True
        self.phase = self.back

    def note(self, cards: list[int]) -> None:
        self.turn.did_meld = True
        if self.o.meld_effects == "rule3":
            self.turn.played += [kind(card) for card in cards if card >= 54]

    def do_layoff(self, action: int) -> None:
        card = self.remove(action)
        self.say("lay_off", self.seat, card)
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
        self.say("discard", self.seat, card)
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
            self.choose_meld(action - LAY_OFF, "defence_layoffs")

    def do_defence_melds(self, action: int) -> None:
        if action == MELD:
            self.begin_meld("defence_melds")
            return
        own = self.points_of(self.knocker)
        self.say("score", self.knocker, own)
        self.say("score", self.seat, self.points_of(self.seat))
        margin = self.points_of(self.seat) - own + (0 if own else self.o.gin_bonus)
        if margin < 0 or (margin == 0 and self.o.undercut_tie and own > 0):
            margin -= self.o.undercut_bonus
        self.end_gin(float(margin))
