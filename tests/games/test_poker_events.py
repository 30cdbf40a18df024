"""What is told of a hand of poker, and to whom."""

from __future__ import annotations

import pytest
from games.poker_positions import pass_on, play, table
from wilddeck.envs.core.aec import CardGameEnv


def told(env: CardGameEnv, seat: int | None, after: str) -> list[str]:
    """What a seat has been told after the last event of this text."""
    texts = [event.text() for event in env.history(None if seat is None else f"player_{seat}")]
    return texts[len(texts) - texts[::-1].index(after) :]


@pytest.mark.rule("PK-13", "PK-50", "PK-54")
def test_a_hand_as_it_is_told() -> None:
    """A short stack, specials on the board, a redeal of a hand that is shown, and of a raise what nobody called."""
    env = table(["Sk-s Ac", "Kh Ks", "2c 7d"], "Rv-c Dr-h 8d 2h Kc 4s Jh Ad", button=2, stack=(50, 8, 50))
    play(env, "2 call; 0 call; 1 raise to 8; 2 call; 0 raise to 14; 2 fold")
    assert [event.text() for event in env.history("player_0")] == [
        "hand 1",
        "player 2 has the button",
        "player 0 posts 1",
        "player 1 posts 2",
        "player 0 is dealt Ac Sk-s",
        "player 1 is dealt 2 cards",
        "player 2 is dealt 2 cards",
        "player 2 calls 2",
        "player 0 calls 1",
        "player 1 raises to 8",
        "player 1 is all-in",
        "player 2 calls 6",
        "player 0 raises to 14",
        "player 2 folds",
        "player 0 takes back 6",
        "the board redeals Dr-h Rv-c",
        "the board gets 8d 2h Kc 4s",
        "play now goes counterclockwise",
        "the board gets Jh",
        "the board gets Ad",
        "player 0 shows Ac Sk-s",
        "player 0 redeals Sk-s",
        "player 0 draws 2d",
        "player 1 shows Kh Ks",
        "player 0 has two pair, Aces and twos, with King",
        "player 1 has three Kings, with Ace and Jack",
        "player 1 wins 24",
        "the game is over",
    ]
    folded = {card for event in env.history("player_0") for card in event.cards} & set(env.zones()["muck"])
    assert not folded, "what player 2 held nobody else sees"


@pytest.mark.rule("PK-16")
def test_what_is_marked_and_discarded_only_its_player_sees() -> None:
    env = table(["2c 3c 4c 5c 9h", "Kh Ks 2d 7d 8d"], "9c Jk", button=1, variant="five_card_draw")
    play(env, "1 call; 0 check; 0 discard 9h")
    assert told(env, 0, "player 0 checks") == ["player 0 marks 9h", "player 0 discards 9h", "player 0 draws 9c"]
    assert told(env, 1, "player 0 checks") == ["player 0 discards a card", "player 0 draws a card"]
    play(env, "1 stand pat; 0 bet 4; 1 fold")
    assert told(env, 1, "player 0 draws a card") == [
        "player 1 stands pat",
        "player 0 bets 4",
        "player 1 folds",
        "player 0 takes back 4",
        "player 0 wins 4",
        "the game is over",
    ]


@pytest.mark.rule("PK-20", "PK-21", "PK-37")
def test_up_cards_are_seen_and_half_of_a_pot_is_for_the_spade() -> None:
    env = table(["Ks 4d Sk-s 2h", "3c 3h 6c 5h"], "Td Jd 2s As 3d 4h 5d", variant="chicago", button=1)
    assert [event.text() for event in env.history("player_1")][4:] == [
        "player 0 is dealt 2 cards",
        "player 1 is dealt 3c 3h",
        "player 0 is dealt Sk-s",
        "player 1 is dealt 6c",
        "player 1 posts 1",
    ]
    pass_on(env)
    assert told(env, 1, "player 1 posts 1")[:5] == [
        "player 1 checks",
        "player 0 redeals Sk-s",
        "player 0 draws 2h",
        "player 0 is skipped",
        "player 0 is dealt 5h",
    ]
    while env.legal_actions():
        pass_on(env)
    assert told(env, 1, "player 0 is dealt a card") == [
        "player 1 is dealt 5d",
        "player 0 checks",
        "player 1 checks",
        "player 0 shows 4d 4h Ks",
        "player 1 shows 3c 3h 5d",
        "player 0 has a pair of fours, with Ace, King and Jack",
        "player 1 has three threes, with ten and six",
        "the best spade takes 1",
        "player 0 wins 1",
        "player 1 wins 2",
        "the game is over",
    ]


@pytest.mark.rule("PK-23", "PK-24")
def test_a_main_pot_and_side_pots() -> None:
    """What the folded player paid stays in the pots; two players share one."""
    env = table(["Ah Ac", "Kh Kc", "Qh Qc", "Qs Qd", "2c 7h"], "3c 4d 5h 9d Js", button=4, stack=(5, 10, 20, 20, 20))
    play(env, "2 raise to 20; 3 call; 4 fold; 0 call; 1 call")
    assert told(env, None, "player 3 has a pair of Queens, with Jack, nine and five") == [
        "the main pot is paid out",
        "player 0 wins 20",
        "side pot 1 is paid out",
        "player 1 wins 15",
        "side pot 2 is paid out",
        "player 2 wins 10",
        "player 3 wins 10",
        "the game is over",
    ]
