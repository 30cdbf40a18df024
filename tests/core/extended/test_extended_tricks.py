"""Tricks (ED-04, ED-06, ED-65 to ED-79)."""

from __future__ import annotations

import itertools

import pytest
from core.extended import toy_tricks
from core.extended.positions import hand, legal, play, tricks, turn, value, zone
from wilddeck import cards
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.extended import tricks as core
from wilddeck.envs.core.jit import device_function


def won(env: CardGameEnv) -> list[int]:
    return env.record["tricks"][0].tolist()


def trick(course: str, trump: str = "none", **options: object) -> CardGameEnv:
    """A trick of these cards of 0, 1, 2, 3, who have nothing else but two small clubs."""
    played = course.split()
    env = tricks([f"{card} 2c 3c" for card in played], trump=trump, **options)
    return play(env, "; ".join(f"{seat} play {card}" for seat, card in enumerate(played)))


@pytest.mark.rule("ED-04", "ED-75")
@pytest.mark.parametrize(
    ("cards", "trump", "winner"),
    [
        ("5h 6h Th 9h", "none", 2),
        ("5h Ah Kh Qd", "d", 3),
        ("5h 2d Ad Kh", "d", 2),
        ("5h Dr-h 4h 9s", "none", 0),  # a special is not above the ordered cards, nor they above it
        ("Dr-h 2h 9s 9d", "none", 1),
        ("Dr-h 9s As Ad", "none", 0),
        ("Dr-h 9s As Sk-h", "none", None),
        ("Rv-h 9s As Kd", "none", 0),
        ("5h Sk-d 2h Ah", "d", 1),  # alone in trumps; 2 is skipped
    ],
)
def test_who_takes_a_trick(cards: str, trump: str, winner: int | None) -> None:
    played = cards.split()
    env = tricks([f"{card} 2c 3c" for card in played], trump=trump)
    for _ in range(4):
        if value(env, "tricks_done"):
            break
        env.step(env.action_from_label(f"play {played[turn(env)]}"))
    assert won(env) == [int(seat == winner) for seat in range(4)]


@pytest.mark.rule("ED-06")
def test_without_jokers_and_specials_the_game_is_the_ordinary_one() -> None:
    """The 52 ordinary cards dealt of 66, and of 52: the same moves lead to the same tricks."""
    ordinary = list(range(51, -1, -1))
    games = []
    for deck, ids in (("standard", ordinary), ("extended", ordinary + list(range(52, 66)))):
        env = CardGameEnv(toy_tricks.GAME, toy_tricks.Options(deck=deck, trump="h"))
        env.reset(seed=1, options={"deck": ids})
        games.append(env)
    steps = 0
    while games[0].legal_actions():
        assert games[0].legal_actions() == games[1].legal_actions()
        assert games[0].current_player == games[1].current_player
        choice = games[0].legal_actions()[steps % len(games[0].legal_actions())]
        for env in games:
            env.step(choice)
        steps += 1
    assert steps == 52
    assert won(games[0]) == won(games[1])
    assert games[1].legal_actions() == []


@pytest.mark.rule("ED-65", "ED-88", "ED-89")
@pytest.mark.parametrize(("deck", "pile"), [("extended", 14), ("standard", 0)])
def test_thirteen_tricks(deck: str, pile: int) -> None:
    for seed in range(5):
        env = CardGameEnv(toy_tricks.GAME, toy_tricks.Options(deck=deck))
        env.reset(seed=seed)
        zones = env.zones()
        assert [len(zones[f"hand/{seat}"]) for seat in range(4)] == [13] * 4
        assert len(zones["pile"]) == pile
        while env.legal_actions():
            assert value(env, "tricks_done") < 13
            env.step(env.legal_actions()[-1])
        assert value(env, "tricks_done") == 13
        left = [len(env.zones()[f"hand/{seat}"]) for seat in range(4)]
        assert sum(left) == 0 if deck == "standard" else sum(left) >= 0


@pytest.mark.rule("ED-89")
def test_without_a_pile_a_draw_brings_nothing_and_nothing_is_revealed() -> None:
    env = tricks(["Dr-h 5h", "6h 7c", "", ""])
    assert legal(env) == {"play Dr-h", "play 5h"}
    assert hand(play(env, "0 play Dr-h"), 1) == "6h 7c"


@pytest.mark.rule("ED-67")
def test_the_first_card_leads_whoever_plays_it() -> None:
    env = play(tricks(["Sk-c 2c", "5h 2d", "6h 4c", "7h 4d"], "9c", leader_due=0), "0 reveal Sk-c; 1 play 5h")
    assert legal(env) == {"play 6h"}
    play(env, "2 play 6h; 3 play 7h")
    assert (won(env), turn(env)) == ([0, 0, 0, 1], 3)
    env = play(tricks(["Sk-h 2c", "5h 2d", "6h 4c", "7h 4d"]), "0 play Sk-h")
    assert (turn(env), legal(env)) == (2, {"play 6h"}), "the suit of a special"
    env = play(tricks(["SJ 2c", "5h 2d", "6h 4c", "7h 4d"]), "0 play SJ; 0 declare 2d")
    assert legal(env) == {"play 2d"}, "the suit declared"


@pytest.mark.rule("ED-68", "ED-69")
def test_following() -> None:
    env = play(tricks(["5h 2c", "6h Dr-h Sk-d SJ 9c", "", ""]), "0 play 5h")
    assert legal(env) == {"play 6h", "play Dr-h", "play SJ"}
    env = play(tricks(["5h 2c", "Dr-h Sk-d 9c", "", ""]), "0 play 5h")
    assert legal(env) == {"play Dr-h"}
    env = play(tricks(["5h 2c", "Dr-s Sk-d 9c SJ", "", ""]), "0 play 5h")
    assert legal(env) == {"play Dr-s", "play Sk-d", "play 9c", "play SJ"}, "a Joker obliges to nothing"


@pytest.mark.rule("ED-70")
def test_a_joker_that_leads_is_declared() -> None:
    env = play(tricks(["SJ 2c", "5h 2d", "", ""]), "0 play SJ")
    assert len(legal(env)) == 52
    assert (turn(env), value(env, "trick_size")) == (0, 1)
    mask = env.observe("player_0")["action_mask"]
    mask[:] = 0
    mark_suits(env.record.view(type(env._states)), mask.view("u1"), 0b0101)
    assert [action - core.DECLARE_AT for action in mask.nonzero()[0]] == [card for card in range(52) if card % 4 in (0, 2)]


@device_function
def mark_suits(states, mask, suits):  # type: ignore[no-untyped-def]
    core.mark_trick(states[0], mask, core.following(states[0]), states[0].hand[0, 1], suits)


@pytest.mark.rule("ED-71")
def test_the_declared_suit_is_led_whatever_the_joker_becomes() -> None:
    env = tricks(["SJ 2c", "5h 2d", "6h 4d", "7h 4c"], trump="s")
    play(env, "0 play SJ; 0 declare 3h; 1 play 5h; 2 play 6h; 3 play 7h")
    play(env, "0 win with the Joker")
    assert won(env) == [1, 0, 0, 0]
    env = play(tricks(["4h 2c", "BJ 2d", "6h 4d", "7h 4c"]), "0 play 4h; 1 play BJ")
    assert (turn(env), value(env, "question")) == (2, 1), "a Joker that follows is not declared"


@pytest.mark.rule("ED-72")
def test_jokers_are_settled_when_all_have_had_their_turn() -> None:
    env = play(tricks(["4h 2c", "SJ 2d", "6h 4d", "7h 4c"]), "0 play 4h; 1 play SJ; 2 play 6h; 3 play 7h")
    assert (turn(env), env.current_player, legal(env)) == (1, 1, {"win with the Joker", "lose with the Joker"})
    assert value(env, "trick_size") == 4
    play(env, "1 win with the Joker; 1 play 2d")


def outcomes(played: str, place: int, trump: str, claims: str = "", declared: str = "", banned: bool = False) -> list[bool]:
    """Whether a Joker may win, and lose. `claims`: W or L for each Joker settled before, in their order."""
    ids = cards.parse(played)
    fields = {"trick_size": len(ids), "trick_card": ids + [0] * (4 - len(ids)), "trick_seat": [0, 1, 2, 3]}
    env = tricks([""] * 4, trump=trump, **fields, declared=cards.parse(declared)[0] if declared else -1)
    jokers = [k for k, card in enumerate(ids) if card in (52, 53)]
    for k, claim in zip(jokers, claims, strict=False):
        env.record["claim"][0][k] = {"W": core.WINS, "L": core.LOSES, "F": core.FIXED}[claim]
    suit = cards.SUIT_TEXT.index(trump) if trump != "none" else -1
    return [bool(outcome) for outcome in outcomes_of(env.record.view(type(env._states)), place, suit, banned)]


@device_function
def outcomes_of(states, k, trump, banned):  # type: ignore[no-untyped-def]
    return core.outcomes(states[0], k, trump, banned)


@pytest.mark.rule("ED-73")
@pytest.mark.parametrize(
    ("played", "place", "trump", "options", "expected"),
    [
        ("5h SJ 6h 7h", 1, "none", {}, (True, True)),
        ("5h SJ Ah 7h", 1, "none", {}, (False, True)),
        ("5h SJ As 7h", 1, "none", {}, (True, True)),
        ("5h SJ As 7h", 1, "s", {}, (False, True)),
        ("5h SJ Ah 7h", 1, "s", {}, (True, True)),
        ("SJ 5s 6s", 0, "none", {"declared": "5d"}, (True, False)),
        ("SJ 5s 6s", 0, "s", {"declared": "5d"}, (True, True)),
        ("SJ Dr-d 6s", 0, "none", {"declared": "5d"}, (True, True)),
        ("SJ", 0, "none", {"declared": "5d"}, (True, False)),
        ("SJ BJ", 0, "none", {"declared": "5d"}, (True, True)),
        ("SJ BJ", 1, "none", {"declared": "5d", "claims": "L"}, (True, False)),
        ("SJ BJ", 1, "none", {"declared": "5d", "claims": "W"}, (False, True)),
        ("5h SJ BJ 7h", 2, "none", {"claims": "W"}, (False, True)),
        ("Ks SJ Qs 7h", 1, "none", {"banned": True}, (False, True)),
        ("SJ BJ 5s", 1, "none", {"declared": "2c", "claims": "F"}, (True, True)),  # a fixed Joker counts as the card
    ],
)
def test_which_outcomes_a_joker_has(
    played: str, place: int, trump: str, options: dict[str, object], expected: tuple[bool, bool]
) -> None:
    assert outcomes(played, place, trump, **options) == list(expected)  # type: ignore[arg-type]


@pytest.mark.rule("ED-74")
def test_a_joker_always_has_an_outcome() -> None:
    """Every trick of four out of a few cards that make a difference, Jokers settled in their order either way."""
    few = ("5h", "Ah", "As", "Dr-h", "2s", "9d", "SJ", "BJ")
    count = 0
    for played in itertools.permutations(few, 3):
        for trump in ("none", "s", "h"):
            jokers = [k for k, card in enumerate(played) if card in ("SJ", "BJ")]
            for claims in ("", "W", "L"):
                if len(claims) < len(jokers):
                    declared = "5h" if jokers[0] == 0 else ""
                    first = outcomes(" ".join(played), jokers[0], trump, declared=declared)
                    if claims and not first["WL".index(claims)]:
                        continue
                    place = jokers[len(claims)]
                    text = " ".join(played).replace("SJ", "Jk").replace("BJ", "Jk")
                    assert any(outcomes(text, place, trump, claims, declared))
                    count += 1
    assert count > 500


@pytest.mark.rule("ED-74")
def test_a_player_is_asked_only_if_both_are_possible() -> None:
    env = play(tricks(["4h 2c", "SJ 2d", "Ah 4d", "7h 4c"]), "0 play 4h; 1 play SJ; 2 play Ah; 3 play 7h")
    assert (won(env), turn(env)) == ([0, 0, 1, 0], 2)


def test_a_fixed_joker_is_the_card_declared() -> None:
    """As hearts needs it: 2c in a first trick, which loses to the other clubs and wins alone."""
    for others, winner in (("5c 9d 9h", 1), ("5d 9d 9h", 0), ("Dr-c 9d 9h", 0)):
        ids = cards.parse(f"SJ {others}")
        env = tricks([""] * 4, trick_size=4, trick_card=ids, trick_seat=[0, 1, 2, 3], declared=0)
        env.record["claim"][0][0] = core.FIXED
        assert winner_of(env.record.view(type(env._states)), -1) == winner


@device_function
def winner_of(states, trump):  # type: ignore[no-untyped-def]
    return core.trick_winner(states[0], trump)


@pytest.mark.rule("ED-76", "ED-77", "ED-87")
def test_a_disregarded_trick() -> None:
    env = trick("Dr-h 9s As Rv-h")
    assert won(env) == [0] * 4
    assert zone(env, "dead") == "9s As Dr-h Rv-h"
    assert value(env, "leader_due") == 0
    assert all(zone(env, f"played/{seat}") == "" for seat in range(4))
    for seat in range(4):
        view = env.observe(f"player_{seat}")["observation"][env.observation_layout["dead"]]
        assert sorted(view.nonzero()[0].tolist()) == sorted(cards.parse("Dr-h 9s As Rv-h"))


@pytest.mark.rule("ED-77")
def test_who_leads_next() -> None:
    env = trick("5h 6h Ah 7h")
    assert (turn(env), value(env, "leader_due")) == (2, 2)
    env = tricks(["Sk-c 2c", "Rv-h 9s", "9d As", "Ad Dr-h 5d"], "9c 8c 7c", leader_due=0)
    play(env, "0 reveal Sk-c; 1 play Rv-h; 3 play Dr-h; 2 play 9d")
    assert (won(env), value(env, "leader_due"), turn(env)) == ([0] * 4, 1, 1), "1 played its first card"


@pytest.mark.rule("ED-78")
@pytest.mark.parametrize(("card", "leader", "follows"), [("Dr-h", 1, [2, 3, 0]), ("Sk-h", 2, [3, 0]), ("Rv-h", 0, [3, 2, 1])])
def test_the_last_card_of_a_trick_acts_on_the_next_leader(card: str, leader: int, follows: list[int]) -> None:
    env = tricks(["5h 2c 2d", "Ah 3c 3d", "7h 4c 4d", f"{card} 5c 5d"], "8c 9c")
    play(env, f"0 play 5h; 1 play Ah; 2 play 7h; 3 play {card}")
    assert (turn(env), value(env, "leader_due")) == (leader, 1)
    assert hand(env, 1) == ("3c 3d 8c 9c" if card == "Dr-h" else "3c 3d")
    for seat in [leader, *follows]:
        assert turn(env) == seat
        assert value(env, "tricks_done") == 1
        env.step(env.action_from_label(f"play {seat + 2}c"))
    assert value(env, "tricks_done") == 2


@pytest.mark.rule("ED-60", "ED-78")
def test_the_last_card_of_the_last_trick_does_nothing() -> None:
    env = tricks(["5h 2c", "Ah 3c", "7h 4c", "Dr-h 5c"], "8c 9c", tricks_done=12)
    play(env, "0 play 5h; 1 play Ah; 2 play 7h; 3 play Dr-h")
    assert env.legal_actions() == []
    assert (hand(env, 1), zone(env, "pile"), value(env, "tricks_done")) == ("3c", "8c 9c", 13)


def test_a_dummy_is_redealt_as_its_turn_begins_and_played_by_another() -> None:
    env = tricks(["5h 2c", "6h 3c", "Dr-d Sk-c 4h", "7h 5c"], "7c 8c 9c", dummy=2)
    play(env, "0 play 5h; 1 play 6h; 3 play 7h")
    assert (hand(env, 2), value(env, "tricks_done")) == ("4h 7c 8c 9c", 1)
    env = tricks(["5h 2c", "6h 3c", "Rv-d 4h", "7h 5c"], "8c", dummy=2)
    play(env, "0 play 5h; 1 play 6h; 3 play 7h")
    assert (turn(env), env.current_player, legal(env)) == (2, 0, {"play 4h"})


def test_who_cannot_follow_is_known_to_lack_the_suit_until_they_take_a_card() -> None:
    env = tricks(["5h 2c", "Dr-d 3c", "9s SJ", "7h 5c"], "8c 9c")
    play(env, "0 play 5h; 1 play Dr-d")
    assert [value(env, "seen_void", seat) for seat in range(4)] == [0, 0b0100, 0, 0]
    play(env, "2 play SJ; 3 play 7h; 2 win with the Joker")
    assert [value(env, "seen_void", seat) for seat in range(4)] == [0, 0b0100, 0, 0], "a Joker says nothing"
    env = tricks(["5h 2c", "Dr-d 3c", "", ""], "8c 9c 7c 6c", seen_void=[0, 0b1000, 0, 0])
    play(env, "0 play 5h")
    play(env, "1 reveal Dr-d")
    assert value(env, "seen_void", 1) == 0
