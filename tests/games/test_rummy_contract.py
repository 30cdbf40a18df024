"""Contract rummy clause by clause."""

from __future__ import annotations

from typing import Any

import pytest
from games.rummy_positions import arranged, field, hand, is_over, labels, named, payoffs, play, seen, sizes, zone
from wilddeck.envs.core.aec import CardGameEnv

LAID = {
    1: ("2c 2d 2h 7c 7d 7h", ["group", "group"]),
    2: ("2c 2d 2h 7c 8c 9c Tc", ["group", "run"]),
    3: ("2c 3c 4c 5c 7d 8d 9d Td", ["run", "run"]),
    4: ("2c 2d 2h 5c 5d 5h 7c 7d 7h", ["group"] * 3),
    5: ("2c 2d 2h 5c 5d 5h 7c 8c 9c Tc", ["group", "group", "run"]),
    6: ("2c 2d 2h 5d 6d 7d 8d 7c 8c 9c Tc", ["group", "run", "run"]),
    7: ("2c 3c 4c 5c 5d 6d 7d 8d 7h 8h 9h Th", ["run"] * 3),
}


def contract(hands: list[str], first_deal: int = 1, **values: Any) -> CardGameEnv:
    return arranged(hands, **{"variant": "contract", "first_deal": first_deal, "deals": 1, **values})


def lay_all(env: CardGameEnv) -> None:
    """Lay the contract; whichever card comes first."""
    play(env, "meld")
    while field(env, "phase") == 4 and not is_over(env):
        env.step(env.legal_actions()[0])


@pytest.mark.rule("RM-42", "RM-43")
@pytest.mark.parametrize("deal", range(1, 8))
def test_the_seven_contracts(deal: int) -> None:
    cards, kinds = LAID[deal]
    extra = "" if deal == 7 else " Kd Qs"
    env = contract([cards + extra, "9d Kc", "9h"], deal)
    lay_all(env)
    assert field(env, "meld_kind")[: len(kinds)] == [kind == "run" for kind in kinds]
    assert field(env, "melds") == len(kinds)
    assert is_over(env) == (deal == 7)
    if deal < 7:
        assert field(env, "down") == 1
        assert seen(env, 0, "seats")[0] == 1
        assert labels(env) == {"Kd", "Qs"}
    lacking = " ".join(cards.split()[:-1]) + " Kd Qs"
    assert "meld" not in labels(contract([lacking, "9d", "9h"], deal))


@pytest.mark.rule("RM-43")
def test_a_contract_is_laid_whole_and_in_exact_sizes() -> None:
    env = contract(["2c 2d 2h 2s 7c 7d 7h Kd", "9d", "9h"])
    play(env, "meld", "2c", "2d")
    assert named(env) == {"2h", "2s"}
    play(env, "2h")  # closed, and the next begins by itself
    assert zone(env, "meld/0") == "2c 2d 2h"
    assert field(env, "contract_melds") in (0, 1)
    if field(env, "contract_melds"):
        play(env, "7c")
    assert field(env, "down") == 1
    assert "meld" not in labels(env)


@pytest.mark.rule("RM-44")
def test_the_last_contract_takes_every_card() -> None:
    cards, _ = LAID[7]
    assert "meld" not in labels(contract([cards + " Kd", "9d", "9h"], 7))
    assert "meld" not in labels(contract([cards + " Dr-c", "9d", "9h"], 7))
    env = contract([cards + " Jh Jk", "9d 9c", "9h"], 7)
    lay_all(env)
    assert is_over(env)
    assert sizes(env)[0] == 0
    assert sum(len(env.zones()[f"meld/{slot}"]) for slot in range(3)) == 14
    assert payoffs(env)[0] == 18 + 9


@pytest.mark.rule("RM-45")
def test_laying_off_comes_in_later_turns() -> None:
    env = contract(["2c 2d 2h 7c 7d 7h 2s 7s Kd Qs", "9d 9c", "9h Th", "Tc"])
    lay_all(env)
    assert not {"lay off on meld 0", "meld"} & labels(env)
    play(env, "Kd")
    for _ in range(3):
        play(env, "draw")
        while field(env, "phase") == 2:
            play(env, "pass")
        env.step(env.legal_actions()[0])
    play(env, "draw")
    while field(env, "phase") == 2:
        play(env, "pass")
    assert {"lay off on meld 0", "lay off on meld 1"} <= labels(env)
    assert "meld" not in labels(env)
    play(env, "lay off on meld 0")
    assert zone(env, "meld/0") == "2c 2d 2h 2s"
    up = contract(["2s Kd Qs", "9d 9c", "9h Th"], melds=("group 2c 2d 2h", "group 7c 7d 7h"), down=2)
    assert labels(up) == {"2s", "Kd", "Qs"}  # who is not down lays nothing off


@pytest.mark.rule("RM-46")
def test_two_runs_of_a_contract_may_touch() -> None:
    env = contract(["2c 3c 4c 5c 6c 7c 8c 9c Kd", "9d", "9h"], 3)
    lay_all(env)
    assert [zone(env, f"meld/{slot}") for slot in range(2)] == ["2c 3c 4c 5c", "6c 7c 8c 9c"]
    env = contract(["2c 3c 4c 5c 2c 3c 4c 5c Kd", "9d", "9h"], 3)
    lay_all(env)
    assert [zone(env, f"meld/{slot}") for slot in range(2)] == ["2c 3c 4c 5c"] * 2


@pytest.mark.rule("RM-47")
def test_buying() -> None:
    hands = ["2c 8d", "9d 9c", "9h Th", "Tc Td"]
    env = contract(hands, discards="4s Qs", drawn=False, stock="3c 3d 3h")
    play(env, "draw")
    assert (env.current_player, labels(env)) == (1, {"buy the discard", "pass"})
    assert (seen(env, 1, "turn")[3], seen(env, 1, "phase")[2]) == (1, 1)
    assert sizes(env) == [2, 2, 2, 2]
    play(env, "pass", "buy the discard")
    assert (hand(env, 2), hand(env, 0)) == ("3c 9h Th Qs", "2c 3d 8d")
    assert (env.current_player, zone(env, "discards")) == (0, "4s")
    assert field(env, "buys_left")[:4] == [3, 3, 2, 3]
    assert zone(env, "hand/2", "player_0") == "Qs ?? ?? ??"
    env = contract(hands, discards="4s", drawn=False, stock="3c", only=True)
    play(env, "draw")
    assert sizes(env)[0] == 3  # with one card in the stock nothing is offered
    env = contract(hands, discards="4s", drawn=False, buys_left=[3, 0, 3, 3, 0, 0], down=4)
    play(env, "draw")
    assert env.current_player == 3  # 1 has no buys left, 2 is down
    play(env, "pass")
    assert env.current_player == 0
    env = contract(hands, discards="4s", drawn=False, direction=-1)
    play(env, "draw")
    assert env.current_player == 3
    env = contract(hands, drawn=False)
    play(env, "draw")
    assert env.current_player == 0  # nothing to buy
    env = contract(hands, discards="4s", drawn=False, buys=0)
    play(env, "draw")
    assert sizes(env)[0] == 3


@pytest.mark.rule("RM-48")
def test_a_match_of_deals() -> None:
    env = contract(["2c", "9d Kc", "Ah"], deals=1, num_deals=7)
    play(env, "2c")
    assert field(env, "total")[:3] == [0, 19, 15]
    assert payoffs(env) == [34, 34 - 57, 34 - 45]
    assert field(env, "deals") == 2
    assert sizes(env) == [10, 10, 10]
    assert env.current_player == 1
    env = contract(["2c", "9d Kc", "Ah"], first_deal=7)
    play(env, "2c")
    assert is_over(env)
    env = contract(["2c 3c", "9d Kc", "Ah"], first_deal=7, turns=400)
    play(env, "2c")
    assert is_over(env)
    assert payoffs(env) == [37 - 9, 37 - 57, 37 - 45]
