"""A hand of a game as one player observes it: `wilddeck bench pages` writes those of `HANDS` into the games' pages."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..agents import make
from ..agents.base import View
from ..agents.play import legal_action, seat_seed
from ..envs import resolve
from ..envs.core.aec import CardGameEnv
from ..envs.core.events import Event
from ..envs.core.jit import only_interpreted

SEAT = 0
HANDS: dict[str, tuple[int, dict[str, Any]]] = {  # seeds and options of hands with many kinds of events in few lines
    "hearts_v0": (1, {"deck": "standard"}),
    "poker_v0": (54, {"num_players": 4}),
    "crazy_eights_v0": (23, {"num_players": 2}),
}
_BLOCK = re.compile(r"(<!-- told -->\n).*?(<!-- end of the hand -->)", re.S)
_TRICK = frozenset({"play", "skipped", "claim", "declare"})  # the next event joins the same line, up to the winner of the trick


def hand(game_id: str) -> list[str]:
    """The lines of a hand played by the rules, as seat `SEAT` observes it."""
    seed, options = HANDS[game_id]
    game, chosen = resolve(game_id, options)
    with only_interpreted():
        env = CardGameEnv(game, chosen)
        env.reset(seed=seed)
        seats = [(make("rules", game, chosen), np.random.default_rng(seat_seed(seed, seat))) for seat in range(env.num_players)]
        while not env.is_over:
            agent, rng = seats[env.current_player]
            env.step(legal_action(agent, View.of(env), rng))
        return _lines(env.history(env.possible_agents[SEAT]))


def _lines(events: list[Event]) -> list[str]:
    """One sentence per line, except that consecutive similar actions share one, and a trick has one."""
    in_line = _TRICK if any(event.kind == "trick_won" for event in events) else frozenset()
    lines: list[str] = []
    before = ""
    for event in events:
        text = event.text(SEAT)
        if before in in_line or before == event.kind != "play":
            lines[-1] += f"; {text}"
        else:
            lines.append(text)
        before = event.kind
    return lines


def filled(text: str, game_id: str) -> str:
    """The text of a page with its hand replayed."""
    seed, options = HANDS[game_id]
    settings = ", ".join([f"seed {seed}", *(f"`{name}={value!r}`" for name, value in options.items())])
    about = f"What `player_{SEAT}` perceives; rule-based agents play all seats ({settings}).\n\n"
    block = about + "```text\n" + "".join(f"{line}\n" for line in hand(game_id)) + "```\n"
    return _BLOCK.sub(lambda match: match[1] + block + match[2], text)


def fill_hands() -> None:
    """Rewrite the pages of the games in `HANDS`."""
    for game_id in HANDS:
        game = resolve(game_id)[0]
        path = game.file(game.page)
        path.write_text(filled(path.read_text(encoding="utf-8"), game_id), encoding="utf-8")
