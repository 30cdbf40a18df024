"""PPO in one file against the compiled learner at equal numbers of decisions: curves and table of docs/guides/frameworks.md.

    python -m wilddeck.benchmarks.studies.one_file_ppo run FOLDER [--steps N] [--seeds 1 2 3] [--games tennis_v0 hearts_v0]
    python -m wilddeck.benchmarks.studies.one_file_ppo report FOLDER PICTURE.svg

`run` writes one file per run into the folder and skips existing ones; `report` draws the curves and prints the table. Both
learners use their defaults: random initialisation, two hidden layers of 128, and critics that see all cards. Each has one
thread. Needs torch.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from ...agents.base import Agent
from ...cli.arguments import Parser
from ...envs.core.files import write_atomically
from ...training.evaluate import evaluate
from ...training.train import train

COLOURS = {"one file": "#c8501e", "compiled": "#2864c8"}
AGAINST = "rules", "random"
POINTS, CURVE_GAMES, CURVE_SEED = 6, 600, 0xE7A1  # points of a curve, games of each, and the seed of their deals
FINAL_GAMES = 8_000, 2_000  # at the end
_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 300, 230, 60, 34, 70
_NORMAL = 1.96


def one_file(game: str, steps: int, seed: int) -> tuple[Agent, dict[str, Any]]:
    """The agent, and the decisions per second and the learning curve (decisions, mean against the rules) of its training."""
    import torch

    from ...frameworks import cleanrl

    torch.set_num_threads(1)
    curve: list[list[float]] = []
    pace: list[float] = []
    last = (0, time.perf_counter())

    def watch(done: int, agent: Agent) -> None:
        nonlocal last
        pace.append((done - last[0]) / (time.perf_counter() - last[1]))
        if done >= min(steps, steps * (len(curve) + 1) / POINTS):
            curve.append([done, evaluate(agent, game, against=["rules"], games=CURVE_GAMES, seed=CURVE_SEED)["rules"].mean])
        last = (done, time.perf_counter())

    agent = cleanrl.train(cleanrl.parsed([f"--game={game}", f"--total-steps={steps}", f"--seed={seed}"]), watch)
    return agent, {"speed": statistics.median(pace), "curve": curve}


def compiled(game: str, steps: int, seed: int) -> tuple[Agent, dict[str, Any]]:
    """As `one_file`."""
    from ... import agents

    deals = CURVE_GAMES // 4
    with tempfile.TemporaryDirectory() as folder:
        often: dict[str, Any] = {"eval_every": steps // POINTS, "eval_deals": deals, "eval_opponents": "rules"}
        settings: dict[str, Any] = {
            "total_steps": steps,
            "seed": seed,
            "threads": 1,
            "device": "cpu",
            "progress": False,
            **often,
        }
        result = train(game, out=Path(folder) / "run", **settings)
        with (Path(folder) / "run" / "progress.csv").open(encoding="utf-8") as file:
            pace = [float(row["steps_per_second"]) for row in csv.DictReader(file) if row["steps_per_second"]]
        curve = [[point.steps, point.returns["rules"]] for point in result.evaluations]
        return agents.make(str(result.weights), game), {"speed": statistics.median(pace), "curve": curve}


LEARNERS = {"one file": one_file, "compiled": compiled}


def scores(agent: Agent, game: str) -> list[float]:
    """Mean and standard error against each of `AGAINST`, on fresh deals."""
    results = [
        evaluate(agent, game, against=[name], games=games)[name] for name, games in zip(AGAINST, FINAL_GAMES, strict=True)
    ]
    return [number for result in results for number in (result.mean, result.standard_error)]


def run(folder: Path, games: list[str], steps: int, seeds: list[int]) -> None:
    """Train and measure all runs that are not in the folder yet."""
    for seed in seeds:
        for game in games:
            for name, learn in LEARNERS.items():
                path = folder / f"{game}-{name.replace(' ', '_')}-{seed}.json"
                if not path.exists():
                    agent, about = learn(game, steps, seed)
                    final = scores(agent, game)
                    told = {"game": game, "learner": name, "seed": seed, "steps": steps, **about, "final": final}
                    write_atomically(path, json.dumps(told).encode())
                    print(path.name, *(f"{number:+.3f}" for number in final), f"{about['speed']:,.0f}/s", flush=True)


def table(runs: list[dict[str, Any]]) -> str:
    """The table: a row for each run, and one for the mean of a learner's runs."""
    lines = ["| game | learner | seed | against rules | against random | decisions a second |", "|---|---|---|---|---|---|"]
    for game in dict.fromkeys(each["game"] for each in runs):
        for name in LEARNERS:
            own = [each for each in runs if (each["game"], each["learner"]) == (game, name)]
            for each in own:
                rules, rules_error, rand, rand_error = each["final"]
                measured = f"{rules:+.3f} ± {_NORMAL * rules_error:.3f} | {rand:+.3f} ± {_NORMAL * rand_error:.3f}"
                lines.append(f"| {game} | {name} | {each['seed']} | {measured} | {each['speed']:,.0f} |")
            if own:
                means = np.mean([each["final"] for each in own], axis=0)
                lines.append(f"| {game} | {name} | **mean** | **{means[0]:+.3f}** | **{means[2]:+.3f}** | |")
    return "\n".join(lines)


def picture(runs: list[dict[str, Any]]) -> str:
    """The curves against the rules: one panel per game, one line per run."""
    games = list(dict.fromkeys(each["game"] for each in runs))
    parts = [panel(k, game, [each for each in runs if each["game"] == game]) for k, game in enumerate(games)]
    width, height = _LEFT + len(games) * (_WIDTH + _GAP), _TOP + _HEIGHT + 74
    for k, (name, colour) in enumerate(COLOURS.items()):
        x, y = _LEFT + 150 * k, height - 14
        parts.append(f"<path d='M{x} {y - 4}h28' stroke='{colour}' stroke-width='2'/><text x='{x + 36}' y='{y}'>{name}</text>")
    label = "Return against the rules by decisions learned from, PPO in one file and the compiled learner"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' aria-label='{label}' viewBox='0 0 {width} {height}' "
        f"font-family='sans-serif' font-size='12'><title>{label}</title><rect width='100%' height='100%' fill='white'/>"
        f"{''.join(parts)}</svg>\n"
    )


def panel(number: int, game: str, runs: list[dict[str, Any]]) -> str:
    """One game's curves with their axes."""
    curves = {id(each): [point for point in each["curve"] if point[0]] for each in runs}
    values = [point[1] for curve in curves.values() for point in curve]
    step = 0.1 if max(values) - min(values) < 1 else 0.5
    low, high = np.floor(min(values) / step) * step, np.ceil(max(max(values), 0) / step) * step
    most, left = max(each["steps"] for each in runs), _LEFT + number * (_WIDTH + _GAP)

    def place(steps: float, value: float) -> str:
        return f"{left + min(steps / most, 1) * _WIDTH:.0f} {_TOP + (high - value) / (high - low) * _HEIGHT:.1f}"

    parts = [f"<text x='{left}' y='{_TOP - 14}' font-weight='bold'>{game}: return against the rules</text>"]
    for value in np.arange(low, high + step / 2, step):
        colour = "#888888" if abs(value) < step / 2 else "#dddddd"
        parts.append(f"<path d='M{place(0, value)}h{_WIDTH}' stroke='{colour}'/>")
        y = float(place(0, value).split()[1])
        parts.append(f"<text x='{left - 6}' y='{y + 4:.1f}' text-anchor='end'>{round(value, 1) + 0.0:+.1f}</text>")
    for share in (0, 0.5, 1):
        x = left + share * _WIDTH
        parts.append(f"<text x='{x:.0f}' y='{_TOP + _HEIGHT + 18}' text-anchor='middle'>{share * most / 1e6:g}</text>")
    middle = left + _WIDTH / 2
    parts.append(f"<text x='{middle:.0f}' y='{_TOP + _HEIGHT + 36}' text-anchor='middle'>million decisions</text>")
    for each in runs:
        line = "L".join(place(point[0], point[1]) for point in curves[id(each)])
        parts.append(f"<path d='M{line}' fill='none' stroke='{COLOURS[each['learner']]}' stroke-width='1.5'/>")
    return "".join(parts)


def main() -> None:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    running, reporting = commands.add_parser("run"), commands.add_parser("report")
    for each in (running, reporting):
        each.add_argument("folder", type=Path)
    running.add_argument("--steps", type=int, default=300_000, help="decisions of each run (default 300,000)")
    running.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    running.add_argument("--games", nargs="+", default=["tennis_v0", "hearts_v0"])
    reporting.add_argument("picture", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "run":
        run(arguments.folder, arguments.games, arguments.steps, arguments.seeds)
        return
    runs = [json.loads(path.read_text()) for path in sorted(arguments.folder.glob("*.json"))]
    runs.sort(key=lambda each: (each["game"] != "tennis_v0", each["game"], each["learner"], each["seed"]))
    write_atomically(arguments.picture, picture(runs).encode())
    print(table(runs))


if __name__ == "__main__":
    main()
