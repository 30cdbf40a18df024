"""What can be clicked for an action follows from its parts, in any game."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from support import Case, each_game, running
from wilddeck.envs import raw_env
from wilddeck.envs.core import cards
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import EXTENDED
from wilddeck.envs.core.parts import ActionParts, Part, compose
from wilddeck.web.links import AMOUNTS, _amounts, _group, composed, decision

pytestmark = pytest.mark.interpreted


@each_game
def test_every_legal_action_is_there_once(case: Case) -> None:
    for env in running(case)[::4]:
        groups = decision(env)["groups"]
        actions = [action["action"] for group in groups for action in group["actions"]]
        assert sorted(actions) == env.legal_actions() and len(set(actions)) == len(actions)
        for group in groups:
            rests = [action.get("rest", action["label"]) for action in group["actions"]]
            assert len(set(rests)) == len(rests) and all(rests), "buttons that look alike"


def parts(template: str, **values: Any) -> ActionParts:
    return compose(template, values, None, EXTENDED)


def decisions(game_id: str, seed: int = 3, **options: object) -> list[tuple[CardGameEnv, dict]]:
    """Decisions of a random game, with copies of it."""
    env, draw = raw_env(game_id, **options), random.Random(seed)
    env.reset(seed=seed)
    moments = []
    while not any(env.terminations.values()) and len(moments) < 300:
        moments.append((env.clone(), decision(env)))
        env.step(draw.choice(env.legal_actions()))
    return moments


def groups(game_id: str, name: str) -> list[dict]:
    return [group for _, decided in decisions(game_id) for group in decided["groups"] if group["name"] == name]


def test_cards_of_the_hand_are_clicked() -> None:
    for env, decided in decisions("hearts_v0"):
        hand = env.zones(env.agent_selection)[f"hand/{env.current_player}"]
        for group in decided["groups"]:
            if group["name"] == "play":
                assert group["kind"] == "cards"
                assert all(len(action["cards"]) == 1 and action["cards"][0] in hand for action in group["actions"])


def test_several_cards_make_one_action() -> None:
    subsets = groups("skin_of_your_teeth_v0", "subset")
    assert subsets and all(group["kind"] == "cards" for group in subsets)
    assert any(len(action["cards"]) == 5 for group in subsets for action in group["actions"])
    for env, decided in decisions("skin_of_your_teeth_v0"):  # a Joker is one that the mover holds
        held = [card for ids in env.zones(env.agent_selection).values() for card in ids]
        for group in decided["groups"]:
            for ids in [action.get("cards", []) for action in group["actions"]]:
                assert not Counter(ids) - Counter(held)


def test_piles_of_other_seats_are_clicked() -> None:
    targets = groups("skin_of_your_teeth_v0", "target")
    for action in [action for group in targets for action in group["actions"]]:
        assert action["label"] == f"target player {action['seat']} pile {action['place']}"


def test_ranks_of_the_hand_are_clicked_and_what_is_chosen_by_card_follows() -> None:
    """The two stages of Wild Escape: what is played, then with which cards."""
    pairs = [action for group in groups("wild_escape_v0", "pair") for action in group["actions"] if "ranks" in action]
    assert pairs
    assert all(cards.RANK_TEXT[action["ranks"][0]] == action["label"].split()[-1] for action in pairs)
    assert {group["kind"] for group in groups("wild_escape_v0", "card")} == {"cards"}


def test_cards_of_an_open_hand_are_clicked() -> None:
    """Of dummy, at bridge."""
    of_dummy = [
        (env, group)
        for seed in range(3)
        for env, decided in decisions("bridge_v0", seed, deck="standard")
        for group in decided["groups"]
        if group["name"] == "play"
    ]
    assert all(group["kind"] == "cards" for _, group in of_dummy)


def test_what_names_no_card_in_sight_is_a_list() -> None:
    assert {group["kind"] for group in groups("bridge_v0", "bid")} == {"list"}
    assert {group["kind"] for group in groups("spades_v0", "bid")} == {"list"}
    assert not any("ranks" in action for group in groups("spades_v0", "bid") for action in group["actions"])
    assert {group["kind"] for group in groups("blackjack_v0", "stand")} == {"list"}


def test_single_cards_of_another_hand_are_clicked() -> None:
    for action in [action for group in groups("old_maid_v0", "draw") for action in group["actions"]]:
        assert action["label"] == f"draw card {action['index']} of player {action['seat']}"


@pytest.mark.parametrize("words", ["raise to {amount} chips", "bet {amount}", "stake {amount} chips now"])
def test_amounts_are_chosen_by_a_slider(words: str) -> None:
    actions = {action: parts(words, amount=2 * action) for action in range(1, AMOUNTS + 1)}
    assert list(_amounts(actions).values()) == [2 * action for action in actions]
    group = _group("raise", actions, AMOUNTS, ([], Counter(), []), EXTENDED.rank)
    assert (group["kind"], group["title"]) == ("amounts", words.partition(" {")[0])
    assert [action["amount"] for action in group["actions"]] == [2 * action for action in actions]


@pytest.mark.parametrize(
    "actions",
    [
        [parts("bid {amount}{strain}", amount=1, strain=Part("C", suits=(0,))), parts("bid {amount}NT", amount=2)],
        [parts("bid {amount}", amount=2), parts("bid {amount}", amount=1)],
        [parts("card {position}", position=1), parts("card {position}", position=2)],
        [parts("bet {amount}", amount=1), parts("call {amount}", amount=2)],
        [parts("bet {amount}", amount=1), parts("bet {rank}", rank=2)],
    ],
)
def test_what_differs_in_more_than_an_amount_is_none(actions: list[ActionParts]) -> None:
    assert _amounts(dict(enumerate(actions))) == {}


def test_a_title_is_the_verb_of_all() -> None:
    def title(*actions: ActionParts) -> str:
        return str(_group("block", dict(enumerate(actions)), AMOUNTS, ([], Counter(), []), EXTENDED.rank)["title"])

    twos = Part("twos", ranks=(0,))
    assert (
        title(*(parts("ask player {who} for {rank}", who=Part(str(seat), seats=(seat,)), rank=twos) for seat in (1, 2)))
        == "ask player"
    )
    assert title(parts("play {card}", card=22), parts("play {card}", card=23)) == "play"
    assert title(parts("pair of {rank}", rank=3), parts("pair of {rank}", rank=4)) == "pair of"
    assert title(parts("pass"), parts("double")) == ""


def test_few_amounts_are_buttons() -> None:
    actions = {action: parts("bid {amount}", amount=action) for action in range(AMOUNTS - 1)}
    assert _group("bid", actions, AMOUNTS, ([], Counter(), []), EXTENDED.rank)["kind"] == "list"


def test_a_joker_by_its_kind_is_clicked_among_ranks() -> None:
    """In Wild Escape, where "single SJ" stands beside "single 7"."""
    hand = Counter([0, cards.SMALL_JOKER, cards.BIG_JOKER])
    actions = {0: parts("single {rank}", rank=0), 13: parts("single {rank}", rank=Part("SJ", cards=(cards.SMALL_JOKER,)))}
    group = _group("single", actions, AMOUNTS, ([hand], hand, [hand]), EXTENDED.rank)
    assert [action["ranks"] for action in group["actions"]] == [[0], [cards.JOKER_RANK]]


def test_ranks_in_words_are_clicked_too() -> None:
    asked = [action for group in groups("go_fish_v0", "ask") for action in group["actions"] if "ranks" in action]
    assert asked and all(len(action["ranks"]) == 1 and "seat" in action for action in asked)


def test_the_raises_of_poker_are_one_slider() -> None:
    """The smallest one, those by parts of the pot, and all chips, in ascending order; two of them are buttons."""
    raises = [
        group for _, one in decisions("poker_v0", hands=20) for group in one["groups"] if group.get("title") == "raise to"
    ]
    assert any(group["kind"] == "amounts" for group in raises)
    for group in raises:
        labels = [action["label"] for action in group["actions"]]
        assert all(label.startswith("raise to ") for label in labels)
        assert (group["kind"] == "amounts") == (len(labels) > 2)
        if len(labels) > 2:
            amounts = [action["amount"] for action in group["actions"]]
            assert amounts == sorted(amounts) and labels[-1].endswith(", all-in")


def chosen_by_cards(
    game_id: str, begins: str, goes_on: str, **options: object
) -> Iterator[tuple[list[int], list[int], Counter]]:
    """Of choices that begin with one label and go on with cards: the cards named, what `composed` tells, and the hand."""
    for seed in range(20):
        env, draw = raw_env(game_id, **options), random.Random(seed)
        env.reset(seed=seed)
        before = None
        while not any(env.terminations.values()) and env.record["move_count"][0] < 300:
            action = draw.choice(env.legal_actions())
            label, mover = env.action_label(action), env.current_player
            if not label.startswith(goes_on):
                before, labels = (env.clone(), []) if label.startswith(begins) else (None, [])
                told = len(env.history(f"player_{mover}"))
            labels.append(label)
            env.step(action)
            if before is not None and env.current_player == mover:
                named = [cards.parse(text.removeprefix(goes_on))[0] for text in labels if text.startswith(goes_on)]
                yield named, composed(before, env, env.history(f"player_{mover}")[told:]), Counter(env.zones()[f"hand/{mover}"])


def test_cards_of_a_half_made_meld_are_told_while_they_lie_in_the_hand() -> None:
    choices = list(chosen_by_cards("rummy_v0", "meld", "add ", num_players=2))
    assert any(marked for _, marked, _ in choices)
    for named, marked, hand in choices:
        assert Counter(named) & hand <= Counter(marked) <= hand  # others may have gone to it by themselves


@pytest.mark.long
def test_cards_that_left_the_hand_are_none_of_it_though_it_holds_the_same_once_more() -> None:
    """In Wild Escape, of three decks, what is chosen leaves the hand."""
    choices = list(chosen_by_cards("wild_escape_v0", "full house", "card "))
    assert any(set(named) & set(hand) for named, _, hand in choices)
    assert not any(marked for _, marked, _ in choices)
