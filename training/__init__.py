"""Self-play training in compiled code, or with Stable-Baselines3 (extra `train`)."""

from typing import TYPE_CHECKING

from ..envs.core.lazy import submodules

if TYPE_CHECKING:
    from . import evaluate as evaluate
    from . import exploit as exploit
    from . import settings as settings
    from . import train as train
else:
    __getattr__ = submodules(__name__)
