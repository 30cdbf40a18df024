"""Training and evaluating agents: `train`, `evaluate` and `exploit`."""

from __future__ import annotations

import argparse
from dataclasses import asdict, fields
from pathlib import Path

from ..envs.core.escape import plain
from . import arguments as allowed
from .arguments import Commands, argument, flag, several
from .printing import console, print_json, print_values
from .shared import GAME, JSON, SANDBOX, SECRET_SEED, TRUST_ZIP, find_game, find_options, named_options, read_settings

SET = several(
    "--set", metavar="NAME=VALUE", help="a setting, such as learning_rate=0.003 (see the training guide); may be repeated"
)


def declare(commands: Commands) -> None:
    commands.add("train", train, "train an agent by self-play").takes(
        *GAME,
        argument("--out", type=allowed.path, metavar="FOLDER", help="the run's folder (default runs/GAME)"),
        argument("--steps", type=allowed.STEPS, help="decisions to learn from (default: setting total_steps)"),
        argument("--seconds", type=allowed.TRAINED, help="stop after this time, not counting compilation"),
        flag("--resume", "continue the run in the folder with its settings"),
        argument("--seed", type=allowed.integer, help="seed; equal seeds give equal agents (default 0)"),
        argument("--seeds", type=allowed.SEEDS, help="train with this many seeds, beginning at --seed, and summarise the runs"),
        argument("--workers", type=allowed.WORKERS, default=1, help="with --seeds: runs in parallel processes (default 1)"),
        argument("--learner", help="ppo (compiled, the default), torch, sb3 (Stable-Baselines3) or your own module:class"),
        argument("--network", metavar="NAME", help="with --learner torch: module:function that makes your network"),
        argument("--history", type=allowed.HISTORY, metavar="K", help="history tokens that this network gets (default 0)"),
        argument("--init-from", metavar="AGENT", help="an agent to copy first, or weights to continue from"),
        flag("--tensorboard", "write TensorBoard logs in addition to CSV"),
        flag("--trust", "with --resume: run programs named in the folder (cmd:, module:function, network, learner)"),
        SET,
    )
    commands.add("evaluate", evaluate, "measure an agent's results against others").takes(
        *GAME,
        argument("agent", help="the agent to evaluate"),
        several("--against", metavar="AGENT", help="an opponent; may be repeated (default: random and rules)"),
        argument("--games", type=allowed.GAMES, default=1000, help="games against each opponent (default 1000)"),
        TRUST_ZIP,
        SANDBOX,
        SECRET_SEED,
        JSON,
    )
    commands.add(
        "exploit", exploit, "train an approximate best response to an agent: a lower bound on its exploitability"
    ).takes(
        *GAME,
        argument("agent", help="the agent to exploit; it must play in batches (act_batch)"),
        argument("--seconds", type=allowed.TRAINED, default=60, help="training time, not counting compilation (default 60)"),
        argument("--deals", type=allowed.DEALS, default=2000, help="deals of the evaluation (default 2000)"),
        argument("--weights", type=allowed.path, metavar="FILE", help="save the exploiter's weights (.safetensors, .npz)"),
        argument("--threads", type=allowed.THREADS, default=1, help="threads for playing and learning (default 1)"),
        TRUST_ZIP,
        SET,
        SECRET_SEED,
        JSON,
    )


def train(arguments: argparse.Namespace) -> None:
    from ..training import seeds
    from ..training.settings import Settings
    from ..training.train import stored_settings
    from ..training.train import train as learn

    if arguments.workers > 1 and arguments.seeds is None:
        raise ValueError("--workers needs --seeds: a single run uses one process")
    game = find_game(arguments.game)
    out = arguments.out or Path("runs") / game.name
    runs = [out] if arguments.seeds is None else out.glob("seed-*")
    if arguments.resume and not any(stored_settings(run) for run in runs):
        raise ValueError(f"{out} has no run to resume; omit --resume to start one")
    settings = read_settings(
        arguments.set,
        [field.name for field in fields(Settings) if field.name not in ("game", "options")],
        total_steps=arguments.steps,
        max_seconds=arguments.seconds,
        seed=arguments.seed,
        learner=arguments.learner,
        network=arguments.network,
        history=arguments.history,
        init_from=arguments.init_from,
    )
    run = {"out": out, "resume": arguments.resume, "tensorboard": arguments.tensorboard, "trust": arguments.trust}
    options = named_options(arguments)
    if arguments.seeds is not None:
        many = {"seeds": arguments.seeds, "workers": arguments.workers}
        console().print(seeds.table(seeds.train_seeds(game, options, **many, **run, **settings)))
        print(plain(f"summary: {out / 'summary.json'}, {out / 'summary.csv'}, {out / 'curves.svg'}"))
        return
    result = learn(game, options, **run, **settings)
    last = result.evaluations[-1].win_rates if result.evaluations else {}
    wins = ", ".join(f"{rate:.1%} against {name}" for name, rate in last.items())
    print(plain(f"{result.steps:,} steps in {result.seconds:.0f} s; win rate {wins or 'not measured'}"))
    print(plain(f"weights: {result.weights}"))


def evaluate(arguments: argparse.Namespace) -> None:
    from ..training import evaluate

    game, options = find_options(arguments)
    results = evaluate.evaluate(
        arguments.agent,
        game,
        vars(options),
        against=arguments.against or evaluate.AGAINST,
        games=arguments.games,
        seed=arguments.seed,
        trust=arguments.trust,
        sandbox=arguments.sandbox,
    )
    if arguments.json:
        return print_json({name: vars(result) for name, result in results.items()})
    console().print(evaluate.table(results))
    return None


def exploit(arguments: argparse.Namespace) -> None:
    from ..training import exploit

    game, options = find_options(arguments)
    exploited = exploit.exploit(
        arguments.agent,
        game,
        options,
        deals=arguments.deals,
        weights=arguments.weights,
        trust=arguments.trust,
        progress=not arguments.json,
        max_seconds=arguments.seconds,
        seed=arguments.seed,
        threads=arguments.threads,
        **read_settings(arguments.set, exploit.SETTINGS),
    )
    low, high = exploited.interval
    if arguments.json:
        weights = None if exploited.weights is None else str(exploited.weights)
        rest = {"weights": weights, "interval": exploited.interval, "meaning": exploited.meaning}
        return print_json({**asdict(exploited), **rest})
    row = {
        "game": game.id,
        "exploiter": f"{exploited.exploiter.name} after {exploited.exploiter.steps:,} decisions",
        "mean_return": f"{exploited.result.mean:+.4f}",
        "mean_return_of_the_agent_in_its_place": f"{exploited.own:+.4f}",
        "gain": f"{exploited.mean:+.4f}",
        "95_%_interval_of_the_gain": f"{low:+.4f} … {high:+.4f}",
        "mean_return_by_seat_or_team": " ".join(f"{mean:+.3f}" for mean in exploited.result.team_means),
        "win_rate": f"{exploited.result.win_rate:.1%}",
        "evaluated_on": f"{exploited.result.games:,} games",
        "trained_on": f"{exploited.steps:,} decisions in {exploited.seconds:.0f} s",
        "initialised_from": exploited.beginning or "nothing",
        "seed": str(exploited.seed),
    }
    print_values(f"Exploiting {exploited.agent}", row)
    print(plain(exploited.meaning))
    if exploited.weights is not None:
        print(plain(f"weights: {exploited.weights}"))
    return None
