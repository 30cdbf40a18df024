"""Bluff clause by clause: the deal, plays and claims, both orders, reveals, the end."""

from __future__ import annotations

from typing import Any

import pytest
from games.bluff_positions import GAME, PILE, arranged, dealt, due, field, hand, labels, parse, play, put, returns, seen
from wilddeck import cards
from wilddeck.envs import raw_env

# --- the deal, turns, plays ---


@pytest.mark.rule("BL-01", "BL-03")
def test_turns_go_round_clockwise_from_seat_0() -> None:
    env = dealt([])
    order = []
    for _ in range(9):
        order.append(env.current_player)
        put(env, cards.text(hand(env, env.current_player)[:1], joker_kinds=True))
        play(env, "all accept")
    assert order == [0, 1, 2, 3, 0, 1, 2, 3, 0]
    assert field(env, "turns") == 10


@pytest.mark.rule("BL-02")
@pytest.mark.parametrize("n", range(2, 9))
@pytest.mark.parametrize(("options", "size"), [({}, 52), ({"deck": "standard"}, 52), ({"deal_52": False}, 66)], ids=str)
def test_so_many_cards_are_dealt_as_of_52(n: int, options: dict[str, Any], size: int) -> None:
    """Example 1."""
    env = raw_env("bluff_v0", num_players=n, **options)
    deck = GAME.deck(env.options)[::-1]
    env.reset(seed=0, options={"deck": deck})
    for seat in range(n):
        assert hand(env, seat) == sorted(deck[seat:size:n])
    assert env.zones()["pile"] == deck[size:]


@pytest.mark.rule("BL-02")
def test_example_1() -> None:
    assert [len(hand(dealt([]), seat)) for seat in range(4)] == [13] * 4
    env = dealt([], num_players=3)
    assert [len(hand(env, seat)) for seat in range(3)] == [18, 17, 17]
    assert len(env.zones()["pile"]) == 14


@pytest.mark.rule("BL-04", "BL-05")
def test_cards_are_put_in_ascending_order_and_claimed_to_be_so_many() -> None:
    env = arranged(["2d 7h Jk Jk Dr-c", "2s", "3s"], "Aces", pile=PILE)
    assert {"put 2d", "put 7h", "put SJ", "put Dr-c", "reveal Dr-c"} == labels(env)
    play(env, "put 2d", "all accept")
    assert field(env, "claimed")[0][12] == 1
    env = arranged(["2d 7h Jk Jk Dr-c", "2s", "3s"], "Aces", pile=PILE)
    env.step(parse("7h")[0])
    assert labels(env) == {"put SJ", "put Dr-c", "claim one Ace"}
    env.step(52)
    assert labels(env) == {"put BJ", "put Dr-c", "claim two Aces"}
    env.step(53)
    assert labels(env) == {"put Dr-c", "claim three Aces"}
    assert hand(env, 0) == parse("2d Dr-c")
    assert env.zones()["put"] == parse("7h SJ BJ")
    play(env, "claim three Aces")
    assert env.zones()["heap"] == parse("7h SJ BJ")
    assert seen(env, 1, "last_number") == [0, 0, 1, 0, 0, 0]
    assert seen(env, 1, "last_rank").index(1) == 12
    assert env.current_player == 1


@pytest.mark.rule("BL-04")
def test_the_second_joker_may_be_put_alone_by_who_holds_no_other() -> None:
    env = arranged(["2d BJ", "2s", "3s"], "Aces", pile=PILE)
    assert labels(env) == {"put 2d", "put BJ"}


@pytest.mark.rule("BL-04")
@pytest.mark.parametrize(
    ("options", "most"), [({}, 6), ({"deck": "standard"}, 4), ({"max_play": 2}, 2), ({"max_play": 6, "deck": "standard"}, 6)]
)
def test_a_play_has_so_many_cards_at_most(options: dict[str, Any], most: int) -> None:
    assert GAME.make_options(options).max_play == most
    env = raw_env("bluff_v0", **options)
    env.reset(seed=0, options={"deck": GAME.deck(env.options)})
    for number in range(most):
        assert not field(env, "answering")
        assert ("claim" in " ".join(labels(env))) == (number > 0)
        env.step(hand(env, 0)[0])
    assert field(env, "answering")
    assert len(env.zones()["heap"]) == most


@pytest.mark.rule("BL-04")
def test_a_play_is_made_when_no_higher_card_is_held() -> None:
    env = arranged(["2d 7h Dr-c", "2s", "3s"], "Aces", pile=PILE)
    env.step(parse("Dr-c")[0])
    assert field(env, "answering")
    assert env.zones()["heap"] == parse("Dr-c")


@pytest.mark.rule("BL-06")
def test_special_cards_put_face_down_do_nothing() -> None:
    env = arranged(["Dr-c Rv-c Sk-c 9h", "2s 2d", "3s 3d", "4s 4d"], "Aces", pile=PILE)
    play(env, "put Dr-c Rv-c Sk-c", "all accept")
    assert (env.current_player, field(env, "direction"), len(hand(env, 1))) == (1, 1, 2)
    assert not any(field(env, "draw")) and not any(field(env, "skip"))
    env = arranged(["Dr-c Rv-c Sk-c 9h", "2s 2d", "3s 3d", "4s 4d"], "Aces", pile=PILE)
    play(env, "put Dr-c Rv-c Sk-c", "challenge")
    assert hand(env, 0) == parse("9h Dr-c Rv-c Sk-c")
    assert (env.current_player, field(env, "direction"), len(hand(env, 1))) == (1, 1, 2)
    assert len(env.zones()["pile"]) == len(
        arranged(["Dr-c Rv-c Sk-c 9h", "2s 2d", "3s 3d", "4s 4d"], pile=PILE).zones()["pile"]
    )


@pytest.mark.rule("BL-07")
def test_the_heap_lies_in_order_and_is_seen_by_nobody_but_for_ones_own_cards() -> None:
    env = arranged(["9h 9d 2d", "2s 8d", "3s 4d"], "Aces", pile=PILE)
    play(env, "put 9d 9h", "all accept", "put 8d", "all accept", "put 4d", "all accept")
    heap = parse("9d 9h 8d 4d")
    assert env.zones()["heap"] == heap
    assert env.zones("player_0")["heap"] == [*heap[:2], -1, -1]
    assert env.zones("player_1")["heap"] == [-1, -1, heap[2], -1]
    assert [k for k, on in enumerate(seen(env, 0, "own_in_heap")) if on] == heap[:2]
    assert seen(env, 2, "heap_size")[0] == pytest.approx(4 / 66)


# --- ascending ---


@pytest.mark.rule("BL-10")
@pytest.mark.parametrize(("first", "ranks"), [("A", "Aces Twos Threes"), ("Q", "Queens Kings Aces Twos"), ("T", "Tens Jacks")])
def test_each_play_claims_the_next_rank(first: str, ranks: str) -> None:
    env = raw_env("bluff_v0", first_rank=first)
    env.reset(seed=1)
    for rank in ranks.split():
        assert due(env) == rank
        put(env, cards.text(hand(env, env.current_player)[:1], joker_kinds=True))
        assert due(env) == rank
        play(env, "all accept")


@pytest.mark.rule("BL-11")
@pytest.mark.parametrize("special", ["Dr-c", "Rv-c", "Sk-c"])
def test_special_cards_always_fail_in_ascending_order(special: str) -> None:
    for rank in ("Aces", "Twos", "Kings"):
        env = arranged([f"{special} 9h", "2s 2d", "3s 3d"], rank, pile="9c Tc")
        assert not any(text.startswith("name") for text in labels(env))
        play(env, f"put {special}", "challenge")
        assert not field(env, "held")


@pytest.mark.rule("BL-12")
def test_the_rank_rises_by_plays_alone() -> None:
    env = arranged(["Sk-c Rv-c 9h", "2s 2d", "3s 3d"], "Fives", pile=PILE, allow_pass=True)
    play(env, "reveal Sk-c", "redeal")
    assert (env.current_player, due(env)) == (1, "Fives")
    play(env, "pass")
    assert (env.current_player, due(env)) == (2, "Fives")
    play(env, "put 3s")
    assert due(env) == "Fives"
    play(env, "all accept")
    assert (env.current_player, due(env)) == (0, "Sixes")
    play(env, "reveal Rv-c")
    assert (env.current_player, due(env)) == (2, "Sixes")
    play(env, "put 3d", "challenge")
    assert due(env) == "Sevens"


@pytest.mark.rule("BL-13")
def test_who_may_pass_in_ascending_order() -> None:
    env = arranged(["Ac 9h", "2s 2d", "3s 3d"], "Aces", pile=PILE)
    assert "pass" not in labels(env)
    env = arranged(["Ac 9h", "2s 2d", "3s 3d"], "Aces", pile=PILE, allow_pass=True)
    assert "pass" in labels(env)
    env.step(parse("Ac")[0])
    assert "pass" not in labels(env)
    env = arranged(["Ac 9h", "2s 2d", "3s 3d"], "Aces", turn=1, heap=((0, "Ad"),), pile=PILE, allow_pass=True)
    play(env, "pass", "pass")
    assert env.zones()["heap"] == parse("Ad")  # nothing goes out in this order
    assert (env.current_player, field(env, "passed")) == (0, 0b110)


# --- free ---


def free(hands: list[str], required: str = "", **values: Any) -> Any:
    values.setdefault("pile", PILE)
    return arranged(hands, required, rank_order="free", **values)


@pytest.mark.rule("BL-20")
def test_a_leader_names_a_rank_and_plays_and_the_others_follow_or_pass() -> None:
    env = free(["9c 9h", "2s 2d", "3s 3d"])
    named = {text for text in labels(env) if text.startswith("name")}
    assert labels(env) == named
    assert len(named) == 16
    assert seen(env, 0, "required") == [0] * 16
    play(env, "name Nines")
    assert labels(env) == {"put 9c", "put 9h"}
    assert seen(env, 2, "required").index(1) == 7
    assert seen(env, 2, "phase") == [0, 1, 0]
    play(env, "put 9h", "all accept")
    assert labels(env) == {"put 2s", "put 2d", "pass"}
    assert due(env) == "Nines"
    env = free(["9c 9h", "2s 2d", "3s 3d"], "Nines", turn=1, heap=((0, "9d"),), allow_pass=False)
    assert labels(env) == {"put 2s", "put 2d"}


@pytest.mark.rule("BL-20")
def test_a_leader_who_holds_specials_may_reveal_them_before_naming_a_rank() -> None:
    env = free(["9c Dr-c", "2s 2d", "3s 3d"])
    assert "reveal Dr-c" in labels(env)
    play(env, "name Nines")
    assert labels(env) == {"put 9c", "put Dr-c"}


@pytest.mark.rule("BL-21", "BL-34")
@pytest.mark.parametrize(
    ("rank", "cards_put", "holds"),
    [
        ("Draws", "Dr-c Dr-d", True),
        ("Draws", "Dr-c SJ", False),
        ("Draws", "Dr-c Rv-c", False),
        ("Reverses", "Rv-c", True),
        ("Skips", "Sk-c Sk-d", True),
        ("Skips", "SJ", False),
        ("Nines", "9h Dr-c", False),
        ("Nines", "9h SJ", True),
    ],
)
def test_claims_of_specials(rank: str, cards_put: str, holds: bool) -> None:
    """Example 10."""
    env = free(["9h Jk Dr-c Dr-d Rv-c Sk-c Sk-d 8h", "2s 2d", "3s 3d"])
    play(env, f"name {rank}", f"put {cards_put}", "challenge")
    assert field(env, "held") == holds


@pytest.mark.rule("BL-21")
def test_the_followers_of_specials_claim_them_too() -> None:
    """Example 10."""
    env = free(["8h Dr-c Dr-d", "Rv-c 2d", "3s 3d"])
    play(env, "name Draws", "put Dr-c Dr-d", "all accept")
    assert due(env) == "Draws"
    play(env, "put Rv-c", "challenge")
    assert not field(env, "held")


@pytest.mark.rule("BL-21")
@pytest.mark.parametrize("options", [{"claim_specials": False}, {"deck": "standard"}])
def test_where_no_specials_are_claimed(options: dict[str, Any]) -> None:
    env = raw_env("bluff_v0", rank_order="free", **options)
    env.reset(seed=0)
    assert len({text for text in labels(env) if text.startswith("name")}) == 13


@pytest.mark.rule("BL-22")
def test_the_heap_goes_out_when_all_others_have_passed() -> None:
    """Example 11."""
    env = free(["9c 9h 2h", "2s 2d", "3s 3d", "4s 4d"])
    play(env, "name Nines", "put 9h", "all accept", "pass")
    assert field(env, "passed") == 0b0010
    assert seen(env, 0, "turn_over") == [0, 1, 0, 0]
    play(env, "put 3s")
    assert field(env, "passed") == 0  # a play wipes out the passes
    play(env, "all accept", "pass", "pass")
    assert env.zones()["heap"] == parse("9h 3s")
    play(env, "pass")
    zones = env.zones()
    assert (zones["heap"], zones["out"]) == ([], parse("9h 3s"))
    assert env.zones("player_0")["out"] == [parse("9h")[0], -1]
    assert (env.current_player, due(env), field(env, "passed")) == (2, "", 0)
    assert seen(env, 2, "last_number") == [0] * 6


@pytest.mark.rule("BL-22", "BL-23")
def test_the_last_player_may_add_to_their_own_play_and_their_pass_does_not_count() -> None:
    """3 reveals a Reverse, so that play comes back to 2."""
    heap = ((2, "9d"),)
    env = free(["9c 9h 2h", "2s 2d", "3s 3d", "4s Rv-s"], "Nines", turn=3, heap=heap)
    play(env, "reveal Rv-s")
    assert env.current_player == 2
    assert "pass" in labels(env)
    both = env.clone()
    play(env, "put 3d", "all accept")
    assert (field(env, "passed"), env.zones()["heap"]) == (0, parse("9d 3d"))
    env = both
    play(env, "pass")
    assert (env.current_player, field(env, "passed")) == (1, 0)
    assert seen(env, 0, "turn_over") == [0, 0, 0, 0]
    play(env, "pass", "pass")
    assert (env.current_player, field(env, "passed")) == (3, 0b0011)  # whom the heap has waited for
    play(env, "pass")
    assert (env.current_player, env.zones()["heap"], due(env)) == (2, [], "")


@pytest.mark.rule("BL-22")
def test_who_has_passed_may_play_later() -> None:
    env = free(["9c 9h 2h", "2s 2d", "3s 3d"], "Nines", turn=1, heap=((0, "9d"),))
    play(env, "pass", "put 3s", "all accept", "pass")
    assert env.current_player == 1
    assert "put 2s" in labels(env)


@pytest.mark.rule("BL-42")
def test_a_pause_takes_back_a_pass_and_the_heap_waits() -> None:
    env = free(["9c 9h 2h", "2s Rv-d", "3s 3d Rv-c", "4s 4d"], "Nines", turn=1, heap=((0, "9d"),))
    play(env, "pass", "reveal Rv-c")  # 2 is paused: the order turns round
    assert (env.current_player, field(env, "passed"), field(env, "paused")) == (1, 0b0010, 0b0100)
    play(env, "reveal Rv-d")  # 1 takes their pass back, and 2 goes on
    assert (env.current_player, field(env, "passed"), field(env, "paused")) == (2, 0, 0b0010)
    play(env, "pass", "pass", "put 9h")
    assert field(env, "passed") == 0


@pytest.mark.rule("BL-42")
def test_the_heap_does_not_wait_for_the_last_to_play() -> None:
    """0 played last and pauses their turn; when the others have passed they lead, which resumes it."""
    env = free(["9c 9h Rv-c", "2s 2d", "3s 3d"], "Nines", turn=0, heap=((0, "9d"),), passed=0b010)
    play(env, "reveal Rv-c")
    assert (env.current_player, field(env, "paused")) == (2, 1)
    turns = field(env, "turns")
    play(env, "pass")
    assert (env.current_player, field(env, "paused"), env.zones()["heap"]) == (0, 0, [])
    assert field(env, "turns") == turns


# --- reveals ---


@pytest.mark.rule("BL-40", "BL-41")
def test_a_draw_is_redealt_as_two_cards_in_the_own_turn() -> None:
    """Example 9."""
    env = arranged(["Dr-h 9h", "2s 2d", "3s 3d"], "Aces", pile=PILE)
    stock = len(env.zones()["pile"])
    play(env, "reveal Dr-h")
    assert hand(env, 0) == parse("2c 3c 9h")
    assert len(env.zones()["pile"]) == stock - 2
    assert env.zones()["aside"][0] >= 54
    assert env.current_player == 0
    assert set(env.zones("player_1")["hand/0"]) == {-1}
    env.step(parse("2c")[0])
    assert not any(text.startswith("reveal") for text in labels(env))


@pytest.mark.rule("BL-40")
def test_nothing_is_revealed_once_a_card_is_put() -> None:
    env = arranged(["Dr-h 9h", "2s 2d", "3s 3d"], "Aces", pile=PILE)
    env.step(parse("9h")[0])
    assert labels(env) == {"put Dr-h", "claim one Ace"}


@pytest.mark.rule("BL-40")
def test_a_special_of_which_others_knew_leaves_the_hand() -> None:
    env = arranged(["9h 4d Sk-h", "2s 2d", "3s 3d"], "Aces", pile=PILE)
    play(env, "put Sk-h", "challenge")  # 0 takes it back, in sight of all
    play(env, "put 2s", "challenge", "put 3s", "challenge")
    assert env.current_player == 0
    play(env, "reveal Sk-h")
    assert field(env, "shown")[0] >> 62 & 1 == 0
    assert all(card_set[0] >> 62 & 1 == 0 for card_set in field(env, "given"))


@pytest.mark.rule("BL-42")
def test_a_reverse_pauses_the_turn() -> None:
    """Example 8."""
    env = arranged(["Rv-c 9h 8h", "2s 2d", "3s 3d", "4s 4d"], "Fives", pile=PILE)
    play(env, "reveal Rv-c")
    order, turns = [], field(env, "turns")
    for _ in range(5):
        order.append((env.current_player, due(env)))
        put(env, cards.text(hand(env, env.current_player)[:1], joker_kinds=True))
        play(env, "all accept")
    assert order == [(3, "Fives"), (2, "Sixes"), (1, "Sevens"), (0, "Eights"), (3, "Nines")]
    assert field(env, "turns") == turns + 3  # of 2, 1 and 3: that of 0 went on, and 3 has won


@pytest.mark.rule("BL-42")
def test_of_two_players_the_other_has_one_turn() -> None:
    env = arranged(["Rv-c 9h 8h", "2s 2d"], "Fives", pile=PILE)
    play(env, "reveal Rv-c")
    assert env.current_player == 1
    play(env, "put 2s", "all accept")
    assert (env.current_player, due(env)) == (0, "Sixes")


@pytest.mark.rule("BL-43")
def test_a_skip_ends_the_turn() -> None:
    """Example 7."""
    env = arranged(["Sk-c 9h", "2s 2d", "3s 3d"], "Fives", pile=PILE)
    play(env, "reveal Sk-c")
    assert (env.current_player, due(env), len(hand(env, 0))) == (1, "Fives", 2)
    env = arranged(["Sk-c Rv-c 9h", "2s 2d", "3s 3d"], "Fives", pile=PILE)
    play(env, "reveal Sk-c", "reveal Rv-c")
    assert (env.current_player, field(env, "direction"), field(env, "paused")) == (2, -1, 0)


@pytest.mark.rule("BL-43", "BL-52")
def test_a_skip_counts_as_a_pass_but_not_of_a_leader() -> None:
    env = free(["9c 9h 2h", "2s 2d Sk-c", "3s 3d"], "Nines", turn=1, heap=((0, "9d"),))
    play(env, "reveal Sk-c")
    assert (env.current_player, field(env, "passed")) == (2, 0b010)
    play(env, "pass")
    assert (env.current_player, env.zones()["heap"]) == (0, [])
    env = free(["9c Sk-c", "2s Sk-d", "3s Sk-h"])
    for seat in range(3):
        assert env.current_player == seat
        play(env, ("reveal Sk-c", "reveal Sk-d", "reveal Sk-h")[seat])
    assert (env.current_player, due(env), field(env, "passed")) == (0, "", 0)
    assert any(text.startswith("name") for text in labels(env))
    env = free(["9c 9h 2h", "2s 2d", "3s 3d Sk-c"], "Nines", turn=2, heap=((0, "9d"),), passed=0b010)
    play(env, "reveal Sk-c")  # the last pass that was wanting
    assert (env.current_player, env.zones()["heap"]) == (0, [])


@pytest.mark.rule("BL-44")
def test_nothing_is_revealed_in_an_answer_or_without_a_stock() -> None:
    env = arranged(["9c 9h", "2s Dr-c"], "Nines", pile=PILE)
    play(env, "put 9h")
    assert labels(env) == {"challenge", "accept"}
    env = free(["9c 9h", "2s Dr-c"], "Nines", turn=1, heap=((0, "9d"),), pile="")
    assert labels(env) == {"put 2s", "put Dr-c", "pass"}


# --- the end ---


@pytest.mark.rule("BL-50", "BL-03")
@pytest.mark.parametrize(
    ("text", "answers", "won"),
    [
        ("Ad", ["all accept"], True),
        ("9d", ["all accept"], True),
        ("Ad", ["accept", "challenge"], True),
        ("9d", ["challenge"], False),
    ],
)
def test_who_has_no_card_left_after_a_play_that_stands_wins(text: str, answers: list[str], won: bool) -> None:
    """Example 12."""
    env = arranged(["3c 4c", text, "2s 2d", "3s 3d"], "Aces", turn=1, heap=((0, "Kd"),), pile="9c")
    play(env, f"put {text}")
    assert not any(env.terminations.values())
    play(env, *answers)
    assert all(env.terminations.values()) == won
    assert returns(env) == (pytest.approx([-1 / 3, 1, -1 / 3, -1 / 3]) if won else [0] * 4)
    if not won:
        assert hand(env, 1) == sorted(parse(f"Kd {text}"))


@pytest.mark.rule("BL-50")
def test_the_only_challenger_accepts_a_last_card() -> None:
    env = arranged(["3c 4c", "9d", "2s 2d"], "Aces", turn=1, pile="9c", challengers="next")
    play(env, "put 9d", "accept")
    assert returns(env) == pytest.approx([-1 / 2, 1, -1 / 2])


@pytest.mark.rule("BL-51")
@pytest.mark.parametrize(
    ("sizes", "rewards"),
    [
        ([1, 2, 3, 4], [1, -1 / 3, -1 / 3, -1 / 3]),
        ([2, 2, 3, 2], [1 / 9, 1 / 9, -1 / 3, 1 / 9]),
        ([2, 3, 2, 4], [1 / 3, -1 / 3, 1 / 3, -1 / 3]),
        ([2, 2, 2, 2], [0, 0, 0, 0]),
    ],
)
def test_a_deal_is_stopped_after_so_many_turns(sizes: list[int], rewards: list[float]) -> None:
    pool = parse("2d 2h 2s 3d 3h 3s 4d 4h 4s 5d 5h 5s 6d 6h 6s 7d")
    sizes = [size + (seat == 3) for seat, size in enumerate(sizes)]
    hands = [cards.text([pool.pop() for _ in range(size)]) for size in sizes]
    env = arranged(hands, "Aces", turn=3, pile="9c Tc", max_turns=30, turns=30)
    play(env, f"put {hands[3].split()[0]}")
    assert not any(env.terminations.values())
    play(env, "all accept")
    assert all(env.terminations.values())
    assert returns(env) == pytest.approx(rewards)


@pytest.mark.rule("BL-51")
def test_the_last_challenge_is_played_out_and_a_paused_turn_goes_on() -> None:
    hands = ["2d 2h 2s", "3d 3h", "4d 4h"]
    env = arranged(hands, "Aces", turn=2, pile="9c Tc", max_turns=30, turns=30, paused=1)
    play(env, "put 4d", "all accept")
    assert not any(env.terminations.values())  # 0 goes on
    assert env.current_player == 0
    play(env, "put 2d", "challenge")
    assert all(env.terminations.values())
    assert returns(env) == pytest.approx([-1 / 2, -1 / 2, 1])  # 0 has taken the heap


@pytest.mark.rule("BL-53")
def test_the_greatest_length() -> None:
    for options, turn in (({}, 10), ({"deck": "standard", "num_players": 8}, 12), ({"num_players": 2, "max_play": 1}, 3)):
        parsed = GAME.make_options({**options, "max_turns": 7})
        assert GAME.max_length(parsed) == 7 * turn + 24
    env = dealt(["2c 3c 4c 5c 6c 7c"], rank_order="free", max_turns=1)
    steps = 0
    while env.legal_actions():
        env.step(min(env.legal_actions()) if not field(env, "answering") else env.action_from_label("accept"))
        steps += 1
    assert steps == 6 + 4


# --- worked examples not told above ---


@pytest.mark.rule("BL-10", "BL-32", "BL-35", "BL-36")
def test_examples_2_to_5() -> None:
    env = dealt(["Ac As", "2c Kd", "3c 3d 3h 3s Jk Jk"])
    play(env, "put Ac As", "accept", "challenge")
    assert (field(env, "held"), env.current_player, due(env)) == (1, 1, "Twos")
    assert {*parse("Ac As")} <= set(hand(env, 2))
    before = len(hand(env, 1))
    play(env, "put 2c Kd", "accept", "accept", "challenge")
    assert (field(env, "held"), env.current_player, due(env), len(hand(env, 1))) == (0, 2, "Threes", before)
    other = env.clone()
    play(env, "put 3h SJ BJ", "challenge")
    assert field(env, "held")
    play(other, "put 3c 3d 3h 3s SJ", "challenge")
    assert not field(other, "held")
