"""Learning agents: `train`, `evaluate` and `exploit`."""

from __future__ import annotations

import argparse
from dataclasses import asdict, fields
from pathlib import Path

from ..envs.core.escape import plain
from . import arguments as allowed
from .arguments import Commands, argument, flag, several
from .printing import console, print_json, print_values
from .shared import GAME, JSON, SANDBOX, SECRET_SEED, TRUST_ZIP, find_game, find_options, named_options, read_settings

SET = several("--set", metavar="NAME=VALUE", help="a setting, such as learning_rate=0.003 (training guide)")


def declare(commands: Commands) -> None:
    commands.add("train", train, "train an agent by self-play").takes(
        *GAME,
        argument("--out", type=allowed.path, metavar="FOLDER", help="run folder (default runs/GAME)"),
        argument("--steps", type=allowed.STEPS, help="learner steps (default: the configuration's)"),
        argument("--seconds", type=allowed.TRAINED, help="stop after so much time, compiling not counted"),
        flag("--resume", "go on with the run that is in the folder, by its settings"),
        argument("--seed", type=allowed.integer, help="equal seeds give equal agents (default 0)"),
        argument("--seeds", type=allowed.SEEDS, help="train with so many seeds, from --seed on, and summarise the runs"),
        argument("--workers", type=allowed.WORKERS, default=1, help="with --seeds: runs at once, a process each (default 1)"),
        argument(
            "--learner", help="ppo: compiled, on all seats (default); torch; sb3: Stable-Baselines3's; yours: module:class"
        ),
        argument("--network", metavar="NAME", help="a network of yours for the learner torch: its factory, module:function"),
        argument("--history", type=allowed.HISTORY, metavar="K", help="so many tokens of history for that network (default 0)"),
        argument("--init-from", metavar="AGENT", help="a player to copy first, or weights to go on with"),
        flag("--tensorboard", "write TensorBoard logs besides CSV"),
        flag("--trust", "with --resume: run the programs that the folder names (cmd:, module:function, network, learner)"),
        SET,
    )
    commands.add("evaluate", evaluate, "an agent's results against others").takes(
        *GAME,
        argument("agent", help="the agent to evaluate"),
        several("--against", help="opponents (default random and rules)"),
        argument("--games", type=allowed.GAMES, default=1000, help="games against each (default 1000)"),
        TRUST_ZIP,
        SANDBOX,
        SECRET_SEED,
        JSON,
    )
    commands.add(
        "exploit", exploit, "train a best response to an agent: what it wins is a lower bound of how exploitable the agent is"
    ).takes(
        *GAME,
        argument("agent", help="the agent that is exploited; one that plays by the batch"),
        argument("--seconds", type=allowed.TRAINED, default=60, help="training time, compiling not counted (default 60)"),
        argument("--deals", type=allowed.DEALS, default=2000, help="measured on so many deals (default 2000)"),
        argument("--weights", type=allowed.path, metavar="FILE", help="keep the exploiter's (.safetensors, .npz)"),
        argument("--threads", type=allowed.THREADS, default=1, help="for playing and learning (default 1)"),
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
        raise ValueError("--workers is for --seeds: one run has one process")
    game = find_game(arguments.game)
    out = arguments.out or Path("runs") / game.name
    runs = [out] if arguments.seeds is None else out.glob("seed-*")
    if arguments.resume and not any(stored_settings(run) for run in runs):
        raise ValueError(f"{out} holds no run to go on with; without --resume a new one begins")
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
    wins = ", ".join(f"{rate:.1%} of games against {name}" for name, rate in last.items())
    print(plain(f"{result.steps:,} steps in {result.seconds:.0f} s; wins {wins or 'not measured'}"))
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
        "it_gets": f"{exploited.result.mean:+.4f}",
        "the_agent_itself_would_get": f"{exploited.own:+.4f}",
        "gain": f"{exploited.mean:+.4f}",
        "95_%": f"{low:+.4f} … {high:+.4f}",
        "it_gets_by_seat_or_team": " ".join(f"{mean:+.3f}" for mean in exploited.result.team_means),
        "best_score_of_a_game": f"{exploited.result.win_rate:.1%}",
        "measured_on": f"{exploited.result.games:,} games",
        "learned_from": f"{exploited.steps:,} decisions in {exploited.seconds:.0f} s",
        "began_with": exploited.beginning or "nothing",
        "seed": str(exploited.seed),
    }
    print_values(f"Exploiting {exploited.agent}", row)
    print(plain(exploited.meaning))
    if exploited.weights is not None:
        print(plain(f"weights: {exploited.weights}"))
    return None
