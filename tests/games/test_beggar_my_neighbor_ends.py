"""Ends of Beggar My Neighbor, games without end, steps, what is seen and what samples hold."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from games import pack_positions
from games.pack_positions import PLAY, field, labels, pack, play, returns, seen
from support import determinizations
from wilddeck import cards
from wilddeck.envs import make_batch, raw_env
from wilddeck.envs.core.game import as_record

GAME = "beggar_my_neighbor_v0"
ENDLESS = ("---K---Q-KQAJ-----AAJ--J--", "----------Q----KQ-J-----KA")


def arranged(packs: list[str], stack: str = "", pile: str = "", **values: Any) -> Any:
    return pack_positions.arranged(GAME, packs, stack, pile, **{"auto": "every", **values})


def published(first: str, second: str) -> list[int]:
    """The deck that deals two packs in which '-' is any numeral."""
    left = {"A": [48, 49, 50, 51], "K": [44, 45, 46, 47], "Q": [40, 41, 42, 43], "J": [36, 37, 38, 39], "-": list(range(36))}
    return [left[kind].pop() for pair in zip(first, second, strict=True) for kind in pair]


def last_moment(first: str, second: str, **options: Any) -> Any:
    env = raw_env(GAME, deck="standard", **options)
    env.reset(seed=1, options={"deck": published(first, second)})
    return env


# --- the end ---


@pytest.mark.rule("BM-40")
def test_example_12_the_last_card() -> None:
    env = arranged(["Jd", "4s 5s"])
    play(env, "Jd", "4s")
    assert pack(env, 0) == ["Jd", "4s"]
    assert env.current_player == 0
    env = arranged(["8d", "4s 5s"])
    play(env, "8d")
    assert returns(env) == [-1, 1]


@pytest.mark.rule("BM-40")
def test_the_end_comes_before_specials_act() -> None:
    """0 is the only one with cards, whatever their Skip would do; cards in the stack and in the pile do not count."""
    env = arranged(["Sk-d 3c", "", ""], stack="2c", pile="4c 5c")
    play(env, "Sk-d")
    assert returns(env) == [1, -0.5, -0.5]
    env = arranged(["Kc", "Sk-c 2c 3c", ""])
    play(env, "Kc", "Sk-c", "2c", "3c")
    assert returns(env) == [1, -0.5, -0.5]
    env = arranged(["As", "2c"])  # a debt stands: not yet
    play(env, "As")
    assert env.legal_actions() == [PLAY]


@pytest.mark.rule("BM-41")
def test_if_nobody_has_cards_who_played_last_wins() -> None:
    env = arranged(["", "8d"], turn=1, stack="2c")
    play(env, "8d")
    assert returns(env) == [-1, 1]


@pytest.mark.rule("BM-42")
def test_example_1_a_game_without_end() -> None:
    env = last_moment(*ENDLESS)
    assert (field(env, "plays"), labels(env)) == (896, ["play"])
    env.step(PLAY)
    assert (field(env, "plays"), field(env, "leads")) == (897, 125)  # it would be lead 126
    assert returns(env) == [0, 0]


@pytest.mark.rule("BM-42")
def test_its_states_return_after_62_stacks() -> None:
    env = last_moment(*ENDLESS, auto="every", cycle_check=False)
    states, counts = [], []
    while field(env, "plays") < 480:
        if not env.zones()["stack"]:
            packs = ["".join("-" if card < 36 else str(card // 4) for card in env.zones()[f"pack/{seat}"]) for seat in (0, 1)]
            states.append((env.current_player, *packs))
            counts.append(field(env, "plays"))
        env.step(PLAY)
    assert (states[4], counts[4], counts[66]) == (states[66], 34, 474)
    assert len(set(states[:66])) == 66


@pytest.mark.rule("BM-42", "BM-43", "BM-44")
def test_without_the_check_it_goes_on_to_the_last_play() -> None:
    env = last_moment(*ENDLESS, cycle_check=False, max_plays=2000)
    assert field(env, "plays") == 1999
    env.step(PLAY)
    assert returns(env) == [0, 0]


@pytest.mark.rule("BM-42")
@pytest.mark.parametrize(
    ("place", "differs"),
    [
        (None, False),
        ("turn", True),
        ("direction", True),
        ("pile_at", True),
        ("draw", True),
        ("skip", True),
        ("class", True),
        ("numeral", False),
        ("size", True),
    ],
)
def test_what_a_state_is(place: str | None, differs: bool) -> None:
    """What was stored at a lead, altered in one way, is compared with the same lead."""
    env = arranged(["Jc 2c 3c 4c", "5c 6c"], pile="9c 9d")
    play(env, "Jc")
    later = env.clone()
    play(later, "5c")
    assert [" ".join(pack(later, seat)) for seat in (0, 1)] == ["2c 3c 4c Jc 5c", "6c"]
    stored = env.record[0]
    for name in ("leads", "mark", "mark_packs"):
        stored[name] = later.record[name][0]
    assert stored["leads"] == 1
    index_of = {"turn": 0, "direction": 1, "pile_at": 2, "size": 3, "draw": 4, "skip": 5}
    if place in index_of:
        stored["mark"][index_of[place]] ^= 1
    elif place == "class":
        stored["mark_packs"][0] = cards.parse("Kd")[0]
    elif place == "numeral":
        stored["mark_packs"][0] = cards.parse("Td")[0]
    play(env, "5c")
    assert (env.legal_actions() == []) != differs


@pytest.mark.rule("BM-42")
@pytest.mark.parametrize(("leads", "stores"), [(0, True), (1, True), (2, False), (3, True), (4, False), (6, False), (7, True)])
def test_the_state_is_stored_at_leads_1_2_4(leads: int, stores: bool) -> None:
    env = arranged(["Jc 2c 3c 4c", "5c 6c"])
    play(env, "Jc")
    env.record["leads"] = leads
    play(env, "5c")
    assert field(env, "leads") == leads + 1
    assert any(field(env, "mark")) == stores


@pytest.mark.rule("BM-42")
def test_a_decision_begins_the_count_anew() -> None:
    env = arranged(["Jc 2c SJ", "4c 5c 6c"])
    play(env, "Jc", "4c")
    assert field(env, "leads") == 1
    play(env, "2c", "5c", "SJ")
    assert field(env, "leads") == 0
    assert not any(field(env, "mark")) and not any(field(env, "mark_packs"))


@pytest.mark.rule("BM-43")
def test_a_win_by_the_last_card_comes_first() -> None:
    env = arranged(["8d", "4s 5s"], max_plays=1)
    play(env, "8d")
    assert returns(env) == [-1, 1]
    env = arranged(["8d 7d", "4s 5s 6s"], max_plays=1, stalemate="most_cards")
    play(env, "8d")
    assert returns(env) == [-1, 1]
    env = arranged(["8d 7d", "4s 5s 6s"], max_plays=1)
    play(env, "8d")
    assert returns(env) == [0, 0]
    env = arranged(["Dr-d 7d", "4s 5s 6s"], pile="2c 3c", max_plays=1)
    play(env, "Dr-d")
    assert len(labels(env)) == 4  # cards are placed before another card is due
    play(env, "place on top", "place on top")
    assert returns(env) == [0, 0]


@pytest.mark.rule("BM-44")
def test_example_13_rewards() -> None:
    env = arranged(["8d 7d", "4s 5s 6s", ""], max_plays=1)
    play(env, "8d")
    assert returns(env) == [0.25, 0.25, -0.5]
    env = arranged(["8d 7d", "4s 5s 6s", "2c 3c 4c"], max_plays=1, stalemate="most_cards")
    play(env, "8d")
    assert returns(env) == [-0.5, 0.25, 0.25]
    env = arranged(["8d 7d", "4s 5s 6s", "2c 3c 4c"], max_plays=1)
    play(env, "8d")
    assert returns(env) == [0, 0, 0]
    env = arranged(["8d", "4s 5s", ""])
    play(env, "8d")
    assert returns(env) == [-0.5, 1, -0.5]


# --- steps ---


@pytest.mark.rule("BM-50")
def test_cards_are_played_to_the_next_decision() -> None:
    env = arranged(["2c SJ 3c", "4c 5c 6c"], auto="decisions")
    env.step(PLAY)
    assert (env.current_player, len(labels(env))) == (0, 13)
    assert field(env, "plays") == 3
    play(env, "declare 9")
    assert returns(env) == [-1, 1]  # 5c 3c in the same step
    env = arranged(["2c SJ 3c", "4c 5c 6c"])
    play(env, "2c")
    assert (env.current_player, labels(env)) == (1, ["play"])


@pytest.mark.rule("BM-51", "BM-53")
@pytest.mark.parametrize("seed", range(5))
def test_a_game_without_decisions_is_one_step(seed: int) -> None:
    env, steps = raw_env(GAME, deck="standard"), raw_env(GAME, deck="standard", auto="every")
    env.reset(seed=seed)
    steps.reset(seed=seed)
    while steps.record["plays"][0] < env.record["plays"][0]:
        assert steps.legal_actions() == [PLAY]
        steps.step(PLAY)
    assert env.zones() == steps.zones()
    assert (env.current_player, env.legal_actions()) == (steps.current_player, [PLAY])
    env.step(PLAY)
    steps.step(PLAY)
    assert returns(env) == returns(steps)
    assert env.zones() == steps.zones()


@pytest.mark.rule("BM-51")
@pytest.mark.parametrize("max_plays", [1, 2, 7])
def test_a_stopped_game_is_one_step_too(max_plays: int) -> None:
    env = raw_env(GAME, deck="standard", max_plays=max_plays)
    env.reset(seed=1)
    assert field(env, "plays") == max_plays - 1
    env.step(PLAY)
    assert returns(env) == [0, 0]
    assert sum(len(ids) for ids in env.zones().values()) == 52


@pytest.mark.rule("BM-52")
def test_the_most_steps() -> None:
    game = raw_env(GAME).game
    assert game.max_length(game.make_options({"max_plays": 30})) == 44
    assert game.max_length(game.make_options({"max_plays": 30, "auto": "every"})) == 74


@pytest.mark.rule("BM-40")
@pytest.mark.parametrize(
    ("first", "second", "plays", "winner"),
    [
        (*reversed(ENDLESS), 156, 1),
        ("---AJ--Q---------QAKQJJ-QK", "-----A----KJ-K--------A---", 8344, 1),
        ("-J------Q------AAA-----QQ-", "K----JA-----------KQ-K-JJK", 7959, 1),
        ("---JQ---K-A----A-J-K---QK-", "-J-----------AJQA----K---Q", 5789, 0),
    ],
)
def test_examples_2_and_18_published_deals(first: str, second: str, plays: int, winner: int) -> None:
    env = last_moment(first, second)
    env.step(PLAY)
    assert field(env, "plays") == plays
    assert returns(env) == [1 - 2 * winner, 2 * winner - 1]


@pytest.mark.parametrize(
    ("first", "second", "stacks"),
    [
        (*reversed(ENDLESS), 21),
        ("---AJ--Q---------QAKQJJ-QK", "-----A----KJ-K--------A---", 1164),
        ("-J------Q------AAA-----QQ-", "K----JA-----------KQ-K-JJK", 1122),
        ("---JQ---K-A----A-J-K---QK-", "-J-----------AJQA----K---Q", 804),
    ],
)
def test_their_stacks(first: str, second: str, stacks: int) -> None:
    """The leads to an empty stack but the first, and the stack that ends the game, if one does."""
    batch = make_batch(GAME, 1, 1, 1, deck="standard", auto="every")
    env = last_moment(first, second, auto="every")
    batch.restore(env.record.copy())
    taken, before = 0, 0
    while not batch.terminated[0]:
        size, plays = int(batch.states["stack_size"][0]), int(batch.states["plays"][0])
        owed = int(batch.states["owed"][0])
        batch.step(np.array([PLAY]))
        if not batch.terminated[0]:
            taken += batch.states["stack_size"][0] == 0
        before = plays + 1
    assert size >= 0 and before > 100
    assert taken + (owed > 0) == stacks


# --- what is seen ---


def test_all_know_what_was_turned_up() -> None:
    env = arranged(["Jc 2c 3c", "4c 5c 6c"])
    play(env, "Jc", "4c")
    assert cards.text(env.zones("player_1")["pack/0"]) == "?? ?? Jc 4c"
    first = np.array(seen(env, 1, "next_cards")).reshape(2, 16, 18)
    assert first[1, :4].argmax(axis=1).tolist() == [17, 17, 9, 2]  # the other's pack comes second
    assert first.sum() == 4 + 2
    types = np.array(seen(env, 1, "pack_types")).reshape(2, 18)
    assert types[1, 9] == types[1, 2] == 0.25
    assert types[:, 17].tolist() == pytest.approx([2 / 66, 2 / 66])
    assert seen(env, 0, "packs") == pytest.approx([4 / 66, 2 / 66])


def test_what_lies_in_the_stack_is_seen() -> None:
    env = arranged(["As 2c", "3c SJ 4c 5c 6c"], stack="7c 7d 7h 9h 9s")
    play(env, "As", "3c", "SJ", "declare 7", "4c")
    top = np.array(seen(env, 0, "top")).reshape(5, 16)
    assert top.argmax(axis=1).tolist() == [2, 5, 1, 12, 7]
    assert seen(env, 0, "top_jokers") == [0, 1, 0, 0, 0]
    ranks = seen(env, 0, "stack_ranks")
    assert (ranks[5], ranks[7], sum(ranks)) == (1, 0.5, 9 / 4)
    assert seen(env, 0, "stack") == pytest.approx([9 / 66])
    assert (seen(env, 0, "owner"), seen(env, 0, "payer"), seen(env, 0, "owed")) == ([1, 0], [0, 1], [0.25])
    assert (seen(env, 1, "owner"), seen(env, 1, "payer")) == ([0, 1], [1, 0])
    assert (seen(env, 1, "phase"), seen(env, 0, "phase")) == ([0, 0, 1], [0, 0, 0])
    assert seen(env, 0, "plays") == pytest.approx([9 / 10000])


def test_what_waits_and_what_is_pending_is_seen() -> None:
    env = arranged(["Kc 2c", "Rv-c Sk-c 3c", "4c 5c"], pile="6c 7c", draw=[0, 0, 2, 0, 0, 0], skip=[1, 0, 0, 0, 0, 0])
    play(env, "Kc", "Rv-c", "Sk-c")
    assert seen(env, 0, "queue") == [0, 0.25, 0.25]
    assert (seen(env, 1, "pending_draw"), seen(env, 1, "pending_skip")) == ([0, 0.25, 0], [0, 0, 0.25])
    assert (seen(env, 0, "pile"), seen(env, 0, "direction")) == (pytest.approx([2 / 66]), [1])
    env = arranged(["Dr-c 2c", "3c"], pile="6c 7c 8c", direction=-1)
    play(env, "Dr-c")
    assert (seen(env, 0, "placing"), seen(env, 0, "pending_draw"), seen(env, 0, "direction")) == ([0.25], [0, 0], [0])
    assert seen(env, 1, "phase") == [0, 1, 0]


def test_samples_are_uniform_over_the_unknown_cards() -> None:
    """Four cards that nobody knows, in two packs and the pile: 24 ways."""
    env = arranged(["Jc 2c 3c", "4c 5c"], pile="6c", seen="Jc 2c")
    env.record["seen"][0] |= np.array([(1 << 64) - 1 & ~sum(1 << card for card in cards.parse("3c 4c 5c 6c")), 3], np.uint64)
    records = determinizations(env, 0, range(2400))
    arrangements = Counter()
    for row in range(len(records)):
        zones = env.game.zones(as_record(records, row), None)
        arrangements[cards.text([*zones["pack/0"], *zones["pack/1"], *zones["pile"]])] += 1
    assert len(arrangements) == 24
    assert all(text.startswith("Jc 2c ") for text in arrangements)
    assert max(arrangements.values()) < 160 and min(arrangements.values()) > 55


def test_the_stored_state_is_redrawn_with_the_packs() -> None:
    """A card that nobody has seen is in a sample where it was in the state that is stored for BM-42."""
    env = raw_env(GAME, auto="every", num_players=3)
    env.reset(seed=5)
    for _ in range(25):
        if not env.legal_actions() or field(env, "phase") != 2:
            break
        env.step(PLAY)
    assert field(env, "leads") > 0
    original, records = env.record[0], determinizations(env, 1, range(5))
    marked = int(sum(original["mark"][3 + 3 * seat] for seat in range(3)))
    for row, record in enumerate(records):
        zones = env.game.zones(as_record(records, row), None)
        change = {old: new for name, ids in env.zones().items() for old, new in zip(ids, zones[name], strict=True)}
        assert any(old != new for old, new in change.items())
        for old, new in zip(original["mark_packs"][:marked].tolist(), record["mark_packs"][:marked].tolist(), strict=True):
            assert change[old] == new
        assert (record["mark_packs"][marked:] == 0).all()


def test_bad_options() -> None:
    for name, value in (("num_players", 7), ("auto", "some"), ("max_plays", 0), ("payer_out", 1)):
        with pytest.raises(ValueError, match=f"option {name}={value!r} is not allowed; allowed: "):
            raw_env(GAME, **{name: value})
