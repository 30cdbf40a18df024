"""Which matches a league plays: deals, groups of agents, rotations of the teams; all fixed by the league's seed.

An agent holds all seats of a team; a seat that plays alone is a team of its own. For deal number k every group plays once in
every rotation; who sits behind whom is drawn anew for each deal and group. Each match has cards of its own, or with
`Settings.duplicate` those of the deal. Matches come in the order of the deals.

Seeds, ids and seatings are digests keyed with the league's seed: who does not know it learns nothing of a deal from an id, nor
of one deal from another's seed.
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
    """The id of a match, 32 hexadecimal digits: of the league's seed and settings, the deal's number and who sits where."""
    played = settings.game, settings.rules, settings.options, settings.duplicate
    return f"{keyed(settings.seed, 'match', *played, deal, [asdict(entry) for entry in seats]):032x}"


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
    """The matches of the first `deals` deals. More deals, or more agents, add matches and change none.

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
