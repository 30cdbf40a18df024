"""Prompts of language models: `wilddeck bench prompts` writes docs/prompts, one page per game and the lengths of prompts."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..agents import make
from ..agents.base import View
from ..agents.llm.prompts import Template
from ..agents.play import legal_action, seat_seed
from ..envs import resolve
from ..envs.core.aec import CardGameEnv
from ..envs.core.game import Game, Options
from ..envs.core.jit import only_interpreted
from ..envs.registry import OWN

PAGES = Path(__file__).resolve().parents[1] / "docs" / "prompts"
SEED = 1
DECISIONS = 10  # of a game, as far apart as possible
SHOWN = (0, 3, 6)  # of these
MOST = 300  # played decisions


@dataclass(frozen=True)
class Asked:
    """A decision: its number in the game, counted from 1, the seat, and the prompt."""

    number: int
    seat: int
    system: str
    full: str
    user: str
    actions: int


@functools.cache
def asked(game_id: str) -> list[Asked]:
    """Decisions of a game that the rules play from `SEED` on, with the default options."""
    game, options = resolve(game_id)
    with only_interpreted():
        actions = _played(game, options)
        count = min(DECISIONS, len(actions))
        places = {(2 * k + 1) * len(actions) // (2 * count) for k in range(count)}
        env = _new(game, options)
        decisions = []
        for place, action in enumerate(actions):
            if place in places:
                decisions.append(_asked(place + 1, View.of(env)))
            env.step(action)
    return decisions


def _new(game: Game, options: Options) -> CardGameEnv:
    env = CardGameEnv(game, options)
    env.reset(seed=SEED)
    return env


def _played(game: Game, options: Options) -> list[int]:
    """The actions of the game, at most `MOST`."""
    env = _new(game, options)
    seats = [(make("rules", game, options), np.random.default_rng(seat_seed(SEED, seat))) for seat in range(env.num_players)]
    actions: list[int] = []
    while not env.is_over and len(actions) < MOST:
        agent, rng = seats[env.current_player]
        actions.append(int(legal_action(agent, View.of(env), rng)))
        env.step(actions[-1])
    return actions


def _asked(number: int, view: View) -> Asked:
    template = Template()
    system, user = (message["content"] for message in template.messages(view, "short"))
    full = template.messages(view, "full")[0]["content"]
    return Asked(number, view.seat, system, full, user, len(view.legal_actions))


def page(game_id: str) -> str:
    """The page of a game: the system message, and the user messages at some decisions."""
    game = resolve(game_id)[0]
    decisions = asked(game_id)
    shown = [decisions[k] for k in SHOWN if k < len(decisions)]
    parts = [
        f"# {game.title}: prompts\n",
        f"The rule-based agent plays `{game_id}` with its default options from seed {SEED}.\n",
        f"## System message, to player {shown[0].seat}\n",
        _block(shown[0].system),
    ]
    for decision in shown:
        parts += [f"## Decision {decision.number}, of player {decision.seat}\n", _block(decision.user)]
    return "\n".join(parts)


def _block(text: str) -> str:
    return f"```text\n{text}```\n"


def index() -> str:
    """The page that names all games, with the lengths of their prompts."""
    head = ("game", "system, short rules", "system, full rules", "user, mean", "user, longest", "actions, mean", "most")
    rows = [head, ("---", *["---:"] * (len(head) - 1)), *map(_lengths, OWN)]
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return (
        "# Prompts\n\n"
        "See the prompts that a language model gets at three decisions of each game, and compare their lengths. The table\n"
        f"counts characters, and words in brackets, over {DECISIONS} decisions of a game played by the rule-based agent. The\n"
        "system message holds the short or full rules, the user message the history and the legal actions.\n"
        f"`wilddeck bench prompts` writes these pages.\n\n{table}"
    )


def _lengths(game_id: str) -> Sequence[str]:
    game, decisions = resolve(game_id)[0], asked(game_id)
    users = [decision.user for decision in decisions]
    actions = [decision.actions for decision in decisions]
    chars, words = (sum(map(len, texts)) / len(users) for texts in (users, map(str.split, users)))
    return (
        f"[{game.title}]({game.name}.md)",
        _length(decisions[0].system),
        _length(decisions[0].full),
        f"{chars:,.0f} ({words:,.0f})",
        _length(max(users, key=len)),
        f"{np.mean(actions):.1f}",
        f"{max(actions)}",
    )


def _length(text: str) -> str:
    return f"{len(text):,} ({len(text.split()):,})"


def pages() -> dict[Path, str]:
    """All pages of docs/prompts, by file."""
    by_game = {PAGES / f"{resolve(game_id)[0].name}.md": page(game_id) for game_id in OWN}
    return {PAGES / "README.md": index(), **by_game}


def write_pages() -> None:
    """Write docs/prompts anew."""
    PAGES.mkdir(parents=True, exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
