"""The games: `games`, `show`, `rollout` and `warmup`."""

from __future__ import annotations

import argparse
import contextlib
import functools
import time
from typing import Any

from . import arguments as allowed
from .arguments import Commands, argument, flag
from .printing import console, print_json, print_rows, print_values
from .shared import GAME, JSON, ONLY_GAME, SEED, find_game, find_options


def declare(commands: Commands) -> None:
    commands.add("games", list_games, "list the games").takes(JSON)
    commands.add("show", show, "show a game's rules, spaces and options").takes(ONLY_GAME, JSON)
    commands.add("rollout", rollout, "play thousands of random games at once and measure the speed").takes(
        *GAME,
        argument("--games", type=allowed.GAMES, help="games in parallel (default 1024; with --interpreted 1)"),
        argument("--steps", type=allowed.STEPS, default=2000, help="steps per game (default 2000)"),
        argument("--threads", type=allowed.THREADS, default=1, help="threads (default 1)"),
        argument("--policy", choices=("random", "rules"), default="random", help="who plays (default random)"),
        flag("--interpreted", "run as plain Python: compile nothing, and show the line of a rule that raises an error"),
        SEED,
        JSON,
    )
    commands.add("warmup", warm_up, "compile games now rather than at their first use").takes(
        argument("game", nargs="*", help="games (default: all)")
    )


def list_games(arguments: argparse.Namespace) -> None:
    from ..envs import all_games

    rows = []
    for game in all_games():
        options = game.options()
        rows.append(
            {
                "game": game.id,
                "title": game.title,
                "players": game.options.player_counts(),
                "actions": game.num_actions(options),
                "observation": game.observation_size(options),
                "record_bytes": game.state.itemsize,
            }
        )
    if arguments.json:
        return print_json(rows)
    columns = [{name: row[name] for name in ("game", "title", "players", "actions", "observation")} for row in rows]
    print_rows("Games (sizes with the default number of players)", columns)
    return None


def show(arguments: argparse.Namespace) -> None:
    from ..envs.pages import page

    game = find_game(arguments.game)
    options = game.options()
    if arguments.json:
        players = options.num_players
        return print_json(
            {
                "game": game.id,
                "title": game.title,
                "options": [
                    dict(zip(("name", "values", "default", "meaning"), row, strict=True)) for row in game.options.table()
                ],
                "actions": {name: [place.start, place.stop] for name, place in game.actions.slices(players).items()},
                "observation": {name: [place.start, place.stop] for name, place in game.observation.slices(players).items()},
                "record": [[name, str(game.state[name])] for name in game.state.names or ()],
            }
        )
    from rich.markdown import Markdown

    terminal, text = console(), page(game)
    if terminal.is_terminal:
        with terminal.pager(styles=True):
            terminal.print(Markdown(text))
    else:
        print(text)
    return None


def rollout(arguments: argparse.Namespace) -> None:
    from ..envs.core.batch import Batch
    from ..envs.core.jit import only_interpreted

    game, options = find_options(arguments)
    policy: Any = arguments.policy
    if policy == "rules":
        from ..agents import make

        policy = make("rules", game, options).policy  # type: ignore[attr-defined]
    with only_interpreted() if arguments.interpreted else contextlib.nullcontext():
        games = arguments.games or (1 if arguments.interpreted else 1024)
        batch = Batch(game, options, games, arguments.seed, arguments.threads)
        batch.rollout(1, policy)
        begin = time.perf_counter()
        result = batch.rollout(arguments.steps, policy)
        seconds = time.perf_counter() - begin
    row = {
        "game": game.id,
        "players": options.num_players,
        "steps": result.steps,
        "games_finished": result.games,
        "seconds": round(seconds, 3),
        "steps_per_second": round(result.steps / seconds),
        "mean_return_by_seat": " ".join(f"{value / max(result.games, 1):+.3f}" for value in result.returns),
    }
    if arguments.json:
        return print_json({**row, "returns": result.returns.tolist()})
    print_values(f"Rollout by the {arguments.policy} policy", row)
    return None


def warm_up(arguments: argparse.Namespace) -> None:
    from ..envs import all_games
    from ..training.warmup import warmup

    for game in map(find_game, arguments.game) if arguments.game else all_games():
        begin = time.perf_counter()
        warmup(game, progress=functools.partial(_print_part, game.id))
        print(f"{game.id}: ready ({time.perf_counter() - begin:.1f} s)")


def _print_part(game_id: str, part: str, number: int, total: int) -> None:
    print(f"{game_id}: {part} ({number} of {total})", flush=True)
