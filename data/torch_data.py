"""Data sets for torch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .files import Place
from .reading import Columns, Source, together

try:
    import torch
    from torch.utils.data import IterableDataset, get_worker_info
except ImportError as error:
    raise ImportError(f"data sets for torch need the extra `train`: pip install 'wilddeck[train]' ({error})") from error

_AS = {"action_mask": np.bool_, "action": np.int64}


class Decisions(IterableDataset[dict[str, Any]]):
    """See `torch_dataset`."""

    def __init__(self, source: Source, batch_size: int, window: int) -> None:
        self.source, self.batch_size, self.window = source, batch_size, window

    def __iter__(self) -> Iterator[dict[str, Any]]:
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        seed = worker.seed - worker.id if worker else int(torch.empty((), dtype=torch.int64).random_())
        groups = self.source.groups
        if self.window:  # the same in all workers, different in each epoch
            groups = [groups[k] for k in np.random.default_rng(seed).permutation(len(groups))]
        rng = np.random.default_rng([seed, number])
        held: list[Columns] = []
        for file, group in groups[number::workers]:
            held.append(self.source.read(file, group))
            if sum(map(_rows, held)) >= max(self.window, self.batch_size):
                whole, order = self._mixed(held, rng)
                end = len(order) // self.batch_size * self.batch_size
                yield from self._batches(whole, order[:end])
                held = [{name: array.take(order[end:]) for name, array in whole.items()}]
        yield from self._batches(*self._mixed(held, rng))

    def _mixed(self, parts: list[Columns], rng: np.random.Generator) -> tuple[Columns, np.ndarray]:
        """The decisions of the window, and a random order of them."""
        whole = {name: together([part[name] for part in parts]) for name in self.source.columns} if parts else {}
        rows = sum(map(_rows, parts))
        return whole, rng.permutation(rows) if self.window else np.arange(rows)

    def _batches(self, whole: Columns, order: np.ndarray) -> Iterator[dict[str, Any]]:
        for start in range(0, len(order), self.batch_size):
            rows = order[start : start + self.batch_size]
            yield {name: _tensor(name, array[rows]) for name, array in whole.items()}


def _rows(columns: Columns) -> int:
    return len(next(iter(columns.values())))


def _tensor(name: str, array: np.ndarray) -> Any:
    if array.dtype == object:
        return array.tolist()
    return torch.from_numpy(array.astype(_AS.get(name, array.dtype), copy=False))


def torch_dataset(
    path: Place, batch_size: int = 1024, window: int = 2**17, columns: Sequence[str] | None = None, **chosen: Any
) -> Decisions:
    """The decisions of a data set as an `IterableDataset` of batches, for `DataLoader(dataset, batch_size=None)`.

    A batch is a dictionary of tensors [batch_size, ...]; each worker's last one may be shorter. Dtypes are those of the files,
    but `action_mask` is bool and `action` int64. Texts are lists. The workers of a loader share the row groups.

    Args:
        path, columns, **chosen: as in `wilddeck.data.batches`.
        batch_size: the number of decisions per batch.
        window: the approximate size of the shuffle buffer, in decisions; row groups are shuffled, too. 0: do not shuffle. The
            order follows from `torch.manual_seed`.

    Raises:
        DataError: as in `wilddeck.data.batches`.
        ValueError: a number is not allowed.
    """
    if batch_size < 1 or window < 0:
        raise ValueError(f"batch_size must be at least 1 and window at least 0, not {batch_size} and {window}")
    return Decisions(Source(path, columns, **chosen), batch_size, window)
