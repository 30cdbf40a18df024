"""A table at which some seats play by text, as language models do, and agents play the others."""

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
    """A game in progress in which some seats play by text; their prompts are made from their own views only.

    Attributes:
        refused: the number of invalid answers in a row.
        forfeited: the seat that forfeited (`forfeit`), or None.

    Args:
        game, options: a game or its id, and its options: a mapping, or None for the defaults.
        agents: for each seat an agent, an agent string, or None for play by text.
        seed, sandbox: see `Match`.
        rules: the amount of rules in prompts (`prompts.RULES`).
        template: the template of prompts.
        how: their last line, which gives the answer format.

    Raises:
        ValueError: no seat plays by text, no such amount of rules, or as for `Match`.
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
        self._news = [0] * options.num_players  # number of events given to each seat
        self.go_on()

    @property
    def over(self) -> bool:
        return self.forfeited is not None or super().over

    @property
    def returns(self) -> np.ndarray:
        """float64 [P], the return of each seat; a seat that forfeited has the game's minimum return."""
        returns = super().returns
        if self.forfeited is not None:
            returns[self.forfeited] = self.env.game.return_range(self.env.options)[0]
        return returns

    @property
    def seat(self) -> int:
        """The seat to play by text."""
        return self.env.current_player

    @property
    def view(self) -> View:
        """The seat's view.

        Raises:
            RuntimeError: an agent is to move, because it failed (`go_on` asks it again).
        """
        if self.agents[self.seat] is not None:
            raise RuntimeError(f"the agent on seat {self.seat} is to move; call go_on()")
        return View.of(self.env)

    def messages(self) -> list[dict[str, str]]:
        """The complete prompt of the seat to play, with the answer format, as messages of the chat interface."""
        *before, last = self.template.messages(self.view, self.rules)
        return [*before, {**last, "content": f"{last['content']}\n{self.how}\n"}]

    def now(self) -> str:
        """As `messages`, but without rules and history, for a model that already has both."""
        return f"{NOW.messages(self.view)[0]['content']}\n{self.how}\n"

    def news(self, seat: int) -> list[str]:
        """A seat's new events since the last call."""
        events = self.env.history(self.env.possible_agents[seat])
        first, self._news[seat] = self._news[seat], len(events)
        return [event.text(seat) for event in events[first:]]

    def read(self, text: str) -> int:
        """The action that an answer of the seat names.

        Raises:
            ValueError: it is invalid; the message says why, and lists the legal actions.
        """
        try:
            action = read_action(text, self.view)
        except ValueError:
            self.refused += 1
            raise
        self.refused = 0
        return action

    def act(self, action: int) -> None:
        """Play the seat's action, then the agents' until the next seat plays by text or the game ends.

        Raises:
            IllegalActionError: it is illegal; the game is unchanged.
            AgentError: an agent failed afterwards; `go_on` asks it again.
        """
        self.play(action)
        self.go_on()

    def go_on(self) -> None:
        """Let agents play until a seat has to play by text, or the game ends. No effect if this is already so.

        Raises:
            AgentError: an agent failed; it is asked again by the next call.
        """
        while not self.over and self.agents[self.seat] is not None:
            self.move()

    def forfeit(self) -> None:
        """The seat to play forfeits: the game ends here, and the seat gets the game's minimum return."""
        self.forfeited = self.seat


def dealt(
    game: Game | str,
    options: Options | Mapping[str, Any] | None,
    agents: Sequence[str | Agent | None],
    seed: int | None = None,
    **settings: Any,
) -> TextTable:
    """A `TextTable` with a seat to play: games that end before its first decision are discarded, and the next is dealt.

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
    """A table from `dealt` with one seat that plays by text.

    Args:
        seat: a seat, or "random", derived from the seed.
        opponents: an agent or agent string for all others, or one for each, clockwise from the seat.

    Raises:
        ValueError: no such seat, a wrong number of opponents, or as for `TextTable`.
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
    """The value of an action minus that of the best one, by search: at most 0, in returns of the seat.

    All legal actions are played out in the same determinizations, with `search.rollouts` playouts in total. The best action is
    the best by these estimates, so the difference is slightly biased if several are about equal.
    """
    actions = view.legal_actions
    returns = search.playouts(view, actions, math.ceil(search.rollouts / len(actions)), seed).mean(axis=1)
    return float(returns[actions == action][0] - returns.max())
