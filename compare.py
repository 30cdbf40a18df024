"""`wilddeck.envs.core.compare` under a shorter name: `import wilddeck.compare` is that package."""

import sys

from .envs.core import compare
from .envs.core.compare import *  # noqa: F403 - for type checkers

sys.modules[__name__] = compare
