"""Batches whose observations and masks are shared with JAX, without a copy.

    from wilddeck.frameworks.jax import SharedBatch

    batch = SharedBatch("tennis_v0", num_games=4096, seed=1)
    observation, action_mask = batch.shared()
    batch.step(numpy.asarray(policy(observation, action_mask)))  # policy is jitted

Needs jax.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .. import envs
from ..envs.core.batch import Batch
from ..envs.core.game import Game

_ALIGNED = 64  # bytes: the alignment that XLA needs to share memory


class SharedBatch(Batch):
    """A `Batch` whose observations and masks are also JAX arrays.

    Args:
        game: a game or its id.
        num_games, seed, threads: as in `wilddeck.make_batch`.
        options: options of the game.
    """

    def __init__(self, game: Game | str, num_games: int, seed: int | None = None, threads: int = 1, **options: Any) -> None:
        chosen, checked = envs.resolve(game, options)
        super().__init__(chosen, checked, num_games, seed, threads)

    def shared(self) -> tuple[jax.Array, jax.Array]:
        """Observations float32 [N, D] and masks uint8 [N, A] of the players to move, in the batch's own memory (DLPack).

        The next `step` overwrites them, and JAX does not know this: all computations from them must be finished by then, as
        that of the actions is, once they are converted to numpy. Copy what you keep: `jax.numpy.array(observation)`.
        """
        return jnp.from_dlpack(self._observation), jnp.from_dlpack(self._mask)

    def _open(self) -> None:
        self._observation, self._mask = _aligned(self._observation), _aligned(self._mask)
        super()._open()


def _aligned(array: np.ndarray) -> np.ndarray:
    """A copy that is aligned for XLA."""
    memory = np.empty(array.nbytes + _ALIGNED, np.uint8)
    start = -memory.ctypes.data % _ALIGNED
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
