"""Cards of a game's own: their texts, names and pictures; `core/toy_tarot.py` is such a game."""

from __future__ import annotations

import re

import pytest
from core.toy_tarot import CARDS, GAME
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import ALIKE_JOKERS, EXTENDED, HIDDEN, CardSet, rank_number
from wilddeck.envs.core.jit import only_interpreted
from wilddeck.envs.core.render import ansi
from wilddeck.envs.core.render.sight import scene
from wilddeck.envs.core.render.svg import sprite
from wilddeck.testing import check_game


def test_the_suites_cards_are_named_in_words() -> None:
    assert [EXTENDED.name(card) for card in (0, 33, 51, 52, 53, 54, 65)] == [
        *("2 of clubs", "10 of diamonds", "Ace of spades", "small Joker", "big Joker", "Draw of clubs", "Skip of spades")
    ]
    assert [ALIKE_JOKERS.name(card) for card in (52, 53)] == ["Joker", "Joker"]
    assert [EXTENDED.rank(card) for card in range(66)] == [rank_number(card) for card in range(66)]
    assert [EXTENDED.suit(card) for card in (0, 51, 52, 53, 54, 65)] == [0, 3, -1, -1, 0, 3]
    assert (EXTENDED.alike, ALIKE_JOKERS.alike) == (frozenset(), {52, 53})


def test_what_is_written_as_a_card_of_the_suite_is_that_card() -> None:
    ace, fool = CARDS.texts.index("As"), CARDS.texts.index("Fool")
    assert (ace, CARDS.name(ace), CARDS.rank(ace), CARDS.suit(ace)) == (3, "Ace of spades", 12, 3)
    assert (CARDS.name(fool), CARDS.rank(fool), CARDS.suit(fool)) == ("Fool", 17 + fool, -1)
    assert CARDS.text([ace, HIDDEN, 77]) == "As ?? T21"
    with pytest.raises(ValueError, match=re.escape("78 is not a card id; ids are 0..77")):
        CARDS.text([78])


@pytest.mark.parametrize(
    ("texts", "names", "message"),
    [
        (("1 red",), (), "must be one word"),
        (("",), (), "must be one word"),
        ((), (), "a game must have 1 to 255 cards, not 0"),
        (tuple(f"c{k}" for k in range(256)), (), "not 256"),
        (("r1", "r2"), ("red one",), "`names` must have 2 entries, one per card, not 1"),
    ],
)
def test_texts_and_names_are_checked(texts: tuple[str, ...], names: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        CardSet(texts, names)


def test_a_game_with_cards_of_its_own_is_drawn_and_told() -> None:
    """By their ids 54 and 77 the suite has a Draw and nothing."""
    env = CardGameEnv(GAME, GAME.make_options({"num_players": 2}))
    first = [54, 77, 0, 1, 2, 3]
    rest = list(GAME.deck(env.options))
    for card in first:
        rest.remove(card)
    with only_interpreted():
        env.reset(seed=1, options={"deck": first + rest})
        assert [env.action_label(action) for action in env.legal_actions()] == ["play Ac", "play Kh", "play T21"]
        env.step(env.action_from_label("play T21"))
        assert env.history("player_1")[-1].text() == "player 0 lays T21"
        assert env.history()[-1].to_json(GAME.cards)["cards"] == ["T21"]
        assert re.search(r"player_0 +Ac Kh +T21", ansi(env))
        assert scene(env, 0)["cards"] == "toy_tarot_v0"


def test_its_pictures_are_the_games() -> None:
    drawn = sprite(CARDS)
    symbols = dict(re.findall(r'<symbol id="(\w+)"(.*?)</symbol>', drawn))
    assert len(symbols) == 2 * (78 + 1)
    assert 'data-name="T21" data-rank="94" data-suit="-1"' in symbols["card77"]
    assert ">T21</text>" in symbols["card77"]
    assert (
        symbols["card0"].replace("card0-", "card48-")
        == dict(re.findall(r'<symbol id="(\w+)"(.*?)</symbol>', sprite()))["card48"]
    )


@pytest.mark.long
def test_it_passes_the_checks() -> None:
    check_game(GAME, quick=True)
