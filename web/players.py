"""The players of a table: people at browsers, agents, and open seats."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import secrets
import time
from collections.abc import Collection
from dataclasses import dataclass
from dataclasses import field as member
from typing import Any

import numpy as np

from .. import agents
from ..agents import rules
from ..agents.base import Agent
from ..envs.core.escape import plain
from ..envs.core.game import Game, Options
from .fields import TEXT, field
from .limits import Limits, Refused

PERSON, AGENT, OPEN = "person", "agent", "open"
WATCHER, SPECTATOR, EVENING = "watcher", "spectator", "evening"  # meanings of tokens besides seats
Viewer = int | str | None  # a seat, SPECTATOR (sees public information), or a viewer who sees all
QUICK, SEARCHES, BOTS = "quick", "searches", "bots"  # how an agent computes; the threads of `Workers`
WEIGHTS = ("safetensors", "npz")  # kinds of agents in files
NAME_LENGTH = 24
_SPEC_LENGTH = 200
_TOKEN_BYTES = 24
_ROLLOUTS = 200  # of a search without its own


def new_token() -> str:
    """A token for a seat or a table: 192 random bits."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def digest_of(token: str) -> str:
    """The stored and looked-up digest of a token, which reveals neither the token nor, by the time of look-ups, anything about
    it."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def invitation_to(place: int | str, token: str) -> str:
    """An invitation to a seat (valid once), or to SPECTATOR or EVENING, derived from the founder's token, so that the founder
    can compute it again at any time."""
    key = token.encode(errors="surrogatepass")[:64]
    return base64.urlsafe_b64encode(hashlib.blake2b(str(place).encode(), key=key, digest_size=_TOKEN_BYTES).digest()).decode()


@dataclass
class Seat:
    """The player of a seat, with the state that moves with them from one game to the next.

    Attributes:
        kind: PERSON, AGENT or OPEN.
        name: shown to all.
        spec: the agent string of the player, or of the stand-in for an absent person.
        agent: the agent, made when the table begins.
        rng: the agent's random generator.
        key: the digest of the person's token, or of the invitation; "" for a seat that an agent had from the beginning.
        founder: whether its person made the table.
        agreed: whether the person agrees to advice.
        before: the sum of returns of earlier games.
        games: the number of earlier games.
        timed: whether an agent plays because the turn expired.
        here: the number of connected browsers.
        left: the time when the last browser left.
    """

    kind: str
    name: str
    spec: str = ""
    agent: Agent | None = None
    rng: np.random.Generator = member(default_factory=np.random.default_rng)
    key: str = ""
    founder: bool = False
    agreed: bool = False
    before: float = 0.0
    games: int = 0
    timed: bool = False
    here: int = 0
    left: float = member(default_factory=time.monotonic)

    @property
    def away(self) -> bool:
        """Whether it is the seat of a person without a browser at the table."""
        return self.kind == PERSON and not self.here

    @property
    def automatic(self) -> bool:
        """Whether an agent plays the seat."""
        return bool(self.spec)

    @property
    def thinks(self) -> str:
        """Where the agent computes: QUICK, some milliseconds; SEARCHES, longer; BOTS, in its own process."""
        kind = self.spec.partition(":")[0]
        return BOTS if kind == "cmd" else QUICK if kind in ("", "random", "rules", "trained") else SEARCHES

    def give_back(self) -> None:
        """Return the seat to its person."""
        self.spec, self.timed = "", False
        self.dismiss()

    def renew(self) -> None:
        """Drop an agent whose file may have new weights in the next game, because its training run continues."""
        if agents.kind_of(self.spec) in WEIGHTS:
            self.dismiss()

    def dismiss(self) -> None:
        """Close the agent, if there is one."""
        agent, self.agent = self.agent, None
        if agent is not None:
            with contextlib.suppress(Exception):
                agent.close()


def seat_of(viewer: Viewer) -> int | None:
    """The seat of a viewer, or None."""
    return viewer if isinstance(viewer, int) else None


def stand_in(game: Game) -> str:
    """The agent that plays when a person's time is up."""
    return "rules" if rules.policies(game) else "random"


def clean_name(text: str, default: str) -> str:
    """A name for display: one short line without unprintable characters."""
    return plain(" ".join(text[: 4 * NAME_LENGTH].split()))[:NAME_LENGTH].strip() or default


def make_seat(
    request: Any, number: int, token: str, game: Game, options: Options, limits: Limits, extra: Collection[str]
) -> Seat:
    """A seat from a browser's request: {"kind": "person", "name": ...}, {"kind": "open"} or {"kind": "agent", "spec": ...}.

    Args:
        token: the token of the table's founder.

    Raises:
        Refused: the request is none of these, or the agent is not allowed or cannot be made.
    """
    if not isinstance(request, dict) or request.get("kind") not in (PERSON, AGENT, OPEN):
        raise Refused("a seat must be a person, an agent or open")
    if request["kind"] == PERSON:
        return Seat(PERSON, clean_name(field(request, "name", TEXT, ""), "You"), key=digest_of(token), founder=True)
    if request["kind"] == OPEN:
        return Seat(OPEN, "open seat", key=digest_of(invitation_to(number, token)))
    spec = check_spec(request.get("spec"), game, options, limits, extra)
    return Seat(AGENT, spec, spec)


def check_spec(spec: Any, game: Game, options: Options, limits: Limits, extra: Collection[str]) -> str:
    """Check an agent string from a browser. Agents that run code or read files must have been given on the command line.

    Raises:
        Refused: the agent is not allowed; the message lists the allowed ones.
    """
    quick = specs(game, options)
    allowed = [*quick, *solvers(game, options), *extra]
    if isinstance(spec, str) and len(spec) <= _SPEC_LENGTH:
        searching = _search(spec.strip(), game, options, limits)
        if searching:
            return searching
        if spec.strip() in allowed:
            return spec.strip()
    allowed.append(f"mc:rollouts=N (up to {limits.rollouts}),policy={'|'.join(quick)}")
    raise Refused(f"this agent cannot be chosen here; agents: {', '.join(allowed)}")


def _search(spec: str, game: Game, options: Options, limits: Limits) -> str | None:
    """A search with an allowed number of playouts; None for anything else."""
    name, _, rest = spec.partition(":")
    parameters = dict(part.partition("=")[::2] for part in rest.split(",")) if rest else {}
    rollouts, policy = parameters.pop("rollouts", str(_ROLLOUTS)), parameters.pop("policy", "random")
    if name != "mc" or parameters or not rollouts.isdecimal() or not 1 <= int(rollouts) <= limits.rollouts:
        return None
    return f"mc:rollouts={int(rollouts)},policy={policy}" if policy in specs(game, options) else None


def specs(game: Game, options: Options) -> list[str]:
    """The quick agents of a game that anybody may play against, strongest first."""
    allowed = []
    if is_made("trained", game, options):
        allowed.append("trained")
    if rules.policies(game):
        allowed.append("rules")
        allowed += [f"rules:{style}" for style in rules.styles(game)]
    return [*allowed, "random"]


def solvers(game: Game, options: Options) -> list[str]:
    """The agents that solve the game at the table, in some seconds."""
    return [spec for spec in ("resolve",) if is_made(spec, game, options)]


def offered(game: Game, options: Options) -> list[str]:
    """The agents that a browser shows: quick ones, a search, and solvers."""
    return [*specs(game, options), f"mc:rollouts={_ROLLOUTS}", *solvers(game, options)]


def is_made(spec: str | Agent, game: Game, options: Options) -> bool:
    """Whether the agent exists for this game."""
    try:
        agents.make(spec, game, options).close()
    except ValueError:
        return False
    return True
