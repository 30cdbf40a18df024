"""Measurements: throughput, the comparator, and leagues of agents."""

from typing import TYPE_CHECKING

from ..envs.core.lazy import submodules

if TYPE_CHECKING:
    from . import comparator as comparator
    from . import league as league
    from . import strength as strength
    from . import throughput as throughput
    from . import training as training
else:
    __getattr__ = submodules(__name__)
