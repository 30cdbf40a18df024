"""Reveals, specials that lie face up or are played, and turns in both modes (ED-20 to ED-42, ED-50 to ED-64, ED-90)."""

from __future__ import annotations

import pytest
from core.extended import toy_rotation
from core.extended.positions import arranged, hand, legal, next_turns, order, play, rotation, tricks, turn, value, zone
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended import redeal, turns
from wilddeck.envs.core.extended.sets import specials_of
from wilddeck.envs.core.jit import device_function

# --- reveals ---


def reveals(env: CardGameEnv) -> set[str]:
    return {label for label in legal(env) if label.startswith(("reveal", "redeal"))}


@pytest.mark.rule("ED-20")
def test_specials_are_revealed_in_ones_own_turn_between_decisions() -> None:
    """Not while a Joker is declared or settled; in a turn that goes on after a pause, too."""
    env = tricks(["SJ Dr-c 5c", "Sk-c 5d", "", ""], "9h 8h 7h")
    assert reveals(env) == {"reveal Dr-c"}
    play(env, "0 play SJ")
    assert reveals(env) == set()
    play(env, "0 declare 5d")
    assert (turn(env), reveals(env)) == (1, {"reveal Sk-c"})
    env = tricks(["SJ Dr-c 5c", "5d 6c", "4d 7c", "3d 8c"], "9h 8h 7h")
    play(env, "0 play SJ; 0 declare 5d; 1 play 5d; 2 play 4d; 3 play 3d")
    assert legal(env) == {"win with the Joker", "lose with the Joker"}
    env = rotation(["Rv-c Sk-d 5c", ""], "9h 8h 7h")
    play(env, "0 reveal Rv-c; 0 redeal; 1 end")
    assert reveals(env) == {"reveal Sk-d"}


@pytest.mark.rule("ED-21")
def test_once_something_is_staged_only_reveals_and_the_commit_are_legal() -> None:
    env = rotation(["Rv-c Sk-d Dr-h 5c", ""], "9h 8h 7h 6h")
    play(env, "0 reveal Rv-c")
    assert legal(env) == {"reveal Sk-d", "reveal Dr-h", "redeal"}
    assert (zone(env, "pile"), value(env, "staged")) == ("9h 8h 7h 6h", 1 << 4)
    play(env, "0 reveal Dr-h; 0 redeal")
    assert (hand(env, 0), zone(env, "aside"), order(env)) == ("5c 7h 8h 9h Sk-d", "Dr-h Rv-c", -1)


@pytest.mark.rule("ED-22", "ED-23")
def test_what_is_staged_must_have_a_card_to_replace_it() -> None:
    env = rotation(["Dr-c Dr-d Dr-h 5c", ""], "9h 8h")
    play(env, "0 reveal Dr-c; 0 reveal Dr-d")
    assert value(env, "staged") == 0, "the commit followed, as no third card is there"
    assert hand(env, 0) == "5c 8h 9h Dr-h"
    assert reveals(env) == set(), "nothing is available"
    env = play(rotation(["Dr-c 5c", ""], "9h 8h"), "0 reveal Dr-c")
    assert (value(env, "staged"), hand(env, 0)) == (0, "5c 8h 9h"), "nothing else could be revealed"


@pytest.mark.rule("ED-24")
def test_a_draw_with_one_card_left_is_replaced_by_one() -> None:
    env = play(rotation(["Dr-c 5c", ""], "9h"), "0 reveal Dr-c")
    assert (hand(env, 0), zone(env, "pile")) == ("5c 9h", "")


@pytest.mark.rule("ED-24")
def test_every_special_is_replaced_before_a_draw_brings_a_second_card() -> None:
    env = play(rotation(["Dr-c Sk-h 5c", "", ""], "9h 8h"), "0 reveal Dr-c; 0 reveal Sk-h")
    assert (hand(env, 0), turn(env)) == ("5c 8h 9h", 1)


@pytest.mark.rule("ED-25", "ED-29")
def test_replacements_are_not_revealed_but_may_be_in_the_same_turn() -> None:
    env = play(rotation(["Dr-c 5c", "", ""], "Sk-d Rv-h 4h"), "0 reveal Dr-c")
    assert (turn(env), reveals(env)) == (0, {"reveal Sk-d", "reveal Rv-h"})
    assert env.zones("player_1")["hand/0"] == [-1] * 3
    play(env, "0 reveal Sk-d")
    assert (turn(env), hand(env, 0)) == (1, "4h 5c Rv-h")


@pytest.mark.rule("ED-26", "ED-51")
@pytest.mark.parametrize(
    ("cards", "next_seat", "direction", "paused"),
    [("Dr-c", 0, 1, 0), ("Rv-c", 3, -1, 1), ("Rv-c Rv-d", 1, 1, 1), ("Rv-c Rv-d Rv-h", 3, -1, 1), ("Sk-c", 1, 1, 0)],
)
def test_the_effect_of_what_is_redealt(cards: str, next_seat: int, direction: int, paused: int) -> None:
    env = rotation([f"{cards} 5c", "", "", ""], "9h 8h 7h 6h")
    play(env, "; ".join(f"0 reveal {card}" for card in cards.split()))
    assert (turn(env), order(env), value(env, "paused", 0)) == (next_seat, direction, paused)


@pytest.mark.rule("ED-27")
@pytest.mark.parametrize(
    ("cards", "next_seat", "direction"), [("Rv-c Sk-c", 3, -1), ("Rv-c Rv-d Sk-c", 1, 1), ("Sk-c Sk-d Sk-h", 1, 1)]
)
def test_a_skip_ends_the_turn_whatever_comes_with_it(cards: str, next_seat: int, direction: int) -> None:
    env = rotation([f"{cards} 5c", "", "", ""], "9h 8h 7h 6h 4h")
    play(env, "; ".join(f"0 reveal {card}" for card in cards.split()))
    assert (turn(env), order(env), value(env, "paused")) == (next_seat, direction, 0)
    assert not any(value(env, "skip", seat) for seat in range(4))


@pytest.mark.rule("ED-28")
def test_redealt_specials_act_on_their_holder_alone() -> None:
    env = play(tricks(["Dr-h 5h", "4h 2c", "6h 2d", "7h 2s"], "9h 8h 7c 6c"), "0 reveal Dr-h")
    assert (hand(env, 0), value(env, "trick_size"), turn(env)) == ("5h 8h 9h", 0, 0)
    play(env, "0 play 5h")
    assert (hand(env, 1), value(env, "draw", 1)) == ("2c 4h", 0)


@pytest.mark.rule("ED-29", "ED-40")
def test_a_turn_ended_by_a_skip_is_lost_and_what_was_played_in_it_acts() -> None:
    env = tricks(["Sk-c 5h", "4h 2c", "6h 2d", "7h 2s"], "9h")
    play(env, "0 reveal Sk-c; 1 play 4h; 2 play 6h; 3 play 7h")
    assert (value(env, "tricks_done"), zone(env, "played/0")) == (1, "")
    env = rotation(["Dr-d Sk-c 5h", "", ""], "9h 8h 7h 6h")
    play(env, "0 play Dr-d; 0 reveal Sk-c")
    assert (turn(env), hand(env, 1)) == (1, "3c 3d 7h 8h")


@pytest.mark.rule("ED-30", "ED-90")
def test_a_paused_turn_goes_on_as_it_was() -> None:
    """The card drawn before the pause is the one of this turn; the next turn has one again."""
    env = rotation(["Rv-c 5c 6c", "", ""], "9h 8h 7h")
    play(env, "0 draw; 0 play 5c; 0 reveal Rv-c")
    begun = value(env, "turns")
    play(env, "2 end; 1 end")
    assert (turn(env), value(env, "drawn", 0), value(env, "laid", 0), value(env, "turns")) == (0, 1, 1, begun + 1)
    assert "draw" not in legal(env)
    play(env, "0 end; 2 end; 1 end")
    assert (value(env, "drawn", 0), value(env, "laid", 0)) == (0, 0)


@pytest.mark.rule("ED-30", "ED-40")
def test_what_was_played_before_a_pause_acts_when_the_turn_ends() -> None:
    env = rotation(["Dr-c Rv-c 6c", "", ""], "9h 8h 7h")
    play(env, "0 play Dr-c; 0 reveal Rv-c; 2 end; 1 end")
    assert [hand(env, seat) for seat in (1, 2)] == ["3c 3d", "3c 3d"]
    play(env, "0 end")
    assert (turn(env), hand(env, 2)) == (2, "3c 3d 7h 8h")


# --- hands that lie face up ---


@pytest.mark.rule("ED-31")
def test_specials_of_a_hand_that_lies_face_up_are_redealt_as_its_turn_begins() -> None:
    env = rotation(["5c 6c", "Dr-d Dr-c 4c", ""], "9h 8h 7h 6h 2h", open_hands=2)
    assert hand(env, 1) == "4c Dr-c Dr-d", "not before"
    play(env, "0 end")
    assert (turn(env), hand(env, 1), zone(env, "aside")) == (1, "4c 6h 7h 8h 9h", "Dr-c Dr-d")
    assert reveals(env) == set()


@pytest.mark.rule("ED-31", "ED-57")
def test_cards_are_taken_before_and_a_skipped_turn_redeals_nothing() -> None:
    env = rotation(["Dr-c 6c", "4c", ""], "Dr-d 8h 7h 6h 2h", open_hands=2)
    play(env, "0 play Dr-c; 0 end")
    assert (turn(env), hand(env, 1), zone(env, "aside")) == (1, "4c 6h 7h 8h", "Dr-d")
    env = rotation(["Sk-c 6c", "Dr-d 4c", ""], "8h 7h 6h 2h", open_hands=2)
    play(env, "0 play Sk-c; 0 end")
    assert (turn(env), hand(env, 1), zone(env, "aside")) == (2, "4c Dr-d", "")


@pytest.mark.rule("ED-31")
@pytest.mark.parametrize(("card", "next_seat", "paused"), [("Dr-d", 1, 0), ("Sk-d", 2, 0), ("Rv-d", 0, 1)])
def test_a_special_that_comes_in_the_turn_is_redealt_at_once(card: str, next_seat: int, paused: int) -> None:
    env = rotation(["5c 6c", "4c", ""], f"{card} 8h 7h", open_hands=2)
    play(env, "0 end; 1 draw")
    assert (turn(env), zone(env, "aside"), value(env, "paused", 1)) == (next_seat, card, paused)
    assert hand(env, 1) == ("4c 7h 8h" if card == "Dr-d" else "4c 8h")


@pytest.mark.rule("ED-32")
def test_chains_act_once_in_the_end() -> None:
    """Two Reverses of two batches: one pause, and the order stays. A Skip of a later batch ends the turn."""
    env = rotation(["5c 6c", "Rv-d 4c", ""], "Rv-h 8h 7h", open_hands=2)
    play(env, "0 end")
    assert (turn(env), order(env), value(env, "paused", 1), hand(env, 1)) == (2, 1, 1, "4c 8h")
    begun = value(env, "turns")
    play(env, "2 end; 0 end")
    assert (turn(env), value(env, "turns"), value(env, "drawn", 1)) == (1, begun + 2, 0), "the game sees it as a new turn"
    env = rotation(["5c 6c", "Rv-d 4c", ""], "Sk-h 8h 7h", open_hands=2)
    play(env, "0 end")
    assert (turn(env), order(env), value(env, "paused")) == (0, -1, 0)


@pytest.mark.rule("ED-30", "ED-31")
def test_a_turn_put_off_is_new_and_one_paused_later_goes_on() -> None:
    env = rotation(["5c 6c", "Rv-d 4c", ""], "8h Rv-h 7h", open_hands=2)
    play(env, "0 end; 0 end; 2 end")
    begun = value(env, "turns")
    play(env, "1 draw")
    assert (turn(env), order(env), value(env, "paused", 1)) == (2, 1, 1)
    play(env, "2 end; 0 end")
    assert (turn(env), value(env, "turns"), value(env, "drawn", 1)) == (1, begun + 2, 1)


@pytest.mark.rule("ED-20", "ED-33")
def test_nothing_is_revealed_by_choice_in_a_hand_that_lies_face_up() -> None:
    """A special stayed as there was no card; when there is one again, it is redealt as the next turn begins."""
    env = rotation(["5c", "Dr-c 4c 6c", ""], "", open_hands=2, reshuffle=True)
    play(env, "0 end; 1 play 4c")
    assert legal(env) == {"play 6c", "play Dr-c", "draw", "end"}
    play(env, "1 end; 2 end; 0 end")
    assert (turn(env), hand(env, 1), zone(env, "aside")) == (1, "4c 6c", "Dr-c")


@pytest.mark.rule("ED-33")
def test_when_cards_run_short_the_first_of_a_batch_are_replaced() -> None:
    """The first batch is taken by id, those after it in the order they came."""
    env = rotation(["5c 6c", "Sk-d Rv-d 4c", ""], "8h", open_hands=2)
    play(env, "0 end")
    assert (hand(env, 1), zone(env, "aside"), turn(env), order(env)) == ("4c 8h Sk-d", "Rv-d", 0, -1)
    env = rotation(["5c 6c", "Dr-c Dr-d 4c", ""], "Sk-h Rv-h 7h 6h 8h", open_hands=2)
    play(env, "0 end")
    assert (hand(env, 1), zone(env, "aside")) == ("4c 6h 7h 8h Rv-h", "Dr-c Dr-d Sk-h")
    assert (turn(env), order(env)) == (2, 1), "the Reverse that stays does nothing"
    env = rotation(["5c 6c", "Dr-c Dr-d Sk-h 4c", ""], "", open_hands=2)
    play(env, "0 end")
    assert (hand(env, 1), zone(env, "aside"), turn(env)) == ("4c Dr-c Dr-d Sk-h", "", 1)
    assert "play Sk-h" in legal(env), "a card like others"


@device_function
def redeal_hand(states, seat):  # type: ignore[no-untyped-def]
    return redeal.redeal_face_up(states[0], seat, specials_of(states[0].hand[seat]))


@pytest.mark.rule("ED-34")
def test_before_hands_are_compared_all_specials_are_redealt() -> None:
    env = rotation(["Rv-d Dr-c 4c", ""], "Sk-h 8h 7h 6h")
    redeal_hand(env.record.view(type(env._states)), 0)
    assert (hand(env, 0), zone(env, "aside")) == ("4c 6h 7h 8h", "Dr-c Rv-d Sk-h")
    assert (turn(env), order(env), value(env, "paused")) == (0, 1, 0)


# --- specials that are played ---


@pytest.mark.rule("ED-35")
def test_a_played_special_stays_and_acts_on_the_next_player() -> None:
    env = play(rotation(["Sk-c 5c", "", ""], "9h"), "0 play Sk-c")
    assert (turn(env), zone(env, "table"), zone(env, "pile")) == (0, "Sk-c", "9h")
    play(env, "0 end")
    assert (turn(env), zone(env, "aside")) == (2, "")


@pytest.mark.rule("ED-36")
def test_draws_add_up_and_come_first() -> None:
    env = rotation(["Dr-c Dr-d Dr-h Dr-s 5c", "4c", ""], "2h 3h 4h 5h 6h 7h 8h 9h Th")
    play(env, "0 play Dr-c; 0 play Dr-d; 0 play Dr-h; 0 play Dr-s; 0 end")
    assert (turn(env), hand(env, 1)) == (1, "2h 3h 4c 4h 5h 6h 7h 8h 9h")
    assert "draw" in legal(env), "their turn goes on, and is a whole one"


@pytest.mark.rule("ED-37")
def test_a_skip_ends_the_turn_as_it_begins() -> None:
    env = play(rotation(["Sk-c 5c", "", "", ""]), "0 play Sk-c; 0 end")
    assert next_turns(env, 4) == [2, 3, 0, 1]


@pytest.mark.rule("ED-38")
def test_a_reverse_in_a_trick_gives_the_turn_to_who_still_has_one() -> None:
    """0 and 3 have played, 1 is affected: of the others 2 is next, and then 1."""
    env = tricks(["5h 2c", "7h 4d", "6h 4c", "Rv-h 2d"], direction=-1)
    play(env, "0 play 5h; 3 play Rv-h; 1 play 7h; 2 play 6h")
    assert value(env, "tricks_done") == 1
    env = tricks(["5h 2c", "Rv-h 4d", "6h 4c", "7h 2d"])
    play(env, "0 play 5h; 1 play Rv-h; 3 play 7h; 2 play 6h")
    assert value(env, "tricks_done") == 1


@pytest.mark.rule("ED-39")
def test_each_acts_on_whoever_is_next_by_then() -> None:
    env = rotation(["Sk-c Sk-d Dr-c 5c", "4c", "4d", "4h"], "9h 8h 7h")
    play(env, "0 play Sk-c; 0 play Sk-d; 0 play Dr-c; 0 end")
    assert (turn(env), hand(env, 3)) == (3, "4h 8h 9h")
    env = rotation(["Rv-c Rv-d 5c", "", "", ""])
    assert next_turns(play(env, "0 play Rv-c; 0 play Rv-d; 0 end"), 4) == [1, 2, 3, 0]


@pytest.mark.rule("ED-40")
def test_specials_act_when_the_turn_ends_also_of_a_player_who_is_out() -> None:
    env = rotation(["Dr-c Sk-c", "", "", ""], "9h 8h 7h 6h")
    play(env, "0 play Dr-c; 0 play Sk-c")
    assert (turn(env), hand(env, 1)) == (0, "3c 3d")
    play(env, "0 end")
    assert (turn(env), hand(env, 1), value(env, "out")) == (2, "3c 3d 8h 9h", 1)


@pytest.mark.rule("ED-41")
def test_a_draw_comes_before_a_paused_turn_goes_on() -> None:
    env = rotation(["Rv-c 5c", "Dr-c 4d", ""], "9h 8h 7h 6h")
    play(env, "0 draw; 0 reveal Rv-c; 2 end; 1 play Dr-c; 1 end")
    assert (turn(env), hand(env, 0), value(env, "drawn", 0)) == (0, "5c 6h 7h 8h 9h", 1)


@pytest.mark.rule("ED-42")
def test_a_card_that_had_to_be_played_acts_too() -> None:
    env = play(tricks(["5h 2c", "Sk-h 4d", "6h 4c", "7h 2d"]), "0 play 5h")
    assert {label for label in legal(env) if label.startswith("play")} == {"play Sk-h"}
    play(env, "1 play Sk-h; 3 play 7h")
    assert value(env, "tricks_done") == 1


# --- turns ---


@device_function
def turn_of(states, seat, mode):  # type: ignore[no-untyped-def]
    turns.begin_turn(states[0], seat, mode)


@device_function
def end_of_turn(states, mode):  # type: ignore[no-untyped-def]
    turns.end_turn(states[0], mode)


@device_function
def cycle_from(states, leader, closed):  # type: ignore[no-untyped-def]
    turns.start_cycle(states[0], leader, closed)


def cycle(players: int, played: tuple[int, ...] = (), **fields: object) -> CardGameEnv:
    """A cycle in which seat 0 has played specials of these kinds, and their turn ends."""
    env = rotation([""] * players, "9h 8h 7h 6h", **fields)
    queue = 0
    for kind in played:
        queue = int(turns.queue_kind(queue, kind))
    env.record["effects"][0][0] = queue
    end_of_turn(env.record.view(type(env._states)), turns.CYCLE)
    return env


DRAW, REVERSE, SKIP = range(3)


@pytest.mark.rule("ED-50")
def test_in_a_cycle_a_skip_never_falls_on_a_player_twice() -> None:
    env = cycle(4, (SKIP, SKIP, SKIP, SKIP, DRAW))
    assert turn(env) == -1
    assert [value(env, "skip", seat) for seat in range(4)] == [0] * 4
    assert value(env, "carry") == turns.queue_kind(turns.queue_kind(0, SKIP), DRAW), "what finds nobody is left over"


@pytest.mark.rule("ED-50", "ED-53")
def test_the_last_of_a_cycle() -> None:
    env = cycle(4, (), out=0b1110)
    assert (turn(env), value(env, "out")) == (-1, 0b1111)
    env = cycle(4, (REVERSE, DRAW), out=0b1110)
    assert (turn(env), order(env)) == (-1, 1)
    assert value(env, "carry") == turns.queue_kind(turns.queue_kind(0, REVERSE), DRAW)


@pytest.mark.rule("ED-50")
def test_after_a_reverse_the_next_effect_falls_on_who_is_to_begin() -> None:
    env = cycle(4, (REVERSE, DRAW))
    assert (turn(env), hand(env, 3), hand(env, 1)) == (3, "3c 3d 8h 9h", "3c 3d")


@pytest.mark.rule("ED-52")
def test_in_a_cycle_a_paused_player_goes_on_when_all_others_are_done() -> None:
    env = tricks(["4h Rv-c 2c", "5h 2d", "6h 4c", "7h 4d"], "9h")
    play(env, "0 reveal Rv-c; 3 play 7h; 2 play 6h; 1 play 5h")
    assert (turn(env), value(env, "paused")) == (0, 0)


@pytest.mark.rule("ED-54")
def test_a_game_may_reopen_turns() -> None:
    """0 ends their turn, 1 raises: 0 is to act again, after 2."""
    env = cycle(3)
    env.record["out"] = 0
    for seat in (2, 0, -1):
        end_of_turn(env.record.view(type(env._states)), turns.CYCLE)
        assert turn(env) == seat


@device_function
def act_from(states, player, first, mode):  # type: ignore[no-untyped-def]
    turns.begin_turn(states[0], turns.act_on(states[0], player, first, mode), mode)


@pytest.mark.rule("ED-50")
def test_a_game_may_name_who_is_next() -> None:
    """The turn is 0's, and next is not 1 but 2, on whom what 0 played acts, and on whoever follows them."""
    env = rotation([""] * 4, "9h 8h 7h 6h")
    env.record["effects"][0][0] = turns.queue_kind(turns.queue_kind(0, DRAW), SKIP)
    act_from(env.record.view(type(env._states)), 0, 2, turns.ROTATION)
    assert (turn(env), hand(env, 2), hand(env, 1)) == (3, "3c 3d 8h 9h", "3c 3d")
    assert (value(env, "effects", 0), value(env, "skipped")) == (0, 0b0100)


@pytest.mark.rule("ED-57")
def test_a_game_may_place_the_cards_a_player_draws_itself() -> None:
    """As long as there are such cards the turn waits, before a Skip too."""
    env = rotation(["", "5c", ""], "9h 8h 7h", draw=[0, 2, 0, 0, 0, 0], skip=[0, 1, 0, 0, 0, 0], new_turn=0)
    records, mode = env.record.view(type(env._states)), turns.ROTATION | turns.DRAWS_WAIT
    turn_of(records, 1, mode)
    assert (turn(env), hand(env, 1), value(env, "draw", 1), value(env, "new_turn")) == (1, "5c", 2, 0)
    env.record["draw"][0][1] = 0
    turn_of(records, 1, mode)
    assert (turn(env), value(env, "skipped"), value(env, "new_turn")) == (2, 0b010, 1)
    env = rotation(["", "5c", ""], "", draw=[0, 2, 0, 0, 0, 0])
    turn_of(env.record.view(type(env._states)), 1, mode)
    assert (turn(env), value(env, "new_turn")) == (1, 1), "there is nothing to draw"


@pytest.mark.rule("ED-57")
def test_whose_turns_were_skipped_is_seen() -> None:
    env = play(rotation(["Sk-c Sk-d 5c", "", "", "4c Sk-h"]), "0 play Sk-c; 0 play Sk-d; 0 end")
    assert (turn(env), value(env, "skipped")) == (3, 0b0110)
    play(env, "3 end")
    assert (turn(env), value(env, "skipped")) == (0, 0)


@pytest.mark.rule("ED-57", "ED-40")
def test_what_was_played_before_a_pause_acts_when_the_turn_is_skipped() -> None:
    env = rotation(["Dr-c Rv-c 5c", "Sk-d 4d", "4h"], "9h 8h 7h 6h 5h")
    play(env, "0 play Dr-c; 0 reveal Rv-c; 2 end; 1 play Sk-d; 1 end")
    assert (turn(env), hand(env, 2), value(env, "skipped")) == (2, "4h 7h 8h", 0b001)


@pytest.mark.rule("ED-57", "ED-58")
def test_as_a_turn_begins() -> None:
    env = rotation(["", "5c", ""], "9h 8h 7h", draw=[0, 2, 0, 0, 0, 0], skip=[0, 1, 0, 0, 0, 0], paused=2)
    turn_of(env.record.view(type(env._states)), 1, turns.ROTATION)
    assert (turn(env), hand(env, 1), value(env, "paused"), value(env, "draw", 1)) == (2, "5c 8h 9h", 0, 0)
    env = rotation(["", "5c", ""], "9h 8h 7h", draw=[0, 2, 0, 0, 0, 0], paused=2, new_turn=0)
    turn_of(env.record.view(type(env._states)), 1, turns.ROTATION)
    assert (turn(env), hand(env, 1), value(env, "paused"), value(env, "new_turn")) == (1, "5c 8h 9h", 0, 0)
    turn_of(env.record.view(type(env._states)), 1, turns.ROTATION)
    assert value(env, "new_turn") == 1


@pytest.mark.rule("ED-59")
@pytest.mark.parametrize(
    ("kinds", "begins", "direction", "drawn"),
    [
        ((DRAW,), 1, 1, {1}),
        ((SKIP,), 2, 1, set()),
        ((SKIP, DRAW), 2, 1, {2}),
        ((REVERSE,), 0, -1, set()),
        ((REVERSE, DRAW), 0, -1, {0}),
    ],
)
def test_a_new_cycle_begins_with_what_was_left(kinds: tuple[int, ...], begins: int, direction: int, drawn: set[int]) -> None:
    queue = 0
    for kind in kinds:
        queue = int(turns.queue_kind(queue, kind))
    env = rotation([""] * 4, "9h 8h 7h", carry=queue, out=15)
    cycle_from(env.record.view(type(env._states)), 1, 0)
    assert (turn(env), order(env), value(env, "carry")) == (begins, direction, 0)
    assert {seat for seat in range(4) if len(env.zones()[f"hand/{seat}"]) == 4} == drawn
    assert value(env, "out") == (2 if SKIP in kinds else 0)


@pytest.mark.rule("ED-59")
def test_a_cycle_may_leave_seats_out() -> None:
    env = rotation([""] * 4, "9h 8h 7h", out=15)
    cycle_from(env.record.view(type(env._states)), 1, 0b1100)
    for seat in (0, -1):
        end_of_turn(env.record.view(type(env._states)), turns.CYCLE)
        assert turn(env) == seat


@pytest.mark.rule("ED-60")
def test_nothing_is_left_in_a_new_deal() -> None:
    left = {"carry": 3, "out": 3, "paused": 4, "put_off": 4, "aside": 5, "draw": [2, 2, 2, 2, 0, 0], "skip": [1, 1, 1, 1, 0, 0]}
    env = rotation([""] * 4, "9h", direction=-1, **left)
    fresh = CardGameEnv(toy_rotation.GAME, toy_rotation.Options())
    fresh.reset(seed=1)
    begin_again(env.record.view(type(env._states)), fresh.record.view(type(env._states)))
    for name in (*left, "effects", "staged"):
        assert not env.record[name].any(), name
    assert order(env) == 1


@device_function
def begin_again(states, other):  # type: ignore[no-untyped-def]
    for k in range(66):
        states[0].deck[k] = other[0].deck[k]
    toy_rotation.begin(states[0])


@pytest.mark.rule("ED-61")
def test_two_in_rotation() -> None:
    for card in ("Rv-c", "Sk-c"):
        assert next_turns(play(rotation([f"{card} 5c", ""]), f"0 play {card}; 0 end"), 2) == [0, 1]
    env = play(rotation(["Rv-c 5c", ""], "9h"), "0 reveal Rv-c")
    begun = value(env, "turns")
    assert next_turns(env, 2) == [1, 0]
    assert value(env, "turns") == begun + 1, "0 went on; the turn after is another of 1"


@pytest.mark.rule("ED-63")
def test_paused_turns_go_on_by_seat() -> None:
    """0 pauses first, then 3, then 2; as the order stands, 3 goes on first, then 0, though 2 paused last."""
    env = rotation(["Rv-c 5c", "", "Rv-h 5h", "Rv-d Rv-s 5d"], "9h 8h 7h 6h 4h")
    play(env, "0 reveal Rv-c; 3 reveal Rv-d; 3 reveal Rv-s; 2 reveal Rv-h")
    assert (order(env), turn(env), value(env, "paused")) == (1, 3, 0b0101)
    begun = value(env, "turns")
    assert next_turns(env, 4) == [3, 0, 1, 2]
    assert value(env, "turns") == begun + 2, "new are the turns of 1 and, after all, of 3"
    assert value(env, "paused") == 0


@pytest.mark.rule("ED-64")
def test_the_order_is_kept_from_trick_to_trick() -> None:
    env = tricks(["9h 2c", "5h 2d", "6h 4c", "7h 4d"], direction=-1)
    play(env, "0 play 9h; 3 play 7h; 2 play 6h; 1 play 5h; 0 play 2c; 3 play 4d")


def test_pages_of_positions_keep_their_fields() -> None:
    env = arranged(toy_rotation.GAME, toy_rotation.Options(num_players=2), ["2c", "3c"], "4c", paused=1)
    assert value(env, "paused", 0) == 1
