"""The deck, sets of cards, the pile, Jokers, common cards, and what is seen (ED-01 to ED-19, ED-43 to ED-45, ED-80 on)."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from core.extended import toy_rotation, toy_tricks
from core.extended.positions import arranged, hand, legal, play, rotation, tricks, turn, value, zone
from wilddeck import cards
from wilddeck.envs.core import bits
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.dealing import deck_of
from wilddeck.envs.core.extended import common, pile, sets, turns
from wilddeck.envs.core.extended.turns import queue_kind
from wilddeck.envs.core.extended.view import extended_zones
from wilddeck.envs.core.game import as_record
from wilddeck.envs.core.jit import device_function

GAMES = {"tricks": toy_tricks, "rotation": toy_rotation}


def ids(text: str) -> list[int]:
    return cards.parse(text)


# --- cards and sets ---


@pytest.mark.rule("ED-01")
@pytest.mark.parametrize("toy", GAMES.values(), ids=GAMES)
def test_the_deck(toy: Any) -> None:
    assert deck_of(toy.Options()) == list(range(66))
    assert deck_of(toy.Options(deck="standard")) == list(range(52))
    env = CardGameEnv(toy.GAME, toy.Options())
    for wrong, message in ((list(range(52)), "not a permutation of the 66"), ([0, *range(65)], "not a permutation of the 66")):
        with pytest.raises(ValueError, match=message):
            env.reset(options={"deck": wrong})
    with pytest.raises(ValueError, match="deck='big' is not allowed; allowed: extended, standard"):
        toy.Options(deck="big")
    special = [cards.text([card]) for card in range(54, 66)]
    assert special == ["Dr-c", "Dr-d", "Dr-h", "Dr-s", "Rv-c", "Rv-d", "Rv-h", "Rv-s", "Sk-c", "Sk-d", "Sk-h", "Sk-s"]


@pytest.mark.rule("ED-02")
def test_kinds_and_suits_of_specials() -> None:
    for card in range(66):
        assert sets.is_special(card) == (card >= 54)
        assert sets.is_joker(card) == (card in (52, 53))
        if card >= 54:
            assert sets.kind_of(card) == (card - 54) // 4
            assert sets.SUIT[card] == (card - 54) % 4
        elif card < 52:
            assert sets.SUIT[card] == card % 4
        else:
            assert sets.SUIT[card] == sets.NO_SUIT


@pytest.mark.rule("ED-03")
def test_a_special_has_the_rank_of_its_kind_alone() -> None:
    for one in range(54, 66):
        same = [other for other in range(66) if sets.RANK[other] == sets.RANK[one]]
        assert same == [54 + 4 * ((one - 54) // 4) + suit for suit in range(4)]
    assert [int(sets.RANK[card]) for card in range(52)] == [card // 4 for card in range(52)]


def test_sets_hold_what_is_put_into_them() -> None:
    draw = random.Random(1)
    for _ in range(50):
        chosen = sorted(draw.sample(range(66), draw.randrange(67)))
        words = np.zeros(2, np.uint64)
        for card in chosen:
            sets.add(words, card)
        assert sets.ids_of(words) == chosen
        assert (words == sets.set_of(chosen)).all()
        assert sets.size_of(words) == len(chosen)
        assert [card for card in range(66) if sets.has(words, card)] == chosen
        row, mask = np.zeros(70, np.float32), np.zeros(70, np.uint8)
        sets.write_cards(row, 2, words)
        sets.mark_cards(mask, 2, words[0], words[1])
        assert (np.flatnonzero(row) - 2).tolist() == (np.flatnonzero(mask) - 2).tolist() == chosen
        assert set(row) <= {0, 1}
        for suit in range(4):
            suited = sets.ids_of(np.array([words[0] & sets.SUIT_CARDS[suit], 0], np.uint64))
            assert suited == [card for card in chosen if sets.SUIT[card] == suit]
        for card in chosen:
            sets.remove(words, card)
        assert not words.any()


def test_bits() -> None:
    @device_function
    def both(number):  # type: ignore[no-untyped-def]
        return bits.count_bits(number), bits.lowest_bit(number), bits.highest_bit(number)

    for number in (0, 1, 2, 3, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0x10010, 1 << 31, 1 << 32):
        low = (number & -number).bit_length() - 1 if number else 64
        expected = (bin(number).count("1"), low, number.bit_length() - 1)
        assert tuple(both(np.uint64(number))) == expected
        plain = (bits.count_bits(number), bits.lowest_bit(number), bits.highest_bit(number))
        assert plain == expected


# --- zones and the pile ---


@pytest.mark.rule("ED-07", "ED-12")
@pytest.mark.parametrize("toy", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize("deck", ["extended", "standard"])
def test_every_card_is_in_one_zone_and_shuffles_follow_from_the_seed(toy: Any, deck: str) -> None:
    options = toy.Options(deck=deck)
    seen = set()
    for seed in range(3):
        env = CardGameEnv(toy.GAME, options)
        env.reset(seed=seed)
        assert value(env, "direction") == 1
        dealt = env.record["deck"][0].tolist()
        again = CardGameEnv(toy.GAME, options)
        again.reset(seed=seed)
        assert again.save() == env.save()
        seen.add(tuple(dealt) + tuple(env.zones()["hand/0"]))
        draw = random.Random(seed)
        while env.legal_actions():
            held = [card for zone in env.zones().values() for card in zone]
            assert sorted(held) == deck_of(options)
            env.step(draw.choice(env.legal_actions()))
    assert len(seen) == 3


@pytest.mark.rule("ED-12")
def test_every_card_is_as_likely_in_every_hand() -> None:
    from wilddeck.envs.core.batch import Batch

    batch = Batch(toy_tricks.GAME, toy_tricks.Options(), 4000, seed=1)
    hands = batch.states["hand"]
    for card in (0, 33, 52, 65):
        word, bit = sets.WORD[card], sets.BIT[card]
        held = ((hands[:, :, word] & bit) != 0).sum(axis=0)
        assert np.all(np.abs(held - 4000 * 13 / 66) < 120), "five standard deviations"


@pytest.mark.rule("ED-08")
def test_playing_revealing_and_redealing_are_three_things() -> None:
    env = play(tricks(["Rv-h Sk-c 5h", "", "", ""], "9c 8c"), "0 reveal Rv-h")
    assert "Rv-h" in hand(env, 0), "shown where it is"
    assert (zone(env, "aside"), zone(env, "pile")) == ("", "9c 8c")
    play(env, "0 redeal")
    assert (hand(env, 0), zone(env, "aside"), zone(env, "pile")) == ("5h 9c Sk-c", "Rv-h", "8c")
    env = play(tricks(["Rv-h 5h", "", "", ""], "9c"), "0 play Rv-h")
    assert (hand(env, 0), zone(env, "trick/0"), zone(env, "aside"), zone(env, "pile")) == ("5h", "Rv-h", "", "9c")


@pytest.mark.rule("ED-09", "ED-10", "ED-11")
def test_a_refill_brings_the_cards_played_and_none_from_aside() -> None:
    env = rotation(["Dr-c 5c 6c 7c", "8c", "9c"], "", reshuffle=True)
    play(env, "0 play 5c; 0 play 6c")
    assert "reveal Dr-c" in legal(env), "two cards are available"
    play(env, "0 reveal Dr-c")
    assert (hand(env, 0), zone(env, "aside")) == ("5c 6c 7c", "Dr-c")
    assert zone(env, "pile") == zone(env, "refill") == ""
    play(env, "0 play 7c; 0 end; 1 draw")
    assert (hand(env, 1), zone(env, "aside")) == ("7c 8c", "Dr-c")
    play(env, "1 end; 2 draw; 2 end")
    assert hand(env, 2) == "9c", "nothing is left to draw, and nothing is owed"


@pytest.mark.rule("ED-10")
def test_cards_come_from_the_top_of_the_pile_and_the_rest_is_forfeited() -> None:
    env = rotation(["Dr-c Dr-d 5c", "6c", "7c"], "9h 8h Th")
    play(env, "0 play Dr-c; 0 play Dr-d; 0 end")
    assert (hand(env, 1), zone(env, "pile"), value(env, "draw", 1)) == ("6c 8h 9h Th", "", 0)
    env = rotation(["5c", "6c", "7c"], "9h 8h Th")
    play(env, "0 draw; 0 end; 1 draw; 1 end")
    assert (hand(env, 0), hand(env, 1), zone(env, "pile")) == ("5c 9h", "6c 8h", "Th")


@device_function
def refill_of(states, count):  # type: ignore[no-untyped-def]
    pile.take(states[0], 0, count)


@pytest.mark.rule("ED-10")
def test_a_refill_is_shuffled() -> None:
    piles = set()
    for seed in range(20):
        env = rotation(["", ""], "", rng=seed, refill=sets.set_of(ids("2c 4c 5c 6c SJ Sk-s")))
        refill_of(env.record.view(type(env._states)), 1)
        piles.add(zone(env, "pile"))
        assert sorted(env.zones()["pile"] + env.zones()["hand/0"]) == sorted(ids("2c 4c 5c 6c SJ Sk-s 3c 3d"))
    assert len(piles) > 15


# --- Jokers ---


@pytest.mark.rule("ED-13")
def test_a_joker_may_be_declared_to_be_each_standard_card() -> None:
    env = play(tricks(["SJ 5c", "", "", ""]), "0 play SJ")
    assert legal(env) == {f"declare {cards.text([card])}" for card in range(52)}
    assert sets.open_values(np.zeros(2, np.uint64)) == sets.STANDARD_CARDS


@pytest.mark.rule("ED-14")
def test_a_joker_stands_for_no_card_of_its_group() -> None:
    group = sets.set_of(ids("5c As SJ Dr-h"))
    values = sets.ids_of(np.array([sets.open_values(group), 0], np.uint64))
    assert values == [card for card in range(52) if card not in ids("5c As")]


@pytest.mark.rule("ED-15")
@pytest.mark.parametrize(("held", "open_fives"), [("5c 5d 5h 5s", ""), ("5c 5d 5h SJ", "5s")])
def test_no_group_has_five_cards_of_a_rank(held: str, open_fives: str) -> None:
    values = sets.ids_of(np.array([sets.open_values(sets.set_of(ids(held + " BJ"))), 0], np.uint64))
    assert [card for card in values if card in ids("5c 5d 5h 5s")] == ids(open_fives)


@pytest.mark.rule("ED-16", "ED-71")
def test_the_value_declared_does_not_bind() -> None:
    """Led as 5d, the Joker takes the trick over Kd; led as the ace it may lose to 4d."""
    env = play(tricks(["SJ 2c", "Kd 2h", "4c 4s", "2s 4h"]), "0 play SJ; 0 declare 5d; 1 play Kd; 2 play 4c; 3 play 2s")
    play(env, "0 win with the Joker")
    assert env.record["tricks"][0].tolist() == [1, 0, 0, 0]
    env = play(tricks(["SJ 2c", "4d 2h", "4c 4s", "2s 4h"]), "0 play SJ; 0 declare Ad; 1 play 4d; 2 play 4c; 3 play 2s")
    play(env, "0 lose with the Joker")
    assert env.record["tricks"][0].tolist() == [0, 1, 0, 0]


@pytest.mark.rule("ED-18")
def test_the_player_chooses_the_value_of_a_joker() -> None:
    """As it leads by declaring it, as the trick ends by settling it; a Joker that follows is not declared."""
    env = play(tricks(["SJ 2c", "BJ 2h", "Kd 4s", "2s 4h"]), "0 play SJ")
    assert (turn(env), value(env, "question")) == (0, 2)
    play(env, "0 declare 5d; 1 play BJ")
    assert (turn(env), value(env, "question")) == (2, 1)
    play(env, "2 play Kd; 3 play 2s")
    assert (turn(env), value(env, "question")) == (0, 3)


@pytest.mark.rule("ED-19")
def test_both_jokers_of_a_hand_may_be_played() -> None:
    env = tricks(["SJ BJ 5c", "", "", ""])
    assert legal(env) == {"play SJ", "play BJ", "play 5c"}
    assert hand(play(env, "0 play BJ"), 0) == "5c SJ"


# --- common cards ---


@device_function
def common_cards(states, count, laid):  # type: ignore[no-untyped-def]
    return common.deal_common(states[0], count, laid, 0)


@device_function
def common_turn(states, player, queue):  # type: ignore[no-untyped-def]
    common.begin_common(states[0], player, queue, turns.ROTATION)


def laid_down(env: CardGameEnv, count: int) -> tuple[str, int]:
    laid = np.zeros(count + 4, np.int64)
    size, queue = common_cards(env.record.view(type(env._states)), count, laid)
    return cards.text(laid[:size].tolist(), joker_kinds=True), int(queue)


def common_kinds(*kinds: int) -> int:
    queue = np.int64(0)
    for kind in kinds:
        queue = queue_kind(queue, kind)
    return int(queue)


@pytest.mark.rule("ED-43", "ED-44")
def test_common_specials_are_redealt_at_once() -> None:
    env = rotation(["", "", ""], "5h Dr-c Rv-d 6h 7h 8h")
    assert laid_down(env, 2) == ("5h 6h 7h", common_kinds(sets.REVERSE)), "Dr-c brings two cards, of which one is replaced"
    assert (zone(env, "aside"), zone(env, "pile")) == ("Dr-c Rv-d", "8h")
    env = rotation(["", "", ""], "Sk-h Rv-d 6h 7h")
    assert laid_down(env, 1) == ("6h", common_kinds(sets.SKIP, sets.REVERSE))
    env = rotation(["", "", ""], "5h Sk-h")
    assert laid_down(env, 2) == ("5h Sk-h", 0), "with an empty pile it stays, without effect"
    assert zone(env, "aside") == ""
    env = rotation(["", "", ""], "Dr-h 5h")
    assert laid_down(env, 1) == ("5h", 0), "one card is left"


@pytest.mark.rule("ED-45")
@pytest.mark.parametrize(
    ("kinds", "begins", "direction", "skipped"),
    [
        ([], 1, 1, []),
        ([sets.SKIP], 2, 1, [1]),
        ([sets.SKIP, sets.SKIP], 3, 1, [1, 2]),
        ([sets.REVERSE], 0, -1, []),
        ([sets.REVERSE, sets.REVERSE], 1, 1, []),
        ([sets.REVERSE, sets.SKIP], 3, -1, [0]),
        ([sets.SKIP] * 4, 1, 1, [0, 1, 2, 3]),
        ([sets.SKIP, sets.REVERSE], 0, -1, [1]),  # 2 is affected, and 1, who is reached, is skipped: the turn ends as it begins
    ],
)
def test_common_specials_act_in_the_order_dealt(kinds: list[int], begins: int, direction: int, skipped: list[int]) -> None:
    env = rotation(["", "", "", ""])
    common_turn(env.record.view(type(env._states)), 1, common_kinds(*kinds))
    assert (turn(env), value(env, "direction")) == (begins, direction)
    assert not any(value(env, "skip", seat) for seat in range(4)), "all that were skipped had their turns first"
    assert value(env, "skipped") == sum(1 << seat for seat in skipped)


@pytest.mark.rule("ED-45")
def test_a_common_skip_for_whom_nobody_is_left_does_nothing() -> None:
    env = rotation(["", "", ""], out=0b100)
    common_turn(env.record.view(type(env._states)), 1, common_kinds(sets.SKIP, sets.SKIP, sets.SKIP))
    assert (turn(env), value(env, "skipped"), value(env, "skip", 0), value(env, "skip", 1)) == (1, 0b011, 0, 0)


# --- what is seen ---


def block(env: CardGameEnv, seat: int, name: str) -> np.ndarray:
    return env.observe(f"player_{seat}")["observation"][env.observation_layout[name]]


@pytest.mark.rule("ED-80")
def test_public_facts_are_seen_by_all() -> None:
    env = rotation(["Rv-c 5c", "Dr-h Sk-h Sk-d 4h", "", "Rv-d 9d"], "6h 7h 8h 9h")
    play(env, "0 reveal Rv-c; 3 reveal Rv-d; 0 end; 1 reveal Sk-d")
    for seat in range(4):
        place = [(other - seat) % 4 for other in range(4)]
        assert np.flatnonzero(block(env, seat, "staged")).tolist() == [9]
        assert np.flatnonzero(block(env, seat, "aside")).tolist() == [4, 5]
        assert block(env, seat, "pile")[0] == np.float32(2 / 66)
        assert block(env, seat, "direction")[0] == 1
        sizes = block(env, seat, "hand_sizes") * 27
        assert [round(float(sizes[place[other]])) for other in range(4)] == [2, 4, 2, 2]
        assert np.flatnonzero(block(env, seat, "paused")).tolist() == [place[3]]
    env = rotation(["Dr-c Sk-c Sk-d 5c", "", "", ""], "6h 7h 8h 9h", draw=[0, 0, 4, 0, 0, 0], skip=[0, 0, 0, 2, 0, 0], out=2)
    for seat in range(4):
        place = [(other - seat) % 4 for other in range(4)]
        assert block(env, seat, "pending_draw")[place[2]] == np.float32(4 / 8)
        assert block(env, seat, "pending_skip")[place[3]] == np.float32(2 / 4)
        assert np.flatnonzero(block(env, seat, "turn_over")).tolist() == [place[1]]


@pytest.mark.rule("ED-80")
def test_the_trick_is_seen_by_all() -> None:
    env = tricks(["SJ 2c 7h", "4d 2h 8h", "Dr-s 4s 9h", "2s 4h Th"], "5s 6s")
    play(env, "0 play SJ; 0 declare Ad; 1 play 4d; 2 play Dr-s")
    for seat in range(4):
        place = [(other - seat) % 4 for other in range(4)]
        trick = block(env, seat, "trick_cards").reshape(4, 66)
        for other, card in ((0, 52), (1, 12 - 4 + 1), (2, 57)):
            assert np.flatnonzero(trick[place[other]]).tolist() == [card]
        assert not trick[place[3]].any()
        assert np.flatnonzero(block(env, seat, "led_suit")).tolist() == [1]
        assert np.flatnonzero(block(env, seat, "declared")).tolist() == [49]
        assert np.flatnonzero(block(env, seat, "first_player")).tolist() == [place[0]]
        assert np.flatnonzero(block(env, seat, "leader_due")).tolist() == [place[0]]
        assert np.flatnonzero(block(env, seat, "question")).tolist() == [0]
        assert np.flatnonzero(block(env, seat, "trick_number")).tolist() == [0]
        void = block(env, seat, "seen_void").reshape(4, 4)
        assert np.argwhere(void).tolist() == [[place[2], 1]]
    play(env, "3 play 4h; 0 win with the Joker")
    for seat in range(4):
        place = [(other - seat) % 4 for other in range(4)]
        played = block(env, seat, "played").reshape(4, 66)
        for other, card in ((0, 52), (1, 9), (2, 57), (3, 10)):
            assert np.flatnonzero(played[place[other]]).tolist() == [card]
        assert np.flatnonzero(block(env, seat, "trick_number")).tolist() == [1]
        assert not block(env, seat, "trick_cards").any()
        void = block(env, seat, "seen_void").reshape(4, 4)
        assert sorted(np.argwhere(void).tolist()) == sorted([[place[2], 1], [place[3], 1]])


@pytest.mark.rule("ED-81")
def test_cards_taken_are_seen_by_their_owner_alone_unless_the_hand_lies_face_up() -> None:
    env = tricks(["Dr-c 5c", "2h 3h", "", ""], "9s 8s")
    before = [block(env, seat, "hand").copy() for seat in range(4)]
    play(env, "0 play Dr-c")
    for seat in (2, 3):
        assert (block(env, seat, "hand") == before[seat]).all()
        assert env.zones(f"player_{seat}")["hand/1"] == [-1] * 4
    assert np.flatnonzero(block(env, 1, "hand")).tolist() == sorted(ids("2h 3h 8s 9s"))
    env = tricks(["Dr-c 5c", "2h 3h", "", ""], "9s 8s", dummy=1)
    play(env, "0 play Dr-c")
    for seat in range(4):
        assert np.flatnonzero(block(env, seat, "dummy")).tolist() == sorted(ids("2h 3h 8s 9s"))
        assert env.zones(f"player_{seat}")["hand/1"] == sorted(ids("2h 3h 8s 9s"))


@pytest.mark.rule("ED-82")
@pytest.mark.parametrize("toy", GAMES.values(), ids=GAMES)
def test_neither_the_pile_nor_other_hands_change_what_a_seat_sees(toy: Any) -> None:
    """Every seat's view is the same of a state and of the same state with the hidden cards dealt anew."""
    different = 0
    for seed in range(3):
        env, draw = CardGameEnv(toy.GAME, toy.Options()), random.Random(seed)
        env.reset(seed=seed)
        while env.legal_actions():
            for seat in range(4):
                agent = f"player_{seat}"
                other = env.determinize(agent, draw.randrange(1000))
                for key in ("observation", "action_mask"):
                    assert (other.observe(agent)[key] == env.observe(agent)[key]).all()
                assert other.zones(agent) == env.zones(agent)
                different += other.zones() != env.zones()
            env.step(draw.choice(env.legal_actions()))
    assert different > 200


def test_zones_show_what_is_staged_and_what_a_viewer_gave() -> None:
    env = play(rotation(["Rv-c Sk-d 5c 7c", "", ""], "9h 8h 7h 6h"), "0 reveal Sk-d")
    state, gift = as_record(env.record), {0: ids("5c 2c")}
    first = ids("Sk-d 5c")
    assert extended_zones(state, None, 0, gift)["hand/0"] == first + ids("7c Rv-c")
    assert extended_zones(state, 2, 0, gift)["hand/0"] == [*first, -1, -1]
    assert extended_zones(state, 1)["hand/0"] == [first[0], -1, -1, -1]
    assert extended_zones(state, 1, 1, gift)["hand/0"] == first + ids("7c Rv-c")


def test_arranged_positions_are_as_written() -> None:
    env = arranged(toy_tricks.GAME, toy_tricks.Options(), ["2c", "3c", "4c", "5c"], "Sk-h")
    assert [hand(env, seat) for seat in range(4)] == ["2c", "3c", "4c", "5c"]
    assert zone(env, "pile") == "Sk-h"
