"""A score for a whole agent, over all games; see docs/guides/scores.md."""

from typing import TYPE_CHECKING

from ...envs.core.lazy import submodules

if TYPE_CHECKING:
    from . import playing as playing
    from . import plot as plot
    from . import record as record
    from . import report as report
    from . import statistics as statistics
    from . import suite as suite
else:
    __getattr__ = submodules(__name__)
