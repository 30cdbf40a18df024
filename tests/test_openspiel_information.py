"""The games as OpenSpiel games: information states that keep secrets, samples of them, and observers."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
from support import Case, few_cases, few_games, has_secrets, one_game

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra `openspiel`")

import kuhn  # noqa: E402
from open_spiel.python.algorithms import (  # noqa: E402
    generate_playthrough,
)
from openspiel_games import dealt, load, played, small_game, strings  # noqa: E402
from wilddeck.envs.core.events import COMMON, LOG_ROWS  # noqa: E402
from wilddeck.envs.core.game import as_record  # noqa: E402
from wilddeck.envs.core.tokens import TOKEN, Log, encode_history, read_rows  # noqa: E402
from wilddeck.frameworks import openspiel  # noqa: E402


def test_hidden_cards_do_not_show() -> None:
    """Two deals of tennis in which only the hidden cards of the other player differ, over a whole round."""
    deck = random.Random(1).sample(range(48), 48)
    other = list(deck)
    other[1], other[3], other[25] = deck[25], deck[1], deck[3]  # hand and pile of player 1
    game = openspiel.load_game("tennis_v0", decks=[deck, other], num_players=2, dealer=0)
    states = [dealt(game, number) for number in range(2)]
    draw, compared = random.Random(2), 0
    while states[0].legal_actions() and states[0].move_number() < 12:
        own = [state.information_state_string(0) for state in states]
        assert own[0] == own[1]
        assert states[0].observation_string(0) == states[1].observation_string(0)
        assert states[0].information_state_string(1) != states[1].information_state_string(1)
        compared += 1
        imagined = [state.resample_from_infostate(0, random.Random(compared).random) for state in states]
        assert strings(imagined[0]) == strings(imagined[1])
        assert imagined[0].record.tobytes() == imagined[1].record.tobytes()
        common = sorted(set(states[0].legal_actions()) & set(states[1].legal_actions()))
        if not common:
            break
        action = draw.choice(common)
        for state in states:
            state.apply_action(action)
    assert compared > 5


def test_samples_are_of_the_given_decks() -> None:
    """All that fit, and no others: with three of the deals of Kuhn poker, with one deck, and with decks of which two fit."""
    few = kuhn.SIX_DECKS[:3]
    game = openspiel.load_game(kuhn.GAME, decks=few)
    for number, actions in itertools.product(range(3), ([], [kuhn.PASS], [kuhn.PASS, kuhn.BET], [kuhn.BET])):
        state = dealt(game, number)
        for action in actions:
            state.apply_action(action)
        player = state.current_player()
        drawn = [state.resample_from_infostate(player, random.Random(k).random) for k in range(30)]
        assert {tuple(sample.record["deck"][0].tolist()) for sample in drawn} == {
            deck for deck in few if deck[player] == few[number][player]
        }
        assert {sample.information_state_string(player) for sample in drawn} == {state.information_state_string(player)}
        assert {sample.history_str() for sample in drawn} == {""}

    deck = random.Random(1).sample(range(48), 48)
    other, third = list(deck), deck[::-1]
    other[1], other[3], other[25] = deck[25], deck[1], deck[3]  # hand and pile of player 1
    decks = [deck, other, third]
    for dealt_decks, fitting in (([deck], 1), (decks, 2)):
        game = openspiel.load_game("tennis_v0", decks=dealt_decks, num_players=2, dealer=0)
        state = dealt(game)
        alike = [dealt(game, number) for number in range(fitting)]
        for step in range(6):
            drawn = [state.resample_from_infostate(0, random.Random(k).random) for k in range(20)]
            assert {sample.record.tobytes() for sample in drawn} == {sample.record.tobytes() for sample in alike}
            action = min(set.intersection(*(set(sample.legal_actions()) for sample in alike)))
            for sample in (state, *alike):
                sample.apply_action(action)
            assert step or state.move_number() == 2


@pytest.mark.parametrize(
    ("name", "options"),
    [("tennis_v0", {}), pytest.param("hearts_v0", {"passing": "hold", "deck": "standard"}, marks=pytest.mark.long)],
)
def test_samples_are_of_the_counted_deals(name: str, options: dict[str, Any]) -> None:
    game, draw = openspiel.load_game(name, deals=5, **options), random.Random(4)
    is_same = set()
    for number in range(5):
        state = dealt(game, number)
        for _ in range(20):
            played(state, draw.randrange(1000), 1)
            player = state.current_player()
            sample = state.resample_from_infostate(player, random.Random(number).random)
            again = sample.resample_from_infostate(player, random.Random(number).random)
            assert sample.information_state_string(player) == state.information_state_string(player)
            assert sample.record.tobytes() == again.record.tobytes()
            is_same.add(sample.record.tobytes() == state.record.tobytes())
    assert is_same == {True}, "no two of these deals give a player the same hand"


@pytest.mark.long
def test_where_no_deal_is_found_in_time_the_sample_is_of_any() -> None:
    """In hearts three others have passed cards unseen: too many ways to try them all."""
    state = dealt(openspiel.load_game("hearts_v0", deals=3, passing="left"), 1)
    played(state, 1, 14)
    player = state.current_player()
    samples = [state.resample_from_infostate(player, random.Random(k).random) for k in range(2)]
    assert {sample.information_state_string(player) for sample in samples} == {state.information_state_string(player)}
    assert len({sample.record.tobytes() for sample in (state, *samples)}) == 3


@one_game
def test_imagined_states_differ(case: Case) -> None:
    """Where something is hidden, which at the beginning of each game it is."""
    state = dealt(load(case), 2)
    seat = state.current_player()
    drawn = [state.resample_from_infostate(seat, random.Random(number).random) for number in range(6)]
    positions = {case.game.state_vectors(imagined.record).tobytes() for imagined in (state, *drawn)}  # generators left out
    assert len(positions) == 7
    other = (seat + 1) % state.num_players()
    seen = {imagined.information_state_string(other) for imagined in drawn}
    views = {
        repr(case.game.zones(as_record(imagined.record), other)) for imagined in drawn
    }  # in baccarat there are bets before cards
    assert len(seen) == len(views)
    assert len(views) in ((1, 6) if has_secrets(case) else (1,))


@few_cases
def test_imagined_states_cannot_be_told_from_the_true_one(case: Case) -> None:
    """By the player for whom they are drawn; and of what they cannot know they hold nothing that comes from the truth."""
    state = dealt(load(case), case.seed)
    for number in range(12):
        played(state, case.seed + number, 1 + 2 * number)
        if state.is_terminal():
            break
        for player in range(state.num_players()):
            first = state.resample_from_infostate(player, random.Random(number).random)
            again = first.resample_from_infostate(player, random.Random(number).random)
            assert first.information_state_string(player) == state.information_state_string(player)
            assert first.observation_string(player) == state.observation_string(player)
            assert first.current_player() == state.current_player()
            assert first.legal_actions(player) == state.legal_actions(player)
            assert strings(first) == strings(again)
            assert first.record.tobytes() == again.record.tobytes()
            assert first.history() == []


_AMOUNT = TOKEN.index("amount")
_NOT_AMOUNT = [column for column in range(len(TOKEN)) if column != _AMOUNT]


@few_cases
def test_information_states_are_histories(case: Case) -> None:
    """As the environment has them, whenever they are asked for; and as tokens, the last as many as the tensor holds."""
    env, game = case.raw(), load(case, history=20)
    env.reset(seed=case.seed)
    state, draw = dealt(game, case.seed), random.Random(case.seed)
    observer = game.make_py_observer(obs_type(True, True, ONE))
    for number in range(400):
        for player in range(state.num_players()) if number % 20 == 0 or state.is_terminal() else ():
            events = env.history(f"player_{player}")
            assert state.moment.past(player).all_events() == events
            said = state.information_state_string(player).split("; ")
            assert said[1:-1] == "; ".join(event.text() for event in events).split("; ")
            observer.set_from(state, player)
            tokens, expected = tokens_in(observer, game), encode_history(events, player, game.num_players(), 20)[0]
            assert np.array_equal(tokens[:, _NOT_AMOUNT], expected[:, _NOT_AMOUNT])
            np.testing.assert_allclose(tokens[:, _AMOUNT], expected[:, _AMOUNT], rtol=1e-5)  # a logarithm in float32
            assert observer.tensor[: game.rules.observation_size].tolist() == state.observation_tensor(player)
            assert state.information_state_tensor(player) == observer.tensor.tolist()
        if state.is_terminal():
            break
        action = draw.choice(state.legal_actions())
        state.apply_action(action)
        env.step(action)


def tokens_in(observer: Any, game: Any) -> np.ndarray:
    """Tokens as `encode_history` makes them, read from the tensor."""
    parts = {name.removeprefix("history/"): part for name, part in observer.dict.items() if name.startswith("history/")}
    kinds = sorted(declared.kind for declared in (*COMMON, *game.rules.game.events))
    is_token = parts["kind"].any(axis=1)
    columns = [np.array(kinds)[parts["kind"].argmax(axis=1)] + 1]
    columns += [parts[name].argmax(axis=1) for name in ("player", "card", "other")]
    columns += [
        np.sign(part) * np.round(2 ** (8 * np.abs(part.astype(float))) - 1) for part in (parts["amount"], parts["left"])
    ]
    return np.stack(columns, axis=1).astype(int) * is_token[:, None]


@few_games
def test_recall_is_perfect(case: Case) -> None:
    """A history only grows; and whoever acts knows what they did: no two actions leave them with the same history."""
    state, draw = dealt(load(case), 21), random.Random(case.seed)
    pasts: dict[int, list[Any]] = {player: [] for player in range(state.num_players())}
    compared = 0
    for _ in range(150):
        for player, before in pasts.items():
            events = state.moment.past(player).all_events()
            assert events[: len(before)] == before
            pasts[player] = events
        if state.is_terminal():
            break
        mover, legal = state.current_player(), state.legal_actions()
        tried = draw.sample(legal, min(6, len(legal)))
        digests = {state.child(action).moment.past(mover).digest for action in tried}
        assert len(digests) == len(tried), [state.action_to_string(action) for action in tried]
        compared += len(tried) > 1
        state.apply_action(draw.choice(legal))
    assert all(pasts.values())
    assert compared or case.game_id == "beggar_my_neighbor_v0"


@few_cases
def test_equal_histories_are_equal_views(case: Case) -> None:
    """An information state is what its player has perceived and nothing more: in samples of a state, whatever is then done that
    sounds alike, they see the same and may do the same."""
    state, draw = dealt(load(case), case.seed), random.Random(case.seed)
    met = 0
    for number in range(8):
        played(state, case.seed + number, 1 + 2 * number)
        if state.is_terminal():
            break
        for player in range(state.num_players()):
            sample = state.resample_from_infostate(player, random.Random(number).random)
            own = state.current_player() == player
            for action in draw.sample(state.legal_actions(), min(4, len(state.legal_actions()))):
                after = state.child(action)
                for other in [action] if own else sample.legal_actions()[:20]:
                    alike = sample.child(other)
                    if alike.moment.past(player).digest == after.moment.past(player).digest:
                        met += 1
                        assert alike.information_state_string(player) == after.information_state_string(player)
                        assert alike.observation_string(player) == after.observation_string(player)
                        assert alike.legal_actions(player) == after.legal_actions(player)
    assert met or case.options or case.game_id == "beggar_my_neighbor_v0"  # options make some games too short for it


@pytest.mark.interpreted
def test_histories_do_not_depend_on_when_they_are_asked_for() -> None:
    game = openspiel.load_game("skin_v0", num_players=3)
    asked, silent = dealt(game, 4), dealt(game, 4)
    for number in range(30):
        strings(asked)
        assert played(asked, number, 1) == played(silent, number, 1)
    assert strings(asked) == strings(silent)


def test_information_states_of_a_small_game() -> None:
    """Tensor and string tell apart the same."""
    game = small_game()
    pairs = set()

    def visit(state: Any) -> None:
        if not state.is_chance_node():
            for player in range(2):
                tensor = tuple(state.information_state_tensor(player))
                pairs.add((state.information_state_string(player), tensor))
        for action in state.legal_actions():
            visit(state.child(action))

    visit(game.new_initial_state())
    assert len(pairs) == len({text for text, _ in pairs}) == len({tensor for _, tensor in pairs}) > 24
    state = dealt(game, 4)
    state.apply_action(kuhn.BET)
    said = state.information_state_string(0).split("; ")
    assert said[:-1] == ["player 0", "hand 1", "player 0 is dealt Ks", "player 1 is dealt a card", "player 0 bets 1"]
    observer = game.make_py_observer(obs_type(True, True, ONE))
    observer.set_from(state, 0)
    assert observer.dict["history/kind"].shape == (64, 10)  # hand, forfeit, game over, and its own seven
    king = 2 + kuhn.DECK[2]  # behind no card and one that is not seen
    assert [np.flatnonzero(row).tolist() for row in observer.dict["history/card"][:5]] == [[0], [king], [1], [0], []]
    assert observer.dict["history/player"][:4].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]]
    assert game.information_state_tensor_shape() == [7 + 64 * (10 + king + 1 + 3 + 3 + 1 + 1)]


def test_of_too_many_rows_the_last_are_read() -> None:
    log = Log(kuhn.GAME)
    written = log.arrays[0]["log"][0]
    written[:] = np.arange(LOG_ROWS)[:, None]
    written[:3] += LOG_ROWS
    assert [row.kind for row in read_rows(log.rows(LOG_ROWS + 3))] == list(range(3, LOG_ROWS + 3))
    assert [tuple(row) for row in read_rows(log.rows(5))[3:]] == [(3,) * 7, (4,) * 7]
    assert read_rows(log.rows(0)) == []


def test_observation_string() -> None:
    state = dealt(small_game(), 4)  # king and jack
    state.apply_action(kuhn.BET)
    assert state.observation_string(0) == "player 0, card 2=1.0, seat 0=1.0, bets 0=1.0"
    assert state.observation_string(1) == "player 1, card 0=1.0, seat 1=1.0, bets 1=1.0"


def test_observers() -> None:
    game = openspiel.load_game("tennis_v0", num_players=2)
    observer = game.make_py_observer()
    state = dealt(game, 3)
    observer.set_from(state, 1)
    layout = Case("tennis_v0", (("num_players", 2),), 0).raw().observation_layout
    assert list(observer.dict) == list(layout)
    assert np.array_equal(observer.dict["hand"], observer.tensor[layout["hand"]])
    assert observer.dict["hand"].sum() == 1.5
    with pytest.raises(ValueError, match="have no parameters"):
        game.make_py_observer(None, {"more": 1})
    for kind in ((True, False, NOBODY), (True, False, EVERYBODY), (False, True, ONE), (False, False, NOBODY)):
        assert game.make_py_observer(obs_type(*kind)) is None


NOBODY, ONE, EVERYBODY = (getattr(pyspiel.PrivateInfoType, kind) for kind in ("NONE", "SINGLE_PLAYER", "ALL_PLAYERS"))


def obs_type(public: bool, recall: bool, private: Any) -> Any:
    return pyspiel.IIGObservationType(public_info=public, perfect_recall=recall, private_info=private)


@pytest.mark.interpreted
def test_private_observations() -> None:
    """Part of what the player sees, by the names of its blocks."""
    for game in (openspiel.load_game("tennis_v0", num_players=2), openspiel.load_game("hearts_v0"), small_game()):
        private, state = game.make_py_observer(obs_type(False, False, ONE)), dealt(game, 3)
        for player in range(game.num_players()):
            private.set_from(state, player)
            seen = state.moment.observation(player)
            assert private.dict.keys() == game.rules.game.private_slices(game.num_players()).keys()
            assert all(np.array_equal(part, seen[game.rules.layout[name]]) for name, part in private.dict.items())
            assert len(private.tensor) == sum(map(len, private.dict.values())) and private.tensor.any()
            whole = state.observation_string(player).split(", ")
            assert private.string_from(state, player).split(", ") == [
                part for part in whole if part.split()[0] in {"player", *private.dict}
            ]


@pytest.mark.parametrize(
    "text",
    [
        "wilddeck_kuhn_poker_v0(deals=6)",
        pytest.param("wilddeck_tennis_v0(num_players=2,max_tricks=50)", marks=pytest.mark.long),
    ],
)
def test_openspiels_playthrough_runs(text: str) -> None:
    """With all the observers that it asks for."""
    openspiel.register(kuhn.GAME)
    said = generate_playthrough.playthrough(text, [], seed=1)
    assert "ObservationString(1)" in said and "InformationStateString(1)" in said
    assert said.count("IsTerminal() = True") == 1
