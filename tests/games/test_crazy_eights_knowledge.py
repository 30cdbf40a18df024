"""What all know of hidden cards in crazy eights: what was put back at the start, and of what shuffle a card is."""

from __future__ import annotations

from games.crazy_eights_positions import arranged, field, labels, parse, play, seen, turned_up
from support import history_text

EIGHT_OF_HEARTS = 26
PUT_BACK = [1 << EIGHT_OF_HEARTS, 0]


def test_after_a_shuffle_hands_are_known_by_shuffles() -> None:
    """Of two players one knows the other's hand when the pile is made anew, and what they drew since is hidden."""
    env = arranged(["4d 5s", "5d 6d"], top="7h", pile="3c", reshuffle=True)
    play(env, "draw")
    assert sorted(env.zones("player_0")["hand/1"]) == parse("5d 6d")
    while env.current_player == 0:
        play(env, "pass" if "pass" in labels(env) else "draw")
    play(env, "draw")
    zones = env.zones("player_0")
    assert zones["hand/1"] == [*parse("5d 6d"), -1]
    for seed in range(10):
        sample = env.determinize("player_0", seed)
        assert sample.zones("player_0") == zones
        assert {*parse("5d 6d")} < set(sample.zones()["hand/1"])


def test_what_was_put_back_is_in_no_hand_that_was_only_dealt() -> None:
    env = turned_up("8h 4c 9d Th", num_players=3, dealer=2, deck="standard")
    for seed in range(60):
        assert 26 in env.determinize("player_0", seed).zones()["pile"]
    play(env, "draw")
    play(env, *["draw"] * 4, "pass", "draw")
    drawn = [26 in env.determinize("player_2", seed).zones()["hand/1"] for seed in range(300)]
    other = [26 in env.determinize("player_2", seed).zones()["hand/0"] for seed in range(300)]
    assert 10 < sum(drawn) < 120
    assert 20 < sum(other) < 160
    assert "taken from since by 0, 1" in env.describe()


def test_who_owes_cards_for_a_draw_takes_them_too() -> None:
    env = arranged(["Dr-h 4d", "5d 6d", "4s 9s"], top="7h", pile="3c 8h 5c", put_back=PUT_BACK)
    play(env, "Dr-h")
    assert field(env, "taken") == 1 << 1
    assert "taken from since by 1" in env.describe()


def test_who_reveals_takes_cards_when_they_are_redealt() -> None:
    env = arranged(["Sk-h Sk-c 4d", "5d 6d", "4s 9s"], top="7h", pile="3c 9h 8h", put_back=PUT_BACK)
    play(env, "reveal Sk-c")
    assert field(env, "taken") == 0
    play(env, "redeal")
    assert field(env, "taken") == 1


def test_what_was_put_back_is_forgotten_when_it_is_played() -> None:
    env = arranged(["4d 5s", "5d 6d", "4s 9s"], top="7h", pile="8h 3c", put_back=PUT_BACK)
    play(env, "draw", "8h")
    assert (field(env, "put_back"), field(env, "taken")) == ([0, 0], 0)
    assert "put back" not in env.describe()


def test_cards_of_a_later_shuffle_are_not_those_put_back() -> None:
    """Player 1 holds the eight; of the pile made anew nobody can take it."""
    env = arranged(["4d 5s", "8h 6d", "4s 9s"], top="7h", pile="3c", put_back=PUT_BACK, taken=2, reshuffle=True)
    play(env, "draw")
    assert field(env, "taken") == 3
    env = arranged(["4d 5s", "8h 6d", "4s 9s"], top="7h", pile="3c", put_back=PUT_BACK, taken=2, reshuffle=True)
    env.record["shuffled"][0][parse("3c")] = 1
    play(env, "draw")
    assert field(env, "taken") == 2


def test_the_last_card_of_the_pile_may_be_known() -> None:
    env = arranged(["4d 5s", "5d 6d", "4s 9s"], top="7h", pile="8h", put_back=PUT_BACK)
    assert env.zones("player_0")["pile"] == [EIGHT_OF_HEARTS]
    env = arranged(["4d 5s", "5d 6d", "4s 9s"], top="7h", pile="8h", put_back=PUT_BACK, taken=2)
    assert env.zones("player_0")["pile"] == [-1]


def test_each_shuffle_has_a_number_of_its_own() -> None:
    """7h waits for the second shuffle: the pile is of the first. A card that is played is of none."""
    env = arranged(["7d 5s", "5d 6d"], top="7h", pile="3c", reshuffle=True)
    play(env, "draw")
    assert {field(env, "shuffled")[card] for card in env.zones()["pile"]} == {1}
    play(env, "draw")
    drawn = env.zones()["hand/0"][-1]
    assert field(env, "shuffled")[drawn] == 1
    play(env, "7d")
    assert field(env, "shuffled")[parse("7h")[0]] == 2
    assert field(env, "shuffled")[parse("7d")[0]] == 0
    assert {card for card in range(66) if seen(env, 1, "discards")[card]} == {*parse("7d 7h")}


def test_a_card_played_is_of_no_shuffle() -> None:
    env = arranged(["7d 5s", "5d 6d"], top="7h", pile="3c 4c", reshuffle=True)
    env.record["shuffled"][0][parse("7d")] = 2
    play(env, "7d")
    assert field(env, "shuffled")[parse("7d")[0]] == 0


def test_cards_that_wait_for_the_shuffle_are_seen() -> None:
    env = arranged(["7d 5s", "5d 6d"], top="7h", pile="3c 4c", reshuffle=True)
    seen_cards = {card for card in range(66) if seen(env, 1, "discards")[card]}
    assert seen_cards == {*env.zones()["discards"], *parse("7h")}
    assert len(seen_cards) == 66 - 6


def test_all_are_told_what_a_joker_is() -> None:
    env = arranged(["SJ 5s", "5d 6d"], top="7h", pile="3c 4c")
    play(env, "SJ")
    env.step(env.action_from_label("declare 9h"))
    assert history_text(env, 1)[-1] == "player 0 declares the Joker to be 9h"
    assert "top SJ as 9h" in env.describe("player_1")
