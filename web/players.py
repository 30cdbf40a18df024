"""Who sits at a table: the person at a browser, an agent, or nobody yet."""

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
WATCHER, SPECTATOR, EVENING = "watcher", "spectator", "evening"  # what tokens stand for besides seats
Viewer = int | str | None  # a seat, SPECTATOR (who sees what is public), or who sees all
QUICK, SEARCHES, BOTS = "quick", "searches", "bots"  # how an agent thinks; the threads of `Workers`
WEIGHTS = ("safetensors", "npz")  # kinds of files
NAME_LENGTH = 24
_SPEC_LENGTH = 200
_TOKEN_BYTES = 24
_ROLLOUTS = 200  # of a search that says nothing of them


def new_token() -> str:
    """Holds a seat, or a table: 192 bits that nobody can guess."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def digest_of(token: str) -> str:
    """What is kept of a token, and looked for: it cannot be turned back, nor guessed at by how long looking takes."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def invitation_to(place: int | str, token: str) -> str:
    """A link to a seat, which it turns into a person's, once, or to SPECTATOR or EVENING, as who made the table by this token
    can tell it again at any time."""
    key = token.encode(errors="surrogatepass")[:64]
    return base64.urlsafe_b64encode(hashlib.blake2b(str(place).encode(), key=key, digest_size=_TOKEN_BYTES).digest()).decode()


@dataclass
class Seat:
    """Who sits at a table, and what moves with them from one game to the next.

    Attributes:
        kind: PERSON, AGENT or OPEN.
        name: shown to all.
        spec: of the agent that plays: one that sits here, or one that plays for a person who is away.
        agent: made from it when the table begins.
        rng: what it draws from.
        key: the digest of the token by which a person holds the seat, or of the invitation to it; "" of one that was an
            agent's from the beginning.
        founder: its person made the table.
        agreed: to advice.
        before: the returns of the games before this one.
        games: how many those were.
        timed: an agent plays because the time of this turn is up.
        here: browsers.
        left: when the last of them left.
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
        """Whether it is a person's who has no browser at the table."""
        return self.kind == PERSON and not self.here

    @property
    def automatic(self) -> bool:
        """Whether an agent plays."""
        return bool(self.spec)

    @property
    def thinks(self) -> str:
        """Where it thinks: QUICK, some milliseconds; SEARCHES, longer; BOTS, in a process of its own."""
        kind = self.spec.partition(":")[0]
        return BOTS if kind == "cmd" else QUICK if kind in ("", "random", "rules", "trained") else SEARCHES

    def give_back(self) -> None:
        """Its person plays again."""
        self.spec, self.timed = "", False
        self.dismiss()

    def renew(self) -> None:
        """Let go of an agent whose file may hold other weights by the next game, of a run that goes on."""
        if agents.kind_of(self.spec) in WEIGHTS:
            self.dismiss()

    def dismiss(self) -> None:
        """Close its agent, if there is one."""
        agent, self.agent = self.agent, None
        if agent is not None:
            with contextlib.suppress(Exception):
                agent.close()


def seat_of(viewer: Viewer) -> int | None:
    """The seat of a viewer, if they have one."""
    return viewer if isinstance(viewer, int) else None


def stand_in(game: Game) -> str:
    """Who plays where the time of a person is up."""
    return "rules" if rules.policies(game) else "random"


def clean_name(text: str, default: str) -> str:
    """A name as it is shown: one line, short, nothing that does not print."""
    return plain(" ".join(text[: 4 * NAME_LENGTH].split()))[:NAME_LENGTH].strip() or default


def make_seat(
    request: Any, number: int, token: str, game: Game, options: Options, limits: Limits, extra: Collection[str]
) -> Seat:
    """A seat as a browser asks for it: {"kind": "person", "name": ...}, {"kind": "open"} or {"kind": "agent", "spec": ...}.

    Args:
        token: of who makes the table.

    Raises:
        Refused: it is none of these, or the agent is not allowed or cannot be made.
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
    """An agent's spec that a browser may ask for. Those that run code or read files are only those given to the command.

    Raises:
        Refused: any other; the message lists those allowed.
    """
    if isinstance(spec, str) and len(spec) <= _SPEC_LENGTH:
        searching = _search(spec.strip(), game, options, limits)
        if searching:
            return searching
        if spec.strip() in (*extra, *specs(game, options)):
            return spec.strip()
    allowed = [*specs(game, options), f"mc:rollouts=N (up to {limits.rollouts}),policy=one of these", *extra]
    raise Refused(f"this agent cannot be chosen here; agents: {', '.join(allowed)}")


def _search(spec: str, game: Game, options: Options, limits: Limits) -> str | None:
    """A search with as many playouts as a browser may ask for; None for anything else."""
    name, _, rest = spec.partition(":")
    parameters = dict(part.partition("=")[::2] for part in rest.split(",")) if rest else {}
    rollouts, policy = parameters.pop("rollouts", str(_ROLLOUTS)), parameters.pop("policy", "random")
    if name != "mc" or parameters or not rollouts.isdecimal() or not 1 <= int(rollouts) <= limits.rollouts:
        return None
    return f"mc:rollouts={int(rollouts)},policy={policy}" if policy in specs(game, options) else None


def specs(game: Game, options: Options) -> list[str]:
    """The agents of a game that anybody may play against, searches left out: strongest first."""
    allowed = []
    if is_made("trained", game, options):
        allowed.append("trained")
    if rules.policies(game):
        allowed.append("rules")
        allowed += [f"rules:{style}" for style in rules.styles(game)]
    return [*allowed, "random"]


def is_made(spec: str | Agent, game: Game, options: Options) -> bool:
    """Whether there is such an agent of this game."""
    try:
        agents.make(spec, game, options).close()
    except ValueError:
        return False
    return True
