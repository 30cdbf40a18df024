"""`wilddeck.envs.core.cards` under a shorter name: `import wilddeck.cards` is that module."""

import sys

from .envs.core import cards
from .envs.core.cards import *  # noqa: F403 - for type checkers

sys.modules[__name__] = cards
