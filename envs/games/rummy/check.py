"""What the fields of a record of rummy must agree in, see envs/core/check.py."""

from __future__ import annotations

from typing import Any


def check(state: Any, legal: Any) -> None:
    """So far nothing."""
