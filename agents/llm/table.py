"""A table at which some seats are asked by text, as language models are, and agents play the others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ... import envs
from ...envs.core.batch import check_seed, fresh_seed
from ...envs.core.game import Game, Options
from ..base import Agent, View
from ..match import Match, seated
from ..search import SearchAgent
from ..seeds import keyed
from .answers import HOW, read_action
from .prompts import NOW, Template, game_rules

_MOST_DEALS = 1000


class TextTable(Match):
    """A game in progress in which some seats are asked by text; what they are told comes from their own views alone.

    Attributes:
        refused: how many answers in a row were of no use.
        forfeited: the seat that gave up (`forfeit`), None if none has.

    Args:
        game, options: what is played: a game or its id, and options, a mapping, or None for the defaults.
        agents: for each seat an agent, its spec, or None where text is asked for.
        seed, sandbox: as of `Match`.
        rules: how much of the game's rules prompts hold (`prompts.RULES`).
        template: of the prompts.
        how: the line at their end, which says how to answer.

    Raises:
        ValueError: nobody is asked by text, no such amount of rules, or as of `Match`.
        AgentError: an agent failed before the first question.
    """

    def __init__(
        self,
        game: Game | str,
        options: Options | Mapping[str, Any] | None,
        agents: Sequence[str | Agent | None],
        seed: int | None = None,
        *,
        rules: str = "short",
        template: Template | None = None,
        how: str = HOW,
        sandbox: bool = False,
    ) -> None:
        game, options = envs.resolve(game, options)
        game_rules(game, rules, extended=False)  # there are such
        if None not in agents:
            raise ValueError("every seat has an agent, so there is no seat to ask")
        super().__init__(game, options, agents, seed, sandbox)
        self.rules, self.template, self.how = rules, template or Template(), how
        self.refused = 0
        self.forfeited: int | None = None
        self._news = [0] * options.num_players  # events that each seat was told
        self.go_on()

    @property
    def over(self) -> bool:
        return self.forfeited is not None or super().over

    @property
    def returns(self) -> np.ndarray:
        """float64 [P], what each seat has earned; who gave up, the least that the game can pay."""
        returns = super().returns
        if self.forfeited is not None:
            returns[self.forfeited] = self.env.game.return_range(self.env.options)[0]
        return returns

    @property
    def seat(self) -> int:
        """The seat that is asked."""
        return self.env.current_player

    @property
    def view(self) -> View:
        """What it may see.

        Raises:
            RuntimeError: an agent is to move, which has failed (`go_on` asks it again).
        """
        if self.agents[self.seat] is not None:
            raise RuntimeError(f"the agent on seat {self.seat} is to move; call go_on()")
        return View.of(self.env)

    def messages(self) -> list[dict[str, str]]:
        """The prompt of the seat that is asked, all of it, and how to answer: messages of the chat interface."""
        *before, last = self.template.messages(self.view, self.rules)
        return [*before, {**last, "content": f"{last['content']}\n{self.how}\n"}]

    def now(self) -> str:
        """As `messages`, without rules and history, for who has been told both."""
        return f"{NOW.messages(self.view)[0]['content']}\n{self.how}\n"

    def news(self, seat: int) -> list[str]:
        """What a seat has perceived since this was last asked for it."""
        events = self.env.history(self.env.possible_agents[seat])
        first, self._news[seat] = self._news[seat], len(events)
        return [event.text(seat) for event in events[first:]]

    def read(self, text: str) -> int:
        """The action that an answer of the seat names.

        Raises:
            ValueError: it is of no use; the message says why, and what is allowed.
        """
        try:
            action = read_action(text, self.view)
        except ValueError:
            self.refused += 1
            raise
        self.refused = 0
        return action

    def act(self, action: int) -> None:
        """The seat plays an action, and the agents until the next seat is asked, or the game ends.

        Raises:
            IllegalActionError: it is not legal; the game stands as it was.
            AgentError: an agent failed after it; `go_on` asks it again.
        """
        self.play(action)
        self.go_on()

    def go_on(self) -> None:
        """Let agents play until a seat is asked by text, or the game ends. It changes nothing where that is so already.

        Raises:
            AgentError: an agent failed; it is asked again by the next call.
        """
        while not self.over and self.agents[self.seat] is not None:
            self.move()

    def forfeit(self) -> None:
        """The seat that is asked gives up: the game ends here, and it has the least that the game can pay."""
        self.forfeited = self.seat


def dealt(
    game: Game | str,
    options: Options | Mapping[str, Any] | None,
    agents: Sequence[str | Agent | None],
    seed: int | None = None,
    **settings: Any,
) -> TextTable:
    """A `TextTable` at which somebody is asked: a game that ends before counts for nothing, and the next is dealt.

    Equal seeds give equal games.
    """
    seed = fresh_seed() if seed is None else check_seed(seed)
    for deal in range(_MOST_DEALS):
        table = TextTable(game, options, agents, keyed(seed, "deal", deal) if deal else seed, **settings)
        if not table.over:
            return table
        table.close()
    raise ValueError(f"in {_MOST_DEALS} games the seat had no decision")


def one_seat(
    game: Game | str,
    options: Options | Mapping[str, Any] | None = None,
    seat: str | int = "random",
    opponents: str | Agent | Sequence[str | Agent] = "rules",
    seed: int | None = None,
    **settings: Any,
) -> TextTable:
    """What `dealt` gives, with one seat that is asked by text.

    Args:
        seat: a seat, or "random", which is drawn from the seed.
        opponents: an agent or spec for all others, or one for each, clockwise from the seat.

    Raises:
        ValueError: no such seat, not one opponent for each other seat, or as of `TextTable`.
        AgentError: an opponent failed before the first question.
    """
    game, options = envs.resolve(game, options)
    seed = fresh_seed() if seed is None else check_seed(seed)
    if seat == "random":
        seat = keyed(seed, "seat") % options.num_players
    if isinstance(seat, bool) or not isinstance(seat, int):
        raise ValueError(f"seat={seat!r} is not allowed; allowed: 'random' or 0..{options.num_players - 1}")
    return dealt(game, options, seated(None, seat, opponents, options.num_players), seed, **settings)


def gain(search: SearchAgent, view: View, action: int, seed: int) -> float:
    """What an action is worth by search, less what the best is: 0 or below, in returns of the seat.

    All legal actions are played out in the same determinizations, so many that they take `search.rollouts` together. The best
    is the best by these estimates, so the difference is a little too large where several are about as good.
    """
    actions = view.legal_actions
    returns = search.playouts(view, actions, math.ceil(search.rollouts / len(actions)), seed).mean(axis=1)
    return float(returns[actions == action][0] - returns.max())
