"""By The Skin of Your Teeth: what happened, as each seat perceives it."""

from __future__ import annotations

import random

import wilddeck
from games.skin_positions import GAME, attack, choose, dealt, make_piles, position
from support import begin_history, history_text
from wilddeck.envs import raw_env

FOR_PLAYER_0 = """\
hand 1
player 1 will attack first
player 0 is dealt 4c 4d 4h 4s 5c 5d 6c 7c 8c 9c Tc Jc Qc
player 1 is dealt 13 cards
player 2 is dealt 13 cards
player 0 lays out their piles
player 0 makes a pile of 8c 9c Tc Jc Qc
player 0 makes a pile of 4c 4d 4h 4s
player 0 makes a pile of 5c
player 0 makes a pile of 5d
player 0 makes a pile of 6c
player 0 makes a pile of 7c
player 1 lays out their piles
player 2 lays out their piles
player 0's piles have 5, 4, 1, 1, 1 and 1 cards
player 1's piles have 1, 1, 1, 1, 1 and 2 cards
player 2's piles have 2, 1, 1, 1, 1 and 1 cards
player 1 attacks player 2's pile 0
player 1 plays Jk
player 2's pile is 2 cards
player 2's pile holds
player 0's piles are mixed: 5 cards in pile 0, 1 in pile 1, 1 in pile 2, 1 in pile 3, 1 in pile 4, 4 in pile 5
player 1's piles are mixed: 2 cards in pile 0, 1 in pile 1, 1 in pile 2, 1 in pile 3, 1 in pile 4, 1 in pile 5
player 2's piles are mixed: 1 card in pile 0, 1 in pile 1, 1 in pile 2, 1 in pile 3, 1 in pile 4, 2 in pile 5
player 2 attacks player 0's pile 5
player 2 plays Kh
player 0's pile is 4c 4d 4h 4s
player 0's pile holds
player 0 sees that a pile of theirs is 5d
player 0 sees that a pile of theirs is 7c
player 0 sees that a pile of theirs is 6c
player 0 sees that a pile of theirs is 5c
player 0 chooses from their pile 0
player 0 chooses Jc
player 0 attacks player 2's pile 5
player 0 takes from their pile 0
player 0 plays Jc
player 2's pile is Td Th
player 2's pile holds
"""


def test_events_as_a_player_perceives_them() -> None:
    """With private attacks: of the others' piles sizes and what is attacked, and nothing of how they are chosen."""
    env = dealt(
        [
            "4c 4d 4h 4s 5c 5d 6c 7c 8c 9c Tc Jc Qc",
            "5h 5s 6d 6h 6s 7d 7h 7s 8d 8h 8s 9d Jk",
            "9s Td Th Ts Jd Jh Js Qd Qh Qs Kc Kd Kh",
        ],
        visibility="private",
        first_player=1,
    )
    make_piles(env, "8c 9c Tc Jc Qc", "4c 4d 4h 4s", "5c", "5d", "6c", "7c")
    make_piles(env, "5h", "5s", "6d", "6h", "6s", "7d 7h")
    make_piles(env, "Td Th", "Jd", "Jh", "Qd", "Kc", "Kd")
    attack(env, "Jk", 2, 0)
    attack(env, "Kh", 0, 5)
    attack(env, "Jc", 2, 5)
    assert "".join(event.text() + "\n" for event in env.history("player_0")) == FOR_PLAYER_0
    others = [event.text() for event in env.history("player_1")]
    assert "player 2 plays a card" in others and "player 0's pile is 4 cards" in others
    assert not {card for event in env.history("player_1") for card in event.cards} & set(wilddeck.cards.parse("4c 5c Jc Kh"))


def test_events_of_the_end_of_a_game() -> None:
    """Of each attack that wins, and of the winner, whose points all can see."""
    env = raw_env(GAME, num_players=3, setup="random", games=2)
    env.reset(seed=2)
    draw = random.Random(2)
    while env.record["deals"][0] == 1:
        env.step(draw.choice(env.legal_actions()))
    events = env.history("player_2")
    (winner,) = [event for event in events if event.kind == "win"]
    scores = env.record["score"][0]
    assert (winner.player, winner.amount) == (scores.argmax(), scores.max())
    assert winner.text() == f"player {winner.player} wins with {winner.amount} points"
    kinds = [event.kind for event in events[events.index(winner) :]]
    assert kinds[:3] == ["win", "hand", "round"]
    assert events[events.index(winner) + 2].player == winner.player  # who begins the next game
    assert "player 0's pile falls" in [event.text() for event in events]


def test_of_two_equal_cards_a_player_knows_which_they_chose() -> None:
    env = position(("", "7c | 7c"), ("4d", "8c"), ("4h", "9h"), num_decks=2)
    begin_history(env)
    choose(env, "attack 7c@1")
    assert history_text(env, 0) == ["player 0 chooses from their pile 1", "player 0 chooses 7c"]
    assert not history_text(env, 1)


def test_only_piles_that_are_left_are_mixed() -> None:
    """Player 0 has one pile in the third place, player 1 none; of player 2's one falls first."""
    env = position(("Jk", "||4c 4d"), ("5c", ""), ("6c", "7c|8c 8d 8h"))
    begin_history(env)
    attack(env, "Jk", 2, 0)
    mixed = [event for event in history_text(env) if "mixed" in event]
    assert mixed == ["player 0's piles are mixed: 2 cards in pile 2", "player 2's piles are mixed: 3 cards in pile 1"]
