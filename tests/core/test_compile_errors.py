"""What is said of a rule that cannot be compiled: where, and why, in a few lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toy_game as toy
import wilddeck
from wilddeck.envs.core.failures import CompileError
from wilddeck.envs.core.jit import arithmetic, device_function, kernel


@device_function
def less(state):  # type: ignore[no-untyped-def]
    return state.moves_lft - 1


@device_function
def misspelt(state, action):  # type: ignore[no-untyped-def]
    state.moves_left = less(state)


@device_function
def nameless(state, action):  # type: ignore[no-untyped-def]
    state.moves_left = nothing + 1  # noqa: F821


@device_function
def untyped(state, action):  # type: ignore[no-untyped-def]
    state.moves_left = "a" + action


@device_function
def called_wrongly(state, action):  # type: ignore[no-untyped-def]
    state.moves_left = less(state, action)


@arithmetic
def copies(values):  # type: ignore[no-untyped-def]
    values[:1] = values[1:]


@kernel
def copying(values):  # type: ignore[no-untyped-def]
    copies(values)


@pytest.mark.parametrize(
    ("step", "function", "line", "reason"),
    [
        (misspelt, less, 2, "the record has no field 'moves_lft'; did you mean 'moves_left'?"),
        (nameless, nameless, 2, "NameError: name 'nothing' is not defined"),
        (untyped, untyped, 2, "No implementation of function"),
        (called_wrongly, called_wrongly, 2, "too many positional arguments"),
    ],
)
def test_the_line_and_the_reason(step: Any, function: Any, line: int, reason: str) -> None:
    game = replace(toy.GAME, functions={**toy.GAME.functions, "step": step})
    env = wilddeck.envs.raw_env(game)
    for _ in range(2):  # once more, too
        with pytest.raises(CompileError) as raised:
            env.reset(seed=1)
        text = str(raised.value)
        place = (
            f"{Path(__file__).name}:{function.py_func.__code__.co_firstlineno + line}: {function.__name__} cannot be compiled"
        )
        assert place in text.splitlines()[0] and reason in text and text.count("\n") < 8
        assert raised.value.__suppress_context__, "numba's hundreds of lines are not shown"


def test_an_array_that_cannot_be_copied() -> None:
    with pytest.raises(CompileError, match=r"copies cannot be compiled\n  values\[:1\] = values\[1:\]\n") as raised:
        copying(np.zeros(2))
    assert "NRT required" in str(raised.value)


def test_what_fails_as_it_runs_is_not_said_to_be_compiled() -> None:
    with pytest.raises(TypeError):
        toy.GAME.functions["observe"](1)
