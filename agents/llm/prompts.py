"""Prompts for language models: the rules, the seat's history, its current view and the legal actions, as text.

A prompt is made from a `View`, which holds only the seat's information; equal information states give equal prompts.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from string import Template as Text

from ...envs import pages
from ...envs.core.cards import HIDDEN
from ...envs.core.facts import status
from ...envs.core.game import Game
from ...envs.core.render.scene import Cards, by_seat
from ...envs.core.zones import ZoneRole, role_of
from ..base import View

RULES = ("short", "full", "none")

_SYSTEM = """\
You play $title with $players players, as player $seat. Players sit in the order of their numbers, clockwise.
You want your return at the end to be as high as possible.

$rules

$cards_key
Options of this game: $options
"""

_NOW = """\
The game now:
$state

$cards

What you may do, each with its number:
$actions
"""

_USER = f"""\
What has happened, as you perceived it:
$history

{_NOW}"""


def _players(view: View) -> int:
    return view.options.num_players


def _history(view: View) -> str:
    return "\n".join(event.text(view.seat) for event in view.history()) or "nothing yet"


def _state(view: View) -> str:
    return status(view.facts(), view.seat) or "nothing to be said"


def _cards(view: View) -> str:
    """The zones with cards, one line each, the seat's own first; cards of a finished trick are part of the history."""
    seats, common = by_seat(view.zones(), _players(view), view.game.zone_roles)
    lines = []
    for seat in [view.seat, *(seat for seat in range(_players(view)) if seat != view.seat)]:
        whose = "your" if seat == view.seat else f"player {seat}'s"
        lines += [f"{whose} {_zone(name, ids, view.game)}" for name, ids in seats[seat].items() if ids]
    return "\n".join([*lines, *(_zone(name, ids, view.game) for name, ids in common.items() if ids)])


def _zone(name: str, ids: Cards, game: Game) -> str:
    runs = [(hidden, list(run)) for hidden, run in groupby(ids, key=lambda card: card == HIDDEN)]
    words = ", ".join(f"{len(run)} face down" if hidden else game.cards.text(run) for hidden, run in runs)
    known_order = role_of(name, game.zone_roles) is ZoneRole.STOCK and set(ids) != {HIDDEN}
    return f"{name.replace('/', ' ')}{' from the top' if known_order else ''}: {words}"


def _actions(view: View) -> str:
    return "\n".join(f"{action}: {view.label(int(action))}" for action in view.legal_actions)


def _cards_key(view: View) -> str:
    """The notation of the game's cards."""
    game = view.game
    ids = game.deck(view.options)
    words = [game.cards.text([card]) for card in dict.fromkeys(ids)]
    standard = [word for word in words if re.fullmatch(r"[2-9TJQKA][cdhs]", word)]
    key = []
    if standard:
        key.append("Cards are written as rank (2 to 9, T, J, Q, K, A) and suit (c d h s)")
    if {"SJ", "BJ"} & {*words}:
        key.append("SJ and BJ are the small and the big Joker")
    if "Dr-c" in words:
        key.append("Dr-c is the Draw of clubs, Rv-c the Reverse of clubs, Sk-c the Skip of clubs")
    others = [word for word in words if word not in standard and not re.fullmatch(r"SJ|BJ|(Dr|Rv|Sk)-[cdhs]", word)]
    if others:
        key.append(f"the deck has {' '.join(others)}")
    return "; ".join(key) + "."


FIELDS: dict[str, Callable[[View], str]] = {
    "game": lambda view: view.game.id,
    "title": lambda view: view.game.title,
    "options": lambda view: json.dumps(vars(view.options)),
    "players": lambda view: str(_players(view)),
    "seat": lambda view: str(view.seat),
    "cards_key": _cards_key,
    "history": _history,
    "state": _state,
    "cards": _cards,
    "actions": _actions,
    "legal_actions": lambda view: json.dumps(view.legal_actions.tolist()),
    "observation": lambda view: json.dumps(view.observation.tolist()),
}
"""The fields of a template besides `rules`, and their values."""


@dataclass(frozen=True)
class Template:
    """The texts of a prompt, in which `$name` is replaced by one of `FIELDS` or the rules, and `$$` by a dollar.

    Attributes:
        system: the system message, sent first.
        user: the user message at each decision.

    Raises:
        ValueError: an unknown `$name`.
    """

    system: str = _SYSTEM
    user: str = _USER

    def __post_init__(self) -> None:
        for part in (self.system, self.user):
            try:
                Text(part).substitute(dict.fromkeys([*FIELDS, "rules"], ""))
            except KeyError as error:
                allowed = ", ".join(f"${name}" for name in [*FIELDS, "rules"])
                raise ValueError(f"unknown name ${error.args[0]} in a prompt template; allowed: {allowed}") from None
            except ValueError as error:
                raise ValueError(f"a $ in a prompt template is neither a name nor $$: {error}") from None

    @classmethod
    def read(cls, path: str | Path) -> Template:
        """Read a template from a file: the system message, a line `---`, the user message.

        Raises:
            OSError: it cannot be read.
            ValueError: it lacks one of these parts, or has an unknown `$name`.
        """
        text = Path(path).read_text(encoding="utf-8")
        system, line, user = text.partition("\n---\n")
        if not line:
            raise ValueError(f"{path} is not a prompt template: it needs a line --- between the system and user messages")
        return cls(system + "\n", user)

    def messages(self, view: View, rules: str = "short") -> list[dict[str, str]]:
        """The prompt as a system and a user message of the chat interface.

        Args:
            rules: the amount of rules in `$rules`, one of `RULES`.
        """
        texts = {"system": self.system, "user": self.user}
        return [{"role": role, "content": _filled(text, view, rules)} for role, text in texts.items() if text.strip()]


NOW = Template(system="", user=_NOW)
"""The seat's current view and legal actions, without the history."""

_IN_FULL = ("", "Rules", "Rewards")
_NOT_OF_THE_DECK = ("", "In short", "Settings of a game", "Actions", "Observation", "Bounds", "Rulings", "Worked examples")


@functools.cache
def game_rules(game: Game, amount: str, extended: bool) -> str:
    """The rules of a game as text, from its page.

    Args:
        amount: "full", every clause; "short", the game in a few paragraphs; or "none", nothing.
        extended: the game uses the Extended Deck; its rules are included.

    Raises:
        ValueError: another amount, or the game's page cannot be read.
    """
    if amount not in RULES:
        raise ValueError(f"rules={amount!r} is not allowed; allowed: {', '.join(RULES)}")
    if amount == "none":
        return ""
    of_game = pages.sections(pages.page(game))
    of_deck = pages.sections(pages.extended_deck_page()) if extended else {}
    if amount == "short":
        parts = [of_game[""].partition("\n\n")[0], of_game.get("In short", "")]
        parts += [f"The Extended Deck\n\n{of_deck['In short']}"] if extended else []
    else:
        parts = [f"{name}\n\n{of_game[name]}" for name in _IN_FULL if name in of_game]
        parts += _of_other_games(of_game.get("Rules", ""))
        if any(re.search(r"\bED-\d", part) for part in parts):
            parts += [f"{name}\n\n{text}" for name, text in of_deck.items() if name not in _NOT_OF_THE_DECK]
    return "\n\n".join(_plain(part) for part in parts).strip()


def _of_other_games(rules: str) -> list[str]:
    """The rules of other games that these rules refer to."""
    own = set(re.findall(r"^\| ([A-Z]{2})-\d", rules, flags=re.M))
    named = set(re.findall(r"\b([A-Z]{2})-\d", rules)) - own - {"ED"}
    parts = []
    for path in sorted(pages.PAGES.glob("*.md")):
        markdown = path.read_text(encoding="utf-8")
        if any(f"\n| {prefix}-" in markdown for prefix in named):
            parts.append(f"{markdown.splitlines()[0].lstrip('# ')}\n\n{pages.sections(markdown)['Rules']}")
    return parts


def _plain(markdown: str) -> str:
    """The text without markup: code, links and table lines are reduced to their words."""
    text = re.sub(r"```.*?```\n?", "", markdown, flags=re.S)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^\| (?:---|id \|).*\n?", "", text, flags=re.M)
    text = re.sub(r"^\| ([A-Z]{2}-\d+) \| (.*) \|$", r"\1 \2", text, flags=re.M)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _filled(text: str, view: View, rules: str) -> str:
    named = {name: FIELDS[name](view) for name in FIELDS if f"${name}" in text or f"${{{name}}}" in text}
    extended = getattr(view.options, "deck", "") == "extended"
    return Text(text).safe_substitute(named, rules=game_rules(view.game, rules, extended)).strip() + "\n"
