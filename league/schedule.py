"""The schedule of a league: deals, groups of agents, rotations of the teams; all derived from the league's seed.

An agent plays all seats of a team; in a game without teams, each seat is a team. Every deal is played by every group in every
rotation; the seating order is drawn per deal and group. Each match has its own cards or, with `Settings.duplicate`, those of
the deal. Matches are ordered by deal.

Seeds, ids and seatings are digests keyed with the league's seed. Without it, an id reveals nothing about a deal, and the seed
of one deal nothing about another deal.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from ..agents.seeds import keyed
from ..envs.core.batch import MAX_SEED
from .errors import LeagueError
from .match import Entry, Match, Settings


def deal_seed(settings: Settings, deal: int, seats: Sequence[Entry]) -> int:
    """The seed that deals the cards of a match, for `env.reset(seed=...)`."""
    own = [] if settings.duplicate else [entry.name for entry in seats]
    return keyed(settings.seed, "deal", deal, *own) % MAX_SEED


def match_id(settings: Settings, deal: int, seats: Sequence[Entry]) -> str:
    """The id of a match: 32 hexadecimal digits, a digest of the league's seed and settings, the deal and the seating."""
    played = settings.game, settings.rules, settings.options, settings.duplicate
    return f"{keyed(settings.seed, 'match', *played, deal, [asdict(entry) for entry in seats]):032x}"


def groups(entries: Sequence[Entry], teams: int, gauntlet: str | None = None) -> Iterator[tuple[Entry, ...]]:
    """All groups of agents for a match of `teams` teams; with `gauntlet` only those that include this agent."""
    for group in itertools.combinations(entries, teams):
        if gauntlet is None or any(entry.name == gauntlet for entry in group):
            yield group


def count(entries: Sequence[Entry], teams: int, deals: int, gauntlet: str | None = None, places: str = "seats") -> int:
    """The number of matches of `schedule` for this number of teams, which messages call `places`.

    Raises:
        LeagueError: there are too few agents for a match, or none with the gauntlet's name.
    """
    if len(entries) < teams:
        raise LeagueError(
            f"a match needs {teams} agents, one per {places[:-1]}, but the league has {len(entries)}; "
            f"add {teams - len(entries)} more (the same agent may have several names), or choose fewer players"
        )
    if gauntlet is not None and gauntlet not in [entry.name for entry in entries]:
        raise LeagueError(
            f"the gauntlet's agent {gauntlet!r} is not in this league; agents: {', '.join(entry.name for entry in entries)}"
        )
    chosen = math.comb(len(entries), teams) if gauntlet is None else math.comb(len(entries) - 1, teams - 1)
    return chosen * teams * deals


def schedule(
    settings: Settings, entries: Sequence[Entry], team_of: Sequence[int], deals: int, gauntlet: str | None = None
) -> Iterator[Match]:
    """The matches of the first `deals` deals. More deals or more agents only add matches.

    Args:
        team_of: the team of each seat, 0, 1, ...
    """
    teams = max(team_of) + 1
    for deal in range(deals):
        for group in groups(entries, teams, gauntlet):
            names = sorted(entry.name for entry in group)
            order = sorted(group, key=lambda entry: keyed(settings.seed, "seat", deal, names, entry.name))
            for rotation in range(teams):
                rotated = order[rotation:] + order[:rotation]
                seats = tuple(rotated[team] for team in team_of)
                yield Match(match_id(settings, deal, seats), deal, deal_seed(settings, deal, seats), rotation, seats)
