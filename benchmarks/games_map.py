"""The page docs/games.md: size, chance and skill of every game and variant, as measured.

    wilddeck bench map            # measure what is missing and write docs/games.md
    wilddeck bench map tennis_v0  # measure some of the games again

Results are stored in `--folder`, one file per game, until the constants below change. All deals are fixed, so that the page can
be reproduced.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..agents import make, play
from ..agents.base import Agent
from ..agents.random import RandomAgent
from ..agents.views import Views
from ..envs.core.batch import Batch
from ..envs.core.escape import json_text, markdown_code, plain
from ..envs.core.files import read_json, write_atomically
from ..league.export import markdown_table
from .score import suite
from .score.suite import Task

FOLDER = Path("runs/games_map")
PAGE = Path("docs/games.md")
_COMMAND = "wilddeck bench map"
WALKED = 400  # games, with random and with rules
SEEN = 20_000  # decisions whose information states are counted; whole games
DEALS = 1000  # with rules in all seats
REPEATED, TIMES = 250, 4  # deals, and random games of each
SKILL_DEALS = 250  # on which random and rules play in each other's place
SEARCH = "mc:rollouts=30"
MOST_SEARCHED, SEARCH_STEPS = 20, 2e6  # limits of deals with search: their number, and the sum of their squared lengths
_SEED = 77
_95 = 1.96  # standard errors
_ENOUGH = 10  # minimal number of repeated information states for an estimate of the total


# --- what is computed ---


def unseen(counts: Sequence[int]) -> float:
    """A lower bound of the number of kinds, including unseen ones, from the counts of those seen: Chao's estimator, corrected
    for small samples."""
    times = Counter(counts)
    return len(counts) + times[1] * (times[1] - 1) / (2 * (times[2] + 1))


def share_between(values: np.ndarray) -> float:
    """The share of variance between groups of values [groups, repetitions], 0 to 1: the intraclass correlation."""
    times = values.shape[1]
    within = values.var(axis=1, ddof=1).mean()
    between = times * values.mean(axis=1).var(ddof=1)
    explained = max(0.0, (between - within) / times)
    return float(explained / (explained + within)) if explained + within > 0 else 0.0


def skill_and_luck(results: np.ndarray) -> tuple[float, float]:
    """The shares of the variance of results [agents, places] that are explained by the agent (all equally likely) and by the
    place (deal and seat)."""
    agents, places = results.shape
    by_agent, by_place = results.mean(axis=1), results.mean(axis=0)
    rest = results - by_agent[:, None] - by_place + results.mean()
    noise = (rest**2).sum() / ((agents - 1) * (places - 1))
    skill = max(0.0, by_agent.var() - noise * (agents - 1) / (agents * places))
    luck = max(0.0, by_place.var(ddof=1) - noise / agents)
    total = skill + luck + noise
    return (float(skill / total), float(luck / total)) if total > 0 else (0.0, 0.0)


# --- what is measured ---


class Walk(NamedTuple):
    """Some complete games: their numbers of decisions, legal actions and forced decisions, and a digest of the observation of
    each decision, in order."""

    decisions: int
    legal: int
    forced: int
    seen: list[int]


def walk(task: Task, agent: Agent, games: int) -> Walk:
    """Play games with an agent in all seats."""
    batch = Batch(task.game, task.options, games, task.seed_of(_SEED))
    rng = np.random.default_rng(_SEED)
    alive = np.arange(games)
    seen: list[list[int]] = [[] for _ in range(games)]
    legal = forced = 0
    while len(alive):
        observation, mask = batch.observation[alive], batch.action_mask[alive]
        choices = mask.sum(axis=1, dtype=np.int64)
        legal += int(choices.sum())
        forced += int((choices == 1).sum())
        for row, view in zip(alive.tolist(), observation, strict=True):
            seen[row].append(hash(view.tobytes()))
        batch.step(agent.act_batch(Views.of(observation, mask), rng), alive)
        alive = alive[~(batch.terminated | batch.truncated)[alive]]
    return Walk(sum(map(len, seen)), legal, forced, [view for game in seen for view in game])


class _AnotherTime(RandomAgent):
    """Random play that differs each time the same deals are played."""

    def __init__(self, time: int) -> None:
        self._rng = np.random.default_rng([_SEED, time])

    def act_batch(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return super().act_batch(views, self._rng)


def _by_team(task: Task, agent: Agent, deals: int) -> np.ndarray:
    """The scores of the teams, float64 [deals, teams], with an agent in all seats."""
    seated = [agent] * task.options.num_players
    returns = play.play_batch(task.game, task.options, seated, deals, task.seed_of(_SEED))
    teams = task.game.teams(task.options)
    return np.stack([returns[:, list(team)].mean(axis=1) for team in teams], axis=1) * task.game.score_unit(task.options)


def _rotated(task: Task, spec: str, opponent: str, deals: int) -> np.ndarray:
    """The scores of an agent in every team's place, float64 [teams, deals]."""
    agent, other = (make(name, task.game, task.options) for name in (spec, opponent))
    others = [other] * (len(task.game.teams(task.options)) - 1)
    return play.rotated(agent, others, task.game, task.options, deals, task.seed_of(_SEED))[0]


def measure(task: Task) -> dict[str, Any]:
    """All measurements of a game except search, which takes long."""
    agents = {spec: make(spec, task.game, task.options) for spec in (suite.ZERO, suite.ONE)}
    walks = {spec: walk(task, agent, WALKED) for spec, agent in agents.items()}
    length = walks[suite.ZERO].decisions / WALKED
    enough = walks[suite.ZERO] if length * WALKED >= SEEN else walk(task, agents[suite.ZERO], WALKED + int(SEEN / length))
    counted = Counter(enough.seen[:SEEN])
    scores = _by_team(task, agents[suite.ONE], DEALS)
    first = scores[:, 0] - scores.mean(axis=1)
    repeated = [_by_team(task, _AnotherTime(time), REPEATED) for time in range(TIMES)]
    places = np.stack(repeated, axis=-1).reshape(-1, TIMES)
    spread = float(places.std(ddof=1))
    skill, luck = skill_and_luck(
        np.stack([_rotated(task, spec, suite.ONE, SKILL_DEALS).ravel() for spec in (suite.ZERO, suite.ONE)])
    )
    return {
        "length": {spec: walked.decisions / WALKED for spec, walked in walks.items()},
        "branching": {spec: walked.legal / walked.decisions for spec, walked in walks.items()},
        "forced": {spec: walked.forced / walked.decisions for spec, walked in walks.items()},
        "states": {"of": sum(counted.values()), "seen": len(counted), "at_least": unseen(list(counted.values()))},
        "spread": float(scores.std(ddof=1)),
        "first": {"mean": float(first.mean()), "error": float(first.std(ddof=1) / DEALS**0.5)},
        "chance": share_between(places),
        "skill": skill,
        "luck": luck,
        "random_spread": spread,
        "gains": {suite.ONE: gain(task, suite.ONE, SKILL_DEALS, spread)},
    }


def measure_search(task: Task, measured: Mapping[str, Any]) -> dict[str, Any]:
    """The gain of search, after the other measurements, over as many deals as the game's length allows."""
    deals = int(np.clip(SEARCH_STEPS / measured["length"][suite.ZERO] ** 2, 4, MOST_SEARCHED))
    return gain(task, SEARCH, deals, measured["random_spread"])


def gain(task: Task, spec: str, deals: int, spread: float) -> dict[str, Any]:
    """The advantage of an agent over random play among random players, in standard deviations of the latter (`spread`)."""
    gained = (_rotated(task, spec, suite.ZERO, deals) - _rotated(task, suite.ZERO, suite.ZERO, deals)).mean(axis=0)
    error = float(gained.std(ddof=1) / deals**0.5)
    return {"mean": float(gained.mean()) / (spread or 1), "error": error / (spread or 1), "deals": deals}


# --- the page ---

_HEAD = """\
# The games compared

Made by {command} on {date}.

This page helps to choose games for an algorithm. Length, branching factor and the gain of search are measured as
[Valet](https://arxiv.org/abs/2603.03252) measured other card games: by random play, and by search against it. Options are those
of the table in `benchmarks/baselines.py`, which are the defaults of nearly all games.

| column | meaning |
| --- | --- |
| players | number of seats, and of teams if seats win together |
| length | decisions of all players per game: by random play / by the rule-based agents |
| legal | mean number of legal actions per decision (branching factor): random / rules |
| forced | share of decisions with only one legal action: random / rules |
| observation, actions | sizes of the observation vector and of the action mask |
| states seen | number of different observations (information states) in {seen:,} decisions of random play |
| reachable, at least | lower bound (Chao's estimator) of the number of information states that random play reaches; "very many" if fewer than ten decisions repeated a state |
| chance | share of the variance of a player's result that deal and seat explain in random play: {repeated} deals, {times} games of each with the same cards and shuffles. At 100 % decisions do not matter, at 0 % all deals are equally good. |
| skill, luck | shares of the variance of a player's result that are explained by the player (random or rule-based, equally likely) and by deal and seat, against rule-based opponents: two-way analysis of variance, {skill} deals from every seat. The rest is the interaction of player and deal, and the players' own randomness. |
| spread | standard deviation of a player's (team's) result between rule-based agents, in the game's unit or in chips |
| first seat | mean result of the first seat (`player_0`, or its team) minus the mean of all seats, between rule-based agents, with a 95 % interval over {deals:,} deals |
| gain of rules, gain of search | advantage of the rule-based agent, and of search (`{search}`, with random playouts), over a random agent against random opponents, in standard deviations of the random agent's result, with 95 % intervals. Search plays few deals (4 to {most}), so its intervals are wide. |
"""  # noqa: E501 - rows of a table


def page(measured: Mapping[str, Mapping[str, Any]], command: str) -> str:
    """The page, as Markdown."""
    tasks = {name: suite.task(name) for name in measured}
    head = _HEAD.format(
        command=markdown_code(command),
        date=time.strftime("%Y-%m-%d"),
        seen=SEEN,
        repeated=REPEATED,
        times=TIMES,
        skill=SKILL_DEALS,
        deals=DEALS,
        search=SEARCH,
        most=MOST_SEARCHED,
    )
    parts = [head]
    for title, columns in _TABLES.items():
        rows = [[task.name, *(tell(task, measured[name]) for tell in columns.values())] for name, task in tasks.items()]
        lines = markdown_table(["", *columns], rows)
        parts.append("\n".join([f"## {title}", "", *_linked(lines, tasks), ""]))
    return "\n".join(parts)


def _linked(lines: Sequence[str], tasks: Mapping[str, Task]) -> list[str]:
    """The lines of a table with links to the rules in the first column."""
    rows = [
        line.replace(f"| {name} |", f"| [`{name}`](rules/{task.game.name}.md) |", 1)
        for line, (name, task) in zip(lines[2:], tasks.items(), strict=True)
    ]
    return [*lines[:2], *rows]


def _both(form: str, quantity: str) -> Callable[[Task, Mapping[str, Any]], str]:
    return lambda task, measured: " / ".join(format(measured[quantity][spec], form) for spec in (suite.ZERO, suite.ONE))


def _error(estimate: Mapping[str, float], form: str) -> str:
    return f"{format(estimate['mean'], f'+{form}')} ± {format(_95 * estimate['error'], form)}"


def _players(task: Task, measured: Mapping[str, Any]) -> str:
    players, teams = task.options.num_players, len(task.game.teams(task.options))
    return str(players) if teams == players else f"{players} in {teams} teams"


def _at_least(task: Task, measured: Mapping[str, Any]) -> str:
    states = measured["states"]
    again = states["of"] - states["seen"]  # repeated states, on which the estimate is based
    two_digits = float(format(states["at_least"], ".2g"))
    return f"{two_digits:,.0f}" if again >= _ENOUGH else "very many"


def _spread(task: Task, measured: Mapping[str, Any]) -> str:
    unit = next(iter(task.game.score_units(task.options)), "")
    return f"{measured['spread']:.3g} {unit}".strip()


def _gain(spec: str) -> Callable[[Task, Mapping[str, Any]], str]:
    return lambda task, measured: _error(measured["gains"][spec], ".2f") if spec in measured["gains"] else "not measured"


Column = Callable[[Task, Mapping[str, Any]], str]
_TABLES: dict[str, dict[str, Column]] = {
    "Size": {
        "players": _players,
        "length (random / rules)": _both(".0f", "length"),
        "legal": _both(".1f", "branching"),
        "forced": _both(".0%", "forced"),
        "observation": lambda task, facts: f"{task.game.observation_size(task.options):,}",
        "actions": lambda task, facts: f"{task.game.num_actions(task.options):,}",
        "states seen": lambda task, facts: f"{facts['states']['seen']:,} of {facts['states']['of']:,}",
        "reachable, at least": _at_least,
    },
    "Chance and skill": {
        "chance": lambda task, facts: f"{facts['chance']:.0%}",
        "skill": lambda task, facts: f"{facts['skill']:.0%}",
        "luck": lambda task, facts: f"{facts['luck']:.0%}",
        "spread": _spread,
        "first seat": lambda task, facts: _error(facts["first"], ".3f"),
        "gain of rules": _gain(suite.ONE),
        "gain of search": _gain(SEARCH),
    },
}


# --- the page ---


def write_page(names: Sequence[str] = (), folder: Path = FOLDER, out: Path = PAGE, search: bool = True) -> None:
    """Measure what is missing and write the page.

    Args:
        names: games to measure again.
        folder: the folder of the results.
        out: the page.
        search: also measure the gain of search, which takes longest.

    Raises:
        ValueError: a game is unknown, or results were measured with other constants.
    """
    again, kept = suite.find_names(names) if names else [], _Kept(folder)
    measured = {name: kept.measured(name, name in again) for name in suite.find_names([suite.ALL])}
    write_atomically(out, page(measured, _COMMAND).encode())  # before search, which takes longest
    if search:
        for name, results in measured.items():
            kept.search(name, results)
        write_atomically(out, page(measured, _COMMAND).encode())
    print(plain(f"written: {out}"))


class _Kept:
    """The stored measurements."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def measured(self, name: str, again: bool) -> dict[str, Any]:
        """The measurements of a game, made now if they are missing or if `again` is set.

        Raises:
            ValueError: they were made with other constants.
        """
        path = self._folder / f"{name}.json"
        if again or not path.exists():
            begun = time.process_time()
            self._keep(name, {"by": _numbers(), **measure(suite.task(name))}, begun)
        measured = read_json(path.read_bytes())
        if measured["by"] != _numbers():
            raise ValueError(f"{path} was measured with other constants; remove it or measure {name} again")
        return measured

    def search(self, name: str, measured: dict[str, Any]) -> None:
        """Measure the gain of search if it is missing."""
        if SEARCH not in measured["gains"]:
            begun = time.process_time()
            measured["gains"][SEARCH] = measure_search(suite.task(name), measured)
            self._keep(name, measured, begun)

    def _keep(self, name: str, measured: dict[str, Any], begun: float) -> None:
        write_atomically(self._folder / f"{name}.json", (json_text(measured, indent=1) + "\n").encode())
        print(plain(f"{name}: measured in {time.process_time() - begun:.0f} s of CPU time"), flush=True)


def _numbers() -> list[Any]:
    """The constants of the measurements."""
    return [WALKED, SEEN, DEALS, REPEATED, TIMES, SKILL_DEALS, SEARCH, MOST_SEARCHED, SEARCH_STEPS, _SEED]
