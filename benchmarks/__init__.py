"""Measurements: throughput, the comparator, scores over all games, and what the games are like."""

from typing import TYPE_CHECKING

from ..envs.core.lazy import submodules

if TYPE_CHECKING:
    from . import comparator as comparator
    from . import games_map as games_map
    from . import score as score
    from . import strength as strength
    from . import throughput as throughput
    from . import training as training
else:
    __getattr__ = submodules(__name__)
