"""How to begin hold'em for two with stacks of 100 big blinds: the whole game, solved with few raises after the flop.

`python -m wilddeck.benchmarks.studies.holdem_preflop` solves it, and writes the file.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

from ...envs.core.game import Options
from ..learned import plain_options
from .hands import TWO, kind_of
from .regrets import Solution, mean_strategy

# At each position, by what distinguishes it (`regrets.public`): the actions, and their probabilities with each hand, [1326, K].
Strategies = dict[tuple[int, ...], tuple[np.ndarray, np.ndarray]]
FILE = Path(__file__).with_name("preflop.npz")


def write(solution: Solution, options: Options, path: Path) -> None:
    """Write the strategies before the flop: of each kind of hands, in float16."""
    nodes = np.flatnonzero(solution.tree.street == 0).tolist()
    found = [mean_strategy(solution.tree, solution.tables, node) for node in nodes]
    np.savez_compressed(
        path,
        options=np.array(_described(options)),
        keys=np.array([solution.keys[node] for node in nodes]),
        count=np.array([len(actions) for actions, _ in found]),
        actions=np.concatenate([actions for actions, _ in found]).astype(np.uint8),
        likely=np.concatenate([likely.T for _, likely in found]).astype(np.float16),
    )


def strategies(options: Options) -> Strategies:
    """What is solved with these options: nothing, unless they are those of the file."""
    solved, found = _read()
    return found if solved == _described(options) else {}


@cache
def _read() -> tuple[str, Strategies]:
    with np.load(FILE) as file:
        ends = np.cumsum(file["count"])[:-1]
        actions, likely = (np.split(file[name].astype(dtype), ends) for name, dtype in (("actions", int), ("likely", float)))
        keys, kinds = map(tuple, file["keys"].tolist()), kind_of(TWO)
        rows = ((each / each.sum(axis=0)).T[kinds] for each in likely)
        return str(file["options"]), dict(zip(keys, zip(actions, rows, strict=True), strict=True))


def _described(options: Options) -> str:
    """All options but the button, which changes nothing."""
    return json.dumps(plain_options(options) | {"button": None}, sort_keys=True)
