"""Poker clause by clause: reveals, up-cards and common cards redealt, the showdown."""

from __future__ import annotations

import pytest
from games.poker_positions import field, labels, levels, of_seats, order, parse, pass_on, play, seats, seen, table, won, zone
from wilddeck.envs import raw_env

REVEALS = ("reveal", "redeal")


def plain(env) -> list[str]:  # type: ignore[no-untyped-def]
    """What is legal but for reveals."""
    return [label for label in labels(env) if not label.startswith(REVEALS)]


# --- reveals ---


@pytest.mark.rule("PK-35", "PK-36")
def test_a_special_is_revealed_in_ones_turn_or_not() -> None:
    env = table(["Dr-c Sk-c", "3c 8s", "4c 9d"], "Rv-h Kd Ah 2h")
    assert labels(env)[-2:] == ["reveal Dr-c", "reveal Sk-c"]
    play(env, "0 reveal Dr-c")
    assert labels(env) == ["reveal Sk-c", "redeal"]
    assert zone(env, "hand/0", viewer=1) == "Dr-c ??"  # what is staged is public
    play(env, "0 redeal")
    assert zone(env, "hand/0", viewer=0) == "Kd Rv-h Sk-c"
    assert zone(env, "hand/0", viewer=1) == "?? ?? ??"  # hidden again
    assert (env.current_player, zone(env, "aside"), zone(env, "muck")) == (0, "Dr-c", "")
    assert labels(env)[-2:] == ["reveal Rv-h", "reveal Sk-c"]  # again in the same turn
    play(env, "0 call")
    assert env.current_player == 1


@pytest.mark.rule("PK-36")
def test_no_card_is_burned_for_a_redeal() -> None:
    env = table(["Dr-c 2c", "3c 8s", "4c 9d"], "Kc Kd Ah 2h", burn=True)
    play(env, "0 reveal Dr-c")
    assert zone(env, "muck") == ""
    assert zone(env, "hand/0") == "2c Kc Kd"


@pytest.mark.rule("PK-38")
def test_a_draw_makes_the_hand_larger() -> None:
    """In omaha five cards in the hand, of which any two count."""
    env = table(["2c 3d 4h Dr-c", "Kc Kd 6h 7s"], "Ac Ad As Ah 8c 9d Th", variant="omaha", button=1)
    play(env, "1 call; 0 reveal Dr-c")
    assert zone(env, "hand/0") == "2c 3d 4h Ac Ad"
    play(env, "0 check; 0,1 check; 0,1 check; 0,1 check")
    assert won(env) == [2, -2]


@pytest.mark.rule("PK-38")
def test_nothing_can_be_revealed_without_cards() -> None:
    env = table(["Dr-c 2c", "3c 8s", "4c 9d"])
    env.record["pile_at"] = env.record["pile_end"] - 1
    env.__setstate__(env.__getstate__())
    assert "reveal Dr-c" in labels(env)
    play(env, "0 reveal Dr-c")
    assert len(zone(env, "hand/0").split()) == 2  # one card is there, and no second one
    env = table(["Dr-c 2c", "3c 8s", "4c 9d"])
    env.record["pile_at"] = env.record["pile_end"]
    env.__setstate__(env.__getstate__())
    assert "reveal Dr-c" not in labels(env)


@pytest.mark.rule("PK-39", "PK-40")
def test_a_reverse_makes_its_player_last() -> None:
    env = table(["2c 7d", "3c 8s", "4c 9d", "Rv-c Td"], "2h Ac Kd 5h 6s Jh")
    play(env, "3 reveal Rv-c")
    assert (env.current_player, seats(env, "paused"), field(env, "direction")) == (2, [3], -1)
    assert seen(env, 3, "seats")[4] == 1
    play(env, "2 raise to 4; 1 fold; 0 call")
    assert (env.current_player, seats(env, "paused")) == (3, [])
    assert plain(env)[:2] == ["fold", "call 4"]
    play(env, "3 call")
    assert field(env, "street") == 1
    assert order(env) == [0, 3, 2]  # PK-04: the button opens


@pytest.mark.rule("PK-39")
def test_reverses_together_and_one_by_one() -> None:
    """R11: together they pause and keep the order; one by one each turns it."""
    hands = ["2c 7d", "3c 8s", "4c 9d", "Rv-c Rv-d"]
    env = table(hands, "2h 2d Ac Kd 5h 6s Jh")
    play(env, "3 reveal Rv-c; 3 reveal Rv-d")
    assert (env.current_player, seats(env, "paused"), field(env, "direction")) == (0, [3], 1)
    env = table(hands, "2h 2d Ac Kd 5h 6s Jh")
    play(env, "3 reveal Rv-c; 3 redeal")
    assert (env.current_player, field(env, "direction")) == (2, -1)
    play(env, "2 check; 1 call; 0 call; 3 reveal Rv-d")
    assert (env.current_player, field(env, "direction")) == (3, 1)  # nobody else has a turn left: they go on at once


@pytest.mark.rule("PK-41", "PK-34", "PK-08")
def test_a_skip_is_a_check_or_a_free_call() -> None:
    env = table(["2c 7d", "3c 8s", "Sk-c 9d"], "2h Ac Kd 5h 6s Jh")
    play(env, "0 call; 1 call; 2 reveal Sk-c")
    assert field(env, "street") == 1  # a check of the big blind
    assert levels(env) == [2, 2, 2]
    env = table(["Sk-c 7d", "3c 8s", "4c 9d"], "2h Ac Kd 5h 6s Jh")
    play(env, "0 reveal Sk-c; 1 call; 2 check")
    assert (of_seats(env, "paid"), levels(env)) == ([0, 2, 2], [2, 2, 2])
    assert seen(env, 1, "seats")[2 * 17 + 8] == pytest.approx(2 / 200)


@pytest.mark.rule("PK-34", "PK-41")
def test_against_an_all_in_a_skip_is_a_free_showdown() -> None:
    """R9: they pay nothing of the 50 and win both stacks up to their level; uncalled bets are reckoned by levels."""
    env = table(["2c 7d", "Sk-h Ah"], "As Ad Kd 5h 6s Jh", stack=50, button=0, raise_sizes=())
    play(env, "0 raise to 50; 1 reveal Sk-h")
    assert won(env) == [-50, 50]


@pytest.mark.rule("PK-34", "PK-13")
def test_a_skip_saves_no_more_than_the_stack() -> None:
    env = table(["2c 7d", "Sk-h Ah"], "As Ad Kd 5h 6s Jh", stack=(200, 30), button=0, raise_sizes=())
    play(env, "0 raise to 200; 1 reveal Sk-h")
    assert (levels(env), of_seats(env, "chips")) == ([30, 30], [170, 28])  # 2 + 28, and 170 come back
    play(env, "1,0 check; 1,0 check; 1,0 check")
    assert won(env) == [-30, 30]


@pytest.mark.rule("PK-42", "PK-08")
def test_after_a_skip_a_short_all_in_may_be_called_but_not_raised() -> None:
    hands = ["2c 7d", "Sk-h Ah", "4c 9d", "5c Td"]
    env = table(hands, "As Ad Kd 5h 6s Jh", stack=(25, 200, 200, 200), button=3, raise_sizes=(3.6,))
    play(env, "2 raise to 20; 3 fold; 0 raise to 25")
    assert env.current_player == 1
    env = table(hands, "As Ad Kd 5h 6s Jh", stack=(200, 200, 25, 200), button=0, raise_sizes=(3.6,))
    play(env, "3 raise to 20; 0 fold; 1 reveal Sk-h; 2 raise to 25; 3 call")
    assert env.current_player == 1
    assert plain(env) == ["fold", "call 24", "raise to 43", "raise to 200, all-in"]  # 24 is more than a full raise
    env = table(["2c 7d", "3c 8s", "4c 9d", "Sk-h Ah"], "As Ad Kd 5h 6s Jh", stack=(200, 200, 3, 200), button=0)
    play(env, "3 reveal Sk-h; 0 call; 1 call; 2 raise to 3; 3 call")
    assert env.current_player == 0
    assert plain(env) == ["fold", "call 1"]


@pytest.mark.rule("PK-43")
def test_several_kinds_together() -> None:
    env = table(["2c 7d Rv-c Sk-c", "3c 8s 3d 8d", "Dr-d Sk-d 4c 4d"], "2h 2d Ac Kd Qh 5h 6s Jh", variant="omaha")
    play(env, "0 reveal Rv-c; 0 reveal Sk-c")
    assert (seats(env, "by_skip"), seats(env, "paused"), field(env, "direction")) == ([0], [], -1)
    assert env.current_player == 2
    play(env, "2 reveal Dr-d; 2 reveal Sk-d")
    assert zone(env, "hand/2") == "4c 4d Qh Kd Ac"  # three cards, though their turn is over
    assert env.current_player == 1


@pytest.mark.rule("PK-35", "PK-44")
def test_reveals_in_the_draw() -> None:
    hands = ["2c 3c 4c 5d 7h", "6c 7c 8c Sk-c Rv-c", "2d 3d Rv-d 5h 7s"]
    env = table(hands, "Kc Kd Kh Ks Qc Qd Qh", variant="five_card_draw")
    play(env, "0 call; 1 call; 2 check")
    assert env.current_player == 1
    play(env, "1 discard 6c")
    assert not [label for label in labels(env) if label.startswith("reveal")]  # only before the first mark
    play(env, "1 discard Rv-c; 1 discard Sk-c")  # discarded, not revealed: nothing happens; the last slot
    assert (env.current_player, field(env, "direction"), zone(env, "aside")) == (2, 1, "")
    play(env, "2 reveal Rv-d")
    assert (env.current_player, seats(env, "paused")) == (0, [2])
    play(env, "0 stand pat; 2 discard 2d; 2 draw 1")
    assert of_seats(env, "exchanged") == [0, 3, 1]
    env = table(hands, "Kc Kd Kh Ks Qc Qd Qh", variant="five_card_draw")
    play(env, "0 call; 1 call; 2 check; 1 reveal Sk-c; 1 redeal")
    assert (env.current_player, of_seats(env, "exchanged")) == (2, [0, 0, 0])


@pytest.mark.rule("PK-45")
def test_who_is_all_in_reveals_nothing_but_in_the_draw() -> None:
    env = table(["Sk-c 7d", "3c 8s", "4c 9d"], "Ac Kd 5h 6s Jh 2h", stack=(10, 50, 50), raise_sizes=())
    play(env, "0 raise to 10; 1,2 call; 1 check; 2 check")
    assert zone(env, "hand/0") == "7d Sk-c"
    hands = ["2c 3c 4c 5d Dr-c", "6c 7c 8c 9c 2h", "2d 3d 4h 5h 7s"]
    env = table(hands, "Kc Kd", variant="five_card_draw", stack=(10, 50, 50), raise_sizes=())
    play(env, "0 raise to 10; 1,2 call; 1,2 stand pat")
    assert "reveal Dr-c" in labels(env)


# --- up-cards ---


def stud(hands: list[str], following: str, **options):  # type: ignore[no-untyped-def]
    return table(hands, following, variant="five_card_stud", **options)


@pytest.mark.rule("PK-36", "PK-37")
def test_up_cards_are_redealt_as_the_turn_begins() -> None:
    """A Draw and what comes for it: all lie face up, and the effects of all apply together."""
    env = stud(["2c Dr-c", "3c 4d", "5c 9d"], "Rv-h Kd Sk-d 7h 8h Th Jh", button=2)
    assert env.current_player == 1
    play(env, "1 check; 2 call 1")
    assert zone(env, "up/0") == "7h 8h Kd"
    assert zone(env, "hand/0") == "2c"
    assert zone(env, "up/0", viewer=1) == zone(env, "up/0")
    assert (seats(env, "by_skip"), field(env, "direction"), field(env, "street")) == ([], -1, 1)
    assert of_seats(env, "revealed")[0] == [1, 1, 1]
    assert seen(env, 0, "seats")[12:15] == [0.25, 0.25, 0.25]


@pytest.mark.rule("PK-37", "PK-39")
def test_a_reverse_that_lies_up_pauses() -> None:
    env = stud(["2c Rv-c", "3c 4d", "5c 9d"], "Kd 7h 8h Th Jh", button=2)
    play(env, "1 check; 2 call 1")
    assert (env.current_player, field(env, "direction")) == (0, -1)  # they go on at once
    assert labels(env)[:2] == ["fold", "call 1"]
    env = stud(["2c 9h", "3c Rv-c", "5c 4d"], "Kd 7h 8h Th Jh", button=2)
    play(env, "2 check; 0 call 1; 1 call 1")
    assert field(env, "street") == 1


@pytest.mark.rule("PK-37")
def test_a_hidden_special_is_not_redealt_unasked() -> None:
    env = stud(["Sk-c 9h", "3c 4d", "5c Td"], "Kd 7h 8h Th Jh", button=2)
    play(env, "1 check; 2 call 1")
    assert env.current_player == 0
    assert labels(env) == ["fold", "call 1", "raise to 2", "reveal Sk-c"]
    play(env, "0 reveal Sk-c")
    assert zone(env, "hand/0") == "Kd"  # face down, as it lay
    assert zone(env, "up/0") == "7h 9h"


@pytest.mark.rule("PK-37", "PK-41")
def test_a_hand_that_ends_with_an_up_card_leaves_a_seat_to_move() -> None:
    """The last turn of the hand begins, and a Skip that lies face up ends it."""
    env = stud(["2c 9h", "3c 4d"], "Kd 7h 8h Th Jh Sk-c Qc", button=1)
    while env.legal_actions():
        pass_on(env)
    assert zone(env, "aside") == "Sk-c"
    assert env.current_player in (0, 1)


@pytest.mark.rule("PK-45", "PK-20")
def test_the_bring_in_is_posted_before_a_reveal() -> None:
    """The player after the one with the Skip brings in; on the next street the Skip is gone."""
    env = stud(["2c Sk-c", "3c 4d"], "Kd 7h 8h", button=1)
    assert of_seats(env, "bet") == [0, 1]
    play(env, "1 check")
    assert zone(env, "up/0") == "7h Kd"
    assert (field(env, "street"), levels(env)) == (1, [2, 2])


# --- the board ---


@pytest.mark.rule("PK-50")
def test_the_board_may_have_nine_cards() -> None:
    env = table(["2c 7d", "3c 8s"], "Dr-c Dr-d Ac Dr-h Dr-s Kd 5h 6s Jh 9c 9d Tc Th", button=1)
    play(env, "1 call; 0 check")
    assert len(env.zones()["community"]) == 7
    assert zone(env, "aside") == "Dr-c Dr-d Dr-h Dr-s"
    play(env, "0,1 check; 0,1 check; 0,1 check")
    assert len(env.zones()["community"]) == 9


@pytest.mark.rule("PK-51", "PK-52")
@pytest.mark.parametrize(
    ("flop", "checked", "turns", "direction"),
    [
        ("Sk-c 2h 5c Jd", [0], [1, 2, 3], 1),
        ("Sk-c Sk-d 2h 5c Jd", [0, 1], [2, 3], 1),
        ("Sk-c Sk-d Sk-h Sk-s 2h 5c Jd", [0, 1, 2, 3], [], 1),
        ("Rv-c 2h 5c Jd", [], [3, 2, 1, 0], -1),
        ("Rv-c Rv-d 2h 5c Jd", [], [0, 1, 2, 3], 1),
        ("Rv-c Rv-d Rv-h 2h 5c Jd", [], [3, 2, 1, 0], -1),
        ("Sk-c Rv-d Sk-h 2h 5c Jd", [0, 3], [2, 1], -1),
        ("Rv-c Sk-d Rv-h 2h 5c Jd", [3], [0, 1, 2], 1),
        ("Sk-c Sk-d Sk-h Sk-s Rv-c 2h 5c Jd", [0, 1, 2, 3], [], -1),
    ],
)
def test_skips_and_reverses_on_the_flop(flop: str, checked: list[int], turns: list[int], direction: int) -> None:
    env = table(["2c 7d", "3c 8s", "4c 9d", "Qc Td"], flop, button=3)
    play(env, "2,3,0 call; 1 check")
    assert field(env, "direction") == direction
    if turns:
        assert seats(env, "by_skip") == checked
        assert order(env) == turns
    else:
        assert field(env, "street") == 2  # nobody is left: the street is over


@pytest.mark.rule("PK-53", "PK-08")
def test_a_forced_check_counts_as_having_acted() -> None:
    env = table(["2c 7d", "3c 8s", "4c 9d"], "Sk-c 2h 5c Jd", button=2, stack=(50, 50, 3), raise_sizes=(1,))
    play(env, "2,0 call; 1 check; 1 check; 2 bet 1")
    assert env.current_player == 0
    assert plain(env) == ["fold", "call 1"]  # a short bet: who has acted may not raise


@pytest.mark.rule("PK-53")
def test_with_one_player_left_to_act_specials_only_turn_the_order() -> None:
    env = table(["Ac Ad", "3c 8s"], "Sk-c Rv-c 2h 5c Jd 9h Th", button=1, stack=(20, 50), raise_sizes=())
    play(env, "1 raise to 50; 0 call")
    assert (field(env, "direction"), len(env.zones()["community"])) == (-1, 5)


@pytest.mark.rule("PK-52")
def test_who_was_paused_and_is_skipped_then_has_no_turn_left() -> None:
    """Two Reverses pause 0 and 1, the order comes back to 0, and the Skip ends their turn."""
    env = table(["2c 7d", "3c 8s"], "Rv-c Rv-d Sk-c 2h 5c Jd", button=1)
    play(env, "1 call; 0 check")
    assert (env.current_player, seats(env, "paused"), seats(env, "by_skip")) == (1, [], [0])


@pytest.mark.rule("PK-53")
def test_a_burned_special_does_nothing() -> None:
    env = table(["2c 7d", "3c 8s", "4c 9d"], "Rv-c 2h 5c Jd", burn=True)
    play(env, "0 call; 1 call; 2 check")
    assert (zone(env, "muck"), field(env, "direction"), zone(env, "aside")) == ("Rv-c", 1, "")
    assert zone(env, "muck", viewer=0) == "??"


# --- the showdown ---


@pytest.mark.rule("PK-54", "PK-55")
def test_every_special_is_redealt_at_the_showdown() -> None:
    """Clockwise from the seat after the button, the all-in player's too; Skip and Reverse do nothing. Folded hands are left."""
    env = table(
        ["Sk-c Rv-c", "Dr-c 3c", "Sk-d 4c", "Rv-d 9s"],
        "Ac Kd 5h 6s Jh 2h 2d 3h 3d 4h",
        stack=(10, 50, 50, 50),
        button=3,
        raise_sizes=(),
    )
    play(env, "2 call; 3 fold; 0 raise to 10; 1,2 call; 1,2 check; 1,2 check; 1,2 check")
    assert zone(env, "hand/0") == "2d 2h"
    assert zone(env, "hand/1") == "3c 3d 3h"
    assert zone(env, "hand/2") == "4c 4h"
    assert "Rv-d" in zone(env, "muck")
    assert field(env, "direction") == 1
    assert won(env) == [-10, 20, -10, 0]
    assert seats(env, "shown") == [0, 1, 2]
    assert zone(env, "muck", viewer=0) == "?? ??"


@pytest.mark.rule("PK-54")
def test_nothing_is_redealt_when_all_have_folded() -> None:
    env = table(["2c 7d", "3c 8s", "Dr-c Sk-c"])
    play(env, "0 fold; 1 fold")
    assert zone(env, "hand/2") == "Dr-c Sk-c"
    assert zone(env, "hand/2", viewer=0) == "?? ??"


@pytest.mark.rule("PK-54")
def test_a_special_without_replacement_is_no_card() -> None:
    env = table(["Sk-c Ac", "Kc Kd"], "2h 5d 7s 9h Jd", button=1)
    play(env, "1 call; 0 check; 0,1 check; 0,1 check; 0 check")
    env.record["pile_at"] = env.record["pile_end"]
    play(env, "1 check")
    assert zone(env, "hand/0") == "Ac Sk-c"
    assert won(env) == [-2, 2]


@pytest.mark.rule("PK-54")
def test_up_and_down_cards_are_redealt_together() -> None:
    """In ascending order: Dr-c, face up, first, then Sk-c, face down, then the second card for Dr-c."""
    hands = ["2c 3c 4c 5c 7c Jc Sk-c", "2d 3d 4d 6d 7d Td Kd"]
    env = table(hands, "8h 9h Th", variant="chicago", button=1)
    while field(env, "street") < 4:
        pass_on(env)
    up = env.record["up"][0][0]
    hand = env.record["hand"][0][0]
    old, new = 1 << parse("Jc")[0], 1 << 52  # the last up-card becomes Dr-c, which lay in the stock
    for cards in (up, hand):
        cards[0] = (int(cards[0]) & ~old) | new
    place = [int(card) for card in env.record["deck"][0]].index(54)
    env.record["deck"][0][place] = parse("Jc")[0]
    env.record["out"] = 3 ^ 1 << env.current_player  # the other has checked
    if env.current_player == 0:
        env.record["turn"] = env.record["current_player"] = 1
        env.record["out"] = 1
    play(env, "1 check")
    assert zone(env, "hand/0") == "2c 3c 9h"
    assert set(zone(env, "up/0").split()) == {"4c", "5c", "7c", "8h", "Th"}


def test_specials_change_nothing_with_the_standard_deck() -> None:
    env = raw_env("poker_v0", deck="standard", num_players=4, hands=5)
    env.reset(seed=1)
    while env.legal_actions():
        assert max(env.legal_actions()) < 10
        assert env.zones()["aside"] == []
        pass_on(env)
