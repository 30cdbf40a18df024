"""A seat in a game as an OpenEnv environment: its server, typed actions and observations, and its client.

app = make_app("hearts_v0", opponents="rules")  # uvicorn.run(app) serves it

with CardClient("http://localhost:8000").sync() as client:
    result = client.reset(seed=1)
    while not result.done:
        result = client.step(CardAction(answer=model(result.observation.prompt)))
"""

from __future__ import annotations

import functools
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.env_server import Action, Environment, Observation, State, create_app
from pydantic import Field

from .. import envs
from ..agents.base import Agent
from ..agents.llm.table import TextTable, one_seat
from ..envs.core.game import Game, Options

ATTEMPTS = 2  # answers per decision; one must be usable


class CardAction(Action):
    """The answer of a language model: text with a last line `ACTION: 12`, or only the number or words of an action."""

    answer: str = Field(description="text with a last line `ACTION: NUMBER`, or the number or words of a legal action")


class CardObservation(Observation):
    """The request to the seat. `reward` is what it has earned since its last action.

    Attributes:
        prompt: rules, events, observation and legal actions; after the end, the events since the last request.
        legal_actions: the numbers of the legal actions.
        labels: their labels, in the same order.
        seat: the seat.
        error: why the last answer could not be played; "" if it was.
        returns: the return of each seat, once the game is over.
    """

    prompt: str = ""
    legal_actions: list[int] = Field(default_factory=list)
    labels: list[str] = Field(default_factory=list)
    seat: int = 0
    error: str = ""
    returns: list[float] | None = None


class CardState(State):
    """The public state of an episode."""

    game: str = ""
    options: dict[str, Any] = Field(default_factory=dict)
    seat: int = 0


class CardEnvironment(Environment[CardAction, CardObservation, CardState]):
    """One seat plays by text; agents play the others.

    An unusable answer changes nothing, and the next observation gives the error; a second one in a row ends the game with the
    seat's minimum return.

    Args:
        game, options, seat, opponents: see `wilddeck.agents.llm.table.one_seat`.
        rules: how much of the rules the prompt includes: short, full or none.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self,
        game: Game | str,
        options: Options | Mapping[str, Any] | None = None,
        seat: str | int = "random",
        opponents: str | Agent | Sequence[str | Agent] = "rules",
        rules: str = "short",
    ) -> None:
        super().__init__()
        self._game, self._options = envs.resolve(game, options)
        self._seat, self._opponents, self._rules = seat, opponents, rules
        self._table: TextTable | None = None
        self._own = 0
        self._state = CardState(game=self._game.id, options=vars(self._options))

    def reset(self, seed: int | None = None, episode_id: str | None = None, **unknown: Any) -> CardObservation:
        """Deal. Equal seeds give equal games; whoever chooses the seed can compute the deal.

        Raises:
            ValueError: the seed is out of range, or a parameter is unknown.
        """
        if unknown:
            raise ValueError(f"reset takes seed and episode_id, not {', '.join(sorted(unknown))}")
        table = one_seat(self._game, self._options, self._seat, self._opponents, seed, rules=self._rules)
        self.close()
        self._table, self._own, self._paid = table, table.seat, 0.0
        known = {"game": self._game.id, "options": vars(self._options), "seat": self._own}
        self._state = CardState(episode_id=episode_id or str(uuid.uuid4()), step_count=0, **known)
        return self._observation()

    def step(self, action: CardAction, timeout_s: float | None = None, **unknown: Any) -> CardObservation:
        """Play the answer's action, then the other seats.

        Raises:
            RuntimeError: there is no game in progress, or an opponent failed.
        """
        table = self._table
        if table is None or table.over:
            raise RuntimeError("there is no game in progress; call reset")
        table.go_on()
        self._state.step_count += 1
        try:
            table.act(table.read(action.answer))
        except ValueError as error:
            if table.refused >= ATTEMPTS:
                table.forfeit()
            return self._observation(str(error))
        return self._observation()

    @property
    def state(self) -> CardState:
        return self._state

    def close(self) -> None:
        if self._table is not None:
            self._table.close()
            self._table = None

    def _observation(self, error: str = "") -> CardObservation:
        table = self._table
        assert table is not None
        earned = float(table.returns[self._own]) - self._paid
        self._paid += earned
        shown: dict[str, Any] = {"seat": self._own, "error": error, "reward": earned, "done": table.over}
        news = table.news(self._own)
        if table.over:
            return CardObservation(prompt="\n".join(news), returns=table.returns.tolist(), **shown)
        view, prompt = table.view, "\n".join(message["content"] for message in table.messages())
        legal = view.legal_actions.tolist()
        return CardObservation(prompt=prompt, legal_actions=legal, labels=[view.label(each) for each in legal], **shown)


class CardClient(EnvClient[CardAction, CardObservation, CardState]):
    """The client of such a server; asynchronous, or synchronous with `.sync()`."""

    def _step_payload(self, action: CardAction) -> dict[str, Any]:
        return action.model_dump()

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[CardObservation]:
        outer = {name: payload.get(name) for name in ("reward", "done")}
        observation = CardObservation(**payload.get("observation", {}), **outer)
        return StepResult(observation=observation, **outer)

    def _parse_state(self, payload: dict[str, Any]) -> CardState:
        return CardState(**payload)


def make_app(game: Game | str, max_concurrent_envs: int = 64, **parameters: Any) -> Any:
    """The server as a FastAPI application, for uvicorn; each client gets its own game.

    Args:
        game: a game or its id.
        max_concurrent_envs: the maximal number of clients at once.
        parameters: those of `CardEnvironment`.

    Raises:
        ValueError: as in `CardEnvironment`, or a seat or an opponent is not allowed.
    """
    make = functools.partial(CardEnvironment, game, **parameters)
    first = make()
    first.reset()
    first.close()
    return create_app(make, CardAction, CardObservation, env_name="wilddeck", max_concurrent_envs=max_concurrent_envs)
