"""Samples are equally likely among all that the seat's knowledge leaves open: every arrangement of a late position is listed
here, from the rules, and counted.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from core.test_hidden import surprise
from games import hearts_positions, skin_positions, wild_escape_positions
from support import determinizations, first_of
from wilddeck import cards
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended.sets import SUIT, ids_of, set_of

SHARE = 60  # samples for each arrangement
MOST = 500  # arrangements
TWO, JOKERS = 0, {52, 53}
Hands = dict[int, frozenset[int]]  # of each other seat; of 4 the pile


def arrangements(env: CardGameEnv, viewer: int, known: dict[int, set[int]], possible: Callable[[Hands], bool]) -> list[Hands]:
    """All ways to deal the hidden cards to the places they are in; `known` are cards whose hand the viewer knows."""
    zones = env.zones()
    held = {seat: set(zones[f"hand/{seat}"]) for seat in range(4) if seat != viewer} | {4: set(zones["pile"])}
    hidden = {place: len(ids - known.get(place, set())) for place, ids in held.items()}
    free = sorted(card for place, ids in held.items() for card in ids - known.get(place, set()))
    fitting = []
    for way in _dealt(tuple(free), tuple(hidden.items())):
        hands = {place: frozenset(way[place] | (known.get(place, set()) & held[place])) for place in held}
        if possible(hands):
            fitting.append(hands)
    return fitting


def _dealt(free: tuple[int, ...], room: tuple[tuple[int, int], ...]) -> Iterator[dict[int, set[int]]]:
    if not room:
        yield {}
        return
    (place, count), *others = room
    for chosen in itertools.combinations(free, count):
        for way in _dealt(tuple(card for card in free if card not in chosen), tuple(others)):
            yield {place: set(chosen), **way}


def lacks(hands: Hands, env: CardGameEnv) -> bool:
    """No hand has a suit that its player did not follow."""
    voids = [int(void) for void in env.record["seen_void"][0]]
    return not any(SUIT[card] >= 0 and voids[seat] >> SUIT[card] & 1 for seat in hands if seat < 4 for card in hands[seat])


def check(env: CardGameEnv, viewer: int, ways: list[Hands]) -> float:
    """How surprising the counts of samples are, see `surprise`; each arrangement must come, and no other."""
    records = determinizations(env, viewer, range(SHARE * len(ways)))
    seen, counts = np.unique(records["hand"].reshape(len(records), -1), axis=0, return_counts=True)
    drawn = {tuple(frozenset(ids_of(row[2 * seat : 2 * seat + 2])) for seat in range(4) if seat != viewer) for row in seen}
    assert drawn == {tuple(hands[seat] for seat in range(4) if seat != viewer) for hands in ways}
    return surprise(counts, len(ways))


def number_of_ways(env: CardGameEnv, viewer: int) -> int:
    """An upper bound: without any bars."""
    sizes = [len(ids) for name, ids in env.zones(f"player_{viewer}").items() if -1 in ids]
    return math.factorial(sum(sizes)) // math.prod(map(math.factorial, sizes))


def late(game: str, seed: int, **options: Any) -> Iterator[tuple[CardGameEnv, int]]:
    """Moments late in random games in which some suit was not followed and arrangements can be listed."""
    draw, env = random.Random(seed), raw_env(game, deck="standard", **options)
    for number in itertools.count(seed):
        env.reset(seed=number)
        while env.legal_actions():
            viewer = draw.randrange(4)
            voids = [int(bits) for seat, bits in enumerate(env.record["seen_void"][0]) if seat != viewer]
            if any(voids) and env.record["question"][0] and 2 < number_of_ways(env, viewer) < 3_000 and draw.random() < 0.25:
                yield env.clone(), viewer
            env.step(draw.choice(env.legal_actions()))


def some(game: str, known: Callable[[CardGameEnv, int], dict[int, set[int]]], **options: Any) -> list[float]:
    """The surprises of a dozen positions."""
    surpluses: list[float] = []
    for env, viewer in late(game, 1, **options):
        ways = arrangements(env, viewer, known(env, viewer), functools.partial(lacks, env=env))
        if 2 <= len(ways) <= MOST:
            surpluses.append(check(env, viewer, ways))
        if len(surpluses) == 12:
            return surpluses
    return surpluses


def assert_fair(surprises: list[float]) -> None:
    assert max(surprises) < 4.5
    assert abs(np.mean(surprises)) < 1.2


def test_spades_with_void_suits() -> None:
    assert_fair(some("spades_v0", lambda env, viewer: {}, breaking="free"))


def test_bridge_with_void_suits_and_a_dummy() -> None:
    def dummy(env: CardGameEnv, viewer: int) -> dict[int, set[int]]:
        seat = int(env.record["face_up"][0]).bit_length() - 1
        return {seat: set(env.zones()[f"hand/{seat}"])} if seat != viewer else {}

    assert_fair(some("bridge_v0", dummy))


def test_hearts_with_void_suits_and_cards_passed() -> None:
    def passed(env: CardGameEnv, viewer: int) -> dict[int, set[int]]:
        record = env.record[0]
        return {(viewer + int(record["pass_direction"])) % 4: set(ids_of(record["passed"][viewer]))}

    assert_fair(some("hearts_v0", passed, passing="left", must_break_hearts=False))


# Hands whose cards cannot all be exchanged in pairs: each of three players lacks another suit.
TIGHT = {
    "2": (["2s 3s", "5d 5h", "6h 6c", "7c 7d"], [0, 0b1, 0b10, 0b100]),
    "3": (["2s 3s 4s", "5d 5h 8h", "6h 6c 9c", "7c 7d Td"], [0, 0b1, 0b10, 0b100]),
    "two suits": (["2s 3s", "5d 5h", "6h 6c", "7c 7s"], [0, 0b1001, 0b10, 0b100]),
}


def placed(game: str, hands: list[str], pile: str = "", options: dict[str, Any] | None = None, **fields: Any) -> CardGameEnv:
    """A game of cards in which the seats hold these, all others but the pile having been played; for samplers alone, which do
    not ask how it came about."""
    env = raw_env(game, **options or {})
    env.reset(seed=1)
    held, drawn = [cards.parse(hand) for hand in hands], cards.parse(pile)
    gone = [card for card in env.game.deck(env.options) if not any(card in ids for ids in [*held, drawn])]
    values = {"hand": [set_of(ids) for ids in held], "played": [set_of(gone), *np.zeros((3, 2), np.uint64)], "question": 1}
    values |= {"pile_at": 0, "pile_end": len(drawn), "deck": drawn + [0] * (66 - len(drawn)), "turn": 0, **fields}
    for name, value in values.items():
        env.record[name][0] = value
    return env


@pytest.mark.parametrize("case", TIGHT)
@pytest.mark.parametrize("game", ["hearts_v0", "spades_v0"])
def test_each_player_lacks_another_suit(game: str, case: str) -> None:
    hands, voids = TIGHT[case]
    env = placed(game, hands, options={"deck": "standard"}, seen_void=voids, tricks_done=13 - len(hands[0].split()))
    if game == "hearts_v0":
        env.record["phase"], env.record["passed"], env.record["opener"] = 2, 0, 0
    ways = arrangements(env, 0, {}, functools.partial(lacks, env=env))
    assert abs(check(env, 0, ways)) < 4


def test_a_spade_led_unbroken_bars_the_plain_suits() -> None:
    """Voids in three suits at once, and of another player in a fourth."""
    surpluses = []
    for env, viewer in late("spades_v0", 5):
        only = [int(place) == int(env.record["pile_at"][0]) + 1 for place in env.record["only_spades"][0]]

        def possible(hands: Hands, env: CardGameEnv = env, only: list[bool] = only) -> bool:
            plain = any(only[seat] and SUIT[card] != 3 for seat in hands if seat < 4 for card in hands[seat])
            return lacks(hands, env) and not plain

        if any(only[seat] for seat in range(4) if seat != viewer):
            ways = arrangements(env, viewer, {}, possible)
            if 2 <= len(ways) <= MOST:
                surpluses.append(check(env, viewer, ways))
        if len(surpluses) == 6:
            break
    assert_fair(surpluses)


# --- Jokers and the 2 of Clubs in hearts ---


LEAD = {"phase": 2, "tricks_done": 0, "turn": 1, "current_player": 1}


def leads_unclaimed(hands: list[frozenset[int]], seat: int) -> bool:
    """HE-11."""
    others = any(TWO in hand for hand in hands)
    last = max((k for k in range(4) if hands[k] & JOKERS), default=-1)
    return TWO in hands[seat] or (not others and last == seat)


def may_be_asked(hands: list[frozenset[int]], seat: int) -> bool:
    return bool(hands[seat] & JOKERS) and TWO not in hands[seat] and not leads_unclaimed(hands, seat)


OPENINGS = {
    "asked": {"asked": 0b10, "phase": 1, "opener": -1, "question": 0, "turn": -1},
    "claimed": {"asked": 0b10, "opener": 1, "opening": 1},
    "leads": {"asked": 0, "opener": 1, "opening": 0},
    "leads as another declines": {"asked": 0b100, "opener": 1, "opening": 0},
}


@pytest.mark.rule("HE-11")
@first_of("void", [0, 0b10, 0b1], ids=["", "no diamonds", "no clubs"])
@pytest.mark.parametrize("case", OPENINGS)
def test_what_the_opening_lead_tells_of_jokers_and_the_two(case: str, void: int) -> None:
    """All three cards may be anywhere, so that one arrangement in a few fits: these are equally likely."""
    fields = OPENINGS[case]
    asked, leads = fields["asked"], fields.get("opening") == 0
    hands = ["5c 6c", "2c 7c" if leads else "SJ 7c", "8c BJ" if asked & 0b100 else "8c 9h", "2d 3h"]
    pile = f"{'SJ 4s' if leads else '2c'} {'9h' if asked & 0b100 else 'BJ'}"
    voids = [0, 0, void & 0b10, void & 1]
    env = placed("hearts_v0", hands, pile, {"passing": "hold"}, **{**LEAD, "seen_void": voids, **fields})
    own = frozenset(env.zones()["hand/0"])

    def possible(guess: Hands) -> bool:
        dealt = [own, guess[1], guess[2], guess[3]]
        were_asked = all(may_be_asked(dealt, seat) == bool(asked >> seat & 1) for seat in range(4 if leads else 2))
        return lacks(guess, env) and were_asked and (not leads or leads_unclaimed(dealt, 1))

    ways = arrangements(env, 0, {}, possible)
    assert 100 < len(ways) < 1500
    assert abs(check(env, 0, ways)) < 4


@pytest.mark.rule("HE-10")
@pytest.mark.parametrize("played", [1, 5])
def test_who_leads_another_club_still_holds_the_two(played: int) -> None:
    """52 cards and `can_lead_any_club`: after 4c the leader is known to have 2c until they play it."""
    env = raw_env("hearts_v0", deck="standard", can_lead_any_club=True, passing="hold")
    env.reset(seed=0, options={"deck": hearts_positions.deck_of_hands(["3c", "2c 4c", "5c", "6c"], standard=True)})
    env.step(env.action_from_label("play 4c"))
    for _ in range(played):
        env.step(next(action for action in env.legal_actions() if action != TWO))
    for viewer in (0, 2, 3):
        for record in determinizations(env, viewer, range(40)):
            assert TWO in ids_of(record["hand"][1])
    assert any(TWO in ids_of(env.determinize("player_1", seed).record["hand"][0][1]) for seed in range(3))


def test_misdeals_are_left_out_and_nothing_else() -> None:
    """While cards are passed the hands are any that hold 2c or a Joker; player 1 has passed a card, player 2 is to pass."""
    passed = [set_of([]), set_of(cards.parse("9c")), set_of([]), set_of([])]
    fields = {"phase": 0, "question": 0, "turn": -1, "current_player": 2, "passed": passed}
    env = placed("hearts_v0", ["5c", "7c", "8c", "SJ"], "2c BJ", {"passing": "left"}, **fields)
    counts: Counter[tuple[frozenset[int], ...]] = Counter()
    for record in determinizations(env, 0, range(20_000)):
        hands = [frozenset(ids_of(record["hand"][seat])) for seat in (1, 2, 3)]
        counts[(*hands, frozenset(ids_of(record["passed"][1])))] += 1
    free = [*cards.parse("7c 8c 9c SJ 2c BJ")]
    ways = {
        (frozenset([way[0]]), frozenset([way[1]]), frozenset([way[2]]), frozenset([way[3]]))
        for way in itertools.permutations(free, 4)
        if {TWO, *JOKERS} & set(way)
    }
    assert set(counts) == ways
    assert abs(surprise(np.array(list(counts.values())), len(ways))) < 4


# --- other games ---


@pytest.mark.rule("WE-25")
def test_wild_escape_after_two_tributes() -> None:
    """Who paid a 9 has nothing above it, who paid a 5 nothing above that; the trump, 2, is above them all."""
    hands = ["3c", "4c", "5d", "8h Kd", "9s Jc", "2d SJ"]
    env = wild_escape_positions.arranged(hands)
    for name, value in {"exchanges": 2, "giver": [1, 2, -1], "receiver": [3, 4, -1], "tribute": [28, 12, -1]}.items():
        env.record[name][0] = value
    possible = {1: set(cards.parse("4c 5d 8h 9s")), 2: set(cards.parse("4c 5d"))}
    free = sorted(card for hand in hands[1:] for card in cards.parse(hand))
    room = [1, 1, 2, 2, 2]
    ways = set()
    for way in _dealt(tuple(free), tuple(enumerate(room, 1))):
        if all(way[seat] <= ids for seat, ids in possible.items()):
            ways.add(tuple(frozenset(way[seat]) for seat in range(1, 6)))
    assert 100 < len(ways) < 1500
    records = determinizations(env, 0, range(SHARE * len(ways)))
    seen, counts = np.unique(records["hand"].reshape(len(records), -1), axis=0, return_counts=True)
    drawn = {tuple(frozenset(np.flatnonzero(row).tolist()) for row in sample.reshape(6, -1)[1:]) for sample in seen}
    assert drawn == ways
    assert abs(surprise(counts, len(ways))) < 4


@pytest.mark.rule("ST-25")
def test_piles_whose_places_are_partly_known() -> None:
    """Three ways to lay three piles at the places where each may be."""
    env = skin_positions.position(("2h", "3c"), ("4d", "7c | 7d | 8c"), ("4h", "9h"))
    env.record["where"][0, 0, 1, :3] = [0b011, 0b110, 0b111]
    samples = determinizations(env, 0, range(3000))["pile"][:, 1, :3, 0]
    seven, other, eight = cards.parse("7c 7d 8c")
    ways = {(seven, other, eight), (seven, eight, other), (eight, seven, other)}
    seen, counts = np.unique(samples, axis=0, return_counts=True)
    assert {tuple(row) for row in seen.tolist()} == ways
    assert surprise(counts, 3) < 4
