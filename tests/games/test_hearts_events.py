"""Hearts as each seat is told it."""

from __future__ import annotations

from games.hearts_positions import (
    ALL_HEARTS,
    CLAIM,
    dealt,
    ended,
    parse,
    play,
    told,
)


def test_a_pass_is_told_to_giver_and_receiver() -> None:
    env = dealt(["3c SJ 2d", "2c 2s 3s", "4c 2h 3h", "5c 6c 7c"], passing="left")
    for cards_passed in ("SJ 3c 2d", "2s 2c 3s", "4c 2h 3h", "5c 6c 7c"):
        play(env, *cards_passed.split())
    assert told(env, 0)[5:] == [
        "cards are passed to the left",
        "player 0 puts SJ aside",
        "player 0 puts 3c aside",
        "player 0 puts 2d aside",
        *(f"player {seat} has put 3 cards aside" for seat in range(4)),
        "player 0 passes 2d 3c SJ to player 1",
        "player 1 passes 3 cards to player 2",
        "player 2 passes 3 cards to player 3",
        "player 3 passes 5c 6c 7c to player 0",
        "player 1 may claim the lead",
    ]
    events = env.history("player_2")
    assert [event.kind for event in events].count("select") == 3
    assert {event.player for event in events if event.kind == "select"} == {2}
    assert parse("SJ")[0] not in {card for event in events for card in event.cards}


def test_the_lead_and_a_first_trick_are_told() -> None:
    env = dealt(["3c SJ Rv-c", "9c", "2c Kc", "Ac"], pile="Qd")
    play(env, f"0: {CLAIM}", "0: reveal Rv-c", "3: Ac", "2: 2c", "1: 9c", "0: SJ")
    assert told(env, 1)[5:] == [
        "no cards are passed",
        "player 0 may claim the lead",
        "player 0 claims the lead",
        "player 0 is to lead",
        "player 0 reveals Rv-c",
        "player 0 redeals Rv-c",
        "player 0 draws a card",
        "play now goes counterclockwise",
        "player 0's turn is paused",
        "player 3 plays Ac",
        "player 2 plays 2c",
        "player 1 plays 9c",
        "player 0 plays SJ",
        "player 0's Joker loses",
        "player 3 wins the trick Ac 2c 9c SJ",
    ]
    assert told(env, 0)[11] == "player 0 draws Qd"


def test_a_moon_and_the_points_are_told() -> None:
    assert told(ended([f"Qs {ALL_HEARTS}", "Jd"], jd_bonus=True)) == [
        "player 0 plays 3c",
        "player 1 is skipped",
        "player 2 is skipped",
        "player 3 is skipped",
        "player 0 wins the trick 3c",
        "player 0 has shot the moon",
        "player 0 scores 0 points",
        "player 1 scores 16 points",
        "player 2 scores 26 points",
        "player 3 scores 26 points",
        "player 0 wins with 0 points",
        "the game is over",
    ]
    assert told(ended(["Qs 2h", "3h"], avoid_all_tricks_bonus=True))[5:] == [
        "player 0 scores 14 points",
        "player 1 scores 1 point",
        "player 2 scores -5 points",
        "player 3 scores -5 points",
        "player 2 wins with -5 points",
        "player 3 wins with -5 points",
        "the game is over",
    ]
