"""What a game has unless it says otherwise, what its actions are called, and which declarations are refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from core.toy import GAME
from wilddeck.envs import game as find_game
from wilddeck.envs.core import options as opt
from wilddeck.envs.core.cards import ALIKE_JOKERS, EXTENDED
from wilddeck.envs.core.extended.state import deck_option
from wilddeck.envs.core.game import FUNCTIONS, Bounds, Game, Money
from wilddeck.envs.core.jit import interpreted
from wilddeck.envs.core.layout import Block, Layout

STATE = SimpleNamespace(num_players=4, current_player=2)


@dataclass(frozen=True)
class WithDeck(opt.Options):
    num_players: int = opt.one_of(2, (2, 3), "players")
    hands: int = opt.integer(3, 1, 5, "hands of an episode")
    truncate: bool = opt.flag(False, "whether the episode is cut off")
    deck: str = deck_option()


def smallest(**changes: Any) -> Game:
    """A game that says as little as can be said."""
    parts: dict[str, Any] = {
        "name": "old_toy",
        "options": GAME.options,
        "fields": GAME.fields,
        "actions": GAME.actions,
        "observation": GAME.observation,
        "functions": [GAME.functions[name] for name in FUNCTIONS if name != "deal"],
        "zones": GAME.zones,
        "bounds": Bounds(9, (0.0, 8.0)),
    }
    return Game(**{**parts, **changes})


def test_what_a_game_has_unless_it_says_otherwise() -> None:
    game = smallest()
    options = game.make_options({"num_players": 3})
    assert (game.id, game.title) == ("old_toy_v0", "Old Toy")
    assert game.deck(options) == list(range(52)) and game.state["deck"].shape == (52,)
    assert game.state["rewards"].shape == (3,)
    assert game.describe(STATE, None) == ()
    assert game.max_length(options) == 9 and game.reward_range(options) == game.return_range(options) == (0.0, 8.0)
    record = game.template(options)
    with np.errstate(over="ignore"):
        interpreted(game.functions["deal"])(record.view(np.recarray)[0])
    assert sorted(record["deck"][0].tolist()) == list(range(52)) != record["deck"][0].tolist()
    assert game.reward_sum(options) == 0 and game.teams(options) == ((0,), (1,), (2,))
    assert game.score_unit(options) == 1 and game.score_units(options) == {}


def test_with_an_option_for_it_the_deck_is_standard_or_extended() -> None:
    game = smallest(options=WithDeck, fields=[*GAME.fields, ("standard", "u1")])
    assert game.deck(WithDeck()) == list(range(66)) and game.deck(WithDeck(deck="standard")) == list(range(52))
    assert game.state["deck"].shape == (66,)


def test_bounds_and_money_may_follow_from_the_options() -> None:
    bounds = Bounds(lambda options: 5 * options.hands, lambda options: (-options.hands, 1.0), (-4, 4), None)
    game = smallest(bounds=bounds, money=Money(20, lambda options: ("tokens", options.hands)))
    options = game.make_options({"hands": 2})
    assert game.max_length(options) == 10 and game.reward_range(options) == (-2, 1) and game.return_range(options) == (-4, 4)
    assert game.reward_sum(options) is None
    assert game.score_unit(options) == 20 and game.score_units(options) == {"chips": 20, "tokens": 10}


def test_labels_are_made_of_parts_of_which_the_last_varies_fastest() -> None:
    layout = Layout(
        Block("take_all", 1, ""),
        Block("play", 66, "", label="play {card}"),
        Block("raise", 3, ""),
        Block("ask", -13, "", each=13, label="ask player {seat} for {rank}"),
        Block("lead", 8, "", label="{how} {suit}", parts={"how": ("show", "hide")}),
        Block("bid", 3, "", label="bid {amount}", parts={"amount": range(7, 10)}),
    )
    texts = [layout.text(STATE, action) for action in range(layout.size(4))]
    assert texts[0] == "take all"
    assert texts[1:67:65] == ["play 2c", "play Sk-s"]
    assert texts[67:70] == ["raise 0", "raise 1", "raise 2"]
    assert texts[70:109:13] == ["ask player 3 for 2", "ask player 0 for 2", "ask player 1 for 2"]
    assert texts[70:83:12] == ["ask player 3 for 2", "ask player 3 for A"]
    assert texts[109:117] == [f"{how} {suit}" for how in ("show", "hide") for suit in ("clubs", "diamonds", "hearts", "spades")]
    assert texts[117:] == ["bid 7", "bid 8", "bid 9"]
    assert layout.blocks[3].parts_of("ask player {seat} for {rank}", 27) == {"seat": 3, "rank": 1}
    play = layout.blocks[1].action_parts
    assert [play("play {card}", 53, STATE, deck).text for deck in (ALIKE_JOKERS, EXTENDED)] == [
        "play Jk",
        "play BJ",
    ]


def test_a_label_may_follow_from_the_state() -> None:
    game = smallest(
        actions=Layout(Block("keep", 2, ""), Block("play", 4, "", label="play {suit}")),
        labels={"play": lambda state, place: "lead {suit}" if state.current_player == 2 else "play {suit}"},
    )
    assert [game.parts(STATE, action).text for action in (0, 2)] == ["keep 0", "lead clubs"]
    assert game.parts(SimpleNamespace(num_players=4, current_player=1), 2).text == "play clubs"


def test_a_label_with_an_unknown_part_is_refused() -> None:
    with pytest.raises(ValueError, match="of the block 'play' has an unknown part 'crad'; parts: ace, amount, card"):
        Block("play", 4, "", label="play {crad}", parts={"ace": (1, 2)})


def test_labels_of_a_block_that_is_none_are_refused() -> None:
    with pytest.raises(ValueError, match="the actions of old_toy have no blocks paly, which are to be labelled"):
        smallest(labels={"paly": lambda state, place: "play"})


def test_a_game_with_private_blocks_that_are_none_is_refused() -> None:
    with pytest.raises(ValueError, match="the observation of tennis has no blocks hnad, which are to be private"):
        replace(find_game("tennis_v0"), private=("hand", "hnad"))


def test_a_game_lacking_functions_is_refused() -> None:
    tennis = find_game("tennis_v0")
    with pytest.raises(ValueError, match="old_toy lacks the functions deal"):
        smallest(deck=lambda options: [1, 2, 3])
    with pytest.raises(ValueError, match="tennis lacks the functions observe"):
        replace(tennis, functions={name: function for name, function in tennis.functions.items() if name != "observe"})


def test_a_deck_that_does_not_fit_is_refused() -> None:
    game = smallest(deck=lambda options: list(range(10 * options.hands)), functions=GAME.functions)
    with pytest.raises(ValueError, match="old_toy_v0 has decks of 50 cards: its `deck_size` must be as large, not 30"):
        game.template(game.make_options({"hands": 5}))
