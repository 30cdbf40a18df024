"""Single-agent environments: one learner's seat, with agents in the others. Pools of opponents, Gymnasium's single and vector
environments, and Stable-Baselines3's `VecEnv`."""

from typing import TYPE_CHECKING

from ..envs.core.lazy import submodules

if TYPE_CHECKING:
    from . import config as config
    from . import opponents as opponents
    from . import sb3_vec_env as sb3_vec_env
    from . import single_seat as single_seat
    from . import vector as vector
else:
    __getattr__ = submodules(__name__)
