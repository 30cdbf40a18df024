"""Tricks of four players with Jokers and specials once more, slowly, from the clauses ED-nn. Cards are texts.

With the ordinary deck they are ordinary tricks.
"""

from __future__ import annotations

from games.saying import Sayings, jokers_last
from wilddeck import cards

JOKERS = ("SJ", "BJ")
RANKS = "23456789TJQKA"
TRICKS = 13
WIN, LOSE = "win with the Joker", "lose with the Joker"


def suit_of(card: str) -> str:
    return "" if card in JOKERS else card[-1]


def is_special(card: str) -> bool:
    return "-" in card


def kinds(specials: list[str]) -> str:
    """Of each special its kind, D, R or S."""
    return "".join(card[0] for card in specials)


def in_order(ids: list[str]) -> list[int]:
    return jokers_last(cards.parse(card)[0] for card in ids)


class Tricks:
    """The play of the cards of a deal. `turn` is whose turn it is, None in the end; `legal` what they may do, in words.

    Args:
        pile: the top card first.
        trump: a suit, or "" for none.
        dummy: whose hand lies open from the first card on, or from the beginning of their first turn (BR-20).
    """

    def __init__(self, hands: list[list[str]], pile: list[str], leader: int, trump: str, dummy: int, say: Sayings) -> None:
        self.hands, self.pile, self.trump, self.dummy, self.say = hands, pile, trump, dummy, say
        self.won, self.done, self.direction = [0] * 4, 0, 1
        self.is_open = False
        self.left_over = ""  # a special of the last trick, for which nobody was left
        self.lead(leader)

    # --- turns ---

    def lead(self, leader: int) -> None:
        self.leader, self.question = leader, "play"
        self.trick: list[tuple[int, str]] = []
        self.led = ""
        self.claims: dict[str, bool] = {}  # of Jokers, whether they win
        self.staged: list[str] = []
        self.over: set[int] = set()  # whose turn is over
        special, self.left_over = self.left_over, ""
        self.begin_under(special, leader, leader)  # ED-59

    def after(self, seat: int, without: int | None = None) -> int | None:
        """Who is next in the order of play; `seat` comes last."""
        order = [(seat + k * self.direction) % 4 for k in range(1, 5)]
        return next((other for other in order if other not in self.over and other != without), None)

    def begin_under(self, special: str, player: int, affected: int) -> None:
        """ED-36 to ED-38: the turn of `affected` is next, and `player` has played a special, or none."""
        following: int | None = affected
        if special and kinds([special]) == "R":
            self.turn_round()
            following = self.after(player, without=affected)
        self.begin(affected if following is None else following, kinds([special]) if special else "")

    def begin(self, seat: int, under: str = "") -> None:
        """ED-57, ED-58."""
        self.turn = seat
        if under == "D":
            self.draw(2)
        if under == "S":
            self.say("skipped", seat)
            self.end_turn()
        elif seat == self.dummy:
            self.is_open = True
            self.suffer(self.redeal_open())

    def end_turn(self, played: str = "") -> None:
        """ED-50, with a special that was played, if it was one."""
        player = self.turn
        assert player is not None
        self.over.add(player)
        self.turn = self.after(player)
        if self.turn is None:
            self.left_over = played
        else:
            self.begin_under(played, player, self.turn)

    def turn_round(self) -> None:
        self.direction = -self.direction
        self.say("direction", amount=self.direction)

    def suffer(self, redealt: list[str]) -> None:
        """ED-26, ED-27, ED-51, ED-52: what was redealt falls on the player in turn."""
        if kinds(redealt).count("R") % 2:
            self.turn_round()
        if "S" in kinds(redealt):
            self.say("skipped", self.turn)
            self.end_turn()
        elif "R" in kinds(redealt):
            self.say("pause", self.turn)
            self.begin(self.after(self.turn))

    # --- cards from the pile ---

    def take(self, count: int) -> list[str]:
        taken, self.pile = self.pile[:count], self.pile[count:]
        self.hands[self.turn] += taken
        return taken

    def draw(self, count: int) -> None:
        if taken := self.take(count):
            self.say("draw", self.turn, cards=in_order(taken))

    def put_aside(self, specials: list[str]) -> None:
        self.say("redeal", self.turn, cards=in_order(specials))
        for card in specials:
            self.hands[self.turn].remove(card)

    def redeal_staged(self) -> list[str]:
        """ED-24."""
        specials, self.staged = self.staged, []
        self.put_aside(specials)
        self.draw(len(specials))
        self.draw(kinds(specials).count("D"))
        return specials

    def redeal_open(self) -> list[str]:
        """ED-31 to ED-33."""
        batch, redealt = [card for card in self.hands[self.turn] if is_special(card)], []
        batch.sort(key=lambda card: cards.parse(card)[0])
        while batch and self.pile:
            batch = batch[: len(self.pile)]
            self.put_aside(batch)
            redealt += batch
            taken = self.take(len(batch) + kinds(batch).count("D"))
            for card in taken:
                self.say("draw", self.turn, cards=[card])
            batch = [card for card in taken if is_special(card)]
        return redealt

    # --- what is done ---

    def legal(self) -> set[str]:
        if self.question == "settle":
            return {WIN, LOSE}
        if self.question == "declare":
            return {f"declare {rank}{suit}" for rank in RANKS for suit in "cdhs"}
        hand, reveals = self.hands[self.turn], self.reveals()
        if self.staged:  # ED-21
            return reveals | {"redeal"}
        same = [card for card in hand if self.led and suit_of(card) == self.led]
        return reveals | {f"play {card}" for card in hand if not same or card in same or card in JOKERS}  # ED-68

    def reveals(self) -> set[str]:
        """ED-22."""
        if self.turn == self.dummy or len(self.staged) >= len(self.pile):
            return set()
        return {f"reveal {card}" for card in self.hands[self.turn] if is_special(card) and card not in self.staged}

    def act(self, label: str) -> None:
        verb, _, card = label.partition(" ")
        was_open = self.is_open
        if verb == "play":
            self.play(card)
        elif verb == "declare":
            self.say("declare", self.turn, cards=[card])
            self.led, self.question = suit_of(card), "play"
            self.end_turn()
        elif verb == "reveal":
            self.staged.append(card)
            self.say("reveal", self.turn, cards=[card])
        elif label in (WIN, LOSE):
            self.claim(self.unsettled()[0], label == WIN)
            self.turn, self.question = None, "play"
        if label == "redeal" or (self.staged and not self.reveals()):  # ED-23
            self.suffer(self.redeal_staged())
        if self.is_open and not was_open:
            self.say("turn_up", self.dummy, cards=in_order(self.hands[self.dummy]))
        while self.turn is None and self.done < TRICKS:
            self.settle()

    def play(self, card: str) -> None:
        self.hands[self.turn].remove(card)
        self.say("play", self.turn, cards=[card])
        self.trick.append((self.turn, card))
        self.is_open = self.dummy is not None
        if len(self.trick) == 1:
            if card in JOKERS:  # ED-70
                self.question = "declare"
                return
            self.led = suit_of(card)
        self.end_turn(card if is_special(card) else "")

    # --- the end of a trick ---

    def unsettled(self) -> list[str]:
        return [card for _, card in self.trick if card in JOKERS and card not in self.claims]

    def claim(self, joker: str, wins: bool) -> None:
        self.claims[joker] = wins
        self.say("claim", self.player_of(joker), amount=1 if wins else 2)

    def player_of(self, card: str) -> int:
        return next(seat for seat, played in self.trick if played == card)

    def outcomes(self) -> tuple[bool, bool]:
        """ED-73: whether the first Joker that is not settled may win, and whether it may lose."""
        played = [card for _, card in self.trick]
        has_won = any(self.claims.values())
        can_win = not has_won and "A" + (self.trump or self.led) not in played
        rivals = any(suit_of(card) in (self.led, self.trump) for card in played if card not in JOKERS)
        return can_win, has_won or rivals or (can_win and len(self.unsettled()) > 1)

    def settle(self) -> None:
        """ED-72, ED-74: a Joker, with its player if both are possible; or the trick is over."""
        if not self.unsettled():
            self.end_trick()
            return
        joker, (can_win, can_lose) = self.unsettled()[0], self.outcomes()
        if can_win and can_lose:
            self.turn, self.question = self.player_of(joker), "settle"
        else:
            self.claim(joker, can_win)

    def winner(self) -> int | None:
        """ED-75, ED-76."""
        if any(self.claims.values()):
            return self.player_of(next(card for card, wins in self.claims.items() if wins))
        for suit in (self.trump, self.led):
            if there := [card for _, card in self.trick if suit and suit_of(card) == suit]:
                ranked = [card for card in there if not is_special(card)]
                if ranked:
                    return self.player_of(max(ranked, key=lambda card: RANKS.index(card[0])))
                return self.player_of(there[0]) if len(there) == 1 else None
        return None

    def end_trick(self) -> None:
        """ED-77."""
        winner, leader = self.winner(), self.leader
        if self.trick:
            self.say("set_aside" if winner is None else "trick_won", winner, cards=[card for _, card in self.trick])
            leader = self.trick[0][0]
        if winner is not None:
            self.won[winner] += 1
            leader = winner
        self.done += 1
        if self.done < TRICKS:
            self.lead(leader)
