"""Taking back at a table: what has told nobody anything, and nothing else."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import pytest
from serving import Player, Server
from wilddeck.web import table

pytestmark = pytest.mark.interpreted
MOVES = 60  # of the people, of a game that goes on longer


@pytest.mark.parametrize(
    ("game", "seats"),
    [
        ("old_maid_v0", ["me", "random", "random", "random"]),
        ("president_v0", ["me", "random", "random", "random"]),
        ("president_v0", ["me", "random", "open", "random"]),
        ("spades_v0", ["me", "random", "open", "random"]),
    ],
)
def test_what_was_drawn_or_played_stays(game: str, seats: list[str], server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Old Maid is not put back, a play that nobody beats stays, and so does a trick."""
    monkeypatch.setattr(table, "fresh_seed", lambda: 3)
    again = 0
    for player, state, moved_before in decisions(server, game, seats, deck="standard", num_players=4):
        again += moved_before
        assert not state["canUndo"]
        player.say(type="undo")
        assert "nothing to take back" in player.error()
    assert again > 1


def test_a_choice_that_others_see_is_marked_and_not_taken_back(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rummy: a special that is to be redealt lies open until it is."""
    monkeypatch.setattr(table, "fresh_seed", lambda: 2)
    marked = 0
    for _, state, moved_before in decisions(server, "rummy_v0", ["me", "random"], num_players=2):
        assert moved_before or not state["composed"]
        assert not state["canUndo"]
        marked += bool(state["composed"])
    assert marked


def decisions(server: Server, game: str, seats: list[str], **options: Any) -> Iterator[tuple[Player, dict[str, Any], bool]]:
    """A game in which people reveal what they can, and else make the first move that they can: who is to move, what they are
    sent, and whether they have made the move before."""
    with contextlib.ExitStack() as stack:
        token = server.table(game, seats, **options)
        place, players, last = server.at(token), {0: stack.enter_context(server.player(token))}, None
        if "open" in seats:
            state = players[0].until(lambda message: "invitations" in message)
            [(seat, invitation)] = state["invitations"].items()
            joined = server.ask("/api/join", {"invitation": invitation, "name": "Grace"})[1]
            players[int(seat)] = stack.enter_context(server.player(joined["token"]))
        for _ in range(MOVES):
            while place.mover not in players and not place.over:
                time.sleep(0.005)
            if place.over:
                return
            seat = place.mover
            state = players[seat].until(lambda message: "decision" in message and message["version"] == place.version)
            moves, version = len(place.actions), place.version
            yield players[seat], state, last == (seat, moves)
            actions = [action for group in state["decision"]["groups"] for action in group["actions"]]
            chosen = next((action for action in actions if action["label"].startswith("reveal")), actions[0])
            players[seat].say(type="play", version=version, action=chosen["action"])
            while place.version == version:
                time.sleep(0.005)
            last = seat, moves + 1
