"""Who knows what in By The Skin of Your Teeth: observations, zones and determinizations."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import wilddeck
from games.skin_positions import GAME, PILES, attack, block, choose, dealt, known, known_discard, make_piles, position, zone
from games.skin_reference import reference
from support import see_anew
from wilddeck.envs import raw_env
from wilddeck.envs.core.aec import CardGameEnv

VISIBILITY = ("open", "private", "defender_only")
NOTHING: tuple[dict[int, str], list[str]] = ({}, [])
CONFIGURATIONS: list[dict[str, Any]] = [
    {},
    {"num_players": 3, "num_decks": 4, "visibility": "private", "games": 2},
    {"num_players": 5, "visibility": "defender_only", "setup": "random"},
    {"num_players": 6, "num_decks": 2, "visibility": "private", "setup": "random"},
    {"num_players": 3, "num_decks": 4, "setup": "random"},
    {"num_players": 12, "visibility": "private", "setup": "random"},
]


# --- setup ---


@pytest.mark.rule("ST-06")
def test_setup_is_secret_until_all_have_finished() -> None:
    """Whatever players 0 and 1 do in setup, player 2 is shown the same, and so are they by one another."""
    hands = [
        "3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2c",
        "3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad 2d",
        "3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah 2h",
    ]
    plans = [["3c", "4c", "5c", "6c", "7c", "8c"], ["3c 4c 5c 6c 7c", "8c", "9c", "Tc", "Jc", "Qc"]]
    seen = []
    for plan in plans:
        env = dealt(hands)
        views = []
        for pile in [*plan, "3d", "4d 5d 6d 7d 8d"]:
            make_piles(env, pile)
            views.append((env.observe("player_2")["observation"].tobytes(), env.zones("player_2"), env.describe("player_2")))
        seen.append(views)
        zones = env.zones("player_2")
        assert zones["hand/0"] == zones["hand/1"] == [-1] * 13
        assert zones["defence/0/0"] == zones["defence/1/0"] == []
        assert env.zones("player_0")["hand/1"] == [-1] * 13
        assert zone(env, "defence/1/1", 1) == "4d 5d 6d 7d 8d"
    assert seen[0] == seen[1]


@pytest.mark.rule("ST-06")
def test_after_setup_sizes_are_public_and_cards_their_owners() -> None:
    env = raw_env(GAME, setup="random")
    env.reset(seed=4)
    truth = env.zones()
    for viewer in range(4):
        zones = env.zones(f"player_{viewer}")
        for owner in range(4):
            for place in range(PILES):
                name = f"defence/{owner}/{place}"
                assert zones[name] == (truth[name] if owner == viewer else [-1] * len(truth[name]))
            sizes = [round(5 * float(size)) for size in block(env, viewer, "pile_size").reshape(4, PILES)[(owner - viewer) % 4]]
            assert sizes == [len(truth[f"defence/{owner}/{place}"]) for place in range(PILES)]
            own = {place: zone(env, f"defence/{owner}/{place}") for place in range(PILES)}
            assert known(env, viewer, owner) == ((own, []) if owner == viewer else NOTHING)


# --- attacks ---


def test_nobody_notices_an_attack_before_its_target_is_chosen() -> None:
    env = raw_env(GAME, setup="random")
    env.reset(seed=4)
    mover = env.current_player
    views = [(env.observe(seat)["observation"].tobytes(), env.zones(seat), env.describe(seat)) for seat in env.possible_agents]
    env.step(env.legal_actions()[0])
    for viewer, seat in enumerate(env.possible_agents):
        now = env.observe(seat)["observation"].tobytes(), env.zones(seat), env.describe(seat)
        assert (now == views[viewer]) == (viewer != mover)
        world = env.determinize(seat, 1)
        assert ("target" in world.describe()) == (viewer == mover)


@pytest.mark.rule("ST-29")
@pytest.mark.parametrize(
    ("visibility", "see_attack", "see_pile"),
    [("open", {0, 1, 2, 3}, {0, 1, 2, 3}), ("private", {0, 1}, {0, 1}), ("defender_only", {0, 1}, {1})],
)
@pytest.mark.parametrize(("card", "won"), [("Kc", True), ("3c", False)])
def test_who_sees_an_attack(visibility: str, see_attack: set[int], see_pile: set[int], card: str, won: bool) -> None:
    env = position(("Kc 3c 4c", "9c"), ("4d", "8c | 8d 8h"), ("4h", "9h"), ("4s", "9s"), visibility=visibility)
    before = known_discard(env, 3)
    assert attack(env, card, 1, 0) == won
    (number,) = wilddeck.cards.parse(card)
    for viewer in range(4):
        seen = known_discard(env, viewer) - before
        assert seen[number] == (viewer in see_attack)
        assert seen[24] == (won and viewer in see_pile)  # 8c
        assert sum(seen.values()) == (viewer in see_attack) + (won and viewer in see_pile)
        placed = {0: "8c"} if viewer in see_pile and not won else {}
        assert known(env, viewer, 1) == (
            ({0: "8c", 1: "8d 8h"} if not won else {1: "8d 8h"}, []) if viewer == 1 else (placed, [])
        )
        assert zone(env, "discard", viewer).split()[-1 - won] == (card if viewer in see_attack else "??")
        seat = (0 - viewer) % 4  # what is public of the last attack
        assert round(4 * float(block(env, viewer, "last_target")[seat])) == 1
        assert block(env, viewer, "last_position").reshape(4, PILES)[seat].tolist() == [1, 0, 0, 0, 0, 0]
        assert float(block(env, viewer, "last_size")[seat]) == pytest.approx(0.2)
        assert float(block(env, viewer, "last_won")[seat]) == won
        assert bool(block(env, viewer, "last_cards").reshape(4, 10)[seat].any()) == (viewer in see_attack)
        assert ("??" in env.describe(f"player_{viewer}")) == (viewer not in see_attack)


@pytest.mark.rule("ST-29")
@pytest.mark.parametrize("visibility", VISIBILITY)
def test_who_knew_a_pile_knows_what_fell(visibility: str) -> None:
    """Player 2 has attacked the pile before; then player 3 beats it."""
    seats = ("4c", "9c"), ("4d", "Qc Qd | 8d"), ("6h 6s 7h", "9h"), ("Kh Ks", "9s")
    env = position(*seats, visibility=visibility, mover=2)
    attack(env, "6h 6s", 1, 0)
    attack(env, "Kh Ks", 1, 0)
    queens = {40, 41}
    assert queens <= set(known_discard(env, 1))
    assert (queens <= set(known_discard(env, 2))) == (visibility != "defender_only")
    assert (queens <= set(known_discard(env, 0))) == (visibility == "open")
    assert (44 + 2 in known_discard(env, 2)) == (visibility == "open")  # Kh


def test_an_attack_is_secret_until_its_target_is_chosen() -> None:
    views = []
    for cards in ("Kc", "3c 3d"):
        env = position(("Kc 3c 3d", "9c"), ("4d", "8c"), ("4h", "9h"))
        choose(env, f"attack {cards}")
        views.append((env.observe("player_1")["observation"].tobytes(), env.zones("player_1")))
        assert zone(env, "attack") == zone(env, "attack", 0) == cards
        chosen = block(env, 0, "slot_chosen").nonzero()[0].tolist()
        assert chosen == ([2] if cards == "Kc" else [0, 1])
    assert views[0] == views[1]
    assert views[0][1]["attack"] == []
    assert views[0][1]["hand/0"] == [-1, -1, -1]


# --- own piles in use ---


@pytest.mark.rule("ST-11", "ST-29")
@pytest.mark.parametrize("visibility", VISIBILITY)
def test_cards_taken_from_known_piles(visibility: str) -> None:
    """Player 0, without a hand, takes a Queen from a pile players 1 and 2 know; 1 is the defender."""
    env = position(("", "Qc Qd Qh | 7d"), ("3s", "8c | 8d"), ("3h", "9h"), ("3d", "9s"), visibility=visibility)
    for viewer in (1, 2):
        env.record["where"][0, viewer, 0] = [1, 2, 0, 0, 0, 0]
    attack(env, "Qd", 1, 0)
    assert known(env, 0, 0) == known(env, 1, 0) == ({0: "Qc Qh", 1: "7d"}, [])
    assert known(env, 2, 0) == (({0: "Qc Qh", 1: "7d"}, []) if visibility == "open" else ({1: "7d"}, []))
    assert known(env, 3, 0) == NOTHING
    for viewer in range(4):
        assert block(env, viewer, "pile_broken").reshape(4, PILES)[-viewer % 4].tolist() == [1, 0, 0, 0, 0, 0]


@pytest.mark.rule("ST-11", "ST-29")
@pytest.mark.parametrize("visibility", VISIBILITY)
def test_a_known_pile_played_whole_is_known_to_be_gone(visibility: str) -> None:
    env = position(("", "Qc Qd | 7d"), ("3s", "8c | 8d"), ("3h", "9h"), ("3d", "9s"), visibility=visibility)
    env.record["where"][0, 2, 0] = [1, 0, 0, 0, 0, 0]
    attack(env, "Qc Qd", 1, 0)
    assert {40, 41} <= set(known_discard(env, 2))
    assert bool({40, 41} & set(known_discard(env, 3))) == (visibility == "open")
    assert known(env, 2, 0) == NOTHING


# --- Jokers ---


def joker_position(visibility: str, **options: Any) -> CardGameEnv:
    """Player 0 is about to play a Joker on player 1, of whose piles player 2 knows 7c and Qc Qd, not 7d and not 6h 6s."""
    env = position(
        ("Jk 5c", "9c | 9d | Ts Th"),
        ("4d", "7c | Qc Qd | 7d | 6h 6s | 8c 8d 8h"),
        ("5h 5s Kh", "9h"),
        ("5d", "9s"),
        visibility=visibility,
        **options,
    )
    env.record["where"][0, 2, 1] = [1, 2, 0, 0, 16, 0]
    return env


@pytest.mark.rule("ST-25")
@pytest.mark.parametrize("visibility", VISIBILITY)
def test_who_knows_which_pile_after_a_joker(visibility: str) -> None:
    """Of piles of one size nobody knows which is which; the only one of its size stays known, wherever it went."""
    env = joker_position(visibility)
    attack(env, "Jk", 1, 4)  # loses
    assert all(known_discard(env, viewer)[52] == 2 for viewer in range(4))  # the other was out of play
    (eights,) = [place for place in range(PILES) if zone(env, f"defence/1/{place}") == "8c 8d 8h"]
    (tens,) = [place for place in range(3) if zone(env, f"defence/0/{place}") == "Th Ts"]
    assert known(env, 2, 1) == ({eights: "8c 8d 8h"}, ["7c", "Qc Qd"])
    assert known(env, 1, 1) == ({eights: "8c 8d 8h"}, ["6h 6s", "7c", "7d", "Qc Qd"])
    assert known(env, 0, 0) == ({tens: "Th Ts"}, ["9c", "9d"])
    assert known(env, 0, 1) == (({}, []) if visibility == "defender_only" else ({eights: "8c 8d 8h"}, []))
    assert known(env, 3, 1) == (({eights: "8c 8d 8h"}, []) if visibility == "open" else NOTHING)
    assert env.zones("player_1")[f"defence/1/{eights}"] == wilddeck.cards.parse("8c 8d 8h")
    assert all(env.zones("player_1")[f"defence/1/{place}"][:1] in ([-1], []) for place in range(PILES) if place != eights)


@pytest.mark.rule("ST-25", "ST-29")
@pytest.mark.parametrize("visibility", VISIBILITY)
def test_a_pile_seen_after_mixing_is_known_again(visibility: str) -> None:
    env = joker_position(visibility)
    attack(env, "Jk", 1, 4)
    attack(env, "4d", 2, 0)
    (queens,) = [place for place in range(PILES) if zone(env, f"defence/1/{place}") == "Qc Qd"]
    (sixes,) = [place for place in range(PILES) if zone(env, f"defence/1/{place}") == "6h 6s"]
    (eights,) = [place for place in range(PILES) if zone(env, f"defence/1/{place}") == "8c 8d 8h"]
    attack(env, "5h 5s", 1, queens)
    assert known(env, 1, 1) == ({eights: "8c 8d 8h", queens: "Qc Qd", sixes: "6h 6s"}, ["7c", "7d"])
    if visibility == "defender_only":  # player 2 sees no pile
        assert known(env, 2, 1) == ({eights: "8c 8d 8h"}, ["7c", "Qc Qd"])
    else:
        assert known(env, 2, 1) == ({eights: "8c 8d 8h", queens: "Qc Qd"}, ["7c"])


@pytest.mark.rule("ST-25", "ST-29")
@pytest.mark.parametrize("visibility", VISIBILITY)
@pytest.mark.parametrize("falls", ["7c", "7d"])
def test_what_falls_unseen_may_be_any_of_the_loose_piles(visibility: str, falls: str) -> None:
    """Player 3 beats 7c or 7d, which the Joker mixed; player 2 has seen 7c before and must not learn which fell."""
    env = joker_position(visibility)
    attack(env, "Jk", 1, 4)
    attack(env, "4d", 3, 0)
    attack(env, "Kh", 3, 0)
    assert env.current_player == 3
    env.record["hand"][0, 3, 0] = env.record["slot_card"][0, 0] = wilddeck.cards.parse("As")[0]
    env.record["slot_count"] = env.record["hand_size"][0, 3] = 1
    see_anew(env)
    (target,) = [place for place in range(PILES) if zone(env, f"defence/1/{place}") == falls]
    (other,) = [place for place in range(PILES) if zone(env, f"defence/1/{place}") in {"7c", "7d"} - {falls}]
    (eights,) = [place for place in range(PILES) if zone(env, f"defence/1/{place}") == "8c 8d 8h"]
    assert attack(env, "As", 1, target)
    placed, loose = known(env, 2, 1)
    if visibility != "open":
        assert (placed, loose) == ({eights: "8c 8d 8h"}, ["7c", "Qc Qd"])
        assert zone(env, "discard", 2).split()[-1] == "??"
        where = set()
        for seed in range(30):
            sample = env.determinize("player_2", seed)
            fallen, standing = zone(sample, "discard").split()[-1], zone(sample, f"defence/1/{other}")
            assert "7c" in (fallen, standing)
            where.add(fallen == "7c")
        assert where == {True, False}
    elif falls == "7c":
        assert (placed, loose) == ({eights: "8c 8d 8h"}, ["Qc Qd"])
    else:  # what is left is known by elimination
        assert (placed, loose) == ({eights: "8c 8d 8h", other: "7c"}, ["Qc Qd"])
    assert known(env, 1, 1)[0][other] in {"7c", "7d"} - {falls}


@pytest.mark.rule("ST-11", "ST-25")
def test_who_attacks_with_own_piles_sees_them_again() -> None:
    env = position(("5c", "7c | 7d | 9c 9d | 9h 9s"), ("Jk", "Kd | Ks"), ("2h", "Kc Kh"))
    attack(env, "5c", 1, 0)
    attack(env, "Jk", 2, 0)
    assert known(env, 0, 0) == ({}, ["7c", "7d", "9c 9d", "9h 9s"])
    attack(env, "2h", 1, 0)
    assert env.current_player == 0
    assert known(env, 0, 0) == ({place: zone(env, f"defence/0/{place}") for place in range(4)}, [])


@pytest.mark.rule("ST-25")
def test_equal_piles_of_several_decks() -> None:
    """Player 2 knows one 7h of player 1; after mixing, a 7h seen is taken for that one, whichever of the two it is."""
    for target in range(2):
        env = position(("Jk", "9c"), ("4d", "7h | 7h | 8c 8d | 3c"), ("4h 4s", "9h"), ("5d", "9s"), num_decks=2)
        env.record["where"][0, 2, 1] = [1, 0, 0, 0, 0, 0]
        env.record["where"][0, 3, 1] = [1, 0, 0, 0, 0, 0]
        env.record["where"][0, 0, 1] = [1, 0, 0, 0, 0, 0]
        attack(env, "Jk", 1, 2)
        attack(env, "4d", 3, 0)
        assert known(env, 2, 1)[1] == ["7h"]
        sevens = [place for place in range(PILES) if zone(env, f"defence/1/{place}") == "7h"]
        attack(env, "4h", 1, sevens[target])
        placed, loose = known(env, 2, 1)
        assert placed[sevens[target]] == "7h"
        assert loose == []


@pytest.mark.rule("ST-25")
def test_broken_piles_lose_their_mark_in_the_crowd() -> None:
    """A pair left of three is mixed with a pair: either may now be the broken one."""
    env = position(("", "Qc Qd Qh | 7c 7d | 8c"), ("Jk", "8d"), ("3h", "9h"))
    attack(env, "Qc", 1, 0)
    attack(env, "Jk", 2, 0)
    sizes = [len(zone(env, f"defence/0/{place}").split()) for place in range(3)]
    assert block(env, 2, "pile_broken").reshape(3, PILES)[1].tolist()[:3] == [float(size == 2) for size in sizes]


# --- an independent account of knowledge, for open games of one deck ---


class Account:
    """Which piles each viewer has seen, by their cards, and whether the viewer knows where they lie."""

    def __init__(self, env: CardGameEnv) -> None:
        self.env, self.n = env, env.num_players
        self.seen: dict[tuple[int, int], dict[tuple[int, ...], bool]] = {
            (viewer, owner): dict.fromkeys(self.piles(owner), True) if viewer == owner else {}
            for viewer in range(self.n)
            for owner in range(self.n)
        }

    def piles(self, owner: int) -> list[tuple[int, ...]]:
        zones = self.env.zones()
        return [tuple(zones[f"defence/{owner}/{place}"]) for place in range(PILES) if zones[f"defence/{owner}/{place}"]]

    def turn(self, draw: random.Random) -> None:
        env, mover = self.env, self.env.current_player
        before = self.piles(mover)
        env.step(draw.choice(env.legal_actions()))
        action = draw.choice(env.legal_actions())
        ahead, place = divmod(action - 2379, PILES)
        defender = (mover + 1 + ahead) % self.n
        target = tuple(env.zones()[f"defence/{defender}/{place}"])
        joker = env.zones()["attack"][0] >= 52
        env.step(action)
        after = self.piles(mover)
        for (_, owner), seen in self.seen.items():
            if owner == mover:
                for pile in [pile for pile in before if pile not in after]:  # taken, in part or whole, in the open
                    known_before = seen.pop(pile, None)
                    left = next((now for now in after if set(now) < set(pile)), None)
                    if left and known_before is not None:
                        seen[left] = True
            if owner == defender:
                seen[target] = True
        standing = {owner: self.piles(owner) for owner in range(self.n)}
        for (viewer, owner), seen in self.seen.items():
            for pile in [pile for pile in seen if pile not in standing[owner]]:
                del seen[pile]
            if joker:
                for pile in seen:
                    seen[pile] = seen[pile] and sum(len(other) == len(pile) for other in standing[owner]) == 1
            if viewer == owner == env.current_player and not env.zones()[f"hand/{owner}"]:
                self.seen[viewer, owner] = dict.fromkeys(seen, True)

    def check(self) -> None:
        for (viewer, owner), seen in self.seen.items():
            placed, loose = known(self.env, viewer, owner)
            accounted = {*placed.values(), *loose}
            assert accounted == {wilddeck.cards.text(pile) for pile in seen}
            assert {wilddeck.cards.text(pile) for pile in seen if seen[pile]} <= set(placed.values())
            for place, text in placed.items():
                assert zone(self.env, f"defence/{owner}/{place}") == text
                if not seen[tuple(wilddeck.cards.parse(text))]:  # only by elimination: all others of its size are placed
                    size = len(text.split())
                    others = [other for other in self.piles(owner) if len(other) == size and wilddeck.cards.text(other) != text]
                    assert all(wilddeck.cards.text(other) in placed.values() for other in others)


@pytest.mark.rule("ST-06", "ST-11", "ST-25", "ST-29")
@pytest.mark.parametrize("num_players", [3, 4])
def test_knowledge_against_an_independent_account(num_players: int) -> None:
    env, draw = raw_env(GAME, num_players=num_players, setup="random"), random.Random(6)
    for seed in range(6):
        env.reset(seed=seed)
        account = Account(env)
        while env.legal_actions():
            account.turn(draw)
            if env.legal_actions():
                account.check()


# --- whatever is shown is true, and samples look like it ---


def moments(options: dict[str, Any], seed: int, chance: float) -> Iterator[CardGameEnv]:
    """Moments of a random game in which Jokers are played early and hands run out."""
    env, draw = raw_env(GAME, **options), random.Random(seed)
    env.reset(seed=seed)
    while env.legal_actions():
        if draw.random() < chance:
            yield env
        env.step(draw.choice(env.legal_actions()))
    yield env


@pytest.mark.rule("ST-29")
@pytest.mark.parametrize("options", CONFIGURATIONS, ids=str)
def test_what_known_piles_are_beaten_by_is_seen(options: dict[str, Any]) -> None:
    """By the chosen attack, and before by each card alone; nothing is said of piles that the player does not know."""
    draw, beaten = random.Random(1), Counter[tuple[str, bool]]()
    for env in moments(options, 4, 0.3):
        if env.is_over or not env.record["phase"][0]:
            continue
        layout, n, mover = env.observation_layout, env.num_players, env.current_player
        look = env.observe(env.agent_selection)["observation"]
        assert look[layout["piles"]] * 6 == pytest.approx((look[layout["pile_size"]].reshape(n, 6) > 0).sum(axis=1))
        known = look[layout["pile_known"]].reshape(n, 6)
        if env.record["phase"][0] == 1:
            assert not look[layout["attack_cards"]].any() and not look[layout["attack_beats"]].any()
            slot = draw.choice(sorted(set(range(int(env.record["slot_count"][0]))) & set(env.legal_actions())))  # a single card
            says, kind = look[layout["slot_beats"]].reshape(-1, n, 6)[slot], "slot"
            env = env.clone()
            env.step(slot)
        else:
            assert not look[layout["slot_beats"]].any()
            chosen = np.flatnonzero(look[layout["slot_chosen"]])
            ranks = look[layout["slot_rank"]].reshape(-1, 13)[chosen]
            assert look[layout["attack_cards"]][::2][: len(chosen)] * 14 == pytest.approx(
                np.where(ranks.any(axis=1), ranks.argmax(axis=1) + 1, 14)
            )
            says, kind = look[layout["attack_beats"]].reshape(n, 6), "attack"
        assert not says[0].any() and not (says * (1 - known)).any()
        for action in env.legal_actions():
            parts = env.action_parts(action)
            place, position = (parts.seats[0] - mover) % n, parts.places[0]
            if known[place, position]:
                after = env.clone()
                after.step(action)
                won = bool(after.record["last_won"][0, mover])
                assert says[place, position] == won
                beaten[kind, won] += 1
    assert len(beaten) == (0 if options.get("visibility") == "defender_only" else 4), beaten


@pytest.mark.rule("ST-29")
@pytest.mark.parametrize("options", CONFIGURATIONS, ids=str)
def test_what_is_shown_is_true(options: dict[str, Any]) -> None:
    for env in moments(options, 3, 0.3):
        truth = env.zones()
        discarded = Counter(min(card, 52) for card in truth["discard"])
        for viewer in range(env.num_players):
            assert known_discard(env, viewer) <= discarded
            for owner in range(env.num_players):
                placed, loose = known(env, viewer, owner)
                if env.record["phase"][0] != 2:  # a chosen attack has left the zones, but is not yet played
                    assert all(
                        truth[f"defence/{owner}/{place}"] == wilddeck.cards.parse(text) for place, text in placed.items()
                    )
                standing = Counter(card for place in range(PILES) for card in truth[f"defence/{owner}/{place}"])
                for text in loose:
                    cards = Counter(wilddeck.cards.parse(text))
                    assert cards <= standing or cards <= discarded or env.record["phase"][0] == 2


@pytest.mark.parametrize("options", CONFIGURATIONS, ids=str)
def test_samples_are_games_the_viewer_cannot_tell_from_the_truth(options: dict[str, Any]) -> None:
    """Equal views, equal samples of equal knowledge, combinations where piles are whole, Jokers nowhere but in hands."""
    draw, varied, looked = random.Random(1), 0, 0
    for env in moments(options, 5, 0.22):
        viewer = draw.choice([env.current_player, draw.randrange(env.num_players)])
        agent, deck = f"player_{viewer}", sorted(env.game.deck(env.options))
        samples = [env.determinize(agent, seed) for seed in (1, 2)]
        for sample in samples:
            assert sample.observe(agent)["observation"].tobytes() == env.observe(agent)["observation"].tobytes()
            assert sample.observe(agent)["action_mask"].tobytes() == env.observe(agent)["action_mask"].tobytes()
            assert sample.zones(agent) == env.zones(agent)
            assert sample.determinize(agent, 1).record.tobytes() == samples[0].record.tobytes()
            check_sample(sample, deck)
        looked += 1
        varied += samples[0].zones() != samples[1].zones()
    assert varied > 0.8 * looked


def check_sample(sample: CardGameEnv, deck: list[int]) -> None:
    record, zones = sample.record[0], sample.zones()
    assert sorted(card for cards in zones.values() for card in cards) == deck
    for owner in range(sample.num_players):
        assert zones[f"hand/{owner}"] == sorted(zones[f"hand/{owner}"])
        for place in range(PILES):
            cards = record["pile"][owner, place, : record["pile_size"][owner, place]].tolist()
            assert all(card < 52 for card in cards)
            if cards and record["made_of"][owner, place] == len(cards):
                assert reference(cards)
    assert not zones["attack"] or reference(zones["attack"])


def test_samples_fill_a_tight_table() -> None:
    """No card to spare: three players with all 13 cards in piles of pairs and a three, four of a kind and straights."""
    tight = position(
        ("", "2c | 3c | 4c | 5c | 6c | 7c"),
        ("3d", "As Ah Ad | Ks Kh | Qs Qh | Js Jh | Ts Th | 9s 9h"),
        ("4d", "Ac Kc Qc Jc Tc | 8c 8d 8h 8s | 9c | 9d | 7d | Kd"),
        ("5d", "6s 5s 4s 3s 2s | 7h 7s | 6h 5h 4h 3h 2h | Qd | Jd | Td"),
    )
    deck, defences = sorted(tight.game.deck(tight.options)), set()
    for seed in range(12):
        sample = tight.determinize("player_0", seed)
        check_sample(sample, deck)
        defences.add(zone(sample, "defence/1/0"))
    assert len(defences) > 1


@pytest.mark.rule("ST-12")
def test_what_is_left_of_broken_piles_is_drawn_as_part_of_a_combination() -> None:
    """Two cards left of three are a pair in every sample, as nobody could have made anything else."""
    env = position(("", "Qc Qd Qh | 7c"), ("3d", "8d"), ("3h 3s", "9h"), ("4c 4h", "9s"))
    attack(env, "Qc", 1, 0)
    for seed in range(20):
        one, two = env.determinize("player_2", seed).zones()["defence/0/0"]
        assert one // 4 == two // 4


def test_other_seats_know_in_a_sample_what_they_have_seen() -> None:
    """With open attacks all know the same of a third player; own piles keep what each of the others knows of them."""
    env = joker_position("open")
    for viewer in (0, 3):
        env.record["where"][0, viewer, 1] = env.record["where"][0, 2, 1]
    attack(env, "Jk", 1, 4)
    for seed in range(5):
        sample = env.determinize("player_3", seed)
        assert known(sample, 0, 1)[1] == known(sample, 2, 1)[1] == ["7c", "Qc Qd"]
        own = env.determinize("player_1", seed)
        assert known(own, 2, 1) == known(env, 2, 1)
        assert known(own, 0, 0)[1] == sorted(
            zone(own, f"defence/0/{place}") for place in range(3) if len(zone(own, f"defence/0/{place}")) == 2
        )


@pytest.mark.rule("ST-25")
def test_own_mixed_piles_lie_anywhere_in_samples() -> None:
    """In the same places whatever the truth, and in every order over the seeds."""
    env = joker_position("private")
    attack(env, "Jk", 1, 4)
    truth = [zone(env, f"defence/1/{place}") for place in range(PILES)]
    drawn = [
        tuple(zone(env.determinize("player_1", seed), f"defence/1/{place}") for place in range(PILES)) for seed in range(40)
    ]
    assert len(set(drawn)) == 4  # two singles, two pairs
    for sample in drawn:
        assert sorted(sample) == sorted(truth)
        assert [len(text) for text in sample] == [len(text) for text in truth]


def test_unseen_cards_between_others_tell_nothing_by_their_place() -> None:
    """Player 2 knew one of the three piles that an attack they do not see is made of."""
    env = position(("", "7c | 7d | 7h | 2c"), ("4d", "8c | 8d 8h"), ("4h", "9h"), visibility="private")
    env.record["where"][0, 2, 0, 1] = 1 << 1
    see_anew(env)
    attack(env, "7c@0 7d@1 7h@2", 1, 0)
    assert zone(env, "discard", 2).split()[-3:] == ["7d", "??", "??"]
    assert "player 0: 7d ?? ?? against player 1 pile 0, lost" in env.describe("player_2")
    assert "player 0: 7c 7d 7h against player 1 pile 0, lost" in env.describe("player_1")


@pytest.mark.rule("ST-16", "ST-17", "ST-24")
@pytest.mark.parametrize("options", CONFIGURATIONS, ids=str)
def test_unseen_cards_and_the_share_of_them_that_a_card_beats(options: dict[str, Any]) -> None:
    """All cards but those in the own hand, those seen in the discard and those of piles that the observation shows."""
    uncertain, loose_piles = 0, 0
    for env in moments(options, 3, 0.3):
        decks, record = int(env.record["num_decks"][0]), env.record[0]
        for seat in range(env.num_players):
            hand = [int(card) for card in record["hand"][seat][: record["hand_size"][seat]]]
            piles = [known(env, seat, owner) for owner in range(env.num_players)]
            loose_piles += sum(len(loose) for _, loose in piles)
            shown = [
                card for placed, loose in piles for pile in (*placed.values(), *loose) for card in wilddeck.cards.parse(pile)
            ]
            seen = known_discard(env, seat) + Counter(min(card, 52) for card in (*hand, *shown))
            unseen = [decks * (1 + (card == 52)) - seen[card] for card in range(53)]
            assert block(env, seat, "unseen") * np.array([decks] * 52 + [2 * decks]) == pytest.approx(unseen, abs=1e-5)
            acts = seat == env.current_player and not env.is_over
            own = [int(card) for card in record["slot_card"][: record["slot_count"]]] if acts else hand
            for card, share in itertools.zip_longest(own, block(env, seat, "slot_chance")):
                beaten = 0 if card is None else sum(unseen[other] for other in range(52) if beats_alone(card, other))
                assert share == pytest.approx(beaten / max(1, sum(unseen[:52])), abs=1e-5)
                uncertain += 0 < share < 1
    assert uncertain > 50 and (loose_piles > 0 or options.get("visibility") == "defender_only")


def beats_alone(attack: int, defence: int) -> bool:
    """ST-16, ST-17, ST-24."""
    if attack >= 52 or (attack // 4, defence // 4) == (0, 12):
        return True
    suits = (1, 0, 2, 3)  # clubs, diamonds, hearts, spades
    return (attack // 4, suits[attack % 4]) > (defence // 4, suits[defence % 4])
