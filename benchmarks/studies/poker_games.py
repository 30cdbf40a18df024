"""Hands of poker_v0 compared with PokerKit, move by move: the player to act, legal actions, smallest and largest raise, cards,
chips, payoffs; hands of hold'em compared with OpenSpiel's universal_poker.

python -m wilddeck.benchmarks.studies.poker_games [--hands 10000] [--variants texas_holdem omaha] [--seed 1]

Where PokerKit's rules differ (docs/rules/poker.md), the hand continues with actions that both allow, and is counted.
"""

from __future__ import annotations

import functools
import random
import sys
from collections import Counter
from typing import Any, Protocol

from ... import envs
from ...cli.arguments import Parser, integer, whole
from ...envs.core.cards import STANDARD, TEXT

FOLD, CALL, ALL_IN, MARK, DRAW = 0, 1, 9, 23, 32  # actions of poker_v0
VARIANTS = ("texas_holdem", "omaha", "five_card_draw", "five_card_stud", "seven_card_stud")  # PokerKit has no chicago
STUDS = ("five_card_stud", "seven_card_stud")
MOST_PLAYERS = {"seven_card_stud": 6, "five_card_draw": 6, "five_card_stud": 8}  # so that 52 cards suffice


class Table(Protocol):
    """One of our hands, for comparison. `turn` is None when it is over; `raises` has the raise of each action."""

    turn: int | None
    phase: str
    stack: list[int]
    bet: list[int]
    down: list[list[int]]
    up: list[list[int]]
    community: list[int]

    def legal(self) -> list[int]: ...
    def raises_to(self) -> dict[int, int]: ...
    def bounds(self) -> tuple[int, int]: ...
    def act(self, action: int) -> None: ...


def drawn_options(variant: str, draw: random.Random) -> dict[str, Any]:
    """Options of poker_v0 that PokerKit also supports: short and deep stacks, all betting structures, antes. (With two equal
    blinds, PokerKit lets the wrong one of two players open.)"""
    n = draw.randint(2, MOST_PLAYERS.get(variant, 9))
    betting = draw.choice(["no_limit", "pot_limit", "limit"])
    blind = draw.choice([2, 2, 5, 10])
    options: dict[str, Any] = {"variant": variant, "betting": betting, "num_players": n, "deck": "standard", "button": n - 1}
    if variant in STUDS:
        options |= {"ante": draw.choice([0, 1, 1, 3]), "bring_in": draw.randint(1, blind - 1), "small_bet": blind}
        options["big_bet"] = blind * draw.choice([1, 2])
    else:
        options |= {"small_blind": draw.randint(1, blind - 1), "big_blind": blind, "ante": draw.choice([0, 0, 1])}
    if betting == "limit":
        options["raise_cap"] = tuple(draw.randint(1, 5) for _ in range(5))
    deep = draw.choice([3, 20, 100])
    stacks = [draw.randint(1, deep * blind) for _ in range(n)]
    for seat in draw.sample(range(n), 2):
        stacks[seat] += blind + 5
    options |= {"stack": tuple(stacks), "min_raise_action": draw.random() < 0.8}
    return options


def begin(options: dict[str, Any]) -> Any:
    """PokerKit's hand with these options; it gets its cards one by one."""
    from pokerkit import Automation, BettingStructure, Deck, OmahaHoldemHand, Opening, StandardHighHand, State, Street

    variant, stud = options["variant"], options["variant"] in STUDS
    limit = options["betting"] == "limit"
    small = options["small_bet"] if stud else options["big_blind"]
    big = (options["big_bet"] if stud else 2 * small) if limit else small
    high, low, position = Opening.HIGH_HAND, Opening.LOW_CARD, Opening.POSITION
    plans: dict[str, list[tuple[Any, int, bool, Any]]] = {  # cards in hand (face up or not), on the board, draw, opening
        "texas_holdem": [((False,) * 2, 0, False, position), *(((), k, False, position) for k in (3, 1, 1))],
        "omaha": [((False,) * 4, 0, False, position), *(((), k, False, position) for k in (3, 1, 1))],
        "five_card_draw": [((False,) * 5, 0, False, position), ((), 0, True, position)],
        "five_card_stud": [((False, True), 0, False, low), *(((True,), 0, False, high),) * 3],
        "seven_card_stud": [
            ((False, False, True), 0, False, low),
            *(((True,), 0, False, high),) * 3,
            ((False,), 0, False, high),
        ],
    }
    changes = 1 if variant == "five_card_draw" else 2
    streets = tuple(
        Street(k > 0, hole, board, draws, opening, small if k < changes else big, options["raise_cap"][k] if limit else None)
        for k, (hole, board, draws, opening) in enumerate(plans[variant])
    )
    left = (Automation.CARD_BURNING, Automation.HOLE_DEALING, Automation.BOARD_DEALING)
    structure = {
        "no_limit": BettingStructure.NO_LIMIT,
        "pot_limit": BettingStructure.POT_LIMIT,
        "limit": BettingStructure.FIXED_LIMIT,
    }
    return State(
        tuple(automation for automation in Automation if automation not in left),
        Deck.STANDARD,
        (OmahaHoldemHand if variant == "omaha" else StandardHighHand,),
        streets,
        structure[options["betting"]],
        True,
        options["ante"],
        0 if stud else (options["small_blind"], options["big_blind"]),
        options["bring_in"] if stud else 0,
        options["stack"],
        options["num_players"],
    )


class Hand:
    """Play one hand in both. Raises AssertionError with the first difference; `seen` counts events."""

    def __init__(self, table: Table, options: dict[str, Any], deck: list[int], seen: Counter[str]) -> None:
        self.table, self.options, self.seen = table, options, seen
        self.theirs = begin(options)
        self.deck = [TEXT[card] for card in deck]
        self.unlike = ""  # the reason why raises on this street may differ
        self.marked: list[int] = []  # cards to exchange
        self.deal()

    def deal(self) -> None:
        """Give PokerKit the cards that it waits for, in its order; and take the actions that only it has."""
        state, table = self.theirs, self.table
        while state.status:
            if state.can_burn_card():
                state.burn_card(self.deck.pop(0))
            elif state.hole_dealee_index is not None:
                state.deal_hole(self.deck.pop(0))
            elif state.can_deal_board():
                state.deal_board(self.deck.pop(0))
            elif table.turn != state.actor_index and state.can_post_bring_in():
                state.post_bring_in()  # all-in
            elif (table.turn is None or table.phase == "draw") and state.actor_index is not None and self.alone():
                state.check_or_call()  # PK-05
                self.seen["asked alone"] += 1
            else:
                return

    def alone(self) -> bool:
        """Whether PokerKit asks the last player with chips, although they have nothing to call."""
        state = self.theirs
        able = [seat for seat, live in enumerate(state.statuses) if live and state.stacks[seat]]
        return able == [state.actor_index] and not state.checking_or_calling_amount

    def compare(self) -> None:
        state, table = self.theirs, self.table
        seat = table.turn
        assert seat is not None
        theirs = state.stand_patter_or_discarder_index if table.phase == "draw" else state.actor_index
        assert seat == theirs, (
            f"turn of {seat}, theirs {theirs}; stacks {table.stack}, bets {table.bet}, theirs {state.stacks} {state.bets}"
        )
        for other in range(self.options["num_players"]):
            if state.statuses[other] and table.phase == "betting":  # PokerKit deals only after the last exchange
                hole = [(TEXT.index(repr(card)), up) for card, up in zip(*self.hole(other), strict=True)]
                assert sorted(card for card, up in hole if up) == sorted(table.up[other])
                assert sorted(card for card, up in hole if not up) == sorted(table.down[other])
        assert [TEXT.index(repr(card)) for cards in state.board_cards for card in cards] == table.community
        if table.phase == "draw":
            assert state.stacks == table.stack
            return
        posts = state.can_post_bring_in()
        chips = [stack + bet for stack, bet in zip(table.stack, table.bet, strict=True)]
        assert [stack + bet for stack, bet in zip(state.stacks, state.bets, strict=True)] == chips
        if not posts:
            assert state.bets == table.bet
            assert (FOLD in table.legal()) == (state.checking_or_calling_amount > 0)
            assert state.checking_or_calling_amount == min(table.stack[seat], max(table.bet) - table.bet[seat])
        least, most = table.bounds()
        if least:  # unlike us, PokerKit has no minimum raise above what others can match, and in limit no raise at all
            matched = state.get_effective_stack(seat) + state.bets[seat]
            self.seen["smallest raise above what others can match"] += least > matched
            least = min(least, matched)
            most = least if self.options["betting"] == "limit" else most
        theirs = (0, 0)
        if state.can_complete_bet_or_raise_to():
            theirs = (state.min_completion_betting_or_raising_to_amount, state.max_completion_betting_or_raising_to_amount)
            if posts and self.options["betting"] == "pot_limit":
                theirs = (theirs[0], most)  # in ours they have posted, so the pot is larger
        if self.unlike and (least, most) != theirs:
            self.seen[self.unlike] += 1
        else:
            assert (least, most) == theirs, f"raise {least, most}, theirs {theirs}"

    def hole(self, seat: int) -> tuple[Any, Any]:
        return self.theirs.hole_cards[seat], self.theirs.hole_card_statuses[seat]

    def act(self, action: int) -> None:
        state, table = self.theirs, self.table
        seat = table.turn
        assert seat is not None
        if table.phase == "draw":
            self.exchange(action)
            return
        amount = table.raises_to().get(action, 0)
        if amount:
            top = table.bet[seat] + table.stack[seat]
            if amount == top and amount <= table.bounds()[0]:  # perhaps a full one; the bounds do not show it
                self.unlike = "raises after an all-in that is short"
            elif state.completion_status and amount > self.options["small_bet"]:
                self.unlike = "raises after a large completion"  # PokerKit raises by the full amount, not from the bring-in
            self.seen["all-in" if amount == top else "raise"] += 1
        street = state.street_index
        table.act(action)
        if action == FOLD:
            state.fold()
        elif action == CALL:
            state.post_bring_in() if state.can_post_bring_in() else state.check_or_call()
        else:
            state.complete_bet_or_raise_to(amount)
        self.deal()
        if state.street_index != street:
            self.unlike = ""

    def exchange(self, action: int) -> None:
        """Mark a card, or exchange; PokerKit gets the cards once all are marked."""
        table, state = self.table, self.theirs
        seat = table.turn
        assert seat is not None
        before = sorted(table.down[seat])
        if action < DRAW:
            self.marked.append(before[action - MARK])
        table.act(action)
        if table.phase != "draw" or table.turn != seat:
            state.stand_pat_or_discard("".join(TEXT[card] for card in self.marked))
            self.seen["exchanged"] += len(self.marked)
            self.marked = []
            if state.stand_patter_or_discarder_index is None:
                self.unlike = ""
            self.deal()

    def end(self) -> None:
        state, table = self.theirs, self.table
        assert not state.status, f"over, but theirs waits for {state.actor_index}"
        pushed = [operation.amounts for operation in state.operations if type(operation).__name__ == "ChipsPushing"]
        shared = any(sum(amount > 0 for amount in amounts) > 1 for amounts in pushed)
        self.seen["shared pots"] += shared
        if state.stacks != table.stack:
            assert shared, f"chips {table.stack}, theirs {state.stacks}"
            odd = max(abs(one - other) for one, other in zip(state.stacks, table.stack, strict=True))
            assert odd < 2 * self.options["num_players"], f"chips {table.stack}, theirs {state.stacks}"
            self.seen["odd chips"] += 1


def play(table: Table, options: dict[str, Any], deck: list[int], draw: random.Random, seen: Counter[str]) -> None:
    """Play a random hand."""
    hand = Hand(table, options, deck, seen)
    bold, timid = draw.random(), draw.random() * 0.3
    while table.turn is not None:
        hand.compare()
        legal = table.legal()
        raises = [action for action in legal if table.phase == "betting" and CALL < action <= ALL_IN]
        if raises:  # only actions that both allow
            amounts = table.raises_to()
            raises = [action for action in raises if hand.theirs.can_complete_bet_or_raise_to(amounts[action])]
            legal = [action for action in legal if action in raises or action <= CALL or action > ALL_IN]
        if raises and draw.random() < bold:
            action = draw.choice(raises)
        elif FOLD in legal and table.phase == "betting" and draw.random() > timid:
            action = CALL
        else:
            action = draw.choice(legal)
        seen["decisions"] += 1
        hand.act(action)
    hand.end()
    seen["hands"] += 1


class Ours:
    """A hand of poker_v0 as a `Table`."""

    def __init__(self, options: dict[str, Any], deck: list[int]) -> None:
        self._env = envs.raw_env("poker_v0", **options)
        self._env.reset(seed=0, options={"deck": deck})
        self._n, self._unit = options["num_players"], max(options["stack"])
        self._look()

    def _look(self) -> None:
        env, record, zones = self._env, self._env.record[0], self._env.zones()
        self._legal = env.legal_actions()
        self.turn = env.current_player if self._legal else None
        self.phase = ("betting", "draw")[record["phase"]]
        self.stack, self.bet = record["chips"][: self._n].tolist(), record["bet"][: self._n].tolist()
        self.down, self.up = ([zones.get(f"{name}/{seat}", []) for seat in range(self._n)] for name in ("hand", "up"))
        self.community = zones.get("community", [])

    def legal(self) -> list[int]:
        return self._legal

    def raises_to(self) -> dict[int, int]:
        return {action: int(self._env.action_parts(action).amounts[0]) for action in self._legal if CALL < action <= ALL_IN}

    def bounds(self) -> tuple[int, int]:
        """By the observation."""
        numbers = self._env.observe(self._env.agent_selection)["observation"][self._env.observation_layout["numbers"]]
        return round(float(numbers[2]) * self._unit), round(float(numbers[3]) * self._unit)

    def act(self, action: int) -> None:
        self._env.step(action)
        self._look()


def random_deck(draw: random.Random) -> list[int]:
    return draw.sample(range(STANDARD), STANDARD)


def beside_pokerkit(variant: str, hands: int, seed: int = 1, first: int = 0) -> Counter[str]:
    """Play random hands of a variant, from the first of these numbers on. Raises AssertionError at a difference."""
    seen: Counter[str] = Counter()
    for number in range(first, first + hands):
        draw = random.Random(f"{variant} {seed} {number}")
        options, deck = drawn_options(variant, draw), random_deck(draw)
        try:
            play(Ours(options, deck), options, deck, draw, seen)
        except AssertionError as error:
            raise AssertionError(f"{variant}, hand {number} of seed {seed}: {error}; {options}") from error
    return seen


# --- OpenSpiel ---

_POT_RAISE = 3  # our action for the only one of raise_sizes; theirs is 2
_STACKS, _LIMIT_CAPS = (20, 50, 200), (3, 4, 4, 4)


def universal_poker(n: int, stack: int, limit: bool) -> Any:
    """OpenSpiel's hold'em with blinds 1 and 2; player i is our seat i, the last one the button."""
    import pyspiel

    blinds = [2, 1] if n == 2 else [1, 2, *[0] * (n - 2)]
    settings = {
        "betting": "limit" if limit else "nolimit",
        "numPlayers": n,
        "numRounds": 4,
        "blind": _words(blinds),
        "firstPlayer": _words([2 if n == 2 else 3, 1, 1, 1]),
        "numSuits": 4,
        "numRanks": 13,
        "numHoleCards": 2,
        "numBoardCards": "0 3 1 1",
        "stack": _words([stack] * n),
    }
    settings |= {"raiseSize": "2 2 4 4", "maxRaises": _words(_LIMIT_CAPS)} if limit else {"bettingAbstraction": "fcpa"}
    return pyspiel.load_game("universal_poker", settings)


def _words(numbers: Any) -> str:
    return " ".join(map(str, numbers))


def beside_openspiel(hands: int, seed: int = 1, first: int = 0) -> Counter[str]:
    """Compare hold'em with equal stacks, no-limit (pot raises and all-in) and limit: turns, legal actions, payoffs."""
    seen: Counter[str] = Counter()
    for number in range(first, first + hands):
        draw = random.Random(f"openspiel {seed} {number}")
        limit = draw.random() < 0.5
        n = draw.randint(2, 4 if limit else 6)  # in limit it reads at most four stacks, and raises beyond them
        stack = _STACKS[-1] if limit else draw.choice(_STACKS)
        options = {
            "num_players": n,
            "deck": "standard",
            "button": n - 1,
            "burn": False,
            "stack": (stack,) * n,
            "betting": "limit" if limit else "no_limit",
            "raise_cap": _LIMIT_CAPS,
            "raise_sizes": (1,),
            "min_raise_action": False,
        }
        try:
            _play_openspiel(options, universal_poker(n, stack, limit).new_initial_state(), draw, seen)
        except AssertionError as error:
            raise AssertionError(f"hold'em against OpenSpiel, hand {number} of seed {seed}: {error}; {options}") from error
    return seen


def _play_openspiel(options: dict[str, Any], state: Any, draw: random.Random, seen: Counter[str]) -> None:
    deck = random_deck(draw)
    table, n = Ours(options, deck), options["num_players"]
    dealt = [deck[seat + n * k] for seat in range(n) for k in range(2)] + deck[2 * n :]
    limit = options["betting"] == "limit"

    def deal() -> None:
        while state.is_chance_node():
            state.apply_action(dealt.pop(0))

    deal()
    while table.turn is not None:
        assert table.turn == state.current_player(), f"turn of {table.turn}, theirs {state.current_player()}"
        theirs = dict(zip(table.legal(), (_theirs(action, limit, state) for action in table.legal()), strict=True))
        assert sorted(theirs.values()) == sorted(state.legal_actions()), f"{theirs}, theirs {state.legal_actions()}"
        action = draw.choice([choice for choice in theirs if choice != FOLD or draw.random() < 0.3])
        seen["decisions"] += 1
        table.act(action)
        state.apply_action(theirs[action])
        deal()
    assert state.is_terminal()
    won = [chips - options["stack"][0] for chips in table.stack]
    odd = max(abs(one - other) for one, other in zip(won, state.returns(), strict=True))
    seen["odd chips"] += odd > 0
    assert odd < n, f"chips {won}, theirs {state.returns()}"  # they drop the odd chip of a split pot
    seen["hands"] += 1


def _theirs(action: int, limit: bool, state: Any) -> int:
    """OpenSpiel's number of our action; a pot raise that is exactly all-in is their pot raise."""
    if limit or action in (FOLD, CALL):
        return action
    return 2 if action == _POT_RAISE or 3 not in state.legal_actions() else 3


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wilddeck.benchmarks.studies.poker_games", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hands", type=whole(1, 10_000_000), default=10_000, help="hands of each variant")
    parser.add_argument("--variants", nargs="+", choices=[*VARIANTS, "openspiel"], default=[*VARIANTS, "openspiel"])
    parser.add_argument("--seed", type=integer, default=1)
    parser.add_argument("--first", type=whole(0, 10_000_000), default=0, help="number of the first hand, to continue a run")
    settings = parser.parse_args(arguments)
    for variant in settings.variants:
        run = beside_openspiel if variant == "openspiel" else functools.partial(beside_pokerkit, variant)
        seen = run(settings.hands, settings.seed, settings.first)
        print(
            f"{variant}: {', '.join(f'{count:,} {kind}' for kind, count in seen.items() if count)}; no difference", flush=True
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
