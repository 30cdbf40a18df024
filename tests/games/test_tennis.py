"""Clauses and worked examples of docs/rules/tennis.md."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest
from games import tennis_reference as reference
from games.tennis_positions import PLAYERS, RANKS, arranged, dealt, field, play, zone
from support import play_random
from wilddeck import cards
from wilddeck.envs import raw_env


def trick(ranks: str) -> int | None:
    """The seat that wins a trick in which the seats play these ranks in turn; None for a tie."""
    env = dealt(ranks.split())
    before = [len(env.zones()[f"pile/{seat}"]) for seat in range(env.num_players)]
    play(env, ranks)
    gained = [len(env.zones()[f"pile/{seat}"]) - size for seat, size in enumerate(before)]
    if not any(gained):
        assert zone(env, "set_aside") == ranks
        return None
    winner = gained.index(env.num_players)
    assert zone(env, "set_aside") == ""
    assert zone(env, f"pile/{winner}").endswith(ranks)
    return winner


@pytest.mark.rule("TN-08")
@pytest.mark.parametrize(
    ("number", "ranks", "records", "winner"),
    [
        (1, "K 2 6 7 9 Q", [0, 2, -1, 0, 1, -2], 1),
        (2, "5 7", [-1, 1], 1),
        (3, "5 8", [0, 0], None),
        (4, "2 Q", [1, -1], 0),
        (5, "3 Q", [0, 0], None),
        (6, "4 5 6", [-2, 0, 2], 2),
        (7, "5 5 4", [1, 1, -2], None),
        (8, "Q K 2 3", [-2, -1, 1, 2], 3),
        (9, "2 4 6 8 T Q", [0, 0, 0, 0, 0, 0], None),
    ],
)
def test_worked_examples_of_tricks(number: int, ranks: str, records: list[int], winner: int | None) -> None:
    assert reference.records([RANKS.index(rank) for rank in ranks.split()]) == records
    assert trick(ranks) == winner


@pytest.mark.rule("TN-01")
@pytest.mark.parametrize("num_players", PLAYERS)
def test_the_deck_has_no_aces(num_players: int) -> None:
    env = raw_env("tennis_v0", num_players=num_players)
    env.reset(seed=1)
    held = sorted(card for ids in env.zones().values() for card in ids)
    assert held == cards.parse(" ".join(rank + suit for rank in RANKS for suit in "cdhs")) == list(range(48))


@pytest.mark.rule("TN-01")
@pytest.mark.parametrize("num_players", PLAYERS)
def test_suits_mean_nothing(num_players: int) -> None:
    """A game with the suits of each rank exchanged looks the same to everybody until its end."""
    draw = random.Random(num_players)
    deck = list(range(48))
    draw.shuffle(deck)
    exchanged = {4 * rank + suit: 4 * rank + new for rank in range(12) for suit, new in enumerate(draw.sample(range(4), 4))}
    one, two = (raw_env("tennis_v0", num_players=num_players, dealer=0) for _ in range(2))
    one.reset(seed=0, options={"deck": deck})
    two.reset(seed=0, options={"deck": [exchanged[card] for card in deck]})
    for _ in zip(play_random(one, 5, 10**4), play_random(two, 5, 10**4), strict=True):
        assert one.rewards == two.rewards
        for agent in one.agents:
            assert one.observe(agent)["observation"].tobytes() == two.observe(agent)["observation"].tobytes()
    assert not one.agents


@pytest.mark.rule("TN-02")
@pytest.mark.parametrize("num_players", PLAYERS)
def test_cards_are_dealt_one_at_a_time(num_players: int) -> None:
    env = raw_env("tennis_v0", num_players=num_players)
    deck = list(range(47, -1, -1))
    env.reset(seed=1, options={"deck": deck})
    zones = env.zones()
    for seat in range(num_players):
        assert zones[f"hand/{seat}"] + zones[f"pile/{seat}"] == deck[seat::num_players]
        assert env.zones(f"player_{seat}")[f"pile/{seat}"] == [-1] * (48 // num_players - 6), "face down"


@pytest.mark.rule("TN-03")
def test_every_pair_of_ranks() -> None:
    beaten_by = {rank: {RANKS[(index + 1) % 12], RANKS[(index + 2) % 12]} for index, rank in enumerate(RANKS)}
    assert beaten_by["K"] == {"2", "3"}
    assert beaten_by["Q"] == {"K", "2"}
    for first, second in product(RANKS, RANKS):
        expected = 0 if first in beaten_by[second] else 1 if second in beaten_by[first] else None
        assert trick(f"{first} {second}") == expected, (first, second)


@pytest.mark.rule("TN-04", "TN-05")
@pytest.mark.parametrize("num_players", PLAYERS)
def test_a_round_of_six(num_players: int) -> None:
    """Six cards each, the top ones, six tricks, one card of each player a trick, any rank in hand."""
    env = raw_env("tennis_v0", num_players=num_players)
    env.reset(seed=3)
    hands = [list(env.zones()[f"hand/{seat}"]) for seat in range(num_players)]
    assert [len(hand) for hand in hands] == [6] * num_players
    for left in range(6, 0, -1):
        assert field(env, "tricks_left") == left
        movers = set()
        for _ in range(num_players):
            seat = env.current_player
            movers.add(seat)
            assert env.legal_actions() == sorted({card // 4 for card in hands[seat]})
            action = env.legal_actions()[-1]
            hands[seat].remove(next(card for card in reversed(hands[seat]) if card // 4 == action))
            env.step(action)
            if left > 1 or len(movers) < num_players:
                assert [env.zones()[f"hand/{other}"] for other in range(num_players)] == hands
        assert len(movers) == num_players
    zones = env.zones()
    left = [len(zones[f"hand/{seat}"] + zones[f"pile/{seat}"]) for seat in range(num_players)]
    assert field(env, "tricks_left") == min(6, *(count for count in left if count))
    assert field(env, "tricks_played") == 6


@pytest.mark.rule("TN-04")
def test_the_shortest_pile_sets_the_round() -> None:
    """Worked example 10; a player without any cards does not count."""
    env = arranged(["2", "5", "9", ""], ["5 5 5 6 6 6 7", "8 8 8 8", "T T T T 9 J", ""])
    play(env, "2 5 9")
    assert zone(env, "removed").endswith("2 5 9")
    assert field(env, "tricks_left") == 4
    assert [zone(env, f"hand/{seat}") for seat in range(4)] == ["5 5 5 6", "8 8 8 8", "T T T T", ""]
    assert [zone(env, f"pile/{seat}") for seat in range(4)] == ["6 6 7", "", "9 J", ""]


@pytest.mark.rule("TN-05")
def test_cards_are_played_face_up_in_turn() -> None:
    env = dealt(["2", "5", "9", "K"])
    play(env, "2 5")
    for agent in env.agents:
        assert [env.zones(agent)[f"table/{seat}"] for seat in range(4)] == [env.zones()[f"table/{seat}"] for seat in range(4)]
    assert [zone(env, f"table/{seat}") for seat in range(4)] == ["2", "5", "", ""]


@pytest.mark.rule("TN-06")
@pytest.mark.parametrize("dealer", range(4))
def test_the_lead_passes_clockwise(dealer: int) -> None:
    env = raw_env("tennis_v0", dealer=dealer)
    env.reset(seed=1)
    for trick_number in range(6):
        for place in range(4):
            assert env.current_player == (dealer + trick_number + place) % 4
            assert field(env, "lead") == (dealer + trick_number) % 4
            env.step(env.legal_actions()[0])


@pytest.mark.rule("TN-06")
def test_players_without_cards_are_passed_over() -> None:
    env = arranged(["2 3", "5 6", "", "9 T"], ["", "", "", ""], lead=1, dealer=1)
    order = []
    for _ in range(6):
        order.append(env.current_player)
        env.step(env.legal_actions()[0])
    assert order == [1, 3, 0, 3, 0, 1]


@pytest.mark.rule("TN-07")
def test_the_first_dealer_is_drawn_by_lot_or_given() -> None:
    for num_players in PLAYERS:
        env = raw_env("tennis_v0", num_players=num_players)
        dealers: Counter[int] = Counter()
        for seed in range(240):
            env.reset(seed=seed)
            dealers[field(env, "dealer")] += 1
            assert env.current_player == field(env, "dealer")
        assert set(dealers) == set(range(num_players))
        assert min(dealers.values()) > 0.6 * 240 / num_players
        for dealer in range(num_players):
            env = raw_env("tennis_v0", num_players=num_players, dealer=dealer)
            env.reset(seed=1)
            assert env.current_player == dealer


@pytest.mark.rule("TN-07")
def test_the_deal_passes_to_the_next_player_with_cards() -> None:
    env = arranged(["2", "5", "9", "Q"], ["3 3", "", "4", "8 8"])  # a tie: player 1 is left without cards
    play(env, "2 5 9 Q")
    assert field(env, "dealer") == 2
    assert env.current_player == 2
    play(env, "4 8 3")
    assert field(env, "dealer") == 3


@pytest.mark.rule("TN-08")
@pytest.mark.parametrize("num_players", PLAYERS)
def test_records_of_random_tricks(num_players: int) -> None:
    draw = random.Random(num_players)
    for _ in range(60):
        ranks = [draw.randrange(12) for _ in range(num_players)]
        if max(Counter(ranks).values()) > 4:
            continue
        results = reference.records(ranks)
        expected = results.index(max(results)) if results.count(max(results)) == 1 else None
        assert trick(" ".join(RANKS[rank] for rank in ranks)) == expected


@pytest.mark.rule("TN-09", "TN-10")
def test_set_aside_cards_go_to_the_next_winner_first() -> None:
    """Worked example 7, with a second tie: oldest trick first, each trick in the order of play."""
    env = dealt(["5 9 2", "5 9 3", "4 8 4"])
    play(env, "5 5 4")
    assert zone(env, "set_aside") == "5 5 4"
    play(env, "9 8 9")  # player 1 leads
    assert zone(env, "set_aside") == "5 5 4 9 8 9"
    before = zone(env, "pile/2")
    play(env, "4 2 3")  # player 2 leads and wins
    assert zone(env, "set_aside") == ""
    assert zone(env, "pile/2") == f"{before} 5 5 4 9 8 9 4 2 3"
    assert [len(env.zones()[f"pile/{seat}"]) for seat in range(3)] == [10, 10, 19]


@pytest.mark.rule("TN-10")
def test_the_winner_takes_the_trick_in_order_of_play() -> None:
    env = arranged(["2 2", "6 6", "7 7", "Q Q"], ["3", "3", "4", "5"], lead=2)
    play(env, "7 Q 2 6")  # played by 2, 3, 0, 1; the 2 beats the Q, the 7 beats the 6: a tie
    assert zone(env, "set_aside") == "7 Q 2 6"
    env = arranged(["2 2", "6 6", "T T", "Q Q"], ["3", "3", "4", "5"], lead=2)
    play(env, "T Q 2 6")  # the 2 beats the Q, which beats the T
    assert zone(env, "pile/0") == "3 T Q 2 6"


@pytest.mark.rule("TN-11")
def test_cards_set_aside_at_the_end_of_a_round_are_out() -> None:
    """Worked example 11."""
    env = arranged(["5 2", "8 5"], ["J Q K", "3 4 5"], set_aside="9 9")
    play(env, "5 8")
    assert zone(env, "set_aside") == "9 9 5 8"
    removed = zone(env, "removed")
    play(env, "5 2")  # player 1 leads; three steps: a tie again, and the round is over
    assert zone(env, "set_aside") == ""
    assert zone(env, "removed") == f"{removed} 9 9 5 8 5 2"
    assert zone(env, "hand/0") == "J Q K"


@pytest.mark.rule("TN-12")
def test_cards_won_come_into_a_hand_later() -> None:
    """Also when the own pile is empty."""
    env = arranged(["7 9", "5 T"], ["", "3"])
    play(env, "7 5")
    assert zone(env, "hand/0") == "9"
    assert zone(env, "pile/0") == "7 5"
    assert env.legal_actions() == [RANKS.index("T")]
    play(env, "T 9")  # player 1 leads and wins; one card each in the next round: the 7 and the 3
    assert field(env, "tricks_left") == 2
    assert zone(env, "hand/0") == "7 5"
    assert zone(env, "hand/1") == "3 T"
    assert zone(env, "pile/1") == "9"


@pytest.mark.rule("TN-12")
@pytest.mark.parametrize("num_players", PLAYERS)
def test_hands_only_shrink_within_a_round(num_players: int) -> None:
    env = raw_env("tennis_v0", num_players=num_players)
    env.reset(seed=8)
    hands = [set(env.zones()[f"hand/{seat}"]) for seat in range(num_players)]
    played, left = 0, 6
    for _ in play_random(env, 3, 300):
        now = [set(env.zones()[f"hand/{seat}"]) for seat in range(num_players)]
        same_round = field(env, "tricks_played") == played or left > 1
        assert not same_round or all(new <= old for new, old in zip(now, hands, strict=True))
        hands, played, left = now, field(env, "tricks_played"), field(env, "tricks_left")


@pytest.mark.rule("TN-13")
def test_the_last_player_with_cards_wins() -> None:
    env = arranged(["7", "5", "5", ""], ["", "", "", ""])
    play(env, "7 5")
    assert not any(env.terminations.values())
    play(env, "5")
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    assert list(env.rewards.values()) == pytest.approx([1, -1 / 3, -1 / 3, -1 / 3])


@pytest.mark.rule("TN-13")
def test_a_player_without_cards_is_out_when_a_round_begins() -> None:
    """Not before: with an empty hand and pile, a won trick brings a player back."""
    env = arranged(["7", "5", "J"], ["", "", "4"])
    out = env.observation_layout["out"]
    play(env, "7 5")
    assert env.observe("player_0")["observation"][out].tolist() == [0, 0, 0]
    play(env, "J")
    assert zone(env, "hand/0") == "7"
    assert not any(env.terminations.values())
    assert env.observe("player_0")["observation"][out].tolist() == [0, 1, 0]
    assert env.observe("player_2")["observation"][out].tolist() == [0, 0, 1]
    assert env.record["in_round"][0][:3].tolist() == [1, 0, 1]


@pytest.mark.rule("TN-14")
def test_nobody_has_cards() -> None:
    """Those of the last round share the win; who was out before it does not."""
    env = arranged(["5", "8", "J", ""], ["", "", "", ""])
    play(env, "5 8 J")
    assert all(env.terminations.values())
    assert list(env.rewards.values()) == pytest.approx([1 / 9, 1 / 9, 1 / 9, -1 / 3])
    env = arranged(["5", "8"], ["", ""])
    play(env, "5 8")
    assert list(env.rewards.values()) == [0, 0]


@pytest.mark.rule("TN-15")
def test_the_cap_ends_the_game_with_its_round() -> None:
    env = arranged(["5 8 2", "8 5 5"], ["J Q K", "3 4"], max_tricks=50, tricks_played=48)
    play(env, "5 8 5 8")
    assert field(env, "tricks_played") == 50
    assert not any(env.terminations.values()), "the round is played to its end"
    play(env, "2 5")
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    assert list(env.rewards.values()) == [1, -1]


@pytest.mark.rule("TN-15")
@pytest.mark.parametrize(
    ("piles", "rewards"),
    [
        (["J Q", "3 3", "4", "6"], [1 / 3, 1 / 3, -1 / 3, -1 / 3]),
        (["J", "3", "4", "6"], [0, 0, 0, 0]),
        (["J", "3", "4", ""], [1 / 9, 1 / 9, 1 / 9, -1 / 3]),
        (["", "", "", "6 6"], [-1 / 3, -1 / 3, -1 / 3, 1]),
        (["", "", "", ""], [0, 0, 0, 0]),
    ],
)
def test_at_the_cap_most_cards_win(piles: list[str], rewards: list[float]) -> None:
    env = arranged(["2", "5", "8", "J"], piles, max_tricks=50, tricks_played=49)
    play(env, "2 5 8 J")
    assert all(env.terminations.values())
    assert list(env.rewards.values()) == pytest.approx(rewards)


@pytest.mark.rule("TN-15")
def test_games_below_the_cap_go_on() -> None:
    env = arranged(["2", "5"], ["J Q", "3 3"], max_tricks=50, tricks_played=48)
    play(env, "2 5")
    assert not any(env.terminations.values())
    assert field(env, "tricks_left") == 2
