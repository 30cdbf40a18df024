"""Which matches a league plays: deals, groups of agents, rotations of the teams; all fixed by the league's seed.

An agent holds all seats of a team; a seat that plays alone is a team of its own. Deal number k is the same cards for every
group. Each group plays it once in every rotation, so that every agent holds every team's cards; who sits behind whom is drawn
anew for each deal and group. Matches come in the order of the deals.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from .errors import LeagueError
from .match import Entry, Match, Settings


def _hash(*content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def deal_seed(settings: Settings, deal: int) -> int:
    """The seed of a deal, 0..2**63-1 (what SQLite can hold)."""
    return int(_hash("deal", settings.seed, deal)[:16], 16) >> 1


def match_id(settings: Settings, seed: int, seats: Sequence[Entry]) -> str:
    """The id of a match, 32 hexadecimal digits: game, rules, options, the deal's seed and who sits where."""
    return _hash("match", settings.game, settings.rules, settings.options, seed, [asdict(entry) for entry in seats])[:32]


def groups(entries: Sequence[Entry], teams: int, gauntlet: str | None = None) -> Iterator[tuple[Entry, ...]]:
    """All groups of agents that fill a table of so many teams; with `gauntlet` only those in which that agent sits."""
    for group in itertools.combinations(entries, teams):
        if gauntlet is None or any(entry.name == gauntlet for entry in group):
            yield group


def count(entries: Sequence[Entry], teams: int, deals: int, gauntlet: str | None = None, places: str = "seats") -> int:
    """Number of matches that `schedule` gives for so many teams, called `places` in messages.

    Raises:
        LeagueError: there are too few agents for a table, or there is none of the gauntlet's name.
    """
    if len(entries) < teams:
        raise LeagueError(
            f"a table has {teams} {places} and the league {len(entries)} agent{'' if len(entries) == 1 else 's'}; "
            f"add {teams - len(entries)} more (the same spec under another name will do), or choose fewer players"
        )
    if gauntlet is not None and gauntlet not in [entry.name for entry in entries]:
        raise LeagueError(f"no agent {gauntlet!r} for the gauntlet; agents: {', '.join(entry.name for entry in entries)}")
    chosen = math.comb(len(entries), teams) if gauntlet is None else math.comb(len(entries) - 1, teams - 1)
    return chosen * teams * deals


def schedule(
    settings: Settings, entries: Sequence[Entry], team_of: Sequence[int], deals: int, gauntlet: str | None = None
) -> Iterator[Match]:
    """The matches of the first `deals` deals. More deals, or more agents, add matches and change none.

    Args:
        team_of: the team of each seat, 0, 1, ...
    """
    teams = max(team_of) + 1
    for deal in range(deals):
        seed = deal_seed(settings, deal)
        for group in groups(entries, teams, gauntlet):
            names = sorted(entry.name for entry in group)
            order = sorted(group, key=lambda entry: _hash("seat", seed, names, entry.name))
            for rotation in range(teams):
                rotated = order[rotation:] + order[:rotation]
                seated = tuple(rotated[team] for team in team_of)
                yield Match(match_id(settings, seed, seated), deal, seed, rotation, seated)
