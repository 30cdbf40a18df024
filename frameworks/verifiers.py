"""Games as a `verifiers` environment (interface `v1`), to train and evaluate language models.

`CardTaskset` deals, `CardEnv` plays a deal between the model and agents (or copies of the model), `CardTask` computes rewards
from the return, and `CardHarness` asks the model in this process, in a new conversation per decision. verifiers loads
environments as modules, by name, so put a file such as `wilddeck_cards.py` in your project:

    from wilddeck.frameworks.verifiers import CardEnv, CardHarness, CardTaskset

    __all__ = ["CardEnv", "CardHarness", "CardTaskset"]
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import verifiers.v1 as vf
from openai import AsyncOpenAI
from pydantic import Field

from .. import envs
from ..agents import make
from ..agents.llm.table import TextTable, dealt, gain
from ..agents.match import seated
from ..agents.search import SearchAgent
from ..agents.seeds import keyed
from ..envs.core.game import Game, Options

SELF = "self"
"""As an opponent: the trained or evaluated model plays this seat, too."""


class CardTaskConfig(vf.TaskConfig):
    search: str = ""
    """A search such as mc:rollouts=200,policy=rules, for the reward `search_gain`; "": no such reward."""


class CardTasksetConfig(vf.TasksetConfig):
    game: str = "tennis_v0"
    """The game's id."""
    options: dict[str, Any] = Field(default_factory=dict)
    """The game's options."""
    opponents: str | list[str] = "rules"
    """An agent for all other seats, or one for each, clockwise from the model's; `self` is the model."""
    rules: str = "short"
    """How much of the rules the prompt includes: short, full or none."""
    seed: int = 0
    """The seed of the deals."""
    task: CardTaskConfig = CardTaskConfig()


class CardData(vf.TaskData):
    """One deal, and the model's seat in it. Equal seeds give equal deals."""

    game: str
    options: dict[str, Any]
    opponents: str | list[str]
    rules: str
    seat: int
    seed: int


class CardTask(vf.Task[CardData, vf.State, CardTaskConfig]):
    """A deal, rewarded by the game's return."""

    @vf.reward
    async def game_return(self, trace: vf.Trace) -> float:
        """The seat's return; the game's minimum if the model's answers ended the game."""
        return trace.info["return"]

    @vf.reward
    async def search_gain(self, trace: vf.Trace) -> Mapping[str, float]:
        """The mean over decisions of the searched value of the action minus that of the best (`gain`); `trace.info["gains"]`
        has all of them. Empty without a search."""
        gains = trace.info["gains"]
        return {"search_gain": sum(gains) / max(len(gains), 1)} if self.config.search else {}

    @vf.metric
    async def play(self, trace: vf.Trace) -> Mapping[str, float]:
        """The number of decisions, the number of unusable answers, and whether these ended the game."""
        return {name: float(trace.info[name]) for name in ("decisions", "refused", "forfeited")}


class CardTaskset(vf.Taskset[CardTask, CardTasksetConfig]):
    """An unlimited number of deals; each is played from every seat in turn."""

    INFINITE = True

    def load(self) -> Iterator[CardTask]:
        config = self.config
        game, options = _resolved(config.game, config.options)
        shared = {name: getattr(config, name) for name in ("options", "opponents", "rules")}
        for number in itertools.count():
            deal, seat = divmod(number, options.num_players)
            name = f"{game.id}, deal {deal}, seat {seat}"
            seed = keyed(config.seed, "deal", deal) >> 65  # the range of MessagePack
            yield CardTask(CardData(name=name, game=game.id, seat=seat, seed=seed, **shared), config.task)


class CardEnvConfig(vf.EnvConfig):
    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """The model. Its harness asks it in this process, so nothing needs a sandbox."""
    attempts: int = 2
    """The number of unusable answers in a row that end the game."""


@dataclass
class _Seat:
    """A seat that the model plays: its conversation and its statistics."""

    interaction: vf.Interaction
    again: str = ""
    gains: list[float] = field(default_factory=list)
    decisions: int = 0
    refused: int = 0


class CardEnv(vf.Env[CardEnvConfig]):
    """Plays a deal to its end. Every decision is a user message with the whole prompt."""

    async def run(self, task: CardTask, agents: vf.Agents) -> None:
        data, search = task.data, _search(task)
        game, options = _resolved(data.game, data.options)
        around = seated(SELF, data.seat, data.opponents, options.num_players)
        players = [None if agent == SELF else agent for agent in around]
        table = await asyncio.to_thread(dealt, game, options, players, data.seed, rules=data.rules)
        try:
            async with AsyncExitStack() as stack:
                seats: dict[int, _Seat] = {}
                while not table.over:
                    system, user = table.messages()
                    if table.seat not in seats:
                        own = task.with_data(seat=table.seat, system_prompt=data.system_prompt or system["content"])
                        seats[table.seat] = _Seat(await stack.enter_async_context(agents.player.interaction(own)))
                    await self._decide(table, seats[table.seat], user["content"], search)
                for number, seat in seats.items():
                    seat.interaction.trace.info |= {
                        "return": float(table.returns[number]),
                        "forfeited": table.forfeited == number,
                        **{name: getattr(seat, name) for name in ("gains", "decisions", "refused")},
                    }
        finally:
            table.close()

    async def _decide(self, table: TextTable, seat: _Seat, prompt: str, search: SearchAgent | None) -> None:
        """Ask the model once, and process its answer."""
        segment = await seat.interaction.turn(f"{seat.again}{prompt}")
        if segment.terminated:  # it cannot answer any more
            return table.forfeit()
        try:
            action = table.read(segment.last_reply)
        except ValueError as error:
            seat.refused += 1
            seat.again = f"Your last answer could not be played: {error}\n\n"
            return table.forfeit() if table.refused >= self.config.attempts else None
        seat.again = ""
        if search is not None:
            seed = keyed(seat.interaction.trace.task.data.seed, "gain", table.seat, len(seat.gains))
            seat.gains.append(await asyncio.to_thread(gain, search, table.view, action, seed))
        seat.decisions += 1
        return await asyncio.to_thread(table.act, action)


class CardHarnessConfig(vf.HarnessConfig):
    pass


class _Session(vf.HarnessSession):
    """Asks the model through OpenAI's client library, in this process; earlier messages are not sent again."""

    def __init__(self, *where: Any) -> None:
        super().__init__(*where)
        self._client = AsyncOpenAI(base_url=self.endpoint, api_key=self.secret)

    async def _run(self, messages: vf.Messages | None) -> vf.ProgramResult:
        system, prompt = self.harness.resolve_prompt(self.data)
        said = messages or ([vf.UserMessage(content=prompt)] if isinstance(prompt, str) else prompt) or []
        before = [] if system is None else [vf.SystemMessage(content=system)]
        sent: Any = [{"role": message.role, "content": message.content} for message in (*before, *said)]
        await self._client.chat.completions.create(model=self.ctx.model, messages=sent)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")

    async def close(self) -> None:
        await super().close()
        await self._client.close()


class CardHarness(vf.Harness[CardHarnessConfig]):
    """One request per turn, of the system prompt and the turn, as `llm:` agents ask for decisions. With another harness
    (`--env.player.harness.id null`) the conversation grows by a whole prompt with each decision."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def session(self, *where: Any) -> vf.HarnessSession:
        return _Session(self, *where)

    async def launch(self, *where: Any) -> vf.ProgramResult:
        session = _Session(self, *where)
        try:
            return await session._run(None)
        finally:
            await session.close()


def _resolved(game: str, options: Mapping[str, Any]) -> tuple[Game, Options]:
    return envs.resolve(game, {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()})


def _search(task: CardTask) -> SearchAgent | None:
    if not task.config.search:
        return None
    agent = make(task.config.search, *_resolved(task.data.game, task.data.options))
    if not isinstance(agent, SearchAgent):
        raise ValueError(f"search={task.config.search!r} is not a search; allowed: mc and mc:PARAMETERS")
    return agent
