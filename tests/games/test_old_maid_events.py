"""Old Maid as each seat is told it."""

from __future__ import annotations

from games.old_maid_positions import (
    arranged,
    pair,
    place,
)
from wilddeck.envs.core.aec import CardGameEnv


def told(env: CardGameEnv, seat: int) -> list[str]:
    return [event.text() for event in env.history(f"player_{seat}")]


def test_a_course_is_told_to_each_as_they_see_it() -> None:
    env = arranged(["2c Qs 5h", "3c 4d SJ", "4c 3d 5c"])
    for action in (1, place(0), 0, pair("4"), 3, 0):
        env.step(action)
    assert told(env, 0) == [
        "player 0 chooses player 1's card 2",
        "player 0 draws 4d from player 1",
        "player 0 puts it into their hand: 4d 2c Qs 5h",
        "player 1 is to draw from player 2",
        "player 1 chooses player 2's card 1",
        "player 1 draws a card from player 2",
        "player 1 may pair a Joker",
        "player 1 lays 4c SJ",
        "player 2 is to draw from player 0",
        "player 2 chooses player 0's card 4",
        "player 2 draws 5h from player 0",
        "player 2 lays 5c 5h",
        "player 0 is to draw from player 1",
        "player 0 chooses player 1's card 1",
        "player 0 draws 3c from player 1",
        "player 1 is out, and safe",
    ]
    others = told(env, 2)
    assert others[1:4:2] == ["player 0 draws a card from player 1", "player 1 chooses player 2's card 1"]
    assert others[-1] == "player 1 is out, and safe"
