"""Events as rules write them and as seats perceive them; games that are no registered ones."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import wilddeck
from core.toy import GAME, Options
from wilddeck.envs.core import events
from wilddeck.envs.core.aec import CardGameEnv
from wilddeck.envs.core.cards import ALIKE_JOKERS, HIDDEN
from wilddeck.envs.core.events import EVERYBODY, NOBODY, Event, EventKind, Row, perceived, recording

KINDS = (
    EventKind(events.DRAW, "", "{player} draws {cards}"),
    EventKind(events.SELECT, "", "{player} chooses {cards}", secret=True),
    EventKind(events.GIVE, "", "{player} gives {other} {cards}"),
    EventKind(events.BID, "", "{player} bids {amount}", words=("nil", "one")),
    EventKind(events.SCORE, "", "{player} scores {amount} point{s}", words=lambda amount, options: f"{amount * options:+d}"),
)
GIVEN: Any = SimpleNamespace(id="given_v0", events=KINDS, cards=ALIKE_JOKERS)


def texts(rows: list[Row], viewer: int | None) -> list[str]:
    return [event.text() for event in perceived(rows, viewer, GIVEN, 10)]


def written(write: Any) -> list[Row]:
    rows: list[Row] = []
    with recording(rows):
        write()
    return rows


def test_each_seat_perceives_its_part() -> None:
    ids = np.array([9, 0, 52, 65], np.uint8)

    def write() -> None:
        events.emit(None, events.BID, 1, 0, NOBODY)
        events.emit_list(None, events.DRAW, 1, ids, 1, 4, 1 << 1, NOBODY)
        events.emit_card(None, events.SELECT, 1, 0, 1 << 1, NOBODY)
        events.emit_cards(None, events.GIVE, 1, np.uint64(1 | 1 << 63), np.uint64(2), 1 << 1 | 1 << 2, 2)
        events.emit(None, events.SCORE, 2, 1, NOBODY)
        events.emit_list(None, events.DRAW, 0, ids, 2, 2, EVERYBODY, NOBODY)  # of no cards

    rows = written(write)
    full = ["player 1 bids nil", "player 1 draws 2c Jk Sk-s", "player 1 chooses 2c", "player 1 gives player 2 2c Sk-s Jk"]
    end = ["player 2 scores +10 point"]
    assert texts(rows, None) == texts(rows, 1) == full + end
    assert texts(rows, 2) == [full[0], "player 1 draws 3 cards", full[3], *end]
    assert texts(rows, 0) == [full[0], "player 1 draws 3 cards", "player 1 gives player 2 3 cards", *end]
    draw = perceived(rows, 0, GIVEN, 10)[1]
    assert (draw.kind, draw.player, draw.cards, draw.other, draw.amount) == ("draw", 1, (HIDDEN,) * 3, None, 3)
    assert draw.to_json()["cards"] == ["??"] * 3


def test_a_secret_fact_is_told_to_those_who_are_to_know() -> None:
    kinds = (EventKind(events.CHOOSE, "", "{player} chooses number {amount}", secret=True),)
    game: Any = SimpleNamespace(id="secret_v0", events=kinds, cards=ALIKE_JOKERS)
    rows = written(lambda: events.emit_secret(None, events.CHOOSE, 1, 7, 1 << 1, NOBODY))
    told = {viewer: [event.text() for event in perceived(rows, viewer, game, None)] for viewer in (None, 0, 1)}
    assert told == {None: ["player 1 chooses number 7"], 0: [], 1: ["player 1 chooses number 7"]}


def test_a_kind_must_be_declared() -> None:
    rows = written(lambda: events.emit(None, events.KNOCK, 0, 0, NOBODY))
    with pytest.raises(ValueError, match="given_v0 emits 'knock', which its `events` do not declare"):
        perceived(rows, 0, GIVEN, 10)


def test_recording_is_of_a_thread() -> None:
    def in_thread() -> None:
        thread = threading.Thread(target=lambda: events.emit(None, events.BID, 0, 0, NOBODY))
        thread.start()
        thread.join()

    assert written(in_thread) == []
    events.emit(None, events.BID, 0, 0, NOBODY)  # nobody listens


def test_kinds_have_their_own_numbers_and_names() -> None:
    assert len(set(events.KIND_NAMES)) == len(events.KIND_NAMES)
    for name in events.KIND_NAMES:
        assert events.KIND_NAMES[getattr(events, name.upper())] == name


def test_a_game_without_events_says_when_hands_begin_and_the_game_ends() -> None:
    env = CardGameEnv(GAME, Options())
    with pytest.raises(RuntimeError, match=r"call reset\(\) before history\(\)"):
        env.history()
    env.reset(seed=1)
    while not env.is_over:
        env.step(0)
    told = [event.text() for event in env.history("player_0")]
    assert told[0] == "hand 1" and told[-1] == "the game is over" and len(told) == int(env.record["deals"][0]) + 1
    with pytest.raises(ValueError, match="there is no agent 'nobody'"):
        env.history("nobody")


def test_who_forfeits_is_told() -> None:
    env = wilddeck.make("tennis_v0")
    env.reset(seed=1)
    env.step(99)
    raw = env.unwrapped
    assert [event.text() for event in raw.history("player_2")][
        -1
    ] == f"player {raw.current_player} made an illegal move and forfeits"
    assert raw.history() == raw.clone().history()


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("player 1 passes 3 cards to player 2", "you pass 3 cards to player 2"),
        ("player 2 passes 3 cards to player 1", "player 2 passes 3 cards to you"),
        ("player 1 has no sixes: go fish", "you have no sixes: go fish"),
        ("player 1 may slap", "you may slap"),
        ("player 1 loses their card", "you lose your card"),
        ("player 1's Joker wins", "your Joker wins"),
        ("player 0 attacks player 1's pile 2", "player 0 attacks your pile 2"),
        ("player 1 and player 3 score -130", "you and player 3 score -130"),
        ("player 10 plays 5h", "player 10 plays 5h"),
    ],
)
def test_a_sentence_is_told_to_who_it_is_about(sentence: str, told: str) -> None:
    event = Event("", None, (), None, 0, sentence)
    assert event.text(1) == told and event.text() == sentence
