"""The parameters in agent strings, such as those of `mc:rollouts=200,policy=rules`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def parameters(name: str, text: str, allowed: Mapping[str, type]) -> dict[str, Any]:
    """`key=value,key=value` as keywords of the allowed types."""
    parameters: dict[str, Any] = {}
    for part in text.split(",") if text else []:
        key, equals, value = (word.strip() for word in part.partition("="))
        if key not in allowed or not equals or key in parameters:
            raise ValueError(
                f"agent {name!r} has no parameter {part.strip()!r}; write key=value, each once: {', '.join(allowed)}"
            )
        try:
            parameters[key] = allowed[key](value)
        except ValueError:
            raise ValueError(f"agent {name!r}: {key}={value!r} is not of type {allowed[key].__name__}") from None
    return parameters
