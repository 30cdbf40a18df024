"""Playing and watching in the terminal, with rich.

A person sees a game only through the zones, the description and the history of their own seat and the view of an agent.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..envs.core import cards
from ..envs.core.aec import CardGameEnv
from ..envs.core.escape import literal
from ..envs.core.game import Game, Options
from ..envs.core.jit import begin_interpreted
from ..envs.core.parts import ActionParts
from ..envs.core.render.scene import Scene
from ..envs.core.render.text import common_cells, seat_cells
from .base import Agent, View
from .choices import Choice, Choices, find_steps, words_of
from .match import Match, seated
from .takeback import NOTHING_TO_UNDO, can_be_taken_back, foreseen, outcomes

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

SHORT = 24  # so many actions are listed one by one, more by groups
_EXAMPLES = 6  # shown of a group
_LISTED = 120  # shown by `list`
_LOG_LINES = 8  # shown while watching

_SUIT_STYLES = ("green", "blue", "red", "bold")  # the four-colour deck

HELP = """\
Choose an action by its place in the list (#3), its label, the cards in it (7h 7s, 10d, 7♥), or enough of it to be clear.
A bare number is part of a label: 7 is "play 7", but #7 is the seventh action in the list.
  list [TEXT]   list all actions, or those with TEXT
  show          show the table again
  rules         show the rules of the game
  undo          take back the last action of a half-made choice, if it gave nobody information
  help or ?     show this help
  quit          leave the game
You can type the steps of a move in one line, such as meld 7c 7d 7h as a group.
Suits are c d h s for ♣ ♦ ♥ ♠, T is a ten (10 works, too). ?? is a card that you cannot see."""

_COMMANDS = {
    "?": "help",
    "help": "help",
    "rules": "rules",
    "undo": "undo",
    "show": "show",
    "quit": "quit",
    "exit": "quit",
    "q": "quit",
}


class Quit(Exception):  # noqa: N818 - not an error
    """The person leaves the game."""


class Undo(Exception):  # noqa: N818 - not an error
    """The person takes back the last action of a half-made choice."""


class HumanAgent(Agent):
    """A person at a terminal.

    Args:
        console: where to write (a rich console).
        read: asks for a line, given the prompt; raises EOFError at the end. The default reads from the keyboard.

    Attributes:
        can_undo: whether the last action may be taken back now; set by whoever runs the game and catches `Undo`.
        ahead: what the person sees when asked after so many actions, None where another is, or they show something; and the
            person's hand then. Set by whoever runs the game, for lines that name several steps.
    """

    name = "you"

    def __init__(self, console: Console | None = None, read: Callable[[str], str] | None = None) -> None:
        from rich.console import Console

        self.console = console or Console()
        self.read = read or _keyboard(self.console)
        self.can_undo = False
        self.ahead: Callable[[list[int]], tuple[View | None, Counter[int]]] = lambda actions: (None, Counter())
        self._steps: list[int] = []  # that the last line has named and that are still to be made
        self._hint = "Choose an action by number (#1), words or cards; ? helps."  # before the first question

    def act(self, view: View, rng: np.random.Generator) -> int:
        """Show what the seat sees and ask until an action is chosen.

        Raises:
            Quit: the person leaves, or the input ends.
            Undo: the person takes the last action back (only if `can_undo`).
        """
        if self._steps:
            return self._steps.pop(0)
        choices = Choices(_actions(view), cards=view.game.cards)
        self._show(view)
        self._list(choices, "")
        if self._hint:
            self._say(self._hint)
            self._hint = ""
        while True:
            text = self._ask()
            command, _, rest = text.partition(" ")
            if not text or command.lower() == "list":
                self._list(choices, rest)
                continue
            done = _COMMANDS.get(text.lower())
            if done is not None and not any(choice.words == words_of(text) for choice in choices.all):
                self._command(done, view)
                continue
            matches = choices.find(text)
            if len(matches) == 1:
                return matches[0].action
            ahead = functools.partial(self._choices_after, view)
            steps, left = ([], []) if matches else find_steps(text, ahead)
            if steps and not left:
                first, *self._steps = [choice.action for choice in steps]
                return first
            if steps:
                self._say(f"nothing was played; after {', '.join(choice.label for choice in steps)}:")
            then = ahead([choice.action for choice in steps]) if steps else choices
            self._unclear(then, " ".join(left) if steps else text, matches)

    def _choices_after(self, now: View, actions: list[int]) -> Choices:
        view, hand = self.ahead(actions)
        gone = now.game.cards.text((_hand(now.game, now.zones(), now.seat) - hand).elements())
        return Choices([] if view is None else _actions(view), gone.split(), now.game.cards)

    def _ask(self) -> str:
        try:
            return self.read("> ").strip()
        except (EOFError, KeyboardInterrupt):
            raise Quit from None

    def _command(self, command: str, view: View) -> None:
        if command == "quit":
            raise Quit
        if command == "undo":
            if self.can_undo:
                raise Undo
            self._say(NOTHING_TO_UNDO)
        elif command == "help":
            self.console.print(HELP, highlight=False, markup=False)
        elif command == "rules":
            self.console.print(_rules(view.game))
        else:
            self._show(view)

    def _unclear(self, choices: Choices, text: str, matches: Sequence[Choice]) -> None:
        if matches:
            self.console.print(literal(f"{text!r} can mean {len(matches)} actions:"))
            self.console.print(_columns(choices, matches[:SHORT], self.console))
            if len(matches) > SHORT:
                self._say(f"and {len(matches) - SHORT} more")
            return
        numbered = [f"{choices.name(choice)} {choice.label}" for choice in choices.find(f"#{text}")] if text.isdecimal() else []
        near = ", ".join(numbered or [choice.label for choice in choices.near(text)])
        hint = coloured(f"; perhaps {near}" if near else "", self.console)
        self.console.print(literal(f"no action {text!r}") + hint + literal(" (list shows all actions, ? shows help)"))

    def _list(self, choices: Choices, text: str) -> None:
        """All choices, those a text matches, or, if they are many, examples of each group."""
        if text:
            matches = choices.find(text) or choices.near(text)
            self.console.print(_columns(choices, matches[:_LISTED], self.console))
            if len(matches) > _LISTED:
                self._say(f"and {len(matches) - _LISTED} more")
        elif len(choices.all) <= SHORT:
            self.console.print(_columns(choices, choices.all, self.console))
        else:
            self._say(f"{len(choices.all)} actions; type the cards, or list TEXT to see more of them")
            for group, members in choices.groups().items():
                examples = "  ".join(f"{choices.name(choice)} {choice.parts.rest}" for choice in members[:_EXAMPLES])
                rest = f"  and {len(members) - _EXAMPLES} more" if len(members) > _EXAMPLES else ""
                self._say(f"  {group} ({len(members)}):  {examples}{rest}")

    def _show(self, view: View) -> None:
        self.console.print(_table(view.scene(), self.console))

    def _say(self, text: str) -> None:
        self.console.print(coloured(text, self.console))


def play_terminal(
    game: Game,
    options: Options,
    opponents: Sequence[str | Agent],
    seat: int = 0,
    seed: int | None = None,
    console: Console | None = None,
    read: Callable[[str], str] | None = None,
    sandbox: bool = False,
) -> np.ndarray | None:
    """A person plays a game against agents.

    Args:
        game, options: what is played.
        opponents: an agent or spec for each other seat, clockwise from the person.
        seat: the person's.
        seed: fixes the deals and the agents' randomness. None: a fresh one, which nobody knows.
        console, read: see `HumanAgent`.
        sandbox: run bots (`cmd:`) in a sandbox.

    Returns:
        float64 [P], the sum of each seat's rewards; None if the person left.

    Raises:
        ValueError: a seat that does not exist, or not one opponent for each other seat.
        AgentError: an opponent failed.
    """
    person = HumanAgent(console, read)
    around = seated(person, seat, opponents, options.num_players)
    with begin_interpreted(), Match(game, options, around, seed, sandbox) as match:
        try:
            _play(match, person, seat)
        except (Quit, KeyboardInterrupt):
            person.console.print(coloured("you left the game", person.console))
            return None
        viewer = match.env.possible_agents[seat]
        person.console.print(_table(_scene(match.env, viewer), person.console))
        person.console.print(_results(match))
        return match.returns


def watch(
    game: Game,
    options: Options,
    agents: Sequence[str | Agent],
    seed: int | None = None,
    delay: float = 0.5,
    console: Console | None = None,
    sandbox: bool = False,
) -> np.ndarray | None:
    """Shows a game between agents with all cards: step by step on a terminal, else the moves and the end.

    Args:
        game, options: what is played.
        agents: an agent or spec for each seat.
        seed: fixes the deals and the agents' randomness. None: a fresh one, which nobody knows.
        delay: seconds between steps, on a terminal.
        console: where to write (a rich console).
        sandbox: run bots (`cmd:`) in a sandbox.

    Returns:
        float64 [P], the sum of each seat's rewards; None if interrupted.
    """
    from rich.console import Console, Group
    from rich.live import Live

    screen = console or Console()
    log: deque[Text] = deque(maxlen=_LOG_LINES)
    with begin_interpreted(), Match(game, options, agents, seed, sandbox) as match:
        try:
            if not screen.is_terminal:
                screen.print(_table(_scene(match.env), screen))
                while not match.over:
                    match.move()
                    for event in match.events():
                        screen.print(coloured(event.text(), screen))
            else:
                with Live(console=screen, auto_refresh=False, vertical_overflow="crop") as live:
                    while not match.over:
                        live.update(Group(_table(_scene(match.env), screen), *log), refresh=True)
                        time.sleep(delay)
                        match.move()
                        log.extend(coloured(event.text(), screen) for event in match.events())
                    live.update(Group(*log), refresh=True)
        except KeyboardInterrupt:
            return None
        screen.print(_table(_scene(match.env), screen))
        screen.print(_results(match))
        return match.returns


def _play(match: Match, person: HumanAgent, seat: int) -> None:
    """Until the end. The person's consecutive actions can be taken back while they have given nobody information."""
    taken: list[CardGameEnv] = []
    name = match.env.possible_agents[seat]
    told = 0  # events

    def tell() -> None:
        nonlocal told
        events = match.env.history(name)
        for event in events[told:]:
            person.console.print(coloured(event.text(seat), person.console))
        told = len(events)

    def keep(env: CardGameEnv, action: int) -> None:
        if can_be_taken_back(env, action):
            taken.append(env.clone())
        else:
            taken.clear()

    @functools.cache
    def after(actions: tuple[int, ...]) -> tuple[CardGameEnv | None, Counter[int]]:
        """The game after these actions, None where it cannot be known before; and the person's hand as far as it can."""
        if not actions:
            return match.env, _hand(match.env.game, match.env.zones(name), seat)
        (env, hand), action = after(actions[:-1]), actions[-1]
        if env is None:
            return None, hand
        ends = [end for _, end in outcomes(env, action)]
        hands = [_hand(end.game, end.zones(name), seat) for end in ends]
        return ends[0] if foreseen(env, action) else None, hands[0] if all(other == hands[0] for other in hands) else hand

    def ahead(actions: list[int]) -> tuple[View | None, Counter[int]]:
        env, hand = after(tuple(actions))
        return None if env is None else View.of(env), hand

    person.ahead = ahead
    while not match.over:
        if match.env.current_player != seat:
            taken.clear()
            match.move()
            continue
        tell()
        person.can_undo = bool(taken)
        after.cache_clear()
        try:
            match.move(keep)
        except Undo:
            match.env = taken.pop()
            told = len(match.env.history(name))
            person.console.print(literal("taken back"))
    tell()


# --- what is written ---


def coloured(text: str, console: Console) -> Text:
    """Text with its cards in four colours, suits as signs where the console can write them."""
    from rich.text import Text

    signs = cards.SUIT_SYMBOLS if console.encoding.lower().startswith("utf") else cards.SUIT_TEXT
    result, end = Text(), 0
    for match in cards.IN_TEXT.finditer(text):
        result.append(text[end : match.start()])
        rank, suit, joker, hidden = match.groups()
        if suit is not None:
            number = cards.SUIT_TEXT.index(suit)
            result.append(f"{rank.replace('10', 'T').rstrip('-')}{signs[number]}", _SUIT_STYLES[number])
        else:
            result.append(joker or hidden, "magenta" if joker else "dim")
        end = match.end()
    return result.append(text[end:])


def _actions(view: View) -> list[tuple[int, ActionParts]]:
    return [(action, view.parts(action)) for action in view.legal_actions.tolist()]


def _hand(game: Game, zones: dict[str, list[int]], seat: int) -> Counter[int]:
    return Counter(game.held(zones, seat))


def _scene(env: CardGameEnv, viewer: str | None = None) -> Scene:
    return Scene.of(env, viewer).with_trick(env.game, env.history(viewer))


def _table(scene: Scene, console: Console) -> RenderableType:
    """The seats, the middle, and the viewer's hand."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.panel import Panel
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for head in ("", "seat", *scene.kinds):
        table.add_column(head.replace("_", " "))
    if scene.results:
        table.add_column("result", justify="right")
    for seat, name in enumerate(scene.names):
        you = " (you)" if seat == scene.viewer else ""
        cells = [">" if seat == scene.to_move else "", f"{name}{you}", *seat_cells(scene, seat)]
        row = (coloured(cell, console) for cell in (*cells, *scene.results[seat : seat + 1]))
        table.add_row(*row, style="bold" if seat == scene.viewer else None)
    middle = [coloured("  ".join(common_cells(scene, zone)), console) for zone, ids in scene.common.items() if ids]
    content = Group(coloured(scene.status, console), table, *middle)
    return Panel(content, title=literal(scene.title), title_align="left", expand=False)


def _columns(choices: Choices, chosen: Sequence[Choice], console: Console) -> RenderableType:
    from rich.columns import Columns

    return Columns([coloured(f"{choices.name(choice)} {choice.label}", console) for choice in chosen], padding=(0, 3))


def _results(match: Match) -> RenderableType:
    from rich.table import Table

    table = Table(title="Result", title_justify="left")
    for head in ("seat", "agent", "result"):
        table.add_column(head)
    unit = match.env.game.unit_of(match.env.options)
    for seat in np.argsort(-match.returns, kind="stable").tolist():
        best = match.returns[seat] == match.returns.max()
        row = (match.env.possible_agents[seat], literal(match.agents[seat].name), unit.text(match.returns[seat]))
        table.add_row(*row, style="bold" if best else None)
    return table


def _rules(game: Game) -> RenderableType:
    from rich.markdown import Markdown

    try:
        from ..envs.pages import page

        return Markdown(page(game))
    except (ImportError, ValueError):
        return f"the rules of {game.title} are not part of this installation"


def _keyboard(console: Console) -> Callable[[str], str]:
    """Reads lines, with history and editing where the system offers them."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - importing it is enough
    return lambda prompt: console.input(prompt, markup=False)
