"""Egyptian Ratscrew once more, slowly, from the clauses, on the reference of Beggar My Neighbor, which hands over to it when a
card lies on the stack."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from games import beggar_my_neighbor_reference as beggar

SLAP, WAIT = 80, 81
ORDER = "A23456789TJQKA"
RULES = ("doubles", "sandwich", "tens", "tens_sandwich", "top_bottom", "marriage", "runs", "joker_slap")


class Table(beggar.Table):
    """As that of Beggar My Neighbor. Where a player is asked to slap, `asked` is (None, "slap") and `candidates` are the
    players of whom one is drawn; `drawn` says which."""

    def __init__(self, options: Any, deck: list[int]) -> None:
        super().__init__(SimpleNamespace(**vars(options), auto="decisions", cycle_check=False), deck)

    def begin(self, last: int | None) -> None:
        self.burned: list[str] = []  # first burned first
        self.muted: set[int] = set()
        self.banned: set[int] = set()
        self.had: list[int] = []  # who was asked in this window
        self.wrong: set[int] = set()
        self.own, self.candidates = False, []
        super().begin(last)

    # --- the window ---

    def follow(self) -> Any:
        """A card lies on the stack, a Joker declared."""
        self.own = self.asked_before == "declare" and self.options.joker_first
        self.asked_before = ""  # cards that follow in the same step are no Jokers declared just now
        patterns = self.patterns_shown()
        opens = {"all": True, "patterns": bool(patterns), "valid": self.is_right()}[self.options.ask]
        return self.ask if opens else super().follow()

    def ask(self) -> Any:
        left = [seat for seat in range(self.n) if self.may_slap(seat) and seat not in self.had]
        if not left:
            self.close()
            return super().follow()
        self.candidates = [self.turn] if self.own and self.turn in left else left
        self.asked = (None, "slap")
        return None

    def may_slap(self, seat: int) -> bool:
        return seat not in self.muted and seat not in self.banned and (self.options.slap_in or bool(self.packs[seat]))

    def drawn(self, seat: int) -> None:
        if self.asked and self.asked[1] == "slap" and self.asked[0] is None:
            assert seat in self.candidates
            self.asked, self.own = (seat, "slap"), False
            self.had.append(seat)
            self.say("turn", seat)

    def close(self) -> None:
        self.had, self.wrong = [], set()

    def slap(self, seat: int) -> Any:
        if self.is_right():
            self.close()
            self.owner = seat
            self.take()
            self.waiting = []
            self.draws, self.skips = [0] * self.n, [0] * self.n
            return None if self.ended() else self.begin_turn(seat)
        self.wrong.add(seat)
        if not self.packs[seat]:
            {"out": self.banned, "mute": self.muted, "none": set()}[self.options.empty_wrong].add(seat)
            if self.options.empty_wrong != "none":
                self.say("out", seat, amount=int(self.options.empty_wrong == "out"))
        for _ in range(self.options.burn):
            if self.packs[seat]:
                self.burned.append(self.packs[seat].pop(0))
                self.say("discard", seat, cards=self.burned[-1:])
        return self.ask

    def take(self) -> None:
        under, self.burned, self.muted = self.burned[::-1], [], set()
        super().take(under)

    # --- what may be slapped ---

    def patterns_shown(self) -> set[str]:
        ranks = [self.rank(card) for card in self.stack]
        patterns = set()
        above, under, third = ([*reversed(ranks), "", ""])[:3]
        if above and above == under:
            patterns.add("doubles")
        if above and above == third:
            patterns.add("sandwich")
        if self.worth(above) + self.worth(under) == 10:
            patterns.add("tens")
        if self.worth(above) + self.worth(third) == 10:
            patterns.add("tens_sandwich")
        if above and len(ranks) > 1 and above == ranks[0]:
            patterns.add("top_bottom")
        if {above, under} == {"K", "Q"}:
            patterns.add("marriage")
        length = self.options.runs or 3
        last = "".join(rank if len(rank) == 1 else "?" for rank in ranks[-length:])
        if len(last) == length and (last in ORDER or last in ORDER[::-1]):
            patterns.add("runs")
        if self.stack[-1] in ("SJ", "BJ"):
            patterns.add("joker_slap")
        return patterns

    @staticmethod
    def worth(rank: str) -> int:
        return int(rank.replace("A", "1")) if rank and rank in "A23456789" else 100

    def right_patterns(self) -> set[str]:
        return {name for name in self.patterns_shown() if getattr(self.options, name)}

    def is_right(self) -> bool:
        return bool(self.right_patterns())

    # --- steps ---

    def go_on(self, following: Any) -> None:
        self.asked_before = self.asked[1] if getattr(self, "asked", None) else ""
        super().go_on(following)

    def actions(self) -> list[int]:
        return [SLAP, WAIT] if self.asked[1] == "slap" else super().actions()

    def step(self, action: int) -> None:
        seat, question = self.asked
        if question != "slap":
            super().step(action)
        elif action == SLAP:
            self.say("slap", seat, amount=sum(1 << RULES.index(name) for name in self.right_patterns()))
            self.go_on(lambda: self.slap(seat))
        else:
            self.say("pass", seat)
            self.go_on(self.ask)
